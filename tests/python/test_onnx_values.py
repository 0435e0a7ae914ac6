# SPDX-License-Identifier: MIT
"""ONNX nodes of values that are no ordinary numbers, and of ordinary forms: each as NumPy has it."""
import os
import sys

import numpy as np
import pytest

pytest.importorskip("onnx")
sys.path.insert(0, os.path.dirname(__file__))

from onnx import TensorProto, helper, numpy_helper  # noqa: E402
from onnx_numpy import evaluate  # noqa: E402

import ptowsp  # noqa: E402
import ptowsp.onnx  # noqa: E402

KINDS = {np.dtype(np.float32): TensorProto.FLOAT, np.dtype(np.float16): TensorProto.FLOAT16, np.dtype(np.float64): TensorProto.DOUBLE, np.dtype(np.int64): TensorProto.INT64,
         np.dtype(np.int32): TensorProto.INT32, np.dtype(np.bool_): TensorProto.BOOL}
SPECIAL = np.array([[-np.inf, -200, -17, -1, -0.3, -1e-3, -0.0, 0, 1e-3, 0.4, 0.6, 1, 7, 200, np.inf, np.nan]], np.float32)
random = np.random.default_rng(11)


def model(op, given, kind, constants=(), opset=17, **attributes):
    names = [f"x{n}" for n in range(len(given))]
    graph = helper.make_graph([helper.make_node(op, names + [f"c{n}" for n in range(len(constants))], ["y"], name="n", **attributes)], "g",
                              [helper.make_tensor_value_info(name, KINDS[array.dtype], array.shape) for name, array in zip(names, given)],
                              [helper.make_tensor_value_info("y", kind, given[0].shape)], [numpy_helper.from_array(np.asarray(array), f"c{n}") for n, array in enumerate(constants)])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])


def compare(op, *given, constants=(), backend="cpu_sim", rtol=2e-6, atol=1e-42, kind=None, **attributes):
    made = model(op, given, kind or KINDS[given[0].dtype], constants, **attributes)
    inputs = {f"x{n}": array for n, array in enumerate(given)}
    with np.errstate(all="ignore"):
        wanted, = evaluate(made, **inputs)
    made.graph.output[0].CopyFrom(helper.make_tensor_value_info("y", kind or KINDS[given[0].dtype], wanted.shape))
    run = ptowsp.onnx.read(made).pack(strict=True).load(backend).run(**{name: array.view(np.uint8) if array.dtype == np.bool_ else array for name, array in inputs.items()})
    np.testing.assert_allclose(run["y"].reshape(wanted.shape), wanted, rtol=rtol, atol=atol)


@pytest.mark.parametrize("op", ["Relu", "Erf", "Softplus", "Tanh", "Abs", "Neg", "LeakyRelu", "Elu", "Selu", "HardSigmoid", "HardSwish", "Softsign", "Mish", "Floor", "Ceil", "Round", "Sign", "Clip"])
def test_one_of_special_values(op):
    compare(op, SPECIAL, rtol=2e-5 if op in ("Tanh", "Mish") else 2e-6, opset=18 if op == "Mish" else 17)


@pytest.mark.parametrize("op", ["Max", "Min", "Add", "Sum", "Mean", "PRelu"])
def test_two_of_special_values(op):
    a, b = np.array([[1, np.nan, 3, np.inf, np.nan, -0.0]], np.float32), np.array([[np.nan, 2, 1, np.nan, -np.inf, 5]], np.float32)
    compare(op, a, b)
    for number in np.float32([2, np.nan, -np.inf]):
        compare(op, a, constants=[number.reshape(1)])


@pytest.mark.parametrize("bounds", [(-1, 1), (-np.inf, 2)])
def test_clip_keeps_nan(bounds):
    compare("Clip", SPECIAL, constants=[np.float32(bound) for bound in bounds])


@pytest.mark.parametrize("backend", ["cpu_sim", "a2a3sim", "aie"])
def test_nan_is_kept_on(backend):
    x = np.array([[1, np.nan, 3], [np.nan, 2, 1], [4, 2, 1]], np.float32)
    for word in ("ReduceMax", "ReduceMin"):
        compare(word, x, backend=backend, axes=[1])
    compare("MaxPool", x.reshape(1, 1, 3, 3), backend=backend, kernel_shape=[2, 2])
    compare("Relu", x, backend=backend)
    compare("Erf", SPECIAL, backend=backend)
    compare("Softplus", SPECIAL, backend=backend)


