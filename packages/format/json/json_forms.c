/* SPDX-License-Identifier: MIT */
/* json_forms.c - the three tables whose rows read better in a form of their own: EXPR, SCHD, REQS. */
#include "format/json/json_rows.h"

#include "ptowsp/workload.h"

#include <string.h>

static const struct pkg_field *field_of(uint32_t type, const char *name)
{
	return pkg_schema_field(pkg_schema_find(type), name);
}

/* EXPR: operands by what they mean */

/* Nodes without row operands have one value of another kind, under a key of its own. */
static const struct leaf {
	uint16_t op;
	const char *key;
} leaves[] = {{PTOWSP_EXPR_CONST, "value"}, {PTOWSP_EXPR_LOOP, "depth"}, {PTOWSP_EXPR_VALUE, "slot"}, {PTOWSP_EXPR_AXIS, "name"}};

static const struct leaf *leaf_of(uint32_t op)
{
	for (size_t i = 0; i < sizeof(leaves) / sizeof(leaves[0]); i++)
		if (leaves[i].op == op)
			return &leaves[i];
	return NULL;
}

static json_t *node_write(const struct pkg_tables *tables, const void *record)
{
	const struct ptowsp_expr_record *e = record;
	const uint32_t operands[3] = {e->a, e->b, e->c};
	static const char *const keys[3] = {"a", "b", "c"};
	const struct leaf *leaf = leaf_of(e->op);
	json_t *object = json_object();

	json_object_set_new(object, "op", json_string(pkg_word(PKG_WORDS_expr_op, e->op)));
	for (uint32_t k = 0; k < pkg_expr_operands(e->op); k++)
		json_object_set_new(object, keys[k], json_integer(operands[k]));
	if (leaf && e->op == PTOWSP_EXPR_CONST)
		json_object_set_new(object, leaf->key, pkg_json_number((uint64_t)e->c << 32 | e->b, 1));
	else if (leaf && e->op == PTOWSP_EXPR_AXIS)
		json_object_set_new(object, leaf->key, json_string(pkg_string(tables, e->a)));
	else if (leaf)
		json_object_set_new(object, leaf->key, json_integer(e->a));
	return object;
}

static ptowsp_status leaf_read(struct pkg_json_reader *reader, const struct leaf *leaf, const json_t *json, struct ptowsp_expr_record *e)
{
	uint64_t value = 0;
	ptowsp_status status;

	if (leaf->op == PTOWSP_EXPR_AXIS) {
		if (!json_is_string(json))
			return pkg_json_refuse(reader, " must be a string");
		e->a = pkg_writer_string(reader->writer, json_string_value(json));
		return PTOWSP_OK;
	}
	if (leaf->op == PTOWSP_EXPR_VALUE)
		status = pkg_json_reference_read(reader, json, pkg_schema_find(PTOWSP_SECTION_SLOT), &value);
	else
		status = pkg_json_number_read(reader, json, leaf->op == PTOWSP_EXPR_CONST ? 8 : 4, leaf->op == PTOWSP_EXPR_CONST, &value);
	if (leaf->op == PTOWSP_EXPR_CONST) {
		e->b = (uint32_t)value;
		e->c = (uint32_t)(value >> 32);
	} else {
		e->a = (uint32_t)value;
	}
	return status;
}

static ptowsp_status node_read(struct pkg_json_reader *reader, const json_t *object, void *record)
{
	struct ptowsp_expr_record *e = record;
	uint32_t *const operands[3] = {&e->a, &e->b, &e->c};
	const char *known[] = {"op", NULL, NULL, NULL, NULL};
	const struct leaf *leaf;
	uint64_t value = 0;
	ptowsp_status status;

	reader->key = "op";
	status = pkg_json_word_read(reader, field_of(PTOWSP_SECTION_EXPR, "op"), json_object_get(object, "op"), &value);
	if (status)
		return status;
	e->op = (uint16_t)value;
	leaf = leaf_of(e->op);
	for (uint32_t k = 0; k < pkg_expr_operands(e->op); k++)
		known[k + 1] = k == 0 ? "a" : k == 1 ? "b" : "c";
	if (leaf)
		known[1] = leaf->key;
	reader->key = NULL;
	status = pkg_json_keys_check(reader, object, known);
	for (uint32_t k = 1; known[k] && !status; k++) {
		const json_t *json = json_object_get(object, known[k]);

		reader->key = known[k];
		value = 0;
		if (json && leaf)
			status = leaf_read(reader, leaf, json, e);
		else if (json)
			status = pkg_json_number_read(reader, json, 4, 0, &value);
		if (!leaf)
			*operands[k - 1] = (uint32_t)value;
	}
	return status;
}

