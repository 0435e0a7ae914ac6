# SPDX-License-Identifier: MIT
"""ONNX graphs as packages beside NumPy: a GPT-2 block, a LeNet, each node alone, and what is refused."""
import json
import os
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("onnx")
sys.path.insert(0, os.path.dirname(__file__))

import onnx_models  # noqa: E402
from onnx_numpy import evaluate  # noqa: E402

import ptowsp  # noqa: E402
import ptowsp.onnx  # noqa: E402

random = np.random.default_rng(3)


def compare(model, backend="cpu_sim", atol=2e-5, tiles=None, **inputs):
    run = ptowsp.onnx.read(model, tiles=tiles).pack(strict=True).load(backend).run(**inputs)
    wanted = evaluate(model, **inputs)
    for value, array in zip(model.graph.output, wanted):
        made = run[value.name]
        np.testing.assert_allclose(made.reshape(array.shape), array, rtol=1e-4, atol=atol, err_msg=value.name)
    return run


BLOCK = onnx_models.gpt2_block(tokens=11, width=32, heads=2)
TOKENS = random.integers(0, 50, (1, 11))
IMAGE = random.standard_normal((1, 1, 28, 28)).astype(np.float32)


@pytest.mark.parametrize("backend", ["cpu_sim", "a2a3sim", "aie"])
def test_a_block_of_gpt_2(backend):
    compare(BLOCK, backend, tokens=TOKENS)


@pytest.mark.parametrize("backend", ["cpu_sim", "a2a3sim", "aie"])
def test_a_lenet(backend):
    compare(onnx_models.lenet(), backend, image=IMAGE)


def test_other_tiles_make_the_same():
    run = compare(BLOCK, tokens=TOKENS, tiles={"all": {"elements": 64, "columns": 7}, "MatMul": {"rows_of_product": 3, "inner_of_product": 5, "columns_of_product": 4}})
    assert run.statistics.tasks > 3 * compare(BLOCK, tokens=TOKENS).statistics.tasks


def one(op, shapes, result, *more, outputs=1, **attributes):
    """A graph of one node."""
    g = onnx_models.Builder(4)
    names = [f"x{n}" for n in range(len(shapes))]
    constants = [g.constant(f"c{n}", array) for n, array in enumerate(more)]
    made = g(op, *names, *constants, outputs=outputs, **attributes)
    results = [made] if outputs == 1 else made
    return g.model(op.lower(), [(n, float, list(s)) for n, s in zip(names, shapes)], [(n, float, list(result)) for n in results])


