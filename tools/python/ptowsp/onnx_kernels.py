# SPDX-License-Identifier: MIT
"""Kernels of ONNX graphs: one Python function each, an instance per shape of its tiles. Memory is a part of a matrix; R rows, C columns."""
import functools
import math

from . import functions as tiles
from .functions import Tile, arange, exp, full, func, gelu, log, matmul, op, recip, rsqrt, sigmoid, silu, sqrt, tanh, where
from .tracing import TYPES, TraceError

f32, u8 = TYPES["f32"], TYPES["u8"]


def series(t, factors):
    """factors[0] + factors[1] * t + ..."""
    made = full(t.shape, factors[-1], t.element)
    for factor in factors[-2::-1]:
        made = made * t + factor
    return made


def erf(t):
    """gelu(a) = a / 2 * (1 + erf(a / sqrt(2))), solved for erf; up to 0.5 its series, from 6 on it is 1."""
    x = lesser(greater(wide(t), -6), 6)
    small, terms = op("tabs", x) < 0.5, 13 if str(x.element) == "f64" else 7
    near = x * series(x * x, [2 / math.sqrt(math.pi) * (-1) ** n / (math.factorial(n) * (2 * n + 1)) for n in range(terms)])
    x = where(small, full(x.shape, 1, x.element), x)
    return narrow(where(small, near, gelu(x * math.sqrt(2)) * 2 / (x * math.sqrt(2)) - 1), t.element)


def log1p(t):
    """log(1 + t), t from 0 to 1: log(u) lacks what rounding took from u = 1 + t."""
    u = t + 1
    return log(u) + (t - (u - 1)) / u


def extreme(word, a, b):
    """The operation t`word`, max or min, with the NaN of either: it keeps that of its second operand. b: a tile or a number."""
    if not isinstance(b, Tile):
        return full(a.shape, b, a.element) if b != b else op("t" + word, full(a.shape, b, a.element), a)
    made = op("t" + word, a, b)
    return where(a != a, a, made) if a.element.is_float else made


def greater(a, b):
    return extreme("max", a, b)


def lesser(a, b):
    return extreme("min", a, b)


def extreme_of_rows(t, word):
    """With the NaN of each row: the sum of what is NaN, and else 0."""
    made = t._reduce(word, 1)
    return made + where(t != t, t, full(t.shape, 0, t.element)).sum(axis=1) if t.element.is_float else made


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


def expm1(t):
    """exp(t) - 1, up to 0: what rounding did to exp(t) is undone by its logarithm."""
    u = exp(t)
    return where(t < -1, u - 1, where(u == 1, t, (u - 1) * t / log(u)))


def sine(t, quarter):
    """As packages/std/trigonometry.pto: t is r + k * pi / 2, and polynomials of r. For |t| up to 8,192."""
    t, like = wide(t), t.element
    if str(t.element) != "f32":
        raise TraceError("sines of f32 and f16 only")
    k = (t * (2 / math.pi)).astype("i32")
    n = k.astype("f32")
    r = t - n * 1.5703125 - n * 0.0004837512969970703 - n * 7.549789948768648e-08
    z = r * r
    s = series(z, [-0.16666654611, 0.0083321608736, -0.00019515295891]) * z * r + r
    c = series(z, [1.0, -0.5, 0.04166664568298827, -0.001388731625493765, 2.443315711809948e-05])
    k = k + quarter
    s = where((k & 1) != 0, c, s)
    return narrow(where((k & 2) != 0, op("tneg", s), s), like)


def softplus(t):
    return greater(t, 0) + log1p(exp(op("tneg", op("tabs", t))))


def hard_sigmoid(t, alpha=1 / 6, beta=0.5):
    return lesser(greater(t * alpha + beta, 0), 1)


def log_of_sum(t):
    most = t.max(axis=1)
    return log(exp(t - most).sum(axis=1)) + most


UNARY = {"Relu": lambda t: greater(t, 0), "Tanh": tanh, "Sqrt": sqrt, "Exp": exp, "Log": log, "Sigmoid": sigmoid, "Reciprocal": recip, "Gelu": gelu, "GeluOfTanh": gelu_of_tanh, "Erf": erf,
         "Silu": silu, "Neg": lambda t: op("tneg", t), "Abs": lambda t: op("tabs", t), "Softplus": softplus, "LeakyRelu": lambda t, alpha: op("tlrelu", t, alpha),
         "Elu": lambda t, alpha: where(t > 0, t, expm1(t) * alpha), "Selu": lambda t, alpha, gamma: where(t > 0, t, expm1(t) * alpha) * gamma, "HardSigmoid": hard_sigmoid,
         "HardSwish": lambda t: t * hard_sigmoid(t), "Softsign": lambda t: t / (op("tabs", t) + 1), "Mish": lambda t: t * tanh(softplus(t)), "Sin": lambda t: sine(t, 0), "Cos": lambda t: sine(t, 1),
         "Floor": lambda t: t.astype(t.element, "FLOOR"), "Ceil": lambda t: t.astype(t.element, "CEIL"), "Round": lambda t: t.astype(t.element, "RINT"),
         "Sign": lambda t: where(t > 0, 1, where(t < 0, -1, t)), "Not": lambda t: (t == 0).astype(t.element)}
