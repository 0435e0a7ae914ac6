/* SPDX-License-Identifier: MIT */
/* lang_part.c - parts of tensors: which, how large, inside or not; their rows of REGN. */
#include "lang/lang_work.h"
#include "lang/lower/lang_lower.h"
#include "registry/common/common_dtype.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

static bool tensor_find(struct lang_work_check *check, struct lang_part *part)
{
	const struct lang_relayout *relayouts = check->relayouts;
	struct lang_decl *decl;

	while (relayouts && strcmp(relayouts->name, part->tensor) != 0)
		relayouts = relayouts->outer;
	decl = relayouts ? &relayouts->tensor->head : lang_decl_find(check->scope.module, '%', part->tensor);
	if (decl && decl->kind == LANG_DECL_TENSOR) {
		decl->used = 1;
		part->decl = (struct lang_tensor *)decl;
		return true;
	}
	if (decl) {
		lang_error(check->unit, part->at, "%%%s is %s, a tensor is wanted here", part->tensor, lang_decl_noun(check->unit, decl->kind));
		return false;
	}
	lang_error(check->unit, part->at, "there is no tensor %%%s", part->tensor);
	lang_decl_help(check->scope.module, '%', LANG_DECL_TENSOR, part->tensor);
	return false;
}

/* No write can precede it: the text has none before, and the statement stands in no loop, branch, process or combine. */
static void early_note(const struct lang_work_check *check, struct lang_tensor *tensor, const struct lang_part *part, const char *who)
{
	if (tensor->role != PTOWSP_ROLE_TEMP || tensor->origin || tensor->written || tensor->handed || tensor->early_at.line || check->loops || check->guards ||
	    check->turns)
		return;
	tensor->early_at = part->at;
	tensor->early_reader = who;
	tensor->early_in = check->decl;
}

static bool access_check(struct lang_work_check *check, struct lang_part *part, unsigned access, const char *who)
{
	struct lang_tensor *tensor = part->decl;

	if (access == PTOWSP_READ)
		early_note(check, tensor, part, who);
	tensor->handed |= !access;
	if (access & PTOWSP_READ)
		tensor->read = 1;
	if (access & PTOWSP_WRITE)
		tensor->written = 1;
	if (access == PTOWSP_WRITE) {
		tensor->filled = 1;
	} else if (access & PTOWSP_WRITE && !tensor->inout_at.line) {
		tensor->inout_at = part->at;
		tensor->inout_user = who;
	}
	if (access & PTOWSP_WRITE && tensor->origin && strcmp(part->tensor, tensor->head.name) != 0) {
		lang_error(check->unit, part->at, "%s writes %%%s, which is a copy in another layout since %s", who, part->tensor,
			   lang_place(check->unit, tensor->head.at));
		lang_help(check->unit, "write it before it is relaid, or relayout it to its own layout first");
		return false;
	}
	if (access & PTOWSP_WRITE && tensor->axis) {
		lang_error(check->unit, part->at, "%s writes %%%s, which holds the lengths or indices of axis %%%s", who, part->tensor, tensor->axis);
		lang_help(check->unit, "loops over it may have begun: read an element by slot_load, and loop to that slot");
		return false;
	}
	if (!(access & PTOWSP_WRITE) || (tensor->role != PTOWSP_ROLE_IN && tensor->role != PTOWSP_ROLE_CONST))
		return true;
	lang_error(check->unit, part->at, "%s writes %%%s, which is declared as %s", who, part->tensor, tensor->role == PTOWSP_ROLE_IN ? "in" : "const");
	lang_help(check->unit, "declare it as inout or out at %s", lang_place(check->unit, tensor->head.at));
	return false;
}

/* Two indices are row and column; as many as there are dimensions, one per dimension. */
static int indices_check(struct lang_work_check *check, struct lang_part *part)
{
	int ok = 1;

	for (uint32_t i = 0; i < part->index_count; i++)
		ok &= lang_scalar_check(&check->scope, part->indices[i], "an index");
	for (uint32_t i = 0; i < 2; i++)
		ok &= !part->extents[i] || lang_scalar_check(&check->scope, part->extents[i], "an extent");
	if (part->viewed && part->decl->dtype != PTOWSP_U8) {
		lang_error(check->unit, part->at, "%%%s is of type %s, only bytes (u8) are seen as something else", part->tensor,
			   common_dtype_text(part->decl->dtype));
		ok = 0;
	}
	if (!part->index_count || part->index_count == 2 || part->index_count == part->decl->rank)
		return ok;
	lang_error(check->unit, part->all, "%%%s has %u dimensions, here %s %u ind%s", part->tensor, part->decl->rank, part->index_count == 1 ? "is" : "are",
		   part->index_count, part->index_count == 1 ? "ex" : "ices");
	lang_help(check->unit, "write a row and a column, or one index per dimension");
	return 0;
}

