#!/usr/bin/env python3
"""Random programs, searched by heddle verify: the graphs and outcomes that other ways of exploring them see.

Straight-line programs are written twice, as a litmus test and as arguments of exhaustive/straight_line.cpp, and explored
by both drivers of the search. Programs of synchronisation (exhaustive/sync_line.cpp) are compared with sampling and with
the plain enumeration.
"""

import json
import pathlib
import random
import re
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from heddle_tool import Failure, run_checks  # noqa: E402
from searches import SUMMARY, check_against_enumeration, verify  # noqa: E402

READ_ORDERS = ["relaxed", "acquire", "seq_cst"]
ORDERS = {"L": READ_ORDERS, "S": ["relaxed", "release", "seq_cst"], "F": ["acquire", "release", "acq_rel", "seq_cst"],
          "A": ["relaxed", "acquire", "release", "acq_rel", "seq_cst"]}
ORDERS["C"] = ORDERS["A"]
# The loops of straight_line.cpp: the orders of the load, and of the compare-exchange that succeeds and fails.
RETRY_LOOPS = [("relaxed", "relaxed", "relaxed"), ("relaxed", "acq_rel", "acquire"), ("acquire", "release", "acquire"),
               ("seq_cst", "seq_cst", "seq_cst"), ("relaxed", "release", "relaxed"), ("acquire", "seq_cst", "relaxed"),
               ("seq_cst", "acq_rel", "acquire"), ("relaxed", "seq_cst", "seq_cst")]


def random_program(source):
    threads = [[] for _ in range(source.randint(2, 4))]
    locations = source.randint(1, 3)
    for i in range(source.randint(len(threads), 10)):
        kind = source.choice("LLLSSSACF")
        thread = threads[i] if i < len(threads) else source.choice(threads)
        thread.append((kind, source.randrange(locations), source.choice(ORDERS[kind]), i + 1,
                       source.choice(READ_ORDERS), source.randrange(3)))
    return threads, locations


def as_argument(threads):
    def word(kind, location, order, value, failure, expected):
        exchange = f".{value}.{failure}.{expected}"
        tail = {"S": f".{value}", "W": f".{value}", "A": f".{value}", "C": exchange, "K": exchange, "R": exchange}
        return f"{kind}.{location}.{order}" + tail.get(kind, "")

    return "/".join(",".join(word(*op) for op in thread) for thread in threads)


def as_litmus(threads, locations):
    def statement(i, kind, location, order, value, failure, expected):
        if kind == "R":  # a loop that retries, without the iterations that fail
            first, order, failure = RETRY_LOOPS[expected]
            return (f"int e{i} = atomic_load_explicit(x{location},memory_order_{first}); int d{i} = e{i} + {value}; "
                    f"int r{i} = atomic_compare_exchange_strong_explicit(x{location},&e{i},d{i},memory_order_{order},"
                    f"memory_order_{failure});")
        x, order, failure = f"x{location}", f"memory_order_{order}", f"memory_order_{failure}"
        strength = "weak" if kind == "K" else "strong"
        exchange = (f"int e{i} = {expected}; int r{i} = "
                    f"atomic_compare_exchange_{strength}_explicit({x},&e{i},{value},{order},{failure});")
        return {"L": f"int r{i} = atomic_load_explicit({x},{order});",
                "S": f"atomic_store_explicit({x},{value},{order});",
                "A": f"int r{i} = atomic_fetch_add_explicit({x},{value},{order});",
                "C": exchange, "K": exchange, "F": f"atomic_thread_fence({order});"}[kind]

    text = "C random\n{ " + " ".join(f"x{i}=0;" for i in range(locations)) + " }\n"
    parameters = ", ".join(f"atomic_int* x{i}" for i in range(locations))
    for t, thread in enumerate(threads):
        body = "\n".join("  " + statement(i, *op) for i, op in enumerate(thread))
        text += f"P{t} ({parameters}) {{\n{body}\n}}\n"
    return text + "exists (true)\n"


