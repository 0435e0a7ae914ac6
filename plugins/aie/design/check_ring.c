/* SPDX-License-Identifier: MIT */
/* check_ring.c - rings: of streams between cores and links, of functions that call each other. */
#include "aie/design/check_parts.h"
#include "aie/design/design_read.h"

#include <stdio.h>

/* ---- streams. Nodes are cores, then links. */

enum { FRESH, OPEN, DONE };

struct rings {
	const struct aie_design *design;
	uint8_t *state;
	uint32_t *path, *by; /* nodes that are open, and the fifo that led to each */
	uint32_t length;
	struct aie_check_job *check;
};

static uint32_t producer_of(const struct aie_design *design, const struct aie_fifo *fifo)
{
	return fifo->link_out != AIE_NONE ? design->core_count + fifo->link_out : aie_design_core(design, fifo->producer);
}

static uint32_t consumer_of(const struct aie_design *design, const struct aie_fifo *fifo, uint32_t i)
{
	if (fifo->link_in != AIE_NONE && design->links[fifo->link_in].tile == fifo->consumers[i])
		return design->core_count + fifo->link_in;
	return aie_design_core(design, fifo->consumers[i]);
}

static int node_text(const struct aie_design *design, uint32_t node, char *text, size_t size)
{
	const uint32_t tile = node < design->core_count ? design->cores[node].tile : design->links[node - design->core_count].tile;

	return snprintf(text, size, "%s (%d,%d)", node < design->core_count ? "core" : "link", design->tiles[tile].column, design->tiles[tile].row);
}

/* The ring that fifo closes, from `node` on and back to it. */
static _Noreturn void ring_fail(const struct rings *rings, uint32_t node, uint32_t fifo)
{
	const struct aie_design *design = rings->design;
	char text[160];
	size_t at = 0, length;
	int more;

	while (rings->path[at] != node)
		at++;
	length = (size_t)node_text(design, node, text, sizeof(text));
	for (at++; at <= rings->length && length < sizeof(text); at++) {
		const uint32_t next = at < rings->length ? rings->path[at] : node, by = at < rings->length ? rings->by[at] : fifo;

		more = snprintf(text + length, sizeof(text) - length, " -%.16s-> ", design->fifos[by].name);
		length += (size_t)more;
		if (length < sizeof(text))
			length += (size_t)node_text(design, next, text + length, sizeof(text) - length);
	}
	aie_check_leave(rings->check,
			aie_rule_fail(rings->check->error, PTOWSP_UNSUPPORTED, design->fifos[fifo].op, AIE_RULE_CYCLE, "streams form a ring: %s", text));
}

static void visit(struct rings *rings, uint32_t node, uint32_t by)
{
	const struct aie_design *design = rings->design;

	rings->state[node] = OPEN;
	rings->path[rings->length] = node;
	rings->by[rings->length++] = by;
	for (uint32_t i = 0; i < design->fifo_count; i++) {
		if (producer_of(design, &design->fifos[i]) != node)
			continue;
		for (uint32_t j = 0; j < design->fifos[i].consumer_count; j++) {
			const uint32_t next = consumer_of(design, &design->fifos[i], j);

			if (next != AIE_NONE && rings->state[next] == OPEN)
				ring_fail(rings, next, i);
			else if (next != AIE_NONE && rings->state[next] == FRESH)
				visit(rings, next, i);
		}
	}
	rings->length--;
	rings->state[node] = DONE;
}

void aie_check_rings(const struct aie_design *design, struct aie_check_job *check)
{
	const uint32_t nodes = design->core_count + design->link_count;
	struct rings rings = {.design = design, .check = check};

	rings.state = common_take(&check->arena, nodes + 1, sizeof(*rings.state));
	rings.path = common_take(&check->arena, nodes + 1, sizeof(*rings.path));
	rings.by = common_take(&check->arena, nodes + 1, sizeof(*rings.by));
	for (uint32_t i = 0; i < nodes; i++)
		if (rings.state[i] == FRESH)
			visit(&rings, i, AIE_NONE);
}

/* ---- calls */

struct calls {
	const struct aie_design *design;
	uint8_t *state;
	struct aie_check_job *check;
};

static void function_visit(struct calls *calls, uint32_t number);

static void region_visit(struct calls *calls, const struct aie_region *region)
{
	for (const struct aie_op *op = region->first; op; op = op->next) {
		for (uint32_t i = 0; i < op->region_count; i++)
			region_visit(calls, &op->regions[i]);
		if (aie_op_is(op, "func.call")) {
			const char *name = aie_attr_of(op, "callee")->text;
			const uint32_t callee = aie_design_function(calls->design, name);

			if (calls->state[callee] == OPEN)
				aie_check_fail(calls->check, op, AIE_RULE_RECURSION, "function '%.64s' is called while it runs", name);
			else if (calls->state[callee] == FRESH)
				function_visit(calls, callee);
		}
	}
}

static void function_visit(struct calls *calls, uint32_t number)
{
	calls->state[number] = OPEN;
	region_visit(calls, &calls->design->functions[number].op->regions[0]);
	calls->state[number] = DONE;
}

void aie_check_recursion(const struct aie_design *design, struct aie_check_job *check)
{
	struct calls calls = {design, common_take(&check->arena, design->function_count + 1, 1), check};

	for (uint32_t i = 0; i < design->function_count; i++)
		if (calls.state[i] == FRESH)
			function_visit(&calls, i);
}
