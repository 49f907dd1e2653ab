#!/usr/bin/env python3
"""heddle weaken on operations that are not a plain call in a source file: headers of two programs, templates, macros, orders that are
variables, std::atomic_ref, builtins, C11 operators, fences, code without debug information. The programs are in order_odd_sites/.

Each program has the same answer with gcc at -O1 and clang at -O2. If the diff has all changes, nothing is left to weaken with it.
"""

import pathlib
import shutil
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
SOURCES = HERE / "order_odd_sites"
sys.path.insert(0, str(HERE.parent / "support"))
from heddle_tool import Failure, run_checks  # noqa: E402
from order_reports import ask, changes_of, patch  # noqa: E402

# {program: (how many operations get which order, how many of them are to be changed by hand, what the output has)}
EXPECTED = {
    "header_gives.cpp": ({"release": 1, "acquire": 1}, 0, "store  seq_cst -> release"),
    "header_alone.cpp": ({"relaxed": 2}, 0, "all 1 execution graph was explored"),
    "template_instances.cpp": ({"release": 1, "acquire": 1}, 0, "store  seq_cst -> release"),
    "macro_pair.cpp": ({"release": 1, "acquire": 1}, 1,
                       "no argument here names its order: it is an operator, or inside a macro or another function\n    HAND_OVER(is_ready, is_done);"),
    "computed_order.cpp": ({"release": 1}, 0, "1 operation passes several orders, and was not changed: "),
    "atomic_ref.cpp": ({"release": 1, "acquire": 1}, 0, "store  seq_cst -> release"),
    "builtins.c": ({"release": 1, "acquire": 1, "relaxed": 3}, 0, "+  __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);"),
    "c11_operators.c": ({"release": 1, "acquire": 1, "relaxed": 3}, 3, "or inside a macro or another function\n    count++;"),
    "fences.cpp": ({"release": 1, "acquire": 1, "none": 1}, 0, "-    std::atomic_thread_fence(std::memory_order_seq_cst);\n   });"),
}
BUILDS = [("gcc", "-O1"), ("clang", "-O2")]
WITHOUT_DEBUG_INFORMATION = "heddle: to change by hand: 3 operations without debug information; compile with -g to see them in the source\n"


def flags_of(source, level, debug="-g"):
    return ["-std=c++20" if source.suffix == ".cpp" else "-std=gnu11", level, debug, f"-I{SOURCES}"]


def orders_of(result):
    answers = result["answers"]
    if len(answers) != 1 or not answers[0]["proved"] or not result["complete"]:
        return None
    orders = [change["to"] for change in answers[0]["changes"]]
    return {order: orders.count(order) for order in orders}


def check_program(heddle, folder, source, compiler, level):
    orders, by_hand, line = EXPECTED[source.name]
    copy = folder / source.name
    for file in SOURCES.iterdir():
        shutil.copy(file, folder / file.name)
    flags = [flag if not flag.startswith("-I") else f"-I{folder}" for flag in flags_of(source, level)]
    run = ask(heddle, "weaken", heddle.compile(copy, compiler=compiler, flags=flags), code=0, cwd=folder)
    answer = run.result["answers"][0] if run.result["answers"] else {}
    if orders_of(run.result) != orders or len(answer["by_hand"]) != by_hand or line not in run.output:
        raise Failure(f"{orders}, {by_hand} by hand and '{line}' expected with {compiler}\n{run.describe()}")
    if by_hand or compiler != "gcc":
        return changes_of(run.result, answer)
    patch(folder, answer["diff"])
    after = ask(heddle, "weaken", heddle.compile(copy, compiler=compiler, flags=[*flags, "-DAFTER"]), code=0, cwd=folder)
    if [one["changes"] for one in after.result["answers"]] != [[]]:
        raise Failure(f"something is left to weaken\n{run.describe()}\n{after.describe()}")
    return changes_of(run.result, answer)


def check_two_clients(heddle):
    """One client needs the orders, the other does not; the site in their header is one."""
    gives, alone = (heddle.compile(SOURCES / name, flags=flags_of(SOURCES / name, "-O1")) for name in ("header_gives.cpp", "header_alone.cpp"))
    for clients in (["--client", alone, gives], ["--client", gives, "--client", alone]):
        run = ask(heddle, "weaken", None, options=clients, code=0)
        if orders_of(run.result) != {"release": 1, "acquire": 1} or len(run.result["sites"]) != 2:
            raise Failure(f"two sites of one header, release and acquire expected\n{run.describe()}")
        if len(run.result["answers"][0]["certificates"]) != 2 or any(site["programs"] != [0, 1] for site in run.result["sites"]):
            raise Failure(f"both programs have to be judged\n{run.describe()}")


def check(heddle, folder, _options):
    check_two_clients(heddle)
    for name in EXPECTED:
        lines = []
        for compiler, level in BUILDS:
            place = folder / f"{name}-{compiler}"
            place.mkdir()
            changes = check_program(heddle, place, SOURCES / name, compiler, level)
            lines.append({(line, operation): order for (line, _, operation), order in changes.items()})
        if lines[0] != lines[1]:
            raise Failure(f"{name}: the compilers differ: {lines}")
    source = SOURCES / "macro_pair.cpp"
    bare = ask(heddle, "weaken", heddle.compile(source, flags=flags_of(source, "-O2", "-g0")), code=0)
    # Without debug information, each call is a place of its own.
    if orders_of(bare.result) != {"release": 1, "acquire": 1, "relaxed": 1} or WITHOUT_DEBUG_INFORMATION not in bare.output:
        raise Failure(f"three places without debug information expected\n{bare.describe()}")


if __name__ == "__main__":
    sys.exit(run_checks(__doc__, check))
