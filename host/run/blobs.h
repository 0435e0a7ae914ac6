/* SPDX-License-Identifier: MIT */
/* blobs.h - what a plugin has compiled for a program, as the bytes of one file: a header with the key, a row per blob, their contents, and the digest of all of it. */
#ifndef HOST_BLOBS_H
#define HOST_BLOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/format_digest.h"

enum { HOST_BLOBS_NAME = 64 };

struct host_blob {
	const char *name;
	const void *bytes; /* 64-byte aligned where the file is */
	uint64_t size;
};
struct host_blobs {
	struct host_blob *rows; /* owned */
	uint32_t count;
	uint64_t total; /* bytes of all */
};

/* Takes blobs one by one, then makes the file of them. */
struct host_blob_file {
	unsigned char *bytes; /* owned: contents side by side, with what aligns them; after finish the file */
	size_t size, room;
	struct host_blob_row *rows; /* owned */
	uint32_t count, row_room;
	uint64_t total;
	const char *why; /* the rule that a blob broke, or what was not there; NULL: nothing */
};
/* false: it breaks a rule of ptowsp/compiled.h, or there is no memory; file->why says so, and all that follow are refused. */
bool host_blob_file_add(struct host_blob_file *file, const char *name, const void *bytes, uint64_t size);
/* The whole file, in file->bytes. false: no memory. */
bool host_blob_file_seal(struct host_blob_file *file, const uint8_t key[PKG_DIGEST_SIZE]);
void host_blob_file_finish(struct host_blob_file *file);

/* The bytes have the digest that they end with. */
bool host_blobs_sealed(const void *bytes, size_t size);
/* Rows of a file with this key, which refer to its bytes. false: it is another one's, or not such a file, whatever its digest; or there is no memory. */
bool host_blobs_parse(struct host_blobs *out, const void *bytes, size_t size, const uint8_t key[PKG_DIGEST_SIZE]);
void host_blobs_finish(struct host_blobs *blobs);

#endif
