/* SPDX-License-Identifier: MIT */
/* emit_flow.c - scalars and control flow: the statements of C that do what the interpreter does, with its limit of jumps back where
 * a program might reach it. */
#include "isa/convert.h"
#include "isa/emit/emit_state.h"

static const struct isa_step *step_of(const struct isa_emitter *e, uint32_t i)
{
	return &e->p->steps[i];
}

static void assign(struct isa_emitter *e, uint32_t row, const char *value)
{
	e->scalar_used[row] = true;
	isa_line(e, "%s = %s;", isa_scalar_name(e, row), value);
}

/* --- scalars --- */

static unsigned scalar_class(const struct isa_step *s)
{
	if (isa_class(s->a.dtype) == 'f')
		return s->a.dtype;
	return s->a.dtype == PTOWSP_U64 || s->b.dtype == PTOWSP_U64 ? PTOWSP_U64 : PTOWSP_I64;
}

/* Registers of two operands, integers as 64 bits of the class. */
static struct isa_element_texts operand_texts(struct isa_emitter *e, const struct isa_step *s, unsigned class)
{
	const uint32_t rows[2] = {s->a.row, s->b.row};
	struct isa_element_texts texts;

	for (unsigned k = 0; k < 2; k++) {
		texts.source[k] = isa_scalar_text(e, rows[k]);
		if (class == PTOWSP_U64 && e->p->scalars[rows[k]].dtype != PTOWSP_U64)
			texts.source[k] = isa_piece("(uint64_t)%s", texts.source[k].text);
		else if (class == PTOWSP_I64)
			texts.source[k] = isa_scalar_i64(e, rows[k]);
	}
	return texts;
}

static void arithmetic_emit(struct isa_emitter *e, uint32_t i)
{
	const struct isa_step *s = step_of(e, i);
	const struct isa_emit_op *op = isa_emit_op(s->op);
	const unsigned class = scalar_class(s);
	const bool is_float = isa_class(class) == 'f';
	const struct isa_element_texts texts = operand_texts(e, s, class);
	const struct isa_piece value = isa_filled(e, i, is_float ? op->floats : op->is_signed, class, &texts);

	assign(e, s->d.row, is_float ? isa_rounded(value.text, class).text : isa_narrowed(value.text, s->d.dtype).text);
}

static void divide_emit(struct isa_emitter *e, uint32_t i)
{
	const struct isa_step *s = step_of(e, i);
	const unsigned class = scalar_class(s);
	const struct isa_element_texts texts = operand_texts(e, s, class);
	const bool is_u64 = s->a.dtype == PTOWSP_U64;

	if (isa_class(class) == 'f') {
		arithmetic_emit(e, i);
		return;
	}
	isa_cycles_put(e);
	if (isa_is_checked(e)) {
		isa_open(e, "if (%s == 0) ", texts.source[1].text);
		assign(e, s->d.row, "0");
		isa_fail_put(e, isa_piece("return tile_fail(call, %s, \"DIV of %s by 0 (%%%%%%.48s)\", (%s)%s, %s);", isa_place_text(e, i).text,
					  is_u64 ? "%llu" : "%lld", is_u64 ? "unsigned long long" : "long long", texts.source[0].text,
					  isa_quoted(e->p->scalar_names[s->b.row]).text)
					.text);
		isa_close(e);
	}
	assign(e, s->d.row,
	       isa_narrowed(isa_piece("isa_div_%s(%s, %s)", isa_type_suffix(class), texts.source[0].text, texts.source[1].text).text, s->d.dtype).text);
}

/* A register's value as its bits, and back. */
static struct isa_piece to_bits(const char *text, unsigned dtype)
{
	if (dtype == PTOWSP_F32)
		return isa_piece("isa_bits_of(%s)", text);
	return dtype == PTOWSP_F64 ? isa_piece("isa_bits_of_double(%s)", text) : isa_piece("(uint64_t)%s", text);
}

static struct isa_piece from_bits(const char *text, unsigned dtype)
{
	if (dtype == PTOWSP_F32)
		return isa_piece("isa_float_of(%s)", text);
	if (dtype == PTOWSP_F64)
		return isa_piece("isa_double_of(%s)", text);
	return isa_class(dtype) == 'f' ? isa_piece("(uint16_t)%s", text) : isa_piece("(%s)%s", isa_scalar_type(dtype), text);
}

static const char *const codes[ISA_DTYPES] = {
#define X(type, NAME, class_letter, stored_as, computed_in, wide_in, bytes, sum, matrix, one) [PTOWSP_##NAME] = "PTOWSP_" #NAME,
#include "isa/element.def"
#undef X
};

