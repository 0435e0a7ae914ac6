# SPDX-License-Identifier: MIT
"""Kernels of ONNX graphs: one Python function each, an instance per shape of its tiles. Memory is a part of a matrix; R rows, C columns."""
import functools
import math

from . import functions as tiles
from .functions import arange, exp, full, func, gelu, log, matmul, maximum, minimum, op, recip, relu, rsqrt, sigmoid, silu, sqrt, tanh, where
from .tracing import TYPES

f32 = TYPES["f32"]


def erf(t):
    """gelu(a) = a / 2 * (1 + erf(a / sqrt(2))), solved for erf; near 0 the first term of its series."""
    a = t * math.sqrt(2)
    small = op("tabs", t) < 1e-4
    return where(small, t * (2 / math.sqrt(math.pi)), gelu(a) * math.sqrt(2) / where(small, full(t.shape, 1, t.element), t) - 1)


def powers(t, exponent):
    """Whole powers up to 64 by products, halves by roots, others by logarithms, which 0 ^ p and positive numbers have."""
    if exponent == 0:
        return full(t.shape, 1, t.element)
    if exponent % 1 == 0 and abs(exponent) <= 64:
        made, square, left = None, t, int(abs(exponent))
        while left:
            if left & 1:
                made = square if made is None else made * square
            left >>= 1
            square = square * square if left else square
        return recip(made) if exponent < 0 else made
    if exponent % 1 == 0:
        return exp(log(op("tabs", t)) * exponent) if exponent % 2 == 0 else power(t, full(t.shape, exponent, t.element))
    return sqrt(t) if exponent == 0.5 else rsqrt(t) if exponent == -0.5 else exp(log(t) * exponent)


def power(a, b):
    """Powers whose exponents are known to the run alone: by logarithms; of a negative base where the exponent is whole, with the sign of an odd one."""
    size = exp(log(op("tabs", a)) * b)
    made = where((a < 0) & (op("tabs", b % 2) == 1), op("tneg", size), size)
    made = where((a < 0) & ((b % 1) != 0), full(a.shape, math.nan, a.element), made)
    return where(b == 0, full(a.shape, 1, a.element), made)


def gelu_of_tanh(t):
    return t * 0.5 * (tanh((t + t * t * t * 0.044715) * math.sqrt(2 / math.pi)) + 1)


def wide(t):
    """f16 as f32, which sums are made of: those of f16 end at 65504."""
    return t.astype("f32") if str(t.element) == "f16" else t


def narrow(t, like):
    return t.astype(like) if t.element != like else t


UNARY = {"Relu": relu, "Tanh": tanh, "Sqrt": sqrt, "Exp": exp, "Log": log, "Sigmoid": sigmoid, "Reciprocal": recip, "Gelu": gelu, "GeluOfTanh": gelu_of_tanh, "Erf": erf, "Silu": silu,
         "Neg": lambda t: op("tneg", t), "Abs": lambda t: op("tabs", t), "Softplus": lambda t: relu(t) + log(exp(op("tneg", op("tabs", t))) + 1)}
BINARY = {"Add": lambda a, b: a + b, "Sub": lambda a, b: a - b, "Mul": lambda a, b: a * b, "Div": lambda a, b: a / b, "Max": maximum, "Min": minimum,
          "Pow": lambda a, b: powers(a, b) if isinstance(b, (int, float)) else power(a, b)}
REDUCE = {"ReduceMean": lambda t: t.sum(axis=1) / t.shape[1], "ReduceSum": lambda t: t.sum(axis=1), "ReduceMax": lambda t: t.max(axis=1), "ReduceMin": lambda t: t.min(axis=1)}


def spread(tile, shape):
    """The tile with its one row or column, or both, repeated."""
    if tile.shape == (1, 1) and shape[0] != 1 and shape[1] != 1:
        tile = op("trowexpand", tile, shape=(1, shape[1]))
    return tiles._expand(tile, shape)


