/* SPDX-License-Identifier: MIT */
/* test_abi.c - the ABI as vendors meet it: headers copied alone, built by each compiler, loaded by this host; and that nothing
 * in them moves unseen. */
#include "tests/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/find/host_plugin.h"
#include "ptowsp/ptowsp.h"

#define FROZEN "abi/v10.0"

/* ---- layout ---- */

/* First line that differs, as text for a failing check; NULL if none does. */
static const char *difference_find(const char *got, const char *wanted)
{
	while (*got && *wanted) {
		size_t a = strcspn(got, "\n"), b = strcspn(wanted, "\n");

		if (a != b || memcmp(got, wanted, a) != 0)
			return check_fmt("now \"%.*s\", golden \"%.*s\"", (int)a, got, (int)b, wanted);
		got += a + (got[a] == '\n');
		wanted += b + (wanted[b] == '\n');
	}
	if (!*got && !*wanted)
		return NULL;
	return check_fmt("%s \"%.*s\"", *got ? "now also" : "no longer there:", (int)strcspn(*got ? got : wanted, "\n"), *got ? got : wanted);
}

static char *layout_of(const char *abi)
{
	char *out = NULL, *err = NULL;

	if (check_run(check_fmt("'%s/tests/abi/layout' '%s' all", check_root(), abi), &out, &err)) {
		CHECK_FAIL("tests/abi/layout %s: %s", abi, err);
		free(out);
		out = NULL;
	}
	free(err);
	return out;
}

static char *golden_read(void)
{
	return check_read(check_fmt("%s/tests/abi/layout.golden", check_root()), NULL);
}

TEST(abi_layout_is_the_golden_one)
{
	char *now = layout_of(check_fmt("%s/abi", check_root())), *golden = golden_read();
	const char *difference;

	REQUIRE(now != NULL && golden != NULL);
	difference = difference_find(now, golden);
	if (difference)
		CHECK_FAIL("%s; a wanted change brings a new golden: tests/abi/update", difference);
	free(now);
	free(golden);
}

/* What a tool of tests/abi prints; to be freed. */
static char *told(const char *command)
{
	char *out = NULL, *err = NULL;

	if (check_run(check_fmt("cd '%s' && tests/abi/%s", check_root(), command), &out, &err))
		CHECK_FAIL("tests/abi/%s: %s", command, err);
	free(err);
	return out;
}

TEST(abi_frozen_headers_are_what_they_were)
{
	char *out = told("frozen");

	CHECK_STR(out, "");
	free(out);
}

TEST(abi_frozen_headers_show_every_edit)
{
	static const char *const edits[][2] = {
		{"printf '\\n' >>ptowsp/core.def", "ptowsp/core.def: FAILED"},
		{"sed -i 's/ANY, 0/ANY, 1/; s/any thread/another thread/' ptowsp/base.h", "ptowsp/base.h: FAILED"},
		{"rm ptowsp/unit.def", "ptowsp/unit.def: FAILED open or read"},
		{"touch ptowsp/more.h", "ptowsp/more.h: NEW"},
		{"sed -i 's/local/global/' ptowsp_plugin.map", "ptowsp_plugin.map: FAILED"},
	};

	for (size_t i = 0; i < sizeof(edits) / sizeof(*edits); i++) {
		const char *copy = check_tmp();
		char *out;

		REQUIRE_INT(check_run(check_fmt("cp -R '%s/" FROZEN "/.' '%s' && cd '%s' && %s", check_root(), copy, copy, edits[i][0]), NULL, NULL), 0);
		out = told(check_fmt("frozen '%s'", copy));
		CHECK_CONTAINS(out, edits[i][1]);
		free(out);
	}
}

