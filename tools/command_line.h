/* SPDX-License-Identifier: MIT */
/* command_line.h - the command line of a tool: a table of flags, made of the tool's flags.def, and a struct that takes their values.
 *
 * "--name VALUE", "--name=VALUE", "-l VALUE" or "-lVALUE", in any order among words that are no flags; "--" ends the flags, and "-" is a word.
 * Texts are those of argv, and values that need a value are never empty. */
#ifndef TOOLS_COMMAND_LINE_H
#define TOOLS_COMMAND_LINE_H

#include "ptowsp/base.h"

#include <stdbool.h>
#include <stddef.h>

enum flag_sort {
	FLAG_MODE,     /* what the tool is to do, one thing at the most; field: a number of the tool's */
	FLAG_PAGE,     /* likewise, and nothing behind it is read */
	FLAG_FLAG,     /* bool */
	FLAG_OPTIONAL, /* const char *: what stands behind "=", flag_bare where nothing does, NULL unless given */
	FLAG_TEXT,     /* const char *, NULL unless given */
	FLAG_NUMBER,   /* uint64_t */
	FLAG_COUNT,    /* uint32_t */
	FLAG_REAL,     /* double, 0 or more */
	FLAG_MANY,     /* struct flag_list */
	FLAG_PAIRS     /* struct flag_pairs, no name twice */
};
extern const char flag_bare[];

struct flag {
	const char *name, *argument; /* argument: as --help shows it */
	char letter;                 /* 0: there is none */
	uint8_t sort;
	size_t field; /* offset in the struct, or the number of a MODE or PAGE */
};
/* A row of flags.def as a row of `struct flag flags[]`; type: of the struct. */
#define FLAG_ROW(type, name, letter, sort, field, argument) {name, argument, letter, FLAG_##sort, FLAG_FIELD_##sort(type, field)},
#define FLAG_FIELD_MODE(type, field)                        (size_t)(field)
#define FLAG_FIELD_PAGE(type, field)                        (size_t)(field)
#define FLAG_FIELD_FLAG(type, field)                        offsetof(type, field)
#define FLAG_FIELD_OPTIONAL(type, field)                    offsetof(type, field)
#define FLAG_FIELD_TEXT(type, field)                        offsetof(type, field)
#define FLAG_FIELD_NUMBER(type, field)                      offsetof(type, field)
#define FLAG_FIELD_COUNT(type, field)                       offsetof(type, field)
#define FLAG_FIELD_REAL(type, field)                        offsetof(type, field)
#define FLAG_FIELD_MANY(type, field)                        offsetof(type, field)
#define FLAG_FIELD_PAIRS(type, field)                       offsetof(type, field)

struct flag_list {
	const char **at; /* owned */
	uint32_t count;
};
struct flag_pair {
	char *name; /* owned */
	const char *value;
	bool met; /* of the tool: something has that name */
};
struct flag_pairs {
	struct flag_pair *rows; /* owned */
	uint32_t count;
};
/* A row more; name is owned by the pairs then, and freed where there is no memory. */
ptowsp_status flag_pairs_add(struct flag_pairs *pairs, char *name, const char *value, struct ptowsp_error *error);
/* Row by name, NULL if there is none. */
const struct flag_pair *flag_pairs_find(const struct flag_pairs *pairs, const char *name);
void flag_pairs_finish(struct flag_pairs *pairs);

enum { COMMAND_LINE_FLAGS = 64 }; /* of a tool, at the most */
struct command_line {
	const struct flag *flags;
	size_t count;
	void *into; /* has the fields of the flags, and the values of those that are not given */
	/* What was read: */
	const struct flag *mode; /* of sort MODE or PAGE, NULL: none */
	const struct flag *last; /* whose value is the last argument, and does not stand behind its "="; NULL: none */
	const char *last_value;
	bool given[COMMAND_LINE_FLAGS];
	struct flag_list words; /* that are no flags; the caller frees the list */
};
/* flags, count and into are the caller's, the rest is zero. Errors: INVALID, NO_MEMORY; lists and words are to be freed in any case. */
ptowsp_status command_line_read(struct command_line *line, int argc, char **argv, struct ptowsp_error *error);
bool command_line_has(const struct command_line *line, const char *name);
/* Frees lists and pairs of the struct. */
void flags_finish(const struct flag *flags, size_t count, void *into);

#endif
