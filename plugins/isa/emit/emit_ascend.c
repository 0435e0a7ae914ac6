/* SPDX-License-Identifier: MIT */
/* emit_ascend.c - the rows for Ascend C: A2/A3, and A5. Tiles are tensors in the unified buffer; an instruction is a vector instruction on them where Ascend C
 * has one (elementwise.def, emit_ascend.def), on A5 one on registers, several in a row in one scope; emit_ascend_call.c has what the vector unit does not know. */
#include "isa/emit/emit_ascend.h"
#include "isa/convert.h"
#include "isa/emit/emit_group.h"
#include "isa/live.h"
#include "registry/common/common_dtype.h"
#include "registry/common/common_grow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct vector_op {
	const char *types, *vector, *registers;
} vector_ops[256] = {
#define X(NAME, types, vector, registers) [PTOWSP_PTO_##NAME] = {types, vector, registers},
#include "isa/emit/emit_ascend.def"
#undef X
#define NUMBERS(NAME, of, float_how, f, how, i, u, ...) [PTOWSP_PTO_##NAME] = {__VA_ARGS__},
#define FLOATS(NAME, of, how, f, ...)                   [PTOWSP_PTO_##NAME] = {__VA_ARGS__},
#define INTEGERS(NAME, of, how, n, ...)                 [PTOWSP_PTO_##NAME] = {__VA_ARGS__},
#define BITS(NAME, of, how, n, one, ...)                [PTOWSP_PTO_##NAME] = {__VA_ARGS__},
#include "isa/elementwise.def"
};

static bool knows(const struct isa_emitter *e, uint32_t i)
{
	static const char letters[ISA_DTYPES] = {
		[PTOWSP_F32] = 'f', [PTOWSP_F16] = 'h', [PTOWSP_BF16] = 'b', [PTOWSP_I16] = 's', [PTOWSP_U16] = 'u', [PTOWSP_I32] = 'i', [PTOWSP_U32] = 'U'};
	const struct vector_op *op = &vector_ops[e->p->insts[i].op];
	const char letter = letters[isa_key_type(e, i)];

	return op->types && letter && strchr(op->types, letter);
}

static bool is_register_form(const struct isa_emitter *e, uint32_t i)
{
	return knows(e, i) && e->target->registers && vector_ops[e->p->insts[i].op].registers[0];
}

/* --- vector instructions --- */

static struct isa_piece scalar_of(struct isa_emitter *e, uint32_t i)
{
	const struct isa_step *s = isa_ascend_step(e, i);
	const char *letter = isa_op(s->op)->operands;
	const unsigned key = isa_key_type(e, i);
	const struct isa_operand *const sources[4] = {&s->a, &s->b, &s->c, &s->f};
	unsigned at = 0;

	for (; *letter && *letter != 's'; letter++)
		at += *letter >= 'a';
	return isa_piece("tile_value<%s>(%s)", isa_ascend_type(key), isa_scalar_stored(e, sources[at & 3]->row, key).text);
}

/* A tile as a tensor, or as a register. */
static struct isa_piece operand(struct isa_emitter *e, const struct isa_operand *tile, bool in_register)
{
	return in_register ? isa_piece("%s_v", isa_tile_name(e, tile->row)) : isa_tile(e, tile->row);
}

static void fill(struct isa_piece *out, const char *text)
{
	const size_t length = strlen(out->text);

	snprintf(out->text + length, sizeof(out->text) - length, "%s", text);
}

static void word_fill(struct isa_emitter *e, uint32_t i, char word, bool in_register, struct isa_piece *out)
{
	const struct isa_step *s = isa_ascend_step(e, i);
	const unsigned key = isa_key_type(e, i);

	switch (word) {
	case 'd': fill(out, operand(e, &s->d, in_register).text); break;
	case 'a': fill(out, operand(e, &s->a, in_register).text); break;
	case 'b': fill(out, operand(e, &s->b, in_register).text); break;
	case 'c': fill(out, operand(e, &s->c, in_register).text); break;
	case 's': fill(out, scalar_of(e, i).text); break;
	case 'n': fill(out, isa_piece("%lu", isa_ascend_count(&s->d)).text); break;
	case 'R': fill(out, isa_piece("%lu", (unsigned long)s->a.rows).text); break;
	case 'C': fill(out, isa_piece("%lu", (unsigned long)s->a.columns).text); break;
	case 'r': fill(out, isa_piece("%lu", (unsigned long)s->d.rows).text); break;
	case 'k': fill(out, isa_piece("%lu", (unsigned long)s->d.columns).text); break;
	case 't': fill(out, isa_ascend_type(key)); break;
	case 'm': fill(out, "mask"); break;
	default: /* w */
		e->temp_now = 0;
		isa_temp(e, 2 * (isa_ascend_count(&s->a) > isa_ascend_count(&s->d) ? isa_ascend_count(&s->a) : isa_ascend_count(&s->d)) + 64, key);
		fill(out, isa_piece("tile_work<%s>(call)", isa_ascend_type(key)).text);
		break;
	}
}

