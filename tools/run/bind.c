/* SPDX-License-Identifier: MIT */
/* bind.c - --in, --fill, --expect, --out and --set: from the command line to the program. */
#include <stdlib.h>
#include <string.h>

#include "registry/common/common_dtype.h"
#include "registry/text.h"
#include "tools/run/run_run.h"

static ptowsp_status tensor_find(struct run *run, const char *name, struct run_tensor **out, struct ptowsp_error *error)
{
	uint32_t index;
	ptowsp_status status = ptowsp_plan_tensor_find(run->plan, name, &index, error);

	*out = status ? NULL : &run->tensors[index];
	return status;
}

/* Opens a file for a tensor; bf16 has no type of its own in NumPy. */
static ptowsp_status file_open(struct npy *file, const struct run_tensor *tensor, const char *flag, const char *path, struct ptowsp_error *error)
{
	struct ptowsp_error inner = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	ptowsp_status status = npy_open(file, path, &inner);

	if (status)
		return reg_fail(error, status, "--%s %s: %s", flag, tensor->info.name, inner.text);
	if (file->dtype == tensor->info.dtype || (tensor->info.dtype == PTOWSP_BF16 && file->dtype == PTOWSP_U16))
		return PTOWSP_OK;
	return reg_fail(error, PTOWSP_INVALID, "--%s %s: the tensor is %s, %.100s holds %s", flag, tensor->info.name, common_dtype(tensor->info.dtype)->text,
			path, common_dtype(file->dtype)->text);
}

static ptowsp_status in_open(struct run *run, const struct flag_pair *pair, struct ptowsp_error *error)
{
	struct run_tensor *tensor;
	ptowsp_status status = tensor_find(run, pair->name, &tensor, error);

	if (status)
		return status;
	if (tensor->in)
		return reg_fail(error, PTOWSP_INVALID, "--in is given twice for \"%.60s\"", tensor->info.name);
	tensor->in = pair->value;
	return file_open(&tensor->in_file, tensor, "in", pair->value, error);
}

static ptowsp_status fill_open(struct run *run, const struct flag_pair *pair, struct ptowsp_error *error)
{
	struct run_tensor *tensor;
	ptowsp_status status = tensor_find(run, pair->name, &tensor, error);

	if (!status && tensor->in)
		status = reg_fail(error, PTOWSP_INVALID, "\"%.60s\" has both --in and --fill", tensor->info.name);
	if (status)
		return status;
	tensor->filled = true;
	return fill_parse(&tensor->fill, pair->value, error);
}

/* A flag that compares or writes what kernels computed: once per tensor. path: what the tensor has of it so far. */
static ptowsp_status result_claim(struct run *run, const char *flag, const char **path, const struct run_tensor *tensor, const char *value,
				  struct ptowsp_error *error)
{
	if (tensor->info.role == PTOWSP_ROLE_TEMP)
		return reg_fail(error, PTOWSP_INVALID,
				"--%s %.60s: it is a temp tensor, of which nothing is kept when the run is over; copy it to another tensor", flag,
				tensor->info.name);
	if (run->options->no_kernels)
		return reg_fail(error, PTOWSP_INVALID, "--%s needs kernels to run, leave out --no-kernels", flag);
	if (*path)
		return reg_fail(error, PTOWSP_INVALID, "--%s is given twice for \"%.60s\"", flag, tensor->info.name);
	*path = value;
	return PTOWSP_OK;
}

static ptowsp_status expect_open(struct run *run, const struct flag_pair *pair, struct ptowsp_error *error)
{
	struct run_tensor *tensor;
	ptowsp_status status = tensor_find(run, pair->name, &tensor, error);

	if (!status)
		status = result_claim(run, "expect", &tensor->expect, tensor, pair->value, error);
	return status ? status : file_open(&tensor->expect_file, tensor, "expect", pair->value, error);
}

static ptowsp_status out_open(struct run *run, const struct flag_pair *pair, struct ptowsp_error *error)
{
	struct run_tensor *tensor;
	ptowsp_status status = tensor_find(run, pair->name, &tensor, error);

	if (!status)
		status = result_claim(run, "out", &tensor->out, tensor, pair->value, error);
	return status ? status : output_open(&tensor->output, pair->value, error);
}

ptowsp_status run_tensors_open(struct run *run, struct ptowsp_error *error)
{
	const struct run_options *o = run->options;
	const struct {
		const struct flag_pairs *list;
		ptowsp_status (*open)(struct run *, const struct flag_pair *, struct ptowsp_error *);
	} steps[] = {{&o->in, in_open}, {&o->fill, fill_open}, {&o->expect, expect_open}, {&o->out, out_open}};
	struct ptowsp_tensor_info info;
	ptowsp_status status = PTOWSP_OK;

	while (ptowsp_plan_tensor(run->plan, run->tensor_count, &info))
		run->tensor_count++;
	run->tensors = calloc(run->tensor_count + 1u, sizeof(*run->tensors));
	if (!run->tensors)
		return reg_fail(error, PTOWSP_NO_MEMORY, "no memory for %u tensors", run->tensor_count);
	for (uint32_t i = 0; i < run->tensor_count; i++) {
		ptowsp_plan_tensor(run->plan, i, &run->tensors[i].info);
		run->tensors[i].output.slot = -1;
	}
	for (size_t s = 0; s < sizeof(steps) / sizeof(*steps); s++)
		for (uint32_t i = 0; i < steps[s].list->count && !status; i++)
			status = steps[s].open(run, &steps[s].list->rows[i], error);
	return status;
}

