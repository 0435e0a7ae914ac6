/* SPDX-License-Identifier: MIT */
/* incore.c - a portable kernel as the InCore function that it came from. Functions that it calls stay expanded: their tiles and scalars are called
 * function.name in the package already. */
#include "print/print_tile.h"

#include "isa/isa.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char *name_at(const struct print_kernel *k, uint32_t offset)
{
	const char *name = print_string(k->job, offset);

	if (!lang_name_is_plain(name))
		print_inexpressible(k->text, 0, "the name \"%.80s\" in the kernel below", name);
	return name;
}

/* --- the head --- */

static void arguments_add(const struct print_kernel *k, uint32_t memrefs)
{
	uint32_t before = memrefs;

	for (uint32_t i = 0; i < k->header.scalar_count; i++)
		if (k->scalars[i].kind == PTOWSP_SCALAR_ARG)
			print_add(k->text, "%s%%%s: %s", before++ ? ", " : "", name_at(k, k->scalars[i].name), print_dtype(k->scalars[i].dtype));
}

/* The order in which loops first use their values: those that no declaration needs are the last rows in that order. */
static uint32_t loops_find(const struct print_kernel *k, uint32_t *order)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < k->header.inst_count; i++) {
		uint16_t row = k->insts[i].d;
		uint32_t seen = 0;

		while (k->insts[i].op == PTOWSP_PTO_FOR && seen < count && order[seen] != row)
			seen++;
		if (k->insts[i].op == PTOWSP_PTO_FOR && seen == count)
			order[count++] = row;
	}
	return count;
}

/* The last row that is no argument and no literal; PTOWSP_NONE: there is none. */
static uint32_t last_declared(const struct print_kernel *k)
{
	uint32_t last = PTOWSP_NONE;

	for (uint32_t i = 0; i < k->header.scalar_count; i++)
		if (k->scalars[i].kind != PTOWSP_SCALAR_ARG && k->scalars[i].kind != PTOWSP_SCALAR_CONST)
			last = i;
	return last;
}

static void undeclared_find(const struct print_kernel *k)
{
	uint32_t *order = calloc((size_t)k->header.scalar_count + 1, sizeof(*order));
	uint32_t count = order ? loops_find(k, order) : 0, row = last_declared(k), behind = count;

	/* Rows are visited from the end: each row that a loop uses first, the loops going backwards as the rows do. */
	while (behind > 0 && row != PTOWSP_NONE && k->scalars[row].dtype == PTOWSP_I64) {
		uint32_t at = behind;

		while (at > 0 && order[at - 1] != row)
			at--;
		if (!at)
			break;
		k->undeclared[row] = 1;
		behind = at - 1;
		row = row ? row - 1 : PTOWSP_NONE;
	}
	free(order);
}

static void declarations_print(const struct print_kernel *k)
{
	static const char *const words[] = {
		[PTOWSP_SCALAR_LOCAL] = "alloc_scalar", [PTOWSP_SCALAR_BLOCK] = "block_index", [PTOWSP_SCALAR_BLOCKS] = "block_count"};

	for (uint32_t i = 0; i < k->header.tile_count; i++) {
		print_add(k->text, "  %%%s = alloc_tile : ", name_at(k, k->tiles[i].name));
		print_tile_type(k->text, &k->tiles[i]);
		print_end(k->text);
	}
	for (uint32_t i = 0; i < k->header.scalar_count; i++) {
		const struct ptowsp_tile_scalar *s = &k->scalars[i];

		if (s->kind == PTOWSP_SCALAR_CONST || s->kind == PTOWSP_SCALAR_ARG || s->kind > PTOWSP_SCALAR_BLOCKS || k->undeclared[i])
			continue;
		print_add(k->text, "  %%%s = %s : %s", name_at(k, s->name), words[s->kind], s->dtype == PTOWSP_I64 ? "index" : print_dtype(s->dtype));
		print_end(k->text);
		if (s->kind == PTOWSP_SCALAR_LOCAL && s->value)
			print_inexpressible(k->text, 1, "%%%s starts as 0x%llx", print_string(k->job, s->name), (unsigned long long)s->value);
	}
}

