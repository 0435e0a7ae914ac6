/* SPDX-License-Identifier: MIT
 * test_ascend_llama.c - makespans of the llama layer on 24 cube and 48 vector cores with a constant per kernel: by the rule of the original's simulator, whose figures
 * these are, and by events, as a list schedule of the same graph gives them. */
#include "ascend/machine/machine.h"
#include "tests/check_outcome.h"
#include "tests/taskgraph/llama_layer.h"

#include <string.h>

/* The original's constants by words in the kernel's name. */
static uint64_t cycles_of(const char *kernel)
{
	static const struct {
		const char *word;
		uint64_t cycles;
	} words[] = {{"matmul", 50}, {"rmsnorm", 30}, {"rope", 40}, {"score", 60}, {"softmax", 24}, {"normalize", 30}, {"residual_add", 8}};

	for (size_t k = 0; k < sizeof(words) / sizeof(*words); k++)
		if (strstr(kernel, words[k].word))
			return words[k].cycles;
	return 10;
}

static uint64_t makespan(uint32_t m, bool full, bool program_order, uint32_t schedulers)
{
	struct ascend_machine machine = {
		.config = {.clusters = 24, .vectors_each = 2, .first_vector = 24, .payloads = 1, .by_number = true, .program_order = program_order}};
	struct rt_engine engine = ascend_machine_engine(&machine);
	struct builder *b = llama_layer_make(m, cycles_of);
	struct outcome *o;
	uint64_t cycles;

	builder_schedule(b, PTOWSP_DIRECTIVE_TASK_WINDOW, PTOWSP_TASK_WINDOW_STALL, "n", INT64_C(0));
	builder_schedule(b, PTOWSP_DIRECTIVE_DEPS, PTOWSP_DEPS_TENSOR_MAP_EXACT, "");
	if (!full)
		builder_schedule(b, PTOWSP_DIRECTIVE_HAZARDS, PTOWSP_HAZARDS_RAW, "");
	o = builder_run(b, &(struct outcome_how){.flags = PTOWSP_RUN_NO_KERNELS, .bare = true, .engine = &engine, .schedulers = schedulers});
	CHECK_STR(o->error.text, "");
	CHECK_UINT(o->stats.edges, full ? 10 * m * m + 19 * m : 7 * m * m + 17 * m);
	CHECK_UINT(o->stats.executors, 72);
	cycles = o->stats.total_cycles;
	outcome_done(b, o);
	return cycles;
}

TEST(the_order_of_the_program_gives_the_original_s_makespans)
{
	CHECK_UINT(makespan(16, false, true, 1), 3086);
	CHECK_UINT(makespan(17, false, true, 1), 3468);
	CHECK_UINT(makespan(32, false, true, 1), 13722);
}

TEST(events_give_those_of_a_list_schedule)
{
	CHECK_UINT(makespan(16, false, false, 1), 1210);
	CHECK_UINT(makespan(32, false, false, 1), 3030);
	CHECK_UINT(makespan(64, false, false, 1), 9686);
}

TEST(the_same_with_anti_dependencies)
{
	CHECK_UINT(makespan(16, true, false, 1), 1760);
	CHECK_UINT(makespan(32, true, false, 1), 3292);
	CHECK_UINT(makespan(64, true, false, 1), 11330);
}
