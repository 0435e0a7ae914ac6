# SPDX-License-Identifier: MIT
"""model.py - the runtime's semantics once more, slowly: a second implementation written from the specification alone.
Takes a package in its JSON form and values of symbols, and says what a run must give: tasks, edges, executors,
start and end, stalls, high-water marks, memory. O(n^2) on purpose: every rule is written as the specification states it, over plain lists.
Program reads tables, Process walks bytecode, Channel and Machine hold what processes share.
    python3 model.py PACKAGE.json [NAME=VALUE...]      prints one line per task
"""
import collections
import itertools
import json
import math
import operator
import sys
from types import SimpleNamespace
import bodies
DEFAULTS = {"task_ring": 8192, "tensor_map": 65536, "dep_list": 65536, "heap": 64 << 20}
UNITS = ("aiv", "aic", "aic_aiv", "host", "aicpu", "aie_core")  # order of pools, by_exec_unit
POOL_NAMES = {"aiv": "vector", "aic": "cube", "aic_aiv": "mix", "aie_core": "aie"}
BYTES = {"f64": 8, "i64": 8, "u64": 8, "f16": 2, "bf16": 2, "i16": 2, "u16": 2, "i8": 1, "u8": 1, "bool": 1}  # others 4
MASK, NEVER = (1 << 64) - 1, float("inf")
ISSUED, ARRIVED, STUCK = "issued", "arrived", "stuck"  # why a process gives its turn away

class Ended(Exception):
    """The run ends early: kind is 'deadlock', 'too_small', 'abort', 'run', 'refused', 'unsupported' or 'ahead'; why: what is in the way."""
    def __init__(self, kind, task=None, why=None):
        self.kind, self.task, self.why = kind, task, why
def number(v):
    return int(v, 0) if isinstance(v, str) else v
def signed(v):
    return ((v & MASK) ^ 1 << 63) - (1 << 63)
def mix64(z):
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        z = ((z & MASK) ^ (z & MASK) >> shift) * factor & MASK
    return z ^ z >> 31
def divide(a, b):
    if b == 0:
        raise Ended("run", None, "division by zero")
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
BINARY = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": divide, "%": lambda a, b: a - divide(a, b) * b, "min": min,
    "max": max, "&": operator.and_, "|": operator.or_, "^": operator.xor, "<<": lambda a, b: a << (b & 63),
    ">>": lambda a, b: a >> (b & 63), "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt,
    ">=": operator.ge, "&&": lambda a, b: a != 0 and b != 0, "||": lambda a, b: a != 0 or b != 0}
UNARY = {"neg": operator.neg, "~": operator.invert, "!": lambda a: a == 0}

def subject(row):
    """What a directive is about: the later of two about the same rules."""
    directive, arguments = row["directive"], row.get("arguments", [])
    named = {"pipeline_depth": (["global"] + arguments)[-2:-1], "channel_capacity": arguments[:1]}
    return directive, *named.get(directive, [])

class Program:
    """The tables of a package."""
    def __init__(self, package, values=None):
        self.p, self.values, self.work = package, values or {}, package["WORK"]
        self.code = [tuple((list(i) + [0, 0])[:3]) for i in self.work["instructions"]]
        self.entry = max(self.rows("ENTR"), key=lambda e: e.get("flags", 0) & 1)
        self.axes = [self.rows("AXES")[self.row_of("AXES", a)] for a in self.work.get("axes", [])]
        rows = [*{subject(r): (r["directive"], r.get("policy"), r.get("arguments", [])) for r in self.rows("SCHD")}.values()]
        self.schedule = {d: [row[1:] for row in rows if row[0] == d] for d, *_ in rows}
        waits, signals = ({two for op, _, two in self.code if op == word} for word in ("wait", "signal"))
        if waits - signals:
            raise Ended("refused", None, "an event without signal")
        self.placed = {self.row_of("TENS", two) for op, _, two in self.code if op == "alloc"}
        self.parted = self.parts_find()
        self.renamed = {i for i, t in enumerate(self.rows("TENS")) if t.get("role") == "temp" and i not in self.placed and self.on_grid(i)}
    def parts_find(self):
        """Tensors of which a task says how much of a region is there."""
        found, ios = set(), {}
        for op, one, two in self.code:
            ios = {} if op == "task" else ios
            if op in ("io_input", "io_output", "io_inout"):
                ios[one] = self.row_of("TENS", self.rows("REGN")[two]["tensor"])
            found |= {ios[one]} if op in ("io_rows", "io_columns") else set()
        return found
    def rows(self, section):
        return self.p.get(section, [])
    def row_of(self, section, ref):
        return ref if isinstance(ref, int) else next(i for i, r in enumerate(self.rows(section)) if r["name"] == ref)
    def run_of(self, section, row, first="first", count="count"):  # the rows of a section that a row of another one owns
        return self.rows(section)[row.get(first, 0):][:row.get(count, 0)]
    def kernel(self, row):  # a row of KREG; None is the built-in copy
        return {"name": "copy"} if row is None else self.rows("KREG")[row]
    def on_grid(self, tensor):
        """Whether all keys of a tensor are equal or disjoint: one shape, steps no smaller than it, and only tasks touch it."""
        mine, step = [r for r in self.rows("REGN") if self.row_of("TENS", r["tensor"]) == tensor], {}
        others = {two for before, (op, _, two) in zip([("halt",)] + self.code, self.code)
                  if op == "slot_load" or (before[0] in ("send", "consume") and op.startswith("io_"))}
        for k, found in ((k, [self.congruence(r[k]) for r in mine]) for k in ("row", "column")):
            step[k] = math.gcd(*(r - found[0][0] for r, _ in found), *(m for _, m in found))
        alike = len({(r["rows"], r["columns"], r.get("unit", 0)) for r in mine}) == 1 and not mine[0].get("unit")
        return alike and tensor not in self.parted and not any(self.rows("REGN")[r] in mine for r in others) and all(not 0 < step[k] < mine[0][k + "s"] for k in step)
    def congruence(self, row):  # (r, m): all values are r plus a multiple of m
        node = self.rows("EXPR")[row]
        if node["op"] not in ("+", "-", "*"):
            return (signed(number(node.get("value", 0))), 0) if node["op"] == "const" else (0, 1)
        (r, m), (s, n) = self.congruence(node["a"]), self.congruence(node["b"])
        return (r * s, math.gcd(r * n, s * m, m * n)) if node["op"] == "*" else ({"+": r + s, "-": r - s}[node["op"]], math.gcd(m, n))
    def cost(self, kernel):
        """(cycles, elements per parameter) of a kernel with stated cycles that touches the tiles of KPRM from their start, as generated ones do."""
        cycles = [p.get("cycles", 0) for p in self.run_of("KPAY", kernel, "payloads", "payload_count")] + [0]
        tiles = [range(p.get("offset", 0), p.get("offset", 0) + p.get("rows", 0) * p.get("columns", 0)) for p in self.run_of("KPRM", kernel, "params", "param_count")]
        return (cycles[0] or 1) * max(1, kernel.get("blockdim", 0)), tiles + [range(0)]
