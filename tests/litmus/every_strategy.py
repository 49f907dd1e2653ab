#!/usr/bin/env python3
"""Every sampling strategy shows, of every litmus test of the corpus, states and races that the model allows, and no others.

The seed is fixed; the property holds for every seed. With --expect MODEL, the states are those of another model, and every
strategy must notice the difference.
"""
import argparse
import pathlib
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from heddle_tool import Failure, Heddle  # noqa: E402

CORPUS = HERE / "corpus"


def specifications(strategy):
    """The strategy with its defaults, and with the first and the last value of each parameter that `auto` draws."""
    yield strategy["name"]
    for parameter in strategy["parameters"]:
        for value in sorted({*parameter["values"][:1], *parameter["values"][-1:]}):
            shown = value if isinstance(value, str) else f"{value:g}"
            yield f"{strategy['name']}:{parameter['name']}={shown}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="heddle's build folder")
    parser.add_argument("--model", required=True)
    parser.add_argument("--expect", help="the model whose states are compared [the same model]")
    arguments = parser.parse_args()
    heddle = Heddle(arguments.build, "")
    expected = CORPUS / "expected" / f"{arguments.expect or arguments.model}.jsonl"
    code, runs = (0, 200) if arguments.expect is None else (1, 20)
    failed = 0
    try:
        names = [name for strategy in heddle.strategies() if strategy["name"] != "exhaustive" for name in specifications(strategy)]
        for name in names:
            run = heddle.run("litmus", "--quiet", "-m", arguments.model, "-s", name, "--runs", runs, "--expect", expected,
                             CORPUS / "tests")
            print(name, run.output.splitlines()[-1] if run.output else "", flush=True)
            if run.code != code:
                failed += 1
                print(f"exit code {run.code} instead of {code}\n{run.describe()}")
    except Failure as failure:
        failed += 1
        print(failure)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
