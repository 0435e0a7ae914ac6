/* SPDX-License-Identifier: MIT
 * test_aie_mutant.c - designs that the backend emits, each with one thing changed: what a rule does not refuse the simulator stops, or it comes to the same result, however fast
 * the host is. Kernels are stood in for by a sum of all that a call touches, which it leaves in all of its arguments, so that every element counts. PTOWSP_SEED=N one
 * seed, PTOWSP_SEEDS=N that many; each seed changes each design once in each way. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aie/design/aie_check.h"
#include "registry/common/common_hash.h"
#include "tests/aie/aie_written.h"
#include "tests/contract/cli.h"
#include "tests/draw.h"

/* ---- a run ---------------------------------------------------------------------------------------------------------- */

enum { SPEEDS = 3, ARGUMENTS = 16 };
static const uint64_t speeds[SPEEDS] = {300, 1000, 3000}; /* cycles that a task takes the host */

/* Elements of a view, one after the other: those behind `at` of the dimensions from d on. */
static void elements_walk(const struct aie_type *type, uint32_t d, uint8_t *at, uint64_t *sum, bool writes)
{
	const size_t bytes = (size_t)aie_type_bytes(type->element);

	if (d == type->rank) {
		uint64_t element = 0;

		*sum = common_hash(*sum, 1);
		if (writes)
			memcpy(at, sum, bytes);
		else
			memcpy(&element, at, bytes);
		*sum = common_hash(*sum, element);
		return;
	}
	for (int64_t i = 0; i < type->dims[d]; i++)
		elements_walk(type, d + 1, at + i * type->strides[d] * (int64_t)bytes, sum, writes);
}

static ptowsp_status stand_in(void *context, const struct aie_sim_call *call, uint64_t *cycles_out, struct ptowsp_error *error)
{
	const struct aie_type *type = call->function->type;
	uint64_t sum = 0;

	(void)context, (void)error;
	for (uint32_t i = 0; i < type->inputs; i++)
		if (type->parts[i]->kind == AIE_TYPE_MEMREF)
			elements_walk(type->parts[i], 0, call->memrefs[i], &sum, false);
		else
			sum = common_hash(sum, call->scalars[i]);
	for (uint32_t i = 0; i < type->inputs; i++)
		if (type->parts[i]->kind == AIE_TYPE_MEMREF)
			elements_walk(type->parts[i], 0, call->memrefs[i], &sum, true);
	*cycles_out = 500;
	return PTOWSP_OK;
}

struct memory {
	uint8_t *arguments[ARGUMENTS];
	size_t sizes[ARGUMENTS];
	uint32_t count;
};

static void memory_make(struct memory *memory, const struct aie_design *design)
{
	*memory = (struct memory){.count = design->argument_count};
	REQUIRE(design->argument_count <= ARGUMENTS);
	for (uint32_t i = 0; i < memory->count; i++) {
		memory->sizes[i] = (size_t)aie_type_bytes(design->arguments[i]);
		memory->arguments[i] = malloc(memory->sizes[i]);
		REQUIRE(memory->arguments[i] != NULL);
		for (size_t b = 0; b < memory->sizes[i]; b++)
			memory->arguments[i][b] = (uint8_t)draw_mix(b * ARGUMENTS + i);
	}
}

static void memory_finish(struct memory *memory)
{
	for (uint32_t i = 0; i < memory->count; i++)
		free(memory->arguments[i]);
}

static ptowsp_status design_run(const struct aie_whole *whole, struct memory *memory, uint64_t host_cycles, struct ptowsp_error *error)
{
	const struct aie_sim_args args = {.design = &whole->design,
					  .routes = &whole->routes,
					  .arguments = (void *const *)memory->arguments,
					  .buffering = 8,
					  .host_cycles = host_cycles,
					  .max_events = 4000000,
					  .kernels = {.call = stand_in}};
	struct aie_sim_stats stats = {0};
	ptowsp_status status = aie_sim_run(&args, &stats, error);

	aie_sim_finish(&stats);
	return status;
}

/* ---- a design as it is emitted ---------------------------------------------------------------------------------------- */

struct original {
	char *text;
	struct memory result;
	bool counts[ARGUMENTS]; /* elements without meaning are not the same twice */
};

