/* SPDX-License-Identifier: MIT */
/* rt_error.h - one sentence into the caller's error record. */
#ifndef RT_ERROR_H
#define RT_ERROR_H

#include "ptowsp/base.h"

#if defined(__GNUC__)
#define RT_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define RT_PRINTF(text, first)
#endif

/* Returns code, so that `return rt_fail(error, PTOWSP_INVALID, ...)` reads as one step. error may be NULL. */
ptowsp_status rt_fail(struct ptowsp_error *error, ptowsp_status code, const char *text, ...) RT_PRINTF(3, 4);
/* The same with where[0] = task and where[1] = kernel (KREG row), UINT64_MAX where unknown. */
ptowsp_status rt_fail_at(struct ptowsp_error *error, ptowsp_status code, uint64_t task, uint64_t kernel, const char *text, ...) RT_PRINTF(5, 6);
/* rt_error_behind gives the part of a sentence behind "kernel NAME", with which sentences of tile programs begin ("kernel one line 3: ..."), as " line 3: ..."; NULL if
 * the sentence begins otherwise. A caller that names the kernel puts this part behind the name, so that no sentence names a kernel twice. */
const char *rt_error_behind(const char *text, const char *kernel);
/* Its sentence becomes one line: names in it are the package's, which may have any bytes. */
void rt_error_line(struct ptowsp_error *error);
ptowsp_status rt_no_memory(struct ptowsp_error *error, const char *what);

#endif
