/* SPDX-License-Identifier: MIT */
/* key.h - keys of Ed25519 as the text of a file: one line, what it is and 64 hexadecimal digits. */
#ifndef FORMAT_KEY_H
#define FORMAT_KEY_H

#include "format_signature.h"

enum pkg_key_kind { PKG_KEY_PUBLIC, PKG_KEY_SECRET };

#define PKG_KEY_TEXT 96u /* bytes that hold such a line and its NUL */

/* "ptowsp public key 1 HEX\n" or "ptowsp secret key 1 HEX\n". */
void pkg_key_write(char text_out[PKG_KEY_TEXT], enum pkg_key_kind kind, const uint8_t key[PKG_KEY_SIZE]);
/* Any bytes. NULL, or what is wrong with them, to stand behind a file's name: they must be exactly what pkg_key_write makes. Any thread. */
const char *pkg_key_read(uint8_t key_out[PKG_KEY_SIZE], enum pkg_key_kind kind, const void *bytes, size_t size);
/* A fresh pair. seed: the secret key. Errors: NO_MEMORY without random numbers. */
ptowsp_status pkg_key_make(uint8_t seed_out[PKG_KEY_SIZE], uint8_t public_out[PKG_KEY_SIZE], struct ptowsp_error *error);
/* What a public key is called in messages: the first 8 bytes of its SHA-256. Empty without memory. */
void pkg_key_id(char id_out[PKG_KEY_ID], const uint8_t key[PKG_KEY_SIZE]);

#endif
