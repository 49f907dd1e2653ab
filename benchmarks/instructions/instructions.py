#!/usr/bin/env python3
"""Instructions an execution of store buffering under heddle::check takes, by function.

Time is of the machine and the moment; instructions are not. Every instruction of some executions is executed by itself
(ptrace), so that the counts are exact: how many there are, how often each function is called, and how much code they
are, in lines of the processor's cache, of which there is room for some 500."""

import argparse
import bisect
import collections
import pathlib
import struct
import subprocess
import tempfile

# Addresses of the program are keys in the runtime's hash tables, where two of them may share a place. Without address
# randomisation, where that is permitted, the numbers are the same every time.
STEADY = ["setarch", "-R"]

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WARM_UP = 300


def run(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def is_steady():
    return subprocess.run([*STEADY, "true"], capture_output=True).returncode == 0


def symbols(path):
    """Addresses and names of the functions in a file, sorted."""
    found = {}
    for options in (["-C"], ["-D", "-C"]):
        for line in run("nm", *options, "--defined-only", path).splitlines():
            words = line.split(None, 2)
            if len(words) == 3 and words[1] in "tTwWi":
                found.setdefault(int(words[0], 16), words[2])
    addresses = sorted(found)
    return addresses, [found[address] for address in addresses]


class Code:
    """Tells which function an address belongs to."""

    def __init__(self, maps):
        self.ranges = []
        self.bases = {}
        for line in pathlib.Path(maps).read_text().splitlines():
            words = line.split()
            if len(words) < 6 or not words[5].startswith("/"):
                continue
            begin, end = (int(word, 16) for word in words[0].split("-"))
            self.bases.setdefault(words[5], begin - int(words[2], 16))
            self.ranges.append((begin, end, words[5]))
        self.symbols = {}

    def function(self, address):
        """Its name, and whether it begins here."""
        for begin, end, path in self.ranges:
            if begin <= address < end:
                break
        else:
            return "?", False
        if path not in self.symbols:
            self.symbols[path] = symbols(path)
        addresses, names = self.symbols[path]
        place = bisect.bisect_right(addresses, address - self.bases[path]) - 1
        if place < 0:
            return pathlib.Path(path).name, False
        name = names[place].replace("(anonymous namespace)::", "").split("(")[0].replace("heddle::", "")
        return f"{pathlib.Path(path).name.split('.')[0]} {name}", addresses[place] == address - self.bases[path]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default=ROOT / "build/bin/heddle", help="the heddle command")
    parser.add_argument("--executions", type=int, default=20, help="how many are counted")
    parser.add_argument("--functions", type=int, default=40, help="how many are shown")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        program, stepper, out = folder / "program", folder / "single_step", folder / "addresses"
        run(options.heddle, "c++", "-O2", "-w", "-std=c++20", f"-I{ROOT}/include",
            ROOT / "benchmarks/throughput/check_store_buffering.cpp", "-o", program)
        run("gcc", "-O2", HERE / "single_step.c", "-o", stepper)
        addresses, names = symbols(program)
        body = addresses[names.index("body()")]
        run(*(STEADY if is_steady() else []), stepper, out, f"{body:x}", WARM_UP, options.executions, program, 2 * WARM_UP + options.executions)
        trace = [address for address, in struct.iter_unpack("<Q", out.read_bytes())]
        code = Code(f"{out}.maps")
        instructions, calls, lines = collections.Counter(), collections.Counter(), collections.defaultdict(set)
        known = {}
        for address in trace:
            if address not in known:
                known[address] = code.function(address)
            name, begins = known[address]
            instructions[name] += 1
            calls[name] += begins
            lines[name].add(address >> 6)
    count = options.executions
    print(f"{len(trace) / count:.0f} instructions an execution, {len(known)} different ones, "
          f"in {len({address >> 6 for address in trace})} lines of the cache")
    print(f"{'an execution':>12} {'calls':>6} {'lines':>6}")
    for name, number in instructions.most_common(options.functions):
        print(f"{number / count:12.1f} {calls[name] / count:6.1f} {len(lines[name]):6}  {name}")


main()
