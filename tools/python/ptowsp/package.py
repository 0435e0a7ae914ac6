# SPDX-License-Identifier: MIT
"""Packages, and what stands in them."""
import dataclasses
import os
import re

from .library import c_text, dtype_name, ffi, host, make, owned, rows, text, text_array, texts
from .tables import DTYPES

ROLES = {getattr(host, "PTOWSP_ROLE_" + word.upper()): word for word in ("in", "out", "inout", "temp", "const")}
STATES = {getattr(host, "PTOWSP_STATE_" + word.upper()): word for word in ("unsupported", "diagnosed", "recorded", "enforced")}


@dataclasses.dataclass(frozen=True)
class TensorInfo:
    """A tensor of an entry. `role`: in, out, inout, temp, const."""
    name: str
    dtype: str
    role: str
    shapeless: bool
    has_sample: bool
    has_expected: bool


@dataclasses.dataclass(frozen=True)
class ValueInfo:
    """A value that a run may set. `default` is None where it must be set."""
    name: str
    dtype: str
    kind: str
    default: object


@dataclasses.dataclass(frozen=True)
class Verdict:
    """How a backend meets something that the package asks for."""
    about: str
    state: str
    refused: bool
    reason: str


class Package:
    """An open, verified package: of a file (a path) or of bytes. ptowsp.Error (IO, BAD_PACKAGE) where it is none."""

    def __init__(self, source, *, name=None, max_bytes=0):
        self.files = {}  # of Python, by the kernel that was traced there
        if isinstance(source, (bytes, bytearray, memoryview)):
            self._bytes = bytes(source)
            self._handle = make(host.ptowsp_package_open_memory, ffi.from_buffer(self._bytes), len(self._bytes), c_text(name or "package", "name"), max_bytes)
        else:
            self._bytes = None
            self._handle = make(host.ptowsp_package_open, c_text(os.fsdecode(source), "a path"), max_bytes)
        owned(self, self._handle, host.ptowsp_package_close, self._bytes)

    @property
    def name(self):
        return text(host.ptowsp_package_name(self._handle))

    @property
    def entries(self):
        return texts(host.ptowsp_package_entry, self._handle)

    @property
    def targets(self):
        """Backends that it is made for; none: any."""
        return texts(host.ptowsp_package_target, self._handle)

    def meta(self, key):
        """A fact of section META, None without one."""
        return text(host.ptowsp_package_meta(self._handle, c_text(key, "a key")))

    def save(self, path):
        """Writes the file of a package that was made of bytes."""
        if self._bytes is None:
            raise ValueError("the package is a file already")
        with open(path, "wb") as file:
            file.write(self._bytes)

    def plan(self, entry=None, schedule=None):
        return Plan(self, entry, schedule)

    def tensors(self, entry=None):
        return self.plan(entry).tensors

    def values(self, entry=None):
        return self.plan(entry).values

    def match(self, backend, *, entry=None, schedule=None, strict=False, native=False):
        """Verdicts on a backend: what it enforces, records, diagnoses or refuses of this package. Nothing is loaded."""
        plan = self.plan(entry, schedule)
        match = make(host.ptowsp_match_create, backend._handle, plan._handle, load_flags(strict, native))
        try:
            return [Verdict(text(row.what), STATES[row.state], bool(row.refused), text(row.reason)) for row in rows(host.ptowsp_match_row, match, "ptowsp_verdict")]
        finally:
            host.ptowsp_match_destroy(match)

    def load(self, backend="cpu_sim", *, entry=None, schedule=None, strict=False, native=False, **options):
        """The program of an entry on a backend: a ptowsp.Backend, or the name of a plugin and options of ptowsp.Backend.

        schedule: directives that replace the package's, {"task_window": 64, "dispatch": "round_robin(4)"}. strict: nothing below `enforced`.
        native: native code of the package runs, with the rights of this process."""
        from .program import Backend, Program
        if not isinstance(backend, Backend):
            backend = Backend(backend, native=native, strict=strict, **options)
        elif options:
            raise TypeError(f"options of a backend go where it is made: {', '.join(options)}")
        return Program(backend, self.plan(entry, schedule), load_flags(strict, native))

    def __repr__(self):
        return f"<ptowsp.Package {self.name}: {', '.join(self.entries)}>"


def load_flags(strict, native):
    return (host.PTOWSP_LOAD_STRICT if strict else 0) | (host.PTOWSP_LOAD_TRUST_NATIVE if native else 0)


class Plan:
    """What is to be run: an entry of a package and a schedule; independent of any backend."""

    def __init__(self, package, entry=None, schedule=None):
        self._files = package.files
        directives = [f"{key}={value}" for key, value in (schedule or {}).items()]
        keep = []
        options = ffi.new("struct ptowsp_plan_options *")
        if entry is not None:
            keep.append(c_text(entry, "entry"))
            options.entry = keep[-1]
        options.schedule, options.schedule_count = text_array(directives, keep), len(directives)
        self._handle = owned(self, make(host.ptowsp_plan_create, package._handle, options), host.ptowsp_plan_destroy, package)
        self.entry = text(host.ptowsp_plan_entry(self._handle))
        self.tensors = [TensorInfo(text(row.name), dtype_name(row.dtype), ROLES[row.role], bool(row.flags & host.PTOWSP_TENSOR_INFO_SHAPELESS),
                                   bool(row.flags & host.PTOWSP_TENSOR_INFO_SAMPLE), bool(row.flags & host.PTOWSP_TENSOR_INFO_EXPECTED))
                        for row in rows(host.ptowsp_plan_tensor, self._handle, "ptowsp_tensor_info")]
        self.values = [self._value(row) for row in rows(host.ptowsp_plan_value, self._handle, "ptowsp_value_info")]

    @staticmethod
    def _value(row):
        name, kind, _ = DTYPES[row.dtype]
        default = None
        if row.flags & host.PTOWSP_VALUE_HAS_DEFAULT:
            default = value_of_bits(row.standard, name, kind)
        return ValueInfo(text(row.name), name, "symbol" if row.kind == host.PTOWSP_SLOT_SYMBOL else "slot", default)

    def kernel(self, row):
        return text(host.ptowsp_plan_kernel(self._handle, row))

    def placed(self, sentence):
        """A sentence of a run, whose kernels have lines, with the files of those that were traced by this process."""
        sentence = re.sub(r"^(\S+:\d+):0: ", r"\1: ", sentence or "")  # a line of Python has no column here
        return sentence and re.sub(r"kernel ([\w.]+) line (\d+)", lambda m: f"kernel {m[1]} ({self._files[m[1]]}:{m[2]})" if m[1] in self._files else m[0], sentence)

    def channel(self, row):
        return text(host.ptowsp_plan_channel(self._handle, row))

    def process(self, row):
        return text(host.ptowsp_plan_process(self._handle, row))


def value_of_bits(bits, name, kind):
    """64 bits of a value as Python has it: sign-extended integer, or the pattern of a float."""
    if kind == "f":
        import numpy as np
        if name == "bf16":
            return float(np.array([bits << 16], np.uint32).view(np.float32)[0])
        width = {"f16": 2, "f32": 4, "f64": 8}[name]
        return float(np.array([bits & ((1 << 8 * width) - 1)], f"<u{width}").view(f"<f{width}")[0])
    if kind == "b":
        return bool(bits)
    return bits - (1 << 64) if kind == "i" and bits >> 63 else bits
