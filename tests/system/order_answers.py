#!/usr/bin/env python3
"""heddle weaken and orders on the programs of benchmarks/orders, whose orders are all seq_cst.

- weaken finds exactly the answers of order_programs.WEAKEST, each with a proof, for every -j and without witnesses. order_programs.py checks
  those answers with heddle verify, and by brute force where they are few.
- Witnesses save at least four of five runs, all programs that are run without them taken together.
- The changes of the cheapest answer are in its diff. The program that is compiled with them has the same answer: no order can be weaker.
- The audit of that program gives a trace that replays, and says the same as heddle verify does of each mutant: a copy of the
  source with one order that is one step weaker, compiled anew. --mutants says how many are compiled.

  order_answers.py --build BUILD --cache CACHE [--compiler gcc] [--level -O1] [--mutants N] [--all]
"""

import pathlib
import re
import shutil
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
sys.path.insert(1, str(HERE))
from heddle_tool import Failure, processor_seconds, run_checks  # noqa: E402
from order_programs import PROGRAMS, WEAKEST  # noqa: E402
from order_reports import ask, changes_of, patch  # noqa: E402
from order_sites import Assignments, entries_of  # noqa: E402

QUICK = ("mcs_lock", "peterson_lock", "treiber_stack", "sequence_lock", "spsc_ring")
FLAGS = ["-std=c++20", "-g"]


def assignments_of(run, entries):
    """The answers of weaken as the test writes them."""
    if not run.result.get("complete") or not all(answer["proved"] for answer in run.result["answers"]):
        raise Failure(f"all answers with proofs expected\n{run.describe()}")
    found = []
    for answer in run.result["answers"]:
        changes = changes_of(run.result, answer)
        keys = [(entry.line, entry.column, entry.operation) for entry in entries]
        if not changes.keys() <= set(keys):
            raise Failure(f"changes of unknown operations: {changes.keys() - set(keys)}\n{run.describe()}")
        found.append(tuple(changes.get(key, entry.orders[-1]) for key, entry in zip(keys, entries)))
    return sorted(found)


def expect_answers(run, source, options):
    found = assignments_of(run, entries_of(source, options.compiler))
    expected = sorted(tuple(answer.split()) for answer in WEAKEST[source.stem])
    if found != expected:
        raise Failure(f"{source.stem}: {expected} expected\n{run.describe()}")


class Runs:
    """How often programs were run, with and without witnesses."""

    def __init__(self):
        self.with_witnesses = self.without = 0


def check_weaken(heddle, program, source, options, runs):
    first = ask(heddle, "weaken", program, code=0)
    expect_answers(first, source, options)
    if source.stem != QUICK[0] and not options.all:
        return first
    for jobs in (2, 5) if options.all else (3,):
        expect_answers(ask(heddle, "weaken", program, options=["-j", jobs], code=0), source, options)
    without = ask(heddle, "weaken", program, options=["--no-witnesses", "-j", 2], code=0)
    expect_answers(without, source, options)
    runs.with_witnesses += first.result["search"]["trials"]
    runs.without += without.result["search"]["trials"]
    return first


def plain_copy(folder, source, kind="plain"):
    root = folder / f"{kind}-{source.stem}"
    for name in ("orders", "verify"):
        shutil.copytree(PROGRAMS.parent / name, root / "benchmarks" / name, ignore=shutil.ignore_patterns("[!a-z]*"))
    return root / "benchmarks" / "orders" / source.name


def weakened_copy(folder, run, source):
    """A copy of the benchmarks with the cheapest answer."""
    diff = run.result["answers"][0]["diff"]
    if run.result["answers"][0]["by_hand"]:
        raise Failure(f"the diff lacks changes\n{run.describe()}")
    copy = plain_copy(folder, source, "weakened")
    root = copy.parent.parent.parent
    patch(root, re.sub(r"^(---|\+\+\+) ([ab]/).*?(benchmarks/)", r"\1 \2\3", diff, flags=re.MULTILINE))
    return copy


