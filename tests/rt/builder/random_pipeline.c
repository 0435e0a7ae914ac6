/* SPDX-License-Identifier: MIT */
#include "tests/rt/builder/random_pipeline.h"

#include "tests/check.h"
#include "tests/draw.h"

enum { STAGES = 3, ROWS = 8, COLUMNS = 8, TEMP = 2, ALLOCATED = 3 };

struct pipeline {
	struct random_loops r;
	enum random_pipeline_kind kind;
	uint32_t channels[STAGES], events[STAGES];
	bool payload[STAGES], signals[STAGES]; /* stage k signals before it sends into channel k */
};

static uint32_t pick(struct pipeline *p, uint32_t n)
{
	return random_pick(&p->r, n);
}

static bool chance(struct pipeline *p, uint32_t one_in)
{
	return !pick(p, one_in);
}

static bool any(const struct pipeline *p)
{
	return p->kind == RANDOM_PIPELINE_ANY;
}

static uint32_t number(struct pipeline *p, int64_t n)
{
	return builder_const(p->r.b, n);
}

static uint32_t rows_somewhere(struct pipeline *p)
{
	uint32_t tensor = pick(p, any(p) ? 3 : 2), row;

	if (tensor < TEMP)
		return builder_region(p->r.b, tensor, number(p, pick(p, 7)), number(p, pick(p, 5)), 2, 1 + pick(p, 4));
	row = builder_expr(p->r.b, PTOWSP_EXPR_MUL, number(p, pick(p, 4)), number(p, 2), 0);
	return builder_region(p->r.b, TEMP, row, number(p, 0), 2, COLUMNS);
}

/* What a block that is sent comes from and goes to: of one shape. */
static uint32_t block_somewhere(struct pipeline *p)
{
	return builder_region(p->r.b, pick(p, 2), number(p, pick(p, 7)), number(p, pick(p, 5)), 2, 3);
}

static void task(struct pipeline *p)
{
	static const char *const access[] = {"rw", "rr", "mr", "mw"};

	builder_task(p->r.b, pick(p, any(p) ? 5 : 2), any(p) ? pick(p, 30) : 1 + pick(p, 30), access[pick(p, 4)], rows_somewhere(p), rows_somewhere(p));
}

static void slots(struct pipeline *p)
{
	struct builder *b = p->r.b;

	if (chance(p, 4))
		builder_slot_load(b, 0, builder_region(b, pick(p, 2), number(p, pick(p, 7)), number(p, pick(p, 5)), 2, 1 + pick(p, 4)));
	if (chance(p, 4))
		builder_slot_set(b, 0, builder_expr(b, PTOWSP_EXPR_AND, builder_expr(b, PTOWSP_EXPR_VALUE, 0, 0, 0), number(p, 3), 0));
}

static void tasks_add(struct pipeline *p)
{
	for (uint32_t n = pick(p, 3); n; n--) {
		bool scope = chance(p, 5), branch = any(p) && chance(p, 6);

		if (scope)
			builder_scope(p->r.b);
		if (branch) {
			builder_branches(p->r.b, PTOWSP_OP_COND, 2,
					 builder_expr(p->r.b, PTOWSP_EXPR_AND, builder_expr(p->r.b, PTOWSP_EXPR_VALUE, 0, 0, 0), number(p, 1), 0));
			builder_next(p->r.b);
		}
		task(p);
		if (p->kind != RANDOM_PIPELINE_PLAIN)
			slots(p);
		if (any(p) && chance(p, 12))
			builder_emit(p->r.b, PTOWSP_OP_BARRIER, 0, 0);
		if (branch)
			builder_end(p->r.b);
		if (scope)
			builder_end(p->r.b);
	}
}

