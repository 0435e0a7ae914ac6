/* SPDX-License-Identifier: MIT */
/* print_work.c - workloads, channels and processes: their bodies, from instructions of WORK, and the parts of tensors that they name. */
#include "print/print_work.h"
#include "format/format_names.h"
#include "lang/expr_print.h"
#include "print/print_text.h"
#include "registry/common/common_dtype.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define EXPR_TEXT 16384u

struct ptowsp_instruction print_instruction(const struct print_job *job, uint32_t at)
{
	return pkg_code_at(job->code, at);
}

uint32_t print_axis_row(const struct print_job *job, uint32_t index)
{
	return pkg_code_axis(job->code, index);
}

uint32_t print_kernel_row(const struct print_job *job, uint32_t index)
{
	return pkg_code_kernel(job->code, index);
}

uint32_t print_target(const struct print_work *w, uint32_t at)
{
	return print_instruction(w->job, at).operand2;
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
		w->text->out.failed = 1;
		return;
	}
	reg_text_init(&text, memory, EXPR_TEXT);
	if (lang_expr_print(w->job->t, row, w->loops, w->loop_count, &text)) {
		print_add(w->text, "%s", memory);
		print_divisions_add(w->job, &w->divisions, row);
	} else {
		print_add(w->text, "0 ");
		print_inexpressible(w->text, 0, "the expression that stands here");
	}
	free(memory);
}

bool print_is_number(const struct print_job *job, uint32_t row, int64_t value)
{
	const struct ptowsp_expr_record *e = &job->t->expr[row];

	return e->op == PTOWSP_EXPR_CONST && (int64_t)((uint64_t)e->c << 32 | e->b) == value;
}

void print_argument(struct print_work *w, uint32_t row, unsigned dtype)
{
	const struct ptowsp_expr_record *e = &w->job->t->expr[row];
	const uint32_t integer = print_float_of(w->job->t, row, dtype);
	char number[40];

	if (e->op != PTOWSP_EXPR_CONST || dtype > PTOWSP_F64) {
		print_expr(w, integer == PTOWSP_NONE ? row : integer);
		return;
	}
	if (!print_number(number, (uint64_t)e->c << 32 | e->b, dtype))
		print_inexpressible(w->text, w->depth, "the %s with the bits 0x%llx as an argument", print_dtype(dtype),
				    (unsigned long long)((uint64_t)e->c << 32 | e->b));
	print_add(w->text, "%s", number);
}

/* --- calls that were expanded --- */

static void expansion_print(struct print_work *w, const struct ptowsp_call_record *call)
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
		print_tensor(w, args[i].tensor);
		if (!print_is_number(w->job, args[i].row, 0) || !print_is_number(w->job, args[i].column, 0)) {
			print_place_at(w, args[i].tensor, args[i].row, args[i].column);
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
		expansion_print(w, call);
		at += call->instructions;
	}
	return at;
}

/* --- bodies --- */

static void close_print(struct print_work *w, const char *text)
{
	print_line(w);
	print_add(w->text, "%s", text);
	print_end(w->text);
}

/* Statements of [from, to). */
static void print_body(struct print_work *w, uint32_t from, uint32_t to);

void print_bodies(struct print_work *w, uint32_t at)
{
	const bool cond = print_instruction(w->job, at).opcode == PTOWSP_OP_COND;
	uint32_t from, to;

	for (uint32_t i = 0; pkg_code_body(w->job->code, at, i, &from, &to); i++) {
		if (i && cond && from == to)
			break;
		if (i)
			close_print(w, cond ? "} else {" : "} {");
		w->depth++;
		print_body(w, from, to);
		w->depth--;
	}
	close_print(w, "}");
}

static uint32_t block_print(struct print_work *w, uint32_t at, const struct ptowsp_instruction *inst)
{
	print_line(w);
	print_add(w->text, "%s ", inst->opcode == PTOWSP_OP_COND ? "if" : pkg_word(PKG_WORDS_opcode, inst->opcode));
	if (inst->opcode == PTOWSP_OP_COND || inst->opcode == PTOWSP_OP_WHILE) {
		print_expr(w, inst->operand2);
		print_add(w->text, " ");
	}
	print_add(w->text, "{");
	print_line_end(w, at);
	print_bodies(w, at);
	return pkg_code_behind(w->job->code, at);
}

/* Instructions that have bodies; all others are one line. */
static uint32_t (*const prints[])(struct print_work *work, uint32_t at, const struct ptowsp_instruction *instruction) = {
	[PTOWSP_OP_PARALLEL_FOR] = print_loop, [PTOWSP_OP_FOR_EACH] = print_loop,    [PTOWSP_OP_SELECT] = print_loop,
	[PTOWSP_OP_CONSUME] = print_loop,      [PTOWSP_OP_COND] = block_print,       [PTOWSP_OP_WHILE] = block_print,
	[PTOWSP_OP_COMBINE] = block_print,     [PTOWSP_OP_SEQUENTIAL] = block_print, [PTOWSP_OP_SCOPE] = block_print,
};

