/* SPDX-License-Identifier: MIT */
/* Kernels are met in the order in which they are issued. Of every part of a tensor those are known that wrote it last, and that have read it since:
 * a kernel that writes the part must be behind all of them, one that reads it behind the writers. Earlier ones need not be looked at,
 * because order is transitive: if every question is answered by yes, all pairs are ordered. */
#include "lang/graph/lang_graph.h"
#include "ptowsp/graph.h"
#include "ptowsp/task.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- whether one kernel of a graph ends before another one starts, for many pairs at once. ---- */

struct question {
	uint32_t from, to;       /* nodes; from is issued first */
	uint32_t about;          /* the asker's */
	uint8_t before, visible; /* answers: from ends before to starts; and an edge on the way makes what it wrote visible */
};

enum { WORDS = 8, BLOCK = WORDS * 64 }; /* kernels that one pass over the edges asks for */

/* One pass: which kernels of a block of questions come before a node, a bit each. Rows lie in the order in which nodes are issued, so that a pass
 * reads and writes a narrow band of them. */
struct pass {
	const struct lang_graph_order *order;
	uint64_t (*before)[WORDS], (*visible)[WORDS]; /* by rank */
	uint32_t *bit;                                /* by rank: its bit in this pass plus 1, 0: it is not asked for */
	uint32_t first, last;                         /* ranks */
};

/* qsort has no context: the questions carry ranks while they are sorted. */
static int by_from(const void *a, const void *b)
{
	const struct question *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

static void edge_follow(struct pass *pass, const struct lang_graph_edge *edge, const uint64_t *out, const uint64_t *seen)
{
	uint32_t to = pass->order->rank[edge->to];
	int flushes = edge->type == PTOWSP_dep_type_DATA || edge->type == PTOWSP_dep_type_BARRIER;

	if (to > pass->last)
		return;
	for (uint32_t w = 0; w < WORDS; w++) {
		pass->before[to][w] |= out[w];
		pass->visible[to][w] |= flushes ? out[w] : seen[w];
	}
}

static int row_step(struct pass *pass, uint32_t at, uint64_t *out)
{
	uint64_t any = 0;

	memcpy(out, pass->before[at], sizeof(pass->before[at]));
	if (pass->bit[at])
		out[(pass->bit[at] - 1) / 64] |= UINT64_C(1) << ((pass->bit[at] - 1) % 64);
	for (uint32_t w = 0; w < WORDS; w++)
		any |= out[w];
	return any != 0;
}

static void pass_run(struct pass *pass)
{
	const struct lang_graph_order *order = pass->order;
	size_t rows = (size_t)pass->last - pass->first + 1;
	uint64_t out[WORDS];

	memset(pass->before[pass->first], 0, rows * sizeof(*pass->before));
	memset(pass->visible[pass->first], 0, rows * sizeof(*pass->visible));
	for (uint32_t at = pass->first; at <= pass->last; at++) {
		if (!row_step(pass, at, out))
			continue;
		for (uint32_t e = order->first[order->sorted[at]]; e; e = order->next[e - 1])
			edge_follow(pass, &order->edges[e - 1], out, pass->visible[at]);
	}
}

/* The questions that one pass answers: as many as have BLOCK different kernels in front. Returns how many. */
static uint32_t block_take(struct pass *pass, const struct question *questions, uint32_t count)
{
	uint32_t taken = 0, bits = 0;

	pass->first = pass->last = questions[0].from;
	for (; taken < count; taken++) {
		const struct question *q = &questions[taken];

		if (!pass->bit[q->from]) {
			if (bits == BLOCK)
				break;
			pass->bit[q->from] = ++bits;
		}
		pass->last = q->to > pass->last ? q->to : pass->last;
	}
	return taken;
}

static void block_answer(struct pass *pass, struct question *questions, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct question *q = &questions[i];
		uint32_t bit = pass->bit[q->from] - 1;

		q->before = pass->before[q->to][bit / 64] >> (bit % 64) & 1;
		q->visible = pass->visible[q->to][bit / 64] >> (bit % 64) & 1;
	}
	for (uint32_t i = 0; i < count; i++)
		pass->bit[questions[i].from] = 0;
}

