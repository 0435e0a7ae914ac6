# SPDX-License-Identifier: MIT
"""Workloads: Python functions that make tasks, traced into the workloads, processes and declarations of a source.

    n = ptowsp.symbol("n", 64)

    @ptowsp.workload
    def main(x: f32[n, 64], y: f32[n, 64]):
        for i in ptowsp.range(0, n, 16):
            softmax(x[i, 0], y[i, 0])
"""
import contextlib
import inspect
import linecache
import re

from .functions import FunctionTrace, Scalar, operand
from .tracing import INDEX, Expr, TensorType, Trace, TraceError, Variable, current, element_type, expr_text, fresh_mark, place, plain, span, tracing


class WorkloadTrace(Trace):
    """Lines of a workload or process, and what they need declared."""
    CALLED = "a workload (@ptowsp.workload) or process"

    def __init__(self, module):
        super().__init__()
        self.module, self.produces, self.consumes = module, {}, {}

    def reserved(self):
        return set(self.module.declared)

    def call(self, function, arguments, named):
        after = named.pop("after", ())
        given = function.bound(arguments, named)
        for name, kind in function.parameters.items():
            if kind is None and isinstance(given[name], (Part, Tensor)):
                raise TraceError(f"{name} of kernel {function.name} has no annotation, so it is a constant, and a tensor is given; write {name}: {(given[name].tensor if isinstance(given[name], Part) else given[name]).element}[...]")
        instance = function.instance(given)
        self.module.add_function(instance)
        passed = []
        for name, kind in function.parameters.items():
            if isinstance(kind, TensorType):
                memref, part = instance.memrefs[name], _part(given[name], f"{name} of kernel {function.name}")
                if part.tensor.element is not memref.element:
                    raise TraceError(f"{name} of kernel {function.name} is memory of {memref.element}, tensor {part.tensor.name} of {part.tensor.element}")
                part.tensor.touch(memref.read, memref.written)
                passed.append(f"%{name} -> {self.use(part)}")
            elif kind is not None:
                passed.append(f"%{name} -> {self._scalar(given[name], kind, name)}")
        return self.task(f"call @{instance.name}({', '.join(passed)})", after)

    def _scalar(self, value, kind, name):
        if isinstance(value, Expr):
            self.module.see(value)
            return value.text
        if isinstance(plain(value), (int, float)):
            return kind.number(value)[1:]
        raise TraceError(f"{name} takes a number or an integer of the run, not {type(value).__name__}")

    def use(self, part):
        self.module.see(part)
        return part.text

    def task(self, text, after=()):
        after = after if isinstance(after, (list, tuple)) else (after,)
        task = Task(f"task{len(self.module.tasks)}")
        self.module.tasks.append(task)
        task.line = len(self.lines)
        for earlier in after:
            earlier.wanted = True
        self.lines.append(None)
        self.lines[-1] = ("  " * (len(self.blocks) + 1), place(), task, text + (" after " + ", ".join("%" + t.name for t in after) if after else ""))
        return task

    def text(self):
        self.ended()
        lines = []
        for line in self.lines:
            if len(line) == 4:
                indent, where, task, rest = line
                line = (indent + (f"%{task.name} = " if task.wanted else "") + rest, where)
            lines.append((self.named(line[0]), line[1]))
        return lines


class Task:
    """A task that was made; `after=` of a later one orders the two."""

    def __init__(self, name):
        self.name, self.wanted = name, False


class Declared:
    """Something with a name that a source declares; where: in Python."""
    where = None

    def declaration(self):
        raise NotImplementedError


class Symbol(Expr, Declared):
    """A value that a run may set, and that stays the same while it goes on."""
    WORD = "symbol"

    def __init__(self, name, default=None, dtype="i64"):
        super().__init__(f"%{name}")
        self.name, self.default, self.element, self.needs = name, default, element_type(dtype), ()
        self.symbols, self.where = [self], place()

    __hash__ = object.__hash__

    def declaration(self):
        return f"{self.WORD} %{self.name} : {self.element.name}" + ("" if self.default is None else f" = {self.element.number(self.default)[1:]}")


class Slot(Symbol):
    """A value that the run itself may change."""
    WORD = "slot"

    def set(self, value):
        trace = current(WorkloadTrace, "set")
        trace.module.see(self, value)
        trace.emit(f"slot_set %{self.name}, {expr_text(value)}")

    def load(self, part):
        """The slot has the value of an element of a tensor from here on; waits for the tasks that write it."""
        trace = current(WorkloadTrace, "load")
        trace.module.see(self)
        part = _part(part, "slot")
        part.tensor.touch(True, False)
        trace.emit(f"slot_load %{self.name}, {trace.use(part)}")


