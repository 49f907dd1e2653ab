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
# The report names memory orders of operations in the C++ library: the source has none there. The program runs with a table of
# orders instead.
LIBRARY = {"race_inside_atomic_shared_ptr", "race_latch"}
# The report names memory orders for volatile accesses, which the options make relaxed. The compiled program has no order there that
# a run could change, and the report must say so.
VOLATILE = {"assert_stale_volatile", "assert_store_buffering_volatile"}
NOT_CHECKED = "heddle cannot change the order of these accesses in the compiled program"
# What a report says where no memory order helps.
SENTENCES = [
    "nothing orders",                 # a race without any communication: a lock or an atomic is missing
    "are not one step",               # another thread comes between two accesses
    "happens before",                 # memory is used after its life
    "which .* holds",                 # a deadlock
    "nothing wakes ",                 # a lost wake-up
    "no wake-up came to ",            # a lost wake-up of a futex
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
    # The signal of a stale execution stays before the wait when the story is told without stale reads.
    "deadlock_mailbox": ("interleaving", r"T0.1 read 0 from `mailbox.full_` at line 22; T0 stored 1 at line 16 and notified at line 17; "
                         "only then T0.1 began to wait at line 22, so nothing wakes it; T0 waits for the end of T0.1 at line 42",
                         "hold `mailbox.mutex_` while changing `mailbox.full_`"),
    "deadlock_atomic_wait": ("interleaving", "T0 waits at line 12 while `(stage|_ZL5stage.0)` is 0; T0.1 stored 1 at line 11, but no wake-up came to T0 "
                             "after that", "wake all threads that wait for `(stage|_ZL5stage.0)` after this change"),
    "deadlock_two_sections": ("interleaving", r"T0.1 read 0 from `ready` at line 13; T0 wrote 1 at line 26 and notified at line 27; "
                              "only then T0.1 began to wait at line 17, so nothing wakes it; T0 waits for the end of T0.1 at line 29",
                              "test `ready` while holding `mutex`"),
}
# Each seed with another level of optimisation.
SEEDS = {"1": "-O1", "2": "-O0", "3": "-O2"}
# Programs with lines that run for several elements: the story is about the one that raced, at every level.
ELEMENTS = {"race_ring_elements", "race_struct_array"}
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


OPERATIONS = {"load": "load", "store": "store", "fence": "fence", "compare_exchange": "cas",
              "failed compare_exchange": "cas-failure"}


def table_of(changes):
    """The changes, for --orders."""
    return ",".join(f"{change['place']['file']}:{change['place']['line']}:{change['place']['column']}/"
                    f"{OPERATIONS.get(change['operation'], 'rmw')}={change['to']}" for change in changes)


def run(heddle, source, program, seed="1", *options):
    head = ProgramHead(source)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="heddle-explanations-"))
    try:
        done = heddle.run("test", "--seed", seed, "-n", head.runs, "--out", folder, "--json", folder / "json", *head.options, *options,
                          program, *head.arguments)
        return done, json.loads((folder / "json").read_text())["findings"] if (folder / "json").exists() else []
    finally:
        shutil.rmtree(folder)


class Copy:
    """A copy of a source, and of a source that it includes, whose memory orders change."""

    def __init__(self, source, folder):
        self.path = pathlib.Path(folder) / source.name
        self.flags = [*ProgramHead(source).flags, f"-I{source.parent}"]
        included = re.findall(r'^#include "(\w+\.c(?:pp)?)"', source.read_text(), re.MULTILINE)
        self.texts = {name: (source.parent / name).read_text().splitlines() for name in (source.name, *included)}

    def compile(self, heddle):
        for name, lines in self.texts.items():
            (self.path.parent / name).write_text("\n".join(lines) + "\n")
        return heddle.compile(self.path, flags=self.flags)

    def describe(self):
        return "\n".join("\n".join(lines) for lines in self.texts.values())

    def change(self, name, changes):
        for change in changes:
            lines = self.texts.get(pathlib.Path(change["place"]["file"]).name, [])
            if not strengthen(lines, change):
                raise Failure(f"{name}: there is no memory order to change at {change['place']}")


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


# Kinds whose accesses are to memory. The accesses of others are operations on locks and descriptors.
ACCESSED = {"race", "use-after-free", "double-free"}


def check_same_bytes(name, finding, done):
    """The story has both accesses of the finding: steps of their threads, at their lines, which touch the reported bytes."""
    told = finding.get("explanation", {})
    accesses = finding.get("accesses", [])
    if finding["kind"] not in ACCESSED or len(accesses) != 2 or "why_not" in told or not told:
        return 0
    # The log has no event for what a call does to the memory of a lock or a barrier.
    if any("synchronisation" in access["what"] for access in accesses) and not told["steps"]:
        return 0
    def is_step_of(step, access):
        lines = {(frame.get("file"), frame.get("line")) for frame in access["stack"]}
        place = step["place"]
        touched = step.get("bytes")
        return (step.get("thread") == access["thread"] and (place.get("file"), place.get("line")) in lines and
                touched is not None and touched["offset"] <= 0 < touched["offset"] + touched["size"])
    of_access = [{step["event"] for step in told["steps"] if is_step_of(step, access)} for access in accesses]
    if not all(of_access) or len(of_access[0] | of_access[1]) < 2:
        raise Failure(f"{name}: the story is not about the two accesses of {finding['headline']}: steps {of_access}\n{done.describe()}")
    return 1


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
    clauses = cause.split("; ")
    if len(clauses) != len(set(clauses)):
        raise Failure(f"{name}: the cause repeats itself: {cause}")
    # What one thread does to its own memory and objects is not recorded: the stack of the finding has to be enough.
    needs_steps = (finding["kind"] != "leak" and explanation["nature"] not in ("every-execution", "early-end") and
                   not any("synchronisation" in access["what"] for access in finding.get("accesses", [])))
    if (needs_steps and not explanation["steps"]) or not explanation.get("diagnosis"):
        raise Failure(f"{name}: no steps, or no diagnosis\n{done.describe()}")
    if changes and name not in MENDED | LIBRARY | VOLATILE:
        raise Failure(f"{name}: put it into MENDED, LIBRARY or VOLATILE: {changes}")
    if name in MENDED and not changes:
        raise Failure(f"{name}: no change of a memory order is named\n{done.describe()}")
    return changes


