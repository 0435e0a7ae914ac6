/* SPDX-License-Identifier: MIT */
#include "aie/design/aie_channels.h"
#include "aie/design/design_read.h"
#include "registry/common/common_arena.h"
#include "registry/common/common_text.h"

#include "base/error.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct maker {
	struct aie_channels *channels;
	const struct aie_design *design;
	bool failed; /* no memory */
};

/* ---- ends of fifos */

static const struct aie_tile *tile_at(const struct maker *maker, uint32_t tile)
{
	return &maker->design->tiles[tile];
}

/* The link that an end is in: the link stands on its tile. */
static const struct aie_link *link_of(const struct aie_design *design, const struct aie_fifo *fifo, uint32_t consumer)
{
	const uint32_t link = consumer == AIE_NONE ? fifo->link_out : fifo->link_in;

	if (link == AIE_NONE || (consumer != AIE_NONE && fifo->consumers[consumer] != design->links[link].tile))
		return NULL;
	return &design->links[link];
}

static uint32_t end_depth(const struct aie_fifo *fifo, uint32_t consumer)
{
	return fifo->depths[consumer == AIE_NONE ? 0 : 1 + consumer];
}

/* One per object; where a link cuts or joins it, one per part, as parts come and go by themselves; one more for each repetition. */
static uint32_t end_descriptors(const struct maker *maker, const struct aie_fifo *fifo, uint32_t consumer)
{
	const struct aie_link *link = link_of(maker->design, fifo, consumer);
	uint32_t parts = 1;

	if (link)
		parts = consumer == AIE_NONE ? link->in_count : link->out_count;
	return end_depth(fifo, consumer) * parts * (consumer == AIE_NONE ? fifo->repeat : 1);
}

static void end_add(struct maker *maker, uint32_t number, uint32_t consumer)
{
	struct aie_channels *channels = maker->channels;
	const struct aie_fifo *fifo = &maker->design->fifos[number];
	const uint32_t tile = consumer == AIE_NONE ? fifo->producer : fifo->consumers[consumer];
	struct aie_channel *row = &channels->channels[channels->channel_count++];
	uint64_t *used = channels->used[tile];

	*row = (struct aie_channel){.fifo = number, .consumer = consumer, .tile = tile};
	row->number = (uint32_t)used[consumer == AIE_NONE ? AIE_DMA_OUT : AIE_DMA_IN]++;
	if (tile_at(maker, tile)->kind == AIE_SHIM)
		return;
	row->descriptors = end_descriptors(maker, fifo, consumer);
	used[AIE_BDS] += row->descriptors;
	if (!link_of(maker->design, fifo, consumer))
		used[AIE_LOCKS] += 2;
}

static struct aie_port port_of(const struct maker *maker, const struct aie_channel *end)
{
	const struct aie_tile *tile = tile_at(maker, end->tile);

	return (struct aie_port){tile->column, tile->row, AIE_BUNDLE_DMA, end->number};
}

static void flow_add(struct maker *maker, uint32_t number, const struct aie_channel *ends)
{
	struct aie_channels *channels = maker->channels;
	const uint32_t count = maker->design->fifos[number].consumer_count;
	struct aie_port *to = common_take(channels->arena, count, sizeof(*to));

	maker->failed |= !to;
	for (uint32_t i = 0; to && i < count; i++)
		to[i] = port_of(maker, &ends[1 + i]);
	channels->flow_fifos[channels->flow_count] = number;
	channels->flows[channels->flow_count++] = (struct aie_flow){port_of(maker, &ends[0]), to, count};
}

static void fifo_add(struct maker *maker, uint32_t number)
{
	const struct aie_fifo *fifo = &maker->design->fifos[number];
	struct aie_channel *first = &maker->channels->channels[maker->channels->channel_count];

	if (!fifo->moves) {
		maker->channels->used[fifo->memory][AIE_LOCKS] += aie_fifo_lent(fifo) ? 0 : 2;
		return;
	}
	end_add(maker, number, AIE_NONE);
	for (uint32_t i = 0; i < fifo->consumer_count; i++)
		end_add(maker, number, i);
	flow_add(maker, number, first);
}

/* ---- memory */

