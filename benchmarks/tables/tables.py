#!/usr/bin/env python3
"""Tables 2 and 3 and figures 5 and 6 of the PCTWM paper, and tables 7.2, 7.3 and 7.7 and figures 7.1 and 7.5 of the thesis behind
it, with our own versions of its programs: the share of buggy executions in per cent, the paper's beside ours. Tables 2 and 3 come a second
time, with the parameters of our programs and the paper's bound beside each rate, which is checked there and on a program with
concurrent writers.

Executions count, with fixed seeds, so that every run prints the same numbers, except those of table 7.7, which are CPU times. The exit
code is 1 if a claim does not hold. Writes tables.json, tables.csv, figure5.svg and figure6.svg to --out. docs/internals/strategies.md
says what to make of the differences.
"""
import argparse
import csv
import json
import math
import pathlib
import resource
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import page  # noqa: E402
import paper  # noqa: E402
import plot  # noqa: E402

DEEPEST = 8  # figure 7.5


def wilson(hits, tries, z=1.959964):
    """The interval in which the rate lies with 95 % confidence, in per cent."""
    p = hits / tries
    scale = 1 + z * z / tries
    middle = (p + z * z / (2 * tries)) / scale
    half = z / scale * math.sqrt(p * (1 - p) / tries + z * z / (4 * tries * tries))
    return 100 * max(0.0, middle - half), 100 * min(1.0, middle + half)


