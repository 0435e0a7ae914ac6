/* SPDX-License-Identifier: MIT */
/* worker_said.c - what a sandbox writes to standard error. Its host's own descriptor would let it cut and overwrite the file behind it, change how others wait on it, and send a terminal
 * whatever it likes: it gets a pipe to its keeper, who passes on lines without control characters, and not without end. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "host/host_error.h"
#include "host/worker/worker.h"

enum { LINE = 1024, MOST = 1 << 20 }; /* bytes: of a line, a longer one becomes several; of all that is passed on */

static int ends[2] = {-1, -1};
static char line[LINE + 1];
static size_t length, passed;

bool worker_said_begin(void)
{
	return !pipe2(ends, O_CLOEXEC | O_NONBLOCK);
}

bool worker_said_own(void)
{
	const bool own = dup2(ends[1], STDERR_FILENO) == STDERR_FILENO;

	close(ends[0]);
	close(ends[1]);
	return own;
}

int worker_said_keep(void)
{
	close(ends[1]);
	return ends[0];
}

/* A reader that does not read keeps no keeper waiting: the line is lost. */
static void line_pass(void)
{
	struct pollfd at = {.fd = STDERR_FILENO, .events = POLLOUT};

	if (length && passed < MOST && poll(&at, 1, 0) == 1 && at.revents == POLLOUT) {
		host_line(line, length + 1);
		line[length] = '\n';
		if (write(STDERR_FILENO, line, length + 1) > 0)
			passed += length + 1;
	}
	length = 0;
}

static void bytes_take(const char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (bytes[i] != '\n')
			line[length++] = bytes[i] ? bytes[i] : ' ';
		if (bytes[i] == '\n' || length == LINE)
			line_pass();
	}
}

bool worker_said_hear(void)
{
	char bytes[4096];
	const ssize_t got = read(ends[0], bytes, sizeof(bytes));

	if (got > 0)
		bytes_take(bytes, (size_t)got);
	return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

void worker_said_end(void)
{
	struct pollfd at = {.fd = ends[0], .events = POLLIN};

	while (ends[0] >= 0 && poll(&at, 1, 0) == 1 && worker_said_hear())
		;
	line_pass();
}
