/* SPDX-License-Identifier: MIT */
/* body_run.c - instructions of a body, one after the other, until it needs an object. */
#include "aie/ir/body_code.h"
#include "aie/sim/aie_cost.h"

#include "base/error.h"
#include "isa/convert.h"
#include "ptowsp/ids.h"
#include <math.h>
#include <string.h>

enum { TURNS = 4096 }; /* turns of loops, and calls, after which the simulator is asked whether it should end */

/* ---- numbers ------------------------------------------------------------------------------------------------------ */

static inline int64_t cut(int64_t value, uint32_t shift)
{
	return (int64_t)((uint64_t)value << shift) >> shift;
}

static inline uint64_t bare(int64_t value, uint32_t shift)
{
	return (uint64_t)value << shift >> shift;
}

static uint64_t bits_of_float(float value, enum aie_type_kind kind)
{
	uint32_t bits;

	if (kind != AIE_TYPE_F32)
		return kind == AIE_TYPE_BF16 ? isa_put_bf16(value) : isa_put_f16(value);
	memcpy(&bits, &value, 4);
	return bits;
}

static float float_of_bits(uint64_t bits, enum aie_type_kind kind)
{
	const uint32_t low = (uint32_t)bits;
	float value;

	if (kind != AIE_TYPE_F32)
		return kind == AIE_TYPE_BF16 ? isa_get_bf16((uint16_t)bits) : isa_get_f16((uint16_t)bits);
	memcpy(&value, &low, 4);
	return value;
}

static float float_of_int(int64_t value, enum aie_type_kind kind, uint32_t bits)
{
	const unsigned dtype = kind == AIE_TYPE_BF16 ? PTOWSP_BF16 : PTOWSP_F16;

	if (kind == AIE_TYPE_F32)
		return bits ? (float)bare(value, 64 - bits) : (float)value;
	return float_of_bits(
		bits ? isa_convert_unsigned(bare(value, 64 - bits), dtype, PTOWSP_ROUND_RINT) : isa_convert_signed(value, dtype, PTOWSP_ROUND_RINT), kind);
}

static int64_t int_of(double value, uint32_t width)
{
	const uint32_t bits = width & 127;
	const bool is_unsigned = width & 128;
	const double beyond = ldexp(1.0, (int)bits - !is_unsigned), least = is_unsigned ? 0 : -beyond;
	const uint64_t most = bits > !is_unsigned ? UINT64_MAX >> (64 - bits + !is_unsigned) : 0;

	if (value != value)
		return 0;
	if (value >= beyond)
		return cut((int64_t)most, 64 - bits);
	if (value <= least)
		return is_unsigned ? 0 : -(int64_t)most - 1;
	return cut(is_unsigned ? (int64_t)(uint64_t)value : (int64_t)value, 64 - bits);
}

static bool compares(float a, float b, uint32_t predicate)
{
	const bool unordered = a != a || b != b;

	switch (predicate & 7) {
	case 1: return unordered ? predicate & 8 : a == b;
	case 2: return unordered ? predicate & 8 : a > b;
	case 3: return unordered ? predicate & 8 : a >= b;
	case 4: return unordered ? predicate & 8 : a < b;
	case 5: return unordered ? predicate & 8 : a <= b;
	case 6: return unordered ? predicate & 8 : a != b;
	default: return false;
	}
}

/* arith.cmpf's 16: false, the ordered ones, ord, the unordered ones, uno, true. */
static bool cmpf(float a, float b, uint32_t predicate)
{
	static const uint8_t unordered[] = {9, 10, 11, 12, 13, 14}; /* ueq ugt uge ult ule une */
	const bool nan = a != a || b != b;

	switch (predicate) {
	case 0: return false;
	case 7: return !nan;
	case 14: return nan;
	case 15: return true;
	default: return compares(a, b, predicate < 7 ? predicate : unordered[predicate - 8]);
	}
}

/* ---- memory ------------------------------------------------------------------------------------------------------- */

/* NULL: outside. */
static inline uint8_t *address(const union aie_register *r, uint8_t *base, const struct aie_access *access)
{
	for (uint32_t d = 0; d < access->rank; d++) {
		const int64_t index = r[access->at[d]].i;

		if ((uint64_t)index >= (uint64_t)access->dims[d])
			return NULL;
		base += index * access->strides[d];
	}
	return base;
}

