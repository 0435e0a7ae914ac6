/* SPDX-License-Identifier: MIT */
/* work.c - statements of bodies from instructions of WORK. */
#include "print/work.h"

#include "format/names.h"
#include "lang/expr_print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPR_TEXT 16384u

struct ptowsp_instruction print_instruction(const struct print_job *job, uint32_t at)
{
	struct ptowsp_instruction instruction;

	memcpy(&instruction, job->instructions + 8ull * at, sizeof(instruction));
	return instruction;
}

static uint32_t row_at(const struct print_job *job, uint32_t index)
{
	uint32_t row;

	memcpy(&row, job->instructions + 8ull * job->work.num_instructions + 4ull * index, sizeof(row));
	return row;
}

uint32_t print_axis_row(const struct print_job *job, uint32_t index)
{
	return row_at(job, index);
}

uint32_t print_kernel_row(const struct print_job *job, uint32_t index)
{
	return row_at(job, job->work.num_axes + index);
}

/* --- pieces of a line --- */

void print_line(struct print_work *w)
{
	print_indent(w->text, w->depth);
}

void print_line_end(struct print_work *w, uint32_t at)
{
	print_end_with(w->job, w->text, 0, at, &w->divisions);
	w->divisions.count = 0;
}

void print_expr(struct print_work *w, uint32_t row)
{
	struct reg_text text;
	char *memory = malloc(EXPR_TEXT);

	if (!memory) {
		w->text->failed = 1;
		return;
	}
	reg_text_init(&text, memory, EXPR_TEXT);
	if (lang_expr_print(w->job->t, row, w->loops, w->loop_count, &text)) {
		print_add(w->text, "%s", memory);
		print_divisions_add(w->job, &w->divisions, row);
	} else {
		print_add(w->text, "0 ");
		print_unsaid(w->text, 0, "the expression that stands here");
	}
	free(memory);
}

int print_is_number(const struct print_job *job, uint32_t row, int64_t value)
{
	const struct ptowsp_expr_record *e = &job->t->expr[row];

	return e->op == PTOWSP_EXPR_CONST && (int64_t)((uint64_t)e->c << 32 | e->b) == value;
}

static void place_add(struct print_work *w, uint32_t tensor, uint32_t row, uint32_t column)
{
	print_add(w->text, "[");
	if (w->job->t->tensor[tensor].dim_count != 1 || !print_is_number(w->job, row, 0)) {
		print_expr(w, row);
		print_add(w->text, ", ");
	}
	print_expr(w, column);
}

static void tensor_add(struct print_work *w, uint32_t tensor)
{
	const char *name = print_string(w->job, w->job->t->tensor[tensor].name);

	if (!print_is_name(name) || w->job->t->tensor[tensor].entry != PTOWSP_NONE)
		print_unsaid(w->text, 0, "the tensor \"%.80s\" in a body", name);
	print_add(w->text, "%%%s", name);
}

/* As a matrix: the last dimension are the columns, all others rows. 0 if that depends on symbols. */
static int is_whole(const struct print_job *job, const struct ptowsp_region_record *region)
{
	const struct ptowsp_tensor_record *t = &job->t->tensor[region->tensor];
	uint64_t rows = 1;

	if (!t->dim_count || !print_is_number(job, region->row, 0) || !print_is_number(job, region->column, 0))
		return 0;
	for (uint32_t i = 0; i + 1 < t->dim_count; i++) {
		const struct ptowsp_expr_record *e = &job->t->expr[job->t->dim[t->dims + i].extent];

		if (e->op != PTOWSP_EXPR_CONST || e->c || rows > UINT32_MAX)
			return 0;
		rows *= e->b;
	}
	return rows == region->rows && print_is_number(job, job->t->dim[t->dims + t->dim_count - 1].extent, region->columns);
}

