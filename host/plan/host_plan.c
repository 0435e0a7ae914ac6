/* SPDX-License-Identifier: MIT */
/* host_plan.c - packages and plans of the embedding API. */
#include "host/plan/host_plan.h"

#include "format/graph/graph_read.h"
#include "ptowsp/workload.h"
#include "registry/common/common_dtype.h"

#include <stdlib.h>
#include <string.h>

#include "host/host_error.h"
#include "ptowsp/task.h"

static ptowsp_status package_wrap(struct ptowsp_package **out, struct pkg *pkg, struct ptowsp_error *error)
{
	struct ptowsp_package *package = calloc(1, sizeof(*package));

	if (!package) {
		pkg_close(pkg);
		return host_fail(error, PTOWSP_NO_MEMORY, "no memory to open a package");
	}
	package->pkg = pkg;
	*out = package;
	return PTOWSP_OK;
}

ptowsp_status ptowsp_package_open(struct ptowsp_package **out, const char *path, uint64_t max_bytes, struct ptowsp_error *error)
{
	struct pkg_limits limits = {max_bytes, max_bytes, max_bytes != 0};
	struct pkg *pkg;
	ptowsp_status status;

	*out = NULL;
	error = host_error_enter(error);
	status = pkg_open(&pkg, path, &limits, error);
	if (!status)
		status = package_wrap(out, pkg, error);
	return host_error_leave(status, error);
}

ptowsp_status ptowsp_package_open_memory(struct ptowsp_package **out, const void *bytes, size_t size, const char *name, uint64_t max_bytes,
					 struct ptowsp_error *error)
{
	struct pkg_limits limits = {max_bytes, max_bytes, max_bytes != 0};
	struct pkg *pkg;
	ptowsp_status status;

	*out = NULL;
	error = host_error_enter(error);
	status = pkg_open_memory(&pkg, bytes, size, name, &limits, error);
	if (!status)
		status = package_wrap(out, pkg, error);
	return host_error_leave(status, error);
}

void ptowsp_package_close(struct ptowsp_package *package)
{
	if (package)
		pkg_close(package->pkg);
	free(package);
}

const char *ptowsp_package_name(const struct ptowsp_package *package)
{
	return pkg_name(package->pkg);
}

const char *ptowsp_package_meta(const struct ptowsp_package *package, const char *key)
{
	return pkg_meta(package->pkg, key);
}

const char *ptowsp_package_target(const struct ptowsp_package *package, uint32_t index)
{
	uint32_t count;
	const char *const *targets = pkg_targets(package->pkg, &count);

	return index < count ? targets[index] : NULL;
}

const char *ptowsp_package_entry(const struct ptowsp_package *package, uint32_t index)
{
	const struct pkg_tables *t = pkg_tables(package->pkg);

	return index < t->entry_count ? pkg_string(t, t->entry[index].name) : NULL;
}

uint32_t ptowsp_package_entry_device(const struct ptowsp_package *package, uint32_t index)
{
	const struct pkg_tables *t = pkg_tables(package->pkg);
	const char *name = ptowsp_package_entry(package, index);
	const struct pkg_place place = {.file = ""};
	struct pkg_graphs graphs;
	uint32_t device = PTOWSP_NONE;

	if (!pkg_graphs_read(&graphs, t, &place) && name)
		for (uint32_t i = 0; i < graphs.count; i++)
			if (!strcmp(pkg_string(t, graphs.rows[i].name), name))
				device = graphs.rows[i].device;
	pkg_graphs_finish(&graphs);
	return device;
}

const char *ptowsp_package_notice(const struct ptowsp_package *package, uint32_t index)
{
	return pkg_notice(package->pkg, index);
}

/* Names of all entries; malloc'd array. */
static const char **entry_names(const struct pkg_tables *t)
{
	const char **names = calloc(t->entry_count + 1u, sizeof(*names));

	for (uint32_t i = 0; names && i < t->entry_count; i++)
		names[i] = pkg_string(t, t->entry[i].name);
	return names;
}

/* Without a name: the one marked as default, else the only one. */
static ptowsp_status entry_find(struct ptowsp_plan *plan, const char *name, struct ptowsp_error *error)
{
	const struct pkg_tables *t = plan->tables;
	const char **names;
	ptowsp_status status;

	for (uint32_t i = 0; i < t->entry_count; i++) {
		bool wanted = name ? !strcmp(pkg_string(t, t->entry[i].name), name) : t->entry[i].flags & PTOWSP_ENTRY_DEFAULT;

		if (wanted || (!name && t->entry_count == 1)) {
			plan->entry = i;
			return PTOWSP_OK;
		}
	}
	if (!t->entry_count)
		return host_fail(error, PTOWSP_NOT_FOUND, "nothing in the package can be run: it has no function, workload or graph");
	names = entry_names(t);
	if (!names)
		return host_fail(error, PTOWSP_NO_MEMORY, "no memory to look up an entry");
	if (name)
		status = reg_fail_unknown(error, PTOWSP_NOT_FOUND, "entry", name, names, t->entry_count);
	else {
		struct reg_text text;
		char sentence[200];

		reg_text_init(&text, sentence, sizeof(sentence));
		reg_text_add(&text, "the package has no default entry; choose one with --entry: ");
		reg_text_add_nearest(&text, "main", names, t->entry_count);
		status = host_fail(error, PTOWSP_NOT_FOUND, "%s", sentence);
	}
	free(names);
	return status;
}

