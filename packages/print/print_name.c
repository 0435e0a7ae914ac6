/* SPDX-License-Identifier: MIT */
/* print_name.c - rows found by names and numbers; what tensors, symbols and helper scalars are called, and where a symbol is declared. */
#include "format/format_names.h"
#include "print/parts.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows by what they are looked up by: tensors of an entry, places where code begins, calls of a caller, names. ---- */

/* --- making --- */

static uint64_t pair(uint32_t first, uint32_t second)
{
	return (uint64_t)first << 32 | second;
}

static bool rows_rank(struct print_index *x, const struct pkg_tables *t)
{
	if (!pkg_ranks_init(&x->tensors, t->tensor_count) || !pkg_ranks_init(&x->calls, t->call_count))
		return false;
	for (uint32_t i = 0; i < t->tensor_count; i++)
		pkg_ranks_add(&x->tensors, pair(t->tensor[i].entry, t->tensor[i].position), i);
	for (uint32_t i = 0; i < t->call_count; i++)
		pkg_ranks_add(&x->calls, t->call[i].caller, i);
	pkg_ranks_sort(&x->tensors);
	pkg_ranks_sort(&x->calls);
	return true;
}

/* How many '.' the names of symbols have: each tail behind one is looked up. */
static uint32_t tails_count(const struct pkg_tables *t)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < t->slot_count; i++)
		for (const char *at = pkg_string(t, t->slot[i].name); (at = strchr(at, '.')); at++)
			count++;
	return count;
}

/* "@function.name", nothing more: a slot of that function's own. */
static void owner_add(struct print_index *x, const char *name, uint32_t slot)
{
	const char *dot = strrchr(name, '.');

	if (*name == '@' && dot)
		pkg_ranks_add(&x->owners, pkg_rank_text(name + 1, (size_t)(dot - name - 1)), slot);
}

static bool names_rank(struct print_index *x, const struct pkg_tables *t)
{
	if (!pkg_ranks_init(&x->owners, t->slot_count) || !pkg_ranks_init(&x->tails, tails_count(t)))
		return false;
	for (uint32_t i = 0; i < t->slot_count; i++) {
		const char *name = pkg_string(t, t->slot[i].name);

		if (t->slot[i].flags & PTOWSP_SLOT_INTERNAL)
			owner_add(x, name, i);
		for (const char *at = name; t->slot[i].kind == PTOWSP_SLOT_SYMBOL && (at = strchr(at, '.')); at++)
			pkg_ranks_add(&x->tails, pkg_rank_text(at + 1, strlen(at + 1)), i);
	}
	pkg_ranks_sort(&x->owners);
	pkg_ranks_sort(&x->tails);
	return true;
}

/* Operands are earlier rows: one pass. */
static bool exprs_look(struct print_index *x, const struct pkg_tables *t)
{
	x->exprs = calloc((size_t)t->expr_count + 1, 1);
	for (uint32_t i = 0; x->exprs && i < t->expr_count; i++) {
		const struct ptowsp_expr_record *e = &t->expr[i];
		const uint32_t operands[3] = {e->a, e->b, e->c};

		if (e->op == PTOWSP_EXPR_VALUE && t->slot[e->a].kind == PTOWSP_SLOT_SLOT)
			x->exprs[i] = PRINT_READS_SLOT;
		if (e->op == PTOWSP_EXPR_DIV || e->op == PTOWSP_EXPR_MOD)
			x->exprs[i] = PRINT_DIVIDES;
		for (unsigned k = 0; k < pkg_expr_operands(e->op); k++)
			x->exprs[i] |= x->exprs[operands[k]];
	}
	return x->exprs != NULL;
}

bool print_index_make(struct print_job *job)
{
	return rows_rank(&job->index, job->t) && names_rank(&job->index, job->t) && exprs_look(&job->index, job->t) && print_schedule_index(job);
}

void print_index_finish(struct print_job *job)
{
	struct print_index *x = &job->index;
	struct pkg_ranks *const all[] = {&x->tensors, &x->calls, &x->owners, &x->tails, &x->unused};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		pkg_ranks_finish(all[i]);
	free(x->exprs);
	free(x->scheduled);
}

/* --- looking up --- */

uint32_t print_tensor_of(const struct print_job *job, uint32_t entry, uint32_t position)
{
	const struct pkg_ranks *ranks = &job->index.tensors;
	const uint32_t at = pkg_ranks_from(ranks, pair(entry, position));

	return at < ranks->count && ranks->rows[at].key == pair(entry, position) ? ranks->rows[at].row : PTOWSP_NONE;
}

