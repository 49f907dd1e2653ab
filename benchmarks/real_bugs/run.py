#!/usr/bin/env python3
"""Would heddle have found it? Real bugs of other projects, each in a folder of its own with bug.json, bug.cpp and README.md.

For each: whether `heddle test` with its defaults finds the bug for each of N seeds, and after how many executions; whether `heddle verify`
finds it; whether it shows under sequential consistency; whether ThreadSanitizer finds it in a loop of runs of the same program; whether
the reported fix is at the line that the project changed, and cures; and whether the mended program is clean. Exit code 1 if a bug is missed that
should be found, or a mended program is not clean. --quick is the test of the suite: one seed, without ThreadSanitizer and explanations.

bug.json: project, reference, title, kind (weak-memory or interleaving), finds (the kinds of findings that show the bug), upstream_fix.
Optional: package and header (the bug is in a Debian package, the entry is skipped without it), libraries, mend (how to change a copy
of the header for the mended program), mended_by (verify, test with mended_runs, or none), fix_at (lines of the header that the project changed;
in bug.cpp itself, these lines say "upstream fix"), upstream_incomplete (why heddle still finds the bug after the change of the project,
-DUPSTREAM), test_misses (1,000 executions are too few), note.
"""
import argparse
import concurrent.futures
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))
sys.path.insert(0, str(HERE))
from heddle_tool import Heddle  # noqa: E402
from order_fix import order_fix  # noqa: E402

PAGE = ROOT / "docs" / "real-bugs.md"
BEGIN, END = "<!-- made by benchmarks/real_bugs/run.py -->", "<!-- end -->"
RUNS = 1000
FIX_ROUNDS = 5
TSAN_RUNS, TSAN_SECONDS, TSAN_HANGS = 300, 5, 2
QUICK_SHARE = 20  # --quick runs a mended program that cannot be proved for this part of its executions
STANDARD = ["-std=c++20", "-O1", "-g"]


class Entry:
    def __init__(self, folder):
        self.folder, self.name = folder, folder.name
        self.source = folder / "bug.cpp"
        self.facts = json.loads((folder / "bug.json").read_text())

    def __getattr__(self, name):
        return self.facts.get(name)

    def include_folder(self):
        """Where the header of a package is: /usr/include, or gcc's folder for the C++ library."""
        candidates = [pathlib.Path("/usr/include"), *sorted(pathlib.Path("/usr/include/c++").glob("*"))]
        return next((folder for folder in candidates if (folder / self.header).exists()), None)

    def missing(self):
        if self.header and self.include_folder() is None:
            return f"{self.package or 'the header ' + self.header} is not installed"
        return None

    def fix_lines(self):
        marked = {(self.source.name, number) for number, line in enumerate(self.source.read_text().splitlines(), 1)
                  if "upstream fix" in line}
        return marked | {tuple(place) for place in self.fix_at or []}


