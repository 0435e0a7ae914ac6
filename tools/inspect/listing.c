/* SPDX-License-Identifier: MIT */
/* listing.c - the workload bytecode with names instead of numbers, and the portable kernels. The bytecode was not
 * verified: whatever it says is shown, nothing of it is followed. */
#include "registry/common/common_part.h"
#include "tools/inspect/inspect.h"
#include "tools/plain.h"

#include "format/format_names.h"
#include "format/graph/graph_read.h"
#include "isa/isa.h"
#include "ptowsp/workload.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TEXT 200

struct block { /* an open body */
	uint32_t end;
	int is_loop;
};

struct listing {
	const struct pkg_tables *tables;
	FILE *to;
	struct ptowsp_workload_header header;
	const uint8_t *instructions, *rows; /* rows: axes, kernels, tensors */
	struct block blocks[PTOWSP_NESTING_LIMIT];
	uint32_t block_count;
	const char *loops[PTOWSP_NESTING_LIMIT];
	uint32_t loop_count;
	/* Owned, NULL without memory: DBGI row + 1 and ENTR row + 1 of each instruction; the next entry of the same one. */
	uint32_t *lines, *labels, *labels_next;
};

static struct ptowsp_instruction instruction_at(const struct listing *l, uint32_t i)
{
	struct ptowsp_instruction instruction;

	memcpy(&instruction, l->instructions + 8ull * i, sizeof(instruction));
	return instruction;
}

/* Row that an operand names through one of the three row tables, PTOWSP_NONE if there is none. */
static uint32_t row_at(const struct listing *l, uint32_t skip, uint32_t count, uint32_t index)
{
	uint32_t row = PTOWSP_NONE;

	if (index < count)
		memcpy(&row, l->rows + 4ull * (skip + index), sizeof(row));
	return row;
}

static const struct ptowsp_axis_record *axis_of(const struct listing *l, uint32_t index)
{
	uint32_t row = row_at(l, 0, l->header.num_axes, index);

	return row < l->tables->axis_count ? &l->tables->axis[row] : NULL;
}

static const char *tensor_name(const struct listing *l, uint32_t row)
{
	return row < l->tables->tensor_count ? pkg_string(l->tables, l->tables->tensor[row].name) : "?";
}

/* "c in row r of 4 (ragged by lengths)", "(sparse by beginnings, indices)", "(ragged by 5 values)". */
static void rows_text(const struct listing *l, const struct ptowsp_axis_record *a, const char *rows, char *text)
{
	char row[48];
	int sparse = a->kind == PTOWSP_AXIS_SPARSE;
	size_t used;

	inspect_expression(l->tables, a->row, l->loops, l->loop_count, row, sizeof(row));
	used = (size_t)snprintf(text, TEXT, "%.24s in row %s of %s (%s by ", pkg_string(l->tables, a->name), row, rows, sparse ? "sparse" : "ragged");
	if (a->count)
		snprintf(text + used, TEXT - used, "%u values)", (unsigned)a->count);
	else
		snprintf(text + used, TEXT - used, "%.24s%s%.24s)", tensor_name(l, a->lengths), sparse ? ", " : "", sparse ? tensor_name(l, a->indices) : "");
}

static void axis_text(const struct listing *l, uint32_t index, char *text)
{
	const struct ptowsp_axis_record *a = axis_of(l, index);
	char low[48], high[48], step[48];

	if (!a) {
		snprintf(text, TEXT, "axis %u?", (unsigned)index);
		return;
	}
	inspect_expression(l->tables, a->low, l->loops, l->loop_count, low, sizeof(low));
	inspect_expression(l->tables, a->high, l->loops, l->loop_count, high, sizeof(high));
	inspect_expression(l->tables, a->step, l->loops, l->loop_count, step, sizeof(step));
	if (a->kind == PTOWSP_AXIS_RAGGED || a->kind == PTOWSP_AXIS_SPARSE)
		rows_text(l, a, high, text);
	else
		snprintf(text, TEXT, "%.24s = %s .. %s step %s%s", pkg_string(l->tables, a->name), low, high, step,
			 a->levels == PTOWSP_NONE ? "" : " with levels");
}

static void kernel_text(const struct listing *l, uint32_t index, char *text)
{
	uint32_t row = row_at(l, l->header.num_axes, l->header.num_kernels, index);

	if (row < l->tables->kernel_count)
		snprintf(text, TEXT, "%.120s", pkg_string(l->tables, l->tables->kernel[row].name));
	else
		snprintf(text, TEXT, "kernel %u?", (unsigned)index);
}

