/* SPDX-License-Identifier: MIT */
/* verify.c - the structure of a tile program: after this the interpreter needs no check of an index, a target or the end. */
#include "isa/isa_program.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An open FOR, WHILE or IF. */
struct block {
	uint32_t start; /* its first instruction */
	uint32_t turn;  /* its DO or ELSE, 0 while there is none: instruction 0 cannot be one */
};
struct verifier {
	struct isa_program *p;
	struct ptowsp_error *error;
	uint32_t at; /* instruction in question */
	struct block open[ISA_NESTING_MAX];
	uint32_t depth;
	uint32_t *loop_of; /* BREAK, CONTINUE: start of their loop; FOR, WHILE: their end */
};

static ptowsp_status refuse(const struct verifier *v, const char *format, ...) __attribute__((format(printf, 2, 3)));
static ptowsp_status refuse(const struct verifier *v, const char *format, ...)
{
	const struct isa_op *op = isa_op(v->p->insts[v->at].op);
	char what[160];
	va_list list;

	va_start(list, format);
	vsnprintf(what, sizeof(what), format, list);
	va_end(list);
	return isa_error(v->error, PTOWSP_BAD_PACKAGE, "kernel %.64s instruction %lu (%s): %s", v->p->name, (unsigned long)v->at, op ? op->mnemonic : "?",
			 what);
}

static ptowsp_status refuse_row(const struct isa_program *p, struct ptowsp_error *error, const char *table, uint32_t row, const char *what)
{
	return isa_error(error, PTOWSP_BAD_PACKAGE, "kernel %.64s: row %lu of its %s %s", p->name, (unsigned long)row, table, what);
}

static ptowsp_status params_verify(const struct isa_program *p, struct ptowsp_error *error)
{
	for (uint32_t i = 0; i < p->header.param_count; i++) {
		if (!isa_dtype_bytes(p->params[i].dtype))
			return refuse_row(p, error, "parameters", i, "has an unknown element type");
		if (p->params[i].access & ~(PTOWSP_READ | PTOWSP_WRITE))
			return refuse_row(p, error, "parameters", i, "has unknown access bits");
	}
	return PTOWSP_OK;
}

static bool space_known(unsigned space)
{
	switch (space) {
#define X(name, code, text) case code:
#include "ptowsp/space.def"
#undef X
		return true;
	default: return false;
	}
}

static ptowsp_status tiles_verify(const struct isa_program *p, struct ptowsp_error *error)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < p->header.tile_count; i++) {
		const struct ptowsp_tile_tile *t = &p->tiles[i];
		const unsigned bytes = isa_dtype_bytes(t->dtype);
		const uint64_t elements = (uint64_t)t->rows * t->columns; /* 32 x 32 bits */

		if (!bytes)
			return refuse_row(p, error, "tiles", i, "has an unknown element type");
		if (!space_known(t->space))
			return refuse_row(p, error, "tiles", i, "lies in an unknown memory space");
		if (elements == 0)
			return refuse_row(p, error, "tiles", i, "has no elements");
		if (elements > (ISA_TILE_BYTES_MAX - total) / bytes)
			return refuse_row(p, error, "tiles", i, "brings the tiles above 1 GiB");
		total += elements * bytes;
	}
	return PTOWSP_OK;
}

/* Argument numbers are 0 .. n-1, each once. */
static ptowsp_status args_verify(struct isa_program *p, struct ptowsp_error *error)
{
	const uint32_t count = p->header.scalar_count;

	for (uint32_t i = 0; i < count; i++)
		p->arg_count += p->scalars[i].kind == PTOWSP_SCALAR_ARG;
	p->arg_rows = malloc((p->arg_count + 1u) * sizeof(*p->arg_rows));
	if (!p->arg_rows)
		return isa_error(error, PTOWSP_NO_MEMORY, "no memory for a tile program");
	memset(p->arg_rows, 0xFF, p->arg_count * sizeof(*p->arg_rows));
	for (uint32_t i = 0; i < count; i++) {
		const struct ptowsp_tile_scalar *s = &p->scalars[i];

		if (s->kind != PTOWSP_SCALAR_ARG)
			continue;
		if (s->value >= p->arg_count)
			return refuse_row(p, error, "scalars", i, "has an argument number with a gap below it");
		if (p->arg_rows[s->value] != UINT32_MAX)
			return refuse_row(p, error, "scalars", i, "repeats an argument number");
		p->arg_rows[s->value] = i;
	}
	return PTOWSP_OK;
}

static ptowsp_status scalars_verify(struct isa_program *p, struct ptowsp_error *error)
{
	for (uint32_t i = 0; i < p->header.scalar_count; i++) {
		if (!isa_dtype_bytes(p->scalars[i].dtype))
			return refuse_row(p, error, "scalars", i, "has an unknown element type");
		if (p->scalars[i].kind > PTOWSP_SCALAR_BLOCKS)
			return refuse_row(p, error, "scalars", i, "is neither local nor constant nor argument nor block");
		if (p->scalars[i].kind >= PTOWSP_SCALAR_BLOCK && p->scalars[i].value)
			return refuse_row(p, error, "scalars", i, "is a block's number or count and has a value of its own");
		p->of_blocks |= p->scalars[i].kind >= PTOWSP_SCALAR_BLOCK;
	}
	return args_verify(p, error);
}

