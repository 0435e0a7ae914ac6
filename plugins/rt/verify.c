/* SPDX-License-Identifier: MIT */
/* The bytecode verifier: one pass over the entry, with a stack of at most 64 bodies, that checks everything the expander relies on
 * and lowers as it goes. Afterwards: every target lies behind its instruction and inside the body around it; every row exists; every task has each
 * argument once; every loop depth that is read exists. Nothing else looks at the package's bytes again. */
#include <stdlib.h>
#include <string.h>
#include "rt/error.h"
#include "rt/grow.h"
#include "rt/program.h"

enum body { BODY_ENTRY, BODY_LOOP, BODY_SCOPE, BODY_BRANCHES };

/* A body that is being read. */
struct frame {
	enum body kind;
	uint32_t end;              /* of the current branch */
	uint32_t targets;          /* first TARGET word */
	uint32_t branch, branches; /* BODY_BRANCHES */
	uint32_t outer_key;        /* BODY_LOOP: nest.key around it */
};
struct verifier {
	struct rt_program *program;
	struct rt_nest nest;
	struct frame frames[PTOWSP_NESTING_LIMIT + 1];
	uint32_t depth, at;
	struct ptowsp_error *error;
	char text[160];
};

static const char *here(struct verifier *v)
{
	return rt_position(&v->program->tables, v->at, v->text, sizeof(v->text));
}

static const struct ptowsp_instruction *word(const struct verifier *v, uint32_t at)
{
	return &v->program->tables.work.code[at];
}

static uint32_t code_count(const struct verifier *v)
{
	return v->program->tables.work.code_count;
}

/* Says where, when a deeper step only knew what. */
static ptowsp_status placed(struct verifier *v, ptowsp_status st)
{
	char what[sizeof(v->error->text)];

	if (!st || st == PTOWSP_NO_MEMORY || !v->error)
		return st;
	memcpy(what, v->error->text, sizeof(what));
	what[sizeof(what) - 1] = 0;
	return rt_fail(v->error, st, "%s: %.150s", here(v), what);
}

static ptowsp_status frame_push(struct verifier *v, struct frame frame)
{
	if (v->depth > PTOWSP_NESTING_LIMIT)
		return rt_fail(v->error, PTOWSP_BAD_PACKAGE, "%s: loops, branches and scopes nest deeper than %u", here(v),
			       PTOWSP_NESTING_LIMIT);
	v->frames[v->depth++] = frame;
	return PTOWSP_OK;
}

static ptowsp_status target_check(struct verifier *v, uint32_t target, uint32_t least)
{
	uint32_t most = v->frames[v->depth - 1].end;

	if (target >= least && target <= most)
		return PTOWSP_OK;
	return rt_fail(v->error, PTOWSP_BAD_PACKAGE, "%s: target %u is outside %u..%u, the body around it", here(v), target, least, most);
}

static ptowsp_status expr_compile(struct verifier *v, uint32_t row, uint32_t *id_out)
{
	return placed(v, rt_expr_compile(&v->program->exprs, &v->program->tables, row, &v->nest, false, id_out, v->error));
}

/* ---- loops ----------------------------------------------------------------------------------------------------- */

static ptowsp_status level_index(struct rt_program *program, uint32_t rows, uint8_t *index_out, struct ptowsp_error *error)
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
			st = level_index(program, set->rows[k], &set->level[k], error);
	*index_out = program->level_set_count++;
	return st;
}

/* The bounds as far as they are known; the rules that need values are checked again when the loop is entered. */
static ptowsp_status bounds_check(struct verifier *v, const struct rt_loop *loop)
{
	struct rt_exprs *exprs = &v->program->exprs;
	int64_t value;

	if (rt_expr_known(exprs, loop->step, &value) && value < 1)
		return rt_fail(v->error, PTOWSP_BAD_PACKAGE, "%s: the step of the loop is %lld, it must be at least 1", here(v),
			       (long long)value);
	if (loop->levels == PTOWSP_NONE)
		return PTOWSP_OK;
	if (rt_expr_known(exprs, loop->step, &value) && value != 1)
		return rt_fail(v->error, PTOWSP_BAD_PACKAGE, "%s: a loop with tile levels has step 1, not %lld", here(v), (long long)value);
	if (rt_expr_known(exprs, loop->low, &value) && value != 0)
		return rt_fail(v->error, PTOWSP_BAD_PACKAGE, "%s: a loop with tile levels begins at 0, not %lld", here(v), (long long)value);
	return PTOWSP_OK;
}

