"""Runs heddle orders, fix and weaken, and reads what they write."""

import json
import subprocess
import tempfile
from pathlib import Path

from heddle_tool import Failure

NAMES = {"load": "load", "store": "store", "read-modify-write": "rmw", "compare_exchange": "cas", "failed compare_exchange": "cas-failure",
         "fence": "fence", "fence before": "before", "fence after": "after"}


def ask(heddle, command, program, *arguments, options=(), code=None, cwd=None):
    """The run with its JSON. The program may be None if all clients are options."""
    with tempfile.TemporaryDirectory(prefix="heddle-orders-") as folder:
        path = Path(folder) / "result.json"
        words = [] if program is None else [program, *arguments]
        run = heddle.run(command, "--json", path, "--out", Path(folder) / "out", *options, *words, cwd=cwd)
        if path.exists():
            run.result = json.loads(path.read_text())
    if code is not None and run.code != code:
        raise Failure(f"exit code {code} expected\n{run.describe()}")
    return run


def changes_of(result, answer):
    """{(line, column, operation as --orders names it): order}"""
    found = {}
    for change in answer["changes"]:
        site = result["sites"][change["site"]]
        found[site.get("line", site.get("offset")), site.get("column", 0), NAMES[change["operation"]]] = change["to"]
    return found


def patch(folder, diff):
    """Applies a diff whose names are relative to the folder."""
    done = subprocess.run(["patch", "-p1", "--quiet", "--fuzz=0"], input=diff, text=True, cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if done.returncode != 0:
        raise Failure(f"patch does not take the diff: {done.stdout}\n{diff}")
