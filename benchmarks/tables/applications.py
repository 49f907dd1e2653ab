#!/usr/bin/env python3
"""What an execution of code that nobody here wrote costs under pct, pctwm and fuzz, as a ratio to random, in CPU time: table 4 of the
PCTWM paper, table 7.8 of the thesis behind it, and table 4.7 of the thesis on fuzzing. Their applications (Silo, Mabain, Iris) are no
Debian packages; the drivers of tests/third_party/ stand for them: spdlog's asynchronous logger for Iris, libraries of concurrent data structures for
the other two. Writes applications.json to --out.
"""
import argparse
import json
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import page  # noqa: E402

DRIVERS = pathlib.Path(__file__).resolve().parent.parent.parent / "tests" / "third_party"
STRATEGIES = ("random", "pct", "pctwm", "fuzz")
# Times as ratios to C11Tester's, on one core; of Silo, the inverse of the operations a second.
PAPERS = {
    "Silo (table 7.8)": (None, 12428 / 12763, 12428 / 11039, None),
    "Mabain (table 7.8)": (None, 8.92 / 7.73, 8.43 / 7.73, None),
    "Iris (table 7.8)": (None, 12.86 / 10.98, 12.79 / 10.98, None),
    "Iris (table 4.7 of the thesis on fuzzing)": (None, None, None, (8.9 + 40.5) / (1.5 + 39.51)),
}
PROGRAMS = {
    "spdlog, asynchronous logger": "spdlog_async", "moodycamel::BlockingConcurrentQueue": "moodycamel_blocking_queue",
    "atomic_queue": "atomic_queue", "oneTBB concurrent_hash_map": "tbb_concurrent_hash_map",
}
ROUNDS = 2


def build(heddle, name, folder):
    source, binary = DRIVERS / f"{name}.cpp", folder / name
    flags = re.search(r"^// heddle-flags: (.*)$", source.read_text(), re.MULTILINE)
    subprocess.run([heddle, "c++", "-std=c++20", "-O1", source, "-o", binary, *(flags[1].split() if flags else [])], check=True)
    return binary


def campaign(heddle, binary, strategy, runs, folder):
    """CPU seconds and the JSON of a campaign."""
    result = folder / "result.json"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run([heddle, "test", "-q", "--explain", "none", "-j", "1", "-s", strategy, "-n", str(runs), "--seed", "1",
                          "--json", result, "--out", folder / "out", binary],
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode not in (0, 1):
        sys.exit(f"heddle test -s {strategy} {binary.name} ended with exit code {run.returncode}: {run.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, json.loads(result.read_text())


def measure(heddle, binary, runs, folder):
    """For each strategy, CPU seconds and events of an execution. The strategies take turns, and the best of the rounds counts."""
    best, events = {}, {}
    for _ in range(ROUNDS):
        for strategy in STRATEGIES:
            start, _ = campaign(heddle, binary, strategy, 1, folder)
            seconds, result = campaign(heddle, binary, strategy, runs, folder)
            best[strategy] = min(best.get(strategy, seconds), max(seconds - start, 1e-9) / result["executions"])
            events[strategy] = result["events"] / result["executions"]
    return best, events


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", required=True, type=pathlib.Path, help="the heddle command")
    parser.add_argument("--out", required=True, type=pathlib.Path, help="folder for applications.json")
    parser.add_argument("-n", "--runs", type=int, default=200, help="executions of each [200]")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    rows, results = [], {}
    for name, ratios in PAPERS.items():
        rows.append((name, "", "", *("" if ratio is None else f"{ratio:.2f}" for ratio in ratios[1:])))
    with tempfile.TemporaryDirectory(prefix="heddle-tables-") as name:
        folder = pathlib.Path(name)
        for title, source in PROGRAMS.items():
            seconds, events = measure(options.heddle.resolve(), build(options.heddle.resolve(), source, folder), options.runs, folder)
            results[title] = {"seconds": seconds, "events": events}
            rows.append((title, f"{1e6 * seconds['random']:.0f}", f"{events['random']:.0f}",
                         *(f"{seconds[s] / seconds['random']:.2f}" for s in STRATEGIES[1:])))
    page.table("applications", ["CPU time of an execution as a ratio to random's", "`random`, us", "events", *(f"`{s}`" for s in STRATEGIES[1:])],
               rows)
    (options.out / "applications.json").write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
