/* SPDX-License-Identifier: MIT */
/* graph_launch.c - the launches of a graph program and who waits for whom: launches on one stream follow each other, and what stands behind a
 * TG_SYNC follows the launches of its graph. */
#include "lang/graph/graph_lower.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* --- finding them --- */

static bool is_copies(unsigned op)
{
	return op == PTOWSP_MC_COPY || op == PTOWSP_TG_CHECKPOINT || op == PTOWSP_TG_RESTORE;
}

static void copies_find(struct lang_graph_lowering *lowering, struct lang_graph_launch *launch, const struct lang_graph_block *block)
{
	for (struct lang_graph_inst *inst = block->first; inst; inst = inst->next) {
		if (inst->op == PTOWSP_MC_COPY)
			*COMMON_PUSH(&lowering->unit->arena, launch->copies, launch->copy_count, launch->copy_capacity) = inst;
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
static bool has_task(const struct lang_graph_block *block)
{
	for (const struct lang_graph_inst *inst = block->first; inst; inst = inst->next)
		if (inst->op == PTOWSP_TG_KERNEL || inst->op == PTOWSP_MC_COPY)
			return true;
	return false;
}

static void launch_add(struct lang_graph_lowering *lowering, struct lang_graph_inst *inst, int conditional)
{
	struct common_arena *arena = &lowering->unit->arena;
	struct lang_graph_launch *launch = COMMON_PUSH(arena, lowering->launches, lowering->launch_count, lowering->launch_capacity);

	*launch = (struct lang_graph_launch){.inst = inst, .conditional = (uint8_t)conditional};
	inst->launch = lowering->launch_count;
	if (inst->op == PTOWSP_MC_COPY) {
		*COMMON_PUSH(arena, launch->copies, launch->copy_count, launch->copy_capacity) = inst;
		launch->node_count = 1;
	} else if (is_copies(inst->op)) {
		launch->node_count = tensors_of(lowering);
		launch->maybe_empty = 1; /* a graph may change nothing */
	} else {
		launch->graph = lang_graph_of(inst->args[0].object);
		copies_find(lowering, launch, launch->graph->body);
		launch->maybe_empty = !has_task(launch->graph->body);
		launch->node_count = launch->graph->kernel_count + launch->copy_count;
	}
	launch->nodes = common_alloc(arena, (launch->node_count + 1) * sizeof(*launch->nodes));
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

/* Launches, each once. */
struct set {
	uint32_t *items, count, capacity;
};
/* While the top of the program is walked: the launches that those on a stream, and all others, have to wait for. */
struct order {
	struct lang_graph_lowering *lowering;
	struct tail {
		const struct lang_graph_object *stream; /* NULL: that of TG_INVOKE */
		struct set last;
	} * tails;
	uint32_t tail_count, tail_capacity;
	struct set host; /* waited for by what follows */
	struct set now;  /* of the launch in question */
	uint64_t *bits;  /* of a set while it is changed, a bit per launch */
	uint32_t words;  /* of bits */
	uint32_t waits;  /* of all launches for others, directly */
	int refused;     /* for too many waits */
};

static int bit_has(const uint64_t *bits, uint32_t i)
{
	return bits[i / 64] >> i % 64 & 1;
}

static void bit_add(uint64_t *bits, uint32_t i)
{
	bits[i / 64] |= UINT64_C(1) << i % 64;
}

static void bits_add(const struct order *order, uint64_t *bits, const uint64_t *more)
{
	for (uint32_t w = 0; w < order->words; w++)
		bits[w] |= more[w];
}

static struct set *tail_of(struct order *order, const struct lang_graph_object *stream)
{
	for (uint32_t i = 0; i < order->tail_count; i++)
		if (order->tails[i].stream == stream)
			return &order->tails[i].last;
	*COMMON_PUSH(&order->lowering->unit->arena, order->tails, order->tail_count, order->tail_capacity) = (struct tail){.stream = stream};
	return &order->tails[order->tail_count - 1].last;
}

static void set_push(const struct order *order, struct set *set, uint32_t i)
{
	*COMMON_PUSH(&order->lowering->unit->arena, set->items, set->count, set->capacity) = i;
}

/* While `bits` are those of the set. */
static void set_add(const struct order *order, struct set *set, uint32_t i)
{
	if (bit_has(order->bits, i))
		return;
	bit_add(order->bits, i);
	set_push(order, set, i);
}

static void set_add_all(const struct order *order, struct set *set, const struct set *more)
{
	for (uint32_t i = 0; i < more->count; i++)
		set_add(order, set, more->items[i]);
}

static void bits_clear(const struct order *order)
{
	memset(order->bits, 0, order->words * sizeof(*order->bits));
}

/* A launch that another one of the set waits for anyway need not be waited for; one that may not run waits for nothing. */
static void set_reduce(const struct order *order, struct set *set)
{
	uint32_t kept = 0;

	bits_clear(order);
	for (uint32_t k = 0; k < set->count && set->count > 1; k++) {
		const struct lang_graph_launch *launch = &order->lowering->launches[set->items[k]];

		if (!launch->conditional && !launch->maybe_empty)
			bits_add(order, order->bits, launch->behind);
	}
	for (uint32_t k = 0; k < set->count; k++)
		if (!bit_has(order->bits, set->items[k]))
			set->items[kept++] = set->items[k];
	set->count = kept;
	bits_clear(order);
}

static int by_number(const void *x, const void *y)
{
	const uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return (a > b) - (a < b);
}

/* The set is `now`. */
static void wait_for(struct order *order, struct lang_graph_launch *launch)
{
	struct set *set = &order->now;

	set_reduce(order, set);
	if (set->count > LANG_MAX_INSTRUCTIONS - order->waits) { /* an edge each, which graph_lower.c would refuse then */
		lang_error(order->lowering->unit, launch->inst->at, "the launches of this program come to more than %u instructions and edges",
			   LANG_MAX_INSTRUCTIONS);
		order->refused = 1;
		return;
	}
	order->waits += set->count;
	if (set->count)
		qsort(set->items, set->count, sizeof(*set->items), by_number);
	launch->direct = set->items;
	launch->direct_count = set->count;
	for (uint32_t i = 0; i < set->count; i++) {
		order->lowering->launches[set->items[i]].waited = 1;
		bit_add(launch->behind, set->items[i]);
		bits_add(order, launch->behind, order->lowering->launches[set->items[i]].behind);
	}
}

/* The launch; if no task of it may run, also what it waits for. */
static void launch_take(const struct order *order, uint32_t i, struct set *set)
{
	const struct lang_graph_launch *launch = &order->lowering->launches[i];

	set_add(order, set, i);
	for (uint32_t k = 0; launch->maybe_empty && k < order->lowering->launch_count; k++)
		if (bit_has(launch->behind, k))
			set_add(order, set, k);
}

/* Launches of the graph so far that not all that follows waits for anyway. */
static void launches_take(const struct order *order, const struct lang_graph *graph, struct set *set)
{
	for (uint32_t i = graph->synced; i < graph->launch_count; i++)
		launch_take(order, graph->launches[i], set);
}

static void launch_order(struct order *order, struct lang_graph_inst *inst)
{
	struct common_arena *arena = &order->lowering->unit->arena;
	struct lang_graph_launch *launch = lang_graph_launch_of(order->lowering, inst);
	struct set *tail = NULL;
	uint32_t index = (uint32_t)(launch - order->lowering->launches);

	launch->behind = common_alloc(arena, order->words * sizeof(*launch->behind));
	order->now = (struct set){.count = 0};
	set_add_all(order, &order->now, &order->host);
	if (launch->graph) {
		tail = tail_of(order, inst->op == PTOWSP_TG_LAUNCH ? inst->args[1].object : NULL);
		set_add_all(order, &order->now, tail);
	} else if (inst->op != PTOWSP_MC_COPY) {
		launches_take(order, lang_graph_of(inst->args[0].object), &order->now);
	}
	wait_for(order, launch);
	if (launch->graph)
		*COMMON_PUSH(arena, launch->graph->launches, launch->graph->launch_count, launch->graph->launch_capacity) = index;
	if (inst->op == PTOWSP_TG_CHECKPOINT || inst->op == PTOWSP_TG_RESTORE)
		tail = &order->host; /* all that follows is behind it */
	if (tail && !launch->conditional && !launch->maybe_empty)
		tail->count = 0;
	if (tail)
		set_push(order, tail, index);
}

static void sync_order(struct order *order, const struct lang_graph_inst *inst)
{
	struct lang_graph *graph = lang_graph_of(inst->args[0].object);

	for (uint32_t i = 0; i < order->host.count; i++)
		bit_add(order->bits, order->host.items[i]);
	launches_take(order, graph, &order->host);
	graph->synced = graph->launch_count;
	set_reduce(order, &order->host);
}

static void block_order(struct order *order, const struct lang_graph_block *block)
{
	for (struct lang_graph_inst *inst = block->first; inst && !order->refused; inst = inst->next) {
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
	for (uint32_t i = 0; i < lowering->program->graph_count; i++)
		lowering->program->graphs[i]->launch_count = lowering->program->graphs[i]->synced = 0;
	order.words = lowering->launch_count / 64 + 1;
	order.bits = common_alloc(&lowering->unit->arena, order.words * sizeof(*order.bits));
	block_order(&order, &lowering->program->body);
}

bool lang_graph_launch_behind(const struct lang_graph_lowering *lowering, uint32_t launch, uint32_t other)
{
	return lowering->launches[launch].behind && bit_has(lowering->launches[launch].behind, other);
}

/* --- who is waited for --- */

static bool has_barrier(const struct lang_graph *graph)
{
	for (uint32_t i = 0; i < graph->depend_count; i++)
		if (graph->depends[i]->type == PTOWSP_dep_type_BARRIER)
			return true;
	return false;
}

static void signals_name(struct lang_graph_lowering *lowering, const struct lang_graph_list *signals)
{
	for (const struct lang_graph_link *link = signals->first; link; link = link->next) {
		const struct lang_graph_kernel *kernel = lang_graph_kernel(link->inst->args[1].object);
		const struct lang_graph *graph = kernel->object.graph;

		for (uint32_t i = 0; i < graph->launch_count; i++)
			lang_graph_node_of(&lowering->launches[graph->launches[i]], kernel)->named = 1;
	}
}

void lang_graph_nodes_name(struct lang_graph_lowering *lowering)
{
	for (uint32_t i = 0; i < lowering->launch_count; i++) {
		struct lang_graph_launch *launch = &lowering->launches[i];
		int all = launch->waited || (launch->graph && has_barrier(launch->graph));

		for (uint32_t n = 0; n < launch->node_count; n++)
			launch->nodes[n].named = (uint8_t)(all || (launch->graph && n < launch->graph->kernel_count &&
								   lowering->links[launch->graph->kernels[n]->object.index].from.first));
	}
	for (uint32_t i = 0; i < lowering->program->object_count; i++)
		signals_name(lowering, &lowering->signals[i]);
}
