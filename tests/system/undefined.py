#!/usr/bin/env python3
"""-fsanitize=undefined together with heddle: undefined behaviour of some executions is found and replays, and so are races."""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from heddle_tool import Failure, Heddle, compilers_of  # noqa: E402

SOURCE = pathlib.Path(__file__).resolve().parent / "undefined" / "undefined.cpp"
FLAGS = ["-std=c++20", "-O1", "-g", "-fsanitize=undefined", "-fno-sanitize-recover=undefined"]


def has_sanitizer(compiler, folder):
    """clang 16 and 19 have the runtime of the sanitizer in a package of its own."""
    return subprocess.run([compilers_of(compiler)[1], *FLAGS, SOURCE, "-o", folder / "probe"], stderr=subprocess.DEVNULL).returncode == 0


def check(heddle, compiler, folder):
    program = folder / f"undefined-{compiler}"
    cc, cxx = compilers_of(compiler)
    run = heddle.run("c++", *FLAGS, SOURCE, "-o", program, environment={"HEDDLE_CC": cc, "HEDDLE_CXX": cxx})
    if run.code != 0:
        raise Failure(run.describe())
    run = heddle.run("test", "--seed", "1", "-n", "200", program, cwd=folder)
    buggy = re.search(r"200 executions, (\d+) buggy", run.output)
    if run.code != 1 or not buggy or not 0 < int(buggy[1]) < 200 or "runtime error: shift exponent 40 is too large" not in run.output:
        raise Failure(f"the shift was not found\n{run.describe()}")
    trace = re.search(r"heddle replay (\S+)", run.output)[1]
    again = heddle.run("replay", trace, cwd=folder)
    if again.code != 1 or "shift exponent 40" not in again.output:
        raise Failure(f"the trace does not replay\n{again.describe()}")
    run = heddle.run("test", "-n", "50", program, "race", cwd=folder)
    if run.code != 1 or "data race on `plain`" not in run.output:
        raise Failure(f"the race was not found\n{run.describe()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="heddle's build folder")
    parser.add_argument("--compilers", default="gcc,clang")
    arguments = parser.parse_args()
    passed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        heddle = Heddle(arguments.build.resolve(), folder)
        for compiler in arguments.compilers.split(","):
            if not has_sanitizer(compiler, folder):
                print(f"{compiler} has no runtime of -fsanitize=undefined here")
                continue
            check(heddle, compiler, folder)
            passed += 1
    print(f"{passed} passed, 0 failed")


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(str(failure))
