#!/usr/bin/env python3
"""--isolation auto uses reset where it brings everything back, and fork where the same seed meets other values. With
reset, the executions of a program print what they print with fork."""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

PROGRAMS = pathlib.Path(__file__).resolve().parent / "isolation"
LEAVES_TRACES = "rare_traces.cpp"
EXPECTED = {"mapped_counter.c": ("fork", "met other values"), "static_counter.c": ("reset", "")}


def printed(heddle, binary, isolation):
    """What all executions of a program printed of which many leave something behind."""
    run = subprocess.run([heddle, "test", "--show-output", "-s", "random", "-n", "600", "--isolation", isolation, "--out",
                          binary.parent / "out", binary], capture_output=True, text=True, check=False)
    return sorted(line for line in run.stdout.splitlines() if line.startswith(("decimal", "hexadecimal", "nobody")))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="heddle's build folder")
    heddle = parser.parse_args().build / "bin" / "heddle"
    problems = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for program, (isolation, reason) in EXPECTED.items():
            binary = folder / program.removesuffix(".c")
            subprocess.run([heddle, "cc", "-O1", PROGRAMS / program, "-o", binary], check=True)
            path = folder / "result.json"
            run = subprocess.run([heddle, "test", "-n", "300", "--json", path, "--out", folder / "out", binary],
                                 capture_output=True, text=True, check=False)
            figures = json.loads(path.read_text())
            said = reason in run.stdout if reason else "fork isolation" not in run.stdout
            if figures["isolation"] != isolation or not said or run.returncode != 0:
                problems.append(f"{program}: {figures['isolation']} instead of {isolation}:\n{run.stdout}")
        binary = folder / "rare_traces"
        subprocess.run([heddle, "c++", "-O1", PROGRAMS / LEAVES_TRACES, "-o", binary], check=True)
        reset, fork = printed(heddle, binary, "reset"), printed(heddle, binary, "fork")
        if reset != fork or "decimal 1 1" not in reset or "nobody" not in "".join(reset):
            problems.append(f"{LEAVES_TRACES} printed {set(reset)} ({len(reset)} lines) with reset isolation, and "
                            f"{set(fork)} ({len(fork)} lines) with fork isolation")
    print("\n".join(problems) if problems else f"{len(EXPECTED) + 1} passed")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
