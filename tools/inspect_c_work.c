/* SPDX-License-Identifier: MIT */
/* inspect_c_work.c - entries and processes, instruction by instruction. */
#include "tools/inspect_c.h"

#include "format/names.h"

#include <string.h>

/* Open body: where it ends, or where its branches do. */
struct open {
	uint32_t end, targets, branch, branches; /* targets: instruction of the first TARGET; branches 0: one end */
};
struct walk {
	struct said *s;
	const struct ptowsp_instruction *code;
	const uint32_t *axes, *kernels; /* lists of WORK */
	struct ptowsp_workload_header header;
	struct open open[PTOWSP_NESTING_LIMIT];
	uint32_t depth;
	uint32_t calls;             /* rows of CALL that were said */
	uint32_t call_end, call_depth; /* of the open one; call_end PTOWSP_NONE: none is */
	uint8_t stuck; /* 1: there is something that no call says */
};

/* ---- bodies -------------------------------------------------------------------------------------------------------------------------- */

static void body_open(struct walk *w, struct open open)
{
	if (w->depth == PTOWSP_NESTING_LIMIT) {
		w->stuck = 1;
		return;
	}
	w->open[w->depth++] = open;
	w->s->depth++;
}

static void branch_say(struct walk *w, struct open *top)
{
	w->s->depth--;
	say(w->s, top->branches == 2 && w->code[top->targets - 1].opcode == PTOWSP_OP_COND ? "else" : "next");
	w->s->depth++;
}

/* A call ends in the body in which it began, before that body does. */
static void call_close(struct walk *w, uint32_t i)
{
	if (w->call_end != i || w->depth != w->call_depth)
		return;
	w->s->depth--;
	say(w->s, "call_end");
	w->call_end = PTOWSP_NONE;
}

/* Bodies and branches that end in front of instruction i. An if whose branches end at one place has no else. */
static void bodies_close(struct walk *w, uint32_t i)
{
	call_close(w, i);
	while (w->depth && w->open[w->depth - 1].end == i) {
		struct open *top = &w->open[w->depth - 1];
		int cond = top->branches && w->code[top->targets - 1].opcode == PTOWSP_OP_COND;

		if (top->branch + 1 < top->branches && !(cond && w->code[top->targets + 1].operand2 == i)) {
			top->end = w->code[top->targets + ++top->branch].operand2;
			branch_say(w, top);
			continue;
		}
		w->depth--;
		w->s->depth--;
		say(w->s, "end");
		call_close(w, i);
	}
}

static void call_arguments_say(struct walk *w, const struct ptowsp_call_record *call)
{
	struct said *s = w->s;

	for (uint32_t k = 0; k < call->argument_count; k++) {
		const struct ptowsp_call_argument_record *a = &s->t->call_argument[call->arguments + k];
		uint32_t row = a->row == PTOWSP_NONE ? 0 : say_expr(s, a->row), column = a->column == PTOWSP_NONE ? 0 : say_expr(s, a->column);

		if (a->tensor != PTOWSP_NONE)
			say(s, "call_tensor", s->tensors[a->tensor], row, column);
		else if (a->slot != PTOWSP_NONE)
			say(s, "call_scalar", s->slots[a->slot], row);
	}
}

/* Calls that were expanded from instruction i on; one without instructions ends at once. */
static void calls_say(struct walk *w, uint32_t i)
{
	const struct pkg_tables *t = w->s->t;

	while (w->calls < t->call_count && t->call[w->calls].first == i && w->call_end == PTOWSP_NONE) {
		const struct ptowsp_call_record *call = &t->call[w->calls++];

		say(w->s, "call", pkg_string(t, t->entry[call->callee].name));
		w->s->depth++;
		call_arguments_say(w, call);
		w->call_end = call->first + call->instructions;
		w->call_depth = w->depth;
		if (!call->instructions)
			call_close(w, i);
	}
}

static uint32_t branches_open(struct walk *w, uint32_t i, uint32_t count)
{
	if (count > w->header.num_instructions - i - 1) {
		w->stuck = 1;
		return i + 1;
	}
	body_open(w, (struct open){.end = w->code[i + 1].operand2, .targets = i + 1, .branches = count});
	return i + 1 + count;
}

/* ---- tasks ---------------------------------------------------------------------------------------------------------------------------- */

static const char *access_of(unsigned op)
{
	return op == PTOWSP_OP_IO_INPUT ? "in" : op == PTOWSP_OP_IO_OUTPUT ? "out" : op == PTOWSP_OP_IO_INOUT ? "inout" : "none";
}

