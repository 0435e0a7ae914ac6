/* SPDX-License-Identifier: MIT */
/* emit.c - one kernel as source text: its instructions in their order, then what they turned out to need in front of them. */
#include "isa/emit/emit_group.h"

#include <stdlib.h>
#include <string.h>

struct isa_piece isa_place_text(const struct isa_emitter *e, uint32_t i)
{
	return isa_quoted(isa_program_place(e->p, i).text);
}

/* Names may hold what ends a comment, or a line that goes on. */
static void comment_clean(char *text)
{
	for (; *text; text++)
		if (*text == '\\' || (*text == '*' && text[1] == '/') || (*text == '/' && text[1] == '*'))
			*text = '?';
}

struct isa_piece isa_comment_text(struct isa_emitter *e, uint32_t i)
{
	char text[1024], *types;

	isa_inst_text(e->p, i, text);
	types = strstr(text, " : !pto.");
	if (types)
		*types = '\0';
	comment_clean(text);
	return isa_piece("/* %s */", text);
}

void isa_comment(struct isa_emitter *e, uint32_t i)
{
	char text[1024];

	isa_inst_text(e->p, i, text);
	comment_clean(text);
	if (e->p->insts[i].line)
		isa_line(e, "/* %s (line %lu) */", text, (unsigned long)e->p->insts[i].line);
	else
		isa_line(e, "/* %s */", text);
}

void isa_cycles_put(struct isa_emitter *e)
{
	if (e->cycles && !e->target->statement && !e->core)
		isa_line(e, "call->cycles += %llu;", (unsigned long long)e->cycles);
	e->cycles = 0;
}

void isa_barrier_put(struct isa_emitter *e)
{
	if (e->target->barrier[0])
		isa_line(e, "%s", e->target->barrier);
}

bool isa_tile_is_placed(const struct isa_emitter *e, uint32_t tile)
{
	const struct isa_program *p = e->p;
	const struct isa_group *g = NULL;

	if (e->core || e->target != &isa_emit_targets[0] || !p->place_at || !p->place_at[tile])
		return false;
	for (uint32_t i = 0; i < p->header.inst_count && !g; i++)
		if (p->insts[i].op == PTOWSP_PTO_TLOAD && p->steps[i].d.row == tile)
			g = isa_plan_group(&p->plan, i);
	return g && g->end == g->first + 1;
}

struct isa_piece isa_tile(struct isa_emitter *e, uint32_t tile)
{
	e->tile_used[tile] = true;
	return isa_piece("%s_tile", isa_tile_name(e, tile));
}

uint64_t isa_temp_take(struct isa_emitter *e, uint64_t count, unsigned dtype)
{
	const uint64_t at = e->temp_now;

	e->temp_now += (count * isa_dtype_bytes(dtype) + ISA_ALIGN - 1) / ISA_ALIGN * ISA_ALIGN;
	if (e->temp_now > e->temp_most)
		e->temp_most = e->temp_now;
	return e->temp_at + at;
}

struct isa_piece isa_temp(struct isa_emitter *e, uint64_t count, unsigned dtype)
{
	const char *space = e->target->memory;

	return isa_piece("(%s%s *)(%svoid *)(%s + %llu)", space, isa_stored_type(dtype), space, e->core ? "tile_memory" : "call->memory",
			 (unsigned long long)isa_temp_take(e, count, dtype));
}

/* Tiles that are read before anything is written to them start as zeros. */
static void zeros_emit(struct isa_emitter *e)
{
	for (uint32_t i = 0; i < e->p->zero_count; i++) {
		const uint32_t row = e->p->zero_tiles[i];
		const struct ptowsp_tile_tile *t = &e->p->tiles[row];

		isa_line(e, e->target->zero, isa_tile(e, row).text, (unsigned long)t->rows * t->columns * isa_dtype_bytes(t->dtype));
	}
}

static uint32_t inst_emit(struct isa_emitter *e, uint32_t i)
{
	const unsigned form = isa_emit_op(e->p->insts[i].op)->form;
	const struct isa_group *group = isa_plan_group(&e->p->plan, i);
	const struct isa_group alone = {.first = i, .end = i + 1, .rows = e->p->steps[i].d.rows};

	if (e->target->statement && form != ISA_FORM_CONTROL && form != ISA_FORM_NOTHING &&
	    (form != ISA_FORM_SCALAR || e->p->insts[i].op == PTOWSP_PTO_LOAD || e->p->insts[i].op == PTOWSP_PTO_STORE))
		return e->target->statement(e, i);
	switch (form) {
	case ISA_FORM_LOOP:
	case ISA_FORM_LOAD:
	case ISA_FORM_STORE:
	case ISA_FORM_REDUCE: isa_group_emit(e, group ? group : &alone); return group ? group->end : i + 1;
	case ISA_FORM_CALL: isa_call_emit(e, i); break;
	case ISA_FORM_SCALAR: isa_scalar_emit(e, i); break;
	case ISA_FORM_CONTROL: isa_control_emit(e, i); break;
	default:
		isa_comment(e, i);
		e->cycles += e->p->steps[i].cost;
		break;
	}
	return i + 1;
}

