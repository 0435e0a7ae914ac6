/* SPDX-License-Identifier: MIT */
/* base.h - what every struct and call of the ptowsp ABI shares: the size-first head, status codes,
 * the error record, names as 64-bit ids. Nothing here needs more than <stdint.h> and <stddef.h>.
 *
 * Rules of the whole ABI (why: abi/README.md):
 *  - 64-bit little-endian; only fixed-width integers, pointers, and counted arrays cross.
 *  - a struct passed by pointer starts with struct ptowsp_head; `size` is what its maker compiled.
 *    Arguments: bytes beyond what the callee knows at the effective minor must be zero, else UNKNOWN_FIELD.
 *    Tables:    cut at the effective minor; a longer one is normal.
 *    Results:   the caller sets size, the callee writes at most that and zeroes what it does not know.
 *  - whoever creates destroys; inputs are borrowed for the call.
 *  - every function pointer carries a thread tag: [main] one call of the plugin at a time, whatever the instance,
 *    [device] one caller per device at a time, [any] any thread, [cb] called by the plugin on any of its threads; must not block. */
#ifndef PTOWSP_BASE_H
#define PTOWSP_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define PTOWSP_BEGIN extern "C" {
#define PTOWSP_END }
#define PTOWSP_STATIC_ASSERT(cond, text) static_assert(cond, text)
#else
#define PTOWSP_BEGIN
#define PTOWSP_END
#define PTOWSP_STATIC_ASSERT(cond, text) _Static_assert(cond, text)
#endif

#define PTOWSP_ABI_MAJOR 10
#define PTOWSP_ABI_MINOR 1 /* newest minor this header describes; 10.1 is provisional (abi/CHANGES.md) */
#define PTOWSP_ABI_STRING "v10.0"

/* Newest minor that this translation unit may touch. 0 by default, so that building an old plugin
 * with a new header does not raise the host version that it needs. */
#ifndef PTOWSP_ABI_TARGET
#define PTOWSP_ABI_TARGET 0
#endif
#if PTOWSP_ABI_TARGET > PTOWSP_ABI_MINOR
#error "PTOWSP_ABI_TARGET is a minor that these headers do not describe; take newer ones"
#endif

PTOWSP_BEGIN

/* Kinds of struct, for `type` in the head. Append only. */
#define PTOWSP_STRUCTS(X) \
	X(ERROR, 1) X(HOST, 2) X(PLUGIN, 3) X(OPS, 4) X(INIT_ARGS, 5) X(OPEN_ARGS, 6) X(LOAD_ARGS, 7) X(RUN_ARGS, 8) \
	X(DONE, 9) X(RUN_STATS, 10) X(DEADLOCK, 11) X(DEVICE, 12) X(OPTION, 13) X(TASK, 14) X(KERNEL_OUT, 15) \
	X(EXTENSION, 16) X(EXTERNAL, 17)
enum {
#define X(name, value) PTOWSP_STRUCT_##name = value,
	PTOWSP_STRUCTS(X)
#undef X
};

struct ptowsp_head {
	uint32_t size; /* bytes of the whole struct, at least its 10.0 floor, at most PTOWSP_SIZE_LIMIT */
	uint16_t type; /* PTOWSP_STRUCT_x */
	uint16_t flags; /* zero unless the struct says otherwise */
};
#define PTOWSP_SIZE_LIMIT 65536u
#define PTOWSP_HEAD(T, kind) { (uint32_t)sizeof(T), PTOWSP_STRUCT_##kind, 0 }

/* True if the struct at p was made by somebody who knew `field`. */
#define PTOWSP_HAS(p, T, field) ((p)->head.size >= offsetof(T, field) + sizeof((p)->field))

/* 0 or a negative code of status.def; positive values are never returned. */
typedef int32_t ptowsp_status;
enum {
#define X(name, value, exit_code, text) PTOWSP_##name = value,
#include "status.def"
#undef X
};

/* Caller-owned error text; the callee fills it when it returns a negative status and leaves it alone otherwise.
 * Nobody allocates and nobody frees; the same bytes work in another process. A NULL error pointer is allowed. */
struct ptowsp_error {
	struct ptowsp_head head;
	ptowsp_status code; /* the same as the returned status */
	int32_t native;     /* errno or the backend's own code, 0 if none */
	uint32_t domain;    /* PTOWSP_DOMAIN_x: who speaks */
	uint32_t flags;     /* PTOWSP_ERROR_x */
	uint64_t where[2];  /* task number and kernel, or resource and slot; UINT64_MAX where unknown */
	char text[216];     /* one UTF-8 sentence: what is wrong, where, what to do; always NUL-terminated */
};
PTOWSP_STATIC_ASSERT(sizeof(struct ptowsp_error) == 256, "the error record is 256 bytes for ever");
enum { PTOWSP_DOMAIN_HOST = 0, PTOWSP_DOMAIN_PLUGIN = 1, PTOWSP_DOMAIN_KERNEL = 2, PTOWSP_DOMAIN_DEVICE = 3 };
enum { PTOWSP_ERROR_RETRYABLE = 1, PTOWSP_ERROR_HOST_BUG = 2, PTOWSP_ERROR_PLUGIN_BUG = 4 };

/* An object of the plugin, opaque to the host and destroyed through the table of its maker only. */
struct ptowsp_object;

/* FNV-1a, 64 bits, of the bytes of a name: the stable id of tensors, slots, kernels, entries. */
static inline uint64_t ptowsp_id(const char *name, size_t length)
{
	uint64_t hash = UINT64_C(0xCBF29CE484222325);

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)name[i]) * UINT64_C(0x100000001B3);
	return hash;
}

#define PTOWSP_NONE UINT32_MAX /* "no row" in a field that refers to a table's row */

PTOWSP_END
#endif
