/* SPDX-License-Identifier: MIT */
/* struct_check.h - whether structs and parameters are what the description says. */
#ifndef HOST_CHECK_H
#define HOST_CHECK_H

#include "host/call/handles.h"

struct host_check {
	uint32_t minor;               /* effective */
	bool exact;                   /* bytes behind that minor must be zero (arguments of the host) */
	struct host_handles *handles; /* HANDLE fields are looked for here; NULL: not */
	const char *what;             /* out: the first thing that is wrong, "" if nothing */
	char text[128];
};

/* One struct with all that it points to; at may be NULL only where the caller says so. stride: bytes of a ROW, 0 for structs with a head. True: nothing is wrong. */
bool host_check_struct(struct host_check *check, enum host_struct_id id, const void *at, uint32_t stride);

/* An unsigned field of 1 to 8 bytes; a pointer field. */
uint64_t host_field_number(const void *at, uint16_t offset, uint16_t size);
const void *host_field_pointer(const void *at, uint16_t offset);
/* Number of rows, bytes or elements that a field counts; its stride. */
uint64_t host_field_count(const struct host_field *field, const void *at);
uint32_t host_field_stride(const struct host_field *field, const void *at);

#endif
