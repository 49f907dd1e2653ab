#!/usr/bin/env python3
"""What the explanations of findings say, and that it is true.

For every example and every program of tests/programs/wrong that has a bug, the report of `heddle test` must say what the bug
is: a missing order, named with its places, or one of the sentences for bugs that no memory order mends (SENTENCES). Where
the report names memory orders, the change is made: the orders are replaced in a copy of the source, the copy is compiled,
and the finding must be gone. One change may reveal the next one, as a report would to a person, so there are several rounds.

  explanations.py --build BUILD [--all] [NAME...]     without --all, a few programs of each kind
"""

import argparse
import json
import pathlib
import re
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))
from heddle_tool import Failure, Heddle  # noqa: E402
from program_head import ProgramHead  # noqa: E402

MOST_ROUNDS = 4

# The programs whose findings weak memory orders cause. The report names the orders, and they mend the program.
MENDED = {
    "double_checked_locking_broken", "dekker_broken", "iriw_acquire", "message_passing_relaxed", "reference_count_relaxed",
    "seqlock_broken", "spinlock_broken", "spsc_ring_broken", "store_buffering", "assert_iriw_relaxed",
    "assert_message_passing", "assert_one_sided_fence", "assert_store_buffering_relaxed", "assert_two_plus_two_writes",
    "race_atomic_wait_relaxed", "assert_rmw_by_order", "assert_store_buffering_weak_fences", "deadlock_inside_atomic_wait",
    "race_atomic_construction", "race_detached_ended", "race_mapped_memory", "race_mutex_deleted", "race_one_fence",
    "race_release_sequence", "race_ring_elements", "race_struct_array", "race_with_large_allocation",
    "assert_signal_barrier", "assert_signal_barrier_search", "assert_spinlock_barrier", "assert_spinlock_barrier_search",
}
# The report names memory orders, but the source has none there: volatile accesses that the options make relaxed, and code of
# the C++ library.
UNPATCHED = {"assert_stale_volatile", "assert_store_buffering_volatile", "race_inside_atomic_shared_ptr"}
# What a report says where no memory order helps.
SENTENCES = [
    "nothing orders",                 # a race without any communication: a lock or an atomic is missing
    "are not one step",               # another thread comes between two accesses
    "happens before",                 # memory is used after its life
    "which .* holds",                 # a deadlock
    "nothing wakes ",                 # a lost wake-up
    "no thread is left",              # a thread waits, or spins, for ever
    "one thread is enough",           # the schedule does not matter
    "have to run in this order",      # an order violation: nothing names the order that the author had in mind
    "still held when it ended",       # a thread ended with a lock
    "have to come in this order",     # a misuse: of an object by several threads
    "no other operation on it",       # a misuse: by one operation alone
    "no thread frees",                # a leak
    "weak ones may",                  # a spurious failure
    "ABA: ",                          # a compare-exchange that succeeds although the value has changed
    "nothing keeps the block alive",  # memory is freed while another thread holds a pointer to it
    "every execution shows it",       # the schedule does not matter
]
# What the cause and the advice must say, with gcc and clang, for several seeds. The nature is that of the JSON.
TOLD = {
    "assert_two_reads": ("interleaving", r"the load of `seats` at line 12 and the fetch_sub on `seats` at line 13 are not one step",
                         "one read-modify-write"),
    "use_after_free_stack": ("ordering|interleaving", r"nothing keeps the block alive .*`top`.*\(ABA\)", "hazard pointers"),
    "treiber_stack_aba": ("interleaving", r"ABA: `top` was pointer (\w) when (T0\.\d) read it.* became pointer \1 again.*: the "
                          r"compare_exchange of \2 .*succeeded although the value had changed in between",
                          "add a tag to `top`.*hazard pointer.*defer its reclamation"),
    # clang replaces the atomic by its only member, whose symbol is _ZL5ready.0.
    "deadlock_lost_wakeup": ("interleaving", r"T0 read 0 from `(ready|_ZL5ready\.0)` at line 18; T0.1 stored 1 at line 14 and notified at line 15; "
                             "only then T0 began to wait at line 18, so nothing wakes it", r"hold `mutex` while changing `(ready|_ZL5ready\.0)`"),
    "deadlock_two_sections": ("interleaving", r"T0.1 read 0 from `ready` at line 13; T0 wrote 1 at line 26 and notified at line 27; "
                              "only then T0.1 began to wait at line 17, so nothing wakes it; T0 waits for the end of T0.1 at line 29",
                              "test `ready` while holding `mutex`"),
}
SEEDS = ("1", "2", "3")
# A few of each kind, for every day.
USUAL = ["message_passing_relaxed", "seqlock_broken", "store_buffering", "reference_count_relaxed", "dekker_broken",
         "iriw_acquire", "deadlock", "lost_wakeup", "treiber_stack_aba", "use_after_free", "assert_message_passing",
         "assert_two_plus_two_writes", "assert_check_then_act", "race_counter", "livelock_two_spinners",
         "livelock_flag_overwritten", "race_ring_elements", "race_struct_array", *TOLD]
