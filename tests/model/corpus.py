# SPDX-License-Identifier: MIT
"""corpus.py - random programs of the corpus dialect: one draw gives a .pto file for the tools and the tables of the same program for the model, which never sees the text.

    python3 tests/model/corpus.py [--build DIR] [--first SEED] [--count N] [--keep DIR] [--jobs N]

Compared are tasks, edges, executors, times, stalls, high-water marks and, where the schedule is no promise, memory. One seed is one program.
"""
import os
import subprocess
import sys
import types

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import compare  # noqa: E402
import seeds  # noqa: E402
from writer import READ, WRITE, Writer  # noqa: E402

KERNELS, TENSORS, TASKS = 5, 4, 300
LEVELS = [(8, 4, {8: 64, 4: 32, 0: 32}), (8, 4, {8: 64, 4: 64, 0: 32}), (4, 4, {4: 64, 0: 32}), (8, 8, {8: 32, 0: 32})]
MEMREF = "!pto.memref<gm,...,f32>"


class Corpus(Writer):
    def __init__(self, seed):
        super().__init__(f"corpus {seed}")
        rng = self.rng
        self.forms = [self.form() for _ in range(KERNELS)]
        self.nodes = self.loops = 0
        while not (tree := self.tree(0)) or not 0 < self.count(tree) <= TASKS:
            self.nodes = self.loops = 0
        for t in range(TENSORS):
            self.row("TENS", name=f"t{t}", dtype="f32", role="inout", dims=0, dim_count=1)
        self.row("DIMS", extent=self.const(1 << 40))
        self.lines = ["// PTO Module: random", "// Entry: @main", ""]
        for number, form in enumerate(self.forms):
            self.write_kernel(number, form)
        self.lines += ["// Function Type: Orchestration", f"func @main({', '.join(f'%t{t}: {MEMREF}' for t in range(TENSORS))}) {{", "  %c = alloc_scalar : u1"]
        self.write(tree, "  ", 0, False)
        self.lines += ["  return", "}", ""]
        self.put("halt")
        self.row("ENTR", name="main", flags=1)
        self.schedule(tree)

    # ---- drawing ---------------------------------------------------------------------------------------------------

    def form(self):
        """A kernel: its parameters, and how many rows its variant for level 64 has, 0: there is none."""
        rng, params = self.rng, []
        for i in range(rng.randint(1, 3)):
            p = types.SimpleNamespace(rows=rng.randint(1, 3), columns=1 << rng.randrange(4), mode=rng.randint(1, 3), tile_row=int(rng.random() < 0.25),
                                      column=rng.randrange(5) if rng.random() < 0.25 else 0)
            if i and rng.random() < 0.5:  # often the shape of the one before, so that data flow
                p.rows, p.columns = params[-1].rows, params[-1].columns
            params.append(p)
        return types.SimpleNamespace(params=params, variant=rng.randint(1, 6) if rng.random() < 0.5 else 0)

    def tree(self, depth):
        out = []
        for _ in range(self.rng.randint(1, 3)):
            if self.nodes < 56:
                self.nodes += 1
                out.append(self.node(depth))
        return out

    def node(self, depth):
        rng, what = self.rng, self.rng.randrange(10)
        if what < 4 and depth < 3 and self.loops < 4:
            self.loops += 1
            levels = rng.choice(LEVELS) if rng.random() < 0.34 else None
            low = 0 if levels else rng.randrange(3)
            return types.SimpleNamespace(kind="loop", levels=levels, low=low, high=low + rng.randrange(14 if levels else 6), step=1 if levels else rng.randint(1, 2),
                                         body=self.tree(depth + 1))
        if what == 4 and depth:
            return types.SimpleNamespace(kind="branch", loop=rng.randrange(depth), least=rng.randrange(4), body=self.tree(depth))
        uses = [types.SimpleNamespace(tensor=rng.randrange(TENSORS), tuple=rng.random() < 0.75, loop=rng.randrange(depth) if depth and rng.random() < 0.67 else None,
                                      row=rng.randrange(4), column=rng.randrange(9) if rng.random() < 0.33 else 0) for _ in range(3)]
        return types.SimpleNamespace(kind="call", kernel=rng.randrange(KERNELS), uses=uses)

    def count(self, tree):
        """Tasks, at most."""
        return sum(1 if n.kind == "call" else self.count(n.body) * (max(0, -((n.low - n.high) // n.step)) if n.kind == "loop" else 1) for n in tree)

    # ---- kernels ---------------------------------------------------------------------------------------------------

    def write_kernel(self, number, form):
        name, variant = f"k{'abcde'[number]}", None
        if form.variant:
            params = [types.SimpleNamespace(**{**vars(p), "rows": form.variant}) for p in form.params]
            variant = self.kernel_row(number, f"{name}_64", params)
        row = self.kernel_row(number, name, form.params)
        if variant is not None:
            self.t["KREG"][row].update(variants=self.row("KVAR", rows=64, kernel=variant), variant_count=1)

    def kernel_row(self, number, name, params):
        """Text and row of a kernel: what is written is what was there, or half of a tile of its shape that is read, and a constant; or the constant alone."""
        first, body, cycles = len(self.t["KPRM"]), [], 0
        loads, computes, stores = [], [], []
        for i, p in enumerate(params):
            tile, count, constant = f"!pto.tile<{p.rows}x{p.columns}xf32>", p.rows * p.columns, 0.25 * (1 + number) + i
            source = next((k for k, q in enumerate(params) if q.mode & READ and (q.rows, q.columns) == (p.rows, p.columns)), None)
            source = i if p.mode & READ else source
            self.row("KPRM", name=f"p{i}", kind="tensor", dtype="f32", access=p.mode, rows=p.rows, columns=p.columns, offset=p.tile_row * count + p.column)
            if p.mode & READ:
                loads.append(f"  %t{i} = tload %p{i}[{p.tile_row}, {p.column}] : ({MEMREF}, index, index) -> {tile}")
                cycles += count
            if not p.mode & WRITE:
                continue
            stores.append(f"  tstore %w{i}, %p{i}[{p.tile_row}, {p.column}]")
            body.append((i, source, 1 if source == i else 0.5, constant))
            if source is None:
                computes.append(f"  %w{i} = texpands %{constant:.2f} : f32, {tile}")
            elif source != i:
                computes.append(f"  %w{i} = tmuls %t{source}, %0.5 : {tile}, f32")
            if source is not None:
                computes.append(f"  %w{i} = tadds %{'t' if source == i else 'w'}{i}, %{constant:.2f} : {tile}, f32")
            cycles += count * (2 if source in (None, i) else 3)
        self.lines += ["// Function Type: InCore", f"func @{name}({', '.join(f'%p{i}: {MEMREF}' for i in range(len(params)))}) {{"]
        self.lines += [f"  %{x}{i} = alloc_tile : !pto.tile<{p.rows}x{p.columns}xf32>" for i, p in enumerate(params) for x in "tw"]
        self.lines += loads + computes + stores + ["  return", "}", ""]
        pay = self.row("KPAY", kind="pto", unit="any", offset=0, size=0, cycles=cycles)
        return self.row("KREG", name=name, unit="any", params=first, param_count=len(params), payloads=pay, payload_count=1, body=body)

    # ---- statements ------------------------------------------------------------------------------------------------

    def write(self, tree, indent, depth, in_levels):
        for n in tree:
            getattr(self, "write_" + n.kind)(n, indent, depth, in_levels)

    def write_loop(self, n, indent, depth, in_levels):
        line, fields = f"{indent}FOR %l{depth}:idx, {n.low}:idx, {n.high}:idx, {n.step}:idx", {"low": self.const(n.low)}
        if n.levels:
            largest, least, rows = n.levels
            line += f" max_range={largest} min_range={least} tile_levels={{{','.join(f'{block}:{r}' for block, r in rows.items())}}}"
            first = [self.row("LVLS", block=block, rows=r) for block, r in rows.items()][0]
            fields["levels"] = self.row("TLVL", max_range=largest, min_range=least, first=first, count=len(rows))
        self.lines.append(line)
        with self.body("parallel_for", self.axis(f"l{depth}", n.high, n.step, **fields)):
            self.write(n.body, indent + "  ", depth + 1, in_levels or bool(n.levels))
        self.lines.append(f"{indent}ENDFOR")

    def write_branch(self, n, indent, depth, in_levels):
        self.lines += [f"{indent}CMP %c:u1, %l{n.loop}:idx, {n.least}:idx, GT", f"{indent}IF %c:u1"]
        condition = self.expr(">", self.expr("loop", depth=n.loop), self.const(n.least))
        self.parts("cond", 0, condition, [lambda: self.write(n.body, indent + "  ", depth, in_levels), lambda: None])
        self.lines.append(f"{indent}ENDIF")

    def write_call(self, n, indent, depth, in_levels):
        params, words, texts = self.forms[n.kernel].params, [], []
        for i, (p, u) in enumerate(zip(params, n.uses)):
            row = self.const(0) if not u.tuple else self.expr("loop", depth=u.loop) if u.loop is not None else self.const(u.row)
            region = self.row("REGN", tensor=f"t{u.tensor}", row=row, column=self.const(u.column if u.tuple else 0), unit=(32 if in_levels else p.rows) * p.columns)
            words.append([{READ: "io_input", WRITE: "io_output", READ | WRITE: "io_inout"}[p.mode], i, region])
            index = f"l{u.loop}" if u.loop is not None else u.row
            texts.append(f"%p{i} -> " + (f"(%t{u.tensor}, {index}, {u.column})" if u.tuple else f"%t{u.tensor}"))
        self.code += [["task", n.kernel, [0, len(words)]]] + words
        self.lines.append(f"{indent}CALL @k{'abcde'[n.kernel]}({', '.join(texts)})")

    # ---- schedule --------------------------------------------------------------------------------------------------

    def schedule(self, tree):
        rng, n = self.rng, self.rng.randint(1, 5)
        self.promise = (rng.random() < 0.33, rng.random() < 0.25)
        stated = [("deps", "tensor_map_exact" if self.promise[0] else "bytes_overlap", None), ("hazards", "raw" if self.promise[1] else "full", None),
                  ("task_window", "stall", rng.choice([8192, 0, 1, 2, 3, 7, 16]))]
        for name, policy, value, chance in (("tensor_map", "capacity", rng.randint(6, 15), 0.25), ("dep_list", "capacity", rng.randint(8, 47), 0.25),
                                            ("ready_queue", "capacity", rng.randint(1, 4), 0.25), ("pipeline_depth", "depth", rng.randint(1, 4), 0.33),
                                            ("issue_cost", "cycles", rng.randint(1, 30), 0.33)):
            if rng.random() < chance:
                stated.append((name, policy, value))
        self.options = []
        for name, policy, value in stated:
            self.directive(name, policy, *([] if value is None else [value]))
            self.options += ["--schedule", f"{name}={policy if value is None else value}"]
        loops = [x.kind == "loop" and self.count(x.body) for x in tree]  # of a policy by loop: it is there, and for hash around every task
        policies = ["round_robin", "work_steal"] + ["affinity"] * any(loops) + ["hash"] * all(loops) + [None]
        policy = rng.choice(policies)
        if policy:
            self.directive("dispatch", policy, *{"affinity": ["l0"], "hash": [{"expr": self.expr("axis", name="l0")}]}.get(policy, []), n)
            self.options += ["--schedule", f"dispatch={policy}({'l0,' if policy in ('affinity', 'hash') else ''}{n})"]

    def package(self):
        package = super().package("random")
        package["WORK"]["kernels"] = [f"k{'abcde'[i]}" for i in range(KERNELS)]
        return package


def check(job):
    """(seed, exit code by the model, difference or None)."""
    options, seed, folder = job
    folder, program = seeds.own(folder), Corpus(seed)
    source, packed = os.path.join(folder, "p.pto"), os.path.join(folder, "p.pkg.zst")
    with open(source, "w") as f:
        f.write("\n".join(program.lines))
    want = compare.expected(program.package())
    done = subprocess.run([f"{options.build}/bin/ptowsp-pack", source, "-o", packed], capture_output=True, text=True)
    if done.returncode:
        return seed, want[0], f"the packer ends with {done.returncode}: {done.stderr.strip()}"
    places = [(name, os.path.join(folder, f"{name}.npy")) for name, values in want[1].get("memory", {}).items() if values]
    bound = [word for name, path in places for word in ("--fill", f"{name}=iota", "--out", f"{name}={path}")]
    skip = {"memory"} if any(program.promise) else set()
    for flags, tensors in (([f"--threads={1 if seed % 2 else 3}", *bound], places), (["--no-kernels"], [])):
        got = compare.ran(options.build, folder, ["--quiet"] + program.options + flags, tensors)
        text = compare.difference(want, got, 1, skip if tensors else {"memory"})
        if not text and not tensors and not got[0]:
            text = compare.untold(options.build, folder, ["--quiet"] + program.options + flags, got[1])
        if text:
            if options.keep:
                os.makedirs(options.keep, exist_ok=True)
                os.replace(source, os.path.join(options.keep, f"seed_{seed}.pto"))
            return seed, want[0], f"{' '.join(program.options + flags[:1])}: {text}"
    return seed, want[0], None


def main():
    options, failed = seeds.arguments("random programs of the corpus dialect on the tools and on the model"), 0
    for seed, _, text in seeds.results(options, check, 8):
        if text:
            failed += 1
            seeds.differs("corpus", options, seed, text)
    if not failed:
        seeds.agree("corpus_agrees", options)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
