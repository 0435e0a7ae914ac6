/* SPDX-License-Identifier: MIT */
/* key.c - keys as text. */
#include "key.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

static const char *const begins[] = {"ptowsp public key 1 ", "ptowsp secret key 1 "};
#define BEGIN 20u /* bytes of each */
#define DIGITS (2 * PKG_KEY_SIZE)

void pkg_key_write(char text_out[PKG_KEY_TEXT], enum pkg_key_kind kind, const uint8_t key[PKG_KEY_SIZE])
{
	memcpy(text_out, begins[kind], BEGIN);
	sodium_bin2hex(text_out + BEGIN, DIGITS + 1, key, PKG_KEY_SIZE);
	memcpy(text_out + BEGIN + DIGITS, "\n", 2);
}

const char *pkg_key_read(uint8_t key_out[PKG_KEY_SIZE], enum pkg_key_kind kind, const void *bytes, size_t size)
{
	const char *text = bytes;
	size_t length = 0;

	if (size >= BEGIN && !memcmp(text, begins[!kind], BEGIN))
		return kind == PKG_KEY_PUBLIC ? "is a secret key; the public one is in the file with .pub" : "is a public key; the secret one signs";
	if (size != BEGIN + DIGITS + 1 || memcmp(text, begins[kind], BEGIN) != 0 || text[size - 1] != '\n')
		return kind == PKG_KEY_PUBLIC ? "is no public key of ptowsp" : "is no secret key of ptowsp; ptowsp-pack --make-key makes one";
	for (size_t i = BEGIN; i < BEGIN + DIGITS; i++) /* libsodium takes A-F, too */
		if (!((text[i] >= '0' && text[i] <= '9') || (text[i] >= 'a' && text[i] <= 'f')))
			return "has digits that are not 0-9 and a-f";
	if (sodium_hex2bin(key_out, PKG_KEY_SIZE, text + BEGIN, DIGITS, NULL, &length, NULL) || length != PKG_KEY_SIZE)
		return "has digits that are not 0-9 and a-f";
	return NULL;
}

ptowsp_status pkg_key_make(uint8_t seed_out[PKG_KEY_SIZE], uint8_t public_out[PKG_KEY_SIZE], struct ptowsp_error *error)
{
	unsigned char secret[crypto_sign_SECRETKEYBYTES];
	bool made = sodium_init() >= 0;

	if (made)
		randombytes_buf(seed_out, PKG_KEY_SIZE);
	made = made && !crypto_sign_seed_keypair(public_out, secret, seed_out);
	sodium_memzero(secret, sizeof(secret));
	return made ? PTOWSP_OK : pkg_fail(error, PTOWSP_NO_MEMORY, "libsodium has no random numbers on this machine");
}

void pkg_key_id(char id_out[PKG_KEY_ID], const uint8_t key[PKG_KEY_SIZE])
{
	uint8_t digest[PKG_DIGEST_SIZE];

	id_out[0] = 0;
	if (pkg_digest_make(digest, key, PKG_KEY_SIZE))
		sodium_bin2hex(id_out, PKG_KEY_ID, digest, (PKG_KEY_ID - 1) / 2);
}
