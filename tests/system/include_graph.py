#!/usr/bin/env python3
"""The folders of src use each other as docs/development.md says, without cycles, and each links what it includes.

The column "may use" of the table of folders names, for every folder, exactly the folders whose headers it includes. A CMake
target links exactly the targets whose headers its sources include: what it uses and does not link would come by accident,
through another target.
"""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SOURCE = ROOT / "src"
DOCUMENT = ROOT / "docs" / "development.md"
OPTIONS = {"heddle_options", "heddle_target_options"}  # compiler flags, no code


def documented():
    """{folder: the folders that it may use}"""
    rows = re.findall(r"^\| `src/(\w+)/` \|.*\| ([^|]*) \|$", DOCUMENT.read_text(), re.MULTILINE)
    return {folder: set() if uses == "nothing" else set(uses.split(", ")) for folder, uses in rows}


def included(files):
    """The headers of other folders of src that these files include, as (folder, stem)."""
    headers = set()
    for file in files:
        headers |= {(folder, stem) for folder, stem in re.findall(r'^#include "(\w+)/([\w/]+)\.h(?:pp)?"',
                                                                  file.read_text(), re.MULTILINE)
                    if (SOURCE / folder).is_dir() and folder != file.parent.name}
    return headers


def files_of(folder):
    return [file for file in sorted((SOURCE / folder).iterdir()) if file.suffix in (".c", ".cpp", ".h", ".hpp")]


def targets_of(folder):
    """{target: the stems of its sources} and {target: the heddle_ targets that it links}, of a folder's CMakeLists.txt."""
    text = re.sub(r"#.*", "", (SOURCE / folder / "CMakeLists.txt").read_text())
    variables = {name: value for name, value in re.findall(r"\bset\((\w+)\s+([^)]*)\)", text)}
    text = re.sub(r"\$\{(\w+)\}", lambda match: variables.get(match[1], match[0]), text)
    sources, links = {}, collections.defaultdict(set)
    for target, words in re.findall(r"add_(?:library|executable)\((\w+)([^)]*)\)", text):
        sources[target] = set(re.findall(r"(\w+)\.c(?:pp)?\b", words))
    for target, words in re.findall(r"target_link_libraries\((\w+)([^)]*)\)", text):
        links[target] |= set(re.findall(r"\bheddle_\w+", words)) - OPTIONS
    return sources, links


def check_folders(table, folders):
    for folder in sorted(folders):
        used = {other for other, _ in included(files_of(folder))}
        if folder not in table:
            yield f"{DOCUMENT}: no row for src/{folder}/; it uses {', '.join(sorted(used)) or 'nothing'}"
        elif table[folder] != used:
            yield (f"{DOCUMENT}: src/{folder}/ may use {', '.join(sorted(table[folder])) or 'nothing'}, "
                   f"but includes headers of {', '.join(sorted(used)) or 'nothing'}")
    for folder in sorted(table.keys() - folders):
        yield f"{DOCUMENT}: there is no folder src/{folder}/"


def check_cycles(table):
    done, path = set(), []

    def visit(folder):
        if folder in path:
            yield f"{DOCUMENT}: a cycle: {' -> '.join(path[path.index(folder):] + [folder])}"
        elif folder not in done:
            path.append(folder)
            for other in sorted(table.get(folder, ())):
                yield from visit(other)
            done.add(path.pop())

    for folder in table:
        yield from visit(folder)


def check_links(folders):
    described = {folder: targets_of(folder) for folder in folders}
    # A header without a source file of its name may belong to any library of its folder.
    owners = {(folder, file.stem): {name for name in described[folder][0] if name.startswith("heddle_")}
              for folder in folders for file in files_of(folder)}
    built = collections.defaultdict(set)  # a source may be part of several targets
    for folder in folders:
        for target, stems in described[folder][0].items():
            for stem in stems:
                built[folder, stem].add(target)
    owners |= built
    for folder in sorted(folders):
        sources, links = described[folder]
        for target, stems in sources.items():
            if not stems:
                continue
            used = [owners[header] for header in included(file for file in files_of(folder)
                                                          if target in owners[folder, file.stem])]
            where = SOURCE / folder / "CMakeLists.txt"
            for names in {" or ".join(sorted(names)) for names in used if not names & links[target]}:
                yield f"{where}: {target} includes headers of {names} and does not link it"
            for name in sorted(links[target] - set().union(*used) - sources.keys()):
                yield f"{where}: {target} links {name} and includes no header of it"


def main():
    folders = {path.parent.name for path in SOURCE.glob("*/CMakeLists.txt")}
    table = documented()
    problems = [*check_folders(table, folders), *check_cycles(table), *check_links(folders)]
    print("\n".join(problems) or f"{len(folders)} folders use each other as documented")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
