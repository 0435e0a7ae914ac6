/* SPDX-License-Identifier: MIT */
/* worker_files.c - shared memory that the host hands over: files come on the socket in the order in which requests name them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host/host_error.h"
#include "host/worker/worker.h"

enum { OFFSET_BITS = 40 };

/* The next file, mapped; a lent one as its number. false: there is none, or no memory. */
static bool file_take(struct host_frame_file *file_out, void **bytes_out)
{
	struct iovec part = {file_out, sizeof(*file_out)};
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
	struct cmsghdr *head;
	ssize_t n;
	int fd;

	do
		n = recvmsg(HOST_WORKER_SOCKET, &message, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	head = n == (ssize_t)sizeof(*file_out) ? CMSG_FIRSTHDR(&message) : NULL;
	if (!head || head->cmsg_type != SCM_RIGHTS || head->cmsg_len != CMSG_LEN(sizeof(int)))
		return false;
	memcpy(&fd, CMSG_DATA(head), sizeof(fd));
	if (file_out->kind == HOST_FILE_LENT) {
		*bytes_out = (void *)(intptr_t)fd;
		return true;
	}
	*bytes_out = mmap(NULL, (size_t)file_out->size, file_out->kind == HOST_FILE_SECTIONS ? PROT_READ : PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return *bytes_out != MAP_FAILED;
}

static struct worker_buffer *buffer_find(uint32_t number)
{
	struct worker_buffer *b = worker.buffers;

	while (b && b->number != number)
		b = b->next;
	return b;
}

static bool file_keep(struct worker_buffer **list, const struct host_frame_file *file, void *bytes)
{
	struct worker_buffer *b = malloc(sizeof(*b));

	if (!b)
		return false;
	*b = (struct worker_buffer){file->number, bytes, (size_t)file->size, *list};
	*list = b;
	return true;
}

/* Sections that came before another request's. NULL: they did not. */
static void *kept_take(uint32_t number, uint64_t *size_out)
{
	struct worker_buffer **at = &worker.sections, *b;
	void *bytes;

	while (*at && (*at)->number != number)
		at = &(*at)->next;
	b = *at;
	if (!b)
		return NULL;
	*at = b->next;
	bytes = b->bytes;
	*size_out = b->size;
	free(b);
	return bytes;
}

/* Reads until the wanted file came: in front of it may lie buffers that a later request names, and sections of a load on another thread, whose request comes behind this one. */
static void *files_until(uint32_t kind, uint32_t number, uint64_t *size_out, struct ptowsp_error *error)
{
	struct host_frame_file file;
	void *bytes = kind == HOST_FILE_BUFFER ? NULL : kept_take(number, size_out);

	if (bytes)
		return bytes;
	for (;;) {
		if (!file_take(&file, &bytes)) {
			host_fail(error, PTOWSP_NO_MEMORY, "%s: shared memory %u cannot be mapped in its worker", worker.name, number);
			return NULL;
		}
		if (file.kind == HOST_FILE_BUFFER && !file_keep(&worker.buffers, &file, bytes))
			continue;
		if (file.kind == kind && file.number == number) {
			*size_out = file.size;
			return bytes;
		}
		if (file.kind == HOST_FILE_SECTIONS && !file_keep(&worker.sections, &file, bytes))
			munmap(bytes, (size_t)file.size);
		if (file.kind == HOST_FILE_LENT && !file_keep(&worker.sections, &file, bytes))
			close((int)(intptr_t)bytes);
	}
}

int worker_lent(uint32_t number, struct ptowsp_error *error)
{
	uint64_t size;
	void *file = files_until(HOST_FILE_LENT, number, &size, error);

	return file ? (int)(intptr_t)file : -1; /* 0 is standard input */
}

void *worker_sections(uint32_t number, uint64_t *size_out, struct ptowsp_error *error)
{
	return files_until(HOST_FILE_SECTIONS, number, size_out, error);
}

void *worker_place(uint64_t place, struct ptowsp_error *error)
{
	const uint32_t number = (uint32_t)(place >> OFFSET_BITS);
	const uint64_t offset = place & ((UINT64_C(1) << OFFSET_BITS) - 1);
	struct worker_buffer *b = buffer_find(number);
	uint64_t size;

	if (!b && !files_until(HOST_FILE_BUFFER, number, &size, error))
		return NULL;
	b = b ? b : buffer_find(number);
	if (b && offset <= b->size)
		return b->bytes + offset;
	host_fail(error, PTOWSP_NO_MEMORY, "%s: buffer %u is not known to its worker", worker.name, number);
	return NULL;
}

void worker_files(uint32_t number)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	uint64_t size;

	if (!buffer_find(number))
		files_until(HOST_FILE_BUFFER, number, &size, &error); /* the user of an unmapped buffer says so */
}

void worker_forget(uint32_t number)
{
	for (struct worker_buffer **at = &worker.buffers; *at; at = &(*at)->next)
		if ((*at)->number == number) {
			struct worker_buffer *gone = *at;

			*at = gone->next;
			munmap(gone->bytes, gone->size);
			free(gone);
			return;
		}
}
