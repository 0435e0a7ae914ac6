/* SPDX-License-Identifier: MIT */
/* graph_launch.c - the launches of a graph program and who waits for whom: launches on one stream follow each other, and what stands behind a
 * TG_SYNC follows the launches of its graph. */
#include "lang/graph_lower.h"

#include <string.h>

enum { DIRECT = 1, BEHIND = 2 }; /* bits of lang_graph_launch.waits */

/* --- finding them --- */

static int is_copies(unsigned op)
{
	return op == PTOWSP_MC_COPY || op == PTOWSP_TG_CHECKPOINT || op == PTOWSP_TG_RESTORE;
}

static void copies_find(struct lang_graph_lowering *lowering, struct lang_graph_launch *launch, const struct lang_graph_block *block)
{
	for (struct lang_graph_inst *inst = block->first; inst; inst = inst->next) {
		if (inst->op == PTOWSP_MC_COPY)
			*LANG_PUSH(&lowering->unit->arena, launch->copies, launch->copy_count, launch->copy_capacity) = inst;
		launch->branches |= inst->op == PTOWSP_CF_IF || inst->op == PTOWSP_CF_LOOP || inst->op == PTOWSP_CF_WHILE;
		copies_find(lowering, launch, &inst->body);
		copies_find(lowering, launch, &inst->other);
	}
}

/* How many tensors a checkpoint of the graph would save, and its mark: an upper bound, one node each. */
static uint32_t tensors_of(const struct lang_graph_lowering *lowering)
{
	return lowering->program->tensor_count + 1;
}

static void edge_ends_find(struct lang_graph_launch *launch)
{
	struct lang_graph *graph = launch->graph;

	for (uint32_t i = 0; i < launch->node_count; i++)
		launch->nodes[i].source = launch->nodes[i].sink = 1;
	for (uint32_t i = 0; graph && i < graph->depend_count; i++) {
		const struct lang_graph_depend *depend = graph->depends[i];

		if (depend->type == PTOWSP_dep_type_SOFT)
			continue;
		lang_graph_node_of(launch, depend->src)->sink = 0;
		lang_graph_node_of(launch, depend->dst)->source = 0;
	}
}

/* 1: something in the block runs whatever the conditions are. */
static int has_task(const struct lang_graph_block *block)
{
	for (const struct lang_graph_inst *inst = block->first; inst; inst = inst->next)
		if (inst->op == PTOWSP_TG_KERNEL || inst->op == PTOWSP_MC_COPY)
			return 1;
	return 0;
}

static void launch_add(struct lang_graph_lowering *lowering, struct lang_graph_inst *inst, int conditional)
{
	struct lang_arena *arena = &lowering->unit->arena;
	struct lang_graph_launch *launch = LANG_PUSH(arena, lowering->launches, lowering->launch_count, lowering->launch_capacity);

	*launch = (struct lang_graph_launch){.inst = inst, .conditional = (uint8_t)conditional};
	inst->launch = lowering->launch_count;
	if (inst->op == PTOWSP_MC_COPY) {
		*LANG_PUSH(arena, launch->copies, launch->copy_count, launch->copy_capacity) = inst;
		launch->node_count = 1;
	} else if (is_copies(inst->op)) {
		launch->node_count = tensors_of(lowering);
		launch->hollow = 1; /* a graph may change nothing */
	} else {
		launch->graph = lang_graph_of(inst->args[0].object);
		copies_find(lowering, launch, launch->graph->body);
		launch->hollow = !has_task(launch->graph->body);
		launch->node_count = launch->graph->kernel_count + launch->copy_count;
	}
	launch->nodes = lang_alloc(arena, (launch->node_count + 1) * sizeof(*launch->nodes));
	edge_ends_find(launch);
}

static void block_find(struct lang_graph_lowering *lowering, const struct lang_graph_block *block, int conditional)
{
	for (struct lang_graph_inst *inst = block->first; inst; inst = inst->next) {
		int branches = inst->op == PTOWSP_CF_IF || inst->op == PTOWSP_CF_LOOP || inst->op == PTOWSP_CF_WHILE;

		if (inst->op == PTOWSP_TG_LAUNCH || inst->op == PTOWSP_TG_INVOKE || is_copies(inst->op))
			launch_add(lowering, inst, conditional);
		lowering->dynamic |= branches;
		if (branches) {
			block_find(lowering, &inst->body, 1);
			block_find(lowering, &inst->other, 1);
		}
	}
}

