/* SPDX-License-Identifier: MIT */
#include "program.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct contract_level_set contract_level_sets[] = {
	{0}, {8, 4, "{8:64,4:32,0:32}", 64, 32}, {8, 4, "{8:64,4:64,0:32}", 64, 64}, {4, 4, "{4:64,0:32}", 0, 64}, {8, 8, "{8:32,0:32}", 32, 0}};

struct contract_program contract_program;

static unsigned pick(unsigned n)
{
	contract_program.state ^= contract_program.state << 13;
	contract_program.state ^= contract_program.state >> 7;
	contract_program.state ^= contract_program.state << 17;
	return (unsigned)((contract_program.state >> 11) % n);
}

__attribute__((format(printf, 1, 2))) static void say(const char *fmt, ...)
{
	size_t n = strlen(contract_program.text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(contract_program.text + n, sizeof(contract_program.text) - n, fmt, ap);
	va_end(ap);
}

/* ---- making ------------------------------------------------------------------------------------------------------------ */

static void kernel_make(struct contract_kernel *k)
{
	memset(k, 0, sizeof(*k));
	k->param_count = 1 + (int)pick(CONTRACT_PARAMS);
	k->variant_rows = pick(2) ? 1 + (int)pick(6) : 0;
	for (int i = 0; i < k->param_count; i++) {
		struct contract_param *q = &k->params[i];

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

static void call_make(struct contract_node *n, int depth)
{
	n->kind = CONTRACT_CALL;
	n->kernel = (int)pick(CONTRACT_KERNELS);
	for (int i = 0; i < CONTRACT_PARAMS; i++) {
		struct contract_argument *a = &n->arguments[i];

		a->tensor = (int)pick(MODEL_TENSORS);
		a->tuple = pick(4) != 0;
		a->row_loop = depth && pick(3) ? (int)pick((unsigned)depth) : -1;
		a->row = (int)pick(4);
		a->column = pick(3) ? 0 : (int)pick(9);
	}
}

static int node_make(int depth)
{
	int index = contract_program.node_count++;
	struct contract_node *n = &contract_program.nodes[index];
	unsigned what = pick(10);

	memset(n, 0, sizeof(*n));
	n->child = n->next = -1;
	if (what < 4 && depth < 3 && contract_program.loops < MODEL_LOOPS) {
		n->kind = CONTRACT_LOOP;
		n->loop = depth;
		if (pick(3) == 0)
			n->levels = 1 + (int)pick(sizeof(contract_level_sets) / sizeof(*contract_level_sets) - 1);
		n->low = n->levels ? 0 : (int)pick(3);
		n->high = n->low + (int)pick(n->levels ? 14 : 6);
		n->step = n->levels ? 1 : 1 + (int)pick(2);
		n->child = body_make(depth + 1);
	} else if (what == 4 && depth) {
		n->kind = CONTRACT_BRANCH;
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

	for (unsigned i = 1 + pick(3); i-- && contract_program.node_count < CONTRACT_NODES - 8;) {
		int made = node_make(depth);

		*link = made;
		link = &contract_program.nodes[made].next;
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
	size_t n = strlen(contract_program.options);

	n += (size_t)snprintf(contract_program.options + n, sizeof(contract_program.options) - n, " --schedule '");
	n += (size_t)snprintf(contract_program.options + n, sizeof(contract_program.options) - n, fmt, a, b);
	snprintf(contract_program.options + n, sizeof(contract_program.options) - n, "'");
}

static void schedule_print(const struct model_schedule *s)
{
	static const char *const dispatch[] = {"", "dispatch=round_robin(%lld)", "dispatch=work_steal(%lld)", "dispatch=affinity(l0,%lld)", "dispatch=hash(l0,%lld)"};

	*contract_program.options = 0;
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
float contract_constant(int k, int i)
{
	return 0.25f * (float)(1 + k) + (float)i;
}

/* An earlier or later parameter that is read and has the same shape. */
int contract_source_of(const struct contract_kernel *k, int i)
{
	for (int j = 0; j < k->param_count; j++)
		if ((k->params[j].mode & MODEL_READ) && k->params[j].rows == k->params[i].rows && k->params[j].columns == k->params[i].columns)
			return j;
	return -1;
}

static void write_print(const struct contract_kernel *k, int number, int i, int rows)
{
	const struct contract_param *q = &k->params[i];
	int from = contract_source_of(k, i);
	char tile[64];

	snprintf(tile, sizeof(tile), "!pto.tile<%dx%dxf32>", rows, q->columns);
	if (q->mode & MODEL_READ) {
		say("  %%w%d = tadds %%t%d, %%%.2f : %s, f32\n", i, i, (double)contract_constant(number, i), tile);
	} else if (from >= 0) {
		say("  %%w%d = tmuls %%t%d, %%0.5 : %s, f32\n", i, from, tile);
		say("  %%w%d = tadds %%w%d, %%%.2f : %s, f32\n", i, i, (double)contract_constant(number, i), tile);
	} else {
		say("  %%w%d = texpands %%%.2f : f32, %s\n", i, (double)contract_constant(number, i), tile);
	}
}

/* A variant has as many rows everywhere: more tiles are of equal shape, and its data flow may differ. */
struct contract_kernel contract_variant_of(const struct contract_kernel *k)
{
	struct contract_kernel v = *k;

	for (int i = 0; i < v.param_count; i++)
		v.params[i].rows = k->variant_rows;
	return v;
}

static void kernel_print(const struct contract_kernel *k, int number, const char *suffix)
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
	for (; index >= 0; index = contract_program.nodes[index].next) {
		const struct contract_node *n = &contract_program.nodes[index];

		if (n->kind == CONTRACT_LOOP) {
			say("%*sFOR %%l%d:idx, %d:idx, %d:idx, %d:idx", indent, "", n->loop, n->low, n->high, n->step);
			if (n->levels)
				say(" max_range=%d min_range=%d tile_levels=%s", contract_level_sets[n->levels].max_range, contract_level_sets[n->levels].min_range,
				    contract_level_sets[n->levels].text);
			say("\n");
			body_print(n->child, indent + 2);
			say("%*sENDFOR\n", indent, "");
		} else if (n->kind == CONTRACT_BRANCH) {
			say("%*sCMP %%c:u1, %%l%d:idx, %d:idx, GT\n%*sIF %%c:u1\n", indent, "", n->compare_loop, n->compare_with, indent, "");
			body_print(n->child, indent + 2);
			say("%*sENDIF\n", indent, "");
		} else {
			say("%*sCALL @k%c(", indent, "", 'a' + n->kernel);
			for (int i = 0; i < contract_program.kernels[n->kernel].param_count; i++) {
				const struct contract_argument *a = &n->arguments[i];

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
	*contract_program.text = 0;
	say("// PTO Module: random\n// Entry: @main\n\n");
	for (int k = 0; k < CONTRACT_KERNELS; k++) {
		kernel_print(&contract_program.kernels[k], k, "");
		if (contract_program.kernels[k].variant_rows) {
			struct contract_kernel v = contract_variant_of(&contract_program.kernels[k]);

			kernel_print(&v, k, "_64");
		}
	}
	say("// Function Type: Orchestration\nfunc @main(%%t0: " MEMREF ", %%t1: " MEMREF ", %%t2: " MEMREF ", %%t3: " MEMREF ") {\n"
	    "  %%c = alloc_scalar : u1\n");
	body_print(root, 2);
	say("  return\n}\n");
}

/* ---- the whole ------------------------------------------------------------------------------------------------------------------ */

/* A policy by loop needs the loop: affinity somewhere, hash around every task. */
static void schedule_fit(struct model_schedule *s)
{
	int inside = 0;

	for (int i = 0; i < contract_program.task_count; i++)
		inside += contract_program.tasks[i].loops[0] >= 0;
	if ((s->dispatch == MODEL_AFFINITY && !inside) || (s->dispatch == MODEL_HASH && inside < contract_program.task_count))
		s->dispatch = MODEL_ROUND_ROBIN;
}

void contract_program_make(uint64_t seed)
{
	int root;

	contract_program.state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
	for (int i = 0; i < 8; i++)
		pick(2);
	for (int k = 0; k < CONTRACT_KERNELS; k++)
		kernel_make(&contract_program.kernels[k]);
	do {
		contract_program.node_count = 0;
		root = body_make(0);
		contract_program_expand(root);
	} while (contract_program.task_count < 1 || contract_program.task_count > 300);
	schedule_make(&contract_program.schedule);
	schedule_fit(&contract_program.schedule);
	schedule_print(&contract_program.schedule);
	program_print(root);
}
