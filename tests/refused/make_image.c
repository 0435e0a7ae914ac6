/* SPDX-License-Identifier: MIT */
/* make_image.c - wrong tables in a container that is right. */
#include "make.h"

#include "format/schema.h"
#include "ptowsp/task.h"
#include "ptowsp/tile.h"
#include "ptowsp/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct pkg_image_section *section(struct pkg_image *image, uint32_t type)
{
	struct pkg_image_section *s = pkg_image_find(image, type);

	if (!s)
		abort();
	return s;
}

/* Sets one field of one row. */
static void set(struct pkg_image *image, uint32_t type, uint32_t row, const char *field, uint64_t value)
{
	struct pkg_image_section *s = section(image, type);
	const struct pkg_field *f = pkg_schema_field(pkg_schema_find(type), field);

	if (!f || row >= s->count)
		abort();
	pkg_field_set(s->data + (size_t)row * s->stride, f, value);
}

static void resize(struct pkg_image_section *s, uint64_t count)
{
	size_t size = (size_t)count * s->stride;
	uint8_t *data = realloc(s->data, size + 1);

	if (!data)
		abort();
	if (size > s->size)
		memset(data + s->size, 0, size - s->size);
	s->data = data;
	s->size = size;
	s->count = count;
}

/* count rows, the new ones equal to the first. */
static void repeat(struct pkg_image *image, uint32_t type, uint64_t count)
{
	struct pkg_image_section *s = section(image, type);
	uint64_t old = s->count;

	resize(s, count);
	for (uint64_t i = old; i < count; i++)
		memcpy(s->data + i * s->stride, s->data, s->stride);
}

/* Offset of a new string. */
static uint32_t string(struct pkg_image *image, const char *text)
{
	struct pkg_image_section *s = section(image, PTOWSP_SECTION_STRS);
	uint32_t offset = (uint32_t)s->size;

	resize(s, s->size + strlen(text) + 1);
	memcpy(s->data + offset, text, strlen(text));
	return offset;
}

static void drop(struct pkg_image *image, uint32_t type)
{
	struct pkg_image_section *s = section(image, type);

	free(s->data);
	*s = image->sections[--image->section_count];
}

static void ids_not_sorted(struct pkg_image *image)
{
	struct pkg_image_section *s = section(image, PTOWSP_SECTION_TENS);
	uint8_t row[64];

	memcpy(row, s->data, s->stride);
	memcpy(s->data, s->data + s->stride, s->stride);
	memcpy(s->data + s->stride, row, s->stride);
}

static void section_required_unknown(struct pkg_image *image)
{
	image->sections[image->section_count++] = (struct pkg_image_section){PTOWSP_SECTION('N', 'E', 'W', '1'), 1, 1, 4, calloc(1, 4), 4};
}

static void section_required_without_letters(struct pkg_image *image)
{
	image->sections[image->section_count++] = (struct pkg_image_section){0x01020304, 1, 1, 4, calloc(1, 4), 4};
}

static void header_padding_not_zero(struct pkg_image *image)
{
	image->targets[0][3] = 0; /* "cpu": four bytes of padding, spoilt in make.c */
}

static void meta_key_long(struct pkg_image *image)
{
	char key[129];

	memset(key, 'k', sizeof(key) - 1);
	key[sizeof(key) - 1] = 0;
	set(image, PTOWSP_SECTION_META, 1, "key", string(image, key));
}

static void meta_abi_differs(struct pkg_image *image)
{
	set(image, PTOWSP_SECTION_META, 1, "key", string(image, "wsp_runtime_abi"));
}

static void run_grow(struct pkg_image *image, uint32_t type, const char *count)
{
	repeat(image, type, 65536);
	set(image, PTOWSP_SECTION_KREG, 0, count, 65536);
}

/* The payload becomes a portable one of `count` tensors, the third like the kernel's but for what is said here, and one scalar, which is argument 0 if it is one. */
static void portable(struct pkg_image *image, uint32_t count, struct ptowsp_tile_param third, uint16_t scalar)
{
	const struct ptowsp_tile_header header = {.magic = PTOWSP_TILE_MAGIC, .version = PTOWSP_TILE_VERSION, .param_count = count, .scalar_count = 1};
	const struct ptowsp_tile_param params[3] = {{.access = PTOWSP_READ, .rows = 8, .columns = 8}, {.access = PTOWSP_READ, .rows = 8, .columns = 8}, third};
	const struct ptowsp_tile_scalar last = {.kind = scalar};
	struct pkg_image_section *code = section(image, PTOWSP_SECTION_CODE);
	size_t size = count * sizeof(*params);

	resize(code, 128);
	memcpy(code->data, &header, sizeof(header));
	memcpy(code->data + sizeof(header), params, size);
	memcpy(code->data + sizeof(header) + size, &last, sizeof(last));
	set(image, PTOWSP_SECTION_KPAY, 0, "kind", PTOWSP_PAYLOAD_PTO);
	set(image, PTOWSP_SECTION_KPAY, 0, "size", 128);
}

#define THIRD(...) ((struct ptowsp_tile_param){__VA_ARGS__})

