# SPDX-License-Identifier: MIT
"""Kernels: Python functions on tiles, traced into InCore functions.

    @ptowsp.func
    def softmax(x: f32[...], y: f32[...]):
        t = x.load(16, 64)
        t = ptowsp.exp(t - t.max(axis=1))
        y.store(t / t.sum(axis=1))
"""
import contextlib
import functools
import inspect
import numbers

import numpy as np

from .tables import OPERATIONS
from .tracing import INDEX, TYPES, ElementType, Expr, Least, TensorType, Trace, Traced, TraceError, current, element_type, fresh_mark, place, plain, tracing

COMPARE = {"eq": "EQ", "ne": "NE", "lt": "LT", "le": "LE", "gt": "GT", "ge": "GE"}
WIDER = {"f16": "f32", "bf16": "f32", "i8": "i32", "u8": "i32", "i16": "i32", "u16": "u32"}
IN_PLACE = ("SAME", "ROW_COMBINE")  # rules of shape whose destination may take the room of a source that ends there


class Step:
    """A line of a kernel: the tiles that it writes and reads, and what it opens or closes."""

    def __init__(self, text, depth, writes=(), reads=(), rule="", loop=0):
        self.text, self.depth, self.where = text, depth, place()
        self.writes, self.reads, self.rule, self.loop = list(writes), list(reads), rule, loop


class FunctionTrace(Trace):
    """Steps of a kernel. Tiles get their names at the end: those of one type and shape share one where the life of one is over."""
    CALLED = "a kernel (@ptowsp.func)"

    def __init__(self, memrefs):
        super().__init__()
        self.steps, self.scalars, self.memrefs, self.spare = [], [], memrefs, []

    def emit(self, text, writes=(), reads=(), rule="", loop=0):
        for tile in reads:
            tile.check(self)
        self.steps.append(Step(text, len(self.blocks) + 1, writes, reads, rule, loop))

    @contextlib.contextmanager
    def block(self, begin, end):
        loops = int(not begin.startswith("IF "))
        self.emit(begin, loop=loops)
        self.blocks.append(object())
        yield
        self.blocks.pop()
        self.emit(end, loop=-loops)

    def held(self, frame):
        return {name: value for name, value in frame.f_locals.items() if isinstance(value, Tile)}

    def reserved(self):
        return set(self.memrefs)

    def scalar(self, element, mark=None):
        made = Scalar(mark or f"s{len(self.scalars)}", element)
        self.scalars.append(made)
        return made

    def text(self, header):
        """The function's lines with their places."""
        self.ended()
        read = {tile for step in self.steps for tile in step.reads}
        unused = [step for step, tile in self.spare if tile not in read]
        self.steps = [step for step in self.steps if step not in unused]
        rooms = _rooms(self.steps)
        types = {}
        for tile, name in rooms.items():
            types[name] = tile.type
        lines = [(header + " {", None)]
        lines += [(f"  %{name} = alloc_tile : {kind}", None) for name, kind in types.items()]
        lines += [(f"  %{s.name} = alloc_scalar : {s.element.name}", None) for s in self.scalars]
        for step in self.steps:
            text = step.text
            for tile in step.writes + step.reads:
                text = text.replace(tile.mark, rooms[tile])
            lines.append(("  " * step.depth + self.named(text), step.where))
        return lines + [("  return", None), ("}", None)]


def _rooms(steps):
    """The name of each tile's room. A tile lives from its first step to its last; one that was made before a loop and is used in it lives to the loop's end."""
    first, last, loops, free, rooms = {}, {}, [], {}, {}
    for at, step in enumerate(steps):
        if step.loop > 0:
            loops.append((at, set()))
        for tile in step.writes + step.reads:
            first.setdefault(tile, at)
            last[tile] = at
            for begin, used in loops:
                if first[tile] < begin:
                    used.add(tile)
        if step.loop < 0:
            for tile in loops.pop()[1]:
                last[tile] = at
    ends = {}
    for tile, at in last.items():
        ends.setdefault(at, []).append(tile)
    for at, step in enumerate(steps):
        written = set(step.writes)  # sets look at identity: == of tiles makes a tile
        early = {t for t in ends.get(at, ()) if t in rooms and t not in written} if step.rule.startswith(IN_PLACE) else set()
        for tile in early:
            free.setdefault(tile.type, []).append(rooms[tile])
        for tile in step.writes:
            if tile not in rooms:
                rest = free.get(tile.type)
                rooms[tile] = rest.pop() if rest else f"t{len(set(rooms.values()))}"
        for tile in ends.get(at, ()):
            if tile not in early and tile in rooms:
                free.setdefault(tile.type, []).append(rooms[tile])
    return rooms


