/* SPDX-License-Identifier: MIT */
#include "tests/lang/random_module.h"

#include "tests/lang/random_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 3u
#define LOOPS 8u
#define TASKS 4u

enum kind { MAIN, CALLED, PROCESS };

struct writing {
	struct random_text out;
	enum kind kind;         /* of the body being written */
	unsigned depth, budget; /* open bodies; statements left */
	char loops[LOOPS][16];  /* names of values, innermost last */
	unsigned loop_count, names;
	unsigned breakable;    /* open loops of this body that may be left */
	unsigned whiles;       /* open ones, each with a slot of its own */
	char tasks[TASKS][16]; /* names in reach */
	unsigned task_count;
	int edges; /* some edge is stated */
};

#define add(w, ...)        random_text_add(&(w)->out, __VA_ARGS__)
#define below(w, limit)    random_text_below(&(w)->out, limit)
#define chance(w, percent) random_text_chance(&(w)->out, percent)

/* --- expressions --- */

static void leaf(struct writing *w)
{
	switch (below(w, 6)) {
	case 0:
	case 1:
		if (w->loop_count) {
			add(w, "%%%s", w->loops[below(w, w->loop_count)]);
			return;
		}
		/* fallthrough */
	case 2: add(w, "%u", below(w, 20)); break;
	case 3: add(w, "%%n%u", below(w, 3)); break;
	case 4: add(w, "%%s%u", below(w, 2)); break;
	default: add(w, w->kind == PROCESS ? "instance" : chance(w, 50) ? "task" : "axis(%%i0)");
	}
}

static void expression(struct writing *w, unsigned depth);

/* One in another, and what stands behind it. */
static void operand(struct writing *w, unsigned depth, const char *behind)
{
	expression(w, depth - 1);
	add(w, "%s", behind);
}

static void expression(struct writing *w, unsigned depth)
{
	static const char *const operators[] = {"+", "-", "*", "&", "|", "^", "<", "<=", ">", ">=", "==", "!=", "&&", "||"};
	static const char *const signs[] = {"-", "~", "!"};

	if (!depth || chance(w, 40)) {
		leaf(w);
		return;
	}
	switch (below(w, 8)) {
	case 0:
		add(w, "%s(", signs[below(w, 3)]);
		operand(w, depth, ")");
		return;
	case 1:
		add(w, "%s(", chance(w, 50) ? "min" : "max");
		operand(w, depth, ", ");
		break;
	case 2:
		add(w, "(");
		operand(w, depth, " ? ");
		operand(w, depth, " : ");
		break;
	case 3: /* nothing divides by zero */
		add(w, "(");
		expression(w, depth - 1);
		add(w, " %c (1 + (", chance(w, 50) ? '/' : '%');
		operand(w, depth, " & 7)))");
		return;
	case 4:
		add(w, "((");
		expression(w, depth - 1);
		add(w, ") %s %u)", chance(w, 50) ? "<<" : ">>", below(w, 5));
		return;
	default:
		add(w, "(");
		expression(w, depth - 1);
		add(w, " %s ", operators[below(w, 14)]);
	}
	operand(w, depth, ")");
}

/* 0 ... mask, whatever the expression is. */
static void bounded(struct writing *w, unsigned mask)
{
	if (chance(w, 30)) {
		add(w, "%u", below(w, mask + 1));
		return;
	}
	add(w, "(");
	expression(w, 2);
	add(w, " & %u)", mask);
}

/* --- parts and calls --- */

/* Eight rows; of what may be written, if asked for. */
static void part(struct writing *w, int written)
{
	add(w, "%%t%u[", written ? 1 + below(w, 3) : below(w, 4));
	bounded(w, 7);
	add(w, " * 8, 0]");
}

static void after(struct writing *w)
{
	static const char *const kinds[] = {"", "data ", "barrier ", "soft "};

	if (w->kind == PROCESS || !chance(w, 20))
		return;
	w->edges = 1;
	if (w->task_count && chance(w, 70))
		add(w, " after %s%%%s", kinds[below(w, 4)], w->tasks[below(w, w->task_count)]);
	else
		add(w, " after %stask - %u", kinds[below(w, 4)], 1 + below(w, 3));
}

