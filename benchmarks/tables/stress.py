#!/usr/bin/env python3
"""The tables of "Verification of Multithreading Primitives in C" (van den Berge, University of Amsterdam, 2024), the paper's
averages beside ours: plain addition in same-order mode (tables 5.1 to 5.4) and different-order mode (5.5 to 5.8), atomic addition
(5.9), the compare-and-swap loop that is cut (5.10 to 5.13), and the naive test (5.14 to 5.17), each with as many threads as
cores and with four threads, as in the paper. Then the method against the naive test on every subject that is wrong on purpose, and
the rate of runs with the spinning barrier and with the paper's condition variable, measured in turn.

The paper has four threads on eight cores, and four threads on a Raspberry Pi for the cut loop. What is checked is in the last
lines, and the exit code is 1 if it does not hold. Writes stress.json to --out. See docs/stress.md.
"""
import argparse
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import page  # noqa: E402

LEVELS = ("O0", "O1", "O2", "O3")
METRICS = ("runs", "errors", "interleaved_percent", "error_percent", "interleaved_errors_per_run", "interleaved_errors_per_error",
           "interleaved_errors_per_interleaved_run")
HEADS = ("runs", "errors", "interl. %", "errors %", "i.e./runs", "i.e./errors", "i.e./interl.")
# The averages of five runs, in the order of METRICS. The averages of table 5.2 are the paper's, although its column of interleaved
# errors per run does not fit its rows.
PLAIN = {
    ("same", "O0"): (464831.6, 121274.2, 21.426, 26.546, 10.234, 41.356, 49.496),
    ("same", "O1"): (631403, 17625.4, 16.756, 2.998, 14.822, 49.164, 8.94),
    ("same", "O2"): (580965.2, 18714, 17.332, 3.066, 1.552, 47.896, 8.766),
    ("same", "O3"): (618679.2, 18011.2, 16.46, 2.92, 1.51, 51.77, 9.10),
    ("different", "O0"): (164032.6, 42300.4, 61.68, 26.32, 25.45, 96.37, 40.97),
    ("different", "O1"): (208973.6, 5994.2, 47.91, 2.87, 2.85, 99.41, 5.96),
    ("different", "O2"): (197778.8, 7103, 50.7, 3.60, 3.58, 99.39, 7.06),
    ("different", "O3"): (199035.6, 7149, 50.44, 3.62, 3.59, 99.54, 7.12),
}
ATOMIC = (149904.2, 0, 66.87, 0.00, 0.00, None, 0.00)
CUT = {
    "O0": ((10527033, 10527033, 0.98, 100.00, 0.98, 0.98, 100.00), (6204252, 5123, 1.89, 0.09, 0.00, 1.14, 0.05),
           (8532817, 0, 1.35, 0, 0, None, 0), (6642733.2, 0, 2.006, 0, 0, None, 0), (2017257, 0, 4.96, 0, 0, None, 0)),
    "O1": ((2095691.6, 2095691.6, 5.028, 100.00, 5.028, 5.028, 100.00), (2863354.6, 46212.4, 3.84, 1.686, 0.304, 18.904, 8.516),
           (2538973.2, 109.6, 4.066, 0.006, 0, 36.192, 0.04), (2491285.2, 0.8, 4.154, 0, 0, 10.00, 0), (4408911.2, 0, 2.516, 0, 0, None, 0)),
    "O2": ((3528579.2, 3528579.2, 3.158, 100.00, 3.158, 3.158, 100.00), (2694038, 36690.6, 4.546, 1.588, 0.296, 19.528, 6.792),
           (3865392.8, 45.2, 3.372, 0.002, 0, 56.684, 0.024), (2253943.6, 1.6, 4.572, 0, 0, 72.22, 0), (3851595.8, 0, 3.322, 0, 0, None, 0)),
    "O3": ((7026004.4, 7026004.4, 1.756, 100.00, 1.756, 1.756, 100.00), (5017489, 2309.2, 2.312, 0.058, 0.002, 5.018, 0.076),
           (6738556.4, 0.6, 1.406, 0, 0, 13.33, 0), (6823077.2, 0, 1.924, 0, 0, None, 0), (3240734.4, 0, 4.162, 0, 0, None, 0)),
}
# What is missing from 4,000,000, on average of five tests.
NAIVE = {"O0": (2504874, 3.6, 0, 0, 0), "O1": (2002766, 0.4, 0, 0, 0), "O2": (2002131, 0.6, 0, 0, 0), "O3": (2003529, 0.6, 0, 0, 0)}
ROUNDS = range(1, 6)
LEAST_SHARE, LEAST_RATIO, DUELS = 95, 5, 12
CHANCE = 0.05
ALWAYS_CAUGHT = 2  # rounds of the cut loop
PAPER_THREADS = 4
WRONG = ["plain_add/u32", *(f"{loop}/{rounds}" for loop in ("cut_cas", "cut_retry") for rounds in ROUNDS)]