static void memory_add(struct maker *maker, uint32_t tile, enum aie_memory_sort sort, const char *name, uint64_t bytes)
{
	static const char *const sorts[AIE_MEMORY_SORTS] = {"stack", "fifo ", "buffer "};
	struct aie_channels *channels = maker->channels;
	const size_t room = strlen(sorts[sort]) + strlen(name) + 1;
	struct aie_memory *more = common_arena_grow(channels->arena, channels->memory, channels->memory_count, sizeof(*more));
	char *text = common_take(channels->arena, room, 1);
	uint64_t *used = &channels->used[tile][AIE_MEMORY];

	if (!bytes || !more || !text) {
		maker->failed |= !more || !text;
		return;
	}
	snprintf(text, room, "%s%s", sorts[sort], name);
	*used = (*used + AIE_MEMORY_ALIGN - 1) / AIE_MEMORY_ALIGN * AIE_MEMORY_ALIGN;
	channels->memory = more;
	more[channels->memory_count++] = (struct aie_memory){tile, sort, text, *used, bytes};
	*used = bytes > UINT64_MAX / 2 - *used ? UINT64_MAX / 2 : *used + bytes;
}

static uint64_t objects_bytes(const struct aie_fifo *fifo, uint32_t depth)
{
	const uint64_t each = aie_type_bytes(fifo->type);

	return each > UINT64_MAX / 4 / depth ? UINT64_MAX / 4 : each * depth;
}

/* Objects of a fifo that lie in this tile's memory, those of links apart. */
static void fifo_memory(struct maker *maker, uint32_t tile, const struct aie_fifo *fifo)
{
	if (!fifo->moves) {
		if (fifo->memory == tile && !aie_fifo_lent(fifo))
			memory_add(maker, tile, AIE_MEMORY_FIFO, fifo->name, objects_bytes(fifo, fifo->depths[0]));
		return;
	}
	if (fifo->producer == tile && !link_of(maker->design, fifo, AIE_NONE))
		memory_add(maker, tile, AIE_MEMORY_FIFO, fifo->name, objects_bytes(fifo, fifo->depths[0]));
	for (uint32_t i = 0; i < fifo->consumer_count; i++)
		if (fifo->consumers[i] == tile && !link_of(maker->design, fifo, i))
			memory_add(maker, tile, AIE_MEMORY_FIFO, fifo->name, objects_bytes(fifo, fifo->depths[1 + i]));
}

/* Fifos of a link share one memory: the whole's, with its depth on this tile, which all of them have. */
static void link_memory(struct maker *maker, const struct aie_link *link)
{
	const struct aie_fifo *out = &maker->design->fifos[link->outs[0]], *whole = link->in_count > 1 ? out : &maker->design->fifos[link->ins[0]];
	const uint32_t parts = link->in_count > link->out_count ? link->in_count : link->out_count;

	memory_add(maker, link->tile, AIE_MEMORY_FIFO, whole->name, objects_bytes(whole, out->depths[0]));
	maker->channels->used[link->tile][AIE_LOCKS] += 2 * parts;
}

static void tile_memory(struct maker *maker, uint32_t tile)
{
	const struct aie_design *design = maker->design;
	const uint32_t core = aie_design_core(design, tile);

	if (tile_at(maker, tile)->kind == AIE_SHIM)
		return;
	if (core != AIE_NONE)
		memory_add(maker, tile, AIE_MEMORY_STACK, "", design->cores[core].stack);
	for (uint32_t i = 0; i < design->fifo_count; i++)
		fifo_memory(maker, tile, &design->fifos[i]);
	for (uint32_t i = 0; i < design->link_count; i++)
		if (design->links[i].tile == tile)
			link_memory(maker, &design->links[i]);
	for (uint32_t i = 0; i < design->buffer_count; i++)
		if (design->buffers[i].tile == tile)
			memory_add(maker, tile, AIE_MEMORY_BUFFER, design->buffers[i].name, aie_type_bytes(design->buffers[i].type));
}

/* ---- limits */

static const uint64_t *limits_of(const struct aie_design *design, uint32_t tile)
{
	return design->arch->generation->tiles[design->tiles[tile].kind].limits;
}

