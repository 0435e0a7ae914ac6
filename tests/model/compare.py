# SPDX-License-Identifier: MIT
"""compare.py - runs random programs, and the vectors, on the tools and on the model, and says where they differ.

    python3 tests/model/compare.py [--first SEED] [--count N] [--families F,F...|all] [--threads T,T...] [--keep DIR] [--vectors]

One seed with the same families is one program: --first SEED --count 1 repeats it. Families: programs.py. A family that the tools call
unsupported is counted as that and is no agreement.
"""
import collections
import glob
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import instances  # noqa: E402
import model  # noqa: E402
import programs  # noqa: E402
import races  # noqa: E402
import seeds  # noqa: E402
import vectors  # noqa: E402

EXITS = {"deadlock": 7, "too_small": 5, "unsupported": 5, "ahead": 5, "abort": 1, "run": 1, "refused": 3}
UNSUPPORTED = re.compile(r"opcode \w+ is unsupported|unknown opcode \w+|[\w=(), ]* is (?:diagnosed: ignored|unsupported)[^\n]*")


def expected(package, schedulers=1):
    """(exit code, what to compare) by the model."""
    try:
        program = model.Program(package)
        machine = instances.run(program, schedulers) if schedulers > 1 else model.run(program)
    except model.Ended as ended:
        return EXITS[ended.kind], {"task": ended.task, "why": ended.why}
    rows = [(t.number, machine.program.kernel(t.kernel)["name"], t.executor, t.start, t.end) for t in machine.tasks]
    resources = {name: [high, *machine.stalls.get(name, (0, 0))] for name, high in machine.high.items()
                 if machine.capacity[name.split("_")[0] if name.startswith("ready_") else name] is not None}
    channels = {c.name: [len(c.S), len(c.C), c.high, *c.full, *c.empty, len(c.C) * c.block] for c in machine.channels}
    memory = machine.memory.left(machine.tasks) if machine.memory else {}
    return 0, {"executors": len(machine.processes) or sum(len(p.free) for p in machine.pools.values()), "tasks": rows,
               "edges": sorted((p, t.number) for t in machine.tasks for p in t.edges), "total": machine.total(),
               "num_edges": sum(len(t.edges) for t in machine.tasks), "resources": resources, "channels": channels,
               "crossing": machine.crossing() if schedulers > 1 else (0, 0), "memory": memory, "race": races.first(machine),
               "streams": [t.stream or 0 for t in machine.tasks], "batches": (machine.batches, machine.flushes)}


def read(path):
    with open(path) as f:
        return json.load(f)


def bindings(package, folder):
    """Options that fill what a package's kernels compute on and give it back; (name, path) of each."""
    rows = [row["name"] for row in package["TENS"] if row.get("role") != "temp"] if any(p.get("kind") == "scalar" for p in package.get("KPRM", [])) else []
    places = [(name, os.path.join(folder, f"{name}.npy")) for name in rows]
    return [word for name, path in places for word in ("--fill", f"{name}=iota", "--out", f"{name}={path}")], places


def elements(path):
    """Of a NumPy file of version 1 with 64-bit integers, or f32."""
    with open(path, "rb") as f:
        data = f.read()
    start = 10 + struct.unpack("<H", data[8:10])[0]
    size, letter = (4, "f") if b"<f4" in data[:start] else (8, "q")
    return list(struct.unpack(f"<{(len(data) - start) // size}{letter}", data[start:]))


def observed(build, folder, package, options, places=()):
    """The same by the tools; the exit code is None where the package is refused when packing. places: (name, path) of tensors that the options ask for."""
    done = seeds.pack(build, package, folder)
    if done.returncode:
        return (3 if done.returncode == 3 else None), {"text": done.stderr.strip()}
    return ran(build, folder, options, places)


