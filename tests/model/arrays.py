# SPDX-License-Identifier: MIT
"""arrays.py - random programs on cpu_sim and on the arrays of aie: what comes out is the same.

    python3 tests/model/arrays.py [--build DIR] [--first SEED] [--count N] [--families F,F...] [--keep DIR] [--jobs N]

Same: exit code and tensors, on both arrays, with a number of cores, depth of fifos, buffering and placement that the seed draws, for the family many
a grid and layouts, too. What the array refuses (exit 5) is no
difference, nor is a program that cpu_sim ends for lack of entries or bytes, which the array only records, or because a window is full, which it is at other times there: in mode abort
that an open scope holds all of it is a full one, too. The
families narrow and csp are those of windows, batches, streams, depths and capacities, which the array obeys. One seed with the same families is one program.
"""
import os
import random
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import compare  # noqa: E402
import engines  # noqa: E402
import programs  # noqa: E402
import seeds  # noqa: E402


RECORDED = re.compile(r"its mode is abort|(tensor_map|dep_list|ready_queue|ready_\w+|heap)|needs \d+ (entries|bytes)")


def way(seed, device):
    """Options of a run."""
    draw = random.Random(seed * 2 + (device == "npu2"))
    return ["--plugin=aie", f"--device={device}", f"--opt=cores={draw.choice((0, 0, 1, 2, 3, 7))}", f"--opt=depth={draw.choice((1, 2, 2, 3))}",
            f"--opt=buffering={draw.choice((0, 8))}", f"--opt=seed={draw.randint(1, 9)}"]


def places(options, seed, device, package):
    """A grid and who holds which parts of some tensors, for programs of the family many: they change no result. Layouts that fit: a dimension has one axis in all of them."""
    draw = random.Random(seed * 2 + (device == "npu2") + 0.5)
    if "many" not in options.families or draw.random() < 0.3:
        return []
    rows, columns = draw.choice(((1, 2), (2, 1), (2, 2), (4, 2), (3, 3), (4, 4)))
    names = [row["name"] for row in package["TENS"] if re.fullmatch("t[0-9]", row["name"])]
    held = draw.sample(names, draw.randint(1, min(3, len(names))))
    words = draw.choice((("S0", "R,S1", "S0,S1"), ("S1", "R,S0", "S1,S0")))
    return [f"--schedule=spatial_map={rows},{columns}"] + [f"--schedule=layout={name},{draw.choice(words)}" for name in held]


def difference(options, seed, folder, package, reference, device):
    """(what became of it, None or the difference as text)."""
    flags = way(seed, device) + places(options, seed, device, package)
    code, said = engines.run(options, flags, "own", folder, package, {})
    recorded = RECORDED.search(reference[1]) or (reference[0] == 7 and "open scope" in reference[1] and "its mode is abort" in said)
    return engines.verdict((code, said), reference, recorded, package, folder, f" [{' '.join(flags)}]")


def check(job):
    """(seed, [(what became of it, difference or None) per array])."""
    options, seed, folder = job
    package, folder = programs.generate(seed, options.families), seeds.own(folder)
    if seeds.pack(options.build, package, folder).returncode or compare.is_promise(package):
        return seed, [("not packed", None)]
    reference = engines.run(options, ["--plugin=cpu_sim"], "cpu", folder, package, {})
    rows = [difference(options, seed, folder, package, reference, device) for device in ("npu1", "npu2")]
    if any(text for _, text in rows):
        seeds.keep(options, seed, package)
    return seed, rows


def main():
    options = seeds.arguments("random programs on cpu_sim and on the arrays of aie")
    return seeds.report("arrays", options, check)


if __name__ == "__main__":
    sys.exit(main())
