/* SPDX-License-Identifier: MIT */
/* extras.c - what the command line adds to a package: targets, schedule, sample data. */
#include "registry/common/common_dtype.h"
#include "tools/apart.h"
#include "tools/pack/pack.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/container.h"
#include "format/format_package.h"
#include "registry/expression.h"
#include "registry/names.h"
#include "registry/npy.h"
#include "registry/schedule.h"
#include "registry/text.h"

ptowsp_status pack_targets_check(const struct pack_options *options, struct ptowsp_error *error)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < options->targets.count; i++) {
		const char *at = options->targets.at[i];

		for (;; at++, count++) {
			size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789_");

			if (!length || length > 32 || (at[length] && at[length] != ','))
				return reg_fail(error, PTOWSP_INVALID,
						"--target \"%.120s\" is no list of backends: names of 1 to 32 of "
						"a-z 0-9 _ with commas between",
						options->targets.at[i]);
			at += length;
			if (!*at)
				break;
		}
		count++;
	}
	if (count > PKG_TARGET_LIMIT)
		return reg_fail(error, PTOWSP_INVALID, "--target names more than %u backends", PKG_TARGET_LIMIT);
	return PTOWSP_OK;
}

static ptowsp_status targets_add(const struct pack_options *options, struct pkg_writer *writer, struct ptowsp_error *error)
{
	for (uint32_t i = 0; i < options->targets.count; i++) {
		char *list = strdup(options->targets.at[i]), *at = list, *word;

		if (!list)
			return reg_fail(error, PTOWSP_NO_MEMORY, "no memory for the targets");
		while ((word = strsep(&at, ",")))
			pkg_writer_target(writer, word);
		free(list);
	}
	return PTOWSP_OK;
}

/* --- schedule --- */

/* The names that expressions of a schedule may use; freed by scope_free. */
static ptowsp_status scope_create(const struct pkg_tables *t, struct reg_scope *scope, struct ptowsp_error *error)
{
	const char **loops = calloc(t->axis_count + 1, sizeof(*loops)), **values = calloc(t->slot_count + 1, sizeof(*values));
	uint32_t *loop_strings = calloc(t->axis_count + 1, sizeof(*loop_strings)), *value_rows = calloc(t->slot_count + 1, sizeof(*value_rows));

	*scope = (struct reg_scope){loops, loop_strings, values, value_rows, t->axis_count, t->slot_count};
	if (!loops || !values || !loop_strings || !value_rows)
		return reg_fail(error, PTOWSP_NO_MEMORY, "no memory for the schedule");
	for (uint32_t i = 0; i < t->axis_count; i++) {
		loops[i] = pkg_string(t, t->axis[i].name);
		loop_strings[i] = t->axis[i].name;
	}
	for (uint32_t i = 0; i < t->slot_count; i++) {
		values[i] = t->slot[i].flags & PTOWSP_SLOT_INTERNAL ? NULL : pkg_string(t, t->slot[i].name);
		value_rows[i] = i;
	}
	return PTOWSP_OK;
}

static void scope_free(struct reg_scope *scope)
{
	free((void *)(uintptr_t)scope->loops);
	free((void *)(uintptr_t)scope->loop_strings);
	free((void *)(uintptr_t)scope->values);
	free((void *)(uintptr_t)scope->value_rows);
}

/* In the place of the source's row on the same matter, if there is one. */
static void row_write(struct pkg_writer *writer, const struct ptowsp_directive_record *row)
{
	uint32_t count = pkg_writer_count(writer, PTOWSP_SECTION_SCHD);

	for (uint32_t i = 0; i < count; i++) {
		struct ptowsp_directive_record *old = pkg_writer_at(writer, PTOWSP_SECTION_SCHD, i);

		if (reg_directive_replaces(old, row)) {
			*old = *row;
			return;
		}
	}
	pkg_writer_row(writer, PTOWSP_SECTION_SCHD, row, sizeof(*row));
}

