/* SPDX-License-Identifier: MIT */
/* rt_verify.c - the bytecode verifier: one pass over the entry, with a stack of at most 64 bodies, that checks everything the expander relies on
 * and lowers as it goes. Afterwards: every target lies behind its instruction and inside the body around it; every row exists; every task has each
 * argument once; every loop depth that is read exists. Nothing else looks at the package's bytes again. */
#include "rt/program/rt_verify.h"

#include "registry/common/common_grow.h"
#include "rt/program/axis.h"
#include "rt/program/rt_error.h"
#include "rt/run/rt_run.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- how many tasks there can be --------------------------------------------------------------------------------- */

static uint64_t add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t times(uint64_t a, uint64_t b)
{
	return a && b > UINT64_MAX / a ? UINT64_MAX : a * b;
}

/* `tasks` come before the task of that instruction, at most. */
static ptowsp_status later(struct rt_verifier *v, uint32_t at, int64_t task, uint64_t tasks)
{
	char text[160];

	return rt_fail(v->error, PTOWSP_BAD_PACKAGE, "%s: after(%lld) cannot name an earlier task: at most %llu come before",
		       rt_position(&v->program->tables, at, text, sizeof(text)), (long long)task, (unsigned long long)tasks);
}

ptowsp_status rt_verify_count_task(struct rt_verifier *v, const struct rt_site *site)
{
	const struct rt_program *program = v->program;
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; !status && i < site->after_count; i++) {
		uint32_t expr = program->afters[site->first_after + i].task;
		int64_t task = -1;

		if (rt_after_own(&program->exprs, expr))
			status = rt_verifier_refuse(v, "after names the task itself or a later one, whatever the run");
		else if (!rt_expr_known(&program->exprs, expr, &task) || task < 0)
			continue;
		else if (!v->loops && (uint64_t)task >= v->tasks)
			status = later(v, v->at, task, v->tasks);
		else if (v->loops && task > v->after)
			v->after = task, v->after_at = v->at;
	}
	v->tasks = add(v->tasks, 1);
	return status;
}

/* Behind the outermost loop all tasks of it are counted, and the last of them has all others before it. */
static ptowsp_status loop_count(struct rt_verifier *v, const struct rt_body *body)
{
	uint64_t inside = v->tasks - body->before;
	int64_t after = v->after;

	v->tasks = body->before == UINT64_MAX ? UINT64_MAX : add(body->before, times(inside, v->tasks == UINT64_MAX ? UINT64_MAX : body->times));
	if (--v->loops || after < 0)
		return PTOWSP_OK;
	v->after = -1;
	return (uint64_t)after + 1 >= v->tasks ? later(v, v->after_at, after, v->tasks ? v->tasks - 1 : 0) : PTOWSP_OK;
}

/* ---- the pass over the entry ------------------------------------------------------------------------------------- */

const char *rt_verifier_here(struct rt_verifier *v)
{
	return rt_position(&v->program->tables, v->at, v->text, sizeof(v->text));
}

ptowsp_status rt_verifier_refuse(struct rt_verifier *v, const char *text, ...)
{
	char what[sizeof(v->error->text)];
	va_list list;

	va_start(list, text);
	vsnprintf(what, sizeof(what), text, list);
	va_end(list);
	return rt_fail(v->error, PTOWSP_BAD_PACKAGE, "%s: %s", rt_verifier_here(v), what);
}

const struct ptowsp_instruction *rt_verifier_word(const struct rt_verifier *v, uint32_t at)
{
	return &v->program->tables.work.code[at];
}

uint32_t rt_verifier_code_count(const struct rt_verifier *v)
{
	return v->program->tables.work.code_count;
}

ptowsp_status rt_verifier_placed(struct rt_verifier *v, ptowsp_status status)
{
	char what[sizeof(v->error->text)];

	if (!status || status == PTOWSP_NO_MEMORY || !v->error)
		return status;
	memcpy(what, v->error->text, sizeof(what));
	what[sizeof(what) - 1] = 0;
	return rt_fail(v->error, status, "%s: %.150s", rt_verifier_here(v), what);
}

ptowsp_status rt_verifier_push(struct rt_verifier *v, struct rt_body frame)
{
	if (v->depth > PTOWSP_NESTING_LIMIT)
		return rt_verifier_refuse(v, "loops, branches and scopes nest deeper than %u", PTOWSP_NESTING_LIMIT);
	v->bodies[v->depth++] = frame;
	return PTOWSP_OK;
}

