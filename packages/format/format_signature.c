/* SPDX-License-Identifier: MIT */
/* format_signature.c - rows of signatures as bytes, keys, and Ed25519 over a statement and a digest, by libsodium. */
#include "format/format_signature.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#define MUST(condition, ...) PKG_MUST(place, condition, __VA_ARGS__)

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

const char *pkg_plugins_wrong(const char *plugins)
{
	if (strlen(plugins) >= PKG_PLUGINS_SIZE)
		return "has more than 127 bytes";
	for (const char *at = plugins;; at++) {
		size_t length = 0;

		while (is_name(at[length]))
			length++;
		if (length > 32)
			return "has a name of more than 32 bytes";
		if (!length && *at != '*')
			return "is no list of plugin names (a-z 0-9 _) with commas, NAME* or *";
		at += length + (at[length] == '*');
		if (!*at)
			return NULL;
		if (*at != ',')
			return "is no list of plugin names (a-z 0-9 _) with commas, NAME* or *";
	}
}

bool pkg_plugins_have(const char *plugins, const char *name)
{
	for (const char *at = plugins; *at;) {
		size_t word = strcspn(at, ","), length = word && at[word - 1] == '*' ? word - 1 : word;

		if (!strncmp(at, name, length) && (length < word || !name[length]))
			return true;
		at += word + (at[word] == ',');
	}
	return false;
}

static ptowsp_status row_check(const struct pkg_signature *rows, uint32_t i, const struct pkg_place *place)
{
	const struct pkg_signature *row = &rows[i];
	size_t length = strnlen(row->plugins, sizeof(row->plugins));
	const char *wrong;

	MUST(length < sizeof(row->plugins), "signature %u: its list of plugins does not end", (unsigned)i);
	wrong = pkg_plugins_wrong(row->plugins);
	MUST(!wrong, "signature %u: its list of plugins %s", (unsigned)i, wrong);
	for (; length < sizeof(row->plugins); length++)
		MUST(!row->plugins[length], "signature %u: bytes behind its list of plugins are not zero", (unsigned)i);
	MUST(!row->reserved, "signature %u: reserved bytes are not zero", (unsigned)i);
	MUST(row->abi_major == PTOWSP_ABI_MAJOR, "signature %u: it is for ABI v%u, this build knows v%u", (unsigned)i, row->abi_major, PTOWSP_ABI_MAJOR);
	for (uint32_t k = 0; k < i; k++)
		MUST(memcmp(rows[k].key, row->key, sizeof(row->key)) != 0, "signature %u: signature %u is of the same key", (unsigned)i, (unsigned)k);
	return PTOWSP_OK;
}

ptowsp_status pkg_signatures_read(struct pkg_signature *rows_out, uint32_t *count_out, const void *bytes, size_t size, const struct pkg_place *place)
{
	struct pkg_signature_head head;
	ptowsp_status status = PTOWSP_OK;

	*count_out = 0;
	MUST(size >= sizeof(head), "signatures: %zu bytes are fewer than their head's %zu", size, sizeof(head));
	memcpy(&head, bytes, sizeof(head));
	MUST(!memcmp(head.magic, PKG_SIGNATURE_MAGIC, sizeof(head.magic)), "signatures: they do not begin with PTWSSIG");
	MUST(head.version == PKG_SIGNATURE_VERSION, "signatures: version %u, this build knows %u; use a newer ptowsp", head.version, PKG_SIGNATURE_VERSION);
	MUST(head.stride == sizeof(*rows_out), "signatures: rows of %u bytes, version 1 has %zu", (unsigned)head.stride, sizeof(*rows_out));
	MUST(head.count >= 1 && head.count <= PKG_SIGNATURE_ROWS, "signatures: %u rows, allowed are 1 to %u", head.count, PKG_SIGNATURE_ROWS);
	MUST(size == sizeof(head) + head.count * sizeof(*rows_out), "signatures: %u rows have %zu bytes with their head, here are %zu", head.count,
	     sizeof(head) + head.count * sizeof(*rows_out), size);
	memcpy(rows_out, (const uint8_t *)bytes + sizeof(head), head.count * sizeof(*rows_out));
	for (uint32_t i = 0; i < head.count && !status; i++)
		status = row_check(rows_out, i, place);
	if (!status)
		*count_out = head.count;
	return status;
}

size_t pkg_signatures_write(void *bytes_out, const struct pkg_signature *rows, uint32_t count)
{
	struct pkg_signature_head head = {.version = PKG_SIGNATURE_VERSION, .count = (uint16_t)count, .stride = sizeof(*rows)};

	memcpy(head.magic, PKG_SIGNATURE_MAGIC, sizeof(head.magic));
	memcpy(bytes_out, &head, sizeof(head));
	memcpy((uint8_t *)bytes_out + sizeof(head), rows, count * sizeof(*rows));
	return sizeof(head) + count * sizeof(*rows);
}

bool pkg_signatures_put(struct pkg_signature *rows, uint32_t *count, const struct pkg_signature *row)
{
	uint32_t i = 0;

	while (i < *count && memcmp(rows[i].key, row->key, sizeof(row->key)) != 0)
		i++;
	if (i == PKG_SIGNATURE_ROWS)
		return false;
	rows[i] = *row;
	*count += i == *count;
	return true;
}

/* The bytes that are signed: which kind of thing, its digest, and the row behind its signature. All of it has one length, so nothing can be read in two ways. */
struct statement {
	char kind[32];
	uint8_t digest[PKG_DIGEST_SIZE];
	uint8_t row[sizeof(struct pkg_signature) - sizeof(((struct pkg_signature *)NULL)->signature)];
};

static struct statement statement_make(const struct pkg_signature *row, enum pkg_signed what, const uint8_t *digest)
{
	struct statement s = {0};

	strcpy(s.kind, what == PKG_SIGNED_PACKAGE ? "ptowsp package signature 1" : "ptowsp plugin signature 1");
	memcpy(s.digest, digest, sizeof(s.digest));
	memcpy(s.row, (const uint8_t *)row + sizeof(row->signature), sizeof(s.row));
	return s;
}

ptowsp_status pkg_signature_make(struct pkg_signature *row, enum pkg_signed what, const uint8_t digest[PKG_DIGEST_SIZE], const uint8_t seed[PKG_KEY_SIZE],
				 struct ptowsp_error *error)
{
	unsigned char secret[crypto_sign_SECRETKEYBYTES];
	struct statement statement;
	bool made = sodium_init() >= 0 && !crypto_sign_seed_keypair(row->key, secret, seed);

	statement = statement_make(row, what, digest);
	made = made && !crypto_sign_detached(row->signature, NULL, (const unsigned char *)&statement, sizeof(statement), secret);
	sodium_memzero(secret, sizeof(secret));
	return made ? PTOWSP_OK : pkg_fail(error, PTOWSP_NO_MEMORY, "libsodium cannot sign on this machine");
}

bool pkg_signature_holds(const struct pkg_signature *row, enum pkg_signed what, const uint8_t digest[PKG_DIGEST_SIZE])
{
	struct statement statement = statement_make(row, what, digest);

	return sodium_init() >= 0 && !crypto_sign_verify_detached(row->signature, (const unsigned char *)&statement, sizeof(statement), row->key);
}

/* ---- keys as text. ---- */

static const char *const begins[] = {"ptowsp public key 1 ", "ptowsp secret key 1 "};
#define BEGIN  20u /* bytes of each */
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
