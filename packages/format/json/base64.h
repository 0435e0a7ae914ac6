/* SPDX-License-Identifier: MIT */
/* base64.h - bytes as text (RFC 4648, with padding), for byte sections in the JSON form. */
#ifndef FORMAT_BASE64_H
#define FORMAT_BASE64_H

#include <stddef.h>
#include <stdint.h>

/* NUL-terminated text to be freed, NULL without memory. */
char *pkg_base64_write(const void *bytes, size_t size);

/* Bytes to be freed (never NULL unless without memory); *size_out SIZE_MAX if text is not base64, *at_out is then the first
 * character that is wrong. */
uint8_t *pkg_base64_read(const char *text, size_t length, size_t *size_out, size_t *at_out);

#endif
