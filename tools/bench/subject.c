/* SPDX-License-Identifier: MIT */
#include "tools/bench/subject.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "lang/lang.h"
#include "tools/bench/spin.h"

#define PATH_SIZE 4096
#define FOLDER "../obj/tools/bench/shapes" /* seen from the folder of packages: both lie in the build's */

/* ---- a package ----------------------------------------------------------------------------------------------------- */

static ptowsp_status file_read(const struct bench_options *options, const char *name, void **bytes_out, size_t *size_out, struct ptowsp_error *error)
{
	char path[PATH_SIZE];
	long size = -1;
	FILE *f;

	*bytes_out = NULL;
	snprintf(path, sizeof(path), "%s/" FOLDER "/%s", options->packages, name);
	f = fopen(path, "rb");
	if (f && !fseek(f, 0, SEEK_END) && (size = ftell(f)) >= 0 && !fseek(f, 0, SEEK_SET))
		*bytes_out = malloc((size_t)size + 1);
	*size_out = *bytes_out ? fread(*bytes_out, 1, (size_t)size, f) : 0;
	if (f)
		fclose(f);
	if (*bytes_out && *size_out == (size_t)size)
		return PTOWSP_OK;
	free(*bytes_out);
	*bytes_out = NULL;
	snprintf(error->text, sizeof(error->text), "%.100s cannot be read; give --packages the folder of packages of a build", path);
	return PTOWSP_IO;
}

struct reading {
	const struct bench_options *options;
};

static ptowsp_status native_read(void *context, uint32_t source, const char *file, void **bytes_out, size_t *size_out, struct ptowsp_error *error)
{
	(void)source;
	return file_read(((const struct reading *)context)->options, file, bytes_out, size_out, error);
}

/* The nest's source and that of the kernels, packed in memory. */
static ptowsp_status wild_pack(struct bench_subject *s, size_t *size_out, struct ptowsp_error *error)
{
	struct reading reading = {s->options};
	struct lang_options options = {.name = "wild", .read = native_read, .context = &reading};
	struct lang_source sources[2] = {{.name = "step.pto"}, {.name = "wild.pto"}};
	struct lang_diagnostics *messages = NULL;
	struct pkg_writer *writer = pkg_writer_create();
	void *kernels = NULL;
	ptowsp_status st = writer ? file_read(s->options, "step.pto", &kernels, &sources[0].size, error) : PTOWSP_NO_MEMORY;

	sources[0].text = kernels;
	sources[1].text = bench_wild_source(s->wild, &sources[1].size);
	if (!st)
		st = lang_compile(writer, sources, 2, &options, &messages, error);
	if (!st)
		st = pkg_writer_seal(writer, &s->bytes, size_out, error);
	lang_diagnostics_destroy(messages);
	pkg_writer_destroy(writer);
	free(kernels);
	return st;
}

static ptowsp_status package_open(struct bench_subject *s, struct ptowsp_error *error)
{
	char path[PATH_SIZE];
	size_t size;
	ptowsp_status st;

	if (!s->wild) {
		snprintf(path, sizeof(path), "%s/" FOLDER "/%s.pkg.zst", s->options->packages, s->shape->name);
		return ptowsp_package_open(&s->package, path, 0, error);
	}
	st = wild_pack(s, &size, error);
	return st ? st : ptowsp_package_open_memory(&s->package, s->bytes, size, s->shape->name, 0, error);
}

/* ---- a program ----------------------------------------------------------------------------------------------------- */

static ptowsp_status program_load(struct bench_subject *s, struct ptowsp_error *error)
{
	const struct ptowsp_plan_options plan = {.schedule = s->schedule, .schedule_count = s->schedule_count};
	const struct ptowsp_backend_options backend = {.plugin = s->options->plugin ? s->options->plugin : "cpu_sim", .threads = s->threads,
						       .isolate = PTOWSP_ISOLATE_NONE, .flags = PTOWSP_BACKEND_TRUST_NATIVE};
	char n[24];
	ptowsp_status st = ptowsp_plan_create(&s->plan, s->package, &plan, error);

	if (!st)
		st = ptowsp_backend_open(&s->backend, &backend, error);
	if (!st)
		st = ptowsp_program_load(&s->program, s->backend, s->plan, PTOWSP_LOAD_TRUST_NATIVE, error);
	snprintf(n, sizeof(n), "%u", s->n);
	return st ? st : ptowsp_value_set(s->program, "n", n, error);
}

/* What a tensor begins with, each time a run is prepared. */
static ptowsp_status fill(void *context, void *data, uint64_t elements, struct ptowsp_error *error)
{
	const struct bench_filling *filling = context;

	(void)error;
	bench_shape_fill(filling->shape, filling->tensor, data, elements);
	return PTOWSP_OK;
}

static ptowsp_status tensors_fill(struct bench_subject *s)
{
	struct ptowsp_tensor_info info;

	for (; ptowsp_plan_tensor(s->plan, s->tensors, &info); s->tensors++) {
		if (s->tensors == BENCH_NEST_TENSORS)
			return PTOWSP_TOO_BIG;
		s->fillings[s->tensors] = (struct bench_filling){s->shape, s->tensors};
		ptowsp_tensor_fill(s->program, s->tensors, fill, &s->fillings[s->tensors]);
	}
	return PTOWSP_OK;
}