class Scalar(Traced):
    """A scalar of a kernel: a parameter, the value of a loop, or what is made of them."""

    def __init__(self, name, element):
        self.name, self.element = name, element

    __hash__ = object.__hash__

    @property
    def mark(self):
        return self.name

    def __bool__(self):
        raise TraceError("a scalar of a kernel has no truth while it is traced; write `with ptowsp.when(...)`")

    def __index__(self):
        raise TraceError("a scalar of a kernel is no number while it is traced")

    def set(self, value):
        """It has that value from here on."""
        current(FunctionTrace, "set").emit(f"MOV %{self.name}:{self.element.name}, {operand(value, self.element)}")

    def _with(self, word, a, b):
        trace = current(FunctionTrace, "arithmetic of scalars")
        element = self.element
        made = trace.scalar(element)
        trace.emit(f"{word} %{made.name}:{element.name}, {operand(a, element)}, {operand(b, element)}")
        return made

    def _compare(self, word, other):
        trace = current(FunctionTrace, "a comparison of scalars")
        made = trace.scalar(TYPES["bool"])
        trace.emit(f"CMP %{made.name}:u1, %{self.name}:{self.element.name}, {operand(other, self.element)}, {word}")
        return made


for _name, _word in (("add", "ADD"), ("sub", "SUB"), ("mul", "MUL"), ("floordiv", "DIV"), ("truediv", "DIV")):
    setattr(Scalar, f"__{_name}__", lambda self, other, word=_word: self._with(word, self, other))
    setattr(Scalar, f"__r{_name}__", lambda self, other, word=_word: self._with(word, other, self))
for _name, _word in COMPARE.items():
    setattr(Scalar, f"__{_name}__", lambda self, other, word=_word: self._compare(word, other))


def operand(value, element):
    """A scalar or a number as the text of an operand."""
    value = plain(value)
    if isinstance(value, Scalar):
        if value.element.is_float != element.is_float:
            raise TraceError(f"a scalar of {value.element} stands where one of {element} is wanted")
        return f"%{value.name}"
    if isinstance(value, (int, float)):
        text = element.number(value)
        return text if element.is_float else text[1:]
    raise TraceError(f"a number or a scalar is wanted, not {type(value).__name__}")