LEAVES = {"const": lambda p, node, loops: signed(number(node.get("value", 0))), "loop": lambda p, node, loops: loops[node.get("depth", 0)][1],
          "axis": lambda p, node, loops: ([0] + [v for name, v, _ in loops if name == node["name"]])[-1],
          "task": lambda p, *_: len(p.m.tasks), "instance": lambda p, *_: p.replica}
# What encloses an instruction. loops: (name, value, is parallel), outermost first; orders: for_each and sequential, `done` is the
# largest end of earlier iterations, `running` of all so far; scope: the innermost; level: tile level.
Here = collections.namedtuple("Here", "loops orders scope level", defaults=((), (), None, 32))

class Process:
    """The workload, or one replica of a process: a place in the bytecode and an issue clock. `walk` yields ISSUED behind each task,
    ARRIVED where it cannot proceed and STUCK where it still cannot. do_x says (next instruction, left by a BREAK) or nothing."""
    def __init__(self, machine, at, now=0, executor=None, replica=0, name="workload"):
        self.m, self.p, self.now, self.executor, self.replica, self.name = machine, machine.program, now, executor, replica, name
        self.mine, self.barrier = [], 0  # its tasks; no later one starts before it
        self.consuming, self.token, self.why, self.restated, self.walk = None, None, None, {}, self.body(at, len(self.p.code), Here())
    def evaluate(self, row, here, reads=None):
        node = self.p.rows("EXPR")[row]
        op = node["op"]
        if op == "value":
            slot = self.p.row_of("SLOT", node.get("slot", 0))
            if reads is not None and self.p.rows("SLOT")[slot].get("kind") == "slot":
                reads.add(slot)
            return self.m.value[slot]
        if op in LEAVES:
            return LEAVES[op](self, node, here.loops)
        a, b, c = (self.evaluate(node[k], here, reads) if k in node else 0 for k in "abc")
        return (b if a else c) if op == "select" else signed(int(UNARY[op](a) if op in UNARY else BINARY[op](a, b)))
    def decide(self, row, here):
        """The value of a condition or bound: the issue clock waits for the slots that it reads."""
        reads = set()
        value = self.evaluate(row, here, reads)
        self.wait_for(reads)
        return value
    def wait_for(self, slots, time=0):
        self.now = max([self.now, time] + [self.m.V.get(s, 0) for s in slots])
        if self.now == NEVER:
            self.fail("ahead", "a slot must be waited for")
    def until(self, possible, why=None):
        state = ARRIVED
        while not possible():
            self.why = why or ("resource", self.m.lacking)
            yield state
            state = STUCK
    def fail(self, kind, why):
        raise Ended(kind, len(self.m.tasks), why)
    def body(self, at, end, here):
        """Walks instructions; its result says whether a BREAK left them."""
        while at < end:
            op, one, two = self.p.code[at]
            if op in ("halt", "break"):
                return op == "break"
            step = getattr(self, "do_" + op, lambda *_: None)(at, one, two, here)
            at, left = (yield from step or ()) or (at + 1, False)
            if left:
                return True
        return False
    def do_select(self, at, axis, end, here):
        order, row, op = SimpleNamespace(done=0, running=0, step=0), self.p.axes[axis], self.p.code[at][0]
        for value, level in self.iterations(axis, row, here):
            order.done, order.step = order.running, order.step + 1
            self.m.flush(op == "for_each" and order.step > 1)
            inner = here._replace(loops=here.loops + ((row.get("name", ""), value, op != "for_each"),),
                                  orders=here.orders + (order,) * (op == "for_each"), level=here.level if here.level != 32 else level)
            if (yield from self.body(at + 1, end, inner)):
                break
        return end, False
    do_parallel_for = do_for_each = do_select
    def iterations(self, axis, a, here):
        """(value, tile level) of each iteration."""
        if a.get("kind") in ("ragged", "sparse"):
            row, outer = self.decide(a["row"], here), self.restated[axis]() if axis in self.restated else self.decide(a["high"], here)
            if not 0 <= row < outer:
                self.fail("run", "row of an axis")
            v = [number(r.get("value", 0)) for r in self.p.run_of("AXVL", a)] or [0] * (outer + 1)  # tensors: unbound, so 0
            return [(i, 32) for i in (range(v[row + 1] - v[row]) if a["kind"] == "ragged" else v[outer + 1:][v[row]:v[row + 1]])]
        low, high, step = (0, self.restated[axis](), 1) if axis in self.restated else (self.decide(a[k], here) for k in ("low", "high", "step"))
        if a.get("levels") is None:
            return [(v, 32) for v in range(low, high, step)]
        return self.tile_iterations(self.p.rows("TLVL")[a["levels"]], max(high, 0))
    def tile_iterations(self, levels, n):
        table = {r.get("block", 0): r["rows"] for r in self.p.run_of("LVLS", levels)}
        largest, least, base, out = levels["max_range"], levels["min_range"], 0, []
        sizes = [2 ** k for k in reversed(range(largest.bit_length() - 1)) if 2 ** k >= least and n % largest & 2 ** k]
        for block in [largest] * (n // largest) + sizes:
            rows = table.get(block, 32)
            out += [(base + i * (rows // 32), rows) for i in range(block * 32 // rows)]
            base += block
        return out + [(base + i, table.get(0, 32)) for i in range(n % largest & (least - 1))]
    def do_axis_dense(self, at, axis, extent, here):
        self.restated[axis] = lambda: extent
    do_axis_ragged = do_axis_sparse = do_axis_dense
    def do_axis_dense_dyn(self, at, axis, slot, here):
        self.restated[axis] = lambda: self.wait_for({slot}) or self.m.value[slot]
    def do_while(self, at, _, expression, here):
        while self.decide(expression, here) and not (yield from self.body(at + 2, self.p.code[at + 1][2], here)):
            pass
        return self.p.code[at + 1][2], False
    def parts(self, at, count):
        ends = [self.p.code[at + 1 + k][2] for k in range(count)]
        return list(zip([at + 1 + count] + ends, ends)), ends[-1]
    def do_cond(self, at, _, expression, here):
        parts, end = self.parts(at, 2)
        return end, (yield from self.body(*parts[0 if self.decide(expression, here) else 1], here))
    def do_sequential(self, at, count, _, here):
        order, (parts, last), left = SimpleNamespace(done=0, running=0, step=0), self.parts(at, count), False
        for begin, end in parts:
            order.done, order.step = order.running, order.step + 1
            self.m.flush(order.step > 1 and not left)
            left = left or (yield from self.body(begin, end, here._replace(orders=here.orders + (order,))))
        return last, left
    def do_combine(self, at, count, _, here):
        parts, last = self.parts(at, count)
        branches = [self.body(begin, end, here) for begin, end in parts]
        while branches:
            branch, state = branches.pop(0), None
            try:
                while state is not ISSUED or ("interleaved", []) not in self.m.s.get("timing", []):
                    yield (state := next(branch))
                branches.append(branch)
            except StopIteration as stop:
                branches = [] if stop.value else branches
                left = stop.value
        return last, left
    def do_scope(self, at, _, end, here):
        scope = SimpleNamespace(outer=here.scope, closed=None, last=None, versions=[])
        left = yield from self.body(at + 1, end, here._replace(scope=scope))
        scope.closed = self.now
        self.m.flush()
        for version in scope.versions:
            if version.back is None and self.m.memory:
                self.m.memory.end(*version.place)
            version.back = scope.last if version.back is None else version.back
        return end, left
    def do_slot_set(self, at, slot, expression, here):
        reads = set()
        self.m.value[slot] = self.evaluate(expression, here, reads)
        self.m.V[slot] = max([self.now] + [self.m.V.get(s, 0) for s in reads])
    def do_slot_load(self, at, slot, region, here):
        key, elements = self.access(region, here, range(1))
        self.m.flush()
        writers = self.ends(key[0], [min(elements)])
        if writers and self.m.word("start") == "after_orchestration":
            self.fail("unsupported", "a slot is filled by the program's own tasks")
        self.m.value[slot] = self.m.memory.read(key[0], [min(elements)])[0] if self.m.memory else 0  # no kernel bodies, no bindings: 0
        self.m.V[slot] = max([self.now] + writers)
        if self.executor is not None:
            self.wait_for({slot})
    def ends(self, tensor, elements, touch=False):
        """Ends of the latest writer of each element, or of all tasks that touch it."""
        tasks = [(t.end, x[2]) for t in self.m.tasks for x in t.accesses if x[1] == tensor and (x[4] or touch)]
        return [end for e in elements for end in [end for end, touched in tasks if e in touched][0 if touch else -1:]]
    def do_signal(self, at, _, event, here):
        self.m.events[event].append(max([self.now] + [t.end for t in self.mine]))
    def do_wait(self, at, _, event, here):
        yield from self.until(lambda: self.m.events[event], ("event", event))
        self.wait_for((), self.m.events[event][-1])  # the latest, whichever it takes
        self.m.events[event].pop(0)
    def do_barrier(self, at, *_):
        self.barrier = max([self.barrier] + [t.end for t in self.mine if t.kernel is None or self.p.code[at][0] == "barrier"])
    do_fence = do_barrier
    def do_alloc(self, at, _, tensor, here):
        yield from self.until(lambda: self.m.alloc(self, tensor, here))
    def do_free(self, at, _, tensor, here):
        if tensor not in self.m.allocated:
            self.fail("run", "given back twice")
        v = self.m.allocated.pop(tensor)
        v.back = max([t.number for t in self.m.tasks[v.first:] if any(x[1] == tensor for x in t.accesses)], default=-1)
    def do_send(self, at, channel, expression, here):
        c = self.m.channels[channel]
        yield from self.until(lambda: c.may_send(self), ("full", c.name))
        value = self.decide(expression, here)
        self.move(c, at, here)
        c.send(self, value)
    def move(self, c, at, here):
        """The region of a payload: a send waits for the latest writers of its elements, an arrival for all who touch its place."""
        reads, (word, _, region) = set(), self.p.code[at + 1]
        if word.startswith("io_"):
            key, elements = self.access(region, here, range(0), reads)
            self.wait_for(reads, max(self.ends(key[0], elements, word == "io_output"), default=0))
            if word == "io_input":
                c.blocks.append(self.m.memory and self.m.memory.read(key[0], elements))
            elif self.m.memory:
                self.m.memory.write(key[0], elements, self.block)
            c.block = len(elements) * BYTES.get(self.p.rows("TENS")[key[0]].get("dtype"), 4)
    def do_consume(self, at, channel, end, here):
        self.consuming = c = self.m.channels[channel]
        while not (yield from self.until(lambda: c.may_consume(self) or c.is_over(), ("empty", c.name))) and self.token is not None:
            inner, self.token = here._replace(loops=here.loops + (("", self.token, False),)), None
            self.move(c, at, inner)
            if (yield from self.body(at + 1, end, inner)):
                return end, False
            self.consuming = c
        self.now, self.consuming = max([self.now] + list(c.producers.done.values())), None
        return end, False
    def do_close(self, at, channel, _, here):
        self.m.channels[channel].producers.done[self] = self.now
    def do_task(self, at, kernel, counts, here):
        words = itertools.takewhile(lambda i: i[0].startswith(("param_", "io_", "after")), self.p.code[at + 1:])
        yield from self.issue(kernel, list(words), here)
    def do_copy(self, at, _, source, here):
        yield from self.issue(None, [("io_input", 0, source), ("io_output", 0, self.p.code[at + 1][2])], here)
    def issue(self, kernel, words, here):
        yield from self.until(lambda: self.m.issue(self, self.task(kernel, words, here)))
        yield ISSUED
    def task(self, kernel, words, here):
        row = None if kernel is None else self.p.row_of("KREG", self.p.work["kernels"][kernel])
        for variant in self.p.run_of("KVAR", self.p.kernel(row), "variants", "variant_count"):
            if here.level != 32 and variant["rows"] == here.level:
                row = self.p.row_of("KREG", variant["kernel"])
        t = SimpleNamespace(number=len(self.m.tasks), kernel=row, here=here, accesses=[], after=set(), reads=set(), steps=[o.step for o in here.orders])
        t.cycles, touched = self.p.cost(self.p.kernel(row))
        parts = {(op, one): self.evaluate(two, here, t.reads) for op, one, two in words if op in ("io_rows", "io_columns")}
        for op, one, two in words:
            if op == "param_expr":
                self.evaluate(two, here, t.reads)
            elif op == "after":
                earlier = self.evaluate(two, here, t.reads)
                if earlier >= t.number:
                    self.fail("run", "edge from a later task")
                t.after |= {earlier} if earlier >= 0 and one != 3 else set()
            elif op in ("io_input", "io_output", "io_inout"):
                key, elements = self.access(two, here, touched[one], t.reads, parts.get(("io_rows", one)), parts.get(("io_columns", one)))
                t.accesses.append((key, key[0], elements, op != "io_output", op != "io_input"))
                t.cycles = len(elements) if kernel is None else t.cycles
        t.keys_read, t.keys_written = ({x[0] for x in t.accesses if x[k]} for k in (3, 4))
        return t
    def access(self, region, here, touched, reads=None, rows=None, columns=None):
        """(key, whose first part is the tensor, and elements) of a region, of which so many rows and columns are there; None: all."""
        whole = self.p.rows("REGN")[region]
        r = {**whole, **{k: v for k, v in (("rows", rows), ("columns", columns)) if v is not None}}
        if not whole.get("unit") and not (1 <= r["rows"] <= whole["rows"] and 1 <= r["columns"] <= whole["columns"]):
            self.fail("run", "a part that is larger than its region, or nothing")
        tensor, unit = self.p.row_of("TENS", r["tensor"]), r.get("unit", 0)
        row, column = (self.evaluate(r.get(k, 0), here, reads) for k in ("row", "column"))
        start, extents = row * unit + column, self.extents(tensor, here)
        if start < 0 or start + touched.stop > math.prod(extents) if unit else min(row, column) < 0 or column + r["columns"] > extents[-1] or row + r["rows"] > ([row + r["rows"]] + extents)[-2]:
            self.fail("run", "region outside its tensor")
        if unit:
            return (tensor, row, column, here.level), frozenset(start + e for e in touched)
        return (tensor, row, column, whole["rows"], whole["columns"]), frozenset((row + i) * extents[-1] + column + j for i in range(r["rows"]) for j in range(r["columns"]))
    def extents(self, tensor, here):
        return [self.evaluate(d["extent"], here) for d in self.p.run_of("DIMS", self.p.rows("TENS")[tensor], "dims", "dim_count")]

class Side:
    """Producers or consumers of a channel, who take turns; `done`: when one finished."""
    def __init__(self):
        self.members, self.next, self.done = [], 0, {}
    def turn(self):
        """Whose turn it is, and the largest finish time of those skipped for it."""
        order = self.members[self.next:] + self.members[:self.next] + [None]
        at = next(i for i, m in enumerate(order) if m not in self.done)
        return order[at], max([0] + [self.done[m] for m in order[:at]])
class Channel:
    """Section 6: S and C are the times of sends and consumes, stalls [count, cycles], block: bytes that go with a token."""
    def __init__(self, row, capacity):
        self.name, self.q, self.latency, self.block = row["name"], capacity, number(row.get("latency", 0)), 0
        self.producers, self.consumers, self.S, self.C, self.values, self.high = Side(), Side(), [], [], [], 0
        self.full, self.empty, self.blocks = [0, 0], [0, 0], []
    def stall(self, count, cycles):
        count[:] = [count[0] + (cycles > 0), count[1] + max(0, cycles)]
    def may_send(self, process):
        taker = self.consumers.turn()[0]
        room = len(self.S) - len(self.C) < self.q or (self.q == 0 and taker is not None and taker.consuming is self)
        return room and self.producers.turn()[0] is process
    def send(self, process, value):
        k, taker = len(self.S), self.consumers.turn()[0]
        mine = max([process.now, self.producers.turn()[1]] + self.S[-1:])
        theirs = max([taker.now, self.consumers.turn()[1]] + self.C[-1:]) if self.q == 0 else self.C[k - self.q] if k >= self.q else 0
        self.stall(self.full, theirs - mine)
        process.now = max(mine, theirs)
        self.S.append(process.now)
        self.values.append(value)
        self.producers.next = self.producers.members.index(process) + 1
        self.high = max(self.high, len(self.S) - len(self.C))
        if self.q == 0:
            self.take(taker)
    def may_consume(self, process):
        """Whether a token is at hand; takes one that is there if it is the turn of this one."""
        if process.token is None and len(self.C) < len(self.S) and self.consumers.turn()[0] is process:
            self.take(process)
        return process.token is not None
    def take(self, process):
        k, mine = len(self.C), max([process.now] + self.C[-1:])
        self.stall(self.empty, self.S[k] + self.latency - mine)
        process.now = max(mine, self.consumers.turn()[1], self.S[k] + self.latency)
        self.C.append(process.now)
        process.token, process.block, process.consuming = self.values[k], self.blocks[k] if self.blocks else None, None
        self.consumers.next = self.consumers.members.index(process) + 1
    def is_over(self):
        return all(p in self.producers.done for p in self.producers.members) and len(self.C) == len(self.S)

class Machine:
    """Sections 2 to 7. gate: nothing starts before it; dispatch: instead of the program's."""
    def __init__(self, program, gate=0, dispatch=None):
        self.program, self.gate = program, gate
        s = self.s = program.schedule
        self.dispatch = dispatch or (s.get("spatial_map") or s.get("dispatch") or [("round_robin", [1])])[0]
        self.deps, self.full = self.word("deps", "bytes_overlap"), self.word("hazards", "full") == "full"
        self.explicit = self.deps in ("explicit", "hybrid")
        self.deps = (s["deps"][0][1] or ["tensor_map_exact"])[0] if self.deps == "hybrid" else self.deps
        self.mode = (self.word("task_window") or "stall").strip("()")
        self.window = 0 if self.word("start") == "after_orchestration" else self.numbers("task_window", [DEFAULTS["task_ring"]])[0]
        rest = DEFAULTS | {"ready": self.window}
        self.capacity = {r: self.numbers({"ready": "ready_queue"}.get(r, r), [n if self.window else None])[0] for r, n in rest.items()}
        self.capacity["task_ring"] = self.window or None
        self.issue_cost = max(self.numbers("issue_cost", [0])[0], *[a[0] for p, a in s.get("timing", []) if p == "rate_limit"], 0)
        self.value = [signed(number(program.values.get(r["name"], r.get("value", 0)))) for r in program.rows("SLOT")]
        self.memory = bodies.memory(program)
        self.batch, self.fill, self.batches, self.flushes = self.numbers("batch_deps", [0])[0], 0, 0, 0
        self.tasks, self.left, self.touched, self.V, self.events = [], [], {}, {}, collections.defaultdict(list)
        self.versions, self.current, self.allocated, self.lacking = [], {}, {}, None
        self.channels, self.processes, self.clocks, self.stalls, self.high = [], [], [0], {}, {}
        units, (policy, arguments) = [None] * (self.word("pools") != "custom"), self.dispatch
        self.parts = []
        if policy == "threshold":  # texts between thresholds; #N: row N of EXPR
            texts = [text[:-1].split("(") for text in arguments[1::2]]
            values = [[{"expr": int(a[1:])} if a[0] == "#" else int(a) if a[-1].isdigit() else a for a in v.split(",")] for _, v in texts]
            self.parts = sorted(zip([-NEVER, *map(number, arguments[2::2])], ["grid" if name == "spatial_map" else name for name, _ in texts], values), key=lambda part: part[0])
        self.executors = n = max([self.count(name, v) for _, name, v in self.parts] or [self.count(policy, arguments)])
        if self.word("pools") == "by_exec_unit":
            used = {program.kernel(program.row_of("KREG", k)).get("unit", "any") for k in program.work["kernels"]}
            units = [u for u in UNITS if u in ("aiv", "aic") or u in used]
        self.pools = {u: SimpleNamespace(first=i * n, free=[0] * n, count=0, name="ready_" + POOL_NAMES.get(u, u or "any")) for i, u in enumerate(units)}
    def count(self, policy, arguments):  # of executors in a pool
        return math.prod(arguments[:2]) if policy == "grid" else len(arguments) + 1 if policy == "static_partition" else arguments[-1]
    def word(self, directive, default=None):
        return self.s[directive][0][0] if directive in self.s else default
    def numbers(self, directive, default):
        return self.s[directive][0][1] if directive in self.s else default
    def place(self, p, t):
        if self.word("pools") == "custom":
            v, n = p.evaluate(self.numbers("pools", 0)[0]["expr"], t.here, t.reads), self.executors
            self.pools |= {i: SimpleNamespace(first=i * n, free=[0] * n, count=0, name=f"ready_{i}") for i in range(len(self.pools), v + 1)}
            return self.pools[v]
        unit = self.program.kernel(t.kernel).get("unit", "any")
        if None not in self.pools and unit == "any":
            unit = "aiv" if min(self.pools["aiv"].free) <= min(self.pools["aic"].free) else "aic"
        return self.pools[None if None in self.pools else unit]
    def pick(self, p, pool, t, policy, arguments):
        if policy == "threshold":
            return self.pick(p, pool, t, *[x for x in self.parts if x[0] <= p.evaluate(arguments[0]["expr"], t.here, t.reads)][-1][1:])
        n = self.count(policy, arguments)
        named = [v for name, v, parallel in t.here.loops if (parallel if policy == "grid" else name == arguments[0])]
        if policy == "grid":
            return (named + [0])[0] % arguments[0] * arguments[1] + (named + [0, 0])[1] % arguments[1]
        if policy in ("round_robin", "affinity"):
            return (pool.count if policy == "round_robin" else ([0] + named)[-1]) % n
        if policy in ("work_steal", "static_partition"):
            return pool.free.index(min(pool.free[:n])) if policy == "work_steal" else sum(1 for b in arguments if b <= t.number)
        value = p.evaluate(arguments[0]["expr"], t.here, t.reads)
        return (mix64(value) if policy == "hash" else value) % n
    def stream_of(self, p, pool, t):
        value = p.evaluate(self.numbers("stream_by", 0)[0]["expr"], t.here, t.reads) if "stream_by" in self.s else pool.count
        return value % self.numbers("streams", [1])[0] if "streams" in self.s else None
    def predecessors(self, t):
        """Edges into t, straight from the definition of LW and RD; a renamed key that is written and not read begins anew."""
        exact = range(len(self.program.rows("TENS"))) if self.deps == "tensor_map_exact" else self.program.renamed
        cells = [([x[0]] if x[1] in exact else [(x[1], e) for e in x[2]], x) for x in t.accesses]
        reads, writes = ({c for mine, x in cells if x[k] for c in mine} for k in (3, 4))
        found = set(t.after) if self.explicit else set()
        for c in () if self.deps == "explicit" else reads | writes:
            writer, readers = self.touched.get(c, (None, []))
            hazards = self.full and c in writes and (c in reads or c[0] not in self.program.renamed)
            found |= {writer} | set(readers) if hazards else {writer} if c in reads else set()
        t.cells = reads, writes
        return {p for p in found if p is not None and (self.window == 0 or p > t.number - self.window)}
    def F(self, i):
        """Time at which task i leaves; None while some scope around an earlier task, or its own, is open."""
        for t in self.tasks[len(self.left):i + 1]:
            close = 0 if t.here.scope is None else t.here.scope.closed
            if close is None:
                return None
            self.left.append(max(self.left[-1:] + [t.end, close]))
        return self.left[i] if i >= 0 else 0
    def use(self, resource, pool, time):
        """What is held at a time, and the times at which something is given back."""
        if resource == "heap":
            held = [(v.bytes, None if v.back is None else self.F(v.back)) for v in self.versions]
        else:
            mine = [t for t in self.tasks if resource != "ready" or t.pool is pool]
            held = [(t.need[resource], t.start if resource == "ready" else self.F(t.number)) for t in mine]
        return sum(n for n, back in held if back is None or back > time), sorted({back for _, back in held if back is not None})
    def reserve(self, p, resource, need, pool):
        """Whether there is a time at which there is room; the issue clock goes there."""
        capacity, self.lacking = self.capacity[resource], pool.name if resource == "ready" else resource
        used, times = self.use(resource, pool, p.now)
        if capacity is None or need == 0 or used + need <= capacity:
            return True
        g = next((g for g in times if g > p.now and self.use(resource, pool, g)[0] + need <= capacity), NEVER)
        if g == NEVER:
            return False
        if resource == "task_ring" and self.mode == "abort":
            p.fail("abort", resource)
        count, cycles = self.stalls.get(self.lacking, (0, 0))
        self.stalls[self.lacking] = count + 1, cycles + g - p.now
        p.now = p.now if resource == "task_ring" and self.mode == "benchmark" else g
        return True
    def reserve_all(self, p, needs, pool=None):
        for r, need in needs.items():
            if self.capacity[r] is not None and need > self.capacity[r]:
                p.fail("too_small", r)
        if not all(self.reserve(p, r, need, pool) for r, need in needs.items()):
            return False
        for name, r, need in ((pool.name if r == "ready" else r, r, need) for r, need in needs.items()):
            self.high[name] = max(self.high.get(name, 0), need + self.use(r, pool, p.now)[0])
        return True
    def version(self, tensor, elements, place=None):
        size = elements * BYTES.get(self.program.rows("TENS")[tensor].get("dtype"), 4)
        return SimpleNamespace(bytes=(size + 63) // 64 * 64, back=None, place=place)  # back: the task with which it is given back
    def alloc(self, p, tensor, here):
        version = self.version(tensor, math.prod(p.extents(tensor, here)))
        if tensor in self.allocated:
            p.fail("run", "allocated twice")
        if not self.reserve_all(p, {"heap": version.bytes}):
            return False
        self.allocated[tensor], version.first = version, len(self.tasks)
        self.versions.append(version)
        return True
    def depths(self, t):
        """The d-th largest end in each domain of pipeline_depth."""
        for _, arguments in self.s.get("pipeline_depth", []):
            domain, depth = (["global"] + arguments)[-2:]
            inside = {"global": lambda u: True, "stream": lambda u: u.stream == t.stream, "pool": lambda u: u.pool is t.pool}.get(
                domain, lambda u: all(domain in [n for n, _, _ in x.here.loops] for x in (t, u)))
            yield ([0] * depth + sorted(u.end for u in self.tasks if inside(u)))[-depth]
    def issue(self, p, t):
        """Whether the task could be issued; if not, the reason is in `lacking` and nothing has changed."""
        if any(x[1] in self.program.placed - self.allocated.keys() for x in t.accesses):
            p.fail("run", "use outside alloc and free")
        before = p.now, dict(self.stalls)
        p.now = max(p.now, p.mine[-1].a + self.issue_cost) if p.mine else p.now
        t.pool = self.place(p, t)
        executor = self.pick(p, t.pool, t, *self.dispatch) if p.executor is None else p.executor
        t.stream = self.stream_of(p, t.pool, t)
        p.wait_for(t.reads)
        t.edges = self.predecessors(t)
        new = {x[0]: self.version(x[1], len(x[2]), x[1:3]) for x in t.accesses if x[1] in self.program.renamed and x[0] in t.keys_written - t.keys_read}
        leaving = [self.current[key] for key in new if key in self.current and self.current[key].back is None]
        for version in leaving:
            version.back = t.number - 1
        keys = 0 if self.deps == "explicit" else len(t.keys_written) + len(t.keys_read) * self.full
        t.need = {"task_ring": 1, "tensor_map": keys, "dep_list": len(t.edges), "heap": sum(v.bytes for v in new.values()), "ready": 1}
        if not self.reserve_all(p, t.need, t.pool):
            for version in leaving:
                version.back = None
            p.now, self.stalls = before
            return False
        t.a, free = p.now, t.pool.free[executor] if p.executor is None else 0
        ends = [self.tasks[d].end for d in t.edges] + [u.end for u in self.tasks if t.stream is not None and u.stream == t.stream]
        t.start = max(t.a, self.gate, free, p.barrier, *ends, *self.depths(t), *(o.done for o in t.here.orders))
        t.end = t.start + t.cycles
        if p.executor is None:
            t.executor, t.pool.free[executor] = t.pool.first + executor, t.end
        else:
            t.executor, p.now = executor, t.end
        t.pool.count, scope = t.pool.count + 1, t.here.scope
        p.mine.append(t)
        for order in t.here.orders:
            order.running = max(order.running, t.end)
        self.current.update(new)
        self.versions += new.values()
        (scope.versions if scope else []).extend(new.values())
        while scope is not None:
            scope.last, scope = t.number, scope.outer
        for c in t.cells[0] - t.cells[1]:
            self.touched.setdefault(c, (None, []))[1].append(t.number)
        for c in t.cells[1]:
            self.touched[c] = (t.number, [])
        self.tasks.append(t)
        self.fill += self.batch > 0
        if self.batch and self.fill == self.batch:
            self.batches, self.fill = self.batches + 1, 0
        if self.memory:
            for version in new.values():
                self.memory.begin(*version.place)
            self.memory.run(t)
        return True
    def flush(self, now=True):
        """What batch_deps has gathered is merged."""
        if now and self.fill:
            self.batches, self.flushes, self.fill = self.batches + 1, self.flushes + 1, 0
    def take_turns(self, processes):
        """Each goes on until it has issued a task or cannot proceed; if nobody has moved, nobody ever will."""
        while processes:
            states = []
            for p in list(processes):
                states.append(next(p.walk, None))
                if states[-1] is None:
                    processes.remove(p)
                    self.clocks.append(p.now if p.executor is not None else 0)
                    for side in (side for c in self.channels for side in (c.producers, c.consumers) if p in side.members):
                        side.done.setdefault(p, p.now)
            if all(state is STUCK for state in states):
                raise Ended("deadlock", len(self.tasks), [(p.name, *p.why) for p in processes])
    def run(self, pipeline=True):
        self.take_turns([Process(self, self.program.entry.get("instruction", 0))])
        if pipeline and self.program.entry.get("flags", 0) & 4:
            stated = {c: q for _, (c, q) in self.s.get("channel_capacity", [])}
            self.channels = [Channel(c, stated.get(c["name"], c.get("capacity", 0))) for c in self.program.rows("CSPC")]
            now, rows = self.total(), sorted(self.program.rows("PROC"), key=lambda r: r.get("order", 0))
            for row, replica in ((r, i) for r in rows for i in range(r.get("replicas", 1))):
                p = Process(self, row.get("instruction", 0), now, len(self.processes), replica, row["name"])
                self.processes.append(p)
                for use in self.program.run_of("PRCH", row, "channels", "channel_count"):
                    c = self.channels[self.program.row_of("CSPC", use["channel"])]
                    (c.consumers if use.get("direction") in (1, "consumes") else c.producers).members.append(p)
            self.take_turns(list(self.processes))
        self.flush()
        return self
    def total(self):
        return max([t.end for t in self.tasks] + self.clocks)
def look(machine, *pipeline):
    try:
        return machine.run(*pipeline)
    except Ended:  # as far as it gets
        return machine
def run(program):
    """The machine after a run; raises Ended. Two directives need a look ahead."""
    dispatch, gate, start = None, 0, program.schedule.get("start", [(None, [])])[0]
    policy, arguments = program.schedule.get("dispatch", [(None, 0)])[0]
    if policy == "auto":
        machines = [Machine(program, 0, ("affinity", [name, *arguments])) for name in outermost_first(program) + [None]]
        [m.capacity.update(dict.fromkeys(m.capacity)) for m in machines[:-1]]  # which tasks and edges there are, not where the issue ends
        crossed = [sum(m.tasks[d].executor != t.executor for t in look(m, False).tasks for d in t.edges) for m in machines[:-1]] + [NEVER]
        dispatch = machines[crossed.index(min(crossed))].dispatch
    if start[0]:
        ahead = Machine(program, NEVER, dispatch)  # nothing starts: how far does the issue get?
        ahead = ahead.run() if start[0] == "after_orchestration" else look(ahead)
        gate = max([t.a for t in ahead.tasks[:(start[1] or [None])[0]]], default=0)
    return Machine(program, gate, dispatch).run()
def outermost_first(program):
    own = program.code[:min([r.get("instruction", 0) for r in program.rows("PROC")], default=None)]  # dispatch is not for processes
    loops = [(at, two, program.axes[one].get("name", "")) for at, (op, one, two) in enumerate(own)
             if op in ("parallel_for", "for_each", "select") and {"task", "copy"} & {op for op, _, _ in own[at:two]}]
    return [name for _, _, name in sorted(loops, key=lambda x: (sum(at < x[0] < end for at, end, _ in loops), x[0]))]
def main(arguments):
    with open(arguments[0]) as f:
        machine = run(Program(json.load(f), dict(a.split("=", 1) for a in arguments[1:])))
    for t in machine.tasks:
        print(t.number, machine.program.kernel(t.kernel)["name"], t.executor, t.start, t.end, sorted(t.edges))
    print("total", machine.total(), "stalls", machine.stalls, "high", machine.high)
if __name__ == "__main__":
    main(sys.argv[1:])
