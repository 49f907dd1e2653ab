#!/usr/bin/env python3
"""The server of tests/programs (an accept loop over epoll, worker threads, clients in the same process) under every strategy:
1,000 executions without a finding, its seeded bugs are found, and their traces replay."""
import argparse
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from heddle_tool import Failure, Heddle  # noqa: E402

PROGRAMS = pathlib.Path(__file__).resolve().parent.parent / "programs"
BUGS = {"race_server": "race", "deadlock_server": "deadlock", "assert_server": "assert"}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="heddle's build folder")
    build = parser.parse_args().build
    try:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            heddle = Heddle(build, folder / "cache")
            flags = ["-std=c++20", "-O1", "-g"]
            server = heddle.compile(PROGRAMS / "correct" / "server.cpp", flags=flags)
            wrong = {bug: heddle.compile(PROGRAMS / "wrong" / f"{bug}.cpp", flags=flags) for bug in BUGS}
            names = [strategy["name"] for strategy in heddle.strategies() if strategy["name"] != "exhaustive"]
            for strategy in names:
                run = heddle.test(server, "-s", strategy, "-n", 1000, "--explain", "none", out=folder / "out")
                if run.code != 0 or run.result["executions"] != 1000:
                    raise Failure(f"{strategy}: expected 1000 executions without a finding\n{run.describe()}")
                for bug, program in wrong.items():
                    run = heddle.test(program, "-s", strategy, "-n", 1000, "--explain", "none", out=folder / "out")
                    found = [finding for finding in run.result["findings"] if finding["kind"] == BUGS[bug]]
                    if not found:
                        raise Failure(f"{strategy} does not find the {BUGS[bug]} of {bug}\n{run.describe()}")
                    again = heddle.replay(found[0]["trace"])
                    if found[0]["key"] not in [finding["key"] for finding in again.result.get("findings", [])]:
                        raise Failure(f"{strategy}: the trace of {bug} does not replay\n{again.describe()}")
    except Failure as failure:
        print(failure)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
