# SPDX-License-Identifier: MIT
"""Mistakes of Python that ended in exceptions of others, or in nothing at all."""
import math
import os
import subprocess
import sys
import warnings

import numpy as np
import pytest

import ptowsp
from ptowsp import f32

DOUBLE = """
tensor %x : f32[8, 16] in
tensor %y : f32[8, 16] out
func @double(%a: !pto.memref<gm,...,f32>, %b: !pto.memref<gm,...,f32>) {
  %t = alloc_tile : !pto.tile<8x16xf32>
  %t = tload %a[0, 0]
  %t = tadd %t, %t
  tstore %t, %b[0, 0]
  return
}
workload @main { call @double(%a -> %x, %b -> %y) }
"""
X = np.arange(128, dtype=np.float32).reshape(8, 16)


def kernel_of(body, shape=(8, 16)):
    """The result of a kernel's body on X."""
    @ptowsp.func
    def kernel(x: f32[...], y: f32[...]):
        y.store(body(x.load(8, 16)))

    @ptowsp.workload
    def main(x: f32[8, 16], y: f32[shape]):
        kernel(x, y)
    return ptowsp.pack(main).load("cpu_sim").run(x=X)["y"]


def test_an_input_that_is_given_nothing_is_said_by_each_run():
    program = ptowsp.pack_text(DOUBLE).load("cpu_sim")
    for _ in range(2):
        with pytest.warns(UserWarning, match='input "x" is zeros; give it with run') as said:
            program.run(y=None)
        assert said[0].filename == __file__ and len(said) == 1
    assert program.diagnostics == ['input "x" is zeros; give it with run(x=ARRAY)']
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        program.run(X)


def test_tensors_that_are_called_as_parameters_are():
    program = ptowsp.pack_text("tensor %self : f32[2, 2] in\ntensor %timeout : f32[2, 2] out\nworkload @main { copy %self -> %timeout }").load("cpu_sim")
    a, b = np.ones((2, 2), np.float32), np.zeros((2, 2), np.float32)
    program.run(self=a, timeout=b)
    assert (b == 1).all() and (program.run(a)["timeout"] == 1).all()


@pytest.mark.parametrize("seconds", [-1, math.nan])
def test_waiting_takes_seconds_from_0(seconds):
    program = ptowsp.pack_text(DOUBLE).load("cpu_sim")
    with pytest.raises(ValueError, match="timeout is seconds from 0"):
        program.submit(X).wait(seconds)
    with pytest.raises(ValueError, match="timeout is seconds from 0"):
        program.run(X, timeout=seconds)
    assert program.submit(X).wait(math.inf) and program.submit(X).wait(1e300)


@pytest.mark.parametrize("call, error, sentence", [
    (lambda: ptowsp.Backend("cpu_sim", threads=-1), ValueError, "threads is a number from 0, not -1"),
    (lambda: ptowsp.Backend("cpu_sim\0junk"), ValueError, "NUL"),
    (lambda: ptowsp.Backend(3), TypeError, "plugin is a text, not int"),
    (lambda: ptowsp.pack_text(b""), TypeError, "the source is a text, not bytes"),
    (lambda: ptowsp.empty((-1, 4)), ValueError, "extents are whole numbers from 0"),
    (lambda: ptowsp.empty((2**40, 2**40)), MemoryError, "no memory for"),
    (lambda: ptowsp.pack(), TypeError, "there is nothing to pack"),
    (lambda: ptowsp.pack_files([]), TypeError, "there is nothing to pack"),
    (lambda: ptowsp.pack_text(DOUBLE).load("cpu_sim").set(n="9"), TypeError, "n takes a number, not '9'")])
def test_what_no_call_takes(call, error, sentence):
    with pytest.raises(error, match=sentence):
        call()


def test_one_file_is_a_list_of_one(tmp_path):
    (tmp_path / "a.pto").write_text(DOUBLE)
    for path in (tmp_path / "a.pto", str(tmp_path / "a.pto")):
        assert (ptowsp.pack_files(path).load("cpu_sim").run(X)["y"] == 2 * X).all()


