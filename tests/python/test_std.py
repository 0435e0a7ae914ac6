# SPDX-License-Identifier: MIT
"""The library of sources, packages/std: each function beside NumPy; functions on tiles, floats made of integers, and what is refused."""
import math

import numpy as np
import pytest

import ptowsp

TYPES = {"|i1": "i8", "<i2": "i16", "<i4": "i32", "<i8": "i64", "|u1": "u8", "<u2": "u16", "<u4": "u32", "<u8": "u64", "<f2": "f16", "<f4": "f32", "<f8": "f64"}
random = np.random.default_rng(5)
X = random.standard_normal((8, 16)).astype(np.float32)
ROW = random.standard_normal((1, 16)).astype(np.float32)
COLUMN = random.standard_normal((8, 1)).astype(np.float32)


def on_tiles(call, inputs, outputs, backend="cpu_sim", scalars=""):
    """What a call of a function on tiles makes: `call` names tiles by the names of the arrays; inputs by name, outputs by name as arrays of zeros."""
    arrays = {**inputs, **outputs}
    kind = {name: f"{array.shape[0]}x{array.shape[1]}x{TYPES[array.dtype.str]}" for name, array in arrays.items()}
    lines = ['include "std/all.pto"'] + [f"tensor %{n} : {TYPES[a.dtype.str]}[{a.shape[0]}, {a.shape[1]}] {'out' if n in outputs else 'in'}" for n, a in arrays.items()]
    lines += ["func @it(" + ", ".join(f"%{n}: !pto.memref<gm,...,{TYPES[a.dtype.str]}>" for n, a in arrays.items()) + ") {"]
    lines += [f"  %t{n} = alloc_tile : !pto.tile<{k}>" for n, k in kind.items()] + [f"  %t{n} = tload %{n}[0, 0]" for n in inputs]
    lines += [f"  CALL @std.{call}", *[f"  tstore %t{n}, %{n}[0, 0]" for n in outputs], "  return", "}"]
    lines += ["workload @main { call @it(" + ", ".join(f"%{n} -> %{n}" for n in arrays) + ") }"]
    run = ptowsp.pack_text("\n".join(lines) + "\n", strict=True).load(backend).run(**inputs)
    return [run[name] for name in outputs]


def softmax(x):
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def erf(x):
    return np.vectorize(math.erf)(x)


def turned(x):
    half = x.shape[1] // 2
    return np.concatenate([-x[:, half:], x[:, :half]], axis=1)