ONES = {
    "add_row": (("Add", [(5, 600), (600,)], (5, 600)), {}), "add_column": (("Add", [(5, 7), (5, 1)], (5, 7)), {}), "sub_middle": (("Sub", [(2, 3, 4, 5), (2, 1, 4, 5)], (2, 3, 4, 5)), {}),
    "mul_outer": (("Mul", [(3, 1), (1, 4)], (3, 4)), {}), "div_last": (("Div", [(2, 3, 1, 5), (2, 1, 4, 1)], (2, 3, 4, 5)), {}), "add_one": (("Add", [(3, 4), (1, 1)], (3, 4)), {}),
    "pow_3": (("Pow", [(3, 4)], (3, 4), np.float32(3)), {}), "max": (("Max", [(3, 4), (3, 4)], (3, 4)), {}), "softplus": (("Softplus", [(3, 4)], (3, 4)), {}), "erf": (("Erf", [(30, 40)], (30, 40)), {}),
    "softmax": (("Softmax", [(2, 3, 70)], (2, 3, 70)), {"axis": 2}), "mean": (("ReduceMean", [(2, 3, 4)], (2, 3, 1)), {"axes": [2]}), "mean_all": (("ReduceMean", [(2, 3, 4)], (2,)), {"axes": [1, 2], "keepdims": 0}),
    "softmax_first": (("Softmax", [(3, 4, 5)], (3, 4, 5)), {"axis": 0}), "mean_middle": (("ReduceMean", [(2, 3, 4)], (2, 1, 4)), {"axes": [1]}),
    "max_outer": (("ReduceMax", [(2, 3, 4)], (3,)), {"axes": [0, 2], "keepdims": 0}), "sum": (("ReduceSum", [(2, 3, 4)], (2, 3), np.array([2])), {"keepdims": 0}), "matmul": (("MatMul", [(33, 70), (70, 35)], (33, 35)), {}), "matmul_batch": (("MatMul", [(2, 3, 5, 6), (3, 6, 4)], (2, 3, 5, 4)), {}),
    "matmul_weight": (("MatMul", [(2, 5, 6)], (2, 5, 4), random.standard_normal((6, 4)).astype(np.float32)), {}), "gemm": (("Gemm", [(6, 5), (7, 6), (7,)], (5, 7)), {"transA": 1, "transB": 1}),
    "turn": (("Transpose", [(50, 70)], (70, 50)), {}), "turn_3": (("Transpose", [(2, 3, 4)], (4, 3, 2)), {"perm": [2, 1, 0]}), "turn_4": (("Transpose", [(2, 3, 4, 5)], (3, 5, 2, 4)), {"perm": [1, 3, 0, 2]}),
    "heads": (("Transpose", [(2, 3, 4, 5)], (2, 4, 3, 5)), {"perm": [0, 2, 1, 3]}), "reshape": (("Reshape", [(6, 4)], (8, 3), np.array([8, 3])), {}), "reshape_9": (("Reshape", [(6, 6)], (9, 4), np.array([-1, 4])), {}),
    "flatten": (("Flatten", [(2, 3, 4)], (2, 12)), {}), "gather": (("Gather", [(5, 4)], (3, 4), np.array([4, 0, 0])), {}), "gather_axis": (("Gather", [(2, 5, 3)], (2, 3), np.array(2)), {"axis": 1}),
    "concat": (("Concat", [(2, 3, 4), (2, 2, 4)], (2, 5, 4)), {"axis": 1}), "concat_last": (("Concat", [(3, 4), (3, 2)], (3, 6)), {"axis": -1}), "slice": (("Slice", [(5, 7)], (2, 3), np.array([1, 2]), np.array([3, 5]), np.array([0, 1])), {}),
    "split": (("Split", [(2, 6)], (2, 3), np.array([3, 3])), {"axis": 1, "outputs": 2}), "conv": (("Conv", [(2, 3, 9, 8), (4, 3, 3, 2), (4,)], (2, 4, 5, 5)), {"pads": [1, 1, 1, 1], "strides": [2, 2]}),
    "conv_plain": (("Conv", [(1, 2, 6, 40), (3, 2, 3, 3)], (1, 3, 4, 38)), {}), "max_pool": (("MaxPool", [(1, 2, 7, 7)], (1, 2, 4, 4)), {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]}),
    "average_pool": (("AveragePool", [(2, 1, 6, 6)], (2, 1, 3, 2)), {"kernel_shape": [2, 3], "strides": [2, 3]}), "global": (("GlobalAveragePool", [(2, 3, 4, 5)], (2, 3, 1, 1)), {}),
    "clip": (("Clip", [(3, 4)], (3, 4), np.float32(-0.5), np.float32(0.25)), {}), "leaky": (("LeakyRelu", [(3, 4)], (3, 4)), {"alpha": 0.25}),
    "batch_norm": (("BatchNormalization", [(2, 3, 4, 5)], (2, 3, 4, 5), *(np.array(v, np.float32) for v in ([1, 2, 3], [0, 1, -1], [0.5, -0.5, 1], [1, 2, 4]))), {"epsilon": 1e-3}),
    "norm": (("LayerNormalization", [(2, 3, 8), (8,), (8,)], (2, 3, 8)), {"epsilon": 1e-3}),
}


