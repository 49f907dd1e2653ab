#!/usr/bin/env python3
"""`auto` proves what is small: after its first round it searches exhaustively, and ends if everything was explored. After a
thousand executions without a bug it searches once more, for longer.

Otherwise it samples on, with exactly as many executions as without the search. The result is the same for every number of
workers and either isolation, and in heddle::check (check.py). Findings of the search replay.
"""

import argparse
import pathlib
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SOURCES = HERE / "auto_search"
sys.path.insert(0, str(HERE.parent / "support"))
from heddle_tool import Failure, Heddle, without  # noqa: E402

RELAY = ROOT / "benchmarks" / "programs" / "fuzzing" / "relay.cpp"
PROOF = "nothing is left to find for this input"


class Tests:
    def __init__(self, heddle, out):
        self.heddle = heddle
        self.out = out

    def compile(self, source, *flags):
        return self.heddle.compile(source, flags=["-std=c++20", "-O1", "-g", *flags])

    def test(self, program, *options):
        return self.heddle.test(program, *options, out=self.out)

    def proves(self, program, graphs, code, *options):
        """Returns the run, whose last line and JSON say that all graphs were explored."""
        run = self.test(program, *options)
        search = run.result.get("search", {})
        expect(run.code == code and PROOF in run.output.splitlines()[-1], "no proof", run)
        expect(run.result["all_explored"] and search["finished"] and search["graphs"] == run.result["distinct_graphs"] == graphs,
               f"{search} instead of {graphs} graphs", run)
        expect(run.result["executions"] == 16 + search["executions"], "not 16 samples and the search", run)
        return run

    def samples_on(self, program, executions, *options, left_out=None, searches=True):
        run = self.test(program, "-n", executions, *options)
        expect(PROOF not in run.output and not run.result.get("all_explored"), "a proof", run)
        expect(run.result["executions"] == executions, "not as many executions as wanted", run)
        expect(("search" in run.result) == searches, "a search" if not searches else "no search", run)
        expect(run.result.get("search", {}).get("left_out") == left_out, f"what was left out is not {left_out}", run)
        return run


def expect(condition, message, run=None):
    if not condition:
        raise Failure(message + (f":\n{run.describe()}" if run else ""))


def small_programs(tests):
    """Relays, waiting loops and locks. The bug of a relay is far for sampling, and at once there for the search."""
    for steps, graphs in ((4, 15), (8, 45)):
        relay = tests.compile(RELAY, f"-DSTEPS={steps}")
        run = tests.proves(relay, graphs, 1)
        finding, = run.result["findings"]
        expect(finding["strategy"].startswith("exhaustive:"), "the search did not find the bug", run)
        again = tests.heddle.replay(finding["trace"])
        expect([f["key"] for f in again.result["findings"]] == [finding["key"]], "the finding does not replay", again)
    tests.proves(tests.compile(SOURCES / "token_ring.cpp"), 1, 0)
    tests.proves(tests.compile(SOURCES / "token_ring.cpp", "-DBROKEN"), 2, 1)
    tests.proves(tests.compile(SOURCES / "counter.cpp"), 2, 0)
    tests.proves(tests.compile(SOURCES / "counter.cpp", "-DN=4"), 24, 0)


def sampling_goes_on(tests):
    for flag, left_out in (("MEMORY", "memory that is allocated again is not explored"),
                           ("CLOCK", "the orders of clock readings by several threads are not explored"),
                           ("RANDOM", "other random numbers are not explored")):
        run = tests.samples_on(tests.compile(SOURCES / "counter.cpp", "-D" + flag), 200, left_out=left_out)
        expect(run.result["search"]["finished"], "the search did not finish", run)
        # For a search that the user asks for it is a bound, which the report names.
        run = tests.test(tests.compile(SOURCES / "counter.cpp", "-D" + flag), "-s", "exhaustive")
        expect(run.code == 0 and run.result["all_explored"] and run.result["bounds"] == [left_out], "another bound", run)
        expect(f"heddle: a bound of this search: {left_out}\n" in run.output, "the bound is not named", run)
    tests.samples_on(tests.compile(SOURCES / "counter.cpp", "-DSIGNAL"), 200, searches=False)
    large = tests.compile(SOURCES / "counter.cpp", "-DN=8")
    run = tests.samples_on(large, 1000)
    expect(run.result["search"]["executions"] < 100, "the search does not see that there is too much", run)
    # What has no search, or no room for one.
    small = tests.compile(SOURCES / "counter.cpp")
    tests.samples_on(small, 16, searches=False)
    tests.samples_on(small, 100, "-m", "c11", searches=False)
    tests.samples_on(small, 100, "--time-model", "strict", searches=False)
    tests.samples_on(small, 100, "-s", "random", searches=False)


