#!/usr/bin/env python3
"""heddle replay --gdb: gdb opens at the finding, and heddle's commands show events and threads, and step forwards and backwards."""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from heddle_tool import GUARD_SECONDS, Failure, Heddle  # noqa: E402


class Session:
    """gdb on the trace of one program's finding; the commands come from standard input."""

    def __init__(self, heddle, folder, source, kind, *flags):
        self.program = heddle.compile(source, flags=[*flags, "-O1", "-g"])
        heddle.run("test", "-n", "300", "--out", folder / source.stem, self.program)
        self.trace = next((folder / source.stem).glob(f"*-{kind}-*.trace"))
        self.command = heddle.command
        self.folder = folder

    def run(self, *commands):
        done = subprocess.run([self.command, "replay", "--gdb", self.trace], input="\n".join(commands) + "\n", text=True, timeout=GUARD_SECONDS,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=self.folder)
        if "Traceback" in done.stdout or "Error while executing Python" in done.stdout:
            raise Failure(f"the script fails:\n{done.stdout}")
        return done.stdout


def expect(output, *patterns):
    """The patterns occur in this order."""
    rest = output
    for pattern in patterns:
        found = re.search(pattern, rest)
        if not found:
            raise Failure(f"gdb does not show '{pattern}', or not in this place:\n{output}")
        rest = rest[found.end():]


def events_of(output):
    """The texts of the events by number, as heddle-events lists them, and the number of the current one."""
    listed = re.findall(r"(?:\n=>|\n  |\(gdb\)) +(\d+) (T[^\n]*)", output)
    current = re.search(r"\n=> +(\d+) T", output)
    if not listed or not current:
        raise Failure(f"heddle-events does not show where the execution is:\n{output}")
    return {int(number): re.escape(text.strip()) for number, text in listed}, int(current[1])


def check_race(session):
    """message_passing_relaxed.cpp: the writer is T0.1, the reader T0.2. Where the writer ends depends on the execution."""
    events, race = events_of(session.run("heddle-events"))
    write = next(number for number, text in events.items() if "write\\ payload" in text)
    expect(events[race], "read.*payload.*42")
    expect(events[race - 1], "relaxed.*ready.*1")
    output = session.run("heddle-threads", "print payload", "heddle-back", f"heddle-back {race - 2 - write}", f"heddle-goto {write}", "heddle-step",
                         "bt 20", "heddle-step 99", "kill", "heddle-step")
    expect(output, "heddle: data race on `payload`", rf"=> +{race} " + events[race] + r"\n", r"19\t +std::printf",
           r"\(gdb\)   T0\n", r"  T0.1\n +newest ", r"\* T0.2\n +newest +" + str(race),
           r"\$1 = 42",
           rf"=> +{race - 1} " + events[race - 1], r"18\t",
           rf"=> +{write + 1} " + events[write + 1],
           rf"=> +{write} " + events[write], r"14\t +payload = 42;",
           rf"=> +{write + 1} " + events[write + 1], r"15\t",
           r"operator\(\)[^#]*message_passing_relaxed.cpp:15",
           f"The execution has {len(events)} events, and {write + 1} have been executed",
           r"=> +1 T0 +thread creation")


def check_assertion(session):
    """Which execution shows the assertion does not matter here: the event before the one where gdb opens is taken from the list of all."""
    output = session.run("heddle-events", "heddle-back")
    expect(output, "heddle: assertion failed: read->first == read->second", r"=> [^\n]*seqlock_broken.cpp:\d+\n",
           r"seqlock_broken.cpp:44\n44\t[^\n]*assert", "stale")
    current = re.search(r"\n +(\d+ T[^\n]*)\n=> +(\d+ T[^\n]*)\n", output)
    if not current:
        raise Failure(f"heddle-events does not show where the execution is:\n{output}")
    expect(output[current.end():], r"\(gdb\) => +" + re.escape(current[1]) + r"\n", r"seqlock_broken.cpp:\d+\n")


def check_deadlock(session):
    expect(session.run("heddle-threads"), "heddle: deadlock", "=> .*mutex lock", r"T0.1\n +newest +\d+ T0.1 +mutex lock alice", "mutex lock bob")


def check_unknown_trace(heddle, folder):
    run = heddle.run("replay", "--gdb", folder / "nothing.trace")
    if run.code != 3:
        raise Failure(run.describe())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="heddle's build folder")
    build = parser.parse_args().build.resolve()
    if not shutil.which("gdb"):
        print("gdb is not installed")
        sys.exit(77)
    examples = ROOT / "examples"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        heddle = Heddle(build, folder / "cache")
        left = set(pathlib.Path("/tmp").glob("heddle-gdb-*"))
        check_race(Session(heddle, folder, examples / "message_passing_relaxed.cpp", "race", "-std=c++20"))
        check_assertion(Session(heddle, folder, examples / "seqlock_broken.cpp", "assert", "-std=c++20"))
        check_deadlock(Session(heddle, folder, examples / "deadlock.cpp", "deadlock", "-std=c++20"))
        check_unknown_trace(heddle, folder)
        if set(pathlib.Path("/tmp").glob("heddle-gdb-*")) - left:
            raise Failure("a session was left in /tmp")
    print("4 passed, 0 failed")


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(str(failure))