static void move_emit(struct isa_emitter *e, uint32_t i)
{
	const struct isa_step *s = step_of(e, i);
	const unsigned from = s->a.dtype, to = s->d.dtype;
	const bool from_float = isa_class(from) == 'f', to_float = isa_class(to) == 'f';
	struct isa_piece value;

	if (e->p->scalars[s->a.row].kind == PTOWSP_SCALAR_CONST)
		value = isa_literal(isa_convert_scalar(e->p->initial[s->a.row], from, to), to);
	else if (from == to)
		value = isa_scalar_text(e, s->a.row);
	else if (!from_float && !to_float)
		value = isa_narrowed(isa_scalar_text(e, s->a.row).text, to);
	else
		value = from_bits(
			isa_piece("isa_convert_scalar(%s, %s, %s)", to_bits(isa_scalar_text(e, s->a.row).text, from).text, codes[from], codes[to]).text, to);
	assign(e, s->d.row, value.text);
}

static void compare_emit(struct isa_emitter *e, uint32_t i)
{
	const struct isa_step *s = step_of(e, i);
	const unsigned class = scalar_class(s);
	const struct isa_element_texts texts = operand_texts(e, s, class);

	assign(e, s->d.row, isa_filled(e, i, "$a $m $b", class, &texts).text);
}

/* One element of a window, as it is stored. */
static void element_emit(struct isa_emitter *e, uint32_t i)
{
	const struct isa_step *s = step_of(e, i);
	const bool loads = s->op == PTOWSP_PTO_LOAD;
	const unsigned type = loads ? s->a.dtype : s->d.dtype;
	const uint32_t window = loads ? s->a.row : s->d.row;

	isa_cycles_put(e);
	isa_open(e, "%s", "");
	if (e->core)
		isa_line(e, "unsigned char *const at = tile_window_element(%s, %s, %u);", isa_window_text(e, window).text, isa_scalar_i64(e, s->b.row).text,
			 isa_dtype_bytes(type));
	else
		isa_line(e, "%sunsigned char *const at = tile_element(call, %s, \"%s\", %s, %s, %u);", e->target->global, isa_place_text(e, i).text,
			 loads ? "LOAD reads" : "STORE writes", isa_param_name(e, window), isa_scalar_i64(e, s->b.row).text, isa_dtype_bytes(type));
	if (loads)
		isa_line(e, "%s value;", isa_stored_type(type));
	else
		isa_line(e, "const %s value = %s;", isa_stored_type(type), isa_scalar_stored(e, s->a.row, type).text);
	isa_put(e, "\n");
	if (isa_is_checked(e)) {
		isa_line(e, "if (!at)");
		isa_fail_put(e, "return PTOWSP_KERNEL_FAILED;");
	}
	isa_barrier_put(e);
	isa_line(e, "%s", loads ? e->target->fetch : e->target->drop);
	isa_barrier_put(e);
	if (loads)
		assign(e, s->d.row,
		       type == PTOWSP_BOOL  ? isa_narrowed("value != 0", s->d.dtype).text
		       : type == s->d.dtype ? "value"
					    : isa_narrowed("value", s->d.dtype).text);
	isa_close(e);
}

void isa_scalar_emit(struct isa_emitter *e, uint32_t i)
{
	isa_comment(e, i);
	switch (e->p->insts[i].op) {
	case PTOWSP_PTO_DIV: divide_emit(e, i); break;
	case PTOWSP_PTO_MOV:
	case PTOWSP_PTO_LI: move_emit(e, i); break;
	case PTOWSP_PTO_CMP: compare_emit(e, i); break;
	case PTOWSP_PTO_LOAD:
	case PTOWSP_PTO_STORE: element_emit(e, i); break;
	default: arithmetic_emit(e, i); break;
	}
	e->cycles += step_of(e, i)->cost;
}

/* --- loops that are plain ones in C --- */

static bool writes_scalar(const struct isa_program *p, uint32_t first, uint32_t end, uint32_t row)
{
	for (uint32_t i = first; i < end; i++)
		if (isa_op(p->insts[i].op)->operands[0] == 'S' && p->insts[i].d == row)
			return true;
	return false;
}

static bool is_constant(const struct isa_program *p, uint32_t row)
{
	return p->scalars[row].kind == PTOWSP_SCALAR_CONST;
}

