/* SPDX-License-Identifier: MIT
 * test_aie_routed.c - routes with one thing wrong: each is refused by its rule. */
#include "aie/design/aie_check.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

struct routed {
	struct aie_module module;
	struct aie_design design;
	struct aie_channels channels;
	struct aie_routes routes;
};

static void routed_open(struct routed *routed)
{
	char *text = check_read(check_fmt("%s/tests/aie/designs/split.mlir", check_root()), NULL);

	*routed = (struct routed){0};
	REQUIRE(text != NULL);
	REQUIRE_INT(aie_module_read(&routed->module, text, strlen(text), NULL), PTOWSP_OK);
	REQUIRE_INT(aie_design_read(&routed->design, &routed->module, NULL), PTOWSP_OK);
	REQUIRE_INT(aie_channels_assign(&routed->channels, &routed->design, NULL), PTOWSP_OK);
	REQUIRE_INT(aie_route(routed->design.arch, routed->channels.flows, routed->channels.flow_count, &routed->routes, NULL), PTOWSP_OK);
	free(text);
}

static void routed_close(struct routed *routed)
{
	aie_routes_finish(&routed->routes);
	aie_channels_finish(&routed->channels);
	aie_design_finish(&routed->design);
	aie_module_finish(&routed->module);
}

static void check_routes(struct routed *routed, ptowsp_status wanted, const char *sentence)
{
	struct ptowsp_error error = {0};

	CHECK_INT(aie_check_routes(&routed->design, &routed->channels, &routed->routes, &error), wanted);
	CHECK_STR(error.text, sentence);
}

TEST(routes_keep_the_rules)
{
	struct routed routed;

	routed_open(&routed);
	check_routes(&routed, PTOWSP_OK, "");
	routed_close(&routed);
}

TEST(changed_routes_are_refused)
{
	struct routed routed;
	struct aie_hop *hops, kept;
	uint32_t last;

	routed_open(&routed);
	hops = routed.routes.hops;
	last = routed.routes.routes[0].first + routed.routes.routes[0].count - 1;
	kept = hops[last];
	hops[last].out_channel = 9;
	check_routes(&routed, PTOWSP_INVALID, "9:5: aie.objectfifo: the switch of tile (0,1) has no way from south 0 to DMA 9 (rule 10.1)");
	hops[last] = kept;
	hops[last].column = 3;
	check_routes(&routed, PTOWSP_INVALID, "9:5: aie.objectfifo: nothing of its stream comes to port south 0 into the switch of tile (3,1) (rule 10.1)");
	hops[last] = kept;
	routed.routes.routes[0].count--;
	check_routes(&routed, PTOWSP_INVALID, "9:5: aie.objectfifo: its stream does not come to DMA 0 of tile (0,1) (rule 10.1)");
	routed.routes.routes[0].count++;
	routed.routes.routes[1] = routed.routes.routes[0];
	check_routes(&routed, PTOWSP_INVALID, "11:5: aie.objectfifo: port north 0 out of the switch of tile (0,0) is driven by 2 streams, of 1 (rule 10.2)");
	routed.routes.count--;
	check_routes(&routed, PTOWSP_INVALID, "there are 7 routes for 8 streams");
	routed.routes.count++;
	routed_close(&routed);
}
