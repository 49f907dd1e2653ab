"""The memory orders of a program, as a person reads them in its source, and which assignments of orders are right.

An assignment is a tuple with an order for each entry. An entry is an operation at a place; a compare-exchange is two, since it has
an order for success and one for failure. Whether an assignment is right is asked of `heddle verify --orders`, one run for each.
"""

import functools
import itertools
import re
from dataclasses import dataclass

from heddle_tool import Failure

# From weak to strong: every order is listed after those that are weaker.
LOAD = ("relaxed", "acquire", "seq_cst")
STORE = ("relaxed", "release", "seq_cst")
UPDATE = ("relaxed", "acquire", "release", "acq_rel", "seq_cst")
FENCE = ("none", "acquire", "release", "acq_rel", "seq_cst")
STEPS_DOWN = {"seq_cst": ("acq_rel", "acquire", "release"), "acq_rel": ("acquire", "release"), "acquire": ("relaxed",),
              "release": ("relaxed",), "relaxed": (), "none": ()}
CALL = re.compile(r"(?P<qualifier>std::)?\b(?P<name>load|store|exchange|fetch_\w+|compare_exchange_(?:strong|weak)|atomic_thread_fence)"
                  r"(?P<open>\()")


@dataclass(frozen=True)
class Entry:
    """An operation at a place that can have one of some orders."""

    line: int
    column: int  # as the compiler counts it
    operation: str  # as --orders names it
    orders: tuple

    def weaker(self, order):
        """The orders that are one step weaker."""
        if self.orders is FENCE and order in ("acquire", "release"):
            return ("none",)
        wanted = list(STEPS_DOWN[order])
        below = [weaker for weaker in wanted if weaker in self.orders]
        # A load has no acq_rel, so that acquire comes directly below seq_cst.
        return tuple(weaker for weaker in below if not any(weaker in STEPS_DOWN[other] for other in below))


def entries_of(source, compiler):
    """All operations of a source file, in the order of the text. gcc names a call by its parenthesis, clang by its name."""
    entries = []
    for number, text in enumerate(source.read_text().splitlines(), 1):
        code = text.split("//")[0]
        for call in CALL.finditer(code):
            if call["name"] != "atomic_thread_fence" and code[:call.start("name")][-1:] not in (".", ">"):
                continue
            column = 1 + (call.start("open") if compiler.startswith("gcc") else call.start())
            name = call["name"]
            if name.startswith("compare_exchange"):
                entries += [Entry(number, column, "cas", UPDATE), Entry(number, column, "cas-failure", LOAD)]
            elif name in ("load", "store"):
                entries.append(Entry(number, column, name, LOAD if name == "load" else STORE))
            elif name == "atomic_thread_fence":
                entries.append(Entry(number, column, "fence", FENCE))
            else:
                entries.append(Entry(number, column, "rmw", UPDATE))
    return entries


@functools.cache
def is_weaker_or_equal(entry, left, right):
    """Whether an order is below another one, in a number of steps."""
    return left == right or any(is_weaker_or_equal(entry, left, step) for step in entry.weaker(right))


class Assignments:
    """Assignments of orders to the entries of one program, tried with one or several clients (lists of arguments)."""

    def __init__(self, heddle, program, source, compiler, clients=((),), out=None, seconds=20):
        self.heddle, self.program, self.source, self.clients, self.seconds = heddle, program, source, clients, seconds
        self.out = out or program.parent / "out"
        self.entries = entries_of(source, compiler)
        self.runs = 0
        self.known = {}

    def sites(self):
        return len({(entry.line, entry.column) for entry in self.entries})

    def count(self):
        total = 1
        for entry in self.entries:
            total *= len(entry.orders)
        return total

    def strongest(self):
        return tuple(entry.orders[-1] for entry in self.entries)

    def all(self):
        return itertools.product(*(entry.orders for entry in self.entries))

    def text(self, assignment):
        return ",".join(f"{self.source.name}:{entry.line}:{entry.column}/{entry.operation}={order}"
                        for entry, order in zip(self.entries, assignment))

    def is_right(self, assignment):
        """Whether every execution of every client is right."""
        if assignment not in self.known:
            self.known[assignment] = all(self.accepts(client, assignment) for client in self.clients)
        return self.known[assignment]

    def accepts(self, client, assignment):
        self.runs += 1
        run = self.heddle.run("verify", "-q", "--time", self.seconds, "--explain", "none", "--out", self.out, "--orders",
                              self.text(assignment), self.program, *client)
        if run.code == 0 and "all explored" in run.output:
            return True
        if run.code == 1:
            return False
        raise Failure(f"neither right nor wrong\n{run.describe()}")

    def steps_down(self, assignment):
        for index, entry in enumerate(self.entries):
            for weaker in entry.weaker(assignment[index]):
                yield assignment[:index] + (weaker,) + assignment[index + 1:]

    def is_below(self, left, right):
        return all(is_weaker_or_equal(entry, one, other) for entry, one, other in zip(self.entries, left, right))

    def weakest_by_brute_force(self):
        """All weakest right assignments, from a run of each assignment. Fails if behaviour is not monotone."""
        right = {assignment for assignment in self.all() if self.is_right(assignment)}
        weakest = [assignment for assignment in right if not any(below in right for below in self.steps_down(assignment))]
        for assignment in self.all():
            if (assignment in right) != any(self.is_below(least, assignment) for least in weakest):
                raise Failure(f"{self.source.name}: weaker orders are right where stronger ones are not: {self.text(assignment)}")
        return sorted(weakest)

    def weakest_by_pruning(self):
        """All weakest right assignments. What is above a right one, or below a wrong one, is not run."""
        unknown = set(self.all())
        weakest = []
        while unknown:
            start = next(iter(unknown))
            if not self.is_right(start):
                # As strong as it can be and still wrong.
                start = self.climb(start)
                unknown = {other for other in unknown if not self.is_below(other, start)}
                continue
            least = self.descend(start)
            weakest.append(least)
            unknown = {other for other in unknown if not self.is_below(least, other)}
        return sorted(weakest)

    def descend(self, assignment):
        for below in self.steps_down(assignment):
            if self.is_right(below):
                return self.descend(below)
        return assignment

    def climb(self, assignment):
        for index, entry in enumerate(self.entries):
            for order in entry.orders:
                if assignment[index] in entry.weaker(order):
                    above = assignment[:index] + (order,) + assignment[index + 1:]
                    if not self.is_right(above):
                        return self.climb(above)
        return assignment
