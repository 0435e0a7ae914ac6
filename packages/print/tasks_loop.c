/* SPDX-License-Identifier: MIT */
/* tasks_loop.c - loops as those of C; with tile levels in blocks of powers of two, each with the kernels of its level. */
#include "print/tasks_parts.h"

#include "format/format_names.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BASE_ROWS = 32 }; /* of a tile at no level: what a block's size counts */

/* Tile rows of the blocks of an axis, by the power of two that their size is. */
struct levels {
	uint32_t rows[32], most, least; /* powers of the largest and the smallest block */
};

static uint32_t power_of(uint32_t size)
{
	uint32_t power = 0;

	while (power < 31 && size >> (power + 1))
		power++;
	return power;
}

static void levels_read(const struct print_tasks *p, struct levels *levels, const struct ptowsp_levels_record *row)
{
	for (uint32_t k = 0; k < 32; k++)
		levels->rows[k] = BASE_ROWS;
	for (uint32_t i = 0; i < row->count; i++)
		if (p->t->level[row->first + i].block)
			levels->rows[power_of(p->t->level[row->first + i].block)] = p->t->level[row->first + i].rows;
	levels->most = power_of(row->max_range);
	levels->least = power_of(row->min_range);
}

static int is_taken(const struct print_tasks *p, const char *name)
{
	for (uint32_t i = 0; i < p->loop_count; i++)
		if (!strcmp(p->loops[i].name, name))
			return 1;
	return print_c_is_slot(p, name);
}

static void loop_name(const struct print_tasks *p, char name_out[PRINT_C_NAME], const char *axis)
{
	char base[PRINT_C_NAME];

	print_c_name(base, axis);
	snprintf(name_out, PRINT_C_NAME, "%s", base);
	for (unsigned number = 2; is_taken(p, name_out); number++)
		snprintf(name_out, PRINT_C_NAME, "%.40s_%u", base, number);
}

static void body_print(struct print_tasks *p, uint32_t from, uint32_t to, const char *name, const char *axis, int levels)
{
	const uint32_t scopes = p->scopes;
	const int in_loop = p->in_loop, in_levels = p->in_levels;

	snprintf(p->loops[p->loop_count].name, PRINT_C_NAME, "%s", name);
	p->loops[p->loop_count++].axis = axis;
	p->scopes = 0;
	p->in_loop = 1;
	p->in_levels = levels;
	p->depth++;
	print_c_block(p, from, to);
	if (print_c_instruction(p, from - 1).opcode == PTOWSP_OP_FOR_EACH)
		print_c_line(p, "rt_tasks_barrier(tasks);");
	p->depth--;
	print_c_line(p, "}");
	p->loop_count--;
	p->scopes = scopes;
	p->in_loop = in_loop;
	p->in_levels = in_levels;
}

/* Is there a slot in it, which the loop's own body may change? */
static int changes(const struct print_tasks *p, uint32_t row)
{
	return p->exprs[row] & PRINT_C_CHANGES;
}

/* The word of the entry that states the axis; NULL: the axis itself does. */
static const struct ptowsp_instruction *stated(const struct print_tasks *p, const struct ptowsp_axis_record *axis)
{
	const struct ptowsp_instruction *word = &p->extents[axis - p->t->axis];

	return word->opcode >= PTOWSP_OP_AXIS_DENSE ? word : NULL;
}

/* How far it goes, or how many rows it has. */
static void high_print(struct print_tasks *p, struct print_text *text, const struct ptowsp_axis_record *axis, unsigned least)
{
	const struct ptowsp_instruction *word = stated(p, axis);

	if (!word) {
		print_c_expr(p, text, axis->high, least);
		print_c_divisors_check(p, axis->high);
	} else if (word->opcode == PTOWSP_OP_AXIS_DENSE_DYN) {
		print_c_value(p, text, word->operand2);
	} else {
		print_add(text, "%" PRIu32, word->operand2);
	}
}

