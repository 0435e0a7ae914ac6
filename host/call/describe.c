/* SPDX-License-Identifier: MIT */
/* describe.c - the description as tables. */
#include "host/call/describe.h"

#include <string.h>

#include "host/call/each.h"

/* ---- structs ---- */

/* Number of each field among all, so that a struct finds its first one. */
enum {
#define STRUCT(struct, class)             FIRST_##struct, BEFORE_##struct = FIRST_##struct - 1,
#define END(struct)                       BEHIND_##struct, LAST_##struct = BEHIND_##struct - 1,
#define HEAD(struct, field, ...)          AT_##struct##_##field,
#define VALUE(struct, field, ...)         AT_##struct##_##field,
#define ZERO(struct, field, ...)          AT_##struct##_##field,
#define TEXT(struct, field, ...)          AT_##struct##_##field,
#define STRING(struct, field, ...)        AT_##struct##_##field,
#define HANDLE(struct, field, ...)        AT_##struct##_##field,
#define CONTEXT(struct, field)            AT_##struct##_##field,
#define ONE(struct, field, ...)           AT_##struct##_##field,
#define INSIDE(struct, field, ...)        AT_##struct##_##field,
#define ROWS(struct, field, ...)          AT_##struct##_##field,
#define VALUES(struct, field, ...)        AT_##struct##_##field,
#define RECORDS(struct, field, ...)       AT_##struct##_##field,
#define CONTENT(struct, field, ...)       AT_##struct##_##field,
#define ELEMENTS(struct, field, ...)      AT_##struct##_##field,
#define WINDOW(struct, field)             AT_##struct##_##field,
#define BYTES(struct, field, ...)         AT_##struct##_##field,
#define CALL(struct, field)               AT_##struct##_##field,
#define FUNCTION(struct, field, callback) AT_##struct##_##field,
#include "ptowsp/structs.def"
	FIELD_COUNT
};
#undef CONTENT /* by the description of 10.0, which has no such rows */

