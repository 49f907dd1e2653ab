#!/usr/bin/env python3
"""heddle predict: the programs of the paper's figures 2, 10 and 13, programs without cycles, and bad input.

Every trace replays. The results do not depend on the compiler, the optimisation, the isolation or the run.
"""

import argparse
import json
import pathlib
import re
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE / "predict"
sys.path.insert(0, str(HERE.parent / "support"))
from heddle_tool import Failure, Heddle  # noqa: E402


def expect(condition, message, run=None):
    if not condition:
        raise Failure(message + (f":\n{run.describe()}" if run else ""))


def predict(heddle, folder, program, *options, arguments=()):
    run = heddle.run("predict", "--json", folder / "result.json", "--out", folder / "out", *options, program, *arguments)
    expect(run.code in (0, 1), "heddle predict fails", run)
    run.result = json.loads((folder / "result.json").read_text())
    return run


def lines_of(cycle):
    """The lines of the cycle's accesses, from the smallest line of a pair on."""
    pairs = [[access["line"] for access in pair] for pair in cycle["pairs"]]
    first = pairs.index(min(pairs))
    return sum(pairs[first:] + pairs[:first], [])


def line_numbers(source, *texts):
    lines = (PROGRAMS / source).read_text().splitlines()
    return [next(i + 1 for i, line in enumerate(lines) if text in line) for text in texts]


def replays(heddle, run):
    traces = re.findall(r"replay: heddle replay (\S+)", run.output)
    expect(traces, "there are no traces", run)
    for trace in traces:
        again = heddle.run("replay", trace)
        expect(again.code == 1 and "the same finding" in again.output, f"{trace} does not replay", again)
        expect("these accesses form a cycle" in again.output, "the replay does not show the cycle", again)
    return len(traces)


def figure2(heddle, folder, compiler, level):
    """Section 2 of the paper: two cycles, both feasible under PSO, and one of them leads to the error."""
    program = heddle.compile(PROGRAMS / "figure2.c", compiler, ["-g", level])
    run = predict(heddle, folder, program)
    one, two, three = line_numbers("figure2.c", "&x, 1", "&y, 1", "&done, 1")
    four, five, seven = line_numbers("figure2.c", "load_explicit(&done", "load_explicit(&x", "load_explicit(&y")
    cycles = {tuple(lines_of(cycle)): cycle for cycle in run.result["cycles"]}
    expect(set(cycles) == {(one, three, four, five), (two, three, four, seven)}, f"other cycles: {set(cycles)}", run)
    harmful, benign = cycles[one, three, four, five], cycles[two, three, four, seven]
    expect(run.code == 1, "there is a buggy cycle", run)
    for model in ("pso", "pslo", "rc11"):
        expect(harmful["models"][model]["buggy"] > 20, f"{model}: the first cycle leads to the error", run)
        expect(benign["models"][model]["buggy"] == 0, f"{model}: the second cycle does not", run)
        expect(benign["models"][model]["confirmed"] > 20, f"{model}: the second cycle is feasible", run)
        expect(run.result["models"][model]["probability"] >= 0.8, f"{model}: low probability", run)
    expect(run.result["models"]["tso"]["confirmed"] == 0, "tso does not reorder stores", run)
    expect(harmful["forbidden_by"] == benign["forbidden_by"], "the same change forbids both", run)
    for text in (f"memory_order_acquire for the load at figure2.c:{four}",
                 f"memory_order_release for the store at figure2.c:{three}"):
        expect(text in harmful["forbidden_by"], f"no advice: {text}", run)
    return run


def figure2_replays(heddle, folder):
    run = figure2(heddle, folder, "gcc", "-O1")
    expect(replays(heddle, run) == 6, "a trace is missing", run)
    again = predict(heddle, folder, heddle.compile(PROGRAMS / "figure2.c", "gcc", ["-g", "-O1"]), "--isolation", "fork")
    for result in (run.result, again.result):
        for model in result["models"].values():
            del model["seconds"]
        del result["seconds"]
    expect(run.result == again.result, "the isolation changes the result", again)