class Tile:
    """A small matrix near the arithmetic. Operators make new tiles; `+=` and its like, and set, write it."""
    def __init__(self, trace, shape, element):
        if len(shape) != 2 or not all(isinstance(extent, numbers.Integral) and extent > 0 for extent in shape):
            raise TraceError(f"a tile is rows x columns, whole numbers from 1, not {' x '.join(map(str, shape))}")
        self.trace, self.shape, self.element, self.mark = trace, tuple(map(int, shape)), element, fresh_mark()
        self.blocks, self.where = list(trace.blocks), place()

    __hash__ = object.__hash__

    @property
    def type(self):
        return f"!pto.tile<{self.shape[0]}x{self.shape[1]}x{self.element.name}>"

    def check(self, trace):
        if trace is not self.trace:
            raise TraceError("a tile is of one kernel; pass it between kernels through memory")
        if trace.blocks[: len(self.blocks)] != self.blocks:
            raise TraceError(f"the tile that is made at line {self.where[1]} stands in a loop or branch that is over; make it before, and write it there with "
                             "+= or set")

    def __array_ufunc__(self, ufunc, method, *inputs, **more):
        """A number of NumPy on the left of an operator leaves it to the tile; functions of NumPy are of arrays."""
        name = ufunc.__name__
        if method == "__call__" and name in REFLECTED and isinstance(inputs[0], np.generic):
            return getattr(self, f"__{REFLECTED[name]}__")(inputs[0])
        if method == "__call__" and name in REFLECTED:
            raise TraceError(f"a tile, a scalar or a number is wanted, not {type(inputs[0]).__name__}")
        own = globals().get(name)
        raise TraceError(f"numpy.{name} is of arrays, not of tiles; " + (f"write ptowsp.{name}" if own else "ptowsp.op has the operations of tiles"))

    def __bool__(self):
        raise TraceError("a tile has no truth; ptowsp.where(mask, a, b) chooses element by element")

    def set(self, value):
        """It has the value of another tile of its shape, or of a number, from here on."""
        if isinstance(value, Tile):
            self._same(value)
            self.trace.emit(f"%{self.mark} = tmov %{value.mark}", [self], [value])
        else:
            self.trace.emit(f"%{self.mark} = texpands {operand_of_tile(value, self.element)}", [self])

    def _same(self, other):
        if other.element is not self.element:
            raise TraceError(f"a tile of {self.element} and one of {other.element}: convert one with astype")
        if other.shape != self.shape:
            raise TraceError(f"tiles of {self.shape[0]} x {self.shape[1]} and {other.shape[0]} x {other.shape[1]} do not go together")

    def astype(self, element, rounding=None):
        """Converted; rounding: NONE RINT ROUND FLOOR CEIL TRUNC ODD, to nearest even unless said. To its own type it is itself; where a rounding is stated, whole numbers of that type."""
        if rounding is None and element_type(element) is self.element:
            return self
        return op("tcvt", self, dtype=element, attribute=f"rmode = {rounding or 'RINT'}")

    def sum(self, axis=None):
        return self._reduce("sum", axis)

    def max(self, axis=None):
        return self._reduce("max", axis)

    def min(self, axis=None):
        return self._reduce("min", axis)

    def _reduce(self, word, axis):
        if axis not in (0, 1, -1):
            raise TraceError(f"axis is 0 (columns are left) or 1 (rows are left), not {axis!r}")
        return op(("tcol" if axis == 0 else "trow") + word, self)

    @property
    def T(self):
        return op("ttrans", self)

    def reshape(self, rows, columns):
        return op("treshape", self, shape=(rows, columns))

    def part(self, row, column, rows, columns):
        """rows x columns of it that begin at row, column."""
        return op("textract", self, row, column, shape=(rows, columns))

    def item(self, offset):
        """One element, counted row by row, as a scalar."""
        made = self.trace.scalar(self.element)
        self.trace.emit(f"%{made.name} = getval %{self.mark}, {operand(offset, INDEX)}", reads=[self])
        return made

    def put(self, offset, value):
        """Writes one element."""
        self.trace.emit(f"setval %{self.mark}, {operand(offset, INDEX)}, {operand_of_tile(value, self.element)}", [self], [self])

    def __neg__(self):
        return op("tneg", self)

    def __abs__(self):
        return op("tabs", self)

    def __invert__(self):
        return op("tnot", self)

    def __matmul__(self, other):
        return matmul(self, other)

    def __iadd__(self, other):
        if isinstance(other, Tile) and other.product and self.trace.steps[-1] is other.product[0]:
            step, a, b = other.product  # acc += a @ b: one sum over k, which begins with acc; the product itself is made where something else reads it
            if self.element is not other.element:
                raise TraceError(f"the product is {other.element}, what it is added to {self.element}")
            self.trace.spare.append((step, other))
            op("tmatmul.acc", self, a, b, into=self)
            return self
        return _arithmetic("add", self, other, into=self)

    product = None  # of tmatmul: its step and factors


REFLECTED = {"add": "radd", "subtract": "rsub", "multiply": "rmul", "divide": "rtruediv", "true_divide": "rtruediv", "floor_divide": "rfloordiv", "remainder": "rmod", "bitwise_and": "rand",
             "bitwise_or": "ror", "bitwise_xor": "rxor", "less": "gt", "less_equal": "ge", "greater": "lt", "greater_equal": "le", "equal": "eq", "not_equal": "ne"}


