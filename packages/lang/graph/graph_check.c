/* SPDX-License-Identifier: MIT */
/* graph_check.c - the constraints of one graph: edges, visibility, barriers, cores. */
#include "lang/graph/lang_graph.h"
#include "ptowsp/task.h"

#include <stdbool.h>
#include <string.h>

struct graph_check {
	struct lang_unit *unit;
	struct lang_module *module;
	struct lang_graph_program *program;
	struct lang_graph_order order;             /* of the graph at hand */
	const struct lang_graph_inst **partitions; /* so far */
	uint32_t partition_count, partition_capacity;
};

/* --- edges --- */

static const struct lang_graph_bind *bind_find(const struct lang_graph_kernel *kernel, const struct lang_graph_tensor *tensor)
{
	for (uint32_t i = 0; i < kernel->bind_count; i++)
		if (kernel->binds[i]->tensor == tensor)
			return kernel->binds[i];
	return NULL;
}

/* The access of a kernel to a tensor, through all its arguments; 0: unknown. */
static unsigned access_of(const struct lang_graph_kernel *kernel, const struct lang_graph_tensor *tensor)
{
	unsigned access = 0;

	for (uint32_t i = 0; i < kernel->bind_count; i++)
		if (kernel->binds[i]->tensor == tensor)
			access |= kernel->binds[i]->access;
	return access;
}

