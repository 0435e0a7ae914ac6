/* SPDX-License-Identifier: MIT */
/* report.c - copying results of plugins: sizes and strides are theirs, the copies are ours. */
#include "host/report.h"

#include <stdlib.h>
#include <string.h>

#include "host/error.h"

enum { ROW_LIMIT = 1 << 20 }; /* more resources or kernels than that is a lie */

/* Rows of another stride as own rows; missing fields are zero. NULL for none. */
static ptowsp_status rows_copy(void **rows_out, const void *rows, uint32_t count, uint32_t stride, size_t own)
{
	size_t take = stride < own ? stride : own;
	unsigned char *copy;

	*rows_out = NULL;
	if (!count || !rows || !stride)
		return PTOWSP_OK;
	if (count > ROW_LIMIT)
		return PTOWSP_INVALID;
	copy = calloc(count, own);
	if (!copy)
		return PTOWSP_NO_MEMORY;
	for (uint32_t i = 0; i < count; i++)
		memcpy(copy + i * own, (const unsigned char *)rows + (size_t)i * stride, take);
	*rows_out = copy;
	return PTOWSP_OK;
}

/* A struct of another size as our own; what it lacks is zero. */
static void head_copy(void *out, size_t own, const struct ptowsp_head *from)
{
	size_t take = from->size < own ? from->size : own;

	memset(out, 0, own);
	memcpy(out, from, take);
	((struct ptowsp_head *)out)->size = (uint32_t)own;
}

void host_stats_finish(struct ptowsp_run_stats *stats)
{
	free((void *)(uintptr_t)stats->resources);
	free((void *)(uintptr_t)stats->kernels);
	free((void *)(uintptr_t)stats->channels);
	free((void *)(uintptr_t)stats->processes);
	free((void *)(uintptr_t)stats->layouts);
	free((void *)(uintptr_t)stats->schedulers);
	free((void *)(uintptr_t)stats->pipes);
	*stats = (struct ptowsp_run_stats){.head = PTOWSP_HEAD(struct ptowsp_run_stats, RUN_STATS)};
}

ptowsp_status host_stats_copy(struct ptowsp_run_stats *out, const struct ptowsp_run_stats *stats)
{
	void *resources = NULL, *kernels = NULL, *channels = NULL, *processes = NULL, *layouts = NULL, *schedulers = NULL, *pipes = NULL;
	struct ptowsp_run_stats full;
	ptowsp_status st;

	host_stats_finish(out);
	head_copy(&full, sizeof(full), &stats->head);
	st = rows_copy(&resources, full.resources, full.resource_count, full.resource_stride,
		       sizeof(struct ptowsp_resource_stats));
	if (!st)
		st = rows_copy(&kernels, full.kernels, full.kernel_count, full.kernel_stride,
			       sizeof(struct ptowsp_kernel_stats));
	if (!st)
		st = rows_copy(&channels, full.channels, full.channel_count, full.channel_stride,
			       sizeof(struct ptowsp_channel_stats));
	if (!st)
		st = rows_copy(&processes, full.processes, full.process_count, full.process_stride, sizeof(struct ptowsp_process_stats));
	if (!st)
		st = rows_copy(&layouts, full.layouts, full.layout_count, full.layout_stride, sizeof(struct ptowsp_layout_stats));
	full.layouts = layouts;
	full.layout_count = layouts ? full.layout_count : 0;
	full.layout_stride = sizeof(struct ptowsp_layout_stats);
	for (uint32_t i = 0; i < full.layout_count; i++) {
		struct ptowsp_layout_stats *row = (struct ptowsp_layout_stats *)layouts + i;

		row->layout[sizeof(row->layout) - 1] = '\0';
	}
	if (!st)
		st = rows_copy(&schedulers, full.schedulers, full.scheduler_count, full.scheduler_stride, sizeof(struct ptowsp_scheduler_stats));
	if (!st)
		st = rows_copy(&pipes, full.pipes, full.pipe_count, full.pipe_stride, sizeof(struct ptowsp_pipe_stats));
	full.pipes = pipes;
	full.pipe_count = pipes ? full.pipe_count : 0;
	full.pipe_stride = sizeof(struct ptowsp_pipe_stats);
	for (uint32_t i = 0; i < full.pipe_count; i++) {
		struct ptowsp_pipe_stats *row = (struct ptowsp_pipe_stats *)pipes + i;

		row->name[sizeof(row->name) - 1] = '\0';
	}
	full.schedulers = schedulers;
	full.scheduler_count = schedulers ? full.scheduler_count : 0;
	full.scheduler_stride = sizeof(struct ptowsp_scheduler_stats);
	full.processes = processes;
	full.process_count = processes ? full.process_count : 0;
	full.process_stride = sizeof(struct ptowsp_process_stats);
	full.channels = channels;
	full.channel_count = channels ? full.channel_count : 0;
	full.channel_stride = sizeof(struct ptowsp_channel_stats);
	full.resources = resources;
	full.kernels = kernels;
	full.resource_count = resources ? full.resource_count : 0;
	full.kernel_count = kernels ? full.kernel_count : 0;
	full.resource_stride = sizeof(struct ptowsp_resource_stats);
	full.kernel_stride = sizeof(struct ptowsp_kernel_stats);
	for (uint32_t i = 0; i < full.resource_count; i++) {
		struct ptowsp_resource_stats *row = (struct ptowsp_resource_stats *)resources + i;

		row->name[sizeof(row->name) - 1] = '\0';
	}
	full.auto_axis[sizeof(full.auto_axis) - 1] = '\0';
	*out = full;
	return st;
}

