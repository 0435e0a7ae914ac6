/* SPDX-License-Identifier: MIT */
/* format_package.c - opening a package: read the file, check the container, have the sections decoded, verify the tables. */
#include "format/package_open.h"

#include "format/format_file.h"
#include "format/verify/verify.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t sample_size(const struct pkg *p)
{
	return p->sample_row < p->container.header.section_count ? p->container.rows[p->sample_row].size : 0;
}

static ptowsp_status package_verify(const struct pkg *p, struct ptowsp_error *error)
{
	const struct pkg_check check = {pkg_place_of(p, error), &p->tables, p->container.header.abi, sample_size(p)};
	ptowsp_status status = pkg_verify_strings(&check);

	if (!status)
		status = pkg_verify_tables(&check);
	if (!status)
		status = pkg_verify_rules(&check);
	return status;
}

static struct pkg_caps caps_of(const struct pkg_limits *limits)
{
	struct pkg_caps caps = {PKG_SIZE_LIMIT, PKG_SIZE_LIMIT, limits && limits->flag ? "; allow so much with --max-memory" : ""};

	if (limits && limits->section_bytes)
		caps.section_bytes = limits->section_bytes;
	if (limits && limits->total_bytes)
		caps.total_bytes = limits->total_bytes;
	return caps;
}

static ptowsp_status signatures_open(struct pkg *p, struct ptowsp_error *error)
{
	const struct pkg_container *c = &p->container;
	const struct pkg_place place = pkg_place_of(p, error);
	const uint8_t *end = c->bytes + c->header.total_size;

	return c->size > c->header.total_size ? pkg_signatures_read(p->signatures, &p->signature_count, end + PKG_FRAME_HEAD, c->signature_size, &place)
					      : PTOWSP_OK;
}

/* The part of opening that is the same for files and memory. */
static ptowsp_status package_read(struct pkg *p, const void *bytes, size_t size, const struct pkg_limits *limits, struct ptowsp_error *error)
{
	ptowsp_status status;

	p->caps = caps_of(limits);
	status = pkg_container_read(&p->container, bytes, size, p->path, &p->caps, error);
	if (!status)
		status = pkg_container_identity(&p->container, p->identity, error);
	if (!status)
		status = signatures_open(p, error);
	if (status)
		return status;
	p->sample_row = p->container.header.section_count;
	for (uint32_t i = 0; i < p->container.header.section_count && !status; i++)
		status = pkg_section_open(p, i, error);
	if (!status)
		status = package_verify(p, error);
	return status;
}

static struct pkg *package_create(const char *name)
{
	struct pkg *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->path = strdup(name);
	if (!p->path || pthread_mutex_init(&p->sample_lock, NULL)) {
		free(p->path);
		free(p);
		return NULL;
	}
	return p;
}

ptowsp_status pkg_open_memory(struct pkg **package_out, const void *bytes, size_t size, const char *name, const struct pkg_limits *limits,
			      struct ptowsp_error *error)
{
	struct pkg *p = package_create(name);
	ptowsp_status status;

	*package_out = NULL;
	if (!p)
		return pkg_fail(error, PTOWSP_NO_MEMORY, "%s: out of memory", name);
	status = package_read(p, bytes, size, limits, error);
	if (status)
		pkg_close(p);
	else
		*package_out = p;
	return status;
}

/* The most that is read of a file: what the header says and one byte more than may follow, so that trailing bytes are seen, but
 * never more than sections within the limits can need. A file whose header is not a package's is read no further. */
static size_t file_limit(const uint8_t *head, size_t size, uint64_t total_bytes)
{
	uint64_t capped = total_bytes < UINT64_C(1) << 60 ? total_bytes : UINT64_C(1) << 60;
	uint64_t most = capped + capped / 128 + PKG_HEADER_LIMIT + 1024 * PKG_SECTION_LIMIT;
	struct pkg_header header;
	uint32_t frame;

	if (size < PKG_FRAME_HEAD + sizeof(header))
		return size;
	memcpy(&frame, head, sizeof(frame));
	memcpy(&header, head + PKG_FRAME_HEAD, sizeof(header));
	if (frame != PKG_HEADER_FRAME || memcmp(header.magic, PKG_MAGIC, sizeof(header.magic)))
		return size;
	if (header.total_size < most)
		most = header.total_size;
	return (size_t)most + PKG_FRAME_HEAD + PKG_SIGNATURE_LIMIT + 1;
}

/* A file being read. */
struct stream {
	FILE *file;
	const char *path;
	uint8_t *bytes; /* owned */
	size_t size, room;
};

/* Reads in growing steps, so that a header that lies about its size costs no memory. */
static ptowsp_status stream_read(struct stream *s, const struct pkg_caps *caps, struct ptowsp_error *error)
{
	const size_t head = PKG_FRAME_HEAD + sizeof(struct pkg_header);
	size_t limit = head, got = 1;

	while (got && s->size < limit) {
		if (s->size == s->room) {
			size_t room = !s->room ? head : s->room > limit / 2 ? limit : s->room * 2;
			uint8_t *bytes = realloc(s->bytes, room);

			if (!bytes)
				return pkg_fail(error, PTOWSP_NO_MEMORY, "%s: out of memory", s->path);
			s->bytes = bytes;
			s->room = room;
		}
		got = fread(s->bytes + s->size, 1, s->room - s->size, s->file);
		s->size += got;
		if (got && s->size == head)
			limit = file_limit(s->bytes, head, caps->total_bytes);
	}
	if (ferror(s->file))
		return pkg_fail_errno(error, s->path, "cannot be read");
	return PTOWSP_OK;
}

