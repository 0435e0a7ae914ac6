# SPDX-License-Identifier: MIT
"""ONNX graphs that were translated to wrong numbers, or refused though they are good, or taken though they are none."""
import os
import sys

import numpy as np
import pytest

pytest.importorskip("onnx")
sys.path.insert(0, os.path.dirname(__file__))

import onnx_models  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

import ptowsp  # noqa: E402
import ptowsp.onnx  # noqa: E402

random = np.random.default_rng(8)
KINDS = {np.dtype(np.float32): TensorProto.FLOAT, np.dtype(np.float16): TensorProto.FLOAT16, np.dtype(np.int64): TensorProto.INT64}


def model(nodes, given, wanted, opset=17, constants=()):
    """A graph of nodes (operator, inputs, outputs, attributes), of arrays by name and of the outputs by name."""
    def values(of):
        return [helper.make_tensor_value_info(name, KINDS[np.asarray(array).dtype], np.shape(array)) for name, array in of.items()]
    made = [helper.make_node(op, inputs, outputs, name=f"n{n}", **attributes) for n, (op, inputs, outputs, attributes) in enumerate(nodes)]
    graph = helper.make_graph(made, "g", values(given), values(wanted), [numpy_helper.from_array(np.asarray(array), name) for name, array in dict(constants).items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])


def compare(nodes, given, wanted, opset=17, names=None, atol=2e-5, **constants):
    run = ptowsp.onnx.read(model(nodes, given, wanted, opset, constants)).pack(strict=True).load("cpu_sim").run(**{(names or {}).get(n, n): a for n, a in given.items()})
    for name, array in wanted.items():
        np.testing.assert_allclose(np.asarray(run[(names or {}).get(name, name)], np.float64).reshape(np.shape(array)), array, rtol=1e-4, atol=atol, err_msg=name)


def numbers(*shape, dtype=np.float32):
    return random.standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("op, of", [("Sub", lambda c, v: c - v), ("Max", np.maximum), ("Div", lambda c, v: c / v)])
def test_a_constant_of_one_element_gives_its_rank(op, of):
    c, v = np.full((1, 1, 1), 1.5, np.float32), numbers(7, 5)
    compare([(op, ["c", "v"], ["t"], {}), ("Slice", ["t", "low", "high", "axis"], ["y"], {})], {"v": v}, {"y": of(c, v)[:, 0:4]}, c=c, low=np.array([0]), high=np.array([4]), axis=np.array([1]))


@pytest.mark.parametrize("op, of", [("Max", np.maximum), ("Min", np.minimum)])
@pytest.mark.parametrize("count", [1, 3, 4])
def test_max_and_min_take_any_number_of_inputs(op, of, count):
    given = {f"x{n}": numbers(3, 4) for n in range(count)}
    wanted = given["x0"]
    for array in given.values():
        wanted = of(wanted, array)
    compare([(op, list(given), ["y"], {})], given, {"y": wanted})


def test_shape_has_a_start_and_an_end():
    x = numbers(3, 2)
    compare([("Shape", ["x"], ["s"], {"start": -1}), ("Cast", ["s"], ["f"], {"to": TensorProto.FLOAT}), ("Mul", ["x", "f"], ["y"], {})], {"x": x}, {"y": x * 2})


@pytest.mark.parametrize("exponent", [0, 9, 10, -4, 2, -1, 0.5, 71, [1, 2, 3, 0]])
def test_pow_of_negative_bases(exponent):
    x, e = numbers(5, 4), np.asarray(exponent, np.float32)
    x = np.abs(x) if exponent == 0.5 else np.clip(x, -1.2, 1.2)
    x = np.where(np.abs(x) < 0.3, np.float32(0.5), x)
    compare([("Pow", ["x", "e"], ["y"], {})], {"x": x}, {"y": (x.astype(np.float64) ** e).astype(np.float32)}, e=e, atol=1e-3)
    compare([("Pow", ["x", "e"], ["y"], {})], {"x": x, "e": np.broadcast_to(e, (5, 4)).copy()}, {"y": (x.astype(np.float64) ** e).astype(np.float32)}, atol=1e-3)


def test_pow_of_0():
    x, e = np.array([[0, 0, -2, 3]], np.float32), np.array([[0, 2, 3, 0]], np.float32)
    compare([("Pow", ["x", "e"], ["y"], {})], {"x": x, "e": e}, {"y": x**e})


def test_names_that_differ_in_punctuation_are_tensors_of_their_own():
    a, b = numbers(3, 4), numbers(3, 4)
    compare([("Sub", ["a.b", "a/b"], ["a_b"], {})], {"a.b": a, "a/b": b}, {"a_b": a - b}, names={"a.b": "a_b", "a/b": "a_b_2", "a_b": "a_b_3"})