static void error_copy(struct host_report *report, const struct ptowsp_done *done)
{
	if (!done->error || done->error->head.size < offsetof(struct ptowsp_error, text)) {
		reg_fail(&report->error, report->status, "the plugin ended the run without a sentence");
		return;
	}
	head_copy(&report->error, sizeof(report->error), &done->error->head);
	report->error.code = report->status;
	report->error.text[sizeof(report->error.text) - 1] = '\0';
	if (!report->error.text[0])
		reg_fail(&report->error, report->status, "the plugin ended the run without a sentence");
}

void host_report_fill(struct host_report *report, const struct ptowsp_done *done)
{
	ptowsp_status st = PTOWSP_OK;

	host_report_finish(report);
	report->status = done->status;
	if (done->stats)
		st = host_stats_copy(&report->stats, done->stats);
	if (report->status > 0 || !done->stats || st == PTOWSP_INVALID)
		report->status = host_fail(&report->error, PTOWSP_DEVICE_LOST, "the plugin broke the rules of done: %s",
					   !done->stats ? "no statistics" : report->status > 0 ? "a positive status" : "absurd counts");
	else if (st)
		report->status = host_fail(&report->error, st, "no memory for the run's statistics");
	else if (report->status)
		error_copy(report, done);
	if (report->status == PTOWSP_DEADLOCK && done->deadlock) {
		head_copy(&report->deadlock, sizeof(report->deadlock), &done->deadlock->head);
		report->deadlock.option[sizeof(report->deadlock.option) - 1] = '\0';
		report->deadlock.text[sizeof(report->deadlock.text) - 1] = '\0';
		if (done->deadlock->head.size < offsetof(struct ptowsp_deadlock, waiting))
			report->deadlock.channel = PTOWSP_NONE; /* zero would be a row */
	}
}

void host_report_finish(struct host_report *report)
{
	host_stats_finish(&report->stats);
	report->status = PTOWSP_OK;
	report->error = (struct ptowsp_error){PTOWSP_HEAD(struct ptowsp_error, ERROR), 0, 0, 0, 0, {0, 0}, ""};
	report->deadlock = (struct ptowsp_deadlock){.head = PTOWSP_HEAD(struct ptowsp_deadlock, DEADLOCK)};
}
