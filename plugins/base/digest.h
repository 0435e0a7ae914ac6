/* SPDX-License-Identifier: MIT */
/* digest.h - 128 bits that change when a file does: what a cache is named after. No cryptography: nobody gains by making two files collide. */
#ifndef BASE_DIGEST_H
#define BASE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct base_digest {
	uint64_t words[2];
};
void base_digest_init(struct base_digest *digest);
void base_digest_add(struct base_digest *digest, const void *bytes, size_t size);
/* Names below the folder and contents of its .h, .hpp and .cpp files, at any depth, in order of names. False: there is no such folder. */
bool base_digest_folder(struct base_digest *digest, const char *path);

#endif