def ran(build, folder, options, places=()):
    """The same of the package p.pkg.zst there."""
    packed, trace, graph = (os.path.join(folder, name) for name in ("p.pkg.zst", "trace.json", "graph.json"))
    command = [f"{build}/bin/ptowsp-run", "--plugin=cpu_sim", "--stats=json", f"--trace={trace}", f"--graph={graph}", "--timeout-ms=60000"]
    done = subprocess.run(command + options + [packed], capture_output=True, text=True)
    if done.returncode:
        return done.returncode, {"text": done.stderr.strip()}
    stats, events = json.loads(done.stdout), read(trace)
    events = events if isinstance(events, list) else events["traceEvents"]
    rows = sorted((e["args"]["task"], e["name"], e["tid"], e["ts"], e["ts"] + e["dur"]) for e in events
                  if e["ph"] == "X" and "task" in e.get("args", {}))
    resources = {r["name"]: [r["high_water"], r["stall_count"], r["stall_cycles"]] for r in stats["resources"]}
    keys = ("sends", "consumes", "high_water", "full_count", "full_cycles", "empty_count", "empty_cycles", "payload_bytes")
    streams = [e["args"]["stream"] for e in sorted((e for e in events if e["ph"] == "X" and "task" in e.get("args", {})), key=lambda e: e["args"]["task"])]
    return 0, {"memory": {name: elements(path) for name, path in places}, "streams": streams, "batches": (stats["batches"], stats["flushes"]),
               "executors": stats["num_executors"], "tasks": rows, "crossing": (stats["cross_edges"], stats["notifications"]), "edges": sorted(tuple(e) for e in read(graph)["edges"]),
               "total": stats["total_cycles"], "num_edges": stats["num_edges"], "resources": resources, "text": done.stderr,
               "channels": {c["name"]: [c.get(k) for k in keys] for c in stats["channels"]}}


def untold(build, folder, options, got):
    """Nobody asks for tasks and edges, and the tensor map is the other one, or that of a run before: None, or what then differs. Tasks may go shorter ways inside."""
    return otherwise(build, folder, options + ["--opt", "tensor_map=fixed"], got) or otherwise(build, folder, options + ["--runs=2"], got)


def otherwise(build, folder, options, got):
    command = [f"{build}/bin/ptowsp-run", "--plugin=cpu_sim", "--stats=json", "--timeout-ms=60000"]
    done = subprocess.run(command + options + [os.path.join(folder, "p.pkg.zst")], capture_output=True, text=True)
    if done.returncode:
        return f"exit {done.returncode} without --trace and --graph, {' '.join(options[-2:])}: {done.stderr.strip()}"
    stats = json.loads(done.stdout)
    mine = {"executors": stats["num_executors"], "total": stats["total_cycles"], "num_edges": stats["num_edges"],
            "resources": {r["name"]: [r["high_water"], r["stall_count"], r["stall_cycles"]] for r in stats["resources"]}}
    return next((f"{key} without --trace and --graph, {' '.join(options[-2:])}: {mine[key]}, with: {got[key]}" for key in mine if mine[key] != got[key]), None)


def difference(want, got, schedulers=1, skip=()):
    """skip: what is not compared. None, or the first difference as text. The packer knows of one instance: behind what it proves, another resource may lack earlier with several."""
    model_says = f"model: {want[1].get('why', 'runs')} at task {want[1].get('task')}"
    if got[0] == 3 and re.search(r"after\(\d+\) cannot name an earlier task", got[1]["text"]):
        return None  # a constant that no task can name, seen at load even if it is never reached
    lacks = re.search(r"needs \d+ of (\w+), and the schedule states", got[1]["text"]) if got[0] == 3 else None
    if lacks and (want[0] == 5 and want[1]["why"] in (lacks[1], (lacks[1],)) or want[0] in (1, 7) or (want[0] == 5 and schedulers > 1)):
        return None  # proved when packing; or the run ends before, for another reason
    if want[0] != got[0]:
        return f"exit {got[0]} instead of {want[0]}: {got[1]['text']} ({model_says})"
    if want[0] in (5, 7) and want[1]["task"] is not None and "fills" not in got[1]["text"] and not re.search(rf"\btask {want[1]['task']}\b", got[1]["text"]) and "process" not in got[1]["text"]:
        return f"{model_says}, tool: {got[1]['text']}"
    if want[0]:
        return None
    for key in ("executors", "tasks", "edges", "total", "num_edges", "crossing", "streams", "batches", "memory"):
        if key in skip:
            continue
        mine, theirs = want[1][key], got[1][key]
        if mine != theirs and key == "memory":
            name, place = next((name, i) for name in mine for i, (a, b) in enumerate(zip(mine[name], theirs[name])) if a != b)
            return f"{name}[{place}]: model {mine[name][place]}, tool {theirs[name][place]}"
        if mine != theirs and isinstance(mine, list):
            return f"{key}: model, tool: " + str(next(p for p in zip(mine + [None], theirs + [None]) if p[0] != p[1]))
        if mine != theirs:
            return f"{key}: model {mine}, tool {theirs}"
    for kind, row_of in (("resources", "[high water, stalls, cycles]"), ("channels", "[sends, consumes, high water, full, cycles, empty, cycles, bytes]")):
        for name, row in want[1][kind].items():
            if got[1][kind].get(name) != row:
                return f"{name} {row_of}: model {row}, tool {got[1][kind].get(name)}"
    return None


