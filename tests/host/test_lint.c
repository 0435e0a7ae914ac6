/* SPDX-License-Identifier: MIT */
/* test_lint.c - the ELF lint: every rule has a file that breaks it, and no bytes at all make it read outside. */
#include "tests/check.h"
#include "tests/draw.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/find/bytes.h"
#include "host/find/elf.h"
#include "host/find/host_plugin.h"
#include "ptowsp/note.h"

static const char *plugin_path(const char *name)
{
	return check_fmt("%s/tests/hostile/libptowsp_%s.so", check_build(), name);
}

static ptowsp_status lint_file(const char *name, struct ptowsp_error *error)
{
	size_t size = 0;
	char *bytes = check_read(plugin_path(name), &size);
	ptowsp_status status;

	memset(error, 0, sizeof(*error));
	status = host_lint(bytes ? bytes : "", bytes ? size : 0, plugin_path(name), error);
	free(bytes);
	return status;
}

TEST(lint_passes_a_good_plugin)
{
	struct ptowsp_error error;

	CHECK_INT(lint_file("good", &error), PTOWSP_OK);
	CHECK_STR(error.text, "");
	CHECK_INT(lint_file("private_library", &error), PTOWSP_OK);
	CHECK_STR(error.text, "");
}

static const struct {
	const char *plugin, *sentence;
} bad[] = {
	{"no_entry", "does not export ptowsp_plugin_v10, so it is not a plugin"},
	{"v11_only", "exports v11 only, this host speaks v10"},
	{"stray_export", "exports \"hostile_stray\" besides its entry; link it with the version script"},
	{"exec_stack", "asks for an executable stack; link it with -Wl,-z,noexecstack"},
	{"lazy", "is bound lazily; link it with -Wl,-z,now"},
	{"no_relro", "has no read-only relocations; link it with -Wl,-z,relro"},
	{"text_relocations", "has relocations in its code; compile every file with -fPIC"},
	{"run_path_relative", "its run path has \"lib\"; only absolute folders and $ORIGIN or below are taken"},
	{"run_path_up", "its run path has \"$ORIGIN/../lib\""},
	{"run_path_token", "its run path has \"/opt/$LIB\""},
	{"borrowed_entry", "does not export ptowsp_plugin_v10"},
	{"needs_relative", "libhostile_noname.so\" by a relative path; give that library a -soname"},
};

TEST(lint_refuses_each_broken_rule)
{
	struct ptowsp_error error;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		CHECK_INT(lint_file(bad[i].plugin, &error), PTOWSP_PLUGIN_REFUSED);
		CHECK_CONTAINS(error.text, bad[i].sentence);
	}
}

TEST(lint_warns_of_static_tls_and_lets_it_pass)
{
	struct ptowsp_error error;
	size_t size = 0;
	char text[128], *bytes = check_read(plugin_path("static_tls"), &size);

	REQUIRE(bytes != NULL);
	CHECK_INT(lint_file("static_tls", &error), PTOWSP_OK);
	host_lint_warn(bytes, size, text, sizeof(text));
	CHECK_CONTAINS(text, "static thread-local storage");
	free(bytes);
	bytes = check_read(plugin_path("good"), &size);
	REQUIRE(bytes != NULL);
	host_lint_warn(bytes, size, text, sizeof(text));
	CHECK_STR(text, "");
	free(bytes);
}

/* ---- what is read ---- */

/* A copy of what the host reads of such a file, `hole` wherever it reads nothing. Returns how many bytes are read. */
static size_t parts_copy(const char *bytes, size_t size, char *copy, int hole)
{
	uint64_t have = 0, most, from, length;
	size_t total;

	while ((most = host_elf_head(bytes, have, size)) > have)
		have = most;
	CHECK(have <= size);
	memset(copy, hole, size);
	memcpy(copy, bytes, have);
	total = have;
	for (uint32_t i = 0; host_elf_part(bytes, size, i, &from, &length); i++) {
		REQUIRE(from <= size && length <= size - from);
		memcpy(copy + from, bytes + from, length);
		total += length;
	}
	return total;
}

