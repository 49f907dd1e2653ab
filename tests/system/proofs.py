#!/usr/bin/env python3
"""No proof over what heddle has not seen or not explored, and what follows a race is found.

Small racy sources are compiled with and without instrumentation, in every position: the file of main, an object, a static
and a shared library, and a template of which the linker takes the copy of an object without instrumentation. With
instrumentation the race is found. Without, neither heddle verify nor the search of auto claims a proof.
"""

import argparse
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
SOURCES = HERE / "proofs"
sys.path.insert(0, str(HERE.parent / "support"))
from heddle_tool import Failure, Heddle, compilers_of, without  # noqa: E402

# Name, variables, and what two threads do, each with its own `who`. The variables of a template are inline ones.
RACES = [
    ("counter", "STATE int count;", "++count;"),
    ("flag", "STATE int data; STATE int ready;", "if (who) { data = 1; ready = 1; } else if (ready) data = 2;"),
    ("bytes", "STATE char text[8];", "text[3] = (char)('a' + who);"),
    ("array", "STATE long slots[4];", "slots[2] += who + 1;"),
    ("loop", "STATE int sums[8];", "for (int i = 0; i < 8; ++i) sums[i] += who + i;"),
    ("struct", "STATE struct { int a, b; } pair;", "pair.a = who; pair.b = pair.a + 1;"),
    ("bits", "STATE struct { unsigned low : 4, high : 4; } field;", "if (who) field.low = 3; else field.high = 5;"),
    ("pointer", "STATE int cell; STATE int *place;", "if (who) place = &cell; else if (place) *place = 1;"),
    ("copy", "STATE struct { long words[3]; } from; STATE struct { long words[3]; } to;",
     "if (who) from.words[1] = 4; else to.words[1] = from.words[1];"),
    ("double", "STATE double mean;", "mean = mean / 2 + who;"),
    ("float", "STATE float level;", "if (level < 1.5f) level = level + 1.0f;"),
    ("maximum", "STATE int largest;", "if (largest < who + 1) largest = who + 1;"),
    ("swap", "STATE int left = 1; STATE int right = 2;", "int old = left; left = right; right = old;"),
    ("ring", "STATE unsigned head, tail; STATE int ring[4];",
     "if (who) { ring[head & 3u] = 9; ++head; } else if (tail != head) { ring[tail & 3u] = 0; ++tail; }"),
    ("list", "STATE struct node { struct node *next; } nodes[2], *top;", "nodes[who].next = top; top = &nodes[who];"),
    ("references", "STATE int references = 2; STATE int freed;", "if (--references == 0) freed = 1;"),
    ("once", "STATE int done; STATE int object;", "if (!done) { object = 42; done = 1; }"),
    ("short", "STATE short small;", "small = (short)(small * 2 + who);"),
    ("sixteen", "STATE __int128 wide;", "wide += who + 1;"),
    ("shift", "STATE unsigned long mask;", "mask |= 1ul << (who + 3);"),
]
PROOF = "nothing is left to find"
LEVELS = ("-O0", "-O1", "-O2")


class Tests:
    def __init__(self, heddle, folder):
        self.heddle = heddle
        self.folder = folder
        self.out = folder / "out"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "every-race.txt").write_text("race:*\n")

    def call(self, *command):
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, cwd=self.folder)
        if done.returncode != 0:
            raise Failure(f"{' '.join(map(str, command))}:\n{done.stdout}{done.stderr}")

    def test(self, program, *options, **others):
        return self.heddle.test(program, *options, "--explain", "none", out=self.out, **others)

    def verify(self, program, *options, **others):
        return self.test(program, "-s", "exhaustive", *options, **others)


def expect(condition, message, run):
    if not condition:
        raise Failure(f"{message}:\n{run.describe()}")


