# SPDX-License-Identifier: MIT
"""Sums of all elements up to each, of 9 rows of 128 integers: in seven steps each gets the one 1, 2, 4 ... 64 places before it added."""
import numpy as np
import program

import ptowsp
from ptowsp import i32

R, C = 3, 128


@ptowsp.func
def sums(x: i32[...], y: i32[...]):
    t, place = x.load(R, C), ptowsp.arange((R, C))
    column = place % C
    for n in range(7):
        has = ptowsp.where(column >= 2**n, 1, ptowsp.zeros((R, C), i32))
        t = t + ptowsp.op("tgather", t, (place - 2**n) * has) * has
    y.store(t)


@ptowsp.workload
def prefix_sum(x: i32[9, C], y: i32[9, C]):
    for i in ptowsp.range(0, 9, R):
        sums(x[i, 0], y[i, 0])


def programs():
    x = np.random.default_rng(2).integers(-1000, 1000, (9, C)).astype(np.int32)
    return [program.Program("prefix_sum", prefix_sum, {"x": x}, {"y": x.cumsum(1)})]


if __name__ == "__main__":
    program.main(*programs())