/* Verdict and words of such a file; the copy is of exactly its size, so that the address sanitizer sees the first byte too far. */
static ptowsp_status judge(const char *bytes, size_t size, int hole, char words[1024])
{
	char *copy = malloc(size ? size : 1), text[128];
	struct ptowsp_error error = {0}, second = {0};
	struct host_note note = {0};
	ptowsp_status status;

	if (!copy)
		return PTOWSP_NO_MEMORY;
	parts_copy(bytes, size, copy, hole);
	status = host_lint(copy, size, "x.so", &error);
	host_note_parse(copy, size, "x.so", &note, &second);
	host_lint_warn(copy, size, text, sizeof(text));
	snprintf(words, 1024, "%s/%s/%s/%s", error.text, second.text, note.name, text);
	free(copy);
	return status;
}

/* What is not read may be anything. */
static ptowsp_status look(const char *bytes, size_t size)
{
	char words[1024], others[1024];
	ptowsp_status status = judge(bytes, size, 0, words);

	CHECK_INT(judge(bytes, size, 0xFF, others), status);
	CHECK_STR(others, words);
	return status;
}

/* ---- builds of every kind ---- */

static const struct {
	const char *flags;
	uint32_t sanitizer;
} kinds[] = {
	{"-O2", PTOWSP_SANITIZER_NONE},
	{"-O0 -g", PTOWSP_SANITIZER_NONE},
	{"-O2 -flto", PTOWSP_SANITIZER_NONE},
	{"-O2 -Wl,-z,noseparate-code", PTOWSP_SANITIZER_NONE}, /* headers, tables and code in one segment */
	{"-O1 -fsanitize=address,undefined", PTOWSP_SANITIZER_ADDRESS},
	{"-O1 -fsanitize=thread", PTOWSP_SANITIZER_THREAD},
	{"-O0 --coverage", PTOWSP_SANITIZER_NONE},
};

static void kind_check(const char *compiler, size_t kind, const char *out)
{
	/* In the output's folder: clang leaves its coverage notes where it is called. */
	const char *command = check_fmt("cd \"$(dirname '%s')\" && root='%s' && %s -std=c11 %s -fPIC -fvisibility=hidden -I\"$root/abi\" "
					"\"$root/tests/hostile/plugin.c\" -shared -Wl,-z,now -Wl,-z,relro -Wl,-z,noexecstack "
					"-Wl,--version-script=\"$root/abi/ptowsp_plugin.map\" -o '%s'",
					out, check_root(), compiler, kinds[kind].flags, out);
	struct ptowsp_error error = {0};
	struct host_note note;
	size_t size = 0;
	char *err = NULL, *bytes;

	if (check_run(command, NULL, &err))
		CHECK_FAIL("%s: %.500s", command, err);
	free(err);
	bytes = check_read(out, &size);
	REQUIRE(bytes != NULL);
	if (look(bytes, size) || host_lint(bytes, size, out, &error) || host_note_parse(bytes, size, out, &note, &error))
		CHECK_FAIL("%s %s: %s", compiler, kinds[kind].flags, error.text);
	else
		CHECK_UINT(note.sanitizer, kinds[kind].sanitizer);
	free(bytes);
}

/* Instrumented builds carry more symbols and sections; none of it may look like a broken rule. */
TEST(lint_passes_builds_of_every_kind_by_both_compilers)
{
	const char *tmp = check_tmp();

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		kind_check("gcc", i, check_fmt("%s/gcc%zu.so", tmp, i));
		kind_check("clang", i, check_fmt("%s/clang%zu.so", tmp, i));
	}
}

/* ---- good bytes, edited ---- */

static char *good; /* of the running test */
static size_t good_size;

static Elf64_Ehdr *header(void)
{
	return (Elf64_Ehdr *)(void *)good;
}

