/* SPDX-License-Identifier: MIT */
/* emit_c.c - the row for C: one function behind task.h, for any machine that a C compiler knows. */
#include "isa/emit/emit_home.h"
#include "isa/emit/emit_state.h"

#include "registry/common/common_dtype.h"

#include <string.h>

uint64_t isa_memory_bytes(const struct isa_emitter *e)
{
	return e->temp_at + e->temp_most;
}

/* Is the scalar how much of the parameter is there? A task says so in an argument of that name. */
static bool tells_of(const char *scalar, const char *param)
{
	const size_t length = strlen(param);

	return !strncmp(scalar, param, length) && (!strcmp(scalar + length, ".rows") || !strcmp(scalar + length, ".columns"));
}

bool isa_param_is_part(const struct isa_program *p, uint32_t param)
{
	for (uint32_t i = 0; i < p->header.scalar_count; i++)
		if (p->scalars[i].kind == PTOWSP_SCALAR_ARG && tells_of(p->scalar_names[i], p->param_names[param]))
			return p->params[param].rows;
	return false;
}

/* Bytes of the copy of a part. */
static uint64_t part_bytes(const struct isa_program *p, uint32_t param)
{
	const struct ptowsp_tile_param *row = &p->params[param];
	const uint64_t bytes = (uint64_t)row->rows * row->columns * isa_dtype_bytes(row->dtype);

	return isa_param_is_part(p, param) ? (bytes + ISA_ALIGN - 1) / ISA_ALIGN * ISA_ALIGN : 0;
}

uint64_t isa_parts_bytes(const struct isa_program *p)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < p->header.param_count; i++)
		bytes += part_bytes(p, i);
	return bytes;
}

void isa_param_names_put(struct isa_emitter *e)
{
	if (!e->p->header.param_count)
		return;
	isa_indent(e);
	isa_put(e, "enum {");
	for (uint32_t i = 0; i < e->p->header.param_count; i++)
		isa_put(e, "%s %s", i ? "," : "", isa_param_name(e, i));
	isa_put(e, " }; /* windows */\n");
}

void isa_params_put(struct isa_emitter *e, const char *kind)
{
	static const char *const accesses[] = {"0", "PTOWSP_READ", "PTOWSP_WRITE", "PTOWSP_READ | PTOWSP_WRITE"};
	const struct isa_program *p = e->p;

	if (!p->header.param_count)
		return;
	isa_put(e, "%s struct tile_param params[] = {\n", kind);
	for (uint32_t i = 0; i < p->header.param_count; i++)
		isa_put(e, "\t{%s, PTOWSP_%s, %s},\n", isa_quoted(p->param_names[i]).text, isa_type_code(p->params[i].dtype),
			accesses[p->params[i].access & 3]);
	isa_put(e, "};\n");
}

void isa_tiles_put(struct isa_emitter *e)
{
	const char *memory = e->core ? "tile_memory" : "call->memory", *space = e->target->memory;

	for (uint32_t i = 0; i < e->p->header.tile_count; i++) {
		const struct ptowsp_tile_tile *t = &e->p->tiles[i];
		const char *type = isa_stored_type(t->dtype);

		if (e->tile_used[i] && e->core && e->homes[i].inst)
			isa_line(e, "%s *%s%s = %s; /* %lux%lux%s */", type, e->homes[i].moves ? "" : "const ", isa_tile(e, i).text,
				 e->homes[i].moves ? "NULL" : isa_place_pointer(e, e->homes[i].inst - 1).text, (unsigned long)t->rows,
				 (unsigned long)t->columns, common_dtype_text(t->dtype));
		else if (e->tile_used[i])
			isa_line(e, "%s%s *const %s = (%s%s *)(%svoid *)(%s + %lu); /* %lux%lux%s */", space, type, isa_tile(e, i).text, space, type, space,
				 memory, (unsigned long)e->at[i], (unsigned long)t->rows, (unsigned long)t->columns, common_dtype_text(t->dtype));
		if (e->tile_used[i] && isa_tile_is_placed(e, i))
			isa_line(e, "const %s *%s_place = %s; /* or where it is loaded from */", type, isa_tile_name(e, i), isa_tile(e, i).text);
	}
}

/* The same in a core's function: an argument is 64 bits, floats are their bits. */
static struct isa_piece core_initial(const struct isa_emitter *e, uint32_t row)
{
	const struct ptowsp_tile_scalar *s = &e->p->scalars[row];
	const char *type = isa_stored_type(s->dtype);
	const struct isa_piece from = s->kind == PTOWSP_SCALAR_ARG ? isa_piece("tile_scalar_%lu", (unsigned long)s->value)
								   : isa_piece("%s", s->kind == PTOWSP_SCALAR_BLOCK ? "tile_block" : "tile_blocks");

