#!/usr/bin/env python3
"""What the documentation names exists: files in docs/development.md and docs/internals/, links in every page, packages in docs/dependencies.md."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# In backticks, and with a slash or a known ending: `src/models/sc.cpp`, `CMakeLists.txt`. <name> stands for what the reader adds.
FILE = re.compile(r"`([\w./+-]*(?:/[\w.+-]*|CMakeLists\.txt|Makefile|\.md|\.json))`")
CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)  # lambdas look like links
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def missing_files(page, folders=("",)):
    text = page.read_text()
    for path in FILE.findall(text):
        if path.startswith(folders) and not path.startswith(("build/", "/", "heddle-out/")) and not (ROOT / path).exists():
            yield f"{page.name} names `{path}`, which does not exist"


def dead_links(page):
    for target in LINK.findall(CODE.sub("", page.read_text())):
        if not (page.parent / target).exists():
            yield f"{page.name} links to {target}, which does not exist"


def packages_that_differ():
    setup = (ROOT / "scripts" / "setup").read_text()
    installed = set()
    for line in re.findall(r"^(?:build|libraries|tests|third_party|optional)=\(([^)]*)\)", setup, re.MULTILINE):
        installed.update(line.split())
    explained = set(re.findall(r"^\| `([a-z0-9.+-]+)`", (ROOT / "docs" / "dependencies.md").read_text(), re.MULTILINE))
    for package in sorted(installed ^ explained):
        where = "scripts/setup" if package in installed else "docs/dependencies.md"
        yield f"the package {package} is in {where} only"


def main():
    problems = []
    for page in (ROOT / "docs" / "development.md", ROOT / "CONTRIBUTING.md", ROOT / "README.md"):
        problems += missing_files(page)
    for page in ROOT.glob("docs/internals/*.md"):
        problems += missing_files(page, ("src/", "tests/", "benchmarks/"))
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]:
        problems += dead_links(page)
    problems += packages_that_differ()
    print("\n".join(problems) if problems else "all there")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
