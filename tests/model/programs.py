# SPDX-License-Identifier: MIT
"""programs.py - random packages in JSON form; a seed and a set of families give one program.

What every program draws from: loop nests, regions, scopes, predicates, slots, policies, windows, pools. A family adds to that:
"""
import contextlib

from writer import READ, WRITE, Writer

FAMILIES = {
    "small": "every resource at its minimum or close to it, so that nearly every task stalls",
    "deep": "nests of up to ten",
    "levels": "adaptive tile levels and kernels for them",
    "bounds": "regions and axes that a slot may move outside",
    "policies": "static_partition, spatial_map, stream_by, several pipeline depths, rate_limit, batches",
    "axes": "ragged, sparse and dynamic axes, select, axis words",
    "while": "while and break",
    "after": "explicit edges, under every deps",
    "sync": "signal, wait, barrier, fence, copy",
    "heap": "alloc and free",
    "temp": "temp tensors, renamed or not, in a small arena",
    "start": "start(threshold n) and start(after_orchestration)",
    "auto": "dispatch auto(n)",
    "scalars": "every operator of expressions, in conditions, slots, indices and policies; loops from below 0; nop",
    "units": "kernels for every unit, blockdim; capacities of channels from the schedule",
    "interleaved": "timing interleaved; branches without scopes and orders of their own",
    "filter": "dispatch_filter with one instance",
    "csp": "channels and processes",
    "payload": "channels that carry blocks of elements; brings csp with it",
    "many": "a grid of up to 32 blocks that do not wait for each other, one executor each, or places of a grid that a slot picks; nothing else",
    "parts": "regions of which a run says how many rows and columns are there",
    "narrow": "windows, depths, streams, batches and capacities of channels that are stated, and small",
    "bodies": "kernels compute on 64-bit integers, slots are loaded from what they leave, and memory is compared",
    "instances": "what several scheduler instances can run; all programs then are such",
}
ALONE = {"auto", "csp", "filter", "heap", "interleaved", "payload", "start", "sync", "temp"}  # what they cannot, or the model of them does not


