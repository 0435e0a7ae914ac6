/* SPDX-License-Identifier: MIT
 * test_aie_lanes.c - random bodies of loops in loops, run as they are compiled and one round after the other: memory, cycles, instructions and errors are the same. A failure names its seed;
 * PTOWSP_SEED=N takes one, PTOWSP_SEEDS=N that many. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aie_bench.h"
#include "check.h"
#include "isa/element.h"
#include "random_text.h"

enum { TYPES = 8, ROWS = 8, COLUMNS = 80, VALUES = 48, ROOM = 32768 };
static const char *const types[TYPES] = {"i8", "i16", "i32", "i64", "f32", "f64", "bf16", "f16"};
static const int bytes[TYPES] = {1, 2, 4, 8, 4, 8, 2, 2};

struct value {
	unsigned name, type;
};
struct writer {
	struct random_text random;
	char text[ROOM];
	size_t at;
	unsigned next;                                /* name of the next value */
	unsigned buffers[AIE_BENCH_BUFFERS];          /* types */
	struct value values[VALUES];
	unsigned value_count;
	struct { unsigned name, end; } counters[4];   /* of the loops around */
	unsigned counter_count;
};

static unsigned below(struct writer *w, unsigned limit)
{
	return random_text_below(&w->random, limit);
}

static void add(struct writer *w, const char *format, ...)
{
	va_list list;
	int length;

	va_start(list, format);
	length = vsnprintf(w->text + w->at, ROOM - w->at, format, list);
	va_end(list);
	w->at = w->at + (size_t)length < ROOM ? w->at + (size_t)length : ROOM - 1;
}

static void keep(struct writer *w, unsigned type)
{
	w->values[w->value_count < VALUES ? w->value_count++ : below(w, VALUES - 16) + 16] = (struct value){w->next++, type};
}

/* A value of this type; there is a constant of each. */
static unsigned value_of(struct writer *w, unsigned type)
{
	for (int tries = 0; tries < 12; tries++) {
		const struct value *value = &w->values[below(w, w->value_count)];

		if (value->type == type)
			return value->name;
	}
	return 2 * type + below(w, 2);
}

/* An index that is mostly within. */
static void index_add(struct writer *w, unsigned size)
{
	for (int tries = 0; tries < 4 && w->counter_count; tries++) {
		const unsigned c = below(w, w->counter_count);

		if (w->counters[c].end <= size || !below(w, 150)) {
			add(w, "%%%u", w->counters[c].name);
			return;
		}
	}
	add(w, "%%n%u", below(w, 4) ? 0 : below(w, ROWS));
}

static void place_add(struct writer *w, unsigned buffer)
{
	add(w, "%%%c[", 'a' + (int)buffer);
	index_add(w, ROWS);
	add(w, ", ");
	index_add(w, COLUMNS);
	add(w, "] : memref<%dx%dx%s>\n", ROWS, COLUMNS, types[w->buffers[buffer]]);
}

static void load_add(struct writer *w)
{
	const unsigned buffer = below(w, AIE_BENCH_BUFFERS);

	add(w, "%%%u = memref.load ", w->next);
	place_add(w, buffer);
	keep(w, w->buffers[buffer]);
}

static void store_add(struct writer *w)
{
	const unsigned buffer = below(w, AIE_BENCH_BUFFERS);

	add(w, "memref.store %%%u, ", value_of(w, w->buffers[buffer]));
	place_add(w, buffer);
}

static void binary_add(struct writer *w)
{
	static const char *const ints[] = {"addi", "subi", "muli", "andi", "ori", "xori", "shli", "shrsi", "shrui", "maxsi", "minsi", "maxui", "minui"};
	static const char *const divides[] = {"divsi", "divui", "remsi", "remui", "ceildivsi", "ceildivui", "floordivsi"};
	static const char *const floats[] = {"addf", "subf", "mulf", "divf", "maximumf", "minimumf", "maxnumf", "minnumf"};
	const unsigned type = below(w, TYPES), a = value_of(w, type), b = value_of(w, type);

	if (type < 4 && !below(w, 8))
		add(w, "%%%u = arith.%s %%%u, %%%u : %s\n", w->next, divides[below(w, 7)], a, 2 * type + 1, types[type]);
	else
		add(w, "%%%u = arith.%s %%%u, %%%u : %s\n", w->next, type < 4 ? ints[below(w, 13)] : floats[below(w, 8)], a, b, types[type]);
	keep(w, type);
}

