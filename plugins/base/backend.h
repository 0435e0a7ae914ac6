/* SPDX-License-Identifier: MIT */
/* backend.h - how a backend describes itself to this library.
 *
 * A backend made of rt and isa is a constant `struct base_backend`, one line that makes its table of operations (ops.h), and the entry that exports
 * the table. Fields that it leaves out are done as on the processor: kernels are interpreted by worker threads, the clock is the
 * reference clock of rt. */
#ifndef BASE_BACKEND_H
#define BASE_BACKEND_H

#include "models.h"
#include "options.h"
#include "ptowsp/plugin.h"
#include "rt/rt.h"

struct base_buffers;
struct base_compiled;
struct base_device;
struct base_events;
struct base_kernel;
struct base_program;
struct ptowsp_kernel_support;

/* Constant, static. Hooks may be NULL; one thread at a time calls hooks of a device and its programs. */
struct base_backend {
	const char *name;    /* as in the note; stands in texts */
	const char *targets; /* as in the note: payloads for one of them are for this backend */
	/* The devices under these options, the first one is the default; options NULL: those of init are not known yet. Static. Any thread. */
	const struct base_model *(*models)(const struct base_options *options, uint32_t *count_out);
	/* Capability rows of its own for one of them under these options (NULL: the defaults), which go before those of the same feature that this library, rt and the
	 * platform have: what is enforced in a run with these options and nothing else. rows_out has room for BASE_CAPS_LIMIT (base_caps.h); returns how many it wrote.
	 * NULL: there are none. Any thread. */
	uint32_t (*caps)(const struct base_options *options, const struct base_model *model, struct ptowsp_cap *rows_out);
	/* Kernels with operations that its TILE rows (BASE_TILE among `caps`) do not have enforced: 0 they are refused, 1 the interpreter of this processor runs them, beside the device. */
	uint32_t processor;
	/* The last word on a portable kernel, where rows cannot say it. support: as the rows have it, DEVICE, HOST or NO; may become any of the three, the latter two with a reason. Asked before a
	 * device is open, and for each program once more: the same answer. Any thread. */
	void (*judge)(const struct base_options *options, const struct base_model *model, const struct base_kernel *kernel,
		      struct ptowsp_kernel_support *support);
	uint32_t untested; /* 1: no row is self-tested, because tests of this project cannot run it; the evidence of each is a claim */
	/* Options of its own; one that has the name of a standard option stands in its place. */
	const struct base_option *options;
	uint32_t option_count;
	/* Behind the settings: puts a number where an option leaves it to the backend. */
	void (*settle)(struct base_options *options);
	uint32_t options_size; /* bytes of its struct, which begins with struct base_options; 0: it has none of its own */
	/* An extension table by its id, before those of this library; NULL if it is not the backend's own. instance may be NULL. */
	const void *(*extension)(struct ptowsp_object *instance, const char *id);
	/* The place of its devices' buffers (memory/base_buffer.h): with base_buffers_host in memory of this process. NULL: it has none, and a host keeps such tensors itself. */
	const struct base_buffers *buffers;
	bool fences;                      /* runs wait for fences and signal them in its queue (memory/base_fence.h). false: a host holds such runs itself */
	const struct base_events *events; /* of its driver, which fences can be (memory/base_fence.h). NULL: there are none */
	/* What it compiles goes to the host, and comes back with the next load of the package (base_compiled.h). NULL: it compiles nothing, or keeps that itself. */
	const struct base_compiled *compiled;
	/* Behind open: finds what the device needs (NO_DEVICE), may set device->own. close follows if open was successful, after the last program. */
	ptowsp_status (*open)(struct base_device *device, struct ptowsp_error *error);
	void (*close)(struct base_device *device);
	/* Inside load, when program->kernels is there and before program->rt is: may refuse kernels, set program->own, and with program->kernels.costs say what
	 * portable kernels cost instead of the reference model, with program->kernels.compute who executes them instead of this processor. */
	ptowsp_status (*bind)(struct base_program *program, struct ptowsp_error *error);
	/* Behind load: program->rt is lowered, too; may set program->own. */
	ptowsp_status (*load)(struct base_program *program, const struct ptowsp_load_args *args, struct ptowsp_error *error);
	/* Follows when bind or load was called, whether or not it was successful; program->own: what they left, else NULL. */
	void (*unload)(struct base_program *program);
	/* Before a run, and before what it holds is counted: gives back what an earlier one left in program->own. Runner thread. */
	void (*forget)(struct base_program *program);
	/* Does a run instead of rt_run(program->rt, ...), with its arguments, results and errors. Runner thread. */
	ptowsp_status (*run)(struct base_program *program, const struct rt_run_args *args, struct ptowsp_run_stats *stats_out,
			     struct ptowsp_deadlock *deadlock_out, struct ptowsp_error *error);
};

#endif
