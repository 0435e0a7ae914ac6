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

#define CHANGE(name, change)                                                                                                                                   \
	static void name(struct pkg_image *image)                                                                                                              \
	{                                                                                                                                                      \
		change;                                                                                                                                        \
	}
/* One field of one row set to a value. */
#define FIELD_CASE(name, SECT, row, field, value) CHANGE(name, set(image, PTOWSP_SECTION_##SECT, row, field, value))

/* What every field is checked for. */
FIELD_CASE(name_outside_strings, KPRM, 0, "name", 5000)
FIELD_CASE(name_inside_a_string, KPRM, 0, "name", 2)
FIELD_CASE(id_of_a_name_outside_strings, TENS, 0, "name", 5000)
FIELD_CASE(id_of_another_name, KREG, 0, "id", 1)
FIELD_CASE(id_without_a_name, KREG, 0, "name", 0)
FIELD_CASE(row_outside_its_table, DIMS, 0, "extent", 99)
FIELD_CASE(optional_row_outside_its_table, AXES, 0, "levels", 7)
FIELD_CASE(run_begins_outside_its_table, KREG, 0, "params", 99)
FIELD_CASE(run_ends_outside_its_table, KREG, 0, "param_count", 4)
FIELD_CASE(run_wraps, KREG, 0, "param_count", UINT32_MAX)
FIELD_CASE(code_unknown, KREG, 0, "unit", 99)
FIELD_CASE(element_type_unknown, TENS, 1, "dtype", 200)
FIELD_CASE(bits_unknown, KREG, 0, "flags", 2)
FIELD_CASE(reserved_not_zero, KPRM, 1, "reserved", 1)
FIELD_CASE(blob_ends_outside_its_section, KPAY, 0, "size", 97)
FIELD_CASE(blob_wraps, KPAY, 0, "offset", UINT64_MAX - 63)

static void ids_not_sorted(struct pkg_image *image)
{
	struct pkg_image_section *s = section(image, PTOWSP_SECTION_TENS);
	uint8_t row[64];

	memcpy(row, s->data, s->stride);
	memcpy(s->data, s->data + s->stride, s->stride);
	memcpy(s->data + s->stride, row, s->stride);
}

CHANGE(id_twice, repeat(image, PTOWSP_SECTION_KREG, 2))
CHANGE(stride_inside_a_field, (section(image, PTOWSP_SECTION_META)->stride = 2, section(image, PTOWSP_SECTION_META)->count = 8))

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

/* STRS */
CHANGE(strings_missing, drop(image, PTOWSP_SECTION_STRS))
CHANGE(strings_begin_with_a_letter, section(image, PTOWSP_SECTION_STRS)->data[0] = 'x')
CHANGE(strings_without_end, resize(section(image, PTOWSP_SECTION_STRS), section(image, PTOWSP_SECTION_STRS)->size - 1))
CHANGE(strings_empty, resize(section(image, PTOWSP_SECTION_STRS), 0))
CHANGE(strings_no_utf8, string(image, "caf\xE9"))
CHANGE(strings_overlong, string(image, "\xC0\xAF"))
CHANGE(strings_surrogate, string(image, "\xED\xA0\x80"))
CHANGE(strings_cut_in_a_character, string(image, "\xE2\x82"))
CHANGE(strings_with_escape, string(image, "\x1B[31mred"))

/* META */
CHANGE(meta_many_rows, repeat(image, PTOWSP_SECTION_META, 1025))
FIELD_CASE(meta_key_empty, META, 1, "key", 0)
CHANGE(meta_key_twice, repeat(image, PTOWSP_SECTION_META, 3))

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

