# SPDX-License-Identifier: MIT
"""ONNX graphs as packages: `python3 -m ptowsp.onnx model.onnx -o model.pkg.zst`, or ptowsp.onnx.read(path).

Extents are known when a graph is read: --set gives those that have names. What constants alone decide (shapes, masks, turned weights) is computed then, weights are kept in the package. Each node
becomes tasks on tiles whose sizes a rule says (ptowsp/onnx_nodes.py); --tiles FILE overrides it, JSON by node name, operator or "all": {"MatMul": {"rows_of_product": 64}}. A node that is not
translated is named, with what it is about, and there is no package. Needs onnx (Debian: python3-onnx)."""
import argparse
import inspect
import json
import keyword
import os
import pathlib
import sys
import tempfile
import types

import numpy as np

from . import onnx_checks
from .library import Error, host
from .onnx_nodes import KINDS, NODES, RULE, Broken, Memory, Nodes, Unsupported, Value, check_indices, size
from .packing import pack_files, source
from .tracing import TYPES, TensorType, TraceError, current
from .workloads import Workload


def module():
    """onnx, which is wanted when a graph is read and not before."""
    import onnx
    import onnx.checker
    import onnx.helper
    import onnx.mapping
    import onnx.numpy_helper
    import onnx.shape_inference
    return onnx


def unsqueezed(array, axes):
    for axis in sorted(int(a) % (array.ndim + len(axes)) for a in axes):
        array = np.expand_dims(array, axis)
    return array


def reshaped(array, shape):
    return array.reshape([array.shape[n] if extent == 0 else int(extent) for n, extent in enumerate(shape)])


def gathered(x, index, axis):
    check_indices(index, x.shape[axis])
    return x.take(index, axis)


def divided(x, y):
    """Whole numbers toward zero, as ONNX says."""
    if x.dtype.kind not in "iu":
        return x / y
    if not np.all(y):
        raise Broken("it divides by 0")
    return x // y + ((x % y != 0) & ((x < 0) != (y < 0)))


def sliced(array, starts, ends, axes=None, steps=None):
    for n, (start, end) in enumerate(zip(starts, ends)):
        axis = n if axes is None else int(axes[n])
        array = array.take(np.arange(array.shape[axis])[int(start):int(end):1 if steps is None else int(steps[n])], axis)
    return array


# What is computed while a graph is read, of arrays that are known: a function of the node's attributes and its arrays.
FOLDED = {
    "Add": lambda a, x, y: x + y, "Sub": lambda a, x, y: x - y, "Mul": lambda a, x, y: x * y, "Div": lambda a, x, y: divided(x, y), "Pow": lambda a, x, y: x**y,
    "Sqrt": lambda a, x: np.sqrt(x), "Neg": lambda a, x: -x, "Equal": lambda a, x, y: x == y, "Less": lambda a, x, y: x < y, "Greater": lambda a, x, y: x > y, "Not": lambda a, x: ~x,
    "LessOrEqual": lambda a, x, y: x <= y, "GreaterOrEqual": lambda a, x, y: x >= y, "And": lambda a, x, y: x & y, "Or": lambda a, x, y: x | y, "Where": lambda a, c, x, y: np.where(c, x, y),
    "Gather": lambda a, x, index: gathered(x, index, a.get("axis", 0)), "Concat": lambda a, *all: np.concatenate(all, a["axis"]), "Identity": lambda a, x: x,
    "Transpose": lambda a, x: np.ascontiguousarray(x.transpose(a.get("perm"))), "Reshape": lambda a, x, shape: reshaped(x, shape), "Range": lambda a, low, high, step: np.arange(low, high, step),
    "Unsqueeze": lambda a, x, axes=None: unsqueezed(x, a["axes"] if axes is None else axes), "Slice": lambda a, *all: sliced(*all), "Expand": lambda a, x, shape: x * np.ones(shape.astype(int), x.dtype),
    "Squeeze": lambda a, x, axes=None: x.squeeze(None if axes is None and "axes" not in a else tuple(int(n) for n in (a["axes"] if axes is None else axes))),
    "ConstantOfShape": lambda a, shape: np.full(shape.astype(int), a.get("value", np.zeros(1, np.float32)).reshape(-1)[0]), "Cast": lambda a, x: x.astype(np.dtype(KINDS.get(a["to"].name) and a["to"].name)),
    "Trilu": lambda a, x, k=np.array(0): np.triu(x, int(k)) if a.get("upper", 1) else np.tril(x, int(k)),
}


