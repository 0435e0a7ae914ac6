/* SPDX-License-Identifier: MIT */
#include "tests/lang/random_source.h"

#include "tests/lang/random_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEMREFS 3u
#define TILES   4u

/* One function as far as its callers must know it. */
struct made {
	int orchestration;
	unsigned memrefs;
};

struct writing {
	struct random_text out;
	struct made made[8];
	unsigned count;
	unsigned depth, budget;
	const char *loops[4]; /* open ones */
	unsigned loop_count, loop_names;
};

#define add(w, ...)        random_text_add(&(w)->out, __VA_ARGS__)
#define below(w, limit)    random_text_below(&(w)->out, limit)
#define chance(w, percent) random_text_chance(&(w)->out, percent)

#define ONE_OF(w, list)    ((list)[below((w), sizeof(list) / sizeof((list)[0]))])

static void line(struct writing *w)
{
	add(w, "%*s", (int)(2 + 2 * w->depth), "");
}

static const char *const compares[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
/* Few names, so that functions share them. */
static const char *const integers[] = {"n", "m", "k"}, *const floats[] = {"s", "u"}, *const loop_names[] = {"i", "j", "r", "i2"};
static const char *const tiles[TILES] = {"t", "a", "b", "x.y"}, *const numbers[] = {"0.5", "1.0", "-2.25", "1e-05", "-inf", "0.1", "3.0e20"};

/* A value of an integer: loop, scalar or number; bare for brackets and tuples. */
static void integer_add(struct writing *w, int bare)
{
	const char *sign = bare && chance(w, 50) ? "" : "%";

	if (w->loop_count && chance(w, 50))
		add(w, "%s%s", sign, w->loops[below(w, w->loop_count)]);
	else if (chance(w, 50))
		add(w, "%s%s", sign, ONE_OF(w, integers));
	else
		add(w, "%u", below(w, 9));
}

/* --- InCore --- */

static void block_write(struct writing *w, int orchestration);

static void tile_write(struct writing *w)
{
	static const char *const unary[] = {"tabs", "tneg", "texp", "tmov", "tmov.m2l", "trelu"};
	static const char *const binary[] = {"tadd", "tsub", "tmul", "tmax"}, *const by_scalar[] = {"tadds", "tmuls", "tmaxs"};
	const char *d = ONE_OF(w, tiles), *a = ONE_OF(w, tiles), *b = ONE_OF(w, tiles);

	line(w);
	switch (below(w, 8)) {
	case 0:
		add(w, "%%%s = tload %%p%u[", d, below(w, MEMREFS));
		integer_add(w, 1);
		add(w, ", ");
		integer_add(w, 1);
		add(w, "] : (!pto.memref<gm,...,f32>, index, index) -> !pto.tile<8x8xf32>");
		break;
	case 1:
		add(w, "tstore %%%s, %%p%u[", a, below(w, MEMREFS));
		integer_add(w, 1);
		add(w, ", 0]");
		break;
	case 2: add(w, "%%%s = %s %%%s", d, ONE_OF(w, unary), a); break;
	case 3: add(w, "%%%s = %s %%%s, %%%s : !pto.tile<8x8xf32>", d, ONE_OF(w, by_scalar), a, ONE_OF(w, floats)); break;
	case 4: add(w, "%%%s = %s %%%s, %%%s", d, ONE_OF(w, by_scalar), a, ONE_OF(w, numbers)); break;
	case 5: add(w, "%%mask = tcmp %%%s, %%%s {cmpMode = %s}", a, b, ONE_OF(w, compares)); break;
	case 6: add(w, "%%%s = tsel %%mask, %%%s, %%%s", d, a, b); break;
	default: add(w, "%%%s = %s %%%s, %%%s : !pto.tile<8x8xf32>", d, ONE_OF(w, binary), a, b);
	}
	add(w, "\n");
}

static void float_write(struct writing *w)
{
	line(w);
	switch (below(w, 3)) {
	case 0: add(w, "LI %%%s:f32, 0.%u\n", ONE_OF(w, floats), below(w, 100)); break;
	case 1:
		add(w, "LOAD %%%s:f32, %%p0[", ONE_OF(w, floats));
		integer_add(w, 1);
		add(w, "]\n");
		break;
	default: add(w, "ADD %%%s:f32, %%%s:f32, %s\n", ONE_OF(w, floats), ONE_OF(w, floats), chance(w, 50) ? "1.5" : "%u");
	}
}

/* --- both --- */

static void integer_write(struct writing *w)
{
	static const char *const ops[] = {"ADD", "SUB", "MUL", "DIV"};

	line(w);
	switch (below(w, 4)) {
	case 0: add(w, "LI %%%s:i32, %u\n", ONE_OF(w, integers), below(w, 100)); return;
	case 1: add(w, "MOV %%%s:i32, %%%s\n", ONE_OF(w, integers), ONE_OF(w, integers)); return;
	case 2:
		add(w, "CMP %%c:u1, ");
		integer_add(w, 0);
		add(w, ", ");
		integer_add(w, 0);
		add(w, ", %s\n", ONE_OF(w, compares));
		return;
	default:
		add(w, "%s %%%s:i32, ", ONE_OF(w, ops), ONE_OF(w, integers));
		integer_add(w, 0);
		add(w, ", ");
		if (chance(w, 70))
			integer_add(w, 0);
		else
			add(w, "%u", 1 + below(w, 9));
		add(w, "\n");
	}
}

static void for_write(struct writing *w, int orchestration)
{
	const char *name = loop_names[w->loop_names + w->loop_count < 4 ? w->loop_names + w->loop_count : 3];
	int levels = orchestration && chance(w, 20);

	if (w->loop_count >= 3 || w->loop_names + w->loop_count >= 4)
		return;
	line(w);
	add(w, "FOR %%%s:idx, ", name);
	if (levels) {
		add(w, "0:idx, %%n:idx, 1:idx max_range=256 min_range=%u", 32u << below(w, 3));
		add(w, "%s", chance(w, 80) ? " tile_levels={256:64,0:32}" : "");
	} else {
		integer_add(w, 0);
		add(w, ", ");
		integer_add(w, 0);
		add(w, ", %u:idx", 1 + below(w, 3));
	}
	add(w, "\n");
	w->loops[w->loop_count++] = name;
	block_write(w, orchestration);
	w->loop_count--;
	line(w);
	add(w, "ENDFOR\n");
}

static void if_write(struct writing *w, int orchestration)
{
	line(w);
	if (chance(w, 70))
		add(w, "IF %%c:u1\n");
	else
		add(w, "IF_BIT %%%s:i32, %u\n", ONE_OF(w, integers), below(w, 8));
	block_write(w, orchestration);
	if (chance(w, 50)) {
		line(w);
		add(w, "ELSE\n");
		block_write(w, orchestration);
	}
	line(w);
	add(w, "ENDIF\n");
}

static void while_write(struct writing *w)
{
	line(w);
	add(w, "WHILE\n");
	w->depth++;
	integer_write(w);
	w->depth--;
	line(w);
	add(w, "DO %%c:u1\n");
	block_write(w, 0);
	line(w);
	add(w, "ENDWHILE\n");
}

static void call_write(struct writing *w, int orchestration)
{
	unsigned callee = w->count ? below(w, w->count) : 0, some = 0;

	if (!w->count || (!orchestration && w->made[callee].orchestration))
		return;
	line(w);
	add(w, "CALL @f%u(", callee);
	for (unsigned i = 0; i < w->made[callee].memrefs; i++) {
		add(w, "%s%%p%u -> ", some++ ? ", " : "", i);
		if (orchestration && chance(w, 60)) {
			add(w, "(%%p%u, ", below(w, MEMREFS));
			integer_add(w, 1);
			add(w, ", ");
			integer_add(w, 1);
			add(w, ")");
		} else {
			add(w, "%%p%u", below(w, MEMREFS));
		}
	}
	add(w, "%s)\n", w->made[callee].orchestration ? ", %w -> %w" : "");
}

static void statement_write(struct writing *w, int orchestration)
{
	unsigned kind = below(w, 100);

	w->budget--;
	if (kind < 12 && w->depth < 4)
		for_write(w, orchestration);
	else if (kind < 24 && w->depth < 4)
		if_write(w, orchestration);
	else if (kind < 28 && w->depth < 4 && !orchestration)
		while_write(w);
	else if (kind < 40 + 30 * (unsigned)orchestration)
		call_write(w, orchestration);
	else if (kind < 75 && !orchestration)
		tile_write(w);
	else if (kind < 82 && !orchestration)
		float_write(w);
	else if (kind < 75) {
		line(w);
		add(w, "LOAD %%%s:i32, %%w[%u]\n", ONE_OF(w, integers), below(w, 9));
	} else
		integer_write(w);
}

static void block_write(struct writing *w, int orchestration)
{
	unsigned count = 1 + below(w, 4);

	w->depth++;
	for (unsigned i = 0; i < count && w->budget; i++)
		statement_write(w, orchestration);
	w->depth--;
}

static void scalars_declare(struct writing *w, int orchestration, uint32_t params)
{
	for (unsigned i = 0; i < 3; i++)
		if (!(params >> i & 1))
			add(w, "  %%%s = alloc_scalar : i32\n", integers[i]);
	for (unsigned i = 0; i < 2 && !orchestration; i++)
		if (!(params >> (4 + i) & 1))
			add(w, "  %%%s = alloc_scalar : f32\n", floats[i]);
	add(w, "  %%c = alloc_scalar : u1\n");
	if (chance(w, 20))
		add(w, "  %%unused = alloc_scalar : %s\n", chance(w, 70) ? "i32" : "f32");
}

static void function_write(struct writing *w, int orchestration)
{
	struct made *made = &w->made[w->count];
	uint32_t params = below(w, 64);
	int scalars_first;

	made->orchestration = orchestration;
	made->memrefs = MEMREFS;
	w->loop_count = 0;
	w->loop_names = below(w, 2);
	w->budget = 4 + below(w, 20);
	add(w, "// Function Type: %s\nfunc @f%u(", orchestration ? "Orchestration" : "InCore", w->count);
	for (unsigned i = 0; i < MEMREFS; i++)
		add(w, "%s%%p%u: !pto.memref<gm,...,f32>", i ? ", " : "", i);
	if (orchestration)
		add(w, ", %%w: !pto.memref<gm,...,i32>");
	for (unsigned i = 0; i < 3; i++)
		if (params >> i & 1)
			add(w, ", %%%s: i32", integers[i]);
	for (unsigned i = 0; i < 2 && !orchestration; i++)
		if (params >> (4 + i) & 1)
			add(w, ", %%%s: f32", floats[i]);
	add(w, ") {\n");
	scalars_first = chance(w, 50);
	if (scalars_first)
		scalars_declare(w, orchestration, params);
	for (unsigned i = 0; i < TILES && !orchestration; i++)
		add(w, "  %%%s = alloc_tile : !pto.tile<8x8xf32>\n", tiles[i]);
	if (!orchestration)
		add(w, "  %%mask = alloc_tile : !pto.tile<8x8xi32>\n");
	if (!scalars_first)
		scalars_declare(w, orchestration, params);
	block_write(w, orchestration);
	while (w->budget > 8)
		statement_write(w, orchestration);
	if (chance(w, 80))
		add(w, "  return\n");
	add(w, "}\n\n");
	w->count++;
}

char *random_source(uint64_t seed)
{
	struct writing w = {.out = {.seed = seed}};
	unsigned incore = 1 + below(&w, 3), orchestrations = below(&w, 4);

	for (unsigned i = 0; i < incore; i++)
		function_write(&w, 0);
	for (unsigned i = 0; i < orchestrations; i++)
		function_write(&w, 1);
	if (w.out.failed) {
		free(w.out.text);
		return NULL;
	}
	return w.out.text;
}
