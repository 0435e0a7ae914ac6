/* SPDX-License-Identifier: MIT */
/* elf.c - bounded reader of a 64-bit shared object in memory. Structures are copied out, so alignment does not matter. */
#include "host/find/elf.h"
#include "host/find/refuse.h"

#include <elf.h>
#include <string.h>

#if defined(__x86_64__)
#define OUR_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OUR_MACHINE EM_AARCH64
#else
#error "tell elf.c the e_machine of this machine"
#endif
#define SEGMENT_LIMIT 256u /* program headers; shared objects have about ten */

static bool inside(uint64_t offset, uint64_t size, uint64_t whole)
{
	return offset <= whole && size <= whole - offset;
}

static const char *machine_name(unsigned machine)
{
	switch (machine) {
	case EM_X86_64: return "x86-64";
	case EM_AARCH64: return "aarch64";
	case EM_386: return "i386";
	case EM_ARM: return "arm";
	case EM_RISCV: return "riscv";
	case EM_PPC64: return "ppc64";
	case EM_S390: return "s390";
	default: return "another machine";
	}
}

/* End of the program headers; 0 for such as host_elf_open refuses. */
static uint64_t headers_end(const Elf64_Ehdr *header, uint64_t size)
{
	uint64_t bytes = header->e_phnum * sizeof(Elf64_Phdr);

	return header->e_phnum <= SEGMENT_LIMIT && inside(header->e_phoff, bytes, size) ? header->e_phoff + bytes : 0;
}

uint64_t host_elf_head(const void *bytes, uint64_t have, uint64_t size)
{
	Elf64_Ehdr header;
	uint64_t end;

	if (have < sizeof(header))
		return size < sizeof(header) ? size : sizeof(header);
	memcpy(&header, bytes, sizeof(header));
	end = headers_end(&header, size);
	return end > sizeof(header) ? end : sizeof(header);
}

/* Code and nothing else: what begins with the file's headers has its tables before the code (linkers' -z noseparate-code). */
static bool is_code(const Elf64_Phdr *segment)
{
	return segment->p_type == PT_LOAD && segment->p_offset && (segment->p_flags & (PF_X | PF_W)) == PF_X;
}

bool host_elf_part(const void *bytes, uint64_t size, uint32_t index, uint64_t *offset_out, uint64_t *length_out)
{
	Elf64_Ehdr header;
	Elf64_Phdr segment;

	*offset_out = *length_out = 0;
	if (size < sizeof(header))
		return false;
	memcpy(&header, bytes, sizeof(header));
	if (index >= header.e_phnum || !headers_end(&header, size))
		return false;
	memcpy(&segment, (const unsigned char *)bytes + header.e_phoff + index * sizeof(segment), sizeof(segment));
	if (segment.p_type == PT_LOAD && !is_code(&segment) && inside(segment.p_offset, segment.p_filesz, size)) {
		*offset_out = segment.p_offset;
		*length_out = segment.p_filesz;
	}
	return true;
}

static ptowsp_status header_check(const struct host_elf *elf, const Elf64_Ehdr *header, struct ptowsp_error *error)
{
	if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
		return host_refuse(error, elf->path, "not an ELF file, and so no shared object");
	if (elf->size < sizeof(*header))
		return host_refuse(error, elf->path, "cut short within the ELF header; copy or build it again");
	if (header->e_ident[EI_CLASS] != ELFCLASS64)
		return host_refuse(error, elf->path, "a 32-bit object; 64-bit ones are taken");
	if (header->e_ident[EI_DATA] != ELFDATA2LSB)
		return host_refuse(error, elf->path, "a big-endian object; little-endian ones are taken");
	if (header->e_machine != OUR_MACHINE)
		return host_refuse(error, elf->path, "built for %s (ELF machine %u), this host runs on %s", machine_name(header->e_machine), header->e_machine,
				   machine_name(OUR_MACHINE));
	if (header->e_type != ET_DYN)
		return host_refuse(error, elf->path, "not a shared object; link it with -shared");
	if (header->e_phentsize != sizeof(Elf64_Phdr) || !header->e_phnum || header->e_phnum > SEGMENT_LIMIT)
		return host_refuse(error, elf->path, "its program headers have an unknown form");
	if (!inside(header->e_phoff, header->e_phnum * sizeof(Elf64_Phdr), elf->size))
		return host_refuse(error, elf->path, "cut short within the program headers; copy or build it again");
	/* Not read here, but they come last in the file: a cheap look for a truncated copy. */
	if (header->e_shoff && !inside(header->e_shoff, (uint64_t)header->e_shnum * header->e_shentsize, elf->size))
		return host_refuse(error, elf->path, "cut short, its section headers are missing; copy or build it again");
	return PTOWSP_OK;
}

