/* SPDX-License-Identifier: MIT
 * rt_model_access.c - section 2: what a task touches, which edges and races that makes, and what a test kernel does (see rt_builder_kernels.c). */
#include "tests/model/rt_model_parts.h"

#include <stdlib.h>
#include <string.h>
#include "tests/rt_builder.h"

static void touch(struct model *m, struct model_access *x, int64_t element, unsigned bits)
{
	if (element < 0 || (uint64_t)element >= m->tensor_rows[x->tensor] * m->tensor_columns[x->tensor]) {
		model_stop(m, PTOWSP_RUN_FAILED);
		return;
	}
	x->read[element] |= bits & PTOWSP_READ;
	x->write[element] |= (bits & PTOWSP_WRITE) != 0;
}

void model_access_make(struct model *m, struct model_access *x, const struct ptowsp_region_record *region, unsigned mode, uint32_t arg,
			uint32_t kernel)
{
	int64_t row = model_use(m, region->row), column = model_use(m, region->column), columns = (int64_t)m->tensor_columns[region->tensor];
	const struct model_kernel *k = &m->kernels[kernel];

	memset(x, 0, sizeof(*x));
	x->tensor = region->tensor;
	x->mode = mode;
	x->region = region;
	x->key = (struct model_key){.tensor = region->tensor, .row = row, .column = column, .rows = region->rows,
				    .columns = region->columns, .writer = -1};
	if (model_far(row) || model_far(column))
		model_stop(m, PTOWSP_RUN_FAILED);
	if (m->status)
		return;
	if (!region->unit) {
		x->start = row * columns + column;
		for (int64_t r = 0; r < region->rows; r++)
			for (int64_t c = 0; c < region->columns; c++)
				touch(m, x, column + c < columns ? (row + r) * columns + column + c : -1, mode);
		return;
	}
	x->key.rows = -1;
	x->key.columns = m->level;
	x->start = row * region->unit + column;
	for (int i = 0; i < k->touch_count; i++)
		for (int64_t e = 0; k->touches[i].arg == arg && e < k->touches[i].length; e++)
			touch(m, x, x->start + k->touches[i].offset + e, k->touches[i].access & mode);
}

static bool same_key(const struct model_key *a, const struct model_key *b)
{
	return a->tensor == b->tensor && a->row == b->row && a->column == b->column && a->rows == b->rows && a->columns == b->columns;
}

static struct model_key *key_find(struct model *m, const struct model_key *key)
{
	int i = 0;

	while (i < m->key_count && !same_key(&m->keys[i], key))
		i++;
	if (i == MODEL_KEYS)
		abort();
	if (i == m->key_count)
		m->keys[m->key_count++] = *key;
	return &m->keys[i];
}

static void edge(const struct model *m, struct model_task *t, int from)
{
	bool live = !m->schedule->window || from > m->count - (int)m->schedule->window;

	if (from >= 0 && from < m->count && live)
		t->preds[from] = true;
}

static void cell_read(struct model *m, struct model_task *t, int *writer, bool *readers)
{
	edge(m, t, *writer);
	readers[m->count] = true;
}

static void cell_write(struct model *m, struct model_task *t, int *writer, bool *readers)
{
	if (m->schedule->full) {
		edge(m, t, *writer);
		for (int r = 0; r < m->count; r++)
			if (readers[r])
				edge(m, t, r);
	}
	*writer = m->count;
	memset(readers, 0, MODEL_TASKS * sizeof(*readers));
}

/* Reads before writes. Elements are always entered, for slot_load; their edges count under bytes_overlap only. */
void model_edges_find(struct model *m, struct model_task *t, const struct model_access *x, int count)
{
	struct model_task ignored;

	for (int phase = 0; phase < 2; phase++)
		for (int i = 0; i < count; i++) {
			if (m->schedule->exact && x[i].mode & (phase ? PTOWSP_WRITE : PTOWSP_READ)) {
				struct model_key *k = key_find(m, &x[i].key);

				(phase ? cell_write : cell_read)(m, t, &k->writer, k->readers);
			}
			for (int e = 0; e < MODEL_ELEMENTS; e++)
				if (phase ? x[i].write[e] : x[i].read[e])
					(phase ? cell_write : cell_read)(m, m->schedule->overlap ? t : &ignored,
									 &m->writer[x[i].tensor][e], m->reader[x[i].tensor][e]);
		}
}

