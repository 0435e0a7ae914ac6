/* SPDX-License-Identifier: MIT */
/* remote_shared.c - how much of a sandbox's memory is its host's own: tensors and sections that both map. The sandbox is not to be blamed for that. */
#include <sys/socket.h>

#include "host/worker/remote_own.h"

void remote_shared_add(struct host_remote *r, uint64_t bytes)
{
	pthread_mutex_lock(&r->lock);
	r->shared_bytes += bytes;
	pthread_mutex_unlock(&r->lock);
}

void remote_shared_take(struct host_remote *r, uint64_t bytes)
{
	pthread_mutex_lock(&r->lock);
	r->shared_bytes -= bytes;
	pthread_mutex_unlock(&r->lock);
}

void remote_shared_tell(struct host_remote *r)
{
	uint64_t bytes;
	bool new;

	pthread_mutex_lock(&r->lock);
	bytes = r->shared_bytes;
	new = r->sandbox &&bytes != r->told_bytes;
	r->told_bytes = bytes;
	pthread_mutex_unlock(&r->lock);
	if (new)
		send(r->life, &bytes, sizeof(bytes), MSG_NOSIGNAL); /* which a keeper hears at once; there is a time for it all the same */
}
