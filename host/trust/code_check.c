/* SPDX-License-Identifier: MIT */
/* code_check.c - what native code of a package must look like before it is loaded. One rule per function. */
#include "host/trust/code.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "host/find/lint.h"
#include "host/find/refuse.h"
#include "registry/text.h"

/* Loading it loads what it needs, by name from where the system keeps libraries: a package does not say where that is. */
static ptowsp_status libraries_check(const struct host_elf *elf, struct ptowsp_error *error)
{
	for (uint32_t i = 0; i < elf->dynamic_count; i++) {
		uint64_t tag, value;
		const char *text;

		host_elf_dynamic(elf, i, &tag, &value);
		if (tag == DT_RPATH || tag == DT_RUNPATH)
			return host_refuse(error, elf->path, "it has a run path, and libraries of a package have no folder; link it without -rpath");
		if (tag == DT_AUDIT || tag == DT_DEPAUDIT || tag == DT_FILTER || tag == DT_AUXILIARY)
			return host_refuse(error, elf->path, "it asks for auditors or filters of the dynamic linker; link it without");
		if (tag != DT_NEEDED)
			continue;
		text = host_elf_string(elf, value);
		if (!text || strchr(text, '/'))
			return host_refuse(error, elf->path, "it needs the library \"%.60s\" by a path; link by name, with -l", text ? text : "?");
	}
	return PTOWSP_OK;
}

static ptowsp_status life_check(const struct host_elf *elf, struct ptowsp_error *error)
{
	if (host_elf_dynamic_find(elf, DT_FLAGS_1, NULL) & DF_1_NODELETE)
		return host_refuse(error, elf->path, "it asks never to be unloaded; link it without -z nodelete");
	return PTOWSP_OK;
}

/* The loaded segment that is executable and holds the byte; by its place in memory, or in the file. */
static bool executable_find(const struct host_elf *elf, uint64_t at, bool in_file, struct host_segment *segment_out)
{
	for (uint32_t i = 0; i < elf->segment_count; i++) {
		struct host_segment s = host_elf_segment(elf, i);
		uint64_t from = in_file ? s.offset : s.address;

		*segment_out = s;
		if (s.type == PT_LOAD && s.flags & PF_X && at >= from && at - from < s.file_size)
			return true;
	}
	return false;
}

static bool is_function(const struct host_symbol *symbol)
{
	return symbol->exported && (symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC);
}

/* A few of the functions there are, for a name that is not among them. */
static void functions_say(const struct host_elf *elf, char *text_out, size_t room)
{
	struct host_symbol symbol;
	struct reg_text text;
	uint32_t told = 0;

	reg_text_init(&text, text_out, room);
	for (uint32_t i = 0; i < elf->symbol_count && told < 4; i++)
		if (host_elf_symbol(elf, i, &symbol) && is_function(&symbol))
			reg_text_add(&text, "%s%.24s", told++ ? ", " : "", symbol.name);
	if (!told)
		reg_text_add(&text, "none");
}

static ptowsp_status symbol_take(const struct host_elf *elf, const struct host_symbol *symbol, struct host_code_entry *entry_out, struct ptowsp_error *error)
{
	struct host_segment segment;

	if (!is_function(symbol))
		return host_refuse(error, elf->path, "its entry %.60s is no function", symbol->name);
	if (!executable_find(elf, symbol->address, false, &segment))
		return host_refuse(error, elf->path, "its entry %.60s lies in memory that is not executable", symbol->name);
	*entry_out = (struct host_code_entry){symbol->address, symbol->type == STT_GNU_IFUNC ? symbol->name : NULL};
	return PTOWSP_OK;
}

static ptowsp_status symbol_find(const struct host_elf *elf, const char *entry, struct host_code_entry *entry_out, struct ptowsp_error *error)
{
	struct host_symbol symbol;
	char known[120];

	for (uint32_t i = 0; i < elf->symbol_count; i++) {
		if (!host_elf_symbol(elf, i, &symbol))
			return host_refuse(error, elf->path, "the name of a dynamic symbol lies outside the object");
		if (symbol.exported && !strcmp(symbol.name, entry))
			return symbol_take(elf, &symbol, entry_out, error);
	}
	functions_say(elf, known, sizeof(known));
	return host_refuse(error, elf->path, "it exports no function %.40s; there are: %s", entry, known);
}

/* The entry may be left out where there is one only. */
static ptowsp_status single_find(const struct host_elf *elf, struct host_code_entry *entry_out, struct ptowsp_error *error)
{
	struct host_symbol symbol, found = {0};
	uint32_t count = 0;
	char known[120];

	for (uint32_t i = 0; i < elf->symbol_count; i++)
		if (host_elf_symbol(elf, i, &symbol) && is_function(&symbol) && !count++)
			found = symbol;
	if (count == 1)
		return symbol_take(elf, &found, entry_out, error);
	functions_say(elf, known, sizeof(known));
	return host_refuse(error, elf->path, "no entry is named, and it exports not one function but %u: %s", count, known);
}

static ptowsp_status offset_find(const struct host_elf *elf, uint64_t offset, struct host_code_entry *entry_out, struct ptowsp_error *error)
{
	struct host_segment segment;

	if (!executable_find(elf, offset, true, &segment))
		return host_refuse(error, elf->path, "byte %llu, where its entry should begin, is not code", (unsigned long long)offset);
	*entry_out = (struct host_code_entry){segment.address + (offset - segment.offset), NULL};
	return PTOWSP_OK;
}

void host_code_name(const char *kernel, char name_out[HOST_CODE_NAME])
{
	snprintf(name_out, HOST_CODE_NAME, "native code of kernel %.60s", kernel);
}

ptowsp_status host_code_check(const void *bytes, size_t size, const char *kernel, const char *entry, uint64_t entry_offset, struct host_code_entry *entry_out,
			      struct ptowsp_error *error)
{
	static ptowsp_status (*const rules[])(const struct host_elf *elf, struct ptowsp_error *error) = {
		host_lint_stack, host_lint_writable, host_lint_text, libraries_check, life_check,
	};
	struct host_elf elf;
	char name[HOST_CODE_NAME];
	ptowsp_status status;

	host_code_name(kernel, name);
	*entry_out = (struct host_code_entry){0};
	status = host_elf_open(&elf, bytes, size, name, error);
	for (size_t i = 0; !status && i < sizeof(rules) / sizeof(*rules); i++)
		status = rules[i](&elf, error);
	if (!status)
		status = *entry         ? symbol_find(&elf, entry, entry_out, error)
			 : entry_offset ? offset_find(&elf, entry_offset, entry_out, error)
					: single_find(&elf, entry_out, error);
	if (status && error)
		error->code = PTOWSP_BAD_PACKAGE;
	return status ? PTOWSP_BAD_PACKAGE : PTOWSP_OK;
}
