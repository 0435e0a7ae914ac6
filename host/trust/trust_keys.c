/* SPDX-License-Identifier: MIT */
/* trust_keys.c - the folders of what is trusted, and the public keys in them. */
#include "host/trust/trust.h"

#include "host/find/host_plugin.h"
#include "host/find/refuse.h"
#include "host/host_error.h"
#include "registry/common/common_grow.h"
#include "registry/variable.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

/* One place, whatever the folder of the program: who may write there decides what runs. */
#ifndef HOST_SYSTEM_TRUST
#define HOST_SYSTEM_TRUST "/etc/ptowsp/trust"
#endif
#define KEYS_MOST 4096u

ptowsp_status host_trust_folders(const struct host_trust_dirs *given,
				 ptowsp_status (*fn)(void *context, const char *folder, bool given, struct ptowsp_error *error), void *context,
				 struct ptowsp_error *error)
{
	ptowsp_status status = fn(context, HOST_SYSTEM_TRUST, false, error);
	const char *value = reg_variable("PTOWSP_TRUST_DIR");
	char folder[PATH_MAX];
	size_t length;

	for (; !status && value && *value; value += length + (value[length] == ':')) {
		length = strcspn(value, ":");
		if (length && length < sizeof(folder) && *value == '/') {
			snprintf(folder, sizeof(folder), "%.*s", (int)length, value);
			status = fn(context, folder, true, error);
		}
	}
	for (uint32_t i = 0; !status && given && i < given->count && !getauxval(AT_SECURE); i++)
		status = fn(context, given->dirs[i], true, error);
	return status;
}

/* O_NONBLOCK: a FIFO of that name must not hold the host up. The owner is that of the file that was opened. */
static ptowsp_status descriptor_open(const char *path, const char *real, const char *what, int *fd_out, struct ptowsp_error *error)
{
	struct stat opened, there;
	ptowsp_status status;

	*fd_out = open(real, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (*fd_out < 0 || fstat(*fd_out, &opened))
		return host_refuse_errno(error, path, errno, "cannot be opened");
	if (!S_ISREG(opened.st_mode))
		return host_refuse(error, path, "not a regular file");
	status = host_check_owner(real, what, error);
	if (!status && (lstat(real, &there) || there.st_dev != opened.st_dev || there.st_ino != opened.st_ino))
		status = host_refuse(error, path, "was replaced while it was opened; try again");
	return status;
}

ptowsp_status host_trust_file(const char *path, const char *what, void *bytes_out, size_t room, size_t *size_out, struct ptowsp_error *error)
{
	char *real = realpath(path, NULL);
	ptowsp_status status = PTOWSP_OK;
	ssize_t got = 1;
	char more;
	int fd = -1;

	*size_out = 0;
	if (!real)
		return host_refuse_errno(error, path, errno, "cannot be opened");
	status = descriptor_open(path, real, what, &fd, error);
	while (!status && got > 0 && *size_out < room) {
		got = read(fd, (char *)bytes_out + *size_out, room - *size_out);
		*size_out += got > 0 ? (size_t)got : 0;
	}
	if (!status && got > 0)
		got = read(fd, &more, 1);
	if (!status && got < 0)
		status = host_refuse_errno(error, path, errno, "cannot be read");
	else if (!status && got)
		status = host_refuse(error, path, "has more than %zu bytes", room);
	if (fd >= 0)
		close(fd);
	free(real);
	return status;
}

static ptowsp_status key_add(struct host_keys *keys, const char *folder, const char *file, struct ptowsp_error *error)
{
	struct ptowsp_error why = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct host_key key = {0};
	char path[PATH_MAX], text[PKG_KEY_TEXT];
	size_t size = 0;
	const char *wrong;
	ptowsp_status status;

	snprintf(key.name, sizeof(key.name), "%.*s", (int)(strlen(file) - 4), file);
	if (snprintf(path, sizeof(path), "%s/%s", folder, file) >= (int)sizeof(path))
		return PTOWSP_OK;
	status = host_trust_file(path, "key", text, sizeof(text), &size, &why);
	wrong = status ? NULL : pkg_key_read(key.key, PKG_KEY_PUBLIC, text, size);
	if (wrong)
		status = host_refuse(&why, path, "%s", wrong);
	if (!status && keys->count == KEYS_MOST)
		status = host_refuse(&why, path, "there are more than %u keys", KEYS_MOST);
	if (status) {
		if (keys->passed_count < HOST_KEYS_TOLD)
			snprintf(keys->passed_over[keys->passed_count], sizeof(*keys->passed_over), "%s", why.text);
		keys->passed_count++;
		return PTOWSP_OK;
	}
	if (!COMMON_RESIZE(keys->rows, keys->count + 1))
		return host_fail(error, PTOWSP_NO_MEMORY, "no memory for the trusted keys");
	keys->rows[keys->count++] = key;
	return PTOWSP_OK;
}

static int is_key(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return length > 4 && entry->d_name[0] != '.' && !strcmp(entry->d_name + length - 4, ".pub");
}

/* By strcmp: the same order in every locale. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static ptowsp_status folder_read(void *context, const char *folder, bool given, struct ptowsp_error *error)
{
	struct dirent **entries = NULL;
	int count = scandir(folder, &entries, is_key, by_name);
	ptowsp_status status = PTOWSP_OK;

	if (count < 0 && given)
		return host_fail(error, PTOWSP_IO, "trust folder %.120s cannot be read: %s", folder, strerror(errno));
	for (int i = 0; i < count; i++) {
		if (!status)
			status = key_add(context, folder, entries[i]->d_name, error);
		free(entries[i]);
	}
	free(entries);
	return status;
}

ptowsp_status host_keys_read(struct host_keys *keys, const struct host_trust_dirs *dirs, struct ptowsp_error *error)
{
	*keys = (struct host_keys){0};
	return host_trust_folders(dirs, folder_read, keys, error);
}

bool host_keys_line(const struct host_keys *keys, uint32_t index, char *line, size_t room)
{
	const uint32_t told = keys->passed_count < HOST_KEYS_TOLD ? keys->passed_count : HOST_KEYS_TOLD;

	if (index < told)
		snprintf(line, room, "a key is not used: %s", keys->passed_over[index]);
	else
		snprintf(line, room, "%u more key files are not used", keys->passed_count - told);
	return index < told + (keys->passed_count > told);
}

void host_keys_finish(struct host_keys *keys)
{
	free(keys->rows);
	*keys = (struct host_keys){0};
}