def check_straight_lines(heddle, folder, count):
    programs = [heddle.compile(HERE / "exhaustive" / "straight_line.cpp", flags=["-std=c++20", "-O1", *variant])
                for variant in ([], ["-DON_HEAP"], ["-DUSED_BEFORE"])]
    source = random.Random(20220119)  # fixed: what holds, holds for ever
    graphs = 0
    for n in range(count):
        model = ("rc11", "sc", "c11")[n % 3]
        threads, locations = random_program(source)
        test, result = folder / "random.litmus", folder / "result.json"
        test.write_text(as_litmus(threads, locations))
        heddle.run("litmus", "--quiet", "--model", model, "--json", result, test)
        expected = json.loads(result.read_text())["total"]
        run, complete, waiting, verdict = verify(heddle, programs[n // 3 % 3], [as_argument(threads)], folder, model)
        if (complete, waiting, verdict, run.code) != (expected, 0, "all explored", 0):
            raise Failure(f"the litmus test has {expected} graphs:\n{test.read_text()}\n{run.describe()}")
        graphs += expected
    print(f"{count} random programs, {graphs} graphs")


def random_waiting_program(source):
    """Some loads become loops that wait for a value that a thread writes, or for 0."""
    threads, locations = random_program(source)
    writes = [op for thread in threads for op in thread if op[0] in "SC"]
    for thread in threads:
        for i, op in enumerate(thread):
            if op[0] != "L" or source.random() < 0.4:
                continue
            values = [0] + [write[3] for write in writes if write[1] == op[1] for _ in range(2)]
            thread[i] = ("W", *op[1:3], source.choice(values), *op[4:])
    return threads, locations


def check_waiting_loops(heddle, folder, count):
    """As many complete graphs as the litmus test, in which no thread waits, has with the awaited values."""
    program = heddle.compile(HERE / "exhaustive" / "straight_line.cpp", flags=["-std=c++20", "-O1"])
    source = random.Random(20261115)
    graphs = waited = 0
    for n in range(count):
        model = ("rc11", "sc")[n % 2]
        threads, locations = random_waiting_program(source)
        awaited = {f"{t}:r{i}": str(op[3]) for t, thread in enumerate(threads) for i, op in enumerate(thread)
                   if op[0] == "W"}
        loads = [[("L" if op[0] == "W" else op[0], *op[1:]) for op in thread] for thread in threads]
        condition = " /\\ ".join(f"{name}={value}" for name, value in awaited.items()) or "true"
        test, result = folder / "random.litmus", folder / "result.json"
        test.write_text(as_litmus(loads, locations).replace("exists (true)", f"exists ({condition})"))
        heddle.run("litmus", "--quiet", "--model", model, "--json", result, test)
        record = json.loads(result.read_text())
        expected = sum(count for state, count in zip(record["states"], record["counts"])
                       if all(state[name] == value for name, value in awaited.items()))
        # Where no thread ever writes the value the thread spins for ever, and that is a finding.
        run, complete, waiting, verdict = verify(heddle, program, [as_argument(threads)], folder, model, ["--keep-going"])
        if (complete, verdict) != (expected, "all explored"):
            raise Failure(f"{expected} graphs have the awaited values:\n{test.read_text()}\n{run.describe()}")
        graphs, waited = graphs + expected, waited + waiting
    print(f"{count} random programs that wait, {graphs} complete graphs, {waited} in which a thread waits")


def random_retrying_program(source):
    """Some operations become loops that load, and retry a compare-exchange."""
    threads, locations = random_program(source)
    for thread in threads:
        for i, op in enumerate(thread):
            if op[0] not in "ACF" and source.random() < 0.7:
                continue
            thread[i] = ("R", op[1], "-", op[3], "-", source.randrange(len(RETRY_LOOPS)))
    return threads, locations


def check_retry_loops(heddle, folder, count):
    """As many complete graphs as the litmus test has in which every compare-exchange succeeds at once."""
    programs = [heddle.compile(HERE / "exhaustive" / "straight_line.cpp", compiler, ["-std=c++20", *flags])
                for compiler in ("gcc", "clang") for flags in (["-O1"], ["-O2"])]
    source = random.Random(20261116)
    graphs = waited = 0
    for n in range(count):
        model = ("rc11", "sc")[n % 2]
        threads, locations = random_retrying_program(source)
        succeed = [f"{t}:r{i}" for t, thread in enumerate(threads) for i, op in enumerate(thread) if op[0] == "R"]
        condition = " /\\ ".join(f"{name}=1" for name in succeed) or "true"
        test, result = folder / "random.litmus", folder / "result.json"
        test.write_text(as_litmus(threads, locations).replace("exists (true)", f"exists ({condition})"))
        heddle.run("litmus", "--quiet", "--model", model, "--json", result, test)
        record = json.loads(result.read_text())
        expected = sum(count for state, count in zip(record["states"], record["counts"])
                       if all(state[name] == "1" for name in succeed))
        run, complete, waiting, verdict = verify(heddle, programs[n % 4], [as_argument(threads)], folder, model)
        if (complete, verdict, run.code) != (expected, "all explored", 0):
            raise Failure(f"{expected} graphs have no failed iteration:\n{test.read_text()}\n{run.describe()}")
        graphs, waited = graphs + expected, waited + waiting
    print(f"{count} random programs that retry, {graphs} complete graphs, {waited} in which a thread need not go on")


def random_weak_program(source):
    """Some operations become weak compare-exchanges, others loops that retry."""
    threads, locations = random_program(source)
    for thread in threads:
        for i, op in enumerate(thread):
            if op[0] == "C" or op[0] == "L" and source.random() < 0.5:
                order = source.choice(ORDERS["C"])
                thread[i] = ("K", op[1], order, op[3], source.choice(READ_ORDERS), source.choice([0, 0, 1, 2]))
            elif op[0] == "F":
                thread[i] = ("R", op[1], "-", op[3], "-", source.randrange(len(RETRY_LOOPS)))
    return threads, locations


def check_weak_exchanges(heddle, folder, count):
    """As many complete graphs as the litmus test, in which weak compare-exchanges fail spuriously, and none of the loops'
    does. A weak compare-exchange is one place of straight_line.cpp: by default, one of a thread fails."""
    programs = [heddle.compile(HERE / "exhaustive" / "straight_line.cpp", "gcc", ["-std=c++20", flag])
                for flag in ("-O1", "-O2")]
    source = random.Random(20261120)
    done = graphs = 0
    while done < count:
        model = ("rc11", "sc")[done % 2]
        threads, locations = random_weak_program(source)
        weak = max(sum(op[0] == "K" for op in thread) for thread in threads)
        if weak == 0:
            continue
        succeed = [f"{t}:r{i}" for t, thread in enumerate(threads) for i, op in enumerate(thread) if op[0] == "R"]
        condition = " /\\ ".join(f"{name}=1" for name in succeed) or "true"
        test, result = folder / "random.litmus", folder / "result.json"
        test.write_text(as_litmus(threads, locations).replace("exists (true)", f"exists ({condition})"))
        heddle.run("litmus", "--quiet", "--model", model, "--json", result, test)
        record = json.loads(result.read_text())
        expected = sum(count for state, count in zip(record["states"], record["counts"])
                       if all(state[name] == "1" for name in succeed)) if succeed else record["total"]
        options = [] if weak == 1 else ["-s", f"exhaustive:weak={weak}"]
        run, complete, _, verdict = verify(heddle, programs[done // 2 % 2], [as_argument(threads)], folder, model, options)
        if (complete, verdict, run.code) != (expected, "all explored", 0):
            raise Failure(f"{expected} graphs have no failed iteration:\n{test.read_text()}\n{run.describe()}")
        done += 1
        graphs += expected
    print(f"{count} random programs with weak compare-exchanges, {graphs} complete graphs")


def random_locked_program(source):
    """Threads of a few operations, some of them in critical sections; nested ones take the locks in one order."""
    threads = []
    for _ in range(source.randint(2, 3)):
        thread = []
        for section in range(source.randint(1, 2)):
            locks = source.choice([[0], [1], [0, 1], []])
            thread += [("M", lock) for lock in locks]
            for _ in range(source.randint(0, 2)):
                kind = source.choice("LLS")
                thread.append((kind, source.randrange(2), source.choice(ORDERS[kind]), len(thread) + 1, None, None))
            thread += [("U", lock) for lock in reversed(locks)]
        threads.append(thread or [("L", 0, "relaxed", 0, None, None)])
    return threads


def check_locks(heddle, folder, count):
    """As many graphs as the plain search of -m c11 finds. The models agree where no operation is seq_cst."""
    program = heddle.compile(HERE / "exhaustive" / "straight_line.cpp", flags=["-std=c++20", "-O1"])
    source = random.Random(19650105)
    done = graphs = 0
    while done < count:
        threads = random_locked_program(source)
        argument = "/".join(",".join(f"{op[0]}.{op[1]}.-" if op[0] in "MU" else as_argument([[op]]) for op in thread)
                            for thread in threads)
        if "seq_cst" in argument:
            continue
        run, complete, waiting, verdict = verify(heddle, program, [argument], folder, options=["-n", "2000"])
        if verdict != "all explored":
            continue  # too many for the plain search
        plain, expected, _, verdict = verify(heddle, program, [argument], folder, "c11")
        if (complete, waiting, run.code) != (expected, 0, 0) or verdict != "all explored":
            raise Failure(f"the plain search:\n{plain.describe()}\n{run.describe()}")
        done += 1
        graphs += complete
    print(f"{count} random programs with locks, {graphs} graphs")


def random_synchronisation(source):
    threads = source.choice([2, 2, 3])

    def body():
        words, waits = "", False
        for _ in range(source.randint(1, 5 - threads)):
            word = source.choice(["t", "w", "v", "n", "b", "s", "p", "p", "y", "r", "x", "o", "l", "z", "g", "h", "B", "S",
                                  "m{}u", "M{}U", "q", "Q", "a{}d", "aqd", "A", "C"])
            if word in "wvg" and waits:
                continue  # a thread gives up once, see docs/exhaustive.md
            waits = waits or word in "wvg"
            words += word.format(source.choice("lzrxp"))
        return words or "l"

    return "/".join(body() for _ in range(threads)), source.randrange(2)


def check_synchronisation(heddle, folder, count):
    """Whatever sampling sees of locks, conditions, semaphores and futexes, deadlocks too, the search sees as well."""
    program = heddle.compile(HERE / "exhaustive" / "sync_line.cpp", flags=["-O1", "-std=c++20"])
    source = random.Random(19741017)

    def sights(*command):
        run = heddle.run(*command, "--show-output", "--out", folder / "out", program, *words)
        return set(re.findall("^seen:.*$", run.output, re.MULTILINE)), "deadlock: " in run.output, run

    done = total = 0
    while done < count:
        words = random_synchronisation(source)
        explored, explored_deadlock, run = sights("verify", "--keep-going", "--explain", "none", "-n", "3000")
        if not re.search(": all explored$", run.output, re.MULTILINE) or len(explored) < 2:
            continue  # too many for every build, or nothing to see
        for strategy in ("random", "pct:d=3,k=40"):
            sampled, deadlock, other = sights("test", "--explain", "none", "-s", strategy, "-n", "500")
            if not sampled <= explored or (deadlock and not explored_deadlock):
                raise Failure(f"the search does not see {sampled - explored}\n{run.describe()}\n{other.describe()}")
        if set("BS") & set(words[0]):
            ordered, ordered_deadlock, other = sights("verify", "--keep-going", "--explain", "none", "-s", "exhaustive:arrivals=1")
            if (ordered, ordered_deadlock) != (explored, explored_deadlock):
                raise Failure(f"the order of arrivals shows something else\n{run.describe()}\n{other.describe()}")
        if not set("gh") & set(words[0]):  # seq_cst operations, of which c11 knows more than rc11
            check_against_enumeration(heddle, folder, program, words)
        done += 1
        total += len(explored)
    print(f"{count} random programs of synchronisation, {total} outcomes")


# Words of sync_line.cpp, for programs whose steps wait: nested and crossing locks, semaphores, shared locks, barriers.
WAITING_WORDS = (
    ["m{}u", "M{}U", "mM{}Uu", "m{}M{}Uu", "Mm{}uU", "m{}M{}uU", "l", "z", "t", "mu", "Mtl"],
    ["s", "p", "p", "y", "s{}p", "l", "z", "m{}u", "msu", "mpu"],
    ["r", "x", "r", "x", "l", "z", "m{}u", "mru", "mxu"],
    ["r", "r", "x", "i{}j", "i{}{}j", "k{}j", "mi{}ju", "im{}uj", "kmuj", "ki", "ik", "l", "z"],
    ["r", "r", "x", "i{}j", "k{}j", "R", "X", "l", "z"],
    ["q", "q", "Q", "a{}d", "aq{}d", "c{}d", "ma{}du", "amud", "cmud", "aqd", "l", "z"],
    ["q", "Q", "a{}d", "aqd", "aAd", "c{}d", "A", "C", "l", "z"],
    ["B", "B", "S", "l", "z", "m{}u", "lz", "t", "r"],
    ["B", "S", "l", "z", "s", "p", "w", "n", "v", "o", "m{}u", "mM{}Uu"],
)


def random_waiting_steps(source, words):
    threads = source.choice([2, 2, 3, 3, 4])

    def body():
        text, waits = "", False
        for _ in range(source.randint(1, 6 - threads)):
            word = source.choice(words)
            if word in "wv" and waits:
                continue
            waits = waits or word in "wv"
            text += word.format(*source.choices("lzrxp", k=2))
        return text or "l"

    return "/".join(body() for _ in range(threads)), source.randrange(2)


def check_waiting_steps(heddle, folder, count):
    """Threads that wait for locks: the graphs and outcomes of the plain search, which orders arrivals and readers, too."""
    program = heddle.compile(HERE / "exhaustive" / "sync_line.cpp", flags=["-O1", "-std=c++20"])
    source = random.Random(20261117)

    def explore(*options):
        run = heddle.run("verify", "--keep-going", "--explain", "none", "--show-output", "-n", "4000", *options, "--out", folder / "out", program,
                         *words)
        found = SUMMARY.search(run.output)
        if not found:
            raise Failure(run.describe())
        outcomes = set(re.findall("^seen:.*$", run.output, re.MULTILINE)), "deadlock: " in run.output, run.code
        return int(found[1]), outcomes, found[3] == "all explored", run

    done = graphs = 0
    for n in range(100 * count):
        if done == count:
            break
        words = random_waiting_steps(source, WAITING_WORDS[n % len(WAITING_WORDS)])
        complete, outcomes, is_all, run = explore("-m", "rc11")
        plain, plain_outcomes, is_all_of_plain, other = explore("-m", "c11") if is_all else (0, None, False, None)
        if not is_all_of_plain:
            continue  # too many
        shares = set("rxikRX") & set(words[0])
        if outcomes != plain_outcomes or (complete != plain and not shares) or complete > plain:
            raise Failure(f"the plain search differs\n{run.describe()}\n{other.describe()}")
        if shares:
            ordered, outcomes, _, run = explore("-s", "exhaustive:readers=1")
            if (ordered, outcomes) != (plain, plain_outcomes):
                raise Failure(f"the plain search differs\n{run.describe()}\n{other.describe()}")
        if set("BS") & set(words[0]):
            _, ordered, is_all, other = explore("-s", "exhaustive:arrivals=1")
            if is_all and ordered != outcomes:
                raise Failure(f"the order of arrivals shows something else\n{run.describe()}\n{other.describe()}")
        done += 1
        graphs += complete
    print(f"{done} random programs with steps that wait, {graphs} graphs")


# The attempts of undo_line.cpp: counter, what is added, memory order, which results are enough. The number 0 stands for
# the counter's initial value.
ATTEMPTS = {"a": ("left", -1, "acquire", lambda r, n: r >= 1), "b": ("left", -1, "relaxed", lambda r, n: r >= 1),
            "c": ("left", -1, "seq_cst", lambda r, n: r >= 1), "d": ("left", -1, "acquire", lambda r, n: r > 0),
            "e": ("left", 0, "acq_rel", lambda r, n: r >= n), "f": ("left", 0, "acquire", lambda r, n: r == n),
            "i": ("used", 1, "acquire", lambda r, n: r < 1), "j": ("used", 1, "seq_cst", lambda r, n: r < 1)}
OTHER_OPERATIONS = {"A": "atomic_fetch_add_explicit(left,1,memory_order_release)",
                    "E": "atomic_fetch_add_explicit(left,{n},memory_order_release)",
                    "I": "atomic_fetch_sub_explicit(used,1,memory_order_release)",
                    "x": "atomic_fetch_add_explicit(shared,1,memory_order_relaxed)",
                    "X": "atomic_fetch_add_explicit(shared,1,memory_order_seq_cst)",
                    "y": "atomic_load_explicit(shared,memory_order_relaxed)",
                    "Y": "atomic_load_explicit(shared,memory_order_seq_cst)"}


def random_undoing_program(source, observers):
    """Threads that take something of a counter and give it back; sometimes others look at the counter meanwhile."""
    def section():
        take, give = source.choice(["aA", "bA", "cA", "dA", "eE", "fE", "iI", "jI"])
        return take + "".join(source.choices("xyXYp", k=source.randint(0, 2))) + give

    threads = ["".join(section() for _ in range(source.choice([1, 1, 1, 2]))) for _ in range(source.choice([2, 2, 3]))]
    if observers:
        place = source.randrange(len(threads))
        at = source.choice([0, len(threads[place])])
        threads[place] = threads[place][:at] + source.choice("tok") + threads[place][at:]
    return threads, source.choice([1, 2])


def undoing_as_litmus(threads, initial):
    parameters = ", ".join(f"atomic_int* {name}" for name in ("left", "used", "shared"))
    text, enough = f"C undoing\n{{ left={initial}; used=0; shared=0; }}\n", {}
    for t, thread in enumerate(threads):
        text += f"P{t} ({parameters}) {{\n"
        for i, letter in enumerate(thread.replace("p", "")):
            if letter in ATTEMPTS:
                counter, added, order, is_enough = ATTEMPTS[letter]
                operation = "add" if added > 0 else "sub"
                text += (f"  int r{i} = atomic_fetch_{operation}_explicit({counter},{abs(added) or initial},"
                         f"memory_order_{order});\n")
                enough[f"{t}:r{i}"] = is_enough
            else:
                text += f"  int r{i} = {OTHER_OPERATIONS[letter].format(n=initial)};\n"
        text += "}\n"
    # The condition names the registers, so that states show them.
    return text + "exists (" + " /\\ ".join(f"{name}=0" for name in enough) + ")\n", enough


def check_undoing_loops(heddle, folder, count):
    """Iterations that are undone: the outcomes of a search that follows the first ones, and as many complete graphs as
    the litmus test without such iterations has. Every third program has an operation that can tell them."""
    programs = [heddle.compile(HERE / "exhaustive" / "undo_line.cpp", compiler, ["-std=c++20", *flags])
                for compiler in ("gcc", "clang") for flags in (["-O1"], ["-O2"])]
    source = random.Random(20261119)

    def explore(*options):
        run = heddle.run("verify", "--keep-going", "--explain", "none", "--show-output", "-m", model, "-n", "40000", "--bound-loop", "3", *options,
                         "--out", folder / "out", program, "/".join(threads), initial)
        found = SUMMARY.search(run.output)
        if not found:
            raise Failure(run.describe())
        bugs = set(re.findall("^heddle: (data race|deadlock|livelock)", run.output, re.MULTILINE))
        seen = set(re.findall("^seen:.*$", run.output, re.MULTILINE))
        is_all = found[3] == "all explored" or "were cut off at a bound" in run.output and int(found[1]) < 40000
        return int(found[1]), (seen, bugs), is_all, "beginning again" in run.output, run

    done = graphs = begun_again = 0
    for n in range(100 * count):
        if done == count:
            break
        observers = n % 3 == 2
        model, program = ("rc11", "sc")[n % 2], programs[n // 2 % 4]
        threads, initial = random_undoing_program(source, observers)
        _, expected, is_all, _, plain = explore("-s", "exhaustive:undone=1")
        if not is_all or "40000 execution" in plain.output:
            continue
        complete, outcomes, is_all, begins_again, run = explore()
        if not is_all or outcomes != expected:
            raise Failure(f"{sorted(outcomes[0] ^ expected[0])} {outcomes[1] ^ expected[1]}: other outcomes than with undone=1\n"
                          f"{run.describe()}")
        begun_again += begins_again
        if not observers:
            if begins_again:
                raise Failure(f"the loops are not recognised\n{run.describe()}")
            text, enough = undoing_as_litmus(threads, initial)
            test, result = folder / "random.litmus", folder / "result.json"
            test.write_text(text)
            heddle.run("litmus", "--quiet", "--model", model, "--json", result, test)
            record = json.loads(result.read_text())
            wanted = sum(count for state, count in zip(record["states"], record["counts"])
                         if all(is_enough(int(state[name]), initial) for name, is_enough in enough.items()))
            if complete != wanted:
                raise Failure(f"{wanted} graphs have no iteration that is undone:\n{text}\n{run.describe()}")
        done += 1
        graphs += complete
    print(f"{done} random programs that undo and try again, {graphs} complete graphs, {begun_again} began again")


def random_rounds(source):
    """Threads with loops that wait, and with operations that may see what a round writes."""
    threads = [[] for _ in range(source.choice([2, 2, 3]))]
    for thread in threads:
        for _ in range(source.randint(1, 3)):
            thread.append(source.choice("aaaeeewWvfoOptmmlls"))
    words = "/".join("".join(thread) for thread in threads)
    # A thread that waits for as many critical sections as other threads have comes to its end.
    for thread in threads:
        needed = 2 if "W" in thread else 1 if set("wvf") & set(thread) else 0
        if needed > sum(other.count("a") for other in threads if other is not thread):
            return None
    return words if set("ewWvf") & set(words) else None


def check_waiting_rounds(heddle, folder, count):
    """Every outcome of the search that follows each round, up to a bound on loops, and of sampling."""
    program = heddle.compile(HERE / "exhaustive" / "round_line.cpp", flags=["-O1", "-std=c++20"])
    source = random.Random(20261118)

    def outcomes(*command):
        run = heddle.run(*command, "--explain", "none", "--show-output", "--out", folder / "out", program, words)
        return set(re.findall("^seen:.*$", run.output, re.MULTILINE)), run

    done = total = begun_again = 0
    while done < count:
        words = random_rounds(source)
        if words is None:
            continue
        model = ["rc11", "sc", "tso", "pso"][done % 4]
        found, run = outcomes("verify", "--model", model, "--keep-going", "--max-events", "300", "-n", "1000")
        if re.search("livelock|data race", run.output):
            raise Failure(f"a false finding\n{run.describe()}")
        if not re.search(": all explored$", run.output, re.MULTILINE):
            if not set("pt") & set(words):
                raise Failure(f"the search does not end\n{run.describe()}")
            begun_again += 1  # another thread sees what a round writes, so all rounds are explored
            done += 1
            continue
        for other in (["verify", "--keep-going", "-s", "exhaustive:undone=1", "--bound-loop", "3", "-n", "2000"],
                      ["test", "-s", "random", "-n", "300"]):
            expected, plain = outcomes(*other, "--model", model)
            if not expected <= found:
                raise Failure(f"the search does not see {expected - found}\n{run.describe()}\n{plain.describe()}")
        if len(found) < 2:
            continue  # nothing to see
        done += 1
        total += len(found)
    print(f"{done} random programs with rounds that write, {total} outcomes, {begun_again} began again")


KINDS = {"waiting_rounds": check_waiting_rounds, "undoing_loops": check_undoing_loops, "straight_lines": check_straight_lines, "waiting_loops": check_waiting_loops, "retry_loops": check_retry_loops,
         "weak_exchanges": check_weak_exchanges,
         "locks": check_locks, "synchronisation": check_synchronisation, "waiting_steps": check_waiting_steps}


def add_options(parser):
    parser.add_argument("--kind", choices=KINDS, action="append", help="programs of this kind only [all]")
    parser.add_argument("--programs", type=int, default=40, help="of each kind [40]")


def check_all(heddle, folder, arguments):
    for kind in arguments.kind or KINDS:
        KINDS[kind](heddle, folder, arguments.programs)


if __name__ == "__main__":
    sys.exit(run_checks(__doc__, check_all, add_options))
