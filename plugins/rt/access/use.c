/* SPDX-License-Identifier: MIT */
#include "rt/access/use.h"

#include "rt/run/rt_run.h"

unsigned rt_use_bits(const struct rt_run *run, const struct rt_io *io)
{
	uint8_t others = run->program->traits[io->tensor].access;
	unsigned bits = io->access;

	if (!(others & PTOWSP_WRITE))
		bits &= ~(unsigned)PTOWSP_READ;
	if (!run->program->schedule.full && !(others & PTOWSP_READ))
		bits &= ~(unsigned)PTOWSP_WRITE;
	return bits;
}

/* A part that goes as far as its tensor, where a block of the lattice would go further, counts as that block: no other access there is as large. */
static int64_t side_of(int64_t there, int64_t most, int64_t at, int64_t extent)
{
	return there == extent - at && there < most ? most : there;
}

static struct rt_shape block_shape(const struct rt_run *run, const struct rt_access *access)
{
	const struct rt_io *io = access->io;
	const struct rt_tensor *tensor = &run->tensors.rows[io->tensor];
	const struct rt_lattice *lattice = &run->overlap.lattices[io->tensor];
	const struct rt_shape there = {rt_access_rows(access), rt_access_columns(access)}, whole = {io->rows, io->columns};
	const struct rt_shape *most = lattice->begun ? &lattice->shape : &whole;

	if (!io->parts || tensor->elements == UINT64_MAX)
		return there;
	return (struct rt_shape){side_of(there.rows, most->rows, access->key.row, tensor->rows),
				 side_of(there.columns, most->columns, access->key.column, tensor->columns)};
}

/* Elements of an access from its start on, if one piece. */
static bool shape_of(const struct rt_run *run, const struct rt_access *access, unsigned bit, struct rt_shape *shape_out, int64_t *behind_out)
{
	const struct rt_io *io = access->io;
	const struct rt_touched *touched = access->touched;
	const struct rt_span *span;

	*behind_out = 0;
	*shape_out = (struct rt_shape){0, 0};
	if (!io->unit) {
		*shape_out = block_shape(run, access);
		return shape_out->rows && shape_out->columns;
	}
	if (!touched || (bit & PTOWSP_READ ? touched->read_count : touched->write_count) != 1)
		return false;
	span = access->spans + (bit & PTOWSP_READ ? touched->read : touched->write);
	*behind_out = span->start;
	*shape_out = (struct rt_shape){0, span->end - span->start};
	return span->end != RT_FAR && span->end > span->start;
}

/* Read and written elements are the same piece. */
static bool one_shape(const struct rt_run *run, const struct rt_access *access)
{
	struct rt_shape read, written;
	int64_t behind_read, behind_written;

	return shape_of(run, access, PTOWSP_READ, &read, &behind_read) && shape_of(run, access, PTOWSP_WRITE, &written, &behind_written) &&
	       read.columns == written.columns && read.rows == written.rows && behind_read == behind_written;
}

/* Two accesses of one task whose keys are equal whatever the loops do. */
static bool same_key(const struct rt_run *run, const struct rt_access *a, const struct rt_access *b)
{
	struct rt_shape x, y;
	int64_t behind_x, behind_y;

	if (a->io->tensor != b->io->tensor || a->io->row != b->io->row || a->io->column != b->io->column || a->key.class != b->key.class)
		return false;
	if (!run->overlap.lattices)
		return true;
	return a->io->unit == b->io->unit && shape_of(run, a, a->io->access, &x, &behind_x) && shape_of(run, b, b->io->access, &y, &behind_y) &&
	       x.columns == y.columns && x.rows == y.rows && behind_x == behind_y;
}

static uint32_t use_add(const struct rt_run *run, const struct rt_access *accesses, uint32_t argument, unsigned bits, struct rt_use *uses, uint32_t count)
{
	bool merge = !run->overlap.lattices || accesses[argument].io->access != (PTOWSP_READ | PTOWSP_WRITE) || one_shape(run, &accesses[argument]);

	if (!bits)
		return count;
	for (uint32_t i = 0; merge && i < count; i++)
		if (same_key(run, &accesses[uses[i].argument], &accesses[argument])) {
			uses[i].access |= (uint8_t)bits;
			return count;
		}
	uses[count] = (struct rt_use){.access = (uint8_t)bits, .argument = (uint16_t)argument, .tensor = accesses[argument].io->tensor};
	return count + 1;
}

