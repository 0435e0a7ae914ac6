/* SPDX-License-Identifier: MIT */
/* lint.c - what a plugin's file must look like before a byte of it runs. One rule per function, in the table at the end. */
#include "host/find/lint.h"
#include "host/find/host_plugin.h"
#include "host/find/refuse.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#define ENTRY_PREFIX "ptowsp_plugin_v"

/* Without the segment glibc makes every stack of the process executable. */
ptowsp_status host_lint_stack(const struct host_elf *elf, struct ptowsp_error *error)
{
	bool found = false;

	for (uint32_t i = 0; i < elf->segment_count; i++) {
		struct host_segment segment = host_elf_segment(elf, i);

		if (segment.type != PT_GNU_STACK)
			continue;
		found = true;
		if (segment.flags & PF_X)
			return host_refuse(error, elf->path, "asks for an executable stack; link it with -Wl,-z,noexecstack");
	}
	return found ? PTOWSP_OK
		     : host_refuse(error, elf->path,
				   "has no PT_GNU_STACK, so the stack would become executable; link it "
				   "with -Wl,-z,noexecstack");
}

ptowsp_status host_lint_writable(const struct host_elf *elf, struct ptowsp_error *error)
{
	for (uint32_t i = 0; i < elf->segment_count; i++) {
		struct host_segment segment = host_elf_segment(elf, i);

		if (segment.type == PT_LOAD && (segment.flags & (PF_W | PF_X)) == (PF_W | PF_X))
			return host_refuse(error, elf->path, "has memory that is both writable and executable");
	}
	return PTOWSP_OK;
}

static ptowsp_status relro_check(const struct host_elf *elf, struct ptowsp_error *error)
{
	for (uint32_t i = 0; i < elf->segment_count; i++)
		if (host_elf_segment(elf, i).type == PT_GNU_RELRO)
			return PTOWSP_OK;
	return host_refuse(error, elf->path, "has no read-only relocations; link it with -Wl,-z,relro");
}

ptowsp_status host_lint_text(const struct host_elf *elf, struct ptowsp_error *error)
{
	bool found;

	host_elf_dynamic_find(elf, DT_TEXTREL, &found);
	if (found || (host_elf_dynamic_find(elf, DT_FLAGS, NULL) & DF_TEXTREL))
		return host_refuse(error, elf->path, "has relocations in its code; compile every file with -fPIC");
	return PTOWSP_OK;
}

static ptowsp_status binding_check(const struct host_elf *elf, struct ptowsp_error *error)
{
	uint64_t flags = host_elf_dynamic_find(elf, DT_FLAGS, NULL);
	uint64_t flags_1 = host_elf_dynamic_find(elf, DT_FLAGS_1, NULL);
	bool now;

	host_elf_dynamic_find(elf, DT_BIND_NOW, &now);
	if (!now && !(flags & DF_BIND_NOW) && !(flags_1 & DF_1_NOW))
		return host_refuse(error, elf->path, "is bound lazily; link it with -Wl,-z,now");
	return PTOWSP_OK;
}

/* One folder of a run path: absolute, or $ORIGIN without a way up. Anything else depends on where the host stands. */
static bool run_path_valid(const char *part, size_t length)
{
	static const char *const origins[] = {"$ORIGIN", "${ORIGIN}"};
	size_t skip = 0;

	for (size_t i = 0; i < 2; i++)
		if (length >= strlen(origins[i]) && !memcmp(part, origins[i], strlen(origins[i])))
			skip = strlen(origins[i]);
	if (skip ? length > skip && part[skip] != '/' : !length || part[0] != '/')
		return false;
	for (size_t at = skip; at < length; at++)
		if (part[at] == '$' ||
		    (skip && part[at] == '/' && length - at >= 3 && part[at + 1] == '.' && part[at + 2] == '.' && (length - at == 3 || part[at + 3] == '/')))
			return false;
	return true;
}

