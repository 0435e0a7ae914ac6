/* SPDX-License-Identifier: MIT */
/* sort.c - sorting by id, and what refers to a row by its number. */
#include "format/format_names.h"
#include "format/writer.h"

#include "format/fail.h"
#include "format/schema.h"

#include "ptowsp/workload.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct place {
	uint64_t id;
	uint32_t row; /* before sorting */
};

struct sorting {
	struct pkg_writer *writer;
	const struct pkg_schema *schema; /* the table that is sorted */
	struct place *places;
	uint32_t *now; /* old row -> new row */
	uint32_t count;
};

/* Equal ids keep their order; the verifier refuses them. */
static int place_compare(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

static uint32_t row_now(const struct sorting *s, uint64_t row)
{
	return row < s->count ? s->now[row] : (uint32_t)row;
}

static void fields_renumber(const struct sorting *s, const struct pkg_schema *table)
{
	uint32_t rows = pkg_writer_count(s->writer, table->type), count;
	const struct pkg_field *fields = pkg_schema_fields(table, &count);

	for (uint32_t f = 0; f < count; f++) {
		if ((fields[f].kind != PKG_REF && fields[f].kind != PKG_OPTIONAL) || fields[f].argument != s->schema->type)
			continue;
		for (uint32_t row = 0; row < rows; row++) {
			void *record = pkg_writer_at(s->writer, table->type, row);

			pkg_field_set(record, &fields[f], row_now(s, pkg_field_get(record, &fields[f])));
		}
	}
}

static void nodes_renumber(const struct sorting *s)
{
	uint32_t rows = pkg_writer_count(s->writer, PTOWSP_SECTION_EXPR);

	for (uint32_t row = 0; s->schema->type == PTOWSP_SECTION_SLOT && row < rows; row++) {
		struct ptowsp_expr_record *e = pkg_writer_at(s->writer, PTOWSP_SECTION_EXPR, row);

		if (e->op == PTOWSP_EXPR_VALUE)
			e->a = row_now(s, e->a);
	}
}

static void positions_renumber(const struct sorting *s)
{
	static const uint32_t tables[] = {0, PTOWSP_SECTION_KREG, PTOWSP_SECTION_ENTR, PTOWSP_SECTION_SLOT};
	uint32_t rows = pkg_writer_count(s->writer, PTOWSP_SECTION_DBGI);

	for (uint32_t row = 0; row < rows; row++) {
		struct ptowsp_debug_record *d = pkg_writer_at(s->writer, PTOWSP_SECTION_DBGI, row);

		if (d->kind < 4 && tables[d->kind] == s->schema->type)
			d->row = row_now(s, d->row);
	}
}

/* Entries that are one task of a kernel name its row. */
static void entries_renumber(const struct sorting *s)
{
	uint32_t rows = pkg_writer_count(s->writer, PTOWSP_SECTION_ENTR);

	for (uint32_t row = 0; s->schema->type == PTOWSP_SECTION_KREG && row < rows; row++) {
		struct ptowsp_entry_record *e = pkg_writer_at(s->writer, PTOWSP_SECTION_ENTR, row);

		if (e->flags & PTOWSP_ENTRY_KERNEL)
			e->instruction = row_now(s, e->instruction);
	}
}

/* The table with ids that a word of workload_ops.def means, 0 if it means none. */
static uint32_t operand_table(const char *word)
{
	static const struct {
		const char *word;
		uint32_t type;
	} tables[] = {{"slot", PTOWSP_SECTION_SLOT},
		      {"slot row", PTOWSP_SECTION_SLOT},
		      {"channel", PTOWSP_SECTION_CSPC},
		      {"event", PTOWSP_SECTION_EVNT},
		      {"tensor", PTOWSP_SECTION_TENS}};

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (!strcmp(tables[i].word, word))
			return tables[i].type;
	return 0;
}

static void operands_renumber(const struct sorting *s, struct ptowsp_instruction *i)
{
	if (operand_table(pkg_operand(i->opcode, 0)) == s->schema->type)
		i->operand1 = (uint16_t)row_now(s, i->operand1);
	if (operand_table(pkg_operand(i->opcode, 1)) == s->schema->type)
		i->operand2 = row_now(s, i->operand2);
}

/* Rows in the tables behind the instructions, and rows in the instructions. A section that does not hold together is left
 * alone. */
static void work_renumber(const struct sorting *s)
{
	uint64_t size = pkg_writer_count(s->writer, PTOWSP_SECTION_WORK), rows_at;
	struct ptowsp_workload_header h;
	uint8_t *work;
	uint32_t first, count;

	if (size < sizeof(h))
		return;
	work = pkg_writer_at(s->writer, PTOWSP_SECTION_WORK, 0);
	memcpy(&h, work, sizeof(h));
	rows_at = sizeof(h) + 8ull * h.num_instructions;
	if (size != rows_at + 4 * ((uint64_t)h.num_axes + h.num_kernels + h.num_tensors))
		return;
	for (uint64_t at = sizeof(h); at < rows_at; at += 8) {
		struct ptowsp_instruction i;

		memcpy(&i, work + at, sizeof(i));
		operands_renumber(s, &i);
		memcpy(work + at, &i, sizeof(i));
	}
	first = s->schema->type == PTOWSP_SECTION_TENS ? h.num_axes + h.num_kernels : h.num_axes;
	count = s->schema->type == PTOWSP_SECTION_TENS ? h.num_tensors : s->schema->type == PTOWSP_SECTION_KREG ? h.num_kernels : 0;
	for (uint64_t i = first; i < (uint64_t)first + count; i++) {
		uint32_t row;

		memcpy(&row, work + rows_at + 4 * i, sizeof(row));
		row = row_now(s, row);
		memcpy(work + rows_at + 4 * i, &row, sizeof(row));
	}
}

/* Moves the rows themselves. */
static bool rows_move(const struct sorting *s)
{
	size_t bytes = s->schema->bytes;
	uint8_t *rows = pkg_writer_at(s->writer, s->schema->type, 0), *copy = malloc(s->count * bytes);

	if (!copy)
		return false;
	memcpy(copy, rows, s->count * bytes);
	for (uint32_t i = 0; i < s->count; i++)
		memcpy(rows + i * bytes, copy + s->places[i].row * bytes, bytes);
	free(copy);
	return true;
}

/* Fills places and now; 1 if something has to move. */
static int order_find(struct sorting *s, const struct pkg_field *id)
{
	int moves = 0;

	for (uint32_t i = 0; i < s->count; i++)
		s->places[i] = (struct place){pkg_field_get(pkg_writer_at(s->writer, s->schema->type, i), id), i};
	qsort(s->places, s->count, sizeof(s->places[0]), place_compare);
	for (uint32_t i = 0; i < s->count; i++) {
		s->now[s->places[i].row] = i;
		moves |= s->places[i].row != i;
	}
	return moves;
}

static bool table_sort(struct sorting *s, const struct pkg_field *id)
{
	uint32_t tables;
	const struct pkg_schema *schemas = pkg_schema_all(&tables);

	if (!order_find(s, id))
		return true;
	for (uint32_t i = 0; i < tables; i++)
		fields_renumber(s, &schemas[i]);
	nodes_renumber(s);
	positions_renumber(s);
	entries_renumber(s);
	work_renumber(s);
	return rows_move(s);
}

ptowsp_status pkg_writer_sort(struct pkg_writer *writer, struct ptowsp_error *error)
{
	uint32_t tables;
	const struct pkg_schema *schemas = pkg_schema_all(&tables);
	int done = 1;

	for (uint32_t i = 0; i < tables && done; i++) {
		struct sorting s = {writer, &schemas[i], NULL, NULL, 0};
		const struct pkg_field *id = pkg_schema_id(&schemas[i]);

		s.count = id ? pkg_writer_count(writer, schemas[i].type) : 0;
		if (s.count < 2)
			continue;
		s.places = malloc(s.count * sizeof(*s.places));
		s.now = malloc(s.count * sizeof(*s.now));
		done = s.places && s.now && table_sort(&s, id);
		free(s.places);
		free(s.now);
	}
	return done ? PTOWSP_OK : pkg_fail(error, PTOWSP_NO_MEMORY, "out of memory for the package");
}