/* KREG, KPAY */
CHANGE(signature_without_types, set(image, PTOWSP_SECTION_KREG, 0, "signature", string(image, "void add(float *)")))
CHANGE(signature_of_a_struct, set(image, PTOWSP_SECTION_KREG, 0, "signature", string(image, "v(p,s)")))
CHANGE(signature_with_void, set(image, PTOWSP_SECTION_KREG, 0, "signature", string(image, "v(v)")))
CHANGE(signature_open, set(image, PTOWSP_SECTION_KREG, 0, "signature", string(image, "v(p")))
CHANGE(signature_long, set(image, PTOWSP_SECTION_KREG, 0, "signature", string(image, "v(p,p,p,p,p,p,p,p,p,p,p,p,p,p,p,p,p,p,p,p,p,p,p,p,p,p,p,p,p,p,p,p,p)")))

static void run_grow(struct pkg_image *image, uint32_t type, const char *count)
{
	repeat(image, type, 65536);
	set(image, PTOWSP_SECTION_KREG, 0, count, 65536);
}

CHANGE(kernel_with_many_parameters, run_grow(image, PTOWSP_SECTION_KPRM, "param_count"))
CHANGE(kernel_with_many_payloads, run_grow(image, PTOWSP_SECTION_KPAY, "payload_count"))
CHANGE(kernel_with_many_variants, run_grow(image, PTOWSP_SECTION_KVAR, "variant_count"))
CHANGE(payload_not_aligned, (set(image, PTOWSP_SECTION_KPAY, 0, "offset", 32), set(image, PTOWSP_SECTION_KPAY, 0, "size", 64)))
FIELD_CASE(payload_empty, KPAY, 0, "size", 0)
FIELD_CASE(payload_entry_outside, KPAY, 0, "entry_offset", 96)
FIELD_CASE(payload_of_too_many_cycles, KPAY, 0, "cycles", (UINT64_C(1) << 40) + 1)
FIELD_CASE(payload_with_too_much_workspace, KPAY, 0, "workspace", (UINT64_C(1) << 37) + 1)
FIELD_CASE(kernel_with_too_much_workspace, KREG, 0, "workspace", UINT64_C(1) << 60)
CHANGE(payload_with_two_entries,
       (set(image, PTOWSP_SECTION_KPAY, 0, "entry_offset", 8), set(image, PTOWSP_SECTION_KPAY, 0, "entry", string(image, "main_entry"))))

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
CHANGE(payload_with_few_tensors, portable(image, 2, THIRD(0), PTOWSP_SCALAR_LOCAL))
CHANGE(payload_of_another_type, portable(image, 3, THIRD(.dtype = PTOWSP_F16, .access = PTOWSP_WRITE), PTOWSP_SCALAR_LOCAL))
CHANGE(payload_of_no_known_type, portable(image, 3, THIRD(.dtype = 200, .access = PTOWSP_WRITE), PTOWSP_SCALAR_LOCAL))
CHANGE(payload_that_reads_an_output, portable(image, 3, THIRD(.access = PTOWSP_READ | PTOWSP_WRITE), PTOWSP_SCALAR_LOCAL))
CHANGE(payload_with_other_tiles, portable(image, 3, THIRD(.access = PTOWSP_WRITE, .rows = 8, .columns = 16), PTOWSP_SCALAR_LOCAL))
CHANGE(payload_with_an_argument_more, portable(image, 3, THIRD(.access = PTOWSP_WRITE, .rows = 8, .columns = 8), PTOWSP_SCALAR_ARG))

/* levels */
FIELD_CASE(variant_level_zero, KVAR, 0, "rows", 0)
FIELD_CASE(variant_level_odd, KVAR, 0, "rows", 33)
FIELD_CASE(range_no_power_of_two, TLVL, 0, "max_range", 3000)
FIELD_CASE(range_largest_below_smallest, TLVL, 0, "min_range", 8192)
FIELD_CASE(block_no_power_of_two, LVLS, 0, "block", 100)
FIELD_CASE(level_odd, LVLS, 0, "rows", 40)

