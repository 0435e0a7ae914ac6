/* SPDX-License-Identifier: MIT */
/* replay.c - stands in for libFuzzer where only kept inputs are run: each file, and each file of each folder, that the command line names, once. */
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

bool LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int failed, inputs;

static void file_replay(const char *path)
{
	FILE *file = fopen(path, "rb");
	struct stat info;
	uint8_t *bytes = NULL;

	if (file && !fstat(fileno(file), &info))
		bytes = malloc((size_t)info.st_size + 1);
	if (bytes && fread(bytes, 1, (size_t)info.st_size, file) == (size_t)info.st_size) {
		LLVMFuzzerTestOneInput(bytes, (size_t)info.st_size);
		inputs++;
	} else {
		fprintf(stderr, "replay: %s cannot be read\n", path);
		failed = 1;
	}
	free(bytes);
	if (file)
		fclose(file);
}

static void folder_replay(const char *path, DIR *folder)
{
	struct dirent *entry;
	char inner[4096];

	while ((entry = readdir(folder)))
		if (entry->d_name[0] != '.') {
			snprintf(inner, sizeof(inner), "%s/%s", path, entry->d_name);
			file_replay(inner);
		}
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		DIR *folder = opendir(argv[i]);

		if (!folder) {
			file_replay(argv[i]);
			continue;
		}
		folder_replay(argv[i], folder);
		closedir(folder);
	}
	printf("%d inputs\n", inputs);
	return failed;
}
