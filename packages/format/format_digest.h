/* SPDX-License-Identifier: MIT */
/* format_digest.h - SHA-256, by libcrypto, which uses the CPU's own instructions. */
#ifndef FORMAT_DIGEST_H
#define FORMAT_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PKG_DIGEST_SIZE 32

/* 1, or 0 without memory; digest_out is then zero. */
bool pkg_digest_make(uint8_t digest_out[PKG_DIGEST_SIZE], const void *bytes, size_t size);

/* Digest of bytes whose own 32 bytes at `hole` count as zero; hole + 32 <= size. 1, or 0 without memory. */
int pkg_digest_make_around(uint8_t digest_out[PKG_DIGEST_SIZE], const void *bytes, size_t size, size_t hole);

#endif