bool lang_part_check(struct lang_work_check *check, struct lang_part *part, unsigned access, const char *who)
{
	if (!tensor_find(check, part))
		return false;
	return access_check(check, part, access, who) & indices_check(check, part) && !part->decl->head.broken;
}

/* "rows 64 to 127": what lies at one end of the range, least or greatest, if that is known. */
static int end_check(struct lang_work_check *check, const struct lang_part *part, const char *what, const struct lang_range *range, int greatest, int64_t count,
		     int64_t limit)
{
	const char *where = lang_range_text(check->unit, range, greatest);
	int64_t from;

	if (!lang_range_end(range, greatest, &from) || (from >= 0 && from <= limit - count))
		return 1;
	if (count == 1)
		lang_error(check->unit, part->all, "%s %lld of %%%s is outside%s: it has %lld", what, (long long)from, part->tensor, where, (long long)limit);
	else
		lang_error(check->unit, part->all, "%ss %lld to %lld of %%%s are outside%s: it has %lld", what, (long long)from,
			   (long long)((uint64_t)from + (uint64_t)count - 1), part->tensor, where, (long long)limit);
	return 0;
}

static bool inside_check(struct lang_work_check *check, const struct lang_part *part, const char *what, const struct lang_range *range, int64_t count,
			 int64_t limit)
{
	return end_check(check, part, what, range, 1, count, limit) && end_check(check, part, what, range, 0, count, limit);
}

/* An index at one end of its range. */
static bool index_check(struct lang_work_check *check, const struct lang_part *part, uint32_t dim, const struct lang_range *range, int greatest)
{
	int64_t index, extent;

	if (!lang_scalar_known(part->decl->extents[dim], &extent) || !lang_range_end(range, greatest, &index) || (index >= 0 && index < extent))
		return true;
	lang_error(check->unit, part->indices[dim]->all, "index %lld of dimension %u of %%%s is outside%s: it has %lld", (long long)index, dim, part->tensor,
		   lang_range_text(check->unit, range, greatest), (long long)extent);
	return false;
}

/* Each index must fit where each dimension has one. */
static bool dimensions_check(struct lang_work_check *check, const struct lang_part *part)
{
	for (uint32_t i = 0; part->index_count > 2 && i + 1 < part->index_count; i++) {
		struct lang_range range = {0};

		if (lang_range_add(check, &range, part->indices[i], 1) && !(index_check(check, part, i, &range, 1) && index_check(check, part, i, &range, 0)))
			return false;
	}
	return true;
}

/* Rows that go on behind the dimension of their index are those of the next index of the dimension before: meant where all of the dimension is taken, else most likely a mistake. */
static void next_warn(struct lang_work_check *check, const struct lang_part *part)
{
	const uint32_t dim = part->index_count - 2;
	const int64_t rows = part->parts & 1 ? 1 : part->rows;
	struct lang_range range = {0};
	int64_t least, greatest, extent;

	if (part->index_count < 3 || !lang_scalar_known(part->decl->extents[dim], &extent) || !lang_range_add(check, &range, part->indices[dim], 1) ||
	    !lang_range_end(&range, 0, &least) || !lang_range_end(&range, 1, &greatest) || greatest + rows <= extent ||
	    (!least && !greatest && rows % extent == 0))
		return;
	lang_warn(check->unit, part->all, "rows %lld to %lld%s go on behind dimension %u of %%%s, which has %lld, in the next index of dimension %u",
		  (long long)greatest, (long long)(greatest + rows - 1), lang_range_text(check->unit, &range, 1), dim, part->tensor, (long long)extent,
		  dim - 1);
	lang_help(check->unit, "say how many rows a call takes, by a symbol or a loop's value: min(%lld, %lld - index); or declare %%%s as a matrix",
		  (long long)rows, (long long)extent, part->tensor);
}

/* The row, if it is known. */
static bool row_known(const struct lang_work_check *check, const struct lang_part *part, struct lang_range *range)
{
	int64_t factor = 1, extent;

	for (uint32_t i = part->index_count ? part->index_count - 1 : 0; i-- > 0;) {
		if (!lang_range_add(check, range, part->indices[i], factor))
			return false;
		if (i && (part->index_count == 2 || !lang_scalar_known(part->decl->extents[i], &extent) || __builtin_mul_overflow(factor, extent, &factor)))
			return false;
	}
	return true;
}

