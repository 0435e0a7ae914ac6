/* SPDX-License-Identifier: MIT */
#include "tools/channels.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "registry/text.h"
#include "rt/rt.h"

#define CAPABILITY_LIMIT 256

static bool entry_blocks(const struct rt_program_args *args, struct ptowsp_deadlock *deadlock)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct rt_program *program = NULL;
	ptowsp_status status = rt_program_create(&program, args, &error);

	*deadlock = (struct ptowsp_deadlock){.head = PTOWSP_HEAD(struct ptowsp_deadlock, DEADLOCK)};
	if (!status)
		status = rt_channels_check(program, deadlock, &error);
	rt_program_destroy(program);
	return status == PTOWSP_DEADLOCK;
}

/* Each entry whose processes block each other whatever their tasks do. Entries that the runtime core refuses at load do not matter here. */
static ptowsp_status each_blocked(const struct pkg *package, ptowsp_status (*visit)(void *context, const char *entry, const struct ptowsp_deadlock *deadlock),
				  void *context)
{
	static const struct rt_kernels none; /* only tokens are followed: no kernel is asked anything */
	static struct ptowsp_cap caps[CAPABILITY_LIMIT];
	const struct pkg_tables *t = pkg_tables(package);
	struct rt_program_args args = {.section_stride = sizeof(struct ptowsp_section), .kernels = &none, .caps = caps};
	struct ptowsp_deadlock deadlock;
	ptowsp_status status = PTOWSP_OK;

	args.cap_count = rt_capabilities(caps, CAPABILITY_LIMIT);
	args.sections = pkg_sections(package, &args.section_count);
	for (uint32_t i = 0; !status && i < t->entry_count; i++) {
		args.entry = i;
		if (t->entry[i].flags & PTOWSP_ENTRY_PIPELINE && entry_blocks(&args, &deadlock))
			status = visit(context, pkg_string(t, t->entry[i].name), &deadlock);
	}
	return status;
}

struct telling {
	const char *tool, *where;
	struct ptowsp_error *error;
};

static ptowsp_status warn(void *context, const char *entry, const struct ptowsp_deadlock *deadlock)
{
	const struct telling *t = context;

	fprintf(stderr, "%s: warning: %s: entry %.60s must end in a deadlock: %s\n", t->tool, t->where, entry, deadlock->text);
	return PTOWSP_OK;
}

static ptowsp_status refuse(void *context, const char *entry, const struct ptowsp_deadlock *deadlock)
{
	const struct telling *t = context;
	bool cure = deadlock->option[0] && strlen(deadlock->option) < 80; /* cut text cures nothing */

	return reg_fail(t->error, PTOWSP_BAD_PACKAGE, "%.40s: entry %.30s must end in a deadlock, and --strict refuses that; %s%s", t->where, entry,
			cure ? "use at least " : "without it is told who waits for whom", cure ? deadlock->option : "");
}

void channels_warn(const struct pkg *package, const char *tool, const char *where)
{
	each_blocked(package, warn, &(struct telling){tool, where, NULL});
}

ptowsp_status channels_refuse(const struct pkg *package, const char *where, struct ptowsp_error *error)
{
	return each_blocked(package, refuse, &(struct telling){NULL, where, error});
}
