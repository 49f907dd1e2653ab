#!/usr/bin/env python3
"""heddle verify finds exactly the histories of small registers that an independent enumerator finds.

The subject is one atomic variable with three operations of random kinds and memory orders. The enumerator here knows nothing of
heddle's search: it tries every client, every write that a read may read from and every modification order, and keeps what the
axioms of RC11 allow. The sets of histories (client, results, which call comes before which) have to be equal. Sampling finds a
subset. With --subjects N, N random subjects; the default takes a few seconds.
"""

import argparse
import itertools
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ORDERS = {
    "load": ["relaxed", "acquire", "seq_cst"],
    "store": ["relaxed", "release", "seq_cst"],
    "exchange": ["relaxed", "acquire", "release", "acq_rel", "seq_cst"],
}


def closure(size, pairs):
    after = [set() for _ in range(size)]
    for a, b in pairs:
        after[a].add(b)
    for middle in range(size):
        for a in range(size):
            if middle in after[a]:
                after[a] |= after[middle]
    return after


def partial_orders(threads):
    """Every partial order of the calls that contains program order, as sets of pairs. threads: of each call."""
    size = len(threads)
    po = {(a, b) for a in range(size) for b in range(a + 1, size) if threads[a] == threads[b]}
    cross = [(a, b) for a in range(size) for b in range(size) if threads[a] != threads[b]]
    for chosen in itertools.product([False, True], repeat=len(cross)):
        pairs = po | {pair for pair, is_in in zip(cross, chosen) if is_in}
        after = closure(size, pairs)
        if all(a not in after[a] for a in range(size)) and {(a, b) for a in range(size) for b in after[a]} == pairs:
            yield pairs


def histories_of_client(threads, operations, waits):
    """The histories of one client: for each call its result and the calls before it. waits: pairs (earlier, later)."""
    size = len(threads)
    calls = range(size)
    kind = [operation.split(":")[0] for operation in operations]
    order = [operation.split(":")[1] for operation in operations]
    writes = [i for i in calls if kind[i] != "load"]
    reads = [i for i in calls if kind[i] != "store"]
    po = [(a, b) for a in calls for b in range(a + 1, size) if threads[a] == threads[b]]
    begins_after = closure(size, set(po) | set(waits))  # without what the register itself synchronises
    if any(i in begins_after[i] for i in calls):
        return
    acquires = {"acquire", "acq_rel", "seq_cst"}
    releases = {"release", "acq_rel", "seq_cst"}
    for sources in itertools.product([None, *writes], repeat=len(reads)):
        rf = dict(zip(reads, sources))
        rmw_sources = [rf[i] for i in reads if kind[i] == "exchange"]
        if len(rmw_sources) != len(set(rmw_sources)) or any(rf[i] == i for i in reads):
            continue
        base = {(a, b) for a in calls for b in begins_after[a]}
        order_of_execution = closure(size, base | {(rf[i], i) for i in reads if rf[i] is not None})
        if any(i in order_of_execution[i] for i in calls):
            continue
        sw = set()
        for read in reads:
            if order[read] not in acquires:
                continue
            write = rf[read]
            while write is not None:  # back along the release sequence
                if order[write] in releases:
                    sw.add((write, read))
                write = rf[write] if kind[write] == "exchange" else None
        hb = closure(size, base | sw)
        if any(i in hb[i] for i in calls):
            continue
        for mo in itertools.permutations(writes):
            place = {write: i for i, write in enumerate(mo, 1)}
            place[None] = 0
            if is_coherent(calls, kind, rf, place, hb):
                results = tuple((place_value(rf[i]) if i in rf else 0) for i in calls)
                yield results, tuple(before(i, calls, threads, waits, hb) for i in calls)


def place_value(write):
    return 0 if write is None else write + 1


def is_coherent(calls, kind, rf, place, hb):
    for i in calls:
        if kind[i] == "exchange" and place[i] != place[rf[i]] + 1:
            return False  # atomicity: rmw & (rb;mo) is empty
    for a in calls:
        for b in hb[a]:
            # The newest write that a makes or reads, and the oldest that b makes or reads.
            newest = place[a] if kind[a] != "load" else place[rf[a]]
            if kind[b] != "store" and place[rf[b]] < newest:
                return False
            if kind[b] == "store" and place[b] <= newest:
                return False
    return True