/* Smallest and largest value that an integer scalar may have, as 64 bits. */
static void range_of(const struct isa_program *p, uint32_t row, int64_t *least_out, int64_t *most_out)
{
	const unsigned dtype = p->scalars[row].dtype;
	const int width = isa_width(dtype);

	if (is_constant(p, row)) {
		*least_out = *most_out = (int64_t)p->initial[row];
	} else if (dtype == PTOWSP_BOOL || width == 64) {
		*least_out = width == 64 ? INT64_MIN : 0;
		*most_out = width == 64 ? INT64_MAX : 1;
	} else {
		*least_out = isa_class(dtype) == 'u' ? 0 : -(INT64_C(1) << (width - 1));
		*most_out = (INT64_C(1) << (width - (isa_class(dtype) != 'u'))) - 1;
	}
}

/* Rounds that a FOR makes at most; UINT64_MAX: no end in sight. Where there is an end it counts without wrapping. */
static uint64_t rounds_of(const struct isa_program *p, uint32_t i)
{
	const struct ptowsp_tile_inst *loop = &p->insts[i];
	int64_t step, least, latest, bound, counter_least, counter_most, unused;
	uint64_t span;

	range_of(p, loop->c, &step, &unused);
	range_of(p, loop->a, &least, &latest);
	range_of(p, loop->b, &unused, &bound);
	range_of(p, loop->d, &counter_least, &counter_most);
	if (!is_constant(p, loop->c) || step <= 0 || loop->d == loop->b || writes_scalar(p, i + 1, loop->target - 1, loop->d))
		return UINT64_MAX;
	if (bound > counter_most - step || least < counter_least || latest > counter_most)
		return UINT64_MAX;
	if (bound <= least)
		return 0;
	span = (uint64_t)bound - (uint64_t)least;
	return span / (uint64_t)step + (span % (uint64_t)step != 0);
}

/* The bound must stay what it is only for the number of rounds, which its type bounds anyway. */
static bool is_plain_loop(const struct isa_emitter *e, uint32_t i)
{
	return !e->counted && rounds_of(e->p, i) != UINT64_MAX;
}

bool isa_jumps_counted(const struct isa_program *p)
{
	uint64_t times[ISA_NESTING_MAX + 1] = {1}, all = 0;
	uint32_t depth = 0;

	for (uint32_t i = 0; i < p->header.inst_count; i++) {
		uint64_t rounds;

		switch (p->insts[i].op) {
		case PTOWSP_PTO_WHILE: return true;
		case PTOWSP_PTO_FOR:
			rounds = rounds_of(p, i);
			if (rounds >= UINT64_C(1) << 32 || (rounds && times[depth] > (UINT64_C(1) << 32) / rounds))
				return true;
			times[depth + 1] = times[depth] * rounds;
			depth++;
			all += times[depth];
			break;
		case PTOWSP_PTO_ENDFOR: depth--; break;
		default: break;
		}
		if (all >= UINT64_C(1) << 32)
			return true;
	}
	return false;
}

/* --- control --- */

static bool is_target(const struct isa_program *p, uint32_t end)
{
	for (uint32_t i = p->insts[end].target; i < end; i++)
		if (p->insts[i].op == PTOWSP_PTO_CONTINUE && p->insts[i].target == end)
			return true;
	return false;
}

static void step_check(struct isa_emitter *e, uint32_t loop)
{
	const struct isa_step *s = step_of(e, loop);
	const struct isa_piece step = isa_scalar_i64(e, s->c.row);

	if ((is_constant(e->p, s->c.row) && (int64_t)e->p->initial[s->c.row] > 0) || !isa_is_checked(e))
		return;
	isa_line(e, "if (%s <= 0)", step.text);
	isa_fail_put(e,
		     isa_piece("return tile_fail(call, %s, \"FOR needs a positive step, got %%lld\", (long long)%s);", isa_place_text(e, loop).text, step.text)
			     .text);
}

static void turn_emit(struct isa_emitter *e)
{
	if (e->target->turn)
		isa_line(e, "%s", e->target->turn);
}

