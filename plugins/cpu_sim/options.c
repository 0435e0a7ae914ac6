/* SPDX-License-Identifier: MIT */
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "error.h"
#include "rt/rt.h"

#define OPTION(n, ty, std, rng, txt) \
	{.head = PTOWSP_HEAD(struct ptowsp_option, OPTION), .name = n, .type = ty, .standard = std, .range = rng, .text = txt}

/* values: what is accepted, in the order of the number that is stored. */
static const struct row {
	struct ptowsp_option option;
	size_t field;
	unsigned standard;
	const char *values[4];
	unsigned least, most; /* a number instead, where most is not 0 */
} rows[] = {
	{OPTION("opt_level", "int", "2", "0..3", "accepted; kernels are interpreted, so every level runs the same way"),
	 offsetof(struct cpu_options, opt_level), 2, {"0", "1", "2", "3"}, 0, 0},
	{OPTION("profiling", "bool", "off", "off|on", "log the wall time of each kernel after a run"),
	 offsetof(struct cpu_options, profiling), 0, {"off", "on", NULL, NULL}, 0, 0},
	{OPTION("debug", "bool", "off", "off|on", "log what serves each kernel when a package is loaded"),
	 offsetof(struct cpu_options, debug), 0, {"off", "on", NULL, NULL}, 0, 0},
	{OPTION("tensor_map", "word", "dynamic", "dynamic|fixed", "grows with what is live, or a pool made for a full window; same results"),
	 offsetof(struct cpu_options, fixed_map), 0, {"dynamic", "fixed", NULL, NULL}, 0, 0},
	{OPTION("replay", "word", "on", "on|off|always", "iterations that repeat those before take their edges by offset, on: where that pays; same results"),
	 offsetof(struct cpu_options, replay), RT_REPLAY_WHERE_IT_PAYS, {"on", "off", "always", NULL}, 0, 0},
	{OPTION("schedulers", "int", "1", "1..64", "instances that generate tasks from the same bytecode, each its own part"),
	 offsetof(struct cpu_options, schedulers), 1, {NULL}, 1, 64},
	{OPTION("clock", "word", "own", "reference|own", "cycle model; this backend's own is the reference model"),
	 offsetof(struct cpu_options, own_clock), 1, {"reference", "own", NULL, NULL}, 0, 0},
	{OPTION("numerics", "word", "exact", "exact|fast", "fast may fuse products with sums and sum rows in any order, and says how far results may be off"),
	 offsetof(struct cpu_options, fast), 0, {"exact", "fast", NULL, NULL}, 0, 0},
};
#define ROWS (sizeof(rows) / sizeof(*rows))

static unsigned *field(struct cpu_options *options, const struct row *row)
{
	return (unsigned *)((char *)options + row->field);
}

static ptowsp_status set(struct cpu_options *options, const struct row *row, const char *value, struct ptowsp_error *error)
{
	char *end = NULL;
	unsigned long n = row->most ? strtoul(value, &end, 10) : 0;

	if (row->most && *value >= '0' && *value <= '9' && !*end && n >= row->least && n <= row->most) {
		*field(options, row) = (unsigned)n;
		return PTOWSP_OK;
	}
	for (unsigned v = 0; v < 4 && row->values[v]; v++)
		if (!strcmp(row->values[v], value)) {
			*field(options, row) = v;
			return PTOWSP_OK;
		}
	return cpu_fail(error, PTOWSP_INVALID, "cpu_sim: option %s takes %s, not \"%.40s\"", row->option.name,
			row->option.range, value);
}

static ptowsp_status unknown(const char *key, struct ptowsp_error *error)
{
	char known[128];
	size_t used = 0;

	for (size_t i = 0; i < ROWS && used < sizeof(known); i++)
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s", i ? ", " : "", rows[i].option.name);
	return cpu_fail(error, PTOWSP_INVALID, "cpu_sim has no option \"%.40s\"; it has %s", key, known);
}

static ptowsp_status apply(struct cpu_options *options, const struct ptowsp_setting *setting, struct ptowsp_error *error)
{
	for (size_t i = 0; i < ROWS; i++)
		if (!strcmp(rows[i].option.name, setting->key))
			return set(options, &rows[i], setting->value, error);
	return unknown(setting->key, error);
}

ptowsp_status cpu_options_read(struct cpu_options *options_out, const struct ptowsp_init_args *args,
			       struct ptowsp_error *error)
{
	ptowsp_status st = PTOWSP_OK;

	for (size_t i = 0; i < ROWS; i++)
		*field(options_out, &rows[i]) = rows[i].standard;
	for (uint32_t i = 0; !st && i < args->setting_count; i++)
		st = apply(options_out,
			   (const struct ptowsp_setting *)((const char *)args->settings + (size_t)i * args->setting_stride),
			   error);
	return st;
}

ptowsp_status cpu_options_list(const struct ptowsp_option **options_out, uint32_t *count, struct ptowsp_error *error)
{
	uint32_t room = *count;

	*count = ROWS;
	for (uint32_t i = 0; i < room && i < ROWS; i++)
		options_out[i] = &rows[i].option;
	return room >= ROWS ? PTOWSP_OK
			    : cpu_fail(error, PTOWSP_MORE, "cpu_sim has %u options, there is room for %u", (unsigned)ROWS, room);
}