class Builder:
    """Builds one racy source in all positions, with one compiler and level."""

    def __init__(self, tests, name, compiler, level):
        self.tests, self.level = tests, level
        self.cc, self.cxx = compilers_of(compiler)
        self.wrapper = tests.heddle.command
        self.stem = tests.folder / f"{name}-{compiler}{level}"

    def path(self, suffix):
        return self.stem.with_name(self.stem.name + suffix)

    def compile(self, source, output, instrumented, *flags):
        is_cxx = source.suffix == ".cpp"
        compiler = self.cxx if is_cxx else self.cc
        command = ["env", f"HEDDLE_{'CXX' if is_cxx else 'CC'}={compiler}", self.wrapper, "c++" if is_cxx else "cc"]
        self.tests.call(*(command if instrumented else [compiler]), self.level, "-g", "-fPIC", source, *flags, "-o", output)

    def programs(self, state, body):
        """Pairs of a position and a function that builds it with or without instrumentation."""
        source, main, whole = self.path("-step.c"), self.path("-main.c"), self.path("-whole.c")
        source.write_text(f"#define STATE\n{state}\nvoid step(int who) {{ {body} }}\n")
        main.write_text(f'void step(int who);\n#define HEDDLE_STEP step\n#include "{SOURCES}/threads.h"\n')
        whole.write_text(f'{source.read_text()}\n#define HEDDLE_STEP step\n#include "{SOURCES}/threads.h"\n')
        header, user, caller = self.path("-step.hpp"), self.path("-user.cpp"), self.path("-caller.cpp")
        header.write_text(f"#define STATE inline\n{state.replace('STATE struct {', 'struct A {').replace('STATE', 'inline')}\n"
                          f"template <int N> __attribute__((noinline)) void step(int who) {{ {body} }}\n")
        user.write_text(f'#include "{header}"\nvoid use() {{ step<0>(0); }}\n')
        caller.write_text(f'#include "{header}"\n#define HEDDLE_STEP step<0>\n#include "{SOURCES}/threads.h"\n')
        main_object = self.path("-main.o")
        self.compile(main, main_object, True, "-c")

        def linked(name, *parts):
            program = self.path(name)
            self.compile(main_object, program, True, *parts)
            return program

        def of_object(instrumented):
            output = self.path(f"-step{instrumented}.o")
            self.compile(source, output, instrumented, "-c")
            return linked(f"-object{instrumented}", output)

        def of_archive(instrumented):
            archive = self.path(f"-step{instrumented}.a")
            self.tests.call("ar", "rcs", archive, self.path(f"-step{instrumented}.o"))
            return linked(f"-archive{instrumented}", archive)

        def of_library(instrumented):
            library = self.path(f"-step{instrumented}.so")
            self.compile(source, library, instrumented, "-shared")
            return linked(f"-library{instrumented}", library)

        def of_main(instrumented):
            output, program = self.path(f"-whole{instrumented}.o"), self.path(f"-program{instrumented}")
            self.compile(whole, output, instrumented, "-c")
            self.compile(output, program, True)
            return program

        def of_template(instrumented):
            first, second, program = self.path(f"-user{instrumented}.o"), self.path("-caller.o"), self.path(f"-template{instrumented}")
            self.compile(user, first, instrumented, "-c", "-std=c++17")
            self.compile(caller, second, True, "-c", "-std=c++17")
            self.tests.call("env", f"HEDDLE_CXX={self.cxx}", self.wrapper, "c++", first, second, "-o", program)
            return program

        return [("object", of_object), ("archive", of_archive), ("library", of_library), ("main", of_main),
                ("template", of_template)]


