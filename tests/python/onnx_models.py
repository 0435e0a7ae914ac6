# SPDX-License-Identifier: MIT
"""onnx_models - ONNX graphs with random weights: a GPT-2 block and a LeNet. `onnx_models.py FOLDER` writes gpt2_block.onnx and lenet.onnx."""
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Builder:
    def __init__(self, seed):
        self.nodes, self.weights, self.random, self.count = [], [], np.random.default_rng(seed), 0

    def __call__(self, op, *inputs, outputs=1, name=None, **attributes):
        """Adds a node; the name of its result, or of each."""
        self.count += 1
        made = [name if name and outputs == 1 else f"{op.lower()}_{self.count}" + (f"_{n}" if outputs > 1 else "") for n in range(outputs)]
        self.nodes.append(helper.make_node(op, list(inputs), made, name=f"{op}_{self.count}", **attributes))
        return made[0] if outputs == 1 else made

    def constant(self, name, array):
        self.weights.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def weight(self, name, *shape, scale=None, shift=0.0):
        scale = scale if scale is not None else (shape[0] if len(shape) == 2 else np.prod(shape[1:]) if len(shape) > 2 else 25) ** -0.5
        return self.constant(name, (self.random.standard_normal(shape) * scale + shift).astype(np.float32))

    def model(self, name, inputs, outputs, opset=17):
        def values(of):
            return [helper.make_tensor_value_info(n, TensorProto.FLOAT if kind is float else TensorProto.INT64, shape) for n, kind, shape in of]
        graph = helper.make_graph(self.nodes, name, values(inputs), values(outputs), self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
        onnx.checker.check_model(model)
        return model


def gpt2_block(tokens=24, width=64, heads=4, vocabulary=50, seed=1):
    """Embeddings by gather, layer norm, causal attention of several heads, gelu as exporters write it, and the residuals."""
    g = Builder(seed)
    T, D, H = tokens, width, heads
    x = g("Gather", g.weight("wte", vocabulary, D, scale=1), "tokens")
    x = g("Add", x, g.constant("wpe", g.random.standard_normal((T, D)).astype(np.float32)))
    n = g("LayerNormalization", x, g.weight("ln_1", D, shift=1), g.weight("ln_1_bias", D), axis=-1, epsilon=1e-5)
    n = g("Add", g("MatMul", n, g.weight("attn", D, 3 * D)), g.weight("attn_bias", 3 * D))
    q, k, v = g("Split", n, g.constant("thirds", np.array([D, D, D])), outputs=3, axis=2)
    shape = g.constant("heads", np.array([0, 0, H, D // H]))
    q, v = (g("Transpose", g("Reshape", t, shape), perm=[0, 2, 1, 3]) for t in (q, v))
    k = g("Transpose", g("Reshape", k, shape), perm=[0, 2, 3, 1])
    s = g("Div", g("MatMul", q, k), g.constant("root", np.float32((D // H) ** 0.5)))
    s = g("Where", g.constant("mask", np.tri(T, dtype=bool).reshape(1, 1, T, T)), s, g.constant("never", np.float32(-1e9)))
    a = g("MatMul", g("Softmax", s, axis=-1), v)
    a = g("Reshape", g("Transpose", a, perm=[0, 2, 1, 3]), g.constant("whole", np.array([0, 0, -1])))
    x = g("Add", x, g("Add", g("MatMul", a, g.weight("proj", D, D)), g.weight("proj_bias", D)))
    n = g("LayerNormalization", x, g.weight("ln_2", D, shift=1), g.weight("ln_2_bias", D), axis=-1, epsilon=1e-5)
    n = g("Add", g("MatMul", n, g.weight("fc", D, 4 * D)), g.weight("fc_bias", 4 * D))
    e = g("Add", g("Erf", g("Div", n, g.constant("root_2", np.float32(2**0.5)))), g.constant("one", np.float32(1)))
    n = g("Mul", g("Mul", n, e), g.constant("half", np.float32(0.5)))
    g("Add", x, g("Add", g("MatMul", n, g.weight("out", 4 * D, D)), g.weight("out_bias", D)), name="hidden")
    return g.model("gpt2_block", [("tokens", int, [1, T])], [("hidden", float, [1, T, D])])


def lenet(seed=2):
    """Two convolutions with pools, three dense layers, softmax."""
    g = Builder(seed)
    x = g("Relu", g("Conv", "image", g.weight("c1", 6, 1, 5, 5), g.weight("c1_bias", 6), pads=[2, 2, 2, 2]))
    x = g("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
    x = g("Relu", g("Conv", x, g.weight("c2", 16, 6, 5, 5), g.weight("c2_bias", 16)))
    x = g("AveragePool", x, kernel_shape=[2, 2], strides=[2, 2])
    x = g("Flatten", x)
    x = g("Relu", g("Gemm", x, g.weight("f1", 120, 400), g.weight("f1_bias", 120), transB=1))
    x = g("Tanh", g("Gemm", x, g.weight("f2", 84, 120), g.weight("f2_bias", 84), transB=1))
    g("Softmax", g("Gemm", x, g.weight("f3", 10, 84), g.weight("f3_bias", 10), transB=1), axis=1, name="classes")
    return g.model("lenet", [("image", float, [1, 1, 28, 28])], [("classes", float, [1, 10])])


if __name__ == "__main__":
    for made in (gpt2_block(), lenet()):
        onnx.save(made, pathlib.Path(sys.argv[1], made.graph.name + ".onnx"))