def fixed_figure2(heddle, folder):
    """What heddle predict advises for figure 2 does forbid its cycles."""
    program = heddle.compile(PROGRAMS / "fixed2.c", "gcc", ["-g", "-O1"])
    run = predict(heddle, folder, program)
    expect(run.code == 0 and len(run.result["cycles"]) == 2, "the cycles are predicted, and none is buggy", run)
    for model in run.result["models"].values():
        expect(model["confirmed"] == 0, "the memory orders do not forbid the cycles", run)


def figure13(heddle, folder, compiler, level):
    """Section 6 of the paper: the cycle is predicted although the lock orders the accesses, and TSO shows it."""
    program = heddle.compile(PROGRAMS / "figure13.cpp", compiler, ["-g", level])
    run = predict(heddle, folder, program)
    lines = line_numbers("figure13.cpp", "x.store", "y.load", "y.store", "x.load")
    expect([lines_of(cycle) for cycle in run.result["cycles"]] == [lines], "other cycles", run)
    for name, model in run.result["models"].items():
        expect(model["buggy"] == 1 and model["probability"] >= 0.8, f"{name}: the cycle is not confirmed", run)
    first, second, third, fourth = lines
    expect(set(run.result["cycles"][0]["forbidden_by"]) == {
        f"atomic_thread_fence(memory_order_seq_cst) between figure13.cpp:{a} and figure13.cpp:{b}"
        for a, b in ((first, second), (third, fourth))}, "other advice", run)
    expect(replays(heddle, run) == 4, "a trace is missing", run)


def figure10(heddle, folder):
    """Section 5.4 of the paper: stores into a node that is not there yet. With a fence between stores PSO is right, and PSLO
    still reads the old data, but not the old next, since the unlock and lock between the two loads is a barrier for loads."""
    second, third, fifth = line_numbers("figure10.c", "&n->data, data", "&n->next, NULL", "&Q->tl->next, n")
    tenth, fourteenth = line_numbers("figure10.c", "load_explicit(&n->next", "load_explicit(&nhd->data")
    data, following = (second, fifth, tenth, fourteenth), (third, fifth, tenth, tenth)
    for flags, buggy in (([], {"pso": {data, following}, "pslo": {data, following}}),
                         (["-DSS_FENCE"], {"pso": set(), "pslo": {data}})):
        run = predict(heddle, folder, heddle.compile(PROGRAMS / "figure10.c", "gcc", ["-g", "-O1", *flags]), "-m", "tso,pso,pslo")
        cycles = {tuple(lines_of(cycle)): cycle["models"] for cycle in run.result["cycles"]}
        expect(set(cycles) == {data, following}, f"other cycles: {set(cycles)}", run)
        for model, expected in {"tso": set(), **buggy}.items():
            shown = {name for name, models in cycles.items() if models.get(model, {}).get("buggy", 0)}
            expect(shown == expected, f"{model} {flags}: buggy cycles {shown}", run)
        expect(run.code == 1, "there is a buggy cycle", run)


def expensive_figure13(heddle, folder):
    """Where f1 and f2 make 5,000 operations each, the cycle needs delays that are as long."""
    program = heddle.compile(PROGRAMS / "figure13.cpp", "gcc", ["-g", "-O1"])
    run = predict(heddle, folder, program, "-n", "3", "--trials", "3", arguments=("5000", "5000"))
    for name, model in run.result["models"].items():
        expect(model["buggy"] == 1, f"{name}: the cycle is not confirmed", run)


def nothing_to_predict(heddle, folder):
    for source, arguments, text in (("locked.c", (), "0 cycles predicted"),
                                    ("unshared.c", (), "the program makes no atomic accesses"),
                                    ("unshared.c", ("x",), "only one thread makes atomic accesses")):
        run = predict(heddle, folder, heddle.compile(PROGRAMS / source, "gcc", ["-g"]), arguments=arguments)
        expect(run.code == 0 and text in run.output and not run.result["cycles"], f"{source}: not '{text}'", run)


