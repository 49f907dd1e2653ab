#!/usr/bin/env python3
"""heddle verify with several workers: the same result as with one, whatever the number of workers is, whether the search
ends early, and whether a worker dies.
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE.parents[1] / "benchmarks" / "verify"
sys.path.insert(0, str(HERE.parent / "support"))
from heddle_tool import GUARD_SECONDS, Failure, run_checks, without  # noqa: E402

# Program, flags of the compiler, arguments: of each program a size that takes some hundredths of a second or more.
COMPLETE = [
    ("synthetic", ["writers", 6]), ("synthetic", ["increments", 6]), ("synthetic", ["lastzero", 8]),
    ("synthetic", ["chain", 7]), ("ttas_lock", [4]), ("ticket_lock", [4]), ("mcs_lock", [3]), ("seqlock", [3]),
    ("mpmc_queue", [4]), ("szymanski", [2]), ("lamport_fast_mutex", [2]), ("treiber_stack", [3]), ("ms_queue", [2]),
    ("retry_loop", [4]),
]
BROKEN = [
    ("ttas_lock", [3]), ("ticket_lock", [3]), ("mcs_lock", [3]), ("seqlock", [2]), ("mpmc_queue", [2]),
    ("szymanski", [2]), ("lamport_fast_mutex", [2]), ("treiber_stack", [3]), ("ms_queue", [2]),
]


def result_of(run, path):
    if not path.exists():
        raise Failure(f"no result\n{run.describe()}")
    result = without(json.loads(path.read_text()), "seconds", "rate")
    path.unlink()
    return run.code, result


def verify(heddle, program, words, folder, jobs, *options):
    path = folder / "result.json"
    run = heddle.run("verify", "-j", jobs, "--explain", "none", *options, "--json", path, "--out", folder / "out", program,
                     *words)
    return result_of(run, path)


def check_same(heddle, program, words, folder, *options, numbers=(2, 3)):
    """The results for several numbers of workers. Returns the one for one worker."""
    expected = verify(heddle, program, words, folder, 1, *options)
    for jobs in numbers:
        found = verify(heddle, program, words, folder, jobs, *options)
        if found != expected:
            raise Failure(f"-j {jobs} {' '.join(map(str, options))} {program} {words}: the result differs from -j 1\n"
                          f"{json.dumps(expected[1])}\n{json.dumps(found[1])}")
    return expected


def workers_of(pid):
    try:
        return [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def check_killed(heddle, program, words, folder, jobs, kills, expected):
    """Kills workers while they search."""
    path = folder / "result.json"
    command = [heddle.command, "verify", "-j", jobs, "--quiet", "--json", path, "--out", folder / "out", program, *words]
    with (folder / "output").open("wb") as output:
        process = subprocess.Popen([str(word) for word in command], stdout=output, stderr=subprocess.STDOUT)
        killed, begun, last = 0, time.monotonic(), 0
        while process.poll() is None and time.monotonic() - begun < GUARD_SECONDS:
            workers = workers_of(process.pid)
            # Not before the search has begun: then it is the first worker that explores, and has given parts away.
            if killed < kills and len(workers) == jobs and workers[killed % jobs] != last and time.monotonic() - begun > 0.1:
                last = workers[killed % jobs]
                os.kill(last, signal.SIGKILL)
                killed += 1
            time.sleep(0.01)
        process.wait()
    result = without(json.loads(path.read_text()), "seconds", "rate")
    if (process.returncode, result) != expected:
        raise Failure(f"after {killed} kills: {(folder / 'output').read_text()}\n{json.dumps(result)}\n"
                      f"expected: {json.dumps(expected[1])}")
    if killed != kills:
        raise Failure(f"the search ended before {kills} workers could be killed, after {killed}")


LOCKS = """
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>
std::mutex first, second;
std::condition_variable changed;
int count = 0;
std::atomic<int> x{0};
int main(int, char** arguments) {
  const int threads = std::atoi(arguments[1]);
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i)
    all.emplace_back([i] {
      { std::scoped_lock lock(first); ++count; }
      x.store(i, std::memory_order_relaxed);
      { std::scoped_lock lock(second); if (x.load(std::memory_order_relaxed) == i) changed.notify_one(); }
    });
  { std::unique_lock lock(first); if (count == 0) changed.wait_for(lock, std::chrono::seconds(1)); }
  for (std::thread& thread : all) thread.join();
}
"""

CRASH = """
#include <atomic>
#include <sys/syscall.h>
#include <thread>
std::atomic<int> x{0}, y{0};
long call(long number, long first, long second) {  // heddle does not see it
  long result;
  asm volatile("syscall" : "=a"(result) : "a"(number), "D"(first), "S"(second) : "rcx", "r11", "memory");
  return result;
}
void die() { call(SYS_kill, call(SYS_getpid, 0, 0), 9); }
int main() {
  std::thread a([] { x = 1; y.load(); x = 2; });
  std::thread b([] { y = 1; if (x.load() == 1) die(); });
  a.join();
  b.join();
}
"""


def check_crash(heddle, folder):
    """A process that dies each time is a finding, and not tried again for ever."""
    source = folder / "crash.cpp"
    source.write_text(CRASH)
    code, result = check_same(heddle, heddle.compile(source, flags=["-std=c++20", "-g"]), [], folder)
    if code != 1 or [finding["kind"] for finding in result["findings"]] != ["crash"]:
        raise Failure(f"a crash was expected: {json.dumps(result)}")


def check_all(heddle, folder, arguments):
    def build(name, *flags):
        return heddle.compile(PROGRAMS / f"{name}.cpp", flags=["-std=c++20", "-O2", "-g", *flags])

    for program, words in COMPLETE:
        code, result = check_same(heddle, build(program), words, folder)
        if code != 0 or not result["all_explored"]:
            raise Failure(f"{program} {words}: not all explored")
    for program, words in BROKEN:
        code, result = check_same(heddle, build(program, "-DBROKEN"), words, folder)
        if code != 1 or not result["findings"]:
            raise Failure(f"{program} {words}: no bug")
    check_same(heddle, build("ttas_lock", "-DBROKEN"), [3], folder, "--keep-going")
    check_same(heddle, build("synthetic"), ["writers", 7], folder, "-n", 1500)
    check_same(heddle, build("synthetic"), ["writers", 5], folder, "-n", 120)
    check_same(heddle, build("ttas_lock"), [3], folder, "-m", "sc", "--symmetry")
    check_crash(heddle, folder)
    locks = folder / "locks.cpp"
    locks.write_text(LOCKS)
    check_same(heddle, heddle.compile(locks, flags=["-std=c++20", "-g", "-O1"]), [3], folder)
    words = ["writers", 9]
    expected = check_same(heddle, build("synthetic"), words, folder, numbers=())
    for jobs in (1, 2, 3):
        check_killed(heddle, build("synthetic"), words, folder, jobs, jobs, expected)
    run = heddle.run("verify", "-j", 2, "-m", "c11", build("synthetic"), "writers", 2)
    if run.code != 2 or "runs in one process" not in run.output:
        raise Failure(f"-j 2 under c11 should be refused\n{run.describe()}")


if __name__ == "__main__":
    sys.exit(run_checks(__doc__, check_all))