/* WORK, ENTR: 6 instructions, 1 axis, 1 kernel, 3 tensors */
static void work_put(struct pkg_image *image, size_t at, uint32_t value)
{
	memcpy(section(image, PTOWSP_SECTION_WORK)->data + at, &value, sizeof(value));
}

/* A portable payload of two inputs and an output, and the word of the task for one of them. */
static void task_word(struct pkg_image *image, uint32_t tensor, uint8_t opcode, uint32_t region)
{
	const struct ptowsp_instruction word = {.opcode = opcode, .operand1 = (uint16_t)tensor, .operand2 = region};

	portable(image, 3, THIRD(.access = PTOWSP_WRITE, .rows = 8, .columns = 8), PTOWSP_SCALAR_LOCAL);
	memcpy(section(image, PTOWSP_SECTION_WORK)->data + sizeof(struct ptowsp_workload_header) + (2 + (size_t)tensor) * sizeof(word), &word, sizeof(word));
}

static void entries_both_default(struct pkg_image *image)
{
	uint64_t first = ptowsp_id("main", 4), second = ptowsp_id("aux", 3);
	uint32_t later = second > first;
	uint32_t main_name;

	memcpy(&main_name, section(image, PTOWSP_SECTION_ENTR)->data + 8, sizeof(main_name));
	repeat(image, PTOWSP_SECTION_ENTR, 2);
	set(image, PTOWSP_SECTION_ENTR, later, "name", string(image, "aux"));
	set(image, PTOWSP_SECTION_ENTR, later, "id", second);
	set(image, PTOWSP_SECTION_ENTR, !later, "name", main_name);
	set(image, PTOWSP_SECTION_ENTR, !later, "id", first);
}

static void domain_unknown(struct pkg_image *image)
{
	set(image, PTOWSP_SECTION_SCHD, 0, "directive", PTOWSP_DIRECTIVE_PIPELINE_DEPTH);
	set(image, PTOWSP_SECTION_SCHD, 0, "policy", PTOWSP_PIPELINE_DEPTH_DEPTH);
	set(image, PTOWSP_SECTION_SCHD, 0, "a0", string(image, "ghost"));
}

/* Row 0 lays out a tensor of one dimension, row 1 is the grid. */
static void laid_out(struct pkg_image *image, const char *tensor, uint64_t count, const char *first, const char *second)
{
	set(image, PTOWSP_SECTION_SCHD, 0, "directive", PTOWSP_DIRECTIVE_LAYOUT);
	set(image, PTOWSP_SECTION_SCHD, 0, "policy", PTOWSP_LAYOUT_SHARD);
	set(image, PTOWSP_SECTION_SCHD, 0, "count", count);
	set(image, PTOWSP_SECTION_SCHD, 0, "kinds", count > 2 ? 0x010101 : 0x0101);
	set(image, PTOWSP_SECTION_SCHD, 0, "a0", string(image, tensor));
	set(image, PTOWSP_SECTION_SCHD, 0, "a1", string(image, first));
	set(image, PTOWSP_SECTION_SCHD, 0, "a2", count > 2 ? string(image, second) : 0);
	set(image, PTOWSP_SECTION_SCHD, 1, "directive", PTOWSP_DIRECTIVE_SPATIAL_MAP);
	set(image, PTOWSP_SECTION_SCHD, 1, "policy", PTOWSP_SPATIAL_MAP_GRID);
	set(image, PTOWSP_SECTION_SCHD, 1, "count", 2);
	set(image, PTOWSP_SECTION_SCHD, 1, "kinds", 0);
	set(image, PTOWSP_SECTION_SCHD, 1, "a0", 2);
	set(image, PTOWSP_SECTION_SCHD, 1, "a1", 2);
}

static void sample_twice(struct pkg_image *image)
{
	repeat(image, PTOWSP_SECTION_TDAT, 4);
}

