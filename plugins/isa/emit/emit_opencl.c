/* SPDX-License-Identifier: MIT */
/* emit_opencl.c - the row for OpenCL C: a kernel is one work-group. Names at file scope contain the kernel's, so that several of them make one program. */
#include "isa/emit/emit_state.h"

void isa_opencl_head(struct isa_emitter *e)
{
	isa_put(e,
		"/* Kernel %s as OpenCL C, written by ptowsp-pack. Each statement stands behind the instruction that it is made of.\n"
		" * -cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt -DTILE_WIDTH=n -I. %s.cl; it is launched as one work-group of n. */\n",
		e->symbol, e->symbol);
	isa_put(e, "#include \"isa/kernel_opencl.h\"\n\n");
	isa_put(e, "static ptowsp_status %s_body(struct tile_call *call)\n{\n", e->symbol);
	e->out.depth = 1;
	isa_param_names_put(e);
	isa_tiles_put(e);
	isa_scalars_put(e);
	e->out.depth = 0;
	isa_put(e, "\n");
}

static void window_put(struct isa_emitter *e, unsigned long i, bool parts)
{
	if (parts)
		isa_put(e, "\t\ttile_window_of(buffer_%lu, &given.shapes[%lu], %u, %u),\n", i, i, e->p->params[i].dtype, e->p->params[i].access);
	else
		isa_put(e, "\t\ttile_window_make(buffer_%lu, &given.shapes[%lu]),\n", i, i);
}

/* The call on whole tiles, whose copies lie in the workspace: behind the tiles and the word behind those, if they lie there too. */
static void parts_put(struct isa_emitter *e)
{
	const unsigned long count = e->p->header.param_count;

	e->out.depth = 1;
	isa_wholes_put(e, "const");
	e->out.depth = 0;
	isa_put(e,
		"\tstruct tile_part parts[%lu];\n\tptowsp_status status = tile_parts_begin(&call, windows, wholes, parts, %lu, workspace + %u);\n\n"
		"\tif (!status) {\n\t\tstatus = %s_body(&call);\n\t\ttile_parts_close(parts, %lu);\n\t}\n",
		count, count, (unsigned)ISA_ALIGN, e->symbol, count);
}

/* Buffers of the windows, then a struct of how they lie in them, of the arguments and of which result is the call's; results and workspace. */
void isa_opencl_tail(struct isa_emitter *e)
{
	const unsigned long windows = e->p->header.param_count, args = e->p->arg_count;
	const unsigned long long bytes = (unsigned long long)isa_memory_bytes(e);
	const bool parts = isa_parts_bytes(e->p) != 0;

	isa_put(e, "}\n\nstruct %s_given {\n\tstruct tile_shape shapes[%lu];\n\tuint64_t args[%lu];\n\tuint32_t block, block_count, result, unused;\n};\n\n",
		e->symbol, windows ? windows : 1, args ? args : 1);
	isa_put(e, "__kernel __attribute__((reqd_work_group_size(TILE_WIDTH, 1, 1))) void %s_on_device(", e->symbol);
	for (unsigned long i = 0; i < windows; i++)
		isa_put(e, "TILE_GLOBAL uchar *buffer_%lu, ", i);
	isa_put(e, "struct %s_given given, TILE_GLOBAL struct tile_result *results, TILE_GLOBAL uchar *workspace)\n{\n", e->symbol);
	isa_put(e, "\tTILE_GLOBAL struct tile_result *const result = &results[given.result];\n");
	isa_put(e, "\tTILE_TILES(tiles, %llu, workspace);\n\t%sstruct tile_window windows[] = {\n", bytes, parts ? "" : "const ");
	for (unsigned long i = 0; i < windows; i++)
		window_put(e, i, parts);
	isa_put(e, "%s\t};\n", windows ? "" : "\t\t{NULL},\n");
	isa_put(e,
		"\tconst struct tile_task task = {windows, given.args, given.block, given.block_count};\n"
		"\tstruct tile_call call = {&task, tiles, workspace, 0, TILE_JUMPS, result, (TILE_MEMORY int *)(tiles + %llu), 0};\n",
		bytes);
	if (parts)
		parts_put(e);
	else
		isa_put(e, "\tconst ptowsp_status status = %s_body(&call);\n", e->symbol);
	isa_put(e, "\n\ttile_leave(result, status, call.cycles);\n}\n");
}
