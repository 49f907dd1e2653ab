#!/usr/bin/env python3
"""heddle minimize, and how simple the executions are that it leaves.

For programs of tests/programs/wrong and benchmarks/programs, a trace is minimised. The result must be no worse than the
trace, show the same finding when it is replayed in another process, be the same when it is made again, and have at most as
many context switches as the bound says: the depth of the bug (taken as 2 where it is not known) and the number of threads.
The explanations of the trace and of the result must be about the same bytes, and their causes must name the same variables.

  minimize.py --build BUILD [--all]     --all: every program, with a table of what was reached
"""

import argparse
import json
import pathlib
import re
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))
from heddle_tool import Failure, Heddle  # noqa: E402
from program_head import ProgramHead  # noqa: E402

USUAL = ["assert_check_then_act", "assert_iriw_relaxed", "assert_store_buffering_volatile", "c11_lost_wakeup",
         "deadlock_three_threads", "race_counter", "race_trylock_ignored", "use_after_free"]
USUAL_DEPTH = 2
# Programs that need more switches than the bound, with the number that they reach and why.
DEEPER = {
    "race_server": (13, "clients and a server talk through sockets: each message is a switch"),
    "assert_thread_id_slots": (8, "threads create threads and join them, so a run of one after another takes 8 switches"),
    "deadlock_server": (15, "clients and a server talk through sockets: each message is a switch"),
}
# Programs in whose simplest execution fewer variables play a part, and why.
SIMPLER_CAUSE = {}
WITHOUT = {"limit", "leak", "livelock"}  # kinds that are not minimised
COUNTS = re.compile(r"(before|now): +(\d+) context switches, (\d+) stale reads, (\d+) events")


def minimised(heddle, trace, output):
    done = heddle.run("minimize", trace, "-o", output)
    counts = {match[1]: tuple(map(int, match.groups()[1:])) for match in COUNTS.finditer(done.output)}
    if done.code != 1 or set(counts) != {"before", "now"}:
        raise Failure(f"heddle minimize failed\n{done.describe()}")
    return counts["before"], counts["now"]


def threads_of(heddle, trace, folder):
    done = heddle.run("replay", "--json", folder / "replay.json", trace)
    if done.code != 1:
        raise Failure(f"the minimised trace does not show the finding\n{done.describe()}")
    findings = json.loads((folder / "replay.json").read_text())["findings"]
    return max(f["explanation"]["minimal"]["threads"] for f in findings if "minimal" in f.get("explanation", {}))


def cost(counts):
    """An execution without stale reads is simpler than any with."""
    return (counts[1] != 0, *counts)


def named(heddle, trace, folder):
    """What the explanation of a trace is about: the bytes that race, and the variables that its cause names."""
    done = heddle.run("replay", "--json", folder / "replay.json", trace)
    if done.code != 1:
        raise Failure(f"the trace does not show the finding\n{done.describe()}")
    findings = json.loads((folder / "replay.json").read_text())["findings"]
    finding = next(f for f in findings if "cause" in f.get("explanation", {}))
    def bytes_of(access):
        block = finding.get("object", {}).get("offset", 0)
        return access.get("symbol"), access.get("offset", 0), block, access["size"], access["stack"][0].get("line")
    accesses = sorted(map(str, map(bytes_of, finding.get("accesses", []))))
    return accesses, sorted(set(re.findall("`([^`]+)`", finding["explanation"]["cause"]))), done


def check_same_explanation(heddle, name, before, after, folder):
    """Minimising must not turn a right explanation into a wrong one."""
    (bytes_before, names_before, first), (bytes_after, names_after, second) = (
        named(heddle, trace, folder) for trace in (before, after))
    if bytes_before != bytes_after:
        raise Failure(f"{name}: other bytes race: {bytes_before}, {bytes_after}\n{first.describe()}\n{second.describe()}")
    if names_before != names_after and name not in SIMPLER_CAUSE:
        raise Failure(f"{name}: the causes name {names_before} and {names_after}\n{first.describe()}\n{second.describe()}")


def check(heddle, source, program, options, arguments, kinds):
    with tempfile.TemporaryDirectory(prefix="heddle-minimize-") as name:
        folder = pathlib.Path(name)
        done = heddle.run("test", "--seed", "1", "--explain", "none", "--out", folder, "--json", folder / "json", *options,
                          program, *arguments)
        findings = json.loads((folder / "json").read_text())["findings"] if (folder / "json").exists() else []
        found = next((f for f in findings if "trace" in f and f["kind"] not in WITHOUT and f["kind"] in kinds), None)
        if found is None:
            return None
        before, now = minimised(heddle, found["trace"], folder / "small.trace")
        if cost(now) > cost(before):
            raise Failure(f"{source.stem}: {before} became {now}\n{done.describe()}")
        _, again = minimised(heddle, found["trace"], folder / "again.trace")
        if (folder / "small.trace").read_bytes() != (folder / "again.trace").read_bytes():
            raise Failure(f"{source.stem}: two searches differ: {now}, {again}")
        if source.parent.name == "wrong":
            check_same_explanation(heddle, source.stem, found["trace"], folder / "small.trace", folder)
        threads = threads_of(heddle, folder / "small.trace", folder)
        bound = DEEPER.get(source.stem, (USUAL_DEPTH + threads,))[0]
        if now[0] > bound:
            raise Failure(f"{source.stem}: {now[0]} context switches, but the bound is {bound} ({threads} threads)")
        return found["kind"], before, now, threads


def subjects(everything):
    for source in sorted((ROOT / "tests/programs/wrong").iterdir()):
        if source.suffix in (".c", ".cpp") and (everything or source.stem in USUAL):
            head = ProgramHead(source)
            yield source, head.flags, ["-n", head.runs, *head.options], head.arguments, head.one_of
    if everything:
        for source in sorted(path for name in ("buggy", "small") for path in (ROOT / "benchmarks/programs" / name).rglob("*")):
            if source.suffix in (".c", ".cpp"):
                flags = ["-std=gnu11" if source.suffix == ".c" else "-std=c++20", "-O1", "-g", "-w"]
                yield source, flags, ["-n", "2000"], [], ["race", "assert", "crash", "use-after-free", "deadlock"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--cache", help="where programs are built; below the build folder by default")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    heddle = Heddle(options.build, options.cache or pathlib.Path(options.build) / "tests" / "cache")
    failures, count = [], 0
    for source, flags, run_options, arguments, kinds in subjects(options.all):
        try:
            result = check(heddle, source, heddle.compile(source, flags=flags), run_options, arguments, kinds)
            count += result is not None
            if result and options.all:
                kind, before, now, threads = result
                print(f"{source.stem:40} {kind:16} threads {threads}: switches, stale reads, events {before} -> {now}")
        except Failure as failure:
            failures.append(str(failure))
    print(f"{count} traces minimised")
    for failure in failures:
        print(failure)
    return 1 if failures or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
