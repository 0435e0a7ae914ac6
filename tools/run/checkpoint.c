/* SPDX-License-Identifier: MIT */
#include "tools/run/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/format_digest.h"
#include "format/format_file.h"
#include "registry/common/common_dtype.h"
#include "registry/text.h"

/* ---- reading --------------------------------------------------------------------------------------------------- */

struct checkpoint_row checkpoint_row_at(const struct checkpoint *checkpoint, uint32_t index)
{
	struct checkpoint_row row;

	memcpy(&row, checkpoint->rows + (size_t)index * sizeof(row), sizeof(row));
	return row;
}

/* NULL, or what is wrong with a row. */
static const char *row_wrong(const struct checkpoint *c, const struct checkpoint_row *row)
{
	const struct common_dtype *dtype = common_dtype(row->dtype);

	if (row->checkpoint >= c->header.names_size || row->tensor >= c->header.names_size)
		return "has its name outside of the names";
	if (!dtype || row->reserved[0] || row->reserved[1] || row->reserved[2])
		return "has an unknown element type";
	if (row->offset > c->header.data_size || row->elements > (c->header.data_size - row->offset) / dtype->bytes)
		return "has its content outside of the file";
	return NULL;
}

static ptowsp_status rows_check(const struct checkpoint *c, const char *name, struct ptowsp_error *error)
{
	for (uint32_t i = 0; i < c->header.rows; i++) {
		const struct checkpoint_row row = checkpoint_row_at(c, i);
		const char *wrong = row_wrong(c, &row);

		if (wrong)
			return reg_fail(error, PTOWSP_INVALID, "checkpoint %.200s: row %u %s", name, i, wrong);
	}
	return PTOWSP_OK;
}

/* The parts lie one behind the other and fill the file. */
static ptowsp_status parts_find(struct checkpoint *c, const uint8_t *bytes, size_t size, const char *name, struct ptowsp_error *error)
{
	uint64_t room = size - sizeof(c->header) - CHECKPOINT_DIGEST, rows = (uint64_t)c->header.rows * sizeof(struct checkpoint_row);

	if (c->header.reserved || rows > room || c->header.names_size > room - rows || c->header.data_size != room - rows - c->header.names_size)
		return reg_fail(error, PTOWSP_INVALID, "checkpoint %.200s: its header tells of other sizes than the %zu bytes of the file", name, size);
	c->rows = bytes + sizeof(c->header);
	c->names = (const char *)c->rows + rows;
	c->data = (const uint8_t *)c->names + c->header.names_size;
	if (!c->header.names_size || c->names[c->header.names_size - 1] || c->header.entry >= c->header.names_size)
		return reg_fail(error, PTOWSP_INVALID, "checkpoint %.200s: its names do not end, or lack the entry's", name);
	return rows_check(c, name, error);
}

static ptowsp_status seal_check(const uint8_t *bytes, size_t size, const char *name, struct ptowsp_error *error)
{
	uint8_t digest[PKG_DIGEST_SIZE];

	if (!pkg_digest_make(digest, bytes, size - sizeof(digest)))
		return reg_fail(error, PTOWSP_NO_MEMORY, "no memory for a digest");
	if (memcmp(digest, bytes + size - sizeof(digest), sizeof(digest)) != 0)
		return reg_fail(error, PTOWSP_INVALID, "checkpoint %.200s is damaged: its content does not have the digest at its end; write it again", name);
	return PTOWSP_OK;
}

ptowsp_status checkpoint_parse(struct checkpoint *out, const void *bytes, size_t size, unsigned flags, const char *name, struct ptowsp_error *error)
{
	struct checkpoint c = {0};
	ptowsp_status status = PTOWSP_OK;

	*out = c;
	if (size >= sizeof(c.header))
		memcpy(&c.header, bytes, sizeof(c.header));
	if (size < sizeof(c.header) + CHECKPOINT_DIGEST || c.header.magic != CHECKPOINT_MAGIC)
		return reg_fail(error, PTOWSP_INVALID, "%.200s is no checkpoint; ptowsp-run --checkpoint=FILE writes one", name);
	if (c.header.version != CHECKPOINT_VERSION)
		return reg_fail(error, PTOWSP_INVALID, "checkpoint %.200s has version %u, this program reads version %u", name, c.header.version,
				CHECKPOINT_VERSION);
	if (!(flags & CHECKPOINT_UNSEALED))
		status = seal_check(bytes, size, name, error);
	if (!status)
		status = parts_find(&c, bytes, size, name, error);
	if (!status)
		*out = c;
	return status;
}

