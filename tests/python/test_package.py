# SPDX-License-Identifier: MIT
"""Packages on arrays: what is there, runs in place, what is refused."""
import asyncio
import gc
import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import ptowsp
from ptowsp import f32

# Of a build or of an installation, whichever the package is of.
ROOT = next(p for p in pathlib.Path(ptowsp.__file__).resolve().parents if (p / "bin/ptowsp-run").exists())
EXAMPLES = next(p for p in (ROOT / "packages", ROOT / "share/ptowsp/v10/packages") if p.is_dir())
PACKAGES = sorted(EXAMPLES.glob("*.pkg.zst"))
# ptowsp-run compares with these, where a package states none.
RTOL, ATOL = 1e-5, 1e-6


def load(name, backend="cpu_sim", **more):
    return ptowsp.Package(EXAMPLES / f"{name}.pkg.zst").load(backend, **more)


@pytest.mark.parametrize("path", PACKAGES, ids=lambda path: path.name.split(".")[0])
def test_examples_give_what_they_expect(path):
    package = ptowsp.Package(path)
    if package.name == "two_devices":
        pytest.skip("two_devices runs on two devices")
    program = package.load("cpu_sim", threads=2)
    run = program.run()
    for tensor in program.tensors:
        if tensor.has_expected:
            expected, got = program.sample(tensor.name, "expected"), run[tensor.name]
            if tensor.dtype == "bf16":
                expected, got = ((a.astype(np.uint32) << 16).view(np.float32) for a in (expected, got))
            np.testing.assert_allclose(got, expected, rtol=float(package.meta("rtol") or RTOL) * 4, atol=float(package.meta("atol") or ATOL) * 4)


def test_the_tool_counts_the_same():
    run = load("bgemm", threads=1).run()
    out = subprocess.run([ROOT / "bin/ptowsp-run", "--threads", "1", "--stats=json", EXAMPLES / "bgemm.pkg.zst"], capture_output=True, text=True, check=True).stdout
    tool = json.loads(out)
    assert run.statistics.tasks > 100
    for name, key in (("tasks", "num_tasks"), ("edges", "num_edges"), ("total_cycles", "total_cycles"), ("task_window", "task_window")):
        assert getattr(run.statistics, name) == tool[key]
    assert json.loads(json.dumps(run.statistics.as_dict()))["kernels"][0]["tasks"] == run.statistics.kernels[0].tasks


def test_a_profile_has_times_of_kernels_and_operations():
    run = load("softmax", threads=1, options={"profiling": "on"}).run()
    kernels = {row.kernel: row for row in run.profile if not row.operations}
    assert {k.name: k.tasks for k in run.statistics.kernels} == {name: row.calls for name, row in kernels.items()}
    assert all(row.line and row.what and row.wall_ns <= kernels[row.kernel].wall_ns for row in run.profile if row.operations)
    assert not load("softmax", threads=1).run().profile


def test_arrays_are_used_in_place():
    program = load("vector_add", threads=1, isolate="none")
    shape = program.sample("a").shape
    a, c = np.random.default_rng(1).random(shape, np.float32), np.zeros(shape, np.float32)
    run = program.run(a, a, c=c)
    assert run["c"] is c and np.array_equal(c, a + a)
    a[:] = 1
    assert program.run().statistics.tasks == 8 and (c == 2).all()
    with pytest.raises(RuntimeError, match="has run again since"):
        run.statistics
    program.bind(c=None)
    assert (program.run()["c"] == 2).all()