COS, SIN = (random.standard_normal((8, 16)).astype(np.float32) for _ in "12")
MEAN, DEVIATION = X.mean(1, keepdims=True), np.sqrt(X.var(1, keepdims=True) + 1e-5)
CASES = {
    "softmax<8, 16, f32>(%x -> %tx, %y -> %ty)": ({"x": X}, softmax(X)),
    "log_softmax<8, 16, f32>(%x -> %tx, %y -> %ty)": ({"x": X}, np.log(softmax(X))),
    "layer_norm<8, 16, f32>(%x -> %tx, %scale -> %tg, %shift -> %th, %y -> %ty, %epsilon -> 1e-5)": ({"x": X, "g": ROW, "h": ROW[:, ::-1].copy()}, (X - MEAN) / DEVIATION * ROW + ROW[:, ::-1]),
    "rms_norm<8, 16, f32>(%x -> %tx, %scale -> %tg, %y -> %ty, %epsilon -> 1e-5)": ({"x": X, "g": ROW}, X / np.sqrt((X * X).mean(1, keepdims=True) + 1e-5) * ROW),
    "gelu<8, 16, f32>(%x -> %tx, %y -> %ty)": ({"x": X}, X / 2 * (1 + erf(X / math.sqrt(2)))),
    "gelu_tanh<8, 16, f32>(%x -> %tx, %y -> %ty)": ({"x": X}, X / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (X + 0.044715 * X**3)))),
    "softplus<8, 16, f32>(%x -> %tx, %y -> %ty)": ({"x": X * 40}, np.logaddexp(0, X.astype(np.float64) * 40)),
    "tpow<8, 16, f32>(%x -> %tx, %p -> %tp, %y -> %ty)": ({"x": abs(X), "p": SIN}, abs(X).astype(np.float64) ** SIN),
    "tpows<8, 16, f32>(%x -> %tx, %y -> %ty, %p -> 3)": ({"x": abs(X)}, abs(X).astype(np.float64) ** 3),
    "rope<8, 16, 8, f32>(%x -> %tx, %cos -> %tc, %sin -> %ts, %y -> %ty)": ({"x": X, "c": COS, "s": SIN}, X * COS + turned(X) * SIN),
    "trowexpandadd<8, 16, f32>(%a -> %tx, %b -> %tb, %d -> %ty)": ({"x": X, "b": COLUMN}, X + COLUMN),
    **{f"tcolexpand{word}<8, 16, f32>(%a -> %tx, %b -> %tb, %d -> %ty)": ({"x": X, "b": ROW}, op(X, ROW))
       for word, op in (("add", np.add), ("sub", np.subtract), ("mul", np.multiply), ("div", np.divide))},
    "attention<8, 6, 16, f32>(%q -> %tx, %k -> %tk, %v -> %tv, %o -> %ty, %scale -> 0.25)": ({"x": X, "k": COS[:6], "v": SIN[:6]}, softmax(X @ COS[:6].T / 4) @ SIN[:6]),
    "causal_attention<8, 8, 16, f32>(%q -> %tx, %k -> %tk, %v -> %tv, %o -> %ty, %scale -> 0.25, %first -> 0)":
        ({"x": X, "k": COS, "v": SIN}, softmax(np.where(np.tri(8) > 0, X @ COS.T / 4, -np.inf)) @ SIN),
    "tsin<8, 16>(%x -> %tx, %y -> %ty)": ({"x": X * 2000}, np.sin((X * 2000).astype(np.float64))),
    "tcos<8, 16>(%x -> %tx, %y -> %ty)": ({"x": X * 5}, np.cos((X * 5).astype(np.float64))),
    "concat<8, 16, 1, 17, f32>(%a -> %tx, %b -> %tb, %d -> %ty)": ({"x": X, "b": COLUMN}, np.concatenate([X, COLUMN], axis=1)),
}


@pytest.mark.parametrize("call", CASES)
def test_functions_on_tiles(call):
    inputs, wanted = CASES[call]
    made, = on_tiles(call, inputs, {"y": np.zeros(wanted.shape, np.float32)})
    np.testing.assert_allclose(made, wanted, rtol=2e-5, atol=2e-6)


def test_softplus_keeps_small_results_and_nan():
    x = np.linspace(-40, 2, 128, dtype=np.float32).reshape(8, 16)
    x[0, :3] = np.nan, np.inf, -np.inf
    made, = on_tiles("softplus<8, 16, f32>(%x -> %tx, %y -> %ty)", {"x": x}, {"y": np.zeros_like(x)})
    np.testing.assert_allclose(made, np.logaddexp(0, x.astype(np.float64)), rtol=1e-6)


@pytest.mark.parametrize("backend", ["a2a3sim", "aie"])
def test_other_backends_make_the_same(backend):
    for call in ("layer_norm", "rope", "causal", "concat"):
        call = next(case for case in CASES if case.startswith(call))
        inputs, wanted = CASES[call]
        outputs = {"y": np.zeros(wanted.shape, np.float32)}
        assert np.array_equal(on_tiles(call, inputs, outputs, backend)[0], on_tiles(call, inputs, outputs)[0])


