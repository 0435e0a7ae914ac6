/* SPDX-License-Identifier: MIT */
#include "base_compiled.h"

#include "backend.h"
#include "digest.h"
#include "error.h"
#include "queue.h"
#include <string.h>

#if PTOWSP_ABI_TARGET >= 1
#include "ptowsp/compiled.h"

static void key_text(const struct base_device *device, char text_out[PTOWSP_COMPILED_KEY])
{
	*text_out = '\0';
	device->instance->backend->compiled->key(device, text_out, PTOWSP_COMPILED_KEY);
}

static struct base_digest seal_make(const struct base_program *program, const char *source, const void *bytes, uint64_t size)
{
	struct base_digest seal;
	char key[PTOWSP_COMPILED_KEY];

	key_text(program->device, key);
	base_digest_init(&seal);
	base_digest_add(&seal, key, strlen(key) + 1);
	base_digest_add(&seal, source, strlen(source) + 1);
	base_digest_add(&seal, bytes, (size_t)size);
	return seal;
}

ptowsp_status base_blob_give(const struct base_blobs *blobs, const char *name, const char *source, const void *bytes, uint64_t size, struct ptowsp_error *error)
{
	const struct base_instance *instance = blobs->program->device->instance;
	const struct base_digest seal = seal_make(blobs->program, source, bytes, size);
	unsigned char *whole = size > PTOWSP_COMPILED_BLOB ? NULL : base_alloc(instance, sizeof(seal) + size);
	ptowsp_status status;

	if (!whole)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory for the %llu bytes of %.64s", (unsigned long long)size, name);
	memcpy(whole, &seal, sizeof(seal));
	if (size)
		memcpy(whole + sizeof(seal), bytes, (size_t)size);
	status = blobs->file(blobs->context, name, whole, sizeof(seal) + size);
	base_release(instance, whole, sizeof(seal) + size);
	return status ? base_fail(error, status, "the host does not take what was compiled") : status;
}

bool base_blobs_given(const struct base_program *program)
{
	return program->loading && program->loading->head.size >= PTOWSP_LOAD_ARGS_FLOOR_10_1 && program->loading->blob_count &&
	       program->loading->blob_stride >= PTOWSP_BLOB_FLOOR_10_1;
}

const void *base_blob_find(const struct base_program *program, const char *name, const char *source, uint64_t *size_out)
{
	const struct ptowsp_load_args *args = program->loading;

	for (uint32_t i = 0; base_blobs_given(program) && i < args->blob_count; i++) {
		const struct ptowsp_blob *blob = (const void *)((const char *)args->blobs + (size_t)i * args->blob_stride);
		const char *bytes = (const char *)blob->bytes + sizeof(struct base_digest);
		const uint64_t size = blob->size - sizeof(struct base_digest);
		struct base_digest seal;

		if (strcmp(blob->name, name) != 0 || blob->size < sizeof(seal))
			continue;
		seal = seal_make(program, source, bytes, size);
		*size_out = size;
		return memcmp(&seal, blob->bytes, sizeof(seal)) ? NULL : bytes;
	}
	return NULL;
}

static ptowsp_status key(struct ptowsp_object *object, char *text_out, uint32_t room, struct ptowsp_error *error)
{
	if (room < PTOWSP_COMPILED_KEY)
		return base_fail(error, PTOWSP_INVALID, "key: there is room for %u bytes, not for %u", room, PTOWSP_COMPILED_KEY);
	key_text((const struct base_device *)object, text_out);
	return PTOWSP_OK;
}

static ptowsp_status save(struct ptowsp_object *object, ptowsp_status (*file)(void *context, const char *path, const void *bytes, uint64_t size), void *context,
			  struct ptowsp_error *error)
{
	struct base_program *program = (struct base_program *)object;
	const struct base_blobs blobs = {program, file, context};

	if (base_in_flight(program->device, program))
		return base_fail(error, PTOWSP_INVALID, "save: a run of this program is going on; drain or cancel first");
	return program->device->instance->backend->compiled->save(program, &blobs, error);
}

const void *base_compiled_table(const struct base_backend *backend, const struct ptowsp_object *instance)
{
	static const struct ptowsp_compiled_extension table = {.head = PTOWSP_HEAD(table, EXTENSION), .key = key, .save = save};

	return backend->compiled && base_minor_of(instance) >= 1 ? &table : NULL;
}
#else /* headers of 10.0 have no blobs */
ptowsp_status base_blob_give(const struct base_blobs *blobs, const char *name, const char *source, const void *bytes, uint64_t size, struct ptowsp_error *error)
{
	(void)blobs, (void)name, (void)source, (void)bytes, (void)size;
	return base_fail(error, PTOWSP_UNSUPPORTED, "nothing that is compiled is kept");
}

bool base_blobs_given(const struct base_program *program)
{
	(void)program;
	return false;
}

const void *base_blob_find(const struct base_program *program, const char *name, const char *source, uint64_t *size_out)
{
	(void)program, (void)name, (void)source, (void)size_out;
	return NULL;
}

const void *base_compiled_table(const struct base_backend *backend, const struct ptowsp_object *instance)
{
	(void)backend, (void)instance;
	return NULL;
}
#endif
