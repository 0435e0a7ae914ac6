/* SPDX-License-Identifier: MIT */
/* remote_records.c - sections of a package in a memory file: nobody can change it, and the worker reads them where they lie. */
#include <errno.h>
#include <unistd.h>

#include "host/worker/remote_own.h"

enum { ALIGNMENT = 64 };

static bool all_written(int fd, const unsigned char *bytes, uint64_t size, uint64_t at)
{
	while (size) {
		const ssize_t n = pwrite(fd, bytes, size, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		bytes += n;
		size -= (uint64_t)n;
		at += (uint64_t)n;
	}
	return true;
}

static ptowsp_status no_memory(const struct remote_crossing *c)
{
	return host_fail(c->error, PTOWSP_NO_MEMORY, "%s: no memory for a sealed copy of the package's sections", c->remote->name);
}

bool remote_records_put(struct remote_crossing *c, const struct host_away *away, uint64_t *place_out)
{
	if (!c->has_records) {
		c->records = host_memory_file("ptowsp sections", 0);
		c->record_bytes = ALIGNMENT; /* place 0 is nothing */
		c->has_records = c->records >= 0;
	}
	if (!c->has_records || !all_written(c->records, away->memory, away->size, c->record_bytes)) {
		c->status = no_memory(c);
		return false;
	}
	*place_out = c->record_bytes;
	c->record_bytes += (away->size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	return true;
}

ptowsp_status remote_records_send(struct remote_crossing *c, struct host_wire *request)
{
	struct host_frame_file file = {.kind = HOST_FILE_SECTIONS, .size = c->record_bytes + ALIGNMENT};
	struct host_remote *r = c->remote;
	bool sent = false;

	if (!c->has_records || request->failed)
		return PTOWSP_OK;
	if (ftruncate(c->records, (off_t)file.size) || !host_memory_file_seal(c->records, true))
		return no_memory(c);
	if (remote_down_begin(r, 0, c->kill_ns)) {
		((struct host_frame *)(void *)request->bytes)->sections = file.number = ++r->section_number;
		sent = remote_send_file_held(r, &file, c->records, c->kill_ns);
		remote_down_end(r, 0);
		c->shared = sent ? file.size : 0;
		remote_shared_add(r, c->shared);
	}
	if (!sent && !remote_ending(r)) /* a dead worker says so when asked */
		return host_fail(c->error, PTOWSP_NO_MEMORY, "%s: the package's sections could not be handed to its worker", r->name);
	return PTOWSP_OK;
}

void remote_records_finish(struct remote_crossing *c)
{
	if (c->has_records)
		close(c->records);
	c->has_records = false;
}