uint32_t print_call_from(const struct print_job *job, uint32_t entry)
{
	return pkg_ranks_from(&job->index.calls, entry);
}

const struct ptowsp_call_record *print_call_at(const struct print_job *job, uint32_t entry, uint32_t at)
{
	const struct pkg_ranks *ranks = &job->index.calls;

	return at < ranks->count && ranks->rows[at].key == entry ? &job->t->call[ranks->rows[at].row] : NULL;
}

/* Is there a tensor of that name, or one of no entry's if `common`? */
static bool tensor_named(const struct print_job *job, const char *name, int common)
{
	const uint32_t row = PKG_NAMED(job->t, tensor, name, strlen(name));

	return row != PTOWSP_NONE && (!common || job->t->tensor[row].entry == PTOWSP_NONE);
}

bool print_has_slots(const struct print_job *job, uint32_t entry)
{
	const char *function = print_string(job, job->t->entry[entry].name);
	const struct pkg_ranks *ranks = &job->index.owners;
	const size_t length = strlen(function);
	const uint64_t key = pkg_rank_text(function, length);

	for (uint32_t i = pkg_ranks_from(ranks, key); i < ranks->count && ranks->rows[i].key == key; i++) {
		const char *name = print_string(job, job->t->slot[ranks->rows[i].row].name);

		if (!strncmp(name + 1, function, length) && name[1 + length] == '.')
			return true;
	}
	return false;
}

/* Is there a symbol "other.rest", other being another function? */
static bool is_mixed(const struct print_job *job, uint32_t slot, const char *rest)
{
	const struct pkg_ranks *ranks = &job->index.tails;
	const size_t tail = strlen(rest);
	const uint64_t key = pkg_rank_text(rest, tail);

	for (uint32_t i = pkg_ranks_from(ranks, key); i < ranks->count && ranks->rows[i].key == key; i++) {
		const char *name = print_string(job, job->t->slot[ranks->rows[i].row].name);
		const size_t length = strlen(name);

		if (ranks->rows[i].row != slot && length > tail + 1 && !strcmp(name + length - tail, rest))
			return true;
	}
	return false;
}

/* The first entry whose own the symbol is by its name, being one of several that are called so behind their functions; PTOWSP_NONE: it is nobody's. */
static uint32_t home_named(const struct print_job *job, uint32_t slot)
{
	const char *name = print_string(job, job->t->slot[slot].name);
	uint32_t first = PTOWSP_NONE;

	for (const char *dot = name; (dot = strchr(dot, '.')); dot++) {
		const uint32_t entry = PKG_NAMED(job->t, entry, name, (size_t)(dot - name));

		if (entry < first && is_mixed(job, slot, dot + 1))
			first = entry;
	}
	return first;
}

const char *print_memref_name(const struct print_job *job, uint32_t entry, uint32_t tensor)
{
	const char *function = print_string(job, job->t->entry[entry].name), *name = print_string(job, job->t->tensor[tensor].name);
	size_t length = strlen(function);

	if (job->t->tensor[tensor].entry != entry || strncmp(name, function, length) != 0 || name[length] != '.' || !lang_name_is_plain(name + length + 1))
		return NULL;
	return name + length + 1;
}

bool print_memrefs(const struct print_job *job, struct print_text *text, uint32_t entry, uint32_t *count_out)
{
	uint32_t tensor;

	for (*count_out = 0; (tensor = print_tensor_of(job, entry, *count_out)) != PTOWSP_NONE; ++*count_out) {
		const struct ptowsp_tensor_record *r = &job->t->tensor[tensor];
		const char *name = print_memref_name(job, entry, tensor);

		if (!name || !(r->flags & PTOWSP_TENSOR_SHAPELESS) || r->alignment) {
			print_inexpressible(text, 0, "the tensor \"%.80s\" as a parameter", print_string(job, r->name));
			return false;
		}
		print_add(text, "%s%%%s: !pto.memref<%s,...,%s>", *count_out ? ", " : "", name, print_space(r->location), print_dtype(r->dtype));
	}
	return true;
}

const char *print_symbol_name(const struct print_job *job, const char *function, uint32_t slot)
{
	const char *name = print_string(job, job->t->slot[slot].name);
	size_t length = strlen(function);

	if (!strncmp(name, function, length) && name[length] == '.' && is_mixed(job, slot, name + length + 1))
		return name + length + 1;
	return name;
}

