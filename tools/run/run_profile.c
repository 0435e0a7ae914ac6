/* SPDX-License-Identifier: MIT */
#include "tools/run/run_profile.h"

#include <jansson.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "registry/common/common_grow.h"
#include "registry/text.h"
#include "tools/plain.h"
#include "tools/run/run_run.h"
#if PTOWSP_ABI_MINOR >= 1 /* headers of 10.0 have no rows */
#include "ptowsp/profile.h"
#endif

#if PTOWSP_ABI_MINOR >= 1
enum {
	ADVICE_CALLS = 64,     /* fewer tasks say nothing about tasks */
	ADVICE_ELEMENTS = 256, /* of smaller tiles, starting costs more than elements do */
	ADVICE_TIMES = 10,     /* slower per element than the median of the run */
	SHOWN_PARTS = 200      /* the table has operations that take at least one part of so many of all kernels */
};

struct profile {
	struct ptowsp_profile_row *rows; /* owned */
	uint32_t count, room;
	uint64_t kernels_ns, run_ns, tasks;
	unsigned threads, cores;
	double median; /* ns an element, of the operations on large tiles; 0: there are none */
	bool failed;   /* without memory */
};

/* ---- what was measured ---------------------------------------------------------------------------------------- */

static void row_keep(void *context, const struct ptowsp_profile_row *row)
{
	struct profile *p = context;

	if (!COMMON_GROW(p->rows, p->room, p->count)) {
		p->failed = true;
		return;
	}
	p->rows[p->count++] = *row;
	if (!row->operations) {
		p->kernels_ns += row->wall_ns;
		p->tasks += row->calls;
	}
}

static unsigned cores(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 1 : (unsigned)CPU_COUNT(&set);
}

