#!/usr/bin/env python3
"""heddle fix on programs whose bugs are memory orders: examples, tests/programs/wrong/ and tests/system/fixes/.

--apply writes the cheapest answer into a copy of the source. heddle verify proves that copy right. No answer is larger than it needs to be: with
any of its changes a step weaker, verify finds a bug. If there are at most --brute-force choices of orders, all of them are run, and the answers are
the weakest right ones. JSON and SARIF fit their schemas. Also: bugs that no order cures, changes that heddle cannot write, and searches
that are stopped.

  order_fixes.py --build BUILD --cache CACHE [--compiler gcc] [--level -O1] [--brute-force N] [--all]
"""

import itertools
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "support"))
sys.path.insert(1, str(HERE))
from heddle_tool import GUARD_SECONDS, Failure, run_checks  # noqa: E402
from machine_reports import Validator  # noqa: E402
from order_reports import NAMES, ask, changes_of  # noqa: E402
from order_sites import FENCE, LOAD, STEPS_DOWN, STORE, UPDATE  # noqa: E402

PROGRAMS = [f"examples/{name}" for name in (
    "dekker_broken.c", "double_checked_locking_broken.cpp", "iriw_acquire.cpp", "message_passing_relaxed.cpp", "reference_count_relaxed.cpp",
    "seqlock_broken.cpp", "spinlock_broken.cpp", "spsc_ring_broken.cpp", "store_buffering.c")]
PROGRAMS += [f"tests/programs/wrong/{name}" for name in (
    "assert_iriw_relaxed.c", "assert_message_passing.c", "assert_one_sided_fence.cpp", "deadlock_inside_atomic_wait.cpp",
    "race_atomic_construction.cpp", "race_atomic_wait_relaxed.cpp", "race_detached_ended.cpp", "race_mapped_memory.cpp", "race_mutex_deleted.cpp",
    "race_one_fence.c", "race_release_sequence.cpp", "race_ring_elements.cpp", "race_struct_array.c", "race_with_large_allocation.cpp")]
QUICK = ("dekker_broken.c", "iriw_acquire.cpp", "seqlock_broken.cpp", "spinlock_broken.cpp", "race_one_fence.c", "compare_exchange_lock.c",
         "wrong_fence.c")
# clang's optimiser moves the write of `next` behind the relaxed exchange. No order of the compiled program cures that.
MOVED = {"stack_push.c"}
ORDERS = {"load": LOAD, "cas-failure": LOAD, "store": STORE, "rmw": UPDATE, "cas": UPDATE, "fence": FENCE}


def flags_of(source, options):
    return ["-std=c++20" if source.suffix == ".cpp" else "-std=gnu11", "-g", options.level]


def is_at_most(order, other, orders):
    """Whether an order is weaker than another, or the same."""
    if order == other or order == "none" or (order == "relaxed" and other != "none"):
        return True
    return any(is_at_most(order, below, orders) for below in STEPS_DOWN[other])


class Oracle:
    """Which choices of orders heddle verify finds right."""

    def __init__(self, heddle, program, name, folder):
        self.heddle, self.program, self.name, self.folder = heddle, program, name, folder
        self.known = {}

    def is_right(self, choice):
        """`choice`: {(line, column, operation): order}"""
        key = tuple(sorted(choice.items()))
        if key not in self.known:
            text = ",".join(f"{self.name}:{line}:{column}/{operation}={order}" for (line, column, operation), order in key)
            words = ["--orders", text] if text else []
            run = self.heddle.run("verify", "-q", "--explain", "none", "--out", self.folder / "out", *words, self.program)
            if run.code not in (0, 1) or (run.code == 0 and "all explored" not in run.output):
                raise Failure(f"neither right nor wrong\n{run.describe()}")
            self.known[key] = run.code == 0
        return self.known[key]


def sites_of(result):
    """{(line, column, operation): order of the program}, of what was executed in the program's own source."""
    return {(site["line"], site.get("column", 0), NAMES[site["operation"]]): site["order"] for site in result["sites"]
            if site["order"] and not site["file"].startswith("/usr/")}


def weaker_steps(change, own):
    """The change, one step weaker, but not weaker than the program's order."""
    (key, order) = change
    orders = ORDERS[key[2]]
    below = [step for step in orders if step != order and is_at_most(own[key], step, orders) and is_at_most(step, order, orders)]
    return [step for step in below if not any(step != other and is_at_most(step, other, orders) for other in below)]


def check_no_smaller(oracle, run, own):
    for answer in run.result["answers"]:
        changes = changes_of(run.result, answer)
        if not oracle.is_right(changes):
            raise Failure(f"the fix does not cure: {answer['orders']}\n{run.describe()}")
        for key, order in changes.items():
            for step in weaker_steps((key, order), own) if key in own else []:
                smaller = {other: wanted for other, wanted in {**changes, key: step}.items() if wanted != own[other]}
                if oracle.is_right(smaller):
                    raise Failure(f"{key}: {step} is enough\n{run.describe()}")


def check_by_brute_force(oracle, run, own, most):
    ranges = [[order for order in ORDERS[key[2]] if is_at_most(order_now, order, ORDERS[key[2]])] for key, order_now in own.items()]
    count = 1
    for orders in ranges:
        count *= len(orders)
    if count > most:
        return 0
    right = []
    for orders in itertools.product(*ranges):
        choice = {key: order for key, order in zip(own, orders) if order != own[key]}
        if oracle.is_right(choice):
            right.append(orders)

    def is_below(left, choice):
        return left != choice and all(is_at_most(one, other, ORDERS[key[2]]) for key, one, other in zip(own, left, choice))

    least = [choice for choice in right if not any(is_below(other, choice) for other in right)]
    found = sorted(tuple(changes_of(run.result, answer).get(key, order) for key, order in own.items()) for answer in run.result["answers"])
    if sorted(least) != found:
        raise Failure(f"brute force finds {sorted(least)}\n{run.describe()}")
    return count


