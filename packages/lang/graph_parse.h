/* SPDX-License-Identifier: MIT */
/* graph_parse.h - reading instructions, in parts: operands, blocks, what is said of objects. Private to them and parse_graph.c. */
#ifndef LANG_GRAPH_PARSE_H
#define LANG_GRAPH_PARSE_H

#include "lang/lang_graph.h"
#include "lang/parse.h"


/* graph_operand.c: "(a, b)" into inst->args, defaults for what is not written. 0 after an error; the parser then stands behind the instruction. */
int lang_graph_operands_parse(struct lang_graph_reader *reader, const struct pkg_graph_form *form, struct lang_graph_inst *inst);
/* Words and instructions are written in capitals: a guess at what is meant by small ones. In the arena. */
const char *lang_graph_upper(struct lang_graph_reader *reader, const char *text);

/* graph_block.c: what opens and what ends a block. NULL: it does not. */
struct lang_graph_frame {
	uint8_t open, end;
};
const struct lang_graph_frame *lang_graph_frame_of_open(unsigned op);
const struct lang_graph_frame *lang_graph_frame_of_end(unsigned op);
/* The instructions that follow stand in this one; until its end, which is told at `end`. */
void lang_graph_block_open(struct lang_graph_reader *reader, struct lang_graph_inst *inst);
void lang_graph_block_close(struct lang_graph_reader *reader, struct lang_span end);
/* The error for a block that is still open. */
void lang_graph_unclosed_refuse(struct lang_graph_reader *reader, const struct lang_graph_inst *inst);
/* An instruction that ends a block: that of the innermost one of its sort; those inside of it that are open are wrong. */
void lang_graph_end_parse(struct lang_graph_reader *reader, const struct lang_graph_frame *frame, const struct lang_graph_inst *end);
void lang_graph_else_parse(struct lang_graph_reader *reader, const struct lang_graph_inst *inst);

/* graph_fact.c: what a sound instruction says about the objects that it names. */
void lang_graph_facts_fill(struct lang_graph_reader *reader, struct lang_graph_inst *inst);

#endif
