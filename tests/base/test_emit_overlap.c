/* SPDX-License-Identifier: MIT
 * test_emit_overlap.c - operations whose results go where their operands come from: the interpreter and compiled C on windows that lie over each other, beside the interpreter on windows
 * of which nothing is both read and written. PTOWSP_SEED=n repeats programs, PTOWSP_ROUNDS=n makes more of them. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/emit/emit.h"
#include "ptowsp/note.h"
#include "tests/base/emit_trials.h"
#include "tests/check.h"
#include "tests/isa/overlap_tiles.h"
#include "tests/isa/tile_random.h"

enum { TASKS = 6, SEED_STEPS = 8192 };

struct trial {
	uint64_t seed;
	struct overlap_tiles tiles;
	struct isa_program *program;
	ptowsp_kernel_fn fn;
	char name[32];
	uint64_t workspace;
};
static struct trial trials[TILE_TYPES];

/* Memory of a run: what there was; what is written, where nothing of it is read and where it is. */
static unsigned char before[OVERLAP_BYTES], indices[OVERLAP_BYTES], apart[OVERLAP_BYTES], together[OVERLAP_BYTES], compiled[OVERLAP_BYTES];

/* ---- programs ------------------------------------------------------------------------------------------------------------- */

static void program_write(struct trial *t)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	char *text = NULL;
	size_t size;

	t->program = NULL;
	if (tile_create(&t->tiles.b, &t->program, &error) || isa_emit(t->program, &isa_emit_targets[0], t->name, &text, &size, &error) ||
	    isa_emit_workspace(t->program, &isa_emit_targets[0], &t->workspace, &error))
		CHECK_FAIL("PTOWSP_SEED=%llu: %s", (unsigned long long)t->seed, error.text);
	else
		check_put(check_fmt("%s.c", t->name), text);
	tile_finish(&t->tiles.b);
	free(text);
}

static void *library_make(const char *flags)
{
	char *errors = NULL;
	void *library = NULL;

	if (check_run(check_fmt("cd '%s' && cc -std=c11 -w -DTILE_ONE_MACHINE %s -fPIC -shared -ffp-contract=off -fvisibility=hidden -I. *.c -o all.so -lm",
				check_dir(), flags),
		      NULL, &errors))
		CHECK_FAIL("cc: %.1500s", errors);
	else
		library = dlopen(check_fmt("%s/all.so", check_dir()), RTLD_NOW | RTLD_LOCAL);
	free(errors);
	return library;
}

/* ---- runs ----------------------------------------------------------------------------------------------------------------- */

/* A task by who runs it: fn NULL: the interpreter. */
struct outcome {
	const unsigned char *memory;
	struct tile_task task;
	ptowsp_status status;
};

static void outcome_make(struct outcome *o, const struct trial *t, unsigned section, uint64_t seed, unsigned char *read, unsigned char *written,
			 ptowsp_kernel_fn fn)
{
	memcpy(written, before, OVERLAP_BYTES);
	o->memory = written;
	overlap_tiles_task(&t->tiles, &o->task, section, seed, read, written, indices);
	if (!fn) {
		o->status = tile_run(&o->task, t->program);
		return;
	}
	o->task.task.workspace = aligned_alloc(64, t->workspace / 64 * 64 + 64);
	o->task.task.workspace_size = t->workspace;
	memset(o->task.task.workspace, 0xA5, t->workspace);
	o->status = fn(&o->task.task, &o->task.out);
	free(o->task.task.workspace);
}

/* Whether byte `at` of both belongs to an element that is no number, of which one is as good as another. */
static bool is_no_number(unsigned dtype, const unsigned char *one, const unsigned char *other, size_t at)
{
	const size_t bytes = cell_bytes(dtype);

	for (size_t from = at - bytes + 1; cell_is_float(dtype) && from <= at; from++)
		if (isnan(cell_unpack(dtype, one + from).f) && isnan(cell_unpack(dtype, other + from).f))
			return true;
	return false;
}

