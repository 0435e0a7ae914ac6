# SPDX-License-Identifier: MIT
"""onnx_random - random ONNX graphs of a few nodes beside NumPy: `onnx_random.py [COUNT [SEED]]`; each graph has a seed of its own, which is printed where it differs."""
import sys

import numpy as np
import onnx_models
from onnx_numpy import evaluate

UNARY, BINARY = ("Relu", "Tanh", "Sigmoid", "Neg", "Abs", "Softplus", "Erf", "LeakyRelu", "Elu", "HardSigmoid", "Softsign", "Floor", "Sign"), ("Add", "Sub", "Mul", "Max", "Min")


class Graph:
    def __init__(self, seed):
        self.random, self.build = np.random.default_rng(seed), onnx_models.Builder(seed)
        shape = self.extents(int(self.random.integers(1, 4)))
        self.input, self.shapes = shape, {"x": shape}
        name = "x"
        for _ in range(self.random.integers(1, 6)):
            name = self.node(name)
        self.output = name

    def extents(self, rank):
        return tuple(int(e) for e in self.random.integers(1, 9, rank))

    def pick(self, words):
        return words[int(self.random.integers(len(words)))]

    def node(self, name):
        """One node more behind a value; the name of its result."""
        shape = self.shapes[name]
        kind = self.pick(("unary", "binary", "binary", "transpose", "reshape", "softmax", "mean", "slice", "concat", "matmul"))
        made, result = getattr(self, kind)(name, shape)
        self.shapes[made] = tuple(int(e) for e in result)
        return made

    def unary(self, name, shape):
        return self.build(self.pick(UNARY), name), shape

    def binary(self, name, shape):
        """With a value that is there, or a weight that is repeated or repeats the value; one of one element may have more dimensions."""
        own = tuple(1 if self.random.random() < 0.4 else e for e in shape)[int(self.random.integers(len(shape) + 1)):]
        if self.random.random() < 0.3:
            own = (1,) * int(self.random.integers(1, 5))
        other = self.build.constant(f"w{self.build.count}", self.random.standard_normal(own).astype(np.float32))
        pair = (name, other) if self.random.random() < 0.5 else (other, name)
        return self.build(self.pick(BINARY), *pair), np.broadcast_shapes(shape, own)

    def transpose(self, name, shape):
        order = [int(n) for n in self.random.permutation(len(shape))]
        return self.build("Transpose", name, perm=order), [shape[n] for n in order]

    def reshape(self, name, shape):
        made = (int(np.prod(shape[:-1])), shape[-1]) if self.random.random() < 0.5 else (shape[-1], int(np.prod(shape[:-1])))
        return self.build("Reshape", name, self.build.constant(f"s{self.build.count}", np.array(made))), made

    def softmax(self, name, shape):
        return self.build("Softmax", name, axis=int(self.random.integers(len(shape)))), shape

    def mean(self, name, shape):
        axis = int(self.random.integers(len(shape)))
        return self.build(self.pick(("ReduceMean", "ReduceMax", "ReduceMin", "ReduceL1")), name, axes=[axis], keepdims=1), shape[:axis] + (1,) + shape[axis + 1:]

    def slice(self, name, shape):
        """Of some axes, in any order."""
        axes = self.random.permutation(len(shape))[:int(self.random.integers(1, len(shape) + 1))]
        low = np.array([self.random.integers(shape[a]) for a in axes])
        high = np.array([self.random.integers(n + 1, shape[a] + 1) for n, a in zip(low, axes)])
        made = list(shape)
        for a, n, end in zip(axes, low, high):
            made[a] = end - n
        words = [self.build.constant(f"{word}{self.build.count}", of) for word, of in (("low", low), ("high", high), ("axes", axes))]
        return self.build("Slice", name, *words), made

    def concat(self, name, shape):
        axis = int(self.random.integers(len(shape)))
        return self.build("Concat", name, name, axis=axis), shape[:axis] + (2 * shape[axis],) + shape[axis + 1:]

    def matmul(self, name, shape):
        if len(shape) < 2:
            return self.unary(name, shape)
        columns = int(self.random.integers(1, 9))
        return self.build("MatMul", name, self.build.weight(f"m{self.build.count}", shape[-1], columns)), shape[:-1] + (columns,)


def compare(seed):
    """Translates, packs and runs the graph of a seed."""
    import ptowsp.onnx
    graph = Graph(seed)
    model = graph.build.model("random", [("x", float, list(graph.input))], [(graph.output, float, list(graph.shapes[graph.output]))])
    x = graph.random.standard_normal(graph.input).astype(np.float32)
    if seed % 3 == 0:
        x[graph.random.random(graph.input) < 0.2] = graph.pick((np.nan, np.inf, -np.inf))
    made = ptowsp.onnx.read(model).pack(strict=True).load("cpu_sim").run(x=x)[graph.output]
    with np.errstate(all="ignore"):
        wanted, = evaluate(model, x=x)
    np.testing.assert_allclose(made.reshape(wanted.shape), wanted, rtol=1e-4, atol=1e-4, err_msg=f"seed {seed}: {[n.op_type for n in model.graph.node]}")


def main(count=100, seed=1):
    wrong = 0
    for number in range(seed, seed + count):
        try:
            compare(number)
        except Exception as error:
            wrong += 1
            print(f"seed {number}: {type(error).__name__}: {str(error)[:300]}")
    print(f"{count} graphs from seed {seed}, {wrong} differ")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main(*(int(word) for word in sys.argv[1:])))
