# SPDX-License-Identifier: MIT
"""What a run counted, as objects. Cycles are semantic time: the same in every run and with any number of threads."""
import dataclasses

from .library import check, ffi, host, new_error, text


@dataclasses.dataclass(frozen=True)
class KernelStatistics:
    name: str
    tasks: int
    cycles: int


@dataclasses.dataclass(frozen=True)
class ResourceStatistics:
    """A bounded resource; capacity 0: unbounded."""
    name: str
    capacity: int
    high_water: int
    stall_count: int
    stall_cycles: int


@dataclasses.dataclass(frozen=True)
class ChannelStatistics:
    name: str
    capacity: int
    latency: int
    sends: int
    consumes: int
    high_water: int
    full_count: int
    full_cycles: int
    empty_count: int
    empty_cycles: int
    payload_bytes: int


@dataclasses.dataclass(frozen=True)
class ProfileRow:
    """Measured time of a kernel (operations 0, what ""), or of one of its operations, or of several that are done in one pass. Lines are those of the source, 0: not
    known; cycles are the backend's model's, 0: not said; elements are those that one call computes."""
    kernel: str
    what: str
    operations: int
    line: int
    last_line: int
    calls: int
    wall_ns: int
    cycles: int
    elements: int


def profile(handle, plan):
    """Rows of the latest run of a program, a kernel's before those of its operations."""
    rows, error = [], new_error()

    @ffi.callback("void(void *, const struct ptowsp_profile_row *)")
    def visit(_, row):
        counts = (getattr(row, field.name) for field in dataclasses.fields(ProfileRow)[2:])
        rows.append(ProfileRow(plan.kernel(row.kernel), text(row.what), *counts))

    check(host.ptowsp_profile_visit(handle, visit, ffi.NULL, error), error)
    return rows


def _rows(pointer, count, stride):
    """Rows of a struct that may be longer than the one that is declared here."""
    kind, first = ffi.typeof(pointer), ffi.cast("char *", pointer)
    return (ffi.cast(kind, first + i * stride) for i in range(count))


def _same(kind, row, name):
    fields = [field.name for field in dataclasses.fields(kind) if field.name != "name"]
    return kind(name, *(getattr(row, field) for field in fields))


class Statistics:
    """Counts of the latest run, copied: total_cycles, tasks, edges, task_window, executors, streams, batches, flushes, execute_ns, and rows of kernels, resources and
    channels."""

    COUNTS = ("total_cycles", "tasks", "edges", "task_window", "executors", "streams", "batches", "flushes", "execute_ns")

    def __init__(self, stats, plan):
        for name in self.COUNTS:
            setattr(self, name, getattr(stats, name))
        self.kernels = [_same(KernelStatistics, row, plan.kernel(row.kernel)) for row in _rows(stats.kernels, stats.kernel_count, stats.kernel_stride)]
        self.resources = [_same(ResourceStatistics, row, text(row.name)) for row in _rows(stats.resources, stats.resource_count, stats.resource_stride)]
        self.channels = [_same(ChannelStatistics, row, plan.channel(row.channel)) for row in _rows(stats.channels, stats.channel_count, stats.channel_stride)]

    def as_dict(self):
        """Plain numbers, texts and lists, for JSON."""
        rows = {name: [dataclasses.asdict(row) for row in getattr(self, name)] for name in ("kernels", "resources", "channels")}
        return {name: getattr(self, name) for name in self.COUNTS} | rows

    def __repr__(self):
        return f"<ptowsp.Statistics: {self.tasks} tasks, {self.total_cycles} cycles, {self.edges} edges>"
