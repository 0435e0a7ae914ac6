# SPDX-License-Identifier: MIT
"""programs.py - whole programs of several tasks: a source, what it reads, and what NumPy says that it writes."""
import base64

import numpy as np

from cells import convert, integers, rounded, wrapped

random = np.random.RandomState(777)
M = "!pto.memref<gm,...,%s>"


def declaration(name, t, array, role):
    return "tensor %%%s : %s[%s] %s\n" % (name, t, ", ".join(map(str, array.shape)), role)


def sample(name, array, role):
    return 'sample %%%s %s [%s] = base64 "%s"\n' % (name, role, ", ".join(map(str, array.shape)), base64.b64encode(np.ascontiguousarray(array).tobytes()).decode())


def source(ins, outs, text, temps=""):
    head = "".join(declaration(n, t, a, "in") for n, t, a in ins) + "".join(declaration(n, t, a, "out") for n, t, a in outs) + temps
    data = "".join(sample(n, a, "input") for n, _, a in ins) + "".join(sample(n, a, "expected") for n, _, a in outs)
    return head + data + text


def func(name, params, tiles, lines):
    text = "func @%s(%s) {\n" % (name, ", ".join("%%%s: %s" % (n, M % t) for n, t in params))
    text += "".join("  %%%s = alloc_tile : !pto.tile<%s>\n" % (n, t) for n, t in tiles)
    return text + "".join("  %s\n" % line for line in lines) + "  return\n}\n"


def products():
    """Blocks of f16 added up over k by a chain of tasks; the sum goes on in f32."""
    a, b = random.uniform(-2, 2, (32, 48)).astype(np.float16), random.uniform(-2, 2, (48, 24)).astype(np.float16)
    wide, c = a.astype(np.float32), np.zeros((32, 24), np.float32)
    for k in range(48):
        c = c + wide[:, k:k + 1] * b[k:k + 1].astype(np.float32)
    text = func("first", [("a", "f16"), ("b", "f16"), ("c", "f32")], [("x", "8x16xf16"), ("y", "16x12xf16"), ("z", "8x12xf32")],
                ["%x = tload %a[0, 0]", "%y = tload %b[0, 0]", "%z = tmatmul %x, %y", "tstore %z, %c[0, 0]"])
    text += func("more", [("a", "f16"), ("b", "f16"), ("c", "f32")], [("x", "8x16xf16"), ("y", "16x12xf16"), ("z", "8x12xf32")],
                 ["%x = tload %a[0, 0]", "%y = tload %b[0, 0]", "%z = tload %c[0, 0]", "%z = tmatmul.acc %z, %x, %y", "tstore %z, %c[0, 0]"])
    text += ("workload @main {\n  parallel_for %i in 0 to 4 {\n    parallel_for %j in 0 to 2 {\n"
             "      call @first(%a -> %a[%i * 8, 0], %b -> %b[0, %j * 12], %c -> %c[%i * 8, %j * 12])\n"
             "      for_each %k in dense(1, 3) {\n        call @more(%a -> %a[%i * 8, %k * 16], %b -> %b[%k * 16, %j * 12], %c -> %c[%i * 8, %j * 12])\n      }\n    }\n  }\n}\n")
    return "products", source([("a", "f16", a), ("b", "f16", b)], [("c", "f32", c)], text), 0, 0


def carried():
    """Running sums of i32 over blocks: what one task leaves the next one takes, and wraps."""
    x = random.randint(-2 ** 31, 2 ** 31, (12, 32), dtype=np.int64).astype(np.int32)
    sums = wrapped("i32", np.cumsum(integers(x), axis=0))
    text = func("add", [("x", "i32"), ("before", "i32"), ("y", "i32")], [("a", "1x32xi32"), ("b", "1x32xi32")],
                ["%a = tload %x[0, 0]", "%b = tload %before[0, 0]", "%a = tadd %a, %b", "tstore %a, %y[0, 0]"])
    text += func("copy", [("x", "i32"), ("y", "i32")], [("a", "1x32xi32")], ["%a = tload %x[0, 0]", "tstore %a, %y[0, 0]"])
    text += ("workload @main {\n  call @copy(%x -> %x[0, 0], %y -> %y[0, 0])\n  for_each %i in dense(1, 12) {\n"
             "    call @add(%x -> %x[%i, 0], %before -> %y[%i - 1, 0], %y -> %y[%i, 0])\n  }\n}\n")
    return "carried", source([("x", "i32", x)], [("y", "i32", sums)], text), 0, 0


