/* SPDX-License-Identifier: MIT */
/* child.c - the run in a process of its own, because kernels of others may end one, and how that process ended. */
#include "tools/aie/aie.h"

#include "base/error.h"
#include "tools/scratch.h"
#include "tools/standard.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Memory of both processes. Names are of the command line, which both have at the same address. */
static volatile struct state {
	enum aie_doing doing;
	const char *path, *name, *file;
	bool ended, over, touched, asleep, mute; /* mute: stderr was closed */
	uint64_t seconds;
	uint32_t bounds; /* how often a bound was begun */
	struct aie_touch touch;
} * state;

volatile uint32_t aie_late;

void aie_child_does(enum aie_doing doing, const char *name, const char *file)
{
	state->name = name;
	state->file = file;
	state->doing = doing;
}

/* The first one asks the run to end, the next one, half a second later, finds that it does not. */
static void on_alarm(int number)
{
	(void)number;
	if (!aie_late++)
		return;
	state->over = true;
	_exit(1);
}

void aie_child_bound(uint64_t seconds)
{
	const struct itimerval bound = {.it_value.tv_sec = (time_t)seconds, .it_interval.tv_usec = 500000};
	struct sigaction action = {.sa_flags = SA_RESTART | SA_ONSTACK};

	action.sa_handler = on_alarm;
	aie_late = 0;
	state->seconds = seconds;
	state->bounds++;
	sigaction(SIGPROF, &action, NULL);
	setitimer(ITIMER_PROF, &bound, NULL);
}

void aie_child_touches(const struct aie_touch *touch)
{
	state->touch.argument = touch->argument;
	state->touch.element = touch->element;
	state->touch.elements = touch->elements;
	state->touched = true;
}

/* ---- its end, told by the parent ------------------------------------------------------------------------------------ */

static ptowsp_status over_tell(struct ptowsp_error *error)
{
	const unsigned long long seconds = state->seconds;

	if (state->asleep)
		return base_fail(error, PTOWSP_LIMIT, "kernel %s does not come back: it has been asleep for %llu s; a kernel computes and waits for nothing",
				 state->name, seconds);
	switch (state->doing) {
	case AIE_IS_CALLING:
		return base_fail(error, PTOWSP_LIMIT,
				 "kernel %s does not come back, and the run is not over after %llu s of processor time; its loops may "
				 "have no end, or raise --max-seconds",
				 state->name, seconds);
	case AIE_IS_LOADING:
		return base_fail(error, PTOWSP_LIMIT, "kernel %s: %s is not loaded after %llu s of processor time", state->name, state->file, seconds);
	default:
		return base_fail(error, PTOWSP_LIMIT, "%s is not %s after %llu s of processor time; make it smaller, or raise --max-seconds", state->path,
				 state->doing == AIE_IS_READING ? "read" : "built and run", seconds);
	}
}

/* "ended with signal 11 (Segmentation fault)", "ended the process with 0" */
static void way_print(const siginfo_t *info, char *text, size_t size)
{
	if (info->si_code == CLD_EXITED)
		snprintf(text, size, "ended the process by exit(%d)", info->si_status);
	else
		snprintf(text, size, "ended with signal %d (%s)", info->si_status, strsignal(info->si_status));
}

static ptowsp_status end_tell(const siginfo_t *info, struct ptowsp_error *error)
{
	char way[80];

	if (state->over)
		return over_tell(error);
	way_print(info, way, sizeof(way));
	if (state->doing == AIE_IS_LOADING)
		return base_fail(error, PTOWSP_KERNEL_FAILED, "kernel %s: loading %s %s; is the file whole?", state->name, state->file, way);
	if (state->doing != AIE_IS_CALLING)
		return base_fail(error, PTOWSP_RUN_FAILED, "the run of %s %s", state->path, way);
	if (state->touched)
		return base_fail(error, PTOWSP_KERNEL_FAILED, AIE_TOUCHES "; it %s", state->name, (long long)state->touch.element, state->touch.argument,
				 (unsigned long long)state->touch.elements, way);
	return base_fail(error, PTOWSP_KERNEL_FAILED, "kernel %s %s; %s", state->name, way,
			 info->si_code == CLD_EXITED ? "a kernel returns to its core" : "its arguments have the sizes that the design says");
}

/* ---- what its own clock does not end -------------------------------------------------------------------------------- */

/* Of the child, as it was when its bound was begun, and when it was last at work. */
struct watch {
	uint32_t bounds;
	uint64_t begun, worked, slept_ns; /* processor time in ns; how long it has been asleep since then */
	uint64_t looked_ns;
};

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now = {0};

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Asleep, and not only waiting for a processor. */
static bool sleeps(pid_t child)
{
	char path[40], text[256], *behind;
	FILE *file;
	size_t size;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)child);
	file = fopen(path, "rb");
	size = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
	if (file)
		fclose(file);
	text[size] = 0;
	behind = strrchr(text, ')');
	return behind && (behind[2] == 'S' || behind[2] == 'D');
}

/* A kernel may sleep, which takes no processor time, or keep the signal of the clock from coming. */
static bool is_over(void *context, pid_t child)
{
	struct watch *watch = context;
	const uint64_t bound = state->seconds * 1000000000, now = clock_ns(CLOCK_MONOTONIC), passed = now - watch->looked_ns;
	clockid_t clock;
	uint64_t worked;

	watch->looked_ns = now;
	if (!bound || state->over || clock_getcpuclockid(child, &clock)) /* a child that is being ended sleeps no more */
		return state->over;
	worked = clock_ns(clock);
	if (watch->bounds != state->bounds)
		*watch = (struct watch){state->bounds, worked, worked, 0, now};
	if (worked - watch->worked > 1000000 || state->doing != AIE_IS_CALLING || !sleeps(child)) {
		watch->worked = worked;
		watch->slept_ns = 0;
	} else {
		watch->slept_ns += passed;
	}
	state->asleep = watch->slept_ns > bound;
	state->over = state->over || state->asleep || worked - watch->begun > bound + bound / 4; /* its own clock comes first, if it comes */
	return state->over;
}

ptowsp_status aie_child_run(const char *path, int (*run)(void *context), void *context, int *exit_out, struct ptowsp_error *error)
{
	struct watch watch = {0};
	siginfo_t info = {0};
	pid_t child;

	state = mmap(NULL, sizeof(*state), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (state == MAP_FAILED)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory for the run");
	state->path = path;
	fflush(NULL);
	child = scratch_fork();
	if (child < 0)
		return base_fail(error, PTOWSP_NO_MEMORY, "no process can be started for the run");
	if (!child) {
		const int code = run(context);

		state->mute = fcntl(STDERR_FILENO, F_GETFD) < 0;
		state->ended = true;
		_exit(standard_end("ptowsp-aie", code, code ? code : 2)); /* no handlers of kernels' libraries */
	}
	scratch_wait_told(child, is_over, &watch, &info);
	*exit_out = info.si_status;
	if (state->ended && state->mute)
		return base_fail(error, PTOWSP_KERNEL_FAILED, "what the run says is lost: a kernel has closed stderr, which is not its own");
	return state->ended && info.si_code == CLD_EXITED ? PTOWSP_OK : end_tell(&info, error);
}
