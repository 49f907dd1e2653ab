#!/usr/bin/env python3
"""heddle verify: programs with known numbers of execution graphs and known verdicts, symmetry, bounds and limits.

Random programs are explored by random_searches.py.
"""

import itertools
import json
import pathlib
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from heddle_tool import Failure, run_checks  # noqa: E402
from searches import check_against_enumeration, verify  # noqa: E402

# program, its arguments, compiler flags, complete graphs (None: whatever comes), finding (None: no bug)
PROGRAMS = [
    ("waiting_loop", [], [], 1, None),
    ("counting_loop", [], [], 6, None),
    ("lost_wakeup", [], [], None, "livelock"),
    ("ticket_lock", [2], [], 2, None),
    ("ticket_lock", [3], [], 6, None),
    ("ticket_lock", [4], [], 24, None),
    ("ticket_lock", [2], ["-DRELAXED"], None, "race"),
    ("ttas_lock", [3], [], None, None),
    ("ttas_lock", [2], ["-DRELAXED"], None, "race"),
    ("mcs_lock", [3], [], None, None),
    ("retry_race", [], [], None, "race"),
    ("retry_race", [], ["-DORDERED"], None, None),
    # A race that the search does not find: see docs/exhaustive.md.
    ("retry_race", [], ["-DWAITS"], None, None),
    ("treiber_stack", [2], [], None, None),
    ("treiber_stack", [2], ["-DRELAXED"], None, "race"),
]
LOCKS = [
    # N threads that lock R times: the orders of the critical sections.
    ("mutex", [2, 1], [], 2, None),
    ("mutex", [4, 1], [], 24, None),
    ("mutex", [3, 2], [], 90, None),
    ("lock_order", [], [], None, "deadlock"),
    ("try_lock", [], [], 4, None),
    # Readers have an order with writers, and none with each other.
    ("rwlock", [0, 6], [], 1, None),
    ("rwlock", [1, 2], [], 4, None),
    ("rwlock", [2, 2], [], 18, None),
    ("rwlock", [3, 0], [], 6, None),
    # The second thread shares the lock and waits for the first one, which is about to share it. A writer that waits must
    # not keep it from that.
    ("sync_line", ["miju/imuj/kj", 0], ["-std=c++20"], 6, None),
    ("sync_line", ["imuj/mkju/ij", 0], ["-std=c++20"], None, "deadlock"),
    ("semaphore", [3, 1], [], 6, None),
    ("semaphore", [2, 2], [], 6, None),
    # Who arrives after whom at a barrier makes no difference.
    ("barrier", [2, 1], [], 1, None),
    ("barrier", [5, 2], [], 1, None),
    ("once", [3], [], 3, None),
    ("condition", [1], [], None, None),
    ("condition", [2], [], None, None),
    ("condition", [1], ["-DIF_INSTEAD_OF_WHILE"], None, "assert"),
    ("condition", [1], ["-DFORGETS_TO_SIGNAL"], None, "deadlock"),
    ("timed_wait", [], [], None, None),
    ("annotation", [], [], 2, None),
    # Two writers and a reader that waits for both; one writer and a reader that comes before or after it.
    ("pipe.c", ["waits", 2], [], 4, None),
    ("pipe.c", ["looks", 1], [], 2, None),
    ("pipe.c", ["tries", 1], [], 2, None),
    ("pipe.c", ["patience", 1], [], 2, None),
    ("pipe.c", ["looks", 1], ["-DEXPECTS_DATA"], None, "assert"),
    ("pipe.c", ["tries", 1], ["-DEXPECTS_DATA"], None, "assert"),
    ("pipe.c", ["patience", 1], ["-DEXPECTS_DATA"], None, "assert"),
    ("closed_descriptor.c", [], [], 6, None),
    ("nondeterminate.c", [], [], 6, None),
    ("nondeterminate.c", ["smaller"], [], None, "assert"),
    ("atomic_wait", [], ["-std=c++20"], None, None),
    ("atomic_wait", [], ["-std=c++20", "-DFORGETS_TO_NOTIFY"], None, "deadlock"),
]


