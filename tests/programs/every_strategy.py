#!/usr/bin/env python3
"""A correct program stays clean under every strategy. The program's head says with which flags, arguments and options."""
import argparse
import pathlib
import shlex
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from heddle_tool import Failure, Heddle  # noqa: E402
from program_head import ProgramHead  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--build", required=True, help="heddle's build folder")
    parser.add_argument("--cache", required=True, type=pathlib.Path, help="where to build programs")
    parser.add_argument("--compiler", default="gcc", help="gcc, clang, clang-16, clang-19 [gcc]")
    parser.add_argument("--flags", default="", help="compiler flags, after those of the program")
    parser.add_argument("--runs", type=int, default=1000, help="executions of each strategy [1000]")
    parser.add_argument("--time", help="end each strategy after this time, such as 10s")
    arguments = parser.parse_args()
    heddle = Heddle(arguments.build, arguments.cache)
    failed = 0
    try:
        head = ProgramHead(arguments.source)
        if head.one_of:
            raise Failure(f"{arguments.source} is not a correct program")
        program = heddle.compile(arguments.source, arguments.compiler, head.flags + shlex.split(arguments.flags))
        limits = ["-n", arguments.runs] + (["-t", arguments.time] if arguments.time else [])
        for strategy in (each["name"] for each in heddle.strategies() if each["name"] != "exhaustive"):
            run = heddle.test(program, "--explain", "none", *head.options_without_strategy(), "-s", strategy, *limits,
                              arguments=head.arguments, out=program.parent / "out", timeout=36000)
            print(f"{arguments.source.stem} {strategy}: {run.output.splitlines()[-1] if run.output else ''}", flush=True)
            is_complete = run.result.get("executions") == arguments.runs or arguments.time
            unexpected = {finding["kind"] for finding in run.result.get("findings", [])} - head.defects
            if run.code not in ((0, 1) if head.defects else (0,)) or unexpected or not is_complete:
                failed += 1
                print(run.describe())
    except Failure as failure:
        print(failure)
        failed += 1
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
