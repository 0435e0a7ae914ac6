/* SPDX-License-Identifier: MIT
 * seal.h - takes a package file apart and seals it again after a change: frames, sizes and digests are right, so that what lies behind
 * the seal is reached. Written from the description of the file alone, on libzstd and libcrypto. */
#ifndef TESTS_CONTRACT_SEAL_H
#define TESTS_CONTRACT_SEAL_H

#include <stddef.h>
#include <stdint.h>

struct seal_row { /* a row of the table of contents, 96 bytes in the file */
	uint32_t type, flags, codec, stride;
	uint64_t offset, packed_size, size, count;
	uint8_t digest[32], packed_digest[16];
};
struct seal_section {
	struct seal_row row;
	uint8_t *data; /* uncompressed, owned */
	size_t size;
};
struct seal {
	uint8_t header[96]; /* magic to digest; fields are changed in place */
	struct seal_section sections[64];
	unsigned count;
	uint8_t *targets; /* owned */
	uint32_t target_bytes;
	/* How seal_write departs from what is right. */
	int no_content_size, no_checksum;
	int keep_header_digest, keep_digests, keep_total;
	const char *packed_digest_wrong; /* type of a section whose digest of packed bytes is not right, NULL for none */
	int level;                       /* of zstd, 0: its own choice */
	int keep_sizes;                  /* size and count of the rows are taken as they are */
};

/* 0, or -1 with a failed check. */
int seal_read(struct seal *seal, const char *path);
int seal_write(struct seal *seal, const char *path);
/* What stands for the content, whatever packed it: the digest that ptowsp-inspect shows. */
void seal_identity(const struct seal *seal, uint8_t digest_out[32]);
void seal_finish(struct seal *seal);
/* Section of a type such as "WORK", NULL if there is none. */
struct seal_section *seal_find(struct seal *seal, const char *type);

#endif
