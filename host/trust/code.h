/* SPDX-License-Identifier: MIT */
/* code.h - native code of a package: its object is checked, copied to a sealed memory file that has no name in any folder, and loaded from there. */
#ifndef HOST_CODE_H
#define HOST_CODE_H

#include "host/find/elf.h"

/* The kind of a payload's entry, before a byte of it has run. */
struct host_code_entry {
	uint64_t address;     /* in memory, before relocation */
	const char *resolved; /* name of an indirect function, inside the object: the address is that of its resolver; else NULL */
};
/* One rule after the other (code_check.c): an object for this machine, no executable stack, no memory that is writable and executable, no relocations in
 * its code, no run path, no library by a path, no auditors or filters, nothing that forbids to unload it; entry is a function that it defines and
 * exports, in memory that is executable; "" for the one at entry_offset of the file, or with 0 for the only one there is. kernel: for messages. Errors: BAD_PACKAGE. Any thread. */
ptowsp_status host_code_check(const void *bytes, size_t size, const char *kernel, const char *entry, uint64_t entry_offset, struct host_code_entry *entry_out,
			      struct ptowsp_error *error);

/* The name that its sentences use: "native code of kernel NAME". */
enum { HOST_CODE_NAME = 96 };
void host_code_name(const char *kernel, char name_out[HOST_CODE_NAME]);

/* The loaded objects of one program, a list. */
struct host_code;
/* A function of a payload. An object with these bytes that is in *list already is not loaded again. Errors: as host_code_check; UNSUPPORTED with what the
 * dynamic linker says; NO_MEMORY. One thread at a time per list. */
ptowsp_status host_code_load(struct host_code **list, const char *kernel, const void *bytes, uint64_t size, const char *entry, uint64_t entry_offset,
			     const void **function_out, struct ptowsp_error *error);
/* The same checks, and nothing is mapped: the function does nothing, whatever it is called with. */
ptowsp_status host_code_look(const char *kernel, const void *bytes, uint64_t size, const char *entry, uint64_t entry_offset, const void **function_out,
			     struct ptowsp_error *error);
/* Runs destructors and unmaps; NULL is allowed. No function of it is called any more. */
void host_code_destroy(struct host_code *list);

#endif