static void use_say(struct walk *w, const struct ptowsp_kernel_record *k, uint32_t number, const struct ptowsp_instruction *in)
{
	static const uint8_t ops[] = {PTOWSP_OP_IO_BIND, PTOWSP_OP_IO_INPUT, PTOWSP_OP_IO_OUTPUT, PTOWSP_OP_IO_INOUT};
	const struct pkg_tables *t = w->s->t;
	uint32_t region = say_region(w->s, in->operand2), seen = 0;

	for (uint32_t p = k->params; p < k->params + k->param_count; p++)
		if (t->param[p].kind == PTOWSP_PARAM_TENSOR && seen++ == number) {
			if (ops[t->param[p].access & 3] == in->opcode)
				say(w->s, "use", region);
			else
				say(w->s, "use_as", region, access_of(in->opcode));
			return;
		}
	w->stuck = 1;
}

static void after_say(struct said *s, const struct ptowsp_instruction *in)
{
	static const char *const kinds[] = {"after", "data", "barrier", "soft"};

	say(s, "after", kinds[in->operand1], say_expr(s, in->operand2));
}

static uint32_t task_say(struct walk *w, uint32_t i)
{
	struct said *s = w->s;
	const struct ptowsp_kernel_record *k;
	uint32_t uses = 0;

	if (w->code[i].operand1 >= w->header.num_kernels) {
		w->stuck = 1;
		return i + 1;
	}
	k = &s->t->kernel[w->kernels[w->code[i].operand1]];
	say(s, "task", s->kernels[w->kernels[w->code[i].operand1]]);
	s->depth++;
	for (i++; i < w->header.num_instructions; i++) {
		const struct ptowsp_instruction *in = &w->code[i];

		if (in->opcode == PTOWSP_OP_PARAM_CONST)
			say(s, "arg_number", (int32_t)in->operand2);
		else if (in->opcode == PTOWSP_OP_PARAM_LOOPVAR)
			say(s, "arg_loop", in->operand2);
		else if (in->opcode == PTOWSP_OP_PARAM_EXPR)
			say(s, "arg", say_expr(s, in->operand2));
		else if (in->opcode == PTOWSP_OP_AFTER && in->operand1 < 4)
			after_say(s, in);
		else if ((in->opcode >= PTOWSP_OP_IO_INPUT && in->opcode <= PTOWSP_OP_IO_INOUT) || in->opcode == PTOWSP_OP_IO_BIND)
			use_say(w, k, uses++, in);
		else
			break;
	}
	s->depth--;
	return i;
}

/* ---- instructions ------------------------------------------------------------------------------------------------------------------- */

static uint32_t axis_of(struct walk *w, uint32_t operand)
{
	if (operand < w->header.num_axes)
		return say_axis(w->s, w->axes[operand]);
	w->stuck = 1;
	return 0;
}

static uint32_t loop_say(struct walk *w, uint32_t i, const char *call)
{
	uint32_t axis = axis_of(w, w->code[i].operand1), depth = w->s->b->loops;

	say_loop_value(w->s, depth, say(w->s, call, axis));
	body_open(w, (struct open){.end = w->code[i].operand2});
	return i + 1;
}

/* The IO word behind send, consume and copy: its region; 0 if there is none. */
static uint32_t word_behind(struct walk *w, uint32_t i, unsigned op)
{
	return i + 1 < w->header.num_instructions && w->code[i + 1].opcode == op ? say_region(w->s, w->code[i + 1].operand2) : 0;
}

/* The region of a payload, in a word behind i; the next instruction. */
static uint32_t carry_say(struct walk *w, uint32_t i, unsigned op)
{
	uint32_t region = word_behind(w, i, op);

	if (region)
		say(w->s, "carry", region);
	return i + 1 + (region != 0);
}

static uint32_t consume_say(struct walk *w, uint32_t i)
{
	struct said *s = w->s;
	uint32_t depth = s->b->loops;

	say_loop_value(s, depth, say(s, "consume", s->channels[w->code[i].operand1]));
	body_open(w, (struct open){.end = w->code[i].operand2});
	return carry_say(w, i, PTOWSP_OP_IO_OUTPUT);
}

static uint32_t send_say(struct walk *w, uint32_t i)
{
	say(w->s, "send", w->s->channels[w->code[i].operand1], say_expr(w->s, w->code[i].operand2));
	return carry_say(w, i, PTOWSP_OP_IO_INPUT);
}

