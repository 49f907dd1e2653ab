#!/usr/bin/env python3
"""The pictures in docs/pictures are those that heddle draws of the examples. With --update, writes them."""

import argparse
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))
from heddle_tool import Failure, Heddle  # noqa: E402

FOLDER = ROOT / "docs" / "pictures"
# The picture: the program, and the relations to draw.
PICTURES = {
    "message-passing.svg": ("message_passing_relaxed.cpp", "rf"),
    "message-passing-hb.svg": ("message_passing_relaxed.cpp", "rf,hb"),
    "store-buffering.svg": ("store_buffering.c", "rf"),
    "seqlock.svg": ("seqlock_broken.cpp", "rf"),
    "readers-disagree.svg": ("iriw_acquire.cpp", "rf"),
    "ring.svg": ("spsc_ring_broken.cpp", "rf"),
}


def draw(heddle, name, folder):
    source, edges = PICTURES[name]
    path = ROOT / "examples" / source
    flags = ["-std=c++20" if path.suffix == ".cpp" else "-std=gnu11", "-g", "-O1"]
    done = heddle.run("test", "--out", folder / name, heddle.compile(path, flags=flags))
    traces = sorted((folder / name).glob("*.trace"))
    if done.code != 1 or not traces:
        raise Failure(f"{source}: no trace\n{done.describe()}")
    shown = heddle.run("show", traces[0], "--edges", edges, "--svg", folder / "picture.svg")
    if shown.code != 0:
        raise Failure(shown.describe())
    return (folder / "picture.svg").read_text()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--cache", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    heddle = Heddle(options.build.resolve(), (options.cache or options.build / "tests" / "cache").resolve())
    old = []
    with tempfile.TemporaryDirectory(prefix="heddle-documented-pictures-") as name:
        for picture in PICTURES:
            text = draw(heddle, picture, pathlib.Path(name))
            if options.update:
                (FOLDER / picture).write_text(text)
            elif not (FOLDER / picture).exists() or (FOLDER / picture).read_text() != text:
                old.append(picture)
    unknown = {path.name for path in FOLDER.glob("*.svg")} - set(PICTURES)
    if old or unknown:
        sys.exit(f"docs/pictures: {', '.join(old) or 'no picture'} would differ, and {', '.join(unknown) or 'no picture'} is not "
                 "in the list; tests/system/documented_pictures.py --build build --update draws them anew")
    print(f"{len(PICTURES)} pictures are up to date")


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(str(failure))
