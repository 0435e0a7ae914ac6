# SPDX-License-Identifier: MIT
"""seeds.py - what the checks on random programs share: their arguments, a program packed or kept, jobs for seeds and what is said of them.

A job is (options, seed, folder); one seed with the same families is one program. options: build, first, count, families (a sorted tuple), keep, jobs, and what the
check adds.
"""
import argparse
import collections
import json
import multiprocessing
import os
import subprocess
import tempfile

import programs

AGREED = "after,auto,axes,bounds,csp,deep,filter,heap,interleaved,levels,parts,payload,policies,scalars,small,start,sync,temp,units,while"  # families of which no program is known to differ: the default


def arguments(description, *more):
    """more: (flag, keyword arguments of add_argument) of this check alone."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--build", default="build")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--families", default=AGREED, help=f"comma-separated, all or none: {', '.join(programs.FAMILIES)}")
    parser.add_argument("--keep", help="folder for the packages that differ")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    for flag, fields in more:
        parser.add_argument(flag, **fields)
    options = parser.parse_args()
    named = {"all": list(programs.FAMILIES), "none": [], "": []}.get(options.families, options.families.split(","))
    if set(named) - set(programs.FAMILIES):
        parser.error(f"unknown family; known: {', '.join(programs.FAMILIES)}")
    options.families, options.build = tuple(sorted(named)), os.path.abspath(options.build)
    return options


def own(folder):
    """The folder of this process below one for all."""
    folder = os.path.join(folder, str(os.getpid()))
    os.makedirs(folder, exist_ok=True)
    return folder


def pack(build, package, folder):
    """Writes p.json and p.pkg.zst there; the packer, which has ended."""
    source = os.path.join(folder, "p.json")
    with open(source, "w") as f:
        json.dump(package, f)
    command = [f"{build}/bin/ptowsp-pack", "--from-json", source, "-o", os.path.join(folder, "p.pkg.zst")]
    return subprocess.run(command, capture_output=True, text=True)


def keep(options, seed, package):
    """Where --keep says, a program that differs."""
    if not options.keep:
        return
    os.makedirs(options.keep, exist_ok=True)
    with open(os.path.join(options.keep, f"seed_{seed}.json"), "w") as f:
        json.dump(package, f, indent=1)


def results(options, check, at_once=4):
    """What check(job) returns for each seed, in their order."""
    with tempfile.TemporaryDirectory() as folder, multiprocessing.Pool(options.jobs) as pool:
        yield from pool.imap(check, [(options, seed, folder) for seed in range(options.first, options.first + options.count)], at_once)


def named(options):
    return ",".join(options.families) or "none"


def differs(name, options, seed, text):
    print(f"not ok {name}_seed_{seed} - {text} (--families {named(options)})", flush=True)


def agree(name, options):
    print(f"ok {name}_on_seeds_{options.first}_to_{options.first + options.count - 1}")


def report(name, options, check):
    """Says what check(job), (seed, [(what became of it, difference or None)]), found for all seeds; whether one differs."""
    failed, became = 0, collections.Counter()
    for seed, rows in results(options, check):
        for what, text in rows:
            became[what] += 1
            if text:
                failed += 1
                differs(name, options, seed, text)
    print(f"# {dict(sorted(became.items()))}; families: {named(options)}")
    if not failed:
        agree(f"{name}_agree", options)
    return failed > 0