/* "[row, column : ...]": a flat window in steps of the tensor's columns, or of elements where symbols say how many those are. 0: in other steps. */
static int flat_add(struct print_work *w, const struct ptowsp_region_record *region)
{
	const struct pkg_tables *t = w->job->t;
	const struct ptowsp_tensor_record *tensor = &t->tensor[region->tensor];
	uint32_t last = tensor->dim_count ? t->dim[tensor->dims + tensor->dim_count - 1].extent : PTOWSP_NONE;

	if (last == PTOWSP_NONE)
		return 0;
	if (t->expr[last].op == PTOWSP_EXPR_CONST ? !print_is_number(w->job, last, region->unit)
						  : region->unit != 1 || !print_is_number(w->job, region->column, 0))
		return 0;
	if (t->expr[last].op == PTOWSP_EXPR_CONST)
		place_add(w, region->tensor, region->row, region->column);
	else
		place_add(w, region->tensor, region->column, region->row);
	print_add(w->text, " : ...");
	if (region->columns)
		print_add(w->text, ", %lu", (unsigned long)region->columns);
	print_add(w->text, "]");
	return 1;
}

static void view_add(struct print_work *w, const struct ptowsp_region_record *region)
{
	if (region->view)
		print_add(w->text, " as %s", print_dtype(region->view - 1));
}

void print_part(struct print_work *w, uint32_t row, uint32_t rows, uint32_t columns)
{
	const struct ptowsp_region_record *region = &w->job->t->region[row];
	uint32_t size = region->view ? pkg_dtype_bytes(region->view - 1) : 1;

	tensor_add(w, region->tensor);
	if (region->unit) {
		if (!flat_add(w, region))
			print_unsaid(w->text, 0, "a region that is flat in steps of %lu", (unsigned long)region->unit);
	} else if (!is_whole(w->job, region)) {
		place_add(w, region->tensor, region->row, region->column);
		if (region->rows != rows || region->columns != columns * size)
			print_add(w->text, " : %lu, %lu", (unsigned long)region->rows, (unsigned long)region->columns);
		print_add(w->text, "]");
	}
	view_add(w, region);
}

void print_argument(struct print_work *w, uint32_t row, unsigned dtype)
{
	const struct ptowsp_expr_record *e = &w->job->t->expr[row];
	char number[40];

	if (e->op != PTOWSP_EXPR_CONST || dtype > PTOWSP_F64) {
		print_expr(w, row);
		return;
	}
	if (!print_number(number, (uint64_t)e->c << 32 | e->b, dtype))
		print_unsaid(w->text, w->depth, "the %s with the bits 0x%llx as an argument", print_dtype(dtype), (unsigned long long)((uint64_t)e->c << 32 | e->b));
	print_add(w->text, "%s", number);
}

/* --- calls that were expanded --- */

void print_expansion(struct print_work *w, const struct ptowsp_call_record *call)
{
	const struct pkg_tables *t = w->job->t;
	const struct ptowsp_call_argument_record *args = t->call_argument + call->arguments;
	const char *callee = print_string(w->job, t->entry[call->callee].name);

	print_line(w);
	print_add(w->text, "call @%s(", callee);
	for (uint32_t i = 0; i < call->argument_count; i++) {
		uint32_t formal = args[i].tensor == PTOWSP_NONE ? PTOWSP_NONE : print_tensor_of(w->job, call->callee, i);

		print_add(w->text, "%s%%%s -> ", i ? ", " : "",
			  formal != PTOWSP_NONE ? print_memref_name(w->job, call->callee, formal) : print_symbol_name(w->job, callee, args[i].slot));
		if (formal == PTOWSP_NONE) {
			print_argument(w, args[i].row, t->slot[args[i].slot].dtype);
			continue;
		}
		tensor_add(w, args[i].tensor);
		if (!print_is_number(w->job, args[i].row, 0) || !print_is_number(w->job, args[i].column, 0)) {
			place_add(w, args[i].tensor, args[i].row, args[i].column);
			print_add(w->text, "]");
		}
	}
	print_add(w->text, ")");
	print_line_end(w, PTOWSP_NONE);
}

/* The calls that begin here, in their order; how far their instructions reach. */
static uint32_t expansions_print(struct print_work *w, uint32_t at, uint32_t to)
{
	const struct pkg_tables *t = w->job->t;

	while (w->next_call < t->call_count && t->call[w->next_call].first < at)
		w->next_call++;
	for (; w->next_call < t->call_count; w->next_call++) {
		const struct ptowsp_call_record *call = &t->call[w->next_call];

		if (call->first != at || call->instructions > to - at)
			break;
		print_expansion(w, call);
		at += call->instructions;
	}
	return at;
}

/* --- bodies --- */

static void block_print(struct print_work *w, uint32_t from, uint32_t to)
{
	w->depth++;
	print_body(w, from, to);
	w->depth--;
}

