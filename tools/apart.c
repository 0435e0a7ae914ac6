/* SPDX-License-Identifier: MIT */
#include "tools/apart.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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
	return reg_fail(error, PTOWSP_INVALID, "%s cannot be called -, which is stdout behind --graph and nowhere else; ./- is a name", what);
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

static ptowsp_status look(const struct row *row, struct ptowsp_error *error)
{
	for (const struct row *old = rows; old; old = old->next)
		if ((row->output || old->output) && same(row, old))
			return refuse(row, old, error);
	return PTOWSP_OK;
}

static ptowsp_status add(const char *path, const char *what, bool output, struct ptowsp_error *error)
{
	struct row *row = malloc(sizeof(*row));
	ptowsp_status st = row ? row_init(row, path, what, output, error) : reg_fail(error, PTOWSP_NO_MEMORY, "no memory for the path %.140s", path);

	if (!st)
		st = look(row, error);
	if (st) {
		if (row)
			free(row->place);
		free(row);
		return st;
	}
	row->next = rows;
	rows = row;
	return PTOWSP_OK;
}

ptowsp_status apart_input(const char *path, const char *what, struct ptowsp_error *error)
{
	return add(path, what, false, error);
}

ptowsp_status apart_output(const char *path, const char *what, struct ptowsp_error *error)
{
	ptowsp_status st = apart_named(path, what, error);

	return st ? st : add(path, what, true, error);
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
	struct row row;
	ptowsp_status st = apart_named(path, "what is written", error);

	if (st)
		return st;
	st = row_init(&row, path, "what is written", false, error);
	for (const struct row *old = rows; !st && old; old = old->next)
		if (!old->output && same(&row, old)) {
			row.output = true;
			st = refuse(&row, old, error);
		}
	free(row.place);
	return st;
}

void apart_finish(void)
{
	while (rows) {
		struct row *next = rows->next;

		free(rows->place);
		free(rows);
		rows = next;
	}
}
