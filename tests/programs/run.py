#!/usr/bin/env python3
"""Runs one program of tests/programs, examples or tests/third_party and checks what heddle says of it.

What to expect stands in the program's head, one line each:
  // heddle: clean                   no finding, exit code 0
  // heddle: finds race              a finding of this kind, and of no other; `finds crash|limit`: of one of these
  // heddle-also: assert, crash      kinds that may be found as well
  // heddle-defect: deadlock         kinds that a library's defect shows under other strategies (every_strategy.py)
  // heddle-runs: 1000               executions (1000)
  // heddle-options: --leaks         further options of heddle test
  // heddle-args: a b                the program's arguments
  // heddle-mentions: counter        what the report must contain; may be given several times
  // heddle-flags: -O2               compiler flags, after -std=c++20 (C: -std=gnu11) -O1 -g
  // heddle-levels: -O0 -O2          further optimisation levels with the same verdict
  // heddle-only: gcc (why)          not for other compilers; or clang

Every finding with a trace is replayed in fresh processes and must show the same finding each time. With --determinism the
same seed must also give the same JSON with more workers, under either isolation, and with address randomisation on.
"""

import argparse
import pathlib
import shlex
import sys
import zlib

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from heddle_tool import Failure, Heddle, without  # noqa: E402
from program_head import ProgramHead  # noqa: E402


def check_verdict(expectation, run):
    kinds = {finding["kind"] for finding in run.result.get("findings", [])}
    if not run.result:
        raise Failure(f"heddle wrote no JSON\n{run.describe()}")
    if kinds - expectation.permitted:
        raise Failure(f"found {sorted(kinds - expectation.permitted)}, which is not expected\n{run.describe()}")
    if expectation.one_of and not kinds & set(expectation.one_of):
        raise Failure(f"did not find {' or '.join(expectation.one_of)}\n{run.describe()}")
    if run.code != expectation.exit_code(kinds):
        raise Failure(f"exit code {run.code} instead of {expectation.exit_code(kinds)}\n{run.describe()}")
    for text in expectation.mentions:
        if text not in run.output:
            raise Failure(f"the report does not mention '{text}'\n{run.describe()}")


def check_replays(heddle, run, times):
    for finding in run.result["findings"]:
        if "trace" not in finding:
            if finding["kind"] in ("limit", "leak"):
                continue
            raise Failure(f"a finding without a trace: {finding['headline']}\n{run.describe()}")
        for attempt in range(times):
            again = heddle.replay(finding["trace"])
            shown = [(f["kind"], f["key"], f["message"]) for f in again.result.get("findings", [])]
            if (finding["kind"], finding["key"], finding["message"]) not in shown:
                raise Failure(f"replay {attempt + 1} did not show {finding['headline']} ({finding['key']}), but {shown}\n"
                              f"{again.describe()}\n--- the first time:\n{run.describe()}")


# What must not change a result: the number of workers, the isolation, and where the system puts libraries and stacks. The
# first of a list is what the others are compared with. Together, the few have every setting once.
FEW_WAYS = [["-j", "1"], ["-j", "4", "--isolation", "reset", "--aslr"], ["-j", "2", "--isolation", "fork"]]
# To explain a finding under fork isolation takes three times as long as to find it, so one of four programs does.
FORK_WITHOUT_EXPLANATION = [FEW_WAYS[:2], [[*way, "--explain", "none"] for way in (FEW_WAYS[0], FEW_WAYS[2])]]
ALL_WAYS = [["-j", jobs, "--isolation", isolation, *aslr]
            for isolation in ("auto", "reset", "fork") for jobs in ("1", "2", "4") for aslr in ([], ["--aslr"])]
# The exhaustive search runs in one process.
WAYS_OF_SEARCH = [[], ["--aslr"]]


def comparable_ways(source, expectation, all_ways):
    if "exhaustive" in expectation.options:
        return [WAYS_OF_SEARCH]
    if all_ways:
        return [ALL_WAYS]
    explains_under_fork = not expectation.one_of or zlib.crc32(source.name.encode()) % 4 == 0
    return [FEW_WAYS] if explains_under_fork else FORK_WITHOUT_EXPLANATION


def check_determinism(heddle, program, expectation, runs, ways):
    times = ("seconds", "rate", "isolation", "isolation_reason", "jobs")
    options = ["-n", min(runs, 100), *expectation.options]
    first, expected = None, None
    for way in ways:
        run = heddle.test(program, *options, *way, arguments=expectation.arguments, out=program.parent / "out-again")
        result = without(run.result, *times)
        if first is None:
            first, expected = run, result
        if result == expected:
            continue
        fields = [key for key in {*result, *expected} if result.get(key) != expected.get(key)]
        raise Failure(f"'{' '.join(ways[0])}' and '{' '.join(way)}' differ in {fields}:\n{first.describe()}\n---\n"
                      f"{run.describe()}\n"
                      + "\n".join(f"{key}: {expected.get(key)}\n   != {result.get(key)}" for key in fields))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--build", required=True, help="heddle's build folder")
    parser.add_argument("--cache", required=True, type=pathlib.Path, help="where to build programs")
    parser.add_argument("--compiler", default="gcc", help="gcc, clang, clang-16, clang-19 [gcc]")
    parser.add_argument("--flags", default="", help="compiler flags, after those of the program")
    parser.add_argument("--replays", type=int, default=3, help="of each trace [3]")
    parser.add_argument("--scale-clean", type=float, default=1, help="factor for the runs of clean programs [1]")
    parser.add_argument("--determinism", action="store_true",
                        help="run again, with other -j and --isolation and with --aslr, and compare the JSON")
    parser.add_argument("--all-ways", action="store_true", help="--determinism with all combinations of these options")
    arguments = parser.parse_args()

    try:
        expectation = ProgramHead(arguments.source)
        heddle = Heddle(arguments.build, arguments.cache)
        program = heddle.compile(arguments.source, arguments.compiler, expectation.flags + shlex.split(arguments.flags))
        runs = expectation.runs
        if not expectation.one_of:
            runs = max(1, round(runs * arguments.scale_clean))
        run = heddle.test(program, "-n", runs, *expectation.options, arguments=expectation.arguments,
                          out=program.parent / "out")
        check_verdict(expectation, run)
        check_replays(heddle, run, arguments.replays)
        # The texts that a report must contain may be in an explanation.
        explained = [] if expectation.mentions else ["--explain", "none"]
        for level in expectation.levels:
            other = heddle.compile(arguments.source, arguments.compiler,
                                   expectation.flags + shlex.split(arguments.flags) + [level])
            check_verdict(expectation, heddle.test(other, "-n", runs, *explained, *expectation.options,
                                                   arguments=expectation.arguments, out=other.parent / "out"))
        if arguments.determinism or arguments.all_ways:
            for ways in comparable_ways(arguments.source, expectation, arguments.all_ways):
                check_determinism(heddle, program, expectation, runs, ways)
    except Failure as failure:
        print(f"{arguments.source}: {failure}")
        return 1
    print(run.output.splitlines()[-1] if run.output else "")
    return 0


if __name__ == "__main__":
    sys.exit(main())
