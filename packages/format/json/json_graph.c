/* SPDX-License-Identifier: MIT */
/* json_graph.c - the GRPH section as a list of {name, device, names, instructions}; an instruction is [NAME, operand, ...]. Ids are names
 * where no other object of their kind has the same one, else numbers. */
#include "format/graph/graph_read.h"
#include "format/json/json_rows.h"
#include "registry/common/common_grow.h"

#include "ptowsp/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 1024u /* of a scalar */

/* --- writing --- */

struct write {
	const struct pkg_graph *g;
	const struct pkg_tables *tables;
	json_t *numbers; /* "kernel NAME": its number, or null where two have that name; owned */
};

static const char *key_of(char *key, size_t size, uint32_t object, const char *name)
{
	snprintf(key, size, "%s %s", pkg_graph_object_text(object), name);
	return key;
}

/* A name that stands for one object only. Long ones are written as numbers. */
static void names_index(json_t *numbers, uint32_t object, const char *name, uint32_t number)
{
	char key[512];

	if (strlen(name) > 400 || !*name)
		return;
	key_of(key, sizeof(key), object, name);
	json_object_set_new(numbers, key, json_object_get(numbers, key) ? json_null() : json_integer(number));
}

static json_t *id_write(const struct write *w, uint32_t object, uint32_t number)
{
	const char *name = pkg_graph_name_find(w->g, w->tables, object, number);
	char key[512];

	if (name && strlen(name) <= 400 && json_is_integer(json_object_get(w->numbers, key_of(key, sizeof(key), object, name))))
		return json_string(name);
	return json_integer(number);
}

static json_t *node_write(const struct write *w, uint32_t row)
{
	const struct pkg_graph_node *n = &w->g->nodes[row];
	const uint32_t operands[3] = {n->a, n->b, n->c};
	json_t *list = json_array();

	switch (n->op) {
	case PTOWSP_EXPR_CONST: json_decref(list); return pkg_json_number((uint64_t)n->value, 1);
	case PTOWSP_EXPR_VALUE:
		json_array_append_new(list, json_string("scalar"));
		json_array_append_new(list, id_write(w, PTOWSP_GRAPH_SCALAR, n->a));
		return list;
	case PTOWSP_EXPR_AXIS:
		json_array_append_new(list, json_string("iterator"));
		json_array_append_new(list, id_write(w, PTOWSP_GRAPH_ITERATOR, n->a));
		return list;
	case PTOWSP_GRAPH_NODE_ITERATION: json_array_append_new(list, json_string("iteration")); return list;
	case PTOWSP_GRAPH_NODE_ELEMENT:
		json_array_append_new(list, json_string("element"));
		json_array_append_new(list, id_write(w, PTOWSP_GRAPH_TENSOR, n->b));
		json_array_append_new(list, node_write(w, n->a));
		json_array_append_new(list, json_string(pkg_word(PKG_WORDS_dtype, n->dtype)));
		return list;
	}
	json_array_append_new(list, json_string(pkg_word(PKG_WORDS_expr_op, n->op)));
	for (uint32_t i = 0; i < pkg_graph_node_operands(n->op); i++)
		json_array_append_new(list, node_write(w, operands[i]));
	return list;
}

static json_t *set_write(const struct write *w, const struct pkg_graph_operand *o, uint64_t row)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < w->g->sets[row]; i++)
		json_array_append_new(list, id_write(w, (uint32_t)o->argument, w->g->sets[row + 1 + i]));
	return list;
}

static json_t *operand_write(const struct write *w, const struct pkg_graph_operand *o, uint64_t value)
{
	switch ((enum pkg_graph_kind)o->kind) {
	case PKG_GRAPH_NEW:
	case PKG_GRAPH_ID:
	case PKG_GRAPH_USE: return id_write(w, (uint32_t)o->argument, (uint32_t)value);
	case PKG_GRAPH_SET: return set_write(w, o, value);
	case PKG_GRAPH_SYMBOL: return json_string(pkg_string(w->tables, (uint32_t)value));
	case PKG_GRAPH_ENUM: return json_string(pkg_word((enum pkg_words)o->argument, value));
	case PKG_GRAPH_SCALAR:
		if (value & PTOWSP_GRAPH_DYNAMIC)
			return node_write(w, (uint32_t)value);
		return pkg_json_number(value, 0);
	default: return pkg_json_number(value, 0);
	}
}

