# SPDX-License-Identifier: MIT
"""Backends, programs loaded on them, and their runs."""
import asyncio
import os
import warnings
import weakref

import numpy as np

from .arrays import CODES, NUMPY, as_array, check_dtype
from .library import Deadlock, Error, c_text, check, ffi, host, in_python, make, new_error, owned, rows, text, text_array
from .statistics import Statistics, profile
from .tracing import place

ISOLATION = {word: getattr(host, "PTOWSP_ISOLATE_" + word.upper()) for word in ("default", "none", "process", "sandbox")}
WAIT_NS = 50_000_000  # between two looks for an interrupt while a run goes on
FOREVER = (1 << 64) - 1
WRITTEN = ("out", "inout", "temp")
OPTIONS = {"timeout": None, "max_tasks": 0, "kernels": True, "strict": False}


def nanoseconds(seconds):
    if not seconds >= 0:  # NaN is not
        raise ValueError(f"timeout is seconds from 0, not {seconds}")
    return int(min(seconds * 1e9, float(FOREVER >> 1)))


def backends(dirs=()):
    """The plugins of the search path, as dictionaries: path, name, version, targets, usable, and why one is not. No plugin code runs."""
    keep, options = [], ffi.new("struct ptowsp_backend_options *")
    options.plugin_dirs, options.plugin_dir_count = text_array([os.fspath(d) for d in dirs], keep), len(dirs)
    listing = make(host.ptowsp_listing_create, options)
    try:
        return [{"path": text(row.path), "name": text(row.name), "version": text(row.version), "targets": text(row.targets),
                 "usable": bool(row.usable), "reason": text(row.reason)} for row in rows(host.ptowsp_listing_row, listing, "ptowsp_listing_row")]
    finally:
        host.ptowsp_listing_destroy(listing)


class Backend:
    """A plugin, opened. ptowsp.Error (PLUGIN_REFUSED, INVALID) where that cannot be.

    plugin: a name, an alias of a target, or a path with a '/'. options: the plugin's own, as ptowsp-run --opt takes them. threads: 0 is all cores.
    isolate: "default", "none", "process" or "sandbox". log: called with (level, text) for lines that people read."""

    def __init__(self, plugin="cpu_sim", *, device=None, options=None, threads=0, memory_limit=0, isolate="default", dirs=(), layers=None, log=None,
                 native=False, strict=False):
        if isolate not in ISOLATION:
            raise ValueError(f"isolate is one of {', '.join(ISOLATION)}, not {isolate!r}")
        keep, o = [], ffi.new("struct ptowsp_backend_options *")
        for field, value in (("plugin", plugin), ("device", device), ("layers", layers)):
            if value is not None:
                keep.append(c_text(value, field))
                setattr(o, field, keep[-1])
        o.plugin_dirs, o.plugin_dir_count = text_array([os.fspath(d) for d in dirs], keep), len(dirs)
        settings = ffi.new("struct ptowsp_setting[]", len(options or {}))
        for row, pair in zip(settings, (options or {}).items()):
            row.key, row.value = text_array(pair, keep)
        o.settings, o.setting_count = settings, len(settings)
        for word, number in (("threads", threads), ("memory_limit", memory_limit)):
            if number < 0:
                raise ValueError(f"{word} is a number from 0, not {number}")
        o.threads, o.memory_limit, o.isolate = threads, memory_limit, ISOLATION[isolate]
        o.flags = (host.PTOWSP_BACKEND_TRUST_NATIVE if native else 0) | (host.PTOWSP_BACKEND_STRICT if strict else 0)
        self._log = None
        if log:
            self._log = ffi.callback("void(void *, int32_t, const char *)", lambda context, level, line: log(level, text(line)))
            o.log = self._log
        self._handle = owned(self, make(host.ptowsp_backend_open, o), host.ptowsp_backend_close, self._log)
        self._process = os.getpid()

    @property
    def name(self):
        return text(host.ptowsp_backend_name(self._handle))

    @property
    def version(self):
        return text(host.ptowsp_backend_version(self._handle))

    @property
    def path(self):
        return text(host.ptowsp_backend_path(self._handle))

    @property
    def isolation(self):
        number = host.ptowsp_backend_isolation(self._handle)
        return next(word for word, value in ISOLATION.items() if value == number)

    def __repr__(self):
        return f"<ptowsp.Backend {self.name} {self.version}>"


