/* SPDX-License-Identifier: MIT */
/* isa_tables.h - the tables of a program as others change them, and a program out of what became of them. One thread. */
#ifndef ISA_TABLES_H
#define ISA_TABLES_H

#include "isa/isa_program.h"

/* Rows as in a payload; names are offsets into the pool of the program that they come from. */
struct isa_tables {
	struct ptowsp_tile_param *params;
	struct ptowsp_tile_tile *tiles;
	struct ptowsp_tile_scalar *scalars;
	struct ptowsp_tile_inst *insts;
	uint32_t param_count, tile_count, scalar_count, inst_count;
	uint32_t param_room, tile_room, scalar_room, inst_room;
};
/* Fills zeroed tables. False: no memory; they are finished all the same. */
bool isa_tables_copy(struct isa_tables *tables, const struct isa_program *program);
void isa_tables_finish(struct isa_tables *tables);
/* A row more behind those that are there, and its number; false: no memory, or more than an instruction can name. */
bool isa_tables_param(struct isa_tables *tables, struct ptowsp_tile_param param, uint16_t *row_out);
bool isa_tables_tile(struct isa_tables *tables, struct ptowsp_tile_tile tile, uint16_t *row_out);
bool isa_tables_scalar(struct isa_tables *tables, struct ptowsp_tile_scalar scalar, uint16_t *row_out);
bool isa_tables_inst(struct isa_tables *tables, struct ptowsp_tile_inst inst);
/* As isa_program_create_with; `from`: whose names they have. Errors: of it. */
ptowsp_status isa_tables_program(struct isa_program **program_out, const struct isa_tables *tables, const struct isa_program *from,
				 const struct isa_options *options, struct ptowsp_error *error);

#endif