def stencil():
    """Six steps of y[i] = (x[i - 1] + x[i] + x[i + 1]) / 4 on a line with fixed ends, to and fro between two tensors."""
    steps, n = 6, 64
    x = random.uniform(-1, 1, (1, n)).astype(np.float32)
    now = x.copy()
    for _ in range(steps):
        after = now.copy()
        after[0, 1:-1] = (now[0, :-2] + now[0, 1:-1] + now[0, 2:]) * np.float32(0.25)
        now = after
    text = func("step", [("x", "f32"), ("y", "f32")], [("a", "1x62xf32"), ("b", "1x62xf32"), ("c", "1x62xf32"), ("all", "1x64xf32")],
                ["%all = tload %x[0, 0]", "tstore %all, %y[0, 0]", "%a = tload %x[0, 0]", "%b = tload %x[0, 1]", "%c = tload %x[0, 2]", "%a = tadd %a, %b", "%a = tadd %a, %c",
                 "%a = tmuls %a, %0.25", "tstore %a, %y[0, 1]"])
    text += ("workload @main {\n  call @step(%x -> %x[0, 0 : 1, 64], %y -> %t[0, 0 : 1, 64])\n  for_each %i in dense(0, 2) {\n"
             "    call @step(%x -> %t[0, 0 : 1, 64], %y -> %y[0, 0 : 1, 64])\n    call @step(%x -> %y[0, 0 : 1, 64], %y -> %t[0, 0 : 1, 64])\n  }\n"
             "  call @step(%x -> %t[0, 0 : 1, 64], %y -> %y[0, 0 : 1, 64])\n}\n")
    return "stencil", source([("x", "f32", x)], [("y", "f32", now)], text, "tensor %t : f32[1, 64] inout\n"), 0, 0