/* "%name = " of some tasks, known to what follows in this body. */
static const char *task_name(struct writing *w, char name[16])
{
	if (w->kind == PROCESS || w->task_count == TASKS || !chance(w, 15))
		return NULL;
	snprintf(name, 16, "p%u", w->names++);
	add(w, "%%%s = ", name);
	return name;
}

static void task_known(struct writing *w, const char *name)
{
	if (name)
		memcpy(w->tasks[w->task_count++], name, 16);
}

static void call(struct writing *w)
{
	char memory[16];
	const char *name = task_name(w, memory);

	switch (below(w, 4)) {
	case 0:
		add(w, "call @turn(%%a -> ");
		part(w, 0);
		add(w, ", %%b -> %s", chance(w, 10) ? "inout " : "");
		part(w, 1);
		break;
	case 1:
		add(w, "call @k0(%%by -> %u.5, %%a -> ", below(w, 3));
		part(w, 0);
		add(w, ", %%b -> ");
		part(w, 1);
		break;
	case 2:
		add(w, "call @put(%%to -> %%ints[0, ");
		bounded(w, 15);
		add(w, "], %%value -> ");
		bounded(w, 255);
		break;
	default:
		add(w, "copy ");
		part(w, 0);
		w->out.size--; /* the bracket */
		add(w, " : 8, 8] -> ");
		part(w, 1);
		after(w);
		add(w, "\n");
		task_known(w, name);
		return;
	}
	add(w, ")");
	after(w);
	add(w, "\n");
	task_known(w, name);
}

/* --- statements --- */

static void indent(struct writing *w)
{
	for (unsigned i = 0; i < w->depth; i++)
		add(w, "  ");
}

static void statements(struct writing *w);

/* A body in braces on lines of its own, without the line's end. */
static void body(struct writing *w)
{
	unsigned tasks = w->task_count;

	add(w, "{\n");
	w->depth++;
	statements(w);
	w->depth--;
	indent(w);
	add(w, "}");
	w->task_count = tasks;
}

static void loop_body(struct writing *w, const char *name)
{
	unsigned breakable = w->breakable;

	memcpy(w->loops[w->loop_count++], name, 16);
	w->breakable++;
	body(w);
	add(w, "\n");
	w->breakable = breakable;
	w->loop_count--;
}

static void range(struct writing *w)
{
	switch (below(w, 6)) {
	case 0: add(w, "%%dense"); break;
	case 1:
		add(w, "%%rows[");
		bounded(w, 1);
		add(w, "]");
		break;
	case 2:
		add(w, "dense_dyn(0, ");
		bounded(w, 3);
		add(w, ")");
		break;
	case 3: add(w, "%u to %u step %u", below(w, 3), 3 + below(w, 3), 1 + below(w, 3)); break;
	default: add(w, "0 to 1 + "); bounded(w, 1);
	}
}

static void loop(struct writing *w)
{
	char name[16];

	snprintf(name, sizeof(name), "i%u", w->loop_count ? w->names++ : 0);
	if (chance(w, 15)) {
		add(w, "select %%%s in %%near[", name);
		bounded(w, 1);
		add(w, "] ");
	} else {
		add(w, "%s %%%s in ", chance(w, 50) ? "parallel_for" : "for_each", name);
		range(w);
		add(w, " ");
	}
	loop_body(w, name);
}

static void condition(struct writing *w)
{
	add(w, "if ");
	expression(w, 2);
	add(w, " ");
	body(w);
	if (chance(w, 50)) {
		add(w, " else ");
		body(w);
	}
	add(w, "\n");
}

/* Counts in a slot that nothing else sets. */
static void repeat(struct writing *w)
{
	unsigned number = w->whiles++, breakable = w->breakable, tasks = w->task_count;

	add(w, "slot_set %%w%u, %u\n", number, 1 + below(w, 3));
	indent(w);
	add(w, "while %%w%u > 0 {\n", number);
	w->depth++;
	indent(w);
	add(w, "slot_set %%w%u, %%w%u - 1\n", number, number);
	w->breakable++;
	statements(w);
	w->breakable = breakable;
	w->task_count = tasks;
	w->depth--;
	indent(w);
	add(w, "}\n");
	w->whiles--;
}