static void close_print(struct print_work *w, const char *text)
{
	print_line(w);
	print_add(w->text, "%s", text);
	print_end(w->text);
}

static uint32_t target_at(const struct print_work *w, uint32_t at)
{
	return print_instruction(w->job, at).operand2;
}

static uint32_t cond_print(struct print_work *w, uint32_t at, const struct ptowsp_instruction *inst)
{
	uint32_t middle = target_at(w, at + 1), end = target_at(w, at + 2);

	print_line(w);
	print_add(w->text, "if ");
	print_expr(w, inst->operand2);
	print_add(w->text, " {");
	print_line_end(w, at);
	block_print(w, at + 3, middle);
	if (end > middle) {
		close_print(w, "} else {");
		block_print(w, middle, end);
	}
	close_print(w, "}");
	return end;
}

static uint32_t while_print(struct print_work *w, uint32_t at, const struct ptowsp_instruction *inst)
{
	print_line(w);
	print_add(w->text, "while ");
	print_expr(w, inst->operand2);
	print_add(w->text, " {");
	print_line_end(w, at);
	block_print(w, at + 2, target_at(w, at + 1));
	close_print(w, "}");
	return target_at(w, at + 1);
}

static uint32_t branches_print(struct print_work *w, uint32_t at, const struct ptowsp_instruction *inst)
{
	uint32_t from = at + 1 + inst->operand1;

	print_line(w);
	print_add(w->text, "%s {", pkg_word(PKG_WORDS_opcode, inst->opcode));
	print_line_end(w, at);
	for (uint32_t i = 0; i < inst->operand1; i++) {
		if (i)
			close_print(w, "} {");
		block_print(w, from, target_at(w, at + 1 + i));
		from = target_at(w, at + 1 + i);
	}
	close_print(w, "}");
	return from;
}

static uint32_t scope_print(struct print_work *w, uint32_t at, const struct ptowsp_instruction *inst)
{
	print_line(w);
	print_add(w->text, "scope {");
	print_line_end(w, at);
	block_print(w, at + 1, inst->operand2);
	close_print(w, "}");
	return inst->operand2;
}

/* --- statements of one instruction --- */

static const char *name_of(struct print_work *w, uint32_t name)
{
	const char *text = print_string(w->job, name);

	if (!print_is_name(text))
		print_unsaid(w->text, w->depth, "the name \"%.80s\"", text);
	return text;
}

/* "%s, value": a slot that the source sets, or the number of the task that follows, which then has a name. */
static uint32_t set_print(struct print_work *w, uint32_t at, const struct ptowsp_instruction *inst)
{
	const struct ptowsp_slot_record *slot = &w->job->t->slot[inst->operand1];

	if (slot->flags & PTOWSP_SLOT_INTERNAL && w->job->t->expr[inst->operand2].op == PTOWSP_EXPR_TASK &&
	    lang_task_name(print_string(w->job, slot->name), w->task_name, sizeof(w->task_name))) {
		w->task = w->task_name;
		return at + 1;
	}
	print_line(w);
	print_add(w->text, "slot_set %%%s, ", name_of(w, slot->name));
	print_expr(w, inst->operand2);
	print_line_end(w, at);
	return at + 1;
}

static uint32_t load_print(struct print_work *w, uint32_t at, const struct ptowsp_instruction *inst)
{
	print_line(w);
	print_add(w->text, "slot_load %%%s, ", name_of(w, w->job->t->slot[inst->operand1].name));
	tensor_add(w, w->job->t->region[inst->operand2].tensor);
	if (w->job->t->region[inst->operand2].unit)
		print_unsaid(w->text, w->depth, "a flat region that a slot is loaded from");
	place_add(w, w->job->t->region[inst->operand2].tensor, w->job->t->region[inst->operand2].row, w->job->t->region[inst->operand2].column);
	print_add(w->text, "]");
	view_add(w, &w->job->t->region[inst->operand2]);
	print_add(w->text, "%s", inst->flags & PTOWSP_SLOT_LOAD_BITS ? " bits" : "");
	print_line_end(w, at);
	return at + 1;
}

static int is_sharded(const struct ptowsp_dim_record *dims, uint32_t count)
{
	while (count && !dims[count - 1].distribution)
		count--;
	return count > 0;
}