static ptowsp_status content_write(void *context, void *data, uint64_t elements, struct ptowsp_error *error)
{
	const struct run_tensor *tensor = context;

	if (tensor->mark || tensor->restored)
		return run_checkpoint_fill(tensor, data, elements, error);
	if (tensor->in) /* the elements are those of the file: the host compared the shapes */
		memcpy(data, tensor->in_file.data, (size_t)(elements * common_dtype(tensor->info.dtype)->bytes));
	else
		fill_write(&tensor->fill, tensor->info.dtype, tensor->info.position, data, elements);
	return PTOWSP_OK;
}

static ptowsp_status shape_from(struct run *run, uint32_t index, const struct npy *file, const char *path, struct ptowsp_error *error)
{
	char source[96];
	struct reg_text text;
	struct ptowsp_program *program;
	uint32_t place;

	reg_text_init(&text, source, sizeof(source));
	reg_text_add(&text, "file %s", path);
	program = run_tensor_program(run, index, &place);
	return ptowsp_tensor_shape(program, place, file->rank, file->extents, source, error);
}

/* A rank of several reads of a large file what its tasks touch. A second run would find what the first one wrote. */
enum { LENT_BYTES = 1 << 20 };
static bool is_lent(const struct run *run, const struct run_tensor *tensor)
{
	const bool stays = run->options->runs == 1 || tensor->info.role == PTOWSP_ROLE_IN || tensor->info.role == PTOWSP_ROLE_CONST;

	return run->options->rank_count > 1 && tensor->in && stays && tensor->in_file.map_size >= LENT_BYTES;
}

static ptowsp_status content_from(struct run *run, uint32_t index, struct ptowsp_error *error)
{
	struct run_tensor *tensor = &run->tensors[index];
	uint32_t place;
	struct ptowsp_program *program = run_tensor_program(run, index, &place);
	void *lent = is_lent(run, tensor) ? npy_lend(&tensor->in_file) : NULL;

	if (lent)
		return ptowsp_tensor_bind(program, tensor->info.name, lent, tensor->in_file.elements, error);
	if (tensor->in || tensor->filled || tensor->mark || tensor->restored)
		ptowsp_tensor_fill(program, place, content_write, tensor);
	return PTOWSP_OK;
}

/* A tensor with both files takes the input's shape; the expectation is compared with that later. */
ptowsp_status run_tensors_bind(struct run *run, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; i < run->tensor_count && !status; i++) {
		const struct run_tensor *tensor = &run->tensors[i];

		if (tensor->in)
			status = shape_from(run, i, &tensor->in_file, tensor->in, error);
		else if (tensor->expect)
			status = shape_from(run, i, &tensor->expect_file, tensor->expect, error);
		if (!status)
			status = content_from(run, i, error);
	}
	return status;
}

/* The number-th of V1,V2,...; a single value serves all runs. */
static ptowsp_status value_pick(const struct flag_pair *pair, uint64_t number, char *out, size_t room, struct ptowsp_error *error)
{
	const char *at = pair->value;
	size_t length;

	for (; number && strchr(pair->value, ','); number--)
		at = strchr(at, ',') + 1;
	length = strcspn(at, ",");
	if (!length || length >= room)
		return reg_fail(error, PTOWSP_INVALID, "--set %.60s: \"%.40s\" is no value", pair->name, pair->value);
	memcpy(out, at, length);
	out[length] = '\0';
	return PTOWSP_OK;
}

ptowsp_status run_values_set(struct ptowsp_program *program, const struct run_options *options, uint64_t number, struct ptowsp_error *error)
{
	const struct flag_pairs *list = &options->set;
	ptowsp_status status = PTOWSP_OK;
	char text[64];

	for (uint32_t i = 0; i < list->count && !status; i++) {
		status = value_pick(&list->rows[i], number, text, sizeof(text), error);
		if (!status)
			status = ptowsp_value_set(program, list->rows[i].name, text, error);
	}
	return status;
}

bool run_values_vary(const struct run_options *options)
{
	for (uint32_t i = 0; i < options->set.count; i++)
		if (strchr(options->set.rows[i].value, ','))
			return true;
	return false;
}

ptowsp_status run_values_check(const struct run *run, struct ptowsp_error *error)
{
	const struct flag_pairs *list = &run->options->set;

	for (uint32_t i = 0; i < list->count; i++) {
		uint64_t count = 1;

		for (const char *at = list->rows[i].value; *at; at++)
			count += *at == ',';
		if (count > 1 && count != run->options->runs)
			return reg_fail(error, PTOWSP_INVALID, "--set %.60s=%.60s has %llu values for %llu run%s (--runs)", list->rows[i].name,
					list->rows[i].value, (unsigned long long)count, (unsigned long long)run->options->runs,
					run->options->runs == 1 ? "" : "s");
	}
	return PTOWSP_OK;
}

void run_tensors_finish(struct run *run)
{
	for (uint32_t i = 0; run->tensors && i < run->tensor_count; i++) {
		npy_close(&run->tensors[i].in_file);
		npy_close(&run->tensors[i].expect_file);
		output_drop(&run->tensors[i].output);
	}
	free(run->tensors);
	run->tensors = NULL;
}