static void plain_loop(struct print_tasks *p, uint32_t at, uint32_t to, const struct ptowsp_axis_record *axis, const char *name)
{
	struct print_text low = {0}, high = {0}, step = {0};
	int64_t value;
	int hoisted;

	high_print(p, &high, axis, 8);
	if (stated(p, axis)) {
		print_add(&low, "0");
		print_add(&step, "1");
		hoisted = stated(p, axis)->opcode == PTOWSP_OP_AXIS_DENSE_DYN;
	} else {
		print_c_expr(p, &low, axis->low, PRINT_C_ANY);
		print_c_expr(p, &step, axis->step, PRINT_C_ANY);
		hoisted = !p->why.code && (changes(p, axis->high) || changes(p, axis->step));
		print_c_divisors_check(p, axis->low);
	}
	if (!stated(p, axis) && !print_c_constant(p, axis->step, &value)) {
		print_c_line(p, "if (%s < 1)", common_text_view(&step.out));
		print_c_line(p, "\treturn PTOWSP_RUN_FAILED; /* the step of a loop is at least 1 */");
	}
	if (low.out.failed || high.out.failed || step.out.failed)
		p->body.out.failed = 1;
	else if (hoisted)
		print_c_line(p, "for (int64_t %s = %s, %s_end = %s, %s_step = %s; %s < %s_end; %s += %s_step) {", name, low.out.bytes, name, high.out.bytes,
			     name, step.out.bytes, name, name, name, name);
	else if (!strcmp(step.out.bytes, "1"))
		print_c_line(p, "for (int64_t %s = %s; %s < %s; %s++) {", name, low.out.bytes, name, high.out.bytes, name);
	else
		print_c_line(p, "for (int64_t %s = %s; %s < %s; %s += %s) {", name, low.out.bytes, name, high.out.bytes, name, step.out.bytes);
	body_print(p, at + 1, to, name, pkg_string(p->t, axis->name), 0);
	print_text_finish(&low);
	print_text_finish(&high);
	print_text_finish(&step);
}

/* Blocks of sizes 2^most down to 2^least whose tiles have as many rows. */
static void blocks_print(struct print_tasks *p, uint32_t at, uint32_t to, const char *axis, const char *name, uint32_t most, uint32_t least, uint32_t rows)
{
	const unsigned long step = rows / BASE_ROWS, first = 1ul << most, last = 1ul << least;
	const uint32_t level = p->level;
	char size[PRINT_C_NAME + 8];

	snprintf(size, sizeof(size), most == least ? "%lu" : "%.0lu%s_block", most == least ? first : 0, name);
	if (most != least) {
		print_c_line(p, "for (int64_t %s = %lu; %s >= %lu; %s /= 2)", size, first, size, last, size);
		p->depth++;
	}
	print_c_line(p, "for (; %s_count - %s_base >= %s; %s_base += %s)", name, name, size, name, size);
	p->depth++;
	p->level = level ? level : rows == BASE_ROWS ? 0 : rows;
	print_c_line(p, "for (int64_t %s = %s_base; %s < %s_base + %s; %s += %lu) { /* tiles of %lu rows */", name, name, name, name, size, name, step,
		     (unsigned long)(p->level ? p->level : BASE_ROWS));
	body_print(p, at + 1, to, name, axis, 1);
	p->level = level;
	p->depth -= most == least ? 1 : 2;
}

static void leveled_loop(struct print_tasks *p, uint32_t at, uint32_t to, const struct ptowsp_axis_record *axis, const char *name)
{
	struct print_text high = {0};
	struct levels levels;
	uint32_t last, k;

	levels_read(p, &levels, &p->t->levels[axis->levels]);
	high_print(p, &high, axis, PRINT_C_ANY);
	/* Blocks at the end that go one by one are no different from what is left over. */
	for (last = levels.least; last <= levels.most && levels.rows[last] == BASE_ROWS; last++)
		;
	print_c_line(p, "{");
	p->depth++;
	if (levels.most == levels.least)
		print_c_line(p, "/* In blocks of %lu, then one by one. */", 1ul << levels.most);
	else
		print_c_line(p, "/* In blocks of %lu, %lu ... %lu, then one by one. */", 1ul << levels.most, 1ul << (levels.most - 1), 1ul << levels.least);
	print_c_line(p, "const int64_t %s_count = %s;", name, common_text_view(&high.out));
	print_c_line(p, "int64_t %s_base = 0;", name);
	print_add(&p->body, "\n");
	for (uint32_t most = levels.most; last <= levels.most && most >= last && most < 32; most = k - 1) {
		for (k = most; k > last && levels.rows[k - 1] == levels.rows[most]; k--)
			;
		blocks_print(p, at, to, pkg_string(p->t, axis->name), name, most, k, levels.rows[most]);
		if (!k)
			break;
	}
	print_c_line(p, "for (int64_t %s = %s_base; %s < %s_count; %s++) { /* tiles of %lu rows */", name, name, name, name, name,
		     (unsigned long)(p->level ? p->level : BASE_ROWS));
	body_print(p, at + 1, to, name, pkg_string(p->t, axis->name), 0);
	p->depth--;
	print_c_line(p, "}");
	print_text_finish(&high);
}

