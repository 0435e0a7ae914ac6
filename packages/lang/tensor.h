/* SPDX-License-Identifier: MIT */
/* tensor.h - declared tensors and how they are laid out. */
#ifndef LANG_TENSOR_H
#define LANG_TENSOR_H

#include <stdbool.h>

#include "lang/decl.h"
#include "lang/lang_layout.h"
#include "lang/scalar.h"

/* LANG_DECL_TENSOR; the TENS row is head.row. */
struct lang_tensor {
	struct lang_decl head;
	uint16_t dtype, role, space;
	uint8_t space_stated;
	uint32_t alignment; /* 0: not stated */
	uint8_t rank;
	struct lang_scalar *extents[LANG_MAX_RANK];
	struct lang_layout layout;
	struct lang_span type_at;
	uint8_t read, written;            /* by some statement */
	uint8_t filled;                   /* some statement writes it without reading it */
	struct lang_span inout_at;        /* out: where a statement uses it as inout first, line 0: nowhere */
	const char *inout_user;           /* whose use that is */
	uint8_t handed;                   /* some statement passes its address and does not say what is done there */
	struct lang_span early_at;        /* temp: where a body reads it first, on whatever way, that has not written it; line 0: nowhere */
	const char *early_reader;         /* whose read that is */
	const struct lang_decl *early_in; /* the body */
	const char *axis;                 /* whose lengths or indices it holds; NULL: none's that has been seen */
	const struct lang_tensor *origin; /* of what relayout makes: what it is a copy of; NULL: it is declared */
};
void lang_tensor_parse(struct lang_parser *parser);
void lang_tensor_check(struct lang_module *module, struct lang_decl *decl);
/* Can it lie so? Whole blocks, and no two elements in one place. name: what messages call it. 0 after an error. */
bool lang_tensor_memory_check(struct lang_unit *unit, const struct lang_tensor *tensor, const struct lang_memory *memory, const char *name);
void lang_tensor_build(struct lang_lower *lower, struct lang_decl *decl);
/* After all bodies: outputs that are read although nothing fills them, those that nothing writes, and temp tensors that are read before
 * anything writes them. */
void lang_tensors_finish(struct lang_module *module);
/* The entry at hand touches the tensor: what its shape is made of becomes a value of the entry. */
void lang_tensor_use(struct lang_lower *lower, const struct lang_tensor *tensor);
/* The tensor as a matrix: the last dimension are the columns, all others rows. 0 if that depends on symbols. */
bool lang_tensor_shape(const struct lang_tensor *tensor, int64_t *rows_out, int64_t *columns_out);

#endif
