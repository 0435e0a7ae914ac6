/* SPDX-License-Identifier: MIT */
#include "tools/channels.h"

#include "rt/rt.h"

#define CAPABILITY_LIMIT 256

static uint32_t entry_warn(const struct rt_program_args *args, const char *name, FILE *to, const char *tool, const char *where)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct ptowsp_deadlock deadlock = {.head = PTOWSP_HEAD(struct ptowsp_deadlock, DEADLOCK)};
	struct rt_program *program = NULL;
	ptowsp_status st = rt_program_create(&program, args, &error);

	if (!st)
		st = rt_channels_check(program, &deadlock, &error);
	rt_program_destroy(program);
	if (st != PTOWSP_DEADLOCK)
		return 0;
	fprintf(to, "%s: warning: %s: entry %.60s must end in a deadlock: %s\n", tool, where, name, deadlock.text);
	return 1;
}

uint32_t channels_warn(const struct pkg *package, FILE *to, const char *tool, const char *where)
{
	static const struct rt_kernels none; /* only tokens are followed: no kernel is asked anything */
	static struct ptowsp_cap caps[CAPABILITY_LIMIT];
	const struct pkg_tables *t = pkg_tables(package);
	struct rt_program_args args = {.section_stride = sizeof(struct ptowsp_section), .kernels = &none, .caps = caps};
	uint32_t count = 0;

	args.cap_count = rt_capabilities(caps, CAPABILITY_LIMIT);
	args.sections = pkg_sections(package, &args.section_count);
	for (uint32_t i = 0; i < t->entry_count; i++) {
		args.entry = i;
		if (t->entry[i].flags & PTOWSP_ENTRY_PIPELINE)
			count += entry_warn(&args, pkg_string(t, t->entry[i].name), to, tool, where);
	}
	return count;
}
