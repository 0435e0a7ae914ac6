/* SPDX-License-Identifier: MIT */
/* print_source.c - the text of a whole package: what its comments say, then its functions in the order of their code; and does
 * it pack to the same package? */
#include "format/fail.h"
#include "format/format_names.h"
#include "lang/lang.h"
#include "print/parts.h"
#include "print/print.h"
#include "registry/text.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- where lines came from: positions of rows, and of the divisions of a line. ---- */

static const struct ptowsp_debug_record *position_of(const struct print_job *job, unsigned kind, uint32_t row)
{
	uint32_t place = job->file && row != PTOWSP_NONE ? job->positions[kind][row] : 0;

	return place ? &job->t->debug[place - 1] : NULL;
}

static struct print_place place_of(const struct ptowsp_debug_record *d)
{
	return d ? (struct print_place){d->line, d->column} : (struct print_place){0, 0};
}

void print_division_add(const struct print_job *job, struct print_divisions *divisions, uint32_t row)
{
	if (divisions->count < PRINT_MAX_DIVISIONS)
		divisions->places[divisions->count++] = place_of(position_of(job, 4, row));
}

static void divisions_walk(const struct print_job *job, struct print_divisions *divisions, uint32_t row, uint32_t depth)
{
	const struct ptowsp_expr_record *e = &job->t->expr[row];
	unsigned operands = pkg_expr_operands(e->op);

	if (!(job->index.exprs[row] & PRINT_DIVIDES) || divisions->count == PRINT_MAX_DIVISIONS || depth > PTOWSP_NESTING_LIMIT)
		return;
	divisions_walk(job, divisions, e->a, depth + 1);
	if (e->op == PTOWSP_EXPR_DIV || e->op == PTOWSP_EXPR_MOD)
		print_division_add(job, divisions, row);
	if (operands > 1)
		divisions_walk(job, divisions, e->b, depth + 1);
	if (operands > 2)
		divisions_walk(job, divisions, e->c, depth + 1);
}

void print_divisions_add(const struct print_job *job, struct print_divisions *divisions, uint32_t row)
{
	divisions_walk(job, divisions, row, 0);
}

void print_end_with(const struct print_job *job, struct print_text *text, unsigned kind, uint32_t row, const struct print_divisions *divisions)
{
	const struct ptowsp_debug_record *d = position_of(job, kind, row);
	const char *file = d ? print_string(job, d->file) : NULL;

	print_end_at(text, place_of(d), divisions->places, divisions->count, file && strcmp(file, job->file) ? file : NULL);
}

void print_end_of(const struct print_job *job, struct print_text *text, unsigned kind, uint32_t row)
{
	const struct print_divisions none = {.count = 0};

	print_end_with(job, text, kind, row, &none);
}

/* Fills job->positions and job->file. 0 without memory. */
static bool positions_find(struct print_job *job)
{
	const struct pkg_tables *t = job->t;
	const uint32_t counts[5] = {job->work.num_instructions, t->kernel_count, t->entry_count, t->slot_count, t->expr_count};

	for (unsigned kind = 0; kind < 5; kind++) {
		job->positions[kind] = calloc((size_t)counts[kind] + 1, sizeof(uint32_t));
		if (!job->positions[kind])
			return false;
	}
	for (uint32_t i = 0; i < t->debug_count; i++)
		if (t->debug[i].kind < 5 && t->debug[i].line) {
			job->positions[t->debug[i].kind][t->debug[i].row] = i + 1;
			job->file = job->file ? job->file : print_string(job, t->debug[i].file);
		}
	return true;
}

/* --- the order of functions --- */

static uint32_t line_of(const struct print_job *job, uint32_t entry)
{
	uint32_t place = job->positions[2][entry];

	return place ? job->t->debug[place - 1].line : 0;
}

/* Two lists that rise, of entries with code by instruction and of kernels by line, as one; what stands before what else by line, for those who read it. */
static uint32_t *lists_merge(const struct print_job *job, const struct pkg_ranks *code, const struct pkg_ranks *kernels, uint32_t *order)
{
	uint32_t k = 0;

	for (uint32_t c = 0; c < code->count; c++) {
		for (; k < kernels->count && kernels->rows[k].key < line_of(job, code->rows[c].row); k++)
			*order++ = kernels->rows[k].row;
		*order++ = code->rows[c].row;
	}
	for (; k < kernels->count; k++)
		*order++ = kernels->rows[k].row;
	return order;
}