/* Numbers that stand for words: of AFTER and FENCE. */
static const char *word_of(const char *which, uint32_t value)
{
	return !strcmp(which, "kind") ? pkg_word(PKG_WORDS_edge, value) : !strcmp(which, "scope") ? pkg_word(PKG_WORDS_scope, value) : NULL;
}

/* An axis that an entry states itself: by name only, its AXES row does not hold there. */
static void stated_axis_text(const struct listing *l, uint32_t index, char *text)
{
	const struct ptowsp_axis_record *a = axis_of(l, index);

	snprintf(text, TEXT, "%.120s", a ? pkg_string(l->tables, a->name) : "?");
}

/* One operand; which is its description in workload_ops.def. */
static void operand_text(const struct listing *l, const char *which, uint32_t value, char *text)
{
	text[0] = 0;
	if (!*which)
		return;
	if (!strcmp(which, "axis"))
		axis_text(l, value, text);
	else if (!strcmp(which, "kernel"))
		kernel_text(l, value, text);
	else if (!strcmp(which, "expression"))
		inspect_expression(l->tables, value, l->loops, l->loop_count, text, TEXT);
	else if (!strcmp(which, "region"))
		inspect_region(l->tables, value, l->loops, l->loop_count, text, TEXT);
	else if (which[0] == 's' && (!strcmp(which, "slot") || !strcmp(which, "slot row")) && value < l->tables->slot_count)
		snprintf(text, TEXT, "%.120s", pkg_string(l->tables, l->tables->slot[value].name));
	else if (!strcmp(which, "channel") && value < l->tables->channel_count)
		snprintf(text, TEXT, "%.120s", pkg_string(l->tables, l->tables->channel[value].name));
	else if (!strcmp(which, "event") && value < l->tables->event_count)
		snprintf(text, TEXT, "%.120s", pkg_string(l->tables, l->tables->event[value].name));
	else if (!strcmp(which, "tensor") && value < l->tables->tensor_count)
		snprintf(text, TEXT, "%.120s", tensor_name(l, value));
	else if (!strcmp(which, "predicate") && pkg_policy(PTOWSP_DIRECTIVE_DISPATCH, value))
		snprintf(text, TEXT, "%.120s", pkg_policy_text(pkg_policy(PTOWSP_DIRECTIVE_DISPATCH, value)).text);
	else if (word_of(which, value))
		snprintf(text, TEXT, "%s", word_of(which, value));
	else if (!strcmp(which, "loop depth") && value < l->loop_count)
		snprintf(text, TEXT, "%.120s", l->loops[value]);
	else if (!strncmp(which, "target", 6))
		snprintf(text, TEXT, "-> %u", (unsigned)value);
	else if (!strcmp(which, "value"))
		snprintf(text, TEXT, "%" PRId32, (int32_t)value);
	else if (!strncmp(which, "arguments", 9))
		snprintf(text, TEXT, "%u arguments, %u tensors", (unsigned)(value >> 16), (unsigned)(value & 0xFFFF));
	else
		snprintf(text, TEXT, "%u", (unsigned)value);
}

static void block_open(struct listing *l, uint32_t end, const char *loop)
{
	if (l->block_count == PTOWSP_NESTING_LIMIT)
		return;
	l->blocks[l->block_count++] = (struct block){end, loop != NULL};
	if (loop)
		l->loops[l->loop_count++] = loop;
}

static void blocks_close(struct listing *l, uint32_t at)
{
	while (l->block_count && l->blocks[l->block_count - 1].end <= at)
		l->loop_count -= (uint32_t)l->blocks[--l->block_count].is_loop;
}

/* Constructs with parts end where the last of the TARGET words behind them says. */
static void parts_open(struct listing *l, uint32_t at, uint32_t parts)
{
	struct ptowsp_instruction last = {0};

	if (parts == 0 || at + (uint64_t)parts >= l->header.num_instructions)
		return;
	last = instruction_at(l, at + parts);
	if (last.opcode == PTOWSP_OP_TARGET)
		block_open(l, last.operand2, NULL);
}

/* Behind the words of a task that stand behind its arguments. */
static uint32_t words_end(const struct listing *l, uint32_t at)
{
	while (at < l->header.num_instructions && (common_is_part(instruction_at(l, at).opcode) || instruction_at(l, at).opcode == PTOWSP_OP_AFTER))
		at++;
	return at;
}

