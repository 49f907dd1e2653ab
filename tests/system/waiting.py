#!/usr/bin/env python3
"""Programs that poll, spin and sleep, under every strategy and under heddle verify, at several levels of optimisation.

A thread that polls is not a thread that waits: these programs end, or show their bug, whatever strategy runs them.
"""

import argparse
import json
import pathlib
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE.parent / "programs"
sys.path.insert(0, str(HERE.parent / "support"))
from heddle_tool import Failure, Heddle  # noqa: E402
from program_head import ProgramHead  # noqa: E402

STRATEGIES = ["random", "random:switch=0.05", "pct", "pctwm", "pos", "surw", "fuzz", "auto"]
LEVELS = ["-O0", "-O2"]  # the test of each program takes -O1
# Programs that end under every strategy, and the kind of bug that they have.
ENDING = {
    "correct/poll_over_data.cpp": None,
    "correct/poll_while_reading.c": None,
    "correct/poll_in_library.cpp": None,
    "correct/starved_by_stores.cpp": None,
    "correct/spin_barrier.c": None,
    "correct/poll_clocks.cpp": None,
    "correct/strict_sleep.cpp": None,
    "wrong/race_volatile_spin.c": "race",
}
# Programs for heddle verify, with their number of complete executions.
VERIFIED = {
    "correct/spin_barrier.c": 2,
    "correct/counted_reads.c": 1,
}


def kinds_of(run):
    return {finding["kind"] for finding in run.result.get("findings", [])}


def check_ending(heddle, source, bug, compiler, level):
    head = ProgramHead(source)
    program = heddle.compile(source, compiler, [*head.flags, level])
    for strategy in STRATEGIES:
        run = heddle.test(program, "-n", 10, "--explain", "none", "-s", strategy, *head.options_without_strategy(), out=program.parent / "out")
        kinds = kinds_of(run)
        # A race may lead to what the program's head also permits.
        is_right = (bug in kinds and kinds <= head.permitted) if bug else not kinds
        if not is_right or run.code != (1 if bug else 0):
            raise Failure(f"{source.name} {compiler} {level} {strategy}: expected {bug or 'no bug'}\n{run.describe()}")


def check_verified(heddle, source, graphs, compiler, level):
    head = ProgramHead(source)
    program = heddle.compile(source, compiler, [*head.flags, level])
    result = program.parent / "result.json"
    run = heddle.run("verify", "--json", result, "--out", program.parent / "out", program)
    explored = json.loads(result.read_text())
    if run.code != 0 or not explored["all_explored"] or explored["executions"] != graphs:
        raise Failure(f"{source.name} {compiler} {level}: {graphs} executions were expected\n{run.describe()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="heddle's build folder")
    parser.add_argument("--cache", required=True, type=pathlib.Path, help="where to build programs")
    parser.add_argument("--compilers", default="gcc,clang", help="[gcc,clang]")
    arguments = parser.parse_args()
    heddle = Heddle(arguments.build, arguments.cache)
    try:
        for compiler in arguments.compilers.split(","):
            for level in LEVELS:
                for name, bug in ENDING.items():
                    check_ending(heddle, PROGRAMS / name, bug, compiler, level)
                for name, graphs in VERIFIED.items():
                    check_verified(heddle, PROGRAMS / name, graphs, compiler, level)
    except Failure as failure:
        print(failure)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
