/* SPDX-License-Identifier: MIT */
/* describe.h - abi/ptowsp/structs.def and operations.def as tables: what code that treats all structs and functions alike reads. */
#ifndef HOST_DESCRIBE_H
#define HOST_DESCRIBE_H

#include <stdbool.h>

#include "ptowsp/ptowsp.h"

/* ---- structs ---- */

enum host_class { HOST_CLASS_ARGUMENTS, HOST_CLASS_TABLE, HOST_CLASS_RESULT, HOST_CLASS_ROW };
enum host_field_kind {
	HOST_FIELD_HEAD,
	HOST_FIELD_VALUE,
	HOST_FIELD_ZERO,
	HOST_FIELD_TEXT,
	HOST_FIELD_STRING,
	HOST_FIELD_HANDLE,
	HOST_FIELD_CONTEXT,
	HOST_FIELD_ONE,
	HOST_FIELD_INSIDE,
	HOST_FIELD_ROWS,
	HOST_FIELD_VALUES,
	HOST_FIELD_RECORDS,
	HOST_FIELD_ELEMENTS,
	HOST_FIELD_WINDOW,
	HOST_FIELD_BYTES,
	HOST_FIELD_CALL,
	HOST_FIELD_FUNCTION
};
enum host_struct_id {
#define STRUCT(struct, class) HOST_STRUCT_##struct,
#include "ptowsp/structs.def"
	HOST_STRUCT_COUNT
};
enum host_handle { HOST_HANDLE_INSTANCE, HOST_HANDLE_DEVICE, HOST_HANDLE_PROGRAM, HOST_HANDLE_BUFFER, HOST_HANDLE_FENCE };
enum { HOST_HANDLES = HOST_HANDLE_FENCE + 1 };
#define HOST_NOWHERE UINT16_MAX

struct host_field {
	const char *name;
	uint16_t kind;          /* enum host_field_kind */
	uint16_t offset, size;  /* bytes; of the field itself, in its struct */
	uint16_t many;          /* VALUE, INSIDE: how many in place; else 1 */
	uint16_t of;            /* ONE, INSIDE, ROWS: enum host_struct_id; HANDLE: enum host_handle; HEAD: PTOWSP_STRUCT_x; VALUE, VALUES: bytes of one;
				 * STRING: 1 if it may be NULL; CALL, FUNCTION: enum host_operation_id */
	uint16_t count, stride; /* offsets of the fields with how many there are (BYTES: bytes; ELEMENTS: stride is that of the dtype); else HOST_NOWHERE */
	uint16_t counter;       /* bytes of the field that counts; else 0 */
};
struct host_struct {
	const char *name; /* without ptowsp_ */
	uint16_t class;   /* enum host_class */
	uint16_t size;    /* bytes, as this host was compiled */
	uint16_t field_count;
	const struct host_field *fields; /* the first is the head, if there is one */
};
extern const struct host_struct host_structs[HOST_STRUCT_COUNT];
/* The field is an address, of whatever: no number, text or struct in place. */
bool host_field_points(const struct host_field *field);
/* Bytes that the struct has at a minor, of those that this host knows. */
uint32_t host_struct_size(enum host_struct_id id, uint32_t minor);
/* Makes a struct of this host's size what it is at a minor: zero behind its size there. One with a head keeps the host's size in it. */
void host_struct_cut(enum host_struct_id id, void *at, uint32_t minor);

/* ---- functions ---- */

enum host_side { HOST_SIDE_HOST, HOST_SIDE_PLUGIN };
enum host_thread { HOST_THREAD_MAIN, HOST_THREAD_DEVICE, HOST_THREAD_ANY, HOST_THREAD_CB };
enum host_result { HOST_RESULT_IS_STATUS, HOST_RESULT_IS_ANSWER, HOST_RESULT_IS_TABLE, HOST_RESULT_IS_MEMORY, HOST_RESULT_IS_NUMBER, HOST_RESULT_IS_NOTHING };
enum host_parameter_kind {
	HOST_PARAMETER_VALUE,
	HOST_PARAMETER_HANDLE,
	HOST_PARAMETER_CONTEXT,
	HOST_PARAMETER_STRING,
	HOST_PARAMETER_TEXT,
	HOST_PARAMETER_BYTES,
	HOST_PARAMETER_MEMORY,
	HOST_PARAMETER_ADDRESS,
	HOST_PARAMETER_ONE,
	HOST_PARAMETER_ROWS,
	HOST_PARAMETER_LENT,
	HOST_PARAMETER_TABLES,
	HOST_PARAMETER_VALUES,
	HOST_PARAMETER_FUNCTION
};
enum host_direction { HOST_DIRECTION_IN, HOST_DIRECTION_OUT, HOST_DIRECTION_INOUT, HOST_DIRECTION_LAST };
enum host_operation_id {
#define OPERATION(name, ...) HOST_OPERATION_##name,
#define SERVICE(name, ...)   HOST_OPERATION_##name,
#define CALLBACK(name, ...)  HOST_OPERATION_##name,
#include "ptowsp/operations.def"
	HOST_OPERATION_COUNT
};
enum { HOST_PARAMETERS = 8 };

struct host_parameter {
	const char *name;
	uint16_t kind, direction;
	uint16_t of;            /* ONE, ROWS, LENT, TABLES: enum host_struct_id; HANDLE: enum host_handle; VALUE, VALUES: bytes of one;
				 * STRING, ADDRESS: 1 if it may be NULL; FUNCTION: enum host_operation_id; CONTEXT: 1 of the host's services, 0 given */
	uint16_t count, stride; /* numbers of the parameters with length and distance; HOST_NOWHERE: there is none. FUNCTION: stride is 1 if it may be NULL */
};
struct host_operation {
	const char *name;
	uint16_t caller; /* enum host_side */
	uint16_t table;  /* enum host_struct_id; HOST_STRUCT_COUNT: a callback */
	uint16_t slot;   /* offset of its pointer in there */
	uint16_t since, thread, result;
	uint16_t parameter_count; /* the error record is none of them */
	const struct host_parameter *parameters;
};
extern const struct host_operation host_operations[HOST_OPERATION_COUNT];

/* An extension's table of this id and side; HOST_STRUCT_COUNT: none that is described. */
enum host_struct_id host_extension_find(enum host_side side, const char *id);
/* The extension's id; NULL: the struct is no extension's table. */
const char *host_extension_id(enum host_struct_id table);
/* The function is there: it is not newer than the effective minor, the table is long enough for its field, which is not NULL. table may be NULL. */
bool host_table_has(const void *table, enum host_operation_id operation, uint32_t minor);

#endif
