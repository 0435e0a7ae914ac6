# SPDX-License-Identifier: MIT
"""ptowsp: packages on NumPy arrays, and packages made of Python functions. tools/python/README.md is the tour.

    import numpy as np, ptowsp
    from ptowsp import f32

    @ptowsp.func
    def double(a: f32[...], b: f32[...]):
        t = a.load(8, 16)
        b.store(t + t)

    @ptowsp.workload
    def main(x: f32[32, 16], y: f32[32, 16]):
        for i in ptowsp.range(0, 32, 8):
            double(x[i, 0], y[i, 0])

    program = ptowsp.pack(main).load("cpu_sim")
    x, y = np.ones((32, 16), np.float32), np.empty((32, 16), np.float32)
    run = program.run(x, y)             # in place, by position or by name
    print(run.statistics.total_cycles)
"""
from .arrays import empty
from .functions import (Function, Memref, Scalar, Tile, arange, exp, full, func, gelu, log, matmul, maximum, minimum, op, recip, relu, rsqrt, sigmoid, silu, sqrt, tanh, where,
                        zeros)
from .library import Deadlock, Error
from .package import Package, TensorInfo, ValueInfo, Verdict
from .packing import Source, SourceError, SourceWarning, pack, pack_files, pack_text, source
from .program import Backend, Program, Run, backends
from .statistics import Statistics
from .tracing import TYPES as _types, Expr, TraceError
from .workloads import (Channel, Process, Slot, Symbol, Tensor, Workload, barrier, channel, combine, copy, larger, ordered, otherwise, process, ragged, range, repeat_while,
                        scope, select, sequential, slot, smaller, sparse, symbol, temp, when, workload)

f16, bf16, f32, f64 = (_types[_name] for _name in ("f16", "bf16", "f32", "f64"))
i8, i16, i32, i64, u8, u16, u32, u64 = (_types[_name] for _name in ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"))
bool_ = _types["bool"]
