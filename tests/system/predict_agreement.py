#!/usr/bin/env python3
"""heddle predict agrees with heddle verify on random small programs: every cycle that an execution has is predicted and
confirmed, and no other cycle is confirmed.

The programs are arguments of predict/program.cpp, which prints what the operations have read. Stores write different
values, and at most two plain stores are to one location, so that these values and the last ones tell the execution graph.
The cycles of each graph are found here, without heddle's code.
"""
import itertools
import json
import pathlib
import random
import re
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from heddle_tool import Failure, run_checks  # noqa: E402

SOURCE = HERE / "predict" / "program.cpp"
MODELS = ["tso", "pso", "pslo", "rc11"]
ORDERS = {"L": ["relaxed", "acquire", "seq_cst"], "S": ["relaxed", "release", "seq_cst"],
          "X": ["relaxed", "acquire", "release", "acq_rel", "seq_cst"], "F": ["acquire", "release", "acq_rel", "seq_cst"]}
LOCATIONS, MOST_OPERATIONS = 3, 6
TRIAL_RUNS = 1000  # some cycles need a rare combination of reads by other accesses
# The classic programs of two threads, two accesses each.
SHAPES = {"SB": ("S0 L1", "S1 L0"), "MP": ("S0 S1", "L1 L0"), "LB": ("L0 S1", "L1 S0"), "S": ("S0 S1", "L1 S0"), "R": ("S0 S1", "S1 L0"),
          "2+2W": ("S0 S1", "S1 S0")}
FENCES = ("release", "acquire", "seq_cst")  # between the accesses
STRENGTHS = {"relaxed": {}, "release and acquire": {"S": "release", "L": "acquire"}, "seq_cst": {"S": "seq_cst", "L": "seq_cst"}}
# Programs that heddle predict once got wrong, and some of more threads.
KNOWN = ["S.0.relaxed.1,F.0.release,S.1.relaxed.2/L.1.relaxed,L.0.relaxed",
         "S.0.relaxed.1,S.1.release.2/L.1.relaxed,L.0.relaxed",
         "S.0.relaxed.1,F.0.release,L.1.relaxed/S.1.relaxed.2,F.0.release,L.0.relaxed",
         "X.0.relaxed.1,L.1.relaxed/X.1.relaxed.2,L.0.relaxed",
         "S.0.relaxed.1,S.1.relaxed.2/S.1.relaxed.3,S.0.relaxed.4",
         "S.0.relaxed.1/S.1.relaxed.2/L.0.relaxed,L.1.relaxed/L.1.relaxed,L.0.relaxed",
         "S.0.relaxed.1/L.0.relaxed,S.1.relaxed.2/L.1.relaxed,L.0.relaxed",
         # a cycle from a write over another write to its read, and one from a read of a store in the buffer
         "L.0.relaxed,S.1.relaxed.4/L.0.seq_cst,S.0.relaxed.5/L.1.relaxed,S.0.relaxed.6",
         "L.2.relaxed,L.1.seq_cst/S.0.relaxed.2,L.1.relaxed,S.2.relaxed.8/S.2.relaxed.3,L.2.relaxed,L.0.relaxed"]


def classic_programs():
    """Each shape with memory orders, with fences, and with exchanges in place of stores."""
    variants = [(orders, None, "S") for orders in STRENGTHS.values()]
    variants += [({}, fence, "S") for fence in FENCES] + [({}, None, "X"), ({}, "release", "X")]
    for threads in SHAPES.values():
        for orders, fence, writing in variants:
            value, texts = 0, []
            for thread in threads:
                words = []
                for kind, location in thread.split():
                    value += 1
                    words.append(f"{writing if kind == 'S' else kind}.{location}.{orders.get(kind, 'relaxed')}" +
                                 (f".{value}" if kind == "S" else ""))
                texts.append((f",F.0.{fence}," if fence else ",").join(words))
            yield "/".join(texts)


