/* SPDX-License-Identifier: MIT */
/* pack_native.c - the portable kernels of a package as native code beside them: one shared object of all, compiled by the system's
 * compiler, as many at once as there are processors, in a folder of its own that nobody else can write to and that is gone afterwards. */
#include "tools/pack.h"
#include "tools/pack_flags.h"
#include "tools/pack_kernels.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "format/plain.h"
#include "registry/text.h"

extern char **environ;

static const char flags[] = PACK_NATIVE_FLAGS;

enum { WORDS_MOST = 64, AT_ONCE_MOST = 64 };

#if defined(__x86_64__)
#define THIS_MACHINE "x86_64-linux-gnu"
#elif defined(__aarch64__)
#define THIS_MACHINE "aarch64-linux-gnu"
#else
#define THIS_MACHINE "unknown"
#endif

/* One compilation. */
struct native {
	char folder[PATH_MAX];
	char compiler[256];     /* $CC, cc or TRIPLE-gcc; may have arguments */
	const char *triple;
	char version[160];      /* the compiler's own first line */
	void *object;           /* what it made */
	size_t object_size;
};

/* --- the folder --- */

static ptowsp_status folder_open(struct native *n, struct ptowsp_error *error)
{
	const char *temp = getenv("TMPDIR");

	snprintf(n->folder, sizeof(n->folder) - 32, "%s", temp && *temp ? temp : "/tmp");
	strcat(n->folder, "/ptowsp-pack-XXXXXX");
	if (mkdtemp(n->folder))
		return PTOWSP_OK;
	n->folder[0] = '\0';
	return reg_fail(error, PTOWSP_IO, "no folder can be made below %.120s to compile in: %s", temp && *temp ? temp : "/tmp", strerror(errno));
}

