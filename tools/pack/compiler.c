/* SPDX-License-Identifier: MIT */
#include "tools/pack/compiler.h"

#include <elf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/format_file.h"
#include "registry/text.h"
#include "registry/variable.h"
#include "tools/pack/flags.h"
#include "tools/pack/pack.h"
#include "tools/scratch.h"

const char compiler_flags[] = PACK_NATIVE_FLAGS;

enum { WORDS_MOST = 64, FILE_NAME = PRINT_FUNCTION_NAME + 16, FILE_PATH = PATH_MAX + FILE_NAME };

#if defined(__x86_64__)
#define THIS_MACHINE "x86_64-linux-gnu"
#elif defined(__aarch64__)
#define THIS_MACHINE "aarch64-linux-gnu"
#else
#define THIS_MACHINE "unknown"
#endif

/* Words of a text into argv, from `count` on. The text is cut in place. */
static size_t words_add(char **argv, size_t count, char *text)
{
	char *at = text, *word;

	while ((word = strsep(&at, " ")))
		if (*word && count + 1 < WORDS_MOST)
			argv[count++] = word;
	return count;
}

/* From beginning to end, what it says in the file "said". */
static int run(char **argv)
{
	pid_t program;
	const int code = scratch_start(argv, "said", &program);

	return code ? code : scratch_wait(program);
}

/* The first line of what was said that has the word, or the first line. */
static void said_read(const char *said, const char *word, char *line_out, size_t size)
{
	const char *folder = scratch_path();
	const size_t length = strlen(folder);
	char path[FILE_PATH], line[1024];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, said);
	file = fopen(path, "r");
	snprintf(line_out, size, "it says nothing");
	for (int first = 1; file && fgets(line, sizeof(line), file); first = 0) {
		const int found = word && strstr(line, word) != NULL;
		char *at;

		line[strcspn(line, "\n")] = '\0';
		at = !strncmp(line, folder, length) ? line + length + (line[length] == '/') : line;
		if (first || found)
			snprintf(line_out, size, "%.*s", (int)size - 1, at);
		if (found || !word)
			break;
	}
	if (file)
		fclose(file);
}

/* Compilers run in the scratch folder: the path of one that is relative to ours is said from the root. */
static void stated(struct compiler *c, const char *cc)
{
	const char *slash = memchr(cc, '/', strcspn(cc, " "));
	char *here = slash && slash != cc ? getcwd(NULL, 0) : NULL;

	snprintf(c->command, sizeof(c->command), "%s%s%s", here ? here : "", here ? "/" : "", cc);
	free(here);
}

/* ccache, if there is one, finds objects of earlier runs again: sources have the same names below the folder each time. */
static bool is_cached(void)
{
	char *argv[] = {(char *)(uintptr_t) "ccache", (char *)(uintptr_t) "cc", (char *)(uintptr_t) "--version", NULL};

	return reg_variable("HOME") && !run(argv); /* below which it keeps things; with elevated privileges there is none */
}

static void choose(struct compiler *c, const char *triple)
{
	const char *cc = reg_variable("CC");

	c->triple = *triple ? triple : THIS_MACHINE;
	if (strcmp(c->triple, THIS_MACHINE))
		snprintf(c->command, sizeof(c->command), "%.200s-gcc", c->triple);
	else if (cc && *cc)
		stated(c, cc);
	else
		snprintf(c->command, sizeof(c->command), is_cached() ? "ccache cc" : "cc");
}

ptowsp_status compiler_find(struct compiler *c, const char *triple, struct ptowsp_error *error)
{
	char words[sizeof(c->command)], *argv[WORDS_MOST] = {NULL};
	size_t count;
	int code;

	choose(c, triple);
	memcpy(words, c->command, sizeof(words));
	count = words_add(argv, 0, words);
	argv[count] = (char *)(uintptr_t) "--version";
	code = count ? run(argv) : 127;
	if (code == 127)
		return reg_fail(error, PTOWSP_NO_DEVICE, "no compiler \"%.80s\" for %.60s: install it, or name one in CC", c->command, c->triple);
	if (code)
		return reg_fail(error, PTOWSP_NO_DEVICE, "\"%.80s --version\" fails: it is no compiler that --native can use", c->command);
	said_read("said", NULL, c->version, sizeof(c->version));
	return PTOWSP_OK;
}

