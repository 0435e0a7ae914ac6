/* SPDX-License-Identifier: MIT */
/* bind.c - memory and content of tensors: the caller's, filled, sample data, zeros. */
#include <stdlib.h>
#include <string.h>

#include "host/call/buffer.h"
#include "host/call/host_memory.h"
#include "host/host_error.h"
#include "host/run/host_program.h"
#include "registry/common/common_dtype.h"
#include "registry/common/common_machine.h"

enum {
	ALIGNMENT = 512,     /* tensors in gm, package format */
	FEW_BYTES = 1 << 24, /* for which nobody asks what the machine has */
};

static uint32_t element_bytes(const struct ptowsp_program *p, uint32_t index)
{
	return common_dtype(p->plan->tables->tensor[p->plan->tensors[index].row].dtype)->bytes;
}

/* The shape of the tensor is settled. */
static uint64_t tensor_bytes(const struct ptowsp_program *p, uint32_t index)
{
	uint64_t bytes;

	return __builtin_mul_overflow(p->tensors[index].view.elements, element_bytes(p, index), &bytes) ? UINT64_MAX : bytes;
}

static bool own_fits(const struct ptowsp_program *p, uint32_t index)
{
	return p->tensors[index].own && p->tensors[index].own_bytes == tensor_bytes(p, index);
}

static void own_release(struct host_tensor *tensor)
{
	if (tensor->own_shared)
		host_buffer_give(tensor->own);
	else
		host_memory_give(tensor->own, tensor->own_bytes);
	tensor->own = NULL;
	tensor->own_bytes = 0;
}

void host_tensors_finish(struct ptowsp_program *p)
{
	for (uint32_t i = 0; p->tensors && i < p->plan->tensor_count; i++)
		own_release(&p->tensors[i]);
	free(p->tensors);
	free(p->bindings);
	p->tensors = NULL;
	p->bindings = NULL;
}

ptowsp_status ptowsp_tensor_bind(struct ptowsp_program *p, const char *name, void *data, uint64_t elements, struct ptowsp_error *error)
{
	uint32_t index;
	ptowsp_status status;

	error = host_error_enter(error);
	status = ptowsp_plan_tensor_find(p->plan, name, &index, error);
	if (!status) {
		p->tensors[index].bound = data;
		p->tensors[index].buffer = NULL;
		p->tensors[index].bound_elements = data ? elements : 0;
		p->prepared = false;
	}
	return host_error_leave(status, error);
}

static ptowsp_status index_check(const struct ptowsp_program *p, uint32_t index, struct ptowsp_error *error)
{
	if (index < p->plan->tensor_count)
		return PTOWSP_OK;
	return host_fail(error, PTOWSP_NOT_FOUND, "%s has no tensor with index %u, it has %u, 0 first; ptowsp_plan_tensor_find knows the index of a name",
			 ptowsp_plan_entry(p->plan), index, p->plan->tensor_count);
}

ptowsp_status ptowsp_tensor_shape(struct ptowsp_program *p, uint32_t index, uint32_t rank, const uint64_t *extents, const char *source,
				  struct ptowsp_error *error)
{
	struct host_tensor *tensor;
	uint64_t elements;
	struct reg_text text;
	ptowsp_status status;

	error = host_error_enter(error);
	status = index_check(p, index, error);
	if (status)
		return host_error_leave(status, error);
	tensor = &p->tensors[index];
	p->prepared = false;
	if (!extents) {
		*tensor->given_from = 0;
		return PTOWSP_OK;
	}
	source = source && *source ? source : "the caller";
	if (rank > 4 || host_elements(extents, rank, element_bytes(p, index), &elements))
		return host_error_leave(
			host_fail(error, PTOWSP_INVALID, "tensor \"%s\": %s has more than 4 dimensions or is too large", p->plan->tensors[index].name, source),
			error);
	tensor->given_rank = rank;
	memset(tensor->given, 0, sizeof(tensor->given));
	memcpy(tensor->given, extents, rank * sizeof(*extents));
	reg_text_init(&text, tensor->given_from, sizeof(tensor->given_from));
	reg_text_add(&text, "%s", source);
	return PTOWSP_OK;
}

void ptowsp_tensor_fill(struct ptowsp_program *p, uint32_t index, ptowsp_fill_fn fill, void *context)
{
	if (index >= p->plan->tensor_count)
		return;
	p->tensors[index].fill = fill;
	p->tensors[index].fill_context = context;
	p->prepared = false;
}

