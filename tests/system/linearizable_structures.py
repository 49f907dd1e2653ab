#!/usr/bin/env python3
"""The data structures of linearizability/structures: `heddle verify` proves the right ones for all clients of a size, and finds the broken
ones with few calls; `heddle test` finds them, too. Their traces replay, and the sentence names the calls that contradict each other.

The short form has a part of the structures, one broken twin of each, and small clients. --full has all of them, 5 calls on two
threads and 4 on three where that ends within minutes, and clang."""
import dataclasses
import pathlib
import re
import sys
import time

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))
from heddle_tool import Failure, run_checks  # noqa: E402

STRUCTURES = ROOT / "tests" / "system" / "linearizability" / "structures"
# The clients of 5 calls of a broken structure have an initial part of up to two calls.
MOST_CALLS = 7
# Of processor time, the explanation included.
MOST_SECONDS = 10


@dataclasses.dataclass
class Broken:
    sentence: str  # a regular expression
    kind: str = "linearizability"
    calls: tuple = (4, 3)  # on two threads and on three
    sampled: bool = False  # a search would take too long


@dataclasses.dataclass
class Structure:
    broken: list
    short: tuple = (3, 2)  # calls on two threads and on three
    full: tuple = (5, 4)


def contradiction(*calls):
    """The sentence for results that contradict each other, with the threads' names where they are needed."""
    both = "both " if len(calls) == 2 else ""
    return f"no order of the calls explains {both}{' and '.join(re.escape(call) + r'(?: in T[0-9.]+)?' for call in calls)}"


def alone(*calls):
    return contradiction(*calls) + "$"


TABLE = {
    "chase_lev_deque": Structure([
        Broken(alone("steal() = 2", "take() = 2")),
        Broken(alone("steal() = 0")),
        Broken(alone("take() = 1", "steal() = 1"))]),
    "counter": Structure([
        Broken(alone("increment() = 0", "increment() = 0")),
        Broken(contradiction("increment() = 0", "get() = 1") + re.escape(": increment() = 1 happens before get() = 1") + "$")]),
    "elimination_stack": Structure([
        Broken(alone("pop() = 3", "pop() = 3")),
        Broken(alone("pop() = 0"))]),
    "harris_list": Structure([
        Broken(contradiction("contains(2) = false") + re.escape(": insert(2) = true happens before this call") + "$"),
        Broken(contradiction("erase(2) = true", "contains(2) = true")
               + re.escape(": erase(2) = true happens before contains(2) = true") + "$"),
        Broken("heap block", kind="race")], full=(4, 3)),
    "hash_set": Structure([
        Broken(contradiction("contains(2) = false", "contains(1) = false") + re.escape(
            ": insert(1) = true happens before contains(2) = false, and insert(2) = true happens before contains(1) = false")),
        Broken(contradiction("erase(1) = false", "contains(1) = false")
               + re.escape(": insert(1) = true happens before contains(1) = false"))]),
    "herlihy_wing_queue": Structure([
        Broken(contradiction("pop() = 2", "drain() = 1") + re.escape(
            ": push(1) happens before push(2), and pop() = 2 happens before drain() = 1")),
        Broken(alone("pop() = 1", "pop() = 1"))]),
    "lazy_list": Structure([
        Broken(contradiction("contains(2) = false") + re.escape(": insert(2) = true happens before this call") + "$"),
        Broken(alone("insert(1) = true", "insert(1) = true")),
        Broken(contradiction("contains(2) = false") + re.escape(": insert(2) = true happens before this call") + "$")],
        full=(4, 3)),
    "mcs_lock": Structure([
        Broken(alone("increment() = 0", "increment() = 0")),
        Broken(alone("increment() = 0", "increment() = 0"))]),
    "michael_scott_queue": Structure([
        Broken(alone("pop() = 0")),
        Broken(alone("pop() = 0")),
        Broken(contradiction("pop() = empty", "pop() = 1") + ": push" + re.escape(
            "(1) happens before pop() = empty in T0.1, and pop() = empty in T0.1 happens before pop() = 1"))]),
    "reader_writer_register": Structure([
        Broken(alone("load() = 2, 1")),
        Broken(alone("load() = 2, 1"))]),
    "semaphore": Structure([
        Broken(alone("try_acquire() = true", "try_acquire() = true")),
        Broken(contradiction("try_acquire() = true", "try_acquire() = true") + ": release" + re.escape(
            "() happens before try_acquire() = false in T0.1, and try_acquire() = false in T0.1 happens before try_acquire() = true"))]),
    # Each operation makes many accesses of one word, so there are many executions. The second twin has not been found.
    "snark_deque": Structure([Broken("pop_(front|back)", sampled=True)], short=(2, 1), full=(2, 2)),
    "ticket_lock": Structure([
        Broken(alone("increment() = 0", "increment() = 0")),
        Broken("the threads that are left spin for ever", kind="livelock")]),
    "treiber_stack": Structure([
        Broken(alone("pop() = 0")),
        Broken(alone("pop() = 1", "pop() = 1"))]),
    "vyukov_mpmc_queue": Structure([
        Broken(alone("pop() = 0")),
        Broken(alone("pop() = 1", "pop() = 1")),
        Broken(contradiction("pop() = 1", "push(4) = false") + re.escape(": pop() = 1 happens before push(4) = false"))]),
    "vyukov_spsc_queue": Structure([
        Broken(alone("pop() = 0")),
        Broken(contradiction("pop() = empty") + re.escape(": push(2) happens before this call") + "$")]),
}


