/* SPDX-License-Identifier: MIT */
/* fake_log.h - what a fake writes down: a line per call in the file that an environment variable names, and "WRONG ..." for what a client must not do. Hidden: each library
 * has its own. */
#ifndef FAKE_LOG_H
#define FAKE_LOG_H

#include <stdarg.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)
/* Of this library: the name of the variable. */
extern const char *const fake_log_variable;
void fake_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The sentence behind `format` for `text`, an array, in a function of variable arguments; it is logged as wrong, cut. */
void fake_log_wrong(char *text, size_t size, const char *format, va_list list);
#define FAKE_LOG_WRONG(text, format)                                                                                                                           \
	do {                                                                                                                                                   \
		va_list list;                                                                                                                                  \
		va_start(list, format);                                                                                                                        \
		fake_log_wrong(text, sizeof(text), format, list);                                                                                              \
		va_end(list);                                                                                                                                  \
	} while (0)
#pragma GCC visibility pop

#endif
