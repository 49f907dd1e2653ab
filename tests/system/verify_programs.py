#!/usr/bin/env python3
"""The programs of benchmarks/verify under heddle verify: the right ones are explored completely and have no bug, with as
many executions as mathematics says where it says anything; in the broken ones the bug is found, and its trace replays.
"""

import json
import pathlib
import re
import subprocess
import sys
import time
from math import comb, factorial

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE.parents[1] / "benchmarks" / "verify"
sys.path.insert(0, str(HERE.parent / "support"))
from heddle_tool import Failure, run_checks  # noqa: E402

SYNTHETIC = {
    "writers": (range(1, 7), factorial),
    "increments": (range(1, 7), factorial),
    "exchanges": (range(1, 7), lambda n: n),
    "readers": (range(1, 10), lambda n: 2**n),
    "mixed": (range(1, 5), lambda n: factorial(n) * (n + 1)**n),
    "chain": (range(1, 8), lambda n: comb(2 * n, n)),
    "buffers": (range(1, 6), lambda n: 4**n),
    "lastzero": (range(1, 9), lambda n: (n + 1) * 2**(n - 1)),
}
# Sizes that are explored completely, with their numbers of complete executions (None: whatever comes); then the kinds of
# bug that BROKEN has, one of which must be found, and the size that shows it.
REAL = {
    # For every order of the n threads the k-th sees the lock free through any of the k-1 releases before it, or at first.
    "ttas_lock": ([(["2"], 2 * 2), (["3"], 6 * 6), (["4"], 24 * 24), (["2", "2"], None)], ["race", "assert"], "2"),
    "ticket_lock": ([(["2"], 2), (["3"], 6), (["4"], 24), (["2", "2"], 6)], ["race", "assert"], "2"),
    "mcs_lock": ([(["2"], None), (["3"], None), (["4"], None)], ["race", "assert"], "2"),
    "seqlock": ([(["2"], None), (["3"], None)], ["assert"], "2"),
    "mpmc_queue": ([(["2"], None), (["4"], None)], ["race"], "2"),
    "szymanski": ([(["2"], None)], ["race", "livelock"], "2"),
    "lamport_fast_mutex": ([(["2"], None), (["3"], None)], ["race", "assert"], "2"),
    "treiber_stack": ([(["2"], None), (["3"], None)], ["race"], "2"),
    "ms_queue": ([(["2"], None)], ["race"], "2"),
}


def verify(heddle, program, arguments, folder, model):
    result = folder / "result.json"
    run = heddle.run("verify", "--model", model, "--json", result, "--out", folder / "out", program, *arguments)
    run.result = json.loads(result.read_text()) if result.exists() else {}
    return run


def check_complete(heddle, program, arguments, expected, folder, models=("rc11", "sc")):
    for model in models:
        run = verify(heddle, program, arguments, folder, model)
        if run.code != 0 or not run.result.get("all_explored"):
            raise Failure(run.describe())
        if expected is not None and run.result["executions"] != expected:
            raise Failure(f"{expected} executions were expected\n{run.describe()}")


def check_broken(heddle, program, size, kinds, folder):
    run = verify(heddle, program, [size], folder, "rc11")
    found = [finding["kind"] for finding in run.result.get("findings", [])]
    if run.code != 1 or not set(found) & set(kinds):
        raise Failure(f"one of {kinds} was expected\n{run.describe()}")
    traces = list((folder / "out").glob("*.trace"))
    for trace in traces:
        replay = heddle.replay(trace)
        if replay.code != 1 or "the same finding" not in replay.output:
            raise Failure(replay.describe())
        trace.unlink()
    if not traces:
        raise Failure(f"no trace was saved\n{run.describe()}")


def resident(pid):
    """Kilobytes of a process's children together with itself, at most, so far; 0: it has ended."""
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return 0
    found = re.search(r"VmHWM:\s*(\d+) kB", status)
    return (int(found[1]) if found else 0) + sum(map(resident, children))


def check_memory(heddle, program, folder):
    """Memory does not grow with the number of executions: from the first tenth of 400,000 to their end, 4 bytes each
    would be noticed."""
    runs, samples = 400_000, []
    command = [heddle.command, "verify", "--quiet", "-n", runs, "--out", folder / "out", program, "writers", 10]
    with (folder / "output").open("wb") as output:
        process = subprocess.Popen([str(word) for word in command], stdout=output, stderr=subprocess.STDOUT)
        while process.poll() is None:
            samples.append(resident(process.pid))
            time.sleep(0.01)
    if process.returncode != 3:  # there are 10! executions
        raise Failure((folder / "output").read_text())
    early, late = samples[len(samples) // 10], max(samples)
    print(f"{early} kB after a tenth of {runs} executions, {late} kB at the end, {len(samples)} samples")
    if len(samples) < 20 or late > early + 1024:
        raise Failure("memory grows with the number of executions, or could not be watched")


def check_all(heddle, folder, arguments):
    def build(name, *flags):
        return heddle.compile(PROGRAMS / f"{name}.cpp", flags=["-std=c++20", "-O2", "-g", *flags])

    synthetic = build("synthetic")
    for program, (sizes, formula) in SYNTHETIC.items():
        for n in sizes:  # under sc some of these graphs are forbidden
            check_complete(heddle, synthetic, [program, n], formula(n), folder, ["rc11"])
    check_memory(heddle, synthetic, folder)
    for program, (sizes, kinds, broken_size) in REAL.items():
        for words, expected in sizes:
            check_complete(heddle, build(program), words, expected, folder)
        check_broken(heddle, build(program, "-DBROKEN"), broken_size, kinds, folder)
    for compiler in ("gcc", "clang"):
        for level in ("-O1", "-O2"):
            retries = heddle.compile(PROGRAMS / "retry_loop.cpp", compiler, ["-std=c++20", level])
            for n in (2, 3, 4, 5):
                check_complete(heddle, retries, [n], factorial(n), folder)
            stack = heddle.compile(PROGRAMS / "treiber_stack.cpp", compiler, ["-std=c++20", level])
            # 270 without a failed iteration. An iteration that reads the link of another node counts: it could race.
            check_complete(heddle, stack, [3], 2142, folder, ["rc11"])
            for flags in ([], ["-DSPIN"]):
                lock = heddle.compile(PROGRAMS / "counter_rwlock.cpp", compiler, ["-std=c++20", level, *flags])
                # Two readers and two writers: 36 orders in which the readers are neighbours, who may overlap, and 12 others.
                for words, expected in (([2, 0], 6), ([0, 3], 6), ([1, 2], 6), ([2, 2], 48)):
                    check_complete(heddle, lock, words, expected, folder, ["rc11"])
    check_broken(heddle, build("counter_rwlock", "-DBROKEN"), "1", ["race", "assert"], folder)
    # Frames of code that is not optimised are full of old values; waiting loops have to be recognised all the same.
    for compiler in ("gcc", "clang"):
        for name in ("szymanski", "lamport_fast_mutex", "mpmc_queue"):
            unoptimised = heddle.compile(PROGRAMS / f"{name}.cpp", compiler, ["-std=c++20", "-O0"])
            check_complete(heddle, unoptimised, ["2"], None, folder)


if __name__ == "__main__":
    sys.exit(run_checks(__doc__, check_all))
