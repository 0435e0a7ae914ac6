/* SPDX-License-Identifier: MIT */
#include "base_caps.h"

#include "backend.h"
#include "device.h"
#include "error.h"
#include "instance.h"
#include "ptowsp/graph.h"
#include "ptowsp/ids.h"
#include "ptowsp/workload.h"
#include "rt/rt.h"
#include <assert.h>
#include <string.h>

/* Rows that the core cannot know: payloads, and the services of the ops and extensions of this library. */
static const struct ptowsp_cap services[] = {
	BASE_CAP(PTOWSP_FEATURE_PAYLOAD(PTOWSP_PAYLOAD_PTO), ENFORCED),
	BASE_CAP(PTOWSP_FEATURE_PAYLOAD(PTOWSP_PAYLOAD_ELF), ENFORCED),
	BASE_CAP(PTOWSP_FEATURE_PAYLOAD(PTOWSP_PAYLOAD_IMAGE), UNSUPPORTED),
	BASE_CAP(PTOWSP_FEATURE_PAYLOAD(PTOWSP_PAYLOAD_SOURCE), UNSUPPORTED),
	BASE_CAP(PTOWSP_FEATURE_TOTAL_CYCLES, ENFORCED),
	BASE_CAP(PTOWSP_FEATURE_KERNEL_CYCLES, ENFORCED),
	BASE_CAP(PTOWSP_FEATURE_STALL_STATS, ENFORCED),
	BASE_CAP(PTOWSP_FEATURE_HIGH_WATER, ENFORCED),
	BASE_CAP(PTOWSP_FEATURE_DEADLOCK_REPORT, ENFORCED),
	BASE_CAP(PTOWSP_FEATURE_DETERMINISTIC, ENFORCED),
	BASE_CAP(PTOWSP_FEATURE_CANCEL, ENFORCED),
	BASE_CAP(PTOWSP_FEATURE_DEADLINE, ENFORCED),
	BASE_CAP(PTOWSP_FEATURE_NO_KERNELS, ENFORCED),
	BASE_CAP(PTOWSP_FEATURE_TASK_TRACE, ENFORCED),
	BASE_CAP(PTOWSP_FEATURE_TASK_GRAPH, ENFORCED),
	BASE_CAP(PTOWSP_FEATURE_SET_VALUES, ENFORCED),
	BASE_CAP(BASE_POLICY(LAYOUT, SHARD), ENFORCED),
	BASE_CAP(PTOWSP_FEATURE_MEMORY_ORDER, RECORDED), /* elements lie in row_major order */
	BASE_CAP(BASE_POLICY(TRACE, TASKS), RECORDED),   /* the host asks for records, or not: the directive changes nothing */
};
/* A filter says which scheduler instance has a task: where there is one, it has all of them. */
static const struct ptowsp_cap of_one_instance[] = {BASE_CAP(PTOWSP_FEATURE_OPCODE(PTOWSP_OP_DISPATCH_FILTER), RECORDED)};

/* Ready tasks wait for worker threads here, which take them in the order that is stated. A single thread runs each task where it is issued. */
static const struct ptowsp_cap in_order[] = {
	BASE_CAP(BASE_POLICY(READY, FIFO), ENFORCED),
	BASE_CAP(BASE_POLICY(READY, WORK_STEAL), ENFORCED),
	BASE_CAP(BASE_POLICY(READY, PRIORITY), ENFORCED),
	BASE_CAP(PTOWSP_FEATURE_GRAPH(PTOWSP_TG_SET_PRIORITY), ENFORCED),
	BASE_CAP(PTOWSP_FEATURE_GRAPH(PTOWSP_CA_AFFINITY), ENFORCED),
};

bool base_in_order(const struct base_model *model, uint32_t threads)
{
	return model->device.dispatch == PTOWSP_DISPATCH_THREADS && model->device.timing == PTOWSP_TIMING_REFERENCE && threads > 1;
}

uint32_t base_caps_order(struct ptowsp_cap rows[BASE_CAPS_LIMIT], uint32_t there)
{
	return BASE_CAPS_ADD(rows, there, in_order);
}

#define OPCODE(op) PTOWSP_FEATURE_OPCODE(PTOWSP_OP_##op)
#define GRAPH(op)  PTOWSP_FEATURE_GRAPH(PTOWSP_##op)
static const struct ptowsp_cap unissued[] = {
	/* the first free executor; one walk has no instances to filter */
	BASE_CAP(BASE_POLICY(DISPATCH, WORK_STEAL), RECORDED),
	BASE_CAP(BASE_POLICY(POOLS, BY_EXEC_UNIT), RECORDED),
	BASE_CAP(OPCODE(DISPATCH_FILTER), RECORDED),
	/* times that only issuing makes; issues that take none leave nothing to hold back */
	BASE_CAP(BASE_POLICY(TIMING, RATE_LIMIT), RECORDED),
	BASE_CAP(BASE_POLICY(ISSUE_COST, CYCLES), RECORDED),
	BASE_CAP(BASE_POLICY(START, THRESHOLD), RECORDED),
	BASE_CAP(BASE_POLICY(START, AFTER_ORCHESTRATION), RECORDED),
	/* resources that are not there */
	BASE_CAP(BASE_POLICY(TENSOR_MAP, CAPACITY), RECORDED),
	BASE_CAP(BASE_POLICY(DEP_LIST, CAPACITY), RECORDED),
	BASE_CAP(BASE_POLICY(HEAP, CAPACITY), RECORDED),
	BASE_CAP(BASE_POLICY(READY_QUEUE, CAPACITY), RECORDED),
	BASE_CAP(OPCODE(ALLOC), RECORDED),
	BASE_CAP(OPCODE(FREE), RECORDED),
	BASE_CAP(GRAPH(MC_ALLOC), RECORDED),
	BASE_CAP(GRAPH(MC_FREE), RECORDED),
	/* more than its platform does: a fence is an order of tasks */
	BASE_CAP(GRAPH(MC_FENCE), ENFORCED),
	/* other devices */
	BASE_CAP(OPCODE(NOTIFY), UNSUPPORTED),
	BASE_CAP(OPCODE(WAIT_NOTIFY), UNSUPPORTED),
	BASE_CAP(GRAPH(SY_NOTIFY), UNSUPPORTED),
	BASE_CAP(GRAPH(SY_WAIT_NOTIFY), UNSUPPORTED),
};

