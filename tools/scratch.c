/* SPDX-License-Identifier: MIT */
#include "tools/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "registry/text.h"
#include "registry/variable.h"
#include "tools/output.h"

extern char **environ;

enum { DEEPEST = 8 }; /* folders in folders */

/* Read by the signal handler: written while signals are blocked. */
static char folder[PATH_MAX];
static _Atomic pid_t running[SCRATCH_PROGRAMS]; /* each leads a process group of its own; 0: a free place */

/* --- an end that a signal handler can make too --- */

/* Process groups, as compilers start programs in turn; this process adopts those that lose their parent, so that it can wait for all of them: none
 * writes into the folder any more. */
static void programs_end(void)
{
	for (int i = 0; i < SCRATCH_PROGRAMS; i++) {
		const pid_t program = atomic_load(&running[i]);

		if (!program)
			continue;
		kill(-program, SIGKILL);
		while (waitpid(-program, NULL, 0) > 0 || errno == EINTR)
			;
		atomic_store(&running[i], 0);
	}
}

/* readdir allocates; this does not. */
struct entry {
	uint64_t inode;
	int64_t offset;
	unsigned short length;
	unsigned char type;
	char name[];
};

static void entries_remove(int at, unsigned depth);

static void entry_remove(int at, const char *name, unsigned depth)
{
	int below;

	if (!strcmp(name, ".") || !strcmp(name, "..") || !unlinkat(at, name, 0))
		return;
	below = depth < DEEPEST ? openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
	if (below >= 0) {
		entries_remove(below, depth + 1);
		close(below);
	}
	unlinkat(at, name, AT_REMOVEDIR);
}

static void entries_remove(int at, unsigned depth)
{
	_Alignas(struct entry) char room[2048];
	long size;

	while ((size = syscall(SYS_getdents64, at, room, sizeof(room))) > 0)
		for (long i = 0; i < size;) {
			const struct entry *entry = (const struct entry *)(const void *)(room + i);

			i += entry->length;
			entry_remove(at, entry->name, depth);
		}
}

/* 0 or errno. */
static int folder_remove(void)
{
	const int at = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (at >= 0) {
		entries_remove(at, 0);
		close(at);
	}
	return rmdir(folder) && errno != ENOENT ? errno : 0;
}

static void on_abort(void)
{
	programs_end();
	if (folder[0])
		folder_remove();
}

/* --- the folder --- */

static void signals_block(sigset_t *before)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, before);
}

ptowsp_status scratch_open(const char *prefix, struct ptowsp_error *error)
{
	const char *temp = reg_variable("TMPDIR");
	sigset_t before;
	int failure = 0;

	if (!temp || !*temp)
		temp = "/tmp";
	output_abort_hook(on_abort);
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	signals_block(&before);
	if (snprintf(folder, sizeof(folder), "%s/%s-XXXXXX", temp, prefix) >= (int)sizeof(folder))
		failure = ENAMETOOLONG;
	else if (!mkdtemp(folder))
		failure = errno;
	if (failure)
		folder[0] = '\0';
	sigprocmask(SIG_SETMASK, &before, NULL);
	return failure ? reg_fail(error, PTOWSP_IO, "no folder can be made below %.120s, for files on the way: %s; set TMPDIR", temp, strerror(failure))
		       : PTOWSP_OK;
}

const char *scratch_path(void)
{
	return folder;
}

void scratch_close(const char *tool)
{
	int failure;

	if (!folder[0])
		return;
	programs_end();
	failure = folder_remove();
	if (failure)
		fprintf(stderr, "%s: %s cannot be removed: %s\n", tool, folder, strerror(failure));
	folder[0] = '\0';
}

/* --- programs --- */