# What threads of weak_exchanges.cpp do, and how many there are. A loop that retries has the graphs that it has with strong
# compare-exchanges. Where a spurious failure matters, the finding needs it; "D" needs one at each of two places.
WEAK_LOOPS = [("a", 4), ("b", 4), ("c", 3), ("d", 4), ("e", 4), ("f", 4), ("g", 2), ("h", 2)]
WEAK_FINDINGS = [("A", "assert"), ("B", "assert"), ("C", "race"), ("D", "assert"), ("E", "assert")]


def check_weak_exchanges(heddle, folder):
    source = HERE / "exhaustive" / "weak_exchanges.cpp"
    for level in ("-O1", "-O2"):
        weak = heddle.compile(source, "gcc", [level])
        strong = heddle.compile(source, "gcc", [level, "-DSTRONG"])
        for loop, count in WEAK_LOOPS:
            expected, found = [verify(heddle, program, [loop, count], folder) for program in (strong, weak)]
            if expected[1:] != found[1:] or found[3] != "all explored" or found[0].code != 0:
                raise Failure(f"with strong compare-exchanges:\n{expected[0].describe()}\n{found[0].describe()}")
        for letter, kind in WEAK_FINDINGS:
            check_program(heddle, folder, "weak_exchanges", [letter, 1], [level], None, kind)
            check_program(heddle, folder, "weak_exchanges", [letter, 1], [level, "-DSTRONG"], 1, None)


def check_program(heddle, folder, name, arguments, flags, graphs, finding):
    program = heddle.compile(HERE / "exhaustive" / (name if "." in name else f"{name}.cpp"), flags=["-g", *flags])
    for model in ("rc11", "sc") if finding is None else ("rc11",):
        run, complete, _, verdict = verify(heddle, program, arguments, folder, model)
        if run.code != (0 if finding is None else 1) or (finding is None) != (verdict == "all explored"):
            raise Failure(run.describe())
        if graphs is not None and complete != graphs:
            raise Failure(f"{graphs} graphs were expected\n{run.describe()}")
    if finding is None:
        return
    traces = list((folder / "out").glob(f"*{finding}*.trace"))
    if not traces:
        raise Failure(f"no {finding} was found\n{run.describe()}")
    replay = heddle.replay(traces[0])
    if replay.code != 1 or "the same finding" not in replay.output:
        raise Failure(replay.describe())
    for trace in (folder / "out").iterdir():
        trace.unlink()


def check_unannounced_writes(heddle, folder):
    """Executions that are made from what threads did before find the values that the program would find."""
    source = HERE / "exhaustive" / "unannounced.cpp"
    for compiler in ("gcc", "clang"):
        for level in ("-O0", "-O1", "-O2"):
            program = heddle.compile(source, compiler, ["-g", level])
            run, complete, _, verdict = verify(heddle, program, [4], folder)
            if run.code != 0 or verdict != "all explored" or complete != 8:
                raise Failure(f"8 graphs were expected\n{run.describe()}")
            for value in range(4):
                run, _, _, _ = verify(heddle, program, [value], folder)
                if run.code != 1 or "assert" not in run.output:
                    raise Failure(f"the reader finds {value}\n{run.describe()}")


def check_unseen_pairs(heddle, folder):
    """A bug that shows only when two threads do what they did in different executions before is found."""
    source = HERE / "exhaustive" / "unseen_pairs.cpp"
    for compiler, level in (("gcc", "-O0"), ("clang", "-O2")):
        program = heddle.compile(source, compiler, ["-g", level])
        for words in itertools.product((0, 1, 2), (0, 1), (1, 2), (0, 1), (0, 1)):
            run, _, _, _ = verify(heddle, program, words, folder)
            if run.code != 1 or "assert" not in run.output:
                raise Failure(f"one of the executions has the bug\n{run.describe()}")
        program = heddle.compile(HERE / "exhaustive" / "unseen_lock.cpp", compiler, ["-g", level])
        for words in itertools.product((0, 1), (0, 5)):
            run, _, _, _ = verify(heddle, program, words, folder)
            if run.code != 1 or "assert" not in run.output:
                raise Failure(f"one of the two orders has the bug\n{run.describe()}")