static bool begins_some(const struct print_job *job, const char *prefix)
{
	const struct pkg_tables *t = job->t;
	size_t length = strlen(prefix);

	for (uint64_t at = 0; at < t->strings_size; at += strlen(t->strings + at) + 1) {
		const char *text = t->strings + at, *dot = strrchr(text, '.');

		if (!strncmp(text, prefix, length) || (dot && !strncmp(dot + 1, prefix, length)))
			return true;
	}
	return false;
}

void print_helper_choose(struct print_job *job)
{
	static const char *const words[] = {"v", "value", "helper", "helper_value", "helper_value_"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		job->helper = words[i];
		if (!begins_some(job, words[i]))
			return;
	}
}

/* ---- where a symbol is declared: at the top of the text, or in a function, though nothing may read it. ---- */

/* A name that a tensor, an event or a channel has is theirs. */
static int is_taken(const struct print_job *job, const char *name)
{
	const struct pkg_tables *t = job->t;
	int taken = tensor_named(job, name, 1);

	for (uint32_t i = 0; i < t->event_count && !taken; i++)
		taken = !strcmp(print_string(job, t->event[i].name), name);
	for (uint32_t i = 0; i < t->channel_count && !taken; i++)
		taken = !strcmp(print_string(job, t->channel[i].name), name);
	return taken;
}

bool print_is_declared(const struct print_job *job, uint32_t slot)
{
	const struct ptowsp_slot_record *r = &job->t->slot[slot];
	const char *name = print_string(job, r->name);

	if (r->flags & PTOWSP_SLOT_INTERNAL || job->made.slots[slot])
		return false;
	if (r->kind == PTOWSP_SLOT_SLOT)
		return true;
	if (home_named(job, slot) != PTOWSP_NONE)
		return false; /* one of several of that name: its function has it */
	return job->declares && !is_taken(job, name);
}

/* Has something a name made of these? 1 as well without memory. */
static int is_named(const struct print_job *job, const char *before, const char *function, const char *rest)
{
	struct print_text name = {0};
	int is = 1;

	print_add(&name, "%s%s.%s", before, function, rest);
	if (!name.out.failed)
		is = *before ? PKG_NAMED(job->t, slot, name.out.bytes, strlen(name.out.bytes)) != PTOWSP_NONE : tensor_named(job, name.out.bytes, 0);
	print_text_finish(&name);
	return is;
}

/* Has the function something of that name? */
static int knows(const struct print_job *job, uint32_t entry, const char *name)
{
	const char *function = print_string(job, job->t->entry[entry].name);

	return is_named(job, "", function, name) || is_named(job, "@", function, name) || (!print_has_code(job, entry) && print_kernel_knows(job, entry, name));
}

/* The function that the name says; else one with code, for it has fewer names; else any. Loops of all functions count. */
static uint32_t home_find(const struct print_job *job, uint32_t slot)
{
	const char *name = print_string(job, job->t->slot[slot].name);
	uint32_t home = home_named(job, slot);

	for (uint32_t i = 0; i < job->t->axis_count && home == PTOWSP_NONE; i++)
		if (!strcmp(print_string(job, job->t->axis[i].name), name))
			return PTOWSP_NONE;
	for (int code = 1; code >= 0; code--)
		for (uint32_t e = 0; e < job->t->entry_count && home == PTOWSP_NONE; e++)
			if (print_has_code(job, e) == code && !knows(job, e, name))
				home = e;
	return home;
}

bool print_homes_find(struct print_job *job)
{
	const struct pkg_tables *t = job->t;
	uint8_t *read = calloc((size_t)t->slot_count + 1, 1);

	if (!read || !pkg_ranks_init(&job->index.unused, t->slot_count)) {
		free(read);
		return false;
	}
	for (uint32_t i = 0; i < t->entry_value_count; i++)
		read[t->entry_value[i].slot] = 1;
	for (uint32_t i = 0; i < t->slot_count; i++)
		if (!read[i] && t->slot[i].kind == PTOWSP_SLOT_SYMBOL && !print_is_declared(job, i))
			pkg_ranks_add(&job->index.unused, home_find(job, i), i);
	pkg_ranks_sort(&job->index.unused);
	free(read);
	return true;
}

void print_unused(const struct print_job *job, struct print_text *text, uint32_t entry)
{
	const char *function = print_string(job, job->t->entry[entry].name);
	const struct pkg_ranks *unused = &job->index.unused;

	for (uint32_t i = pkg_ranks_from(unused, entry); i < unused->count && unused->rows[i].key == entry; i++) {
		const uint32_t slot = unused->rows[i].row;

		print_add(text, "  %%%s = alloc_scalar : %s", print_symbol_name(job, function, slot), print_dtype(job->t->slot[slot].dtype));
		print_end(text);
	}
}
