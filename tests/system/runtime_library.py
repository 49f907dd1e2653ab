#!/usr/bin/env python3
"""libheddle.so brings nothing into the program under test that could disturb it: no shared library but the C library, the
unwinder and the loader; no static constructor but the one that takes the worker over; no code of Boost."""

import argparse
import pathlib
import re
import subprocess
import sys

LIBRARIES = {"libc.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
CONSTRUCTORS = {"frame_dummy", "heddle::abi::(anonymous namespace)::on_load(int, char**, char**)"}  # the first is the compiler's


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def needed_libraries(library):
    return set(re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "-dW", library)))


def constructors(library):
    """The names of the functions in .init_array."""
    section = re.search(r"\.init_array\s+INIT_ARRAY\s+(\S+)\s+\S+\s+(\S+)", output_of("readelf", "-SW", library))
    begin = int(section[1], 16)
    end = begin + int(section[2], 16)
    names = {int(address, 16): name
             for address, name in re.findall(r"^([0-9a-f]+) [tT] (.*)$", output_of("nm", "-C", library), re.MULTILINE)}
    relocations = re.findall(r"^([0-9a-f]+)\s+\S+\s+R_\w+_RELATIVE?\s+([0-9a-f]+)", output_of("readelf", "-rW", library),
                             re.MULTILINE)
    functions = [int(target, 16) for place, target in relocations if begin <= int(place, 16) < end]
    if len(functions) != (end - begin) // 8:
        raise SystemExit(f"{len(functions)} relocations for {(end - begin) // 8} entries of .init_array")
    return {names.get(function, hex(function)) for function in functions}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="heddle's build folder")
    library = parser.parse_args().build / "lib" / "libheddle.so"
    problems = [f"{library} needs {name}" for name in sorted(needed_libraries(library) - LIBRARIES)]
    found = constructors(library)
    problems += [f"{library} has the static constructor {name}" for name in sorted(found - CONSTRUCTORS)]
    problems += [f"{library} lacks the constructor {name}" for name in sorted(CONSTRUCTORS - found)]
    symbols = output_of("nm", "-C", library)
    if "x86-64" in output_of("readelf", "-hW", library).lower():
        problems += [f"{library} has the symbol {name}" for name in re.findall(r"\w*_fcontext\b", symbols)]
    print("\n".join(problems) or "as it should be")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
