# SPDX-License-Identifier: MIT
"""Packages of what was traced: the source, its compilation, and messages at the lines of Python."""
import base64
import linecache
import os
import re
import warnings

import numpy as np

from .arrays import CODES, check_dtype
from .library import Error, c_text, ffi, pack as library, text, text_array
from .package import Package
from .tracing import Expr, TraceError, place
from .workloads import Axis, Declared, Part, Tensor, Workload


class SourceError(Error):
    """Sources that are refused; the sentences stand at lines of Python where they came from there."""


class SourceWarning(UserWarning):
    """What the packer warns of."""


class Module:
    """Everything that goes into one source, collected while workloads are traced."""

    def __init__(self):
        self.declared, self.functions, self.tasks, self.bodies = {}, {}, [], []

    def see(self, *things):
        """Declares what these things are made of."""
        for thing in things:
            if isinstance(thing, Part):
                self.see(thing.tensor, *thing.starts, *thing.sizes)
            elif isinstance(thing, Declared):
                self._declare(thing)
            elif isinstance(thing, Expr):
                for symbol in thing.symbols:
                    self._declare(symbol)

    def _declare(self, thing):
        known = self.declared.setdefault(thing.name, thing)
        if known is not thing and known.declaration() != thing.declaration():
            raise TraceError(f"%{thing.name} is declared twice: {known.declaration()}, and {thing.declaration()}")
        if known is thing:
            self.see(*(thing.shape if isinstance(thing, Tensor) else thing.needs))

    def add_function(self, instance):
        known = self.functions.setdefault(instance.name, instance)
        if known is not instance:
            raise TraceError(f"two kernels are called {instance.name}; name one of them, @ptowsp.func(name=...)")

    def free_name(self, name):
        number = 1
        while (name if number == 1 else f"{name}{number}") in self.declared:
            number += 1
        return name if number == 1 else f"{name}{number}"


class Source:
    """Text of the source language with the place in Python of each line."""

    def __init__(self, name, lines, files=None):
        self.name, self.lines, self.files = name, lines, files or {}

    def text(self):
        out = ["// Positions: python"]
        for line, where in self.lines:
            out.append(line if where is None else f"{line} // @{where[1]} {_plain(where[0])}")
        return "\n".join(out) + "\n"

    def placed(self, line):
        """A line of a message, its positions those of Python."""
        def of(match):
            where = self.lines[int(match[1]) - 2][1] if 2 <= int(match[1]) < len(self.lines) + 2 else None
            return f"{where[0]}:{where[1]}" if where else match[0]
        return re.sub(re.escape(self.name) + r"\.pto:(\d+)(?::\d+)?", of, line)

    def message(self, sentence):
        """A message of the packer, at its line of Python."""
        match = re.match(r"[^\n]*?:(\d+):\d+: (.*)", sentence)
        where = self.lines[int(match[1]) - 2][1] if match and 2 <= int(match[1]) < len(self.lines) + 2 else None
        if where is None:
            return sentence.rstrip("\n")
        help_lines = [self.placed(line) for line in sentence.splitlines() if line.strip().startswith("help:")]
        shown = linecache.getline(*where).rstrip()
        return "\n".join([f"{where[0]}:{where[1]}: {match[2]}"] + ([shown] if shown else []) + help_lines)


def _plain(path):
    """A file name as a position can have it."""
    return re.sub(r"[^\w.+-]", "_", os.path.basename(path))


