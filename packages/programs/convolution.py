# SPDX-License-Identifier: MIT
"""Convolution of images, 3 x 3 with an edge of zeros: 2 images of 5 channels become 2 of 7, 19 x 23 pixels each."""
import numpy as np
import program

import ptowsp
from ptowsp import f32

N, C, OUT, HIGH, WIDE = 2, 5, 7, 19, 23


@ptowsp.func
def zeros(e: f32[...]):
    e.store(ptowsp.zeros((HIGH + 2, WIDE + 2)))


@ptowsp.func
def inside(x: f32[...], e: f32[...]):
    e.store(x.load(HIGH, WIDE))


@ptowsp.func
def window(e: f32[...], row: f32[...]):
    row.store(e.load(HIGH, WIDE).reshape(1, HIGH * WIDE))


@ptowsp.func
def product(w: f32[...], windows: f32[...], bias: f32[...], y: f32[...]):
    y.store(w.load(OUT, C * 9) @ windows.load(C * 9, WIDE) + bias.load(OUT, 1))


@ptowsp.workload
def convolution(x: f32[N, C, HIGH, WIDE], w: f32[OUT, C * 9], bias: f32[OUT, 1], y: f32[N * OUT, HIGH * WIDE]):
    edged = ptowsp.temp(f32[N * C, HIGH + 2, WIDE + 2])
    windows = ptowsp.temp(f32[N * C * 9, HIGH * WIDE])
    for i in ptowsp.range(N * C):
        zeros(edged[i, 0, 0])
        inside(x[i * HIGH, 0], edged[i * (HIGH + 2) + 1, 1])
        for r in ptowsp.range(3):
            for c in ptowsp.range(3):
                window(edged[i * (HIGH + 2) + r, c], windows[i * 9 + r * 3 + c, 0])
    for n in ptowsp.range(N):
        for j in ptowsp.range(0, HIGH * WIDE, WIDE):
            product(w, windows[n * C * 9, j], bias, y[n * OUT, j])


def programs():
    random = np.random.default_rng(1)
    x, w, bias = (random.standard_normal(shape).astype(np.float32) for shape in ((N, C, HIGH, WIDE), (OUT, C * 9), (OUT, 1)))
    padded = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (1, 1), (1, 1)))
    seen = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
    y = np.einsum("nchwij,mcij->nmhw", seen, w.reshape(OUT, C, 3, 3)) + bias.reshape(1, OUT, 1, 1)
    return [program.Program("convolution", convolution, {"x": x, "w": w, "bias": bias}, {"y": y.reshape(N * OUT, -1)}, 2e-5)]


if __name__ == "__main__":
    program.main(*programs())
