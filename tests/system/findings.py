#!/usr/bin/env python3
"""What reports say beyond the finding itself: variants of one root, suppressions, code that is not instrumented, known
defects of the standard library. Each case is a method whose name is a sentence.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
sys.path.insert(0, str(HERE))
from heddle_tool import GUARD_SECONDS, Failure, Heddle  # noqa: E402
from progress import has_terminals, on_a_terminal  # noqa: E402

SOURCES = HERE / "findings"


def check(condition, what, run):
    if not condition:
        raise Failure(f"{what}\n{run.describe()}")


class Cases:
    def __init__(self, heddle, folder):
        self.heddle = heddle
        self.folder = pathlib.Path(folder)

    def compile(self, name):
        return self.heddle.compile(SOURCES / name, "gcc", ["-O1", "-g"])

    def test(self, program, *options):
        result = self.folder / "result.json"
        result.unlink(missing_ok=True)
        run = self.heddle.run("test", "-n", "100", "--explain", "none", "--out", self.folder / "out", "--json", result, *options, program,
                              cwd=self.folder)
        run.result = json.loads(result.read_text()) if result.exists() else {}
        return run

    def suppressions(self, *lines):
        path = self.folder / "suppressions"
        path.write_text("\n".join(lines) + "\n")
        return path

    def case_the_variants_of_one_race_are_one_finding(self):
        run = self.test(self.compile("counters.c"))
        findings = run.result["findings"]
        check(run.code == 1 and len(findings) == 2, "there are two bugs", run)
        check(all(finding.get("variants") for finding in findings), "each has variants", run)
        check("variant: " in run.output and "2 bugs" in run.output, "the terminal shows them", run)
        traces = {finding["trace"] for finding in findings}
        check({str(path) for path in (self.folder / "out").iterdir()} == traces, "one trace a finding", run)

    def case_a_struct_that_is_copied_without_a_lock_is_one_finding(self):
        for compiler in ("gcc", "clang"):
            for level in ("-O0", "-O2"):
                program = self.heddle.compile(SOURCES / "struct_copy.c", compiler, [level, "-g"])
                run = self.test(program)
                findings = run.result["findings"]
                check([f["kind"] for f in findings] == ["race", "race"], f"{compiler} {level}: one for each struct", run)
                places = sorted(len(f.get("variants", [])) for f in findings)
                # Compilers that optimise write several members at once.
                check(places == [2, 5] if level == "-O0" else places[0] >= 1, "with all their places", run)
                check("2 bugs" in run.output and all(f["count"] <= run.result["executions"] for f in findings), "counts", run)

    def case_two_bugs_that_share_a_helper_function_are_two_findings(self):
        for compiler in ("gcc", "clang"):
            program = self.heddle.compile(SOURCES / "shared_helper.c", compiler, ["-O1", "-g"])
            run = self.test(program)
            symbols = [f["accesses"][0]["symbol"] for f in run.result["findings"]]
            check(sorted(symbols) == ["errors", "visitors"], f"{compiler}: two bugs", run)

    def case_counts_agree_everywhere(self):
        program = self.heddle.compile(SOURCES / "struct_copy.c", "gcc", ["-O1", "-g"])
        for seed in ("1", "2"):  # another finding with the same root may be the first
            run = self.test(program, "--seed", seed, "--results", self.folder / "results.db")
        counts = sorted(f["count"] for f in run.result["findings"])
        kept = self.heddle.run("results", "--last", "1", self.folder / "results.db")
        check(sorted(map(int, re.findall(r", (\d+) times", kept.output))) == counts, "the database has the same counts", kept)
        kept = self.heddle.run("results", "--builds", self.folder / "results.db")
        check("2 campaigns" in kept.output and "2 findings" in kept.output, "two bugs in all", kept)
        kept = self.heddle.run("results", "--compare", "#1..#2", self.folder / "results.db")
        check("0 new, 0 gone, 2 still there" in kept.output, "the same bugs", kept)
        run = self.test(program, "--seed", "2", "--suppressions", self.suppressions("race:struct_copy.c"))
        check([entry["findings"] for entry in run.result["suppressed"]] == [2], "suppressed bugs count alike", run)
        check([entry["times"] for entry in run.result["suppressed"]] == [sum(counts)], "and so do their executions", run)
        baseline = self.folder / "result.json"
        self.test(program, "--seed", "1")
        baseline.rename(self.folder / "baseline.json")
        run = self.test(program, "--seed", "2", "--baseline", self.folder / "baseline.json")
        check(run.code == 0 and "2 bugs (2 known)" in run.output, "all are known", run)

    def case_live_lines_show_each_bug_once_and_their_traces_stay(self):
        if not has_terminals():
            return
        program = self.heddle.compile(SOURCES / "struct_copy.c", "gcc", ["-O1", "-g"])
        command = (self.heddle.command, "test", "-n", "100", "--seed", "1", "--out", self.folder / "out", program)
        code, _, error, _ = on_a_terminal([str(word) for word in command])
        told = re.findall(r"heddle: found in execution \d+: .*; heddle replay (\S+)", error)
        if code != 1 or len(told) != 2:
            raise Failure(f"exit code {code}, {told}\n{error}")
        for trace in told:
            run = self.heddle.run("replay", trace.strip())
            check(run.code == 1, "the trace that a live line names replays", run)

    def case_a_variable_of_a_block_that_is_over_gives_its_name_to_no_other(self):
        for compiler in ("gcc", "clang"):
            for level in ("-O0", "-O1", "-O2"):
                program = self.heddle.compile(SOURCES / "shared_slot.cpp", compiler, ["-g", "-std=c++20", level])
                run = self.test(program)
                named = re.findall(r"data race on (.*) \(4 bytes\)", run.output)
                check(named and set(named) <= {"`second`", "a variable on a stack"}, f"{compiler} {level}", run)

    def case_suppressions_hide_what_they_match(self):
        program = self.compile("counters.c")
        run = self.test(program, "--suppressions", self.suppressions("# one", "race:first"))
        check(run.code == 1 and [f["accesses"][0]["symbol"] for f in run.result["findings"]] == ["second"],
              "the other counter is reported", run)
        check(run.result["suppressed"][0]["suppression"] == "race:first", "the JSON counts them", run)
        for line in ("race:first|race:second", "race_top:^count_", "race:counters.c"):
            run = self.test(program, "--stop-on-bug", "--suppressions", self.suppressions(*line.split("|")))
            check(run.code == 0 and "0 buggy" in run.output and "suppressed by" in run.output, f"{line} hides all", run)
            check(run.result["executions"] == 100, "a suppressed finding stops nothing", run)
        run = self.test(program, "--suppressions", self.suppressions("deadlock:count_first", "thread:x", "signal:y"))
        check(run.code == 1 and len(run.result["findings"]) == 2, "other kinds hide nothing", run)

    def case_suppressions_come_from_the_environment_too(self):
        program = self.compile("counters.c")
        options = f"runs=50:out={self.folder / 'out'}:suppressions={self.suppressions('race:count_')}"
        done = subprocess.run([program], env={**os.environ, "HEDDLE_OPTIONS": options}, capture_output=True, text=True,
                              timeout=GUARD_SECONDS)
        if done.returncode != 0 or "suppressed by race:count_" not in done.stdout:
            raise Failure(f"exit code {done.returncode}\n{done.stdout}{done.stderr}")

    def case_a_malformed_suppression_is_an_error(self):
        program = self.compile("counters.c")
        for line, text in (("races:x", "its kind is none of"), ("race", "no colon"), ("race:", "no pattern")):
            run = self.test(program, "--suppressions", self.suppressions("race:y", line))
            check(run.code == 2 and "line 2 of" in run.output and text in run.output, f"{line} is an error", run)
        run = self.test(program, "--suppressions", self.folder / "nowhere")
        check(run.code == 2 and "nowhere" in run.output, "a file that is missing is an error", run)

    def library(self):
        library = self.folder / "libspin.so"
        subprocess.run(["gcc", "-O1", "-shared", "-fPIC", SOURCES / "spin_library.c", "-o", library], check=True)
        return library

    def program_with_library(self):
        program = self.folder / "uses_library"
        run = self.heddle.run("cc", "-O1", "-g", SOURCES / "uses_library.c", self.library(), "-Wl,-rpath," + str(self.folder),
                              "-o", program)
        check(run.code == 0, "the program is linked", run)
        return program

    def case_a_race_beside_a_library_that_is_not_instrumented_says_so(self):
        # Without the search of `auto`, which lets a thread wait in such a library until its execution is too long.
        run = self.test(self.program_with_library(), "-s", "random")
        check(run.code == 1 and "libspin.so is not instrumented and may order these accesses" in run.output, "a note", run)
        check("libspin.so" in run.result["findings"][0]["notes"][0], "the JSON has it", run)
        run = self.test(self.compile("counters.c"))
        check("not instrumented" not in run.output, "there is no such library", run)

    def case_calls_into_a_trusted_library_are_ordered(self):
        program = self.program_with_library()
        for name in ("libspin.so", "spin", self.folder / "libspin.so"):
            run = self.test(program, "--trust", name)
            check(run.code == 0 and "0 bugs" in run.output, f"--trust {name}: no race, no other bug", run)
        run = self.test(program, "--trust", "nothing")
        check(run.code == 3 and "has not loaded a library of the name nothing" in run.output, "a sentence", run)
        run = self.heddle.run("test", "-n", "300", "--out", self.folder / "out", "--trust", "spin", program, "careless",
                              cwd=self.folder)
        check(run.code == 1 and "free_for_all" in run.output and "`counter`" not in run.output, "other races stay", run)
        check("not instrumented" not in run.output, "there is no note", run)

    def case_objects_that_are_not_instrumented_are_named_at_link_time(self):
        plain, archive = self.folder / "plain.o", self.folder / "libplain.a"
        subprocess.run(["gcc", "-c", SOURCES / "counters.c", "-o", plain], check=True)
        run = self.heddle.run("cc", plain, "-o", self.folder / "plain")
        check(run.code == 0 and f"{plain} is not instrumented" in run.output, "the object is named", run)
        run = self.test(self.folder / "plain")
        check("its code is not instrumented" in run.output, "heddle test warns, too", run)
        subprocess.run(["gcc", "-c", SOURCES / "spin_library.c", "-o", plain], check=True)
        subprocess.run(["ar", "rcs", archive, plain], check=True)
        run = self.heddle.run("cc", SOURCES / "uses_library.c", archive, "-o", self.folder / "plain")
        check(run.code == 0 and f"{archive}(plain.o) is not instrumented" in run.output, "the member is named", run)
        run = self.heddle.run("cc", SOURCES / "counters.c", "-o", self.folder / "counters")
        check(run.code == 0 and "not instrumented" not in run.output, "no warning without a reason", run)

    def case_known_defects_of_the_standard_library_are_recognised(self):
        wrong = HERE.parent / "programs" / "wrong"
        program = self.heddle.compile(wrong / "race_inside_atomic_shared_ptr.cpp", "gcc", ["-std=c++20", "-O1", "-g"])
        run = self.test(program)
        check("known defect of libstdc++ 12" in run.output and "1558" in run.output, "the race in load()", run)
        program = self.heddle.compile(wrong / "deadlock_inside_atomic_wait.cpp", "gcc", ["-std=c++20", "-O1", "-g"])
        run = self.test(program, "-n", "2000")
        check("known defect of libstdc++ 12" in run.output, "the lost wake-up", run)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--cache", required=True, type=pathlib.Path)
    parser.add_argument("words", nargs="*", help="that a case's name must contain")
    arguments = parser.parse_args()
    heddle = Heddle(arguments.build, arguments.cache)
    failed = 0
    for name in sorted(name for name in dir(Cases) if name.startswith("case_")):
        sentence = name.removeprefix("case_").replace("_", " ")
        if not all(word in sentence for word in arguments.words):
            continue
        with tempfile.TemporaryDirectory(prefix="heddle-findings-") as folder:
            try:
                getattr(Cases(heddle, folder), name)()
                print(f"right: {sentence}")
            except Failure as failure:
                failed += 1
                print(f"WRONG: {sentence}\n{failure}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