/* The compiler and the flags as words, cut out of room for both; what follows is the caller's. */
struct command {
	char words[sizeof(((struct compiler *)0)->command)], options[sizeof(compiler_flags)];
	char **argv;
	size_t count;
};
static bool command_begin(struct command *c, const struct compiler *compiler, size_t more)
{
	c->argv = calloc(2 * WORDS_MOST + more, sizeof(*c->argv));
	if (!c->argv)
		return false;
	memcpy(c->words, compiler->command, sizeof(c->words));
	memcpy(c->options, compiler_flags, sizeof(compiler_flags));
	c->count = words_add(c->argv, words_add(c->argv, 0, c->words), c->options);
	c->argv[c->count++] = (char *)(uintptr_t) "-I.";
	return true;
}

/* --- units: sources of several kernels, for which headers are read and products compiled once --- */

/* One unit costs less than two, and two are compiled at once. No number of processors: the object is the same everywhere. */
enum { UNIT_KERNELS = 8 };

static uint32_t unit_count(const struct pack_kernels *list)
{
	return (list->emitted + UNIT_KERNELS - 1) / UNIT_KERNELS;
}

/* A dot is in no name of a kernel. */
static char *unit_file(uint32_t unit, const char *extension)
{
	char *name;

	return asprintf(&name, "kernels.%lu.%s", (unsigned long)unit, extension) < 0 ? NULL : name;
}

/* Options that a source sets for itself end with it. */
static void source_put(FILE *text, const char *before, const char *name, const char *extension)
{
	fprintf(text, "#ifdef __GNUC__\n#pragma GCC push_options\n#endif\n%s#include \"%s.%s\"\n#ifdef __GNUC__\n#pragma GCC pop_options\n#endif\n", before,
		name, extension);
}

/* What a kernel's source has for itself gets a name that no kernel can have. */
static void kernel_put(FILE *text, const char *name, const char *extension, uint32_t number)
{
	const unsigned long n = number;

	fprintf(text, "#define params tile_params_%lu\n#define kernel tile_kernel_%lu\n", n, n);
	source_put(text, "", name, extension);
	fputs("#undef params\n#undef kernel\n", text);
}

static bool has_products(const struct pack_kernels *list)
{
	bool any = false;

	for (uint32_t i = 0; i < list->functions.count && !any; i++)
		any = list->rows[i].text && strstr(list->rows[i].text, "isa/product.h");
	return any;
}

static ptowsp_status unit_add(struct emitted *files, const struct pack_kernels *list, const char *extension, uint32_t unit, struct ptowsp_error *error)
{
	char *name = unit_file(unit, extension), *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);
	uint32_t number = 0;
	ptowsp_status status;

	if (memory)
		fputs("#include \"isa/kernel_tile.h\"\n", memory);
	if (memory && has_products(list))
		source_put(memory, "TILE_SIMPLE\n", "isa/product", "h");
	for (uint32_t i = 0; memory && i < list->functions.count; i++)
		if (list->rows[i].text && number++ / UNIT_KERNELS == unit)
			kernel_put(memory, list->functions.rows[i].name, extension, number);
	if (!memory || fclose(memory) || !name)
		status = reg_fail(error, PTOWSP_NO_MEMORY, "no memory for the native kernels");
	else
		status = emitted_add(files, name, text, size, error);
	free(text);
	free(name);
	return status;
}

ptowsp_status compiler_units_add(struct emitted *files, const struct pack_kernels *list, const struct isa_emit_target *target, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t unit = 0; unit < unit_count(list) && !status; unit++)
		status = unit_add(files, list, target->extension, unit, error);
	return status;
}

