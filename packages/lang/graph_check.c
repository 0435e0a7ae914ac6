/* SPDX-License-Identifier: MIT */
/* graph_check.c - the constraints of one graph: edges, visibility, barriers, cores. */
#include "lang/graph.h"
#include "lang/graph_order.h"
#include "ptowsp/task.h"

#include <string.h>

/* Pairs of bindings that are compared for visibility, per tensor: more of them are a generated program's. */
#define MAX_PAIRS 65536u

struct graph_check {
	struct lang_unit *unit;
	struct lang_module *module;
	struct lang_graph_program *program;
	struct lang_graph_order order; /* of the graph at hand */
	struct touches *touches;       /* by tensor */
};

/* --- edges --- */

static const struct lang_graph_bind *bind_find(const struct lang_graph_kernel *kernel, const struct lang_graph_tensor *tensor)
{
	for (uint32_t i = 0; i < kernel->bind_count; i++)
		if (kernel->binds[i]->tensor == tensor)
			return kernel->binds[i];
	return NULL;
}

/* What a kernel does with a tensor, through all its arguments; 0: unknown. */
static unsigned access_of(const struct lang_graph_kernel *kernel, const struct lang_graph_tensor *tensor)
{
	unsigned access = 0;

	for (uint32_t i = 0; i < kernel->bind_count; i++)
		if (kernel->binds[i]->tensor == tensor)
			access |= kernel->binds[i]->access;
	return access;
}

static int share_tensor(const struct lang_graph_kernel *a, const struct lang_graph_kernel *b)
{
	for (uint32_t i = 0; i < a->bind_count; i++)
		if (bind_find(b, a->binds[i]->tensor))
			return 1;
	return 0;
}

/* The tensor of a DATA edge is written by the one and read by the other. */
static void data_check(struct lang_unit *unit, const struct lang_graph_depend *d)
{
	const char *src = d->src->object.name, *dst = d->dst->object.name;
	unsigned access;

	if (!d->tensor) {
		if (!share_tensor(d->src, d->dst)) {
			lang_error(unit, d->inst->at, "%s and %s have no tensor in common, which DATA needs", src, dst);
			lang_help(unit, "bind one to both of them with MC_BIND, or write AFTER");
		}
		return;
	}
	access = access_of(d->src, d->tensor);
	if (!bind_find(d->src, d->tensor)) {
		lang_error(unit, d->inst->args[3].at, "%s is not bound to %s, which should write it", d->tensor->object.name, src);
		lang_help(unit, "MC_BIND(%s, ARGUMENT, %s)", src, d->tensor->object.name);
		return;
	}
	if (access && !(access & PTOWSP_WRITE)) {
		lang_error(unit, d->inst->args[3].at, "%s does not write %s", src, d->tensor->object.name);
		return;
	}
	access = access_of(d->dst, d->tensor);
	if (!bind_find(d->dst, d->tensor)) {
		lang_error(unit, d->inst->args[3].at, "%s is not bound to %s, which should read it", d->tensor->object.name, dst);
		lang_help(unit, "MC_BIND(%s, ARGUMENT, %s)", dst, d->tensor->object.name);
	} else if (access && !(access & PTOWSP_READ)) {
		lang_error(unit, d->inst->args[3].at, "%s does not read %s", dst, d->tensor->object.name);
	}
}

static void depends_check(struct graph_check *check)
{
	const struct lang_graph *graph = check->order.graph;

	for (uint32_t i = 0; i < graph->depend_count; i++) {
		const struct lang_graph_depend *d = graph->depends[i];

		if (!graph->fused[0] && d->type == PTOWSP_dep_type_DATA)
			data_check(check->unit, d);
	}
}

/* --- visibility --- */

/* In the two branches of one CF_IF. */
static int are_alternatives(const struct lang_graph_inst *a, const struct lang_graph_inst *b)
{
	for (const struct lang_graph_inst *x = a; x->parent; x = x->parent)
		for (const struct lang_graph_inst *y = b; y->parent; y = y->parent)
			if (x->parent == y->parent && x->parent->op == PTOWSP_CF_IF && x != y)
				return (x->order < x->parent->else_order) != (y->order < x->parent->else_order) && x->parent->has_else;
	return 0;
}

