/* SPDX-License-Identifier: MIT */
/* sample.c - see sample.h. Rows of tables with ids are written in the order of their ids. */
#include "tests/format/sample.h"

#include "ptowsp/workload.h"

#include <stdlib.h>
#include <string.h>

#define ELEMENTS 128u
#define BLOCK    64u

enum { EXPR_ZERO, EXPR_N, EXPR_BLOCK, EXPR_LOOP, EXPR_AXIS };

static uint64_t id_of(const char *name)
{
	return ptowsp_id(name, strlen(name));
}

#define ROW(writer, SECT, record) pkg_writer_row(writer, PTOWSP_SECTION_##SECT, &(record), sizeof(record))

static void kernels_write(struct pkg_writer *w)
{
	static const uint8_t code[96] = "payload bytes that nobody runs";
	static const char *const params[] = {"a", "b", "c"};
	uint64_t offset = pkg_writer_bytes(w, PTOWSP_SECTION_CODE, code, sizeof(code), 64);
	struct ptowsp_payload_record payload = {.kind = PTOWSP_PAYLOAD_SOURCE, .offset = offset, .size = sizeof(code), .cycles = 7};
	struct ptowsp_kernel_record kernel = {.id = id_of("add"),
					      .name = pkg_writer_string(w, "add"),
					      .signature = pkg_writer_string(w, "v(p,p,p)"),
					      .unit = PTOWSP_UNIT_AIV,
					      .param_count = 3,
					      .payload_count = 1,
					      .variant_count = 1};
	struct ptowsp_variant_record variant = {64, 0};

	for (int i = 0; i < 3; i++) {
		struct ptowsp_param_record param = {.name = pkg_writer_string(w, params[i]), .access = i < 2 ? 1 : 2, .rows = 8};

		param.columns = 8;
		ROW(w, KPRM, param);
	}
	ROW(w, KPAY, payload);
	ROW(w, KVAR, variant);
	ROW(w, KREG, kernel);
}

static void expressions_write(struct pkg_writer *w)
{
	struct ptowsp_slot_record n = {
		.id = id_of("n"), .name = pkg_writer_string(w, "n"), .dtype = PTOWSP_I64, .flags = PTOWSP_SLOT_HAS_DEFAULT, .value = ELEMENTS};
	const struct ptowsp_expr_record nodes[] = {
		[EXPR_ZERO] = {.op = PTOWSP_EXPR_CONST},
		[EXPR_N] = {.op = PTOWSP_EXPR_VALUE},
		[EXPR_BLOCK] = {.op = PTOWSP_EXPR_CONST, .b = BLOCK},
		[EXPR_LOOP] = {.op = PTOWSP_EXPR_LOOP},
		[EXPR_AXIS] = {.op = PTOWSP_EXPR_AXIS, .a = pkg_writer_string(w, "i")},
		{.op = PTOWSP_EXPR_SELECT, .a = EXPR_LOOP, .b = EXPR_AXIS, .c = EXPR_BLOCK},
		{.op = PTOWSP_EXPR_CONST, .b = 0xFFFFFFFB, .c = 0xFFFFFFFF},
	};

	ROW(w, SLOT, n);
	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++)
		ROW(w, EXPR, nodes[i]);
}

static int compare_ids(const void *a, const void *b)
{
	uint64_t x = id_of(*(const char *const *)a), y = id_of(*(const char *const *)b);

	return x < y ? -1 : x > y;
}

/* The three tensors, each with its region and its sample data. */
static void tensors_write(struct pkg_writer *w)
{
	const char *names[] = {"x", "y", "z"};
	float data[ELEMENTS];

	qsort(names, 3, sizeof(names[0]), compare_ids);
	for (uint32_t i = 0; i < 3; i++) {
		int out = *names[i] == 'z';
		struct ptowsp_tensor_record tensor = {.id = id_of(names[i]),
						      .name = pkg_writer_string(w, names[i]),
						      .role = out ? PTOWSP_ROLE_OUT : PTOWSP_ROLE_IN,
						      .dims = i,
						      .dim_count = 1,
						      .alignment = 512,
						      .entry = PTOWSP_NONE};
		struct ptowsp_dim_record dim = {EXPR_N, 0, 0};
		struct ptowsp_region_record region = {i, EXPR_ZERO, EXPR_LOOP, 1, BLOCK, 0, 0};
		struct ptowsp_sample_record sample = {.tensor = i, .role = (uint16_t)out, .rank = 1, .extent0 = ELEMENTS};

		for (uint32_t k = 0; k < ELEMENTS; k++)
			data[k] = (float)(out ? 3 * k : *names[i] == 'x' ? k : 2 * k);
		sample.size = sizeof(data);
		sample.offset = pkg_writer_bytes(w, PTOWSP_SECTION_TBLB, data, sizeof(data), 64);
		ROW(w, TENS, tensor);
		ROW(w, DIMS, dim);
		ROW(w, REGN, region);
		ROW(w, TDAT, sample);
	}
}