def test_numbers_of_the_largest():
    x = np.round(X * 2).astype(np.float32)  # with equal ones
    first = np.argsort(-x, axis=1, kind="stable")[:, :5]
    values, numbers = on_tiles("topk<8, 16, 5, f32>(%x -> %tx, %values -> %tv, %numbers -> %tn)", {"x": x}, {"v": np.zeros((8, 5), np.float32), "n": np.zeros((8, 5), np.int32)})
    assert np.array_equal(numbers, first) and np.array_equal(values, np.take_along_axis(x, first, 1))
    for word, wanted in (("argmax", x.argmax(1)), ("argmin", x.argmin(1))):
        made, = on_tiles(f"{word}<8, 16, f32>(%x -> %tx, %at -> %ta)", {"x": x}, {"a": np.zeros((8, 1), np.int32)})
        assert np.array_equal(made[:, 0], wanted)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, np.float16, np.float64])
def test_ends_of_every_type(dtype):
    """The least number of a type has no negative one, and of unsigned ones only 0 has."""
    whole = np.dtype(dtype).kind != "f"
    least, most = (np.iinfo(dtype).min, np.iinfo(dtype).max) if whole else (-np.inf, np.inf)
    x = random.integers(1, 99, (8, 16)).astype(dtype)
    x[0, 3], x[1, 5], x[2, 7], x[3], x[4], x[5, 2:4] = least, 0, most, least, most, (least, most)
    name = TYPES[x.dtype.str]
    for word, wanted in (("argmax", x.argmax(1)), ("argmin", x.argmin(1))):
        made, = on_tiles(f"{word}<8, 16, {name}>(%x -> %tx, %at -> %ta)", {"x": x}, {"a": np.zeros((8, 1), np.int32)})
        assert np.array_equal(made[:, 0], wanted), word


def test_quantised_and_back():
    x = X.copy()
    x[3] = 0
    q, scale = on_tiles("quantise<8, 16>(%x -> %tx, %q -> %tq, %scale -> %ts)", {"x": x}, {"q": np.zeros((8, 16), np.int8), "s": np.zeros((8, 1), np.float32)})
    wanted = np.abs(x).max(1, keepdims=True) / np.float32(127)
    wanted[3] = 1
    assert np.array_equal(scale, wanted) and np.array_equal(q, np.rint(x / wanted).astype(np.int8))
    back, = on_tiles("dequantise<8, 16>(%q -> %tq, %scale -> %ts, %x -> %ty)", {"q": q, "s": scale}, {"y": np.zeros((8, 16), np.float32)})
    assert np.array_equal(back, q * scale)
    sums = random.integers(-9000, 9000, (8, 16)).astype(np.int32)
    q, = on_tiles("requantise<8, 16>(%sum -> %ti, %row -> %tr, %column -> %tc, %q -> %tq, %to -> 2)", {"i": sums, "r": abs(COLUMN) / 100, "c": abs(ROW)}, {"q": np.zeros((8, 16), np.int8)})
    exact = sums.astype(np.float32) * (abs(COLUMN) / 100) * abs(ROW) / np.float32(2)
    assert np.array_equal(q, np.clip(np.rint(exact), -128, 127).astype(np.int8))


def test_tasks_of_the_library():
    source = """include "std/softmax.pto"
        tensor %x : f32[32, 16] in
        tensor %y : f32[32, 16] out
        workload @main { parallel_for %i in 0 to 32 step 8 { call @std.softmax_task<8, 16, f32>(%x -> %x[%i, 0], %y -> %y[%i, 0]) } }
        """
    x = random.standard_normal((32, 16)).astype(np.float32)
    np.testing.assert_allclose(ptowsp.pack_text(source, strict=True).load("cpu_sim").run(x)["y"], softmax(x), rtol=2e-5, atol=2e-6)


FLOATS = """
symbol %n : i64 = 4
tensor %y : T[9, 4] out
func @fill(%b: !pto.memref<gm,...,T>, %s: T) {
  %t = alloc_tile : !pto.tile<1x4xT>
  %t = texpands %s
  tstore %t, %b[0, 0]
  return
}
workload @main { parallel_for %i in 0 to 9 { call @fill(%b -> %y[%i, 0], %s -> (%i - 4) * %n) } }
"""


