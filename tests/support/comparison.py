"""Compares what two builds of heddle say of the same programs, with the same options and seeds."""

import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import tempfile
from dataclasses import dataclass

from program_head import ProgramHead

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDERS = ["tests/programs/correct", "tests/programs/wrong", "examples", "benchmarks/programs/buggy",
           "benchmarks/programs/fixed", "benchmarks/programs/fuzzing", "benchmarks/programs/small"]

# Fields of the JSON that may differ between equal runs, at any depth: times, paths, and how the run was described.
DESCRIPTION = {"version", "program", "strategy", "trace", "seconds", "rate", "isolation_reason"}
# Fields whose text is written for people.
WORDING = {"message", "headline", "what", "state", "place", "failure"}


@dataclass(frozen=True)
class Case:
    """One call of `heddle test`."""

    source: pathlib.Path
    options: tuple
    arguments: tuple
    flags: tuple

    @property
    def name(self):
        return " ".join([str(self.source.relative_to(ROOT)), *self.options])


def sources():
    """Every program of the repository whose head says what to expect of it."""
    return [source for folder in FOLDERS for source in sorted((ROOT / folder).glob("*.c*"))]


def make_case(source, runs, *options):
    """`runs` executions of a program, or as many as its head wants if these are fewer."""
    head = ProgramHead(source)
    # A machine under load must not make an execution look stuck.
    words = [*options, "-n", str(min(runs, head.runs)), "--seed", "11", "--timeout", "120s", *head.options_without_strategy()]
    return Case(source, tuple(words), tuple(head.arguments), tuple(head.flags))


def differences(expected, found, ignored, path=""):
    """The fields of `expected` that `found` lacks or has with another value, as (path, text)."""
    if isinstance(expected, dict) and isinstance(found, dict):
        return [difference for name in expected if name not in ignored
                for difference in differences(expected[name], found.get(name), ignored, f"{path}.{name}".lstrip("."))]
    if isinstance(expected, list) and isinstance(found, list):
        if len(expected) != len(found):
            return [(path, f"{len(expected)} entries, {len(found)} entries")]
        return [difference for index, pair in enumerate(zip(expected, found))
                for difference in differences(*pair, ignored, f"{path}[{index}]")]
    return [] if expected == found else [(path, f"{expected!r}, {found!r}")]


class Comparison:
    """Runs cases with two builds. Both run the same binary, which the reference compiles; each has its own driver and
    runtime. Results of the reference are kept in its cache as long as its files do not change."""

    def __init__(self, reference, other, ignored, known=()):
        self.reference, self.other = reference, other
        self.ignored, self.known = ignored, known
        self.counts = collections.Counter()
        self.problems = []
        stamp = "".join(str(file.stat().st_mtime_ns) for file in (reference.command, reference.library))
        self.results = reference.cache / f"results-{hashlib.sha256(stamp.encode()).hexdigest()[:16]}"
        self.results.mkdir(parents=True, exist_ok=True)

    def compile_program(self, source, flags):
        # Programs of one name lie in several folders.
        builder = type(self.reference)(self.reference.command.parent.parent, self.reference.cache / source.parent.name)
        return builder.compile(source, flags=flags)

    @staticmethod
    def run(heddle, program, case):
        with tempfile.TemporaryDirectory(prefix="heddle-compare-") as folder:
            run = heddle.test(program, *case.options, arguments=case.arguments, out=pathlib.Path(folder) / "out")
        return {"exit_code": run.code, "json": run.result or None}

    def run_reference(self, program, case):
        key = hashlib.sha256(case.name.encode() + program.read_bytes()).hexdigest()
        path = self.results / f"{key}.json"
        if path.exists():
            return json.loads(path.read_text())
        result = self.run(self.reference, program, case)
        unfinished = path.with_suffix(f".{os.getpid()}")
        unfinished.write_text(json.dumps(result))
        unfinished.rename(path)
        return result

    def compare(self, program, case):
        found = differences(self.run_reference(program, case), self.run(self.other, program, case), self.ignored)
        reasons = {reason for path, _ in found for case_pattern, field_pattern, reason in self.known
                   if re.search(case_pattern, case.name) and re.search(field_pattern, path)}
        unexplained = [f"  {path}: {text}" for path, text in found
                       if not any(re.search(case_pattern, case.name) and re.search(field_pattern, path)
                                  for case_pattern, field_pattern, _ in self.known)]
        return unexplained, reasons

    def compare_all(self, cases, jobs):
        """Compares all cases and prints those that differ as soon as they are known. Returns whether all are equal."""
        programs = {(case.source, case.flags) for case in cases}
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            built = dict(zip(programs, pool.map(lambda key: self.compile_program(*key), programs)))
            tasks = {pool.submit(self.compare, built[case.source, case.flags], case): case for case in cases}
            for task in concurrent.futures.as_completed(tasks):
                unexplained, reasons = task.result()
                self.counts["different" if unexplained else "known" if reasons else "equal"] += 1
                if unexplained:
                    print("\n".join([f"{tasks[task].name}: reference and other build differ in", *unexplained]), flush=True)
                for reason in reasons:
                    self.counts[f"known: {reason}"] += 1
        return self.counts["different"] == 0
