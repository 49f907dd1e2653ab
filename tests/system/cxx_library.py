#!/usr/bin/env python3
"""Containers, strings and streams of the C++ library, whose code is not instrumented: a race is found in every use by two
threads that the C++ standard does not allow, and in no other."""

import json
import pathlib
import re
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from heddle_tool import Failure, run_checks  # noqa: E402

SOURCE = HERE / "cxx_library" / "calls.cpp"
# With C++17, functions of strings are in the library. LLVM's containers and paths are in its headers.
WAYS = [("gcc", "-O0"), ("gcc", "-O2"), ("clang", "-O0"), ("clang", "-O1"), ("clang-19", "-O1", "-stdlib=libc++")]
IN_HEADERS = ("map_", "set_", "list_", "path_", "read_lines")


def cases(macro):
    return set(re.findall(rf"^{macro}\((\w+)\)", SOURCE.read_text(), re.MULTILINE))


def racing(run):
    """The cases with a race, from the functions on the stacks of the findings."""
    return {match for finding in run.result["findings"]
            for match in re.findall(r"\b(\w+)::(?:first|second)\b", json.dumps(finding))}


def check(heddle, folder, compiler, flags):
    wanted, clear = cases("RACE"), cases("CLEAR")
    program = heddle.compile(SOURCE, compiler, ["-std=c++17", "-g", *flags])
    needed = {name for name in wanted if "-stdlib=libc++" not in flags or not name.startswith(IN_HEADERS)}
    for how in ("race", "locked", "ordered"):
        # The first execution shows all races. What follows from them in others does not matter here.
        run = heddle.test(program, "--explain", "none", "-s", "random", "-n", 1, "-j", 1, "--stop-on-bug", arguments=[how],
                          out=folder / "out")
        where = f"{compiler} {' '.join(flags)}, {how}"
        kinds, found = {finding["kind"] for finding in run.result["findings"]}, racing(run)
        if kinds - {"race"} or run.code != (1 if how == "race" else 0):
            raise Failure(f"{where}: findings of the kinds {sorted(kinds)}\n{run.describe()}")
        false = found & clear if how == "race" else found
        missing = needed - found if how == "race" else set()
        if missing or false:
            raise Failure(f"{where}: no race in {sorted(missing)}, a race in {sorted(false)}\n{run.describe()}")


def check_all(heddle, folder, _):
    for compiler, *flags in WAYS:
        check(heddle, folder, compiler, flags)


if __name__ == "__main__":
    sys.exit(run_checks(__doc__, check_all))