static json_t *inst_write(const struct write *w, const struct pkg_graph_inst *inst)
{
	json_t *list = json_array();

	json_array_append_new(list, json_string(inst->form->name));
	for (uint32_t i = 0; i < inst->form->count; i++)
		json_array_append_new(list, operand_write(w, &inst->form->operands[i], inst->values[i]));
	return list;
}

static json_t *names_write(const struct write *w)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < w->g->name_count; i++) {
		const struct pkg_graph_name *n = &w->g->names[i];
		json_t *row = json_array();

		json_array_append_new(row, json_string(pkg_graph_object_text(n->object)));
		json_array_append_new(row, json_integer(n->number));
		json_array_append_new(row, json_string(pkg_string(w->tables, n->text)));
		json_array_append_new(list, row);
	}
	return list;
}

static json_t *graph_write(const struct pkg_graph *g, const struct pkg_tables *tables)
{
	struct write w = {g, tables, json_object()};
	json_t *object = json_object(), *insts = json_array();

	for (uint32_t i = 0; i < g->name_count; i++)
		names_index(w.numbers, g->names[i].object, pkg_string(tables, g->names[i].text), g->names[i].number);
	for (uint32_t i = 0; i < g->inst_count; i++)
		json_array_append_new(insts, inst_write(&w, &g->insts[i]));
	if (g->version != PTOWSP_GRAPH_VERSION)
		json_object_set_new(object, "version", json_integer(g->version));
	json_object_set_new(object, "name", json_string(pkg_string(tables, g->name)));
	json_object_set_new(object, "device", json_integer(g->device));
	json_object_set_new(object, "names", names_write(&w));
	json_object_set_new(object, "instructions", insts);
	json_decref(w.numbers);
	return object;
}

json_t *pkg_json_graphs(const struct pkg_tables *tables)
{
	const struct pkg_place place = {"", NULL};
	struct pkg_graphs graphs;
	json_t *list = NULL;

	if (!pkg_graphs_read(&graphs, tables, &place)) {
		list = json_array();
		for (uint32_t i = 0; i < graphs.count; i++)
			json_array_append_new(list, graph_write(&graphs.rows[i], tables));
	}
	pkg_graphs_finish(&graphs);
	return list;
}

/* --- reading --- */

struct read {
	struct pkg_json_reader *r;
	struct pkg_graph_builder builder;
	json_t *numbers; /* as in writing; owned */
	uint32_t *set;   /* owned, of the set being read */
};

static ptowsp_status id_read(struct read *read, uint32_t object, const json_t *json, uint64_t *value_out)
{
	const json_t *number;
	char key[512];

	if (!json_is_string(json))
		return pkg_json_number_read(read->r, json, 4, 0, value_out);
	number = json_string_length(json) <= 400 ? json_object_get(read->numbers, key_of(key, sizeof(key), object, json_string_value(json))) : NULL;
	if (!json_is_integer(number))
		return pkg_json_refuse(read->r, ": \"%.40s\" is the name of no %s, or of several", json_string_value(json), pkg_graph_object_text(object));
	*value_out = (uint64_t)json_integer_value(number);
	return PTOWSP_OK;
}

static ptowsp_status node_read(struct read *read, const json_t *json, uint32_t depth, uint32_t *row_out);

static ptowsp_status operation_read(struct read *read, const json_t *json, const char *word, uint32_t depth, struct pkg_graph_node *n)
{
	uint32_t *operands[3] = {&n->a, &n->b, &n->c}, code, count;
	ptowsp_status status = PTOWSP_OK;

	if (!pkg_word_find(PKG_WORDS_expr_op, word, &code) || !pkg_graph_node_is_known(code))
		return pkg_json_refuse(read->r, ": \"%.40s\" is no operation", word);
	n->op = (uint16_t)code;
	count = pkg_graph_node_operands(code);
	if (json_array_size(json) != count + 1 || !count)
		return pkg_json_refuse(read->r, ": \"%.40s\" has %u operand%s", word, (unsigned)count, count == 1 ? "" : "s");
	for (uint32_t i = 0; i < count && !status; i++)
		status = node_read(read, json_array_get(json, i + 1), depth + 1, operands[i]);
	return status;
}

