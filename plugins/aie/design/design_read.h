/* SPDX-License-Identifier: MIT */
/* design_read.h - what the files that make the view of a design know of each other. */
#ifndef AIE_DESIGN_READ_H
#define AIE_DESIGN_READ_H

#include "aie/design/aie_check.h"
#include <setjmp.h>

enum { AIE_DESIGN_FIFOS = 1024, AIE_DESIGN_FUNCTIONS = 1 << 17, AIE_DESIGN_BUFFERS = 4096, AIE_DESIGN_STEPS = 1 << 20, AIE_DESIGN_ENDS = 64 };
enum { AIE_DESIGN_NUMBER = 1 << 30 }; /* most of a size, stride or offset of a DMA: a product of two, four times, is an int64_t */

struct aie_design_reader {
	struct aie_design *design;
	const struct aie_module *module;
	struct ptowsp_error *error;
	jmp_buf out;          /* the design's arena leaves by it, too */
	ptowsp_status status; /* why it was left; OK: there was no memory */
	const struct aie_op *sequence;
};

/* All leave the reader where something is not as it has to be, and the sentence is in the error. */
_Noreturn void aie_design_fail(struct aie_design_reader *reader, const struct aie_op *op, enum aie_rule rule, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
_Noreturn void aie_design_unsupported(struct aie_design_reader *reader, const struct aie_op *op, enum aie_rule rule, const char *what);
/* Has it so many operands (at least, where more), results and regions? */
void aie_design_shape(struct aie_design_reader *reader, const struct aie_op *op, uint32_t operands, bool more, uint32_t results, uint32_t regions);
/* An attribute that must be there, and of this kind. */
const struct aie_attr *aie_design_attr(struct aie_design_reader *reader, const struct aie_op *op, const char *name, enum aie_attr_kind kind);
/* The same as a number from `least` to `most`; one that may be missing keeps what *value_out has. */
void aie_design_number(struct aie_design_reader *reader, const struct aie_op *op, const char *name, bool needed, int64_t least, int64_t most,
		       int64_t *value_out);
bool aie_design_flag(struct aie_design_reader *reader, const struct aie_op *op, const char *name);
/* None but those of the list, which ends with NULL. */
void aie_design_known(struct aie_design_reader *reader, const struct aie_op *op, const char *const *names);
/* "core tile (0,2)" of a tile, in one of a few buffers. */
const char *aie_design_tile_text(const struct aie_design *design, uint32_t tile);
/* The fifo of a symbol's name, which is of the same module. */
uint32_t aie_design_symbol(const struct aie_design *design, const char *name);

/* From an operation of the device to a row of the design. */
void aie_design_read_fifo(struct aie_design_reader *reader, const struct aie_op *op);
void aie_design_read_link(struct aie_design_reader *reader, const struct aie_op *op);
/* Behind all links. */
void aie_design_read_allocate(struct aie_design_reader *reader, const struct aie_op *op);
/* Behind the last fifo and link: depths of cores' ends, which fifos move, whose memory. */
void aie_design_settle_fifos(struct aie_design_reader *reader);
void aie_design_read_sequence(struct aie_design_reader *reader, const struct aie_op *op);

#endif
