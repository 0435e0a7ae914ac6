/* SPDX-License-Identifier: MIT */
/* services.c - the table of host services behind struct ptowsp_host. */
#include "host/call/services.h"
#include "registry/common/common_grow.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/call/describe.h"
#include "host/call/host_memory.h"
#include "host/host_error.h"
#include "host/run/kernels_ffi.h"
#include "host/trust/code.h"

enum { DIAGNOSTIC_LIMIT = 4096 };

static void line_write(struct host_services *s, int32_t level, const char *line)
{
	pthread_mutex_lock(&s->lock); /* one line at a time, as promised to the embedding program */
	if (s->log)
		s->log(s->log_context, level, line);
	pthread_mutex_unlock(&s->lock);
}

void host_services_log(struct host_services *s, int32_t level, const char *format, ...)
{
	char line[HOST_LINE_LIMIT];
	va_list list;

	va_start(list, format);
	vsnprintf(line, sizeof(line), format, list);
	va_end(list);
	line_write(s, level, line);
}

/* With the lock held: what was left out is told, at the level that it had, and counted anew. */
static void said_tell(struct host_services *s)
{
	char line[HOST_LINE_LIMIT];

	for (int32_t level = 0; level < HOST_LOG_LEVELS; level++) {
		if (s->said[level].left_out && s->log) {
			snprintf(line, sizeof(line), "%llu more lines of the plugin are left out: at most %d lines and %d bytes of each level are told",
				 (unsigned long long)s->said[level].left_out, HOST_LINES_TOLD, HOST_LINE_BYTES_TOLD);
			s->log(s->log_context, level, line);
		}
		s->said[level] = (struct host_said){0};
	}
}

/* A plugin that says more than anybody reads fills no terminal and no disk. */
static void plugin_line_write(struct host_services *s, int32_t level, const char *line)
{
	struct host_said *said = &s->said[level < 0 ? 0 : level < HOST_LOG_LEVELS ? level : HOST_LOG_LEVELS - 1];
	const size_t length = strlen(line) + 1;

	pthread_mutex_lock(&s->lock);
	if (!s->muted && (said->left_out || said->lines == HOST_LINES_TOLD || said->bytes + length > HOST_LINE_BYTES_TOLD)) {
		said->left_out++;
	} else if (!s->muted) {
		said->lines++;
		said->bytes += length;
		if (s->log)
			s->log(s->log_context, level, line);
	}
	pthread_mutex_unlock(&s->lock);
}

/* A plugin's text as one printable line. */
static void line_copy(char line[HOST_LINE_LIMIT], const char *text, uint64_t length)
{
	size_t n = text ? (size_t)(length < HOST_LINE_LIMIT - 1 ? length : HOST_LINE_LIMIT - 1) : 0;

	memcpy(line, text ? text : "", n);
	line[n] = '\0';
	host_line(line, n + 1);
}

static void service_log(void *context, int32_t level, const char *text, uint64_t length)
{
	char line[HOST_LINE_LIMIT];

	line_copy(line, text, length);
	plugin_line_write(context, level, line);
}

static bool diagnosed(const struct host_diagnostics *d, uint32_t feature, const char *text)
{
	for (uint32_t i = 0; i < d->count; i++)
		if (d->rows[i].feature == feature && (feature || !strcmp(d->rows[i].text, text)))
			return true;
	return false;
}

/* With the lock held. Without memory the diagnostic is lost, the run is not. */
static void diagnostic_add(struct host_diagnostics *d, uint32_t feature, unsigned state, const char *text)
{
	char *copy;

	if (diagnosed(d, feature, text) || d->count == DIAGNOSTIC_LIMIT)
		return;
	if (!COMMON_GROW(d->rows, d->room, d->count))
		return;
	copy = strdup(text);
	if (copy)
		d->rows[d->count++] = (struct host_diagnostic){feature, state, copy};
}

void host_diagnostics_finish(struct host_diagnostics *d)
{
	for (uint32_t i = 0; i < d->count; i++)
		free(d->rows[i].text);
	free(d->rows);
	*d = (struct host_diagnostics){0};
}

ptowsp_status host_diagnostics_needs(const struct host_diagnostics *d, struct ptowsp_error *error)
{
	for (uint32_t i = 0; i < d->count; i++) {
		if (d->rows[i].state == PTOWSP_STATE_UNSUPPORTED && d->rows[i].feature == PTOWSP_FEATURE_CSP_PAYLOAD)
			return host_fail(error, PTOWSP_TOO_BIG, "%s", d->rows[i].text);
		if (d->rows[i].state == PTOWSP_STATE_UNSUPPORTED && d->rows[i].feature == PTOWSP_FEATURE_NO_KERNELS)
			return host_fail(error, PTOWSP_KERNEL_FAILED, "%s", d->rows[i].text);
	}
	return PTOWSP_OK;
}