static Elf64_Phdr *segment(unsigned type)
{
	Elf64_Phdr *at = (Elf64_Phdr *)(void *)(good + header()->e_phoff);

	for (unsigned i = 0; i < header()->e_phnum; i++)
		if (at[i].p_type == type)
			return &at[i];
	return NULL;
}

static void machine_edit(void)
{
	header()->e_machine = header()->e_machine == EM_AARCH64 ? EM_X86_64 : EM_AARCH64;
}
static void machine_unknown_edit(void)
{
	header()->e_machine = 4711;
}
static void class_edit(void)
{
	good[EI_CLASS] = ELFCLASS32;
}
static void order_edit(void)
{
	good[EI_DATA] = ELFDATA2MSB;
}
static void type_edit(void)
{
	header()->e_type = ET_REL;
}
static void magic_edit(void)
{
	good[0] = 'P';
}
static void no_stack_edit(void)
{
	segment(PT_GNU_STACK)->p_type = PT_NULL;
}
static void write_code_edit(void)
{
	Elf64_Phdr *at = (Elf64_Phdr *)(void *)(good + header()->e_phoff);

	for (unsigned i = 0; i < header()->e_phnum; i++)
		if (at[i].p_type == PT_LOAD && (at[i].p_flags & PF_X))
			at[i].p_flags |= PF_W;
}
static void segment_count_edit(void)
{
	header()->e_phnum = 0xFFFF;
}
static void segment_offset_edit(void)
{
	header()->e_phoff = UINT64_MAX - 8;
}
static void load_size_edit(void)
{
	segment(PT_LOAD)->p_filesz = UINT64_MAX;
}
static void load_order_edit(void)
{
	segment(PT_LOAD)->p_vaddr = UINT64_C(1) << 40;
}
static void dynamic_edit(void)
{
	segment(PT_DYNAMIC)->p_vaddr = UINT64_C(1) << 40;
}
static void no_dynamic_edit(void)
{
	segment(PT_DYNAMIC)->p_type = PT_NULL;
}
static Elf64_Dyn *dynamic(int64_t tag)
{
	Elf64_Dyn *at = (Elf64_Dyn *)(void *)(good + segment(PT_DYNAMIC)->p_offset);

	while (at->d_tag != tag && at->d_tag != DT_NULL)
		at++;
	return at;
}
static void strings_edit(void)
{
	dynamic(DT_STRTAB)->d_un.d_val = UINT64_MAX - 3;
}
static void symbols_edit(void)
{
	dynamic(DT_SYMTAB)->d_un.d_val = UINT64_MAX - 3;
}
static void hash_edit(void)
{
	dynamic(DT_GNU_HASH)->d_un.d_val = UINT64_MAX - 3;
}
static void sections_edit(void)
{
	header()->e_shoff = good_size - 1;
}

static const struct {
	void (*edit)(void);
	const char *sentence;
} edits[] = {
	{machine_edit, "this host runs on"},
	{machine_unknown_edit, "built for another machine (ELF machine 4711)"},
	{class_edit, "a 32-bit object; 64-bit ones are taken"},
	{order_edit, "a big-endian object"},
	{type_edit, "not a shared object; link it with -shared"},
	{magic_edit, "not an ELF file"},
	{no_stack_edit, "has no PT_GNU_STACK"},
	{write_code_edit, "both writable and executable"},
	{segment_count_edit, "its program headers have an unknown form"},
	{segment_offset_edit, "cut short within the program headers"},
	{load_size_edit, "cut short, segment"},
	{load_order_edit, "its loaded segments overlap or are out of order"},
	{dynamic_edit, "its dynamic table"},
	{no_dynamic_edit, "it has no dynamic table"},
	{strings_edit, "its dynamic strings lie outside"},
	{symbols_edit, "its dynamic symbols or their hash table lie outside"},
	{hash_edit, "its dynamic symbols or their hash table lie outside"},
	{sections_edit, "cut short, its section headers are missing"},
};