/* Words that the schedule made live behind the package's strings; here they get their place in the writer. */
static void directive_write(struct pkg_writer *writer, const struct reg_schedule *schedule, struct ptowsp_directive_record row)
{
	int64_t *arguments[] = {&row.a0, &row.a1, &row.a2, &row.a3, &row.a4, &row.a5, &row.a6, &row.a7};

	for (unsigned i = 0; i < row.count && i < 8; i++)
		if (reg_directive_argument_kind(&row, i) == PTOWSP_ARGUMENT_WORD && *arguments[i] >= schedule->string_base)
			*arguments[i] = pkg_writer_string(writer, schedule->strings + (*arguments[i] - schedule->string_base));
	row_write(writer, &row);
}

static ptowsp_status schedule_add(const struct pack_options *options, struct pkg_writer *writer, const struct pkg_tables *t, struct ptowsp_error *error)
{
	struct reg_schedule schedule;
	struct reg_scope scope;
	ptowsp_status status = scope_create(t, &scope, error);

	reg_schedule_init(&schedule, (uint32_t)t->strings_size, t->expr_count);
	for (uint32_t i = 0; i < options->schedule.count && !status; i++)
		status = reg_schedule_add(&schedule, options->schedule.at[i], &scope, error);
	for (uint32_t i = 0; i < schedule.expressions.count && !status; i++)
		pkg_writer_row(writer, PTOWSP_SECTION_EXPR, &schedule.expressions.at[i], sizeof(*schedule.expressions.at));
	for (uint32_t i = 0; i < schedule.count && !status; i++)
		directive_write(writer, &schedule, schedule.rows[i]);
	reg_schedule_finish(&schedule);
	scope_free(&scope);
	return status;
}

/* --- sample data --- */

/* A tensor by its whole name, or by its own name in the default entry. PTOWSP_NONE if there is none. */
static uint32_t tensor_find(const struct pkg_tables *t, const char *name, size_t length)
{
	for (uint32_t i = 0; i < t->tensor_count; i++) {
		const char *full = pkg_string(t, t->tensor[i].name), *own = strrchr(full, '.');
		uint32_t entry = t->tensor[i].entry;

		if (strlen(full) == length && !memcmp(full, name, length))
			return i;
		if (own && entry != PTOWSP_NONE && (t->entry[entry].flags & PTOWSP_ENTRY_DEFAULT) && strlen(own + 1) == length &&
		    !memcmp(own + 1, name, length))
			return i;
	}
	return PTOWSP_NONE;
}

/* Names as they may be given, the shorter where there are two. */
static ptowsp_status tensor_unknown(const struct pkg_tables *t, const char *name, size_t length, struct ptowsp_error *error)
{
	const char **names = calloc(t->tensor_count + 1u, sizeof(*names));
	char wanted[64];
	ptowsp_status status;

	if (!names)
		return reg_fail(error, PTOWSP_NO_MEMORY, "no memory for the names of tensors");
	for (uint32_t i = 0; i < t->tensor_count; i++) {
		const char *own;

		names[i] = pkg_string(t, t->tensor[i].name);
		own = strrchr(names[i], '.');
		if (own && tensor_find(t, own + 1, strlen(own + 1)) == i)
			names[i] = own + 1;
	}
	snprintf(wanted, sizeof(wanted), "%.*s", (int)(length < sizeof(wanted) ? length : sizeof(wanted) - 1), name);
	status = reg_fail_unknown(error, PTOWSP_NOT_FOUND, "tensor", wanted, names, t->tensor_count);
	free(names);
	return status;
}

static ptowsp_status dtype_check(const struct pkg_tables *t, uint32_t tensor, const struct npy *npy, const char *path, struct ptowsp_error *error)
{
	const struct common_dtype *want = common_dtype(t->tensor[tensor].dtype), *have = common_dtype(npy->dtype);

	/* bf16 has no descr of its own. */
	if (!strcmp(want->descr, have->descr))
		return PTOWSP_OK;
	return reg_fail(error, PTOWSP_INVALID, "%.100s holds %s, but %.60s is %s", path, have->text, pkg_string(t, t->tensor[tensor].name), want->text);
}

