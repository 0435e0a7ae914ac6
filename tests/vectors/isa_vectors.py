# SPDX-License-Identifier: MIT
"""isa_vectors.py - one vector per operation and sort of element: a kernel of one task, what it reads, what it has to write."""
import math

import numpy as np

from cells import FLOATS, TYPES, convert, exact, integers, limits, rounded, store, widen, wrapped

VECTORS = []
random = np.random.RandomState(20240607)


def tile(t, shape):
    return "!pto.tile<%dx%dx%s>" % (shape + (t,))


def vector(group, name, ins, outs, body, rtol=0, atol=0, memory=(), whole=()):
    """ins: read; memory: read as memory alone; outs: what comes out, each (name, type, array). whole: passed as they are, not as bytes."""
    assert name not in [v["name"] for v in VECTORS], name
    for _, t, a in list(ins) + list(outs) + list(memory):
        assert a.dtype == TYPES[t] and a.ndim == 2, (name, t, a.dtype)
    VECTORS.append(dict(group=group, name=name, ins=list(ins), outs=list(outs), memory=list(memory), body=body, rtol=rtol, atol=atol, whole=whole))


def declared(rows):
    return ["%%%s = alloc_tile : %s" % (k, tile(t, shape)) for k, t, shape in rows]


def loaded(ins):
    return declared([(k, t, a.shape) for k, t, a in ins]) + ["%%%s = tload %%m%s[0, 0]" % (k, k) for k, _, _ in ins]


def has_nan(t, a):
    return t in FLOATS and bool(np.isnan(widen(t, a)).any())


def op(group, name, text, ins, out, t, rtol=0, atol=0, more=()):
    """One instruction on tiles a, b, c that gives d. Where NaN comes out, one stands in its place that has one set of bits only: 77."""
    body = loaded(ins) + declared([("d", t, out.shape)]) + list(more) + ["%%d = %s" % text]
    if has_nan(t, out) and not rtol:
        body += declared([("good", "u8", out.shape), ("mark", t, out.shape)])
        body += ["%good = tcmp %d, %d {cmpMode = EQ}", "%mark = texpands %77.0", "%d = tsel %good, %d, %mark"]
        out = np.where(np.isnan(widen(t, out)), store(t, np.full(out.shape, 77, np.float32)), out)
    vector(group, name, ins, [("d", t, out)], body + ["tstore %d, %md[0, 0]"], rtol, atol)


# ---- what goes in

def floats(t, shape, low=-4.0, high=4.0):
    return store(t, random.uniform(low, high, shape).astype(np.float32 if t != "f64" else np.float64))


