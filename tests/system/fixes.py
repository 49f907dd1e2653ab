#!/usr/bin/env python3
"""Fixes that name memory orders cure, and change only what is wrong.

Each program of tests/system/fixes/ has orders that are too weak: in loops, rings, arrays, structs, and lines that several objects share.
`heddle test` must name a fix and say that it was checked. The test makes the changes in a copy of the source, compiles it, and no
finding may be left. If the program marks lines with "// wrong", the changes must be at these lines. The two accesses of a
race in the story must touch the same bytes (explanations.py).

  fixes.py --build BUILD [--compiler gcc] [--level -O1] [NAME...]
"""

import argparse
import pathlib
import re
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from explanations import ORDER, check_same_bytes  # noqa: E402
from heddle_tool import Failure, Heddle  # noqa: E402


# clang's optimiser moves the write of `next` behind the relaxed exchange. No order of the compiled program cures that, so
# no fix is named.
MOVED = {"stack_push"}


def change_order(lines, change):
    """The failure order of a compare-exchange is the second one on its line."""
    line = change["place"]["line"] - 1
    number = 1 if change["operation"] == "failed compare_exchange" else 0
    orders = list(ORDER.finditer(lines[line]))
    if len(orders) <= number or orders[number][1] != change["from"]:
        raise Failure(f"line {line + 1} has no order {change['from']} to change: {lines[line]}")
    begin, end = orders[number].span(1)
    lines[line] = lines[line][:begin] + change["to"] + lines[line][end:]


def check(heddle, source, compiler, level):
    flags = ["-std=gnu11", level, "-g"]
    with tempfile.TemporaryDirectory(prefix="heddle-fixes-") as folder:
        folder = pathlib.Path(folder)
        program = heddle.compile(source, compiler=compiler, flags=flags)
        before = heddle.test(program, "--seed", "1", out=folder / "out")
        bugs = [finding for finding in before.result.get("findings", []) if finding["kind"] != "limit"]
        if before.code != 1 or not bugs:
            raise Failure(f"no bug was found\n{before.describe()}")
        explanation = bugs[0].get("explanation", {})
        changes = explanation.get("changes", [])
        if source.stem in MOVED and compiler.startswith("clang") and level != "-O0":
            if changes:
                raise Failure(f"a fix is named that does not cure the compiled program\n{before.describe()}")
            return
        if not changes or not explanation["fix"]["checked"]:
            raise Failure(f"no fix was checked\n{before.describe()}")
        check_same_bytes(source.stem, bugs[0], before)
        lines = source.read_text().splitlines()
        wrong = {number for number, line in enumerate(lines, 1) if "// wrong" in line}
        changed = {change["place"]["line"] for change in changes}
        if wrong and not changed <= wrong:
            raise Failure(f"lines {sorted(changed)} are changed, but {sorted(wrong)} are wrong\n{before.describe()}")
        for change in changes:
            change_order(lines, change)
        mended = folder / source.name
        mended.write_text("\n".join(lines) + "\n")
        after = heddle.test(heddle.compile(mended, compiler=compiler, flags=flags), "--seed", "2", out=folder / "out")
        if after.code != 0:
            raise Failure(f"the fix does not cure\n{before.describe()}\n{mended.read_text()}\n{after.describe()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--cache", help="where programs are built; below the build folder by default")
    parser.add_argument("--compiler", default="gcc")
    parser.add_argument("--level", default="-O1")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    heddle = Heddle(options.build, options.cache or pathlib.Path(options.build) / "tests" / "cache")
    sources = sorted((ROOT / "tests" / "system" / "fixes").glob("*.c"))
    failed = 0
    for source in sources:
        if options.names and source.stem not in options.names:
            continue
        try:
            check(heddle, source, options.compiler, options.level)
        except Failure as failure:
            failed += 1
            print(f"{source.stem}: {failure}")
    print(f"{len(sources)} programs, {failed} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
