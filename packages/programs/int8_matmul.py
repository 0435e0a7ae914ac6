# SPDX-License-Identifier: MIT
"""A product of i8 matrices, 29 x 200 times 200 x 45, in i32; with a scale per row and per column, as i8 of another scale."""
import numpy as np
import program

import ptowsp
from ptowsp import f32, i8, i32

M, INNER, N, K, C = 29, 200, 45, 50, 15


@ptowsp.func
def first(a: i8[...], b: i8[...], c: i32[...]):
    c.store(a.load(M, K) @ b.load(K, C))


@ptowsp.func
def more(a: i8[...], b: i8[...], c: i32[...]):
    c.store(ptowsp.matmul(a.load(M, K), b.load(K, C), acc=c.load(M, C)))


@ptowsp.func
def scaled(s: i32[...], row: f32[...], column: f32[...], q: i8[...], to: f32):
    t = s.load(M, C).astype(f32) * row.load(M, 1) * column.load(1, C) / to
    q.store(t.astype(i8))


@ptowsp.workload
def int8_matmul(a: i8[M, INNER], b: i8[INNER, N], row: f32[M, 1], column: f32[1, N], q: i8[M, N]):
    total = ptowsp.temp(i32[M, N])
    for j in ptowsp.range(0, N, C):
        first(a[0, 0], b[0, j], total[0, j])
        for k in ptowsp.range(K, INNER, K):
            more(a[0, k], b[k, j], total[0, j])
        scaled(total[0, j], row, column[0, j], q[0, j], 0.25)


def programs():
    random = np.random.default_rng(5)
    a, b = (random.integers(-128, 128, shape).astype(np.int8) for shape in ((M, INNER), (INNER, N)))
    row, column = (random.uniform(1e-3, 2e-2, shape).astype(np.float32) for shape in ((M, 1), (1, N)))
    exact = (a.astype(np.int32) @ b.astype(np.int32)).astype(np.float32) * row * column / np.float32(0.25)
    return [program.Program("int8_matmul", int8_matmul, {"a": a, "b": b, "row": row, "column": column}, {"q": np.clip(np.rint(exact), -128, 127)})]


if __name__ == "__main__":
    program.main(*programs())
