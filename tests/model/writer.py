# SPDX-License-Identifier: MIT
"""writer.py - tables of one package in JSON form, and the structure of its bytecode."""
import base64
import contextlib
import random
import struct

import bodies

F32, READ, WRITE = 0, 1, 2
TABLES = ("KREG", "KPRM", "KPAY", "KVAR", "TENS", "DIMS", "SLOT", "EXPR", "AXES", "AXVL", "TLVL", "LVLS", "REGN", "ENTR", "SCHD",
          "EVNT", "CSPC", "PROC", "PRCH")


def tile_program(touches, sums=False):
    """A portable kernel whose parameter k reads and writes touches[k] = (access, rows, columns) from its start; sums: what it writes is what it reads, added up, and all
    have one shape."""
    code = []
    for op, access in ((0x01, READ), (0x02, WRITE)):
        if sums and access == WRITE:
            code += [struct.pack("<BBHHHHHHHII", 0x20, 0, 0, d, 0, d, a, 0, 0, 0, 0) for d, to in enumerate(touches) if to[0] & WRITE
                     for a, of in enumerate(touches) if a != d and of[0] & READ]
        code += [struct.pack("<BBHHHHHHHII", op, 0, 0, k, 0, k, 0, 0, 0, 0, 0) for k, t in enumerate(touches) if t[0] & access]
    code.append(struct.pack("<BBHHHHHHHII", 0x9C, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    head = struct.pack("<8I", 0x544F5450, 1, len(touches), len(touches), 1, len(code), 0, 0)
    params = b"".join(struct.pack("<IHHII", 0, F32, *t) for t in touches)
    shapes = b"".join(struct.pack("<IIHHI", r, c, F32, 4, 0) for _, r, c in touches)
    zero = struct.pack("<IHHQ", 0, 7, 1, 0)  # the literal 0, an index
    return head + params + shapes + zero + b"".join(code)


class Writer:
    """Methods answer rows; `with` what has a body."""

    def __init__(self, seed=0):
        self.rng = random.Random(seed)
        self.t = {k: [] for k in TABLES}
        self.dtype, self.bodies = "f32", False  # bodies: kernels compute (bodies.py), and take the number of their task
        self.code, self.blob, self.axes, self.kernels, self.consts = [], b"", [], {}, {}

    def row(self, table, **fields):
        self.t[table].append(fields)
        return len(self.t[table]) - 1

    def row_of(self, table, name):
        return next(i for i, r in enumerate(self.t[table]) if r["name"] == name)

    def expr(self, op, *operands, **leaf):
        return self.row("EXPR", op=op, **dict(zip("abc", operands)), **leaf)

    def const(self, v):
        if v not in self.consts:
            self.consts[v] = self.expr("const", value=v)
        return self.consts[v]

    def tensor(self, name, rows, columns, role="inout", dtype=None):
        dims = [self.row("DIMS", extent=self.const(n)) for n in (rows, columns)]
        row = len(self.t["TENS"])
        return self.row("TENS", name=name, dtype=dtype or self.dtype, role=role, location="gm", dims=dims[0], dim_count=2, position=row)

    def slot(self, name, value, kind="slot"):
        return self.row("SLOT", name=name, kind=kind, dtype="i64", flags=1, value=value)

    def kernel(self, cycles, unit, touches, variants=(), blockdim=0, sums=False):
        """Operand of TASK; variants: (level, row of another kernel)."""
        key = (cycles, unit, tuple(touches), tuple(variants), blockdim, sums)
        if key not in self.kernels:
            name = f"k{len(self.kernels)}"
            code = bodies.tile_program(touches) if self.bodies else tile_program(touches, sums)
            self.blob += b"\0" * (-len(self.blob) % 64)
            pay = self.row("KPAY", kind="pto", unit=unit, offset=len(self.blob), size=len(code), cycles=cycles)
            self.blob += code
            first = len(self.t["KPRM"])
            for k, (access, r, c) in enumerate(touches):
                self.row("KPRM", name=f"p{k}", kind="tensor", dtype=self.dtype, access=access, rows=r, columns=c)
            if self.bodies:
                self.row("KPRM", name="number", kind="scalar", dtype="i64")
            rows = [self.row("KVAR", rows=level, kernel=f"k{other}") for level, other in variants]
            self.row("KREG", name=name, unit=unit, params=first, param_count=len(touches) + self.bodies, payloads=pay, payload_count=1,
                     variants=rows[0] if rows else 0, variant_count=len(rows), **({"blockdim": blockdim} if blockdim else {}))
            self.kernels[key] = len(self.kernels)
        return self.kernels[key]

    # ---- instructions ---------------------------------------------------------------------------------------------

    def put(self, *instruction):
        self.code.append(list(instruction))

    @contextlib.contextmanager
    def body(self, op, one=0):
        at = len(self.code)
        self.put(op, one, None)
        yield
        self.code[at][2] = len(self.code)

    @contextlib.contextmanager
    def while_body(self, expression):
        self.put("while", 0, expression)
        with self.body("target"):
            yield

    def parts(self, op, one, two, bodies):
        at = len(self.code)
        self.put(op, one, two)
        self.code += [["target", 0, None] for _ in bodies]
        for k, body in enumerate(bodies):
            body()
            self.code[at + 1 + k][2] = len(self.code)

    def axis(self, name, high, step=1, **fields):
        """Operand of loops; high: a number or {"expr": row}."""
        bound = high["expr"] if isinstance(high, dict) else self.const(high)
        row = dict({"name": name, "kind": "dense", "low": self.const(0), "high": bound, "step": self.const(step)}, **fields)
        self.axes.append(self.row("AXES", **row))
        return len(self.axes) - 1

    def directive(self, name, policy, *arguments):
        self.row("SCHD", directive=name, policy=policy, arguments=list(arguments))

    def channel(self, name, capacity, latency, kind="token"):
        return self.row("CSPC", name=name, capacity=capacity, latency=latency, kind=kind)

    @contextlib.contextmanager
    def process(self, name, produces=(), consumes=(), replicas=1):
        """Its body; channels are rows of CSPC."""
        first = len(self.t["PRCH"])
        for direction, channels in (("produces", produces), ("consumes", consumes)):
            for c in channels:
                self.row("PRCH", channel=c, direction=direction)
        self.row("PROC", name=name, instruction=len(self.code), replicas=replicas, order=len(self.t["PROC"]), channels=first,
                 channel_count=len(self.t["PRCH"]) - first)
        yield
        self.put("halt")

    def package(self, name="random"):
        t = {"schema": "ptowsp.package/1"} | {k: v for k, v in self.t.items() if v}
        t["META"] = {"name": name}
        t["CODE"] = base64.b64encode(self.blob).decode()
        t["WORK"] = {"axes": self.axes, "kernels": [f"k{i}" for i in range(len(self.kernels))], "tensors": [],
                     "instructions": self.code}
        return t