def cure(build, folder, text, flags=()):
    """With the setting that a deadlock report proposes the blocked one proceeds: None, or why not. The program then ends or blocks at something else, and no
    setting is proposed twice. The first rounds are looked at."""
    stated = {}
    for _ in range(3):
        options = re.findall(r"--schedule (\w+=(?:\w+,)?)(\d+)", text)
        task = re.search(r"deadlock: (?:the alloc before )?task \d+ ", text)
        if task and options and not flags:  # of a workload: one less does not help
            less = [word for key, value in {**stated, options[0][0]: int(options[0][1]) - 1}.items() for word in ("--schedule", f"{key}{value}")]
            done = subprocess.run([f"{build}/bin/ptowsp-run", "--no-kernels", *less, os.path.join(folder, "p.pkg.zst")], capture_output=True, text=True)
            if done.returncode not in (5, 7) or task[0].strip().split()[-1] not in re.findall(r"\btask (\d+)", done.stderr):
                return f"one less than the proposed {options[0]} does too: exit {done.returncode} {done.stderr.strip()}"
        if any(int(value) <= int(stated.get(key, -1)) for key, value in options):
            return f"the proposed {options} do not help: {text.strip()}"
        stated.update(options)
        command = [f"{build}/bin/ptowsp-run", "--no-kernels", "--max-tasks=100000", *flags, os.path.join(folder, "p.pkg.zst")]
        command += [word for key, value in stated.items() for word in ("--schedule", key + value)]
        done = subprocess.run(command, capture_output=True, text=True) if options else None
        if done is None or done.returncode != 7:
            return None
        text = done.stderr
    return None


def is_promise(package):
    """Its tasks may race, and the thread sanitizer would say so."""
    rules = {(row["directive"], row.get("policy")) for row in package.get("SCHD", [])}
    return bool(rules & {("hazards", "raw"), ("deps", "tensor_map_exact"), ("deps", "explicit"), ("deps", "hybrid")})


def is_built(package):
    return any(row.get("policy") == "after_orchestration" for row in package.get("SCHD", []))


def strict(build, folder, package, flags, race):
    """A strict run of a schedule that is a promise ends at the first task that races: None, or what it does instead."""
    words = {op for op, *_ in package["WORK"]["instructions"]}
    if package.get("PROC") or is_built(package) or words & {"wait", "barrier", "fence", "copy", "alloc"} or any(row.get("role") == "temp" for row in package["TENS"]):
        return None  # races.py knows edges, ordered constructs and streams
    done = subprocess.run([f"{build}/bin/ptowsp-run", "--strict", "--stats=json", *flags, os.path.join(folder, "p.pkg.zst")], capture_output=True, text=True)
    named = re.search(r"race: task \d+ \(\S+\) and task (\d+) ", done.stderr)
    found = int(named[1]) if done.returncode == 5 and named else None
    if done.returncode != (0 if race is None else 5) or found != race:
        return f"strict: exit {done.returncode}, race at {found}, by the model at {race}: {done.stderr.strip()}"
    return None


