#!/usr/bin/env python3
"""Any number of workers gives the same result, also for threads that create threads."""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = pathlib.Path(__file__).resolve().parent / "jobs" / "nested_threads.cpp"
STRATEGIES = ["auto", "random", "pct", "pctwm", "pos"]
EXECUTIONS = 600


def result(heddle, binary, strategy, jobs, folder):
    path = folder / "result.json"
    subprocess.run([heddle, "test", "-q", "-s", strategy, "-n", str(EXECUTIONS), "-j", str(jobs), "--json", path,
                    "--out", folder / "out", binary], stdout=subprocess.DEVNULL, check=False)
    figures = json.loads(path.read_text())
    for noise in ("seconds", "rate"):
        figures.pop(noise)
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="heddle's build folder")
    heddle = parser.parse_args().build / "bin" / "heddle"
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        binary = folder / "program"
        subprocess.run([heddle, "c++", "-std=c++20", "-O1", PROGRAM, "-o", binary], check=True)
        for strategy in STRATEGIES:
            alone = result(heddle, binary, strategy, 1, folder)
            for jobs in (2, 3):
                if result(heddle, binary, strategy, jobs, folder) != alone:
                    failed += 1
                    print(f"-s {strategy} -j {jobs} gives another result than -j 1")
    print(f"{len(STRATEGIES) * 2 - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
