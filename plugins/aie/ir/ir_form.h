/* SPDX-License-Identifier: MIT */
/* ir_form.h - what the files of ir_form share: one per dialect, with a function per shape of ir_ops.def. */
#ifndef AIE_IR_FORM_H
#define AIE_IR_FORM_H

#include "aie/ir/ir_ops.h"
#include "aie/ir/ir_read.h"

/* Reads what stands behind an operation's name and fills it. False: the reader says why. */
typedef bool aie_form(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row);

/* ir_form.c: ':' before a type; ',' before an operand; the type of an operand, which is read before; ": T to U", where T is the first operand's type: U; a dictionary, if one
 * stands here. */
bool aie_form_colon(struct aie_reader *reader);
bool aie_form_comma(struct aie_reader *reader);
bool aie_form_typed(struct aie_reader *reader, const struct aie_op *op, uint32_t operand, const struct aie_type **type_out);
bool aie_form_from_to(struct aie_reader *reader, struct aie_op *op, const struct aie_type **to_out);
bool aie_form_attrs(struct aie_reader *reader, struct aie_op *op);
/* ir_form_arith.c: fastmath<fast>, overflow<nsw>, if they stand here. */
bool aie_form_flags(struct aie_reader *reader, struct aie_op *op);

/* ir_form_arith.c */
aie_form aie_form_constant, aie_form_binary, aie_form_unary, aie_form_compare, aie_form_select, aie_form_convert;
/* ir_form_memref.c */
aie_form aie_form_load, aie_form_store, aie_form_alloc, aie_form_dealloc, aie_form_copy, aie_form_view, aie_form_subview;
/* ir_form_scf.c: values: of a yield, a return. */
aie_form aie_form_for, aie_form_if, aie_form_values;
/* ir_form_aie.c: an operation of aie, aiex or cf. *known_out: there is a form of it; else nothing was read. */
bool aie_form_device(struct aie_reader *reader, struct aie_op *op, const struct aie_token *at, bool *known_out);
/* ir_form_func.c: and the module. */
aie_form aie_form_call, aie_form_function, aie_form_module;

/* ---- what the two files that read operations of aie and aiex know of each other */

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
