# SPDX-License-Identifier: MIT
"""What is asked of an ONNX file before its nodes are: that its own checker takes it, and what that does not see. What is wrong is an Error of a refused package, with the node's name."""
import os

from .library import Error, host


def wrong(sentence):
    return Error(host.PTOWSP_BAD_PACKAGE, sentence)


def tensors_of(model):
    """Every tensor that a model holds: its weights, and those that are attributes."""
    yield from model.graph.initializer
    for node in model.graph.node:
        for attribute in node.attribute:
            if attribute.HasField("t"):
                yield attribute.t
            yield from attribute.tensors


def check_external(model, folder):
    """Data in other files lie in the folder of the model, links followed."""
    root = os.path.realpath(folder)
    for tensor in tensors_of(model):
        for entry in tensor.external_data if tensor.data_location == tensor.EXTERNAL else ():
            path = os.path.realpath(os.path.join(root, entry.value)) if entry.key == "location" else None
            if path is None:
                continue
            if os.path.commonpath([root, path]) != root:
                raise wrong(f"weight {tensor.name!r}: its data are outside of the folder of the model: {entry.value!r}")
            if not os.path.isfile(path):
                raise Error(host.PTOWSP_IO, f"weight {tensor.name!r}: {entry.value!r} is no file")
            check_range(tensor, os.path.getsize(path))


def check_range(tensor, size):
    """Where its data lie in a file of that size."""
    given = {entry.key: entry.value for entry in tensor.external_data}
    words = [given.get("offset", "0"), given.get("length", "0")]
    if not all(word.isdecimal() for word in words) or sum(map(int, words)) > size:
        raise wrong(f"weight {tensor.name!r}: its data, {words[1]} bytes from {words[0]}, are not in {given['location']!r}, which has {size}")


def array_of(onnx, tensor):
    try:
        return onnx.numpy_helper.to_array(tensor)
    except Exception:  # of NumPy, which knows no weights
        raise wrong(f"weight {tensor.name!r}: its data are not those of its shape, {list(tensor.dims)}") from None


def load(onnx, path):
    model = onnx.load(path, load_external_data=False)
    folder = os.path.dirname(os.path.abspath(path))
    check_external(model, folder)
    onnx.load_external_data_for_model(model, folder)
    return model


def check_names(graph):
    """No name is given twice, and there is something to give."""
    if not graph.output:
        raise wrong("the graph has no outputs")
    for what, names in (("weight", [t.name for t in graph.initializer]), ("input", [v.name for v in graph.input]), ("output", [v.name for v in graph.output])):
        twice = next((name for n, name in enumerate(names) if name in names[:n] or not name), None)
        if twice is not None:
            raise wrong(f"{what} {twice!r} is there twice" if twice else f"an {what} has no name" if what != "weight" else "a weight has no name")
    made = {v.name for v in graph.input} | {t.name for t in graph.initializer}
    for number, node in enumerate(graph.node):
        for name in node.input:
            if name and name not in made:
                raise wrong(f"{node_name(node, number)} reads {name!r}, which nothing before it makes")
        for name in filter(None, node.output):
            if name in made:
                raise wrong(f"{node_name(node, number)} makes {name!r}, which is there already")
            made.add(name)
    for value in graph.output:
        if value.name not in made:
            raise wrong(f"output {value.name!r} is made by no node")


def node_name(node, number):
    return f"node {node.name or f'{node.op_type}_{number}'!r} ({node.op_type})"


def check_windows(onnx, graph):
    """Steps and extents of windows are 1 or more: onnx divides by them."""
    for number, node in enumerate(graph.node):
        for attribute in node.attribute:
            if attribute.name in ("strides", "dilations", "kernel_shape") and (attribute.type != onnx.AttributeProto.INTS or any(n < 1 for n in attribute.ints)):
                raise wrong(f"{node_name(node, number)}: {attribute.name} are whole numbers from 1")
            if attribute.name == "group" and attribute.i < 1:
                raise wrong(f"{node_name(node, number)}: group is a whole number from 1")


def check(onnx, model):
    """All of it; the opset of the graph."""
    graph = model.graph
    opset = max((o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), default=0)
    if not graph.node and not graph.output:
        raise wrong("it is no ONNX graph")
    if not 1 <= opset <= 100:
        raise wrong(f"there is no opset {opset}")
    check_names(graph)
    check_windows(onnx, graph)
    for tensor in graph.initializer:
        if any(n < 0 for n in tensor.dims):
            raise wrong(f"weight {tensor.name!r} has an extent below 0")
    if opset <= onnx.defs.onnx_opset_version():  # operators of a later one are unknown to this checker
        try:
            onnx.checker.check_model(model)
            onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True)
        except Exception as error:  # its own types, and those of what it is made of
            raise wrong(" ".join(str(error).split()) or type(error).__name__) from None
    return opset
