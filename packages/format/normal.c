/* SPDX-License-Identifier: MIT */
/* normal.c - expressions by their first use. */
#include "format/format_names.h"
#include "format/writer.h"

#include "format/fail.h"
#include "format/schema.h"

#include "ptowsp/workload.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POSITION_OF_EXPRESSION = 4 }; /* kind of DBGI */

struct ordering {
	struct pkg_writer *writer;
	uint32_t count;  /* of EXPR rows before */
	uint32_t *now;   /* old row -> new row, PTOWSP_NONE while it has none */
	uint32_t *order; /* new row -> old row */
	uint32_t used;
	uint32_t *stack; /* rows whose operands are being numbered */
	int broken;      /* a reference leads nowhere */
	int write;       /* 0: finds the order, 1: changes the references */
};

static const struct ptowsp_expr_record *expr_at(const struct ordering *o, uint32_t row)
{
	return pkg_writer_at(o->writer, PTOWSP_SECTION_EXPR, row);
}

/* The first operand that has no number yet; PTOWSP_NONE: all have one. */
static uint32_t operand_missing(struct ordering *o, uint32_t row)
{
	const struct ptowsp_expr_record *e = expr_at(o, row);
	const uint32_t operands[] = {e->a, e->b, e->c};
	unsigned count = pkg_expr_operands(e->op);

	for (unsigned i = 0; i < count && i < 3; i++) {
		if (operands[i] >= row) { /* would be no earlier row */
			o->broken = 1;
			return PTOWSP_NONE;
		}
		if (o->now[operands[i]] == PTOWSP_NONE)
			return operands[i];
	}
	return PTOWSP_NONE;
}

/* Rows on the stack only fall, so it never holds more than all of them. */
static void row_order(struct ordering *o, uint32_t row)
{
	uint32_t depth = 0;

	if (row >= o->count) {
		o->broken = 1;
		return;
	}
	if (o->now[row] != PTOWSP_NONE)
		return;
	o->stack[depth++] = row;
	while (depth && !o->broken) {
		uint32_t top = o->stack[depth - 1], operand = operand_missing(o, top);

		if (operand != PTOWSP_NONE) {
			o->stack[depth++] = operand;
			continue;
		}
		o->now[top] = o->used;
		o->order[o->used++] = top;
		depth--;
	}
}

/* One reference: numbered in the first pass, changed in the second. */
static uint32_t reference(struct ordering *o, uint32_t row)
{
	if (o->write)
		return o->now[row];
	row_order(o, row);
	return row;
}

static void fields_pass(struct ordering *o, const struct pkg_schema *table)
{
	uint32_t rows = pkg_writer_count(o->writer, table->type), count;
	const struct pkg_field *fields = pkg_schema_fields(table, &count);

	for (uint32_t row = 0; row < rows && !o->broken; row++)
		for (uint32_t f = 0; f < count; f++) {
			void *record = pkg_writer_at(o->writer, table->type, row);
			uint64_t value = pkg_field_get(record, &fields[f]);

			if ((fields[f].kind != PKG_REF && fields[f].kind != PKG_OPTIONAL) || fields[f].argument != PTOWSP_SECTION_EXPR ||
			    (fields[f].kind == PKG_OPTIONAL && value == PTOWSP_NONE))
				continue;
			pkg_field_set(record, &fields[f], reference(o, (uint32_t)value));
		}
}

static void work_pass(struct ordering *o)
{
	uint64_t size = pkg_writer_count(o->writer, PTOWSP_SECTION_WORK);
	struct ptowsp_workload_header header;
	uint8_t *at;

	if (size < sizeof(header))
		return;
	at = pkg_writer_at(o->writer, PTOWSP_SECTION_WORK, 0);
	memcpy(&header, at, sizeof(header));
	at += sizeof(header);
	if ((size - sizeof(header)) / 8 < header.num_instructions)
		o->broken = 1;
	for (uint32_t i = 0; i < header.num_instructions && !o->broken; i++, at += 8) {
		struct ptowsp_instruction inst;

		memcpy(&inst, at, sizeof(inst));
		if (strcmp(pkg_operand(inst.opcode, 1), "expression") != 0)
			continue;
		inst.operand2 = reference(o, inst.operand2);
		memcpy(at, &inst, sizeof(inst));
	}
}

/* A word of a directive names expressions as #row: hash(#12, 4). */
static uint32_t word_pass(struct ordering *o, uint32_t offset)
{
	const char *from = pkg_writer_text(o->writer, offset), *sign;
	char text[1024];
	size_t used = 0;

	if (!strchr(from, '#') || strlen(from) > sizeof(text) / 4)
		return offset;
	while ((sign = strchr(from, '#'))) {
		char *end;
		unsigned long row = strtoul(sign + 1, &end, 10);

		if (end == sign + 1 || row >= o->count)
			return offset;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%.*s#%" PRIu32, (int)(sign - from), from, reference(o, (uint32_t)row));
		from = end;
	}
	snprintf(text + used, sizeof(text) - used, "%s", from);
	return o->write ? pkg_writer_string(o->writer, text) : offset;
}