/* While there is no later minor the headers are the frozen ones, but for what comments say. */
TEST(abi_headers_are_the_frozen_ones_until_a_minor_appends)
{
	char *out;

	if (PTOWSP_ABI_MINOR)
		CHECK_SKIP("the headers describe a later minor: see abi_headers_append_to_the_frozen_ones");
	out = told("same abi " FROZEN);
	CHECK_STR(out, "");
	free(out);
	REQUIRE_INT(check_run(check_fmt("cp -R '%s/" FROZEN "/.' '%s' && cd '%s/ptowsp' && sed -i 's/2, \"invalid argument\"/4, \"invalid\"/' status.def && "
					"sed -i 's/any thread/some thread/' base.h && touch more.def",
					check_root(), check_tmp(), check_dir()),
			      NULL, NULL),
		    0);
	out = told(check_fmt("same '%s' " FROZEN, check_dir()));
	CHECK_STR(out, "status.def\n");
	free(out);
}

/* What of a layout is no append to another: folders or files. To be freed. */
static char *no_append(const char *frozen, const char *now)
{
	return told(check_fmt("appends '%s' '%s'", frozen, now));
}

TEST(abi_headers_append_to_the_frozen_ones)
{
	char *out = no_append(check_fmt("%s/" FROZEN, check_root()), check_fmt("%s/abi", check_root()));

	CHECK_STR(out, "");
	free(out);
}

TEST(abi_of_the_test_minor_appends_to_the_frozen_one)
{
	const char *abi = check_tmp();
	char *out;

	REQUIRE_INT(check_run(check_fmt("cd '%s' && tests/abi/minor/headers '%s'", check_root(), abi), NULL, NULL), 0);
	out = no_append(check_fmt("%s/" FROZEN, check_root()), abi);
	CHECK_STR(out, "");
	free(out);
	out = no_append(abi, check_fmt("%s/" FROZEN, check_root())); /* the other way round fields are gone */
	CHECK_CONTAINS(out, "struct ptowsp_open_args later");
	free(out);
}

/* What the golden is for: each of these compiles, and none may pass unseen; and none is an append. */
static const struct {
	const char *name, *edit, *said;
} moves[] = {
	{"a_wider_field", "s/uint64_t memory_limit;/uint64_t memory_limit, more;/", "in the middle: struct ptowsp_open_args more 24"},
	{"a_swap", "s/uint32_t setting_count, setting_stride;/uint32_t setting_stride, setting_count;/", "ptowsp_init_args setting_count"},
	{"a_sign", "s/uint32_t binding_count, binding_stride;/int32_t binding_count, binding_stride;/", "ptowsp_run_args binding_count"},
	{"a_parameter", "s/uint64_t until_ns,/int64_t until_ns,/", "ptowsp_ops poll"},
	{"a_status_code", "s/X(DEADLINE, -15,/X(DEADLINE, -99,/", "constant PTOWSP_DEADLINE"},
	{"a_limit", "s/PTOWSP_SIZE_LIMIT 65536u/PTOWSP_SIZE_LIMIT 65528u/", "macro PTOWSP_SIZE_LIMIT"},
	{"a_field_in_the_middle", "/^struct ptowsp_load_args {/,/^};/s/^\\(	struct ptowsp_head head;\\)/\\1 uint64_t more;/", "ptowsp_load_args sections"},
	{"a_field_that_is_gone", "/^	const char \\*engine;/d", "gone: struct ptowsp_device engine"},
	{"a_higher_floor", "s/PTOWSP_HOST_FLOOR_10_0 80u/PTOWSP_HOST_FLOOR_10_0 88u/", "macro PTOWSP_HOST_FLOOR_10_0"},
	{"numbers_of_an_enum", "s/PTOWSP_STATE_DIAGNOSED = 1,/PTOWSP_STATE_DIAGNOSED = 2,/;s/PTOWSP_STATE_RECORDED = 2,/PTOWSP_STATE_RECORDED = 1,/",
	 "constant PTOWSP_STATE_RECORDED"},
	{"a_struct_kind", "s/X(RUN_ARGS, 8)/X(RUN_ARGS, 18)/", "constant PTOWSP_STRUCT_RUN_ARGS"},
};

