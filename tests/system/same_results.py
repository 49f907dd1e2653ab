#!/usr/bin/env python3
"""Two builds of heddle give the same results: the same graphs, hashes, counts and findings, for every program, strategy and
model, with the same seeds. Both run the same binaries, which the reference compiles; each has its own driver and runtime.

Times and paths are not compared, and texts for people only with --messages. Changes of results that are wanted are listed
in KNOWN below, with the reason.
"""

import argparse
import os
import pathlib
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from comparison import DESCRIPTION, WORDING, Comparison, make_case, sources  # noqa: E402
from heddle_tool import Heddle  # noqa: E402

STRATEGIES = ["random", "pct", "pctwm", "pos", "exhaustive"]
MODELS = ["rc11", "c11", "sc"]
# Programs with so many events that a search takes seconds or minutes for an execution.
NOT_SEARCHED = {"hundreds_of_threads", "large_heap", "many_buffered_stores", "many_threads"}

# (pattern of the case's name, pattern of the field's path, reason)
KNOWN = [
    (r" -s pct(wm)? ", r"^json\.learnt\.", "what strategies learn is named strategy:parameter now"),
    (r"/(cpp_atomic_ref|cpp_barrier|cpp_condition_variable_any|cpp_jthread|cpp_latch|mcs_lock|memset_over_atomics|"
     r"deadlock_latch|race_cpp_barrier|race_latch|use_after_free)\.cp?p? ", r"^json\.graphs_hash$",
     "atomics on main's stack are named by an offset that depends on the runtime's own stack frames"),
    (r"/race_inside_atomic_shared_ptr.cpp -s exhaustive -m sc", r"^json\.events$",
     "how soon a waiting loop is recognised depends on what the runtime's own stack frames leave on the stack"),
    (r"/(polling_with_effects|spin_sleep|limit_endless)\.cpp -s exhaustive -m c11", r"^json\.(executions|distinct_graphs)$",
     "executions that a limit cut off are no longer counted as complete ones"),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="the build folder to test")
    parser.add_argument("--reference", required=True, type=pathlib.Path, help="the build folder to compare with")
    parser.add_argument("--cache", type=pathlib.Path,
                        help="where programs and results of the reference are kept [BUILD/tests/same_results]")
    parser.add_argument("--quick", action="store_true", help="every sixth program, and fewer executions")
    parser.add_argument("--runs", type=int, help="executions of each case [100; with --quick 10]")
    parser.add_argument("--only", default="", help="only programs whose path contains this text")
    parser.add_argument("--strategies", default=",".join(STRATEGIES), help="[%(default)s]")
    parser.add_argument("--models", default=",".join(MODELS), help="[%(default)s]")
    parser.add_argument("--auto", action="store_true", help="also the strategy auto, whose members change over time")
    parser.add_argument("--messages", action="store_true", help="compare texts for people, too")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="[%(default)s]")
    options = parser.parse_args()

    begin = time.monotonic()
    chosen = [source for source in sources() if options.only in str(source)]
    if options.quick:
        chosen = chosen[::6]
    runs = options.runs or (10 if options.quick else 100)
    strategies = options.strategies.split(",") + (["auto"] if options.auto else [])
    cases = []
    for source in chosen:
        for strategy in strategies:
            if strategy == "exhaustive" and source.stem in NOT_SEARCHED:
                continue
            # A search that stopped at the first bug would compare little.
            extra = ["--keep-going"] if strategy == "exhaustive" else []
            cases += [make_case(source, runs, "-s", strategy, "-m", model, *extra) for model in options.models.split(",")]

    cache = options.cache or options.build / "tests" / "same_results"
    comparison = Comparison(Heddle(options.reference, cache, runtime=options.reference),
                            Heddle(options.build, cache, runtime=options.build),
                            DESCRIPTION | (set() if options.messages else WORDING), KNOWN)
    equal = comparison.compare_all(cases, options.jobs)
    for name, count in sorted(comparison.counts.items()):
        print(f"{count:5} {name}")
    print(f"{len(chosen)} programs, {len(cases)} cases, {time.monotonic() - begin:.0f} s")
    sys.exit(0 if equal and cases else 1)


if __name__ == "__main__":
    main()