#define AT(s, field)                  (uint16_t) offsetof(struct ptowsp_##s, field)
#define BYTES_OF(s, field)            (uint16_t)sizeof(((struct ptowsp_##s *)0)->field)
#define ROW(kind, s, field, many, of) {#field, HOST_FIELD_##kind, AT(s, field), BYTES_OF(s, field), many, of, HOST_NOWHERE, HOST_NOWHERE, 0},
#define COUNTED(kind, s, field, of, count, stride)                                                                                                             \
	{#field, HOST_FIELD_##kind, AT(s, field), BYTES_OF(s, field), 1, of, AT(s, count), stride, BYTES_OF(s, count)},
#define NULL_MAY   1
#define NULL_NEVER 0

/* Function pointers by their place: a struct's field is what one row of operations.def is about. */
enum {
#define SLOT(name, s, field)           CALL_##s##_##field = HOST_OPERATION_##name,
#define OPERATION(name, s, field, ...) SLOT(name, s, field)
#define SERVICE(name, s, field, ...)   SLOT(name, s, field)
#include "ptowsp/operations.def"
};

static const struct host_field fields[FIELD_COUNT] = {
#define HEAD(s, f, type)                 ROW(HEAD, s, f, 1, PTOWSP_STRUCT_##type)
#define VALUE(s, f, type, many)          ROW(VALUE, s, f, many, sizeof(type))
#define ZERO(s, f, type)                 ROW(ZERO, s, f, 1, sizeof(type))
#define TEXT(s, f, bytes)                ROW(TEXT, s, f, 1, 1)
#define STRING(s, f, null)               ROW(STRING, s, f, 1, NULL_##null)
#define HANDLE(s, f, handle)             ROW(HANDLE, s, f, 1, HOST_HANDLE_##handle)
#define CONTEXT(s, f)                    ROW(CONTEXT, s, f, 1, 0)
#define ONE(s, f, other)                 ROW(ONE, s, f, 1, HOST_STRUCT_##other)
#define INSIDE(s, f, other, many)        ROW(INSIDE, s, f, many, HOST_STRUCT_##other)
#define ROWS(s, f, other, count, stride) COUNTED(ROWS, s, f, HOST_STRUCT_##other, count, AT(s, stride))
#define VALUES(s, f, type, count)        COUNTED(VALUES, s, f, sizeof(type), count, HOST_NOWHERE)
#define RECORDS(s, f, count, stride)     COUNTED(RECORDS, s, f, 1, count, AT(s, stride))
#define CONTENT(s, f, size)              COUNTED(RECORDS, s, f, 1, size, HOST_NOWHERE)
#define ELEMENTS(s, f, count, dtype)     COUNTED(ELEMENTS, s, f, 1, count, AT(s, dtype))
#define WINDOW(s, f)                     ROW(WINDOW, s, f, 1, 1)
#define BYTES(s, f, size)                COUNTED(BYTES, s, f, 1, size, HOST_NOWHERE)
#define FUNCTION(s, f, callback)         ROW(FUNCTION, s, f, 1, HOST_OPERATION_##callback)
#define CALL(s, f)                       ROW(CALL, s, f, 1, CALL_##s##_##f)
#include "ptowsp/structs.def"
};

/* Each field's row is true, and a struct is as long as its newest size. */
#define VALUE(s, f, type, many) _Static_assert(BYTES_OF(s, f) == sizeof(type) * (many), "structs.def: " #s "." #f);
#define ZERO(s, f, type)        _Static_assert(BYTES_OF(s, f) == sizeof(type), "structs.def: " #s "." #f);
#define TEXT(s, f, bytes)       _Static_assert(BYTES_OF(s, f) == (bytes), "structs.def: " #s "." #f);
#define INSIDE(s, f, of, many)  _Static_assert(BYTES_OF(s, f) == sizeof(struct ptowsp_##of) * (many), "structs.def: " #s "." #f);
#define SIZE(s, minor, bytes)   _Static_assert((minor) < PTOWSP_ABI_MINOR || sizeof(struct ptowsp_##s) == (bytes), "structs.def: size of " #s);
#include "ptowsp/structs.def"

const struct host_struct host_structs[HOST_STRUCT_COUNT] = {
#define STRUCT(s, class) {#s, HOST_CLASS_##class, sizeof(struct ptowsp_##s), BEHIND_##s - FIRST_##s, fields + FIRST_##s},
#include "ptowsp/structs.def"
};

bool host_field_points(const struct host_field *f)
{
	return f->kind >= HOST_FIELD_STRING && f->kind != HOST_FIELD_INSIDE;
}

/* Sizes in the order of minors; the first of each struct. */
enum {
#define STRUCT(s, class)      SIZES_##s, BEFORE_SIZES_##s = SIZES_##s - 1,
#define SIZE(s, minor, bytes) SIZE_##s##_##minor,
#include "ptowsp/structs.def"
	SIZE_COUNT
};

uint32_t host_struct_size(enum host_struct_id id, uint32_t minor)
{
	static const struct {
		uint16_t id, minor, bytes;
	} sizes[SIZE_COUNT] = {
#define SIZE(s, minor, bytes) {HOST_STRUCT_##s, minor, bytes},
#include "ptowsp/structs.def"
	};
	static const uint16_t first[HOST_STRUCT_COUNT] = {
#define STRUCT(s, class) SIZES_##s,
#include "ptowsp/structs.def"
	};
	uint32_t bytes = 0;

	for (unsigned i = first[id]; i < SIZE_COUNT && sizes[i].id == id && sizes[i].minor <= minor; i++)
		bytes = sizes[i].bytes;
	return bytes;
}

void host_struct_cut(enum host_struct_id id, void *at, uint32_t minor)
{
	const uint32_t known = host_struct_size(id, minor);

	memset((char *)at + known, 0, host_structs[id].size - known);
}

/* ---- functions ---- */

/* Parameters by number, so that one can name another. */
#define NUMBER(c, i, p)                                       NUMBER_OF(c, i, HOST_OPEN p)
#define NUMBER_OF(...)                                        NUMBER_AS(__VA_ARGS__)
#define NUMBER_AS(c, i, kind, direction, name, ...)           P_##c##_##name = i,
#define OPERATION(name, s, field, since, thread, result, ...) enum { HOST_EACH(NUMBER, name, __VA_ARGS__) };
#define SERVICE(name, s, field, since, thread, result, ...)   enum { HOST_EACH(NUMBER, name, __VA_ARGS__) };
#define CALLBACK(name, since, thread, result, ...)            enum { HOST_EACH(NUMBER, name, __VA_ARGS__) };
#include "ptowsp/operations.def"

#define CONTEXT_HOST                                          1
#define CONTEXT_GIVEN                                         0
#define OF_VALUE(c, type)                                     sizeof(type), HOST_NOWHERE, HOST_NOWHERE
#define OF_HANDLE(c, of)                                      HOST_HANDLE_##of, HOST_NOWHERE, HOST_NOWHERE
#define OF_CONTEXT(c, of)                                     CONTEXT_##of, HOST_NOWHERE, HOST_NOWHERE
#define OF_STRING(c, null)                                    NULL_##null, HOST_NOWHERE, HOST_NOWHERE
#define OF_TEXT(c, length)                                    1, P_##c##_##length, HOST_NOWHERE
#define OF_BYTES(c, size)                                     1, P_##c##_##size, HOST_NOWHERE
#define OF_MEMORY(c, size)                                    1, P_##c##_##size, HOST_NOWHERE
#define OF_ADDRESS(c, null)                                   NULL_##null, HOST_NOWHERE, HOST_NOWHERE
#define OF_ONE(c, s)                                          HOST_STRUCT_##s, HOST_NOWHERE, HOST_NOWHERE
#define OF_ROWS(c, s, count, stride)                          HOST_STRUCT_##s, P_##c##_##count, P_##c##_##stride
#define OF_LENT(c, s, count, stride)                          HOST_STRUCT_##s, P_##c##_##count, P_##c##_##stride
#define OF_TABLES(c, s, count)                                HOST_STRUCT_##s, P_##c##_##count, HOST_NOWHERE
#define OF_VALUES(c, type, count)                             sizeof(type), P_##c##_##count, HOST_NOWHERE
#define OF_FUNCTION(c, callback, null)                        HOST_OPERATION_##callback, HOST_NOWHERE, NULL_##null

#define PARAMETER(c, i, p)                                    PARAMETER_OF(c, HOST_OPEN p)
#define PARAMETER_OF(...)                                     PARAMETER_AS(__VA_ARGS__)
#define PARAMETER_AS(c, kind, direction, name, ...)           {#name, HOST_PARAMETER_##kind, HOST_DIRECTION_##direction, OF_##kind(c, __VA_ARGS__)},
#define ROWS_OF(name, ...)                                    static const struct host_parameter parameters_##name[] = {HOST_EACH(PARAMETER, name, __VA_ARGS__)};
#define OPERATION(name, s, field, since, thread, result, ...) ROWS_OF(name, __VA_ARGS__)
#define SERVICE(name, s, field, since, thread, result, ...)   ROWS_OF(name, __VA_ARGS__)
#define CALLBACK(name, since, thread, result, ...)            ROWS_OF(name, __VA_ARGS__)
#include "ptowsp/operations.def"

const struct host_operation host_operations[HOST_OPERATION_COUNT] = {
#define LINE(name, side, table, slot, since, thread, result)                                                                                                   \
	{#name,                                                                                                                                                \
	 HOST_SIDE_##side,                                                                                                                                     \
	 table,                                                                                                                                                \
	 slot,                                                                                                                                                 \
	 since,                                                                                                                                                \
	 HOST_THREAD_##thread,                                                                                                                                 \
	 HOST_RESULT_IS_##result,                                                                                                                              \
	 sizeof(parameters_##name) / sizeof(*parameters_##name),                                                                                               \
	 parameters_##name},
#define OPERATION(name, s, field, since, thread, result, ...) LINE(name, HOST, HOST_STRUCT_##s, AT(s, field), since, thread, result)
#define SERVICE(name, s, field, since, thread, result, ...)   LINE(name, PLUGIN, HOST_STRUCT_##s, AT(s, field), since, thread, result)
#define CALLBACK(name, since, thread, result, ...)            LINE(name, PLUGIN, HOST_STRUCT_COUNT, 0, since, thread, result)
#include "ptowsp/operations.def"
};

static const struct extension {
	const char *id;
	uint16_t table, side;
} extensions[] = {
#define EXTENSION(s, side, id) {id, HOST_STRUCT_##s, HOST_SIDE_##side},
#include "ptowsp/operations.def"
};
enum { EXTENSIONS = sizeof(extensions) / sizeof(*extensions) };

enum host_struct_id host_extension_find(enum host_side side, const char *id)
{
	for (size_t i = 0; i < EXTENSIONS; i++)
		if (extensions[i].side == side && !strcmp(extensions[i].id, id))
			return extensions[i].table;
	return HOST_STRUCT_COUNT;
}

const char *host_extension_id(enum host_struct_id table)
{
	for (size_t i = 0; i < EXTENSIONS; i++)
		if (extensions[i].table == table)
			return extensions[i].id;
	return NULL;
}

bool host_table_has(const void *table, enum host_operation_id operation, uint32_t minor)
{
	const struct host_operation *o = &host_operations[operation];
	void (*there)(void);

	if (!table || o->since > minor || ((const struct ptowsp_head *)table)->size < o->slot + sizeof(there))
		return false;
	memcpy(&there, (const char *)table + o->slot, sizeof(there));
	return there != NULL;
}
