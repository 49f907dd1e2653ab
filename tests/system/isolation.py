#!/usr/bin/env python3
"""--isolation auto uses reset where it brings everything back, and fork where the same seed does something else. With
reset, the executions of a program print what they print with fork. An execution whose process is killed can be repeated."""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from heddle_tool import GUARD_SECONDS  # noqa: E402

PROGRAMS = pathlib.Path(__file__).resolve().parent / "isolation"
LEAVES_TRACES = "rare_traces.cpp"
KILLS_ITSELF = "rare_death.c"
EXPECTED = {
    "mapped_counter.c": ("fork", "read 1 instead of 0 when the program was run again in one process, in add at mapped_counter.c:16"),
    "mapped_limit.c": ("fork", "first without a finding, then assert (assertion failed: *counter != 2)"),
    "file_counter.c": ("fork", "printed 'count 2' instead of 'count 1' when the program was run again in one process; "
                               "it writes to the file counter.txt"),
    "static_counter.c": ("reset", ""),
}


def printed(heddle, binary, isolation):
    """What all executions of a program printed of which many leave something behind."""
    run = subprocess.run([heddle, "test", "--show-output", "-s", "random", "-n", "600", "--isolation", isolation, "--out",
                          binary.parent / "out", binary], capture_output=True, text=True, check=False)
    return sorted(line for line in run.stdout.splitlines() if line.startswith(("decimal", "hexadecimal", "nobody")))


def repeat_deaths(heddle, binary, isolation):
    """Nothing is left of a process that was killed: what its execution did follows from its number, the seed, and what the
    strategy had learnt by then. All seeds together must need the latter."""
    problems, strategies = [], set()
    for seed in range(1, 7):
        run = subprocess.run([heddle, "test", "-n", "3000", "--stop-on-bug", "--isolation", isolation, "--seed", str(seed), "--out",
                              binary.parent / "out", binary], capture_output=True, text=True, check=False)
        found = re.search(r"first in execution \d+, by (\S+)\n(?:.*\n)*?.*replay: heddle (replay \S+)", run.stdout)
        if not found:
            problems.append(f"{KILLS_ITSELF} with {isolation}, seed {seed}: nothing found:\n{run.stdout}{run.stderr}")
            continue
        strategies.add(found[1])
        again = subprocess.run([heddle, *found[2].split()], capture_output=True, text=True, check=False)
        if again.returncode != 1 or "the same finding" not in again.stdout:
            problems.append(f"{KILLS_ITSELF} with {isolation}, seed {seed}: {again.stdout}{again.stderr}")
    if len(strategies) < 2:
        problems.append(f"{KILLS_ITSELF} is shown by {strategies} only")
    return problems


def refuse_search(heddle, folder):
    """The executions of a search share a process. If they cannot, verify says why, instead of running for ever."""
    library, binary = folder / "libkeeps_page.so", folder / "enters_library"
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", PROGRAMS / "keeps_page.c", "-o", library], check=True)
    subprocess.run([heddle, "cc", "-O1", PROGRAMS / "enters_library.c", library, f"-Wl,-rpath,{folder}", "-o", binary], check=True)
    run = subprocess.run([heddle, "verify", "--timeout", "1s", "--out", folder / "out", binary], capture_output=True, text=True,
                         check=False, timeout=GUARD_SECONDS)
    if run.returncode != 3 or "the executions of a search share one process, and" not in run.stdout + run.stderr:
        return [f"verify of enters_library: exit code {run.returncode}\n{run.stdout}{run.stderr}"]
    return []


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="heddle's build folder")
    heddle = parser.parse_args().build.resolve() / "bin" / "heddle"
    problems = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for program, (isolation, reason) in EXPECTED.items():
            binary = folder / program.removesuffix(".c")
            subprocess.run([heddle, "cc", "-g", "-O1", PROGRAMS / program, "-o", binary], check=True)
            path = folder / "result.json"
            run = subprocess.run([heddle, "test", "-n", "100", "--json", path, "--out", folder / "out", binary, "counter.txt"],
                                 cwd=folder, capture_output=True, text=True, check=False)
            figures = json.loads(path.read_text())
            said = reason in run.stdout if reason else "fork isolation" not in run.stdout
            if figures["isolation"] != isolation or not said or run.returncode != 0:
                problems.append(f"{program}: {figures['isolation']} instead of {isolation}:\n{run.stdout}")
        problems += refuse_search(heddle, folder)
        binary = folder / "rare_traces"
        subprocess.run([heddle, "c++", "-O1", PROGRAMS / LEAVES_TRACES, "-o", binary], check=True)
        reset, fork = printed(heddle, binary, "reset"), printed(heddle, binary, "fork")
        if reset != fork or "decimal 1 1" not in reset or "nobody" not in "".join(reset):
            problems.append(f"{LEAVES_TRACES} printed {set(reset)} ({len(reset)} lines) with reset isolation, and "
                            f"{set(fork)} ({len(fork)} lines) with fork isolation")
        binary = folder / "rare_death"
        subprocess.run([heddle, "cc", "-O1", PROGRAMS / KILLS_ITSELF, "-o", binary], check=True)
        for isolation in ("reset", "fork"):
            problems += repeat_deaths(heddle, binary, isolation)
    print("\n".join(problems) if problems else f"{len(EXPECTED) + 2} passed")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
