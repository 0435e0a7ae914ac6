/* SPDX-License-Identifier: MIT */
/* source.c - the text of a whole package: what its comments say, then its functions in the order of their code. */
#include "print/parts.h"
#include "print/print.h"

#include "format/fail.h"
#include "format/names.h"
#include "lang/schedule_print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIRECTIVE_TEXT 16384u

/* --- what the parts share --- */

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

	if (!operands || depth > PTOWSP_NESTING_LIMIT)
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

uint32_t print_tensor_of(const struct print_job *job, uint32_t entry, uint32_t position)
{
	for (uint32_t i = 0; i < job->t->tensor_count; i++)
		if (job->t->tensor[i].entry == entry && job->t->tensor[i].position == position)
			return i;
	return PTOWSP_NONE;
}

const char *print_memref_name(const struct print_job *job, uint32_t entry, uint32_t tensor)
{
	const char *function = print_string(job, job->t->entry[entry].name), *name = print_string(job, job->t->tensor[tensor].name);
	size_t length = strlen(function);

	if (job->t->tensor[tensor].entry != entry || strncmp(name, function, length) != 0 || name[length] != '.' ||
	    !print_is_name(name + length + 1))
		return NULL;
	return name + length + 1;
}

int print_memrefs(const struct print_job *job, struct print_text *text, uint32_t entry, uint32_t *count_out)
{
	uint32_t tensor;

	for (*count_out = 0; (tensor = print_tensor_of(job, entry, *count_out)) != PTOWSP_NONE; ++*count_out) {
		const struct ptowsp_tensor_record *r = &job->t->tensor[tensor];
		const char *name = print_memref_name(job, entry, tensor);

		if (!name || !(r->flags & PTOWSP_TENSOR_SHAPELESS) || r->alignment) {
			print_unsaid(text, 0, "the tensor \"%.80s\" as a parameter", print_string(job, r->name));
			return 0;
		}
		print_add(text, "%s%%%s: !pto.memref<%s,...,%s>", *count_out ? ", " : "", name, print_space(r->location),
			  print_dtype(r->dtype));
	}
	return 1;
}

/* Is there a symbol "other.rest", other being another function? */
static int is_mixed(const struct print_job *job, uint32_t slot, const char *rest)
{
	for (uint32_t i = 0; i < job->t->slot_count; i++) {
		const char *name = print_string(job, job->t->slot[i].name);
		size_t length = strlen(name), tail = strlen(rest);

		if (i != slot && job->t->slot[i].kind == PTOWSP_SLOT_SYMBOL && length > tail + 1 && name[length - tail - 1] == '.' &&
		    !strcmp(name + length - tail, rest))
			return 1;
	}
	return 0;
}

const char *print_symbol_name(const struct print_job *job, const char *function, uint32_t slot)
{
	const char *name = print_string(job, job->t->slot[slot].name);
	size_t length = strlen(function);

	if (!strncmp(name, function, length) && name[length] == '.' && is_mixed(job, slot, name + length + 1))
		return name + length + 1;
	return name;
}

/* --- positions --- */

static int positions_find(struct print_job *job)
{
	const struct pkg_tables *t = job->t;
	const uint32_t counts[5] = {job->work.num_instructions, t->kernel_count, t->entry_count, t->slot_count, t->expr_count};

	for (unsigned kind = 0; kind < 5; kind++) {
		job->positions[kind] = calloc((size_t)counts[kind] + 1, sizeof(uint32_t));
		if (!job->positions[kind])
			return 0;
	}
	for (uint32_t i = 0; i < t->debug_count; i++)
		if (t->debug[i].kind < 5 && t->debug[i].line) {
			job->positions[t->debug[i].kind][t->debug[i].row] = i + 1;
			job->file = job->file ? job->file : print_string(job, t->debug[i].file);
		}
	return 1;
}

/* --- helper names --- */

static int begins_some(const struct print_job *job, const char *prefix)
{
	const struct pkg_tables *t = job->t;
	size_t length = strlen(prefix);

	for (uint64_t at = 0; at < t->strings_size; at += strlen(t->strings + at) + 1) {
		const char *text = t->strings + at, *dot = strrchr(text, '.');

		if (!strncmp(text, prefix, length) || (dot && !strncmp(dot + 1, prefix, length)))
			return 1;
	}
	return 0;
}

static void helper_choose(struct print_job *job)
{
	static const char *const words[] = {"v", "value", "helper", "helper_value", "helper_value_"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		job->helper = words[i];
		if (!begins_some(job, words[i]))
			return;
	}
}

