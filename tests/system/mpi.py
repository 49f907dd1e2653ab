#!/usr/bin/env python3
"""heddle test and heddle verify under MPI: any number of ranks gives the result of one process. A rank or a launcher that is killed
costs work, and --resume continues to the same result. Skipped where there is no MPI.
"""

import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from heddle_tool import GUARD_SECONDS, Failure, Run, run_checks, without  # noqa: E402
from processes import await_end, descendants, kill, name_of  # noqa: E402

FLAGS = ["-std=c++20", "-O2", "-g"]
SKIPPED = 77
ENVIRONMENT = {**{name: value for name, value in os.environ.items() if not name.startswith("HEDDLE_MPI")}, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def expect(condition, text):
    if not condition:
        raise Failure(text)


class Mpi:
    """The launcher of one MPI library."""

    def __init__(self, flavour, heddle):
        self.flavour, self.heddle = flavour, heddle
        self.launcher = shutil.which(f"mpirun.{flavour}")
        self.plugin = heddle.library.parent / "heddle" / f"libheddle_mpi_{flavour}.so"

    def is_there(self):
        return self.launcher is not None and self.plugin.exists()

    def words(self, ranks):
        # Open MPI waits a second before it ends the ranks of a job whose rank 0 exits with 1.
        more = ["--quiet", "--oversubscribe", "--mca", "odls_base_sigkill_timeout", "0"] if self.flavour == "openmpi" else []
        return [self.launcher, *more, "-n", str(ranks)]

    def run(self, *words, environment=None, cwd=None):
        done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=GUARD_SECONDS, env={**ENVIRONMENT, **(environment or {})}, cwd=cwd)
        return Run(words, done.returncode, done.stdout.decode("utf-8", "replace"))


class Campaign:
    """One command line of heddle, run with and without ranks."""

    def __init__(self, mpi, folder, words, program, arguments=()):
        self.mpi, self.folder, self.words = mpi, folder, words
        self.program, self.arguments = program, arguments
        self.json, self.state = folder / "result.json", folder / "state"

    def command(self, ranks, *more):
        """Without a launcher if ranks is 0."""
        words = [] if ranks == 0 else self.mpi.words(ranks)
        words += [self.mpi.heddle.command, *self.words, "--json", self.json, "--out", self.folder / "out", *more, self.program,
                  *self.arguments]
        return [str(word) for word in words]

    def result(self, ranks, *more):
        self.json.unlink(missing_ok=True)
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        run = self.mpi.run(*self.command(ranks, *more))
        expect(self.json.exists(), run.describe())
        summaries = [line for line in run.output.splitlines() if re.match(r"heddle: \d+ execution", line)]
        expect(len(summaries) == 1, f"not printed once: {summaries}\n" + run.describe())
        return run.code, without(json.loads(self.json.read_text()), "seconds", "rate")

    def compare(self, found, expected, what):
        if found == expected:
            return
        differing = {key: (expected[1].get(key), found[1].get(key)) for key in {*expected[1], *found[1]}
                     if expected[1].get(key) != found[1].get(key)}
        raise Failure(f"{self.mpi.flavour}: {' '.join(self.command(0))}: {what}: {expected[0]}, {found[0]}: {differing}")

    def check(self, numbers, *more):
        expected = self.result(0)
        for ranks in numbers:
            self.compare(self.result(ranks, *more), expected, f"{ranks} ranks")

    def check_kills(self, kills, seed):
        """Kills a rank or the launcher at random moments, and continues with another number of ranks."""
        draw = random.Random(seed)
        begin = time.monotonic()
        expected = self.result(2)
        length = time.monotonic() - begin
        shutil.rmtree(self.state, ignore_errors=True)
        killed = {}
        for number in range(kills):
            process = subprocess.Popen(self.command(2 + number % 2, "--resume", self.state, "--checkpoint", "50ms"),
                                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=ENVIRONMENT)
            # Mostly after MPI has started, and so that the campaign is about to end at the last kill.
            time.sleep(0.4 + draw.random() * 2 * length / kills)
            family = descendants(process.pid)
            ranks = [pid for pid in family if name_of(pid) == "heddle"]
            victim = process.pid if number % 2 or not ranks else draw.choice(ranks)
            what = "launcher" if victim == process.pid else "rank"
            killed[what] = killed.get(what, 0) + 1
            kill(victim)
            process.communicate(timeout=GUARD_SECONDS)
            await_end(family)
        self.compare(self.result(3, "--resume", self.state), expected, f"after kills: {killed}")
        self.compare(self.result(0, "--resume", self.state), expected, "the last state")
        return killed


