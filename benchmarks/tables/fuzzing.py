#!/usr/bin/env python3
"""The tables and figures of chapters 4 and 5 of "Fuzzing for concurrent programs under C/C++ weak memory model" (Li, Delft 2024),
with our own versions of its programs, the thesis's figures beside ours; and the curves of distinct graphs over executions.

Executions count, with fixed seeds, so that every run prints the same numbers. Times are CPU times. What the thesis claims is
checked, and the exit code is 1 if it does not hold. Writes fuzzing.json and curves.svg to --out. docs/internals/fuzzing.md says where
heddle departs from the thesis.
"""
import argparse
import json
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import fuzzing_thesis as thesis  # noqa: E402
import page  # noqa: E402
import plot  # noqa: E402

PROGRAMS = HERE.parent / "programs"
CUTS = ["revisit", "minimal", "maximal"]
FIRST_BUG_LIMIT = 10000
LONG_ASSERT_LIMIT = 20000
LONG_ASSERT_SEEDS = 30
# Trace mutation may need this many times the executions of the thesis, and fuzzing of listing 5.1 this part of random's.
MOST_OF_THESIS, MOST_OF_RANDOM = 1.5, 0.5


class Bench:
    def __init__(self, heddle, seeds, scale, folder, out):
        self.heddle, self.seeds, self.scale, self.folder, self.out = heddle, seeds, scale, folder, out
        self.rows, self.results, self.problems = [], {}, []

    def build(self, source, flags=()):
        source = next(path for path in (PROGRAMS / f"{source}.c", PROGRAMS / f"{source}.cpp") if path.exists())
        binary = self.folder / ("-".join([source.parent.name, source.name, *flags]).replace("=", ""))
        compiler = ["cc"] if source.suffix == ".c" else ["c++", "-std=c++20"]
        if not binary.exists():
            subprocess.run([self.heddle, *compiler, "-O1", *flags, source, "-o", binary], check=True)
        return binary

    def run(self, source, strategy, runs, seed=1, flags=(), extra=()):
        """The JSON of a campaign, and its CPU time. A campaign that was run before is not run again."""
        key = (source, strategy, runs, seed, tuple(flags), tuple(extra))
        if key in self.results:
            return self.results[key]
        binary, result = self.build(source, flags), self.folder / "result.json"
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run = subprocess.run([self.heddle, "test", "-q", "--explain", "none", "-s", strategy, "-n", str(runs), "--seed", str(seed),
                              "--json", result, "--out", self.folder / "out", *extra, binary],
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if run.returncode not in (0, 1, 3):  # 3: a search that has reached the limit
            sys.exit(f"heddle test -s {strategy} {source} ended with exit code {run.returncode}: {run.stderr}")
        figures = json.loads(result.read_text())
        figures["cpu"] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.results[key] = figures
        return figures

    def first_bug(self, source, strategy, flags=(), model="rc11", limit=FIRST_BUG_LIMIT, seeds=None):
        """The mean number of executions until the first bug, and of milliseconds of CPU time; executions without a bug count as
        the limit."""
        seeds, executions, cpu = seeds or self.seeds, 0, 0
        for seed in range(1, seeds + 1):
            result = self.run(source, strategy, limit, seed, flags, ["--stop-on-bug", "-m", model])
            executions += result["executions"] if result["buggy"] else limit
            cpu += result["cpu"]
        return executions / seeds, 1000 * cpu / seeds

    def graphs(self, source, strategy, runs, flags=()):
        return self.run(source, strategy, max(1, int(runs * self.scale)), 1, flags)

    def book(self, table, program, strategy, published, measured):
        self.rows.append({"table": table, "program": program, "strategy": strategy, "thesis": published, "heddle": measured})

    def demand(self, holds, text):
        if not holds:
            self.problems.append(text)


def listings(bench):
    """How many executions the listings have, by the search."""
    rows = []
    for name, source, known in (("4.2", "p4", 4), ("4.3", "p5", None), ("4.4", "long_race", 9)):
        run = subprocess.run([bench.heddle, "verify", "-q", "--keep-going", "--explain", "none", "--json", bench.folder / "result.json",
                              "--out", bench.folder / "out", bench.build(f"fuzzing/{source}")],
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        graphs = json.loads((bench.folder / "result.json").read_text())["distinct_graphs"]
        bench.demand(run.returncode in (0, 1) and known in (None, graphs), f"listing {name} has {graphs} executions")
        bench.book("listings", name, "exhaustive", known, graphs)
        rows.append((f"listing {name}", known, graphs))
    page.table("listings", ["", "executions: thesis", "heddle"], rows)


def table_4_1(bench):
    """Under c11, the model of C11Tester, which the thesis used, and under rc11."""
    others = ["fuzz", "auto"]
    rows = []
    for model in ("c11", "rc11") if bench.scale == 1 else ("c11",):
        for program, (random, fuzzer) in thesis.TABLE_4_1.items():
            cells = []
            for strategy, published in (("random", random), ("fuzz:mutate=trace", fuzzer), *((other, None) for other in others)):
                published = published if model == "c11" else None
                measured, _ = bench.first_bug(f"fuzzing/{program}", strategy, (), model)
                bench.book(f"4.1 {model}", program, strategy, published, measured)
                cells.append(page.pair(published, measured) if strategy not in others and model == "c11" else measured)
                if strategy == "fuzz:mutate=trace" and published:
                    bench.demand(measured <= MOST_OF_THESIS * published,
                                 f"table 4.1: {program} needs {measured:.0f} executions, {published} in the thesis")
            rows.append((f"{program}, `{model}`", *cells))
    page.table("table 4.1", [f"executions until the first bug, mean of {bench.seeds} seeds", "`random`: thesis, heddle",
                             "`trace`: thesis, heddle", *(f"`{other}`" for other in others)], rows)


def whole_graphs(result):
    """The failed assertion of listing 4.4 ends the program wherever the other thread is, so its one graph is seen in several parts."""
    buggy = result["coverage"]["buggy_graphs"]
    return result["distinct_graphs"] - buggy + min(1, buggy)


def figure_4_1(bench):
    """Figures 4.1 and 4.2: how often the graphs of listing 4.4 are seen, and when graphs and bugs come."""
    rows = []
    for strategy in ("random", "fuzz:mutate=trace", "fuzz"):
        result = bench.run("fuzzing/long_race", strategy, 10000, 1, (), ["-m", "c11"])
        counts = [seen["executions"] if isinstance(seen, dict) else seen for seen in result["coverage"]["frequencies"]]
        share = 100 * sum(sorted(counts)[-2:]) / sum(counts)
        early = bench.run("fuzzing/long_race", strategy, 1000, 1, (), ["-m", "c11"])
        bench.book("figure 4.1", "long_race", strategy, thesis.FIGURE_4_1[0] if strategy == "random" else None, share)
        rows.append((f"`{strategy}`", page.pair(thesis.FIGURE_4_1[0] if strategy == "random" else None, share, 1),
                     whole_graphs(result), whole_graphs(early), early["buggy"]))
        if strategy != "random":
            bench.demand(whole_graphs(result) == thesis.FIGURE_4_1[1], f"figure 4.1: {strategy} does not show all graphs")
    page.table("figures 4.1 and 4.2", ["listing 4.4, `c11`", "the two most frequent graphs, %: thesis, heddle", "graphs in 10,000",
                                       "graphs in 1,000", "bugs in 1,000"], rows)


def figure_5_8(bench):
    """Figures 5.8 and 5.9."""
    strategies = ["random", *(f"fuzz:mutate={cut}" for cut in CUTS), "fuzz", "auto"]
    rows = []
    for program, (source, flags) in thesis.FIGURE_5_8.items():
        means = {strategy: bench.first_bug(source, strategy, flags) for strategy in strategies}
        for strategy, (executions, milliseconds) in means.items():
            bench.book("5.8", program, strategy, None, executions)
            bench.book("5.9", program, strategy, None, milliseconds)
        bench.demand(program not in thesis.FUZZING_WINS or means["fuzz"][0] <= MOST_OF_RANDOM * means["random"][0],
                     f"figure 5.8: fuzz needs more than half of random's executions for {program}")
        rows.append((program, *(f"{page.value(executions)}, {milliseconds:.0f}" for executions, milliseconds in means.values())))
    page.table("figures 5.8 and 5.9", [f"executions until the first bug, ms of CPU time, means of {bench.seeds} seeds",
                                       *(f"`{strategy.split('=')[-1]}`" for strategy in strategies)], rows)


def figure_5_10(bench):
    """Listing 5.1, with the assertion up to 5 (figures 5.10 and 5.11) and up to N (figures 5.12 and 5.13)."""
    cuts = [f"fuzz:mutate={cut}" for cut in CUTS]
    strategies = ["random", *cuts, "fuzz", "auto", "exhaustive"]
    seeds = bench.seeds if bench.scale < 1 else LONG_ASSERT_SEEDS
    all_sizes = (("figures 5.10 and 5.11", range(5, 10)), ("figures 5.12 and 5.13", range(5, 8)))
    for figure, sizes in all_sizes if bench.scale == 1 else ((all_sizes[1][0], [5]),):
        rows = []
        for n in sizes:
            flags = [f"-DN={n}", f"-DLAST={5 if figure.startswith('figures 5.10') else n}"]
            # A search is the same for every seed.
            means = {strategy: bench.first_bug("fuzzing/long_assert", strategy, flags, "rc11", LONG_ASSERT_LIMIT,
                                               1 if strategy == "exhaustive" else seeds) for strategy in strategies}
            for strategy, (executions, milliseconds) in means.items():
                bench.book(figure, f"N = {n}", strategy, None, executions)
                bench.book(f"{figure}, ms", f"N = {n}", strategy, None, milliseconds)
            random, best = means["random"][0], min(means[cut][0] for cut in cuts)
            for what, executions, part in (("the best cut", best, MOST_OF_RANDOM), ("fuzz", means["fuzz"][0], MOST_OF_RANDOM),
                                           ("auto", means["auto"][0], 1)):
                bench.demand(executions <= part * random,
                             f"{figure}, N = {n}: {what} needs {executions:.0f} executions, random {random:.0f}")
            rows.append((n, *(f"{page.value(executions)}, {milliseconds:.0f}" for executions, milliseconds in means.values())))
        page.table(figure, [f"N, executions until the first bug, ms of CPU time, means of {seeds} seeds",
                            *(f"`{strategy.split('=')[-1]}`" for strategy in strategies)], rows)


def gains_of(values):
    return 100 * statistics.fmean(values), 100 * statistics.median(values)


def table_4_2(bench):
    """Tables 4.2, 4.3, 4.5 and 4.6: all graphs, and the buggy ones."""
    strategies = ["random", "fuzz:mutate=trace", "fuzz"]
    for name, get, known_at in (("tables 4.2 and 4.3", lambda result: result["distinct_graphs"], 1),
                                ("tables 4.5 and 4.6", lambda result: result["coverage"]["buggy_graphs"], 2)):
        rows, gains = [], {strategy: [] for strategy in strategies}
        for program, row in thesis.TABLE_4_2.items():
            figures = {strategy: get(bench.graphs(row[0], strategy, 10000)) for strategy in strategies}
            published = dict(zip(strategies, (*row[known_at], None)))
            for strategy, measured in figures.items():
                bench.book(name, program, strategy, published[strategy], measured)
                gains[strategy].append(measured / max(1, figures["random"]) - 1)
            rows.append((program, *(page.pair(published[s], figures[s]) if s != "fuzz" else figures[s] for s in strategies)))
        if known_at == 1:
            for i, (what, published) in enumerate((("mean gain, %", thesis.MEAN_GAIN_4_2), ("median gain, %", thesis.MEDIAN_GAIN_4_2))):
                gain = {strategy: gains_of(gains[strategy])[i] for strategy in strategies}
                bench.book(name, what, "fuzz:mutate=trace", published, gain["fuzz:mutate=trace"])
                rows.append((what, "", page.pair(published, gain["fuzz:mutate=trace"], 1), f"{gain['fuzz']:.1f}"))
        page.table(name, [f"distinct {'' if known_at == 1 else 'buggy '}graphs in {int(10000 * bench.scale):,} executions",
                          "`random`: thesis, heddle", "`trace`: thesis, heddle", "`fuzz`"], rows)


def table_4_4(bench):
    rows = []
    for program, (d, k, h) in thesis.TABLE_4_4.items():
        figures = [bench.graphs(thesis.TABLE_4_2[program][0], strategy, 10000)["distinct_graphs"]
                   for strategy in (f"pctwm:d={d},k={k},h={h}", "random", "fuzz")]
        for name, measured in zip(("pctwm", "random", "fuzz"), figures):
            bench.book("4.4", program, name, None, measured)
        rows.append((program, *figures))
    page.table("table 4.4 and figure 4.5", ["distinct graphs in 10,000 executions", "`pctwm`, the thesis's parameters", "`random`",
                                            "`fuzz`"], rows)


def table_5_1(bench):
    """Table 5.1, and the times of figures 5.6 and 5.7."""
    columns = ["random", *CUTS, "mix"]
    rows, times, mean, best = [], [], [], []
    for program, (source, flags, known, _) in thesis.TABLE_5_1.items():
        results = [bench.graphs(source, "random" if c == "random" else f"fuzz:mutate={c}", 100000, flags) for c in columns]
        values = [result["distinct_graphs"] for result in results]
        for i, column in enumerate(columns):
            bench.book("5.1", program, column, known[i] if i < len(known) else None, values[i])
            bench.book("5.6", program, column, None, results[i]["cpu"] / results[0]["cpu"])
        mean.append(sum(values[1:4]) / 3 / values[0] - 1)
        best.append(max(values[1:4]) / values[0] - 1)
        rows.append((program, *(page.pair(published, measured) for published, measured in zip(known, values)), values[-1]))
        times.append((program, *(f"{result['cpu'] / results[0]['cpu']:.2f}, {page.value(value / result['cpu'])}"
                                 for result, value in zip(results, values))))
    for what, gains, published in (("mean gain of the cuts", mean, thesis.MEAN_GAIN_5_1), ("mean gain of the best cut", best, None)):
        gain = 100 * statistics.fmean(gains)
        bench.book("5.1", what, "", published, gain)
        rows.append((f"{what}, %", page.pair(published, gain, 1), *[""] * 4))
    page.table("table 5.1 and figure 5.5", [f"distinct graphs in {int(100000 * bench.scale):,} executions: thesis, heddle",
                                            *(f"`{column}`" for column in columns)], rows)
    page.table("figures 5.6 and 5.7", ["CPU time as a ratio to random's, distinct graphs a second of CPU time",
                                       *(f"`{column}`" for column in columns)], times)


def table_5_2(bench):
    rows = []
    for program, (source, flags, _, known) in thesis.TABLE_5_1.items():
        all_events = bench.graphs(source, "random", 100000, flags)
        figures = [all_events["events"] / all_events["executions"]]
        figures += [bench.graphs(source, f"fuzz:mutate={cut}", 100000, flags)["coverage"].get("mean_plan_events", 0) for cut in CUTS]
        for column, published, measured in zip(("events", *CUTS), known, figures):
            bench.book("5.2", program, column, published, measured)
        bench.demand(figures[2] < min(figures[1], figures[3]), f"table 5.2: minimal cuts of {program} do not keep the least")
        rows.append((program, *(page.pair(float(published), measured, 1) for published, measured in zip(known, figures))))
    page.table("table 5.2", ["events: thesis, heddle", "of an execution", *(f"of a plan, `{cut}`" for cut in CUTS)], rows)


def curves(bench):
    """Figures 4.3 and 4.4: distinct graphs over executions, in per cent of the most that any strategy showed."""
    names = {"random": "random", "pctwm": "pctwm", "surw": "surw", "trace": "fuzz:mutate=trace", "revisit": "fuzz:mutate=revisit",
             "minimal": "fuzz:mutate=minimal", "maximal": "fuzz:mutate=maximal", "mix": "fuzz"}
    figures, most = {}, {}
    for program, (source, _, _) in thesis.TABLE_4_2.items():
        figures[program] = {}
        for name, strategy in names.items():
            points = bench.graphs(source, strategy, 10000)["coverage"]["over_time"]
            figures[program][name] = [(point["executions"], point["graphs"]) for point in points]
            graphs = [point["graphs"] for point in points]
            bench.demand(graphs == sorted(graphs) and graphs[-1] > 0, f"curves: {program} under {name}: {graphs}")
        most[program] = max(points[-1][1] for points in figures[program].values())
    (bench.out / "curves.svg").write_text(plot.growth("Distinct graphs over executions, % of the most", list(figures), list(names),
                                                      figures, most))
    print(f"\nFigures 4.3 and 4.4: {bench.out.name}/curves.svg")


PARTS = {"listings": listings, "table4.1": table_4_1, "figure4.1": figure_4_1, "figure5.8": figure_5_8, "figure5.10": figure_5_10,
         "table4.2": table_4_2, "table4.4": table_4_4, "table5.1": table_5_1, "table5.2": table_5_2, "curves": curves}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", required=True, help="the heddle command")
    parser.add_argument("--seeds", type=int, default=20, help="campaigns whose mean is taken [20]")
    parser.add_argument("--scale", type=float, default=1, help="factor for the executions of the other tables [1]; less than 1 also measures fewer cases")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("tables"), help="folder for the results [tables]")
    parser.add_argument("--only", default=",".join(PARTS), help="comma-separated parts [all]")
    options = parser.parse_args()
    parts = options.only.split(",")
    if not set(parts) <= set(PARTS):
        parser.error(f"--only: the parts are {', '.join(PARTS)}")
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(pathlib.Path(options.heddle).resolve(), options.seeds, options.scale, pathlib.Path(name), options.out)
        for part in parts:
            PARTS[part](bench)
    (options.out / "fuzzing.json").write_text(json.dumps(bench.rows, indent=2) + "\n")
    print("\n" + ("\n".join(bench.problems) if bench.problems else "All that is checked holds."))
    sys.exit(1 if bench.problems else 0)


if __name__ == "__main__":
    main()
