#!/usr/bin/env python3
"""The data structures of examples/linearizability are proved; broken ones are found with few calls, by the exhaustive search and by
auto, and their traces replay. Tests that are wrong themselves are refused with a sentence."""
import pathlib
import re
import sys

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))
from heddle_tool import Failure, run_checks  # noqa: E402

EXAMPLES = ROOT / "examples" / "linearizability"
BAD = ROOT / "tests" / "system" / "linearizability" / "bad_input.cpp"
FLAGS = ["-std=c++17", "-O1", "-g"]
BOUNDS = {"queue": "4 calls on 2 threads and 3 calls on 3 threads", "stack": "4 calls on 2 threads and 3 calls on 3 threads",
          "set": "3 calls on 2 threads"}
# What the sentence of each broken structure says.
UNEXPLAINED = {"queue": "pop() = 0", "stack": "pop() = 0", "set": "contains("}

COMPILE_TIME = {1: "must be copyable", 2: "takes other arguments than the subject's", 3: "cannot be compared with =="}
RUN_TIME = {4: "the specification has thrown an exception: not today", 5: "the specification makes atomic operations",
            6: "names no operation", 7: "'pop', which was not added before", 8: "'look' never has an empty result",
            9: "1 to 8 calls"}


def check_right(heddle, folder, name, compiler):
    program = heddle.compile(EXAMPLES / f"{name}.cpp", compiler, FLAGS)
    run = heddle.test(program, "-s", "exhaustive", out=folder / "out")
    if run.code != 0 or not run.result["all_explored"]:
        raise Failure(f"{name} is not proved\n{run.describe()}")
    if run.result["clients"]["bounds"] != BOUNDS[name] or f"all {run.result['clients']['count']} clients" not in run.output:
        raise Failure(f"{name}: the clients are not counted\n{run.describe()}")


def check_broken(heddle, folder, name, compiler):
    program = heddle.compile(EXAMPLES / f"{name}.cpp", compiler, [*FLAGS, "-DBROKEN"])
    for options in (["-s", "exhaustive"], ["--seed", "1", "-n", "3000"]):
        run = heddle.test(program, *options, "--stop-on-bug", "--explain", "none", out=folder / "out")
        findings = run.result.get("findings", [])
        if run.code != 1 or [finding["kind"] for finding in findings] != ["linearizability"]:
            raise Failure(f"{name} with BROKEN is not found, or as something else\n{run.describe()}")
        finding = findings[0]
        if f"no order of the calls explains {UNEXPLAINED[name]}" not in finding["message"]:
            raise Failure(f"{name}: the sentence is wrong\n{run.describe()}")
        if len([call for call in finding["calls"] if call["thread"] != "T0"]) > 4:
            raise Failure(f"{name}: the client is large\n{run.describe()}")
        check_calls(finding, run)
        again = heddle.replay(finding["trace"])
        same = [other for other in again.result.get("findings", []) if other["key"] == finding["key"]]
        if not same or same[0]["calls"] != finding["calls"]:
            raise Failure(f"{name} does not replay, or with other calls\n{again.describe()}")


def check_calls(finding, run):
    """The order of the calls is a partial order, program order is a part of it, and reasons are."""
    calls = finding["calls"]
    for i, call in enumerate(calls):
        before = set(call["before"])
        if any(call["thread"] == calls[j]["thread"] and j not in before for j in range(i)):
            raise Failure(f"the order of the calls does not contain program order\n{run.describe()}")
        if any(not set(calls[j]["before"]) <= before for j in before) or i in before or not set(call["reasons"]) <= before:
            raise Failure(f"the order of the calls is no order\n{run.describe()}")
        if call["call"] not in run.output:
            raise Failure(f"the table does not have {call['call']}\n{run.describe()}")


def check_orders(heddle, folder):
    """Histories that no order explains count as bugs of memory orders: heddle fix finds the release, heddle weaken keeps it."""
    broken = heddle.compile(EXAMPLES / "queue.cpp", "gcc", [*FLAGS, "-DBROKEN"])
    run = heddle.run("fix", "--out", folder / "out", broken)
    if run.code != 0 or not re.search(r"fix 1 of 1, sampled.*\n.*queue.hpp:24:45 +compare_exchange +relaxed -> release ", run.output):
        raise Failure(f"another fix of the queue\n{run.describe()}")
    right = heddle.compile(EXAMPLES / "queue.cpp", "gcc", FLAGS)
    run = heddle.run("weaken", "--out", folder / "out", right)
    if run.code != 0 or "these are all answers" not in run.output or "queue.hpp:24:45" in run.output:
        raise Failure(f"another answer for the queue\n{run.describe()}")


def check_bad_input(heddle, folder):
    for case, sentence in COMPILE_TIME.items():
        run = heddle.run("c++", *FLAGS, f"-DCASE={case}", BAD, "-o", folder / "bad")
        if run.code == 0 or sentence not in run.output:
            raise Failure(f"case {case} compiles, or without the sentence\n{run.describe()}")
    for case, sentence in RUN_TIME.items():
        program = heddle.compile(BAD, "gcc", [*FLAGS, f"-DCASE={case}"])
        run = heddle.run("test", "-n", "200", "--out", folder / "out", program)
        if run.code != 3 or sentence not in run.output:
            raise Failure(f"case {case} is not refused, or without the sentence\n{run.describe()}")
    program = heddle.compile(BAD, "gcc", [*FLAGS, "-DCASE=0"])
    run = heddle.run("verify", "--out", folder / "out", program)
    if run.code != 0 or "all explored, all " not in run.output:
        raise Failure(f"the right test is not proved\n{run.describe()}")


def check(heddle, folder, _):
    check_bad_input(heddle, folder)
    check_orders(heddle, folder)
    for compiler in ("gcc", "clang"):
        for name in BOUNDS:
            check_broken(heddle, folder, name, compiler)
            if compiler == "gcc" or name == "queue":
                check_right(heddle, folder, name, compiler)


if __name__ == "__main__":
    sys.exit(run_checks(__doc__, check))
