/* SPDX-License-Identifier: MIT */
/* caps_match.h - what a package asks for against what a backend's capability rows offer: one verdict per directive.
 *
 * Rules. A directive without a row is diagnosed; it is refused only if it must be enforced, or if the package's REQS ask
 * for more. A bytecode opcode or payload kind without a row is unsupported. A value outside a row's limits is met as
 * diagnosed at best. `unsupported` is always refused. Operations of portable kernels are judged by TILE rows, and by the backend, whose word is the last. An instruction of a graph without a row is judged by the bytecode that it became. */
#ifndef REGISTRY_CAPS_MATCH_H
#define REGISTRY_CAPS_MATCH_H

#include <stdbool.h>

#include "ptowsp/caps.h"
#include "ptowsp/package.h"
#include "registry/common/common_tile.h"
#include "registry/expression.h"

enum reg_native {                       /* outcome of a kernel's native code on this machine */
		  REG_NATIVE_NONE,      /* it has none */
		  REG_NATIVE_FIRST,     /* it may run, and stands before any portable payload */
		  REG_NATIVE_SECOND,    /* a portable payload stands before it */
		  REG_NATIVE_UNTRUSTED, /* it is for this machine, but the package is not trusted */
		  REG_NATIVE_ELSEWHERE  /* all of it is for other machines */
};
/* A backend's judgement of a kernel (support.h). */
struct reg_support {
	uint8_t state;      /* PTOWSP_STATE_UNSUPPORTED: it cannot run it; DIAGNOSED: the processor runs it; ENFORCED: the device does */
	bool told;          /* else nothing is said */
	uint32_t op;        /* that it is about; PTOWSP_NONE: no single one */
	const char *reason; /* one clause */
};
/* A kernel that the program calls. */
struct reg_kernel_need {
	const char *name;
	uint32_t kinds;        /* bit k: it has a payload of kind k that may be used here (trust, target) */
	bool carried;          /* it has a payload, usable or not */
	bool served;           /* a C function of that name is registered */
	uint8_t native;        /* enum reg_native */
	const char *target;    /* of its native code, "" if that names none; may be NULL without any */
	const char *untrusted; /* why the package is not trusted, "": nobody asked its signatures; may be NULL */
	char flaw[144];        /* of native code that may run: why it cannot be loaded, "" if nobody has found anything */
	const void *portable;  /* payload of kind pto that may be used here, untrusted bytes; NULL: none */
	size_t portable_size;
	struct reg_support judged; /* by the backend */
};

/* The needs of a program; everything borrowed. */
struct reg_needs {
	const struct ptowsp_directive_record *directives;
	const struct ptowsp_requirement_record *requirements;
	const struct reg_kernel_need *kernels;
	uint32_t directive_count, requirement_count, kernel_count;
	const uint8_t *opcodes;              /* 256 flags: opcode is used */
	const uint8_t *graph;                /* 256, by instruction of graph_ops.def: bit 0 it is used, bit 1 + k with a scope of code k; NULL: none */
	uint32_t channels;                   /* bit k: it has channels of kind k, PTOWSP_CHANNEL_x */
	bool memory;                         /* it has tensors that do not lie in row_major order */
	struct reg_expression_tables tables; /* that the directives refer to */
	bool strict;                         /* every directive must be enforced */
};

/* A device's rows as the plugin gave them. */
struct reg_caps {
	const void *rows;       /* struct ptowsp_cap and what later minors append */
	uint32_t count, stride; /* stride >= 32 */
};
/* NULL if the backend has no row for it. The best one counts if there are several. */
const struct ptowsp_cap *reg_caps_find(const struct reg_caps *caps, uint32_t feature);

enum { REG_VERDICT_DIRECTIVE, REG_VERDICT_OPCODE, REG_VERDICT_KERNEL, REG_VERDICT_REQUIREMENT, REG_VERDICT_GRAPH, REG_VERDICT_TILE };
struct reg_verdict {
	uint32_t feature;
	uint8_t kind;     /* REG_VERDICT_x */
	uint8_t state;    /* how it is met: PTOWSP_STATE_x */
	uint8_t wanted;   /* the least state asked for, 0: anything but unsupported */
	uint8_t refused;  /* 1: the program cannot be loaded */
	uint32_t row;     /* of the SCHD rows that were given, PTOWSP_NONE for other kinds */
	char what[88];    /* "dispatch=round_robin(4)" */
	char reason[232]; /* why it is not enforced; "" if it is. Of a kernel with native code: what runs, and why */
};

/* One row per directive, in order; then rows for opcodes, kernels and requirements that are not enforced, and for every kernel with native code.
 * *rows_out: malloc'd, freed by the caller. Returns OK also if something is refused. Errors: NO_MEMORY. Any thread. */
ptowsp_status reg_match(const struct reg_needs *needs, const struct reg_caps *caps, struct reg_verdict **rows_out, uint32_t *count_out);
/* First refused row, NULL if there is none. */
const struct reg_verdict *reg_match_refused(const struct reg_verdict *rows, uint32_t count);

#endif
