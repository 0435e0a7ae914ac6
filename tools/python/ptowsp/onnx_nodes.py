# SPDX-License-Identifier: MIT
"""Nodes of ONNX graphs as tasks. A value of a graph is a matrix in memory, whatever its shape: its elements in their order, so many columns wide; mostly its last extent.

How it is cut into tiles (RULE, which --tiles FILE overrides): a kernel on aie has all its tiles in 64 KiB, twice where data go on while it computes. With 2,048 elements of four
bytes in a tile, 8 KiB, three of them twice are 48 KiB. So element by element: at most 512 columns and 2,048 elements. Products: 32 x 64 times 64 x 32, which is 8 + 8 + 4 KiB. What needs whole
rows (softmax, norms, means) has as many rows as 2,048 elements hold, and one at least."""
import math

import numpy as np

from . import onnx_kernels
from .tracing import TYPES, TensorType
from .workloads import Part, Tensor, range as rounds, select, slot

RULE = {"elements": 2048, "columns": 512, "rows_of_product": 32, "inner_of_product": 64, "columns_of_product": 32}
KINDS = {"float32": "f32", "float16": "f16", "float64": "f64", "int64": "i64", "int32": "i32", "int8": "i8", "uint8": "u8", "bool": "u8"}

FLOATS = {"f32": np.float32, "f16": np.float16, "f64": np.float64}


class Unsupported(Exception):
    """A node, or a use of it, that is not translated."""


class Broken(Exception):
    """A node that means nothing."""


def check_indices(index, extent):
    """Indices from -extent, which count from the end, up to extent."""
    if np.any(index < -extent) or np.any(index >= extent):
        raise Broken(f"index {int(index.reshape(-1)[np.argmax((index < -extent) | (index >= extent))])} of {extent}")


def size(shape):
    return math.prod(shape)


class Value:
    """A tensor of the graph: its shape, and either an array that is known or memory of that many columns."""

    def __init__(self, shape, kind, array=None, memory=None):
        self.shape, self.kind, self.array = tuple(int(e) for e in shape), kind, array
        self.memory = {} if memory is None else {memory.shape_as_matrix[1]: memory}

    @property
    def columns(self):
        return next(iter(self.memory)) if self.memory else (self.shape or (1,))[-1] or 1

    def seen_as(self, shape):
        """The same elements with another shape."""
        made = Value(shape, self.kind, None if self.array is None else self.array.reshape(shape))
        made.memory = self.memory
        return made


class Memory:
    """A declared tensor as a matrix."""

    def __init__(self, tensor, rows, columns):
        self.tensor, self.shape_as_matrix = tensor, (rows, columns)

    def part(self, row, column, rows, columns):
        return Part(self.tensor, [row, column] if len(self.tensor.shape) > 1 else [column], [rows, columns])


def blocks(count, step, start=0):
    """Where tiles begin and how large they are: full ones in a loop, and what is left."""
    step = min(step, max(1, count - start))
    end = start + (count - start) // step * step
    if end - start > step:
        for i in rounds(start, end, step):
            yield i, step
    elif end > start:
        yield start, step
    if count > end:
        yield end, count - end


