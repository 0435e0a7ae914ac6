/* SPDX-License-Identifier: MIT */
/* shape.c - shapes of tensors: from the package's dimensions, from what is bound, or from what the program touches. */
#include <stdlib.h>
#include <string.h>

#include "host/host_error.h"
#include "host/run/host_program.h"
#include "registry/common/common_dtype.h"
#include "registry/expression.h"
#include "registry/text.h"

/* Extent number `extent` of a tensor that the package gives a shape. */
static ptowsp_status extent_find(const struct ptowsp_program *p, uint32_t index, uint32_t extent, uint64_t *value_out, struct ptowsp_error *error)
{
	const struct pkg_tables *t = p->plan->tables;
	const struct host_plan_tensor *tensor = &p->plan->tensors[index];
	const struct reg_values values = {p->values, NULL, t->slot_count};
	const uint32_t row = t->dim[t->tensor[tensor->row].dims + extent].extent;
	int64_t value = 0;
	const ptowsp_status status = reg_expression_exact(t->expr, t->expr_count, row, &values, &value);

	*value_out = (uint64_t)value;
	if (status == PTOWSP_BAD_PACKAGE)
		return host_fail(error, status, "tensor \"%s\": extent %u refers to a row outside EXPR or SLOT, or is far too long: expression %u",
				 tensor->name, extent, row);
	if (status)
		return host_fail(error, host_values_fault(p), "tensor \"%s\": extent %u %s", tensor->name, extent,
				 status == PTOWSP_TOO_BIG   ? "is beyond 2^63 - 1 on the way to its value; set smaller symbols"
				 : status == PTOWSP_INVALID ? "divides by zero"
							    : "is made of more than numbers and symbols");
	if (value < 0)
		return host_fail(error, host_values_fault(p), "tensor \"%s\": extent %u is %lld, it must be 0 or more; numbers from 2^63 on count as below 0",
				 tensor->name, extent, (long long)value);
	return PTOWSP_OK;
}

ptowsp_status host_elements(const uint64_t *extents, uint32_t rank, uint32_t bytes, uint64_t *elements_out)
{
	uint64_t elements = 1;

	for (uint32_t i = 0; i < rank; i++)
		if (__builtin_mul_overflow(elements, extents[i], &elements))
			return PTOWSP_TOO_BIG;
	*elements_out = elements;
	return elements > (UINT64_C(1) << 62) / bytes ? PTOWSP_TOO_BIG : PTOWSP_OK;
}

/* A declared shape: constants and symbols. */
static ptowsp_status declared_shape(struct ptowsp_program *p, uint32_t index, struct ptowsp_error *error)
{
	const struct pkg_tables *t = p->plan->tables;
	const struct ptowsp_tensor_record *row = &t->tensor[p->plan->tensors[index].row];
	struct ptowsp_tensor_view *view = &p->tensors[index].view;
	ptowsp_status status = PTOWSP_OK;

	if (row->dim_count > 4)
		return host_fail(error, PTOWSP_BAD_PACKAGE, "tensor \"%s\" has more than 4 dimensions", p->plan->tensors[index].name);
	for (uint32_t i = 0; i < row->dim_count && !status; i++)
		status = extent_find(p, index, i, &view->extents[i], error);
	view->rank = (uint16_t)row->dim_count;
	return status;
}

/* The tensor that was given must be the one that the package declares. */
static ptowsp_status given_compare(const struct ptowsp_program *p, uint32_t index, struct ptowsp_error *error)
{
	const struct host_tensor *tensor = &p->tensors[index];
	char have[96], want[96];

	if (tensor->given_rank == tensor->view.rank && !memcmp(tensor->given, tensor->view.extents, tensor->given_rank * sizeof(*tensor->given)))
		return PTOWSP_OK;
	return host_fail(error, PTOWSP_INVALID, "tensor \"%s\" has shape %s, but %s has %s", p->plan->tensors[index].name,
			 reg_shape_text(tensor->view.extents, tensor->view.rank, want, sizeof(want)), tensor->given_from,
			 reg_shape_text(tensor->given, tensor->given_rank, have, sizeof(have)));
}

/* Without a declared shape: what was given, the caller's memory, sample data, in this order. */
static void free_shape(struct ptowsp_program *p, uint32_t index)
{
	const struct pkg_tables *t = p->plan->tables;
	const struct host_plan_tensor *name = &p->plan->tensors[index];
	struct host_tensor *tensor = &p->tensors[index];
	struct ptowsp_tensor_view *view = &tensor->view;
	uint32_t sample = name->sample[0] != PTOWSP_NONE ? name->sample[0] : name->sample[1];

	view->rank = UINT16_MAX;
	if (*tensor->given_from) {
		view->rank = (uint16_t)tensor->given_rank;
		memcpy(view->extents, tensor->given, sizeof(view->extents));
	} else if (host_tensor_is_bound(tensor)) {
		view->rank = 1;
		view->extents[0] = tensor->bound_elements;
	} else if (sample != PTOWSP_NONE && !tensor->fill && t->sample[sample].rank <= 4) {
		view->rank = t->sample[sample].rank;
		memcpy(view->extents, &t->sample[sample].extent0, sizeof(view->extents));
	}
}