/* Whether an extent is not just a number. */
static bool symbols_decide(const struct pkg_tables *t, const struct ptowsp_tensor_record *row)
{
	for (uint32_t i = 0; i < row->dim_count; i++)
		if (t->expr[t->dim[row->dims + i].extent].op != PTOWSP_EXPR_CONST)
			return true;
	return false;
}

/* The shape that a run without --set gives the tensor; NOT_FOUND if it has none, or if a symbol without default decides it. */
static ptowsp_status shape_find(const struct pkg_tables *t, uint32_t tensor, uint64_t extents[4])
{
	const struct ptowsp_tensor_record *row = &t->tensor[tensor];
	uint64_t *bits = calloc(t->slot_count + 1u, sizeof(*bits));
	uint8_t *known = calloc(t->slot_count + 1u, 1);
	struct reg_values values = {bits, known, t->slot_count};
	ptowsp_status status = !bits || !known ? PTOWSP_NO_MEMORY : row->flags & PTOWSP_TENSOR_SHAPELESS ? PTOWSP_NOT_FOUND : PTOWSP_OK;

	for (uint32_t i = 0; i < t->slot_count && !status; i++) {
		bits[i] = t->slot[i].value;
		known[i] = t->slot[i].flags & PTOWSP_SLOT_HAS_DEFAULT;
	}
	for (uint32_t i = 0; i < row->dim_count && !status; i++) {
		int64_t extent = 0;

		status = reg_expression_value(t->expr, t->expr_count, t->dim[row->dims + i].extent, &values, &extent);
		extents[i] = (uint64_t)extent;
	}
	free(known);
	free(bits);
	return status;
}

/* A file that a bare run would refuse, or pass over, is refused where it is named. */
static ptowsp_status shape_check(const struct pkg_tables *t, uint32_t tensor, const struct npy *npy, const char *path, struct ptowsp_error *error)
{
	const struct ptowsp_tensor_record *row = &t->tensor[tensor];
	char have[96], want[96];
	uint64_t extents[4] = {0};
	ptowsp_status status = shape_find(t, tensor, extents);

	if (status)
		return status == PTOWSP_NO_MEMORY ? reg_fail(error, status, "no memory for the shape of %.60s", pkg_string(t, row->name)) : PTOWSP_OK;
	if (npy->rank == row->dim_count && !memcmp(npy->extents, extents, npy->rank * sizeof(*extents)))
		return PTOWSP_OK;
	return reg_fail(error, PTOWSP_INVALID, "%.80s has shape %s, but %.40s has %s without --set: write a file of that shape%s", path,
			reg_shape_text(npy->extents, npy->rank, have, sizeof(have)), pkg_string(t, row->name),
			reg_shape_text(extents, row->dim_count, want, sizeof(want)), symbols_decide(t, row) ? ", or give its symbols another --default" : "");
}

/* Nothing writes an input, so that there is nothing to expect of it. */
static ptowsp_status role_check(const struct pkg_tables *t, uint32_t tensor, uint16_t role, const char *path, struct ptowsp_error *error)
{
	const struct ptowsp_tensor_record *row = &t->tensor[tensor];

	if (role != PTOWSP_SAMPLE_EXPECTED || (row->role != PTOWSP_ROLE_IN && row->role != PTOWSP_ROLE_CONST))
		return PTOWSP_OK;
	return reg_fail(error, PTOWSP_INVALID,
			"%.80s is expected of %.40s, which no task writes: --expected is for tensors that are out or inout, "
			"--data for those that are in",
			path, pkg_string(t, row->name));
}

