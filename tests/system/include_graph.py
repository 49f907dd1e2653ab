#!/usr/bin/env python3
"""The folders of src use each other as docs/development.md says, without cycles, and each links what it includes.

A folder is a directory below src with a CMakeLists.txt: src/graph, and src/engine/threads too. Files of a directory without a
CMakeLists.txt belong to the nearest folder above it. The column "may use" of the table of folders names, for every folder,
exactly the folders whose headers it includes. A CMake target links exactly the targets whose headers its sources include: what
it uses and does not link would come by accident, through another target. No directory has more than 50 headers and sources.
"""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SOURCE = ROOT / "src"
DOCUMENT = ROOT / "docs" / "development.md"
OPTIONS = {"heddle_options", "heddle_target_options"}  # compiler flags, no code
SUFFIXES = (".c", ".cpp", ".h", ".hpp")
LARGEST = 50  # headers and sources in a directory


def documented():
    """{folder: the folders that it may use}"""
    rows = re.findall(r"^\| `src/([\w/]+)/` \|.*\| ([^|]*) \|$", DOCUMENT.read_text(), re.MULTILINE)
    return {folder: set() if uses == "nothing" else set(uses.split(", ")) for folder, uses in rows}


class Tree:
    """The folders of src, and which folder a file belongs to."""

    def __init__(self):
        self.folders = {str(path.parent.relative_to(SOURCE)) for path in SOURCE.glob("*/**/CMakeLists.txt")}
        self.files = collections.defaultdict(list)
        for file in sorted(SOURCE.rglob("*")):
            split = self.split(str(file.relative_to(SOURCE)))
            if file.suffix in SUFFIXES and split:
                self.files[split[0]].append(file)
        # A folder that only adds its subfolders has no files, and no row.
        self.folders = {folder for folder in self.folders if self.files[folder]}

    def split(self, path):
        """(folder, stem) of a file: the deepest folder that has it, and its path in there without the suffix; or None."""
        parts = path.split("/")
        for depth in range(len(parts) - 1, 0, -1):
            if "/".join(parts[:depth]) in self.folders:
                return "/".join(parts[:depth]), "/".join(parts[depth:]).rsplit(".", 1)[0]
        return None

    def stem(self, folder, file):
        return str(file.relative_to(SOURCE / folder).with_suffix(""))

    def included(self, folder, files):
        """The headers of other folders that these files of a folder include, as (folder, stem)."""
        headers = set()
        for file in files:
            for path in re.findall(r'^#include "([\w/]+\.h(?:pp)?)"', file.read_text(), re.MULTILINE):
                header = self.split(path)
                if header and header[0] != folder:
                    headers.add(header)
        return headers


def targets_of(folder):
    """{target: the stems of its sources} and {target: the heddle_ targets that it links}, of a folder's CMakeLists.txt."""
    text = re.sub(r"#.*", "", (SOURCE / folder / "CMakeLists.txt").read_text())
    variables = {name: value for name, value in re.findall(r"\bset\((\w+)\s+([^)]*)\)", text)}
    text = re.sub(r"\$\{(\w+)\}", lambda match: variables.get(match[1], match[0]), text)
    sources, links = {}, collections.defaultdict(set)
    for target, words in re.findall(r"add_(?:library|executable)\((\w+)([^)]*)\)", text):
        sources[target] = set(re.findall(r"(?<![\w/}])(\w[\w/]*)\.c(?:pp)?\b", words))
    for target, words in re.findall(r"target_link_libraries\((\w+)([^)]*)\)", text):
        links[target] |= set(re.findall(r"\bheddle_\w+", words)) - OPTIONS
    return sources, links


def check_folders(table, tree):
    for folder in sorted(tree.folders):
        used = {other for other, _ in tree.included(folder, tree.files[folder])}
        if folder not in table:
            yield f"{DOCUMENT}: no row for src/{folder}/; it uses {', '.join(sorted(used)) or 'nothing'}"
        elif table[folder] != used:
            yield (f"{DOCUMENT}: src/{folder}/ may use {', '.join(sorted(table[folder])) or 'nothing'}, "
                   f"but includes headers of {', '.join(sorted(used)) or 'nothing'}")
    for folder in sorted(table.keys() - tree.folders):
        yield f"{DOCUMENT}: there is no folder src/{folder}/ with files"


def check_sizes(tree):
    sizes = collections.Counter(str(file.parent.relative_to(SOURCE)) for files in tree.files.values() for file in files)
    for directory, size in sorted(sizes.items()):
        if size > LARGEST:
            yield f"src/{directory}/ has {size} headers and sources, {LARGEST} are allowed: split it by subject"


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


def check_links(tree):
    described = {folder: targets_of(folder) for folder in tree.folders}
    # A header without a source file of its name may belong to any library of its folder.
    owners = {(folder, tree.stem(folder, file)): {name for name in described[folder][0] if name.startswith("heddle_")}
              for folder in tree.folders for file in tree.files[folder]}
    built = collections.defaultdict(set)  # a source may be part of several targets
    for folder in tree.folders:
        for target, stems in described[folder][0].items():
            for stem in stems:
                built[folder, stem].add(target)
    owners |= built
    for folder in sorted(tree.folders):
        sources, links = described[folder]
        for target, stems in sources.items():
            if not stems:
                continue
            used = [owners.get(header, set()) for header in
                    tree.included(folder, [file for file in tree.files[folder]
                                           if target in owners[folder, tree.stem(folder, file)]])]
            where = SOURCE / folder / "CMakeLists.txt"
            for names in {" or ".join(sorted(names)) for names in used if not names & links[target]}:
                yield f"{where}: {target} includes headers of {names} and does not link it"
            for name in sorted(links[target] - set().union(*used) - sources.keys()):
                yield f"{where}: {target} links {name} and includes no header of it"


def main():
    tree = Tree()
    table = documented()
    problems = [*check_folders(table, tree), *check_sizes(tree), *check_cycles(table), *check_links(tree)]
    print("\n".join(problems) or f"{len(tree.folders)} folders use each other as documented")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
