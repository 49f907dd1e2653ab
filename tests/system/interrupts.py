#!/usr/bin/env python3
"""An exhaustive search that is interrupted prints what it has and exits with the code for "not finished", 3."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from heddle_tool import GUARD_SECONDS, Failure, run_checks  # noqa: E402

PROGRAM = HERE.parents[1] / "benchmarks" / "verify" / "synthetic.cpp"
WORK_BEFORE = 0.5  # seconds of CPU: start-up takes a few hundredths
SMALL = """C small
{ x=0; }
P0 (atomic_int* x) { atomic_store_explicit(x,1,memory_order_relaxed); }
P1 (atomic_int* x) { int r0 = atomic_load_explicit(x,memory_order_relaxed); }
exists (1:r0=1)
"""


def large_test():
    threads = "".join(f"P{i} (atomic_int* x) {{ atomic_store_explicit(x,{i},memory_order_relaxed); }}\n"
                      for i in range(14))
    return "C large\n{ x=0; }\n" + threads + "exists (x=1)\n"


def cpu_seconds(pid):
    """Of a process and its children."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return 0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") + sum(map(cpu_seconds, children))


def interrupted(heddle, arguments, signals, folder):
    """Runs heddle, and sends the signals when it has worked for a while. Returns exit code and output."""
    output = folder / "output"
    with output.open("w") as file:
        process = subprocess.Popen([str(word) for word in (heddle.command, *arguments)], stdout=file,
                                   stderr=subprocess.STDOUT)
        try:
            deadline = time.monotonic() + GUARD_SECONDS
            while cpu_seconds(process.pid) < WORK_BEFORE and time.monotonic() < deadline:
                time.sleep(0.02)
            for number in signals:
                process.send_signal(number)
            process.wait(GUARD_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            raise Failure(f"{arguments} still runs after {signals}") from None
    return process.returncode, output.read_text()


def expect(code, text, wanted):
    if code != 3:
        raise Failure(f"exit code {code} instead of 3\n{text}")
    for pattern in wanted:
        if not re.search(pattern, text):
            raise Failure(f"the output does not say '{pattern}'\n{text}")


def check_verify(heddle, folder, signals):
    program = heddle.compile(PROGRAM, flags=["-std=c++20", "-O2"])
    result = folder / "verify.json"
    code, text = interrupted(heddle, ["verify", "--json", result, "--out", folder / "out", program, "writers", 14],
                             signals, folder)
    expect(code, text, [r"[1-9]\d* execution graphs .*: not all executions were explored", "interrupted"])
    report = json.loads(result.read_text())
    if report["all_explored"] or not report["interrupted"] or report["executions"] == 0:
        raise Failure(f"the JSON does not say that the search was interrupted: {report}")


def check_litmus(heddle, folder, signals, tests_run, *options):
    small, large, result = folder / "small.litmus", folder / "large.litmus", folder / "litmus.json"
    small.write_text(SMALL)
    large.write_text(large_test())
    code, text = interrupted(heddle, ["litmus", *options, "--json", result, small, large, small], signals, folder)
    expect(code, text, ["Observation small Sometimes", "Interrupted: not all executions were seen",
                        rf"{tests_run} of 3 tests, \d+ states in [1-9]\d* execution", "interrupted before all tests were done"])
    if len(result.read_text().splitlines()) != tests_run:
        raise Failure(f"the JSON should have the tests that were run\n{result.read_text()}")


def check_all(heddle, folder, arguments):
    # Some programs (timeout among them) send a signal twice.
    for signals in ([signal.SIGINT], [signal.SIGTERM], [signal.SIGTERM, signal.SIGTERM]):
        check_verify(heddle, folder, signals)
        check_litmus(heddle, folder, signals, 2)
    check_litmus(heddle, folder, [signal.SIGINT], 1, "--strategy", "random", "--runs", "30000000")


if __name__ == "__main__":
    sys.exit(run_checks(__doc__, check_all))
