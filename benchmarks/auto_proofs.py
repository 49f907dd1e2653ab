#!/usr/bin/env python3
"""How many programs `heddle test` proves of those that `heddle verify` proves in two seconds of processor time.

The programs are ours: examples, tests/programs/correct, benchmarks/orders, and benchmarks/verify with two and three threads. Exit code 1 if
fewer than --share of them are proved. The programs that are not are listed, with what the last line says of them.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))
from heddle_tool import Failure, Heddle  # noqa: E402
from program_head import ProgramHead  # noqa: E402

PROOF = "nothing is left to find for this input"
SYNTHETIC = ("chain", "buffers", "writers", "increments", "readers", "mixed", "lastzero", "fibonacci", "rotation")


def programs():
    """Source, flags, arguments."""
    for folder in ("examples", "tests/programs/correct"):
        for source in sorted((ROOT / folder).iterdir()):
            if source.suffix not in (".c", ".cpp"):
                continue
            try:
                head = ProgramHead(source)
            except Failure:
                continue
            if not head.one_of and not head.options:
                yield source, head.flags, head.arguments
    for source in sorted((HERE / "orders").glob("*.cpp")):
        yield source, ["-std=c++20", "-O1", "-g"], []
    for source in sorted((HERE / "verify").glob("*.cpp")):
        for arguments in [[name, "3"] for name in SYNTHETIC] if source.stem == "synthetic" else [["2"], ["3"]]:
            yield source, ["-std=c++20", "-O2", "-g"], arguments


def last_line(command):
    run = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    lines = [line for line in run.stdout.splitlines() if line.startswith("heddle: ")]
    return lines[-1] if lines else f"exit code {run.returncode}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="heddle's build folder")
    parser.add_argument("--cache", required=True, type=pathlib.Path, help="where compiled programs are kept")
    parser.add_argument("--share", type=float, default=0.95, help="[0.95]")
    options = parser.parse_args()
    heddle = Heddle(options.build, options.cache)
    small, proved, missed = 0, 0, []
    with tempfile.TemporaryDirectory(prefix="heddle-proofs-") as folder:
        for source, flags, arguments in programs():
            try:
                program = heddle.compile(source, flags=flags)
            except Failure:
                continue  # it needs what this machine does not have
            common = ["-q", "--explain", "none", "--out", folder]
            verified = last_line([heddle.command, "verify", "-t", "2s", *common, program, *arguments])
            if not verified.endswith("all explored"):
                continue
            small += 1
            tested = last_line([heddle.command, "test", "-t", "10s", *common, program, *arguments])
            if tested.endswith(PROOF):
                proved += 1
            else:
                missed.append(f"{source.name} {' '.join(arguments)}\n  verify: {verified}\n  test:   {tested}")
    print(*missed, sep="\n")
    print(f"test proves {proved} of {small} programs that verify proves ({100 * proved / max(small, 1):.1f} %)")
    sys.exit(0 if proved >= options.share * small else 1)


if __name__ == "__main__":
    main()
