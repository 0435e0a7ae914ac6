/* SPDX-License-Identifier: MIT */
/* command.h - a command line that is put together word by word, and run without a shell. */
#ifndef ASCEND_COMMAND_H
#define ASCEND_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#define ASCEND_WORDS 96
struct ascend_command {
	char *words[ASCEND_WORDS + 1]; /* owned, a NULL at the end */
	uint32_t count;
	bool full; /* a word did not fit, or there was no memory: it must not be run */
};
void ascend_command_add(struct ascend_command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The words of an environment variable, which may be a program with arguments, or of `standard` where it is not set. */
void ascend_command_begin(struct ascend_command *command, const char *variable, const char *standard);
void ascend_command_finish(struct ascend_command *command);
/* In a folder, with everything that it writes going into the file `log`. Its exit code; 127: there is no such program; 128: a signal ended it. */
int ascend_command_run(const struct ascend_command *command, const char *folder, const char *log);

#endif
