/* SPDX-License-Identifier: MIT */
/* test_tables.c - sizes of tables, lists that fit their room, what stands in them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/call/describe.h"
#include "ptowsp/ptowsp.h"
#include "registry/names.h"
#include "tools/conform/conform.h"

enum { ROWS = 4096 };

static void head_look(struct conform *c, const struct ptowsp_head *head, uint16_t type, uint32_t floor, const char *what)
{
	CONFORM_MUST(c, head->type == type, "%s has a head of kind %u, not %u (PL2)", what, head->type, type);
	CONFORM_MUST(c, head->size >= floor && head->size <= PTOWSP_SIZE_LIMIT, "%s says %u bytes, not %u to %u (PL2)", what, head->size, floor,
		     PTOWSP_SIZE_LIMIT);
	CONFORM_MUST(c, head->size % 8 == 0, "%s says %u bytes, which is no multiple of 8 (PL2)", what, head->size);
	CONFORM_MUST(c, !head->flags, "%s has flags 0x%x in its head; they are zero in 10.0 (PL2)", what, head->flags);
}

void conform_test_tables_have_their_sizes(struct conform *c)
{
	const struct ptowsp_device *devices[ROWS];
	const struct ptowsp_option *options[ROWS];
	uint32_t count = ROWS;

	conform_load(c);
	head_look(c, &c->plugin->descriptor->head, PTOWSP_STRUCT_PLUGIN, PTOWSP_PLUGIN_FLOOR_10_0, "the descriptor");
	head_look(c, &c->plugin->descriptor->ops->head, PTOWSP_STRUCT_OPS, PTOWSP_OPS_FLOOR_10_0, "the table of operations");
	if (!CONFORM_CALL(c, devices, NULL, devices, &count, &c->error))
		for (uint32_t i = 0; i < count && i < ROWS; i++)
			head_look(c, &devices[i]->head, PTOWSP_STRUCT_DEVICE, host_struct_size(HOST_STRUCT_device, 0), "a device");
	count = ROWS;
	if (!CONFORM_CALL(c, options, options, &count, &c->error))
		for (uint32_t i = 0; i < count && i < ROWS; i++)
			head_look(c, &options[i]->head, PTOWSP_STRUCT_OPTION, host_struct_size(HOST_STRUCT_option, 0), "an option");
}

void conform_test_operations_of_a_run_are_there(struct conform *c)
{
	const struct ptowsp_ops *ops;

	conform_load(c);
	ops = c->plugin->descriptor->ops;
#define NEED(name) CONFORM_MUST(c, ops->name, "it has no operation %s, and without it nothing runs", #name)
	NEED(init);
	NEED(fini);
	NEED(devices);
	NEED(capabilities);
	NEED(open);
	NEED(close);
	NEED(load);
	NEED(unload);
	NEED(submit);
#undef NEED
}

/* ---- devices and options ---------------------------------------------------------------------------------------- */

/* Lists of pointers: op(room) for every room up to what there is. */
typedef ptowsp_status (*list_fn)(struct conform *c, const void **rows, uint32_t *count);

static ptowsp_status devices_list(struct conform *c, const void **rows, uint32_t *count)
{
	return CONFORM_CALL(c, devices, c->instance, (const struct ptowsp_device **)rows, count, &c->error);
}

static ptowsp_status options_list(struct conform *c, const void **rows, uint32_t *count)
{
	return CONFORM_CALL(c, options, (const struct ptowsp_option **)rows, count, &c->error);
}

static uint32_t list_fit(struct conform *c, list_fn list, const char *what)
{
	uint32_t have = 0;
	const void **rows;
	ptowsp_status status;

	conform_about(c, "NULL and room for no row");
	status = list(c, NULL, &have);
	if (status == PTOWSP_UNIMPLEMENTED)
		return 0;
	CONFORM_MUST(c, status == (have ? PTOWSP_MORE : PTOWSP_OK), "without room, %s answers %s and a count of %u", what, reg_status_name(status), have);
	CONFORM_MUST(c, have <= ROWS, "it has %u %s", have, what);
	for (uint32_t room = 1; room <= have + 3; room++) {
		uint32_t count = room;

		rows = conform_lend(c, (room < have ? room : have) * sizeof(*rows));
		conform_about(c, "room for %u of %u rows", room, have);
		status = list(c, rows, &count);
		CONFORM_MUST(c, count == have, "with room for %u, %s says there are %u, and before %u", room, what, count, have);
		CONFORM_MUST(c, status == (room < have ? PTOWSP_MORE : PTOWSP_OK), "with room for %u of %u, %s answers %s", room, have, what,
			     reg_status_name(status));
	}
	return have;
}

