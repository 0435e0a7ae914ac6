/* SPDX-License-Identifier: MIT */
/* resume.c - --checkpoint and --restore: what TG_CHECKPOINT saved, to a file and from one.
 *
 * A package has a tensor C.@ of four bytes for each checkpoint C of an entry, and its content in the other tensors C.something. C.@ begins as 1, 1, 0, 0, or
 * as 1, 1, 0, 1 with a file that has C. Taking the checkpoint copies the first two bytes onto the others, bringing it back the last one onto the second. So
 * it is known afterwards whether a run took it, the third byte, and whether it was there each time that it was brought back, the second. */
#include <stdlib.h>
#include <string.h>

#include "format/format_package.h"
#include "host/plan/host_plan.h"
#include "registry/common/common_dtype.h"
#include "registry/text.h"
#include "tools/run/run_run.h"

enum { TOOK = 0, HAD = 1, IS_TAKEN = 2, IS_THERE = 3, MARK_BYTES = 4 }; /* of C.@ */

/* Length of "C" in "C.@"; 0: the tensor is no mark. */
static size_t mark_length(const struct run_tensor *tensor)
{
	size_t length = strlen(tensor->info.name);

	return length > 2 && !strcmp(tensor->info.name + length - 2, ".@") && tensor->info.flags & PTOWSP_TENSOR_INFO_USED ? length - 2 : 0;
}

static bool belongs(const struct run_tensor *tensor, const struct run_tensor *mark)
{
	size_t length = mark_length(mark);

	return tensor != mark && !strncmp(tensor->info.name, mark->info.name, length + 1) && !strchr(tensor->info.name + length + 1, '@');
}

/* The mark of the checkpoint that the tensor belongs to; NULL: it holds none. */
static struct run_tensor *mark_of(struct run *run, const struct run_tensor *tensor)
{
	for (uint32_t i = 0; i < run->tensor_count; i++)
		if (mark_length(&run->tensors[i]) && belongs(tensor, &run->tensors[i]))
			return &run->tensors[i];
	return NULL;
}

static uint32_t marks_find(struct run *run)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < run->tensor_count; i++) {
		run->tensors[i].mark = mark_length(&run->tensors[i]) != 0;
		count += run->tensors[i].mark;
	}
	return count;
}

/* ---- --restore ------------------------------------------------------------------------------------------------- */

static ptowsp_status row_take(struct run *run, const struct checkpoint_row *row, struct ptowsp_error *error)
{
	const struct checkpoint *c = &run->restored;
	const char *name = c->names + row->tensor;
	struct run_tensor *tensor;
	uint32_t index;
	ptowsp_status status = ptowsp_plan_tensor_find(run->plan, name, &index, error);

	if (status)
		return status;
	tensor = &run->tensors[index];
	if (!mark_of(run, tensor) || tensor->info.dtype != row->dtype)
		return reg_fail(error, PTOWSP_INVALID, "--restore %.100s: tensor %.60s of the package holds no checkpoint of such elements",
				run->options->restore, name);
	if (tensor->in || tensor->filled || tensor->restored)
		return reg_fail(error, PTOWSP_INVALID, "--restore %.100s: tensor %.60s is given twice", run->options->restore, name);
	tensor->restored = c->data + row->offset;
	tensor->restored_elements = row->elements;
	mark_of(run, tensor)->in_file_too = true;
	return PTOWSP_OK;
}

/* A program may take a checkpoint itself before it restores it: no error. */
static void missing_print(const struct run *run)
{
	for (uint32_t i = 0; i < run->tensor_count && !run->options->quiet; i++)
		if (run->tensors[i].mark && !run->tensors[i].in_file_too)
			fprintf(stderr, "ptowsp-run: %s has no checkpoint %.*s; it holds zeros until it is taken\n", run->options->restore,
				(int)mark_length(&run->tensors[i]), run->tensors[i].info.name);
}

static ptowsp_status restore_open(struct run *run, struct ptowsp_error *error)
{
	const char *path = run->options->restore, *entry = ptowsp_plan_entry(run->plan);
	struct checkpoint *c = &run->restored;
	ptowsp_status status = checkpoint_read(c, path, error);

	if (!status && memcmp(c->header.package, pkg_digest(run->package->pkg), sizeof(c->header.package)) != 0)
		status = reg_fail(error, PTOWSP_INVALID,
				  "--restore %.100s: it was written by a run of another package, or of this one before it was packed again", path);
	if (!status && strcmp(c->names + c->header.entry, entry) != 0)
		status = reg_fail(error, PTOWSP_INVALID, "--restore %.100s: it was written by entry %.60s, this is %.60s", path, c->names + c->header.entry,
				  entry);
	for (uint32_t i = 0; !status && i < c->header.rows; i++) {
		const struct checkpoint_row row = checkpoint_row_at(c, i);

		status = row_take(run, &row, error);
	}
	if (!status)
		missing_print(run);
	return status;
}

/* ---- both ------------------------------------------------------------------------------------------------------ */

