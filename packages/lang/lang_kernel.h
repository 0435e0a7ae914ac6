/* SPDX-License-Identifier: MIT */
/* lang_kernel.h - declared kernels: typed parameters, a unit, payloads per target. */
#ifndef LANG_KERNEL_H
#define LANG_KERNEL_H

#include <stdbool.h>

#include "lang/lang_layout.h"
#include "lang/lang_map.h"
#include "lang/scalar.h"

struct lang_kernel_param {
	const char *name;
	struct lang_span at, type_at;
	uint8_t tensor; /* 0: a scalar */
	uint8_t access; /* tensors: PTOWSP_READ | PTOWSP_WRITE */
	uint16_t dtype;
	uint8_t rank;      /* tensors: 0 any shape, 1, 2 */
	uint32_t argument; /* its number among the tensors, or among the scalars */
	struct lang_scalar *extents[2];
	uint32_t rows, columns;    /* of the shape, 0: any */
	struct lang_layout layout; /* tensors: what is passed has to join with it */
};
struct lang_payload {
	uint16_t kind;                     /* PTOWSP_PAYLOAD_x */
	const char *target, *file, *entry; /* entry NULL: the offset says; PTO that is not encoded: file is the name of the InCore function */
	uint8_t encoded;                   /* 1: file is the bytes themselves, in base64 */
	struct lang_span at, file_at;
	struct lang_scalar *cycles;    /* fixed cycles per call; NULL: the backend's model */
	struct lang_scalar *workspace; /* bytes that it needs; NULL: what the kernel says */
	struct lang_scalar *offset;    /* of its entry in its bytes; NULL: 0 */
	uint8_t unit_stated;
	uint16_t unit;     /* it is made for; not stated: the kernel's */
	const void *bytes; /* of the file, read when the kernel is checked */
	size_t size;
	struct lang_function *function; /* PTO: whose code it is */
};
/* "variant 64 @k_64": at that tile level another kernel, or an InCore function, takes its place. */
struct lang_kernel_variant {
	struct lang_scalar *level;
	const char *name;
	struct lang_span at; /* of the name */
	uint32_t rows;
	struct lang_kernel *kernel; /* found by checking: one of the two */
	struct lang_function *function;
};
/* LANG_DECL_KERNEL; the KREG row is head.row. */
struct lang_kernel {
	struct lang_decl head;
	struct lang_kernel_param *params;
	uint32_t param_count, param_capacity;
	struct lang_kernel_list {
		uint32_t *params; /* their places in params */
		uint32_t count, capacity;
	} scalars, tensors;
	struct lang_map names; /* of parameters: struct lang_param_name */
	uint16_t unit;
	uint8_t measured;                         /* its cycles are measured */
	struct lang_scalar *blockdim, *workspace; /* NULL: not stated */
	const char *signature;                    /* NULL: the uniform one */
	struct lang_span signature_at;
	const char *function; /* C function that serves it where no payload does; NULL: that of its name */
	struct lang_payload *payloads;
	uint32_t payload_count, payload_capacity;
	struct lang_kernel_variant *variants;
	uint32_t variant_count, variant_capacity;
	uint8_t steps_warned;     /* its tiles are larger than a step: said */
	uint32_t *missing_levels; /* tile levels at which it is called and has no variant */
	uint32_t lacking_count, lacking_capacity;
	uint32_t payload_row; /* the row that holds its payloads plus 1, 0: none yet */
};

/* A parameter in the map of its kernel's names; parameters themselves move while they are read. */
struct lang_param_name {
	uint32_t param;
};

/* A parameter of a function or of a declared kernel: what is passed for it, whoever calls. */
struct lang_param {
	const char *name; /* NULL: there is none */
	struct lang_span at;
	uint8_t tensor, access, rank;
	uint8_t loose; /* a function gathers from it, or takes only some branch to it: smaller parts will do */
	uint16_t dtype;
	uint32_t rows, columns;           /* tensors; 0: any */
	uint32_t argument;                /* among tensors, or among scalars */
	const struct lang_layout *layout; /* tensors of kernels; NULL: a function says nothing of it */
};
/* One of the two is NULL. Of a function first tensors, then the scalars that it needs; of a kernel in order of declaration. */
struct lang_param lang_param(const struct lang_function *function, const struct lang_kernel *kernel, uint32_t index);
/* The same counted among tensors, or among scalars; of neither function nor kernel there are none. */
uint32_t lang_param_count(const struct lang_function *function, const struct lang_kernel *kernel, bool tensors);
struct lang_param lang_param_of(const struct lang_function *function, const struct lang_kernel *kernel, bool tensors, uint32_t number);

void lang_kernel_parse(struct lang_parser *parser);
void lang_kernel_check(struct lang_module *module, struct lang_decl *decl);
void lang_kernel_build(struct lang_lower *lower, struct lang_decl *decl);
/* The variant for a tile level; NULL: the kernel itself runs there. */
const struct lang_kernel_variant *lang_kernel_variant_at(const struct lang_kernel *kernel, uint32_t rows);
/* Rows and columns of a variant's tensor, counted among tensors; 0: any. */
void lang_kernel_variant_shape(const struct lang_kernel_variant *variant, uint32_t tensor, uint32_t *rows_out, uint32_t *columns_out);
/* The kernel is called where a loop may run at that level: notes it if there is no variant. */
void lang_kernel_level_note(struct lang_lower *lower, struct lang_kernel *kernel, uint32_t rows);
/* A row of the kernel under a name: signature, parameters, C function, and its payloads, which the first row holds for all. record: the other fields.
 * The row. */
uint32_t lang_kernel_row_build(struct lang_lower *lower, struct lang_kernel *kernel, const char *name, struct ptowsp_kernel_record record);

#endif
