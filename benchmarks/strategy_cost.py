#!/usr/bin/env python3
"""What an execution costs under pct, pctwm, pos and auto, as a ratio to random, for the programs of the PCTWM paper (the corrected
ones: a report would be measured too).

CPU time of whole campaigns, less that of a campaign of one execution; the strategies take turns, and the best of several rounds
counts. Strategies differ in how many events an execution has (who waits, waits longer under priorities): the ratio per
event stands beside the ratio per execution.
"""
import argparse
import json
import pathlib
import resource
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "tables"))
import paper  # noqa: E402


def cpu_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def strategies_of(program):
    d, k, _ = paper.FIGURE_5[program.name]["pct"]
    d_wm, k_com, h, _ = paper.FIGURE_5[program.name]["pctwm"]
    return {"random": "random", "pct": f"pct:d={d},k={k}", "pctwm": f"pctwm:d={d_wm},k={k_com},h={h}", "pos": "pos", "auto": "auto"}


def measure(heddle, program, kind, runs, rounds, folder):
    """{strategy: (seconds, events) of an execution}."""
    binary = folder / f"{kind}-{program.name}"
    subprocess.run([heddle, "c++", "-std=c++20", "-O2", HERE / "programs" / kind / f"{program.name}.cpp", "-o", binary], check=True)
    result = folder / "result.json"
    best, events = {}, {}
    for _ in range(rounds):
        for name, strategy in strategies_of(program).items():
            common = [heddle, "test", "-q", "-s", strategy, "--isolation", "reset", "--json", result, "--out", folder / "out"]
            start = cpu_seconds([*common, "-n", "1", binary])
            seconds = cpu_seconds([*common, "-n", str(runs), binary]) - start
            figures = json.loads(result.read_text())
            executed = figures["executions"]
            if executed < runs:
                continue  # auto stops where it has seen all executions: the time is that of its search
            best[name] = min(best.get(name, seconds / executed), seconds / executed)
            events[name] = figures["events"] / executed
    return {name: (best[name], events[name]) for name in best}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", required=True, help="the heddle command")
    parser.add_argument("-n", "--runs", type=int, default=20000, help="executions of a campaign [20000]")
    parser.add_argument("--rounds", type=int, default=5, help="campaigns of each strategy [5]")
    parser.add_argument("--programs", choices=["fixed", "buggy"], default="fixed", help="[fixed]")
    parser.add_argument("--json", help="write the figures to this file")
    options = parser.parse_args()
    rows, sums = [], {}
    print(f"{'':<13}{'random':>18}" + "".join(f"{name:>24}" for name in ("pct", "pctwm", "pos", "auto")))
    print(f"{'':<13}{'us, events':>18}" + f"{'execution, event':>24}" * 4)
    with tempfile.TemporaryDirectory() as folder:
        for program in paper.PROGRAMS:
            figures = measure(options.heddle, program, options.programs, options.runs, options.rounds, pathlib.Path(folder))
            seconds, events = figures["random"]
            line = f"{program.name:<13}{1e6 * seconds:>10.2f} {events:>7.1f}"
            for name in ("pct", "pctwm", "pos", "auto"):
                if name not in figures:
                    line += f"{'ends early':>24}"
                    continue
                own_seconds, own_events = figures[name]
                ratio = own_seconds / seconds
                sums.setdefault(name, []).append(ratio)
                line += f"{ratio:>17.2f} {ratio * events / own_events:>6.2f}"
            print(line, flush=True)
            rows.append({"program": program.name, **{name: {"seconds": s, "events": e} for name, (s, e) in figures.items()}})
    print(f"{'average':<13}{'':>18}" + "".join(f"{sum(ratios) / len(ratios):>17.2f}{'':>7}" for ratios in sums.values()))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
