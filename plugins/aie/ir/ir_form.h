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

#endif