/* Reads first: they are entered before the task's writes. */
static uint8_t rank_of(const struct rt_use *use)
{
	static const uint8_t rank[] = {0, 0, 2, 1}; /* by access */

	return use->anew ? 3 : rank[use->access];
}

static void uses_sort(struct rt_use *uses, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		struct rt_use use = uses[i];
		uint32_t at = i;

		for (; at && rank_of(&uses[at - 1]) > rank_of(&use); at--)
			uses[at] = uses[at - 1];
		uses[at] = use;
	}
}

bool rt_use_begins(const struct rt_run *run, const struct rt_use *use)
{
	return use->anew || (use->way == RT_USE_VERSION && rt_versions_makes(run, use->tensor, (int64_t)(use->name & RT_PLACES)));
}

uint32_t rt_uses_make(struct rt_run *run, const struct rt_site *site, const struct rt_access *accesses, struct rt_use *uses_out)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < site->io_count; i++) {
		unsigned bits = rt_use_bits(run, accesses[i].io);

		if (run->overlap.lattices && bits == (PTOWSP_READ | PTOWSP_WRITE) && !one_shape(run, &accesses[i])) {
			count = use_add(run, accesses, i, PTOWSP_READ, uses_out, count);
			bits = PTOWSP_WRITE;
		}
		count = use_add(run, accesses, i, bits, uses_out, count);
	}
	for (uint32_t i = 0; site->renamed && i < count; i++)
		uses_out[i].anew = rt_versions_begins(run, site, accesses[uses_out[i].argument].io);
	uses_sort(uses_out, count);
	rt_uses_place(run, uses_out, count, accesses, NULL, (struct rt_way){0, 0});
	return count;
}

/* ---- names ----------------------------------------------------------------------------------------------------- */

static bool within(int64_t value, uint64_t limit)
{
	return (uint64_t)value < limit;
}

/* Both ends of a way. */
static bool both_within(int64_t value, uint64_t step, int64_t left, uint64_t limit)
{
	return within(value, limit) && within((int64_t)((uint64_t)value + step * (uint64_t)left), limit);
}

/* Columns of a flat window's key in a name: those of a tile's step, while the callee's tile plays no part in a key. */
#define FLAT_COLUMNS (UINT64_C(1) << 16)

static uint64_t name_columns(const struct rt_run *run, const struct rt_io *io)
{
	return io->unit ? FLAT_COLUMNS : (uint64_t)run->tensors.rows[io->tensor].columns;
}

/* Row and column as one number. */
static int64_t place_of(const struct rt_access *access)
{
	return access->io->unit ? (int64_t)((uint64_t)access->key.row * FLAT_COLUMNS + (uint64_t)access->key.column) : access->start;
}

/* Does it fit into a name, and can row and column be told from it, here and at the end of the way? */
static bool nameable(const struct rt_run *run, const struct rt_access *access, const struct rt_plan_io *io, int64_t left)
{
	uint64_t columns = name_columns(run, access->io), limit = columns ? (UINT64_C(1) << RT_PLACE_BITS) / columns : 0;

	return both_within(access->key.row, io ? io->row_step : 0, left, limit) && both_within(access->key.column, io ? io->column_step : 0, left, columns);
}

uint64_t rt_use_step(const struct rt_run *run, const struct rt_io *io, const struct rt_plan_io *plan)
{
	return run->overlap.lattices || !io->unit ? plan->start_step : plan->row_step * FLAT_COLUMNS + plan->column_step;
}

/* Every access of the plan that lies inside its tensor fits into a name. */
static bool always_nameable(const struct rt_run *run, const struct rt_io *io)
{
	return io->unit || run->tensors.rows[io->tensor].elements <= UINT64_C(1) << RT_PLACE_BITS;
}