static void schedule_pass(struct ordering *o)
{
	uint32_t rows = pkg_writer_count(o->writer, PTOWSP_SECTION_SCHD);

	for (uint32_t row = 0; row < rows && !o->broken; row++) {
		struct ptowsp_directive_record *d = pkg_writer_at(o->writer, PTOWSP_SECTION_SCHD, row);
		int64_t *arguments[] = {&d->a0, &d->a1, &d->a2, &d->a3, &d->a4, &d->a5, &d->a6, &d->a7};

		for (unsigned i = 0; i < d->count && i < 8; i++) {
			unsigned kind = (unsigned)(d->kinds >> (8 * i)) & 0xFF;

			if (kind == PTOWSP_ARGUMENT_EXPR)
				*arguments[i] = reference(o, (uint32_t)*arguments[i]);
			else if (kind == PTOWSP_ARGUMENT_WORD)
				*arguments[i] = word_pass(o, (uint32_t)*arguments[i]);
		}
	}
}

static void pass(struct ordering *o)
{
	uint32_t tables;
	const struct pkg_schema *schemas = pkg_schema_all(&tables);

	for (uint32_t i = 0; i < tables && !o->broken; i++)
		if (schemas[i].type == PTOWSP_SECTION_WORK)
			work_pass(o);
		else if (schemas[i].type == PTOWSP_SECTION_SCHD)
			schedule_pass(o);
		else if (schemas[i].fields && schemas[i].type != PTOWSP_SECTION_EXPR)
			fields_pass(o, &schemas[i]);
}

static int by_row(const void *a, const void *b)
{
	uint32_t x = ((const struct ptowsp_debug_record *)a)->row, y = ((const struct ptowsp_debug_record *)b)->row;

	return x < y ? -1 : x > y;
}

/* Positions of divisions go with their rows, behind all other positions and by row. */
static bool positions_move(struct ordering *o)
{
	uint32_t count = pkg_writer_count(o->writer, PTOWSP_SECTION_DBGI), kept = 0, moved = 0;
	struct ptowsp_debug_record *rows = count ? pkg_writer_at(o->writer, PTOWSP_SECTION_DBGI, 0) : NULL;
	struct ptowsp_debug_record *divisions = malloc(count * sizeof(*divisions) + 1);

	if (!divisions)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		if (rows[i].kind != POSITION_OF_EXPRESSION) {
			rows[kept++] = rows[i];
		} else if (rows[i].row < o->count && o->now[rows[i].row] != PTOWSP_NONE) {
			divisions[moved] = rows[i];
			divisions[moved++].row = o->now[rows[i].row];
		}
	}
	if (moved) {
		qsort(divisions, moved, sizeof(*divisions), by_row);
		memcpy(rows + kept, divisions, moved * sizeof(*divisions));
	}
	pkg_writer_cut(o->writer, PTOWSP_SECTION_DBGI, kept + moved);
	free(divisions);
	return true;
}

/* The rows themselves, in a table of their own first. */
static bool rows_move(struct ordering *o)
{
	struct ptowsp_expr_record *rows = malloc(o->used * sizeof(*rows) + 1);

	if (!rows)
		return false;
	for (uint32_t i = 0; i < o->used; i++) {
		uint32_t *operands[] = {&rows[i].a, &rows[i].b, &rows[i].c};

		rows[i] = *expr_at(o, o->order[i]);
		for (unsigned n = pkg_expr_operands(rows[i].op); n > 0; n--)
			*operands[n - 1] = o->now[*operands[n - 1]];
	}
	if (o->used)
		memcpy(pkg_writer_at(o->writer, PTOWSP_SECTION_EXPR, 0), rows, o->used * sizeof(*rows));
	pkg_writer_cut(o->writer, PTOWSP_SECTION_EXPR, o->used);
	free(rows);
	return true;
}

ptowsp_status pkg_writer_normalise(struct pkg_writer *writer, struct ptowsp_error *error)
{
	struct ordering o = {.writer = writer, .count = pkg_writer_count(writer, PTOWSP_SECTION_EXPR)};
	int done;

	o.now = malloc(((size_t)o.count + 1) * sizeof(*o.now));
	o.order = malloc(((size_t)o.count + 1) * sizeof(*o.order));
	o.stack = malloc(((size_t)o.count + 1) * sizeof(*o.stack));
	done = o.now && o.order && o.stack;
	for (uint32_t i = 0; done && i < o.count; i++)
		o.now[i] = PTOWSP_NONE;
	if (done)
		pass(&o);
	if (done && !o.broken) {
		o.write = 1;
		pass(&o);
		done = rows_move(&o) && positions_move(&o);
	}
	free(o.now);
	free(o.order);
	free(o.stack);
	return done ? PTOWSP_OK : pkg_fail(error, PTOWSP_NO_MEMORY, "out of memory for the package");
}
