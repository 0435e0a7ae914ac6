# SPDX-License-Identifier: MIT
"""engines.py - random programs on cpu_sim and on the pto-runtime engine of a2a3sim with the fake runtime of tests/fakes: what comes out is the same.

    python3 tests/model/engines.py [--build DIR] [--first SEED] [--count N] [--families F,F...] [--keep DIR] [--jobs N]

Same: exit code and tensors, with both variants, whichever ready task the fake picks; and the fake minds nothing. What the engine refuses (exit 5) is no difference, nor is a
program that a bounded resource ends on cpu_sim and which the engine, which only records that resource, takes further; nor one that the window ends here because start=after_orchestration,
which sets the window aside on cpu_sim, is only recorded. One seed with the same families is one program.
"""
import argparse
import collections
import filecmp
import json
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import clocks  # noqa: E402
import compare  # noqa: E402
import programs  # noqa: E402

VARIANTS = ("tensormap_and_ringbuffer", "host_build_graph")
ENDED_BY_A_RESOURCE = re.compile(r"its mode is abort|deadlock|needs \d+ (entries|places|bytes)")


def run(options, flags, tag, folder, package, environment):
    """(exit code, the last line of stderr)."""
    command = [f"{options.build}/bin/ptowsp-run", "--timeout-ms=60000", "--quiet", *flags]
    for name in clocks.outputs(package):
        path = os.path.join(folder, f"{tag}.{name}.npy")
        if os.path.exists(path):
            os.unlink(path)
        command += ["--fill", f"{name}=iota", "--out", f"{name}={path}"]
    done = subprocess.run(command + [os.path.join(folder, "p.pkg.zst")], capture_output=True, text=True, env={**os.environ, **environment})
    return done.returncode, done.stderr.strip().split("\n")[-1]


def difference(options, seed, folder, package, reference, variant):
    """(what became of it, None or the difference as text)."""
    log = os.path.join(folder, "log")
    open(log, "w").close()
    code, said = run(options, ["--plugin=a2a3sim", "--opt=engine=pto-runtime", f"--opt=variant={variant}", f"--opt=runtime={options.build}/fakes/simpler",
                               f"--opt=cache={options.build}/test/ascend_cache"], "own", folder, package, {"FAKE_SEED": str(seed), "FAKE_LOG": log})
    with open(log) as f:
        wrong = [line for line in f if "WRONG" in line]
    if wrong:
        return "wrong", wrong[0].strip()
    if code == 5:
        return "refused", None
    if code != reference[0]:
        built = code == 7 and any(row.get("policy") == "after_orchestration" for row in package["SCHD"])  # where this is recorded, the window is not
        recorded = ENDED_BY_A_RESOURCE.search(reference[1]) or built
        return "recorded", None if recorded else f"exit {code} instead of {reference[0]}: {said or '-'} instead of {reference[1] or '-'}"
    for name in clocks.outputs(package) if not code else ():
        if not filecmp.cmp(os.path.join(folder, f"cpu.{name}.npy"), os.path.join(folder, f"own.{name}.npy"), shallow=False):
            return "other", f"tensor {name} differs"
    return f"exit {code}", None


def check(job):
    """(seed, [(what became of it, difference or None) per variant])."""
    options, seed, folder = job
    package = programs.generate(seed, options.families)
    folder = os.path.join(folder, str(os.getpid()))
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "p.json"), "w") as f:
        json.dump(package, f)
    packed = subprocess.run([f"{options.build}/bin/ptowsp-pack", "--from-json", f.name, "-o", os.path.join(folder, "p.pkg.zst")], capture_output=True)
    if packed.returncode or compare.is_promise(package):
        return seed, [("not packed", None)]
    reference = run(options, ["--plugin=cpu_sim"], "cpu", folder, package, {})
    rows = [(what, f"{text} [{variant}]" if text else None) for variant in VARIANTS
            for what, text in (difference(options, seed, folder, package, reference, variant),)]
    if options.keep and any(text for _, text in rows):
        os.makedirs(options.keep, exist_ok=True)
        with open(os.path.join(options.keep, f"seed_{seed}.json"), "w") as f:
            json.dump(package, f, indent=1)
    return seed, rows


def main():
    parser = argparse.ArgumentParser(description="random programs on cpu_sim and on the pto-runtime engine")
    parser.add_argument("--build", default="build")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--families", default=compare.AGREED)
    parser.add_argument("--keep", help="folder for the packages that differ")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    options.families = tuple(sorted(options.families.split(",")))
    options.build = os.path.abspath(options.build)
    failed, became = 0, collections.Counter()
    with tempfile.TemporaryDirectory() as folder, multiprocessing.Pool(options.jobs) as pool:
        for seed, rows in pool.imap(check, [(options, seed, folder) for seed in range(options.first, options.first + options.count)], 4):
            for what, text in rows:
                became[what] += 1
                if text:
                    failed += 1
                    print(f"not ok engines_seed_{seed} - {text} (--families {','.join(options.families)})", flush=True)
    print(f"# {dict(sorted(became.items()))}; families: {' '.join(options.families)}")
    if not failed:
        print(f"ok engines_agree_on_seeds_{options.first}_to_{options.first + options.count - 1}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
