#!/usr/bin/env python3
"""Executions a second, under reset and under fork, and their ratio.

Machines are shared and noisy: the ratios, taken in one run with the measurements of each program interleaved, are what
counts; the absolute figures are of the moment. Each figure is the best of several short campaigns.
"""
import argparse
import json
import pathlib
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = ["store_buffering.c", "containers.cpp"]
ROUNDS = 5
RUNS = {"reset": 100_000, "fork": 1_000}


def build(heddle, source, folder):
    binary = folder / source.stem
    command = "cc" if source.suffix == ".c" else "c++"
    standard = "-std=gnu11" if source.suffix == ".c" else "-std=c++20"
    subprocess.run([heddle, command, standard, "-O2", source, "-o", binary], check=True)
    return binary


def measure(heddle, binary, isolation, folder):
    """Executions and events a second of one campaign."""
    result = folder / "result.json"
    subprocess.run([heddle, "test", "-q", "--isolation", isolation, "-n", str(RUNS[isolation]), "--json", result,
                    "--out", folder / "out", binary], check=True, stdout=subprocess.DEVNULL)
    figures = json.loads(result.read_text())
    return figures["executions"] / figures["seconds"], figures["events"] / figures["seconds"]


def best_of_rounds(heddle, binary, folder):
    best = {}
    for _ in range(ROUNDS):
        for isolation in RUNS:
            best[isolation] = max(best.get(isolation, (0, 0)), measure(heddle, binary, isolation, folder))
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", required=True, help="the heddle command")
    parser.add_argument("--json", help="write the figures to this file")
    options = parser.parse_args()
    figures = []
    print(f"{'program':<18} {'reset/s':>10} {'fork/s':>8} {'reset:fork':>11} {'ns an event':>12}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for program in PROGRAMS:
            best = best_of_rounds(options.heddle, build(options.heddle, HERE / program, folder), folder)
            (reset, events), (fork, _) = best["reset"], best["fork"]
            print(f"{program:<18} {reset:>10.0f} {fork:>8.0f} {reset / fork:>10.0f}x {1e9 / events:>12.0f}")
            figures.append({"program": program, "reset_per_second": reset, "fork_per_second": fork,
                            "reset_to_fork": reset / fork, "nanoseconds_per_event": 1e9 / events})
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
