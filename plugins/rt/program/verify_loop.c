/* SPDX-License-Identifier: MIT */
/* verify_loop.c - loops and their tile levels, as the verifier reads them. */
#include "registry/common/common_grow.h"
#include "rt/program/axis.h"
#include "rt/program/renamed.h"
#include "rt/program/rt_error.h"
#include "rt/program/rt_verify.h"

ptowsp_status rt_verify_level(struct rt_verifier *v, uint32_t rows, uint8_t *index_out)
{
	const struct rt_program *program = v->program;
	uint32_t k = 0;

	while (k < program->level_count && program->levels[k] != rows)
		k++;
	*index_out = (uint8_t)k;
	if (k < program->level_count)
		return PTOWSP_OK;
	return k == RT_LEVEL_LIMIT ? RT_REFUSE(v, "more than %u different tile levels", RT_LEVEL_LIMIT) : RT_APPEND(v, levels, level_count, level_room, rows);
}

static ptowsp_status levels_lower(struct rt_verifier *v, uint32_t row, uint32_t *index_out)
{
	struct rt_level_set set;
	ptowsp_status status = rt_level_set_read(&set, &v->program->tables, row, v->error);

	for (unsigned k = 0; !status && k < 32; k++)
		if (set.min_range >> k <= 1 && set.max_range >> k) /* a block size that can occur */
			status = rt_verify_level(v, set.rows[k], &set.level[k]);
	*index_out = v->program->level_set_count;
	return status ? status : RT_APPEND(v, level_sets, level_set_count, level_set_room, set);
}

/* The bounds as far as they are known; the rules that need values are checked again when the loop is entered. */
static ptowsp_status bounds_check(struct rt_verifier *v, const struct rt_loop *loop)
{
	struct rt_exprs *exprs = &v->program->exprs;
	int64_t value;

	if (rt_expr_known(exprs, loop->step, &value) && value < 1)
		return RT_REFUSE(v, "the step of the loop is %lld, it must be at least 1", (long long)value);
	if (loop->levels == PTOWSP_NONE)
		return PTOWSP_OK;
	if (rt_expr_known(exprs, loop->step, &value) && value != 1)
		return RT_REFUSE(v, "a loop with tile levels has step 1, not %lld", (long long)value);
	if (rt_expr_known(exprs, loop->low, &value) && value != 0)
		return RT_REFUSE(v, "a loop with tile levels begins at 0, not %lld", (long long)value);
	return PTOWSP_OK;
}

/* The loop's values seen from inside. */
static struct rt_bounds values_of(const struct rt_verifier *v, const struct rt_loop *loop)
{
	const struct rt_exprs *exprs = &v->program->exprs;
	struct rt_bounds values = rt_unbounded;
	int64_t low = 0, high;

	if (loop->line == PTOWSP_NONE) {
		low = rt_expr_bounds(exprs, loop->low, &v->nest).low;
		high = rt_expr_bounds(exprs, loop->high, &v->nest).high;
		high -= high != INT64_MIN;
		if (loop->levels == PTOWSP_NONE)
			values.on = rt_loop_values(exprs, &v->nest, loop->low, loop->step);
	} else {
		high = rt_axis_most(v->program, loop);
	}
	if (low <= high) /* else it never runs: nothing to prove from */
		values.low = low, values.high = high;
	return values;
}

static void nest_enter(struct rt_verifier *v, const struct rt_loop *loop, unsigned opcode)
{
	struct rt_nest *nest = &v->nest;

	nest->loops[nest->depth] = values_of(v, loop);
	if (opcode != PTOWSP_OP_FOR_EACH)
		nest->parallels[nest->parallel++] = nest->depth;
	nest->names[nest->depth++] = loop->name;
	nest->key = v->at;
}