/* The mark of a byte; NULL: it has none. */
static inline uint8_t *mark_of(const struct aie_body *body, const uint8_t *at)
{
	return body->outside->net ? aie_net_mark(body->outside->net, at) : NULL;
}

/* A copy may take what was not written, which then is not written there either. */
static void copy_marks(uint8_t *marks, uint64_t count)
{
	for (uint64_t i = 0; marks && i < count; i++)
		marks[i] = marks[i] ? AIE_MARK_USED : 0;
}

static void copy(const struct aie_body *body, const struct aie_copy *copied, uint8_t *from, uint8_t *to)
{
	struct aie_cursor reads, writes;
	uint8_t some[512], marks[512];

	copy_marks(mark_of(body, from), copied->from.run);
	aie_cursor_begin(&reads, from, mark_of(body, from) ? (int64_t)body->outside->net->marks : 0);
	aie_cursor_begin(&writes, to, mark_of(body, to) ? (int64_t)body->outside->net->marks : 0);
	for (uint64_t left = copied->from.bytes; left;) {
		const uint64_t n = left < sizeof(some) ? left : sizeof(some);

		aie_cursor_get(&reads, &copied->from, some, marks, n);
		aie_cursor_put(&writes, &copied->to, some, marks, n);
		left -= n;
	}
}

/* The first byte of these that was not written; NULL: all are, and have been used now. */
static const uint8_t *read_all(uint8_t *marks, uint64_t bytes)
{
	const uint8_t *none = memchr(marks, 0, bytes);

	if (!none)
		memset(marks, AIE_MARK_USED, bytes);
	return none;
}

/* ---- calls -------------------------------------------------------------------------------------------------------- */

/* Results of a kernel; one whose type is no number is 0. */
static void results_put(const struct aie_body *body, const struct aie_call *call, union aie_register *r)
{
	for (uint32_t i = 0; i < call->results; i++) {
		const struct aie_type *type = call->function->type->parts[call->arguments + i];
		union aie_register *to = &r[body->register_rows[call->first + call->arguments + i]];

		if (type->kind == AIE_TYPE_INDEX || type->kind == AIE_TYPE_INT)
			to->i = cut((int64_t)body->results[i], type->kind == AIE_TYPE_INDEX ? 0 : 64 - type->bits);
		else if (type->kind < AIE_TYPE_MEMREF)
			to->f = float_of_bits(body->results[i], type->kind);
		else
			to->i = 0;
	}
}

/* An argument from dimension d on: a kernel writes, or reads it. The first byte that it reads and nobody has written; NULL: there is none. */
static const uint8_t *argument_use(const struct aie_type *type, uint32_t d, uint8_t *marks, bool writes)
{
	const uint64_t element = aie_type_bytes(type->element);
	const bool row = d + 1 == type->rank && type->strides[d] == 1;
	const uint64_t bytes = row ? element * (uint64_t)type->dims[d] : element;
	const uint8_t *none = NULL;

	if (d == type->rank || row) {
		if (writes)
			memset(marks, AIE_MARK_USED, bytes);
		return writes ? NULL : read_all(marks, bytes);
	}
	for (int64_t i = 0; !none && i < type->dims[d]; i++)
		none = argument_use(type, d + 1, marks + i * type->strides[d] * (int64_t)element, writes);
	return none;
}

static ptowsp_status unwritten_tell(const struct aie_body *body, const struct aie_call *call, uint32_t i, uint64_t byte, uint32_t line,
				    struct ptowsp_error *error)
{
	return base_fail(error, PTOWSP_KERNEL_FAILED,
			 "line %u: the core calls %s with @%s, of which nobody has written element %llu; write all of what a kernel reads", line,
			 call->function->name, body->outside->name(body->outside->context, body->memrefs[i]),
			 (unsigned long long)(byte / aie_type_bytes(call->function->type->parts[i]->element)));
}