def check_no_waste(heddle, folder):
    """A lock that is held costs no run: none that waits, and none that is abandoned."""
    for name, words, graphs in (("mutex", [5, 1], 120), ("mutex", [3, 2], 90), ("semaphore", [4, 1], 24)):
        program = heddle.compile(HERE / "exhaustive" / f"{name}.cpp", flags=["-g", "-O1"])
        result = folder / "result.json"
        for model, jobs in (("rc11", 1), ("sc", 1), ("rc11", 3)):
            run, complete, waiting, _ = verify(heddle, program, words, folder, model, ["--json", result, "-j", jobs])
            abandoned = json.loads(result.read_text())["abandoned"]
            if (complete, waiting, abandoned) != (graphs, 0, 0):
                raise Failure(f"{graphs} graphs, none that waits, none of {abandoned} abandoned\n{run.describe()}")


def check_confirmation(heddle, folder):
    """Loops of a livelock run on before it is reported. What they could read meanwhile is not explored: newer writes with
    the value that a loop has read made 65,000 executions of this program, instead of some hundred."""
    program = heddle.compile(HERE / "exhaustive" / "straight_line.cpp", flags=["-O1", "-std=c++20"])
    words = ("A.0.acquire.1,C.0.acq_rel.5.relaxed.1,{}.0.acquire.3/A.0.seq_cst.2,{}.0.acquire.5/S.0.relaxed.3/"
             "L.0.seq_cst,C.0.relaxed.8.acquire.1,F.0.acq_rel")
    _, most, _, _ = verify(heddle, program, [words.format("L", "L")], folder)
    run, complete, waiting, verdict = verify(heddle, program, [words.format("W", "W")], folder,
                                             options=["--keep-going", "--explain", "none"])
    if verdict != "all explored" or complete + waiting > most or "livelock" not in run.output:
        raise Failure(f"{most} graphs if the threads do not wait\n{run.describe()}")


def check_barriers(heddle, folder):
    """Which thread is the serial one counts if the program looks at it; the order of arrivals, only with arrivals=1."""
    program = heddle.compile(HERE / "exhaustive" / "sync_line.cpp", flags=["-O1", "-std=c++20"])
    for words, options, graphs in (("BB/BB/BB", [], 1), ("S/S/S", [], 3), ("S/B/B", [], 2), ("S/S/B", [], 3),
                                   ("SS/SB", [], 4), ("zBl/zBl", [], 2), ("B/B/B", ["-s", "exhaustive:arrivals=1"], 6)):
        run, complete, _, verdict = verify(heddle, program, [words, 0], folder, options=options)
        if (complete, verdict) != (graphs, "all explored"):
            raise Failure(f"{graphs} graphs were expected\n{run.describe()}")
    pairs = heddle.compile(HERE / "exhaustive" / "barrier.cpp", flags=["-O1", "-DPAIRS"])
    run, complete, _, verdict = verify(heddle, pairs, [4, 1], folder)
    if verdict != "all explored" or complete != 24 or "beginning again with -s exhaustive:arrivals=1" not in run.output:
        raise Failure(run.describe())
    sometimes = heddle.compile(HERE / "exhaustive" / "barrier.cpp", flags=["-O1", "-DSOMETIMES"])
    for command in ([pairs, 4, 1], [sometimes]):
        check_ordered_arrivals(heddle, folder, command)


def check_readers(heddle, folder):
    """Threads that try to lock can tell in which order others share the lock."""
    program = heddle.compile(HERE / "exhaustive" / "sync_line.cpp", flags=["-O1", "-std=c++20"])
    for words in ("r/R", "r/X/x"):
        again = verify(heddle, program, [words, 0], folder)
        ordered = verify(heddle, program, [words, 0], folder, options=["-s", "exhaustive:readers=1"])
        if again[1:] != ordered[1:] or "beginning again with -s exhaustive:readers=1" not in again[0].output:
            raise Failure(f"{again[0].describe()}\n{ordered[0].describe()}")
    shared = heddle.compile(HERE / "exhaustive" / "rwlock.cpp", flags=["-g", "-O1"])
    for jobs in (1, 2, 3):
        run, complete, _, verdict = verify(heddle, shared, [3, 3], folder, options=["-j", jobs])
        if (complete, verdict) != (384, "all explored"):  # 3! orders of writers, 4 places for each reader
            raise Failure(run.describe())


