#!/usr/bin/env python3
"""Real multi-threaded programs: fetched as Debian source packages, built with heddle as the compiler, and run.

Each program's source is fetched with apt-get into the work folder and built there; the compiler is the only change. The table that this
prints is the one of docs/third-party.md. The check fails if a program cannot be built, is refused, ends with a limit, or shows a kind of
finding that is not listed here. The reasons for those that are listed stand in docs/third-party.md."""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from heddle_tool import Failure, Heddle  # noqa: E402

BUILD_PACKAGES = ["dpkg-dev", "libbz2-dev", "libsnappy-dev", "libgtest-dev", "libgmock-dev", "libfmt-dev", "ninja-build", "libevent-dev", "tcl"]
HERE = pathlib.Path(__file__).resolve().parent
INPUT = "input.bin"  # what compressors compress


@dataclass
class Program:
    name: str
    package: str
    build: list
    command: list
    options: list = field(default_factory=list)
    kinds: set = field(default_factory=set)  # of findings, each explained in docs/third-party.md
    environment: dict = field(default_factory=dict)


CMAKE = "cmake -S . -B b -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_COMPILER=heddle-cc -DCMAKE_CXX_COMPILER=heddle-c++ "
LEVELDB = [
    CMAKE + "-DLEVELDB_BUILD_TESTS=OFF -DLEVELDB_BUILD_BENCHMARKS=OFF",
    "ninja -C b leveldb",
    "heddle-c++ -O2 -g -std=c++17 -DLEVELDB_PLATFORM_POSIX=1 -I. -Iinclude -Ib/include util/env_test.cc util/testutil.cc -o env_test"
    " b/libleveldb.a -lgtest -lgmock -lgtest_main -lsnappy -lpthread",
]
LIBUV = [CMAKE, "ninja -C b uv_run_tests_a"]
ZSTD = ["make -s -C programs zstd CC=heddle-cc CFLAGS='-O2 -g' HAVE_ZLIB=0 HAVE_LZMA=0 HAVE_LZ4=0 HAVE_THREAD=1"]
POOL_TESTS = [
    "heddle-cc -O2 -g -Ilib -Ilib/common -Iprograms -DZSTD_MULTITHREAD tests/poolTests.c lib/common/pool.c lib/common/threading.c"
    " lib/common/zstd_common.c lib/common/error_private.c programs/timefn.c programs/util.c -o poolTests -lpthread"
]
JEMALLOC = [
    "CC=heddle-cc CFLAGS='-O1 -g' ./configure --disable-shared --with-jemalloc-prefix=je_ --disable-cxx",
    "make tests_unit",
]
URCU = [
    "find . -name Makefile.in -o -name aclocal.m4 -o -name configure -o -name config.h.in | xargs touch",
    "CC=heddle-cc CFLAGS='-O1 -g' ./configure --disable-shared",
    "make",
    "heddle-cc -O1 -g -DRCU_MB -include include/config.h -Iinclude -Isrc -Itests/common -Itests/utils tests/benchmark/test_urcu.c"
    " src/.libs/liburcu-mb.a src/.libs/liburcu-common.a -o test_urcu -lpthread",
]
MEMCACHED = [
    "CC=heddle-cc CFLAGS='-O1 -g' ./configure --disable-coverage --disable-docs",
    f"heddle-cc -O1 -g -c {HERE / 'memcached_client.c'} -o client.o",
    "make memcached LIBS='client.o -levent'",
]
SQLITE = [
    "./configure --disable-shared --disable-tcl",
    "make sqlite3.c",
    "heddle-cc -O2 -g -DHAVE_USLEEP=1 -DSQLITE_THREADSAFE=1 -I. test/threadtest5.c sqlite3.c -o threadtest5 -lpthread -ldl -lm",
]

PROGRAMS = [
    Program("pbzip2 -p2", "pbzip2", ["make CC=heddle-cc CXX=heddle-c++ CXXFLAGS='-O2 -g'"],
            ["./pbzip2", "-k", "-f", "-p2", "-b1", "-c", INPUT]),
    Program("zstd -T2", "libzstd", ZSTD, ["programs/zstd", "-T2", "-B128K", "-3", "-f", "-q", "-c", INPUT]),
    Program("zstd's thread pool tests", "libzstd", POOL_TESTS, ["./poolTests"], ["--time-model", "strict"]),
    Program("leveldb's env_test", "leveldb", LEVELDB, ["./env_test", "--gtest_filter=EnvTest.Run*:EnvTest.StartThread*"]),
    Program("libuv: thread pool", "libuv1", LIBUV, ["b/uv_run_tests_a", "threadpool_queue_work_simple", "threadpool_queue_work_simple"],
            environment={"UV_RUN_AS_ROOT": "1"}),
    Program("libuv: event loop, async", "libuv1", LIBUV, ["b/uv_run_tests_a", "async", "async"],
            environment={"UV_RUN_AS_ROOT": "1"}),
    Program("libuv: condition variables", "libuv1", LIBUV, ["b/uv_run_tests_a", "condvar_2", "condvar_2"],
            environment={"UV_RUN_AS_ROOT": "1"}),
    Program("spdlog's example", "spdlog",
            ["heddle-c++ -O1 -g -std=c++17 -DSPDLOG_FMT_EXTERNAL -Iinclude example/example.cpp -o log_example -lfmt -lpthread"],
            ["./log_example"]),
    Program("mimalloc's test-stress", "mimalloc",
            ["heddle-cc -O2 -g -Iinclude -DNDEBUG src/static.c test/test-stress.c -o stress -lpthread -latomic"],
            ["./stress", "2", "1", "1"], kinds={"race"}),
    Program("jemalloc: background threads", "jemalloc", JEMALLOC, ["test/unit/background_thread"]),
    Program("memcached, with two clients", "memcached", MEMCACHED,
            ["./memcached", "-u", "root", "-t", "2", "-U", "0", "-l", "127.0.0.1", "-A", "-m", "8"],
            ["--time-model", "strict", "--max-events", "300000"], kinds={"race", "limit"}),
    Program("sqlite's threadtest5", "sqlite3", SQLITE, ["./threadtest5", "-num-workers", "2"], ["--time-model", "strict"]),
    Program("liburcu's test_urcu", "liburcu", URCU, ["./test_urcu", "1", "1", "1"], kinds={"race", "limit"}),
]


