# SPDX-License-Identifier: MIT
"""races.py - specification, section 2: the first task of a run by the model that is unordered with an earlier one of its window with which it conflicts."""


def conflict(a, b):
    return any(x[1] == y[1] and (x[4] or y[4]) and x[2] & y[2] for x in a.accesses for y in b.accesses)


def ordered(a, b):
    """By an edge, by a barrier of an ordered construct or by a stream; a is earlier."""
    steps = {id(order): step for order, step in zip(a.here.orders, a.steps)}
    return a.number in b.edges or any(steps.get(id(order), step) < step for order, step in zip(b.here.orders, b.steps)) or (b.stream is not None and a.stream == b.stream)


def first(machine):
    """Its number; None: there is none."""
    before = []
    for t in machine.tasks:
        mine = set()
        for p in machine.tasks[:t.number]:
            if ordered(p, t):
                mine |= before[p.number] | {p.number}
        before.append(mine)
        window = machine.tasks[max(0, t.number - machine.window + 1) if machine.window else 0:t.number]
        if any(p.number not in mine and conflict(p, t) for p in window):
            return t.number
    return None