static bool same(const struct memory *a, const struct memory *b, uint32_t i)
{
	return a->sizes[i] == b->sizes[i] && !memcmp(a->arguments[i], b->arguments[i], a->sizes[i]);
}

/* The same result at all speeds; one argument may be filler. */
static void original_run(struct original *original, const char *name)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct aie_whole whole;
	uint32_t fillers = 0;

	if (aie_whole_read(&whole, original->text, &error))
		CHECK_FAIL("%s: %s", name, error.text);
	memset(original->counts, true, sizeof(original->counts));
	if (aie_check(&whole.design, true, &error))
		CHECK_FAIL("%s: %s", name, error.text);
	memory_make(&original->result, &whole.design);
	for (int s = 0; s < SPEEDS; s++) {
		struct memory memory;

		memory_make(&memory, &whole.design);
		if (design_run(&whole, s ? &memory : &original->result, speeds[s], &error))
			CHECK_FAIL("%s at %llu cycles a task: %s", name, (unsigned long long)speeds[s], error.text);
		for (uint32_t i = 0; s && i < memory.count; i++)
			original->counts[i] = original->counts[i] && same(&memory, &original->result, i);
		memory_finish(&memory);
	}
	for (uint32_t i = 0; i < original->result.count; i++)
		fillers += !original->counts[i];
	if (fillers > 1)
		CHECK_FAIL("%s: %u arguments differ with the speed of the host", name, fillers);
	aie_whole_finish(&whole);
}

/* ---- changes ---------------------------------------------------------------------------------------------------------- */

enum change { DROP_RELEASE, DOUBLE_RELEASE, EARLY_RELEASE, DROP_COPY, DROP_TASK, SWAP_TASKS, SHORTEN_TASK, ONE_DESCRIPTOR, DROP_WAIT, CHANGES };
static const char *const change_names[CHANGES] = {"drop release", "double release", "early release",  "drop copy", "drop task",
						  "swap tasks",   "shorten task",   "one descriptor", "drop wait"};
static const char *const change_ops[CHANGES] = {"aie.objectfifo.release", "aie.objectfifo.release", "func.call\"(%",
						"memref.copy\"",          "aiex.npu.dma_memcpy_nd", "aiex.npu.dma_memcpy_nd",
						"aiex.npu.dma_memcpy_nd", "aiex.npu.dma_memcpy_nd", "aiex.npu.dma_wait"};

/* The n-th line that has the text; NULL: there are no so many. */
static char *line_with(char *text, const char *what, uint64_t n)
{
	for (char *line = text; line; line = strchr(line, '\n')) {
		char *end;

		line += *line == '\n';
		end = strchr(line, '\n');
		if (!end)
			return NULL;
		*end = 0;
		if (strstr(line, what) && !n--) {
			*end = '\n';
			return line;
		}
		*end = '\n';
	}
	return NULL;
}

static uint64_t lines_with(char *text, const char *what)
{
	uint64_t count = 0;

	while (line_with(text, what, count))
		count++;
	return count;
}

static char *line_end(char *line)
{
	return strchr(line, '\n') + 1;
}

/* The line goes away. */
static void line_drop(char *line)
{
	char *end = line_end(line);

	memmove(line, end, strlen(end) + 1);
}

/* The line behind another comes before it. */
static void lines_swap(char *line, char *second)
{
	const size_t first_length = (size_t)(second - line), length = (size_t)(line_end(second) - second);
	char *kept = malloc(length);

	REQUIRE(kept != NULL);
	memcpy(kept, second, length);
	memmove(line + length, line, first_length);
	memcpy(line, kept, length);
	free(kept);
}

static bool is_line_of(const char *line, const char *what)
{
	const char *at = strstr(line, what);

	return at && at < strchr(line, '\n');
}

/* Tasks of two channels may be given in any order. */
static bool is_same_fifo(const char *line, const char *next)
{
	const char *a = strstr(line, "metadata = "), *b = strstr(next, "metadata = ");

	return a && b && !strncmp(a, b, strcspn(a, ","));
}

