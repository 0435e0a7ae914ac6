/* SPDX-License-Identifier: MIT */
/* ir_read.c - operations in the generic form, their regions and the names of values; a whole text. */
#include "aie/ir/ir_read.h"
#include "aie/ir/ir_ops.h"
#include "registry/common/common_grow.h"

#include "base/error.h"
#include <stdlib.h>
#include <string.h>

/* ---- values */

/* The bytes of a VALUE token's name, without % and #1. */
static size_t name_length(const struct aie_token *token)
{
	const char *hash = memchr(token->begin, '#', token->length);

	return (hash ? (size_t)(hash - token->begin) : token->length) - 1;
}

static const char *token_name(struct aie_reader *reader)
{
	const struct aie_token token = reader->token;
	const size_t length = name_length(&token);
	const char *name;

	if (length > AIE_READ_NAME) {
		aie_read_fail(reader, &token, "a name of more than %d bytes stands here", AIE_READ_NAME);
		return NULL;
	}
	name = aie_name(reader->module, token.begin + 1, length);
	if (!name)
		aie_read_memory(reader);
	return name;
}

const char *aie_read_name(struct aie_reader *reader)
{
	const char *name;

	if (reader->token.kind != AIE_TOKEN_VALUE || name_length(&reader->token) + 1 != reader->token.length) {
		aie_read_expected(reader, "the name of a value, %name");
		return NULL;
	}
	name = token_name(reader);
	aie_read_next(reader);
	return name;
}

/* The number behind # of a use; UINT32_MAX: too large. */
static uint32_t use_number(const struct aie_token *token)
{
	uint32_t number = 0;

	for (size_t i = name_length(token) + 2; i < token->length; i++) {
		number = 10 * number + (uint32_t)(token->begin[i] - '0');
		if (number > AIE_READ_VALUES)
			return UINT32_MAX;
	}
	return number;
}

struct aie_value *aie_read_value(struct aie_reader *reader)
{
	const struct aie_token token = reader->token;
	const struct aie_scope_row *row;
	const char *name;

	if (token.kind != AIE_TOKEN_VALUE) {
		aie_read_expected(reader, "a value, %name");
		return NULL;
	}
	name = token_name(reader);
	row = name ? aie_scope_find(&reader->scope, name) : NULL;
	if (name && !row)
		aie_read_fail(reader, &token, "%%%.64s is not known here, a value stands before its uses and in a region around them", name);
	else if (name && use_number(&token) >= row->count)
		aie_read_fail(reader, &token, "%%%.64s has %u values, the first of them #0", name, row->count);
	if (reader->status)
		return NULL;
	aie_read_next(reader);
	return row->values[use_number(&token)];
}

bool aie_read_operand(struct aie_reader *reader, struct aie_op *op)
{
	const struct aie_token token = reader->token;
	struct aie_value *value = aie_read_value(reader);

	if (!value)
		return false;
	if (op->operand_count == AIE_READ_VALUES)
		return aie_read_fail(reader, &token, "an operation has more than %d operands here", AIE_READ_VALUES);
	return aie_op_operand(reader->module, op, value) || aie_read_memory(reader);
}

bool aie_read_operands(struct aie_reader *reader, struct aie_op *op, char closing)
{
	if (aie_read_take(reader, closing))
		return true;
	do {
		if (!aie_read_operand(reader, op))
			return false;
	} while (aie_read_take(reader, ','));
	return aie_read_mark(reader, closing, "or ',' behind a value");
}

bool aie_read_result(struct aie_reader *reader, struct aie_op *op, const struct aie_type *type)
{
	if (!type)
		return reader->status ? false : aie_read_memory(reader);
	return aie_op_result(reader->module, op, type) || aie_read_memory(reader);
}

bool aie_read_define(struct aie_reader *reader, const struct aie_token *at, const char *name, struct aie_value *const *values, uint32_t count)
{
	if (!name)
		return false;
	if (aie_scope_find(&reader->scope, name))
		return aie_read_fail(reader, at, "%%%.64s has been defined before, each name is for one value", name);
	return aie_scope_add(&reader->scope, name, values, count) || aie_read_memory(reader);
}

/* ---- regions */

/* Is what is inside of this closed to the names around it? */
static bool is_closed(const struct aie_op *op)
{
	return aie_op_is(op, "func.func") || aie_op_is(op, "builtin.module");
}

