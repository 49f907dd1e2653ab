#!/usr/bin/env python3
"""`make tables`: every table and figure of docs/papers.md in one run, the papers' figures beside ours.

Prints the tables, and writes them to --keep with the date, the commit, the machine and its load. docs/papers.md repeats tables of this
file, which tests/system/papers_page.py checks. The exit code is 1 if a claim does not hold.
"""
import argparse
import concurrent.futures
import datetime
import os
import pathlib
import platform
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
AGREEMENT = ROOT / "tests" / "system" / "predict_agreement.py"


def steps(heddle, out):
    """Name, command: the tables of PCTWM, of applications, of fuzzing, of Relaxer, of predict and verify, and of the stress tests."""
    build = heddle.parent.parent
    for name in ("tables", "applications", "fuzzing", "relaxer"):
        yield name, [HERE / f"{name}.py", "--heddle", heddle, "--out", out]
    yield "predict_agreement", [AGREEMENT, "--build", build, "--cache", out / "cache", "--programs", "1000", "--classics"]
    yield "stress", [HERE / "stress.py", "--heddle", heddle, "--out", out]


def output_of(*command):
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=ROOT, check=False)
    return run.stdout.strip()


def commit():
    """The commit that is checked out, and whether files differ from it."""
    name = output_of("git", "log", "-1", "--format=%H, %cd, %s", "--date=iso")
    changed = output_of("git", "status", "--porcelain", "--untracked-files=no")
    return (name or "unknown") + (", with changed files" if changed else "")


def processor():
    found = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return found[1] if found else platform.machine()


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")


class Output:
    """Prints, and writes to the file."""

    def __init__(self, path):
        self.file = open(path, "w", encoding="utf-8")

    def write(self, text):
        print(text, end="", flush=True)
        self.file.write(text)
        self.file.flush()

    def line(self, text=""):
        self.write(text + "\n")


def run(command):
    """Runs a step, and returns its exit code, its output, and how many minutes it took."""
    start = time.monotonic()
    process = subprocess.run([sys.executable, *map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             encoding="utf-8", check=False)
    return process.returncode, process.stdout, (time.monotonic() - start) / 60


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", required=True, type=pathlib.Path, help="the heddle command")
    parser.add_argument("--out", required=True, type=pathlib.Path, help="folder for JSON, CSV and plots")
    parser.add_argument("--keep", required=True, type=pathlib.Path, help="the file for what is printed")
    parser.add_argument("--jobs", type=int, default=1, help="steps at the same time; more than one is for a machine that is shared [1]")
    parser.add_argument("--note", default="", help="a line about the machine, for the head of the file")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    output, start, failed = Output(options.keep), time.monotonic(), []
    output.line("# The output of `make tables`\n")
    output.line(f"- date: {now()}\n- commit: {commit()}")
    output.line(f"- machine: {len(os.sched_getaffinity(0))} processors, {processor()}; load at the start: {os.getloadavg()[0]:.1f}")
    output.line(f"- compiler: {output_of('g++', '--version').splitlines()[0]}")
    if options.note:
        output.line(f"- {options.note}")
    if options.jobs > 1:
        output.line(f"- {options.jobs} of the programs below ran at the same time")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        tasks = [(name, pool.submit(run, command)) for name, command in steps(options.heddle.resolve(), options.out.resolve())]
        for name, task in tasks:
            code, text, minutes = task.result()
            output.write(f"\n## {name}.py\n{text}")
            output.line(f"\n{name}.py took {minutes:.1f} minutes" + (f" and ended with exit code {code}" if code else ""))
            failed += [name] if code else []
    output.line(f"\nAll of it took {(time.monotonic() - start) / 60:.1f} minutes; load at the end: {os.getloadavg()[0]:.1f}.")
    output.line(f"Claims that do not hold: see {', '.join(failed)}." if failed else "All claims that are checked hold.")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