def largest():
    """The 32 largest of 256, by sorting groups of 32 and merging them in a tree."""
    x = random.uniform(-100, 100, (8, 32)).astype(np.float32)
    x[3, 4] = x[5, 6]
    text = func("sort", [("x", "f32"), ("y", "f32")], [("a", "1x32xf32"), ("b", "1x32xf32"), ("i", "1x32xi32")],
                ["%a = tload %x[0, 0]", "%b, %i = tsort32 %a", "tstore %b, %y[0, 0]"])
    text += func("merge", [("x", "f32"), ("y", "f32")], [("a", "1x32xf32"), ("b", "1x32xf32")],
                 ["%a = tload %x[0, 0]", "%b = tload %y[0, 0]", "%a = tmrgsort %a, %b", "tstore %a, %x[0, 0]"])
    text += func("copy", [("x", "f32"), ("y", "f32")], [("a", "1x32xf32")], ["%a = tload %x[0, 0]", "tstore %a, %y[0, 0]"])
    text += "workload @main {\n  parallel_for %i in 0 to 8 {\n    call @sort(%x -> %x[%i, 0], %y -> %t[%i, 0])\n  }\n"
    for step in (1, 2, 4):
        text += "  parallel_for %%i in 0 to %d {\n    call @merge(%%x -> %%t[%%i * %d, 0], %%y -> %%t[%%i * %d + %d, 0])\n  }\n" % (4 // step, 2 * step, 2 * step, step)
    text += "  call @copy(%x -> %t[0, 0], %y -> %y[0, 0])\n}\n"
    return "largest", source([("x", "f32", x)], [("y", "f32", -np.sort(-x.ravel())[:32].reshape(1, 32))], text, "tensor %t : f32[8, 32] inout\n"), 0, 0


def quantised():
    """i8 times i8 in i32, a scale per column, half away from zero to i8."""
    a, w = random.randint(-128, 128, (24, 32)).astype(np.int8), random.randint(-128, 128, (32, 16)).astype(np.int8)
    scale = random.uniform(0.0002, 0.002, (1, 16)).astype(np.float32)
    total = a.astype(np.int32).dot(w.astype(np.int32))
    scaled = total.astype(np.float32) * scale
    text = func("linear", [("a", "i8"), ("w", "i8"), ("s", "f32"), ("y", "i8")],
                [("x", "8x32xi8"), ("v", "32x16xi8"), ("sum", "8x16xi32"), ("f", "8x16xf32"), ("k", "1x16xf32"), ("q", "8x16xi8")],
                ["%x = tload %a[0, 0]", "%v = tload %w[0, 0]", "%k = tload %s[0, 0]", "%sum = tmatmul %x, %v", "%f = tcvt %sum", "%f = tmov.fp %f, %k",
                 "%q = tcvt %f {rmode = ROUND}", "tstore %q, %y[0, 0]"])
    text += "workload @main {\n  parallel_for %i in 0 to 3 {\n    call @linear(%a -> %a[%i * 8, 0], %w -> %w, %s -> %s, %y -> %y[%i * 8, 0])\n  }\n}\n"
    return "quantised", source([("a", "i8", a), ("w", "i8", w), ("s", "f32", scale)], [("y", "i8", convert("f32", "i8", scaled, "ROUND"))], text), 0, 0


def normalised():
    """Rows less their mean by the root of their variance: sums left to right, a quotient by a power of two; bf16 in memory."""
    x = rounded("bf16", random.uniform(-3, 3, (16, 32)))
    wide = (x.astype(np.uint32) << 16).view(np.float32)

    def row_sums(a):
        d = np.zeros(a.shape[0], np.float32)
        for j in range(a.shape[1]):
            d = d + a[:, j]
        return d.reshape(-1, 1)
    mean = row_sums(wide) * np.float32(1 / 32)
    off = wide - mean
    root = np.float32(1) / np.sqrt(row_sums(off * off) * np.float32(1 / 32) + np.float32(0.5))
    y = rounded("bf16", off * root)
    text = func("norm", [("x", "bf16"), ("y", "bf16")], [("h", "4x32xbf16"), ("a", "4x32xf32"), ("b", "4x32xf32"), ("s", "4x1xf32")],
                ["%h = tload %x[0, 0]", "%a = tcvt %h", "%s = trowsum %a", "%s = tmuls %s, %0.03125", "%a = trowexpandsub %a, %s", "%b = tmul %a, %a", "%s = trowsum %b",
                 "%s = tmuls %s, %0.03125", "%s = tadds %s, %0.5", "%s = trsqrt %s", "%a = trowexpandmul %a, %s", "%h = tcvt %a", "tstore %h, %y[0, 0]"])
    text += "workload @main {\n  parallel_for %i in 0 to 4 {\n    call @norm(%x -> %x[%i * 4, 0], %y -> %y[%i * 4, 0])\n  }\n}\n"
    return "normalised", source([("x", "bf16", x)], [("y", "bf16", y)], text), 0, 0


def channels():
    """Three processes: blocks of u16 are scaled, then turned and stored, by payload channels."""
    x = random.randint(0, 2 ** 16, (32, 4), dtype=np.int64).astype(np.uint16)
    y = np.concatenate([wrapped("u16", integers(x[4 * i:4 * i + 4]) * 3 + 5).T for i in range(8)])
    text = func("scale", [("a", "u16"), ("b", "u16")], [("t", "4x4xu16")], ["%t = tload %a[0, 0]", "%t = tmuls %t, %3", "%t = tadds %t, %5", "tstore %t, %b[0, 0]"])
    text += func("turn", [("a", "u16"), ("b", "u16")], [("t", "4x4xu16"), ("u", "4x4xu16")], ["%t = tload %a[0, 0]", "%u = ttrans %t", "tstore %u, %b[0, 0]"])
    text += ("channel %loaded : payload u16[4, 4] capacity 2 latency 7\nchannel %scaled : payload u16[4, 4] capacity 3 latency 5\n"
             "process @load produces(%loaded) {\n  parallel_for %i in 0 to 8 {\n    send %loaded, %i from %x[%i * 4, 0]\n  }\n}\n"
             "process @compute consumes(%loaded) produces(%scaled) {\n  consume %loaded as %i into %p[%i % 2 * 4, 0] {\n    call @scale(%a -> %p[%i % 2 * 4, 0], %b -> %q[%i % 2 * 4, 0])\n"
             "    send %scaled, %i from %q[%i % 2 * 4, 0]\n  }\n}\n"
             "process @store consumes(%scaled) {\n  consume %scaled as %i into %r[0, 0] {\n    call @turn(%a -> %r[0, 0], %b -> %y[%i * 4, 0])\n  }\n}\n")
    temps = "".join("tensor %%%s : u16[%d, 4] inout @ub\n" % (n, rows) for n, rows in (("p", 8), ("q", 8), ("r", 4)))
    return "channels", source([("x", "u16", x)], [("y", "u16", y)], text, temps), 0, 0


def looked_up():
    """Rows of a table by numbers in memory, in the order that a permutation says: gather, then scatter."""
    table, which = random.uniform(-1, 1, (10, 8)), random.randint(0, 10, (1, 16)).astype(np.int32)
    table = table.astype(np.float64)
    places = random.permutation(16).astype(np.int32).reshape(1, 16)
    index = (which.reshape(-1, 1) * 8 + np.arange(8)).astype(np.int32)
    to = (places.reshape(-1, 1) * 8 + np.arange(8)).astype(np.int32)
    y = np.zeros((16, 8), np.float64)
    y[places.ravel()] = table[which.ravel()]
    text = func("look", [("table", "f64"), ("i", "i32"), ("to", "i32"), ("y", "f64")], [("at", "16x8xi32"), ("d", "16x8xf64")],
                ["%at = tload %i[0, 0]", "%d = mgather %table, %at", "%at = tload %to[0, 0]", "mscatter %d, %y, %at"])
    text += "workload @main {\n  call @look(%table -> %table, %i -> %i, %to -> %to, %y -> %y)\n}\n"
    return "looked_up", source([("table", "f64", table), ("i", "i32", index), ("to", "i32", to)], [("y", "f64", y)], text), 0, 0


def all_programs():
    return [make() for make in (products, carried, stencil, largest, quantised, normalised, channels, looked_up)]
