/* SPDX-License-Identifier: MIT */
/* host_note.h - where the ptowsp note of a plugin lies, and what it says. */
#ifndef HOST_NOTE_H
#define HOST_NOTE_H

#include "host/find/elf.h"
#include "host/find/host_plugin.h"

struct host_note_place {
	const unsigned char *bytes; /* the note's descriptor, in the file's bytes */
	uint64_t address;           /* of the descriptor, before relocation */
	uint32_t size;
};

/* The one note of this host's major. Errors: PLUGIN_REFUSED if there is none, two, or only other majors. */
ptowsp_status host_note_find(const struct host_elf *elf, struct host_note_place *place_out, struct ptowsp_error *error);
ptowsp_status host_note_decode(const struct host_note_place *place, const char *path, struct host_note *note_out, struct ptowsp_error *error);
/* [a-z0-9_]{1,32}, length bytes. */
bool host_name_valid(const char *name, size_t length);
/* name is one of the comma-separated targets. */
bool host_note_has_target(const struct host_note *note, const char *name);

#endif
