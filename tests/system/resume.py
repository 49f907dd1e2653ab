#!/usr/bin/env python3
"""--resume: a campaign that is interrupted or killed, and continues, has the result of one that is not, also with
another number of workers.
"""

import argparse
import json
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from heddle_tool import GUARD_SECONDS, Failure, Heddle, without  # noqa: E402
from processes import descendants, kill  # noqa: E402

FLAGS = ["-std=c++20", "-O2", "-g"]
# Strategy, executions: some tenths of a second.
SAMPLING = [("random", 60000), ("fuzz", 30000), ("pctwm", 60000)]


class Campaign:
    def __init__(self, heddle, folder, words, program, arguments=()):
        self.heddle, self.folder, self.words = heddle, folder, words
        self.program, self.arguments = program, arguments
        self.state = folder / "state"
        self.json = folder / "result.json"

    def command(self, *more):
        words = [self.heddle.command, *self.words, "--explain", "none", "--json", self.json, "--out", self.folder / "out", *more,
                 self.program, *self.arguments]
        return [str(word) for word in words]

    def result(self, *more):
        """Runs it to its end."""
        self.json.unlink(missing_ok=True)
        run = subprocess.run(self.command(*more), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=GUARD_SECONDS)
        if not self.json.exists():
            raise Failure(f"{' '.join(self.command(*more))}\n{run.stdout.decode()}")
        return run.returncode, without(json.loads(self.json.read_text()), "seconds", "rate")

    def check(self, kills, seed):
        """Kills it at random moments, and compares the end with the result of a campaign that was not killed."""
        draw = random.Random(seed)
        begin = time.monotonic()
        expected = self.result("-j", 2)
        length = time.monotonic() - begin
        shutil.rmtree(self.state, ignore_errors=True)
        ends = {}
        for number in range(kills):
            # SIGTERM writes the state; after SIGKILL the last one counts.
            how = signal.SIGKILL if number % 3 else signal.SIGTERM
            process = subprocess.Popen(self.command("--resume", self.state, "--checkpoint", "50ms", "-j", str(1 + number % 3)),
                                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            try:
                output, _ = process.communicate(timeout=0.03 + draw.random() * length / 3)
            except subprocess.TimeoutExpired:
                if how == signal.SIGTERM:  # as a batch system does: to every process of the job
                    for worker in descendants(process.pid):
                        kill(worker, how)
                process.send_signal(how)
                output, _ = process.communicate(timeout=GUARD_SECONDS)
            ends[process.returncode] = ends.get(process.returncode, 0) + 1
            # The signal may come before the campaign, or after it, while the report is made.
            if process.returncode not in (0, 1, 3, -signal.SIGKILL, -signal.SIGTERM):
                raise Failure(f"{' '.join(self.command())}: exit code {process.returncode}\n{output.decode()}")
            left = [path.name for path in self.state.glob("*")] if self.state.exists() else []
            if how == signal.SIGTERM and left not in ([], ["campaign.heddle"]):
                raise Failure(f"left behind: {left}")
        found = self.result("--resume", self.state, "-j", 2)
        if found != expected:
            differing = {key: (expected[1].get(key), found[1].get(key)) for key in {*expected[1], *found[1]}
                         if expected[1].get(key) != found[1].get(key)}
            raise Failure(f"{' '.join(self.command())}: after {kills} kills (ends: {ends}): {expected[0]}, {found[0]}: {differing}")
        # The state at the end is the result.
        if self.result("--resume", self.state) != expected:
            raise Failure(f"{' '.join(self.command())}: the last state has another result")
        return ends


def check_refused(campaign, other):
    """The state of another campaign, and a file that is damaged."""
    heddle, state = campaign.heddle, campaign.state
    for options, program, sentence in [(["--seed", 9], campaign.program, "its --seed is 1, and not 9"),
                                       ([], other, "another program or build"),
                                       (["--shard", "1/2"], campaign.program, "another shard")]:
        run = heddle.run(*campaign.words, *options, "--resume", state, program, *campaign.arguments)
        if run.code != 2 or sentence not in run.output:
            raise Failure(run.describe())
    file = state / "campaign.heddle"
    file.write_bytes(file.read_bytes()[:-3])
    run = heddle.run(*campaign.words, "--resume", state, campaign.program)
    if run.code != 3 or "is truncated" not in run.output:
        raise Failure(run.describe())
    run = heddle.run(*campaign.words, "--resume", file / "below", campaign.program)
    if run.code == 0 or "the state is not kept" not in run.output:
        raise Failure(run.describe())


def check_signal_in_search(campaign, searches=1):
    """SIGTERM while `auto` searches: the state has what was sampled before, and the search is made again. If it is the second search,
    with a parameter that the first one turned out to need, the state has the first one, too."""
    expected = campaign.result()
    shutil.rmtree(campaign.state, ignore_errors=True)
    campaign.json.unlink()
    process = subprocess.Popen(campaign.command("--resume", campaign.state), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    deadline = time.monotonic() + GUARD_SECONDS
    children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
    seen = set()
    while len(seen) < 1 + searches:  # the worker that samples, and those that search
        if time.monotonic() > deadline or process.poll() is not None:
            raise Failure("no search was seen")
        seen.update(children.read_text().split())
        time.sleep(0.002)
    time.sleep(0.03)
    process.send_signal(signal.SIGTERM)
    output, _ = process.communicate(timeout=GUARD_SECONDS)
    interrupted = json.loads(campaign.json.read_text())
    if not interrupted["interrupted"] or not 10 < interrupted["executions"] < 100 or not (campaign.state / "campaign.heddle").exists():
        raise Failure(f"not interrupted in the search, or no state: {interrupted['executions']} executions\n{output.decode()}")
    if campaign.result("--resume", campaign.state, "-j", 2) != expected:
        raise Failure("after SIGTERM in the search of auto: another result")


def check_time(campaign):
    """A time limit is an ordinary end, after which the campaign can continue."""
    expected = campaign.result()
    shutil.rmtree(campaign.state, ignore_errors=True)
    codes = set()
    for _ in range(3):
        codes.add(campaign.result("--time", "100ms", "-n", "30000", "--resume", campaign.state)[0])
    if campaign.result("--resume", campaign.state, "-j", 3) != expected:
        raise Failure(f"after --time: {codes}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--cache", required=True)
    parser.add_argument("--kills", type=int, default=3)
    arguments = parser.parse_args()
    heddle = Heddle(arguments.build, arguments.cache)
    with tempfile.TemporaryDirectory(prefix="heddle-test-") as name:
        folder = pathlib.Path(name)
        program = heddle.compile(ROOT / "examples" / "seqlock_broken.cpp", flags=FLAGS)
        other = heddle.compile(ROOT / "examples" / "message_passing_relaxed.cpp", flags=FLAGS)
        search = heddle.compile(ROOT / "benchmarks" / "verify" / "synthetic.cpp", flags=FLAGS)
        begins_again = heddle.compile(ROOT / "tests" / "system" / "auto_search" / "many_arrivals.cpp", flags=FLAGS)
        broken = heddle.compile(ROOT / "benchmarks" / "verify" / "ms_queue.cpp", flags=[*FLAGS, "-DBROKEN"])
        try:
            longer = max(1, arguments.kills // 3)  # so that the campaign does not end before the last kill
            for seed, (strategy, executions) in enumerate(SAMPLING):
                campaign = Campaign(heddle, folder, ["test", "-s", strategy, "-n", longer * executions], program)
                print(strategy, campaign.check(arguments.kills, seed), flush=True)
            # Too large for the search of `auto`, which would end the campaign.
            print("auto", Campaign(heddle, folder, ["test", "-n", longer * 15000], broken, [3]).check(arguments.kills, 10), flush=True)
            print("verify", Campaign(heddle, folder, ["verify"], search, ["writers", 8]).check(arguments.kills, 11), flush=True)
            Campaign(heddle, folder, ["verify"], broken, [2]).check(arguments.kills, 12)
            Campaign(heddle, folder, ["verify", "--shard", "2/3"], search, ["writers", 7]).check(arguments.kills, 13)
            check_signal_in_search(Campaign(heddle, folder, ["test", "-n", 200000], search, ["writers", 8]))
            check_signal_in_search(Campaign(heddle, folder, ["test", "-n", 300], begins_again), searches=2)
            campaign = Campaign(heddle, folder, ["test", "-s", "random", "-n", 30000], program)
            check_time(campaign)
            check_refused(campaign, other)
        except Failure as failure:
            sys.exit(str(failure))
    print("campaigns go on where they were interrupted")


if __name__ == "__main__":
    main()