static void body_open(struct listing *l, uint32_t at, const struct ptowsp_instruction *i)
{
	const struct ptowsp_axis_record *axis;

	switch (i->opcode) {
	case PTOWSP_OP_PARALLEL_FOR:
	case PTOWSP_OP_FOR_EACH:
	case PTOWSP_OP_SELECT:
		axis = axis_of(l, i->operand1);
		block_open(l, i->operand2, axis ? pkg_string(l->tables, axis->name) : "?");
		break;
	case PTOWSP_OP_SCOPE: block_open(l, i->operand2, NULL); break;
	case PTOWSP_OP_CONSUME:
		block_open(l, i->operand2, i->operand1 < l->tables->channel_count ? pkg_string(l->tables, l->tables->channel[i->operand1].name) : "?");
		break;
	case PTOWSP_OP_TASK: /* its words are indented too */
		if ((uint64_t)at + 1 + (i->operand2 >> 16) + (i->operand2 & 0xFFFF) <= l->header.num_instructions)
			block_open(l, words_end(l, at + 1 + (i->operand2 >> 16) + (i->operand2 & 0xFFFF)), NULL);
		break;
	case PTOWSP_OP_COPY: block_open(l, words_end(l, at + 2), NULL); break;
	case PTOWSP_OP_SEND: /* the region of its payload */
		if (at + 1 < l->header.num_instructions && instruction_at(l, at + 1).opcode == PTOWSP_OP_IO_INPUT)
			block_open(l, at + 2, NULL);
		break;
	case PTOWSP_OP_WHILE: parts_open(l, at, 1); break;
	case PTOWSP_OP_COND: parts_open(l, at, 2); break;
	case PTOWSP_OP_COMBINE:
	case PTOWSP_OP_SEQUENTIAL: parts_open(l, at, i->operand1); break;
	}
}

static void labels_print(const struct listing *l, uint32_t at)
{
	const struct pkg_tables *t = l->tables;

	for (uint32_t e = l->labels && l->labels_next ? l->labels[at] : 0; e; e = l->labels_next[e])
		plain_print(l->to, "%s:%s\n", pkg_string(t, t->entry[e - 1].name), t->entry[e - 1].flags & PTOWSP_ENTRY_DEFAULT ? " (default entry)" : "");
}

static void processes_print(const struct listing *l, uint32_t at)
{
	const struct pkg_tables *t = l->tables;

	for (uint32_t p = 0; p < t->process_count; p++)
		if (t->process[p].instruction == at)
			plain_print(l->to, "%s: (process, %u instance%s)\n", pkg_string(t, t->process[p].name), (unsigned)t->process[p].replicas,
				    t->process[p].replicas == 1 ? "" : "s");
}

/* Index, mnemonic and operands, then the source line if it is known. */
static void instruction_print(const struct listing *l, uint32_t at, const struct ptowsp_instruction *i)
{
	const char *mnemonic = pkg_word(PKG_WORDS_opcode, i->opcode);
	char first[TEXT], second[TEXT], line[3 * TEXT];
	const struct ptowsp_debug_record *debug;

	if (mnemonic) {
		if (i->opcode >= PTOWSP_OP_AXIS_DENSE && i->opcode <= PTOWSP_OP_AXIS_SPARSE)
			stated_axis_text(l, i->operand1, first);
		else
			operand_text(l, pkg_operand(i->opcode, 0), i->operand1, first);
		operand_text(l, pkg_operand(i->opcode, 1), i->operand2, second);
		snprintf(line, sizeof(line), "%s%s%s%s%s%s", mnemonic, i->flags & PTOWSP_SLOT_LOAD_BITS ? " bits" : "", *first ? " " : "", first,
			 !*second                               ? ""
			 : !strncmp(second, "->", 2) || !*first ? " "
								: ", ",
			 second);
	} else {
		snprintf(line, sizeof(line), "opcode 0x%02x? %u, %u", i->opcode, i->operand1, (unsigned)i->operand2);
	}
	plain_print(l->to, "%6u  %*s", (unsigned)at, (int)(2 * l->block_count), "");
	if (l->lines && l->lines[at]) {
		debug = &l->tables->debug[l->lines[at] - 1];
		plain_print(l->to, "%-*s  ; %s:%u\n", 56 - (int)(2 * (l->block_count < 20 ? l->block_count : 20)), line, pkg_string(l->tables, debug->file),
			    (unsigned)debug->line);
	} else {
		plain_print(l->to, "%s\n", line);
	}
}

static void marks_find(struct listing *l)
{
	const struct pkg_tables *t = l->tables;

	l->lines = calloc((size_t)l->header.num_instructions + 1, sizeof(*l->lines));
	l->labels = calloc((size_t)l->header.num_instructions + 1, sizeof(*l->labels));
	l->labels_next = calloc((size_t)t->entry_count + 1, sizeof(*l->labels_next));
	for (uint32_t i = 0; l->lines && i < t->debug_count; i++)
		if (t->debug[i].kind == 0 && t->debug[i].line)
			l->lines[t->debug[i].row] = i + 1;
	for (uint32_t e = t->entry_count; l->labels && l->labels_next && e > 0; e--) {
		uint32_t *label;

		if (t->entry[e - 1].flags & PTOWSP_ENTRY_KERNEL)
			continue;
		label = &l->labels[t->entry[e - 1].instruction];
		l->labels_next[e] = *label;
		*label = e;
	}
}