def places(rows, columns, down, right, start):
    """Numbers of elements, `down` apart from row to row and `right` from column to column."""
    n = arange((rows, columns))
    return (n // columns) * down + (n % columns) * right + start


@functools.cache
def kernels(T):
    """The kernels for an element type, by name."""
    @func
    def unary(x: T[...], y: T[...], word, R, C):
        y.store(UNARY[word](x.load(R, C)))

    @func
    def binary(a: T[...], b: T[...], y: T[...], word, R, C, a_rows, a_columns, b_rows, b_columns):
        y.store(BINARY[word](spread(a.load(a_rows, a_columns), (R, C)), spread(b.load(b_rows, b_columns), (R, C))))

    @func
    def with_number(a: T[...], y: T[...], word, number, R, C, a_rows, a_columns):
        y.store(BINARY[word](spread(a.load(a_rows, a_columns), (R, C)), number))

    @func
    def number_with(b: T[...], y: T[...], word, number, R, C, b_rows, b_columns):
        tile = spread(b.load(b_rows, b_columns), (R, C))
        y.store(BINARY[word](full((R, C), number, T), tile))

    @func
    def choose(c: T[...], a: T[...], b: T[...], y: T[...], R, C, shapes):
        c, a, b = (spread(memory.load(*shape), (R, C)) for memory, shape in zip((c, a, b), shapes))
        y.store(where(c != 0, a, b))

    @func
    def limit(x: T[...], y: T[...], low, high, R, C):
        y.store(op("tmins", op("tmaxs", x.load(R, C), low), high))

    @func
    def leaky(x: T[...], y: T[...], slope, R, C):
        y.store(op("tlrelu", x.load(R, C), slope))

    @func
    def scaled(x: T[...], scale: T[...], shift: T[...], y: T[...], R, C, shapes):
        x, scale, shift = (spread(memory.load(*shape), (R, C)) for memory, shape in zip((x, scale, shift), shapes))
        y.store(x * scale + shift)

    @func
    def softmax(x: T[...], y: T[...], R, C):
        t = wide(x.load(R, C))
        t = exp(t - t.max(axis=1))
        y.store(narrow(t / t.sum(axis=1), T))

    @func
    def layer_norm(x: T[...], scale: T[...], shift: T[...], y: T[...], epsilon, R, C):
        t = wide(x.load(R, C))
        t = t - t.sum(axis=1) / C
        t = t / sqrt((t * t).sum(axis=1) / C + epsilon)
        y.store(narrow(t * wide(scale.load(1, C)) + wide(shift.load(1, C)), T))

    @func
    def reduce(x: T[...], y: T[...], word, R, C):
        y.store(narrow(REDUCE[word](wide(x.load(R, C))), T))

    @func
    def product(a: T[...], b: T[...], y: T[...], R, K, C):
        y.store(matmul(a.load(R, K), b.load(K, C), dtype=T))

    @func
    def product_wide(a: T[...], b: T[...], y: f32[...], R, K, C):
        y.store(matmul(a.load(R, K), b.load(K, C)))

    @func
    def narrowed(x: f32[...], y: T[...], R, C):
        y.store(x.load(R, C).astype(T))

    @func
    def product_more_wide(a: T[...], b: T[...], y: f32[...], R, K, C):
        y.store(matmul(a.load(R, K), b.load(K, C), acc=y.load(R, C)))

    @func
    def product_more(a: T[...], b: T[...], y: T[...], R, K, C):
        y.store(matmul(a.load(R, K), b.load(K, C), acc=y.load(R, C)))

    @func
    def move(x: T[...], y: T[...], R, C):
        y.store(x.load(R, C))

    @func
    def reshape(x: T[...], y: T[...], R, C, rows, columns):
        y.store(x.load(R, C).reshape(rows, columns))

    @func
    def turn(x: T[...], y: T[...], R, C):
        y.store(x.load(R, C).T)

    @func
    def fill(y: T[...], number, R, C):
        y.store(full((R, C), number, T))

    @func
    def window(x: T[...], y: T[...], R, C, rows, columns, down, right):
        t = x.load(R, C)
        if down > 1 or right > 1:
            t = op("tgather", t, places(rows, columns, down * C, right, 0))
        y.store(t.reshape(1, rows * columns))

    @func
    def pool(x: T[...], y: T[...], word, R, C, rows, columns, down, right, high, wide):
        t = x.load(R, C)
        made = None
        for i in range(high):
            for j in range(wide):
                part = op("tgather", t, places(rows, columns, down * C, right, i * C + j))
                made = part if made is None else maximum(made, part) if word == "MaxPool" else made + part
        y.store(made if word == "MaxPool" else made / (high * wide))

    made = {name: made for name, made in locals().items() if name != "T"}
    if T != f32:  # kernels of two types in one graph have two names
        made = {name: func(of.python, name=f"{name}_{T}") for name, of in made.items()}
    return made