def element(code):
    """The type of elements as NumPy has it, but BFLOAT16, which it has not and onnx takes for float32."""
    onnx = module()
    found = None if code == onnx.TensorProto.BFLOAT16 else onnx.mapping.TENSOR_TYPE_TO_NP_TYPE.get(code)
    return types.SimpleNamespace(name=onnx.TensorProto.DataType.Name(code)) if found is None else np.dtype(found)


def kind_of(what, name, code):
    """The type of elements as tensors have it, of something of the graph."""
    if element(code).name not in KINDS:
        raise Error(host.PTOWSP_UNSUPPORTED, f"{what} {name!r} is of {element(code).name}, which is not translated; what is: {', '.join(KINDS)}")
    return KINDS[element(code).name]


def plain_node(node, number, opset):
    """A node with what the rest asks of one; attributes as Python has them."""
    onnx = module()
    attributes = {}
    for attribute in node.attribute:
        value = onnx.helper.get_attribute_value(attribute)
        if isinstance(value, onnx.TensorProto):
            value = onnx.numpy_helper.to_array(value)
        elif attribute.name == "to":
            value = element(value)
        attributes[attribute.name] = value.decode() if isinstance(value, bytes) else value
    return types.SimpleNamespace(name=node.name or f"{node.op_type}_{number}", op_type=node.op_type, input=list(node.input), output=list(node.output), attributes=attributes, opset=opset, domain=node.domain)


def extents(value, sizes, what="input"):
    """The shape of an input or output, where it is known."""
    shape = []
    for dimension in value.type.tensor_type.shape.dim:
        if dimension.dim_param and dimension.dim_param not in sizes:
            raise Error(host.PTOWSP_INVALID, f"{what} {value.name!r} has an extent {dimension.dim_param!r} that has to be known" + (f": give it, --set {dimension.dim_param}=64" if not dimension.dim_param.startswith("unk__") else ", and onnx does not work it out"))
        shape.append(sizes[dimension.dim_param] if dimension.dim_param else dimension.dim_value)
        if shape[-1] < 1:
            raise Error(host.PTOWSP_UNSUPPORTED, f"{value.name!r} has an extent that is {shape[-1] if dimension.HasField('dim_value') else 'not known'}; all have to be known, and from 1")
    return tuple(shape)


def free_word(name, taken):
    """A name as a tensor can have it, unlike those that are taken."""
    word = "".join(c if c.isascii() and c.isalnum() else "_" for c in name)
    word = "v" + word if word[:1].isdigit() or not word or keyword.iskeyword(word) else word
    count = 2
    made = word
    while made in taken:
        made, count = f"{word}_{count}", count + 1
    return made


def declared(shape):
    """As a tensor has it that a run is given: 1 to 4 extents; others as a matrix."""
    return shape if 1 <= len(shape) <= 4 else (size(shape[:-1]), (shape or (1,))[-1])


def node_translate(nodes, node):
    values = nodes.values
    inputs = [values[name] if name else None for name in node.input]
    nodes.node = node
    if node.domain not in ("", "ai.onnx"):
        raise Unsupported(f"it is of the domain {node.domain!r}")
    if node.op_type == "Constant":
        array = next(iter(node.attributes.values()))
        values[node.output[0]] = known(np.asarray(array, np.float32 if "value_float" in node.attributes or "value_floats" in node.attributes else None))
    elif node.op_type == "Shape":
        values[node.output[0]] = known(np.array(inputs[0].shape[slice(node.attributes.get("start", 0), node.attributes.get("end"))], np.int64))
    elif node.op_type in FOLDED and all(value is None or value.array is not None for value in inputs):
        values[node.output[0]] = known(np.asarray(FOLDED[node.op_type](node.attributes, *(None if value is None else value.array for value in inputs))))
    elif node.op_type not in NODES:
        raise Unsupported("there is nothing like it here")
    else:
        NODES[node.op_type](nodes)


def known(array):
    return Value(array.shape, KINDS.get(array.dtype.name, "f32"), array)