class Generator(Writer):
    def __init__(self, seed, families=()):
        super().__init__(f"{seed} {' '.join(sorted(families))}" if families else seed)
        rng = self.rng
        self.on = {f for f in sorted(families) if rng.random() < (0.8 if len(families) == 1 else 0.4)}
        if "payload" in self.on:
            self.on.add("csp")
        if "instances" in families:
            self.on = self.on - ALONE | {"instances"}
        if "csp" in self.on:
            self.on.discard("start")  # a pipeline cannot be built before it runs; what a threshold means there is not stated
        if "bodies" in families:
            self.on.add("bodies")
        if {"many", "instances", "heap"} & self.on:
            self.on.discard("bodies")
        self.bodies, self.dtype = ("bodies" in self.on), "i64" if "bodies" in self.on else "f32"
        self.by_unit = rng.random() < 0.25 and "csp" not in self.on
        self.flat = rng.random() < 0.3
        self.tensor_count, self.side, self.level = rng.randint(1, 3), 8, 0
        self.breakable = self.whiles = self.events = self.branched = 0
        self.heap_tensor, self.depth_limit = None, 10 if "deep" in self.on else 4
        for i in range(self.tensor_count):
            self.tensor(f"t{i}", self.side, self.side)
        for i in range(2):
            self.slot(f"s{i}", rng.randint(0, 3))
        self.slot("n", rng.randint(1, 4), "symbol")
        self.budget = rng.randint(20, 200)  # tasks, at most, roughly
        if "many" in self.on:
            return self.many()
        self.prepare()
        self.axis_words()
        if "csp" not in self.on or rng.random() < 0.2:
            self.block(0, 1, rng.randint(1, 6))
        self.put("halt")
        if "csp" in self.on:
            self.pipeline()
        self.row("ENTR", name="main", flags=5 if "csp" in self.on else 1)
        self.schedule()

    def many(self):
        """Blocks of t2 that sum blocks of t0 and t1 over some steps, some of which other blocks read, too; each step may store a block of t3."""
        rng = self.rng
        down, across = rng.choice([(2, 2), (4, 2), (3, 3), (4, 3), (4, 4), (4, 4), (2, 8), (5, 4), (4, 8), (8, 4), (1, 16)])
        steps, (rows, columns) = rng.randint(1, 4), rng.choice([(2, 4), (4, 4), (4, 8), (1, 8), (8, 2)])
        self.t["TENS"].clear()
        self.t["DIMS"].clear()
        for name in ("t0", "t1", "t2", "t3"):
            self.tensor(name, max(down, steps) * rows, max(across, steps) * columns)
        m, n, k = (self.expr("loop", depth=d) for d in range(3))

        def block(name, i, j):
            return self.row("REGN", tensor=name, row=self.expr("*", i, self.const(rows)), column=self.expr("*", j, self.const(columns)), rows=rows, columns=columns)

        def task(*uses):
            self.put("task", self.kernel(1, "any", [(access, rows, columns) for access, _ in uses], sums=True), [0, len(uses)])
            for at, (access, region) in enumerate(uses):
                self.put({READ: "io_input", WRITE: "io_output", READ | WRITE: "io_inout"}[access], at, region)

        first, second = block("t0", m, rng.choice([k, n])), block("t1", *rng.choice([(k, n), (m, n), (m, k)]))
        with self.body("parallel_for", self.axis("i", down)), self.body("parallel_for", self.axis("j", across)):
            if rng.random() < 0.7:
                task((WRITE, block("t2", m, n)))
            with self.body("parallel_for", self.axis("q", steps)):
                reads = [(READ, first), (READ, second)][:rng.choice([1, 2, 2])]
                task(*reads, (READ | WRITE, block("t2", m, n)))
                if rng.random() < 0.3:
                    task((READ, block("t2", m, n)), (WRITE, block("t3", m, n)))
        self.put("halt")
        self.row("ENTR", name="main", flags=1)
        own = self.expr("+", self.expr("*", self.expr("axis", name="i"), self.const(across)), self.expr("axis", name="j"))
        how = rng.random()
        if how < 0.7:
            self.directive("dispatch", "custom", {"expr": own}, down * across)
        elif how < 0.9:  # a grid by the value of a slot
            self.directive("dispatch", "threshold", {"expr": self.expr("value", slot="n")}, f"spatial_map({rng.choice((1, 2, down))},{rng.choice((1, 2))})",
                           rng.randint(1, 4), f"spatial_map({down},{across})")

    def prepare(self):
        """Tables that families need."""
        rng = self.rng
        if "sync" in self.on:
            self.events = [self.row("EVNT", name=f"e{i}") for i in range(2)]
        if "heap" in self.on:
            for i in range(2):
                self.tensor(f"h{i}", rng.choice([2, 4]), 8)
        if "temp" in self.on:
            self.tile = rng.choice([(2, 8), (4, 4), (1, 8)])
            for i in range(2):
                self.tensor(f"z{i}", 8, 8, role="temp")
        if "parts" in self.on:  # cut into tiles, the last ones of which are there in part
            self.cut, self.cuts = rng.choice([(3, 8), (3, 3), (4, 5), (5, 8), (7, 2)]), {}
            self.tensor("p0", 8, 8)
        if "while" in self.on:
            for i in range(self.depth_limit + 1):
                self.slot(f"w{i}", 0)

    # ---- statements -----------------------------------------------------------------------------------------------

    def block(self, depth, weight, statements, extra=()):
        kinds = ["task"] * 6 + ["slot_set", *["slot_load"] * (not {"auto", "instances"} & self.on)] + list(extra)  # auto looks no further than to a load
        if self.level + depth < self.depth_limit:
            kinds += (["loop"] * 4 + ["scope"] + ["cond"] * 2 + ["sequential", "combine"]) * (1 + 2 * ("deep" in self.on))
            kinds += ["while"] * 2 * ("while" in self.on) + ["tiles"] * 3 * ("levels" in self.on)
            kinds += ["ragged", "sparse", "sparse"] * ("axes" in self.on)
        kinds += ["nop"] * ("scalars" in self.on)
        kinds += ["break"] * ("while" in self.on and self.breakable > 0) + ["filter"] * ("filter" in self.on)
        kinds += ["signal", "barrier", "fence"] * ("sync" in self.on)
        kinds += ["copy"] * ("sync" in self.on and not (self.by_unit and "auto" in self.on))  # a copy has no unit: see put_task
        kinds += ["wait"] * ("sync" in self.on and "start" not in self.on)  # what a graph in memory waits for is not stated
        kinds += ["heap"] * 2 * ("heap" in self.on)
        for _ in range(statements):
            if self.budget < weight:
                return
            getattr(self, "put_" + self.rng.choice(kinds))(depth, weight)

    def inner(self, depth, weight, most, loop=0, least=1):
        """A body, in which a BREAK is possible if it is a loop or inside one."""
        outer, self.breakable = self.breakable, 1 if loop else self.breakable
        self.block(depth + (loop > 0), weight, self.rng.randint(least, most))
        self.breakable = outer

    def put_task(self, depth, weight):
        rng, ios, touches = self.rng, [], []
        self.budget -= weight
        for k in range(rng.randint(0, 3)):
            op = rng.choice(["io_input", "io_output", "io_inout", "io_input"])
            access = {"io_input": READ, "io_output": WRITE, "io_inout": READ | WRITE}[op]
            cut = "parts" in self.on and not self.flat and not self.bodies and rng.random() < 0.5 and not any(region in self.cuts for _, _, region in ios)
            region, shape = self.cut_region(depth) if cut else self.region(depth)
            ios.append([op, k, region])
            touches.append((access, *shape))
        unit = rng.choice(["aiv", "aic", "any"] + ["aic_aiv", "host", "aicpu", "aie_core"] * ("units" in self.on)) if self.by_unit else "any"  # where `any` goes depends on time, which auto does not ask
        unit = "aic" if self.by_unit and unit == "any" and "auto" in self.on else unit
        cycles, variants = rng.choice([1, 1, 2, 3, 5, 10]), ()
        cut = [region for _, _, region in ios if region in getattr(self, "cuts", ())]
        if "levels" in self.on and not cut and rng.random() < 0.4:
            other = [(access, r, c) for access, r, c in touches]
            variants = [(level, self.kernel(rng.randint(1, 9), unit, other)) for level in (64, 128) if rng.random() < 0.6]
        self.code += [["task", self.kernel(cycles, unit, touches, variants, rng.choice([0, 1, 2, 3]) if "units" in self.on and not self.bodies else 0), [int(self.bodies), len(ios)]]]
        self.code += [["param_expr", 0, self.expr("task")]] * self.bodies + ios
        for k, region in enumerate(region for _, _, region in ios if cut):
            for word, rest in self.cuts.get(region, ()):
                self.put(word, k, rest)
        apart = len({self.t["REGN"][region]["tensor"] for _, _, region in ios}) == len(ios)  # parts that meet are refused where kernels run
        if "parts" in self.on and apart and not self.bodies and not variants and not cut:
            for (_, k, _), (_, rows, columns) in zip(ios, touches):
                for word, most in (("io_rows", rows), ("io_columns", columns)):
                    if not self.flat and rng.random() < 0.4:
                        self.put(word, k, self.expr("+", self.index(depth, most), self.const(1 if rng.random() < 0.99 else 0)))
        if "after" in self.on:
            for _ in range(rng.choice([0, 1, 1, 2])):
                back = self.expr("-", self.expr("task"), self.const(rng.randint(1, 6)))
                self.put("after", rng.choice([0, 0, 1, 2, 3]), back if rng.random() < 0.98 else self.const(rng.randint(-1, 30)))

    def region(self, depth):
        rng = self.rng
        if self.heap_tensor and rng.random() < 0.5:
            return self.row("REGN", tensor=self.heap_tensor, row=self.index(depth, 2), column=self.const(0), rows=1, columns=8), (1, 8)
        if "temp" in self.on and rng.random() < 0.6:
            return self.temp_region(depth)
        tensor = rng.randrange(self.tensor_count)
        if self.flat:
            n = rng.choice([4, 8, 8, 16])
            steps = 64 // 8 - n // 8 if n > 8 else 7
            row = self.index(depth, steps + 1)
            column = self.const(0 if rng.random() < 0.8 or n > 4 else 4)
            return self.row("REGN", tensor=f"t{tensor}", row=row, column=column, unit=8), (1, n)
        rows, columns = rng.choice([1, 2, 4]), rng.choice([8, 8, 4, 2])
        row = self.index(depth, self.side - rows + 1)
        if "bounds" in self.on and rng.random() < 0.15:
            row = self.expr("-", self.expr("*", self.expr("value", slot="s0"), self.const(rng.randint(1, 3))), self.const(rng.choice([0, 0, 0, 1])))
        column = self.const(0 if columns == 8 else rng.randint(0, self.side - columns))
        return self.row("REGN", tensor=f"t{tensor}", row=row, column=column, rows=rows, columns=columns), (rows, columns)

    def temp_region(self, depth):
        """A tile on the grid of z0, which is renamed; of z1 sometimes one between its tiles, and then z1 is not."""
        rng, (rows, columns) = self.rng, self.tile
        tensor = rng.randrange(2)
        row = self.expr("*", self.index(depth, 8 // rows), self.const(rows))
        if tensor and rows > 1 and rng.random() < 0.2:
            row = self.const(1)
        column = self.const(columns * rng.randrange(8 // columns))
        return self.row("REGN", tensor=f"z{tensor}", row=row, column=column, rows=rows, columns=columns), (rows, columns)

    def cut_region(self, depth):
        """A tile of p0, as far as the tensor goes; rarely less, or between two tiles."""
        rng, (rows, columns) = self.rng, self.cut
        places = [self.expr("*", self.index(depth, -(-8 // most)), self.const(most)) for most in self.cut]
        if rng.random() < 0.1:
            places[0] = self.index(depth, 8)
        region = self.row("REGN", tensor="p0", row=places[0], column=places[1], rows=rows, columns=columns)
        self.cuts[region] = [(word, self.expr("min", *rng.sample([self.const(most), self.expr("-", self.const(8 if rng.random() < 0.97 else 7), place)], 2)))
                             for word, most, place in zip(("io_rows", "io_columns"), self.cut, places)]
        return region, (rows, columns)

    def index(self, depth, limit):
        """An expression in 0 .. limit - 1 over the loops around."""
        rng = self.rng
        if not depth or rng.random() < 0.25:
            return self.const(rng.randrange(limit))
        value = self.expr("loop", depth=rng.randrange(depth))
        if "scalars" in self.on and rng.random() < 0.3:
            return self.expr("%", self.expr("&", self.scalar(depth), self.const(255)), self.const(limit))
        if rng.random() < 0.5:
            value = self.expr("*", value, self.const(rng.randint(1, 4)))
        if depth > 1 and rng.random() < 0.3:
            value = self.expr("+", value, self.expr("loop", depth=rng.randrange(depth)))
        return self.expr("%", value, self.const(limit))

    def scalar(self, depth, most=3):
        """Any expression over loops, slots and the task's number; rarely one that divides by zero."""
        rng = self.rng
        if not most or rng.random() < 0.25:
            leaves = [self.const(rng.randint(-3, 9)), self.expr("value", slot=rng.choice(["s0", "s1", "n"])), self.expr("axis", name=rng.choice("ijq"))]
            return rng.choice(leaves + [self.expr("loop", depth=rng.randrange(depth))] * 2 if depth else leaves)
        a, b = self.scalar(depth, most - 1), self.scalar(depth, most - 1)
        op = rng.choice(["+", "-", "*", "/", "%", "min", "max", "&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "neg", "~", "!", "select"])
        if op in ("neg", "~", "!"):
            return self.expr(op, a)
        if op in ("/", "%", "<<") and rng.random() < 0.97:
            b = self.const(rng.choice([-2, 1, 2, 3]) if op != "<<" else rng.randint(0, 70))
        return self.expr(op, a, b, self.scalar(depth, 0)) if op == "select" else self.expr(op, a, b)

    def put_nop(self, depth, weight):
        self.put("nop")

    def put_loop(self, depth, weight):
        rng = self.rng
        n = rng.randint(0, 5) if depth < 4 else rng.randint(1, 2)
        if weight * max(n, 1) > self.budget:
            return self.put_task(depth, weight)
        high, draw = n, rng.random()
        if draw < 0.2:
            high = {"expr": self.expr("value", slot="n")}
        elif draw < 0.3:
            high = {"expr": self.expr("&", self.expr("value", slot=rng.choice(["s0", "s1"])), self.const(3))}
        low = {"low": self.const(rng.randint(-1, 2))} if "scalars" in self.on and rng.random() < 0.3 else {}
        fields = low or {"kind": "dense_dyn"} if draw < 0.3 and "axes" in self.on and rng.random() < 0.5 else {}
        axis = self.axis(rng.choice("ijq"), high, rng.choice([1, 1, 1, 2]), **fields)
        with self.body(rng.choice(["parallel_for", "parallel_for", "for_each"]), axis):
            self.inner(depth, weight * max(n, 1), 3, loop=1)

    def put_tiles(self, depth, weight):
        """A loop with tile levels; blocks of 4 and 2 and single iterations."""
        rng = self.rng
        n = rng.randint(1, 9)
        if weight * n > self.budget:
            return self.put_task(depth, weight)
        levels = [self.row("LVLS", block=block, rows=rng.choice(rows)) for block, rows in ((4, (32, 64, 128)), (2, (32, 64)), (0, (32,)))
                  if rng.random() < 0.8]
        row = self.row("TLVL", max_range=4, min_range=rng.choice([2, 4]), first=levels[0] if levels else 0, count=len(levels))
        high = {"expr": self.expr("value", slot="n")} if rng.random() < 0.2 else n
        with self.body(rng.choice(["parallel_for", "parallel_for", "for_each"]), self.axis(rng.choice("ijq"), high, levels=row)):
            self.inner(depth, weight * n, 2, loop=1)

    def put_ragged(self, depth, weight, sparse=False):
        rng = self.rng
        lengths = [rng.randint(0, 3) for _ in range(rng.randint(1, 4))]
        if weight * 3 > self.budget:
            return self.put_task(depth, weight)
        values = [sum(lengths[:i]) for i in range(len(lengths) + 1)]
        values += [rng.randint(0, 7) for _ in range(values[-1])] if sparse else []
        rows = [self.row("AXVL", value=v) for v in values]
        row = self.index(depth, len(lengths) + (rng.random() < 0.02))
        if rng.random() < 0.2:
            row = self.expr("%", self.expr("value", slot="s0"), self.const(len(lengths)))
        axis = self.axis(rng.choice("ijq"), len(lengths), kind="sparse" if sparse else "ragged", row=row, first=rows[0], count=len(rows))
        with self.body("select" if sparse else rng.choice(["parallel_for", "for_each"]), axis):
            self.inner(depth, weight * 3, 2, loop=1)

    def put_sparse(self, depth, weight):
        self.put_ragged(depth, weight, sparse=True)

    def axis_words(self):
        """Statements of the entry about axes of its own."""
        rng = self.rng
        self.stated = []
        for i in range(rng.randint(0, 2) if "axes" in self.on else 0):
            axis = self.axis(rng.choice("ijq"), rng.randint(0, 5), kind="dense")
            self.put(*rng.choice([("axis_dense", axis, rng.randint(0, 4)), ("axis_dense_dyn", axis, self.row_of("SLOT", rng.choice(["n", "s0"])))]))
            self.stated.append(axis)

    def put_while(self, depth, weight):
        rng, slot = self.rng, f"w{self.whiles}"
        n = rng.randint(0, 4)
        if weight * max(n, 1) > self.budget or self.whiles >= self.depth_limit:
            return self.put_task(depth, weight)
        self.whiles, self.level = self.whiles + 1, self.level + 1
        row, value = self.row_of("SLOT", slot), self.expr("value", slot=slot)
        self.put("slot_set", row, self.const(n))
        with self.while_body(self.expr(">", value, self.const(0))):
            if rng.random() < 0.5:
                self.put("slot_set", row, self.expr("-", value, self.const(1)))
                self.loop_body(depth, weight * max(n, 1))
            else:
                self.loop_body(depth, weight * max(n, 1))
                self.put("slot_set", row, self.expr("-", value, self.const(1)))
        self.whiles, self.level = self.whiles - 1, self.level - 1

    def loop_body(self, depth, weight):
        outer, self.breakable = self.breakable, 1
        self.block(depth, weight, self.rng.randint(1, 2))
        self.breakable = outer

    def put_break(self, depth, weight):
        if "interleaved" in self.on and self.branched:
            return
        left = self.expr("loop", depth=depth - 1) if depth and self.rng.random() < 0.7 else self.expr("value", slot="s0")
        bodies = [lambda: self.put("break"), lambda: None]
        self.parts("cond", 0, self.expr("==", left, self.const(self.rng.randint(0, 3))), bodies)

    def put_filter(self, depth, weight):
        self.put("dispatch_filter", self.rng.choice([1, 3, 7]), self.index(depth, 4))

    def keeps_turn(self):
        """A scope or an order here would keep the turn of its branch in the core, which says so: the limit in plugins/rt/README.md."""
        return "interleaved" in self.on and self.branched > 0

    def body(self, op, one=0):
        return super().body("parallel_for" if op == "for_each" and self.keeps_turn() else op, one)

    def put_scope(self, depth, weight):
        if self.keeps_turn():
            return self.nested(depth, weight, 1, 3)
        with self.body("scope"):
            self.nested(depth, weight, 1, 3)

    def nested(self, depth, weight, least, most):
        self.level += 1
        self.block(depth, weight, self.rng.randint(least, most))
        self.level -= 1

    def put_cond(self, depth, weight):
        value = self.expr("value", slot=self.rng.choice(["s0", "s1", "n"]))
        condition = self.expr(">", value, self.const(self.rng.randint(0, 2)))
        condition = self.scalar(depth) if "scalars" in self.on and self.rng.random() < 0.5 else condition
        self.parts("cond", 0, condition, [lambda: self.nested(depth, weight, 0, 2)] * 2)

    def put_sequential(self, depth, weight):
        n = self.rng.randint(2, 3)
        if self.keeps_turn():
            return self.nested(depth, weight, 1, 2 * n)
        self.parts("sequential", n, 0, [lambda: self.nested(depth, weight, 1, 2)] * n)

    def put_combine(self, depth, weight):
        n = self.rng.randint(2, 3)
        self.branched += 1
        self.parts("combine", n, 0, [lambda: self.nested(depth, weight, 1, 2)] * n)
        self.branched -= 1

    # ---- slots, events, memory ------------------------------------------------------------------------------------

    def put_slot_set(self, depth, weight):
        rng = self.rng
        value = self.expr("+", self.expr("value", slot=rng.choice(["s0", "s1"])), self.const(rng.randint(0, 2)))
        value = self.scalar(depth) if "scalars" in self.on and rng.random() < 0.5 else value
        self.put("slot_set", self.row_of("SLOT", rng.choice(["s0", "s1"])), self.expr("&", value, self.const(3)))

    def put_slot_load(self, depth, weight):
        tensor = self.rng.randrange(self.tensor_count)
        region = self.row("REGN", tensor=f"t{tensor}", row=self.index(depth, self.side), column=self.const(0), rows=1, columns=1)
        self.put("slot_load", self.row_of("SLOT", self.rng.choice(["s0", "s1"])), region)

    def put_signal(self, depth, weight):
        for _ in range(self.rng.choice([1, 1, 2])):
            self.put("signal", 0, self.rng.choice(self.events))

    def put_wait(self, depth, weight):
        event = self.rng.choice(self.events)
        if self.rng.random() < 0.9:
            self.put("signal", 0, event)
            self.block(depth, weight, 1)
        self.put("wait", 0, event)

    def put_barrier(self, depth, weight):
        self.put("barrier")

    def put_fence(self, depth, weight):
        self.put("fence", self.rng.randrange(3))

    def put_copy(self, depth, weight):
        self.budget -= weight
        shape = self.rng.choice([(1, 8), (2, 4), (2, 8)])
        regions = [self.row("REGN", tensor=f"t{self.rng.randrange(self.tensor_count)}", row=self.index(depth, self.side - 1),
                            column=self.const(0), rows=shape[0], columns=shape[1]) for _ in range(2)]
        self.put("copy", 0, regions[0])
        self.put("io_output", 0, regions[1])

    def put_heap(self, depth, weight):
        if self.heap_tensor and self.rng.random() < 0.95:
            return self.put_task(depth, weight)
        outer, self.heap_tensor = self.heap_tensor, f"h{self.rng.randrange(2)}"
        if self.t["PROC"] and self.rng.random() < 0.9:  # mostly a tensor of the process alone
            self.heap_tensor = f"{self.t['PROC'][-1]['name']}_{self.heap_tensor}"
        if self.heap_tensor not in [t["name"] for t in self.t["TENS"]]:
            self.tensor(self.heap_tensor, self.rng.choice([2, 4]), 8)
        row = self.row_of("TENS", self.heap_tensor)
        self.put("alloc", 0, row)
        breakable, self.breakable = self.breakable, 0
        self.block(depth, weight, self.rng.randint(0, 3))
        self.put("free", 0, row)
        self.breakable, self.heap_tensor = breakable, outer if self.rng.random() < 0.97 else self.heap_tensor

    # ---- processes ------------------------------------------------------------------------------------------------

    def pipeline(self):
        """Stages joined by channels; the first sends, the last consumes."""
        rng = self.rng
        if rng.random() < 0.15:
            return self.ring()
        stages = rng.randint(1, 3)
        channels = [self.line(f"c{i}", rng.choice([0, 1, 1, 2, 3, 8]), rng.choice([0, 0, 1, 4])) for i in range(stages)]
        number = 0
        for stage in range(stages + 1):
            for _ in range(rng.choice([1, 1, 1, 2])):
                consumes, produces = channels[stage - 1:stage] if stage else [], channels[stage:stage + 1]
                if stage < stages and rng.random() < 0.1:
                    produces = sorted({*produces, rng.choice(channels[stage:])})
                with self.process(f"p{number}", produces, consumes, rng.choice([1, 1, 1, 2, 3])):
                    self.stage(produces, consumes)
                number += 1

    def line(self, name, capacity, latency):
        """A channel; of payload, blocks of one shape."""
        rng = self.rng
        shape = (rng.choice([1, 1, 2, 4]), rng.choice([8, 8, 4, 2])) if "payload" in self.on and rng.random() < 0.8 else None
        row = self.channel(name, capacity, latency, "payload" if shape else "token")
        self.shapes = getattr(self, "shapes", {}) | {row: shape}
        return row

    def block_region(self, channel, depth):
        """Of a tensor that tasks touch; rarely of a temp one, which then is an ordinary one; or outside."""
        rng, (rows, columns) = self.rng, self.shapes[channel]
        tensor = "z1" if "temp" in self.on and rng.random() < 0.1 else f"t{rng.randrange(self.tensor_count)}"
        row, column = self.index(depth, self.side - rows + 1), self.const(rng.choice([0, 0, self.side - columns]))
        if "bounds" in self.on and rng.random() < 0.1:
            row = self.expr("-", self.expr("value", slot=rng.choice(["s0", "s1"])), self.const(rng.choice([0, 0, 1])))
        elif rng.random() < 0.1:
            row = self.expr("%", self.expr("value", slot=rng.choice(["s0", "s1"])), self.const(self.side - rows + 1))
        return self.row("REGN", tensor=tensor, row=row, column=column, rows=rows, columns=columns)

    def put_send(self, channel, value, depth):
        self.put("send", channel, value)
        if self.shapes[channel]:
            self.put("io_input", 0, self.block_region(channel, depth))

    @contextlib.contextmanager
    def consume(self, channel, depth):
        """Its body, where depth loops are open, its own among them."""
        with self.body("consume", channel):
            if self.shapes[channel]:
                self.put("io_output", 0, self.block_region(channel, depth))
            yield

    def ring(self):
        """Two processes that answer each other; with too little capacity they block each other."""
        rng, a, b = self.rng, *(self.line(name, self.rng.randint(0, 3), self.rng.choice([0, 2])) for name in "ab")
        rounds, ahead = rng.randint(1, 3), rng.randint(1, 4)
        for name, out, back, first in (("p0", a, b, ahead), ("p1", b, a, 0)):
            with self.process(name, [out], [back]), self.body("parallel_for", self.axis("i", rounds)):
                for step in range(2 * ahead):
                    if step < first or (step - first) % 2 == (first == 0) or step >= 2 * first > 0:
                        self.put_send(out, self.expr("loop", depth=0), 1)
                    else:
                        with self.consume(back, 2):
                            self.process_block(2, 6, rng.randint(0, 1))
                            self.put("break")

    def stage(self, produces, consumes):
        rng = self.rng
        if not consumes:
            n = rng.randint(0, 5)
            high = {"expr": self.expr("+", self.expr("instance"), self.const(n))} if rng.random() < 0.3 else n
            with self.body("parallel_for", self.axis("i", high)):
                self.serve(1, produces, n + 1)
        for c in consumes:
            if rng.random() < 0.1:
                self.serve(0, produces, 1)
            with self.consume(c, 1):
                self.serve(1, produces, 6)
                if rng.random() < 0.15:  # others take what comes behind
                    self.parts("cond", 0, self.expr("<", self.expr("loop", depth=0), self.const(rng.choice([1, 2, 9]))), [lambda: self.put("break"), lambda: None])
            if rng.random() < 0.2:
                self.serve(0, produces, 1)
        for c in produces:
            if rng.random() < 0.3:
                self.put("close", c)
                self.process_block(0, 1, rng.randint(0, 2))

    def serve(self, depth, produces, weight):
        """The body for one token, or the making of one."""
        rng = self.rng
        in_scope = rng.random() < 0.2
        at = len(self.code)
        if in_scope:
            self.put("scope", 0, None)
        self.breakable = depth
        self.process_block(depth, weight, rng.randint(0, 2))
        for c in produces:
            for _ in range(rng.choice([1, 1, 1, 1, 2])):
                value = self.expr("loop", depth=0) if depth else self.const(rng.randint(0, 5))
                send = lambda: self.put_send(c, value, depth)
                if rng.random() < 0.12:
                    self.parts("cond", 0, self.expr("%", value, self.const(2)), [send, lambda: None])
                else:
                    send()
        self.process_block(depth, weight, rng.randint(0, 1))
        self.breakable = 0
        if in_scope:
            self.code[at][2] = len(self.code)

    def process_block(self, depth, weight, statements):
        if self.budget > 0:
            self.block(depth, weight, statements)

    # ---- schedule -------------------------------------------------------------------------------------------------

    def schedule(self):
        rng, small = self.rng, "small" in self.on
        if rng.random() < 0.5:
            self.directive("deps", rng.choice(["tensor_map_exact", "tensor_map_exact", "bytes_overlap", "explicit"]))
        elif "after" in self.on:
            self.directive("deps", *rng.choice([("explicit",), ("hybrid",), ("hybrid", "tensor_map_exact"), ("hybrid", "bytes_overlap")]))
        if rng.random() < 0.3:
            self.directive("hazards", "raw")
        if "narrow" in self.on:
            self.narrow()
        elif small or rng.random() < 0.7:
            sizes = [1, 1, 2, 2, 3] if small else [1, 2, 3, 4, 5, 8, 8, 16, 16, 32, 0]
            self.directive("task_window", rng.choice(["stall"] * 6 + ["abort", "benchmark"]), rng.choice(sizes))
        if self.by_unit:
            self.directive("pools", "by_exec_unit")
        self.dispatch()
        if "narrow" not in self.on and rng.random() < 0.25:
            self.directive("pipeline_depth", "depth", *rng.choice([[], ["global"], ["pool"], ["i"]]), rng.randint(1, 3))
        if "narrow" not in self.on and rng.random() < 0.2 and not any(r["directive"] == "streams" for r in self.t["SCHD"]):
            self.directive("streams", "count", rng.randint(1, 3))
        if rng.random() < 0.2:
            self.directive("issue_cost", "cycles", rng.randint(1, 3))
        start = rng.choice([("threshold", rng.randint(1, 30)), ("threshold", rng.randint(1, 6)), ("after_orchestration",)])
        if "start" in self.on:
            self.directive("start", *start)
        if "start" not in self.on or len(start) > 1:  # what a graph in memory does with pools is not stated
            self.capacities(small)
        for channel in self.t["CSPC"] if "units" in self.on and "narrow" not in self.on else []:
            if rng.random() < 0.5:
                self.directive("channel_capacity", "capacity", channel["name"], rng.randint(0, 4))
        if "interleaved" in self.on:
            self.directive("timing", "interleaved")

    def narrow(self):
        rng = self.rng
        if rng.random() < 0.6:
            self.directive("task_window", rng.choice(["stall"] * 5 + ["benchmark"]), rng.randint(1, 6))
        if rng.random() < 0.4:
            self.directive("pipeline_depth", "depth", *rng.choice([[], ["global"], ["pool"], ["stream"]]), rng.randint(1, 3))
        if rng.random() < 0.3:
            self.directive("streams", "count", rng.randint(1, 4))
        if rng.random() < 0.3:
            self.directive("batch_deps", "count", rng.randint(1, 5))
        for channel in self.t["CSPC"]:
            self.directive("channel_capacity", "capacity", channel["name"], rng.choice([0, 1, 1, 2, 2, 3, 5]))

    def capacities(self, small):
        rng = self.rng
        for name, least in (("tensor_map", 3), ("dep_list", 3), ("ready_queue", 1)):
            if small or rng.random() < 0.25:
                self.directive(name, "capacity", least + (rng.choice([0, 0, 1, 3]) if small else rng.randint(0, 5)))
        if {"temp", "heap"} & self.on and rng.random() < 0.7:
            self.directive("heap", "capacity", 64 * rng.choice([1, 2, 2, 3, 4, 6, 8]))

    def dispatch(self):
        rng = self.rng
        n, axis = rng.randint(1, 4), {"expr": self.scalar(0) if "scalars" in self.on else self.expr("axis", name=rng.choice("ijq"))}
        kinds = {"round_robin": [n], "work_steal": [n], "affinity": [rng.choice("ijq"), n], "hash": [axis, n], "custom": [axis, n], None: []}
        if "policies" in self.on:
            bounds = sorted(rng.sample(range(1, 40), rng.randint(1, 5)))
            kinds |= {"static_partition": bounds, "static_partition ": bounds, "spatial": [rng.randint(1, 3), rng.randint(1, 3)]}
            if rng.random() < 0.4:
                self.directive("batch_deps", "count", rng.randint(1, 5))
            if rng.random() < 0.3:
                self.directive("timing", "rate_limit", rng.randint(1, 4))
            if rng.random() < 0.4:
                self.directive("streams", "count", rng.randint(1, 3))
                self.directive("stream_by", "expression", axis)
            if rng.random() < 0.3:
                self.directive("pipeline_depth", "depth", "stream", rng.randint(1, 2))
                self.directive("pipeline_depth", "depth", rng.choice("jq"), rng.randint(1, 2))
        if "scalars" in self.on:
            parts = [f"round_robin({n})", f"work_steal({n})", f"affinity(i,{n})", f"hash(#{axis['expr']},{n})", "static_partition(3,7)", "static_partition(9)",
                     f"spatial_map({rng.randint(1, 3)},{rng.randint(1, 3)})"]
            rows = [x for t in sorted(rng.sample(range(-3, 9), rng.randint(0, 3))) for x in (t, rng.choice(parts))]
            kinds["threshold"] = [{"expr": self.scalar(0)}, rng.choice(parts), *rows]
            if not self.by_unit and "csp" not in self.on and rng.random() < 0.4:
                self.directive("pools", "custom", {"expr": self.expr("&", self.scalar(0), self.const(3))})
        kind = rng.choice(list(kinds))
        if "auto" in self.on:
            self.directive("dispatch", "auto", n)
        elif kind == "spatial":
            self.directive("spatial_map", "grid", *kinds[kind])
        elif kind:
            self.directive("dispatch", kind.strip(), *kinds[kind])


def generate(seed, families=()):
    package = Generator(seed, families).package()
    domains = {"global", "stream", "pool", *(row["name"] for row in package.get("AXES", []))}
    kept = [r for r in package.get("SCHD", []) if r["directive"] != "pipeline_depth" or not {*r["arguments"][:-1]} - domains]
    return {**package, "SCHD": kept} if "SCHD" in package else package  # a loop that is not there is refused when packing
