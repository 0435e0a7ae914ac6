/* SPDX-License-Identifier: MIT */
/* array_attr.c - attributes that an array knows: what has no model is refused, for a design that is run without it is another one. */
#include "aie/array/array_own.h"

#include <string.h>

static const struct {
	const char *name, *attrs;
} rows[] = {
#define X(name, attrs) {name, attrs},
#include "aie/array/array_attr.def"
#undef X
};

/* The place of a word in a list of them; NULL. */
static const char *word_find(const char *list, const char *word)
{
	const size_t length = strlen(word);

	for (const char *at = strstr(list, word); at; at = strstr(at + 1, word))
		if ((at == list || at[-1] == ' ' || at[-1] == '!') && (!at[length] || at[length] == ' '))
			return at;
	return NULL;
}

static bool is_idle(const struct aie_attr *attr)
{
	return (attr->kind == AIE_ATTR_BOOL || attr->kind == AIE_ATTR_INT) && !attr->number;
}

/* Names with a '.' are those of somebody else's dialect, and a label that of a block. */
static bool is_known(const char *list, const struct aie_named_attr *named)
{
	const char *at = word_find(list, named->name);

	return strchr(named->name, '.') || (at && (at == list || at[-1] != '!' || is_idle(named->attr)));
}

static void op_look(struct aie_array *array, const struct aie_op *op)
{
	size_t row = 0;

	while (row < sizeof(rows) / sizeof(*rows) && !aie_op_is(op, rows[row].name))
		row++;
	for (uint32_t i = 0; row < sizeof(rows) / sizeof(*rows) && i < op->attr_count; i++)
		if (!is_known(rows[row].attrs, &op->attrs[i]))
			array_fail(array, op, PTOWSP_UNSUPPORTED, "attribute '%.64s' has no model here, or is misspelt; leave it out", op->attrs[i].name);
}

void array_attrs(struct aie_array *array, const struct aie_op *op)
{
	const bool idle = strstr(op->name, "runtime_sequence") && op != array->sequence;

	if (!idle)
		op_look(array, op);
	for (uint32_t r = 0; !idle && r < op->region_count; r++)
		for (const struct aie_op *in = op->regions[r].first; in; in = in->next)
			array_attrs(array, in);
}