void ptowsp_tensor_view(const struct ptowsp_program *p, uint32_t index, struct ptowsp_tensor_view *view_out)
{
	*view_out = index < p->plan->tensor_count ? p->tensors[index].view : (struct ptowsp_tensor_view){0};
}

ptowsp_status ptowsp_tensor_sample(struct ptowsp_program *p, uint32_t index, uint32_t role, struct ptowsp_tensor_view *view_out, struct ptowsp_error *error)
{
	const struct pkg_tables *t = p->plan->tables;
	uint32_t row, bytes;
	const void *data;
	uint64_t size;
	ptowsp_status status;

	*view_out = (struct ptowsp_tensor_view){0};
	error = host_error_enter(error);
	status = index_check(p, index, error);
	if (status)
		return host_error_leave(status, error);
	view_out->dtype = t->tensor[p->plan->tensors[index].row].dtype;
	row = role < 2 ? p->plan->tensors[index].sample[role] : PTOWSP_NONE;
	bytes = element_bytes(p, index);
	if (row == PTOWSP_NONE)
		return host_error_leave(host_fail(error, PTOWSP_NOT_FOUND, "tensor \"%s\" has no sample data", p->plan->tensors[index].name), error);
	status = pkg_sample_bytes(p->plan->package->pkg, row, &data, &size, error);
	view_out->rank = t->sample[row].rank;
	memcpy(view_out->extents, &t->sample[row].extent0, sizeof(view_out->extents));
	if (!status &&
	    (view_out->rank > 4 || host_elements(view_out->extents, view_out->rank, bytes, &view_out->elements) || view_out->elements * bytes != size))
		status = host_fail(error, PTOWSP_BAD_PACKAGE, "the sample data of tensor \"%s\" do not have the size of their shape",
				   p->plan->tensors[index].name);
	view_out->data = (void *)(uintptr_t)data;
	view_out->origin = PTOWSP_ORIGIN_SAMPLE;
	return host_error_leave(status, error);
}

/* Elements that there must be for what the program touches. */
static ptowsp_status need_check(const struct ptowsp_program *p, uint32_t index, struct ptowsp_error *error)
{
	const struct host_tensor *tensor = &p->tensors[index];
	const char *source = *tensor->given_from ? tensor->given_from : host_tensor_is_bound(tensor) ? "the bound memory" : "its sample data";

	if (host_tensor_is_bound(tensor) && tensor->bound_elements < tensor->view.elements)
		return host_fail(error, PTOWSP_INVALID, "tensor \"%s\": the bound memory has %llu elements, its shape needs %llu", p->plan->tensors[index].name,
				 (unsigned long long)tensor->bound_elements, (unsigned long long)tensor->view.elements);
	if (tensor->view.elements >= tensor->need)
		return PTOWSP_OK;
	return host_fail(error, *tensor->given_from || host_tensor_is_bound(tensor) ? PTOWSP_INVALID : host_values_fault(p),
			 "tensor \"%s\": %s has %llu elements, but the program touches %llu; bind a larger one", p->plan->tensors[index].name, source,
			 (unsigned long long)tensor->view.elements, (unsigned long long)tensor->need);
}

static bool wants_memory(const struct ptowsp_program *p, uint32_t index, const struct ptowsp_execute_options *options)
{
	const struct host_tensor *tensor = &p->tensors[index];
	bool given = host_tensor_is_bound(tensor) || tensor->fill;

	return (options->flags & PTOWSP_RUN_NO_KERNELS) ? given : given || p->plan->tensors[index].used;
}

/* Without kernels nobody reads a tensor but who was told to fill it: it has to have a shape then, too. */
static bool wants_measure(const struct ptowsp_program *p, const struct ptowsp_execute_options *options)
{
	for (uint32_t i = 0; i < p->plan->tensor_count; i++)
		if (p->tensors[i].fill && p->tensors[i].view.rank == UINT16_MAX)
			return true;
	return !(options->flags & PTOWSP_RUN_NO_KERNELS);
}

static uint64_t sum_of(uint64_t a, uint64_t b)
{
	return a < UINT64_MAX - b ? a + b : UINT64_MAX;
}