def check_refusals(mpi, folder, program):
    """What goes wrong is one sentence, with the right exit code."""
    heddle = mpi.heddle.command.resolve()
    run = mpi.run(*mpi.words(2), heddle, "test", "--no-such-option", program)
    expect(run.code == 2 and run.output.count("there is no option --no-such-option") == 1, run.describe())
    run = mpi.run(*mpi.words(2), heddle, "test", folder / "missing")
    expect(run.code == 3 and run.output.count("heddle: ") == 1, run.describe())
    # Rank 1 has another command line, and another program.
    one = ["-n", 1, heddle, "test", "-n", 100, "--out", folder / "out"]
    for other, code, sentence in [(["-n", 1, heddle, "test", "-n", 200, program], 2, "rank 1 on "),
                                  (["-n", 1, "sh", "-c", f"cd / && exec {heddle} test -n 100 --out {folder / 'out'} ./here"], 3, "rank 1 on ")]:
        shutil.copy(program, folder / "here")
        run = mpi.run(*mpi.words(1)[:-2], *one, "./here" if code == 3 else program, ":", *other, cwd=folder)
        expect(run.code == code and run.output.count(sentence) == 1, run.describe())
    # Without the plugin.
    bare = folder / "bare"
    for name in ("bin/heddle", "lib/libheddle.so"):
        (bare / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(mpi.heddle.command.parent.parent / name, bare / name)
    run = mpi.run(*mpi.words(2), bare / "bin/heddle", "test", program)
    package = {"openmpi": "libopenmpi-dev", "mpich": "libmpich-dev"}[mpi.flavour]
    expect(run.code == 3 and run.output.count(f"install {package} and build heddle again") == 1, run.describe())
    # On rank 1 alone. The launcher of MPICH does not end the others.
    if mpi.flavour == "openmpi":
        run = mpi.run(*mpi.words(1)[:-2], *one, program, ":", "-n", 1, bare / "bin/heddle", *one[3:], program)
        expect(run.code == 3 and run.output.count("rank 1 on ") == 1 and f"install {package}" in run.output, run.describe())
    run = mpi.run(*mpi.words(2), bare / "bin/heddle", "test", program, environment={"HEDDLE_MPI": "other"})
    expect(run.code == 2 and "HEDDLE_MPI is 'other'" in run.output, run.describe())
    # Rank 0 alone runs the other commands.
    run = mpi.run(*mpi.words(3), heddle, "litmus", ROOT / "tests/litmus/corpus/tests/SB+Wsc-Rsc+Wsc-Rsc.litmus")
    expect(run.code == 0 and run.output.count("States ") == 1, run.describe())


def check(heddle, folder, arguments):
    found = [mpi for mpi in (Mpi(flavour, heddle) for flavour in arguments.mpi.split(",")) if mpi.is_there()]
    if not found:
        print(f"skipped: no launcher and plugin for {arguments.mpi}")
        sys.exit(SKIPPED)
    seqlock = heddle.compile(ROOT / "examples/seqlock_broken.cpp", flags=FLAGS)
    queue = heddle.compile(ROOT / "benchmarks/verify/ms_queue.cpp", flags=[*FLAGS, "-DBROKEN"])
    search = heddle.compile(ROOT / "benchmarks/verify/synthetic.cpp", flags=FLAGS)
    crash = heddle.compile(ROOT / "tests/programs/wrong/crash_null.c", flags=["-g", "-O1"])
    scale = 10 if arguments.all else 1
    for mpi in found:
        def campaign(words, program, *more, mpi=mpi):
            return Campaign(mpi, folder, words, program, more)
        campaign(["test", "-s", "random", "-n", scale * 3000], seqlock).check([1, 2, 4])
        campaign(["test", "-s", "pctwm", "-n", scale * 3000], seqlock).check([1, 2, 4])
        campaign(["test", "-s", "fuzz", "-n", scale * 3000], seqlock).check([1, 2, 4])
        # Too large for the search of `auto`, which would end the campaign.
        campaign(["test", "-n", scale * 3000], queue, 3).check([1, 2, 4], "-j", 2)
        campaign(["test", "-s", "random", "-n", 100], crash).check([3])
        campaign(["verify"], search, "writers", 6 if scale == 1 else 8).check([1, 2, 4])
        campaign(["verify"], queue, 2).check([2, 4], "-j", 2)
        campaign(["verify", "--runs", 300], search, "writers", 6).check([3])
        check_refusals(mpi, folder, seqlock)
        longer = max(1, arguments.kills // 3)
        for seed, (words, program, more) in enumerate([
                (["test", "-s", "fuzz", "-n", longer * 100000], seqlock, []), (["test", "-n", longer * 20000], queue, [3]),
                (["verify"], search, ["writers", 9])][:None if arguments.all else 2]):
            killed = campaign([*words, "--explain", "none"], program, *more).check_kills(arguments.kills, seed)
            print(mpi.flavour, *words, killed, flush=True)


def options(parser):
    parser.add_argument("--mpi", default="openmpi", help="openmpi, mpich, or both with a comma between them")
    parser.add_argument("--kills", type=int, default=2, help="of each campaign")
    parser.add_argument("--all", action="store_true", help="longer campaigns, and more of them")


if __name__ == "__main__":
    sys.exit(run_checks(__doc__, check, options))
