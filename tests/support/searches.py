"""heddle verify as the tests of the search call it, and programs that have been written once for two searches."""

import re

from heddle_tool import Failure

SUMMARY = re.compile(r"(\d+) execution graphs and (\d+) that wait, .*: (.*)$", re.MULTILINE)


def verify(heddle, program, arguments, folder, model="rc11", options=()):
    run = heddle.run("verify", "--model", model, *options, "--out", folder / "out", program, *arguments)
    found = SUMMARY.search(run.output)
    if not found:
        raise Failure(run.describe())
    return run, int(found[1]), int(found[2]), found[3]


def check_against_enumeration(heddle, folder, program, words):
    """c11 is explored by another search, the plain one: where the models agree, so must the numbers. The plain search knows
    in which order threads share a lock."""
    counts = []
    for model in ("rc11", "c11"):
        run, complete, _, verdict = verify(heddle, program, words, folder, model,
                                           ["--keep-going", "-s", "exhaustive:readers=1"])
        counts.append((complete, verdict, run.code))
    if counts[0] != counts[1]:
        raise Failure(f"the optimal search, the plain one: {counts}\n{run.describe()}")
