/* SPDX-License-Identifier: MIT */
/* rt_verify.c - the bytecode verifier: one pass over the entry, with a stack of at most 64 bodies, that checks everything the expander relies on
 * and lowers as it goes. Afterwards: every target lies behind its instruction and inside the body around it; every row exists; every task has each
 * argument once; every loop depth that is read exists. Nothing else looks at the package's bytes again. */
#include "rt/program/rt_verify.h"

#include "registry/common/common_grow.h"
#include "registry/common/common_part.h"
#include "rt/program/axis.h"
#include "rt/run/rt_run.h"
#include <stdlib.h>
#include <string.h>

ptowsp_status rt_verifier_placed(struct rt_verifier *v, ptowsp_status status)
{
	char what[sizeof(v->error->text)], here[160];

	if (!status || status == PTOWSP_NO_MEMORY || !v->error)
		return status;
	memcpy(what, v->error->text, sizeof(what));
	what[sizeof(what) - 1] = 0;
	return rt_fail(v->error, status, "%s: %s", rt_position(&v->program->tables, v->where, here, sizeof(here)), what);
}

ptowsp_status rt_verifier_row(struct rt_verifier *v, const char *what, uint32_t row, uint32_t count)
{
	return row < count ? PTOWSP_OK : RT_REFUSE(v, "there is no %s %u, the package has %u", what, row, count);
}

ptowsp_status rt_verifier_push(struct rt_verifier *v, struct rt_body body)
{
	if (v->depth > PTOWSP_NESTING_LIMIT)
		return RT_REFUSE(v, "loops, branches and scopes nest deeper than %u", PTOWSP_NESTING_LIMIT);
	v->bodies[v->depth++] = body;
	return PTOWSP_OK;
}

ptowsp_status rt_verifier_target(struct rt_verifier *v, uint32_t target, uint32_t least)
{
	uint32_t most = v->bodies[v->depth - 1].end;

	return target >= least && target <= most ? PTOWSP_OK : RT_REFUSE(v, "target %u is outside %u..%u, the body around it", target, least, most);
}

ptowsp_status rt_verifier_value(struct rt_verifier *v, uint32_t row, uint32_t *id_out)
{
	return rt_expr_compile(&v->program->exprs, &v->program->tables, row, &v->nest, false, id_out, v->error);
}

ptowsp_status rt_verifier_expr(struct rt_verifier *v, uint32_t row, uint32_t *id_out)
{
	ptowsp_status status = rt_verifier_value(v, row, id_out);

	v->program->asks |= !status && rt_expr_source(&v->program->exprs, *id_out) != PTOWSP_NONE;
	return status;
}

bool rt_verifier_tensor_word(const struct rt_verifier *v, unsigned opcode)
{
	const struct ptowsp_instruction *word = rt_verifier_word(v, v->at) + 1;

	return v->at + 2 <= v->bodies[v->depth - 1].end && v->at + 1 < v->program->tables.work.code_count && word->opcode == opcode && !word->operand1 &&
	       !word->flags;
}

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
	v->where = at;
	return RT_REFUSE(v, "after(%lld) cannot name an earlier task: at most %llu come before", (long long)task, (unsigned long long)tasks);
}

