# SPDX-License-Identifier: MIT
"""Arrays as memory of tensors: NumPy's own, and those of anything that speaks DLPack (torch, JAX, CuPy on the host), without copies."""
import ctypes
import math

import numpy as np

from .library import ffi, host, make
from .tables import DTYPES

NUMPY = {code: np.dtype(descr) for code, (name, kind, descr) in DTYPES.items()}
CODES = {name: code for code, (name, kind, descr) in DTYPES.items()}
BF16 = CODES["bf16"]  # NumPy has no such type: bits as uint16, or the type of ml_dtypes


def as_array(value, name, writable):
    """The array whose memory `value` is. TypeError where it is none; ValueError where a run cannot use it as it lies."""
    if not isinstance(value, np.ndarray):
        if not hasattr(value, "__dlpack__"):
            raise TypeError(f"{name}: an array is wanted, with NumPy's or DLPack's interface, not {type(value).__name__}")
        value = _of_dlpack(value)
    if not value.flags.c_contiguous:
        raise ValueError(f"{name}: its elements do not lie one behind the other; pass numpy.ascontiguousarray of it")
    if writable and not value.flags.writeable:
        raise ValueError(f"{name}: the run writes it, and the array is read-only")
    return value


def _of_dlpack(value):
    if str(getattr(value, "dtype", "")) == "torch.bfloat16":  # DLPack of NumPy knows no such type
        import torch
        value = value.view(torch.int16)
    array = np.from_dlpack(value)
    if array.flags.writeable or not array.flags.c_contiguous:
        return array
    # NumPy marks what it is lent as read-only whatever its owner allows.
    lent = (ctypes.c_char * array.nbytes).from_address(array.ctypes.data)
    lent.owner = (value, array)
    return np.frombuffer(lent, array.dtype).reshape(array.shape)


def check_dtype(array, code, name):
    wanted = NUMPY[code]
    if array.dtype == wanted or (code == BF16 and (array.dtype.name == "bfloat16" or array.dtype == np.int16)):
        return
    if code == BF16:
        raise TypeError(f"{name}: elements are {array.dtype}, the tensor's are bf16: the type of ml_dtypes, astype(ml_dtypes.bfloat16), or uint16, the upper 16 bits "
                        "of each float32, ((x.view('uint32') + 0x7FFF + (x.view('uint32') >> 16 & 1)) >> 16).astype('uint16')")
    raise TypeError(f"{name}: elements are {array.dtype}, the tensor's are {DTYPES[code][0]}; convert with astype({wanted.name!r})")


def empty(shape, dtype="f32"):
    """Zeroed memory that an isolated backend sees without copies, as an array; `dtype` as packages write it."""
    if dtype not in CODES:
        raise TypeError(f"there is no element type {dtype!r}; the types are {', '.join(CODES)}")
    kind = NUMPY[CODES[dtype]]
    shape = tuple(shape) if hasattr(shape, "__iter__") else (shape,)
    if any(isinstance(extent, float) or extent < 0 for extent in shape):
        raise ValueError(f"extents are whole numbers from 0, not {shape}")
    size = math.prod(map(int, shape)) * kind.itemsize
    if size >> 62:
        raise MemoryError(f"no memory for {size} bytes")
    memory = ffi.gc(make(host.ptowsp_buffer_alloc, max(size, 1)), host.ptowsp_buffer_free)
    return np.frombuffer(ffi.buffer(memory, size), kind).reshape(shape)
