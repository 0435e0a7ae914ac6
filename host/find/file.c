/* SPDX-License-Identifier: MIT */
/* file.c - opens a plugin's file once and checks what was opened. */
#include "host/find/file.h"
#include "host/find/bytes.h"
#include "host/find/elf.h"
#include "host/find/refuse.h"
#include "ptowsp/note.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* O_NONBLOCK: a FIFO of that name must not hold the host up. */
static ptowsp_status descriptor_open(struct host_file *file, struct ptowsp_error *error)
{
	struct stat again;

	file->fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (file->fd < 0 || fstat(file->fd, &file->stat))
		return host_refuse_errno(error, file->path, errno, "cannot be opened");
	if (!S_ISREG(file->stat.st_mode))
		return host_refuse(error, file->path, "not a regular file");
	if (stat(file->path, &again) || again.st_dev != file->stat.st_dev || again.st_ino != file->stat.st_ino)
		return host_refuse(error, file->path, "was replaced while it was opened; try again");
	return PTOWSP_OK;
}

ptowsp_status host_file_open(struct host_file *file, const char *path, struct ptowsp_error *error)
{
	ptowsp_status status;

	*file = (struct host_file){.fd = -1, .sealed.fd = -1};
	file->path = realpath(path, NULL);
	if (!file->path)
		return host_refuse_errno(error, path, errno, "cannot be opened");
	status = descriptor_open(file, error);
	if (!status)
		status = host_check_owner(file->path, "plugin", error);
	if (!status)
		status = host_bytes_read(file->fd, file->path, &file->bytes, &file->size, error);
	return status;
}

static ptowsp_status sanitizer_check(const struct host_file *file, struct ptowsp_error *error)
{
	static const char *const kinds[] = {"no sanitizer", "the address sanitizer", "the thread sanitizer"};
	uint32_t theirs = file->note.sanitizer;

	if (theirs == PTOWSP_SANITIZER_NONE || theirs == PTOWSP_SANITIZER)
		return PTOWSP_OK;
	return host_refuse(error, file->path, "built with %s, this host with %s; build both the same way",
			   theirs < sizeof(kinds) / sizeof(*kinds) ? kinds[theirs] : "an unknown sanitizer", kinds[PTOWSP_SANITIZER]);
}

/* Everything up to its end, wherever that is meanwhile. */
static ptowsp_status file_copy(const struct host_file *file, struct host_sealed *sealed, const char **wrong_out, struct ptowsp_error *error)
{
	unsigned char part[65536];
	ptowsp_status status = PTOWSP_OK;

	for (ssize_t got = 1; got > 0 && !status;) {
		got = pread(file->fd, part, sizeof(part), (off_t)sealed->size);
		if (got < 0 && errno == EINTR)
			got = 1;
		else if (got < 0)
			return host_refuse_errno(error, file->path, errno, "cannot be read");
		else if (sealed->size + (size_t)got > (size_t)HOST_BYTES_LIMIT)
			return host_refuse(error, file->path, "larger than 2 GiB");
		else if (got)
			*wrong_out = host_sealed_append(sealed, part, (size_t)got, &status);
	}
	return status;
}

ptowsp_status host_file_seal(struct host_file *file, struct ptowsp_error *error)
{
	struct host_sealed sealed;
	ptowsp_status status;
	const char *wrong = host_sealed_begin(&sealed, "ptowsp-plugin", &status);

	if (!wrong) {
		status = file_copy(file, &sealed, &wrong, error);
		if (status && !wrong) {
			host_sealed_finish(&sealed, false);
			return status;
		}
	}
	if (!wrong && !sealed.size) {
		status = PTOWSP_PLUGIN_REFUSED;
		errno = 0;
		wrong = "is empty";
	} else if (!wrong) {
		wrong = host_sealed_end(&sealed, &status);
	}
	if (wrong) {
		status = status == PTOWSP_NO_MEMORY ? host_fail(error, status, "%s: %s: %s", file->path, wrong, strerror(errno))
						    : host_refuse_errno(error, file->path, errno, wrong);
		host_sealed_finish(&sealed, false);
		return status;
	}
	host_bytes_release(file->bytes);
	file->sealed = sealed;
	file->bytes = (unsigned char *)(uintptr_t)sealed.bytes;
	file->size = sealed.size;
	return PTOWSP_OK;
}