static void for_emit(struct isa_emitter *e, uint32_t i)
{
	const struct isa_step *s = step_of(e, i);
	const struct isa_piece d = isa_scalar_text(e, s->d.row), to = isa_scalar_i64(e, s->b.row), step = isa_scalar_text(e, s->c.row);
	const struct isa_piece from = s->a.dtype == s->d.dtype      ? isa_scalar_text(e, s->a.row)
				      : is_constant(e->p, s->a.row) ? isa_literal(isa_scalar_narrow(e->p->initial[s->a.row], s->d.dtype), s->d.dtype)
								    : isa_narrowed(isa_scalar_text(e, s->a.row).text, s->d.dtype);

	isa_comment(e, i);
	if (is_plain_loop(e, i)) {
		isa_open(e, "for (%s = %s; %s < %s; %s += %s) ", d.text, from.text, isa_scalar_i64(e, s->d.row).text, to.text, d.text, step.text);
		turn_emit(e);
		return;
	}
	step_check(e, i);
	assign(e, s->d.row, from.text);
	isa_open(e, "while (%s < %s) ", isa_scalar_i64(e, s->d.row).text, to.text);
	turn_emit(e);
}

static void jump_count(struct isa_emitter *e, uint32_t i)
{
	if (e->core)
		return;
	isa_line(e, "if (call->jumps-- == 0)");
	isa_line(e, "\treturn tile_endless(call, %s);", isa_place_text(e, i).text);
}

static void endfor_emit(struct isa_emitter *e, uint32_t i)
{
	const uint32_t loop = e->p->insts[i].target;
	const struct isa_step *s = step_of(e, loop);

	if (!is_plain_loop(e, loop)) {
		if (is_target(e->p, i))
			isa_line(e, "next_%lu:;", (unsigned long)i);
		if (e->counted)
			jump_count(e, i);
		step_check(e, loop);
		isa_line(e, "const int go = tile_goes_on(%s, %s, %s);", isa_scalar_i64(e, s->d.row).text, isa_scalar_i64(e, s->c.row).text,
			 isa_scalar_i64(e, s->b.row).text);
		isa_put(e, "\n");
		assign(e, s->d.row,
		       isa_narrowed(isa_piece("(uint64_t)%s + (uint64_t)%s", isa_scalar_text(e, s->d.row).text, isa_scalar_text(e, s->c.row).text).text,
				    s->d.dtype)
			       .text);
		isa_line(e, "if (!go)");
		isa_line(e, "\tbreak;");
	}
	isa_close(e);
}

static void endwhile_emit(struct isa_emitter *e, uint32_t i)
{
	if (is_target(e->p, i))
		isa_line(e, "next_%lu:;", (unsigned long)i);
	jump_count(e, i);
	isa_close(e);
}

static void if_emit(struct isa_emitter *e, uint32_t i)
{
	const struct isa_step *s = step_of(e, i);

	isa_comment(e, i);
	if (s->mode)
		isa_open(e, "if ((uint64_t)%s >> %u & 1) ", isa_scalar_text(e, s->a.row).text, s->mode - 1u);
	else
		isa_open(e, "if (%s) ", isa_scalar_condition(e, s->a.row).text);
}

/* The loop that a CONTINUE goes on with: a plain one takes the word of C. */
static void continue_emit(struct isa_emitter *e, uint32_t i)
{
	const uint32_t end = e->p->insts[i].target;

	if (e->p->insts[end].op == PTOWSP_PTO_ENDFOR && is_plain_loop(e, e->p->insts[end].target))
		isa_line(e, "continue;");
	else
		isa_line(e, "goto next_%lu;", (unsigned long)end);
}

void isa_control_emit(struct isa_emitter *e, uint32_t i)
{
	const unsigned op = e->p->insts[i].op;

	isa_cycles_put(e);
	switch (op) {
	case PTOWSP_PTO_FOR: for_emit(e, i); break;
	case PTOWSP_PTO_ENDFOR: endfor_emit(e, i); break;
	case PTOWSP_PTO_WHILE:
		isa_comment(e, i);
		isa_open(e, "for (;;) ");
		turn_emit(e);
		break;
	case PTOWSP_PTO_DO:
		isa_comment(e, i);
		isa_line(e, "if (!(%s))", isa_scalar_condition(e, step_of(e, i)->a.row).text);
		isa_line(e, "\tbreak;");
		break;
	case PTOWSP_PTO_ENDWHILE: endwhile_emit(e, i); break;
	case PTOWSP_PTO_IF: if_emit(e, i); break;
	case PTOWSP_PTO_ELSE:
		e->out.depth--;
		isa_line(e, "} else {");
		e->out.depth++;
		break;
	case PTOWSP_PTO_ENDIF: isa_close(e); break;
	case PTOWSP_PTO_BREAK: isa_line(e, "break;"); break;
	case PTOWSP_PTO_CONTINUE: continue_emit(e, i); break;
	default: isa_line(e, e->core ? "return;" : "return PTOWSP_OK;"); break;
	}
}
