/* SPDX-License-Identifier: MIT */
/* graph_schema.c - the forms of all instructions, expanded from graph_ops.def. */
#include "format/graph/graph_schema.h"

#include "ptowsp/workload.h"

#include <stdbool.h>
#include <string.h>

/* The meaning of an operand's argument depends on its kind. */
#define ARGUMENT_NEW(argument)                       PTOWSP_GRAPH_##argument
#define ARGUMENT_ID(argument)                        PTOWSP_GRAPH_##argument
#define ARGUMENT_USE(argument)                       PTOWSP_GRAPH_##argument
#define ARGUMENT_SET(argument)                       PTOWSP_GRAPH_##argument
#define ARGUMENT_SYMBOL(argument)                    0
#define ARGUMENT_RANGE(argument)                     (argument)
#define ARGUMENT_NUMBER(argument)                    0
#define ARGUMENT_SCALAR(argument)                    0
#define ARGUMENT_ENUM(argument)                      PKG_WORDS_##argument

#define GRAPH_OP(NAME, code, place, effect)          static const struct pkg_graph_operand NAME##_operands[] = {
#define GRAPH_ARG(type, name, kind, argument, value) {#name, #type, #kind, #argument, value, ARGUMENT_##kind(argument), sizeof(type), PKG_GRAPH_##kind},
#define GRAPH_END(NAME)                                                                                                                                        \
	{                                                                                                                                                      \
		0                                                                                                                                              \
	}                                                                                                                                                      \
	}                                                                                                                                                      \
	;
#include "registry/common/common_graph_ops.def"

#define GRAPH_OP(NAME, code, place, effect)                                                                                                                    \
	{                                                                                                                                                      \
#NAME, effect, NAME##_operands, code, PKG_GRAPH_##place, sizeof(NAME##_operands) / sizeof(NAME##_operands[0]) - 1, 0
#define GRAPH_ARG(type, name, kind, argument, value) +sizeof(type)
#define GRAPH_END(NAME)                                                                                                                                        \
	}                                                                                                                                                      \
	,
static const struct pkg_graph_form forms[] = {
#include "registry/common/common_graph_ops.def"
};
#define FORM_COUNT (sizeof(forms) / sizeof(forms[0]))

/* An instruction has at most so many operands. */
#define GRAPH_OP(NAME, code, place, effect) _Static_assert(sizeof(NAME##_operands) / sizeof(NAME##_operands[0]) - 1 <= PTOWSP_GRAPH_ARGS, #NAME);
#include "registry/common/common_graph_ops.def"

static const char *const objects[] = {
#define X(NAME, code, text, scope) [code] = text,
#include "ptowsp/graph_objects.def"
#undef X
};

const struct pkg_graph_form *pkg_graph_forms(uint32_t *count_out)
{
	*count_out = FORM_COUNT;
	return forms;
}

const struct pkg_graph_form *pkg_graph_form(uint32_t op)
{
	for (size_t i = 0; i < FORM_COUNT; i++)
		if (forms[i].op == op)
			return &forms[i];
	return NULL;
}

const struct pkg_graph_form *pkg_graph_form_find(const char *name)
{
	for (size_t i = 0; i < FORM_COUNT; i++)
		if (!strcmp(forms[i].name, name))
			return &forms[i];
	return NULL;
}

const char *pkg_graph_object_text(uint32_t object)
{
	return object < PTOWSP_GRAPH_OBJECTS ? objects[object] : NULL;
}

uint32_t pkg_graph_node_operands(uint32_t op)
{
	return op == PTOWSP_GRAPH_NODE_ELEMENT ? 1 : op == PTOWSP_GRAPH_NODE_ITERATION ? 0 : pkg_expr_operands(op);
}

/* Loops of the workload, tasks and replicas mean nothing here. */
bool pkg_graph_node_is_known(uint32_t op)
{
	if (op == PTOWSP_EXPR_LOOP || op == PTOWSP_EXPR_TASK || op == PTOWSP_EXPR_INSTANCE)
		return false;
	return op == PTOWSP_GRAPH_NODE_ELEMENT || op == PTOWSP_GRAPH_NODE_ITERATION || pkg_word(PKG_WORDS_expr_op, op) != NULL;
}
