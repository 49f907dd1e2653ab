#!/usr/bin/env python3
"""The instructions that src/orders/cost.cpp names for operations and memory orders are those that gcc emits.

For x86-64, and for Armv8 without and with LSE where gcc-aarch64-linux-gnu is installed; clang emits one of the alternatives.
A stronger order never weighs less than a weaker one, and more if it needs other instructions.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys

ORDERS = ("relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst")
WEAKER = {"relaxed": "none", "consume": "relaxed", "acquire": "consume", "release": "relaxed", "acq_rel": "acquire release",
          "seq_cst": "acq_rel"}
CALLS = {
    "load": "int f(int* p) { return __atomic_load_n(p, ORDER); }",
    "store": "void f(int* p, int v) { __atomic_store_n(p, v, ORDER); }",
    "rmw": "int f(int* p, int v) { return __atomic_fetch_add(p, v, ORDER); }",
    "cas": "int f(int* p, int e, int v) { return __atomic_compare_exchange_n(p, &e, v, 0, ORDER, FAILURE); }",
    "fence": "void f(void) { __atomic_thread_fence(ORDER); }",
}
# Other read-modify-writes have the same barriers: {operation: source, mnemonic in place of ldadd}
OTHER_UPDATES = {
    "exchange": ("int f(int* p, int v) { return __atomic_exchange_n(p, v, ORDER); }", "swp"),
    "fetch_or": ("int f(int* p, int v) { return __atomic_fetch_or(p, v, ORDER); }", "ldset"),
}
ARM = "aarch64-linux-gnu-gcc"
CLANG_ARM = ["clang-19", "--target=aarch64-linux-gnu", "-mno-outline-atomics"]
TARGETS = {  # column of the table: the compiler
    "x86": ["gcc"],
    "arm": [ARM, "-march=armv8-a", "-mno-outline-atomics"],
    "arm_lse": [ARM, "-march=armv8.1-a"],
}
CLANG = {
    "x86": ["clang"],
    "arm": [*CLANG_ARM, "-march=armv8-a"],
    "arm_lse": [*CLANG_ARM, "-march=armv8.1-a"],
}


def table_of(program):
    rows = []
    for line in subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines():
        operation, order, failure, x86, arm, arm_lse, weight = line.split("\t")
        rows.append({"operation": operation, "order": order, "failure": failure, "x86": x86, "arm": arm, "arm_lse": arm_lse,
                     "weight": int(weight)})
    return rows


def constant(order):
    return f"__ATOMIC_{order.upper()}"


def body(call, order, failure):
    if order == "none":
        return "void f(void) {}"
    return call.replace("ORDER", constant(order)).replace("FAILURE", constant(failure))


def accesses(assembly):
    """{function: what its instructions do to memory, joined by '+'}"""
    found, name = {}, None
    for line in assembly.splitlines():
        if label := re.match(r"(f\d+):", line):
            name = label[1]
            found[name] = []
        elif re.match(r"\s+\.size", line):
            name = None
        elif name and line.startswith("\t") and not line.startswith("\t."):
            access = access_of(line.strip())
            if access:
                found[name].append(access)
    return {function: "+".join(parts) for function, parts in found.items()}


def access_of(instruction):
    """The mnemonic, without the suffix for the width of x86-64; nothing if memory is not involved, or only the stack is."""
    words = instruction.split()
    if words[0] == "dmb":
        return " ".join(words)
    if words[0] == "mfence":
        return "mfence"
    if words[0] == "lock":
        return "lock " + re.sub(r"[lq]$", "", words[1])
    if "(%r" in instruction and "(%rsp)" not in instruction:
        return re.sub(r"[lq]$", "", words[0])
    if re.search(r"\[x\d+\]", instruction):
        return words[0]
    return None


def compile_all(compiler, sources):
    text = "\n".join(re.sub(r"\bf\(", f"f{number}(", source, count=1) for number, source in enumerate(sources))
    done = subprocess.run([*compiler, "-O2", "-w", "-S", "-x", "c", "-", "-o", "-"], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = accesses(done.stdout)
    return [found[f"f{number}"] for number in range(len(sources))]


def check_target(column, compiler, rows):
    emitted = compile_all(compiler, [body(CALLS[row["operation"]], row["order"], row["failure"]) for row in rows])
    for row, instructions in zip(rows, emitted):
        assert instructions == row[column].split(" / ")[0], \
            f"{row['operation']} {row['order']} {row['failure']}: the table has '{row[column]}', {compiler[0]} emits '{instructions}'"
    if column == "x86":
        return
    updates = [row for row in rows if row["operation"] == "rmw"]
    for name, (call, mnemonic) in OTHER_UPDATES.items():
        for row, instructions in zip(updates, compile_all(compiler, [body(call, row["order"], "") for row in updates])):
            expected = row[column].replace("ldadd", mnemonic)
            assert instructions == expected, f"{name} {row['order']}: '{expected}' expected, {compiler[0]} emits '{instructions}'"


def check_clang(column, compiler, rows):
    emitted = compile_all(compiler, [body(CALLS[row["operation"]], row["order"], row["failure"]) for row in rows])
    for row, instructions in zip(rows, emitted):
        assert instructions in row[column].split(" / "), f"{column}: {row}: clang emits '{instructions}'"


def check_weights(rows):
    weights = {(row["operation"], row["order"], row["failure"]): row for row in rows}
    for (operation, order, failure), row in weights.items():
        others = [(operation, weaker, failure) for weaker in WEAKER.get(order, "").split()]
        others += [(operation, order, weaker) for weaker in WEAKER.get(failure, "").split()]
        for other in (weights[other] for other in others if other in weights):
            differs = any(row[column].split(" / ")[-1] != other[column].split(" / ")[-1] for column in TARGETS)
            difference = row["weight"] - other["weight"]
            assert (difference >= 100) if differs else (0 <= difference < 100), f"{row} beside {other}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    rows = table_of(parser.parse_args().build / "bin" / "heddle_order_costs")
    assert len(rows) == 4 + 3 + 6 + 7 + 24, len(rows)
    check_weights(rows)
    for column, compiler in TARGETS.items():
        if shutil.which(compiler[0]):
            check_target(column, compiler, rows)
            print(f"{column}: {len(rows)} rows agree with {' '.join(compiler)}")
        else:
            print(f"{column}: not compared, there is no {compiler[0]}")
    for column, compiler in CLANG.items():
        check_clang(column, compiler, rows)


if __name__ == "__main__":
    sys.exit(main())