/* The order of the source, as far as the package depends on it: values first, then code. Entries at the same values, those without any in front, are `all` from first on. */
static uint32_t alike_sort(const struct print_job *job, const struct pkg_ranks *all, uint32_t first, struct pkg_ranks lists[2])
{
	uint32_t i = first;

	lists[0].count = lists[1].count = 0;
	for (; i < all->count && all->rows[i].key == all->rows[first].key; i++) {
		const uint32_t entry = all->rows[i].row;

		if (print_has_code(job, entry))
			pkg_ranks_add(&lists[0], (uint64_t)job->t->entry[entry].instruction << 32 | line_of(job, entry), entry);
		else
			pkg_ranks_add(&lists[1], line_of(job, entry), entry);
	}
	pkg_ranks_sort(&lists[0]);
	pkg_ranks_sort(&lists[1]);
	return i;
}

static int order_find(const struct print_job *job, uint32_t *order)
{
	const struct pkg_tables *t = job->t;
	struct pkg_ranks all = {0}, lists[2] = {{0}};
	const int done = pkg_ranks_init(&all, t->entry_count) && pkg_ranks_init(&lists[0], t->entry_count) && pkg_ranks_init(&lists[1], t->entry_count);

	for (uint32_t i = 0; done && i < t->entry_count; i++)
		pkg_ranks_add(&all, (uint64_t)t->entry[i].values << 1 | (t->entry[i].value_count != 0), i);
	pkg_ranks_sort(&all);
	for (uint32_t i = 0; done && i < all.count;) {
		i = alike_sort(job, &all, i, lists);
		order = lists_merge(job, &lists[0], &lists[1], order);
	}
	pkg_ranks_finish(&all);
	pkg_ranks_finish(&lists[0]);
	pkg_ranks_finish(&lists[1]);
	return done;
}

/* --- the head --- */

static void head_print(const struct print_job *job, struct print_text *text)
{
	const char *name = pkg_meta(job->package, "name");

	if (name && !reg_text_is_plain(name)) {
		print_inexpressible(text, 0, "the name of the package, %s", name);
	} else if (name && *name) {
		print_add(text, "// PTO Module: %s", name);
		print_end(text);
	}
	print_add(text, "// Positions: %s", job->file ? job->file : "none");
	print_end(text);
	for (uint32_t e = 0; e < job->t->entry_count; e++)
		if (job->t->entry[e].flags & PTOWSP_ENTRY_DEFAULT) {
			print_add(text, "// Entry: @%s", print_string(job, job->t->entry[e].name));
			print_end(text);
		}
}

/* Rows that no text makes. */
static void rest_print(const struct print_job *job, struct print_text *text)
{
	const struct pkg_tables *t = job->t;
	for (uint32_t i = 0; i < t->slot_count; i++)
		if (t->slot[i].flags & PTOWSP_SLOT_HAS_DEFAULT && t->slot[i].kind == PTOWSP_SLOT_SYMBOL && !print_is_declared(job, i))
			print_inexpressible(text, 0, "the value that %.80s has unless a run sets it", print_string(job, t->slot[i].name));
}

static void targets_print(const struct print_job *job, struct print_text *text)
{
	uint32_t count;
	const char *const *targets = pkg_targets(job->package, &count);

	for (uint32_t i = 0; i < count; i++)
		print_add(text, "%s%s", i ? ", " : "target ", targets[i]);
	if (count)
		print_end(text);
}

/* --- functions and workloads --- */

/* An entry with code is a function if it has tensors or slots of its own. */
static int is_function(const struct print_job *job, uint32_t entry)
{
	return print_tensor_of(job, entry, 0) != PTOWSP_NONE || print_has_slots(job, entry);
}

