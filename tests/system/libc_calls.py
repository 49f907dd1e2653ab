#!/usr/bin/env python3
"""Functions of the C library read and write the program's memory: a race with another thread that uses the same memory is found
for every function, a function that touches less is not blamed for more, and a call that is ordered with the other thread has no
race. Every row of the tables in src/abi has a case."""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from heddle_tool import GUARD_SECONDS  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent / "src" / "abi" / "libc"
PROGRAM = HERE / "libc_calls" / "calls.c"
CASES = HERE / "libc_calls" / "cases.inc"
COMPILERS = {"gcc": ("gcc", ["-O1"]), "gcc, fortified": ("gcc", ["-O2", "-D_FORTIFY_SOURCE=2"]), "clang": ("clang", ["-O1"])}
# Rows that the test cannot call everywhere: they need a terminal, extended attributes, rights, entries of a database, or a newer
# C library; or they use memory that only the C library has.
NOT_CALLED = {"tcgetattr", "ttyname_r", "__ttyname_r_chk", "ptsname_r", "__ptsname_r_chk", "flistxattr", "gethostbyaddr",
              "getprotobynumber", "getlogin_r", "__getlogin_r_chk", "getgroups", "__getgroups_chk", "sethostname", "freeaddrinfo",
              "readdir", "readdir64", "strlcpy", "strlcat"}
# Rows that access no memory of the program. tests/system/misuse/misuse.c calls them in handlers of signals.
NOT_CALLED |= {"putchar", "putc", "fputc", "fflush"}
# Rows that access a stream or a file only, with the C library's lock or in the kernel. tests/programs/wrong/race_fclose.c and
# tests/system/proofs/files.c call some of them.
NOT_CALLED |= {"fgetc", "getc", "ungetc", "fseek", "fseeko", "fseeko64", "ftell", "ftello", "ftello64", "rewind", "setvbuf",
               "ftruncate", "ftruncate64", "posix_fallocate", "lseek", "lseek64"}


def rows():
    text = "".join(path.read_text() for path in sorted(SOURCE.glob("libc_*_calls.cpp")))
    names = set(re.findall(r"^HEDDLE_CHECKED_[A-Z]+\((\w+),", text, re.MULTILINE))
    return {name for name in names if not name.startswith("__isoc23_")}


def cases(macros):
    return {
        name for line in CASES.read_text().splitlines() if not line.startswith(("#", "//"))
        for name in re.findall(rf"\b(?:{macros})\((\w+),", line)}


def is_case_of(case, row):
    return re.fullmatch(re.escape(row) + r"(_(\d|s|c|n|set|second|many|position|wide|of_two))?", case) is not None


def racing(run):
    """The cases with a race, from the functions on the stacks of the findings."""
    return {match for finding in run["findings"] if finding["kind"] == "race"
            for match in re.findall(r"\bcall_(\w+)\b", json.dumps(finding))}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="heddle's build folder")
    parser.add_argument("--compiler", choices=COMPILERS, help="only this one")
    arguments = parser.parse_args()
    heddle = arguments.build.resolve() / "bin" / "heddle"
    wanted, clear = cases("CASE|PATH|TEMPORARY|PAIR"), cases("CLEAR")
    problems = [f"{CASES.name} has no case of {row}" for row in sorted(rows() - NOT_CALLED)
                if not any(is_case_of(case, row) for case in wanted)]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "stdin").write_text("1 2 3 4 5 6 7 8\n")
        for title, (compiler, flags) in COMPILERS.items():
            if arguments.compiler not in (None, title):
                continue
            program = folder / "calls"
            subprocess.run([heddle, "cc", "-std=gnu11", "-g", "-w", *flags, PROGRAM, "-o", program, "-lm"], check=True,
                           env={**os.environ, "HEDDLE_CC": compiler})
            found = {}
            for when in ("race", "before", "after"):
                command = [heddle, "test", "-n", "2", "--seed", "1", "-j", "1", "--explain", "none", "--stdin", folder / "stdin", "--json",
                           folder / "out.json", program, when]
                done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=GUARD_SECONDS, cwd=folder,
                                      check=False)
                try:
                    result = json.loads((folder / "out.json").read_text())
                except (OSError, ValueError):
                    result = {"findings": []}
                    problems.append(f"{title}, {when}: exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
                others = {f["kind"] for f in result["findings"]} - {"race"}
                if others:
                    problems.append(f"{title}, {when}: findings of the kinds {others}: {done.stdout[-2000:]}")
                found[when] = racing(result)
            problems += [f"{title}: no race of {case}" for case in sorted(wanted - found["race"])]
            problems += [f"{title}: a race of {case}, which does not touch the byte" for case in sorted(clear & found["race"])]
            problems += [f"{title}: a race of {case}, with the other thread {when} it" for when in ("before", "after")
                         for case in sorted(found[when])]
    print("\n".join(problems) or f"{len(wanted)} calls with races, {len(clear)} without")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
