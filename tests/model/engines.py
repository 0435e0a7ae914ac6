# SPDX-License-Identifier: MIT
"""engines.py - random programs on cpu_sim and on the pto-runtime engine of a2a3sim with the fake runtime of tests/fakes: what comes out is the same.

    python3 tests/model/engines.py [--build DIR] [--runtime DIR] [--first SEED] [--count N] [--families F,F...] [--keep DIR] [--jobs N]

--runtime: a real pto-runtime that was built in place, instead of the fake one.
Same: exit code and tensors, with both variants, whichever ready task the fake picks; and the fake minds nothing. What the engine refuses (exit 5) is no difference, nor is a
program that a bounded resource ends on cpu_sim and which the engine, which only records that resource, takes further; nor one that the window ends here because start=after_orchestration,
which sets the window aside on cpu_sim, is only recorded. One seed with the same families is one program.
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import clocks  # noqa: E402
import compare  # noqa: E402
import programs  # noqa: E402
import seeds  # noqa: E402

VARIANTS = ("tensormap_and_ringbuffer", "host_build_graph")
ENDED_BY_A_RESOURCE = re.compile(r"its mode is abort|deadlock|needs \d+ (entries|places|bytes)")


def run(options, flags, tag, folder, package, environment, launcher=(), out=subprocess.PIPE):
    """(exit code, the last line of stderr). out: where stdout goes."""
    command = [*launcher, f"{options.build}/bin/ptowsp-run", "--timeout-ms=60000", "--quiet", *flags]
    for name in clocks.outputs(package):
        path = os.path.join(folder, f"{tag}.{name}.npy")
        if os.path.exists(path):
            os.unlink(path)
        command += ["--fill", f"{name}=iota", "--out", f"{name}={path}"]
    done = subprocess.run(command + [os.path.join(folder, "p.pkg.zst")], stdout=out, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment})
    if tag == "cpu" and done.returncode not in range(11):  # else a tool that cannot start agrees with itself
        raise RuntimeError(f"the reference does not run, exit {done.returncode}: {done.stderr.strip()}")
    return done.returncode, done.stderr.strip().split("\n")[-1]


def verdict(result, reference, recorded, package, folder, how=""):
    """(what became of it, None or the difference as text) of a run; recorded: may it end as another exit than the reference?"""
    code, said = result
    if code == 5:
        return "refused", None
    if code != reference[0]:
        return "recorded", None if recorded else f"exit {code} instead of {reference[0]}: {said or '-'} instead of {reference[1] or '-'}{how}"
    name = None if code else clocks.differing(package, folder)
    return ("other", f"tensor {name} differs{how}") if name else (f"exit {code}", None)


def difference(options, seed, folder, package, reference, variant):
    """(what became of it, None or the difference as text)."""
    log = os.path.join(folder, "log")
    open(log, "w").close()
    code, said = run(options, ["--plugin=a2a3sim", "--opt=engine=pto-runtime", f"--opt=variant={variant}", f"--opt=runtime={options.runtime}",
                               f"--opt=cache={options.build}/test/ascend_cache"], "own", folder, package, {"FAKE_SEED": str(seed), "FAKE_LOG": log})
    with open(log) as f:
        wrong = [line for line in f if "WRONG" in line]
    if wrong:
        return "wrong", wrong[0].strip()
    # Where this is recorded, the window is not, and tasks may decide on tasks.
    built = code in (0, 7) and any(row.get("policy") == "after_orchestration" for row in package.get("SCHD", []))
    return verdict((code, said), reference, ENDED_BY_A_RESOURCE.search(reference[1]) or built, package, folder)


def check(job):
    """(seed, [(what became of it, difference or None) per variant])."""
    options, seed, folder = job
    package, folder = programs.generate(seed, options.families), seeds.own(folder)
    if seeds.pack(options.build, package, folder).returncode or compare.is_promise(package):
        return seed, [("not packed", None)]
    reference = run(options, ["--plugin=cpu_sim"], "cpu", folder, package, {})
    rows = [(what, f"{text} [{variant}]" if text else None) for variant in VARIANTS
            for what, text in (difference(options, seed, folder, package, reference, variant),)]
    if any(text for _, text in rows):
        seeds.keep(options, seed, package)
    return seed, rows


def main():
    options = seeds.arguments("random programs on cpu_sim and on the pto-runtime engine",
                                              ("--runtime", {"help": "folder of a pto-runtime (default: the fake one)"}))
    options.runtime = os.path.abspath(options.runtime or f"{options.build}/fakes/simpler")
    return seeds.report("engines", options, check)


if __name__ == "__main__":
    sys.exit(main())
