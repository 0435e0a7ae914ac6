/* SPDX-License-Identifier: MIT */
/* layer_trace.c - every call in both directions to a file, as tape.h says. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/call/tape.h"
#include "host/host_error.h"
#include "host/layers/layers.h"
#include "host/run/runs.h"
#include "registry/common/common_dtype.h"

enum { RUNS = 64, LOGS = 64 };

struct trace {
	struct host_layer layer;
	FILE *file;
	char *path;                     /* owned */
	struct host_breaches *breaches; /* NULL until the log has begun */
	pthread_mutex_t lock;           /* of everything below, and of the file */
	struct host_tape tape;
	uint64_t calls, threads;
	int failed; /* errno of the first record that is not in the file; none follows it */
	/* Targets of the bindings of runs in flight, for digests when they are done. */
	struct {
		uint64_t token;
		struct ptowsp_binding *bindings; /* owned; NULL: free */
		uint32_t count;
	} runs[RUNS];
};

/* Numbers are small and in the order in which threads are met. */
static uint64_t thread_number(struct trace *t)
{
	static _Thread_local uint64_t own;

	if (!own)
		own = ++t->threads;
	return own;
}

static uint64_t number_of(const struct host_layer *layer, const struct host_call *call)
{
	return call ? (uintptr_t)call->kept[layer->place] : 0;
}

static void run_keep(struct trace *t, const struct ptowsp_run_args *args)
{
	unsigned i = 0;

	while (i < RUNS && t->runs[i].bindings)
		i++;
	if (i == RUNS || !(t->runs[i].bindings = calloc(args->binding_count + 1u, sizeof(*t->runs[i].bindings))))
		return;
	for (uint32_t k = 0; k < args->binding_count; k++)
		memcpy(&t->runs[i].bindings[k], (const char *)args->bindings + (size_t)k * args->binding_stride, sizeof(*t->runs[i].bindings));
	t->runs[i].token = args->token;
	t->runs[i].count = args->binding_count;
}

/* tell: also on the tape. */
static void run_forget(struct trace *t, uint64_t token, bool tell)
{
	unsigned i = 0;

	while (i < RUNS && !(t->runs[i].bindings && t->runs[i].token == token))
		i++;
	if (tell)
		host_tape_number(&t->tape, i < RUNS ? t->runs[i].count : 0);
	if (i == RUNS)
		return;
	for (uint32_t k = 0; tell && k < t->runs[i].count; k++) {
		const struct ptowsp_binding *b = &t->runs[i].bindings[k];

		host_tape_number(&t->tape, b->data ? host_tape_digest(b->data, b->elements * common_dtype_bytes(b->dtype)) : 0);
	}
	free(t->runs[i].bindings);
	t->runs[i].bindings = NULL;
}

static void flush(struct trace *t)
{
	if (fflush(t->file) && !t->failed)
		t->failed = errno;
}

static void write_record(struct trace *t)
{
	host_tape_close(&t->tape);
	if (t->tape.out.failed && !t->failed)
		t->failed = ENOMEM;
	if (!t->failed && fwrite(t->tape.out.bytes, 1, t->tape.out.length, t->file) != t->tape.out.length)
		t->failed = errno;
}

static bool before(struct host_layer *layer, struct host_caller *caller, struct host_call *call)
{
	struct trace *t = (struct trace *)layer;

	(void)caller;
	pthread_mutex_lock(&t->lock);
	call->kept[layer->place] = (void *)(uintptr_t)++t->calls;
	host_tape_call(&t->tape, call, TAPE_CALL, t->calls, number_of(layer, call->outer), thread_number(t), host_now_ns());
	if (host_call_id(call) == HOST_OPERATION_submit)
		run_keep(t, call->values[1].data);
	if (host_call_id(call) == HOST_OPERATION_done)
		run_forget(t, ((const struct ptowsp_done *)call->values[1].data)->token, true);
	write_record(t);
	pthread_mutex_unlock(&t->lock);
	return true;
}

static void after(struct host_layer *layer, struct host_caller *caller, struct host_call *call)
{
	struct trace *t = (struct trace *)layer;

	(void)caller;
	pthread_mutex_lock(&t->lock);
	host_tape_call(&t->tape, call, TAPE_RETURN, number_of(layer, call), number_of(layer, call->outer), thread_number(t), host_now_ns());
	if (host_call_id(call) == HOST_OPERATION_submit && call->status)
		run_forget(t, ((const struct ptowsp_run_args *)call->values[1].data)->token, false);
	write_record(t);
	if (host_call_id(call) == HOST_OPERATION_done || host_call_id(call) == HOST_OPERATION_fini)
		flush(t); /* a crash leaves all completed runs */
	pthread_mutex_unlock(&t->lock);
}

