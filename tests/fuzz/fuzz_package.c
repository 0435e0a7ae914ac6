/* SPDX-License-Identifier: MIT */
/* fuzz_package.c - any bytes as a package. An input that begins like a package file is opened as it is and with fresh digests of
 * header and frames; any other is taken for sections {u8 place in records.def, u8 stride, u16 size, bytes} that are sealed first, so that
 * what lies behind the digests is reached. What opens is shown in every way that ptowsp-inspect knows. */
#include "format/format_package.h"
#include "format/format_seal.h"
#include "format/json/json.h"
#include "format/schema.h"
#include "tools/inspect/inspect.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct pkg_limits limits = {.section_bytes = 1 << 22, .total_bytes = 1 << 23};

static void show(struct pkg *package)
{
	static FILE *nowhere;
	struct ptowsp_error error;
	char *text = NULL;
	struct pkg_signature rows[PKG_SIGNATURE_ROWS];
	uint32_t count = pkg_signatures(package, rows);

	if (count > PKG_SIGNATURE_ROWS || (count && pkg_plugins_wrong(rows[count - 1].plugins)))
		abort();
	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	inspect_summary(package, "input", nowhere);
	inspect_listing(package, nowhere, &error);
	pkg_to_json(package, &text, &error);
	free(text);
}

static void open_bytes(const void *bytes, size_t size)
{
	struct ptowsp_error error = {.code = PTOWSP_OK};
	struct pkg *package;
	ptowsp_status status = pkg_open_memory(&package, bytes, size, "input", &limits, &error);

	if (status && (error.code != status || strncmp(error.text, "input: ", 7)))
		abort();
	if (!status)
		show(package);
	pkg_close(package);
}

static void open_resealed(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size);

	memcpy(copy, data, size);
	pkg_frames_seal(copy, size);
	open_bytes(copy, size);
	free(copy);
}

static void open_sections(const uint8_t *data, size_t size)
{
	struct pkg_image image;
	uint32_t count;
	const struct pkg_schema *schemas = pkg_schema_all(&count);
	void *bytes;
	size_t sealed;

	pkg_image_init(&image);
	while (size >= 4 && image.section_count < PKG_IMAGE_SECTIONS) {
		const struct pkg_schema *schema = &schemas[data[0] % count];
		size_t length = data[2] | data[3] << 8;
		uint32_t stride = data[1] ? data[1] : schema->bytes;
		struct pkg_image_section *s = &image.sections[image.section_count];

		data += 4;
		size -= 4;
		length = (length < size ? length : size) / stride * stride;
		*s = (struct pkg_image_section){schema->type, 1, stride, length / stride, malloc(length + 1), length};
		memcpy(s->data, data, length);
		image.section_count++;
		data += length;
		size -= length;
	}
	if (!pkg_image_seal(&image, &bytes, &sealed, NULL))
		open_bytes(bytes, sealed);
	free(bytes);
	pkg_image_finish(&image);
}

bool LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t frame[4] = {0x50, 0x2A, 0x4D, 0x18};

	if (size >= 4 && !memcmp(data, frame, 4)) {
		open_bytes(data, size);
		open_resealed(data, size);
	} else {
		open_sections(data, size);
	}
	return false;
}