void host_services_diagnose(struct host_services *s, uint32_t feature, unsigned state, const char *text)
{
	pthread_mutex_lock(&s->lock);
	if (s->diagnostics)
		diagnostic_add(s->diagnostics, feature, state, text);
	pthread_mutex_unlock(&s->lock);
}

static void service_diagnose(void *context, uint32_t feature, uint8_t state, const char *text, uint64_t length)
{
	char line[HOST_LINE_LIMIT];

	line_copy(line, text, length);
	host_services_diagnose(context, feature, state, line);
}

/* Accounts, and leaves limits to the plugin, which knows what it can do with less. */
static void *service_alloc(void *context, uint64_t size, uint64_t align)
{
	struct host_services *s = context;
	uint64_t now, peak;
	void *memory;

	if (size > PTRDIFF_MAX || !align || (align & (align - 1)) || align > 4096)
		return NULL;
	memory = host_memory_take(size, align);
	if (!memory)
		return NULL;
	now = atomic_fetch_add_explicit(&s->memory, size, memory_order_relaxed) + size; /* a counter, orders nothing */
	peak = atomic_load_explicit(&s->memory_peak, memory_order_relaxed);
	while (now > peak && !atomic_compare_exchange_weak_explicit(&s->memory_peak, &peak, now, memory_order_relaxed, memory_order_relaxed))
		;
	return memory;
}

static void service_release(void *context, void *memory, uint64_t size)
{
	struct host_services *s = context;

	if (!memory)
		return;
	host_memory_give(memory, size);
	atomic_fetch_sub_explicit(&s->memory, size, memory_order_relaxed);
}

static void service_done(void *context, const struct ptowsp_done *done)
{
	struct host_services *s = context;
	char text[HOST_RUNS_TEXT];

	if (host_runs_leave(&s->runs, done->token, text) && done->status == PTOWSP_OK)
		host_services_log(s, PTOWSP_LOG_WARNING, "%s", text);
	if (!host_runs_complete(&s->runs, done))
		host_services_log(s, PTOWSP_LOG_ERROR, "the plugin completed a run (token 0x%llx) that is not in flight; ignored",
				  (unsigned long long)done->token);
}

static uint64_t service_now(void *context)
{
	(void)context;
	return host_now_ns();
}

static ptowsp_status service_kernel_find(void *context, const char *name, const char *signature, const void *native, struct ptowsp_kernel_ref *ref_out,
					 struct ptowsp_error *error)
{
	struct host_services *s = context;
	struct host_kernel *kernel;
	ptowsp_status status = host_kernel_bind(&kernel, name, signature ? signature : "", native, ref_out, error);

	bool loading;

	if (status)
		return status;
	pthread_mutex_lock(&s->lock);
	loading = s->findings != NULL;
	if (loading)
		host_kernel_link(kernel, &s->findings->kernels);
	pthread_mutex_unlock(&s->lock);
	if (!loading) {
		host_kernels_destroy(kernel);
		*ref_out = (struct ptowsp_kernel_ref){0};
		return host_fail(error, PTOWSP_INVALID, "kernel \"%.60s\": kernels are looked up while a program is loaded", name);
	}
	return PTOWSP_OK;
}

/* Trust comes first: without it not even the object's bytes are looked at. */
static ptowsp_status service_code_load(void *context, const char *kernel, const void *bytes, uint64_t size, const char *entry, uint64_t entry_offset,
				       const void **function_out, struct ptowsp_error *error)
{
	struct host_services *s = context;
	struct host_findings *findings;

	pthread_mutex_lock(&s->lock);
	findings = s->findings;
	pthread_mutex_unlock(&s->lock);
	*function_out = NULL;
	if (!findings)
		return host_fail(error, PTOWSP_INVALID, "native code of kernel %.60s: code is loaded while a program is loaded", kernel);
	if (!findings->trusted && findings->trust[0])
		return host_fail(error, PTOWSP_UNSUPPORTED, "native code of kernel %.60s is not run: %s", kernel, findings->trust);
	if (!findings->trusted)
		return host_fail(error, PTOWSP_UNSUPPORTED, "native code of kernel %.60s is not run: the package is not trusted; --trust=all runs it", kernel);
	if (findings->looks)
		return host_code_look(kernel, bytes, size, entry ? entry : "", entry_offset, function_out, error);
	return host_code_load(&findings->code, kernel, bytes, size, entry ? entry : "", entry_offset, function_out, error);
}