def test_an_output_that_is_an_input_is_a_tensor_of_its_own():
    x = numbers(3, 4)
    made = model([("Relu", ["x"], ["y"], {})], {"x": x}, {"y": x, "x": x})
    run = ptowsp.onnx.read(made).pack().load("cpu_sim").run(x=x)
    np.testing.assert_array_equal(run["x_out"], x)


def test_whole_numbers_are_divided_toward_0():
    x = numbers(3, 4)
    nodes = [("Div", ["p", "q"], ["d"], {}), ("Cast", ["d"], ["f"], {"to": TensorProto.FLOAT}), ("Mul", ["x", "f"], ["y"], {})]
    compare(nodes, {"x": x}, {"y": x * -3}, p=np.array(-7), q=np.array(2))


def test_means_of_f16_do_not_overflow():
    x = np.full((3, 300), 1000, np.float16)
    compare([("ReduceMean", ["x"], ["y"], {"axes": [1]})], {"x": x}, {"y": np.full((3, 1), 1000, np.float16)})
    x = (numbers(3, 300) * 200).astype(np.float16)
    exact = x.astype(np.float64)
    exact = (exact - exact.mean(1, keepdims=True)) / exact.std(1, keepdims=True)
    compare([("LayerNormalization", ["x", "one"], ["y"], {})], {"x": x}, {"y": exact.astype(np.float16)}, one=np.ones(300, np.float16), atol=0.01)


def test_products_of_f16_of_any_inner_extent():
    a, b = numbers(33, 200, dtype=np.float16), numbers(200, 35, dtype=np.float16)
    compare([("MatMul", ["a", "b"], ["y"], {})], {"a": a, "b": b}, {"y": (a.astype(np.float64) @ b).astype(np.float16)}, atol=0.05)


def test_slices_of_axes_that_do_not_rise_and_of_old_opsets():
    x = numbers(5, 7)
    compare([("Slice", ["x", "low", "high", "axes"], ["y"], {})], {"x": x}, {"y": x[1:3, 2:5]}, low=np.array([2, 1]), high=np.array([5, 3]), axes=np.array([1, 0]))
    compare([("Slice", ["x"], ["y"], {"starts": [1], "ends": [3]})], {"x": x}, {"y": x[1:3]}, opset=9)


def test_global_pools_of_lines():
    x = numbers(2, 3, 5)
    compare([("GlobalAveragePool", ["x"], ["y"], {})], {"x": x}, {"y": x.mean(2, keepdims=True)})


def test_a_sum_over_no_axes_that_does_nothing():
    x = numbers(3, 4)
    compare([("ReduceSum", ["x"], ["t"], {"noop_with_empty_axes": 1}), ("Relu", ["t"], ["y"], {})], {"x": x}, {"y": np.maximum(x, 0)})


def refused(nodes, given, wanted, opset=17, **constants):
    with pytest.raises(ptowsp.Error) as error:
        ptowsp.onnx.read(model(nodes, given, wanted, opset, constants)).pack()
    return error.value


def test_training_is_named():
    x, v = numbers(2, 3, 4, 4), np.ones(3, np.float32)
    error = refused([("BatchNormalization", ["x", "s", "b", "m", "v"], ["y", "rm", "rv"], {"training_mode": 1})], {"x": x}, {"y": x}, s=v, b=v, m=v, v=v)
    assert "node 'n0' (BatchNormalization) is not translated: training_mode" in str(error) and error.exit_code == 5


X = np.ones((4, 8), np.float32)
Y = {"y": X}
NONSENSE = {
    "a product of 8 columns and 9 rows": ([("MatMul", ["x", "w"], ["y"], {})], {"w": np.ones((9, 3), np.float32)}),
    "an axis that is not there": ([("Softmax", ["x"], ["y"], {"axis": 7})], {}),
    "an order of axes that is none": ([("Transpose", ["x"], ["y"], {"perm": [0, 0]})], {}),
    "two extents that are worked out": ([("Reshape", ["x", "s"], ["y"], {})], {"s": np.array([-1, -1])}),
    "an extent below 0": ([("Reshape", ["x", "s"], ["y"], {})], {"s": np.array([-2, -16])}),
    "a shape of fractions": ([("Reshape", ["x", "s"], ["y"], {})], {"s": np.array([4.0, 8.0], np.float32)}),
    "an index that is not there": ([("Gather", ["x", "i"], ["y"], {})], {"i": np.array([0, 1, 2, 9])}),
    "an index far below": ([("Gather", ["x", "i"], ["y"], {})], {"i": np.array([0, 1, 2, -9])}),
    "three inputs of one": ([("Relu", ["x", "x", "x"], ["y"], {})], {}),
    "an axis twice": ([("Slice", ["x", "l", "h", "a"], ["y"], {})], {"l": np.array([0, 1]), "h": np.array([2, 3]), "a": np.array([0, 0])}),
    "a name made twice": ([("Relu", ["x"], ["y"], {}), ("Neg", ["x"], ["y"], {})], {}),
    "a name that nothing makes": ([("Relu", ["z"], ["y"], {})], {}),
    "steps of 0": ([("MaxPool", ["x"], ["y"], {"kernel_shape": [1, 1], "strides": [0, 0]})], {}),
    "an output that nothing makes": ([("Relu", ["x"], ["t"], {})], {}),
}