/* One binding writes what the other one reads or writes: is that ordered, and is it seen? */
static void pair_check(struct graph_check *check, const struct lang_graph_bind *writer, const struct lang_graph_bind *other)
{
	const struct lang_graph_order *order = &check->order;
	uint32_t w = writer->kernel->node, o = other->kernel->node;
	const char *wn = writer->kernel->object.name, *on = other->kernel->object.name, *tn = writer->tensor->object.name;

	if (!(writer->access & PTOWSP_WRITE) || !other->access || !lang_graph_overlaps(writer, other) ||
	    are_alternatives(writer->kernel->inst, other->kernel->inst))
		return;
	if (!lang_graph_is_before(order, w, o)) {
		if (!lang_graph_is_before(order, o, w) && (!(other->access & PTOWSP_WRITE) || w < o)) {
			lang_warn(check->unit, other->inst->at, "%s writes %s, %s %s it, and nothing orders the two", wn, tn, on,
				  other->access & PTOWSP_READ ? "reads" : "writes");
			lang_help(check->unit, "TG_DEPEND(%s, %s, DATA, %s)", wn, on, tn);
		}
		return;
	}
	if (!(other->access & PTOWSP_READ) || lang_graph_is_visible(order, w, o))
		return;
	lang_warn(check->unit, other->inst->at, "%s reads %s, which %s writes, and only AFTER orders the two: what was written need not be visible", on,
		  tn, wn);
	lang_help(check->unit, "TG_DEPEND(%s, %s, DATA, %s), or MC_FENCE(DEVICE) between the two kernels", wn, on, tn);
}

/* The bindings of one graph by tensor; empty between two graphs. */
struct touches {
	struct lang_graph_bind **rows;
	uint32_t count, capacity;
};

static void visibility_check(struct graph_check *check)
{
	const struct lang_graph *graph = check->order.graph;

	for (uint32_t k = 0; k < graph->kernel_count; k++)
		for (uint32_t i = 0; i < graph->kernels[k]->bind_count; i++) {
			struct lang_graph_bind *bind = graph->kernels[k]->binds[i];
			struct touches *t = &check->touches[bind->tensor->object.index];

			if (bind->access)
				*LANG_PUSH(&check->unit->arena, t->rows, t->count, t->capacity) = bind;
		}
	for (uint32_t k = 0; k < graph->kernel_count; k++)
		for (uint32_t i = 0; i < graph->kernels[k]->bind_count; i++) {
			struct touches *t = &check->touches[graph->kernels[k]->binds[i]->tensor->object.index];
			uint32_t pairs = 0;

			for (uint32_t a = 0; a < t->count; a++)
				for (uint32_t b = 0; b < t->count && pairs < MAX_PAIRS; b++, pairs++)
					if (t->rows[a]->kernel != t->rows[b]->kernel)
						pair_check(check, t->rows[a], t->rows[b]);
			t->count = 0;
		}
}

/* --- cores --- */

struct cores {
	const char *device;
	uint64_t aic, aiv, aicpu;
};

/* The device that the package is for: the smallest of its targets, without one the largest that there is. */
static struct cores cores_of(const struct lang_module *module)
{
	static const struct cores devices[] = {
#define X(target, aic, aiv, aicpu) {target, aic, aiv, aicpu},
#include "lang/cores.def"
#undef X
	};
	struct cores best = {NULL, 0, 0, 0};

	for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++)
		for (uint32_t t = 0; t < module->target_count; t++)
			if (!strcmp(module->targets[t], devices[i].device) && (!best.device || devices[i].aic < best.aic))
				best = devices[i];
	for (size_t i = 0; i < sizeof(devices) / sizeof(*devices) && !best.device; i++)
		if (devices[i].aic > best.aic || i == 0)
			best.aic = devices[i].aic, best.aiv = devices[i].aiv, best.aicpu = devices[i].aicpu;
	if (!best.device)
		best.device = "the largest device";
	return best;
}