def fails_under_sc(heddle, folder):
    """The deadlock is not blamed on the cycle."""
    run = predict(heddle, folder, heddle.compile(PROGRAMS / "deadlock.c", "gcc", ["-g"]), "-m", "tso")
    expect("sc shows this, too" in run.output and "deadlock" in run.output, "the deadlock is not mentioned", run)
    expect(run.code == 0 and run.result["models"]["tso"]["confirmed"] == 1, "the cycle is confirmed and benign", run)
    expect(run.result["sc"]["findings"][0]["kind"] == "deadlock", "the JSON lacks the finding", run)


MANY_CYCLES = """#include <pthread.h>
#include <stdatomic.h>
static atomic_int cells[200];
#define WRITE(i) atomic_store_explicit(&cells[i], 1, memory_order_relaxed)
static void* up(void* unused) {
UP
  return unused;
}
static void* down(void* unused) {
DOWN
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, up, 0);
  pthread_create(&b, 0, down, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
"""


def bounds(heddle, folder):
    """A trace that is too long, and one with 19,900 cycles."""
    program = heddle.compile(PROGRAMS / "long.c", "gcc", ["-g"])
    run = predict(heddle, folder, program, "-m", "tso", "-n", "1")
    expect("executions are too long for the search" in run.output, "the long trace is not mentioned", run)
    source = folder / "many.c"
    writes = [f"  WRITE({i});" for i in range(200)]
    source.write_text(MANY_CYCLES.replace("UP", "\n".join(writes)).replace("DOWN", "\n".join(reversed(writes))))
    program = heddle.compile(source, "gcc", ["-g"])
    run = predict(heddle, folder, program, "-m", "tso", "-n", "3")
    expect("the search for cycles ended at its bound, with 10000 cycles" in run.output, "the bound is not mentioned", run)


def wrong_usage(heddle, folder):
    program = heddle.compile(PROGRAMS / "locked.c", "gcc", ["-g"])
    for options, text in ((("-m", "sc"), "does not take -m sc"), (("-m", "tso,xy"), "there is no memory model 'xy'"),
                          (("-m", "tso,tso"), "names tso twice"), (("--cycle-length", "5"), "even number"),
                          (("--cycle-length", "2"), "--cycle-length 2"), (("--trials", "0"), "--trials 0"),
                          (("--jobs", "2"), "heddle predict does not take --jobs"),
                          (("--json", folder / "missing" / "x.json"), "does not exist")):
        run = heddle.run("predict", *options, program)
        expect(run.code == 2 and text in run.output, f"{options}: not '{text}'", run)
    expect(heddle.run("predict").code == 2, "a program is needed")
    expect(heddle.run("predict", folder / "missing").code == 3, "the program does not exist")
    expect(heddle.run("predict", "/bin/true").code == 3, "the program is not instrumented")
    run = heddle.run("help", "predict")
    expect(run.code == 0 and "--cycle-length" in run.output, "no help page", run)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, help="heddle's build folder")
    parser.add_argument("--cache", required=True, help="folder for the programs")
    parser.add_argument("--compilers", default="gcc,clang")
    arguments = parser.parse_args()
    heddle = Heddle(arguments.build, arguments.cache)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        tests = [lambda: figure2_replays(heddle, folder), lambda: fixed_figure2(heddle, folder),
                 lambda: figure10(heddle, folder), lambda: expensive_figure13(heddle, folder),
                 lambda: nothing_to_predict(heddle, folder), lambda: fails_under_sc(heddle, folder),
                 lambda: bounds(heddle, folder), lambda: wrong_usage(heddle, folder)]
        for compiler in arguments.compilers.split(","):
            for level in ("-O0", "-O2"):
                tests.append(lambda c=compiler, o=level: figure2(heddle, folder, c, o))
                tests.append(lambda c=compiler, o=level: figure13(heddle, folder, c, o))
        try:
            for test in tests:
                test()
        except Failure as failure:
            sys.exit(str(failure))
    print(f"{len(tests)} tests passed")


if __name__ == "__main__":
    main()
