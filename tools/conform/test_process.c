/* SPDX-License-Identifier: MIT */
/* test_process.c - what a plugin leaves of the process: its state, its output, its rounding, its children. */
#include <dirent.h>
#include <fenv.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/conform/conform.h"
#include "tools/conform/conform_process.h"
#include "tools/conform/packages.h"

/* A life with everything in it, watched call by call if c->watched. */
static void life(struct conform *c, struct conform_program *p)
{
	struct ptowsp_run_stats stats = {.head = PTOWSP_HEAD(stats, RUN_STATS)};

	conform_open(c, 2);
	CONFORM_CALL(c, load, c->device, &(struct ptowsp_load_args){.head = PTOWSP_HEAD(struct ptowsp_load_args, LOAD_ARGS)}, &p->object, &c->error);
	conform_ok(c, conform_program_load(c, c->device, p), "load of a package that its rows allow");
	conform_ok(c, conform_run(c, c->device, p, 0, 0), "a run of it");
	conform_ok(c, conform_run(c, c->device, p, PTOWSP_RUN_NO_KERNELS, 0), "a run of it without kernels");
	CONFORM_CALL(c, stats, p->object, &stats, &c->error);
	CONFORM_CALL(c, cancel, c->device, 1, &c->error);
	CONFORM_WAIT(c, drain, c->device, host_now_ns(), &c->error);
	conform_program_unload(c, p);
	conform_close(c);
}

void conform_test_operations_leave_the_process_alone(struct conform *c)
{
	static struct conform_process before, start;
	struct conform_program p;

	conform_program_choose(c, &p, conform_short_programs);
	conform_load(c);
	c->before = &before;
	c->watched = true;
	conform_process_look(&start);
	life(c, &p);
	c->watched = false;
	conform_process_compare(c, &start, "a life, between its calls,");
}

/* Handlers of exit run in a child, whose output is seen. */
void conform_test_nothing_is_printed(struct conform *c)
{
	static struct conform_process before, after;
	struct conform_program p;
	int status;
	pid_t child;

	conform_program_choose(c, &p, conform_short_programs);
	conform_process_look(&before);
	child = fork();
	if (!child) {
		if (setjmp(c->leave))
			_exit(c->record->verdict == CONFORM_SKIPPED ? 77 : 99);
		life(c, &p);
		exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		conform_skip(c, "this machine has no process for the test");
	if (WIFEXITED(status) && (WEXITSTATUS(status) == 77 || WEXITSTATUS(status) == 99)) {
		char text[sizeof(c->record->text)];

		memcpy(text, c->record->text, sizeof(text));
		if (WEXITSTATUS(status) == 77)
			conform_skip(c, "%s", text);
		conform_fail(c, "%s", text);
	}
	CONFORM_MUST(c, WIFEXITED(status) && !WEXITSTATUS(status), "a process that used it ended with %s %d when it called exit(0)",
		     WIFEXITED(status) ? "status" : "signal", WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	conform_process_look(&after);
	CONFORM_MUST_BUT(c, PTOWSP_DRIVER_OUTPUT, before.printed == after.printed, "a life and its exit wrote %llu bytes to stdout or stderr (PL8)",
			 (unsigned long long)(after.printed - before.printed));
}

void conform_test_rounding_is_kept(struct conform *c)
{
	static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
	struct conform_program p;
	unsigned usual = conform_control_word();

	conform_program_choose(c, &p, conform_short_programs);
	for (size_t i = 0; i < 4; i++) {
		fesetround(modes[i]);
		life(c, &p); /* compares around every call */
	}
	conform_control_set(usual);
#if defined(__x86_64__)
	conform_control_set(usual | 0x8040); /* flush to zero, subnormals are zero */
	life(c, &p);
	conform_control_set(usual);
#endif
}

static unsigned long long mask_of(const char *thread)
{
	unsigned long long blocked = ~0ull;
	char path[300], line[256];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%s/status", thread);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "SigBlk: %llx", &blocked) == 1)
			break;
	if (file)
		fclose(file);
	return blocked;
}

/* SIGTERM, SIGINT, SIGUSR1 and SIGCHLD: some of those that a process handles. */
static void threads_look(struct conform *c)
{
	static const unsigned long long wanted = 1ull << (SIGTERM - 1) | 1ull << (SIGINT - 1) | 1ull << (SIGUSR1 - 1) | 1ull << (SIGCHLD - 1);
	DIR *threads = opendir("/proc/self/task");
	struct dirent *entry;

	while (threads && (entry = readdir(threads))) {
		unsigned long long mask;

		if (entry->d_name[0] == '.' || atoi(entry->d_name) == getpid())
			continue;
		mask = mask_of(entry->d_name);
		CONFORM_MUST(c, (mask & wanted) == wanted, "one of its threads does not block SIGTERM, SIGINT, SIGUSR1 and SIGCHLD: its mask is 0x%llx (PL8)",
			     mask);
	}
	if (threads)
		closedir(threads);
}

void conform_test_threads_block_all_signals(struct conform *c)
{
	struct conform_program p;

	conform_proc_need(c);
	conform_begin(c, &p, 4);
	conform_ok(c, conform_run(c, c->device, &p, 0, 0), "a run of it");
	for (int i = 0; i < 10; i++, usleep(5000)) /* a thread that just began still blocks all of them, whatever it was given */
		threads_look(c);
	conform_program_unload(c, &p);
	conform_close(c);
}

void conform_test_fork_declaration_holds(struct conform *c)
{
	char text[sizeof(c->record->text)];
	struct conform_program p;
	int status;
	pid_t child;

	conform_load(c);
	if (!(c->plugin->descriptor->flags & PTOWSP_PLUGIN_FORK_SAFE))
		conform_skip(c, "it does not declare FORK_SAFE");
	conform_program_choose(c, &p, conform_short_programs);
	life(c, &p);
	conform_open(c, 2);
	child = fork();
	if (!child) {
		if (setjmp(c->leave))
			_exit(99);
		c->instance = c->device = NULL; /* the parent's */
		conform_services_init(&c->services, c->record);
		life(c, &p);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		conform_skip(c, "this machine has no process for the test");
	memcpy(text, c->record->text, sizeof(text)); /* the child's verdict */
	CONFORM_MUST(c, !WIFEXITED(status) || WEXITSTATUS(status) != 99, "it declares FORK_SAFE, and in a forked child: %.400s", text);
	CONFORM_MUST(c, WIFEXITED(status) && !WEXITSTATUS(status), "it declares FORK_SAFE, and a forked child that used it ended with %s %d, in %s",
		     WIFEXITED(status) ? "status" : "signal", WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), c->record->operation);
	conform_close(c);
}