class Sources:
    """Debian source packages, below a folder. They come from where the machine's binary packages come from."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "lists" / "partial").mkdir(parents=True, exist_ok=True)
        self.list = folder / "deb-src.sources"
        self.options = ["-o", f"Dir::Etc::sourcelist={self.list}", "-o", "Dir::Etc::sourceparts=-",
                        "-o", f"Dir::State::lists={folder / 'lists'}", "-o", "APT::Get::List-Cleanup=0"]
        if not self.list.exists():
            self.list.write_text("\n".join(self.entries()))
            subprocess.run(["apt-get", *self.options, "-qq", "update"], check=True)

    @staticmethod
    def entries():
        etc = pathlib.Path("/etc/apt")
        for file in sorted(etc.glob("sources.list.d/*debian*.sources")):
            for entry in re.split(r"\n\s*\n", file.read_text()):
                if "Types: deb" in entry and "security" not in entry:
                    yield re.sub(r"Types:.*", "Types: deb-src", entry) + "\n"

    def fetch(self, package):
        """The unpacked source of a package."""
        target = self.folder / package
        if target.exists():
            return target
        unpacking = self.folder / f"{package}.new"
        shutil.rmtree(unpacking, ignore_errors=True)
        unpacking.mkdir()
        subprocess.run(["apt-get", *self.options, "-qq", "source", package], cwd=unpacking, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        (source,) = [path for path in unpacking.iterdir() if path.is_dir()]
        source.rename(target)
        shutil.rmtree(unpacking)
        return target


def build(program, source, heddle):
    stamp = source / (".heddle-built-" + re.sub(r"\W+", "-", program.name))
    if stamp.exists():
        return
    environment = {**os.environ, "PATH": f"{heddle.command.resolve().parent}:{os.environ['PATH']}"}
    for command in program.build:
        done = subprocess.run(command, shell=True, cwd=source, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            raise Failure(f"{program.name}: {command}\n{done.stdout.decode('utf-8', 'replace')[-3000:]}")
    stamp.touch()


def run(program, source, heddle, runs):
    shutil.copyfile(heddle.command.resolve(), source / INPUT)
    with open(source / INPUT, "r+b") as file:
        file.truncate(300_000)
    result = source / "result.json"
    result.unlink(missing_ok=True)
    return heddle.run("test", "-n", runs, "--json", result, "--out", source / "out", *program.options,
                      *program.command, cwd=source, environment=program.environment, timeout=7200)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="heddle's build folder")
    parser.add_argument("--work", required=True, type=pathlib.Path, help="where sources are fetched and built")
    parser.add_argument("--runs", type=int, default=1000, help="executions of each program [1000]")
    parser.add_argument("--only", default="", help="only programs whose name contains this text")
    arguments = parser.parse_args()
    heddle = Heddle(arguments.build.resolve(), arguments.work)
    arguments.work.mkdir(parents=True, exist_ok=True)
    subprocess.run(["apt-get", "install", "-y", "-qq", *BUILD_PACKAGES], check=True, stdout=subprocess.DEVNULL)
    sources = Sources(arguments.work.resolve())
    failed = 0
    print("| program | executions | a second | events an execution | findings |\n|---|---|---|---|---|")
    for program in PROGRAMS:
        if arguments.only not in program.name:
            continue
        try:
            failed += not report(program, sources, heddle, arguments.runs)
        except (Failure, subprocess.CalledProcessError) as failure:
            failed += 1
            print(failure, flush=True)
    sys.exit(1 if failed else 0)


def report(program, sources, heddle, runs):
    """Prints the program's row. False: the result is not what it should be."""
    source = sources.fetch(program.package)
    build(program, source, heddle)
    done = run(program, source, heddle, runs)
    result = json.loads((source / "result.json").read_text()) if (source / "result.json").exists() else {}
    kinds = [finding["kind"] for finding in result.get("findings", [])]
    executions = result.get("executions", 0)
    events = result.get("events", 0) // max(executions, 1)
    rate = executions / max(result.get("seconds", 0), 1e-9)
    found = ", ".join(f"{kinds.count(kind)} {kind}" for kind in sorted(set(kinds))) or "none"
    print(f"| {program.name} | {executions} | {rate:.0f} | {events} | {found} |", flush=True)
    if executions == runs and set(kinds) <= program.kinds and done.code == (1 if kinds else 0):
        return True
    print(done.describe(), flush=True)
    return False


if __name__ == "__main__":
    main()