# Programs whose findings have no explanation, and why.
WITHOUT = {
    "limit_beside_deadlock": "a limit is not a bug", "limit_endless": "a limit is not a bug",
    "limit_strict_sleep": "a limit is not a bug",
    "livelock_exchange_spinlock_held": "with its --max-events the finding is a limit",
}

ORDER = re.compile(r"memory_order(?:_|::)(relaxed|consume|acquire|release|acq_rel|seq_cst)")


def programs():
    for folder in ("examples", "tests/programs/wrong"):
        for source in sorted((ROOT / folder).iterdir()):
            if source.suffix in (".c", ".cpp"):
                yield source


def run(heddle, source, program, seed="1"):
    head = ProgramHead(source)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="heddle-explanations-"))
    try:
        done = heddle.run("test", "--seed", seed, "-n", head.runs, "--out", folder, "--json", folder / "json", *head.options,
                          program, *head.arguments)
        return done, json.loads((folder / "json").read_text())["findings"] if (folder / "json").exists() else []
    finally:
        shutil.rmtree(folder)


def strengthen(lines, change):
    """Replaces the memory order of one access; the order may be on a later line of the statement, or be a constant."""
    place, wanted = change["place"], change["to"]
    first = place["line"] - 1
    for number in range(first, min(first + 3, len(lines))):
        if ORDER.search(lines[number]):
            lines[number] = ORDER.sub(lambda match: match[0].replace(match[1], wanted), lines[number], count=1)
            return True
    for number, line in enumerate(lines):  # x.load(order), with a constant `order`
        if re.search(r"\border\b.*=", line) and ORDER.search(line) and re.search(r"\border\b", lines[first]):
            lines[number] = ORDER.sub(lambda match: match[0].replace(match[1], wanted), line, count=1)
            return True
    return False


def check_same_bytes(name, finding, done):
    """The story of a race has both accesses: steps of their threads at their lines, which touch the same memory."""
    steps = finding["explanation"]["steps"]
    if finding["kind"] != "race" or len(finding["accesses"]) != 2 or not steps:
        return
    def steps_of(access):
        lines = {(frame.get("file"), frame.get("line")) for frame in access["stack"]}
        return {step.get("variable") for step in steps if step.get("thread") == access["thread"] and step.get("place") and
                (step["place"]["file"], step["place"]["line"]) in lines}
    newer, older = (steps_of(access) for access in finding["accesses"])
    ends_life = any(access["what"] in ("free", "allocation") for access in finding["accesses"])
    same_size = finding["accesses"][0]["size"] == finding["accesses"][1]["size"]
    if not newer or not older or (same_size and not ends_life and not newer & older):
        raise Failure(f"{name}: the story is not about the two accesses: {newer}, {older}\n{done.describe()}")


