#!/usr/bin/env python3
"""heddle show: what its SVG, DOT and HTML hold, and what it says if it cannot draw. browser.py opens the pages."""

import argparse
import base64
import hashlib
import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))
from heddle_tool import Failure, Heddle  # noqa: E402

FLAGS = ["-std=c++20", "-g", "-O1"]
LONG_OPTIONS = ["-n", "2", "-s", "random", "--explain", "none"]
SVG = "{http://www.w3.org/2000/svg}"
# What a program may not do to a page: end the data or the title.
HOSTILE = """
#include <cstdio>
#include <cstdlib>
#include <thread>
int shared;
int main() {
  std::puts("</script><script>document.title = 'taken over'</script>{{data}}{{title}}");
  std::thread other([] { shared = 1; });
  shared = 2;
  other.join();
}
"""

# More events than a page holds. They are seq_cst, so that heddle keeps them all.
LONG = """
#include <atomic>
#include <thread>
std::atomic<int> first, second;
int shared;
void work() {
  for (int i = 0; i < 6000; ++i) {
    first.store(i);
    second.load();
  }
  shared = 1;
}
int main() {
  std::thread other(work);
  work();
  other.join();
}
"""


def expect(condition, text):
    if not condition:
        raise Failure(text)


def classes(root, tag):
    """How often each class of the elements occurs: {"edge rf": 2}"""
    found = {}
    for node in root.iter(SVG + tag):
        found[node.get("class")] = found.get(node.get("class"), 0) + 1
    return found


def svg_of(heddle, trace, *options):
    done = heddle.run("show", trace, "--svg", "-", *options)
    expect(done.code == 0, f"no SVG\n{done.describe()}")
    return xml.etree.ElementTree.fromstring(done.output)


def page_parts(text):
    """The policy, the style, the data and the script of a page."""
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)[1]
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1])
    script = re.search(r"</script>\s*<script>(.*?)</script>", text, re.DOTALL)[1]
    return html.unescape(policy), style, data, script