class Bench:
    """The files of one entry. `builder` has precompiled headers, which all entries share."""
    common_headers = threading.Lock()

    def __init__(self, heddle, folder, builder):
        self.heddle, self.folder, self.builder = heddle, folder, builder
        folder.mkdir()

    def compile(self, entry, variant):
        """The program, or None if there is no such variant."""
        program = self.folder / f"{entry.name}.{variant}"
        options = {"broken": [], "mended": ["-DMENDED"], "upstream": ["-DUPSTREAM"], "tsan": [], "tsan-mended": ["-DMENDED"]}[variant]
        if variant.endswith("mended"):
            if entry.mended_by == "none":
                return None
            if entry.mend:
                options = ["-I", str(self.changed_headers(entry))]
        if variant == "upstream" and not entry.upstream_incomplete:
            return None
        command = [self.heddle, "c++"]
        if variant.startswith("tsan"):
            command = ["g++", "-fsanitize=thread", "-Wno-tsan"]
        elif not entry.mend:  # a changed header may be one of the common ones
            with Bench.common_headers:
                options += self.builder.common_headers("gcc", [*STANDARD, *options], entry.source)
        subprocess.run([*command, *STANDARD, *options, entry.source, "-o", program, *(entry.libraries or [])], check=True)
        return program

    def changed_headers(self, entry):
        """A copy of the package's headers with the change of the project."""
        mend, copy = entry.mend, self.folder / f"{entry.name}.include"
        if copy.exists():
            return copy
        origin = entry.include_folder()
        for name in mend["copy"]:
            shutil.copytree(origin / name, copy / name)
        changed = copy / mend["file"]
        changed.parent.mkdir(parents=True, exist_ok=True)
        text, count = re.subn(mend["pattern"], mend["replacement"], (origin / mend["file"]).read_text())
        if count == 0:
            sys.exit(f"{entry.name}: {mend['file']} is another version; there is nothing to mend")
        changed.write_text(text)
        return copy

    def run(self, command, program, *options):
        """The JSON report of a campaign, with its exit code and its message."""
        report = self.folder / "report.json"
        report.unlink(missing_ok=True)
        run = subprocess.run([self.heddle, command, "--json", report, "--out", self.folder / "out", *options, program],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if run.returncode not in (0, 1) and not (run.returncode == 3 and report.exists()):
            sys.exit(f"heddle {command} {program.name} ended with exit code {run.returncode}:\n{run.stdout}")
        return json.loads(report.read_text())


def shown(entry, report):
    """The findings that show the bug."""
    return [finding for finding in report["findings"] if finding["kind"] in entry.finds]


def find(bench, entry, program, seeds):
    """Executions and seconds to the first find, for each seed; None where there was none in RUNS executions."""
    finds = []
    for seed in range(1, seeds + 1):
        report = bench.run("test", program, "-n", str(RUNS), "--seed", str(seed), "--stop-on-bug", "--explain", "none")
        finds.append((report["executions"], report["seconds"]) if shown(entry, report) else None)
    return finds


def clean(bench, entry, program, quick):
    """What is wrong with the mended program, or None; and how it was checked."""
    if entry.mended_by == "test":
        runs = entry.mended_runs // (QUICK_SHARE if quick else 1)
        report = bench.run("test", program, "-n", str(runs), "--explain", "none")
        return (f"{len(report['findings'])} findings" if report["findings"] else None), f"{runs:,} executions"
    report = bench.run("verify", program)
    if report["findings"]:
        return f"{len(report['findings'])} findings", "verify"
    return (None if report["all_explored"] else "not all executions were explored"), f"proved, {report['executions']:,} graphs"


def compile_source(bench):
    """Compiles a copy of an entry's source, without precompiled headers."""
    def compile(entry, source, program):
        subprocess.run([bench.heddle, "c++", *STANDARD, "-w", source, "-o", program, *(entry.libraries or [])], check=True)
    return compile


def reported_fix(bench, entry, program):
    """Whether the fix that the report names is at the lines that the project changed."""
    report = bench.run("test", program, "-n", str(RUNS), "--explain", "first")
    explanations = [finding.get("explanation") or {} for finding in shown(entry, report)]
    explanation = next((found for found in explanations if found.get("advice")), {})
    if not explanation:
        return "no fix"
    places = {(pathlib.Path(change["place"]["file"]).name, change["place"]["line"]) for change in explanation.get("changes") or []}
    lines = entry.fix_lines()
    if places:
        return "same" if places <= lines else "in part" if places & lines else "elsewhere"
    told = {(file or entry.source.name, int(line)) for file, line in
            re.findall(r"(?:([\w.]+):|\bline )(\d+)", explanation["cause"] + explanation["advice"])}
    told |= {(pathlib.Path(place["file"]).name, place["line"]) for place in
             (step.get("place", {}) for step in explanation["steps"]) if "file" in place}
    return "advice, the step is told" if told & lines else "advice"


def of_outer_call(code, start, found):
    """The orders among the arguments of the call at this column, without those of calls that are arguments."""
    depth, depths = 0, {}
    for position in range(code.find("(", start), len(code)):
        depth += {"(": 1, ")": -1}.get(code[position], 0)
        depths[position] = depth
        if depth == 0:
            break
    return [order for order in found if depths.get(order.start()) == 1]


def strengthen(lines, constants, change):
    """Gives the operation that a change names its new order. Returns whether that was possible."""
    order = re.compile(r"std::memory_order_\w+|\b(?:" + "|".join(constants or ["-"]) + r")\b")
    first, start = change["place"]["line"] - 1, max(change["place"].get("column", 1) - 1, 0)
    for number in range(first, min(first + 3, len(lines))):
        code = lines[number].split("//")[0]
        found = list(order.finditer(code, start if number == first else 0)) or list(order.finditer(code))
        if not found:
            continue
        found = (of_outer_call(code, start, found) if number == first else []) or found
        place = found[0]
        if "compare_exchange" in change["operation"]:
            # The orders for success and failure are the last arguments.
            place = found[-1] if "failed" in change["operation"] else found[max(len(found) - 2, 0)]
        lines[number] = lines[number][:place.start()] + "std::memory_order_" + change["to"] + lines[number][place.end():]
        return True
    return False


def cured_by_fixes(bench, entry):
    """After how many rounds of doing what the fix: line says the bug is gone."""
    lines = entry.source.read_text().splitlines()
    constants = re.findall(r"(\w+) = std::memory_order_\w+", "\n".join(lines))
    folder = bench.folder / "fixes" / entry.name
    folder.mkdir(parents=True)
    shutil.copy(HERE / "futex.hpp", folder.parent)
    source, program = folder / entry.source.name, folder / "program"
    for round in range(FIX_ROUNDS + 1):
        source.write_text("\n".join(lines) + "\n")
        compile_source(bench)(entry, source, program)
        report = bench.run("test", program, "-n", str(RUNS), "--explain", "first")
        if not report["findings"]:
            return f"round {round}"
        changes = next((found for found in ((finding.get("explanation") or {}).get("changes") for finding in report["findings"])
                        if found), [])
        # Not the read that the kernel makes for a futex.
        changes = [change for change in changes if pathlib.Path(change["place"]["file"]).name == source.name]
        if not changes or not all([strengthen(lines, constants, change) for change in changes]):
            return "-" if round == 0 else f"not in round {round}"
    return f"not in round {FIX_ROUNDS}"


def under_sc(bench, entry, program):
    report = bench.run("test", program, "-m", "sc", "-n", str(RUNS), "--explain", "none")
    found = shown(entry, report)
    if not found:
        return "no"
    return "yes" if any(finding["kind"] != "race" for finding in found) else "race only"


def by_verify(bench, entry, program, seconds):
    report = bench.run("verify", program, "--time", str(seconds), "--explain", "none")
    if shown(entry, report):
        return f"{report['executions'] + report['blocked']:,}"
    return "no" if report["all_explored"] else f"not in {seconds} s"


def by_thread_sanitizer(program, most):
    """In how many runs ThreadSanitizer, a hang or a crash showed a bug, of how many runs, and how many of them hung."""
    start, runs, found, hangs = time.monotonic(), 0, 0, 0
    while runs < most and time.monotonic() - start < TSAN_SECONDS:
        runs += 1
        try:
            found += subprocess.run([program], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=TSAN_HANGS).returncode != 0
        except subprocess.TimeoutExpired:
            found += 1
            hangs += 1
    return found, runs, hangs


def beside(bench, entry):
    """What ThreadSanitizer says of the same program, and whether it says the same of the mended one."""
    found, runs, hangs = by_thread_sanitizer(bench.compile(entry, "tsan"), TSAN_RUNS)
    text = f"{found} of {runs}" + (", by a hang" if hangs else "")
    mended = bench.compile(entry, "tsan-mended") if found else None
    if mended and by_thread_sanitizer(mended, 20)[0]:
        text += ", mended too"
    return text


def examine(bench, entry, options):
    """The figures of an entry, and what is not as it should be."""
    problems, row = [], {"name": entry.name}
    broken = bench.compile(entry, "broken")
    finds = find(bench, entry, broken, options.seeds)
    hits = [one for one in finds if one]
    row["found"], row["seeds"] = len(hits), len(finds)
    if hits:
        row["executions"] = sorted(one[0] for one in hits)[len(hits) // 2]
        row["seconds"] = sorted(one[1] for one in hits)[len(hits) // 2]
    if len(hits) < len(finds) and not entry.test_misses:
        problems.append(f"found for {len(hits)} of {len(finds)} seeds")
    if not options.quick or entry.test_misses:
        row["verify"] = by_verify(bench, entry, broken, options.verify_seconds)
        if entry.test_misses and not row["verify"][0].isdigit():
            problems.append("neither heddle test nor heddle verify finds the bug")
    if not options.quick:
        row["fix"] = reported_fix(bench, entry, broken)
        row["cured"] = "-" if entry.header else cured_by_fixes(bench, entry)
        row["order_fix"], row["order_cure"] = ("-", "-") if entry.kind != "weak-memory" else order_fix(bench, entry, compile_source(bench), RUNS)
        row["sc"] = under_sc(bench, entry, broken)
        row["tsan"] = beside(bench, entry)
        upstream = bench.compile(entry, "upstream")
        if upstream:
            row["upstream"] = len(shown(entry, bench.run("test", upstream, "-n", str(RUNS), "--explain", "none"))) > 0
    mended = bench.compile(entry, "mended")
    row["mended"] = "none"
    if mended:
        wrong, row["mended"] = clean(bench, entry, mended, options.quick)
        if wrong:
            problems.append(f"the mended program is not clean: {wrong}")
    return row, problems


def table(entries, rows):
    lines = ["| bug | kind | seeds | executions | seconds | verify | `-m sc` | ThreadSanitizer | reported fix | cures | `heddle fix` | cures | mended |",
             "|---|---|---|---|---|---|---|---|---|---|---|---|---|"]
    for entry, row in zip(entries, rows):
        executions = f"{row['executions']:,}" if "executions" in row else "-"
        seconds = f"{row['seconds']:.2f}" if "seconds" in row else "-"
        lines.append(f"| [{entry.name}](../benchmarks/real_bugs/{entry.name}/README.md) | {entry.kind} | {row['found']}/{row['seeds']} | {executions} "
                     f"| {seconds} | {row['verify']} | {row['sc']} | {row['tsan']} | {row['fix']} | {row['cured']} | {row['order_fix']} "
                     f"| {row['order_cure']} | {row['mended']} |")
    return "\n".join(lines)


def update_page(text):
    page = PAGE.read_text()
    head, rest = page.split(BEGIN)
    PAGE.write_text(f"{head}{BEGIN}\n\n{text}\n\n{END}{rest.split(END)[1]}")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", help="the heddle command")
    parser.add_argument("--build", type=pathlib.Path, help="the build folder, instead of --heddle")
    parser.add_argument("--cache", help=argparse.SUPPRESS)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("-j", "--jobs", type=int, default=1, help="entries that are examined at the same time")
    parser.add_argument("--quick", action="store_true", help="one seed, and only what must hold")
    parser.add_argument("--verify-seconds", type=int, default=20, help="end the search of a broken program after this time")
    parser.add_argument("--json", type=pathlib.Path, help="write the figures to this file")
    parser.add_argument("--update", action="store_true", help="write the table into docs/real-bugs.md")
    parser.add_argument("names", nargs="*", help="entries; all by default")
    options = parser.parse_args()
    if not options.heddle:
        if not options.build:
            parser.error("give --heddle or --build")
        options.heddle = options.build / "bin" / "heddle"
    if options.quick:
        options.seeds = 1
    return options


def main():
    options = arguments()
    entries = [Entry(folder.parent) for folder in sorted(HERE.glob("*/bug.json"))]
    unknown = set(options.names) - {entry.name for entry in entries}
    if unknown:
        sys.exit(f"there is no entry {', '.join(sorted(unknown))}")
    if options.names:
        entries = [entry for entry in entries if entry.name in options.names]
    for entry in entries:
        if entry.missing():
            print(f"{entry.name}: skipped, {entry.missing()}", flush=True)
    entries = [entry for entry in entries if not entry.missing()]
    start, failures = time.monotonic(), []

    def run(entry):
        row, problems = examine(Bench(options.heddle, folder / entry.name, builder), entry, options)
        figures = ", ".join(f"{key} {value}" for key, value in row.items() if key != "name")
        print(f"{entry.name}: {'; '.join(problems) or 'as expected'} ({figures})", flush=True)
        failures.extend([entry] if problems else [])
        return row

    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        folder = pathlib.Path(name)
        builder = Heddle(pathlib.Path(options.heddle).parent.parent, folder)
        rows = list(pool.map(run, entries))
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2) + "\n")
    if options.update:
        update_page(table(entries, rows))
    print(f"{len(entries)} bugs, {len(failures)} not as expected, {time.monotonic() - start:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
