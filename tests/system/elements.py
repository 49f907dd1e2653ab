#!/usr/bin/env python3
"""Explanations of bugs in lines that run for several elements: rings, arrays, lists, structs.

Each program of tests/system/elements has one memory order that is too weak, at a line (or lines) with the comment "needs
ORDER". heddle must find the bug. For every race, both accesses of its story touch the reported bytes. Every fix that names
memory orders was checked, and removes the finding when the source is compiled with it. The fixes of all findings, made one
after the other, leave a program without a bug.
"""

import pathlib
import re
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent / "support"))
from explanations import check_same_bytes, strengthen  # noqa: E402
from heddle_tool import Failure, run_checks  # noqa: E402

SOURCES = HERE / "elements"
# Compilers and levels take turns.
WAYS = [("gcc", "-O1"), ("clang", "-O0"), ("gcc", "-O2"), ("clang", "-O1"), ("gcc", "-O0"), ("clang", "-O2")]
MOST_ROUNDS = 4
RUNS = 300


def test(heddle, program, folder, *options):
    return heddle.test(program, "-n", RUNS, "--seed", 1, "-j", 1, *options, out=folder / "out")


def changes_of(finding):
    return finding.get("explanation", {}).get("changes", [])


def change(name, lines, changes):
    for each in changes:
        if pathlib.Path(each["place"]["file"]).name != name or not strengthen(lines, each):
            raise Failure(f"{name}: there is no memory order to change at {each['place']}")


class Copy:
    def __init__(self, heddle, source, way, folder):
        self.heddle, self.name, self.way = heddle, source.name, way
        self.path = folder / source.name
        self.lines = source.read_text().splitlines()

    def compiled(self, lines):
        self.path.write_text("\n".join(lines) + "\n")
        compiler, level = self.way
        return self.heddle.compile(self.path, compiler, [level, "-g", f"-I{SOURCES}"])


def check_program(heddle, source, way, folder):
    """The number of stories, and of fixes that cure."""
    copy = Copy(heddle, source, way, folder)
    where = f"{source.stem}, {' '.join(way)}"
    stories, cures = 0, 0
    for _ in range(MOST_ROUNDS):
        run = test(heddle, copy.compiled(copy.lines), folder, "--explain", "all")
        findings = run.result["findings"]
        if not findings:
            break
        if not any(changes_of(finding) for finding in findings):
            raise Failure(f"{where}: no finding has a fix\n{run.describe()}")
        for finding in findings:
            stories += check_same_bytes(where, finding, run)
            if not changes_of(finding):
                continue
            if not finding["explanation"]["fix"]["checked"]:
                raise Failure(f"{where}: a fix that was not checked\n{run.describe()}")
            mended = list(copy.lines)
            change(source.name, mended, changes_of(finding))
            again = test(heddle, copy.compiled(mended), folder, "--explain", "none")
            if finding["lasting_key"] in {left["lasting_key"] for left in again.result["findings"]}:
                raise Failure(f"{where}: a fix does not cure\n{run.describe()}\n{again.describe()}")
            cures += 1
        change(source.name, copy.lines, changes_of(next(filter(changes_of, findings))))
    else:
        raise Failure(f"{where}: after {MOST_ROUNDS} fixes there is still a bug\n{run.describe()}")
    if cures == 0:
        raise Failure(f"{where}: no bug\n{run.describe()}")
    # The fix is at the line where the order is missing.
    wanted = {number for number, line in enumerate(source.read_text().splitlines()) if re.search("// needs ", line)}
    changed = {number for number, line in enumerate(source.read_text().splitlines()) if line != copy.lines[number]}
    if wanted != changed:
        raise Failure(f"{where}: lines {sorted(n + 1 for n in changed)} were changed, not {sorted(n + 1 for n in wanted)}")
    return stories, cures


def check_all(heddle, folder, arguments):
    failures, stories, cures = [], 0, 0
    sources = sorted(SOURCES.glob("*.c"))
    for number, source in enumerate(sources):
        if arguments.names and source.stem not in arguments.names:
            continue
        for way in WAYS if arguments.all else [WAYS[number % len(WAYS)]]:
            with tempfile.TemporaryDirectory(dir=folder) as name:
                try:
                    told, cured = check_program(heddle, source, way, pathlib.Path(name))
                    stories, cures = stories + told, cures + cured
                except Failure as failure:
                    failures.append(str(failure))
    if failures:
        raise Failure("\n\n".join(failures))
    print(f"{len(sources)} programs: {stories} stories are about the bytes of their findings, {cures} fixes cure")


def add_options(parser):
    parser.add_argument("--all", action="store_true", help="every program with both compilers at all levels")
    parser.add_argument("names", nargs="*", help="only these programs")


if __name__ == "__main__":
    sys.exit(run_checks(__doc__, check_all, add_options))