ptowsp_status host_file_take(struct host_file *file, int fd, const char *path, struct ptowsp_error *error)
{
	*file = (struct host_file){.fd = -1, .sealed.fd = -1, .path = strdup(path)};
	if (!file->path)
		return host_fail(error, PTOWSP_NO_MEMORY, "%s: no memory to load it", path);
	if (!host_sealed_take(&file->sealed, fd) || fstat(file->sealed.fd, &file->stat))
		return host_refuse(error, path, "its sealed copy cannot be used");
	file->bytes = (unsigned char *)(uintptr_t)file->sealed.bytes;
	file->size = file->sealed.size;
	return PTOWSP_OK;
}

/* Nothing lies beside a sealed copy. */
static ptowsp_status origin_check(const struct host_file *file, const struct host_elf *elf, struct ptowsp_error *error)
{
	for (uint32_t i = 0; file->sealed.fd >= 0 && i < elf->dynamic_count; i++) {
		uint64_t tag, value;
		const char *text;

		host_elf_dynamic(elf, i, &tag, &value);
		text = tag == DT_RPATH || tag == DT_RUNPATH ? host_elf_string(elf, value) : NULL;
		if (text && strchr(text, '$'))
			return host_refuse(
				error, file->path,
				"its run path \"%.40s\" is seen from its folder, and what is listed or signed is loaded from a sealed copy, which has none",
				text);
	}
	return PTOWSP_OK;
}

static ptowsp_status minor_check(const struct host_file *file, struct ptowsp_error *error)
{
	if (file->note.minor != HOST_TEST_MINOR || PTOWSP_HOST_MINOR == HOST_TEST_MINOR)
		return PTOWSP_OK;
	return host_refuse(error, file->path, "is of the test minor %d.%d, which is never released: hosts that are built for tests take it, this one is v%d.%d",
			   PTOWSP_ABI_MAJOR, HOST_TEST_MINOR, PTOWSP_ABI_MAJOR, PTOWSP_HOST_MINOR);
}

ptowsp_status host_file_check(struct host_file *file, bool lint_off, struct ptowsp_error *error)
{
	struct host_elf elf;
	ptowsp_status status = lint_off ? PTOWSP_OK : host_lint(file->bytes, file->size, file->path, error);

	if (!status)
		status = host_elf_open(&elf, file->bytes, file->size, file->path, error);
	if (!status)
		status = origin_check(file, &elf, error);
	if (!status)
		status = host_note_find(&elf, &file->place, error);
	if (!status)
		status = host_note_decode(&file->place, file->path, &file->note, error);
	if (!status && !lint_off)
		status = minor_check(file, error);
	if (!status)
		status = sanitizer_check(file, error);
	return status;
}

void host_file_finish(struct host_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	if (file->sealed.fd < 0)
		host_bytes_release(file->bytes);
	host_sealed_finish(&file->sealed, false);
	free(file->path);
	*file = (struct host_file){.fd = -1, .sealed.fd = -1};
}

const char *host_file_name(const char *path, size_t *length_out)
{
	static const char start[] = "libptowsp_", end[] = ".so";
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t length = strlen(base), frame = sizeof(start) - 1 + sizeof(end) - 1;

	if (length <= frame || memcmp(base, start, sizeof(start) - 1) != 0 || memcmp(base + length - (sizeof(end) - 1), end, sizeof(end) - 1) != 0)
		return NULL;
	*length_out = length - frame;
	return base + sizeof(start) - 1;
}

ptowsp_status host_file_name_check(const char *path, const struct host_note *note, struct ptowsp_error *error)
{
	size_t length;
	const char *name = host_file_name(path, &length);

	if (!name || (strlen(note->name) == length && !memcmp(name, note->name, length)))
		return PTOWSP_OK;
	return host_refuse(error, path, "its note calls it \"%s\"; name the file libptowsp_%s.so", note->name, note->name);
}
