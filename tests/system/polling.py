#!/usr/bin/env python3
"""Threads that poll volatile or plain memory, and loops that wait although they write, under heddle test and heddle verify,
with gcc and clang, at several levels of optimisation.

A loop that makes progress ends. A loop that waits lets the other threads run, and adds no executions to a search.
"""

import pathlib
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from heddle_tool import Failure, run_checks  # noqa: E402

LEVELS = ["-O0", "-O1", "-O2"]
COMPILERS = ["gcc", "clang"]
# Each execution ends long before --timeout, so a limit in the findings is a failure.
SAMPLING = [["-s", "random", "-n", "20"], ["-n", "40"]]


def programs(heddle, name, *flags, levels=LEVELS, compilers=COMPILERS):
    for compiler in compilers:
        for level in levels:
            yield heddle.compile(HERE / "polling" / name, compiler=compiler, flags=[level, "-g", *flags])


def expect(run, kinds, code):
    found = {finding["kind"] for finding in run.result.get("findings", [])}
    if found != set(kinds) or run.code != code:
        raise Failure(f"found {sorted(found)} instead of {sorted(kinds)}, or another exit code than {code}\n{run.describe()}")


def check_replays(heddle, run):
    for finding in run.result["findings"]:
        again = heddle.replay(finding["trace"])
        if finding["key"] not in {found["key"] for found in again.result.get("findings", [])}:
            raise Failure(f"the replay shows something else\n{run.describe()}\n{again.describe()}")


def check_clean(heddle, folder, name, *flags, graphs=(), **choice):
    for program in programs(heddle, name, *flags, **choice):
        for options in SAMPLING:
            expect(heddle.test(program, "--explain", "none", *options, out=folder / "out"), [], 0)
        for model in ("rc11", "c11"):
            search = heddle.test(program, "--explain", "none", "-s", "exhaustive", "-m", model, out=folder / "out")
            expect(search, [], 0)
            if not search.result["all_explored"] or graphs and search.result["executions"] not in graphs:
                raise Failure(f"not all explored, or not {graphs} graphs\n{search.describe()}")


def check_race(heddle, folder, name, *flags, **choice):
    for program in programs(heddle, name, *flags, **choice):
        for options in (["-s", "random", "-n", "5"], ["-s", "exhaustive"]):
            run = heddle.test(program, "--explain", "none", *options, out=folder / "out")
            expect(run, ["race"], 1)
            check_replays(heddle, run)


def check_assembly(heddle, folder):
    """The loop ends, and no search is a proof."""
    for program in programs(heddle, "assembly.c", levels=["-O1", "-O2"]):
        expect(heddle.test(program, "-s", "random", "-n", "2", out=folder / "out"), [], 0)
        search = heddle.test(program, "--explain", "none", "-s", "exhaustive", out=folder / "out")
        expect(search, [], 3)
        if "a thread polls" not in search.output:
            raise Failure(f"it does not say why there is no proof\n{search.describe()}")


def check_lock_of_assembly(heddle, folder):
    """What seems to race is a warning, and its consequences are not looked for. No search is a proof."""
    for program in programs(heddle, "assembly_lock.c"):
        for options, code in ((["-n", "40"], 0), (["-s", "exhaustive"], 3)):
            run = heddle.test(program, "--explain", "none", *options, out=folder / "out")
            expect(run, ["race"], code)
            if not run.result["findings"][0].get("warning") or "inline assembly with a lock prefix" not in run.output:
                raise Failure(f"it is no warning, or does not say why\n{run.describe()}")


def check_livelock(heddle, folder):
    """No thread does what the loop waits for."""
    for program in programs(heddle, "lock_and_look.c", "-DNEEDED=3"):
        expect(heddle.test(program, "--explain", "none", "-s", "exhaustive", out=folder / "out"), ["livelock"], 1)


def check_all(heddle, folder, _):
    check_clean(heddle, folder, "bound.c", graphs=[1])
    check_clean(heddle, folder, "bound_of_threads.c", graphs=[4])
    check_clean(heddle, folder, "computation.c", graphs=[2])
    check_race(heddle, folder, "work.c")
    # clang announces accesses to members of a function's own variables at -O0 only (docs/unsupported.md).
    check_race(heddle, folder, "own_stack.cpp", compilers=["gcc"])
    check_race(heddle, folder, "own_stack.cpp", compilers=["clang"], levels=["-O0"])
    check_race(heddle, folder, "plain.c")
    check_race(heddle, folder, "plain.c", "-DCOUNTS")
    check_clean(heddle, folder, "own_stores.c", graphs=[6])
    check_clean(heddle, folder, "lock_and_look.c", "-DNEEDED=2", graphs=[2])
    check_livelock(heddle, folder)
    check_assembly(heddle, folder)
    check_lock_of_assembly(heddle, folder)


if __name__ == "__main__":
    sys.exit(run_checks(__doc__, check_all))
