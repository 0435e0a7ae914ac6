/* SPDX-License-Identifier: MIT */
/* plan_part.c - how large blocks are of which a task says what is there. Most end where their tensor does: min(16, n - i) rows from i on, of n. Then they have a lattice of
 * whole blocks (lattice.h) and stay inside their tensor wherever they begin in it, so that the task needs their size for its windows alone. */
#include "rt/access/plan.h"

#include "rt/run/rt_run.h"

static struct rt_form part_form(struct rt_coding *coding, const struct rt_io *io, uint16_t side, uint32_t id, uint32_t most)
{
	return io->parts & side ? rt_coding_add(coding, id) : (struct rt_form){.base = most};
}

/* Whether the part is whole, or goes as far as its tensor does, whatever the task. */
static bool side_fits(struct rt_coding *coding, const struct rt_form *part, const struct rt_form *at, int64_t extent, int64_t most)
{
	struct rt_form rest;

	if (!part->terms && part->base == most)
		return true;
	rest = rt_coding_rest(coding, extent, at, most);
	return rt_form_same(part, &rest);
}

static void sizes_code(struct rt_plan_io *to, const struct rt_io *io, struct rt_coding *coding)
{
	to->rows = part_form(coding, io, RT_PART_ROWS, io->part_rows, io->rows);
	to->columns = part_form(coding, io, RT_PART_COLUMNS, io->part_columns, io->columns);
	to->varies = to->rows.terms || to->columns.terms;
}

static void part_code(struct rt_plan_io *to, const struct rt_io *io, const struct rt_tensor *tensor, struct rt_coding *coding)
{
	const struct rt_form row = rt_coding_add(coding, io->row), column = rt_coding_add(coding, io->column);

	sizes_code(to, io, coding);
	to->fits = tensor->elements != UINT64_MAX && side_fits(coding, &to->rows, &row, tensor->rows, io->rows) &&
		   side_fits(coding, &to->columns, &column, tensor->columns, io->columns);
}

static bool has_parts(const struct rt_plan *plan, const struct rt_run *run)
{
	uint16_t parts = 0;

	for (uint32_t i = 0; i < plan->io_count; i++)
		parts |= run->accesses[i].io->parts;
	return parts != 0;
}

bool rt_plan_parts(struct rt_plan *plan, struct rt_run *run)
{
	struct rt_coding coding;
	bool ok;

	if (!has_parts(plan, run))
		return true;
	if (!rt_coding_begin(&coding, &run->program->exprs, run->values, &run->codes))
		return rt_coding_end(&coding, &plan->part_code);
	for (uint32_t i = 0; i < plan->io_count; i++)
		if (run->accesses[i].io->parts)
			part_code(&plan->ios[i], run->accesses[i].io, &run->tensors.rows[run->accesses[i].io->tensor], &coding);
	ok = rt_coding_end(&coding, &plan->part_code);
	for (uint32_t i = 0; ok && plan->part_code && i < plan->io_count; i++)
		plan->ios[i].fits &= run->codes.rows[plan->part_code - 1].quick; /* a size that can fail is asked before anything else */
	return ok;
}

bool rt_plan_part_follow(struct rt_plan_io *to, const struct rt_run *run, const struct rt_io *io, struct rt_coding *coding)
{
	if (run->overlap.lattices && rt_use_bits(run, io))
		return false;
	sizes_code(to, io, coding);
	return true;
}
