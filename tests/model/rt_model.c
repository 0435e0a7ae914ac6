/* SPDX-License-Identifier: MIT
 * rt_model.c - section 1: the program, walked. Section numbers in the comments of the model are those of the semantics. */
#include "tests/model/rt_model_parts.h"

#include <stdlib.h>
#include <string.h>
#include "ptowsp/caps.h"
#include "ptowsp/workload.h"
#include "tests/rt_builder.h"

/* ---- section 1: the program -------------------------------------------------------------------------------------- */

static void batch_flush(struct model *m)
{
	m->batches += m->fill > 0;
	m->flushes += m->fill > 0;
	m->fill = 0;
}

static void ahead_count(struct model *m, const struct model_task *t)
{
	const struct model_schedule *s = m->schedule;
	uint64_t map = t->map_need, deps = t->edge_count, ready = 1;

	for (int j = 0; j < m->count; j++) {
		map += m->tasks[j].map_need;
		deps += m->tasks[j].edge_count;
		ready += m->tasks[j].pool == t->pool;
	}
	if ((s->window && (uint64_t)m->count + 1 > s->window) || (s->map && map > s->map) || (s->deps && deps > s->deps) ||
	    (s->ready && ready > s->ready) || (uint64_t)m->count >= s->start)
		model_stop(m, PTOWSP_AGAIN);
}

static uint32_t kernel_at_level(const struct model *m, uint32_t kernel)
{
	const struct ptowsp_kernel_record *k = ROW(m, KREG, kernel, kernel);

	for (uint32_t i = 0; i < k->variant_count; i++)
		if (m->level != 32 && ROW(m, KVAR, variant, k->variants + i)->rows == m->level)
			return ROW(m, KVAR, variant, k->variants + i)->kernel;
	return kernel;
}

static void task_begin(struct model *m, struct model_task *t, uint32_t kernel)
{
	memset(t, 0, sizeof(*t));
	t->kernel = kernel_at_level(m, kernel);
	t->scope = m->scope_depth ? m->scope_stack[m->scope_depth - 1] : -1;
	t->order_count = m->order_depth;
	t->barrier = m->barrier;
	memcpy(t->order_instance, m->order_instance, sizeof(t->order_instance));
	memcpy(t->order_step, m->order_step, sizeof(t->order_step));
	for (int d = 0; d < m->schedule->depth_count; d++)
		for (int l = 0; m->schedule->depths[d].domain == MODEL_LOOP && l < m->loop_count; l++)
			t->in_depth[d] |= !strcmp(model_text(m, m->loop_names[l]), m->schedule->depths[d].loop);
}

static unsigned mode_of(unsigned opcode)
{
	switch (opcode) {
	case PTOWSP_OP_IO_INPUT: return PTOWSP_READ;
	case PTOWSP_OP_IO_OUTPUT: return PTOWSP_WRITE;
	case PTOWSP_OP_IO_INOUT: return PTOWSP_READ | PTOWSP_WRITE;
	}
	return 0;
}

/* The words behind a task: its cycles, and what it touches. */
static uint64_t words_read(struct model *m, const struct model_task *t, uint32_t at, uint32_t words, struct model_access *x)
{
	uint64_t cycles = 0;

	for (uint32_t w = 1; w <= words && !m->status; w++) {
		struct ptowsp_instruction arg = model_code(m, at + w);

		if (arg.opcode == PTOWSP_OP_PARAM_EXPR)
			cycles = (uint64_t)model_use(m, arg.operand2);
		else
			model_access_make(m, &x[arg.operand1], ROW(m, REGN, region, arg.operand2), mode_of(arg.opcode), arg.operand1, t->kernel);
	}
	return cycles;
}