static ptowsp_status element_read(struct read *read, const json_t *json, uint32_t depth, struct pkg_graph_node *n)
{
	const char *dtype = json_string_value(json_array_get(json, 3));
	uint64_t tensor = 0;
	uint32_t code = 0;
	ptowsp_status status;

	if (json_array_size(json) != 4 || !dtype || !pkg_word_find(PKG_WORDS_dtype, dtype, &code))
		return pkg_json_refuse(read->r, ": an element is [\"element\", tensor, index, dtype]");
	n->op = PTOWSP_GRAPH_NODE_ELEMENT;
	n->dtype = (uint16_t)code;
	status = id_read(read, PTOWSP_GRAPH_TENSOR, json_array_get(json, 1), &tensor);
	n->b = (uint32_t)tensor;
	return status ? status : node_read(read, json_array_get(json, 2), depth + 1, &n->a);
}

static ptowsp_status node_read(struct read *read, const json_t *json, uint32_t depth, uint32_t *row_out)
{
	const char *word = json_string_value(json_array_get(json, 0));
	struct pkg_graph_node n = {.op = PTOWSP_EXPR_CONST};
	uint64_t value = 0;
	ptowsp_status status;

	if (depth >= MAX_DEPTH)
		return pkg_json_refuse(read->r, ": the scalar nests deeper than %u", MAX_DEPTH);
	if (!json_is_array(json)) {
		status = pkg_json_number_read(read->r, json, 8, 1, &value);
		n.value = (int64_t)value;
	} else if (!word) {
		return pkg_json_refuse(read->r, ": a scalar is a number or a list that begins with a word");
	} else if (!strcmp(word, "scalar") || !strcmp(word, "iterator")) {
		n.op = *word == 's' ? PTOWSP_EXPR_VALUE : PTOWSP_EXPR_AXIS;
		status = id_read(read, *word == 's' ? PTOWSP_GRAPH_SCALAR : PTOWSP_GRAPH_ITERATOR, json_array_get(json, 1), &value);
		n.a = (uint32_t)value;
	} else if (!strcmp(word, "iteration")) {
		n.op = PTOWSP_GRAPH_NODE_ITERATION;
		status = PTOWSP_OK;
	} else if (!strcmp(word, "element")) {
		status = element_read(read, json, depth, &n);
	} else {
		status = operation_read(read, json, word, depth, &n);
	}
	if (!status)
		*row_out = pkg_graph_add_node(&read->builder, &n);
	return status;
}

static ptowsp_status set_read(struct read *read, const struct pkg_graph_operand *o, const json_t *json, uint64_t *value_out)
{
	size_t count = json_array_size(json);
	uint64_t value = 0;
	ptowsp_status status = PTOWSP_OK;

	if (!json_is_array(json) || count > UINT32_MAX / 8)
		return pkg_json_refuse(read->r, ": %s is a list", o->name);
	if (!COMMON_RESIZE(read->set, count + 1))
		return pkg_fail(read->r->place.error, PTOWSP_NO_MEMORY, "%s: out of memory", read->r->place.file);
	for (size_t i = 0; i < count && !status; i++) {
		status = id_read(read, (uint32_t)o->argument, json_array_get(json, i), &value);
		read->set[i] = (uint32_t)value;
	}
	if (!status)
		*value_out = pkg_graph_add_set(&read->builder, read->set, (uint32_t)count);
	return status;
}

static ptowsp_status scalar_read(struct read *read, const json_t *json, uint64_t *value_out)
{
	uint32_t row = 0;
	ptowsp_status status;

	if (!json_is_array(json))
		return pkg_json_number_read(read->r, json, 8, 0, value_out);
	status = node_read(read, json, 0, &row);
	*value_out = PTOWSP_GRAPH_DYNAMIC | row;
	return status;
}

static ptowsp_status operand_read(struct read *read, const struct pkg_graph_operand *o, const json_t *json, uint64_t *value_out)
{
	uint32_t code = 0;

	switch ((enum pkg_graph_kind)o->kind) {
	case PKG_GRAPH_NEW:
	case PKG_GRAPH_ID:
	case PKG_GRAPH_USE: return id_read(read, (uint32_t)o->argument, json, value_out);
	case PKG_GRAPH_SET: return set_read(read, o, json, value_out);
	case PKG_GRAPH_SYMBOL:
		if (!json_is_string(json))
			return pkg_json_refuse(read->r, ": %s is a string", o->name);
		*value_out = pkg_writer_string(read->r->writer, json_string_value(json));
		return PTOWSP_OK;
	case PKG_GRAPH_ENUM:
		if (!json_is_string(json) || !pkg_word_find((enum pkg_words)o->argument, json_string_value(json), &code))
			return pkg_json_refuse(read->r, ": %s is no word of %s", json_is_string(json) ? json_string_value(json) : "this",
					       pkg_words_name((enum pkg_words)o->argument));
		*value_out = code;
		return PTOWSP_OK;
	case PKG_GRAPH_SCALAR: return scalar_read(read, json, value_out);
	default: return pkg_json_number_read(read->r, json, o->bytes, 0, value_out);
	}
}

