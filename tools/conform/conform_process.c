/* SPDX-License-Identifier: MIT */
/* conform_process.c - the state of this process, by system calls and /proc alone. */
#include "tools/conform/conform_process.h"

#include <dirent.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "tools/conform/conform.h"

static uint64_t mix(uint64_t hash, const void *bytes, size_t size)
{
	const unsigned char *b = bytes;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ b[i]) * UINT64_C(0x100000001B3);
	return hash;
}

static uint64_t environment_digest(void)
{
	uint64_t hash = UINT64_C(0xCBF29CE484222325);

	for (char **e = environ; e && *e; e++)
		hash = mix(hash, *e, strlen(*e) + 1);
	return hash;
}

void conform_proc_need(struct conform *c)
{
	if (access("/proc/self/task", R_OK | X_OK))
		conform_skip(c, "this machine has no /proc, where threads and mappings are counted");
}

uint32_t conform_thread_count(void)
{
	char bytes[4096];
	int fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	uint32_t count = 0;
	long size;

	while (fd >= 0 && (size = syscall(SYS_getdents64, fd, bytes, sizeof(bytes))) > 0)
		for (long at = 0; at < size;) {
			const struct dirent64 *entry = (const void *)(bytes + at);

			count += entry->d_name[0] != '.';
			at += entry->d_reclen;
		}
	if (fd >= 0)
		close(fd);
	return count;
}

unsigned conform_control_word(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_stmxcsr() & 0xFFC0u;
#elif defined(__aarch64__)
	uint64_t word;

	__asm__ volatile("mrs %0, fpcr" : "=r"(word));
	return (unsigned)word;
#else
	return (unsigned)fegetround();
#endif
}

void conform_control_set(unsigned word)
{
#if defined(__x86_64__)
	__builtin_ia32_ldmxcsr((__builtin_ia32_stmxcsr() & ~0xFFC0u) | word);
#elif defined(__aarch64__)
	__asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)word));
#else
	fesetround((int)word);
#endif
}

static uint64_t file_size(int fd)
{
	struct stat stat_of;

	return !fstat(fd, &stat_of) && S_ISREG(stat_of.st_mode) ? (uint64_t)stat_of.st_size : 0;
}

static void limits_look(struct conform_process *p)
{
	for (int i = 0; i < (int)RLIM_NLIMITS; i++)
		getrlimit(i, &p->limits[i]);
	for (int i = 0; i < 3; i++) { /* ITIMER_REAL, _VIRTUAL, _PROF */
		struct itimerval timer = {0};

		getitimer(i, &timer);
		p->timers[i] = timer.it_value.tv_sec || timer.it_value.tv_usec;
	}
}

void conform_process_look(struct conform_process *p)
{
	struct stat stat_of;

	memset(p, 0, sizeof(*p));
	if (!getcwd(p->folder, sizeof(p->folder)))
		p->folder[0] = 0;
	p->environment = environment_digest();
	p->mask = umask(0);
	umask(p->mask);
	for (int i = 1; i < PROCESS_SIGNALS; i++)
		sigaction(i, NULL, &p->actions[i]);
	sigprocmask(SIG_SETMASK, NULL, &p->blocked);
	snprintf(p->locale, sizeof(p->locale), "%s", setlocale(LC_ALL, NULL));
	limits_look(p);
	for (int i = 0; i < PROCESS_DESCRIPTORS; i++)
		if (!fstat(i, &stat_of))
			p->descriptors[i] = mix(mix(1, &stat_of.st_dev, sizeof(stat_of.st_dev)), &stat_of.st_ino, sizeof(stat_of.st_ino)) | 1;
	p->threads = conform_thread_count();
	fflush(stdout), fflush(stderr);
	p->printed = file_size(1) + file_size(2);
	p->allocated = mallinfo2().uordblks;
}

