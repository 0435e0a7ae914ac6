/* SPDX-License-Identifier: MIT */
/* engine_back.c - the text of a map is read back, given its channels, checked and routed. */
#include <string.h>

#include "check.h"
#include "engine_own.h"

ptowsp_status aie_back_read(struct aie_back *back, const struct aie_map *map, struct ptowsp_error *error)
{
	const struct aie_flow *flows;
	const uint32_t *fifos;
	uint32_t count;
	ptowsp_status st = aie_module_read(&back->module, map->text, strlen(map->text), error);

	if (!st)
		st = aie_design_read(&back->design, &back->module, error);
	if (!st)
		st = aie_channels_assign(&back->channels, &back->design, NULL, error);
	if (!st)
		st = aie_check(&back->design, true, error); /* order.h has run it with bounded buffers */
	if (st)
		return st;
	aie_design_flows(&back->channels, &flows, &fifos, &count);
	st = aie_route(back->design.arch, flows, count, &back->routes, error);
	if (!st)
		st = aie_check_routes(&back->design, &back->channels, &back->routes, error);
	return st ? st : aie_picture_of_design(&back->drawn, &back->design, &back->channels, &back->routes, back->design.arch->text, error);
}

void aie_back_finish(struct aie_back *back)
{
	aie_picture_design_finish(&back->drawn);
	aie_routes_finish(&back->routes);
	aie_channels_finish(&back->channels);
	aie_design_finish(&back->design);
	aie_module_finish(&back->module);
}