class Graph:
    """An ONNX graph, read: a workload, and the weights that it keeps."""

    def __init__(self, model, *, sizes=None, tiles=None, name=None):
        onnx = module()
        self.graph, self.tiles, self.nodes = model.graph, tiles or {}, None
        opset = onnx_checks.check(onnx, model)
        self.steps = [plain_node(node, number, opset) for number, node in enumerate(model.graph.node)]
        for tensor in model.graph.initializer:
            kind_of("weight", tensor.name, tensor.data_type)
        self.weights = {tensor.name: onnx_checks.array_of(onnx, tensor) for tensor in model.graph.initializer}
        for node in self.steps:
            if node.domain in ("", "ai.onnx") and node.op_type not in {"Constant", "Shape", *FOLDED, *NODES}:
                raise Error(host.PTOWSP_UNSUPPORTED, f"node {node.name!r} ({node.op_type}) is not translated: there is nothing like it here")
        self.inputs = {value.name: value for value in model.graph.input if value.name not in self.weights}
        self._check_words(sizes or {})
        self.shapes = {name: extents(value, sizes or {}) for name, value in self.inputs.items()}
        self.types = {value.name: kind_of(what, value.name, value.type.tensor_type.elem_type) for what, of in (("input", model.graph.input), ("output", model.graph.output)) for value in of}
        inferred = {value.name: value for value in self._inferred(model, sizes or {}).graph.output}
        self.results = {value.name: extents(inferred[value.name], sizes or {}, "output") for value in model.graph.output}
        self.workload = self._workload(name or free_word(model.graph.name or "graph", ()))

    def _check_words(self, sizes):
        """Names of extents and of nodes that are given are those of the graph."""
        words = {d.dim_param for value in [*self.graph.input, *self.graph.output] for d in value.type.tensor_type.shape.dim if d.dim_param}
        for name, extent in sizes.items():
            if name not in words:
                raise Error(host.PTOWSP_INVALID, f"no extent is called {name!r}; those with names are {', '.join(sorted(words)) or 'none'}")
            if extent < 1:
                raise Error(host.PTOWSP_INVALID, f"extent {name!r} is {extent}; one from 1 is wanted")
        words = {"all", *(word for node in self.steps for word in (node.name, node.op_type))}
        for name in self.tiles:
            if name not in words:
                raise Error(host.PTOWSP_INVALID, f"tiles: no node and no operator of the graph is called {name!r}")

    def _inferred(self, model, sizes):
        """The model with the shapes of its outputs, by onnx itself."""
        onnx = module()
        copy = type(model)()
        copy.CopyFrom(model)
        for value in [*copy.graph.input, *copy.graph.output, *copy.graph.value_info]:
            for dimension in value.type.tensor_type.shape.dim:
                if dimension.dim_param in sizes:
                    dimension.dim_value = sizes[dimension.dim_param]
        try:
            return onnx.shape_inference.infer_shapes(copy)
        except Exception as error:  # of types of its own
            raise Error(host.PTOWSP_INVALID, f"the extents {', '.join(f'{name}={extent}' for name, extent in sizes.items())} contradict each other: {' '.join(str(error).split())}") from None

    def _workload(self, name):
        """Each input and output by a name of the language, no two alike: an output that is an input is a tensor of its own."""
        plain, types_of = {}, {}
        for role, given, shape in [*(("in", *of) for of in self.shapes.items()), *(("out", *of) for of in self.results.items())]:
            word = free_word(given if role == "in" or given not in self.shapes else given + "_out", types_of)
            plain[role, given] = word
            types_of[word] = TensorType(TYPES[self.types[given]], declared(shape), "in" if role == "in" else None)
        self.names = plain

        def main(**tensors):
            self._trace({of: tensors[word] for of, word in plain.items()})

        main.__signature__ = inspect.Signature([inspect.Parameter(word, inspect.Parameter.KEYWORD_ONLY, annotation=kind) for word, kind in types_of.items()])
        return Workload(main, name)

    def _trace(self, tensors):
        def memory(role, name, shape):
            columns = (shape or (1,))[-1]
            return Memory(tensors[role, name], size(shape) // columns, columns)

        outputs = {name: memory("out", name, shape) for name, shape in self.results.items()}
        values = {name: Value(shape, self.types[name], memory=memory("in", name, shape)) for name, shape in self.shapes.items()}
        values.update((name, known(array)) for name, array in self.weights.items())
        self.nodes = nodes = Nodes(current(), values, outputs, self.tiles)
        for node in self.steps:
            try:
                node_translate(nodes, node)
            except (Unsupported, TraceError) as error:
                raise Error(host.PTOWSP_UNSUPPORTED, f"node {node.name!r} ({node.op_type}) is not translated: {error}") from None
            except Broken as error:
                raise Error(host.PTOWSP_BAD_PACKAGE, f"node {node.name!r} ({node.op_type}) means nothing: {error}") from None
            except Error:
                raise
            except Exception as error:  # what NumPy and Python say of a form of a node that nobody thought of
                raise Error(host.PTOWSP_UNSUPPORTED, f"node {node.name!r} ({node.op_type}) is not translated: {type(error).__name__}: {error}") from None
        for name, to in list(nodes.outputs.items()):  # what is made elsewhere, such as another view of an input
            columns = to.shape_as_matrix[1]
            nodes.moved(nodes.matrix(values[name], columns), to, values[name].kind, to.shape_as_matrix[0], 0, 0, columns)

    def source(self, folder):
        """The source, written into a folder with the files of its weights; the path."""
        made = source(self.workload)
        lines = made.text().splitlines()
        for name, array in self.nodes.files.items():
            np.save(os.path.join(folder, f"{name}.npy"), array)
        samples = [f'sample %{name} input = "{name}.npy"' for name in self.nodes.files]
        path = pathlib.Path(folder, f"{made.name}.pto")
        path.write_text("\n".join(line.split(" // @")[0] for line in lines[1:2] + samples + lines[2:]) + "\n")
        return path

    def pack(self, *, strict=False):
        """The package."""
        with tempfile.TemporaryDirectory() as folder:
            try:
                return pack_files([self.source(folder)], strict=strict)
            except Error as error:  # the folder is gone when it is read
                error.args = (str(error).replace(folder + os.sep, ""),)
                raise


def read(model, *, sizes=None, tiles=None, name=None):
    """A Graph of a path, or of a model of onnx. sizes: extents by name. tiles: what overrides the rule, as --tiles has it. ptowsp.Error where it is not translated."""
    onnx = module()
    return Graph(onnx_checks.load(onnx, os.fspath(model)) if isinstance(model, (str, os.PathLike)) else model, sizes=sizes, tiles=tiles, name=name)


def tiles_read(path):
    try:
        with open(path) as file:
            tiles = json.load(file)
    except (ValueError, OSError) as error:
        raise Error(host.PTOWSP_INVALID, f"{path}: {error}") from None
    if not isinstance(tiles, dict) or not all(isinstance(words, dict) for words in tiles.values()):
        raise Error(host.PTOWSP_INVALID, f'{path}: sizes by node, operator or "all" are wanted: {{"MatMul": {{"rows_of_product": 64}}}}')
    for key, words in tiles.items():
        for word, number in words.items():
            if word not in RULE or not isinstance(number, int) or number < 1:
                raise Error(host.PTOWSP_INVALID, f"{path}: {key}: {word!r}: a positive number for one of {', '.join(RULE)} is wanted")
    return tiles


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python3 -m ptowsp.onnx", description="Makes a package of an ONNX graph.", epilog="Exit status as of the tools: 0, 2 for wrong options and files that are not there, 3 for files that are no graph, 5 for what is not translated.")
    parser.add_argument("model")
    parser.add_argument("-o", "--output", required=True, metavar="PACKAGE")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=N", help="an extent that has a name in the graph")
    parser.add_argument("--tiles", metavar="FILE", help="sizes of tiles, JSON: {\"MatMul\": {\"rows_of_product\": 64}, \"all\": {\"elements\": 4096}}")
    parser.add_argument("--source", metavar="FOLDER", help="writes the source and its weights there, too")
    options = parser.parse_args(arguments)
    try:
        sizes = {name: int(number) for name, number in (word.split("=", 1) for word in options.set)}
    except ValueError:
        parser.error("--set takes NAME=N")
    try:
        graph = read(options.model, sizes=sizes, tiles=tiles_read(options.tiles) if options.tiles else None)
        if options.source:
            os.makedirs(options.source, exist_ok=True)
            package = pack_files([graph.source(options.source)])
        else:
            package = graph.pack()
        package.save(options.output)
    except ModuleNotFoundError:
        sys.exit("ptowsp.onnx: onnx is not there (Debian: python3-onnx)")
    except Error as error:
        print(f"ptowsp.onnx: {options.model}: {error}", file=sys.stderr)
        return error.exit_code
    except OSError as error:
        print(f"ptowsp.onnx: {error.filename or options.model}: {error.strerror or error}", file=sys.stderr)
        return 2
    except Exception as error:  # what onnx and json raise of files that are none of theirs has many names
        print(f"ptowsp.onnx: {options.model}: {str(error) or type(error).__name__}", file=sys.stderr)
        return 3
    tensors = ", ".join(f"{t.name} {t.role}" for t in package.tensors() if t.role in ("in", "out", "inout"))
    print(f"{options.output}: {len(graph.steps)} nodes, {len(graph.nodes.files)} weights; {tensors}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
