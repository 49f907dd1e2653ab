#!/usr/bin/env python3
"""Runs the commands that the README shows with a `$` in front, and compares what they print with what it says.

Times, rates and the names of traces may differ, nothing else.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def sessions(text):
    """(command, expected output lines) of every indented block that starts with `$`."""
    found, expected = [], None
    for line in text.splitlines() + ["end"]:
        if line.startswith("    $ "):
            expected = []
            found.append((line[6:], expected))
        elif expected is not None and (line.startswith("    ") or not line.strip()):
            expected.append(line[4:])
        else:
            expected = None
    return [(command, "\n".join(lines).strip()) for command, lines in found]


def without_noise(text):
    text = re.sub(r"\d+\.\d+ s, \d+/s", "TIME", text)
    return re.sub(r"-[0-9a-f]{8}\.trace", "-HASH.trace", text).strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="heddle's build folder")
    build = parser.parse_args().build.resolve()
    commands = sessions((ROOT / "README.md").read_text())
    if len(commands) < 2:
        sys.exit("the README shows no commands any more: where have they gone?")
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "build").symlink_to(build)
        (folder / "examples").symlink_to(ROOT / "examples")
        for command, expected in commands:
            run = subprocess.run(command, shell=True, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if without_noise(run.stdout) != without_noise(expected):
                failed += 1
                print(f"$ {command}\nprinted:\n{run.stdout}\nbut the README says:\n{expected}\n")
    print(f"{len(commands) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
