/* SPDX-License-Identifier: MIT
 * rt_model.c - see rt_model.h. Section numbers in comments are those of the semantics. */
#include "tests/model/rt_model.h"

#include <stdlib.h>
#include <string.h>
#include "ptowsp/caps.h"
#include "ptowsp/workload.h"
#include "tests/rt_builder.h"

/* ---- reading sections -------------------------------------------------------------------------------------------- */

static const void *rows(const struct model *m, uint32_t type, uint32_t *count_out)
{
	for (uint32_t i = 0; i < m->section_count; i++)
		if (m->sections[i].type == type) {
			if (count_out)
				*count_out = (uint32_t)m->sections[i].count;
			return m->sections[i].data;
		}
	if (count_out)
		*count_out = 0;
	return NULL;
}
#define ROW(m, SECT, record, i) ((const struct ptowsp_##record##_record *)rows(m, PTOWSP_SECTION_##SECT, NULL) + (i))

static struct ptowsp_instruction code(const struct model *m, uint32_t at)
{
	struct ptowsp_instruction in;

	memcpy(&in, (const char *)rows(m, PTOWSP_SECTION_WORK, NULL) + 24 + at * 8, 8);
	return in;
}

static const char *text(const struct model *m, uint32_t at)
{
	return (const char *)rows(m, PTOWSP_SECTION_STRS, NULL) + at;
}

/* ---- section 8: expressions -------------------------------------------------------------------------------------- */

static void stop(struct model *m, ptowsp_status status)
{
	if (!m->status) {
		m->status = status;
		m->stopped_at = m->count;
	}
}

static int64_t eval(struct model *m, uint32_t row)
{
	const struct ptowsp_expr_record e = *ROW(m, EXPR, expr, row);
	int64_t a, b, value = 0;

	switch (e.op) {
	case PTOWSP_EXPR_CONST: return (int64_t)((uint64_t)e.c << 32 | e.b);
	case PTOWSP_EXPR_LOOP: return (int)e.a < m->loop_count ? m->loops[e.a] : 0;
	case PTOWSP_EXPR_VALUE: return (int64_t)m->slots[e.a];
	case PTOWSP_EXPR_TASK: return m->count;
	case PTOWSP_EXPR_AXIS:
		for (int d = 0; d < m->loop_count; d++)
			if (!strcmp(text(m, m->loop_names[d]), text(m, e.a)))
				value = m->loops[d];
		return value;
	}
	a = eval(m, e.a);
	if (e.op == PTOWSP_EXPR_NEG)
		return (int64_t)-(uint64_t)a;
	if (e.op == PTOWSP_EXPR_NOT)
		return ~a;
	if (e.op == PTOWSP_EXPR_LNOT)
		return !a;
	b = eval(m, e.b);
	switch (e.op) {
	case PTOWSP_EXPR_ADD: return (int64_t)((uint64_t)a + (uint64_t)b);
	case PTOWSP_EXPR_SUB: return (int64_t)((uint64_t)a - (uint64_t)b);
	case PTOWSP_EXPR_MUL: return (int64_t)((uint64_t)a * (uint64_t)b);
	case PTOWSP_EXPR_DIV:
	case PTOWSP_EXPR_MOD:
		if (!b) {
			stop(m, PTOWSP_RUN_FAILED);
			return 0;
		}
		if (a == INT64_MIN && b == -1)
			return e.op == PTOWSP_EXPR_DIV ? a : 0;
		return e.op == PTOWSP_EXPR_DIV ? a / b : a % b;
	case PTOWSP_EXPR_MIN: return a < b ? a : b;
	case PTOWSP_EXPR_MAX: return a > b ? a : b;
	case PTOWSP_EXPR_AND: return a & b;
	case PTOWSP_EXPR_OR: return a | b;
	case PTOWSP_EXPR_XOR: return a ^ b;
	case PTOWSP_EXPR_SHL: return (int64_t)((uint64_t)a << (b & 63));
	case PTOWSP_EXPR_SHR: return a >> (b & 63); /* arithmetic with the compilers we use */
	case PTOWSP_EXPR_EQ: return a == b;
	case PTOWSP_EXPR_NE: return a != b;
	case PTOWSP_EXPR_LT: return a < b;
	case PTOWSP_EXPR_LE: return a <= b;
	case PTOWSP_EXPR_GT: return a > b;
	case PTOWSP_EXPR_GE: return a >= b;
	case PTOWSP_EXPR_LAND: return a && b;
	case PTOWSP_EXPR_LOR: return a || b;
	}
	value = eval(m, e.c);
	return a ? b : value;
}