static void position_file_long(struct pkg_image *image)
{
	char name[257];

	memset(name, 'f', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	set(image, PTOWSP_SECTION_DBGI, 0, "file", string(image, name));
}

/* CSPC, PROC, PRCH: the channel "c", written by one process and read by the other */
static void table_add(struct pkg_image *image, uint32_t type, uint32_t count)
{
	uint32_t stride = pkg_schema_find(type)->bytes;

	image->sections[image->section_count++] = (struct pkg_image_section){type, 0, stride, count, calloc(count, stride), (size_t)count * stride};
}

static void pipeline_add(struct pkg_image *image)
{
	const char *names[] = {"make", "take"};
	int later = ptowsp_id("make", 4) > ptowsp_id("take", 4);

	table_add(image, PTOWSP_SECTION_CSPC, 1);
	table_add(image, PTOWSP_SECTION_PROC, 2);
	table_add(image, PTOWSP_SECTION_PRCH, 4);
	set(image, PTOWSP_SECTION_CSPC, 0, "name", string(image, "c"));
	set(image, PTOWSP_SECTION_CSPC, 0, "id", ptowsp_id("c", 1));
	for (uint32_t i = 0; i < 2; i++) {
		set(image, PTOWSP_SECTION_PROC, i, "name", string(image, names[later ? 1 - i : i]));
		set(image, PTOWSP_SECTION_PROC, i, "id", ptowsp_id(names[later ? 1 - i : i], 4));
		set(image, PTOWSP_SECTION_PROC, i, "instruction", 5);
		set(image, PTOWSP_SECTION_PROC, i, "replicas", 1);
		set(image, PTOWSP_SECTION_PROC, i, "order", i);
		set(image, PTOWSP_SECTION_PROC, i, "channels", i);
		set(image, PTOWSP_SECTION_PROC, i, "channel_count", 1);
		set(image, PTOWSP_SECTION_PRCH, i, "direction", i);
	}
}

/* KLAY: two dimensions of the first parameter; one field of one of them */
static void layout_add(struct pkg_image *image, uint32_t rows)
{
	table_add(image, PTOWSP_SECTION_KLAY, rows);
	for (uint32_t i = 0; i < rows; i++) {
		set(image, PTOWSP_SECTION_KLAY, i, "distribution", 1);
		set(image, PTOWSP_SECTION_KLAY, i, "mesh_axis", i);
	}
}

/* TMEM: one row of the first tensor; one field of it */

/* KMEM: one row of the first parameter; one field of it */

/* AXES in full, AXVL: the only axis becomes one of two rows, with these values. */
static uint32_t const_add(struct pkg_image *image, uint32_t value)
{
	struct pkg_image_section *s = section(image, PTOWSP_SECTION_EXPR);

	resize(s, s->count + 1);
	set(image, PTOWSP_SECTION_EXPR, (uint32_t)s->count - 1, "b", value);
	return (uint32_t)s->count - 1;
}

static void axes_widen(struct pkg_image *image)
{
	struct pkg_image_section *s = section(image, PTOWSP_SECTION_AXES);
	uint32_t stride = pkg_schema_find(s->type)->bytes;
	uint8_t *data = calloc(s->count, stride);

	for (uint64_t i = 0; i < s->count; i++)
		memcpy(data + i * stride, s->data + i * s->stride, s->stride);
	free(s->data);
	*s = (struct pkg_image_section){s->type, s->flags, stride, s->count, data, (size_t)s->count * stride};
	set(image, PTOWSP_SECTION_AXES, 0, "row", PTOWSP_NONE);
	set(image, PTOWSP_SECTION_AXES, 0, "lengths", PTOWSP_NONE);
	set(image, PTOWSP_SECTION_AXES, 0, "indices", PTOWSP_NONE);
	set(image, PTOWSP_SECTION_AXES, 0, "levels", PTOWSP_NONE);
}

static void rows_make(struct pkg_image *image, unsigned kind, uint32_t count, const int64_t *values)
{
	axes_widen(image);
	set(image, PTOWSP_SECTION_AXES, 0, "kind", kind);
	set(image, PTOWSP_SECTION_AXES, 0, "low", const_add(image, 0));
	set(image, PTOWSP_SECTION_AXES, 0, "step", const_add(image, 1));
	set(image, PTOWSP_SECTION_AXES, 0, "row", const_add(image, 1));
	set(image, PTOWSP_SECTION_AXES, 0, "high", const_add(image, 2));
	set(image, PTOWSP_SECTION_AXES, 0, "count", count);
	if (count)
		table_add(image, PTOWSP_SECTION_AXVL, count);
	for (uint32_t i = 0; i < count; i++)
		set(image, PTOWSP_SECTION_AXVL, i, "value", (uint64_t)values[i]);
}

#define ROWS(kind, ...)                              rows_make(image, PTOWSP_AXIS_##kind, sizeof((int64_t[]){__VA_ARGS__}) / 8, (const int64_t[]){__VA_ARGS__})

#define FIELD_CASE(name, SECT, row, field, value)    CHANGE(name, set(image, PTOWSP_SECTION_##SECT, row, field, value))
#define PIPELINE_CASE(name, SECT, row, field, value) CHANGE(name, (pipeline_add(image), set(image, PTOWSP_SECTION_##SECT, row, field, value)))
#define LAYOUT_CASE(name, rows, row, field, value)   CHANGE(name, (layout_add(image, rows), set(image, PTOWSP_SECTION_KLAY, row, field, value)))
#define MEMORY_CASE(name, field, value)              CHANGE(name, (table_add(image, PTOWSP_SECTION_TMEM, 1), set(image, PTOWSP_SECTION_TMEM, 0, field, value)))
#define ORDER_CASE(name, field, value)               CHANGE(name, (table_add(image, PTOWSP_SECTION_KMEM, 1), set(image, PTOWSP_SECTION_KMEM, 0, field, value)))

#define CHANGE(name, change)                                                                                                                                   \
	static void case_##name(struct pkg_image *image)                                                                                                       \
	{                                                                                                                                                      \
		change;                                                                                                                                        \
	}
#include "image_cases.def"
#undef CHANGE

#define CHANGE(name, change) {#name, case_##name},
const struct image_case image_cases[] = {
#include "image_cases.def"
};
const size_t image_case_count = sizeof(image_cases) / sizeof(image_cases[0]);