static int has_code(const struct print_job *job, uint32_t entry)
{
	return !(job->t->entry[entry].flags & PTOWSP_ENTRY_KERNEL);
}

/* --- the order of functions --- */

/* The order of the source, as far as the package depends on it: values first, then code; else by line, for those who read it. */
static int order_compare(const struct print_job *job, uint32_t a, uint32_t b)
{
	const struct ptowsp_entry_record *x = &job->t->entry[a], *y = &job->t->entry[b];

	if (x->values != y->values)
		return x->values < y->values ? -1 : 1;
	if (!x->value_count != !y->value_count)
		return x->value_count ? 1 : -1;
	if (has_code(job, a) && has_code(job, b) && x->instruction != y->instruction)
		return x->instruction < y->instruction ? -1 : 1;
	return 0;
}

static uint32_t line_of(const struct print_job *job, uint32_t entry)
{
	uint32_t place = job->positions[2][entry];

	return place ? job->t->debug[place - 1].line : 0;
}

/* Insertion: what has to stand before another one does, the others by line. */
static void order_find(const struct print_job *job, uint32_t *order)
{
	for (uint32_t i = 0; i < job->t->entry_count; i++) {
		uint32_t at = i;

		while (at > 0 && (order_compare(job, i, order[at - 1]) < 0 ||
				  (order_compare(job, i, order[at - 1]) == 0 && line_of(job, i) < line_of(job, order[at - 1])))) {
			order[at] = order[at - 1];
			at--;
		}
		order[at] = i;
	}
}

/* --- the head --- */

static void head_print(const struct print_job *job, struct print_text *text)
{
	const char *name = pkg_meta(job->package, "name");

	if (name && *name) {
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
			print_unsaid(text, 0, "the value that %.80s has unless a run sets it", print_string(job, t->slot[i].name));
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

static int expr_reads(const struct print_job *job, uint32_t row, uint32_t slot, uint32_t depth)
{
	const struct ptowsp_expr_record *e;
	unsigned operands;

	if (row >= job->t->expr_count || depth > PTOWSP_NESTING_LIMIT)
		return 0;
	e = &job->t->expr[row];
	operands = pkg_expr_operands(e->op);
	return (e->op == PTOWSP_EXPR_VALUE && e->a == slot) || (operands > 0 && expr_reads(job, e->a, slot, depth + 1)) ||
	       (operands > 1 && expr_reads(job, e->b, slot, depth + 1)) || (operands > 2 && expr_reads(job, e->c, slot, depth + 1));
}

/* Policies inside of others are words, in which #row is an expression. */
static int word_reads(const struct print_job *job, const char *word, uint32_t slot)
{
	for (word = strchr(word, '#'); word; word = strchr(word + 1, '#'))
		if (expr_reads(job, (uint32_t)strtoul(word + 1, NULL, 10), slot, 0))
			return 1;
	return 0;
}

int print_schedule_reads(const struct print_job *job, uint32_t slot)
{
	for (uint32_t i = 0; i < job->t->directive_count; i++) {
		const struct ptowsp_directive_record *d = &job->t->directive[i];
		const int64_t arguments[] = {d->a0, d->a1, d->a2, d->a3, d->a4, d->a5, d->a6, d->a7};

		for (unsigned k = 0; k < d->count && k < 8; k++) {
			unsigned kind = (unsigned)(d->kinds >> (8 * k)) & 0xFF;

			if ((kind == PTOWSP_ARGUMENT_EXPR && expr_reads(job, (uint32_t)arguments[k], slot, 0)) ||
			    (kind == PTOWSP_ARGUMENT_WORD && word_reads(job, print_string(job, (uint32_t)arguments[k]), slot)))
				return 1;
		}
	}
	return 0;
}

static void directive_print(const struct print_job *job, struct print_text *text, uint32_t row)
{
	char *memory = malloc(DIRECTIVE_TEXT);
	struct reg_text directive;

	if (!memory) {
		text->failed = 1;
		return;
	}
	reg_text_init(&directive, memory, DIRECTIVE_TEXT);
	if (lang_directive_print(job->t, row, &directive)) {
		print_add(text, "  %s", memory);
		print_end(text);
	} else {
		print_unsaid(text, 1, "directive %lu of the schedule", (unsigned long)row);
	}
	free(memory);
}

static void schedule_print(const struct print_job *job, struct print_text *text)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < job->t->directive_count; i++) {
		if (job->made.directives[i])
			continue;
		if (!count++) {
			print_end(text);
			print_add(text, "schedule {");
			print_end(text);
		}
		directive_print(job, text, i);
	}
	if (count) {
		print_add(text, "}");
		print_end(text);
	}
}

