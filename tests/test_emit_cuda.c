/* SPDX-License-Identifier: MIT
 * test_emit_cuda.c - emitted CUDA: every operation of every type against the interpreter, run by a block of threads on the host (tests/emit/cuda_host.h); what
 * compilers for CUDA make of it, where there are some; the text of three kernels. PTOWSP_SEED=n repeats a trial. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "isa/emit.h"
#include "random_tiles.h"
#include "tile_random.h"

struct trial {
	uint64_t seed;
	struct isa_program *program;
	struct random_tiles tiles;
	char name[32];
};
static struct trial trials[TILE_TYPES];
static unsigned char start[RANDOM_WINDOWS][RANDOM_BYTES], first[RANDOM_WINDOWS][RANDOM_BYTES], second[RANDOM_WINDOWS][RANDOM_BYTES];
static const char *folder;

static const struct isa_emit_target *target(const char *name)
{
	const struct isa_emit_target *t = isa_emit_targets;

	while (t->name && strcmp(t->name, name))
		t++;
	return t;
}

static void headers_write(void)
{
	for (const struct isa_text *text = isa_emit_headers; text->path; text++) {
		FILE *file;

		check_run(check_fmt("mkdir -p '%s/%.*s'", folder, (int)(strrchr(text->path, '/') - text->path), text->path), NULL, NULL);
		file = fopen(check_fmt("%s/%s", folder, text->path), "w");
		REQUIRE(file != NULL);
		for (const char *const *line = text->lines; *line; line++)
			fputs(*line, file);
		fclose(file);
	}
}

/* Each kernel in a namespace: their tables have the same names. */
static void program_write(FILE *all, const struct isa_program *program, const char *name)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	char *text;
	size_t size;

	if (isa_emit(program, target("cuda"), name, &text, &size, &error)) {
		CHECK_FAIL("%s", error.text);
		return;
	}
	CHECK(check_write(check_fmt("%s/%s.cu", folder, name), text, size));
	fprintf(all, "namespace in_%s {\n#include \"%s.cu\"\n}\n", name, name);
	free(text);
}

static void *library_make(void)
{
	char *errors = NULL;
	void *library = NULL;

	if (check_run(check_fmt("c++ -std=c++17 -O0 -w -fPIC -shared -ffp-contract=off -I'%s' -include '%s/tests/emit/cuda_host.h' -x c++ '%s/all.cu' -o '%s/all.so' "
				"-lpthread -lm",
				folder, check_root(), folder, folder),
		      NULL, &errors))
		CHECK_FAIL("c++: %.1500s", errors);
	else
		library = dlopen(check_fmt("%s/all.so", folder), RTLD_NOW | RTLD_LOCAL);
	free(errors);
	return library;
}

static struct tile_task task_of(const struct trial *t, unsigned char (*memory)[RANDOM_BYTES])
{
	struct tile_task task = t->tiles.task;

	for (unsigned w = 0; w < RANDOM_WINDOWS; w++)
		task.tensors[w].data = memory[w] + ((unsigned char *)task.tensors[w].data - t->tiles.memory[w]);
	memcpy(memory, t->tiles.memory, sizeof(start));
	return task;
}

static void relocate(struct tile_task *task)
{
	task->task.tensors = task->tensors;
	task->task.args = task->args;
	task->out.error = &task->error;
}

/* One NaN is as good as another. */
static void windows_compare(const struct trial *t)
{
	for (unsigned w = 0; w < RANDOM_WINDOWS; w++) {
		const unsigned dtype = t->tiles.b.params[w].dtype, bytes = cell_bytes(dtype);

		for (size_t at = (size_t)((unsigned char *)t->tiles.task.tensors[w].data - t->tiles.memory[w]); at + bytes <= RANDOM_BYTES; at += bytes) {
			if (!memcmp(first[w] + at, second[w] + at, bytes) ||
			    (cell_is_float(dtype) && cell_same(dtype, cell_unpack(dtype, first[w] + at), cell_unpack(dtype, second[w] + at))))
				continue;
			CHECK_FAIL("PTOWSP_SEED=%llu, %s: window %u differs at byte %zu", (unsigned long long)t->seed, t->name, w, at);
			return;
		}
	}
}

static void trial_compare(struct trial *t, void *library)
{
	struct tile_task one = task_of(t, first), two = task_of(t, second);
	ptowsp_kernel_fn fn;
	ptowsp_status want, got;

	relocate(&one);
	relocate(&two);
	*(void **)&fn = dlsym(library, t->name);
	REQUIRE(fn != NULL);
	want = tile_run(&one, t->program);
	got = fn(&two.task, &two.out);
	if (want != got || one.out.cycles != two.out.cycles)
		CHECK_FAIL("PTOWSP_SEED=%llu, %s: interpreter %d, %llu cycles, %s; CUDA %d, %llu cycles", (unsigned long long)t->seed, t->name, want,
			   (unsigned long long)one.out.cycles, one.error.text, got, (unsigned long long)two.out.cycles);
	else if (!want)
		windows_compare(t);
}