struct lang_graph_node *lang_graph_node_of(struct lang_graph_launch *launch, const struct lang_graph_kernel *kernel)
{
	return launch->graph && kernel->object.graph == launch->graph ? &launch->nodes[kernel->node] : NULL;
}

struct lang_graph_launch *lang_graph_launch_of(struct lang_graph_lowering *lowering, const struct lang_graph_inst *inst)
{
	return inst->launch ? &lowering->launches[inst->launch - 1] : NULL;
}

/* --- who waits for whom --- */

/* While the top of the program is walked: the launches that those on a stream, and all others, have to wait for. */
struct order {
	struct lang_graph_lowering *lowering;
	struct tail {
		const struct lang_graph_object *stream; /* NULL: that of TG_INVOKE */
		uint8_t *last;                          /* per launch */
	} *tails;
	uint32_t tail_count, tail_capacity;
	uint8_t *host;                              /* per launch: waited for by what follows */
};

static uint8_t *set_create(const struct order *order)
{
	return lang_alloc(&order->lowering->unit->arena, order->lowering->launch_count + 1);
}

static uint8_t *tail_of(struct order *order, const struct lang_graph_object *stream)
{
	for (uint32_t i = 0; i < order->tail_count; i++)
		if (order->tails[i].stream == stream)
			return order->tails[i].last;
	*LANG_PUSH(&order->lowering->unit->arena, order->tails, order->tail_count, order->tail_capacity) =
		(struct tail){.stream = stream, .last = set_create(order)};
	return order->tails[order->tail_count - 1].last;
}

static int is_behind(const struct lang_graph_launch *launch, uint32_t other)
{
	return launch->waits[other] & BEHIND;
}

/* An event that another one of the set waits for anyway need not be waited for; one that may not run waits for nothing. */
static void set_reduce(const struct order *order, uint8_t *set)
{
	const struct lang_graph_lowering *lowering = order->lowering;

	for (uint32_t i = 0; i < lowering->launch_count; i++)
		for (uint32_t k = 0; set[i] && k < lowering->launch_count; k++)
			if (set[k] && !lowering->launches[k].conditional && !lowering->launches[k].hollow && is_behind(&lowering->launches[k], i))
				set[i] = 0;
}

static void set_add(const struct order *order, uint8_t *set, const uint8_t *more)
{
	for (uint32_t i = 0; i < order->lowering->launch_count; i++)
		set[i] |= more[i];
}

static void wait_for(const struct order *order, struct lang_graph_launch *launch, uint8_t *set)
{
	const struct lang_graph_lowering *lowering = order->lowering;

	set_reduce(order, set);
	for (uint32_t i = 0; i < lowering->launch_count; i++) {
		if (!set[i])
			continue;
		launch->waits[i] |= DIRECT | BEHIND;
		for (uint32_t k = 0; k < lowering->launch_count; k++)
			launch->waits[k] |= lowering->launches[i].waits[k] & BEHIND;
	}
}

/* The launch; if no task of it may run, also what it waits for. */
static void launch_take(const struct order *order, uint32_t i, uint8_t *set)
{
	const struct lang_graph_launch *launch = &order->lowering->launches[i];

	set[i] = 1;
	for (uint32_t k = 0; launch->hollow && k < order->lowering->launch_count; k++)
		set[k] |= is_behind(launch, k) != 0;
}

/* All launches of the graph so far. */
static void launches_of(const struct order *order, const struct lang_graph_object *graph, uint8_t *set)
{
	for (uint32_t i = 0; i < order->lowering->launch_count; i++)
		if (order->lowering->launches[i].issued && order->lowering->launches[i].graph &&
		    &order->lowering->launches[i].graph->object == graph)
			launch_take(order, i, set);
}

