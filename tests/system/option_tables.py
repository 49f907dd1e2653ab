#!/usr/bin/env python3
"""The tables of options in docs/cli.md, and of parameters in docs/strategies.md, are those that `heddle help --markdown COMMAND`
prints. With --update, writes them."""
import argparse
import pathlib
import re
import subprocess
import sys

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
# The marker, an empty line, and the table.
TABLE = re.compile(r"(<!-- heddle help --markdown (\w+) -->\n\n)((?:\|.*\n)*)")
PAGES = {
    "cli.md": {"test", "verify", "merge", "results", "replay", "minimize", "show", "predict", "orders", "fix", "weaken",
               "litmus", "stress"},
    "strategies.md": {"strategies"},
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="heddle's build folder")
    parser.add_argument("--update", action="store_true")
    arguments = parser.parse_args()
    heddle = arguments.build / "bin" / "heddle"

    def generated(match):
        run = subprocess.run([heddle, "help", "--markdown", match[2]], capture_output=True, text=True, check=True)
        return match[1] + run.stdout

    for name, commands in PAGES.items():
        page = DOCS / name
        text = page.read_text()
        found = {command for _, command, _ in TABLE.findall(text)}
        if found != commands:
            sys.exit(f"{name} marks the tables of {sorted(found)} instead of {sorted(commands)}")
        expected = TABLE.sub(generated, text)
        if arguments.update:
            page.write_text(expected)
        elif text != expected:
            differing = [line for line in expected.splitlines() if line not in text.splitlines()]
            sys.exit(f"{name} lacks these lines; tests/system/option_tables.py --update writes them:\n" + "\n".join(differing))
        print(f"{name}: {len(found)} tables are up to date")


if __name__ == "__main__":
    main()