static struct isa_piece filled(struct isa_emitter *e, uint32_t i, const char *text, bool in_register)
{
	struct isa_piece out = isa_piece("%s", "");

	for (; *text; text++)
		if (*text == '$') {
			word_fill(e, i, *++text, in_register, &out);
		} else {
			const char one[2] = {*text, '\0'};

			fill(&out, one);
		}
	return out;
}

static void vector_emit(struct isa_emitter *e, uint32_t i)
{
	isa_line(e, "%s", filled(e, i, vector_ops[e->p->insts[i].op].vector, false).text);
	isa_line(e, "AscendC::PipeBarrier<PIPE_V>();");
}

/* --- registers --- */

/* Instructions [first, end), as many as can be done in registers one behind the other, and the tiles that they use, each once. */
struct run {
	uint32_t first, end;
	struct run_tile {
		uint32_t tile;
		bool before, written; /* it is read before it is written, if it is written */
	} * tiles;                    /* owned */
	uint32_t count, room;
	bool failed; /* no memory */
};

static bool overlap(const struct isa_emitter *e, uint32_t x, uint32_t y)
{
	const struct ptowsp_tile_tile *a = &e->p->tiles[x], *b = &e->p->tiles[y];
	const uint64_t a_end = e->p->plan.at[x] + (uint64_t)a->rows * a->columns * isa_dtype_bytes(a->dtype);
	const uint64_t b_end = e->p->plan.at[y] + (uint64_t)b->rows * b->columns * isa_dtype_bytes(b->dtype);

	return x != y && e->p->plan.at[x] < b_end && e->p->plan.at[y] < a_end;
}

/* Is it memory that the run uses for another tile? All tiles of a run go to memory at its end. */
static bool collides(const struct isa_emitter *e, const struct run *run, uint32_t tile)
{
	for (uint32_t k = 0; k < run->count; k++)
		if (overlap(e, run->tiles[k].tile, tile))
			return true;
	return false;
}

/* Without lifetimes (isa_plan.h) each tile has a place of its own. */
static bool any_collides(const struct isa_emitter *e, const struct run *run, const struct isa_uses *uses)
{
	bool any = false;

	for (unsigned n = 0; n < uses->read_count && e->p->plan.live; n++)
		any |= collides(e, run, uses->read[n]);
	for (unsigned n = 0; n < uses->written_count && e->p->plan.live; n++)
		any |= collides(e, run, uses->written[n]);
	return any;
}

static void tile_use(struct isa_emitter *e, struct run *run, uint32_t tile, bool writes)
{
	uint32_t *at = &e->group_tiles[tile].first; /* 1 + its place in the run */

	if (!*at && !COMMON_GROW(run->tiles, run->room, run->count)) {
		run->failed = true;
		return;
	}
	if (!*at) {
		run->tiles[run->count] = (struct run_tile){.tile = tile, .before = !writes};
		*at = ++run->count;
	}
	run->tiles[*at - 1].written |= writes;
}

/* One more instruction, unless it uses memory of another tile. False: it is not in the run. */
static bool run_add(struct isa_emitter *e, struct run *run)
{
	const struct isa_uses uses = isa_uses(&e->p->insts[run->end]);

	if (any_collides(e, run, &uses))
		return false;
	for (unsigned n = 0; n < uses.read_count; n++)
		tile_use(e, run, uses.read[n], false);
	for (unsigned n = 0; n < uses.written_count; n++)
		tile_use(e, run, uses.written[n], true);
	run->end++;
	return true;
}

static int by_tile(const void *x, const void *y)
{
	const struct run_tile *a = x, *b = y;

	return (a->tile > b->tile) - (a->tile < b->tile);
}

