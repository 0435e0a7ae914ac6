/* SPDX-License-Identifier: MIT */
/* graph.c - task graphs as source. Their lowered form, rows of nearly every table, is not printed: the text of the functions and graphs alone is
 * packed, and its rows are left out. The same package says which line each position belongs to. */
#include "print/parts.h"

#include "format/graph/graph_read.h"
#include "lang/lang.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char printed[] = "printed.pto";

/* --- the text --- */

static void part_begin(struct print_job *job, const struct pkg_graph *graph, FILE *to)
{
	const char *name = pkg_string(job->t, graph->name);
	struct print_graph *part = &job->graphs.parts[job->graphs.count++];

	fflush(to);
	*part = (struct print_graph){.entry = PKG_NAMED(job->t, entry, name, strlen(name)), .begin = (size_t)ftell(to)};
	if (part->entry != PTOWSP_NONE)
		job->made.entries[part->entry] = 1;
}

static void tensors_name(struct print_job *job, const struct pkg_graph *graph)
{
	const struct pkg_tables *t = job->t;

	for (uint32_t n = 0; n < graph->name_count; n++)
		for (uint32_t i = 0; i < t->tensor_count && graph->names[n].object == PTOWSP_GRAPH_TENSOR; i++)
			job->graphs.named[i] |= t->tensor[i].name == graph->names[n].text && t->tensor[i].entry == PTOWSP_NONE && !t->tensor[i].flags &&
						t->tensor[i].dim_count && t->tensor[i].role != PTOWSP_ROLE_TEMP;
}

/* Marks the entries that are graphs, too. 0 without memory. */
static bool texts_print(struct print_job *job, char **text_out)
{
	const struct pkg_place place = {.file = printed, .error = NULL};
	const struct pkg_tables *t = job->t;
	struct pkg_graphs graphs;
	size_t size = 0;
	FILE *to = open_memstream(text_out, &size);
	ptowsp_status status;

	if (!to)
		return false;
	status = pkg_graphs_read(&graphs, t, &place);
	job->graphs.parts = status ? NULL : calloc((size_t)graphs.count + 1, sizeof(*job->graphs.parts));
	job->graphs.named = calloc((size_t)t->tensor_count + 1, 1);
	for (uint32_t i = 0; i < graphs.count && job->graphs.parts && job->graphs.named; i++) {
		tensors_name(job, &graphs.rows[i]);
		part_begin(job, &graphs.rows[i], to);
		fputs("\n", to);
		pkg_graph_print(&graphs.rows[i], t, to);
	}
	pkg_graphs_finish(&graphs);
	if (!fclose(to) && job->graphs.parts && job->graphs.named)
		return true;
	free(*text_out);
	*text_out = NULL;
	return false;
}

bool print_graphs_begin(struct print_job *job)
{
	return !job->t->graph_size || texts_print(job, &job->graphs.text);
}

/* --- what it is packed to --- */

static struct pkg *pack(const char *text, void **bytes_out)
{
	const struct lang_source source = {printed, text, strlen(text)};
	struct pkg_writer *writer = pkg_writer_create();
	struct lang_diagnostics *list = NULL;
	struct pkg *package = NULL;
	size_t size;

	*bytes_out = NULL;
	if (writer && !lang_compile(writer, &source, 1, NULL, &list, NULL) && !pkg_writer_seal(writer, bytes_out, &size, NULL) &&
	    pkg_open_memory(&package, *bytes_out, size, printed, NULL, NULL))
		package = NULL;
	lang_diagnostics_destroy(list);
	pkg_writer_destroy(writer);
	return package;
}

/* Rows of two tables with ids are the same if all but strings and first rows of runs are. */
static bool slot_equal(const struct pkg_tables *a, const struct pkg_tables *b, uint32_t x, uint32_t y)
{
	return a->slot[x].id == b->slot[y].id && a->slot[x].kind == b->slot[y].kind && a->slot[x].dtype == b->slot[y].dtype &&
	       a->slot[x].flags == b->slot[y].flags && a->slot[x].value == b->slot[y].value;
}

static bool directive_equal(const struct pkg_tables *a, const struct pkg_tables *b, uint32_t x, uint32_t y)
{
	const struct ptowsp_directive_record *d = &a->directive[x], *e = &b->directive[y];

	if (d->directive != e->directive || d->policy != e->policy || d->flags != e->flags || d->count != e->count || d->kinds != e->kinds)
		return false;
	if ((d->kinds & 0xFF) == PTOWSP_ARGUMENT_WORD && d->count)
		return !strcmp(pkg_string(a, (uint32_t)d->a0), pkg_string(b, (uint32_t)e->a0));
	return d->a0 == e->a0 && d->a1 == e->a1;
}