/* One instruction and what belongs to it; where the next one is. */
static uint32_t instruction_print(struct print_work *w, uint32_t at)
{
	struct ptowsp_instruction inst = print_instruction(w->job, at);

	if (inst.opcode < sizeof(prints) / sizeof(*prints) && prints[inst.opcode])
		return prints[inst.opcode](w, at, &inst);
	return print_statement(w, at, &inst);
}

static void print_body(struct print_work *w, uint32_t from, uint32_t to)
{
	for (uint32_t at = expansions_print(w, from, to); at < to;) {
		const uint32_t next = instruction_print(w, at);

		at = expansions_print(w, next > at ? next : at + 1, to);
	}
}

/* ---- parts of tensors as bodies name them. ---- */

void print_place_at(struct print_work *w, uint32_t tensor, uint32_t row, uint32_t column)
{
	print_add(w->text, "[");
	if (w->job->t->tensor[tensor].dim_count != 1 || !print_is_number(w->job, row, 0)) {
		print_expr(w, row);
		print_add(w->text, ", ");
	}
	print_expr(w, column);
}

void print_tensor(struct print_work *w, uint32_t tensor)
{
	const char *name = print_string(w->job, w->job->t->tensor[tensor].name);

	if (!lang_name_is_plain(name) || w->job->t->tensor[tensor].entry != PTOWSP_NONE)
		print_inexpressible(w->text, 0, "the tensor \"%.80s\" in a body", name);
	print_add(w->text, "%%%s", name);
}

/* The region is the whole matrix: the last dimension are the columns, all others rows. 0 if that depends on symbols. */
static bool is_whole(const struct print_job *job, const struct ptowsp_region_record *region)
{
	const struct ptowsp_tensor_record *t = &job->t->tensor[region->tensor];
	uint64_t rows = 1;

	if (!t->dim_count || !print_is_number(job, region->row, 0) || !print_is_number(job, region->column, 0))
		return false;
	for (uint32_t i = 0; i + 1 < t->dim_count; i++) {
		const struct ptowsp_expr_record *e = &job->t->expr[job->t->dim[t->dims + i].extent];

		if (e->op != PTOWSP_EXPR_CONST || e->c || rows > UINT32_MAX)
			return false;
		rows *= e->b;
	}
	return rows == region->rows && print_is_number(job, job->t->dim[t->dims + t->dim_count - 1].extent, region->columns);
}

/* "[row, column : ...]": a flat window in steps of the tensor's columns, or of elements where symbols say how many those are. 0: in other steps. */
static bool flat_add(struct print_work *w, const struct ptowsp_region_record *region)
{
	const struct pkg_tables *t = w->job->t;
	const struct ptowsp_tensor_record *tensor = &t->tensor[region->tensor];
	uint32_t last = tensor->dim_count ? t->dim[tensor->dims + tensor->dim_count - 1].extent : PTOWSP_NONE;

	if (last == PTOWSP_NONE)
		return false;
	if (t->expr[last].op == PTOWSP_EXPR_CONST ? !print_is_number(w->job, last, region->unit)
						  : region->unit != 1 || !print_is_number(w->job, region->column, 0))
		return false;
	if (t->expr[last].op == PTOWSP_EXPR_CONST)
		print_place_at(w, region->tensor, region->row, region->column);
	else
		print_place_at(w, region->tensor, region->column, region->row);
	print_add(w->text, " : ...");
	if (region->columns)
		print_add(w->text, ", %lu", (unsigned long)region->columns);
	print_add(w->text, "]");
	return true;
}

void print_view(struct print_work *w, const struct ptowsp_region_record *region)
{
	if (region->view)
		print_add(w->text, " as %s", print_dtype(region->view - 1));
}

/* " : rows, columns"; an extent that a run decides is an EXPR row. */
static void extents_add(struct print_work *w, const struct ptowsp_region_record *region, const uint32_t extents[2])
{
	const uint32_t sizes[2] = {region->rows, region->columns};

	for (unsigned axis = 0; axis < 2; axis++) {
		print_add(w->text, axis ? ", " : " : ");
		if (extents[axis] == PTOWSP_NONE)
			print_add(w->text, "%lu", (unsigned long)sizes[axis]);
		else
			print_expr(w, extents[axis]);
	}
}

void print_part(struct print_work *w, uint32_t row, uint32_t rows, uint32_t columns)
{
	static const uint32_t none[2] = {PTOWSP_NONE, PTOWSP_NONE};

	print_part_open(w, row, rows, columns, none);
}