def random_program(source):
    threads = [[] for _ in range(source.choice([2, 2, 2, 3, 3, 4]))]
    locations = source.randint(2, LOCATIONS)
    stores = [0] * locations
    for i in range(source.randint(2 * len(threads), 9)):
        thread = threads[i % len(threads)] if i < 2 * len(threads) else source.choice(threads)
        kind, location = source.choice("LLLSSSXF"), source.randrange(locations)
        if kind == "S" and stores[location] == 2 or len(thread) == MOST_OPERATIONS:
            continue
        stores[location] += kind == "S"
        order = source.choice(ORDERS[kind] + ["relaxed"] * (3 if kind != "F" else 0))
        thread.append(f"{kind}.{location}.{order}" + (f".{i + 1}" if kind in "SX" else ""))
    return "/".join(",".join(thread) for thread in threads if thread)


class Access:
    def __init__(self, thread, index, words):
        self.thread, self.index, self.kind, self.location = thread, index, words[0], int(words[1])
        self.writes, self.reads = self.kind in "SX", self.kind in "LX"
        self.value = int(words[3]) if self.writes else 0
        self.label = 6 * thread + index


def parse(program):
    return [Access(t, i, word.split(".")) for t, thread in enumerate(program.split("/"))
            for i, word in enumerate(thread.split(","))]


def modification_order(accesses, location, read, last):
    """The values of the location, oldest first. An exchange is right behind the write that it reads; the rest are at most
    two plain stores with the exchanges behind them, of which the last value tells the second."""
    following = {read[a.label]: a.value for a in accesses if a.location == location and a.kind == "X"}

    def chain(value):
        while True:
            yield value
            if value not in following:
                return
            value = following[value]

    chains = [list(chain(a.value)) for a in accesses if a.location == location and a.kind == "S"]
    chains.sort(key=lambda values: values[-1] == last)
    order = sum([list(chain(0)), *chains], [])
    if order[-1] != last:
        raise Failure(f"location {location}: {last} is not the last of {order}")
    return order


def conflicts(accesses, values):
    """The pairs of labels of different threads that are ordered by their location."""
    read, at = dict(zip((a.label for a in accesses), values)), {}
    for location in range(LOCATIONS):
        order = modification_order(accesses, location, read, values[len(accesses) + location])
        for a in accesses:
            if a.location == location and a.kind != "F":
                at[a.label] = order.index(a.value if a.writes else read[a.label])
    return {(a.label, b.label) for a, b in itertools.permutations(accesses, 2)
            if "F" not in (a.kind, b.kind) and a.thread != b.thread and a.location == b.location and
            (at[a.label] < at[b.label] if b.writes else a.writes and at[a.label] <= at[b.label])}


def pairs_of(accesses):
    """The pairs that may be a part of a cycle: of different locations in program order, or one write."""
    return [(a, b) for a in accesses for b in accesses if a.thread == b.thread and "F" not in (a.kind, b.kind) and
            (a.index < b.index and a.location != b.location or a is b and a.writes)]


def cycles_of(pairs, ordered):
    """Sequences of pairs of different threads, each beginning with its smallest label."""
    def extend(chain):
        if (chain[-1][1].label, chain[0][0].label) in ordered and len(chain) > 1:
            found.add(tuple((a.label, b.label) for a, b in chain))
        for pair in pairs:
            if pair[0].thread > chain[0][0].thread and all(pair[0].thread != other[0].thread for other in chain) and \
                    (chain[-1][1].label, pair[0].label) in ordered:
                extend([*chain, pair])

    found = set()
    for pair in pairs:
        extend([pair])
    # A cycle at one location is in no execution.
    return found


def seen_by_verify(heddle, folder, binary, program, model):
    """The cycles of each execution graph."""
    run = heddle.run("verify", "--show-output", "--keep-going", "--explain", "none", "-m", model, "--out", folder / "out", binary, program)
    outcomes = set(re.findall("^seen: (.*)$", run.output, re.MULTILINE))
    if run.code != 0 or not outcomes:
        raise Failure(run.describe())
    accesses = parse(program)
    pairs = pairs_of(accesses)
    return [cycles_of(pairs, conflicts(accesses, [int(word) for word in outcome.split()])) for outcome in outcomes]