static int bounds_check(struct lang_work_check *check, const struct lang_part *part)
{
	struct lang_range row = {0}, column = {0};
	int64_t rows, columns;
	int ok = dimensions_check(check, part);

	if (ok)
		next_warn(check, part);
	if (!ok || !lang_tensor_shape(part->decl, &rows, &columns))
		return ok;
	if (row_known(check, part, &row))
		ok = inside_check(check, part, "row", &row, part->parts & 1 ? 1 : part->rows, rows);
	if (ok && (!part->index_count || lang_range_add(check, &column, part->indices[part->index_count - 1], 1)))
		ok = inside_check(check, part, "column", &column, part->parts & 2 ? 1 : part->columns, columns);
	return ok;
}

/* An extent that is written; 0 after an error. whole: as large as it may be where a run decides. */
static bool extent_read(struct lang_work_check *check, struct lang_part *part, unsigned axis, uint32_t whole, uint32_t *extent_out)
{
	const struct lang_scalar *scalar = part->extents[axis];
	int64_t value, other;
	const bool known = lang_scalar_known(scalar, &value);

	if (!part->flat && (!known || (part->open && value < whole && ((!part->loose && !part->viewed) || !lang_scalar_known(part->extents[!axis], &other)))))
		return lang_part_open(check, part, axis, whole, extent_out);

	if (known && value > 0 && value <= INT32_MAX) {
		*extent_out = (uint32_t)value;
		return true;
	}
	lang_error(check->unit, scalar->all, "the size of a part is a number from 1 to %d", INT32_MAX);
	return false;
}

uint16_t lang_part_dtype(const struct lang_part *part)
{
	return part->viewed ? part->view : part->decl->dtype;
}

/* Elements are whole, as far as that is known here. */
static bool view_check(struct lang_work_check *check, const struct lang_part *part)
{
	uint32_t size = part->viewed ? common_dtype_bytes(part->view) : 1;
	int64_t column;

	if (part->columns % size) {
		lang_error(check->unit, part->all, "%u bytes are no whole number of elements of type %s, which have %u each", part->columns,
			   common_dtype_text(part->view), size);
		return false;
	}
	if (part->index_count && lang_scalar_known(part->indices[part->index_count - 1], &column) && column % size) {
		lang_error(check->unit, part->all, "an element of type %s does not begin at byte %lld", common_dtype_text(part->view), (long long)column);
		return false;
	}
	return true;
}

bool lang_part_flat_check(struct lang_work_check *check, struct lang_part *part)
{
	uint32_t reach = 0;

	assert(part->index_count); /* "..." is read behind indices */
	if (part->extents[1] && !extent_read(check, part, 1, 0, &reach))
		return false;
	part->rows = 0;
	part->columns = reach;
	return view_check(check, part);
}

bool lang_part_size(struct lang_work_check *check, struct lang_part *part, uint32_t rows, uint32_t columns)
{
	int64_t all_rows, all_columns;

	if (part->flat) {
		lang_error(check->unit, part->all, "only calls pass memory without a shape: say how many rows and columns of %%%s", part->tensor);
		return false;
	}
	part->rows = rows;
	part->columns = part->viewed ? columns * common_dtype_bytes(part->view) : columns;
	if (part->extents[0]) {
		if (!extent_read(check, part, 0, rows, &part->rows) || !extent_read(check, part, 1, columns, &part->columns))
			return false;
	} else if (!part->index_count) {
		if (lang_tensor_shape(part->decl, &all_rows, &all_columns)) {
			part->rows = (uint32_t)all_rows;
			part->columns = (uint32_t)all_columns;
		} else if (!rows || !columns) {
			lang_error(check->unit, part->all, "%%%s has a size that symbols decide, and a task needs a fixed one", part->tensor);
			lang_help(check->unit, "say which part: %%%s[row, column : rows, columns], or pass it as flat memory: %%%s[0, 0 : ...]", part->tensor,
				  part->tensor);
			return false;
		}
	}
	if (!part->rows || !part->columns) {
		lang_error(check->unit, part->all, "nothing here says how many rows and columns of %%%s are meant", part->tensor);
		lang_help(check->unit, "write them behind a colon: %%%s[row, column : rows, columns]", part->tensor);
		return false;
	}
	return view_check(check, part) && bounds_check(check, part);
}

