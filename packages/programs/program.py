# SPDX-License-Identifier: MIT
"""program - what the programs of this folder share. Each NAME.py has the program in Python, its data and what NumPy makes of them; NAME.pto is the same program as source.

`python3 NAME.py [BACKEND]` runs both and compares."""
import dataclasses
import pathlib
import sys

import numpy as np

import ptowsp


@dataclasses.dataclass
class Program:
    """workload: of Python. inputs: arrays by tensor. expected: by tensor, in doubles or exact. tolerance: 0 is exact. source: the text of NAME.pto, changed where a program has several forms."""
    name: str
    workload: object
    inputs: dict
    expected: dict
    tolerance: float = 0
    source: str = ""

    def packages(self):
        text = self.source or pathlib.Path(__file__).with_name(f"{self.name}.pto").read_text()
        return {"source": ptowsp.pack_text(text, self.name, strict=True), "Python": ptowsp.pack(self.workload, strict=True)}

    def compare(self, backend="cpu_sim"):
        """Runs both on a backend; the largest distance, ArithmeticError where that is more than the tolerance."""
        worst = 0.0
        for form, package in self.packages().items():
            run = package.load(backend).run(**self.inputs)
            for tensor, wanted in self.expected.items():
                made = run[tensor]
                made = of_bf16(made) if made.dtype == np.uint16 else made
                distance = float(np.max(np.abs(made.astype(np.float64) - wanted)))
                worst = max(worst, distance)
                if not distance <= self.tolerance:
                    raise ArithmeticError(f"{self.name} ({form}) on {backend}: {tensor} is {distance:g} away, {self.tolerance:g} is allowed")
        return worst


def to_bf16(array):
    """Bits of bf16, to nearest even."""
    bits = np.asarray(array, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def of_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def main(*programs):
    for program in programs:
        print(f"{program.name}: {program.compare(*sys.argv[1:]):g} away at most")