/* Lines of /proc/self/maps without that of the heap: the tool's own reading may move its end. */
void conform_maps_look(struct conform_process *p)
{
	static char text[1 << 20];
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	size_t used = 0;
	ssize_t got;

	while (fd >= 0 && used < sizeof(text) - 1 && (got = read(fd, text + used, sizeof(text) - 1 - used)) > 0)
		used += (size_t)got;
	if (fd >= 0)
		close(fd);
	text[used] = 0;
	p->maps = UINT64_C(0xCBF29CE484222325);
	p->map_count = 0;
	for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		*end = 0;
		if (strstr(line, "[heap]") || strstr(line, "[stack]"))
			continue;
		p->maps = mix(p->maps, line, strlen(line));
		p->map_count++;
	}
}

static void signals_compare(struct conform *c, const struct conform_process *before, const struct conform_process *now, const char *who)
{
	for (int i = 1; i < PROCESS_SIGNALS; i++)
		CONFORM_MUST_BUT(c, PTOWSP_DRIVER_HANDLERS,
				 before->actions[i].sa_handler == now->actions[i].sa_handler && before->actions[i].sa_flags == now->actions[i].sa_flags,
				 "%s changed what signal %d does (PL8)", who, i);
	CONFORM_MUST(c, !memcmp(&before->blocked, &now->blocked, sizeof(now->blocked)), "%s left another mask of blocked signals on the calling thread (PL8)",
		     who);
}

static void limits_compare(struct conform *c, const struct conform_process *before, const struct conform_process *now, const char *who)
{
	for (int i = 0; i < (int)RLIM_NLIMITS; i++)
		CONFORM_MUST(c, before->limits[i].rlim_cur == now->limits[i].rlim_cur && before->limits[i].rlim_max == now->limits[i].rlim_max,
			     "%s changed limit %d of the process, see setrlimit (PL8)", who, i);
	for (int i = 0; i < 3; i++)
		CONFORM_MUST(c, before->timers[i] == now->timers[i], "%s armed or disarmed interval timer %d of the process, see setitimer (PL8)", who, i);
}

void conform_process_compare(struct conform *c, const struct conform_process *before, const char *who)
{
	static struct conform_process now;

	conform_process_look(&now);
	CONFORM_MUST(c, !strcmp(before->folder, now.folder), "%s changed the current folder to %.100s (PL8)", who, now.folder);
	CONFORM_MUST_BUT(c, PTOWSP_DRIVER_ENVIRONMENT, before->environment == now.environment, "%s changed the environment (PL8)", who);
	CONFORM_MUST(c, before->mask == now.mask, "%s changed the umask from %03o to %03o (PL8)", who, before->mask, now.mask);
	CONFORM_MUST(c, !strcmp(before->locale, now.locale), "%s changed the locale to %.60s (PL8)", who, now.locale);
	signals_compare(c, before, &now, who);
	limits_compare(c, before, &now, who);
	for (int i = 0; i < 3; i++)
		CONFORM_MUST_BUT(c, PTOWSP_DRIVER_DESCRIPTORS, before->descriptors[i] == now.descriptors[i], "%s closed or replaced descriptor %d (PL8)", who,
				 i);
	CONFORM_MUST_BUT(c, PTOWSP_DRIVER_OUTPUT, before->printed == now.printed, "%s wrote %llu bytes to stdout or stderr (PL8); host->log is for lines", who,
			 (unsigned long long)(now.printed - before->printed));
}

void conform_process_compare_strict(struct conform *c, const struct conform_process *before, const char *who)
{
	static struct conform_process now;

	conform_process_compare(c, before, who);
	conform_process_look(&now);
	CONFORM_MUST(c, before->threads == now.threads, "%s started or ended threads: %u before, %u after", who, before->threads, now.threads);
	for (int i = 0; i < PROCESS_DESCRIPTORS; i++)
		CONFORM_MUST(c, before->descriptors[i] == now.descriptors[i], "%s opened or closed descriptor %d", who, i);
}
