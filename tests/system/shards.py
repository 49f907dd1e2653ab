#!/usr/bin/env python3
"""Shards of a campaign, merged by heddle merge: the same result as one campaign. A shard that is damaged, foreign, there twice or
missing is refused or reported, and the rest is merged.
"""

import json
import pathlib
import shutil
import sys

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from heddle_tool import Failure, run_checks, without  # noqa: E402

SAMPLING = ["random", "pct:d=3,k=20", "pctwm:d=2,k=10,h=2", "pos"]
LEARNING = ["auto", "fuzz", "pctwm"]
# Program of benchmarks/verify, its flags, arguments, options.
SEARCHES = [
    ("synthetic", [], ["writers", 6], []), ("ttas_lock", [], [4], []), ("mcs_lock", [], [3], []), ("ms_queue", [], [2], []),
    ("seqlock", [], [3], []), ("ticket_lock", ["-DBROKEN"], [3], []), ("treiber_stack", ["-DBROKEN"], [3], []),
    ("ttas_lock", ["-DBROKEN"], [3], ["--keep-going"]), ("ttas_lock", [], [3], ["-m", "sc", "--symmetry"]),
]
FLAGS = ["-std=c++20", "-O2", "-g"]


def expect(condition, run):
    if not condition:
        raise Failure(run.describe())


class Campaign:
    """One command line, run as a whole and in shards."""

    def __init__(self, heddle, folder, command, options, program, words=()):
        self.heddle, self.folder, self.command = heddle, folder, command
        self.options, self.program, self.words = options, program, words

    def run(self, out, *more):
        path = self.folder / "result.json"
        path.unlink(missing_ok=True)
        run = self.heddle.run(self.command, *self.options, *more, "--json", path, "--out", out, self.program, *self.words)
        expect(path.exists(), run)
        return run.code, without(json.loads(path.read_text()), "seconds", "rate")

    def whole(self):
        return self.run(self.folder / "whole")

    def shards(self, count, *more):
        """The folders of all shards. Some of them use several workers."""
        folders = []
        for index in range(1, count + 1):
            folders.append(self.folder / f"shard{index}")
            shutil.rmtree(folders[-1], ignore_errors=True)
            run = self.heddle.run(self.command, *self.options, "--shard", f"{index}/{count}", "-j", 1 + index % 2, *more,
                                  "--out", folders[-1], "--quiet", self.program, *self.words)
            expect(run.code in (0, 1), run)
        return folders

    def merge(self, folders, *more):
        path = self.folder / "merged.json"
        path.unlink(missing_ok=True)
        shutil.rmtree(self.folder / "merged", ignore_errors=True)
        run = self.heddle.run("merge", "--json", path, "--out", self.folder / "merged", *more, *folders)
        run.result = without(json.loads(path.read_text()), "seconds", "rate") if path.exists() else {}
        return run

    def check(self, counts, alone=False):
        """Merged shards are one campaign. Returns its result. `alone`: that of a campaign with one shard."""
        expected = self.whole()
        if alone:
            merged = self.merge(self.shards(1))
            expected = merged.code, merged.result
        for count in counts:
            merged = self.merge(self.shards(count))
            if (merged.code, merged.result) != expected:
                differing = [key for key in {*merged.result, *expected[1]}
                             if merged.result.get(key) != expected[1].get(key)]
                details = {key: (expected[1].get(key), merged.result.get(key)) for key in differing}
                raise Failure(f"{self.options} {self.program.name} in {count} shards: {details}\n{merged.describe()}")
        return expected


def check_sampling(heddle, folder, program, counts):
    for strategy in SAMPLING:
        code, result = Campaign(heddle, folder, "test", ["-s", strategy, "-n", 300, "--explain", "none"], program).check(counts or (1, 3, 8))
        if code != 1 or not result["findings"]:
            raise Failure(f"{strategy} finds no bug")
    # With explanations, more shards than executions, and traces that replay.
    campaign = Campaign(heddle, folder, "test", ["-s", "random", "-n", 40, "--seed", 3], program)
    campaign.check((5,))
    run = heddle.run("replay", next((folder / "merged").glob("*.trace")))
    expect(run.code == 1, run)
    Campaign(heddle, folder, "test", ["-s", "random", "-n", 3, "--explain", "none"], program).check((8,))
    Campaign(heddle, folder, "test", ["-s", "random", "-n", 100, "--isolation", "fork", "--explain", "none"], program).check((3,))


