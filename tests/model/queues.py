# SPDX-License-Identifier: MIT
"""queues.py - random programs on cpu_sim and on the plugin starpu: what comes out is the same.

    python3 tests/model/queues.py [--build DIR] [--first SEED] [--count N] [--families F,F...] [--keep DIR] [--jobs N] [--ranks N]

Same: exit code and tensors, with a scheduling policy and a number of workers that the seed draws. What the plugin refuses (exit 5) is no difference, nor is a program that cpu_sim ends for lack of
entries or bytes, or because a window in mode abort or benchmark is full, which the plugin only records; or one whose processes race for what a slot is loaded from. Temp tensors lie in one place on the plugin, so its tasks wait for each other as on cpu_sim those of the
program in which they are no temp tensors: that program is the reference, because where processes take turns at a channel results depend on who waits; of several ranks it is also without the bounds that they only record. --ranks: so many processes run it, once as they do, passing over what is not theirs, and once with each
walking the whole (--opt whole=1): what each of them did, sent and received is the same, too. One seed with the same families is one program.
"""
import json
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import arrays  # noqa: E402
import compare  # noqa: E402
import engines  # noqa: E402
import programs  # noqa: E402
import seeds  # noqa: E402


def in_one_place(package):
    """The program whose temp tensors are not renamed."""
    return {**package, "TENS": [{**row, "role": "inout"} if row.get("role") == "temp" else row for row in package["TENS"]]}


# What several ranks record and do not enforce (plugins/starpu/README.md): who of several processes comes first to a tensor that they share depends on it.
RECORDED_OF_RANKS = {"task_window", "pipeline_depth", "streams", "stream_by", "dep_list", "tensor_map", "heap", "ready_queue"}


def of_ranks(package):
    """The program without what ranks record."""
    return {**package, "SCHD": [row for row in package.get("SCHD", []) if row["directive"] not in RECORDED_OF_RANKS]}


def is_recorded(package, reference):
    """Does cpu_sim end the program for a bound that the plugin does not have: entries or bytes, or a window in another mode than stall?"""
    modes = {row["policy"] for row in package.get("SCHD", []) if row["directive"] == "task_window"}
    return arrays.RECORDED.search(reference[1]) or (reference[0] == 7 and "task_ring" in reference[1] and modes & {"abort", "benchmark"})


def is_raced(package):
    """Does a process load slots beside others? What it finds there of what they write is a matter of time on cpu_sim, and of the order of the walk on the plugin."""
    begins = [row["instruction"] for row in package.get("PROC", [])]
    return len(begins) > 1 and any(i[0] == "slot_load" for i in package["WORK"]["instructions"][min(begins):])


def figures(options, tag, flags, folder, package):
    """(exit code, last line of stderr, {(rank, name): figure}) of a run of several ranks."""
    said = os.path.join(folder, f"{tag}.json")
    with open(said, "w") as out:
        launcher = ["mpirun", "--bind-to", "none", "--oversubscribe", "-n", str(options.ranks)]
        code, line = engines.run(options, ["--threads=1", "--stats=json", *flags], "own", folder, package, {}, launcher, out)
    rows = json.load(open(said)).get("figures", []) if not code else []
    return code, line, {(row["group"], row["name"]): row["value"] for row in rows if row["name"] not in ("tasks looked at", "walk", "workers idle")}


def ranks_check(options, folder, package, reference):
    """As check says of one seed, of several ranks."""
    whole = figures(options, "whole", ["--plugin=starpu", "--opt=whole=1"], folder, package)
    parts = figures(options, "parts", ["--plugin=starpu"], folder, package)
    if whole[0] != parts[0] or whole[2] != parts[2]:
        return "other", f"ranks that walk the whole differ: {whole} and {parts}"
    return engines.verdict(parts[:2], reference, is_recorded(package, reference), package, folder, f" [{options.ranks} ranks]")


def check(job):
    """(seed, [(what became of it, difference or None)])."""
    options, seed, folder = job
    package, folder = programs.generate(seed, options.families), seeds.own(folder)
    other = in_one_place(of_ranks(package) if options.ranks > 1 else package)
    if compare.is_promise(package) or seeds.pack(options.build, other, folder).returncode:
        return seed, [("not packed", None)]
    draw = random.Random(seed)
    flags = ["--plugin=starpu", f"--opt=sched={draw.choice(('lws', 'eager', 'prio', 'dmdas', 'random'))}", f"--threads={draw.choice((1, 2, 2, 3))}"]
    reference = engines.run(options, ["--plugin=cpu_sim"], "cpu", folder, package, {})
    if seeds.pack(options.build, package, folder).returncode:
        return seed, [("not packed", None)]
    if options.ranks > 1:
        row = ranks_check(options, folder, package, reference)
    else:
        result = engines.run(options, flags, "own", folder, package, {})
        row = engines.verdict(result, reference, is_recorded(package, reference), package, folder, f" [{' '.join(flags)}]")
    if row[1] and is_raced(package):
        row = ("raced", None)
    if row[1]:
        seeds.keep(options, seed, package)
    return seed, [row]


def main():
    return seeds.report("queues", seeds.arguments("random programs on cpu_sim and on the plugin starpu", ("--ranks", {"type": int, "default": 1})), check)


if __name__ == "__main__":
    sys.exit(main())