ptowsp_status ptowsp_plan_create(struct ptowsp_plan **out, struct ptowsp_package *package, const struct ptowsp_plan_options *options,
				 struct ptowsp_error *error)
{
	struct ptowsp_plan *plan = calloc(1, sizeof(*plan));
	ptowsp_status status = PTOWSP_OK;

	*out = NULL;
	error = host_error_enter(error);
	if (!plan)
		return host_error_leave(host_fail(error, PTOWSP_NO_MEMORY, "no memory for a plan"), error);
	plan->package = package;
	plan->tables = pkg_tables(package->pkg);
	status = entry_find(plan, options ? options->entry : NULL, error);
	if (!status)
		status = host_usage_scan(&plan->usage, plan->tables, plan->entry, error);
	if (!status)
		status = host_plan_name(plan, error);
	if (!status)
		status = host_plan_schedule(plan, options ? options->schedule : NULL, options ? options->schedule_count : 0, error);
	if (status)
		ptowsp_plan_destroy(plan);
	else
		*out = plan;
	return host_error_leave(status, error);
}

void ptowsp_plan_destroy(struct ptowsp_plan *plan)
{
	if (!plan)
		return;
	host_usage_finish(&plan->usage);
	reg_schedule_finish(&plan->overrides);
	for (size_t i = 0; i < sizeof(plan->replaced) / sizeof(*plan->replaced); i++)
		free(plan->replaced[i]);
	free(plan->tensors);
	free(plan->values);
	free(plan->directives);
	free(plan->sections);
	free(plan);
}

const char *ptowsp_plan_entry(const struct ptowsp_plan *plan)
{
	return pkg_string(plan->tables, plan->tables->entry[plan->entry].name);
}

const char *ptowsp_plan_channel(const struct ptowsp_plan *plan, uint32_t row)
{
	return row < plan->tables->channel_count ? pkg_string(plan->tables, plan->tables->channel[row].name) : "?";
}

const char *ptowsp_plan_process(const struct ptowsp_plan *plan, uint32_t row)
{
	return row < plan->tables->process_count ? pkg_string(plan->tables, plan->tables->process[row].name) : "?";
}

const char *ptowsp_plan_kernel(const struct ptowsp_plan *plan, uint32_t row)
{
	if (row < plan->tables->kernel_count)
		return pkg_string(plan->tables, plan->tables->kernel[row].name);
	return row == plan->tables->kernel_count && plan->usage.opcodes[PTOWSP_OP_COPY] ? "copy" : "?";
}

uint64_t ptowsp_plan_kernel_bytes(const struct ptowsp_plan *plan, uint32_t row)
{
	const struct pkg_tables *t = plan->tables;
	uint64_t bytes = 0;

	for (uint32_t i = 0; row < t->kernel_count && i < t->kernel[row].param_count; i++) {
		const struct ptowsp_param_record *p = &t->param[t->kernel[row].params + i];

		if (p->kind == PTOWSP_PARAM_TENSOR && p->access & PTOWSP_WRITE)
			bytes += (uint64_t)p->rows * p->columns * common_dtype(p->dtype)->bytes;
	}
	return bytes;
}

ptowsp_status host_plan_data_check(const struct ptowsp_plan *plan, struct ptowsp_error *error)
{
	const struct pkg_tables *t = plan->tables;
	bool decide = plan->usage.opcodes[PTOWSP_OP_SLOT_LOAD];

	for (uint32_t i = 0; i < t->axis_count; i++) /* no count: a tensor has the values */
		decide |= (t->axis[i].kind == PTOWSP_AXIS_RAGGED || t->axis[i].kind == PTOWSP_AXIS_SPARSE) && !t->axis[i].count;
	return decide ? host_fail(error, PTOWSP_INVALID, "data of tensors decide which tasks there are, and only a run has them") : PTOWSP_OK;
}

struct ptowsp_load_args host_plan_load_args(const struct ptowsp_plan *plan, const struct ptowsp_section *sections, uint32_t count, uint32_t flags)
{
	struct ptowsp_load_args args = {.head = PTOWSP_HEAD(struct ptowsp_load_args, LOAD_ARGS),
					.sections = sections,
					.section_count = count,
					.section_stride = sizeof(*sections),
					.entry = plan->entry,
					.flags = flags};

	memcpy(args.digest, pkg_digest(plan->package->pkg), sizeof(args.digest));
	return args;
}
