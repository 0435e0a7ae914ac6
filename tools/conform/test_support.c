/* SPDX-License-Identifier: MIT */
/* test_support.c - what a plugin says of kernels before a device is open, by "ptowsp.support/0" (PL15). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "registry/common/common_tile.h"
#include "tools/conform/conform.h"
#include "tools/conform/conform_process.h"
#include "tools/conform/packages.h"

#if PTOWSP_ABI_MINOR < 1
#define NONE(name)                                                                                                                                             \
	void conform_test_##name(struct conform *c)                                                                                                            \
	{                                                                                                                                                      \
		conform_skip(c, "this host is of 10.0, which has no ptowsp.support");                                                                          \
	}
NONE(judge_agrees_with_runs)
NONE(judge_survives_damage)
NONE(judge_opens_nothing)
#else
#include "ptowsp/support.h"

/* init; the extension's table. */
static const struct ptowsp_support_extension *table_of(struct conform *c)
{
	const struct ptowsp_support_extension *table;

	conform_init(c);
	table = c->plugin->minor >= 1 ? c->plugin->ops.extension(c->instance, PTOWSP_EXTENSION_SUPPORT) : NULL;
	if (!table)
		conform_skip(c, "it has no %s: capability rows say all that there is to say", PTOWSP_EXTENSION_SUPPORT);
	CONFORM_MUST(c, table->head.size >= sizeof(*table) && table->head.type == PTOWSP_STRUCT_EXTENSION && table->judge, "%s has no head, or no judge (PL2)",
		     PTOWSP_EXTENSION_SUPPORT);
	return table;
}

static ptowsp_status judge(struct conform *c, const struct ptowsp_support_extension *table, struct conform_program *p, void *rows, uint32_t stride)
{
	p->load.sections = p->sections;
	snprintf(c->record->package, sizeof(c->record->package), "%s", p->name);
	conform_before(c, "judge");
	return conform_after(
		c, table->judge(c->instance, NULL, conform_lend_copy(c, &p->load, sizeof(p->load)), rows, stride, p->plan->tables->kernel_count, &c->error),
		false);
}

/* One row is sound by itself, and what lies behind it is as it was. */
static void row_check(struct conform *c, const struct conform_program *p, uint32_t k, const char *at, uint32_t stride)
{
	const struct ptowsp_kernel_support *row = (const void *)at;
	const struct ptowsp_kernel_record *kernel = &p->plan->tables->kernel[k];

	CONFORM_MUST(c, row->verdict <= PTOWSP_SUPPORT_DEVICE, "%s: the verdict of kernel %u is %u, which is none (PL15)", p->name, k, row->verdict);
	CONFORM_MUST(c, row->payload == UINT16_MAX || row->payload < kernel->payload_count, "%s: kernel %u has no payload %u (PL15)", p->name, k, row->payload);
	CONFORM_MUST(c, row->opcode == PTOWSP_NONE || common_tile_op_text(row->opcode) || !row->verdict,
		     "%s: the row of kernel %u is about operation 0x%x, which is none (PL15)", p->name, k, row->opcode);
	CONFORM_MUST(c, memchr(row->reason, 0, sizeof(row->reason)), "%s: the reason of kernel %u has no end (PL15)", p->name, k);
	CONFORM_MUST(c, *row->reason || (row->verdict != PTOWSP_SUPPORT_NO && row->verdict != PTOWSP_SUPPORT_HOST),
		     "%s: kernel %u does not run on the device, and no reason is given (PL15)", p->name, k);
	for (uint32_t i = sizeof(*row); i < stride; i++)
		CONFORM_MUST(c, !at[i], "%s: bytes behind row %u, stride %u, were written (PL2)", p->name, k, stride);
}

/* Tasks of kernel k, and those of them that the device executed. */
static void tasks_read(struct conform *c, const struct conform_program *p, uint32_t k, uint64_t *tasks_out, uint64_t *device_out)
{
	struct ptowsp_run_stats stats = {.head = PTOWSP_HEAD(stats, RUN_STATS)};

	*tasks_out = *device_out = 0;
	conform_ok(c, CONFORM_CALL(c, stats, p->object, &stats, &c->error), "stats behind a run");
	for (uint32_t i = 0; i < stats.kernel_count; i++) {
		struct ptowsp_kernel_stats row = {0};

		memcpy(&row, (const char *)stats.kernels + (size_t)i * stats.kernel_stride,
		       stats.kernel_stride < sizeof(row) ? stats.kernel_stride : sizeof(row));
		if (row.kernel == k) {
			*tasks_out = row.tasks;
			*device_out = row.device_tasks;
		}
	}
}