TEST(abi_layout_shows_each_planted_move)
{
	const char *tmp = check_tmp();
	char *golden = golden_read(), *moved, *why;

	REQUIRE(golden != NULL);
	REQUIRE(check_write(check_fmt("%s/frozen", tmp), golden, strlen(golden)));
	for (size_t i = 0; i < sizeof(moves) / sizeof(*moves); i++) {
		const char *abi = check_fmt("%s/%s", tmp, moves[i].name);

		REQUIRE_INT(check_run(check_fmt("mkdir '%s' && cp -R '%s/abi/ptowsp' '%s' && sed -i '%s' '%s'/ptowsp/*", abi, check_root(), abi, moves[i].edit,
						abi),
				      NULL, NULL),
			    0);
		moved = layout_of(abi);
		REQUIRE(moved != NULL);
		if (!difference_find(moved, golden))
			CHECK_FAIL("%s is not seen", moves[i].name);
		REQUIRE(check_write(check_fmt("%s/now", tmp), moved, strlen(moved)));
		why = no_append(check_fmt("%s/frozen", tmp), check_fmt("%s/now", tmp));
		if (!strstr(why, moves[i].said))
			CHECK_FAIL("%s passes for an append: \"%s\"", moves[i].name, why);
		free(why);
		free(moved);
	}
	free(golden);
}

TEST(abi_structs_have_no_hidden_padding)
{
	char *err = NULL;

	CHECK_INT(check_run(check_fmt("echo '#include \"ptowsp/ptowsp.h\"' | gcc -std=c11 -Wall -Wextra -Wpedantic -Wpadded -Werror "
				      "-I'%s/abi' -fsyntax-only -x c -",
				      check_root()),
			    NULL, &err),
		  0);
	CHECK_STR(err, "");
	free(err);
}