uint64_t model_keys_distinct(const struct model_access *x, int count, unsigned bit)
{
	uint64_t n = 0;

	for (int i = 0; i < count; i++) {
		bool first = x[i].mode & bit;

		for (int k = 0; k < i; k++)
			if (x[k].mode & bit && same_key(&x[k].key, &x[i].key))
				first = false;
		n += first;
	}
	return n;
}

static uint64_t element_visit(struct model *m, const struct model_access *x, int64_t at, int64_t index, unsigned bit, uint64_t state)
{
	uint64_t *element = &m->tensor_data[x->tensor][at];

	if (bit == PTOWSP_READ)
		return builder_fold(state, *element);
	*element = builder_fold(state, (uint64_t)index);
	return state;
}

static uint64_t access_visit(struct model *m, const struct model_access *x, uint32_t arg, uint32_t kernel, unsigned bit, uint64_t state)
{
	const struct model_kernel *k = &m->kernels[kernel];
	int64_t columns = (int64_t)m->tensor_columns[x->tensor];

	if (!(x->mode & bit))
		return state;
	for (int64_t r = 0; !k->touch_count && r < x->region->rows; r++)
		for (int64_t c = 0; c < x->region->columns; c++)
			state = element_visit(m, x, x->start + r * columns + c, r * columns + c, bit, state);
	for (int i = 0; i < k->touch_count; i++)
		for (int64_t e = 0; k->touches[i].arg == arg && k->touches[i].access & bit && e < k->touches[i].length; e++)
			state = element_visit(m, x, x->start + k->touches[i].offset + e, k->touches[i].offset + e, bit, state);
	return state;
}

void model_body_run(struct model *m, const struct model_access *x, int count, uint32_t kernel)
{
	uint64_t state = (uint64_t)m->count + 1;

	for (int i = 0; i < count; i++)
		state = access_visit(m, &x[i], (uint32_t)i, kernel, PTOWSP_READ, state);
	for (int i = 0; i < count; i++)
		state = access_visit(m, &x[i], (uint32_t)i, kernel, PTOWSP_WRITE, builder_fold(state, (uint64_t)i));
}

static bool conflict(const struct model_task *p, const struct model_task *i)
{
	for (int t = 0; t < MODEL_TENSORS; t++)
		if ((p->writes[t] & (i->reads[t] | i->writes[t])) || (p->reads[t] & i->writes[t]))
			return true;
	return false;
}

static bool barrier(const struct model_task *p, const struct model_task *i)
{
	for (int x = 0; x < p->order_count; x++)
		for (int y = 0; y < i->order_count; y++)
			if (p->order_instance[x] == i->order_instance[y] && p->order_step[x] < i->order_step[y])
				return true;
	return false;
}

void model_race_find(struct model *m)
{
	static uint64_t before[MODEL_TASKS][MODEL_TASKS / 64];

	m->race = -1;
	for (int i = 0; i < m->count && m->race < 0; i++) {
		const struct model_task *t = &m->tasks[i];

		memset(before[i], 0, sizeof(before[i]));
		for (int p = 0; p < i; p++)
			if (t->preds[p] || barrier(&m->tasks[p], t) || (m->schedule->streams && m->tasks[p].stream == t->stream)) {
				before[i][p / 64] |= UINT64_C(1) << p % 64;
				for (int w = 0; w < MODEL_TASKS / 64; w++)
					before[i][w] |= before[p][w];
			}
		for (int p = 0; p < i; p++)
			if ((!m->schedule->window || p > i - (int)m->schedule->window) && !(before[i][p / 64] >> p % 64 & 1) &&
			    conflict(&m->tasks[p], t))
				m->race = i;
	}
}