def unseen_races(tests):
    """Levels and compilers take turns. An unnamed struct has no inline variable of two files: it is no template."""
    for number, (name, state, body) in enumerate(RACES):
        compiler, level = ("gcc", "clang")[number % 2], LEVELS[number // 2 % 3]
        for position, build in Builder(tests, name, compiler, level).programs(state, body):
            if position == "template" and "struct {" in state:
                continue
            for instrumented in (True, False):
                program = build(instrumented)
                run = tests.verify(program)
                where = f"{name} as {position}, {compiler} {level}"
                if instrumented:
                    expect(run.code == 1 and "data race" in run.output, f"{where}: no race", run)
                    continue
                expect(run.code != 0 and not run.result.get("all_explored"), f"{where}: a proof", run)
                # A copy that the compiler has inlined into instrumented code shows its race.
                expect(position == "main" or run.code == 1 or any("is not instrumented" in reason for reason in run.result.get("no_proof", [])),
                       f"{where}: no reason", run)
                run = tests.test(program, "-n", 100)
                expect(PROOF not in run.output and not run.result.get("all_explored"), f"{where}: a proof by auto", run)


UNSEEN = {
    "assembly": "has atomic instructions of inline assembly|is not instrumented",
    "exchange": "has atomic instructions of inline assembly|is not instrumented",
    "library_call": "the program calls the function ioctl of the C library",
    "system_call": r"the program calls syscall\(\)",
    "moved": "writes a variable without announcing it",
    "passed_variable": "passes a struct by value",
    "passed_memory": "passes a struct by value",
    "returned_struct": "stores a struct that a call has returned",
}


def unseen_accesses(tests):
    """What compilers do not announce: inline assembly, functions of the C library, and gcc's structs."""
    for compiler, level in (("gcc", "-O0"), ("gcc", "-O2"), ("clang", "-O0"), ("clang", "-O2")):
        for case in (*UNSEEN, "read_by_system_call", "seen"):
            program = tests.heddle.compile(SOURCES / "unseen_accesses.c", compiler, [level, "-g", "-w", f"-DCASE_{case}"])
            run = tests.verify(program)
            where = f"{compiler} {level} {case}"
            if case == "seen":
                expect(run.code == 0 and run.result["all_explored"], f"{where}: no proof", run)
            elif case == "read_by_system_call" or (case == "returned_struct" and compiler == "clang"):
                expect(run.code == 1 and "data race" in run.output, f"{where}: no race", run)
            else:
                expect(run.code == 3 and not run.result.get("all_explored"), f"{where}: a proof", run)
                expect(any(re.search(UNSEEN[case], reason) for reason in run.result["no_proof"]), f"{where}: another reason", run)
                run = tests.test(program, "-n", 40)
                expect(PROOF not in run.output and not run.result.get("all_explored"), f"{where}: a proof by auto", run)


def library_classes(tests):
    """Code inside the C++ library that changes memory resources and strings of C++98."""
    for compiler in ("gcc", "clang"):
        for case, flags in (("resource", []), ("old_string", ["-D_GLIBCXX_USE_CXX11_ABI=0"])):
            program = tests.heddle.compile(SOURCES / "library_classes.cpp", compiler, ["-std=c++17", "-g", "-O1", f"-DCASE_{case}", *flags])
            run = tests.verify(program)
            expect(run.code == 3 and not run.result["all_explored"] and "of the C++ library" in run.output, f"{compiler} {case}: a proof", run)


def objects_in_use(tests):
    """A barrier is destroyed while a thread waits at it, and used after that: the search does not explore that."""
    program = tests.heddle.compile(HERE.parent / "programs" / "wrong" / "misuse_barrier.c", "gcc", ["-g", "-O1"])
    run = tests.verify(program, "--keep-going")
    expect(run.code == 1 and not run.result["all_explored"] and "while a thread used it" in run.output, "a proof after a misuse", run)


def trusted(tests):
    """--trust: the user vouches for a library."""
    builder = Builder(tests, "trusted", "gcc", "-O1")
    program = dict(builder.programs("STATE int calls;", "calls += who;"))["library"](False)
    run = tests.verify(program, "--trust", "trusted-gcc-O1-stepFalse")
    expect(run.code == 0 and run.result["all_explored"], "no proof with a trusted library", run)


def suppressed_races(tests):
    for compiler in ("gcc", "clang"):
        for level in LEVELS:
            flags = [level, "-g"]
            suppressions = ("--suppressions", tests.folder / "every-race.txt")
            program = tests.heddle.compile(SOURCES / "suppressed.c", compiler, flags)
            run = tests.verify(program, *suppressions)
            expect(run.code == 1 and "assertion failed" in run.output and not run.result["all_explored"],
                   f"{compiler} {level}: the assertion is not found", run)
            program = tests.heddle.compile(SOURCES / "impossible.c", compiler, flags)
            run = tests.verify(program, "-m", "sc", *suppressions)
            expect(run.code == 3 and not run.result["findings"] and "has a data race" in run.output,
                   f"{compiler} {level}: not only the race", run)


def communicating_files(tests):
    """The order of calls on files is not explored: no proof if it matters, but one if other events order the calls."""
    said = "threads communicate through files"
    expected = re.findall(r"^// (\w+): (communicates|independent)$", (SOURCES / "files.c").read_text(), re.MULTILINE)
    for compiler, level in (("gcc", "-O1"), ("clang", "-O2")):
        program = tests.heddle.compile(SOURCES / "files.c", compiler, [level, "-g", "-w"])
        for name, what in expected:
            run = tests.verify(program, arguments=[name])
            if what == "independent":
                expect(run.code == 0 and run.result["all_explored"], f"{compiler} {name}: no proof", run)
                continue
            expect(run.code == 3 and said in run.output and not run.result["all_explored"], f"{compiler} {name}: a proof", run)
            run = tests.test(program, "-n", 40, arguments=[name])
            expect(PROOF not in run.output and not run.result.get("all_explored"), f"{compiler} {name}: a proof by auto", run)
            if name not in ("mapped_and_read",):  # the accesses to the mapping are no calls
                run = tests.verify(program, arguments=[name, "ordered"])
                expect(run.code == 0 and run.result["all_explored"], f"{compiler} {name}: no proof although the calls are ordered", run)
        program = tests.heddle.compile(SOURCES / "file_streams.cpp", compiler, ["-std=c++20", level, "-g"])
        for arguments in ((), ("names",)):
            run = tests.verify(program, arguments=arguments)
            expect(run.code == 3 and said in run.output, f"{compiler} file_streams {arguments}: a proof", run)


FIRST = {"assert": "assert", "abort": "crash", "throw": "uncaught-exception", "exit": "exit-status", "signal": "crash",
         "verifier": "assert", "free": "double-free"}
CRASHES = {"crash": "crash", "overflow": "stack-overflow"}


def ended_executions(tests):
    """A finding ends an execution. What other threads would have done before that is explored, or there is no proof."""
    def named(run):
        return sorted(finding["kind"] + (" 2" if "second" in finding["message"] else "") for finding in run.result["findings"])
    for compiler in ("gcc", "clang"):
        program = tests.heddle.compile(SOURCES / "ended_early.cpp", compiler, ["-std=c++17", "-g", "-O1"])
        for way, kind in {**FIRST, **CRASHES}.items():
            suppressions = tests.folder / f"{kind}.txt"
            suppressions.write_text("".join(f"{each}:*\n" for each in {kind, "assert"} if way != "assert" or each == kind))
            where = f"{compiler} {way}"
            run = tests.verify(program, "--keep-going", arguments=[way])
            if way in FIRST:
                expect(run.code == 1 and named(run) == sorted([kind, "assert 2"]) and run.result["all_explored"] and
                       run.result["executions"] == 2, f"{where}: not both findings, each in one graph", run)
                for finding in run.result["findings"]:
                    again = tests.heddle.replay(finding["trace"])
                    expect([finding["key"]] == [found["key"] for found in again.result["findings"]],
                           f"{where}: it does not replay", again)
            hidden = tests.verify(program, "--suppressions", suppressions, arguments=[way])
            test = tests.test(program, "-n", 200, "--suppressions", suppressions, arguments=[way])
            if way in FIRST:
                expect(hidden.code == 0 and hidden.result["all_explored"], f"{where}: hidden findings, and no proof", hidden)
                continue
            for each in (run, hidden, test):
                expect(not each.result.get("all_explored") and "all explored" not in each.output and PROOF not in each.output,
                       f"{where}: a proof after a crash", each)
                expect(not each.result.get("no_proof") or "a crash ended executions" in each.output,
                       f"{where}: it does not say why there is no proof", each)
            expect(hidden.code == 3 and run.code == 1, f"{where}: another exit code", hidden)


def consequences(tests):
    for compiler in ("gcc", "clang"):
        for level in LEVELS:
            program = tests.heddle.compile(SOURCES / "consequence.cpp", compiler, ["-std=c++17", "-g", level])
            where = f"{compiler} {level}"
            for strategy in ("random", "auto"):
                for arguments, kind in (((), "assert"), (("free",), "double-free")):
                    run = tests.test(program, "-n", 200, "-s", strategy, arguments=arguments)
                    races = [finding for finding in run.result["findings"] if finding["kind"] == "race"]
                    found = [finding for finding in run.result["findings"] if finding["kind"] == kind]
                    expect(races and found, f"{where} {strategy}: no {kind} after the race", run)
                    expect(any(after["kind"] == kind for race in races for after in race.get("leads_to", [])),
                           f"{where} {strategy}: the race does not say what it leads to", run)
                    expect("leads to: " in run.output, f"{where} {strategy}: no line says so", run)
                    again = tests.heddle.replay(found[0]["trace"])
                    expect(found[0]["key"] in [finding["key"] for finding in again.result["findings"]],
                           f"{where} {strategy}: the {kind} does not replay", again)


def same_for_every_worker(tests):
    program = tests.heddle.compile(SOURCES / "consequence.cpp", "gcc", ["-std=c++17", "-g", "-O1"])
    noise = ("seconds", "rate", "isolation", "isolation_reason", "jobs")
    for strategy in ("pct", "auto"):
        first = None
        for ways in (["-j", 1], ["-j", 3], ["-j", 2, "--isolation", "fork"]):
            run = tests.test(program, "-n", 150, "-s", strategy, *ways)
            result = without(run.result, *noise)
            expect(first is None or result == first, f"{strategy} {ways} gives another result than -j 1: {first}", run)
            first = result


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="heddle's build folder")
    parser.add_argument("--cache", required=True, type=pathlib.Path, help="where compiled programs are kept")
    parser.add_argument("--only", help="the name of one test")
    options = parser.parse_args()
    tests = Tests(Heddle(options.build, options.cache), options.cache.resolve() / "proofs")
    checks = (suppressed_races, ended_executions, consequences, same_for_every_worker, trusted, communicating_files,
              unseen_accesses, library_classes, objects_in_use, unseen_races)
    try:
        for test in checks:
            if options.only in (None, test.__name__):
                test(tests)
    except Failure as failure:
        print(f"{test.__name__}: {failure}")
        sys.exit(1)
    print(f"{len(checks)} passed")


if __name__ == "__main__":
    main()
