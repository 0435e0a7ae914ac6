# SPDX-License-Identifier: MIT
"""instances.py - the model with several scheduler instances (specification, section 9): issue clock, ring, map, dependency and ready places are
each instance's own, the last task of an instance included; all else is that of one. Without what the tools refuse by name: processes, events,
fences, heap, versions, branches in turn, filters.

A bounded window W is remembered for W * N numbers: older tasks have no edges, and have ended before a task is issued.
"""
import types

import model


class Walker(model.Process):
    """`now` and `mine` are those of the instance whose task is being issued; outside of tasks the latest clock, and what moves it moves all."""
    @property
    def now(self):
        return max(self.m.nows) if self.m.owner is None else self.m.nows[self.m.owner]

    @now.setter
    def now(self, value):
        self.m.nows = [value if self.m.owner in (None, o) else now for o, now in enumerate(self.m.nows)]

    @property
    def mine(self):
        return self.m.mines[self.m.owner]

    @mine.setter
    def mine(self, tasks):
        """The machine has them."""

    def wait_for(self, slots, time=0):
        least = max([time] + [self.m.V.get(s, 0) for s in slots])
        self.m.nows = [max(now, least) if self.m.owner in (None, o) else now for o, now in enumerate(self.m.nows)]

    def do_scope(self, at, _, end, here):
        scope = types.SimpleNamespace(outer=here.scope, closed=None, last=None, versions=[])
        left = yield from self.body(at + 1, end, here._replace(scope=scope))
        scope.closed = list(self.m.nows)
        return end, left


class Instances(model.Machine):
    def __init__(self, program, n, dispatch=None):
        super().__init__(program, 0, dispatch)
        self.n, self.nows, self.mines, self.owner = n, [0] * n, [[] for _ in range(n)], None
        self.window *= n

    def owner_of(self, p, t):
        policy, arguments = self.dispatch
        named = [v for name, v, parallel in t.here.loops if (parallel if policy == "grid" else name == arguments[0])]
        if policy == "grid":
            return self.pick(p, self.place(p, t), t, *self.dispatch) % self.n
        if policy == "affinity":
            return ([0] + named)[-1] % self.n
        if policy == "static_partition":
            return sum(1 for b in arguments if b <= t.number) % self.n
        if policy in ("custom", "hash"):
            value = p.evaluate(arguments[0]["expr"], t.here)
            return (model.mix64(value) if policy == "hash" else value) % self.n
        return t.number % self.n

    def F(self, i):
        left = 0
        for t in self.tasks[:i + 1]:
            if t.owner == self.owner:
                if t.here.scope and t.here.scope.closed is None:
                    return None
                left = max(left, t.end, t.here.scope.closed[t.owner] if t.here.scope else 0)
        return left

    def use(self, resource, pool, time):
        mine = [t for t in self.tasks if t.owner == self.owner and (resource != "ready" or t.pool is pool)]
        held = [(t.need[resource], t.start if resource == "ready" else self.F(t.number)) for t in mine]
        return sum(n for n, back in held if back is None or back > time), sorted({back for _, back in held if back is not None})

    def reserve_all(self, p, needs, pool=None):
        """What the map has forgotten has ended: a stall of the ring."""
        ended = max([t.end for t in self.tasks[:max(0, len(self.tasks) - self.window + 1)]], default=0) if self.window else 0
        if ended > p.now and self.mode != "benchmark":
            count, cycles = self.stalls.get("task_ring", (0, 0))
            self.stalls["task_ring"] = count + 1, cycles + ended - p.now
            p.now = ended
        return super().reserve_all(p, needs, pool)

    def issue(self, p, t):
        self.owner = t.owner = self.owner_of(p, t)
        done = super().issue(p, t)
        self.owner = None
        return done

    def run(self, pipeline=False):
        self.take_turns([Walker(self, self.program.entry.get("instruction", 0))])
        return self

    def crossing(self):
        """(edges between instances, ends that another instance has to hear of)"""
        cross = [(d, t.owner) for t in self.tasks for d in t.edges if self.tasks[d].owner != t.owner]
        return len(cross), len(set(cross))


def run(program, n):
    return Instances(program, n).run()
