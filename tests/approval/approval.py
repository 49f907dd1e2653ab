#!/usr/bin/env python3
"""Pins what heddle prints on a terminal. Every case below is a list of commands; what they print, with their exit codes, is
compared with the file NAME.approved.txt beside this script. Seeds are fixed. Times, rates and folders are replaced.

After a wanted change of the output: approval.py --build BUILD --approve, and review the difference with git diff.
"""

import argparse
import difflib
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from heddle_tool import GUARD_SECONDS  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
SAMPLING = "-s random -n 100 --seed 1"

CASES = {
    "race": [f"test {SAMPLING} race"],
    "assertion": [f"test {SAMPLING} assertion"],
    "non_ascii": ["test -s random -n 1 --seed 1 non_ascii"],
    "deadlock": [f"test {SAMPLING} deadlock"],
    "livelock": [f"test {SAMPLING} livelock"],
    "clean": [f"test {SAMPLING} clean"],
    "limit": ["test -s random -n 2 --seed 1 --max-events 1000 limit"],
    "verify_complete": ["verify clean"],
    "verify_bug": ["verify assertion"],
    "replay": [f"test --quiet {SAMPLING} assertion", "replay heddle-out/assertion-assert-*.trace"],
    "quiet": [f"test --quiet {SAMPLING} race"],
    "show_output": ["test --show-output -s random -n 2 --seed 1 race"],
    "usage_errors": [
        "",
        "tset race",
        "test",
        "test --nosuch race",
        "test -n many race",
        "test -s pct:d=many race",
        "test -n '' race",
        "test ./missing",
        "test race.c",
        "verify -s random race",
        "replay race",
        "litmus missing.litmus",
    ],
}


def normalised(text, folder):
    text = text.replace(str(folder), "FOLDER")
    text = re.sub(r"\d+\.\d\d s, \d+/s", "SECONDS s, RATE/s", text)
    return re.sub(r"-[0-9a-f]{8}\.trace", "-KEY.trace", text)


def run_case(commands, heddle, folder):
    """What the commands print in this folder, with their exit codes."""
    text = ""
    for command in commands:
        words = []
        for word in shlex.split(command):
            matches = sorted(folder.glob(word)) if "*" in word else []
            words += [str(match.relative_to(folder)) for match in matches] or [word]
        done = subprocess.run([heddle, *words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=GUARD_SECONDS, env={**os.environ, "NO_COLOR": "1", "LC_ALL": "C"})
        text += f"$ heddle {command}".rstrip() + f"\n{done.stdout}"
        text += "".join(f"stderr: {line}".rstrip() + "\n" for line in done.stderr.splitlines())
        text += f"exit code {done.returncode}\n\n"
    shutil.rmtree(folder / "heddle-out", ignore_errors=True)
    return normalised(text, folder).rstrip() + "\n"


def compile_programs(heddle, folder):
    """Compiles in `folder`, so that reports show file names without a path."""
    for source in sorted((HERE / "programs").glob("*.c")):
        shutil.copy2(source, folder)
        subprocess.run([heddle, "cc", "-g", "-O1", source.name, "-o", source.stem], cwd=folder, check=True,
                       env={**os.environ, "HEDDLE_CC": "gcc"})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="the build folder to test")
    parser.add_argument("--approve", action="store_true", help="write the approved files instead of comparing with them")
    parser.add_argument("cases", nargs="*", help="only these")
    options = parser.parse_args()
    heddle = str(options.build.resolve() / "bin" / "heddle")

    failures = 0
    with tempfile.TemporaryDirectory(prefix="heddle-approval-") as name:
        folder = pathlib.Path(name).resolve()
        compile_programs(heddle, folder)
        for case in options.cases or CASES:
            approved = HERE / f"{case}.approved.txt"
            text = run_case(CASES[case], heddle, folder)
            if options.approve:
                approved.write_text(text)
                continue
            expected = approved.read_text() if approved.exists() else ""
            if text != expected:
                failures += 1
                sys.stdout.writelines(difflib.unified_diff(expected.splitlines(True), text.splitlines(True),
                                                           approved.name, "what heddle prints"))
    if failures:
        print(f"\n{failures} of {len(options.cases or CASES)} differ. If that is wanted: {sys.argv[0]} --build "
              f"{options.build} --approve, and review the difference with git diff.")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