static void below_remove(const char *folder, const char *name)
{
	char path[PATH_MAX + 128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (remove(path) && errno != ENOENT)
		fprintf(stderr, "ptowsp-pack: %s cannot be removed: %s\n", path, strerror(errno));
}

/* What was written there, by name. */
static void folder_close(struct native *n, const struct pack_kernels *list, const struct isa_emit_target *target)
{
	const char *const endings[] = {target->extension, "o", "said"};
	char name[PACK_SYMBOL + 16];

	if (!n->folder[0])
		return;
	for (uint32_t i = 0; i < list->count; i++)
		for (size_t k = 0; k < 3 && list->rows[i].text; k++) {
			snprintf(name, sizeof(name), "%s.%s", list->rows[i].symbol, endings[k]);
			below_remove(n->folder, name);
		}
	for (const struct isa_text *header = isa_emit_headers; header->path; header++)
		below_remove(n->folder, header->path);
	for (const struct isa_text *header = isa_emit_headers; header->path; header++) {
		snprintf(name, sizeof(name), "%.*s", (int)(strchr(header->path, '/') - header->path), header->path);
		below_remove(n->folder, name);
	}
	below_remove(n->folder, "kernels.so");
	below_remove(n->folder, "said");
	below_remove(n->folder, "");
}

/* --- the compiler --- */

/* Words of a text into argv, from `count` on. The text is cut in place. */
static size_t words_add(char **argv, size_t count, char *text)
{
	char *at = text, *word;

	while ((word = strsep(&at, " ")))
		if (*word && count + 1 < WORDS_MOST)
			argv[count++] = word;
	return count;
}

/* Starts argv with both outputs in a file of the folder. 0 if it runs now, 127 if there is no such program, -1 for errors. */
static int compiler_start(const struct native *n, const char *said_name, char **argv, pid_t *child_out)
{
	char said[PATH_MAX + PACK_SYMBOL + 16];
	posix_spawn_file_actions_t actions;
	int code;

	*child_out = -1;
	snprintf(said, sizeof(said), "%s/%s", n->folder, said_name);
	if (posix_spawn_file_actions_init(&actions))
		return -1;
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 1, said, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	posix_spawn_file_actions_adddup2(&actions, 1, 2);
	code = posix_spawnp(child_out, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (code)
		*child_out = -1;
	return code == ENOENT || code == EACCES || code == ENOTDIR ? 127 : code ? -1 : 0;
}

/* Its exit status, -1 if it has none. */
static int compiler_end(pid_t child)
{
	int status = -1;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int compiler_run(const struct native *n, char **argv)
{
	pid_t child;
	const int code = compiler_start(n, "said", argv, &child);

	return code ? code : compiler_end(child);
}

/* The first line of what the compiler said that has the word, or its first line. */
static void said_read(const struct native *n, const char *said_name, const char *word, char *line_out, size_t size)
{
	char path[PATH_MAX + PACK_SYMBOL + 16], line[1024];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", n->folder, said_name);
	file = fopen(path, "r");
	snprintf(line_out, size, "it says nothing");
	for (int first = 1; file && fgets(line, sizeof(line), file); first = 0) {
		const int found = word && strstr(line, word) != NULL;
		const size_t length = strlen(n->folder);
		char *at;

		line[strcspn(line, "\n")] = '\0';
		at = !strncmp(line, n->folder, length) ? line + length + (line[length] == '/') : line;
		if (first || found)
			snprintf(line_out, size, "%.*s", (int)size - 1, at);
		if (found || !word)
			break;
	}
	if (file)
		fclose(file);
}

static void compiler_choose(struct native *n, const char *triple)
{
	const char *cc = getenv("CC");

	n->triple = triple && *triple ? triple : THIS_MACHINE;
	if (strcmp(n->triple, THIS_MACHINE))
		snprintf(n->compiler, sizeof(n->compiler), "%.200s-gcc", n->triple);
	else
		snprintf(n->compiler, sizeof(n->compiler), "%s", cc && *cc ? cc : "cc");
}

static ptowsp_status compiler_find(struct native *n, struct ptowsp_error *error)
{
	char words[sizeof(n->compiler)], *argv[WORDS_MOST] = {NULL};
	size_t count;
	int code;

	memcpy(words, n->compiler, sizeof(words));
	count = words_add(argv, 0, words);
	argv[count] = (char *)(uintptr_t)"--version";
	code = count ? compiler_run(n, argv) : 127;
	if (code == 127)
		return reg_fail(error, PTOWSP_NO_DEVICE, "no compiler \"%.80s\" for %.60s: install it, or name one in CC", n->compiler, n->triple);
	if (code)
		return reg_fail(error, PTOWSP_NO_DEVICE, "\"%.80s --version\" fails: it is no compiler that --native can use", n->compiler);
	said_read(n, "said", NULL, n->version, sizeof(n->version));
	return PTOWSP_OK;
}

static ptowsp_status object_read(struct native *n, struct ptowsp_error *error)
{
	char path[PATH_MAX + 16], *text = NULL;
	ptowsp_status status;

	snprintf(path, sizeof(path), "%s/kernels.so", n->folder);
	status = pack_read(path, &text, &n->object_size, error);
	n->object = text;
	return status;
}

/* The compiler and the flags as words, cut out of room for both; what follows is the caller's. */
struct command {
	char words[sizeof(((struct native *)0)->compiler)], options[sizeof(flags)], include[PATH_MAX + 8];
	char **argv;
	size_t count;
};
static bool command_begin(struct command *c, const struct native *n, size_t more)
{
	c->argv = calloc(2 * WORDS_MOST + more, sizeof(*c->argv));
	if (!c->argv)
		return false;
	memcpy(c->words, n->compiler, sizeof(c->words));
	memcpy(c->options, flags, sizeof(flags));
	snprintf(c->include, sizeof(c->include), "-I%s", n->folder);
	c->count = words_add(c->argv, words_add(c->argv, 0, c->words), c->options);
	c->argv[c->count++] = c->include;
	return true;
}

/* One source into one object. */
static int source_start(const struct native *n, const struct pack_kernel *k, const struct isa_emit_target *target, pid_t *child_out)
{
	char source[PATH_MAX + PACK_SYMBOL + 16], object[PATH_MAX + PACK_SYMBOL + 16], said[PACK_SYMBOL + 16];
	struct command c;
	int code;

	*child_out = -1;
	if (!command_begin(&c, n, 8))
		return -1;
	snprintf(source, sizeof(source), "%s/%s.%s", n->folder, k->symbol, target->extension);
	snprintf(object, sizeof(object), "%s/%s.o", n->folder, k->symbol);
	snprintf(said, sizeof(said), "%s.said", k->symbol);
	c.argv[c.count++] = (char *)(uintptr_t)"-c";
	c.argv[c.count++] = (char *)(uintptr_t)"-o";
	c.argv[c.count++] = object;
	c.argv[c.count++] = source;
	code = compiler_start(n, said, c.argv, child_out);
	free(c.argv);
	return code;
}

/* Kernel i's compiler ends in place i % at_once before the next one starts there. The first that fails, or NULL. */
static const struct pack_kernel *sources_compile(const struct native *n, const struct pack_kernels *list, const struct isa_emit_target *target)
{
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);
	const uint32_t at_once = processors < 1 ? 1 : processors > AT_ONCE_MOST ? AT_ONCE_MOST : (uint32_t)processors;
	const struct pack_kernel *kernels[AT_ONCE_MOST] = {NULL}, *failed = NULL;
	pid_t children[AT_ONCE_MOST];

	for (uint32_t i = 0; i < list->count + at_once; i++) {
		const uint32_t place = i % at_once;

		if (kernels[place] && compiler_end(children[place]) && !failed)
			failed = kernels[place];
		kernels[place] = NULL;
		if (failed || i >= list->count || !list->rows[i].text)
			continue;
		if (source_start(n, &list->rows[i], target, &children[place]))
			failed = &list->rows[i];
		else
			kernels[place] = &list->rows[i];
	}
	return failed;
}

static int objects_link(const struct native *n, const struct pack_kernels *list)
{
	char object[PATH_MAX + 16];
	struct command c;
	size_t first;
	bool ok = true;
	int code = -1;

	if (!command_begin(&c, n, list->count))
		return -1;
	snprintf(object, sizeof(object), "%s/kernels.so", n->folder);
	c.argv[c.count++] = (char *)(uintptr_t)"-o";
	c.argv[c.count++] = object;
	first = c.count;
	for (uint32_t i = 0; ok && i < list->count; i++)
		if (list->rows[i].text)
			ok = asprintf(&c.argv[c.count++], "%s/%s.o", n->folder, list->rows[i].symbol) >= 0;
	if (ok) {
		c.argv[c.count] = (char *)(uintptr_t)"-lm";
		code = compiler_run(n, c.argv);
	} else {
		c.count--; /* undefined */
	}
	for (size_t i = first; i < c.count; i++)
		free(c.argv[i]);
	free(c.argv);
	return code;
}

static ptowsp_status compile(struct native *n, const struct pack_kernels *list, const struct isa_emit_target *target, struct ptowsp_error *error)
{
	const struct pack_kernel *failed = sources_compile(n, list, target);
	char line[120], said[PACK_SYMBOL + 16] = "said";

	if (failed)
		snprintf(said, sizeof(said), "%s.said", failed->symbol);
	if (failed || objects_link(n, list)) {
		said_read(n, said, "error", line, sizeof(line));
		return reg_fail(error, PTOWSP_RUN_FAILED, "\"%.40s\" cannot compile the kernels: %.120s", n->compiler, line);
	}
	return object_read(n, error);
}

/* --- the rows --- */

static void row_add(const struct native *n, struct pkg_writer *writer, const struct pkg_tables *t, const struct pack_kernel *k,
			     uint64_t offset)
{
	const struct ptowsp_payload_record *portable = &t->payload[k->payload];
	const struct ptowsp_payload_record row = {.target = pkg_writer_string(writer, n->triple),
						  .kind = PTOWSP_PAYLOAD_ELF,
						  .unit = portable->unit,
						  .entry = pkg_writer_string(writer, k->symbol),
						  .offset = offset,
						  .size = n->object_size,
						  .cycles = portable->cycles,
						  .workspace = k->workspace};

	pkg_writer_row(writer, PTOWSP_SECTION_KPAY, &row, sizeof(row));
}

/* All rows in their order, a native one in front of each portable one. first: where row i, or what was put in front of it, is now; one more than rows. */
static void payloads_write(const struct native *n, struct pkg_writer *writer, const struct pkg_tables *t, const struct pack_kernels *list,
			   uint64_t offset, uint32_t *first)
{
	pkg_writer_cut(writer, PTOWSP_SECTION_KPAY, 0);
	for (uint32_t i = 0; i < t->payload_count; i++) {
		const struct pack_kernel *found = pack_kernel_find(list, i);

		first[i] = pkg_writer_count(writer, PTOWSP_SECTION_KPAY);
		if (found && found->text)
			row_add(n, writer, t, found, offset);
		pkg_writer_row(writer, PTOWSP_SECTION_KPAY, &t->payload[i], sizeof(t->payload[0]));
	}
	first[t->payload_count] = pkg_writer_count(writer, PTOWSP_SECTION_KPAY);
}

/* Everything is added at the end of its section, strings from that key on: format/plain.c takes it away again. */
static ptowsp_status rows_write(const struct native *n, struct pkg_writer *writer, const struct pkg_tables *t, const struct pack_kernels *list,
				struct ptowsp_error *error)
{
	uint32_t *first = calloc(t->payload_count + 1u, sizeof(*first));
	uint64_t offset;

	if (!first)
		return reg_fail(error, PTOWSP_NO_MEMORY, "no memory for the native kernels");
	pkg_writer_string(writer, PKG_NATIVE_COMPILER);
	offset = pkg_writer_bytes(writer, PTOWSP_SECTION_CODE, n->object, n->object_size, 64);
	payloads_write(n, writer, t, list, offset, first);
	for (uint32_t i = 0; i < t->kernel_count; i++) {
		const struct ptowsp_kernel_record *old = &t->kernel[i];
		struct ptowsp_kernel_record *kernel = pkg_writer_at(writer, PTOWSP_SECTION_KREG, i);

		if (old->payload_count) {
			kernel->payloads = first[old->payloads];
			kernel->payload_count = first[old->payloads + old->payload_count] - first[old->payloads];
		}
	}
	free(first);
	pkg_writer_meta(writer, PKG_NATIVE_COMPILER, n->version);
	pkg_writer_meta(writer, PKG_NATIVE_FLAGS, flags);
	return PTOWSP_OK;
}

static ptowsp_status native_make(struct native *n, struct pkg_writer *writer, const struct pkg_tables *t, struct ptowsp_error *error)
{
	const struct isa_emit_target *target = isa_emit_targets; /* C */
	struct pack_kernels list;
	ptowsp_status status = pack_kernels_emit(&list, t, target, error);

	if (!status && list.emitted) {
		status = folder_open(n, error);
		if (!status)
			status = compiler_find(n, error);
		if (!status)
			status = pack_kernels_write(&list, target, n->folder, error);
		if (!status)
			status = compile(n, &list, target, error);
		if (!status)
			status = rows_write(n, writer, t, &list, error);
		folder_close(n, &list, target);
	}
	free(n->object);
	pack_kernels_finish(&list);
	return status;
}

/* The package as it is so far is opened again: its tables are what is compiled. */
static ptowsp_status package_open(struct pkg_writer *writer, struct pkg **package_out, void **bytes_out, struct ptowsp_error *error)
{
	size_t size;
	ptowsp_status status = pkg_writer_seal(writer, bytes_out, &size, error);

	return status ? status : pkg_open_memory(package_out, *bytes_out, size, "the new package", NULL, error);
}

ptowsp_status pack_native_add(const struct pack_options *options, struct pkg_writer *writer, struct ptowsp_error *error)
{
	struct native native = {.folder = ""};
	struct pkg *package = NULL;
	void *bytes = NULL;
	ptowsp_status status;

	if (!options->native)
		return PTOWSP_OK;
	compiler_choose(&native, options->native);
	status = package_open(writer, &package, &bytes, error);
	if (!status)
		status = native_make(&native, writer, pkg_tables(package), error);
	pkg_close(package);
	free(bytes);
	return status;
}

ptowsp_status pack_emit_write(const struct pack_options *options, struct pkg_writer *writer, const char *folder, struct ptowsp_error *error)
{
	const struct isa_emit_target *target = pack_emit_target(options->emit);
	struct pack_kernels list = {.count = 0};
	struct pkg *package = NULL;
	void *bytes = NULL;
	ptowsp_status status = package_open(writer, &package, &bytes, error);

	if (!status)
		status = pack_kernels_emit(&list, pkg_tables(package), target, error);
	if (!status)
		status = pack_kernels_write(&list, target, folder, error);
	if (!status)
		status = pack_tasks_write(package, folder, error);
	pack_kernels_finish(&list);
	pkg_close(package);
	free(bytes);
	return status;
}

const struct isa_emit_target *pack_emit_target(const char *name)
{
	for (const struct isa_emit_target *t = isa_emit_targets; t->name; t++)
		if (!strcmp(t->name, name))
			return t;
	return NULL;
}
