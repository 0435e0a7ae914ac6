/* SPDX-License-Identifier: MIT */
/* instance.h - what init makes: host services, options, the open devices. */
#ifndef BASE_INSTANCE_H
#define BASE_INSTANCE_H

#include "options.h"

struct base_backend;
struct base_device;

/* Used on the host's main thread; all but `devices` is constant and read by all. */
struct base_instance {
	const struct base_backend *backend;
	const struct ptowsp_host *host;     /* borrowed until fini */
	const struct base_options *options; /* the backend's own struct, behind this one in one allocation */
	struct base_device *devices;        /* open ones, linked by `next`; fini closes what is left */
};

/* The ops `init` and `fini`. */
ptowsp_status base_init(const struct base_backend *backend, const struct ptowsp_host *host, const struct ptowsp_init_args *args,
			struct ptowsp_object **instance_out, struct ptowsp_error *error);
ptowsp_status base_fini(struct ptowsp_object *instance, struct ptowsp_error *error);
/* Options; NULL of no instance. */
const struct base_options *base_options_of(const struct ptowsp_object *instance);
/* The effective minor; 0 of none. */
uint32_t base_minor_of(const struct ptowsp_object *instance);

/* Zeroed memory accounted to this plugin by the host; NULL when there is none. Any thread. */
void *base_alloc(const struct base_instance *instance, uint64_t size);
/* NULL is allowed; size as given to base_alloc. */
void base_release(const struct base_instance *instance, void *memory, uint64_t size);
/* One line for the host's log. Any thread. */
void base_log(const struct base_instance *instance, int32_t level, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