static int declares(const struct print_job *job)
{
	const struct pkg_tables *t = job->t;
	int some = t->process_count || t->event_count || t->directive_count || t->channel_count;

	for (uint32_t i = 0; i < t->tensor_count; i++)
		some |= t->tensor[i].entry == PTOWSP_NONE;
	for (uint32_t i = 0; i < t->slot_count; i++)
		some |= !(t->slot[i].flags & PTOWSP_SLOT_INTERNAL) && (t->slot[i].kind == PTOWSP_SLOT_SLOT || t->slot[i].flags & PTOWSP_SLOT_HAS_DEFAULT);
	for (uint32_t e = 0; e < t->entry_count; e++)
		some |= print_has_code(job, e) && !is_function(job, e);
	return some;
}

/* Functions only: what graphs call. */
static void functions_print(struct print_job *job, struct print_text *text, const uint32_t *order)
{
	for (uint32_t i = 0; i < job->t->entry_count; i++) {
		uint32_t entry = order[i];

		if (print_has_code(job, entry) && (job->made.entries[entry] || !is_function(job, entry)))
			continue;
		print_end(text);
		if (print_has_code(job, entry))
			print_orchestration(job, text, entry);
		else
			print_incore(job, text, entry);
	}
}

/* Workloads and graphs in the order of their code. */
static void workloads_print(struct print_job *job, struct print_text *text, const uint32_t *order)
{
	if (job->graphs.text && !job->graphs.package)
		print_inexpressible(text, 0, "what the graphs below need around them");
	print_graphs(job, text, PTOWSP_NONE);
	for (uint32_t i = 0; i < job->t->entry_count; i++) {
		if (job->made.entries[order[i]])
			print_graphs(job, text, order[i]);
		if (!print_has_code(job, order[i]) || is_function(job, order[i]) || job->made.entries[order[i]])
			continue;
		print_end(text);
		print_workload(job, text, order[i]);
	}
}

/* --- all of it --- */

static bool marks_create(struct print_job *job)
{
	const struct pkg_tables *t = job->t;

	job->made.kernels = calloc((size_t)t->kernel_count + 1, 1);
	job->made.tensors = calloc((size_t)t->tensor_count + 1, 1);
	job->made.slots = calloc((size_t)t->slot_count + 1, 1);
	job->made.events = calloc((size_t)t->event_count + 1, 1);
	job->made.entries = calloc((size_t)t->entry_count + 1, 1);
	job->made.directives = calloc((size_t)t->directive_count + 1, 1);
	return job->made.kernels && job->made.tensors && job->made.slots && job->made.events && job->made.entries && job->made.directives;
}

static void marks_free(struct print_job *job)
{
	free(job->made.kernels);
	free(job->made.tensors);
	free(job->made.slots);
	free(job->made.events);
	free(job->made.entries);
	free(job->made.directives);
}

static bool stated_find(struct print_job *job)
{
	job->stated = calloc((size_t)job->t->axis_count + 1, 1);
	for (uint32_t i = 0; job->stated && i < job->work.num_instructions; i++) {
		struct ptowsp_instruction inst = print_instruction(job, i);

		if (inst.opcode >= PTOWSP_OP_AXIS_DENSE && inst.opcode <= PTOWSP_OP_AXIS_SPARSE)
			job->stated[print_axis_row(job, inst.operand1)] = 1;
	}
	return job->stated != NULL;
}

static bool job_begin(struct print_job *job)
{
	job->work = *pkg_code_header(job->code);
	print_helper_choose(job);
	if (!print_index_make(job) || !stated_find(job) || !marks_create(job) || !print_graphs_begin(job))
		return false;
	job->declares = declares(job);
	return print_homes_find(job) && positions_find(job);
}

static void job_end(struct print_job *job)
{
	for (unsigned kind = 0; kind < 5; kind++)
		free(job->positions[kind]);
	print_index_finish(job);
	free(job->stated);
	marks_free(job);
	print_graphs_finish(job);
}

static ptowsp_status all_print(struct print_job *job, struct print_text *text, const struct print_text *functions, const uint32_t *order,
			       struct ptowsp_error *error)
{
	head_print(job, text);
	rest_print(job, text);
	print_facts(job, text);
	targets_print(job, text);
	print_values(job, text);
	print_tensors(job, text);
	print_axes(job, text);
	print_channels(job, text);
	print_append(text, functions);
	workloads_print(job, text, order);
	print_kernels(job, text);
	print_processes(job, text);
	print_schedule(job, text);
	return print_samples(job, text, error);
}

