# SPDX-License-Identifier: MIT
"""onnx_numpy - a graph evaluated node by node in NumPy, in doubles: what packages of graphs are compared with. It shares nothing with ptowsp.onnx."""
import math

import numpy as np
from onnx import helper, mapping, numpy_helper


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
    return a.get("alpha", 1.0) * ((x.T if a.get("transA") else x) @ (y.T if a.get("transB") else y)) + a.get("beta", 1.0) * c


def average_pool(a, x):
    counted = a.get("count_include_pad", 0)
    return windows(x, a, a["kernel_shape"], 0).sum((4, 5)) / windows(np.ones_like(x), a, a["kernel_shape"], counted).sum((4, 5))


def reduced(of):
    """Of the axes that are an attribute, or an input."""
    return lambda a, x, axes=None: of(x, tuple(a["axes"] if axes is None else axes), bool(a.get("keepdims", 1)))


def elu(x, alpha, gamma=1.0):
    return gamma * np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


def hard_sigmoid(x, alpha=1 / 6, beta=0.5):
    return np.clip(alpha * x + beta, 0, 1)


def cast(a, x):
    with np.errstate(invalid="ignore"):
        return x.astype(mapping.TENSOR_TYPE_TO_NP_TYPE[a["to"]] if a["to"] not in (1, 10, 11) else np.float64)


OPS = {
    "Add": lambda a, x, y: x + y, "Sub": lambda a, x, y: x - y, "Mul": lambda a, x, y: x * y, "Div": lambda a, x, y: x / y, "Pow": lambda a, x, y: x**y, "Relu": lambda a, x: np.maximum(x, 0),
    "Tanh": lambda a, x: np.tanh(x), "Sqrt": lambda a, x: np.sqrt(x), "Exp": lambda a, x: np.exp(x), "Log": lambda a, x: np.log(x), "Sigmoid": lambda a, x: 1 / (1 + np.exp(-x)),
    "Neg": lambda a, x: -x, "Abs": lambda a, x: np.abs(x), "Reciprocal": lambda a, x: 1 / x, "Softplus": lambda a, x: np.logaddexp(0, x), "Max": lambda a, x, y: np.maximum(x, y),
    "Min": lambda a, x, y: np.minimum(x, y), "Erf": lambda a, x: np.vectorize(math.erf)(x), "MatMul": lambda a, x, y: x @ y, "Gemm": gemm, "Softmax": lambda a, x: softmax(x, a.get("axis", -1)),
    "LayerNormalization": layer_norm, "Transpose": lambda a, x: x.transpose(a.get("perm")), "Where": lambda a, c, x, y: np.where(c, x, y), "Split": split, "Conv": conv,
    "Reshape": lambda a, x, shape: x.reshape([x.shape[n] if e == 0 else e for n, e in enumerate(shape)]), "Gather": lambda a, x, i: x.take(i, a.get("axis", 0)),
    "Concat": lambda a, *x: np.concatenate(x, a["axis"]), "Flatten": lambda a, x: x.reshape(int(np.prod(x.shape[:a.get("axis", 1)])), -1),
    "ReduceMean": reduced(lambda x, axes, keep: x.mean(axes, keepdims=keep)), "ReduceMax": reduced(lambda x, axes, keep: x.max(axes, keepdims=keep)),
    "ReduceMin": reduced(lambda x, axes, keep: x.min(axes, keepdims=keep)), "ReduceL1": reduced(lambda x, axes, keep: np.abs(x).sum(axes, keepdims=keep)),
    "ReduceL2": reduced(lambda x, axes, keep: np.sqrt((x * x).sum(axes, keepdims=keep))), "ReduceSumSquare": reduced(lambda x, axes, keep: (x * x).sum(axes, keepdims=keep)),
    "ReduceLogSum": reduced(lambda x, axes, keep: np.log(x.sum(axes, keepdims=keep))), "ReduceLogSumExp": reduced(lambda x, axes, keep: np.log(np.exp(x).sum(axes, keepdims=keep))),
    "LogSoftmax": lambda a, x: np.log(softmax(x, a.get("axis", -1))), "Sum": lambda a, *x: sum(x), "Mean": lambda a, *x: sum(x) / len(x), "Cast": cast,
    "Elu": lambda a, x: elu(x, a.get("alpha", 1.0)), "Selu": lambda a, x: elu(x, 1.67326319217681884765625, 1.05070102214813232421875), "PRelu": lambda a, x, s: np.where(x < 0, x * s, x),
    "HardSigmoid": lambda a, x: hard_sigmoid(x, a.get("alpha", 0.2), a.get("beta", 0.5)), "HardSwish": lambda a, x: x * hard_sigmoid(x), "Softsign": lambda a, x: x / (1 + np.abs(x)),
    "Mish": lambda a, x: x * np.tanh(np.logaddexp(0, x)), "Sin": lambda a, x: np.sin(x), "Cos": lambda a, x: np.cos(x), "Floor": lambda a, x: np.floor(x), "Ceil": lambda a, x: np.ceil(x),
    "Round": lambda a, x: np.rint(x), "Sign": lambda a, x: np.sign(x), "Not": lambda a, x: ~x, "Equal": lambda a, x, y: x == y, "Less": lambda a, x, y: x < y, "Greater": lambda a, x, y: x > y,
    "LessOrEqual": lambda a, x, y: x <= y, "GreaterOrEqual": lambda a, x, y: x >= y, "And": lambda a, x, y: x & y, "Or": lambda a, x, y: x | y, "Xor": lambda a, x, y: x ^ y,
    "ReduceSum": reduced(lambda x, axes, keep: x.sum(axes, keepdims=keep)), "MaxPool": lambda a, x: windows(x, a, a["kernel_shape"], -np.inf).max((4, 5)),
    "AveragePool": average_pool, "GlobalAveragePool": lambda a, x: x.mean((2, 3), keepdims=True), "Identity": lambda a, x: x, "Clip": lambda a, x, low=None, high=None: x if low is None and high is None else np.clip(x, low, high),
    "LeakyRelu": lambda a, x: np.where(x > 0, x, x * a.get("alpha", 0.01)), "BatchNormalization": lambda a, x, *of: (lambda g, b, m, v: (x - m) / np.sqrt(v + a["epsilon"]) * g + b)(*(t.reshape(-1, 1, 1) for t in of)),
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