static uint32_t copy_say(struct walk *w, uint32_t i)
{
	say(w->s, "copy", say_region(w->s, w->code[i].operand2), word_behind(w, i, PTOWSP_OP_IO_OUTPUT));
	w->s->depth++;
	for (i += 2; i < w->header.num_instructions && w->code[i].opcode == PTOWSP_OP_AFTER && w->code[i].operand1 < 4; i++)
		after_say(w->s, &w->code[i]);
	w->s->depth--;
	return i;
}

static void extent_say(struct walk *w, const struct ptowsp_instruction *in)
{
	if (in->opcode == PTOWSP_OP_AXIS_DENSE_DYN)
		say(w->s, "extent_slot", axis_of(w, in->operand1), w->s->slots[in->operand2]);
	else
		say(w->s, "extent", axis_of(w, in->operand1), pkg_word(PKG_WORDS_axis_kind, in->opcode - PTOWSP_OP_AXIS_DENSE), in->operand2);
}

/* 1: the rows that the operands name are there; what is verified by those who run it may name any. */
static int rows_hold(const struct walk *w, const struct ptowsp_instruction *in)
{
	const struct pkg_tables *t = w->s->t;

	switch (in->opcode) {
#define X(NAME, code, mnemonic, operand1_, operand2_, effect)                                                          \
	case code:                                                                                                     \
		if (!strcmp(operand1_, "slot") && in->operand1 >= t->slot_count)                                       \
			return 0;                                                                                      \
		if (!strcmp(operand1_, "channel") && in->operand1 >= t->channel_count)                                 \
			return 0;                                                                                      \
		if ((!strcmp(operand2_, "slot row") && in->operand2 >= t->slot_count) ||                               \
		    (!strcmp(operand2_, "region") && in->operand2 >= t->region_count) ||                               \
		    (!strcmp(operand2_, "event") && in->operand2 >= t->event_count) ||                                 \
		    (!strcmp(operand2_, "tensor") && in->operand2 >= t->tensor_count) ||                               \
		    (!strcmp(operand2_, "expression") && in->operand2 >= t->expr_count))                               \
			return 0;                                                                                      \
		return 1;
#include "ptowsp/workload_ops.def"
#undef X
	}
	return 0;
}

/* Says instruction i with the words behind it; returns the next one. */
static uint32_t instruction_say(struct walk *w, uint32_t i)
{
	static const char *const scopes[] = {"core", "device", "system"};
	const struct ptowsp_instruction *in = &w->code[i];
	struct said *s = w->s;

	switch (in->opcode) {
	case PTOWSP_OP_NOP:
		say(s, "nop");
		return i + 1;
	case PTOWSP_OP_HALT:
		say(s, "halt");
		return i + 1;
	case PTOWSP_OP_PARALLEL_FOR:
		return loop_say(w, i, "parallel_for");
	case PTOWSP_OP_FOR_EACH:
		return loop_say(w, i, "for_each");
	case PTOWSP_OP_SELECT:
		return loop_say(w, i, "select");
	case PTOWSP_OP_COND:
		say(s, "if", say_expr(s, in->operand2));
		return branches_open(w, i, 2);
	case PTOWSP_OP_WHILE:
		say(s, "while", say_expr(s, in->operand2));
		body_open(w, (struct open){.end = w->code[i + 1].operand2});
		return i + 2;
	case PTOWSP_OP_COMBINE:
	case PTOWSP_OP_SEQUENTIAL:
		say(s, in->opcode == PTOWSP_OP_COMBINE ? "combine" : "sequential", (uint32_t)in->operand1);
		return branches_open(w, i, in->operand1);
	case PTOWSP_OP_SCOPE:
		say(s, "scope");
		body_open(w, (struct open){.end = in->operand2});
		return i + 1;
	case PTOWSP_OP_BREAK:
		say(s, "break");
		return i + 1;
	case PTOWSP_OP_TASK:
		return task_say(w, i);
	case PTOWSP_OP_AXIS_DENSE:
	case PTOWSP_OP_AXIS_DENSE_DYN:
	case PTOWSP_OP_AXIS_RAGGED:
	case PTOWSP_OP_AXIS_SPARSE:
		extent_say(w, in);
		return i + 1;
	case PTOWSP_OP_DISPATCH_FILTER:
		if (!pkg_policy(PTOWSP_DIRECTIVE_DISPATCH, in->operand1))
			break;
		say(s, "filter", pkg_policy(PTOWSP_DIRECTIVE_DISPATCH, in->operand1)->word, say_expr(s, in->operand2));
		return i + 1;
	case PTOWSP_OP_SLOT_SET:
		say(s, "slot_set", s->slots[in->operand1], say_expr(s, in->operand2));
		return i + 1;
	case PTOWSP_OP_SLOT_LOAD:
		say(s, in->flags ? "slot_load_bits" : "slot_load", s->slots[in->operand1], say_region(s, in->operand2));
		return i + 1;
	case PTOWSP_OP_SIGNAL:
		say(s, "signal", s->events[in->operand2]);
		return i + 1;
	case PTOWSP_OP_WAIT:
		say(s, "wait", s->events[in->operand2]);
		return i + 1;
	case PTOWSP_OP_NOTIFY:
	case PTOWSP_OP_WAIT_NOTIFY:
		say(s, in->opcode == PTOWSP_OP_NOTIFY ? "notify" : "wait_notify", (uint32_t)in->operand1, in->operand2);
		return i + 1;
	case PTOWSP_OP_BARRIER:
		say(s, "barrier");
		return i + 1;
	case PTOWSP_OP_COPY:
		return copy_say(w, i);
	case PTOWSP_OP_FENCE:
		if (in->operand1 > PTOWSP_FENCE_SYSTEM)
			break;
		say(s, "fence", scopes[in->operand1]);
		return i + 1;
	case PTOWSP_OP_ALLOC:
		say(s, "alloc", s->tensors[in->operand2]);
		return i + 1;
	case PTOWSP_OP_FREE:
		say(s, "free", s->tensors[in->operand2]);
		return i + 1;
	case PTOWSP_OP_SEND:
		return send_say(w, i);
	case PTOWSP_OP_CONSUME:
		return consume_say(w, i);
	case PTOWSP_OP_CLOSE:
		say(s, "close", s->channels[in->operand1]);
		return i + 1;
	}
	w->stuck = 1;
	return i + 1;
}

