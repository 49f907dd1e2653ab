#!/usr/bin/env python3
"""A library that the program loads with dlopen: findings name its functions and variables, with the same key whatever the
number of workers and wherever the library lies; what it keeps does not leak into the next execution."""
import argparse
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from heddle_tool import Failure, Heddle, compilers_of  # noqa: E402

SOURCES = pathlib.Path(__file__).resolve().parent / "loaded_library"


def check(condition, text, run):
    if not condition:
        raise Failure(f"{text}\n{run.describe()}")


def check_compiler(heddle, compiler, folder):
    host = heddle.compile(SOURCES / "host.c", compiler, ["-g", "-O1", "-ldl"])
    library = folder / "libcounter.so"
    cc, cxx = compilers_of(compiler)
    built = heddle.run("cc", "-g", "-O1", "-shared", "-fPIC", SOURCES / "counter.c", "-o", library,
                       environment={"HEDDLE_CC": cc, "HEDDLE_CXX": cxx})
    check(built.code == 0, "the library does not compile", built)

    keys = set()
    for way in (["-j", "1"], ["-j", "4", "--aslr"], ["-j", "2", "--isolation", "fork"]):
        run = heddle.test(host, "-n", 200, *way, arguments=[library], out=folder / "out")
        findings = run.result.get("findings", [])
        check(run.code == 1 and {finding["kind"] for finding in findings} == {"race"}, "expected races only", run)
        for text in ("calls_of_library", "#0 count_calls", "counter.c:9"):
            check(text in run.output, f"the report does not mention '{text}'", run)
        keys.add(frozenset(finding["key"] for finding in findings))
        again = heddle.replay(findings[0]["trace"])
        check(findings[0]["key"] in [f["key"] for f in again.result["findings"]], "the replay differs", again)
    check(len(keys) == 1, f"the races have the keys {keys}", run)

    run = heddle.test(host, "-n", 200, arguments=[library, "locked"], out=folder / "out")
    check(run.code == 0 and run.result["isolation"] == "reset", "expected no finding, with reset", run)
    run = heddle.test(host, "-n", 50, arguments=[library, "locked", "stays"], out=folder / "out")
    check(run.code == 0 and run.result["isolation"] == "fork", "expected no finding, with fork", run)
    check("leaves it loaded" in run.output, "no reason for fork", run)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="heddle's build folder")
    build = parser.parse_args().build
    try:
        for compiler in ("gcc", "clang"):
            with tempfile.TemporaryDirectory() as name:
                check_compiler(Heddle(build, pathlib.Path(name) / "cache"), compiler, pathlib.Path(name))
    except Failure as failure:
        print(failure)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