@pytest.mark.parametrize("name", NONSENSE)
def test_what_is_no_graph_is_refused(name):
    nodes, constants = NONSENSE[name]
    error = refused(nodes, {"x": X}, Y, **constants)
    assert error.exit_code == 3 and str(error)


@pytest.mark.parametrize("opset", [0, 999])
def test_opsets_that_are_none_are_refused(opset):
    assert f"there is no opset {opset}" in str(refused([("Relu", ["x"], ["y"], {})], {"x": X}, Y, opset=opset))


def test_operators_of_other_domains_are_named():
    made = model([("Relu", ["x"], ["y"], {"domain": "com.example"})], {"x": X}, Y)
    made.opset_import.append(helper.make_opsetid("com.example", 1))
    with pytest.raises(ptowsp.Error, match="node 'n0' .Relu. is not translated: it is of the domain 'com.example'"):
        ptowsp.onnx.read(made).pack()


def test_data_outside_of_the_folder_are_refused(tmp_path):
    import onnx
    (tmp_path / "secret").write_bytes(bytes(32))
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "data.bin").symlink_to(tmp_path / "secret")
    made = model([("Add", ["x", "w"], ["y"], {})], {"x": X}, Y, constants={"w": np.ones(8, np.float32)})
    weight = made.graph.initializer[0]
    weight.ClearField("raw_data")
    weight.data_location = TensorProto.EXTERNAL
    weight.external_data.add(key="location", value="data.bin")
    (tmp_path / "model" / "m.onnx").write_bytes(made.SerializeToString())
    with pytest.raises(ptowsp.Error, match="outside of the folder of the model"):
        ptowsp.onnx.read(tmp_path / "model" / "m.onnx")
    (tmp_path / "model" / "data.bin").unlink()
    (tmp_path / "model" / "data.bin").write_bytes(np.full(8, 2, np.float32).tobytes())
    run = ptowsp.onnx.read(tmp_path / "model" / "m.onnx").pack().load("cpu_sim").run(x=X)
    np.testing.assert_array_equal(run["y"], X + 2)


def test_words_that_are_none_of_the_graph_are_refused(tmp_path, capsys):
    made = model([("Relu", ["x"], ["y"], {})], {"x": X}, Y)
    for given, sentence in (({"tiles": {"Other": {"columns": 8}}}, "no node and no operator of the graph is called 'Other'"), ({"sizes": {"batch": 2}}, "no extent is called 'batch'")):
        with pytest.raises(ptowsp.Error, match=sentence):
            ptowsp.onnx.read(made, **given)
    (tmp_path / "empty.onnx").write_bytes(b"")
    out = ["-o", str(tmp_path / "p.zst")]
    assert ptowsp.onnx.main([str(tmp_path / "none.onnx"), *out]) == 2 and "No such file" in capsys.readouterr().err
    assert ptowsp.onnx.main([str(tmp_path / "empty.onnx"), *out]) == 3 and "it is no ONNX graph" in capsys.readouterr().err


def test_a_dropout_that_trains_is_named():
    error = refused([("Dropout", ["x", "r", "t"], ["y"], {})], {"x": X}, Y, r=np.array(0.5, np.float32), t=np.array(True))
    assert "node 'n0' (Dropout) is not translated: training" in str(error)


def test_weights_of_other_channels_are_refused():
    error = refused([("Conv", ["x", "w"], ["y"], {})], {"x": numbers(1, 2, 6, 6)}, {"y": numbers(1, 4, 4, 4)}, w=numbers(4, 4, 3, 3))
    assert "node 'n0' (Conv) means nothing: images of 2 channels, weights of 4" in str(error)


def test_random_graphs():
    """Ten of seeds that differ from run to run, each of which says its own where it differs; onnx_random.py makes more."""
    import secrets

    import onnx_random
    first = secrets.randbelow(10**6)
    for seed in range(first, first + 10):
        print(f"python3 tests/python/onnx_random.py 1 {seed}")
        onnx_random.compare(seed)