def check_undone_iterations(heddle, folder):
    """A loop that undoes and tries again: a lock that is never free is a livelock, also in a replay; where another thread
    looks at the counter, or tries once, iterations that are undone are explored."""
    program = heddle.compile(HERE / "exhaustive" / "undo_line.cpp", flags=["-O1", "-std=c++20"])
    run, complete, waiting, verdict = verify(heddle, program, ["b/bA", 1], folder, options=["--keep-going"])
    if run.code != 1 or "livelock: " not in run.output or (complete, verdict) != (1, "all explored"):
        raise Failure(run.describe())
    for trace in (folder / "out").glob("undo_line-livelock*.trace"):
        replay = heddle.replay(trace)
        if replay.code != 1 or "the same finding" not in replay.output:
            raise Failure(replay.describe())
    for words in ("o/bA/bA", "bAt/bA", "bA/kbA"):
        run, _, _, verdict = verify(heddle, program, [words, 1], folder, options=["--bound-loop", "3"])
        if "beginning again with -s exhaustive:loop=3,undone=1" not in run.output:
            raise Failure(run.describe())


def check_ordered_arrivals(heddle, folder, command):
    """More threads than the barrier is for: the search begins again by itself, as if its user had asked for arrivals=1."""
    def explore(*options):
        result = folder / "ordered.json"
        run = heddle.run("verify", "--keep-going", "--json", result, "--out", folder / "out", *options, *command)
        record = json.loads(result.read_text())
        for name in ("seconds", "rate"):
            record.pop(name)
        return run, record

    _, expected = explore("-s", "exhaustive:arrivals=1")
    if not expected["all_explored"]:
        raise Failure(f"the search with arrivals=1 does not end: {expected}")
    resumed = ["--resume", folder / f"state-{pathlib.Path(command[0]).name}"]
    for options in ([], ["-j", "2"], ["-j", "3"], ["--time", "60s"], resumed, resumed):
        run, record = explore(*options)
        if record != expected:
            raise Failure(f"with arrivals=1:\n{expected}\nnow:\n{record}\n{run.describe()}")
    run = heddle.run("verify", "--keep-going", "--shard", "1/2", "--out", folder / "shards", *command)
    if run.code != 3 or "use -s exhaustive:arrivals=1" not in run.output:
        raise Failure(run.describe())
    result = folder / "auto.json"
    heddle.run("test", "--json", result, "--out", folder / "out", *command)
    search = json.loads(result.read_text())["search"]
    if not search["finished"] or search["graphs"] + search["waiting"] < expected["executions"]:
        raise Failure(f"the search of auto: {search}")


