/* SPDX-License-Identifier: MIT */
/* normal.h - the EXPR table in the order of its use, so that it says nothing about how a writer came by its rows. */
#ifndef FORMAT_NORMAL_H
#define FORMAT_NORMAL_H

#include "writer.h"

/* Leaves out the expressions that nothing refers to and numbers the others by their first use: sections in the order of the schema,
 * operands before what is made of them. Every reference follows: fields, WORK, arguments and words of SCHD. Equal rows stay apart. A table with
 * references out of range is left alone, for the verifier. Errors: NO_MEMORY. */
ptowsp_status pkg_writer_normalise(struct pkg_writer *writer, struct ptowsp_error *error);

#endif
