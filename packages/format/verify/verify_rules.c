/* SPDX-License-Identifier: MIT */
/* verify_rules.c - the rules between fields and tables that records.def cannot say. One function per table. */
#include "format/graph/graph_read.h"
#include "format/verify/verify.h"

#include "ptowsp/workload.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define META_LIMIT           1024u
#define ALIGNMENT_LIMIT      (1u << 30)
#define LEVEL_STEP           32u
#define KEY_LIMIT            128u /* bytes of a META key and */
#define FILE_LIMIT           256u /* of a file name: texts that are compared once per row must be short */
#define MUST(condition, ...) PKG_MUST(&c->place, condition, __VA_ARGS__)

static bool is_power_of_two(uint64_t value)
{
	return value && !(value & (value - 1));
}

static bool is_shorter(const char *text, size_t limit)
{
	for (size_t i = 0; i < limit; i++)
		if (!text[i])
			return true;
	return false;
}

static int compare_keys(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static ptowsp_status meta_check(const struct pkg_check *c)
{
	const struct pkg_tables *t = c->tables;
	const char *keys[META_LIMIT];

	MUST(t->meta_count <= META_LIMIT, "META has %u rows, the limit is %u", (unsigned)t->meta_count, META_LIMIT);
	for (uint32_t i = 0; i < t->meta_count; i++) {
		keys[i] = pkg_string(t, t->meta[i].key);
		MUST(keys[i][0], "META[%u].key is empty", (unsigned)i);
		MUST(is_shorter(keys[i], KEY_LIMIT), "META[%u].key has more than %u bytes", (unsigned)i, KEY_LIMIT - 1);
		MUST(strcmp(keys[i], "wsp_runtime_abi") || !strcmp(pkg_string(t, t->meta[i].value), c->abi),
		     "META[%u].value is \"%.16s\", the header's wsp_runtime_abi is \"%s\"", (unsigned)i, pkg_string(t, t->meta[i].value), c->abi);
	}
	qsort(keys, t->meta_count, sizeof(keys[0]), compare_keys);
	for (uint32_t i = 1; i < t->meta_count; i++)
		MUST(strcmp(keys[i - 1], keys[i]), "META has the key \"%.40s\" twice", keys[i]);
	return PTOWSP_OK;
}

static ptowsp_status levels_check(const struct pkg_check *c)
{
	const struct pkg_tables *t = c->tables;

	for (uint32_t i = 0; i < t->variant_count; i++)
		MUST(t->variant[i].rows && t->variant[i].rows % LEVEL_STEP == 0, "KVAR[%u].rows is %u: a multiple of %u from there on is needed", (unsigned)i,
		     (unsigned)t->variant[i].rows, LEVEL_STEP);
	for (uint32_t i = 0; i < t->levels_count; i++) {
		const struct ptowsp_levels_record *l = &t->levels[i];

		MUST(is_power_of_two(l->max_range), "TLVL[%u].max_range is %u, which is no power of two", (unsigned)i, (unsigned)l->max_range);
		MUST(is_power_of_two(l->min_range) && l->min_range <= l->max_range, "TLVL[%u].min_range is %u: a power of two up to max_range %u is needed",
		     (unsigned)i, (unsigned)l->min_range, (unsigned)l->max_range);
	}
	for (uint32_t i = 0; i < t->level_count; i++) {
		MUST(!t->level[i].block || is_power_of_two(t->level[i].block), "LVLS[%u].block is %u: 0 or a power of two is needed", (unsigned)i,
		     (unsigned)t->level[i].block);
		MUST(t->level[i].rows % LEVEL_STEP == 0, "LVLS[%u].rows is %u, which is no multiple of %u", (unsigned)i, (unsigned)t->level[i].rows,
		     LEVEL_STEP);
	}
	return PTOWSP_OK;
}

/* The tensor has dimensions, and none of them is sharded. */
static int is_replicated(const struct pkg_tables *t, const struct ptowsp_tensor_record *x)
{
	for (uint32_t i = 0; i < x->dim_count; i++)
		if (t->dim[x->dims + i].distribution)
			return 0;
	return x->dim_count != 0;
}

static ptowsp_status tensors_check(const struct pkg_check *c)
{
	const struct pkg_tables *t = c->tables;

	for (uint32_t i = 0; i < t->tensor_count; i++) {
		const struct ptowsp_tensor_record *x = &t->tensor[i];

		MUST(x->dim_count <= 4, "TENS[%u].dim_count is %u: a tensor has at most 4 dimensions", (unsigned)i, (unsigned)x->dim_count);
		MUST(!(x->flags & PTOWSP_TENSOR_SHAPELESS) || !x->dim_count, "TENS[%u].dim_count is %u, but its flags say that it has no shape", (unsigned)i,
		     (unsigned)x->dim_count);
		MUST(!(x->flags & PTOWSP_TENSOR_REPLICATED) || is_replicated(t, x), "TENS[%u].flags is %u: a layout that is R in every dimension, and %s",
		     (unsigned)i, (unsigned)x->flags, x->dim_count ? "one is sharded" : "there is none");
		MUST(!x->alignment || (is_power_of_two(x->alignment) && x->alignment <= ALIGNMENT_LIMIT),
		     "TENS[%u].alignment is %u: 0 or a power of two up to 2^30 is needed", (unsigned)i, (unsigned)x->alignment);
	}
	return PTOWSP_OK;
}

static ptowsp_status work_rows_check(const struct pkg_check *c, uint64_t offset, uint32_t count, uint32_t rows, const char *what, const char *table)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t row;

		memcpy(&row, c->tables->raw_work + offset + 4ull * i, sizeof(row));
		MUST(row < rows, "WORK: %s %u is row %u, %s has %u rows", what, (unsigned)i, (unsigned)row, table, (unsigned)rows);
	}
	return PTOWSP_OK;
}