/* What fills a trial from its seed; part: of all operations. */
typedef void (*make_fn)(struct trial *t, unsigned part);

static void make_all(struct trial *t, unsigned part)
{
	random_tiles_all(&t->tiles, t->seed, (unsigned)(t - trials), part, start);
}

static void make_random(struct trial *t, unsigned part)
{
	(void)part;
	random_tiles_make(&t->tiles, t->seed, start);
}

static void batch_run(uint64_t seed, unsigned part, make_fn make)
{
	void *library;
	FILE *all;

	folder = check_tmp();
	headers_write();
	all = fopen(check_fmt("%s/all.cu", folder), "w");
	REQUIRE(all != NULL);
	fprintf(all, "#include \"isa/kernel_cuda.h\"\n");
	for (unsigned i = 0; i < TILE_TYPES; i++) {
		struct trial *t = &trials[i];

		t->seed = seed + i;
		make(t, part);
		snprintf(t->name, sizeof(t->name), "kernel_%u", i);
		t->program = NULL;
		if (tile_create(&t->tiles.b, &t->program, &t->tiles.task.error))
			CHECK_FAIL("%s", t->tiles.task.error.text);
		else
			program_write(all, t->program, t->name);
	}
	fclose(all);
	library = library_make();
	for (unsigned i = 0; i < TILE_TYPES; i++) {
		if (library && trials[i].program) {
			make(&trials[i], part); /* the windows again */
			tile_finish(&trials[i].tiles.b);
			trial_compare(&trials[i], library);
		}
		isa_program_destroy(trials[i].program);
	}
	if (library)
		dlclose(library);
}

static void every_operation_of_every_type_does_what_the_interpreter_does(void)
{
	for (unsigned part = 0; part < 4; part++)
		batch_run(random_start() + part * 100, part, make_all);
}

static void random_programs_do_what_the_interpreter_does(void)
{
	batch_run(random_start(), 0, make_random);
}

/* ---- compilers ------------------------------------------------------------------------------------------------------ */

static bool kernels_emit(void)
{
	char *err = NULL;
	int code;

	folder = check_tmp();
	code = check_run(check_fmt("'%s/bin/ptowsp-pack' --emit=cuda '%s/tests/emit/kernels.pto' -o '%s/emitted'", check_build(), check_root(), folder), NULL, &err);
	CHECK_STR(err, "");
	free(err);
	return code == 0;
}

static void compile(const char *tool, const char *command)
{
	char *out = NULL, *err = NULL;

	if (check_run(check_fmt("%s --version", tool), NULL, NULL))
		CHECK_SKIP("not compiled here: there is no such compiler");
	/* One that cannot compile a kernel of nothing is none. */
	folder = check_tmp();
	CHECK(check_write(check_fmt("%s/empty.cu", folder), "\n", 1));
	if (check_run(check_fmt("cd '%s' && %s empty.cu", folder, command), NULL, NULL))
		CHECK_SKIP("not compiled here: the compiler does not know CUDA");
	REQUIRE(kernels_emit());
	CHECK_INT(check_run(check_fmt("cd '%s/emitted' && for k in *.cu; do %s $k || exit; done", folder, command), &out, &err), 0);
	CHECK_STR(out, "");
	if (strstr(err, "error"))
		CHECK_FAIL("%.1000s", err);
	free(out);
	free(err);
}

static void nvcc_compiles_the_kernels(void)
{
	compile("nvcc", "nvcc -fmad=false -I. -cubin -o k.cubin");
}

static void clang_compiles_the_kernels_without_the_cuda_headers(void)
{
	compile("clang", "clang -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_70 -Wno-unknown-cuda-version -ffp-contract=off -O1 -I. -S -o k.ptx");
}

static void emitted_text_is_what_is_kept(void)
{
	static const char *const kernels[] = {"product_bf16", "silu_rows", "softmax_tile"};

	REQUIRE(kernels_emit());
	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++) {
		char *got = check_read(check_fmt("%s/emitted/%s.cu", folder, kernels[i]), NULL), *want;

		REQUIRE(got != NULL);
		if (getenv("PTOWSP_UPDATE"))
			check_write(check_fmt("%s/tests/emit/%s.cu", check_root(), kernels[i]), got, strlen(got));
		want = check_read(check_fmt("%s/tests/emit/%s.cu", check_root(), kernels[i]), NULL);
		REQUIRE(want != NULL);
		CHECK_STR(got, want);
		free(got);
		free(want);
	}
}

void suite_emit_cuda(CU_pSuite s);
void suite_emit_cuda(CU_pSuite s)
{
	TEST(s, every_operation_of_every_type_does_what_the_interpreter_does);
	TEST(s, random_programs_do_what_the_interpreter_does);
	TEST(s, nvcc_compiles_the_kernels);
	TEST(s, clang_compiles_the_kernels_without_the_cuda_headers);
	TEST(s, emitted_text_is_what_is_kept);
}
