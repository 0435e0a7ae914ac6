# SPDX-License-Identifier: MIT
"""A block of GPT-2 on 61 tokens of 192 columns with 6 heads, in f32, bf16 and f16; sums are f32."""
import math
import pathlib

import numpy as np
import program

import ptowsp
from ptowsp import bf16, f16, f32, i32

N, D, HEAD = 61, 192, 32


def block(T):
    """The block's workload for an element type."""
    @ptowsp.func
    def norm(x: T[...], scale: T[...], shift: T[...], y: T[...], rows):
        t = x.load(rows, D).astype(f32)
        t = t - t.sum(axis=1) / D
        t = t / ptowsp.sqrt((t * t).sum(axis=1) / D + 1e-5)
        y.store((t * scale.load(1, D).astype(f32) + shift.load(1, D).astype(f32)).astype(T))

    @ptowsp.func
    def start(bias: T[...], total: f32[...]):
        total.store(ptowsp.zeros((N, HEAD)) + bias.load(1, HEAD).astype(f32))

    @ptowsp.func
    def product(x: T[...], w: T[...], total: f32[...]):
        total.store(ptowsp.matmul(x.load(N, HEAD), w.load(HEAD, HEAD), acc=total.load(N, HEAD)))

    @ptowsp.func
    def plain(total: f32[...], y: T[...]):
        y.store(total.load(N, HEAD).astype(T))

    @ptowsp.func
    def gelu(total: f32[...], y: T[...]):
        y.store(ptowsp.gelu(total.load(N, HEAD)).astype(T))

    @ptowsp.func
    def residual(total: f32[...], x: T[...], y: T[...]):
        y.store((total.load(N, HEAD) + x.load(N, HEAD).astype(f32)).astype(T))

    @ptowsp.func
    def attend(q: T[...], k: T[...], v: T[...], o: T[...], first: i32, rows):
        s = q.load(rows, HEAD).astype(f32) @ k.load(N, HEAD).astype(f32).T * (1 / math.sqrt(HEAD))
        place = ptowsp.arange((rows, N))
        s = ptowsp.exp(ptowsp.where(place % N <= place // N + first, s, -math.inf) - s.max(axis=1))
        o.store((s / s.sum(axis=1) @ v.load(N, HEAD).astype(f32)).astype(T))

    def blocks(task):
        for i in ptowsp.range(0, N - 1, 5):
            task(i, 5)
        task(N - 1, 1)

    def linear(x, w, bias, at, total, columns, inner, end):
        for j in ptowsp.range(0, columns, HEAD):
            start(bias[0, j + at], total[0, j])
            for k in ptowsp.range(0, inner, HEAD):
                product(x[0, k], w[k, j], total[0, j])
            end(total[0, j], j)

    @ptowsp.workload(name="gpt2_block")
    def gpt2_block(x: T[N, D], norms: T[4, D], w_in: T[D, 576], w_out: T[D, D], w_up: T[D, 768], w_down: T[768, D], biases: T[1, 1728], y: T[N, D]):
        n, m, qkv, a, h, up = (ptowsp.temp(T[N, columns], name) for name, columns in (("n", D), ("m", D), ("qkv", 576), ("a", D), ("h", D), ("up", 768)))
        sums = [ptowsp.temp(f32[N, columns], f"sum{columns}{place}") for place, columns in enumerate((576, D, 768, D))]
        blocks(lambda i, rows: norm(x[i, 0], norms[0, 0], norms[1, 0], n[i, 0], rows))
        linear(n, w_in, biases, 0, sums[0], 576, D, lambda total, j: plain(total, qkv[0, j]))
        for c in ptowsp.range(0, D, HEAD):
            blocks(lambda i, rows: attend(qkv[i, c], qkv[0, c + D], qkv[0, c + 2 * D], a[i, c], i, rows))
        linear(a, w_out, biases, 576, sums[1], D, D, lambda total, j: residual(total, x[0, j], h[0, j]))
        blocks(lambda i, rows: norm(h[i, 0], norms[2, 0], norms[3, 0], m[i, 0], rows))
        linear(m, w_up, biases, 768, sums[2], 768, D, lambda total, j: gelu(total, up[0, j]))
        linear(up, w_down, biases, 1536, sums[3], D, 768, lambda total, j: residual(total, h[0, j], y[0, j]))

    return gpt2_block


def reference(x, norms, w_in, w_out, w_up, w_down, biases):
    def norm(t, scale, shift):
        return (t - t.mean(1, keepdims=True)) / np.sqrt(t.var(1, keepdims=True) + 1e-5) * scale + shift

    qkv = norm(x, norms[0], norms[1]) @ w_in + biases[0, :576]
    a = np.empty_like(x)
    for c in range(0, D, HEAD):
        q, k, v = (qkv[:, c + n:c + n + HEAD] for n in (0, D, 2 * D))
        e = np.exp(np.where(np.tri(N) > 0, q @ k.T / math.sqrt(HEAD), -np.inf))
        a[:, c:c + HEAD] = e / e.sum(1, keepdims=True) @ v
    h = x + a @ w_out + biases[0, 576:768]
    up = norm(h, norms[2], norms[3]) @ w_up + biases[0, 768:1536]
    up = up / 2 * (1 + np.vectorize(math.erf)(up / math.sqrt(2)))
    return h + up @ w_down + biases[0, 1536:]


def programs():
    random = np.random.default_rng(6)
    shapes = {"x": (N, D), "norms": (4, D), "w_in": (D, 576), "w_out": (D, D), "w_up": (D, 768), "w_down": (768, D), "biases": (1, 1728)}
    exact = {name: (random.standard_normal(shape) * (shape[0] ** -0.5 if name.startswith("w") else 1)).astype(np.float32) for name, shape in shapes.items()}
    source, made = pathlib.Path(__file__).with_suffix(".pto").read_text(), []
    for T, to, of, tolerance in ((f32, np.float32, np.float32, 2e-5), (bf16, program.to_bf16, program.of_bf16, 0.2), (f16, np.float16, np.float32, 0.02)):
        inputs = {name: to(array) for name, array in exact.items()}
        wanted = reference(**{name: np.float64(of(array)) for name, array in inputs.items()})
        made.append(program.Program("gpt2_block", block(T), inputs, {"y": wanted}, tolerance, source.replace("const T = f32", f"const T = {T}")))
    return made


if __name__ == "__main__":
    program.main(*programs())