/* The magic number of a checkpoint is looked at before the rest of the file takes memory. */
static ptowsp_status bytes_read(int fd, const char *path, uint64_t size, void **bytes_out, struct ptowsp_error *error)
{
	uint32_t magic = 0;

	*bytes_out = NULL;
	if (pread(fd, &magic, sizeof(magic), offsetof(struct checkpoint_header, magic)) != sizeof(magic) || magic != CHECKPOINT_MAGIC)
		return reg_fail(error, PTOWSP_INVALID, "%.200s is no checkpoint; ptowsp-run --checkpoint=FILE writes one", path);
	return pkg_file_read(fd, path, size, bytes_out, error);
}

ptowsp_status checkpoint_read(struct checkpoint *out, const char *path, struct ptowsp_error *error)
{
	void *bytes = NULL;
	char name[224];
	uint64_t size;
	ptowsp_status status;
	int fd;

	memset(out, 0, sizeof(*out));
	snprintf(name, sizeof(name), "checkpoint %.200s", path);
	status = pkg_file_open(AT_FDCWD, path, name, UINT64_MAX, &fd, &size, error);
	if (status)
		return status;
	status = bytes_read(fd, path, size, &bytes, error);
	close(fd);
	if (!status)
		status = checkpoint_parse(out, bytes, (size_t)size, 0, path, error);
	if (status)
		free(bytes);
	else
		out->bytes = bytes;
	return status;
}

void checkpoint_finish(struct checkpoint *checkpoint)
{
	free(checkpoint->bytes);
	memset(checkpoint, 0, sizeof(*checkpoint));
}

/* ---- writing --------------------------------------------------------------------------------------------------- */

static uint32_t name_put(char *names, uint32_t *at, const char *name)
{
	uint32_t place = *at;

	memcpy(names + place, name, strlen(name) + 1);
	*at += (uint32_t)strlen(name) + 1;
	return place;
}

static void fill(uint8_t *bytes, struct checkpoint_header *header, const char *entry, const struct checkpoint_item *items, uint32_t count)
{
	uint8_t *rows = bytes + sizeof(*header);
	char *names = (char *)rows + (size_t)count * sizeof(struct checkpoint_row);
	uint8_t *data = (uint8_t *)names + header->names_size;
	uint64_t offset = 0;
	uint32_t at = 0;

	header->entry = name_put(names, &at, entry);
	for (uint32_t i = 0; i < count; i++) {
		const struct checkpoint_item *item = &items[i];
		struct checkpoint_row row = {.dtype = item->dtype, .elements = item->elements, .offset = offset};
		uint64_t size = item->elements * common_dtype(item->dtype)->bytes;

		row.checkpoint = name_put(names, &at, item->checkpoint);
		row.tensor = name_put(names, &at, item->tensor);
		memcpy(rows + (size_t)i * sizeof(row), &row, sizeof(row));
		if (size)
			memcpy(data + offset, item->data, (size_t)size);
		offset += size;
	}
	memcpy(bytes, header, sizeof(*header));
}

ptowsp_status checkpoint_write(FILE *file, const uint8_t package[CHECKPOINT_DIGEST], const char *entry, const struct checkpoint_item *items, uint32_t count,
			       struct ptowsp_error *error)
{
	struct checkpoint_header header = {.magic = CHECKPOINT_MAGIC, .version = CHECKPOINT_VERSION, .rows = count};
	uint64_t names = strlen(entry) + 1, size;
	uint8_t *bytes;
	ptowsp_status status = PTOWSP_OK;

	memcpy(header.package, package, sizeof(header.package));
	for (uint32_t i = 0; i < count; i++) {
		names += strlen(items[i].checkpoint) + strlen(items[i].tensor) + 2;
		header.data_size += items[i].elements * common_dtype(items[i].dtype)->bytes; /* tensors that are in memory */
	}
	header.names_size = (uint32_t)names; /* of names in a package: far below its limit */
	size = sizeof(header) + (uint64_t)count * sizeof(struct checkpoint_row) + names + header.data_size;
	bytes = calloc(1, (size_t)size + CHECKPOINT_DIGEST);
	if (!bytes)
		return reg_fail(error, PTOWSP_NO_MEMORY, "no memory for a checkpoint of %llu bytes", (unsigned long long)size);
	fill(bytes, &header, entry, items, count);
	if (!pkg_digest_make(bytes + size, bytes, (size_t)size))
		status = reg_fail(error, PTOWSP_NO_MEMORY, "no memory for a digest");
	else if (fwrite(bytes, 1, (size_t)size + CHECKPOINT_DIGEST, file) != size + CHECKPOINT_DIGEST)
		status = reg_fail(error, PTOWSP_IO, "a checkpoint cannot be written: %s", strerror(errno));
	free(bytes);
	return status;
}