def check_reports(validator, folder, run):
    validator.check(validator.json["orders"], run.result, "the JSON")
    sarif = json.loads((folder / "r.sarif").read_text())
    for schema in validator.sarif:
        validator.check(schema, sarif, "the SARIF")
    results = sarif["runs"][0]["results"]
    if len(results) != len(run.result["answers"][0]["changes"]) or not results[0]["fixes"]:
        raise Failure(f"a result for each change expected, the first with all edits\n{run.describe()}\n{sarif}")
    page = (folder / "r.html").read_text()
    if page.count('<tr class="weak">') != len({change["site"] for change in run.result["answers"][0]["changes"]}):
        raise Failure(f"the page does not colour the changed lines\n{run.describe()}")


def check_fix(heddle, validator, folder, source, options):
    """Returns how many choices brute force has run."""
    folder.mkdir()
    copy = folder / source.name
    shutil.copy(source, copy)
    program = heddle.compile(copy, compiler=options.compiler, flags=flags_of(source, options))
    if source.name in MOVED and options.compiler != "gcc" and options.level != "-O0":
        return 0
    run = ask(heddle, "fix", program, options=["--apply", "--sarif", "r.sarif", "--html", "r.html"], code=0, cwd=folder)
    if not run.result["answers"] or not run.result["complete"] or not all(answer["proved"] for answer in run.result["answers"]):
        raise Failure(f"all answers with proofs expected\n{run.describe()}")
    if copy.read_text() == source.read_text():
        raise Failure(f"the source was not changed\n{run.describe()}")
    check_reports(validator, folder, run)
    own = sites_of(run.result)
    oracle = Oracle(heddle, program, source.name, folder)
    check_no_smaller(oracle, run, own)
    count = check_by_brute_force(oracle, run, own, options.brute_force)
    after = heddle.run("verify", "-q", "--out", folder / "out", heddle.compile(copy, compiler=options.compiler, flags=flags_of(source, options)))
    if after.code != 0 or "all explored" not in after.output:
        raise Failure(f"the changed source is not right\n{run.describe()}\n{copy.read_text()}\n{after.describe()}")
    return count


def check_incurable(heddle, options):
    source = HERE / "order_fixes" / "two_bugs.cpp"
    run = ask(heddle, "fix", heddle.compile(source, compiler=options.compiler, flags=flags_of(source, options)), code=1)
    incurable = run.result["incurable"]
    plain = {(access["line"], access["access"]) for bug in incurable for access in bug.get("to_become_atomic", [])}
    orders = [sorted(change["to"] for change in answer["changes"]) for answer in run.result["answers"]]
    if plain != {(14, "write of 1 byte"), (17, "read of 1 byte")} or orders != [["acquire", "release"]]:
        raise Failure(f"a fix for the first bug, and the accesses of `stop` expected\n{run.describe()}")
    for line in ("heddle: no memory order cures these\n", "two_bugs.cpp:14 has to become atomic: write of 1 byte\n"):
        if line not in run.output:
            raise Failure(f"'{line}' expected\n{run.describe()}")


def check_refused(heddle, folder, options):
    """--apply writes all changes, or none."""
    folder.mkdir()
    source = HERE / "order_odd_sites" / "c11_operators.c"
    copy = folder / source.name
    shutil.copy(source, copy)
    run = ask(heddle, "weaken", heddle.compile(copy, compiler=options.compiler, flags=flags_of(source, options)), options=["--apply"], code=3)
    if copy.read_text() != source.read_text() or "3 of the 5 changes are to be made by hand" not in run.output:
        raise Failure(f"nothing should be written\n{run.describe()}")


def check_stopped(heddle, folder, options):
    """A search that would take minutes, and is stopped. How much was done until then does not matter."""
    source = ROOT / "benchmarks" / "orders" / "chase_lev_deque.cpp"
    program = heddle.compile(source, compiler=options.compiler, flags=flags_of(source, options))
    run = ask(heddle, "weaken", program, options=["--no-witnesses", "--time", "1ms"])
    if run.code != 0 or run.result["complete"] or "heddle: the search was stopped: this is what it had found\n" not in run.output:
        raise Failure(f"an unfinished search expected\n{run.describe()}")
    process = subprocess.Popen([str(heddle.command), "weaken", "--no-witnesses", "--out", str(folder / "out"), str(program)],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, **heddle.environment})
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    output = process.communicate(timeout=GUARD_SECONDS)[0]
    if "heddle: the search was stopped: this is what it had found\n" not in output and "interrupted before the first trial" not in output:
        raise Failure(f"a report expected after Ctrl-C, exit code {process.returncode}:\n{output}")


def check(heddle, folder, options):
    validator = Validator([])
    sources = [ROOT / name for name in PROGRAMS] + sorted((HERE / "fixes").glob("*.c"))
    checked = choices = 0
    for source in sources:
        if options.all or source.name in QUICK:
            choices += check_fix(heddle, validator, folder / source.name, source, options)
            checked += 1
    check_incurable(heddle, options)
    check_refused(heddle, folder / "refused", options)
    check_stopped(heddle, folder, options)
    print(f"{checked} programs fixed, {choices} choices of orders run by brute force")


def options(parser):
    parser.add_argument("--compiler", default="gcc")
    parser.add_argument("--level", default="-O1")
    parser.add_argument("--brute-force", type=int, default=20, metavar="N")
    parser.add_argument("--all", action="store_true")


if __name__ == "__main__":
    sys.exit(run_checks(__doc__, check, options))