def check(job):
    """(seed, exit code by the model, difference or None, what is unsupported or None)."""
    options, seed, folder = job
    package = programs.generate(seed, options.families)
    threads, promise = options.threads.split(","), is_promise(package)
    bound, places = bindings(package, folder := seeds.own(folder))
    loads = any(op == "slot_load" for op, *_ in package["WORK"]["instructions"])  # of what kernels leave behind
    kernels = (places and (loads or seed % 2)) or (seed % 4 == 0 and not ("tsan" in options.build and promise))
    flags = [f"--threads={1 if places and promise else threads[seed % len(threads)]}"] + ([] if kernels else ["--no-kernels"])
    schedulers = 2 + seed % 4 if "instances" in options.families else 1
    flags += [f"--opt=schedulers={schedulers}"] * (schedulers > 1)
    skip = set() if kernels and places and not (promise and is_built(package)) else {"memory"}
    skip |= {"batches"} if package.get("PROC") or schedulers > 1 or package.get("EVNT") else set()
    flags, places = (flags + bound, places) if kernels else (flags, [])
    try:
        want = expected(package, schedulers)
    except (KeyError, IndexError, TypeError, ValueError, RecursionError) as e:
        return seed, -1, f"the model fails: {e!r}", None
    got = observed(options.build, folder, package, flags, places)
    lacks = UNSUPPORTED.search(got[1]["text"])
    text = difference(want, got, schedulers, skip)
    if not want[0] and not got[0] and not text and promise and schedulers == 1:
        text = strict(options.build, folder, package, flags, want[1]["race"])
    if seed % 2 and not got[0] and not text:
        text = untold(options.build, folder, flags, got[1])
    if lacks and text:
        return seed, want[0], None, re.sub(r"\d+", "N", lacks[0]).replace("ptowsp-run: ", "").strip()
    if want[0] == got[0] == 7 and not text and not (places and loads):  # looked at without kernels
        text = cure(options.build, folder, got[1]["text"], [f for f in flags if f.startswith("--opt")])
    if text:
        seeds.keep(options, seed, package)
    return seed, want[0], text, None


def check_vectors(build, folder):
    failed = vectors.main()
    for name, make in vectors.VECTORS.items():
        package = make()[0].package(name)
        got = observed(build, folder, package, ["--threads=1", "--no-kernels"])
        text = difference(expected(package), got)
        if make()[1].get("text", "") not in got[1]["text"]:
            text = f"the report does not propose {make()[1]['text']}: {got[1]['text']}"
        failed += bool(text)
        print(f"not ok tools_vector_{name} - {text}" if text else f"ok tools_vector_{name}")
    for path in sorted(glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), "found", "*.json"))):
        package, name = read(path), os.path.basename(path)[:-len(".json")]
        want, got = expected(package), observed(build, folder, package, ["--threads=1", "--no-kernels"])
        text = difference(want, got) or (cure(build, folder, got[1]["text"]) if want[0] == 7 else None)
        failed += bool(text)
        print(f"not ok tools_found_{name} - {text}" if text else f"ok tools_found_{name}")
    return failed


def arguments():
    return seeds.arguments("random programs on the tools and on the model", ("--threads", {"default": "1,2"}),
                           ("--vectors", {"action": "store_true", "help": "the vectors of the specification instead of random programs"}))


def main():
    options, failed, exits, lacking = arguments(), 0, collections.Counter(), collections.Counter()
    if options.vectors:
        with tempfile.TemporaryDirectory() as folder:
            return check_vectors(options.build, folder) > 0
    for seed, code, text, lacks in seeds.results(options, check, 16):
        exits[code] += 1
        lacking[lacks] += 1
        if text:
            failed += 1
            seeds.differs("model", options, seed, text)
    del lacking[None]
    print(f"# exit codes by the model: {dict(sorted(exits.items()))}; families: {seeds.named(options)}")
    for text, count in lacking.most_common():
        print(f"not ok model_unsupported - {count} of {options.count} programs not compared: {text}")
    if not failed and not lacking:
        seeds.agree("model_agrees", options)
    return failed + len(lacking) > 0


if __name__ == "__main__":
    sys.exit(main())
