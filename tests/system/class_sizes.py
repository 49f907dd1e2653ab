#!/usr/bin/env python3
"""Classes and files of src have a size at which a reader keeps the overview, or a line that says why they are larger.

A class has at most 40 methods and 20 fields. A larger one has a line "Many methods: ..." or "Many fields: ..." in the comment above
it or at the head of its file. A constructor takes at most 7 references. A file of more than 450 lines begins with "Longer than most
files: ...". The compiler's view is not needed: headers declare one member after another.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MOST = {"methods": 40, "fields": 20}
MOST_REFERENCES = 7
MOST_LINES = 450

CLASS = re.compile(r"^[ ]*(?:template <[^;{]*> )?(?:class|struct) (?:\[\[\w+\]\] )?(\w+)(?: final)?(?: : [^;{]*)? \{", re.MULTILINE)
NO_MEMBER = re.compile(r"^(using|friend|static_assert|enum|class|struct|union|typedef|static constexpr|inline static)\b")


def blank(match):
    return re.sub(r"[^\n]", " ", match[0])


def without_comments(text):
    """The text with spaces in place of comments and of the contents of strings: places stay the same."""
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', blank, text, flags=re.DOTALL)


def end_of_braces(code, begin):
    depth = 0
    for at in range(begin, len(code)):
        depth += {"{": 1, "}": -1}.get(code[at], 0)
        if depth == 0:
            return at
    return len(code)


def removed_pairs(text, pair, by=""):
    """The text without what is between such brackets."""
    pattern = re.compile(pair)
    while True:
        shorter = pattern.sub(by, text)
        if shorter == text:
            return text
        text = shorter


def members(body):
    """The declarations of a class, each as one line without bodies and arguments of templates."""
    body = re.sub(r"^#.*$", "", body, flags=re.MULTILINE)
    body = re.sub(r"\[\[[^\]]*\]\]", "", body)
    body = re.sub(r"\b(public|private|protected):", ";", body)
    body = removed_pairs(body, r"\{[^{}]*\}", "\0").replace("\0", "@")
    body = re.sub(r"operator\s*(<=>|->|<<|>>|<|>)", "operator", body)
    body = removed_pairs(body, r"<[^<>;]*>")
    # A body ends a function, but not the initial value of a field or a list of initialisers.
    body = re.sub(r"@(?=\s*[,;])", "", body)
    return [" ".join(part.split()) for part in re.split(r"[;@]", body) if part.split()]


def count(body):
    """(methods, fields, the most references of a constructor)"""
    methods = fields = references = 0
    for member in members(body):
        member = re.sub(r"^template ", "", member)
        if NO_MEMBER.match(member) or re.search(r"= (default|delete)$", member):
            continue
        head = member.split("=")[0]
        if "(" in head:
            methods += 1
            if re.match(r"(explicit )?[A-Z]\w*\s*\(", head):
                depth = parameters = 0
                for character in head[head.index("("):]:
                    depth += {"(": 1, ")": -1}.get(character, 0)
                    parameters += character == "&"
                    if depth == 0:
                        break
                references = max(references, parameters)
        elif not member.startswith("static ") and " " in head:
            fields += 1 + len(re.findall(r",", re.sub(r"\([^()]*\)", "", member)))
    return methods, fields, references


def comment_above(text, begin):
    lines = text[:begin].splitlines()
    comment = []
    while lines and lines[-1].strip().startswith("//"):
        comment.append(lines.pop())
    return "\n".join(comment)


def head_of(text):
    return text[: next((match.start() for match in re.finditer(r"^(?!//)", text, re.MULTILINE)), len(text))]


def check(file):
    text = file.read_text()
    name = file.relative_to(ROOT)
    lines = text.count("\n")
    if lines > MOST_LINES and not re.search(r"Longer than most\s+(?://\s+)?files: ", head_of(text)):
        yield f"{name}: {lines} lines, and no line that says why (// Longer than most files: ...)"
    code = without_comments(text)
    for match in CLASS.finditer(code):
        begin = match.end() - 1
        methods, fields, references = count(code[begin + 1 : end_of_braces(code, begin)])
        why = head_of(text) + comment_above(text, match.start())
        for what, number in (("methods", methods), ("fields", fields)):
            if number > MOST[what] and f"Many {what}: " not in why:
                yield f"{name}: {match[1]} has {number} {what}, and no line that says why (/// Many {what}: ...)"
        if references > MOST_REFERENCES:
            yield f"{name}: a constructor of {match[1]} takes {references} references; give parts that belong together a struct"


def self_test():
    body = """
 public:
  explicit Some(const std::map<int, std::pair<int, int>>& map, Other& other) : map_(map), other_{other} {}
  Some(const Some&) = delete;
  int get() const { return {1}; }
  template <typename T> bool operator<(const T& other) const;
  static int make();
 private:
  struct Inner { int a; int b; };
  static constexpr int most = 4;
  std::map<int, int> map_ = {};
  int a_ = 0, b_{1};
  std::function<void(int)> call_;
  friend bool operator==(const Some&, const Some&) = default;
"""
    assert count(without_comments(body)) == (4, 4, 2), count(without_comments(body))


def main():
    self_test()
    problems = [problem for file in sorted((ROOT / "src").rglob("*.?pp")) for problem in check(file)]
    print("\n".join(problems) if problems else "classes and files are small, or say why they are not")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