/* Elements that a call reads (before it) or writes (behind it); an argument without a stated access may be written as a whole. */
static ptowsp_status arguments_use(const struct aie_body *body, const struct aie_call *call, bool writes, uint32_t line, struct ptowsp_error *error)
{
	for (uint32_t i = 0; i < call->arguments; i++) {
		const struct aie_type *type = call->function->type->parts[i];
		const enum aie_access_kind access = aie_function_access(call->function, i);
		uint8_t *marks = type->kind == AIE_TYPE_MEMREF ? mark_of(body, body->memrefs[i]) : NULL;
		const uint8_t *none;

		if (!marks || (writes ? access == AIE_READS : !(access & AIE_READS)))
			continue;
		none = argument_use(type, 0, marks, writes);
		if (none)
			return unwritten_tell(body, call, i, (uint64_t)(none - marks), line, error);
	}
	return PTOWSP_OK;
}

static ptowsp_status kernel(struct aie_body *body, const struct aie_call *call, union aie_register *r, uint32_t line, uint64_t *cycles,
			    struct ptowsp_error *error)
{
	const struct aie_sim_kernels *kernels = &body->outside->kernels;
	uint64_t spent = 0;
	ptowsp_status status;

	if (!kernels->call)
		return base_fail(error, PTOWSP_UNSUPPORTED, "no model for kernel %s; give the simulator one, or write the function's body",
				 call->function->name);
	for (uint32_t i = 0; i < call->arguments; i++) {
		const struct aie_type *type = call->function->type->parts[i];
		const union aie_register value = r[body->register_rows[call->first + i]];

		if (type->kind == AIE_TYPE_MEMREF)
			body->memrefs[i] = value.p;
		else if (type->kind == AIE_TYPE_INDEX || type->kind == AIE_TYPE_INT)
			body->scalars[i] = bare(value.i, type->kind == AIE_TYPE_INDEX ? 0 : 64 - type->bits);
		else
			body->scalars[i] = bits_of_float(value.f, type->kind);
	}
	memset(body->results, 0, call->results * sizeof(*body->results));
	status = arguments_use(body, call, false, line, error);
	if (status)
		return status;
	status = kernels->call(kernels->context,
			       &(struct aie_sim_call){call->function, body->outside->core, (body->outside->now ? *body->outside->now : 0) + *cycles,
						      body->memrefs, body->scalars, body->results},
			       &spent, error);
	*cycles += spent;
	results_put(body, call, r);
	return status ? status : arguments_use(body, call, true, line, error);
}

static void call_begin(struct aie_body *body, uint32_t number, uint32_t pc)
{
	const struct aie_call *call = &body->call_rows[number];
	union aie_register *r = body->file + body->base;

	for (uint32_t i = 0; i < call->arguments; i++)
		r[call->frame + i] = r[body->register_rows[call->first + i]];
	body->stack[body->depth++] = (struct aie_frame){pc, number, body->base};
	body->base += call->frame;
}

static uint32_t call_end(struct aie_body *body, const uint32_t *returned)
{
	const struct aie_frame *frame = &body->stack[--body->depth];
	const struct aie_call *call = &body->call_rows[frame->call];
	union aie_register *callee = body->file + body->base, *caller = body->file + frame->base;

	/* Results of a caller are no registers of the callee: it returns all before any is used. */
	for (uint32_t i = 0; i < call->results; i++)
		caller[body->register_rows[call->first + call->arguments + i]] = callee[returned[i]];
	body->base = frame->base;
	return frame->pc;
}

/* ---- locks -------------------------------------------------------------------------------------------------------- */

/* The objects that the last acquire is for, which the core has now. */
static void objects_put(struct aie_body *body)
{
	const struct aie_body_fifo *fifo = &body->fifo_rows[body->wanted_fifo];

	for (uint32_t i = 0; i < body->wanted_count; i++)
		body->file[body->base + body->wanted + i].p = fifo->objects[(fifo->first + i) % fifo->depth];
	body->wanted_fifo = AIE_NONE;
	body->wanted_count = 0;
}

/* Acquires or releases objects of an array's fifo. true: it asks for that. */
static bool fifo_ask(struct aie_body *body, const struct aie_ins *in, struct aie_ask *ask)
{
	const struct aie_body_port *port = &body->port_rows[in->c];
	struct aie_body_fifo *fifo = &body->fifo_rows[port->fifo];
	const bool acquires = in->code == AIE_CODE_ACQUIRE;
	uint32_t count = port->count;

	if (acquires) {
		count = count > fifo->held ? count - fifo->held : 0;
		fifo->held += count;
		body->wanted = in->d;
		body->wanted_count = port->count;
		body->wanted_fifo = port->fifo;
	} else {
		fifo->held -= count;
		fifo->first = (fifo->first + count) % fifo->depth;
	}
	*ask = (struct aie_ask){.kind = acquires ? AIE_ASK_TAKE : AIE_ASK_GIVE, .hold = {acquires ? fifo->take : fifo->give, count, false}};
	if (count && ask->hold.semaphore != AIE_NONE)
		return true;
	if (acquires)
		objects_put(body);
	return false;
}

