#!/usr/bin/env python3
"""--baseline and --results: what is known, new and gone, also after the program was built again from a source that has changed."""

import json
import pathlib
import sqlite3
import subprocess
import sys
import xml.etree.ElementTree

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from heddle_tool import Failure, run_checks  # noqa: E402

SOURCE = """
#include <atomic>
#include <cassert>
#include <thread>
@COMMENT@
int first, second;
std::atomic<int> x{0}, y{0};
void one() {
  first = 1;
#ifdef SECOND
  second = 1;
#endif
}
void two() { x.store(1, std::memory_order_relaxed); }
void three() {
  if (x.load(std::memory_order_relaxed) == 1) y.fetch_add(1);
#ifdef FAILS
  assert(y.load() == 0 && "y has changed");
#endif
}
int main() {
  std::thread a([] { one(); two(); }), b([] { three(); });
#ifndef FIXED
  one();
#endif
  a.join();
  b.join();
}
"""
SAMPLE = ["-s", "random", "-n", 200]


def expect(condition, run):
    if not condition:
        raise Failure(run.describe())


class Programs:
    """Builds of one program."""

    def __init__(self, heddle, folder):
        self.heddle, self.folder = heddle, folder

    def build(self, *flags, comment=""):
        source = self.folder / "program.cpp"
        source.write_text(SOURCE.replace("@COMMENT@", comment))
        run = self.heddle.run("c++", "-std=c++20", "-O1", "-g", *flags, source, "-o", self.folder / "program")
        expect(run.code == 0, run)
        return self.folder / "program"


def keys_of(path):
    return {finding["lasting_key"] for finding in json.loads(path.read_text())["findings"]}


def check_baseline(heddle, programs, folder):
    known, out = folder / "known.json", folder / "out"
    test = ["test", *SAMPLE, "--out", out]
    program = programs.build()
    run = heddle.run(*test, "--explain", "none", "--json", known, program)
    expect(run.code == 1 and len(keys_of(known)) == 1, run)

    # One build with explanations, and its source at other lines and addresses.
    for comment in ("", "// one line\n// and another\nint unused[100];\nint more() { return unused[3]; }"):
        program = programs.build(comment=comment)
        report = folder / "report.json"
        run = heddle.run(*test, "--baseline", known, "--json", report, "--junit", folder / "junit.xml", "--sarif", folder / "sarif.json",
                         "--annotations", "github", program)
        expect(run.code == 0 and "heddle: known: data race on `first`" in run.output and "(1 known)" in run.output, run)
        expect(keys_of(report) == keys_of(known) and json.loads(report.read_text())["findings"][0]["known"], run)
        expect("::notice" in run.output and "::error" not in run.output, run)
        suite = xml.etree.ElementTree.parse(folder / "junit.xml").find("testsuite")
        expect(suite.get("failures") == "0" and suite.get("skipped") == "1" and suite.find("testcase/skipped") is not None, run)
        states = [result["baselineState"] for result in json.loads((folder / "sarif.json").read_text())["runs"][0]["results"]]
        expect(states == ["unchanged"], run)

    # A new bug fails, and is the only one that is shown. The search does not stop at the known one.
    program = programs.build("-DFAILS")
    for command in (["test", *SAMPLE], ["verify"]):
        run = heddle.run(*command, "--out", out, "--explain", "none", "--baseline", known, program)
        expect(run.code == 1 and "y has changed" in run.output and "heddle: known: data race" in run.output, run)
        expect("found in" in run.output and "heddle: data race" not in run.output, run)
    run = heddle.run("verify", "--out", out, "--explain", "none", "--baseline", known, programs.build())
    expect(run.code == 0 and "no proof" in run.output, run)

    for name, content, sentence in [("absent", None, "cannot"), ("empty", "", "is not a report"), ("list", "[]", "is not a report"),
                                    ("old", '{"findings": [{"key": "1"}]}', "is not a report")]:
        path = folder / name
        if content is not None:
            path.write_text(content)
        run = heddle.run(*test, "--baseline", path, program)
        expect(run.code == 2 and "--baseline" in run.output and sentence in run.output, run)
    run = heddle.run(*test, "--baseline", known, "--stop-on-bug", program)
    expect(run.code == 2 and "contradict" in run.output, run)


