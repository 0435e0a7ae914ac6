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

/* Buffers of the windows, then a struct of how they lie in them, of the arguments and of which result is the call's; results and workspace. */
void isa_opencl_tail(struct isa_emitter *e)
{
	const unsigned long windows = e->p->header.param_count, args = e->p->arg_count;
	const unsigned long long bytes = (unsigned long long)isa_memory_bytes(e);

	isa_put(e, "}\n\nstruct %s_given {\n\tstruct tile_shape shapes[%lu];\n\tuint64_t args[%lu];\n\tuint32_t block, block_count, result, unused;\n};\n\n",
		e->symbol, windows ? windows : 1, args ? args : 1);
	isa_put(e, "__kernel __attribute__((reqd_work_group_size(TILE_WIDTH, 1, 1))) void %s_on_device(", e->symbol);
	for (unsigned long i = 0; i < windows; i++)
		isa_put(e, "TILE_GLOBAL uchar *buffer_%lu, ", i);
	isa_put(e, "struct %s_given given, TILE_GLOBAL struct tile_result *results, TILE_GLOBAL uchar *workspace)\n{\n", e->symbol);
	isa_put(e, "\tTILE_GLOBAL struct tile_result *const result = &results[given.result];\n");
	isa_put(e, "\tTILE_TILES(tiles, %llu, workspace);\n\tconst struct tile_window windows[] = {\n", bytes);
	for (unsigned long i = 0; i < windows; i++)
		isa_put(e, "\t\ttile_window_make(buffer_%lu, &given.shapes[%lu]),\n", i, i);
	isa_put(e, "%s\t};\n", windows ? "" : "\t\t{NULL},\n");
	isa_put(e,
		"\tconst struct tile_task task = {windows, given.args, given.block, given.block_count};\n"
		"\tstruct tile_call call = {&task, tiles, workspace, 0, TILE_JUMPS, result, (TILE_MEMORY int *)(tiles + %llu), 0};\n",
		bytes);
	isa_put(e, "\tconst ptowsp_status status = %s_body(&call);\n\n\ttile_leave(result, status, call.cycles);\n}\n", e->symbol);
}