def before(call, calls, threads, waits, hb):
    """The calls whose events all happen before the begin of this one."""
    last = [i for i in calls if threads[i] == threads[call] and i < call][-1:] + [a for a, b in waits if b == call]
    return frozenset(a for a in calls if any(a == b or b in hb[a] for b in last))


def canonical(threads, operations, pairs, results, befores):
    """A history up to exchange of threads."""
    size = len(threads)
    forms = []
    names = sorted(set(threads))
    for exchange in itertools.permutations(names):
        renamed = {old: new for old, new in zip(names, exchange)}
        sequence = sorted(range(size), key=lambda i: (renamed[threads[i]], i))
        position = {old: new for new, old in enumerate(sequence)}

        def moved(result):
            return 0 if result == 0 else position[result - 1] + 1

        forms.append(
            (
                tuple(renamed[threads[i]] for i in sequence),
                tuple(operations[i] for i in sequence),
                tuple(sorted((position[a], position[b]) for a, b in pairs)),
                tuple(moved(results[i]) for i in sequence),
                tuple(tuple(sorted(position[a] for a in befores[i])) for i in sequence),
            )
        )
    return min(forms)


def expected_histories(operations, most_calls, most_threads):
    expected = set()
    for size in range(1, most_calls + 1):
        for threads in itertools.combinations_with_replacement(range(1, most_threads + 1), size):
            if set(threads) != set(range(1, max(threads) + 1)):
                continue
            for pairs in partial_orders(threads):
                waits = {(a, b) for a, b in pairs if threads[a] != threads[b]}
                for letters in itertools.product(range(len(operations)), repeat=size):
                    chosen = [operations[i] for i in letters]
                    for results, befores in histories_of_client(threads, chosen, waits):
                        expected.add(canonical(threads, letters, pairs, results, befores))
    return expected


def read_histories(path, operations):
    found = set()
    for line in set(path.read_text().splitlines()):
        calls, waits = line.split("|")
        threads, letters, results, befores = [], [], [], []
        for call in calls.split():
            head, before_text = call.split("<")
            thread, rest = head.split(":")
            letter, result = rest.split("=")
            threads.append(int(thread))
            letters.append(int(letter))
            results.append(int(result) if not operations[int(letter)].startswith("store") else 0)
            befores.append(frozenset(int(i) for i in before_text.split(".") if i))
        size = len(threads)
        po = {(a, b) for a in range(size) for b in range(a + 1, size) if threads[a] == threads[b]}
        edges = {tuple(int(i) for i in wait.split("<")) for wait in waits.split()}
        after = closure(size, po | edges)
        pairs = {(a, b) for a in range(size) for b in after[a]}
        found.add(canonical(threads, letters, pairs, results, befores))
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--subjects", type=int, default=4)
    parser.add_argument("--calls", type=int, default=3)
    parser.add_argument("--samples", type=int, default=3000)
    arguments = parser.parse_args()
    heddle = arguments.build.resolve() / "bin" / "heddle"
    problems = 0
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "registers"
        source = HERE / "linearizability" / "registers.cpp"
        subprocess.run([heddle, "c++", "-std=c++17", "-O1", "-g", source, "-o", program], check=True)
        for subject in range(arguments.subjects):
            drawn = random.Random(subject)
            kinds = [drawn.choice(list(ORDERS)) for _ in range(3)]
            operations = [f"{kind}:{drawn.choice(ORDERS[kind])}" for kind in kinds]
            expected = expected_histories(operations, arguments.calls, 2)
            for ways in (["verify"], ["test", "-s", "random", "-n", str(arguments.samples)]):
                log = pathlib.Path(folder) / "histories"
                log.unlink(missing_ok=True)
                command = [heddle, *ways, "--quiet", program, log, str(arguments.calls), "2", *operations]
                subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
                found = read_histories(log, operations)
                missing = expected - found if ways[0] == "verify" else set()
                for history in sorted(missing)[:3]:
                    print(f"{operations}: {ways[0]} does not find {history}")
                for history in sorted(found - expected)[:3]:
                    print(f"{operations}: {ways[0]} finds {history}, which the axioms forbid")
                problems += len(missing) + len(found - expected)
                print(f"{' '.join(operations)}: {ways[0]}: {len(found)} of {len(expected)} histories")
    return 1 if problems else 0


sys.exit(main())
