/* SPDX-License-Identifier: MIT */
/* verify.c - outputs against --expect files, or against the package's own expectations on a bare run. */
#include <stdio.h>
#include <string.h>

#include "registry/text.h"
#include "tools/run/run_run.h"

/* Sample expectations hold for sample inputs only: no binding, no value was given, and every sample input was used. */
static bool is_bare(const struct run *run)
{
	const struct run_options *o = run->options;

	if (o->in.count || o->fill.count || o->expect.count || o->set.count || o->no_kernels)
		return false;
	for (uint32_t i = 0; i < run->tensor_count; i++) {
		struct ptowsp_tensor_view view;

		run_tensor_view(run, i, &view);
		if (run->tensors[i].info.flags & PTOWSP_TENSOR_INFO_SAMPLE && run->tensors[i].info.flags & PTOWSP_TENSOR_INFO_USED &&
		    view.origin != PTOWSP_ORIGIN_SAMPLE)
			return false;
	}
	return true;
}

static void index_add(struct reg_text *text, const struct ptowsp_tensor_view *view, uint64_t index)
{
	uint64_t at[4] = {index, 0, 0, 0};
	uint32_t rank = view->rank ? view->rank : 1;

	for (uint32_t i = rank; i-- > 1;) {
		at[i] = view->extents[i] ? at[0] % view->extents[i] : 0;
		at[0] = view->extents[i] ? at[0] / view->extents[i] : 0;
	}
	reg_text_add(text, "[");
	for (uint32_t i = 0; i < rank; i++)
		reg_text_add(text, "%s%llu", i ? ", " : "", (unsigned long long)at[i]);
	reg_text_add(text, "]");
}

static ptowsp_status fail(const struct run_tensor *tensor, const struct ptowsp_tensor_view *view, struct ptowsp_error *error)
{
	const struct compare *c = &tensor->compare;
	char sentence[216];
	struct reg_text text;

	reg_text_init(&text, sentence, sizeof(sentence));
	reg_text_add(&text, "\"%.40s\" is not as expected: %llu of %llu elements exceed rtol %g, atol %g; first ", tensor->info.name,
		     (unsigned long long)c->exceed, (unsigned long long)c->elements, c->rtol, c->atol);
	index_add(&text, view, c->first.index);
	reg_text_add(&text, ": %.9g against %.9g, worst ", c->first.got, c->first.expected);
	index_add(&text, view, c->worst.index);
	reg_text_add(&text, ": %.9g against %.9g", c->worst.got, c->worst.expected);
	return reg_fail(error, PTOWSP_MISMATCH, "%s", sentence);
}

/* The reference of a tensor: the file of --expect, on a bare run the package's own; name NULL: nothing. */
struct expectation {
	const void *data;
	uint64_t elements;
	const char *name;
};

static ptowsp_status expectation_find(const struct run *run, uint32_t index, bool bare, struct expectation *out, struct ptowsp_error *error)
{
	const uint32_t wanted = PTOWSP_TENSOR_INFO_EXPECTED | PTOWSP_TENSOR_INFO_USED;
	const struct run_tensor *tensor = &run->tensors[index];
	struct ptowsp_tensor_view sample;
	struct ptowsp_program *program;
	ptowsp_status status;
	uint32_t place;

	*out = (struct expectation){tensor->expect_file.data, tensor->expect_file.elements, tensor->expect};
	if (tensor->expect || !bare || (tensor->info.flags & wanted) != wanted)
		return PTOWSP_OK;
	program = run_tensor_program(run, index, &place);
	status = ptowsp_tensor_sample(program, place, PTOWSP_SAMPLE_EXPECTED, &sample, error);
	*out = (struct expectation){sample.data, sample.elements, "sample data"};
	return status;
}

static ptowsp_status fits(const struct run *run, uint32_t index, const struct expectation *e, struct ptowsp_error *error)
{
	const struct run_tensor *tensor = &run->tensors[index];
	struct ptowsp_tensor_view view;

	if (!e->name)
		return PTOWSP_OK;
	if (!(tensor->info.flags & PTOWSP_TENSOR_INFO_USED || tensor->in || tensor->filled || tensor->restored))
		return reg_fail(error, PTOWSP_INVALID, "--expect %.60s: the entry does not use that tensor; --explain says what it uses", tensor->info.name);
	run_tensor_view(run, index, &view);
	if (view.elements == e->elements)
		return PTOWSP_OK;
	if (tensor->expect)
		return reg_fail(error, PTOWSP_INVALID, "\"%.60s\" has %llu elements, %.80s has %llu", tensor->info.name, (unsigned long long)view.elements,
				e->name, (unsigned long long)e->elements);
	return reg_fail(error, PTOWSP_BAD_PACKAGE,
			"\"%.60s\" has %llu elements, the package's expected data of it have %llu; pack expected data of its shape, or give others with "
			"--expect %.60s=FILE.npy",
			tensor->info.name, (unsigned long long)view.elements, (unsigned long long)e->elements, tensor->info.name);
}

ptowsp_status run_expect_check(const struct run *run, struct ptowsp_error *error)
{
	const bool bare = is_bare(run);
	struct expectation e;
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; !status && i < run->tensor_count; i++) {
		status = expectation_find(run, i, bare, &e, error);
		if (!status)
			status = fits(run, i, &e, error);
	}
	return status;
}

static ptowsp_status compare_with(struct run *run, uint32_t index, const struct expectation *e, struct ptowsp_error *error)
{
	struct run_tensor *tensor = &run->tensors[index];
	struct ptowsp_tensor_view view;

	run_tensor_view(run, index, &view);
	compare_run(&tensor->compare, view.dtype, view.data, e->data, e->elements, run->options->rtol, run->options->atol);
	tensor->compared = true;
	tensor->compared_with = e->name;
	return tensor->compare.exceed ? fail(tensor, &view, error) : PTOWSP_OK;
}

/* Of a run that gave no data itself and compared nothing, whose user may take it for one that did. */
static void uncompared_print(const struct run *run)
{
	const uint32_t wanted = PTOWSP_TENSOR_INFO_EXPECTED | PTOWSP_TENSOR_INFO_USED;
	const struct run_options *o = run->options;

	if (o->in.count || o->fill.count || o->expect.count || o->no_kernels || o->restore || o->quiet || run->runs_done < o->runs)
		return;
	for (uint32_t i = 0; i < run->tensor_count; i++) {
		const char *name = run->tensors[i].info.name;

		if ((run->tensors[i].info.flags & wanted) != wanted)
			continue;
		fprintf(stderr,
			"ptowsp-run: not compared: the package's expected data, as of \"%.60s\", are not those of %s; --expect %.60s=FILE.npy compares\n", name,
			o->set.count ? "values given with --set" : "a run without all sample data", name);
		return;
	}
}

ptowsp_status run_compare(struct run *run, struct ptowsp_error *error)
{
	struct ptowsp_error later = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	const bool bare = is_bare(run);
	ptowsp_status first = PTOWSP_OK;

	for (uint32_t i = 0; i < run->tensor_count; i++) {
		struct ptowsp_error *into = first ? &later : error;
		struct expectation e;
		ptowsp_status status = expectation_find(run, i, bare, &e, into);

		if (!status && e.name)
			status = compare_with(run, i, &e, into);
		first = first ? first : status;
	}
	if (!bare)
		uncompared_print(run);
	return first;
}
