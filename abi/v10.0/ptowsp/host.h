/* SPDX-License-Identifier: MIT */
/* host.h - services that the host hands to a plugin at init. Valid until fini has returned. */
#ifndef PTOWSP_HOST_H
#define PTOWSP_HOST_H

#include "caps.h"
#include "task.h"

PTOWSP_BEGIN

struct ptowsp_done;

enum { PTOWSP_LOG_ERROR = 0, PTOWSP_LOG_WARNING = 1, PTOWSP_LOG_INFO = 2, PTOWSP_LOG_DEBUG = 3 };

struct ptowsp_host {
	struct ptowsp_head head;
	uint16_t major, minor; /* effective version: min(host, plugin) */
	uint32_t flags;        /* 0 in 10.0 */
	void *context;         /* first argument of every call below */
	/* Extension table of the host by string id ("ptowsp.kernels/1"), NULL if unknown. Tables live as long as
	 * the host services. [any] */
	const void *(*extension)(void *context, const char *id);
	/* Memory accounted to this plugin; zeroed; align a power of two <= 4096; NULL when out of memory. [any] */
	void *(*alloc)(void *context, uint64_t size, uint64_t align);
	/* NULL is allowed; size as given to alloc. [any] */
	void (*release)(void *context, void *memory, uint64_t size);
	/* One UTF-8 line without newline, length bytes. [any] */
	void (*log)(void *context, int32_t level, const char *text, uint64_t length);
	/* A feature that is met below `enforced`: once per feature and program; the host drops repeats. [any] */
	void (*diagnose)(void *context, uint32_t feature, uint8_t state, const char *text, uint64_t length);
	/* Completion, exactly once per accepted submit; everything it points to is borrowed for the call. The program rests
	 * from then on: the host may unload it, or use its extensions, before this has returned. [any] */
	void (*done)(void *context, const struct ptowsp_done *done);
	uint64_t (*now_ns)(void *context); /* monotonic [any] */
};
#define PTOWSP_HOST_FLOOR_10_0 80u

/* "ptowsp.kernels/1": C functions that the embedding program registered, by name and signature. A ref has neither head nor stride, so that it never grows. */
struct ptowsp_kernel_ref {
	/* Called as fn(context, task, out); NULL when not found. */
	ptowsp_status (*fn)(void *context, const struct ptowsp_task *task, struct ptowsp_kernel_out *out);
	void *context; /* lives until the program that found it is unloaded */
};
struct ptowsp_kernels_extension {
	struct ptowsp_head head;
	/* name, signature: NUL-terminated, signature "" for the uniform one. `native` is NULL to look the name up among the
	 * registered functions, or the address of a C function of that signature to be bound (payload, built-in).
	 * Errors: NOT_FOUND (text lists what is known), INVALID for a signature that cannot be called. [main] */
	ptowsp_status (*find)(void *context, const char *name, const char *signature, const void *native,
			      struct ptowsp_kernel_ref *ref_out, struct ptowsp_error *error);
};
#define PTOWSP_EXTENSION_KERNELS "ptowsp.kernels/1"

/* "ptowsp.code/1": functions of native payloads, for a plugin that runs them on this machine. The host decides whether the package may run native code, checks
 * the object before a byte of it runs, and keeps it until the program is unloaded. */
struct ptowsp_code_extension {
	struct ptowsp_head head;
	/* An ELF shared object of the program that is being loaded; its bytes are copied. entry: a function that it defines and exports; "" for the one whose code
	 * begins at byte entry_offset of the object, or with 0 for the only one there is. Equal bytes are loaded once per program. kernel: for messages. *function_out has the payload's
	 * signature: a ptowsp_kernel_fn, or to be bound with ptowsp.kernels/1. Errors, before a byte of it has run: UNSUPPORTED when the package is not
	 * trusted, BAD_PACKAGE when the object is none for this machine, breaks a rule or has no such function; UNSUPPORTED also when the dynamic linker
	 * refuses it (a library that is not there). [main] */
	ptowsp_status (*load)(void *context, const char *kernel, const void *bytes, uint64_t size, const char *entry, uint64_t entry_offset,
			      const void **function_out, struct ptowsp_error *error);
};
#define PTOWSP_EXTENSION_CODE "ptowsp.code/1"

/* "ptowsp.notify/1": notifications between the devices of one run; token as in struct ptowsp_run_args. A run that has one device has nobody to tell:
 * what a device tells itself is the plugin's own affair. */
struct ptowsp_notify_extension {
	struct ptowsp_head head;
	/* Number of the run's device among `count` devices; 0 of 1 for a run by itself. [any] */
	ptowsp_status (*place)(void *context, uint64_t token, uint32_t *device_out, uint32_t *count_out, struct ptowsp_error *error);
	/* Tells a device; cycles: when, on the sender's clock. All clocks of a run begin at 0. Errors: INVALID (no such device), NO_MEMORY. [any] */
	ptowsp_status (*send)(void *context, uint64_t token, uint32_t device, uint32_t notification, uint64_t cycles, struct ptowsp_error *error);
	/* Takes the oldest such notification of a device, or waits for one until until_ns on now_ns. Errors: AGAIN when the time is over, DEADLOCK when
	 * every device of the run waits or has ended, INVALID. [any] */
	ptowsp_status (*take)(void *context, uint64_t token, uint32_t device, uint32_t notification, uint64_t until_ns, uint64_t *cycles_out,
			      struct ptowsp_error *error);
};
#define PTOWSP_EXTENSION_NOTIFY "ptowsp.notify/1"

PTOWSP_END
#endif
