# SPDX-License-Identifier: MIT
"""bodies.py - what the kernels of the family `bodies` compute: as PTO instructions for the tools, and on lists of numbers for the model. One rule in two forms.

Everything is 64 bits wide and wraps. A mix begins as the task's number and takes in the sum of each tile that is read; each tile that is written is three times what it was
(0 where it was not read), plus the mix, plus every tile of its shape that is read. So who ran before whom, and which elements a kernel was given, shows in what is left behind.
"""
import math
import struct

READ, WRITE, I64, UNBOUND = 1, 2, 7, 1 << 40
TLOAD, TSTORE, GETVAL, TADD, TADDS, TMULS, TROWSUM, TCOLSUM, ADD, MUL, MOV, RETURN = 0x01, 0x02, 0x06, 0x20, 0x30, 0x32, 0x50, 0x53, 0x80, 0x82, 0x84, 0x9C
ZERO, NUMBER, THREE, MANY, MIX, SUM = range(6)  # scalars of the PTO form; NUMBER is task argument 0


def instruction(op, d=0, a=0, b=0, c=0):
    return struct.pack("<BBHHHHHHHII", op, 0, 0, d, 0, a, b, c, 0, 0, 0)


def tile_program(touches):
    """The PTO form for a kernel whose parameter k reads and writes touches[k] = (access, rows, columns) from its start."""
    n = len(touches)
    code = [instruction(MOV, MIX, NUMBER)] + [instruction(TLOAD, k, k) for k, t in enumerate(touches) if t[0] & READ]
    for k, t in enumerate(touches):  # tiles n + 2 k and n + 2 k + 1: sums of rows, and their sum
        if t[0] & READ:
            code += [instruction(TROWSUM, n + 2 * k, k), instruction(TCOLSUM, n + 2 * k + 1, n + 2 * k), instruction(GETVAL, SUM, n + 2 * k + 1, ZERO),
                     instruction(MUL, MIX, MIX, MANY), instruction(ADD, MIX, MIX, SUM)]
    for k, t in enumerate(touches):
        if t[0] & WRITE:
            code += [instruction(MUL, MIX, MIX, MANY), instruction(TMULS, k, k, THREE), instruction(TADDS, k, k, MIX)]
            code += [instruction(TADD, k, k, a) for a, of in enumerate(touches) if of[0] == READ and of[1:] == t[1:]]
            code += [instruction(TSTORE, k, k)]
    code.append(instruction(RETURN))
    shapes = [t[1:] for t in touches] + [shape for _, r, _ in touches for shape in ((r, 1), (1, 1))]
    scalars = [(1, 0), (2, 0), (1, 3), (1, 31), (0, 0), (0, 0)]  # kind: literal, argument, local; value
    return b"".join([struct.pack("<8I", 0x544F5450, 1, n, len(shapes), len(scalars), len(code), 0, 0), *(struct.pack("<IHHII", 0, I64, *t) for t in touches),
                     *(struct.pack("<IIHHI", r, c, I64, 4, 0) for r, c in shapes), *(struct.pack("<IHHQ", 0, I64, *s) for s in scalars), *code])


def wrapped(v):
    return ((v & (1 << 64) - 1) ^ 1 << 63) - (1 << 63)


def run(touches, number, tiles):
    """tiles[k]: the elements that the task finds in parameter k; yields (k, elements that it leaves) in the order of writing."""
    mix, tiles = number, [tile if t[0] & READ else [0] * len(tile) for t, tile in zip(touches, tiles)]
    for t, tile in zip(touches, tiles):
        mix = wrapped(mix * 31 + sum(tile)) if t[0] & READ else mix
    for k, (access, *shape) in enumerate(touches):
        if access & WRITE:
            mix = wrapped(mix * 31)
            alike = [tile for t, tile in zip(touches, tiles) if t == (READ, *shape)]
            yield k, [wrapped(3 * v + mix + sum(tile[i] for tile in alike)) for i, v in enumerate(tiles[k])]


def run_corpus(body, tiles):
    """The same for a kernel of corpus.py: (parameter, the one that it is made from or None, factor, constant) of each tile that it writes; f32, rounded after each step."""
    for k, source, factor, constant in body:
        found = [0.0] * len(tiles[k]) if source is None else tiles[source]
        yield k, [rounded(rounded(v * factor) + constant) for v in found]


def rounded(v):
    return struct.unpack("<f", struct.pack("<f", v))[0]


def memory(program):
    """Of a program whose kernels compute, else None."""
    computes = any(p.get("kind") == "scalar" for p in program.rows("KPRM")) or any("body" in k for k in program.rows("KREG"))
    return Memory(program) if computes else None


class Memory:
    """What tensors hold: bound ones begin as 0, 1, 2 ..., temp ones as zeros. A version begins as zeros, and behind its scope its place shows the tensor itself again."""

    def __init__(self, program):
        self.program, self.written, self.versions = program, {}, {}

    def begin(self, tensor, elements):
        self.versions.update(((tensor, e), 0) for e in elements)

    def end(self, tensor, elements):
        for e in elements:
            del self.versions[tensor, e]

    def read(self, tensor, elements):
        bound = self.program.rows("TENS")[tensor].get("role") != "temp"
        return [self.versions.get((tensor, e), self.written.get((tensor, e), e if bound else 0)) for e in sorted(elements)]

    def write(self, tensor, elements, values):
        for place, v in zip(((tensor, e) for e in sorted(elements)), values):
            (self.versions if place in self.versions else self.written)[place] = v

    def run(self, task):
        """The body of a task; its accesses are in the order of the kernel's parameters."""
        places = [x[1:3] for x in task.accesses]
        tiles = [self.read(*place) for place in places]
        if task.kernel is None:
            self.write(*places[1], tiles[0])
            return
        kernel = self.program.rows("KREG")[task.kernel]
        touches = [(p["access"], p["rows"], p["columns"]) for p in self.program.run_of("KPRM", kernel, "params", "param_count") if p["kind"] == "tensor"]
        for k, values in run_corpus(kernel["body"], tiles) if "body" in kernel else run(touches, task.number, tiles):
            self.write(*places[k], values)

    def left(self, tasks):
        """What a run leaves in each tensor that is bound: all of it, or, where a tensor has no bounds, as far as tasks touch it."""
        rows = self.program.rows("TENS")
        sizes = [math.prod(self.program.rows("EXPR")[d["extent"]]["value"] for d in self.program.run_of("DIMS", row, "dims", "dim_count")) for row in rows]
        touched = [max([max(x[2]) + 1 for t in tasks for x in t.accesses if x[1] == i and x[2]], default=0) if size >= UNBOUND else size for i, size in enumerate(sizes)]
        return {row["name"]: self.read(i, range(touched[i])) for i, row in enumerate(rows) if row.get("role") != "temp" and touched[i]}