static bool is_alike(const struct isa_emitter *e, uint32_t a, uint32_t b)
{
	return is_register_form(e, b) && isa_key_type(e, a) == isa_key_type(e, b) &&
	       isa_ascend_count(&isa_ascend_step(e, a)->d) == isa_ascend_count(&isa_ascend_step(e, b)->d);
}

/* From instruction i on those that work on as many elements of one type. */
static void run_make(struct isa_emitter *e, struct run *run, uint32_t i)
{
	const struct isa_group *group = isa_plan_group(&e->p->plan, i);

	*run = (struct run){.first = i, .end = i};
	while (run_add(e, run) && group && run->end < group->end && is_alike(e, i, run->end))
		;
	for (uint32_t k = 0; k < run->count; k++)
		e->group_tiles[run->tiles[k].tile].first = 0;
	if (run->count)
		qsort(run->tiles, run->count, sizeof(*run->tiles), by_tile);
}

static void run_emit(struct isa_emitter *e, const struct run *run)
{
	const char *type = isa_ascend_type(isa_key_type(e, run->first));
	const unsigned long count = isa_ascend_count(&isa_ascend_step(e, run->first)->d);
	const struct run_tile *const end = run->tiles + run->count;

	for (uint32_t i = run->first; i < run->end; i++)
		isa_comment(e, i);
	isa_open(e, "%s", "");
	for (const struct run_tile *t = run->tiles; t < end; t++)
		isa_line(e, "__ubuf__ %s *const %s_u = (__ubuf__ %s *)%s.GetPhyAddr();", type, isa_tile_name(e, t->tile), type, isa_tile(e, t->tile).text);
	isa_line(e, "uint32_t left = %lu;", count);
	isa_open(e, "__VEC_SCOPE__ ");
	isa_line(e, "AscendC::MicroAPI::MaskReg mask;");
	for (const struct run_tile *t = run->tiles; t < end; t++)
		isa_line(e, "AscendC::MicroAPI::RegTensor<%s> %s_v;", type, isa_tile_name(e, t->tile));
	isa_open(e, "for (uint16_t step = 0; step < tile_steps<%s>(%lu); step++) ", type, count);
	isa_line(e, "mask = AscendC::MicroAPI::UpdateMask<%s>(left);", type);
	for (const struct run_tile *t = run->tiles; t < end; t++)
		if (t->before)
			isa_line(e, "AscendC::MicroAPI::LoadAlign(%s_v, %s_u + step * tile_lanes<%s>());", isa_tile_name(e, t->tile), isa_tile_name(e, t->tile),
				 type);
	for (uint32_t i = run->first; i < run->end; i++)
		isa_line(e, "%s", filled(e, i, vector_ops[e->p->insts[i].op].registers, true).text);
	for (const struct run_tile *t = run->tiles; t < end; t++)
		if (t->written)
			isa_line(e, "AscendC::MicroAPI::StoreAlign(%s_u + step * tile_lanes<%s>(), %s_v, mask);", isa_tile_name(e, t->tile), type,
				 isa_tile_name(e, t->tile));
	isa_close(e);
	isa_close(e);
	isa_close(e);
	isa_line(e, "AscendC::PipeBarrier<PIPE_V>();");
}

uint32_t isa_ascend_statement(struct isa_emitter *e, uint32_t i)
{
	struct run run;

	e->temp_now = 0;
	if (is_register_form(e, i)) {
		run_make(e, &run, i);
		run_emit(e, &run);
		e->out.text.failed |= run.failed;
		free(run.tiles);
		return run.end;
	}
	isa_comment(e, i);
	if (knows(e, i))
		vector_emit(e, i);
	else
		isa_ascend_call(e, i);
	return i + 1;
}

/* --- head and tail --- */

static void tensors_put(struct isa_emitter *e)
{
	for (uint32_t i = 0; i < e->p->header.tile_count; i++) {
		const struct ptowsp_tile_tile *t = &e->p->tiles[i];
		const char *type = isa_ascend_type(t->dtype);

		if (e->tile_used[i])
			isa_line(e, "AscendC::LocalTensor<%s> %s = call->tiles.GetWithOffset<%s>(%lu, %lu); /* %lux%lux%s */", type, isa_tile(e, i).text, type,
				 (unsigned long)t->rows * t->columns, (unsigned long)e->p->plan.at[i], (unsigned long)t->rows, (unsigned long)t->columns,
				 common_dtype_text(t->dtype));
	}
}