class Program:
    """An entry, loaded on a backend. `run` is the call for most uses: program.run(x=array, y=array, n=3). One run at a time."""

    def __init__(self, backend, plan, flags=0):
        self.backend, self.plan, self._bound, self._process = backend, plan, {}, backend._process
        self._check_process()
        self._handle = owned(self, make(host.ptowsp_program_load, backend._handle, plan._handle, flags), _end, backend, plan, self._bound)
        self._index = {tensor.name: i for i, tensor in enumerate(plan.tensors)}
        self._values = {value.name: value for value in plan.values}
        self._error = new_error()
        self._options = ffi.new("struct ptowsp_execute_options *")
        self._generation = 0
        self._going = None

    def _check_process(self):
        if self._process != os.getpid():
            raise RuntimeError("the backend was loaded before fork, and its threads are the parent's: load it again here, or start processes with \"spawn\"")

    @property
    def tensors(self):
        return self.plan.tensors

    @property
    def values(self):
        return self.plan.values

    @property
    def diagnostics(self):
        """Sentences about what is met below `enforced`, and inputs that nobody gave."""
        return [in_python(text(row.text)) for row in rows(host.ptowsp_diagnostic_row, self._handle, "ptowsp_diagnostic")]

    def set(self, /, **values):
        """Symbols and slots for all later runs."""
        self._check_process()
        for name, value in values.items():
            if isinstance(value, str):
                raise TypeError(f"{name} takes a number, not {value!r}")
            word = ("true" if value else "false") if isinstance(value, (bool, np.bool_)) else repr(value.item() if isinstance(value, np.generic) else value)
            check(host.ptowsp_value_set(self._handle, name.encode(), word.encode(), self._error), self._error)

    def bind(self, /, **arrays):
        """Memory of tensors for all later runs, used in place. None takes one back."""
        self._check_process()
        for name, array in arrays.items():
            if name not in self._index:
                raise self._unknown(name)
            if array is None:
                check(host.ptowsp_tensor_shape(self._handle, self._index[name], 0, ffi.NULL, ffi.NULL, self._error), self._error)
                check(host.ptowsp_tensor_bind(self._handle, name.encode(), ffi.NULL, 0, self._error), self._error)
                self._bound.pop(name, None)
            elif not self._is_bound(name, array):
                self._bind(name, array)

    def _is_bound(self, name, value):
        """The same memory as it was looked at: an array's shape, type and rights can be changed in place."""
        held = self._bound.get(name)
        return held is not None and held[0] is value and _looks(held[1]) == held[2]

    def _bind(self, name, value):
        index = self._index[name]
        tensor = self.plan.tensors[index]
        array = as_array(value, name, tensor.role in WRITTEN)
        check_dtype(array, CODES[tensor.dtype], name)
        if array.ndim > 4:
            raise ValueError(f"{name}: an array of {array.ndim} dimensions, and a tensor has 4 at most: give {name}.reshape(-1, {array.shape[-1]}), or what the tensor is")
        extents = ffi.new("uint64_t[]", list(array.shape) or [1])
        check(host.ptowsp_tensor_shape(self._handle, index, max(array.ndim, 1), extents, f"array {name}".encode(), self._error), self._error)
        memory = ffi.cast("void *", array.ctypes.data)
        check(host.ptowsp_tensor_bind(self._handle, name.encode(), memory, array.size, self._error), self._error)
        self._bound[name] = value, array, _looks(array), weakref.ref(array)  # an array that is referred to refuses to move its memory (resize)

    def _unknown(self, name):
        known = ", ".join(list(self._index) + list(self._values)) or "none"
        return TypeError(f"entry {self.plan.entry} has no tensor and no value {name!r}; it has {known}")

    def _take(self, arguments, named):
        if len(arguments) > len(self._index):
            raise TypeError(f"entry {self.plan.entry} has {len(self._index)} tensors, and {len(arguments)} arrays were given")
        bound = self._bound
        for name, array in zip(self._index, arguments):
            if name in named:
                raise TypeError(f"tensor {name} is given twice")
            if array is None or not self._is_bound(name, array):
                self.bind(**{name: array})
        for name, given in named.items():
            if name in self._index:
                self.bind(**{name: given})
            elif name in self._values:
                self.set(**{name: given})
            else:
                raise self._unknown(name)
        for name, held in list(bound.items()):
            if _looks(held[1]) != held[2]:
                self._bind(name, held[0])

    def submit(self, /, *arrays, **named):
        """Starts a run and returns it. Arrays by position or name, values by name; what is not given keeps what it had, and outputs have memory of their own.

        timeout=seconds, then DEADLINE. max_tasks=N. kernels=False: tasks are made and counted, none runs. strict=True. (A tensor or value of such a name is that.)"""
        timeout, max_tasks, kernels, strict = (named.pop(word, usual) if word not in self._index and word not in self._values else usual for word, usual in OPTIONS.items())
        limit = nanoseconds(timeout or 0)
        self._check_process()
        if self._going:
            self._going._end()  # what it ended with is its own
        self._take(arrays, named)
        o = self._options
        o.flags = (0 if kernels else host.PTOWSP_RUN_NO_KERNELS) | (host.PTOWSP_RUN_STRICT if strict else 0)
        o.timeout_ns, o.max_tasks = limit if not timeout else max(1, limit), max_tasks
        self._generation += 1
        check(host.ptowsp_execute_async(self._handle, o, self._error), self._error)
        self._going = Run(self)
        self._warn()
        return self._going

    def _warn(self):
        """An input that was given nothing is zeros: of each run, where it was started."""
        if host.ptowsp_diagnostic_row(self._handle, 0, ffi.new("struct ptowsp_diagnostic *")):
            for sentence in self.diagnostics:
                name = sentence.startswith('input "') and sentence.split('"')[1]
                if name in self._index and name not in self._bound:
                    warnings.warn_explicit(sentence, UserWarning, *place())

    def run(self, /, *arrays, **named):
        """Runs and waits; arguments of submit. Returns the ptowsp.Run; an interrupt cancels it."""
        run = self.submit(*arrays, **named)
        run.wait()
        return run

    async def run_async(self, /, *arrays, **named):
        """The same for asyncio: other coroutines go on meanwhile, and cancelling this one cancels the run."""
        run = self.submit(*arrays, **named)
        try:
            while not run.done:
                await asyncio.sleep(0.0005)
        except asyncio.CancelledError:
            run.cancel()
            raise
        run.wait()
        return run

    def sample(self, name, role="input"):
        """Sample data of the package for a tensor, "input" or "expected", as an array of its own."""
        view = ffi.new("struct ptowsp_tensor_view *")
        role = host.PTOWSP_SAMPLE_EXPECTED if role == "expected" else host.PTOWSP_SAMPLE_INPUT
        if name not in self._index:
            raise self._unknown(name)
        check(host.ptowsp_tensor_sample(self._handle, self._index[name], role, view, self._error), self._error)
        return _array_of(view).copy()

    def __repr__(self):
        return f"<ptowsp.Program {self.plan.entry} on {self.backend.name}>"