ptowsp_status rt_verifier_target(struct rt_verifier *v, uint32_t target, uint32_t least)
{
	uint32_t most = v->bodies[v->depth - 1].end;

	if (target >= least && target <= most)
		return PTOWSP_OK;
	return rt_verifier_refuse(v, "target %u is outside %u..%u, the body around it", target, least, most);
}

ptowsp_status rt_verifier_expr(struct rt_verifier *v, uint32_t row, uint32_t *id_out)
{
	return rt_verifier_placed(v, rt_expr_compile(&v->program->exprs, &v->program->tables, row, &v->nest, false, id_out, v->error));
}

/* ---- branches and scopes --------------------------------------------------------------------------------------- */

static ptowsp_status branches_lower(struct rt_verifier *v, uint32_t branches, uint32_t row)
{
	const struct ptowsp_instruction *in = rt_verifier_word(v, v->at);
	uint32_t targets = v->at + 1, least = targets + branches, first;
	ptowsp_status status = PTOWSP_OK;

	if (!branches || branches > rt_verifier_code_count(v) - targets)
		return rt_verifier_refuse(v, "%u branches", branches);
	for (uint32_t i = 0; !status && i < branches; i++) {
		if (rt_verifier_word(v, targets + i)->opcode != PTOWSP_OP_TARGET)
			return rt_verifier_refuse(v, "a target is missing, %u are wanted", branches);
		status = rt_verifier_target(v, rt_verifier_word(v, targets + i)->operand2, least);
		least = rt_verifier_word(v, targets + i)->operand2;
		v->program->code[targets + i] = (struct rt_ins){.op = PTOWSP_OP_TARGET, .end = least};
	}
	first = rt_verifier_word(v, targets)->operand2;
	if (!status)
		status = rt_verifier_push(v, (struct rt_body){.kind = RT_BODY_BRANCHES, .end = first, .targets = targets, .branches = branches});
	v->program->code[v->at] = (struct rt_ins){.op = in->opcode, .count = (uint16_t)branches, .end = least, .row = row};
	v->at = targets + branches;
	return status;
}

static ptowsp_status cond_lower(struct rt_verifier *v)
{
	uint32_t id = 0;
	ptowsp_status status = rt_verifier_expr(v, rt_verifier_word(v, v->at)->operand2, &id);

	return status ? status : branches_lower(v, 2, id);
}

static ptowsp_status scope_lower(struct rt_verifier *v)
{
	uint32_t end = rt_verifier_word(v, v->at)->operand2;
	ptowsp_status status = rt_verifier_target(v, end, v->at + 1);

	if (!status)
		status = rt_verifier_push(v, (struct rt_body){.kind = RT_BODY_SCOPE, .end = end});
	v->program->code[v->at] = (struct rt_ins){.op = PTOWSP_OP_SCOPE, .end = end};
	v->program->process_scopes |= v->process != PTOWSP_NONE;
	v->at++;
	return status;
}

/* Leaves every body that ends here; branches go on with the next one. */
static ptowsp_status bodies_leave(struct rt_verifier *v)
{
	struct rt_body *top = &v->bodies[v->depth - 1];
	ptowsp_status status = PTOWSP_OK;

	while (!status && top->kind != RT_BODY_ENTRY && top->end == v->at) {
		if (top->kind == RT_BODY_BRANCHES && ++top->branch < top->branches) {
			top->end = rt_verifier_word(v, top->targets + top->branch)->operand2;
			continue;
		}
		if (top->kind == RT_BODY_LOOP) {
			v->nest.depth--;
			v->nest.key = top->outer_key;
			if (v->nest.parallel && v->nest.parallels[v->nest.parallel - 1] == v->nest.depth)
				v->nest.parallel--;
		}
		if (top->kind == RT_BODY_LOOP || top->kind == RT_BODY_WHILE)
			status = loop_count(v, top);
		v->depth--;
		top--;
	}
	return status;
}

/* ---- slots ----------------------------------------------------------------------------------------------------- */

static ptowsp_status slot_check(struct rt_verifier *v)
{
	const struct rt_tables *tables = &v->program->tables;
	uint32_t slot = rt_verifier_word(v, v->at)->operand1;

	if (slot >= tables->slot.count)
		return rt_verifier_refuse(v, "there is no slot %u", slot);
	if (tables->slot.rows[slot].kind != PTOWSP_SLOT_SLOT)
		return rt_verifier_refuse(v, "%s is a symbol, a run cannot change it", rt_slot_name(v->program, slot));
	return PTOWSP_OK;
}

