#!/usr/bin/env python3
"""--corpus DIR keeps the corpus of fuzz between campaigns.

A second campaign begins where the first one ended. Damaged entries are skipped, with a warning. A driver that is killed (kill -9)
at a random moment leaves a corpus that loads. A corpus of another build of the program is used, also if the source has changed.
"""

import argparse
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE.parent.parent / "benchmarks" / "programs" / "fuzzing"
sys.path.insert(0, str(HERE.parent / "support"))
from heddle_tool import Failure, Heddle  # noqa: E402

LONGEST = 0.5  # seconds until the driver is killed


def expect(condition, message, run=None):
    if not condition:
        raise Failure(message + (f":\n{run.describe()}" if run else ""))


def campaign(heddle, program, corpus, *options):
    return heddle.run("test", "-s", "fuzz", "--corpus", corpus, "--out", corpus.parent / "out", *options, program)


def continues(heddle, program, corpus):
    """The end of the relay is far for a campaign that begins from nothing, and near for the next one."""
    run = campaign(heddle, program, corpus, "-n", 6000)
    expect(run.code == 1, "the first campaign finds no bug", run)
    entries = list(corpus.glob("*.entry"))
    expect(len(entries) > 10, f"the corpus has {len(entries)} entries")
    alone = heddle.run("test", "-s", "fuzz", "-n", len(entries), "--out", corpus.parent / "out", program)
    expect(alone.code == 0, "a campaign from nothing finds the bug at once: this tests nothing", alone)
    again = campaign(heddle, program, corpus, "-n", len(entries))
    expect(again.code == 1, "the second campaign does not continue", again)


def damaged(heddle, program, corpus):
    chance = random.Random(1)
    copy = corpus.parent / "damaged"
    shutil.copytree(corpus, copy)
    entries = sorted(copy.glob("*.entry"))
    for entry in entries[:4]:
        content = bytearray(entry.read_bytes())
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        entry.write_bytes(content)
    entries[4].write_bytes(entries[4].read_bytes()[:40])
    entries[5].write_bytes(b"")
    (copy / "0123456789abcdef.entry").write_text("something else")
    (copy / "notes.txt").write_text("not an entry")
    run = campaign(heddle, program, copy, "-n", 40)
    expect(run.code in (0, 1) and "entries of the corpus were skipped" in run.output, "damaged entries are not reported", run)
    # One bit of the build id may differ without harm.
    skipped = int(run.output.split(" entries of the corpus were skipped")[0].split()[-3])
    expect(3 <= skipped <= 7, f"{skipped} entries were skipped", run)


def killed(heddle, program, corpus, kills):
    times = random.Random(2)
    for kill in range(kills):
        command = [heddle.command, "test", "-q", "-s", "fuzz", "-n", "100000000", "-j", str(1 + kill % 2), "--seed", str(kill),
                   "--corpus", corpus, "--out", corpus.parent / "out", program]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            time.sleep(LONGEST * times.random() ** 2)
            process.send_signal(signal.SIGKILL)
        if not corpus.exists():
            continue
        run = campaign(heddle, program, corpus, "-n", 20)
        expect(run.code in (0, 1) and "skipped" not in run.output, "the corpus of a killed campaign does not load", run)


def other_build(heddle, corpus):
    """Other addresses, the same threads and events."""
    program = heddle.compile(PROGRAMS / "relay.cpp", flags=["-std=c++20", "-O0", "-DSTEPS=8"])
    run = campaign(heddle, program, corpus, "-n", 2 * len(list(corpus.glob("*.entry"))))
    expect(run.code == 1, "the corpus of another build is of no use", run)


def changed_source(heddle, corpus, folder):
    """Code was added before, between and after the hand-overs, so that all lines and the numbers of all events are other ones."""
    text = (PROGRAMS / "relay.cpp").read_text()
    added = "\n      work.fetch_add(1, relaxed);\n      work.load(relaxed);\n"
    for old, new in (("int main() {", "static std::atomic<int> work{0};\n// More lines.\n\nint main() {\n  work.store(1, relaxed);"),
                     ("      to.store(i, relaxed);", added + "      to.store(i, relaxed);" + added),
                     ("i <= STEPS; ++i)\n      if (to", "i <= STEPS; ++i)\n      if (work.load(relaxed) >= 0)\n        if (to")):
        expect(old in text, f"relay.cpp has no '{old}'")
        text = text.replace(old, new)
    source = folder / "changed" / "relay.cpp"
    source.parent.mkdir()
    source.write_text(text)
    program = heddle.compile(source, flags=["-std=c++20", "-O1", "-DSTEPS=8"])
    entries = len(list(corpus.glob("*.entry")))
    alone = heddle.run("test", "-s", "fuzz", "-n", 2 * entries, "--out", folder / "out", program)
    expect(alone.code == 0, "a campaign from nothing finds the bug at once: this tests nothing", alone)
    run = campaign(heddle, program, corpus, "-n", 2 * entries)
    expect(run.code == 1, "the corpus of the program before a change is of no use", run)


def refusals(heddle, program, folder):
    run = heddle.run("test", "-s", "random", "--corpus", folder / "none", program)
    expect(run.code == 2 and "keeps no corpus" in run.output, "-s random takes a corpus", run)
    (folder / "file").write_text("")
    run = heddle.run("test", "-s", "fuzz", "--corpus", folder / "file", program)
    expect(run.code == 2 and "cannot be made" in run.output, "a file is taken for a folder", run)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--cache", required=True)
    parser.add_argument("--kills", type=int, default=20, help="how often to kill the driver [20]")
    arguments = parser.parse_args()
    heddle = Heddle(arguments.build, arguments.cache)
    try:
        program = heddle.compile(PROGRAMS / "relay.cpp", flags=["-std=c++20", "-O1", "-DSTEPS=8"])
        with tempfile.TemporaryDirectory(prefix="heddle-test-") as name:
            folder = pathlib.Path(name)
            continues(heddle, program, folder / "corpus")
            damaged(heddle, program, folder / "corpus")
            other_build(heddle, folder / "corpus")
            changed_source(heddle, folder / "corpus", folder)
            refusals(heddle, program, folder)
            killed(heddle, program, folder / "killed", arguments.kills)
    except Failure as failure:
        print(failure)
        return 1
    print(f"the corpus is kept; {arguments.kills} kills left one that loads")
    return 0


if __name__ == "__main__":
    sys.exit(main())