/* TENS, DIMS, EXPR, AXES, REGN */
CHANGE(tensor_with_five_dimensions, (repeat(image, PTOWSP_SECTION_DIMS, 8), set(image, PTOWSP_SECTION_TENS, 0, "dim_count", 5)))
FIELD_CASE(tensor_with_and_without_shape, TENS, 0, "flags", 1)
FIELD_CASE(tensor_alignment_odd, TENS, 0, "alignment", 48)
FIELD_CASE(tensor_alignment_huge, TENS, 0, "alignment", UINT32_C(1) << 31)
FIELD_CASE(expression_of_a_later_row, EXPR, 5, "a", 6)
FIELD_CASE(expression_of_itself, EXPR, 5, "b", 5)
FIELD_CASE(expression_loop_deep, EXPR, 3, "a", 64)
FIELD_CASE(expression_of_no_slot, EXPR, 1, "a", 1)
FIELD_CASE(expression_of_no_axis, EXPR, 4, "a", 0)
FIELD_CASE(expression_with_an_unused_operand, EXPR, 3, "b", 1)
FIELD_CASE(constant_with_an_unused_operand, EXPR, 0, "a", 1)
FIELD_CASE(expression_unknown, EXPR, 0, "op", 0x40)
FIELD_CASE(extent_of_a_loop, DIMS, 0, "extent", 3)
FIELD_CASE(extent_of_a_sum_with_a_loop, DIMS, 0, "extent", 5)
FIELD_CASE(extent_negative, DIMS, 0, "extent", 6)
CHANGE(extent_of_a_slot, set(image, PTOWSP_SECTION_SLOT, 0, "kind", PTOWSP_SLOT_SLOT))
FIELD_CASE(step_zero, AXES, 0, "step", 0)
FIELD_CASE(step_negative, AXES, 0, "step", 6)
FIELD_CASE(region_flat_with_rows, REGN, 0, "unit", 64)

/* WORK, ENTR: 6 instructions, 1 axis, 1 kernel, 3 tensors */
static void work_put(struct pkg_image *image, size_t at, uint32_t value)
{
	memcpy(section(image, PTOWSP_SECTION_WORK)->data + at, &value, sizeof(value));
}

CHANGE(work_shorter_than_its_header, resize(section(image, PTOWSP_SECTION_WORK), 20))
CHANGE(work_magic_wrong, work_put(image, 0, 0x12345678))
CHANGE(work_version_unknown, work_put(image, 4, 11))
CHANGE(work_counts_do_not_fill_it, work_put(image, 8, 7))
CHANGE(work_counts_wrap, work_put(image, 12, UINT32_MAX))
CHANGE(work_axis_outside, work_put(image, 24 + 6 * 8, 1))
CHANGE(work_kernel_outside, work_put(image, 24 + 6 * 8 + 4, 1))
CHANGE(work_tensor_outside, work_put(image, 24 + 6 * 8 + 8, 3))
/* A portable payload of two inputs and an output, and the word of the task for one of them. */
static void task_word(struct pkg_image *image, uint32_t tensor, uint8_t opcode, uint32_t region)
{
	const struct ptowsp_instruction word = {.opcode = opcode, .operand1 = (uint16_t)tensor, .operand2 = region};

	portable(image, 3, THIRD(.access = PTOWSP_WRITE, .rows = 8, .columns = 8), PTOWSP_SCALAR_LOCAL);
	memcpy(section(image, PTOWSP_SECTION_WORK)->data + sizeof(struct ptowsp_workload_header) + (2 + (size_t)tensor) * sizeof(word), &word, sizeof(word));
}