/* Largest mode of an opcode. */
static unsigned mode_max(unsigned opcode)
{
	switch (opcode) {
	case PTOWSP_PTO_TCMP:
	case PTOWSP_PTO_TCMPS:
	case PTOWSP_PTO_CMP: return PTOWSP_COMPARE_GE;
	case PTOWSP_PTO_TCVT: return PTOWSP_ROUND_ODD;
	case PTOWSP_PTO_TMOV: return UINT8_MAX; /* memories are the architecture's own */
	case PTOWSP_PTO_IF: return 64;          /* 1 + bit */
	default: return 0;
	}
}

static ptowsp_status memref_verify(const struct verifier *v, uint16_t row, unsigned access)
{
	if (row >= v->p->header.param_count)
		return refuse(v, "names parameter %u of %lu", row, (unsigned long)v->p->header.param_count);
	if (!(v->p->params[row].access & access))
		return refuse(v, "%s %%%.64s, which is not declared so", access == PTOWSP_READ ? "reads" : "writes", v->p->param_names[row]);
	return PTOWSP_OK;
}

static ptowsp_status operand_verify(const struct verifier *v, char letter, uint16_t row)
{
	const struct isa_program *p = v->p;

	switch (letter) {
	case 'T':
	case 't':
		if (row >= p->header.tile_count)
			return refuse(v, "names tile %u of %lu", row, (unsigned long)p->header.tile_count);
		return PTOWSP_OK;
	case 'S':
	case 's':
		if (row >= p->header.scalar_count)
			return refuse(v, "names scalar %u of %lu", row, (unsigned long)p->header.scalar_count);
		if (letter == 'S' && p->scalars[row].kind == PTOWSP_SCALAR_CONST)
			return refuse(v, "writes %%%.64s, which is a constant", p->scalar_names[row]);
		return PTOWSP_OK;
	default: return memref_verify(v, row, letter == 'M' ? PTOWSP_WRITE : PTOWSP_READ);
	}
}

/* Fields that the opcode does not use are 0, so that they can mean something one day. */
static bool spare_is_zero(const struct ptowsp_tile_inst *inst, const char *operands)
{
	const uint16_t dst[2] = {inst->d, inst->e};
	const uint16_t src[4] = {inst->a, inst->b, inst->c, inst->f};
	unsigned dst_used = 0, src_used = 0;

	for (; *operands; operands++)
		*(*operands < 'a' ? &dst_used : &src_used) += 1;
	for (; dst_used < 2; dst_used++)
		if (dst[dst_used])
			return false;
	for (; src_used < 4; src_used++)
		if (src[src_used])
			return false;
	return inst->reserved == 0 && (inst->target == 0 || isa_op_has_target(inst->op));
}

static ptowsp_status inst_verify(const struct verifier *v)
{
	const struct ptowsp_tile_inst *inst = &v->p->insts[v->at];
	const struct isa_op *op = isa_op(inst->op);
	uint16_t rows[ISA_OPERANDS_MAX];
	unsigned count;

	if (!op)
		return isa_error(v->error, PTOWSP_UNKNOWN_OPCODE, "kernel %.64s instruction %lu: opcode 0x%02X is not known here", v->p->name,
				 (unsigned long)v->at, inst->op);
	if (inst->op == PTOWSP_PTO_CALL)
		return refuse(v, "calls are inlined when a kernel is packed and cannot stand in a package");
	if (inst->mode > mode_max(inst->op))
		return refuse(v, "has no mode %u", inst->mode);
	if (!spare_is_zero(inst, op->operands))
		return refuse(v, "sets a field that it does not use");
	count = isa_op_operands(op, inst, rows);
	for (unsigned i = 0; i < count; i++) {
		const ptowsp_status status = operand_verify(v, op->operands[i], rows[i]);

		if (status)
			return status;
	}
	return PTOWSP_OK;
}

static ptowsp_status target_verify(struct verifier *v, uint32_t inst, uint32_t want)
{
	if (v->p->insts[inst].target == want)
		return PTOWSP_OK;
	v->at = inst;
	return refuse(v, "goes to %lu, the structure says %lu", (unsigned long)v->p->insts[inst].target, (unsigned long)want);
}

static ptowsp_status block_open(struct verifier *v)
{
	if (v->depth == ISA_NESTING_MAX)
		return refuse(v, "is nested deeper than %d", ISA_NESTING_MAX);
	v->open[v->depth++] = (struct block){.start = v->at};
	return PTOWSP_OK;
}