/* Largest V among the slots that an expression reads; *pending_out: one of them waits for a task. */
static uint64_t reads(struct model *m, uint32_t row, bool *pending_out)
{
	const struct ptowsp_expr_record e = *ROW(m, EXPR, expr, row);
	unsigned operands = e.op < 0x10 ? 0 : e.op < 0x30 ? 2 : e.op == PTOWSP_EXPR_SELECT ? 3 : 1;
	uint32_t refs[3] = {e.a, e.b, e.c};
	uint64_t most = 0, one;

	if (e.op == PTOWSP_EXPR_VALUE) {
		*pending_out |= m->pending[e.a];
		return m->known[e.a];
	}
	for (unsigned k = 0; k < operands; k++) {
		one = reads(m, refs[k], pending_out);
		most = one > most ? one : most;
	}
	return most;
}

/* The expander evaluates: its slots move the issue clock. */
static int64_t use(struct model *m, uint32_t row)
{
	bool pending = false;
	uint64_t v = reads(m, row, &pending);

	if (v > m->a)
		m->a = v;
	if (m->ahead && pending)
		stop(m, PTOWSP_AGAIN);
	return m->status ? 0 : eval(m, row);
}

/* ---- section 2: accesses ----------------------------------------------------------------------------------------- */

struct access {
	uint32_t tensor;
	unsigned mode;
	struct model_key key;
	bool read[MODEL_ELEMENTS], write[MODEL_ELEMENTS];
	int64_t start;
	const struct ptowsp_region_record *region;
};

static void touch(struct model *m, struct access *x, int64_t element, unsigned bits)
{
	if (element < 0 || (uint64_t)element >= m->tensor_rows[x->tensor] * m->tensor_columns[x->tensor]) {
		stop(m, PTOWSP_RUN_FAILED);
		return;
	}
	x->read[element] |= bits & PTOWSP_READ;
	x->write[element] |= (bits & PTOWSP_WRITE) != 0;
}

/* Outside every tensor of a test, and too large to multiply. */
static bool far(int64_t position)
{
	return position > 1000000 || position < -1000000;
}