def test_clip_of_whole_numbers():
    x = np.array([[-5, 2**60 + 1, 7]])
    compare("Clip", x, rtol=0)
    compare("Clip", x, constants=[np.array(-1), np.array(2**60)], rtol=0)


def test_erf_in_doubles_and_halves():
    x = np.linspace(-7, 7, 300).reshape(3, 100)
    compare("Erf", x, rtol=1e-14)
    compare("Erf", x.astype(np.float16), rtol=1e-3)


@pytest.mark.parametrize("word", ["ReduceMin", "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp"])
def test_reductions(word):
    compare(word, np.abs(random.standard_normal((3, 4, 5))).astype(np.float32), axes=[0, 2], rtol=1e-5)


@pytest.mark.parametrize("op, dtype", [("Sin", np.float32), ("Cos", np.float32), ("Sin", np.float16)])
def test_sines(op, dtype):
    compare(op, (random.standard_normal((4, 50)) * 20).astype(dtype), rtol=0, atol=1e-6 if dtype == np.float32 else 1e-3)


@pytest.mark.parametrize("op", ["Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"])
def test_comparisons(op):
    a, b = random.integers(-2, 3, (3, 4, 5)), random.integers(-2, 3, (4, 1))
    for dtype in (np.float32, np.int64):
        compare(op, a.astype(dtype), b.astype(dtype), kind=TensorProto.BOOL)
        compare(op, a.astype(dtype), constants=[np.array(1, dtype)], kind=TensorProto.BOOL)


def test_truths():
    a, b = random.random((2, 3, 4)) < 0.5, random.random((3, 4)) < 0.5
    for op in ("And", "Or", "Xor"):
        compare(op, a, b)
    compare("Not", a)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32, np.int64])
def test_where_the_graph_chooses(dtype):
    a, b = random.integers(-9, 9, (3, 4)).astype(dtype), random.integers(-9, 9, (3, 1)).astype(dtype)
    compare("Where", random.random((3, 4)) < 0.5, a, b, kind=KINDS[a.dtype])
    compare("Where", random.random((4,)) < 0.5, a, b, kind=KINDS[a.dtype])


TYPES = [np.float32, np.float16, np.float64, np.int32, np.int64, np.bool_]


@pytest.mark.parametrize("to", TYPES)
@pytest.mark.parametrize("dtype", TYPES)
def test_cast(dtype, to):
    x = np.array([[-2.75, -1, -0.5, 0, 0.25, 1, 2.5, 1000]]).astype(dtype)
    compare("Cast", x, kind=KINDS[np.dtype(to)], to=KINDS[np.dtype(to)], rtol=0)


