/* SPDX-License-Identifier: MIT */
/* host_program.h - a plan loaded on a backend: bindings, values, the run in flight and the last report. */
#ifndef HOST_PROGRAM_H
#define HOST_PROGRAM_H

#include "host/host_backend.h"
#include "host/plan/host_plan.h"
#include "host/run/host_compiled.h"

/* A tensor's binding; index as in plan->tensors. */
struct host_tensor {
	void *bound;                  /* the caller's memory, NULL: the host's own is used, or */
	struct ptowsp_object *buffer; /* the plugin's, from buffer_offset on; NULL: none */
	uint64_t buffer_offset;
	uint64_t bound_elements;
	ptowsp_fill_fn fill; /* NULL: sample data or zeros */
	void *fill_context;
	uint64_t given[4];   /* shape given by ptowsp_tensor_shape */
	uint32_t given_rank; /* valid if given_from is not "" */
	char given_from[96]; /* its giver, "" for nobody */
	/* made by prepare */
	void *own; /* host_memory_take or, for an isolated plugin, host_buffer_take; own_bytes of it */
	bool own_shared;
	uint64_t own_bytes;
	uint64_t need; /* most elements that a run so far touched, 0 unknown: memory of several runs has one size */
	struct ptowsp_tensor_view view;
};

struct ptowsp_program {
	struct ptowsp_backend *backend; /* borrowed */
	const struct ptowsp_plan *plan; /* borrowed */
	struct ptowsp_object *object;   /* the plugin's program */
	struct host_findings findings;  /* found by the plugin while loading */
	struct host_diagnostics diagnostics;
	struct host_tensor *tensors;     /* owned, plan->tensor_count */
	uint64_t *values;                /* owned, one per SLOT row */
	uint8_t *value_known;            /* owned, one per SLOT row: default or set */
	struct ptowsp_binding *bindings; /* owned, room for every tensor */
	uint32_t binding_count;
	struct host_run run;
	bool prepared; /* since the last run */
	bool asked;    /* the caller set a value */
	uint64_t compile_ns;
	struct host_compiled compiled;
	struct host_fence_points waits, signals; /* of the next run */
	struct ptowsp_run_args held;             /* of the run that is held */
	struct ptowsp_program *held_next;        /* of the same backend */
};

/* Memory or a buffer of the caller's holds the tensor: the host neither fills nor frees what is in it. */
static inline bool host_tensor_is_bound(const struct host_tensor *tensor)
{
	return tensor->bound || tensor->buffer;
}

/* device_buffer.c */
struct ptowsp_device_buffer {
	struct ptowsp_backend *backend; /* borrowed */
	struct ptowsp_object *object;   /* of the plugin's device; NULL: it is memory */
	void *memory;                   /* owned, of host_buffer_take, or the caller's */
	uint64_t bytes;
	bool is_lent; /* the caller's */
};
/* device_buffer.c. Errors: INVALID: the bytes do not lie in it. */
ptowsp_status host_device_buffer_range(const struct ptowsp_device_buffer *buffer, uint64_t offset, uint64_t bytes, struct ptowsp_error *error);

/* session.c: facts about an operation of that name, which also reads values and tensors, and ends at deadline_ns of host_now_ns; 0: without a limit. */
struct host_cause host_program_cause(const struct ptowsp_program *program, const char *operation, uint64_t deadline_ns);
/* session.c: host_answer of an operation that reads a plan; and BAD_PACKAGE for what a plugin calls invalid where it has no other reason than the package: no directive and no option came from the caller, or the open device refuses the
 * package without the directives too. INVALID for a bad package that the open device takes without the directives of the caller. Else status. */
ptowsp_status host_answer_plan(struct ptowsp_backend *backend, const struct ptowsp_plan *plan, const char *operation, ptowsp_status status,
			       struct ptowsp_error *error);
/* session.c: the program of a look, with the flags that it was loaded with, becomes what the next load of its plan gets; taken. */
void host_program_keep(struct ptowsp_program *program, uint32_t flags);

/* session.c: hands a run over that has its token; a refusal is abandoned. */
ptowsp_status host_run_submit(struct ptowsp_program *program, const struct ptowsp_run_args *args, struct ptowsp_error *error);

/* held.c: runs that wait for fences of this host. begin: the run that has its token is given to the plugin, with its fences or behind them. Errors: those of submit. */
ptowsp_status host_held_begin(struct ptowsp_program *program, struct ptowsp_run_args *args, struct ptowsp_error *error);
/* Held runs of the backend: one whose fences are reached begins; one whose fences have failed, or that is cancelled or late, ends. On the thread of its device. */
void host_held_look(struct ptowsp_backend *backend);

/* session.c: a program that tells another device, whatever data say, alone in its run: INVALID with the instruction. */
ptowsp_status host_partner_check(const struct ptowsp_program *program, struct ptowsp_error *error);

/* values.c: text in the type of a slot; INVALID names what is wrong. */
ptowsp_status host_value_parse(uint16_t dtype, const char *name, const char *text, uint64_t *bits_out, struct ptowsp_error *error);
/* Status of what the package alone says wrong with its values: BAD_PACKAGE; INVALID where the caller set some, too. */
ptowsp_status host_values_fault(const struct ptowsp_program *program);
/* A needed value without default that nobody set: INVALID naming it and --set. */
ptowsp_status host_values_check(const struct ptowsp_program *program, struct ptowsp_error *error);

/* shape.c: product of the extents; TOO_BIG if it does not fit 2^62 bytes of that element size. */
ptowsp_status host_elements(const uint64_t *extents, uint32_t rank, uint32_t bytes, uint64_t *elements_out);
/* Decides view.rank, view.extents, view.elements of tensor `index`; view.rank is UINT16_MAX if nothing gives it a shape. */
ptowsp_status host_tensor_shape(struct ptowsp_program *program, uint32_t index, struct ptowsp_error *error);
/* Asks the plugin how many elements of each tensor a run touches: raises need. OK without asking if every shape is known. */
ptowsp_status host_tensors_measure(struct ptowsp_program *program, const struct ptowsp_execute_options *options, struct ptowsp_error *error);

/* bind.c: what ptowsp_prepare decides before any tensor gets memory or content, also of programs that cannot run; bindings are those of the caller's memory. */
ptowsp_status host_settle(struct ptowsp_program *program, const struct ptowsp_execute_options *options, struct ptowsp_error *error);
void host_tensors_finish(struct ptowsp_program *program);
/* The arguments that a run and a measurement share. */
struct ptowsp_run_args host_run_args(const struct ptowsp_program *program, const struct ptowsp_execute_options *options);

#endif
