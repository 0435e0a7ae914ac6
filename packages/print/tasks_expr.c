/* SPDX-License-Identifier: MIT */
/* tasks_expr.c - scalar expressions as C: 64-bit integers. */
#include "print/tasks_parts.h"

#include "format/format_names.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

/* How each operator of expr_ops.def is written in C, and how strongly it binds; 0: in a form of its own. */
static const struct operator
{
	const char *sign;
	unsigned strength;
}
operators[64] = {
	[PTOWSP_EXPR_ADD] = {"+", PRINT_C_SUM},
	[PTOWSP_EXPR_SUB] = {"-", PRINT_C_SUM},
	[PTOWSP_EXPR_MUL] = {"*", PRINT_C_PRODUCT},
	[PTOWSP_EXPR_DIV] = {"/", PRINT_C_PRODUCT},
	[PTOWSP_EXPR_MOD] = {"%", PRINT_C_PRODUCT},
	[PTOWSP_EXPR_AND] = {"&", 5},
	[PTOWSP_EXPR_OR] = {"|", 3},
	[PTOWSP_EXPR_XOR] = {"^", 4},
	[PTOWSP_EXPR_EQ] = {"==", 6},
	[PTOWSP_EXPR_NE] = {"!=", 6},
	[PTOWSP_EXPR_LT] = {"<", 7},
	[PTOWSP_EXPR_LE] = {"<=", 7},
	[PTOWSP_EXPR_GT] = {">", 7},
	[PTOWSP_EXPR_GE] = {">=", 7},
	[PTOWSP_EXPR_LAND] = {"&&", 2},
	[PTOWSP_EXPR_LOR] = {"||", 1},
};

static int64_t constant_of(const struct ptowsp_expr_record *row)
{
	return (int64_t)((uint64_t)row->c << 32 | row->b);
}

bool print_c_constant(const struct print_tasks *p, uint32_t row, int64_t *value_out)
{
	*value_out = constant_of(&p->t->expr[row]);
	return p->t->expr[row].op == PTOWSP_EXPR_CONST;
}

static void constant_print(struct print_text *text, int64_t value)
{
	if (value == INT64_MIN)
		print_add(text, "INT64_MIN");
	else if (value > INT32_MAX || value < INT32_MIN)
		print_add(text, value < 0 ? "(-INT64_C(%" PRIi64 "))" : "INT64_C(%" PRIi64 ")", value < 0 ? -value : value);
	else
		print_add(text, value < 0 ? "(%" PRIi64 ")" : "%" PRIi64, value);
}

void print_c_value(struct print_tasks *p, struct print_text *text, uint32_t slot)
{
	struct print_c_slot *row = print_c_slot(p, slot);

	row->used = 1;
	print_add(text, "%s%s", p->pipeline ? "v->" : "", row->name[0] ? row->name : "value"); /* names come behind the walk that finds what has to have one */
}

/* The innermost open loop of that name. */
static void axis_print(struct print_tasks *p, struct print_text *text, const char *name)
{
	for (uint32_t i = p->loop_count; i-- > 0;)
		if (!strcmp(p->loops[i].axis, name)) {
			print_add(text, "%s", p->loops[i].name);
			return;
		}
	print_add(text, "0");
}

static void call_print(struct print_tasks *p, struct print_text *text, const char *function, const struct ptowsp_expr_record *row)
{
	print_add(text, "%s(", function);
	print_c_expr(p, text, row->a, PRINT_C_ANY);
	print_add(text, ", ");
	print_c_expr(p, text, row->b, PRINT_C_ANY);
	print_add(text, ")");
}

/* A quotient whose divisor may be -1 is a function: C leaves the smallest number by -1 open. */
static bool is_plain_division(const struct print_tasks *p, const struct ptowsp_expr_record *row)
{
	int64_t divisor;

	return print_c_constant(p, row->b, &divisor) && divisor > 0;
}

static void binary_print(struct print_tasks *p, struct print_text *text, const struct ptowsp_expr_record *row, unsigned least)
{
	const struct operator* op = & operators[row->op];
	/* Both sides of & | ^ and of comparisons in parentheses of their own, which compilers ask for, of the former sums as well. */
	const unsigned side = op->strength >= PRINT_C_SUM ? op->strength : op->strength >= 3 && op->strength <= 5 ? PRINT_C_PRODUCT : 8;

	if ((row->op == PTOWSP_EXPR_DIV || row->op == PTOWSP_EXPR_MOD) && !is_plain_division(p, row)) {
		p->divides = 1;
		call_print(p, text, row->op == PTOWSP_EXPR_DIV ? "quotient" : "remainder_of", row);
		return;
	}
	print_add(text, "%s", op->strength < least ? "(" : "");
	print_c_expr(p, text, row->a, side);
	print_add(text, " %s ", op->sign);
	print_c_expr(p, text, row->b, side + 1);
	print_add(text, "%s", op->strength < least ? ")" : "");
}

