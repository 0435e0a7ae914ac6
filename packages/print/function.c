/* SPDX-License-Identifier: MIT */
#include "print/function.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "isa/emit.h"

/* Rows by a hash of what makes them different: chains through `next`. */
struct lookup {
	uint32_t *first, *next; /* row + 1 */
	uint32_t mask;
};
struct making {
	struct print_functions *f;
	const struct pkg_tables *t;
	struct lookup programs, names; /* functions by their program or symbol; functions, then entries, by their name */
};

/* Words that files with orchestration functions have of their own (print_tasks.c), and endings behind the name of an entry or of a CUDA kernel. */
static const char *const words[] = {"tasks", "o", "quotient", "remainder_of", "rows_of", "smaller", "larger"};
static const char *const endings[] = {"_begin", "_on_device"};

uint32_t print_portable_payload(const struct pkg_tables *t, uint32_t kernel)
{
	const struct ptowsp_kernel_record *row = &t->kernel[kernel];

	for (uint32_t i = 0; i < row->payload_count; i++)
		if (t->payload[row->payloads + i].kind == PTOWSP_PAYLOAD_PTO)
			return row->payloads + i;
	return PTOWSP_NONE;
}

static int lookup_make(struct lookup *l, uint32_t rows)
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
	struct content c = {.payload = print_portable_payload(m->t, kernel)};

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

static uint64_t name_hash(const char *name)
{
	char lower[PRINT_FUNCTION_NAME] = {0};
	size_t n = 0;

	for (; name[n]; n++)
		lower[n] = (char)tolower((unsigned char)name[n]);
	return ptowsp_id(lower, n);
}

static const char *name_of(const struct making *m, uint32_t row)
{
	return row < m->f->count ? m->f->rows[row].name : m->f->entries[row - m->f->count];
}

static int is_named(const struct making *m, const char *name)
{
	for (uint32_t at = m->names.first[name_hash(name) & m->names.mask]; at; at = m->names.next[at - 1])
		if (!strcasecmp(name_of(m, at - 1), name))
			return 1;
	return 0;
}

/* Is it what other text says, or would something made out of it or out of another name be? */
static int is_taken(const struct making *m, const char *name)
{
	char other[PRINT_FUNCTION_NAME + 16];
	const size_t length = strlen(name);
	int taken = is_named(m, name) || !strncmp(name, "rt_", 3);

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		taken |= !strcmp(name, words[i]);
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		const size_t n = strlen(endings[i]);

		snprintf(other, sizeof(other), "%s%s", name, endings[i]);
		taken |= is_named(m, other);
		snprintf(other, sizeof(other), "%.*s", length > n ? (int)(length - n) : 0, name);
		taken |= length > n && !strcmp(name + length - n, endings[i]) && is_named(m, other);
	}
	return taken;
}

static void name_choose(struct making *m, uint32_t row, const char *wanted, char name_out[PRINT_FUNCTION_NAME])
{
	char plain[PRINT_FUNCTION_NAME - 12], name[PRINT_FUNCTION_NAME];

	isa_emit_symbol(plain, sizeof(plain), wanted);
	snprintf(name, sizeof(name), "%s", plain);
	for (unsigned n = 2; is_taken(m, name); n++)
		snprintf(name, sizeof(name), "%s_%u", plain, n);
	strcpy(name_out, name);
	lookup_add(&m->names, name_hash(name), row);
}

static void names_choose(struct making *m)
{
	for (uint32_t i = 0; i < m->f->count; i++) {
		const struct ptowsp_kernel_record *kernel = &m->t->kernel[m->f->rows[i].kernel];
		const char *symbol = kernel->payload_count ? "" : pkg_string(m->t, kernel->symbol);

		name_choose(m, i, *symbol ? symbol : pkg_string(m->t, kernel->name), m->f->rows[i].name);
	}
	for (uint32_t i = 0; i < m->t->entry_count; i++)
		if (!(m->t->entry[i].flags & PTOWSP_ENTRY_KERNEL))
			name_choose(m, m->f->count + i, pkg_string(m->t, m->t->entry[i].name), m->f->entries[i]);
}

/* --- all of it --- */

int print_functions_make(struct print_functions *functions, const struct pkg_tables *t)
{
	struct making m = {.f = functions, .t = t};
	int done;

	*functions = (struct print_functions){
		.rows = calloc((size_t)t->kernel_count + 1, sizeof(*functions->rows)),
		.of_kernel = calloc((size_t)t->kernel_count + 1, sizeof(*functions->of_kernel)),
		.of_payload = malloc(((size_t)t->payload_count + 1) * sizeof(*functions->of_payload)),
		.entries = calloc((size_t)t->entry_count + 1, sizeof(*functions->entries)),
	};
	done = lookup_make(&m.programs, t->kernel_count) & lookup_make(&m.names, t->kernel_count + t->entry_count);
	done = done && functions->rows && functions->of_kernel && functions->of_payload && functions->entries;
	for (uint32_t i = 0; done && i < t->payload_count; i++)
		functions->of_payload[i] = PTOWSP_NONE;
	for (uint32_t i = 0; done && i < t->kernel_count; i++)
		function_take(&m, i);
	if (done)
		names_choose(&m);
	else
		print_functions_finish(functions);
	free(m.programs.first);
	free(m.programs.next);
	free(m.names.first);
	free(m.names.next);
	return done;
}

void print_functions_finish(struct print_functions *functions)
{
	free(functions->rows);
	free(functions->of_kernel);
	free(functions->of_payload);
	free(functions->entries);
	*functions = (struct print_functions){0};
}
