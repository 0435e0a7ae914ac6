/* SPDX-License-Identifier: MIT */
/* fuzz_signature.c - any bytes as what decides about trust, by their first byte: rows of signatures, a public or secret key, a list of plugins. Refused with a sentence, or what
 * was read is written again to the same bytes. */
#include "format/format_signature.h"
#include "host/trust/host_policy.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

bool LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void rows(const uint8_t *data, size_t size)
{
	static const uint8_t digest[PKG_DIGEST_SIZE];
	struct ptowsp_error error = {.code = PTOWSP_OK};
	const struct pkg_place place = {"input", &error};
	struct pkg_signature read[PKG_SIGNATURE_ROWS];
	uint8_t written[PKG_SIGNATURES_MOST];
	uint32_t count;

	if (pkg_signatures_read(read, &count, data, size, &place)) {
		if (count || strncmp(error.text, "input: ", 7))
			abort();
		return;
	}
	if (pkg_signatures_write(written, read, count) != size || memcmp(written, data, size))
		abort();
	for (uint32_t i = 0; i < count; i++)
		if (pkg_plugins_wrong(read[i].plugins) || (i && !memcmp(read[0].key, read[i].key, PKG_KEY_SIZE)))
			abort();
	pkg_signature_holds(&read[0], PKG_SIGNED_PACKAGE, digest);
}

static void key(enum pkg_key_kind kind, const uint8_t *data, size_t size)
{
	uint8_t bytes[PKG_KEY_SIZE];
	char text[PKG_KEY_TEXT];

	if (pkg_key_read(bytes, kind, data, size))
		return;
	pkg_key_write(text, kind, bytes);
	if (strlen(text) != size || memcmp(text, data, size))
		abort();
}

static void list(const uint8_t *data, size_t size)
{
	struct ptowsp_error error = {.code = PTOWSP_OK};
	struct host_listed listed = {0};

	if (host_listed_parse(&listed, (const char *)data, size, "input", &error) && (listed.count || strncmp(error.text, "input: line ", 12)))
		abort();
	for (uint32_t i = 0; i < listed.count; i++)
		if (!host_name_valid(listed.rows[i].name, strlen(listed.rows[i].name)))
			abort();
	host_listed_finish(&listed);
}

bool LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return false;
	if (data[0] == 's')
		rows(data + 1, size - 1);
	else if (data[0] == 'p' || data[0] == 'k')
		key(data[0] == 'p' ? PKG_KEY_PUBLIC : PKG_KEY_SECRET, data + 1, size - 1);
	else
		list(data + 1, size - 1);
	return false;
}