static bool lock_ask(const struct aie_body *body, const struct aie_ins *in, int64_t number, struct aie_ask *ask)
{
	const struct aie_body_outside *outside = body->outside;
	const uint32_t semaphore = number >= AIE_BODY_LOCK ? (uint32_t)(number - AIE_BODY_LOCK)
				   : outside->local        ? outside->local(outside->context, number)
							   : AIE_NONE;

	*ask = (struct aie_ask){.kind = in->code == AIE_CODE_TAKE ? AIE_ASK_TAKE : AIE_ASK_GIVE, .hold = {semaphore, (int32_t)in->c, in->b != 0}};
	return semaphore != AIE_NONE;
}

/* ---- the loop ----------------------------------------------------------------------------------------------------- */

static ptowsp_status wrong(const struct aie_body *body, const struct aie_ins *in, const char *what, struct ptowsp_error *error)
{
	const char *who = body->outside->who;

	return base_fail(error, PTOWSP_KERNEL_FAILED, "line %u: %s %s", body->line_rows[in - body->code_rows], who ? who : "the core", what);
}

/* The first index that is outside. */
static ptowsp_status outside(const struct aie_body *body, const struct aie_ins *in, const union aie_register *r, const struct aie_access *access,
			     const char *what, struct ptowsp_error *error)
{
	char text[160];
	uint32_t d = 0;

	while ((uint64_t)r[access->at[d]].i < (uint64_t)access->dims[d])
		d++;
	base_text(text, sizeof(text), "%s memref: index %u is %lld, expected 0 to %lld", what, d, (long long)r[access->at[d]].i,
		  (long long)access->dims[d] - 1);
	return wrong(body, in, text, error);
}

#define LOAD(kind, bytes, ...)                                                                                                                                 \
	case AIE_CODE_LOAD_##kind: {                                                                                                                           \
		const uint8_t *at = address(r, r[in->a].p, &accesses[in->c]);                                                                                  \
		if (!at)                                                                                                                                       \
			return outside(body, in, r, &accesses[in->c], "loads from outside of a", error);                                                       \
		if (mark_of(body, at) && read_all(mark_of(body, at), bytes))                                                                                   \
			return wrong(body, in, "loads an element that nobody has written; store it first", error);                                             \
		__VA_ARGS__                                                                                                                                    \
		break;                                                                                                                                         \
	}
#define STORE(kind, bytes, ...)                                                                                                                                \
	case AIE_CODE_STORE_##kind: {                                                                                                                          \
		uint8_t *at = address(r, r[in->a].p, &accesses[in->c]);                                                                                        \
		if (!at)                                                                                                                                       \
			return outside(body, in, r, &accesses[in->c], "stores outside of a", error);                                                           \
		if (mark_of(body, at))                                                                                                                         \
			memset(mark_of(body, at), AIE_MARK_USED, bytes);                                                                                       \
		__VA_ARGS__                                                                                                                                    \
		break;                                                                                                                                         \
	}
#define MEMORY(kind, type, member)                                                                                                                             \
	LOAD(kind, sizeof(type), {                                                                                                                             \
		type v;                                                                                                                                        \
		memcpy(&v, at, sizeof(v));                                                                                                                     \
		r[in->d].member = v;                                                                                                                           \
	})                                                                                                                                                     \
	STORE(kind, sizeof(type), {                                                                                                                            \
		type v = (type)r[in->d].member;                                                                                                                \
		memcpy(at, &v, sizeof(v));                                                                                                                     \
	})
#define MEMORY16(kind, of, to)                                                                                                                                 \
	LOAD(kind, 2, {                                                                                                                                        \
		uint16_t v;                                                                                                                                    \
		memcpy(&v, at, 2);                                                                                                                             \
		r[in->d].f = of(v);                                                                                                                            \
	})                                                                                                                                                     \
	STORE(kind, 2, {                                                                                                                                       \
		uint16_t v = to(r[in->d].f);                                                                                                                   \
		memcpy(at, &v, 2);                                                                                                                             \
	})