def operand_of_tile(value, element):
    """A scalar beside tiles of that type."""
    value = plain(value)
    if isinstance(value, Scalar):
        return operand(value, element)
    if isinstance(value, (int, float)):
        return element.number(value)
    raise TraceError(f"a tile, a scalar or a number is wanted, not {type(value).__name__}")


def _expand(tile, shape):
    """The tile, a column or a row of it repeated to that shape."""
    if tile.shape == shape:
        return tile
    if tile.shape == (1, 1) and shape[0] != 1 and shape[1] != 1:
        tile = op("trowexpand", tile, shape=(1, shape[1]))
    if tile.shape == (shape[0], 1):
        return op("trowexpand", tile, shape=shape)
    if tile.shape == (1, shape[1]):
        return op("tcolexpand", tile, shape=shape)
    raise TraceError(f"tiles of {tile.shape[0]} x {tile.shape[1]} and {shape[0]} x {shape[1]} do not go together")


def _arithmetic(word, a, b, into=None):
    if word == "floordiv":
        element = a.element if isinstance(a, Tile) else b.element
        if element.is_float:
            raise TraceError(f"// is of whole numbers, not of {element}; write (a / b).astype({element}, \"FLOOR\")")
        word = "div"  # toward zero, as % goes with it
    if not isinstance(a, Tile):
        if word in ("add", "mul", "max", "min", "and", "or", "xor"):
            return _arithmetic(word, b, a, into)
        if word == "div" and isinstance(a, (int, float)) and a == 1:
            return op("trecip", b, into=into)
        return op("t" + word, full(b.shape, a, b.element), b, into=into)
    if not isinstance(b, Tile):
        return op(f"t{word}s", a, b, into=into) if word not in ("shl", "shr") else op("t" + word, a, full(a.shape, b, a.element), into=into)
    if b.shape == (a.shape[0], 1) != a.shape and word in ("mul", "div", "sub"):
        return op("trowexpand" + word, a, b, into=into)
    shape = (max(a.shape[0], b.shape[0]), max(a.shape[1], b.shape[1]))
    return op("t" + word, _expand(a, shape), _expand(b, shape), into=into)


for _name, _word in (("add", "add"), ("sub", "sub"), ("mul", "mul"), ("truediv", "div"), ("floordiv", "floordiv"), ("mod", "rem"), ("and", "and"), ("or", "or"), ("xor", "xor"),
                     ("lshift", "shl"), ("rshift", "shr")):
    setattr(Tile, f"__{_name}__", lambda self, other, word=_word: _arithmetic(word, self, other))
    setattr(Tile, f"__r{_name}__", lambda self, other, word=_word: _arithmetic(word, other, self))
    if _name != "add":
        setattr(Tile, f"__i{_name}__", lambda self, other, word=_word: _arithmetic(word, self, other, into=self))
for _name, _word in COMPARE.items():
    setattr(Tile, f"__{_name}__", lambda self, other, word=_word: compare(self, other, word))


def compare(a, b, word):
    """1 where a is so to b, else 0, as bool: word is EQ NE LT LE GT GE."""
    return op("tcmp" if isinstance(b, Tile) else "tcmps", a, _expand(b, a.shape) if isinstance(b, Tile) else b, dtype="bool", attribute=f"cmpMode = {word}")


def _first(tiles, **given):
    return tiles[0].shape


# The shape of what an operation makes, by its rule in pto_ops.def; None: the caller says it.
SHAPES = {
    "SAME": _first, "SAME_ANY": _first, "SAME_MASK": _first, "ROW_COMBINE": _first, "SORT": _first,
    "SELECT": lambda tiles: tiles[1].shape,
    "MATMUL": lambda tiles: (tiles[0].shape[0], tiles[1].shape[1]),
    "MATMUL_BIAS": lambda tiles: (tiles[0].shape[0], tiles[1].shape[1]),
    "MATMUL_ACC": _first,
    "MATMUL_MX": lambda tiles: (tiles[0].shape[0], tiles[2].shape[1]),
    "ROW_REDUCE": lambda tiles: (tiles[0].shape[0], 1),
    "COL_REDUCE": lambda tiles: (1, tiles[0].shape[1]),
    "TRANSPOSE": lambda tiles: tiles[0].shape[::-1],
    "GATHER": lambda tiles: tiles[1].shape,
}


