/* SPDX-License-Identifier: MIT */
/* isolated.c - every operation of operations.def as a function of that type, which makes the host's own call to the worker. */
#include "tools/conform/isolated.h"

#include <stdatomic.h>
#include <string.h>

#include "host/worker/isolate.h"

/* One at a time: operations of a plugin have no parameter for it. */
static struct host_caller caller;

static const void *extension_find(struct ptowsp_object *instance, const char *id);

#define OPERATION(name, s, field, since, thread, result, ...)                                                                                                  \
	static HOST_RESULT_##result to_##name(HOST_EACH(HOST_DECLARE, 0, __VA_ARGS__) HOST_ERROR_##result)                                                     \
	{                                                                                                                                                      \
		struct host_call call = {.operation = &host_operations[HOST_OPERATION_##name],                                                                 \
					 .values = {HOST_EACH(HOST_PACK, 0, __VA_ARGS__)} HOST_ERROR_PACK_##result};                                           \
                                                                                                                                                               \
		host_call_run(&caller, &call);                                                                                                                 \
		HOST_RETURN_##result(&call);                                                                                                                   \
	}
#include "ptowsp/operations.def"

/* All of them, and the tables of extensions as the plugin offers them: the same entries where it has one. */
static union table {
	struct ptowsp_head head;
	struct ptowsp_ops ops;
#define EXTENSION(s, side, id) struct ptowsp_##s s;
#include "ptowsp/operations.def"
} all[HOST_STRUCT_COUNT], offered[HOST_STRUCT_COUNT];

static void tables_fill(void)
{
#define OPERATION(name, s, field, ...) all[HOST_STRUCT_##s].s.field = to_##name;
#include "ptowsp/operations.def"
	all[HOST_STRUCT_ops].ops.extension = extension_find;
	all[HOST_STRUCT_ops].ops.head = (struct ptowsp_head)PTOWSP_HEAD(struct ptowsp_ops, OPS);
}

/* The host's table stands for what the worker has: an entry of it is there, and never called by its address. */
static const void *extension_find(struct ptowsp_object *instance, const char *id)
{
	const struct ptowsp_head *theirs = to_extension(instance, id);
	const enum host_struct_id which = host_extension_find(HOST_SIDE_PLUGIN, id);

	if (!theirs || which == HOST_STRUCT_COUNT)
		return theirs;
	atomic_store(&caller.tables[which], theirs);
	offered[which].head = *theirs;
	for (unsigned i = 1; i < host_structs[which].field_count; i++) {
		const size_t at = host_structs[which].fields[i].offset;
		void (*entry)(void);

		memcpy(&entry, (const char *)theirs + at, sizeof(entry));
		if (entry)
			memcpy(&entry, (const char *)&all[which] + at, sizeof(entry));
		memcpy((char *)&offered[which] + at, &entry, sizeof(entry));
	}
	return &offered[which];
}

bool conform_isolated_load(struct conform *c, struct ptowsp_error *error)
{
	struct host_search search = {.lint_off = c->lint_off, .isolate = c->isolate, .grants = true, .load_timeout_ms = CONFORM_DAY_MS};

	host_limits_fill(&search.limits, 0, 0);
	if (host_plugin_load(&search, c->path, &c->plugin, error))
		return false;
	tables_fill();
	c->plugin->ops = all[HOST_STRUCT_ops].ops;
	host_remote_caller(&caller, c->plugin->remote);
	caller.minor = c->plugin->minor;
	return true;
}

void conform_isolated_end(struct conform *c)
{
	if (!c->plugin || !c->plugin->remote)
		return;
	host_caller_finish(&caller);
	host_plugin_release(c->plugin);
	c->plugin = NULL;
}

void conform_isolated_look(struct conform *c)
{
	if (c->plugin && c->plugin->remote && host_remote_ended(c->plugin->remote))
		conform_fail(c, "%.216s", c->recordless ? "its worker has ended" : c->error.text);
}
