/* SPDX-License-Identifier: MIT */
#include "registry/common/common_hash.h"
#include "tools/bench/nest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { TENSORS = 3, TILES = 64, NODES = 40, DEPTH = 4, TASKS_WANTED = 20000 };

enum sort { LOOP, EACH, SCOPE, IF, CALL };

/* A place: (by[0] v0 + by[1] v1 + ... + plus + (squared ? v0 v0 : 0)) mod TILES of a tensor. */
struct place {
	uint32_t tensor, by[DEPTH], plus;
	bool squared;
};
struct node {
	enum sort sort;
	uint32_t next, body; /* numbers of nodes, 0: none; the first one is the outermost loop */
	uint32_t depth;      /* loops around */
	uint32_t bound;      /* LOOP, EACH: rounds; 0: as many as the value of the loop around mod 6, and one */
	uint32_t modulus;    /* IF: the value of the loop around mod this is 0 */
	enum bench_step step;
	struct place places[BENCH_NEST_WINDOWS];
};
struct random_nest {
	struct bench_wild wild;
	struct node nodes[NODES];
	uint32_t count;
	uint64_t random;
	char name[32];
};

static const uint8_t windows_of[BENCH_STEPS] = {1, 2, 2, 3, 4};

/* ---- making ------------------------------------------------------------------------------------------------------- */

static uint32_t draw(struct random_nest *w, uint32_t below)
{
	w->random = w->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(w->random >> 33) % below;
}

static void call_draw(struct random_nest *w, struct node *node)
{
	node->sort = CALL;
	node->step = (enum bench_step)draw(w, BENCH_STEPS);
	for (unsigned p = 0; p < windows_of[node->step]; p++) {
		struct place *place = &node->places[p];

		place->tensor = draw(w, TENSORS);
		place->plus = draw(w, TILES);
		place->squared = !draw(w, 6);
		for (uint32_t d = 0; d < node->depth; d++)
			place->by[d] = draw(w, 3) ? draw(w, 9) : 0;
	}
}

static uint32_t body_draw(struct random_nest *w, uint32_t depth, bool scoped);

static void node_draw(struct random_nest *w, uint32_t at, uint32_t depth, bool scoped)
{
	struct node *node = &w->nodes[at];
	const uint32_t die = draw(w, 10);

	node->depth = depth;
	if (die < 3 && depth < DEPTH && !scoped) {
		node->sort = draw(w, 5) ? LOOP : EACH;
		node->bound = draw(w, 4) ? 2 + draw(w, 8) : 0;
		node->body = body_draw(w, depth + 1, false);
	} else if (die < 5) {
		node->sort = IF;
		node->modulus = 2 + draw(w, 3);
		node->body = body_draw(w, depth, scoped);
	} else if (die < 6 && !scoped) {
		node->sort = SCOPE;
		node->body = body_draw(w, depth, true);
	} else {
		call_draw(w, node);
	}
}

/* One to three statements; a call where no node is left for more. */
static uint32_t body_draw(struct random_nest *w, uint32_t depth, bool scoped)
{
	uint32_t first = 0, last = 0;

	for (uint32_t left = 1 + draw(w, 3); left && w->count < NODES; left--) {
		const uint32_t at = w->count++;

		if (last)
			w->nodes[last].next = at;
		else
			first = at;
		last = at;
		if (w->count < NODES - DEPTH) {
			node_draw(w, at, depth, scoped);
		} else {
			w->nodes[at].depth = depth;
			call_draw(w, &w->nodes[at]);
		}
	}
	return first;
}

/* ---- walking ------------------------------------------------------------------------------------------------------ */

static uint32_t *tile(struct bench_nest *nest, const struct place *place, const int64_t *values)
{
	int64_t at = place->plus;

	for (int d = 0; d < DEPTH; d++)
		at += place->by[d] * values[d];
	at += place->squared ? values[0] * values[0] : 0;
	return bench_nest_at(nest, place->tensor, at % TILES, 0);
}

static void call_walk(struct bench_nest *nest, const struct node *node, const int64_t *values)
{
	uint32_t *windows[BENCH_NEST_WINDOWS] = {0};

	for (unsigned p = 0; p < windows_of[node->step]; p++)
		windows[p] = tile(nest, &node->places[p], values);
	bench_nest_task(nest, node->step, windows[0], windows[1], windows[2], windows[3]);
}