CHANGE(task_writes_an_input, task_word(image, 2, PTOWSP_OP_IO_INPUT, 2))
CHANGE(task_reads_an_output, task_word(image, 1, PTOWSP_OP_IO_OUTPUT, 1))
CHANGE(task_touches_what_it_binds, task_word(image, 0, PTOWSP_OP_IO_BIND, 0))
CHANGE(task_hands_another_type_over, (set(image, PTOWSP_SECTION_TENS, 1, "dtype", PTOWSP_F16), task_word(image, 1, PTOWSP_OP_IO_INPUT, 1)))
CHANGE(task_hands_no_known_type_over, (set(image, PTOWSP_SECTION_REGN, 1, "view", 200), task_word(image, 1, PTOWSP_OP_IO_INPUT, 1)))
CHANGE(work_missing, drop(image, PTOWSP_SECTION_WORK))
FIELD_CASE(entry_outside, ENTR, 0, "instruction", 6)

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

/* SCHD, REQS: row 0 dispatch affinity("i", 4), row 1 stream_by(expression) */
FIELD_CASE(policy_unknown, SCHD, 0, "policy", 15)
FIELD_CASE(policy_with_few_arguments, SCHD, 0, "count", 1)
FIELD_CASE(policy_with_many_arguments, SCHD, 0, "count", 3)
FIELD_CASE(argument_kind_unknown, SCHD, 0, "kinds", 3)
FIELD_CASE(argument_word_outside, SCHD, 0, "a0", 5000)
FIELD_CASE(argument_word_negative, SCHD, 0, "a0", UINT64_MAX)
FIELD_CASE(argument_expression_outside, SCHD, 1, "a0", 7)
FIELD_CASE(argument_behind_the_last, SCHD, 1, "a1", 1)
FIELD_CASE(argument_kind_behind_the_last, SCHD, 1, "kinds", 0x0102)

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

CHANGE(layout_of_nobody, laid_out(image, "ghost", 2, "S0", ""))
CHANGE(layout_of_more_dimensions, laid_out(image, "x", 3, "S0", "R"))
CHANGE(layout_word_unknown, laid_out(image, "x", 2, "S2", ""))
CHANGE(layout_that_is_a_number, (laid_out(image, "x", 2, "S0", ""), set(image, PTOWSP_SECTION_SCHD, 0, "kinds", 1)))
CHANGE(layout_without_a_name, (laid_out(image, "x", 2, "S0", ""), set(image, PTOWSP_SECTION_SCHD, 0, "kinds", 0x0100)))
CHANGE(layout_without_a_grid, (laid_out(image, "x", 2, "S0", ""), set(image, PTOWSP_SECTION_SCHD, 1, "directive", PTOWSP_DIRECTIVE_DISPATCH),
			       set(image, PTOWSP_SECTION_SCHD, 1, "policy", PTOWSP_DISPATCH_STATIC_PARTITION)))

FIELD_CASE(requirement_state_unknown, REQS, 0, "state", 4)

/* TDAT, DBGI */
FIELD_CASE(sample_rank_zero, TDAT, 0, "rank", 0)
FIELD_CASE(sample_extent_beyond_the_rank, TDAT, 0, "extent1", 1)
FIELD_CASE(sample_size_wrong, TDAT, 0, "extent0", 127)
FIELD_CASE(sample_size_wraps, TDAT, 0, "extent0", (UINT64_C(1) << 62) + 128)
FIELD_CASE(sample_not_aligned, TDAT, 0, "offset", 32)
FIELD_CASE(sample_outside, TDAT, 2, "offset", 1088)

static void sample_twice(struct pkg_image *image)
{
	repeat(image, PTOWSP_SECTION_TDAT, 4);
}

CHANGE(samples_without_bytes, drop(image, PTOWSP_SECTION_TBLB))
FIELD_CASE(position_kind_unknown, DBGI, 0, "kind", 5)
FIELD_CASE(position_outside, DBGI, 0, "row", 6)
CHANGE(position_in_a_folder, set(image, PTOWSP_SECTION_DBGI, 0, "file", string(image, "src/sample.pto")))

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

