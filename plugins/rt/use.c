/* SPDX-License-Identifier: MIT */
#include "rt/use.h"

#include "rt/run.h"

/* Reads of what nobody writes, and with raw hazards writes of what nobody reads, can make no edge. */
static unsigned that_matters(const struct rt_run *run, const struct rt_io *io)
{
	uint8_t others = run->program->tensor_access[io->tensor];
	unsigned bits = io->access;

	if (!(others & PTOWSP_WRITE))
		bits &= ~(unsigned)PTOWSP_READ;
	if (!run->program->schedule.full && !(others & PTOWSP_READ))
		bits &= ~(unsigned)PTOWSP_WRITE;
	return bits;
}

/* What an access covers behind its start, if that is one piece. */
static bool shape_of(const struct rt_access *access, unsigned bit, struct rt_shape *shape_out, int64_t *behind_out)
{
	const struct rt_io *io = access->io;
	const struct rt_touched *touched = access->touched;
	const struct rt_span *span;

	*behind_out = 0;
	*shape_out = (struct rt_shape){io->rows, io->columns};
	if (!io->unit)
		return io->rows && io->columns;
	if (!touched || (bit & PTOWSP_READ ? touched->read_count : touched->write_count) != 1)
		return false;
	span = access->spans + (bit & PTOWSP_READ ? touched->read : touched->write);
	*behind_out = span->start;
	*shape_out = (struct rt_shape){0, span->end - span->start};
	return span->end != RT_FAR && span->end > span->start;
}

/* Read and written elements are the same piece. */
static bool one_shape(const struct rt_access *access)
{
	struct rt_shape read, written;
	int64_t behind_read, behind_written;

	return shape_of(access, PTOWSP_READ, &read, &behind_read) && shape_of(access, PTOWSP_WRITE, &written, &behind_written) &&
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
	return a->io->unit == b->io->unit && shape_of(a, a->io->access, &x, &behind_x) && shape_of(b, b->io->access, &y, &behind_y) &&
	       x.columns == y.columns && x.rows == y.rows && behind_x == behind_y;
}

static uint32_t use_add(const struct rt_run *run, const struct rt_access *accesses, uint32_t argument, unsigned bits,
			struct rt_use *uses, uint32_t count)
{
	bool merge = !run->overlap.lattices || accesses[argument].io->access != (PTOWSP_READ | PTOWSP_WRITE) || one_shape(&accesses[argument]);

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
static void uses_sort(struct rt_use *uses, uint32_t count)
{
	static const uint8_t rank[] = {0, 0, 2, 1}; /* by access */

	for (uint32_t i = 1; i < count; i++) {
		struct rt_use use = uses[i];
		uint32_t at = i;

		for (; at && rank[uses[at - 1].access] > rank[use.access]; at--)
			uses[at] = uses[at - 1];
		uses[at] = use;
	}
}

uint32_t rt_uses_make(struct rt_run *run, const struct rt_site *site, const struct rt_access *accesses, struct rt_use *uses_out)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < site->io_count; i++) {
		unsigned bits = that_matters(run, accesses[i].io);

		if (run->overlap.lattices && bits == (PTOWSP_READ | PTOWSP_WRITE) && !one_shape(&accesses[i])) {
			count = use_add(run, accesses, i, PTOWSP_READ, uses_out, count);
			bits = PTOWSP_WRITE;
		}
		count = use_add(run, accesses, i, bits, uses_out, count);
	}
	uses_sort(uses_out, count);
	for (struct rt_use *use = uses_out; use < uses_out + count; use++) {
		use->version = run->versions.on && run->versions.renamed[use->tensor] && use->access == PTOWSP_WRITE;
		rt_use_place(run, use, &accesses[use->argument], NULL);
	}
	return count;
}

/* ---- names ----------------------------------------------------------------------------------------------------- */

static bool within(int64_t value, uint64_t limit)
{
	return (uint64_t)value < limit;
}

