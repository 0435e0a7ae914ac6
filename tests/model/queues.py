# SPDX-License-Identifier: MIT
"""queues.py - random programs on cpu_sim and on the plugin starpu: what comes out is the same.

    python3 tests/model/queues.py [--build DIR] [--first SEED] [--count N] [--families F,F...] [--keep DIR] [--jobs N]

Same: exit code and tensors, with a scheduling policy and a number of workers that the seed draws. What the plugin refuses (exit 5) is no difference, nor is a program that cpu_sim ends for lack of
entries or bytes, or because a window in mode abort is full, which the plugin only records. Temp tensors lie in one place on the plugin, so its tasks wait for each other as on cpu_sim those of the
program in which they are no temp tensors: that program is the reference, because where processes take turns at a channel results depend on who waits. One seed with the same families is one program.
"""
import os
import random
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


def check(job):
    """(seed, [(what became of it, difference or None)])."""
    options, seed, folder = job
    package, folder = programs.generate(seed, options.families), seeds.own(folder)
    if compare.is_promise(package) or seeds.pack(options.build, in_one_place(package), folder).returncode:
        return seed, [("not packed", None)]
    draw = random.Random(seed)
    flags = ["--plugin=starpu", f"--opt=sched={draw.choice(('lws', 'eager', 'prio', 'dmdas', 'random'))}", f"--threads={draw.choice((1, 2, 2, 3))}"]
    reference = engines.run(options, ["--plugin=cpu_sim"], "cpu", folder, package, {})
    if seeds.pack(options.build, package, folder).returncode:
        return seed, [("not packed", None)]
    result = engines.run(options, flags, "own", folder, package, {})
    row = engines.verdict(result, reference, arrays.RECORDED.search(reference[1]), package, folder, f" [{' '.join(flags)}]")
    if row[1]:
        seeds.keep(options, seed, package)
    return seed, [row]


def main():
    return seeds.report("queues", seeds.arguments("random programs on cpu_sim and on the plugin starpu"), check)


if __name__ == "__main__":
    sys.exit(main())
