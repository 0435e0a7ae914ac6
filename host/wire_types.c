/* SPDX-License-Identifier: MIT */
/* wire_types.c - every struct of the description as a table of the fields that point somewhere. Handles and contexts cross as the numbers that they are; elements and
 * records lie in memory of their own, and whoever sends them puts a place there. */
#include "host/wire.h"

#include "ptowsp/ptowsp.h"

#define TYPE(x) host_wire_##x
#define AT(s, field) (uint16_t)offsetof(struct ptowsp_##s, field)

#define STRUCT(s, class) extern const struct host_wire_type TYPE(s);
#include "ptowsp/structs.def"

/* The first row is nothing: C has no empty arrays. */
#define STRUCT(s, class) static const struct host_wire_field fields_##s[] = {{0},
#define STRING(s, field, null) {AT(s, field), HOST_WIRE_TEXT, 0, 0, NULL},
#define ONE(s, field, of) {AT(s, field), HOST_WIRE_STRUCT, 0, 0, &TYPE(of)},
#define ROWS(s, field, of, count, stride) {AT(s, field), HOST_WIRE_ROWS, AT(s, count), AT(s, stride), &TYPE(of)},
#define VALUES(s, field, type, count) {AT(s, field), HOST_WIRE_ROWS, AT(s, count), 0, NULL},
#define END(s) };
#include "ptowsp/structs.def"

#define STRUCT(s, class) \
	const struct host_wire_type TYPE(s) = {.name = #s, .size = sizeof(struct ptowsp_##s), .fields = fields_##s + 1, \
					       .field_count = (uint16_t)(sizeof(fields_##s) / sizeof(*fields_##s) - 1)
#define HEAD(s, field, number) , .head = PTOWSP_STRUCT_##number
#define END(s) };
#include "ptowsp/structs.def"
