# SPDX-License-Identifier: MIT
"""Packages of Python functions: what is traced computes what NumPy does, and mistakes are said at their lines."""
import inspect
import random

import numpy as np
import pytest

import ptowsp
from ptowsp import bf16, f16, f32, i8, i32


def line_of(text):
    """The line of this file that a marked statement stands at."""
    return next(n for n, line in enumerate(inspect.getsource(inspect.getmodule(line_of)).splitlines(), 1) if f"# {text}" in line and "line_of" not in line)


@ptowsp.func
def turn(x: f32[...], y: f32[...]):
    y.store(x.load(16, 64).T)


@ptowsp.func
def product(a: f32[...], b: f32[...], c: f32[...], scale: f32):
    c.store(a.load(16, 64) @ b.load(64, 64) * scale)


@ptowsp.func
def softmax(x: f32[...], y: f32[...]):
    t = x.load(16, 64)
    t = ptowsp.exp(t - t.max(axis=1))
    y.store(t / t.sum(axis=1))


rows = ptowsp.symbol("rows", 64)


@ptowsp.workload
def weights(q: f32[rows, 64], k: f32[64, 64], w: f32[rows, 64]):
    kt = ptowsp.temp(f32[64, 64])
    s = ptowsp.temp(f32[rows, 64])
    for j in ptowsp.range(0, 64, 16):
        turn(k[j, 0], kt[0, j])
    for i in ptowsp.range(0, rows, 16):
        product(q[i, 0], kt, s[i, 0], 0.125)  # the product
        softmax(s[i, 0], w[i, 0])


@pytest.mark.parametrize("backend", ["cpu_sim", "a2a3sim", "aie"])
def test_the_tutorial_s_program(backend):
    rng = np.random.default_rng(1)
    q, k = (rng.standard_normal((64, 64)).astype(np.float32) for _ in range(2))
    s = q.astype(np.float64) @ k.T / 8
    e = np.exp(s - s.max(1, keepdims=True))
    run = ptowsp.pack(weights, strict=True).load(backend).run(q=q, k=k)
    np.testing.assert_allclose(run["w"], e / e.sum(1, keepdims=True), atol=1e-6)
    assert run.statistics.tasks == 12


def test_the_source_reads_as_one_by_hand():
    text = ptowsp.source(weights).text()
    for line in ("tensor %w : f32[%rows, 64] out", "tensor %kt : f32[64, 64] temp", "parallel_for %j in 0 to 64 step 16 {", "%t0 = trowexpandsub %t0, %t1",
                 f"call @product(%a -> %q[%i, 0], %b -> %kt, %c -> %s[%i, 0], %scale -> 0.125) // @{line_of('the product')} test_tracing.py"):
        assert line in text


def test_a_run_s_mistake_names_the_line_of_python():
    with pytest.raises(ptowsp.Error, match=rf"^test_tracing.py:{line_of('the product')}.*: task 10, kernel product, touches 16 x 64 elements at 48, 0 of tensor q"):
        ptowsp.pack(weights).load("cpu_sim").run(rows=60, q=np.ones((60, 64), np.float32))


def one_task(body, inputs, output):
    """What a kernel makes of arrays, each a tile. body(tiles) gives the tile that is stored."""
    names = [f"x{n}" for n in range(len(inputs))]
    kinds = {"<f4": f32, "<f2": f16, "|i1": i8, "<i4": i32}

    def kernel(**memory):
        memory["y"].store(body(*[memory[name].load(*array.shape) for name, array in zip(names, inputs)]))

    def main(**tensors):
        made(**tensors)

    types = {name: kinds[array.dtype.str] for name, array in zip(names, inputs)} | {"y": kinds[output.dtype.str]}
    shapes = {name: array.shape for name, array in zip(names, inputs)} | {"y": output.shape}
    signature = lambda kind: inspect.Signature([inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, annotation=kind(n)) for n in types])
    kernel.__signature__, main.__signature__ = signature(lambda n: types[n][...]), signature(lambda n: types[n][shapes[n]])
    made = ptowsp.func(kernel)
    program = ptowsp.pack(ptowsp.workload(main), strict=True).load("cpu_sim", threads=1)
    return program.run(**dict(zip(names, inputs)))["y"]


