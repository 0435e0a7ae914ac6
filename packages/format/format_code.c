/* SPDX-License-Identifier: MIT */
#include "format/format_code.h"

#include "format/fail.h"
#include "format/format_names.h"
#include "format/verify/rank.h"
#include "registry/common/common_part.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct pkg_code {
	struct pkg *package;
	struct ptowsp_workload_header header;
	const uint8_t *instructions, *rows; /* rows: axes, kernels, tensors */
	struct pkg_ranks starts;            /* by instruction: entries with code, and processes behind them */
};

static uint32_t row_at(const struct pkg_code *c, uint32_t place)
{
	uint32_t row;

	memcpy(&row, c->rows + 4ull * place, sizeof(row));
	return row;
}

struct pkg *pkg_code_package(const struct pkg_code *c)
{
	return c->package;
}

const struct ptowsp_workload_header *pkg_code_header(const struct pkg_code *c)
{
	return &c->header;
}

struct ptowsp_instruction pkg_code_at(const struct pkg_code *c, uint32_t at)
{
	struct ptowsp_instruction instruction = {.opcode = PTOWSP_OP_HALT};

	if (at < c->header.num_instructions)
		memcpy(&instruction, c->instructions + 8ull * at, sizeof(instruction));
	return instruction;
}

uint32_t pkg_code_axis(const struct pkg_code *c, uint32_t place)
{
	return row_at(c, place);
}

uint32_t pkg_code_kernel(const struct pkg_code *c, uint32_t place)
{
	return row_at(c, c->header.num_axes + place);
}

uint32_t pkg_code_tensor(const struct pkg_code *c, uint32_t place)
{
	return row_at(c, c->header.num_axes + c->header.num_kernels + place);
}

uint32_t pkg_code_owner(const struct pkg_code *c, uint32_t at)
{
	const uint32_t i = pkg_ranks_from(&c->starts, at);

	return i < c->starts.count && c->starts.rows[i].key == at ? c->starts.rows[i].row : PTOWSP_NONE;
}

uint32_t pkg_code_start_behind(const struct pkg_code *c, uint32_t at)
{
	const uint32_t i = pkg_ranks_from(&c->starts, (uint64_t)at + 1), count = c->header.num_instructions;

	return i < c->starts.count && c->starts.rows[i].key < count ? (uint32_t)c->starts.rows[i].key : count;
}

static bool starts_find(struct pkg_code *c, const struct pkg_tables *t)
{
	if (!pkg_ranks_init(&c->starts, t->entry_count + t->process_count))
		return false;
	for (uint32_t i = 0; i < t->entry_count; i++)
		if (!(t->entry[i].flags & PTOWSP_ENTRY_KERNEL))
			pkg_ranks_add(&c->starts, t->entry[i].instruction, i);
	for (uint32_t i = 0; i < t->process_count; i++)
		pkg_ranks_add(&c->starts, t->process[i].instruction, t->entry_count + i);
	pkg_ranks_sort(&c->starts);
	return true;
}

/* Words TARGET behind an instruction: where each of its branches ends. */
static uint32_t targets_of(const struct ptowsp_instruction *in)
{
	switch (in->opcode) {
	case PTOWSP_OP_COND: return 2;
	case PTOWSP_OP_WHILE: return 1;
	case PTOWSP_OP_COMBINE:
	case PTOWSP_OP_SEQUENTIAL: return in->operand1;
	default: return 0;
	}
}

static bool has_end(unsigned op)
{
	return op == PTOWSP_OP_PARALLEL_FOR || op == PTOWSP_OP_FOR_EACH || op == PTOWSP_OP_SELECT || op == PTOWSP_OP_SCOPE || op == PTOWSP_OP_CONSUME;
}

bool pkg_code_body(const struct pkg_code *c, uint32_t at, uint32_t number, uint32_t *from_out, uint32_t *to_out)
{
	const struct ptowsp_instruction in = pkg_code_at(c, at);
	const uint32_t targets = targets_of(&in);

	if (number >= targets && (number || !has_end(in.opcode)))
		return false;
	if (number)
		*from_out = pkg_code_at(c, at + number).operand2;
	else
		*from_out = at + 1 + targets + (in.opcode == PTOWSP_OP_CONSUME && pkg_code_at(c, at + 1).opcode == PTOWSP_OP_IO_OUTPUT);
	*to_out = targets ? pkg_code_at(c, at + 1 + number).operand2 : in.operand2;
	return true;
}

