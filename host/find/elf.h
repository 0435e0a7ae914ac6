/* SPDX-License-Identifier: MIT */
/* elf.h - bounded reader of a 64-bit shared object in memory: segments, dynamic table, symbols. Trusts no number in it. */
#ifndef HOST_ELF_H
#define HOST_ELF_H

#include "ptowsp/base.h"
#include <stdbool.h>

struct host_segment {
	uint32_t type, flags;     /* PT_x, PF_x */
	uint64_t offset, address; /* in the file, in memory before relocation */
	uint64_t file_size, memory_size;
	uint64_t align;
};

struct host_symbol {
	const char *name; /* NUL-terminated, inside the file */
	uint8_t type;     /* STT_x */
	uint64_t address; /* in memory before relocation */
	bool exported;    /* defined here, and visible to others */
};

/* An open file. Invariants after host_elf_open: every program header lies in the file, and so does every segment; loaded
 * segments ascend and do not overlap; there is one dynamic table, it ends, and its strings end with a NUL. */
struct host_elf {
	const unsigned char *bytes; /* borrowed; head and parts of the file are there, whatever lies between */
	size_t size;                /* of the file */
	const char *path;           /* for messages; borrowed */
	uint64_t segments;          /* offset of the program headers */
	uint32_t segment_count;
	uint32_t dynamic_count; /* entries before DT_NULL */
	const unsigned char *dynamic;
	const char *strings; /* DT_STRTAB */
	uint64_t strings_size;
	const unsigned char *symbols; /* DT_SYMTAB; NULL if there is none */
	uint32_t symbol_count;        /* as the hash table says */
};

/* The parts of a file of `size` bytes that are read here: its head, and more. Not the code, which is most of a plugin, nor debug information.
 * The head: so many bytes from the start, as far as the first `have` tell. More than have: read so many, and ask again. Any bytes; at most size. */
uint64_t host_elf_head(const void *bytes, uint64_t have, uint64_t size);
/* Part `index`, from 0, by the head alone; of length 0 when nothing of that segment is looked at. false: there are no more. */
bool host_elf_part(const void *bytes, uint64_t size, uint32_t index, uint64_t *offset_out, uint64_t *length_out);
/* A shared object for this machine. bytes and path must outlive *elf. Errors: PLUGIN_REFUSED. */
ptowsp_status host_elf_open(struct host_elf *elf, const void *bytes, size_t size, const char *path, struct ptowsp_error *error);
struct host_segment host_elf_segment(const struct host_elf *elf, uint32_t index);
/* size bytes at a memory address, or NULL if they do not all come from the file, or are code. */
const unsigned char *host_elf_at(const struct host_elf *elf, uint64_t address, uint64_t size);
/* Entry of the dynamic table; index < dynamic_count. */
void host_elf_dynamic(const struct host_elf *elf, uint32_t index, uint64_t *tag_out, uint64_t *value_out);
/* Value of the first entry with this tag, 0 if there is none. */
uint64_t host_elf_dynamic_find(const struct host_elf *elf, uint64_t tag, bool *found_out);
/* String of the dynamic table, NULL if the offset is outside. */
const char *host_elf_string(const struct host_elf *elf, uint64_t offset);
/* index < symbol_count. false: its name is outside the strings. */
bool host_elf_symbol(const struct host_elf *elf, uint32_t index, struct host_symbol *symbol_out);

#endif