/* --- what is declared around functions --- */

/* An entry with code is a function if it has tensors or slots of its own. */
static int is_function(const struct print_job *job, uint32_t entry)
{
	const char *function = print_string(job, job->t->entry[entry].name);
	size_t length = strlen(function);

	if (print_tensor_of(job, entry, 0) != PTOWSP_NONE)
		return 1;
	for (uint32_t i = 0; i < job->t->slot_count; i++) {
		const char *name = print_string(job, job->t->slot[i].name);

		if (job->t->slot[i].flags & PTOWSP_SLOT_INTERNAL && *name == '@' && !strncmp(name + 1, function, length) && name[1 + length] == '.' &&
		    !strchr(name + length + 2, '.'))
			return 1;
	}
	return 0;
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
		some |= has_code(job, e) && !is_function(job, e);
	return some;
}

/* A name that a tensor, an event or a channel has is theirs. */
static int is_taken(const struct print_job *job, const char *name)
{
	const struct pkg_tables *t = job->t;
	int taken = 0;

	for (uint32_t i = 0; i < t->tensor_count; i++)
		taken |= t->tensor[i].entry == PTOWSP_NONE && !strcmp(print_string(job, t->tensor[i].name), name);
	for (uint32_t i = 0; i < t->event_count; i++)
		taken |= !strcmp(print_string(job, t->event[i].name), name);
	for (uint32_t i = 0; i < t->channel_count; i++)
		taken |= !strcmp(print_string(job, t->channel[i].name), name);
	return taken;
}

int print_is_declared(const struct print_job *job, uint32_t slot)
{
	const struct ptowsp_slot_record *r = &job->t->slot[slot];
	const char *name = print_string(job, r->name);

	if (r->flags & PTOWSP_SLOT_INTERNAL || job->made.slots[slot])
		return 0;
	if (r->kind == PTOWSP_SLOT_SLOT)
		return 1;
	for (uint32_t e = 0; e < job->t->entry_count; e++)
		if (print_symbol_name(job, print_string(job, job->t->entry[e].name), slot) != name)
			return 0; /* one of several of that name: its function has it */
	return job->declares && !is_taken(job, name);
}

/* --- symbols that nothing reads: a function may declare one all the same --- */

static int names_match(const struct print_job *job, uint32_t name, const char *before, const char *function, const char *rest)
{
	const char *text = print_string(job, name);
	size_t first = strlen(before), second = strlen(function);

	return !strncmp(text, before, first) && !strncmp(text + first, function, second) && text[first + second] == '.' &&
	       !strcmp(text + first + second + 1, rest);
}

/* Has the function something of that name? Loops of all functions count. */
static int knows(const struct print_job *job, uint32_t entry, const char *name)
{
	const struct pkg_tables *t = job->t;
	const char *function = print_string(job, t->entry[entry].name);

	for (uint32_t i = 0; i < t->tensor_count; i++)
		if (names_match(job, t->tensor[i].name, "", function, name))
			return 1;
	for (uint32_t i = 0; i < t->slot_count; i++)
		if (names_match(job, t->slot[i].name, "@", function, name))
			return 1;
	for (uint32_t i = 0; i < t->axis_count; i++)
		if (!strcmp(print_string(job, t->axis[i].name), name))
			return 1;
	return !has_code(job, entry) && print_kernel_knows(job, entry, name);
}

/* The function that the name says; else one with code, for it has fewer names; else any. */
static uint32_t home_find(const struct print_job *job, uint32_t slot)
{
	const char *name = print_string(job, job->t->slot[slot].name);
	uint32_t home = PTOWSP_NONE;

	for (uint32_t e = 0; e < job->t->entry_count; e++)
		if (print_symbol_name(job, print_string(job, job->t->entry[e].name), slot) != name)
			return e;
	for (uint32_t e = 0; e < job->t->entry_count; e++)
		if (!knows(job, e, name) && (home == PTOWSP_NONE || (has_code(job, e) && !has_code(job, home))))
			home = e;
	return home;
}

