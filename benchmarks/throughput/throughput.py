#!/usr/bin/env python3
"""How fast heddle is, as ratios.

Machines are shared and noisy: figures are of processor time, each the best of several short rounds, with the measurements
that are compared taking turns; and the ratios are what counts. Every program is measured

  under heddle     each strategy and isolation that applies: executions a second, ns a visible event
  bare             the same instrumented program on fibers alone (bare_runtime.hpp): no model, no races, no record
  tsan, native     for programs of plain accesses: under the compiler's own ThreadSanitizer, and as it is, on one processor

--compare shows the change against the ratios of another run; the committed one is baseline.json.
"""
import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FIXED = ROOT / "benchmarks" / "programs" / "fixed"
NINE = ["barrier", "cldeque", "dekker", "linuxrwlocks", "mcslock", "mpmcqueue", "msqueue", "rwlock", "seqlock"]
SAMPLED = [("random", "reset"), ("pctwm", "reset"), ("random", "fork")]
LENGTHS = (10_000, 10_000_000)
QUEUE_NODES = 2_000_000


class Bench:
    def __init__(self, heddle, folder, rounds):
        self.heddle, self.folder, self.rounds = heddle, folder, rounds
        self.objects = {}
        self.start_up = {}

    def run(self, *words, **more):
        return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True, **more)

    # ---- building ---------------------------------------------------------------------------------------------

    @staticmethod
    def language(source):
        return ("cc", ["-std=gnu11"]) if source.suffix == ".c" else ("c++", ["-std=c++20"])

    def build(self, source):
        """The program for heddle."""
        command, options = self.language(source)
        binary = self.folder / f"{source.parent.name}-{source.stem}"
        self.run(self.heddle, command, "-O2", "-w", *options, source, "-o", binary)
        return binary

    def compiled(self, source, *flags):
        path = self.folder / (source.name + "".join(flags).replace("/", "_") + ".o")
        if path not in self.objects:
            command = "gcc" if source.suffix == ".c" else "g++"
            self.run(command, "-O2", "-w", *self.language(source)[1], *flags, f"-I{ROOT}/src", "-c", source, "-o", path)
            self.objects[path] = True
        return path

    def renamed(self, source, *flags):
        """The program's object, its main called program_main."""
        path = self.compiled(source, *flags)
        self.run("objcopy", "--redefine-sym", "main=program_main", path)
        return path

    def bare_parts(self):
        return [self.compiled(HERE / "bare_runtime.cpp"), self.compiled(ROOT / "src/engine/isolation/thread_pointer.cpp")]

    def link(self, name, objects, *libraries):
        binary = self.folder / name
        self.run("g++", *objects, "-o", binary, "-Wl,-z,now", "-pthread", *libraries)
        return binary

    def bare(self, source):
        objects = [self.renamed(source, "-fsanitize=thread", "-Wno-tsan"), self.compiled(HERE / "bare_main.cpp")]
        return self.link(f"{source.stem}-bare", objects + self.bare_parts(), "-lboost_context", "-ldl")

    def alone(self, source, *flags):
        objects = [self.renamed(source, *flags), self.compiled(HERE / "repeat_main.c")]
        return self.link(f"{source.stem}{''.join(flags)}".replace("=", "-"), objects, *flags)

    # ---- measuring --------------------------------------------------------------------------------------------

    def campaign(self, binary, strategy, isolation, runs, *more):
        """Seconds an execution, events an execution, and how many there were. Without what a campaign of one costs."""
        if (binary, strategy) not in self.start_up:
            one = 1 if strategy != "exhaustive" else 0
            self.start_up[binary, strategy] = min(
                self.processor_time(binary, "random", isolation, one or 1)[0] for _ in range(3))
        seconds, figures = self.processor_time(binary, strategy, isolation, runs, *more)
        count = max(1, figures["executions"])
        seconds = max(seconds - self.start_up[binary, strategy], 1e-9)
        return seconds / count, figures["events"] / count, figures["executions"]

    def processor_time(self, binary, strategy, isolation, runs, *more, jobs=1):
        """Of the whole command, its workers included; and what it found."""
        result = self.folder / "result.json"
        words = [self.heddle, "test", "-q", "-j", jobs, "-s", strategy, "--json", result, "--out", self.folder / "out", *more]
        if strategy != "exhaustive":
            words += ["-n", runs, "--isolation", isolation]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([str(word) for word in [*words, binary]], check=False, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        figures = json.loads(result.read_text())
        result.unlink()
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, figures

    def whole(self, binary, runs, argument):
        """Processor time of a campaign, the most memory that one of its processes had at a time, and events."""
        result = self.folder / "whole.json"
        words = [self.heddle, "test", "-q", "--isolation", "reset", "-n", runs, "--max-events", 10**12, "--json", result,
                 "--out", self.folder / "out", binary, argument]
        with subprocess.Popen([str(word) for word in words], stdout=subprocess.DEVNULL) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, json.loads(result.read_text())["events"]

    def in_program(self, binary, runs):
        return json.loads(self.run(binary, runs, env=dict(os.environ, TSAN_OPTIONS="report_bugs=0")).stdout.splitlines()[0])

    def enough(self, binary, strategy, isolation, seconds=0.25):
        """As many executions as fill the time: one try of 50 tells how fast they are."""
        cost, _, _ = self.campaign(binary, strategy, isolation, 50)
        return max(50, min(200_000, int(seconds / max(cost, 1e-7))))

    def best(self, *measures, times=1):
        """The best of the rounds for each of the measures, which take turns; `times` as many rounds as usual."""
        results = [None] * len(measures)
        for _ in range(self.rounds * times):
            for i, measure in enumerate(measures):
                figure = measure()
                if results[i] is None or figure[0] < results[i][0]:
                    results[i] = figure
        return results


def per_execution(figures):
    return figures["seconds"] / figures["executions"], figures


def sampled(bench, name, source, out):
    """executions a second and ns an event, against the bare run."""
    binary, bare = bench.build(source), bench.bare(source)
    count = {kind: bench.enough(binary, *kind) for kind in SAMPLED}
    bare_runs = max(50, min(200_000, int(0.25 / max(1e-7, per_execution(bench.in_program(bare, 50))[0]))))
    results = bench.best(lambda: per_execution(bench.in_program(bare, bare_runs)),
                         *(lambda kind=kind: bench.campaign(binary, *kind, count[kind]) for kind in SAMPLED))
    bare_cost, bare_figures = results[0]
    print(f"{name:<18}{1 / bare_cost:>11.0f}/s bare", end="")
    for (strategy, isolation), (cost, events, _) in zip(SAMPLED, results[1:]):
        key = f"{name}.{strategy}.{isolation}"
        out[key] = {"per_second": 1 / cost, "to_bare": cost / bare_cost, "ns_per_event": cost * 1e9 / events,
                    "events": events, "event_to_round_trip": cost * 1e9 / events / bare_figures["round_trip_ns"]}
        print(f"  {strategy}/{isolation} {1 / cost:.0f}/s ({cost / bare_cost:.1f}x bare, {cost * 1e9 / events:.0f} ns an event)",
              end="")
    # For each event: the strategies do not run equally long executions.
    pctwm_to_random = (results[2][0] / results[2][1]) / (results[1][0] / results[1][1])
    out[f"{name}.pctwm_to_random"] = {"ratio": pctwm_to_random}
    print(f"  pctwm {pctwm_to_random:.2f}x random")


def explored(bench, name, source, out):
    binary = bench.build(source)
    (cost, _, count), = bench.best(lambda: bench.campaign(binary, "exhaustive", "reset", 0, "-t", "2"))
    out[f"{name}.exhaustive"] = {"per_second": 1 / cost}
    print(f"{name:<18}{1 / cost:>11.0f}/s exhaustive, {count} executions")


def checked(bench, out):
    source = HERE / "check_store_buffering.cpp"
    binary = bench.build(source)
    bare = bench.link("check-bare", [bench.compiled(source, "-fsanitize=thread", "-DHEDDLE_BARE"), *bench.bare_parts()],
                      "-lboost_context", "-ldl")
    # A tenth of a second each, and many: what else the machine does moves single rounds by a tenth.
    bare_result, result = bench.best(lambda: per_execution(bench.in_program(bare, 200_000)),
                                     lambda: per_execution(bench.in_program(binary, 100_000)), times=5)
    out["check"] = {"per_second": 1 / result[0], "to_bare": result[0] / bare_result[0]}
    print(f"{'heddle::check':<18}{1 / bare_result[0]:>11.0f}/s bare  {1 / result[0]:.0f}/s "
          f"({result[0] / bare_result[0]:.2f}x bare)")


def plain(bench, name, source, out):
    """Race checks against ThreadSanitizer's, as slowdowns of the program as it is."""
    binary, native, tsan, bare = (bench.build(source), bench.alone(source), bench.alone(source, "-fsanitize=thread"),
                                  bench.bare(source))
    accesses = bench.in_program(bare, 1)["plain"]
    runs = bench.enough(binary, "random", "reset")
    native_cost, tsan_cost, cost = (result[0] for result in bench.best(
        lambda: per_execution(bench.in_program(native, 300)), lambda: per_execution(bench.in_program(tsan, 30)),
        lambda: bench.campaign(binary, "random", "reset", runs)))
    out[f"{name}.plain"] = {"ns_per_access": cost * 1e9 / accesses, "to_tsan": cost / tsan_cost,
                            "slowdown": cost / native_cost, "tsan_slowdown": tsan_cost / native_cost}
    print(f"{name:<18}{accesses:>11.0f} plain accesses, {cost * 1e9 / accesses:.1f} ns each; slowdown "
          f"{cost / native_cost:.0f}, tsan's {tsan_cost / native_cost:.0f}: {cost / tsan_cost:.2f}x tsan")


def long(bench, out):
    """Cost and memory of an event as the execution grows."""
    source = HERE / "long_program.cpp"
    binary = bench.build(source)

    def one(length):
        runs = max(1, LENGTHS[1] // 20 // length)
        seconds, peak, events = bench.whole(binary, runs, length)
        return seconds / events, peak, events / runs

    short = min(one(LENGTHS[0]) for _ in range(bench.rounds))
    whole = one(LENGTHS[1])
    out["long"] = {"ns_per_event_short": short[0] * 1e9, "ns_per_event_long": whole[0] * 1e9,
                   "long_to_short": whole[0] / short[0], "peak_bytes": whole[1], "bytes_per_event": whole[1] / whole[2]}
    print(f"{'long program':<18}{short[0] * 1e9:>11.0f} ns an event in {LENGTHS[0]}, {whole[0] * 1e9:.0f} in {LENGTHS[1]}: "
          f"{whole[0] / short[0]:.2f}x; peak {whole[1] / 2**20:.0f} MiB, {whole[1] / whole[2]:.1f} bytes an event")


def queue(bench, out):
    """Memory of nodes that one thread allocates and another one frees."""
    seconds, peak, events = bench.whole(bench.build(HERE / "long_queue.cpp"), 1, QUEUE_NODES)
    out["queue"] = {"ns_per_event": seconds * 1e9 / events, "peak_bytes": peak, "bytes_per_event": peak / events}
    print(f"{'queue of nodes':<18}{seconds * 1e9 / events:>11.0f} ns an event; {QUEUE_NODES} nodes: peak {peak / 2**20:.0f} MiB, "
          f"{peak / events:.1f} bytes an event")


def jobs(bench, out):
    """Long enough that starting two processes does not count."""
    binary = bench.build(FIXED / "mpmcqueue.cpp")

    def wall(jobs):
        figures = bench.processor_time(binary, "random", "reset", 200_000, jobs=jobs)[1]
        return figures["seconds"] / figures["executions"], None

    one, two = bench.best(lambda: wall(1), lambda: wall(2))
    out["jobs"] = {"two_to_one": one[0] / two[0]}
    print(f"{'-j 2':<18}{one[0] / two[0]:>11.2f}x -j 1, by the clock: only an idle machine of two processors tells")


RATIOS = ("to_bare", "to_tsan", "ratio", "long_to_short", "two_to_one", "event_to_round_trip", "bytes_per_event")


def compare(out, path):
    """Ratios only: absolute figures are of the machine and the moment."""
    baseline = json.loads(pathlib.Path(path).read_text())
    print(f"\nagainst {path}:")
    for key in sorted(set(out) & set(baseline)):
        for ratio in RATIOS:
            if ratio in out[key] and ratio in baseline[key] and baseline[key][ratio]:
                now, then = out[key][ratio], baseline[key][ratio]
                change = (now / then - 1) * 100
                mark = "" if abs(change) < 15 else "  <<<"
                print(f"  {key + ' ' + ratio:<52}{then:>10.2f} -> {now:>8.2f} {change:>+6.0f} %{mark}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", required=True, type=pathlib.Path, help="the heddle command")
    parser.add_argument("--json", help="write the figures to this file")
    parser.add_argument("--compare", help="show the change against the figures in this file")
    parser.add_argument("--rounds", type=int, default=3, help="how often everything is measured (default 3)")
    parser.add_argument("--only", default="", help="sb, mp, nine, plain, long, check, exhaustive, jobs; separated by commas")
    options = parser.parse_args()
    wanted = options.only.split(",") if options.only else ["long", "check", "sb", "mp", "nine", "exhaustive", "plain", "jobs"]
    out = {}
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(options.heddle.resolve(), pathlib.Path(name), options.rounds)
        if "long" in wanted:
            long(bench, out)
            queue(bench, out)
        if "check" in wanted:
            checked(bench, out)
        if "sb" in wanted:
            sampled(bench, "store buffering", HERE / "store_buffering.c", out)
        if "mp" in wanted:
            sampled(bench, "message passing", HERE / "message_passing.cpp", out)
        if "nine" in wanted:
            for program in NINE:
                sampled(bench, program, FIXED / f"{program}.cpp", out)
            rates = [out[f"{program}.random.reset"]["per_second"] for program in NINE]
            out["nine"] = {"per_second": sum(rates) / len(rates)}
            print(f"{'the nine':<18}{out['nine']['per_second']:>11.0f}/s on average, random")
        if "exhaustive" in wanted:
            explored(bench, "cldeque", FIXED / "cldeque.cpp", out)
            explored(bench, "msqueue", FIXED / "msqueue.cpp", out)
        if "plain" in wanted:
            plain(bench, "hash table", HERE / "hash_table.cpp", out)
            plain(bench, "matrix", HERE / "matrix.cpp", out)
        if "jobs" in wanted:
            jobs(bench, out)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(out, indent=1, sort_keys=True) + "\n")
    if options.compare and pathlib.Path(options.compare).exists():
        compare(out, options.compare)
    return 0


if __name__ == "__main__":
    sys.exit(main())