/* Time per element of work: a product has as many for each of its results as its factors have between them, which the model's cycles say. 0: not said of this row. */
static double element_ns(const struct ptowsp_profile_row *row)
{
	const double tiles = (double)row->elements * row->operations, cycles = row->calls ? (double)row->cycles / (double)row->calls : 0;

	return row->operations && row->elements >= ADVICE_ELEMENTS && row->calls ? (double)row->wall_ns / (double)row->calls / (cycles > tiles ? cycles : tiles)
										 : 0;
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(const struct profile *p)
{
	double *values = calloc(p->count + 1u, sizeof(*values)), middle = 0;
	size_t n = 0;

	for (uint32_t i = 0; values && i < p->count; i++)
		if (element_ns(&p->rows[i]) > 0)
			values[n++] = element_ns(&p->rows[i]);
	if (n) {
		qsort(values, n, sizeof(*values), by_value);
		middle = values[n / 2];
	}
	free(values);
	return middle;
}

static ptowsp_status profile_make(struct profile *p, const struct run *run, struct ptowsp_error *error)
{
	ptowsp_status status;

	*p = (struct profile){.run_ns = ptowsp_stats(run->program)->execute_ns, .cores = cores()};
	p->threads = run->options->threads ? (unsigned)run->options->threads : p->cores;
	status = ptowsp_profile_visit(run->program, row_keep, p, error);
	if (!status && p->failed)
		status = reg_fail(error, PTOWSP_NO_MEMORY, "no memory for the profile");
	p->median = median(p);
	return status;
}

/* Threads' time that no kernel took; what is negative on a loaded machine is 0. */
static uint64_t outside_ns(const struct profile *p)
{
	const uint64_t all = p->run_ns * (p->threads < p->tasks ? p->threads : p->tasks);

	return all > p->kernels_ns ? all - p->kernels_ns : 0;
}

/* ---- what follows from it ------------------------------------------------------------------------------------- */

struct adviser {
	void (*say)(void *context, const char *line);
	void *context;
};

static void advise(const struct adviser *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void advise(const struct adviser *to, const char *format, ...)
{
	char line[400];
	va_list list;

	va_start(list, format);
	vsnprintf(line, sizeof(line), format, list);
	va_end(list);
	to->say(to->context, line);
}

/* Figures of a kernel in the run; zeros where it counted none of its tasks. */
static struct ptowsp_kernel_stats counted(const struct run *run, uint32_t kernel)
{
	const struct ptowsp_run_stats *s = ptowsp_stats(run->program);

	for (uint32_t i = 0; i < s->kernel_count; i++)
		if (s->kernels[i].kernel == kernel)
			return s->kernels[i];
	return (struct ptowsp_kernel_stats){.kernel = kernel};
}

static void advise_tasks(const struct profile *p, const struct run *run, const struct adviser *to)
{
	const uint64_t each = p->tasks ? outside_ns(p) / p->tasks : 0;

	for (uint32_t i = 0; i < p->count; i++) {
		const struct ptowsp_profile_row *row = &p->rows[i];
		const uint64_t call = row->calls ? row->wall_ns / row->calls : 0;

		if (!row->operations && row->calls >= ADVICE_CALLS && call < each)
			advise(to, "a task of @%.60s takes %llu ns, and %llu ns more pass around it: larger tiles make fewer tasks",
			       ptowsp_plan_kernel(run->plan, row->kernel), (unsigned long long)call, (unsigned long long)each);
	}
}

static void advise_operations(const struct profile *p, const struct run *run, const struct adviser *to)
{
	for (uint32_t i = 0; i < p->count; i++) {
		const struct ptowsp_profile_row *row = &p->rows[i];
		const double each = element_ns(row);

		if (p->median > 0 && each >= ADVICE_TIMES * p->median && row->wall_ns * 20 > p->kernels_ns)
			advise(to, "%.90s in @%.60s, line %u, takes %.2f ns an element, %.0f times the median of this run", row->what,
			       ptowsp_plan_kernel(run->plan, row->kernel), row->line, each, each / p->median);
	}
}

static void advise_code(const struct profile *p, const struct run *run, const struct adviser *to)
{
	const struct ptowsp_cap *native = ptowsp_backend_cap(run->backend, PTOWSP_FEATURE_PAYLOAD(PTOWSP_PAYLOAD_ELF));
	uint64_t portable = 0;

	for (uint32_t i = 0; i < p->count; i++)
		if (!p->rows[i].operations && counted(run, p->rows[i].kernel).flags & PTOWSP_KERNEL_PORTABLE)
			portable += p->rows[i].wall_ns;
	if (portable * 2 > p->run_ns && native && native->state == PTOWSP_STATE_ENFORCED)
		advise(to, "the interpreter ran kernels for %.0f %% of the run: ptowsp-pack --native compiles them, --trust=all runs what was compiled",
		       100.0 * (double)portable / (double)p->run_ns / (p->threads < p->tasks ? p->threads : 1));
}

static void advise_all(const struct profile *p, const struct run *run, const struct adviser *to)
{
	advise_tasks(p, run, to);
	advise_operations(p, run, to);
	advise_code(p, run, to);
	if (ptowsp_stats(run->program)->executors == 1 && p->tasks > 1)
		advise(to, "one executor took all tasks in the model's time: --schedule 'dispatch=round_robin(4)' gives those that do not wait for each other "
			   "(--graph) "
			   "executors of their own");
	if (p->threads == 1 && p->cores > 1 && p->tasks > 1 && p->kernels_ns * 2 > p->run_ns)
		advise(to, "one thread ran all tasks: with --threads %u those that do not wait for each other (--graph) run at once", p->cores);
}

/* ---- as a table ----------------------------------------------------------------------------------------------- */

static double share(const struct profile *p, uint64_t ns)
{
	return 100.0 * (double)ns / ((double)p->kernels_ns + 1e-9);
}

static void line_text(const struct ptowsp_profile_row *row, char text[32])
{
	text[0] = '\0';
	if (row->line && row->last_line > row->line)
		snprintf(text, 32, "%u-%u", row->line, row->last_line);
	else if (row->line)
		snprintf(text, 32, "%u", row->line);
}

static void row_print(const struct profile *p, const struct run *run, const struct ptowsp_profile_row *row)
{
	const uint64_t cycles = row->operations ? row->cycles : counted(run, row->kernel).cycles;
	char line[32], each[24] = "-", modelled[24] = "-", name[120];

	line_text(row, line);
	if (row->operations && row->elements && row->calls)
		snprintf(each, sizeof(each), "%.3f", (double)row->wall_ns / (double)row->calls / (double)row->elements);
	if (cycles)
		snprintf(modelled, sizeof(modelled), "%llu", (unsigned long long)cycles);
	snprintf(name, sizeof(name), "%s%s", row->operations ? "  " : "", row->operations ? row->what : ptowsp_plan_kernel(run->plan, row->kernel));
	plain_print(stdout, "%-48s %7s %10llu %12.3f %7.1f %12llu %10s %14s\n", name, line, (unsigned long long)row->calls, (double)row->wall_ns / 1e6,
		    share(p, row->wall_ns), (unsigned long long)(row->calls ? row->wall_ns / row->calls : 0), each, modelled);
}

/* The kernel's row and its operations behind it; returns how many are left out. */
static uint32_t kernel_print(const struct profile *p, const struct run *run, uint32_t row)
{
	uint32_t left = 0;

	row_print(p, run, &p->rows[row++]);
	for (; row < p->count && p->rows[row].operations; row++)
		if (p->rows[row].wall_ns * SHOWN_PARTS >= p->kernels_ns)
			row_print(p, run, &p->rows[row]);
		else
			left++;
	return left;
}

static int by_time(const void *a, const void *b)
{
	const struct ptowsp_profile_row *x = *(const struct ptowsp_profile_row *const *)a, *y = *(const struct ptowsp_profile_row *const *)b;

	return (x->wall_ns < y->wall_ns) - (x->wall_ns > y->wall_ns);
}

/* The kernel that took most comes first, its operations in the order of its code. */
static void table_print(const struct profile *p, const struct run *run)
{
	const struct ptowsp_profile_row **kernels = calloc(p->count, sizeof(*kernels));
	uint32_t count = 0, left = 0;

	for (uint32_t i = 0; kernels && i < p->count; i++)
		if (!p->rows[i].operations)
			kernels[count++] = &p->rows[i];
	if (count)
		qsort(kernels, count, sizeof(*kernels), by_time);
	for (uint32_t i = 0; i < count; i++)
		left += kernel_print(p, run, (uint32_t)(kernels[i] - p->rows));
	if (left)
		plain_print(stdout, "%u operations of less than %.1f %% are left out; --stats=json has them\n", left, 100.0 / SHOWN_PARTS);
	free(kernels);
}

static void counters_print(const struct run_counters *c)
{
	plain_print(stdout, "processor:");
	for (unsigned i = 0; i < RUN_COUNTERS; i++)
		if (c->file[i] >= 0)
			plain_print(stdout, " %s %llu", run_counter_names[i], (unsigned long long)c->value[i]);
	if (c->why)
		plain_print(stdout, " %s (%s)", c->file[0] < 0 ? "its counters are not to be had" : "and no others", strerror(c->why));
	plain_print(stdout, "\n");
}

/* A backend that runs a program again to compare, or calls in parts, measures each of them; of several ranks the first measures its own. */
static void calls_print(const struct profile *p, const struct run *run)
{
	uint64_t tasks = 0;

	for (uint32_t i = 0; i < p->count; i++)
		tasks += p->rows[i].operations ? 0 : counted(run, p->rows[i].kernel).tasks;
	if (tasks && p->tasks > tasks)
		plain_print(stdout, "calls: %llu for %llu tasks, because %s ran kernels again or in parts; model cycles are of the tasks\n",
			    (unsigned long long)p->tasks, (unsigned long long)tasks, ptowsp_backend_name(run->backend));
	if (run->options->rank_count)
		plain_print(stdout, "calls: those of rank 0, which are %llu of %llu tasks; model cycles are of all\n", (unsigned long long)p->tasks,
			    (unsigned long long)tasks);
}

static void advice_print(void *context, const char *line)
{
	(void)context;
	plain_line(stdout, "advice: %s", line);
}

ptowsp_status run_profile_print(const struct run *run, struct ptowsp_error *error)
{
	const struct adviser to = {advice_print, NULL};
	struct profile p;
	ptowsp_status status = profile_make(&p, run, error);

	if (!status && !p.count) {
		plain_print(stdout, "profile: %s measured no kernel in this run\n", ptowsp_backend_name(run->backend));
	} else if (!status) {
		plain_print(stdout, "profile: kernels %.3f ms, run %.3f ms, threads %u: %.3f ms of their time outside of kernels, %llu ns a task\n",
			    (double)p.kernels_ns / 1e6, (double)p.run_ns / 1e6, p.threads, (double)outside_ns(&p) / 1e6,
			    (unsigned long long)(p.tasks ? outside_ns(&p) / p.tasks : 0));
		plain_print(stdout, "%-48s %7s %10s %12s %7s %12s %10s %14s\n", "kernel, operation", "line", "calls", "wall ms", "share %", "ns a call",
			    "ns an el.", "model cycles");
		table_print(&p, run);
		calls_print(&p, run);
		counters_print(&run->counters);
		advise_all(&p, run, &to);
	}
	free(p.rows);
	return status;
}

/* ---- as JSON -------------------------------------------------------------------------------------------------- */

static json_t *number(uint64_t value)
{
	return json_integer(value > INT64_MAX ? INT64_MAX : (json_int_t)value);
}

static json_t *row_json(const struct run *run, const struct ptowsp_profile_row *row)
{
	const uint64_t cycles = row->operations ? row->cycles : counted(run, row->kernel).cycles;

	return json_pack("{s:s, s:o, s:i, s:i, s:i, s:o, s:o, s:o, s:o}", "kernel", ptowsp_plan_kernel(run->plan, row->kernel), "what",
			 row->operations ? plain_json(row->what) : json_null(), "operations", (int)row->operations, "line", (int)row->line, "last_line",
			 (int)row->last_line, "calls", number(row->calls), "wall_ns", number(row->wall_ns), "cycles", cycles ? number(cycles) : json_null(),
			 "elements", row->elements ? number(row->elements) : json_null());
}

static json_t *counters_json(const struct run_counters *c)
{
	json_t *root = json_object();

	for (unsigned i = 0; i < RUN_COUNTERS; i++)
		json_object_set_new(root, run_counter_names[i], c->file[i] >= 0 ? number(c->value[i]) : json_null());
	return root;
}

static void advice_append(void *context, const char *line)
{
	json_array_append_new(context, plain_json(line));
}

json_t *run_profile_json(const struct run *run)
{
	struct ptowsp_error ignored = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	json_t *rows = json_array(), *advice = json_array(), *root;
	const struct adviser to = {advice_append, advice};
	struct profile p;

	if (profile_make(&p, run, &ignored)) {
		free(p.rows);
		json_decref(rows);
		json_decref(advice);
		return json_null();
	}
	for (uint32_t i = 0; i < p.count; i++)
		json_array_append_new(rows, row_json(run, &p.rows[i]));
	advise_all(&p, run, &to);
	root = json_pack("{s:o, s:o, s:i, s:o, s:o, s:o}", "kernels_ns", number(p.kernels_ns), "run_ns", number(p.run_ns), "threads", (int)p.threads, "rows",
			 rows, "counters", counters_json(&run->counters), "advice", advice);
	free(p.rows);
	return root ? root : json_null();
}
#else
ptowsp_status run_profile_print(const struct run *run, struct ptowsp_error *error)
{
	return ptowsp_profile_visit(run->program, NULL, NULL, error);
}

json_t *run_profile_json(const struct run *run)
{
	(void)run;
	return json_null();
}
#endif