static void choose_add(struct writer *w)
{
	static const char *const ints[] = {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"};
	static const char *const floats[] = {"false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"};
	const unsigned of = below(w, TYPES), type = below(w, TYPES);

	add(w, "%%c%u = arith.%s %s, %%%u, %%%u : %s\n", w->next, of < 4 ? "cmpi" : "cmpf", of < 4 ? ints[below(w, 10)] : floats[below(w, 16)], value_of(w, of), value_of(w, of), types[of]);
	add(w, "%%%u = arith.select %%c%u, %%%u, %%%u : %s\n", w->next, w->next, value_of(w, type), value_of(w, type), types[type]);
	keep(w, type);
}

/* Not from floats to integers by their bits: which NaN it is is not said. */
static void convert_add(struct writer *w)
{
	static const unsigned pairs[][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {2, 3}, {1, 0}, {3, 2}, {3, 0}, {4, 5}, {6, 4}, {7, 4}, {6, 5}, {5, 4}, {4, 6}, {4, 7}, {5, 6}, {2, 4}, {0, 4}, {3, 4}, {2, 5}, {3, 5}, {0, 6}, {4, 2}, {5, 3}};
	const unsigned i = below(w, sizeof(pairs) / sizeof(*pairs)), from = pairs[i][0], to = pairs[i][1], sign = below(w, 2);
	const char *op = from < 4 && to < 4 ? (from > to ? "trunci" : sign ? "extsi" : "extui") : from >= 4 && to >= 4 ? (bytes[from] > bytes[to] ? "truncf" : "extf") :
			 from < 4 ? (sign ? "sitofp" : "uitofp") : sign ? "fptosi" : "fptoui";

	add(w, "%%%u = arith.%s %%%u : %s to %s\n", w->next, op, value_of(w, from), types[from], types[to]);
	keep(w, to);
}

static void function_add(struct writer *w)
{
	static const char *const ints[] = {"absi", "ctlz", "cttz", "ctpop"}, *const floats[] = {"exp", "tanh", "sqrt", "absf", "floor", "roundeven", "log", "rsqrt"};
	const unsigned type = below(w, TYPES);

	if (type >= 4 && !below(w, 4))
		add(w, "%%%u = math.fma %%%u, %%%u, %%%u : %s\n", w->next, value_of(w, type), value_of(w, type), value_of(w, type), types[type]);
	else
		add(w, "%%%u = math.%s %%%u : %s\n", w->next, type < 4 ? ints[below(w, 4)] : floats[below(w, 8)], value_of(w, type), types[type]);
	keep(w, type);
}

/* A counter as a number. */
static void counter_add(struct writer *w)
{
	if (!w->counter_count)
		return;
	add(w, "%%%u = arith.index_cast %%%u : index to i32\n", w->next, w->counters[below(w, w->counter_count)].name);
	keep(w, 2);
}

static void statements(struct writer *w, unsigned depth);

static void loop_add(struct writer *w, unsigned depth)
{
	static const unsigned ends[] = {3, 8, 8, 8, 16, 70, 80};
	const unsigned values = w->value_count, counters = w->counter_count, end = depth == 2 ? 8 : ends[below(w, 7)], carried = below(w, 3) ? TYPES : below(w, TYPES), counter = w->next++, result = w->next;

	if (carried < TYPES) {
		const unsigned first = value_of(w, carried);

		w->next++;
		add(w, "%%%u = scf.for %%%u = %%n%u to %%e%u step %%n%u iter_args(%%x%u = %%%u) -> (%s) {\n%%%u = arith.bitcast %%x%u : %s to %s\n", result, counter, below(w, 4) ? 0 : 1, end,
		    below(w, 4) ? 1 : 2, result, first, types[carried], w->next, result, types[carried], types[carried]);
		keep(w, carried);
	} else {
		add(w, "scf.for %%%u = %%n%u to %%e%u step %%n%u {\n", counter, below(w, 4) ? 0 : 1, end, below(w, 4) ? 1 : 2);
	}
	w->counters[w->counter_count].name = counter;
	w->counters[w->counter_count++].end = end;
	statements(w, depth + 1);
	if (carried < TYPES)
		add(w, "scf.yield %%%u : %s\n", value_of(w, carried), types[carried]);
	add(w, "}\n");
	w->counter_count = counters;
	w->value_count = values;
	if (carried < TYPES && w->value_count < VALUES)
		w->values[w->value_count++] = (struct value){result, carried};
}

/* A sum of products over rows for each column, as kernels have them; sometimes the product is stored, too, or the sum is of something else. */
static void sums_add(struct writer *w)
{
	const unsigned to = below(w, AIE_BENCH_BUFFERS), from = below(w, AIE_BENCH_BUFFERS), type = w->buffers[from], n = w->next, end = below(w, 2) ? 80 : 16;
	const char *name = types[type], *kind = type < 4 ? "i" : "f";

	w->next += 8;
	add(w, "scf.for %%%u = %%n0 to %%e%u step %%n1 {\n%%%u = scf.for %%%u = %%n0 to %%e8 step %%n1 iter_args(%%%u = %%%u) -> (%s) {\n", n, end, n + 1, n + 2, n + 3, 2 * type, name);
	add(w, "%%%u = memref.load %%%c[%%%u, %%n%u] : memref<%dx%dx%s>\n", n + 4, 'a' + (int)from, n + 2, below(w, ROWS), ROWS, COLUMNS, name);
	add(w, "%%%u = memref.load %%%c[%%%u, %%%u] : memref<%dx%dx%s>\n", n + 5, 'a' + (int)from, n + 2, n, ROWS, COLUMNS, name);
	add(w, "%%%u = arith.mul%s %%%u, %%%u : %s\n", n + 6, kind, n + 4, n + 5, name);
	add(w, "%%%u = arith.%s%s %%%u, %%%u : %s\n", n + 7, below(w, 8) ? "add" : "sub", kind, n + 3, below(w, 8) ? n + 6 : n + 4, name);
	add(w, "scf.yield %%%u : %s\n}\n", below(w, 8) ? n + 7 : n + 6, name);
	if (w->buffers[to] == type)
		add(w, "memref.store %%%u, %%%c[%%n%u, %%%u] : memref<%dx%dx%s>\n", n + 1, 'a' + (int)to, below(w, ROWS), n, ROWS, COLUMNS, name);
	add(w, "}\n");
}

static void statements(struct writer *w, unsigned depth)
{
	for (unsigned i = 2 + below(w, 5); i > 0 && w->at < ROOM - 4096; i--)
		switch (below(w, 12)) {
		case 0:
		case 1:
		case 2: load_add(w); break;
		case 3:
		case 4: store_add(w); break;
		case 5: choose_add(w); break;
		case 6: convert_add(w); break;
		case 7: function_add(w); break;
		case 8: counter_add(w); break;
		case 9:
			if (depth < 3)
				loop_add(w, depth);
			break;
		default: binary_add(w); break;
		}
	if (depth && below(w, 3))
		store_add(w);
}

static void body_write(struct writer *w, unsigned long seed)
{
	static const unsigned ends[] = {3, 8, 16, 70, 80};

	*w = (struct writer){.random = {.seed = seed}};
	for (unsigned b = 0; b < AIE_BENCH_BUFFERS; b++)
		w->buffers[b] = below(w, TYPES);
	for (unsigned n = 0; n < ROWS; n++)
		add(w, "%%n%u = arith.constant %u : index\n", n, n);
	for (unsigned e = 0; e < 5; e++)
		add(w, "%%e%u = arith.constant %u : index\n", ends[e], ends[e]);
	for (unsigned t = 0; t < TYPES; t++)
		for (int second = 0; second < 2; second++) {
			add(w, "%%%u = arith.constant %s : %s\n", w->next, t < 4 ? second ? "-3" : "5" : second ? "-1.5" : "0.75", types[t]);
			keep(w, t);
		}
	for (int i = 0; i < 3; i++)
		loop_add(w, below(w, 2));
	for (int i = 0; i < 4; i++)
		sums_add(w);
}

/* ---- comparing ---------------------------------------------------------------------------------------------------- */

static void memory_fill(const struct writer *w, struct aie_bench *b, unsigned long seed)
{
	struct random_text random = {.seed = seed + 1};

	for (unsigned k = 0; k < AIE_BENCH_BUFFERS; k++)
		for (int i = 0; i < ROWS * COLUMNS; i++) {
			const unsigned type = w->buffers[k];
			const double d = ((int)random_text_below(&random, 2001) - 1000) / 64.0;
			const float f = random_text_below(&random, 40) ? (float)d : (float)INFINITY;
			const uint64_t whole = (uint64_t)random_text_below(&random, 1u << 31) * 0x100000001u;
			const uint16_t half = type == 6 ? isa_put_bf16(f) : isa_put_f16(f);

			memcpy(b->memory[k] + i * bytes[type], type < 4 ? (const void *)&whole : type == 4 ? &f : type == 5 ? (const void *)&d : &half, (size_t)bytes[type]);
		}
}

static bool is_nan(const uint8_t *at, unsigned type)
{
	uint16_t half;
	double d;
	float f;

	if (type < 4)
		return false;
	memcpy(&half, at, 2);
	memcpy(&f, at, type == 4 ? 4 : 2);
	if (type == 5)
		memcpy(&d, at, 8);
	return type == 5 ? d != d : type == 4 ? f != f : (type == 6 ? isa_get_bf16(half) : isa_get_f16(half)) != (type == 6 ? isa_get_bf16(half) : isa_get_f16(half));
}

static bool same_memory(const struct writer *w, const struct aie_bench *a, const struct aie_bench *b)
{
	for (unsigned k = 0; k < AIE_BENCH_BUFFERS; k++)
		for (int i = 0; i < ROWS * COLUMNS; i++) {
			const uint8_t *x = a->memory[k] + i * bytes[w->buffers[k]], *y = b->memory[k] + i * bytes[w->buffers[k]];

			if (memcmp(x, y, (size_t)bytes[w->buffers[k]]) != 0 && !(is_nan(x, w->buffers[k]) && is_nan(y, w->buffers[k])))
				return false;
		}
	return true;
}

static ptowsp_status bench_run(const struct writer *w, struct aie_bench *b, unsigned long seed, bool plain)
{
	const char *memrefs[AIE_BENCH_BUFFERS];
	ptowsp_status st;

	for (unsigned k = 0; k < AIE_BENCH_BUFFERS; k++)
		memrefs[k] = check_fmt("memref<%dx%dx%s>", ROWS, COLUMNS, types[w->buffers[k]]);
	b->outside.plain = plain;
	st = aie_bench_make(b, memrefs, "", w->text);
	memory_fill(w, b, seed);
	return st ? st : aie_bench_run(b);
}

/* true: it came to its end. */
static bool seed_is_same(unsigned long seed)
{
	static struct aie_bench one, many;
	static struct writer w;
	ptowsp_status st, wanted;

	body_write(&w, seed);
	wanted = bench_run(&w, &one, seed, true);
	st = bench_run(&w, &many, seed, false);
	if (!CHECK_INT(st, wanted) || !CHECK(same_memory(&w, &one, &many)) || !CHECK(st ? !strcmp(one.error.text, many.error.text) : one.cycles == many.cycles) ||
	    !CHECK(st || aie_body_instructions(one.body) == aie_body_instructions(many.body)))
		CHECK_FAIL("seed %lu: %s, %s", seed, one.error.text, many.error.text);
	aie_bench_finish(&one);
	aie_bench_finish(&many);
	return !wanted;
}

static void random_bodies_are_the_same_round_by_round(void)
{
	const char *one = getenv("PTOWSP_SEED"), *more = getenv("PTOWSP_SEEDS");
	const unsigned long count = more ? strtoul(more, NULL, 10) : 3000;
	unsigned long ended = 0;

	if (one) {
		seed_is_same(strtoul(one, NULL, 10));
		return;
	}
	for (unsigned long seed = 1; seed <= count; seed++)
		ended += seed_is_same(seed);
	CHECK(ended > count / 2 && ended < count); /* some must end with an error */
}

void suite_aie_lanes(CU_pSuite s)
{
	TEST(s, random_bodies_are_the_same_round_by_round);
}
