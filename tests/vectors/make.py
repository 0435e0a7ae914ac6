#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make.py - writes the golden vectors beside it: sources with their data (*.pto), and the list that suite `vectors` reads (vectors.tsv).

Every expected number comes from NumPy, from the words of abi/ptowsp/pto_ops.def and plugins/isa/README.md; nothing of the project's code
runs here. Needs NumPy (Debian: python3-numpy); the tests need what it wrote, which is committed. The same script writes the same bytes.

    /usr/bin/python3 tests/vectors/make.py [FOLDER]
"""
import base64
import os
import sys

import numpy as np

sys.dont_write_bytecode = True
import isa_vectors
import programs

FOLDER = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))


def sample(name, role, shape, data):
    extents = ", ".join(str(n) for n in shape)
    return 'sample %%%s %s [%s] = base64 "%s"\n' % (name, role, extents, base64.b64encode(np.ascontiguousarray(data).tobytes()).decode())


def tensors(name, rows, role):
    """Declarations and data; where bytes are compared a tensor is of u8, and seen as its type by the kernel."""
    text = ""
    for key, t, array, as_bytes in rows:
        full = "%s_%s" % (name, key)
        shape = (array.size * array.itemsize,) if as_bytes else array.shape
        text += "tensor %%%s : %s[%s] %s\n" % (full, "u8" if as_bytes else t, ", ".join(map(str, shape)), "in" if role == "input" else "out")
        text += sample(full, role, shape, array)
    return text


def vector_text(v):
    """A kernel, its tensors, and an entry that is one task."""
    rows = [(k, t, a, k not in v["whole"]) for k, t, a in v["ins"] + v["memory"]]
    outs = [(k, t, a, not v["rtol"]) for k, t, a in v["outs"]]
    text = tensors(v["name"], rows, "input") + tensors(v["name"], outs, "expected")
    text += "func @k_%s(%s) {\n" % (v["name"], ", ".join("%%m%s: !pto.memref<gm,...,%s>" % (k, t) for k, t, _, _ in rows + outs))
    text += "".join("  %s\n" % line for line in v["body"]) + "  return\n}\n"
    passed = ["%%m%s -> %%%s_%s" % (k, v["name"], k) + ("[0 : ..., %d] as %s" % (a.nbytes, t) if as_bytes else "") for k, t, a, as_bytes in rows + outs]
    return text + "workload @%s {\n  call @k_%s(%s)\n}\n\n" % (v["name"], v["name"], ", ".join(passed))


def main():
    groups, lines = {}, []
    for v in isa_vectors.all_vectors():
        groups.setdefault(v["group"], []).append(vector_text(v))
        lines.append((v["group"], v["name"], v["rtol"], v["atol"]))
    for name, text, rtol, atol in programs.all_programs():
        groups[name] = [text]
        lines.append((name, "-", rtol, atol))
    for group, texts in groups.items():
        with open(os.path.join(FOLDER, group + ".pto"), "w") as f:
            f.write("// Made by tests/vectors/make.py.\n" + "".join(texts))
    with open(os.path.join(FOLDER, "vectors.tsv"), "w") as f:
        f.write("# source\tentry\trtol\tatol\tmade by tests/vectors/make.py\n")
        f.writelines("%s\t%s\t%g\t%g\n" % line for line in lines)
    print("%d vectors in %d sources" % (len(lines), len(groups)))


if __name__ == "__main__":
    main()