static bool task_shorten(char *line)
{
	char *at = strstr(line, "static_sizes = array<i64: "), *last;
	long size;

	for (int i = 0; at && i < 3; i++)
		at = strchr(at + 1, ',');
	if (!at)
		return false;
	size = strtol(at + 1, &last, 10);
	if (size < 8)
		return false;
	snprintf(at, (size_t)(last - at) + 1, ", %0*ld", (int)(last - at) - 2, size / 2 / 4 * 4);
	*last = '>';
	return true;
}

static void descriptors_make_one(char *text)
{
	for (char *at = strstr(text, "{id = "); at; at = strstr(at + 1, "{id = ")) {
		at[6] = '0';
		while (at[7] != ' ')
			memmove(at + 7, at + 8, strlen(at + 8) + 1);
	}
}

/* False: there is nothing in the text to change so. */
static bool text_change(char *text, enum change change, uint64_t *state)
{
	const uint64_t count = lines_with(text, change_ops[change]);
	char *line = count ? line_with(text, change_ops[change], draw(state, count)) : NULL, *next;

	if (!line)
		return false;
	next = line_end(line);
	switch (change) {
	case DROP_RELEASE:
	case DROP_TASK:
	case DROP_WAIT: line_drop(line); return true;
	case DOUBLE_RELEASE:
		memmove(next + (next - line), next, strlen(next) + 1);
		memcpy(next, line, (size_t)(next - line));
		return true;
	case EARLY_RELEASE:
		if (!is_line_of(next, "aie.objectfifo.release"))
			return false;
		lines_swap(line, next);
		return true;
	case DROP_COPY: line_drop(line); return true;
	case SWAP_TASKS:
		if (!is_line_of(next, change_ops[change]) || !is_same_fifo(line, next))
			return false;
		lines_swap(line, next);
		return true;
	case SHORTEN_TASK: return task_shorten(line);
	case ONE_DESCRIPTOR: descriptors_make_one(text); return count > 1;
	case CHANGES: break;
	}
	return false;
}

/* ---- what is seen ----------------------------------------------------------------------------------------------------- */

struct tally {
	unsigned made, refused, stopped, differ, same;
};

static bool result_is(const struct original *original, const struct memory *memory)
{
	for (uint32_t i = 0; i < memory->count; i++)
		if (original->counts[i] && !same(memory, &original->result, i))
			return false;
	return true;
}

static void mutant_try(const struct original *original, const char *text, struct tally *tally)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct aie_whole whole;
	bool refused = aie_whole_read(&whole, text, &error) || aie_check(&whole.design, true, &error), stopped = false, differs = false;

	for (int s = 0; !refused && !stopped && s < SPEEDS; s++) {
		struct memory memory;

		memory_make(&memory, &whole.design);
		stopped = design_run(&whole, &memory, speeds[s], &error);
		differs |= !stopped && !result_is(original, &memory);
		memory_finish(&memory);
	}
	tally->made++;
	if (refused)
		tally->refused++;
	else if (stopped)
		tally->stopped++;
	else if (differs)
		tally->differ++;
	else
		tally->same++;
	aie_whole_finish(&whole);
}

static void tally_seed(const struct original *original, const char *name, uint64_t seed, struct tally tallies[CHANGES])
{
	for (int c = 0; c < CHANGES; c++) {
		uint64_t state = draw_seed(seed * CHANGES + (uint64_t)c);
		char *text = malloc(2 * strlen(original->text) + 1);
		const struct tally before = tallies[c];

		REQUIRE(text != NULL);
		strcpy(text, original->text);
		for (const char *n = name; *n; n++)
			state += draw_mix((uint64_t)*n);
		if (text_change(text, (enum change)c, &state))
			mutant_try(original, text, &tallies[c]);
		if (getenv("PTOWSP_SEED") && (tallies[c].same > before.same || tallies[c].differ > before.differ))
			printf("# seed %llu of %s: %s %s\n", (unsigned long long)seed, name, change_names[c],
			       tallies[c].same > before.same ? "is not seen" : "ends with another result");
		free(text);
	}
}

