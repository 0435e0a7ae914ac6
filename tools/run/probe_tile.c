/* SPDX-License-Identifier: MIT */
/* probe_tile.c - the rows of operations of portable kernels: packages/probes/tile has an entry for each operation on each type. Results must have the bits of those that cpu_sim leaves, whose
 * interpreter is what the operations mean (any NaN is as good as another), and where the backend counts tasks of its device all must have run there. */
#include "tools/run/probe_backend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "registry/common/common_dtype.h"
#include "registry/common/common_tile.h"
#include "tools/run/run_element.h"

enum { TENSORS = 6, INPUTS = 3, OPERANDS = 256, RESULTS = 16384, BYTES = 200 };

/* One entry by one backend: operands of its own, of indices, of masks; then what it writes of these. */
struct tile_run {
	unsigned char *memory[TENSORS];
	uint64_t tasks, device_tasks;
	ptowsp_status status;
	struct ptowsp_error error;
};

static uint16_t dtype_of(unsigned type, unsigned tensor)
{
	return (uint16_t)(tensor % INPUTS == 1 ? PTOWSP_I32 : tensor % INPUTS == 2 ? PTOWSP_U8 : type);
}

static uint64_t elements_of(unsigned tensor)
{
	return tensor < INPUTS ? OPERANDS : RESULTS;
}

static void tile_run_finish(struct tile_run *r)
{
	for (unsigned t = 0; t < TENSORS; t++)
		free(r->memory[t]);
}

/* Small numbers of both signs that every type holds; indices that rows and elements of a tile have, and from BYTES on those of bytes where elements of any type begin. */
static bool tile_run_init(struct tile_run *r, unsigned type)
{
	bool made = true;

	*r = (struct tile_run){.error = {.head = PTOWSP_HEAD(r->error, ERROR)}};
	for (unsigned t = 0; t < TENSORS; t++) {
		r->memory[t] = calloc(elements_of(t), common_dtype_bytes(dtype_of(type, t)));
		made &= r->memory[t] != NULL;
	}
	for (unsigned i = 0; made && i < OPERANDS; i++) {
		const unsigned drawn = (i * 2654435761u) >> 16;

		element_set((uint16_t)type, r->memory[0], i, ((int)(drawn % 63) - 31) / 4.0);
		element_set(PTOWSP_I32, r->memory[1], i, i < BYTES ? drawn % 4 : drawn % 4 * 8);
		element_set(PTOWSP_U8, r->memory[2], i, drawn % 2);
	}
	return made;
}

static void tasks_count(struct tile_run *r, const struct ptowsp_program *program)
{
	const struct ptowsp_run_stats *stats = ptowsp_stats(program);

	r->tasks = stats->tasks;
#if PTOWSP_ABI_MINOR >= 1
	for (uint32_t i = 0; i < stats->kernel_count; i++)
		r->device_tasks +=
			((const struct ptowsp_kernel_stats *)(const void *)((const char *)stats->kernels + (size_t)i * stats->kernel_stride))->device_tasks;
#endif
}

static void tile_run_go(struct tile_run *r, struct ptowsp_backend *backend, const struct ptowsp_plan *plan, const struct probe_watch *watch)
{
	const struct ptowsp_execute_options options = {.timeout_ns = watch->limit_ms * 1000000};
	static const char *const names[TENSORS] = {"ak", "ai", "am", "ok", "oi", "om"};
	const struct probe_spec spec = {.watch = *watch};
	struct ptowsp_program *program = NULL;

	probe_phase_tell(&spec, PROBE_LOADS);
	r->status = ptowsp_program_load(&program, backend, plan, 0, &r->error);
	for (unsigned t = 0; t < TENSORS && !r->status; t++)
		r->status = ptowsp_tensor_bind(program, names[t], r->memory[t], elements_of(t), &r->error);
	probe_phase_tell(&spec, PROBE_RUNS);
	if (!r->status)
		r->status = ptowsp_execute(program, &options, &r->error);
	probe_phase_tell(&spec, PROBE_RESTS);
	if (!r->status)
		tasks_count(r, program);
	ptowsp_program_unload(program);
}

/* Nobody says which of all NaN a NaN is. */
static bool element_differs(const unsigned char *a, const unsigned char *b, uint16_t dtype, uint64_t i)
{
	const size_t size = common_dtype_bytes(dtype);

	return memcmp(a + i * size, b + i * size, size) && !(isnan(element_get(dtype, a, i)) && isnan(element_get(dtype, b, i)));
}