@pytest.mark.parametrize("backend", ["cpu_sim", "a2a3sim", "aie"])
def test_a_float_argument_of_integers(backend):
    for word, dtype in (("f32", np.float32), ("f64", np.float64), ("f16", np.float16)):
        program = ptowsp.pack_text(FLOATS.replace("T", word), strict=True).load(backend)
        for n in (4, -1, 16777217, 33554435, 2**60 + 1, 16380, -(2**61)):
            with np.errstate(over="ignore"):
                wanted = np.array([np.int64(i - 4) * n for i in range(9)], np.int64).astype(dtype)
            assert np.array_equal(program.run(n=n)["y"], np.repeat(wanted[:, None], 4, axis=1)), (word, n)


def test_what_is_refused():
    tiles = "func @f(%t: !pto.tile<8x8xf32>) {\n  %t = tabs %t\n  return\n}\n"
    for source, sentence in (
            (tiles + "tensor %x : f32[8, 8] inout\nworkload @main { call @f(%t -> %x) }\n", "@f takes tiles: it is expanded in InCore functions that call it, and is no task"),
            (tiles + "func @g(%m: !pto.memref<gm,...,f32>) {\n  %u = alloc_tile : !pto.tile<8x4xf32>\n  CALL @f(%t -> %u)\n  return\n}\n",
             "%u is !pto.tile<8x4xf32>, the parameter %t is !pto.tile<8x8xf32>"),
            (tiles + "func @g(%m: !pto.memref<gm,...,f32>) {\n  CALL @f()\n  return\n}\n", "@f needs its tile %t"),
            (tiles + "func @g(%m: !pto.memref<gm,...,f32>) {\n  %u = alloc_tile : !pto.tile<8x8xf32>\n  CALL @f(%t -> %u)\n  tstore %u, %m[0, 0]\n  return\n}\n",
             "CALL reads tile %u, which nothing in @g has written by then: it holds zeros")):
        with pytest.raises(ptowsp.SourceError) as refused:
            ptowsp.pack_text(source, strict=True)
        assert sentence in str(refused.value)


def test_a_call_passes_by_name_what_it_does_not_name(tmp_path):
    """The listing of the softmax module as it stands, without its remarks; a second file has what it calls and does not show."""
    (tmp_path / "listing.pto").write_text("""// PTO Module: softmax_module
// Entry: @dynamic_softmax
// Function Type: InCore
func @rowmax(%input: !pto.memref<gm,...,f32>, %output: !pto.memref<gm,...,f32>) {
  %x = alloc_tile : !pto.tile<8x8xf32>
  %result = alloc_tile : !pto.tile<8x1xf32>
  %x = tload %input[0, 0] : (!pto.memref) -> !pto.tile<8x8xf32>
  %result = trowmax %x : !pto.tile<8x8xf32> -> !pto.tile<8x1xf32>
  tstore %result, %output[0, 0]
  return
}
// Function Type: Orchestration
func @dynamic_softmax(%input: !pto.memref, %output: !pto.memref) {
  %num_tiles = alloc_scalar : i32
  FOR %tile_idx:idx, 0:idx, %num_tiles:idx, 1:idx
    CALL @rowmax(%input -> %input, %output -> %temp_max)
    CALL @rowexpandsub(...)
  ENDFOR
  return
}
""")
    (tmp_path / "rest.pto").write_text("""tensor %temp_max : f32[8, 1] temp
        func @rowexpandsub(%input: !pto.memref<gm,...,f32>, %temp_max: !pto.memref<gm,...,f32>, %output: !pto.memref<gm,...,f32>) {
          %x = alloc_tile : !pto.tile<8x8xf32>
          %max = alloc_tile : !pto.tile<8x1xf32>
          %x = tload %input[0, 0]
          %max = tload %temp_max[0, 0]
          %x = trowexpandsub %x, %max
          tstore %x, %output[0, 0]
          return
        }
        """)
    package = ptowsp.pack_files([tmp_path / "listing.pto", tmp_path / "rest.pto"], strict=True)
    x = random.standard_normal((8, 8)).astype(np.float32)
    for backend in ("cpu_sim", "a2a3sim", "aie"):
        y = np.zeros_like(x)
        package.load(backend).run(input=x, output=y, num_tiles=2)
        assert np.array_equal(y, x - x.max(1, keepdims=True))


