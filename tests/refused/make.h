/* SPDX-License-Identifier: MIT */
/* make.h - the cases of tests/refused: good packages, each with one thing wrong. */
#ifndef TESTS_REFUSED_MAKE_H
#define TESTS_REFUSED_MAKE_H

#include "format/format_seal.h"

/* A file being spoilt; bytes has room behind size. */
struct bytes {
	uint8_t *bytes;
	size_t size;
};
#define BYTES_ROOM 4096u

/* Changes the bytes of the sample package; digests are recomputed by those who want it. */
struct raw_case {
	const char *name;
	void (*change)(struct bytes *file);
};
extern const struct raw_case raw_cases[];
extern const size_t raw_case_count;
extern const struct raw_case signature_cases[];
extern const size_t signature_case_count;

/* Changes the image of the sample package, which is then sealed: every digest is right. */
struct image_case {
	const char *name;
	void (*change)(struct pkg_image *image);
};
extern const struct image_case image_cases[];
extern const size_t image_case_count;

#endif