class Lender:
    """Memory behind DLPack alone, as torch has it."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_memory_of_others_comes_by_dlpack():
    program = load("vector_add")
    shape = program.sample("a").shape
    a, c = np.ones(shape, np.float32), np.zeros(shape, np.float32)
    lent = Lender(c)
    assert program.run(Lender(a), a, lent)["c"] is lent
    assert (c == 2).all()


def test_shared_memory_is_seen_by_a_worker():
    program = load("vector_add", isolate="process")
    shape = program.sample("a").shape
    a, c = ptowsp.empty(shape), ptowsp.empty(shape, "f32")
    a[:] = 3
    assert (program.run(a, a, c)["c"] == 6).all() and program.backend.isolation == "process"


def test_what_is_wrong_is_said():
    program = load("vector_add")
    a = program.sample("a")
    cases = [
        (lambda: program.run(q=1), TypeError, "no tensor and no value 'q'; it has a, b, c"),
        (lambda: program.run(a=a.astype(int)), TypeError, "elements are int64, the tensor's are f32; convert with astype\\('float32'\\)"),
        (lambda: program.run(a=a.T[1:]), ValueError, "numpy.ascontiguousarray"),
        (lambda: program.run(a=3), TypeError, "an array is wanted"),
        (lambda: program.run(a, a, a, a), TypeError, "has 3 tensors, and 4 arrays"),
        (lambda: program.run(a, a, a), ptowsp.Error, "share memory, and a run writes \"c\""),
        (lambda: program.run(a, a=a), TypeError, "given twice"),
        (lambda: program.sample("z"), TypeError, "no tensor"),
        (lambda: ptowsp.Package("none.zst"), ptowsp.Error, "none.zst cannot be opened"),
        (lambda: ptowsp.Package(b"no package"), ptowsp.Error, "."),
        (lambda: ptowsp.Backend("none"), ptowsp.Error, "no plugin \"none\""),
        (lambda: ptowsp.Backend(isolate="box"), ValueError, "isolate is one of"),
        (lambda: ptowsp.Backend(options={"nix": "1"}), ptowsp.Error, "nix"),
        (lambda: ptowsp.empty((2,), "f31"), TypeError, "the types are f32"),
        (lambda: load("vector_add", entry="none"), ptowsp.Error, "none"),
    ]
    for call, kind, sentence in cases:
        with pytest.raises(kind, match=sentence):
            call()
    c = np.zeros_like(a)
    c.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        program.run(c=c)
    with pytest.raises(ptowsp.Error, match="has 64 elements") as caught:
        program.run(a=np.zeros(64, np.float32))
    assert caught.value.code == "INVALID" and caught.value.exit_code == 2


ENDLESS = """symbol %n : i64 = 1000000000
tensor %x : f32[8, 8] inout
func @f(%a: !pto.memref<gm,...,f32>) {
  %t = alloc_tile : !pto.tile<8x8xf32>
  %t = tload %a[0, 0]
  tstore %t, %a[0, 0]
  return
}
workload @main { for_each %i in 0 to %n { call @f(%a -> %x) } }
"""


def test_runs_go_on_beside():
    program = ptowsp.pack_text(ENDLESS).load("cpu_sim")
    run = program.submit()
    assert not run.wait(0.05) and not run.done
    run.cancel()
    with pytest.raises(ptowsp.Error) as caught:
        run.wait()
    assert caught.value.code == "CANCELLED" and run.done
    with pytest.raises(ptowsp.Error) as caught:
        program.run(timeout=0.05)
    assert caught.value.code == "DEADLINE"
    with pytest.raises(ptowsp.Error) as caught:
        program.run(max_tasks=100)
    assert caught.value.code == "LIMIT"
    assert program.run(n=5).statistics.tasks == 5 and program.run(kernels=False).statistics.tasks == 5

    async def both():
        other = ptowsp.pack_text(ENDLESS).load("cpu_sim")
        return await asyncio.gather(program.run_async(n=7), other.run_async(n=9))

    assert [run.statistics.tasks for run in asyncio.run(both())] == [7, 9]


def test_a_deadlock_is_a_report():
    text = ENDLESS.replace("for_each %i in 0 to %n { call @f(%a -> %x) }", "scope { call @f(%a -> %x) call @f(%a -> %x) call @f(%a -> %x) }")
    with pytest.raises(ptowsp.Deadlock, match="task") as caught:
        ptowsp.pack_text(text).load("cpu_sim", schedule={"task_window": 2}).run()
    assert caught.value.option == "--schedule task_window=3" and caught.value.code == "DEADLOCK"


def test_verdicts_and_plugins():
    package = ptowsp.Package(EXAMPLES / "vector_add.pkg.zst")
    rows = package.match(ptowsp.Backend("aie"), schedule={"ready": "fifo"})
    assert [row.state for row in rows] and not any(row.refused for row in rows)
    assert {"cpu_sim", "aie"} <= {row["name"] for row in ptowsp.backends()}


def test_values_have_types():
    package = ptowsp.pack_text('symbol %n : i64 = -3\nsymbol %h : f16 = 0.5\nsymbol %b : bf16 = 1.5\nsymbol %u : u64 = 18446744073709551615\nslot %must : i32\n'
                               "tensor %x : f32[8, 8] inout\nworkload @main { if %n > 0 { nop } }\n")
    assert {v.name: v.default for v in package.values()} == {"n": -3, "h": 0.5, "b": 1.5, "u": 2**64 - 1, "must": None}


def test_handles_end_in_any_order():
    for _ in range(20):
        program = load("vector_add")
        run = program.run()
        backend = program.backend
        del program
        gc.collect()
        assert run["c"] is not None
        del backend, run
        gc.collect()
        program = load("vector_add")  # and as parts of a circle, which the collector takes apart
        program.circle, program.backend.circle, program.plan.circle = program.plan, program, program.backend
        del program
        gc.collect()


def test_a_package_is_saved(tmp_path):
    package = ptowsp.pack_text(ENDLESS, name="endless")
    package.save(tmp_path / "e.pkg.zst")
    assert ptowsp.Package(os.fspath(tmp_path / "e.pkg.zst")).entries == ["main", "f"]


FACTORS = """
symbol %r : u64 = 1
symbol %s : u64 = 1
symbol %t : u64 = 1
symbol %u : u64 = 1
tensor %x : f32[%r, %s] in
tensor %z : f32[%t, %u] in
tensor %y : f32[8, 8] out
tensor %v : f32[%r, %s] out
tensor %w : f32[%t, %u] out
func @f(%x: !pto.memref<gm,...,f32>, %z: !pto.memref<gm,...,f32>, %y: !pto.memref<gm,...,f32>, %v: !pto.memref<gm,...,f32>, %w: !pto.memref<gm,...,f32>) {
  %a = alloc_tile : !pto.tile<8x8xf32>
  %b = alloc_tile : !pto.tile<8x8xf32>
  %p = alloc_tile : !pto.tile<8x8xf32>
  %line = alloc_tile : !pto.tile<1x8xf32>
  %p = texpands %1
  %line = texpands %1
  %a = tload %x[0, 0]
  %b = tload %z[0, 0]
  %p = PRODUCT
  tstore %p, %y[0, 0]
  tstore %a, %v[0, 0]
  tstore %b, %w[0, 0]
  return
}
workload @main { call @f(%x -> %x[0, 0 : %r, %s], %z -> %z[0, 0 : %t, %u], %y -> %y, %v -> %v[0, 0 : %r, %s], %w -> %w[0, 0 : %t, %u]) }
"""


@pytest.mark.parametrize("backend", ["cpu_sim", "a2a3sim", "aie"])
@pytest.mark.parametrize("product, square, started", [("tmatmul %a, %b", False, 0), ("tmatmul.acc %p, %a, %b", False, 1), ("tmatmul.bias %a, %b, %line", False, 1),
                                                      ("tmatmul %a, %a", True, 0), ("tmatmul.acc %p, %a, %a", True, 1)])
def test_a_factor_keeps_what_the_other_lacks(backend, product, square, started, tmp_path):
    """Of factors of which other columns than rows are there the sum has the terms that both have; each is afterwards what it was. Masks by rows and by columns have names of their own."""
    package = ptowsp.pack_text(FACTORS.replace("PRODUCT", product))
    package.save(tmp_path / "f.pkg.zst")
    subprocess.run([ROOT / "bin/ptowsp-inspect", "--pto", tmp_path / "f.pkg.zst"], check=True, capture_output=True)
    program = package.load(backend)
    for r, s, t, u in np.random.default_rng(11).integers(1, 9, (6, 4)):
        x, z = np.arange(1, r * s + 1, dtype=np.float32).reshape(r, s), np.arange(2, t * u + 2, dtype=np.float32).reshape(t, u)
        other = x if square else z
        inner = min(s, len(other))
        wanted = np.zeros((8, 8), np.float32)
        wanted[:r, : other.shape[1]] = started + x[:, :inner] @ other[:inner]
        run = program.run(x=x, z=z, r=r, s=s, t=t, u=u)
        assert np.array_equal(run["y"], wanted) and np.array_equal(run["v"], x) and np.array_equal(run["w"], z), (r, s, t, u)


def test_a_run_s_failure_is_its_own():
    program = ptowsp.pack_text(ENDLESS).load("cpu_sim")
    run = program.submit(timeout=0.05)
    for _ in range(2):
        with pytest.raises(ptowsp.Error, match=".") as caught:
            run.wait()
        assert caught.value.code == "DEADLINE" and run.error.code == "DEADLINE"
    with pytest.raises(ptowsp.Error):
        run["x"]
    assert run.statistics.tasks > 0
    program.submit(timeout=0.05)  # nobody waits for it
    assert program.run(n=3).statistics.tasks == 3

    async def given_up():
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(program.run_async(n=1000000000), 0.05)

    asyncio.run(given_up())
    assert program.run(n=4).statistics.tasks == 4 and program.run(n=1).error is None
    with pytest.raises(ptowsp.Error, match="the time was over before|DEADLINE|time|deadline") as caught:
        program.run(n=1000000000, timeout=1e-10)
    assert caught.value.code == "DEADLINE"


@pytest.mark.parametrize("isolate", ["none", "process"])
def test_what_nobody_holds_is_cancelled(isolate):
    script = f"import ptowsp, time\nprogram = ptowsp.pack_text('''{ENDLESS}''').load('cpu_sim', isolate={isolate!r})\nrun = program.submit()\ntime.sleep(0.05)\n"
    for end in ("del program, run\n", ""):  # dropped, and at the interpreter's end
        subprocess.run([sys.executable, "-c", script + end], check=True, timeout=120)


def test_a_child_of_fork_is_told():
    program = ptowsp.pack_text(ENDLESS).load("cpu_sim", threads=2)
    run = program.submit()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            for call in (lambda: program.run(n=5), run.wait, lambda: program.set(n=1), lambda: ptowsp.pack_text(ENDLESS).load(program.backend)):
                with pytest.raises(RuntimeError, match="loaded before fork"):
                    call()
            other = ptowsp.pack_text(ENDLESS).load("cpu_sim", threads=2)
            code = 0 if other.run(n=5).statistics.tasks == 5 else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    run.cancel()
    with pytest.raises(ptowsp.Error):
        run.wait()
    script = f"import os, sys, ptowsp\nprogram = ptowsp.pack_text('''{ENDLESS}''').load('cpu_sim')\nrun = program.submit()\nchild = os.fork()\n" \
             "if child: sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    subprocess.run([sys.executable, "-c", script], check=True, timeout=120)


def test_memory_that_changes_in_place_is_looked_at_again():
    program = ptowsp.pack_text(ENDLESS).load("cpu_sim")
    x = np.ones((8, 8), np.float32)
    for change, back, kind in ((lambda: x.setflags(write=False), lambda: x.setflags(write=True), ValueError),
                               (lambda: setattr(x, "dtype", np.int32), lambda: setattr(x, "dtype", np.float32), TypeError),
                               (lambda: setattr(x, "shape", (4, 16)), lambda: setattr(x, "shape", (8, 8)), ptowsp.Error)):
        program.run(x, n=1)
        change()
        for again in (lambda: program.run(x, n=1), lambda: program.run(n=1)):
            with pytest.raises(kind):
                again()
        back()
    program.run(x, n=1)
    with pytest.raises(ValueError):
        x.resize((2, 2), refcheck=False)


def test_bf16_of_wider_floats_is_bits():
    text = ENDLESS.replace("f32", "bf16")
    program = ptowsp.pack_text(text).load("cpu_sim")
    with pytest.raises(TypeError, match="the upper 16 bits of each float32"):
        program.run(np.ones((8, 8), np.float32), n=1)
