/* SPDX-License-Identifier: MIT */
/* remote_send.c - what goes to a worker: messages on its rings, files on its socket. Nothing else writes to one, and nothing here waits for one that does not read: each has a time. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>

#include "host/worker/remote_own.h"

#define SLICE_NS UINT64_C(50000000) /* longest sleep: the end of a worker that a child of it survives is not seen on the socket */
#define NAP_NS   100000 /* between two tries for a lock: the thread sanitizer does not know pthread_mutex_clocklock, and a wait for another writer is short */

bool remote_ending(struct host_remote *r)
{
	bool ending;

	pthread_mutex_lock(&r->lock);
	ending = r->verdict != REMOTE_LIVES || atomic_load(&r->dead);
	pthread_mutex_unlock(&r->lock);
	return ending;
}

/* The holder of the lock waits for room until a time of its own, and no longer; a thread that ends the worker here ends that wait, too. */
bool remote_down_begin(struct host_remote *r, int channel, uint64_t until_ns)
{
	const struct timespec nap = {0, NAP_NS};

	while (pthread_mutex_trylock(&r->down_lock[channel])) {
		if (host_now_ns() >= until_ns) {
			remote_kill(r, REMOTE_HUNG);
			return false;
		}
		nanosleep(&nap, NULL);
	}
	return true;
}

void remote_down_end(struct host_remote *r, int channel)
{
	pthread_mutex_unlock(&r->down_lock[channel]);
}

bool remote_send_held(struct host_remote *r, int channel, const void *message, size_t size, uint64_t until_ns)
{
	switch (host_ring_write(&r->down[channel], 0, message, size, until_ns, &r->dead)) {
	case HOST_RING_READY: return true;
	case HOST_RING_STOPPED: return false;
	case HOST_RING_LATE: remote_kill(r, REMOTE_HUNG); return false;
	default: remote_kill(r, REMOTE_FORGED); return false; /* where the worker says that it has read to */
	}
}

bool remote_send(struct host_remote *r, int channel, const void *message, size_t size, uint64_t until_ns)
{
	bool sent;

	if (!remote_down_begin(r, channel, until_ns))
		return false;
	sent = remote_send_held(r, channel, message, size, until_ns);
	remote_down_end(r, channel);
	return sent;
}

/* False: the time is over, or the worker. */
static bool socket_wait(struct host_remote *r, uint64_t until_ns)
{
	struct pollfd at = {.fd = r->socket, .events = POLLOUT};
	const uint64_t now = host_now_ns(), left = until_ns > now ? until_ns - now : 0;

	if (atomic_load(&r->dead))
		return false;
	if (!left) {
		remote_kill(r, REMOTE_HUNG);
		return false;
	}
	poll(&at, 1, (int)((left < SLICE_NS ? left : SLICE_NS) / 1000000) + 1);
	return true;
}

/* One file per message: a worker reads them in the order in which its requests name them. */
bool remote_send_file_held(struct host_remote *r, const struct host_frame_file *file, int fd, uint64_t until_ns)
{
	struct iovec part = {(void *)(uintptr_t)file, sizeof(*file)};
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);
	ssize_t n;

	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(head), &fd, sizeof(fd));
	do
		n = sendmsg(r->socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (n < 0 && (errno == EINTR || (errno == EAGAIN && socket_wait(r, until_ns))));
	return n == (ssize_t)sizeof(*file);
}