def op(mnemonic, *operands, shape=None, dtype=None, attribute=None, into=None):
    """Any operation of the tile ISA (plugins/isa/README.md) by its mnemonic: sources in order, tiles, scalars and numbers. Returns what it makes: a tile, or two.

    shape: of the result where the rule of the operation leaves it open. dtype: another element type. attribute: "cmpMode = GT". into: a tile that is written instead."""
    trace = current(FunctionTrace, mnemonic)
    if mnemonic not in OPERATIONS or not OPERATIONS[mnemonic][0].startswith("T"):
        raise TraceError(f"there is no operation {mnemonic!r} that makes a tile")
    letters, rule, keys, types = OPERATIONS[mnemonic]
    results = letters.count("T")
    if len(operands) != len(letters) - results:
        raise TraceError(f"{mnemonic} takes {len(letters) - results} operands, not {len(operands)}")
    tiles = [value for value in operands if isinstance(value, Tile)]
    key = next((v.element for v, kind in zip(operands, types[results:]) if kind == "k" and isinstance(v, Tile)), None) or (tiles[0].element if tiles else element_type(dtype or "f32"))
    _check_key(mnemonic, keys, key, [v for v, kind in zip(operands, types[results:]) if kind == "k" and isinstance(v, Tile)])
    shape = shape or (SHAPES[rule](tiles) if rule in SHAPES else None if into is None else into.shape)
    if shape is None:
        raise TraceError(f"{mnemonic} leaves the shape of its result open; say shape=(rows, columns)")
    made = [into] if into is not None else [Tile(trace, tuple(shape), _result_element(types[n], key, dtype)) for n in range(results)]
    if into is not None and (into.shape != tuple(shape) or into.element is not _result_element(types[0], key, dtype)):
        raise TraceError(f"{into.type[5:]} cannot take the result, which is {shape[0]} x {shape[1]} of {_result_element(types[0], key, dtype)}")
    texts = [_source_text(value, letter, INDEX if kind in "nx" else key) for value, letter, kind in zip(operands, letters[results:], types[results:])]
    text = f"{mnemonic} {_sources(mnemonic, texts)}" + (f" {{{attribute}}}" if attribute else "")
    trace.emit(f"{', '.join('%' + t.mark for t in made)} = {text}", made, tiles, rule)
    return made[0] if results == 1 else tuple(made)


def _check_key(mnemonic, keys, key, tiles):
    other = next((tile.element for tile in tiles if tile.element is not key), None)
    if other:
        raise TraceError(f"{mnemonic} of a tile of {key} and one of {other}: convert one with astype")
    letter = "i" if key.kind == "u" else key.kind
    if letter not in keys:
        raise TraceError(f"{mnemonic} does not work on {key}")


def _result_element(letter, key, dtype):
    if dtype is not None:
        return element_type(dtype)
    if letter == "r":
        return TYPES[WIDER.get(key.name, key.name)]
    return TYPES["u32"] if letter == "i" else key


def _source_text(value, letter, element):
    if (letter == "t") != isinstance(value, Tile):
        raise TraceError(f"{'a tile' if letter == 't' else 'a scalar or a number'} is wanted, not {type(value).__name__}")
    return f"%{value.mark}" if letter == "t" else operand_of_tile(value, element)


def _sources(mnemonic, texts):
    """Operands as the source language writes them: where a part begins stands in brackets."""
    return f"{texts[0]}[{texts[1]}, {texts[2]}]" if mnemonic == "textract" else ", ".join(texts)


def matmul(a, b, *, acc=None, bias=None, dtype=None):
    """a times b, k ascending. acc: a tile that the sums begin with, and that is written. bias: 1 x columns, added. dtype: of the sums; wider than small factors unless said."""
    if a.shape[1] != b.shape[0]:
        raise TraceError(f"{a.shape[0]} x {a.shape[1]} times {b.shape[0]} x {b.shape[1]}: columns of the first are rows of the second")
    if acc is not None:
        return op("tmatmul.acc", acc, a, b, into=acc)
    if bias is not None:
        return op("tmatmul.bias", a, b, bias, dtype=dtype)
    made = op("tmatmul", a, b, dtype=dtype)
    made.product = made.trace.steps[-1], a, b
    return made


