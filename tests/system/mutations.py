#!/usr/bin/env python3
"""Mutated traces, mutated litmus tests and odd command lines: each gets a sentence and the right exit code.

No input makes heddle abort, hang, print a control character, or leave a half-written file behind. The seed is fixed.
"""

import argparse
import json
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from heddle_tool import GUARD_SECONDS, Failure, Heddle  # noqa: E402

CORPUS = HERE.parent / "litmus" / "corpus" / "tests"


def mutate(data, draw, tokens=()):
    """Changes a few places: flips bits, overwrites, removes, repeats or moves a piece, or inserts a token."""
    data = bytearray(data)
    for _ in range(draw.randint(1, 4)):
        at, size = draw.randrange(len(data) + 1), draw.choice((1, 1, 2, 8, 40))
        way = draw.randrange(6)
        if way == 0 and at < len(data):
            data[at] ^= 1 << draw.randrange(8)
        elif way == 1:
            data[at:at + size] = draw.randbytes(len(data[at:at + size]))
        elif way == 2:
            del data[at:at + size]
        elif way == 3:
            data[at:at] = data[at:at + size] * draw.randint(1, 3)
        elif way == 4:
            piece = data[at:at + size]
            del data[at:at + size]
            where = draw.randrange(len(data) + 1)
            data[where:where] = piece
        elif tokens:
            data[at:at] = draw.choice(tokens)
        if not data:
            data += b"\0"
    return bytes(data)