/* SCHD: policy by word, arguments as a list: number, "word" or {"expr": row} */

static void arguments_get(const struct ptowsp_directive_record *d, int64_t values[8])
{
	const int64_t all[8] = {d->a0, d->a1, d->a2, d->a3, d->a4, d->a5, d->a6, d->a7};

	memcpy(values, all, sizeof(all));
}

static json_t *argument_write(const struct pkg_tables *tables, int64_t value, unsigned kind)
{
	json_t *number = kind == PTOWSP_ARGUMENT_WORD ? NULL : pkg_json_number((uint64_t)value, 1);

	if (kind == PTOWSP_ARGUMENT_WORD)
		return json_string(pkg_string(tables, (uint32_t)value));
	if (kind == PTOWSP_ARGUMENT_EXPR)
		return json_pack("{s:o}", "expr", number);
	return json_is_string(number) ? json_pack("{s:o}", "number", number) : number;
}

static json_t *directive_write(const struct pkg_tables *tables, const void *record)
{
	const struct ptowsp_directive_record *d = record;
	json_t *object = json_object(), *arguments = json_array();
	int64_t values[8];

	arguments_get(d, values);
	for (uint32_t k = 0; k < d->count; k++)
		json_array_append_new(arguments, argument_write(tables, values[k], d->kinds >> 8 * k & 0xFF));
	json_object_set_new(object, "directive", json_string(pkg_word(PKG_WORDS_directive, d->directive)));
	json_object_set_new(object, "policy", json_string(pkg_policy_text(pkg_policy(d->directive, d->policy)).text));
	if (d->flags)
		json_object_set_new(object, "flags", json_integer(d->flags));
	json_object_set_new(object, "arguments", arguments);
	return object;
}

static ptowsp_status argument_read(struct pkg_json_reader *reader, const json_t *json, int64_t *value_out, unsigned *kind_out)
{
	const json_t *expr = json_object_get(json, "expr"), *number = json_object_get(json, "number");
	uint64_t value = 0;
	ptowsp_status status = PTOWSP_OK;

	*kind_out = PTOWSP_ARGUMENT_NUMBER;
	if (json_is_string(json)) {
		*kind_out = PTOWSP_ARGUMENT_WORD;
		value = pkg_writer_string(reader->writer, json_string_value(json));
	} else if (json_object_size(json) == 1 && expr) {
		*kind_out = PTOWSP_ARGUMENT_EXPR;
		status = pkg_json_number_read(reader, expr, 4, 0, &value);
	} else if (json_is_integer(json) || (json_object_size(json) == 1 && number)) {
		status = pkg_json_number_read(reader, number ? number : json, 8, 1, &value);
	} else {
		status = pkg_json_refuse(reader, ": an argument is a number, a \"word\" or {\"expr\": row}");
	}
	*value_out = (int64_t)value;
	return status;
}

static ptowsp_status arguments_read(struct pkg_json_reader *reader, const json_t *list, struct ptowsp_directive_record *d)
{
	int64_t *const values[8] = {&d->a0, &d->a1, &d->a2, &d->a3, &d->a4, &d->a5, &d->a6, &d->a7};
	ptowsp_status status = PTOWSP_OK;

	reader->key = "arguments";
	if (list && (!json_is_array(list) || json_array_size(list) > 8))
		return pkg_json_refuse(reader, " must be a list of at most 8");
	for (size_t k = 0; k < json_array_size(list) && !status; k++) {
		unsigned kind;

		status = argument_read(reader, json_array_get(list, k), values[k], &kind);
		d->kinds |= (uint64_t)kind << 8 * k;
	}
	d->count = (uint16_t)json_array_size(list);
	return status;
}