static ptowsp_status slot_set_lower(struct rt_verifier *v)
{
	uint32_t id = 0;
	ptowsp_status status = slot_check(v);

	if (!status)
		status = rt_verifier_expr(v, rt_verifier_word(v, v->at)->operand2, &id);
	v->program->code[v->at] = (struct rt_ins){.op = PTOWSP_OP_SLOT_SET, .row = id, .slot = rt_verifier_word(v, v->at)->operand1};
	v->at++;
	return status;
}

static ptowsp_status slot_load_lower(struct rt_verifier *v)
{
	struct rt_program *program = v->program;
	struct rt_io io = {0};
	ptowsp_status status = slot_check(v);

	if (!status)
		status = rt_verifier_placed(v, rt_io_lower(program, &v->nest, rt_verifier_word(v, v->at)->operand2, &io, v->error));
	if (!status && !COMMON_GROW(program->ios, program->io_room, program->io_count))
		status = rt_no_memory(v->error, "regions");
	if (status)
		return status;
	program->traits[io.tensor].loaded = 1;
	program->loads = true;
	program->code[v->at] = (struct rt_ins){.op = PTOWSP_OP_SLOT_LOAD,
					       .flags = (uint8_t)(PTOWSP_CHECKED | rt_verifier_word(v, v->at)->flags),
					       .row = program->io_count,
					       .slot = rt_verifier_word(v, v->at)->operand1};
	program->ios[program->io_count++] = io;
	v->at++;
	return PTOWSP_OK;
}

/* ---- the pass -------------------------------------------------------------------------------------------------- */

static ptowsp_status task_lower(struct rt_verifier *v)
{
	struct rt_program *program = v->program;
	uint32_t at = v->at, next = at + 1, site = program->site_count;
	ptowsp_status status = rt_verifier_placed(v, rt_site_lower(program, &v->nest, at, &next, v->error));

	if (status)
		return status;
	program->code[at] = (struct rt_ins){.op = PTOWSP_OP_TASK, .end = next, .row = site};
	for (uint32_t i = 0; i < program->sites[site].io_count; i++)
		if (program->ios[program->sites[site].first_io + i].checked)
			program->code[at].flags = PTOWSP_CHECKED;
	if (program->sites[site].after_count)
		program->code[at].flags = PTOWSP_CHECKED;
	status = rt_verify_count_task(v, &program->sites[site]);
	if (status)
		return status;
	v->at = next;
	return next <= v->bodies[v->depth - 1].end
		       ? PTOWSP_OK
		       : rt_fail(v->error, PTOWSP_BAD_PACKAGE, "instruction %u: the words of a task go beyond the end of the body", at);
}

/* Lowers the instruction at v->at and moves behind it; a body's first instruction is next. */
static ptowsp_status instruction_lower(struct rt_verifier *v, bool *halt_out)
{
	const struct ptowsp_instruction *in = rt_verifier_word(v, v->at);

	if (in->flags & ~(in->opcode == PTOWSP_OP_SLOT_LOAD ? PTOWSP_SLOT_LOAD_BITS : 0))
		return rt_verifier_refuse(v, "flags are %u, a package has 0", in->flags);
	v->begun |= in->opcode != PTOWSP_OP_NOP && (in->opcode < PTOWSP_OP_AXIS_DENSE || in->opcode > PTOWSP_OP_AXIS_SPARSE);
	switch (in->opcode) {
	case PTOWSP_OP_HALT: *halt_out = true; return v->depth == 1 ? PTOWSP_OK : rt_verifier_refuse(v, "halt inside a body");
	case PTOWSP_OP_NOP: v->program->code[v->at++].op = PTOWSP_OP_NOP; return PTOWSP_OK;
	case PTOWSP_OP_PARALLEL_FOR:
	case PTOWSP_OP_FOR_EACH:
	case PTOWSP_OP_SELECT: return rt_verify_loop(v);
	case PTOWSP_OP_WHILE: return rt_verify_while(v);
	case PTOWSP_OP_BREAK: return rt_verify_break(v);
	case PTOWSP_OP_AXIS_DENSE:
	case PTOWSP_OP_AXIS_DENSE_DYN:
	case PTOWSP_OP_AXIS_RAGGED:
	case PTOWSP_OP_AXIS_SPARSE: return rt_verify_axis(v);
	case PTOWSP_OP_DISPATCH_FILTER: return rt_verify_filter(v);
	case PTOWSP_OP_SIGNAL:
	case PTOWSP_OP_WAIT: return rt_verify_event(v);
	case PTOWSP_OP_BARRIER:
	case PTOWSP_OP_FENCE: return rt_verify_barrier(v);
	case PTOWSP_OP_NOTIFY:
	case PTOWSP_OP_WAIT_NOTIFY: return rt_verify_notify(v);
	case PTOWSP_OP_COPY: return rt_verify_copy(v);
	case PTOWSP_OP_ALLOC:
	case PTOWSP_OP_FREE: return rt_verify_memory(v);
	case PTOWSP_OP_COND: return cond_lower(v);
	case PTOWSP_OP_COMBINE:
	case PTOWSP_OP_SEQUENTIAL: return branches_lower(v, in->operand1, 0);
	case PTOWSP_OP_TASK: return task_lower(v);
	case PTOWSP_OP_SCOPE: return scope_lower(v);
	case PTOWSP_OP_SLOT_SET: return slot_set_lower(v);
	case PTOWSP_OP_SLOT_LOAD: return slot_load_lower(v);
	case PTOWSP_OP_SEND: return rt_verify_send(v);
	case PTOWSP_OP_CONSUME: return rt_verify_consume(v);
	case PTOWSP_OP_CLOSE: return rt_verify_close(v);
	case PTOWSP_OP_TARGET:
	case PTOWSP_OP_PARAM_CONST:
	case PTOWSP_OP_PARAM_LOOPVAR:
	case PTOWSP_OP_PARAM_EXPR:
	case PTOWSP_OP_IO_INPUT:
	case PTOWSP_OP_IO_OUTPUT:
	case PTOWSP_OP_IO_INOUT:
	case PTOWSP_OP_IO_BIND:
	case PTOWSP_OP_AFTER: return rt_verifier_refuse(v, "opcode 0x%02x belongs behind another instruction", in->opcode);
	}
	return rt_fail(v->error, PTOWSP_UNKNOWN_OPCODE, "%s: unknown opcode 0x%02x; it needs a newer runtime core", rt_verifier_here(v), in->opcode);
}