def full(shape, value, dtype="f32"):
    """A tile full of a number or scalar."""
    trace = current(FunctionTrace, "full")
    made = Tile(trace, tuple(shape), element_type(dtype))
    trace.emit(f"%{made.mark} = texpands {operand_of_tile(value, made.element)}", [made])
    return made


def zeros(shape, dtype="f32"):
    return full(shape, 0, dtype)


def arange(shape, start=0, dtype="i32"):
    """start, start + 1, ... through a tile, row by row."""
    trace = current(FunctionTrace, "arange")
    made = Tile(trace, tuple(shape), element_type(dtype))
    trace.emit(f"%{made.mark} = tci {operand_of_tile(start, made.element)}", [made])
    return made


def maximum(a, b):
    return _arithmetic("max", a, b)


def minimum(a, b):
    return Least(a, b) if isinstance(a, Expr) or isinstance(b, Expr) else _arithmetic("min", a, b)


def where(mask, a, b):
    """a where the mask is not 0, else b; one of both may be a number."""
    like = a if isinstance(a, Tile) else b
    if not isinstance(like, Tile):
        raise TraceError("one of both has to be a tile")
    a, b = (v if isinstance(v, Tile) else full(mask.shape, v, like.element) for v in (a, b))
    return op("tsel", mask, _expand(a, mask.shape), _expand(b, mask.shape))


def _unary(name):
    def apply(tile):
        return op("t" + name, tile)
    apply.__name__, apply.__doc__ = name, f"t{name} of each element."
    return apply


exp, log, sqrt, rsqrt, recip, relu, silu, tanh, sigmoid, gelu = map(
    _unary, ("exp", "log", "sqrt", "rsqrt", "recip", "relu", "silu", "tanh", "sigmoid", "gelu"))


class Memref:
    """Memory that a kernel is passed. A tile of R x C at [t, c] is its R * C consecutive elements from t * R * C + c on: t counts tiles, c elements."""

    def __init__(self, name, element):
        self.name, self.element, self.read, self.written = name, element, False, False

    def load(self, rows, columns, at=(0, 0)):
        """A tile of it."""
        trace = current(FunctionTrace, "load")
        made = Tile(trace, (rows, columns), self.element)
        trace.emit(f"%{made.mark} = tload %{self.name}{_at(at)}", [made])
        self.read = True
        return made

    def store(self, tile, at=(0, 0)):
        """Writes a tile to it."""
        self._check(tile)
        current(FunctionTrace, "store").emit(f"tstore %{tile.mark}, %{self.name}{_at(at)}", reads=[tile])
        self.written = True

    def gather(self, index):
        """Its elements by their numbers, a tile of i32 or u32."""
        trace = current(FunctionTrace, "gather")
        made = Tile(trace, index.shape, self.element)
        trace.emit(f"%{made.mark} = mgather %{self.name}, %{index.mark}", [made], [index])
        self.read = True
        return made

    def scatter(self, tile, index):
        """The other way."""
        self._check(tile)
        current(FunctionTrace, "scatter").emit(f"mscatter %{tile.mark}, %{self.name}, %{index.mark}", reads=[tile, index])
        self.written = True

    def item(self, offset):
        """One element as a scalar."""
        trace = current(FunctionTrace, "item")
        made = trace.scalar(self.element)
        trace.emit(f"LOAD %{made.name}:{self.element.name}, %{self.name}[{operand(offset, INDEX)}]")
        self.read = True
        return made

    def put(self, offset, value):
        """Writes one element."""
        trace = current(FunctionTrace, "put")
        if not isinstance(value, Scalar):
            made = trace.scalar(self.element)
            trace.emit(f"LI %{made.name}:{self.element.name}, {self.element.number(value)[1:]}")
            value = made
        trace.emit(f"STORE %{value.name}:{self.element.name}, %{self.name}[{operand(offset, INDEX)}]")
        self.written = True

    def _check(self, tile):
        if not isinstance(tile, Tile):
            raise TraceError(f"a tile is wanted, not {type(tile).__name__}")
        if tile.element is not self.element:
            raise TraceError(f"{self.name} is memory of {self.element}, the tile of {tile.element}: convert it with astype")


