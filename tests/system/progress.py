#!/usr/bin/env python3
"""The progress line: about once a second where standard error is a terminal, and gone at the end; nothing in the first minute
where it is piped, or with -q."""
import argparse
import os
import pathlib
import pty
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from heddle_tool import GUARD_SECONDS  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LINE = re.compile(r"heddle: (\d+) executions \(\d+/s\), \d+ buggy, \d+ bugs?")
ERASED = "\r\x1b[K"


def on_a_terminal(command, lines=None):
    """Returns the exit code, standard output, standard error (a terminal) and how many seconds the command ran. Interrupts it when
    it has shown so many lines."""
    controller, terminal = pty.openpty()
    begin = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=terminal, text=True) as process:
        os.close(terminal)
        written = b""
        while True:
            try:
                part = os.read(controller, 65536)
            except OSError:  # Linux reports this when the last process has closed the terminal
                break
            if not part:
                break
            written += part
            if lines is not None and len(LINE.findall(written.decode("utf-8", "replace"))) >= lines:
                process.send_signal(signal.SIGINT)
                lines = None
        out = process.stdout.read()
    os.close(controller)
    return process.returncode, out, written.decode(), time.monotonic() - begin


def has_terminals():
    """Some containers have no pseudo-terminals at all."""
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError:
        return False
    return True


def check_terminal(command):
    if not has_terminals():
        print("this machine has no pseudo-terminals: only what is piped was tested")
        return []
    code, out, error, seconds = on_a_terminal(command, lines=3)
    problems = []
    shown = [int(number) for number in LINE.findall(error)]
    if code != 3:  # interrupted
        problems.append(f"exit code {code}:\n{out}{error}")
    # A loaded machine may be late, so it may have taken longer; more than one a second are not right.
    if not 3 <= len(shown) <= seconds + 1:
        problems.append(f"{len(shown)} progress lines in {seconds:.1f} seconds: {error!r}")
    if shown != sorted(shown):
        problems.append(f"the numbers of executions do not grow: {shown}")
    if " left" not in error:
        problems.append(f"no time left is told: {error!r}")
    if not error.endswith(ERASED + "heddle: interrupted before all executions were done\r\n") or error.count(ERASED) != len(shown) + 1:
        problems.append(f"the line stays behind: {error!r}")
    if "\r" in out or not re.search(r"^heddle: \d+ executions", out, re.MULTILINE):
        problems.append(f"the report is not as it should be: {out!r}")
    _, _, error, _ = on_a_terminal([*command[:2], "-q", "--time", "2s", *command[2:]])
    if error:
        problems.append(f"-q is not quiet: {error!r}")
    return problems


def check_pipe(command):
    run = subprocess.run([*command[:2], "--time", "2s", *command[2:]], capture_output=True, text=True, check=False, timeout=GUARD_SECONDS)
    problems = []
    if run.stderr:
        problems.append(f"something on a standard error that is piped: {run.stderr!r}")
    if "\r" in run.stdout or "\x1b" in run.stdout:
        problems.append(f"control characters in what is piped: {run.stdout!r}")
    if len(re.findall(r"^heddle: \d+ executions", run.stdout, re.MULTILINE)) != 1:
        problems.append(f"not one line of figures: {run.stdout!r}")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="heddle's build folder")
    heddle = parser.parse_args().build.resolve() / "bin" / "heddle"
    with tempfile.TemporaryDirectory() as folder:
        binary = pathlib.Path(folder) / "program"
        subprocess.run([heddle, "cc", "-O1", ROOT / "benchmarks" / "throughput" / "store_buffering.c", "-o", binary],
                       check=True)
        command = [heddle, "test", "-s", "random", "-n", "1000000000", "--out", pathlib.Path(folder) / "out", binary]
        problems = check_terminal(command) + check_pipe(command)
    print("\n".join(problems) if problems else "progress is shown where it should be")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