/* Fills in the answers and sorts the questions by the place of `from`. Time: edges of the graph times kernels asked for / 64. */
static void lang_graph_reach(struct lang_unit *unit, const struct lang_graph_order *order, struct question *questions, uint32_t count)
{
	struct pass pass = {.order = order};
	uint32_t taken;

	if (!count)
		return;
	pass.before = common_alloc(&unit->arena, order->node_count * sizeof(*pass.before));
	pass.visible = common_alloc(&unit->arena, order->node_count * sizeof(*pass.visible));
	pass.bit = common_alloc(&unit->arena, order->node_count * sizeof(*pass.bit));
	for (uint32_t i = 0; i < count; i++) {
		questions[i].from = order->rank[questions[i].from];
		questions[i].to = order->rank[questions[i].to];
		assert(questions[i].from < questions[i].to);
	}
	qsort(questions, count, sizeof(*questions), by_from);
	for (uint32_t at = 0; at < count; at += taken) {
		taken = block_take(&pass, questions + at, count - at);
		pass_run(&pass);
		block_answer(&pass, questions + at, taken);
	}
	for (uint32_t i = 0; i < count; i++) {
		questions[i].from = order->sorted[questions[i].from];
		questions[i].to = order->sorted[questions[i].to];
	}
}

/* One binding, and the parts of its tensor that it may mean: low <= part < high. */
struct access {
	const struct lang_graph_bind *bind;
	int64_t from, end; /* bytes */
	uint32_t rank;     /* of its kernel */
	uint32_t low, high;
	uint32_t asked; /* the latest access that was compared with this one, plus 1 */
};
struct live {
	struct live *next;
	uint32_t access;
};
/* Between two neighbours among the bounds of all bindings of the tensor. */
struct part {
	struct live *writers, *readers;
};
struct pair {
	const struct lang_graph_bind *first, *second; /* as they are issued */
};
struct race_check {
	struct lang_unit *unit;
	const struct lang_graph_order *order;
	struct access *accesses; /* by tensor, then rank */
	uint32_t access_count;
	int64_t *bounds; /* of the tensor at hand */
	uint32_t bound_count;
	struct part *parts;
	struct live *free_lives;
	struct question *questions;
	uint32_t question_count, question_capacity;
	struct pair *pairs;
	uint32_t pair_count, pair_capacity;
	uint32_t steps;
};

bool lang_graph_are_alternatives(const struct lang_graph_inst *a, const struct lang_graph_inst *b)
{
	for (const struct lang_graph_inst *x = a; x->parent; x = x->parent)
		for (const struct lang_graph_inst *y = b; y->parent; y = y->parent)
			if (x->parent == y->parent && x->parent->op == PTOWSP_CF_IF && x != y)
				return (x->order < x->parent->else_order) != (y->order < x->parent->else_order) && x->parent->has_else;
	return false;
}

/* --- what touches what --- */

