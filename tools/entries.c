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

/* As a run would load it: the sentence says all that is known. The schedule is written for the default entry. */
static ptowsp_status entry_load(const struct pkg *package, const struct rt_program_args *args, struct ptowsp_error *error)
{
	const struct pkg_tables *t = pkg_tables(package);
	struct rt_program *program = NULL;
	ptowsp_status st = rt_program_create(&program, args, error);

	if (!st && (t->entry[args->entry].flags & PTOWSP_ENTRY_DEFAULT || t->entry_count == 1))
		st = rt_needs_check(program, error);
	rt_program_destroy(program);
	return st;
}

static ptowsp_status entry_verify(const struct pkg *package, struct rt_entries *entries, const struct rt_program_args *args, struct ptowsp_error *error)
{
	const struct pkg_tables *t = pkg_tables(package);
	const bool alone = t->entry[args->entry].flags & PTOWSP_ENTRY_DEFAULT || t->entry_count == 1;
	ptowsp_status st = alone ? PTOWSP_OK : rt_entries_verify(entries, args->entry, error);

	return alone || (st && st != PTOWSP_UNSUPPORTED && st != PTOWSP_NO_MEMORY) ? entry_load(package, args, error) : st;
}

ptowsp_status entries_verify(const struct pkg *package, struct ptowsp_error *error)
{
	static const struct rt_kernels kernels = {NULL, cycles_unknown, footprint_unknown, varies_perhaps, run_never, unusable_unknown, NULL, NULL, NULL};
	static struct ptowsp_cap caps[CAPABILITY_LIMIT];
	struct rt_program_args args = {.section_stride = sizeof(struct ptowsp_section), .kernels = &kernels, .caps = caps};
	struct rt_entries *entries;
	ptowsp_status st;

	args.cap_count = rt_capabilities(caps, CAPABILITY_LIMIT);
	args.sections = pkg_sections(package, &args.section_count);
	st = rt_entries_create(&entries, &args, error);
	for (uint32_t i = 0; i < pkg_tables(package)->entry_count && !st; i++) {
		args.entry = i;
		st = entry_verify(package, entries, &args, error);
		st = st == PTOWSP_UNSUPPORTED ? PTOWSP_OK : st;
	}
	rt_entries_destroy(entries);
	if (st == PTOWSP_INVALID || st == PTOWSP_TOO_SMALL)
		st = error->code = PTOWSP_BAD_PACKAGE;
	return st == PTOWSP_UNSUPPORTED ? PTOWSP_OK : st; /* the schedule, of all entries */
}

ptowsp_status entries_code(struct pkg_code **code_out, struct pkg *package, struct ptowsp_error *error)
{
	ptowsp_status st = entries_verify(package, error);

	*code_out = NULL;
	return st ? st : pkg_code_open(code_out, package, error);
}
