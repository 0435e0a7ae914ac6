/* SPDX-License-Identifier: MIT */
/* ir_form.h - what the files of ir_form share: patterns, and a function for each shape of ir_ops.def that has none. */
#ifndef AIE_IR_FORM_H
#define AIE_IR_FORM_H

#include "aie/ir/ir_ops.h"
#include "aie/ir/ir_read.h"

/* Reads what stands behind an operation's name and fills it. False: the reader says why. */
typedef bool aie_form(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row);

/* ir_form.c: ':' before a type; ',' before an operand; the type of an operand, which is read before; ": T to U", where T is the first operand's type: U; a dictionary, if one
 * stands here; an array of numbers of so many bits as attribute `name`. */
bool aie_form_colon(struct aie_reader *reader);
bool aie_form_comma(struct aie_reader *reader);
bool aie_form_typed(struct aie_reader *reader, const struct aie_op *op, uint32_t operand, const struct aie_type **type_out);
bool aie_form_from_to(struct aie_reader *reader, struct aie_op *op, const struct aie_type **to_out);
bool aie_form_attrs(struct aie_reader *reader, struct aie_op *op);
bool aie_form_ints(struct aie_reader *reader, struct aie_op *op, const char *name, uint32_t bits, uint32_t count, const int64_t *ints);

/* ir_form_scf.c: %a = %b, ...) behind the opening mark: operands, and names behind the `count` that there are, of a loop that begins at `at`; -> (types), if it stands here: results; the types of operands
 * from `first` on. */
bool aie_form_carried(struct aie_reader *reader, const struct aie_token *at, struct aie_op *op, struct aie_group *names, uint32_t *count);
bool aie_form_results(struct aie_reader *reader, struct aie_op *op);
bool aie_form_types(struct aie_reader *reader, const struct aie_op *op, uint32_t first);
/* Values: of a yield, a return. */
aie_form aie_form_for, aie_form_if, aie_form_values;
/* ir_form_func.c: and the module. */
aie_form aie_form_call, aie_form_function, aie_form_module;

/* ---- ir_form_pattern.c: patterns as ir_form.def has them */

/* The pattern of a shape; NULL: its operations have functions of their own. */
const char *aie_form_pattern(enum aie_shape shape);
bool aie_form_by_pattern(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row, const char *pattern);
/* An operation of aie, aiex or cf. *known_out: there is a row for it; else nothing was read. */
bool aie_form_device(struct aie_reader *reader, struct aie_op *op, const struct aie_token *at, bool *known_out);
/* Prints an operation; false: it has not what the pattern says, and nothing was printed. */
struct aie_custom;
bool aie_custom_by_pattern(const struct aie_custom *custom, const struct aie_op *op, const struct aie_op_row *row, const char *pattern, uint32_t depth);

/* A number as attribute `name` of i32; a word of a list as its number; @name as a string. */
const struct aie_attr *aie_form_i32(struct aie_reader *reader, int64_t value);
bool aie_form_number(struct aie_reader *reader, struct aie_op *op, const char *name);
bool aie_form_listed(struct aie_reader *reader, struct aie_op *op, const char *list, const char *name);
bool aie_form_symbol(struct aie_reader *reader, struct aie_op *op, const char *name);

/* ir_form_more.c: the rest behind an operation's pattern. False: the reader says why. */
typedef bool aie_form_rest(struct aie_reader *reader, struct aie_op *op);
aie_form_rest aie_form_dma, aie_form_task, aie_form_switch, aie_form_logical, aie_form_value, aie_form_descriptor, aie_form_masterset, aie_form_allocation,
	aie_form_fifo, aie_form_fifo_link, aie_form_more_results, aie_form_sequence, aie_form_memcpy, aie_form_skipped, aie_form_branch, aie_form_while,
	aie_form_condition, aie_form_global;

#endif