static void body_walk(struct bench_nest *nest, const struct random_nest *w, uint32_t at, int64_t *values)
{
	for (; at; at = w->nodes[at].next) {
		const struct node *node = &w->nodes[at];
		const int64_t around = values[node->depth - 1];

		if (node->sort == CALL) {
			call_walk(nest, node, values);
		} else if (node->sort == LOOP || node->sort == EACH) {
			const int64_t bound = node->bound ? node->bound : around % 6 + 1;

			for (values[node->depth] = 0; values[node->depth] < bound; values[node->depth]++)
				body_walk(nest, w, node->body, values);
			values[node->depth] = 0;
		} else if (node->sort == SCOPE || around % node->modulus == 0) {
			body_walk(nest, w, node->body, values);
		}
	}
}

static void walk(struct bench_nest *nest)
{
	const struct random_nest *w = nest->program;
	int64_t values[DEPTH + 1] = {0};

	for (values[0] = 0; values[0] < nest->n; values[0]++)
		body_walk(nest, w, w->nodes[0].body, values);
}

/* ---- text --------------------------------------------------------------------------------------------------------- */

static void place_write(FILE *f, const struct place *place, char parameter, uint32_t depth)
{
	fprintf(f, ", %%%c -> %%x%u[(%u", parameter, place->tensor, place->plus);
	for (uint32_t d = 0; d < depth && d < DEPTH; d++)
		if (place->by[d])
			fprintf(f, " + %%v%u * %u", d, place->by[d]);
	fprintf(f, "%s) %% %d * 4, 0]", place->squared ? " + %v0 * %v0" : "", TILES);
}

static void body_write(FILE *f, const struct random_nest *w, uint32_t at)
{
	static const char *const steps[BENCH_STEPS] = {"step1", "step2", "step2b", "step3", "step4"};

	for (; at; at = w->nodes[at].next) {
		const struct node *node = &w->nodes[at];

		if (node->sort == CALL) {
			fprintf(f, "call @%s(%%by -> %%work", steps[node->step]);
			for (unsigned p = 0; p < windows_of[node->step]; p++)
				place_write(f, &node->places[p], (char)('a' + p), node->depth);
			fprintf(f, ")\n");
			continue;
		}
		if (node->sort == SCOPE)
			fprintf(f, "scope {\n");
		else if (node->sort == IF)
			fprintf(f, "if %%v%u %% %u == 0 {\n", node->depth - 1, node->modulus);
		else if (node->bound)
			fprintf(f, "%s %%v%u in 0 to %u {\n", node->sort == LOOP ? "parallel_for" : "for_each", node->depth, node->bound);
		else
			fprintf(f, "%s %%v%u in 0 to %%v%u %% 6 + 1 {\n", node->sort == LOOP ? "parallel_for" : "for_each", node->depth, node->depth - 1);
		body_write(f, w, node->body);
		fprintf(f, "}\n");
	}
}

static bool source_write(struct random_nest *w)
{
	FILE *f = open_memstream(&w->wild.source, &w->wild.size);

	if (!f)
		return false;
	fprintf(f, "symbol %%n : i64 = %u\n", w->wild.shape.n);
	for (int t = 0; t < TENSORS; t++)
		fprintf(f, "tensor %%x%d : i32[%d, 4] inout\n", t, TILES * 4);
	fprintf(f, "workload @main {\nparallel_for %%v0 in 0 to %%n {\n");
	body_write(f, w, w->nodes[0].body);
	fprintf(f, "}\n}\n");
	return fclose(f) == 0;
}

/* ---- life ---------------------------------------------------------------------------------------------------------- */

/* As many rounds as make about the tasks wanted. */
static void size_find(struct random_nest *w)
{
	struct bench_nest nest = {.n = 60};
	uint64_t rounds;

	for (unsigned t = 0; t < TENSORS; t++)
		nest.tensors[t] = w->nodes[0].places[0].by; /* nobody looks there */
	rounds = TASKS_WANTED * 60 / (bench_nest_count(&nest, &w->wild.shape) + 1);
	w->wild.shape.n = (unsigned)(rounds < 1 ? 1 : rounds > TASKS_WANTED ? TASKS_WANTED : rounds);
	w->wild.shape.few = w->wild.shape.n / 10 + 1;
	w->wild.shape.small = w->wild.shape.n / 40 + 1;
}

struct bench_wild *bench_wild_make(uint64_t seed)
{
	struct random_nest *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->random = seed * COMMON_GOLDEN + 1;
	snprintf(w->name, sizeof(w->name), "seed %" PRIu64, seed);
	w->wild.shape = (struct bench_shape){.name = w->name, .walk = walk, .program = w};
	w->count = 1;
	w->nodes[0].body = body_draw(w, 1, false);
	size_find(w);
	if (source_write(w))
		return &w->wild;
	bench_wild_free(&w->wild);
	return NULL;
}

void bench_wild_free(struct bench_wild *wild)
{
	if (wild)
		free(wild->source);
	free(wild);
}