/* Its edges, what it needs of each resource, and its elements for the search for races. */
static void needs_find(struct model *m, struct model_task *t, const struct model_access *x, int tensors)
{
	model_edges_find(m, t, x, tensors);
	for (int i = 0; i < tensors; i++)
		for (int e = 0; e < MODEL_ELEMENTS; e++) {
			t->reads[x[i].tensor] |= (uint64_t)x[i].read[e] << e;
			t->writes[x[i].tensor] |= (uint64_t)x[i].write[e] << e;
		}
	for (int j = 0; j < m->count; j++)
		t->edge_count += t->preds[j];
	if (m->schedule->overlap || m->schedule->exact)
		t->map_need = model_keys_distinct(x, tensors, PTOWSP_WRITE) + (m->schedule->full ? model_keys_distinct(x, tensors, PTOWSP_READ) : 0);
}

static void task_count(struct model *m, const struct model_task *t)
{
	m->edges += t->edge_count;
	m->count++;
	if (m->schedule->batch && ++m->fill == m->schedule->batch) {
		m->batches++;
		m->fill = 0;
	}
}

static uint32_t task_run(struct model *m, uint32_t at)
{
	static struct model_access x[16];
	struct ptowsp_instruction in = model_code(m, at);
	uint32_t tensors = in.operand2 & 0xFFFF, words = (in.operand2 >> 16) + tensors;
	struct model_task *t = &m->tasks[m->count];
	uint64_t cycles;

	if (m->count == MODEL_TASKS)
		abort();
	if ((uint64_t)m->count >= m->max_tasks)
		model_stop(m, PTOWSP_LIMIT);
	if (m->status)
		return at;
	task_begin(m, t, in.operand1);
	cycles = words_read(m, t, at, words, x);
	if (m->status)
		return at;
	needs_find(m, t, x, (int)tensors);
	model_place(m, t);
	if (m->ahead)
		ahead_count(m, t);
	else if (!m->status)
		model_time_task(m, t, cycles);
	if (m->status)
		return at;
	if (!m->ahead)
		model_body_run(m, x, (int)tensors, t->kernel);
	memcpy(t->awaits, m->awaited, sizeof(t->awaits));
	memset(m->awaited, 0, sizeof(m->awaited));
	task_count(m, t);
	return at + 1 + words;
}

static void slot_load(struct model *m, struct ptowsp_instruction in)
{
	const struct ptowsp_region_record *region = ROW(m, REGN, region, in.operand2);
	int64_t row = model_eval(m, region->row), column = model_eval(m, region->column), element = -1;
	int writer;

	batch_flush(m);
	if (!model_far(row) && !model_far(column))
		element = row * (int64_t)(region->unit ? region->unit : m->tensor_columns[region->tensor]) + column;
	if (element < 0 || (uint64_t)element >= m->tensor_rows[region->tensor] * m->tensor_columns[region->tensor])
		model_stop(m, PTOWSP_RUN_FAILED);
	if (!region->unit && (row < 0 || column < 0 || row + region->rows > (int64_t)m->tensor_rows[region->tensor] ||
			      column + region->columns > (int64_t)m->tensor_columns[region->tensor]))
		model_stop(m, PTOWSP_RUN_FAILED);
	if (m->status)
		return;
	writer = m->writer[region->tensor][element];
	m->known[in.operand1] = model_later(m->a, writer < 0 ? 0 : m->tasks[writer].end);
	m->pending[in.operand1] = writer >= 0;
	memset(m->slot_writers[in.operand1], 0, sizeof(m->slot_writers[0]));
	if (writer >= 0)
		m->slot_writers[in.operand1][writer] = true;
	m->slots[in.operand1] = m->tensor_data[region->tensor][element];
}

static void block(struct model *m, uint32_t at, uint32_t end);

static void order_enter(struct model *m)
{
	m->order_instance[m->order_depth] = m->order_total++;
	m->order_step[m->order_depth++] = 0;
	if (m->order_depth == MODEL_ORDERS)
		abort();
}

static void order_next(struct model *m)
{
	batch_flush(m);
	m->order_step[m->order_depth - 1]++;
}

static void iteration(struct model *m, uint32_t at, uint32_t end, int64_t value, int64_t level, bool *first)
{
	int64_t outer = m->level;
	bool ordered = model_code(m, at).opcode == PTOWSP_OP_FOR_EACH;

	if (ordered && !*first)
		order_next(m);
	*first = false;
	m->loops[m->loop_count - 1] = value;
	if (outer == 32)
		m->level = level;
	block(m, at + 1, end);
	m->level = outer;
}

