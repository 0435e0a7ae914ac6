# SPDX-License-Identifier: MIT
"""examples.py - runs every example of packages/examples/README.md on this machine and with tools of another one under an emulator: the same
line, the same statistics, and results that are the same bytes, with portable kernels and with native ones, on one thread and on two.

    python3 tests/emulated/examples.py HERE THERE TRIPLE EMULATOR [ARGUMENT...]

HERE and THERE are folders of builds. Packages come from HERE; native kernels are compiled here by ptowsp-pack --native=TRIPLE. Prints a
line per test: ok NAME, not ok NAME - why, skip NAME - why. PTOWSP_EXAMPLES=NAME,NAME: only these.
"""
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

ROW = re.compile(r"^\| \[([\w/]+)\]\(([\w.]+)\)(?: `([^`]*)`)? \|.*\| (\d+) \| (\d+|-) \|$")
TIMES = re.compile(r"(_ms|_ns)$")  # what a clock says
OURS = {"peak_rss_bytes", "package", "code"}  # what differs between machines, or between portable and native kernels, and may
LIMIT = 600  # seconds for one command; an emulator is slow, nothing here should be that slow


class Failed(Exception):
    """The sentence behind "not ok"."""


def command(words, folder=None):
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=LIMIT, check=False)
    if done.returncode:
        raise Failed("%s: exit status %d: %s" % (" ".join(words), done.returncode, (done.stderr or done.stdout).strip()[:300]))
    return done.stdout


def rows(page):
    """(package without its ending, options, elements compared) of every row of the table."""
    for line in open(page, encoding="utf-8"):
        found = ROW.match(line)
        if found:
            yield found[1], (found[3] or "").split(), 0 if found[5] == "-" else int(found[5])


def lasting(value):
    """Statistics without what a clock and the machine say."""
    if isinstance(value, dict):
        return {key: lasting(item) for key, item in value.items() if key not in OURS and not TIMES.search(key)}
    return [lasting(item) for item in value] if isinstance(value, list) else value


def said(text):
    """The lines of a run without their times."""
    return re.sub(r", [0-9.]+ m?s\b", "", text)


def outputs(here, package):
    """The tensors that a run writes: those of all entries, and of the one that runs, whose names it then has in front."""
    made = json.loads(command([here + "/bin/ptowsp-inspect", "--json", package]))
    entries = {i: e["name"] + "." for i, e in enumerate(made["ENTR"]) if e.get("flags", 0) & 1}
    written = [t for t in made.get("TENS", []) if t.get("role") in ("out", "inout") and t.get("entry") in (None, *entries)]
    return [t["name"].removeprefix(entries.get(t.get("entry"), "")) for t in written]


def run(tool, package, options, threads, names, folder):
    """(lines, statistics, bytes of each result)."""
    os.makedirs(folder, exist_ok=True)
    wanted = ["--out=%s=%s/%s.npy" % (name, folder, name) for name in names]
    words = tool + options + ["--threads", str(threads)]
    text = said(command(words + wanted + [package]))
    stats = lasting(json.loads(command(words + ["--stats=json", package])))
    results = {}
    for name in names:
        with open("%s/%s.npy" % (folder, name), "rb") as file:
            results[name] = file.read()
    return text, stats, results


def native_codes(tool, package, options):
    return [k["code"] for k in json.loads(command(tool + options + ["--stats=json", package]))["kernels"]]


def difference(here, there):
    """Why two runs are not the same, or nothing."""
    if here[0] != there[0]:
        return "it says %r, here %r" % (there[0].strip(), here[0].strip())
    for key, value in here[1].items():
        if there[1].get(key) != value:
            return "statistics: %s is %.120r, here %.120r" % (key, there[1].get(key), value)
    for name, data in here[2].items():
        if there[2][name] != data:
            at = next((i for i, pair in enumerate(zip(data, there[2][name])) if pair[0] != pair[1]), 0)
            return "result %s is not the same bytes, the first at %d of %d" % (name, at, len(data))
    return None


class Machine:
    """What examples run with."""

    def __init__(self, here, there, triple, emulator):
        self.here, self.there, self.triple, self.emulator = os.path.abspath(here), os.path.abspath(there), triple, emulator

    def native(self, package, name, folder):
        """The package with kernels compiled for the other machine: from the source that it prints, with its data."""
        command([self.here + "/bin/ptowsp-inspect", "--pto", "--out", folder, package])
        command([self.here + "/bin/ptowsp-pack", "--native=" + self.triple, name + ".pto", "-o", "native.pkg.zst"], folder)
        return folder + "/native.pkg.zst"

    def example(self, row, temp):
        """Yields (test, why it failed or None)."""
        path, options, elements = row
        name = os.path.basename(path)
        package, folder = "%s/packages/%s.pkg.zst" % (self.here, path), "%s/%s" % (temp, name)
        there = self.emulator + [self.there + "/bin/ptowsp-run"]
        os.makedirs(folder)
        names = outputs(self.here, package)
        if not names:
            raise Failed("it has no result to compare")
        base = run([self.here + "/bin/ptowsp-run"], package, options, 1, names, folder)
        if elements and "compare: ok (" not in base[0]:
            raise Failed("here, already: " + base[0].strip())
        for threads in (1, 2):
            yield "%s_portable_threads_%d" % (name, threads), difference(base, run(there, package, options, threads, names, folder))
        package = self.native(package, name, folder)
        base = run([self.here + "/bin/ptowsp-run"], package, options + ["--trust=none"], 1, names, folder)
        for threads in (1, 2):
            yield ("%s_native_threads_%d" % (name, threads),
                   difference(base, run(there, package, options + ["--trust=all"], threads, names, folder)))
        codes = native_codes(there, package, options + ["--trust=all"])
        yield name + "_runs_native_kernels", None if set(codes) <= {"native"} else "kernels run as %s" % ", ".join(codes)

    def lines(self, row, temp):
        name, made = os.path.basename(row[0]), []
        try:
            for test, why in self.example(row, temp):
                made.append("ok " + test if why is None else "not ok %s - %s" % (test, why.replace("\n", " ")))
        except (Failed, OSError, subprocess.TimeoutExpired) as error:
            made.append("not ok %s - %s" % (name, str(error).replace("\n", " ")))
        return made


def main(here, there, triple, *emulator):
    only = [n for n in os.environ.get("PTOWSP_EXAMPLES", "").split(",") if n]
    table = [r for r in rows("packages/examples/README.md") if not only or os.path.basename(r[0]) in only]
    if not table:
        print("not ok examples_are_found - no row in packages/examples/README.md")
    machine = Machine(here, there, triple, list(emulator))
    with tempfile.TemporaryDirectory() as temp, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for made in pool.map(lambda row: machine.lines(row, temp), table):
            print("\n".join(made), flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