ptowsp_status pkg_open(struct pkg **package_out, const char *path, const struct pkg_limits *limits, struct ptowsp_error *error)
{
	const struct pkg_caps caps = caps_of(limits);
	struct stream s = {.path = path};
	uint64_t size;
	int fd;
	ptowsp_status status = pkg_file_open(AT_FDCWD, path, path, UINT64_MAX, &fd, &size, error);

	*package_out = NULL;
	if (status)
		return status;
	s.file = fdopen(fd, "rb");
	if (s.file) {
		status = stream_read(&s, &caps, error);
		fclose(s.file);
	} else {
		status = pkg_fail(error, PTOWSP_NO_MEMORY, "no memory to read %.160s", path);
		close(fd);
	}
	if (!status)
		status = pkg_open_memory(package_out, s.bytes, s.size, path, limits, error);
	if (status)
		free(s.bytes);
	else
		(*package_out)->file = s.bytes;
	return status;
}

void pkg_close(struct pkg *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; i < PKG_SECTION_LIMIT; i++) {
		free(p->data[i]);
		free(p->native[i]);
	}
	pthread_mutex_destroy(&p->sample_lock);
	free(p->file);
	free(p->path);
	free(p);
}

const struct pkg_tables *pkg_tables(const struct pkg *package)
{
	return &package->tables;
}

const char *pkg_meta(const struct pkg *package, const char *key)
{
	const struct pkg_tables *t = &package->tables;

	for (uint32_t i = 0; i < t->meta_count; i++)
		if (!strcmp(pkg_string(t, t->meta[i].key), key))
			return pkg_string(t, t->meta[i].value);
	return NULL;
}

const char *pkg_name(const struct pkg *package)
{
	const char *name = pkg_meta(package, "name"), *slash = strrchr(package->path, '/');

	if (name && *name)
		return name;
	return slash ? slash + 1 : package->path;
}

const uint8_t *pkg_digest(const struct pkg *package)
{
	return package->identity;
}

const uint8_t *pkg_header_digest(const struct pkg *package)
{
	return package->container.header.digest;
}

uint32_t pkg_signatures(const struct pkg *package, struct pkg_signature *rows_out)
{
	memcpy(rows_out, package->signatures, package->signature_count * sizeof(*rows_out));
	return package->signature_count;
}

const char *const *pkg_targets(const struct pkg *package, uint32_t *count)
{
	*count = package->container.header.target_count;
	return package->container.targets;
}

const struct ptowsp_section *pkg_sections(const struct pkg *package, uint32_t *count)
{
	*count = package->section_count;
	return package->sections;
}

/* TBLB, decoded and compared with its digests by whoever asks first. */
static ptowsp_status samples_open(struct pkg *p, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	pthread_mutex_lock(&p->sample_lock);
	if (!p->data[p->sample_row])
		status = pkg_container_section(&p->container, p->sample_row, &p->data[p->sample_row], error);
	pthread_mutex_unlock(&p->sample_lock);
	return status;
}

ptowsp_status pkg_sample_bytes(struct pkg *package, uint32_t row, const void **bytes_out, uint64_t *size_out, struct ptowsp_error *error)
{
	const struct ptowsp_sample_record *sample = &package->tables.sample[row];
	ptowsp_status status = PTOWSP_OK;

	assert(row < package->tables.sample_count);
	*bytes_out = "";
	*size_out = sample->size;
	if (sample->size)
		status = samples_open(package, error);
	if (!status && sample->size)
		*bytes_out = package->data[package->sample_row] + sample->offset;
	return status;
}

ptowsp_status pkg_sample_section(struct pkg *package, const void **bytes_out, uint64_t *size_out, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	*bytes_out = "";
	*size_out = sample_size(package);
	if (package->sample_row == package->container.header.section_count)
		return status;
	status = samples_open(package, error);
	if (!status)
		*bytes_out = package->data[package->sample_row];
	return status;
}

int pkg_content(const struct pkg *package, uint32_t index, struct pkg_content *content_out)
{
	const struct pkg_toc_row *row = &package->container.rows[index];

	if (index >= package->container.header.section_count)
		return 0;
	*content_out = (struct pkg_content){row->type, row->flags & PKG_SECTION_REQUIRED, row->stride, row->count, row->size, row->packed_size, row->digest};
	return 1;
}

const char *pkg_abi(const struct pkg *package)
{
	return package->container.header.abi;
}

uint64_t pkg_file_size(const struct pkg *package)
{
	return package->container.size;
}

const char *pkg_path(const struct pkg *package)
{
	return package->path;
}

const char *pkg_notice(const struct pkg *package, uint32_t index)
{
	return index < package->notice_count ? package->notices[index] : NULL;
}

uint32_t pkg_row_named(const struct pkg_tables *t, const void *rows, size_t size, uint32_t count, const char *name, size_t length)
{
	const uint64_t id = ptowsp_id(name, length);
	struct {
		uint64_t id;
		uint32_t name;
	} row;

	for (uint32_t low = 0, high = count; low < high;) {
		const uint32_t middle = low + (high - low) / 2;

		memcpy(&row, (const char *)rows + middle * size, sizeof(row.id) + sizeof(row.name));
		if (row.id == id)
			return !strncmp(pkg_string(t, row.name), name, length) && !pkg_string(t, row.name)[length] ? middle : PTOWSP_NONE;
		*(row.id < id ? &low : &high) = row.id < id ? middle + 1 : middle;
	}
	return PTOWSP_NONE;
}
