/* SPDX-License-Identifier: MIT */
#include "isa/isa_straight.h"

#include "isa/isa_tables.h"
#include <stdlib.h>

struct straightening {
	const struct isa_program *p;
	struct isa_tables tables;
	const uint64_t *scalars; /* of the walk, while it goes on */
	bool *changes;           /* per scalar: some instruction writes it */
	uint32_t first, most;    /* scalars of the program; instructions */
	const char *why;         /* there is none; NULL: there is */
	bool failed;             /* no memory */
};

static void changes_find(struct straightening *s)
{
	for (uint32_t i = 0; i < s->p->header.inst_count; i++) {
		const struct isa_op *op = isa_op(s->p->insts[i].op);
		uint16_t rows[ISA_OPERANDS_MAX];
		const unsigned count = isa_op_operands(op, &s->p->insts[i], rows);

		for (unsigned k = 0; k < count; k++)
			if (op->operands[k] == 'S')
				s->changes[rows[k]] = true;
	}
}

/* A constant of its value. */
static uint16_t constant_of(struct straightening *s, uint16_t row)
{
	struct ptowsp_tile_scalar scalar = s->tables.scalars[row];
	uint16_t found = 0;

	scalar.kind = PTOWSP_SCALAR_CONST;
	scalar.value = s->scalars[row];
	for (uint32_t i = s->first; i < s->tables.scalar_count; i++)
		if (s->tables.scalars[i].value == scalar.value && s->tables.scalars[i].dtype == scalar.dtype)
			return (uint16_t)i;
	s->failed |= !isa_tables_scalar(&s->tables, scalar, &found);
	return found;
}

static bool is_kept(const struct straightening *s, uint16_t row)
{
	return s->p->scalars[row].kind == PTOWSP_SCALAR_CONST || (s->p->scalars[row].kind == PTOWSP_SCALAR_ARG && !s->changes[row]);
}

/* Moves of single elements, steps without effect on tiles and windows. */
static bool is_dropped(const struct isa_op *op)
{
	return op->shape == ISA_SHAPE_ANY || op->shape == ISA_SHAPE_SCALAR || op->shape == ISA_SHAPE_SCALAR_MASK || op->shape == ISA_SHAPE_CONTROL;
}

static const char *why_not(const struct ptowsp_tile_inst *inst)
{
	switch (inst->op) {
	case PTOWSP_PTO_STORE: return "it stores single elements";
	case PTOWSP_PTO_MGATHER:
	case PTOWSP_PTO_MSCATTER: return "its elements are addresses";
	default: return NULL;
	}
}

/* Behind the instruction: none but those on scalars alone writes what it reads. */
static void inst_add(void *context, uint32_t number)
{
	struct straightening *s = context;
	struct ptowsp_tile_inst inst = s->p->insts[number];
	uint16_t *const sources[] = {&inst.a, &inst.b, &inst.c, &inst.f};
	unsigned at = 0;

	if (s->why || s->failed)
		return;
	s->why = why_not(&inst);
	if (s->why || is_dropped(isa_op(inst.op)) || inst.op == PTOWSP_PTO_GETVAL)
		return;
	for (const char *letter = isa_op(inst.op)->operands; *letter; letter++) {
		if (*letter == 's' && s->p->taint[*sources[at]] & ISA_TAINT_DATA)
			s->why = "it computes with single elements";
		else if (*letter == 's' && !is_kept(s, *sources[at]))
			*sources[at] = constant_of(s, *sources[at]);
		at += *letter >= 'a';
	}
	if (s->tables.inst_count >= s->most)
		s->why = "it has too many instructions";
	s->failed |= !s->why && !isa_tables_inst(&s->tables, inst);
}

static int is_over(void *context)
{
	const struct straightening *s = context;

	return s->why || s->failed;
}

static ptowsp_status blocks_walk(struct straightening *s, const uint64_t *args, uint32_t arg_count, uint32_t blocks, struct ptowsp_error *error)
{
	const struct isa_visitor visitor = {.inst = inst_add, .context = s, .scalars = &s->scalars};
	const struct isa_guard guard = {is_over, s};
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t b = 0; !status && !is_over(s) && b < blocks; b++)
		status = isa_walk_visited(s->p, args, arg_count, (struct isa_block){b, blocks}, &visitor, &guard, error);
	if (status == PTOWSP_UNSUPPORTED)
		s->why = "elements decide what it does";
	return is_over(s) ? PTOWSP_OK : status;
}

ptowsp_status isa_straight(struct isa_program **straight_out, const struct isa_program *program, const uint64_t *args, uint32_t arg_count, uint32_t blocks,
			   uint32_t most, struct ptowsp_error *error)
{
	static const struct isa_options options = {.all_copied = true};
	struct straightening s = {.p = program, .first = program->header.scalar_count, .most = most};
	ptowsp_status status = PTOWSP_OK;

	*straight_out = NULL;
	if (program->unusable[0])
		return isa_error(error, PTOWSP_UNSUPPORTED, "%s", program->unusable);
	if (blocks > 1 && program->zero_count) /* which are zeros in each of them */
		s.why = "its blocks begin with zeros";
	s.changes = calloc(s.first + 1u, sizeof(*s.changes));
	s.failed = !isa_tables_copy(&s.tables, program) || !s.changes;
	s.tables.inst_count = 0;
	if (!s.failed && !s.why) {
		changes_find(&s);
		status = blocks_walk(&s, args, arg_count, blocks, error);
	}
	if (!s.why && !s.failed && !status)
		s.failed |= !isa_tables_inst(&s.tables, (struct ptowsp_tile_inst){.op = PTOWSP_PTO_RETURN});
	if (s.failed)
		status = isa_error(error, PTOWSP_NO_MEMORY, "no memory for a tile program");
	else if (s.why)
		status = isa_error(error, PTOWSP_UNSUPPORTED, "%s", s.why);
	else if (!status)
		status = isa_tables_program(straight_out, &s.tables, program, &options, error);
	isa_tables_finish(&s.tables);
	free(s.changes);
	return status;
}