static int64_t rows_of(const struct model *m, uint32_t levels, int64_t size)
{
	const struct ptowsp_levels_record *l = ROW(m, TLVL, levels, levels);

	for (uint32_t i = 0; i < l->count; i++)
		if (ROW(m, LVLS, level, l->first + i)->block == size)
			return ROW(m, LVLS, level, l->first + i)->rows;
	return 32;
}

static void leveled(struct model *m, uint32_t at, uint32_t end, int64_t n, uint32_t levels, bool *first)
{
	const struct ptowsp_levels_record *l = ROW(m, TLVL, levels, levels);
	int64_t base = 0, size = l->max_range, rest = n % size;

	for (int64_t b = 0; b < n / (int64_t)l->max_range; b++, base += size)
		for (int64_t i = 0, r = rows_of(m, levels, size); i < size / (r / 32) && !m->status; i++)
			iteration(m, at, end, base + i * (r / 32), r, first);
	for (size /= 2; size >= (int64_t)l->min_range; size /= 2)
		if (rest & size) {
			for (int64_t i = 0, r = rows_of(m, levels, size); i < size / (r / 32) && !m->status; i++)
				iteration(m, at, end, base + i * (r / 32), r, first);
			base += size;
		}
	for (int64_t i = 0; i < (n & ((int64_t)l->min_range - 1)) && !m->status; i++)
		iteration(m, at, end, base + i, 32, first);
}

static uint32_t loop(struct model *m, uint32_t at)
{
	struct ptowsp_instruction in = model_code(m, at);
	const struct ptowsp_axis_record *axis = ROW(m, AXES, axis, in.operand1);
	int64_t low = model_use(m, axis->low), high = model_use(m, axis->high), step = model_use(m, axis->step);
	bool ordered = in.opcode == PTOWSP_OP_FOR_EACH, first = true;

	if (!m->status && (step < 1 || (axis->levels != PTOWSP_NONE && (low || step != 1))))
		model_stop(m, PTOWSP_RUN_FAILED);
	if (m->status || low >= high)
		return in.operand2;
	m->loop_names[m->loop_count] = axis->name;
	m->loop_parallel[m->loop_count++] = !ordered;
	if (ordered)
		order_enter(m);
	if (axis->levels != PTOWSP_NONE)
		leveled(m, at, in.operand2, high, axis->levels, &first);
	else
		for (int64_t v = low; v < high && !m->status; v += step)
			iteration(m, at, in.operand2, v, m->level, &first);
	m->order_depth -= ordered;
	m->loop_count--;
	return in.operand2;
}

static uint32_t sequential(struct model *m, uint32_t at)
{
	uint32_t steps = model_code(m, at).operand1, from = at + 1 + steps;

	order_enter(m);
	for (uint32_t s = 0; s < steps && !m->status; s++) {
		if (s)
			order_next(m);
		block(m, from, model_code(m, at + 1 + s).operand2);
		from = model_code(m, at + 1 + s).operand2;
	}
	m->order_depth--;
	return from;
}

static uint32_t scope(struct model *m, uint32_t at)
{
	uint32_t end = model_code(m, at).operand2;
	int instance = m->scope_count++;

	if (m->scope_count == MODEL_SCOPES)
		abort();
	m->scope_open[instance] = true;
	m->scope_parent[instance] = m->scope_depth ? m->scope_stack[m->scope_depth - 1] : -1;
	m->scope_stack[m->scope_depth++] = instance;
	block(m, at + 1, end);
	m->scope_depth--;
	if (!m->status) {
		batch_flush(m);
		m->scope_open[instance] = false;
		m->scope_close[instance] = m->a;
	}
	return end;
}

static uint32_t cond(struct model *m, uint32_t at)
{
	uint32_t middle = model_code(m, at + 1).operand2, end = model_code(m, at + 2).operand2;

	if (model_use(m, model_code(m, at).operand2))
		block(m, at + 3, middle);
	else
		block(m, middle, end);
	return end;
}