ptowsp_status print_source(const struct pkg_code *code, const struct print_files *files, char **text_out, uint32_t *inexpressible_out,
			   struct ptowsp_error *error)
{
	struct pkg *package = pkg_code_package(code);
	struct print_job job = {.package = package, .code = code, .files = files, .t = pkg_tables(package)};
	uint32_t *order = calloc((size_t)job.t->entry_count + 1, sizeof(*order));
	struct print_text text = {0}, functions = {0};
	int done = order && job_begin(&job);
	ptowsp_status status = PTOWSP_OK;

	*text_out = NULL;
	*inexpressible_out = 0;
	if (done && (done = order_find(&job, order))) {
		functions_print(&job, &functions, order);
		done = print_graphs_prepare(&job, &functions);
	}
	if (done) {
		status = all_print(&job, &text, &functions, order, error);
		done = !text.out.failed;
	}
	if (done && !status) {
		*inexpressible_out = text.inexpressible;
		*text_out = text.out.bytes;
		text.out.bytes = NULL;
	}
	job_end(&job);
	free(order);
	print_text_finish(&functions);
	print_text_finish(&text);
	return done ? status : pkg_fail(error, PTOWSP_NO_MEMORY, "no memory to print the source of %.160s", pkg_name(package));
}

/* ---- does a printed text pack to the package that it was printed from? ---- */

/* The first section that is not the same, by its four letters. */
static ptowsp_status sections_compare(const struct pkg *a, const struct pkg *b, struct ptowsp_error *error)
{
	struct pkg_content x, y;

	for (uint32_t i = 0;; i++) {
		int in_a = pkg_content(a, i, &x), in_b = pkg_content(b, i, &y);

		if (!in_a && !in_b)
			return pkg_fail(error, PTOWSP_MISMATCH, "the text packs to another digest, for its targets are others");
		if (!in_a || !in_b || x.type != y.type || x.stride != y.stride || memcmp(x.digest, y.digest, 32) != 0)
			return pkg_fail(error, PTOWSP_MISMATCH, "the text packs to another digest: section %.4s differs; the JSON form says all of it",
					(const char *)(in_a ? &x.type : &y.type));
	}
}

static ptowsp_status bytes_compare(const struct pkg *package, const void *bytes, size_t size, struct ptowsp_error *error)
{
	struct pkg *again = NULL;
	ptowsp_status status = pkg_open_memory(&again, bytes, size, "the text", NULL, error);

	if (!status && memcmp(pkg_digest(package), pkg_digest(again), 32) != 0)
		status = sections_compare(package, again, error);
	pkg_close(again);
	return status;
}

ptowsp_status print_compare(const struct pkg *package, const char *text, const struct print_files *files, struct ptowsp_error *error)
{
	const struct lang_source source = {"printed.pto", text, strlen(text)};
	const struct lang_options options = {.producer = pkg_meta(package, "producer"),
					     .name = pkg_name(package),
					     .read = files ? files->read : NULL,
					     .context = files ? files->context : NULL};
	struct pkg_writer *writer = pkg_writer_create();
	struct lang_diagnostics *list = NULL;
	void *bytes = NULL;
	size_t size;
	ptowsp_status status;

	if (!writer)
		return pkg_fail(error, PTOWSP_NO_MEMORY, "no memory to pack the printed text");
	status = lang_compile(writer, &source, 1, &options, &list, error);
	if (status && list && list->errors)
		for (uint32_t i = 0; i < list->count; i++)
			if (list->rows[i].severity == LANG_ERROR) {
				pkg_fail(error, status, "the text is refused at line %lu: %.160s", (unsigned long)list->rows[i].line, list->rows[i].text);
				break;
			}
	lang_diagnostics_destroy(list);
	if (!status)
		status = pkg_writer_seal(writer, &bytes, &size, error);
	if (!status)
		status = bytes_compare(package, bytes, size, error);
	pkg_writer_destroy(writer);
	free(bytes);
	return status;
}
