#!/usr/bin/env python3
"""The tables of docs/papers.md and of pages of docs/internals/ are those that `make tables` printed in one run, whose output is
benchmarks/tables/output.txt. With --update, writes them."""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUTPUT = ROOT / "benchmarks" / "tables" / "output.txt"
PAGES = [ROOT / "docs" / "papers.md", *sorted((ROOT / "docs" / "internals").glob("*.md"))]
# The name, an empty line, and the table.
TABLE = re.compile(r"(<!-- make tables: (.+) -->\n\n)((?:\|.*\n)*)")
# What the head and the end of the output say.
FACTS = [r"^- date: \d{4}-\d\d-\d\d \d\d:\d\d UTC$", r"^- commit: [0-9a-f]{40}, ", r"^- machine: \d+ processors, ", r"^All of it took ([\d.]+) minutes"]
MOST_MINUTES = 60


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--update", action="store_true")
    arguments = parser.parse_args()
    output = OUTPUT.read_text()
    printed, problems = {}, []
    for _, name, table in TABLE.findall(output):
        if name in printed:
            problems.append(f"two tables of {OUTPUT.name} are named '{name}'")
        printed[name] = table
    facts = [re.search(fact, output, re.MULTILINE) for fact in FACTS]
    problems += [f"{OUTPUT.name} lacks a line like {fact}" for fact, found in zip(FACTS, facts) if not found]
    if facts[-1] and float(facts[-1][1]) > MOST_MINUTES:
        problems.append(f"the run took {facts[-1][1]} minutes")
    used = set()
    for page in PAGES:
        text = page.read_text()
        names = [name for _, name, _ in TABLE.findall(text)]
        problems += [f"{page.name} has a table '{name}', which {OUTPUT.name} lacks" for name in names if name not in printed]
        used.update(names)
        expected = TABLE.sub(lambda match: match[1] + printed.get(match[2], match[3]), text)
        if arguments.update:
            page.write_text(expected)
        elif text != expected:
            differing = [line for line in expected.splitlines() if line not in text.splitlines()]
            problems.append(f"{page.name} lacks these lines; tests/system/papers_page.py --update writes them:\n" + "\n".join(differing))
    problems += [f"no page has the table '{name}' of {OUTPUT.name}" for name in printed if name not in used]
    print("\n".join(problems) if problems else f"{len(printed)} tables are up to date")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
