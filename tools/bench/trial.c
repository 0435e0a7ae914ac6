/* SPDX-License-Identifier: MIT */
#include "tools/bench/trial.h"

#include "format/format_file.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER "obj/tools/bench/shapes"

/* ---- a program ----------------------------------------------------------------------------------------------------- */

/* The nest's source and that of the kernels, packed in memory. */
static ptowsp_status wild_pack(struct bench_trial *t)
{
	struct lang_source sources[2] = {{.name = "step.pto"}, {.name = "wild.pto"}};
	char path[BENCH_PATH], folder[BENCH_PATH];
	void *kernels = NULL;
	ptowsp_status status =
		pkg_file_load(bench_build_path(t->bench, FOLDER "/step.pto", path), PKG_FILE_SOURCE, &kernels, &sources[0].size, &t->bench->error);

	sources[0].text = kernels;
	sources[1].text = t->wild->source;
	sources[1].size = t->wild->size;
	if (!status)
		status = bench_pack(sources, 2, bench_build_path(t->bench, FOLDER, folder), &t->bytes, &t->subject.size, &t->bench->error);
	t->subject.bytes = t->bytes;
	free(kernels);
	return status;
}

static ptowsp_status program_load(struct bench_trial *t)
{
	struct bench_subject *s = &t->subject;
	char path[BENCH_PATH], file[128], n[24];
	ptowsp_status status = t->wild ? wild_pack(t) : PTOWSP_OK;

	snprintf(file, sizeof(file), FOLDER "/%s" BENCH_PACKAGE, t->shape->name);
	s->path = t->wild ? NULL : bench_build_path(t->bench, file, path);
	s->on.plugin = t->bench->options.plugin;
	s->on.isolate = PTOWSP_ISOLATE_NONE;
	s->on.flags = PTOWSP_BACKEND_TRUST_NATIVE;
	s->trust = PTOWSP_LOAD_TRUST_NATIVE;
	if (!status)
		status = bench_subject_open(s, &t->bench->error);
	s->path = NULL;
	snprintf(n, sizeof(n), "%u", t->n);
	return status ? status : ptowsp_value_set(s->program, "n", n, &t->bench->error);
}

/* Called each time a run is prepared. */
static ptowsp_status fill(void *context, void *data, uint64_t elements, struct ptowsp_error *error)
{
	const struct bench_filling *filling = context;

	(void)error;
	bench_shape_fill(filling->shape, filling->tensor, data, elements);
	return PTOWSP_OK;
}

static ptowsp_status tensors_fill(struct bench_trial *t)
{
	struct ptowsp_tensor_info info;

	for (t->tensors = 0; ptowsp_plan_tensor(t->subject.plan, t->tensors, &info); t->tensors++) {
		if (t->tensors == BENCH_NEST_TENSORS)
			return PTOWSP_TOO_BIG;
		t->fillings[t->tensors] = (struct bench_filling){t->shape, t->tensors};
		ptowsp_tensor_fill(t->subject.program, t->tensors, fill, &t->fillings[t->tensors]);
	}
	return PTOWSP_OK;
}

/* ---- by hand ------------------------------------------------------------------------------------------------------- */

static void nest_fill(struct bench_trial *t)
{
	for (unsigned i = 0; i < t->tensors; i++)
		bench_shape_fill(t->shape, i, t->nest.tensors[i], t->nest.elements[i]);
}

static void compare(struct bench_trial *t, unsigned tensor, const uint32_t *data)
{
	t->bad_tensors += memcmp(data, t->expected[tensor], t->nest.elements[tensor] * sizeof(uint32_t)) != 0;
}

static void nest_compare(struct bench_trial *t)
{
	for (unsigned i = 0; i < t->tensors; i++)
		compare(t, i, t->nest.tensors[i]);
}

void bench_trial_nest(struct bench_trial *t, double *ns_out)
{
	uint64_t began;

	nest_fill(t);
	began = bench_now_ns();
	bench_nest_walk(&t->nest, t->shape);
	*ns_out = (double)(bench_now_ns() - began);
	nest_compare(t);
}