static ptowsp_status work_check(const struct pkg_check *c)
{
	const struct pkg_tables *t = c->tables;
	struct ptowsp_workload_header h = {0};
	uint64_t rows, tables_at;
	ptowsp_status status;

	if (!t->raw_work_size)
		return PTOWSP_OK;
	MUST(t->raw_work_size >= sizeof(h), "WORK has %llu bytes, fewer than its header", (unsigned long long)t->raw_work_size);
	memcpy(&h, t->raw_work, sizeof(h));
	MUST(h.magic == PTOWSP_WORKLOAD_MAGIC, "WORK: magic is 0x%08x, not 0x%08x", (unsigned)h.magic, PTOWSP_WORKLOAD_MAGIC);
	MUST(h.version == PTOWSP_WORKLOAD_VERSION, "WORK: bytecode version is %u, this build knows %u", (unsigned)h.version, PTOWSP_WORKLOAD_VERSION);
	rows = (uint64_t)h.num_axes + h.num_kernels + h.num_tensors;
	tables_at = sizeof(h) + (uint64_t)h.num_instructions * sizeof(struct ptowsp_instruction);
	MUST(t->raw_work_size == tables_at + 4 * rows, "WORK has %llu bytes, its header's counts make %llu", (unsigned long long)t->raw_work_size,
	     (unsigned long long)(tables_at + 4 * rows));
	status = work_rows_check(c, tables_at, h.num_axes, t->axis_count, "axis", "AXES");
	tables_at += 4ull * h.num_axes;
	if (!status)
		status = work_rows_check(c, tables_at, h.num_kernels, t->kernel_count, "kernel", "KREG");
	tables_at += 4ull * h.num_kernels;
	if (!status)
		status = work_rows_check(c, tables_at, h.num_tensors, t->tensor_count, "tensor", "TENS");
	return status;
}

/* Needs a checked WORK. */
static uint32_t instruction_count(const struct pkg_tables *t)
{
	struct ptowsp_workload_header h = {0};

	if (t->raw_work_size)
		memcpy(&h, t->raw_work, sizeof(h));
	return h.num_instructions;
}

