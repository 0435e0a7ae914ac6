# SPDX-License-Identifier: MIT
"""vectors.py - the vectors of the specification, section 10, as packages with what they must give.

    python3 vectors.py            checks the model; compare.py --vectors also checks the tools
"""
import sys

import model
from writer import READ, WRITE, Writer


class Vector(Writer):
    """Tasks on tensors t0, t1 ... of 64 elements."""

    def __init__(self, window=None, **directives):
        super().__init__()
        for i in range(4):
            self.tensor(f"t{i}", 1, 64)
        if window:
            self.directive("task_window", "stall", window)
        for name, (policy, *arguments) in directives.items():
            self.directive(name, policy, *arguments)

    def region(self, tensor, first=0, count=64):
        return self.row("REGN", tensor=f"t{tensor}", row=self.const(0), column=self.const(first), rows=1, columns=count)

    def task(self, cycles, reads=None, writes=None, unit="any"):
        accesses = [a for a in (("io_input", READ, reads), ("io_output", WRITE, writes)) if a[2]]
        self.put("task", self.kernel(cycles, unit, [(a, 1, r[2]) for _, a, r in accesses]), [0, len(accesses)])
        for k, (op, _, r) in enumerate(accesses):
            self.put(op, k, self.region(*r))

    def tasks(self, *cycles):
        for c in cycles:
            self.task(c)

    def done(self, flags=1):
        self.row("ENTR", name="main", flags=flags)
        return self


def independent():
    v = Vector(2, dispatch=("work_steal", 2))
    v.tasks(10, 1, 1, 1)
    v.put("halt")
    return v.done(), {"start": [0, 0, 10, 10], "executor": [0, 1, 1, 0], "total": 11, "stalls": {"task_ring": (1, 10)}, "high": {"task_ring": 2}}


def scope_then_one():
    v = Vector(2)
    with v.body("scope"):
        v.tasks(1, 1)
    v.tasks(1)
    v.put("halt")
    return v.done(), {"end": [1, 2, 3], "stalls": {"task_ring": (1, 1)}}


def scopes_in_a_scope():
    v = Vector(3)
    with v.body("scope"):
        for _ in range(4):
            with v.body("scope"):
                v.tasks(1)
    v.put("halt")
    return v.done(), {"total": 4, "stalls": {"task_ring": (1, 1)}}


def scope_of_three(window=2):
    v = Vector(window)
    with v.body("scope"):
        v.tasks(1, 1, 1)
    v.put("halt")
    return v.done(), {"deadlock": 2, "why": [("workload", "resource", "task_ring")], "text": "task_window=3"} if window == 2 else {"total": 3}


def depth_of_a_loop():
    v = Vector(dispatch=("round_robin", 3), pipeline_depth=("depth", "d", 1))
    v.task(100, None, (0, 0, 64))
    with v.body("parallel_for", v.axis("d", 1)):
        v.task(10, (0, 0, 64))
        v.task(5)
    v.put("halt")
    return v.done(), {"end": [100, 110, 115]}


def slot_load():
    v = Vector(dispatch=("round_robin", 2))
    slot = v.slot("s", 0)
    v.task(100, None, (0, 0, 64))
    v.put("slot_load", slot, v.region(0, 0, 1))
    v.parts("cond", 0, v.expr("==", v.expr("value", slot="s"), v.const(0)), [lambda: v.task(1), lambda: None])
    v.put("halt")
    return v.done(), {"start": [0, 100], "total": 101}


def depth_of_all():
    v = Vector(2, dispatch=("round_robin", 2), pipeline_depth=("depth", "global", 1))
    v.tasks(10, 1, 1, 1)
    v.put("halt")
    return v.done(), {"start": [0, 10, 11, 12], "total": 13, "stalls": {"task_ring": (2, 11)}}


def map_pool():
    v = Vector(8192, tensor_map=("capacity", 2))
    v.task(1, None, (0, 0, 64))
    v.task(1, (0, 0, 64), (1, 0, 64))
    v.task(1, (1, 0, 64), (2, 0, 64))
    v.put("halt")
    return v.done(), {"start": [0, 1, 2], "total": 3, "stalls": {"tensor_map": (2, 2)}, "edges": {(0, 1), (1, 2)}}


