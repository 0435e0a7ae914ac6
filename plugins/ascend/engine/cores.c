/* SPDX-License-Identifier: MIT */
#include "ascend/engine/cores.h"

#include "base/kept.h"
#include "rt/program/rt_error.h"
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the toolkit's compiler ------------------------------------------------------------------------------------------ */

#define FOLDERS "bin, compiler/ccec_compiler/bin and ccec_compiler/bin"

struct compiler {
	char folder[ASCEND_PATH]; /* its linker is there, too */
	const char *home, *name;
	uint64_t stamp; /* another one after an update in place */
};

static ptowsp_status compiler_find(struct compiler *compiler, struct ptowsp_error *error)
{
	static const char *const folders[] = {"bin", "compiler/ccec_compiler/bin", "ccec_compiler/bin"}, *const names[] = {"ccec", "bisheng"};
	const char *home = secure_getenv("ASCEND_HOME_PATH");
	char path[ASCEND_PATH + 16];
	struct stat about;

	compiler->home = home ? home : "";
	for (size_t f = 0; f < sizeof(folders) / sizeof(*folders); f++)
		for (size_t n = 0; n < sizeof(names) / sizeof(*names); n++) {
			snprintf(compiler->folder, sizeof(compiler->folder), "%.900s/%s", compiler->home, folders[f]);
			snprintf(path, sizeof(path), "%s/%s", compiler->folder, names[n]);
			if (access(path, X_OK) || stat(path, &about))
				continue;
			compiler->name = names[n];
			compiler->stamp = (uint64_t)about.st_mtime ^ (uint64_t)about.st_size << 32;
			return PTOWSP_OK;
		}
	return rt_fail(error, PTOWSP_NO_DEVICE, "no ccec or bisheng in " FOLDERS " of ASCEND_HOME_PATH=%.60s; install the toolkit's compiler", compiler->home);
}

static void words_add(struct base_command *command, const char *const *words)
{
	for (; *words; words++)
		base_command_add(command, "%s", *words);
}

/* Source of the options: toolchain.py of the pto-runtime; of the folders of headers: the toolkit's own samples. */
static void compile_command(struct base_command *command, const struct compiler *compiler, enum ascend_arch_id arch, const char *kind)
{
	static const char *const headers[] = {"include", "compiler/tikcpp", "compiler/tikcpp/tikcfw", "compiler/tikcpp/tikcfw/impl",
					      "compiler/tikcpp/tikcfw/interface"};

	base_command_add(command, "%s/%s", compiler->folder, compiler->name);
	words_add(command, (const char *const[]){"-c", "-O3", "-x", "cce", "-std=c++17", "--cce-aicore-only", NULL});
	base_command_add(command, "--cce-aicore-arch=dav-%s-%s", arch == ASCEND_950 ? "c310" : "c220", kind);
	for (const char *const *flag =
		     (const char *const[]){"-cce-aicore-stack-size=0x8000", "-cce-aicore-function-stack-size=0x8000", "-cce-aicore-record-overflow=false",
					   "-cce-aicore-addr-transform", "-cce-aicore-dcci-insert-for-scalar=false", NULL};
	     *flag; flag++) {
		base_command_add(command, "-mllvm");
		base_command_add(command, "%s", *flag);
	}
	base_command_add(command, "-DTILE_PTO_RUNTIME");
	for (size_t i = 0; i < sizeof(headers) / sizeof(*headers); i++)
		base_command_add(command, "-I%s/%s", compiler->home, headers[i]);
	base_command_add(command, "kernel.cpp");
	base_command_add(command, "-o");
	base_command_add(command, "%s.o", kind);
}

static void link_command(struct base_command *command, const struct compiler *compiler, const char *kind)
{
	base_command_add(command, "%s/ld.lld", compiler->folder);
	words_add(command, (const char *const[]){"-e", "kernel_entry", "-o", NULL});
	base_command_add(command, "%s.elf", kind);
	base_command_add(command, "%s.o", kind);
}

/* ---- images ---------------------------------------------------------------------------------------------------------- */

/* An ELF file of size bytes, borrowed. */
struct image {
	const char *bytes;
	size_t size;
	Elf64_Ehdr head;
	Elf64_Shdr names, text; /* text.sh_type SHT_NULL: there is none */
	uint16_t text_number;
};

static bool inside(const struct image *image, uint64_t offset, uint64_t size)
{
	return offset <= image->size && size <= image->size - offset;
}

