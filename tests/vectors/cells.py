# SPDX-License-Identifier: MIT
"""cells.py - element types and arithmetic as abi/ptowsp/pto_ops.def words them, on NumPy arrays.

A bf16 array holds uint16, its bits; every other type is NumPy's own. What rounds to a narrower type does so exactly, by rational
numbers, so nothing here rests on how a library converts."""
from fractions import Fraction

import numpy as np

TYPES = {"f16": np.float16, "bf16": np.uint16, "f32": np.float32, "f64": np.float64, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
         "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64, "u1": np.uint8}
# significant bits, exponent of the smallest bit, of the largest power of two, bits of the exponent
FORMATS = {"f16": (11, -24, 15), "bf16": (8, -133, 127), "f32": (24, -149, 127), "f64": (53, -1074, 1023)}
FLOATS = tuple(FORMATS)


def width(t):
    return 8 * np.dtype(TYPES[t]).itemsize


def limits(t):
    """Smallest and largest value of an integer type."""
    if t == "u1":
        return 0, 1
    bits = width(t)
    return (0, 2 ** bits - 1) if t[0] == "u" else (-2 ** (bits - 1), 2 ** (bits - 1) - 1)


def widen(t, a):
    """What is computed with: f32 of f16 and bf16, else the type itself."""
    if t == "bf16":
        return (a.astype(np.uint32) << 16).view(np.float32).reshape(a.shape)
    return a.astype(np.float32) if t == "f16" else a


def exact(t, a):
    """Each element as a Fraction, or a float that is NaN or infinite."""
    a = widen(t, a)
    return [Fraction(v) if not isinstance(v, float) or np.isfinite(v) else v for v in (x.item() for x in a.ravel())]


def integral(x, mode):
    """A Fraction as an integer, by rounding mode."""
    low = x.numerator // x.denominator
    rest = x - low
    if rest == 0:
        return low
    if mode == "FLOOR":
        return low
    if mode == "CEIL":
        return low + 1
    if mode == "TRUNC":
        return low if x > 0 else low + 1
    if mode == "ODD":
        return low if low % 2 else low + 1
    if rest != Fraction(1, 2):
        return low + (rest > Fraction(1, 2))
    return (low + 1 if x > 0 else low) if mode == "ROUND" else low + low % 2


def pack(t, x, mode="RINT", minus=False):
    """A Fraction (of sign minus where it is 0) as the bits of a float type."""
    precision, least, most = FORMATS[t]
    sign = (x < 0 or (x == 0 and minus)) << (width(t) - 1)
    infinity = (2 * most + 1) << (precision - 1)
    size = abs(x)
    if size == 0:
        return sign
    toward = {"FLOOR": "CEIL", "CEIL": "FLOOR"}.get(mode, mode) if x < 0 else mode
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= Fraction(2) ** exponent > size
    last = max(exponent - precision + 1, least)
    count = integral(size / Fraction(2) ** last, toward)
    if count == 2 ** precision:
        count, last = count // 2, last + 1
    if last + precision - 1 > most:
        return sign | (infinity if toward in ("RINT", "ROUND", "CEIL") else infinity - 1)
    normal = count >= 2 ** (precision - 1)
    return sign | ((last - least + 1) << (precision - 1) if normal else 0) | (count - 2 ** (precision - 1) if normal else count)


def from_bits(t, bits, shape):
    bits = np.array(bits, dtype="u%d" % (width(t) // 8)).reshape(shape)
    return bits if t == "bf16" else bits.view(TYPES[t])


def rounded(t, values, mode="RINT"):
    """An f32 or f64 array as type t, rounded once."""
    bits = []
    for v in np.asarray(values).ravel():
        v = v.item()
        if np.isnan(v):
            bits.append(((2 * FORMATS[t][2] + 1) << (FORMATS[t][0] - 1)) | 1 << (FORMATS[t][0] - 2))
        elif np.isinf(v):
            bits.append(((v < 0) << (width(t) - 1)) | (2 * FORMATS[t][2] + 1) << (FORMATS[t][0] - 1))
        else:
            bits.append(pack(t, Fraction(v), mode, np.copysign(1, v) < 0))
    return from_bits(t, bits, np.shape(values))


def store(t, values):
    """What an instruction computed, as its element type."""
    return rounded(t, values) if t in ("f16", "bf16") else np.asarray(values).astype(TYPES[t])


def convert(f, t, a, mode="NONE"):
    """tcvt from f to t."""
    if f in FLOATS and f == t and mode == "NONE":
        return a.copy()
    how = "RINT" if mode == "NONE" else mode
    out = []
    for v, raw in zip(exact(f, a), widen(f, a).ravel()):
        minus = f in FLOATS and bool(np.signbit(raw))
        finite = isinstance(v, Fraction)
        if t == "u1":
            out.append(int(not finite or v != 0))
        elif t not in FLOATS:
            low, high = limits(t)
            n = (0 if np.isnan(v) else low if v < 0 else high) if not finite else integral(v, how)
            out.append(min(max(n, low), high))
        elif not finite:
            out.append(rounded(t, np.array([float(v)])).view("u%d" % (width(t) // 8))[0].item())
        else:
            if f == t:
                v = Fraction(integral(v, how))
            out.append(pack(t, v, how, minus))
    if t in FLOATS:
        return from_bits(t, out, a.shape)
    return np.array(out, dtype=object).astype(TYPES[t]).reshape(a.shape)


def wrapped(t, values):
    """Python integers at the width of a type."""
    bits = width(t)
    flat = [int(v) & (2 ** bits - 1) for v in np.asarray(values, dtype=object).ravel()]
    return np.array(flat, dtype="u%d" % (bits // 8)).view(TYPES[t]).reshape(np.shape(values))


def integers(a):
    return a.astype(object)