/* ---- by hand ------------------------------------------------------------------------------------------------------- */

static void nest_fill(struct bench_subject *s)
{
	for (unsigned i = 0; i < s->tensors; i++)
		bench_shape_fill(s->shape, i, s->nest.tensors[i], s->elements[i]);
}

/* Tensors as large as the program's, and what one walk leaves in them. */
static ptowsp_status nest_make(struct bench_subject *s)
{
	double ns;

	for (unsigned i = 0; i < s->tensors; i++) {
		struct ptowsp_tensor_view view;

		ptowsp_tensor_view(s->program, i, &view);
		s->elements[i] = view.elements;
		s->nest.columns[i] = view.extents[view.rank - 1];
		s->nest.tensors[i] = calloc(view.elements + 1, sizeof(uint32_t));
		s->expected[i] = calloc(view.elements + 1, sizeof(uint32_t));
		if (!s->nest.tensors[i] || !s->expected[i])
			return PTOWSP_NO_MEMORY;
	}
	s->nest.n = s->n;
	s->nest.kernel = step;
	bench_subject_nest(s, &ns);
	s->tasks = s->nest.number;
	for (unsigned i = 0; i < s->tensors; i++)
		memcpy(s->expected[i], s->nest.tensors[i], s->elements[i] * sizeof(uint32_t));
	s->bad_tensors = 0; /* there was nothing yet to be like */
	return PTOWSP_OK;
}

static void compare(struct bench_subject *s, unsigned tensor, const uint32_t *data)
{
	s->bad_tensors += memcmp(data, s->expected[tensor], s->elements[tensor] * sizeof(uint32_t)) != 0;
}

static void nest_compare(struct bench_subject *s)
{
	for (unsigned i = 0; i < s->tensors; i++)
		compare(s, i, s->nest.tensors[i]);
}

void bench_subject_nest(struct bench_subject *s, double *ns_out)
{
	uint64_t began;

	nest_fill(s);
	began = bench_now_ns();
	bench_nest_walk(&s->nest, s->shape);
	*ns_out = (double)(bench_now_ns() - began);
	nest_compare(s);
}

ptowsp_status bench_subject_order(struct bench_subject *s, const struct bench_order *order, double *ns_out)
{
	nest_fill(s);
	if (!bench_order_run(order, ns_out))
		return PTOWSP_NO_MEMORY;
	nest_compare(s);
	return PTOWSP_OK;
}

/* ---- life ---------------------------------------------------------------------------------------------------------- */

ptowsp_status bench_subject_init(struct bench_subject *s, struct ptowsp_error *error)
{
	ptowsp_status st = package_open(s, error);

	if (!st)
		st = program_load(s, error);
	if (!st)
		st = tensors_fill(s);
	if (!st)
		st = bench_subject_work(s, 0, error);
	if (!st)
		st = ptowsp_prepare(s->program, NULL, error);
	return st ? st : nest_make(s);
}

void bench_subject_finish(struct bench_subject *s)
{
	ptowsp_program_unload(s->program);
	ptowsp_backend_close(s->backend);
	ptowsp_plan_destroy(s->plan);
	ptowsp_package_close(s->package);
	free(s->bytes);
	for (unsigned i = 0; i < BENCH_NEST_TENSORS; i++) {
		free(s->nest.tensors[i]);
		free(s->expected[i]);
	}
	*s = (struct bench_subject){0};
}

ptowsp_status bench_subject_work(struct bench_subject *s, unsigned ns, struct ptowsp_error *error)
{
	char count[24];

	s->nest.work = bench_spin_count(ns);
	snprintf(count, sizeof(count), "%" PRIu64, s->nest.work);
	return ptowsp_value_set(s->program, "work", count, error);
}

/* ---- a run --------------------------------------------------------------------------------------------------------- */

ptowsp_status bench_subject_run(struct bench_subject *s, uint32_t flags, double *ns_out, struct ptowsp_error *error)
{
	const struct ptowsp_execute_options options = {.flags = flags};
	struct ptowsp_tensor_view view;
	ptowsp_status st = ptowsp_prepare(s->program, &options, error);
	const uint64_t began = bench_now_ns();

	if (!st)
		st = ptowsp_execute(s->program, &options, error);
	*ns_out = (double)(bench_now_ns() - began);
	if (st)
		return st;
	s->bad_counts += ptowsp_stats(s->program)->tasks != s->tasks;
	for (unsigned i = 0; i < s->tensors && !(flags & PTOWSP_RUN_NO_KERNELS); i++) {
		ptowsp_tensor_view(s->program, i, &view);
		compare(s, i, view.data);
	}
	return PTOWSP_OK;
}

ptowsp_status bench_subject_verdict(const struct bench_subject *s, struct ptowsp_error *error)
{
	if (!s->bad_tensors && !s->bad_counts)
		return PTOWSP_OK;
	snprintf(error->text, sizeof(error->text), "%s/%u, %u thread%s: tasks ran out of order, or not once each (%" PRIu64 " tensors differ, %" PRIu64 " counts)",
		 s->shape->name, s->n, s->threads, s->threads == 1 ? "" : "s", s->bad_tensors, s->bad_counts);
	return PTOWSP_MISMATCH;
}
