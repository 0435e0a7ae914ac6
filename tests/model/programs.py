# SPDX-License-Identifier: MIT
"""programs.py - random packages in JSON form: loop nests, regions, scopes, slots, policies, windows; a seed gives one program."""
import base64
import random
import struct

F32, READ, WRITE = 0, 1, 2


def tile_program(touches):
    """A portable kernel whose parameter k reads and writes touches[k] = (access, rows, columns) from its start."""
    code = []
    for k, (access, _, _) in enumerate(touches):
        if access & READ:
            code.append(struct.pack("<BBHHHHHHHII", 0x01, 0, 0, k, 0, k, 0, 0, 0, 0, 0))
    for k, (access, _, _) in enumerate(touches):
        if access & WRITE:
            code.append(struct.pack("<BBHHHHHHHII", 0x02, 0, 0, k, 0, k, 0, 0, 0, 0, 0))
    code.append(struct.pack("<BBHHHHHHHII", 0x9C, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    head = struct.pack("<8I", 0x544F5450, 1, len(touches), len(touches), 1, len(code), 0, 0)
    params = b"".join(struct.pack("<IHHII", 0, F32, *t) for t in touches)
    shapes = b"".join(struct.pack("<IIHHI", r, c, F32, 4, 0) for _, r, c in touches)
    zero = struct.pack("<IHHQ", 0, 7, 1, 0)  # the literal 0, an index
    return head + params + shapes + zero + b"".join(code)


class Writer:
    """Tables of one package; methods answer rows."""

    def __init__(self, rng):
        self.rng = rng
        self.t = {k: [] for k in ("KREG", "KPRM", "KPAY", "KVAR", "TENS", "DIMS", "SLOT", "EXPR", "AXES", "TLVL", "LVLS",
                                  "REGN", "ENTR", "SCHD")}
        self.code, self.blob, self.axes, self.kernels = [], b"", [], {}

    def row(self, table, **fields):
        self.t[table].append(fields)
        return len(self.t[table]) - 1

    def expr(self, op, *operands, **leaf):
        return self.row("EXPR", op=op, **dict(zip("abc", operands)), **leaf)

    def const(self, v):
        return self.expr("const", value=v)

    def kernel(self, cycles, unit, touches):
        key = (cycles, unit, tuple(touches))
        if key not in self.kernels:
            name = f"k{len(self.kernels)}"
            code = tile_program(touches)
            self.blob += b"\0" * (-len(self.blob) % 64)
            pay = self.row("KPAY", kind="pto", unit=unit, offset=len(self.blob), size=len(code), cycles=cycles)
            self.blob += code
            first = len(self.t["KPRM"])
            for k, (access, r, c) in enumerate(touches):
                self.row("KPRM", name=f"p{k}", kind="tensor", dtype="f32", access=access, rows=r, columns=c)
            self.row("KREG", name=name, unit=unit, params=first, param_count=len(touches), payloads=pay, payload_count=1)
            self.kernels[key] = len(self.kernels)
        return self.kernels[key]

    def package(self):
        t = {"schema": "ptowsp.package/1"} | {k: v for k, v in self.t.items() if v}
        t["META"] = {"name": "random"}
        t["CODE"] = base64.b64encode(self.blob).decode()
        t["WORK"] = {"axes": self.axes, "kernels": [f"k{i}" for i in range(len(self.kernels))], "tensors": [],
                     "instructions": self.code}
        return t


class Generator(Writer):
    def __init__(self, seed):
        super().__init__(random.Random(seed))
        rng = self.rng
        self.by_unit = rng.random() < 0.25
        self.flat = rng.random() < 0.3
        self.tensor_count, self.side = rng.randint(1, 3), 8
        self.zero, self.one, self.eight = self.const(0), self.const(1), self.const(self.side)
        for i in range(self.tensor_count):
            dims = [self.row("DIMS", extent=self.eight) for _ in range(2)]
            self.row("TENS", name=f"t{i}", dtype="f32", role="inout", location="gm", dims=dims[0], dim_count=2, position=i)
        for i in range(2):
            self.row("SLOT", name=f"s{i}", kind="slot", dtype="i64", flags=1, value=rng.randint(0, 3))
        self.row("SLOT", name="n", kind="symbol", dtype="i64", flags=1, value=rng.randint(1, 4))
        self.budget = rng.randint(20, 200)  # tasks, at most, roughly
        self.block(0, 1, rng.randint(1, 4))
        self.code.append(["halt"])
        self.row("ENTR", name="main", flags=1)
        self.schedule()

    # ---- statements -----------------------------------------------------------------------------------------------

    def block(self, depth, weight, statements):
        for _ in range(statements):
            if self.budget < weight:
                return
            kinds = ["task"] * 6
            if depth < 4:
                kinds += ["loop"] * 4 + ["scope"] + ["cond"] * 2 + ["sequential", "combine"]
            kinds += ["slot_set", "slot_load"]
            getattr(self, "put_" + self.rng.choice(kinds))(depth, weight)

    def put_task(self, depth, weight):
        rng, ios, touches = self.rng, [], []
        self.budget -= weight
        for k in range(rng.randint(0, 3)):
            op = rng.choice(["io_input", "io_output", "io_inout", "io_input"])
            access = {"io_input": READ, "io_output": WRITE, "io_inout": READ | WRITE}[op]
            region, shape = self.region(depth)
            ios.append([op, k, region])
            touches.append((access, *shape))
        unit = rng.choice(["aiv", "aic", "any"]) if self.by_unit else "any"
        kernel = self.kernel(rng.choice([1, 1, 2, 3, 5, 10]), unit, touches)
        self.code += [["task", kernel, [0, len(ios)]]] + ios

    def region(self, depth):
        rng = self.rng
        tensor = rng.randrange(self.tensor_count)
        if self.flat:
            n = rng.choice([4, 8, 8, 16])
            steps = 64 // 8 - n // 8 if n > 8 else 7
            row = self.index(depth, steps + 1)
            column = self.zero if rng.random() < 0.8 or n > 4 else self.const(4)
            return self.row("REGN", tensor=f"t{tensor}", row=row, column=column, unit=8), (1, n)
        rows, columns = rng.choice([1, 2, 4]), rng.choice([8, 8, 4, 2])
        row = self.index(depth, self.side - rows + 1)
        column = self.zero if columns == 8 else self.const(rng.randint(0, self.side - columns))
        return self.row("REGN", tensor=f"t{tensor}", row=row, column=column, rows=rows, columns=columns), (rows, columns)

    def index(self, depth, limit):
        """An expression in 0 .. limit - 1 over the loops around."""
        rng = self.rng
        if not depth or rng.random() < 0.25:
            return self.const(rng.randrange(limit))
        value = self.expr("loop", depth=rng.randrange(depth))
        if rng.random() < 0.5:
            value = self.expr("*", value, self.const(rng.randint(1, 4)))
        if depth > 1 and rng.random() < 0.3:
            value = self.expr("+", value, self.expr("loop", depth=rng.randrange(depth)))
        return self.expr("%", value, self.const(limit))

    def put_loop(self, depth, weight):
        rng = self.rng
        n = rng.randint(0, 5)
        if weight * max(n, 1) > self.budget:
            return self.put_task(depth, weight)
        high = self.const(n)
        if rng.random() < 0.2:
            high = self.expr("value", slot="n")
        elif rng.random() < 0.1:
            high = self.expr("&", self.expr("value", slot=rng.choice(["s0", "s1"])), self.const(3))
        self.row("AXES", name=rng.choice("ijq"), kind="dense", low=self.zero, high=high, step=self.const(rng.choice([1, 1, 1, 2])))
        self.axes.append(len(self.t["AXES"]) - 1)
        at = len(self.code)
        self.code.append([rng.choice(["parallel_for", "parallel_for", "for_each"]), len(self.axes) - 1, None])
        self.block(depth + 1, weight * max(n, 1), rng.randint(1, 3))
        self.code[at][2] = len(self.code)

    def put_scope(self, depth, weight):
        at = len(self.code)
        self.code.append(["scope", 0, None])
        self.block(depth, weight, self.rng.randint(1, 3))
        self.code[at][2] = len(self.code)

    def parts(self, depth, weight, op, one, two, count):
        at = len(self.code)
        self.code.append([op, one, two])
        self.code += [["target", 0, None] for _ in range(count)]
        for k in range(count):
            self.block(depth, weight, self.rng.randint(0 if op == "cond" else 1, 2))
            self.code[at + 1 + k][2] = len(self.code)

    def put_cond(self, depth, weight):
        value = self.expr("value", slot=self.rng.choice(["s0", "s1", "n"]))
        self.parts(depth, weight, "cond", 0, self.expr(">", value, self.const(self.rng.randint(0, 2))), 2)

    def put_sequential(self, depth, weight):
        n = self.rng.randint(2, 3)
        self.parts(depth, weight, "sequential", n, 0, n)

    def put_combine(self, depth, weight):
        n = self.rng.randint(2, 3)
        self.parts(depth, weight, "combine", n, 0, n)

    def put_slot_set(self, depth, weight):
        rng = self.rng
        value = self.expr("+", self.expr("value", slot=rng.choice(["s0", "s1"])), self.const(rng.randint(0, 2)))
        self.code.append(["slot_set", self.slot(rng.choice(["s0", "s1"])), self.expr("&", value, self.const(3))])

    def put_slot_load(self, depth, weight):
        tensor = self.rng.randrange(self.tensor_count)
        region = self.row("REGN", tensor=f"t{tensor}", row=self.index(depth, self.side), column=self.zero, rows=1, columns=1)
        self.code.append(["slot_load", self.slot(self.rng.choice(["s0", "s1"])), region])

    def slot(self, name):
        return next(i for i, s in enumerate(self.t["SLOT"]) if s["name"] == name)

    # ---- schedule -------------------------------------------------------------------------------------------------

    def directive(self, name, policy, *arguments):
        self.row("SCHD", directive=name, policy=policy, arguments=list(arguments))

    def schedule(self):
        rng = self.rng
        if rng.random() < 0.5:
            self.directive("deps", rng.choice(["tensor_map_exact", "tensor_map_exact", "bytes_overlap", "explicit"]))
        if rng.random() < 0.3:
            self.directive("hazards", "raw")
        if rng.random() < 0.7:
            self.directive("task_window", rng.choice(["stall"] * 6 + ["abort"]), rng.choice([1, 2, 3, 4, 5, 8, 8, 16, 16, 32, 0]))
        if self.by_unit:
            self.directive("pools", "by_exec_unit")
        n = rng.randint(1, 4)
        axis = self.expr("axis", name=rng.choice("ijq"))
        kind = rng.choice(["round_robin", "work_steal", "affinity", "hash", "custom", None])
        if kind in ("round_robin", "work_steal"):
            self.directive("dispatch", kind, n)
        elif kind == "affinity":
            self.directive("dispatch", kind, rng.choice("ijq"), n)
        elif kind:
            self.directive("dispatch", kind, {"expr": axis}, n)
        if rng.random() < 0.25:
            self.directive("pipeline_depth", "depth", *rng.choice([[], ["global"], ["pool"], ["i"]]), rng.randint(1, 3))
        if rng.random() < 0.2:
            self.directive("streams", "count", rng.randint(1, 3))
        if rng.random() < 0.2:
            self.directive("issue_cost", "cycles", rng.randint(1, 3))
        if rng.random() < 0.25:
            self.directive("tensor_map", "capacity", rng.randint(3, 8))
        if rng.random() < 0.25:
            self.directive("dep_list", "capacity", rng.randint(3, 8))
        if rng.random() < 0.2:
            self.directive("ready_queue", "capacity", rng.randint(1, 3))


def generate(seed):
    return Generator(seed).package()