static void sample_write(struct pkg_writer *writer, uint32_t tensor, uint16_t role, const struct npy *npy, size_t element)
{
	struct ptowsp_sample_record record = {.tensor = tensor,
					      .role = role,
					      .rank = npy->rank ? npy->rank : 1,
					      .extent0 = npy->rank ? npy->extents[0] : 1,
					      .extent1 = npy->rank > 1 ? npy->extents[1] : 0,
					      .extent2 = npy->rank > 2 ? npy->extents[2] : 0,
					      .extent3 = npy->rank > 3 ? npy->extents[3] : 0,
					      .size = npy->elements * element};

	record.offset = pkg_writer_bytes(writer, PTOWSP_SECTION_TBLB, npy->data, record.size, 64);
	pkg_writer_row(writer, PTOWSP_SECTION_TDAT, &record, sizeof(record));
}

/* The sample of the source, or of an earlier option. */
static bool sample_there(struct pkg_writer *writer, uint32_t tensor, uint16_t role)
{
	for (uint32_t i = 0; i < pkg_writer_count(writer, PTOWSP_SECTION_TDAT); i++) {
		const struct ptowsp_sample_record *other = pkg_writer_at(writer, PTOWSP_SECTION_TDAT, i);

		if (other->tensor == tensor && other->role == role)
			return true;
	}
	return false;
}

static ptowsp_status sample_add(struct pkg_writer *writer, const struct pkg_tables *t, const char *text, uint16_t role, struct ptowsp_error *error)
{
	const char *sign = strchr(text, '=');
	uint32_t tensor;
	struct npy npy;
	ptowsp_status status;

	if (!sign || !sign[1])
		return reg_fail(error, PTOWSP_INVALID, "sample data are given as NAME=FILE.npy, not \"%.120s\"", text);
	tensor = tensor_find(t, text, (size_t)(sign - text));
	if (tensor == PTOWSP_NONE)
		return tensor_unknown(t, text, (size_t)(sign - text), error);
	if (sample_there(writer, tensor, role))
		return reg_fail(error, PTOWSP_INVALID, "%.80s has %s data already; leave one of them out", pkg_string(t, t->tensor[tensor].name),
				role == PTOWSP_SAMPLE_EXPECTED ? "expected" : "input");
	status = apart_input(sign + 1, "the data", error);
	if (!status)
		status = npy_open(&npy, sign + 1, error);
	if (status)
		return status;
	status = role_check(t, tensor, role, sign + 1, error);
	if (!status)
		status = dtype_check(t, tensor, &npy, sign + 1, error);
	if (!status)
		status = shape_check(t, tensor, &npy, sign + 1, error);
	if (!status)
		sample_write(writer, tensor, role, &npy, common_dtype(npy.dtype)->bytes);
	npy_close(&npy);
	return status;
}

static ptowsp_status samples_add(const struct pack_options *options, struct pkg_writer *writer, const struct pkg_tables *t, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; i < options->data.count && !status; i++)
		status = sample_add(writer, t, options->data.at[i], PTOWSP_SAMPLE_INPUT, error);
	for (uint32_t i = 0; i < options->expected.count && !status; i++)
		status = sample_add(writer, t, options->expected.at[i], PTOWSP_SAMPLE_EXPECTED, error);
	return status;
}

ptowsp_status pack_extras_add(const struct pack_options *options, struct pkg_writer *writer, struct ptowsp_error *error)
{
	struct pkg *package = NULL;
	void *bytes = NULL;
	size_t size;
	ptowsp_status status = targets_add(options, writer, error);

	if (status || options->schedule.count + options->data.count + options->expected.count == 0)
		return status;
	/* Names are looked up in the package as it is so far. */
	status = pkg_writer_seal(writer, &bytes, &size, error);
	if (!status)
		status = pkg_open_memory(&package, bytes, size, "the new package", NULL, error);
	if (!status)
		status = schedule_add(options, writer, pkg_tables(package), error);
	if (!status)
		status = samples_add(options, writer, pkg_tables(package), error);
	pkg_close(package);
	free(bytes);
	return status;
}