/* Entries without bytecode. */
static void kernel_entries_list(const struct pkg_tables *t, FILE *to)
{
	for (uint32_t e = 0; e < t->entry_count; e++)
		if (t->entry[e].flags & PTOWSP_ENTRY_KERNEL)
			plain_print(to, "%s: one task of kernel %s%s\n", pkg_string(t, t->entry[e].name),
				    pkg_string(t, t->kernel[t->entry[e].instruction].name), t->entry[e].flags & PTOWSP_ENTRY_DEFAULT ? " (default entry)" : "");
}

static void work_list(const struct pkg_tables *t, FILE *to)
{
	struct listing l = {.tables = t, .to = to};

	if (!t->raw_work_size) {
		fputs("no workload\n", to);
		return;
	}
	memcpy(&l.header, t->raw_work, sizeof(l.header));
	l.instructions = t->raw_work + sizeof(l.header);
	l.rows = l.instructions + 8ull * l.header.num_instructions;
	marks_find(&l);
	plain_print(to, "workload: instructions %u, axes %u, kernels %u, tensors %u\n", (unsigned)l.header.num_instructions, (unsigned)l.header.num_axes,
		    (unsigned)l.header.num_kernels, (unsigned)l.header.num_tensors);
	for (uint32_t i = 0; i < l.header.num_instructions; i++) {
		struct ptowsp_instruction instruction = instruction_at(&l, i);

		blocks_close(&l, i);
		labels_print(&l, i);
		processes_print(&l, i);
		instruction_print(&l, i, &instruction);
		body_open(&l, i, &instruction);
	}
	kernel_entries_list(t, to);
	free(l.lines);
	free(l.labels);
	free(l.labels_next);
}

/* The instruction form of the package, as source. */
static ptowsp_status graphs_list(const struct pkg_tables *t, FILE *to, struct ptowsp_error *error)
{
	const struct pkg_place place = {"GRPH", error};
	struct pkg_graphs graphs;
	ptowsp_status status = pkg_graphs_read(&graphs, t, &place);

	for (uint32_t i = 0; i < graphs.count && !status; i++) {
		fputs("\n", to);
		pkg_graph_print(&graphs.rows[i], t, to);
	}
	pkg_graphs_finish(&graphs);
	return status;
}

static void line_print(void *context, const char *line)
{
	plain_print(context, "  %s\n", line);
}

static ptowsp_status payload_list(const struct pkg_tables *t, const struct ptowsp_payload_record *p, FILE *to, struct ptowsp_error *error)
{
	struct isa_program *program = NULL;
	ptowsp_status status;

	if (p->kind != PTOWSP_PAYLOAD_PTO) {
		plain_print(to, "  %s payload%s%s, %" PRIu64 " bytes: not listed\n", pkg_word(PKG_WORDS_payload, p->kind), p->target ? " for " : "",
			    pkg_string(t, p->target), p->size);
		return PTOWSP_OK;
	}
	status = isa_program_create(&program, t->code + p->offset, p->size, t->strings, t->strings_size, error);
	if (status)
		return status;
	isa_disassemble(program, line_print, to);
	if (isa_program_unusable(program))
		plain_print(to, "  ; cannot run: %s\n", isa_program_unusable(program));
	isa_program_destroy(program);
	return PTOWSP_OK;
}

ptowsp_status inspect_listing(const struct pkg *package, FILE *to, struct ptowsp_error *error)
{
	return inspect_listing_tables(pkg_tables(package), to, error);
}

ptowsp_status inspect_listing_tables(const struct pkg_tables *t, FILE *to, struct ptowsp_error *error)
{
	ptowsp_status first = PTOWSP_OK;

	work_list(t, to);
	first = graphs_list(t, to, error);
	for (uint32_t i = 0; i < t->kernel_count; i++) {
		const struct ptowsp_kernel_record *k = &t->kernel[i];

		plain_print(to, "\nkernel %s (%s)\n", pkg_string(t, k->name), pkg_word(PKG_WORDS_unit, k->unit));
		if (!k->payload_count)
			fputs("  no payload: a registered or built-in C function serves it\n", to);
		for (uint32_t p = 0; p < k->payload_count; p++) {
			ptowsp_status status = payload_list(t, &t->payload[k->payloads + p], to, first ? NULL : error);

			if (status)
				fputs("  refused\n", to);
			first = first ? first : status;
		}
	}
	return first;
}
