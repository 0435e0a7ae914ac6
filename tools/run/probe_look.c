/* SPDX-License-Identifier: MIT */
/* probe_look.c - what can be seen of a run, one name each. */
#include "tools/run/probe_run.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "registry/names.h"
#include "registry/text.h"

struct seeing {
	const struct probe_outcome *outcome;
	struct probe_view *view;
	struct reg_text text;
	const char *argument; /* behind the name: a resource */
};

static void blank(struct seeing *s)
{
	if (s->text.length)
		reg_text_add(&s->text, " ");
}

static void number_add(struct seeing *s, uint64_t number)
{
	struct probe_view *v = s->view;

	if (v->count < sizeof(v->numbers) / sizeof(*v->numbers))
		v->numbers[v->count++] = number;
	blank(s);
	reg_text_add(&s->text, "%llu", (unsigned long long)number);
}

/* ---- of each task ---------------------------------------------------------------------------------------------- */

static uint64_t traced(const struct seeing *s)
{
	return s->outcome->task_count < PROBE_TASKS ? s->outcome->task_count : PROBE_TASKS;
}

#define OF_EACH_TASK(name, field)                                                                                                                              \
	static void name(struct seeing *s)                                                                                                                     \
	{                                                                                                                                                      \
		for (uint64_t i = 0; i < traced(s); i++)                                                                                                       \
			number_add(s, s->outcome->tasks[i].field);                                                                                             \
	}
OF_EACH_TASK(streams, stream)
OF_EACH_TASK(starts, start)
OF_EACH_TASK(numbers, task)

static int start_order(const void *a, const void *b)
{
	const struct ptowsp_trace_task *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->task > y->task) - (x->task < y->task);
}

/* Numbers of tasks, the one that started first before the others. */
static void by_start(struct seeing *s)
{
	struct ptowsp_trace_task sorted[PROBE_TASKS];

	memcpy(sorted, s->outcome->tasks, (size_t)traced(s) * sizeof(*sorted));
	qsort(sorted, (size_t)traced(s), sizeof(*sorted), start_order);
	for (uint64_t i = 0; i < traced(s); i++)
		number_add(s, sorted[i].task);
}

/* How many tasks started before one. */
static void place(struct seeing *s)
{
	const struct ptowsp_trace_task *tasks = s->outcome->tasks;
	const uint64_t task = strtoull(s->argument, NULL, 10);
	uint64_t before = 0;

	for (uint64_t i = 0; task < traced(s) && i < traced(s); i++)
		before += start_order(&tasks[i], &tasks[task]) < 0;
	number_add(s, before);
	if (task >= traced(s))
		s->view->missing = "the trace does not have this task";
}

/* How many of tasks "first last" the executor has that has most of them. */
static void together(struct seeing *s)
{
	char *rest;
	const uint64_t first = strtoull(s->argument, &rest, 10), last = strtoull(rest, NULL, 10);
	uint64_t most = 0;

	for (uint64_t i = first; i <= last && i < traced(s); i++) {
		uint64_t count = 0;

		for (uint64_t k = first; k <= last && k < traced(s); k++)
			count += s->outcome->tasks[k].executor == s->outcome->tasks[i].executor;
		most = count > most ? count : most;
	}
	number_add(s, most);
}

/* Both, for runs that must be alike. */
static void places(struct seeing *s)
{
	for (uint64_t i = 0; i < traced(s); i++) {
		blank(s);
		reg_text_add(&s->text, "%llu..%llu/%u", (unsigned long long)s->outcome->tasks[i].start, (unsigned long long)s->outcome->tasks[i].end,
			     (unsigned)s->outcome->tasks[i].executor);
	}
}

static void kernels(struct seeing *s)
{
	for (uint64_t i = 0; i < traced(s); i++) {
		blank(s);
		reg_text_add(&s->text, "%s", s->outcome->names[i]);
	}
}

/* Index of the task's executor among those seen so far; their number where it is new. */
static uint64_t group_of(const struct seeing *s, uint64_t task, uint32_t seen[PROBE_TASKS], uint64_t *count)
{
	uint64_t g = 0;

	while (g < *count && seen[g] != s->outcome->tasks[task].executor)
		g++;
	if (g == *count)
		seen[(*count)++] = s->outcome->tasks[task].executor;
	return g;
}

/* Executors in the order in which tasks come to them: whatever a backend calls its own. */
static void groups(struct seeing *s)
{
	uint32_t seen[PROBE_TASKS];
	uint64_t count = 0;

	for (uint64_t i = 0; i < traced(s); i++)
		number_add(s, group_of(s, i, seen, &count));
}

