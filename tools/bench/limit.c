/* SPDX-License-Identifier: MIT */
#include "tools/bench/limit.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "tools/bench/bench.h"

typedef void (*kernel_fn)(struct bench_load *load, uint32_t task);

/* What is made anew in every execution. */
struct lists {
	kernel_fn *kernels;   /* one per task */
	uint32_t *offset;     /* successors of t: from offset[t] up to offset[t + 1] */
	uint32_t *successors, *left, *stack;
	uint32_t *walk[2], count[2]; /* tasks of each thread */
	_Atomic uint32_t *done;
};

static void lists_finish(struct lists *l)
{
	free(l->kernels);
	free(l->offset);
	free(l->successors);
	free(l->left);
	free(l->stack);
	free(l->walk[0]);
	free(l->walk[1]);
	free(l->done);
}

static bool kernels_make(struct lists *l, const struct bench_graph *g)
{
	l->kernels = malloc((g->tasks + (size_t)1) * sizeof(*l->kernels));
	for (uint32_t t = 0; l->kernels && t < g->tasks; t++)
		l->kernels[t] = bench_load_task;
	return l->kernels != NULL;
}

/* Out of the predecessor lists, by counting: afterwards the successors of t are those from offset[t] up to offset[t + 1]. */
static bool successors_make(struct lists *l, const struct bench_graph *g)
{
	uint32_t *at;

	l->offset = calloc((size_t)g->tasks + 2, sizeof(*l->offset));
	l->successors = malloc((g->edges + 1) * sizeof(*l->successors));
	l->left = malloc(((size_t)g->tasks + 1) * sizeof(*l->left));
	if (!l->offset || !l->successors || !l->left)
		return false;
	at = l->offset + 1; /* counts, then the place of the next successor */
	for (uint64_t e = 0; e < g->edges; e++)
		at[g->predecessors[e] + 1]++;
	for (uint32_t t = 0; t < g->tasks; t++) {
		at[t + 1] += at[t];
		l->left[t] = g->offset[t + 1] - g->offset[t];
	}
	for (uint32_t t = 0; t < g->tasks; t++)
		for (uint32_t e = g->offset[t]; e < g->offset[t + 1]; e++)
			l->successors[at[g->predecessors[e]]++] = t;
	return true;
}

/* ---- one thread -------------------------------------------------------------------------------------------------- */

static bool stack_run(struct bench_load *load, struct lists *l)
{
	const struct bench_graph *g = &load->graph;
	uint32_t top = 0;

	l->stack = malloc(((size_t)g->tasks + 1) * sizeof(*l->stack));
	if (!l->stack)
		return false;
	for (uint32_t t = g->tasks; t-- > 0;)
		if (!l->left[t])
			l->stack[top++] = t;
	while (top) {
		uint32_t t = l->stack[--top];

		l->kernels[t](load, t);
		for (uint32_t e = l->offset[t]; e < l->offset[t + 1]; e++)
			if (--l->left[l->successors[e]] == 0)
				l->stack[top++] = l->successors[e];
	}
	return true;
}

static void order_run(struct bench_load *load, struct lists *l)
{
	for (uint32_t t = 0; t < load->graph.tasks; t++) {
		l->kernels[t](load, t);
		for (uint32_t e = l->offset[t]; e < l->offset[t + 1]; e++)
			l->left[l->successors[e]]--;
	}
}

/* ---- two threads ------------------------------------------------------------------------------------------------- */

/* Whose a task is: every second tile of w1, every second row of w2, half of w3, all of w4. */
static unsigned owner(const struct bench_load *load, uint32_t t)
{
	uint32_t n = load->n;

	switch (load->workload) {
	case BENCH_W1:
		if (t < 6 * n)
			return t / 6 & 1;
		t -= 6 * n;
		return t < 3 * n * n ? t / (3 * n) & 1 : (t - 3 * n * n) / 7 & 1;
	case BENCH_W2: return t / n & 1;
	case BENCH_W3: return t >= n / 2;
	default: return 0;
	}
}

static bool walks_make(struct bench_load *load, struct lists *l)
{
	const struct bench_graph *g = &load->graph;

	l->walk[0] = malloc(((size_t)g->tasks + 1) * sizeof(uint32_t));
	l->walk[1] = malloc(((size_t)g->tasks + 1) * sizeof(uint32_t));
	l->done = calloc((size_t)g->tasks + 1, sizeof(*l->done));
	if (!l->walk[0] || !l->walk[1] || !l->done)
		return false;
	for (uint32_t t = 0; t < g->tasks; t++) {
		unsigned o = owner(load, t);

		l->walk[o][l->count[o]++] = t;
	}
	return true;
}

static inline void pause_here(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#endif
}

static void walk(struct bench_load *load, struct lists *l, unsigned which)
{
	const struct bench_graph *g = &load->graph;

	for (uint32_t i = 0; i < l->count[which]; i++) {
		uint32_t t = l->walk[which][i];

		for (uint32_t e = g->offset[t]; e < g->offset[t + 1]; e++)
			while (!atomic_load_explicit(&l->done[g->predecessors[e]], memory_order_acquire))
				pause_here();
		l->kernels[t](load, t);
		atomic_store_explicit(&l->done[t], 1, memory_order_release);
	}
}

/* The second thread: there before the clock starts. */
struct second {
	struct bench_load *load;
	struct lists *lists;
	_Atomic uint32_t there, go, over;
};
enum { GO = 1, GO_HOME = 2 };

static void *second_main(void *context)
{
	struct second *second = context;
	uint32_t go;

	atomic_store(&second->there, 1);
	while (!(go = atomic_load_explicit(&second->go, memory_order_acquire)))
		pause_here();
	if (go == GO)
		walk(second->load, second->lists, 1);
	atomic_store_explicit(&second->over, 1, memory_order_release);
	return NULL;
}

static bool two_run(struct second *second)
{
	bool made = kernels_make(second->lists, &second->load->graph) && walks_make(second->load, second->lists);

	atomic_store_explicit(&second->go, made ? GO : GO_HOME, memory_order_release);
	if (made)
		walk(second->load, second->lists, 0);
	while (!atomic_load_explicit(&second->over, memory_order_acquire))
		pause_here();
	return made;
}

/* ---- an execution ------------------------------------------------------------------------------------------------ */

static bool one_run(struct bench_load *load, struct lists *l, enum bench_limit limit)
{
	if (!kernels_make(l, &load->graph) || !successors_make(l, &load->graph))
		return false;
	if (limit == BENCH_LIMIT_STACK)
		return stack_run(load, l);
	order_run(load, l);
	return true;
}

ptowsp_status bench_limit_run(struct bench_load *load, enum bench_limit limit, bool check, double *ns_out)
{
	struct lists lists = {0};
	struct second second = {.load = load, .lists = &lists};
	pthread_t thread;
	uint64_t began;
	bool two = limit == BENCH_LIMIT_ORDER_TWO, ok;

	if (two && pthread_create(&thread, NULL, second_main, &second))
		return PTOWSP_NO_MEMORY;
	while (two && !atomic_load(&second.there))
		pause_here();
	bench_load_begin(load, check);
	began = bench_now_ns();
	ok = two ? two_run(&second) : one_run(load, &lists, limit);
	*ns_out = (double)(bench_now_ns() - began);
	if (two)
		pthread_join(thread, NULL);
	bench_load_end(load);
	lists_finish(&lists);
	return ok ? PTOWSP_OK : PTOWSP_NO_MEMORY;
}
