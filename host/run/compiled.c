/* SPDX-License-Identifier: MIT */
/* compiled.c - what a plugin has compiled, kept under a key of everything that it depends on. */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/host_error.h"
#include "host/run/host_program.h"

static _Atomic uint64_t limit; /* bytes of the folder; 0: nothing is kept */

void ptowsp_compiled_cache(uint64_t bytes)
{
	atomic_store(&limit, bytes);
}

void ptowsp_compiled_used(const struct ptowsp_program *program, struct ptowsp_compiled_use *use_out)
{
	*use_out = program->compiled.use;
}

#if PTOWSP_ABI_MINOR >= 1
#include "ptowsp/compiled.h"

_Static_assert(PTOWSP_COMPILED_BLOBS == 4096 && PTOWSP_COMPILED_BLOB == UINT64_C(1) << 27 && PTOWSP_COMPILED_BYTES == UINT64_C(1) << 30, "blobs.c");

/* The key is all that compiled code depends on. */
struct dependence {
	uint8_t package[PKG_DIGEST_SIZE], plugin[PKG_DIGEST_SIZE], settings[PKG_DIGEST_SIZE], device[PKG_DIGEST_SIZE];
	uint32_t entry, flags;
};

static bool file_digest(uint8_t digest_out[PKG_DIGEST_SIZE], const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	void *bytes = MAP_FAILED;
	struct stat stat;
	bool made = false;

	if (fd >= 0 && !fstat(fd, &stat) && S_ISREG(stat.st_mode) && stat.st_size)
		bytes = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes != MAP_FAILED) {
		made = pkg_digest_make(digest_out, bytes, (size_t)stat.st_size);
		munmap(bytes, (size_t)stat.st_size);
	}
	if (fd >= 0)
		close(fd);
	return made;
}

static bool device_digest(uint8_t digest_out[PKG_DIGEST_SIZE], struct ptowsp_backend *b)
{
	struct ptowsp_error ignored = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	char text[PTOWSP_COMPILED_KEY] = "";

	if (host_call_compiled_key(&b->caller, b->device, text, sizeof(text), &ignored) || !memchr(text, '\0', sizeof(text)))
		return false;
	return pkg_digest_make(digest_out, text, strlen(text));
}

static bool key_make(struct ptowsp_program *p, const struct ptowsp_load_args *args)
{
	struct dependence on = {.entry = args->entry, .flags = args->flags & ~PTOWSP_LOAD_LOOK};

	memcpy(on.package, args->digest, sizeof(on.package));
	memcpy(on.settings, p->backend->settings_digest, sizeof(on.settings));
	return file_digest(on.plugin, p->backend->plugin->path) && device_digest(on.device, p->backend) && pkg_digest_make(p->compiled.key, &on, sizeof(on));
}

void host_compiled_find(struct ptowsp_program *p, struct ptowsp_load_args *args, void **rows_out)
{
	struct host_compiled *c = &p->compiled;
	struct ptowsp_blob *rows = NULL;

	*rows_out = NULL;
	if (!atomic_load(&limit) || !host_caller_offers(&p->backend->caller, p->backend->instance, HOST_OPERATION_compiled_save))
		return;
	c->known = key_make(p, args);
	if (!c->known || !host_store_find(&c->found, c->key))
		return;
	*rows_out = rows = calloc(c->found.blobs.count, sizeof(*rows));
	for (uint32_t i = 0; rows && i < c->found.blobs.count; i++)
		rows[i] = (struct ptowsp_blob){c->found.blobs.rows[i].name, c->found.blobs.rows[i].bytes, c->found.blobs.rows[i].size};
	if (!rows)
		return;
	args->blobs = rows;
	args->blob_count = c->found.blobs.count;
	args->blob_stride = sizeof(*rows);
	c->use.found = args->blob_count;
	c->use.found_bytes = c->found.blobs.total;
}

bool host_compiled_refused(struct ptowsp_program *p, struct ptowsp_load_args *args)
{
	if (!args->blobs)
		return false;
	host_services_log(&p->backend->services, PTOWSP_LOG_WARNING, "%s does not load with what it has compiled earlier (PL16), and loads without",
			  ptowsp_backend_name(p->backend));
	host_store_drop(p->compiled.key);
	p->compiled.use = (struct ptowsp_compiled_use){0};
	args->blobs = NULL;
	args->blob_count = args->blob_stride = 0;
	return true;
}

static ptowsp_status blob_take(void *context, const char *name, const void *bytes, uint64_t size)
{
	return host_blob_file_add(context, name, bytes, size) ? PTOWSP_OK : PTOWSP_INVALID;
}

/* The file of what the plugin has compiled; false: it has nothing, or that cannot be kept, and why. */
static bool file_make(struct ptowsp_program *p, struct host_blob_file *file, struct ptowsp_error *error)
{
	const bool lives = host_backend_worker_lives(p->backend);
	const ptowsp_status status = host_call_compiled_save(&p->backend->caller, p->object, blob_take, file, error);

	host_backend_end_tell(p->backend, lives, status, error);
	if (status || file->why) {
		host_services_log(&p->backend->services, PTOWSP_LOG_WARNING, "what %s has compiled is not kept: %s", ptowsp_backend_name(p->backend),
				  file->why ? file->why : error->text);
		return false;
	}
	return file->count && host_blob_file_seal(file, p->compiled.key);
}

void host_compiled_keep(struct ptowsp_program *p)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct host_blob_file file = {0};

	if (!p->compiled.known || !p->compiled.ran || p->compiled.use.found || (p->backend->plugin->remote && !host_backend_worker_lives(p->backend)))
		return;
	if (file_make(p, &file, &error) && host_store_put(p->compiled.key, &file, atomic_load(&limit)))
		host_services_log(&p->backend->services, PTOWSP_LOG_INFO, "what %s has compiled is kept for the next load: %u pieces of %llu bytes",
				  ptowsp_backend_name(p->backend), file.count, (unsigned long long)file.total);
	host_blob_file_finish(&file);
}
#else
void host_compiled_find(struct ptowsp_program *p, struct ptowsp_load_args *args, void **rows_out)
{
	(void)p, (void)args;
	*rows_out = NULL;
}

bool host_compiled_refused(struct ptowsp_program *p, struct ptowsp_load_args *args)
{
	(void)p, (void)args;
	return false;
}

void host_compiled_keep(struct ptowsp_program *p)
{
	(void)p;
}
#endif
