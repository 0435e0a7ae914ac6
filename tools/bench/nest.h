/* SPDX-License-Identifier: MIT */
/* nest.h - the shapes of tools/bench/shapes a second time, as plain loops in C that call the same kernel: what a run has to leave behind, what code written
 * by hand takes, and the tasks in their order. */
#ifndef TOOLS_BENCH_NEST_H
#define TOOLS_BENCH_NEST_H

#include "ptowsp/task.h"
#include <stdbool.h>
#include <stddef.h>

#define BENCH_NEST_TENSORS 8u
#define BENCH_NEST_WINDOWS 4u

/* The kernels of shapes/step.pto. */
enum bench_step { BENCH_STEP1, BENCH_STEP2, BENCH_STEP2B, BENCH_STEP3, BENCH_STEP4, BENCH_STEPS };

struct bench_nest_call {
	struct ptowsp_task task;
	struct ptowsp_tensor_arg windows[BENCH_NEST_WINDOWS];
};

/* One walk. The caller sets the first part; tensors are borrowed. */
struct bench_nest {
	uint32_t *tensors[BENCH_NEST_TENSORS]; /* in order of declaration */
	uint64_t elements[BENCH_NEST_TENSORS];
	uint64_t columns[BENCH_NEST_TENSORS]; /* elements of a row */
	int64_t n;
	uint64_t work;           /* multiply-adds per task */
	ptowsp_kernel_fn kernel; /* called for each task, one after the other */
	void *context;           /* the kernel finds it as its workspace */
	const void *program;     /* of a random nest */
	/* during the walk */
	uint64_t number, by; /* of the next task; argument of the next kernel */
	unsigned owner;      /* thread, of two, of the next task, in a fixed order */
	struct bench_nest_call calls[BENCH_STEPS];
};

struct bench_shape {
	const char *name, *peer; /* file in shapes/; name in the peer comparison, NULL: it has none */
	unsigned n, few, small;  /* sizes: for empty kernels, for long ones, for a look */
	void (*walk)(struct bench_nest *nest);
	bool two;            /* the walk says who does what, and two threads can gain by it */
	const void *program; /* NULL but for random nests */
};

/* Behind the last there is one without a name. */
extern const struct bench_shape bench_shapes[];
const struct bench_shape *bench_shape_find(const char *name); /* by name or peer; NULL: none */
/* Numbers of what a shape takes as input, tensor by tensor; zeros where it takes none. */
void bench_shape_fill(const struct bench_shape *shape, unsigned tensor, uint32_t *data, uint64_t elements);
/* All tasks; nest->number says how many. */
void bench_nest_walk(struct bench_nest *nest, const struct bench_shape *shape);

/* The number of tasks; none runs. */
uint64_t bench_nest_count(struct bench_nest *nest, const struct bench_shape *shape);

/* For walks: the tile in that row and column of tiles. */
static inline uint32_t *bench_nest_at(const struct bench_nest *nest, unsigned tensor, int64_t row, int64_t column)
{
	return nest->tensors[tensor] + 4 * ((uint64_t)row * nest->columns[tensor] + (uint64_t)column);
}
/* And the next task. a to d: its windows, as many as the step has. */
static inline void bench_nest_task(struct bench_nest *nest, enum bench_step step, uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d)
{
	struct bench_nest_call *call = &nest->calls[step];
	struct ptowsp_kernel_out out = {.head = PTOWSP_HEAD(out, KERNEL_OUT)};

	call->windows[0].data = a;
	if (step >= BENCH_STEP2)
		call->windows[1].data = b;
	if (step >= BENCH_STEP3)
		call->windows[2].data = c;
	if (step >= BENCH_STEP4)
		call->windows[3].data = d;
	call->task.number = nest->number++;
	nest->kernel(&call->task, &out);
}

/* The kernel itself, shapes/step.c. */
ptowsp_status step(const struct ptowsp_task *task, struct ptowsp_kernel_out *out);
/* How many multiply-adds of the kernel take so long here; found by trying for a while at the first call. 0 for 0. One thread. */
uint64_t bench_nest_work(unsigned ns);

/* ---- random nests by seed (wild.c) --------------------------------------------------------------------------------- */

struct bench_wild {
	struct bench_shape shape; /* its size is the number of rounds of the outermost loop */
	char *source;             /* a workload on the kernels of shapes/step.pto */
	size_t size;
};
/* The same seed gives the same nest. NULL without memory. Freed by bench_wild_free. */
struct bench_wild *bench_wild_make(uint64_t seed);
void bench_wild_free(struct bench_wild *wild); /* NULL is allowed */

/* ---- limit-static (order.c): no runtime, but as far as two threads get that each walk a list of tasks made before, and wait where the other has to be ahead ---- */

struct bench_order_task {
	uint32_t *windows[BENCH_NEST_WINDOWS];
	uint64_t by;
	uint32_t number, wait; /* wait: so many of the other thread's tasks have to be over */
	uint32_t step;
};
/* The tasks of a walk, by the thread that does them. */
struct bench_order {
	struct bench_order_task *tasks[2];
	uint32_t count[2];
	uint64_t edges; /* unique pairs of a task and one that wrote what it reads */
	const struct bench_nest *nest;
	struct order_tile *tiles;
};
/* Walks the shape, on the tensors of nest, whose kernel and context it uses; none runs. Finish also after a failure. False without memory. */
bool bench_order_init(struct bench_order *order, struct bench_nest *nest, const struct bench_shape *shape);
void bench_order_finish(struct bench_order *order);
/* All tasks once, on the tensors that nest had. *ns_out: execution alone. False if there is no second thread. */
bool bench_order_run(const struct bench_order *order, double *ns_out);

#endif