class Bench:
    def __init__(self, heddle, compiler, repeats, interleaved, most_seconds, folder):
        self.heddle, self.compiler, self.repeats, self.interleaved, self.folder = heddle, compiler, repeats, interleaved, folder
        self.most_seconds = most_seconds
        self.threads, self.cores, self.seed = 2, len(os.sched_getaffinity(0)), 0

    def run(self, *options, interleaved=None):
        """The subjects of all cells, and the naive results, each with the level."""
        result = self.folder / "result.json"
        self.seed += 1
        command = [self.heddle, "stress", "-q", "--compilers", self.compiler, "--json", result, "-t", self.seconds(), "--seed", str(self.seed),
                   "--threads", str(self.threads), "-n", str(interleaved or self.interleaved), *options]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode not in (0, 1, 3):  # 3: no run interleaved
            sys.exit(f"heddle stress {' '.join(options)} ended with exit code {done.returncode}: {done.stderr}")
        cells = json.loads(result.read_text())["cells"]
        return ([{**subject, "level": cell["level"]} for cell in cells for subject in cell["subjects"]],
                [{**naive, "level": cell["level"]} for cell in cells for naive in cell["naive"]])

    def seconds(self):
        """Threads that share a core interleave where they yield, which is a thousand times slower than two cores."""
        return str(self.most_seconds if self.threads <= self.cores else self.most_seconds / 2)

    def title(self, text):
        return f"{text}, {self.threads} threads on {self.cores} cores"

    def repeated(self, *options):
        subjects, naive = [], []
        for _ in range(self.repeats):
            more, more_naive = self.run(*options)
            subjects += more
            naive += more_naive
        return subjects, naive


def averages(subjects):
    """Of each metric, over the results that have it."""
    result = []
    for metric in METRICS:
        values = [subject[metric] for subject in subjects if subject[metric] is not None]
        result.append(statistics.fmean(values) if values else None)
    return result


def cell(value):
    return "-" if value is None else f"{value:.0f}" if value >= 1000 or value == int(value) else f"{value:.2f}"


def metrics(paper, ours):
    return [cell(p) + ", " + cell(o) for p, o in zip(paper, ours)]


def plain_table(bench, problems):
    subjects, _ = bench.repeated("--subject", "plain_add/u32", "--order", "both", "--opt", ",".join(LEVELS))
    for order, tables in (("same", "5.1 to 5.4"), ("different", "5.5 to 5.8")):
        rows = []
        for level in LEVELS:
            mine = [subject for subject in subjects if (subject["order"], subject["level"]) == (order, level)]
            rows.append((f"-{level}", *metrics(PLAIN[order, level], averages(mine))))
            if not all(subject["errors"] for subject in mine):
                problems.append(f"plain addition shows no error at -{level} in {order} order")
        page.table(bench.title(f"tables {tables}"), [f"plain addition, {order} order: thesis, heddle", *HEADS], rows)
    different = [subject for subject in subjects if subject["order"] == "different"]
    share = 100 * sum(s["interleaved_errors"] for s in different) / max(1, sum(s["errors"] for s in different))
    print(f"\n{share:.2f} % of the errors in different-order mode are in interleaved runs")
    if share < LEAST_SHARE:
        problems.append(f"only {share:.1f} % of the errors in different-order mode are in interleaved runs")
    return subjects


def atomic_table(bench, problems):
    subjects, _ = bench.repeated("--subject", "fetch_add/u32/seq_cst")
    page.table(bench.title("table 5.9"), ["atomic addition, different order: thesis, heddle", *HEADS],
               [("-O2", *metrics(ATOMIC, averages(subjects)))])
    many, _ = bench.run("--subject", "fetch_add/u32/seq_cst,discard_add/u32/seq_cst,add_assign/u32,cas_strong/u32/seq_cst+seq_cst",
                        interleaved=10 * bench.interleaved)
    for subject in many:
        print(f"{subject['subject']}: {subject['errors']} errors in {subject['interleaved_runs']} interleaved runs, {subject['seconds']:.1f} s")
        if subject["errors"]:
            problems.append(f"{subject['subject']} shows errors")
    return subjects + many


def cut_tables(bench, problems):
    subjects, naive = bench.repeated("--subject", "cut_cas/*", "--naive", "1000000", "--opt", ",".join(LEVELS))
    rows, naive_rows = [], []
    for level in LEVELS:
        for rounds in ROUNDS:
            mine = [s for s in subjects if (s["level"], s["subject"]) == (level, f"cut_cas/{rounds}")]
            rows.append((f"-{level}, {rounds} rounds", *metrics(CUT[level][rounds - 1], averages(mine))))
            has_cores = bench.threads <= bench.cores
            if has_cores and rounds <= ALWAYS_CAUGHT and not all(subject["errors"] for subject in mine):
                problems.append(bench.title(f"cut_cas/{rounds} at -{level} is not always caught"))
        missing = [[n["expected"] - n["actual"] for n in naive if (n["level"], n["subject"]) == (level, f"cut_cas/{rounds}")]
                   for rounds in ROUNDS]
        naive_rows.append((f"-{level}", *(cell(NAIVE[level][i]) + ", " + cell(statistics.fmean(mine)) for i, mine in enumerate(missing))))
    page.table(bench.title("tables 5.10 to 5.13"), ["the cut compare-and-swap loop, different order: thesis, heddle", *HEADS], rows)
    page.table(bench.title("tables 5.14 to 5.17"), ["missing from a million additions a thread, naive test: thesis, heddle",
                                                    *(f"{rounds} rounds" for rounds in ROUNDS)], naive_rows)
    return subjects, naive