static void branches(struct writing *w, const char *word)
{
	unsigned breakable = w->breakable;

	add(w, "%s ", word);
	w->breakable = 0;
	for (unsigned i = 1 + below(w, 3); i > 0; i--) {
		body(w);
		add(w, i > 1 ? " " : "\n");
	}
	w->breakable = breakable;
}

static void scope(struct writing *w)
{
	unsigned breakable = w->breakable;

	w->breakable = 0;
	add(w, "scope ");
	body(w);
	add(w, "\n");
	w->breakable = breakable;
}

static void slot(struct writing *w)
{
	if (w->kind == PROCESS) {
		call(w);
	} else if (chance(w, 50)) {
		add(w, "slot_set %%s%u, ", below(w, 2));
		bounded(w, 63);
		add(w, "\n");
	} else {
		add(w, "slot_load %%s%u, %%ints[0, ", below(w, 2));
		bounded(w, 15);
		add(w, "]%s\n", chance(w, 20) ? " bits" : "");
	}
}

static void order(struct writing *w)
{
	static const char *const lines[] = {"barrier", "fence core", "fence device", "fence system", "nop"};

	if (w->kind == PROCESS || chance(w, 60)) {
		add(w, "%s\n", lines[w->kind == PROCESS ? 4 : below(w, 5)]);
		return;
	}
	if (w->kind == MAIN && chance(w, 30)) { /* a device may tell itself */
		unsigned number = below(w, 100);

		add(w, "notify 0, %u\n", number);
		indent(w);
		add(w, "wait_notify 0, %u\n", number);
		return;
	}
	add(w, "signal %%e0\n");
	indent(w);
	add(w, "wait %%e0\n");
}

static void statement(struct writing *w)
{
	unsigned which = below(w, 20);

	indent(w);
	if (w->depth > DEPTH || which < 7)
		call(w);
	else if (which < 11 && w->loop_count + 1 < LOOPS)
		loop(w);
	else if (which < 13)
		condition(w);
	else if (which == 13 && w->kind == MAIN && w->whiles < 2)
		repeat(w);
	else if (which == 14)
		branches(w, w->kind == PROCESS || chance(w, 50) ? "sequential" : "combine");
	else if (which == 15 && w->kind != PROCESS)
		scope(w);
	else if (which == 16 && w->breakable)
		add(w, "if %%n0 == %u { break }\n", below(w, 5));
	else if (which == 17 && w->kind == MAIN)
		add(w, chance(w, 50) ? "call @more()\n" : "call @walk(%%m -> %%t0, %%out -> %%t2, %%count -> %%n1)\n");
	else if (which == 18)
		order(w);
	else
		slot(w);
}

static void statements(struct writing *w)
{
	for (unsigned count = 1 + below(w, 3); count > 0 && w->budget > 0; count--) {
		w->budget--;
		statement(w);
	}
}

/* --- declarations --- */

static const char head[] = "tensor %ints : i32[16] inout\n"
			   "event %e0\n"
			   "slot %s0 : i64 = 3\n"
			   "slot %s1 : i32 = -1\n"
			   "slot %w0 : i64 = 0\n"
			   "slot %w1 : u32 = 0\n"
			   "func @turn(%a: !pto.memref<gm,...,f32>, %b: !pto.memref<gm,...,f32>) {\n"
			   "  %t = alloc_tile : !pto.tile<8x8xf32>\n"
			   "  %t = tload %a[0, 0]\n"
			   "  %t = tneg %t\n"
			   "  tstore %t, %b[0, 0]\n"
			   "}\n"
			   "func @scale(%a: !pto.memref<gm,...,f32>, %b: !pto.memref<gm,...,f32>, %by: f32) {\n"
			   "  %t = alloc_tile : !pto.tile<8x8xf32>\n"
			   "  %t = tload %a[0, 0]\n"
			   "  %t = tmuls %t, %by\n"
			   "  tstore %t, %b[0, 0]\n"
			   "}\n"
			   "func @put_one(%to: !pto.memref<gm,...,i32>, %value: i32) {\n"
			   "  STORE %value:i32, %to[0]\n"
			   "}\n"
			   "// Function Type: Orchestration\n"
			   "func @walk(%m: !pto.memref<gm,...,f32>, %out: !pto.memref<gm,...,f32>, %count: u32) {\n"
			   "  FOR %row:idx, 0:idx, %count:idx, 1:idx\n"
			   "    CALL @turn(%a -> (%m, row, 0), %b -> (%out, row, 0))\n"
			   "  ENDFOR\n"
			   "}\n"
			   "kernel @put(%to: i32[1, 1] out, %value: i32) { portable @put_one }\n";