/* The two dimensions are one and cut over two axes, or two and cut over one. */
static int dims_contradict(const struct ptowsp_dim_record *a, const struct ptowsp_dim_record *b, int same)
{
	return a->distribution && b->distribution && (a->mesh_axis == b->mesh_axis) != same;
}

/* The layouts join, so that copy may stand between the two; relayout otherwise. */
static int layouts_join(const struct pkg_tables *t, uint32_t from, uint32_t to)
{
	const struct ptowsp_tensor_record *x = &t->tensor[from], *y = &t->tensor[to];
	const struct ptowsp_dim_record *a = t->dim + x->dims, *b = t->dim + y->dims;

	if (!is_sharded(a, x->dim_count) || !is_sharded(b, y->dim_count))
		return 1;
	for (uint32_t i = 0; i < x->dim_count && x->dim_count == y->dim_count; i++)
		for (uint32_t k = 0; k < y->dim_count; k++)
			if (dims_contradict(&a[i], &b[k], i == k))
				return 0;
	return x->dim_count == y->dim_count;
}

static uint32_t copy_print(struct print_work *w, uint32_t at, const struct ptowsp_instruction *inst)
{
	const struct pkg_tables *t = w->job->t;
	uint32_t to = target_at(w, at + 1), end;

	print_line(w);
	if (w->task)
		print_add(w->text, "%%%s = ", w->task);
	w->task = NULL;
	print_add(w->text, "%s ", layouts_join(t, t->region[inst->operand2].tensor, t->region[to].tensor) ? "copy" : "relayout");
	print_part(w, inst->operand2, 0, 0);
	print_add(w->text, " -> ");
	print_part(w, to, t->region[inst->operand2].rows, t->region[inst->operand2].columns);
	end = print_afters(w, at + 2);
	print_line_end(w, at);
	return end;
}

static uint32_t send_print(struct print_work *w, uint32_t at, const struct ptowsp_instruction *inst)
{
	int payload = w->job->t->channel[inst->operand1].kind == PTOWSP_CHANNEL_PAYLOAD;

	print_line(w);
	print_add(w->text, "send %%%s, ", name_of(w, w->job->t->channel[inst->operand1].name));
	print_expr(w, inst->operand2);
	if (payload) {
		const struct ptowsp_region_record *r = &w->job->t->region[target_at(w, at + 1)];

		print_add(w->text, " from ");
		print_part(w, target_at(w, at + 1), r->rows, r->columns);
	}
	print_line_end(w, at);
	return at + 1 + (uint32_t)payload;
}

static uint32_t bare_print(struct print_work *w, uint32_t at, const char *operand)
{
	print_line(w);
	print_add(w->text, "%s%s%s", pkg_word(PKG_WORDS_opcode, print_instruction(w->job, at).opcode), *operand ? " " : "", operand);
	print_line_end(w, at);
	return at + 1;
}

static uint32_t named_print(struct print_work *w, uint32_t at, uint32_t name)
{
	print_line(w);
	print_add(w->text, "%s %%%s", pkg_word(PKG_WORDS_opcode, print_instruction(w->job, at).opcode), name_of(w, name));
	print_line_end(w, at);
	return at + 1;
}

static uint32_t unknown_print(struct print_work *w, uint32_t at)
{
	const char *word = pkg_word(PKG_WORDS_opcode, print_instruction(w->job, at).opcode);

	print_unsaid(w->text, w->depth, "%s", word ? word : "an instruction that is not known");
	return at + 1;
}

/* An axis with a list is one declaration, whatever the loops over it are called: its words are one statement. */
static uint32_t extent_print(struct print_work *w, uint32_t at, const struct ptowsp_instruction *inst)
{
	const struct ptowsp_axis_record *axes = w->job->t->axis, *axis = &axes[print_axis_row(w->job, inst->operand1)];

	print_line(w);
	print_add(w->text, "extent ");
	print_axis_name(w->job, w->text, print_axis_row(w->job, inst->operand1));
	if (inst->opcode == PTOWSP_OP_AXIS_DENSE_DYN)
		print_add(w->text, " = %%%s", name_of(w, w->job->t->slot[inst->operand2].name));
	else
		print_add(w->text, " = %lu", (unsigned long)inst->operand2);
	print_line_end(w, at);
	for (at++; axis->count; at++) {
		struct ptowsp_instruction next = print_instruction(w->job, at);

		if (next.opcode != inst->opcode || axes[print_axis_row(w->job, next.operand1)].first != axis->first)
			break;
	}
	return at;
}