/* total: of all tensors, fresh: of those that this library has to allocate. A run that the machine has no memory for is refused, and neither killed nor swapped. */
static ptowsp_status memory_check(const struct ptowsp_execute_options *options, uint64_t total, uint64_t fresh, struct ptowsp_error *error)
{
	uint64_t has;

	if (options->memory_limit)
		return total <= options->memory_limit ? PTOWSP_OK
						      : host_fail(error, PTOWSP_TOO_BIG, "the tensors need %llu bytes, the limit (--max-memory) is %llu",
								  (unsigned long long)total, (unsigned long long)options->memory_limit);
	has = fresh < FEW_BYTES ? UINT64_MAX : common_machine_memory();
	return fresh <= has
		       ? PTOWSP_OK
		       : host_fail(error, PTOWSP_TOO_BIG,
				   "the tensors need %llu bytes, and this machine has %llu left; run where there is more, or allow so much with --max-memory",
				   (unsigned long long)fresh, (unsigned long long)has);
}

/* The source of the content of a tensor whose shape is settled. Sample data that nobody can read are refused when they are. */
static uint32_t origin_of(const struct ptowsp_program *p, uint32_t index)
{
	const struct pkg_tables *t = p->plan->tables;
	const struct host_tensor *tensor = &p->tensors[index];
	const uint32_t row = p->plan->tensors[index].sample[PTOWSP_SAMPLE_INPUT];
	uint64_t extents[4], elements;

	if (host_tensor_is_bound(tensor) || tensor->fill)
		return host_tensor_is_bound(tensor) ? PTOWSP_ORIGIN_BOUND : PTOWSP_ORIGIN_FILLED;
	if (row == PTOWSP_NONE)
		return PTOWSP_ORIGIN_ZEROS;
	memcpy(extents, &t->sample[row].extent0, sizeof(extents));
	if (t->sample[row].rank > 4 || host_elements(extents, t->sample[row].rank, element_bytes(p, index), &elements))
		return PTOWSP_ORIGIN_SAMPLE;
	return elements == tensor->view.elements ? PTOWSP_ORIGIN_SAMPLE : PTOWSP_ORIGIN_ZEROS;
}

/* Bytes of a tensor in memory of the caller's, or in a buffer of the plugin's. */
struct bytes_bound {
	uintptr_t buffer, begin, end; /* buffer 0: addresses */
	uint32_t tensor;
	bool written;
};

static int bytes_compare(const void *a, const void *b)
{
	const struct bytes_bound *x = a, *y = b;

	if (x->buffer != y->buffer)
		return x->buffer < y->buffer ? -1 : 1;
	return (x->begin > y->begin) - (x->begin < y->begin);
}

static uint32_t bytes_collect(const struct ptowsp_program *p, struct bytes_bound *rows)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < p->plan->tensor_count; i++) {
		const struct host_tensor *tensor = &p->tensors[i];
		const uint16_t role = p->plan->tables->tensor[p->plan->tensors[i].row].role;
		const uintptr_t begin = tensor->buffer ? (uintptr_t)tensor->buffer_offset : (uintptr_t)tensor->bound;

		if (host_tensor_is_bound(tensor) && tensor->view.elements)
			rows[count++] = (struct bytes_bound){(uintptr_t)tensor->buffer, begin, begin + tensor_bytes(p, i), i,
							     role != PTOWSP_ROLE_IN && role != PTOWSP_ROLE_CONST};
	}
	qsort(rows, count, sizeof(*rows), bytes_compare);
	return count;
}

/* Tasks are ordered by what they do to a tensor: nothing orders those that meet in the memory of two. */
static ptowsp_status sharing_check(const struct ptowsp_program *p, struct ptowsp_error *error)
{
	struct bytes_bound *rows = malloc(((size_t)p->plan->tensor_count + 1) * sizeof(*rows));
	const uint32_t count = rows ? bytes_collect(p, rows) : 0;
	const struct bytes_bound *far[2] = {NULL, NULL}; /* of those so far the one with the last end; of those that are written */
	ptowsp_status status = rows ? PTOWSP_OK : host_fail(error, PTOWSP_NO_MEMORY, "no memory to compare %u tensors", p->plan->tensor_count);

	for (uint32_t i = 0; i < count && !status; i++) {
		const struct bytes_bound *row = &rows[i], *other = far[!row->written];

		if (other && other->buffer == row->buffer && other->end > row->begin)
			status =
				host_fail(error, PTOWSP_INVALID, "tensors \"%s\" and \"%s\" share memory, and a run writes \"%s\": give each memory of its own",
					  p->plan->tensors[other->tensor].name, p->plan->tensors[row->tensor].name,
					  p->plan->tensors[row->written ? row->tensor : other->tensor].name);
		for (int k = 0; k <= row->written; k++)
			if (!far[k] || far[k]->buffer != row->buffer || far[k]->end < row->end)
				far[k] = row;
	}
	free(rows);
	return status;
}