def _end(handle):
    """Nobody waits for what goes on."""
    if not host.ptowsp_is_complete(handle):
        host.ptowsp_cancel(handle, ffi.NULL)
    host.ptowsp_program_unload(handle)


def _looks(array):
    return array.shape, array.dtype, array.flags.writeable


def _array_of(view):
    dtype = NUMPY[view.dtype]
    shape = tuple(view.extents[0:view.rank])
    return np.frombuffer(ffi.buffer(view.data, view.elements * dtype.itemsize), dtype).reshape(shape)


class Run:
    """A run: going on, or over. run["y"] is a tensor after it, run.statistics what happened, run.error what it failed with, None if it ended well."""

    def __init__(self, program):
        self._program, self._generation = program, program._generation
        self._status, self.error = None, None

    @property
    def done(self):
        return self._status is not None or bool(host.ptowsp_is_complete(self._program._handle))

    def wait(self, timeout=None):
        """Waits for its end; False if it goes on after that many seconds. Raises what it ended with, every time."""
        if not self._end(timeout):
            return False
        if self.error:
            raise self.error.with_traceback(None)
        return True

    def _end(self, timeout=None):
        """Whether it is over, after that many seconds."""
        if self._status is not None:
            return True
        self._program._check_process()
        error, left = new_error() if timeout is not None else self._program._error, FOREVER if timeout is None else nanoseconds(timeout)
        handle = self._program._handle
        try:
            while (status := host.ptowsp_synchronize(handle, min(left, WAIT_NS), error)) == host.PTOWSP_AGAIN:
                if left != FOREVER:
                    left -= min(left, WAIT_NS)
                    if not left:
                        return False
        except KeyboardInterrupt:
            self.cancel()
            host.ptowsp_synchronize(handle, FOREVER, error)
            self._over(host.PTOWSP_CANCELLED, error)
            raise
        self._over(status, error)
        return True

    def _over(self, status, error):
        self._status = status
        if self._program._going is self:
            self._program._going = None
        if status == host.PTOWSP_DEADLOCK and (report := host.ptowsp_deadlock(self._program._handle)) != ffi.NULL:
            self.error = Deadlock(report)
        elif status:
            self.error = Error(status, self._program.plan.placed(in_python(text(error.text))))

    def cancel(self):
        """Asks it to end, as CANCELLED."""
        self._program._check_process()
        if self._status is None:
            host.ptowsp_cancel(self._program._handle, ffi.NULL)

    def _current(self):
        self._end()
        if self._program._generation != self._generation:
            raise RuntimeError("the program has run again since; keep what you need of a run before the next")

    def __getitem__(self, name):
        """A tensor as this run left it: the array that was given for it, else a copy."""
        self.wait()
        self._current()
        program = self._program
        if name not in program._index:
            raise KeyError(str(program._unknown(name)))
        if name in program._bound:
            return program._bound[name][0]
        view = ffi.new("struct ptowsp_tensor_view *")
        host.ptowsp_tensor_view(program._handle, program._index[name], view)
        if view.data == ffi.NULL:
            raise KeyError(f"tensor {name} has no memory in this run")
        return _array_of(view).copy()

    @property
    def elapsed_ms(self):
        self._current()
        return host.ptowsp_elapsed_ms(self._program._handle)

    @property
    def statistics(self):
        self._current()
        return Statistics(host.ptowsp_stats(self._program._handle), self._program.plan)

    @property
    def profile(self):
        """Where its real time went, as a list of statistics.ProfileRow: of a backend with options={"profiling": "on"}, empty otherwise."""
        self._current()
        return profile(self._program._handle, self._program.plan)

    def __repr__(self):
        return f"<ptowsp.Run of {self._program.plan.entry}: {'done' if self.done else 'going on'}>"