static void program_write(struct pkg_writer *w)
{
	struct ptowsp_axis_record axis = {.name = pkg_writer_string(w, "i"),
					  .high = EXPR_N,
					  .step = EXPR_BLOCK,
					  .levels = 0,
					  .row = PTOWSP_NONE,
					  .lengths = PTOWSP_NONE,
					  .indices = PTOWSP_NONE};
	struct ptowsp_levels_record levels = {4096, 256, 0, 1};
	struct ptowsp_level_record level = {256, 64};
	const struct {
		struct ptowsp_workload_header header;
		struct ptowsp_instruction program[6];
		uint32_t rows[5];
	} work = {{PTOWSP_WORKLOAD_MAGIC, PTOWSP_WORKLOAD_VERSION, 6, 1, 1, 3},
		  {{PTOWSP_OP_PARALLEL_FOR, 0, 0, 5},
		   {PTOWSP_OP_TASK, 0, 0, 3},
		   {PTOWSP_OP_IO_INPUT, 0, 0, 0},
		   {PTOWSP_OP_IO_INPUT, 0, 1, 1},
		   {PTOWSP_OP_IO_OUTPUT, 0, 2, 2},
		   {PTOWSP_OP_HALT, 0, 0, 0}},
		  {0, 0, 0, 1, 2}};

	ROW(w, AXES, axis);
	ROW(w, TLVL, levels);
	ROW(w, LVLS, level);
	pkg_writer_bytes(w, PTOWSP_SECTION_WORK, &work, sizeof(work), 8);
}

static void entry_write(struct pkg_writer *w)
{
	struct ptowsp_entry_record entry = {.id = id_of("main"), .name = pkg_writer_string(w, "main"), .value_count = 1};
	struct ptowsp_entry_value_record value = {0};
	struct ptowsp_directive_record dispatch = {
		.directive = PTOWSP_DIRECTIVE_DISPATCH, .policy = PTOWSP_DISPATCH_AFFINITY, .count = 2, .kinds = PTOWSP_ARGUMENT_WORD};
	struct ptowsp_directive_record stream = {.directive = PTOWSP_DIRECTIVE_STREAM_BY,
						 .policy = PTOWSP_STREAM_BY_EXPRESSION,
						 .flags = PTOWSP_DIRECTIVE_MUST,
						 .count = 1,
						 .kinds = PTOWSP_ARGUMENT_EXPR,
						 .a0 = EXPR_LOOP};
	struct ptowsp_requirement_record need = {0x4001, 3, 0};
	struct ptowsp_debug_record debug = {.file = pkg_writer_string(w, "sample.pto"), .row = 1, .line = 12, .column = 3};

	entry.flags = PTOWSP_ENTRY_DEFAULT;
	dispatch.a0 = pkg_writer_string(w, "i");
	dispatch.a1 = 4;
	ROW(w, ENTR, entry);
	ROW(w, ESYM, value);
	ROW(w, SCHD, dispatch);
	ROW(w, SCHD, stream);
	ROW(w, REQS, need);
	ROW(w, DBGI, debug);
}

struct pkg_writer *sample_create(void)
{
	struct pkg_writer *w = pkg_writer_create();

	if (!w)
		return NULL;
	pkg_writer_target(w, "cpu_sim");
	pkg_writer_meta(w, "name", "sample");
	pkg_writer_meta(w, "version", "1.0");
	kernels_write(w);
	expressions_write(w);
	tensors_write(w);
	program_write(w);
	entry_write(w);
	return w;
}

void *sample_seal(size_t *size_out, struct ptowsp_error *error)
{
	struct pkg_writer *w = sample_create();
	void *bytes = NULL;

	*size_out = 0;
	if (w)
		pkg_writer_seal(w, &bytes, size_out, error);
	pkg_writer_destroy(w);
	return bytes;
}