def check_audit(heddle, copy, options, most):
    """Returns how many mutants were compared, and the processor time of the audit."""
    program = heddle.compile(copy, compiler=options.compiler, flags=[*FLAGS, options.level])
    before = processor_seconds()
    audit = ask(heddle, "orders", program, options=["--out", copy.parent / "traces"])
    seconds = processor_seconds() - before
    if any(site.get("verdict") == "needed" for site in audit.result["sites"]):
        check_replay(heddle, audit)
    entries = {(entry.line, entry.column, entry.operation): entry for entry in entries_of(copy, options.compiler)}
    compared, trials = 0, 0
    for site in audit.result["sites"]:
        for weaker in site.get("weaker", []):
            trials += 1
            if compared == most:
                continue
            compared += 1
            entry = next(entry for key, entry in entries.items()
                         if key[:2] == (site["line"], site["column"]) and operation_name(entry) == site["operation"])
            mutant = heddle.compile(mutate(copy, entry, weaker["order"]), compiler=options.compiler, flags=[*FLAGS, options.level])
            verdict = heddle.run("verify", "-q", "--explain", "none", "--out", copy.parent / "out", mutant)
            expected = {0: "right", 1: "wrong"}.get(verdict.code)
            if weaker["judgement"] != expected:
                raise Failure(f"{copy.stem}:{entry.line} {weaker['order']}: {expected} expected\n{verdict.describe()}\n{audit.describe()}")
    return compared, trials, seconds


def check_replay(heddle, audit):
    """A trace was made with other orders, and has them."""
    bugs = [bug for site in audit.result["sites"] for weaker in site.get("weaker", []) for bug in weaker.get("bugs", [])]
    replayed = heddle.replay(bugs[0]["trace"]) if bugs else None
    if replayed is None or replayed.code != 1 or bugs[0]["key"] not in {finding["key"] for finding in replayed.result["findings"]}:
        raise Failure(f"the same finding expected\n{audit.describe()}" + (f"\n{replayed.describe()}" if replayed else ""))


def operation_name(entry):
    names = {"rmw": "read-modify-write", "cas": "compare_exchange", "cas-failure": "failed compare_exchange"}
    return names.get(entry.operation, entry.operation)


def mutate(copy, entry, order):
    """The source with another order. A fence that is left out becomes a relaxed one."""
    lines = copy.read_text().splitlines()
    text = lines[entry.line - 1]
    orders = [found for found in re.finditer(r"memory_order_(\w+)", text) if found.start() >= entry.column - 1]
    place = orders[1 if entry.operation == "cas-failure" else 0]
    name = "relaxed" if order == "none" else order
    success = orders[0][1]
    lines[entry.line - 1] = text[:place.start(1)] + name + text[place.end(1):]
    if entry.operation == "cas" and len(orders) == 1:  # the order of a failure must not change
        failure = {"acq_rel": "acquire", "release": "relaxed"}.get(success, success)
        lines[entry.line - 1] = text[:place.start(1)] + f"{name}, std::memory_order_{failure}" + text[place.end(1):]
    if entry.operation == "cas-failure" and len(orders) == 1:
        raise Failure(f"one order: {text}")
    mutant = copy.with_name(f"{copy.stem}_mutant.cpp")
    mutant.write_text("\n".join(lines) + "\n")
    return mutant


def check(heddle, folder, options):
    runs, left, compared, trials, seconds = Runs(), options.mutants, 0, 0, 0.0
    for source in sorted(PROGRAMS.glob("*.cpp")):
        program = heddle.compile(source, compiler=options.compiler, flags=[*FLAGS, options.level])
        run = check_weaken(heddle, program, source, options, runs)
        if source.stem not in QUICK and not options.all:
            continue
        copy = weakened_copy(folder, run, source)
        again = ask(heddle, "weaken", heddle.compile(copy, compiler=options.compiler, flags=[*FLAGS, options.level]), code=0)
        if [answer["changes"] for answer in again.result["answers"]] != [[]]:
            raise Failure(f"{source.stem}: something is left to weaken\n{run.describe()}\n{again.describe()}")
        done, all_of_it, time = check_audit(heddle, copy, options, left)
        left, compared, trials, seconds = left - done, compared + done, trials + all_of_it, seconds + time
        if options.all:  # the program as it is, too: its orders are too strong
            done, all_of_it, time = check_audit(heddle, plain_copy(folder, source), options, min(left, 4))
            left, compared, trials, seconds = left - done, compared + done, trials + all_of_it, seconds + time
    print(f"{runs.with_witnesses} runs with witnesses, {runs.without} without; {compared} mutants compared, "
          f"{seconds / trials:.3f} s of processor time for each of {trials} in the audits")
    if runs.without < 5 * runs.with_witnesses:
        raise Failure("witnesses save less than four of five runs")


def options(parser):
    parser.add_argument("--compiler", default="gcc")
    parser.add_argument("--level", default="-O1")
    parser.add_argument("--mutants", type=int, default=6)
    parser.add_argument("--all", action="store_true")


if __name__ == "__main__":
    sys.exit(run_checks(__doc__, check, options))