static const char *label_name(struct aie_reader *reader)
{
	const char *name;

	if (reader->token.kind != AIE_TOKEN_BLOCK) {
		aie_read_expected(reader, "the name of a block, ^name");
		return NULL;
	}
	if (reader->token.length > AIE_READ_NAME) {
		aie_read_fail(reader, &reader->token, "a name of more than %d bytes stands here", AIE_READ_NAME);
		return NULL;
	}
	name = aie_name(reader->module, reader->token.begin, reader->token.length);
	if (!name)
		aie_read_memory(reader);
	aie_read_next(reader);
	return name;
}

bool aie_read_successor(struct aie_reader *reader, struct aie_op *op)
{
	const struct aie_token at = reader->token;
	const char *label = label_name(reader);

	if (!label)
		return false;
	if (!COMMON_GROW(reader->jumps, reader->jump_room, reader->jump_count))
		return aie_read_memory(reader);
	reader->jumps[reader->jump_count++] = (struct aie_jump){op, label, at};
	return true;
}

/* Blocks that operations of this region name are there now. */
static bool jumps_settle(struct aie_reader *reader, uint32_t first, uint32_t scope)
{
	for (uint32_t i = first; i < reader->jump_count; i++) {
		const struct aie_jump *jump = &reader->jumps[i];
		const struct aie_scope_row *row = aie_scope_find(&reader->scope, jump->label);

		if (!row || row < reader->scope.rows + scope)
			return aie_read_fail(reader, &jump->token, "%.64s is no block of this region", jump->label);
		if (!row->block)
			return aie_read_fail(reader, &jump->token, "%.64s is the first block of its region, to which nothing may go back", jump->label);
		if (!aie_op_successor(reader->module, jump->op, row->block))
			return aie_read_memory(reader);
	}
	reader->jump_count = first;
	return true;
}

static bool op_begin(struct aie_reader *reader, struct aie_op **op_out, struct aie_op *parent, struct aie_region *region);

/* ^bb1(%a: i32): as an operation of its own. */
static bool block(struct aie_reader *reader, struct aie_op *parent, struct aie_region *region, uint32_t scope)
{
	const struct aie_token at = reader->token;
	const struct aie_scope_row *known;
	const char *label;
	struct aie_op *op;

	if (!op_begin(reader, &op, parent, region))
		return false;
	label = label_name(reader);
	op->name = aie_name(reader->module, AIE_BLOCK, 1);
	if (!label || !op->name)
		return reader->status ? false : aie_read_memory(reader);
	known = aie_scope_find(&reader->scope, label);
	if (known && known >= reader->scope.rows + scope)
		return aie_read_fail(reader, &at, "%.64s stands twice in its region", label);
	if (!aie_read_set(reader, op, "label", aie_attr_text(reader->module, AIE_ATTR_STRING, label + 1)) || !aie_scope_add(&reader->scope, label, NULL, 0))
		return reader->status ? false : aie_read_memory(reader);
	reader->scope.rows[reader->scope.count - 1].block = op;
	while (aie_read_at_mark(reader, op->result_count ? ',' : '(')) {
		struct aie_token name_at;
		const char *name;

		aie_read_next(reader);
		name_at = reader->token;
		name = aie_read_name(reader);
		if (!name || !aie_read_mark(reader, ':', "behind the name of an argument") || !aie_read_result(reader, op, aie_read_type(reader)))
			return false;
		if (op->result_count == AIE_READ_CARRIED)
			return aie_read_fail(reader, &name_at, "a block has more than %d arguments here", AIE_READ_CARRIED);
		op->results[op->result_count - 1]->argument = true;
		if (!aie_read_define(reader, &name_at, name, NULL, 1))
			return false;
	}
	for (uint32_t i = 0; i < op->result_count; i++)
		reader->scope.rows[reader->scope.count - op->result_count + i].values = &op->results[i];
	return (!op->result_count || aie_read_mark(reader, ')', "or ',' behind an argument")) && aie_read_mark(reader, ':', "behind the name of a block");
}

/* operations }; scope: names that stay; jumps: of regions around. */
static bool region_rest(struct aie_reader *reader, struct aie_op *op, struct aie_region *region, uint32_t scope)
{
	const uint32_t jumps = reader->jump_count;

	while (!aie_read_at_mark(reader, '}'))
		if (reader->token.kind == AIE_TOKEN_BLOCK ? !block(reader, op, region, scope) : !aie_read_op(reader, op, region))
			return false;
	if (!jumps_settle(reader, jumps, scope))
		return false;
	aie_read_next(reader);
	aie_scope_cut(&reader->scope, scope);
	aie_read_up(reader);
	return true;
}

