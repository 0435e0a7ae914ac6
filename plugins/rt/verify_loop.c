/* SPDX-License-Identifier: MIT */
/* verify_loop.c - loops and their tile levels, as the verifier reads them. */
#include "rt/error.h"
#include "rt/grow.h"
#include "rt/verifier.h"

ptowsp_status rt_verify_level(struct rt_program *program, uint32_t rows, uint8_t *index_out, struct ptowsp_error *error)
{
	uint32_t k = 0;

	while (k < program->level_count && program->levels[k] != rows)
		k++;
	if (k == program->level_count) {
		if (k == RT_LEVEL_LIMIT)
			return rt_fail(error, PTOWSP_BAD_PACKAGE, "more than %u different tile levels", RT_LEVEL_LIMIT);
		if (!rt_grow((void **)&program->levels, &program->level_room, k, sizeof(*program->levels)))
			return rt_no_memory(error, "tile levels");
		program->levels[program->level_count++] = rows;
	}
	*index_out = (uint8_t)k;
	return PTOWSP_OK;
}

static ptowsp_status levels_lower(struct rt_program *program, uint32_t row, uint32_t *index_out, struct ptowsp_error *error)
{
	struct rt_level_set *set;
	ptowsp_status st;

	if (!rt_grow((void **)&program->level_sets, &program->level_set_room, program->level_set_count, sizeof(*set)))
		return rt_no_memory(error, "tile levels");
	set = &program->level_sets[program->level_set_count];
	st = rt_level_set_read(set, &program->tables, row, error);
	for (unsigned k = 0; !st && k < 32; k++)
		if (set->min_range >> k <= 1 && set->max_range >> k) /* a block size that can occur */
			st = rt_verify_level(program, set->rows[k], &set->level[k], error);
	*index_out = program->level_set_count++;
	return st;
}

/* The bounds as far as they are known; the rules that need values are checked again when the loop is entered. */
static ptowsp_status bounds_check(struct rt_verifier *v, const struct rt_loop *loop)
{
	struct rt_exprs *exprs = &v->program->exprs;
	int64_t value;

	if (rt_expr_known(exprs, loop->step, &value) && value < 1)
		return rt_fail(v->error, PTOWSP_BAD_PACKAGE, "%s: the step of the loop is %lld, it must be at least 1", rt_verifier_here(v),
			       (long long)value);
	if (loop->levels == PTOWSP_NONE)
		return PTOWSP_OK;
	if (rt_expr_known(exprs, loop->step, &value) && value != 1)
		return rt_fail(v->error, PTOWSP_BAD_PACKAGE, "%s: a loop with tile levels has step 1, not %lld", rt_verifier_here(v), (long long)value);
	if (rt_expr_known(exprs, loop->low, &value) && value != 0)
		return rt_fail(v->error, PTOWSP_BAD_PACKAGE, "%s: a loop with tile levels begins at 0, not %lld", rt_verifier_here(v), (long long)value);
	return PTOWSP_OK;
}

/* The loop's values seen from inside. */
static void nest_enter(struct rt_verifier *v, const struct rt_loop *loop)
{
	struct rt_nest *nest = &v->nest;
	int64_t ignored, high;

	rt_expr_range(&v->program->exprs, loop->low, nest, &nest->low[nest->depth], &ignored);
	rt_expr_range(&v->program->exprs, loop->high, nest, &ignored, &high);
	nest->high[nest->depth] = high == INT64_MIN ? high : high - 1;
	if (nest->high[nest->depth] < nest->low[nest->depth]) { /* never runs: nothing to prove from */
		nest->low[nest->depth] = INT64_MIN;
		nest->high[nest->depth] = INT64_MAX;
	}
	if (rt_verifier_word(v, v->at)->opcode == PTOWSP_OP_PARALLEL_FOR)
		nest->parallels[nest->parallel++] = nest->depth;
	nest->names[nest->depth++] = loop->name;
	nest->key = v->at;
}

ptowsp_status rt_verify_loop(struct rt_verifier *v)
{
	struct rt_program *program = v->program;
	const struct ptowsp_instruction *in = rt_verifier_word(v, v->at);
	const struct ptowsp_axis_record *axis;
	struct rt_loop loop = {.depth = v->nest.depth, .levels = PTOWSP_NONE};
	uint32_t ids[3];
	ptowsp_status st = rt_verifier_target(v, in->operand2, v->at + 1);

	if (st)
		return st;
	if (in->operand1 >= program->tables.work.axis_count || program->tables.work.axes[in->operand1] >= program->tables.axis.count)
		return rt_fail(v->error, PTOWSP_BAD_PACKAGE, "%s: there is no axis %u", rt_verifier_here(v), in->operand1);
	loop.axis = program->tables.work.axes[in->operand1];
	axis = &program->tables.axis.rows[loop.axis];
	loop.name = axis->name;
	if (axis->kind != PTOWSP_AXIS_DENSE)
		return rt_fail(v->error, PTOWSP_UNSUPPORTED, "%s: axis %s has the unknown kind %u", rt_verifier_here(v),
			       rt_string(&program->tables, axis->name), axis->kind);
	st = rt_verifier_expr(v, axis->low, &loop.low);
	if (!st)
		st = rt_verifier_expr(v, axis->high, &loop.high);
	if (!st)
		st = rt_verifier_expr(v, axis->step, &loop.step);
	if (!st && axis->levels != PTOWSP_NONE)
		st = rt_verifier_placed(v, levels_lower(program, axis->levels, &loop.levels, v->error));
	if (!st)
		st = bounds_check(v, &loop);
	ids[0] = loop.low, ids[1] = loop.high, ids[2] = loop.step;
	if (!st)
		st = rt_exprs_reads(&program->exprs, ids, 3, &loop.read, &loop.read_count, v->error);
	if (!st)
		st = rt_verifier_push(v, (struct rt_body){.kind = RT_BODY_LOOP, .end = in->operand2, .outer_key = v->nest.key});
	if (!st && !rt_grow((void **)&program->loops, &program->loop_room, program->loop_count, sizeof(loop)))
		st = rt_no_memory(v->error, "loops");
	if (st)
		return st;
	program->code[v->at] = (struct rt_ins){.op = in->opcode, .end = in->operand2, .row = program->loop_count};
	program->loops[program->loop_count++] = loop;
	nest_enter(v, &loop);
	v->at++;
	return PTOWSP_OK;
}
