/* SPDX-License-Identifier: MIT */
/* lang_bytes.c - bytes that a source names: files below its folder, or base64 text. */
#include "format/fail.h"
#include "format/format_file.h"
#include "format/json/base64.h"
#include "lang/decl.h"
#include "lang/lang.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

void *lang_base64_read(struct lang_module *module, const char *text, struct lang_span at, size_t *size_out)
{
	size_t size, wrong;
	uint8_t *bytes = pkg_base64_read(text, strlen(text), &size, &wrong);
	void *copy = bytes && size != SIZE_MAX && size ? common_alloc(&module->unit->arena, size) : NULL;

	if (copy)
		memcpy(copy, bytes, size);
	free(bytes);
	if (!copy)
		lang_error(module->unit, at, "these are no bytes in base64");
	*size_out = copy ? size : 0;
	return copy;
}

void *lang_file_read(struct lang_module *module, const char *file, struct lang_span at, uint64_t most, size_t *size_out)
{
	const struct lang_options *options = module->options;
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	uint32_t at_source = at.file;
	void *bytes = NULL, *copy;
	size_t size = 0;

	*size_out = 0;
	if (!options->read) {
		lang_error(module->unit, at, "the file \"%.80s\" cannot be read: this packer was given texts, not a folder", file);
		return NULL;
	}
	if (at.file >= module->unit->own_count) {
		const struct lang_included *included = &module->unit->included[at.file - module->unit->own_count];

		file = *file == '/' ? file : common_format(&module->unit->arena, "%s%s", included->folder, file);
		at_source = included->root;
	}
	if (options->read(options->context, at_source, file, &bytes, &size, &error)) {
		free(bytes);
		lang_error(module->unit, at, "%.200s", error.text);
		return NULL;
	}
	copy = size && size <= most ? common_alloc(&module->unit->arena, size) : NULL;
	if (copy)
		memcpy(copy, bytes, size);
	free(bytes);
	*size_out = size;
	return copy;
}

/* Opens what lies below the folder, without a link on the way: whoever puts one there meanwhile leads nowhere. Kernels before 5.6 cannot promise that of the
 * folders in between. */
static int below_open(const char *folder, const char *inside)
{
	struct open_how how = {.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS};
	int at = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC), fd, why;

	if (at < 0)
		return -1;
	fd = (int)syscall(SYS_openat2, at, inside, &how, sizeof(how));
	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		fd = openat(at, inside, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
	why = errno;
	close(at);
	errno = why;
	return fd;
}

/* inside_of gives the rest of `path`, which is real, behind the folder; NULL if the path lies elsewhere. */
static const char *inside_of(const char *folder, const char *path)
{
	size_t length = strlen(folder);

	if (length == 1) /* the folder of all */
		return path + 1;
	return !strncmp(path, folder, length) && path[length] == '/' ? path + length + 1 : NULL;
}

/* -1 with errno 0: the path lies below none of them. */
static int allowed_open(const char *own, const struct lang_roots *roots, const char *path)
{
	for (uint32_t i = 0, count = roots ? roots->count : 0; i <= count; i++) {
		char *folder = realpath(i ? roots->folders[i - 1] : own, NULL);
		const char *inside = folder ? inside_of(folder, path) : NULL;
		int fd = inside ? below_open(folder, inside) : -1, why = errno;

		free(folder);
		errno = why;
		if (inside)
			return fd;
	}
	errno = 0;
	return -1;
}

static ptowsp_status path_load(const char *own, const char *path, const struct lang_roots *roots, void **bytes_out, size_t *size_out,
			       struct ptowsp_error *error)
{
	char *real = realpath(path, NULL);
	uint64_t size = 0;
	ptowsp_status status;
	int fd;

	if (!real)
		return pkg_fail_errno(error, path, "cannot be opened");
	fd = allowed_open(own, roots, real);
	if (fd < 0 && !errno)
		status = pkg_fail(error, PTOWSP_INVALID, "%.120s lies outside of the source's folder; ptowsp-pack --data-root DIR lets sources read below DIR",
				  path);
	else if (fd < 0)
		status = pkg_fail_errno(error, path, "cannot be opened");
	else
		status = pkg_file_check(fd, path, PKG_FILE_NAMED, &size, error);
	if (!status)
		status = pkg_file_read(fd, path, size, bytes_out, error);
	if (!status)
		*size_out = (size_t)size;
	if (fd >= 0)
		close(fd);
	free(real);
	return status;
}

ptowsp_status lang_named_load(const char *source, const char *file, const struct lang_roots *roots, void **bytes_out, size_t *size_out,
			      struct ptowsp_error *error)
{
	const char *slash = strrchr(source, '/');
	int length = slash ? (int)(slash + 1 - source) : 0;
	char *own = NULL, *path = NULL;
	ptowsp_status status;

	*bytes_out = NULL;
	*size_out = 0;
	if (asprintf(&own, "%.*s", length ? length : 1, length ? source : ".") < 0)
		own = NULL;
	if (asprintf(&path, "%.*s%s", *file == '/' ? 0 : length, source, file) < 0)
		path = NULL;
	for (uint32_t i = 0; path && access(path, F_OK) && *file != '/' && roots && i < roots->count; i++) { /* not beside the source: below a root */
		char *below = NULL;

		if (asprintf(&below, "%s/%s", roots->folders[i], file) < 0 || access(below, F_OK)) {
			free(below);
			continue;
		}
		free(path);
		path = below;
	}
	status = own && path ? path_load(own, path, roots, bytes_out, size_out, error) : pkg_fail(error, PTOWSP_NO_MEMORY, "no memory to read %.160s", file);
	free(own);
	free(path);
	return status;
}
