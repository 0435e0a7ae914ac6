/* SPDX-License-Identifier: MIT */
#include "starpu/spu_watch.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOBODY UINT32_MAX

static struct {
	pthread_t thread;
	struct pollfd *fds; /* owned, per rank its process, -1: not watched; and the event by which the watch hears of arm and end */
	uint32_t count;     /* ranks; 0: there is no watch */
	void (*gone)(uint32_t rank);
	pthread_mutex_t lock; /* guards what follows */
	uint32_t lost;        /* the first rank that has ended */
	bool armed, over;
} watch = {.lock = PTHREAD_MUTEX_INITIALIZER, .lost = NOBODY};

void spu_sign_make(struct spu_sign *sign_out)
{
	FILE *boot = fopen("/proc/sys/kernel/random/boot_id", "re");
	struct stat numbering = {.st_ino = 0};
	char id[40] = "";

	if (boot && !fgets(id, sizeof(id), boot))
		*id = 0;
	if (boot)
		fclose(boot);
	stat("/proc/self/ns/pid", &numbering);
	memset(sign_out, 0, sizeof(*sign_out));
	snprintf(sign_out->machine, sizeof(sign_out->machine), "%.36s %llu", id, (unsigned long long)numbering.st_ino);
	sign_out->pid = (int32_t)getpid();
}

/* ---- the thread ---------------------------------------------------------------------------------------------------------- */

/* A process that has ended is seen once. */
static void ends_note(void)
{
	for (uint32_t r = 0; r < watch.count; r++)
		if (watch.fds[r].revents) {
			watch.lost = watch.lost == NOBODY ? r : watch.lost;
			close(watch.fds[r].fd);
			watch.fds[r].fd = -1;
		}
}

static bool step(void)
{
	eventfd_t told;
	bool tells, over;

	if (watch.fds[watch.count].revents)
		eventfd_read(watch.fds[watch.count].fd, &told);
	pthread_mutex_lock(&watch.lock);
	ends_note();
	tells = watch.armed && watch.lost != NOBODY;
	watch.armed = watch.armed && !tells;
	over = watch.over;
	pthread_mutex_unlock(&watch.lock);
	if (tells && !over)
		watch.gone(watch.lost);
	return !over;
}

static void *watch_main(void *nothing)
{
	do
		poll(watch.fds, watch.count + 1, -1);
	while (step());
	return nothing;
}

/* ---- begin, end ---------------------------------------------------------------------------------------------------------- */

static void fds_close(void)
{
	for (uint32_t f = 0; f <= watch.count; f++)
		if (watch.fds[f].fd >= 0)
			close(watch.fds[f].fd);
	free(watch.fds);
	watch.fds = NULL;
	watch.count = 0;
}

bool spu_watch_begin(const struct spu_sign *signs, uint32_t count, uint32_t rank, void (*gone)(uint32_t rank))
{
	watch.fds = calloc((size_t)count + 1, sizeof(*watch.fds));
	if (!watch.fds)
		return false;
	watch.count = count;
	watch.gone = gone;
	watch.lost = NOBODY;
	watch.armed = watch.over = false;
	for (uint32_t r = 0; r < count; r++) {
		const bool here = r != rank && !strcmp(signs[r].machine, signs[rank].machine);

		watch.fds[r] = (struct pollfd){here ? (int)syscall(SYS_pidfd_open, signs[r].pid, 0) : -1, POLLIN, 0};
	}
	watch.fds[count] = (struct pollfd){eventfd(0, EFD_CLOEXEC), POLLIN, 0};
	if (watch.fds[count].fd >= 0 && !pthread_create(&watch.thread, NULL, watch_main, NULL))
		return true;
	fds_close();
	return false;
}

static void tell(bool armed, bool over)
{
	pthread_mutex_lock(&watch.lock);
	watch.armed = armed;
	watch.over = over;
	pthread_mutex_unlock(&watch.lock);
	eventfd_write(watch.fds[watch.count].fd, 1);
}

void spu_watch_arm(bool armed)
{
	if (watch.count)
		tell(armed, false);
}

bool spu_watch_lost(void)
{
	bool lost;

	pthread_mutex_lock(&watch.lock);
	lost = watch.lost != NOBODY;
	pthread_mutex_unlock(&watch.lock);
	return lost;
}

void spu_watch_end(void)
{
	if (!watch.count)
		return;
	tell(false, true);
	pthread_join(watch.thread, NULL);
	fds_close();
}
