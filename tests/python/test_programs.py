# SPDX-License-Identifier: MIT
"""The programs of packages/programs, as source and in Python, beside NumPy on three backends. By day aie has the block of GPT-2 in f32 alone."""
import importlib
import os
import pathlib
import sys

import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "packages" / "programs"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "program")


@pytest.fixture(autouse=True)
def where_they_lie(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)


@pytest.mark.parametrize("backend", ["cpu_sim", "a2a3sim", "aie"])
@pytest.mark.parametrize("name", NAMES)
def test_a_program_computes_what_numpy_does(name, backend):
    programs = importlib.import_module(name).programs()
    if name == "gpt2_block" and backend == "aie" and "PTOWSP_TEST_LONG" not in os.environ:
        programs = programs[:1]
    for program in programs:
        program.compare(backend)


def test_every_source_is_a_program():
    made = {program.name for name in NAMES for program in importlib.import_module(name).programs()}
    assert made == {path.stem for path in FOLDER.glob("*.pto")}
    page = (FOLDER / "README.md").read_text()
    assert all(f"[{name}]({name}.pto)" in page for name in made)