/* All tensors of floats lie in one order, so that a parameter may say it whatever is passed. Layouts join, whichever they are. */
static void tensors(struct writing *w)
{
	static const char *const orders[] = {
		"", " mem(row_major)", " mem(col_major)", " mem(nz(8, 8))", " mem(blocked(4, 8) swizzle 3)", " mem(row_major swizzle 1)"};
	static const char *const layouts[] = {"", " layout(R, R)", " layout(S(0), R)", " layout(R, S(1))"};
	static const char *const units[] = {"", " on vector", " on any", " on mix"};
	const char *order = orders[below(w, 6)];

	add(w, "tensor %%t0 : f32[64, 8] in%s\n", order);
	add(w, "tensor %%t1 : f32[64, 8] inout%s\n", order);
	add(w, "tensor %%t2 : f32[8, 8, 8] inout align 256%s\n", order);
	add(w, "tensor %%t3 : f32[64, 8] inout%s%s\n", layouts[below(w, 3)], order);
	add(w, "%s", head);
	add(w, "kernel @k0(%%a: f32[8, 8] in%s%s, ", layouts[below(w, 4)], chance(w, 50) ? order : "");
	add(w, "%%b: f32[8, 8] out%s%s, %%by: f32)%s", layouts[below(w, 4)], chance(w, 50) ? order : "", units[below(w, 4)]);
	if (chance(w, 30))
		add(w, " workspace %u", below(w, 4096));
	add(w, "%s {\n  portable @scale%s\n}\n", chance(w, 20) ? " measured" : "", chance(w, 30) ? " cycles 40" : "");
}

static void declare(struct writing *w)
{
	if (chance(w, 30))
		add(w, "module @made%u\n", below(w, 100));
	if (chance(w, 20))
		add(w, "target cpu_sim\n");
	if (chance(w, 20))
		add(w, "meta license \"MIT\"\n");
	for (unsigned i = 0; i < 3; i++)
		add(w, "symbol %%n%u : %s = %u\n", i, i == 1 ? "u32" : i == 2 ? "i32" : "i64", 1 + below(w, 5));
	add(w, "axis %%dense = dense(%u)\n", 1 + below(w, 3));
	add(w, "axis %%rows = ragged(2, [%u, %u])\n", below(w, 4), 1 + below(w, 3));
	add(w, "axis %%near = sparse([0, 1, 3], [%u, %u, %u])\n", below(w, 8), below(w, 8), below(w, 8));
	tensors(w);
	if (chance(w, 40))
		add(w, "sample %%ints input = [%d, 2, 3, -4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]\n", (int)below(w, 100) - 50);
}

/* --- workloads, processes, a schedule, a graph --- */

static void begin(struct writing *w, enum kind kind, unsigned budget)
{
	w->kind = kind;
	w->budget = budget;
	w->depth = 1;
	w->loop_count = w->breakable = w->whiles = w->task_count = 0;
	w->names = 1;
}

static void workloads(struct writing *w)
{
	add(w, "workload @more {\n");
	begin(w, CALLED, 4);
	statements(w);
	add(w, "}\nworkload @main {\n%s  for_each %%i0 in 0 to 1 { call @turn(%%a -> %%t0[0, 0], %%b -> %%t2[0, 0]) } // there is a loop of that name\n",
	    chance(w, 20) ? "  extent %dense = 2\n" : "");
	begin(w, MAIN, 14);
	if (chance(w, 15)) {
		add(w, "  dispatch_filter hash(");
		expression(w, 2);
		add(w, ")\n");
	}
	for (int i = 0; i < 4; i++)
		statements(w);
	if (chance(w, 10))
		add(w, "  halt\n");
	add(w, "}\n");
}