static bool differ(const struct tile_run *a, const struct tile_run *b, unsigned type)
{
	bool same = true;

	for (unsigned t = INPUTS; t < TENSORS; t++)
		for (uint64_t i = 0; same && i < elements_of(t); i++)
			same = !element_differs(a->memory[t], b->memory[t], dtype_of(type, t), i);
	return !same;
}

static bool counts_tasks(const struct probe *probe)
{
#if PTOWSP_ABI_MINOR >= 1
	const struct ptowsp_cap *cap = ptowsp_backend_cap(probe->backend, PTOWSP_FEATURE_DEVICE_TASKS);

	return cap && cap->state == PTOWSP_STATE_ENFORCED;
#else
	(void)probe;
	return false;
#endif
}

/* Results of both. */
static enum probe_state both_compare(struct probe *probe, const char *entry, unsigned type, const struct tile_run *seen, const struct tile_run *wanted,
				     struct probe_result *result)
{
	probe->device.tasks += seen->device_tasks;
	if (differ(seen, wanted, type))
		return probe_say(result, PROBE_NO_EFFECT, "not so: %s of %s has other bits than by cpu_sim", entry, common_dtype_text(type));
	if (counts_tasks(probe) && seen->device_tasks != seen->tasks)
		return probe_say(result, PROBE_NO_EFFECT, "not so: of %llu tasks on %s %llu ran on the device", (unsigned long long)seen->tasks,
				 common_dtype_text(type), (unsigned long long)seen->device_tasks);
	return PROBE_ENFORCED;
}

static enum probe_state plan_probe(struct probe *probe, struct ptowsp_backend *backend, const char *entry, const struct ptowsp_plan *plan, unsigned type,
				   uint32_t feature, struct probe_result *result)
{
	struct tile_run seen, wanted;
	enum probe_state state;
	bool made = tile_run_init(&wanted, type);

	made &= tile_run_init(&seen, type);
	if (made)
		tile_run_go(&wanted, probe->reference, plan, &probe->watch);
	if (made && !wanted.status)
		tile_run_go(&seen, backend, plan, &probe->watch);
	if (!made)
		state = probe_say(result, PROBE_NOT_PROBED, "no memory for the tensors of a probe");
	else if (wanted.status)
		state = probe_say(result, PROBE_NOT_PROBED, "cpu_sim does not run the probe: %s", wanted.error.text);
	else if (seen.status == PTOWSP_DEVICE_LOST || seen.status == PTOWSP_DEADLINE)
		state = probe_lose(probe, feature, &seen.error, result);
	else if (probe_lacks(seen.status))
		state = probe_say(result, PROBE_NOT_PROBED, "%s", seen.error.text);
	else if (seen.status)
		state = probe_say(result, probe_refuses(seen.status) ? PROBE_REFUSED : PROBE_FAILED, "%s", seen.error.text);
	else
		state = both_compare(probe, entry, type, &seen, &wanted, result);
	tile_run_finish(&seen);
	tile_run_finish(&wanted);
	return state;
}

/* Rows of few types, or of few operations, say nothing of an entry that takes others besides: of comparisons, whose masks are u8, on a device that has f32 alone. */
static bool is_claimed(const struct probe *probe, const struct ptowsp_plan *plan)
{
	struct ptowsp_verdict verdict;
	struct ptowsp_match *match = NULL;
	bool claimed = true;

	if (ptowsp_match_create(&match, probe->backend, plan, 0, NULL))
		return true;
	for (uint32_t i = 0; claimed && ptowsp_match_row(match, i, &verdict); i++)
		claimed = !common_tile_is_feature(verdict.feature) || !verdict.refused;
	ptowsp_match_destroy(match);
	return claimed;
}

