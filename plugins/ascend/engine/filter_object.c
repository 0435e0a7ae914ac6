/* SPDX-License-Identifier: MIT */
#include "ascend/engine/filter_object.h"

#include "rt/program/rt_error.h"
#include <dlfcn.h>
#include <elf.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The file, which lies in memory as it is. Addresses are offsets. */
struct filter_object {
	Elf64_Ehdr header;
	Elf64_Phdr segments[2];
	Elf64_Dyn dynamic[6];
	Elf64_Sym none;
	char strings[1 + ASCEND_PATH];
};

/* Class, byte order and machine are the library's, so that the loader takes both or neither. */
static bool header_read(Elf64_Ehdr *header, const char *path)
{
	FILE *file = fopen(path, "rb");
	const bool read = file && fread(header, sizeof(*header), 1, file) == 1;

	if (file)
		fclose(file);
	return read && !memcmp(header->e_ident, ELFMAG, SELFMAG) && header->e_ident[EI_CLASS] == ELFCLASS64;
}

static void segments_fill(struct filter_object *object)
{
	const Elf64_Off dynamic = offsetof(struct filter_object, dynamic);

	object->header.e_type = ET_DYN;
	object->header.e_entry = object->header.e_shoff = 0;
	object->header.e_shnum = object->header.e_shstrndx = 0;
	object->header.e_phoff = offsetof(struct filter_object, segments);
	object->header.e_phnum = 2;
	object->segments[0] =
		(Elf64_Phdr){.p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_filesz = sizeof(*object), .p_memsz = sizeof(*object), .p_align = 0x10000};
	object->segments[1] = (Elf64_Phdr){.p_type = PT_DYNAMIC,
					   .p_flags = PF_R | PF_W,
					   .p_offset = dynamic,
					   .p_vaddr = dynamic,
					   .p_paddr = dynamic,
					   .p_filesz = sizeof(object->dynamic),
					   .p_memsz = sizeof(object->dynamic),
					   .p_align = 8};
}

static void dynamic_fill(struct filter_object *object)
{
	const Elf64_Dyn entries[] = {{DT_AUXILIARY, {1}},
				     {DT_STRTAB, {offsetof(struct filter_object, strings)}},
				     {DT_STRSZ, {sizeof(object->strings)}},
				     {DT_SYMTAB, {offsetof(struct filter_object, none)}},
				     {DT_SYMENT, {sizeof(object->none)}},
				     {DT_NULL, {0}}};

	memcpy(object->dynamic, entries, sizeof(entries));
}

ptowsp_status ascend_filter_object_make(void **bytes_out, size_t *size_out, const char *path, struct ptowsp_error *error)
{
	struct filter_object *object = calloc(1, sizeof(*object));
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

	*bytes_out = NULL;
	if (object && library && header_read(&object->header, path)) {
		segments_fill(object);
		dynamic_fill(object);
		snprintf(object->strings + 1, ASCEND_PATH, "%s", path);
		*bytes_out = object;
		*size_out = sizeof(*object);
	}
	if (library)
		dlclose(library);
	if (!object)
		return rt_no_memory(error, "the library of a simulator's cores");
	if (!*bytes_out)
		free(object);
	return PTOWSP_OK;
}