static void access_make(struct model *m, struct access *x, const struct ptowsp_region_record *region, unsigned mode, uint32_t arg,
			uint32_t kernel)
{
	int64_t row = use(m, region->row), column = use(m, region->column), columns = (int64_t)m->tensor_columns[region->tensor];
	const struct model_kernel *k = &m->kernels[kernel];

	memset(x, 0, sizeof(*x));
	x->tensor = region->tensor;
	x->mode = mode;
	x->region = region;
	x->key = (struct model_key){.tensor = region->tensor, .row = row, .column = column, .rows = region->rows,
				    .columns = region->columns, .writer = -1};
	if (far(row) || far(column))
		stop(m, PTOWSP_RUN_FAILED);
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
static void edges_find(struct model *m, struct model_task *t, const struct access *x, int count)
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

static uint64_t distinct(const struct access *x, int count, unsigned bit)
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

/* ---- what a test kernel does: see rt_builder_kernels.c ------------------------------------------------------------------- */

static uint64_t element_visit(struct model *m, const struct access *x, int64_t at, int64_t index, unsigned bit, uint64_t state)
{
	uint64_t *element = &m->tensor_data[x->tensor][at];

	if (bit == PTOWSP_READ)
		return builder_fold(state, *element);
	*element = builder_fold(state, (uint64_t)index);
	return state;
}

static uint64_t access_visit(struct model *m, const struct access *x, uint32_t arg, uint32_t kernel, unsigned bit, uint64_t state)
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

static void body_run(struct model *m, const struct access *x, int count, uint32_t kernel)
{
	uint64_t state = (uint64_t)m->count + 1;

	for (int i = 0; i < count; i++)
		state = access_visit(m, &x[i], (uint32_t)i, kernel, PTOWSP_READ, state);
	for (int i = 0; i < count; i++)
		state = access_visit(m, &x[i], (uint32_t)i, kernel, PTOWSP_WRITE, builder_fold(state, (uint64_t)i));
}

/* ---- section 4: where a task goes -------------------------------------------------------------------------------- */

static uint64_t mod(int64_t v, int64_t n)
{
	return (uint64_t)((v % n + n) % n);
}

static uint64_t free_time(const struct model *m, uint64_t executor)
{
	uint64_t time = 0;

	for (int j = 0; j < m->count; j++)
		if (m->tasks[j].executor == executor)
			time = m->tasks[j].end;
	return time;
}

static uint64_t least_free(const struct model *m, uint64_t pool, uint64_t *time_out)
{
	uint64_t best = 0;

	for (uint64_t e = 1; e < (uint64_t)m->schedule->executors; e++)
		if (free_time(m, pool * (uint64_t)m->schedule->executors + e) < free_time(m, pool * (uint64_t)m->schedule->executors + best))
			best = e;
	*time_out = free_time(m, pool * (uint64_t)m->schedule->executors + best);
	return best;
}

/* A task of the program names a kernel of this unit. */
static bool unit_named(const struct model *m, uint16_t unit)
{
	struct ptowsp_instruction in;

	for (uint32_t at = 0; (in = code(m, at)).opcode != PTOWSP_OP_HALT; at++)
		if (in.opcode == PTOWSP_OP_TASK && ROW(m, KREG, kernel, in.operand1)->unit == unit)
			return true;
	return false;
}

static uint64_t pool_of(struct model *m, uint32_t kernel)
{
	static const uint16_t order[] = {PTOWSP_UNIT_AIV, PTOWSP_UNIT_AIC, PTOWSP_UNIT_AIC_AIV, PTOWSP_UNIT_HOST, PTOWSP_UNIT_AICPU,
					 PTOWSP_UNIT_AIE_CORE};
	uint64_t vector, cube, pool = 0;
	uint16_t unit = ROW(m, KREG, kernel, kernel)->unit;

	if (m->schedule->pools == MODEL_BY_EXPR)
		return (uint64_t)use(m, m->schedule->pool_expr);
	if (m->schedule->pools == MODEL_SINGLE)
		return 0;
	if (unit == PTOWSP_UNIT_ANY) {
		least_free(m, 0, &vector);
		least_free(m, 1, &cube);
		return cube < vector;
	}
	for (int u = 0; u < 6 && order[u] != unit; u++)
		pool += u < 2 || unit_named(m, order[u]);
	return pool;
}

static uint64_t hash64(uint64_t z)
{
	z ^= z >> 30;
	z *= 0xBF58476D1CE4E5B9u;
	z ^= z >> 27;
	z *= 0x94D049BB133111EBu;
	return z ^ z >> 31;
}

static uint64_t executor_of(struct model *m, uint64_t pool, uint64_t k)
{
	const struct model_schedule *s = m->schedule;
	int64_t v = 0, found = 0, grid[2] = {0, 0};
	uint64_t time;

	switch (s->dispatch) {
	case MODEL_NONE: return 0;
	case MODEL_ROUND_ROBIN: return k % (uint64_t)s->executors;
	case MODEL_AFFINITY:
		for (int d = 0; d < m->loop_count; d++)
			if (!strcmp(text(m, m->loop_names[d]), s->axis))
				v = m->loops[d];
		return mod(v, s->executors);
	case MODEL_HASH: return hash64((uint64_t)use(m, s->dispatch_expr)) % (uint64_t)s->executors;
	case MODEL_CUSTOM: return mod(use(m, s->dispatch_expr), s->executors);
	case MODEL_PARTITION:
		for (int64_t b = 0; b < s->bound_count; b++)
			v += s->bounds[b] <= m->count;
		return (uint64_t)v;
	case MODEL_STEAL: return least_free(m, pool, &time);
	case MODEL_GRID:
		for (int d = 0; d < m->loop_count; d++)
			if (m->loop_parallel[d] && found < 2)
				grid[found++] = m->loops[d];
		return mod(grid[0], s->grid[0]) * (uint64_t)s->grid[1] + mod(grid[1], s->grid[1]);
	}
	return 0;
}

static void place(struct model *m, struct model_task *t)
{
	const struct model_schedule *s = m->schedule;
	uint64_t k = 0;

	t->pool = pool_of(m, t->kernel);
	for (int j = 0; j < m->count; j++)
		k += m->tasks[j].pool == t->pool;
	t->executor = t->pool * (uint64_t)s->executors + executor_of(m, t->pool, k);
	if (s->streams)
		t->stream = s->stream_by ? mod(use(m, s->stream_expr), (int64_t)s->streams) : k % s->streams;
	if (m->pools <= (int)t->pool)
		m->pools = (int)t->pool + 1;
}

/* ---- section 3 and 5: time --------------------------------------------------------------------------------------- */

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* F of all tasks, from their ends and scopes. */
static void leaves(struct model *m)
{
	uint64_t f = 0;
	bool defined = true;

	for (int j = 0; j < m->count; j++) {
		struct model_task *t = &m->tasks[j];

		if (t->scope >= 0 && m->scope_open[t->scope])
			defined = false;
		t->left = defined;
		f = later(f, later(t->end, t->scope >= 0 && defined ? m->scope_close[t->scope] : 0));
		t->leave = f;
	}
}

enum kind { RING, MAP, DEPS, READY };

static uint64_t amount(const struct model *m, int j, enum kind kind, uint64_t pool)
{
	const struct model_task *t = &m->tasks[j];

	return kind == RING ? 1 : kind == MAP ? t->map_need : kind == DEPS ? t->edge_count : t->pool == pool;
}

static uint64_t used(const struct model *m, enum kind kind, uint64_t pool, uint64_t time)
{
	uint64_t sum = 0;

	for (int j = 0; j < m->count; j++) {
		const struct model_task *t = &m->tasks[j];
		bool back = kind == READY ? t->start <= time : t->left && t->leave <= time;

		sum += back ? 0 : amount(m, j, kind, pool);
	}
	return sum;
}

/* The earliest time at which there is room; false if there is none. */
static bool room_time(const struct model *m, enum kind kind, uint64_t pool, uint64_t capacity, uint64_t need, uint64_t *time_out)
{
	bool found = false;

	*time_out = m->a;
	if (!capacity || !need || used(m, kind, pool, m->a) + need <= capacity)
		return true;
	for (int j = 0; j < m->count; j++) {
		uint64_t t = kind == READY ? m->tasks[j].start : m->tasks[j].leave;

		if ((kind == READY || m->tasks[j].left) && t > m->a && used(m, kind, pool, t) + need <= capacity &&
		    (!found || t < *time_out)) {
			*time_out = t;
			found = true;
		}
	}
	return found;
}

static void stall(struct model *m, struct model_task *t, enum kind kind, uint64_t capacity, uint64_t need, struct model_meter *meter)
{
	static const unsigned names[] = {PTOWSP_RESOURCE_TASK_RING, PTOWSP_RESOURCE_TENSOR_MAP, PTOWSP_RESOURCE_DEP_LIST,
					 PTOWSP_RESOURCE_READY};
	uint64_t time;

	if (m->status)
		return;
	if (!room_time(m, kind, t->pool, capacity, need, &time)) {
		stop(m, PTOWSP_DEADLOCK);
		m->resource = names[kind];
		m->proposed = need;
		for (int j = 0; j < m->count; j++)
			m->proposed += m->tasks[j].left ? 0 : amount(m, j, kind, t->pool);
		return;
	}
	if (time <= m->a)
		return;
	meter->stalls++;
	meter->cycles += time - m->a;
	if (kind == RING && m->schedule->abort)
		stop(m, PTOWSP_RUN_FAILED);
	if (!(kind == RING && m->schedule->benchmark))
		m->a = time;
}

static void mark(struct model *m, struct model_task *t, enum kind kind, uint64_t need, struct model_meter *meter)
{
	meter->high_water = later(meter->high_water, used(m, kind, t->pool, m->a) + need);
}

/* order(i): ends of earlier iterations of every ordered construct around. */
static uint64_t order_time(const struct model *m, const struct model_task *t)
{
	uint64_t time = 0;

	for (int j = 0; j < m->count; j++)
		for (int x = 0; x < t->order_count; x++)
			for (int y = 0; y < m->tasks[j].order_count; y++)
				if (t->order_instance[x] == m->tasks[j].order_instance[y] && m->tasks[j].order_step[y] < t->order_step[x])
					time = later(time, m->tasks[j].end);
	return time;
}

static bool in_domain(const struct model *m, int d, const struct model_task *t, const struct model_task *j)
{
	switch (m->schedule->depths[d].domain) {
	case MODEL_STREAM: return t->stream == j->stream;
	case MODEL_POOL: return t->pool == j->pool;
	case MODEL_LOOP: return t->in_depth[d] && j->in_depth[d];
	default: return true;
	}
}

static int descending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x < y) - (x > y);
}