static void launch_order(struct order *order, struct lang_graph_inst *inst)
{
	struct lang_graph_launch *launch = lang_graph_launch_of(order->lowering, inst);
	uint8_t *set = set_create(order), *tail = NULL;
	uint32_t index = (uint32_t)(launch - order->lowering->launches);

	launch->waits = set_create(order);
	set_add(order, set, order->host);
	if (launch->graph) {
		tail = tail_of(order, inst->op == PTOWSP_TG_LAUNCH ? inst->args[1].object : NULL);
		set_add(order, set, tail);
	} else if (inst->op != PTOWSP_MC_COPY) {
		launches_of(order, inst->args[0].object, set);
	}
	wait_for(order, launch, set);
	launch->issued = 1;
	if (inst->op == PTOWSP_TG_CHECKPOINT || inst->op == PTOWSP_TG_RESTORE)
		tail = order->host; /* whatever follows is behind it */
	if (tail && !launch->conditional && !launch->hollow)
		memset(tail, 0, order->lowering->launch_count);
	if (tail)
		tail[index] = 1;
}

static void sync_order(struct order *order, const struct lang_graph_inst *inst)
{
	launches_of(order, inst->args[0].object, order->host);
	set_reduce(order, order->host);
}

static void block_order(struct order *order, const struct lang_graph_block *block)
{
	for (struct lang_graph_inst *inst = block->first; inst; inst = inst->next) {
		if (inst->op == PTOWSP_TG_LAUNCH || inst->op == PTOWSP_TG_INVOKE || is_copies(inst->op))
			launch_order(order, inst);
		else if (inst->op == PTOWSP_TG_SYNC)
			sync_order(order, inst);
		if (inst->op == PTOWSP_CF_IF || inst->op == PTOWSP_CF_LOOP || inst->op == PTOWSP_CF_WHILE) {
			block_order(order, &inst->body);
			block_order(order, &inst->other);
		}
	}
}

void lang_graph_launches_find(struct lang_graph_lowering *lowering)
{
	struct order order = {.lowering = lowering};

	block_find(lowering, &lowering->program->body, 0);
	for (uint32_t i = 0; i < lowering->launch_count; i++)
		lowering->dynamic |= lowering->launches[i].branches;
	order.host = set_create(&order);
	block_order(&order, &lowering->program->body);
	for (uint32_t i = 0; i < lowering->launch_count; i++)
		lowering->launches[i].issued = 0;
}

int lang_graph_launch_behind(const struct lang_graph_lowering *lowering, uint32_t launch, uint32_t other)
{
	return lowering->launches[launch].waits && lowering->launches[launch].waits[other] & BEHIND;
}

/* --- who is waited for --- */

static int is_waited_for(const struct lang_graph_lowering *lowering, uint32_t launch)
{
	for (uint32_t i = 0; i < lowering->launch_count; i++)
		if (lowering->launches[i].waits && lowering->launches[i].waits[launch] & DIRECT)
			return 1;
	return 0;
}

static int has_barrier(const struct lang_graph *graph)
{
	for (uint32_t i = 0; i < graph->depend_count; i++)
		if (graph->depends[i]->type == PTOWSP_dep_type_BARRIER)
			return 1;
	return 0;
}

static void signals_name(struct lang_graph_lowering *lowering, const struct lang_graph_list *signals)
{
	for (const struct lang_graph_link *link = signals->first; link; link = link->next)
		for (uint32_t i = 0; i < lowering->launch_count; i++) {
			struct lang_graph_node *node = lang_graph_node_of(&lowering->launches[i], lang_graph_kernel(link->inst->args[1].object));

			if (node)
				node->named = 1;
		}
}

void lang_graph_nodes_name(struct lang_graph_lowering *lowering)
{
	for (uint32_t i = 0; i < lowering->launch_count; i++) {
		struct lang_graph_launch *launch = &lowering->launches[i];
		int all = is_waited_for(lowering, i) || (launch->graph && has_barrier(launch->graph));

		for (uint32_t n = 0; n < launch->node_count; n++)
			launch->nodes[n].named = (uint8_t)(all || (launch->graph && n < launch->graph->kernel_count &&
								   lowering->links[launch->graph->kernels[n]->object.index].from.first));
	}
	for (uint32_t i = 0; i < lowering->program->object_count; i++)
		signals_name(lowering, &lowering->signals[i]);
}
