#!/usr/bin/env python3
"""The runtime's shortcuts change nothing: a libheddle built with -DHEDDLE_FAST_PATHS=OFF gives the same findings, graphs and
numbers of events for every test program, and the same values in a program long enough for events to be forgotten."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDERS = ["tests/programs/correct", "tests/programs/wrong", "benchmarks/programs/fixed", "benchmarks/programs/buggy"]
STRATEGIES = ["random", "pctwm", "pos"]
COMPARED = ["executions", "buggy", "blocked", "distinct_graphs", "graphs_hash", "events", "findings"]
LEFT_OUT = {"limit_endless", "stack_overflow"}  # long, and about other things


def result(heddle, library, binary, strategy, runs, folder):
    path = folder / "result.json"
    path.unlink(missing_ok=True)
    subprocess.run([heddle, "test", "-q", "-s", strategy, "-n", str(runs), "--seed", "11", "--json", path, "--out",
                    folder / "out", binary], env=dict(os.environ, LD_LIBRARY_PATH=str(library)), check=False,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600)
    figures = json.loads(path.read_text())
    return {name: figures[name] for name in COMPARED}


def outputs(heddle, library, binary, strategy, model, folder):
    """What a program prints in each execution."""
    run = subprocess.run([heddle, "test", "-s", strategy, "-m", model, "-n", "4", "--show-output", "--out", folder / "out",
                          binary], env=dict(os.environ, LD_LIBRARY_PATH=str(library)), check=True, capture_output=True,
                         text=True, timeout=600)
    return run.stdout.splitlines()[:-1]


def compare_long(build, without, folder):
    """How often the long program was compared, and what went wrong."""
    source = pathlib.Path(__file__).resolve().parent / "fast_paths" / "long_reads.cpp"
    binary = folder / "long"
    heddle = build / "bin" / "heddle"
    subprocess.run([heddle, "c++", "-O1", "-std=c++20", source, "-o", binary], check=True)
    compared, problems = 0, []
    for strategy in STRATEGIES:
        for model in ("rc11", "c11", "sc"):
            compared += 1
            pair = [outputs(heddle, library, binary, strategy, model, folder) for library in (build / "lib", without)]
            if pair[0] != pair[1] or len(pair[0]) < 8:
                problems.append(f"{source.name} -s {strategy} -m {model}: {pair[0]} with shortcuts, {pair[1]} without")
    return compared, problems


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="heddle's build folder")
    parser.add_argument("--without", type=pathlib.Path, required=True,
                        help="another one, configured with -DHEDDLE_FAST_PATHS=OFF")
    parser.add_argument("--runs", type=int, default=100)
    options = parser.parse_args()
    build = options.build.resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        without = options.without.resolve() / "lib"
        compared, problems = compare_long(build, without, folder)
        for source in (source for part in FOLDERS for source in sorted((ROOT / part).glob("*.c*"))):
            if source.stem in LEFT_OUT:
                continue
            binary = folder / "program"
            command, standard = ("cc", "-std=gnu11") if source.suffix == ".c" else ("c++", "-std=c++20")
            subprocess.run([build / "bin" / "heddle", command, "-O1", "-w", standard, source, "-o", binary], check=True)
            for strategy in STRATEGIES:
                compared += 1
                pair = [result(build / "bin" / "heddle", library, binary, strategy, options.runs, folder)
                        for library in (build / "lib", without)]
                if pair[0] != pair[1]:
                    problems.append(f"{source.name} -s {strategy}: {pair[0]} with shortcuts, {pair[1]} without")
    print("\n".join(problems) if problems else f"{compared} results are the same")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