def check_named(name, finding, done):
    explanation = finding.get("explanation")
    if explanation is None or "why_not" in explanation:
        if name not in WITHOUT:
            raise Failure(f"{name}: {finding['headline']} has no explanation\n{done.describe()}")
        return []
    cause = explanation.get("cause", "")
    changes = explanation.get("changes", [])
    if not changes and not any(re.search(sentence, cause) for sentence in SENTENCES):
        raise Failure(f"{name}: the cause names neither an order nor a known reason: {cause}\n{done.describe()}")
    # What one thread does to its own memory and objects is not recorded: the stack of the finding has to be enough.
    needs_steps = finding["kind"] != "leak" and explanation["nature"] not in ("every-execution", "early-end")
    if (needs_steps and not explanation["steps"]) or not explanation.get("diagnosis"):
        raise Failure(f"{name}: no steps, or no diagnosis\n{done.describe()}")
    check_same_bytes(name, finding, done)
    if changes and name not in MENDED | UNPATCHED:
        raise Failure(f"{name}: put it into MENDED or UNPATCHED: {changes}")
    if name in MENDED and not changes:
        raise Failure(f"{name}: no change of a memory order is named\n{done.describe()}")
    return changes


def check_mended(heddle, source, name, changes):
    """Makes the changes, and those that the next reports name, until the program has no finding."""
    with tempfile.TemporaryDirectory(prefix="heddle-mended-") as folder:
        copy = pathlib.Path(folder) / source.name
        lines = source.read_text().splitlines()
        for _ in range(MOST_ROUNDS):
            for change in changes:
                if not strengthen(lines, change):
                    raise Failure(f"{name}: there is no memory order to change at {change['place']}")
            copy.write_text("\n".join(lines) + "\n")
            program = heddle.compile(copy, flags=ProgramHead(source).flags + ["-I", source.parent])
            done, findings = run(heddle, copy, program)
            if not findings:
                return
            changes = [c for f in findings for c in f.get("explanation", {}).get("changes", [])]
            if not changes:
                raise Failure(f"{name}: the named changes do not mend it\n{copy.read_text()}\n{done.describe()}")
        raise Failure(f"{name}: {MOST_ROUNDS} rounds of changes do not mend it\n{copy.read_text()}\n{done.describe()}")


def check_told(heddle, source):
    """The cause depends neither on the seed nor on the compiler, and no step of an interleaving bug is stale."""
    nature, cause, advice = TOLD[source.stem]
    head = ProgramHead(source)
    for compiler in ("gcc", "clang"):
        for seed in SEEDS:
            done, findings = run(heddle, source, heddle.compile(source, compiler, flags=head.flags), seed)
            finding = next((f for f in findings if f["kind"] in head.one_of), None)
            told = (finding or {}).get("explanation", {})
            if (not re.fullmatch(nature, told.get("nature", "")) or not re.search(cause, told.get("cause", "")) or
                    not re.search(advice, told.get("advice", "")) or any("stale" in step for step in told["steps"])):
                raise Failure(f"{source.stem}, {compiler}, seed {seed}: another story\n{done.describe()}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--cache", help="where programs are built; below the build folder by default")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    heddle = Heddle(options.build, options.cache or pathlib.Path(options.build) / "tests" / "cache")
    failures, named, mended, count = [], 0, 0, 0
    for source in programs():
        name = source.stem
        wanted = options.names or (None if options.all else USUAL)
        if wanted is not None and name not in wanted:
            continue
        head = ProgramHead(source)
        if not head.one_of:
            continue
        count += 1
        try:
            done, findings = run(heddle, source, heddle.compile(source, flags=head.flags))
            first = next((f for f in findings if f["kind"] in head.one_of), None)
            if first is None:
                raise Failure(f"{name}: no finding\n{done.describe()}")
            changes = check_named(name, first, done)
            named += 1 if changes else 0
            if name in TOLD:
                check_told(heddle, source)
            if name in MENDED:
                check_mended(heddle, source, name, changes)
                mended += 1
        except Failure as failure:
            failures.append(str(failure))
    print(f"{count} programs with bugs: for {named} the report names memory orders, and {mended} were mended by them; the others "
          f"have one of {len(SENTENCES)} sentences, or are in the list WITHOUT")
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