def check_stop_on_bug(heddle, folder, program):
    """The first bug is the same. What was executed behind it is not."""
    campaign = Campaign(heddle, folder, "test", ["-s", "random", "-n", 300, "--stop-on-bug", "--explain", "none"], program)
    code, result = campaign.whole()
    merged = campaign.merge(campaign.shards(4))
    for key in ("executions", "buggy", "findings"):
        expect(merged.result[key] == result[key], merged)
    expect(code == merged.code == 1, merged)


def check_learning(heddle, folder, program):
    """Each shard learns by itself: every execution is there once, and the findings are those of the program."""
    for strategy in LEARNING:
        campaign = Campaign(heddle, folder, "test", ["-s", strategy, "-n", 300, "--explain", "none"], program)
        merged = campaign.merge(campaign.shards(3))
        expect(merged.code == 1 and merged.result["executions"] == 300, merged)
        expect(sum(part["executions"] for part in merged.result["learnt"].get("strategy", [])) in (0, 300), merged)


def check_suppressions(heddle, folder, program):
    rules = folder / "rules"
    rules.write_text("race:*\nassert:*\n")
    options = ["-s", "random", "-n", 100, "--suppressions", rules, "--explain", "none"]
    campaign = Campaign(heddle, folder, "test", options, program)
    expected = campaign.whole()
    folders = campaign.shards(3)
    rules.unlink()
    merged = campaign.merge(folders)
    expect((merged.code, merged.result) == expected and merged.result["suppressed"], merged)


def check_searches(heddle, folder, counts):
    for name, flags, words, options in SEARCHES:
        program = heddle.compile(ROOT / "benchmarks" / "verify" / f"{name}.cpp", flags=[*FLAGS, *flags])
        campaign = Campaign(heddle, folder, "verify", [*options, "--explain", "none"], program, words)
        # A search that continues after a race begins again with the accesses as events. Shards, which are parts of one
        # search, do not. No race lets a search be a proof.
        code, result = campaign.check(counts or ((2, 8) if name == "synthetic" else (3,)), "--keep-going" in options)
        if code != (1 if flags else 0) or result["all_explored"] == bool(flags):
            raise Failure(f"{name} {words}: exit code {code}: {json.dumps(result)}")
    program = heddle.compile(ROOT / "benchmarks" / "verify" / "synthetic.cpp", flags=FLAGS)
    campaign = Campaign(heddle, folder, "verify", [], program, ["writers", 7])
    folders = campaign.shards(4)
    merged = campaign.merge(folders[:2] + folders[3:])
    expect(merged.code == 3 and not merged.result["all_explored"] and "1 of 4 shards are missing" in merged.output, merged)


