/* SPDX-License-Identifier: MIT */
/* remote_external.c - memory of others on its way to a worker, and names of a worker's memory on their way here. Descriptors go down the socket; what comes up is taken out of the worker, which may be a
 * sandbox that sends nothing. Addresses and handles mean something in their own process alone. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host/worker/remote_own.h"

#if PTOWSP_ABI_MINOR >= 1
/* ---- down ---- */

static ptowsp_status memory_put(struct remote_crossing *c, struct ptowsp_external *e)
{
	const struct host_away away = {.memory = (void *)(uintptr_t)e->address, .size = e->bytes};
	struct host_buffer buffer;

	if (!host_buffer_find(away.memory, away.size, &buffer))
		return host_fail(c->error, PTOWSP_UNSUPPORTED,
				 "%s is in a process of its own, which sees memory of ptowsp_buffer_alloc and of descriptors, and no other of its host",
				 c->remote->name);
	return remote_elements_put(c, &away, NULL, &e->address) ? PTOWSP_OK : c->status;
}

/* Nothing else of this process is given to a plugin that is kept away from it. */
static bool is_memory(const struct ptowsp_external *e)
{
	return e->type == PTOWSP_EXTERNAL_OPAQUE_FD ? fcntl(e->fd, F_GET_SEALS) >= 0 : host_memory_is_dmabuf(e->fd);
}

static ptowsp_status file_put(struct remote_crossing *c, struct ptowsp_external *e)
{
	struct host_remote *r = c->remote;
	struct host_frame_file file = {.kind = HOST_FILE_LENT};
	const int fd = e->fd;
	bool sent = false;

	if (!is_memory(e))
		return host_fail(c->error, PTOWSP_INVALID, "import: descriptor %d is no %s", fd, e->type == PTOWSP_EXTERNAL_DMABUF ? "dma-buf" : "memory file");
	if (remote_down_begin(r, 0, c->kill_ns)) {
		file.number = ++r->section_number;
		sent = remote_send_file_held(r, &file, fd, c->kill_ns);
		remote_down_end(r, 0);
	}
	e->fd = (int32_t)file.number;
	if (sent || remote_ending(r)) /* a dead worker says so when asked */
		return PTOWSP_OK;
	return host_fail(c->error, PTOWSP_INVALID, "import: descriptor %d cannot be sent to the worker of %s: %s", fd, r->name, strerror(errno));
}

void remote_import(struct host_remote *r, struct host_call *call)
{
	const struct ptowsp_external *given = call->values[1].data;
	struct ptowsp_external crossed = *given;
	struct remote_crossing crossing = {.remote = r, .error = call->error};

	crossing.kill_ns = remote_until_ns(r, (uint32_t)(call->operation - host_operations), 0);
	switch (given->type) {
	case PTOWSP_EXTERNAL_HOST: call->status = memory_put(&crossing, &crossed); break;
	case PTOWSP_EXTERNAL_DMABUF:
	case PTOWSP_EXTERNAL_OPAQUE_FD: call->status = file_put(&crossing, &crossed); break;
	default:
		call->status =
			host_fail(call->error, PTOWSP_UNSUPPORTED,
				  "%s is in a process of its own, to which type %u of memory or event does not go; --isolate=none", r->name, given->type);
	}
	if (call->status)
		return;
	call->values[1].data = &crossed;
	remote_cross(r, call, &crossing);
	call->values[1].data = given;
}

/* ---- up ---- */

static int file_take(struct host_remote *r, int theirs)
{
	int worker, fd;

	pthread_mutex_lock(&r->lock);
	worker = (int)syscall(SYS_pidfd_open, r->worker, 0);
	pthread_mutex_unlock(&r->lock);
	if (worker < 0)
		return -1;
	fd = (int)syscall(SYS_pidfd_getfd, worker, theirs, 0);
	close(worker);
	return fd;
}

/* The worker closes its own descriptor. */
static void file_get(struct host_remote *r, struct host_call *call, struct ptowsp_external *out)
{
	const struct host_frame frame = {.operation = HOST_FRAME_CLOSE, .values = {(uint64_t)out->fd}};

	out->fd = file_take(r, out->fd);
	if (out->fd < 0)
		call->status =
			host_fail(call->error, PTOWSP_UNSUPPORTED, "expose: no descriptor can be taken out of the worker of %s: %s", r->name, strerror(errno));
	remote_send(r, 0, &frame, sizeof(frame), remote_until_ns(r, HOST_FRAME_CLOSE, 0));
}

void remote_expose(struct host_remote *r, struct host_call *call)
{
	const unsigned last = call->operation->parameter_count - 1u;
	const uint32_t type = (uint32_t)call->values[last - 1].number;
	struct ptowsp_external *out = call->values[last].pointer;
	struct remote_crossing crossing = {0};

	if (type == PTOWSP_EXTERNAL_HOST || type == PTOWSP_EXTERNAL_NATIVE) {
		call->status = host_fail(call->error, PTOWSP_UNSUPPORTED,
					 "expose: an address or a handle (type %u) of the worker of %s means nothing here; --isolate=none", type, r->name);
		return;
	}
	remote_cross(r, call, &crossing);
	if (!call->status && out->fd >= 0)
		file_get(r, call, out);
}
#endif