/* values: 1: symbols and slots stand in the text that was packed, so they are no graph's. */
static void marks_set(struct print_job *job, const struct pkg_tables *q, int values)
{
	const struct pkg_tables *t = job->t;

#define MARK(table, field, equal)                                                                                                                              \
	for (uint32_t i = 0; i < t->table##_count; i++)                                                                                                        \
		for (uint32_t j = 0; j < q->table##_count; j++)                                                                                                \
			if (equal)                                                                                                                             \
	job->made.field[i] = 1
	MARK(kernel, kernels, t->kernel[i].id == q->kernel[j].id);
	/* one that is declared has the shape that the graph alone does not know */
	MARK(tensor, tensors, t->tensor[i].id == q->tensor[j].id && t->tensor[i].dim_count == q->tensor[j].dim_count);
	MARK(entry, entries, t->entry[i].id == q->entry[j].id);
	MARK(event, events, t->event[i].id == q->event[j].id);
	MARK(slot, slots, !values && slot_equal(t, q, i, j));
	MARK(directive, directives, directive_equal(t, q, i, j));
#undef MARK
	/* Rows that graphs bring along come behind those that the source declares. */
	for (uint32_t i = 0, last = t->directive_count; last > 0 && i < last; i++)
		if (!job->made.directives[i])
			memset(job->made.directives, 0, i);
}

/* --- positions of its lines --- */

static uint32_t entry_of(const struct pkg_tables *q, uint32_t instruction)
{
	uint32_t found = PTOWSP_NONE;

	for (uint32_t e = 0; e < q->entry_count; e++)
		if (!(q->entry[e].flags & PTOWSP_ENTRY_KERNEL) && q->entry[e].instruction <= instruction &&
		    (found == PTOWSP_NONE || q->entry[e].instruction > q->entry[found].instruction))
			found = e;
	return found;
}

/* The same row in the package at hand; PTOWSP_NONE if there is none. */
static uint32_t row_of(const struct print_job *job, const struct pkg_tables *q, const struct ptowsp_debug_record *d)
{
	const struct pkg_tables *t = job->t;
	uint32_t entry = d->kind == 0 ? entry_of(q, d->row) : d->kind == 2 ? d->row : PTOWSP_NONE;

	for (uint32_t i = 0; d->kind == 1 && i < t->kernel_count; i++)
		if (t->kernel[i].id == q->kernel[d->row].id)
			return i;
	for (uint32_t i = 0; entry != PTOWSP_NONE && i < t->entry_count; i++)
		if (t->entry[i].id == q->entry[entry].id)
			return d->kind == 2 ? i : t->entry[i].instruction + (d->row - q->entry[entry].instruction);
	return PTOWSP_NONE;
}

static const struct ptowsp_debug_record *position_of(const struct print_job *job, uint32_t line)
{
	const struct pkg_tables *q = job->graphs.package ? pkg_tables(job->graphs.package) : NULL;

	for (uint32_t i = 0; q && i < q->debug_count; i++) {
		uint32_t row = q->debug[i].line == line && q->debug[i].kind < 3 ? row_of(job, q, &q->debug[i]) : PTOWSP_NONE;

		if (row != PTOWSP_NONE && job->file && (q->debug[i].kind || row < job->work.num_instructions) && job->positions[q->debug[i].kind][row])
			return &job->t->debug[job->positions[q->debug[i].kind][row] - 1];
	}
	return NULL;
}

static void line_print(const struct print_job *job, struct print_text *text, const char *at, size_t length, uint32_t line)
{
	const struct ptowsp_debug_record *d = position_of(job, line);

	print_add(text, "%.*s", (int)length, at);
	if (d)
		print_end_at(text, (struct print_place){d->line, d->column}, NULL, 0,
			     strcmp(print_string(job, d->file), job->file) ? print_string(job, d->file) : NULL);
	else
		print_end(text);
}

/* Lines of the text from begin to end; those in front of them count. */
static void lines_print(const struct print_job *job, struct print_text *text, size_t begin, size_t end)
{
	const char *at = job->graphs.text, *last = job->graphs.text + end;

	for (uint32_t line = job->graphs.first_line; at < last; line++) {
		const char *stop = strchr(at, '\n');

		stop = stop && stop < last ? stop : last;
		if (at >= job->graphs.text + begin)
			line_print(job, text, at, (size_t)(stop - at), line);
		at = stop + (stop < last);
	}
}

void print_graphs(const struct print_job *job, struct print_text *text, uint32_t entry)
{
	for (uint32_t i = 0; i < job->graphs.count; i++) {
		size_t end = i + 1 < job->graphs.count ? job->graphs.parts[i + 1].begin : strlen(job->graphs.text);

		if (job->graphs.parts[i].entry == entry)
			lines_print(job, text, job->graphs.parts[i].begin, end);
	}
}

/* --- all of it --- */

static uint32_t lines_of(const struct print_text *text)
{
	uint32_t lines = 1;

	for (size_t i = 0; i < text->out.length; i++)
		lines += text->out.bytes[i] == '\n';
	return lines;
}

/* Declares the tensors that graphs get from outside, and nothing else. */
static void named_print(struct print_job *job, struct print_text *text)
{
	for (uint32_t i = 0; i < job->t->tensor_count; i++)
		job->made.tensors[i] = !job->graphs.named[i];
	print_tensors(job, text);
	memset(job->made.tensors, 0, job->t->tensor_count);
}

/* Packs functions and graphs; values: without the values that are declared, with them, 2: with the tensors, too. */
static int try_pack(struct print_job *job, const struct print_text *functions, int values)
{
	struct print_text all = {0};
	int done;

	if (values)
		print_values(job, &all);
	if (values == 2)
		named_print(job, &all);
	print_append(&all, functions);
	job->graphs.first_line = lines_of(&all);
	print_add(&all, "%s", job->graphs.text);
	done = !all.out.failed;
	if (done)
		job->graphs.package = pack(all.out.bytes, &job->graphs.bytes);
	if (job->graphs.package)
		marks_set(job, pkg_tables(job->graphs.package), values);
	for (uint32_t i = 0; i < job->t->tensor_count && values == 2 && job->graphs.package; i++)
		job->made.tensors[i] &= !job->graphs.named[i];
	print_text_finish(&all);
	return done;
}

bool print_graphs_prepare(struct print_job *job, const struct print_text *functions)
{
	for (int values = 0; values < 3 && job->graphs.text && !job->graphs.package; values++)
		if (!try_pack(job, functions, values))
			return false;
	return true;
}

void print_graphs_finish(struct print_job *job)
{
	pkg_close(job->graphs.package);
	free(job->graphs.bytes);
	free(job->graphs.text);
	free(job->graphs.parts);
	free(job->graphs.named);
}