def check_results(heddle, programs, folder):
    database, out = folder / "results.db", folder / "out"

    def campaign(program, *options):
        return heddle.run("test", *SAMPLE, "--explain", "none", "--results", database, "--out", out, *options, program)

    def results(*options):
        return heddle.run("results", *options, database)

    program = programs.build("-DSECOND")
    expect(campaign(program).code == 1, campaign(program))
    expect(campaign(program, "--seed", 2).code == 1, campaign(program))
    run = results("--compare", "previous..latest")
    expect(run.code == 2 and "no build previous" in run.output, run)
    program = programs.build("-DFAILS", comment="int moved;")
    expect(campaign(program).code == 1, campaign(program))

    listed = results()
    expect(listed.code == 0 and "#1 " in listed.output and "data race on `second`" in listed.output, listed)
    last = results("--last", 1)
    expect(last.code == 0 and "#1 " not in last.output and "y has changed" in last.output, last)
    builds = results("--builds", "--json", folder / "builds.json")
    ids = [build["build_id"] for build in json.loads((folder / "builds.json").read_text())["builds"]]
    expect(builds.code == 0 and len(ids) == 2, builds)

    # New: the assertion. Gone: the second race. Still there: the first one, at another line.
    for sides in ("previous..latest", f"{ids[0][:10]}..{ids[1][:10]}"):
        run = results("--compare", sides, "--json", folder / "compared.json")
        compared = json.loads((folder / "compared.json").read_text())
        kinds = {name: [(entry["kind"], entry["headline"].split("`")[1:2]) for entry in compared[name]]
                 for name in ("new", "gone", "still_there")}
        expect(run.code == 1 and "1 new, 1 gone, 1 still there" in run.output, run)
        expect(kinds == {"new": [("assert", [])], "gone": [("race", ["second"])], "still_there": [("race", ["first"])]}, run)
    run = results("--compare", "#1..#2")
    expect(run.code == 0 and "0 new, 0 gone, 2 still there" in run.output, run)

    run = results("--json", folder / "all.json")
    everything = json.loads((folder / "all.json").read_text())["campaigns"]
    expect(run.code == 0 and everything[0]["executions"] == 200 and everything[0]["over_time"], run)
    with sqlite3.connect(database) as connection:
        expect(connection.execute("PRAGMA integrity_check").fetchone() == ("ok",), run)

    for arguments, code, sentence in [(("--compare", "zz..latest"), 2, "no build zz"), (("--compare", "#99..#1"), 2, "no campaign #99"),
                                      (("--compare", "latest"), 2, "write OLD..NEW"), (("--program", "other"), 0, "")]:
        run = results(*arguments)
        expect(run.code == code and sentence in run.output, run)
    text = folder / "text"
    text.write_text("this is no database, but it is long enough to have a head" * 20)
    with sqlite3.connect(folder / "foreign.db") as connection:
        connection.execute("CREATE TABLE t (a)")
    for path, code, sentence in [(text, 3, "no database of results"), (folder / "foreign.db", 2, "none of heddle"),
                                 (folder / "absent.db", 2, "cannot read")]:
        run = heddle.run("results", path)
        expect(run.code == code and sentence in run.output, run)
        if path.exists():
            run = heddle.run("test", "-n", 1, "--results", path, "--out", out, program)
            expect(run.code == code and sentence in run.output, run)
    run = heddle.run("test", "-n", 1, "--results", folder / "nowhere" / "x.db", "--out", out, program)
    expect(run.code == 3 and "cannot use the database" in run.output, run)
    run = heddle.run("test", "--shard", "1/2", "--results", database, program)
    expect(run.code == 2 and "heddle merge" in run.output, run)


def check_merged(heddle, programs, folder):
    """heddle merge has the same options."""
    program = programs.build()
    for index in (1, 2):
        heddle.run("test", *SAMPLE, "--shard", f"{index}/2", "--out", folder / "shards", program)
    database = folder / "merged.db"
    run = heddle.run("merge", "--results", database, "--baseline", folder / "known.json", "--out", folder / "out", folder / "shards")
    expect(run.code == 0 and "heddle: known" in run.output, run)
    run = heddle.run("results", database)
    expect("200 executions" in run.output and "known bug" in run.output, run)


def check_writers(heddle, programs, folder):
    """Several processes write at the same time, also the first time, and nothing is lost."""
    database, program = folder / "shared.db", programs.build()
    processes = [subprocess.Popen([heddle.command, "test", "-q", "-s", "random", "-n", "20", "--seed", str(seed), "--explain", "none",
                                   "--results", database, "--out", folder / "out", program], stdout=subprocess.DEVNULL)
                 for seed in range(12)]
    codes = [process.wait() for process in processes]
    run = heddle.run("results", "--json", folder / "shared.json", database)
    seeds = sorted(int(campaign["seed"]) for campaign in json.loads((folder / "shared.json").read_text())["campaigns"])
    expect(set(codes) <= {0, 1} and seeds == list(range(12)), run)


def check_all(heddle, folder, arguments):
    programs = Programs(heddle, folder)
    check_baseline(heddle, programs, folder)
    check_results(heddle, programs, folder)
    check_merged(heddle, programs, folder)
    check_writers(heddle, programs, folder)


if __name__ == "__main__":
    sys.exit(run_checks(__doc__, check_all))