/* What the backend emits of an example, with its result. */
static void original_make(struct original *original, const char *device, const char *name)
{
	REQUIRE_INT(cli(check_fmt("$B/ptowsp-run --plugin=aie --device %s --quiet --emit %s/%s_%s $P/%s.pkg.zst", device, check_dir(), device, name, name)), 0);
	original->text = check_read(check_fmt("%s/%s_%s/design.mlir", check_dir(), device, name), NULL);
	REQUIRE(original->text != NULL);
	original_run(original, name);
}

static void original_finish(struct original *original)
{
	memory_finish(&original->result);
	free(original->text);
}

TEST(emitted_designs_do_the_same_at_all_speeds_of_the_host)
{
	static const char *const devices[] = {"npu1", "npu2"};
	static const char *const names[] = {"alternating_matmul_add",
					    "attention_pipeline",
					    "csp",
					    "dynamic_softmax",
					    "fan_in",
					    "fused_softmax",
					    "gemm_1",
					    "gemm_16",
					    "gemm_32",
					    "llama",
					    "matmul",
					    "paged_attention",
					    "passthrough",
					    "softmax",
					    "tiles",
					    "two_stage",
					    "vector_add"};

	check_tmp();
	cli_begin();
	for (size_t n = 0; n < sizeof(names) / sizeof(*names); n++)
		for (size_t d = 0; d < 2; d++) {
			struct original original;

			original_make(&original, devices[d], names[n]);
			original_finish(&original);
		}
}

TEST(a_changed_design_is_seen)
{
	static const char *const designs[][2] = {{"npu1", "softmax"},   {"npu1", "dynamic_softmax"}, {"npu1", "csp"},           {"npu1", "attention_pipeline"},
						 {"npu2", "matmul"},    {"npu1", "gemm_1"},          {"npu2", "fused_softmax"}, {"npu2", "tiles"},
						 {"npu1", "vector_add"}};
	struct tally tallies[CHANGES] = {{0}}, all = {0};
	uint64_t count, first = check_seeds(&count, 4);

	check_tmp();
	cli_begin();
	for (size_t d = 0; d < sizeof(designs) / sizeof(*designs); d++) {
		struct original original;

		original_make(&original, designs[d][0], designs[d][1]);
		for (uint64_t seed = first; seed < first + count; seed++)
			tally_seed(&original, designs[d][1], seed, tallies);
		original_finish(&original);
	}
	for (int c = 0; c < CHANGES; c++) {
		printf("# %-14s %3u made, %3u refused by a rule, %3u stopped in the run, %3u with another result, %3u as before\n", change_names[c],
		       tallies[c].made, tallies[c].refused, tallies[c].stopped, tallies[c].differ, tallies[c].same);
		all.made += tallies[c].made;
		all.same += tallies[c].same;
		all.refused += tallies[c].refused + tallies[c].stopped;
		all.differ += tallies[c].differ;
		CHECK(tallies[c].made > 0);
	}
	CHECK(all.same * 20 <= all.made);
	CHECK(all.refused * 20 >= (all.refused + all.differ) * 19);
}

/* A run without the n-th copy of a design ends with that. */
static void without_copy(const struct original *original, uint64_t n, const char *sentence)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	char *text = strdup(original->text);
	struct memory memory;
	struct aie_whole whole;

	REQUIRE(text != NULL);
	line_drop(line_with(text, change_ops[DROP_COPY], n));
	REQUIRE_INT(aie_whole_read(&whole, text, &error), PTOWSP_OK);
	memory_make(&memory, &whole.design);
	CHECK(design_run(&whole, &memory, speeds[0], &error) != PTOWSP_OK);
	CHECK_STR(error.text, sentence);
	memory_finish(&memory);
	aie_whole_finish(&whole);
	free(text);
}

TEST(elements_that_nobody_wrote_or_read_are_told)
{
	struct original original;

	check_tmp();
	cli_begin();
	original_make(&original, "npu1", "csp");
	without_copy(&original, 0, "core (0,2) releases an object of @loaded_0 and has read nothing of it; let it use what it takes");
	without_copy(&original, 1,
		     "line 23: the core calls kernel_layer with @buffer_1, of which nobody has written element 0; write all of what a kernel reads");
	without_copy(&original, 4,
		     "line 119: the task stores word 256 of 2048 of @computed_3, and no core has written that; let it write all of an object that it gives");
	original_finish(&original);
}
