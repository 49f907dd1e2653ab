#!/usr/bin/env python3
"""The runtime's fast paths change nothing: a libheddle built with -DHEDDLE_FAST_PATHS=OFF gives the same findings, graphs and
numbers of events for every test program, and the same values in a program long enough for events to be forgotten."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from comparison import DESCRIPTION, Comparison, make_case, sources  # noqa: E402
from heddle_tool import GUARD_SECONDS, Heddle  # noqa: E402

STRATEGIES = ["random", "pctwm", "pos"]
LEFT_OUT = {"limit_endless", "stack_overflow"}  # they take long, and no fast path ends them


def outputs(heddle, library, binary, strategy, model, folder):
    """What a program prints in each execution."""
    run = subprocess.run([heddle, "test", "-s", strategy, "-m", model, "-n", "4", "--show-output", "--out", folder / "out",
                          binary], env=dict(os.environ, LD_LIBRARY_PATH=str(library)), check=True, capture_output=True,
                         text=True, timeout=GUARD_SECONDS)
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
    build, without = options.build.resolve(), options.without.resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        compared, problems = compare_long(build, without / "lib", folder)
        print("\n".join(problems))
        cases = [make_case(source, options.runs, "-s", strategy) for source in sources() if source.stem not in LEFT_OUT
                 for strategy in STRATEGIES]
        comparison = Comparison(Heddle(build, folder, runtime=build), Heddle(build, folder, runtime=without), DESCRIPTION)
        equal = comparison.compare_all(cases, os.cpu_count()) and not problems
    print(f"{compared + len(cases)} results are the same" if equal else "the fast paths change results")
    sys.exit(0 if equal else 1)


if __name__ == "__main__":
    main()
