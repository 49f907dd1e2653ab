#!/usr/bin/env python3
"""heddle verify: bounds on preemptions, pictures of graphs, joins with a time limit, and programs for GenMC."""

import json
import pathlib
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE.parents[1] / "benchmarks" / "verify"
sys.path.insert(0, str(HERE.parent / "support"))
from heddle_tool import Failure, run_checks, without  # noqa: E402

INCREMENTS = """
#include <atomic>
#include <thread>
std::atomic<int> x{0};
void add() { for (int i = 0; i < 3; ++i) x.fetch_add(1); }
int main() {
  std::thread a(add), b(add), c(add);
  a.join();
  b.join();
  c.join();
}
"""

# Needs a preemption: the first thread is left between its load and its store.
LOST_UPDATE = """
#include <atomic>
#include <cassert>
#include <thread>
std::atomic<int> x{0}, y{0}, z{0};
int main() {
  std::thread a([] { int r = x; y = 1; x = r + 1; });
  std::thread b([] { if (y == 1) { x = x + 2; z = 1; } });
  a.join();
  b.join();
  assert(z == 0 || x != 1);
}
"""

JOINS = """
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
static void* nothing(void* argument) { return argument; }
static const char* name(int result) { return result == 0 ? "joined" : result == EBUSY ? "busy" : "late"; }
int main(void) {
  pthread_t first, second, third;
  struct timespec soon;
  pthread_create(&first, NULL, nothing, NULL);
  pthread_create(&second, NULL, nothing, NULL);
  pthread_create(&third, NULL, nothing, NULL);
  const int tried = pthread_tryjoin_np(first, NULL);
  clock_gettime(CLOCK_REALTIME, &soon);
  const int timed = pthread_timedjoin_np(second, NULL, &soon);
  clock_gettime(CLOCK_MONOTONIC, &soon);
  const int clocked = pthread_clockjoin_np(third, NULL, CLOCK_MONOTONIC, &soon);
  if (tried != 0) pthread_join(first, NULL);
  if (timed != 0) pthread_join(second, NULL);
  if (clocked != 0) pthread_join(third, NULL);
  printf("%s %s %s\\n", name(tried), name(timed), name(clocked));
  pthread_create(&first, NULL, nothing, NULL);
  while (pthread_tryjoin_np(first, NULL) == EBUSY) {
  }
  return 0;
}
"""


