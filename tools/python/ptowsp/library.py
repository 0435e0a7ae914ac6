# SPDX-License-Identifier: MIT
"""libptowsp and libptowsp-pack, opened by their own headers: `abi.h` beside this file is what a C compiler leaves of them."""
import os
import pathlib
import re
import weakref

import cffi

from .tables import DTYPES, STATUSES

_here = pathlib.Path(__file__).resolve().parent
ffi = cffi.FFI()
_DECLARED = (_here / "abi.h").read_text()
ffi.cdef(_DECLARED)


def _place(name):
    """The library of the tree or prefix that this package lies in, else the loader's."""
    for folder in _here.parents:
        for place in (folder / "lib" / name, folder / name):
            if place.exists():
                return str(place)
    return name


def _open(name):
    """A library with all of its functions. cffi makes a function at its first use, under a lock: a finaliser that runs meanwhile and wants another one would wait for ever."""
    library = ffi.dlopen(_place(name))
    for function in re.findall(r"\b(ptowsp_\w+)\(", _DECLARED):
        getattr(library, function, None)
    return library


host = _open("libptowsp.so.10")
pack = _open("libptowsp-pack.so")


class Error(Exception):
    """A call that failed. `code` is its name in the table of statuses ("NOT_FOUND"), `exit_code` what the tools end with."""

    def __init__(self, status, sentence):
        self.status = status
        self.code, self.exit_code, meaning = STATUSES.get(status, (str(status), 1, "unknown status"))
        super().__init__(sentence or meaning)


class Deadlock(Error):
    """A run in which nothing can go on. `report` says why, `option` what lets it go further than it came (another may be needed then), "" where nothing does."""

    def __init__(self, report):
        super().__init__(host.PTOWSP_DEADLOCK, text(report.text))
        self.report, self.option = text(report.text), text(report.option)
        self.task, self.capacity, self.proposed = report.task, report.capacity, report.proposed


def text(pointer):
    """A C string as str, None for NULL."""
    return None if pointer == ffi.NULL else ffi.string(pointer).decode()


def new_error():
    error = ffi.new("struct ptowsp_error *")
    error.head.size, error.head.type = ffi.sizeof("struct ptowsp_error"), host.PTOWSP_STRUCT_ERROR
    return error


def c_text(value, what):
    """A text as a C string."""
    if not isinstance(value, str):
        raise TypeError(f"{what} is a text, not {type(value).__name__}")
    if "\0" in value:
        raise ValueError(f"{what} has a character NUL: {value!r}")
    return ffi.new("char[]", value.encode())


def in_python(sentence):
    """A sentence of the host, which speaks of options of the tools, as Python says it."""
    sentence = re.sub(r"--set (\w+)=VALUE", r"run(\1=VALUE)", sentence or "")
    return re.sub(r"--(?:in|expect) (\w+)=FILE\.npy", r"run(\1=ARRAY)", re.sub(r"^--set ", "", sentence))


def check(status, error):
    if status:
        raise Error(status, in_python(text(error.text)))


def make(function, *arguments):
    """What a maker of libptowsp puts into its first argument; the last one, the error, is added."""
    kind = ffi.typeof(function).args[0].item
    out, error = ffi.new(ffi.getctype(kind, "*")), new_error()
    check(function(out, *arguments, error), error)
    return out[0]


def owned(owner, handle, destroy, *parents):
    """The handle, destroyed behind the end of its owner; parents, from which it was made, outlive it. (Of a circle that is collected, ends come in any order: what
    weakref.finalize holds is no part of one.)"""
    weakref.finalize(owner, _destroy, destroy, os.getpid(), handle, *parents)
    return handle


def _destroy(destroy, process, handle, *kept):
    if process == os.getpid():  # a child of fork would wait for threads that only its parent has
        destroy(handle)


def rows(function, handle, kind):
    """The rows that function(handle, index, &row) gives until it says 0; each is valid until the next."""
    row = ffi.new("struct %s *" % kind)
    index = 0
    while function(handle, index, row):
        yield row
        index += 1


def texts(function, handle):
    """The texts that function(handle, index) gives until NULL."""
    found, index = [], 0
    while (row := function(handle, index)) != ffi.NULL:
        found.append(text(row))
        index += 1
    return found


def text_array(values, keep):
    """Texts as const char *const *; what they need to live is appended to keep."""
    strings = [c_text(str(value), "a name or an option") for value in values]
    array = ffi.new("const char *[]", strings)
    keep.extend([strings, array])
    return array


def dtype_name(code):
    return DTYPES[code][0]