static uint32_t slot_set(struct model *m, uint32_t at)
{
	struct ptowsp_instruction in = model_code(m, at);
	bool pending = false;
	uint64_t v;

	memset(m->reading, 0, sizeof(m->reading));
	v = model_reads(m, in.operand2, &pending);
	memcpy(m->slot_writers[in.operand1], m->reading, sizeof(m->reading));
	m->pending[in.operand1] = pending;
	m->known[in.operand1] = model_later(m->a, v);
	m->slots[in.operand1] = m->ahead && pending ? 0 : (uint64_t)model_eval(m, in.operand2);
	return at + 1;
}

/* One event: a signal says that all tasks before it are to end before what follows its wait is generated. */
static void sync(struct model *m, unsigned opcode)
{
	if (opcode == PTOWSP_OP_BARRIER) {
		m->barrier = m->count;
		m->barrier_time = m->total;
	} else if (opcode == PTOWSP_OP_SIGNAL) {
		m->signal_tasks = m->count;
		m->signal_time = model_later(m->a, m->total);
	} else {
		m->a = model_later(m->a, m->signal_time);
		for (int i = 0; i < m->signal_tasks; i++)
			m->awaited[i] = true;
		if (m->ahead && m->signal_tasks)
			model_stop(m, PTOWSP_AGAIN);
	}
}

static void block(struct model *m, uint32_t at, uint32_t end)
{
	while (at < end && !m->status) {
		struct ptowsp_instruction in = model_code(m, at);

		switch (in.opcode) {
		case PTOWSP_OP_PARALLEL_FOR:
		case PTOWSP_OP_FOR_EACH: at = loop(m, at); break;
		case PTOWSP_OP_COND: at = cond(m, at); break;
		case PTOWSP_OP_SEQUENTIAL: at = sequential(m, at); break;
		case PTOWSP_OP_COMBINE: at += 1 + in.operand1; break;
		case PTOWSP_OP_SCOPE: at = scope(m, at); break;
		case PTOWSP_OP_TASK: at = task_run(m, at); break;
		case PTOWSP_OP_BARRIER:
		case PTOWSP_OP_SIGNAL:
		case PTOWSP_OP_WAIT:
			sync(m, in.opcode);
			at++;
			break;
		case PTOWSP_OP_SLOT_SET: at = slot_set(m, at); break;
		case PTOWSP_OP_SLOT_LOAD:
			slot_load(m, in);
			at++;
			break;
		case PTOWSP_OP_HALT: return;
		default: at++;
		}
	}
}

static void clear(struct model *m)
{
	uint32_t slots;

	memset(&m->status, 0, sizeof(*m) - offsetof(struct model, status));
	model_rows(m, PTOWSP_SECTION_SLOT, &slots);
	memcpy(m->slots, m->values, slots * sizeof(*m->slots));
	memset(m->writer, 0xFF, sizeof(m->writer));
	m->level = 32;
	m->pools = m->schedule->pools == MODEL_BY_EXPR ? 0 : m->schedule->pools == MODEL_SINGLE ? 1 : 2;
	for (unsigned u = PTOWSP_UNIT_ANY; m->schedule->pools == MODEL_BY_UNIT && u <= PTOWSP_UNIT_AIE_CORE; u++)
		m->pools += u != PTOWSP_UNIT_ANY && u != PTOWSP_UNIT_AIV && u != PTOWSP_UNIT_AIC && model_unit_named(m, (uint16_t)u);
}

void rt_model_run(struct model *m)
{
	uint64_t floor = 0;

	if (m->schedule->start > 1) {
		clear(m);
		m->ahead = true;
		block(m, 0, UINT32_MAX);
		floor = m->count ? (uint64_t)(m->count - 1) * m->schedule->spacing : 0;
	}
	clear(m);
	m->floor = floor;
	block(m, 0, UINT32_MAX);
	batch_flush(m);
	model_race_find(m);
}
