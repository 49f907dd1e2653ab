#!/usr/bin/env python3
"""Table 1 of "Testing concurrent programs on relaxed memory models" (Burnim, Sen, Stergiou, ISSTA 2011), with our own versions of
its programs, the paper's figures beside ours: lines of code, the time of phase 1, cycles of length 4 that are predicted, confirmed
and buggy, the mean probability that a trial confirms a confirmed cycle, and the time of a trial. Then the twins with fences.

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

PROGRAMS = pathlib.Path(__file__).resolve().parent.parent / "programs" / "relaxer"
MODELS = ("tso", "pso", "pslo")
NONE = (0, 0, 0)
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
        result = self.folder / "result.json"
        command = [self.heddle, "predict", "-q", "-m", ",".join(MODELS), "--json", result, "--out", self.folder / "out"]
        if self.trials:
            command += ["--trials", str(self.trials)]
        run = subprocess.run([*command, self.build(source, name)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if run.returncode not in (0, 1):
            sys.exit(f"heddle predict {name} ended with exit code {run.returncode}: {run.stderr}")
        return json.loads(result.read_text())


def pair(paper, ours, form="{}".format):
    return " / ".join("-" if value is None else form(value) for value in (paper, ours))


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
    print("\nTable 1 of the paper on Relaxer: paper / heddle, each under tso, pso, pslo\n")
    widths = (13, 13, 14, 13, 32, 32, 44, 44)
    heads = ("program", "lines", "ms of phase 1", "predicted", "confirmed", "buggy", "probability", "ms a trial")
    print("".join(f"{head:<{width}}" for head, width in zip(heads, widths)).rstrip())
    for name, result in rows.items():
        predicted, confirmed, buggy, probability, milliseconds = figures(result)
        paper = TABLE_1[name]
        lines, seconds = SIZES[name]
        phase_1 = result["seconds"] - sum(model["seconds"] for model in result["models"].values())
        cells = (name, pair(lines, lines_of_code(name)), pair(1000 * seconds, 1000 * phase_1, short), pair(paper[0], predicted), "  ".join(map(pair, paper[1], confirmed)), "  ".join(map(pair, paper[2], buggy)),
                 "  ".join(pair(p, o, "{:.2f}".format) for p, o in zip(paper[3], probability)),
                 "  ".join(pair(None if p is None else 1000 * p, o, short) for p, o in zip(paper[4], milliseconds)))
        print("".join(f"{cell:<{width}}" for cell, width in zip(cells, widths)).rstrip())
    print("\n" + ", ".join(f"{name} stands for {other}" for name, other in NAMES_IN_PAPER.items()))


def print_fixed(rows):
    print("\nThe twins with fences: confirmed, and of these buggy, under tso, pso, pslo\n")
    for name, result in rows.items():
        predicted, confirmed, buggy, _, _ = figures(result)
        print(f"{name:<12}predicted {predicted:<6}confirmed {confirmed}, buggy {buggy}")


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
    parser.add_argument("--trials", type=int, default=0, help="of each cycle; default: heddle's")
    parser.add_argument("--only", default="", help="comma-separated programs")
    arguments = parser.parse_args()
    names = arguments.only.split(",") if arguments.only else list(TABLE_1)
    arguments.out.mkdir(parents=True, exist_ok=True)
    rows, fixed = {}, {}
    with tempfile.TemporaryDirectory(prefix="heddle-tables-") as folder:
        bench = Bench(arguments.heddle, arguments.trials, pathlib.Path(folder))
        for name in names:
            rows[name] = bench.predict(PROGRAMS / f"{name}.c", name)
            twin = PROGRAMS / "fixed" / f"{name}.c"
            if twin.exists():
                fixed[name] = bench.predict(twin, f"{name}-fixed")
    print_table(rows)
    print_fixed(fixed)
    (arguments.out / "relaxer.json").write_text(json.dumps({"table1": rows, "fixed": fixed}, indent=1) + "\n")
    problems = list(differences(rows, fixed))
    checked = ("Checked: which models show buggy cycles, that locks and fences leave none, that a trial confirms a cycle with a "
               f"probability of {LEAST_PROBABILITY} or more. All of it holds.")
    print("\n" + ("\n".join(problems) if problems else checked))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
