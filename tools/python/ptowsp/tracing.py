# SPDX-License-Identifier: MIT
"""What functions and workloads share while they are traced: the text that grows, places in Python, element types, expressions.

A traced Python function runs once. Each statement of it that touches a traced value leaves a line of the source language (packages/LANGUAGE.md), and with it the place in
Python that it came from."""
import contextlib
import dis
import math
import pathlib
import re
import sys
import threading

import numpy as np

from .tables import DTYPES

_folder = str(pathlib.Path(__file__).resolve().parent)
_local = threading.local()


class TraceError(Exception):
    """A statement that cannot be traced; says where in Python."""

    def __init__(self, sentence, where=None):
        self.filename, self.line = where or place()
        super().__init__(f"{self.filename}:{self.line}: {sentence}")


def _caller():
    """The innermost frame that is not of this package, nor of what it makes `with` of."""
    frame = sys._getframe(1)
    while frame.f_back and (frame.f_code.co_filename.startswith(_folder) or frame.f_code.co_filename == contextlib.__file__):
        frame = frame.f_back
    return frame


def place():
    """File and line in Python that is traced now."""
    frame = _caller()
    return frame.f_code.co_filename, frame.f_lineno


class Trace:
    """Lines of text with their places; nested blocks."""

    def __init__(self):
        self.lines, self.blocks, self.names, self.left = [], [], {}, None

    def emit(self, text):
        self.lines.append(("  " * (len(self.blocks) + 1) + text, place()))

    @contextlib.contextmanager
    def block(self, begin, end):
        self.emit(begin)
        self.blocks.append(object())
        yield
        self.blocks.pop()
        self.emit(end)

    def loop(self, begin, end, variable):
        """The body of a Python for, once. The loop gets the name that Python gives its variable."""
        frame = _caller()
        with self.block(begin, end):
            before, numbers = self.held(frame), _numbers(frame)
            where = place()
            try:
                yield variable
            except GeneratorExit:
                self.left = self.left or TraceError("a loop that is traced cannot be left: its body runs once, for all rounds", where)
                raise
            frame = _caller()
            self.check_held(before, self.held(frame), where)
            self._check_carried(frame, numbers, where)
        self.names[variable.mark] = self._free_name(next((n for n, v in frame.f_locals.items() if v is variable), "i"))

    def held(self, frame):
        """Names of the frame that stand for what a round of a loop must not bind anew."""
        return {}

    def check_held(self, before, after, where):
        for name, value in before.items():
            if name in after and after[name] is not value:
                raise TraceError(f"{name} is bound to another tile in each round, and the next round would not see it; make it before the loop, and in it write "
                                 f"{name} += ... or {name}.set(...)", where)

    def _check_carried(self, frame, before, where):
        for name in _changed(frame, before) & _carried(frame):
            raise TraceError(f"{name} is bound to another value in each round, and the next round would not see it: the body is traced once; make it of the "
                             "loop's variable, or use a slot (in a kernel: set)", where)

    @contextlib.contextmanager
    def branch(self, begin, end):
        """A block that a run may leave out: a name that it binds anew has no value of its own behind it."""
        before, where = _numbers(_caller()), place()
        with self.block(begin, end):
            yield
        frame = _caller()
        for name in _changed(frame, before) & _read_behind(frame):
            raise TraceError(f"{name} is bound to another value in a branch that a run may leave out, and is used behind it; use ptowsp.select or a slot "
                             "(in a kernel: set)", where)

    def ended(self):
        """Behind the last statement."""
        if self.left:
            raise self.left

    def _free_name(self, name):
        taken, number = set(self.names.values()) | self.reserved(), 1
        while (name if number == 1 else f"{name}{number}") in taken:
            number += 1
        return name if number == 1 else f"{name}{number}"

    def reserved(self):
        return set()

    def named(self, text):
        for mark, name in self.names.items():
            text = text.replace(mark, name)
        return text


class Traced:
    """A value that a run works out: what it is made of is written when it is traced, so that a name stands for one value all the time."""
    __array_ufunc__ = None  # a number of NumPy on the left of an operator leaves it to this one


def _numbers(frame):
    """Names of the frame that stand for numbers, and for what a run works out."""
    return {name: value for name, value in frame.f_locals.items() if isinstance(value, (int, float, Traced))}


def _changed(frame, before):
    now = frame.f_locals
    same = lambda a, b: a is b or (not isinstance(a, Traced) and not isinstance(b, Traced) and type(a) is type(b) and a == b)  # noqa: E731 (== of the others makes an expression)
    return {name for name, value in before.items() if name in now and not same(value, now[name])}


def _first_uses(instructions):
    """Names by what comes first among these instructions: True where they are read."""
    first = {}
    for made in instructions:
        if re.match("(LOAD|STORE|DELETE)_(FAST|NAME|DEREF|GLOBAL)", made.opname):
            for name in made.argval if isinstance(made.argval, tuple) else (made.argval,):
                first.setdefault(name, made.opname.startswith("LOAD"))
    return first


def _carried(frame):
    """Names that the body of the loop that the frame is at reads before it binds them."""
    code = list(dis.get_instructions(frame.f_code))
    loop = next((made for made in code if made.offset == frame.f_lasti and made.opname == "FOR_ITER"), None)
    inside = [made for made in code if loop and loop.offset < made.offset < loop.argval]
    return {name for name, read in _first_uses(inside).items() if read}


def _read_behind(frame):
    """Names that are read behind the place that the frame is at before they are bound."""
    return {name for name, read in _first_uses(made for made in dis.get_instructions(frame.f_code) if made.offset > frame.f_lasti).items() if read}


