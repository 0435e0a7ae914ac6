/* SPDX-License-Identifier: MIT */
/* common_decimal.h - decimal numbers with a point, whatever the locale of the program around says: what is written into sources has to mean the same everywhere. */
#ifndef REGISTRY_COMMON_COMMON_DECIMAL_H
#define REGISTRY_COMMON_COMMON_DECIMAL_H

#include <stddef.h>

/* The value as printf writes it with %.*g, or with %.*e where the form is 'e', into room bytes of text. [any] */
void common_decimal_print(char *text, size_t room, char form, int digits, double value);
/* As strtod and strtof; end_out may be NULL. [any] */
double common_decimal_double(const char *text, char **end_out);
float common_decimal_float(const char *text, char **end_out);

#endif
