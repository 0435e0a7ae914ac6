/* SPDX-License-Identifier: MIT */
#include "aie/graph/standstill.h"

#include "base/error.h"
#include "rt/program/rt_error.h"
#include <string.h>

enum { SENTENCE = 150 }; /* bytes of the ring in an error's text */

/* The kernel that a cell calls first. */
static const char *kernel_of(const struct aie_map *map, const struct aie_map_args *args, uint32_t cell)
{
	const struct aie_lines *program = &map->graph.cells[cell];

	for (uint32_t l = 0; l < program->count; l++)
		if (program->lines[l].kind == AIE_LINE_CALL)
			return aie_kernel_name(&args->names, map->acts.rows[program->lines[l].act].kernel);
	return "no kernel";
}

static void wait_add(const struct aie_map *map, const struct aie_map_args *args, const struct aie_order_wait *wait, char *text, size_t size)
{
	const struct aie_stream *stream = &map->graph.streams[wait->stream];
	const struct aie_depths *depths = &map->depths[wait->stream];
	const char *what = stream->kind == AIE_STREAM_CHANNEL ? aie_channel_name(&args->names, stream->channel) : "",
		   *kernel = kernel_of(map, args, wait->cell);

	if (wait->makes)
		base_text(text, size, "core %u (%.20s) finds %s %.20s full (%u)", wait->cell, kernel, *what ? "channel" : "a stream", what,
			  depths->joint ? depths->from : depths->from + depths->to);
	else
		base_text(text, size, "core %u (%.20s) finds %s %.20s empty", wait->cell, kernel, *what ? "channel" : "a stream", what);
}

ptowsp_status aie_standstill_fail(const struct aie_map *map, const struct aie_map_args *args, struct ptowsp_error *error)
{
	const struct aie_order *order = &map->order;
	char text[SENTENCE] = "";

	if (!order->ring_count)
		return rt_fail(error, PTOWSP_UNSUPPORTED,
			       "the array stands still with %u objects in each fifo: what cores do first waits for what they do later; %s", args->depth,
			       map->acts.processes ? "say more capacity of channels, or replicate less" : "use fewer cores (--opt cores)");
	for (uint32_t i = 0; i < order->ring_count; i++) {
		const size_t length = strlen(text);

		base_text(text + length, sizeof(text) - length, "%s", i ? "; " : "");
		wait_add(map, args, &order->ring[i], text + strlen(text), sizeof(text) - strlen(text));
	}
	return rt_fail(error, PTOWSP_UNSUPPORTED, "streams form a ring that their buffers do not make safe: %s (rule 13.1); use --opt clock=reference", text);
}
