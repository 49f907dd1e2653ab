#!/usr/bin/env python3
"""The tables of options in docs/cli.md are those that `heddle help --markdown COMMAND` prints. With --update, writes them."""
import argparse
import pathlib
import re
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "cli.md"
# The marker, an empty line, and the table.
TABLE = re.compile(r"(<!-- heddle help --markdown (\w+) -->\n\n)((?:\|.*\n)*)")
COMMANDS = {"test", "verify", "merge", "results", "replay", "minimize", "show", "predict", "litmus", "stress"}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="heddle's build folder")
    parser.add_argument("--update", action="store_true")
    arguments = parser.parse_args()
    heddle = arguments.build / "bin" / "heddle"
    text = PAGE.read_text()
    found = {command for _, command, _ in TABLE.findall(text)}
    if found != COMMANDS:
        sys.exit(f"{PAGE.name} marks the tables of {sorted(found)} instead of {sorted(COMMANDS)}")

    def generated(match):
        run = subprocess.run([heddle, "help", "--markdown", match[2]], capture_output=True, text=True, check=True)
        return match[1] + run.stdout

    expected = TABLE.sub(generated, text)
    if arguments.update:
        PAGE.write_text(expected)
    elif text != expected:
        differing = [line for line in expected.splitlines() if line not in text.splitlines()]
        sys.exit(f"{PAGE.name} lacks these lines; tests/system/option_tables.py --update writes them:\n" + "\n".join(differing))
    print(f"{len(found)} tables are up to date")


if __name__ == "__main__":
    main()