def test_numbers_of_numpy_are_numbers():
    made = kernel_of(lambda t: np.float32(2) * t + np.float32(1.5) - t / np.int64(4) + ptowsp.maximum(t, np.float16(3)))
    np.testing.assert_allclose(made, 2 * X + 1.5 - X / 4 + np.maximum(X, 3))

    @ptowsp.func
    def scaled(x: f32[...], y: f32[...], s: f32):
        y.store(x.load(np.int64(8), 16) * s)

    @ptowsp.workload
    def main(x: f32[8, 16], y: f32[8, 16]):
        scaled(x, y, np.float32(3))
    np.testing.assert_array_equal(ptowsp.pack(main).load("cpu_sim").run(x=X)["y"], 3 * X)


def test_a_tile_of_one_element_is_repeated():
    np.testing.assert_array_equal(kernel_of(lambda t: t + t.part(0, 3, 1, 1)), X + 3)


@pytest.mark.parametrize("body, sentence", [
    (lambda t: np.exp(t), "numpy.exp is of arrays, not of tiles; write ptowsp.exp"), (lambda t: np.arctan(t), "numpy.arctan is of arrays, not of tiles; ptowsp.op has"),
    (lambda t: X * t, "not ndarray"), (lambda t: t.max(), "axis is 0 .* or 1 .*, not None"), (lambda t: ptowsp.zeros((0, 8)), "a tile is rows x columns, whole numbers from 1, not 0 x 8"),
    (lambda t: ptowsp.zeros((8.0, 8)), "whole numbers from 1, not 8.0 x 8")])
def test_what_is_none_of_tiles_is_named_at_its_line(body, sentence):
    with pytest.raises(ptowsp.TraceError, match=sentence) as error:
        kernel_of(body)
    assert error.value.filename == __file__


def test_elements_of_tensors_have_no_truth():
    @ptowsp.workload
    def main(x: f32[8, 16], y: f32[8, 16]):
        if x[0, 0]:
            ptowsp.copy(x, y)
    with pytest.raises(ptowsp.TraceError, match="no truth"):
        ptowsp.pack(main)


def test_a_parameter_without_annotation_is_named():
    @ptowsp.func
    def kernel(x, y: f32[...]):
        y.store(x.load(8, 16))

    @ptowsp.workload
    def main(x: f32[8, 16], y: f32[8, 16]):
        kernel(x, y)
    with pytest.raises(ptowsp.TraceError, match=r"x of kernel kernel has no annotation.* write x: f32\[...\]"):
        ptowsp.pack(main)


def test_messages_say_it_once_and_in_python():
    @ptowsp.workload
    def main(x: f32[2, 2, 2, 2, 2], y: f32[2, 2, 2, 2, 2]):
        ptowsp.copy(x, y)
    with pytest.raises(ptowsp.SourceError) as error:
        ptowsp.pack(main)
    lines = [line for line in str(error.value).splitlines() if ": error:" in line]
    assert len(lines) == len(set(lines))

    @ptowsp.workload
    def beyond(x: f32[4, 16], y: f32[8, 16]):
        ptowsp.copy(x[0:8, 0:16], y[0, 0])
    with pytest.raises(ptowsp.SourceError) as error:
        ptowsp.pack(beyond)
    assert ".pto" not in str(error.value)
    n = ptowsp.symbol("n")

    @ptowsp.workload
    def wants(x: f32[n, 16], y: f32[n, 16]):
        for i in ptowsp.range(n):
            ptowsp.copy(x[i : i + 1, 0:16], y[i, 0])
    with pytest.raises(ptowsp.Error, match=r"give it one with run\(n=VALUE\)"):
        ptowsp.pack(wants).load("cpu_sim").run(y=None)


def test_a_collection_while_cffi_makes_a_function_ends():
    script = f"""if True:
        import gc
        gc.disable()
        import ptowsp
        from ptowsp.library import ffi, host
        make = ffi._get_cached_btype
        def collecting(kind):
            gc.collect()
            return make(kind)
        program = ptowsp.pack_text({DOUBLE!r}).load("cpu_sim")
        program.circle = program
        del program
        ffi._get_cached_btype = collecting
        host.ptowsp_is_complete, host.ptowsp_fence_read  # made now, or at import
        """
    folder = os.path.dirname(os.path.dirname(ptowsp.__file__))
    subprocess.run([sys.executable, "-c", script], check=True, timeout=120, env={**os.environ, "PYTHONPATH": folder})
