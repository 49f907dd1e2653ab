#!/usr/bin/env python3
"""Misuse of threads, locks, descriptors and signals is found, with its kind and a sentence that says what is wrong; right uses beside
it are clean. The source, misuse/misuse.c, says what to expect of each case."""
import argparse
import pathlib
import re
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from heddle_tool import Failure, Heddle, without  # noqa: E402

SOURCE = pathlib.Path(__file__).resolve().parent / "misuse" / "misuse.c"
LINE = re.compile(r"^// (?P<name>\w+): (?P<what>[^:\[]+?)(: (?P<text>[^\[]+?))?( \[(?P<options>.*)\])?$", re.MULTILINE)
RUNS = 40


def cases():
    source = SOURCE.read_text()
    found = {match["name"]: match for match in LINE.finditer(source)}
    listed = re.findall(r"CASE\((\w+)\)[,}]", source)
    if set(found) != set(listed):
        raise Failure(f"cases without an expectation, or not in the list: {set(found) ^ set(listed)}")
    return found


def check(heddle, program, case, out):
    options = (case["options"] or "").split()
    run = heddle.test(program, "--seed", "1", "-s", "random", "-n", RUNS, *options, arguments=[case["name"]], out=out)
    findings = run.result.get("findings", [])
    if case["what"] == "clean":
        if findings or run.code != 0:
            raise Failure(f"{case['name']} is right\n{run.describe()}")
        return
    kind, _, warning = case["what"].partition(" ")
    if not findings or {finding["kind"] for finding in findings} != {kind}:
        raise Failure(f"{case['name']} is not found as {kind}, or with something else\n{run.describe()}")
    if not all(any(text in finding["message"] for text in case["text"].split("|")) for finding in findings):
        raise Failure(f"{case['name']}: a message does not say '{case['text']}'\n{run.describe()}")
    if run.code != (0 if warning else 1) or any(finding.get("warning", False) != bool(warning) for finding in findings):
        raise Failure(f"{case['name']} has the wrong exit code, or is no warning\n{run.describe()}")
    for finding in findings:
        again = heddle.replay(finding["trace"])
        if finding["key"] not in [other["key"] for other in again.result.get("findings", [])]:
            raise Failure(f"{case['name']} does not replay\n{again.describe()}")


def check_any_jobs(heddle, program, out):
    """What is found does not depend on the number of workers."""
    names = ("order_by_flag", "closed_while_used", "handler_allocates")
    for name in names:
        results = [without(heddle.test(program, "--seed", "1", "-n", 200, "-j", jobs, "--explain", "none",
                                       arguments=[name], out=out).result, "seconds", "rate", "jobs")
                   for jobs in (1, 3)]
        if results[0] != results[1]:
            raise Failure(f"{name}: other results with three workers:\n{results[0]}\n{results[1]}")


def check_suppressions(heddle, program, folder):
    """The kinds of ThreadSanitizer and of heddle hide them."""
    for kind, name, options in (("mutex", "unlocked_unlocked", []), ("misuse", "joined_twice", []), ("thread", "thread_left", ["--leaks"]),
                                ("deadlock", "order_by_flag", []), ("lock-order", "order_fails", ["--lock-order", "fail"]),
                                ("race", "closed_while_used", []), ("signal", "handler_allocates", []),
                                ("signal-errno", "handler_spoils_errno", [])):
        file = folder / "suppressions"
        file.write_text(f"{kind}:*\n")
        run = heddle.test(program, "--seed", "1", "-s", "random", "-n", RUNS, "--suppressions", file, *options, arguments=[name],
                          out=folder / "out")
        if run.code != 0 or run.result["findings"] or not run.result["suppressed"]:
            raise Failure(f"{kind}:* does not hide {name}\n{run.describe()}")


def check_search(heddle, program):
    """The exhaustive search finds them, too."""
    for name, code, text in (("joined_twice", 1, "was joined before"), ("unlocked_by_other", 1, "does not hold it"),
                             ("order_by_flag", 0, "warning: lock order"), ("orders_that_cannot_deadlock", 0, "all explored")):
        run = heddle.run("verify", "--explain", "none", program, name)
        if run.code != code or text not in run.output:
            raise Failure(f"verify: {name}\n{run.describe()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="heddle's build folder")
    parser.add_argument("--compilers", default="gcc,clang")
    parser.add_argument("--case", help="only this one")
    arguments = parser.parse_args()
    failures = passed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        heddle = Heddle(arguments.build.resolve(), folder)
        checks = []
        for compiler in arguments.compilers.split(","):
            for level in ("-O0", "-O2"):
                program = heddle.compile(SOURCE, compiler, ["-g", "-w", level])
                checks += [(check, program, case, folder / "out") for case in cases().values()
                           if arguments.case in (None, case["name"])]
            if not arguments.case:
                checks += [(check_any_jobs, program, folder / "out"), (check_suppressions, program, folder), (check_search, program)]
        for function, *rest in checks:
            try:
                function(heddle, *rest)
                passed += 1
            except Failure as failure:
                failures += 1
                print(failure)
    print(f"{passed} passed, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
