#!/usr/bin/env python3
"""The completions of bash, zsh and fish offer what the command lines take. Shells that are not installed are left out."""
import argparse
import fcntl
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from heddle_tool import GUARD_SECONDS  # noqa: E402

# What the user has typed, and some of the words that the shell must offer. The last word is the one to complete.
CASES = [
    (["ver"], {"verify"}),
    (["test", "--mod"], {"--model"}),
    (["test", "--model", "rc"], {"rc11"}),
    (["test", "--isolation", ""], {"auto", "reset", "fork"}),
    (["test", "-s", "pct"], {"pct", "pctwm"}),
    (["replay", "--gd"], {"--gdb"}),
    (["verify", "--bound-"], {"--bound-events", "--bound-loop"}),
]
# Words after the program are its own.
AFTER_PROGRAM = ["test", "./prog", "--mod"]


def bash(file, words):
    script = f'source "{file}"; COMP_WORDS=(heddle "$@"); COMP_CWORD=$#; _heddle; printf "%s\\n" "${{COMPREPLY[@]}}"'
    return run("bash", "--norc", "-c", script, "bash", *words)


def fish(file, words):
    line = " ".join(["heddle", *(word or "" for word in words)])
    output = run("fish", "--no-config", "-c", f'source "{file}"; complete -C "{line}"')
    return {entry.split("\t")[0] for entry in output}


class Terminal:
    """A program that sees a terminal of 200 columns."""

    def __init__(self, *command):
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            os.execvpe(command[0], command, {"PATH": os.environ["PATH"], "TERM": "dumb", "HOME": "/nonexistent"})
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 400, 200, 0, 0))

    def type(self, text):
        os.write(self.terminal, text.encode())

    def wait_for(self, pattern):
        """What the program prints until it prints the pattern."""
        seen = ""
        while not re.search(pattern, seen, re.DOTALL):
            if not select.select([self.terminal], [], [], 60)[0]:
                sys.exit(f"the shell prints nothing more; it printed:\n{seen}")
            seen += os.read(self.terminal, 65536).decode("utf-8", "replace")
        return seen

    def close(self):
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)
        os.close(self.terminal)


def zsh(file, words):
    """Types the line and the key that lists choices, then a key that prints a mark."""
    shell = Terminal("zsh", "-f", "-i")
    # The echo of this line contains neither READY nor DONE.
    shell.type(f"fpath=({file.parent} $fpath); autoload -Uz compinit; compinit -D -u; LISTMAX=1000; unsetopt auto_menu always_last_prompt; "
               "bindkey '^T' list-choices; mark() { print DO''NE; }; zle -N mark; bindkey '^O' mark; PS1='REA''DY'\n")
    shell.wait_for("READY")
    shell.type(" ".join(["heddle", *words]) + "\x14\x0f")
    offered = shell.wait_for("DONE").split("\n", 1)[-1]
    shell.close()
    return set(re.findall(r"[\w+-]+", offered))


def run(*command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=GUARD_SECONDS)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"{command[0]} {command[-1]}: exit code {done.returncode}\n{done.stderr}")
    return set(done.stdout.splitlines())


def check(shell, complete, file):
    failed = 0
    for words, expected in CASES:
        offered = complete(file, words)
        if not expected <= offered:
            failed += 1
            print(f"{shell}: 'heddle {' '.join(words)}' offers {sorted(offered)[:30]}, not {sorted(expected - offered)}")
    if shell == "bash" and complete(file, AFTER_PROGRAM) - {""}:
        failed += 1
        print(f"bash: 'heddle {' '.join(AFTER_PROGRAM)}' offers heddle's options to the program")
    print(f"{shell}: {len(CASES) - failed} passed, {failed} failed")
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="heddle's build folder")
    heddle = parser.parse_args().build / "bin" / "heddle"
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for shell, complete, name in ("bash", bash, "heddle"), ("fish", fish, "heddle.fish"), ("zsh", zsh, "_heddle"):
            if not shutil.which(shell):
                print(f"{shell} is not installed")
                continue
            file = pathlib.Path(folder) / name
            file.write_text(subprocess.run([heddle, "help", "--completion", shell], stdout=subprocess.PIPE, text=True, check=True).stdout)
            failed += check(shell, complete, file)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