static void destroy(struct host_layer *layer)
{
	struct trace *t = (struct trace *)layer;

	for (unsigned i = 0; i < RUNS; i++)
		free(t->runs[i].bindings);
	if (t->file) {
		flush(t);
		fclose(t->file);
	}
	if (t->failed && t->breaches)
		host_breaches_fail(t->breaches, t->failed == ENOMEM ? PTOWSP_NO_MEMORY : PTOWSP_IO,
				   "layer trace: %.120s ends early, a replay shows less than the run did: %s", t->path, strerror(t->failed));
	free(t->path);
	host_tape_finish(&t->tape);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

/* Why nothing may be written there, NULL if it may: a FIFO blocks whoever opens it, a device keeps nothing, and a file of another sort is not emptied; a log is, also one that
 * breaks off within its first bytes. */
static const char *refusal_of(int fd)
{
	const uint64_t magic = TAPE_MAGIC;
	uint64_t bytes = 0;
	struct stat info;
	ssize_t n;

	if (fstat(fd, &info))
		return strerror(errno);
	if (!S_ISREG(info.st_mode))
		return "it is no file, and a log can be nothing else; name another one";
	n = pread(fd, &bytes, sizeof(bytes), 0);
	return n >= 0 && !memcmp(&bytes, &magic, (size_t)n) ? NULL : "it is there already and no log of calls; name another file";
}

/* The file of that name, or NAME.2, NAME.3 ... where another backend writes to the one before: a run on several devices has a log for each. -1 with errno. */
static int log_open(const char *path, char name_out[PATH_MAX])
{
	int fd = -1;

	for (unsigned i = 1; i <= LOGS; i++) {
		if (snprintf(name_out, PATH_MAX, i > 1 ? "%s.%u" : "%s", path, i) >= PATH_MAX) {
			errno = ENAMETOOLONG;
			return -1;
		}
		fd = open(name_out, O_RDWR | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
		if (fd < 0 || !flock(fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK)
			break; /* where files have no locks, the first one has to do */
		close(fd);
		fd = -1;
	}
	return fd;
}

/* The log, emptied. Errors: IO, NO_MEMORY. */
static ptowsp_status log_begin(struct trace *t, const char *path, struct ptowsp_error *error)
{
	const struct tape_file head = {.magic = TAPE_MAGIC, .version = TAPE_VERSION, .minor = PTOWSP_ABI_MINOR, .description = host_tape_description()};
	char name[PATH_MAX];
	int fd = log_open(path, name);
	const char *refusal = fd < 0 ? strerror(errno) : refusal_of(fd);

	if (!refusal && ftruncate(fd, 0))
		refusal = strerror(errno);
	t->path = refusal ? NULL : strdup(name);
	t->file = t->path ? fdopen(fd, "wb") : NULL;
	if (!t->file && fd >= 0)
		close(fd);
	if (!refusal && !t->file)
		return host_fail(error, PTOWSP_NO_MEMORY, "no memory for the layer trace");
	if (!refusal && (fwrite(&head, sizeof(head), 1, t->file) != 1 || fflush(t->file)))
		refusal = strerror(errno);
	return refusal ? host_fail(error, PTOWSP_IO, "layer trace: %.120s: %s", path, refusal) : PTOWSP_OK;
}

ptowsp_status host_layer_trace(struct host_layer **out, const char *parameter, struct host_breaches *breaches, struct ptowsp_error *error)
{
	struct trace *t = calloc(1, sizeof(*t));
	ptowsp_status status;

	if (!t)
		return host_fail(error, PTOWSP_NO_MEMORY, "no memory for the layer trace");
	t->layer = (struct host_layer){.before = before, .after = after, .destroy = destroy};
	pthread_mutex_init(&t->lock, NULL);
	status = log_begin(t, *parameter ? parameter : "ptowsp.calls", error);
	if (status) {
		destroy(&t->layer);
		return status;
	}
	t->breaches = breaches;
	*out = &t->layer;
	return PTOWSP_OK;
}
