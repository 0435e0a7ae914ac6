/* SPDX-License-Identifier: MIT */
/* format_signature.h - who vouches for a package or a plugin: rows of Ed25519 signatures, in the last frame of a package or in the file PLUGIN.sig. */
#ifndef FORMAT_SIGNATURE_H
#define FORMAT_SIGNATURE_H

#include "format/fail.h"
#include "format/format_digest.h"
#include "format/format_signature.h"

#include <stdbool.h>

#define PKG_SIGNATURE_MAGIC   "PTWSSIG\x1a" /* 8 bytes, without the NUL */
#define PKG_SIGNATURE_VERSION 1u
#define PKG_SIGNATURE_ROWS    16u
#define PKG_KEY_SIZE          32u
#define PKG_KEY_ID            17u /* 16 hexadecimal digits and a NUL */
#define PKG_PLUGINS_SIZE      128u

/* Both records are stored as they are here, little-endian. */
struct pkg_signature_head {
	char magic[8];
	uint16_t version, count; /* count: 1 to PKG_SIGNATURE_ROWS */
	uint32_t stride;         /* bytes per row */
};
struct pkg_signature {
	uint8_t signature[64];
	uint8_t key[PKG_KEY_SIZE];      /* public key of who signed; each once */
	uint64_t expires;               /* seconds since 1970 in UTC from which on it is not valid any more, 0: none */
	uint16_t abi_major, abi_minor;  /* the least ABI that host and plugin speak together */
	uint32_t reserved;              /* 0 */
	char plugins[PKG_PLUGINS_SIZE]; /* whom it is for: names of plugins with commas, NAME* for all that begin so; zeros behind it */
};
_Static_assert(sizeof(struct pkg_signature_head) == 16 && sizeof(struct pkg_signature) == 240, "layout of signatures");
#define PKG_SIGNATURES_MOST (sizeof(struct pkg_signature_head) + PKG_SIGNATURE_ROWS * sizeof(struct pkg_signature))

/* The thing that is signed; neither passes for the other. */
enum pkg_signed { PKG_SIGNED_PACKAGE, PKG_SIGNED_PLUGIN };

/* Any bytes as rows; says nothing about whether they hold. rows_out has PKG_SIGNATURE_ROWS. Errors: BAD_PACKAGE with the rule. Any thread, no memory. */
ptowsp_status pkg_signatures_read(struct pkg_signature *rows_out, uint32_t *count_out, const void *bytes, size_t size, const struct pkg_place *place);
/* bytes_out has PKG_SIGNATURES_MOST; returns how many are used. count: 1 to PKG_SIGNATURE_ROWS. */
size_t pkg_signatures_write(void *bytes_out, const struct pkg_signature *rows, uint32_t count);
/* Puts the row in the place of that of the same key, else behind the others. false: there are PKG_SIGNATURE_ROWS of others. */
bool pkg_signatures_put(struct pkg_signature *rows, uint32_t *count, const struct pkg_signature *row);

/* NULL, or the rule that a list of plugins breaks. */
const char *pkg_plugins_wrong(const char *plugins);
/* Is a plugin of that name among them? plugins holds. */
bool pkg_plugins_have(const char *plugins, const char *name);

/* Signs: row's statement (expires, abi, plugins) and what the digest is of. seed: the secret key, 32 bytes. Fills key and signature. The same each time. */
ptowsp_status pkg_signature_make(struct pkg_signature *row, enum pkg_signed what, const uint8_t digest[PKG_DIGEST_SIZE], const uint8_t seed[PKG_KEY_SIZE],
				 struct ptowsp_error *error);
/* Is it the signature of its key over its statement and this digest? The key's owner is not known here. Any thread. */
bool pkg_signature_holds(const struct pkg_signature *row, enum pkg_signed what, const uint8_t digest[PKG_DIGEST_SIZE]);

/* --- keys of Ed25519 as the text of a file: one line, what it is and 64 hexadecimal digits. --- */

enum pkg_key_kind { PKG_KEY_PUBLIC, PKG_KEY_SECRET };

#define PKG_KEY_TEXT 96u /* bytes that hold such a line and its NUL */

/* "ptowsp public key 1 HEX\n" or "ptowsp secret key 1 HEX\n". */
void pkg_key_write(char text_out[PKG_KEY_TEXT], enum pkg_key_kind kind, const uint8_t key[PKG_KEY_SIZE]);
/* Any bytes. NULL, or what is wrong with them, to stand behind a file's name: they must be exactly what pkg_key_write makes. Any thread. */
const char *pkg_key_read(uint8_t key_out[PKG_KEY_SIZE], enum pkg_key_kind kind, const void *bytes, size_t size);
/* A fresh pair. seed: the secret key. Errors: NO_MEMORY without random numbers. */
ptowsp_status pkg_key_make(uint8_t seed_out[PKG_KEY_SIZE], uint8_t public_out[PKG_KEY_SIZE], struct ptowsp_error *error);
/* The name of a public key in messages: the first 8 bytes of its SHA-256. Empty without memory. */
void pkg_key_id(char id_out[PKG_KEY_ID], const uint8_t key[PKG_KEY_SIZE]);

#endif
