/* SPDX-License-Identifier: MIT */
/* call_record.h - calls that are expanded in place leave a record (CALL, CARG): what the source says, which its instructions do not show. */
#ifndef LANG_CALL_RECORD_H
#define LANG_CALL_RECORD_H

#include "lang/lang_lower.h"

/* A call by the code of an entry (ENTR row, PTOWSP_NONE: a process) begins; its arguments follow, tensors by position, then scalars. The record. */
uint32_t lang_call_begin(struct lang_lower *lower, uint32_t caller, uint32_t callee);
/* A tensor (TENS row) from where it begins, EXPR rows. */
void lang_call_tensor(struct lang_lower *lower, uint32_t record, uint32_t tensor, uint32_t row, uint32_t column);
/* The scalars that the function needs, by their symbols: in what order it declares them is not said. values: EXPR rows. */
void lang_call_scalars(struct lang_lower *lower, uint32_t record, const struct lang_function *callee, const uint32_t *values);
/* All of its instructions are there. */
void lang_call_end(struct lang_lower *lower, uint32_t record);

#endif