/* A process with one instance may have a tensor of its own for a while. */
static void alloc_around(struct pipeline *p)
{
	struct builder *b = p->r.b;

	builder_emit(b, PTOWSP_OP_ALLOC, 0, ALLOCATED);
	builder_task(b, 0, 1 + pick(p, 30), "rw", rows_somewhere(p), builder_region(b, ALLOCATED, number(p, 0), number(p, 0), 2, 3));
	tasks_add(p);
	builder_emit(b, PTOWSP_OP_FREE, 0, ALLOCATED);
}

/* ---- stages ------------------------------------------------------------------------------------------------------- */

static void send(struct pipeline *p, uint32_t stage)
{
	uint32_t token = builder_expr(p->r.b, PTOWSP_EXPR_LOOP, 0, 0, 0);

	if (p->signals[stage])
		builder_emit(p->r.b, PTOWSP_OP_SIGNAL, 0, p->events[stage]);
	if (p->payload[stage])
		builder_send_block(p->r.b, p->channels[stage], token, block_somewhere(p));
	else
		builder_send(p->r.b, p->channels[stage], token);
}

static void take_begin(struct pipeline *p, uint32_t stage)
{
	if (p->payload[stage])
		builder_consume_block(p->r.b, p->channels[stage], block_somewhere(p));
	else
		builder_consume(p->r.b, p->channels[stage]);
	if (p->signals[stage])
		builder_emit(p->r.b, PTOWSP_OP_WAIT, 0, p->events[stage]);
}

/* The first instance takes no more tokens than one; others get them when it has ended. */
static void leave_one(struct pipeline *p)
{
	struct builder *b = p->r.b;

	builder_branches(b, PTOWSP_OP_COND, 2, builder_expr(b, PTOWSP_EXPR_EQ, builder_expr(b, PTOWSP_EXPR_INSTANCE, 0, 0, 0), number(p, 0), 0));
	builder_emit(b, PTOWSP_OP_BREAK, 0, 0);
	builder_next(b);
	builder_end(b);
}

static void stage_make(struct pipeline *p, uint32_t stage, uint32_t stages, bool *alloc)
{
	struct builder *b = p->r.b;
	uint32_t replicas = 1 + pick(p, 3), scope = any(p) && chance(p, 4);

	builder_process(b, "p", replicas);
	if (stage)
		builder_uses(b, p->channels[stage - 1], PTOWSP_CHANNEL_CONSUMES);
	if (stage < stages)
		builder_uses(b, p->channels[stage], PTOWSP_CHANNEL_PRODUCES);
	if (stage)
		take_begin(p, stage - 1);
	else
		builder_loop_n(b, pick(p, 2) ? PTOWSP_OP_FOR_EACH : PTOWSP_OP_PARALLEL_FOR, "i", 1 + pick(p, 8));
	if (any(p) && replicas == 1 && *alloc && chance(p, 4)) { /* right behind a token, which may come later */
		alloc_around(p);
		*alloc = false;
	}
	if (scope)
		builder_scope(b);
	tasks_add(p);
	if (stage < stages)
		send(p, stage);
	if (scope)
		builder_end(b);
	if (any(p) && replicas == 1 && *alloc && chance(p, 2)) {
		alloc_around(p);
		*alloc = false;
	}
	tasks_add(p);
	if (any(p) && stage && replicas > 1 && chance(p, 3))
		leave_one(p);
	builder_end(b);
	if (any(p) && stage < stages && chance(p, 4))
		builder_close(b, p->channels[stage]);
	if (any(p) && chance(p, 3))
		tasks_add(p);
}

static void channels_make(struct pipeline *p, uint32_t stages)
{
	static const char *const names[STAGES] = {"a", "b", "c"}, *const events[STAGES] = {"e", "f", "g"};

	for (uint32_t i = 0; i < stages; i++) {
		p->payload[i] = any(p) && chance(p, 4);
		p->channels[i] = (p->payload[i] ? builder_payload : builder_channel)(p->r.b, names[i], pick(p, 4), pick(p, 6));
		p->signals[i] = any(p) && chance(p, 4);
		if (p->signals[i])
			p->events[i] = builder_event(p->r.b, events[i]);
	}
}