def _at(at):
    row, column = at if isinstance(at, tuple) else (at, 0)
    return f"[{operand(row, INDEX)}, {operand(column, INDEX)}]"


class Function:
    """A kernel. Parameters are memory (f32[...]), scalars (f32), and anything else: what a call says, and each combination of it is a kernel of its own."""

    def __init__(self, python, name=None):
        functools.update_wrapper(self, python)
        self.python, self.name = python, name or python.__name__
        self.signature = inspect.signature(python, eval_str=True)
        self.parameters = {}
        for parameter in self.signature.parameters.values():
            kind = parameter.annotation
            if isinstance(kind, TensorType) and not kind.is_flat:
                raise TraceError(f"{parameter.name} of kernel {self.name}: memory of a kernel has no shape; write {kind.element}[...]", self._where())
            self.parameters[parameter.name] = kind if isinstance(kind, (TensorType, ElementType)) else None
        self.instances = {}

    def _where(self):
        return self.python.__code__.co_filename, self.python.__code__.co_firstlineno

    def instance(self, arguments):
        """The kernel for these arguments, traced when it is first wanted."""
        constants = {name: arguments[name] for name, kind in self.parameters.items() if kind is None}
        try:
            key = tuple(_key(value) for value in constants.values())
            if key not in self.instances:
                self.instances[key] = Instance(self, constants, {made.name for made in self.instances.values()})
        except TypeError as error:
            if "unhashable" not in str(error):
                raise
            raise TraceError(f"kernel {self.name}: a constant is a number, a text or a tuple of them, among others, not {error}") from None
        return self.instances[key]

    def bound(self, arguments, named):
        try:
            bound = self.signature.bind(*arguments, **named)
        except TypeError as error:
            raise TraceError(f"kernel {self.name}: {error}") from None
        bound.apply_defaults()
        return bound.arguments

    def __call__(self, *arguments, **named):
        """In a workload: a task. In another kernel: what it does, in place."""
        trace = current()
        if trace is None:
            raise TraceError(f"kernel {self.name} is called outside of a workload; make one (@ptowsp.workload), or write its text with ptowsp.source")
        if isinstance(trace, FunctionTrace):
            return self.python(*arguments, **named)
        return trace.call(self, arguments, named)


class Instance:
    """The text of a kernel for given constants."""

    def __init__(self, function, constants, taken):
        self.function = function
        self.name = _other_than(taken, ".".join([function.name] + [_word(value) for value in constants.values()]))
        self.memrefs = {name: Memref(name, kind.element) for name, kind in function.parameters.items() if isinstance(kind, TensorType)}
        scalars = {name: Scalar(name, kind) for name, kind in function.parameters.items() if isinstance(kind, ElementType)}
        trace = FunctionTrace(set(self.memrefs) | set(scalars))
        with tracing(trace):
            function.python(**{**self.memrefs, **scalars, **constants})
        header = ", ".join(f"%{name}: " + (f"!pto.memref<gm,...,{kind.element.name}>" if isinstance(kind, TensorType) else kind.name)
                           for name, kind in function.parameters.items() if kind is not None)
        self.lines = trace.text(f"func @{self.name}({header})")


def _key(value):
    """What tells constants apart: 1, 1.0 and True are equal, and not the same."""
    if isinstance(value, (tuple, list)):
        return type(value), tuple(_key(v) for v in value)
    hash(value)
    return type(value), repr(value) if isinstance(value, float) else value


def _other_than(taken, name):
    made, number = name, 1
    while made in taken:
        number += 1
        made = f"{name}.{number}"
    return made


def _word(value):
    """A constant as a part of a name."""
    word = getattr(value, "__name__", None) or getattr(value, "name", None) or str(value)
    return "".join(c if c.isalnum() else "_" for c in word.replace("-", "m"))


def func(python=None, *, name=None):
    """Makes a kernel of a Python function (see ptowsp.Function)."""
    return Function(python, name) if python else lambda late: Function(late, name)