def ends(t):
    """Both zeros, ends of what is subnormal and what is normal, infinities, NaN, numbers between."""
    if t not in FLOATS:
        low, high = limits(t)
        return [low, low + 1, high, high - 1, 0, 1, 2, 7, high // 2 + 1, high // 3] + ([-1, -7] if low else [15, 100])
    info = {"f16": (2.0 ** -24, 2.0 ** -14, 65504.0), "bf16": (2.0 ** -133, 2.0 ** -126, float(np.uint32(0x7F7F0000).view(np.float32))),
            "f32": (2.0 ** -149, 2.0 ** -126, float(np.finfo(np.float32).max)), "f64": (5e-324, 2.0 ** -1022, float(np.finfo(np.float64).max))}[t]
    return [0.0, -0.0, info[0], -info[0], info[1], info[2], -info[2], math.inf, -math.inf, math.nan, 1.0, -1.5, 3.0, -info[1]]


def special(t, rows=None):
    values = np.array(ends(t), dtype=np.float64 if t in FLOATS else object)
    a = rounded(t, values) if t in ("f16", "bf16") else values.astype(TYPES[t])
    return a.reshape(1, -1) if rows is None else np.tile(a, (rows, 1))


def pairs(t):
    a = special(t)[0]
    return np.repeat(a, a.size).reshape(a.size, a.size), np.tile(a, (a.size, 1))


def whole(t, shape):
    low, high = limits(t)
    bits = random.bytes(shape[0] * shape[1] * np.dtype(TYPES[t]).itemsize)
    return np.frombuffer(bits, TYPES[t]).reshape(shape).copy() if t != "u1" else random.randint(0, 2, shape).astype(np.uint8)


# ---- what comes out

def computed(t, f, *arrays):
    """f on the elements as they are computed with, floats; f works in that precision."""
    with np.errstate(all="ignore"):
        return store(t, f(*[widen(t, a) for a in arrays]))


def correct(f, a, one=np.float32):
    """A function rounded once to f32, its value from long doubles; no argument may lie near a tie."""
    with np.errstate(all="ignore"):
        value = f(a.astype(np.longdouble))
        result = value.astype(one)
        step = np.abs(np.spacing(result)).astype(np.longdouble)
        off = np.abs(np.abs(value - result.astype(np.longdouble)) / step - 0.5)
    assert not np.any(np.isfinite(result) & (result != 0) & (off < 0.001)), a[np.isfinite(result) & (off < 0.001)]
    return result


def far_from_ties(f, a):
    """The same arguments, with 0.5 in place of those whose result lies near a tie."""
    with np.errstate(all="ignore"):
        value = f(a.astype(np.longdouble))
        result = value.astype(np.float32)
        off = np.abs(np.abs(value - result.astype(np.longdouble)) / np.abs(np.spacing(result)).astype(np.longdouble) - 0.5)
    return np.where(np.isfinite(result) & (off < 0.002), np.float32(0.5), a)


def int_divide(t, a, b):
    def one(x, y):
        low = limits(t)[0]
        if y == 0:
            return 0
        return low if low and x == low and y == -1 else abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
    return wrapped(t, np.vectorize(one, otypes=[object])(integers(a), integers(b)))


def int_rest(t, a, b):
    def one(x, y):
        return x if y == 0 else (abs(x) % abs(y)) * (-1 if x < 0 else 1)
    return wrapped(t, np.vectorize(one, otypes=[object])(integers(a), integers(b)))


def larger(a, b):
    return np.where(a > b, a, b)


def smaller(a, b):
    return np.where(a < b, a, b)


def unary():
    plain = {"tabs": np.abs, "tneg": np.negative, "trelu": lambda a: np.where(a > 0, a, a.dtype.type(0)), "tsqrt": np.sqrt,
             "trsqrt": lambda a: a.dtype.type(1) / np.sqrt(a), "trecip": lambda a: a.dtype.type(1) / a}
    for name, f in plain.items():
        for t in FLOATS:
            a = np.concatenate([special(t, 2)[:1], floats(t, (3, len(ends(t))))])
            op("unary", "%s_%s" % (name, t), "%s %%a" % name, [("a", t, a)], computed(t, f, a), t)
    for t in ("i8", "i32", "u16", "i64"):
        a = np.concatenate([special(t), whole(t, (3, 12))])
        n = integers(a)
        op("unary", "tabs_%s" % t, "tabs %a", [("a", t, a)], wrapped(t, abs(n)), t)
        op("unary", "tneg_%s" % t, "tneg %a", [("a", t, a)], wrapped(t, -n), t)
        op("unary", "tnot_%s" % t, "tnot %a", [("a", t, a)], wrapped(t, -1 - n), t)
        op("unary", "trelu_%s" % t, "trelu %a", [("a", t, a)], wrapped(t, np.where(n > 0, n, 0)), t)
    a = whole("u1", (4, 12))
    op("unary", "tnot_u1", "tnot %a", [("a", "u1", a)], (1 - a).astype(np.uint8), "u1")


def curves():
    one = np.float32(1)
    known = {"texp": np.exp, "tlog": np.log, "ttanh": np.tanh}
    ranges = {"texp": (-90, 90), "tlog": (1e-3, 1e3), "ttanh": (-5, 5)}
    for name, f in known.items():
        for t in ("f32", "f16", "bf16"):
            a = far_from_ties(f, widen(t, floats(t, (8, 16), *ranges[name])))
            a = np.concatenate([a, widen(t, special(t, 1)[:, [0, 1, 7, 8, 9, 10]]).repeat(3, 1)[:, :16]]).astype(np.float32)
            a = store(t, a)
            op("curves", "%s_%s" % (name, t), "%s %%a" % name, [("a", t, a)], store(t, correct(f, widen(t, a))), t)
        a = floats("f64", (4, 16), *ranges[name])
        op("curves", "%s_f64" % name, "%s %%a" % name, [("a", "f64", a)], f(a.astype(np.longdouble)).astype(np.float64), "f64", 1e-15)

    def e(a):
        return correct(np.exp, -a)
    for t in ("f32", "f16"):
        a = store(t, far_from_ties(lambda v: np.exp(-v), widen(t, floats(t, (8, 16), -12, 12))))
        op("curves", "tsigmoid_%s" % t, "tsigmoid %a", [("a", t, a)], computed(t, lambda v: one / (one + e(v)), a), t)
        op("curves", "tsilu_%s" % t, "tsilu %a", [("a", t, a)], computed(t, lambda v: v / (one + e(v)), a), t)
    a = floats("f32", (8, 16), -3, 6)
    gelu = np.vectorize(lambda v: v / 2 * math.erfc(-v * math.sqrt(0.5)))(a.astype(np.float64)).astype(np.float32)
    op("curves", "tgelu_f32", "tgelu %a", [("a", "f32", a)], gelu, "f32", 2e-6, 1e-9)
    for t in ("f32", "bf16"):
        a, b = np.concatenate([special(t), floats(t, (3, 14))]), floats(t, (4, 14))
        op("curves", "tprelu_%s" % t, "tprelu %a, %b", [("a", t, a), ("b", t, b)], computed(t, lambda x, y: np.where(x > 0, x, x * y), a, b), t)
        op("curves", "tlrelu_%s" % t, "tlrelu %a, %0.25", [("a", t, a)], computed(t, lambda x: np.where(x > 0, x, x * x.dtype.type(0.25)), a), t)


def binary():
    table = {"tadd": np.add, "tsub": np.subtract, "tmul": np.multiply, "tdiv": np.divide, "trem": np.fmod, "tmax": larger, "tmin": smaller}
    for name, f in table.items():
        for t in ("f32", "f16") + (("bf16", "f64") if name in ("tadd", "tmul", "tdiv") else ()):
            a, b = pairs(t)
            op("binary", "%s_%s" % (name, t), "%s %%a, %%b" % name, [("a", t, a), ("b", t, b)], computed(t, f, a, b), t)
    a, b = floats("bf16", (8, 16), -300, 300), floats("bf16", (8, 16), -0.1, 0.1)
    op("binary", "tsub_rounds_bf16", "tsub %a, %b", [("a", "bf16", a), ("b", "bf16", b)], computed("bf16", np.subtract, a, b), "bf16")
    a, b = floats("f32", (8, 16), -1e20, 1e20), floats("f32", (8, 16), -1e20, 1e20)
    op("binary", "tmul_overflows_f32", "tmul %a, %b", [("a", "f32", a), ("b", "f32", b)], computed("f32", np.multiply, a, b), "f32")
    a, b = floats("f32", (8, 16), -1e-30, 1e-30), floats("f32", (8, 16), -1e-12, 1e-12)
    op("binary", "tmul_underflows_f32", "tmul %a, %b", [("a", "f32", a), ("b", "f32", b)], computed("f32", np.multiply, a, b), "f32")


def binary_whole():
    for t in ("i8", "i32", "u16", "u64"):
        a, b = pairs(t)
        ins, x, y, bits = [("a", t, a), ("b", t, b)], integers(a), integers(b), np.dtype(TYPES[t]).itemsize * 8
        rows = {"tadd": wrapped(t, x + y), "tsub": wrapped(t, x - y), "tmul": wrapped(t, x * y), "tdiv": int_divide(t, a, b), "trem": int_rest(t, a, b),
                "tmax": larger(a, b), "tmin": smaller(a, b), "tand": a & b, "tor": a | b, "txor": a ^ b,
                "tshl": wrapped(t, np.vectorize(lambda p, q: p << (q % bits), otypes=[object])(x, y)),
                "tshr": wrapped(t, np.vectorize(lambda p, q: p >> (q % bits), otypes=[object])(x, y))}
        for name, d in rows.items():
            op("whole", "%s_%s" % (name, t), "%s %%a, %%b" % name, ins, d, t)
    a, b = whole("u1", (4, 16)), whole("u1", (4, 16))
    for name, d in {"tand": a & b, "tor": a | b, "txor": a ^ b}.items():
        op("whole", "%s_u1" % name, "%s %%a, %%b" % name, [("a", "u1", a), ("b", "u1", b)], d, "u1")


def scalars():
    t, a = "f32", np.concatenate([special("f32"), floats("f32", (3, 14))])
    s = np.float32(0.1)
    rows = {"tadds": a + s, "tsubs": a - s, "tmuls": None, "tdivs": None, "trems": None, "tmaxs": larger(a, s), "tmins": smaller(a, s)}
    with np.errstate(all="ignore"):
        rows["tmuls"], rows["tdivs"], rows["trems"] = a * s, a / s, np.fmod(a, s)
    for name, d in rows.items():
        op("scalars", "%s_f32" % name, "%s %%a, %%0.1" % name, [("a", t, a)], d.astype(np.float32), t)
    h = np.concatenate([special("f16"), floats("f16", (3, 14))])
    op("scalars", "tdivs_f16", "tdivs %a, %3.0", [("a", "f16", h)], computed("f16", lambda x: x / np.float32(3), h), "f16")
    for t in ("i16", "u8"):
        a = np.concatenate([special(t), whole(t, (3, 12))])
        x = integers(a)
        rows = {"tadds": wrapped(t, x + 100), "tsubs": wrapped(t, x - 100), "tmuls": wrapped(t, x * 100), "tdivs": int_divide(t, a, np.full_like(a, 100)),
                "trems": int_rest(t, a, np.full_like(a, 100)), "tmaxs": wrapped(t, np.where(x > 100, x, 100)), "tmins": wrapped(t, np.where(x < 100, x, 100)),
                "tands": wrapped(t, x & 100), "tors": wrapped(t, x | 100), "txors": wrapped(t, x ^ 100)}
        for name, d in rows.items():
            op("scalars", "%s_%s" % (name, t), "%s %%a, %%100" % name, [("a", t, a)], d, t)
    a, b, c = floats("f16", (8, 12), -2000, 2000), floats("f16", (8, 12)), floats("f16", (8, 12), -2000, 2000)
    three = [("a", "f16", a), ("b", "f16", b), ("c", "f16", c)]
    op("scalars", "taddc_f16", "taddc %a, %b, %c", three, computed("f16", lambda x, y, z: x + y + z, a, b, c), "f16")
    op("scalars", "tsubc_f16", "tsubc %a, %b, %c", three, computed("f16", lambda x, y, z: x - y + z, a, b, c), "f16")
    a, c = floats("f32", (8, 12), -1e8, 1e8), floats("f32", (8, 12), -1e8, 1e8)
    two = [("a", "f32", a), ("c", "f32", c)]
    op("scalars", "taddsc_f32", "taddsc %a, %0.75, %c", two, a + np.float32(0.75) + c, "f32")
    op("scalars", "tsubsc_f32", "tsubsc %a, %0.75, %c", two, a - np.float32(0.75) + c, "f32")


def choices():
    modes = {"EQ": np.equal, "NE": np.not_equal, "LT": np.less, "LE": np.less_equal, "GT": np.greater, "GE": np.greater_equal}
    for t in ("f32", "u32", "bf16"):
        a, b = pairs(t)
        for mode, f in modes.items():
            op("choices", "tcmp_%s_%s" % (mode.lower(), t), "tcmp %%a, %%b {cmpMode = %s}" % mode, [("a", t, a), ("b", t, b)], f(widen(t, a), widen(t, b)).astype(np.uint8), "u8")
    a = np.concatenate([special("i8"), whole("i8", (3, 12))])
    for mode, f in modes.items():
        op("choices", "tcmps_%s_i8" % mode.lower(), "tcmps %%a, %%-7 {cmpMode = %s}" % mode, [("a", "i8", a)], f(a, -7).astype(np.float32), "f32")
    mask, a, b = random.randint(0, 3, (8, 12)).astype(np.int32), floats("f64", (8, 12)), floats("f64", (8, 12))
    op("choices", "tsel_f64_by_i32", "tsel %m, %a, %b", [("m", "i32", mask), ("a", "f64", a), ("b", "f64", b)], np.where(mask != 0, a, b), "f64")
    mask = special("f32", 8)[:, :12].copy()
    op("choices", "tsel_f64_by_f32", "tsel %m, %a, %b", [("m", "f32", mask), ("a", "f64", a), ("b", "f64", b)], np.where(mask != 0, a, b), "f64")
    for s, d in ((0, b), (2, a)):
        op("choices", "tsels_by_%d" % s, "tsels %a, %b, %s", [("a", "f64", a), ("b", "f64", b)], d, "f64", more=["%s = alloc_scalar : i32", "LI %%s:i32, %d" % s])


def conversions():
    edges = [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -1.5, -2.5, 0.49999997, 127.5, -128.5, 255.5, 1e10, -1e10, math.inf, -math.inf, math.nan, 2147483647.0, 3.7, -3.7]
    for mode in ("RINT", "ROUND", "FLOOR", "CEIL", "TRUNC", "ODD"):
        for f, t in (("f32", "i8"), ("f32", "i32"), ("f64", "u8"), ("f16", "i16")):
            a = store(f, np.array(edges).reshape(2, 10)) if f != "f16" else rounded("f16", np.array(edges).reshape(2, 10))
            op("conversions", "tcvt_%s_%s_%s" % (f, t, mode.lower()), "tcvt %%a {rmode = %s}" % mode, [("a", f, a)], convert(f, t, a, mode), t)
        a = np.array([1.00048828125, -1.00048828125, 1.0009765625, 65519.0, 65520.0, -70000.0, 2.0 ** -25, -2.0 ** -25, 2.0 ** -24 * 1.5, 0.1, -0.1, 3.14159274], np.float32).reshape(1, 12)
        a = np.concatenate([a, floats("f32", (3, 12), -1000, 1000)])
        op("conversions", "tcvt_f32_f16_%s" % mode.lower(), "tcvt %%a {rmode = %s}" % mode, [("a", "f32", a)], convert("f32", "f16", a, mode), "f16")
        op("conversions", "tcvt_f32_bf16_%s" % mode.lower(), "tcvt %%a {rmode = %s}" % mode, [("a", "f32", a)], convert("f32", "bf16", a, mode), "bf16")
        a = np.array([[2 ** 24 + 1, -2 ** 24 - 1, 2 ** 24 + 3, 2 ** 31 - 1, -2 ** 31, 7, 0, -1, 2 ** 25 + 2, 2 ** 30 + 64, 2 ** 30 + 63, 33554435]], np.int32)
        op("conversions", "tcvt_i32_f32_%s" % mode.lower(), "tcvt %%a {rmode = %s}" % mode, [("a", "i32", a)], convert("i32", "f32", a, mode), "f32")
        a = np.array(edges, np.float32).reshape(2, 10)
        op("conversions", "tcvt_f32_f32_%s" % mode.lower(), "tcvt %%a {rmode = %s}" % mode, [("a", "f32", a)], convert("f32", "f32", a, mode), "f32")
    for f, t in (("f64", "f32"), ("f32", "f64"), ("f16", "f32"), ("bf16", "f32"), ("bf16", "f16"), ("f16", "bf16"), ("f64", "f16")):
        a = np.concatenate([special(f), floats(f, (3, 14), -1e5, 1e5)])
        op("conversions", "tcvt_%s_%s" % (f, t), "tcvt %a", [("a", f, a)], convert(f, t, a), t)
    for f, t in (("i32", "i8"), ("i8", "u32"), ("u32", "i32"), ("i64", "u8"), ("u8", "i64"), ("i16", "f16"), ("u64", "f64"), ("u16", "bf16"), ("i8", "u1"), ("u1", "f32")):
        a = np.concatenate([special(f)[:, :12], whole(f, (3, 12))]) if f != "u1" else whole(f, (4, 12))
        op("conversions", "tcvt_%s_%s" % (f, t), "tcvt %a", [("a", f, a)], convert(f, t, a), t)
    a = np.array([[0.0, -0.0, 0.25, -3.0, math.inf, 2.0 ** -149, 1.0, -1e-20]], np.float32)
    op("conversions", "tcvt_f32_u1", "tcvt %a", [("a", "f32", a)], convert("f32", "u1", a), "u1")


def product(sum_type, a, b, start):
    """k ascending, a product rounded before it is added; f32 where that is what is computed with."""
    d = start.copy()
    with np.errstate(all="ignore"):
        for k in range(a.shape[1]):
            d = d + a[:, k:k + 1] * b[k:k + 1, :]
    return d


def matrices():
    def of_floats(t, s, name, text, start=None, bias=None, shape=(8, 24, 10)):
        a, b = floats(t, shape[:2]), floats(t, shape[1:])
        wide = np.float64 if t == "f64" else np.float32
        first = np.zeros((shape[0], shape[2]), wide) if start is None else widen(s, start)
        d = product(s, widen(t, a), widen(t, b), first)
        ins = [("a", t, a), ("b", t, b)]
        if start is not None:
            ins.append(("c", s, start))
        if bias is not None:
            ins.append(("c", s, bias))
            d = d + widen(s, bias)
        op("matrices", name, text, ins, store(s, d), s)
    for t, s in (("f32", "f32"), ("f64", "f64"), ("f16", "f32"), ("bf16", "f32"), ("f16", "f16"), ("bf16", "bf16")):
        of_floats(t, s, "tmatmul_%s_%s" % (t, s), "tmatmul %a, %b")
    of_floats("f32", "f32", "tmatmul_row_f32", "tmatmul %a, %b", shape=(1, 33, 17))
    of_floats("f16", "f32", "tmatmul_acc_f16_f32", "tmatmul.acc %c, %a, %b", start=floats("f32", (8, 10)))
    of_floats("f32", "f32", "tmatmul_acc_f32", "tmatmul.acc %c, %a, %b", start=floats("f32", (8, 10), -1e6, 1e6))
    of_floats("bf16", "f32", "tmatmul_bias_bf16_f32", "tmatmul.bias %a, %b, %c", bias=floats("f32", (1, 10)))
    for t, s in (("i8", "i32"), ("u8", "i32"), ("i16", "i32"), ("u16", "u32"), ("i32", "i32"), ("i8", "i8"), ("u64", "u64")):
        a, b = whole(t, (8, 24)), whole(t, (24, 10))
        op("matrices", "tmatmul_%s_%s" % (t, s), "tmatmul %a, %b", [("a", t, a), ("b", t, b)], wrapped(s, integers(a).dot(integers(b))), s)
        if s != t:
            c = whole(s, (8, 10))
            op("matrices", "tmatmul_acc_%s_%s" % (t, s), "tmatmul.acc %c, %a, %b", [("a", t, a), ("b", t, b), ("c", s, c)], wrapped(s, integers(c) + integers(a).dot(integers(b))), s)
    a, b = floats("f32", (4, 8)), floats("f32", (8, 6))
    left, right = (2.0 ** random.randint(-3, 4, (4, 2))).astype(np.float32), (2.0 ** random.randint(-3, 4, (2, 6))).astype(np.float32)
    d = product("f32", a * left.repeat(4, 1), b * right.repeat(4, 0), np.zeros((4, 6), np.float32))
    op("matrices", "tmatmul_mx_f32", "tmatmul.mx %a, %s, %b, %f", [("a", "f32", a), ("s", "f32", left), ("b", "f32", b), ("f", "f32", right)], d, "f32")


def reductions():
    def added(t, a, axis):
        parts = widen(t, a) if axis else widen(t, a).T
        d = np.zeros(parts.shape[0], parts.dtype)
        with np.errstate(all="ignore"):
            for j in range(parts.shape[1]):
                d = d + parts[:, j]
        return store(t, d.reshape(-1, 1) if axis else d.reshape(1, -1))

    def chosen(t, a, axis, better):
        parts = widen(t, a) if axis else widen(t, a).T
        d = parts[:, 0].copy()
        for j in range(1, parts.shape[1]):
            d = np.where(better(parts[:, j], d), parts[:, j], d)
        return store(t, d.reshape(-1, 1) if axis else d.reshape(1, -1))
    for t in FLOATS:
        a = floats(t, (6, 37), -1000, 1000)
        for k, name in ((1, "row"), (0, "col")):
            op("reductions", "t%ssum_%s" % (name, t), "t%ssum %%a" % name, [("a", t, a)], added(t, a, k), t)
    for t in ("f32", "f16"):
        a = special(t, 5)
        for row in range(5):
            a[row] = np.roll(a[row], 3 * row)
        for k, name in ((1, "row"), (0, "col")):
            op("reductions", "t%smax_%s" % (name, t), "t%smax %%a" % name, [("a", t, a)], chosen(t, a, k, np.greater), t)
            op("reductions", "t%smin_%s" % (name, t), "t%smin %%a" % name, [("a", t, a)], chosen(t, a, k, np.less), t)
            op("reductions", "t%ssum_ends_%s" % (name, t), "t%ssum %%a" % name, [("a", t, a)], added(t, a, k), t)
    for t in ("i8", "u32", "i64"):
        a = whole(t, (6, 37))
        for k, name in ((1, "row"), (0, "col")):
            def shaped(d):
                return d.reshape(-1, 1) if k else d.reshape(1, -1)
            op("reductions", "t%ssum_%s" % (name, t), "t%ssum %%a" % name, [("a", t, a)], shaped(wrapped(t, integers(a).sum(k))), t)
            op("reductions", "t%smax_%s" % (name, t), "t%smax %%a" % name, [("a", t, a)], shaped(a.max(k)), t)
            op("reductions", "t%smin_%s" % (name, t), "t%smin %%a" % name, [("a", t, a)], shaped(a.min(k)), t)
    zeros = np.full((2, 5), -0.0, np.float32)
    op("reductions", "trowsum_begins_with_0", "trowsum %a", [("a", "f32", zeros)], np.zeros((2, 1), np.float32), "f32")


def broadcasts():
    a, row, column = floats("f32", (6, 9)), floats("f32", (6, 1)), floats("f32", (1, 9))
    row[2] = 0
    ins = [("a", "f32", a), ("b", "f32", row)]
    with np.errstate(all="ignore"):
        op("broadcasts", "trowexpandmul_f32", "trowexpandmul %a, %b", ins, a * row, "f32")
        op("broadcasts", "trowexpanddiv_f32", "trowexpanddiv %a, %b", ins, a / row, "f32")
        op("broadcasts", "trowexpandsub_f32", "trowexpandsub %a, %b", ins, a - row, "f32")
    h, r = floats("bf16", (6, 9)), floats("bf16", (6, 1))
    op("broadcasts", "trowexpandmul_bf16", "trowexpandmul %a, %b", [("a", "bf16", h), ("b", "bf16", r)], computed("bf16", np.multiply, h, r), "bf16")
    n, m = whole("i8", (6, 9)), whole("i8", (6, 1))
    op("broadcasts", "trowexpandsub_i8", "trowexpandsub %a, %b", [("a", "i8", n), ("b", "i8", m)], wrapped("i8", integers(n) - integers(m)), "i8")
    op("broadcasts", "trowexpand_f32", "trowexpand %a", [("a", "f32", row)], np.tile(row, (1, 7)), "f32")
    op("broadcasts", "tcolexpand_f32", "tcolexpand %a", [("a", "f32", column)], np.tile(column, (5, 1)), "f32")
    op("broadcasts", "tcolexpand_u16", "tcolexpand %a", [("a", "u16", special("u16"))], np.tile(special("u16"), (3, 1)), "u16")
    op("broadcasts", "tmov_fp_f32", "tmov.fp %a, %b", [("a", "f32", a), ("b", "f32", column)], a * column, "f32")
    vector("broadcasts", "texpands_f16", [], [("d", "f16", np.full((3, 8), 0.1, np.float16))], declared([("d", "f16", (3, 8))]) + ["%d = texpands %0.1", "tstore %d, %md[0, 0]"])
    vector("broadcasts", "tstore_fp_f32", [("a", "f32", a), ("b", "f32", column)], [("d", "f32", a * column)], loaded([("a", "f32", a), ("b", "f32", column)]) + ["tstore.fp %a, %b, %md[0, 0]"])


def moves():
    for t in ("f32", "i8", "f64", "u1"):
        a = floats(t, (5, 12)) if t in FLOATS else whole(t, (5, 12))
        op("moves", "ttrans_%s" % t, "ttrans %a", [("a", t, a)], np.ascontiguousarray(a.T), t)
        op("moves", "treshape_%s" % t, "treshape %a", [("a", t, a)], a.reshape(4, 15), t)
        op("moves", "textract_%s" % t, "textract %a[2, 3]", [("a", t, a)], np.ascontiguousarray(a[2:5, 3:11]), t)
    a = floats("f16", (6, 10))
    i = random.randint(0, 60, (4, 7)).astype(np.int32)
    op("moves", "tgather_f16", "tgather %a, %i", [("a", "f16", a), ("i", "i32", i)], a.ravel()[i], "f16")
    op("moves", "tgatherb_f16", "tgatherb %a, %i", [("a", "f16", a), ("i", "u32", (2 * i).astype(np.uint32))], a.ravel()[i], "f16")
    a = floats("f32", (4, 6))
    rows = np.array([random.permutation(4) for _ in range(6)]).T.astype(np.int32).copy()
    d = np.zeros((4, 6), np.float32)
    for x in range(4):
        for y in range(6):
            d[rows[x, y], y] = a[x, y]
    op("moves", "tscatter_f32", "tscatter %a, %i", [("a", "f32", a), ("i", "i32", rows)], d, "f32")
    memory, index = floats("f32", (1, 50)), random.randint(0, 50, (3, 8)).astype(np.int32)
    vector("moves", "mgather_f32", [("i", "i32", index)], [("d", "f32", memory.ravel()[index])],
           loaded([("i", "i32", index)]) + declared([("d", "f32", (3, 8))]) + ["%d = mgather %mx, %i", "tstore %d, %md[0, 0]"], memory=[("x", "f32", memory)], whole=("x",))
    a = whole("i16", (6, 10))
    body = loaded([("a", "i16", a)]) + ["%s = alloc_scalar : i16", "%s = getval %a, 37", "setval %a, 5, %s", "setval %a, 0, -7", "tstore %a, %md[0, 0]"]
    d = a.copy()
    d.ravel()[5], d.ravel()[0] = a.ravel()[37], -7
    vector("moves", "getval_setval_i16", [("a", "i16", a)], [("d", "i16", d)], body)
    a = whole("u32", (4, 24))
    tiles = np.concatenate([a.ravel()[24:36], a.ravel()[5:17]]).reshape(2, 12)
    vector("moves", "tload_by_tiles_u32", [("a", "u32", a)], [("d", "u32", tiles)],
           declared([("p", "u32", (3, 4)), ("q", "u32", (3, 4))]) + ["%p = tload %ma[2, 0]", "%q = tload %ma[0, 5]", "tstore %p, %md[0, 0]", "tstore %q, %md[1, 0]"])


def sorts():
    for t in ("f32", "i8", "u16"):
        a = np.concatenate([special(t, 3)[:, :12], special(t, 3)[::-1, :12]]) if t == "f32" else whole(t, (6, 12)) % 16
        a = a.astype(TYPES[t])
        flat = widen(t, a).ravel()
        order = []
        for start in range(0, flat.size, 32):
            part = list(range(start, min(start + 32, flat.size)))
            known = [i for i in part if not (t in FLOATS and np.isnan(flat[i]))]
            order += sorted(known, key=lambda i: -flat[i].item()) + [i for i in part if i not in known]
        index = np.array(order, np.int32).reshape(a.shape)
        body = loaded([("a", t, a)]) + declared([("d", t, a.shape), ("e", "i32", a.shape)]) + ["%d, %e = tsort32 %a"]
        d = a.ravel()[order].reshape(a.shape)
        if has_nan(t, d):
            body += declared([("good", "u8", a.shape), ("mark", t, a.shape)]) + ["%good = tcmp %d, %d {cmpMode = EQ}", "%mark = texpands %77.0", "%d = tsel %good, %d, %mark"]
            d = np.where(np.isnan(d), np.float32(77), d)
        vector("sorts", "tsort32_%s" % t, [("a", t, a)], [("d", t, d), ("e", "i32", index)], body + ["tstore %d, %md[0, 0]", "tstore %e, %me[0, 0]"])

    def merged(a, b, count):
        a, b, d = list(a.ravel()), list(b.ravel()), []
        while len(d) < count:
            d.append(b.pop(0) if not a or (b and b[0] > a[0]) else a.pop(0))
        return np.array(d)
    for t in ("f32", "i16"):
        a = floats(t, (4, 8)) if t in FLOATS else whole(t, (4, 8)) // 4096
        b = floats(t, (1, 20)) if t in FLOATS else whole(t, (1, 20)) // 4096
        a, b = (-np.sort(-a.ravel())).reshape(a.shape).astype(TYPES[t]), (-np.sort(-b)).astype(TYPES[t])
        ins = [("a", t, a), ("b", t, b)]
        op("sorts", "tmrgsort_%s" % t, "tmrgsort %a, %b", ins, merged(a, b, 52).astype(TYPES[t]).reshape(4, 13), t)
        op("sorts", "tmrgsort_some_%s" % t, "tmrgsort %a, %b", ins, merged(a, b, 24).astype(TYPES[t]).reshape(2, 12), t)
        for k, other in (("a", "b"), ("b", "a")):
            here = dict((n, x) for n, _, x in ins)
            size = here[k].size
            vector("sorts", "tmrgsort_onto_%s_%s" % (k, t), ins, [("d", t, merged(a, b, size).astype(TYPES[t]).reshape(here[k].shape))],
                   loaded(ins) + ["%%%s = tmrgsort %%a, %%b" % k, "tstore %%%s, %%md[0, 0]" % k])
    vector("sorts", "tci_i8", [], [("d", "i8", wrapped("i8", np.arange(120, 160).reshape(4, 10)))], declared([("d", "i8", (4, 10))]) + ["%d = tci %120", "tstore %d, %md[0, 0]"])
    vector("sorts", "tci_f32", [], [("d", "f32", (np.arange(40) + 5).reshape(4, 10).astype(np.float32))], declared([("d", "f32", (4, 10))]) + ["%d = tci %5.0", "tstore %d, %md[0, 0]"])


def numbers():
    """Scalars and control, by what they store."""
    def stored(name, t, lines, values):
        vector("numbers", name, [], [("d", t, np.array([values], dtype=TYPES[t]))], lines)
    s = ["%%%s = alloc_scalar : %s" % (k, t) for k, t in (("a", "i8"), ("b", "u8"), ("w", "i64"), ("f", "f32"), ("u", "u64"), ("c", "i32"))]
    stored("wrap_i8", "i8", s + ["LI %a:i8, 100", "ADD %a:i8, %a, 100", "STORE %a:i8, %md[0]", "MUL %a:i8, %a, 3", "STORE %a:i8, %md[1]", "LI %a:i8, -128", "SUB %a:i8, %a, 1",
                                 "STORE %a:i8, %md[2]", "LI %a:i8, -128", "DIV %a:i8, %a, -1", "STORE %a:i8, %md[3]", "LI %a:i8, -7", "DIV %a:i8, %a, 2", "STORE %a:i8, %md[4]",
                                 "LI %w:i64, 1000", "MOV %a:i8, %w", "STORE %a:i8, %md[5]", "LI %b:u8, 250", "MOV %a:i8, %b", "STORE %a:i8, %md[6]", "ADD %b:u8, %b, 10",
                                 "MOV %a:i8, %b", "STORE %a:i8, %md[7]"], [-56, 88, 127, -128, -3, -24, -6, 4])
    stored("float_to_whole", "i32", s + ["LI %f:f32, -2.75", "MOV %c:i32, %f", "STORE %c:i32, %md[0]", "LI %f:f32, 1e20", "MOV %c:i32, %f", "STORE %c:i32, %md[1]", "LI %f:f32, -inf",
                                         "MOV %c:i32, %f", "STORE %c:i32, %md[2]", "LI %f:f32, nan", "MOV %c:i32, %f", "STORE %c:i32, %md[3]"], [-2, 2 ** 31 - 1, -2 ** 31, 0])
    stored("compare_unsigned", "i32", s + ["LI %u:u64, 1", "LI %w:i64, -1", "CMP %c:i32, %u:u64, %w, LT", "STORE %c:i32, %md[0]", "LI %a:i8, -1", "LI %b:u8, 1",
                                           "CMP %c:i32, %a:i8, %b, LT", "STORE %c:i32, %md[1]", "LI %f:f32, nan", "CMP %c:i32, %f:f32, %f, EQ", "STORE %c:i32, %md[2]",
                                           "CMP %c:i32, %f:f32, %f, NE", "STORE %c:i32, %md[3]"], [1, 1, 0, 1])
    third = np.float32(1) / np.float32(3)
    stored("divide_floats", "f32", s + ["LI %f:f32, 1.0", "DIV %f:f32, %f, 3.0", "STORE %f:f32, %md[0]", "MUL %f:f32, %f, 3.0", "STORE %f:f32, %md[1]", "DIV %f:f32, %f, 0.0",
                                        "STORE %f:f32, %md[2]"], [third, third * np.float32(3), np.inf])
    collatz, n = [], 27
    while n != 1 and len(collatz) < 64:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        collatz.append(n)
    stored("while_collatz", "i32", s + ["%i = alloc_scalar : i64", "%one = alloc_scalar : i32", "%half = alloc_scalar : i64", "LI %w:i64, 27", "LI %i:i64, 0", "WHILE", "  CMP %one:i32, %i:i64, 64, LT",
                                        "DO %one:i32", "  DIV %half:i64, %w, 2", "  IF_BIT %w:i64, 0", "    MUL %w:i64, %w, 3", "    ADD %w:i64, %w, 1", "  ELSE", "    MOV %w:i64, %half", "  ENDIF",
                                        "  MOV %c:i32, %w", "  STORE %c:i32, %md[%i]", "  ADD %i:i64, %i, 1", "ENDWHILE"], collatz)
    primes = [p for p in range(2, 40) if all(p % q for q in range(2, p))]
    stored("for_primes", "i32", s + ["%at = alloc_scalar : i64", "%no = alloc_scalar : i32", "%q = alloc_scalar : i64", "LI %at:i64, 0", "FOR %p:idx, 2:idx, 40:idx, 1:idx", "  LI %no:i32, 0", "  FOR %r:idx, 2:idx, %p:idx, 1:idx",
                                     "    DIV %q:i64, %p, %r", "    MUL %q:i64, %q, %r", "    CMP %no:i32, %q:i64, %p, EQ", "    IF %no:i32", "      BREAK", "    ENDIF", "  ENDFOR", "  IF %no:i32", "    CONTINUE",
                                     "  ENDIF", "  MOV %c:i32, %p", "  STORE %c:i32, %md[%at]", "  ADD %at:i64, %at, 1", "ENDFOR"], primes)


def all_vectors():
    for make in (unary, curves, binary, binary_whole, scalars, choices, conversions, matrices, reductions, broadcasts, moves, sorts, numbers):
        make()
    return VECTORS