/* "a, b, c" of the fifos whose ends take channels there; cut where it is long. */
static void names_of(const struct aie_channels *channels, const struct aie_design *design, uint32_t tile, bool out, char *text, size_t size)
{
	size_t length = 0;

	*text = '\0';
	for (uint32_t i = 0; i < channels->channel_count && length < size; i++) {
		const struct aie_channel *end = &channels->channels[i];

		if (end->tile == tile && (end->consumer == AIE_NONE) == out)
			length += (size_t)snprintf(text + length, size - length, "%s%.24s", length ? ", " : "", design->fifos[end->fifo].name);
	}
}

static ptowsp_status channels_check(const struct aie_channels *channels, const struct aie_design *design, uint32_t tile, struct ptowsp_error *error)
{
	static const char *const ways[] = {"in", "out"};

	for (int out = 0; out < 2; out++) {
		const enum aie_limit limit = out ? AIE_DMA_OUT : AIE_DMA_IN;
		char names[80];

		if (channels->used[tile][limit] <= limits_of(design, tile)[limit])
			continue;
		names_of(channels, design, tile, out, names, sizeof(names));
		return aie_rule_fail(error, PTOWSP_INVALID, design->tiles[tile].op, AIE_RULE_CHANNELS,
				     "%s needs %" PRIu64 " DMA channels %s, of %" PRIu64 ": %s", aie_design_tile_text(design, tile),
				     channels->used[tile][limit], ways[out], limits_of(design, tile)[limit], names);
	}
	return PTOWSP_OK;
}

/* A memory tile keeps one half of its descriptors for channels of even numbers, the other for those of odd ones. */
static ptowsp_status descriptors_check(const struct aie_channels *channels, const struct aie_design *design, uint32_t tile, struct ptowsp_error *error)
{
	const bool halves = design->tiles[tile].kind == AIE_MEMTILE;
	const uint64_t limit = limits_of(design, tile)[AIE_BDS] / (halves ? 2 : 1);

	for (uint32_t odd = 0; odd < (halves ? 2u : 1u); odd++) {
		uint64_t used = 0;

		for (uint32_t i = 0; i < channels->channel_count; i++)
			if (channels->channels[i].tile == tile && (!halves || channels->channels[i].number % 2 == odd))
				used += channels->channels[i].descriptors;
		if (used > limit)
			return aie_rule_fail(error, PTOWSP_INVALID, design->tiles[tile].op, AIE_RULE_DESCRIPTORS,
					     "%s needs %" PRIu64 " buffer descriptors%s, of %" PRIu64 "; take less depth", aie_design_tile_text(design, tile),
					     used, halves ? odd ? " for odd channels" : " for even channels" : "", limit);
	}
	return PTOWSP_OK;
}

void aie_channels_memory(const struct aie_channels *channels, uint32_t tile, char *text, size_t size)
{
	uint64_t bytes[AIE_MEMORY_SORTS] = {0}, end = 0;

	for (uint32_t i = 0; i < channels->memory_count; i++) {
		const struct aie_memory *row = &channels->memory[i];

		if (row->tile != tile)
			continue;
		bytes[row->sort] += row->offset + row->bytes - end;
		end = row->offset + row->bytes;
	}
	base_text(text, size, "%" PRIu64 " of stack, %" PRIu64 " of fifos, %" PRIu64 " of buffers", bytes[AIE_MEMORY_STACK], bytes[AIE_MEMORY_FIFO],
		  bytes[AIE_MEMORY_BUFFER]);
}

static ptowsp_status memory_check(const struct aie_channels *channels, const struct aie_design *design, uint32_t tile, struct ptowsp_error *error)
{
	const uint64_t limit = limits_of(design, tile)[AIE_MEMORY];
	const struct aie_memory *largest = NULL;
	char parts[96];

	if (channels->used[tile][AIE_MEMORY] <= limit)
		return PTOWSP_OK;
	for (uint32_t i = 0; i < channels->memory_count; i++)
		if (channels->memory[i].tile == tile && (!largest || channels->memory[i].bytes > largest->bytes))
			largest = &channels->memory[i];
	aie_channels_memory(channels, tile, parts, sizeof(parts));
	return aie_rule_fail(error, PTOWSP_INVALID, design->tiles[tile].op, AIE_RULE_MEMORY,
			     "%s needs %" PRIu64 " bytes of memory, of %" PRIu64 ": %s; most for %.40s, %" PRIu64, aie_design_tile_text(design, tile),
			     channels->used[tile][AIE_MEMORY], limit, parts, largest ? largest->what : "nothing", largest ? largest->bytes : 0);
}