static bool section_read(const struct image *image, uint32_t number, Elf64_Shdr *section_out)
{
	const uint64_t at = image->head.e_shoff + number * sizeof(*section_out);

	if (number >= image->head.e_shnum || !inside(image, at, sizeof(*section_out)))
		return false;
	memcpy(section_out, image->bytes + at, sizeof(*section_out));
	return section_out->sh_type == SHT_NOBITS || inside(image, section_out->sh_offset, section_out->sh_size);
}

/* Does the section's name begin with this one? whole: is it this one? */
static bool is_named(const struct image *image, const Elf64_Shdr *section, const char *name, bool whole)
{
	const size_t length = strlen(name) + whole;

	return section->sh_name <= image->names.sh_size && length <= image->names.sh_size - section->sh_name &&
	       !memcmp(image->bytes + image->names.sh_offset + section->sh_name, name, length);
}

static const char *sections_look(struct image *image)
{
	Elf64_Shdr section;

	for (uint32_t i = 0; i < image->head.e_shnum; i++) {
		if (!section_read(image, i, &section))
			return "its sections lie outside of it";
		if (section.sh_type == SHT_RELA && is_named(image, &section, ".rela.text", false))
			return "its code has places that nobody filled in";
		if (section.sh_type != SHT_PROGBITS || !is_named(image, &section, ".text", false))
			continue;
		if (!is_named(image, &section, ".text", true))
			return "some of its code stands in a section of its own";
		image->text = section;
		image->text_number = (uint16_t)i;
	}
	return image->text.sh_type && image->text.sh_size ? NULL : "it has no text section";
}

/* An image without symbols tells nothing. */
static bool begins_with_entry(const struct image *image)
{
	static const char entry[] = "kernel_entry";
	Elf64_Shdr symbols, strings;
	Elf64_Sym symbol;

	for (uint32_t i = 0; i < image->head.e_shnum; i++) {
		if (!section_read(image, i, &symbols) || symbols.sh_type != SHT_SYMTAB || !section_read(image, symbols.sh_link, &strings))
			continue;
		for (uint64_t at = 0; at + sizeof(symbol) <= symbols.sh_size; at += sizeof(symbol)) {
			memcpy(&symbol, image->bytes + symbols.sh_offset + at, sizeof(symbol));
			if (symbol.st_name < strings.sh_size && strings.sh_size - symbol.st_name >= sizeof(entry) &&
			    !memcmp(image->bytes + strings.sh_offset + symbol.st_name, entry, sizeof(entry)) && symbol.st_shndx == image->text_number)
				return symbol.st_value == image->text.sh_addr;
		}
	}
	return true;
}

const char *ascend_cores_text(const void *bytes, size_t size, const void **text_out, size_t *size_out)
{
	struct image image = {.bytes = bytes, .size = size};
	const char *wrong;

	*text_out = NULL;
	*size_out = 0;
	if (size < sizeof(image.head))
		return "it is no ELF file";
	memcpy(&image.head, bytes, sizeof(image.head));
	if (memcmp(image.head.e_ident, ELFMAG, SELFMAG) != 0 || image.head.e_ident[EI_CLASS] != ELFCLASS64)
		return "it is no ELF file";
	if (!section_read(&image, image.head.e_shstrndx, &image.names) || image.names.sh_type == SHT_NOBITS)
		return "its sections lie outside of it";
	wrong = sections_look(&image);
	if (!wrong && !begins_with_entry(&image))
		wrong = "kernel_entry is not where its code begins";
	if (wrong)
		return wrong;
	*text_out = image.bytes + image.text.sh_offset;
	*size_out = image.text.sh_size;
	return NULL;
}

static ptowsp_status text_read(const char *folder, const char *kind, void **code_out, size_t *size_out, struct ptowsp_error *error)
{
	char path[ASCEND_PATH + 16];
	const void *text = NULL;
	const char *wrong;
	void *image;
	size_t size;
	ptowsp_status status;

	snprintf(path, sizeof(path), "%s/%s.elf", folder, kind);
	status = ascend_file_read(path, &image, &size, error);
	if (status)
		return status;
	wrong = ascend_cores_text(image, size, &text, size_out);
	if (wrong)
		status = rt_fail(error, PTOWSP_NO_DEVICE, "what the toolkit's linker made cannot be loaded, as %s; it is ...%s", wrong,
				 path + (strlen(path) > 70 ? strlen(path) - 70 : 0));
	if (!status && !(*code_out = malloc(*size_out)))
		status = rt_no_memory(error, "code for a device");
	if (!status)
		memcpy(*code_out, text, *size_out);
	free(image);
	return status;
}

