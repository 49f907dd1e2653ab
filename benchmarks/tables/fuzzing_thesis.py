"""What "Fuzzing for concurrent programs under C/C++ weak memory model" (Li, Delft 2024) prints, and our programs for it."""

# Executions until the first bug under random and under the fuzzer; nothing: no bug in any test.
TABLE_4_1 = {"p1": (678, 48), "mp": (686, 210), "long_race": (None, 453), "reorder": (176, 81)}
# The thesis's text on figure 4.1: the share of the two most frequent graphs of listing 4.4, and how many graphs there are.
FIGURE_4_1 = (96.5, 9)
# Figures 4.2 to 4.5 and 5.5 to 5.13 are plots whose values stand nowhere in the text. How rare the seeded bugs are is not known either: those of
# the stacks show after five failed compare-exchanges.
RARE = ["-DELEMENTS=3", "-DFAILURES=5"]
FIGURE_5_8 = {
    "P1": ("fuzzing/p1", []), "long_race": ("fuzzing/long_race", []), "mp": ("fuzzing/mp", []),
    "stack_bug": ("fuzzing/stack_bug", RARE), "stack_oddeven": ("fuzzing/stack_oddeven", RARE),
    "stack_oddeven2": ("fuzzing/stack_oddeven2", RARE), "buggy_queue": ("fuzzing/buggy_queue", []),
    "buf_ring_bug": ("fuzzing/buf_ring_bug", []),
}
# In the others, nearly every execution has a graph of its own, and nothing leads a fuzzer.
FUZZING_WINS = ("P1", "long_race", "mp")
# Program, its source, the graphs of tables 4.2 and 4.3, the buggy ones of tables 4.5 and 4.6.
TABLE_4_2 = {
    "barrier": ("buggy/barrier", (6969, 7741), (5789, 6993)),
    "chase-lev-deque": ("buggy/cldeque", (6244, 8505), (5895, 5858)),
    "mpmc-queue": ("buggy/mpmcqueue", (4185, 6373), (2341, 5858)),
    "linuxrwlocks": ("buggy/linuxrwlocks", (981, 1225), (976, 1220)),
    "mcs-lock": ("buggy/mcslock", (9703, 9994), (8525, 9418)),
    "dekker": ("buggy/dekker", (395, 494), (5, 5)),
    "rwlock-test": ("buggy/rwlock", (9998, 9997), (4697, 4736)),
    "seqlock-test": ("buggy/seqlock", (6137, 7962), (3872, 5009)),
    "bipartite-buf": ("fuzzing/bipartite_buffer", (297, 340), (297, 340)),
    "left-right": ("fuzzing/left_right", (5378, 6678), (1478, 1488)),
    "ring-buf": ("fuzzing/ring_buf", (328, 576), (328, 576)),
}
MEAN_GAIN_4_2, MEDIAN_GAIN_4_2 = 27.0, 24.9
# The parameters of table 4.4: d, k, h.
TABLE_4_4 = {"barrier": (1, 10, 2), "chase-lev-deque": (2, 56, 1), "mcs-lock": (1, 16, 1), "seqlock-test": (4, 18, 1),
             "linuxrwlocks": (5, 100, 10), "mpmc-queue": (2, 17, 2)}
# Table 4.7: seconds of an execution of Iris, and of these the mutation and the loading of a prefix.
TABLE_4_7 = {"random": (41.0, 0.0), "fuzzer": (49.4, 10.3)}
# Program, its source and size; graphs: random, revisit, minimal, maximal; events: all, revisit, minimal, maximal.
TABLE_5_1 = {
    "ring-buffer": ("fuzzing/ring_buffer", ["-DTHREADS=2"], (6953, 16449, 30803, 49290), (102.18, 81.88, 41.15, 94.11)),
    "linuxrwlocks": ("fixed/linuxrwlocks", [], (9658, 10699, 27459, 20666), (77.26, 59.79, 30.79, 54.03)),
    "mpmc-queue": ("fuzzing/mpmc_queue", [], (23145, 49506, 53003, 66422), (85.24, 59.57, 31.75, 73.95)),
    "ms-queue": ("fuzzing/ms_queue", ["-DELEMENTS=1"], (13746, 31404, 23078, 32792), (172.85, 136.0, 66.13, 159.68)),
    "treiber-stack": ("fuzzing/treiber_stack", ["-DTHREADS=2"], (9029, 28005, 41201, 53892), (113.5, 83.98, 53.51, 99.49)),
    "ttaslock": ("fuzzing/ttas_lock", ["-DTHREADS=2"], (8633, 8982, 10430, 10245), (65.35, 59.41, 21.76, 51.88)),
}
MEAN_GAIN_5_1 = 181.6
