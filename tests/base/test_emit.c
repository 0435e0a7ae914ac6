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
#include "isa/emit/emit_core.h"
#include "ptowsp/note.h"
#include "registry/common/common_text.h"
#include "tests/base/emit_trials.h"
#include "tests/check.h"
#include "tests/isa/random_tiles.h"
#include "tests/isa/tile_random.h"

enum { BATCH = 26, PRODUCTS = 9 };

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
	CHECK_INT(isa_emit_workspace(program, isa_emit_targets, &bytes, &error), 0);
	free(text);
	return bytes;
}

/* What compiles all. */
static const char *compiler = "cc -std=c11";

/* All .c files of the folder in one library. */
static void *library_make(const char *flags)
{
	char *errors;
	const int code = check_run(check_fmt("%s -DTILE_ONE_MACHINE -Wall -Wextra -Wno-unused -Wno-tautological-compare -Wno-type-limits -Wno-bool-compare "
					     "-Wno-aggressive-loop-optimizations -Werror %s -fPIC -shared -ffp-contract=off -fvisibility=hidden "
					     "-I'%s' '%s'/*.c -o '%s/all.so' -lm",
					     compiler, flags, folder, folder, folder),
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

static void make_any_shape(struct trial *t, unsigned char (*memory)[RANDOM_BYTES])
{
	random_tiles_shape(&t->tiles, t->seed, true, memory);
}

static void make_17x5(struct trial *t, unsigned char (*memory)[RANDOM_BYTES])
{
	random_tiles_shape(&t->tiles, t->seed, false, memory);
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

/* ---- for a core ----------------------------------------------------------------------------------------------------------- */

/* Cores have elements of a row one behind the other, at multiples of their size. */
static void windows_for_core(struct trial *t)
{
	for (unsigned w = 0; w < t->tiles.task.task.tensor_count; w++) {
		struct ptowsp_tensor_arg *window = &t->tiles.task.tensors[w];

		if (window->column_stride != 1)
			tile_grid(&t->tiles.task, w, window->data, window->dtype, 40, 80, 97, 1);
		if ((uintptr_t)window->data % 8)
			window->data = t->tiles.memory[w] + 8;
	}
}

static void make_random_core(struct trial *t, unsigned char (*memory)[RANDOM_BYTES])
{
	make_random(t, memory);
	windows_for_core(t);
}

static void make_all_core(struct trial *t, unsigned char (*memory)[RANDOM_BYTES])
{
	make_all(t, memory);
	windows_for_core(t);
}

/* Three windows of one memory, at several distances and strides: sums, products and reductions of what is loaded there and stored there again. */
static void make_shared_core(struct trial *t, unsigned char (*memory)[RANDOM_BYTES])
{
	static const unsigned twos[] = {PTOWSP_PTO_TADD, PTOWSP_PTO_TSUB, PTOWSP_PTO_TMUL, PTOWSP_PTO_TMAX};
	struct random_tiles *r = &t->tiles;
	struct tile_builder *b = &r->b;
	unsigned tiles[5], row;
	float value;

	random_seed = t->seed;
	r->memory = memory;
	tile_begin(b, check_fmt("shared_%llu", (unsigned long long)t->seed));
	tile_task_begin(&r->task);
	for (unsigned w = 0; w < RANDOM_WINDOWS; w++)
		tile_param(b, "", PTOWSP_F32);
	for (unsigned k = 0; k < 4; k++) {
		tiles[k] = tile_tile(b, "", 8, 8, PTOWSP_F32);
		tile_op(b, PTOWSP_PTO_TLOAD, tiles[k], random_below(3), tile_int(b, random_below(3)), tile_int(b, random_below(12)));
	}
	row = tiles[4] = tile_tile(b, "", 8, 1, PTOWSP_F32);
	for (unsigned k = 4 + random_below(20); k > 0; k--) {
		const unsigned tile = tiles[random_below(4)], one = tiles[random_below(4)], other = tiles[random_below(4)];

		switch (random_below(7)) {
		case 0: tile_op(b, PTOWSP_PTO_TLOAD, tile, random_below(3), tile_int(b, random_below(3)), tile_int(b, random_below(12))); break;
		case 1: tile_op(b, PTOWSP_PTO_TMATMUL, tile, one, other); break;
		case 2: tile_op(b, PTOWSP_PTO_TMATMUL_ACC, tile, tile, one, other); break;
		case 3:
			tile_op(b, PTOWSP_PTO_TROWMAX, row, one);
			tile_op(b, PTOWSP_PTO_TROWEXPANDSUB, tile, other, row);
			break;
		case 4: tile_op(b, twos[random_below(4)], tile, one, other); break;
		default: tile_op(b, PTOWSP_PTO_TSTORE, tile, random_below(3), tile_int(b, random_below(3)), tile_int(b, random_below(12))); break;
		}
	}
	for (unsigned w = 0; w < RANDOM_WINDOWS; w++)
		b->params[w].access |= PTOWSP_READ;
	for (unsigned w = 0; w < RANDOM_WINDOWS; w++)
		for (size_t at = 0; at < RANDOM_BYTES; at += sizeof(value)) {
			value = (float)random_below(9) - 4;
			memcpy(memory[w] + at, &value, sizeof(value));
		}
	tile_window(&r->task, 0, memory[0] + 256, PTOWSP_F32, 2000);
	tile_window(&r->task, 1, memory[0] + 256 + sizeof(value) * random_below(80), PTOWSP_F32, 2000);
	tile_grid(&r->task, 2, memory[0] + 256 + sizeof(value) * random_below(40), PTOWSP_F32, 40, 24, random_below(2) ? 24 : 30, 1);
	for (unsigned w = 3; w < RANDOM_WINDOWS; w++)
		tile_window(&r->task, w, memory[w] + 256, PTOWSP_F32, 2000);
}

/* Products of each type, of any shape up to 20, with a start, a bias and none. No number is -0, to which the 0s that fill a block for a unit may not be added. */
static void make_products_core(struct trial *t, unsigned char (*memory)[RANDOM_BYTES])
{
	static const unsigned dtypes[PRODUCTS][2] = {{PTOWSP_BF16, PTOWSP_F32}, {PTOWSP_BF16, PTOWSP_BF16}, {PTOWSP_I8, PTOWSP_I32},
						     {PTOWSP_U8, PTOWSP_I32},   {PTOWSP_I16, PTOWSP_I32},   {PTOWSP_U16, PTOWSP_U32},
						     {PTOWSP_I32, PTOWSP_I32},  {PTOWSP_U32, PTOWSP_U32},   {PTOWSP_F32, PTOWSP_F32}};
	struct random_tiles *r = &t->tiles;
	struct tile_builder *b = &r->b;
	unsigned m, k, n, from, to, tiles[5];

	random_seed = t->seed;
	r->memory = memory;
	m = 1 + random_below(20), k = 1 + random_below(20), n = 1 + random_below(20);
	from = (unsigned)(t - trials) % PRODUCTS, to = dtypes[from][1], from = dtypes[from][0];
	tile_begin(b, check_fmt("products_%llu", (unsigned long long)t->seed));
	tile_task_begin(&r->task);
	for (unsigned w = 0; w < RANDOM_WINDOWS; w++)
		tile_param(b, "", w < 2 ? from : to);
	tiles[0] = tile_tile(b, "", m, k, from), tiles[1] = tile_tile(b, "", k, n, from), tiles[2] = tile_tile(b, "", m, n, to);
	tiles[3] = tile_tile(b, "", 1, n, to), tiles[4] = tile_tile(b, "", m, n, to);
	for (unsigned i = 0; i < 4; i++)
		tile_op(b, PTOWSP_PTO_TLOAD, tiles[i], i < 3 ? i : 2, tile_int(b, 0), tile_int(b, 0));
	tile_op(b, PTOWSP_PTO_TMATMUL, tiles[4], tiles[0], tiles[1]);
	tile_op(b, PTOWSP_PTO_TMATMUL_ACC, tiles[4], tiles[4], tiles[0], tiles[1]);
	tile_op(b, PTOWSP_PTO_TSTORE, tiles[4], 3, tile_int(b, 0), tile_int(b, 0));
	tile_op(b, PTOWSP_PTO_TMATMUL_ACC, tiles[4], tiles[2], tiles[0], tiles[1]);
	tile_op(b, PTOWSP_PTO_TSTORE, tiles[4], 4, tile_int(b, 0), tile_int(b, 0));
	tile_op(b, PTOWSP_PTO_TMATMUL_BIAS, tiles[4], tiles[0], tiles[1], tiles[3]);
	tile_op(b, PTOWSP_PTO_TSTORE, tiles[4], 2, tile_int(b, 0), tile_int(b, 0));
	for (unsigned w = 0; w < RANDOM_WINDOWS; w++) {
		const unsigned dtype = w < 2 ? from : to;

		b->params[w].access |= PTOWSP_READ;
		for (size_t at = 0; at < RANDOM_BYTES; at += cell_bytes(dtype))
			cell_pack(dtype,
				  (struct cell){.f = cell_round(dtype, ((int)random_below(2001) - 1000) / 256.0),
						.n = cell_is_float(dtype) ? 0 : random_integer(dtype)},
				  memory[w] + at);
		tile_window(&r->task, w, memory[w] + 256, dtype, 400);
	}
}

/* The first window of the same memory. */
static unsigned shared_with(const struct trial *t, unsigned window)
{
	const struct ptowsp_tensor_arg *windows = t->tiles.task.tensors;
	unsigned w = 0;

	while (((unsigned char *)windows[w].data - t->tiles.memory[0]) / RANDOM_BYTES !=
	       ((unsigned char *)windows[window].data - t->tiles.memory[0]) / RANDOM_BYTES)
		w++;
	return w;
}

/* Elements of a window in front of its object, whose place is taken from the first window in it. */
static int64_t before_of(const struct trial *t, unsigned window)
{
	const struct ptowsp_tensor_arg *windows = t->tiles.task.tensors;
	const unsigned first_one = shared_with(t, window);

	return (int64_t)first_one - 3 -
	       ((unsigned char *)windows[window].data - (unsigned char *)windows[first_one].data) / (int64_t)cell_bytes(windows[window].dtype);
}

/* NAME.c, with a function of one type for all kernels behind it. Objects begin somewhere else than windows. */
static void core_write(struct trial *t)
{
	struct isa_core_window windows[TILE_PARAMS];
	const struct ptowsp_task *task = &t->tiles.task.task;
	const struct isa_core_function function = {
		.symbol = t->name, .windows = windows, .tensors = task->tensor_count, .scalars = task->arg_count, .blocks = 1};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct common_text text = {0};
	char *products = NULL, *code = NULL;

	for (unsigned w = 0; w < task->tensor_count; w++)
		windows[w] = (struct isa_core_window){.rows = t->tiles.task.tensors[w].rows,
						      .columns = t->tiles.task.tensors[w].columns,
						      .stride = t->tiles.task.tensors[w].row_stride,
						      .before = before_of(t, w),
						      .same = shared_with(t, w)};
	if (isa_emit_core(t->program, &function, &products, &code, &t->workspace, &error)) {
		CHECK_FAIL("%s", error.text);
		return;
	}
	common_text_add(
		&text,
		"#include \"isa/kernel_core.h\"\n#ifdef __cplusplus\nstruct any {\n\tvoid *at;\n\ttemplate <typename T> operator T *() const { return "
		"(T *)at; }\n};\n#define ANY(at) any{at}\n#else\n#define ANY(at) at\n#endif\n%s%s\nTILE_KERNEL void call_%s(void *const *tensors, const "
		"uint64_t *args);\n",
		products ? products : "", code, t->name);
	common_text_add(
		&text, "TILE_KERNEL __attribute__((visibility(\"default\"))) void call_%s(void *const *tensors, const uint64_t *args)\n{\n\t(void)args;\n\t%s(",
		t->name, t->name);
	for (unsigned i = 0; i < task->tensor_count; i++)
		common_text_add(&text, "%sANY(tensors[%u])", i ? ", " : "", i);
	for (unsigned i = 0; i < task->arg_count; i++)
		common_text_add(&text, ", (int64_t)args[%u]", i);
	common_text_put(&text, ");\n}\n");
	CHECK(check_write(check_fmt("%s/%s.c", folder, t->name), text.bytes, text.length));
	common_text_finish(&text);
	free(products);
	free(code);
}

/* What the interpreter refuses a core does not look at, so there is nothing to compare. */
static bool core_runs(struct trial *t)
{
	struct tile_task task = task_of(t, first);

	relocate(&task);
	return !tile_run(&task, t->program);
}

static void core_compare(struct trial *t, void *library)
{
	struct tile_task one = task_of(t, first), two = task_of(t, second);
	void *objects[TILE_PARAMS];
	void (*fn)(void *const *tensors, const uint64_t *args);

	relocate(&one);
	relocate(&two);
	for (unsigned w = 0; w < two.task.tensor_count; w++)
		objects[w] = (unsigned char *)two.tensors[w].data + before_of(t, w) * (int64_t)cell_bytes(two.tensors[w].dtype);
	*(void **)&fn = dlsym(library, check_fmt("call_%s", t->name));
	if (!fn)
		CHECK_FAIL("%s is not in the library", t->name);
	else {
		CHECK_INT(tile_run(&one, t->program), 0);
		fn(objects, two.args);
		windows_agree(t);
	}
}

/* Programs that can run, in one library. How many of them failed in both. flags: of the compiler; NULL: they are only written. */
static unsigned batch_run(uint64_t seed, unsigned count, make_fn make, const char *flags)
{
	const bool core = make == make_random_core || make == make_all_core || make == make_shared_core || make == make_products_core;
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
		else if (core && core_runs(t))
			core_write(t);
		else if (core)
			failed++;
		else
			t->workspace = program_write(t->program, t->name);
		tile_finish(&t->tiles.b);
		made++;
	}
	if (flags)
		library = library_make(flags);
	for (unsigned i = 0; i < made; i++) {
		make(&trials[i], start); /* the windows again */
		if (library && trials[i].program && !core)
			trial_compare(&trials[i], library, &failed);
		else if (library && trials[i].program && core_runs(&trials[i]))
			core_compare(&trials[i], library);
		isa_program_destroy(trials[i].program);
	}
	if (library)
		dlclose(library);
	if (!getenv("PTOWSP_KEEP"))
		folder_remove();
	return failed;
}

TEST(random_programs_do_what_the_interpreter_does)
{
	const unsigned count = getenv("PTOWSP_SEED") ? 1 : BATCH;
	const unsigned rounds = getenv("PTOWSP_ROUNDS") ? (unsigned)atoi(getenv("PTOWSP_ROUNDS")) : 1;

	for (unsigned i = 0; i < rounds; i++) {
		const unsigned failed = batch_run(random_start() + i * 7919, count, make_random, i % 3 ? "-O2" : "-O0");

		CHECK(count == 1 || failed < count); /* most get to their end */
	}
}

TEST(random_programs_do_so_optimised)
{
	const unsigned count = getenv("PTOWSP_SEED") ? 1 : 6;

	if (PTOWSP_SANITIZER)
		CHECK_SKIP("compiling takes too long here; the release build does it");
	batch_run(random_start() + 1000, count, make_random, "-O3 -fno-math-errno");
}

/* gcc 12.2 lost rows of tcolmax and tcolmin of 17 x 5 integers: its PR 107212. */
TEST(reductions_of_any_shape_do_so_optimised)
{
	const bool one = getenv("PTOWSP_SEED") != NULL;
	const uint64_t i32_and_i64 = random_start() / TILE_TYPES * TILE_TYPES + 6;
	const unsigned rounds = getenv("PTOWSP_ROUNDS") ? (unsigned)atoi(getenv("PTOWSP_ROUNDS")) : 1;

	if (PTOWSP_SANITIZER)
		CHECK_SKIP("compiling takes too long here; the release build does it");
	CHECK_INT(batch_run(one ? random_start() : i32_and_i64, one ? 1 : 2, make_17x5, "-O3 -fno-math-errno"), 0);
	for (unsigned i = 0; i < rounds; i++)
		CHECK_INT(batch_run(random_start() + i * 7919, one ? 1 : TILE_TYPES, make_any_shape, "-O3 -fno-math-errno"), 0);
}

/* A sanitizer looks at what writes the text, and not into what a compiler makes of it, which takes most of the time: one part of four is compiled there. */
TEST(every_operation_of_every_type_does_so)
{
	for (part_now = 0; part_now < 4; part_now++)
		batch_run(random_start() + part_now * 100, TILE_TYPES, make_all, PTOWSP_SANITIZER && part_now ? NULL : "-O0");
}

/* Windows as numbers, tiles in windows, memory for the others alone. */
TEST(functions_for_cores_have_the_bits_of_the_interpreter)
{
	const unsigned count = getenv("PTOWSP_SEED") ? 1 : BATCH;
	const unsigned rounds = getenv("PTOWSP_ROUNDS") ? (unsigned)atoi(getenv("PTOWSP_ROUNDS")) : 1;

	for (unsigned i = 0; i < rounds; i++) {
		const unsigned failed = batch_run(random_start() + 2000 + i * 7919, count, make_random_core, i % 2 ? "-O2 -DTILE_EXACT" : "-O0 -DTILE_EXACT");

		CHECK(count == 1 || failed < count);
		CHECK_INT(batch_run(random_start() + 3000 + i * 7919, count, make_shared_core, i % 2 ? "-O0" : "-O2"), 0);
	}
	for (part_now = 0; part_now < 4; part_now++)
		batch_run(random_start() + part_now * 100, TILE_TYPES, make_all_core, PTOWSP_SANITIZER && part_now ? NULL : "-O1 -DTILE_EXACT");
}

/* In C, and in C++ on what stands for aie_api: by the unit of either core. */
TEST(products_in_blocks_have_the_bits_of_the_interpreter)
{
	const char *const plain = compiler;
	char unit[600];

	CHECK_INT(batch_run(random_start() + 4000, PRODUCTS, make_products_core, "-O2"), 0);
	for (unsigned core = 20; core <= 21; core++) {
		snprintf(unit, sizeof(unit), "c++ -x c++ -std=c++20 -fno-strict-aliasing -D__AIE_ARCH__=%u -I'%s/tests/fakes'", core, check_root());
		compiler = unit;
		CHECK_INT(batch_run(random_start() + 4000, PRODUCTS, make_products_core, core == 20 ? "-O1" : "-O2"), 0);
	}
	compiler = plain;
}

/* For 32 bits, by a compiler that has no library: plugins/aie/bare says all that is used of one. It is C++ as well, which aie_api is. */
TEST(every_operation_of_every_type_is_c_for_a_core)
{
	static const char *const languages[] = {"-std=gnu11", "-x c++ -std=c++20 -nostdinc++"};
	char *errors = NULL;

	if (check_run("clang --print-targets | grep -q riscv32", NULL, NULL))
		CHECK_SKIP("clang has no target riscv32");
	for (part_now = 0; part_now < 4; part_now++) {
		folder_make();
		for (unsigned i = 0; i < TILE_TYPES; i++) {
			struct trial *t = &trials[i];

			t->seed = random_start() + part_now * 100 + i;
			make_all_core(t, start);
			snprintf(t->name, sizeof(t->name), "kernel_%u", i);
			REQUIRE_INT(tile_create(&t->tiles.b, &t->program, &t->tiles.task.error), 0);
			core_write(t);
			isa_program_destroy(t->program);
			tile_finish(&t->tiles.b);
		}
		for (size_t l = 0; l < sizeof(languages) / sizeof(*languages); l++) {
			if (check_run(check_fmt("clang --target=riscv32 -march=rv32im -mabi=ilp32 %s -fsyntax-only -Wall -Wextra -Wno-unused "
						"-Wno-tautological-compare -Werror -I'%s' "
						"-idirafter '%s/plugins/aie/bare' '%s'/*.c",
						languages[l], folder, check_root(), folder),
				      NULL, &errors))
				CHECK_FAIL("part %u, %s: %.1500s", part_now, languages[l], errors);
			free(errors);
		}
		folder_remove();
	}
}