static ptowsp_status policy_read(struct pkg_json_reader *reader, const json_t *json, struct ptowsp_directive_record *d)
{
	const char *word = json_string_value(json);
	const struct pkg_policy *policy = pkg_policy_find(d->directive, word);
	char known[128];

	reader->key = "policy";
	if (policy && (word || !json)) {
		d->policy = policy->policy;
		return PTOWSP_OK;
	}
	pkg_policy_list(d->directive, known, sizeof(known));
	return pkg_json_refuse(reader, " is \"%.40s\": %s has the policies %s", word ? word : "", pkg_word(PKG_WORDS_directive, d->directive), known);
}

static ptowsp_status directive_read(struct pkg_json_reader *reader, const json_t *object, void *record)
{
	static const char *const known[] = {"directive", "policy", "flags", "arguments", NULL};
	struct ptowsp_directive_record *d = record;
	const json_t *flags = json_object_get(object, "flags");
	ptowsp_status status = pkg_json_keys_check(reader, object, known);
	uint64_t value = 0;

	reader->key = "directive";
	if (!status)
		status = pkg_json_word_read(reader, field_of(PTOWSP_SECTION_SCHD, "directive"), json_object_get(object, "directive"), &value);
	d->directive = (uint16_t)value;
	if (!status && !pkg_word(PKG_WORDS_directive, value))
		status = pkg_json_refuse(reader, " is %u, which is no directive", (unsigned)value);
	if (!status)
		status = policy_read(reader, json_object_get(object, "policy"), d);
	value = 0;
	reader->key = "flags";
	if (!status && flags)
		status = pkg_json_number_read(reader, flags, 2, 0, &value);
	d->flags = (uint16_t)value;
	return status ? status : arguments_read(reader, json_object_get(object, "arguments"), d);
}

/* REQS: features by their words */

static json_t *requirement_write(const struct pkg_tables *tables, const void *record)
{
	const struct ptowsp_requirement_record *r = record;
	char text[64];

	(void)tables;
	pkg_feature_text(r->feature, text, sizeof(text));
	return json_pack("{s:s, s:i}", "feature", text, "state", (int)r->state);
}

static ptowsp_status requirement_read(struct pkg_json_reader *reader, const json_t *object, void *record)
{
	static const char *const known[] = {"feature", "state", NULL};
	const json_t *feature = json_object_get(object, "feature"), *state = json_object_get(object, "state");
	struct ptowsp_requirement_record *r = record;
	ptowsp_status status = pkg_json_keys_check(reader, object, known);
	uint64_t value = 0;

	if (status)
		return status;
	reader->key = "feature";
	if (!json_is_string(feature) || !pkg_feature_find(json_string_value(feature), &r->feature)) {
		status = pkg_json_number_read(reader, feature, 4, 0, &value);
		if (status && json_is_string(feature))
			return pkg_json_refuse(reader, " is \"%.60s\", which is no feature of features.def, opcode, directive or payload",
					       json_string_value(feature));
		r->feature = (uint32_t)value;
	}
	reader->key = "state";
	value = 0;
	if (!status && state)
		status = pkg_json_number_read(reader, state, 2, 0, &value);
	r->state = (uint16_t)value;
	return status;
}

static const struct pkg_json_form forms[] = {
	{PTOWSP_SECTION_EXPR, node_write, node_read},
	{PTOWSP_SECTION_SCHD, directive_write, directive_read},
	{PTOWSP_SECTION_REQS, requirement_write, requirement_read},
};

const struct pkg_json_form *pkg_json_form_find(uint32_t type)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (forms[i].type == type)
			return &forms[i];
	return NULL;
}
