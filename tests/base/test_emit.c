/* SPDX-License-Identifier: MIT
 * test_emit.c - emitted C against the interpreter: the same programs on the same tasks, compiled into a library in a private folder,
 * and every byte, the cycles and the sentences compared. PTOWSP_SEED=n repeats a trial,
 * PTOWSP_ROUNDS=n makes more of them. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "isa/emit/emit.h"
#include "ptowsp/note.h"
#include "tests/base/emit_trials.h"
#include "tests/check.h"
#include "tests/isa/random_tiles.h"
#include "tests/isa/tile_random.h"

enum { BATCH = 26 };

/* A folder that nobody else can write to. */
static char folder[512];

static void folder_make(void)
{
	const char *temp = getenv("TMPDIR");

	snprintf(folder, sizeof(folder), "%s/ptowsp-emit-XXXXXX", temp && *temp ? temp : "/tmp");
	REQUIRE(mkdtemp(folder) != NULL);
	emit_headers_write(folder);
}

static void folder_remove(void)
{
	check_run(check_fmt("rm -rf '%s'", folder), NULL, NULL);
}

/* Writes NAME.c; the workspace it needs. */
static uint64_t program_write(const struct isa_program *program, const char *name)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	char *text;
	size_t size;
	uint64_t bytes = 0;

	if (isa_emit(program, &isa_emit_targets[0], name, &text, &size, &error)) {
		CHECK_FAIL("%s", error.text);
		return 0;
	}
	CHECK(check_write(check_fmt("%s/%s.c", folder, name), text, size));
	CHECK_INT(isa_emit_workspace(program, &bytes, &error), 0);
	free(text);
	return bytes;
}

/* All .c files of the folder in one library. */
static void *library_make(const char *flags)
{
	char *errors;
	const int code = check_run(check_fmt("cc -std=c11 -DTILE_ONE_MACHINE -Wall -Wextra -Wno-unused -Wno-tautological-compare "
					     "-Wno-aggressive-loop-optimizations -Werror %s -fPIC -shared -ffp-contract=off -fvisibility=hidden "
					     "-I'%s' '%s'/*.c -o '%s/all.so' -lm",
					     flags, folder, folder, folder),
				   NULL, &errors);
	void *library = NULL;

	if (code)
		CHECK_FAIL("cc: %.1500s", errors);
	else
		library = dlopen(check_fmt("%s/all.so", folder), RTLD_NOW | RTLD_LOCAL);
	free(errors);
	return library;
}

struct trial {
	uint64_t seed;
	struct isa_program *program;
	struct random_tiles tiles;
	char name[32];
	uint64_t workspace;
};
static struct trial trials[BATCH];
static unsigned char start[RANDOM_WINDOWS][RANDOM_BYTES], first[RANDOM_WINDOWS][RANDOM_BYTES], second[RANDOM_WINDOWS][RANDOM_BYTES];

/* All of a trial is made from its seed, by which the windows are filled again when it runs. */
typedef void (*make_fn)(struct trial *t, unsigned char (*memory)[RANDOM_BYTES]);

static void make_random(struct trial *t, unsigned char (*memory)[RANDOM_BYTES])
{
	random_tiles_make(&t->tiles, t->seed, memory);
}

static unsigned part_now; /* of all operations */
static void make_all(struct trial *t, unsigned char (*memory)[RANDOM_BYTES])
{
	random_tiles_all(&t->tiles, t->seed, (unsigned)(t - trials) % TILE_TYPES, part_now, memory);
}

static ptowsp_status native_run(const struct trial *t, struct tile_task *task, ptowsp_kernel_fn fn)
{
	void *workspace = aligned_alloc(64, t->workspace / 64 * 64 + 64);
	ptowsp_status status;

	memset(workspace, 0xA5, t->workspace);
	task->task.workspace = workspace;
	task->task.workspace_size = t->workspace;
	status = fn(&task->task, &task->out);
	free(workspace);
	return status;
}

static struct tile_task task_of(const struct trial *t, unsigned char (*memory)[RANDOM_BYTES])
{
	struct tile_task task = random_tiles_task(&t->tiles, memory);

	task.task.number = 42;
	task.task.kernel = 7;
	return task;
}

/* The element types of windows, for comparison: one NaN is as good as another. */
static bool windows_agree(const struct trial *t)
{
	for (unsigned w = 0; w < RANDOM_WINDOWS; w++) {
		const unsigned dtype = t->tiles.b.params[w].dtype, bytes = cell_bytes(dtype);
		const size_t from = (size_t)((unsigned char *)t->tiles.task.tensors[w].data - t->tiles.memory[w]);

		if (!memcmp(first[w], second[w], RANDOM_BYTES))
			continue;
		for (size_t at = from; at + bytes <= RANDOM_BYTES; at += bytes) {
			if (!memcmp(first[w] + at, second[w] + at, bytes) ||
			    (cell_is_float(dtype) && cell_same(dtype, cell_unpack(dtype, first[w] + at), cell_unpack(dtype, second[w] + at))))
				continue;
			CHECK_FAIL("PTOWSP_SEED=%llu: window %u, element %zu differs", (unsigned long long)t->seed, w, (at - from) / bytes);
			return false;
		}
	}
	return true;
}

static void relocate(struct tile_task *task)
{
	task->task.tensors = task->tensors;
	task->task.args = task->args;
	task->out.error = &task->error;
}

