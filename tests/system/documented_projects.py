#!/usr/bin/env python3
"""Runs every command that docs/projects.md and docs/debugging.md show, in a project as they describe it. The commands are the indented
lines; the installation goes below a folder of its own."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = re.compile(r"^    ((?:cmake|cpack|g\+\+|heddle|echo) .*)$", re.MULTILINE)
CMAKE = """cmake_minimum_required(VERSION 3.25)
project(queue LANGUAGES CXX)
add_executable(queue_test queue_test.cpp)
"""
RIGHT = "#include <atomic>\n#include <thread>\nstatic std::atomic<int> hits;\nint main() { std::thread t([] { ++hits; }); ++hits; t.join(); }\n"


class Checks:
    def __init__(self, build, folder):
        self.folder = folder
        self.installed = folder / "root" / "usr" / "local"
        (folder / "build").symlink_to(build)
        (folder / "CMakeLists.txt").write_text(CMAKE)
        for name in "queue_test.cpp", "prog.cpp":
            (folder / name).write_text(RIGHT)
        self.environment = {**os.environ, "DESTDIR": str(folder / "root"), "PATH": f"{self.installed / 'bin'}:{os.environ['PATH']}",
                            "PKG_CONFIG_PATH": str(self.installed / "lib" / "pkgconfig")}
        self.trace = None

    def run(self, command):
        done = subprocess.run(command, shell=True, executable="/bin/bash", cwd=self.folder, env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            sys.exit(f"$ {command}\n{done.stdout}\n[exit code {done.returncode}]")
        return done.stdout

    def find_trace(self):
        """The trace of the finding that docs/debugging.md is about."""
        self.run(f"heddle c++ -std=c++20 -g -O1 {ROOT}/examples/message_passing_relaxed.cpp -o message_passing; heddle test -q ./message_passing; true")
        (self.trace,) = (self.folder / "heddle-out").glob("message_passing-race-*.trace")

    def check_debugging(self, command):
        if "--gdb" not in command:
            return self.run(command)
        if not shutil.which("gdb"):
            return ""
        command = re.sub(r"heddle-out/message_passing-race-\w+\.trace|TRACE", str(self.trace), command)
        output = self.run(command)
        for line in "heddle: data race on `payload` (4 bytes)", "=>    8 T0.2     read payload: 42  message_passing_relaxed.cpp:19":
            if line not in output:
                sys.exit(f"$ {command}\ndoes not show '{line}':\n{output}")
        return output


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="heddle's build folder")
    build = parser.parse_args().build.resolve()
    count = 0
    with tempfile.TemporaryDirectory() as name:
        checks = Checks(build, pathlib.Path(name))
        for document, least in ("projects.md", 6), ("debugging.md", 3):
            commands = COMMAND.findall((ROOT / "docs" / document).read_text())
            if len(commands) < least:
                sys.exit(f"{document} shows {len(commands)} commands: where have the others gone?")
            if document == "debugging.md":
                checks.find_trace()
            for command in commands:
                checks.run(command) if document == "projects.md" else checks.check_debugging(command)
            count += len(commands)
        for file in "heddle.xml", "heddle.sarif", "build-heddle/CMakeCache.txt", "queue_test", "prog":
            if not (checks.folder / file).exists():
                sys.exit(f"no command made {file}")
        if not list(checks.folder.glob("heddle_*_amd64.deb")) and not list(checks.folder.glob("heddle_*.deb")):
            sys.exit("no command made the Debian package")
    print(f"{count} passed, 0 failed")


if __name__ == "__main__":
    main()