/* Shapes of everything, the bytes that they take, and where content comes from. */
static ptowsp_status shapes_settle(struct ptowsp_program *p, const struct ptowsp_execute_options *options, struct ptowsp_error *error)
{
	uint64_t total = 0, fresh = 0, bytes;
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; i < p->plan->tensor_count && !status; i++)
		status = host_tensor_shape(p, i, error);
	if (!status && wants_measure(p, options))
		status = host_tensors_measure(p, options, error);
	for (uint32_t i = 0; i < p->plan->tensor_count && !status; i++) {
		struct ptowsp_tensor_view *view = &p->tensors[i].view;

		if (view->rank == UINT16_MAX) {
			view->rank = 1;
			view->elements = view->extents[0] = p->tensors[i].need;
		}
		if (!wants_memory(p, i, options))
			continue;
		view->origin = origin_of(p, i);
		status = need_check(p, i, error);
		bytes = tensor_bytes(p, i);
		total = sum_of(total, bytes);
		if (!host_tensor_is_bound(&p->tensors[i]) && !own_fits(p, i))
			fresh = sum_of(fresh, bytes);
	}
	status = status ? status : sharing_check(p, error);
	return status ? status : memory_check(options, total, fresh, error);
}

/* Zeros; for a look, which nobody reads, anything: no page of it is touched. */
static ptowsp_status own_take(struct ptowsp_program *p, uint32_t index, bool looks, struct ptowsp_error *error)
{
	struct host_tensor *tensor = &p->tensors[index];
	uint64_t bytes = tensor_bytes(p, index);

	if (own_fits(p, index)) {
		if (!looks)
			host_memory_zero(tensor->own, bytes, tensor->own_shared);
		return PTOWSP_OK;
	}
	own_release(tensor);
	tensor->own = p->backend->plugin->remote ? host_buffer_take(bytes) : NULL;
	tensor->own_shared = tensor->own != NULL;
	if (!tensor->own) /* also where descriptors are short: an isolated plugin gets copies then */
		tensor->own = host_memory_take(bytes, ALIGNMENT);
	if (!tensor->own)
		return host_fail(error, PTOWSP_NO_MEMORY, "no memory for tensor \"%s\" (%llu bytes)", p->plan->tensors[index].name, (unsigned long long)bytes);
	tensor->own_bytes = bytes;
	return PTOWSP_OK;
}

static void zeros_diagnose(struct ptowsp_program *p, uint32_t index)
{
	uint16_t role = p->plan->tables->tensor[p->plan->tensors[index].row].role;
	const char *name = p->plan->tensors[index].name;
	bool sampled = p->plan->tensors[index].sample[PTOWSP_SAMPLE_INPUT] != PTOWSP_NONE;
	char line[200];
	struct reg_text text;

	if (role != PTOWSP_ROLE_IN && role != PTOWSP_ROLE_CONST)
		return;
	reg_text_init(&text, line, sizeof(line));
	reg_text_add(&text, "input \"%s\" is zeros%s; give it with --in %s=FILE.npy", name, sampled ? ": the package's sample data are for another shape" : "",
		     name);
	host_services_diagnose(&p->backend->services, 0, PTOWSP_STATE_DIAGNOSED, line);
}

static ptowsp_status sample_copy(struct ptowsp_program *p, uint32_t index, struct ptowsp_error *error)
{
	struct ptowsp_tensor_view sample;
	ptowsp_status status = ptowsp_tensor_sample(p, index, PTOWSP_SAMPLE_INPUT, &sample, error);

	if (!status)
		memcpy(p->tensors[index].own, sample.data, (size_t)(sample.elements * element_bytes(p, index)));
	return status;
}