uint32_t base_caps_unissued(struct ptowsp_cap rows[BASE_CAPS_LIMIT], uint32_t there)
{
	return BASE_CAPS_ADD(rows, there, unissued);
}

static int known(const struct ptowsp_cap *rows, uint32_t count, uint32_t feature)
{
	for (uint32_t i = 0; i < count; i++)
		if (rows[i].feature == feature)
			return 1;
	return 0;
}

uint32_t base_caps_add(struct ptowsp_cap rows[BASE_CAPS_LIMIT], uint32_t there, const struct ptowsp_cap *more, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (!known(rows, there, more[i].feature)) {
			assert(there < BASE_CAPS_LIMIT);
			rows[there++] = more[i];
		}
	return there;
}

uint32_t base_caps_state(struct ptowsp_cap rows[BASE_CAPS_LIMIT], uint32_t there, const uint32_t *features, uint32_t count, uint16_t state)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct ptowsp_cap row = {.feature = features[i], .state = state, .evidence = PTOWSP_EVIDENCE_SELF_TESTED};

		there = base_caps_add(rows, there, &row, 1);
	}
	return there;
}

uint32_t base_caps(const struct base_backend *backend, const struct base_options *options, const struct base_model *model,
		   struct ptowsp_cap rows_out[BASE_CAPS_LIMIT])
{
	struct ptowsp_cap others[BASE_CAPS_LIMIT];
	uint32_t there = backend->caps ? backend->caps(options, model, rows_out) : 0;

	if (base_in_order(model, base_threads(0, options)))
		there = base_caps_order(rows_out, there);
	there = BASE_CAPS_ADD(rows_out, there, services);
	if (!options || options->schedulers < 2)
		there = BASE_CAPS_ADD(rows_out, there, of_one_instance);
	there = base_caps_add(rows_out, there, others, rt_capabilities(others, BASE_CAPS_LIMIT));
	there = base_caps_add(rows_out, there, others, rt_platform_capabilities(model->platform, others, BASE_CAPS_LIMIT));
	for (uint32_t i = 0; (backend->untested || model->untested) && i < there; i++)
		rows_out[i].evidence = PTOWSP_EVIDENCE_CLAIMED;
	return there;
}

/* The rows that a user is told: first those of what several scheduler instances refuse, where tasks are issued by the clock of the core. */
static uint32_t caps_told(const struct base_backend *backend, const struct base_options *options, const struct base_model *model,
			  struct ptowsp_cap rows_out[BASE_CAPS_LIMIT])
{
	const bool many = options && options->schedulers > 1 && model->device.timing == PTOWSP_TIMING_REFERENCE;
	struct ptowsp_cap others[BASE_CAPS_LIMIT];
	const uint32_t there = many ? rt_schedulers_capabilities(rows_out, BASE_CAPS_LIMIT) : 0;

	return base_caps_add(rows_out, there, others, base_caps(backend, options, model, others));
}

/* Keeps rows the host knows. */
static uint32_t caps_of_minor(struct ptowsp_cap rows[BASE_CAPS_LIMIT], uint32_t there, uint32_t minor)
{
	uint32_t known = 0;

	for (uint32_t i = 0; i < there; i++)
		if (rows[i].since <= minor)
			rows[known++] = rows[i];
	return known;
}

ptowsp_status base_caps_list(const struct base_backend *backend, struct ptowsp_object *instance, const char *device, struct ptowsp_cap *rows_out,
			     uint32_t stride, uint32_t *count, struct ptowsp_error *error)
{
	const struct base_options *options = base_options_of(instance);
	const struct base_model *model;
	struct ptowsp_cap rows[BASE_CAPS_LIMIT];
	const uint32_t known = stride < sizeof(*rows) ? stride : (uint32_t)sizeof(*rows);
	uint32_t room = *count, there;
	ptowsp_status status = base_model_find(backend, options, device, &model, error);

	if (status)
		return status;
	there = caps_of_minor(rows, caps_told(backend, options, model, rows), base_minor_of(instance));
	*count = there;
	if (room < there)
		return base_fail(error, PTOWSP_MORE, "%s has %u capability rows, there is room for %u", backend->name, there, room);
	if (stride < PTOWSP_CAP_FLOOR_10_0)
		return base_fail(error, PTOWSP_INVALID, "capability rows have at least %u bytes, not %u", PTOWSP_CAP_FLOOR_10_0, stride);
	for (uint32_t i = 0; i < there; i++) {
		char *to = (char *)rows_out + (size_t)i * stride;

		memcpy(to, &rows[i], known);
		memset(to + known, 0, stride - known);
	}
	return PTOWSP_OK;
}