/* ---- rows of ragged and sparse axes: of lists of the package, or of tensors. ---- */

static void list_print(struct print_tasks *p, const char *name, const char *what, uint32_t first, uint32_t count)
{
	struct print_text list = {0};

	for (uint32_t i = 0; i < count && !list.out.failed; i++)
		print_add(&list, "%s%" PRIi64, i ? ", " : "", p->t->axis_value[first + i].value);
	print_c_line(p, "static const int64_t %s_%s[] = {%s};", name, what, count ? common_text_view(&list.out) : "0");
	p->body.out.failed |= list.out.failed;
	print_text_finish(&list);
}

/* Values of row `row`: those from NAME_at on, before NAME_end: as an axis has them (ragged), or places of indices. */
static void bounds_of_lists(struct print_tasks *p, const struct ptowsp_axis_record *axis, const char *name, uint32_t rows)
{
	const bool sparse = axis->kind == PTOWSP_AXIS_SPARSE;

	list_print(p, name, "begins", axis->first, rows + 1);
	if (sparse)
		list_print(p, name, "indices", axis->first + rows + 1, axis->count - rows - 1);
	print_c_line(p, "if (%s_row < 0 || %s_row >= %" PRIu32 ")", name, name, rows);
	print_c_line(p, "\treturn PTOWSP_RUN_FAILED; /* the axis has no such row */");
	print_c_line(p,
		     sparse ? "for (int64_t %s_at = %s_begins[%s_row], %s_end = %s_begins[%s_row + 1]; %s_at < %s_end; %s_at++) {"
			    : "for (int64_t %s = 0, %s_end = %s_begins[%s_row + 1] - %s_begins[%s_row]; %s < %s_end; %s++) {",
		     name, name, name, name, name, name, name, name, name);
	if (sparse)
		print_c_line(p, "\tconst int64_t %s = %s_indices[%s_at];\n", name, name, name);
}

static void load_line(struct print_tasks *p, uint32_t tensor, const char *element, const char *variable)
{
	struct print_text call = {0};

	print_c_element(p, &call, tensor, element);
	print_c_line(p, "if (%s%s))", common_text_view(&call.out), variable);
	print_c_line(p, "\treturn PTOWSP_RUN_FAILED;");
	p->body.out.failed |= call.out.failed;
	print_text_finish(&call);
}

static void bounds_of_tensors(struct print_tasks *p, const struct ptowsp_axis_record *axis, const char *name)
{
	char element[PRINT_C_NAME + 32], variable[PRINT_C_NAME + 8];

	print_c_line(p, "int64_t %s_at = 0, %s_end;\n", name, name);
	if (axis->kind == PTOWSP_AXIS_SPARSE) {
		snprintf(element, sizeof(element), "(uint64_t)%s_row", name);
		snprintf(variable, sizeof(variable), "%s_at", name);
		load_line(p, axis->lengths, element, variable);
	}
	snprintf(element, sizeof(element), "(uint64_t)%s_row%s", name, axis->kind == PTOWSP_AXIS_SPARSE ? " + 1" : "");
	snprintf(variable, sizeof(variable), "%s_end", name);
	load_line(p, axis->lengths, element, variable);
	print_c_line(p, "for (; %s_at < %s_end; %s_at++) {", name, name, name);
	p->depth++;
	if (axis->kind == PTOWSP_AXIS_SPARSE) {
		print_c_line(p, "int64_t %s;\n", name);
		snprintf(element, sizeof(element), "(uint64_t)%s_at", name);
		load_line(p, axis->indices, element, name);
	} else {
		print_c_line(p, "const int64_t %s = %s_at;\n", name, name);
	}
	p->depth--;
}

