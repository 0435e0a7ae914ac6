/* SPDX-License-Identifier: MIT */
#include "tests/base/emit_trials.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa_program.h"
#include "ptowsp/note.h"
#include "tests/check.h"
#include "tests/isa/tile_random.h"

struct trial {
	uint64_t seed;
	struct isa_program *program;
	struct random_tiles tiles;
	char name[32];
};
static struct trial trials[TILE_TYPES];
static unsigned char start[RANDOM_WINDOWS][RANDOM_BYTES], first[RANDOM_WINDOWS][RANDOM_BYTES], second[RANDOM_WINDOWS][RANDOM_BYTES];
static const char *folder;
static const struct emit_way *way;

static const struct isa_emit_target *target(const char *name)
{
	const struct isa_emit_target *t = isa_emit_targets;

	while (t->name && strcmp(t->name, name))
		t++;
	return t;
}

void emit_headers_write(const char *below)
{
	for (const struct isa_text *text = isa_emit_headers; text->path; text++) {
		FILE *file;

		check_run(check_fmt("mkdir -p '%s/%.*s'", below, (int)(strrchr(text->path, '/') - text->path), text->path), NULL, NULL);
		file = fopen(check_fmt("%s/%s", below, text->path), "w");
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

	if (isa_emit(program, target(way->target), name, &text, &size, &error)) {
		CHECK_FAIL("%s", error.text);
		return;
	}
	CHECK(check_write(check_fmt("%s/%s.cpp", folder, name), text, size));
	fprintf(all, "namespace in_%s {\n#include \"%s.cpp\"\n}\n", name, name);
	free(text);
}

static void *library_make(void)
{
	char *errors = NULL;
	void *library = NULL;

	const char *flags = check_fmt(way->flags, check_fmt("%s/tests/emit", check_root()));

	if (check_run(check_fmt("c++ -std=c++17 -O0 -w -fPIC -shared -ffp-contract=off -I'%s' %s -x c++ '%s/all.cpp' -o '%s/all.so' -lpthread -lm", folder,
				flags, folder, folder),
		      NULL, &errors))
		CHECK_FAIL("c++: %.1500s", errors);
	else
		library = dlopen(check_fmt("%s/all.so", folder), RTLD_NOW | RTLD_LOCAL);
	free(errors);
	return library;
}

static void relocate(struct tile_task *task)
{
	task->task.tensors = task->tensors;
	task->task.args = task->args;
	task->out.error = &task->error;
}

/* One NaN is as good as another. */
static bool is_near(const struct trial *t, unsigned dtype, struct cell a, struct cell b)
{
	return cell_same(dtype, a, b) ||
	       (way->tolerance > 0 && (!way->near || way->near(t->program)) && fabs(a.f - b.f) <= way->tolerance * fmax(fabs(a.f), fabs(b.f)));
}

static void windows_compare(const struct trial *t)
{
	for (unsigned w = 0; w < RANDOM_WINDOWS; w++) {
		const unsigned dtype = t->tiles.b.params[w].dtype, bytes = cell_bytes(dtype);

		for (size_t at = (size_t)((unsigned char *)t->tiles.task.tensors[w].data - t->tiles.memory[w]); at + bytes <= RANDOM_BYTES; at += bytes) {
			if (!memcmp(first[w] + at, second[w] + at, bytes) ||
			    (cell_is_float(dtype) && is_near(t, dtype, cell_unpack(dtype, first[w] + at), cell_unpack(dtype, second[w] + at))))
				continue;
			CHECK_FAIL("PTOWSP_SEED=%llu, %s: window %u differs at byte %zu: %g, wanted %g", (unsigned long long)t->seed, t->name, w, at,
				   cell_is_float(dtype) ? cell_unpack(dtype, second[w] + at).f : (double)cell_unpack(dtype, second[w] + at).n,
				   cell_is_float(dtype) ? cell_unpack(dtype, first[w] + at).f : (double)cell_unpack(dtype, first[w] + at).n);
			return;
		}
	}
}

static bool multiplies(const struct isa_program *program)
{
	for (uint32_t i = 0; i < program->header.inst_count; i++)
		if (program->insts[i].op >= PTOWSP_PTO_TMATMUL && program->insts[i].op <= PTOWSP_PTO_TMATMUL_MX)
			return true;
	return false;
}

static void trial_compare(struct trial *t, void *library)
{
	struct tile_task one = random_tiles_task(&t->tiles, first), two = random_tiles_task(&t->tiles, second);
	void *function = way->make ? (void *)(uintptr_t)(t - trials) : dlsym(library, t->name);
	ptowsp_status want, got;

	relocate(&one);
	relocate(&two);
	REQUIRE(way->make || function != NULL);
	want = tile_run(&one, t->program);
	two.out.cycles = one.out.cycles;
	two.out.error->text[0] = '\0';
	got = way->call(function, &two.task, way->cycles ? &two.out.cycles : NULL);
	if (want != got || one.out.cycles != two.out.cycles)
		CHECK_FAIL("PTOWSP_SEED=%llu, %s: interpreter %d, %llu cycles, %s; emitted %d, %llu cycles", (unsigned long long)t->seed, t->name, want,
			   (unsigned long long)one.out.cycles, one.error.text, got, (unsigned long long)two.out.cycles);
	else if (!want && (way->products || !multiplies(t->program)))
		windows_compare(t);
}

static void trial_make(struct trial *t, int part)
{
	if (part < 0)
		random_tiles_make(&t->tiles, t->seed, start);
	else
		random_tiles_all(&t->tiles, t->seed, (unsigned)(t - trials), (unsigned)part, start);
}

void emit_trials_run(const struct emit_way *how, uint64_t seed, int part)
{
	struct isa_program *programs[TILE_TYPES];
	void *library;
	FILE *all = NULL;

	way = how;
	folder = check_tmp();
	if (!way->make) {
		emit_headers_write(folder);
		all = fopen(check_fmt("%s/all.cpp", folder), "w");
		REQUIRE(all != NULL);
		fprintf(all, "#include \"%s\"\n", way->header);
	}
	for (unsigned i = 0; i < TILE_TYPES; i++) {
		struct trial *t = &trials[i];

		t->seed = seed + i;
		trial_make(t, part);
		snprintf(t->name, sizeof(t->name), "kernel_%u", i);
		t->program = NULL;
		if (tile_create(&t->tiles.b, &t->program, &t->tiles.task.error))
			CHECK_FAIL("%s", t->tiles.task.error.text);
		else if (all)
			program_write(all, t->program, t->name);
		programs[i] = t->program;
		tile_finish(&t->tiles.b);
	}
	if (all)
		fclose(all);
	if (way->make)
		library = way->make(programs, TILE_TYPES) ? trials : NULL;
	else
		library = PTOWSP_SANITIZER && part > 0 ? NULL : library_make();
	for (unsigned i = 0; i < TILE_TYPES; i++) {
		if (library && trials[i].program) {
			trial_make(&trials[i], part); /* the windows again */
			trial_compare(&trials[i], library);
		}
		isa_program_destroy(trials[i].program);
	}
	if (way->make)
		way->finish();
	else if (library)
		dlclose(library);
}

const char *emit_kernels(const char *target_name)
{
	char *err = NULL;
	int code;

	folder = check_tmp();
	code = check_run(
		check_fmt("'%s/bin/ptowsp-pack' --emit=%s '%s/tests/emit/kernels.pto' -o '%s/emitted'", check_build(), target_name, check_root(), folder), NULL,
		&err);
	CHECK_STR(err, "");
	free(err);
	return code ? NULL : folder;
}

void emit_golden_compare(const char *target_name, const char *ending, const char *extension)
{
	static const char *const kernels[] = {"product_bf16", "silu_rows", "softmax_tile"};

	REQUIRE(emit_kernels(target_name) != NULL);
	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++) {
		char *got = check_read(check_fmt("%s/emitted/%s.%s", folder, kernels[i], extension), NULL), *want;

		REQUIRE(got != NULL);
		if (getenv("PTOWSP_UPDATE"))
			check_write(check_fmt("%s/tests/emit/%s%s", check_root(), kernels[i], ending), got, strlen(got));
		want = check_read(check_fmt("%s/tests/emit/%s%s", check_root(), kernels[i], ending), NULL);
		REQUIRE(want != NULL);
		CHECK_STR(got, want);
		free(got);
		free(want);
	}
}