/* 1 if the code of an entry or process begins with instruction i, or there is none. */
static int begins(const struct walk *w, uint32_t i)
{
	const struct pkg_tables *t = w->s->t;

	for (uint32_t k = 0; k < t->entry_count; k++)
		if (!(t->entry[k].flags & PTOWSP_ENTRY_KERNEL) && t->entry[k].instruction == i)
			return 1;
	for (uint32_t k = 0; k < t->process_count; k++)
		if (t->process[k].instruction == i)
			return 1;
	return i >= w->header.num_instructions;
}

/* From instruction i to its last halt; the next one. */
static uint32_t code_say(struct walk *w, uint32_t i)
{
	struct said *s = w->s;

	w->depth = 0;
	w->call_end = PTOWSP_NONE;
	s->depth++;
	while (i < w->header.num_instructions && !w->stuck && !ptowsp_build_status(s->b)) {
		bodies_close(w, i);
		calls_say(w, i);
		if (w->code[i].opcode == PTOWSP_OP_HALT && !w->depth && begins(w, i + 1))
			break;
		w->stuck |= !rows_hold(w, &w->code[i]) || (i + 2 >= w->header.num_instructions && w->code[i].opcode == PTOWSP_OP_WHILE);
		if (w->stuck)
			break;
		say_position(s, 0, i);
		i = instruction_say(w, i);
	}
	s->depth = 0;
	say(s, "end");
	return i + 1;
}

/* ---- entries and processes ------------------------------------------------------------------------------------------------------------- */

static void entry_rows_say(struct said *s, uint32_t row)
{
	const struct pkg_tables *t = s->t;
	const struct ptowsp_entry_record *e = &t->entry[row];

	if (e->flags & PTOWSP_ENTRY_DEFAULT)
		say(s, "entry_default", s->entries[row]);
	if (e->flags & PTOWSP_ENTRY_PIPELINE)
		say(s, "entry_pipeline", s->entries[row]);
	for (uint32_t i = 0; i < e->value_count; i++)
		say(s, "entry_value", s->entries[row], s->slots[t->entry_value[e->values + i].slot]);
	for (uint32_t i = 0; i < t->tensor_count; i++)
		if (t->tensor[i].entry == row)
			say(s, "tensor_place", s->tensors[i], s->entries[row], t->tensor[i].position);
}