/* ---- making ---------------------------------------------------------------------------------------------------------- */

static const struct isa_emit_target *target_of(enum ascend_arch_id arch)
{
	const struct isa_emit_target *target = isa_emit_targets;

	while (strcmp(target->name, arch == ASCEND_950 ? "ascend-a5" : "ascend-a2a3") != 0)
		target++;
	return target;
}

/* One text with all headers, malloc'd, the same for equal kernels of other names. Tiles and memory of statements lie in the unified buffer together. */
static ptowsp_status source_make(char **source_out, bool *multiplies_out, uint64_t *bytes_out, const struct isa_program *program, enum ascend_arch_id arch,
				 struct ptowsp_error *error)
{
	const struct isa_emit_target *target = target_of(arch);
	const uint32_t room = ascend_arch(arch)->ub;
	char *text = NULL;
	size_t size;
	ptowsp_status status;

	status = isa_emit(program, target, "kernel", &text, &size, error);
	if (!status)
		status = isa_emit_workspace(program, target, bytes_out, error);
	if (!status && *bytes_out > room)
		status = rt_fail(error, PTOWSP_TOO_SMALL, "its tiles take %llu bytes of a unified buffer of %u; use smaller ones, or fewer",
				 (unsigned long long)*bytes_out, room);
	if (!status) {
		*multiplies_out = isa_emit_multiplies(text);
		status = isa_emit_flat(text, source_out, &size, error);
	}
	free(text);
	return status;
}

static ptowsp_status code_make(struct ascend_cores *cores, const char *source, bool multiplies, enum ascend_arch_id arch, const char *cache,
			       struct ptowsp_error *error)
{
	static const char *const kinds[] = {"vec", "cube"}, whose[] = " for the cores of a device";
	const char *const lines[] = {source, NULL};
	const struct isa_text sources[] = {{"kernel.cpp", lines}, {NULL, NULL}};
	struct base_command commands[4] = {{.count = 0}};
	const struct base_kept_step steps[] = {{"code", whose, "vec.o", &commands[0]},
					       {"code", whose, "vec.elf", &commands[1]},
					       {"code", whose, "cube.o", &commands[2]},
					       {"code", whose, "cube.elf", &commands[3]}};
	const struct base_kept kept = {cache, "ascend-", sources, steps, 4};
	char folder[BASE_KEPT_PATH];
	struct compiler compiler;
	struct base_digest digest;
	bool compiled;
	ptowsp_status status = compiler_find(&compiler, error);

	for (int c = 0; !status && c <= multiplies; c++) {
		compile_command(&commands[2 * c], &compiler, arch, kinds[c]);
		link_command(&commands[2 * c + 1], &compiler, kinds[c]);
	}
	base_digest_init(&digest);
	if (!status) {
		base_digest_add(&digest, &compiler.stamp, sizeof(compiler.stamp));
		status = base_kept_make(folder, &kept, digest, &compiled, error);
	}
	if (!status)
		status = text_read(folder, kinds[0], &cores->vector, &cores->vector_size, error);
	if (!status && multiplies)
		status = text_read(folder, kinds[1], &cores->cube, &cores->cube_size, error);
	for (int i = 0; i < 4; i++)
		base_command_finish(&commands[i]);
	return status;
}

ptowsp_status ascend_cores_make(struct ascend_cores *cores, const struct isa_program *program, const char *name, enum ascend_arch_id arch, const char *cache,
				struct ptowsp_error *error)
{
	struct ptowsp_error why = {.head = PTOWSP_HEAD(why, ERROR)};
	const char *behind;
	char *source = NULL;
	bool multiplies = false;
	uint64_t bytes = 0;
	ptowsp_status status;

	*cores = (struct ascend_cores){0};
	status = source_make(&source, &multiplies, &bytes, program, arch, &why);
	if (!status)
		status = code_make(cores, source, multiplies, arch, cache, &why);
	free(source);
	if (multiplies)
		cores->workspace = bytes + 3 * ISA_EMIT_PASS;
	if (!status)
		return PTOWSP_OK;
	ascend_cores_finish(cores);
	behind = rt_error_behind(why.text, name);
	return rt_fail(error, status, "kernel %.60s%s%s", name, behind ? "" : ": ", behind ? behind : why.text);
}

void ascend_cores_finish(struct ascend_cores *cores)
{
	free(cores->vector);
	free(cores->cube);
	*cores = (struct ascend_cores){0};
}