def test_a_declared_tensor_serves_an_orchestration_function():
    """The listing of the softmax module, whose memory between two tasks nobody passes."""
    source = """tensor %temp_max : f32[64, 1] temp
        // Function Type: InCore
        func @rowmax(%input: !pto.memref<gm,...,f32>, %output: !pto.memref<gm,...,f32>) {
          %x = alloc_tile : !pto.tile<8x8xf32>
          %result = alloc_tile : !pto.tile<8x1xf32>
          %x = tload %input[0, 0] : (!pto.memref) -> !pto.tile<8x8xf32>
          %result = trowmax %x : !pto.tile<8x8xf32> -> !pto.tile<8x1xf32>
          tstore %result, %output[0, 0]
          return
        }
        // Function Type: InCore
        func @rowexpandsub(%input: !pto.memref<gm,...,f32>, %max: !pto.memref<gm,...,f32>, %output: !pto.memref<gm,...,f32>) {
          %x = alloc_tile : !pto.tile<8x8xf32>
          %m = alloc_tile : !pto.tile<8x1xf32>
          %x = tload %input[0, 0]
          %m = tload %max[0, 0]
          %x = trowexpandsub %x, %m
          tstore %x, %output[0, 0]
          return
        }
        // Function Type: Orchestration
        func @dynamic_softmax(%input: !pto.memref, %output: !pto.memref) {
          %num_tiles = alloc_scalar : i32
          FOR %tile_idx:idx, 0:idx, %num_tiles:idx, 1:idx
            CALL @rowmax(%input -> (%input, tile_idx, 0), %output -> (%temp_max, tile_idx, 0))
            CALL @rowexpandsub(%input -> (%input, tile_idx, 0), %max -> (%temp_max, tile_idx, 0), %output -> (%output, tile_idx, 0))
          ENDFOR
          return
        }
        """
    x = random.standard_normal((32, 8)).astype(np.float32)
    for backend in ("cpu_sim", "a2a3sim", "aie"):
        y = np.zeros_like(x)
        ptowsp.pack_text(source, strict=True).load(backend).run(input=x, output=y, num_tiles=4)
        assert np.array_equal(y, x - x.max(1, keepdims=True))


ROWS = """
include "std/norm.pto"
include "std/topk.pto"
symbol %n : u64 = 64
tensor %x : f32[8, %n] in
tensor %scale : f32[1, %n] in
tensor %layer : f32[8, %n] out
tensor %rms : f32[8, %n] out
tensor %values : f32[8, 5] out
tensor %numbers : i32[8, 5] out
tensor %at : i32[8, 1] out
tensor %mean : f32[8, 1] out
func @mean(%x: !pto.memref<gm,...,f32>, %y: !pto.memref<gm,...,f32>, %x.columns: i32) {
  %t = alloc_tile : !pto.tile<8x64xf32>
  %sum = alloc_tile : !pto.tile<8x1xf32>
  %count = alloc_scalar : f32
  %t = tload %x[0, 0]
  %sum = trowsum %t
  MOV %count:f32, %x.columns
  %sum = tdivs %sum, %count
  tstore %sum, %y[0, 0]
  return
}
func @outer(%a: !pto.memref<gm,...,f32>, %b: !pto.memref<gm,...,f32>) {
  CALL @mean(%x -> %a, %y -> %b)
  return
}
workload @main {
  call @std.layer_norm_task<8, 64, f32>(%x -> %x[0, 0 : 8, %n], %scale -> %scale[0, 0 : 1, %n], %shift -> %scale[0, 0 : 1, %n], %y -> %layer[0, 0 : 8, %n], %epsilon -> 1e-5)
  call @std.rms_norm_task<8, 64, f32>(%x -> %x[0, 0 : 8, %n], %scale -> %scale[0, 0 : 1, %n], %y -> %rms[0, 0 : 8, %n], %epsilon -> 1e-5)
  call @std.topk_task<8, 64, 5, f32>(%x -> %x[0, 0 : 8, %n], %values -> %values, %numbers -> %numbers)
  call @std.argmax_task<8, 64, f32>(%x -> %x[0, 0 : 8, %n], %at -> %at)
  call @outer(%a -> %x[0, 0 : 8, %n], %b -> %mean)
}
"""


