/* SPDX-License-Identifier: MIT */
/* record_program.h - writes a program directly as section records, as a backend gets them, where neither source text nor a file is wanted. */
#ifndef TESTS_FAKE_PROGRAM_H
#define TESTS_FAKE_PROGRAM_H

#include "ptowsp/package.h"
#include "ptowsp/run.h"
#include "ptowsp/workload.h"
#include <stdbool.h>

#define FAKE_TABLES 24u

/* Grows row by row; a failed allocation is remembered and seal then gives nothing. One thread. */
struct fake_program {
	struct fake_table {
		uint32_t type, stride;
		uint64_t count, room; /* rows */
		unsigned char *rows;  /* owned, 64-byte aligned */
	} tables[FAKE_TABLES];
	uint32_t table_count;
	bool failed;
	struct ptowsp_section sections[FAKE_TABLES]; /* after seal */
};

void fake_program_init(struct fake_program *program);
void fake_program_finish(struct fake_program *program);

/* Appends a record of section `type`; returns its row. */
uint32_t fake_program_row(struct fake_program *program, uint32_t type, const void *record, uint32_t size);
/* STRS offset. */
uint32_t fake_program_string(struct fake_program *program, const char *text);

/* A kernel with that many tensor and then scalar parameters; payload: a portable one of size bytes, or NULL. */
uint32_t fake_program_kernel(struct fake_program *program, const char *name, uint32_t tensors, uint32_t scalars, const void *payload, uint64_t size);
/* An f32 tensor of rows x columns elements. */
uint32_t fake_program_tensor(struct fake_program *program, const char *name, uint32_t rows, uint32_t columns);
/* Expressions: EXPR rows. */
uint32_t fake_program_const(struct fake_program *program, int64_t value);
uint32_t fake_program_expr(struct fake_program *program, unsigned op, uint32_t a, uint32_t b);
/* [row, 0] of rows x columns elements; row is an expression. */
uint32_t fake_program_region(struct fake_program *program, uint32_t tensor, uint32_t row, uint32_t rows, uint32_t columns);
/* 0 .. high, step 1; high is an expression. */
uint32_t fake_program_axis(struct fake_program *program, const char *name, uint32_t high);
void fake_program_directive(struct fake_program *program, unsigned directive, unsigned policy, int64_t a0);

/* Bytecode. begin: an instruction whose operand2 is the place behind its body, which fake_program_end fills. */
uint32_t fake_program_emit(struct fake_program *program, unsigned opcode, uint32_t operand1, uint32_t operand2);
void fake_program_end(struct fake_program *program, uint32_t instruction);
/* A task of `kernel`: follow with one IO_ word per tensor and one PARAM_ word per scalar. */
void fake_program_task(struct fake_program *program, uint32_t kernel, uint32_t tensors, uint32_t scalars);

/* Adds HALT, the entry "main" and WORK. NULL without memory. Borrowed until finish. */
const struct ptowsp_section *fake_program_seal(struct fake_program *program, uint32_t *count_out);

#endif