def pools_by_unit():
    v = Vector(pools=("by_exec_unit",), dispatch=("round_robin", 2))
    for cycles, unit in ((10, "aiv"), (5, "aic"), (10, "aiv"), (5, "aic"), (1, "aiv"), (1, "any")):
        v.task(cycles, unit=unit)
    v.put("halt")
    return v.done(), {"executor": [0, 2, 1, 3, 0, 2], "start": [0, 0, 0, 0, 10, 5], "total": 11, "edges": set(), "executors": 4}


def for_each():
    v = Vector(dispatch=("round_robin", 2))
    with v.body("for_each", v.axis("i", 2)):
        v.parts("cond", 0, v.expr("==", v.expr("loop", depth=0), v.const(0)), [lambda: v.tasks(10, 1), lambda: v.tasks(1, 1)])
    v.put("halt")
    return v.done(), {"start": [0, 0, 10, 10], "total": 11, "edges": set()}


def overlap():
    v = Vector(deps=("bytes_overlap",), hazards=("full",))
    for reads, writes in ((None, (0, 0, 64)), ((0, 0, 64), None), (None, (0, 0, 32)), (None, (0, 32, 32)), (None, (0, 0, 32))):
        v.task(1, reads, writes)
    v.put("halt")
    return v.done(), {"edges": {(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 4)}}


def processes():
    v = Vector()
    v.put("halt")
    c = v.channel("c", 1, 0)
    with v.process("p0", produces=[c]):
        with v.body("parallel_for", v.axis("i", 3)):
            v.task(1)
            v.put("send", c, v.const(7))
    with v.process("p1", produces=[c]):
        v.task(10)
        v.put("send", c, v.const(8))
    with v.process("q", consumes=[c]):
        with v.body("consume", c):
            v.task(1)
    return v.done(5), {"sends": [1, 10, 10, 11], "consumes": [1, 10, 11, 12], "total": 13, "empty": [2, 9], "full": [0, 0], "executors": 3}


def payload():
    """A block arrives where a reader is busy until 20; its place in the channel is free at 6 all the same."""
    v = Vector(deps=("explicit",))
    v.put("halt")
    c = v.channel("c", 1, 2, "payload")
    with v.process("reads"):
        v.task(20, (1, 0, 64))
    with v.process("makes", produces=[c]):
        with v.body("parallel_for", v.axis("i", 2)):
            v.task(4, None, (0, 0, 64))
            v.put("send", c, v.const(7))
            v.put("io_input", 0, v.region(0))
    with v.process("takes", consumes=[c]):
        with v.body("consume", c):
            v.put("io_output", 0, v.region(1))
            v.task(3, (1, 0, 64))
    return v.done(5), {"start": [0, 0, 4, 20, 23], "sends": [4, 8], "consumes": [6, 23], "total": 26, "empty": [1, 6], "full": [0, 0], "edges": set(),
                       "bytes": 512}


def payload_rendezvous():
    """The sender waits for who wrote what it sends, and with it the one that takes it."""
    v = Vector(deps=("explicit",))
    v.put("halt")
    c = v.channel("c", 0, 1, "payload")
    with v.process("writes"):
        v.task(10, None, (0, 0, 64))
    with v.process("sends", produces=[c]):
        v.put("send", c, v.const(7))
        v.put("io_input", 0, v.region(0))
        v.task(1)
    with v.process("takes", consumes=[c]):
        with v.body("consume", c):
            v.put("io_output", 0, v.region(1))
            v.task(1)
    return v.done(5), {"start": [0, 10, 11], "sends": [10], "consumes": [11], "total": 12, "empty": [1, 11], "full": [0, 0], "bytes": 256}


def rendezvous_behind_one_who_left():
    """Consumer a takes one token, works until 50 and ends; the third token waits for that, with both sides, as its turn comes to b only then."""
    v = Vector()
    v.put("halt")
    c = v.channel("c", 0, 0)
    with v.process("p", produces=[c]):
        with v.body("parallel_for", v.axis("i", 3)):
            v.put("send", c, v.const(7))
    with v.process("a", consumes=[c]):
        with v.body("consume", c):
            v.put("break")
        v.task(50)
    with v.process("b", consumes=[c]):
        with v.body("consume", c):
            v.task(1)
    return v.done(5), {"start": [0, 0, 50], "sends": [0, 0, 50], "consumes": [0, 0, 50], "total": 51, "empty": [1, 49], "full": [1, 50]}


