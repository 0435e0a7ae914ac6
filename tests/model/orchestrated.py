# SPDX-License-Identifier: MIT
"""orchestrated.py - entries and kernels that ptowsp-pack --emit=c writes, compiled, linked with the task API and run: their tensors are cpu_sim's, byte for byte.

    python3 tests/model/orchestrated.py [--build DIR] [--first SEED] [--count N] [--families F,F...] [--keep DIR] [--jobs N] [--kernels c|cuda] [PACKAGE...]

--kernels=cuda: the kernels are CUDA, called on the host by blocks of threads (tests/emit/cuda_host.h). Each on one thread and two, with the graph first and with tasks that start at once (tests/emit/tasks/emitted_run.h). With PACKAGE those, else random programs: a seed and a set of families give one. What is
not written as C is no difference, nor is a program that both end with an error, or that a bounded resource ends on cpu_sim.
"""
import collections
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import compare  # noqa: E402
import emitted  # noqa: E402
import engines  # noqa: E402
import programs  # noqa: E402
import seeds  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FLAGS = ["-std=gnu11", "-O1", "-fwrapv", "-ffp-contract=off", "-DNDEBUG", "-DTILE_MACHINE="]
# How kernels of a target are compiled: the ending of their files, and the command.
KERNELS = {"c": (".c", ["cc", *FLAGS]), "cuda": (".cu", ["c++", "-std=c++17", "-O1", "-w", "-ffp-contract=off", "-include", f"{ROOT}/tests/emit/cuda_host.h", "-x", "c++"])}
BYTES = {name: int(descr[2:]) for name, descr in emitted.DESCR.items()}


def said(done):
    lines = [line for line in (done.stderr + done.stdout).strip().split("\n") if "being treated as errors" not in line]
    return (next((line for line in lines if " error: " in line), lines[-1]) if lines else "-")[-230:]


def in_c(text, before, name):
    """How C calls it: without the function that it belongs to, with '_' behind it where the word means something there."""
    name = name.split(".")[-1]
    return next((word for word in (name, f"{name}_") if f"{before}{word};" in text), None)


def program(folder, name, about):
    """main.c around NAME.c."""
    with open(f"{folder}/c/{name}.c") as f:
        text = f.read()
    rows = []
    for tensor in about["tensors"]:
        word = in_c(text, f"{name}_memory ", tensor["name"])
        if not word:
            continue
        before, after = (f'"{folder}/{tensor["name"]}.{what}.npy"' for what in ("in", "cpu"))
        rows.append(f'\t\t{{"{word}", &o.memory.{word}.data, &o.memory.{word}.elements, {before if os.path.exists(before[1:-1]) else "NULL"}, '
                    f'{after if os.path.exists(after[1:-1]) else "NULL"}, {BYTES[tensor["type"]]}}},\n')
    values = "".join(f"\to.value.{word} = {row['default']};\n" for row in about["values"] if (word := in_c(text, "o->value.", row["name"])))
    with open(f"{folder}/main.c", "w") as f:
        f.write(f'#include "c/{name}.c"\n#include "tests/emit/tasks/emitted_run.h"\n\nstatic struct {name} o;\nstatic void begin_all(struct rt_tasks *tasks)\n{{\n'
                f'\t{name}_begin(tasks, &o);\n}}\n\nint main(void)\n{{\n\tstatic const struct run_tensor tensors[] = {{\n{"".join(rows)}\t}};\n\n{values}'
                f'\treturn run_all(tensors, sizeof(tensors) / sizeof(*tensors), begin_all, {name}, &o);\n}}\n')


def compiled(options, path, folder, name):
    ending, compiler = KERNELS[options.kernels]
    if ending != ".c":
        subprocess.run([f"{options.build}/bin/ptowsp-pack", f"--emit={options.kernels}", path, "-o", f"{folder}/kernels"], check=True)
    where = f"{folder}/c" if ending == ".c" else f"{folder}/kernels"
    units = [([*compiler, f"-I{where}"], f"{where}/{k}") for k in os.listdir(where) if k.endswith(ending) and k != f"{name}.c"]
    units.append((["cc", "-std=c11", "-w", "-O1", f"-I{folder}", f"-I{ROOT}", f"-I{ROOT}/abi", f"-I{ROOT}/plugins"], f"{folder}/main.c"))
    for command, source in units:
        done = subprocess.run([*command, "-c", source, "-o", f"{os.path.splitext(source)[0]}.o"], capture_output=True, text=True)
        if done.returncode:
            return done
    objects = [f"{os.path.splitext(source)[0]}.o" for _, source in units]
    return subprocess.run([KERNELS[options.kernels][1][0], *objects, f"{options.build}/lib/libptowsp-rt.a", "-lpthread", "-lm", "-o", f"{folder}/main"], capture_output=True, text=True)


def verdict(options, path, folder):
    """(what became of it, difference or None)."""
    tool = f"{options.build}/bin"
    package = json.loads(subprocess.run([f"{tool}/ptowsp-inspect", "--json", "--max-memory=1000000000", path], capture_output=True, text=True, check=True).stdout)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    done = subprocess.run([f"{tool}/ptowsp-pack", "--emit=c", path, "-o", f"{folder}/c"], capture_output=True, text=True)
    about = subprocess.run([f"{tool}/ptowsp-run", "--explain", "--json", path], capture_output=True, text=True)
    if done.returncode or about.returncode:
        return "no C", said(done) if done.returncode else None
    about = json.loads(about.stdout)
    found = [n for n in (about["entry"], about["entry"] + "_") if os.path.exists(f"{folder}/c/{n}.c") and "The orchestration function" in open(f"{folder}/c/{n}.c").read()]
    if not found:
        return "refused: " + re.sub(r"[0-9]+", "N", said(done).split("is not written as C: ")[-1]), None
    reference = emitted.reference(options, path, package, folder)
    program(folder, found[0], about)
    done = compiled(options, path, folder, found[0])
    if done.returncode:
        return "not compiled", said(done)
    done = subprocess.run([f"{folder}/main"], capture_output=True, text=True, timeout=300)
    if done.returncode == 0 and engines.ENDED_BY_A_RESOURCE.search(said(reference)):  # which the task API has not
        return "goes on", None
    if reference.returncode or done.returncode:
        return "fails", None if reference.returncode and done.returncode else f"exit {done.returncode} instead of {reference.returncode}: {said(done)} instead of {said(reference)}"
    return "same", None


def check(job):
    options, seed, folder = job
    package, folder = programs.generate(seed, options.families), seeds.own(folder)
    if seeds.pack(options.build, package, folder).returncode or compare.is_promise(package):
        return seed, [("not packed", None)]
    rows = [verdict(options, f"{folder}/p.pkg.zst", f"{folder}/c")]
    if rows[0][1]:
        seeds.keep(options, seed, package)
    return seed, rows


def main():
    options = seeds.arguments("entries as C beside cpu_sim", ("packages", {"nargs": "*"}), ("--kernels", {"choices": list(KERNELS), "default": "c"}))
    if not options.packages:
        return seeds.report("orchestrated", options, check)
    became, folder = collections.Counter(), os.path.abspath(options.keep or "/tmp/orchestrated")
    for path in options.packages:
        name = os.path.basename(path).split(".")[0]
        what, text = verdict(options, path, f"{folder}/{name}")
        became["differs" if text else what] += 1
        print(f"{name}\t{text or what}", flush=True)
    return became["differs"] > 0


if __name__ == "__main__":
    sys.exit(main())