uint32_t pkg_code_behind(const struct pkg_code *c, uint32_t at)
{
	const struct ptowsp_instruction in = pkg_code_at(c, at);
	const uint32_t targets = targets_of(&in);

	return targets ? pkg_code_at(c, at + targets).operand2 : has_end(in.opcode) ? in.operand2 : at + 1;
}

/* ---- the verifier ------------------------------------------------------------------------------------------------------------------------ */

/* An open body; of several branches the one at hand ends there. */
struct body {
	uint32_t end, next_target, targets_left;
	int is_loop; /* it has a loop value */
};

struct look {
	const struct pkg_code *code;
	const struct pkg_tables *tables;
	struct pkg_place place;
	struct body bodies[PTOWSP_NESTING_LIMIT];
	uint32_t at, depth, loops;
	uint32_t behind; /* words up to here belong to an instruction that was seen */
};

/* "WORK[7] (task): " and the rule. */
#define MUST(l, condition, format, ...)                                                                                                                        \
	do {                                                                                                                                                   \
		if (!(condition))                                                                                                                              \
			return pkg_refuse(&(l)->place, "WORK[%u] (%s): " format, (unsigned)(l)->at,                                                            \
					  pkg_word(PKG_WORDS_opcode, pkg_code_at((l)->code, (l)->at).opcode), __VA_ARGS__);                                    \
	} while (0)

/* How many there are of what an operand of that description names, UINT64_MAX: it is just a number. */
static uint64_t rows_of(const struct look *l, const char *what)
{
	const struct pkg_tables *t = l->tables;
	const struct ptowsp_workload_header *h = &l->code->header;
	const struct {
		const char *what;
		uint64_t count;
	} kinds[] = {{"axis", h->num_axes},           {"kernel", h->num_kernels},         {"slot", t->slot_count},
		     {"slot row", t->slot_count},     {"channel", t->channel_count},      {"event", t->event_count},
		     {"tensor", t->tensor_count},     {"region", t->region_count},        {"expression", t->expr_count},
		     {"kind", PTOWSP_AFTER_SOFT + 1}, {"scope", PTOWSP_FENCE_SYSTEM + 1}, {"loop depth", l->loops}};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(what, kinds[i].what))
			return kinds[i].count;
	return UINT64_MAX;
}

static ptowsp_status operands_check(const struct look *l, const struct ptowsp_instruction *in)
{
	const char *first = pkg_operand(in->opcode, 0), *second = pkg_operand(in->opcode, 1);

	MUST(l, !(in->flags & ~(in->opcode == PTOWSP_OP_SLOT_LOAD ? PTOWSP_SLOT_LOAD_BITS : 0)), "flags are %u, a package has 0", in->flags);
	MUST(l, in->operand1 < rows_of(l, first), "%s %u is not there, %llu are", first, in->operand1, (unsigned long long)rows_of(l, first));
	MUST(l, in->operand2 < rows_of(l, second), "%s %u is not there, %llu are", second, (unsigned)in->operand2, (unsigned long long)rows_of(l, second));
	return PTOWSP_OK;
}

/* ---- bodies ---- */

static ptowsp_status target_check(const struct look *l, uint32_t target, uint32_t least)
{
	uint32_t most = l->depth ? l->bodies[l->depth - 1].end : l->code->header.num_instructions;

	MUST(l, target >= least && target <= most, "target %u is outside %u..%u, the body around it", (unsigned)target, (unsigned)least, (unsigned)most);
	return PTOWSP_OK;
}

static ptowsp_status body_open(struct look *l, struct body body)
{
	MUST(l, l->depth < PTOWSP_NESTING_LIMIT, "loops, branches and scopes nest deeper than %u", PTOWSP_NESTING_LIMIT);
	l->bodies[l->depth++] = body;
	l->loops += body.is_loop;
	return PTOWSP_OK;
}

/* The body of an instruction that says its end itself, behind its words. */
static ptowsp_status simple_open(struct look *l, uint32_t end, int is_loop)
{
	ptowsp_status status = target_check(l, end, l->behind > l->at ? l->behind : l->at + 1);

	return status ? status : body_open(l, (struct body){.end = end, .is_loop = is_loop});
}