void conform_test_devices_fit_the_room(struct conform *c)
{
	conform_load(c);
	list_fit(c, devices_list, "devices");
	conform_init(c);
	CONFORM_MUST(c, list_fit(c, devices_list, "devices"), "it lists no device; one that is not there is listed too, and open answers NO_DEVICE");
	conform_close(c);
}

static void rows_look(struct conform *c, const void *rows, uint32_t count, uint32_t stride, size_t least, const char *device, const char *what)
{
	CONFORM_MUST(c, !count || rows, "device %s has %u %s and no pointer to them", device, count, what);
	CONFORM_MUST(c, !count || (stride >= least && stride % 8 == 0), "the %s of device %s have a stride of %u, not a multiple of 8 from %zu", what, device,
		     stride, least);
}

static void text_look(struct conform *c, const char *text, bool needed, const char *what)
{
	CONFORM_MUST(c, text, "%s is NULL", what);
	CONFORM_MUST(c, !needed || *text, "%s is empty", what);
	CONFORM_MUST(c, strnlen(text, 4096) < 4096, "%s does not end", what);
	for (const unsigned char *t = (const unsigned char *)text; *t; t++)
		CONFORM_MUST(c, *t >= ' ' && *t != 127, "%s has a control character: \"%.60s\"", what, text);
}

static void device_look(struct conform *c, const struct ptowsp_device *d)
{
	text_look(c, d->name, true, "the name of a device");
	text_look(c, d->text, true, "the text of a device");
	rows_look(c, d->memories, d->memory_count, d->memory_stride, host_struct_size(HOST_STRUCT_arch_memory, 0), d->name, "memories");
	rows_look(c, d->units, d->unit_count, d->unit_stride, host_struct_size(HOST_STRUCT_arch_unit, 0), d->name, "units");
	CONFORM_MUST(c, d->memory_count && d->unit_count, "device %s has no memory or no unit", d->name);
}

void conform_test_device_models_are_sound(struct conform *c)
{
	const struct ptowsp_device *rows[ROWS];
	uint32_t count = ROWS;

	conform_init(c);
	conform_ok(c, CONFORM_CALL(c, devices, c->instance, rows, &count, &c->error), "the list of devices");
	for (uint32_t i = 0; i < count; i++) {
		device_look(c, rows[i]);
		for (uint32_t k = 0; k < i; k++)
			CONFORM_MUST(c, strcmp(rows[i]->name, rows[k]->name) != 0, "two devices are called %s", rows[i]->name);
	}
	conform_close(c);
}

/* The range as a host takes it: a bool without words has these. */
static const char *range_of(const struct ptowsp_option *o)
{
	return !*o->range && !strcmp(o->type, "bool") ? "false|true" : o->range;
}

