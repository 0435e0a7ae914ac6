/* SPDX-License-Identifier: MIT */
/* fake_object.c - objects from memory. */
#include "fake_device.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void *fake_object_open(const void *bytes, size_t size)
{
	const char *folder = getenv("TMPDIR");
	char path[4096];
	int fd = snprintf(path, sizeof(path), "%s/ptowsp_fake_XXXXXX", folder && *folder ? folder : "/tmp") < (int)sizeof(path) ? mkstemp(path) : -1;
	void *handle = NULL;

	if (fd >= 0 && write(fd, bytes, size) == (ssize_t)size)
		handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (fd >= 0) {
		close(fd);
		unlink(path);
	}
	return handle;
}
