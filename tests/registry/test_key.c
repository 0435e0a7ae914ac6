/* SPDX-License-Identifier: MIT
 * test_key.c - keys: no two are the same, what is written is read again, and what is no key is refused. */
#include "format/format_signature.h"
#include "tests/check.h"

#include <stdio.h>
#include <string.h>

TEST(keys_are_random_and_make_their_public_half)
{
	uint8_t seed[2][PKG_KEY_SIZE] = {{0}}, public[2][PKG_KEY_SIZE] = {{0}};
	static const uint8_t zeros[PKG_KEY_SIZE];

	for (int i = 0; i < 2; i++) {
		REQUIRE_INT(pkg_key_make(seed[i], public[i], NULL), PTOWSP_OK);
		CHECK(memcmp(seed[i], zeros, sizeof(zeros)) != 0);
		CHECK(memcmp(public[i], zeros, sizeof(zeros)) != 0);
	}
	CHECK(memcmp(seed[0], seed[1], PKG_KEY_SIZE) != 0);
	CHECK(memcmp(public[0], public[1], PKG_KEY_SIZE) != 0);
	CHECK(memcmp(seed[0], public[0], PKG_KEY_SIZE) != 0);
}

TEST(keys_are_read_as_they_were_written)
{
	uint8_t key[PKG_KEY_SIZE], again[PKG_KEY_SIZE];
	char text[PKG_KEY_TEXT];

	for (int kind = 0; kind < 2; kind++) {
		for (unsigned i = 0; i < PKG_KEY_SIZE; i++)
			key[i] = (uint8_t)(i * 37 + 9);
		memset(again, 0, sizeof(again));
		pkg_key_write(text, kind, key);
		CHECK_UINT(strlen(text), 20 + 2 * PKG_KEY_SIZE + 1);
		CHECK(pkg_key_read(again, kind, text, strlen(text)) == NULL);
		CHECK(!memcmp(key, again, sizeof(key)));
		CHECK_CONTAINS(pkg_key_read(again, !kind, text, strlen(text)), kind == PKG_KEY_PUBLIC ? "is a public key" : "is a secret key");
	}
}

/* Each byte of a key changed: its digits, its words, its end; and one byte more or less. */
TEST(what_is_no_key_is_refused)
{
	static const char wrong[] = "gG/:`@A F\n";
	uint8_t key[PKG_KEY_SIZE] = {1, 2, 3}, again[PKG_KEY_SIZE];
	char text[PKG_KEY_TEXT], other[PKG_KEY_TEXT + 1];
	size_t length;

	pkg_key_write(text, PKG_KEY_PUBLIC, key);
	length = strlen(text);
	for (size_t at = 0; at < length; at++)
		for (const char *c = wrong; *c; c++) {
			memcpy(other, text, length);
			other[at] = *c;
			if (*c != text[at])
				CHECK(pkg_key_read(again, PKG_KEY_PUBLIC, other, length) != NULL);
		}
	CHECK_CONTAINS(pkg_key_read(again, PKG_KEY_PUBLIC, text, length - 1), "is no public key of ptowsp");
	snprintf(other, sizeof(other), "%s\n", text);
	CHECK_CONTAINS(pkg_key_read(again, PKG_KEY_PUBLIC, other, length + 1), "is no public key of ptowsp");
	CHECK_CONTAINS(pkg_key_read(again, PKG_KEY_SECRET, "", 0), "is no secret key of ptowsp; ptowsp-pack --make-key makes one");
	memcpy(other, text, length);
	other[20] = 'A';
	CHECK_STR(pkg_key_read(again, PKG_KEY_PUBLIC, other, length), "has digits that are not 0-9 and a-f");
}

TEST(keys_have_short_names)
{
	uint8_t key[PKG_KEY_SIZE] = {0};
	char one[PKG_KEY_ID], other[PKG_KEY_ID];

	pkg_key_id(one, key);
	key[PKG_KEY_SIZE - 1] = 1;
	pkg_key_id(other, key);
	CHECK_UINT(strlen(one), PKG_KEY_ID - 1);
	CHECK(strcmp(one, other) != 0);
	CHECK(strspn(one, "0123456789abcdef") == PKG_KEY_ID - 1);
}
