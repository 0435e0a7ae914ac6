/* SPDX-License-Identifier: MIT */
#include "tools/apart.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "registry/common/common_grow.h"
#include "registry/common/common_names.h"
#include "registry/text.h"

struct row {
	struct row *next;
	char *place; /* owned; of a file that was not there: its folder by its real path, and the name */
	dev_t device;
	ino_t number;
	bool there, output;
	char what[81], path[141];
};

static struct row *rows;
static struct common_names keys;  /* of rows: the place of each, and the file of one that is there */
static const struct row **owners; /* owned, by key: the first row that has it */

/* The path as if all of it were there: the real path of the deepest part that is, and the rest as it stands; to be freed. NULL: no memory. */
static char *place_of(const char *path)
{
	char *head = strdup(path), *real = NULL, *place = NULL;
	size_t length = head ? strlen(head) : 0;

	while (head && length && !(real = realpath(head, NULL))) {
		while (length && head[length - 1] != '/')
			length--;
		while (length && head[length - 1] == '/')
			length--;
		head[length] = '\0';
	}
	if (head && !real)
		real = realpath(*path == '/' ? "/" : ".", NULL);
	while (path[length] == '/')
		length++;
	if (head && asprintf(&place, "%s%s%s", real ? real : "", path[length] ? "/" : "", path + length) < 0)
		place = NULL;
	free(real);
	free(head);
	return place;
}

ptowsp_status apart_named(const char *path, const char *what, struct ptowsp_error *error)
{
	if (strcmp(path, "-") != 0)
		return PTOWSP_OK;
	return reg_fail(error, PTOWSP_INVALID, "%s cannot be called -: it is a file, and does not go to stdout; ./- is a name", what);
}

static ptowsp_status row_init(struct row *row, const char *path, const char *what, bool output, struct ptowsp_error *error)
{
	struct stat info;

	*row = (struct row){.output = output};
	snprintf(row->what, sizeof(row->what), "%s", what);
	snprintf(row->path, sizeof(row->path), "%s", path);
	row->there = !stat(path, &info);
	if (row->there && !S_ISREG(info.st_mode))
		return PTOWSP_OK;
	if (row->there) {
		row->device = info.st_dev;
		row->number = info.st_ino;
	}
	row->place = place_of(path);
	return row->place ? PTOWSP_OK : reg_fail(error, PTOWSP_NO_MEMORY, "no memory for the path %.140s", path);
}

static bool same(const struct row *a, const struct row *b)
{
	if (!a->place || !b->place)
		return false;
	return a->there && b->there ? a->device == b->device && a->number == b->number : !strcmp(a->place, b->place);
}

static ptowsp_status refuse(const struct row *a, const struct row *b, struct ptowsp_error *error)
{
	const struct row *output = a->output ? a : b, *other = a->output ? b : a;

	if (other->output)
		return reg_fail(error, PTOWSP_INVALID, "%s and %s are one file, %.100s; give each its own", other->what, output->what, output->path);
	return reg_fail(error, PTOWSP_INVALID, "%s would take the place of %s, %.100s; name another file", output->what, other->what, other->path);
}

/* The number of a file that is there: places may be links to it. */
static const char *file_key(const struct row *row, char key[64])
{
	snprintf(key, 64, "%ju:%ju", (uintmax_t)row->device, (uintmax_t)row->number);
	return key;
}

static const struct row *owner_of(const char *key)
{
	const uint32_t at = common_names_find(&keys, key);

	return at ? owners[at - 1] : NULL;
}

/* The row that has the same file already. NULL: none. */
static const struct row *owner_find(const struct row *row)
{
	char key[64];
	const struct row *owner = row->place ? owner_of(row->place) : NULL;

	return row->place && row->there && !owner ? owner_of(file_key(row, key)) : owner;
}

static bool key_add(const char *key, const struct row *row)
{
	const uint32_t count = keys.count;

	if (!common_names_add(&keys, key) || !COMMON_RESIZE(owners, keys.room))
		return false;
	if (keys.count > count)
		owners[count] = row;
	return true;
}

static ptowsp_status keys_add(const struct row *row, struct ptowsp_error *error)
{
	char key[64];

	if (!row->place || (key_add(row->place, row) && (!row->there || key_add(file_key(row, key), row))))
		return PTOWSP_OK;
	return reg_fail(error, PTOWSP_NO_MEMORY, "no memory for the path %.140s", row->path);
}

static ptowsp_status add(const char *path, const char *what, bool output, struct ptowsp_error *error)
{
	struct row *row = malloc(sizeof(*row));
	ptowsp_status status = row ? row_init(row, path, what, output, error) : reg_fail(error, PTOWSP_NO_MEMORY, "no memory for the path %.140s", path);
	const struct row *owner = status ? NULL : owner_find(row);

	if (owner && (output || owner->output))
		status = refuse(row, owner, error);
	if (status) {
		if (row)
			free(row->place);
		free(row);
		return status;
	}
	row->next = rows;
	rows = row;
	return keys_add(row, error);
}

ptowsp_status apart_input(const char *path, const char *what, struct ptowsp_error *error)
{
	return add(path, what, false, error);
}

ptowsp_status apart_output(const char *path, const char *what, struct ptowsp_error *error)
{
	ptowsp_status status = apart_named(path, what, error);

	return status ? status : add(path, what, true, error);
}

bool apart_same(const char *path, const char *other)
{
	struct row a, b = {.place = NULL};
	bool is = !row_init(&a, path, "", false, NULL) && !row_init(&b, other, "", false, NULL) && same(&a, &b);

	free(a.place);
	free(b.place);
	return is;
}

ptowsp_status apart_check(const char *path, struct ptowsp_error *error)
{
	const struct row *owner;
	struct row row;
	ptowsp_status status = apart_named(path, "what is written", error);

	if (status)
		return status;
	status = row_init(&row, path, "what is written", true, error);
	owner = status ? NULL : owner_find(&row);
	if (owner && !owner->output)
		status = refuse(&row, owner, error);
	free(row.place);
	return status;
}
