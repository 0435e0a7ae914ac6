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

/* How many entries come to at most so many bytes, each with all tables; one at least. */
static uint32_t entries_within(const struct pkg *package, uint64_t most)
{
	const uint32_t count = pkg_tables(package)->entry_count;
	uint32_t sections;
	const struct ptowsp_section *section = pkg_sections(package, &sections);
	uint64_t bytes = 1;

	for (uint32_t i = 0; i < sections; i++)
		bytes += section[i].count * section[i].stride;
	return !most || count <= most / bytes ? count : most < bytes ? 1 : (uint32_t)(most / bytes);
}

static uint32_t default_of(const struct pkg_tables *t)
{
	for (uint32_t i = 0; i < t->entry_count; i++)
		if (t->entry[i].flags & PTOWSP_ENTRY_DEFAULT)
			return i;
	return 0;
}

ptowsp_status entries_verify(const struct pkg *package, uint64_t most, uint32_t *count_out, struct ptowsp_error *error)
{
	static const struct rt_kernels kernels = {NULL, cycles_unknown, footprint_unknown, varies_perhaps, run_never, unusable_unknown, NULL, NULL, NULL};
	static struct ptowsp_cap caps[CAPABILITY_LIMIT];
	struct rt_program_args args = {.section_stride = sizeof(struct ptowsp_section), .kernels = &kernels, .caps = caps};
	const uint32_t all = pkg_tables(package)->entry_count, count = entries_within(package, most), first = count < all ? default_of(pkg_tables(package)) : 0;
	ptowsp_status st = PTOWSP_OK;

	*count_out = 0;
	args.cap_count = rt_capabilities(caps, CAPABILITY_LIMIT);
	args.sections = pkg_sections(package, &args.section_count);
	for (uint32_t i = 0; i < count && !st; i++) {
		struct rt_program *program = NULL;

		args.entry = (first + i) % all;
		st = rt_program_create(&program, &args, error);
		if (!st && (pkg_tables(package)->entry[args.entry].flags & PTOWSP_ENTRY_DEFAULT || all == 1)) /* the schedule is written for it */
			st = rt_needs_check(program, error);
		rt_program_destroy(program);
		++*count_out;
		if (st == PTOWSP_UNSUPPORTED)
			st = PTOWSP_OK;
		else if (st == PTOWSP_INVALID || st == PTOWSP_TOO_SMALL)
			st = error->code = PTOWSP_BAD_PACKAGE;
	}
	return st;
}

ptowsp_status entries_code(struct pkg_code **code_out, struct pkg *package, struct ptowsp_error *error)
{
	uint32_t entries;
	ptowsp_status st = entries_verify(package, 0, &entries, error);

	*code_out = NULL;
	return st ? st : pkg_code_open(code_out, package, error);
}
