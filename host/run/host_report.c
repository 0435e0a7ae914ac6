/* SPDX-License-Identifier: MIT */
/* host_report.c - copying results of plugins: sizes and strides are theirs, the copies are ours. */
#include "host/run/host_report.h"

#include <stdlib.h>
#include <string.h>

#include "host/call/struct_check.h"
#include "host/host_error.h"

enum { ROW_LIMIT = 1 << 20 }; /* more resources or kernels than that is a lie */

/* Rows of another stride as own rows, as far as both sides know them; what is missing is zero. NULL for none. */
static ptowsp_status rows_copy(void **rows_out, const void *rows, uint32_t count, uint32_t stride, enum host_struct_id id, uint32_t minor)
{
	const size_t own = host_structs[id].size, known = host_struct_size(id, minor), take = stride < known ? stride : known;
	unsigned char *copy;

	*rows_out = NULL;
	if (!count || !rows || !stride)
		return PTOWSP_OK;
	copy = calloc(count, own);
	if (!copy)
		return PTOWSP_NO_MEMORY;
	for (uint32_t i = 0; i < count; i++)
		memcpy(copy + i * own, (const unsigned char *)rows + (size_t)i * stride, take);
	*rows_out = copy;
	return PTOWSP_OK;
}

/* A struct of another size as our own, as far as both sides know it; what it lacks is zero. */
static void head_copy(enum host_struct_id id, void *out, const struct ptowsp_head *from, uint32_t minor)
{
	const size_t own = host_structs[id].size, known = host_struct_size(id, minor);

	memset(out, 0, own);
	memcpy(out, from, from->size < known ? from->size : known);
	((struct ptowsp_head *)out)->size = (uint32_t)own;
}

/* Texts end, whatever the plugin wrote. */
static void texts_end(enum host_struct_id id, void *at)
{
	for (unsigned i = 0; i < host_structs[id].field_count; i++) {
		const struct host_field *f = &host_structs[id].fields[i];

		if (f->kind == HOST_FIELD_TEXT)
			((char *)at)[f->offset + f->size - 1] = '\0';
	}
}

static void *rows_of(const struct host_field *f, const struct ptowsp_run_stats *stats)
{
	void *rows;

	memcpy(&rows, (const char *)stats + f->offset, sizeof(rows));
	return rows;
}

static void rows_set(const struct host_field *f, struct ptowsp_run_stats *stats, void *rows, uint32_t count)
{
	const uint32_t stride = host_structs[f->of].size;

	memcpy((char *)stats + f->offset, &rows, sizeof(rows));
	memcpy((char *)stats + f->count, &count, sizeof(count));
	memcpy((char *)stats + f->stride, &stride, sizeof(stride));
}

/* Every field of statistics that is rows. */
#define EACH_ROWS(f)                                                                                                                                           \
	for (const struct host_field *f = host_structs[HOST_STRUCT_run_stats].fields, *f##_end = f + host_structs[HOST_STRUCT_run_stats].field_count;          \
	     f < f##_end; f++)                                                                                                                                 \
		if (f->kind == HOST_FIELD_ROWS)

void host_stats_finish(struct ptowsp_run_stats *stats)
{
	EACH_ROWS(f)
	free(rows_of(f, stats));
	*stats = (struct ptowsp_run_stats){.head = PTOWSP_HEAD(struct ptowsp_run_stats, RUN_STATS)};
}

ptowsp_status host_stats_copy(struct ptowsp_run_stats *out, const struct ptowsp_run_stats *stats, uint32_t minor)
{
	ptowsp_status status = PTOWSP_OK;

	host_stats_finish(out);
	head_copy(HOST_STRUCT_run_stats, out, &stats->head, minor);
	texts_end(HOST_STRUCT_run_stats, out);
	EACH_ROWS(f)
	{
		uint32_t count = (uint32_t)host_field_number(out, f->count, sizeof(count));
		void *rows = NULL;

		if (!status)
			status = rows_copy(&rows, rows_of(f, out), count, host_field_stride(f, out), f->of, minor);
		count = rows ? count : 0;
		rows_set(f, out, rows, count);
		for (uint32_t i = 0; i < count; i++)
			texts_end(f->of, (char *)rows + (size_t)i * host_structs[f->of].size);
	}
	return status;
}

/* Rows of `done` are not looked at: there may be none of them. */
static bool counts_are_absurd(const struct ptowsp_run_stats *stats, uint32_t minor)
{
	struct ptowsp_run_stats own;

	head_copy(HOST_STRUCT_run_stats, &own, &stats->head, minor);
	EACH_ROWS(f)
	if (host_field_count(f, &own) > ROW_LIMIT && rows_of(f, &own) && host_field_stride(f, &own))
		return true;
	return false;
}

const char *host_done_breach(const struct ptowsp_done *done, uint32_t minor)
{
	if (!done->stats)
		return "no statistics";
	if (done->status > 0)
		return "a positive status";
	return counts_are_absurd(done->stats, minor) ? "absurd counts" : NULL;
}

ptowsp_status host_done_refuse(const char *breach, struct ptowsp_error *error)
{
	return host_fail(error, PTOWSP_DEVICE_LOST, "the plugin broke the rules of done: %s", breach);
}

static void error_copy(struct host_report *report, const struct ptowsp_done *done, uint32_t minor)
{
	if (!done->error || done->error->head.size < offsetof(struct ptowsp_error, text)) {
		reg_fail(&report->error, report->status, "the plugin ended the run without a sentence");
		return;
	}
	head_copy(HOST_STRUCT_error, &report->error, &done->error->head, minor);
	report->error.code = report->status;
	host_line(report->error.text, sizeof(report->error.text));
	if (!report->error.text[0])
		reg_fail(&report->error, report->status, "the plugin ended the run without a sentence");
}

void host_report_fill(struct host_report *report, const struct ptowsp_done *done, uint32_t minor)
{
	const char *breach = host_done_breach(done, minor);
	ptowsp_status status = PTOWSP_OK;

	host_report_finish(report);
	report->status = done->status;
	if (!breach)
		status = host_stats_copy(&report->stats, done->stats, minor);
	if (breach)
		report->status = host_done_refuse(breach, &report->error);
	else if (status)
		report->status = host_fail(&report->error, status, "no memory for the run's statistics");
	else if (report->status)
		error_copy(report, done, minor);
	if (report->status == PTOWSP_DEADLOCK && done->deadlock) {
		head_copy(HOST_STRUCT_deadlock, &report->deadlock, &done->deadlock->head, minor);
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