#define PIPELINE_CASE(name, SECT, row, field, value) CHANGE(name, (pipeline_add(image), set(image, PTOWSP_SECTION_##SECT, row, field, value)))
PIPELINE_CASE(channel_kind_unknown, CSPC, 0, "kind", 2)
PIPELINE_CASE(channel_direction_unknown, PRCH, 0, "direction", 2)
PIPELINE_CASE(process_outside, PROC, 0, "instruction", 6)
PIPELINE_CASE(process_without_replicas, PROC, 1, "replicas", 0)
PIPELINE_CASE(process_with_many_replicas, PROC, 1, "replicas", 4096)
PIPELINE_CASE(process_order_outside, PROC, 0, "order", 2)
PIPELINE_CASE(process_order_twice, PROC, 1, "order", 0)
PIPELINE_CASE(process_with_a_channel_twice, PROC, 1, "channel_count", 3)
FIELD_CASE(pipeline_without_processes, ENTR, 0, "flags", 5)
CHANGE(call_outside,
       (table_add(image, PTOWSP_SECTION_CALL, 1), set(image, PTOWSP_SECTION_CALL, 0, "first", 5), set(image, PTOWSP_SECTION_CALL, 0, "instructions", 2)))

/* KLAY: two dimensions of the first parameter; one field of one of them */
static void layout_add(struct pkg_image *image, uint32_t rows)
{
	table_add(image, PTOWSP_SECTION_KLAY, rows);
	for (uint32_t i = 0; i < rows; i++) {
		set(image, PTOWSP_SECTION_KLAY, i, "distribution", 1);
		set(image, PTOWSP_SECTION_KLAY, i, "mesh_axis", i);
	}
}
#define LAYOUT_CASE(name, rows, row, field, value) CHANGE(name, (layout_add(image, rows), set(image, PTOWSP_SECTION_KLAY, row, field, value)))
CHANGE(layout_of_a_scalar, (layout_add(image, 1), set(image, PTOWSP_SECTION_KPRM, 0, "kind", PTOWSP_PARAM_SCALAR)))
LAYOUT_CASE(layouts_that_fall, 2, 0, "param", 1)
LAYOUT_CASE(layout_with_many_dimensions, 3, 2, "mesh_axis", 9)
LAYOUT_CASE(layout_with_an_axis_twice, 2, 1, "mesh_axis", 0)
LAYOUT_CASE(layout_replicated_over_an_axis, 2, 1, "distribution", 0)
LAYOUT_CASE(layout_outside, 1, 0, "param", 99)
LAYOUT_CASE(layout_unknown, 1, 0, "distribution", 2)

/* TMEM: one row of the first tensor; one field of it */
#define MEMORY_CASE(name, field, value) CHANGE(name, (table_add(image, PTOWSP_SECTION_TMEM, 1), set(image, PTOWSP_SECTION_TMEM, 0, field, value)))
MEMORY_CASE(memory_outside, "tensor", 99)
MEMORY_CASE(memory_order_unknown, "order", 5)
MEMORY_CASE(memory_swizzle_too_large, "swizzle", 8)
MEMORY_CASE(memory_blocks_of_rows, "block_rows", 16)
MEMORY_CASE(memory_strides_of_rows, "stride0", 16)
CHANGE(memory_twice, table_add(image, PTOWSP_SECTION_TMEM, 2))
CHANGE(replicated_and_sharded, (set(image, PTOWSP_SECTION_TENS, 0, "flags", PTOWSP_TENSOR_REPLICATED), set(image, PTOWSP_SECTION_DIMS, 0, "distribution", 1)))
CHANGE(replicated_without_a_shape,
       (set(image, PTOWSP_SECTION_TENS, 0, "flags", PTOWSP_TENSOR_SHAPELESS | PTOWSP_TENSOR_REPLICATED), set(image, PTOWSP_SECTION_TENS, 0, "dim_count", 0)))

