/* SPDX-License-Identifier: MIT
 * test_contract_random.c - random programs of the corpus dialect, packed and run by the tools and by the plain model of
 * contract/model.h: the same tasks, edges, times, executors, stalls, high-water marks and memory. A failure names its seed; the program
 * stays in build/test/tmp. PTOWSP_SEED=N runs one seed, PTOWSP_SEEDS=N that many. */
#include "contract/cli.h"
#include "contract/model.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KERNELS = 5, PARAMS = 3, NODES = 64 };

struct param {
	int rows, columns, mode, tile_row, column;
};
struct kernel {
	int param_count, variant_rows; /* of a variant for level 64; 0: none */
	struct param params[PARAMS];
};
enum node_kind { LOOP, BRANCH, CALL };
struct argument {
	int tensor, tuple, row_loop; /* row_loop: loop whose value is the row, -1: a number */
	int row, column;
};
struct node {
	enum node_kind kind;
	int child, next;
	int loop, low, high, step, levels; /* levels: 0, else index of level_sets */
	int compare_loop, compare_with;    /* BRANCH: value > number */
	int kernel;
	struct argument arguments[PARAMS];
};
struct level_set {
	int max_range, min_range;
	const char *text;
	int rows_of_8, rows_of_4;
};
static const struct level_set level_sets[] = {
	{0}, {8, 4, "{8:64,4:32,0:32}", 64, 32}, {8, 4, "{8:64,4:64,0:32}", 64, 64}, {4, 4, "{4:64,0:32}", 0, 64}, {8, 8, "{8:32,0:32}", 32, 0}};

static struct program {
	uint64_t state;
	struct kernel kernels[KERNELS];
	struct node nodes[NODES];
	int node_count, loops;
	struct model_schedule schedule;
	char text[32768], options[1024];
	/* expansion */
	struct model_task tasks[MODEL_TASKS];
	int task_count;
	int64_t values[MODEL_LOOPS];
	int64_t touched[MODEL_TENSORS];
	float memory[MODEL_TENSORS][MODEL_ELEMENTS];
} p;

static unsigned pick(unsigned n)
{
	p.state ^= p.state << 13;
	p.state ^= p.state >> 7;
	p.state ^= p.state << 17;
	return (unsigned)((p.state >> 11) % n);
}

