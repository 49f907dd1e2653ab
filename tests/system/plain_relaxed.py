#!/usr/bin/env python3
"""heddle cc --plain=relaxed makes plain and volatile accesses events with values, with every clang that has a plugin, and says
what is wrong otherwise."""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from heddle_tool import Failure, Heddle, compilers_of  # noqa: E402

PROGRAMS = pathlib.Path(__file__).resolve().parent / "plain_relaxed"
SKIPPED = 77
EQUALS = "copy == (TYPE)WRITTEN"
# The types of message.c: what is written, what the reader compares.
BECOME_ATOMIC = {
    "char": ("5", EQUALS), "short": ("5", EQUALS), "int": ("5", EQUALS), "long": ("5", EQUALS), "bool": ("1", EQUALS),
    "float": ("0.5f", EQUALS), "double": ("0.5", EQUALS), "const char*": ("&flag", EQUALS),
}
# A race: the writer's accesses are plain. So are the reader's.
STAY_PLAIN = {
    "Structure": ("{1, 2, 3}", "copy.c == 3"), "Packed": ("{'x', 7}", "copy.value == 7"), "Vector": ("{1, 2, 3, 4}", "copy[3] == 4"),
    "__int128": ("5", EQUALS),
}
SOURCE = "message.c"


class Tests:
    def __init__(self, heddle, compiler):
        self.heddle, self.compiler = heddle, compiler

    def kinds(self, program, *options):
        run = self.heddle.test(program, "--seed", 1, *options, out=program.parent / "out")
        if run.code not in (0, 1):
            raise Failure(f"{self.compiler}: the program was not tested\n{run.describe()}")
        return sorted({finding["kind"] for finding in run.result["findings"]}), run

    def expect(self, expected, program, *options):
        kinds, run = self.kinds(program, *options)
        if kinds != expected:
            raise Failure(f"{self.compiler}: expected {expected}\n{run.describe()}")
        return run.result

    def message(self, type_name, written, read, level="-O1", volatile="", plain=("--plain=relaxed",)):
        flags = [level, "-std=gnu11", f"-DTYPE={type_name}", f"-DWRITTEN={written}", f"-DREAD(copy)={read}",
                 f"-DVOLATILE={volatile}", *plain]
        return self.heddle.compile(PROGRAMS / SOURCE, self.compiler, flags)

    def every_type(self):
        for type_name, (written, read) in BECOME_ATOMIC.items():
            program = self.message(type_name, written, read)
            self.expect([], program, "-m", "sc", "-n", 100)
            self.expect(["assert"], program, "-m", "pso", "-n", 300, "-s", "random")
        for type_name, (written, read) in STAY_PLAIN.items():
            kinds, run = self.kinds(self.message(type_name, written, read), "-n", 300, "-s", "random")
            if "race" not in kinds:
                raise Failure(f"{self.compiler}: {type_name} should stay plain, and race\n{run.describe()}")

    def every_level(self):
        for level in ("-O0", "-O2"):
            program = self.message("int", "5", EQUALS, level, "volatile")
            self.expect([], program, "-m", "tso", "-n", 100)
            self.expect(["assert"], program, "-m", "pso", "-n", 300, "-s", "random")
            loop = self.heddle.compile(PROGRAMS / "locals.c", self.compiler, [level, "--plain=relaxed"])
            result = self.expect([], loop, "-m", "pslo", "-n", 100, "-s", "random")  # join orders the rest
            if result["events"] > 100 * 100:
                raise Failure(f"{self.compiler} {level}: {result['events']} events in 100 executions: locals are among them")
            buffers = self.heddle.compile(PROGRAMS / "store_buffering.cpp", self.compiler, [level, "-std=c++20", "--plain=relaxed"])
            self.expect([], buffers, "-m", "sc", "-n", 100)
            self.expect(["assert"], buffers, "-m", "tso", "-n", 500, "-s", "random")
            self.expect(["assert"], buffers, "-m", "rc11", "-n", 500, "-s", "random")

    def mixed_sizes(self):
        program = self.heddle.compile(PROGRAMS / "mixed_sizes.c", self.compiler, ["-O1", "--plain=relaxed"])
        for model in ("sc", "tso", "pslo", "rc11"):
            self.expect([], program, "-m", model, "-n", 200, "-s", "random")
        run = self.heddle.run("verify", "--out", program.parent / "out", program)
        if run.code != 3 or "of different sizes" not in run.output:
            raise Failure(f"{self.compiler}: a search should refuse mixed sizes\n{run.describe()}")

    def without_the_option(self):
        for volatile in ("", "volatile"):
            program = self.message("int", "5", EQUALS, volatile=volatile, plain=())
            if "race" not in self.kinds(program, "-m", "pso", "-n", 100, "-s", "random")[0]:
                raise Failure(f"{self.compiler}: no race without --plain=relaxed")

    def run(self):
        self.every_type()
        self.every_level()
        self.mixed_sizes()
        self.without_the_option()


