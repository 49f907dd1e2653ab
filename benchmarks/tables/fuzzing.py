#!/usr/bin/env python3
"""Tables 4.1 to 4.6, 5.1 and 5.2 and figures 5.8, 5.10 and 5.12 of "Fuzzing for concurrent programs under C/C++ weak memory
model" (Li, Delft 2024), with our own versions of its programs, the thesis's figures beside ours; and the curves of distinct
graphs over executions.

Writes fuzzing.json and curves.svg to --out. See docs/fuzzing.md for where heddle departs from the thesis.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import plot  # noqa: E402

PROGRAMS = HERE.parent / "programs"
CUTS = ["revisit", "minimal", "maximal"]

# The thesis's figures: random, fuzzer.
TABLE_4_1 = {"long_race": (None, 453), "mp": (686, 210), "p1": (678, 48), "reorder": (176, 81)}
# Figure 5.8 and figures 5.10 to 5.13 are plots whose values stand nowhere in the text.
FIGURE_5_8 = {
    "P1": ("fuzzing/p1.cpp", []), "long_race": ("fuzzing/long_race.cpp", []), "mp": ("fuzzing/mp.cpp", []),
    "stack_bug": ("fuzzing/stack_bug.cpp", []), "stack_oddeven": ("fuzzing/stack_oddeven.cpp", []),
    "stack_oddeven2": ("fuzzing/stack_oddeven2.cpp", []), "buggy_queue": ("fuzzing/buggy_queue.cpp", []),
    "buf_ring_bug": ("fuzzing/buf_ring_bug.cpp", []),
}
# Program, its source, the graphs of table 4.2 and 4.3, the buggy ones of table 4.5 and 4.6.
TABLE_4_2 = {
    "barrier": ("buggy/barrier", (6969, 7741), (5789, 6993)),
    "chase-lev-deque": ("buggy/cldeque", (6244, 8505), (5895, 5858)),
    "mpmc-queue": ("buggy/mpmcqueue", (4185, 6373), (2341, 5858)),
    "linuxrwlocks": ("buggy/linuxrwlocks", (981, 1225), (976, 1220)),
    "mcs-lock": ("buggy/mcslock", (9703, 9994), (8525, 9418)),
    "dekker": ("buggy/dekker", (395, 494), (5, 5)),
    "rwlock-test": ("buggy/rwlock", (9998, 9997), (4697, 4736)),
    "seqlock-test": ("buggy/seqlock", (6137, 7962), (3872, 5009)),
    "bipartite-buf": ("fuzzing/bipartite_buffer", (297, 340), (297, 340)),
    "left-right": ("fuzzing/left_right", (5378, 6678), (1478, 1488)),
    "ring-buf": ("fuzzing/ring_buf", (328, 576), (328, 576)),
}
# The parameters of table 4.4: d, k, h.
TABLE_4_4 = {"barrier": (1, 10, 2), "chase-lev-deque": (2, 56, 1), "mcs-lock": (1, 16, 1), "seqlock-test": (4, 18, 1),
             "linuxrwlocks": (5, 100, 10), "mpmc-queue": (2, 17, 2)}
# Program, its source and size; graphs: random, revisit, minimal, maximal; events: all, revisit, minimal, maximal.
TABLE_5_1 = {
    "ring-buffer": ("fuzzing/ring_buffer", ["-DTHREADS=2"], (6953, 16449, 30803, 49290), (102.18, 81.88, 41.15, 94.11)),
    "linuxrwlocks": ("fixed/linuxrwlocks", [], (9658, 10699, 27459, 20666), (77.26, 59.79, 30.79, 54.03)),
    "mpmc-queue": ("fuzzing/mpmc_queue", [], (23145, 49506, 53003, 66422), (85.24, 59.57, 31.75, 73.95)),
    "ms-queue": ("fuzzing/ms_queue", ["-DELEMENTS=1"], (13746, 31404, 23078, 32792), (172.85, 136.0, 66.13, 159.68)),
    "treiber-stack": ("fuzzing/treiber_stack", ["-DTHREADS=2"], (9029, 28005, 41201, 53892), (113.5, 83.98, 53.51, 99.49)),
    "ttaslock": ("fuzzing/ttas_lock", ["-DTHREADS=2"], (8633, 8982, 10430, 10245), (65.35, 59.41, 21.76, 51.88)),
}
FIRST_BUG_LIMIT = 10000
LONG_ASSERT_LIMIT = 20000
LONG_ASSERT_SEEDS = 30


class Bench:
    def __init__(self, heddle, seeds, scale, folder):
        self.heddle, self.seeds, self.scale, self.folder = heddle, seeds, scale, folder
        self.rows, self.results = [], {}

    def build(self, source, flags=()):
        source = source if source.endswith((".c", ".cpp")) else f"{source}.cpp"
        binary = self.folder / ("-".join([source.replace("/", "-"), *flags]).replace("=", ""))
        compiler = ["cc"] if source.endswith(".c") else ["c++", "-std=c++20"]
        if not binary.exists():
            subprocess.run([self.heddle, *compiler, "-O1", *flags, PROGRAMS / source, "-o", binary], check=True)
        return binary

    def run(self, source, strategy, runs, seed=1, flags=(), extra=()):
        key = (source, strategy, runs, seed, tuple(flags), tuple(extra))
        if key in self.results:
            return self.results[key]
        result = self.folder / "result.json"
        run = subprocess.run([self.heddle, "test", "-q", "--explain", "none", "-s", strategy, "-n", str(runs), "--seed", str(seed),
                              "--json", result, "--out", self.folder / "out", *extra, self.build(source, flags)],
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if run.returncode not in (0, 1):
            sys.exit(f"heddle test -s {strategy} {source} ended with exit code {run.returncode}: {run.stderr}")
        self.results[key] = json.loads(result.read_text())
        return self.results[key]

    def first_bug(self, source, strategy, flags=(), model="rc11", limit=FIRST_BUG_LIMIT, seeds=None):
        """The mean number of executions until the first bug; executions without one count as the limit."""
        total = 0
        for seed in range(1, (seeds or self.seeds) + 1):
            total += self.run(source, strategy, limit, seed, flags, ["--stop-on-bug", "-m", model])["executions"]
        return total / (seeds or self.seeds)

    def graphs(self, source, strategy, runs, flags=()):
        return self.run(source, strategy, max(1, int(runs * self.scale)), 1, flags)

    def book(self, table, program, strategy, published, measured):
        self.rows.append({"table": table, "program": program, "strategy": strategy, "thesis": published, "heddle": measured})


def pair(published, measured):
    before = "-" if published is None else f"{published:g}"
    return f"{before:>8} {measured:8.0f}  "


def heading(title, columns):
    print(f"\n{title}\n{'':<17}" + "".join(f"{column:<19}" for column in columns))
    print(f"{'':<17}" + "".join(f"{'thesis   heddle':>17}  " for _ in columns))


def table_4_1(bench, _):
    """Under c11, the model of C11Tester, which the thesis used, and under rc11."""
    strategies = ["random", "fuzz:mutate=trace", "fuzz:mutate=minimal", "fuzz", "auto"]
    programs = {**{name: (f"fuzzing/{name}", []) for name in TABLE_4_1},
                **{f"relay_{steps}": ("fuzzing/relay", [f"-DSTEPS={steps}"]) for steps in (4, 8)}}
    for model in ("c11", "rc11"):
        heading(f"Table 4.1, -m {model}: executions until the first bug, mean of {bench.seeds} seeds", strategies)
        for program, (source, flags) in programs.items():
            known = TABLE_4_1.get(program, (None, None)) if model == "c11" else (None, None)
            line = f"{program:<17}"
            for strategy in strategies:
                published = known[0] if strategy == "random" else known[1] if strategy == "fuzz:mutate=trace" else None
                measured = bench.first_bug(source, strategy, flags, model)
                bench.book(f"4.1 {model}", program, strategy, published, measured)
                line += pair(published, measured)
            print(line, flush=True)


def figure_5_8(bench, _):
    strategies = ["random", *(f"fuzz:mutate={cut}" for cut in CUTS), "fuzz", "auto"]
    heading(f"Figure 5.8: executions until the first bug, mean of {bench.seeds} seeds", strategies)
    for program, (source, flags) in FIGURE_5_8.items():
        line = f"{program:<17}"
        for strategy in strategies:
            measured = bench.first_bug(source, strategy, flags)
            bench.book("5.8", program, strategy, None, measured)
            line += pair(None, measured)
        print(line, flush=True)


def figure_5_10(bench, _):
    """Listing 5.1, with the assertion up to 5 (figure 5.10) and up to N (figure 5.12)."""
    strategies = ["random", *(f"fuzz:mutate={cut}" for cut in CUTS), "fuzz", "auto", "exhaustive"]
    seeds = min(bench.seeds, LONG_ASSERT_SEEDS) if bench.scale < 1 else LONG_ASSERT_SEEDS
    for figure, sizes in (("5.10", range(5, 10)), ("5.12", range(5, 8))):
        heading(f"Figure {figure}: executions until the first bug of listing 5.1, at most {LONG_ASSERT_LIMIT}, mean of {seeds} "
                "seeds", strategies)
        for n in sizes:
            flags, line = [f"-DN={n}", f"-DLAST={5 if figure == '5.10' else n}"], f"{f'N = {n}':<17}"
            for strategy in strategies:
                # A search is the same for every seed.
                measured = bench.first_bug("fuzzing/long_assert.c", strategy, flags, "rc11", LONG_ASSERT_LIMIT,
                                           1 if strategy == "exhaustive" else seeds)
                bench.book(figure, f"N = {n}", strategy, None, measured)
                line += pair(None, measured)
            print(line, flush=True)


def table_4_2(bench, _):
    strategies = ["random", "fuzz:mutate=trace", "fuzz"]
    heading("Tables 4.2 and 4.3: distinct graphs in 10,000 executions", strategies)
    gains = {strategy: [] for strategy in strategies}
    for program, (source, known, _) in TABLE_4_2.items():
        line, first = f"{program:<17}", None
        for strategy in strategies:
            published = known[0] if strategy == "random" else known[1] if strategy == "fuzz:mutate=trace" else None
            measured = bench.graphs(source, strategy, 10000)["distinct_graphs"]
            first = first or measured
            gains[strategy].append(measured / first - 1)
            bench.book("4.2", program, strategy, published, measured)
            line += pair(published, measured)
        print(line, flush=True)
    means = {strategy: 100 * sum(gain) / len(gain) for strategy, gain in gains.items()}
    medians = {strategy: 100 * statistics.median(gain) for strategy, gain in gains.items()}
    print(f"{'mean gain, %':<17}" + pair(0, 0) + pair(27.0, means["fuzz:mutate=trace"]) + pair(None, means["fuzz"]))
    print(f"{'median gain, %':<17}" + pair(0, 0) + pair(24.9, medians["fuzz:mutate=trace"]) + pair(None, medians["fuzz"]))
    bench.book("4.2", "mean gain", "fuzz:mutate=trace", 27.0, means["fuzz:mutate=trace"])
    bench.book("4.2", "median gain", "fuzz:mutate=trace", 24.9, medians["fuzz:mutate=trace"])


def table_4_4(bench, _):
    strategies = ["pctwm", "random", "fuzz"]
    heading("Table 4.4 and figure 4.5: distinct graphs in 10,000 executions, pctwm with the thesis's parameters", strategies)
    for program, (d, k, h) in TABLE_4_4.items():
        line = f"{program:<17}"
        for name, strategy in (("pctwm", f"pctwm:d={d},k={k},h={h}"), ("random", "random"), ("fuzz", "fuzz")):
            measured = bench.graphs(TABLE_4_2[program][0], strategy, 10000)["distinct_graphs"]
            bench.book("4.4", program, name, None, measured)
            line += pair(None, measured)
        print(line, flush=True)


def table_4_5(bench, _):
    strategies = ["random", "fuzz:mutate=trace", "fuzz"]
    heading("Tables 4.5 and 4.6: distinct buggy graphs in 10,000 executions", strategies)
    for program, (source, _, known) in TABLE_4_2.items():
        line = f"{program:<17}"
        for strategy in strategies:
            published = known[0] if strategy == "random" else known[1] if strategy == "fuzz:mutate=trace" else None
            measured = bench.graphs(source, strategy, 10000)["coverage"]["buggy_graphs"]
            bench.book("4.5", program, strategy, published, measured)
            line += pair(published, measured)
        print(line, flush=True)


def table_5_1(bench, _):
    columns = ["random", *CUTS, "mix"]
    heading("Table 5.1: distinct graphs in 100,000 executions", columns)
    mean, best = [], []
    for program, (source, flags, known, _) in TABLE_5_1.items():
        line, values = f"{program:<17}", []
        for i, column in enumerate(columns):
            strategy = "random" if column == "random" else f"fuzz:mutate={column}"
            measured = bench.graphs(source, strategy, 100000, flags)["distinct_graphs"]
            published = known[i] if i < len(known) else None
            values.append(measured)
            bench.book("5.1", program, column, published, measured)
            line += pair(published, measured)
        mean.append(sum(values[1:4]) / 3 / values[0] - 1)
        best.append(max(values[1:4]) / values[0] - 1)
        print(line, flush=True)
    for what, gains, published in (("mean gain of the cuts", mean, 181.6), ("mean gain of the best cut", best, None)):
        bench.book("5.1", what, "", published, 100 * sum(gains) / len(gains))
        print(f"{what}: {100 * sum(gains) / len(gains):.1f} %" + (f" (the thesis: {published} %)" if published else ""))


def table_5_2(bench, _):
    columns = ["events", *CUTS]
    heading("Table 5.2: events of an execution, and of the plans that cuts make, on average", columns)
    for program, (source, flags, _, known) in TABLE_5_1.items():
        line = f"{program:<17}"
        for i, column in enumerate(columns):
            figures = bench.graphs(source, "random" if i == 0 else f"fuzz:mutate={column}", 100000, flags)
            measured = figures["events"] / figures["executions"] if i == 0 else figures["coverage"].get("mean_plan_events", 0)
            bench.book("5.2", program, column, known[i], measured)
            line += pair(known[i], measured)
        print(line, flush=True)


def curves(bench, out):
    """Distinct graphs over executions, in per cent of the most that any strategy showed."""
    names = {"random": "random", "pctwm": "pctwm", "surw": "surw", "trace": "fuzz:mutate=trace", "revisit": "fuzz:mutate=revisit",
             "minimal": "fuzz:mutate=minimal", "maximal": "fuzz:mutate=maximal", "mix": "fuzz"}
    figures, most = {}, {}
    for program, (source, _, _) in TABLE_4_2.items():
        figures[program] = {}
        for name, strategy in names.items():
            points = bench.graphs(source, strategy, 10000)["coverage"]["over_time"]
            figures[program][name] = [(point["executions"], point["graphs"]) for point in points]
        most[program] = max(points[-1][1] for points in figures[program].values())
    (out / "curves.svg").write_text(plot.growth("Distinct graphs over executions, % of the most", list(figures), list(names),
                                                figures, most))
    print(f"\ncurves: {out / 'curves.svg'}")


PARTS = {"table4.1": table_4_1, "figure5.8": figure_5_8, "figure5.10": figure_5_10, "table4.2": table_4_2, "table4.4": table_4_4, "table4.5": table_4_5, "table5.1": table_5_1,
         "table5.2": table_5_2, "curves": curves}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", required=True, help="the heddle command")
    parser.add_argument("--seeds", type=int, default=20, help="campaigns of which table 4.1 takes the mean [20]")
    parser.add_argument("--scale", type=float, default=1, help="factor for the executions of the other tables [1]")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("tables"), help="folder for the results [tables]")
    parser.add_argument("--only", choices=PARTS, help="one of them [all]")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(pathlib.Path(options.heddle).resolve(), options.seeds, options.scale, pathlib.Path(name))
        for part in [options.only] if options.only else PARTS:
            PARTS[part](bench, options.out)
    (options.out / "fuzzing.json").write_text(json.dumps(bench.rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
