#!/usr/bin/env python3
"""A correct program stays clean under every strategy."""
import argparse
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from heddle_tool import Failure, Heddle  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--build", required=True, help="heddle's build folder")
    parser.add_argument("--cache", required=True, type=pathlib.Path, help="where to build programs")
    parser.add_argument("--runs", type=int, default=1000, help="executions of each strategy [1000]")
    arguments = parser.parse_args()
    heddle = Heddle(arguments.build, arguments.cache)
    failed = 0
    try:
        program = heddle.compile(arguments.source, "gcc", ["-std=c++20", "-O1", "-g"])
        for strategy in (each["name"] for each in heddle.strategies() if each["name"] != "exhaustive"):
            run = heddle.test(program, "-s", strategy, "-n", arguments.runs, out=program.parent / "out", timeout=3600)
            print(f"{arguments.source.stem} {strategy}: {run.output.splitlines()[-1] if run.output else ''}", flush=True)
            if run.code != 0 or run.result.get("executions") != arguments.runs:
                failed += 1
                print(run.describe())
    except Failure as failure:
        print(failure)
        failed += 1
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
