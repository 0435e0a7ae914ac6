/* SPDX-License-Identifier: MIT */
/* make.c - writes the files of tests/refused: for each case NAME.pkg.zst and NAME.txt with the sentence that it gives now.
 * After a change of the format: run it on tests/refused and read what git shows.
 *
 *	refused_make FOLDER */
#include "make.h"

#include "format/container.h"
#include "format/format_package.h"
#include "tests/format/sample.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ptowsp_error error;

static int file_write(const char *folder, const char *name, const char *ending, const void *bytes, size_t size)
{
	char path[512];
	FILE *file;
	int bad;

	snprintf(path, sizeof(path), "%s/%s%s", folder, name, ending);
	file = fopen(path, "wb");
	bad = !file || fwrite(bytes, 1, size, file) != size;
	if (file && fclose(file))
		bad = 1;
	if (bad)
		perror(path);
	return bad;
}

/* The sentence of a package that must be refused; 0 if it is not. */
static bool sentence_find(const char *name, const void *bytes, size_t size)
{
	struct pkg *package = NULL;
	char file[256];
	const void *samples;
	uint64_t samples_size;
	ptowsp_status status;

	snprintf(file, sizeof(file), "%s.pkg.zst", name);
	status = pkg_open_memory(&package, bytes, size, file, NULL, &error);
	if (!status)
		status = pkg_sample_section(package, &samples, &samples_size, &error);
	pkg_close(package);
	return status == PTOWSP_BAD_PACKAGE;
}

static bool case_write(const char *folder, const char *name, const void *bytes, size_t size)
{
	char text[sizeof(error.text) + 2];

	if (!sentence_find(name, bytes, size)) {
		fprintf(stderr, "%s is not refused\n", name);
		return true;
	}
	snprintf(text, sizeof(text), "%s\n", error.text);
	return file_write(folder, name, ".pkg.zst", bytes, size) || file_write(folder, name, ".txt", text, strlen(text));
}

static int raw_make(const char *folder, const struct raw_case *c)
{
	size_t size;
	void *good = sample_seal(&size, &error);
	struct bytes file = {calloc(1, size + BYTES_ROOM), size};
	int bad = !good || !file.bytes;

	if (!bad) {
		memcpy(file.bytes, good, size);
		c->change(&file);
		bad = case_write(folder, c->name, file.bytes, file.size);
	}
	free(good);
	free(file.bytes);
	return bad;
}

/* The one case of an image that has to be spoilt after it was sealed. */
static void padding_spoil(const char *name, uint8_t *bytes, size_t size)
{
	struct pkg_header header;

	if (strcmp(name, "header_padding_not_zero"))
		return;
	memcpy(&header, bytes + PKG_FRAME_HEAD, sizeof(header));
	bytes[PKG_FRAME_HEAD + header.header_size - 1] = 1;
	pkg_header_seal(bytes, size);
}

static int image_make(const char *folder, const struct image_case *c)
{
	size_t size;
	void *good = sample_seal(&size, &error), *spoilt = NULL;
	struct pkg_image image;
	int bad = !good || pkg_image_read(&image, good, size, "sample", &error);

	free(good);
	if (bad)
		return bad;
	c->change(&image);
	bad = pkg_image_seal(&image, &spoilt, &size, &error) != 0;
	pkg_image_finish(&image);
	if (!bad) {
		padding_spoil(c->name, spoilt, size);
		bad = case_write(folder, c->name, spoilt, size);
	}
	free(spoilt);
	return bad;
}

int main(int argc, char **argv)
{
	int bad = 0;

	if (argc != 2) {
		fputs("usage: refused_make FOLDER\n", stderr);
		return 2;
	}
	for (size_t i = 0; i < raw_case_count; i++)
		bad |= raw_make(argv[1], &raw_cases[i]);
	for (size_t i = 0; i < signature_case_count; i++)
		bad |= raw_make(argv[1], &signature_cases[i]);
	for (size_t i = 0; i < image_case_count; i++)
		bad |= image_make(argv[1], &image_cases[i]);
	return bad;
}