	if (s->kind == PTOWSP_SCALAR_LOCAL)
		return isa_literal(e->p->initial[row], s->dtype);
	if (s->dtype == PTOWSP_F32 || s->dtype == PTOWSP_F64)
		return isa_piece("isa_%s_of((uint64_t)%s)", type, from.text);
	return s->dtype == PTOWSP_BOOL ? isa_piece("%s != 0", from.text) : isa_piece("(%s)%s", type, from.text);
}

/* The value with which a scalar starts. */
static struct isa_piece initial(const struct isa_emitter *e, uint32_t row)
{
	const struct ptowsp_tile_scalar *s = &e->p->scalars[row];
	const char *type = isa_stored_type(s->dtype);

	if (e->core)
		return core_initial(e, row);
	if (s->kind == PTOWSP_SCALAR_LOCAL)
		return isa_literal(e->p->initial[row], s->dtype);
	if (s->kind == PTOWSP_SCALAR_ARG && (s->dtype == PTOWSP_F32 || s->dtype == PTOWSP_F64))
		return isa_piece("isa_%s_of(call->task->args[%lu])", type, (unsigned long)s->value);
	if (s->kind == PTOWSP_SCALAR_ARG)
		return s->dtype == PTOWSP_BOOL ? isa_piece("call->task->args[%lu] != 0", (unsigned long)s->value)
					       : isa_piece("(%s)call->task->args[%lu]", type, (unsigned long)s->value);
	return s->dtype == PTOWSP_BOOL ? isa_piece("call->task->%s != 0", s->kind == PTOWSP_SCALAR_BLOCK ? "block" : "block_count")
				       : isa_piece("(%s)call->task->%s", type, s->kind == PTOWSP_SCALAR_BLOCK ? "block" : "block_count");
}

void isa_scalars_put(struct isa_emitter *e)
{
	for (uint32_t i = 0; i < e->p->header.scalar_count; i++)
		if (e->scalar_used[i] && e->p->scalars[i].kind != PTOWSP_SCALAR_CONST)
			isa_line(e, "%s %s = %s;", isa_scalar_type(e->p->scalars[i].dtype), isa_scalar_name(e, i), initial(e, i).text);
}

void isa_c_head(struct isa_emitter *e)
{
	const struct isa_program *p = e->p;

	isa_put(e, "/* Kernel %s as C, written by ptowsp-pack. Each statement stands behind the instruction that it is made of. */\n", e->symbol);
	isa_put(e, "#include \"isa/kernel_tile.h\"\n%s\n", e->products ? "#include \"isa/product.h\"\n" : "");
	isa_put(e, "%s", e->shuffles ? "" : "TILE_SIMPLE\n");
	isa_params_put(e, "static const");
	isa_put(e, "static const struct tile_kernel kernel = {%s, %s, %lu, %lu, %llu};\n\n", isa_quoted(p->name).text,
		p->header.param_count ? "params" : "NULL", (unsigned long)p->header.param_count, (unsigned long)p->arg_count,
		(unsigned long long)(isa_memory_bytes(e) + isa_parts_bytes(p)));
	isa_put(e, "TILE_BODY%s(%s)\n{\n", e->functions ? "" : "_PLAIN", e->symbol);
	e->out.depth = 1;
	isa_param_names_put(e); /* in the function: a file may include several kernels */
	isa_tiles_put(e);
	isa_scalars_put(e);
	e->out.depth = 0;
	isa_put(e, "\n");
}

void isa_wholes_put(struct isa_emitter *e, const char *kind)
{
	const struct isa_program *p = e->p;
	uint64_t at = isa_memory_bytes(e);

	isa_line(e, "%s struct tile_whole wholes[] = {", kind);
	for (uint32_t i = 0; i < p->header.param_count; at += part_bytes(p, i++)) {
		const struct ptowsp_tile_param *row = &p->params[i];
		const bool part = isa_param_is_part(p, i);

		isa_line(e, "\t{%u, %lu, %lu, %llu},", (unsigned)isa_dtype_bytes(row->dtype), part ? (unsigned long)row->rows : 0,
			 part ? (unsigned long)row->columns : 0, part ? (unsigned long long)at : 0);
	}
	isa_line(e, "};");
}

void isa_c_tail(struct isa_emitter *e)
{
	isa_put(e, "}\n\n__attribute__((visibility(\"default\")))\n");
	isa_put(e, "ptowsp_status %s(const struct ptowsp_task *task, struct ptowsp_kernel_out *out)\n{\n", e->symbol);
	if (isa_parts_bytes(e->p)) {
		e->out.depth = 1;
		isa_wholes_put(e, "static const");
		e->out.depth = 0;
		isa_put(e, "\tstruct tile_part parts[%lu];\n\n\treturn tile_run_parts(&kernel, wholes, parts, task, out, tile_any_%s);\n}\n",
			(unsigned long)e->p->header.param_count, e->symbol);
	} else {
		isa_put(e, "\treturn tile_run(&kernel, task, out, tile_any_%s);\n}\n", e->symbol);
	}
}
