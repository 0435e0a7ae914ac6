# SPDX-License-Identifier: MIT
"""model.py - the runtime's semantics once more, slowly: a second implementation written from the specification alone.

Takes a package in its JSON form (ptowsp-inspect --json), values of symbols, and says what a run without kernel bodies must
give: tasks, edges, executors, start and end, stalls and high-water marks. O(n^2) on purpose: every rule is written as the
specification states it, over plain lists, and nothing is shared with plugins/rt.

    python3 model.py PACKAGE.json [NAME=VALUE...]      prints one line per task
"""
import base64
import json
import struct
import sys

RESOURCES = ("task_ring", "tensor_map", "dep_list", "heap", "ready")
DEFAULTS = {"task_ring": 8192, "tensor_map": 65536, "dep_list": 65536, "heap": 64 << 20, "ready": None}
UNITS = ("aiv", "aic", "aic_aiv", "host", "aicpu", "aie_core")  # order of pools, by_exec_unit
POOL_NAMES = {"aiv": "vector", "aic": "cube", "aic_aiv": "mix", "host": "host", "aicpu": "aicpu", "aie_core": "aie"}
MASK = (1 << 64) - 1


class Ended(Exception):
    """The run ends early: kind is 'deadlock', 'too_small', 'abort' or 'run'."""

    def __init__(self, kind, task, resource=None):
        super().__init__(f"{kind} at task {task} {resource or ''}")
        self.kind, self.task, self.resource = kind, task, resource


def signed(v):
    v &= MASK
    return v - (1 << 64) if v >> 63 else v


def mix64(z):
    z &= MASK
    z ^= z >> 30
    z = z * 0xBF58476D1CE4E5B9 & MASK
    z ^= z >> 27
    z = z * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


def truncated(a, b):
    if b == 0:
        raise Ended("run", None)
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


BINARY = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": truncated,
    "%": lambda a, b: a - truncated(a, b) * b, "min": min, "max": max,
    "&": lambda a, b: a & b, "|": lambda a, b: a | b, "^": lambda a, b: a ^ b,
    "<<": lambda a, b: a << (b & 63), ">>": lambda a, b: a >> (b & 63),
    "==": lambda a, b: int(a == b), "!=": lambda a, b: int(a != b), "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b), ">": lambda a, b: int(a > b), ">=": lambda a, b: int(a >= b),
    "&&": lambda a, b: int(a != 0 and b != 0), "||": lambda a, b: int(a != 0 or b != 0),
}
UNARY = {"neg": lambda a: -a, "~": lambda a: ~a, "!": lambda a: int(a == 0)}


class Task:
    """What one expansion step makes, before time."""

    def __init__(self, number):
        self.number = number
        self.kernel = None    # row of KREG
        self.loops = []       # (name, value, is parallel), outermost first
        self.accesses = []    # (key, tensor, frozenset of elements, reads, writes)
        self.reads = set()    # slots read by expressions since the task before
        self.order = []       # tasks of earlier iterations or steps of each enclosing ordered construct
        self.scope = None


class Scope:
    def __init__(self, outer):
        self.outer, self.closed = outer, None


