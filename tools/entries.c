/* SPDX-License-Identifier: MIT */
#include "tools/entries.h"

#include "rt/rt.h"

/* Kernels of which nothing is known: rt then assumes the most. */
static ptowsp_status cycles_unknown(void *context, uint32_t kernel, const uint64_t *args, uint64_t *cycles_out)
{
	(void)context;
	(void)kernel;
	(void)args;
	*cycles_out = 0;
	return PTOWSP_UNSUPPORTED;
}

static ptowsp_status footprint_unknown(void *context, uint32_t kernel, const uint64_t *args, rt_touch_fn touch, void *sink)
{
	(void)context;
	(void)kernel;
	(void)args;
	(void)touch;
	(void)sink;
	return PTOWSP_UNSUPPORTED;
}

static int varies_perhaps(void *context, uint32_t kernel)
{
	(void)context;
	(void)kernel;
	return 1;
}

static ptowsp_status run_never(void *context, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, uint32_t worker)
{
	(void)context;
	(void)task;
	(void)out;
	(void)worker;
	return PTOWSP_UNSUPPORTED;
}

static const char *unusable_unknown(void *context, uint32_t kernel)
{
	(void)context;
	(void)kernel;
	return NULL;
}

#define CAPABILITY_LIMIT 256

/* The schedule is written for the default entry, or the only one. PTOWSP_NONE: there is none. */
static uint32_t entry_default(const struct pkg_tables *t)
{
	for (uint32_t i = 0; i < t->entry_count; i++)
		if (t->entry[i].flags & PTOWSP_ENTRY_DEFAULT)
			return i;
	return t->entry_count == 1 ? 0 : PTOWSP_NONE;
}

/* As a run would load it. */
static ptowsp_status entry_load(const struct rt_program_args *args, struct ptowsp_error *error)
{
	struct rt_program *program = NULL;
	ptowsp_status status = rt_program_create(&program, args, error);

	if (!status)
		status = rt_needs_check(program, error);
	rt_program_destroy(program);
	return status == PTOWSP_UNSUPPORTED ? PTOWSP_OK : status;
}

ptowsp_status entries_verify(const struct pkg *package, struct ptowsp_error *error)
{
	static const struct rt_kernels kernels = {
		.cycles = cycles_unknown, .footprint = footprint_unknown, .varies = varies_perhaps, .run = run_never, .unusable = unusable_unknown};
	static struct ptowsp_cap caps[CAPABILITY_LIMIT];
	struct rt_program_args args = {
		.section_stride = sizeof(struct ptowsp_section), .kernels = &kernels, .caps = caps, .entry = entry_default(pkg_tables(package))};
	ptowsp_status status = PTOWSP_OK;

	args.cap_count = rt_capabilities(caps, CAPABILITY_LIMIT);
	args.sections = pkg_sections(package, &args.section_count);
	if (args.entry != PTOWSP_NONE)
		status = entry_load(&args, error);
	if (!status)
		status = rt_entries_check(&args, error);
	if (status == PTOWSP_INVALID || status == PTOWSP_TOO_SMALL)
		status = error->code = PTOWSP_BAD_PACKAGE;
	return status == PTOWSP_UNSUPPORTED ? PTOWSP_OK : status; /* the schedule, of all entries */
}

ptowsp_status entries_code(struct pkg_code **code_out, struct pkg *package, struct ptowsp_error *error)
{
	ptowsp_status status = entries_verify(package, error);

	*code_out = NULL;
	return status ? status : pkg_code_open(code_out, package, error);
}