/* One source into one object. */
static int unit_start(const struct compiler *compiler, uint32_t unit, const char *extension, pid_t *program_out)
{
	char *source = unit_file(unit, extension), *object = unit_file(unit, "o"), *said = unit_file(unit, "said");
	struct command c;
	int code = -1;

	if (source && object && said && command_begin(&c, compiler, 8)) {
		c.argv[c.count++] = (char *)(uintptr_t) "-c";
		c.argv[c.count++] = (char *)(uintptr_t) "-o";
		c.argv[c.count++] = object;
		c.argv[c.count++] = source;
		code = scratch_start(c.argv, said, program_out);
		free(c.argv);
	}
	free(source);
	free(object);
	free(said);
	return code;
}

/* Compiler i ends in place i % at_once before the next one starts there. The first unit that fails; their number: none does. */
static uint32_t units_compile(const struct compiler *compiler, uint32_t units, const char *extension)
{
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);
	const uint32_t at_once = processors < 1 ? 1 : processors > SCRATCH_PROGRAMS ? SCRATCH_PROGRAMS : (uint32_t)processors;
	pid_t programs[SCRATCH_PROGRAMS] = {0};
	uint32_t failed = units;

	for (uint32_t i = 0; i < units + at_once; i++) {
		pid_t *place = &programs[i % at_once];

		if (*place && scratch_wait(*place) && failed == units)
			failed = i - at_once;
		*place = 0;
		if (i < units && failed == units && unit_start(compiler, i, extension, place)) {
			failed = i;
			*place = 0;
		}
	}
	return failed;
}

static int units_link(const struct compiler *compiler, uint32_t units)
{
	struct command c;
	size_t first;
	bool ok = true;
	int code = -1;

	if (!command_begin(&c, compiler, units))
		return -1;
	c.argv[c.count++] = (char *)(uintptr_t) "-o";
	c.argv[c.count++] = (char *)(uintptr_t) "kernels.so";
	first = c.count;
	for (uint32_t i = 0; ok && i < units; i++) {
		c.argv[c.count] = unit_file(i, "o");
		ok = c.argv[c.count] != NULL;
		c.count += ok;
	}
	if (ok) {
		c.argv[c.count] = (char *)(uintptr_t) "-lm";
		code = run(c.argv);
	}
	for (size_t i = first; i < c.count; i++)
		free(c.argv[i]);
	free(c.argv);
	return code;
}

/* An ELF file with a string for the name of each; whether that names its function is found when it is loaded. */
static bool has_kernels(const struct pack_kernels *list, const void *object, size_t size)
{
	bool all = size > SELFMAG && !memcmp(object, ELFMAG, SELFMAG);

	for (uint32_t i = 0; all && i < list->functions.count; i++)
		if (list->rows[i].text)
			all = memmem(object, size, list->functions.rows[i].name, strlen(list->functions.rows[i].name) + 1);
	return all;
}

ptowsp_status compiler_run(const struct compiler *compiler, const struct pack_kernels *list, const struct isa_emit_target *target, void **object_out,
			   size_t *size_out, struct ptowsp_error *error)
{
	const uint32_t units = unit_count(list), failed = units_compile(compiler, units, target->extension);
	char line[120], *said = failed < units ? unit_file(failed, "said") : NULL, path[FILE_PATH];
	const bool ok = failed == units && !units_link(compiler, units);
	ptowsp_status status;

	if (!ok)
		said_read(said ? said : "said", "error", line, sizeof(line));
	free(said);
	if (!ok)
		return reg_fail(error, PTOWSP_RUN_FAILED, "\"%.40s\" cannot compile the kernels: %.120s", compiler->command, line);
	snprintf(path, sizeof(path), "%s/kernels.so", scratch_path());
	if (access(path, F_OK))
		return reg_fail(error, PTOWSP_NO_DEVICE, "\"%.80s\" ended well and left no shared object; name another one with CC", compiler->command);
	status = pkg_file_load(path, PKG_FILE_NAMED, object_out, size_out, error);
	if (status || has_kernels(list, *object_out, *size_out))
		return status;
	free(*object_out);
	*object_out = NULL;
	return reg_fail(error, PTOWSP_NO_DEVICE, "\"%.80s\" ended well, and what it left is no ELF file with the kernels; name another one with CC",
			compiler->command);
}
