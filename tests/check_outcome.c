/* SPDX-License-Identifier: MIT */
#include "tests/check_outcome.h"

#include <string.h>

struct builder *builder_one_kernel(void)
{
	struct builder *b = builder_create();

	builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 0);
	return b;
}

struct builder *builder_plain(void)
{
	struct builder *b = builder_one_kernel();

	builder_schedule(b, PTOWSP_DIRECTIVE_DISPATCH, PTOWSP_DISPATCH_ROUND_ROBIN, "n", INT64_C(16));
	return b;
}

struct builder *builder_grid(void)
{
	struct builder *b = builder_create();
	uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 0);

	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 3);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "j", 2);
	builder_task(b, k, 10, "");
	builder_end(b);
	builder_end(b);
	return b;
}

uint32_t builder_loop_value(struct builder *b, uint32_t depth)
{
	return builder_expr(b, PTOWSP_EXPR_LOOP, depth, 0, 0);
}

uint32_t builder_pair_value(struct builder *b)
{
	uint32_t outer = builder_expr(b, PTOWSP_EXPR_MUL, builder_loop_value(b, 0), builder_const(b, 100), 0);

	return builder_expr(b, PTOWSP_EXPR_ADD, builder_expr(b, PTOWSP_EXPR_ADD, outer, builder_loop_value(b, 1), 0), builder_const(b, 1), 0);
}

void builder_producer(struct builder *b, const char *name, uint32_t replicas, int64_t n, int64_t cycles, uint32_t channel)
{
	builder_process(b, name, replicas);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", n);
	builder_task(b, 0, cycles, "");
	builder_send(b, channel, builder_expr(b, PTOWSP_EXPR_LOOP, 0, 0, 0));
	builder_end(b);
}

void builder_consumer(struct builder *b, const char *name, int64_t cycles, uint32_t channel)
{
	builder_process(b, name, 1);
	builder_consume(b, channel);
	builder_task(b, 0, cycles, "");
	builder_end(b);
}

struct builder *builder_pipeline(void)
{
	struct builder *b = builder_one_kernel();
	uint32_t c = builder_channel(b, "c", 1, 0);

	builder_producer(b, "P0", 1, 3, 1, c);
	builder_producer(b, "P1", 1, 1, 10, c);
	builder_consumer(b, "C", 1, c);
	return b;
}

void outcome_done(struct builder *b, struct outcome *o)
{
	outcome_destroy(o);
	builder_destroy(b);
}

struct outcome *check_planted(struct builder *b, const struct outcome_how *how, const char *text)
{
	struct outcome *o = builder_run(b, how);

	CHECK_INT(o->status, PTOWSP_KERNEL_FAILED);
	CHECK_STR(o->error.text, text);
	return o;
}

void builder_life(struct builder *b, uint32_t tensor, int64_t cycles)
{
	EMIT(b, ALLOC, 0, tensor);
	builder_task(b, 1, cycles, "w", tensor);
	EMIT(b, FREE, 0, tensor);
}

void check_starts(const struct outcome *o, const uint64_t *starts, uint32_t count)
{
	CHECK_INT(o->status, PTOWSP_OK);
	CHECK_STR(o->error.text, "");
	REQUIRE_UINT(o->task_count, count);
	for (uint32_t i = 0; i < count; i++)
		CHECK_UINT(o->tasks[i].start, starts[i]);
}

void check_resource(const struct outcome *o, const char *name, uint64_t high_water, uint64_t stalls, uint64_t cycles)
{
	const struct ptowsp_resource_stats *resource = outcome_resource(o, name);

	CHECK_UINT(resource->high_water, high_water);
	CHECK_UINT(resource->stall_count, stalls);
	CHECK_UINT(resource->stall_cycles, cycles);
}

void check_cycles(const struct outcome *o, const uint64_t *cycles, uint32_t count)
{
	CHECK_STR(o->error.text, "");
	REQUIRE_UINT(o->task_count, count);
	for (uint32_t i = 0; i < count; i++)
		CHECK_UINT(o->tasks[i].end - o->tasks[i].start, cycles[i]);
}

void check_refused(struct builder *b, ptowsp_status status, const char *why)
{
	struct outcome *o = builder_run(b, NULL);

	CHECK_INT(o->status, status);
	CHECK_CONTAINS(o->error.text, why);
	outcome_done(b, o);
}

bool outcome_same(uint64_t seed, const char *who, const struct outcome *told, const struct outcome *o, bool memory)
{
	bool ok = o->status == told->status && o->stats.tasks == told->stats.tasks && o->stats.edges == told->stats.edges &&
		  o->stats.total_cycles == told->stats.total_cycles && o->stats.resource_count == told->stats.resource_count;

	for (uint32_t i = 0; ok && i < told->stats.resource_count; i++)
		ok = o->resources[i].used == told->resources[i].used && o->resources[i].high_water == told->resources[i].high_water &&
		     o->resources[i].stall_count == told->resources[i].stall_count && o->resources[i].stall_cycles == told->resources[i].stall_cycles;
	if (ok && memory)
		ok = o->memory_count == told->memory_count &&
		     (!told->memory_count || !memcmp(o->memory, told->memory, told->memory_count * sizeof(*told->memory)));
	if (!ok)
		CHECK_FAIL("seed %ju, %s: status %d (%d), %ju tasks (%ju), %ju edges (%ju), %ju cycles (%ju), or a high-water mark, or memory", (uintmax_t)seed,
			   who, o->status, told->status, (uintmax_t)o->stats.tasks, (uintmax_t)told->stats.tasks, (uintmax_t)o->stats.edges,
			   (uintmax_t)told->stats.edges, (uintmax_t)o->stats.total_cycles, (uintmax_t)told->stats.total_cycles);
	return ok;
}