static ptowsp_status inst_read(struct read *read, const json_t *list)
{
	const char *name = json_string_value(json_array_get(list, 0));
	const struct pkg_graph_form *form = name ? pkg_graph_form_find(name) : NULL;
	uint64_t values[PTOWSP_GRAPH_ARGS] = {0};
	ptowsp_status status = PTOWSP_OK;

	if (!form)
		return pkg_json_refuse(read->r, " must be a list [\"TG_KERNEL\", operands ...]");
	if (json_array_size(list) != form->count + 1u)
		return pkg_json_refuse(read->r, ": %s has %u operand%s", form->name, (unsigned)form->count, form->count == 1 ? "" : "s");
	for (uint32_t i = 0; i < form->count && !status; i++)
		status = operand_read(read, &form->operands[i], json_array_get(list, i + 1), &values[i]);
	if (!status)
		pkg_graph_add(&read->builder, form, values);
	return status;
}

static ptowsp_status names_read(struct read *read, const json_t *list)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *row = json_array_get(list, i);
		const char *object = json_string_value(json_array_get(row, 0)), *text = json_string_value(json_array_get(row, 2));
		uint32_t kind = 0;
		uint64_t number = 0;
		ptowsp_status status;

		while (object && kind < PTOWSP_GRAPH_OBJECTS && strcmp(object, pkg_graph_object_text(kind)))
			kind++;
		read->r->row = i;
		if (!object || !text || kind == PTOWSP_GRAPH_OBJECTS)
			return pkg_json_refuse(read->r, " must be a list [\"kernel\", number, name]");
		status = pkg_json_number_read(read->r, json_array_get(row, 1), 4, 0, &number);
		if (status)
			return status;
		pkg_graph_add_name(&read->builder, kind, (uint32_t)number, pkg_writer_string(read->r->writer, text));
		names_index(read->numbers, kind, text, (uint32_t)number);
	}
	return PTOWSP_OK;
}

static ptowsp_status graph_read(struct read *read, const json_t *object)
{
	static const char *const keys[] = {"version", "name", "device", "names", "instructions", NULL};
	const json_t *name = json_object_get(object, "name"), *insts = json_object_get(object, "instructions");
	uint64_t version = PTOWSP_GRAPH_VERSION, device = 0;
	ptowsp_status status = pkg_json_keys_check(read->r, object, keys);

	if (!status && json_object_get(object, "version"))
		status = pkg_json_number_read(read->r, json_object_get(object, "version"), 4, 0, &version);
	if (!status && json_object_get(object, "device"))
		status = pkg_json_number_read(read->r, json_object_get(object, "device"), 4, 0, &device);
	read->builder.original = version == PTOWSP_GRAPH_VERSION_SEED;
	read->r->section = "GRPH.names";
	if (!status)
		status = names_read(read, json_object_get(object, "names"));
	read->r->section = "GRPH.instructions";
	for (size_t i = 0; i < json_array_size(insts) && !status; i++) {
		read->r->row = i;
		status = inst_read(read, json_array_get(insts, i));
	}
	if (!status && pkg_graph_seal(&read->builder, read->r->writer, pkg_writer_string(read->r->writer, json_is_string(name) ? json_string_value(name) : ""),
				      (uint32_t)device))
		status = pkg_fail(read->r->place.error, PTOWSP_NO_MEMORY, "%s: out of memory", read->r->place.file);
	return status;
}

ptowsp_status pkg_json_graphs_read(struct pkg_json_reader *reader, const json_t *list)
{
	ptowsp_status status = PTOWSP_OK;

	if (!json_is_array(list))
		return pkg_json_refuse(reader, " must be a list of objects");
	for (size_t i = 0; i < json_array_size(list) && !status; i++) {
		struct read read = {.r = reader, .numbers = json_object()};

		reader->section = "GRPH";
		reader->row = i;
		if (!json_is_object(json_array_get(list, i)))
			status = pkg_json_refuse(reader, " must be an object");
		else
			status = graph_read(&read, json_array_get(list, i));
		pkg_graph_builder_finish(&read.builder);
		json_decref(read.numbers);
		free(read.set);
	}
	return status;
}