def symbol(name, default=None, dtype="i64"):
    """A symbol: ptowsp-run --set, or program.run(n=...)."""
    return Symbol(name, default, dtype)


def slot(name, default=0, dtype="i64"):
    return Slot(name, default, dtype)


class InMemory:
    """What lies in memory of a run: a traced workload knows no value of it."""

    def __bool__(self):
        raise TraceError("elements of a tensor have no truth while a workload is traced; load one into a slot (ptowsp.slot) and write `with ptowsp.when(...)`")


class Tensor(InMemory, Declared):
    """Memory that a run is given and gives back, or its own (temp). Its role follows from what tasks do with it unless it is stated."""

    def __init__(self, name, kind, where=None):
        self.where = where or place()
        if not isinstance(kind, TensorType) or kind.is_flat:
            raise TraceError(f"tensor {name} needs a type with its extents, such as f32[n, 64]", self.where)
        self.name, self.element, self.shape, self.stated, self.traits = name, kind.element, kind.shape, kind.role, kind.traits
        self.read = self.written = self.read_first = False

    def touch(self, read, written):
        self.read_first |= read and not self.written
        self.read |= read
        self.written |= written

    @property
    def role(self):
        return self.stated or ("in" if not self.written else "inout" if self.read_first else "out")

    def declaration(self):
        return f"tensor %{self.name} : {self.element.name}[{', '.join(expr_text(e) for e in self.shape)}] {self.role}{self.traits}"

    def __getitem__(self, index):
        """x[i, j]: what begins there, as large as the callee's tile; x[i : i + 16, 0:64]: that large; x[i : minimum(i + 16, n), 0:64]: so much of the callee's tile."""
        index = index if isinstance(index, tuple) else (index,)
        if any(isinstance(i, slice) and i.step is not None and not (isinstance(i.step, int) and i.step == 1) for i in index):
            raise TraceError("a part of a tensor has no step; a kernel takes rows one by one, or ptowsp.op picks them")
        starts = [(0 if i.start is None else i.start) if isinstance(i, slice) else i for i in index]
        slices = [i for i in index if isinstance(i, slice)]
        if not slices:
            return Part(self, starts)
        if len(slices) != 2 or not all(isinstance(i, slice) for i in index[-2:]):
            raise TraceError("the last two indices are slices, or none is")
        stops = [self.shape[len(index) - 2 + n] if i.stop is None else i.stop for n, i in enumerate(slices)]
        return Part(self, starts, [span(a, b) for a, b in zip(starts[-2:], stops)])

    def __iter__(self):
        raise TraceError(f"tensor {self.name} gives no values to loop over; loop over ptowsp.range and take parts of it")

    def flat(self, row, column, elements=None):
        """Consecutive elements from there on, as far as the callee touches, or that many."""
        return Part(self, [row, column], ["..."] + ([] if elements is None else [elements]))


class Part(InMemory):
    """A part of a tensor, as a task is passed it."""

    def __init__(self, tensor, starts, sizes=()):
        self.tensor, self.starts, self.sizes = tensor, starts, sizes

    @property
    def text(self):
        if not self.starts:
            return f"%{self.tensor.name}"
        sizes = ", ".join(s if isinstance(s, str) else expr_text(s) for s in self.sizes)
        return f"%{self.tensor.name}[{', '.join(expr_text(s) for s in self.starts)}{' : ' + sizes if sizes else ''}]"


def _part(value, what):
    if isinstance(value, Part):
        return value
    if isinstance(value, Tensor):
        return Part(value, [])
    raise TraceError(f"{what} takes a tensor or a part of one, not {type(value).__name__}")


def temp(kind, name=None):
    """A tensor of the run's own, made in a workload: `kt = ptowsp.temp(f32[64, 64])`, which is called kt."""
    trace = current(WorkloadTrace, "temp")
    assigned = re.match(r"\s*(\w+)\s*=\s*[\w.]*temp\(", linecache.getline(*place()))
    made = Tensor(trace.module.free_name(name or (assigned[1] if assigned else "temp")), kind._as("temp"))
    trace.module.see(made)
    return made


class Axis(Declared):
    """Values of a loop that data say: ragged or sparse. `for j in rows[b]`."""

    def __init__(self, name, text, needs=(), word="parallel_for"):
        self.name, self.text, self.needs, self.word, self.where = name, text, needs, word, place()

    def declaration(self):
        return f"axis %{self.name} = {self.text}"

    def __getitem__(self, row):
        return AxisRow(self, row)

    def __iter__(self):
        raise TraceError(f"axis {self.name} has rows: loop over {self.name}[row]")


