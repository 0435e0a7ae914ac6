/* SPDX-License-Identifier: MIT */
/* digest.h - 128 bits that change when a file does: what a cache is named after. No cryptography: nobody gains by making two files collide. */
#ifndef ASCEND_DIGEST_H
#define ASCEND_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ascend_digest {
	uint64_t words[2];
};
void ascend_digest_init(struct ascend_digest *digest);
void ascend_digest_add(struct ascend_digest *digest, const void *bytes, size_t size);
/* Names below the folder and contents of its .h, .hpp and .cpp files, at any depth, in order of names. False: there is no such folder. */
bool ascend_digest_folder(struct ascend_digest *digest, const char *path);

#endif