/* KMEM: one row of the first parameter; one field of it */
#define ORDER_CASE(name, field, value) CHANGE(name, (table_add(image, PTOWSP_SECTION_KMEM, 1), set(image, PTOWSP_SECTION_KMEM, 0, field, value)))
ORDER_CASE(order_outside, "param", 99)
ORDER_CASE(order_unknown, "order", 5)
ORDER_CASE(order_swizzle_too_large, "swizzle", 8)
ORDER_CASE(order_blocks_of_rows, "block_rows", 16)
ORDER_CASE(order_strides_of_rows, "stride0", 16)
ORDER_CASE(order_without_strides, "order", PTOWSP_MEMORY_STRIDED)
CHANGE(order_of_a_scalar, (table_add(image, PTOWSP_SECTION_KMEM, 1), set(image, PTOWSP_SECTION_KPRM, 0, "kind", PTOWSP_PARAM_SCALAR)))
CHANGE(order_with_other_strides_than_the_layout,
       (table_add(image, PTOWSP_SECTION_KMEM, 1), layout_add(image, 2), set(image, PTOWSP_SECTION_KMEM, 0, "order", PTOWSP_MEMORY_STRIDED),
	set(image, PTOWSP_SECTION_KMEM, 0, "stride0", 1)))
CHANGE(order_twice, table_add(image, PTOWSP_SECTION_KMEM, 2))

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

#define ROWS(kind, ...) rows_make(image, PTOWSP_AXIS_##kind, sizeof((int64_t[]){__VA_ARGS__}) / 8, (const int64_t[]){__VA_ARGS__})
CHANGE(axis_dense_with_a_row, (axes_widen(image), set(image, PTOWSP_SECTION_AXES, 0, "row", 0)))
CHANGE(axis_ragged_without_a_row, (ROWS(RAGGED, 0, 1, 2), set(image, PTOWSP_SECTION_AXES, 0, "row", PTOWSP_NONE)))
CHANGE(axis_ragged_with_a_step, (ROWS(RAGGED, 0, 1, 2), set(image, PTOWSP_SECTION_AXES, 0, "step", const_add(image, 2))))
CHANGE(axis_ragged_without_lengths, rows_make(image, PTOWSP_AXIS_RAGGED, 0, NULL))
CHANGE(axis_ragged_with_indices,
       (rows_make(image, PTOWSP_AXIS_RAGGED, 0, NULL), set(image, PTOWSP_SECTION_AXES, 0, "lengths", 0), set(image, PTOWSP_SECTION_AXES, 0, "indices", 0)))
CHANGE(axis_ragged_by_floats, (rows_make(image, PTOWSP_AXIS_RAGGED, 0, NULL), set(image, PTOWSP_SECTION_AXES, 0, "lengths", 0)))
CHANGE(axis_values_and_tensors, (ROWS(RAGGED, 0, 1, 2), set(image, PTOWSP_SECTION_AXES, 0, "lengths", 0)))
CHANGE(axis_values_too_few, ROWS(RAGGED, 0, 1))
CHANGE(axis_sparse_values_too_few, ROWS(SPARSE, 0, 1))
CHANGE(axis_sums_from_one, ROWS(RAGGED, 1, 1, 2))
CHANGE(axis_sums_that_fall, ROWS(RAGGED, 0, 2, 1))
CHANGE(axis_indices_too_few, ROWS(SPARSE, 0, 1, 3, 5))
CHANGE(axis_index_negative, ROWS(SPARSE, 0, 1, 2, 5, -1))
CHANGE(entry_of_a_kernel_outside, (set(image, PTOWSP_SECTION_ENTR, 0, "flags", 2), set(image, PTOWSP_SECTION_ENTR, 0, "instruction", 9)))
CHANGE(entry_of_a_kernel_with_values, set(image, PTOWSP_SECTION_ENTR, 0, "flags", 2))
CHANGE(entry_of_a_kernel_without_tensors, (set(image, PTOWSP_SECTION_ENTR, 0, "flags", 2), set(image, PTOWSP_SECTION_ENTR, 0, "value_count", 0)))
CHANGE(entry_of_a_kernel_tensor_outside,
       (set(image, PTOWSP_SECTION_ENTR, 0, "flags", 2), set(image, PTOWSP_SECTION_ENTR, 0, "value_count", 0), set(image, PTOWSP_SECTION_TENS, 0, "entry", 0),
	set(image, PTOWSP_SECTION_TENS, 1, "entry", 0), set(image, PTOWSP_SECTION_TENS, 2, "entry", 0), set(image, PTOWSP_SECTION_TENS, 0, "position", 3)))

