"""The processes that a test has started, from /proc."""

import os
import pathlib
import signal
import time

from heddle_tool import GUARD_SECONDS, Failure


def name_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def parent_of(pid):
    try:
        return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except (OSError, IndexError):
        return 0


def descendants(pid):
    """Of a process, while it runs."""
    parents = {int(entry.name): parent_of(entry.name) for entry in pathlib.Path("/proc").iterdir() if entry.name.isdigit()}
    found, last = [], {pid}
    while last:
        last = {child for child, parent in parents.items() if parent in last}
        found += last
    return found


def kill(pid, number=signal.SIGKILL):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def await_end(pids):
    """The processes end by themselves when a part of the job is gone."""
    end = time.monotonic() + GUARD_SECONDS
    while left := [pid for pid in pids if name_of(pid) and not is_zombie(pid)]:
        if time.monotonic() > end:
            for pid in left:
                kill(pid)
            raise Failure(f"left behind: {left}")
        time.sleep(0.05)


def is_zombie(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True
