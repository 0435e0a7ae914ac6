/* SPDX-License-Identifier: MIT */
#include "format/graph/graph_builder.h"

#include "registry/common/common_grow.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The tables of the original format, in its order. */
static const uint8_t first_ops[] = {PTOWSP_TG_KERNEL, PTOWSP_TG_DEPEND, PTOWSP_MC_ALLOC, PTOWSP_MC_BIND};

static void append(struct pkg_graph_builder *b, struct pkg_graph_bytes *table, const void *bytes, size_t size)
{
	if (!size) /* of an empty table, which may have no bytes at all */
		return;
	if (!COMMON_RESERVE(table->bytes, table->room, table->size + size)) {
		b->failed = 1;
		return;
	}
	memcpy(table->bytes + table->size, bytes, size);
	table->size += size;
}

static void append_word(struct pkg_graph_builder *b, struct pkg_graph_bytes *table, uint32_t word)
{
	append(b, table, &word, sizeof(word));
}

void pkg_graph_builder_finish(struct pkg_graph_builder *b)
{
	for (size_t i = 0; i < sizeof(b->tables) / sizeof(b->tables[0]); i++)
		free(b->tables[i].bytes);
	free(b->sets.bytes);
	free(b->nodes.bytes);
	free(b->names.bytes);
	free(b->order.bytes);
	memset(b, 0, sizeof(*b));
}

void pkg_graph_add(struct pkg_graph_builder *b, const struct pkg_graph_form *form, const uint64_t *values)
{
	struct pkg_graph_bytes *table = &b->tables[form->op];

	append_word(b, &b->order, form->op);
	append_word(b, &b->order, form->count ? table->count : 0);
	b->order.count++;
	/* Little-endian, so that the low bytes of a value are its first. */
	for (uint32_t i = 0; i < form->count; i++)
		append(b, table, &values[i], form->operands[i].bytes);
	table->count += form->count > 0;
}

uint32_t pkg_graph_add_set(struct pkg_graph_builder *b, const uint32_t *numbers, uint32_t count)
{
	uint32_t row = b->sets.count;

	append_word(b, &b->sets, count);
	append(b, &b->sets, numbers, count * sizeof(*numbers));
	b->sets.count += count + 1;
	return row;
}

uint32_t pkg_graph_add_node(struct pkg_graph_builder *b, const struct pkg_graph_node *node)
{
	append(b, &b->nodes, node, sizeof(*node));
	return b->nodes.count++;
}

void pkg_graph_add_name(struct pkg_graph_builder *b, uint32_t object, uint32_t number, uint32_t text)
{
	append_word(b, &b->names, object);
	append_word(b, &b->names, number);
	append_word(b, &b->names, text);
	b->names.count++;
}

static bool is_first(uint32_t op)
{
	return memchr(first_ops, (int)op, sizeof(first_ops)) != NULL;
}

/* One row of the directory, and the table behind the others. */
static void table_append(struct pkg_graph_builder *b, struct pkg_graph_bytes *directory, struct pkg_graph_bytes *body, uint32_t type, uint32_t stride,
			 const struct pkg_graph_bytes *table)
{
	if (!table->count)
		return;
	append_word(b, directory, type);
	append_word(b, directory, stride);
	append_word(b, directory, table->count);
	directory->count++;
	append(b, body, table->bytes, table->size);
}

/* The part behind the bindings of the original format. */
static void more_make(struct pkg_graph_builder *b, struct pkg_graph_bytes *out, uint32_t name, uint32_t device)
{
	struct pkg_graph_bytes directory = {0}, body = {0};
	uint32_t count;
	const struct pkg_graph_form *forms = pkg_graph_forms(&count);

	for (uint32_t i = 0; i < count; i++)
		if (forms[i].count && !is_first(forms[i].op))
			table_append(b, &directory, &body, forms[i].op, forms[i].bytes, &b->tables[forms[i].op]);
	table_append(b, &directory, &body, PTOWSP_GRAPH_TABLE_SETS, 4, &b->sets);
	table_append(b, &directory, &body, PTOWSP_GRAPH_TABLE_NODE, sizeof(struct pkg_graph_node), &b->nodes);
	table_append(b, &directory, &body, PTOWSP_GRAPH_TABLE_NAME, 12, &b->names);
	table_append(b, &directory, &body, PTOWSP_GRAPH_TABLE_ORDER, 8, &b->order);
	append_word(b, out, name);
	append_word(b, out, device);
	append_word(b, out, directory.count);
	append_word(b, out, 0);
	if (directory.size)
		append(b, out, directory.bytes, directory.size);
	if (body.size)
		append(b, out, body.bytes, body.size);
	free(directory.bytes);
	free(body.bytes);
}

/* The row that ends the bindings says how many bytes follow. */
static void end_append(struct pkg_graph_builder *b, struct pkg_graph_bytes *out, uint64_t more)
{
	const uint64_t zero = 0;

	append_word(b, out, PTOWSP_GRAPH_MORE);
	append_word(b, out, 0);
	append_word(b, out, 0);
	append(b, out, &more, sizeof(more));
	append(b, out, &zero, sizeof(zero));
}

ptowsp_status pkg_graph_seal(struct pkg_graph_builder *b, struct pkg_writer *writer, uint32_t name, uint32_t device)
{
	struct pkg_graph_bytes out = {0}, more = {0};
	struct ptowsp_graph_header header = {.magic = PTOWSP_GRAPH_MAGIC,
					     .version = b->original ? PTOWSP_GRAPH_VERSION_SEED : PTOWSP_GRAPH_VERSION,
					     .kernel_count = b->tables[PTOWSP_TG_KERNEL].count,
					     .depend_count = b->tables[PTOWSP_TG_DEPEND].count,
					     .alloc_count = b->tables[PTOWSP_MC_ALLOC].count};

	append(b, &out, &header, sizeof(header));
	for (size_t i = 0; i < sizeof(first_ops); i++)
		if (b->tables[first_ops[i]].size)
			append(b, &out, b->tables[first_ops[i]].bytes, b->tables[first_ops[i]].size);
	if (!b->original) {
		more_make(b, &more, name, device);
		end_append(b, &out, more.size);
		append(b, &out, more.bytes, more.size);
	}
	if (!b->failed)
		pkg_writer_bytes(writer, PTOWSP_SECTION_GRPH, out.bytes, out.size, 1);
	free(out.bytes);
	free(more.bytes);
	return b->failed ? PTOWSP_NO_MEMORY : PTOWSP_OK;
}
