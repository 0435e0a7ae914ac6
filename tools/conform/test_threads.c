/* SPDX-License-Identifier: MIT */
/* test_threads.c - calls as the thread tags allow them: [any] at once, [device] one after the other on any thread, several devices at the same time. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "registry/names.h"
#include "tools/conform/conform.h"
#include "tools/conform/packages.h"

enum { WATCHERS = 4, ROUNDS = 30 };

struct watcher {
	struct conform *c;
	struct ptowsp_object *program;
	_Atomic int *stop;
	ptowsp_status wrong;
	bool moved; /* an extension was another table */
};

static void *watch(void *context)
{
	struct watcher *w = context;
	const struct ptowsp_ops *ops = &w->c->plugin->ops;
	const void *trace = ops->extension(w->c->instance, PTOWSP_EXTENSION_TRACE);

	while (!atomic_load(w->stop)) {
		struct ptowsp_run_stats stats = {.head = PTOWSP_HEAD(stats, RUN_STATS)};
		struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
		ptowsp_status status = ops->stats(w->program, &stats, &error);

		if (status && status != PTOWSP_UNIMPLEMENTED && status != PTOWSP_AGAIN)
			w->wrong = status;
		w->moved |= ops->extension(w->c->instance, PTOWSP_EXTENSION_TRACE) != trace;
		ops->cancel(w->c->device, UINT64_MAX - 7, NULL);
	}
	return NULL;
}

void conform_test_any_operations_run_at_once(struct conform *c)
{
	struct watcher watchers[WATCHERS];
	pthread_t threads[WATCHERS];
	_Atomic int stop = 0;
	struct conform_program p;

	conform_begin(c, &p, 2);
	for (int i = 0; i < WATCHERS; i++) {
		watchers[i] = (struct watcher){.c = c, .program = p.object, .stop = &stop};
		conform_thread_start(c, &threads[i], watch, &watchers[i]);
	}
	for (int i = 0; i < ROUNDS; i++)
		conform_ok(c, conform_run(c, c->device, &p, 0, 0), "a run that other threads look at");
	atomic_store(&stop, 1);
	for (int i = 0; i < WATCHERS; i++) {
		pthread_join(threads[i], NULL);
		CONFORM_MUST(c, !watchers[i].wrong, "stats answered %s while a run went on", reg_status_name(watchers[i].wrong));
		CONFORM_MUST(c, !watchers[i].moved, "an extension is another table on another thread");
	}
	conform_program_unload(c, &p);
	conform_close(c);
}

/* ---- devices ---------------------------------------------------------------------------------------------------- */

/* One device with its program; each step on a thread of its own, or all steps on one. No checks around calls: those are one thread's. */
struct worker {
	struct conform *c;
	struct ptowsp_object *device;
	struct conform_program program;
	struct conform_token *token;
	ptowsp_status status;
	const char *failed; /* the operation, NULL: none */
	char text[216];
};

static bool step(struct worker *w, const char *operation, ptowsp_status status, const struct ptowsp_error *error)
{
	if (!status || w->failed)
		return !status && !w->failed;
	w->failed = operation;
	w->status = status;
	memcpy(w->text, error->text, sizeof(w->text));
	return false;
}

static void *step_load(void *context)
{
	struct worker *w = context;
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};

	conform_loading = &w->program.findings;
	step(w, "load", w->c->plugin->ops.load(w->device, &w->program.load, &w->program.object, &error), &error);
	conform_loading = NULL;
	return NULL;
}

static void *step_submit(void *context)
{
	struct worker *w = context;
	struct ptowsp_run_args args = conform_program_run(&w->program, 0);
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	ptowsp_status status;

	if (w->failed)
		return NULL;
	args.token = w->token->token;
	conform_in_submit = w->c->isolate == PTOWSP_ISOLATE_NONE; /* call.c */
	status = w->c->plugin->ops.submit(w->device, &args, &error);
	conform_in_submit = 0;
	conform_token_answer(&w->c->services, w->token, status);
	step(w, "submit", status, &error);
	return NULL;
}

static void *step_poll(void *context)
{
	struct worker *w = context;
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	uint64_t end = host_now_ns() + UINT64_C(20000000000);

	while (!w->failed && !atomic_load(&w->token->done) && host_now_ns() < end) {
		ptowsp_status status = w->c->plugin->ops.poll(w->device, host_now_ns() + 10000000, &error);

		if (status != PTOWSP_UNIMPLEMENTED && status != PTOWSP_AGAIN)
			step(w, "poll", status, &error);
	}
	if (!w->failed && !atomic_load(&w->token->done))
		w->failed = "waiting for done", w->status = PTOWSP_DEADLINE;
	return NULL;
}

static void *step_unload(void *context)
{
	struct worker *w = context;
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};

	if (w->program.object)
		step(w, "unload", w->c->plugin->ops.unload(w->program.object, &error), &error);
	w->program.object = NULL;
	conform_findings_finish(&w->program.findings);
	return NULL;
}

static void *steps_all(void *context)
{
	step_load(context);
	step_submit(context);
	step_poll(context);
	step_unload(context);
	return NULL;
}

static void elsewhere(struct conform *c, void *(*what)(void *), struct worker *w, uint32_t count)
{
	pthread_t threads[4];

	for (uint32_t i = 0; i < count; i++)
		conform_thread_start(c, &threads[i], what, &w[i]);
	for (uint32_t i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	for (uint32_t i = 0; i < count; i++)
		CONFORM_MUST(c, !w[i].failed, "%s on a thread of its own ended as %s: %.216s", w[i].failed, reg_status_name(w[i].status), w[i].text);
	pthread_mutex_lock(&c->services.lock);
	if (*c->services.wrong)
		conform_fail(c, "%s", c->services.wrong);
	pthread_mutex_unlock(&c->services.lock);
}

void conform_test_devices_change_threads(struct conform *c)
{
	static struct worker workers[3];

	conform_open(c, 1);
	for (int i = 0; i < 3; i++) {
		workers[i] = (struct worker){.c = c, .device = c->device};
		conform_program_choose(c, &workers[i].program, conform_short_programs);
		if (i)
			conform_device_again(c, 1, &workers[i].device);
		workers[i].token = conform_token_make(&c->services);
	}
	elsewhere(c, step_load, workers, 1);
	elsewhere(c, step_submit, workers, 1);
	elsewhere(c, step_poll, workers, 1);
	elsewhere(c, step_unload, workers, 1);
	for (int round = 0; round < 10; round++) {
		for (int i = 0; i < 3; i++)
			workers[i].token = conform_token_make(&c->services);
		elsewhere(c, steps_all, workers, 3);
	}
	for (int i = 1; i < 3; i++)
		conform_ok(c, CONFORM_CALL(c, close, workers[i].device, &c->error), "close of one device of several");
	conform_close(c);
}