class Nodes:
    """What is collected while a graph is traced in a workload."""

    def __init__(self, trace, values, outputs, tiles):
        self.trace, self.values, self.outputs, self.files, self.tiles, self.node = trace, values, dict(outputs), {}, tiles, None

    # ---- rules, memory --------------------------------------------------------------------------------------------

    def rule(self, word):
        """The size of tiles: of the node by its name, of its operator, of all, or that of RULE."""
        for key in (self.node.name, self.node.op_type, "all"):
            if word in self.tiles.get(key, {}):
                return int(self.tiles[key][word])
        return RULE[word]

    def kernel(self, kind, name):
        return onnx_kernels.kernels(TYPES[kind])[name]

    def free_name(self, name):
        plain = "".join(c if c.isalnum() else "_" for c in name) or "value"
        plain = plain if not plain[0].isdigit() else "v" + plain
        made, number = plain, 2
        while made in self.trace.module.declared:
            made, number = f"{plain}_{number}", number + 1
        return made

    def new(self, name, shape, kind, columns=None):
        """Memory for a result: an output of the graph, or the run's own."""
        shape = tuple(int(e) for e in shape)
        columns = columns or (shape or (1,))[-1]
        if name in self.outputs and self.outputs[name].shape_as_matrix[1] == columns:
            return Value(shape, kind, memory=self.outputs.pop(name))
        rows = size(shape) // columns
        tensor = Tensor(self.free_name(name), TensorType(TYPES[kind], (rows, columns), "temp"))
        self.trace.module.see(tensor)
        return Value(shape, kind, memory=Memory(tensor, rows, columns))

    def matrix(self, value, columns=None):
        """Memory of a value with that many columns; what lies otherwise is copied, once."""
        columns = columns or value.columns
        if columns not in value.memory:
            value.memory[columns] = self.constant(value, columns) if value.array is not None else self.reshaped(value, columns)
        return value.memory[columns]

    def constant(self, value, columns):
        rows = value.array.size // columns
        array = np.ascontiguousarray(value.array).reshape(rows, columns)
        array = array.view(np.uint8) if array.dtype == np.bool_ else array
        tensor = Tensor(self.free_name("weight"), TensorType(TYPES[value.kind], (rows, columns), "const"))
        self.trace.module.see(tensor)
        self.files[tensor.name] = array
        return Memory(tensor, rows, columns)

    def reshaped(self, value, columns):
        source = next(iter(value.memory.values()))
        rows, wide = source.shape_as_matrix
        made = self.new(self.node.output[0] + "_as", (rows * wide // columns, columns), value.kind).memory[columns]
        reshape, most = self.kernel(value.kind, "reshape"), self.rule("elements")
        if wide % columns == 0:
            for i in self.loop(rows):
                for j, high in blocks(wide // columns, max(1, most // columns)):
                    reshape(source.part(i, j * columns, 1, high * columns), made.part(i * (wide // columns) + j, 0, high, columns), 1, high * columns, high, columns)
        elif columns % wide == 0:
            for i in self.loop(rows * wide // columns):
                for j, high in blocks(columns // wide, max(1, most // wide)):
                    reshape(source.part(i * (columns // wide) + j, 0, high, wide), made.part(i, j * wide, 1, high * wide), high, wide, 1, high * wide)
        else:
            both = math.lcm(wide, columns)
            for i in self.loop(rows * wide // both):
                reshape(source.part(i * (both // wide), 0, both // wide, wide), made.part(i * (both // columns), 0, both // columns, columns),
                        both // wide, wide, both // columns, columns)
        return made

    def loop(self, count):
        return rounds(count) if count > 1 else (0,)

    def input(self, number):
        names = self.node.input
        return self.values[names[number]] if number < len(names) and names[number] else None

    def attribute(self, name, default=None):
        return self.node.attributes.get(name, default)

    def known(self, number, what):
        value = self.input(number)
        if value is not None and value.array is None:
            raise Unsupported(f"{what} is computed by the graph; it has to be known")
        return None if value is None else value.array

    def give(self, value, number=0):
        self.values[self.node.output[number]] = value

    # ---- element by element ---------------------------------------------------------------------------------------

    def groups(self, shape, inputs):
        """Leading extents, those together that each input goes through alike: (extent, per input whether it stays)."""
        found = []
        for n, extent in enumerate(shape):
            if extent == 1:
                continue
            stays = tuple(own[n] == 1 for own in inputs)
            if found and found[-1][1] == stays:
                found[-1] = (found[-1][0] * extent, stays)
            else:
                found.append((extent, stays))
        return found or [(1, (False,) * len(inputs))]

    def rows_of(self, shape, inputs, step):
        """Goes through the rows of a result: yields (row, per input its row, rows of a block, per input its rows)."""
        groups = self.groups(shape, inputs)

        def strides(own):
            stride, found = 1, []
            for extent, stays in reversed(groups):
                stays = own is not None and stays[own]
                found.append(0 if stays else stride)
                stride *= 1 if stays else extent
            return found[::-1]

        ways = [strides(None)] + [strides(n) for n in range(len(inputs))]

        def go(depth, at):
            if depth == len(groups) - 1:
                for i, rows in blocks(groups[-1][0], step):
                    yield [a + i * way[-1] if way[-1] else a for a, way in zip(at, ways)], rows
            else:
                for i in self.loop(groups[depth][0]):
                    yield from go(depth + 1, [a + i * way[depth] if way[depth] else a for a, way in zip(at, ways)])

        for at, rows in go(0, [0] * len(ways)):
            yield at[0], at[1:], rows, [1 if way[-1] == 0 else rows for way in ways[1:]]

    def elementwise(self, inputs, emit, name=None, kind=None):
        """The result of tiles of each input, repeated where numpy repeats: emit(parts, shapes, part of the result, R, C)."""
        try:
            shape = np.broadcast_shapes(*(value.shape for value in inputs)) or (1,)
        except ValueError:
            raise Broken(f"extents {' and '.join(str(list(value.shape)) for value in inputs)} do not go together") from None
        alike = all(value.shape == shape for value in inputs)
        columns = inputs[0].columns if alike else shape[-1]
        lead = (size(shape) // columns,) if alike else shape[:-1]
        own = [lead if alike else (1,) * (len(shape) - len(v.shape)) + v.shape[:-1] if v.shape else (1,) * len(lead) for v in inputs]
        result = self.new(name or self.node.output[0], shape if inputs[0].shape or len(inputs) > 1 else (), kind or inputs[-1].kind, columns)
        memories = [self.matrix(v, columns if alike else (v.shape or (1,))[-1]) for v in inputs]
        target = result.memory[columns]
        wide = min(columns, self.rule("columns"))
        for row, rows, high, highs in self.rows_of(lead, own, max(1, self.rule("elements") // wide)):
            for j, C in blocks(columns, wide):
                shapes = [(h, C if m.shape_as_matrix[1] != 1 or columns == 1 else 1) for h, m in zip(highs, memories)]
                parts = [m.part(r, j if s[1] == C and m.shape_as_matrix[1] != 1 else 0, *s) for m, r, s in zip(memories, rows, shapes)]
                emit(parts, shapes, target.part(row, j, high, C), high, C)
        return result

    def unary(self, word):
        value = self.input(0)
        kernel, numbers = self.kernel(value.kind, "unary"), tuple(float(self.attribute(*pair)) for pair in onnx_kernels.ATTRIBUTES.get(word, {}).items())
        self.give(self.elementwise([value], lambda parts, shapes, to, R, C: kernel(*parts, to, word, R, C, numbers)))

    def binary(self, word):
        made, rest, name = self.input(0), [self.values[name] for name in self.node.input[1:]], self.node.output[0]
        if rest and word not in ("Max", "Min", "Sum", "Mean"):
            rest = rest[:1]
        for n, value in enumerate(rest):
            made = self.binary_of({"Sum": "Add", "Mean": "Add"}.get(word, word), made, value, name + ("" if n == len(rest) - 1 and word != "Mean" else "_among"))
        self.give(self.with_number("Div", made, len(rest) + 1, name) if word == "Mean" else made)

    def with_number(self, word, a, number, name):
        kernel = self.kernel(a.kind, "with_number")
        return self.elementwise([a], lambda parts, shapes, to, R, C: kernel(*parts, to, word, number, R, C, *shapes[0]), name)

    def binary_of(self, word, a, b, name):
        if b.array is not None and b.array.size == 1 and size(a.shape) > 1:
            made = self.with_number(word, a, b.array.item(), name)
        elif a.array is not None and a.array.size == 1 and size(b.shape) > 1:
            kernel, number = self.kernel(b.kind, "number_with"), a.array.item()
            made = self.elementwise([b], lambda parts, shapes, to, R, C: kernel(*parts, to, word, number, R, C, *shapes[0]), name)
        else:
            kernel = self.kernel(a.kind, "binary")
            made = self.elementwise([a, b], lambda parts, shapes, to, R, C: kernel(*parts, to, word, R, C, *shapes[0], *shapes[1]), name)
        return made.seen_as(np.broadcast_shapes(a.shape, b.shape))

    def gelu(self):
        self.unary("GeluOfTanh" if self.attribute("approximate", "none") == "tanh" else "Gelu")

    def compare(self, word):
        a, b = self.input(0), self.input(1)
        kernel = self.kernel(a.kind, "compare")
        self.give(self.elementwise([a, b], lambda parts, shapes, to, R, C: kernel(*parts, to, word, R, C, tuple(shapes)), kind="u8"))

    def choose(self):
        c, a, b = (self.input(n) for n in range(3))
        kernel = self.kernel(b.kind, "choose")
        self.give(self.elementwise([c, a, b], lambda parts, shapes, to, R, C: kernel(*parts, to, R, C, tuple(shapes))))

    def cast(self):
        value, kind, truth = self.input(0), KINDS.get(self.attribute("to").name), self.attribute("to") == np.bool_
        if kind is None:
            raise Unsupported(f"to {self.attribute('to').name}")
        if kind == value.kind and not truth:
            return self.same()
        kernel = onnx_kernels.cast(TYPES[value.kind], TYPES[kind], truth)
        self.give(self.elementwise([value], lambda parts, shapes, to, R, C: kernel(*parts, to, R, C), kind=kind))

    def limited(self):
        low, high = (self.known(1, "its least"), self.known(2, "its most")) if self.node.opset >= 11 else (self.attribute("min"), self.attribute("max"))
        low, high = (None if bound is None else np.asarray(bound).item() for bound in (low, high))
        if low is None and high is None:
            return self.same()
        value, kernel = self.input(0), self.kernel(self.input(0).kind, "limit")
        self.give(self.elementwise([value], lambda parts, shapes, to, R, C: kernel(*parts, to, low, high, R, C)))

    def batch_norm(self):
        if self.attribute("training_mode", 0) or len([name for name in self.node.output if name]) > 1:
            raise Unsupported("training_mode, figures of the batch itself")
        value = self.input(0)
        scale, shift, mean, variance = (self.known(n, "its scale, shift, mean or variance").astype(np.float64) for n in range(1, 5))
        factor = scale / np.sqrt(variance + self.attribute("epsilon", 1e-5))
        columns = size(value.shape[2:])
        seen, shape = value.seen_as((size(value.shape[:1]), value.shape[1], columns)), (value.shape[1], 1)
        kind = FLOATS[value.kind]
        kernel = self.kernel(value.kind, "scaled")
        parts = [Value(shape, value.kind, array.reshape(shape).astype(kind)) for array in (factor, shift - mean * factor)]
        made = self.elementwise([seen, *parts], lambda of, shapes, to, R, C: kernel(*of, to, R, C, tuple(shapes)))
        self.give(made.seen_as(value.shape))

    # ---- rows -----------------------------------------------------------------------------------------------------

    def whole_rows(self, value, columns):
        memory = self.matrix(value, columns)
        rows = memory.shape_as_matrix[0]
        for i, R in blocks(rows, max(1, self.rule("elements") // columns)):
            yield memory.part(i, 0, R, columns), i, R

    def softmax(self):
        value = self.input(0)
        axis = self.attribute("axis", -1 if self.node.opset >= 13 else 1) % len(value.shape)
        name, last = self.node.output[0], len(value.shape) - 1
        if self.node.opset >= 13 and axis != last:  # which is made the last one, and goes back
            order = [n for n in range(last + 1) if n != axis] + [axis]
            made = self.softmax_of(self.permuted(value, order, name + "_in"), value.shape[axis], name + "_out")
            self.give(self.permuted(made, [order.index(n) for n in range(last + 1)], name))
        else:
            self.give(self.softmax_of(value, size(value.shape[axis:]), name))

    def softmax_of(self, value, columns, name):
        result = self.new(name, value.shape, value.kind, columns)
        for part, i, R in self.whole_rows(value, columns):
            self.kernel(value.kind, "log_softmax" if self.node.op_type == "LogSoftmax" else "softmax")(part, result.memory[columns].part(i, 0, R, columns), R, columns)
        return result

    def layer_norm(self):
        value, scale, shift = (self.input(n) for n in range(3))
        axis = self.attribute("axis", -1) % len(value.shape)
        columns = size(value.shape[axis:])
        if len([name for name in self.node.output if name]) > 1:
            raise Unsupported("its mean and deviation are results, too")
        if shift is None:
            shift = Value((columns,), value.kind, np.zeros(columns, FLOATS[value.kind]))
        result = self.new(self.node.output[0], value.shape, value.kind, columns)
        scale, shift = (self.matrix(v, columns).part(0, 0, 1, columns) for v in (scale, shift))
        for part, i, R in self.whole_rows(value, columns):
            self.kernel(value.kind, "layer_norm")(part, scale, shift, result.memory[columns].part(i, 0, R, columns), float(self.attribute("epsilon", 1e-5)), R, columns)
        self.give(result)

    def reduce(self):
        value = self.input(0)
        axes = self.attribute("axes") if self.input(1) is None else [int(a) for a in self.known(1, "which axes").reshape(-1)]
        if not axes and self.attribute("noop_with_empty_axes", 0):
            self.same()
            return
        if axes and len({a % len(value.shape) for a in axes}) != len(axes):
            raise Broken("an axis is there twice")
        self.reduced(value, sorted(a % len(value.shape) for a in axes) if axes else list(range(len(value.shape))), self.attribute("keepdims", 1), self.node.op_type)

    def reduced(self, value, axes, keep, word):
        rest = [n for n in range(len(value.shape)) if n not in axes]
        shape = [1 if n in axes else extent for n, extent in enumerate(value.shape)] if keep else [value.shape[n] for n in rest]
        columns = size(value.shape[n] for n in axes)
        if rest + axes != sorted(axes + rest):  # the axes are made the last ones; what is left keeps its order
            value = self.permuted(value, rest + axes, self.node.output[0] + "_turned")
        made = self.new(self.node.output[0], shape, value.kind, 1)
        for part, i, R in self.whole_rows(value, columns):
            self.kernel(value.kind, "reduce")(part, made.memory[1].part(i, 0, R, 1), word, R, columns)
        self.give(made)

    # ---- products -------------------------------------------------------------------------------------------------

    def multiply(self, a, b, c, rows, inner, columns, a_row=0, b_row=0, c_row=0):
        """c = a * b, tile by tile: the first part of the inner extent writes, the others add up."""
        step = min(inner, self.rule("inner_of_product"))
        whole = self.kind == "f16" and inner > step  # sums of several parts are f32 till they are whole
        first, more = (self.kernel(self.kind, name + ("_wide" if whole else "")) for name in ("product", "product_more"))
        if whole:
            target, target_row, c, c_row = c, c_row, self.new(self.node.output[0] + "_sums", (rows, columns), "f32").memory[columns], 0
        for i, R in blocks(rows, self.rule("rows_of_product")):
            for j, C in blocks(columns, self.rule("columns_of_product")):
                to = c.part(c_row + i, j, R, C)
                first(a.part(a_row + i, 0, R, step), b.part(b_row, j, step, C), to, R, step, C)
                for k, K in blocks(inner, step, step) if inner > step else ():
                    more(a.part(a_row + i, k, R, K), b.part(b_row + k, j, K, C), to, R, K, C)
                if whole:
                    self.kernel(self.kind, "narrowed")(to, target.part(target_row + i, j, R, C), R, C)

    def matmul(self):
        a, b = self.input(0), self.input(1)
        line, column = len(a.shape) == 1, len(b.shape) == 1  # which the result has no axis of
        a, b = a.seen_as((1,) + a.shape) if line else a, b.seen_as(b.shape + (1,)) if column else b
        self.kind = a.kind
        (M, K), N = a.shape[-2:], b.shape[-1]
        if b.shape[-2] != K:
            raise Broken(f"{K} columns times {b.shape[-2]} rows")
        lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        result = self.new(self.node.output[0], lead + (M, N), a.kind)
        ma, mb, mc = self.matrix(a, K), self.matrix(b, N), result.memory[N]
        if size(b.shape[:-2]) == 1:
            self.multiply(ma, mb, mc, size(lead) * M, K, N)
        else:
            own = [(1,) * (len(lead) + 2 - len(v.shape)) + v.shape[:-2] for v in (a, b)]
            for at, (i, j), *_ in self.rows_of(lead, own, 1):
                self.multiply(ma, mb, mc, M, K, N, i * M, j * K, at * M)
        self.give(result.seen_as(lead + (M,) * (not line) + (N,) * (not column)))

    def gemm(self):
        a, b, c = (self.input(n) for n in range(3))
        a, b = (self.turned(v) if self.attribute(word, 0) else v for v, word in ((a, "transA"), (b, "transB")))
        alpha, beta = self.attribute("alpha", 1.0), self.attribute("beta", 1.0)
        self.kind = a.kind
        (M, K), N = a.shape, b.shape[1]
        if b.shape[0] != K:
            raise Broken(f"{K} columns times {b.shape[0]} rows")
        name = self.node.output[0]
        product = self.new(name if c is None and alpha == 1 else name + "_product", (M, N), a.kind)
        self.multiply(self.matrix(a, K), self.matrix(b, N), product.memory[N], M, K, N)
        product = product if alpha == 1 else self.with_number("Mul", product, alpha, name if c is None else name + "_scaled")
        c = c if c is None or beta == 1 else self.with_number("Mul", c, beta, name + "_bias")
        self.give(product if c is None else self.added(product, c))

    def added(self, a, b):
        kernel = self.kernel(a.kind, "binary")
        return self.elementwise([a, b], lambda parts, shapes, to, R, C: kernel(*parts, to, "Add", R, C, *shapes[0], *shapes[1]))

    # ---- where elements lie ---------------------------------------------------------------------------------------

    def swapped(self, value, before, first, second, behind, name):
        """(before, first, second, behind) as (before, second, first, behind)."""
        made = self.new(name, (before, second, first, behind), value.kind, behind if behind > 1 else first)
        most = self.rule("elements")
        if behind == 1:
            source, target, turn = self.matrix(value, second), made.memory[first], self.kernel(value.kind, "turn")
            side = max(1, math.isqrt(most))
            for n in self.loop(before):
                for i, R in blocks(first, side):
                    for j, C in blocks(second, side):
                        turn(source.part(n * first + i, j, R, C), target.part(n * second + j, i, C, R), R, C)
        else:
            source, target, move = self.matrix(value, second * behind), made.memory[behind], self.kernel(value.kind, "move")
            for n in self.loop(before):
                for m in self.loop(second):
                    for i, R in blocks(first, max(1, most // behind)):
                        move(source.part(n * first + i, m * behind, R, behind), target.part((n * second + m) * first + i, 0, R, behind), R, behind)
        return made

    def permuted(self, value, order, name):
        """Axes in another order, one move of a group of axes behind another after the other."""
        if value.array is not None:
            return Value([value.shape[n] for n in order], value.kind, np.ascontiguousarray(value.array.transpose(order)))
        have, steps = list(range(len(order))), []
        for at, axis in enumerate(order):
            if have[at] != axis:
                where = have.index(axis)
                last = where
                while last + 1 < len(order) and have[last + 1] == order[at + last + 1 - where]:
                    last += 1
                steps.append((at, where, last + 1, list(have)))
                have[at:last + 1] = have[where:last + 1] + have[at:where]
        made = value
        for n, (at, where, end, axes) in enumerate(steps):
            extents = [value.shape[a] for a in axes]
            made = self.swapped(made, size(extents[:at]), size(extents[at:where]), size(extents[where:end]), size(extents[end:]), name + ("" if n == len(steps) - 1 else "_turning"))
        return made.seen_as([value.shape[n] for n in order])

    def turned(self, value):
        return self.permuted(value, [1, 0], self.node.output[0] + "_turned")

    def transpose(self):
        value = self.input(0)
        self.give(self.permuted(value, self.attribute("perm", list(range(len(value.shape)))[::-1]), self.node.output[0]))

    def parts_of_axis(self, value, axis):
        axis %= len(value.shape)
        return size(value.shape[:axis]), value.shape[axis], size(value.shape[axis + 1:]), axis

    def moved(self, source, target, kind, rows, from_column, to_column, columns, from_row=0, to_row=0):
        move, wide = self.kernel(kind, "move"), min(columns, self.rule("columns"))
        for i, R in blocks(rows, max(1, self.rule("elements") // wide)):
            for j, C in blocks(columns, wide):
                move(source.part(from_row + i, from_column + j, R, C), target.part(to_row + i, to_column + j, R, C), R, C)

    def picked(self, value, axis, starts, shape, name):
        """Parts of an axis, (where it begins, how many) each, one behind the other."""
        before, extent, behind, axis = self.parts_of_axis(value, axis)
        count = sum(n for _, n in starts)
        made = self.new(name, shape, value.kind, count * behind)
        source, target, to = self.matrix(value, extent * behind), made.memory[count * behind], 0
        for start, n in starts:
            self.moved(source, target, value.kind, before, start * behind, to, n * behind)
            to += n * behind
        return made

    def split(self):
        value, axis = self.input(0), self.attribute("axis", 0)
        extent = self.parts_of_axis(value, axis)[1]
        sizes = self.attribute("split") if self.input(1) is None else [int(n) for n in self.known(1, "how it is split")]
        count = len(self.node.output)
        sizes = sizes or [-(-extent // count)] * (count - 1) + [extent - -(-extent // count) * (count - 1)]
        start = 0
        for number, n in enumerate(sizes):
            shape = list(value.shape)
            shape[axis] = n
            self.give(self.picked(value, axis, [(start, n)], shape, self.node.output[number]), number)
            start += n

    def slice(self):
        value = self.input(0)
        if self.node.opset < 10:
            starts, ends, axes, steps = self.attribute("starts"), self.attribute("ends"), self.attribute("axes"), None
        else:
            starts, ends, axes, steps = (self.known(n, "what it takes") for n in range(1, 5))
        axes = range(len(starts)) if axes is None else axes
        if steps is not None and any(s != 1 for s in steps):
            raise Unsupported("steps are not 1")
        for n, (axis, start, end) in enumerate(zip(axes, starts, ends)):
            low, high, _ = slice(int(start), int(end)).indices(value.shape[axis])
            shape = list(value.shape)
            shape[axis] = high - low
            if high <= low:
                raise Unsupported("nothing is left of it")
            if tuple(shape) != value.shape:
                last = n == len(starts) - 1
                value = self.picked(value, int(axis), [(low, high - low)], shape, self.node.output[0] + ("" if last else "_sliced"))
        self.give(value)

    def concat(self):
        inputs = [self.values[name] for name in self.node.input]
        axis = self.attribute("axis") % len(inputs[0].shape)
        extents = [value.shape[axis] for value in inputs]
        shape = list(inputs[0].shape)
        shape[axis] = sum(extents)
        before, _, behind, _ = self.parts_of_axis(inputs[0], axis)
        made = self.new(self.node.output[0], shape, inputs[0].kind, sum(extents) * behind)
        to = 0
        for value, extent in zip(inputs, extents):
            self.moved(self.matrix(value, extent * behind), made.memory[sum(extents) * behind], value.kind, before, 0, to, extent * behind)
            to += extent * behind
        self.give(made)

    def gather(self):
        value, index, axis = self.input(0), self.input(1), self.attribute("axis", 0)
        before, extent, behind, axis = self.parts_of_axis(value, axis)
        shape = value.shape[:axis] + index.shape + value.shape[axis + 1:]
        if index.array is not None:
            check_indices(index.array, extent)
            picks = [(int(n) % extent, 1) for n in index.array.reshape(-1)]
            self.give(self.picked(value, axis, picks, shape, self.node.output[0]))
            return
        if axis or index.kind not in ("i64", "i32"):
            raise Unsupported("indices of the run choose along the first axis only")
        source, numbers = self.matrix(value, behind), self.matrix(index, size(index.shape))
        made = self.new(self.node.output[0], shape, value.kind, behind)
        chosen = slot(self.free_name("chosen"))
        for i in rounds(size(index.shape)):
            chosen.load(Part(numbers.tensor, [0, i] if len(numbers.tensor.shape) > 1 else [i]))
            self.moved(source, made.memory[behind], value.kind, 1, 0, 0, behind, select(chosen < 0, chosen + extent, chosen), i)
        self.give(made)

    def reshape(self):
        value, wanted = self.input(0), [int(n) for n in self.known(1, "its shape")]
        if not self.attribute("allowzero", 0):
            wanted = [value.shape[n] if extent == 0 else extent for n, extent in enumerate(wanted)]
        if -1 in wanted:
            wanted[wanted.index(-1)] = size(value.shape) // max(1, -size(wanted))
        if size(wanted) != size(value.shape) or min(wanted, default=1) < 0:
            raise Broken(f"{' x '.join(map(str, value.shape))} elements as {' x '.join(map(str, wanted))}")
        self.give(value.seen_as(wanted))

    def flatten(self):
        value, axis = self.input(0), self.attribute("axis", 1)
        self.give(value.seen_as((size(value.shape[:axis]), size(value.shape[axis:]))))

    def squeeze(self):
        value = self.input(0)
        axes = self.attribute("axes") if self.input(1) is None else self.known(1, "which axes")
        axes = [n for n, e in enumerate(value.shape) if e == 1] if axes is None else [int(a) % len(value.shape) for a in axes]
        self.give(value.seen_as([e for n, e in enumerate(value.shape) if n not in axes]))

    def unsqueeze(self):
        value = self.input(0)
        axes = self.attribute("axes") if self.input(1) is None else self.known(1, "which axes")
        rank = len(value.shape) + len(axes)
        axes, rest = {int(a) % rank for a in axes}, iter(value.shape)
        self.give(value.seen_as([1 if n in axes else next(rest) for n in range(rank)]))

    def dropout(self):
        training = self.known(2, "whether it trains")
        if (training is not None and training.any()) or len([name for name in self.node.output if name]) > 1:
            raise Unsupported("training, or its mask is a result")
        self.same()

    def same(self):
        self.give(self.input(0))

    # ---- images ---------------------------------------------------------------------------------------------------

    def check_image(self, value):
        if len(value.shape) != 4:
            raise Unsupported(f"only images of two dimensions, not of {len(value.shape) - 2}")

    def geometry(self, value, high, wide):
        """(strides, pads: above, left, below, right, extents of the result) of a window that goes over an image."""
        for word, is_there in (("dilations", any(d != 1 for d in self.attribute("dilations", []))), ("ceil_mode", self.attribute("ceil_mode", 0))):
            if is_there:
                raise Unsupported(word)
        down, right = self.attribute("strides", [1, 1])
        pads, auto = self.attribute("pads", [0, 0, 0, 0]), self.attribute("auto_pad", "NOTSET")
        if auto in ("SAME_UPPER", "SAME_LOWER"):
            pads = [0] * 4
            for n, (extent, step, window) in enumerate(((value.shape[2], down, high), (value.shape[3], right, wide))):
                more = max(0, (-(-extent // step) - 1) * step + window - extent)
                pads[n], pads[n + 2] = (more // 2, more - more // 2) if auto == "SAME_UPPER" else (more - more // 2, more // 2)
        H, W = value.shape[2] + pads[0] + pads[2], value.shape[3] + pads[1] + pads[3]
        return (down, right), pads, ((H - high) // down + 1, (W - wide) // right + 1)

    def padded(self, value, pads, number):
        """The images with an edge of that number around."""
        N, C, H, W = value.shape
        if not any(pads):
            return self.matrix(value, W), H, W
        high, wide = H + pads[0] + pads[2], W + pads[1] + pads[3]
        made = self.new(self.node.output[0] + "_padded", (N * C * high, wide), value.kind).memory[wide]
        source, fill = self.matrix(value, W), self.kernel(value.kind, "fill")
        for i, R in blocks(N * C * high, max(1, self.rule("elements") // wide)):
            fill(made.part(i, 0, R, wide), number, R, wide)
        for n in self.loop(N * C):
            self.moved(source, made, value.kind, H, 0, pads[1], W, n * H, n * high + pads[0])
        return made, high, wide

    def conv(self):
        value, weights, bias = (self.input(n) for n in range(3))
        if self.attribute("group", 1) != 1:
            raise Unsupported("groups")
        self.check_image(value)
        N, C = value.shape[:2]
        M, channels, kh, kw = weights.shape
        if channels != C:
            raise Broken(f"images of {C} channels, weights of {channels}")
        (down, right), pads, (OH, OW) = self.geometry(value, kh, kw)
        source, H, W = self.padded(value, pads, 0)
        inner, pixels, name = C * kh * kw, OH * OW, self.node.output[0]
        product = self.new(name if bias is None else name + "_product", (N, M, OH, OW), value.kind, pixels)
        window, self.kind = self.kernel(value.kind, "window"), value.kind
        for n in range(N):
            windows = self.new(name + "_windows", (inner, pixels), value.kind).memory[pixels]
            for i, rows in blocks(OH, max(1, self.rule("elements") // max(W, OW) // down)):
                R, S = (rows - 1) * down + 1, (OW - 1) * right + 1
                for c in self.loop(C):
                    for y in self.loop(kh):
                        for x in self.loop(kw):
                            window(source.part((c + n * C) * H + i * down + y, x, R, S), windows.part((c * kh + y) * kw + x, i * OW, 1, rows * OW), R, S, rows, OW, down, right)
            self.multiply(self.matrix(weights, inner), windows, product.memory[pixels], M, inner, pixels, 0, 0, n * M)
        product = product if bias is None else self.added(product.seen_as((N, M, pixels)), bias.seen_as((M, 1))).seen_as((N, M, OH, OW))
        self.give(product)

    def pool(self):
        value = self.input(0)
        self.check_image(value)
        kh, kw = self.attribute("kernel_shape")
        N, C = value.shape[:2]
        (down, right), pads, (OH, OW) = self.geometry(value, kh, kw)
        counted = self.node.op_type == "AveragePool" and any(pads) and not self.attribute("count_include_pad", 0)  # of each window, what is no edge
        if len(self.node.output) > 1:
            raise Unsupported("indices")
        source, H, W = self.padded(value, pads, -math.inf if self.node.op_type == "MaxPool" else 0)
        made, kernel = self.new(self.node.output[0] + "_sums" * counted, (N, C, OH, OW), value.kind, OW), self.kernel(value.kind, "pool")
        for n in self.loop(N * C):
            for i, rows in blocks(OH, max(1, self.rule("elements") // W // down)):
                R, S = (rows - 1) * down + kh, (OW - 1) * right + kw
                kernel(source.part(n * H + i * down, 0, R, S), made.memory[OW].part(n * OH + i, 0, rows, OW), "Sum" if counted else self.node.op_type, R, S, rows, OW, down, right, kh, kw)
        if counted:
            high, wide = (np.array([min(n * step - edge + window, extent) - max(n * step - edge, 0) for n in range(count)])
                          for count, step, edge, window, extent in ((OH, down, pads[0], kh, value.shape[2]), (OW, right, pads[1], kw, value.shape[3])))
            made = self.binary_of("Div", made, Value((OH, OW), value.kind, np.outer(high, wide).astype(FLOATS[value.kind])), self.node.output[0])
        self.give(made)

    def global_pool(self):
        self.reduced(self.input(0), list(range(2, len(self.input(0).shape))), 1, "ReduceMean" if self.node.op_type == "GlobalAveragePool" else "ReduceMax")


NODES = {
    **{word: (lambda nodes, word=word: nodes.unary(word)) for word in onnx_kernels.UNARY}, **{word: (lambda nodes, word=word: nodes.binary(word)) for word in onnx_kernels.BINARY},
    **{word: (lambda nodes, word=word: nodes.compare(word)) for word in onnx_kernels.COMPARE}, **{word: (lambda nodes, word=word: nodes.binary(word)) for word in ("Sum", "Mean")}, "Cast": Nodes.cast,
    **{word: Nodes.reduce for word in onnx_kernels.REDUCE}, "LogSoftmax": Nodes.softmax, "Gelu": Nodes.gelu, "Where": Nodes.choose, "Softmax": Nodes.softmax, "LayerNormalization": Nodes.layer_norm, "MatMul": Nodes.matmul,
    "Gemm": Nodes.gemm, "Transpose": Nodes.transpose, "Split": Nodes.split, "Slice": Nodes.slice, "Concat": Nodes.concat, "Gather": Nodes.gather, "Reshape": Nodes.reshape,
    "Flatten": Nodes.flatten, "Squeeze": Nodes.squeeze, "Unsqueeze": Nodes.unsqueeze, "Clip": Nodes.limited, "BatchNormalization": Nodes.batch_norm, "Identity": Nodes.same, "Dropout": Nodes.dropout, "Conv": Nodes.conv, "MaxPool": Nodes.pool,
    "AveragePool": Nodes.pool, "GlobalAveragePool": Nodes.global_pool, "GlobalMaxPool": Nodes.global_pool,
}