/* Columns of a flat window's key in a name: those of a tile's step, while the callee's tile plays no part in a key. */
#define FLAT_COLUMNS (UINT64_C(1) << 16)
#define PLACES (UINT64_C(1) << RT_PLACE_BITS)

static uint64_t name_columns(const struct rt_run *run, const struct rt_io *io)
{
	return io->unit ? FLAT_COLUMNS : (uint64_t)run->tensors.rows[io->tensor].columns;
}

/* Row and column as one number. */
static int64_t place_of(const struct rt_access *access)
{
	return access->io->unit ? (int64_t)((uint64_t)access->key.row * FLAT_COLUMNS + (uint64_t)access->key.column) : access->start;
}

/* Does it fit into a name, and can row and column be told from it? */
static bool nameable(const struct rt_run *run, const struct rt_access *access)
{
	uint64_t columns = name_columns(run, access->io), limit = columns ? PLACES / columns : 0;

	return within(access->key.row, limit) && within(access->key.column, columns);
}

/* Every access of the plan that lies inside its tensor fits into a name. */
static bool always_nameable(const struct rt_run *run, const struct rt_io *io)
{
	return io->unit || run->tensors.rows[io->tensor].elements <= PLACES;
}

static bool shape_equal(const struct rt_shape *a, const struct rt_shape *b)
{
	return a->rows == b->rows && a->columns == b->columns;
}

static void cell_place(struct rt_run *run, struct rt_use *use, const struct rt_access *access, const struct rt_plan_io *io)
{
	struct rt_overlap *map = &run->overlap;
	const struct rt_lattice *lattice = &map->lattices[use->tensor];
	bool line = access->io->unit != 0;
	struct rt_shape shape;
	int64_t behind;
	bool cell = shape_of(access, use->access, &shape, &behind) && (line ? within(access->start + behind, PLACES) : nameable(run, access));

	use->base = ((uint64_t)use->tensor << RT_PLACE_BITS) + (uint64_t)behind;
	use->name = use->base + (uint64_t)access->start;
	if (!cell)
		rt_overlap_divide(map, &run->track, use->tensor);
	else if (lattice->pieces || !lattice->begun || !shape_equal(&shape, &lattice->shape) || !rt_cells_find(&map->cells, use->name)) /* else it was admitted */
		cell = rt_overlap_admit(map, &run->track, use->tensor, &shape, line ? 0 : access->key.row, line ? access->start + behind : access->key.column);
	use->way = cell ? RT_USE_NAMED : RT_USE_PIECES;
	if (!cell || !io || use->asked)
		return;
	use->asked = true;
	use->sure = always_nameable(run, access->io) &&
		    rt_overlap_covers(map, use->tensor, line ? 0 : io->row_step, line ? io->row_step * (uint64_t)io->pitch | io->column_step : io->column_step);
}

static uint64_t plain_name(const struct rt_access *access)
{
	return ((uint64_t)access->key.class << RT_PLACE_BITS) + (uint64_t)place_of(access);
}

static void key_place(const struct rt_run *run, struct rt_use *use, const struct rt_access *access, const struct rt_plan_io *io)
{
	use->way = nameable(run, access) ? RT_USE_NAMED : RT_USE_INTERNED;
	use->name = plain_name(access);
	use->base = (uint64_t)access->key.class << RT_PLACE_BITS;
	use->sure = io && !access->io->unit && always_nameable(run, access->io);
}

uint64_t rt_use_name(struct rt_run *run, const struct rt_access *access)
{
	return nameable(run, access) ? plain_name(access) : rt_intern_name(&run->intern, &run->preds, &access->key);
}

void rt_use_place(struct rt_run *run, struct rt_use *use, const struct rt_access *access, const struct rt_plan_io *io)
{
	if (run->overlap.lattices)
		cell_place(run, use, access, io);
	else
		key_place(run, use, access, io);
	if (use->version && use->way == RT_USE_NAMED)
		use->way = RT_USE_VERSION;
}