/* The innermost block if it was opened by this opcode, else NULL. */
static struct block *block_of(struct verifier *v, unsigned opcode)
{
	struct block *b = v->depth ? &v->open[v->depth - 1] : NULL;

	return b && v->p->insts[b->start].op == opcode ? b : NULL;
}

static ptowsp_status loop_close(struct verifier *v, unsigned opcode)
{
	const struct block *b = block_of(v, opcode);
	ptowsp_status status;

	if (!b)
		return refuse(v, "has no %s", isa_op(opcode)->mnemonic);
	if (opcode == PTOWSP_PTO_WHILE && !b->turn)
		return refuse(v, "comes before its DO");
	v->loop_of[b->start] = v->at;
	status = target_verify(v, v->at, b->start);
	if (!status)
		status = target_verify(v, opcode == PTOWSP_PTO_WHILE ? b->turn : b->start, v->at + 1);
	v->depth--;
	return status;
}

static ptowsp_status if_close(struct verifier *v)
{
	const struct block *b = block_of(v, PTOWSP_PTO_IF);
	ptowsp_status status;

	if (!b)
		return refuse(v, "has no IF");
	status = target_verify(v, b->start, b->turn ? b->turn + 1 : v->at);
	if (!status && b->turn)
		status = target_verify(v, b->turn, v->at);
	v->depth--;
	return status;
}

/* DO of a WHILE, ELSE of an IF: once each. */
static ptowsp_status block_turn(struct verifier *v, unsigned opcode)
{
	struct block *b = block_of(v, opcode);

	if (!b || b->turn)
		return refuse(v, "has no %s", isa_op(opcode)->mnemonic);
	b->turn = v->at;
	return PTOWSP_OK;
}

static ptowsp_status loop_leave(struct verifier *v)
{
	for (uint32_t i = v->depth; i-- > 0;)
		if (v->p->insts[v->open[i].start].op != PTOWSP_PTO_IF) {
			v->loop_of[v->at] = v->open[i].start;
			return PTOWSP_OK;
		}
	return refuse(v, "is not inside a loop");
}

static ptowsp_status control_verify(struct verifier *v)
{
	switch (v->p->insts[v->at].op) {
	case PTOWSP_PTO_FOR:
	case PTOWSP_PTO_WHILE:
	case PTOWSP_PTO_IF: return block_open(v);
	case PTOWSP_PTO_ENDFOR: return loop_close(v, PTOWSP_PTO_FOR);
	case PTOWSP_PTO_DO: return block_turn(v, PTOWSP_PTO_WHILE);
	case PTOWSP_PTO_ENDWHILE: return loop_close(v, PTOWSP_PTO_WHILE);
	case PTOWSP_PTO_ELSE: return block_turn(v, PTOWSP_PTO_IF);
	case PTOWSP_PTO_ENDIF: return if_close(v);
	case PTOWSP_PTO_BREAK:
	case PTOWSP_PTO_CONTINUE: return loop_leave(v);
	default: return PTOWSP_OK;
	}
}

/* BREAK and CONTINUE go to places that are known only when their loop has ended. */
static ptowsp_status leaves_verify(struct verifier *v)
{
	for (uint32_t i = 0; i < v->p->header.inst_count; i++) {
		const unsigned op = v->p->insts[i].op;
		ptowsp_status status = PTOWSP_OK;

		if (op == PTOWSP_PTO_BREAK)
			status = target_verify(v, i, v->loop_of[v->loop_of[i]] + 1);
		else if (op == PTOWSP_PTO_CONTINUE)
			status = target_verify(v, i, v->loop_of[v->loop_of[i]]);
		if (status)
			return status;
	}
	return PTOWSP_OK;
}

static ptowsp_status insts_verify(struct verifier *v)
{
	const uint32_t count = v->p->header.inst_count;
	ptowsp_status status = PTOWSP_OK;

	for (v->at = 0; v->at < count && !status; v->at++) {
		status = inst_verify(v);
		if (!status)
			status = control_verify(v);
	}
	if (status)
		return status;
	if (v->depth) {
		v->at = v->open[v->depth - 1].start;
		return refuse(v, "is never closed");
	}
	if (count == 0 || v->p->insts[count - 1].op != PTOWSP_PTO_RETURN)
		return isa_error(v->error, PTOWSP_BAD_PACKAGE, "kernel %.64s does not end with return", v->p->name);
	return leaves_verify(v);
}

ptowsp_status isa_verify(struct isa_program *p, struct ptowsp_error *error)
{
	struct verifier v = {.p = p, .error = error};
	ptowsp_status status = params_verify(p, error);

	if (!status)
		status = tiles_verify(p, error);
	if (!status)
		status = scalars_verify(p, error);
	if (status)
		return status;
	v.loop_of = calloc(p->header.inst_count + 1u, sizeof(*v.loop_of));
	if (!v.loop_of)
		return isa_error(error, PTOWSP_NO_MEMORY, "no memory for a tile program");
	status = insts_verify(&v);
	free(v.loop_of);
	return status;
}