def second_search(tests):
    """720 graphs are too many for the first search, but not for the one after 1,024 executions."""
    program = tests.compile(SOURCES / "counter.cpp", "-DN=6")
    run = tests.samples_on(program, 1000)
    expect(run.result["search"]["executions"] < 100, "the first search does not see that there is too much", run)
    first = None
    for ways in (["-n", 3000], ["-n", 3000, "-j", 2, "--isolation", "fork"], ["-t", "100s"]):
        run = tests.test(program, *ways)
        search = run.result["search"]
        expect(PROOF in run.output.splitlines()[-1] and search["finished"] and search["graphs"] == 720, "no proof", run)
        expect(first is None or run.result["executions"] == first, "another number of executions", run)
        first = run.result["executions"]
    # There is no room for it, it would not end, or a bug is known.
    tests.samples_on(program, 1200)
    run = tests.samples_on(tests.compile(SOURCES / "counter.cpp", "-DN=12"), 5000)
    expect(64 < run.result["search"]["executions"] < 1200, "the search does not see that there is too much", run)
    buggy = tests.test(tests.compile(SOURCES / "counter.cpp", "-DN=6", "-DWRONG"), "-n", 3000)
    expect(buggy.result["search"]["executions"] < 100, "a search although a bug is known", buggy)


def races(tests):
    """After a race nothing is proved: the order of its accesses is not explored."""
    race = tests.compile(ROOT / "examples" / "message_passing_relaxed.cpp")
    reason = "the program has a data race, and not everything that can follow a race is explored"
    run = tests.samples_on(race, 100, left_out=reason)
    expect(run.result["no_proof"] == [reason] and f"but this is no proof: {reason}" in run.output, "no reason", run)
    # A suppressed race is a race.
    suppressions = tests.out.parent / "every-race.txt"
    suppressions.write_text("race:*\n")
    run = tests.test(race, "-s", "exhaustive", "--suppressions", suppressions)
    expect(run.code == 3 and run.result["no_proof"] == [reason] and not run.result["all_explored"], "a proof", run)
    expect(f"explored, but no proof: {reason}" in run.output, "no reason", run)


def stops(tests):
    """--stop-on-bug ends the search at its first bug."""
    run = tests.test(tests.compile(RELAY, "-DSTEPS=8"), "--stop-on-bug")
    finding, = run.result["findings"]
    expect(run.code == 1 and finding["count"] == 1, "not one bug", run)
    expect(run.result["executions"] == finding["first_execution"] + 1, "not up to the bug", run)
    expect(not run.result["all_explored"] and PROOF not in run.output, "a proof", run)


def same_for_every_worker(tests):
    noise = ("seconds", "rate", "isolation", "isolation_reason", "jobs")
    for program in (tests.compile(RELAY, "-DSTEPS=6"), tests.compile(SOURCES / "counter.cpp", "-DN=5"),
                    tests.compile(SOURCES / "counter.cpp", "-DMEMORY")):
        first = None
        for ways in (["-j", 1], ["-j", 2, "--isolation", "fork"], ["-j", 4, "--isolation", "reset", "--aslr"], ["-j", 3]):
            run = tests.test(program, "-n", 300, *ways)
            result = without(run.result, *noise)
            expect(first is None or result == first, f"{ways} gives another result than -j 1: {result} != {first}", run)
            first = result


def weak_exchanges(tests):
    """A weak compare-exchange fails in the search of auto and in heddle verify, but not with weak=0."""
    program = tests.compile(ROOT / "tests" / "programs" / "wrong" / "assert_weak_exchange.cpp")
    tests.proves(program, 2, 1)
    for option, code in ((["-s", "exhaustive"], 1), (["-s", "exhaustive:weak=0"], 0)):
        run = tests.test(program, *option)
        expect(run.code == code, f"exit code {run.code} instead of {code}", run)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="heddle's build folder")
    parser.add_argument("--cache", required=True, type=pathlib.Path, help="where compiled programs are kept")
    options = parser.parse_args()
    tests = Tests(Heddle(options.build, options.cache), options.cache / "auto_search-out")
    try:
        for test in (small_programs, sampling_goes_on, second_search, races, stops, same_for_every_worker, weak_exchanges):
            test(tests)
    except Failure as failure:
        print(f"{test.__name__}: {failure}")
        sys.exit(1)
    print("7 passed")


if __name__ == "__main__":
    main()