static int by_tensor(const void *a, const void *b)
{
	const struct access *x = a, *y = b;
	uint32_t tx = x->bind->tensor->object.index, ty = y->bind->tensor->object.index;

	if (tx != ty)
		return tx < ty ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->bind->arg < y->bind->arg ? -1 : x->bind->arg > y->bind->arg;
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static void accesses_find(struct race_check *check)
{
	const struct lang_graph *graph = check->order->graph;
	size_t count = 0;

	for (uint32_t k = 0; k < graph->kernel_count; k++)
		count += graph->kernels[k]->bind_count;
	check->accesses = common_alloc(&check->unit->arena, (count + 1) * sizeof(*check->accesses));
	check->bounds = common_alloc(&check->unit->arena, (2 * count + 1) * sizeof(*check->bounds));
	check->parts = common_alloc(&check->unit->arena, (2 * count + 1) * sizeof(*check->parts));
	for (uint32_t k = 0; k < graph->kernel_count; k++)
		for (uint32_t i = 0; i < graph->kernels[k]->bind_count; i++) {
			const struct lang_graph_bind *bind = graph->kernels[k]->binds[i];
			struct access *access = &check->accesses[check->access_count];

			if (!bind->access)
				continue;
			*access = (struct access){.bind = bind, .rank = check->order->rank[k]};
			lang_graph_bytes(bind, &access->from, &access->end);
			check->access_count++;
		}
	if (check->access_count)
		qsort(check->accesses, check->access_count, sizeof(*check->accesses), by_tensor);
}

static uint32_t bound_place(const struct race_check *check, int64_t value)
{
	const int64_t *at = bsearch(&value, check->bounds, check->bound_count, sizeof(value), by_value);

	return (uint32_t)(at - check->bounds);
}

static void parts_make(struct race_check *check, struct access *accesses, uint32_t count)
{
	uint32_t kept = 0;

	check->bound_count = 2 * count;
	for (uint32_t i = 0; i < count; i++) {
		check->bounds[2 * i] = accesses[i].from;
		check->bounds[2 * i + 1] = accesses[i].end;
	}
	qsort(check->bounds, check->bound_count, sizeof(*check->bounds), by_value);
	for (uint32_t i = 0; i < check->bound_count; i++)
		if (!kept || check->bounds[i] != check->bounds[kept - 1])
			check->bounds[kept++] = check->bounds[i];
	check->bound_count = kept;
	memset(check->parts, 0, kept * sizeof(*check->parts));
	for (uint32_t i = 0; i < count; i++) {
		accesses[i].low = bound_place(check, accesses[i].from);
		accesses[i].high = bound_place(check, accesses[i].end);
	}
}

/* --- questions --- */

static void live_add(struct race_check *check, struct live **list, uint32_t access)
{
	struct live *live = check->free_lives;

	if (live)
		check->free_lives = live->next;
	else
		live = common_alloc(&check->unit->arena, sizeof(*live));
	*live = (struct live){*list, access};
	*list = live;
}

static void ask(struct race_check *check, const struct live *live, uint32_t access)
{
	for (; live; live = live->next) {
		struct access *first = &check->accesses[live->access];
		const struct lang_graph_bind *x = first->bind, *y = check->accesses[access].bind;

		check->steps++;
		if (first->asked == access + 1 || x->kernel == y->kernel || lang_graph_are_alternatives(x->kernel->inst, y->kernel->inst))
			continue;
		first->asked = access + 1;
		*COMMON_PUSH(&check->unit->arena, check->questions, check->question_count, check->question_capacity) =
			(struct question){.from = x->kernel->node, .to = y->kernel->node, .about = check->pair_count};
		*COMMON_PUSH(&check->unit->arena, check->pairs, check->pair_count, check->pair_capacity) = (struct pair){x, y};
	}
}

/* A kernel that has written hides those that it is behind; the other branch of a CF_IF is not one of them. */
static void list_hide(struct race_check *check, struct live **list, const struct lang_graph_kernel *kernel)
{
	while (*list) {
		struct live *live = *list;
		const struct lang_graph_kernel *other = check->accesses[live->access].bind->kernel;

		check->steps++;
		if (other == kernel || lang_graph_are_alternatives(other->inst, kernel->inst)) {
			list = &live->next;
			continue;
		}
		*list = live->next;
		live->next = check->free_lives;
		check->free_lives = live;
	}
}

static void access_meet(struct race_check *check, uint32_t at)
{
	const struct access *access = &check->accesses[at];
	int writes = (access->bind->access & PTOWSP_WRITE) != 0;

	for (uint32_t p = access->low; p < access->high; p++) {
		struct part *part = &check->parts[p];

		check->steps++;
		ask(check, part->writers, at);
		if (!writes) {
			live_add(check, &part->readers, at);
			continue;
		}
		ask(check, part->readers, at);
		list_hide(check, &part->writers, access->bind->kernel);
		list_hide(check, &part->readers, access->bind->kernel);
		live_add(check, &part->writers, at);
	}
}

static int is_written(const struct access *accesses, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (accesses[i].bind->access & PTOWSP_WRITE)
			return 1;
	return 0;
}

/* All accesses to one tensor; 0: there are too many, and that was told. */
static bool tensor_meet(struct race_check *check, uint32_t first, uint32_t count)
{
	if (!is_written(check->accesses + first, count))
		return true;
	parts_make(check, check->accesses + first, count);
	for (uint32_t i = first; i < first + count; i++) {
		const struct lang_graph_bind *bind = check->accesses[i].bind;

		if (check->steps < LANG_GRAPH_RACE_LIMIT) {
			access_meet(check, i);
			continue;
		}
		lang_warn(check->unit, bind->inst->at,
			  "graph %s is too large to be searched for races: what %s and the %u bindings behind it share is not looked at",
			  check->order->graph->object.name, bind->kernel->object.name, check->access_count - i - 1);
		lang_help(check->unit, "%u comparisons are made; let kernels share fewer parts of %s", LANG_GRAPH_RACE_LIMIT, bind->tensor->object.name);
		return false;
	}
	return true;
}

/* --- answers --- */

/* The one that stands above counts as the writer where both write. */
static void unordered_warn(struct lang_unit *unit, const struct pair *pair)
{
	const struct lang_graph_bind *w = pair->first, *o = pair->second;
	const char *wn, *on, *tn = w->tensor->object.name;

	if (!(w->access & PTOWSP_WRITE) || ((o->access & PTOWSP_WRITE) && o->kernel->node < w->kernel->node)) {
		w = pair->second;
		o = pair->first;
	}
	wn = w->kernel->object.name;
	on = o->kernel->object.name;
	lang_warn(unit, o->inst->at, "%s writes %s, %s %s it, and nothing orders the two", wn, tn, on, o->access & PTOWSP_READ ? "reads" : "writes");
	lang_help(unit, "TG_DEPEND(%s, %s, %s)", wn, on, o->access & PTOWSP_READ ? common_format(&unit->arena, "DATA, %s", tn) : "AFTER");
}

static void unseen_warn(struct lang_unit *unit, const struct pair *pair)
{
	const char *wn = pair->first->kernel->object.name, *on = pair->second->kernel->object.name, *tn = pair->first->tensor->object.name;

	lang_warn(unit, pair->second->inst->at, "%s reads %s, which %s writes, and only AFTER orders the two: what was written need not be visible", on, tn,
		  wn);
	lang_help(unit, "TG_DEPEND(%s, %s, DATA, %s), or MC_FENCE(DEVICE) between the two kernels", wn, on, tn);
}

static void answers_read(struct race_check *check)
{
	for (uint32_t i = 0; i < check->question_count; i++) {
		const struct question *q = &check->questions[i];
		const struct pair *pair = &check->pairs[q->about];

		if (!q->before)
			unordered_warn(check->unit, pair);
		else if (!q->visible && (pair->first->access & PTOWSP_WRITE) && (pair->second->access & PTOWSP_READ) &&
			 !lang_graph_is_fenced(check->order, pair->first->kernel->inst, pair->second->kernel->inst))
			unseen_warn(check->unit, pair);
	}
}

void lang_graph_race_check(struct lang_unit *unit, const struct lang_graph_order *order)
{
	struct race_check check = {.unit = unit, .order = order};
	uint32_t first = 0, at;

	accesses_find(&check);
	for (; first < check.access_count; first = at) {
		for (at = first; at < check.access_count && check.accesses[at].bind->tensor == check.accesses[first].bind->tensor; at++)
			;
		if (!tensor_meet(&check, first, at - first))
			break;
	}
	lang_graph_reach(unit, order, check.questions, check.question_count);
	answers_read(&check);
}
