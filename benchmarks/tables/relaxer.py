#!/usr/bin/env python3
"""Table 1 of "Testing concurrent programs on relaxed memory models" (Burnim, Sen, Stergiou, ISSTA 2011), with our own versions of
its programs, the paper's figures beside ours: lines of code, the time of phase 1, cycles of length 4 that are predicted, confirmed
and buggy, the mean probability that a trial confirms a confirmed cycle, and the time of a trial. Then the twins with fences, and figures
2, 10 and 13 as the paper prints them.

Counts depend on the text of the programs. What must carry over is checked, and the exit code is 1 if it does not. Writes
relaxer.json to --out. See docs/predict.md.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import page  # noqa: E402

PROGRAMS = pathlib.Path(__file__).resolve().parent.parent / "programs" / "relaxer"
MODELS = ("tso", "pso", "pslo")
NONE, UNKNOWN = (0, 0, 0), (None, None, None)
# The paper's figures: lines of code, seconds of phase 1.
SIZES = {"dekker": (20, 1.1), "bakery": (30, 2.3), "msn": (80, 2.0), "ms2": (60, 1.0), "lazylist": (120, 1.9), "harris": (160, 4.4),
         "snark": (150, 6.3), "text_search": (1000, 9.1), "transfer": (1200, 26.1), "tracing": (1400, 10.4)}
# Cycles predicted; confirmed, buggy, probability, each under TSO, PSO, PSLO; seconds of a trial.
TABLE_1 = {
    "dekker": (112, (47, 45, 69), (39, 38, 65), (0.69, 0.81, 0.84), (1.9, 2.0, 2.5)),
    "bakery": (222, (36, 75, 100), (33, 68, 96), (0.85, 0.84, 0.82), (4.4, 3.6, 5.4)),
    "msn": (459, (0, 117, 144), (0, 117, 144), (None, 0.84, 0.72), (1.2, 1.4, 1.7)),
    "ms2": (75, (0, 2, 5), (0, 2, 5), (None, 1.00, 0.57), (1.8, 2.4, 1.8)),
    "lazylist": (192, (0, 8, 10), (0, 8, 9), (None, 0.96, 0.62), (2.7, 2.9, 3.1)),
    "harris": (172, (0, 54, 49), (0, 48, 49), (None, 0.35, 0.68), (2.8, 3.4, 3.8)),
    "snark": (1800, (0, 647, 404), (0, 419, 191), (None, 0.60, 0.59), (1.6, 1.0, 1.2)),
    "text_search": (0, NONE, NONE, (None,) * 3, (None,) * 3),
    "transfer": (27, (0, 2, 2), (0, 2, 2), (None, 0.83, 0.80), (2.6, 2.7, 3.2)),
    "tracing": (0, NONE, NONE, (None,) * 3, (None,) * 3),
}
NAMES_IN_PAPER = {"text_search": "pfscan", "transfer": "aget", "tracing": "ctrace"}
LOCKED = ("text_search", "tracing")
MUTUAL_EXCLUSION = ("dekker", "bakery")
LEAST_PROBABILITY = 0.8
# Name, source, flags, arguments; for each model, how many cycles of length 4 are confirmed, and how many of these are buggy.
FIGURES_FOLDER = pathlib.Path(__file__).resolve().parent.parent.parent / "tests" / "system" / "predict"
EXPENSIVE = "5000"
FIGURES = (
    ("figure 2", "figure2.c", [], [], {"tso": (0, 0), "pso": (2, 1), "pslo": (2, 1)}),
    ("figure 10", "figure10.c", [], [], {"tso": (0, 0), "pso": (2, 2), "pslo": (2, 2)}),
    ("figure 10, fence between stores", "figure10.c", ["-DSS_FENCE"], [], {"tso": (0, 0), "pso": (0, 0), "pslo": (1, 1)}),
    ("figure 13, f1 = f2 = 5,000 operations", "figure13.cpp", [], [EXPENSIVE, EXPENSIVE],
     {"tso": (1, 1), "pso": (1, 1), "pslo": (1, 1), "rc11": (1, 1)}),
)


class Bench:
    def __init__(self, heddle, trials, folder):
        self.heddle, self.trials, self.folder = heddle, trials, folder

    def build(self, source, name):
        """The accesses of programs with locks are plain: with the plugin they are events, without it they are none."""
        binary = self.folder / name
        ways = [(["--plain=relaxed"], {"HEDDLE_CC": "clang"}), ([], {})] if source.stem in LOCKED else [([], {})]
        for flags, environment in ways:
            command = [self.heddle, "cc", "-std=gnu11", "-O1", "-g", *flags, source, "-o", binary]
            run = subprocess.run(command, env={**os.environ, **environment}, stderr=subprocess.PIPE, text=True)
            if run.returncode == 0:
                return binary
        sys.exit(f"{source} does not compile: {run.stderr}")

    def predict(self, source, name):
        return self.run(self.build(source, name), MODELS, ["--trials", str(self.trials)])

    def run(self, binary, models, options=(), arguments=()):
        result = self.folder / "result.json"
        command = [self.heddle, "predict", "-q", "-m", ",".join(models), "--json", result, "--out", self.folder / "out", *options]
        run = subprocess.run([*command, binary, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if run.returncode not in (0, 1):
            sys.exit(f"heddle predict {binary.name} ended with exit code {run.returncode}: {run.stderr}")
        return json.loads(result.read_text())

    def predict_figure(self, source, flags, models, arguments):
        binary = self.folder / "-".join([source, *flags])
        compiler = ["c++", "-std=c++20"] if source.endswith(".cpp") else ["cc", "-std=gnu11"]
        subprocess.run([self.heddle, *compiler, "-O1", "-g", *flags, FIGURES_FOLDER / source, "-o", binary], check=True)
        return self.run(binary, models, (), arguments)


def pair(paper, ours, form="{}".format):
    return ", ".join("-" if value is None else form(value) for value in (paper, ours))


def short(number):
    return f"{number:.0f}" if number >= 10 else f"{number:.2f}"


def figures(result):
    models = [result["models"][model] for model in MODELS]
    return (len(result["cycles"]), [m["confirmed"] for m in models], [m["buggy"] for m in models],
            [m["probability"] if m["confirmed"] else None for m in models],
            [1000 * m["seconds"] / m["trials"] if m["trials"] else None for m in models])


def lines_of_code(name):
    """Without blank lines and comments, and without the harness."""
    lines = (PROGRAMS / f"{name}.c").read_text().splitlines()
    return sum(bool(line.strip()) and not line.strip().startswith("//") for line in lines)


def print_table(rows):
    lines = []
    for name, result in rows.items():
        predicted, confirmed, buggy, probability, milliseconds = figures(result)
        paper = TABLE_1[name]
        size, seconds = SIZES[name]
        phase_1 = result["seconds"] - sum(model["seconds"] for model in result["models"].values())
        lines.append((f"{name} ({NAMES_IN_PAPER[name]})" if name in NAMES_IN_PAPER else name, pair(size, lines_of_code(name)),
                      pair(1000 * seconds, 1000 * phase_1, short), pair(paper[0], predicted), triple(paper[1]), triple(confirmed),
                      triple(paper[2]), triple(buggy), triple(paper[3], "{:.2f}".format), triple(probability, "{:.2f}".format),
                      triple([None if p is None else 1000 * p for p in (paper[4] if len(paper) > 4 else UNKNOWN)], short),
                      triple(milliseconds, short)))
    page.table("table 1 of Relaxer", ["paper (P), heddle (H), each under `tso` / `pso` / `pslo`", "lines P, H", "ms of phase 1 P, H",
                                      "predicted P, H", "confirmed P", "H", "buggy P", "H", "probability P", "H", "ms a trial P", "H"],
               lines)


def triple(values, form="{}".format):
    return " / ".join("-" if value is None else form(value) for value in values)


def print_fixed(rows):
    page.table("Relaxer with fences", ["twins with the paper's fences", "predicted", "confirmed under `tso` / `pso` / `pslo`", "buggy"],
               [(name, figures(result)[0], triple(figures(result)[1]), triple(figures(result)[2])) for name, result in rows.items()])


def figure_table(bench):
    """Figures 2, 10 and 13. Yields what differs from the paper."""
    rows = []
    for name, source, flags, arguments, wanted in FIGURES:
        models = bench.predict_figure(source, flags, list(wanted), arguments)["models"]
        for model, counts in wanted.items():
            confirmed, buggy = models[model]["confirmed"], models[model]["buggy"]
            rows.append((f"{name}, `{model}`", page.pair(counts[0], confirmed), page.pair(counts[1], buggy)))
            if (confirmed, buggy) != counts:
                yield f"{name} under {model}: {confirmed} cycles confirmed, {buggy} buggy instead of {counts[0]} and {counts[1]}"
    page.table("figures of Relaxer", ["", "confirmed: paper, heddle", "buggy: paper, heddle"], rows)


def differences(rows, fixed):
    """What must carry over from the paper, and does not."""
    for name, result in rows.items():
        _, confirmed, buggy, probability, _ = figures(result)
        if name in LOCKED:
            wanted = [False] * 3
            if any(confirmed):
                yield f"{name}: locks protect everything, but a cycle was confirmed"
        else:
            wanted = [name in MUTUAL_EXCLUSION, True, True]
        for model, is_wanted, count, chance in zip(MODELS, wanted, buggy, probability):
            if is_wanted != (count > 0):
                yield f"{name} under {model}: {count} buggy cycles"
            if chance is not None and chance < LEAST_PROBABILITY:
                yield f"{name} under {model}: a trial confirms a cycle with a probability of {chance:.2f} only"
    for name, result in fixed.items():
        if any(figures(result)[2]):
            yield f"{name} with fences: a buggy cycle was confirmed"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--heddle", required=True, help="the heddle command")
    parser.add_argument("--out", required=True, type=pathlib.Path, help="folder for relaxer.json")
    parser.add_argument("--trials", type=int, default=3, help="of each cycle [3]")
    parser.add_argument("--only", default="", help="comma-separated programs, without the paper's figures")
    arguments = parser.parse_args()
    names = arguments.only.split(",") if arguments.only else list(TABLE_1)
    arguments.out.mkdir(parents=True, exist_ok=True)
    rows, fixed = {}, {}
    problems = []
    with tempfile.TemporaryDirectory(prefix="heddle-tables-") as folder:
        bench = Bench(arguments.heddle, arguments.trials, pathlib.Path(folder))
        if not arguments.only:
            problems += figure_table(bench)
        for name in names:
            rows[name] = bench.predict(PROGRAMS / f"{name}.c", name)
            twin = PROGRAMS / "fixed" / f"{name}.c"
            if twin.exists():
                fixed[name] = bench.predict(twin, f"{name}-fixed")
    print_table(rows)
    print_fixed(fixed)
    (arguments.out / "relaxer.json").write_text(json.dumps({"table1": rows, "fixed": fixed}, indent=1) + "\n")
    problems += differences(rows, fixed)
    checked = ("Checked: which models show buggy cycles, that locks and fences leave none, that a trial confirms a cycle with a "
               f"probability of {LEAST_PROBABILITY} or more. All of it holds.")
    print("\n" + ("\n".join(problems) if problems else checked))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