/* `count` words TARGET behind the instruction, which do not fall. */
static ptowsp_status branches_open(struct look *l, uint32_t count)
{
	uint32_t first = l->at + 1, least = first + count;
	ptowsp_status status = PTOWSP_OK;

	MUST(l, count && count <= l->code->header.num_instructions - first, "it has %u branches", (unsigned)count);
	for (uint32_t i = 0; i < count && !status; i++) {
		struct ptowsp_instruction word = pkg_code_at(l->code, first + i);

		MUST(l, word.opcode == PTOWSP_OP_TARGET, "a target is missing, %u are wanted", (unsigned)count);
		status = target_check(l, word.operand2, least);
		least = word.operand2;
	}
	l->behind = first + count;
	return status ? status : body_open(l, (struct body){.end = pkg_code_at(l->code, first).operand2, .next_target = first + 1, .targets_left = count - 1});
}

static void bodies_close(struct look *l)
{
	while (l->depth && l->bodies[l->depth - 1].end == l->at) {
		struct body *top = &l->bodies[l->depth - 1];

		if (top->targets_left) {
			top->targets_left--;
			top->end = pkg_code_at(l->code, top->next_target++).operand2;
			continue;
		}
		l->loops -= (uint32_t)top->is_loop;
		l->depth--;
	}
}

/* ---- words behind an instruction ---- */

static int is_argument(uint8_t op)
{
	return op == PTOWSP_OP_PARAM_CONST || op == PTOWSP_OP_PARAM_LOOPVAR || op == PTOWSP_OP_PARAM_EXPR;
}

static int is_tensor(uint8_t op)
{
	return (op >= PTOWSP_OP_IO_INPUT && op <= PTOWSP_OP_IO_INOUT) || op == PTOWSP_OP_IO_BIND;
}

static uint32_t params_of(const struct look *l, const struct ptowsp_kernel_record *kernel, uint16_t kind)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < kernel->param_count; i++)
		count += l->tables->param[kernel->params + i].kind == kind;
	return count;
}

/* Words from the next instruction on that `belongs` takes, which name arguments below `most`. */
static ptowsp_status words_check(struct look *l, int (*belongs)(uint8_t op), uint32_t count, uint32_t most, const char *what)
{
	for (uint32_t i = 0; i < count; i++, l->behind++) {
		struct ptowsp_instruction word = pkg_code_at(l->code, l->behind);

		MUST(l, l->behind < l->code->header.num_instructions && belongs(word.opcode), "%u words for %s follow, it has %u", (unsigned)i, what,
		     (unsigned)count);
		MUST(l, word.operand1 < most, "%s %u is not there, its kernel has %u", what, word.operand1, (unsigned)most);
	}
	return PTOWSP_OK;
}

static void afters_skip(struct look *l)
{
	while (l->behind < l->code->header.num_instructions && pkg_code_at(l->code, l->behind).opcode == PTOWSP_OP_AFTER)
		l->behind++;
}

static ptowsp_status task_check(struct look *l, const struct ptowsp_instruction *in)
{
	const struct ptowsp_kernel_record *kernel = &l->tables->kernel[pkg_code_kernel(l->code, in->operand1)];
	uint32_t arguments = in->operand2 >> 16, tensors = in->operand2 & 0xFFFF, takes = params_of(l, kernel, PTOWSP_PARAM_TENSOR);
	ptowsp_status status;

	MUST(l, tensors <= takes, "it has %u tensors, its kernel takes %u", (unsigned)tensors, (unsigned)takes);
	l->behind = l->at + 1;
	status = words_check(l, is_argument, arguments, params_of(l, kernel, PTOWSP_PARAM_SCALAR), "argument");
	if (!status)
		status = words_check(l, is_tensor, tensors, takes, "tensor");
	for (; !status && common_is_part(pkg_code_at(l->code, l->behind).opcode); l->behind++)
		MUST(l, pkg_code_at(l->code, l->behind).operand1 < tensors, "tensor %u is not there, it has %u", pkg_code_at(l->code, l->behind).operand1,
		     (unsigned)tensors);
	afters_skip(l);
	return status;
}

