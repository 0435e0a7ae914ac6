/* SPDX-License-Identifier: MIT */
#include "aie/engine/core_program.h"
#include "aie/aie_artifact.h"
#include "aie/design/kernel_files.h"
#include "base/command.h"
#include <unistd.h>

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

enum { FOLDER = 600 };

struct aie_program_proxy {
	struct aie_kernel_files files;
	uint8_t *calls; /* per core and file of a kernel: it calls one of its functions */
	uint32_t core_count;
	char (*tiles)[24];             /* per core, for sentences */
	struct aie_program_size *core; /* per core: what is known before anything is compiled */
	bool unknown;                  /* a core calls what has no C */
};

/* ---- what cores call ------------------------------------------------------------------------------------------------------ */

/* The file of a function: its object's name but for the last letter. */
static uint32_t file_of(const struct aie_program_proxy *proxy, const struct aie_function *function)
{
	const struct aie_attr *object = aie_attr_of(function->op, "link_with");
	const size_t length = object && object->kind == AIE_ATTR_STRING ? strlen(object->text) : 0;
	uint32_t f = 0;

	while (f < proxy->files.kernel_count &&
	       (strlen(proxy->files.files[f].name) != length || !length || strncmp(proxy->files.files[f].name, object->text, length - 1) != 0))
		f++;
	return f;
}

static void calls_note(struct aie_program_proxy *proxy, const struct aie_design *design, uint8_t *calls, const struct aie_region *region)
{
	for (const struct aie_op *op = region->first; op; op = op->next) {
		const struct aie_attr *callee = !strcmp(op->name, "func.call") ? aie_attr_of(op, "callee") : NULL;
		const uint32_t file = callee ? file_of(proxy, &design->functions[aie_design_function(design, callee->text)]) : 0;

		if (callee && file == proxy->files.kernel_count)
			proxy->unknown = true;
		else if (callee)
			calls[file] = 1;
		for (uint32_t r = 0; r < op->region_count; r++)
			calls_note(proxy, design, calls, &op->regions[r]);
	}
}

static ptowsp_status fill(struct aie_program_proxy *proxy, const struct aie_kernel_files_args *args, struct ptowsp_error *error)
{
	const struct aie_design *design = args->design;
	ptowsp_status status = aie_kernel_files_make(&proxy->files, args, error);

	if (status)
		return status;
	proxy->core_count = design->core_count;
	proxy->calls = calloc((size_t)design->core_count * proxy->files.kernel_count + 1, 1);
	proxy->tiles = calloc((size_t)design->core_count + 1, sizeof(*proxy->tiles));
	proxy->core = calloc((size_t)design->core_count + 1, sizeof(*proxy->core));
	if (!proxy->calls || !proxy->tiles || !proxy->core)
		return rt_no_memory(error, "programs of cores");
	for (uint32_t c = 0; c < design->core_count; c++) {
		const struct aie_tile *tile = &design->tiles[design->cores[c].tile];

		snprintf(proxy->tiles[c], sizeof(*proxy->tiles), "%.23s", aie_design_tile_text(design, design->cores[c].tile));
		proxy->core[c] = (struct aie_program_size){.tile = proxy->tiles[c], .column = tile->column, .row = tile->row, .stack = design->cores[c].stack};
		for (uint32_t r = 0; r < design->cores[c].op->region_count; r++)
			calls_note(proxy, design, proxy->calls + (size_t)c * proxy->files.kernel_count, &design->cores[c].op->regions[r]);
	}
	return PTOWSP_OK;
}

ptowsp_status aie_program_proxy_create(struct aie_program_proxy **out, const struct aie_kernel_files_args *args, struct ptowsp_error *error)
{
	struct aie_program_proxy *proxy = calloc(1, sizeof(*proxy));
	ptowsp_status status = proxy ? fill(proxy, args, error) : rt_no_memory(error, "programs of cores");

	if (status) {
		aie_program_proxy_destroy(proxy);
		proxy = NULL;
	}
	*out = proxy;
	return status;
}

void aie_program_proxy_destroy(struct aie_program_proxy *proxy)
{
	if (!proxy)
		return;
	aie_kernel_files_finish(&proxy->files);
	free(proxy->calls);
	free(proxy->tiles);
	free(proxy->core);
	free(proxy);
}

bool aie_program_proxy_whole(const struct aie_program_proxy *proxy)
{
	return !proxy->unknown;
}

uint32_t aie_program_proxy_cores(const struct aie_program_proxy *proxy)
{
	return proxy->core_count;
}

/* ---- how large they are --------------------------------------------------------------------------------------------------- */

/* A part of the file; NULL: it ends before. */
static const void *part_of(const unsigned char *file, size_t size, uint64_t at, uint64_t bytes)
{
	return at <= size && bytes <= size - at ? file + at : NULL;
}

static bool section_read(const unsigned char *file, size_t size, const Elf32_Ehdr *head, uint32_t number, Elf32_Shdr *section_out)
{
	const void *at = part_of(file, size, head->e_shoff + (uint64_t)number * sizeof(*section_out), sizeof(*section_out));

	if (at)
		memcpy(section_out, at, sizeof(*section_out));
	return at != NULL;
}

