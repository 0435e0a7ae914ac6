/* SPDX-License-Identifier: MIT */
#include "print/function.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/emit/emit.h"
#include "registry/common/common_names.h"

/* Rows by a hash of what makes them different: chains through `next`. */
struct lookup {
	uint32_t *first, *next; /* row + 1 */
	uint32_t mask;
};
struct making {
	struct print_functions *f;
	const struct pkg_tables *t;
	struct lookup programs;    /* functions by their program or symbol */
	struct common_names names; /* of functions and entries, and what is made out of those */
	int done;                  /* 0: no memory */
};

/* Words that files with orchestration functions have of their own (print_tasks.c), and endings behind the name of an entry or of a CUDA kernel. */
static const char *const words[] = {"tasks", "o", "quotient", "remainder_of", "rows_of", "smaller", "larger", "float_bits", "part_of"};
static const char *const endings[] = {"_begin", "_on_device"};

/* The row of a kernel's first portable payload, PTOWSP_NONE: it has none. */
static uint32_t portable_payload(const struct pkg_tables *t, uint32_t kernel)
{
	const struct ptowsp_kernel_record *row = &t->kernel[kernel];

	for (uint32_t i = 0; i < row->payload_count; i++)
		if (t->payload[row->payloads + i].kind == PTOWSP_PAYLOAD_PTO)
			return row->payloads + i;
	return PTOWSP_NONE;
}

static bool lookup_make(struct lookup *l, uint32_t rows)
{
	for (l->mask = 15; l->mask < rows; l->mask = l->mask * 2 + 1)
		;
	l->first = calloc((size_t)l->mask + 1, sizeof(*l->first));
	l->next = calloc((size_t)rows + 1, sizeof(*l->next));
	return l->first && l->next;
}

static void lookup_add(struct lookup *l, uint64_t hash, uint32_t row)
{
	l->next[row] = l->first[hash & l->mask];
	l->first[hash & l->mask] = row + 1;
}

/* --- which functions there are --- */

/* The content of a function: its program, its symbol, or nothing that another kernel could share. */
struct content {
	const void *bytes;
	size_t size;
	uint32_t payload;
};

static struct content content_of(const struct making *m, uint32_t kernel)
{
	const struct ptowsp_kernel_record *row = &m->t->kernel[kernel];
	struct content c = {.payload = portable_payload(m->t, kernel)};

	if (c.payload != PTOWSP_NONE) {
		c.bytes = m->t->code + m->t->payload[c.payload].offset;
		c.size = m->t->payload[c.payload].size;
	} else if (!row->payload_count && *pkg_string(m->t, row->symbol)) {
		c.bytes = pkg_string(m->t, row->symbol);
		c.size = strlen(c.bytes);
	}
	return c;
}

static uint32_t function_find(const struct making *m, const struct content *c, uint64_t hash)
{
	for (uint32_t at = c->bytes ? m->programs.first[hash & m->programs.mask] : 0; at; at = m->programs.next[at - 1]) {
		const struct content other = content_of(m, m->f->rows[at - 1].kernel);

		if ((other.payload == PTOWSP_NONE) == (c->payload == PTOWSP_NONE) && other.size == c->size && other.bytes &&
		    (other.bytes == c->bytes || !memcmp(other.bytes, c->bytes, c->size)))
			return at - 1;
	}
	return PTOWSP_NONE;
}

static void function_take(struct making *m, uint32_t kernel)
{
	const struct content c = content_of(m, kernel);
	const struct ptowsp_kernel_record *row = &m->t->kernel[kernel];
	const uint64_t hash = c.bytes ? ptowsp_id(c.bytes, c.size) : 0;
	uint32_t at = function_find(m, &c, hash);
	struct print_function *f;

	if (at == PTOWSP_NONE) {
		at = m->f->count++;
		m->f->rows[at] = (struct print_function){.kernel = kernel, .payload = c.payload};
		if (c.bytes)
			lookup_add(&m->programs, hash, at);
	}
	f = &m->f->rows[at];
	m->f->of_kernel[kernel] = at;
	f->workspace = row->workspace > f->workspace ? row->workspace : f->workspace;
	if (c.payload == PTOWSP_NONE)
		return;
	m->f->of_payload[c.payload] = at;
	if (m->t->payload[c.payload].workspace > f->workspace)
		f->workspace = m->t->payload[c.payload].workspace;
}

