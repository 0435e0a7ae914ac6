/* SPDX-License-Identifier: MIT */
/* tool_call.h - one call of a tool as a user makes it, and whether it ended as cli.md says that tools end. */
#ifndef MUTANTS_CALL_H
#define MUTANTS_CALL_H

#include <stdbool.h>
#include <stdint.h>

enum call_form { CALL_PACKAGE, CALL_JSON, CALL_PLUGIN };
/* A row of calls.def. */
struct call_row {
	const char *tool;
	enum call_form form;
	const char *arguments;
};
extern const struct call_row call_rows[];
extern const unsigned call_row_count;
extern const char *const call_plugins[]; /* CALL_PLUGINS of them */
enum { CALL_PLUGINS = 4 };

/* A place has the tools and the files that they may use, for one process that makes calls. */
struct call_place {
	const char *bin;  /* the folder of the tools */
	char folder[128]; /* one of its own, emptied before each call */
	char key[160];    /* a secret key, for --sign */
	bool sanitized;   /* the tools are built with sanitizers: no limit of addresses, four times the time */
};

enum { CALL_WORDS = 32, CALL_TEXT = 4096 };
struct call {
	char text[CALL_TEXT];    /* of the words */
	char *words[CALL_WORDS]; /* the command, ends in NULL */
};
/* The words of a row for the file; plugin: one of call_plugins, where the row has one. */
void call_make(struct call *call, const struct call_place *place, const struct call_row *row, unsigned plugin, const char *file);

struct call_end {
	int status; /* of wait */
	int code;   /* exit code, -1: ended by a signal */
	uint64_t rss_bytes, ns;
	bool late;       /* killed because it took too long */
	char said[8192]; /* stderr */
};
/* Runs it. 0, or -1 with errno when it could not be started. */
int call_run(const struct call *call, const struct call_place *place, struct call_end *end);
/* The reason why an end is wrong, static text; NULL: the end is right. */
const char *call_problem(const struct call *call, const struct call_end *end);
/* Everything below the folder is removed, itself not. */
void call_folder_empty(const char *folder);

#endif