static Elf64_Phdr header_of(const struct host_elf *elf, uint32_t index)
{
	Elf64_Phdr raw;

	memcpy(&raw, elf->bytes + elf->segments + index * sizeof(raw), sizeof(raw));
	return raw;
}

struct host_segment host_elf_segment(const struct host_elf *elf, uint32_t index)
{
	const Elf64_Phdr raw = header_of(elf, index);

	return (struct host_segment){.type = raw.p_type,
				     .flags = raw.p_flags,
				     .offset = raw.p_offset,
				     .address = raw.p_vaddr,
				     .file_size = raw.p_filesz,
				     .memory_size = raw.p_memsz,
				     .align = raw.p_align};
}

static ptowsp_status segments_check(const struct host_elf *elf, struct ptowsp_error *error)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < elf->segment_count; i++) {
		struct host_segment segment = host_elf_segment(elf, i);

		if (!inside(segment.offset, segment.file_size, elf->size))
			return host_refuse(error, elf->path, "cut short, segment %u reaches beyond its %zu bytes; copy or build it again", i, elf->size);
		if (segment.type != PT_LOAD)
			continue;
		if (segment.file_size > segment.memory_size || segment.address < end || segment.memory_size > UINT64_MAX - segment.address)
			return host_refuse(error, elf->path, "its loaded segments overlap or are out of order");
		end = segment.address + segment.memory_size;
	}
	return PTOWSP_OK;
}

const unsigned char *host_elf_at(const struct host_elf *elf, uint64_t address, uint64_t size)
{
	for (uint32_t i = 0; i < elf->segment_count; i++) {
		const Elf64_Phdr segment = header_of(elf, i);

		if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && inside(address - segment.p_vaddr, size, segment.p_filesz))
			return is_code(&segment) ? NULL : elf->bytes + segment.p_offset + (address - segment.p_vaddr);
	}
	return NULL;
}

void host_elf_dynamic(const struct host_elf *elf, uint32_t index, uint64_t *tag_out, uint64_t *value_out)
{
	Elf64_Dyn raw;

	memcpy(&raw, elf->dynamic + index * sizeof(raw), sizeof(raw));
	*tag_out = (uint64_t)raw.d_tag;
	*value_out = raw.d_un.d_val;
}

uint64_t host_elf_dynamic_find(const struct host_elf *elf, uint64_t tag, bool *found_out)
{
	uint64_t here, value;

	for (uint32_t i = 0; i < elf->dynamic_count; i++) {
		host_elf_dynamic(elf, i, &here, &value);
		if (here == tag) {
			if (found_out)
				*found_out = true;
			return value;
		}
	}
	if (found_out)
		*found_out = false;
	return 0;
}

/* The dynamic linker goes by the address and reads up to DT_NULL, whatever size the header gives; so does this. */
static ptowsp_status dynamic_open(struct host_elf *elf, struct ptowsp_error *error)
{
	struct host_segment found = {0};
	uint64_t tag = DT_NULL + 1, value;

	for (uint32_t i = 0; i < elf->segment_count; i++) {
		struct host_segment segment = host_elf_segment(elf, i);

		if (segment.type != PT_DYNAMIC)
			continue;
		if (found.type)
			return host_refuse(error, elf->path, "it has two dynamic tables");
		found = segment;
	}
	if (!found.type)
		return host_refuse(error, elf->path, "it has no dynamic table; link it with -shared");
	elf->dynamic = host_elf_at(elf, found.address, sizeof(Elf64_Dyn));
	while (host_elf_at(elf, found.address + elf->dynamic_count * sizeof(Elf64_Dyn), sizeof(Elf64_Dyn))) {
		host_elf_dynamic(elf, elf->dynamic_count, &tag, &value);
		if (tag == DT_NULL)
			return PTOWSP_OK;
		elf->dynamic_count++;
	}
	return host_refuse(error, elf->path, "its dynamic table has no end");
}

static ptowsp_status strings_open(struct host_elf *elf, struct ptowsp_error *error)
{
	uint64_t address = host_elf_dynamic_find(elf, DT_STRTAB, NULL);

	elf->strings_size = host_elf_dynamic_find(elf, DT_STRSZ, NULL);
	elf->strings = (const char *)host_elf_at(elf, address, elf->strings_size);
	if (!elf->strings || !elf->strings_size || elf->strings[elf->strings_size - 1])
		return host_refuse(error, elf->path, "its dynamic strings lie outside the file or among its code, or do not end");
	return PTOWSP_OK;
}

