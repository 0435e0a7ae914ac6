#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The package of build_squares.c from Python, through ctypes: every call by its name, handles as int, texts as str.

    python3 build_squares.py squares.pkg.zst [libptowsp-pack.so]
"""
import ctypes
import struct
import sys

BLOCKS, BLOCK = 4, 64


class Builder:
    """b.tensor("x", "f32", "in") is ptowsp_build_tensor(b, "x", "f32", "in")."""

    # Arguments wider than 32 bits have to be named: ctypes takes a plain int for a C int.
    WIDE = {"number": {0}, "default_bits": {1}, "literal_bits": {1}, "directive_number": {1}, "kernel_workspace": {1},
            "payload": {3}, "payload_offset": {1}, "payload_cycles": {1}, "payload_workspace": {1}, "channel": {3}, "section": {2}, "sample": {5}}

    def __init__(self, name, library):
        self.library = ctypes.CDLL(library)
        self.library.ptowsp_build_create.restype = ctypes.c_void_p
        for call in ("error", "digest"):
            getattr(self.library, "ptowsp_build_" + call).restype = ctypes.c_char_p
        self.handle = ctypes.c_void_p(self.library.ptowsp_build_create(name.encode()))

    def __getattr__(self, call):
        function = getattr(self.library, "ptowsp_build_" + call)
        wide = self.WIDE.get(call, ())

        def run(*arguments):
            values = []
            for i, value in enumerate(arguments):
                if isinstance(value, str):
                    values.append(value.encode())
                elif isinstance(value, int):
                    values.append((ctypes.c_int64 if i in wide else ctypes.c_int32)(value))
                else:
                    values.append(value)
            return function(self.handle, *values)
        return run

    def op(self, mnemonic, *operands, mode=0):
        array = (ctypes.c_uint32 * len(operands))(*operands)
        return self.library.ptowsp_build_op(self.handle, mnemonic.encode(), mode, array, len(operands))


def square_build(b):
    kernel = b.kernel("square", "aiv")
    x, y = b.param(kernel, "x", "f32", "in"), b.param(kernel, "y", "f32", "out")
    b.body(kernel)
    tile = b.tile("t", "f32", 1, BLOCK)
    zero = b.literal("i64", "0")
    b.op("tload", tile, x, zero, zero)
    b.op("tmul", tile, tile, tile)
    b.op("tstore", tile, y, zero, zero)
    b.body_end()
    return kernel


def main():
    b = Builder("squares", sys.argv[2] if len(sys.argv) > 2 else "libptowsp-pack.so")
    n = b.symbol("n", "u64")
    b.default(n, str(BLOCKS))
    width = b.number(BLOCK)
    x, y = b.tensor("x", "f32", "in"), b.tensor("y", "f32", "out")
    for tensor in (x, y):
        b.tensor_dim(tensor, n)
        b.tensor_dim(tensor, width)
    kernel = square_build(b)

    b.entry_default(b.entry("main"))
    zero, one = b.number(0), b.number(1)
    i = b.parallel_for(b.axis("i", "dense_dyn", zero, n, one, 0))
    b.task(kernel)
    b.use(b.region(x, i, zero, 1, BLOCK))
    b.use(b.region(y, i, zero, 1, BLOCK))
    b.end()
    b.end()

    b.directive_number(b.directive("dispatch", "round_robin"), 2)
    values = [k / 16 for k in range(BLOCKS * BLOCK)]
    extents = (ctypes.c_uint64 * 2)(BLOCKS, BLOCK)
    for tensor, role, data in ((x, "input", values), (y, "expected", [v * v for v in values])):
        data = struct.pack("<%df" % len(data), *data)
        b.sample(tensor, role, extents, 2, data, len(data))

    if b.save(sys.argv[1]):
        sys.exit(b.error().decode())
    print(b.digest().decode())


main()