/* The use is a cell whatever the task, if that can be said. */
static void cell_sure(struct rt_run *run, struct rt_use *use, const struct rt_io *io, const struct rt_plan_io *plan)
{
	uint64_t line = plan->row_unit * (uint64_t)plan->pitch | plan->column_unit;

	use->asked = true;
	use->sure = always_nameable(run, io) && (!io->parts || plan->fits) &&
		    rt_overlap_covers(&run->overlap, use->tensor, io->unit ? 0 : plan->row_unit, io->unit ? line : plan->column_unit);
}

static void cell_place(struct rt_run *run, struct rt_use *use, const struct rt_access *access, const struct rt_plan_io *io, struct rt_way way)
{
	bool line = access->io->unit != 0;
	struct rt_shape shape;
	int64_t behind;
	uint32_t divided = run->overlap.divided;
	bool cell = shape_of(run, access, use->access, &shape, &behind) &&
		    (line ? both_within(access->start + behind, io ? io->start_step : 0, way.left, UINT64_C(1) << RT_PLACE_BITS)
			  : nameable(run, access, io, way.left));

	if (io && io->fits) /* whatever the task */
		shape = (struct rt_shape){access->io->rows, access->io->columns};
	if (cell)
		cell = rt_overlap_admit(&run->overlap, &run->track, use->tensor, &shape, line ? 0 : access->key.row,
					line ? access->start + behind : access->key.column, io && !line ? io->row_step * way.stride : 0,
					!io ? 0 : (line ? io->start_step : io->column_step) * way.stride);
	else
		rt_overlap_divide(&run->overlap, &run->track, use->tensor);
	if (run->overlap.divided != divided)
		rt_plans_forget(&run->plans);
	use->way = cell ? RT_USE_NAMED : RT_USE_PIECES;
	use->base = ((uint64_t)use->tensor << RT_PLACE_BITS) + (uint64_t)behind;
	use->name = use->base + (uint64_t)access->start;
	if (cell && io && !use->asked)
		cell_sure(run, use, access->io, io);
}

static uint64_t plain_name(const struct rt_access *access)
{
	return (uint64_t)access->key.class << RT_PLACE_BITS | (uint64_t)place_of(access);
}

static void key_place(const struct rt_run *run, struct rt_use *use, const struct rt_access *access, const struct rt_plan_io *io, int64_t left)
{
	use->way = nameable(run, access, io, left) ? RT_USE_NAMED : RT_USE_INTERNED;
	use->name = plain_name(access);
	use->base = (uint64_t)access->key.class << RT_PLACE_BITS;
	use->sure = io && !access->io->unit && always_nameable(run, access->io);
}

/* Only parts of a way may exceed a plain name: a key's name depends on nothing but the key. */
uint64_t rt_use_name(struct rt_run *run, const struct rt_access *access)
{
	return nameable(run, access, NULL, 0) ? plain_name(access) : rt_intern_name(&run->intern, &run->preds, &access->key);
}

static void use_place(struct rt_run *run, struct rt_use *use, const struct rt_access *access, const struct rt_plan_io *io, struct rt_way way)
{
	if (run->overlap.lattices)
		cell_place(run, use, access, io, way);
	else
		key_place(run, use, access, io, way.left);
	if (run->versions.on && run->versions.renamed[use->tensor] && use->access == PTOWSP_WRITE && use->way == RT_USE_NAMED && !use->anew)
		use->way = RT_USE_VERSION;
}

void rt_uses_place(struct rt_run *run, struct rt_use *uses, uint32_t count, const struct rt_access *accesses, const struct rt_plan_io *ios, struct rt_way way)
{
	const struct rt_lattice *lattices = run->overlap.lattices;

	for (struct rt_use *use = uses; use < uses + count; use++) {
		const struct rt_plan_io *io = ios ? &ios[use->argument] : NULL;

		if (use->sure && !(lattices && lattices[use->tensor].pieces))
			use->name = use->base + (uint64_t)accesses[use->argument].start;
		else
			use_place(run, use, &accesses[use->argument], io, way);
		if (use->way != RT_USE_PIECES && use->way != RT_USE_INTERNED)
			rt_cells_fit(&run->cells, &run->track, use->name | (io ? use->step * way.stride : 0));
	}
}