/* --- names --- */

/* Is all that is made out of the name free? */
static int made_are_free(const struct making *m, const char *name)
{
	char made[PRINT_FUNCTION_NAME + 16];
	int are = 1;

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		snprintf(made, sizeof(made), "%s%s", name, endings[i]);
		are &= !common_names_find(&m->names, made);
	}
	return are;
}

/* A name is taken together with what is made out of it. */
static void name_choose(struct making *m, const char *wanted, char name_out[PRINT_FUNCTION_NAME])
{
	char plain[PRINT_FUNCTION_NAME - 12], made[PRINT_FUNCTION_NAME + 16];
	const int theirs = !strncmp(wanted, "rt_", 3); /* names of the task API begin so */

	isa_emit_symbol(plain, sizeof(plain), wanted);
	do {
		snprintf(name_out, PRINT_FUNCTION_NAME, "%s%s", theirs ? "k_" : "", plain);
		m->done = m->done && common_names_choose(&m->names, name_out, PRINT_FUNCTION_NAME, "_");
	} while (m->done && !made_are_free(m, name_out));
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		snprintf(made, sizeof(made), "%s%s", name_out, endings[i]);
		m->done = m->done && common_names_add(&m->names, made);
	}
}

static void names_choose(struct making *m)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		m->done = m->done && common_names_add(&m->names, words[i]);
	for (uint32_t i = 0; i < m->f->count; i++) {
		const struct ptowsp_kernel_record *kernel = &m->t->kernel[m->f->rows[i].kernel];
		const char *symbol = kernel->payload_count ? "" : pkg_string(m->t, kernel->symbol);

		name_choose(m, *symbol ? symbol : pkg_string(m->t, kernel->name), m->f->rows[i].name);
	}
	for (uint32_t i = 0; i < m->t->entry_count; i++)
		if (!(m->t->entry[i].flags & PTOWSP_ENTRY_KERNEL))
			name_choose(m, pkg_string(m->t, m->t->entry[i].name), m->f->entries[i]);
}

/* --- all of it --- */

int print_functions_make(struct print_functions *functions, const struct pkg_tables *t)
{
	struct making m = {.f = functions, .t = t, .names.any_case = true};

	*functions = (struct print_functions){
		.rows = calloc((size_t)t->kernel_count + 1, sizeof(*functions->rows)),
		.of_kernel = calloc((size_t)t->kernel_count + 1, sizeof(*functions->of_kernel)),
		.of_payload = malloc(((size_t)t->payload_count + 1) * sizeof(*functions->of_payload)),
		.entries = calloc((size_t)t->entry_count + 1, sizeof(*functions->entries)),
	};
	m.done = lookup_make(&m.programs, t->kernel_count) && functions->rows && functions->of_kernel && functions->of_payload && functions->entries;
	for (uint32_t i = 0; m.done && i < t->payload_count; i++)
		functions->of_payload[i] = PTOWSP_NONE;
	for (uint32_t i = 0; m.done && i < t->kernel_count; i++)
		function_take(&m, i);
	if (m.done)
		names_choose(&m);
	if (!m.done)
		print_functions_finish(functions);
	free(m.programs.first);
	free(m.programs.next);
	common_names_finish(&m.names);
	return m.done;
}

void print_functions_finish(struct print_functions *functions)
{
	free(functions->rows);
	free(functions->of_kernel);
	free(functions->of_payload);
	free(functions->entries);
	*functions = (struct print_functions){0};
}
