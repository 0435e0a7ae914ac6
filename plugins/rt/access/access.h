/* SPDX-License-Identifier: MIT */
/* access.h - what a task touches: its tensor arguments as keys, as elements, and as windows for the kernel. */
#ifndef RT_ACCESS_H
#define RT_ACCESS_H

#include "registry/common/common_arena.h"
#include "rt/access/footprint.h"
#include "rt/access/intern.h"
#include "rt/access/mirror.h"
#include "rt/program/rt_program.h"

/* A tensor in one run, as rows of `columns` elements. */
struct rt_tensor {
	char *data;        /* NULL: counted only */
	char *place;       /* where its windows begin: data, or RT_NOWHERE */
	uint64_t elements; /* UINT64_MAX: unknown, nothing is bound and it has no shape */
	int64_t columns;   /* of the last dimension; RT_WIDE if unknown */
	int64_t rows;
	uint16_t dtype;
	uint16_t size; /* bytes of an element */
	bool bound;
};
/* `length` of a block that is partly there: its rows, columns and this mark, which no address of a version has. */
#define RT_WINDOW_PART UINT64_C(2)
/* rows, columns: of what is there, 1 to all that the block has. */
static inline uint64_t rt_part_length(const struct rt_io *io, int64_t rows, int64_t columns)
{
	return rows < io->rows || columns < io->columns ? (uint64_t)rows << 33 | (uint64_t)columns << 2 | RT_WINDOW_PART : 0;
}

/* Without a shape, rows lie this far apart: regions are then compared as rectangles. */
#define RT_WIDE (INT64_C(1) << 31)

/* One tensor argument of the task being issued. */
struct rt_access {
	const struct rt_io *io;
	struct rt_key key;
	int64_t start; /* flat element where the window begins */
	uint64_t
		length; /* flat windows: elements behind start that may be touched; others: 0, where the version of the key lies, or what of it is there (RT_WINDOW_PART) */
	const struct rt_touched *touched; /* flat windows with a known footprint */
	const struct rt_span *spans;
};
/* A block's rows that exist. */
static inline uint32_t rt_access_rows(const struct rt_access *access)
{
	return access->length & RT_WINDOW_PART ? (uint32_t)(access->length >> 33) : access->io->rows;
}
static inline uint32_t rt_access_columns(const struct rt_access *access)
{
	return access->length & RT_WINDOW_PART ? (uint32_t)(access->length >> 2 & INT32_MAX) : access->io->columns;
}
struct rt_tensors {
	struct rt_tensor *rows; /* one per TENS row */
	uint32_t count;
	bool planned;                    /* windows are not run as soon as they are told */
	bool strict;                     /* kernels run: an axis needs its tensor's memory */
	bool unbound_told;               /* that an axis reads from an unbound tensor; set before a run that says nothing */
	bool measuring;                  /* no bounds: elements are what is wanted */
	uint64_t *most;                  /* measuring: per tensor, elements reached */
	int64_t *most_row, *most_column; /* measuring: of block regions of tensors without a shape */
};
/* Binds and checks; rows are the arena's. Errors: INVALID naming the tensor, RUN_FAILED for an extent that is negative, NO_MEMORY. */
ptowsp_status rt_tensors_init(struct rt_tensors *tensors, struct common_arena *arena, const struct rt_program *program, const struct ptowsp_run_args *args,
			      struct rt_env *env, struct ptowsp_error *error);

/* Evaluates an argument at tile level `level` and checks that it stays inside its tensor. footprint: of the kernel, argument number `arg`.
 * Errors: RUN_FAILED naming task, kernel, tensor, elements, limit and the slot it came from. */
ptowsp_status rt_access_resolve(struct rt_access *access, const struct rt_program *program, struct rt_tensors *tensors, struct rt_env *env,
				const struct rt_io *io, uint32_t level, const struct rt_footprint *footprint, uint32_t arg, uint32_t kernel,
				struct ptowsp_error *error);
/* Calls visit for each interval [start, end) of elements that the access reads or writes (bit), until it returns false. */
void rt_access_visit(const struct rt_access *access, const struct rt_tensors *tensors, unsigned bit,
		     bool (*visit)(void *context, uint32_t tensor, int64_t start, int64_t end), void *context);
/* Most accesses are one interval. True: it is *start_out .. *end_out, not empty, and nothing has to be visited. */
static inline bool rt_access_single(const struct rt_access *access, const struct rt_tensors *tensors, unsigned bit, int64_t *start_out, int64_t *end_out)
{
	const struct rt_io *io = access->io;
	const struct rt_touched *touched = access->touched;
	const struct rt_span *span;

	*start_out = *end_out = access->start;
	if (!io->unit) {
		const uint32_t rows = rt_access_rows(access), columns = rt_access_columns(access);

		*end_out += (int64_t)rows * columns;
		return (columns == tensors->rows[io->tensor].columns || rows == 1) && *end_out > *start_out;
	}
	if (!touched || (bit == PTOWSP_READ ? touched->read_count : touched->write_count) != 1)
		return false;
	span = access->spans + (bit == PTOWSP_READ ? touched->read : touched->write);
	*start_out += span->start;
	*end_out += span->end;
	return span->end != RT_FAR && span->end > span->start;
}

/* Bytes that it takes of the heap arena. */
static inline uint64_t rt_tensor_bytes(const struct rt_tensor *tensor)
{
	uint64_t size = tensor->size ? tensor->size : 1;
	uint64_t bytes = tensor->elements > (UINT64_MAX - 63) / size ? UINT64_MAX - 63 : tensor->elements * size;

	return (bytes + 63) / 64 * 64;
}

/* `length` of a window into a version: its address, a multiple of 64, and this bit if the task begins with zeros. */
#define RT_WINDOW_FRESH UINT64_C(1)

/* A window in bytes as one of the elements that the kernel sees. */
static inline void rt_window_view(const struct rt_io *io, struct ptowsp_tensor_arg *window)
{
	window->columns /= io->view;
	window->row_stride /= io->view;
	window->dtype = io->view_dtype;
}

/* How far a flat window reaches behind its start if nobody says what is touched. */
static inline int64_t rt_io_reach(const struct rt_io *io)
{
	return io->limit ? (int64_t)io->limit : RT_FAR;
}

/* A version that the task makes begins as zeros. Where its kernel runs, because only then the memory is its own; the receiver of a plan does it then. */
static inline void rt_window_clear(const struct rt_mirror *mirror, const struct rt_io *io, const struct rt_tensors *tensors, uint64_t length,
				   struct ptowsp_tensor_arg *window)
{
	const bool fresh = !io->unit && length & RT_WINDOW_FRESH;

	window->access = fresh && tensors->planned ? io->access | RT_FRESH : io->access;
	if (fresh && !tensors->planned)
		rt_mirror_clear(mirror, window->data, (uint64_t)io->rows * io->columns * tensors->rows[io->tensor].size);
}

/* The window that the kernel gets. length: as in struct rt_access. */
void rt_access_window(const struct rt_io *io, const struct rt_tensor *tensor, int64_t start, uint64_t length, struct ptowsp_tensor_arg *window_out);

#endif
