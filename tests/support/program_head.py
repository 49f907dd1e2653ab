"""What the head of a test program says: one line for each thing, which begins with `// heddle`."""

import re
import shlex

from heddle_tool import Failure


class ProgramHead:
    """The expectations and options in the head of one source file; tests/programs/run.py lists the lines."""

    def __init__(self, source):
        lines = {}
        for line in source.read_text().splitlines():
            match = re.match(r"// heddle(-\w+)?: (.*)", line)
            if match:
                lines.setdefault((match[1] or "-verdict")[1:], []).append(match[2].strip())
        verdict = lines.get("verdict", [""])[0]
        if verdict == "clean":
            self.one_of = []
        elif verdict.startswith("finds "):
            self.one_of = verdict[len("finds "):].split("|")
        else:
            raise Failure(f"{source}: no line '// heddle: clean' or '// heddle: finds KIND' in its head")
        also = ",".join(lines.get("also", []))
        self.permitted = {*self.one_of, *filter(None, re.split(r"[,\s]+", also))}
        self.runs = int(lines.get("runs", ["1000"])[0])
        self.options = shlex.split(" ".join(lines.get("options", [])))
        self.arguments = shlex.split(" ".join(lines.get("args", [])))
        self.flags = ["-std=gnu11" if source.suffix == ".c" else "-std=c++20", "-O1", "-g",
                      *shlex.split(" ".join(lines.get("flags", [])))]
        self.levels = " ".join(lines.get("levels", [])).split()
        self.defects = {kind for line in lines.get("defect", []) for kind in re.split(r"[,\s]+", line)}
        self.mentions = lines.get("mentions", [])

    def options_without_strategy(self):
        """The options less `-s NAME`, for tests that choose the strategy themselves."""
        words = iter(self.options)
        return [word for word in words if word != "-s" or not next(words)]

    def exit_code(self, kinds):
        """The exit code of `heddle test` that found these kinds. A limit is no bug, but the program was not fully tested. The order of
        locks is a warning."""
        kinds = kinds - {"lock-order"}
        if not kinds:
            return 0
        return 3 if kinds == {"limit"} else 1
