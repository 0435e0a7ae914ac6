/* SPDX-License-Identifier: MIT
 * program_tasks.c - the tasks of a random program, in the order in which they are issued, and what memory holds behind them. */
#include "program.h"

#include <string.h>

static void kernel_compute(const struct contract_kernel *k, int number, const struct model_task *t, int64_t *cycles)
{
	float tiles[CONTRACT_PARAMS][64];

	*cycles = 0;
	for (int i = 0; i < k->param_count; i++) {
		if (!(k->params[i].mode & MODEL_READ))
			continue;
		memcpy(tiles[i], &contract_program.memory[t->accesses[i].tensor][t->accesses[i].first], sizeof(float) * (size_t)t->accesses[i].count);
		*cycles += t->accesses[i].count;
	}
	for (int i = 0; i < k->param_count; i++) {
		const struct model_access *a = &t->accesses[i];
		int from = contract_source_of(k, i);
		float *out = &contract_program.memory[a->tensor][a->first];

		if (!(k->params[i].mode & MODEL_WRITE))
			continue;
		if (k->params[i].mode & MODEL_READ)
			from = i;
		*cycles += a->count * (from >= 0 && from != i ? 3 : 2);
		for (int64_t x = 0; x < a->count; x++)
			out[x] = from < 0 ? contract_constant(number, i) : (from == i ? tiles[i][x] : tiles[from][x] * 0.5f) + contract_constant(number, i);
	}
}

static void call_expand(const struct contract_node *n, int level, bool in_levels, int depth)
{
	struct model_task *t = &contract_program.tasks[contract_program.task_count];
	bool variant = level == 64 && contract_program.kernels[n->kernel].variant_rows;
	struct contract_kernel k = variant ? contract_variant_of(&contract_program.kernels[n->kernel]) : contract_program.kernels[n->kernel];

	memset(t, 0, sizeof(*t));
	t->kernel = n->kernel + (variant ? 100 : 0);
	t->access_count = k.param_count;
	for (int i = 0; i < k.param_count; i++) {
		const struct contract_argument *a = &n->arguments[i];
		const struct contract_param *q = &k.params[i];
		struct model_access *m = &t->accesses[i];
		int64_t unit = (int64_t)(in_levels ? 32 : q->rows) * q->columns;

		m->tensor = a->tensor;
		m->mode = q->mode;
		m->row = !a->tuple ? 0 : a->row_loop >= 0 ? contract_program.values[a->row_loop] : a->row;
		m->column = a->tuple ? a->column : 0;
		m->level = level;
		m->count = (int64_t)q->rows * q->columns;
		m->first = m->row * unit + m->column + q->tile_row * m->count + q->column;
		if (m->first + m->count > contract_program.touched[m->tensor])
			contract_program.touched[m->tensor] = m->first + m->count;
	}
	for (int i = 0; i < MODEL_LOOPS; i++)
		t->loops[i] = i < depth ? contract_program.values[i] : -1;
	if (contract_program.task_count < MODEL_TASKS - 1)
		contract_program.task_count++;
}

static void body_expand(int index, int level, bool in_levels, int depth);

static void loop_block(const struct contract_node *n, int64_t base, int block, int rows, int level, int depth)
{
	int step = rows / 32, now = level != 32 ? level : rows;

	for (int i = 0; i < block / step; i++) {
		contract_program.values[n->loop] = base + (int64_t)i * step;
		body_expand(n->child, now, true, depth + 1);
	}
}

static int block_rows(const struct contract_level_set *s, int block)
{
	int rows = block == 8 ? s->rows_of_8 : s->rows_of_4;

	return rows ? rows : 32;
}

static void loop_expand(const struct contract_node *n, int level, bool in_levels, int depth)
{
	const struct contract_level_set *s = &contract_level_sets[n->levels];
	int64_t base = 0, left = n->high;

	if (!n->levels) {
		for (int64_t v = n->low; v < n->high; v += n->step) {
			contract_program.values[n->loop] = v;
			body_expand(n->child, level, in_levels, depth + 1);
		}
		return;
	}
	for (; left >= s->max_range; left -= s->max_range, base += s->max_range)
		loop_block(n, base, s->max_range, block_rows(s, s->max_range), level, depth);
	for (int block = s->max_range / 2; block >= s->min_range; block /= 2)
		if (left & block) {
			loop_block(n, base, block, block_rows(s, block), level, depth);
			base += block;
			left -= block;
		}
	loop_block(n, base, (int)left, 32, level, depth);
}

static void body_expand(int index, int level, bool in_levels, int depth)
{
	for (; index >= 0; index = contract_program.nodes[index].next) {
		const struct contract_node *n = &contract_program.nodes[index];

		if (n->kind == CONTRACT_LOOP)
			loop_expand(n, level, in_levels, depth);
		else if (n->kind == CONTRACT_BRANCH && contract_program.values[n->compare_loop] > n->compare_with)
			body_expand(n->child, level, in_levels, depth);
		else if (n->kind == CONTRACT_CALL)
			call_expand(n, level, in_levels, depth);
	}
}

void contract_program_expand(int root)
{
	contract_program.task_count = 0;
	memset(contract_program.touched, 0, sizeof(contract_program.touched));
	for (int t = 0; t < MODEL_TENSORS; t++)
		for (int x = 0; x < MODEL_ELEMENTS; x++)
			contract_program.memory[t][x] = (float)x;
	body_expand(root, 32, false, 0);
	for (int i = 0; i < contract_program.task_count; i++) {
		int number = contract_program.tasks[i].kernel % 100;
		struct contract_kernel k = contract_program.tasks[i].kernel >= 100 ? contract_variant_of(&contract_program.kernels[number]) : contract_program.kernels[number];

		kernel_compute(&k, number, &contract_program.tasks[i], &contract_program.tasks[i].cycles);
	}
}
