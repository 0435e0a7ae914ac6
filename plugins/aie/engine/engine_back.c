/* SPDX-License-Identifier: MIT */
/* engine_back.c - the text of a map is read back, given its channels, checked and routed. */
#include <string.h>

#include "aie/design/aie_check.h"
#include "aie/design/check_parts.h"
#include "aie/design/origin.h"
#include "aie/engine/aie_engine_own.h"
#include "base/error.h"
#include "rt/program/rt_program.h"

/* The ring that would be refused if order.h had not run it with bounded buffers: for people. */
static ptowsp_status ring_find(struct aie_back *back, struct ptowsp_error *error)
{
	struct ptowsp_error found = {.head = PTOWSP_HEAD(found, ERROR)};
	ptowsp_status status = aie_check_rings(&back->design, &found);

	if (status == PTOWSP_UNSUPPORTED)
		base_text(back->ring, sizeof(back->ring), "%s", found.text);
	else if (status)
		*error = found;
	return status == PTOWSP_UNSUPPORTED ? PTOWSP_OK : status;
}

/* The package, where it has a name, and what the array is. */
static void title_make(struct aie_back *back, const struct aie_loaded *loaded)
{
	const char *name = base_sections_name(&loaded->sections);

	base_text(back->title, sizeof(back->title), "%.100s%s%.120s", name, *name ? ": " : "", back->design.arch->text);
}

static ptowsp_status read_all(struct aie_back *back, const struct aie_loaded *loaded, struct ptowsp_error *error)
{
	const struct aie_flow *flows;
	const uint32_t *fifos;
	uint32_t count;
	const struct aie_map *map = &loaded->map;
	struct base_patience *patience = map->acts.patience;
	ptowsp_status status = aie_module_read(&back->module, map->text, strlen(map->text), error);

	if (!status)
		status = base_patience_check(patience, error);
	if (!status)
		status = aie_design_read(&back->design, &back->module, error);
	if (!status)
		status = base_patience_check(patience, error);
	if (!status)
		status = aie_channels_assign(&back->channels, &back->design, error);
	if (!status)
		status = aie_check(&back->design, true, error);
	if (!status)
		status = ring_find(back, error);
	if (!status)
		status = base_patience_check(patience, error);
	if (status)
		return status;
	aie_design_flows(&back->channels, &flows, &fifos, &count);
	status = aie_route(back->design.arch, flows, count, &back->routes, error);
	if (!status)
		status = aie_check_routes(&back->design, &back->channels, &back->routes, error);
	title_make(back, loaded);
	if (!status)
		status = aie_picture_of_design(&back->drawn, &back->design, &back->channels, &back->routes, back->title, error);
	memcpy(back->drawn.picture.grid, map->grid, sizeof(map->grid));
	return status;
}

static const char *tensor_name(const void *context, uint32_t tensor)
{
	return rt_tensor_name(context, tensor);
}

ptowsp_status aie_back_read(struct aie_back *back, struct aie_loaded *loaded, struct ptowsp_error *error)
{
	const struct aie_origin_args origins = {&loaded->map, &back->design, &loaded->program->kernels, &loaded->sections, tensor_name, loaded->planned};
	struct ptowsp_error found = {.head = PTOWSP_HEAD(found, ERROR)};
	ptowsp_status status = read_all(back, loaded, &found);

	if (status) {
		status = aie_origin_say(&found, &origins);
		*error = found;
	}
	return status;
}

/* "(0,2) (1,2)" of the core tiles from this one on whose memory is used alike, which are not told before; how many they are. */
static uint32_t tiles_alike(const struct aie_back *back, uint32_t first, const char *memory, bool *told, char *names, size_t size)
{
	uint32_t count = 0;

	*names = '\0';
	for (uint32_t t = first; t < back->design.tile_count; t++) {
		const struct aie_tile *tile = &back->design.tiles[t];
		const size_t length = strlen(names);
		char own[96];

		aie_channels_memory(&back->channels, t, own, sizeof(own));
		if (tile->kind != AIE_CORE || told[t] || strcmp(own, memory) != 0)
			continue;
		told[t] = true;
		count++;
		base_text(names + length, size - length, "%s(%d,%d)", length ? " " : "", (int)tile->column, (int)tile->row);
	}
	return count;
}

/* Only a core's memory has a stack, so those beside cores are told apart. */
void aie_back_tell(const struct aie_back *back, const struct aie_loaded *loaded)
{
	const struct ptowsp_host *host = loaded->planned->host;
	const uint64_t limit = aie_arch_core_bytes(loaded->arch);
	bool told[AIE_COLUMNS_MAX * AIE_ROWS] = {false};
	char text[2000] = "";

	for (uint32_t t = 0; t < back->design.tile_count; t++) {
		const size_t length = strlen(text);
		char memory[96], names[320];
		uint32_t count;

		if (told[t] || back->design.tiles[t].kind != AIE_CORE)
			continue;
		aie_channels_memory(&back->channels, t, memory, sizeof(memory));
		count = tiles_alike(back, t, memory, told, names, sizeof(names));
		base_text(text + length, sizeof(text) - length, "%s%u %s%s %llu of %llu bytes of memory%s, %s: %s", length ? "; " : "", count,
			  aie_design_core(&back->design, t) == AIE_NONE ? "idle tile" : "core", count == 1 ? " uses" : "s use",
			  (unsigned long long)back->channels.used[t][AIE_MEMORY], (unsigned long long)limit, count == 1 ? "" : " each", memory, names);
	}
	if (*text && host && host->diagnose)
		host->diagnose(host->context, PTOWSP_FEATURE_HIGH_WATER, PTOWSP_STATE_DIAGNOSED, text, strlen(text));
}

void aie_back_finish(struct aie_back *back)
{
	aie_picture_design_finish(&back->drawn);
	aie_routes_finish(&back->routes);
	aie_channels_finish(&back->channels);
	aie_design_finish(&back->design);
	aie_module_finish(&back->module);
}
