#!/usr/bin/env python3
"""A driver that is killed (kill -9) at a random moment loses nothing that the terminal has shown.

Every finding that the terminal showed has a trace on disk, which replays. Every file that looks like a trace is a whole one.
"""

import argparse
import os
import pathlib
import pty
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from heddle_tool import Failure, Heddle  # noqa: E402

SHOWN = re.compile(r"heddle: found in execution \d+: (.*); heddle replay (\S+)\r?\n")
LONGEST = 1.5  # seconds until the driver is killed


def terminal():
    """Both ends of a pseudo-terminal; nothing on machines that have none."""
    try:
        return pty.openpty()
    except OSError:
        return None


def read_all(controller):
    written = b""
    while True:
        try:
            part = os.read(controller, 65536)
        except OSError:  # Linux reports this when the last process has closed the terminal
            return written.decode()
        if not part:
            return written.decode()
        written += part


def run_and_kill(heddle, program, folder, seconds, jobs):
    """Starts a campaign and kills its driver. Returns what it wrote to standard error."""
    ends = terminal()
    command = [heddle.command, "test", "-s", "random", "-n", "1000000", "-j", str(jobs), "--seed",
               str(round(seconds * 1000)), "--out", folder, program]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=ends[1] if ends else subprocess.DEVNULL) as process:
        if ends:
            os.close(ends[1])
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        shown = read_all(ends[0]) if ends else ""
    if ends:
        os.close(ends[0])
    if process.returncode != -signal.SIGKILL:
        raise Failure(f"the campaign ended before it was killed, with {process.returncode}:\n{shown}")
    return shown


def check(heddle, program, folder, seconds, jobs):
    """Returns the number of findings that the terminal showed."""
    shown = SHOWN.findall(run_and_kill(heddle, program, folder, seconds, jobs))
    traces = {path for path in folder.glob("*.trace")} if folder.exists() else set()
    missing = [(headline, trace) for headline, trace in shown if pathlib.Path(trace) not in traces]
    if missing:
        raise Failure(f"killed after {seconds:.3f} s: shown, but not on disk: {missing}; there are {sorted(traces)}")
    headlines = {pathlib.Path(trace): headline for headline, trace in shown}
    for trace in traces:
        run = heddle.replay(trace)
        if run.code != 1 or headlines.get(trace, "") not in run.output:
            raise Failure(f"killed after {seconds:.3f} s: {trace} ({headlines.get(trace)}) does not replay:\n{run.describe()}")
    return len(shown)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--cache", required=True)
    parser.add_argument("--kills", type=int, default=20, help="how often to kill the driver [20]")
    arguments = parser.parse_args()
    heddle = Heddle(arguments.build, arguments.cache)
    times = random.Random(1)
    shown = 0
    try:
        program = heddle.compile(HERE / "killed_driver" / "many_findings.cpp", flags=["-std=c++20", "-O1", "-g", "-w"])
        with tempfile.TemporaryDirectory(prefix="heddle-test-") as name:
            for kill in range(arguments.kills):
                folder = pathlib.Path(name) / "out"
                shutil.rmtree(folder, ignore_errors=True)
                shown += check(heddle, program, folder, LONGEST * times.random() ** 2, 1 + kill % 2)
        if terminal() and shown < arguments.kills:
            raise Failure(f"only {shown} findings were shown in {arguments.kills} campaigns: this tests nothing")
    except Failure as failure:
        print(failure)
        return 1
    print(f"killed {arguments.kills} times; the {shown} findings that were shown are on disk and replay")
    return 0


if __name__ == "__main__":
    sys.exit(main())