/* ---- schedule ----------------------------------------------------------------------------------------------------- */

#define ROW(directive, policy, ...) builder_schedule(p->r.b, PTOWSP_DIRECTIVE_##directive, PTOWSP_##directive##_##policy, __VA_ARGS__)

static void schedule(struct pipeline *p)
{
	if (any(p) && chance(p, 8))
		ROW(TASK_WINDOW, ABORT, "n", (int64_t)(5 + pick(p, 30)));
	else if (any(p) && chance(p, 8))
		ROW(TASK_WINDOW, BENCHMARK, "nw", (int64_t)(2 + pick(p, 12)), "tasks");
	else if (pick(p, 2))
		ROW(TASK_WINDOW, STALL, "n", (int64_t)((any(p) ? 5 : 8) + pick(p, 30)));
	if (chance(p, 3))
		ROW(DEP_LIST, CAPACITY, "n", (int64_t)((any(p) ? 8 : 20) + pick(p, 20)));
	if (chance(p, 3))
		ROW(ISSUE_COST, CYCLES, "n", (int64_t)(1 + pick(p, 20)));
	if (chance(p, 3))
		ROW(STREAMS, COUNT, "n", (int64_t)(1 + pick(p, 3)));
}

static void schedule_more(struct pipeline *p)
{
	static const char *const domains[] = {"global", "stream", "pool", "i"};

	if (chance(p, 3))
		ROW(HEAP, CAPACITY, "n", (int64_t)(256 + 64 * pick(p, 20)));
	if (chance(p, 4))
		ROW(TENSOR_MAP, CAPACITY, "n", (int64_t)(4 + pick(p, 12)));
	if (chance(p, 4))
		ROW(READY_QUEUE, CAPACITY, "n", (int64_t)(1 + pick(p, 4)));
	if (chance(p, 4))
		ROW(PIPELINE_DEPTH, DEPTH, "wn", domains[pick(p, 4)], (int64_t)(1 + pick(p, 3)));
	if (chance(p, 4))
		ROW(BATCH_DEPS, COUNT, "n", (int64_t)(1 + pick(p, 6)));
	if (chance(p, 4))
		ROW(POOLS, BY_EXEC_UNIT, "");
	if (chance(p, 6))
		ROW(START, THRESHOLD, "n", (int64_t)(1 + pick(p, 12)));
}

struct builder *random_pipeline_make(uint64_t seed, enum random_pipeline_kind kind)
{
	static const unsigned units[] = {PTOWSP_UNIT_AIV, PTOWSP_UNIT_AIC, PTOWSP_UNIT_AIC_AIV, PTOWSP_UNIT_ANY, PTOWSP_UNIT_AICPU};
	struct pipeline p = {.r = {.state = draw_seed(seed), .b = builder_create()}, .kind = kind};
	uint32_t stages = 1 + pick(&p, STAGES);
	bool alloc = true;

	builder_slot(p.r.b, "s", PTOWSP_SLOT_SLOT, 1);
	for (uint32_t k = 0; k < (any(&p) ? 5 : 2); k++)
		builder_kernel(p.r.b, check_fmt("k%u", k), any(&p) ? units[pick(&p, chance(&p, 2) ? 2 : 5)] : PTOWSP_UNIT_AIV, 1, 2);
	for (uint32_t t = 0; t < (any(&p) ? 4 : 2); t++)
		builder_tensor(p.r.b, check_fmt("t%u", t), PTOWSP_I64, ROWS, COLUMNS);
	if (any(&p))
		builder_role(p.r.b, TEMP, PTOWSP_ROLE_TEMP);
	schedule(&p);
	if (any(&p))
		schedule_more(&p);
	channels_make(&p, stages);
	for (uint32_t n = pick(&p, any(&p) ? 4 : 2); n; n--)
		task(&p);
	for (uint32_t stage = 0; stage <= stages; stage++)
		stage_make(&p, stage, stages, &alloc);
	return p.r.b;
}