#define CASE(name)                                                                                                                                             \
	{                                                                                                                                                      \
#name, name                                                                                                                                    \
	}
const struct image_case image_cases[] = {
	CASE(name_outside_strings),
	CASE(name_inside_a_string),
	CASE(id_of_a_name_outside_strings),
	CASE(id_of_another_name),
	CASE(id_without_a_name),
	CASE(row_outside_its_table),
	CASE(optional_row_outside_its_table),
	CASE(run_begins_outside_its_table),
	CASE(run_ends_outside_its_table),
	CASE(run_wraps),
	CASE(code_unknown),
	CASE(element_type_unknown),
	CASE(bits_unknown),
	CASE(reserved_not_zero),
	CASE(blob_ends_outside_its_section),
	CASE(blob_wraps),
	CASE(ids_not_sorted),
	CASE(id_twice),
	CASE(stride_inside_a_field),
	CASE(section_required_unknown),
	CASE(section_required_without_letters),
	CASE(header_padding_not_zero),
	CASE(strings_missing),
	CASE(strings_begin_with_a_letter),
	CASE(strings_without_end),
	CASE(strings_empty),
	CASE(strings_no_utf8),
	CASE(strings_overlong),
	CASE(strings_surrogate),
	CASE(strings_cut_in_a_character),
	CASE(strings_with_escape),
	CASE(meta_many_rows),
	CASE(meta_key_empty),
	CASE(meta_key_twice),
	CASE(meta_key_long),
	CASE(meta_abi_differs),
	CASE(signature_without_types),
	CASE(signature_of_a_struct),
	CASE(signature_with_void),
	CASE(signature_open),
	CASE(signature_long),
	CASE(kernel_with_many_parameters),
	CASE(kernel_with_many_payloads),
	CASE(kernel_with_many_variants),
	CASE(payload_not_aligned),
	CASE(payload_empty),
	CASE(payload_entry_outside),
	CASE(payload_with_two_entries),
	CASE(payload_of_too_many_cycles),
	CASE(payload_with_too_much_workspace),
	CASE(kernel_with_too_much_workspace),
	CASE(payload_with_few_tensors),
	CASE(payload_of_another_type),
	CASE(payload_of_no_known_type),
	CASE(payload_that_reads_an_output),
	CASE(payload_with_other_tiles),
	CASE(payload_with_an_argument_more),
	CASE(variant_level_zero),
	CASE(variant_level_odd),
	CASE(range_no_power_of_two),
	CASE(range_largest_below_smallest),
	CASE(block_no_power_of_two),
	CASE(level_odd),
	CASE(tensor_with_five_dimensions),
	CASE(tensor_with_and_without_shape),
	CASE(tensor_alignment_odd),
	CASE(tensor_alignment_huge),
	CASE(expression_of_a_later_row),
	CASE(expression_of_itself),
	CASE(expression_loop_deep),
	CASE(expression_of_no_slot),
	CASE(expression_of_no_axis),
	CASE(expression_with_an_unused_operand),
	CASE(constant_with_an_unused_operand),
	CASE(expression_unknown),
	CASE(extent_of_a_loop),
	CASE(extent_of_a_sum_with_a_loop),
	CASE(extent_negative),
	CASE(extent_of_a_slot),
	CASE(step_zero),
	CASE(step_negative),
	CASE(region_flat_with_rows),
	CASE(work_shorter_than_its_header),
	CASE(work_magic_wrong),
	CASE(work_version_unknown),
	CASE(work_counts_do_not_fill_it),
	CASE(work_counts_wrap),
	CASE(work_axis_outside),
	CASE(work_kernel_outside),
	CASE(work_tensor_outside),
	CASE(task_writes_an_input),
	CASE(task_reads_an_output),
	CASE(task_touches_what_it_binds),
	CASE(task_hands_another_type_over),
	CASE(task_hands_no_known_type_over),
	CASE(work_missing),
	CASE(entry_outside),
	CASE(entries_both_default),
	CASE(policy_unknown),
	CASE(policy_with_few_arguments),
	CASE(policy_with_many_arguments),
	CASE(argument_kind_unknown),
	CASE(argument_word_outside),
	CASE(argument_word_negative),
	CASE(argument_expression_outside),
	CASE(argument_behind_the_last),
	CASE(domain_unknown),
	CASE(layout_of_nobody),
	CASE(layout_of_more_dimensions),
	CASE(layout_word_unknown),
	CASE(layout_that_is_a_number),
	CASE(layout_without_a_name),
	CASE(layout_without_a_grid),
	CASE(argument_kind_behind_the_last),
	CASE(requirement_state_unknown),
	CASE(sample_rank_zero),
	CASE(sample_extent_beyond_the_rank),
	CASE(sample_size_wrong),
	CASE(sample_size_wraps),
	CASE(sample_not_aligned),
	CASE(sample_outside),
	CASE(sample_twice),
	CASE(samples_without_bytes),
	CASE(position_kind_unknown),
	CASE(position_outside),
	CASE(position_in_a_folder),
	CASE(position_file_long),
	CASE(channel_kind_unknown),
	CASE(channel_direction_unknown),
	CASE(process_outside),
	CASE(process_without_replicas),
	CASE(process_with_many_replicas),
	CASE(process_order_outside),
	CASE(process_order_twice),
	CASE(process_with_a_channel_twice),
	CASE(pipeline_without_processes),
	CASE(call_outside),
	CASE(memory_outside),
	CASE(memory_order_unknown),
	CASE(memory_swizzle_too_large),
	CASE(memory_blocks_of_rows),
	CASE(memory_strides_of_rows),
	CASE(memory_twice),
	CASE(replicated_and_sharded),
	CASE(replicated_without_a_shape),
	CASE(order_outside),
	CASE(order_unknown),
	CASE(order_swizzle_too_large),
	CASE(order_blocks_of_rows),
	CASE(order_strides_of_rows),
	CASE(order_without_strides),
	CASE(order_of_a_scalar),
	CASE(order_with_other_strides_than_the_layout),
	CASE(order_twice),
	CASE(layout_of_a_scalar),
	CASE(layouts_that_fall),
	CASE(layout_with_many_dimensions),
	CASE(layout_with_an_axis_twice),
	CASE(layout_replicated_over_an_axis),
	CASE(layout_outside),
	CASE(layout_unknown),
	CASE(axis_dense_with_a_row),
	CASE(axis_ragged_without_a_row),
	CASE(axis_ragged_with_a_step),
	CASE(axis_ragged_without_lengths),
	CASE(axis_ragged_with_indices),
	CASE(axis_ragged_by_floats),
	CASE(axis_values_and_tensors),
	CASE(axis_values_too_few),
	CASE(axis_sparse_values_too_few),
	CASE(axis_sums_from_one),
	CASE(axis_sums_that_fall),
	CASE(axis_indices_too_few),
	CASE(axis_index_negative),
	CASE(entry_of_a_kernel_outside),
	CASE(entry_of_a_kernel_with_values),
	CASE(entry_of_a_kernel_without_tensors),
	CASE(entry_of_a_kernel_tensor_outside),
};
const size_t image_case_count = sizeof(image_cases) / sizeof(image_cases[0]);