static bool share_tensor(const struct lang_graph_kernel *a, const struct lang_graph_kernel *b)
{
	for (uint32_t i = 0; i < a->bind_count; i++)
		if (bind_find(b, a->binds[i]->tensor))
			return true;
	return false;
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
		if (d->type != PTOWSP_dep_type_SOFT && lang_graph_are_alternatives(d->src->inst, d->dst->inst)) {
			lang_warn(check->unit, d->inst->at, "%s and %s stand in the two branches of a CF_IF, of which one is taken: the edge orders nothing",
				  d->src->object.name, d->dst->object.name);
			lang_help(check->unit, "take it out, or move one of the kernels out of the branches");
		}
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

static void cores_refuse(struct lang_unit *unit, struct lang_span at, const char *who, const char *what, uint64_t asked, const struct cores *cores,
			 uint64_t there)
{
	lang_error(unit, at, "%s for %llu %s cores, and %s has %llu", who, (unsigned long long)asked, what, cores->device, (unsigned long long)there);
}

/* Cores that the kernel does not run on. */
static void kind_check(struct lang_unit *unit, const struct lang_graph_inst *inst, uint32_t operand, uint32_t other, const char *what)
{
	const struct lang_graph_kernel *kernel = lang_graph_kernel(inst->args[0].object);

	if (!inst->args[operand].value || (kernel->core_type != other && kernel->core_type != PTOWSP_core_type_AICPU))
		return;
	lang_warn(unit, inst->args[operand].at, "%s asks for %s cores, and its core_type is %s", kernel->object.name, what,
		  pkg_word(PKG_WORDS_core_type, kernel->core_type));
	lang_help(unit, "a kernel of core_type AIC_AIV runs on both");
}

static void request_check(struct graph_check *check, const struct lang_graph_inst *inst, const struct cores *cores)
{
	const struct lang_graph_kernel *kernel = lang_graph_kernel(inst->args[0].object);
	const char *who = common_format(&check->unit->arena, "%s asks", kernel->object.name);

	if (kernel->aic > cores->aic)
		cores_refuse(check->unit, inst->args[1].at, who, "AIC", kernel->aic, cores, cores->aic);
	if (kernel->aiv > cores->aiv)
		cores_refuse(check->unit, inst->args[2].at, who, "AIV", kernel->aiv, cores, cores->aiv);
	if (kernel->aicpu > cores->aicpu)
		cores_refuse(check->unit, inst->args[3].at, who, "AICPU", kernel->aicpu, cores, cores->aicpu);
	kind_check(check->unit, inst, 1, PTOWSP_core_type_AIV, "AIC");
	kind_check(check->unit, inst, 2, PTOWSP_core_type_AIC, "AIV");
}

static void partition_refuse(struct lang_unit *unit, const struct lang_graph_inst *inst, uint32_t operand, const char *what, const struct cores *cores,
			     uint64_t there)
{
	uint64_t end = inst->args[operand].value + inst->args[operand + 1].value;

	lang_error(unit, inst->args[operand + 1].at, "partition %s ends at %s core %llu, and %s has %llu", inst->args[0].object->name, what,
		   (unsigned long long)end, cores->device, (unsigned long long)there);
}

/* 1: it has cores. */
static bool partition_check(struct graph_check *check, const struct lang_graph_inst *inst, const struct cores *cores)
{
	const struct lang_graph_arg *a = inst->args;

	if (a[1].value + a[2].value > cores->aic)
		partition_refuse(check->unit, inst, 1, "AIC", cores, cores->aic);
	if (a[3].value + a[4].value > cores->aiv)
		partition_refuse(check->unit, inst, 3, "AIV", cores, cores->aiv);
	if (!a[2].value && !a[4].value) {
		lang_error(check->unit, inst->at, "partition %s has no cores", a[0].object->name);
		lang_help(check->unit, "CA_PARTITION(%s, AIC_START, AIC_COUNT, AIV_START, AIV_COUNT): one of the counts must not be 0", a[0].object->name);
	}
	return a[2].value || a[4].value;
}

static bool ranges_meet(uint64_t a, uint64_t an, uint64_t b, uint64_t bn)
{
	return an && bn && a < b + bn && b < a + an;
}

/* Sound partitions are few: no two share cores, and each has some. The compilation ends at the 20th that is not. */
static void partitions_compare(struct graph_check *check, const struct lang_graph_inst *inst)
{
	const struct lang_graph_arg *a = inst->args;

	for (uint32_t i = 0; i < check->partition_count; i++) {
		const struct lang_graph_arg *b = check->partitions[i]->args;

		if (!ranges_meet(a[1].value, a[2].value, b[1].value, b[2].value) && !ranges_meet(a[3].value, a[4].value, b[3].value, b[4].value))
			continue;
		lang_error(check->unit, inst->at, "partitions %s and %s share cores", b[0].object->name, a[0].object->name);
		lang_help(check->unit, "%s is defined at %s", b[0].object->name, lang_place(check->unit, check->partitions[i]->at));
		return;
	}
	*COMMON_PUSH(&check->unit->arena, check->partitions, check->partition_count, check->partition_capacity) = inst;
}

/* Requests and partitions, wherever they stand. */
static void cores_walk(struct graph_check *check, const struct lang_graph_block *block, const struct cores *cores)
{
	for (const struct lang_graph_inst *inst = block->first; inst; inst = inst->next) {
		if (inst->op == PTOWSP_CA_REQUEST)
			request_check(check, inst, cores);
		if (inst->op == PTOWSP_CA_PARTITION && partition_check(check, inst, cores))
			partitions_compare(check, inst);
		cores_walk(check, &inst->body, cores);
		cores_walk(check, &inst->other, cores);
	}
}

/* By node: how many kernels lie on the longest way to it. */
static uint32_t *levels_make(struct graph_check *check)
{
	const struct lang_graph_order *order = &check->order;
	uint32_t *level = common_alloc(&check->unit->arena, ((size_t)order->node_count + 1) * sizeof(*level));

	for (uint32_t i = 0; i < order->node_count; i++) {
		uint32_t node = order->sorted[i], then = level[node] + (node < order->kernel_count);

		for (uint32_t e = order->first[node]; e; e = order->next[e - 1])
			if (level[order->edges[e - 1].to] < then)
				level[order->edges[e - 1].to] = then;
	}
	return level;
}

/* Kernels of one depth wait for none of each other: they can run at the same time, and then their requests add up. */
static void levels_check(struct graph_check *check, const struct cores *cores)
{
	const struct lang_graph_order *order = &check->order;
	const struct lang_graph *graph = order->graph;
	uint32_t *level = levels_make(check);
	struct cores *sums = common_alloc(&check->unit->arena, ((size_t)order->node_count + 1) * sizeof(*sums));
	uint32_t *at = common_alloc(&check->unit->arena, ((size_t)graph->kernel_count + 1) * sizeof(*at));
	uint32_t *asked = common_alloc(&check->unit->arena, ((size_t)order->node_count + 1) * sizeof(*asked)); /* kernels of the level */

	for (uint32_t i = 0; i < graph->kernel_count; i++)
		at[order->position[i]] = i;
	for (uint32_t i = 0; i < graph->kernel_count; i++) {
		const struct lang_graph_kernel *kernel = graph->kernels[at[i]];
		struct cores *sum = &sums[level[at[i]]];

		if (!kernel->requested || kernel->inst->parent->parent || sum->device)
			continue;
		sum->aic += kernel->aic < cores->aic ? kernel->aic : cores->aic;
		sum->aiv += kernel->aiv < cores->aiv ? kernel->aiv : cores->aiv;
		sum->aicpu += kernel->aicpu < cores->aicpu ? kernel->aicpu : cores->aicpu;
		/* A request of one kernel beyond all bounds is told at that request. */
		if (++asked[level[at[i]]] < 2 || (sum->aic <= cores->aic && sum->aiv <= cores->aiv && sum->aicpu <= cores->aicpu))
			continue;
		sum->device = "told";
		cores_refuse(check->unit, kernel->object.at,
			     common_format(&check->unit->arena, "%s and kernels beside it that wait for none of each other ask", kernel->object.name),
			     sum->aic > cores->aic   ? "AIC"
			     : sum->aiv > cores->aiv ? "AIV"
						     : "AICPU",
			     sum->aic > cores->aic   ? sum->aic
			     : sum->aiv > cores->aiv ? sum->aiv
						     : sum->aicpu,
			     cores,
			     sum->aic > cores->aic   ? cores->aic
			     : sum->aiv > cores->aiv ? cores->aiv
						     : cores->aicpu);
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
	if (!graph->fused[0])
		lang_graph_race_check(check->unit, &check->order);
	for (uint32_t i = 0; i < graph->kernel_count; i++)
		if (graph->kernels[i]->requested) {
			levels_check(check, cores);
			return;
		}
}

/* --- what has no effect, or no end --- */

static void sets_warn(struct lang_unit *unit, const struct lang_graph_inst *inst)
{
	if (inst->args[0].set_count > 1)
		return;
	lang_warn(unit, inst->args[0].at, "%s has no effect on one kernel: %s has nothing to %s", pkg_graph_form(inst->op)->name, inst->args[0].set[0]->name,
		  inst->op == PTOWSP_SY_BARRIER ? "wait for" : "share or keep apart from");
}

/* Two kernels that an earlier instruction wants as this one does not. */
static void affinity_check(struct lang_unit *unit, const struct lang_graph_inst *inst)
{
	const struct lang_graph_arg *set = &inst->args[0];
	const int apart = inst->args[1].value == PTOWSP_affinity_type_SEPARATE;
	const struct lang_graph_inst *other = NULL;
	const char *first = NULL;

	for (uint32_t i = 0; i < set->set_count; i++) {
		struct lang_graph_kernel *kernel = lang_graph_kernel(set->set[i]);
		const struct lang_graph_inst *against = apart ? kernel->together : kernel->apart;

		if (against && against == other) {
			lang_warn(unit, set->at, "%s and %s are to be %s here and %s at %s", first, kernel->object.name, apart ? "apart" : "together",
				  apart ? "together" : "apart", lang_place(unit, against->at));
			lang_help(unit, "take one of the two hints out");
			return;
		}
		if (against) {
			other = against;
			first = kernel->object.name;
		}
		*(apart ? &kernel->apart : &kernel->together) = inst;
	}
}

static bool has_break(const struct lang_graph_block *block)
{
	for (const struct lang_graph_inst *inst = block->first; inst; inst = inst->next)
		if (inst->op == PTOWSP_CF_BREAK || (inst->op == PTOWSP_CF_IF && (has_break(&inst->body) || has_break(&inst->other))))
			return true;
	return false;
}

/* The scalar reads an element, which kernels of the loop may change. */
static bool can_change(const struct lang_graph_scalar *scalar)
{
	return scalar && (scalar->op == PTOWSP_GRAPH_NODE_ELEMENT || can_change(scalar->a) || can_change(scalar->b) || can_change(scalar->c));
}

static void while_check(struct lang_unit *unit, const struct lang_graph_inst *inst)
{
	const struct lang_graph_scalar *condition = inst->args[0].scalar;
	int64_t value;

	if (has_break(&inst->body) || can_change(condition))
		return;
	if (!lang_graph_constant(condition, &value))
		lang_warn(unit, inst->args[0].at, "this loop does not end once it has begun: nothing in it changes its condition");
	else if (value)
		lang_error(unit, inst->args[0].at, "this loop does not end: its condition is always %lld", (long long)value);
	else
		return;
	lang_help(unit, "read an element of a tensor that its kernels write, T[0], or put a CF_BREAK into it");
}

static void sense_walk(struct lang_unit *unit, const struct lang_graph_block *block)
{
	for (const struct lang_graph_inst *inst = block->first; inst; inst = inst->next) {
		if (inst->op == PTOWSP_CF_WHILE)
			while_check(unit, inst);
		else if (inst->op == PTOWSP_SY_BARRIER || inst->op == PTOWSP_CA_AFFINITY)
			sets_warn(unit, inst);
		if (inst->op == PTOWSP_CA_AFFINITY && inst->args[1].value != PTOWSP_affinity_type_L2_SHARE)
			affinity_check(unit, inst);
		sense_walk(unit, &inst->body);
		sense_walk(unit, &inst->other);
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
	uint32_t errors = module->unit->list->head.errors;

	if (decl->broken)
		return;
	lang_graph_bind(module, program);
	cores_walk(&check, &program->body, &cores);
	sense_walk(module->unit, &program->body);
	if (module->unit->list->head.errors == errors)
		lang_graph_fuse(module->unit, program);
	for (uint32_t i = 0; i < program->graph_count; i++) {
		empty_warn(module->unit, program->graphs[i]);
		graph_check(&check, program->graphs[i], &cores);
	}
	lang_graph_run_check(module->unit, program);
}