static ptowsp_status entries_check(const struct pkg_check *c)
{
	const struct pkg_tables *t = c->tables;
	uint32_t instructions = instruction_count(t), defaults = 0;

	for (uint32_t i = 0; i < t->entry_count; i++) {
		if (t->entry[i].flags & PTOWSP_ENTRY_KERNEL)
			MUST(t->entry[i].instruction < t->kernel_count, "ENTR[%u].instruction is %u: its flags say a kernel, KREG has %u rows", (unsigned)i,
			     (unsigned)t->entry[i].instruction, (unsigned)t->kernel_count);
		else
			MUST(t->entry[i].instruction < instructions, "ENTR[%u].instruction is %u, WORK has %u instructions", (unsigned)i,
			     (unsigned)t->entry[i].instruction, (unsigned)instructions);
		defaults += t->entry[i].flags & PTOWSP_ENTRY_DEFAULT;
		MUST(defaults <= 1, "ENTR[%u].flags: another entry is the default already", (unsigned)i);
	}
	return pkg_verify_pipeline(c, instructions);
}

static ptowsp_status positions_check(const struct pkg_check *c)
{
	const struct pkg_tables *t = c->tables;
	const uint32_t rows[5] = {instruction_count(t), t->kernel_count, t->entry_count, t->slot_count, t->expr_count};
	static const char *const tables[5] = {"WORK", "KREG", "ENTR", "SLOT", "EXPR"};

	for (uint32_t i = 0; i < t->debug_count; i++) {
		const struct ptowsp_debug_record *d = &t->debug[i];

		MUST(d->kind < 5, "DBGI[%u].kind is %u: kinds are 0 to 4", (unsigned)i, (unsigned)d->kind);
		MUST(d->row < rows[d->kind], "DBGI[%u].row is %u, %s has %u rows", (unsigned)i, (unsigned)d->row, tables[d->kind], (unsigned)rows[d->kind]);
		MUST(is_shorter(pkg_string(t, d->file), FILE_LIMIT), "DBGI[%u].file has more than %u bytes", (unsigned)i, FILE_LIMIT - 1);
		MUST(!strchr(pkg_string(t, d->file), '/'), "DBGI[%u].file is \"%.60s\": a file name without folder is needed", (unsigned)i,
		     pkg_string(t, d->file));
	}
	return PTOWSP_OK;
}

static ptowsp_status graphs_check(const struct pkg_check *c)
{
	struct pkg_graphs graphs;
	ptowsp_status status = pkg_graphs_read(&graphs, c->tables, &c->place);

	pkg_graphs_finish(&graphs);
	return status;
}

static ptowsp_status calls_check(const struct pkg_check *c)
{
	const struct pkg_tables *t = c->tables;

	for (uint32_t i = 0; i < t->call_count; i++)
		MUST((uint64_t)t->call[i].first + t->call[i].instructions <= instruction_count(t),
		     "CALL[%u] begins at instruction %u and has %u of them, WORK has %u", (unsigned)i, (unsigned)t->call[i].first,
		     (unsigned)t->call[i].instructions, (unsigned)instruction_count(t));
	return PTOWSP_OK;
}

ptowsp_status pkg_verify_rules(const struct pkg_check *check)
{
	static ptowsp_status (*const steps[])(const struct pkg_check *) = {meta_check,
									   pkg_verify_kernels,
									   pkg_verify_payloads,
									   pkg_verify_portable,
									   levels_check,
									   tensors_check,
									   pkg_verify_exprs,
									   pkg_verify_loops,
									   pkg_verify_axes,
									   work_check,
									   pkg_verify_tasks,
									   entries_check,
									   pkg_verify_kernel_entries,
									   pkg_verify_schedule,
									   pkg_verify_samples,
									   graphs_check,
									   positions_check,
									   calls_check,
									   pkg_verify_layouts,
									   pkg_verify_memories,
									   pkg_verify_param_memories};
	ptowsp_status status = PTOWSP_OK;

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && !status; i++)
		status = steps[i](check);
	return status;
}