static uint64_t depth_time(const struct model *m, const struct model_task *t)
{
	uint64_t ends[MODEL_TASKS], time = 0;

	for (int d = 0; d < m->schedule->depth_count; d++) {
		uint64_t n = 0, depth = m->schedule->depths[d].depth;

		for (int j = 0; j < m->count; j++)
			if (in_domain(m, d, t, &m->tasks[j]))
				ends[n++] = m->tasks[j].end;
		qsort(ends, n, sizeof(*ends), descending);
		if (n >= depth)
			time = later(time, ends[depth - 1]);
	}
	return time;
}

static uint64_t start_time(const struct model *m, const struct model_task *t)
{
	uint64_t start = later(m->a, later(m->floor, free_time(m, t->executor)));

	start = later(start, later(order_time(m, t), depth_time(m, t)));
	for (int j = 0; j < m->count; j++)
		if (t->preds[j] || (m->schedule->streams && m->tasks[j].stream == t->stream))
			start = later(start, m->tasks[j].end);
	return start;
}

static void too_small(struct model *m, const struct model_task *t)
{
	if ((m->schedule->map && t->map_need > m->schedule->map) || (m->schedule->deps && t->edge_count > m->schedule->deps))
		stop(m, PTOWSP_TOO_SMALL);
}

static void time_task(struct model *m, struct model_task *t, uint64_t cycles)
{
	const struct model_schedule *s = m->schedule;
	struct model_meter *ready = &m->ready[t->pool];

	if (m->count && m->tasks[m->count - 1].issue + s->spacing > m->a)
		m->a = m->tasks[m->count - 1].issue + s->spacing;
	leaves(m);
	too_small(m, t);
	stall(m, t, RING, s->window, 1, &m->ring);
	stall(m, t, MAP, s->map, t->map_need, &m->map);
	stall(m, t, DEPS, s->deps, t->edge_count, &m->deps);
	stall(m, t, READY, s->ready, 1, ready);
	if (m->status)
		return;
	mark(m, t, RING, 1, &m->ring);
	mark(m, t, MAP, t->map_need, &m->map);
	mark(m, t, DEPS, t->edge_count, &m->deps);
	mark(m, t, READY, 1, ready);
	t->issue = m->a;
	t->start = start_time(m, t);
	t->end = t->start + cycles;
	m->total = later(m->total, t->end);
}