def may_be_chance(more, less):
    """Fisher's exact test: if both tests are equally good, how likely is it that one catches a subject so much more often in DUELS runs?"""
    both = more + less
    ways = [math.comb(DUELS, i) * math.comb(DUELS, both - i) if both - i <= DUELS else 0 for i in range(min(both, DUELS) + 1)]
    return sum(ways[more:]) / sum(ways) > CHANCE


def comparison(method, naive):
    if method == naive:
        return {0: "neither", DUELS: "both always"}.get(method, "level")
    if may_be_chance(max(method, naive), min(method, naive)):
        return "level: the difference may be chance"
    return "ahead" if method > naive else "behind"


def duel_table(bench, problems):
    """The thesis's main claim: the method catches what the naive test catches, and more."""
    caught = {name: [0, 0, 0, 0] for name in WRONG}  # by the method, by the naive test; errors of both
    for _ in range(DUELS):
        subjects, naive = bench.run("--subject", ",".join(WRONG), "--naive", "1000000")
        for at, results in ((0, [(s["subject"], s["errors"]) for s in subjects]),
                            (1, [(n["subject"], abs(n["expected"] - n["actual"])) for n in naive])):
            for name, errors in results:
                caught[name][at] += errors > 0
                caught[name][at + 2] += errors
    rows = []
    for name, (method, plain, errors, plain_errors) in caught.items():
        note = comparison(method, plain)
        if note == "behind":
            if bench.threads > bench.cores:
                note += ": threads that share a core seldom overlap"
            else:
                problems.append(f"{name}: the naive test caught it in {plain} of {DUELS} runs, the method in {method}")
        rows.append((name, f"{method} ({errors:,})", f"{plain} ({plain_errors:,})", note))
    page.table(bench.title("duel"), [f"caught in {DUELS} runs, -O2 (errors)", "the method", "naive, 1,000,000 operations a thread", ""], rows)
    return caught


def barrier_table(bench, problems):
    """In turn, so that both meet the same load of the machine."""
    rates = {"condvar": [], "spin": []}
    interleavings = {"condvar": [], "spin": []}
    for _ in range(3):
        for subject in bench.run("--subject", "plain_add/u32", "--barrier", "both", "-t", "3", interleaved=10**9)[0]:
            rates[subject["barrier"]].append(subject["runs"] / subject["seconds"])
            interleavings[subject["barrier"]].append(subject["interleaved_runs"] / subject["seconds"])
    fast, slow = (statistics.median(rates[name]) for name in ("spin", "condvar"))
    print(f"\nRuns a second: {fast:.0f} with the spinning barrier, {slow:.0f} with the condition variable, {fast / slow:.1f} times as many")
    print(f"Interleaved runs a second: {statistics.median(interleavings['spin']):.0f} and {statistics.median(interleavings['condvar']):.0f}")
    if fast < LEAST_RATIO * slow:
        problems.append(f"the spinning barrier gives only {fast / slow:.1f} times the runs of the condition variable")
    return {"rates": rates, "interleaved": interleavings}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", required=True, help="the heddle command")
    parser.add_argument("--out", required=True, type=pathlib.Path, help="folder for stress.json")
    parser.add_argument("--compiler", default="gcc")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each test, whose average is printed [3]")
    parser.add_argument("--seconds", type=float, default=5, help="a run ends after this, or half of it if threads share a core [5]")
    parser.add_argument("--interleaved", type=int, default=100_000, help="interleaved runs of each [100000]")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    problems = []
    with tempfile.TemporaryDirectory(prefix="heddle-tables-") as folder:
        bench = Bench(arguments.heddle, arguments.compiler, arguments.repeats, arguments.interleaved, arguments.seconds,
                      pathlib.Path(folder))
        all_results = {}
        for bench.threads in sorted({max(2, bench.cores), PAPER_THREADS}):
            plain, atomic = plain_table(bench, problems), atomic_table(bench, problems)
            cut, naive = cut_tables(bench, problems)
            all_results[f"{bench.threads} threads"] = {"plain": plain, "atomic": atomic, "cut": cut, "naive": naive,
                                                       "duels": duel_table(bench, problems)}
        bench.threads = max(2, bench.cores)
        all_results["barriers"] = barrier_table(bench, problems)
    (arguments.out / "stress.json").write_text(json.dumps(all_results, indent=1) + "\n")
    checked = (f"Checked: plain addition shows errors at every level; {LEAST_SHARE} % of them in different order are in interleaved runs; atomic "
               f"addition shows none; with a core for each thread, one and two rounds of the cut loop are always caught, and the naive test catches no subject more often than the method, but by chance (p < {CHANCE}); "
               f"the spinning barrier gives {LEAST_RATIO} times the runs. All of it holds.")
    print("\n" + ("\n".join(problems) if problems else checked))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
