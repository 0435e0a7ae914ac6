/* SPDX-License-Identifier: MIT */
/* graph_builder.h - one task graph binary while it grows: instructions one by one, then section GRPH. */
#ifndef FORMAT_GRAPH_BUILDER_H
#define FORMAT_GRAPH_BUILDER_H

#include "format/graph/graph_schema.h"
#include "format/writer.h"

/* A zeroed struct is an empty one. A failed allocation is remembered and told by pkg_graph_seal. Nothing is checked here: the verifier
 * looks at the result. */
struct pkg_graph_builder {
	struct pkg_graph_bytes {
		uint8_t *bytes; /* owned */
		size_t size, room;
		uint32_t count;
	} tables[256], sets, nodes, names, order; /* tables: by op */
	uint8_t failed;
	uint8_t original; /* 1: version 1, nothing behind the bindings; it must be the last binary of its section */
};

/* A node of a scalar: see table NODE in FORMAT.md. */
struct pkg_graph_node {
	uint16_t op, dtype;
	uint32_t a, b, c;
	int64_t value;
};

void pkg_graph_builder_finish(struct pkg_graph_builder *builder);
/* One instruction; values as in its row: one per operand. */
void pkg_graph_add(struct pkg_graph_builder *builder, const struct pkg_graph_form *form, const uint64_t *values);
/* Row of a set. */
uint32_t pkg_graph_add_set(struct pkg_graph_builder *builder, const uint32_t *numbers, uint32_t count);
/* Row of a node; operands are earlier ones. */
uint32_t pkg_graph_add_node(struct pkg_graph_builder *builder, const struct pkg_graph_node *node);
/* The name of an object; text: STRS offset. */
void pkg_graph_add_name(struct pkg_graph_builder *builder, uint32_t object, uint32_t number, uint32_t text);
/* Appends the binary to section GRPH; name: STRS offset. Errors: NO_MEMORY. */
ptowsp_status pkg_graph_seal(struct pkg_graph_builder *builder, struct pkg_writer *writer, uint32_t name, uint32_t device);

#endif
