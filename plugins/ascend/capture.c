/* SPDX-License-Identifier: MIT */
#include "capture.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static void keep(struct ascend_capture *capture, const char *bytes, size_t count)
{
	size_t room = sizeof(capture->text) - 1, drop;

	if (capture->used + count > room) {
		drop = capture->used + count - room;
		memmove(capture->text, capture->text + drop, capture->used - drop);
		capture->used -= drop;
	}
	memcpy(capture->text + capture->used, bytes, count);
	capture->used += count;
}

/* Until all writing ends are closed. */
static void *pass_on(void *context)
{
	struct ascend_capture *capture = context;
	char bytes[4096];
	ssize_t count, done;

	while ((count = read(capture->pipe, bytes, sizeof(bytes))) > 0) {
		keep(capture, bytes, (size_t)count);
		for (ssize_t at = 0; at < count; at += done)
			if ((done = write(capture->was, bytes + at, (size_t)(count - at))) <= 0)
				break;
	}
	return NULL;
}

void ascend_capture_begin(struct ascend_capture *capture)
{
	int ends[2] = {-1, -1};

	pthread_mutex_lock(&turn);
	fflush(stderr);
	capture->used = 0;
	capture->pipe = -1;
	capture->was = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	if (capture->was < 0 || pipe2(ends, O_CLOEXEC))
		return;
	capture->pipe = ends[0];
	if (pthread_create(&capture->thread, NULL, pass_on, capture) || dup2(ends[1], STDERR_FILENO) < 0) {
		close(ends[0]);
		capture->pipe = -1;
	}
	close(ends[1]);
}

void ascend_capture_end(struct ascend_capture *capture)
{
	fflush(stderr);
	if (capture->pipe >= 0) {
		dup2(capture->was, STDERR_FILENO); /* closes the last writing end: the thread ends */
		pthread_join(capture->thread, NULL);
		close(capture->pipe);
	}
	if (capture->was >= 0)
		close(capture->was);
	capture->text[capture->used] = 0;
	pthread_mutex_unlock(&turn);
}
