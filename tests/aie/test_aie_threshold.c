/* SPDX-License-Identifier: MIT
 * test_aie_threshold.c - a threshold that picks the mapping of a run: the shape of its grid, and with it the tiling of tensors, on the array and elsewhere. */
#include "tests/contract/cli.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZED  "$B/ptowsp-pack $R/tests/aie/designs/sized.pto -o $T/sized.pkg.zst"
#define RANDOM "--fill x=random:3 "

/* What the schedule of sized.pto picks, by size. */
static const struct mapping {
	unsigned least, most, rows, columns, shards;
	const char *device, *plain; /* the same without a threshold */
} mappings[] = {
	{1, 3, 1, 1, 1, "npu1", "spatial_map=1,1"},
	{4, 15, 2, 2, 4, "npu1", "spatial_map=2,2"},
	{16, 63, 1, 4, 4, "npu1", "spatial_map=1,4"},
	{64, 99, 4, 2, 8, "npu1", "spatial_map=4,2"},
	{100, 199, 0, 0, 0, "npu1", "dispatch=round_robin(3)"},
	{200, 9999, 2, 8, 16, "npu2", "spatial_map=2,8"},
};
enum { MAPPINGS = sizeof(mappings) / sizeof(*mappings) };

static json_t *stats_of(const char *command)
{
	CHECK_INT(cli(command), 0);
	return cli_json();
}

/* Of the figures with that name, its value; 0: there is none. */
static intmax_t figure(json_t *stats, const char *name)
{
	json_t *row;
	size_t i;

	json_array_foreach(json_object_get(stats, "figures"), i, row) if (!strcmp(json_string_value(json_object_get(row, "name")), name)) return (
		intmax_t)json_integer_value(json_object_get(row, "value"));
	return 0;
}

/* Core tiles with something on them, as bits of 8 columns a row. */
static uint64_t cores_of_design(void)
{
	json_t *design = cli("cat $T/made/design.json") ? NULL : json_loads(cli_out, 0, NULL), *tile;
	uint64_t cores = 0;
	size_t i;

	json_array_foreach(json_object_get(design, "tiles"), i, tile)
	{
		intmax_t row = (intmax_t)json_integer_value(json_object_get(tile, "row")),
			 column = (intmax_t)json_integer_value(json_object_get(tile, "column"));

		if (row >= 2 && json_array_size(json_object_get(tile, "nodes")))
			cores |= UINT64_C(1) << ((row - 2) * 8 + column);
	}
	json_decref(design);
	return cores;
}

static uint64_t corner(unsigned rows, unsigned columns)
{
	uint64_t cores = 0;

	for (unsigned r = 0; r < rows; r++)
		cores |= ((UINT64_C(1) << columns) - 1) << (r * 8);
	return cores;
}

TEST(size_picks_shape_and_tiling)
{
	REQUIRE_INT(cli(SIZED), 0);
	REQUIRE_INT(cli("$B/ptowsp-run --quiet " RANDOM "--out y=$T/wanted.npy $T/sized.pkg.zst"), 0);
	for (size_t i = 0; i < 2 * MAPPINGS; i++) {
		const struct mapping *m = &mappings[i / 2];
		unsigned n = i % 2 ? m->most : m->least;
		json_t *stats = stats_of(
			check_fmt("rm -rf $T/made; $B/ptowsp-run --plugin=aie --device=%s --strict --quiet --stats=json --emit $T/made --set n=%u " RANDOM
				  "--out y=$T/y.npy $T/sized.pkg.zst",
				  m->device, n));

		REQUIRE(stats != NULL);
		CHECK_INT(figure(stats, "rows of the schedule's grid"), m->rows);
		CHECK_INT(figure(stats, "columns of the schedule's grid"), m->columns);
		CHECK_INT(cli_int(stats, "layouts[0].shards"), m->shards);
		CHECK_INT(cli_int(stats, "layouts[1].shards"), m->shards);
		CHECK_INT(cli("cmp $T/wanted.npy $T/y.npy"), 0);
		if (m->rows)
			CHECK_UINT(cores_of_design(), corner(m->rows, m->columns));
	}
}

