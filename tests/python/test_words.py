# SPDX-License-Identifier: MIT
"""The tour of tools/python/README.md, block by block, and every operation that makes a tile."""
import pathlib
import re

import numpy as np
import pytest

import ptowsp
from ptowsp.functions import SHAPES
from ptowsp.tables import OPERATIONS


def test_the_tour_runs(tmp_path, monkeypatch):
    page = next(p for p in (parent / "tools/python/README.md" for parent in pathlib.Path(__file__).resolve().parents) if p.exists())
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(), flags=re.M | re.S)
    assert len(blocks) >= 4
    monkeypatch.chdir(tmp_path)
    names = {}
    for number, block in enumerate(blocks):
        path = tmp_path / f"block{number}.py"  # traced functions name their lines
        path.write_text(block)
        exec(compile(block, str(path), "exec"), names)


def test_every_operation_has_a_rule_of_shape():
    for mnemonic, (letters, rule, keys, types) in OPERATIONS.items():
        if letters.startswith("T") and letters.count("m") == 0 and rule not in ("ANY", "ELEMENT"):
            assert rule in SHAPES or rule in ("FILL", "ROW_EXPAND", "COL_EXPAND", "RESHAPE", "EXTRACT", "SCATTER", "MERGE"), (mnemonic, rule)
