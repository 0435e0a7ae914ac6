/* SPDX-License-Identifier: MIT */
/* aie_place.c - a placement from the first pin to the last exchange, and which needs were not met. */
#include "aie/place/aie_place.h"
#include "rt/program/rt_error.h"
#include <stdio.h>
#include <stdlib.h>

#include <string.h>

#include "aie/place/place_state.h"
#include "base/error.h"

/* The error of the first net whose needs are not met. */
static ptowsp_status look_at_needs(const struct place_state *state, struct ptowsp_error *error)
{
	for (uint32_t i = 0; i < state->net_count; i++) {
		const struct aie_place_net *net = &state->nets[i];

		for (uint32_t k = 0; net->need != AIE_NEED_WISHED && k < net->to_count; k++) {
			const struct aie_place_net one = {.from = net->from, .to = &net->to[k], .to_count = 1, .need = net->need};
			const struct aie_place *from = &state->places[net->from], *to = &state->places[net->to[k]];

			if (!aie_place_cost(state->arch, state->places, &one, 1).unmet)
				continue;
			return base_fail(error, PTOWSP_UNSUPPORTED,
					 "%s and %s need %s, and no places with that were found: nearest core tiles (%d,%d) and (%d,%d); give them a "
					 "stream instead",
					 place_text(&state->nodes[net->from]).text, place_text(&state->nodes[net->to[k]]).text,
					 net->need == AIE_NEED_CASCADE ? "a cascade"
					 : net->need == AIE_NEED_SEEN  ? "places side by side"
								       : "a memory that both see",
					 from->column, from->row, to->column, to->row);
		}
	}
	return PTOWSP_OK;
}

ptowsp_status aie_place_with(enum aie_effort effort, const struct aie_arch *arch, const struct aie_place_node *nodes, uint32_t node_count,
			     const struct aie_place_net *nets, uint32_t net_count, uint64_t seed, struct aie_place *places_out, struct ptowsp_error *error)
{
	struct place_state state;
	ptowsp_status status = place_state_init(&state, arch, nodes, node_count, nets, net_count, error);

	state.random = seed;
	state.effort = effort;
	if (!status)
		status = place_start(&state, error);
	if (!status && seed && effort)
		status = place_improve(&state, error);
	if (!status)
		status = look_at_needs(&state, error);
	if (!status && node_count)
		memcpy(places_out, state.places, node_count * sizeof(*places_out));
	place_state_finish(&state);
	return status;
}

ptowsp_status aie_place(const struct aie_arch *arch, const struct aie_place_node *nodes, uint32_t node_count, const struct aie_place_net *nets,
			uint32_t net_count, uint64_t seed, struct aie_place *places_out, struct ptowsp_error *error)
{
	return aie_place_with(AIE_EFFORT_USUAL, arch, nodes, node_count, nets, net_count, seed, places_out, error);
}

/* Digits only. 0: there are none, or too many. */
static uint32_t number_read(const char **at)
{
	uint32_t value = 0;

	while (**at >= '0' && **at <= '9' && value < 1000)
		value = value * 10 + (uint32_t)(*(*at)++ - '0');
	return value;
}

/* The array of this generation that has so many columns. */
static const struct aie_arch *narrowed(const struct aie_arch *arch, uint32_t columns)
{
	char name[32];

	if (columns == arch->columns)
		return arch;
	snprintf(name, sizeof(name), "%s_%ucol", arch->name, columns);
	return aie_arch_named(name);
}

ptowsp_status aie_part_read(struct aie_arch *part_out, const struct aie_arch *arch, const char *text, struct ptowsp_error *error)
{
	uint32_t most = arch->rows - AIE_FIRST_CORE, rows = most, columns = arch->columns;
	const struct aie_arch *narrow;
	const char *at = text;

	if (*text) {
		rows = number_read(&at);
		columns = *at == 'x' ? at++, number_read(&at) : 0;
	}
	narrow = columns && columns <= arch->columns ? narrowed(arch, columns) : NULL;
	if (*at || !rows || rows > most || !narrow)
		return rt_fail(error, PTOWSP_INVALID, "--opt grid=%.40s: %s has %u rows of cores and %u columns; state rows x columns, at most %ux%u", text,
			       arch->name, most, arch->columns, most, arch->columns);
	*part_out = *narrow;
	part_out->rows = AIE_FIRST_CORE + rows;
	return PTOWSP_OK;
}
