/* SPDX-License-Identifier: MIT */
/* notify.c - notifications between the devices of one run: a device's own stay here, the rest goes through the backend. */
#include "registry/common/common_grow.h"
#include "rt/program/rt_error.h"
#include "rt/run/rt_run.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLICE_NS UINT64_C(10000000) /* between two looks at deadline and cancel */

void rt_notices_finish(struct rt_notices *notices)
{
	free(notices->rows);
	memset(notices, 0, sizeof(*notices));
}

static const char *here(const struct rt_run *run, uint32_t instruction, char *text, size_t size)
{
	return rt_position(&run->program->tables, instruction, text, size);
}

/* The place and the reason before what the backend says. */
static ptowsp_status failed(struct rt_run *run, uint32_t instruction, ptowsp_status status)
{
	char text[160], why[sizeof(run->error->text)];

	snprintf(why, sizeof(why), "%s", run->error->text);
	return rt_fail_at(run->error, status, run->tasks, UINT64_MAX, "%s: %.200s", here(run, instruction, text, sizeof(text)), why);
}

/* Everything issued has ended and the clock knows when. */
static ptowsp_status settle(struct rt_run *run, uint32_t instruction)
{
	char text[160];

	if (run->program->schedule.built)
		return rt_fail_at(run->error, PTOWSP_UNSUPPORTED, run->tasks, UINT64_MAX,
				  "%s: devices tell each other while tasks run, and start=after_orchestration runs none before all are issued",
				  here(run, instruction, text, sizeof(text)));
	return rt_wait_tasks(run, run->tasks);
}

static ptowsp_status send(struct rt_run *run, uint32_t instruction, uint32_t device, uint32_t number)
{
	struct rt_notices *notices = &run->notices;
	ptowsp_status status = settle(run, instruction);
	uint64_t when = run->clock.now > run->clock.total ? run->clock.now : run->clock.total;

	if (status)
		return status;
	if (device != (run->notify ? run->notify->device : 0)) {
		if (!run->notify)
			status = rt_fail(run->error, PTOWSP_INVALID, "this run has one device; give it more with --device=SEL,SEL");
		else
			status = run->notify->send(run->notify->context, device, number, when, run->error);
		return status ? failed(run, instruction, status) : PTOWSP_OK;
	}
	if (!COMMON_GROW(notices->rows, notices->room, notices->count))
		return rt_no_memory(run->error, "notifications");
	notices->rows[notices->count++] = (struct rt_notice){when, number, false};
	return PTOWSP_OK;
}

static ptowsp_status own_take(struct rt_run *run, uint32_t number, uint64_t *cycles_out)
{
	struct rt_notices *notices = &run->notices;

	for (uint32_t i = 0; i < notices->count; i++)
		if (notices->rows[i].number == number && !notices->rows[i].taken) {
			notices->rows[i].taken = true;
			*cycles_out = notices->rows[i].cycles;
			return PTOWSP_OK;
		}
	return rt_fail(run->error, PTOWSP_DEADLOCK, "it waits for notification %u of itself, which never comes", number);
}

static ptowsp_status other_take(struct rt_run *run, uint32_t device, uint32_t number, uint64_t *cycles_out)
{
	ptowsp_status status = PTOWSP_AGAIN, look = PTOWSP_OK;

	while (status == PTOWSP_AGAIN && !look) {
		look = rt_look(run);
		if (!look)
			status = run->notify->take(run->notify->context, device, number, rt_now_ns(run->program) + SLICE_NS, cycles_out, run->error);
	}
	return look ? look : status;
}

static ptowsp_status never_told(struct rt_run *run, uint32_t instruction)
{
	struct ptowsp_deadlock report = rt_sync_deadlock(run, instruction);

	snprintf(report.text, sizeof(report.text), "%.250s; every other device of the run has ended or waits too, no capacity is a cure", run->error->text);
	rt_deadlock_give(run->deadlock, &report);
	return PTOWSP_DEADLOCK;
}

static ptowsp_status take(struct rt_run *run, uint32_t instruction, uint32_t device, uint32_t number)
{
	uint64_t cycles = 0;
	ptowsp_status status = settle(run, instruction); /* tasks that others may wait for go on */

	if (status)
		return status;
	if (device == (run->notify ? run->notify->device : 0))
		status = own_take(run, number, &cycles);
	else if (run->notify)
		status = other_take(run, device, number, &cycles);
	else
		status = rt_fail(run->error, PTOWSP_INVALID, "this run has one device; give it more with --device=SEL,SEL");
	if (status)
		status = failed(run, instruction, status);
	if (status == PTOWSP_DEADLOCK)
		return never_told(run, instruction);
	return status ? status : rt_clock_failed(run, rt_lag_sync(&run->lag, PTOWSP_OP_WAIT_NOTIFY, cycles, 0));
}

ptowsp_status rt_notify_take(struct rt_run *run, uint32_t instruction)
{
	const struct rt_ins *in = &run->program->code[instruction];

	return in->op == PTOWSP_OP_NOTIFY ? send(run, instruction, in->count, in->slot) : take(run, instruction, in->count, in->slot);
}