/* How often the body runs at most, as far as can be said. */
static uint64_t times_most(const struct rt_verifier *v, const struct rt_loop *loop)
{
	const struct rt_exprs *exprs = &v->program->exprs;
	int64_t low, high, step;

	if (loop->line != PTOWSP_NONE)
		return loop->count ? loop->count : UINT64_MAX; /* a row has no more values than all of them */
	low = rt_expr_bounds(exprs, loop->low, &v->nest).low;
	high = rt_expr_bounds(exprs, loop->high, &v->nest).high;
	step = rt_expr_bounds(exprs, loop->step, &v->nest).low;
	if (low == INT64_MIN || high == INT64_MAX)
		return UINT64_MAX;
	if (high <= low)
		return 0;
	return ((uint64_t)high - (uint64_t)low - 1) / (uint64_t)(step < 1 ? 1 : step) + 1;
}

/* AXES row of an axis operand. */
static ptowsp_status axis_find(struct rt_verifier *v, uint32_t operand, uint32_t *row_out)
{
	const struct rt_tables *tables = &v->program->tables;

	if (operand >= tables->work.axis_count || tables->work.axes[operand] >= tables->axis.count)
		return RT_REFUSE(v, "there is no axis %u", operand);
	*row_out = tables->work.axes[operand];
	return PTOWSP_OK;
}

/* low, high and step, from the AXES row or from the word at the beginning of the entry. */
static ptowsp_status bounds_lower(struct rt_verifier *v, const struct ptowsp_axis_record *axis, struct rt_loop *loop)
{
	const struct rt_axis_word *word = v->axis_words ? &v->axis_words[loop->axis] : NULL;
	ptowsp_status status;

	if (word && word->stated) {
		loop->kind = word->kind;
		loop->low = word->low;
		loop->high = word->high;
		loop->step = word->step;
		return PTOWSP_OK;
	}
	loop->kind = axis->kind;
	status = rt_verifier_expr(v, axis->low, &loop->low);
	if (!status)
		status = rt_verifier_expr(v, axis->high, &loop->high);
	return status ? status : rt_verifier_expr(v, axis->step, &loop->step);
}

/* Row expression of a ragged or sparse axis; *checked 0 if the row exists in every run. */
static ptowsp_status row_lower(struct rt_verifier *v, const struct ptowsp_axis_record *axis, struct rt_loop *loop, uint8_t *checked)
{
	struct rt_program *program = v->program;
	struct rt_bounds line;
	int64_t rows = INT64_MIN;
	ptowsp_status status;

	if (axis->row == PTOWSP_NONE)
		return RT_REFUSE(v, "axis %s is ragged or sparse and does not say which row", rt_string(&program->tables, axis->name));
	loop->lengths = axis->lengths;
	loop->indices = axis->indices;
	loop->first = axis->first;
	loop->count = axis->count;
	rt_expr_known(&program->exprs, loop->high, &rows);
	status = rt_verifier_expr(v, axis->row, &loop->line);
	if (!status)
		status = rt_axis_check(program, loop, rows, v->error);
	if (status)
		return status;
	if (!loop->count) {
		program->asks = true;
		program->traits[loop->lengths].indexed = 1;
		if (loop->kind == PTOWSP_AXIS_SPARSE)
			program->traits[loop->indices].indexed = 1;
	}
	line = rt_expr_bounds(&program->exprs, loop->line, &v->nest);
	*checked = line.low < 0 || line.high >= rows ? PTOWSP_CHECKED : 0;
	return PTOWSP_OK;
}

static ptowsp_status kind_lower(struct rt_verifier *v, const struct ptowsp_axis_record *axis, struct rt_loop *loop, struct rt_ins *out)
{
	bool select = out->op == PTOWSP_OP_SELECT;
	const char *name = rt_string(&v->program->tables, axis->name);

	if (loop->kind > PTOWSP_AXIS_SPARSE)
		return rt_fail(v->error, PTOWSP_UNSUPPORTED, "axis %s has the unknown kind %u", name, loop->kind);
	if (select != (loop->kind == PTOWSP_AXIS_SPARSE))
		return RT_REFUSE(v, select ? "select walks a sparse axis, and %s is none" : "axis %s is sparse, only select walks it", name);
	if (loop->kind == PTOWSP_AXIS_RAGGED || loop->kind == PTOWSP_AXIS_SPARSE)
		return row_lower(v, axis, loop, &out->flags);
	if (loop->kind == PTOWSP_AXIS_DENSE_DYN && rt_expr_bounds(&v->program->exprs, loop->high, &v->nest).low < 0)
		out->flags = PTOWSP_CHECKED;
	return PTOWSP_OK;
}

