/* SPDX-License-Identifier: MIT */
/* standard.h - the three streams that a tool is started with: none of its files gets one of their numbers, and stdout says why it failed. */
#ifndef TOOLS_STANDARD_H
#define TOOLS_STANDARD_H

#include "ptowsp/base.h"

/* First of all, once, while there is one thread: numbers 0 to 2 that are closed are opened so that using them fails, and stdout keeps the reason of its
 * first failure. Where there is no memory for that stdout stays as it is. */
void standard_begin(void);
/* Flushes stdout. Errors: IO if something that was printed since the beginning did not get through, with the system's reason for the first part of it. */
ptowsp_status standard_check(struct ptowsp_error *error);
/* Between the two stdout is stderr, for code of others that this process has loaded. From the first call on number 1 is what number 2 is, and stdout goes where it went. Not nested. */
void standard_lend(void);
void standard_take_back(void);
/* The exit status of a tool behind its last line: status, or with a sentence on stderr `instead` where stdout was not written. */
int standard_end(const char *tool, int status, int instead);

#endif