static ptowsp_status task_count(struct rt_verifier *v, const struct rt_site *site)
{
	const struct rt_program *program = v->program;
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; !status && i < site->after_count; i++) {
		uint32_t expr = program->afters[site->first_after + i].task;
		int64_t task = -1;

		if (rt_after_own(&program->exprs, expr))
			status = RT_REFUSE(v, "after names the task itself or a later one, whatever the run");
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

/* ---- branches and scopes --------------------------------------------------------------------------------------- */

static ptowsp_status branches_lower(struct rt_verifier *v, struct rt_ins *out, uint32_t branches)
{
	uint32_t targets = v->at + 1, least = targets + branches;
	ptowsp_status status = PTOWSP_OK;

	if (!branches || branches > v->program->tables.work.code_count - targets)
		return RT_REFUSE(v, "%u branches", branches);
	v->next = least;
	for (uint32_t i = 0; !status && i < branches; i++) {
		const struct ptowsp_instruction *target = rt_verifier_word(v, targets + i);

		if (target->opcode != PTOWSP_OP_TARGET)
			return RT_REFUSE(v, "a target is missing, %u are wanted", branches);
		status = rt_verifier_target(v, target->operand2, least);
		least = target->operand2;
		v->program->code[targets + i] = (struct rt_ins){.op = PTOWSP_OP_TARGET, .end = least};
	}
	out->count = (uint16_t)branches;
	out->end = least;
	return status ? status
		      : rt_verifier_push(
				v, (struct rt_body){
					   .kind = RT_BODY_BRANCHES, .end = rt_verifier_word(v, targets)->operand2, .targets = targets, .branches = branches});
}

static ptowsp_status cond_lower(struct rt_verifier *v, const struct ptowsp_instruction *in, struct rt_ins *out)
{
	ptowsp_status status = rt_verifier_expr(v, in->operand2, &out->row);

	return status ? status : branches_lower(v, out, 2);
}

static ptowsp_status scope_lower(struct rt_verifier *v, const struct ptowsp_instruction *in, struct rt_ins *out)
{
	ptowsp_status status = rt_verifier_target(v, in->operand2, v->at + 1);

	out->end = in->operand2;
	v->program->process_scopes |= v->process != PTOWSP_NONE;
	return status ? status : rt_verifier_push(v, (struct rt_body){.kind = RT_BODY_SCOPE, .end = in->operand2});
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

static ptowsp_status slot_check(struct rt_verifier *v, uint32_t slot)
{
	const struct rt_tables *tables = &v->program->tables;
	ptowsp_status status = rt_verifier_row(v, "slot", slot, tables->slot.count);

	if (!status && tables->slot.rows[slot].kind != PTOWSP_SLOT_SLOT)
		status = RT_REFUSE(v, "%s is a symbol, a run cannot change it", rt_slot_name(v->program, slot));
	return status;
}

static ptowsp_status slot_set_lower(struct rt_verifier *v, const struct ptowsp_instruction *in, struct rt_ins *out)
{
	ptowsp_status status = slot_check(v, in->operand1);

	out->slot = in->operand1;
	return status ? status : rt_verifier_value(v, in->operand2, &out->row);
}

static ptowsp_status slot_load_lower(struct rt_verifier *v, const struct ptowsp_instruction *in, struct rt_ins *out)
{
	struct rt_program *program = v->program;
	struct rt_io io = {0};
	ptowsp_status status = slot_check(v, in->operand1);

	if (!status)
		status = rt_io_lower(v, in->operand2, &io);
	if (status)
		return status;
	program->traits[io.tensor].loaded = 1;
	program->loads = true;
	out->flags = (uint8_t)(PTOWSP_CHECKED | in->flags);
	out->row = program->io_count;
	out->slot = in->operand1;
	return RT_APPEND(v, ios, io_count, io_room, io);
}

/* ---- the pass -------------------------------------------------------------------------------------------------- */

/* A task or a copy, whose site is the last one. */
static ptowsp_status task_lower(struct rt_verifier *v, const struct ptowsp_instruction *in, struct rt_ins *out)
{
	ptowsp_status status = in->opcode == PTOWSP_OP_COPY ? rt_verify_copy(v, in, out) : rt_site_lower(v);

	if (!status && v->next > v->bodies[v->depth - 1].end)
		status = RT_REFUSE(v, "the words of a task go beyond the end of the body");
	return status ? status : task_count(v, &v->program->sites[v->program->site_count - 1]);
}

static ptowsp_status halt_lower(struct rt_verifier *v)
{
	v->halted = true;
	return v->depth == 1 ? PTOWSP_OK : RT_REFUSE(v, "halt inside a body");
}

/* Lowers the instruction at v->at; v->next is what goes on behind it. A body's first instruction is next. */
static ptowsp_status instruction_lower(struct rt_verifier *v)
{
	const struct ptowsp_instruction *in = rt_verifier_word(v, v->at);
	struct rt_ins *out = &v->program->code[v->at];

	if (in->flags & ~(in->opcode == PTOWSP_OP_SLOT_LOAD ? PTOWSP_SLOT_LOAD_BITS : 0))
		return RT_REFUSE(v, "flags are %u, a package has 0", in->flags);
	v->begun |= in->opcode != PTOWSP_OP_NOP && (in->opcode < PTOWSP_OP_AXIS_DENSE || in->opcode > PTOWSP_OP_AXIS_SPARSE);
	v->next = v->at + 1;
	*out = (struct rt_ins){.op = in->opcode};
	switch (in->opcode) {
	case PTOWSP_OP_HALT: return halt_lower(v);
	case PTOWSP_OP_NOP: return PTOWSP_OK;
	case PTOWSP_OP_PARALLEL_FOR:
	case PTOWSP_OP_FOR_EACH:
	case PTOWSP_OP_SELECT: return rt_verify_loop(v, in, out);
	case PTOWSP_OP_WHILE: return rt_verify_while(v, in, out);
	case PTOWSP_OP_BREAK: return v->loops ? PTOWSP_OK : RT_REFUSE(v, "break outside every loop");
	case PTOWSP_OP_AXIS_DENSE:
	case PTOWSP_OP_AXIS_DENSE_DYN:
	case PTOWSP_OP_AXIS_RAGGED:
	case PTOWSP_OP_AXIS_SPARSE: return rt_verify_axis(v, in, out);
	case PTOWSP_OP_DISPATCH_FILTER: return rt_verify_filter(v, in, out);
	case PTOWSP_OP_SIGNAL:
	case PTOWSP_OP_WAIT: return rt_verify_event(v, in, out);
	case PTOWSP_OP_BARRIER:
	case PTOWSP_OP_FENCE: return rt_verify_barrier(v, in, out);
	case PTOWSP_OP_NOTIFY:
	case PTOWSP_OP_WAIT_NOTIFY: return rt_verify_notify(v, in, out);
	case PTOWSP_OP_ALLOC:
	case PTOWSP_OP_FREE: return rt_verify_memory(v, in, out);
	case PTOWSP_OP_COND: return cond_lower(v, in, out);
	case PTOWSP_OP_COMBINE:
	case PTOWSP_OP_SEQUENTIAL: return branches_lower(v, out, in->operand1);
	case PTOWSP_OP_TASK:
	case PTOWSP_OP_COPY: return task_lower(v, in, out);
	case PTOWSP_OP_SCOPE: return scope_lower(v, in, out);
	case PTOWSP_OP_SLOT_SET: return slot_set_lower(v, in, out);
	case PTOWSP_OP_SLOT_LOAD: return slot_load_lower(v, in, out);
	case PTOWSP_OP_SEND: return rt_verify_send(v, in, out);
	case PTOWSP_OP_CONSUME: return rt_verify_consume(v, in, out);
	case PTOWSP_OP_CLOSE: return rt_verify_close(v, in, out);
	case PTOWSP_OP_TARGET:
	case PTOWSP_OP_PARAM_CONST:
	case PTOWSP_OP_PARAM_LOOPVAR:
	case PTOWSP_OP_PARAM_EXPR:
	case PTOWSP_OP_IO_INPUT:
	case PTOWSP_OP_IO_OUTPUT:
	case PTOWSP_OP_IO_INOUT:
	case PTOWSP_OP_IO_BIND:
	case PTOWSP_OP_AFTER: return RT_REFUSE(v, "opcode 0x%02x belongs behind another instruction", in->opcode);
	}
	if (common_is_part(in->opcode))
		return RT_REFUSE(v, "opcode 0x%02x belongs behind another instruction", in->opcode);
	return rt_fail(v->error, PTOWSP_UNKNOWN_OPCODE, "unknown opcode 0x%02x; it needs a newer runtime core", in->opcode);
}

ptowsp_status rt_verifier_pass(struct rt_verifier *v, uint32_t instruction, uint32_t process)
{
	ptowsp_status status = PTOWSP_OK;

	v->nest = (struct rt_nest){.key = PTOWSP_NONE, .process = process != PTOWSP_NONE};
	v->process = process;
	v->depth = 0;
	v->loops = 0;
	v->begun = v->halted = false;
	v->tasks = process == PTOWSP_NONE ? 0 : UINT64_MAX; /* others make tasks too */
	v->after = -1;
	if (v->axis_words)
		memset(v->axis_words, 0, v->program->tables.axis.count * sizeof(*v->axis_words));
	v->bodies[v->depth++] = (struct rt_body){.kind = RT_BODY_ENTRY, .end = v->program->tables.work.code_count};
	for (v->next = instruction; !status && !v->halted;) {
		v->at = v->next;
		status = bodies_leave(v);
		if (!status && v->at >= v->program->tables.work.code_count)
			return RT_REFUSE(v, "the entry has no halt before the end of section WORK");
		if (status)
			break;
		v->where = v->at;
		status = instruction_lower(v);
	}
	return rt_verifier_placed(v, status);
}

ptowsp_status rt_verifier_entry(struct rt_verifier *v)
{
	struct rt_program *program = v->program;
	const struct rt_tables *tables = &program->tables;
	const struct ptowsp_entry_record *entry;
	uint8_t base;
	ptowsp_status status = program->entry < tables->entry.count
				       ? rt_verify_level(v, RT_LEVEL_BASE, &base)
				       : RT_REFUSE(v, "there is no entry %u, the package has %u", program->entry, tables->entry.count);

	if (status)
		return status;
	entry = &tables->entry.rows[program->entry];
	program->begin = entry->flags & PTOWSP_ENTRY_KERNEL ? tables->work.code_count : entry->instruction;
	status = entry->flags & PTOWSP_ENTRY_KERNEL ? rt_verify_own_task(v) : rt_verifier_pass(v, program->begin, PTOWSP_NONE);
	if (!status && entry->flags & PTOWSP_ENTRY_PIPELINE)
		status = rt_verify_processes(v, program->begin, v->at);
	if (!status)
		status = rt_verify_events(v);
	if (!status)
		status = rt_verify_payloads(v);
	if (!status)
		status = rt_axes_check(program, v->error);
	return status ? status : rt_sites_finish(v);
}

void rt_verifier_finish(struct rt_verifier *v)
{
	free(v->axis_words);
	free(v->noted);
	free(v->first_tensors);
	free(v->next_tensors);
}

ptowsp_status rt_program_verify(struct rt_program *program, struct ptowsp_error *error)
{
	struct rt_verifier *v = calloc(1, sizeof(*v));
	ptowsp_status status;

	if (!v)
		return rt_no_memory(error, "the verifier");
	v->program = program;
	v->error = error;
	status = rt_verifier_entry(v);
	if (!status)
		rt_renamings_finish(program);
	rt_verifier_finish(v);
	free(v);
	return status;
}
