# SPDX-License-Identifier: MIT
"""edges.py - edges that the map of a pto-runtime finds (edges=runtime), beside those of cpu_sim, on packages or on random programs.

    python3 tests/model/edges.py [--build DIR] [--runtime DIR] [--first SEED] [--count N] [--families F,F...] [--keep DIR] [--jobs N] [--packages FILE,FILE...]

Explained, so no difference: an edge that cpu_sim has for a write behind a read, or behind a write, alone (hazards=raw is without it), and an edge that the others of the map imply, or that leads to a reader from a writer
whose elements a later one has overwritten in part, or behind a window that names more than is touched. Processes whose turns a time
decides number their tasks otherwise on another clock: those are not compared. What is left is an edge for elements that are read, which the map has not: that is a fault.
"""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import compare  # noqa: E402
import programs  # noqa: E402
import seeds  # noqa: E402


def graph(options, folder, path, flags):
    """(exit code, edges as a set of pairs, the last line of stderr, kernels by task)."""
    out = os.path.join(folder, "graph.json")
    command = [f"{options.build}/bin/ptowsp-run", "--timeout-ms=60000", "--quiet", f"--graph={out}", *flags, path]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return done.returncode, set(), done.stderr.strip().split("\n")[-1], []
    with open(out) as f:
        dump = json.load(f)
    return 0, set(map(tuple, dump["edges"])), "", [task["kernel"] for task in dump["tasks"]]


def implied(edges):
    """Pairs with a way between them of the edges."""
    before = {}
    for producer, consumer in sorted(edges, key=lambda edge: edge[1]):
        before.setdefault(consumer, set()).update({producer}, before.get(producer, ()))
    return {(producer, consumer) for consumer, producers in before.items() for producer in producers}


def compared(options, folder, path, name):
    """(what became of it, None or the difference as text)."""
    records = os.path.join(folder, "records")
    os.makedirs(records, exist_ok=True)
    reference = graph(options, folder, path, ["--plugin=cpu_sim", "--schedule=task_window=0"])
    raw = graph(options, folder, path, ["--plugin=cpu_sim", "--schedule=task_window=0", "--schedule=hazards=raw"])
    found = graph(options, folder, path, ["--plugin=a2a3sim", "--schedule=task_window=0", "--opt=engine=pto-runtime", f"--opt=runtime={options.runtime}", "--opt=edges=runtime",
                                          f"--opt=records={records}", f"--opt=cache={options.build}/test/ascend_cache"])
    if reference[0] or raw[0] or found[0]:
        return "ends early" if reference[0] or raw[0] else f"exit {found[0]} on the pto-runtime alone: {found[2]}", None
    if not reference[3] == raw[3] == found[3]:
        return "tasks in another order", None
    if not reference[1] and not found[1]:
        return "no edges", None
    missing, more = raw[1] - found[1], found[1] - implied(reference[1])
    if missing:
        return "missing", f"the map has no edge {sorted(missing)[0]} for what is read, and {len(missing) - 1} more"
    print(f"# {name}: cpu_sim {len(reference[1])}, the map {len(found[1])}: {len(reference[1] - found[1])} for writes behind reads or writes are not there, "
          f"{len(found[1] - reference[1])} more, of which {len(more)} order what cpu_sim does not order")
    return "same" if reference[1] == found[1] else "explained", None


def check(job):
    """(seed, [(what became of it, difference or None)])."""
    options, seed, folder = job
    package, folder = programs.generate(seed, options.families), seeds.own(folder)
    # What orders is what tasks touch, and not the barrier behind versions of a temp tensor, which the walk states.
    package["SCHD"] = [row for row in package.get("SCHD", []) if not compare.is_promise({"SCHD": [row]})]
    package["TENS"] = [{**row, "role": "inout"} if row.get("role") == "temp" else row for row in package["TENS"]]
    if seeds.pack(options.build, package, folder).returncode:
        return seed, [("not packed", None)]
    row = compared(options, folder, os.path.join(folder, "p.pkg.zst"), f"seed {seed}")
    if row[1]:
        seeds.keep(options, seed, package)
    return seed, [row]


def main():
    options = seeds.arguments("edges of the map of a pto-runtime, and of cpu_sim", ("--runtime", {"help": "folder of a pto-runtime (default: the fake one)"}),
                              ("--packages", {"help": "packages in place of random programs"}))
    options.runtime = os.path.abspath(options.runtime or f"{options.build}/fakes/simpler")
    if not options.packages:
        return seeds.report("edges", options, check)
    rows = [compared(options, seeds.own(options.keep or "."), path, os.path.basename(path)) for path in options.packages.split(",")]
    for what, text in rows:
        print(what, text or "")
    return any(text for _, text in rows)


if __name__ == "__main__":
    sys.exit(main())
