/* SPDX-License-Identifier: MIT */
/* fuzz_json.c - any text as a package's JSON form: refused with a sentence, or a package whose own JSON form gives the same
 * bytes again. */
#include "format/json/json.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

bool LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static ptowsp_status seal(const char *text, size_t length, void **bytes_out, size_t *size_out)
{
	struct ptowsp_error error = {.code = PTOWSP_OK};
	struct pkg_writer *writer = pkg_writer_create();
	ptowsp_status status = pkg_from_json(writer, text, length, "input", &error);

	*bytes_out = NULL;
	if (!status)
		status = pkg_writer_seal(writer, bytes_out, size_out, &error);
	if (status && !error.text[0])
		abort();
	pkg_writer_destroy(writer);
	return status;
}

bool LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pkg *package;
	void *bytes, *again;
	size_t length, again_length;
	char *text;

	if (seal((const char *)data, size, &bytes, &length))
		return false;
	if (pkg_open_memory(&package, bytes, length, "sealed", NULL, NULL) || pkg_to_json(package, &text, NULL))
		abort();
	if (seal(text, strlen(text), &again, &again_length) || again_length != length || memcmp(again, bytes, length))
		abort();
	pkg_close(package);
	free(text);
	free(again);
	free(bytes);
	return false;
}