bool aie_read_body(struct aie_reader *reader, struct aie_op *op, struct aie_region *region, uint32_t argument_scope)
{
	return aie_read_down(reader) && aie_read_mark(reader, '{', "and a region") && region_rest(reader, op, region, argument_scope);
}

/* %a: i32, %b: i32): arguments of a block, behind "^bb0(". */
static bool block_arguments(struct aie_reader *reader, struct aie_op *op, struct aie_region *region)
{
	if (aie_read_take(reader, ')'))
		return true;
	do {
		const struct aie_token at = reader->token;
		const char *name = aie_read_name(reader);
		const struct aie_type *type;

		if (!name || !aie_read_mark(reader, ':', "behind the name of an argument"))
			return false;
		type = aie_read_type(reader);
		if (!type)
			return false;
		if (region->argument_count == AIE_READ_VALUES)
			return aie_read_fail(reader, &at, "a region has more than %d arguments here", AIE_READ_VALUES);
		if (!aie_region_argument(reader->module, op, region, type))
			return aie_read_memory(reader);
		if (aie_scope_find(&reader->scope, name))
			return aie_read_fail(reader, &at, "%%%.64s has been defined before, each name is for one value", name);
		/* Rows of values move as they grow; the last argument's own place is set when all are there. */
		if (!aie_scope_add(&reader->scope, name, NULL, 1))
			return aie_read_memory(reader);
	} while (aie_read_take(reader, ','));
	return aie_read_mark(reader, ')', "or ',' behind an argument");
}

bool aie_read_arguments_and_body(struct aie_reader *reader, struct aie_op *op)
{
	struct aie_region *here = aie_op_region(reader->module, op);
	const uint32_t scope = reader->scope.count;

	if (!here)
		return aie_read_memory(reader);
	if (!block_arguments(reader, op, here))
		return false;
	for (uint32_t i = 0; i < here->argument_count; i++)
		reader->scope.rows[scope + i].values = &here->arguments[i];
	return aie_read_body(reader, op, here, scope);
}

bool aie_read_region(struct aie_reader *reader, struct aie_op *op)
{
	struct aie_region *here = aie_op_region(reader->module, op);
	const uint32_t scope = reader->scope.count;

	if (!here)
		return op->region_count == AIE_REGIONS ? aie_read_fail(reader, &reader->token, "an operation has more than %d regions here", AIE_REGIONS)
						       : aie_read_memory(reader);
	if (!aie_read_down(reader) || !aie_read_mark(reader, '{', "and a region"))
		return false;
	if (reader->token.kind == AIE_TOKEN_BLOCK) {
		const char *label = label_name(reader);

		if (!label)
			return false;
		if ((aie_read_take(reader, '(') && !block_arguments(reader, op, here)) || reader->status ||
		    !aie_read_mark(reader, ':', "behind the name of a block"))
			return false;
		for (uint32_t i = 0; i < here->argument_count; i++)
			reader->scope.rows[scope + i].values = &here->arguments[i];
		if (!aie_scope_add(&reader->scope, label, NULL, 0))
			return aie_read_memory(reader);
	}
	return region_rest(reader, op, here, scope);
}

static bool regions(struct aie_reader *reader, struct aie_op *op)
{
	const uint32_t closed = is_closed(op);

	reader->scope.closed += closed;
	do {
		if (!aie_read_region(reader, op))
			return false;
	} while (aie_read_take(reader, ','));
	reader->scope.closed -= closed;
	return aie_read_mark(reader, ')', "or ',' behind a region");
}

/* ---- operations */

static bool signature_fits(struct aie_reader *reader, struct aie_op *op, const struct aie_token *at)
{
	const struct aie_type *type = aie_read_signature(reader);

	if (!type)
		return false;
	if (type->inputs != op->operand_count)
		return aie_read_fail(reader, at, "%s has %u operands and types for %u", op->name, op->operand_count, type->inputs);
	for (uint32_t i = 0; i < type->inputs; i++)
		if (type->parts[i] != op->operands[i]->type)
			return aie_read_fail(reader, at, "operand %u of %.64s has another type than stands behind ':'", i, op->name);
	for (uint32_t i = type->inputs; i < type->part_count; i++)
		if (!aie_read_result(reader, op, type->parts[i]))
			return false;
	return true;
}

