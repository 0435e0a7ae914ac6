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
			uses[i].access |= bits;
			return count;
		}
	uses[count] = (struct rt_use){.access = bits, .argument = argument};
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
	rt_uses_place(run, uses_out, count, accesses, 0);
	return count;
}

static void cell_place(struct rt_run *run, struct rt_use *use, const struct rt_access *access, uint64_t stride)
{
	struct rt_shape shape;
	int64_t behind;

	use->key = (struct rt_key){access->key.row, access->key.column, access->io->tensor};
	use->cell = shape_of(access, use->access, &shape, &behind);
	if (access->io->unit) {
		use->key.row = 0;
		use->key.column = access->start + behind;
	}
	if (use->cell)
		use->cell = rt_overlap_admit(&run->overlap, &run->track, access->io->tensor, &shape, use->key.row, use->key.column,
					     use->row_step * stride, use->column_step * stride);
	else
		rt_overlap_divide(&run->overlap, &run->track, access->io->tensor);
}

void rt_uses_place(struct rt_run *run, struct rt_use *uses, uint32_t count, const struct rt_access *accesses, uint64_t stride)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct rt_access *access = &accesses[uses[i].argument];

		if (run->overlap.lattices)
			cell_place(run, &uses[i], access, stride);
		else
			uses[i].key = access->key;
		uses[i].hash = rt_key_hash(&uses[i].key);
	}
}