static uint32_t filter_print(struct print_work *w, uint32_t at, const struct ptowsp_instruction *inst)
{
	const struct pkg_policy *policy = pkg_policy(PTOWSP_DIRECTIVE_DISPATCH, inst->operand1);

	if (!policy)
		return unknown_print(w, at);
	print_line(w);
	print_add(w->text, "dispatch_filter %s", policy->word);
	if (inst->operand1 != PTOWSP_DISPATCH_ROUND_ROBIN || !print_is_number(w->job, inst->operand2, 0)) {
		print_add(w->text, "(");
		print_expr(w, inst->operand2);
		print_add(w->text, ")");
	}
	print_line_end(w, at);
	return at + 1;
}

static const char *notification_add(char *text, size_t size, const struct ptowsp_instruction *inst)
{
	snprintf(text, size, "%u, %lu", inst->operand1, (unsigned long)inst->operand2);
	return text;
}

/* One instruction and what belongs to it; where the next one is. */
static uint32_t instruction_print(struct print_work *w, uint32_t at)
{
	static const char *const scopes[] = {"core", "device", "system"};
	const struct pkg_tables *t = w->job->t;
	struct ptowsp_instruction inst = print_instruction(w->job, at);
	char text[40];

	switch (inst.opcode) {
	case PTOWSP_OP_PARALLEL_FOR:
	case PTOWSP_OP_FOR_EACH:
	case PTOWSP_OP_SELECT:
	case PTOWSP_OP_CONSUME:
		return print_loop(w, at);
	case PTOWSP_OP_COND:
		return cond_print(w, at, &inst);
	case PTOWSP_OP_WHILE:
		return while_print(w, at, &inst);
	case PTOWSP_OP_COMBINE:
	case PTOWSP_OP_SEQUENTIAL:
		return branches_print(w, at, &inst);
	case PTOWSP_OP_SCOPE:
		return scope_print(w, at, &inst);
	case PTOWSP_OP_TASK:
		return print_task(w, at);
	case PTOWSP_OP_COPY:
		return copy_print(w, at, &inst);
	case PTOWSP_OP_SLOT_SET:
		return set_print(w, at, &inst);
	case PTOWSP_OP_SLOT_LOAD:
		return load_print(w, at, &inst);
	case PTOWSP_OP_SEND:
		return send_print(w, at, &inst);
	case PTOWSP_OP_CLOSE:
		return named_print(w, at, t->channel[inst.operand1].name);
	case PTOWSP_OP_SIGNAL:
	case PTOWSP_OP_WAIT:
		return named_print(w, at, t->event[inst.operand2].name);
	case PTOWSP_OP_ALLOC:
	case PTOWSP_OP_FREE:
		return named_print(w, at, t->tensor[inst.operand2].name);
	case PTOWSP_OP_BARRIER:
	case PTOWSP_OP_BREAK:
	case PTOWSP_OP_NOP:
	case PTOWSP_OP_HALT:
		return bare_print(w, at, "");
	case PTOWSP_OP_AXIS_DENSE:
	case PTOWSP_OP_AXIS_DENSE_DYN:
	case PTOWSP_OP_AXIS_RAGGED:
	case PTOWSP_OP_AXIS_SPARSE:
		return extent_print(w, at, &inst);
	case PTOWSP_OP_DISPATCH_FILTER:
		return filter_print(w, at, &inst);
	case PTOWSP_OP_NOTIFY:
	case PTOWSP_OP_WAIT_NOTIFY:
		return bare_print(w, at, notification_add(text, sizeof(text), &inst));
	case PTOWSP_OP_FENCE:
		return inst.operand1 < 3 ? bare_print(w, at, scopes[inst.operand1]) : unknown_print(w, at);
	default:
		return unknown_print(w, at);
	}
}

void print_body(struct print_work *w, uint32_t from, uint32_t to)
{
	uint32_t at = from;

	for (;;) {
		uint32_t next;

		at = expansions_print(w, at, to);
		if (at >= to)
			break;
		next = instruction_print(w, at);
		at = next > at ? next : at + 1;
	}
}