ptowsp_status rt_verifier_pass(struct rt_verifier *v, uint32_t instruction, uint32_t process)
{
	ptowsp_status status = PTOWSP_OK;
	bool halt = false;

	v->nest = (struct rt_nest){.key = PTOWSP_NONE, .process = process != PTOWSP_NONE};
	v->at = instruction;
	v->process = process;
	v->depth = 0;
	v->loops = 0;
	v->begun = false;
	v->tasks = process == PTOWSP_NONE ? 0 : UINT64_MAX; /* others make tasks too */
	v->after = -1;
	if (v->axis_words)
		memset(v->axis_words, 0, v->program->tables.axis.count * sizeof(*v->axis_words));
	v->bodies[v->depth++] = (struct rt_body){.kind = RT_BODY_ENTRY, .end = v->program->tables.work.code_count};
	while (!status && !halt) {
		status = bodies_leave(v);
		if (!status && v->at >= rt_verifier_code_count(v))
			return rt_fail(v->error, PTOWSP_BAD_PACKAGE, "the entry has no halt before the end of section WORK");
		if (!status)
			status = instruction_lower(v, &halt);
	}
	return status;
}

ptowsp_status rt_verifier_entry(struct rt_verifier *v)
{
	struct rt_program *program = v->program;
	const struct ptowsp_entry_record *entry = &program->tables.entry.rows[program->entry];
	uint8_t base;
	ptowsp_status status = rt_verify_level(program, RT_LEVEL_BASE, &base, v->error);

	if (!status)
		status = rt_verifier_pass(v, entry->instruction, PTOWSP_NONE);
	if (!status && entry->flags & PTOWSP_ENTRY_PIPELINE)
		status = rt_verify_processes(v, entry->instruction, v->at);
	if (!status)
		status = rt_verify_events(v);
	if (!status)
		status = rt_verify_payloads(v);
	if (!status)
		status = rt_axes_check(program, v->error);
	return status ? status : rt_sites_finish(program, v->error);
}

void rt_verifier_finish(struct rt_verifier *v)
{
	free(v->axis_words);
	free(v->noted);
}

ptowsp_status rt_program_verify(struct rt_program *program, struct ptowsp_error *error)
{
	struct rt_verifier *v = calloc(1, sizeof(*v));
	ptowsp_status status;

	program->code = calloc((size_t)program->tables.work.code_count + 1, sizeof(*program->code));
	if (!v || !program->code) {
		free(v);
		return rt_no_memory(error, "the verifier");
	}
	v->program = program;
	v->error = error;
	status = rt_classes_init(program, error);
	if (!status)
		status = rt_verifier_entry(v);
	if (!status)
		rt_renamings_finish(program);
	rt_verifier_finish(v);
	free(v);
	return status;
}
