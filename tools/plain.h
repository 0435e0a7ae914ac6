/* SPDX-License-Identifier: MIT */
/* plain.h - text that others chose, such as names of files, where a terminal or a reader of JSON gets it. */
#ifndef TOOLS_PLAIN_H
#define TOOLS_PLAIN_H

#include <stdio.h>

struct json_t;

/* The text as a JSON string; a text that is not UTF-8 with '?' for every byte that is not ASCII. To be given away; NULL: no memory. */
struct json_t *plain_json(const char *text);
/* As fprintf, where the format has line ends at its beginning and end only, with '?' for whatever of the arguments is more than text (reg_text_plain). */
void plain_print(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same and a line end, which makes it one line, and no command to the terminal. */
void plain_line(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
