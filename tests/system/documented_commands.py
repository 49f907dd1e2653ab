#!/usr/bin/env python3
"""Runs the commands that the documents show with a `$` in front, and compares what they print with what those say.

Times, rates and the names of traces may differ, nothing else. A line of three dots stands for any lines.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = ["README.md", "docs/cluster.md", "docs/exhaustive.md", "docs/linearizability.md", "docs/memory-models.md", "docs/orders.md", "docs/predict.md",
             "docs/reading-a-report.md", "docs/tutorial.md"]
FOLDERS = ["examples", "benchmarks", "tests"]  # what the commands, which are for the repository's root, may need


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
    text = re.sub(r"\d+\.\d+ s, \d+/s|\d+\.\d+ s$| +\d+\.\d+$", "TIME", text, flags=re.MULTILINE)
    return re.sub(r"-[0-9a-f]{8}\.(trace|html)", r"-HASH.\1", text).strip()


def matches(printed, expected):
    parts = [re.escape(part.strip()) for part in re.split(r"^\.\.\.$", without_noise(expected), flags=re.MULTILINE)]
    return re.fullmatch(r"\s(?:.*\s)?".join(parts) + r"\s*", without_noise(printed) + "\n", flags=re.DOTALL) is not None


def check(document, build):
    """The number of commands of one document that do not print what it says."""
    commands = sessions((ROOT / document).read_text())
    if len(commands) < 2:
        sys.exit(f"{document} shows no commands any more: where have they gone?")
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "build").symlink_to(build)
        for needed in FOLDERS:
            (folder / needed).symlink_to(ROOT / needed)
        for command, expected in commands:
            run = subprocess.run(command, shell=True, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if not matches(run.stdout, expected):
                failed += 1
                print(f"$ {command}\nprinted:\n{run.stdout}\nbut {document} says:\n{expected}\n")
    print(f"{document}: {len(commands) - failed} passed, {failed} failed")
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="heddle's build folder")
    build = parser.parse_args().build.resolve()
    failed = sum(check(document, build) for document in DOCUMENTS)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