/* Whoever reads the files cannot tell who picked the mapping. */
TEST(the_design_is_that_of_the_mapping_alone)
{
	REQUIRE_INT(cli(SIZED), 0);
	for (size_t i = 0; i < MAPPINGS; i++) {
		const struct mapping *m = &mappings[i];
		const char *how = check_fmt("--plugin=aie --device=%s --strict --quiet --set n=%u " RANDOM, m->device, m->least);

		if (!m->rows) /* a layout wants a grid beside it */
			continue;
		CHECK_INT(cli(check_fmt("rm -rf $T/picked $T/plain; $B/ptowsp-run %s --emit $T/picked $T/sized.pkg.zst && "
					"$B/ptowsp-run %s --schedule %s --emit $T/plain $T/sized.pkg.zst && diff -r $T/picked $T/plain",
					how, how, m->plain)),
			  0);
		CHECK_INT(cli("grep -q 'grid of the schedule' $T/picked/array.svg && grep -q 'stand on a grid of' $T/picked/README.md"), 0);
	}
}

TEST(other_backends_pick_the_same)
{
	/* Strict where all of it is in force; the other one has fewer instances than some grids have places. */
	static const char *const backends[] = {"cpu_sim --strict", "a2a3sim"};

	REQUIRE_INT(cli(SIZED), 0);
	REQUIRE_INT(cli("$B/ptowsp-run --quiet " RANDOM "--out y=$T/wanted.npy $T/sized.pkg.zst"), 0);
	for (size_t i = 0; i < 2 * MAPPINGS; i++) {
		const struct mapping *m = &mappings[i / 2];
		json_t *stats = stats_of(check_fmt("$B/ptowsp-run --plugin=%s --quiet --stats=json --set n=%u " RANDOM "--out y=$T/y.npy $T/sized.pkg.zst",
						   backends[i % 2], m->least));

		REQUIRE(stats != NULL);
		CHECK_INT(cli_int(stats, "layouts[0].shards"), m->shards);
		CHECK_INT(cli("cmp $T/wanted.npy $T/y.npy"), 0);
	}
}

/* Where the value is a task's own, tasks of one run take several policies, and all stand on the largest grid among them. */
TEST(tasks_of_several_mappings_share_the_largest_grid)
{
	static const char policies[] = "dispatch=threshold(task,spatial_map(1,2),8,spatial_map(2,2),20,round_robin(3))";
	json_t *stats;

	REQUIRE_INT(cli(SIZED), 0);
	REQUIRE_INT(cli("$B/ptowsp-run --quiet " RANDOM "--out y=$T/wanted.npy $T/sized.pkg.zst"), 0);
	stats = stats_of(check_fmt("$B/ptowsp-run --plugin=aie --strict --quiet --stats=json --emit $T/made --schedule '%s' " RANDOM
				   "--out y=$T/y.npy $T/sized.pkg.zst",
				   policies));
	REQUIRE(stats != NULL);
	CHECK_INT(figure(stats, "rows of the schedule's grid"), 2);
	CHECK_INT(figure(stats, "columns of the schedule's grid"), 2);
	CHECK_INT(cli_int(stats, "layouts[0].shards"), 4);
	CHECK_UINT(cores_of_design(), corner(2, 2));
	CHECK_INT(cli("cmp $T/wanted.npy $T/y.npy"), 0);
}

TEST(a_mapping_without_a_place_is_said)
{
	REQUIRE_INT(cli(SIZED), 0);
	CLI_ERR(0, "$B/ptowsp-run --plugin=aie --set n=200 " RANDOM "$T/sized.pkg.zst",
		"schedule directive dispatch is recorded, not enforced, in this run: ", "pinned to column 4, row 2");
	CLI_ERR(5, "$B/ptowsp-run --plugin=aie --strict --set n=200 " RANDOM "$T/sized.pkg.zst", "the schedule's executors cannot be cores: ");
	cli_check_sentence();
	CHECK_INT(cli("$B/ptowsp-run --plugin=aie --strict --quiet --set n=64 " RANDOM "$T/sized.pkg.zst"), 0);
}

/* Pools of a grid lie below each other; so they do on the one that is picked, however large the others are. */
TEST(each_pool_has_a_grid_of_its_own)
{
	static const char how[] = "--schedule 'pools=custom(task/16)' --schedule 'dispatch=threshold(n,spatial_map(2,2),4,round_robin(9))' --schedule "
				  "layout=x,R --schedule layout=y,R";

	REQUIRE_INT(cli(SIZED), 0);
	CHECK_INT(cli(check_fmt("$B/ptowsp-run --plugin=aie --strict --quiet --emit $T/made %s " RANDOM "$T/sized.pkg.zst", how)), 0);
	CHECK_UINT(cores_of_design(), corner(4, 2));
}