ptowsp_status host_tensor_shape(struct ptowsp_program *p, uint32_t index, struct ptowsp_error *error)
{
	const struct ptowsp_tensor_record *row = &p->plan->tables->tensor[p->plan->tensors[index].row];
	struct host_tensor *tensor = &p->tensors[index];
	ptowsp_status status = PTOWSP_OK;

	memset(&tensor->view, 0, sizeof(tensor->view));
	tensor->view.dtype = row->dtype;
	if (row->flags & PTOWSP_TENSOR_SHAPELESS)
		free_shape(p, index);
	else
		status = declared_shape(p, index, error);
	if (!status && *tensor->given_from && !(row->flags & PTOWSP_TENSOR_SHAPELESS))
		status = given_compare(p, index, error);
	if (!status && tensor->view.rank != UINT16_MAX &&
	    host_elements(tensor->view.extents, tensor->view.rank, common_dtype(row->dtype)->bytes, &tensor->view.elements))
		status = host_fail(error, PTOWSP_TOO_BIG, "tensor \"%s\" is larger than 2^62 bytes", p->plan->tensors[index].name);
	return status;
}

static bool needs_measure(const struct ptowsp_program *p)
{
	for (uint32_t i = 0; i < p->plan->tensor_count; i++) {
		const struct host_plan_tensor *tensor = &p->plan->tensors[i];

		if (tensor->used && p->plan->tables->tensor[tensor->row].flags & PTOWSP_TENSOR_SHAPELESS)
			return true;
	}
	return false;
}

/* A backend that cannot measure: tensors without a shape get the elements of the largest that has one. */
static ptowsp_status guess(struct ptowsp_program *p, struct ptowsp_error *error)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < p->plan->tensor_count; i++)
		if (p->plan->tensors[i].used && p->tensors[i].view.rank != UINT16_MAX && p->tensors[i].view.elements > most)
			most = p->tensors[i].view.elements;
	for (uint32_t i = 0; i < p->plan->tensor_count; i++) {
		char line[200];
		struct reg_text text;

		if (!p->plan->tensors[i].used || p->tensors[i].view.rank != UINT16_MAX)
			continue;
		if (!most)
			return host_fail(error, PTOWSP_UNSUPPORTED,
					 "%s cannot tell how much of \"%s\" the program touches; give it "
					 "a shape with --in or --expect",
					 ptowsp_backend_name(p->backend), p->plan->tensors[i].name);
		p->tensors[i].need = most;
		reg_text_init(&text, line, sizeof(line));
		reg_text_add(&text,
			     "%s cannot tell how much of \"%s\" the program touches: it gets %llu elements, as the largest "
			     "other tensor",
			     ptowsp_backend_name(p->backend), p->plan->tensors[i].name, (unsigned long long)most);
		host_services_diagnose(&p->backend->services, 0, PTOWSP_STATE_DIAGNOSED, line);
	}
	return PTOWSP_OK;
}

/* The shape is that of the result expected of the sample inputs, which a run on other inputs may exceed. */
static bool is_only_expected(const struct ptowsp_program *p, uint32_t index)
{
	const struct host_plan_tensor *name = &p->plan->tensors[index];
	const struct host_tensor *tensor = &p->tensors[index];

	return p->plan->tables->tensor[name->row].flags & PTOWSP_TENSOR_SHAPELESS && name->sample[0] == PTOWSP_NONE && !*tensor->given_from &&
	       !host_tensor_is_bound(tensor) && !tensor->fill;
}

/* elements: what a run would touch, UINT64_MAX if only a run tells. */
static ptowsp_status need_set(struct ptowsp_program *p, uint32_t index, uint64_t elements, struct ptowsp_error *error)
{
	struct host_tensor *tensor = &p->tensors[index];
	const struct host_plan_tensor *name = &p->plan->tensors[index];

	if (elements == UINT64_MAX && tensor->view.rank == UINT16_MAX)
		return host_fail(error, PTOWSP_INVALID,
				 "how much of tensor \"%s\" is touched depends on data, or on a loop without an end in "
				 "sight, or is too much in pieces: give it a shape with --in %s=FILE.npy or --expect %s=FILE.npy",
				 name->name, name->name, name->name);
	if (elements != UINT64_MAX && tensor->need < elements)
		tensor->need = elements;
	if (is_only_expected(p, index) && tensor->view.elements < tensor->need) {
		memset(tensor->view.extents, 0, sizeof(tensor->view.extents));
		tensor->view.rank = UINT16_MAX;
	}
	return PTOWSP_OK;
}

ptowsp_status host_tensors_measure(struct ptowsp_program *p, const struct ptowsp_execute_options *options, struct ptowsp_error *error)
{
	struct host_caller *caller = &p->backend->caller;
	struct ptowsp_run_args args = host_run_args(p, options);
	uint32_t count = p->plan->tables->tensor_count;
	struct host_cause cause;
	uint64_t *elements;
	ptowsp_status status;

	if (!needs_measure(p))
		return PTOWSP_OK;
	if (!host_caller_offers(caller, p->backend->instance, HOST_OPERATION_extents_measure))
		return guess(p, error);
	elements = calloc(count + 1u, sizeof(*elements));
	if (!elements)
		return host_fail(error, PTOWSP_NO_MEMORY, "no memory to measure tensors");
	status = host_call_extents_measure(caller, p->object, &args, elements, count, error);
	cause = host_program_cause(p, "measure", args.deadline_ns);
	status = host_answer(&cause, status, error);
	for (uint32_t i = 0; i < p->plan->tensor_count && !status; i++)
		status = need_set(p, i, elements[p->plan->tensors[i].row], error);
	free(elements);
	return status;
}
