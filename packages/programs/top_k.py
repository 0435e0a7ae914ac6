# SPDX-License-Identifier: MIT
"""The five largest of each row, in falling order with their numbers, and the number of the largest; of equal ones the first comes first."""
import math

import numpy as np
import program

import ptowsp
from ptowsp import f32, i32

ROWS, R, C, K = 24, 8, 40, 5


def first_of_largest(t):
    """(largest, the first number of it) of each row."""
    most = t.max(axis=1)
    column = ptowsp.arange((R, C)) % C
    return most, ptowsp.where(t == most, column, C).min(axis=1)


@ptowsp.func
def top(x: f32[...], values: f32[...], numbers: i32[...]):
    t, place = x.load(R, C), ptowsp.arange((R, K)) % K
    found, at = ptowsp.zeros((R, K)), ptowsp.zeros((R, K), i32)
    for n in range(K):
        most, number = first_of_largest(t)
        found, at = ptowsp.where(place == n, most, found), ptowsp.where(place == n, number, at)
        t = ptowsp.where(ptowsp.arange((R, C)) % C == number, -math.inf, t)
    values.store(found)
    numbers.store(at)


@ptowsp.func
def argmax(x: f32[...], at: i32[...]):
    at.store(first_of_largest(x.load(R, C))[1])


@ptowsp.workload
def top_k(x: f32[ROWS, C], values: f32[ROWS, K], numbers: i32[ROWS, K], largest: i32[ROWS, 1]):
    for i in ptowsp.range(0, ROWS, R):
        top(x[i, 0], values[i, 0], numbers[i, 0])
        argmax(x[i, 0], largest[i, 0])


def programs():
    x = np.random.default_rng(3).integers(-9, 9, (ROWS, C)).astype(np.float32)
    order = np.argsort(-x, axis=1, kind="stable")[:, :K]
    expected = {"values": np.take_along_axis(x, order, 1), "numbers": order, "largest": order[:, :1]}
    return [program.Program("top_k", top_k, {"x": x}, expected)]


if __name__ == "__main__":
    program.main(*programs())
