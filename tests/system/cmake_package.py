#!/usr/bin/env python3
"""find_package(heddle) and heddle_add_test, from the build folder and from an installation."""
import argparse
import pathlib
import subprocess
import tempfile

PROJECT = pathlib.Path(__file__).resolve().parent / "cmake_package"


def run(*command):
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)


def check(package_dir, folder):
    run("cmake", "-S", PROJECT, "-B", folder, "-G", "Ninja", f"-Dheddle_DIR={package_dir}")
    run("cmake", "--build", folder)
    run("ctest", "--test-dir", folder, "--output-on-failure")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="heddle's build folder")
    build = parser.parse_args().build
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check(build / "cmake", folder / "from-build")
        run("cmake", "--install", build, "--prefix", folder / "prefix")
        (package,) = (folder / "prefix").glob("lib*/**/cmake/heddle")
        check(package, folder / "from-prefix")
    print("2 passed, 0 failed")


if __name__ == "__main__":
    main()