static void used(struct seeing *s)
{
	uint32_t seen[PROBE_TASKS];
	uint64_t count = 0;

	for (uint64_t i = 0; i < traced(s); i++)
		group_of(s, i, seen, &count);
	number_add(s, count);
}

/* Pairs i>k: i ended before k began. */
static void orders(struct seeing *s)
{
	const struct ptowsp_trace_task *tasks = s->outcome->tasks;

	for (uint64_t k = 0; k < traced(s); k++)
		for (uint64_t i = 0; i < k; i++)
			if (tasks[i].end <= tasks[k].start) {
				blank(s);
				reg_text_add(&s->text, "%llu>%llu", (unsigned long long)tasks[i].task, (unsigned long long)tasks[k].task);
			}
}

/* How many tasks run at one time, at most. */
static void overlap(struct seeing *s)
{
	const struct ptowsp_trace_task *tasks = s->outcome->tasks;
	uint64_t most = 0;

	for (uint64_t i = 0; i < traced(s); i++) {
		uint64_t running = 0;

		for (uint64_t k = 0; k < traced(s); k++)
			running += tasks[k].start <= tasks[i].start && tasks[i].start < tasks[k].end;
		most = running > most ? running : most;
	}
	number_add(s, most);
}

/* ---- of the run ------------------------------------------------------------------------------------------------ */

static int edge_order(const void *a, const void *b)
{
	const struct ptowsp_graph_edge *x = a, *y = b;

	if (x->consumer != y->consumer)
		return x->consumer < y->consumer ? -1 : 1;
	return (x->producer > y->producer) - (x->producer < y->producer);
}

static void edges(struct seeing *s)
{
	struct ptowsp_graph_edge sorted[PROBE_EDGES];
	uint64_t count = s->outcome->edge_count < PROBE_EDGES ? s->outcome->edge_count : PROBE_EDGES;

	memcpy(sorted, s->outcome->edges, (size_t)count * sizeof(*sorted));
	qsort(sorted, (size_t)count, sizeof(*sorted), edge_order);
	for (uint64_t i = 0; i < count; i++) {
		blank(s);
		reg_text_add(&s->text, "%llu>%llu", (unsigned long long)sorted[i].producer, (unsigned long long)sorted[i].consumer);
	}
}

#define OF_THE_RUN(name, value)                                                                                                                                \
	static void name(struct seeing *s)                                                                                                                     \
	{                                                                                                                                                      \
		number_add(s, s->outcome->value);                                                                                                              \
	}
OF_THE_RUN(tasks, stats.tasks)
OF_THE_RUN(cycles, stats.total_cycles)
OF_THE_RUN(kernel_cycles, kernel_cycles)
OF_THE_RUN(device_tasks, device_tasks)
OF_THE_RUN(batches, stats.batches)
OF_THE_RUN(flushes, stats.flushes)
OF_THE_RUN(width, stats.executors)

static void shares(struct seeing *s)
{
	uint32_t count = s->outcome->scheduler_count;

	while (count > 1 && !s->outcome->scheduler_tasks[count - 1])
		count--;
	for (uint32_t i = 0; i < count; i++)
		number_add(s, s->outcome->scheduler_tasks[i]);
	if (!s->outcome->scheduler_count)
		s->view->missing = "the statistics do not tell scheduler instances apart";
}

static void shards(struct seeing *s)
{
	const struct ptowsp_layout_stats *l = &s->outcome->layout;

	number_add(s, l->shards);
	number_add(s, l->bytes_local);
	number_add(s, l->bytes_moved);
}

static void deterministic(struct seeing *s)
{
	static const char *const words[] = {"no", "yes", "unknown"};

	reg_text_add(&s->text, "%s", s->outcome->stats.deterministic < 3 ? words[s->outcome->stats.deterministic] : "?");
}

/* Memory of probes begins as zeros: a tensor that nothing has come to shows nothing. */
static void content(struct seeing *s)
{
	int32_t any = 0;

	for (int i = 0; i < PROBE_CONTENT; i++) {
		blank(s);
		reg_text_add(&s->text, "%d", (int)s->outcome->content[i]);
		any |= s->outcome->content[i];
	}
	if (!s->outcome->has_content)
		s->view->missing = "the backend left no tensor \"out\"";
	else if (!any)
		s->view->nothing = true;
}

static void status(struct seeing *s)
{
	reg_text_add(&s->text, "%s", reg_status_name(s->outcome->status));
}