static bool name_is_good(const char *name)
{
	if (!*name || strlen(name) > AIE_READ_NAME)
		return false;
	for (; *name; name++)
		if (!((*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') || (*name >= '0' && *name <= '9') || strchr("._$", *name)))
			return false;
	return true;
}

/* "name"(operands) <{...}> ({regions}) {attributes} : types */
static bool generic(struct aie_reader *reader, struct aie_op *op)
{
	const struct aie_token at = reader->token;

	op->name = aie_read_text(reader);
	if (!op->name)
		return false;
	if (!name_is_good(op->name))
		return aie_read_fail(reader, &at, "the name of an operation has 1 to %d letters, digits, '.', '_' and '$'", AIE_READ_NAME);
	if (!aie_read_mark(reader, '(', "and the operands of an operation") || !aie_read_operands(reader, op, ')'))
		return false;
	if (aie_read_take(reader, '[')) {
		do {
			if (!aie_read_successor(reader, op))
				return false;
		} while (aie_read_take(reader, ','));
		if (!aie_read_mark(reader, ']', "or ',' behind a block"))
			return false;
	}
	if (aie_read_take(reader, '<') && (!aie_read_attrs(reader, op) || !aie_read_mark(reader, '>', "behind properties")))
		return false;
	if (reader->status || (aie_read_take(reader, '(') && !regions(reader, op)))
		return false;
	if (reader->status || (aie_read_at_mark(reader, '{') && !aie_read_attrs(reader, op)))
		return false;
	return aie_read_mark(reader, ':', "and the types of an operation") && signature_fits(reader, op, &at);
}

static bool group_add(struct aie_reader *reader, struct aie_group group)
{
	if (!COMMON_GROW(reader->groups, reader->group_room, reader->group_count))
		return aie_read_memory(reader);
	reader->groups[reader->group_count++] = group;
	return true;
}

/* %a, %b:2 = */
static bool groups(struct aie_reader *reader, uint32_t first)
{
	do {
		struct aie_group group = {.count = 1, .token = reader->token};
		int64_t count;

		if (reader->group_count - first == AIE_READ_VALUES)
			return aie_read_fail(reader, &group.token, "an operation has more than %d results here", AIE_READ_VALUES);
		group.name = aie_read_name(reader);
		if (!group.name)
			return false;
		if (aie_read_take(reader, ':')) {
			if (!aie_read_integer(reader, &count))
				return false;
			if (count < 1 || count > AIE_READ_VALUES)
				return aie_read_fail(reader, &group.token, "a name for %lld results stands here, expected 1 to %d", (long long)count,
						     AIE_READ_VALUES);
			group.count = (uint32_t)count;
		}
		if (!group_add(reader, group))
			return false;
	} while (aie_read_take(reader, ','));
	return aie_read_mark(reader, '=', "behind the names of results");
}

static bool groups_define(struct aie_reader *reader, const struct aie_op *op, const struct aie_token *at, uint32_t first)
{
	uint64_t named = 0;
	uint32_t result = 0;

	for (uint32_t i = first; i < reader->group_count; i++)
		named += reader->groups[i].count;
	if (reader->group_count > first && named != op->result_count)
		return aie_read_fail(reader, at, "%.64s has %u results and names for %llu", op->name, op->result_count, (unsigned long long)named);
	for (uint32_t i = first; i < reader->group_count; i++) {
		const struct aie_group group = reader->groups[i];

		if (!aie_read_define(reader, &group.token, group.name, op->results + result, group.count))
			return false;
		result += group.count;
	}
	reader->group_count = first;
	return true;
}

static bool op_begin(struct aie_reader *reader, struct aie_op **op_out, struct aie_op *parent, struct aie_region *region)
{
	const struct aie_token at = reader->token;

	if (reader->ops++ == AIE_READ_OPS)
		return aie_read_fail(reader, &at, "the text has more than %d operations", AIE_READ_OPS);
	*op_out = aie_op_add(reader->module, parent, region, "");
	if (!*op_out)
		return aie_read_memory(reader);
	(*op_out)->line = at.line;
	(*op_out)->column = at.column;
	return true;
}

/* Nothing stands behind what ends a region. */
static bool is_end(const struct aie_op *op)
{
	return op && !op->result_count && !op->region_count && (aie_op_is(op, "scf.yield") || aie_op_is(op, "func.return"));
}

bool aie_read_op(struct aie_reader *reader, struct aie_op *parent, struct aie_region *region)
{
	const uint32_t first = reader->group_count;
	struct ptowsp_error why;
	struct aie_token at;
	struct aie_op *op;
	bool good;

	if (reader->token.kind == AIE_TOKEN_VALUE && !groups(reader, first))
		return false;
	at = reader->token;
	if (at.kind != AIE_TOKEN_STRING && at.kind != AIE_TOKEN_WORD)
		return aie_read_expected(reader, "an operation");
	if (is_end(region->last))
		return aie_read_fail(reader, &at, "an operation stands behind %s, which ends its region, expected '}'", region->last->name);
	if (!op_begin(reader, &op, parent, region))
		return false;
	if (at.kind == AIE_TOKEN_STRING) {
		good = generic(reader, op);
	} else {
		aie_read_next(reader);
		good = aie_read_custom(reader, op, &at);
	}
	if (!good)
		return false;
	if (aie_op_verify(op, &why))
		return aie_read_fail(reader, &at, "%s", why.text);
	return groups_define(reader, op, &at, first);
}

/* ---- a text */

/* One module alone is the whole, not a part of one. */
static void top_settle(struct aie_module *module)
{
	struct aie_op *only = module->top->regions[0].first;

	if (!only || only->next || !aie_op_is(only, "builtin.module"))
		return;
	module->top = only;
	only->parent = NULL;
}

/* #name = value: what it stands for is not looked at; the name is kept as text where it stands for an attribute. */
static void alias_skip(struct aie_reader *reader)
{
	uint32_t line = reader->token.line, open = 0;

	while (reader->token.kind != AIE_TOKEN_END && (open || reader->token.line == line)) {
		line = reader->token.line;
		open += reader->token.kind == AIE_TOKEN_MARK && strchr("([{<", *reader->token.begin);
		open -= open && reader->token.kind == AIE_TOKEN_MARK && strchr(")]}>", *reader->token.begin);
		aie_read_next(reader);
	}
}

/* !name = type */
static bool alias_read(struct aie_reader *reader)
{
	struct aie_alias alias = {.name = reader->token};

	for (uint32_t i = 0; i < reader->alias_count; i++)
		if (reader->aliases[i].name.length == alias.name.length && !memcmp(reader->aliases[i].name.begin, alias.name.begin, alias.name.length))
			return aie_read_fail(reader, &alias.name, "a name of a type stands here that is one already");
	if (reader->alias_count == AIE_READ_ALIASES)
		return aie_read_fail(reader, &alias.name, "the text has more than %d names of types", AIE_READ_ALIASES);
	aie_read_next(reader);
	if (!aie_read_mark(reader, '=', "behind the name of a type") || !(alias.type = aie_read_type(reader)))
		return false;
	if (!COMMON_GROW(reader->aliases, reader->alias_room, reader->alias_count))
		return aie_read_memory(reader);
	reader->aliases[reader->alias_count++] = alias;
	return true;
}

static void read_all(struct aie_reader *reader)
{
	aie_read_next(reader);
	while (!reader->status && reader->token.kind != AIE_TOKEN_END)
		if (reader->token.kind == AIE_TOKEN_HASH)
			alias_skip(reader);
		else if (reader->token.kind == AIE_TOKEN_BANG)
			alias_read(reader);
		else if (!aie_read_op(reader, reader->module->top, &reader->module->top->regions[0]))
			return;
	jumps_settle(reader, 0, 0);
}

ptowsp_status aie_module_read(struct aie_module *module, const char *text, size_t length, struct ptowsp_error *error)
{
	struct ptowsp_error own;
	struct aie_reader reader = {.lexer = {text, text + length, text, 1}, .module = module, .error = error ? error : &own};

	if (length > AIE_READ_BYTES)
		return base_fail(error, PTOWSP_INVALID, "1:1: the text has %zu bytes, of %d that a module may have", length, AIE_READ_BYTES);
	reader.status = aie_module_begin(module, error);
	if (reader.status)
		return reader.status;
	read_all(&reader);
	aie_scope_finish(&reader.scope);
	free(reader.groups);
	free(reader.jumps);
	free(reader.aliases);
	if (reader.status)
		aie_module_finish(module);
	else
		top_settle(module);
	return reader.status;
}
