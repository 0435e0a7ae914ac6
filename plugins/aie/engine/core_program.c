/* SPDX-License-Identifier: MIT */
#include "aie/engine/core_program.h"

#include "aie/design/design_read.h"
#include "rt/program/rt_error.h"
#include <dirent.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A core counts its own and its neighbours' memory from here (AIETargetModel.h:550, that of the core to the south); what is loaded below is program, whether it fits or not. */
enum { DATA = 0x40000, LARGEST = 16 << 20 /* of a file: debug information, too */ };

uint64_t aie_core_program_bytes(const unsigned char *file, size_t size)
{
	Elf32_Ehdr head;
	Elf32_Phdr part;
	uint64_t end = 0;

	if (size < sizeof(head) || memcmp(file, ELFMAG, SELFMAG) || file[EI_CLASS] != ELFCLASS32 || file[EI_DATA] != ELFDATA2LSB)
		return AIE_UNMEASURED;
	memcpy(&head, file, sizeof(head));
	if (head.e_phentsize != sizeof(part) || head.e_phoff > size || (size - head.e_phoff) / sizeof(part) < head.e_phnum)
		return AIE_UNMEASURED;
	for (size_t p = 0; p < head.e_phnum; p++) {
		memcpy(&part, file + head.e_phoff + p * sizeof(part), sizeof(part));
		if (part.p_type == PT_LOAD && part.p_paddr < DATA && part.p_memsz && (uint64_t)part.p_paddr + part.p_memsz > end)
			end = (uint64_t)part.p_paddr + part.p_memsz;
	}
	return end ? end : AIE_UNMEASURED;
}

static uint64_t file_measure(const char *path)
{
	FILE *file = fopen(path, "rb");
	unsigned char *bytes = NULL;
	uint64_t taken = AIE_UNMEASURED;
	long size = file && !fseek(file, 0, SEEK_END) ? ftell(file) : 0;

	if (size > 0 && size <= LARGEST && (bytes = malloc((size_t)size))) {
		rewind(file);
		taken = aie_core_program_bytes(bytes, fread(bytes, 1, (size_t)size, file));
	}
	free(bytes);
	if (file)
		fclose(file);
	return taken;
}

/* Is that the file of this core? What stands before "core_" is a device's name, or what the tools call the step. */
static bool is_of(const char *name, const struct aie_tile *tile)
{
	char end[48];
	size_t length = strlen(name), size = (size_t)snprintf(end, sizeof(end), "core_%d_%d.elf", tile->column, tile->row);

	return length >= size && !strcmp(name + length - size, end);
}

void aie_core_programs_read(const struct aie_design *design, const char *folder, uint64_t *bytes_out)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	char path[4096];

	for (uint32_t c = 0; c < design->core_count; c++)
		bytes_out[c] = AIE_UNMEASURED;
	while (dir && (entry = readdir(dir)))
		for (uint32_t c = 0; c < design->core_count; c++)
			if (is_of(entry->d_name, &design->tiles[design->cores[c].tile]) &&
			    snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name) < (int)sizeof(path))
				bytes_out[c] = file_measure(path);
	if (dir)
		closedir(dir);
}

ptowsp_status aie_core_programs_check(const struct aie_design *design, const uint64_t *bytes, struct ptowsp_error *error)
{
	const uint64_t limit = aie_arch_tile(design->arch, AIE_FIRST_CORE)->limits[AIE_PROGRAM];
	uint32_t worst = AIE_NONE;

	for (uint32_t c = 0; c < design->core_count; c++)
		if (bytes[c] != AIE_UNMEASURED && bytes[c] > limit && (worst == AIE_NONE || bytes[c] > bytes[worst]))
			worst = c;
	if (worst == AIE_NONE)
		return PTOWSP_OK;
	return rt_fail(error, PTOWSP_UNSUPPORTED,
		       "%s: its program takes %llu bytes, a core has %llu of program memory; give it fewer or smaller kernels (cores=N lets there be more "
		       "cores), or use engine=array",
		       aie_design_tile_text(design, design->cores[worst].tile), (unsigned long long)bytes[worst], (unsigned long long)limit);
}