/* The default is one of "a|b|c" or within "1..8"; other ranges are for people. */
static bool in_range(const struct ptowsp_option *o)
{
	const char *range = range_of(o), *at = strstr(range, "..");
	size_t length = strlen(o->standard);

	if (at && !strcmp(o->type, "int") && strspn(range, "0123456789-") == (size_t)(at - range) && at[2]) {
		long long value = strtoll(o->standard, NULL, 0);

		return value >= strtoll(range, NULL, 10) && value <= strtoll(at + 2, NULL, 10);
	}
	if (!strchr(range, '|'))
		return true;
	for (at = range; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
		if (!strncmp(at, o->standard, length) && (!at[length] || at[length] == '|'))
			return true;
	return false;
}

static void option_look(struct conform *c, const struct ptowsp_option *o)
{
	static const char types[] = " int bool word path ";
	char padded[32];

	text_look(c, o->name, true, "the name of an option");
	text_look(c, o->type, true, "the type of an option");
	text_look(c, o->standard, false, "the default of an option");
	text_look(c, o->range, false, "the range of an option");
	text_look(c, o->text, true, "the text of an option");
	snprintf(padded, sizeof(padded), " %.20s ", o->type);
	CONFORM_MUST(c, strstr(types, padded), "option %s has the type \"%.20s\"; there are int, bool, word, path", o->name, o->type);
	CONFORM_MUST(c, in_range(o), "the default %s of option %s is not in its range %s", o->standard, o->name, range_of(o));
}

void conform_test_options_are_sound(struct conform *c)
{
	const struct ptowsp_option *rows[ROWS];
	uint32_t count = ROWS;

	conform_load(c);
	list_fit(c, options_list, "options");
	if (CONFORM_CALL(c, options, rows, &count, &c->error))
		return; /* none */
	for (uint32_t i = 0; i < count; i++) {
		option_look(c, rows[i]);
		for (uint32_t k = 0; k < i; k++)
			CONFORM_MUST(c, strcmp(rows[i]->name, rows[k]->name) != 0, "two options are called %s", rows[i]->name);
	}
}

/* ---- capability rows -------------------------------------------------------------------------------------------- */

/* Rows with room and stride, in lent memory; bytes between rows stay 0xEE. */
static char *rows_read(struct conform *c, uint32_t room, uint32_t stride, uint32_t have)
{
	uint32_t count = room;
	size_t bytes = (size_t)room * stride;
	char *rows = conform_lend(c, (bytes + 7) / 8 * 8);
	ptowsp_status status;

	memset(rows, 0xEE, bytes);
	conform_about(c, "room for %u of %u rows of %u bytes", room, have, stride);
	status = CONFORM_CALL(c, capabilities, c->instance, NULL, (struct ptowsp_cap *)(void *)rows, stride, &count, &c->error);
	CONFORM_MUST(c, count == have, "with room for %u rows of %u bytes, capabilities says there are %u, and before %u", room, stride, count, have);
	CONFORM_MUST(c, status == (room < have ? PTOWSP_MORE : PTOWSP_OK), "with room for %u of %u rows, capabilities answers %s", room, have,
		     reg_status_name(status));
	return rows;
}

void conform_test_capability_rows_fit_their_stride(struct conform *c)
{
	static const uint32_t strides[] = {32, 40, 64, 256};
	uint32_t have = 0;
	char *narrow;

	conform_init(c);
	CONFORM_CALL(c, capabilities, c->instance, NULL, NULL, sizeof(struct ptowsp_cap), &have, &c->error);
	CONFORM_MUST(c, have, "it has no capability row");
	if (have > 1)
		rows_read(c, have - 1, 32, have);
	narrow = rows_read(c, have, 32, have);
	for (size_t s = 1; s < sizeof(strides) / sizeof(*strides); s++) {
		char *wide = rows_read(c, have, strides[s], have);

		for (uint32_t i = 0; i < have; i++) {
			const char *row = wide + (size_t)i * strides[s];

			CONFORM_MUST(c, !memcmp(row, narrow + (size_t)i * 32, 32), "row %u is another one with a stride of %u", i, strides[s]);
			for (uint32_t k = host_struct_size(HOST_STRUCT_cap, c->plugin->minor); k < strides[s]; k++)
				CONFORM_MUST(c, row[k] == (char)0xEE || !row[k], "bytes behind row %u, stride %u, were written", i, strides[s]);
		}
	}
	conform_close(c);
}

void conform_test_capability_rows_are_sound(struct conform *c)
{
	static struct ptowsp_cap rows[ROWS];
	struct reg_feature feature;
	uint32_t count = ROWS;

	conform_init(c);
	conform_ok(c, CONFORM_CALL(c, capabilities, c->instance, NULL, rows, sizeof(*rows), &count, &c->error), "the rows of the first device");
	for (uint32_t i = 0; i < count; i++) {
		const struct ptowsp_cap *r = &rows[i];

		CONFORM_MUST(c, reg_feature(r->feature, &feature), "row %u is about 0x%x, which no feature has (PL7)", i, r->feature);
		CONFORM_MUST(c, r->state <= PTOWSP_STATE_ENFORCED && r->evidence <= PTOWSP_EVIDENCE_CONFORMANCE, "the row of %s has state %u and evidence %u",
			     feature.name, r->state, r->evidence);
		CONFORM_MUST(c, r->since <= c->plugin->minor, "the row of %s is of minor %u; at minor %u it does not exist (PL3)", feature.name, r->since,
			     c->plugin->minor);
		CONFORM_MUST(c, r->low <= r->high, "the row of %s is limited to %lld to %lld", feature.name, (long long)r->low, (long long)r->high);
		for (uint32_t k = 0; k < i; k++)
			CONFORM_MUST(c, rows[k].feature != r->feature, "%s has two rows", feature.name);
	}
	count = ROWS;
	conform_refused(c, CONFORM_CALL(c, capabilities, c->instance, "no such device", rows, sizeof(*rows), &count, &c->error), PTOWSP_NO_DEVICE,
			PTOWSP_NOT_FOUND, "rows of a device that is not there");
	conform_close(c);
}

/* ---- extensions ------------------------------------------------------------------------------------------------- */

static const struct {
	const char *id;
	uint32_t floor, needed; /* bytes of the table; of them that must not be NULL pointers */
	uint32_t since;         /* the minor */
} extensions[] = {
	{PTOWSP_EXTENSION_TRACE, 16, 16, 0},    {PTOWSP_EXTENSION_GRAPH, 16, 16, 0},    {PTOWSP_EXTENSION_EXTENTS, 16, 16, 0},
	{PTOWSP_EXTENSION_ARTIFACT, 16, 16, 0}, {PTOWSP_EXTENSION_REPORT, 24, 8, 0},
#if PTOWSP_ABI_MINOR >= 1
	{PTOWSP_EXTENSION_PROFILE, 16, 16, 1},  {PTOWSP_EXTENSION_BUFFERS, 48, 48, 1},  {PTOWSP_EXTENSION_FENCES, 48, 48, 1},
	{PTOWSP_EXTENSION_SUPPORT, 16, 16, 1},  {PTOWSP_EXTENSION_COMPILED, 24, 24, 1},
#endif
};

static void extensions_look(struct conform *c)
{
	static const char *const unknown[] = {"",  "ptowsp.trace", "ptowsp.trace/0", "ptowsp.trace/2", "ptowsp.trace/11", "com.example.nowhere/1",
					      "/", "ptowsp."};

	for (size_t i = 0; i < sizeof(extensions) / sizeof(*extensions); i++) {
		const struct ptowsp_head *head = c->plugin->ops.extension(c->instance, extensions[i].id);

		if (!head)
			continue;
		CONFORM_MUST(c, c->instance || !extensions[i].since, "it offers %s to a NULL instance, which hosts of 10.0 ask, too", extensions[i].id);
		CONFORM_MUST(c, head == c->plugin->ops.extension(c->instance, extensions[i].id), "%s is another table each time", extensions[i].id);
		head_look(c, head, PTOWSP_STRUCT_EXTENSION, extensions[i].floor, extensions[i].id);
		for (uint32_t at = 8; at + 8 <= extensions[i].needed; at += 8)
			CONFORM_MUST(c, *(void *const *)(const void *)((const char *)head + at), "%s has a NULL function at byte %u", extensions[i].id, at);
	}
	for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++)
		CONFORM_MUST(c, !c->plugin->ops.extension(c->instance, unknown[i]), "it has an extension \"%s\", which nobody defined", unknown[i]);
}

void conform_test_extensions_have_their_sizes(struct conform *c)
{
	conform_load(c);
	snprintf(c->record->operation, sizeof(c->record->operation), "extension");
	extensions_look(c);
	conform_init(c);
	extensions_look(c);
	conform_close(c);
}

void conform_test_claims_have_what_they_need(struct conform *c)
{
	const struct ptowsp_ops *ops;

	conform_init(c);
	ops = c->plugin->descriptor->ops;
#define NEED(feature, condition, what)                                                                                                                         \
	CONFORM_MUST(c, conform_claim(c, PTOWSP_FEATURE_##feature) < PTOWSP_STATE_ENFORCED || (condition), "it enforces %s and has no %s (PL7)", #feature, what)
	NEED(CANCEL, ops->cancel, "operation cancel");
	NEED(STALL_STATS, ops->stats, "operation stats");
	NEED(TASK_TRACE, c->plugin->ops.extension(c->instance, PTOWSP_EXTENSION_TRACE), "extension " PTOWSP_EXTENSION_TRACE);
	NEED(TASK_GRAPH, c->plugin->ops.extension(c->instance, PTOWSP_EXTENSION_GRAPH), "extension " PTOWSP_EXTENSION_GRAPH);
#undef NEED
	conform_close(c);
}
