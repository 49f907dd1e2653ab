#!/usr/bin/env python3
"""Every program under the models with store buffers: correct ones stay clean, and wrong ones show their bug unless it needs a
weaker model."""

import argparse
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from heddle_tool import Failure, Heddle  # noqa: E402
from program_head import ProgramHead  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parent
# Bugs that a model cannot show: two stores would have to be reordered (tso), or acquire loads, or a store and a load with a
# release fence in between (pso, pslo).
NEEDS_WEAKER_MODEL = {
    "tso": {"assert_iriw_relaxed", "assert_message_passing", "assert_rmw_by_order", "assert_stale_volatile",
            "assert_two_plus_two_writes"},
    "pso": {"assert_iriw_relaxed", "assert_store_buffering_weak_fences"},
    "pslo": {"assert_iriw_relaxed", "assert_store_buffering_weak_fences"},
}
# Correct only with --release-sequence=c11, which rc11 and c11 have.
NEEDS_OTHER_MODEL = {"release_sequence_c11"}
MOST_CLEAN_RUNS = 200


def check(heddle, source, model):
    head = ProgramHead(source)
    is_wrong = bool(head.one_of)
    runs = head.runs if is_wrong else min(head.runs, MOST_CLEAN_RUNS)
    program = heddle.compile(source, "gcc", head.flags)
    run = heddle.test(program, "--explain", "none", "-m", model, "-n", runs, *head.options_without_strategy(), arguments=head.arguments,
                      out=program.parent / f"out-{model}")
    kinds = {finding["kind"] for finding in run.result.get("findings", [])}
    is_found = bool(kinds & set(head.one_of))
    expects_bug = is_wrong and source.stem not in NEEDS_WEAKER_MODEL[model]
    if kinds - head.permitted or is_found != expects_bug or run.code != head.exit_code(kinds):
        raise Failure(f"{source.name} under {model}: found {sorted(kinds)}\n{run.describe()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, help="heddle's build folder")
    parser.add_argument("--cache", required=True, type=pathlib.Path, help="where to build programs")
    parser.add_argument("--only", default="", help="only programs whose name contains this text")
    arguments = parser.parse_args()
    heddle = Heddle(arguments.build, arguments.cache)
    sources = [source for folder in ("correct", "wrong") for source in sorted((FOLDER / folder).iterdir())
               if source.suffix in (".c", ".cpp") and source.stem not in NEEDS_OTHER_MODEL and arguments.only in source.name]
    failed = 0
    for source in sources:
        # Only atomic stores are buffered, so the models differ little for programs without.
        for model in NEEDS_WEAKER_MODEL if "atomic" in source.read_text() else ["tso"]:
            try:
                check(heddle, source, model)
            except Failure as failure:
                failed += 1
                print(failure, flush=True)
    print(f"{len(sources)} programs, {failed} failed")
    sys.exit(1 if failed or not sources else 0)


if __name__ == "__main__":
    main()