def check_symmetry(heddle, folder):
    """Equal threads: as many executions as there are up to the names of the threads."""
    for name, words, graphs in (("mutex", [6, 1], 1), ("mutex", [3, 2], 90 // 6), ("rwlock", [2, 2], 48 // 4),
                                ("semaphore", [3, 1], 1), ("ticket_lock", [4], 1)):
        program = heddle.compile(HERE / "exhaustive" / f"{name}.cpp", flags=["-g", "-O1"])
        for model in ("rc11", "sc"):
            run, complete, _, verdict = verify(heddle, program, words, folder, model, ["--symmetry"])
            if (complete, verdict) != (graphs, "all explored"):
                raise Failure(f"{graphs} graphs were expected\n{run.describe()}")
    broken = heddle.compile(HERE / "exhaustive" / "treiber_stack.cpp", flags=["-g", "-O1", "-DRELAXED"])
    run, _, _, _ = verify(heddle, broken, [3], folder, options=["--symmetry"])
    if run.code != 1:
        raise Failure(run.describe())
    told_apart = heddle.compile(HERE / "exhaustive" / "told_apart.cpp", flags=["-g", "-O1"])
    run = heddle.run("verify", "--symmetry", "--out", folder / "out", told_apart)
    if run.code != 3 or "--symmetry does not apply" not in run.output:
        raise Failure(run.describe())


def check_limits(heddle, folder):
    def expect(code, sentence, *arguments):
        run = heddle.run("verify", "--out", folder / "out", *arguments)
        if run.code != code or sentence not in run.output:
            raise Failure(f"expected exit code {code} and '{sentence}'\n{run.describe()}")

    lock = heddle.compile(HERE / "exhaustive" / "ticket_lock.cpp", flags=["-g"])
    expect(3, "not all executions were explored, there may be about", "-n", "5", lock, "3")
    polling = heddle.compile(HERE / "exhaustive" / "polling.cpp", flags=["-g"])
    expect(3, "not exhaustive: 1 were cut off", "--bound-loop", "3", polling)
    expect(3, "3 execution graphs and 0 that wait", "--bound-loop", "3", polling)
    expect(3, "not exhaustive: 1 were cut off", "--bound-events", "20", polling)
    result = folder / "bounded.json"
    expect(3, "not exhaustive", "--bound-loop", "3", "--json", result, polling)
    figures = json.loads(result.read_text())
    counts = {name: figures[name] for name in ("executions", "distinct_graphs", "blocked", "cut_off", "all_explored")}
    if counts != {"executions": 3, "distinct_graphs": 3, "blocked": 0, "cut_off": 1, "all_explored": False}:
        raise Failure(f"a bounded search counts complete executions and those cut off apart, not as in {counts}")
    expect(3, "not all executions were explored", "--time", "300ms", polling)
    expect(0, "all explored", "--bound-loop", "100", lock, "2")
    expect(2, "--bound-loop x: this is not a number", "--bound-loop", "x", lock)
    expect(2, "write heddle test -s pct", "-s", "pct", lock)
    expect(2, "it has: events, loop, spurious, values, symmetry", "-s", "exhaustive:depth=3", lock)
    run = heddle.run("test", "--bound-loop", "3", lock)
    if run.code != 2 or "is for the exhaustive search" not in run.output:
        raise Failure(run.describe())
    time_outs = heddle.compile(HERE.parent / "programs" / "wrong" / "exit_status_after_time_outs.cpp", flags=["-g"])
    expect(3, "no execution ran to its end", time_outs)
    expect(1, "exit status 1", "-s", "exhaustive:spurious=2", time_outs)
    numbers = heddle.compile(HERE / "exhaustive" / "nondeterminate.c", flags=["-g"])
    expect(0, "2 execution graphs and 1 that wait", "-s", "exhaustive:values=2", numbers)
    expect(0, "2 execution graphs", "-m", "c11", lock, "2")
    expect(2, "runs in one process", "-m", "c11", "-j", "2", lock, "2")
    no_reuse = heddle.compile(HERE / "exhaustive" / "no_reuse.cpp", flags=["-O1"])
    for seed in range(1, 7):  # chance has nothing to say here
        expect(0, "1 execution graphs and 0 that wait", "--seed", seed, no_reuse)


def check_all(heddle, folder, arguments):
    for level in ("-O0", "-O2"):
        for program, words, flags, graphs, finding in PROGRAMS:
            check_program(heddle, folder, program, words, [level, *flags], graphs, finding)
    for program, words, flags, graphs, finding in LOCKS:
        check_program(heddle, folder, program, words, ["-O1", *flags], graphs, finding)
    for name, words in (("mutex", [3, 2]), ("rwlock", [2, 2]), ("semaphore", [3, 2]), ("barrier", [3, 1]),
                        ("once", [3]), ("condition", [2]), ("timed_wait", []), ("try_lock", [])):
        program = heddle.compile(HERE / "exhaustive" / f"{name}.cpp", flags=["-g", "-O1"])
        check_against_enumeration(heddle, folder, program, words)
    check_unannounced_writes(heddle, folder)
    check_unseen_pairs(heddle, folder)
    check_no_waste(heddle, folder)
    check_confirmation(heddle, folder)
    check_barriers(heddle, folder)
    check_readers(heddle, folder)
    check_undone_iterations(heddle, folder)
    check_weak_exchanges(heddle, folder)
    check_symmetry(heddle, folder)
    check_limits(heddle, folder)


if __name__ == "__main__":
    sys.exit(run_checks(__doc__, check_all))