/* --- the payload --- */

/* The program of a kernel's first payload; 0: it is none, or does not hold, or there is no memory. */
static bool program_open(struct print_kernel *k, struct ptowsp_error *error)
{
	const struct pkg_tables *t = k->job->t;
	const struct ptowsp_payload_record *p = &t->payload[k->record->payloads];

	if (!k->record->payload_count || p->kind != PTOWSP_PAYLOAD_PTO ||
	    isa_program_create(&k->program, t->code + p->offset, (size_t)p->size, t->strings, (size_t)t->strings_size, error))
		return false;
	k->header = *isa_program_header(k->program);
	k->params = isa_program_params(k->program);
	k->tiles = isa_program_tiles(k->program);
	k->scalars = isa_program_scalars(k->program);
	k->insts = isa_program_insts(k->program);
	return true;
}

int print_kernel_knows(const struct print_job *job, uint32_t entry, const char *name)
{
	struct print_kernel k = {.job = job, .entry = entry, .record = &job->t->kernel[job->t->entry[entry].instruction]};
	int knows = 0;

	program_open(&k, NULL);
	for (uint32_t i = 0; i < k.header.tile_count; i++)
		knows |= !strcmp(print_string(job, k.tiles[i].name), name);
	for (uint32_t i = 0; i < k.header.scalar_count; i++)
		knows |= !strcmp(print_string(job, k.scalars[i].name), name);
	isa_program_destroy(k.program);
	return knows;
}

static void function_print(struct print_kernel *k)
{
	uint32_t memrefs = 0;

	undeclared_find(k);
	print_add(k->text, "func @%s(", name_at(k, k->record->name));
	print_memrefs(k->job, k->text, k->entry, &memrefs);
	arguments_add(k, memrefs);
	print_add(k->text, ") {");
	print_end_of(k->job, k->text, 1, (uint32_t)(k->record - k->job->t->kernel));
	declarations_print(k);
	print_unused(k->job, k->text, k->entry);
	k->depth = 1;
	for (uint32_t i = 0; i < k->header.inst_count; i++)
		print_tile_inst(k, &k->insts[i]);
	print_add(k->text, "}");
	print_end(k->text);
}

/* A kernel is a function without more than one payload, a unit, blocks, memory of its own. */
static int is_function(const struct print_kernel *k)
{
	const struct pkg_tables *t = k->job->t;
	const struct ptowsp_kernel_record *r = k->record;
	const struct ptowsp_payload_record *p = &t->payload[r->payloads];
	const char *name = print_string(k->job, r->name);

	if (r->payload_count == 1 && p->kind == PTOWSP_PAYLOAD_PTO && !p->target && !p->entry && !p->cycles && !p->unit && !r->unit && !r->flags &&
	    r->blockdim <= 1 && !r->workspace && !*print_string(k->job, r->signature) && !strcmp(name, print_string(k->job, t->entry[k->entry].name)))
		return 1;
	print_inexpressible(k->text, 0, "kernel %.80s: a function is one portable payload for any unit", name);
	return 0;
}

void print_incore(struct print_job *job, struct print_text *text, uint32_t entry)
{
	const struct pkg_tables *t = job->t;
	struct print_kernel k = {.job = job, .text = text, .entry = entry, .record = &t->kernel[t->entry[entry].instruction]};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};

	if (!is_function(&k))
		return;
	if (!program_open(&k, &error)) {
		print_inexpressible(text, 0, "kernel %.80s: %s", print_string(job, k.record->name), error.text);
		return;
	}
	print_add(text, "// Function Type: InCore");
	print_end(text);
	k.undeclared = calloc((size_t)k.header.scalar_count + 1, 1);
	if (k.undeclared)
		function_print(&k);
	else
		text->out.failed = 1;
	free(k.undeclared);
	isa_program_destroy(k.program);
}
