#!/usr/bin/env python3
"""scripts/setup asks for the packages of its mode only: the tool needs no browser, no MPI and no second compiler.

A folder of stand-ins for dpkg-query, id and sudo makes the machine look bare, without root. Nothing is installed.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
STANDINS = {"dpkg-query": "exit 1", "id": "echo 1000", "sudo": "exit 1"}
TOOL = {"build-essential", "cmake", "ninja-build", "libfmt-dev", "libcli11-dev", "libdw-dev"}
TESTS = {"libgtest-dev", "clang-19", "libtbb-dev"}
OPTIONAL = {"chromium", "libmpich-dev", "slurmd", "qemu-user"}


def wanted(folder, *options):
    run = subprocess.run([ROOT / "scripts" / "setup", *options], text=True, capture_output=True, stdin=subprocess.DEVNULL,
                         env=dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}"))
    assert run.returncode == 1, f"setup {options} exits with {run.returncode}: {run.stderr}"
    assert "ask an administrator to run: apt-get install" in run.stderr, run.stderr
    return {line.strip() for line in run.stderr.splitlines() if line.startswith("  ")}


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for command, text in STANDINS.items():
            (folder / command).write_text(f"#!/bin/sh\n{text}\n")
            (folder / command).chmod(0o755)
        tool, tests, everything = wanted(folder, "--tool"), wanted(folder, "--tests"), wanted(folder)
        wrong = subprocess.run([ROOT / "scripts" / "setup", "--tol"], text=True, capture_output=True)
    assert TOOL <= tool and not tool & (TESTS | OPTIONAL), tool
    assert TOOL | TESTS <= tests and not tests & OPTIONAL, tests
    assert TOOL | TESTS | OPTIONAL <= everything, everything
    assert wrong.returncode == 2 and "unknown option --tol" in wrong.stderr, wrong
    print(f"{len(tool)} packages for the tool, {len(tests)} with the tests, {len(everything)} in all")


if __name__ == "__main__":
    sys.exit(main())