class Bench:
    def __init__(self, heddle, runs, seed, folder, out):
        self.heddle, self.runs, self.seed, self.folder, self.out = heddle, runs, seed, folder, out
        self.rows, self.results, self.parameters, self.problems = [], {}, {}, []

    def build(self, name, flags=(), folder="buggy"):
        binary = self.folder / "-".join([folder, name, *flags]).replace("=", "")
        if not binary.exists():
            source = HERE.parent / "programs" / folder / f"{name}.cpp"
            subprocess.run([self.heddle, "c++", "-std=c++20", "-O1", *flags, source, "-o", binary], check=True)
        return binary

    def run(self, binary, strategy, model, runs, seed):
        key = (binary, strategy, model, runs, seed)
        if key in self.results:
            return self.results[key]
        result = self.folder / "result.json"
        run = subprocess.run([self.heddle, "test", "-q", "--explain", "none", "-s", strategy, "-m", model, "-n", str(runs), "--seed",
                              str(seed), "--json", result, "--out", self.folder / "out", binary],
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if run.returncode not in (0, 1):
            sys.exit(f"heddle test -s {strategy} {binary.name} ended with exit code {run.returncode}: {run.stderr}")
        self.results[key] = json.loads(result.read_text())
        return self.results[key]

    def rate(self, table, program, strategy, published=None, flags=(), folder="buggy", model="rc11", runs=None):
        """Runs the program, books the row, and returns (rate, low, high)."""
        figures = self.run(self.build(program, flags, folder), strategy, model, runs or self.runs, self.seed)
        hits, tries = figures["buggy"], figures["executions"]
        low, high = wilson(hits, tries)
        self.rows.append({"table": table, "program": program, "strategy": strategy, "model": model, "flags": " ".join(flags),
                          "paper": published, "executions": tries, "buggy": hits, "rate": 100 * hits / tries,
                          "low": low, "high": high, "escapes": figures["escapes"]})
        return 100 * hits / tries, low, high

    def usual_length(self, program, strategy):
        """How many events that count an execution usually has: k of pct, k_com of pctwm."""
        return self.run(self.build(program), strategy, "rc11", self.runs, self.seed)["learnt"][f"{strategy}:k"]["usual"]

    def cpu_time(self, program, strategy):
        """Seconds of CPU time of one execution: the difference of two campaigns, so that start-up does not count."""
        binary, times = self.build(program), []
        for runs in (self.runs, 11 * self.runs):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            run = subprocess.run([self.heddle, "test", "-q", "--explain", "none", "-j", "1", "-s", strategy, "-n", str(runs),
                                  "--out", self.folder / "out", binary],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            if run.returncode not in (0, 1):
                sys.exit(f"heddle test -s {strategy} {program} ended with exit code {run.returncode}: {run.stderr}")
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        return max(times[1] - times[0], 1e-9) / (10 * self.runs)

    def check_bound(self, what, measured, bound):
        """The bound is missed if even an interval of 5.5 standard deviations lies below it."""
        rate, newest = measured[0], self.rows[-1]
        if wilson(newest["buggy"], newest["executions"], 5.5)[1] < bound - 1e-6:
            self.problems.append(f"{what}: {rate:.2f} % is below the bound {bound:.2f} %")
        return f"{rate:.1f} >= {bound:.3g}"


def cell(published, measured):
    return page.pair(published if published is None else float(published), measured[0], 1)


def table_2(bench):
    rows = []
    for program in paper.PROGRAMS:
        cells = []
        for more, (h, published) in enumerate(paper.TABLE_2[program.name]):
            strategy = f"pctwm:d={program.depth + more},k={program.k_com},h={h}"
            cells.append(cell(published, bench.rate("table 2", program.name, strategy, published)))
        rows.append((program.name, *cells))
    page.table("table 2", ["% of the executions: paper, heddle", "d", "d + 1", "d + 2"], rows)


def table_3(bench):
    rows = []
    for program in paper.PROGRAMS:
        depth, rates = paper.TABLE_3[program.name]
        rows.append((program.name, *(cell(published, bench.rate("table 3", program.name, f"pctwm:d={depth},k={program.k_com},h={h}",
                                                                published)) for h, published in enumerate(rates, 1))))
    page.table("table 3", ["% of the executions: paper, heddle", "h = 1", "h = 2", "h = 3", "h = 4"], rows)


def own_parameters(bench, program):
    """The least depth at which the bug of our program shows, and its k. A bug has depth 0 only if all executions without
    communication show it, whatever the order of the threads."""
    if program.name in bench.parameters:
        return bench.parameters[program.name]
    k = bench.usual_length(program.name, "pctwm")
    for d in range(min(k, 7)):
        rate = bench.rate("own parameters", program.name, f"pctwm:d={d},k={k},h=1")[0]
        if rate == 100 or (d > 0 and rate > 0):
            bench.parameters[program.name] = d, k
            return d, k
    sys.exit(f"{program.name}: pctwm shows no bug up to d = 6")


def table_1(bench):
    """The parameters of the paper's programs, and those that heddle finds for ours. The table of the paper has the numbers of
    C11Tester's events, heddle's are those that its strategies count."""
    rows = []
    for program in paper.PROGRAMS:
        d, k_com = own_parameters(bench, program)
        rows.append((program.name, page.pair(program.k, bench.usual_length(program.name, "pct")), page.pair(program.k_com, k_com),
                     page.pair(program.depth, d)))
    page.table("table 1", ["paper, heddle", "k", "k_com", "d"], rows)


def own_tables(bench):
    """The claim of section 5.4: a bug of depth d shows in at least 1/(h k)^d of the executions."""
    rows = []
    for program in paper.PROGRAMS:
        d, k = own_parameters(bench, program)
        cells = []
        for more, h in ((0, 1), (1, 1), (2, 1), (0, 2), (0, 3), (0, 4)):
            if d + more > k:
                cells.append("")
                continue
            measured = bench.rate("tables 2 and 3, own", program.name, f"pctwm:d={d + more},k={k},h={h}")
            cells.append(f"{measured[0]:.1f}" if more != 0 else
                         bench.check_bound(f"{program.name}, d = {d}, k = {k}, h = {h}", measured, 100 / (h * k) ** d))
        rows.append((program.name, d, k, *cells))
    page.table("tables 2 and 3, own parameters", ["% of the executions >= the bound", "d", "k", "h = 1", "d + 1, h = 1", "d + 2, h = 1",
                                                  "h = 2", "h = 3", "h = 4"], rows)


def bound(bench):
    """The bound on a program whose variables have two writers, with reads beside those that the bug needs."""
    rows = []
    for d in range(4):
        for others in (0, 2) if d != 0 else (0,):
            k = max(2, d + others)
            cells = []
            for h in (1, 2):
                measured = bench.rate("bound", "writers", f"pctwm:d={d},k={k},h={h}", None, (f"-DDEPTH={d}", f"-DOTHERS={others}"),
                                      "small", runs=10 * bench.runs)
                cells.append(bench.check_bound(f"concurrent writers, d = {d}, k = {k}, h = {h}", measured, 100 / (h * k) ** d))
            rows.append((d, k, *cells))
    page.table("bound", ["d", "k", "h = 1: % of the executions >= the bound", "h = 2"], rows)


def algorithm_2(bench):
    """Lines 6 to 8 join the views of seq_cst events under c11, and under no other model."""
    rows = []
    for program, d, k in (("dekker", 0, 14), ("dekker", 1, 14), ("cldeque", 2, 56)):
        rates = [bench.rate("algorithm 2", program, f"pctwm:d={d},k={k},h=1", None, (), "buggy", model, 4 * bench.runs)[0]
                 for model in ("c11", "rc11")]
        rows.append((f"{program}, d = {d}, k = {k}, h = 1", *(f"{rate:.1f}" for rate in rates)))
    page.table("algorithm 2", ["% of the executions", "`c11`, with lines 6 to 8", "`rc11`, without"], rows)


def rwlock(bench):
    """Why rwlock is far below the paper's rate: its k, and more sinks."""
    k, cases = bench.usual_length("rwlock", "pctwm"), []
    for d, length, h in ((3, 74, 3), (1, k, 1), (2, k, 1), (4, k, 1), (8, k, 1), (12, k, 1)):
        rate = bench.rate("rwlock", "rwlock", f"pctwm:d={d},k={length},h={h}")[0]
        cases.append((f"d = {d}, k = {length}, h = {h}", f"{rate:.1f}", f"{100 / (h * length) ** d:.2g}"))
    page.table("rwlock", ["parameters", "% of the executions", "bound for a bug of this depth, %"], cases)


def table_7_2(bench):
    rows = []
    for program in paper.PROGRAMS:
        (d, k, pct), (d_wm, k_com, h, pctwm) = paper.TABLE_7_2[program.name]
        rows.append((program.name, *(cell(published, bench.rate("table 7.2", program.name, strategy, published)) for strategy, published
                                     in ((f"pct:d={d},k={k}", pct), (f"pctwm:d={d_wm},k={k_com},h={h}", pctwm)))))
    page.table("table 7.2", ["% of the executions: thesis, heddle", "`pct`", "`pctwm`"], rows)


def table_7_3(bench):
    rows = []
    for program in paper.PROGRAMS:
        k, depth, rates = paper.TABLE_7_3[program.name]
        rows.append((program.name, *(cell(published, bench.rate("table 7.3", program.name, f"pct:d={max(1, depth + more)},k={k}",
                                                                published)) for more, published in enumerate(rates))))
    page.table("table 7.3", ["`pct`, % of the executions: thesis, heddle", "d", "d + 1", "d + 2", "d + 3"], rows)


def figure_7_5(bench):
    """Figures 7.1 and 7.5: pctwm over h and over d. The thesis plots them."""
    rows = []
    for program in paper.PROGRAMS:
        k = own_parameters(bench, program)[1]
        rates = [f"{bench.rate('figure 7.5', program.name, f'pctwm:d={d},k={k},h=1')[0]:.1f}" if d <= k else ""
                 for d in range(DEEPEST + 1)]
        rows.append((program.name, *rates))
    page.table("figure 7.5", ["`pctwm`, own k, h = 1, % of the executions", *(f"d = {d}" for d in range(DEEPEST + 1))], rows)
    rows = []
    for program in paper.PROGRAMS:
        d, k = own_parameters(bench, program)
        rows.append((program.name, *(f"{bench.rate('figure 7.1', program.name, f'pctwm:d={d},k={k},h={h}')[0]:.1f}"
                                     for h in range(1, 7))))
    page.table("figure 7.1", ["`pctwm`, own d and k, % of the executions", *(f"h = {h}" for h in range(1, 7))], rows)


def table_7_7(bench):
    """Compares ratios: the thesis's times are those of its machine and of a process for each execution."""
    rows = []
    for program in paper.PROGRAMS:
        random, *others = paper.TABLE_7_7[program.name]
        (d, k, _), (d_wm, k_com, h, _) = paper.TABLE_7_2[program.name]
        strategies = ["random", f"pct:d={d},k={k}", f"pctwm:d={d_wm},k={k_com},h={h}"]
        base, *measured = (bench.cpu_time(program.name, strategy) for strategy in strategies)
        for strategy, published, ours in zip(strategies[1:], others, measured):
            bench.rows.append({"table": "table 7.7", "program": program.name, "strategy": strategy,
                               "paper": published / random, "rate": ours / base})
        rows.append((program.name, f"{1e6 * base:.1f}", *(page.pair(published / random, ours / base, 2)
                                                          for published, ours in zip(others, measured))))
    page.table("table 7.7", ["CPU time of an execution, as a ratio to random's: thesis, heddle", "`random`, us", "`pct`", "`pctwm`"], rows)


def figure_5(bench):
    names = ["random", "pct", "pctwm", "pos", "auto"]
    figures, published_rates, rows = {}, {}, []
    for program in paper.PROGRAMS:
        known = paper.FIGURE_5[program.name]
        (d, k, pct), (d_wm, k_com, h, pctwm) = known["pct"], known["pctwm"]
        strategies = {"random": ("random", known["random"]), "pct": (f"pct:d={d},k={k}", pct),
                      "pctwm": (f"pctwm:d={d_wm},k={k_com},h={h}", pctwm), "pos": ("pos", None), "auto": ("auto", None)}
        figures[program.name] = {name: bench.rate("figure 5", program.name, *strategies[name]) for name in names}
        published_rates[program.name] = {name: rate for name, (_, rate) in strategies.items() if rate is not None}
        rows.append((program.name, *(cell(strategies[name][1], figures[program.name][name]) if strategies[name][1] is not None
                                     else f"{figures[program.name][name][0]:.1f}" for name in names)))
    averages = {"random": 67.9, "pct": 78.2, "pctwm": 87.5}
    for text, left_out in (("average", None), ("average without cldeque", "cldeque")):
        cells = []
        for name in names:
            ours = [rates[name][0] for program, rates in figures.items() if program != left_out]
            theirs = [rates.get(name) for program, rates in published_rates.items() if program != left_out]
            published = averages.get(name) if left_out is None else None if theirs[0] is None else sum(theirs) / len(theirs)
            average = sum(ours) / len(ours)
            cells.append(f"{average:.1f}" if published is None else page.pair(published, average, 1))
        rows.append((text, *cells))
    page.table("figure 5", ["% of the executions, the paper's parameters: paper, heddle", *(f"`{name}`" for name in names)], rows)
    # Strategies without parameters show every bug, and pctwm always shows the two that the paper says it always shows.
    bench.problems += [f"{program}: {name} shows no bug" for program, rates in figures.items() for name in ("random", "pos", "auto")
                       if rates[name][0] == 0]
    bench.problems += [f"{program}: pctwm misses the bug" for program in ("dekker", "msqueue") if figures[program]["pctwm"][0] < 100]
    (bench.out / "figure5.svg").write_text(plot.bars("Figure 5: buggy executions, %", [p.name for p in paper.PROGRAMS], names, figures,
                                                     published_rates))


def figure_6(bench):
    """pctwm's rate stays stable, says the paper, and pct's fluctuates."""
    figures, rows = {}, []
    for program in paper.PROGRAMS:
        known = paper.FIGURE_5[program.name]
        (d, k, _), (d_wm, k_com, h, _) = known["pct"], known["pctwm"]
        d = max(d, 2)  # d = 1 has no change point, and nothing to lose
        figures[program.name] = {"pct": [], "pctwm": []}
        for inserted in paper.INSERTED_WRITES:
            # Every inserted write is an event of pct's, and none of pctwm's.
            for name, strategy in (("pct", f"pct:d={d},k={k + program.writers * inserted}"),
                                   ("pctwm", f"pctwm:d={d_wm},k={k_com},h={h}")):
                figures[program.name][name].append(bench.rate("figure 6", program.name, strategy, None,
                                                              (f"-DINSERTED_WRITES={inserted}",)))
        for name in ("pct", "pctwm"):
            rates = [rate for rate, _, _ in figures[program.name][name]]
            rows.append((f"{program.name}, `{name}`", *(f"{rate:.1f}" for rate in rates), f"{rates[-1] - rates[0]:+.1f}"))
            if name == "pctwm" and figures[program.name][name][-1][1] > figures[program.name][name][0][2]:
                bench.problems.append(f"figure 6: pctwm's rate of {program.name} grows with inserted writes")
            if name == "pctwm" and figures[program.name][name][-1][2] < figures[program.name][name][0][1]:
                bench.problems.append(f"figure 6: pctwm's rate of {program.name} falls with inserted writes")
    page.table("figure 6", ["% of the executions, with so many inserted relaxed writes a thread", *map(str, paper.INSERTED_WRITES),
                            "change"], rows)
    (bench.out / "figure6.svg").write_text(plot.curves("Figure 6: buggy executions, %, with inserted relaxed writes",
                                                       [p.name for p in paper.PROGRAMS], ["pct", "pctwm"], paper.INSERTED_WRITES,
                                                       figures, "inserted writes a thread"))


PARTS = {"table1": table_1, "table2": table_2, "table3": table_3, "own": own_tables, "bound": bound, "algorithm2": algorithm_2,
         "rwlock": rwlock, "figure5": figure_5, "figure6": figure_6, "table7.2": table_7_2, "table7.3": table_7_3,
         "figure7.5": figure_7_5, "table7.7": table_7_7}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", required=True, help="the heddle command")
    parser.add_argument("-n", "--runs", type=int, default=1000, help="executions of each [1000]")
    parser.add_argument("--seed", type=int, default=1, help="[1]")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("tables"), help="folder for the results [tables]")
    parser.add_argument("--only", default=",".join(PARTS), help="comma-separated parts [all]")
    options = parser.parse_args()
    parts = options.only.split(",")
    if options.runs < 1:
        parser.error("-n: there must be at least one execution")
    if not set(parts) <= set(PARTS):
        parser.error(f"--only: the parts are {', '.join(PARTS)}")
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(pathlib.Path(options.heddle).resolve(), options.runs, options.seed, pathlib.Path(name), options.out)
        for part in parts:
            PARTS[part](bench)
    (options.out / "tables.json").write_text(json.dumps(bench.rows, indent=2) + "\n")
    with open(options.out / "tables.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=max((row.keys() for row in bench.rows), key=len))
        writer.writeheader()
        writer.writerows(bench.rows)
    print("\n" + ("\n".join(bench.problems) if bench.problems else "All that is checked holds."))
    sys.exit(1 if bench.problems else 0)


if __name__ == "__main__":
    main()