static int homes_find(struct print_job *job)
{
	const struct pkg_tables *t = job->t;
	uint8_t *read = calloc((size_t)t->slot_count + 1, 1);

	job->homes = calloc((size_t)t->slot_count + 1, sizeof(*job->homes));
	for (uint32_t i = 0; read && i < t->entry_value_count; i++)
		read[t->entry_value[i].slot] = 1;
	for (uint32_t i = 0; read && job->homes && i < t->slot_count; i++)
		job->homes[i] = read[i] || t->slot[i].kind != PTOWSP_SLOT_SYMBOL || print_is_declared(job, i) ? PTOWSP_NONE : home_find(job, i);
	free(read);
	return read && job->homes;
}

void print_unused(const struct print_job *job, struct print_text *text, uint32_t entry)
{
	const char *function = print_string(job, job->t->entry[entry].name);

	for (uint32_t i = 0; i < job->t->slot_count; i++)
		if (job->homes[i] == entry) {
			print_add(text, "  %%%s = alloc_scalar : %s", print_symbol_name(job, function, i), print_dtype(job->t->slot[i].dtype));
			print_end(text);
		}
}

/* --- all of it --- */

/* Functions only: what graphs call. */
static void functions_print(struct print_job *job, struct print_text *text, const uint32_t *order)
{
	for (uint32_t i = 0; i < job->t->entry_count; i++) {
		uint32_t entry = order[i];

		if (has_code(job, entry) && (job->made.entries[entry] || !is_function(job, entry)))
			continue;
		print_end(text);
		if (has_code(job, entry))
			print_orchestration(job, text, entry);
		else
			print_incore(job, text, entry);
	}
}

/* Workloads and graphs in the order of their code. */
static void workloads_print(struct print_job *job, struct print_text *text, const uint32_t *order)
{
	if (job->graphs.text && !job->graphs.package)
		print_unsaid(text, 0, "what the graphs below need around them");
	print_graphs(job, text, PTOWSP_NONE);
	for (uint32_t i = 0; i < job->t->entry_count; i++) {
		if (job->made.entries[order[i]])
			print_graphs(job, text, order[i]);
		if (!has_code(job, order[i]) || is_function(job, order[i]) || job->made.entries[order[i]])
			continue;
		print_end(text);
		print_workload(job, text, order[i]);
	}
}

static int marks_create(struct print_job *job)
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

static int stated_find(struct print_job *job)
{
	job->stated = calloc((size_t)job->t->axis_count + 1, 1);
	for (uint32_t i = 0; job->stated && i < job->work.num_instructions; i++) {
		struct ptowsp_instruction inst = print_instruction(job, i);

		if (inst.opcode >= PTOWSP_OP_AXIS_DENSE && inst.opcode <= PTOWSP_OP_AXIS_SPARSE)
			job->stated[print_axis_row(job, inst.operand1)] = 1;
	}
	return job->stated != NULL;
}

static int job_begin(struct print_job *job)
{
	if (job->t->work_size) {
		memcpy(&job->work, job->t->work, sizeof(job->work));
		job->instructions = job->t->work + sizeof(job->work);
	}
	helper_choose(job);
	if (!stated_find(job) || !marks_create(job) || !print_graphs_begin(job))
		return 0;
	job->declares = declares(job);
	return homes_find(job) && positions_find(job);
}

static void job_end(struct print_job *job)
{
	for (unsigned kind = 0; kind < 5; kind++)
		free(job->positions[kind]);
	free(job->homes);
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
	schedule_print(job, text);
	return print_samples(job, text, error);
}

ptowsp_status print_source(struct pkg *package, const struct print_files *files, char **text_out, uint32_t *unsaid_out, struct ptowsp_error *error)
{
	struct print_job job = {.package = package, .files = files, .t = pkg_tables(package)};
	uint32_t *order = calloc((size_t)job.t->entry_count + 1, sizeof(*order));
	struct print_text text = {0}, functions = {0};
	int done = order && job_begin(&job);
	ptowsp_status st = PTOWSP_OK;

	*text_out = NULL;
	*unsaid_out = 0;
	if (done) {
		order_find(&job, order);
		functions_print(&job, &functions, order);
		done = print_graphs_prepare(&job, &functions);
	}
	if (done) {
		st = all_print(&job, &text, &functions, order, error);
		done = !text.failed;
	}
	if (done && !st) {
		*unsaid_out = text.unsaid;
		*text_out = text.bytes;
		text.bytes = NULL;
	}
	job_end(&job);
	free(order);
	print_text_finish(&functions);
	print_text_finish(&text);
	return done ? st : pkg_fail(error, PTOWSP_NO_MEMORY, "no memory to print the source of %.160s", pkg_name(package));
}
