/* SPDX-License-Identifier: MIT */
/* ir_form_aie.h - what the two files that read operations of aie and aiex know of each other. */
#ifndef AIE_IR_FORM_AIE_H
#define AIE_IR_FORM_AIE_H

#include "aie/ir/ir_form.h"

/* Reads the rest behind an operation's pattern. False: the reader says why. */
typedef bool aie_form_rest(struct aie_reader *reader, struct aie_op *op);

/* A number as attribute `name` of i32; a word of a list as its number; @name as a string. */
const struct aie_attr *aie_form_i32(struct aie_reader *reader, int64_t value);
bool aie_form_number(struct aie_reader *reader, struct aie_op *op, const char *name);
bool aie_form_listed(struct aie_reader *reader, struct aie_op *op, const char *list, const char *name);
bool aie_form_symbol(struct aie_reader *reader, struct aie_op *op, const char *name);

/* ir_form_more.c */
aie_form_rest aie_form_dma, aie_form_task, aie_form_switch, aie_form_logical, aie_form_initial, aie_form_value, aie_form_descriptor, aie_form_masterset,
	aie_form_allocation, aie_form_fifo, aie_form_fifo_link, aie_form_more_results, aie_form_sequence, aie_form_memcpy, aie_form_skipped, aie_form_branch,
	aie_form_while, aie_form_condition, aie_form_global;

#endif
