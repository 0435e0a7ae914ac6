/* SPDX-License-Identifier: MIT */
/* ascend_text.h - names of packages in C++ that is emitted: at most 200 bytes of each. */
#ifndef ASCEND_TEXT_H
#define ASCEND_TEXT_H

#include "registry/common/common_text.h"

/* A name between quotes of C, quotes included. */
void ascend_text_quote(struct common_text *text, const char *name);

#endif