/* ---- section 2: races -------------------------------------------------------------------------------------------- */

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

static void race_find(struct model *m)
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
		stop(m, PTOWSP_AGAIN);
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
	memcpy(t->order_instance, m->order_instance, sizeof(t->order_instance));
	memcpy(t->order_step, m->order_step, sizeof(t->order_step));
	for (int d = 0; d < m->schedule->depth_count; d++)
		for (int l = 0; m->schedule->depths[d].domain == MODEL_LOOP && l < m->loop_count; l++)
			t->in_depth[d] |= !strcmp(text(m, m->loop_names[l]), m->schedule->depths[d].loop);
}

static uint32_t task_run(struct model *m, uint32_t at)
{
	static struct access x[16];
	struct ptowsp_instruction in = code(m, at);
	uint32_t tensors = in.operand2 & 0xFFFF, words = (in.operand2 >> 16) + tensors;
	struct model_task *t = &m->tasks[m->count];
	uint64_t cycles = 0;

	if (m->count == MODEL_TASKS)
		abort();
	if ((uint64_t)m->count >= m->max_tasks)
		stop(m, PTOWSP_LIMIT);
	if (m->status)
		return at;
	task_begin(m, t, in.operand1);
	for (uint32_t w = 1; w <= words && !m->status; w++) {
		struct ptowsp_instruction arg = code(m, at + w);
		unsigned mode = arg.opcode == PTOWSP_OP_IO_INPUT    ? PTOWSP_READ
				: arg.opcode == PTOWSP_OP_IO_OUTPUT ? PTOWSP_WRITE
				: arg.opcode == PTOWSP_OP_IO_INOUT  ? PTOWSP_READ | PTOWSP_WRITE
								    : 0;

		if (arg.opcode == PTOWSP_OP_PARAM_EXPR)
			cycles = (uint64_t)use(m, arg.operand2);
		else
			access_make(m, &x[arg.operand1], ROW(m, REGN, region, arg.operand2), mode, arg.operand1, t->kernel);
	}
	if (m->status)
		return at;
	edges_find(m, t, x, (int)tensors);
	for (uint32_t i = 0; i < tensors; i++)
		for (int e = 0; e < MODEL_ELEMENTS; e++) {
			t->reads[x[i].tensor] |= (uint64_t)x[i].read[e] << e;
			t->writes[x[i].tensor] |= (uint64_t)x[i].write[e] << e;
		}
	for (int j = 0; j < m->count; j++)
		t->edge_count += t->preds[j];
	if (m->schedule->overlap || m->schedule->exact)
		t->map_need = distinct(x, (int)tensors, PTOWSP_WRITE) +
			      (m->schedule->full ? distinct(x, (int)tensors, PTOWSP_READ) : 0);
	place(m, t);
	if (m->ahead)
		ahead_count(m, t);
	else if (!m->status)
		time_task(m, t, cycles);
	if (m->status)
		return at;
	m->edges += t->edge_count;
	if (!m->ahead)
		body_run(m, x, (int)tensors, t->kernel);
	m->count++;
	if (m->schedule->batch && ++m->fill == m->schedule->batch) {
		m->batches++;
		m->fill = 0;
	}
	return at + 1 + words;
}