class Suite:
    def __init__(self, heddle, folder):
        self.heddle, self.folder = heddle, folder

    def compile(self, name, text, *flags):
        source = self.folder / name
        source.write_text(text)
        return self.heddle.compile(source, flags=[*flags, "-g", "-O1"])

    def verify(self, program, *options, arguments=(), code=0):
        path = self.folder / "result.json"
        run = self.heddle.run("verify", "--explain", "none", *options, "--json", path, "--out", self.folder / "out", program,
                              *arguments)
        run.result = json.loads(path.read_text()) if path.exists() else {}
        if run.code != code:
            raise Failure(f"exit code {code} was expected\n{run.describe()}")
        return run

    def expect(self, is_right, what, run):
        if not is_right:
            raise Failure(f"{what}\n{run.describe()}\n{json.dumps(run.result)[:3000]}")

    def check_bounds(self):
        program = self.compile("increments.cpp", INCREMENTS, "-std=c++20")
        counts = []
        for bound in range(3):
            run = self.verify(program, "-m", "sc", "--bound-switches", bound, code=3)
            counts.append(run.result["executions"])
            self.expect(run.result["cut_off"] > 0 and "not exhaustive" in run.output, "executions were cut off", run)
            shared = self.verify(program, "-m", "sc", "-j", 2, "--bound-switches", bound, code=3)
            self.expect(without(shared.result, "seconds", "rate") == without(run.result, "seconds", "rate"),
                        "-j 2 gives another result", shared)
        # Whole threads one after the other; then one thread in two parts around one or two others.
        self.expect(counts[0] == 6 and counts[0] < counts[1] < counts[2] < 1680, f"{counts} executions", run)
        run = self.verify(program, "-m", "sc", "--bound", "auto")
        self.expect(run.result["executions"] == 1680 and run.result["all_explored"], "everything is explored at last", run)
        self.expect(run.result["switches_explored"] == 6, "9 events of 3 threads have 8 switches, 2 of them at an end", run)
        run = self.verify(program, "--bound", "auto", "--bound-loop", 3, code=2)
        self.expect("--bound auto" in run.output, "it takes no other bound", run)
        lost = self.compile("lost_update.cpp", LOST_UPDATE, "-std=c++20")
        run = self.verify(lost, "-m", "sc", "--bound", "auto", code=1)
        self.expect(run.result["findings"][0]["kind"] == "assert", "the bug is found", run)

    def check_graphs(self):
        program = self.compile("increments.cpp", INCREMENTS, "-std=c++20")
        texts = []
        for jobs in (1, 2):
            run = self.verify(program, "-j", jobs, "--print-graphs", 2)
            lines = run.output.splitlines()
            texts.append(lines[:-1])
            self.expect([line for line in lines if line.startswith("heddle: graph")][-1].startswith("heddle: graph 2,"),
                        "two graphs", run)
            self.expect(sum("reads T0" in line for line in lines) >= 16, "9 increments each, 8 of which read another", run)
            self.expect(sum("modification order of `x`" in line or "modification order of x" in line for line in lines) == 2,
                        "modification orders", run)
        self.expect(texts[0] == texts[1], "-j 2 prints other graphs", run)
        lock = self.heddle.compile(PROGRAMS / "ticket_lock.cpp", flags=["-std=c++20", "-O2", "-g"])
        pictures = self.folder / "pictures"
        run = self.verify(lock, "--dot", pictures, "--dot-graphs", "all", arguments=["3"])
        files = sorted(pictures.iterdir())
        self.expect(len(files) == run.result["executions"] == 6, f"6 pictures: {files}", run)
        self.expect(all(file.read_text().startswith("digraph") for file in files), "pictures for Graphviz", run)
        broken = self.heddle.compile(PROGRAMS / "ticket_lock.cpp", flags=["-std=c++20", "-O2", "-g", "-DBROKEN"])
        of_findings = self.folder / "of_findings"
        run = self.verify(broken, "--dot", of_findings, arguments=["2"], code=1)
        self.expect(len(list(of_findings.iterdir())) == len(run.result["findings"]), "a picture for each finding", run)

    def check_joins(self):
        program = self.compile("joins.c", JOINS)
        run = self.verify(program, "--show-output", "-s", "exhaustive:spurious=3")
        printed = {output["text"] for output in run.result["outputs"]}
        expected = {f"{tried} {timed} {clocked}\n" for tried in ("joined", "busy") for timed in ("joined", "late")
                    for clocked in ("joined", "late")}
        self.expect(run.result["all_explored"] and printed == expected, f"every join may come too early: {printed}", run)
        run = self.verify(program, "--show-output")
        self.expect(len({output["text"] for output in run.result["outputs"]}) == 4, "one of them, or none", run)

    def check_genmc(self):
        for compiler in ("gcc", "clang"):
            program = self.heddle.compile(HERE / "genmc" / "names.c", compiler, ["-O1"])
            self.expect(True, "", self.verify(program))
        run = self.heddle.run("cc", "-c", HERE / "genmc" / "persistence.c", "-o", self.folder / "persistence.o")
        if run.code == 0 or "does not model persistent memory" not in run.output:
            raise Failure(f"persistent memory has to be refused\n{run.describe()}")


def check_all(heddle, folder, arguments):
    suite = Suite(heddle, folder)
    for check in (suite.check_bounds, suite.check_graphs, suite.check_joins, suite.check_genmc):
        check()


if __name__ == "__main__":
    sys.exit(run_checks(__doc__, check_all))
