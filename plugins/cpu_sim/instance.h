/* SPDX-License-Identifier: MIT */
/* instance.h - what init makes: host services, options, the open devices. */
#ifndef CPU_SIM_INSTANCE_H
#define CPU_SIM_INSTANCE_H

#include "options.h"

struct cpu_device;

/* Used on the host's main thread; `host` and `options` are constant and read by all. */
struct cpu_instance {
	const struct ptowsp_host *host; /* borrowed until fini */
	struct cpu_options options;
	struct cpu_device *devices;     /* open ones, linked by `next`; fini closes what is left */
};

ptowsp_status cpu_init(const struct ptowsp_host *host, const struct ptowsp_init_args *args,
		       struct ptowsp_object **instance_out, struct ptowsp_error *error);
ptowsp_status cpu_fini(struct ptowsp_object *instance, struct ptowsp_error *error);

/* Zeroed memory accounted to this plugin by the host; NULL when there is none. Any thread. */
void *cpu_alloc(const struct cpu_instance *instance, uint64_t size);
/* NULL is allowed; size as given to cpu_alloc. */
void cpu_release(const struct cpu_instance *instance, void *memory, uint64_t size);
/* One line for the host's log. Any thread. */
void cpu_log(const struct cpu_instance *instance, int32_t level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