void isa_ascend_head(struct isa_emitter *e)
{
	isa_put(e, "/* Kernel %s as Ascend C for %s, written by ptowsp-pack. Each statement stands behind the instruction that it is made of. */\n", e->symbol,
		e->target->registers ? "A5" : "A2 and A3");
	isa_put(e, "%s#include \"isa/kernel_ascend.h\"\n\n", e->target->registers ? "#define TILE_A5\n" : "");
	if (e->p->header.param_count) {
		isa_put(e, "enum {");
		for (uint32_t i = 0; i < e->p->header.param_count; i++)
			isa_put(e, "%s %s", i ? "," : "", isa_param_name(e, i));
		isa_put(e, " }; /* windows */\n\n");
	}
	isa_put(e, "__aicore__ inline ptowsp_status %s_body(struct tile_call *call)\n{\n", e->symbol);
	e->out.depth = 1;
	tensors_put(e);
	isa_scalars_put(e);
	e->out.depth = 0;
	isa_put(e, "\n");
}

bool isa_emit_multiplies(const char *text)
{
	return strstr(text, "tile_product<") != NULL;
}

/* As a pto-runtime calls it: kernel_ascend.h. */
static void entry_put(struct isa_emitter *e)
{
	const uint32_t count = e->p->header.param_count;
	const bool multiplies = isa_emit_multiplies(common_text_view(&e->out.text));

	isa_put(e, "#ifdef TILE_PTO_RUNTIME /* for a pto-runtime: tensor records%s, then scalars */\n", multiplies ? ", one with the workspace" : "");
	isa_put(e, "extern \"C\" __aicore__ void TILE_ENTRY(%s)(__gm__ int64_t *args)\n{\n", e->symbol);
	isa_put(e, "\tstruct tile_window windows[%lu];\n\tstruct tile_call call;\n\tptowsp_status status;\n\n", count ? (unsigned long)count : 1);
	for (uint32_t i = 0; i < count; i++)
		isa_put(e, "\ttile_window_take(&windows[%lu], args, %lu, %u);\n", (unsigned long)i, (unsigned long)i,
			(unsigned)isa_dtype_bytes(e->p->params[i].dtype));
	isa_put(e, "\ttile_begin(&call, windows, (__gm__ uint64_t *)args + %lu, ", (unsigned long)count + multiplies);
	isa_put(e, multiplies ? "tile_workspace(args, %lu)" : "NULL", (unsigned long)count);
	isa_put(e, ", tile_context(args, 0), tile_context(args, 1), %llu, %llu);\n", (unsigned long long)e->temp_at, (unsigned long long)e->temp_most + 256);
	if (multiplies)
		isa_put(e, "\ttile_lane_take(&call, args);\n");
	isa_put(e, "\tstatus = %s_body(&call);\n\ttile_end(&call);\n\tTILE_ENDED(args, status);\n}\n#else\n", e->symbol);
}

void isa_ascend_tail(struct isa_emitter *e)
{
	isa_put(e, "}\n\n");
	entry_put(e);
	isa_put(e, "/* One block of a task, for who calls kernels on a core; and the kernel as it is launched by itself. */\n");
	isa_put(e, "__aicore__ inline ptowsp_status %s_incore(GM_ADDR tensors, GM_ADDR args, GM_ADDR workspace, uint32_t block, uint32_t block_count)\n{\n",
		e->symbol);
	isa_put(e, "\tstruct tile_call call;\n\tptowsp_status status;\n\n");
	isa_put(e, "\ttile_begin(&call, (__gm__ struct tile_window *)tensors, (__gm__ uint64_t *)args, workspace, block, block_count, %llu, %llu);\n",
		(unsigned long long)e->temp_at, (unsigned long long)e->temp_most + 256); /* registers are loaded whole */
	isa_put(e, "\tstatus = %s_body(&call);\n\ttile_end(&call);\n\treturn status;\n}\n\n", e->symbol);
	isa_put(e, "extern \"C\" __global__ __aicore__ void %s(GM_ADDR tensors, GM_ADDR args, GM_ADDR result, GM_ADDR workspace)\n{\n", e->symbol);
	isa_put(e,
		"\t*(__gm__ int32_t *)result = %s_incore(tensors, args, workspace, (uint32_t)AscendC::GetBlockIdx(), "
		"(uint32_t)AscendC::GetBlockNum());\n}\n#endif\n",
		e->symbol);
}