/* The one IO word behind send, consume and copy; `least`: there must be one. */
static ptowsp_status carried_check(struct look *l, uint8_t op, int least)
{
	int there = pkg_code_at(l->code, l->at + 1).opcode == op;

	MUST(l, there || !least, "the word %s behind it is missing", pkg_word(PKG_WORDS_opcode, op));
	l->behind = l->at + 1 + (uint32_t)there;
	return PTOWSP_OK;
}

/* ---- the pass ---- */

static ptowsp_status instruction_check(struct look *l, const struct ptowsp_instruction *in)
{
	ptowsp_status status;

	switch (in->opcode) {
	case PTOWSP_OP_HALT: MUST(l, !l->depth, "it stands inside a%s body", ""); return PTOWSP_OK;
	case PTOWSP_OP_PARALLEL_FOR:
	case PTOWSP_OP_FOR_EACH:
	case PTOWSP_OP_SELECT: return simple_open(l, in->operand2, 1);
	case PTOWSP_OP_SCOPE: return simple_open(l, in->operand2, 0);
	case PTOWSP_OP_CONSUME: status = carried_check(l, PTOWSP_OP_IO_OUTPUT, 0); return status ? status : simple_open(l, in->operand2, 1);
	case PTOWSP_OP_COND: return branches_open(l, 2);
	case PTOWSP_OP_WHILE: return branches_open(l, 1);
	case PTOWSP_OP_COMBINE:
	case PTOWSP_OP_SEQUENTIAL: return branches_open(l, in->operand1);
	case PTOWSP_OP_TASK: return task_check(l, in);
	case PTOWSP_OP_SEND: return carried_check(l, PTOWSP_OP_IO_INPUT, 0);
	case PTOWSP_OP_COPY:
		status = carried_check(l, PTOWSP_OP_IO_OUTPUT, 1);
		afters_skip(l);
		return status;
	default: return PTOWSP_OK;
	}
}

/* Words that only have a meaning behind another instruction. */
static bool belongs_behind(uint8_t op)
{
	return op == PTOWSP_OP_TARGET || op == PTOWSP_OP_AFTER || is_argument(op) || is_tensor(op) || common_is_part(op);
}

static ptowsp_status next_check(struct look *l)
{
	const struct ptowsp_instruction in = pkg_code_at(l->code, l->at);
	ptowsp_status status;

	if (!pkg_word(PKG_WORDS_opcode, in.opcode))
		return pkg_fail(l->place.error, PTOWSP_UNKNOWN_OPCODE, "%s: WORK[%u]: opcode 0x%02x is unknown; it needs a newer ptowsp", l->place.file,
				(unsigned)l->at, in.opcode);
	status = operands_check(l, &in);
	if (status)
		return status;
	if (l->at < l->behind)
		return PTOWSP_OK;
	bodies_close(l);
	MUST(l, !belongs_behind(in.opcode), "it belongs behind another%s instruction", "");
	return instruction_check(l, &in);
}

static ptowsp_status code_check(struct look *l)
{
	uint32_t count = l->code->header.num_instructions;
	ptowsp_status status = PTOWSP_OK;

	for (; l->at < count && !status; l->at++)
		status = next_check(l);
	if (!status && count)
		PKG_MUST(&l->place, pkg_code_at(l->code, count - 1).opcode == PTOWSP_OP_HALT && l->behind < count, "WORK: its last instruction is no halt");
	return status;
}

ptowsp_status pkg_code_open(struct pkg_code **code_out, struct pkg *package, struct ptowsp_error *error)
{
	const struct pkg_tables *t = pkg_tables(package);
	struct pkg_code *code = calloc(1, sizeof(*code));
	struct look l = {.code = code, .tables = t, .place = {pkg_path(package), error}};
	ptowsp_status status;

	*code_out = NULL;
	if (!code || !starts_find(code, t)) {
		free(code);
		return pkg_fail(error, PTOWSP_NO_MEMORY, "%s: no memory for its code", pkg_path(package));
	}
	code->package = package;
	if (t->raw_work_size) {
		memcpy(&code->header, t->raw_work, sizeof(code->header));
		code->instructions = t->raw_work + sizeof(code->header);
		code->rows = code->instructions + 8ull * code->header.num_instructions;
	}
	status = code_check(&l);
	if (status)
		pkg_code_close(code);
	else
		*code_out = code;
	return status;
}

void pkg_code_close(struct pkg_code *code)
{
	if (code)
		pkg_ranks_finish(&code->starts);
	free(code);
}