def test_log_softmax():
    for axis in (0, 1, 2):
        compare("LogSoftmax", random.standard_normal((3, 4, 5)).astype(np.float32), axis=axis, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("a, b", [((6,), (6, 4)), ((3, 6), (6,)), ((6,), (6,)), ((2, 3, 6), (6,)), ((6,), (2, 6, 4))])
def test_products_of_lines(a, b):
    compare("MatMul", *(random.standard_normal(shape).astype(np.float32) for shape in (a, b)), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("attributes", [{"alpha": 0.5}, {"beta": 0.25}, {"alpha": 2.0, "beta": -1.0, "transB": 1}])
def test_factors_of_gemm(attributes):
    a, b, c = (random.standard_normal((5, 5)).astype(np.float32) for _ in range(3))
    compare("Gemm", a, b, c, rtol=1e-4, atol=1e-5, **attributes)
    compare("Gemm", a, b, rtol=1e-4, atol=1e-5, **attributes)


@pytest.mark.parametrize("counted", [0, 1])
@pytest.mark.parametrize("strides, pads", [([1, 1], [1, 1, 1, 1]), ([2, 3], [0, 1, 2, 0])])
def test_means_at_edges(counted, strides, pads):
    compare("AveragePool", random.standard_normal((2, 3, 7, 6)).astype(np.float32), rtol=1e-4, atol=1e-5, kernel_shape=[3, 2], strides=strides, pads=pads, count_include_pad=counted)


def test_indices_of_a_run_that_count_from_the_end():
    compare("Gather", random.standard_normal((5, 4)).astype(np.float32), np.array([[-1, 0], [-5, 4]]), rtol=0)


@pytest.mark.parametrize("where", ["input", "weight", "cast"])
def test_bfloat16_is_refused_by_name(where):
    x = np.ones((2, 3), np.float32)
    made = model("Cast", [x], TensorProto.BFLOAT16, to=TensorProto.BFLOAT16) if where == "cast" else model("Add", [x], TensorProto.FLOAT, [x]) if where == "weight" else model("Relu", [x], TensorProto.BFLOAT16)
    if where == "input":
        made.graph.input[0].type.tensor_type.elem_type = TensorProto.BFLOAT16
    if where == "weight":
        made.graph.initializer[0].data_type = TensorProto.BFLOAT16
    if where == "cast":
        made.graph.node.append(helper.make_node("Cast", ["y"], ["z"], name="back", to=TensorProto.FLOAT))
        made.graph.output[0].CopyFrom(helper.make_tensor_value_info("z", TensorProto.FLOAT, [2, 3]))
    with pytest.raises(ptowsp.Error) as refused:
        ptowsp.onnx.read(made).pack()
    assert "BFLOAT16" in str(refused.value) or where == "weight"  # which onnx itself refuses beside floats
    assert ("node 'n' (Cast) is not translated: to BFLOAT16" in str(refused.value)) == (where == "cast")


def refused(made, **more):
    with pytest.raises(ptowsp.Error) as error:
        ptowsp.onnx.read(made, **more).pack()
    return str(error.value)


@pytest.mark.parametrize("op, given, constants, result, attributes, sentence", [
    ("Conv", (1, 2, 9), [np.ones((3, 2, 3), np.float32)], (1, 3, 7), {}, "node 'n' (Conv) is not translated: only images of two dimensions, not of 1"),
    ("MaxPool", (1, 2, 9), [], (1, 2, 8), {"kernel_shape": [2]}, "node 'n' (MaxPool) is not translated: only images of two dimensions, not of 1"),
    ("Einsum", (2, 3, 4), [], ["a", "b", "c"], {"equation": "abc->cab"}, "node 'n' (Einsum) is not translated: there is nothing like it here"),
    ("Reshape", (2, 3), [np.array([4, 3])], (4, 3), {}, "node 'n' (Reshape) means nothing: 2 x 3 elements as 4 x 3")])
def test_what_is_not_translated_is_said_in_a_sentence(op, given, constants, result, attributes, sentence):
    made = model(op, [np.ones(given, np.float32)], TensorProto.FLOAT, constants, **attributes)
    made.graph.output[0].CopyFrom(helper.make_tensor_value_info("y", TensorProto.FLOAT, result))
    assert sentence in refused(made)


def test_extents_that_contradict_each_other():
    made = model("Add", [np.ones((2, 3), np.float32)] * 2, TensorProto.FLOAT)
    for value, word in zip(made.graph.input, "nm"):
        value.CopyFrom(helper.make_tensor_value_info(value.name, TensorProto.FLOAT, [word, 3]))
    made.graph.output[0].CopyFrom(helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 3]))
    assert "node 'n' (Add) means nothing: extents [2, 3] and [5, 3] do not go together" in refused(made, sizes={"n": 2, "m": 5})


@pytest.mark.parametrize("offset, length", [("99999999999999999999", "32"), ("-1", "32"), ("0", "4096"), ("0", "20")])
def test_data_in_other_files_are_there(tmp_path, offset, length):
    made = model("Add", [np.ones(8, np.float32)], TensorProto.FLOAT, [np.ones(8, np.float32)])
    weight = made.graph.initializer[0]
    weight.ClearField("raw_data")
    weight.data_location = TensorProto.EXTERNAL
    for key, value in (("location", "data.bin"), ("offset", offset), ("length", length)):
        weight.external_data.add(key=key, value=value)
    (tmp_path / "data.bin").write_bytes(bytes(32))
    (tmp_path / "m.onnx").write_bytes(made.SerializeToString())
    with pytest.raises(ptowsp.Error, match="weight 'c0': its data"):
        ptowsp.onnx.read(tmp_path / "m.onnx")


def test_arrays_of_five_dimensions_are_said_with_the_shape():
    made = model("Relu", [np.ones((1, 1, 2, 3, 4), np.float32)], TensorProto.FLOAT)
    with pytest.raises(ValueError, match=r"give x0.reshape\(-1, 4\)"):
        ptowsp.onnx.read(made).pack().load("cpu_sim").run(x0=np.ones((1, 1, 2, 3, 4), np.float32))
