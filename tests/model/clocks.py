# SPDX-License-Identifier: MIT
"""clocks.py - random programs on a2a3sim with its own clock and with the reference clock: what there is and what comes out is the same.

    python3 tests/model/clocks.py [--build DIR] [--first SEED] [--count N] [--families F,F...|all] [--keep DIR] [--jobs N]

Same: exit code and, where a program ends early, what is said of it; tasks, kernels, edges, tensors, tokens. With the machine's clock no task starts before those have
ended that it follows, no core runs two at a time, and no bounded resource is ever used beyond its capacity. One seed with the same families is one program, on
1 to 6 AICPUs of an architecture: --first SEED --count 1 repeats it. Families: programs.py.
"""
import collections
import filecmp
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import compare  # noqa: E402
import programs  # noqa: E402
import seeds  # noqa: E402

DEVICES = ("910b", "910c", "950")
MODES = ("--opt model=name", "--opt model=op-sum", "", "--opt order=number", "--opt protocol=none", "--opt streams=1")
# A limit of several instances; a run that ends where time decides.
UNLIKE = re.compile(r"need one scheduler instance|its mode is abort")


def run(options, clock, folder, package, flags):
    """(exit code, stderr, stats, trace, graph); the last three are there with exit 0."""
    trace, graph = (os.path.join(folder, f"{clock}.{what}.json") for what in ("trace", "graph"))
    command = [f"{options.build}/bin/ptowsp-run", "--plugin=a2a3sim", f"--opt=clock={clock}", "--stats=json", f"--trace={trace}", f"--graph={graph}",
               "--timeout-ms=60000", *flags]
    if "--no-kernels" not in flags:
        for name in outputs(package):
            command += ["--fill", f"{name}=iota", "--out", f"{name}={os.path.join(folder, f'{clock}.{name}.npy')}"]
    done = subprocess.run(command + [os.path.join(folder, "p.pkg.zst")], capture_output=True, text=True)
    if done.returncode:
        return done.returncode, done.stderr.strip(), None, None, None
    return 0, done.stderr.strip(), json.loads(done.stdout), compare.read(trace), compare.read(graph)


def outputs(package):
    return [row["name"] for row in package["TENS"] if row.get("role") == "inout" and re.fullmatch(r"t\d", row["name"])]


def differing(package, folder, one="cpu", other="own"):
    """The first tensor that the two runs left with other bytes, or None."""
    for name in outputs(package):
        if not filecmp.cmp(*(os.path.join(folder, f"{run}.{name}.npy") for run in (one, other)), shallow=False):
            return name
    return None


def tasks_of(trace):
    events = trace if isinstance(trace, list) else trace["traceEvents"]
    return sorted((e["args"]["task"], e["name"], e["tid"], e["ts"], e["ts"] + e["dur"]) for e in events if e["ph"] == "X" and "task" in e.get("args", {}))


def kept(tasks, edges, stats):
    """None, or a rule of time that is broken."""
    start, end, busy = [t[3] for t in tasks], [t[4] for t in tasks], {}
    for producer, consumer in edges:
        if end[producer] > start[consumer]:
            return f"task {consumer} starts at {start[consumer]}, and task {producer} before it ends at {end[producer]}"
    for number, _, core, begin, over in sorted(tasks, key=lambda t: (t[3], t[4])):
        if busy.get(core, (0, 0))[0] > begin:
            return f"tasks {busy[core][1]} and {number} are on core {core} at the same time"
        busy[core] = max(busy.get(core, (0, 0)), (over, number))
    total = max(end, default=0)
    if stats["total_cycles"] < total or (not stats["channels"] and stats["total_cycles"] != total):
        return f"{stats['total_cycles']} cycles, and the last task ends at {total}"
    return None