void print_part_open(struct print_work *w, uint32_t row, uint32_t rows, uint32_t columns, const uint32_t extents[2])
{
	const bool open = extents[0] != PTOWSP_NONE || extents[1] != PTOWSP_NONE;

	const struct ptowsp_region_record *region = &w->job->t->region[row];
	uint32_t size = region->view ? common_dtype_bytes(region->view - 1) : 1;

	print_tensor(w, region->tensor);
	if (region->unit) {
		if (!flat_add(w, region))
			print_inexpressible(w->text, 0, "a region that is flat in steps of %lu", (unsigned long)region->unit);
	} else if (open || !is_whole(w->job, region)) {
		print_place_at(w, region->tensor, region->row, region->column);
		if (open || region->rows != rows || region->columns != columns * size)
			extents_add(w, region, extents);
		print_add(w->text, "]");
	}
	print_view(w, region);
}

/* ---- channels, processes and workloads: what has a body, and what it sends through. ---- */

/* The region of what some process sends into the channel, or takes from it; NULL: none does. */
static const struct ptowsp_region_record *payload_region(const struct print_job *job, uint32_t channel)
{
	for (uint32_t at = 0; at + 1 < job->work.num_instructions; at++) {
		struct ptowsp_instruction inst = print_instruction(job, at);

		if ((inst.opcode == PTOWSP_OP_SEND || inst.opcode == PTOWSP_OP_CONSUME) && inst.operand1 == channel) {
			struct ptowsp_instruction word = print_instruction(job, at + 1);

			if (word.operand2 < job->t->region_count)
				return &job->t->region[word.operand2];
		}
	}
	return NULL;
}

void print_channels(const struct print_job *job, struct print_text *text)
{
	for (uint32_t i = 0; i < job->t->channel_count; i++) {
		const struct ptowsp_channel_record *c = &job->t->channel[i];
		const struct ptowsp_region_record *r = c->kind == PTOWSP_CHANNEL_PAYLOAD ? payload_region(job, i) : NULL;

		print_add(text, "channel %%%s : ", print_string(job, c->name));
		if (r)
			print_add(text, "payload %s[%lu, %lu]", print_dtype(job->t->tensor[r->tensor].dtype), (unsigned long)r->rows,
				  (unsigned long)r->columns);
		else
			print_add(text, "token");
		print_add(text, " capacity %lu latency %llu", (unsigned long)c->capacity, (unsigned long long)c->latency);
		print_end(text);
		if (!r && c->kind == PTOWSP_CHANNEL_PAYLOAD)
			print_inexpressible(text, 0, "what the channel above carries");
	}
}

/* The halt that ends the code that begins there: the last one before other code begins, as what stands behind the first is kept. */
static uint32_t halt_of(const struct print_job *job, uint32_t from)
{
	const uint32_t end = pkg_code_start_behind(job->code, from);

	return end > from ? end - 1 : from;
}

static void code_print(struct print_job *job, struct print_text *text, uint32_t from, uint32_t to)
{
	struct print_work work = {.job = job, .text = text, .depth = 1};

	print_body(&work, from, to);
	print_add(text, "}");
	print_end(text);
}

static void process_print(struct print_job *job, struct print_text *text, const struct ptowsp_process_record *p)
{
	static const char *const words[] = {"produces", "consumes"};
	const struct ptowsp_process_channel_record *uses = job->t->process_channel + p->channels;
	uint32_t end = halt_of(job, p->instruction);

	print_end(text);
	print_add(text, "process @%s", print_string(job, p->name));
	for (uint32_t i = 0; i < p->channel_count; i++) {
		int again = i > 0 && uses[i].direction == uses[i - 1].direction;
		int more = i + 1 < p->channel_count && uses[i].direction == uses[i + 1].direction;

		if (!again)
			print_add(text, " %s(", words[uses[i].direction]);
		print_add(text, "%s%%%s%s", again ? ", " : "", print_string(job, job->t->channel[uses[i].channel].name), more ? "" : ")");
	}
	if (p->replicas != 1)
		print_add(text, " replicate %lu", (unsigned long)p->replicas);
	print_add(text, " {");
	print_end_of(job, text, 0, end);
	code_print(job, text, p->instruction, end);
}

void print_processes(struct print_job *job, struct print_text *text)
{
	struct pkg_ranks order;

	text->out.failed |= !pkg_ranks_init(&order, job->t->process_count);
	for (uint32_t i = 0; order.rows && i < job->t->process_count; i++)
		pkg_ranks_add(&order, job->t->process[i].order, i);
	if (order.rows)
		pkg_ranks_sort(&order);
	for (uint32_t i = 0; i < order.count; i++)
		process_print(job, text, &job->t->process[order.rows[i].row]);
	pkg_ranks_finish(&order);
}

void print_workload(struct print_job *job, struct print_text *text, uint32_t entry)
{
	const struct ptowsp_entry_record *e = &job->t->entry[entry];

	print_add(text, "workload @%s {", print_string(job, e->name));
	print_end_of(job, text, 2, entry);
	code_print(job, text, e->instruction, halt_of(job, e->instruction));
}
