/* SPDX-License-Identifier: MIT */
#include "digest.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Two FNV-1a sums: one of the bytes, one of the bytes with the first sum mixed in. */
void base_digest_init(struct base_digest *digest)
{
	digest->words[0] = UINT64_C(0xCBF29CE484222325);
	digest->words[1] = UINT64_C(0x9AE16A3B2F90404F);
}

void base_digest_add(struct base_digest *digest, const void *bytes, size_t size)
{
	const unsigned char *at = bytes;

	for (size_t i = 0; i < size; i++) {
		digest->words[0] = (digest->words[0] ^ at[i]) * UINT64_C(0x100000001B3);
		digest->words[1] = (digest->words[1] ^ at[i] ^ digest->words[0] >> 56) * UINT64_C(0x100000001B3);
	}
}

static bool is_source(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && (!strcmp(dot, ".h") || !strcmp(dot, ".hpp") || !strcmp(dot, ".cpp"));
}

static void file_add(struct base_digest *digest, const char *path)
{
	FILE *file = fopen(path, "rb");
	char bytes[4096];
	size_t size;

	while (file && (size = fread(bytes, 1, sizeof(bytes), file)))
		base_digest_add(digest, bytes, size);
	if (file)
		fclose(file);
}

static void entry_add(struct base_digest *digest, const char *folder, const char *name)
{
	char path[1280];
	struct stat about;

	if (*name == '.' || snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path) || stat(path, &about))
		return;
	if (S_ISDIR(about.st_mode)) {
		base_digest_folder(digest, path);
		return;
	}
	if (!is_source(name) || !S_ISREG(about.st_mode))
		return;
	base_digest_add(digest, name, strlen(name) + 1);
	file_add(digest, path);
}

bool base_digest_folder(struct base_digest *digest, const char *path)
{
	struct dirent **entries;
	int count = scandir(path, &entries, NULL, alphasort);

	if (count < 0)
		return false;
	for (int i = 0; i < count; i++) {
		entry_add(digest, path, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return true;
}
