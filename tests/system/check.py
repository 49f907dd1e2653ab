#!/usr/bin/env python3
"""heddle::check in a plain main, in C, in GoogleTest and in Catch2: what is found, what is shown, and that it replays. And it
learns: with the same seed, heddle::check and heddle test do the same in every execution."""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from heddle_tool import GUARD_SECONDS  # noqa: E402

SOURCES = pathlib.Path(__file__).resolve().parent / "check"
# Catch2's one large header takes its time: not optimised.
PROGRAMS = {
    "plain.cpp": ["-std=c++20", "-O2"],
    "plain.c": ["-std=gnu11", "-O1"],
    "googletest.cpp": ["-std=c++20", "-O1", "-lgtest", "-lgtest_main"],
    "catch2.cpp": ["-std=c++20", "-O0", "-g0"],
}
# The exit code, and what the output must hold.
EXPECTED = {
    "plain.cpp": (0, ["0 failed"]),
    "plain.c": (0, ["data race on a variable on a stack", "done"]),
    "googletest.cpp": (1, ["[  PASSED  ] 2 tests", "2 FAILED TESTS", "Which is: 1", "found in 1 of", ", by "]),
    "catch2.cpp": (2, ["test cases: 4 | 2 passed | 2 failed", "unexpected exception", "data race"]),
}


class Tests:
    def __init__(self, heddle, folder):
        self.heddle = heddle
        self.folder = folder
        self.problems = []

    def run(self, *words):
        return subprocess.run([str(word) for word in words], cwd=self.folder, capture_output=True, text=True, check=False,
                              timeout=GUARD_SECONDS)

    def expect(self, run, code, texts, what):
        output = run.stdout + run.stderr
        missing = [text for text in texts if text not in output]
        if run.returncode != code or missing:
            self.problems.append(f"{what}: exit code {run.returncode} instead of {code}, missing {missing}:\n{output}")

    def build(self, source, options, binary):
        flags = [word for word in options if not word.startswith("-l")]
        libraries = [word for word in options if word.startswith("-l")]
        built = self.run(self.heddle, "cc" if source.endswith(".c") else "c++", *flags, SOURCES / source, "-o", binary,
                         *libraries)
        if built.returncode != 0:
            self.problems.append(f"{source}: does not compile:\n{built.stderr}")
        return built.returncode == 0

    def test(self, source):
        binary = self.folder / source.replace(".", "_")
        if not self.build(source, PROGRAMS[source], binary):
            return
        code, texts = EXPECTED[source]
        run = self.run(binary)
        self.expect(run, code, texts, source)
        traces = re.findall(r"replay: (heddle replay \S+)", run.stdout)
        if not traces:
            self.problems.append(f"{source}: no trace to replay")
        for command in sorted(set(traces)):
            replayed = self.run(self.heddle, *command.split()[1:])
            self.expect(replayed, 1, ["the same finding"], f"{source}: {command}")
        self.expect(self.run(self.heddle, "test", binary), 3, ["start it without heddle test"], f"{source} under heddle test")

    def figures_of_command(self, binary, strategy, executions, seed):
        path = self.folder / "figures.json"
        run = self.run(self.heddle, "test", *(["-s", strategy] if strategy else []), "-n", executions, "--seed", seed,
                       "--json", path, binary)
        figures = json.loads(path.read_text())
        words = [figures[name] for name in ("executions", "buggy", "distinct_graphs", "events")]
        for finding in figures["findings"]:
            words += [finding.get("strategy", strategy), finding["first_execution"], finding["count"]]
        return " ".join(str(word) for word in words), re.findall("auto used .*", run.stdout)

    def learn(self):
        """The empty strategy is the default of both: auto."""
        source = "portfolio.cpp"
        command, check = self.folder / "as_main", self.folder / "in_process"
        if not self.build(source, ["-std=c++20", "-O1"], command) or \
           not self.build(source, ["-std=c++20", "-O1", "-DIN_PROCESS"], check):
            return
        for strategy, executions, seed in (("random:switch=0.5", 300, 3), ("pct:d=3", 500, 3), ("pctwm", 2000, 3),
                                           ("", 33, 4), ("", 3000, 2), ("", 3000, 1)):
            run = self.run(check, strategy, executions, seed)
            figures, *report = run.stdout.splitlines()
            found = figures, re.findall("auto used .*", "\n".join(report))
            expected = self.figures_of_command(command, strategy, executions, seed)
            if found != expected or (strategy == "") != bool(found[1]):
                self.problems.append(f"{source} {strategy} {seed}: heddle::check has {found}, heddle test {expected}")
        # A trace names what the portfolio made of it, and replays by its decisions.
        for trace in sorted((self.folder / "heddle-out").glob("in_process-*.trace")):
            run = self.run(self.heddle, "replay", "--json", "replay.json", trace)
            self.expect(run, 1, ["the same finding"], f"replay of {trace.name}")
            strategy = json.loads((self.folder / "replay.json").read_text())["strategy"]
            if strategy not in figures.split()[4::3]:
                self.problems.append(f"{trace.name} is of the strategy {strategy}, and not of one of {figures}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="heddle's build folder")
    heddle = (parser.parse_args().build / "bin" / "heddle").resolve()
    with tempfile.TemporaryDirectory() as name:
        tests = Tests(heddle, pathlib.Path(name))
        for source in PROGRAMS:
            tests.test(source)
        tests.learn()
    print("\n".join(tests.problems) if tests.problems else f"{len(PROGRAMS) + 1} passed")
    sys.exit(1 if tests.problems else 0)


if __name__ == "__main__":
    main()
