/* SPDX-License-Identifier: MIT */
#include "tool_call.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Limits of one call, which no package may exceed: of the processor, of the clock where other processes are busy beside the call, of memory. */
enum { CPU_SECONDS = 10, WALL_SECONDS = 20, RSS_MOST_MIB = 1024, ADDRESSES_GIB = 8, SANITIZED_CODE = 99 };

const struct call_row call_rows[] = {
#define PACKAGE                  CALL_PACKAGE
#define JSON                     CALL_JSON
#define PLUGIN                   CALL_PLUGIN
#define X(tool, form, arguments) {tool, form, arguments},
#include "calls.def"
#undef X
#undef PACKAGE
#undef JSON
#undef PLUGIN
};
const unsigned call_row_count = sizeof(call_rows) / sizeof(call_rows[0]);
const char *const call_plugins[] = {"cpu_sim", "a2a3sim", "a2a3", "aie"};

/* ---- the words ---- */

/* The arguments of a row with what its marks stand for, written behind `at`. */
static void marks_fill(char *at, size_t room, const struct call_place *place, const char *arguments, const char *file)
{
	for (; *arguments && room > 256; arguments++) {
		int length = *arguments == '@'   ? snprintf(at, room, "%s", file)
			     : *arguments == '#' ? snprintf(at, room, "%s/made", place->folder)
			     : *arguments == '%' ? snprintf(at, room, "%s", place->key)
						 : snprintf(at, room, "%c", *arguments);

		at += length;
		room -= (size_t)length;
	}
}

void call_make(struct call *call, const struct call_place *place, const struct call_row *row, unsigned plugin, const char *file)
{
	const char *always = strcmp(row->tool, "ptowsp-run") ? "" : CALL_RUN " ";
	char *save, *word;
	int length = snprintf(call->text, sizeof(call->text), "%s/%s %s%s%s ", place->bin, row->tool, always, row->form == CALL_PLUGIN ? "--plugin=" : "",
			      row->form == CALL_PLUGIN ? call_plugins[plugin] : "");
	unsigned count = 0;

	marks_fill(call->text + length, sizeof(call->text) - (size_t)length, place, row->arguments, file);
	for (word = strtok_r(call->text, " ", &save); word && count + 1 < CALL_WORDS; word = strtok_r(NULL, " ", &save))
		call->words[count++] = word;
	call->words[count] = NULL;
}

/* ---- the process ---- */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static void limit(int what, rlim_t most)
{
	const struct rlimit row = {most, most};

	setrlimit(what, &row);
}

/* The child becomes the tool, in a group of its own, with limits, and with stderr in the memory file. */
static void tool_become(const struct call *call, const struct call_place *place, int said)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	setpgid(0, 0);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_CPU, CPU_SECONDS * (place->sanitized ? 4 : 1));
	if (!place->sanitized)
		limit(RLIMIT_AS, (rlim_t)ADDRESSES_GIB << 30);
	if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0 || dup2(said, 2) < 0)
		_exit(127);
	execv(call->words[0], call->words);
	_exit(127);
}

/* Waits for the end, and makes one where none comes. */
static void end_wait(pid_t child, struct call_end *end, int seconds)
{
	struct rusage usage;
	struct pollfd ended = {.fd = (int)syscall(SYS_pidfd_open, child, 0), .events = POLLIN};
	uint64_t begin = now_ns();

	if (ended.fd >= 0 && poll(&ended, 1, seconds * 1000) == 0) {
		end->late = true;
		kill(-child, SIGKILL);
		kill(child, SIGKILL);
	}
	while (wait4(child, &end->status, 0, &usage) < 0 && errno == EINTR)
		;
	kill(-child, SIGKILL); /* what it left behind */
	end->ns = now_ns() - begin;
	end->rss_bytes = (uint64_t)usage.ru_maxrss << 10;
	end->code = WIFEXITED(end->status) ? WEXITSTATUS(end->status) : -1;
	if (ended.fd >= 0)
		close(ended.fd);
}