static uint32_t entry_say(struct walk *w, uint32_t row)
{
	struct said *s = w->s;
	const struct ptowsp_entry_record *e = &s->t->entry[row];
	const char *name = pkg_string(s->t, e->name);

	fputc('\n', s->to);
	say_position(s, 2, row);
	if (e->flags & PTOWSP_ENTRY_KERNEL)
		s->entries[row] = say(s, "entry_kernel", name, s->kernels[e->instruction]);
	else
		s->entries[row] = say(s, "entry", name);
	entry_rows_say(s, row);
	return e->flags & PTOWSP_ENTRY_KERNEL ? 0 : code_say(w, e->instruction);
}

static uint32_t process_say(struct walk *w, uint32_t row)
{
	struct said *s = w->s;
	const struct ptowsp_process_record *p = &s->t->process[row];
	uint32_t count = s->b->process_count, halt = p->instruction, handle;

	fputc('\n', s->to);
	while (halt + 1 < w->header.num_instructions && !(w->code[halt].opcode == PTOWSP_OP_HALT && begins(w, halt + 1)))
		halt++;
	say_position(s, 0, halt); /* its end has the position of the process */
	handle = say(s, "process", pkg_string(s->t, p->name), p->replicas);
	for (uint32_t i = 0; i < p->channel_count; i++) {
		const struct ptowsp_process_channel_record *use = &s->t->process_channel[p->channels + i];

		say(s, "process_uses", handle, pkg_word(PKG_WORDS_channel_direction, use->direction), s->channels[use->channel]);
	}
	if (p->order != count)
		say(s, "process_order", handle, p->order);
	return code_say(w, p->instruction);
}

static int walk_init(struct walk *w, struct said *s)
{
	const struct pkg_tables *t = s->t;

	*w = (struct walk){.s = s};
	if (!t->work_size)
		return 0;
	memcpy(&w->header, t->work, sizeof(w->header));
	w->code = (const void *)(t->work + sizeof(w->header));
	w->axes = (const uint32_t *)(const void *)(w->code + w->header.num_instructions);
	w->kernels = w->axes + w->header.num_axes;
	return 1;
}

static void lists_say(struct walk *w)
{
	const uint32_t *tensors = w->kernels + w->header.num_kernels;

	for (uint32_t i = 0; i < w->header.num_axes; i++)
		say(w->s, "list", say_axis(w->s, w->axes[i]));
	for (uint32_t i = 0; i < w->header.num_kernels; i++)
		say(w->s, "list", w->s->kernels[w->kernels[i]]);
	for (uint32_t i = 0; i < w->header.num_tensors; i++)
		say(w->s, "list", w->s->tensors[tensors[i]]);
}

/* Values lie in the order of declaration. The entry without code that comes next, of those whose values end in front of `values`;
 * entry_count if there is none. */
static uint32_t task_next(const struct walk *w, uint64_t values)
{
	const struct pkg_tables *t = w->s->t;
	uint64_t best = UINT64_MAX;
	uint32_t found = t->entry_count;

	for (uint32_t i = 0; i < t->entry_count; i++) {
		const struct ptowsp_entry_record *e = &t->entry[i];
		uint64_t rank = (uint64_t)e->values << 32 | e->value_count;

		if (e->flags & PTOWSP_ENTRY_KERNEL && !w->s->entries[i] && (uint64_t)e->values + e->value_count <= values && rank < best) {
			best = rank;
			found = i;
		}
	}
	return found;
}

static void tasks_say(struct walk *w, uint64_t values)
{
	for (uint32_t i = task_next(w, values); i < w->s->t->entry_count && !ptowsp_build_status(w->s->b); i = task_next(w, values))
		entry_say(w, i);
}

void say_work(struct said *s)
{
	const struct pkg_tables *t = s->t;
	struct walk w;
	uint32_t at = 0, found;

	if (walk_init(&w, s) && s->how & SAY_STATED)
		lists_say(&w);
	while (at < w.header.num_instructions && !w.stuck && !ptowsp_build_status(s->b)) {
		found = at;
		for (uint32_t i = 0; i < t->entry_count && found == at; i++)
			if (!(t->entry[i].flags & PTOWSP_ENTRY_KERNEL) && t->entry[i].instruction == at) {
				tasks_say(&w, t->entry[i].values);
				at = entry_say(&w, i);
			}
		for (uint32_t i = 0; i < t->process_count && found == at; i++)
			if (t->process[i].instruction == at)
				at = process_say(&w, i);
		if (found == at) {
			/* Code that nothing begins: it cannot be said. */
			w.stuck = 1;
		}
	}
	tasks_say(&w, UINT64_MAX);
	s->failed |= w.stuck ? 2 : 0;
}