static void unary_print(struct print_tasks *p, struct print_text *text, char sign, uint32_t row)
{
	print_add(text, "%c", sign);
	print_c_expr(p, text, row, 12);
}

static void shift_print(struct print_tasks *p, struct print_text *text, const struct ptowsp_expr_record *row)
{
	const int left = row->op == PTOWSP_EXPR_SHL;

	print_add(text, left ? "(int64_t)((uint64_t)" : "(");
	print_c_expr(p, text, row->a, 12);
	print_add(text, left ? " << (" : " >> (");
	print_c_expr(p, text, row->b, 8);
	print_add(text, " & 63))");
}

static void select_print(struct print_tasks *p, struct print_text *text, const struct ptowsp_expr_record *row)
{
	print_add(text, "(");
	print_c_expr(p, text, row->a, 8);
	print_add(text, " ? ");
	print_c_expr(p, text, row->b, 8);
	print_add(text, " : ");
	print_c_expr(p, text, row->c, 8);
	print_add(text, ")");
}

void print_c_expr(struct print_tasks *p, struct print_text *text, uint32_t row, unsigned least)
{
	const struct ptowsp_expr_record *r = &p->t->expr[row];

	if (text->out.length > PRINT_EXPRESSION_MOST) {
		print_c_refuse(p, "an expression has more than %u bytes as C", PRINT_EXPRESSION_MOST);
		return;
	}
	switch (r->op) {
	case PTOWSP_EXPR_CONST: constant_print(text, constant_of(r)); break;
	case PTOWSP_EXPR_LOOP: print_add(text, "%s", r->a < p->loop_count ? p->loops[r->a].name : "0"); break;
	case PTOWSP_EXPR_VALUE: print_c_value(p, text, r->a); break;
	case PTOWSP_EXPR_AXIS: axis_print(p, text, pkg_string(p->t, r->a)); break;
	case PTOWSP_EXPR_INSTANCE: print_add(text, p->in_process ? "(int64_t)instance" : "0"); break;
	case PTOWSP_EXPR_TASK: print_add(text, p->pipeline ? "(int64_t)rt_tasks_count(tasks)" : "(int64_t)t"); break;
	case PTOWSP_EXPR_MIN:
	case PTOWSP_EXPR_MAX:
		p->orders = 1;
		call_print(p, text, r->op == PTOWSP_EXPR_MIN ? "smaller" : "larger", r);
		break;
	case PTOWSP_EXPR_SHL:
	case PTOWSP_EXPR_SHR: shift_print(p, text, r); break;
	case PTOWSP_EXPR_NEG:
	case PTOWSP_EXPR_NOT:
	case PTOWSP_EXPR_LNOT: unary_print(p, text, r->op == PTOWSP_EXPR_NEG ? '-' : r->op == PTOWSP_EXPR_NOT ? '~' : '!', r->a); break;
	case PTOWSP_EXPR_SELECT: select_print(p, text, r); break;
	default: binary_print(p, text, r, least); break;
	}
}

static void divisor_check(struct print_tasks *p, uint32_t row)
{
	struct print_text text = {0};
	int64_t divisor;

	if (print_c_constant(p, row, &divisor) && divisor)
		return;
	print_c_expr(p, &text, row, 6);
	print_c_line(p, "if (%s == 0)", text.out.bytes ? text.out.bytes : "0");
	print_c_line(p, "\treturn PTOWSP_RUN_FAILED; /* a division by zero */");
	print_text_finish(&text);
}

/* Each once, however often the expression has it. */
static void divisors_check(struct print_tasks *p, uint32_t row)
{
	const struct ptowsp_expr_record *r = &p->t->expr[row];
	const uint32_t operands[3] = {r->a, r->b, r->c};

	if (p->why.code || p->body.out.length > PRINT_TASKS_MOST || p->seen[row] == p->walk)
		return;
	p->seen[row] = p->walk;
	for (unsigned i = 0; i < pkg_expr_operands(r->op); i++)
		divisors_check(p, operands[i]);
	if (r->op == PTOWSP_EXPR_DIV || r->op == PTOWSP_EXPR_MOD)
		divisor_check(p, r->b);
}

void print_c_divisors_check(struct print_tasks *p, uint32_t row)
{
	p->walk++;
	divisors_check(p, row);
}
