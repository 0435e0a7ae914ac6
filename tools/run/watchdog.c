/* SPDX-License-Identifier: MIT */
/* watchdog.c - the end of a phase that does not end by itself. A plugin in a process of its own is ended by the library, which says in which operation it was; one in this process can only be
 * ended with the process: SIGALRM comes a little later, removes temporary files and says a sentence. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "registry/names.h"
#include "registry/text.h"
#include "tools/run/run_run.h"

enum {
	BEHIND_MS = 1000,
	BEHIND_RUN_MS = 2000 /* the library waits one for a run to heed its deadline */,
	FIRST_WORD_MS = 3000,
	NEXT_WORD_MS = 10000,
	OPENING_MS = 60000
};

/* Written before the alarm is set, and read in its handler. */
static char end_text[200];
static int64_t began_ms, ends_ms;
static volatile sig_atomic_t watched, current;
/* The error stream of the tool, whatever a plugin in this process makes of descriptor 2 while it is called. */
static int error_stream = STDERR_FILENO;

static const char *const words[] = {"reading, comparing or writing", "opening the plugin", "loading", "looking at the run",
				    "preparing or running",          "closing the plugin"};

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* As write(2): for handlers, which cannot use stdio. */
static void say(const char *text)
{
	ssize_t written = write(error_stream, text, strlen(text));

	if (written < 0) /* a plugin has closed it */
		written = write(STDERR_FILENO, text, strlen(text));
	(void)written;
}

static void number_say(int64_t number)
{
	char digits[24], *at = digits + sizeof(digits) - 1;

	*at = '\0';
	do
		*--at = (char)('0' + number % 10);
	while (number /= 10);
	say(at);
}

void run_phase_say(void)
{
	say("ptowsp-run: still ");
	say(words[current]);
	say(", ");
	number_say((now_ms() - began_ms) / 1000);
	say(" s\n");
}

static void alarm_set(int64_t ms)
{
	const struct itimerval timer = {.it_value = {(time_t)(ms / 1000), (suseconds_t)(ms % 1000 * 1000)}};

	setitimer(ITIMER_REAL, &timer, NULL);
}

static void alarm_next(int64_t now)
{
	const int64_t left = ends_ms > now ? ends_ms - now : 1, word = now == began_ms ? FIRST_WORD_MS : NEXT_WORD_MS;

	alarm_set(watched && word < left ? word : left);
}

static void on_alarm(int number)
{
	const int64_t now = now_ms();

	(void)number;
	if (now >= ends_ms) {
		say(end_text);
		output_abort_all();
		_exit(reg_status_exit(PTOWSP_DEADLINE));
	}
	if (watched)
		run_phase_say();
	alarm_next(now);
}

static void error_stream_keep(void)
{
	const int own = error_stream == STDERR_FILENO ? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3) : -1;

	if (own >= 0)
		error_stream = own;
}

static void end_text_make(enum run_phase phase, uint64_t ms)
{
	struct reg_text text;

	reg_text_init(&text, end_text, sizeof(end_text));
	if (phase == RUN_RUNNING)
		reg_text_add(&text, "ptowsp-run: the deadline of %llu ms passed and the backend does not come back; run ended\n", (unsigned long long)ms);
	else
		reg_text_add(&text, "ptowsp-run: %s did not end in %llu ms and the backend does not come back; ended%s\n", words[phase], (unsigned long long)ms,
			     phase == RUN_LOADING || phase == RUN_LOOKING ? "; --load-timeout-ms gives it longer" : "");
}

void run_watchdog(const struct run_options *o, enum run_phase phase)
{
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	uint64_t ms = phase == RUN_RUNNING ? o->timeout_ms : o->load_timeout_ms;

	alarm_set(0);
	error_stream_keep();
	began_ms = now_ms();
	current = (sig_atomic_t)phase;
	if ((phase == RUN_OPENING || phase == RUN_CLOSING) && ms > OPENING_MS)
		ms = OPENING_MS;
	if (phase == RUN_NOTHING || !ms)
		return;
	end_text_make(phase, ms);
	ends_ms = began_ms + (int64_t)(ms < INT64_MAX / 4 ? ms : INT64_MAX / 4) + (phase == RUN_RUNNING ? BEHIND_RUN_MS : BEHIND_MS);
	watched = phase != RUN_RUNNING && run_is_watched(o);
	sigemptyset(&action.sa_mask);
	sigaction(SIGALRM, &action, NULL);
	alarm_next(began_ms);
}
