/* SPDX-License-Identifier: MIT */
/* part.c - parts of tensors as bodies name them. */
#include "print/print_work.h"

#include "format/format_names.h"

void print_place_at(struct print_work *w, uint32_t tensor, uint32_t row, uint32_t column)
{
	print_add(w->text, "[");
	if (w->job->t->tensor[tensor].dim_count != 1 || !print_is_number(w->job, row, 0)) {
		print_expr(w, row);
		print_add(w->text, ", ");
	}
	print_expr(w, column);
}

void print_tensor(struct print_work *w, uint32_t tensor)
{
	const char *name = print_string(w->job, w->job->t->tensor[tensor].name);

	if (!lang_name_is_plain(name) || w->job->t->tensor[tensor].entry != PTOWSP_NONE)
		print_unsaid(w->text, 0, "the tensor \"%.80s\" in a body", name);
	print_add(w->text, "%%%s", name);
}

/* As a matrix: the last dimension are the columns, all others rows. 0 if that depends on symbols. */
static int is_whole(const struct print_job *job, const struct ptowsp_region_record *region)
{
	const struct ptowsp_tensor_record *t = &job->t->tensor[region->tensor];
	uint64_t rows = 1;

	if (!t->dim_count || !print_is_number(job, region->row, 0) || !print_is_number(job, region->column, 0))
		return 0;
	for (uint32_t i = 0; i + 1 < t->dim_count; i++) {
		const struct ptowsp_expr_record *e = &job->t->expr[job->t->dim[t->dims + i].extent];

		if (e->op != PTOWSP_EXPR_CONST || e->c || rows > UINT32_MAX)
			return 0;
		rows *= e->b;
	}
	return rows == region->rows && print_is_number(job, job->t->dim[t->dims + t->dim_count - 1].extent, region->columns);
}

/* "[row, column : ...]": a flat window in steps of the tensor's columns, or of elements where symbols say how many those are. 0: in other steps. */
static int flat_add(struct print_work *w, const struct ptowsp_region_record *region)
{
	const struct pkg_tables *t = w->job->t;
	const struct ptowsp_tensor_record *tensor = &t->tensor[region->tensor];
	uint32_t last = tensor->dim_count ? t->dim[tensor->dims + tensor->dim_count - 1].extent : PTOWSP_NONE;

	if (last == PTOWSP_NONE)
		return 0;
	if (t->expr[last].op == PTOWSP_EXPR_CONST ? !print_is_number(w->job, last, region->unit)
						  : region->unit != 1 || !print_is_number(w->job, region->column, 0))
		return 0;
	if (t->expr[last].op == PTOWSP_EXPR_CONST)
		print_place_at(w, region->tensor, region->row, region->column);
	else
		print_place_at(w, region->tensor, region->column, region->row);
	print_add(w->text, " : ...");
	if (region->columns)
		print_add(w->text, ", %lu", (unsigned long)region->columns);
	print_add(w->text, "]");
	return 1;
}

void print_view(struct print_work *w, const struct ptowsp_region_record *region)
{
	if (region->view)
		print_add(w->text, " as %s", print_dtype(region->view - 1));
}

void print_part(struct print_work *w, uint32_t row, uint32_t rows, uint32_t columns)
{
	const struct ptowsp_region_record *region = &w->job->t->region[row];
	uint32_t size = region->view ? pkg_dtype_bytes(region->view - 1) : 1;

	print_tensor(w, region->tensor);
	if (region->unit) {
		if (!flat_add(w, region))
			print_unsaid(w->text, 0, "a region that is flat in steps of %lu", (unsigned long)region->unit);
	} else if (!is_whole(w->job, region)) {
		print_place_at(w, region->tensor, region->row, region->column);
		if (region->rows != rows || region->columns != columns * size)
			print_add(w->text, " : %lu, %lu", (unsigned long)region->rows, (unsigned long)region->columns);
		print_add(w->text, "]");
	}
	print_view(w, region);
}
