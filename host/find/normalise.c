/* SPDX-License-Identifier: MIT */
/* normalise.c - checks what the entry returned, and makes the table that the host calls without looking again. */
#include "host/find/normalise.h"

#include <string.h>

#include "host/call/call.h"
#include "host/find/refuse.h"
#include "host/host_error.h"

/* Stand-ins where a plugin has nothing: a function per row of operations.def. C11 wants names for parameters that nobody uses. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define MISSING_STATUS(name) host_fail(error, PTOWSP_UNIMPLEMENTED, "the plugin does not have the operation \"%s\"", name)
#define MISSING_ANSWER(name) PTOWSP_UNIMPLEMENTED
#define MISSING_TABLE(name)  NULL
#define MISSING_MEMORY(name) NULL
#define MISSING_NUMBER(name) 0
#define MISSING_NOTHING(name)
#define OPERATION(name, s, field, since, thread, result, ...)                                                                                                  \
	static HOST_RESULT_##result missing_##name(HOST_EACH(HOST_DECLARE, 0, __VA_ARGS__) HOST_ERROR_##result)                                                \
	{                                                                                                                                                      \
		return MISSING_##result(#name);                                                                                                                \
	}
#include "ptowsp/operations.def"
#pragma GCC diagnostic pop

static void (*const missing[HOST_OPERATION_COUNT])(void) = {
#define OPERATION(name, ...) [HOST_OPERATION_##name] = (void (*)(void))missing_##name,
#include "ptowsp/operations.def"
};

void host_ops_normalise(struct ptowsp_ops *ops_out, const struct ptowsp_ops *theirs, uint32_t minor)
{
	const struct host_struct *s = &host_structs[HOST_STRUCT_ops];
	const uint32_t known = host_struct_size(HOST_STRUCT_ops, minor);

	memset(ops_out, 0, sizeof(*ops_out));
	memcpy(ops_out, theirs, theirs->head.size < known ? theirs->head.size : known);
	ops_out->head = (struct ptowsp_head)PTOWSP_HEAD(struct ptowsp_ops, OPS);
	for (unsigned i = 0; i < s->field_count; i++)
		if (s->fields[i].kind == HOST_FIELD_CALL && !host_table_has(ops_out, s->fields[i].of, minor))
			memcpy((char *)ops_out + s->fields[i].offset, &missing[s->fields[i].of], sizeof(missing[0]));
}

/* The size first: nothing else may be read before it is known to be honest. */
static ptowsp_status head_check(const struct ptowsp_head *head, enum host_struct_id id, const char *what, const char *path, struct ptowsp_error *error)
{
	const uint32_t floor = host_struct_size(id, 0), type = host_structs[id].fields[0].of;

	if (head->size < floor || head->size > PTOWSP_SIZE_LIMIT)
		return host_refuse(error, path, "its %s says %u bytes, not %u to %u; use PTOWSP_HEAD", what, head->size, floor, PTOWSP_SIZE_LIMIT);
	if (head->type != type)
		return host_refuse(error, path, "its %s is of struct type %u, not %u; use PTOWSP_HEAD", what, head->type, type);
	return PTOWSP_OK;
}

ptowsp_status host_descriptor_check(const struct ptowsp_plugin *descriptor, const char *path, struct ptowsp_error *error)
{
	ptowsp_status status = head_check(&descriptor->head, HOST_STRUCT_plugin, "descriptor", path, error);

	if (status)
		return status;
	if (descriptor->major != PTOWSP_ABI_MAJOR)
		return host_refuse(error, path, "its descriptor is of ABI v%u, this host speaks v%d", descriptor->major, PTOWSP_ABI_MAJOR);
	if (!descriptor->name || !descriptor->vendor || !descriptor->version || !descriptor->targets)
		return host_refuse(error, path, "a string of its descriptor is NULL; write \"\" for none");
	if (!descriptor->ops)
		return host_refuse(error, path, "its descriptor has no operations, ops is NULL");
	return head_check(&descriptor->ops->head, HOST_STRUCT_ops, "operations table", path, error);
}
