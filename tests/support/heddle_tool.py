"""Builds programs with heddle's compiler wrappers, and runs the heddle command."""

import argparse
import fcntl
import hashlib
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field


# More than half the time of compiling a test program in C++ goes into these headers. They are precompiled for the flags that
# most programs have.
COMMON_HEADERS = ("atomic", "cassert", "chrono", "condition_variable", "cstdio", "functional", "memory", "mutex", "string", "thread",
                  "vector")
COMMON_FLAGS = {"-std=c++20", "-g", "-O0", "-O1", "-O2", "-stdlib=libc++"}


# Ends a command that hangs. It is so large that it matters on no machine, and it is less than the limit of CTest, which would leave
# the command running.
GUARD_SECONDS = 3000


class Failure(Exception):
    """A test has failed; the text says how."""


@dataclass
class Run:
    """One call of heddle: its exit code, its output, and the JSON that it wrote, if any."""

    command: list
    code: int
    output: str
    result: dict = field(default_factory=dict)

    def describe(self):
        command = " ".join(str(word) for word in self.command)
        return f"$ {command}\n{self.output}\n[exit code {self.code}]"


def compilers_of(name):
    """The C and the C++ compiler of a family and version: gcc, clang, clang-16, ..."""
    family, dash, version = name.partition("-")
    return family + dash + version, {"gcc": "g++", "clang": "clang++"}[family] + dash + version