class AxisRow:
    def __init__(self, axis, row):
        self.axis, self.row = axis, row

    def _loop(self, word):
        trace = current(WorkloadTrace, "a loop over an axis")
        trace.module.see(self.axis, self.row)
        variable = Variable()
        return trace.loop(f"{word} {variable.text} in %{self.axis.name}[{expr_text(self.row)}] {{", "}", variable)

    def __iter__(self):
        return self._loop(self.axis.word)


def _list_or_tensor(values):
    return f"%{values.name}" if isinstance(values, Tensor) else "[" + ", ".join(str(int(v)) for v in values) + "]"


def ragged(name, lengths, rows=None):
    """Row r has the values 0 ... lengths[r] - 1; lengths are numbers, or a tensor of integers and how many rows are meant."""
    return Axis(name, f"ragged({expr_text(len(lengths) if rows is None else rows)}, {_list_or_tensor(lengths)})", (lengths, rows))


def sparse(name, begins, indices, rows=None):
    """Row r has the values indices[begins[r]] up to indices[begins[r + 1]]; numbers or tensors."""
    head = "" if rows is None else expr_text(rows) + ", "
    return Axis(name, f"sparse({head}{_list_or_tensor(begins)}, {_list_or_tensor(indices)})", (begins, indices, rows), "select")


def _bounds(bounds):
    return (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1)[:3]


def range(*bounds):
    """As Python's range. In a workload its rounds may run at once: what they touch orders them. In a kernel they run one after the other."""
    trace, (low, high, step) = current(), _bounds(bounds)
    if isinstance(trace, FunctionTrace):
        variable = Scalar(fresh_mark(), INDEX)
        texts = (operand(v, INDEX) + ":idx" for v in (low, high, step))
        return trace.loop(f"FOR %{variable.name}:idx, {', '.join(texts)}", "ENDFOR", variable)
    return _loop("parallel_for", low, high, step)


def ordered(*bounds):
    """A loop of a workload whose rounds start when all earlier ones have ended. Also of an axis: ordered(rows[b])."""
    if isinstance(bounds[0], AxisRow):
        if bounds[0].axis.word == "select":
            raise TraceError(f"axis {bounds[0].axis.name} is sparse, and its rounds have no order; write `for j in {bounds[0].axis.name}[row]`")
        return bounds[0]._loop("for_each")
    return _loop("for_each", *_bounds(bounds))


def _loop(word, low, high, step):
    trace = current(WorkloadTrace, "a loop")
    trace.module.see(low, high, step)
    variable = Variable()
    step = "" if isinstance(step, int) and step == 1 else f" step {expr_text(step)}"
    return trace.loop(f"{word} {variable.text} in {expr_text(low)} to {expr_text(high)}{step} {{", "}", variable)


@contextlib.contextmanager
def when(condition):
    """What stands below happens if the condition is not 0: of a scalar in kernels, of an expression in workloads."""
    trace = current()
    if isinstance(trace, FunctionTrace):
        if not isinstance(condition, Scalar):
            raise TraceError("the condition of a kernel is a comparison of scalars")
        begin, end = f"IF %{condition.name}:{condition.element.name}", "ENDIF"
    else:
        trace = current(WorkloadTrace, "when")
        trace.module.see(condition)
        begin, end = f"if {expr_text(condition)} {{", "}"
    with trace.branch(begin, end):
        yield


@contextlib.contextmanager
def otherwise():
    """Behind `when`: what happens if its condition is 0."""
    trace = current()
    lines = trace.steps if isinstance(trace, FunctionTrace) else trace.lines
    last = (lines.pop().text if isinstance(trace, FunctionTrace) else lines.pop()[0].strip()) if lines else ""
    if last not in ("ENDIF", "}"):
        raise TraceError("otherwise stands behind the body of `when`")
    with trace.branch(*(("ELSE", "ENDIF") if last == "ENDIF" else ("} else {", "}"))):
        yield


def repeat_while(condition):
    """`for _ in ptowsp.repeat_while(lambda: left > 0)`: rounds of a workload as long as the condition is not 0."""
    trace = current(WorkloadTrace, "repeat_while")
    made = condition()
    trace.module.see(made)
    return trace.loop(f"while {expr_text(made)} {{", "}", Variable())


def scope():
    """`with ptowsp.scope()`: what tasks in it write stays until its end."""
    return current(WorkloadTrace, "scope").block("scope {", "}")


def combine(*bodies):
    """Bodies (functions without parameters) that are not ordered among each other."""
    _bodies("combine", bodies)


