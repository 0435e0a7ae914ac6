/* SPDX-License-Identifier: MIT */
/* signature.h - natural C signatures such as "v(p,p,p,i64,f32)": result, then at most 32 arguments. */
#ifndef REGISTRY_SIGNATURE_H
#define REGISTRY_SIGNATURE_H

#include "ptowsp/base.h"

enum reg_type {
#define X(NAME, text, sort, bytes) REG_TYPE_##NAME,
#include "registry/type.def"
#undef X
	REG_TYPE_COUNT
};
enum { REG_SIGNATURE_ARGUMENTS = 32, REG_SIGNATURE_TEXT = 160 };

struct reg_signature {
	uint8_t result;                         /* enum reg_type; its value is ignored */
	uint8_t count;                          /* arguments */
	uint8_t types[REG_SIGNATURE_ARGUMENTS]; /* enum reg_type, never V */
};

/* Blanks are allowed between parts. Errors: INVALID, the sentence quotes the text and names what is wrong. Any thread. */
ptowsp_status reg_signature_parse(struct reg_signature *signature_out, const char *text, struct ptowsp_error *error);
/* Without blanks: two signatures are the same if and only if their texts are. */
void reg_signature_print(const struct reg_signature *signature, char text[REG_SIGNATURE_TEXT]);

#endif
