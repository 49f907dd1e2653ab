#!/usr/bin/env python3
"""Bad input gets a clear sentence, the right exit code, and leaves no half-written files behind.

Each case runs in an empty folder of its own; what it may leave there is part of what is checked.
"""

import argparse
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from heddle_tool import GUARD_SECONDS, Failure, Heddle  # noqa: E402

NOTHING = set()
JSON = {"result.json"}
TRACES = {"result.json", "heddle-out"}


class Cases:
    """Every method whose name starts with `case_` is a test case; the rest of the name is a sentence."""

    def __init__(self, heddle):
        self.heddle = heddle

    def program(self, name):
        return self.heddle.compile(HERE / "bad_input" / f"{name}.c", "gcc", ["-std=gnu11", "-O1", "-g"])

    def expect(self, arguments, code, mentions, leaves=NOTHING, stdin=subprocess.DEVNULL):
        """Runs heddle in an empty folder, and checks all that can be seen from outside. Returns the JSON, if any."""
        with tempfile.TemporaryDirectory(prefix="heddle-bad-") as folder:
            run = self.heddle.run(*arguments, cwd=folder, stdin=stdin)
            left = set(os.listdir(folder))
            result = {}
            if "result.json" in left:
                result = json.loads(pathlib.Path(folder, "result.json").read_text())
            traces = list(pathlib.Path(folder, "heddle-out").iterdir()) if "heddle-out" in left else []
        if run.code != code:
            raise Failure(f"exit code {run.code} instead of {code}\n{run.describe()}")
        for text in mentions:
            if text not in run.output:
                raise Failure(f"the output does not say '{text}'\n{run.describe()}")
        if left != leaves or any(".tmp" in trace.name or trace.name.startswith(".") for trace in traces):
            raise Failure(f"left {sorted(left)} {traces} instead of {sorted(leaves)}\n{run.describe()}")
        if any(word in run.output for word in ("Traceback", "terminate called", "what():", "std::")):
            raise Failure(f"this is not a sentence for a user\n{run.describe()}")
        return result

    def test(self, program, code, mentions, leaves=NOTHING, options=(), arguments=()):
        return self.expect(["test", "--json", "result.json", *options, program, *arguments], code, mentions, leaves)

    # Programs

    def case_a_program_that_does_not_exist(self):
        self.test("/nowhere/at/all", 3, ["/nowhere/at/all", "does not exist"])

    def case_a_program_that_is_not_instrumented(self):
        self.test("/bin/true", 3, ["/bin/true", "not built with heddle", "heddle c++"])

    def case_a_file_that_is_no_program(self):
        self.test(HERE / "bad_input.py.missing", 3, ["does not exist"])
        self.test(HERE / "bad_input" / "forks.c", 3, ["not executable"])
        self.test(HERE, 3, ["folder"])

    def case_a_program_that_crashes_before_main(self):
        self.test(self.program("crashes_before_main"), 3, ["before main", "Segmentation fault"])

    def case_a_program_that_exits_before_main(self):
        self.test(self.program("exits_before_main"), 3, ["before main"])

    def case_signals_that_the_search_does_not_know(self):
        program = self.program("signals")
        for argument, what in (("kill", "signals between threads"), ("cancel", "pthread_cancel"),
                               ("alarm", "timers that expire"), ("wait", "waits for signals"),
                               ("fiber", "fibers"), ("barrier", "__tsan_testonly_barrier_wait")):
            self.expect(["verify", "--json", "result.json", program, argument], 3,
                        [f"the exhaustive search does not know {what}", "--strategy random"], JSON)
        self.expect(["test", "--json", "result.json", program, "stop"], 3, ["stops itself by SIGSTOP"], JSON)

    def case_a_program_with_threads_of_the_c_library(self):
        program = self.heddle.compile(HERE / "bad_input" / "aio.c", "gcc", ["-O1"])
        self.test(program, 3, ["the program calls aio_read", "a thread of your own"], JSON)

    def case_a_program_with_openmp(self):
        for compiler in ("gcc", "clang"):
            program = self.heddle.compile(HERE / "bad_input" / "openmp.c", compiler, ["-O1", "-fopenmp"])
            self.test(program, 3, ["parallel region of OpenMP", "-fopenmp"], JSON)

    def case_futex_operations(self):
        program = self.program("futexes")
        for argument, name in (("4", "FUTEX_CMP_REQUEUE (4)"), ("6", "FUTEX_LOCK_PI (6)")):
            for command in ("test", "verify"):
                self.expect([command, "--json", "result.json", program, argument], 3,
                            [f"the futex operation {name}, which heddle does not support"], JSON)

    def case_a_program_with_too_many_threads(self):
        for isolation in ("reset", "fork"):
            self.test(self.program("many_threads"), 3, ["more than 1024 threads"], JSON,
                      ["--isolation", isolation])

    def case_a_program_that_reads_standard_input(self):
        program = self.program("reads_stdin")
        self.test(program, 3, ["standard input", "--stdin"], JSON)
        with tempfile.NamedTemporaryFile("w") as given:
            given.write("hello\n")
            given.flush()
            self.test(program, 0, ["0 bugs"], JSON, ["--stdin", given.name])
            for arguments in ([], ["in main"]):
                self.test(self.program("reads_unbuffered_stdin"), 0, ["0 bugs"], JSON,
                          ["--stdin", given.name, "--isolation", "reset"], arguments)
        self.test(program, 2, ["/nowhere"], NOTHING, ["--stdin", "/nowhere"])
        # Child processes share the position in the file.
        with tempfile.NamedTemporaryFile("w") as given:
            given.write("5\n")
            given.flush()
            for isolation in ("auto", "fork", "reset"):
                self.test(self.program("needs_stdin"), 0, ["0 bugs"], JSON,
                          ["-n", 17, "--stdin", given.name, "--isolation", isolation])

    def case_a_program_that_forks(self):
        self.test(self.program("forks"), 3, ["fork"], JSON)

    def case_a_program_that_makes_a_process_in_another_way(self):
        program = self.program("other_forks")
        ways = ["_Fork", "clone", "clone with shared memory", "SYS_clone", "SYS_clone with shared memory", "SYS_clone3"]
        if platform.machine() == "x86_64":
            ways += ["SYS_fork", "SYS_vfork", "assembly"]
        for way in ways:
            for isolation in ("auto", "fork"):
                self.test(program, 3, ["the program c", "heddle c", "exec"], JSON, ["-n", 3, "--isolation", isolation], [way])

    def case_a_program_that_runs_for_ever_without_a_visible_operation(self):
        result = self.test(self.program("runs_for_ever"), 3, ["limit", "--timeout", "compute"], TRACES,
                           ["-n", 1, "--timeout", "1s"])
        if [finding["kind"] for finding in result["findings"]] != ["limit"]:
            raise Failure(f"not one finding of kind limit: {result['findings']}")

    def case_a_program_that_allocates_until_memory_ends(self):
        self.test(self.program("takes_all_memory"), 3, ["limit", "--max-memory", "takes_all_memory.c"], TRACES,
                  ["-n", 3, "--max-memory", "100M"])

    def case_a_program_that_prints_binary_garbage(self):
        result = self.test(self.program("prints_garbage"), 1, ["assertion failed", "\\x1b"], TRACES, ["-n", 3])
        if not result["findings"][0]["output"]:
            raise Failure("the JSON does not hold what the program printed")

    # Litmus tests

    LITMUS = """C test
{ x=0; }
P0 (atomic_int* x) {
  atomic_store_explicit(x,1,memory_order_relaxed);
}
P1 (atomic_int* x) {
  int r0 = atomic_load_explicit(x,memory_order_relaxed);
}
exists (1:r0=1)
"""

    def litmus(self, old, new, mentions):
        """The litmus test with one text replaced is refused, with file, line and column."""
        self.litmus_text(self.LITMUS.replace(old, new, 1), mentions)

    def litmus_text(self, text, mentions):
        with tempfile.TemporaryDirectory(prefix="heddle-litmus-") as folder:
            test = pathlib.Path(folder) / "test.litmus"
            test.write_bytes(text if isinstance(text, bytes) else text.encode())
            self.expect(["litmus", "--json", "result.json", test], 2, [f"{test}:{mentions[0]}", *mentions[1:]])

    def case_a_litmus_test_with_a_syntax_error(self):
        self.litmus("memory_order_relaxed);", "memory_order_relaxed)", ["5:1: ", "expected ';'"])
        self.litmus("int r0 =", "int r0 = =", ["7:12: "])
        self.litmus("exists (1:r0=1)", "exists (1:r0=1", ["10:1: "])
        self.litmus("}\nP1", "\nP1", ["6:1: "])

    def case_a_litmus_test_with_an_unknown_name(self):
        self.litmus("atomic_store_explicit", "atomic_push_explicit", ["4:3: ", "unknown function 'atomic_push_explicit'"])
        self.litmus("memory_order_relaxed", "memory_order_strict", ["4:29: ", "'memory_order_strict'"])
        self.litmus("1:r0=1", "1:r7=1", ["9:9: ", "no register 1:r7"])

    def case_a_litmus_test_without_an_initial_state(self):
        self.litmus("{ x=0; }\n", "", ["2:1: ", "the initial state is missing"])
        self.litmus_text("C test\n", ["2:1: ", "the initial state is missing"])

    def case_a_litmus_test_without_threads(self):
        self.litmus_text("C test\n{ x=0; }\nexists (x=0)\n", ["3:1: ", "no threads"])

    def case_a_litmus_test_with_100_threads(self):
        threads = "".join(f"P{i} (atomic_int* x) {{ atomic_store_explicit(x,1,memory_order_relaxed); }}\n"
                          for i in range(100))
        self.litmus_text("C test\n{ x=0; }\n" + threads + "exists (x=1)\n", ["67:1: ", "at most 64 threads"])

    def case_a_file_that_is_no_litmus_test(self):
        self.litmus_text("", ["1:1: ", "C NAME"])
        self.litmus_text("X86 test\n{ x=0; }\n", ["1:1: ", "C NAME"])
        self.litmus_text(bytes(range(256)), ["1:1: ", "C NAME"])
        self.expect(["litmus", "/nowhere.litmus"], 2, ["/nowhere.litmus", "cannot be read"])

    def case_strategies_of_litmus_tests_that_do_not_exist(self):
        with tempfile.TemporaryDirectory(prefix="heddle-litmus-") as folder:
            test = pathlib.Path(folder) / "test.litmus"
            test.write_text(self.LITMUS)
            self.expect(["litmus", "-s", "nothing", test], 2, ["no strategy 'nothing'", "auto, random, pct, ", ", exhaustive\n"])
            self.expect(["litmus", "-s", "pct:d=0", test], 2, ["d=0: this is not a whole number from 1 to 32\n"])
            self.expect(["litmus", "-s", "exhaustive:loop=3", test], 2, ["without bounds; write -s exhaustive\n"])

    # Traces

    def trace(self, name, folder):
        program = self.program(name)
        run = self.heddle.test(program, "-n", 10, out=folder)
        traces = sorted(pathlib.Path(folder).iterdir())
        if run.code != 1 or len(traces) != 1:
            raise Failure(f"no trace\n{run.describe()}")
        return traces[0]

    def damaged(self, change):
        with tempfile.TemporaryDirectory(prefix="heddle-trace-") as folder:
            trace = self.trace("fails", pathlib.Path(folder) / "out")
            trace.write_bytes(change(trace.read_bytes()))
            self.expect(["replay", "--json", "result.json", trace], 3, ["trace"])

    def case_a_truncated_trace(self):
        self.damaged(lambda content: content[:-1])
        self.damaged(lambda content: content[:len(content) // 2])
        self.damaged(lambda content: content[:10])

    def case_an_empty_trace(self):
        self.damaged(lambda content: b"")

    def case_a_corrupted_trace(self):
        for place in (0.1, 0.3, 0.5, 0.7, 0.9, 0.999):
            def flip(content, place=place):
                at = int(len(content) * place)
                return content[:at] + bytes([content[at] ^ 0x5A]) + content[at + 1:]
            self.damaged(flip)

    def case_a_file_that_is_no_trace(self):
        self.damaged(lambda content: b"#!/bin/sh\necho hello\n" * 20)
        self.expect(["replay", "/nowhere.trace"], 3, ["/nowhere.trace"])
        self.expect(["replay", HERE], 3, [str(HERE)])

    def case_a_trace_of_another_program(self):
        with tempfile.TemporaryDirectory(prefix="heddle-trace-") as folder:
            trace = self.trace("fails", pathlib.Path(folder) / "out")
            self.expect(["replay", "--program", self.program("fails_otherwise"), trace], 3, ["build"])

    def case_a_trace_whose_program_is_gone(self):
        with tempfile.TemporaryDirectory(prefix="heddle-trace-") as folder:
            copy = pathlib.Path(folder) / "copy"
            shutil.copy(self.program("fails"), copy)
            out = pathlib.Path(folder) / "out"
            self.heddle.test(copy, "-n", 10, out=out)
            trace = next(out.iterdir())
            copy.unlink()
            self.expect(["replay", trace], 3, [str(copy), "--program"])

    # The command line

    def case_an_unknown_command(self):
        self.expect(["weave"], 2, ["weave", "test", "replay"])

    def case_an_unknown_option(self):
        self.expect(["test", "--frobnicate", self.program("fails")], 2, ["--frobnicate"])
        self.expect(["replay", "--frobnicate", "x.trace"], 2, ["--frobnicate"])

    def case_an_unknown_strategy_or_model(self):
        self.test(self.program("fails"), 2, ["astrology", "random"], NOTHING, ["-s", "astrology"])
        self.test(self.program("fails"), 2, ["luck"], NOTHING, ["-s", "random:luck=7"])
        self.test(self.program("fails"), 2, ["x86", "rc11"], NOTHING, ["-m", "x86"])

    def case_parameters_of_a_strategy(self):
        for strategy, said in (("pctwm:d=-1", "d=-1"), ("pctwm:h=0", "h=0"), ("pct:k=abc", "k=abc"), ("pct:d=0", "d=0"),
                               ("pct:d=5,k=3", "d=5 is larger than k=3"), ("pctwm:d=4,k=3,h=1", "d=4 is larger than k=3"),
                               ("auto:d=2", "auto finds its parameters by itself")):
            self.test(self.program("fails"), 2, [said], NOTHING, ["-s", strategy])

    def case_numbers_that_are_none(self):
        for option in ("-n", "--seed", "-j", "--max-events", "--max-memory", "--timeout", "-t"):
            self.test(self.program("fails"), 2, ["many"], NOTHING, [option, "many"])
        self.test(self.program("fails"), 2, ["-5"], NOTHING, ["-n", "-5"])

    def case_an_option_that_is_given_twice_or_without_a_value(self):
        result = self.test(self.program("fails"), 1, ["5 executions"], TRACES, ["-n", 7, "-n", 5])
        if result["executions"] != 5:
            raise Failure("the last value of an option does not count")
        self.test(self.program("fails"), 2, ["--runs needs a value"], NOTHING, ["-n", ""])
        self.test(self.program("fails"), 2, ["--json needs a value"], NOTHING, ["--json", ""])

    def case_options_that_verify_does_not_have(self):
        program = self.program("fails")
        for options, reason in ((["-j", 2, "-m", "c11"], "the exhaustive search under c11 runs in one process: it does not take --jobs 2"),
                                (["--isolation", "reset"], "--isolation: the executions of an exhaustive search share one process"),
                                (["--stop-on-bug"], "--stop-on-bug: it stops at the first bug anyway"),
                                (["--expect", "x"], "there is no option --expect; 'heddle verify --help'")):
            self.expect(["verify", *options, program], 2, [reason])
        self.expect(["replay", "--seed", 5, "x.trace"], 2, ["heddle replay does not take --seed"])

    def case_arguments_of_the_program_that_look_like_options(self):
        self.expect(["verify", self.program("fails"), "-s", "5"], 1, ["assertion failed", "1 bug,"], {"heddle-out"})

    def case_options_in_the_environment(self):
        program = self.program("fails")
        with tempfile.TemporaryDirectory(prefix="heddle-bad-") as folder:
            def run(options):
                done = subprocess.run([program], cwd=folder, env={**os.environ, "HEDDLE_OPTIONS": options}, text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=GUARD_SECONDS)
                return done.returncode, done.stdout

            code, text = run("strategy=exhaustive:keep_going=1:bound_loop=3:bound_events=100:symmetry=1")
            if code != 1 or "execution graphs" not in text:
                raise Failure(f"HEDDLE_OPTIONS lacks an option of the exhaustive search: {code} {text}")
            code, text = run("bound_loop=3")
            if code != 2 or "HEDDLE_OPTIONS: bound_loop is for the exhaustive search" not in text:
                raise Failure(f"not refused as it should be: {code} {text}")

    def case_no_program_at_all(self):
        self.expect(["test"], 2, ["program"])
        self.expect(["replay"], 2, ["trace"])

    def case_results_that_cannot_be_written(self):
        self.expect(["test", "-n", 1, "--json", "/nowhere/result.json", self.program("fails")], 2, ["/nowhere"])
        self.expect(["test", "-n", 1, "--out", "/proc/nowhere", self.program("fails")], 3, ["/proc/nowhere"])

    def case_source_code_that_does_not_compile(self):
        with tempfile.TemporaryDirectory(prefix="heddle-source-") as folder:
            source = pathlib.Path(folder) / "wrong.c"
            source.write_text("int main(void) { return undeclared; }\n")
            self.expect(["cc", source, "-o", "program"], 1, ["undeclared"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--cache", required=True)
    parser.add_argument("cases", nargs="*", help="words that a case's name must contain")
    arguments = parser.parse_args()
    cases = Cases(Heddle(arguments.build, arguments.cache))
    failures = 0
    for name in (name for name in dir(cases) if name.startswith("case_")):
        if not all(word in name for word in arguments.cases):
            continue
        sentence = name[len("case_"):].replace("_", " ")
        try:
            getattr(cases, name)()
            print(f"right: {sentence}")
        except Failure as failure:
            failures += 1
            print(f"WRONG: {sentence}: {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
