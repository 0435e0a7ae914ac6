/* SPDX-License-Identifier: MIT */
/* views.h - flat memory that tasks pass: all tasks of a kernel see a parameter of theirs alike, as elements or as bytes of a tensor of u8. */
#ifndef LANG_VIEWS_H
#define LANG_VIEWS_H

#include "lang/lang_lower.h"

#define LANG_VIEW_PROCESSES 1u /* scope: an entry that has processes around sees theirs, too; others have one each */

/* How the first task of a kernel passes a tensor. */
struct lang_view {
	uint32_t scope; /* 0: none has */
	uint8_t viewed;
	struct lang_span at;
};
/* What a task passes for one tensor parameter. */
struct lang_viewing {
	uint32_t kernel;      /* KREG row */
	const char *name;     /* of the kernel */
	uint32_t count;       /* its tensors */
	uint32_t tensor;      /* which of them */
	const char *param;
	uint8_t flat, viewed; /* viewed: bytes as elements of its type */
	struct lang_span at;
};
/* Tasks in the order of their code. An error at the one that passes flat memory in another way than the first one did. */
void lang_view_note(struct lang_lower *lower, const struct lang_viewing *viewing);

#endif