def hash_of(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def check_page(text):
    policy, style, data, script = page_parts(text)
    expect(f"script-src {hash_of(script)};" in policy and f"style-src {hash_of(style)};" in policy,
           "the policy does not have the hashes of the script and the style")
    expect("default-src 'none'" in policy and "unsafe" not in policy, f"the policy is not strict: {policy}")
    expect(not re.search(r'(?:src|href)="|@import|url\((?!#)', text.replace(script, "")), "the page names another file")
    expect("Redistribution and use in source and binary forms" in script, "the licence of d3 is not in the page")
    return data


class Traces:
    """The traces of a program, found once."""

    def __init__(self, heddle, folder):
        self.heddle, self.folder = heddle, folder

    def of(self, source):
        out = self.folder / source.stem
        done = self.heddle.run("test", "--out", out, self.heddle.compile(source, flags=FLAGS))
        traces = sorted(out.glob("*.trace"))
        expect(traces, f"no trace\n{done.describe()}")
        return traces[0]


def check_race(heddle, trace):
    root = svg_of(heddle, trace)
    expect(classes(root, "path").get("edge unordered", 0) >= 1, "the race is not marked")
    expect(classes(root, "rect").get("box") == 4, f"the story has 4 events: {classes(root, 'rect')}")
    expect(classes(root, "circle").get("badge") == 4, "the steps are not numbered")
    texts = "".join(root.itertext())
    for text in ("write payload = 42", "store ready = 1", "load ready = 1", "read payload = 42", "relaxed · line 15"):
        expect(text in texts, f"the picture does not say {text!r}")
    everything = svg_of(heddle, trace, "--all-events", "--edges", "rf,mo,fr,sw,hb")
    expect(classes(everything, "rect")["box"] > 4, "--all-events shows no more events")
    expect(classes(everything, "path").get("edge hb", 0) >= 2, "threads begin and end without hb")
    expect("edge rf" not in classes(svg_of(heddle, trace, "--edges", "none"), "path"), "--edges none has edges")


def check_stale(heddle, trace):
    root = svg_of(heddle, trace, "--edges", "rf,fr")
    found = classes(root, "path")
    expect(classes(root, "rect").get("box stale", 0) >= 1, "no read is marked as stale")
    expect(found.get("edge missed", 0) > 0 and found.get("edge fr", 0) > 0, f"the missed write has no arrow: {found}")


def check_dot(heddle, trace):
    done = heddle.run("show", "--dot", trace)  # the word after --dot is the trace: there is no other
    expect(done.code == 0 and done.output.startswith("digraph execution {"), f"no graph\n{done.describe()}")
    expect(re.search(r'e\d+ -> e\d+ \[label="rf"', done.output), f"no rf\n{done.output}")
    if shutil.which("dot"):
        drawn = subprocess.run(["dot", "-Tsvg"], input=done.output, text=True, capture_output=True, check=False)
        expect(drawn.returncode == 0 and not drawn.stderr, f"Graphviz refuses it: {drawn.stderr}")


def check_html(heddle, trace):
    page = trace.with_suffix(".html")
    done = heddle.run("show", trace)
    expect(done.code == 0 and done.output == f"heddle: wrote {page}\n", f"no page beside the trace\n{done.describe()}")
    first = page.read_text()
    data = check_page(first)
    replay = heddle.replay(trace).result["findings"][0]
    shown = data["report"]["findings"][0]
    expect(shown["explanation"] == replay["explanation"], "the page's story differs from that of the replay")
    picture = data["pictures"][0]["picture"]
    numbers = [event["number"] for event in picture["events"] if "steps" in event]
    expect(sorted(numbers) == sorted({step["event"] for step in replay["explanation"]["steps"]}),
           "the numbered events are not those of the story")
    reads = sorted([event["readsFrom"], i] for i, event in enumerate(picture["events"]) if "readsFrom" in event)
    expect(sorted(picture["relations"]["rf"]["edges"]) == reads, "rf differs from what the events read")
    heddle.run("show", trace, "--html", page)
    again, before = check_page(page.read_text()), check_page(first)
    for data in (again, before):
        data["report"].pop("seconds"), data["report"].pop("rate")
    expect(again == before, "two pages of one trace differ")


def page_of(heddle, folder, name, text, *options):
    """The page of heddle show for the first finding of a program."""
    source, page = folder / f"{name}.cpp", folder / f"{name}.html"
    source.write_text(text)
    done = heddle.run("c++", *FLAGS, source, "-o", folder / name)
    expect(done.code == 0, done.describe())
    done = heddle.run("test", *options, "--out", folder / f"{name}-out", folder / name)
    traces = sorted((folder / f"{name}-out").glob("*.trace"))
    expect(traces, f"no trace\n{done.describe()}")
    done = heddle.run("show", traces[0], "--html", page)
    expect(done.code == 0, done.describe())
    return page


def check_hostile(heddle, folder):
    data = check_page(page_of(heddle, folder, "hostile", HOSTILE).read_text())
    expect("</script><script>" in data["report"]["findings"][0]["output"], "the output of the program is not in the page")


def check_long(heddle, folder):
    picture = check_page(page_of(heddle, folder, "long", LONG, *LONG_OPTIONS).read_text())["pictures"][0]["picture"]
    expect(picture["eventsOfExecution"] > 20000 and len(picture["events"]) == 20000,
           f"{len(picture['events'])} of {picture['eventsOfExecution']} events are in the page")
    expect(any("steps" in event for event in picture["events"]), "the story is not in the page")


def check_errors(heddle, trace, folder):
    missing = folder / "no-such-folder" / "page.html"
    for code, words, arguments in [
            (2, "there is no trace to show", []),
            (2, "write one of --html, --svg and --dot", [trace, "--svg", "-", "--dot", "-"]),
            (2, "there is no relation 'po'", [trace, "--edges", "rf,po"]),
            (2, "no-such-folder", [trace, "--html", missing]),
            (3, "no-such.trace", [folder / "no-such.trace"]),
            (3, "is not a heddle trace", [__file__, "--svg", "-"])]:
        done = heddle.run("show", *arguments)
        expect(done.code == code and words in done.output, f"expected {code} and {words!r}\n{done.describe()}")
    expect(not missing.parent.exists() and not pathlib.Path(__file__).with_suffix(".html").exists(), "a file was left behind")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--cache", type=pathlib.Path)
    options = parser.parse_args()
    heddle = Heddle(options.build, options.cache or options.build / "tests" / "cache")
    with tempfile.TemporaryDirectory(prefix="heddle-pictures-") as name:
        folder = pathlib.Path(name)
        traces = Traces(heddle, folder)
        race = traces.of(ROOT / "examples" / "message_passing_relaxed.cpp")
        check_race(heddle, race)
        check_stale(heddle, traces.of(ROOT / "examples" / "seqlock_broken.cpp"))
        check_dot(heddle, race)
        check_html(heddle, race)
        check_hostile(heddle, folder)
        check_long(heddle, folder)
        check_errors(heddle, race, folder)
    print("pictures are as they should be")


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(str(failure))