class Program:
    """A package and its values; `expand` walks the bytecode in program order."""

    def __init__(self, package, values=None, entry=None):
        self.p = package
        self.rows = lambda section: self.p.get(section, [])
        self.work = package["WORK"]
        self.slots = [dict(s) for s in self.rows("SLOT")]
        self.value = []
        for s in self.slots:
            given = (values or {}).get(s["name"])
            self.value.append(signed(number(given if given is not None else s.get("value", 0))))
        entries = self.rows("ENTR")
        chosen = [e for e in entries if e["name"] == entry] or [e for e in entries if e.get("flags", 0) & 1] or entries
        self.entry = chosen[0]
        self.schedule = schedule_of(package)
        self.programs = {}

    # ---- expressions ----------------------------------------------------------------------------------------------

    def evaluate(self, row, loops, task=0, reads=None):
        node = self.rows("EXPR")[row]
        op = node["op"]
        if op == "const":
            return signed(number(node.get("value", 0)))
        if op == "loop":
            return loops[node.get("depth", 0)][1]
        if op == "value":
            slot = self.slot_row(node.get("slot", 0))
            if reads is not None and self.slots[slot].get("kind") == "slot":
                reads.add(slot)
            return self.value[slot]
        if op == "axis":
            return next((v for n, v, _ in reversed(loops) if n == node["name"]), 0)
        if op == "task":
            return task
        operands = [self.evaluate(node.get(k, 0), loops, task, reads) for k in "abc"[:3 if op == "select" else 1 if op in UNARY else 2]]
        if op == "select":
            return operands[1] if operands[0] else operands[2]
        return signed((UNARY.get(op) or BINARY[op])(*operands))

    def slot_row(self, ref):
        return ref if isinstance(ref, int) else next(i for i, s in enumerate(self.slots) if s["name"] == ref)

    # ---- expansion ------------------------------------------------------------------------------------------------

    def expand(self):
        """Yields ('task', Task), ('scope_end', Scope), ('slot_set', slot, reads), ('slot_load', slot, tensor, element, reads),
        ('read', slots) in program order."""
        self.count = 0
        yield from self.body(self.entry.get("instruction", 0), len(self.work["instructions"]), [], [], None, 32)

    def body(self, at, end, loops, order, scope, level):
        code = self.work["instructions"]
        while at < end:
            op, one, two = (code[at] + [0, 0])[:3]
            if op == "halt":
                return
            if op in ("parallel_for", "for_each"):
                yield from self.loop(op, at, one, two, loops, order, scope, level)
                at = two
            elif op == "cond":
                reads = set()
                taken = self.evaluate(two, loops, self.count, reads)
                yield ("read", reads)
                middle, last = code[at + 1][2], code[at + 2][2]
                yield from self.body(*((at + 3, middle) if taken else (middle, last)), loops, order, scope, level)
                at = last
            elif op in ("combine", "sequential"):
                ends = [code[at + 1 + k][2] for k in range(one)]
                begin, mine = at + 1 + one, []
                for stop in ends:
                    earlier = list(mine)
                    inner = order + [earlier] if op == "sequential" else order
                    for event in self.body(begin, stop, loops, inner, scope, level):
                        if event[0] == "task":
                            mine.append(event[1].number)
                        yield event
                    begin = stop
                at = begin
            elif op == "scope":
                inner = Scope(scope)
                yield from self.body(at + 1, two, loops, order, inner, level)
                yield ("scope_end", inner)
                at = two
            elif op == "slot_set":
                reads = set()
                value = self.evaluate(two, loops, self.count, reads)
                self.value[one] = value
                yield ("slot_set", one, reads)
                at += 1
            elif op == "slot_load":
                region = self.rows("REGN")[two]
                tensor = self.row_of("TENS", region["tensor"])
                row, column = (self.evaluate(region.get(k, 0), loops, self.count) for k in ("row", "column"))
                stride = region.get("unit", 0) or self.extents(tensor)[-1]
                self.value[one] = 0  # no kernel bodies, no bindings: what is loaded is 0
                yield ("slot_load", one, tensor, row * stride + column)
                at += 1
            elif op == "task":
                arguments, tensors = two if isinstance(two, list) else (two >> 16, two & 0xFFFF)
                words = code[at + 1:at + 1 + arguments + tensors]
                yield ("task", self.task(one, words, loops, order, scope, level))
                at += 1 + arguments + tensors
            else:
                at += 1

    def loop(self, op, at, axis, end, loops, order, scope, level):
        row = self.rows("AXES")[self.row_of("AXES", self.work["axes"][axis])]
        reads = set()
        low, high, step = (self.evaluate(row[k], loops, self.count, reads) for k in ("low", "high", "step"))
        yield ("read", reads)
        earlier, levels = [], row.get("levels")
        if levels is None:
            iterations = [(v, 32) for v in range(low, high, step)]
        else:
            iterations = self.tile_iterations(self.rows("TLVL")[levels], high)
        for value, rows in iterations:
            inner = loops + [(row.get("name", ""), value, op == "parallel_for")]
            ordered = order + [list(earlier)] if op == "for_each" else order
            for event in self.body(at + 1, end, inner, ordered, scope, level if level != 32 else rows):
                if event[0] == "task":
                    earlier.append(event[1].number)
                yield event

    def tile_iterations(self, levels, n):
        table = {r.get("block", 0): r["rows"] for r in self.rows("LVLS")[levels.get("first", 0):][:levels.get("count", 0)]}
        largest, least, base, out = levels["max_range"], levels["min_range"], 0, []
        n = max(n, 0)
        blocks = [largest] * (n // largest)
        size = largest // 2
        while size >= least:
            if n % largest & size:
                blocks.append(size)
            size //= 2
        for block in blocks:
            rows = table.get(block, 32)
            step = rows // 32
            out += [(base + i * step, rows) for i in range(block // step)]
            base += block
        return out + [(base + i, table.get(0, 32)) for i in range(n % largest & (least - 1))]

    def task(self, kernel, words, loops, order, scope, level):
        t = Task(self.count)
        base = self.row_of("KREG", self.work["kernels"][kernel])
        t.kernel = base
        for v in range(self.rows("KREG")[base].get("variant_count", 0)):
            variant = self.rows("KVAR")[self.rows("KREG")[base].get("variants", 0) + v]
            if level != 32 and variant["rows"] == level:
                t.kernel = self.row_of("KREG", variant["kernel"])
        t.loops, t.scope, t.order = loops, scope, [n for earlier in order for n in earlier]
        for op, one, two in ((w + [0, 0])[:3] for w in words):
            if op == "param_expr":
                self.evaluate(two, loops, t.number, t.reads)
            elif op.startswith("io_") and op != "io_bind":
                t.accesses.append(self.access(t, one, op, self.rows("REGN")[two], loops, level))
        self.count += 1
        return t

    def access(self, t, argument, op, region, loops, level):
        tensor = self.row_of("TENS", region["tensor"])
        row, column = (self.evaluate(region.get(k, 0), loops, t.number, t.reads) for k in ("row", "column"))
        reads, writes = op != "io_output", op != "io_input"
        if region.get("unit", 0):
            base = row * region["unit"] + column
            elements = frozenset(base + e for e in self.footprint(t.kernel, argument))
            return ((tensor, row, column, level), tensor, elements, reads, writes)
        stride = self.extents(tensor)[-1]
        elements = frozenset((row + r) * stride + column + c for r in range(region["rows"]) for c in range(region["columns"]))
        return ((tensor, row, column, region["rows"], region["columns"]), tensor, elements, reads, writes)

    # ---- tables ---------------------------------------------------------------------------------------------------

    def row_of(self, section, ref):
        return ref if isinstance(ref, int) else next(i for i, r in enumerate(self.rows(section)) if r["name"] == ref)

    def extents(self, tensor):
        t = self.rows("TENS")[tensor]
        dims = self.rows("DIMS")[t.get("dims", 0):][:t.get("dim_count", 0)]
        return [self.evaluate(d["extent"], []) for d in dims]

    def payload(self, kernel):
        k = self.rows("KREG")[kernel]
        return self.rows("KPAY")[k.get("payloads", 0)] if k.get("payload_count", 0) else {}

    def cycles(self, kernel):
        return (self.payload(kernel).get("cycles", 0) or 1) * max(1, self.rows("KREG")[kernel].get("blockdim", 0))

    def footprint(self, kernel, argument):
        """Elements that tload and tstore at constant [0, 0] touch: all that the generated kernels do."""
        if kernel not in self.programs:
            pay = self.payload(kernel)
            code = base64.b64decode(self.p["CODE"])[pay.get("offset", 0):][:pay["size"]]
            _, _, params, tiles, scalars, insts = struct.unpack_from("<6I", code)
            at = 32 + 16 * params
            shapes = [struct.unpack_from("<2I", code, at + 16 * i) for i in range(tiles)]
            at += 16 * (tiles + scalars)
            touched = {}
            for i in range(insts):
                op, _, _, d, _, a = struct.unpack_from("<BBHHHH", code, at + 24 * i)
                if op == 0x01:
                    touched.setdefault(a, set()).update(range(shapes[d][0] * shapes[d][1]))
                elif op == 0x02:
                    touched.setdefault(d, set()).update(range(shapes[a][0] * shapes[a][1]))
            self.programs[kernel] = touched
        return self.programs[kernel].get(argument, set())


def number(v):
    return int(v, 0) if isinstance(v, str) else v


def schedule_of(package):
    rows = {}
    for r in package.get("SCHD", []):
        rows.setdefault(r["directive"], []).append((r.get("policy"), r.get("arguments", [])))
    return rows


class Pool:
    def __init__(self, first, executors, name):
        self.first, self.free, self.count, self.name = first, [0] * executors, 0, name


class Clock:
    """Sections 2 to 5 of the runtime semantics over the events of one program."""

    def __init__(self, program, no_kernels=True):
        self.program = program
        s = self.s = program.schedule
        self.deps = self.word("deps", "bytes_overlap")
        if self.deps == "hybrid":
            self.deps = (s["deps"][0][1] or ["tensor_map_exact"])[0]
        self.full = self.word("hazards", "full") == "full"
        self.mode, window = (s.get("task_window") or [(None, None)])[0]
        self.window = window[0] if window else 0 if no_kernels else 8192
        self.mode = (self.mode or "stall").strip("()")
        self.capacity = {}
        for r in RESOURCES:
            stated = s.get("ready_queue" if r == "ready" else r)
            default = None if self.window == 0 else self.window if r == "ready" else DEFAULTS[r]
            self.capacity[r] = stated[0][1][0] if stated else default
        self.capacity["task_ring"] = self.window or None
        self.issue_cost = max([a[0] for _, a in s.get("issue_cost", [])] + [a[0] for p, a in s.get("timing", []) if p == "rate_limit"] + [0])
        self.tasks, self.a, self.start, self.end, self.close = [], [], [], [], []
        self.needs, self.edges, self.executor, self.stream, self.pool_of = [], [], [], [], []
        self.V = {}
        self.now = 0
        self.stalls = {r: [0, 0] for r in RESOURCES}
        self.high = {r: 0 for r in RESOURCES}
        self.make_pools()

    def word(self, directive, default):
        return self.s[directive][0][0] if directive in self.s else default

    # ---- executors ------------------------------------------------------------------------------------------------

    def executors(self):
        policy, arguments = (self.s.get("dispatch") or [(None, [])])[0]
        if policy is None:
            return 1
        return len(arguments) + 1 if policy == "static_partition" else arguments[-1]

    def make_pools(self):
        n, kernels = self.executors(), self.program.rows("KREG")
        units = [None]
        if self.word("pools", "single") == "by_exec_unit":
            used = {k.get("unit", "any") for k in self.used_kernels(kernels)}
            units = [u for u in UNITS if u in ("aiv", "aic") or u in used]
        self.pools = [Pool(i * n, n, POOL_NAMES.get(u, "any")) for i, u in enumerate(units)]
        self.by_unit = {u: p for u, p in zip(units, self.pools)}

    def used_kernels(self, kernels):
        return [kernels[self.program.row_of("KREG", k)] for k in self.program.work["kernels"]]

    def place(self, t):
        unit = self.program.rows("KREG")[t.kernel].get("unit", "any")
        if len(self.pools) == 1 and None in self.by_unit:
            pool = self.pools[0]
        elif unit == "any":
            vector, cube = self.by_unit["aiv"], self.by_unit["aic"]
            pool = vector if min(vector.free) <= min(cube.free) else cube
        else:
            pool = self.by_unit[unit]
        return pool, self.pick(pool, t) if len(pool.free) > 1 or "dispatch" in self.s else 0

    def pick(self, pool, t):
        policy, arguments = self.s["dispatch"][0]
        n = len(pool.free)
        if policy == "round_robin":
            return pool.count % n
        if policy == "work_steal":
            return pool.free.index(min(pool.free))
        if policy == "affinity":
            return next((v for name, v, _ in reversed(t.loops) if name == arguments[0]), 0) % n
        if policy == "static_partition":
            return sum(1 for b in arguments if b <= t.number)
        value = self.expression(arguments[0], t)
        return (mix64(value) if policy == "hash" else value) % n

    def expression(self, argument, t):
        if isinstance(argument, dict):
            return self.program.evaluate(argument["expr"], t.loops, t.number, t.reads)
        return argument

    # ---- edges ----------------------------------------------------------------------------------------------------

    def live(self, p, i):
        return self.window == 0 or p > i - self.window

    def predecessors(self, t):
        """Edges into t, from every earlier task, straight from the definition of LW and RD."""
        if self.deps == "explicit":
            return set()
        found = set()
        cells = lambda access: [access[0]] if self.deps == "tensor_map_exact" else [(access[1], e) for e in access[2]]
        reads = {c for x in t.accesses if x[3] for c in cells(x)}
        writes = {c for x in t.accesses if x[4] for c in cells(x)}
        for c in reads | writes:
            writer, readers = self.last.get(c, (None, []))
            if c in reads and writer is not None:
                found.add(writer)
            if c in writes and self.full:
                found.update(readers)
                if writer is not None:
                    found.add(writer)
        for c in reads:
            self.last.setdefault(c, (None, []))[1].append(t.number)
        for c in writes:
            self.last[c] = (t.number, [])
        return {p for p in found if p != t.number and self.live(p, t.number)}

    # ---- resources ------------------------------------------------------------------------------------------------

    def F(self, i):
        """Time at which task i leaves; None while some scope around an earlier task, or its own, is open."""
        while len(self.left) <= i:
            j = len(self.left)
            scope = self.tasks[j].scope
            close = 0 if scope is None else scope.closed
            if close is None:
                return None
            self.left.append(max(self.left[-1] if j else 0, self.end[j], close))
        return self.left[i]

    def given_back(self, resource, j):
        return self.start[j] if resource == "ready" else self.F(j)

    def held(self, resource, time, pool):
        return sum(self.needs[j][resource] for j in range(len(self.start))
                   if (resource != "ready" or self.pool_of[j] is pool)
                   and ((back := self.given_back(resource, j)) is None or back > time))

    def reserve(self, t, resource, need, pool):
        capacity = self.capacity[resource]
        if capacity is None:
            return
        if need > capacity:
            raise Ended("too_small", t.number, resource)
        if self.held(resource, self.now, pool) + need <= capacity:
            return
        times = sorted({b for j in range(len(self.start)) if (b := self.given_back(resource, j)) is not None and b > self.now})
        for g in times:
            if self.held(resource, g, pool) + need <= capacity:
                self.stalls[resource][0] += 1
                if resource == "task_ring" and self.mode == "abort":
                    raise Ended("abort", t.number, resource)
                self.stalls[resource][1] += g - self.now
                if resource != "task_ring" or self.mode != "benchmark":
                    self.now = g
                return
        raise Ended("deadlock", t.number, resource)

    # ---- time -----------------------------------------------------------------------------------------------------

    def domain_end(self, t, domain, depth, pool, stream):
        def inside(j):
            if domain == "global":
                return True
            if domain == "stream":
                return self.stream[j] == stream
            if domain == "pool":
                return self.pool_of[j] is pool
            mine = [n for n, _, _ in t.loops]
            return domain in mine and domain in [n for n, _, _ in self.tasks[j].loops]
        ends = sorted((self.end[j] for j in range(len(self.end)) if inside(j)), reverse=True)
        return ends[depth - 1] if len(ends) >= depth else 0

    def issue(self, t):
        i = t.number
        if i:
            self.now = max(self.now, self.a[-1] + self.issue_cost)
        pool, executor = self.place(t)  # schedule expressions are evaluated before the clock stops
        stream = self.stream_of(t, pool)
        for slot in t.reads:
            self.now = max(self.now, self.V.get(slot, 0))
        edges = self.predecessors(t)
        keys = {x[0] for x in t.accesses if x[4]}, {x[0] for x in t.accesses if x[3]}
        need = {"task_ring": 1, "heap": 0, "ready": 1, "dep_list": len(edges),
                "tensor_map": 0 if self.deps == "explicit" else len(keys[0]) + (len(keys[1]) if self.full else 0)}
        for resource in RESOURCES:
            self.reserve(t, resource, need[resource], pool)
        a = self.now
        ready = [a, pool.free[executor], self.stream_end(stream)] + [self.end[p] for p in edges] + [self.end[p] for p in t.order]
        for _, arguments in self.s.get("pipeline_depth", []):
            domain, depth = (["global"] + arguments)[-2:]
            if domain in ("global", "stream", "pool") or domain in [n for n, _, _ in t.loops]:
                ready.append(self.domain_end(t, domain, depth, pool, stream))
        start = max(ready)
        for r in RESOURCES:
            self.high[r] = max(self.high[r], self.held(r, a, pool) + need[r])
        end = start + self.program.cycles(t.kernel)
        pool.free[executor] = end
        pool.count += 1
        for column, value in zip((self.tasks, self.a, self.start, self.end, self.needs, self.edges, self.executor, self.stream, self.pool_of),
                                 (t, a, start, end, need, edges, pool.first + executor, stream, pool)):
            column.append(value)

    def stream_of(self, t, pool):
        if "streams" not in self.s:
            return None
        n = self.s["streams"][0][1][0]
        by = self.s.get("stream_by")
        return (self.expression(by[0][1][0], t) if by else pool.count) % n

    def stream_end(self, stream):
        return next((self.end[j] for j in reversed(range(len(self.end))) if stream is not None and self.stream[j] == stream), 0)

    def load_time(self, tensor, element):
        """Ends of the latest earlier writers of the element, by extent whatever deps says."""
        for j in reversed(range(len(self.tasks))):
            if any(x[1] == tensor and x[4] and element in x[2] for x in self.tasks[j].accesses):
                return self.end[j]
        return 0

    def run(self):
        self.last, self.left = {}, []
        for event in self.program.expand():
            if event[0] == "task":
                self.issue(event[1])
            elif event[0] == "read":
                self.now = max([self.now] + [self.V.get(s, 0) for s in event[1]])
            elif event[0] == "scope_end":
                event[1].closed = self.now
            elif event[0] == "slot_set":
                self.V[event[1]] = max([self.now] + [self.V.get(s, 0) for s in event[2]])
            elif event[0] == "slot_load":
                self.V[event[1]] = max(self.now, self.load_time(event[2], event[3]))
        return self

    def total(self):
        return max(self.end, default=0)


def main(arguments):
    with open(arguments[0]) as f:
        program = Program(json.load(f), dict(a.split("=", 1) for a in arguments[1:]))
    clock = Clock(program).run()
    for i, t in enumerate(clock.tasks):
        print(i, program.rows("KREG")[t.kernel]["name"], clock.executor[i], clock.start[i], clock.end[i], sorted(clock.edges[i]))
    print("total", clock.total(), "stalls", clock.stalls, "high", clock.high)


if __name__ == "__main__":
    main(sys.argv[1:])