static void deadlock(struct seeing *s)
{
	const struct ptowsp_deadlock *d = &s->outcome->deadlock;

	if (!s->outcome->deadlocked)
		reg_text_add(&s->text, "none");
	else
		reg_text_add(&s->text, "%s task %llu capacity %llu proposed %llu", reg_resource_text(d->resource), (unsigned long long)d->task,
			     (unsigned long long)d->capacity, (unsigned long long)d->proposed);
}

/* ---- of a resource --------------------------------------------------------------------------------------------- */

static const struct ptowsp_resource_stats *resource(struct seeing *s)
{
	for (uint32_t i = 0; i < s->outcome->resource_count; i++)
		if (!strcmp(s->outcome->resources[i].name, s->argument))
			return &s->outcome->resources[i];
	s->view->missing = "the statistics do not have this resource";
	return NULL;
}

#define OF_A_RESOURCE(name, field)                                                                                                                             \
	static void name(struct seeing *s)                                                                                                                     \
	{                                                                                                                                                      \
		const struct ptowsp_resource_stats *r = resource(s);                                                                                           \
                                                                                                                                                               \
		number_add(s, r ? r->field : 0);                                                                                                               \
	}
OF_A_RESOURCE(stalls, stall_count)
OF_A_RESOURCE(stall_cycles, stall_cycles)
OF_A_RESOURCE(high_water, high_water)
OF_A_RESOURCE(capacity, capacity)

/* ---- names ----------------------------------------------------------------------------------------------------- */

enum { TRACE = 1, GRAPH = 2, ANY_STATUS = 4 };
static const struct look {
	const char *name;
	unsigned needs;
	void (*see)(struct seeing *s);
} looks[] = {
	{"groups", TRACE, groups}, /* of each task: its executor, numbered in the order of first use */
	{"used", TRACE, used},     /* executors with tasks */
	{"streams", TRACE, streams},
	{"starts", TRACE, starts},
	{"by_start", TRACE, by_start}, /* numbers of the tasks, in order of their starts */
	{"place", TRACE, place},       /* in that order, of the task that is named behind */
	{"together", TRACE, together}, /* of the tasks from the first to the last that are named behind, those on the executor that has most */
	{"numbers", TRACE, numbers},   /* of the tasks, in order of the trace */
	{"places", TRACE, places},     /* start..end/executor */
	{"kernels", TRACE, kernels},
	{"overlap", TRACE, overlap}, /* tasks at one time, at most */
	{"orders", TRACE, orders},   /* earlier>later: the one had ended when the other started */
	{"edges", GRAPH, edges},     /* producer>consumer, by consumer */
	{"tasks", 0, tasks},         /* how many */
	{"cycles", 0, cycles},
	{"kernel_cycles", 0, kernel_cycles},
	{"device_tasks", 0, device_tasks},
	{"batches", 0, batches},
	{"flushes", 0, flushes},
	{"width", 0, width},   /* executors */
	{"shares", 0, shares}, /* tasks of each scheduler instance, up to the last that has some */
	{"shards", 0, shards}, /* of the first tensor that has some: how many, bytes local, bytes moved */
	{"deterministic", 0, deterministic},
	{"content", 0, content}, /* of the tensor "out" */
	{"status", ANY_STATUS, status},
	{"deadlock", ANY_STATUS, deadlock},
	{"stalls", 0, stalls}, /* these four: of the resource that is named behind */
	{"stall_cycles", 0, stall_cycles},
	{"high_water", 0, high_water},
	{"capacity", 0, capacity},
};

void probe_look(struct probe_view *view, const struct probe_outcome *outcome, const char *what)
{
	size_t length = strcspn(what, " "), i = 0;
	struct seeing s = {.outcome = outcome, .view = view, .argument = what[length] ? what + length + 1 : ""};

	while (i < sizeof(looks) / sizeof(*looks) && (strlen(looks[i].name) != length || strncmp(looks[i].name, what, length)))
		i++;
	assert(i < sizeof(looks) / sizeof(*looks));
	*view = (struct probe_view){.any_status = looks[i].needs & ANY_STATUS};
	reg_text_init(&s.text, view->text, sizeof(view->text));
	if ((looks[i].needs & TRACE) && !outcome->traced)
		view->missing = "the backend has no task trace";
	else if ((looks[i].needs & GRAPH) && !outcome->graphed)
		view->missing = "the backend has no task graph";
	else
		looks[i].see(&s);
}