def current(kind=None, what="this"):
    trace = getattr(_local, "trace", None)
    if kind and not isinstance(trace, kind):
        raise TraceError(f"{what} stands in {kind.CALLED} only")
    return trace


@contextlib.contextmanager
def tracing(trace):
    before = current()
    _local.trace = trace
    try:
        yield trace
    finally:
        _local.trace = before


def fresh_mark():
    """A name to be, until the loop that it is the variable of is over."""
    _local.count = getattr(_local, "count", 0) + 1
    return f"\x00{_local.count}\x00"


def plain(value):
    """A number of NumPy as Python has it."""
    return value.item() if isinstance(value, np.generic) else value


class ElementType:
    """An element type: f32. f32[...] is memory of it in a kernel, f32[n, 64] a tensor of a workload."""

    def __init__(self, name, kind):
        self.name, self.kind = name, kind
        self.is_float = kind == "f"

    def __getitem__(self, shape):
        return TensorType(self, shape if isinstance(shape, tuple) else (shape,))

    def number(self, value):
        """A Python number as an operand of this type."""
        value = plain(value)
        if isinstance(value, bool):
            value = int(value)
        if self.is_float:
            value = float(value)
            return "%" + ("nan" if math.isnan(value) else ("-inf" if value < 0 else "inf") if math.isinf(value) else repr(value))
        if isinstance(value, float) and not value.is_integer():
            raise TraceError(f"{value} is no {self.name}")
        return f"%{int(value)}"

    def __repr__(self):
        return self.name


class TensorType:
    """A tensor's element type, shape and role; without a role that follows from the tasks: in, out, inout."""

    def __init__(self, element, shape, role=None, traits=""):
        self.element, self.shape, self.role, self.traits = element, shape, role, traits

    @property
    def is_flat(self):
        """f32[...]: memory without a shape. (Extents that a run works out are not compared.)"""
        return any(extent is ... for extent in self.shape)

    def _as(self, role):
        return TensorType(self.element, self.shape, role, self.traits)

    def __repr__(self):
        return f"{self.element}[{', '.join('...' if s is ... else str(s) for s in self.shape)}]"


for _role in ("in", "out", "inout", "temp", "const"):
    setattr(TensorType, "in_" if _role == "in" else _role, property(lambda self, role=_role: self._as(role)))

TYPES = {name: ElementType(name, kind) for name, kind, _ in DTYPES.values()}
INDEX = ElementType("index", "i")


def element_type(value):
    """The type that a value of an argument names: f32, or "f32"."""
    if isinstance(value, ElementType):
        return value
    if value in TYPES:
        return TYPES[value]
    raise TraceError(f"there is no element type {value!r}; the types are {', '.join(TYPES)}")


class Expr(Traced):
    """An integer of a workload that a run works out: symbols, slots, values of loops, and what is made of them. 64 bits; // and % go toward zero, as in the source language."""

    def __init__(self, text, *operands, base=None, offset=0):
        self.text, self.base, self.offset = text, base or text, offset
        self.symbols = [symbol for operand in operands if isinstance(operand, Expr) for symbol in operand.symbols]

    def __bool__(self):
        raise TraceError("what a run works out has no truth while it is traced; write `with ptowsp.when(...)`, or ptowsp.select(c, a, b)")

    def __index__(self):
        raise TraceError("what a run works out is no number while it is traced; loop over ptowsp.range")

    __hash__ = object.__hash__

    def __neg__(self):
        return Expr(f"(-{self.text})", self)

    def __add__(self, other):
        return _sum(self, other, "+", 1)

    def __radd__(self, other):
        return _binary("+", other, self)

    def __sub__(self, other):
        return _sum(self, other, "-", -1)


def _binary(word, a, b):
    return Expr(f"({expr_text(a)} {word} {expr_text(b)})", a, b)


def _sum(a, b, word, sign):
    made = _binary(word, a, b)
    if isinstance(b, int):
        made.base, made.offset = a.base, a.offset + sign * b
    return made


for _name, _word in (("mul", "*"), ("floordiv", "/"), ("mod", "%"), ("and", "&"), ("or", "|"), ("xor", "^"), ("lshift", "<<"), ("rshift", ">>")):
    setattr(Expr, f"__{_name}__", lambda self, other, word=_word: _binary(word, self, other))
    setattr(Expr, f"__r{_name}__", lambda self, other, word=_word: _binary(word, other, self))
Expr.__rsub__ = lambda self, other: _binary("-", other, self)
for _name, _word in (("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">="), ("eq", "=="), ("ne", "!=")):
    setattr(Expr, f"__{_name}__", lambda self, other, word=_word: _binary(word, self, other))


def expr_text(value):
    if isinstance(value, Expr):
        return value.text
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TraceError(f"an integer of a run is wanted, not {value!r}")
    return str(value.__index__())


class Least(Expr):
    """The smaller of two."""

    def __init__(self, a, b):
        super().__init__(f"min({expr_text(a)}, {expr_text(b)})", a, b)
        self.sides = a, b


def span(start, stop):
    """How many there are from start to stop: of two numbers, or i and i + 16, a number; else a run works it out."""
    if isinstance(start, Expr) and isinstance(stop, Expr) and start.base == stop.base:
        return stop.offset - start.offset
    if isinstance(start, int) and isinstance(stop, int):
        return stop - start
    if isinstance(stop, Least):
        return Least(*(span(start, side) for side in stop.sides))
    return stop if isinstance(start, int) and start == 0 else stop - start


class Variable(Expr):
    """The value of a loop."""

    def __init__(self):
        self.mark = fresh_mark()
        super().__init__("%" + self.mark)
