/* SPDX-License-Identifier: MIT */
/* data.c - sample data of the examples: data FOLDER [EXAMPLE...] writes FOLDER/EXAMPLE_TENSOR.npy for each input and each
 * expected output of the examples that are named, or of all. */
#include "data.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct {
	const char *name;
	void (*write)(void);
} examples[] = {
#define X(name) {#name, data_##name},
#include "data.def"
#undef X
};

static const char *folder;

void data_save_shape(const char *name, const char *type, const void *data, const char *shape, size_t count)
{
	size_t each = (size_t)(type[2] - '0');
	char path[4096], header[128];
	FILE *file;
	int length;

	/* NumPy 1.0, C order, header padded to 128 bytes. */
	snprintf(path, sizeof(path), "%s/%s.npy", folder, name);
	memset(header, ' ', sizeof(header));
	length = snprintf(header + 10, sizeof(header) - 10, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", type, shape);
	header[10 + length] = ' ';
	memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10);
	header[sizeof(header) - 1] = '\n';
	file = fopen(path, "wb");
	if (!file || fwrite(header, sizeof(header), 1, file) != 1 || fwrite(data, each, count, file) != count || fclose(file)) {
		fprintf(stderr, "data: %s cannot be written: %s\n", path, strerror(errno));
		exit(1);
	}
}

void data_save(const char *name, const char *type, const void *data, size_t rows, size_t columns)
{
	char shape[64];

	if (rows)
		snprintf(shape, sizeof(shape), "%zu, %zu", rows, columns);
	else
		snprintf(shape, sizeof(shape), "%zu,", columns);
	data_save_shape(name, type, data, shape, (rows ? rows : 1) * columns);
}

static int example_write(const char *name)
{
	for (size_t i = 0; i < sizeof(examples) / sizeof(*examples); i++)
		if (!strcmp(examples[i].name, name)) {
			examples[i].write();
			return 0;
		}
	fprintf(stderr, "data: there is no example %s\n", name);
	return 2;
}

int main(int argc, char **argv)
{
	int result = 0;

	if (argc < 2) {
		fputs("usage: data FOLDER [EXAMPLE...]\n", stderr);
		return 2;
	}
	folder = argv[1];
	if (mkdir(folder, 0777) && errno != EEXIST) {
		fprintf(stderr, "data: %s cannot be made: %s\n", folder, strerror(errno));
		return 1;
	}
	for (int i = 2; i < argc && !result; i++)
		result = example_write(argv[i]);
	for (size_t i = 0; argc == 2 && i < sizeof(examples) / sizeof(*examples); i++)
		examples[i].write();
	return result;
}