__attribute__((format(printf, 1, 2))) static void say(const char *fmt, ...)
{
	size_t n = strlen(p.text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(p.text + n, sizeof(p.text) - n, fmt, ap);
	va_end(ap);
}

/* ---- making ------------------------------------------------------------------------------------------------------------ */

static void kernel_make(struct kernel *k)
{
	memset(k, 0, sizeof(*k));
	k->param_count = 1 + (int)pick(PARAMS);
	k->variant_rows = pick(2) ? 1 + (int)pick(6) : 0;
	for (int i = 0; i < k->param_count; i++) {
		struct param *q = &k->params[i];

		q->rows = 1 + (int)pick(3);
		q->columns = 1 << pick(4);
		q->mode = 1 + (int)pick(3);
		q->tile_row = (int)pick(4) == 0;
		q->column = pick(4) == 0 ? (int)pick(5) : 0;
		if (i && pick(2)) { /* often the shape of the one before, so that data flow */
			q->rows = q[-1].rows;
			q->columns = q[-1].columns;
		}
	}
}

static int body_make(int depth);

static void call_make(struct node *n, int depth)
{
	n->kind = CALL;
	n->kernel = (int)pick(KERNELS);
	for (int i = 0; i < PARAMS; i++) {
		struct argument *a = &n->arguments[i];

		a->tensor = (int)pick(MODEL_TENSORS);
		a->tuple = pick(4) != 0;
		a->row_loop = depth && pick(3) ? (int)pick((unsigned)depth) : -1;
		a->row = (int)pick(4);
		a->column = pick(3) ? 0 : (int)pick(9);
	}
}

static int node_make(int depth)
{
	int index = p.node_count++;
	struct node *n = &p.nodes[index];
	unsigned what = pick(10);

	memset(n, 0, sizeof(*n));
	n->child = n->next = -1;
	if (what < 4 && depth < 3 && p.loops < MODEL_LOOPS) {
		n->kind = LOOP;
		n->loop = depth;
		if (pick(3) == 0)
			n->levels = 1 + (int)pick(sizeof(level_sets) / sizeof(*level_sets) - 1);
		n->low = n->levels ? 0 : (int)pick(3);
		n->high = n->low + (int)pick(n->levels ? 14 : 6);
		n->step = n->levels ? 1 : 1 + (int)pick(2);
		n->child = body_make(depth + 1);
	} else if (what == 4 && depth) {
		n->kind = BRANCH;
		n->compare_loop = (int)pick((unsigned)depth);
		n->compare_with = (int)pick(4);
		n->child = body_make(depth);
	} else {
		call_make(n, depth);
	}
	return index;
}

static int body_make(int depth)
{
	int first = -1, *link = &first;

	for (unsigned i = 1 + pick(3); i-- && p.node_count < NODES - 8;) {
		int made = node_make(depth);

		*link = made;
		link = &p.nodes[made].next;
	}
	return first;
}

static void schedule_make(struct model_schedule *s)
{
	static const int64_t windows[] = {8192, 0, 1, 2, 3, 7, 16};

	memset(s, 0, sizeof(*s));
	s->exact = pick(3) == 0;
	s->raw = pick(4) == 0;
	s->window = windows[pick(7)];
	s->tensor_map = pick(4) ? 0 : 6 + (int)pick(10);
	s->dep_list = pick(4) ? 0 : 8 + (int)pick(40);
	s->ready_queue = pick(4) ? 0 : 1 + (int)pick(4);
	s->depth = pick(3) ? 0 : 1 + (int)pick(4);
	s->issue_cost = pick(3) ? 0 : 1 + (int)pick(30);
	s->dispatch = (enum model_dispatch)pick(5);
	s->executors = s->dispatch == MODEL_NONE ? 1 : 1 + (int)pick(5);
	s->loop = 0;
}

static void option(const char *fmt, long long a, int b)
{
	size_t n = strlen(p.options);

	n += (size_t)snprintf(p.options + n, sizeof(p.options) - n, " --schedule '");
	n += (size_t)snprintf(p.options + n, sizeof(p.options) - n, fmt, a, b);
	snprintf(p.options + n, sizeof(p.options) - n, "'");
}

static void schedule_print(const struct model_schedule *s)
{
	static const char *const dispatch[] = {"", "dispatch=round_robin(%lld)", "dispatch=work_steal(%lld)", "dispatch=affinity(l0,%lld)", "dispatch=hash(l0,%lld)"};

	*p.options = 0;
	option(s->exact ? "deps=tensor_map_exact" : "deps=bytes_overlap", 0, 0);
	option(s->raw ? "hazards=raw" : "hazards=full", 0, 0);
	option("task_window=%lld", s->window, 0);
	if (s->tensor_map)
		option("tensor_map=%lld", s->tensor_map, 0);
	if (s->dep_list)
		option("dep_list=%lld", s->dep_list, 0);
	if (s->ready_queue)
		option("ready_queue=%lld", s->ready_queue, 0);
	if (s->depth)
		option("pipeline_depth=%lld", s->depth, 0);
	if (s->issue_cost)
		option("issue_cost=%lld", s->issue_cost, 0);
	if (s->dispatch)
		option(dispatch[s->dispatch], s->executors, 0);
}

/* ---- writing down -------------------------------------------------------------------------------------------------------- */

#define MEMREF "!pto.memref<gm,...,f32>"

/* Constant that write parameter i of kernel k adds. */
static float constant(int k, int i)
{
	return 0.25f * (float)(1 + k) + (float)i;
}

/* An earlier or later parameter that is read and has the same shape. */
static int source_of(const struct kernel *k, int i)
{
	for (int j = 0; j < k->param_count; j++)
		if ((k->params[j].mode & MODEL_READ) && k->params[j].rows == k->params[i].rows && k->params[j].columns == k->params[i].columns)
			return j;
	return -1;
}

static void write_print(const struct kernel *k, int number, int i, int rows)
{
	const struct param *q = &k->params[i];
	int from = source_of(k, i);
	char tile[64];

	snprintf(tile, sizeof(tile), "!pto.tile<%dx%dxf32>", rows, q->columns);
	if (q->mode & MODEL_READ) {
		say("  %%w%d = tadds %%t%d, %%%.2f : %s, f32\n", i, i, (double)constant(number, i), tile);
	} else if (from >= 0) {
		say("  %%w%d = tmuls %%t%d, %%0.5 : %s, f32\n", i, from, tile);
		say("  %%w%d = tadds %%w%d, %%%.2f : %s, f32\n", i, i, (double)constant(number, i), tile);
	} else {
		say("  %%w%d = texpands %%%.2f : f32, %s\n", i, (double)constant(number, i), tile);
	}
}

/* A variant has as many rows everywhere: more tiles are of equal shape, and its data flow may differ. */
static struct kernel variant_of(const struct kernel *k)
{
	struct kernel v = *k;

	for (int i = 0; i < v.param_count; i++)
		v.params[i].rows = k->variant_rows;
	return v;
}

static void kernel_print(const struct kernel *k, int number, const char *suffix)
{
	say("// Function Type: InCore\nfunc @k%c%s(", 'a' + number, suffix);
	for (int i = 0; i < k->param_count; i++)
		say("%s%%p%d: " MEMREF, i ? ", " : "", i);
	say(") {\n");
	for (int i = 0; i < k->param_count; i++)
		say("  %%t%d = alloc_tile : !pto.tile<%dx%dxf32>\n  %%w%d = alloc_tile : !pto.tile<%dx%dxf32>\n", i, k->params[i].rows,
		    k->params[i].columns, i, k->params[i].rows, k->params[i].columns);
	for (int i = 0; i < k->param_count; i++)
		if (k->params[i].mode & MODEL_READ)
			say("  %%t%d = tload %%p%d[%d, %d] : (" MEMREF ", index, index) -> !pto.tile<%dx%dxf32>\n", i, i, k->params[i].tile_row,
			    k->params[i].column, k->params[i].rows, k->params[i].columns);
	for (int i = 0; i < k->param_count; i++)
		if (k->params[i].mode & MODEL_WRITE)
			write_print(k, number, i, k->params[i].rows);
	for (int i = 0; i < k->param_count; i++)
		if (k->params[i].mode & MODEL_WRITE)
			say("  tstore %%w%d, %%p%d[%d, %d]\n", i, i, k->params[i].tile_row, k->params[i].column);
	say("  return\n}\n\n");
}

static void body_print(int index, int indent)
{
	for (; index >= 0; index = p.nodes[index].next) {
		const struct node *n = &p.nodes[index];

		if (n->kind == LOOP) {
			say("%*sFOR %%l%d:idx, %d:idx, %d:idx, %d:idx", indent, "", n->loop, n->low, n->high, n->step);
			if (n->levels)
				say(" max_range=%d min_range=%d tile_levels=%s", level_sets[n->levels].max_range, level_sets[n->levels].min_range,
				    level_sets[n->levels].text);
			say("\n");
			body_print(n->child, indent + 2);
			say("%*sENDFOR\n", indent, "");
		} else if (n->kind == BRANCH) {
			say("%*sCMP %%c:u1, %%l%d:idx, %d:idx, GT\n%*sIF %%c:u1\n", indent, "", n->compare_loop, n->compare_with, indent, "");
			body_print(n->child, indent + 2);
			say("%*sENDIF\n", indent, "");
		} else {
			say("%*sCALL @k%c(", indent, "", 'a' + n->kernel);
			for (int i = 0; i < p.kernels[n->kernel].param_count; i++) {
				const struct argument *a = &n->arguments[i];

				say("%s%%p%d -> ", i ? ", " : "", i);
				if (!a->tuple)
					say("%%t%d", a->tensor);
				else if (a->row_loop >= 0)
					say("(%%t%d, l%d, %d)", a->tensor, a->row_loop, a->column);
				else
					say("(%%t%d, %d, %d)", a->tensor, a->row, a->column);
			}
			say(")\n");
		}
	}
}

static void program_print(int root)
{
	*p.text = 0;
	say("// PTO Module: random\n// Entry: @main\n\n");
	for (int k = 0; k < KERNELS; k++) {
		kernel_print(&p.kernels[k], k, "");
		if (p.kernels[k].variant_rows) {
			struct kernel v = variant_of(&p.kernels[k]);

			kernel_print(&v, k, "_64");
		}
	}
	say("// Function Type: Orchestration\nfunc @main(%%t0: " MEMREF ", %%t1: " MEMREF ", %%t2: " MEMREF ", %%t3: " MEMREF ") {\n"
	    "  %%c = alloc_scalar : u1\n");
	body_print(root, 2);
	say("  return\n}\n");
}

/* ---- expanding --------------------------------------------------------------------------------------------------------------- */

static void kernel_compute(const struct kernel *k, int number, const struct model_task *t, int64_t *cycles)
{
	float tiles[PARAMS][64];

	*cycles = 0;
	for (int i = 0; i < k->param_count; i++) {
		if (!(k->params[i].mode & MODEL_READ))
			continue;
		memcpy(tiles[i], &p.memory[t->accesses[i].tensor][t->accesses[i].first], sizeof(float) * (size_t)t->accesses[i].count);
		*cycles += t->accesses[i].count;
	}
	for (int i = 0; i < k->param_count; i++) {
		const struct model_access *a = &t->accesses[i];
		int from = source_of(k, i);
		float *out = &p.memory[a->tensor][a->first];

		if (!(k->params[i].mode & MODEL_WRITE))
			continue;
		if (k->params[i].mode & MODEL_READ)
			from = i;
		*cycles += a->count * (from >= 0 && from != i ? 3 : 2);
		for (int64_t x = 0; x < a->count; x++)
			out[x] = from < 0 ? constant(number, i) : (from == i ? tiles[i][x] : tiles[from][x] * 0.5f) + constant(number, i);
	}
}

static void call_expand(const struct node *n, int level, bool in_levels, int depth)
{
	struct model_task *t = &p.tasks[p.task_count];
	bool variant = level == 64 && p.kernels[n->kernel].variant_rows;
	struct kernel k = variant ? variant_of(&p.kernels[n->kernel]) : p.kernels[n->kernel];

	memset(t, 0, sizeof(*t));
	t->kernel = n->kernel + (variant ? 100 : 0);
	t->access_count = k.param_count;
	for (int i = 0; i < k.param_count; i++) {
		const struct argument *a = &n->arguments[i];
		const struct param *q = &k.params[i];
		struct model_access *m = &t->accesses[i];
		int64_t unit = (int64_t)(in_levels ? 32 : q->rows) * q->columns;

		m->tensor = a->tensor;
		m->mode = q->mode;
		m->row = !a->tuple ? 0 : a->row_loop >= 0 ? p.values[a->row_loop] : a->row;
		m->column = a->tuple ? a->column : 0;
		m->level = level;
		m->count = (int64_t)q->rows * q->columns;
		m->first = m->row * unit + m->column + q->tile_row * m->count + q->column;
		if (m->first + m->count > p.touched[m->tensor])
			p.touched[m->tensor] = m->first + m->count;
	}
	for (int i = 0; i < MODEL_LOOPS; i++)
		t->loops[i] = i < depth ? p.values[i] : -1;
	if (p.task_count < MODEL_TASKS - 1)
		p.task_count++;
}

static void body_expand(int index, int level, bool in_levels, int depth);

static void loop_block(const struct node *n, int64_t base, int block, int rows, int level, int depth)
{
	int step = rows / 32, now = level != 32 ? level : rows;

	for (int i = 0; i < block / step; i++) {
		p.values[n->loop] = base + (int64_t)i * step;
		body_expand(n->child, now, true, depth + 1);
	}
}

static int block_rows(const struct level_set *s, int block)
{
	int rows = block == 8 ? s->rows_of_8 : s->rows_of_4;

	return rows ? rows : 32;
}

static void loop_expand(const struct node *n, int level, bool in_levels, int depth)
{
	const struct level_set *s = &level_sets[n->levels];
	int64_t base = 0, left = n->high;

	if (!n->levels) {
		for (int64_t v = n->low; v < n->high; v += n->step) {
			p.values[n->loop] = v;
			body_expand(n->child, level, in_levels, depth + 1);
		}
		return;
	}
	for (; left >= s->max_range; left -= s->max_range, base += s->max_range)
		loop_block(n, base, s->max_range, block_rows(s, s->max_range), level, depth);
	for (int block = s->max_range / 2; block >= s->min_range; block /= 2)
		if (left & block) {
			loop_block(n, base, block, block_rows(s, block), level, depth);
			base += block;
			left -= block;
		}
	loop_block(n, base, (int)left, 32, level, depth);
}

static void body_expand(int index, int level, bool in_levels, int depth)
{
	for (; index >= 0; index = p.nodes[index].next) {
		const struct node *n = &p.nodes[index];

		if (n->kind == LOOP)
			loop_expand(n, level, in_levels, depth);
		else if (n->kind == BRANCH && p.values[n->compare_loop] > n->compare_with)
			body_expand(n->child, level, in_levels, depth);
		else if (n->kind == CALL)
			call_expand(n, level, in_levels, depth);
	}
}

static void program_expand(int root)
{
	p.task_count = 0;
	memset(p.touched, 0, sizeof(p.touched));
	for (int t = 0; t < MODEL_TENSORS; t++)
		for (int x = 0; x < MODEL_ELEMENTS; x++)
			p.memory[t][x] = (float)x;
	body_expand(root, 32, false, 0);
	for (int i = 0; i < p.task_count; i++) {
		int number = p.tasks[i].kernel % 100;
		struct kernel k = p.tasks[i].kernel >= 100 ? variant_of(&p.kernels[number]) : p.kernels[number];

		kernel_compute(&k, number, &p.tasks[i], &p.tasks[i].cycles);
	}
}

/* A policy by loop needs the loop: affinity somewhere, hash around every task. */
static void schedule_fit(struct model_schedule *s)
{
	int inside = 0;

	for (int i = 0; i < p.task_count; i++)
		inside += p.tasks[i].loops[0] >= 0;
	if ((s->dispatch == MODEL_AFFINITY && !inside) || (s->dispatch == MODEL_HASH && inside < p.task_count))
		s->dispatch = MODEL_ROUND_ROBIN;
}

static int program_make(uint64_t seed)
{
	int root;

	p.state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
	for (int i = 0; i < 8; i++)
		pick(2);
	for (int k = 0; k < KERNELS; k++)
		kernel_make(&p.kernels[k]);
	do {
		p.node_count = 0;
		root = body_make(0);
		program_expand(root);
	} while (p.task_count < 1 || p.task_count > 300);
	schedule_make(&p.schedule);
	schedule_fit(&p.schedule);
	schedule_print(&p.schedule);
	program_print(root);
	return root;
}

/* ---- comparing ----------------------------------------------------------------------------------------------------------------- */

static unsigned long seed_now;

static void compare(const char *what, long long got, long long want, int task)
{
	if (got != want)
		CHECK_FAIL("seed %lu%s: %s %d is %lld, not %lld", seed_now, p.options, what, task, got, want);
}

static void compare_resource(json_t *stats, const char *name, const struct model_resource *want)
{
	json_t *row = cli_at(stats, check_fmt("resources[%s]", name));

	if (!row) {
		CHECK_FAIL("seed %lu: no resource %s", seed_now, name);
		return;
	}
	compare(check_fmt("%s high_water", name), cli_int(row, "high_water"), want->high_water, 0);
	compare(check_fmt("%s stall_count", name), cli_int(row, "stall_count"), want->stall_count, 0);
	compare(check_fmt("%s stall_cycles", name), cli_int(row, "stall_cycles"), want->stall_cycles, 0);
}

static int edge_order(const void *x, const void *y)
{
	const struct model_edge *a = x, *b = y;

	return a->consumer != b->consumer ? a->consumer - b->consumer : a->producer - b->producer;
}

static void compare_graph(json_t *graph, const struct model_run *run)
{
	json_t *edges = json_object_get(graph, "edges"), *edge;
	size_t n = json_array_size(edges), i;
	struct model_edge *got = calloc(n + 1, sizeof(*got));

	compare("tasks of the graph", (long long)json_array_size(json_object_get(graph, "tasks")), run->task_count, 0);
	compare("edges of the graph", (long long)n, run->edge_count, 0);
	json_array_foreach(edges, i, edge) {
		got[i].producer = (int)json_integer_value(json_array_get(edge, 0));
		got[i].consumer = (int)json_integer_value(json_array_get(edge, 1));
	}
	qsort(got, n, sizeof(*got), edge_order);
	for (i = 0; i < n && i < (size_t)run->edge_count; i++)
		if (edge_order(&got[i], &run->edges[i])) {
			CHECK_FAIL("seed %lu%s: edge %zu is %d>%d, not %d>%d", seed_now, p.options, i, got[i].producer, got[i].consumer,
				   run->edges[i].producer, run->edges[i].consumer);
			break;
		}
	free(got);
}

static void compare_trace(json_t *trace, const struct model_run *run)
{
	json_t *events = json_object_get(trace, "traceEvents"), *event;
	int seen = 0;
	size_t i;

	json_array_foreach(events, i, event) {
		json_t *number = cli_at(event, "args.task");
		const struct model_task *t;
		int task;

		if (!number)
			continue;
		task = (int)json_integer_value(number);
		if (task < 0 || task >= run->task_count) {
			CHECK_FAIL("seed %lu: task %d in the trace", seed_now, task);
			return;
		}
		t = &run->tasks[task];
		seen++;
		if (json_integer_value(json_object_get(event, "ts")) == t->start && json_integer_value(json_object_get(event, "dur")) == t->cycles &&
		    json_integer_value(json_object_get(event, "tid")) == t->executor)
			continue;
		compare("start of task", json_integer_value(json_object_get(event, "ts")), t->start, task);
		compare("cycles of task", json_integer_value(json_object_get(event, "dur")), t->cycles, task);
		compare("executor of task", json_integer_value(json_object_get(event, "tid")), t->executor, task);
		return;
	}
	compare("tasks in the trace", seen, run->task_count, 0);
}

static void compare_stats(json_t *stats, const struct model_run *run)
{
	compare("total_cycles", cli_int(stats, "total_cycles"), run->total, 0);
	compare("num_tasks", cli_int(stats, "num_tasks"), run->task_count, 0);
	compare("num_edges", cli_int(stats, "num_edges"), run->edge_count, 0);
	compare("num_executors", cli_int(stats, "num_executors"), p.schedule.executors, 0);
	compare_resource(stats, "task_ring", &run->ring);
	compare_resource(stats, "tensor_map", &run->map);
	compare_resource(stats, "dep_list", &run->deps);
	compare_resource(stats, "ready_any", &run->ready);
}

static void compare_memory(void)
{
	for (int t = 0; t < MODEL_TENSORS; t++) {
		size_t bytes = 0;
		float *data;

		if (!p.touched[t])
			continue;
		data = cli_npy_read(check_fmt("t%d.npy", t), "<f4", &bytes);
		compare("elements of tensor", (long long)(bytes / 4), p.touched[t], t);
		for (int64_t x = 0; data && x < p.touched[t] && (size_t)x < bytes / 4; x++)
			if (data[x] != p.memory[t][x]) {
				CHECK_FAIL("seed %lu%s: t%d[%lld] is %g, not %g", seed_now, p.options, t, (long long)x, (double)data[x],
					   (double)p.memory[t][x]);
				break;
			}
		free(data);
	}
}

/* The whole command line; tensors that nothing touches are left alone. */
static const char *command(const char *how)
{
	static char text[4096];
	int n = snprintf(text, sizeof(text), "$B/ptowsp-run -q --stats=json --graph g.json --trace t.json %s%s", how, p.options);

	for (int t = 0; t < MODEL_TENSORS && !strstr(how, "--no-kernels"); t++)
		if (p.touched[t])
			n += snprintf(text + n, sizeof(text) - (size_t)n, " --fill t%d=iota --out t%d=t%d.npy", t, t, t);
	snprintf(text + n, sizeof(text) - (size_t)n, " seed_%lu.pkg.zst", seed_now);
	return text;
}

static void run_as(const char *how, const struct model_run *run)
{
	int status = cli(command(how));

	if (run->too_small) {
		compare("exit status", status, 5, 0);
		return;
	}
	if (status) {
		CHECK_FAIL("seed %lu: exit %d with %s%s: %s", seed_now, status, how, p.options, cli_err);
		return;
	}
	compare_stats(cli_json(), run);
	compare_graph(cli_json_file("g.json"), run);
	compare_trace(cli_json_file("t.json"), run);
	if (!strstr(how, "--no-kernels") && !p.schedule.exact && !p.schedule.raw)
		compare_memory();
}

/* Nobody asks for tasks and edges, which is when loops may be replayed; those of these programs are too short for it, which must not show either. */
static void run_replayed(const char *when, const struct model_run *run)
{
	if (run->too_small)
		return;
	if (cli(check_fmt("$B/ptowsp-run -q --stats=json --no-kernels --opt replay=%s%s seed_%lu.pkg.zst", when, p.options, seed_now)))
		CHECK_FAIL("seed %lu: replay=%s%s: %s", seed_now, when, p.options, cli_err);
	else
		compare_stats(cli_json(), run);
}

static void run_seed(unsigned long seed)
{
	struct model_run run;

	seed_now = seed;
	program_make(seed);
	CHECK(check_write(check_fmt("%s/seed_%lu.pto", getenv("T"), seed), p.text, strlen(p.text)));
	model_run(&run, p.tasks, p.task_count, &p.schedule);
	if (cli(check_fmt("$B/ptowsp-pack seed_%lu.pto -o seed_%lu.pkg.zst", seed, seed)))
		CHECK_FAIL("seed %lu: pack: %s", seed, cli_err);
	else {
		run_as(seed % 2 ? "--threads 1" : "--threads 3", &run);
		run_as("--no-kernels", &run);
		run_replayed("off", &run);
		run_replayed("always", &run);
	}
	free(run.edges);
}

static void random_programs_run_as_the_model_says(void)
{
	const char *one = getenv("PTOWSP_SEED"), *many = getenv("PTOWSP_SEEDS");
	unsigned long count = many ? strtoul(many, NULL, 0) : cli_slow() ? 25 : 150;

	cli_begin();
	if (one)
		run_seed(strtoul(one, NULL, 0));
	for (unsigned long seed = 1; !one && seed <= count; seed++)
		run_seed(seed);
}

void suite_contract_random(CU_pSuite s)
{
	cli_suite("random");
	TEST(s, random_programs_run_as_the_model_says);
}