void isa_body_emit(struct isa_emitter *e)
{
	e->out.depth = 1;
	zeros_emit(e);
	for (uint32_t i = 0; i < e->p->header.inst_count;)
		i = inst_emit(e, i);
	e->out.depth = 0;
}

ptowsp_status isa_emitter_begin(struct isa_emitter *e)
{
	ptowsp_status status = PTOWSP_OK;

	e->tile_used = calloc(e->p->header.tile_count + 1u, sizeof(*e->tile_used));
	e->group_tiles = calloc(e->p->header.tile_count + 1u, sizeof(*e->group_tiles));
	e->scalar_used = calloc(e->p->header.scalar_count + 1u, sizeof(*e->scalar_used));
	if (!status && (!e->tile_used || !e->scalar_used || !e->group_tiles))
		status = PTOWSP_NO_MEMORY;
	if (!status)
		status = isa_names_make(e);
	if (!status) {
		e->temp_at = e->p->plan.bytes;
		e->at = e->p->plan.at;
		e->counted = isa_jumps_counted(e->p);
	}
	return status;
}

void isa_emitter_finish(struct isa_emitter *e)
{
	common_names_finish(&e->names);
	free(e->tile_used);
	free(e->group_tiles);
	free(e->scalar_used);
	free(e->homes);
	free(e->done);
	common_text_finish(&e->product_text);
}

/* The body is made first, in a text of its own: the head declares what it uses. */
static ptowsp_status text_make(struct isa_emitter *e)
{
	struct common_text body;

	isa_body_emit(e);
	body = e->out.text;
	e->out = (struct isa_writing){.text.failed = body.failed};
	e->target->head(e);
	common_text_put(&e->out.text, common_text_view(&body));
	e->target->tail(e);
	common_text_finish(&body);
	return e->out.text.failed ? PTOWSP_NO_MEMORY : PTOWSP_OK;
}

ptowsp_status isa_emit(const struct isa_program *program, const struct isa_emit_target *target, const char *symbol, char **text_out, size_t *size_out,
		       struct ptowsp_error *error)
{
	struct isa_emitter e = {.p = program, .target = target, .symbol = symbol};
	ptowsp_status status;

	*text_out = NULL;
	*size_out = 0;
	if (program->unusable[0])
		return isa_error(error, PTOWSP_UNSUPPORTED, "%s", program->unusable);
	status = isa_emitter_begin(&e);
	if (!status)
		status = text_make(&e);
	isa_emitter_finish(&e);
	if (status) {
		common_text_finish(&e.out.text);
		return isa_error(error, status, "no memory to write kernel %.64s", program->name);
	}
	*text_out = e.out.text.bytes;
	*size_out = e.out.text.length;
	return PTOWSP_OK;
}

/* Where copies lie apart from the tiles there is a word behind these. */
uint64_t isa_emit_parts(const struct isa_program *program, const struct isa_emit_target *target)
{
	const uint64_t bytes = target->parts ? isa_parts_bytes(program) : 0;

	return bytes && target->copies ? bytes + ISA_ALIGN : bytes;
}

ptowsp_status isa_emit_workspace(const struct isa_program *program, const struct isa_emit_target *target, uint64_t *bytes_out, struct ptowsp_error *error)
{
	struct isa_emitter e = {.p = program, .target = target, .symbol = "kernel"};
	ptowsp_status status = program->unusable[0] ? PTOWSP_OK : isa_emitter_begin(&e);

	*bytes_out = 0;
	if (!program->unusable[0] && !status) {
		isa_body_emit(&e);
		status = e.out.text.failed ? PTOWSP_NO_MEMORY : PTOWSP_OK;
		*bytes_out = e.temp_at + e.temp_most + isa_emit_parts(program, target);
	}
	isa_emitter_finish(&e);
	common_text_finish(&e.out.text);
	return status ? isa_error(error, status, "no memory to write kernel %.64s", program->name) : PTOWSP_OK;
}
