#!/usr/bin/env python3
"""Memory stays bounded however long an execution is: nodes that one thread allocates and another one frees leave nothing
behind but the decisions of a trace, whether freed memory comes back at once or late."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = ROOT / "benchmarks" / "throughput" / "long_queue.cpp"
# By then the quarantine is full, and the free list of the thread that frees is, too.
FEW, MANY = 60_000, 180_000
# Nine bytes of decisions, and the steps in which memory is taken. A node that is not forgotten has more than 1,000.
BYTES_A_NODE, STEPS = 9, 24 << 20
SEEDS = (1, 2)  # one for each kind of re-use


def peak(command):
    """The most memory that the command, or a process that it started, had at a time."""
    with subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_maxrss * 1024, process.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="heddle's build folder")
    parser.add_argument("--nodes", type=int, default=MANY, help=f"in the longer execution (default {MANY})")
    options = parser.parse_args()
    heddle = options.build / "bin" / "heddle"
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        binary = folder / "program"
        subprocess.run([heddle, "c++", "-std=c++20", "-O1", PROGRAM, "-o", binary], check=True)
        for seed in SEEDS:
            bytes_of = {}
            for nodes in (FEW, options.nodes):
                result = folder / "result.json"
                bytes_of[nodes], code = peak([heddle, "test", "-q", "-s", "random", "--isolation", "reset", "-n", 1, "--seed",
                                              seed, "--max-events", 10**12, "--json", result, "--out", folder / "out",
                                              binary, nodes])
                events = json.loads(result.read_text())["events"]
                if code != 0 or events < nodes * 4:
                    failed += 1
                    print(f"seed {seed}: exit code {code} after {events} events with {nodes} nodes")
            allowed = bytes_of[FEW] + BYTES_A_NODE * (options.nodes - FEW) + STEPS
            print(f"seed {seed}: {bytes_of[FEW] >> 20} MiB with {FEW} nodes, "
                  f"{bytes_of[options.nodes] >> 20} MiB with {options.nodes}")
            if bytes_of[options.nodes] > allowed:
                failed += 1
                print(f"  more than the {allowed >> 20} MiB that decisions explain")
    print(f"{len(SEEDS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