static ptowsp_status loop_lower(struct rt_verifier *v, struct rt_loop *loop, struct rt_ins *out)
{
	const struct ptowsp_axis_record *axis = &v->program->tables.axis.rows[loop->axis];
	ptowsp_status status = bounds_lower(v, axis, loop);

	loop->name = axis->name;
	if (!status && axis->levels != PTOWSP_NONE)
		status = levels_lower(v, axis->levels, &loop->levels);
	if (!status)
		status = kind_lower(v, axis, loop, out);
	if (!status)
		status = bounds_check(v, loop);
	return status ? status
		      : rt_exprs_reads(&v->program->exprs, (const uint32_t[]){loop->low, loop->high, loop->step, loop->line}, 4, &loop->read, &loop->read_count,
				       v->error);
}

ptowsp_status rt_verify_loop(struct rt_verifier *v, const struct ptowsp_instruction *in, struct rt_ins *out)
{
	struct rt_loop loop = {.depth = v->nest.depth, .levels = PTOWSP_NONE, .line = PTOWSP_NONE};
	ptowsp_status status = rt_verifier_target(v, in->operand2, v->at + 1);

	out->end = in->operand2;
	out->row = v->program->loop_count;
	if (!status)
		status = axis_find(v, in->operand1, &loop.axis);
	if (!status)
		status = loop_lower(v, &loop, out);
	if (!status)
		status = rt_verifier_push(
			v, (struct rt_body){
				   .kind = RT_BODY_LOOP, .end = in->operand2, .outer_key = v->nest.key, .before = v->tasks, .times = times_most(v, &loop)});
	if (status)
		return status;
	nest_enter(v, &loop, in->opcode);
	v->loops++;
	return RT_APPEND(v, loops, loop_count, loop_room, loop);
}

/* ---- axes that the entry states itself ------------------------------------------------------------------------- */

static ptowsp_status extent_lower(struct rt_verifier *v, const struct ptowsp_instruction *in, uint32_t *id_out)
{
	struct rt_program *program = v->program;
	ptowsp_status status;

	if (in->opcode != PTOWSP_OP_AXIS_DENSE_DYN)
		return rt_expr_constant(&program->exprs, in->operand2, id_out, v->error);
	program->asks = true;
	status = rt_verifier_row(v, "slot", in->operand2, program->tables.slot.count);
	return status ? status : rt_expr_slot(&program->exprs, in->operand2, id_out, v->error);
}

ptowsp_status rt_verify_axis(struct rt_verifier *v, const struct ptowsp_instruction *in, struct rt_ins *out)
{
	const struct rt_tables *tables = &v->program->tables;
	struct rt_axis_word *word;
	uint32_t row = 0;
	ptowsp_status status = axis_find(v, in->operand1, &row);

	out->op = PTOWSP_OP_NOP;
	if (!status && v->begun)
		status = RT_REFUSE(v, "the axes of an entry are stated at its beginning");
	if (status)
		return status;
	if (!v->axis_words)
		v->axis_words = calloc((size_t)tables->axis.count + 1, sizeof(*v->axis_words));
	if (!v->axis_words)
		return rt_no_memory(v->error, "axes");
	word = &v->axis_words[row];
	if (word->stated)
		return RT_REFUSE(v, "axis %s is stated twice", rt_string(tables, tables->axis.rows[row].name));
	*word = (struct rt_axis_word){.stated = true, .kind = in->opcode - PTOWSP_OP_AXIS_DENSE};
	status = extent_lower(v, in, &word->high);
	if (!status)
		status = rt_expr_constant(&v->program->exprs, 0, &word->low, v->error);
	return status ? status : rt_expr_constant(&v->program->exprs, 1, &word->step, v->error);
}