@pytest.mark.parametrize("name", ONES)
def test_one_node(name):
    (op, shapes, result, *more), attributes = ONES[name]
    model = one(op, shapes, result, *more, **attributes)
    compare(model, **{f"x{n}": random.standard_normal(shape).astype(np.float32) for n, shape in enumerate(shapes)})


@pytest.mark.parametrize("dtype, atol", [(np.float16, 0.05), (np.float64, 1e-9)])
def test_other_floats(dtype, atol):
    from onnx import TensorProto, helper
    g = onnx_models.Builder(6)
    w, scale, shift = (g.constant(name, g.random.standard_normal(shape).astype(dtype)) for name, shape in (("w", (8, 4)), ("scale", 4), ("shift", 4)))
    n = g("LayerNormalization", g("Add", g("MatMul", "x", w), shift), scale, epsilon=1e-3)
    g("Softmax", g("Where", g.constant("mask", np.tri(6, 4, dtype=bool)), g("Mul", n, g.constant("two", dtype(2))), g.constant("low", dtype(-9))), axis=-1, name="y")
    kind = {np.float16: TensorProto.FLOAT16, np.float64: TensorProto.DOUBLE}[dtype]
    graph = helper.make_graph(g.nodes, "floats", [helper.make_tensor_value_info("x", kind, [6, 8])], [helper.make_tensor_value_info("y", kind, [6, 4])], g.weights)
    compare(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), atol=atol, x=random.standard_normal((6, 8)).astype(dtype))


@pytest.mark.parametrize("op, shapes, result, attributes, sentence", [
    ("Conv", [(1, 4, 6, 6), (4, 2, 3, 3)], (1, 4, 4, 4), {"group": 2}, "node 'Conv_1' (Conv) is not translated: groups"),
    ("AveragePool", [(1, 1, 5, 5)], (1, 1, 3, 3), {"kernel_shape": [2, 2], "strides": [2, 2], "ceil_mode": 1}, "node 'AveragePool_1' (AveragePool) is not translated: ceil_mode"),
    ("Acos", [(3, 4)], (3, 4), {}, "node 'Acos_1' (Acos) is not translated: there is nothing like it here")])
def test_what_is_not_translated_is_named(op, shapes, result, attributes, sentence):
    with pytest.raises(ptowsp.Error) as refused:
        ptowsp.onnx.read(one(op, shapes, result, **attributes)).pack()
    assert sentence in str(refused.value)


def test_from_the_shell(tmp_path):
    import onnx
    g = onnx_models.Builder(5)
    g("MatMul", "x", g.weight("w", 8, 4), name="y")
    onnx.save(g.model("small", [("x", float, ["n", 8])], [("y", float, ["n", 4])]), tmp_path / "small.onnx")
    (tmp_path / "tiles.json").write_text(json.dumps({"MatMul": {"rows_of_product": 2}}))
    (tmp_path / "wrong.json").write_text(json.dumps({"MatMul": {"rows": 2}}))

    def call(*arguments):
        return subprocess.run([sys.executable, "-m", "ptowsp.onnx", "small.onnx", "-o", "small.pkg.zst", *arguments], cwd=tmp_path, capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(os.path.abspath(ptowsp.__file__)))})

    done = call("--set", "n=6", "--tiles", "tiles.json", "--source", "made")
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "small.pkg.zst: 1 nodes, 1 weights; x in, y out\n")
    x = random.standard_normal((6, 8)).astype(np.float32)
    run = ptowsp.Package(tmp_path / "small.pkg.zst").load("cpu_sim").run(x)
    np.testing.assert_allclose(run["y"], x @ np.load(tmp_path / "made" / "weight.npy"), rtol=1e-5, atol=1e-6)
    assert run.statistics.tasks == 3
    for arguments, code, sentence in (((), 2, "has an extent 'n' that has to be known: give it, --set n=64"), (("--set", "n=6", "--tiles", "wrong.json"), 2, "MatMul: 'rows': a positive number for one of"),
                                      (("--set", "n"), 2, "--set takes NAME=N")):
        done = call(*arguments)
        assert done.returncode == code and sentence in done.stderr