/* Bytes of sections .text and .text.x of an object of 32 bits; 0: it is none. */
static uint64_t object_text(const unsigned char *file, size_t size)
{
	static const char text[] = ".text";
	Elf32_Ehdr head;
	Elf32_Shdr names, section;
	uint64_t bytes = 0;

	if (size < sizeof(head) || memcmp(file, ELFMAG, SELFMAG) != 0 || file[EI_CLASS] != ELFCLASS32 || file[EI_DATA] != ELFDATA2LSB)
		return 0;
	memcpy(&head, file, sizeof(head));
	if (head.e_shentsize != sizeof(section) || !section_read(file, size, &head, head.e_shstrndx, &names))
		return 0;
	for (uint32_t s = 0; s < head.e_shnum && section_read(file, size, &head, s, &section); s++) {
		const char *name = part_of(file, size, (uint64_t)names.sh_offset + section.sh_name, sizeof(text));

		if (name && !memcmp(name, text, sizeof(text) - 1) && (name[sizeof(text) - 1] == '.' || !name[sizeof(text) - 1]))
			bytes += section.sh_size;
	}
	return bytes;
}

struct measured {
	uint64_t text, frame; /* bytes */
};

/* Rows of -fstack-usage: place and function, bytes, how they are known. The file goes. */
static uint64_t frame_read(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[FOLDER];
	uint64_t most = 0;

	while (file && fgets(line, sizeof(line), file)) {
		const char *tab = strchr(line, '\t');
		const uint64_t bytes = tab ? strtoull(tab + 1, NULL, 10) : 0;

		most = bytes > most ? bytes : most;
	}
	if (file)
		fclose(file);
	unlink(path);
	return most;
}

/* Sizes of the object that a kernel is compiled to; text 0: it does not compile. */
static struct measured kernel_measure(const char *folder, const char *name)
{
	static const char *const words[] = {"--target=riscv32", "-march=rv32im",     "-mabi=ilp32",   "-Os", "-std=gnu11",
					    "-DNDEBUG",         "-ffp-contract=off", "-fstack-usage", "-I."};
	struct base_command command = {.count = 0};
	char path[FOLDER + 16];
	unsigned char *bytes = malloc(LARGEST);
	struct measured measured = {0};
	FILE *file;

	base_command_begin(&command, AIE_CLANG, "clang");
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		base_command_add(&command, "%s", words[i]);
	base_command_add(&command, "-idirafter");
	base_command_add(&command, "bare");
	base_command_add(&command, "-c");
	base_command_add(&command, "%s", name);
	base_command_add(&command, "-o");
	base_command_add(&command, "kernel.o");
	snprintf(path, sizeof(path), "%s/clang.log", folder);
	if (bytes && !command.full && !base_command_run(&command, folder, path)) {
		unlink(path);
		snprintf(path, sizeof(path), "%s/kernel.o", folder);
		file = fopen(path, "rb");
		if (file) {
			measured.text = object_text(bytes, fread(bytes, 1, LARGEST, file));
			fclose(file);
		}
	}
	unlink(path);
	snprintf(path, sizeof(path), "%s/kernel.su", folder);
	measured.frame = frame_read(path);
	base_command_finish(&command);
	free(bytes);
	return measured;
}

static bool kernels_measure(const struct aie_program_proxy *proxy, const char *folder, struct measured *rows)
{
	bool all = true;

	for (uint32_t f = 0; all && f < proxy->files.kernel_count; f++) {
		rows[f] = kernel_measure(folder, proxy->files.files[f].name);
		all = rows[f].text != 0;
	}
	return all;
}

static struct aie_program_size core_size(const struct aie_program_proxy *proxy, const struct measured *rows, uint32_t core)
{
	struct aie_program_size size = proxy->core[core];

	for (uint32_t f = 0; f < proxy->files.kernel_count; f++) {
		if (!proxy->calls[(size_t)core * proxy->files.kernel_count + f])
			continue;
		size.bytes += rows[f].text;
		size.frame = rows[f].frame > size.frame ? rows[f].frame : size.frame;
	}
	return size;
}

bool aie_program_proxy_measure(const struct aie_program_proxy *proxy, struct aie_program_size *sizes_out)
{
	const char *temp = secure_getenv("TMPDIR");
	struct measured *rows = calloc((size_t)proxy->files.kernel_count + 1, sizeof(*rows));
	char folder[FOLDER];
	bool known = rows && !proxy->unknown && proxy->files.kernel_count &&
		     snprintf(folder, sizeof(folder), "%s/ptowsp-program-XXXXXX", temp && *temp ? temp : "/tmp") < FOLDER && mkdtemp(folder);

	if (known) {
		known = aie_artifact_sources_write(folder, &proxy->files) && kernels_measure(proxy, folder, rows);
		aie_artifact_sources_remove(folder, &proxy->files);
		rmdir(folder);
	}
	for (uint32_t c = 0; known && c < proxy->core_count; c++)
		sizes_out[c] = core_size(proxy, rows, c);
	free(rows);
	return known && proxy->core_count;
}