def sequential(*bodies):
    """Bodies of which each starts when all before it have ended."""
    _bodies("sequential", bodies)


def _bodies(word, bodies):
    trace = current(WorkloadTrace, word)
    for n, body in enumerate(bodies):
        with trace.block(word + " {" if n == 0 else "{", "}"):
            body()


def copy(source, target, after=()):
    """A task that copies elements from a part to another."""
    trace = current(WorkloadTrace, "copy")
    source, target = _part(source, "copy"), _part(target, "copy")
    source.tensor.touch(True, False)
    target.tensor.touch(False, True)
    return trace.task(f"copy {trace.use(source)} -> {trace.use(target)}", after)


def barrier():
    """Everything behind it starts after all tasks so far."""
    current(WorkloadTrace, "barrier").emit("barrier")


def select(condition, a, b):
    """a where the condition is not 0, else b; expressions of a workload."""
    return Expr(f"select({expr_text(condition)}, {expr_text(a)}, {expr_text(b)})", condition, a, b)


def smaller(a, b):
    return Expr(f"min({expr_text(a)}, {expr_text(b)})", a, b)


def larger(a, b):
    return Expr(f"max({expr_text(a)}, {expr_text(b)})", a, b)


class Channel(Declared):
    """A channel between processes; payload: a type such as f32[16, 32] of a block that goes with each token."""

    def __init__(self, name, payload=None, capacity=1, latency=0):
        self.name, self.payload, self.capacity, self.latency, self.needs, self.where = name, payload, capacity, latency, (), place()

    def declaration(self):
        kind = "token" if self.payload is None else f"payload {self.payload.element.name}[{', '.join(map(str, self.payload.shape))}]"
        return f"channel %{self.name} : {kind} capacity {self.capacity} latency {self.latency}"

    def send(self, value, part=None):
        """A token, when the channel has room; with a payload, the part that goes with it."""
        trace = current(WorkloadTrace, "send")
        trace.module.see(self, value)
        trace.produces[self.name] = self
        text = f"send %{self.name}, {expr_text(value)}"
        if part is not None:
            part = _part(part, "send")
            part.tensor.touch(True, False)
            text += f" from {trace.use(part)}"
        trace.emit(text)

    def consume(self, into=None):
        """`for t in channel.consume()`: a round per token. into: a function of the token that gives the part where its payload is put."""
        trace = current(WorkloadTrace, "consume")
        trace.module.see(self)
        trace.consumes[self.name] = self
        variable, text = Variable(), ""
        if into is not None:
            part = _part(into(variable), "consume")
            part.tensor.touch(False, True)
            text = f" into {trace.use(part)}"
        return trace.loop(f"consume %{self.name} as {variable.text}{text} {{", "}", variable)

    def close(self):
        trace = current(WorkloadTrace, "close")
        trace.produces[self.name] = self
        trace.emit(f"close %{self.name}")


def channel(name, payload=None, capacity=1, latency=0):
    return Channel(name, payload, capacity, latency)


class Workload:
    """A Python function that makes tasks. Its parameters are tensors, by their annotations."""
    WORD = "workload"

    def __init__(self, python, name=None, replicate=1):
        self.python, self.name, self.replicate = python, name or python.__name__, replicate
        self.__doc__ = python.__doc__
        where = python.__code__.co_filename, python.__code__.co_firstlineno
        self.tensors = {p.name: Tensor(p.name, p.annotation, where) for p in inspect.signature(python, eval_str=True).parameters.values()}

    def lines(self, module):
        trace = WorkloadTrace(module)
        module.see(*self.tensors.values())
        with tracing(trace):
            self.python(**{name: module.declared[name] for name in self.tensors})
        return [(self.header(trace) + " {", None)] + trace.text() + [("}", None)]

    def header(self, trace):
        return f"workload @{self.name}"

    def __call__(self):
        raise TraceError(f"workload {self.name} is no function to call; ptowsp.pack({self.name}) makes a package of it")


class Process(Workload):
    """A workload's like that runs beside others and meets them in channels."""

    def header(self, trace):
        uses = "".join(f" {word}({', '.join('%' + name for name in names)})" for word, names in (("produces", trace.produces), ("consumes", trace.consumes)) if names)
        return f"process @{self.name}{uses}" + (f" replicate {self.replicate}" if self.replicate != 1 else "")


def workload(python=None, *, name=None):
    """Makes a workload of a Python function (see ptowsp.Workload)."""
    return Workload(python, name) if python else lambda late: Workload(late, name)


def process(python=None, *, name=None, replicate=1):
    """Makes a process of a Python function."""
    return Process(python, name, replicate) if python else lambda late: Process(late, name, replicate)
