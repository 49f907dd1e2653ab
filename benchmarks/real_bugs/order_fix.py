"""What `heddle fix` says of an entry: whether an answer is the change of the project, and whether the program is right after `--apply`.

The programs choose between broken and mended orders by constants, which `--apply` does not change. So it gets a copy in which each constant is
replaced by its order.
"""
import json
import pathlib
import re
import shutil
import subprocess

SECONDS = 15
CONSTANT = re.compile(r"\b(\w+) = (std::memory_order_\w+)")


def with_orders_in_place(text):
    """The program with its broken orders in place of their names. Of two definitions the second one is that of the broken program."""
    orders = dict(found for line in text.splitlines() if line.startswith("constexpr auto") for found in CONSTANT.findall(line))
    lines = []
    for line in text.splitlines():
        if not line.startswith("constexpr auto"):
            for name, order in orders.items():
                line = re.sub(rf"\b{name}\b(?=[^\w]*[,)])", order, line)
        lines.append(line)
    return "\n".join(lines) + "\n"


def ask(bench, program, report, *options):
    """The result of heddle fix as JSON; None if it has none."""
    report.unlink(missing_ok=True)
    run = subprocess.run([bench.heddle, "fix", "--time", f"{SECONDS}s", "--json", report, "--out", bench.folder / "out", *options, program],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if run.returncode not in (0, 1, 3):
        raise SystemExit(f"heddle fix {program.name} ended with exit code {run.returncode}:\n{run.stdout}")
    return json.loads(report.read_text()) if report.exists() else None


def compare(answer, sites, lines):
    """Whether an answer changes the lines that the project changed."""
    places = {(pathlib.Path(sites[change["site"]]["file"]).name, sites[change["site"]]["line"]) for change in answer["changes"]}
    if places <= lines:
        return "same"
    return "in part" if places & lines else "elsewhere"


def verdict_of(result, lines):
    answers = result["answers"]
    verdicts = [compare(answer, result["sites"], lines) for answer in answers]
    for wanted in ("same", "in part"):
        if wanted in verdicts:
            position = verdicts.index(wanted)
            return wanted + (f", answer {position + 1} of {len(verdicts)}" if position else "")
    return "elsewhere"


def order_fix(bench, entry, compile_source, runs):
    """Two columns: how the answers of heddle fix compare with the change of the project, and whether the first answer cures the program."""
    folder = bench.folder / "order_fixes" / entry.name
    folder.mkdir(parents=True)
    shutil.copy(pathlib.Path(__file__).parent / "futex.hpp", folder.parent)
    source, program = folder / entry.source.name, folder / "program"
    source.write_text(with_orders_in_place(entry.source.read_text()))
    compile_source(entry, source, program)
    # Orders of the program first; fences where no order helps.
    for options in ((), ("--fences",)):
        result = ask(bench, program, folder / "fix.json", "--answers", "8", *options)
        if result and result["answers"]:
            break
    if not result or not result["answers"]:
        return "no answer", "-"
    verdict = verdict_of(result, entry.fix_lines())
    if options:
        verdict += " (a fence)"
    proved = "proved" if result["answers"][0]["proved"] else f"{runs:,} executions"
    if entry.header:
        text = result["answers"][0]["orders"]
        report = bench.run("test", program, "-n", str(runs), "--explain", "none", "--orders", text)
    else:
        ask(bench, program, folder / "fix.json", "--answers", "1", "--apply", *options)
        compile_source(entry, source, program)
        report = bench.run("test", program, "-n", str(runs), "--explain", "none")
    return verdict, f"yes, {proved}" if not report["findings"] else "no"