OPERATIONS = [("+", lambda a, b: a + b), ("-", lambda a, b: a - b), ("*", lambda a, b: a * b), ("max", lambda a, b: (ptowsp.maximum if isinstance(a, ptowsp.Tile) else np.maximum)(a, b)),
              ("min", lambda a, b: (ptowsp.minimum if isinstance(a, ptowsp.Tile) else np.minimum)(a, b))]


@pytest.mark.parametrize("seed", range(25))
def test_random_kernels_are_what_numpy_makes(seed):
    """Tiles share rooms, columns and rows are repeated, some values are written in place: the same steps in NumPy, bit for bit."""
    draw = random.Random(seed)
    rng = np.random.default_rng(seed)
    shape = draw.choice([(4, 8), (1, 16), (7, 3), (8, 8)])
    inputs = [rng.standard_normal(s).astype(np.float32) for s in (shape, shape, (shape[0], 1), (1, shape[1]))]
    steps = [(draw.choice(OPERATIONS), draw.randrange(1000), draw.randrange(1000), draw.random() < 0.3, draw.uniform(-2, 2) if draw.random() < 0.2 else None)
             for _ in range(draw.randrange(3, 30))]

    def body(*values):
        full = [values[0] + 0.0, values[1] * 1.0]
        for (word, operation), a, b, in_place, number in steps:
            operands = full + list(values)
            left, right = full[a % len(full)], operands[b % len(operands)] if number is None else np.float32(number).item()
            if in_place and word in "+-*":
                made = left if isinstance(left, ptowsp.Tile) else left
                if word == "+":
                    made += right
                elif word == "-":
                    made -= right
                else:
                    made *= right
            else:
                full.append(operation(left, right) if number is None else operation(left, right))
        return full[-1] + full[0]

    with np.errstate(all="ignore"):
        expected = body(*[array.copy() for array in inputs])
    print("seed", seed)
    np.testing.assert_array_equal(one_task(body, inputs, expected), expected)