# Compilation takes most of the time.
SHORT = ("chase_lev_deque", "harris_list", "herlihy_wing_queue", "lazy_list", "mcs_lock", "michael_scott_queue", "snark_deque",
         "treiber_stack", "vyukov_mpmc_queue")


def check_right(heddle, folder, program, sizes):
    run = heddle.test(program, "-s", "exhaustive", arguments=(0, *sizes), out=folder / "out", timeout=7000)
    clients = run.result.get("clients", {})
    if run.code != 0 or not run.result["all_explored"] or f"all {clients.get('count')} clients" not in run.output:
        raise Failure(f"the right one is not proved\n{run.describe()}")
    return clients["count"], run.result["executions"]


def check_broken(heddle, folder, program, variant, broken, is_full):
    arguments = (variant, *broken.calls)
    ways = [] if broken.sampled else [["-s", "exhaustive"]]
    if is_full or broken.sampled:
        ways.append(["--seed", "1", "-n", "100000"])
    for way in ways:
        run = heddle.test(program, *way, "--stop-on-bug", "--explain", "none", arguments=arguments, out=folder / "out")
        findings = [finding for finding in run.result.get("findings", []) if finding["kind"] == broken.kind]
        if run.code != 1 or not findings:
            raise Failure(f"variant {variant} is not found, or as something else\n{run.describe()}")
        if run.result["seconds"] > MOST_SECONDS and way[0] == "-s":
            print(f"{program.name} {variant}: found after {run.result['seconds']:.1f} s")
        finding = findings[0]
        # Sampling may find another client first, with another sentence.
        text = finding["message"] if broken.kind == "linearizability" else run.output
        if (way[0] == "-s" or broken.sampled) and not re.search(broken.sentence, text):
            raise Failure(f"variant {variant}: the sentence is '{finding['message']}'\n{run.describe()}")
        if broken.kind == "linearizability":
            check_calls(finding, run)
        again = heddle.replay(finding["trace"])
        same = [other for other in again.result.get("findings", []) if other["key"] == finding["key"]]
        if not same or same[0].get("calls") != finding.get("calls") or same[0]["message"] != finding["message"]:
            raise Failure(f"variant {variant} does not replay, or with other calls\n{again.describe()}")


def check_calls(finding, run):
    if not any(call["is_unexplained"] for call in finding["calls"]):
        raise Failure(f"no call is unexplained\n{run.describe()}")
    if len([call for call in finding["calls"] if call["thread"] != "T0"]) > MOST_CALLS:
        raise Failure(f"the client is large\n{run.describe()}")


def check(heddle, folder, arguments):
    for compiler in ["gcc", "clang"] if arguments.full else ["gcc"]:
        for name, structure in TABLE.items():
            if not arguments.full and name not in SHORT:
                continue
            program = heddle.compile(STRUCTURES / f"{name}.cpp", compiler, ["-std=c++20", "-O1", "-g"])
            try:
                start = time.monotonic()
                clients, executions = check_right(heddle, folder, program, structure.full if arguments.full else structure.short)
                print(f"{name}: {clients} clients, {executions} executions, {time.monotonic() - start:.1f} s", flush=True)
                for variant, broken in enumerate(structure.broken, 1):
                    if not arguments.full and variant != len(structure.broken):
                        continue
                    check_broken(heddle, folder, program, variant, broken, arguments.full)
            except Failure as failure:
                raise Failure(f"{name}: {failure}") from None


sys.exit(run_checks(__doc__, check, lambda parser: parser.add_argument("--full", action="store_true", help="large clients, and clang")))