/* The environment with TMPDIR; the strings are borrowed, but for `temp`. */
static char **environment(char *temp)
{
	size_t count = 0, kept = 0;
	char **copy;

	while (environ && environ[count])
		count++;
	copy = calloc(count + 2, sizeof(*copy));
	for (size_t i = 0; copy && i < count; i++)
		if (strncmp(environ[i], "TMPDIR=", 7))
			copy[kept++] = environ[i];
	if (copy)
		copy[kept] = temp;
	return copy;
}

/* A place in `running`, -1: all are taken. */
static int place_find(void)
{
	for (int i = 0; i < SCRATCH_PROGRAMS; i++)
		if (!atomic_load(&running[i]))
			return i;
	return -1;
}

/* Signals are blocked until the program is noted; it starts with those that were blocked before. */
static int spawn(char *const *argv, char **env, const posix_spawn_file_actions_t *actions, int place, pid_t *program_out)
{
	posix_spawnattr_t attributes;
	sigset_t before;
	int code = posix_spawnattr_init(&attributes);

	if (code)
		return code;
	signals_block(&before);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setsigmask(&attributes, &before);
	code = posix_spawnp(program_out, argv[0], actions, &attributes, argv, env);
	if (!code)
		atomic_store(&running[place], *program_out);
	sigprocmask(SIG_SETMASK, &before, NULL);
	posix_spawnattr_destroy(&attributes);
	return code;
}

int scratch_start(char *const *argv, const char *said, pid_t *program_out)
{
	char path[PATH_MAX + 128], temp[PATH_MAX + 8];
	posix_spawn_file_actions_t actions;
	char **env;
	const int place = place_find();
	int code;

	*program_out = -1;
	snprintf(path, sizeof(path), "%s/%s", folder, said);
	snprintf(temp, sizeof(temp), "TMPDIR=%s", folder);
	if (place < 0 || posix_spawn_file_actions_init(&actions))
		return -1;
	posix_spawn_file_actions_addchdir_np(&actions, folder);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 1, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	posix_spawn_file_actions_adddup2(&actions, 1, 2);
	env = environment(temp);
	code = env ? spawn(argv, env, &actions, place, program_out) : ENOMEM;
	posix_spawn_file_actions_destroy(&actions);
	free(env);
	return code == ENOENT || code == EACCES || code == ENOTDIR ? 127 : code ? -1 : 0;
}

pid_t scratch_fork(void)
{
	const pid_t parent = getpid();
	const int place = place_find();
	sigset_t before;
	pid_t child = -1;

	output_abort_hook(on_abort);
	signals_block(&before);
	if (place >= 0)
		child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		folder[0] = '\0';
		memset(running, 0, sizeof(running));
	}
	if (child >= 0)
		setpgid(child, 0); /* by both, so that it is done before either goes on */
	if (child > 0)
		atomic_store(&running[place], child);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return child;
}

void scratch_wait_told(pid_t program, bool (*is_over)(void *context, pid_t program), void *context, siginfo_t *info_out)
{
	struct timespec pause = {.tv_nsec = 500000};

	for (info_out->si_pid = 0; !waitid(P_PID, (id_t)program, info_out, WEXITED | WNOWAIT | WNOHANG) && !info_out->si_pid;) {
		if (is_over(context, program))
			kill(-program, SIGKILL);
		nanosleep(&pause, NULL);
		pause.tv_nsec = pause.tv_nsec < 16000000 ? 2 * pause.tv_nsec : 20000000;
	}
	kill(-program, SIGKILL);
	scratch_wait(program);
}

/* The child is reaped and forgotten at once, or a signal in between would end a stranger's group of that number. */
int scratch_wait(pid_t program)
{
	siginfo_t info;
	sigset_t before;
	int status = -1;

	while (waitid(P_PID, (id_t)program, &info, WEXITED | WNOWAIT))
		if (errno != EINTR)
			return -1;
	signals_block(&before);
	waitpid(program, &status, 0);
	for (int i = 0; i < SCRATCH_PROGRAMS; i++)
		if (atomic_load(&running[i]) == program)
			atomic_store(&running[i], 0);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