static void slot_load(struct model *m, struct ptowsp_instruction in)
{
	const struct ptowsp_region_record *region = ROW(m, REGN, region, in.operand2);
	int64_t row = eval(m, region->row), column = eval(m, region->column), element = -1;
	int writer;

	batch_flush(m);
	if (!far(row) && !far(column))
		element = row * (int64_t)(region->unit ? region->unit : m->tensor_columns[region->tensor]) + column;
	if (element < 0 || (uint64_t)element >= m->tensor_rows[region->tensor] * m->tensor_columns[region->tensor])
		stop(m, PTOWSP_RUN_FAILED);
	if (!region->unit && (row < 0 || column < 0 || row + region->rows > (int64_t)m->tensor_rows[region->tensor] ||
			      column + region->columns > (int64_t)m->tensor_columns[region->tensor]))
		stop(m, PTOWSP_RUN_FAILED);
	if (m->status)
		return;
	writer = m->writer[region->tensor][element];
	m->known[in.operand1] = later(m->a, writer < 0 ? 0 : m->tasks[writer].end);
	m->pending[in.operand1] = writer >= 0;
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
	bool ordered = code(m, at).opcode == PTOWSP_OP_FOR_EACH;

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
	struct ptowsp_instruction in = code(m, at);
	const struct ptowsp_axis_record *axis = ROW(m, AXES, axis, in.operand1);
	int64_t low = use(m, axis->low), high = use(m, axis->high), step = use(m, axis->step);
	bool ordered = in.opcode == PTOWSP_OP_FOR_EACH, first = true;

	if (!m->status && (step < 1 || (axis->levels != PTOWSP_NONE && (low || step != 1))))
		stop(m, PTOWSP_RUN_FAILED);
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
	uint32_t steps = code(m, at).operand1, from = at + 1 + steps;

	order_enter(m);
	for (uint32_t s = 0; s < steps && !m->status; s++) {
		if (s)
			order_next(m);
		block(m, from, code(m, at + 1 + s).operand2);
		from = code(m, at + 1 + s).operand2;
	}
	m->order_depth--;
	return from;
}