static void trial_compare(struct trial *t, void *library, unsigned *failed)
{
	ptowsp_kernel_fn fn;
	struct tile_task one = task_of(t, first), two = task_of(t, second);
	ptowsp_status want, got;

	relocate(&one);
	relocate(&two);
	*(void **)&fn = dlsym(library, t->name);
	if (!fn) {
		CHECK_FAIL("%s is not in the library", t->name);
		return;
	}
	want = tile_run(&one, t->program);
	got = native_run(t, &two, fn);
	*failed += want != 0;
	if (want != got || one.out.cycles != two.out.cycles || strcmp(one.error.text, two.error.text))
		CHECK_FAIL("PTOWSP_SEED=%llu: interpreter %d, %llu cycles, %s; native %d, %llu cycles, %s", (unsigned long long)t->seed, want,
			   (unsigned long long)one.out.cycles, one.error.text, got, (unsigned long long)two.out.cycles, two.error.text);
	else if (want)
		CHECK(!memcmp(&one.error, &two.error, sizeof(one.error)));
	windows_agree(t);
}

/* Programs that can run, in one library. How many of them failed in both. flags: of the compiler; NULL: they are only written. */
static unsigned batch_run(uint64_t seed, unsigned count, make_fn make, const char *flags)
{
	unsigned failed = 0, made = 0;
	void *library = NULL;

	folder_make();
	for (unsigned i = 0; i < count; i++) {
		struct trial *t = &trials[i];

		t->seed = seed + i;
		make(t, start);
		snprintf(t->name, sizeof(t->name), "kernel_%u", i);
		t->program = NULL;
		if (tile_create(&t->tiles.b, &t->program, &t->tiles.task.error))
			CHECK_FAIL("PTOWSP_SEED=%llu: %s", (unsigned long long)t->seed, t->tiles.task.error.text);
		else if (isa_program_unusable(t->program))
			CHECK_FAIL("PTOWSP_SEED=%llu: %s", (unsigned long long)t->seed, isa_program_unusable(t->program));
		else
			t->workspace = program_write(t->program, t->name);
		tile_finish(&t->tiles.b);
		made++;
	}
	if (flags)
		library = library_make(flags);
	for (unsigned i = 0; i < made; i++) {
		if (library && trials[i].program) {
			make(&trials[i], start); /* the windows again */
			trial_compare(&trials[i], library, &failed);
		}
		isa_program_destroy(trials[i].program);
	}
	if (library)
		dlclose(library);
	if (!getenv("PTOWSP_KEEP"))
		folder_remove();
	return failed;
}

static void random_programs_do_what_the_interpreter_does(void)
{
	const unsigned count = getenv("PTOWSP_SEED") ? 1 : BATCH;
	const unsigned rounds = getenv("PTOWSP_ROUNDS") ? (unsigned)atoi(getenv("PTOWSP_ROUNDS")) : 1;

	for (unsigned i = 0; i < rounds; i++) {
		const unsigned failed = batch_run(random_start() + i * 7919, count, make_random, i % 3 ? "-O2" : "-O0");

		CHECK(count == 1 || failed < count); /* most get to their end */
	}
}

static void random_programs_do_so_optimised(void)
{
	const unsigned count = getenv("PTOWSP_SEED") ? 1 : 6;

	if (PTOWSP_SANITIZER)
		CHECK_SKIP("compiling takes too long here; the release build does it");
	batch_run(random_start() + 1000, count, make_random, "-O3 -fno-math-errno");
}

/* A sanitizer looks at what writes the text, and not into what a compiler makes of it, which takes most of the time: one part of four is compiled there. */
static void every_operation_of_every_type_does_so(void)
{
	for (part_now = 0; part_now < 4; part_now++)
		batch_run(random_start() + part_now * 100, TILE_TYPES, make_all, PTOWSP_SANITIZER && part_now ? NULL : "-O0");
}

/* For 32 bits, by a compiler that has no library: plugins/aie/bare says all that is used of one. */
static void every_operation_of_every_type_is_c_for_a_core(void)
{
	char *errors = NULL;

	if (check_run("clang --print-targets | grep -q riscv32", NULL, NULL))
		CHECK_SKIP("clang has no target riscv32");
	for (part_now = 0; part_now < 4; part_now++) {
		folder_make();
		for (unsigned i = 0; i < TILE_TYPES; i++) {
			struct trial *t = &trials[i];

			t->seed = random_start() + part_now * 100 + i;
			make_all(t, start);
			snprintf(t->name, sizeof(t->name), "kernel_%u", i);
			REQUIRE_INT(tile_create(&t->tiles.b, &t->program, &t->tiles.task.error), 0);
			program_write(t->program, t->name);
			isa_program_destroy(t->program);
			tile_finish(&t->tiles.b);
		}
		if (check_run(check_fmt("clang --target=riscv32 -march=rv32im -mabi=ilp32 -std=gnu11 -fsyntax-only -Wall -Wextra -Wno-unused "
					"-Wno-tautological-compare -Werror -I'%s' "
					"-idirafter '%s/plugins/aie/bare' '%s'/*.c",
					folder, check_root(), folder),
			      NULL, &errors))
			CHECK_FAIL("part %u: %.1500s", part_now, errors);
		free(errors);
		folder_remove();
	}
}

void suite_emit(CU_pSuite s)
{
	TEST(s, random_programs_do_what_the_interpreter_does);
	TEST(s, random_programs_do_so_optimised);
	TEST(s, every_operation_of_every_type_does_so);
	TEST(s, every_operation_of_every_type_is_c_for_a_core);
}