def source(*workloads, name=None, schedule=None, data=None, expected=None, targets=()):
    """The source of workloads and processes. Arguments as in pack."""
    if not workloads:
        raise TypeError("there is nothing to pack: give a workload")
    module, bodies = Module(), []
    for workload in workloads:
        if not isinstance(workload, Workload):
            raise TypeError(f"workloads and processes are packed, not {type(workload).__name__}")
        bodies += workload.lines(module)
    lines = [(f"module @{name or workloads[0].name}", None)]
    if targets:
        lines.append(("target " + ", ".join(targets), None))
    lines += [(thing.declaration(), thing.where) for thing in sorted(module.declared.values(), key=lambda thing: isinstance(thing, Axis))]
    for role, arrays in (("input", data), ("expected", expected)):
        lines += [(_sample(module, tensor, role, array), None) for tensor, array in (arrays or {}).items()]
    for instance in module.functions.values():
        lines += instance.lines
    lines += bodies
    if schedule:
        lines += [("schedule {", None)] + [(f"  {line}", None) for line in ([schedule] if isinstance(schedule, str) else schedule)] + [("}", None)]
    files = {instance.name: next(where[0] for _, where in instance.lines if where) for instance in module.functions.values() if any(where for _, where in instance.lines)}
    return Source(name or workloads[0].name, lines, files)


def _sample(module, name, role, array):
    tensor = module.declared.get(name)
    if not isinstance(tensor, Tensor):
        raise TypeError(f"sample data for {name!r}: the workload has no such tensor")
    array = np.ascontiguousarray(array)
    check_dtype(array, CODES[tensor.element.name], name)
    return f'sample %{name} {role} [{", ".join(map(str, array.shape))}] = base64 "{base64.b64encode(array.tobytes()).decode()}"'


def pack(*workloads, name=None, schedule=None, data=None, expected=None, targets=(), strict=False):
    """A Package of workloads and processes, the first of which is its default entry.

    name: of the package, else that of the first workload. schedule: directives as packages/SCHEDULE.md writes them, one text each. data, expected: arrays by
    tensor, kept in the package as sample data. targets: backends that it is for. strict: warnings are errors, else they are Python's."""
    made = source(*workloads, name=name, schedule=schedule, data=data, expected=expected, targets=targets)
    package = pack_text(made.text(), made.name, strict=strict, message=made.message, entry=workloads[0].name)
    package.files.update(made.files)
    return package


def pack_text(source_text, name="source", *, strict=False, message=str.rstrip, entry=None):
    """A Package of text of the source language."""
    keep = [c_text(name, "name"), c_text(f"{name}.pto", "name"), c_text(source_text, "the source")]
    names, texts = ffi.new("const char *[]", [keep[1]]), ffi.new("const char *[]", [keep[2]])
    chosen = ffi.NULL if entry is None or entry not in re.findall(r"^workload @([\w.]+)", source_text, re.M) else c_text(entry, "entry")
    return _packed(lambda result: library.ptowsp_pack_sources(names, texts, ffi.NULL, 1, ffi.NULL, chosen, result), name, strict, message)


def pack_files(paths, *, strict=False):
    """A Package of a source file or several, which name others beside them: sample data, payloads, includes."""
    paths, keep = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths), []
    if not paths:
        raise TypeError("there is nothing to pack: give files")
    names = text_array([os.fspath(path) for path in paths], keep)
    return _packed(lambda result: library.ptowsp_pack_files(names, len(paths), ffi.NULL, ffi.NULL, result), os.path.basename(os.fspath(paths[0])), strict, str.rstrip)


def _packed(call, name, strict, message):
    result = ffi.new("struct ptowsp_pack_result **")
    status = call(result)
    try:
        count = library.ptowsp_pack_message_count(result[0]) if result[0] != ffi.NULL else 0
        messages = list(dict.fromkeys(message(text(library.ptowsp_pack_message(result[0], n))) for n in range(count)))
        if status or (strict and messages):
            raise SourceError(status or library.PTOWSP_BAD_PACKAGE, "\n".join(messages))
        for sentence in messages:
            warnings.warn_explicit(sentence, SourceWarning, *place())
        size = library.ptowsp_pack_size(result[0])
        return Package(bytes(ffi.buffer(ffi.cast("char *", library.ptowsp_pack_bytes(result[0])), size)), name=name)
    finally:
        library.ptowsp_pack_destroy(result[0])
