#!/usr/bin/env python3
"""--time, --timeout and the limits on memory and events hold whatever the program does, and the report says what happened."""

import argparse
import contextlib
import ctypes
import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from heddle_tool import GUARD_SECONDS, Failure, Heddle, processor_seconds, without  # noqa: E402


@contextlib.contextmanager
def system_v_objects():
    """A message queue and a set of one semaphore, by the system call that waits for each. They would outlive a program."""
    library = ctypes.CDLL(None)
    private, remove = 0, 0
    queue, semaphores = library.msgget(private, 0o600), library.semget(private, 1, 0o600)
    try:
        yield {"msgrcv": queue, "semtimedop": semaphores}
    finally:
        library.msgctl(queue, remove, None)
        library.semctl(semaphores, 0, remove)


class Cases:
    """Every method whose name starts with `case_` is a test case; the rest of the name is a sentence."""

    def __init__(self, heddle):
        self.heddle = heddle

    def test(self, source, *options, code, says, seconds, arguments=()):
        """Runs the program, and checks exit code, sentences and processor time. Returns the JSON."""
        flags = ["-std=c++20" if source.endswith(".cpp") else "-std=gnu11", "-O1", "-g"]
        program = self.heddle.compile(HERE / "limits" / source, "gcc", flags)
        with tempfile.TemporaryDirectory(prefix="heddle-test-") as folder:
            before = processor_seconds()
            run = self.heddle.test(program, *options, arguments=arguments, out=pathlib.Path(folder) / "out")
            took = processor_seconds() - before
        if run.code != code:
            raise Failure(f"exit code {run.code} instead of {code}\n{run.describe()}")
        for text in says:
            if text not in run.output:
                raise Failure(f"the output does not say '{text}'\n{run.describe()}")
        if took > seconds:
            raise Failure(f"took {took:.1f} s of processor time, more than {seconds}\n{run.describe()}")
        return run.result

    def case_at_least_one_execution_is_run_whatever_the_time(self):
        for isolation in ("auto", "reset", "fork"):
            result = self.test("waits_in_kernel.c", "-t", "100ms", "--isolation", isolation, code=1, says=["slow"], seconds=10)
            if result["executions"] < 1:
                raise Failure(f"no execution was counted: {result}")

    def case_time_holds_for_an_execution_that_never_ends(self):
        self.test("never_ends.c", "-t", "200ms", "--timeout", "0", code=3, says=["no execution of ", "raise --time"],
                  seconds=30)

    def case_time_bounds_the_replays_that_explain_a_finding(self):
        # What can be explained in this time depends on the machine.
        for isolation in ("auto", "fork"):
            with tempfile.TemporaryDirectory(prefix="heddle-test-") as folder:
                self.test("counts_starts.c", "-t", "1s", "--isolation", isolation, code=1, seconds=8,
                          arguments=[pathlib.Path(folder) / "state.txt"], says=["data race on `flag`"])

    def case_a_finding_that_does_not_replay_says_why(self):
        for isolation in ("auto", "fork"):
            with tempfile.TemporaryDirectory(prefix="heddle-test-") as folder:
                state = pathlib.Path(folder) / "state.txt"
                result = self.test("counts_starts.c", "-n", 10, "--isolation", isolation, code=1, seconds=60, arguments=[state],
                                   says=["did not replay: "])
            explanations = [finding["explanation"] for finding in result["findings"] if "explanation" in finding]
            reason = f"it depends on the file {state}, which it reads and writes"
            if not explanations or any(not told.get("did_not_replay") or reason not in told["why_not"] for told in explanations):
                raise Failure(f"findings that do not replay are explained, or without the reason: {result['findings']}")

    def case_a_search_of_long_executions_begins_at_once(self):
        result = self.test("long_execution.cpp", "-s", "exhaustive", "-t", "100ms", code=3, says=["not all executions"], seconds=30)
        if result["executions"] < 1:
            raise Failure(f"no execution was counted: {result}")

    def case_other_programs_on_the_machine_do_not_use_up_the_timeout(self):
        # Beside a loop on the same processor, and at a low priority, the program takes some 15 times as long.
        processor = {min(os.sched_getaffinity(0))}
        program = self.heddle.compile(HERE / "limits" / "computes.c", "gcc", ["-O1", "-g"])

        def be_slow():
            os.sched_setaffinity(0, processor)
            os.nice(12)

        with subprocess.Popen([sys.executable, "-c", "while True: pass"],
                              preexec_fn=lambda: os.sched_setaffinity(0, processor)) as busy, \
                tempfile.TemporaryDirectory(prefix="heddle-test-") as folder:
            try:
                run = subprocess.run([self.heddle.command, "test", "-n", "1", "--timeout", "500ms", "--out", folder, program],
                                     preexec_fn=be_slow, capture_output=True, text=True, timeout=GUARD_SECONDS, check=False)
            finally:
                busy.kill()
        if run.returncode != 0:
            raise Failure(f"exit code {run.returncode} instead of 0\n{run.stdout}{run.stderr}")

    def case_a_run_without_an_execution_that_ends_normally_is_no_success(self):
        for isolation in ("auto", "fork", "reset"):
            self.test("ends_in_assembly.c", "-n", 5, "--isolation", isolation, code=3,
                      says=["no bug, but no execution ended normally"], seconds=60)

    def case_executions_that_all_hang_end_the_campaign(self):
        results = [self.test("never_ends.c", "-n", 1000, "--timeout", "100ms", "--isolation", "fork", "-j", jobs, code=3,
                             says=["each of the first 3 executions made no visible operation for --timeout 100ms"], seconds=60)
                   for jobs in (1, 2)]
        if without(results[0], "seconds", "rate") != without(results[1], "seconds", "rate"):
            raise Failure(f"-j 1 and -j 2 differ:\n{results[0]}\n{results[1]}")

    def case_hangs_of_one_loop_are_one_finding(self):
        result = self.test("long_loop.c", "-n", 1000, "--timeout", "100ms", code=3, says=["made no visible operation"], seconds=60)
        if len(result["findings"]) != 1 or result["findings"][0]["count"] != result["executions"]:
            raise Failure(f"one loop that hangs is not one finding:\n{result}")

    def case_a_thread_that_waits_in_the_kernel_is_not_said_to_run(self):
        with system_v_objects() as objects:
            for call in ("flock", "fcntl", *objects):
                self.test("waits_in_named_call.c", "-n", 1, "--timeout", "200ms", arguments=[call, objects.get(call, 0)], code=3,
                          says=[f"the thread waited until --timeout in the system call {call}, which heddle does not control"],
                          seconds=60)
        self.test("waits_in_kernel.c", "-n", 1, "--timeout", "100ms", code=3, seconds=60,
                  says=["the thread waited until --timeout for the kernel, which heddle does not control"])
        self.test("long_loop.c", "-n", 1, "--timeout", "100ms", code=3, seconds=60,
                  says=["the thread ran until --timeout without a visible operation"])

    def case_executions_that_all_have_too_many_events_end_the_campaign(self):
        results = [self.test("counts.cpp", "-n", 1000, "--max-events", 1000, "-j", jobs, code=3,
                             says=["each of the first 10 executions was cut off at --max-events 1000, so heddle stopped; raise"],
                             seconds=60)
                   for jobs in (1, 2, 4, 20)]
        for other in results[1:]:
            if without(results[0], "seconds", "rate") != without(other, "seconds", "rate"):
                raise Failure(f"the number of workers matters:\n{results[0]}\n{other}")

    def case_a_program_that_overwrites_what_it_shares_with_the_driver(self):
        for byte in (0, 1, 255):
            for isolation in ("auto", "fork"):
                result = self.test("writes_wildly.c", "-n", 3, "--isolation", isolation, code=1,
                                   says=["the program overwrote memory of heddle's runtime"], seconds=30, arguments=[byte])
                if result["executions"] != 3 or result["buggy"] != 3:
                    raise Failure(f"the executions are not counted: {result}")


class LargeCases(Cases):
    """Cases that need gigabytes of memory."""

    def case_a_program_that_takes_memory_without_end(self):
        self.test("takes_memory.c", "-n", 100, "--max-memory", "1M", code=3,
                  says=["its process used more than", "each of the first 3 executions used too much memory"], seconds=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--cache", required=True)
    parser.add_argument("--large", action="store_true", help="also the cases that need gigabytes of memory")
    arguments = parser.parse_args()
    cases = (LargeCases if arguments.large else Cases)(Heddle(arguments.build, arguments.cache))
    failures = 0
    for name in (name for name in dir(cases) if name.startswith("case_")):
        sentence = name[len("case_"):].replace("_", " ")
        try:
            getattr(cases, name)()
            print(f"right: {sentence}", flush=True)
        except Failure as failure:
            failures += 1
            print(f"WRONG: {sentence}: {failure}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