class Heddle:
    """The command at bin/heddle of a build folder. Programs are built once, below `cache`.

    A program runs with the libheddle.so that it was linked with, or with the one of the build folder `runtime`.
    """

    def __init__(self, build, cache, runtime=None):
        self.command = pathlib.Path(build) / "bin" / "heddle"
        self.library = pathlib.Path(build) / "lib" / "libheddle.so"
        self.cache = pathlib.Path(cache)
        self.headers = pathlib.Path(build).resolve() / "tests" / "headers"
        self.environment = {"LD_LIBRARY_PATH": str(pathlib.Path(runtime).resolve() / "lib")} if runtime else {}

    def run(self, *arguments, timeout=GUARD_SECONDS, environment=None, stdin=subprocess.DEVNULL, cwd=None):
        command = [self.command, *arguments]
        try:
            done = subprocess.run([str(word) for word in command], stdin=stdin, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=timeout, cwd=cwd,
                                  env={**os.environ, **self.environment, **(environment or {})})
        except subprocess.TimeoutExpired as expired:
            text = (expired.output or b"").decode("utf-8", "replace")
            raise Failure(f"no end after {timeout} s: {' '.join(map(str, command))}\n{text}") from None
        return Run(command, done.returncode, done.stdout.decode("utf-8", "replace"))

    def strategies(self):
        """All strategies, as the registry describes them."""
        run = self.run("help", "--strategies")
        if run.code != 0:
            raise Failure(f"no list of strategies\n{run.describe()}")
        return json.loads(run.output)

    def _stamp(self, *parts):
        """Changes when heddle or one of the parts changes."""
        key = hashlib.sha256()
        for part in parts:
            key.update(part)
        for tool in (self.command, self.library):
            key.update(str(tool.stat().st_mtime_ns).encode())
        return key.hexdigest()

    def common_headers(self, compiler, flags, source):
        """Options that include the common headers in precompiled form. None if the flags are unusual, or the source itself sets
        options of the standard library, which it does with macros of reserved names before it includes anything."""
        if re.search(r"^\s*#\s*define\s+_", pathlib.Path(source).read_text(), re.MULTILINE):
            return []
        relevant = [flag for flag in flags if not flag.startswith(("-l", "-L", "-I")) and (flag[:2] != "-D" or flag[:3] == "-D_")]
        if "-std=c++20" not in relevant or not COMMON_FLAGS.issuperset(relevant):
            return []
        folder = self.headers / "-".join([compiler, hashlib.sha256(repr(relevant).encode()).hexdigest()[:8]])
        header, stamp = folder / "common.hpp", folder / "stamp"
        folder.mkdir(parents=True, exist_ok=True)
        text = "".join(f"#include <{name}>\n" for name in COMMON_HEADERS)
        key = self._stamp(text.encode(), repr((compiler, relevant)).encode())
        with open(folder / "lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not stamp.exists() or stamp.read_text() != key:
                stamp.unlink(missing_ok=True)
                header.write_text(text)
                run = self.run("c++", *relevant, "-x", "c++-header", header, "-o", f"{header}.gch",
                               environment={"HEDDLE_CXX": compilers_of(compiler)[1]})
                if run.code != 0:
                    raise Failure(f"the common headers do not compile:\n{run.describe()}")
                stamp.write_text(key)
        return ["-include", header]

    def compile(self, source, compiler="gcc", flags=()):
        """Builds one source file and returns the program. Builds it again only if the source, heddle or the flags have changed."""
        source = pathlib.Path(source)
        flags = [str(flag) for flag in flags]
        is_c = source.suffix == ".c"
        cc, cxx = compilers_of(compiler)
        key = self._stamp(source.read_bytes(), repr((str(source), compiler, flags)).encode())
        flavour = hashlib.sha256(repr((compiler, flags)).encode()).hexdigest()[:8]
        folder = self.cache / f"{source.stem}.{source.suffix[1:]}-{compiler}-{flavour}"
        program = folder / source.stem
        stamp = folder / "stamp"
        if program.exists() and stamp.exists() and stamp.read_text() == key:
            return program
        # Another test may build the same program at the same time: the folder appears as a whole.
        self.cache.mkdir(parents=True, exist_ok=True)
        fresh = pathlib.Path(tempfile.mkdtemp(prefix=f"{folder.name}.", dir=self.cache))
        headers = [] if is_c else self.common_headers(compiler, flags, source)
        # The source comes before the libraries among the flags.
        run = self.run("cc" if is_c else "c++", *headers, source, *flags, "-o", fresh / source.stem,
                       environment={"HEDDLE_CC": cc, "HEDDLE_CXX": cxx})
        if run.code != 0:
            shutil.rmtree(fresh)
            raise Failure(f"does not compile:\n{run.describe()}")
        (fresh / "stamp").write_text(key)
        if not stamp.exists() or stamp.read_text() != key:
            shutil.rmtree(folder, ignore_errors=True)
        try:
            fresh.rename(folder)
        except OSError:  # the other test was quicker
            shutil.rmtree(fresh)
        return program

    def _with_json(self, arguments, tail, timeout):
        with tempfile.TemporaryDirectory(prefix="heddle-test-") as folder:
            path = pathlib.Path(folder) / "result.json"
            run = self.run(*arguments, "--json", path, *tail, timeout=timeout)
            if path.exists():
                run.result = json.loads(path.read_text())
        return run

    def test(self, program, *options, arguments=(), out, timeout=GUARD_SECONDS):
        shutil.rmtree(out, ignore_errors=True)
        return self._with_json(["test", "--out", out, *options], [program, *arguments], timeout)

    def replay(self, trace):
        return self._with_json(["replay"], [trace], GUARD_SECONDS)


def processor_seconds():
    """Of the processes that this one has started. A clock would count what other programs take."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def without(result, *names):
    """The JSON without the named fields, and without the paths of traces."""
    kept = {name: value for name, value in result.items() if name not in names}
    kept["findings"] = [{name: value for name, value in finding.items() if name != "trace"}
                        for finding in result.get("findings", [])]
    return kept


def run_checks(description, check, options=None):
    """The main function of a test. Calls check(heddle, folder, arguments) with a temporary folder, and prints a failure.

    `options` adds the test's own options to those that all tests have.
    """
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="heddle's build folder")
    parser.add_argument("--cache", required=True, help="where to build programs")
    if options:
        options(parser)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="heddle-test-") as folder:
        try:
            check(Heddle(arguments.build, arguments.cache), pathlib.Path(folder), arguments)
        except Failure as failure:
            print(failure)
            return 1
    print("all as expected")
    return 0