bool lang_pair_check(struct lang_work_check *check, struct lang_work *work)
{
	bool from = lang_part_check(check, &work->parts[0], PTOWSP_READ, work->form->word);
	bool to = lang_part_check(check, &work->parts[1], PTOWSP_WRITE, work->form->word);

	return from && to;
}

bool lang_copy_find(struct lang_work_check *check, struct lang_work *work)
{
	lang_afters_check(check, work);
	lang_segment_task(check, work->local);
	return lang_pair_check(check, work);
}

void lang_copy_size(struct lang_work_check *check, struct lang_work *work)
{
	struct lang_part *from = &work->parts[0], *to = &work->parts[1];
	struct lang_part *first = from->extents[0] || !from->index_count ? from : to, *second = first == from ? to : from;
	const char *word = work->form->word;

	if (!lang_part_size(check, first, 0, 0) || !lang_part_size(check, second, first->rows, first->columns))
		return;
	if (from->rows != to->rows || from->columns != to->columns)
		lang_error(check->unit, to->all, "%s from %u x %u to %u x %u elements", word, from->rows, from->columns, to->rows, to->columns);
	if (from->viewed || to->viewed)
		lang_error(check->unit, (from->viewed ? from : to)->all, "%s moves elements as they are declared: leave \"as\" out", word);
	else if (from->decl->dtype != to->decl->dtype)
		lang_error(check->unit, to->at, "%s from %%%s of type %s to %%%s of type %s", word, from->tensor, common_dtype_text(from->decl->dtype),
			   to->tensor, common_dtype_text(to->decl->dtype));
}

void lang_copy_check(struct lang_work_check *check, struct lang_work *work)
{
	const struct lang_part *to = &work->parts[1];

	if (!lang_copy_find(check, work))
		return;
	lang_part_join(check, &work->parts[0], PTOWSP_READ, &to->decl->layout, common_format(&check->unit->arena, "%%%s", to->tensor));
	lang_copy_size(check, work);
}

/* --- lowering --- */

static uint32_t row_lower(struct lang_lower *lower, const struct lang_part *part)
{
	struct lang_exprs *exprs = &lower->tables->exprs;
	uint32_t row = lang_expr_const(exprs, 0);

	for (uint32_t i = 0; i + 1 < part->index_count; i++) {
		if (i)
			row = lang_expr_binary(exprs, PTOWSP_EXPR_MUL, row, lang_scalar_lower(lower, part->decl->extents[i]));
		row = lang_expr_binary(exprs, PTOWSP_EXPR_ADD, row, lang_scalar_lower(lower, part->indices[i]));
	}
	return row;
}

void lang_part_place_lower(struct lang_lower *lower, const struct lang_part *part, uint32_t *row_out, uint32_t *column_out)
{
	*row_out = row_lower(lower, part);
	*column_out = part->index_count ? lang_scalar_lower(lower, part->indices[part->index_count - 1]) : lang_expr_const(&lower->tables->exprs, 0);
}

/* A flat window: in steps of the tensor's columns where they are a number, else of single elements. */
static void flat_lower(struct lang_lower *lower, const struct lang_part *part, struct ptowsp_region_record *region)
{
	struct lang_exprs *exprs = &lower->tables->exprs;
	const struct lang_scalar *last = part->decl->extents[part->decl->rank - 1];
	int64_t columns, row;

	region->rows = 0;
	region->unit = 1;
	if (lang_scalar_known(last, &columns)) {
		region->unit = (uint32_t)columns;
		return;
	}
	if (!lang_expr_is_const(exprs, region->row, &row) || row) {
		region->row = lang_expr_binary(exprs, PTOWSP_EXPR_MUL, region->row, lang_scalar_lower(lower, last));
		region->row = lang_expr_binary(exprs, PTOWSP_EXPR_ADD, region->row, region->column);
	} else {
		region->row = region->column;
	}
	region->column = lang_expr_const(exprs, 0);
}

uint32_t lang_part_lower(struct lang_work_walk *walk, const struct lang_part *part)
{
	struct lang_lower *lower = walk->lower;
	struct ptowsp_region_record region = {.tensor = part->decl->head.row, .rows = part->rows, .columns = part->columns};

	lang_tensor_use(lower, part->decl);
	lang_part_place_lower(lower, part, &region.row, &region.column);
	if (part->flat)
		flat_lower(lower, part, &region);
	region.view = part->viewed ? 1u + part->view : 0;
	return lang_region_add(lower->tables, &region);
}