@pytest.mark.parametrize("backend", ["cpu_sim", "a2a3sim", "aie"])
def test_rows_of_any_length(backend):
    """Functions of whole rows, for 64 columns, of parts with fewer: they divide by how many are there, and take no number from beyond."""
    program = ptowsp.pack_text(ROWS, strict=True).load(backend)
    for n in (64, 50, 7, 3, 1):
        x, scale = random.standard_normal((8, n)).astype(np.float32), random.standard_normal((1, n)).astype(np.float32)
        run = program.run(x=x, scale=scale, n=n)
        mean, order = x.mean(1, keepdims=True), np.argsort(-x, axis=1, kind="stable")[:, :5]
        np.testing.assert_allclose(run["layer"], (x - mean) / np.sqrt(x.var(1, keepdims=True) + 1e-5) * scale + scale, atol=2e-4)
        np.testing.assert_allclose(run["rms"], x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-5) * scale, atol=2e-4)
        np.testing.assert_allclose(run["mean"], mean, atol=1e-6)
        found = order.shape[1]
        assert np.array_equal(run["numbers"][:, :found], order) and np.array_equal(run["values"][:, :found], np.take_along_axis(x, order, 1))
        assert (run["numbers"][:, found:] == -1).all() and (run["values"][:, found:] == -np.inf).all() and np.array_equal(run["at"], order[:, :1])


@pytest.mark.parametrize("backend", ["cpu_sim", "a2a3sim", "aie"])
def test_rows_shorter_than_the_tile_by_numbers(backend):
    """Numbers say the size, both, or the columns alone where the rows are the tile's."""
    source = """
        include "std/norm.pto"
        tensor %x : f32[13, 48] in
        tensor %norms : f32[2, 48] in
        tensor %y : f32[13, 48] out
        workload @main {
          call @std.layer_norm_task<8, 64, f32>(%x -> %x[0, 0 : 8, 48], %scale -> %norms[0, 0 : 1, 48], %shift -> %norms[1, 0 : 1, 48], %y -> %y[0, 0 : 8, 48], %epsilon -> 1e-5)
          call @std.layer_norm_task<8, 64, f32>(%x -> %x[8, 0 : 5, 48], %scale -> %norms[0, 0 : 1, 48], %shift -> %norms[1, 0 : 1, 48], %y -> %y[8, 0 : 5, 48], %epsilon -> 1e-5)
        }
        """
    x, norms = random.standard_normal((13, 48)).astype(np.float32), random.standard_normal((2, 48)).astype(np.float32)
    run = ptowsp.pack_text(source, strict=True).load(backend).run(x=x, norms=norms)
    wanted = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5) * norms[0] + norms[1]
    np.testing.assert_allclose(run["y"], wanted, atol=2e-4)


def test_what_is_hidden_is_found_last():
    x = np.full((8, 16), -np.inf, np.float32)
    x[:, 3], x[:, 9], x[7] = 1, 2, np.nan
    values, numbers = on_tiles("topk<8, 16, 4, f32>(%x -> %tx, %values -> %tv, %numbers -> %tn)", {"x": x}, {"v": np.zeros((8, 4), np.float32), "n": np.zeros((8, 4), np.int32)})
    assert (numbers[:7] == [9, 3, 0, 1]).all() and (values[:7] == [2, 1, -np.inf, -np.inf]).all() and ((numbers[7] >= 0) & (numbers[7] < 16)).all()
    (at,) = on_tiles("argmax<8, 16, f32>(%x -> %tx, %at -> %ta)", {"x": x}, {"a": np.zeros((8, 1), np.int32)})
    assert (at[:7] == 9).all() and 0 <= at[7, 0] < 16
