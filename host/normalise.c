/* SPDX-License-Identifier: MIT */
/* normalise.c - checks what the entry returned, and makes the table that the host calls without looking again. */
#include "host/normalise.h"
#include "host/refuse.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Every operation with the parameters before its error. A field of struct ptowsp_ops that is missing here fails below. */
#define OPERATIONS(X)                                                                                                          \
	X(init, const struct ptowsp_host *a, const struct ptowsp_init_args *b, struct ptowsp_object **c)                       \
	X(fini, struct ptowsp_object *a)                                                                                       \
	X(devices, struct ptowsp_object *a, const struct ptowsp_device **b, uint32_t *c)                                       \
	X(options, const struct ptowsp_option **a, uint32_t *b)                                                                \
	X(capabilities, struct ptowsp_object *a, const char *b, struct ptowsp_cap *c, uint32_t d, uint32_t *e)                 \
	X(open, struct ptowsp_object *a, const struct ptowsp_open_args *b, struct ptowsp_object **c)                           \
	X(close, struct ptowsp_object *a)                                                                                      \
	X(load, struct ptowsp_object *a, const struct ptowsp_load_args *b, struct ptowsp_object **c)                           \
	X(unload, struct ptowsp_object *a)                                                                                     \
	X(submit, struct ptowsp_object *a, const struct ptowsp_run_args *b)                                                    \
	X(cancel, struct ptowsp_object *a, uint64_t b)                                                                         \
	X(poll, struct ptowsp_object *a, uint64_t b)                                                                           \
	X(drain, struct ptowsp_object *a, uint64_t b)                                                                          \
	X(stats, struct ptowsp_object *a, struct ptowsp_run_stats *b)

/* extension answers NULL instead of a status. */
enum {
#define X(name, ...) OPERATION_##name,
	OPERATIONS(X)
#undef X
	OPERATION_extension, OPERATION_COUNT
};
_Static_assert(sizeof(struct ptowsp_ops) == sizeof(struct ptowsp_head) + OPERATION_COUNT * sizeof(void (*)(void)),
	       "a new operation needs a row in OPERATIONS");

/* Bytes of struct ptowsp_ops by minor: where to cut. */
static const uint32_t sizes[] = {PTOWSP_OPS_FLOOR_10_0};
_Static_assert(sizeof(sizes) / sizeof(*sizes) == PTOWSP_ABI_MINOR + 1, "a new minor needs its size here");

static ptowsp_status missing(struct ptowsp_error *error, const char *operation)
{
	return host_fail(error, PTOWSP_UNIMPLEMENTED, "the plugin does not have the operation \"%s\"", operation);
}

/* C11 wants names for parameters that nobody uses. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define X(name, ...)                                                                                                           \
	static ptowsp_status missing_##name(__VA_ARGS__, struct ptowsp_error *error)                                           \
	{                                                                                                                      \
		return missing(error, #name);                                                                                  \
	}
OPERATIONS(X)
#undef X

static const void *missing_extension(struct ptowsp_object *instance, const char *id)
{
	return NULL;
}
#pragma GCC diagnostic pop

void host_ops_normalise(struct ptowsp_ops *ops_out, const struct ptowsp_ops *theirs, uint32_t minor)
{
	uint32_t known = sizes[minor <= PTOWSP_ABI_MINOR ? minor : PTOWSP_ABI_MINOR];
	uint32_t size = theirs->head.size < known ? theirs->head.size : known;

	memset(ops_out, 0, sizeof(*ops_out));
	memcpy(ops_out, theirs, size);
	ops_out->head = (struct ptowsp_head)PTOWSP_HEAD(struct ptowsp_ops, OPS);
#define X(name, ...)                                                                                                           \
	if (!ops_out->name)                                                                                                    \
		ops_out->name = missing_##name;
	OPERATIONS(X)
#undef X
	if (!ops_out->extension)
		ops_out->extension = missing_extension;
}

/* The size first: nothing else may be read before it is known to be honest. */
static ptowsp_status head_check(const struct ptowsp_head *head, uint16_t type, uint32_t floor, const char *what,
				const char *path, struct ptowsp_error *error)
{
	if (head->size < floor || head->size > PTOWSP_SIZE_LIMIT)
		return host_refuse(error, path, "its %s says %u bytes, not %u to %u; use PTOWSP_HEAD", what, head->size, floor,
				   PTOWSP_SIZE_LIMIT);
	if (head->type != type)
		return host_refuse(error, path, "its %s is of struct type %u, not %u; use PTOWSP_HEAD", what, head->type, type);
	return PTOWSP_OK;
}

ptowsp_status host_descriptor_check(const struct ptowsp_plugin *descriptor, const char *path, struct ptowsp_error *error)
{
	ptowsp_status status =
		head_check(&descriptor->head, PTOWSP_STRUCT_PLUGIN, PTOWSP_PLUGIN_FLOOR_10_0, "descriptor", path, error);

	if (status)
		return status;
	if (descriptor->major != PTOWSP_ABI_MAJOR)
		return host_refuse(error, path, "its descriptor is of ABI v%u, this host speaks v%d", descriptor->major,
				   PTOWSP_ABI_MAJOR);
	if (!descriptor->name || !descriptor->vendor || !descriptor->version || !descriptor->targets)
		return host_refuse(error, path, "a string of its descriptor is NULL; write \"\" for none");
	if (!descriptor->ops)
		return host_refuse(error, path, "its descriptor has no operations, ops is NULL");
	return head_check(&descriptor->ops->head, PTOWSP_STRUCT_OPS, PTOWSP_OPS_FLOOR_10_0, "operations table", path, error);
}
