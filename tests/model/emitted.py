# SPDX-License-Identifier: MIT
"""emitted.py - packages emitted for the Ascend backends, built for a pto-runtime by the tree's own build.sh and run there: their tensors are cpu_sim's, byte for byte.

    python3 tests/model/emitted.py [--build DIR] [--runtime DIR] [--variant V,V...] [--keep DIR] [PACKAGE...]

--runtime: a real pto-runtime that was built in place, instead of the fake one of tests/fakes. Without PACKAGE: all examples of --build. A line each: name, variant, and
"same", or what is not; the exit code is 1 where something is not and nobody refused it with a sentence.
"""
import argparse
import base64
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

VARIANTS = "tensormap_and_ringbuffer,host_build_graph"
DESCR = {"f32": "<f4", "f16": "<f2", "bf16": "<u2", "f64": "<f8", "i8": "|i1", "i16": "<i2", "i32": "<i4", "i64": "<i8", "u8": "|u1", "u16": "<u2", "u32": "<u4",
         "u64": "<u8", "bool": "|b1"}
REFUSED = re.compile(r"build.sh: .*|host_build_graph has the whole graph before a task runs|undefined reference to .k_\w+.")


def told(done):
    """What a process that failed has to say: its own sentence, or the last line."""
    lines = [line for line in (done.stderr + done.stdout).strip().split("\n") if line]
    found = [line for line in lines if REFUSED.search(line)] or [line for line in lines if re.match(r"(build.sh|run-pto|ptowsp-run): ", line)]
    return (found or lines or ["-"])[-1][-230:]


def contents(path):
    """The elements of a .npy file, as bytes; its header is another with the same meaning."""
    with open(path, "rb") as f:
        data = f.read()
    return data[10 + int.from_bytes(data[8:10], "little"):]


def shape_of(path):
    with open(path, "rb") as f:
        shape = re.search(rb"'shape': \(([^)]*)\)", f.read(4096)).group(1).decode()
    return "x".join(shape.replace(" ", "").strip(",").split(","))


def entry_of(package):
    """Row of the entry that is run."""
    chosen = [i for i, row in enumerate(package["ENTR"]) if row.get("flags", 0) & 1]
    return chosen[0] if chosen else 0


def tensors_of(package):
    """(names of all that are bound for the entry, of those that tasks write)."""
    entry = entry_of(package)
    rows = [row for row in package["TENS"] if row.get("role") != "temp" and row.get("entry", entry) == entry]
    return [row["name"] for row in rows], [row["name"] for row in rows if row.get("role") in ("out", "inout")]


def samples(package):
    """{tensor: (extents, bytes)}: what the package brings."""
    data, found = base64.b64decode(package["TBLB"]) if package.get("TDAT") else b"", {}
    for row in package.get("TDAT", []):
        if row["role"] == "input":
            first = row.get("offset", 0)
            extents = [row[f"extent{d}"] for d in range(row.get("rank", 0))]
            found[package["TENS"][row.get("tensor", 0)]["name"]] = extents, data[first:first + row["size"]]
    return found


def write(path, descr, extents, data):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({''.join(f'{n},' for n in extents)}), }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\0" + len(header).to_bytes(2, "little") + header.encode() + data)


def identifiers(folder):
    """{name of the package: its identifier in the tree}, by order of rows."""
    with open(os.path.join(folder, "pto_package.h")) as f:
        text = f.read()
    return re.findall(r'^\t\{"(\w+)", "[<|]\w+", UINT64', text, re.M)


def reference(options, path, package, folder):
    """The run on cpu_sim, and NAME.in.npy of what is bound before it: samples, and for tensors without one, that tasks only read, what this run is given."""
    names, written = tensors_of(package)
    brought = samples(package)
    fills = [n for n in names if n not in brought] if not package.get("TDAT") else []
    command = [f"{options.build}/bin/ptowsp-run", "--quiet", "--plugin=cpu_sim"] + [w for n in fills for w in ("--fill", f"{n}=" + ("zeros" if n in written else "iota"))]
    done = subprocess.run(command + [w for n in names for w in ("--out", f"{n}={folder}/{n}.cpu.npy")] + [path], capture_output=True, text=True)
    for name, (extents, data) in brought.items():
        row = next(row for row in package["TENS"] if row["name"] == name)
        write(f"{folder}/{name}.in.npy", DESCR[row["dtype"]], extents, data)
    for name in names:
        if name not in brought and name not in written and os.path.exists(f"{folder}/{name}.cpu.npy"):
            shutil.copy(f"{folder}/{name}.cpu.npy", f"{folder}/{name}.in.npy")
    return done


def built(options, tree, variant):
    environment = {**os.environ, "PTO_RUNTIME_DIR": options.runtime, "VARIANT": variant}
    return subprocess.run(["./build.sh", "pto-runtime"], cwd=tree, capture_output=True, text=True, env=environment)


def compared(package, folder, tree):
    names, written = tensors_of(package)
    known = dict(zip((row["name"] for row in package["TENS"]), identifiers(tree)))
    arguments = [f"{known[n]}=" + (f"{folder}/{n}.in.npy" if os.path.exists(f"{folder}/{n}.in.npy") else shape_of(f"{folder}/{n}.cpu.npy")) for n in names] + [f"{known[n]}:{folder}/{n}.own.npy" for n in written]
    try:
        done = subprocess.run(["out/run-pto", *arguments], cwd=tree, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return "does not end"
    if done.returncode:
        return told(done)
    other = [n for n in written if contents(f"{folder}/{n}.cpu.npy") != contents(f"{folder}/{n}.own.npy")]
    return f"tensor {other[0]} differs" if other else "same" if written else "writes nothing"


def check(options, path, folder):
    """[(variant, what became of it)]"""
    package = json.loads(subprocess.run([f"{options.build}/bin/ptowsp-inspect", "--json", "--max-memory=1000000000", path], capture_output=True, text=True, check=True).stdout)
    tree, variants = os.path.join(folder, "tree"), options.variant.split(",")
    done = subprocess.run([f"{options.build}/bin/ptowsp-run", "--quiet", "--plugin=a2a3sim", "--no-kernels", "--emit", tree, path], capture_output=True, text=True)
    if not os.path.exists(os.path.join(tree, "build.sh")):
        return [(v, told(done)) for v in variants]
    done = reference(options, path, package, folder)
    if done.returncode:
        return [(v, told(done)) for v in variants]
    rows = []
    for variant in variants:
        done = built(options, tree, variant)
        rows.append((variant, told(done) if done.returncode else compared(package, folder, tree)))
    return rows


def main():
    parser = argparse.ArgumentParser(description="emitted trees on a pto-runtime, beside cpu_sim")
    parser.add_argument("--build", default="build")
    parser.add_argument("--runtime")
    parser.add_argument("--variant", default=VARIANTS)
    parser.add_argument("--keep")
    parser.add_argument("packages", nargs="*")
    options = parser.parse_args()
    options.runtime = os.path.abspath(options.runtime or f"{options.build}/fakes/simpler")
    wrong = 0
    for path in options.packages or sorted(glob.glob(f"{options.build}/packages/*.pkg.zst")):
        name = os.path.basename(path).split(".")[0]
        folder = os.path.join(options.keep, name) if options.keep else tempfile.mkdtemp()
        os.makedirs(folder, exist_ok=True)
        for variant, what in check(options, path, os.path.abspath(folder)):
            print(f"{name}\t{variant}\t{what}", flush=True)
            wrong += what != "same" and not REFUSED.search(what)
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
