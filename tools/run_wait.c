/* SPDX-License-Identifier: MIT */
/* run_wait.c - waiting for a run: signals, deadline, progress.
 *
 * SIGINT and SIGTERM are noted; while the tool waits for a run it cancels that, elsewhere the handler itself removes
 * temporary files and ends the process. SIGALRM is the watchdog of phases that nothing can interrupt. */
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "registry/names.h"
#include "registry/text.h"
#include "tools/run.h"

#define SLICE_NS UINT64_C(50000000)
#define SECOND_NS UINT64_C(1000000000)

static volatile sig_atomic_t asked_to_end, asked_for_state, waiting;
static char watchdog_text[128]; /* written before the timer is armed */

static void leave(int status)
{
	output_abort_all();
	_exit(status);
}

static void on_end(int number)
{
	if (!waiting || asked_to_end)
		leave(128 + number);
	asked_to_end = number;
}

static void on_state(int number)
{
	(void)number;
	asked_for_state = 1;
}

static void on_watchdog(int number)
{
	ssize_t ignored;

	(void)number;
	ignored = write(STDERR_FILENO, watchdog_text, strlen(watchdog_text));
	(void)ignored;
	leave(reg_status_exit(PTOWSP_DEADLINE));
}

void run_signals_install(void)
{
	static const struct {
		int number;
		void (*handler)(int);
	} rows[] = {{SIGINT, on_end}, {SIGTERM, on_end}, {SIGUSR1, on_state}, {SIGALRM, on_watchdog}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct sigaction action = {.sa_handler = rows[i].handler, .sa_flags = SA_RESTART};

		sigemptyset(&action.sa_mask);
		sigaction(rows[i].number, &action, NULL);
	}
}

int run_signal(void)
{
	return asked_to_end;
}

void run_watchdog(uint64_t ms)
{
	struct reg_text text;

	alarm(0);
	if (!ms)
		return;
	reg_text_init(&text, watchdog_text, sizeof(watchdog_text));
	reg_text_add(&text, "ptowsp-run: the deadline of %llu ms passed and the backend does not come back; run ended\n",
		     (unsigned long long)ms);
	alarm(ms / 1000 + 2 < UINT32_MAX / 2 ? (unsigned)(ms / 1000 + 2) : UINT32_MAX / 2);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

static void progress(struct run *run, uint64_t begin, uint64_t *shown)
{
	bool wanted = run->options->progress || (isatty(STDERR_FILENO) && !run->options->quiet);
	struct ptowsp_run_stats live;
	uint64_t now = now_ns();

	if (!wanted || now - begin < SECOND_NS || now - *shown < SECOND_NS / 2)
		return;
	*shown = now;
	if (!ptowsp_stats_live(run->program, &live, NULL))
		run_progress_print(run, &live);
}

/* A second for the backend to stop; then the process goes without it. */
static ptowsp_status cancel(struct run *run, struct ptowsp_error *error)
{
	ptowsp_status st;

	ptowsp_cancel(run->program, NULL);
	st = ptowsp_synchronize(run->program, SECOND_NS, error);
	if (st == PTOWSP_AGAIN)
		leave(128 + asked_to_end);
	return reg_fail(error, PTOWSP_CANCELLED, "cancelled by %s", asked_to_end == SIGINT ? "an interrupt" : "a signal");
}

ptowsp_status run_wait(struct run *run, struct ptowsp_error *error)
{
	uint64_t begin = now_ns(), shown = begin;
	ptowsp_status st;

	waiting = 1;
	do {
		st = ptowsp_synchronize(run->program, SLICE_NS, error);
		if (asked_for_state) {
			asked_for_state = 0;
			run_state_print(run);
		}
		if (st == PTOWSP_AGAIN && asked_to_end)
			st = cancel(run, error);
		else if (st == PTOWSP_AGAIN)
			progress(run, begin, &shown);
	} while (st == PTOWSP_AGAIN);
	waiting = 0;
	if (shown != begin)
		run_progress_print(run, NULL);
	return st;
}