def check_refused(heddle, folder, program, other):
    """Every kind of bad shard is named, and the rest is merged."""
    campaign = Campaign(heddle, folder, "test", ["-s", "random", "-n", 200, "--explain", "none"], program)
    expected = campaign.whole()
    folders = campaign.shards(4)
    file = folders[1] / "shard-2-of-4.heddle"
    good = file.read_bytes()
    changed = bytearray(good)
    changed[len(good) // 2] ^= 1
    for content, sentence in [(good[: len(good) // 2], "is truncated"), (bytes(changed), "is corrupted"), (b"", "is not the result"),
                              (b"heddlesh", "is truncated"), (b"other", "is not the result"), (good + b"x", "is corrupted"),
                              (good[:8] + b"\x63" + good[9:], "has the format 99")]:
        file.write_bytes(content)
        merged = campaign.merge(folders)
        expect(sentence in merged.output and "1 of 4 shards are missing: 2" in merged.output, merged)
        expect(merged.code == 1 and merged.result["executions"] == 150 and merged.result["incomplete"], merged)
    file.unlink()
    merged = campaign.merge(folders)
    expect("has no result of a shard" in merged.output and merged.result["executions"] == 150, merged)
    file.write_bytes(good)

    # A shard twice, one of another seed, program, number of shards: the result is complete without them.
    strangers = folder / "strangers"
    shutil.rmtree(strangers, ignore_errors=True)
    calls = [(["-s", "random", "-n", 200, "--seed", 2], "1/4", program, "its --seed is 2, and not 1"),
             (["-s", "pos", "-n", 200], "1/4", program, "its --strategy is pos, and not random"),
             (["-s", "random", "-n", 200], "1/4", other, "another program or build"),
             (["-s", "random", "-n", 200], "1/5", program, "it is one of 5 shards, and not of 4")]
    for number, (options, shard, binary, sentence) in enumerate(calls):
        out = strangers / str(number)
        heddle.run("test", *options, "--explain", "none", "--shard", shard, "--quiet", "--out", out, binary)
        merged = campaign.merge([out, *folders])
        expect(sentence in merged.output and (merged.code, merged.result) == expected, merged)
    merged = campaign.merge([*folders, folders[2]])
    expect("once more" in merged.output and (merged.code, merged.result) == expected, merged)
    for arguments, code, sentence in [((), 2, "nothing to merge"), ((folder / "nowhere",), 3, "there is no shard to merge"),
                                      ((strangers,), 3, "there is no shard to merge"), (("--json",), 2, "needs")]:
        run = heddle.run("merge", *arguments)
        expect(run.code == code and sentence in run.output, run)

    # The program has gone: the findings are there, and are not explained.
    moved = folder / "moved"
    shutil.copy(program, moved)
    campaign = Campaign(heddle, folder, "test", ["-s", "random", "-n", 40], moved)
    expected = campaign.whole()
    folders = campaign.shards(2)
    shutil.move(moved, folder / "elsewhere")
    merged = campaign.merge(folders)
    expect("are not explained" in merged.output and merged.code == 1 and merged.result["findings"][0]["stack" if "stack" in
           merged.result["findings"][0] else "accesses"], merged)
    merged = campaign.merge(folders, "--program", folder / "elsewhere")  # the frames name the file that was run again
    expect(merged.code == expected[0] and merged.result["findings"][0]["explanation"] == expected[1]["findings"][0]["explanation"],
           merged)
    merged = campaign.merge(folders, "--program", other)
    expect(merged.code == 2 and "another build" in merged.output, merged)


def check_usage(heddle, program):
    for command, options, sentence in [
            ("test", ["--shard", "0/3"], "write I/N"), ("test", ["--shard", "4/3"], "write I/N"), ("test", ["--shard", "2"], "write I/N"),
            ("test", ["--shard", "1/2/3"], "write I/N"), ("test", ["--shard", ""], "needs a value"),
            ("verify", ["--shard", "1/2", "-n", 5], "takes no --runs"), ("verify", ["--shard", "1/2", "--bound", "auto"], "takes no --shard"),
            ("verify", ["--shard", "1/2", "-m", "c11"], "does not take --shard 1/2")]:
        run = heddle.run(command, *options, program)
        expect(run.code == 2 and sentence in run.output, run)


def check_all(heddle, folder, arguments):
    counts = range(1, 9) if arguments.all else None
    program = heddle.compile(ROOT / "examples" / "seqlock_broken.cpp", flags=FLAGS)
    other = heddle.compile(ROOT / "examples" / "message_passing_relaxed.cpp", flags=FLAGS)
    check_usage(heddle, program)
    check_sampling(heddle, folder, program, counts)
    check_stop_on_bug(heddle, folder, program)
    check_learning(heddle, folder, program)
    check_suppressions(heddle, folder, program)
    check_searches(heddle, folder, counts)
    check_refused(heddle, folder, program, other)


def options(parser):
    parser.add_argument("--all", action="store_true", help="every number of shards from 1 to 8")


if __name__ == "__main__":
    sys.exit(run_checks(__doc__, check_all, options))
