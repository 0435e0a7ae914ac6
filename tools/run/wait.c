/* SPDX-License-Identifier: MIT */
/* wait.c - waiting for a run: signals, deadline, progress.
 *
 * SIGINT, SIGTERM and SIGHUP are noted; while the tool waits for a run it cancels that, elsewhere the handler itself
 * removes temporary files and ends the process with a sentence. SIGUSR1 asks for the state of the run that the tool waits
 * for, elsewhere for the phase. SIGVTALRM is the clock of a phase that says nothing by itself; SIGALRM belongs to run/watchdog.c. */
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "registry/names.h"
#include "registry/text.h"
#include "tools/run/run_run.h"

#define SLICE_NS  UINT64_C(50000000)
#define SECOND_NS UINT64_C(1000000000)

static volatile sig_atomic_t asked_to_end, asked_for_state, waiting, over, by_parent;
static const char *volatile rank_text; /* "1/4" of a rank but the first, whose launcher ends it without a word */

static void leave(int status)
{
	output_abort_all();
	_exit(status);
}

/* As write(2): for handlers, which cannot use stdio. */
static void say(const char *text)
{
	ssize_t ignored = write(STDERR_FILENO, text, strlen(text));

	(void)ignored;
}

static void cancelled_leave(int number)
{
	if (!rank_text || !by_parent) {
		say("ptowsp-run: ");
		say(rank_text ? "rank " : "");
		say(rank_text ? rank_text : "");
		say(rank_text ? ": " : "");
		say(number == SIGINT ? "cancelled by an interrupt\n" : "cancelled by a signal\n");
	}
	leave(128 + number);
}

/* A launcher, which is the parent, ends all ranks without a word; anybody else means this one. */
static void on_end(int number, siginfo_t *from, void *nothing)
{
	(void)nothing;
	if (over)
		return;
	by_parent = from->si_code <= 0 && from->si_pid == getppid();
	if (!waiting || asked_to_end)
		cancelled_leave(number);
	asked_to_end = number;
}

static void on_state(int number, siginfo_t *from, void *nothing)
{
	(void)number;
	(void)from;
	(void)nothing;
	if (waiting)
		asked_for_state = 1;
	else
		run_phase_say();
}

static void on_measuring(int number, siginfo_t *from, void *nothing)
{
	(void)number;
	(void)from;
	(void)nothing;
	say("ptowsp-run: measuring tensors without a shape ...\n");
}

void run_signals_install(void)
{
	static const struct {
		int number;
		void (*handler)(int, siginfo_t *, void *);
	} rows[] = {{SIGINT, on_end}, {SIGTERM, on_end}, {SIGHUP, on_end}, {SIGUSR1, on_state}, {SIGVTALRM, on_measuring}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct sigaction action = {.sa_sigaction = rows[i].handler, .sa_flags = SA_RESTART | SA_SIGINFO}, old;

		sigemptyset(&action.sa_mask);
		/* Under nohup a hangup stays ignored. */
		if (rows[i].number != SIGHUP || (!sigaction(SIGHUP, NULL, &old) && old.sa_handler != SIG_IGN))
			sigaction(rows[i].number, &action, NULL);
	}
}

void run_signals_silence(const char *rank)
{
	rank_text = rank;
}

void run_signals_over(void)
{
	over = 1;
}

int run_signal(void)
{
	return asked_to_end;
}

/* A terminal gets lines about what goes on. */
bool run_is_watched(const struct run_options *options)
{
	return options->progress || (isatty(STDERR_FILENO) && !options->quiet);
}

static bool is_measured(const struct run *run)
{
	for (uint32_t i = 0; i < run->tensor_count; i++)
		if (run->tensors[i].info.flags & PTOWSP_TENSOR_INFO_SHAPELESS && run->tensors[i].info.flags & PTOWSP_TENSOR_INFO_USED)
			return true;
	return false;
}

/* Measuring only computes, so that processor time is its clock; SIGALRM is taken. */
void run_measuring(const struct run *run, bool begins)
{
	struct itimerval timer = {.it_value.tv_sec = begins && run_is_watched(run->options) && is_measured(run)};

	setitimer(ITIMER_VIRTUAL, &timer, NULL);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

static void progress(struct run *run, uint64_t begin, uint64_t *shown)
{
	struct ptowsp_run_stats live;
	uint64_t now = now_ns();

	if (!run_is_watched(run->options) || now - begin < SECOND_NS || now - *shown < SECOND_NS / 2)
		return;
	*shown = now;
	if (!ptowsp_stats_live(run->program, &live, NULL))
		run_progress_print(run, &live);
}

/* A second for the backend to stop; then the process goes without it. */
static ptowsp_status cancel(struct run *run, struct ptowsp_error *error)
{
	ptowsp_cancel(run->program, NULL);
	if (ptowsp_synchronize(run->program, SECOND_NS, error) == PTOWSP_AGAIN)
		cancelled_leave(asked_to_end);
	return PTOWSP_CANCELLED;
}

static ptowsp_status cancelled(struct ptowsp_error *error)
{
	return reg_fail(error, PTOWSP_CANCELLED, "cancelled by %s", asked_to_end == SIGINT ? "an interrupt" : "a signal");
}

/* A graph that is not whole is none. */
static ptowsp_status graph_fail(struct ptowsp_error *error)
{
	return reg_fail(error, PTOWSP_LIMIT, "--graph keeps %llu tasks and edges at the most, and the run has more; take a smaller one, or do without --graph",
			(unsigned long long)GRAPH_MOST);
}

ptowsp_status run_wait(struct run *run, struct ptowsp_error *error)
{
	uint64_t begin = now_ns(), shown = begin;
	ptowsp_status status;

	waiting = 1;
	do {
		status = ptowsp_synchronize(run->program, SLICE_NS, error);
		if (asked_for_state) {
			asked_for_state = 0;
			run_state_print(run);
		}
		if (status == PTOWSP_AGAIN && asked_to_end)
			status = cancel(run, error);
		else if (status == PTOWSP_AGAIN && (run_mates_failed(run) || atomic_load(&run->graph_full)))
			ptowsp_cancel(run->program, NULL);
		else if (status == PTOWSP_AGAIN)
			progress(run, begin, &shown);
	} while (status == PTOWSP_AGAIN);
	waiting = 0;
	if (asked_to_end) /* also where the run was faster: no output is in its place yet */
		status = cancelled(error);
	if (shown != begin)
		run_progress_print(run, NULL);
	if ((!status || (status == PTOWSP_CANCELLED && !asked_to_end)) && atomic_load(&run->graph_full))
		return graph_fail(error);
	return status;
}
