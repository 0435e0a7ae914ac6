/* SPDX-License-Identifier: MIT */
#include "ascend/engine/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
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

/* Output that cannot be written there is lost to everybody else, too. */
static void write_all(int file, const char *bytes, ssize_t count)
{
	ssize_t done;

	for (ssize_t at = 0; at<count; at += done> 0 ? done : 0) {
		done = write(file, bytes + at, (size_t)(count - at));
		if (done <= 0 && errno != EINTR)
			return;
	}
}

/* Until all writing ends are closed: whoever writes would wait for ever if this ended before. */
static void *pass_on(void *context)
{
	struct ascend_capture *capture = context;
	char bytes[4096];
	ssize_t count;

	while ((count = read(capture->pipe, bytes, sizeof(bytes))) > 0 || (count < 0 && errno == EINTR))
		if (count > 0) {
			keep(capture, bytes, (size_t)count);
			write_all(capture->was, bytes, count);
		}
	return NULL;
}

/* The error stream becomes the writing end of a pipe, or stays what it was. */
static void redirect(struct ascend_capture *capture)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return;
	capture->pipe = ends[0];
	if (dup2(ends[1], STDERR_FILENO) < 0) {
		close(ends[0]);
		capture->pipe = -1;
	} else if (pthread_create(&capture->thread, NULL, pass_on, capture)) {
		dup2(capture->was, STDERR_FILENO);
		close(ends[0]);
		capture->pipe = -1;
	}
	close(ends[1]);
}

void ascend_capture_begin(struct ascend_capture *capture)
{
	pthread_mutex_lock(&turn);
	fflush(stderr);
	capture->used = 0;
	capture->pipe = -1;
	capture->was = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	if (capture->was >= 0)
		redirect(capture);
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