/* Decision: only fixed-width integers, pointers and arrays of them cross. */
TEST(abi_structs_hold_only_fixed_width_integers_and_pointers)
{
	static const char *const allowed[] = {"uint8_t", "uint16_t", "uint32_t", "uint64_t", "int8_t",
					      "int16_t", "int32_t",  "int64_t",  "char",     "ptowsp_status"};
	char *golden = golden_read(), *save = NULL;

	REQUIRE(golden != NULL);
	for (char *line = strtok_r(golden, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		const char *type = strrchr(line, ' ') + 1;
		size_t length = strcspn(type, "[");
		bool good = strchr(type, '*') || !strncmp(type, "struct:ptowsp_", 14);

		if (strncmp(line, "struct ", 7) != 0 || !strcmp(type, "-"))
			continue;
		for (size_t i = 0; i < sizeof(allowed) / sizeof(*allowed); i++)
			good = good || (strlen(allowed[i]) == length && !memcmp(type, allowed[i], length));
		if (!good)
			CHECK_FAIL("%s", line);
	}
	free(golden);
}

/* ---- a host of the test's own, as small as the template is ---- */

struct test_host {
	uint64_t allocated, done_count, token;
	ptowsp_status status;
	uint64_t cycles, tasks;
};

static const void *test_extension(void *context, const char *id)
{
	(void)context, (void)id;
	return NULL;
}
static void *test_alloc(void *context, uint64_t size, uint64_t align)
{
	struct test_host *test = context;
	void *memory = align <= 16 ? calloc(1, size) : NULL;

	test->allocated += memory ? size : 0;
	return memory;
}
static void test_release(void *context, void *memory, uint64_t size)
{
	struct test_host *test = context;

	test->allocated -= memory ? size : 0;
	free(memory);
}
static void test_log(void *context, int32_t level, const char *text, uint64_t length)
{
	(void)context, (void)level, (void)text, (void)length;
}
static void test_diagnose(void *context, uint32_t feature, uint8_t state, const char *text, uint64_t length)
{
	(void)context, (void)feature, (void)state, (void)text, (void)length;
}
static void test_done(void *context, const struct ptowsp_done *done)
{
	struct test_host *test = context;

	test->done_count++;
	test->token = done->token;
	test->status = done->status;
	test->cycles = done->stats->total_cycles;
	test->tasks = done->stats->tasks;
}
static uint64_t test_now(void *context)
{
	(void)context;
	return 0;
}

static struct ptowsp_host host_make(struct test_host *test)
{
	return (struct ptowsp_host){.head = PTOWSP_HEAD(struct ptowsp_host, HOST),
				    .major = PTOWSP_ABI_MAJOR,
				    .context = test,
				    .extension = test_extension,
				    .alloc = test_alloc,
				    .release = test_release,
				    .log = test_log,
				    .diagnose = test_diagnose,
				    .done = test_done,
				    .now_ns = test_now};
}

/* The empty program, and one whose first instruction is something else. */
struct workload {
	struct ptowsp_workload_header header;
	struct ptowsp_instruction code[1];
};
static struct workload workload_make(unsigned opcode)
{
	return (struct workload){.header = {.magic = PTOWSP_WORKLOAD_MAGIC, .version = PTOWSP_WORKLOAD_VERSION, .num_instructions = 1},
				 .code = {{.opcode = (uint8_t)opcode}}};
}

static ptowsp_status program_load(const struct ptowsp_ops *ops, struct ptowsp_object *device, const struct workload *work, struct ptowsp_object **program_out,
				  struct ptowsp_error *error)
{
	static const struct ptowsp_entry_record entry = {.flags = PTOWSP_ENTRY_DEFAULT};
	struct ptowsp_section sections[] = {
		{PTOWSP_SECTION_ENTR, sizeof(entry), 1, &entry},
		{PTOWSP_SECTION_WORK, 1, sizeof(*work), work},
	};
	struct ptowsp_load_args args = {.head = PTOWSP_HEAD(args, LOAD_ARGS), .sections = sections, .section_count = 2, .section_stride = sizeof(*sections)};

	return ops->load(device, &args, program_out, error);
}

static void run_once(const struct ptowsp_ops *ops, struct ptowsp_object *device, struct ptowsp_object *program, struct test_host *test)
{
	struct ptowsp_run_args args = {.head = PTOWSP_HEAD(args, RUN_ARGS), .program = program, .token = 77};
	struct ptowsp_run_stats stats = {.head = PTOWSP_HEAD(stats, RUN_STATS), .total_cycles = 5};
	struct ptowsp_error error = {0};

	CHECK_INT(ops->submit(device, &args, &error), PTOWSP_OK);
	CHECK_INT(ops->submit(device, &args, &error), PTOWSP_AGAIN);
	CHECK_INT(ops->poll(device, 0, &error), PTOWSP_OK);
	CHECK_INT(ops->drain(device, 0, &error), PTOWSP_OK);
	CHECK_UINT(test->done_count, 1);
	CHECK_UINT(test->token, 77);
	CHECK_INT(test->status, PTOWSP_OK);
	CHECK_UINT(test->cycles + test->tasks, 0);
	CHECK_INT(ops->stats(program, &stats, &error), PTOWSP_OK);
	CHECK_UINT(stats.total_cycles, 0);
	CHECK_INT(ops->cancel(device, 77, &error), PTOWSP_UNIMPLEMENTED);
}

/* An argument from a host of a later minor: refused as long as it says something that this plugin does not know. */
static void refuses_unknown_fields(const struct ptowsp_ops *ops, struct ptowsp_object *instance)
{
	struct {
		struct ptowsp_open_args args;
		uint64_t later;
	} open = {.args.head = {sizeof(open), PTOWSP_STRUCT_OPEN_ARGS, 0}, .later = 1};
	struct ptowsp_error error = {0};
	struct ptowsp_object *device = NULL;

	CHECK_INT(ops->open(instance, &open.args, &device, &error), PTOWSP_UNKNOWN_FIELD);
	CHECK_CONTAINS(error.text, "a field that this plugin does not know");
	open.later = 0;
	CHECK_INT(ops->open(instance, &open.args, &device, &error), PTOWSP_OK);
	CHECK_INT(ops->close(device, &error), PTOWSP_OK);
}

static void describes_itself(const struct ptowsp_ops *ops, struct ptowsp_object *instance)
{
	const struct ptowsp_device *devices[4] = {0};
	struct ptowsp_cap rows[16];
	struct ptowsp_error error = {0};
	uint32_t count = 0;

	CHECK_INT(ops->devices(NULL, NULL, &count, &error), PTOWSP_MORE);
	REQUIRE_UINT(count, 1);
	CHECK_INT(ops->devices(NULL, devices, &count, &error), PTOWSP_OK);
	CHECK_STR(devices[0]->name, "null0");
	count = 0;
	CHECK_INT(ops->capabilities(instance, NULL, NULL, sizeof(*rows), &count, &error), PTOWSP_MORE);
	REQUIRE(count <= 16);
	CHECK_INT(ops->capabilities(instance, NULL, rows, sizeof(*rows), &count, &error), PTOWSP_OK);
	CHECK_UINT(rows[0].feature, PTOWSP_FEATURE_OPCODE(PTOWSP_OP_HALT));
	CHECK_UINT(rows[0].state, PTOWSP_STATE_ENFORCED);
}

static void whole_life(const struct host_plugin *plugin)
{
	struct test_host test = {0};
	struct ptowsp_host host = host_make(&test);
	struct ptowsp_init_args init = {.head = PTOWSP_HEAD(init, INIT_ARGS)};
	struct ptowsp_open_args open = {.head = PTOWSP_HEAD(open, OPEN_ARGS)};
	struct workload empty = workload_make(PTOWSP_OP_HALT), full = workload_make(PTOWSP_OP_TASK);
	struct ptowsp_object *instance = NULL, *device = NULL, *program = NULL;
	const struct ptowsp_ops *ops = &plugin->ops;
	struct ptowsp_error error = {0};

	REQUIRE_INT(ops->init(&host, &init, &instance, &error), PTOWSP_OK);
	describes_itself(ops, instance);
	refuses_unknown_fields(ops, instance);
	REQUIRE_INT(ops->open(instance, &open, &device, &error), PTOWSP_OK);
	CHECK_INT(program_load(ops, device, &full, &program, &error), PTOWSP_UNSUPPORTED);
	CHECK_CONTAINS(error.text, "null runs the empty program only");
	REQUIRE_INT(program_load(ops, device, &empty, &program, &error), PTOWSP_OK);
	run_once(ops, device, program, &test);
	CHECK_INT(ops->unload(program, &error), PTOWSP_OK);
	CHECK_INT(ops->close(device, &error), PTOWSP_OK);
	CHECK_INT(ops->fini(instance, &error), PTOWSP_OK);
	CHECK_UINT(test.allocated, 0);
}

/* ---- the matrix ---- */

static const struct compiler {
	const char *name, *command;
} compilers[] = {
	{"gcc", "gcc -std=c11"},
	{"clang", "clang -std=c11"},
	{"gxx", "g++ -x c++ -std=c++17"},
	{"clangxx", "clang++ -x c++ -std=c++17"},
};
static const char *const headers[] = {"current", "frozen"};

/* Which pair the running test is: template_of_<headers>_headers_by_<compiler>. */
static const struct compiler *pair_find(const char **headers_out)
{
	const char *name = check_name();

	for (size_t h = 0; h < sizeof(headers) / sizeof(*headers); h++)
		for (size_t c = 0; c < sizeof(compilers) / sizeof(*compilers); c++)
			if (!strcmp(name, check_fmt("template_of_%s_headers_by_%s", headers[h], compilers[c].name))) {
				*headers_out = headers[h];
				return &compilers[c];
			}
	return NULL;
}

/* A folder with nothing in it but what a vendor gets: headers, version script, template. */
static void vendor_folder_make(const char *dir, const char *which)
{
	const char *from = check_fmt("%s/%s", check_root(), strcmp(which, "frozen") ? "abi" : FROZEN);

	REQUIRE_INT(check_run(check_fmt("cp -R '%s/ptowsp' '%s/ptowsp_plugin.map' '%s/abi/template' '%s'", from, from, check_root(), dir), NULL, NULL), 0);
}

static void template_lives_in_this_host(void)
{
	const char *which = NULL, *dir = check_tmp();
	const struct compiler *compiler = pair_find(&which);
	struct host_plugin *plugin;
	struct ptowsp_error error = {0};
	char *err = NULL;

	REQUIRE(compiler != NULL);
	vendor_folder_make(dir, which);
	CHECK_INT(check_run(check_fmt("cd '%s' && CC='%s' CFLAGS=-Werror template/build", dir, compiler->command), NULL, &err), 0);
	CHECK_STR(err, "");
	free(err);
	CHECK_INT(host_plugin_load(NULL, check_fmt("%s/libptowsp_null.so", dir), &plugin, &error), PTOWSP_OK);
	CHECK_STR(error.text, "");
	REQUIRE(plugin != NULL);
	CHECK_UINT(plugin->note.major, 10);
	CHECK_UINT(plugin->note.minor, 0);
	CHECK_UINT(plugin->note.sanitizer, 0);
	CHECK_STR(plugin->note.name, "null");
	CHECK_STR(plugin->note.vendor, "example");
	CHECK_STR(plugin->note.version, "1.0.0");
	CHECK_STR(plugin->note.targets, "null");
	CHECK_UINT(plugin->descriptor->head.size, PTOWSP_PLUGIN_FLOOR_10_0);
	CHECK_UINT(plugin->descriptor->ops->head.size, PTOWSP_OPS_FLOOR_10_0);
	whole_life(plugin);
}

/* ---- the guide ---- */

/* The blocks marked sh, as one script. Returns its length. */
static size_t script_extract(char *guide, char *out)
{
	char *save = NULL, *end = out;
	bool on = false;

	for (char *line = strtok_r(guide, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (!strncmp(line, "```", 3))
			on = !strcmp(line, "```sh");
		else if (on)
			end += sprintf(end, "%s\n", line);
	}
	return (size_t)(end - out);
}

TEST(guide_commands_work_in_a_fresh_folder)
{
	char *guide = check_read(check_fmt("%s/abi/README.md", check_root()), NULL), *script, *out = NULL, *err = NULL;
	const char *dir = check_tmp(), *path = check_fmt("%s/guide.sh", dir);
	size_t size;

	if (access(check_fmt("%s/bin/ptowsp-run", check_build()), X_OK)) {
		free(guide);
		CHECK_SKIP("the tools are not built");
	}
	REQUIRE(guide != NULL);
	script = malloc(strlen(guide) + 1);
	REQUIRE(script != NULL);
	size = script_extract(guide, script);
	CHECK(size > 500);
	REQUIRE(check_write(path, script, size));
	if (check_run(check_fmt("cd '%s' && PTOWSP='%s' BIN='%s/bin' sh -eux guide.sh", dir, check_root(), check_build()), &out, &err))
		CHECK_FAIL("%.300s: %.600s", strlen(err) > 300 ? err + strlen(err) - 300 : err, strlen(out) > 600 ? out + strlen(out) - 600 : out);
	CHECK_CONTAINS(out, "libptowsp_null.so");
	free(out);
	free(err);
	free(script);
	free(guide);
}

void suite_abi(CU_pSuite s)
{
	for (size_t h = 0; h < sizeof(headers) / sizeof(*headers); h++)
		for (size_t c = 0; c < sizeof(compilers) / sizeof(*compilers); c++)
			check_add(s, check_fmt("template_of_%s_headers_by_%s", headers[h], compilers[c].name), template_lives_in_this_host);
}
