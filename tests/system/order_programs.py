#!/usr/bin/env python3
"""The programs of benchmarks/orders: locks and structures whose memory orders are all seq_cst.

`heddle verify` proves each of them, with the compiler of --compiler. WEAKEST lists the weakest orders with which a program stays right,
in the order of the text; a compare-exchange has two. Each of these answers is right, and each order that is one step weaker is wrong;
order_answers.py compares them with those of heddle weaken.
--brute-force runs all assignments of the programs with at most that many, and finds exactly these answers.
"""

import pathlib
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE.parents[1] / "benchmarks" / "orders"
sys.path.insert(0, str(HERE.parent / "support"))
from heddle_tool import Failure, run_checks  # noqa: E402
from order_sites import Assignments  # noqa: E402

# push and take; steal
CHASE_LEV_OWNER = ("none release relaxed release seq_cst relaxed relaxed relaxed relaxed relaxed",
                   "none release relaxed seq_cst none seq_cst relaxed release relaxed relaxed",
                   "none release relaxed seq_cst release seq_cst relaxed relaxed relaxed relaxed",
                   "release relaxed relaxed relaxed seq_cst relaxed relaxed relaxed relaxed relaxed",
                   "release relaxed relaxed seq_cst none seq_cst relaxed release relaxed relaxed",
                   "release relaxed relaxed seq_cst release seq_cst relaxed relaxed relaxed relaxed")
CHASE_LEV_THIEF = ("acquire none seq_cst relaxed seq_cst relaxed",
                   "relaxed acquire seq_cst relaxed seq_cst relaxed",
                   "relaxed seq_cst acquire relaxed relaxed relaxed")
WEAKEST = {
    "array_lock": ["acq_rel acquire relaxed release"],
    "chase_lev_deque": [f"relaxed relaxed relaxed {owner} {thief}" for owner in CHASE_LEV_OWNER for thief in CHASE_LEV_THIEF],
    "clh_lock": ["relaxed acq_rel acquire release"],
    "dekker_lock": ["relaxed seq_cst acquire relaxed relaxed relaxed relaxed seq_cst relaxed release",
                    "relaxed seq_cst seq_cst relaxed relaxed relaxed seq_cst none relaxed release",
                    "seq_cst none seq_cst relaxed release relaxed relaxed seq_cst relaxed release",
                    "seq_cst none seq_cst relaxed release relaxed seq_cst none relaxed release",
                    "seq_cst release seq_cst relaxed relaxed relaxed relaxed seq_cst relaxed release",
                    "seq_cst release seq_cst relaxed relaxed relaxed seq_cst none relaxed release"],
    "double_checked_init": ["acquire relaxed release"],
    "epoch_reclamation": ["acquire seq_cst none seq_cst release release release seq_cst acquire",
                          "acquire seq_cst none seq_cst release seq_cst release none seq_cst",
                          "relaxed release seq_cst acquire release release release seq_cst acquire",
                          "relaxed release seq_cst acquire release seq_cst release none seq_cst",
                          "relaxed seq_cst acquire seq_cst release release release seq_cst acquire",
                          "relaxed seq_cst acquire seq_cst release seq_cst release none seq_cst"],
    "hazard_pointer": ["relaxed relaxed seq_cst relaxed release release seq_cst acquire",
                       "relaxed relaxed seq_cst relaxed release seq_cst none seq_cst",
                       "relaxed seq_cst none seq_cst release release seq_cst acquire",
                       "relaxed seq_cst none seq_cst release seq_cst none seq_cst"],
    "mcs_lock": ["relaxed relaxed acq_rel release acquire acquire release relaxed acquire release",
                 "relaxed relaxed acq_rel release acquire acquire release acquire relaxed release"],
    "michael_scott_queue": ["acquire acquire relaxed relaxed release relaxed release relaxed acquire relaxed relaxed relaxed relaxed release relaxed"],
    "peterson_lock": ["relaxed seq_cst relaxed seq_cst acquire acquire release",
                      "relaxed seq_cst seq_cst none seq_cst acquire release",
                      "seq_cst none seq_cst none seq_cst acquire release",
                      "seq_cst none seq_cst seq_cst acquire acquire release"],
    "rcu_pointer": ["acquire release release acquire"],
    "reader_writer_lock": ["relaxed acquire relaxed release acquire relaxed release"],
    "reference_count": ["relaxed acq_rel none", "relaxed release acquire"],
    "sequence_lock": ["relaxed relaxed none release release release acquire acquire acquire none relaxed",
                      "relaxed relaxed none release release release acquire relaxed relaxed acquire relaxed",
                      "relaxed relaxed release relaxed relaxed release acquire acquire acquire none relaxed",
                      "relaxed relaxed release relaxed relaxed release acquire relaxed relaxed acquire relaxed"],
    "spsc_ring": ["relaxed acquire release relaxed acquire release"],
    "test_and_set_lock": ["acquire release"],
    "ticket_lock": ["relaxed acquire relaxed release"],
    "tree_barrier": ["acquire release release acquire"],
    "treiber_stack": ["relaxed release relaxed acquire relaxed acquire"],
    "ttas_lock": ["relaxed acquire release"],
}


def check_answer(assignments, answer):
    if not assignments.is_right(answer):
        raise Failure(f"not right: {assignments.text(answer)}")
    for weaker in assignments.steps_down(answer):
        if assignments.is_right(weaker):
            raise Failure(f"right, and weaker than expected: {assignments.text(weaker)}")


def check(heddle, folder, options):
    sources = sorted(PROGRAMS.glob("*.cpp"))
    if {source.stem for source in sources} != set(WEAKEST):
        raise Failure("the programs of benchmarks/orders are not those of this test")
    for source in sources:
        program = heddle.compile(source, compiler=options.compiler, flags=["-std=c++20", "-g", options.level])
        assignments = Assignments(heddle, program, source, options.compiler, out=folder / "out")
        if not assignments.is_right(assignments.strongest()):
            raise Failure(f"{source.stem} is not right with seq_cst everywhere")
        answers = sorted(tuple(answer.split()) for answer in WEAKEST[source.stem])
        for answer in answers[:options.answers]:
            check_answer(assignments, answer)
        if answers and assignments.count() <= options.brute_force:
            found = assignments.weakest_by_brute_force()
            if found != answers:
                raise Failure(f"{source.stem}: brute force finds {found}")


def options(parser):
    parser.add_argument("--compiler", default="gcc")
    parser.add_argument("--level", default="-O1")
    parser.add_argument("--answers", type=int, default=2, metavar="N", help="check so many of a program's answers")
    parser.add_argument("--brute-force", type=int, default=0, metavar="N")


if __name__ == "__main__":
    sys.exit(run_checks(__doc__, check, options))
