/* SPDX-License-Identifier: MIT */
/* ir_print.h - types, attributes and names of values as text. */
#ifndef AIE_IR_PRINT_H
#define AIE_IR_PRINT_H

#include "aie/ir/ir.h"
#include "registry/common/common_text.h"

void aie_print_type(struct common_text *text, const struct aie_type *type);
void aie_print_attr(struct common_text *text, const struct aie_attr *attr);
/* [<size = 4, stride = 8>, ...] */
void aie_print_dims(struct common_text *text, const struct aie_attr *dims);
/* @name, "text" and names of attributes, in quotes where they need them. */
void aie_print_symbol(struct common_text *text, const char *name);
void aie_print_string(struct common_text *text, const char *string);
/* {a = 1 : i32, b} without those of the list of names, which ends with NULL and may be NULL; nothing where none is left. `before` stands before it. */
void aie_print_attrs(struct common_text *text, const struct aie_op *op, const char *const *without, const char *before);
/* (a, b) -> c */
void aie_print_signature(struct common_text *text, const struct aie_type *function);

/* Names of values, by id: those of a module, counted from its beginning. */
struct aie_names {
	uint32_t *numbers; /* owned */
	uint32_t results, arguments;
};
/* A use: %3, %3#1, %arg0. */
void aie_print_value(struct common_text *text, const struct aie_names *names, const struct aie_value *value);
/* `%3 = `, `%3:2 = ` or nothing. */
void aie_print_results(struct common_text *text, const struct aie_names *names, const struct aie_op *op);
void aie_print_indent(struct common_text *text, uint32_t depth);
/* An operation in the generic form, its regions included, without the line's end. */
void aie_print_generic(struct common_text *text, const struct aie_names *names, const struct aie_op *op, uint32_t depth);
/* dense<...> without its type. */
void aie_print_dense(struct common_text *text, const struct aie_attr *attr);
/* The same as people write it; what has no such form, or not what the form needs, in the generic one. epoch_b: acquire has the objects as its results. */
void aie_print_custom(struct common_text *text, const struct aie_names *names, const struct aie_op *op, uint32_t depth, bool epoch_b);

/* ---- what the files that print operations as people write them know of each other */

struct aie_custom {
	struct common_text *text;
	const struct aie_names *names;
	bool epoch_b;
};
/* A use; objects of a view have names of their own in epoch A. */
void aie_custom_value(const struct aie_custom *custom, const struct aie_value *value);
/* %a, %b from `first` on. */
void aie_custom_values(const struct aie_custom *custom, struct aie_value *const *values, uint32_t first, uint32_t end);
/* %a: i32, %b: f32 */
void aie_custom_arguments(const struct aie_custom *custom, const struct aie_region *region, uint32_t first);
/* { operations } without `without`, the last one that goes without saying; NULL: all. */
void aie_custom_region(const struct aie_custom *custom, const struct aie_region *region, uint32_t depth, const char *without);
void aie_custom_op(const struct aie_custom *custom, const struct aie_op *op, uint32_t depth);
/* An operation of aie, aiex or cf; false: it has no such form, or not what it needs, and nothing was printed. */
typedef bool aie_custom_form(const struct aie_custom *custom, const struct aie_op *op, uint32_t depth);
/* ir_form_pattern.c: by its row of ir_form.def; by the pattern of that row. */
aie_custom_form aie_custom_device_op, aie_custom_row;
/* ir_custom_device.c */
aie_custom_form aie_custom_device, aie_custom_fifo, aie_custom_link, aie_custom_acquire, aie_custom_sequence, aie_custom_task;

#endif