ptowsp_status bench_trial_order(struct bench_trial *t, const struct bench_order *order, double *ns_out)
{
	nest_fill(t);
	if (!bench_order_run(order, ns_out))
		return PTOWSP_NO_MEMORY;
	nest_compare(t);
	return PTOWSP_OK;
}

/* Tensors as large as the program's, and their content behind one walk. */
static ptowsp_status nest_make(struct bench_trial *t)
{
	double ns;

	for (unsigned i = 0; i < t->tensors; i++) {
		struct ptowsp_tensor_view view;

		ptowsp_tensor_view(t->subject.program, i, &view);
		t->nest.elements[i] = view.elements;
		t->nest.columns[i] = view.extents[view.rank - 1];
		t->nest.tensors[i] = calloc(view.elements + 1, sizeof(uint32_t));
		t->expected[i] = calloc(view.elements + 1, sizeof(uint32_t));
		if (!t->nest.tensors[i] || !t->expected[i])
			return PTOWSP_NO_MEMORY;
	}
	t->nest.n = t->n;
	t->nest.kernel = step;
	bench_trial_nest(t, &ns);
	t->tasks = t->nest.number;
	for (unsigned i = 0; i < t->tensors; i++)
		memcpy(t->expected[i], t->nest.tensors[i], t->nest.elements[i] * sizeof(uint32_t));
	t->bad_tensors = 0; /* there was nothing yet to be like */
	return PTOWSP_OK;
}

/* ---- life ---------------------------------------------------------------------------------------------------------- */

ptowsp_status bench_trial_init(struct bench_trial *t)
{
	ptowsp_status status = program_load(t);

	if (!status)
		status = tensors_fill(t);
	if (!status)
		status = bench_trial_work(t, 0);
	if (!status)
		status = ptowsp_prepare(t->subject.program, NULL, &t->bench->error);
	return status ? status : nest_make(t);
}

void bench_trial_finish(struct bench_trial *t)
{
	bench_subject_close(&t->subject);
	free(t->bytes);
	for (unsigned i = 0; i < BENCH_NEST_TENSORS; i++) {
		free(t->nest.tensors[i]);
		free(t->expected[i]);
	}
	*t = (struct bench_trial){0};
}

ptowsp_status bench_trial_work(struct bench_trial *t, unsigned ns)
{
	char count[24];

	t->nest.work = bench_nest_work(ns);
	snprintf(count, sizeof(count), "%" PRIu64, t->nest.work);
	return ptowsp_value_set(t->subject.program, "work", count, &t->bench->error);
}

ptowsp_status bench_trial_run(struct bench_trial *t, uint32_t flags, double *ns_out, struct ptowsp_error *error)
{
	struct ptowsp_tensor_view view;
	ptowsp_status status = bench_subject_run(&t->subject, flags, bench_now_ns, ns_out, error);

	if (status)
		return status;
	t->bad_counts += ptowsp_stats(t->subject.program)->tasks != t->tasks;
	for (unsigned i = 0; i < t->tensors && !(flags & PTOWSP_RUN_NO_KERNELS); i++) {
		ptowsp_tensor_view(t->subject.program, i, &view);
		compare(t, i, view.data);
	}
	return PTOWSP_OK;
}

ptowsp_status bench_trial_verdict(const struct bench_trial *t)
{
	const unsigned threads = t->subject.on.threads;

	if (!t->bad_tensors && !t->bad_counts)
		return PTOWSP_OK;
	snprintf(t->bench->error.text, sizeof(t->bench->error.text),
		 "%s/%u, %u thread%s: tasks ran out of order, or not once each (%" PRIu64 " tensors differ, %" PRIu64 " counts)", t->shape->name, t->n, threads,
		 threads == 1 ? "" : "s", t->bad_tensors, t->bad_counts);
	return PTOWSP_MISMATCH;
}