static ptowsp_status limits_check(const struct aie_channels *channels, const struct aie_design *design, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; !status && i < design->tile_count; i++) {
		status = channels_check(channels, design, i, error);
		if (!status)
			status = descriptors_check(channels, design, i, error);
		if (!status && channels->used[i][AIE_LOCKS] > limits_of(design, i)[AIE_LOCKS])
			status = aie_rule_fail(error, PTOWSP_INVALID, design->tiles[i].op, AIE_RULE_LOCKS,
					       "%s needs %" PRIu64 " locks, of %" PRIu64 ": two for each end of a fifo", aie_design_tile_text(design, i),
					       channels->used[i][AIE_LOCKS], limits_of(design, i)[AIE_LOCKS]);
		if (!status)
			status = memory_check(channels, design, i, error);
	}
	return status;
}

/* ---- all */

static bool arrays_take(struct aie_channels *channels, const struct aie_design *design)
{
	uint32_t ends = 0;

	channels->arena = common_arena_create();
	if (!channels->arena)
		return false;
	for (uint32_t i = 0; i < design->fifo_count; i++)
		ends += 1 + design->fifos[i].consumer_count;
	channels->channels = common_take(channels->arena, ends, sizeof(*channels->channels));
	channels->used = common_take(channels->arena, design->tile_count, sizeof(*channels->used));
	channels->flows = common_take(channels->arena, design->fifo_count, sizeof(*channels->flows));
	channels->flow_fifos = common_take(channels->arena, design->fifo_count, sizeof(*channels->flow_fifos));
	return channels->channels && channels->used && channels->flows && channels->flow_fifos;
}

ptowsp_status aie_channels_assign(struct aie_channels *channels, const struct aie_design *design, struct ptowsp_error *error)
{
	struct maker maker = {channels, design, false};

	*channels = (struct aie_channels){0};
	maker.failed = !arrays_take(channels, design);
	for (uint32_t i = 0; !maker.failed && i < design->fifo_count; i++)
		fifo_add(&maker, i);
	for (uint32_t i = 0; !maker.failed && i < design->tile_count; i++)
		tile_memory(&maker, i);
	if (!maker.failed)
		return limits_check(channels, design, error);
	aie_channels_finish(channels);
	return base_fail(error, PTOWSP_NO_MEMORY, "there is no memory for the channels of a design");
}

void aie_channels_finish(struct aie_channels *channels)
{
	common_arena_destroy(channels->arena);
	*channels = (struct aie_channels){0};
}

const struct aie_channel *aie_channels_of(const struct aie_channels *channels, uint32_t fifo, uint32_t consumer)
{
	for (uint32_t i = 0; i < channels->channel_count; i++)
		if (channels->channels[i].fifo == fifo && channels->channels[i].consumer == consumer)
			return &channels->channels[i];
	return NULL;
}

void aie_design_flows(const struct aie_channels *channels, const struct aie_flow **flows_out, const uint32_t **fifos_out, uint32_t *count_out)
{
	*flows_out = channels->flows;
	*fifos_out = channels->flow_fifos;
	*count_out = channels->flow_count;
}

char *aie_channels_report(const struct aie_channels *channels, const struct aie_design *design)
{
	static const enum aie_limit limits[] = {AIE_MEMORY, AIE_DMA_IN, AIE_DMA_OUT, AIE_BDS, AIE_LOCKS};
	struct common_text text = {0};

	common_text_put(&text, "");
	for (uint32_t i = 0; i < design->tile_count; i++) {
		const bool shim = design->tiles[i].kind == AIE_SHIM;

		common_text_put(&text, aie_design_tile_text(design, i));
		for (size_t j = shim; j < (shim ? 3 : sizeof(limits) / sizeof(*limits)); j++)
			common_text_add(&text, "%s %" PRIu64 " of %" PRIu64 " %s", j == shim ? ":" : ",", channels->used[i][limits[j]],
					limits_of(design, i)[limits[j]], aie_arch_limit_text(limits[j]));
		common_text_put(&text, "\n");
	}
	if (text.failed)
		common_text_finish(&text);
	return text.bytes;
}