/* Probes one entry on one type. *count grows by operations that are there and claimed. */
static enum probe_state entry_probe(struct probe *probe, const char *entry, unsigned type, uint32_t feature, uint32_t *count, struct probe_result *result)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	const struct ptowsp_plan_options options = {.entry = entry};
	const struct ptowsp_backend_options standard = {
		.plugin = "cpu_sim", .plugin_dirs = probe->options.plugin_dirs, .plugin_dir_count = probe->options.plugin_dir_count};
	struct ptowsp_backend *backend = NULL;
	struct ptowsp_package *package;
	struct ptowsp_plan *plan = NULL;
	char name[16];
	enum probe_state state;

	snprintf(name, sizeof(name), "tiles/%s", common_dtype_text(type));
	package = probe_package(probe, name, &error);
	if (!package)
		return probe_say(result, PROBE_NOT_PROBED, "%s", error.text);
	if (ptowsp_plan_create(&plan, package, &options, &error) == PTOWSP_NOT_FOUND)
		return PROBE_ENFORCED; /* the operation does not have the type, or is in all the others */
	if (plan && !is_claimed(probe, plan)) {
		ptowsp_plan_destroy(plan);
		return PROBE_ENFORCED;
	}
	*count += 1;
	state = plan ? PROBE_ENFORCED : probe_say(result, PROBE_FAILED, "%s", error.text);
	if (plan && !probe->reference && ptowsp_backend_open(&probe->reference, &standard, &error))
		state = probe_say(result, PROBE_NOT_PROBED, "cpu_sim, whose bits count, cannot be opened: %s", error.text);
	else if (plan && probe_runner_open(probe, &backend, &error))
		state = probe_say(result, PROBE_NOT_PROBED, "%s", error.text);
	else if (plan)
		state = plan_probe(probe, backend, entry, plan, type, feature, result);
	ptowsp_plan_destroy(plan);
	return state;
}

static const char *entry_name(unsigned op, char *name, size_t size)
{
	const char *text = common_tile_op_text(op);
	char *point;

	if (!text)
		return NULL;
	snprintf(name, size, "%s", text);
	if ((point = strchr(name, '.')))
		*point = '_';
	return name;
}

/* Does the row speak of the operation? That of 0 does of those without one of their own. */
static bool is_meant(const struct probe *probe, unsigned row, unsigned op)
{
	return row ? op == row : op && common_tile_op_text(op) && !ptowsp_backend_cap(probe->backend, PTOWSP_FEATURE_TILE(op));
}

static bool has_own_rows(const struct probe *probe)
{
	bool any = false;

	for (unsigned op = 1; op < COMMON_TILE_OPS && !any; op++)
		any = ptowsp_backend_cap(probe->backend, PTOWSP_FEATURE_TILE(op)) != NULL;
	return any;
}

static enum probe_state each_probe(struct probe *probe, unsigned row, unsigned type, uint32_t *count, struct probe_result *result)
{
	enum probe_state state = PROBE_ENFORCED;
	char name[24];

	for (unsigned op = 1; op < COMMON_TILE_OPS && state == PROBE_ENFORCED; op++)
		if (is_meant(probe, row, op) && entry_name(op, name, sizeof(name)))
			state = entry_probe(probe, name, type, PTOWSP_FEATURE_TILE(row), count, result);
	return state;
}

/* All operations of a type are one entry, so that a device that compiles does so once. Operations are asked one by one where rows differ or are of some types, or where something is wrong. */
static enum probe_state type_probe(struct probe *probe, unsigned row, bool some, unsigned type, uint32_t *count, struct probe_result *result)
{
	enum probe_state state = PROBE_NO_EFFECT, alone;

	if (!row && !some && !has_own_rows(probe))
		state = entry_probe(probe, "all", type, PTOWSP_FEATURE_TILE(0u), count, result);
	else
		return each_probe(probe, row, type, count, result);
	if (state != PROBE_NO_EFFECT)
		return state;
	alone = each_probe(probe, row, type, count, result);
	return alone == PROBE_ENFORCED ? state : alone;
}

void probe_tiles(struct probe *probe, uint32_t feature, struct probe_result *result)
{
	const struct ptowsp_cap *cap = ptowsp_backend_cap(probe->backend, feature);
	enum probe_state state = PROBE_ENFORCED;
	uint32_t count = 0, first = UINT32_MAX;
	char list[96] = "";

	if (!cap || cap->state != PTOWSP_STATE_ENFORCED) {
		probe_say(result, PROBE_NOT_PROBED, "it is not claimed");
		return;
	}
	for (unsigned type = 0; common_dtype(type) && state == PROBE_ENFORCED; type++) {
		const uint32_t before = count;

		if (cap->bits && !(cap->bits >> type & 1))
			continue;
		state = type_probe(probe, feature - PTOWSP_FEATURE_TILE(0u), cap->bits != 0, type, &count, result);
		if (count > before)
			snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s", count > 1 && first != UINT32_MAX ? " " : "",
				 common_dtype_text(type));
		first = count > before ? type : first;
	}
	result->probes = count;
	if (state == PROBE_ENFORCED && count)
		probe_say(result, state, "the bits of cpu_sim: %s%s", list, counts_tasks(probe) ? ", all on the device" : "");
}
