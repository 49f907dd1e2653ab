#!/usr/bin/env python3
"""Makes the page of heddle show and heddle test --html: one HTML file, and the C++ source that holds it.

The page needs no network: the style, d3 and the scripts are inside. A Content-Security-Policy allows exactly these, by their
hashes. The markers {{title}} and {{data}} are left for heddle. Without --d3, the source holds an empty page.

    bundle.py [--d3 FOLDER] --output page_text.cpp page.html style.css SCRIPT.js...
"""

import argparse
import base64
import hashlib
import pathlib
import re
import sys

# In the order of their dependencies.
D3_MODULES = ["array", "collection", "color", "format", "interpolate", "time", "time-format", "scale", "path", "shape",
              "selection", "axis"]
LICENCE_FOLDER = pathlib.Path("/usr/share/doc")


def licence(folder):
    """The licence of d3 as a comment. All modules have the same one."""
    places = [LICENCE_FOLDER / "node-d3-scale" / "copyright", folder / "d3-scale" / "LICENSE"]
    for place in places:
        if place.is_file():
            return "/*\n" + place.read_text(encoding="utf-8").replace("*/", "* /") + "*/\n"
    sys.exit(f"bundle.py: there is no licence of d3 in {' or '.join(map(str, places))}")


def d3(folder):
    parts = [licence(folder)]
    for module in D3_MODULES:
        text = (folder / f"d3-{module}" / "dist" / f"d3-{module}.min.js").read_text(encoding="utf-8")
        parts.append(re.sub(r"^//# sourceMappingURL=.*$", "", text, flags=re.MULTILINE))
    return "\n".join(parts)


def inside_element(text):
    """Text of a style or script element, which ends at the first end tag. Such a tag can only stand in a string."""
    return re.sub(r"</(script|style)", r"<\\/\1", text)


def hash_of(text):
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return "'sha256-" + base64.b64encode(digest).decode("ascii") + "'"


def page(library, html, style, scripts):
    own = "".join(f"\n// ---- {path.name}\n{path.read_text(encoding='utf-8')}" for path in scripts)
    script = inside_element(f"{library}\n(() => {{\n\"use strict\";\n{own}\n}})();\n")
    style = inside_element(style.read_text(encoding="utf-8"))
    policy = (f"default-src 'none'; script-src {hash_of(script)}; style-src {hash_of(style)}; base-uri 'none'; "
              "form-action 'none'")
    text = html.read_text(encoding="utf-8")
    for marker, content in (("{{policy}}", policy), ("{{style}}", style), ("{{script}}", script)):
        assert text.count(marker) == 1, marker
        text = text.replace(marker, content)
    return text


def source(text):
    """A C++ source with the text as an array: string literals have a limited length."""
    numbers = [str(byte) for byte in text.encode("utf-8")]
    lines = [",".join(numbers[i:i + 30]) for i in range(0, len(numbers), 30)]
    return ('// Made by bundle.py.\n#include "picture/page_text.hpp"\n\nnamespace heddle::picture {\n\nnamespace {\n\n'
            "constexpr unsigned char text[] = {" + ",\n".join(lines + ["0"]) + "};\n\n}  // namespace\n\n"
            "std::string_view page_text() { return {reinterpret_cast<const char*>(text), sizeof text - 1}; }\n\n"
            "}  // namespace heddle::picture\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--d3", type=pathlib.Path)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("html", type=pathlib.Path)
    parser.add_argument("style", type=pathlib.Path)
    parser.add_argument("scripts", type=pathlib.Path, nargs="+")
    options = parser.parse_args()
    text = page(d3(options.d3), options.html, options.style, options.scripts) if options.d3 else ""
    options.output.write_text(source(text), encoding="utf-8")


if __name__ == "__main__":
    main()