def check_cured(heddle, source, name, findings, seed="1"):
    """The changes that each finding names remove the finding. Returns the number of findings with changes."""
    cured = 0
    for finding in findings:
        told = finding.get("explanation", {})
        changes = told.get("changes", [])
        if not changes:
            continue
        if name in VOLATILE:
            if told["fix"]["checked"] or told["fix"]["why_not"] != NOT_CHECKED:
                raise Failure(f"{name}: the report does not say that the fix could not be checked: {told['fix']}")
            continue
        if not told["fix"]["checked"]:
            raise Failure(f"{name}: the fix of {finding['headline']} was not checked: {told['fix']['why_not']}")
        if name in LIBRARY:
            done, left = run(heddle, source, heddle.compile(source, flags=ProgramHead(source).flags), seed, "--orders", table_of(changes))
            if any(f["lasting_key"] == finding["lasting_key"] for f in left):
                raise Failure(f"{name}: the fix of {finding['headline']} does not cure it\n{done.describe()}")
            cured += 1
            continue
        with tempfile.TemporaryDirectory(prefix="heddle-cured-") as folder:
            copy = Copy(source, folder)
            copy.change(name, changes)
            done, left = run(heddle, source, copy.compile(heddle), seed)
            if any(f["lasting_key"] == finding["lasting_key"] for f in left):
                raise Failure(f"{name}: the fix of {finding['headline']} does not cure it\n{copy.describe()}\n{done.describe()}")
        cured += 1
    return cured


def check_mended(heddle, source, name, changes):
    """Makes the changes, and those that the next reports name, until the program has no finding."""
    with tempfile.TemporaryDirectory(prefix="heddle-mended-") as folder:
        copy = Copy(source, folder)
        for _ in range(MOST_ROUNDS):
            copy.change(name, changes)
            done, findings = run(heddle, source, copy.compile(heddle))
            if not findings:
                return
            changes = [c for f in findings for c in f.get("explanation", {}).get("changes", [])]
            if not changes:
                raise Failure(f"{name}: the named changes do not mend it\n{copy.describe()}\n{done.describe()}")
        raise Failure(f"{name}: {MOST_ROUNDS} rounds of changes do not mend it\n{copy.describe()}\n{done.describe()}")


def check_told(heddle, source):
    """The cause depends neither on the seed nor on the compiler, and no step of an interleaving bug is stale."""
    nature, cause, advice = TOLD[source.stem]
    head = ProgramHead(source)
    for compiler in ("gcc", "clang"):
        for seed, level in SEEDS.items():
            done, findings = run(heddle, source, heddle.compile(source, compiler, flags=[*head.flags, level]), seed)
            finding = next((f for f in findings if f["kind"] in head.one_of), None)
            told = (finding or {}).get("explanation", {})
            if (not re.fullmatch(nature, told.get("nature", "")) or not re.search(cause, told.get("cause", "")) or
                    not re.search(advice, told.get("advice", "")) or any("stale" in step for step in told["steps"])):
                raise Failure(f"{source.stem}, {compiler} {level}, seed {seed}: another story\n{done.describe()}")


def check_elements(heddle, source):
    head = ProgramHead(source)
    for compiler in ("gcc", "clang"):
        for seed, level in SEEDS.items():
            done, findings = run(heddle, source, heddle.compile(source, compiler, flags=[*head.flags, level]), seed)
            if not any(check_same_bytes(source.stem, finding, done) for finding in findings):
                raise Failure(f"{source.stem}, {compiler} {level}, seed {seed}: no story of a race\n{done.describe()}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--cache", help="where programs are built; below the build folder by default")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    heddle = Heddle(options.build, options.cache or pathlib.Path(options.build) / "tests" / "cache")
    failures, named, mended, count, touched, cured = [], 0, 0, 0, 0, 0
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
            touched += sum(check_same_bytes(name, finding, done) for finding in findings)
            cured += check_cured(heddle, source, name, findings)
            named += 1 if changes else 0
            if name in TOLD:
                check_told(heddle, source)
            if name in ELEMENTS:
                check_elements(heddle, source)
            if name in MENDED:
                check_mended(heddle, source, name, changes)
                mended += 1
        except Failure as failure:
            failures.append(str(failure))
    print(f"{count} programs with bugs: for {named} the report names memory orders, and {mended} were mended by them; the others "
          f"have one of {len(SENTENCES)} sentences, or are in the list WITHOUT")
    print(f"{touched} stories are about the bytes of their findings; {cured} findings were cured by the orders that they name")
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
