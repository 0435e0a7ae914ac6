# SPDX-License-Identifier: MIT
"""compare.py - runs random programs on the tools and on the model, and says where they differ.

    python3 tests/model/compare.py [--build DIR] [--first SEED] [--count N] [--threads T,T...] [--keep DIR]

Prints one "ok" or "not ok" line per hundred programs; a difference names the seed, and --keep saves its package.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import model  # noqa: E402
import programs  # noqa: E402

EXITS = {"deadlock": 7, "too_small": 5, "abort": 1, "run": 1}


def read(path):
    with open(path) as f:
        return json.load(f)


def expected(package):
    """(exit code, what to compare) by the model."""
    clock = model.Clock(model.Program(package))
    try:
        clock.run()
    except model.Ended as ended:
        return EXITS[ended.kind], {"ends": f"task {ended.task}"}
    program, pools = clock.program, clock.pools
    rows = [(i, program.rows("KREG")[t.kernel]["name"], clock.executor[i], clock.start[i], clock.end[i])
            for i, t in enumerate(clock.tasks)]
    resources = {}
    for r in model.RESOURCES:
        if r == "heap":
            continue
        if r == "ready" and len(pools) > 1:
            continue  # one row per pool; the model counts them together
        if clock.capacity[r] is not None:
            resources["ready_any" if r == "ready" else r] = [clock.high[r]] + clock.stalls[r]
    return 0, {"tasks": rows, "edges": sorted((p, i) for i, e in enumerate(clock.edges) for p in e), "total": clock.total(),
               "executors": sum(len(p.free) for p in pools), "resources": resources}


def observed(build, folder, package, threads, kernels):
    source, packed = os.path.join(folder, "p.json"), os.path.join(folder, "p.pkg.zst")
    trace, graph = os.path.join(folder, "trace.json"), os.path.join(folder, "graph.json")
    with open(source, "w") as f:
        json.dump(package, f)
    done = subprocess.run([f"{build}/bin/ptowsp-pack", "--from-json", source, "-o", packed], capture_output=True, text=True)
    if done.returncode:
        return None, done.stderr.strip()
    command = [f"{build}/bin/ptowsp-run", "--plugin=cpu_sim", "--stats=json", f"--trace={trace}", f"--graph={graph}",
               f"--threads={threads}", "--timeout-ms=60000"]
    done = subprocess.run(command + ([] if kernels else ["--no-kernels"]) + [packed], capture_output=True, text=True)
    if done.returncode:
        return done.returncode, {"ends": done.stderr.strip()}
    stats, events = json.loads(done.stdout), read(trace)
    events = events if isinstance(events, list) else events["traceEvents"]
    rows = sorted((e["args"]["task"], e["name"], e["tid"], e["ts"], e["ts"] + e["dur"]) for e in events if e["ph"] == "X")
    resources = {r["name"]: [r["high_water"], r["stall_count"], r["stall_cycles"]] for r in stats["resources"]}
    return 0, {"tasks": rows, "edges": sorted(tuple(e) for e in read(graph)["edges"]), "total": stats["total_cycles"],
               "executors": stats["num_executors"], "resources": resources, "num_edges": stats["num_edges"]}


def difference(want, got):
    """None, or the first difference as text."""
    if want[0] != got[0]:
        return f"exit {got[0]} instead of {want[0]}: {got[1] if got[0] is None else got[1].get('ends', '')} (model: {want[1].get('ends', 'runs')})"
    if want[0]:
        return None if want[1]["ends"].split()[1] in got[1]["ends"].replace(",", " ").split() or want[0] == 1 else (
            f"model ends at {want[1]['ends']}, tool says: {got[1]['ends']}")
    for key in ("executors", "tasks", "edges", "total"):
        if want[1][key] != got[1][key]:
            if isinstance(want[1][key], list):
                pairs = zip(want[1][key] + [None], got[1][key] + [None])
                return f"{key}: model, tool: " + str(next(p for p in pairs if p[0] != p[1]))
            return f"{key}: model {want[1][key]}, tool {got[1][key]}"
    if got[1]["num_edges"] != len(want[1]["edges"]):
        return f"num_edges {got[1]['num_edges']} instead of {len(want[1]['edges'])}"
    for name, row in want[1]["resources"].items():
        if got[1]["resources"].get(name) != row:
            return f"{name} [high water, stalls, cycles]: model {row}, tool {got[1]['resources'].get(name)}"
    return None


def main():
    parser = argparse.ArgumentParser(description="random programs on the tools and on the model")
    parser.add_argument("--build", default="build")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--keep", help="folder for the packages that differ")
    options = parser.parse_args()
    threads, failed, ends = options.threads.split(","), 0, {}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.first, options.first + options.count):
            package = programs.generate(seed)
            want = expected(package)
            ends[want[0]] = ends.get(want[0], 0) + 1
            text = difference(want, observed(options.build, folder, package, threads[seed % len(threads)], seed % 4 == 0))
            if text:
                failed += 1
                print(f"not ok model_seed_{seed} - {text}", flush=True)
                if options.keep:
                    os.makedirs(options.keep, exist_ok=True)
                    with open(os.path.join(options.keep, f"seed_{seed}.json"), "w") as f:
                        json.dump(package, f, indent=1)
    last = options.first + options.count - 1
    print(f"# exit codes by the model: {dict(sorted(ends.items()))}")
    if not failed:
        print(f"ok model_agrees_on_seeds_{options.first}_to_{last}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