ptowsp_status run_checkpoints_open(struct run *run, struct ptowsp_error *error)
{
	const struct run_options *o = run->options;
	const char *flag = o->checkpoint ? "checkpoint" : "restore";
	ptowsp_status status = PTOWSP_OK;

	if (!o->checkpoint && !o->restore) {
		if (!o->no_kernels && !o->quiet && !(o->device && strchr(o->device, ',')))
			marks_find(run); /* so that run_checkpoints_tell knows what was taken */
		return PTOWSP_OK;
	}
	if (o->no_kernels)
		return reg_fail(error, PTOWSP_INVALID, "--%s needs kernels to run, leave out --no-kernels", flag);
	if (o->device && strchr(o->device, ','))
		return reg_fail(error, PTOWSP_INVALID, "--%s is for a run on one device, not on %.60s", flag, o->device);
	if (!marks_find(run))
		return reg_fail(error, PTOWSP_INVALID, "--%s: entry %.60s has no TG_CHECKPOINT", flag, ptowsp_plan_entry(run->plan));
	if (o->restore)
		status = restore_open(run, error);
	return status || !o->checkpoint ? status : output_open(&run->checkpoint, o->checkpoint, error);
}

ptowsp_status run_checkpoint_fill(const struct run_tensor *tensor, void *data, uint64_t elements, struct ptowsp_error *error)
{
	if (tensor->mark) {
		memset(data, 0, (size_t)elements);
		if (elements == MARK_BYTES) {
			((uint8_t *)data)[TOOK] = ((uint8_t *)data)[HAD] = 1;
			((uint8_t *)data)[IS_THERE] = tensor->in_file_too;
		}
		return PTOWSP_OK;
	}
	if (elements != tensor->restored_elements)
		return reg_fail(error, PTOWSP_INVALID, "--restore: tensor %.60s has %llu elements here and %llu in the file", tensor->info.name,
				(unsigned long long)elements, (unsigned long long)tensor->restored_elements);
	memcpy(data, tensor->restored, (size_t)elements * common_dtype(tensor->info.dtype)->bytes);
	return PTOWSP_OK;
}

/* ---- --checkpoint ---------------------------------------------------------------------------------------------- */

/* One byte of a mark after the run; what cannot be seen is as it should be. */
static bool mark_byte(const struct run *run, const struct run_tensor *mark, int byte)
{
	struct ptowsp_tensor_view view;

	ptowsp_tensor_view(run->program, (uint32_t)(mark - run->tensors), &view);
	if (!view.data || view.elements != MARK_BYTES)
		return byte == HAD;
	return ((const uint8_t *)view.data)[byte];
}

static bool is_taken(const struct run *run, const struct run_tensor *mark)
{
	return mark_byte(run, mark, IS_TAKEN);
}

void run_checkpoints_tell(const struct run *run)
{
	for (uint32_t i = 0; i < run->tensor_count && !run->options->quiet; i++) {
		const struct run_tensor *mark = &run->tensors[i];

		if (mark->mark && !mark_byte(run, mark, HAD))
			fprintf(stderr,
				"ptowsp-run: TG_RESTORE brought back zeros as checkpoint %.*s, which the run had not taken before and did not begin with; "
				"give one with --restore=FILE\n",
				(int)mark_length(mark), mark->info.name);
	}
}

/* Checkpoints that were taken in this run, and what it began with and left as it was. Names of checkpoints are made here: to be freed. */
static uint32_t items_find(struct run *run, struct checkpoint_item *items)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < run->tensor_count; i++) {
		const struct run_tensor *tensor = &run->tensors[i], *mark = mark_of(run, tensor);
		struct ptowsp_tensor_view view;

		if (!mark || (!is_taken(run, mark) && !mark->in_file_too))
			continue;
		ptowsp_tensor_view(run->program, i, &view);
		items[count].checkpoint = strndup(mark->info.name, mark_length(mark));
		items[count].tensor = tensor->info.name;
		items[count].data = view.data;
		items[count].elements = view.data ? view.elements : 0;
		items[count++].dtype = tensor->info.dtype;
	}
	return count;
}

ptowsp_status run_checkpoint_write(struct run *run, struct ptowsp_error *error)
{
	struct checkpoint_item *items;
	ptowsp_status status = PTOWSP_OK;
	uint32_t count;

	if (!run->options->checkpoint)
		return PTOWSP_OK;
	items = calloc(run->tensor_count + 1u, sizeof(*items));
	if (!items)
		return reg_fail(error, PTOWSP_NO_MEMORY, "no memory for a checkpoint");
	count = items_find(run, items);
	for (uint32_t i = 0; i < count; i++)
		if (!items[i].checkpoint)
			status = reg_fail(error, PTOWSP_NO_MEMORY, "no memory for a checkpoint");
	if (!status && !count)
		status = reg_fail(error, PTOWSP_INVALID, "--checkpoint %.100s: the run took no checkpoint", run->options->checkpoint);
	if (!status)
		status = checkpoint_write(run->checkpoint.file, pkg_digest(run->package->pkg), ptowsp_plan_entry(run->plan), items, count, error);
	if (!status)
		status = output_finish(&run->checkpoint, error);
	for (uint32_t i = 0; i < count; i++)
		free((char *)items[i].checkpoint);
	free(items);
	return status;
}