/* The run of what was judged. */
static void agree(struct conform *c, struct conform_program *p, const char *rows, uint32_t stride, bool counted)
{
	ptowsp_status status;

	if (conform_program_load(c, c->device, p))
		return; /* for another reason: its rows say nothing of the program as a whole */
	status = conform_run(c, c->device, p, 0, 0);
	for (uint32_t k = 0; k < p->plan->tables->kernel_count; k++) {
		const struct ptowsp_kernel_support *row = (const void *)(rows + (size_t)k * stride);
		uint64_t tasks, device;

		tasks_read(c, p, k, &tasks, &device);
		CONFORM_MUST(c, status || row->verdict != PTOWSP_SUPPORT_NO || !tasks,
			     "%s: kernel %u cannot run, it says (%.100s), and %llu tasks of it did (PL15)", p->name, k, row->reason, (unsigned long long)tasks);
		CONFORM_MUST(c, status || row->verdict != PTOWSP_SUPPORT_HOST || !device,
			     "%s: the processor runs kernel %u, it says, and the device ran %llu tasks of it (PL15)", p->name, k, (unsigned long long)device);
		CONFORM_MUST(c, status || row->verdict != PTOWSP_SUPPORT_DEVICE || !counted || device == tasks,
			     "%s: the device runs kernel %u, it says, and ran %llu of %llu tasks (PL15)", p->name, k, (unsigned long long)device,
			     (unsigned long long)tasks);
	}
	conform_program_unload(c, p);
}

void conform_test_judge_agrees_with_runs(struct conform *c)
{
	const struct ptowsp_support_extension *table = table_of(c);
	struct conform_program p;
	char name[64];
	bool counted;

	counted = conform_claim(c, PTOWSP_FEATURE_DEVICE_TASKS) == PTOWSP_STATE_ENFORCED;
	conform_ok(c, conform_device_open(c, 1, &c->device), "open of the first device");
	conform_match_begin(c);
	for (uint32_t i = 0; conform_program_at(c, i, name); i++) {
		const uint32_t stride = sizeof(struct ptowsp_kernel_support) + 8 * (i % 3);
		char *rows;

		if (!strcmp(name, "tasks:long") || !conform_program_find(c, &p, name) || !conform_program_fits(c, &p) || !p.plan->tables->kernel_count)
			continue;
		rows = conform_lend(c, (size_t)stride * p.plan->tables->kernel_count);
		memset(rows, 0, (size_t)stride * p.plan->tables->kernel_count);
		conform_ok(c, judge(c, table, &p, rows, stride), "judge of a package that it takes");
		for (uint32_t k = 0; k < p.plan->tables->kernel_count; k++)
			row_check(c, &p, k, rows + (size_t)k * stride, stride);
		agree(c, &p, rows, stride, counted);
	}
	conform_match_end(c);
	conform_close(c);
}

void conform_test_judge_survives_damage(struct conform *c)
{
	const struct ptowsp_support_extension *table = table_of(c);
	static struct conform_program programs[CONFORM_SUBJECTS];
	const uint32_t count = conform_subjects_find(c, programs);

	for (uint32_t i = 0; i < c->rounds; i++) {
		struct conform_program p = programs[i % count];

		if (!p.plan->tables->kernel_count || !conform_damage(c, &p, PTOWSP_SECTION_CODE, c->seed + i + 1))
			continue;
		judge(c, table, &p, conform_lend(c, sizeof(struct ptowsp_kernel_support) * p.plan->tables->kernel_count), sizeof(struct ptowsp_kernel_support));
		while (c->lent_count > c->taken)
			conform_lent_drop(c);
	}
	c->record->seed = 0;
	conform_close(c);
}

/* The first descriptor that is open now and was not, -1: none. */
static int opened(const struct conform_process *before, const struct conform_process *now)
{
	for (int d = 0; d < PROCESS_DESCRIPTORS; d++)
		if (now->descriptors[d] && !before->descriptors[d])
			return d;
	return -1;
}

void conform_test_judge_opens_nothing(struct conform *c)
{
	static struct conform_process before, now;
	const struct ptowsp_support_extension *table = table_of(c);
	const uint64_t held = c->services.bytes;
	struct conform_program p;

	conform_program_choose(c, &p, conform_short_programs);
	conform_process_look(&before);
	for (int i = 0; i < 3; i++) {
		void *rows = conform_lend(c, sizeof(struct ptowsp_kernel_support) * (p.plan->tables->kernel_count + 1u));

		judge(c, table, &p, rows, sizeof(struct ptowsp_kernel_support));
		CONFORM_MUST(c, c->services.bytes == held, "judge left %llu bytes of host->alloc (PL15)", (unsigned long long)(c->services.bytes - held));
	}
	conform_process_compare(c, &before, "judge");
	conform_process_look(&now);
	CONFORM_MUST(c, opened(&before, &now) < 0, "judge left descriptor %d open (PL15)", opened(&before, &now));
	CONFORM_MUST(c, now.threads == before.threads, "judge left threads: there were %u, and there are %u (PL15)", before.threads, now.threads);
	conform_close(c);
}
#endif
