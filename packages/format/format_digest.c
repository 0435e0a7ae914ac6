/* SPDX-License-Identifier: MIT */
/* format_digest.c - SHA-256 over whole sections and over the header. */
#include "format/format_digest.h"

#include <assert.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <string.h>

bool pkg_digest_make(uint8_t digest_out[PKG_DIGEST_SIZE], const void *bytes, size_t size)
{
	memset(digest_out, 0, PKG_DIGEST_SIZE);
	return EVP_Digest(size ? bytes : "", size, digest_out, NULL, EVP_sha256(), NULL) == 1;
}

int pkg_digest_make_around(uint8_t digest_out[PKG_DIGEST_SIZE], const void *bytes, size_t size, size_t hole)
{
	static const uint8_t zero[PKG_DIGEST_SIZE];
	const uint8_t *from = bytes;
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	size_t behind = hole + PKG_DIGEST_SIZE;
	int done;

	assert(behind <= size);
	memset(digest_out, 0, PKG_DIGEST_SIZE);
	done = context && EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1 && EVP_DigestUpdate(context, from, hole) == 1 &&
	       EVP_DigestUpdate(context, zero, sizeof(zero)) == 1 && EVP_DigestUpdate(context, from + behind, size - behind) == 1 &&
	       EVP_DigestFinal_ex(context, digest_out, NULL) == 1;
	EVP_MD_CTX_free(context);
	return done;
}