static ptowsp_status service_place(void *context, uint64_t token, uint32_t *device_out, uint32_t *count_out, struct ptowsp_error *error)
{
	struct host_services *s = context;
	struct host_group *group = host_runs_group(&s->runs, token, device_out);

	(void)error;
	*count_out = group ? host_group_count(group) : 1;
	return PTOWSP_OK;
}

static ptowsp_status alone(struct ptowsp_error *error)
{
	return host_fail(error, PTOWSP_INVALID, "this run has one device; give it more with --device=SEL,SEL");
}

static ptowsp_status service_send(void *context, uint64_t token, uint32_t device, uint32_t notification, uint64_t cycles, struct ptowsp_error *error)
{
	struct host_services *s = context;
	uint32_t member;
	struct host_group *group = host_runs_group(&s->runs, token, &member);

	return group ? host_group_send(group, member, device, notification, cycles, error) : alone(error);
}

static ptowsp_status service_take(void *context, uint64_t token, uint32_t device, uint32_t notification, uint64_t until_ns, uint64_t *cycles_out,
				  struct ptowsp_error *error)
{
	struct host_services *s = context;
	uint32_t member;
	struct host_group *group = host_runs_group(&s->runs, token, &member);

	return group ? host_group_take(group, member, device, notification, until_ns, cycles_out, error) : alone(error);
}

static const struct ptowsp_head *extension_find(const char *id, size_t length)
{
	static const struct ptowsp_kernels_extension kernels = {{sizeof(kernels), PTOWSP_STRUCT_EXTENSION, 0}, service_kernel_find};
	static const struct ptowsp_code_extension code = {{sizeof(code), PTOWSP_STRUCT_EXTENSION, 0}, service_code_load};
	static const struct ptowsp_notify_extension notify = {{sizeof(notify), PTOWSP_STRUCT_EXTENSION, 0}, service_place, service_send, service_take};

	static const struct {
		const char *id;
		const struct ptowsp_head *table;
	} rows[] = {{PTOWSP_EXTENSION_CODE, &code.head}, {PTOWSP_EXTENSION_NOTIFY, &notify.head}, {PTOWSP_EXTENSION_KERNELS, &kernels.head}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (strlen(rows[i].id) == length && !memcmp(rows[i].id, id, length))
			return rows[i].table;
	return NULL;
}

static const void *service_extension(void *context, const char *id)
{
	(void)context;
	return extension_find(id, strlen(id));
}

size_t host_services_lack(const char *list, const char **id_out)
{
	for (const char *at = list; at && *at; at += strspn(at, ", ")) {
		const size_t length = strcspn(at, ", ");

		if (length && !extension_find(at, length)) {
			*id_out = at;
			return length;
		}
		at += length;
	}
	return 0;
}

ptowsp_status host_services_init(struct host_services *s, uint32_t minor)
{
	*s = (struct host_services){.lock = PTHREAD_MUTEX_INITIALIZER};
	s->table = (struct ptowsp_host){
		.head = PTOWSP_HEAD(struct ptowsp_host, HOST),
		.major = PTOWSP_ABI_MAJOR,
		.minor = (uint16_t)minor,
		.context = s,
		.extension = service_extension,
		.alloc = service_alloc,
		.release = service_release,
		.log = service_log,
		.diagnose = service_diagnose,
		.done = service_done,
		.now_ns = service_now,
	};
	host_struct_cut(HOST_STRUCT_host, &s->table, minor);
	s->table.head.size = host_struct_size(HOST_STRUCT_host, minor);
	return host_runs_init(&s->runs, minor);
}

void host_services_finish(struct host_services *s)
{
	uint64_t left = atomic_load(&s->memory);

	pthread_mutex_lock(&s->lock);
	said_tell(s);
	pthread_mutex_unlock(&s->lock);
	if (left)
		host_services_log(s, PTOWSP_LOG_WARNING, "the plugin did not give back %llu bytes", (unsigned long long)left);
	host_runs_finish(&s->runs);
	pthread_mutex_destroy(&s->lock);
}

void host_services_aim(struct host_services *s, struct host_diagnostics *diagnostics, struct host_findings *findings)
{
	pthread_mutex_lock(&s->lock);
	said_tell(s);
	s->muted = false;
	s->diagnostics = diagnostics;
	s->findings = findings;
	pthread_mutex_unlock(&s->lock);
}

void host_services_mute(struct host_services *s)
{
	pthread_mutex_lock(&s->lock);
	s->muted = true;
	pthread_mutex_unlock(&s->lock);
}