TEST(lint_refuses_each_edited_header)
{
	struct ptowsp_error error;

	for (size_t i = 0; i < sizeof(edits) / sizeof(*edits); i++) {
		good = check_read(plugin_path("good"), &good_size);
		REQUIRE(good != NULL);
		edits[i].edit();
		memset(&error, 0, sizeof(error));
		CHECK_INT(host_lint(good, good_size, "edited.so", &error), PTOWSP_PLUGIN_REFUSED);
		CHECK_CONTAINS(error.text, edits[i].sentence);
		CHECK_CONTAINS(error.text, "edited.so: ");
		free(good);
	}
}

TEST(lint_refuses_a_plugin_cut_at_any_byte)
{
	good = check_read(plugin_path("good"), &good_size);
	REQUIRE(good != NULL);
	for (size_t size = 0; size < good_size; size += size < 1200 ? 1 : 97)
		if (!look(good, size))
			CHECK_FAIL("cut at byte %zu of %zu it passes", size, good_size);
	CHECK_INT(look(good, good_size), PTOWSP_OK);
	free(good);
}

/* Neither code nor debug information is read: a hole over all of it changes nothing, and it is most of a large plugin. */
TEST(what_is_read_of_a_plugin_is_its_tables)
{
	size_t size = 0, read;
	char *bytes = check_read(check_fmt("%s/lib/ptowsp/plugins/libptowsp_aie.so", check_build()), &size), *copy;

	REQUIRE(bytes != NULL);
	copy = malloc(size);
	REQUIRE(copy != NULL);
	CHECK_INT(look(bytes, size), PTOWSP_OK);
	read = parts_copy(bytes, size, copy, 0);
	printf("# %zu of %zu bytes of the plugin aie are read\n", read, size);
	CHECK(read < size / 2);
	free(copy);
	free(bytes);
}

/* The same of a file as of its bytes in memory. */
TEST(a_file_is_read_as_far_as_it_is_looked_at)
{
	const char *path = plugin_path("good");
	struct ptowsp_error error = {0};
	unsigned char *bytes = NULL;
	struct host_note note = {0};
	size_t size = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	REQUIRE(fd >= 0);
	CHECK_INT(host_bytes_read(fd, path, &bytes, &size, &error), PTOWSP_OK);
	close(fd);
	CHECK_INT(host_lint(bytes, size, path, &error), PTOWSP_OK);
	CHECK_INT(host_note_parse(bytes, size, path, &note, &error), PTOWSP_OK);
	CHECK_STR(note.name, "good");
	host_bytes_release(bytes);
}

static uint64_t state;
static uint64_t next(void)
{
	return draw(&state, 0);
}

/* Half of the hits where the numbers are: the headers, and the dynamic table. */
static size_t place_choose(uint64_t dynamic_at)
{
	switch (next() % 4) {
	case 0: return next() % 1024 % good_size;
	case 1: return (dynamic_at + next() % 512) % good_size;
	default: return next() % good_size;
	}
}

TEST(lint_reads_no_mutated_byte_too_far)
{
	static const unsigned char values[] = {0, 1, 0x7F, 0x80, 0xFF};
	const char *given = getenv("PTOWSP_TEST_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 10, dynamic_at;
	char *kept = check_read(plugin_path("good"), &good_size);

	REQUIRE(kept != NULL && good_size > 1024);
	printf("# lint_reads_no_mutated_byte_too_far: PTOWSP_TEST_SEED=%ju\n", (uintmax_t)seed);
	fflush(stdout);
	good = kept;
	dynamic_at = segment(PT_DYNAMIC)->p_offset;
	good = malloc(good_size);
	REQUIRE(good != NULL);
	for (unsigned round = 0; round < 4000; round++) {
		state = seed + round;
		memcpy(good, kept, good_size);
		for (unsigned hits = 1 + (unsigned)(next() % 8); hits; hits--)
			good[place_choose(dynamic_at)] = (char)(next() & 1 ? values[next() % sizeof(values)] : (unsigned char)next());
		look(good, good_size);
	}
	free(good);
	free(kept);
}