ATTRIBUTES = {"LeakyRelu": {"alpha": 0.01}, "Elu": {"alpha": 1.0}, "Selu": {"alpha": 1.67326319217681884765625, "gamma": 1.05070102214813232421875}, "HardSigmoid": {"alpha": 0.2, "beta": 0.5}}
BINARY = {"Add": lambda a, b: a + b, "Sub": lambda a, b: a - b, "Mul": lambda a, b: a * b, "Div": lambda a, b: a / b, "Max": greater, "Min": lesser,
          "PRelu": lambda a, b: where(a < 0, a * b, a), "Pow": lambda a, b: powers(a, b) if isinstance(b, (int, float)) else power(a, b)}
COMPARE = {"Equal": lambda a, b: a == b, "Less": lambda a, b: a < b, "LessOrEqual": lambda a, b: a <= b, "Greater": lambda a, b: a > b, "GreaterOrEqual": lambda a, b: a >= b,
           "And": lambda a, b: a & b, "Or": lambda a, b: a | b, "Xor": lambda a, b: a ^ b}
REDUCE = {"ReduceMean": lambda t: t.sum(axis=1) / t.shape[1], "ReduceSum": lambda t: t.sum(axis=1), "ReduceMax": lambda t: extreme_of_rows(t, "max"), "ReduceMin": lambda t: extreme_of_rows(t, "min"),
          "ReduceL1": lambda t: op("tabs", t).sum(axis=1), "ReduceL2": lambda t: sqrt((t * t).sum(axis=1)), "ReduceSumSquare": lambda t: (t * t).sum(axis=1),
          "ReduceLogSum": lambda t: log(t.sum(axis=1)), "ReduceLogSumExp": log_of_sum}


def spread(tile, shape):
    """The tile with its one row or column, or both, repeated."""
    return tiles._expand(tile, shape)


def places(rows, columns, down, right, start):
    """Numbers of elements, `down` apart from row to row and `right` from column to column."""
    n = arange((rows, columns))
    return (n // columns) * down + (n % columns) * right + start


@functools.cache
def kernels(T):
    """The kernels for an element type, by name."""
    @func
    def unary(x: T[...], y: T[...], word, R, C, numbers):
        y.store(UNARY[word](x.load(R, C), *numbers))

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
    def compare(a: T[...], b: T[...], y: u8[...], word, R, C, shapes):
        a, b = (spread(memory.load(*shape), (R, C)) for memory, shape in zip((a, b), shapes))
        y.store(COMPARE[word](a, b).astype(u8))

    @func
    def choose(c: u8[...], a: T[...], b: T[...], y: T[...], R, C, shapes):
        c, a, b = (spread(memory.load(*shape), (R, C)) for memory, shape in zip((c, a, b), shapes))
        y.store(where(c != 0, a, b))

    @func
    def limit(x: T[...], y: T[...], low, high, R, C):
        t = x.load(R, C)
        t = t if low is None else greater(t, low)
        y.store(t if high is None else lesser(t, high))

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
    def log_softmax(x: T[...], y: T[...], R, C):
        t = wide(x.load(R, C))
        t = t - t.max(axis=1)
        y.store(narrow(t - log(exp(t).sum(axis=1)), T))

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
                made = part if made is None else greater(part, made) if word == "MaxPool" else made + part
        y.store(made / (high * wide) if word == "AveragePool" else made)

    made = {name: made for name, made in locals().items() if name != "T"}
    if T != f32:  # kernels of two types in one graph have two names
        made = {name: func(of.python, name=f"{name}_{T}") for name, of in made.items()}
    return made


@functools.cache
def cast(T, U, truth):
    """From one type to another, as NumPy's astype; to whole numbers toward 0. truth: 1 where it is not 0."""
    @functools.partial(func, name=f"cast_{T}_{U}{'_truth' if truth else ''}")
    def kernel(x: T[...], y: U[...], R, C):
        t = x.load(R, C)
        y.store((t != 0).astype(U) if truth else t.astype(U, "TRUNC") if T.is_float and not U.is_float else t.astype(U))
    return kernel