static void cores_refuse(struct lang_unit *unit, struct lang_span at, const char *who, const char *what, uint64_t asked,
			 const struct cores *cores, uint64_t there)
{
	lang_error(unit, at, "%s for %llu %s cores, and %s has %llu", who, (unsigned long long)asked, what, cores->device, (unsigned long long)there);
}

static void request_check(struct graph_check *check, const struct lang_graph_inst *inst, const struct cores *cores)
{
	const struct lang_graph_kernel *kernel = lang_graph_kernel(inst->args[0].object);
	const char *who = lang_format(&check->unit->arena, "%s asks", kernel->object.name);

	if (kernel->aic > cores->aic)
		cores_refuse(check->unit, inst->args[1].at, who, "AIC", kernel->aic, cores, cores->aic);
	if (kernel->aiv > cores->aiv)
		cores_refuse(check->unit, inst->args[2].at, who, "AIV", kernel->aiv, cores, cores->aiv);
	if (kernel->aicpu > cores->aicpu)
		cores_refuse(check->unit, inst->args[3].at, who, "AICPU", kernel->aicpu, cores, cores->aicpu);
}

static void partition_check(struct graph_check *check, const struct lang_graph_inst *inst, const struct cores *cores)
{
	const char *name = inst->args[0].object->name;

	if (inst->args[1].value + inst->args[2].value > cores->aic)
		lang_error(check->unit, inst->args[2].at, "partition %s ends at AIC core %llu, and %s has %llu", name,
			   (unsigned long long)(inst->args[1].value + inst->args[2].value), cores->device, (unsigned long long)cores->aic);
	if (inst->args[3].value + inst->args[4].value > cores->aiv)
		lang_error(check->unit, inst->args[4].at, "partition %s ends at AIV core %llu, and %s has %llu", name,
			   (unsigned long long)(inst->args[3].value + inst->args[4].value), cores->device, (unsigned long long)cores->aiv);
}

static int ranges_meet(uint64_t a, uint64_t an, uint64_t b, uint64_t bn)
{
	return an && bn && a < b + bn && b < a + an;
}

/* Requests and partitions, wherever they stand; partitions do not share cores. */
static void cores_walk(struct graph_check *check, const struct lang_graph_block *block, const struct cores *cores,
		       const struct lang_graph_inst **last)
{
	for (const struct lang_graph_inst *inst = block->first; inst; inst = inst->next) {
		if (inst->op == PTOWSP_CA_REQUEST)
			request_check(check, inst, cores);
		if (inst->op == PTOWSP_CA_PARTITION) {
			const struct lang_graph_arg *a = inst->args, *b = *last ? (*last)->args : NULL;

			partition_check(check, inst, cores);
			if (b && (ranges_meet(a[1].value, a[2].value, b[1].value, b[2].value) ||
				  ranges_meet(a[3].value, a[4].value, b[3].value, b[4].value))) {
				lang_error(check->unit, inst->at, "partitions %s and %s share cores", b[0].object->name, a[0].object->name);
				lang_help(check->unit, "%s is defined at %s", b[0].object->name, lang_place(check->unit, (*last)->at));
			}
			*last = inst;
		}
		cores_walk(check, &inst->body, cores, last);
		cores_walk(check, &inst->other, cores, last);
	}
}