/* The interpreter loop, one long switch: each instruction is a line or a few. */
static ptowsp_status run(struct aie_body *body, struct aie_ask *ask, struct ptowsp_error *error)
{
	const struct aie_ins *in = body->code_rows + body->pc;
	const struct aie_access *const accesses = body->access_rows;
	union aie_register *r = body->file + body->base;
	uint64_t cycles = 0, done = 0;
	uint32_t turns = TURNS;
	ptowsp_status status = PTOWSP_OK;

	for (;; in++) {
		cycles += in->cost;
		done++;
		switch ((enum aie_code)in->code) {
#define INTEGER(op, name, cost, value)                                                                                                                         \
	case AIE_CODE_##op: {                                                                                                                                  \
		const int64_t a = r[in->a].i, b = r[in->b].i;                                                                                                  \
		const uint64_t ua = bare(a, in->c), ub = bare(b, in->c), bits = 64 - in->c;                                                                    \
		(void)a, (void)b, (void)ua, (void)ub, (void)bits;                                                                                              \
		r[in->d].i = cut(value, in->c);                                                                                                                \
		break;                                                                                                                                         \
	}
#define FLOAT(op, name, cost, value)                                                                                                                           \
	case AIE_CODE_##op: {                                                                                                                                  \
		const float a = r[in->a].f, b = r[in->b].f;                                                                                                    \
		r[in->d].f = (float)(value);                                                                                                                   \
		break;                                                                                                                                         \
	}
#define COMPARE(op, number, value)                                                                                                                             \
	case AIE_CODE_##op: {                                                                                                                                  \
		const int64_t a = r[in->a].i, b = r[in->b].i;                                                                                                  \
		r[in->d].i = -(int64_t)(value);                                                                                                                \
		break;                                                                                                                                         \
	}