/* The loop's values seen from inside. */
static void nest_enter(struct verifier *v, const struct rt_loop *loop)
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
	if (word(v, v->at)->opcode == PTOWSP_OP_PARALLEL_FOR)
		nest->parallels[nest->parallel++] = nest->depth;
	nest->names[nest->depth++] = loop->name;
	nest->key = v->at;
}

static ptowsp_status loop_lower(struct verifier *v)
{
	struct rt_program *program = v->program;
	const struct ptowsp_instruction *in = word(v, v->at);
	const struct ptowsp_axis_record *axis;
	struct rt_loop loop = {.depth = v->nest.depth, .levels = PTOWSP_NONE};
	uint32_t ids[3];
	ptowsp_status st = target_check(v, in->operand2, v->at + 1);

	if (st)
		return st;
	if (in->operand1 >= program->tables.work.axis_count || program->tables.work.axes[in->operand1] >= program->tables.axis.count)
		return rt_fail(v->error, PTOWSP_BAD_PACKAGE, "%s: there is no axis %u", here(v), in->operand1);
	loop.axis = program->tables.work.axes[in->operand1];
	axis = &program->tables.axis.rows[loop.axis];
	loop.name = axis->name;
	if (axis->kind != PTOWSP_AXIS_DENSE)
		return rt_fail(v->error, PTOWSP_UNSUPPORTED, "%s: axis %s has the unknown kind %u", here(v),
			       rt_string(&program->tables, axis->name), axis->kind);
	st = expr_compile(v, axis->low, &loop.low);
	if (!st)
		st = expr_compile(v, axis->high, &loop.high);
	if (!st)
		st = expr_compile(v, axis->step, &loop.step);
	if (!st && axis->levels != PTOWSP_NONE)
		st = placed(v, levels_lower(program, axis->levels, &loop.levels, v->error));
	if (!st)
		st = bounds_check(v, &loop);
	ids[0] = loop.low, ids[1] = loop.high, ids[2] = loop.step;
	if (!st)
		st = rt_exprs_reads(&program->exprs, ids, 3, &loop.read, &loop.read_count, v->error);
	if (!st)
		st = frame_push(v, (struct frame){.kind = BODY_LOOP, .end = in->operand2, .outer_key = v->nest.key});
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

/* ---- branches and scopes --------------------------------------------------------------------------------------- */

static ptowsp_status branches_lower(struct verifier *v, uint32_t branches, uint32_t row)
{
	const struct ptowsp_instruction *in = word(v, v->at);
	uint32_t targets = v->at + 1, least = targets + branches, first;
	ptowsp_status st = PTOWSP_OK;

	if (!branches || branches > code_count(v) - targets)
		return rt_fail(v->error, PTOWSP_BAD_PACKAGE, "%s: %u branches", here(v), branches);
	for (uint32_t i = 0; !st && i < branches; i++) {
		if (word(v, targets + i)->opcode != PTOWSP_OP_TARGET)
			return rt_fail(v->error, PTOWSP_BAD_PACKAGE, "%s: a target is missing, %u are wanted", here(v), branches);
		st = target_check(v, word(v, targets + i)->operand2, least);
		least = word(v, targets + i)->operand2;
		v->program->code[targets + i] = (struct rt_ins){.op = PTOWSP_OP_TARGET, .end = least};
	}
	first = word(v, targets)->operand2;
	if (!st)
		st = frame_push(v, (struct frame){.kind = BODY_BRANCHES, .end = first, .targets = targets, .branches = branches});
	v->program->code[v->at] = (struct rt_ins){.op = in->opcode, .count = (uint16_t)branches, .end = least, .row = row};
	v->at = targets + branches;
	return st;
}

static ptowsp_status cond_lower(struct verifier *v)
{
	uint32_t id = 0;
	ptowsp_status st = expr_compile(v, word(v, v->at)->operand2, &id);

	return st ? st : branches_lower(v, 2, id);
}

static ptowsp_status scope_lower(struct verifier *v)
{
	uint32_t end = word(v, v->at)->operand2;
	ptowsp_status st = target_check(v, end, v->at + 1);

	if (!st)
		st = frame_push(v, (struct frame){.kind = BODY_SCOPE, .end = end});
	v->program->code[v->at] = (struct rt_ins){.op = PTOWSP_OP_SCOPE, .end = end};
	v->at++;
	return st;
}

/* Leaves every body that ends here; branches go on with the next one. */
static void bodies_leave(struct verifier *v)
{
	struct frame *top = &v->frames[v->depth - 1];

	while (top->kind != BODY_ENTRY && top->end == v->at) {
		if (top->kind == BODY_BRANCHES && ++top->branch < top->branches) {
			top->end = word(v, top->targets + top->branch)->operand2;
			continue;
		}
		if (top->kind == BODY_LOOP) {
			v->nest.depth--;
			v->nest.key = top->outer_key;
			if (v->nest.parallel && v->nest.parallels[v->nest.parallel - 1] == v->nest.depth)
				v->nest.parallel--;
		}
		v->depth--;
		top--;
	}
}

/* ---- slots ----------------------------------------------------------------------------------------------------- */

static ptowsp_status slot_check(struct verifier *v)
{
	const struct rt_tables *tables = &v->program->tables;
	uint32_t slot = word(v, v->at)->operand1;

	if (slot >= tables->slot.count)
		return rt_fail(v->error, PTOWSP_BAD_PACKAGE, "%s: there is no slot %u", here(v), slot);
	if (tables->slot.rows[slot].kind != PTOWSP_SLOT_SLOT)
		return rt_fail(v->error, PTOWSP_BAD_PACKAGE, "%s: %s is a symbol, a run cannot change it", here(v),
			       rt_slot_name(v->program, slot));
	return PTOWSP_OK;
}

static ptowsp_status slot_set_lower(struct verifier *v)
{
	uint32_t id = 0;
	ptowsp_status st = slot_check(v);

	if (!st)
		st = expr_compile(v, word(v, v->at)->operand2, &id);
	v->program->code[v->at] = (struct rt_ins){.op = PTOWSP_OP_SLOT_SET, .row = id, .slot = word(v, v->at)->operand1};
	v->at++;
	return st;
}

static ptowsp_status slot_load_lower(struct verifier *v)
{
	struct rt_program *program = v->program;
	struct rt_io io = {0};
	ptowsp_status st = slot_check(v);

	if (!st)
		st = placed(v, rt_io_lower(program, &v->nest, word(v, v->at)->operand2, &io, v->error));
	if (!st && !rt_grow((void **)&program->ios, &program->io_room, program->io_count, sizeof(io)))
		st = rt_no_memory(v->error, "regions");
	if (st)
		return st;
	program->tensor_loaded[io.tensor] = 1;
	program->code[v->at] = (struct rt_ins){
		.op = PTOWSP_OP_SLOT_LOAD, .flags = PTOWSP_CHECKED, .row = program->io_count, .slot = word(v, v->at)->operand1};
	program->ios[program->io_count++] = io;
	v->at++;
	return PTOWSP_OK;
}

/* ---- the pass -------------------------------------------------------------------------------------------------- */

static ptowsp_status task_lower(struct verifier *v)
{
	struct rt_program *program = v->program;
	uint32_t at = v->at, next = at + 1, site = program->site_count;
	ptowsp_status st = placed(v, rt_site_lower(program, &v->nest, at, &next, v->error));

	if (st)
		return st;
	program->code[at] = (struct rt_ins){.op = PTOWSP_OP_TASK, .end = next, .row = site};
	for (uint32_t i = 0; i < program->sites[site].io_count; i++)
		if (program->ios[program->sites[site].first_io + i].checked)
			program->code[at].flags = PTOWSP_CHECKED;
	v->at = next;
	return next <= v->frames[v->depth - 1].end
		       ? PTOWSP_OK
		       : rt_fail(v->error, PTOWSP_BAD_PACKAGE, "instruction %u: the words of a task go beyond the end of the body", at);
}

/* Lowers the instruction at v->at and moves behind it; a body's first instruction is next. */
static ptowsp_status instruction_lower(struct verifier *v, bool *halt_out)
{
	const struct ptowsp_instruction *in = word(v, v->at);

	if (in->flags)
		return rt_fail(v->error, PTOWSP_BAD_PACKAGE, "%s: flags are %u, a package has 0", here(v), in->flags);
	switch (in->opcode) {
	case PTOWSP_OP_HALT:
		*halt_out = true;
		return v->depth == 1 ? PTOWSP_OK : rt_fail(v->error, PTOWSP_BAD_PACKAGE, "%s: halt inside a body", here(v));
	case PTOWSP_OP_NOP:
		v->program->code[v->at++].op = PTOWSP_OP_NOP;
		return PTOWSP_OK;
	case PTOWSP_OP_PARALLEL_FOR:
	case PTOWSP_OP_FOR_EACH: return loop_lower(v);
	case PTOWSP_OP_COND: return cond_lower(v);
	case PTOWSP_OP_COMBINE:
	case PTOWSP_OP_SEQUENTIAL: return branches_lower(v, in->operand1, 0);
	case PTOWSP_OP_TASK: return task_lower(v);
	case PTOWSP_OP_SCOPE: return scope_lower(v);
	case PTOWSP_OP_SLOT_SET: return slot_set_lower(v);
	case PTOWSP_OP_SLOT_LOAD: return slot_load_lower(v);
	case PTOWSP_OP_TARGET:
	case PTOWSP_OP_PARAM_CONST:
	case PTOWSP_OP_PARAM_LOOPVAR:
	case PTOWSP_OP_PARAM_EXPR:
	case PTOWSP_OP_IO_INPUT:
	case PTOWSP_OP_IO_OUTPUT:
	case PTOWSP_OP_IO_INOUT:
	case PTOWSP_OP_IO_BIND:
		return rt_fail(v->error, PTOWSP_BAD_PACKAGE, "%s: opcode 0x%02x belongs behind another instruction", here(v), in->opcode);
	}
	return rt_fail(v->error, PTOWSP_UNKNOWN_OPCODE, "%s: unknown opcode 0x%02x; it needs a newer runtime core", here(v), in->opcode);
}

static ptowsp_status pass(struct verifier *v)
{
	ptowsp_status st = PTOWSP_OK;
	bool halt = false;

	while (!st && !halt) {
		bodies_leave(v);
		if (v->at >= code_count(v))
			return rt_fail(v->error, PTOWSP_BAD_PACKAGE, "the entry has no halt before the end of section WORK");
		st = instruction_lower(v, &halt);
	}
	return st;
}

ptowsp_status rt_program_verify(struct rt_program *program, struct ptowsp_error *error)
{
	struct verifier *v = calloc(1, sizeof(*v));
	ptowsp_status st;
	uint8_t base;

	program->code = calloc((size_t)program->tables.work.code_count + 1, sizeof(*program->code));
	if (!v || !program->code) {
		free(v);
		return rt_no_memory(error, "the verifier");
	}
	*v = (struct verifier){.program = program, .nest.key = PTOWSP_NONE, .error = error};
	v->at = program->tables.entry.rows[program->entry].instruction;
	v->frames[v->depth++] = (struct frame){.kind = BODY_ENTRY, .end = program->tables.work.code_count};
	st = rt_classes_init(program, error);
	if (!st)
		st = level_index(program, RT_LEVEL_BASE, &base, error);
	if (!st)
		st = pass(v);
	if (!st)
		st = rt_sites_finish(program, error);
	free(v);
	return st;
}