static ptowsp_status run_path_check(const struct host_elf *elf, const char *path, struct ptowsp_error *error)
{
	for (size_t length;; path += length + 1) {
		length = strcspn(path, ":");
		if (!run_path_valid(path, length))
			return host_refuse(error, elf->path, "its run path has \"%.*s\"; only absolute folders and $ORIGIN or below are taken",
					   (int)(length < 60 ? length : 60), path);
		if (!path[length])
			return PTOWSP_OK;
	}
}

static ptowsp_status libraries_check(const struct host_elf *elf, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; i < elf->dynamic_count && !status; i++) {
		uint64_t tag, value;
		const char *text;

		host_elf_dynamic(elf, i, &tag, &value);
		if (tag != DT_RPATH && tag != DT_RUNPATH && tag != DT_NEEDED)
			continue;
		text = host_elf_string(elf, value);
		if (!text)
			status = host_refuse(error, elf->path, "the name of a library it needs lies outside the file");
		else if (tag != DT_NEEDED)
			status = run_path_check(elf, text, error);
		else if (strchr(text, '/') && text[0] != '/')
			status = host_refuse(error, elf->path,
					     "needs \"%.60s\" by a relative path; give that "
					     "library a -soname",
					     text);
	}
	return status;
}

/* ptowsp_plugin_v and a number without leading zero; 0 if the name is something else. */
static unsigned entry_major(const char *name)
{
	unsigned major = 0;

	if (strncmp(name, ENTRY_PREFIX, strlen(ENTRY_PREFIX)) != 0 || name[strlen(ENTRY_PREFIX)] == '0')
		return 0;
	for (name += strlen(ENTRY_PREFIX); *name >= '0' && *name <= '9' && major < 10000; name++)
		major = major * 10 + (unsigned)(*name - '0');
	return *name ? 0 : major;
}

static bool is_code_or_data(uint8_t type)
{
	return type == STT_FUNC || type == STT_OBJECT || type == STT_GNU_IFUNC || type == STT_TLS;
}

static ptowsp_status exports_check(const struct host_elf *elf, struct ptowsp_error *error)
{
	unsigned other = 0;
	bool found = false;

	for (uint32_t i = 0; i < elf->symbol_count; i++) {
		struct host_symbol symbol;
		unsigned major;

		if (!host_elf_symbol(elf, i, &symbol))
			return host_refuse(error, elf->path, "the name of a dynamic symbol lies outside the file");
		if (!symbol.exported || !is_code_or_data(symbol.type))
			continue;
		major = entry_major(symbol.name);
		if (!major || symbol.type != STT_FUNC)
			return host_refuse(error, elf->path,
					   "exports \"%.60s\" besides its entry; link it "
					   "with the version script abi/ptowsp_plugin.map",
					   symbol.name);
		found = found || major == PTOWSP_ABI_MAJOR;
		other = major == PTOWSP_ABI_MAJOR ? other : major;
	}
	if (!found && other)
		return host_refuse(error, elf->path, "exports v%u only, this host speaks v%d", other, PTOWSP_ABI_MAJOR);
	return found ? PTOWSP_OK : host_refuse(error, elf->path, "does not export " PTOWSP_ENTRY_NAME ", so it is not a plugin");
}

static ptowsp_status (*const rules[])(const struct host_elf *elf, struct ptowsp_error *error) = {
	exports_check, host_lint_stack, host_lint_writable, relro_check, host_lint_text, binding_check, libraries_check,
};

ptowsp_status host_lint(const void *elf_bytes, size_t size, const char *path, struct ptowsp_error *error)
{
	struct host_elf elf;
	ptowsp_status status = host_elf_open(&elf, elf_bytes, size, path, error);

	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules) && !status; i++)
		status = rules[i](&elf, error);
	return status;
}

void host_lint_warn(const void *elf_bytes, size_t size, char *text_out, size_t room)
{
	struct host_elf elf;

	snprintf(text_out, room, "%s", "");
	if (!host_elf_open(&elf, elf_bytes, size, "", NULL) && (host_elf_dynamic_find(&elf, DT_FLAGS, NULL) & DF_STATIC_TLS))
		snprintf(text_out, room, "%s",
			 "uses static thread-local storage, of which a process has little; compile it "
			 "with -ftls-model=global-dynamic");
}