/* Kernels of one depth wait for none of each other: they can run at the same time, and then their requests add up. */
static void levels_check(struct graph_check *check, const struct cores *cores)
{
	const struct lang_graph_order *order = &check->order;
	const struct lang_graph *graph = order->graph;
	uint32_t *level = lang_alloc(&check->unit->arena, (order->node_count + 1) * sizeof(*level));
	struct cores *sums = lang_alloc(&check->unit->arena, ((size_t)order->node_count + 1) * sizeof(*sums));
	uint32_t *at = lang_alloc(&check->unit->arena, ((size_t)graph->kernel_count + 1) * sizeof(*at));
	uint32_t *asked = lang_alloc(&check->unit->arena, ((size_t)order->node_count + 1) * sizeof(*asked)); /* kernels of the level */

	for (uint32_t i = 0; i < graph->kernel_count; i++)
		at[order->position[i]] = i;
	for (uint32_t i = 0; i < graph->kernel_count; i++)
		for (uint32_t k = 0; k < i; k++)
			if (lang_graph_is_before(order, at[k], at[i]) && level[at[i]] <= level[at[k]])
				level[at[i]] = level[at[k]] + 1;
	for (uint32_t i = 0; i < graph->kernel_count; i++) {
		const struct lang_graph_kernel *kernel = graph->kernels[at[i]];
		struct cores *sum = &sums[level[at[i]]];

		if (!kernel->requested || kernel->inst->parent->parent || sum->device)
			continue;
		sum->aic += kernel->aic < cores->aic ? kernel->aic : cores->aic;
		sum->aiv += kernel->aiv < cores->aiv ? kernel->aiv : cores->aiv;
		sum->aicpu += kernel->aicpu < cores->aicpu ? kernel->aicpu : cores->aicpu;
		/* What one kernel asks for beyond all bounds is told at its request. */
		if (++asked[level[at[i]]] < 2 || (sum->aic <= cores->aic && sum->aiv <= cores->aiv && sum->aicpu <= cores->aicpu))
			continue;
		sum->device = "told";
		cores_refuse(check->unit, kernel->object.at,
			     lang_format(&check->unit->arena, "%s and kernels beside it that wait for none of each other ask", kernel->object.name),
			     sum->aic > cores->aic ? "AIC" : sum->aiv > cores->aiv ? "AIV" : "AICPU",
			     sum->aic > cores->aic ? sum->aic : sum->aiv > cores->aiv ? sum->aiv : sum->aicpu, cores,
			     sum->aic > cores->aic ? cores->aic : sum->aiv > cores->aiv ? cores->aiv : cores->aicpu);
		lang_help(check->unit, "order them with TG_DEPEND, or ask for less: CA_REQUEST(%s, ...)", kernel->object.name);
	}
}

/* --- all of it --- */

static void graph_check(struct graph_check *check, struct lang_graph *graph, const struct cores *cores)
{
	lang_graph_order_make(check->unit, graph, &check->order);
	if (check->order.broken)
		return;
	depends_check(check);
	if (!check->order.before)
		return;
	if (!graph->fused[0])
		visibility_check(check);
	for (uint32_t i = 0; i < graph->kernel_count; i++)
		if (graph->kernels[i]->requested) {
			levels_check(check, cores);
			return;
		}
}

static void empty_warn(struct lang_unit *unit, const struct lang_graph *graph)
{
	if (!graph->kernel_count && !graph->fused[0])
		lang_warn(unit, graph->object.at, "graph %s has no kernel", graph->object.name);
}

void lang_graph_check(struct lang_module *module, struct lang_decl *decl)
{
	struct lang_graph_program *program = (struct lang_graph_program *)(void *)decl;
	struct graph_check check = {.unit = module->unit, .module = module, .program = program};
	const struct cores cores = cores_of(module);
	const struct lang_graph_inst *partition = NULL;
	uint32_t errors = module->unit->list->head.errors;

	if (decl->broken)
		return;
	check.touches = lang_alloc(&module->unit->arena, (program->tensor_count + 1) * sizeof(*check.touches));
	lang_graph_bind(module, program);
	cores_walk(&check, &program->body, &cores, &partition);
	if (module->unit->list->head.errors == errors)
		lang_graph_fuse(module->unit, program);
	for (uint32_t i = 0; i < program->graph_count; i++) {
		empty_warn(module->unit, program->graphs[i]);
		graph_check(&check, program->graphs[i], &cores);
	}
	lang_graph_run_check(module->unit, program);
}