const char *host_elf_string(const struct host_elf *elf, uint64_t offset)
{
	return offset < elf->strings_size ? elf->strings + offset : NULL;
}

/* A word of a hash table; false when outside the file. */
static bool word_read(const struct host_elf *elf, uint64_t address, uint64_t index, uint32_t *word_out)
{
	const unsigned char *at = host_elf_at(elf, address + index * 4, 4);

	if (at)
		memcpy(word_out, at, 4);
	return at != NULL;
}

/* Symbols known to DT_GNU_HASH: the chain of the highest bucket ends with the last one. Words: bucket count, first
 * symbol, Bloom words (of 8 bytes), shift; then Bloom filter, buckets, chains. */
static bool gnu_hash_count(const struct host_elf *elf, uint64_t table, uint32_t *count_out)
{
	uint32_t buckets, first, bloom, last = 0, word = 0;
	uint64_t at;

	if (!word_read(elf, table, 0, &buckets) || !word_read(elf, table, 1, &first) || !word_read(elf, table, 2, &bloom))
		return false;
	at = 4 + (uint64_t)bloom * 2;
	for (uint32_t i = 0; i < buckets; i++) {
		if (!word_read(elf, table, at + i, &word))
			return false;
		last = word > last ? word : last;
	}
	*count_out = first;
	if (!last)
		return true;
	if (last < first)
		return false;
	at += buckets;
	do {
		if (!word_read(elf, table, at + (last - first), &word) || last == UINT32_MAX)
			return false;
		last++;
	} while (!(word & 1));
	*count_out = last;
	return true;
}

/* The number of symbols is written only in the hash tables. */
static ptowsp_status symbols_open(struct host_elf *elf, struct ptowsp_error *error)
{
	bool has_symbols, has_gnu, has_old, known = false;
	uint64_t symbols = host_elf_dynamic_find(elf, DT_SYMTAB, &has_symbols);
	uint64_t gnu = host_elf_dynamic_find(elf, DT_GNU_HASH, &has_gnu);
	uint64_t old = host_elf_dynamic_find(elf, DT_HASH, &has_old);

	if (!has_symbols || (!has_gnu && !has_old))
		return host_refuse(error, elf->path, "it has no dynamic symbols, so no entry either");
	if (has_gnu)
		known = gnu_hash_count(elf, gnu, &elf->symbol_count);
	else
		known = word_read(elf, old, 1, &elf->symbol_count);
	if (known)
		elf->symbols = host_elf_at(elf, symbols, (uint64_t)elf->symbol_count * sizeof(Elf64_Sym));
	if (!elf->symbols)
		return host_refuse(error, elf->path, "its dynamic symbols or their hash table lie outside the file or among its code");
	return PTOWSP_OK;
}

bool host_elf_symbol(const struct host_elf *elf, uint32_t index, struct host_symbol *symbol_out)
{
	Elf64_Sym raw;
	unsigned binding, visibility;

	memcpy(&raw, elf->symbols + index * sizeof(raw), sizeof(raw));
	binding = ELF64_ST_BIND(raw.st_info);
	visibility = ELF64_ST_VISIBILITY(raw.st_other);
	symbol_out->name = host_elf_string(elf, raw.st_name);
	symbol_out->type = ELF64_ST_TYPE(raw.st_info);
	symbol_out->address = raw.st_value;
	/* An absolute symbol is neither code nor data: linkers name the versions of a version script so. */
	symbol_out->exported =
		raw.st_shndx != SHN_UNDEF && raw.st_shndx != SHN_ABS && binding != STB_LOCAL && (visibility == STV_DEFAULT || visibility == STV_PROTECTED);
	return symbol_out->name != NULL;
}

ptowsp_status host_elf_open(struct host_elf *elf, const void *bytes, size_t size, const char *path, struct ptowsp_error *error)
{
	ptowsp_status status;
	Elf64_Ehdr header = {0};

	*elf = (struct host_elf){.bytes = bytes, .size = size, .path = path};
	if (size)
		memcpy(&header, bytes, size < sizeof(header) ? size : sizeof(header));
	status = header_check(elf, &header, error);
	if (!status) {
		elf->segments = header.e_phoff;
		elf->segment_count = header.e_phnum;
		status = segments_check(elf, error);
	}
	if (!status)
		status = dynamic_open(elf, error);
	if (!status)
		status = strings_open(elf, error);
	if (!status)
		status = symbols_open(elf, error);
	return status;
}