/* One sends, one passes on, one takes; the places of the tokens are the values. */
static void pipeline(struct writing *w)
{
	unsigned count = 1 + below(w, 5), payload = chance(w, 50);

	add(w, "channel %%c0 : token capacity %u latency %u\n", below(w, 4), below(w, 100));
	add(w, payload ? "channel %%c1 : payload f32[8, 8] capacity %u\n" : "channel %%c1 : token capacity %u\n", 1 + below(w, 3));
	add(w, "process @source produces(%%c0) {\n  for_each %%i0 in 0 to %u {\n", count);
	begin(w, PROCESS, 3);
	memcpy(w->loops[w->loop_count++], "i0", 3);
	w->depth = 2;
	statements(w);
	add(w, "    send %%c0, %%i0 * 3\n  }\n%s}\n", chance(w, 50) ? "  close %c0\n" : "");
	add(w, "process @pass consumes(%%c0) produces(%%c1) {\n  consume %%c0 as %%x {\n    send %%c1, %%x + 1%s\n",
	    payload ? " from %t1[(%x & 7) * 8, 0]" : "");
	begin(w, PROCESS, 3);
	memcpy(w->loops[w->loop_count++], "x", 2);
	w->depth = 2;
	statements(w);
	add(w, "  }\n}\nprocess @last consumes(%%c1) {\n  consume %%c1 as %%y%s {\n", payload ? " into %t3[(%y & 7) * 8, 0]" : "");
	begin(w, PROCESS, 3);
	memcpy(w->loops[w->loop_count++], "y", 2);
	w->depth = 2;
	statements(w);
	add(w, "  }\n}\n");
}

static void graph(struct writing *w)
{
	unsigned kernels = 2 + below(w, 4);

	add(w, "graph @graph {\n  MC_ALLOC(POOL, %u)\n  TG_BEGIN(G)\n", kernels * 256);
	for (unsigned i = 0; i < kernels; i++) {
		add(w, "    TG_KERNEL(K%u, turn, %u, AIV, 0)\n", i, 1 + below(w, 2));
		if (i)
			add(w, "    TG_DEPEND(K%u, K%u%s)\n    MC_FENCE(DEVICE)\n    MC_BIND(K%u, 0, POOL, %u, 256)\n", i - 1, i,
			    chance(w, 50) ? ", DATA, POOL" : "", i, (i - 1) * 256);
		else
			add(w, "    MC_BIND(K0, 0, GIN)\n");
		add(w, "    MC_BIND(K%u, 1, POOL, %u, 256)\n", i, i * 256);
	}
	add(w, "  TG_END(G)\n  TG_LAUNCH(G, stream)\n  TG_SYNC(G)\n  MC_COPY(POOL, GOUT, 256, %u)\n  MC_FREE(POOL)\n}\n", (kernels - 1) * 256);
}

/* piped: there are processes, for whose tasks no dispatch can be required. */
static void schedule(struct writing *w, bool piped)
{
	static const char *const dispatch[] = {"round_robin(3)",
					       "work_steal(2)",
					       "hash(%i0 + %n0, 4)",
					       "affinity(%i0, 2)",
					       "static_partition(3, 9)",
					       "threshold(%i0, round_robin(1), 2: hash(%n1, 3))",
					       "threshold(%n0, spatial_map(1, 2), 3: spatial_map(2, 2), 9: work_steal(2))",
					       "spatial_map(2, 3)"};
	static const char *const lines[] = {"task_window 64 tasks stall",
					    "pipeline_depth 2",
					    "issue_cost 3 cycles",
					    "streams 2\n  stream_by(%i0 & 1)",
					    "hazards full",
					    "batch_deps 4",
					    "ready fifo",
					    "timing batched 4",
					    "trace tasks",
					    "heap 1048576 bytes"};

	add(w, "schedule {\n");
	if (w->edges)
		add(w, "  deps hybrid(bytes_overlap)\n");
	if (chance(w, 60))
		add(w, "  dispatch %s%s\n", dispatch[below(w, 8)], chance(w, 20) && !piped ? " required" : "");
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (chance(w, 25))
			add(w, "  %s\n", lines[i]);
	add(w, "}\n");
}

char *random_module(uint64_t seed)
{
	struct writing w = {.out = {.seed = seed}};
	bool piped;

	declare(&w);
	workloads(&w);
	piped = chance(&w, 30);
	if (piped)
		pipeline(&w);
	if (chance(&w, 25))
		graph(&w);
	if (w.edges || chance(&w, 50))
		schedule(&w, piped);
	if (w.out.failed) {
		free(w.out.text);
		return NULL;
	}
	return w.out.text;
}
