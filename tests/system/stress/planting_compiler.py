#!/usr/bin/env python3
"""gcc with a planted bug: it edits the assembly that gcc makes. The name by which the script is called says how.

lock: no lock prefix; lock2: none at -O2 and -O3; mfence: no mfence and no locked or that stands for one; xchg: a store instead of an exchange. script: instead
of the program, a script that prints what PLANTED_OUTPUT says.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

EDITS = {
    "lock": [(r"^\tlock ?;?[ \t]*\n?\t?", "\t")],
    "mfence": [(r"^\tmfence\n", ""), (r"^\tlock orq\t\$0, \(%rsp\)\n", ""), (r"^\tlock orl\t\$0, .*\(%[re]sp\)\n", "")],
    "xchg": [(r"^\txchg(\w)\t(%\w+), (.*\(.*)$", r"\tmov\1\t\2, \3"),
             (r"^\txchg(\w)\t(.*\(.*\)), (%\w+)$", r"\tmov\1\t\3, \2")],
}


EDITS["lock2"] = EDITS["lock"]


def edited(text, plant):
    """Functions of the harness stay right: it would hang otherwise."""
    if plant == "lock2" and not {"-O2", "-O3"} & set(sys.argv):
        return text
    parts = re.split(r"^(?=[a-zA-Z_][\w.]*:\n)", text, flags=re.MULTILINE)
    for i, part in enumerate(parts):
        if part.startswith(("heddle_", "main:")):
            continue
        for pattern, replacement in EDITS[plant]:
            parts[i] = part = re.sub(pattern, replacement, part, flags=re.MULTILINE)
    return "".join(parts)


def main():
    plant = pathlib.Path(sys.argv[0]).name.split("-")[0]
    arguments = sys.argv[1:]
    compiler = os.environ.get("PLANTING_COMPILER", "gcc")
    sources = [word for word in arguments if word.endswith(".c")]
    if not sources:
        sys.exit(subprocess.run([compiler, *arguments]).returncode)
    output = arguments[arguments.index("-o") + 1]
    if plant == "script":
        pathlib.Path(output).write_text(f'#!/bin/sh\ntest "$1" = --list && exec echo "atomic never"\n'
                                        f"cat <<'END'\n{os.environ['PLANTED_OUTPUT']}\nEND\n")
        pathlib.Path(output).chmod(0o755)
        return
    rest = [word for word in arguments if word not in sources and word not in ("-o", output, "-S", "-c")]
    with tempfile.TemporaryDirectory() as folder:
        assembly = pathlib.Path(folder) / "edited.s"
        run = subprocess.run([compiler, *rest, "-S", *sources, "-o", assembly])
        if run.returncode != 0:
            sys.exit(run.returncode)
        assembly.write_text(edited(assembly.read_text(), plant))
        if "-S" in arguments:
            pathlib.Path(output).write_text(assembly.read_text())
            return
        kind = ["-c"] if "-c" in arguments else []
        flags = [word for word in rest if not word.startswith("-std=") and not word.startswith("-g")]
        sys.exit(subprocess.run([compiler, *flags, *kind, assembly, "-o", output]).returncode)


if __name__ == "__main__":
    main()