static uint32_t scope(struct model *m, uint32_t at)
{
	uint32_t end = code(m, at).operand2;
	int instance = m->scope_count++;

	if (m->scope_count == MODEL_SCOPES)
		abort();
	m->scope_open[instance] = true;
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
	uint32_t middle = code(m, at + 1).operand2, end = code(m, at + 2).operand2;

	if (use(m, code(m, at).operand2))
		block(m, at + 3, middle);
	else
		block(m, middle, end);
	return end;
}

static uint32_t slot_set(struct model *m, uint32_t at)
{
	struct ptowsp_instruction in = code(m, at);
	bool pending = false;
	uint64_t v = reads(m, in.operand2, &pending);

	m->pending[in.operand1] = pending;
	m->known[in.operand1] = later(m->a, v);
	m->slots[in.operand1] = m->ahead && pending ? 0 : (uint64_t)eval(m, in.operand2);
	return at + 1;
}

static void block(struct model *m, uint32_t at, uint32_t end)
{
	while (at < end && !m->status) {
		struct ptowsp_instruction in = code(m, at);

		switch (in.opcode) {
		case PTOWSP_OP_PARALLEL_FOR:
		case PTOWSP_OP_FOR_EACH: at = loop(m, at); break;
		case PTOWSP_OP_COND: at = cond(m, at); break;
		case PTOWSP_OP_SEQUENTIAL: at = sequential(m, at); break;
		case PTOWSP_OP_COMBINE: at += 1 + in.operand1; break;
		case PTOWSP_OP_SCOPE: at = scope(m, at); break;
		case PTOWSP_OP_TASK: at = task_run(m, at); break;
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
	rows(m, PTOWSP_SECTION_SLOT, &slots);
	memcpy(m->slots, m->values, slots * sizeof(*m->slots));
	memset(m->writer, 0xFF, sizeof(m->writer));
	m->level = 32;
	m->pools = m->schedule->pools == MODEL_BY_EXPR ? 0 : m->schedule->pools == MODEL_SINGLE ? 1 : 2;
	for (unsigned u = PTOWSP_UNIT_ANY; m->schedule->pools == MODEL_BY_UNIT && u <= PTOWSP_UNIT_AIE_CORE; u++)
		m->pools += u != PTOWSP_UNIT_ANY && u != PTOWSP_UNIT_AIV && u != PTOWSP_UNIT_AIC && unit_named(m, (uint16_t)u);
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
	race_find(m);
}
