/* SPDX-License-Identifier: MIT */
/* standard.c - stdout as a stream whose writes are ours: stdio keeps that one failed, but not why, and by the time anybody asks errno is another's. */
#include "tools/standard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "registry/text.h"

static int number_out = STDOUT_FILENO;
static int failure; /* errno of the first write that failed; under the lock of the stream */

static ssize_t through(void *context, const char *bytes, size_t size)
{
	size_t done = 0;

	(void)context;
	while (done < size) {
		ssize_t n = write(number_out, bytes + done, size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			if (!failure)
				failure = n ? errno : EIO;
			return 0; /* an error of the stream */
		}
		done += (size_t)n;
	}
	return (ssize_t)size;
}

/* Opened for the other direction, so that it is as closed as it was to who uses it. */
static void number_hold(int number)
{
	int fd;

	if (fcntl(number, F_GETFD) >= 0)
		return;
	fd = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY);
	if (fd >= 0 && fd != number) {
		dup2(fd, number);
		close(fd);
	}
}

void standard_begin(void)
{
	FILE *ours;

	for (int number = 0; number <= STDERR_FILENO; number++)
		number_hold(number);
	signal(SIGXFSZ, SIG_IGN); /* a file beyond the limit of its user is an error of writing */
	ours = fopencookie(NULL, "w", (cookie_io_functions_t){.write = through});
	if (!ours)
		return;
	setvbuf(ours, NULL, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, BUFSIZ);
	stdout = ours;
}

static FILE *own;

void standard_lend(void)
{
	const int copy = own ? -1 : fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	if (copy >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
		number_out = copy;
	own = stdout;
	stdout = stderr;
}

void standard_take_back(void)
{
	stdout = own;
}

ptowsp_status standard_check(struct ptowsp_error *error)
{
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return PTOWSP_OK;
	if (!failure)
		failure = errno ? errno : EIO;
	return reg_fail(error, PTOWSP_IO, "stdout cannot be written: %s", strerror(failure));
}

int standard_end(const char *tool, int status, int instead)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};

	if (!standard_check(&error))
		return status;
	fprintf(stderr, "%s: %s\n", tool, error.text);
	return instead;
}
