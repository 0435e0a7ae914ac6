/* SPDX-License-Identifier: MIT */
/* command.h - a command line that is put together word by word, and run without a shell. */
#ifndef BASE_COMMAND_H
#define BASE_COMMAND_H

#include "ptowsp/base.h"
#include <stdbool.h>
#include <stdint.h>

#define BASE_COMMAND_WORDS 96
struct base_command {
	char *words[BASE_COMMAND_WORDS + 1]; /* owned, a NULL at the end */
	uint32_t count;
	bool full; /* a word did not fit, or there was no memory: it must not be run */
};
void base_command_add(struct base_command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The words of an environment variable, which may be a program with arguments, or of `standard` where it is not set. */
void base_command_begin(struct base_command *command, const char *variable, const char *standard);
void base_command_finish(struct base_command *command);
/* In a folder, with everything that it writes going into the file `log`. Its exit code; 127: there is no such program; 128: a signal ended it. */
int base_command_run(const struct base_command *command, const char *folder, const char *log);

/* The same for a compiler; its words go into folder/WHAT.log. what: of the thing that it makes; whose: "", or behind that, as in " for the pto-runtime". Errors: INVALID: a
 * word was too long; NO_DEVICE: there is no such program, or it refuses, with its first complaint and the file with all of them. */
ptowsp_status base_command_compile(const struct base_command *command, const char *folder, const char *what, const char *whose, struct ptowsp_error *error);

#endif
