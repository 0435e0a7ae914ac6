# SPDX-License-Identifier: MIT
"""onnx_numpy - a graph evaluated node by node in NumPy, in doubles: what packages of graphs are compared with. It shares nothing with ptowsp.onnx."""
import math

import numpy as np
from onnx import helper, numpy_helper


def windows(x, attributes, shape, fill):
    """(N, C, OH, OW, kh, kw) of an image with its edge."""
    top, left, bottom, right = attributes.get("pads", [0, 0, 0, 0])
    x = np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)), constant_values=fill)
    seen = np.lib.stride_tricks.sliding_window_view(x, shape, axis=(2, 3))
    down, across = attributes.get("strides", [1, 1])
    return seen[:, :, ::down, ::across]


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def layer_norm(a, x, scale, shift=0):
    axes = tuple(range(a.get("axis", -1) % x.ndim, x.ndim))
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + a.get("epsilon", 1e-5)) * scale + shift


def split(a, x, sizes=None):
    return np.split(x, np.cumsum(sizes if sizes is not None else a["split"])[:-1], a.get("axis", 0))


def conv(a, x, w, bias=None):
    y = np.einsum("nchwij,mcij->nmhw", windows(x, a, w.shape[2:], 0), w)
    return y if bias is None else y + bias.reshape(1, -1, 1, 1)


def gemm(a, x, y, c=0):
    return (x.T if a.get("transA") else x) @ (y.T if a.get("transB") else y) + c


OPS = {
    "Add": lambda a, x, y: x + y, "Sub": lambda a, x, y: x - y, "Mul": lambda a, x, y: x * y, "Div": lambda a, x, y: x / y, "Pow": lambda a, x, y: x**y, "Relu": lambda a, x: np.maximum(x, 0),
    "Tanh": lambda a, x: np.tanh(x), "Sqrt": lambda a, x: np.sqrt(x), "Exp": lambda a, x: np.exp(x), "Log": lambda a, x: np.log(x), "Sigmoid": lambda a, x: 1 / (1 + np.exp(-x)),
    "Neg": lambda a, x: -x, "Abs": lambda a, x: np.abs(x), "Reciprocal": lambda a, x: 1 / x, "Softplus": lambda a, x: np.logaddexp(0, x), "Max": lambda a, x, y: np.maximum(x, y),
    "Min": lambda a, x, y: np.minimum(x, y), "Erf": lambda a, x: np.vectorize(math.erf)(x), "MatMul": lambda a, x, y: x @ y, "Gemm": gemm, "Softmax": lambda a, x: softmax(x, a.get("axis", -1)),
    "LayerNormalization": layer_norm, "Transpose": lambda a, x: x.transpose(a.get("perm")), "Where": lambda a, c, x, y: np.where(c, x, y), "Split": split, "Conv": conv,
    "Reshape": lambda a, x, shape: x.reshape([x.shape[n] if e == 0 else e for n, e in enumerate(shape)]), "Gather": lambda a, x, i: x.take(i, a.get("axis", 0)),
    "Concat": lambda a, *x: np.concatenate(x, a["axis"]), "Flatten": lambda a, x: x.reshape(int(np.prod(x.shape[:a.get("axis", 1)])), -1),
    "ReduceMean": lambda a, x: x.mean(tuple(a["axes"]), keepdims=bool(a.get("keepdims", 1))), "ReduceMax": lambda a, x: x.max(tuple(a["axes"]), keepdims=bool(a.get("keepdims", 1))),
    "ReduceSum": lambda a, x, axes: x.sum(tuple(axes), keepdims=bool(a.get("keepdims", 1))), "MaxPool": lambda a, x: windows(x, a, a["kernel_shape"], -np.inf).max((4, 5)),
    "AveragePool": lambda a, x: windows(x, a, a["kernel_shape"], 0).mean((4, 5)), "GlobalAveragePool": lambda a, x: x.mean((2, 3), keepdims=True), "Identity": lambda a, x: x, "Clip": lambda a, x, low, high: np.clip(x, low, high),
    "LeakyRelu": lambda a, x: np.where(x > 0, x, x * a["alpha"]), "BatchNormalization": lambda a, x, *of: (lambda g, b, m, v: (x - m) / np.sqrt(v + a["epsilon"]) * g + b)(*(t.reshape(-1, 1, 1) for t in of)),
    "Squeeze": lambda a, x, axes: x.squeeze(tuple(axes)), "Unsqueeze": lambda a, x, axes: np.expand_dims(x, tuple(axes)),
    "Slice": lambda a, x, low, high, axes: x[tuple(slice(low[list(axes).index(n)], high[list(axes).index(n)]) if n in axes else slice(None) for n in range(x.ndim))],
}


def evaluate(model, **inputs):
    """The outputs of the graph, as doubles."""
    values = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer} | inputs
    values = {name: v.astype(np.float64) if v.dtype.kind == "f" else v for name, v in values.items()}
    for node in model.graph.node:
        made = OPS[node.op_type]({a.name: helper.get_attribute_value(a) for a in node.attribute}, *(values[name] for name in node.input))
        for name, value in zip(node.output, made if isinstance(made, list) else [made]):
            values[name] = value
    return [values[value.name] for value in model.graph.output]