def bounded(stats, other, mode):
    """None, or a resource that was used beyond its capacity."""
    for row in stats["resources"]:
        capacity = row.get("capacity")
        if capacity and row["high_water"] > capacity and not (mode == "benchmark" and row["name"] == "task_ring"):
            return f"{row['name']}: high-water mark {row['high_water']} of {capacity}"
        if row["stall_cycles"] and not row["stall_count"]:
            return f"{row['name']}: {row['stall_cycles']} cycles in no stall"
    if [r["name"] for r in stats["resources"]] != [r["name"] for r in other["resources"]]:
        return "other resources"
    return None


def difference(package, folder, own, reference, kernels, streams):
    """None, or the first difference as text."""
    if any(end[0] and UNLIKE.search(end[1]) for end in (own, reference)):
        return None
    if own[0] != reference[0]:
        return f"exit {own[0]} instead of {reference[0]}: {own[1] or '-'} instead of {reference[1] or '-'}"
    if own[0]:
        return None if own[1] == reference[1] else f"{own[1]}\n  instead of {reference[1]}"
    mode = next((row["policy"] for row in package.get("SCHD", []) if row["directive"] == "task_window"), "")
    tasks, others = tasks_of(own[3]), tasks_of(reference[3])
    edges = sorted(tuple(e) for e in own[4]["edges"])
    if [t[:2] for t in tasks] != [t[:2] for t in others]:
        return "other tasks"
    if edges != sorted(tuple(e) for e in reference[4]["edges"]):
        return "other edges"
    if own[2]["num_streams"] != min(reference[2]["num_streams"], streams):
        return f"num_streams: {own[2]['num_streams']} instead of {reference[2]['num_streams']}, of which the device has {streams}"
    for key in ("num_tasks", "num_edges", "deterministic"):
        if own[2].get(key) != reference[2].get(key):
            return f"{key}: {own[2].get(key)} instead of {reference[2].get(key)}"
    for mine, theirs in zip(own[2]["channels"], reference[2]["channels"]):
        for key in ("name", "sends", "consumes", "high_water", "payload_bytes"):
            if mine.get(key) != theirs.get(key):
                return f"channel {mine['name']}: {key} is {mine.get(key)} instead of {theirs.get(key)}"
    name = differing(package, folder, "own", "reference") if kernels else None
    if name:
        return f"tensor {name} differs"
    return kept(tasks, edges, own[2]) or bounded(own[2], reference[2], mode)


def check(job):
    """(seed, exit code of the reference clock, difference or None)."""
    options, seed, folder = job
    package = programs.generate(seed, options.families)
    kernels = seed % 2 == 0 and not compare.is_promise(package)
    flags = [f"--threads={1 + seed % 2}", f"--opt=device={DEVICES[seed % 3]}"] + ([] if kernels else ["--no-kernels"])
    own = [f"--opt=aicpus={1 + seed // 3 % 6}" if seed % 3 != 2 else f"--opt=aicpus={1 + seed // 3 % 14}"] + MODES[seed // 2 % len(MODES)].replace(" ", "=", 1).split()
    own += [[], ["--schedule=ready=work_steal"], ["--schedule=ready=priority"], ["--schedule=ready=fifo"]][seed // 5 % 4]
    folder = seeds.own(folder)
    if seeds.pack(options.build, package, folder).returncode:
        return seed, 3, None
    reference = run(options, "reference", folder, package, flags)
    text = difference(package, folder, run(options, "own", folder, package, flags + own), reference, kernels,
                      1 if "--opt=streams=1" in own else 2)
    if text:
        seeds.keep(options, seed, package)
    return seed, reference[0], f"{text} [{' '.join(flags + own)}]" if text else None


def main():
    options, failed, exits = seeds.arguments("random programs on a2a3sim with either clock"), 0, collections.Counter()
    for seed, code, text in seeds.results(options, check):
        exits[code] += 1
        if text:
            failed += 1
            seeds.differs("clocks", options, seed, text)
    print(f"# exit codes: {dict(sorted(exits.items()))}; families: {seeds.named(options)}")
    if not failed:
        seeds.agree("clocks_agree", options)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