class Checker:
    def __init__(self, heddle, folder):
        self.heddle = heddle
        self.folder = folder

    def run(self, arguments, codes, what):
        """Runs heddle in an empty folder, and checks all that can be seen from outside."""
        work = self.folder / "work"
        work.mkdir()
        command = [os.fsencode(str(self.heddle.command)), *(word if isinstance(word, bytes) else os.fsencode(str(word))
                                                            for word in arguments)]
        try:
            done = subprocess.run(command, cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  timeout=GUARD_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            raise Failure(f"{what}: no end after {GUARD_SECONDS} s: {command}") from None
        said = f"{command}\n{done.stdout.decode('utf-8', 'replace')}{done.stderr.decode('utf-8', 'replace')}"
        if done.returncode not in codes:
            raise Failure(f"{what}: exit code {done.returncode} instead of {codes}:\n{said}")
        if done.returncode in (2, 3) and not done.stderr.startswith(b"heddle: "):
            raise Failure(f"{what}: no sentence:\n{said}")
        if b"\x1b" in done.stdout + done.stderr or b"terminate called" in done.stderr:
            raise Failure(f"{what}: not fit for a terminal:\n{said}")
        left = sorted(path.name for path in work.iterdir())
        if any(name.endswith(".tmp") for name in left) or (done.returncode in (2, 3) and left and arguments[0] != "test"):
            raise Failure(f"{what}: left {left}:\n{said}")
        for path in work.iterdir():
            if path.suffix == ".json":
                for line in path.read_text().splitlines() if arguments[0] == "litmus" else [path.read_text()]:
                    json.loads(line)
            if path.is_dir():
                for inside in path.iterdir():
                    inside.unlink()
                path.rmdir()
            else:
                path.unlink()
        work.rmdir()
        return done.returncode


def mutate_inside(trace, draw, tokens):
    """Mutates the header or the decisions of a trace, and gives it the right sizes. The checksum is still the old one."""
    preamble = 24
    header_size, decisions_size = struct.unpack_from("<IQ", trace, 12)
    header, decisions = trace[preamble:preamble + header_size], trace[preamble + header_size:][:decisions_size]
    if draw.randrange(3):
        header = mutate(header, draw, tokens)
    else:
        decisions = mutate(decisions, draw)
    return trace[:12] + struct.pack("<IQ", len(header), len(decisions)) + header + decisions + trace[-8:]


def check_traces(checker, count, draw, resign):
    heddle = checker.heddle
    program = heddle.compile(HERE / "bad_input" / "fails.c", "gcc", ["-std=gnu11", "-O1", "-g"]).resolve()
    heddle.test(program, "-n", 10, out=checker.folder / "out")
    original = next((checker.folder / "out").iterdir()).read_bytes()
    trace = checker.folder / "mutated.trace"
    tokens = [b"null", b"[]", b"-1", b"1e99", b'"\x1b[31m"', b'"' * 50, b"{" * 3000]
    seen = set()
    for number in range(count):
        if number % 2:
            trace.write_bytes(mutate_inside(original, draw, tokens))
            subprocess.run([resign, trace], check=True)
        else:
            trace.write_bytes(mutate(original, draw, tokens))
        seen.add(checker.run(["replay", trace], (1, 3), f"trace {number}"))
    if seen != {1, 3}:
        raise Failure(f"mutated traces lead to the exit codes {seen}: this tests only part of what it should")
    print(f"{count} traces: exit codes {sorted(seen)}", flush=True)


def check_litmus(checker, count, draw):
    tests = sorted(CORPUS.glob("*.litmus"))
    tokens = [b"{", b"}", b"(", b")", b";", b"P9", b"atomic_load(x)", b"9" * 30, b"\xff\xfe", b"(* ", b"exists", b"\x1b[31m", b"(" * 5000]
    path = checker.folder / os.fsdecode(b"mutated\xff.litmus")
    seen = set()
    for number in range(count):
        path.write_bytes(mutate(draw.choice(tests).read_bytes(), draw, tokens))
        strategy = ["-s", "random", "-n", "20"] if number % 2 else []
        seen.add(checker.run(["litmus", "--json", "states.json", *strategy, path], (0, 2), f"litmus test {number}"))
    # The name of a test is free text, and names of files are bytes.
    text = draw.choice(tests).read_bytes()
    path.write_bytes(b"C \xff\x1b[31mname" + text[text.index(b"\n"):])
    checker.run(["litmus", "--json", "states.json", path], (0,), "a name that is not UTF-8")
    print(f"{count} litmus tests: exit codes {sorted(seen)}", flush=True)


def command_lines(program):
    """Arguments, and the exit codes that are right for them."""
    usage = (2,)
    options = ["-n", "-t", "-j", "--seed", "--max-events", "--max-memory", "--timeout", "--isolation", "--exit-status", "-s", "-m",
               "--release-sequence"]
    for option in options:
        for value in ("", "many", "9" * 40, b"\xff\xfe\x1b[31m", "1 2"):
            yield ["test", option, value, program], usage
    for command in ("test", "verify", "replay", "litmus"):
        for word in ("--nope", "-Z", b"--\xff\x1b[31m", "--json", "--=", "-"):
            yield [command, word], usage if word != "-" or command in ("test", "verify") else (2, 3)
    for command in ("nope", "", "-", "--", "-x", "TEST", b"\xff\x1b[31m", "help help", "--version=1", "check-report"):
        yield [command], usage
    for words in (["help", "nope"], ["help", "test", "test"], ["help", "--markdown"], ["check-report", "x", "y", "z"],
                  ["check-report", "0", "y", "z", "w"], ["litmus"], ["test"], ["verify"], ["replay"], ["test", "--"]):
        yield words, usage
    yield ["replay", "/dev/zero"], (3,)
    yield ["replay", "/"], (3,)
    yield ["litmus", "/dev/zero"], usage
    yield ["litmus", "--expect", "/dev/zero", CORPUS], usage
    yield ["check-report", "99", "y", "z"], (3,)


def check_command_lines(checker, count, program):
    lines = list(command_lines(program))
    if len(lines) < count:
        raise Failure(f"there are only {len(lines)} command lines")
    for arguments, codes in lines:
        checker.run(arguments, codes, "command line")
    print(f"{len(lines)} command lines", flush=True)


def check_special_files(checker, original):
    """Files that are no ordinary ones, and files that are huge."""
    fifo = checker.folder / "fifo"
    os.mkfifo(fifo)
    checker.run(["replay", fifo], (3,), "a fifo")
    checker.run(["litmus", fifo], (2,), "a fifo")
    huge = checker.folder / "huge"
    with huge.open("wb") as file:
        file.truncate(3 << 30)
    checker.run(["replay", huge], (3,), "3 GB of nothing")
    checker.run(["litmus", huge], (2,), "3 GB of nothing")
    with huge.open("r+b") as file:
        file.write(original[:100])
    checker.run(["replay", huge], (3,), "3 GB that begin like a trace")


def check_full_disk(checker, program, trace, litmus):
    """Standard output, the JSON and traces go to a disk that is full."""
    heddle = checker.heddle.command
    for words in (["test", "-n", 5, "--out", checker.folder / "full-out", program], ["verify", "--out", checker.folder / "full-out", program],
                  ["replay", trace], ["litmus", litmus], ["help"], ["help", "test"], ["help", "--strategies"], ["--version"]):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([heddle, *map(str, words)], stdout=full, stderr=subprocess.PIPE, text=True, timeout=GUARD_SECONDS, check=False)
        if done.returncode != 3 or "standard output" not in done.stderr:
            raise Failure(f"{words} on a full disk: exit code {done.returncode}, {done.stderr!r}")
    for words in (["test", "-n", 5, "--out", checker.folder / "full-out", program], ["replay", trace], ["litmus", litmus]):
        command = [words[0], "--json", "/dev/full", *words[1:]]
        done = subprocess.run([heddle, *map(str, command)], capture_output=True, text=True, timeout=GUARD_SECONDS, check=False)
        if done.returncode != 3 or "No space left" not in done.stderr:
            raise Failure(f"{command}: exit code {done.returncode}, {done.stderr!r}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--cache", required=True)
    parser.add_argument("--count", type=int, default=1000, help="traces and litmus tests each [1000]")
    arguments = parser.parse_args()
    heddle = Heddle(pathlib.Path(arguments.build).resolve(), arguments.cache)
    draw = random.Random(1)
    try:
        with tempfile.TemporaryDirectory(prefix="heddle-test-") as name:
            checker = Checker(heddle, pathlib.Path(name))
            check_traces(checker, arguments.count, draw, heddle.command.parent / "resign_trace")
            trace = next((checker.folder / "out").iterdir())
            program = heddle.compile(HERE / "bad_input" / "fails.c", "gcc", ["-std=gnu11", "-O1", "-g"]).resolve()
            check_command_lines(checker, 100, program)
            check_special_files(checker, trace.read_bytes())
            check_full_disk(checker, program, trace, next(CORPUS.glob("*.litmus")))
            check_litmus(checker, arguments.count, draw)
    except Failure as failure:
        print(failure)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
