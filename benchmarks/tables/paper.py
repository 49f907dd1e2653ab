"""What the PCTWM paper (Gao, Chakraborty, Ozkan, ASPLOS 2023) and the thesis behind it (Mingyu Gao, Delft 2022) print, in per cent of 1,000
executions.

Read the 100s with care: the published implementation draws its change points once a process, so that all executions of a
process share them, and a rate of one schedule is mostly 0 or 100. Ours are drawn anew for every execution.
"""
from dataclasses import dataclass


@dataclass(frozen=True)
class Program:
    name: str
    k: int  # events, table 1
    k_com: int  # communication events, table 1
    depth: int  # table 1
    writers: int  # our program: how many times a run passes the place where relaxed writes are inserted


PROGRAMS = [
    Program("dekker", 20, 14, 0, 2),
    Program("msqueue", 49, 31, 0, 2),
    Program("barrier", 15, 10, 1, 3),
    Program("cldeque", 86, 56, 1, 2),
    Program("mcslock", 26, 16, 1, 2),
    Program("mpmcqueue", 19, 17, 2, 2),
    Program("linuxrwlocks", 20, 19, 2, 2),
    Program("rwlock", 84, 74, 2, 2),
    Program("seqlock", 20, 18, 3, 4),
]

# Table 2: pctwm with the program's d, d + 1 and d + 2, each as (h, rate).
TABLE_2 = {
    "dekker": [(1, 100), (1, 77.1), (1, 75.7)],
    "msqueue": [(1, 100), (1, 100), (1, 100)],
    "barrier": [(2, 77.8), (3, 78.7), (2, 75.9)],
    "cldeque": [(3, 55.7), (1, 100), (1, 100)],
    "mcslock": [(1, 100), (1, 100), (1, 100)],
    "mpmcqueue": [(1, 100), (1, 100), (1, 100)],
    "linuxrwlocks": [(1, 100), (1, 100), (1, 100)],
    "rwlock": [(4, 76.9), (3, 78.8), (3, 77)],
    "seqlock": [(3, 33.3), (1, 41.2), (2, 39.5)],
}

# Table 3: pctwm with this d, and h from 1 to 4.
TABLE_3 = {
    "dekker": (1, [77.1, 69.7, 67.4, 65.3]),
    "msqueue": (0, [100, 100, 100, 100]),
    "barrier": (2, [74.8, 75.1, 76.7, 78.7]),
    "cldeque": (1, [100, 100, 100, 100]),
    "mcslock": (1, [100, 100, 100, 100]),
    "mpmcqueue": (2, [100, 100, 100, 100]),
    "linuxrwlocks": (2, [100, 100, 100, 100]),
    "rwlock": (3, [74.2, 76, 78.8, 73.5]),
    "seqlock": (4, [41.2, 39.8, 37.1, 36.7]),
}

# Figure 5: the best of each; the numbers stand in table 7.6 of the thesis, those of seqlock under pctwm in table 2.
FIGURE_5 = {
    "dekker": {"random": 21.6, "pct": (3, 20, 22.7), "pctwm": (0, 14, 1, 100)},
    "msqueue": {"random": 100, "pct": (1, 49, 100), "pctwm": (0, 31, 1, 100)},
    "barrier": {"random": 76.6, "pct": (2, 15, 77.1), "pctwm": (2, 10, 3, 78.7)},
    "cldeque": {"random": 94.6, "pct": (2, 86, 100), "pctwm": (2, 56, 1, 100)},
    "mcslock": {"random": 89.4, "pct": (8, 26, 100), "pctwm": (1, 16, 1, 100)},
    "mpmcqueue": {"random": 59.4, "pct": (4, 19, 100), "pctwm": (2, 17, 1, 100)},
    "linuxrwlocks": {"random": 86.2, "pct": (8, 20, 100), "pctwm": (1, 19, 1, 100)},
    "rwlock": {"random": 55.3, "pct": (4, 84, 75.4), "pctwm": (3, 74, 3, 78.8)},
    "seqlock": {"random": 28.8, "pct": (5, 17, 28.0), "pctwm": (4, 18, 1, 41.2)},
}

# Table 7.2 of the thesis: the estimated parameters of pct (d, k, rate) and of pctwm (d, k, h, rate).
TABLE_7_2 = {
    "dekker": ((1, 20, 22.2), (0, 14, 1, 100)),  # the thesis writes d = 0, without change points: our d = 1
    "msqueue": ((1, 49, 100), (0, 31, 1, 100)),
    "barrier": ((1, 15, 73.9), (1, 10, 2, 77.8)),
    "cldeque": ((1, 86, 51.6), (1, 56, 1, 48.9)),
    "mcslock": ((2, 21, 100), (2, 14, 1, 100)),
    "mpmcqueue": ((2, 22, 99.8), (2, 17, 1, 100)),
    "linuxrwlocks": ((2, 31, 100), (2, 19, 1, 100)),
    "rwlock": ((2, 79, 19.7), (2, 74, 4, 76.9)),
    "seqlock": ((3, 17, 23.1), (3, 14, 3, 24.3)),
}

# Table 7.3 of the thesis: pct with table 7.1's k, and d to d + 3. (Table 7.4 is table 2, table 7.5 is table 3.)
TABLE_7_3 = {
    "dekker": (20, 0, [22.2, 21.7, 22.7, 23.3]),
    "msqueue": (49, 0, [100, 100, 100, 100]),
    "barrier": (15, 0, [73.9, 76.8, 72.4, 73.5]),
    "cldeque": (82, 1, [51.6, 100, 100, 100]),
    "mcslock": (21, 2, [100, 100, 100, 100]),
    "mpmcqueue": (22, 2, [99.8, 100, 100, 100]),
    "linuxrwlocks": (31, 2, [100, 0, 100, 100]),
    "rwlock": (79, 2, [19.8, 49.6, 73.7, 61.4]),
    "seqlock": (17, 3, [23.1, 26.2, 28, 24.5]),
}

# Table 7.7 of the thesis: milliseconds of an execution under random, pct and pctwm.
TABLE_7_7 = {
    "dekker": (2, 5, 6), "msqueue": (4, 6, 6), "barrier": (4, 7, 7), "cldeque": (2, 4, 5), "mcslock": (3, 5, 6),
    "mpmcqueue": (4, 7, 7), "linuxrwlocks": (2, 6, 6), "rwlock": (10310, 12780, 13300), "seqlock": (10230, 12530, 12570),
}

# Figure 6 is a plot whose values stand nowhere in the text: pctwm's rate "stays stable", pct's "fluctuates".
INSERTED_WRITES = [0, 10, 20, 40, 70, 100]