int call_run(const struct call *call, const struct call_place *place, struct call_end *end)
{
	int said = memfd_create("said", MFD_CLOEXEC);
	ssize_t got;
	pid_t child;

	*end = (struct call_end){.code = -1};
	if (said < 0)
		return -1;
	child = fork();
	if (!child)
		tool_become(call, place, said);
	if (child > 0) {
		end_wait(child, end, WALL_SECONDS * (place->sanitized ? 4 : 1));
		got = pread(said, end->said, sizeof(end->said) - 1, 0);
		end->said[got > 0 ? got : 0] = '\0';
	}
	close(said);
	return child > 0 ? 0 : -1;
}

/* ---- the verdict ---- */

/* A value or a file that the package says it needs is not its fault; the sentence names the flag. */
static bool asks_for_more(const char *said)
{
	return strstr(said, "--set ") || strstr(said, "--in ") || strstr(said, "--entry") || strstr(said, "--device=");
}

static bool call_has(const struct call *call, const char *word)
{
	for (char *const *at = call->words; *at; at++)
		if (!strcmp(*at, word))
			return true;
	return false;
}

/* Exit codes that a package may bring about. */
static bool code_fits(const struct call *call, const struct call_end *end)
{
	const char *tool = strrchr(call->words[0], '/') + 1;
	bool runs = !strcmp(tool, "ptowsp-run");

	switch (end->code) {
	case 0:
	case 3: return true;
	case 5: /* also what the language or the task API has no words for */ return runs || !strcmp(tool, "ptowsp-inspect");
	case 6: /* the text of --pto packs to another package; the sample data of a run say what is right */ return runs || !strcmp(tool, "ptowsp-inspect");
	case 1:
	case 7:
	case 8:
	case 10: return runs;
	case 4: /* no backend enforces what it needs */ return runs && call_has(call, "--plugin=auto");
	case 2: return asks_for_more(end->said);
	}
	return false;
}

/* Lines but for notices of sections that this build leaves out. */
static unsigned sentences(const char *said)
{
	unsigned count = 0;

	for (; *said; said += strcspn(said, "\n") + 1)
		count += !strstr(said, ": left out\n") || strcspn(said, "\n") < (size_t)(strstr(said, ": left out\n") - said);
	return count;
}

static const char *sentence_problem(const struct call_end *end)
{
	size_t length = strlen(end->said);

	if (!length)
		return "it says nothing";
	if (strncmp(end->said, "ptowsp-", 7))
		return "its sentence does not begin with the tool";
	if (end->said[length - 1] != '\n')
		return "its sentence has no end";
	for (size_t i = 0; i < length; i++)
		if (iscntrl((unsigned char)end->said[i]) && end->said[i] != '\n')
			return "its sentence has control characters";
	return sentences(end->said) == 1 ? NULL : "it says more than one sentence";
}

const char *call_problem(const struct call *call, const struct call_end *end)
{
	if (end->late || (end->code < 0 && (WTERMSIG(end->status) == SIGXCPU || WTERMSIG(end->status) == SIGKILL)))
		return "it takes too long";
	if (end->code < 0)
		return "it ends by a signal";
	if (end->code == SANITIZED_CODE || strstr(end->said, "Sanitizer") || strstr(end->said, "runtime error"))
		return "a sanitizer stops it";
	if (end->rss_bytes > (uint64_t)RSS_MOST_MIB << 20)
		return "it takes more than 1 GiB";
	if (!code_fits(call, end))
		return "an exit code that no package is a reason for";
	return end->code ? sentence_problem(end) : NULL;
}

/* ---- the folder ---- */

static int entry_remove(const char *path, const struct stat *status, int type, struct FTW *where)
{
	(void)status;
	(void)type;
	if (where->level)
		remove(path);
	return 0;
}

void call_folder_empty(const char *folder)
{
	nftw(folder, entry_remove, 16, FTW_DEPTH | FTW_PHYS);
}