def seen_by_predict(heddle, folder, binary, program, models, first_line, length):
    result = folder / "result.json"
    run = heddle.run("predict", "-q", "-m", ",".join(models), "--cycle-length", str(length), "--trial-runs",
                     str(TRIAL_RUNS), "--json", result, "--out", folder / "out", binary, program)
    if run.code != 0:
        raise Failure(run.describe())
    cycles = {}
    for cycle in json.loads(result.read_text())["cycles"]:
        labels = [tuple(access["line"] - first_line for access in pair) for pair in cycle["pairs"]]
        labels = [(pair[0], pair[-1]) for pair in labels]
        smallest = labels.index(min(labels))
        cycles[tuple(labels[smallest:] + labels[:smallest])] = {
            model: cycle["models"].get(model, {}).get("confirmed", 0) for model in models}
    return cycles


def compare(predicted, graphs, model):
    feasible = set().union(*graphs)
    for cycle, confirmed in predicted.items():
        if confirmed[model] and cycle not in feasible:
            yield f"{model} excludes the cycle {cycle}, which was confirmed"
        if not confirmed[model] and cycle in feasible:
            yield f"{model} shows the cycle {cycle}, which was not confirmed"
    for cycle in feasible:
        if len(cycle) == 2 and cycle not in predicted:
            yield f"{model} shows the cycle {cycle}, which was not predicted"
    for cycles in graphs:
        # Of longer cycles, those that contain a shorter one are not predicted.
        if cycles and not any(cycle in predicted for cycle in cycles):
            yield f"{model} shows cycles, none of which was predicted: {sorted(cycles)[0]}"


def check_all(heddle, folder, arguments):
    binary = heddle.compile(SOURCE, "gcc", ["-std=c++20", "-O1", "-g"])
    lines = SOURCE.read_text().splitlines()
    first_line = next(i for i, line in enumerate(lines, 1) if line.endswith("// LINES")) + 1
    source = random.Random(arguments.seed)
    fixed = KNOWN + list(classic_programs())
    programs = fixed + [random_program(source) for _ in range(arguments.programs)]
    in_all_models = len(programs) if arguments.all_models else len(fixed) if arguments.classics else len(KNOWN)
    problems, predictions, confirmations, graph_count = [], 0, 0, 0
    for n, program in enumerate(programs):
        models = MODELS if n < in_all_models else [MODELS[n % len(MODELS)]]
        length = 2 * max(2, len(program.split("/")))
        predicted = seen_by_predict(heddle, folder, binary, program, models, first_line, length)
        for model in models:
            graphs = seen_by_verify(heddle, folder, binary, program, model)
            problems += [f"{program}: {problem}" for problem in compare(predicted, graphs, model)]
            predictions += len(predicted)
            confirmations += sum(cycle[model] != 0 for cycle in predicted.values())
            graph_count += len(graphs)
    print("<!-- make tables: predict and verify -->\n\n"
          "| programs | execution graphs | predicted cycles | confirmed | disagreements |\n|---|---|---|---|---|\n"
          f"| {len(programs):,} | {graph_count:,} | {predictions:,} | {confirmations:,} | {len(problems)} |\n")
    if problems:
        raise Failure(f"{len(problems)} disagreements:\n" + "\n".join(problems))


def add_options(parser):
    parser.add_argument("--programs", type=int, default=60, help="random programs [60]")
    parser.add_argument("--seed", type=int, default=37, help="of the programs [37]")
    parser.add_argument("--classics", action="store_true", help="the classic programs under all models, not under one")
    parser.add_argument("--all-models", action="store_true", help="each program under all models, not under one")


if __name__ == "__main__":
    sys.exit(run_checks(__doc__, check_all, add_options))