def token_behind_one_who_left():
    """The same through a place: token 2 is there at 3 + 4, which b waits for from 6 on; it gets it when a is over, and that is no wait for a token."""
    v = Vector()
    v.put("halt")
    c = v.channel("c", 3, 4)
    with v.process("p", produces=[c]):
        with v.body("parallel_for", v.axis("i", 3)):
            v.task(1)
            v.put("send", c, v.const(7))
    with v.process("a", consumes=[c]):
        with v.body("consume", c):
            v.put("break")
        v.task(45)
    with v.process("b", consumes=[c]):
        with v.body("consume", c):
            v.put("nop")
    return v.done(5), {"sends": [1, 2, 3], "consumes": [5, 6, 50], "total": 50, "empty": [3, 5 + 1 + 1], "full": [0, 0]}


def slow_consumer():
    """Strict turns: four tokens are there at 0, and b, which is done at 1, takes the fourth at 10, behind a."""
    v = Vector()
    v.put("halt")
    c = v.channel("c", 4, 0)
    with v.process("p", produces=[c]):
        with v.body("parallel_for", v.axis("i", 4)):
            v.put("send", c, v.const(7))
    for name, cycles in (("a", 10), ("b", 1)):
        with v.process(name, consumes=[c]):
            with v.body("consume", c):
                v.task(cycles)
    return v.done(5), {"start": [0, 0, 10, 10], "sends": [0, 0, 0, 0], "consumes": [0, 0, 10, 10], "total": 20, "empty": [0, 0], "full": [0, 0]}


def slot_load_of_a_process():
    """The load itself waits for the element; setting a slot from one that is known later does not."""
    v = Vector()
    a, late = v.slot("a", 0), v.slot("late", 0)
    v.put("halt")
    with v.process("writes"):
        v.task(100, None, (0, 0, 64))
        v.put("slot_load", a, v.region(0, 0, 1))
    with v.process("loads"):
        v.put("slot_load", late, v.region(0, 0, 1))
        v.task(1)
    with v.process("sets"):
        v.put("slot_set", a, v.expr("value", slot="late"))
        v.task(1)
    return v.done(5), {"start": [0, 100, 0], "total": 101}


VECTORS = {f.__name__: f for f in (independent, scope_then_one, scopes_in_a_scope, scope_of_three, depth_of_a_loop, slot_load, depth_of_all,
                                   map_pool, pools_by_unit, for_each, overlap, processes, payload, payload_rendezvous,
                                   rendezvous_behind_one_who_left, token_behind_one_who_left, slow_consumer, slot_load_of_a_process)}


def observed(package):
    """What the model says, under the names that the vectors use."""
    try:
        m = model.run(model.Program(package))
    except model.Ended as ended:
        return {ended.kind: ended.task, "why": ended.why}
    out = {key: [getattr(t, key) for t in m.tasks] for key in ("start", "end", "executor")}
    out |= {"total": m.total(), "stalls": m.stalls, "high": m.high, "edges": {(d, t.number) for t in m.tasks for d in t.edges}}
    out["executors"] = len(m.processes) or sum(len(p.free) for p in m.pools.values())
    for c in m.channels:
        out |= {"sends": c.S, "consumes": c.C, "full": c.full, "empty": c.empty, "bytes": len(c.C) * c.block}
    return out


def differences(name):
    v, want = VECTORS[name]()
    got = observed(v.package(name))
    return [f"{key}: {got.get(key)} instead of {value}" for key, value in want.items()
            if key != "text" and got.get(key) != value and not (key == "high" and got[key]["task_ring"] == value["task_ring"])]


def main():
    failed = 0
    for name in VECTORS:
        wrong = differences(name)
        failed += bool(wrong)
        print(f"not ok model_vector_{name} - {'; '.join(wrong)}" if wrong else f"ok model_vector_{name}")
    if observed(scope_of_three(3)[0].package()).get("total") != 3:
        failed += 1
        print("not ok model_vector_scope_of_three_with_the_proposed_window - it does not end after 3 cycles")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