#include "aie/ir/body.def"
			LOAD(BIT, 1, r[in->d].i = -(int64_t)(*at & 1);)
			STORE(BIT, 1, *at = r[in->d].i & 1;)
			MEMORY(I8, int8_t, i)
			MEMORY(I16, int16_t, i)
			MEMORY(I32, int32_t, i)
			MEMORY(I64, int64_t, i)
			MEMORY(F32, float, f)
			MEMORY16(BF16, isa_get_bf16, isa_put_bf16)
			MEMORY16(F16, isa_get_f16, isa_put_f16)
		case AIE_CODE_MOVE: r[in->d] = r[in->a]; break;
		case AIE_CODE_NUMBER: r[in->d] = body->number_rows[in->c]; break;
		case AIE_CODE_NONZERO:
			if (!r[in->a].i)
				return wrong(body, in, "divides by 0", error);
			break;
		case AIE_CODE_CMPF: r[in->d].i = -(int64_t)cmpf(r[in->a].f, r[in->b].f, in->c); break;
		case AIE_CODE_NEGF: r[in->d].f = -r[in->a].f; break;
		case AIE_CODE_SELECT: r[in->d] = r[in->a].i ? r[in->b] : r[in->c]; break;
		case AIE_CODE_CUT: r[in->d].i = cut(r[in->a].i, in->c); break;
		case AIE_CODE_CUTU: r[in->d].i = (int64_t)bare(r[in->a].i, in->c); break;
		case AIE_CODE_NARROW: r[in->d].f = float_of_bits(bits_of_float(r[in->a].f, in->c), in->c); break;
		case AIE_CODE_FLOAT_OF: r[in->d].f = float_of_int(r[in->a].i, in->b, in->c); break;
		case AIE_CODE_INT_OF: r[in->d].i = int_of(r[in->a].f, in->c); break;
		case AIE_CODE_BITS: r[in->d].i = cut((int64_t)bits_of_float(r[in->a].f, in->c), in->c == AIE_TYPE_F32 ? 32 : 48); break;
		case AIE_CODE_OF_BITS: r[in->d].f = float_of_bits((uint64_t)r[in->a].i, in->c); break;
		case AIE_CODE_SUBVIEW: {
			uint8_t *at = address(r, r[in->a].p, &body->window_rows[in->c].moving);

			if (!at)
				return outside(body, in, r, &body->window_rows[in->c].moving, "takes a subview that is not within its", error);
			r[in->d].p = at + body->window_rows[in->c].offset;
			break;
		}
		case AIE_CODE_VIEW:
			if ((uint64_t)r[in->b].i > in->c)
				return wrong(body, in, "takes a view that is not within its memref; keep it within", error);
			r[in->d].p = r[in->a].p + r[in->b].i;
			break;
		case AIE_CODE_COPY:
			copy(body, &body->copy_rows[in->c], r[in->a].p, r[in->b].p);
			cycles += body->copy_rows[in->c].elements * (AIE_COST_OP_LOAD + AIE_COST_OP_STORE);
			break;
		case AIE_CODE_STEP:
			if (r[in->a].i <= 0)
				return wrong(body, in, "has a loop whose step is not above 0", error);
			break;
		case AIE_CODE_FOR:
			r[in->d] = r[in->a];
			if (r[in->d].i >= r[in->b].i)
				in = body->code_rows + in->c - 1;
			break;
		case AIE_CODE_NEXT:
			if ((uint64_t)r[in->b].i - (uint64_t)r[in->d].i <= (uint64_t)r[in->a].i)
				break;
			r[in->d].i += r[in->a].i;
			in = body->code_rows + in->c - 1;
			if (--turns)
				break;
			*ask = (struct aie_ask){.kind = AIE_ASK_NOTHING};
			goto out;
		case AIE_CODE_UNLESS:
			if (!r[in->a].i)
				in = body->code_rows + in->c - 1;
			break;
		case AIE_CODE_JUMP: in = body->code_rows + in->c - 1; break;
		case AIE_CODE_CALL:
			call_begin(body, in->c, (uint32_t)(in - body->code_rows));
			r = body->file + body->base;
			in = body->code_rows + body->call_rows[in->c].entry - 1;
			if (--turns)
				break;
			*ask = (struct aie_ask){.kind = AIE_ASK_NOTHING};
			goto out;
		case AIE_CODE_RETURN:
			in = body->code_rows + call_end(body, body->register_rows + in->c);
			r = body->file + body->base;
			break;
		case AIE_CODE_KERNEL:
			status = kernel(body, &body->call_rows[in->c], r, body->line_rows[in - body->code_rows], &cycles, error);
			if (status)
				return status;
			break;
		case AIE_CODE_BACK:
			in = body->code_rows + in->c - 1;
			if (--turns)
				break;
			*ask = (struct aie_ask){.kind = AIE_ASK_NOTHING};
			goto out;
		case AIE_CODE_TAKE:
		case AIE_CODE_GIVE:
			if (!lock_ask(body, in, r[in->a].i, ask))
				return wrong(body, in, "uses a lock that is none of its tile or its neighbours", error);
			goto out;
		case AIE_CODE_ACQUIRE:
		case AIE_CODE_RELEASE: {
			const struct aie_body_port *port = &body->port_rows[in->c];

			if (port->fifo != AIE_NONE) {
				const struct aie_body_fifo *fifo = &body->fifo_rows[port->fifo];

				if (in->code == AIE_CODE_RELEASE && port->count > fifo->held)
					return wrong(body, in, "releases more objects than it has acquired", error);
				if (!fifo_ask(body, in, ask))
					break;
				goto out;
			}
			*ask = (struct aie_ask){.kind = in->code == AIE_CODE_ACQUIRE ? AIE_ASK_ACQUIRE : AIE_ASK_RELEASE,
						.lock = port->lock,
						.side = port->side,
						.count = port->count};
			body->wanted = in->d;
			body->wanted_count = in->code == AIE_CODE_ACQUIRE ? port->count : 0;
			goto out;
		}
		case AIE_CODE_END:
			*ask = (struct aie_ask){.kind = AIE_ASK_END};
			in--; /* it stays there */
			goto out;
		}
	}
out:
	body->pc = (uint32_t)(in + 1 - body->code_rows);
	body->instructions += done;
	ask->cycles = cycles;
	return PTOWSP_OK;
}

ptowsp_status aie_body_next(void *context, void *const *objects, struct aie_ask *ask, struct ptowsp_error *error)
{
	struct aie_body *body = context;

	if (body->wanted_fifo != AIE_NONE)
		objects_put(body);
	for (uint32_t i = 0; i < body->wanted_count; i++)
		body->file[body->base + body->wanted + i].p = objects[i];
	body->wanted_count = 0;
	return run(body, ask, error);
}