/* Memory and content of one tensor whose shape is settled; a look has no content. */
static ptowsp_status content_give(struct ptowsp_program *p, uint32_t index, bool looks, struct ptowsp_error *error)
{
	struct host_tensor *tensor = &p->tensors[index];
	ptowsp_status status;

	if (host_tensor_is_bound(tensor)) {
		tensor->view.data = tensor->bound;
		return PTOWSP_OK;
	}
	status = own_take(p, index, looks, error);
	if (status)
		return status;
	tensor->view.data = tensor->own;
	if (looks)
		return PTOWSP_OK;
	if (tensor->view.origin == PTOWSP_ORIGIN_SAMPLE)
		return sample_copy(p, index, error);
	if (tensor->view.origin == PTOWSP_ORIGIN_ZEROS)
		zeros_diagnose(p, index);
	return !tensor->fill ? PTOWSP_OK : tensor->fill(tensor->fill_context, tensor->own, tensor->view.elements, error);
}

static void binding_add(struct ptowsp_program *p, uint32_t index)
{
	const struct ptowsp_tensor_view *view = &p->tensors[index].view;
	struct ptowsp_binding *binding = &p->bindings[p->binding_count++];

	*binding = (struct ptowsp_binding){
		.data = view->data, .elements = view->elements, .tensor = p->plan->tensors[index].row, .dtype = view->dtype, .rank = view->rank};
	memcpy(binding->extents, view->extents, sizeof(binding->extents));
#if PTOWSP_ABI_MINOR >= 1
	binding->buffer = p->tensors[index].buffer;
	binding->buffer_offset = p->tensors[index].buffer ? p->tensors[index].buffer_offset : 0;
#endif
}

static ptowsp_status begin(struct ptowsp_program *p, const struct ptowsp_execute_options *options, struct ptowsp_error *error)
{
	ptowsp_status status;

	p->prepared = false;
	p->binding_count = 0;
	host_services_aim(&p->backend->services, &p->diagnostics, NULL);
	status = host_values_check(p, error);
	return status ? status : shapes_settle(p, options, error);
}

ptowsp_status host_settle(struct ptowsp_program *p, const struct ptowsp_execute_options *options, struct ptowsp_error *error)
{
	ptowsp_status status = begin(p, options, error);

	for (uint32_t i = 0; i < p->plan->tensor_count && !status; i++) {
		p->tensors[i].view.data = p->tensors[i].bound;
		if (host_tensor_is_bound(&p->tensors[i]))
			binding_add(p, i);
	}
	return status;
}

static ptowsp_status prepare(struct ptowsp_program *p, const struct ptowsp_execute_options *options, struct ptowsp_error *error)
{
	const uint64_t deadline = host_run_args(p, options).deadline_ns;
	ptowsp_status status = begin(p, options, error);

	if (!status && options->flags & PTOWSP_RUN_LOOK)
		status = host_plan_data_check(p->plan, error);
	for (uint32_t i = 0; i < p->plan->tensor_count && !status; i++) {
		if (!wants_memory(p, i, options))
			continue;
		if (deadline && host_now_ns() >= deadline)
			status = host_fail(error, PTOWSP_DEADLINE, "the time was over before tensor \"%s\" had its content", p->plan->tensors[i].name);
		else
			status = content_give(p, i, options->flags & PTOWSP_RUN_LOOK, error);
		if (!status)
			binding_add(p, i);
	}
	p->prepared = !status;
	return status;
}

ptowsp_status ptowsp_prepare(struct ptowsp_program *p, const struct ptowsp_execute_options *options, struct ptowsp_error *error)
{
	static const struct ptowsp_execute_options none = {0};
	ptowsp_status status;

	error = host_error_enter(error);
	options = options ? options : &none;
	if (!host_runs_is_complete(&p->backend->services.runs, &p->run)) /* it has what this would give back */
		status = host_fail(error, PTOWSP_INVALID, "the program is still running");
	else if (p->findings.looks && !(options->flags & (PTOWSP_RUN_NO_KERNELS | PTOWSP_RUN_LOOK)))
		status = host_fail(error, PTOWSP_INVALID, "the program was loaded to look at it (PTOWSP_LOAD_LOOK); load it once more to run it");
	else
		status = prepare(p, options, error);
	return host_error_leave(status, error);
}

ptowsp_status ptowsp_program_check(struct ptowsp_program *p, const struct ptowsp_execute_options *options, struct ptowsp_error *error)
{
	static const struct ptowsp_execute_options none = {0};
	ptowsp_status status;

	error = host_error_enter(error);
	if (!host_runs_is_complete(&p->backend->services.runs, &p->run))
		return host_error_leave(host_fail(error, PTOWSP_INVALID, "the program is still running"), error);
	status = host_settle(p, options ? options : &none, error);
	if (!status)
		status = host_partner_check(p, error);
	return host_error_leave(status, error);
}
