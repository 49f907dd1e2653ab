#!/usr/bin/env python3
"""heddle verify on executions with many events, and on threads that do not end."""

import argparse
import json
import pathlib
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from heddle_tool import Failure, Heddle, processor_seconds  # noqa: E402


class Search:
    def __init__(self, heddle):
        self.heddle = heddle

    def verify(self, name, *options, arguments=(), seconds):
        source = HERE / "long_search" / name
        program = self.heddle.compile(source, flags=["-O1", "-g"])
        result = program.parent / "result.json"
        result.unlink(missing_ok=True)
        before = processor_seconds()
        run = self.heddle.run("verify", "--json", result, "--out", program.parent / "out", *options, program, *arguments)
        if processor_seconds() - before > seconds:
            raise Failure(f"took {processor_seconds() - before:.1f} s of processor time, more than {seconds}\n{run.describe()}")
        run.result = json.loads(result.read_text()) if result.exists() else {}
        if "internal error" in run.output:
            raise Failure(run.describe())
        return run


def expect(run, holds):
    if not holds:
        raise Failure(run.describe())


def kinds(run):
    return {finding["kind"] for finding in run.result["findings"]}


def check_many_events_of_one_thread(search):
    # The time was cubic in the number of events: 2,000 took hours.
    run = search.verify("increments.cpp", arguments=["2000"], seconds=20)
    expect(run, run.code == 0 and run.result["all_explored"] and run.result["executions"] == 1)


def check_thread_that_never_ends(search):
    run = search.verify("endless.cpp", "--bound-events", "100", seconds=60)
    expect(run, run.code == 1 and kinds(run) == {"assert"})
    run = search.verify("endless.cpp", "--max-events", "20000", "-n", "1", seconds=60)
    expect(run, run.code == 3 and kinds(run) == {"limit"} and "T0.3 made" in run.output)


def check_progress_inside_the_library(search):
    run = search.verify("library_loop.c", arguments=["-x"] * 8, seconds=20)
    expect(run, "livelock" not in kinds(run))
    expect(run, run.code == 0 or "progress that heddle does not see" in run.output)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, help="heddle's build folder")
    parser.add_argument("--cache", required=True, type=pathlib.Path, help="where to build programs")
    arguments = parser.parse_args()
    search = Search(Heddle(arguments.build, arguments.cache))
    try:
        check_many_events_of_one_thread(search)
        check_thread_that_never_ends(search)
        check_progress_inside_the_library(search)
    except Failure as failure:
        print(failure)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