def expect_sentence(heddle, folder, options, environment, code, sentence):
    output = folder / "program"
    run = heddle.run("cc", *options, PROGRAMS / "locals.c", "-o", output, environment=environment)
    if run.code != code or not re.search(sentence, run.output) or output.exists():
        raise Failure(f"expected exit code {code} and '{sentence}'\n{run.describe()}")


def refusals(heddle, folder):
    expect_sentence(heddle, folder, ["--plain=relaxed"], {"HEDDLE_CC": "gcc"}, 2, "needs clang, and the compiler is .*gcc")
    expect_sentence(heddle, folder, ["--plain=seq_cst"], {"HEDDLE_CC": "clang"}, 2, "'--plain=seq_cst' is not an option")
    expect_sentence(heddle, folder, ["--plain"], {"HEDDLE_CC": "gcc"}, 2, "'--plain' is not an option")
    unknown = folder / "clang-99"
    unknown.write_text("#!/bin/sh\necho 99.0.1\n")
    unknown.chmod(0o755)
    expect_sentence(heddle, folder, ["--plain=relaxed"], {"HEDDLE_CC": str(unknown)}, 3, "plugin for clang 99.*llvm-99-dev")


def installed(build, folder, compiler):
    """An installation finds its plugin, in one command and in two."""
    subprocess.run(["cmake", "--install", build, "--prefix", folder / "prefix"], check=True, stdout=subprocess.DEVNULL)
    command = folder / "prefix" / "bin" / "heddle"
    environment = {"PATH": "/usr/bin:/bin", "HEDDLE_CC": compilers_of(compiler)[0]}
    source, program = PROGRAMS / "locals.c", folder / "installed"
    for arguments in ([source, "-o", program], ["-c", source, "-o", folder / "locals.o"], [folder / "locals.o", "-o", program]):
        subprocess.run([command, "cc", "--plain=relaxed", "-O1", *arguments], check=True, env=environment)
        if program.exists():
            run = subprocess.run([command, "test", "-n", "20", program], capture_output=True, text=True, env=environment, cwd=folder)
            if run.returncode != 0:
                raise Failure(f"installed: {run.stdout}{run.stderr}")
            program.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="heddle's build folder")
    parser.add_argument("--cache", required=True, type=pathlib.Path, help="where to build programs")
    parser.add_argument("--all", action="store_true", help="all versions of clang, not the first only")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    heddle = Heddle(build, arguments.cache)
    versions = sorted(path.stem.rpartition("-")[2] for path in (build / "lib" / "heddle").glob("plain-relaxed-*.so"))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        refusals(heddle, folder)
        if not versions:
            print("skipped: heddle was built without a plugin; install llvm-14-dev")
            sys.exit(SKIPPED)
        for version in versions if arguments.all else versions[:1]:
            Tests(heddle, f"clang-{version}").run()
        installed(build, folder, f"clang-{versions[0]}")
    print(f"--plain=relaxed: clang {', '.join(versions)}")


if __name__ == "__main__":
    main()
