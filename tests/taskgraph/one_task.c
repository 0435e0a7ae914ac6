/* SPDX-License-Identifier: MIT */
/* one_task.c - see one_task.h. */
#include "tests/taskgraph/one_task.h"

#include <stdlib.h>
#include <string.h>

#include "format/writer.h"
#include "ptowsp/workload.h"

enum { N = ONE_TASK_ELEMENTS };

static uint64_t id_of(const char *name)
{
	return ptowsp_id(name, strlen(name));
}

static int by_id(const void *a, const void *b)
{
	uint64_t x = id_of(*(const char *const *)a), y = id_of(*(const char *const *)b);

	return x < y ? -1 : x > y;
}

#define ROW(SECT, record) pkg_writer_row(w, PTOWSP_SECTION_##SECT, &(record), sizeof(record))

static void tensors_write(struct pkg_writer *w, const struct one_task *spec, uint32_t rows_out[3])
{
	const char *names[] = {"main.x", "main.y", "main.z"};

	qsort(names, 3, sizeof(*names), by_id);
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t position = (uint32_t)(names[i][5] - 'x');
		struct ptowsp_tensor_record tensor = {.id = id_of(names[i]),
						      .name = pkg_writer_string(w, names[i]),
						      .role = position == 2 ? PTOWSP_ROLE_OUT : PTOWSP_ROLE_IN,
						      .flags = spec->shapeless ? PTOWSP_TENSOR_SHAPELESS : 0,
						      .dims = spec->shapeless ? 0 : i,
						      .dim_count = !spec->shapeless,
						      .entry = 0,
						      .position = position};
		struct ptowsp_dim_record dim = {2, 0, 0}; /* the constant N */
		struct ptowsp_sample_record sample = {.tensor = i, .role = position == 2, .rank = 1, .extent0 = N, .size = N * sizeof(float)};
		float data[N];

		rows_out[position] = i;
		ROW(TENS, tensor);
		if (!spec->shapeless)
			ROW(DIMS, dim);
		for (int k = 0; k < N; k++)
			data[k] = position == 2 ? (float)(k + 100) : position == 1 ? 100 : (float)k;
		data[N - 1] += position == 2 && spec->wrong;
		if (!spec->samples)
			continue;
		sample.offset = pkg_writer_bytes(w, PTOWSP_SECTION_TBLB, data, sizeof(data), 64);
		ROW(TDAT, sample);
	}
}

static void kernel_write(struct pkg_writer *w)
{
	struct ptowsp_kernel_record kernel = {
		.id = id_of("combine"), .name = pkg_writer_string(w, "combine"), .signature = pkg_writer_string(w, "v(p,p,p,i64)"), .param_count = 4};

	for (uint32_t i = 0; i < 4; i++) {
		struct ptowsp_param_record param = {.name = pkg_writer_string(w, i == 3 ? "n" : "t"),
						    .kind = i == 3,
						    .dtype = i == 3 ? PTOWSP_I64 : PTOWSP_F32,
						    .access = i == 3   ? 0
							      : i == 2 ? 2
								       : 1,
						    .rows = i == 3 ? 0 : 1,
						    .columns = i == 3 ? 0 : N};

		ROW(KPRM, param);
	}
	ROW(KREG, kernel);
}

static void workload_write(struct pkg_writer *w, const struct one_task *spec, const uint32_t tensors[3])
{
	const struct {
		struct ptowsp_workload_header header;
		struct ptowsp_instruction program[6];
		uint32_t rows[4];
	} work = {{PTOWSP_WORKLOAD_MAGIC, PTOWSP_WORKLOAD_VERSION, 6, 0, 1, 3},
		  {{PTOWSP_OP_TASK, 0, 0, 1u << 16 | 3},
		   {PTOWSP_OP_PARAM_EXPR, 0, 0, 0},
		   {PTOWSP_OP_IO_INPUT, 0, 0, 0},
		   {PTOWSP_OP_IO_INPUT, 0, 1, 1},
		   {PTOWSP_OP_IO_OUTPUT, 0, 2, 2},
		   {PTOWSP_OP_HALT, 0, 0, 0}},
		  {0, tensors[0], tensors[1], tensors[2]}};

	for (uint32_t i = 0; i < 3; i++) {
		struct ptowsp_region_record region = {tensors[i], 1, 1, spec->shapeless ? 0 : 1, spec->shapeless ? 0 : N, spec->shapeless ? N : 0, 0};

		ROW(REGN, region);
	}
	pkg_writer_bytes(w, PTOWSP_SECTION_WORK, &work, sizeof(work), 8);
}

void *one_task_pack(const struct one_task *spec, size_t *size_out, struct ptowsp_error *error)
{
	struct pkg_writer *w = pkg_writer_create();
	struct ptowsp_slot_record slot = {.id = id_of("main.n"),
					  .name = pkg_writer_string(w, "main.n"),
					  .dtype = PTOWSP_I64,
					  .flags = spec->set ? PTOWSP_SLOT_HAS_DEFAULT : 0,
					  .value = N};
	struct ptowsp_expr_record count = {.op = PTOWSP_EXPR_VALUE}, zero = {.op = PTOWSP_EXPR_CONST}, elements = zero;
	struct ptowsp_entry_record entry = {.id = id_of("main"), .name = pkg_writer_string(w, "main"), .value_count = 1};
	struct ptowsp_entry_value_record value = {0};
	uint32_t tensors[3];
	void *bytes = NULL;

	pkg_writer_meta(w, "name", "session");
	if (spec->target)
		pkg_writer_target(w, spec->target);
	kernel_write(w);
	ROW(SLOT, slot);
	ROW(EXPR, count);
	ROW(EXPR, zero);
	elements.b = N;
	ROW(EXPR, elements);
	tensors_write(w, spec, tensors);
	workload_write(w, spec, tensors);
	ROW(ENTR, entry);
	ROW(ESYM, value);
	if (spec->directive)
		ROW(SCHD, *spec->directive);
	if (pkg_writer_seal(w, &bytes, size_out, error))
		bytes = NULL;
	pkg_writer_destroy(w);
	return bytes;
}
