# SPDX-License-Identifier: MIT
"""Rows of a table by numbers that a run is given, by slots; and the same as one gather from flat memory (embedding_flat)."""
import numpy as np
import program

import ptowsp
from ptowsp import f32, i32

TOKENS, ROWS, WIDE = 19, 50, 24


@ptowsp.func
def row(source: f32[...], target: f32[...]):
    target.store(source.load(1, WIDE))


@ptowsp.workload
def embedding(table: f32[ROWS, WIDE], tokens: i32[1, TOKENS], y: f32[TOKENS, WIDE]):
    token = ptowsp.slot("token")
    for i in ptowsp.range(TOKENS):
        token.load(tokens[0, i])
        row(table[token, 0], y[i, 0])


@ptowsp.func
def gather(table: f32[...], tokens: i32[...], target: f32[...]):
    first = tokens.load(1, TOKENS).T * WIDE
    target.store(table.gather(first + ptowsp.arange((TOKENS, WIDE)) % WIDE))


@ptowsp.workload
def embedding_flat(table: f32[ROWS, WIDE], tokens: i32[1, TOKENS], y: f32[TOKENS, WIDE]):
    gather(table.flat(0, 0), tokens, y)


def programs():
    random = np.random.default_rng(4)
    table, tokens = random.standard_normal((ROWS, WIDE)).astype(np.float32), random.integers(0, ROWS, (1, TOKENS)).astype(np.int32)
    return [program.Program(name, workload, {"table": table, "tokens": tokens}, {"y": table[tokens[0]]}) for name, workload in (("embedding", embedding), ("embedding_flat", embedding_flat))]


if __name__ == "__main__":
    program.main(*programs())
