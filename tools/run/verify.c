/* SPDX-License-Identifier: MIT */
/* verify.c - outputs against --expect files, or against the package's own expectations on a bare run. */
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
		if (run->tensors[i].info.flags & PTOWSP_TENSOR_INFO_SAMPLE &&
		    run->tensors[i].info.flags & PTOWSP_TENSOR_INFO_USED && view.origin != PTOWSP_ORIGIN_SAMPLE)
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
	reg_text_add(&text, "\"%.40s\" is not as expected: %llu of %llu elements exceed rtol %g, atol %g; first ",
		     tensor->info.name, (unsigned long long)c->exceed, (unsigned long long)c->elements, c->rtol, c->atol);
	index_add(&text, view, c->first.index);
	reg_text_add(&text, ": %.9g against %.9g, worst ", c->first.got, c->first.expected);
	index_add(&text, view, c->worst.index);
	reg_text_add(&text, ": %.9g against %.9g", c->worst.got, c->worst.expected);
	return reg_fail(error, PTOWSP_MISMATCH, "%s", sentence);
}

/* there: it has memory in the run, because the entry uses it or because the command line gives it content. */
static ptowsp_status fits(const struct run_tensor *tensor, const struct ptowsp_tensor_view *view, bool there, uint64_t elements, const char *name, struct ptowsp_error *error)
{
	if (!there)
		return reg_fail(error, PTOWSP_INVALID, "--expect %.60s: the entry does not use that tensor; --explain says what it uses", tensor->info.name);
	if (view->elements != elements)
		return reg_fail(error, PTOWSP_INVALID, "\"%.60s\" has %llu elements, %.80s has %llu", tensor->info.name,
				(unsigned long long)view->elements, name, (unsigned long long)elements);
	return PTOWSP_OK;
}

ptowsp_status run_expect_check(const struct run *run, struct ptowsp_error *error)
{
	ptowsp_status st = PTOWSP_OK;

	for (uint32_t i = 0; !st && i < run->tensor_count; i++) {
		const struct run_tensor *tensor = &run->tensors[i];
		bool there = tensor->info.flags & PTOWSP_TENSOR_INFO_USED || tensor->in || tensor->filled || tensor->restored;
		struct ptowsp_tensor_view view;

		run_tensor_view(run, i, &view);
		if (tensor->expect)
			st = fits(tensor, &view, there, tensor->expect_file.elements, tensor->expect, error);
	}
	return st;
}

static ptowsp_status compare_with(struct run *run, uint32_t index, const void *expected, uint64_t elements, const char *name,
				  struct ptowsp_error *error)
{
	struct run_tensor *tensor = &run->tensors[index];
	struct ptowsp_tensor_view view;
	ptowsp_status st;

	run_tensor_view(run, index, &view);
	st = fits(tensor, &view, view.data != NULL, elements, name, error);
	if (st)
		return st;
	compare_run(&tensor->compare, view.dtype, view.data, expected, elements, run->options->rtol, run->options->atol);
	tensor->compared = true;
	tensor->compared_with = name;
	return tensor->compare.exceed ? fail(tensor, &view, error) : PTOWSP_OK;
}

static ptowsp_status compare_sample(struct run *run, uint32_t index, struct ptowsp_error *error)
{
	struct ptowsp_tensor_view sample;
	ptowsp_status st;
	struct ptowsp_program *program;
	uint32_t place;

	if (!(run->tensors[index].info.flags & PTOWSP_TENSOR_INFO_EXPECTED) ||
	    !(run->tensors[index].info.flags & PTOWSP_TENSOR_INFO_USED))
		return PTOWSP_OK;
	program = run_tensor_program(run, index, &place);
	st = ptowsp_tensor_sample(program, place, PTOWSP_SAMPLE_EXPECTED, &sample, error);
	if (st)
		return st;
	st = compare_with(run, index, sample.data, sample.elements, "sample data", error);
	return st == PTOWSP_INVALID ? (error->code = PTOWSP_BAD_PACKAGE) : st; /* nothing but the package had a say */
}

ptowsp_status run_compare(struct run *run, struct ptowsp_error *error)
{
	struct ptowsp_error later = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	bool bare = is_bare(run);
	ptowsp_status first = PTOWSP_OK;

	for (uint32_t i = 0; i < run->tensor_count; i++) {
		struct run_tensor *tensor = &run->tensors[i];
		struct ptowsp_error *into = first ? &later : error;
		ptowsp_status st = PTOWSP_OK;

		if (tensor->expect)
			st = compare_with(run, i, tensor->expect_file.data, tensor->expect_file.elements, tensor->expect, into);
		else if (bare)
			st = compare_sample(run, i, into);
		first = first ? first : st;
	}
	return first;
}
