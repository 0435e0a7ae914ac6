/* SPDX-License-Identifier: MIT */
/* fuzz_words.c - any bytes as short texts that stand in packages and on command lines, by their first byte: signatures of functions, what fills a tensor.
 * Refused with a sentence, or what was read is written again to what reads the same. */
#include "ptowsp/ptowsp.h"
#include "registry/signature.h"
#include "tools/run/fill.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

bool LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void refusal(const struct ptowsp_error *error)
{
	if (error->code != PTOWSP_INVALID || !error->text[0] || !memchr(error->text, 0, sizeof(error->text)))
		abort();
}

static void signature(const char *text)
{
	struct ptowsp_error error = {.code = PTOWSP_OK};
	struct reg_signature first, second;
	char printed[REG_SIGNATURE_TEXT], again[REG_SIGNATURE_TEXT];

	if (reg_signature_parse(&first, text, &error)) {
		refusal(&error);
		return;
	}
	reg_signature_print(&first, printed);
	if (first.count > REG_SIGNATURE_ARGUMENTS || reg_signature_parse(&second, printed, &error))
		abort();
	reg_signature_print(&second, again);
	if (strcmp(printed, again))
		abort();
}

static void fill(const char *text, unsigned dtype)
{
	struct ptowsp_error error = {.code = PTOWSP_OK};
	struct fill made;
	uint64_t elements[4];

	if (fill_parse(&made, text, &error))
		refusal(&error);
	else
		fill_write(&made, (uint16_t)dtype, 1, elements, 4);
}

bool LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t types[] = {PTOWSP_F32, PTOWSP_F16, PTOWSP_I8, PTOWSP_U64, PTOWSP_BOOL, PTOWSP_BF16, PTOWSP_F64, PTOWSP_I32};
	char *text;

	if (!size)
		return false;
	text = malloc(size);
	memcpy(text, data + 1, size - 1);
	text[size - 1] = 0;
	if (data[0] & 8)
		fill(text, types[data[0] & 7]);
	else
		signature(text);
	free(text);
	return false;
}
