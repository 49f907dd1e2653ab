#!/usr/bin/env python3
"""With HEDDLE_OFF, a program that was built with heddle runs as an ordinary program. So do programs that a program under test
starts. The passive runtime has every function that programs may find in libheddle.so and nowhere else."""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from heddle_tool import GUARD_SECONDS  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE / "switched_off"
# Programs that were built with heddle are also linked with these, if they use them.
OTHER_LIBRARIES = ("libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "libatomic.so.1", "libgomp.so.1")
# What refuses clang's OpenMP, which is in clang's own library; and for the debugger.
NOT_FOR_PROGRAMS = {"__kmpc_fork_call", "__kmpc_fork_call_if", "__kmpc_fork_teams", "__tgt_target_kernel",
                    "heddle_debug_state", "heddle_debug_stop"}
CHECK = """
#include <heddle/heddle.hpp>
#include <cstdio>
int main() {
  const auto result = heddle::check([] { std::puts("body"); });
  std::puts(result.passed() ? "passed" : "failed");
}
"""


def functions(library):
    text = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    return {line.split()[-1].partition("@")[0] for line in text.splitlines()}


def path_of(name):
    return subprocess.run(["gcc", f"-print-file-name={name}"], check=True, capture_output=True, text=True).stdout.strip()


def missing_functions(build):
    found = functions(build / "lib" / "heddle" / "passive" / "libheddle.so").union(
        *(functions(path_of(name)) for name in OTHER_LIBRARIES))
    # What a program calls of LLVM's C++ library, that library has.
    of_libcxx = {name for name in functions(build / "lib" / "libheddle.so") if name.startswith(("_ZNSt3__1", "_ZNKSt3__1"))}
    return functions(build / "lib" / "libheddle.so") - found - NOT_FOR_PROGRAMS - of_libcxx


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="heddle's build folder")
    build = parser.parse_args().build.resolve()
    heddle = build / "bin" / "heddle"
    problems = [f"the passive runtime has no {name}" for name in sorted(missing_functions(build))]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        off = {**os.environ, "HEDDLE_OFF": "1"}

        def run(command, text="", environment=off):
            done = subprocess.run([str(word) for word in command], input=text, capture_output=True, text=True, timeout=GUARD_SECONDS,
                                  cwd=folder, env=environment, check=False)
            return done.returncode, done.stdout, done.stderr

        def expect(what, actual, wanted):
            if actual != wanted:
                problems.append(f"{what}: {actual} instead of {wanted}")

        for compiler in ("g++", "clang++"):
            for level in ("-O0", "-O2"):
                binary = folder / "threads"
                subprocess.run([heddle, "c++", "-std=c++20", level, PROGRAMS / "threads.cpp", "-o", binary], check=True,
                               env={**os.environ, "HEDDLE_CXX": compiler})
                expect(f"threads.cpp, {compiler} {level}", run([binary], "hello\n"), (42, "hello 80000 3 5 4\nend\n", ""))

        parent = folder / "starts_itself"
        subprocess.run([heddle, "cc", "-g", PROGRAMS / "starts_itself.c", "-o", parent], check=True)
        expect("starts_itself.c, switched off", run([parent]), (0, "", ""))
        code, output, errors = run([heddle, "test", "-n", "20", parent], environment=dict(os.environ))
        if code != 0 or "0 buggy" not in output:
            problems.append(f"starts_itself.c under heddle test: {code}\n{output}{errors}")
        # Commands of heddle are not switched off, not even by a program that is.
        passive = {**off, "LD_LIBRARY_PATH": f"{build}/lib/heddle/passive:{folder}"}
        code, output, errors = run([heddle, "test", "-n", "20", parent], environment=passive)
        if code != 0 or "0 buggy" not in output:
            problems.append(f"heddle test, started by a program that is switched off: {code}\n{output}{errors}")

        (folder / "check.cpp").write_text(CHECK)
        subprocess.run([heddle, "c++", "-std=c++20", folder / "check.cpp", "-o", folder / "check"], check=True)
        expect("heddle::check, switched off", run([folder / "check"]), (0, "body\npassed\n", ""))

        # HEDDLE_OFF=0 does nothing, and a library without its passive runtime says so.
        code, output, _ = run([parent, "child"], "hello\n", {**os.environ, "HEDDLE_OFF": "0"})
        if code != 3 or "executions" not in output:
            problems.append(f"HEDDLE_OFF=0: {code}, {output}")
        (folder / "lib").mkdir()
        shutil.copy(build / "lib" / "libheddle.so", folder / "lib")
        code, _, errors = run([parent], environment={**off, "LD_LIBRARY_PATH": str(folder / "lib")})
        if code != 3 or "this installation of heddle has no" not in errors:
            problems.append(f"without the passive runtime: {code}, {errors}")
    print("\n".join(problems) or "as it should be")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