static void row_loop(struct print_tasks *p, uint32_t at, uint32_t to, const struct ptowsp_axis_record *axis, const char *name)
{
	struct print_text row = {0};
	int64_t rows = 0;

	print_c_expr(p, &row, axis->row, PRINT_C_ANY);
	print_c_divisors_check(p, axis->row);
	print_c_line(p, "{");
	p->depth++;
	print_c_line(p, "const int64_t %s_row = %s;", name, common_text_view(&row.out));
	if (stated(p, axis))
		rows = stated(p, axis)->operand2;
	if (axis->count && !stated(p, axis) && !print_c_constant(p, axis->high, &rows))
		print_c_refuse(p, "a run says how many rows axis %.80s has, and its list stands in the package", pkg_string(p->t, axis->name));
	else if (axis->count && (rows < 0 || rows >= axis->count))
		print_c_refuse(p, "axis %.80s has %" PRIi64 " rows, which its list does not hold", pkg_string(p->t, axis->name), rows);
	else if (axis->count)
		bounds_of_lists(p, axis, name, (uint32_t)rows);
	else
		bounds_of_tensors(p, axis, name);
	body_print(p, at + 1, to, name, pkg_string(p->t, axis->name), 0);
	p->depth--;
	print_c_line(p, "}");
	p->body.out.failed |= row.out.failed;
	print_text_finish(&row);
}

/* The word says the kind, too. */
static bool is_rows(const struct print_tasks *p, const struct ptowsp_axis_record *axis)
{
	const unsigned kind = stated(p, axis) ? stated(p, axis)->opcode - PTOWSP_OP_AXIS_DENSE : axis->kind;

	return kind == PTOWSP_AXIS_RAGGED || kind == PTOWSP_AXIS_SPARSE;
}

void print_c_loop(struct print_tasks *p, uint32_t at)
{
	const struct ptowsp_instruction inst = print_c_instruction(p, at);
	const struct ptowsp_axis_record *axis = &p->t->axis[pkg_code_axis(p->code, inst.operand1)];
	char name[PRINT_C_NAME];

	if (p->loop_count == PTOWSP_NESTING_LIMIT) {
		print_c_refuse(p, "a loop over %.80s is nested too deep", pkg_string(p->t, axis->name));
		return;
	}
	loop_name(p, name, pkg_string(p->t, axis->name));
	if (is_rows(p, axis))
		row_loop(p, at, inst.operand2, axis, name);
	else if (axis->levels == PTOWSP_NONE)
		plain_loop(p, at, inst.operand2, axis, name);
	else
		leveled_loop(p, at, inst.operand2, axis, name);
}

void print_c_consume(struct print_tasks *p, uint32_t at)
{
	const struct ptowsp_instruction inst = print_c_instruction(p, at);
	const char *channel = p->channels[inst.operand1];
	const bool payload = print_c_payload(p, at);
	struct print_text into = {0};
	char name[PRINT_C_NAME];

	if (p->loop_count == PTOWSP_NESTING_LIMIT) {
		print_c_refuse(p, "a loop over tokens is nested too deep");
		return;
	}
	loop_name(p, name, "token");
	print_c_line(p, "for (int64_t %s; rt_process_take(tasks, o->channel.%s, &%s);) {", name, channel, name);
	if (payload) {
		const uint32_t region = print_c_instruction(p, at + 1).operand2;

		snprintf(p->loops[p->loop_count].name, PRINT_C_NAME, "%s", name);
		p->loops[p->loop_count++].axis = "";
		p->depth++;
		print_c_divisors_check(p, p->t->region[region].row);
		print_c_divisors_check(p, p->t->region[region].column);
		print_c_block_region(p, &into, region, true);
		print_c_line(p, "rt_process_get(tasks, o->channel.%s%s);", channel, common_text_view(&into.out));
		p->depth--;
		p->loop_count--;
	}
	body_print(p, at + 1 + payload, inst.operand2, name, "", 0);
	p->body.out.failed |= into.out.failed;
	print_text_finish(&into);
}