def test_operators_and_their_kin():
    rng = np.random.default_rng(3)
    a, b = rng.uniform(0.5, 2, (8, 8)).astype(np.float32), rng.uniform(0.5, 2, (8, 8)).astype(np.float32)
    cases = [
        (lambda t, u: 1 / t, 1 / a), (lambda t, u: 3 - t, 3 - a), (lambda t, u: 3 / t, 3 / a), (lambda t, u: -t, -a), (lambda t, u: abs(u - t), abs(b - a)),
        (lambda t, u: ptowsp.where(t > u, t, 0.0), np.where(a > b, a, 0)), (lambda t, u: ptowsp.where(t <= 1.0, u, t), np.where(a <= 1, b, a)),
        (lambda t, u: t.reshape(4, 16).part(1, 2, 2, 3), a.reshape(4, 16)[1:3, 2:5]), (lambda t, u: t.sum(axis=0) + u, b + a.sum(0)),
        (lambda t, u: u - t.max(axis=0), b - a.max(0)), (lambda t, u: t.min(axis=1) * u, a.min(1, keepdims=True) * b),
        (lambda t, u: ptowsp.full((8, 8), 2.5) + t, a + 2.5), (lambda t, u: ptowsp.sqrt(t), np.sqrt(a)), (lambda t, u: ptowsp.relu(t - u), np.maximum(a - b, 0)),
        (lambda t, u: ptowsp.matmul(t, u, bias=u.part(0, 0, 1, 8)), a @ b + b[:1]), (lambda t, u: ptowsp.op("tlrelu", t - u, 0.5), np.where(a > b, a - b, (a - b) / 2)),
        (lambda t, u: ptowsp.exp(t), np.exp(a)), (lambda t, u: ptowsp.tanh(u), np.tanh(b)), (lambda t, u: ptowsp.sigmoid(u), 1 / (1 + np.exp(-b))),
    ]
    for body, expected in cases:
        expected = np.asarray(expected, np.float32)
        np.testing.assert_allclose(one_task(body, [a, b], expected), expected, rtol=2e-6, atol=1e-6)
    whole = np.arange(16, dtype=np.int32).reshape(4, 4)
    for body, expected in [(lambda t: t << 2, whole << 2), (lambda t: (t & 5) | (t ^ 1), (whole & 5) | (whole ^ 1)), (lambda t: ~t, ~whole), (lambda t: t % 3, whole % 3),
                           (lambda t: t // 3, whole // 3), (lambda t: ptowsp.arange((4, 4), 2) + t, whole * 2 + 2)]:
        np.testing.assert_array_equal(one_task(body, [whole], expected), expected)
    small = rng.integers(-9, 9, (4, 4)).astype(np.int8)
    np.testing.assert_array_equal(one_task(lambda t: t @ t, [small], np.zeros((4, 4), np.int32)), small.astype(np.int32) @ small)
    half = rng.random((4, 4)).astype(np.float16)
    np.testing.assert_array_equal(one_task(lambda t: (t.astype(f32) * 2).astype("f16"), [half], half), half * 2)


@ptowsp.func
def walk(x: f32[...], y: f32[...], n: i32, columns):
    total = ptowsp.zeros((4, columns))
    for i in ptowsp.range(n):
        t = x.load(4, columns, at=(i, 0))
        total += t * 0.5
        with ptowsp.when(i == 2):
            total *= 2
        with ptowsp.otherwise():
            total += 1
    y.store(total)


def test_loops_and_branches_in_kernels():
    @ptowsp.workload
    def main(x: f32[20, 8], y: f32[4, 8]):
        walk(x, y, 5, columns=8)

    x = np.arange(160, dtype=np.float32).reshape(20, 8)
    expected = np.zeros((4, 8), np.float32)
    for i in range(5):
        expected += x[4 * i : 4 * i + 4] * 0.5
        expected = expected * 2 if i == 2 else expected + 1
    package = ptowsp.pack(main, strict=True)
    assert "walk.8" in package.entries
    np.testing.assert_array_equal(package.load("cpu_sim").run(x=x)["y"], expected)


@ptowsp.func
def bump(x: f32[...]):
    x.store(x.load(1, 8) + 1)


def test_statements_of_workloads():
    n, left = ptowsp.symbol("n", 4), ptowsp.slot("left")

    @ptowsp.workload
    def main(x: f32[32, 8], counts: i32[4], out: f32[8, 8]):
        first = bump(x[0, 0])
        bump(x[1, 0], after=first)
        for i in ptowsp.ordered(n):
            with ptowsp.when(i % 2 == 0):
                bump(x[i * 2, 0])
            with ptowsp.otherwise():
                bump(x[i * 2 + 1, 0])
        left.load(counts[0, ])
        for _ in ptowsp.repeat_while(lambda: left > 0):
            left.set(left - 1)
            bump(x[16 + left, 0])
        for b in ptowsp.range(3):
            for j in ptowsp.ragged("rows", [1, 0, 2])[b]:
                bump(x[24 + b + j, 0])
        with ptowsp.scope():
            ptowsp.copy(x[0:8, 0:8], out)
        ptowsp.sequential(lambda: bump(out[0, 0]), lambda: bump(out[0, 0]))
        ptowsp.combine(lambda: bump(out[1, 0]), lambda: bump(out[2, 0]))
        ptowsp.barrier()

    x, expected = np.zeros((32, 8), np.float32), np.zeros((32, 8), np.float32)
    for row in (0, 1, 0, 3, 4, 7, 16, 17, 18, 24, 26, 27):
        expected[row] += 1
    run = ptowsp.pack(main).load("cpu_sim").run(x=x, counts=np.array([3, 0, 0, 0], np.int32))
    np.testing.assert_array_equal(x, expected)
    after = expected[:8].copy()
    after[:3] += [[2], [1], [1]]
    np.testing.assert_array_equal(run["out"], after)
    assert next(t.role for t in run._program.tensors if t.name == "counts") == "in"


def test_processes_meet_in_channels():
    ready, blocks = ptowsp.channel("ready", capacity=4, latency=10), ptowsp.channel("blocks", f32[4, 8], capacity=2)

    @ptowsp.workload
    def main(source: f32[16, 8], place: f32[4, 8], target: f32[16, 8]):
        pass

    @ptowsp.process
    def load(source: f32[16, 8]):
        for i in ptowsp.range(4):
            blocks.send(i, source[i * 4, 0])

    @ptowsp.process
    def work(place: f32[4, 8].inout, target: f32[16, 8].inout):
        for t in blocks.consume(lambda t: place[0, 0]):
            bump(place[0, 0])
            ptowsp.copy(place[0:4, 0:8], target[t * 4, 0])
            ready.send(t)

    @ptowsp.process
    def last(target: f32[16, 8].inout):
        for t in ready.consume():
            bump(target[t * 4 + 3, 0])

    x = np.random.default_rng(5).random((16, 8), np.float32)
    expected = x.copy()
    expected[0::4] += 1
    expected[3::4] += 1
    run = ptowsp.pack(load, work, last, name="pipeline").load("cpu_sim").run(source=x)
    np.testing.assert_array_equal(run["target"], expected)
    assert [(c.name, c.sends) for c in run.statistics.channels] == [("ready", 4), ("blocks", 4)] or {c.name: c.sends for c in run.statistics.channels} == {"ready": 4, "blocks": 4}


def refused(sentence, line, body, **memory):
    """The kernel is refused with that sentence at that line of this file."""
    kernel = ptowsp.func(body)

    def main(x: f32[64, 16], y: f32[64, 16]):
        kernel(x, y)

    with pytest.raises(ptowsp.TraceError, match=sentence) as caught:
        ptowsp.source(ptowsp.workload(main))
    assert caught.value.filename == __file__ and caught.value.line == line_of(line), caught.value


def test_mistakes_are_said_at_their_line():
    def rebound(x: f32[...], y: f32[...]):
        total = ptowsp.zeros((4, 4))
        for i in ptowsp.range(3):  # rebound
            total = total + x.load(4, 4, at=(i, 0))
        y.store(total)

    def outside(x: f32[...], y: f32[...]):
        for i in ptowsp.range(3):
            t = x.load(4, 4, at=(i, 0))
        y.store(t)  # outside

    def types(x: f32[...], y: f32[...]):
        y.store(x.load(4, 4) + ptowsp.zeros((4, 4), "i32"))  # types

    def shapes(x: f32[...], y: f32[...]):
        y.store(x.load(4, 4) + x.load(4, 5))  # shapes

    def truth(x: f32[...], y: f32[...]):
        if x.load(4, 4) > 0:  # truth
            pass

    def memory(x: f32[...], y: f32[...]):
        y.store(x.load(4, 4).astype(i32))  # memory

    def none(x: f32[...], y: f32[...]):
        ptowsp.op("tnix", x.load(4, 4))  # none

    refused("total is bound to another tile in each round", "rebound", rebound)
    refused("stands in a loop or branch that is over", "outside", outside)
    refused("convert one with astype|do not go together|one type", "types", types)
    refused("4 x 4 and 4 x 5 do not go together", "shapes", shapes)
    refused("has no truth", "truth", truth)
    refused("y is memory of f32, the tile of i32", "memory", memory)
    refused("there is no operation 'tnix'", "none", none)


def test_the_packer_s_sentences_stand_at_lines_of_python():
    @ptowsp.workload
    def main(x: f32[32, 8], y: f32[32, 8]):
        for i in ptowsp.range(5):
            ptowsp.copy(x[i * 8 : i * 8 + 8, 0:8], y[i * 8, 0])  # beyond

    with pytest.raises(ptowsp.SourceError, match="rows 32 to 39 of %x are outside") as caught:
        ptowsp.pack(main)
    assert str(caught.value).startswith(f"{__file__}:{line_of('beyond')}: error: ") and "ptowsp.copy(x[i * 8" in str(caught.value)

    @ptowsp.workload
    def unused(x: f32[32, 8], y: f32[32, 8].out):
        bump(x[0, 0])

    with pytest.warns(ptowsp.SourceWarning, match="y"):
        ptowsp.pack(unused)
    with pytest.raises(ptowsp.SourceError):
        ptowsp.pack(unused, strict=True)


def test_a_package_keeps_data_and_schedule():
    @ptowsp.workload
    def main(x: f32[4, 8]):
        for i in ptowsp.range(4):
            bump(x[i, 0])

    x = np.random.default_rng(2).random((4, 8), np.float32)
    package = ptowsp.pack(main, name="kept", schedule=["dispatch round_robin(2)", "task_window 2 tasks stall"], data={"x": x}, expected={"x": x + 1}, targets=("cpu_sim",))
    program = package.load("cpu_sim")
    run = program.run()
    assert package.name == "kept" and package.targets == ["cpu_sim"] and run.statistics.executors == 2 and run.statistics.task_window == 2
    np.testing.assert_array_equal(run["x"], program.sample("x", "expected"))


def test_a_tile_of_a_type_is_itself_there():
    x = np.array([[1.25, -2.5, 3.75, 0.1]], np.float32)
    assert np.array_equal(one_task(lambda t: t.astype(f32), [x], x), x)
    assert np.array_equal(one_task(lambda t: t.astype(f32, "FLOOR"), [x], x), np.floor(x))


length = ptowsp.symbol("length", 37)


@ptowsp.workload
def any_length(x: f32[length, 50], y: f32[length, 50]):
    for i in ptowsp.range(0, length, 16):
        softmax(x[i : ptowsp.minimum(i + 16, length), 0:50], y[i : ptowsp.minimum(i + 16, length), 0:50])


def test_what_is_left_of_a_length_is_a_part_of_a_tile():
    package = ptowsp.pack(any_length, strict=True)
    for rows in (37, 16, 1):
        x = np.random.default_rng(rows).standard_normal((rows, 50)).astype(np.float32)
        got = package.load().run(length=rows, x=x)["y"]
        wanted = np.exp(x - x.max(1, keepdims=True))
        assert np.allclose(got, wanted / wanted.sum(1, keepdims=True), atol=1e-6)


def refused_workload(sentence, line, python):
    with pytest.raises(ptowsp.TraceError, match=sentence) as caught:
        ptowsp.source(ptowsp.workload(python))
    assert caught.value.line == line_of(line), caught.value


def test_what_a_round_binds_anew_is_said():
    def scalar(x: f32[...], y: f32[...]):
        t = x.item(3)
        for i in ptowsp.range(4):  # scalar
            t = t + 1.0
        y.store(ptowsp.full((8, 16), t))

    def branch(x: f32[...], y: f32[...]):
        t = x.item(3)
        with ptowsp.when(t > 0.0):  # branch
            t = t + 1.0
        y.store(ptowsp.full((8, 16), t))

    def left(x: f32[...], y: f32[...]):
        for i in ptowsp.range(4):  # left
            y.store(x.load(8, 16))
            break

    def expression(x: f32[32, 8], y: f32[32, 8]):
        r = ptowsp.symbol("r", 0) * 1
        for i in ptowsp.range(4):  # expression
            ptowsp.copy(x[r, 0], y[r, 0])
            r = r + 8

    def number(x: f32[32, 8], y: f32[32, 8]):
        r = 0
        for i in ptowsp.range(4):  # number
            ptowsp.copy(x[r : r + 8, 0:8], y[r, 0])
            r += 8

    def taken(x: f32[32, 8], y: f32[32, 8]):
        r = 0
        with ptowsp.when(ptowsp.symbol("r", 0)):  # taken
            r = 8
        ptowsp.copy(x[r : r + 8, 0:8], y[r, 0])

    refused("t is bound to another value in each round", "scalar", scalar)
    refused("t is bound to another value in a branch", "branch", branch)
    refused("cannot be left", "left", left)
    refused_workload("r is bound to another value in each round", "expression", expression)
    refused_workload("r is bound to another value in each round", "number", number)
    refused_workload("r is bound to another value in a branch", "taken", taken)


def test_names_are_free_where_no_round_reads_the_last():
    @ptowsp.func
    def sums(x: f32[...], y: f32[...], n: i32):
        s = x.item(0)
        for i in ptowsp.range(4):
            s = x.item(i)
            for i in ptowsp.range(2):
                y.put(i, s)
        with ptowsp.when(n == 1):
            s = x.item(1)
            y.put(0, s)
        with ptowsp.otherwise():
            s = x.item(2)
            y.put(0, s)

    @ptowsp.workload
    def main(x: f32[4, 8], y: f32[1, 8].out):
        r = 1
        for i in ptowsp.range(1):
            r = 1
            sums(x, y, r)

    assert ptowsp.pack(main).load().run(x=np.arange(32, dtype=np.float32).reshape(4, 8))["y"][0, :2].tolist() == [1, 3]


def test_a_tensor_has_no_steps_and_no_values():
    def step(x: f32[32, 8], y: f32[8, 8]):
        ptowsp.copy(x[0:16:2, 0:8], y[0, 0])  # step

    def values(x: f32[32, 8], y: f32[32, 8]):
        for r in x:  # values
            ptowsp.copy(r, y)

    refused_workload("has no step", "step", step)
    refused_workload("no values to loop over", "values", values)


def test_constants_that_are_equal_are_not_the_same():
    @ptowsp.func
    def kind(y: f32[...], v):
        y.store(ptowsp.full((1, 8), {bool: 7, int: 1, float: 2, list: 3}[type(v)] + (5 if str(v) == "-0.0" else 0)))

    @ptowsp.workload
    def main(y: f32[6, 8]):
        for row, v in enumerate((1, True, 1.0, 0.0, -0.0, [1])):
            kind(y[row, 0], v)

    assert ptowsp.pack(main).load().run()["y"][:, 0].tolist() == [1, 7, 2, 2, 7, 3]


def test_sparse_rows_are_walked():
    @ptowsp.workload
    def main(x: f32[4, 8], y: f32[4, 8]):
        near = ptowsp.sparse("near", [0, 1, 2, 3, 4], [3, 2, 1, 0])
        for b in ptowsp.range(4):
            for j in near[b]:
                ptowsp.copy(x[j : j + 1, 0:8], y[b, 0])

    x = np.arange(32, dtype=np.float32).reshape(4, 8)
    assert np.array_equal(ptowsp.pack(main, strict=True).load().run(x=x)["y"], x[::-1])


def test_whole_numbers_divide_toward_zero_and_others_not_at_all():
    @ptowsp.func
    def divide(x: i32[...], y: i32[...], z: i32[...]):
        t = x.load(1, 8)
        y.store(t // 7)
        z.store(t % 7)

    @ptowsp.workload
    def main(x: i32[1, 8], y: i32[1, 8], z: i32[1, 8]):
        divide(x, y, z)

    x = np.array([[-64, 64, -7, 7, -1, 1, 0, 6]], np.int32)
    run = ptowsp.pack(main).load().run(x=x)
    assert np.array_equal(run["y"], np.trunc(x / 7)) and np.array_equal(run["z"], np.fmod(x, 7))

    def floats(x: f32[...], y: f32[...]):
        y.store(x.load(4, 4) // 2.0)  # floats

    refused("// is of whole numbers", "floats", floats)


def test_a_product_that_is_added_is_there_still():
    @ptowsp.func
    def both(a: f32[...], y: f32[...], z: f32[...]):
        t = a.load(4, 4)
        total = ptowsp.zeros((4, 4))
        p = t @ t
        total += p
        y.store(total)
        z.store(p)

    @ptowsp.workload
    def main(a: f32[4, 4], y: f32[4, 4], z: f32[4, 4]):
        both(a, y, z)

    a = np.arange(16, dtype=np.float32).reshape(4, 4)
    run = ptowsp.pack(main).load().run(a=a)
    assert np.array_equal(run["y"], a @ a) and np.array_equal(run["z"], a @ a)


def test_a_declaration_s_mistake_stands_at_its_line():
    @ptowsp.workload
    def main(x: f32[4, 8], y: f32[4, 8]):
        t = ptowsp.temp(f32[4, 8])  # declared
        ptowsp.copy(t, y)

    with pytest.raises(ptowsp.SourceError) as caught:
        ptowsp.pack(main, strict=True)
    assert f"{__file__}:{line_of('declared')}: " in str(caught.value)


def test_a_task_s_mistake_names_the_file_of_python():
    @ptowsp.func
    def beyond(x: f32[...], y: f32[...], n: i32):
        y.store(x.load(8, 16, at=(n, 0)))  # read beyond

    @ptowsp.workload
    def main(x: f32[8, 16], y: f32[8, 16]):
        beyond(x, y, 3)

    with pytest.raises(ptowsp.Error) as caught:
        ptowsp.pack(main).load().run(x=np.ones((8, 16), np.float32))
    assert f"({__file__}:{line_of('read beyond')})" in str(caught.value), caught.value
