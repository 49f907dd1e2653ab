#!/usr/bin/env python3
"""An installed heddle, in the hands of other projects: from a clean prefix with find_package and with pkg-config, and from the Debian
package, unpacked elsewhere. With --catch2, a project with the real Catch2."""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent / "installed_package"
# Test cases of counter_test.cpp and whether ctest shall see them pass.
CASES = {"Counter.IsRight": "passed", "Counter.Races": "failed", "Counter.DISABLED_Fails": "disabled", "All/Names.AreNotEmpty/0": "passed",
         "All/Names.AreNotEmpty/1": "passed", "All/Names.AreNotEmpty/2": "failed"}
NAMES = ['counts, twice; [really] \\ and "more"', "fails"]


class Failure(Exception):
    pass


def run(*command, codes=(0,), environment=None, cwd=None):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment,
                          cwd=cwd)
    if done.returncode not in codes:
        raise Failure(f"$ {' '.join(map(str, command))}\n{done.stdout}\n[exit code {done.returncode}]")
    return done.stdout


def build(project, folder, prefix):
    run("cmake", "-S", project, "-B", folder, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", folder)


def outcomes(folder):
    """The tests of a project and what became of them."""
    report = folder / "junit.xml"
    text = run("ctest", "--test-dir", folder, "--output-junit", report, codes=(0, 8))
    found = {}
    for name, status in re.findall(r'<testcase name="([^"]*)" .*?status="(\w+)"', report.read_text()):
        for entity, character in ("&quot;", '"'), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"):
            name = name.replace(entity, character)
        found[name] = {"run": "passed", "fail": "failed"}.get(status, status)
    return found, text


def expect(folder, expected):
    found, text = outcomes(folder)
    if found != expected:
        raise Failure(f"the tests are\n{json.dumps(found, indent=2)}\ninstead of\n{json.dumps(expected, indent=2)}\n{text}")


def check_gtest(prefix, work):
    folder = work / "gtest-project"
    build(HERE, folder, prefix)
    expect(folder, {**CASES, "check_test": "passed", "arguments.right": "passed", "arguments.racy": "passed"})
    output = run("ctest", "--test-dir", folder, "-R", "Counter.Races", "-V", codes=(8,))
    if "data race on" not in output or "heddle replay" not in output:
        raise Failure(f"the test of the race does not show it:\n{output}")


def check_catch_stub(prefix, work):
    folder = work / "catch-stub"
    build(HERE / "stub", folder, prefix)
    expect(folder, {f"{version}.{name}": "failed" if name == "fails" else "passed" for version in ("v2", "v3") for name in NAMES})


def check_catch2(prefix, work):
    folder = work / "catch2-project"
    build(HERE / "catch2", folder, prefix)
    expect(folder, {NAMES[0]: "passed", 'races, [always]; \\ and "more"': "failed"})


def check_pkg_config(prefix, work, compiler, package):
    """Compiles and links what GoogleTest needs, with the compiler itself."""
    environment = {"PATH": "/usr/bin:/bin", "PKG_CONFIG_PATH": str(next(prefix.glob("lib*/**/pkgconfig")))}
    if run("pkg-config", "--modversion", package, environment=environment).strip() != "0.1.0":
        raise Failure("pkg-config does not know the version")
    flags = run("pkg-config", "--cflags", package, environment=environment).split()
    libraries = run("pkg-config", "--libs", package, environment=environment).split()
    program = work / f"counter-{package}"
    # A fence, at which gcc would warn, and nothing that another compiler does not know.
    source = work / "fenced.cpp"
    source.write_text("#include <atomic>\n#include <thread>\nstatic int value; static volatile int other;\n"
                      "int main(int argc, char**) { std::thread t([argc] { if (argc > 1) ++value; other = 1; });\n"
                      "std::atomic_thread_fence(std::memory_order_seq_cst); ++value; t.join(); return 0; }\n")
    run(compiler, "-std=c++20", "-Werror", "-Wall", *flags, "-c", source, "-o", work / "fenced.o", environment=environment)
    run(compiler, work / "fenced.o", *libraries, "-o", program, environment=environment)
    heddle = prefix / "bin" / "heddle"
    run(heddle, "test", "-n", "50", program, cwd=work)
    if "data race on `value`" not in run(heddle, "test", "-n", "50", program, "race", codes=(1,), cwd=work):
        raise Failure(f"{package}: the race was not found")
    # The program finds the driver by itself.
    run(program, environment={"HEDDLE_OPTIONS": "runs=5:quiet=1"}, cwd=work)


def check_meson(prefix, work):
    """The example for meson."""
    if not shutil.which("meson"):
        print("meson is not installed: its example was not tested")
        return
    environment = {"PATH": f"{prefix / 'bin'}:/usr/bin:/bin", "PKG_CONFIG_PATH": str(next(prefix.glob("lib*/**/pkgconfig")))}
    example = prefix / "share" / "doc" / "heddle" / "examples" / "projects" / "meson"
    run("meson", "setup", work / "meson", example, environment=environment)
    run("meson", "compile", "-C", work / "meson", environment=environment)
    output = run("meson", "test", "-C", work / "meson", "--verbose", environment=environment)
    if not re.search(r"Ok: +1\b", output) or not re.search(r"Expected Fail: +1\b", output):
        raise Failure(f"the tests of the meson example:\n{output}")


def check_cmake_example(prefix, work):
    example = prefix / "share" / "doc" / "heddle" / "examples" / "projects" / "cmake"
    build(example, work / "cmake-example", prefix)
    expect(work / "cmake-example", {"counter.right": "passed", "counter.racy": "passed"})


def check_documents(prefix):
    for command in run(prefix / "bin" / "heddle", "help", "--commands").split() + [""]:
        page = prefix / "share" / "man" / "man1" / f"heddle{'-' if command else ''}{command}.1"
        text = page.read_text()
        for section in "NAME", "SYNOPSIS", "DESCRIPTION", "SEE ALSO":
            if f".SH {section}\n" not in text:
                raise Failure(f"{page} has no section {section}")
    manual = (prefix / "share" / "man" / "man1" / "heddle-test.1").read_text()
    for option in re.findall(r"--([a-z-]+)", run(prefix / "bin" / "heddle", "test", "--help")):
        if option != "help" and f"\\-\\-{option}".replace("-", "\\-").replace("\\\\", "\\") not in manual:
            raise Failure(f"heddle-test.1 lacks --{option}")
    if shutil.which("man"):
        warnings = run("man", "--warnings", "-l", "-Tutf8", "-Z", prefix / "share" / "man" / "man1" / "heddle-test.1",
                       environment={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"})
        if "warning" in warnings[:200]:
            raise Failure(warnings[:2000])


def make_debian_package(heddle_build, work):
    run("cpack", "--config", heddle_build / "CPackConfig.cmake", "-G", "DEB", "-B", work / "cpack")
    # The plugins for MPI are packages of their own.
    (package,) = (work / "cpack").glob("heddle_*.deb")
    control = run("dpkg-deb", "-f", package)
    for line in "Package: heddle", "Section: devel", "Recommends: g++ | clang":
        if line not in control:
            raise Failure(f"the package lacks '{line}':\n{control}")
    depends = re.search(r"^Depends: (.*)$", control, re.MULTILINE)
    for library in "libc6", "libdw1", "libelf1", "libfmt", "libstdc++6":
        if not depends or library not in depends[1]:
            raise Failure(f"the package does not depend on {library}:\n{control}")
    if "mpi" in depends[1]:
        raise Failure(f"the package depends on MPI:\n{control}")
    for plugin in (work / "cpack").glob("heddle-*.deb"):
        control = run("dpkg-deb", "-f", plugin)
        depends = re.search(r"^Depends: (.*)$", control, re.MULTILINE)[1]
        if "heddle (= " not in depends or "mpi" not in depends:
            raise Failure(f"{plugin.name} does not depend on heddle and MPI:\n{control}")
    run("dpkg-deb", "-x", package, work / "root")
    return work / "root" / "usr"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="heddle's build folder")
    parser.add_argument("--catch2", action="store_true", help="a project with the real Catch2 instead")
    arguments = parser.parse_args()
    heddle_build = arguments.build.resolve()
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        prefix = work / "a prefix"
        run("cmake", "--install", heddle_build, "--prefix", prefix)
        if arguments.catch2:
            check_catch2(prefix, work)
            print("1 passed, 0 failed")
            return
        check_documents(prefix)
        check_gtest(prefix, work)
        unpacked = make_debian_package(heddle_build, work)
        check_catch_stub(unpacked, work)
        check_cmake_example(unpacked, work)
        check_pkg_config(unpacked, work, "g++", "heddle-gcc")
        check_pkg_config(unpacked, work, "clang++", "heddle-clang")
        check_pkg_config(unpacked, work, "clang++", "heddle")
        check_pkg_config(unpacked, work, "g++", "heddle")
        check_meson(unpacked, work)
    print("9 passed, 0 failed")


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(str(failure))
