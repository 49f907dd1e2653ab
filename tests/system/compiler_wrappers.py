#!/usr/bin/env python3
"""heddle-cc and heddle-c++ as the compilers of a CMake project with static and shared libraries and precompiled headers: plain, with
link-time optimisation, and with ccache in front of the wrapper and behind it."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from heddle_tool import Failure, compilers_of  # noqa: E402

PROJECT = pathlib.Path(__file__).resolve().parent / "wrapped_compiler"
LTO = "-DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON"
CCACHE = ["-DCMAKE_C_COMPILER_LAUNCHER=ccache", "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"]


class Checks:
    def __init__(self, build, folder):
        self.bin = build.resolve() / "bin"
        self.folder = folder

    def build(self, name, compiler, *options, in_front=""):
        """Builds the project and returns the program. `in_front` is a word in front of the compiler that heddle calls."""
        cc, cxx = compilers_of(compiler)
        folder = self.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        environment = {**os.environ, "HEDDLE_CC": in_front + cc, "HEDDLE_CXX": in_front + cxx, "CCACHE_DIR": str(self.folder / "ccache"),
                       # ccache's own rules for precompiled headers.
                       "CCACHE_SLOPPINESS": "pch_defines,time_macros"}
        for command in (["cmake", "-S", PROJECT, "-B", folder, "-G", "Ninja", f"-DCMAKE_C_COMPILER={self.bin / 'heddle-cc'}",
                         f"-DCMAKE_CXX_COMPILER={self.bin / 'heddle-c++'}", *options], ["cmake", "--build", folder]):
            done = subprocess.run([str(word) for word in command], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if done.returncode != 0:
                raise Failure(f"{name}: {' '.join(map(str, command))}\n{done.stdout[-4000:]}")
        return folder / "program"

    def check(self, program):
        for argument, race in ("count", ""), ("copy", "`text`"), ("bump", "`calls`"):
            done = subprocess.run([self.bin / "heddle", "test", "-n", "50", "--out", program.parent / "out", program, argument],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            wrong = done.returncode != (1 if race else 0) or (race and f"data race on {race}" not in done.stdout)
            if wrong:
                raise Failure(f"{program} {argument}: exit code {done.returncode}\n{done.stdout}")

    def cached(self):
        """How many compilations ccache did not have to make."""
        text = subprocess.run(["ccache", "--print-stats"], env={**os.environ, "CCACHE_DIR": str(self.folder / "ccache")}, text=True,
                              stdout=subprocess.PIPE, check=True).stdout
        return sum(int(number) for number in re.findall(r"^(?:direct|preprocessed)_cache_hit\s+(\d+)", text, re.MULTILINE))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="heddle's build folder")
    parser.add_argument("--all", action="store_true", help="with every compiler, and in every combination")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        checks = Checks(arguments.build, pathlib.Path(name))
        if not arguments.all:
            checks.check(checks.build("gcc", "gcc", LTO, in_front="ccache " if shutil.which("ccache") else ""))
            print("1 passed, 0 failed")
            return
        passed = 0
        for compiler in "gcc", "clang", "clang-16", "clang-19":
            for kind, options in ("plain", []), ("lto", [LTO]):
                checks.check(checks.build(f"{compiler}-{kind}", compiler, *options))
                passed += 1
        for kind, options, in_front in ("launcher", CCACHE, ""), ("behind", [], "ccache "):
            for _ in range(2):
                before = checks.cached()
                checks.check(checks.build(kind, "gcc", *options, in_front=in_front))
            if checks.cached() - before < 3:
                raise Failure(f"{kind}: ccache compiled again what it had compiled before")
            passed += 1
    print(f"{passed} passed, 0 failed")


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(str(failure))