static bool is_same(unsigned dtype, const unsigned char *one, const unsigned char *other)
{
	if (!memcmp(one, other, OVERLAP_BYTES))
		return true;
	for (size_t at = 0; at < OVERLAP_BYTES; at++)
		if (one[at] != other[at] && !is_no_number(dtype, one, other, at))
			return false;
	return true;
}

static void outcomes_compare(const char *what, uint64_t seed, const struct overlap_section *section, const struct outcome *one, const struct outcome *other)
{
	const char *name = isa_op(section->op)->mnemonic;

	if (one->status != other->status || one->task.out.cycles != other->task.out.cycles || strcmp(one->task.error.text, other->task.error.text))
		CHECK_FAIL("PTOWSP_SEED=%llu: %s, %s: %d, %llu cycles, \"%s\" and %d, %llu cycles, \"%s\"", (unsigned long long)seed, name, what, one->status,
			   (unsigned long long)one->task.out.cycles, one->task.error.text, other->status, (unsigned long long)other->task.out.cycles,
			   other->task.error.text);
	else if (!is_same(section->stored, one->memory, other->memory))
		CHECK_FAIL("PTOWSP_SEED=%llu: %s, %s: what is stored differs", (unsigned long long)seed, name, what);
}

/* One operation on one choice of windows; whether it gets to its end. */
static bool section_run(const struct trial *t, unsigned number, uint64_t seed)
{
	const struct overlap_section *section = &t->tiles.sections[number];
	static struct outcome one, two, three;

	outcome_make(&one, t, number, seed, together, together, NULL);
	outcome_make(&two, t, number, seed, compiled, compiled, t->fn);
	outcomes_compare("interpreted and compiled", t->seed, section, &one, &two);
	if (section->apart) {
		outcome_make(&three, t, number, seed, before, apart, NULL);
		outcomes_compare("over what is read and elsewhere", t->seed, section, &one, &three);
	}
	return one.status == PTOWSP_OK;
}

/* All sections on all types; how many tasks get to their end. */
static unsigned batch_run(uint64_t seed, unsigned part, const char *flags, unsigned *tasks_out)
{
	unsigned ended = 0;
	void *library;

	check_tmp();
	emit_headers_write(check_dir());
	for (unsigned i = 0; i < TILE_TYPES; i++) {
		struct trial *t = &trials[i];

		t->seed = seed + i;
		snprintf(t->name, sizeof(t->name), "kernel_%u", i);
		overlap_tiles_make(&t->tiles, t->seed, (unsigned)(t->seed % TILE_TYPES), part);
		program_write(t);
	}
	library = library_make(flags);
	for (unsigned i = 0; library && i < TILE_TYPES; i++) {
		struct trial *t = &trials[i];

		*(void **)&t->fn = dlsym(library, t->name);
		overlap_tiles_fill(&t->tiles, t->seed, before, indices);
		for (unsigned k = 0; t->fn && k < OVERLAP_SECTIONS * TASKS; k++)
			if (t->tiles.sections[k / TASKS].op && ++*tasks_out)
				ended += section_run(t, k / TASKS, t->seed * SEED_STEPS + k);
	}
	for (unsigned i = 0; i < TILE_TYPES; i++)
		isa_program_destroy(trials[i].program);
	if (library)
		dlclose(library);
	return ended;
}

/* A sanitizer looks at the interpreter and at what writes the text; compiling takes most of the time. */
TEST(what_goes_over_operands_is_made_of_what_they_were)
{
	const unsigned rounds = getenv("PTOWSP_ROUNDS") ? (unsigned)atoi(getenv("PTOWSP_ROUNDS")) : 1;

	for (unsigned i = 0; i < rounds * OVERLAP_PARTS; i++) {
		unsigned tasks = 0, ended;

		if (!check_seed_wanted(i))
			continue;
		ended = batch_run(random_start() + i * 100, i % OVERLAP_PARTS, i / OVERLAP_PARTS % 2 ? "-O2" : "-O0", &tasks);
		CHECK(ended > tasks / 2);
	}
}
