/* SPDX-License-Identifier: MIT */
/* test_load.c - loading: one sentence for each bad plugin, one object for each file, no hole in the operations. */
#include "tests/check.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "host/find/host_plugin.h"
#include "host/trust/sealed.h"

static const char *plugin_path(const char *name)
{
	return check_fmt("%s/tests/hostile/libptowsp_%s.so", check_build(), name);
}

static ptowsp_status load(const char *path, struct host_plugin **plugin_out, struct ptowsp_error *error)
{
	memset(error, 0, sizeof(*error));
	return host_plugin_load(NULL, path, plugin_out, error);
}

TEST(load_gives_descriptor_note_and_operations)
{
	struct host_plugin *plugin;
	struct ptowsp_error error;
	struct ptowsp_object *instance = NULL;

	REQUIRE_INT(load(plugin_path("good"), &plugin, &error), PTOWSP_OK);
	CHECK_STR(plugin->path, plugin_path("good"));
	CHECK_STR(plugin->note.name, "good");
	CHECK_STR(plugin->descriptor->name, "good");
	CHECK_UINT(plugin->minor, 0);
	CHECK_INT(plugin->ops.init(NULL, NULL, &instance, &error), PTOWSP_OK);
	CHECK(instance != NULL);
}

/* What is said of each bad plugin; all of them are PLUGIN_REFUSED, exit code 4. */
static const struct {
	const char *plugin, *sentence;
} bad[] = {
	{"no_note", "no ptowsp note, so not a plugin"},
	{"note_major", "its note is of ABI v11 only, this host speaks v10"},
	{"note_cut", "a string of its note does not end"},
	{"v11_only", "exports v11 only, this host speaks v10"},
	{"other_sanitizer", "build both the same way"},
	{"unknown_sanitizer", "built with an unknown sanitizer"},
	{"descriptor_major", "its descriptor is of ABI v11, this host speaks v10"},
	{"name_mismatch", "its note says name \"name_mismatch\", its descriptor \"another\""},
	{"version_mismatch", "its note says version \"1.0\", its descriptor \"2.0\""},
	{"flags_mismatch", "its note says minor 0, flags 0, its descriptor minor 0, flags 0x4"},
	{"null_string", "a string of its descriptor is NULL"},
	{"null_ops", "its descriptor has no operations, ops is NULL"},
	{"size_zero", "its descriptor says 0 bytes, not 64 to 65536"},
	{"size_small", "its descriptor says 48 bytes, not 64 to 65536"},
	{"size_huge", "its descriptor says 4294967295 bytes, not 64 to 65536"},
	{"wrong_type", "its descriptor is of struct type 4, not 3"},
	{"ops_small", "its operations table says 120 bytes, not 128 to 65536"},
	{"ops_huge", "its operations table says 65544 bytes, not 128 to 65536"},
	{"ops_type", "its operations table is of struct type 3, not 4"},
	{"needs_unknown", "it needs the host extension \"com.example.teleport/2\", which this host (v10.1) does not have"},
	{"entry_null", "its entry returned NULL: it needs a newer host than v10.1"},
	{"no_entry", "does not export ptowsp_plugin_v10"},
	{"undefined", "cannot be loaded: undefined symbol: hostile_is_nowhere"},
	{"exec_stack", "asks for an executable stack"},
	{"lazy", "is bound lazily"},
	{"stray_export", "exports \"hostile_stray\" besides its entry"},
};

TEST(load_refuses_each_bad_plugin)
{
	struct host_plugin *plugin;
	struct ptowsp_error error;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		plugin = (struct host_plugin *)&error;
		CHECK_INT(load(plugin_path(bad[i].plugin), &plugin, &error), PTOWSP_PLUGIN_REFUSED);
		CHECK(plugin == NULL);
		CHECK_INT(error.code, PTOWSP_PLUGIN_REFUSED);
		CHECK_CONTAINS(error.text, bad[i].sentence);
		CHECK_CONTAINS(error.text, bad[i].plugin);
	}
}

TEST(load_refuses_what_is_no_file)
{
	const char *dir = check_tmp();
	const char *text = check_fmt("%s/text.so", dir), *empty = check_fmt("%s/empty.so", dir);
	const char *fifo = check_fmt("%s/fifo.so", dir);
	struct host_plugin *plugin;
	struct ptowsp_error error;

	REQUIRE(check_write(text, "INPUT(libc.so.6)\n", 17));
	REQUIRE(check_write(empty, "", 0));
	REQUIRE_INT(check_run(check_fmt("mkfifo '%s'", fifo), NULL, NULL), 0);
	CHECK_INT(load(text, &plugin, &error), PTOWSP_PLUGIN_REFUSED);
	CHECK_CONTAINS(error.text, "text.so: not an ELF file");
	CHECK_INT(load(empty, &plugin, &error), PTOWSP_PLUGIN_REFUSED);
	CHECK_CONTAINS(error.text, "empty.so: not an ELF file");
	CHECK_INT(load(fifo, &plugin, &error), PTOWSP_PLUGIN_REFUSED);
	CHECK_CONTAINS(error.text, "fifo.so: not a regular file");
	CHECK_INT(load(check_fmt("%s/", dir), &plugin, &error), PTOWSP_PLUGIN_REFUSED);
	CHECK_CONTAINS(error.text, "not a regular file");
	CHECK_INT(load(check_fmt("%s/absent.so", dir), &plugin, &error), PTOWSP_PLUGIN_REFUSED);
	CHECK_CONTAINS(error.text, "absent.so: cannot be opened: No such file");
}

TEST(load_fills_every_hole_with_unimplemented)
{
	struct host_plugin *plugin;
	struct ptowsp_error error;
	struct ptowsp_object *object = NULL;
	uint32_t count = 0;

	REQUIRE_INT(load(plugin_path("empty_ops"), &plugin, &error), PTOWSP_OK);
	CHECK(plugin->ops.extension(NULL, "ptowsp.trace/1") == NULL);
#define ASK(call, name)                                                                                                                                        \
	do {                                                                                                                                                   \
		memset(&error, 0, sizeof(error));                                                                                                              \
		CHECK_INT(plugin->ops.call, PTOWSP_UNIMPLEMENTED);                                                                                             \
		CHECK_INT(error.code, PTOWSP_UNIMPLEMENTED);                                                                                                   \
		CHECK_CONTAINS(error.text, "\"" name "\"");                                                                                                    \
	} while (0)
	ASK(init(NULL, NULL, &object, &error), "init");
	ASK(fini(NULL, &error), "fini");
	ASK(devices(NULL, NULL, &count, &error), "devices");
	ASK(options(NULL, &count, &error), "options");
	ASK(capabilities(NULL, NULL, NULL, 32, &count, &error), "capabilities");
	ASK(open(NULL, NULL, &object, &error), "open");
	ASK(close(NULL, &error), "close");
	ASK(load(NULL, NULL, &object, &error), "load");
	ASK(unload(NULL, &error), "unload");
	ASK(submit(NULL, NULL, &error), "submit");
	ASK(cancel(NULL, 0, &error), "cancel");
	ASK(poll(NULL, 0, &error), "poll");
	ASK(drain(NULL, 0, &error), "drain");
	ASK(stats(NULL, NULL, &error), "stats");
#undef ASK
	CHECK_INT(plugin->ops.fini(NULL, NULL), PTOWSP_UNIMPLEMENTED);
}

/* The table of the plugin is 64 bytes longer than ours and of minor 7. */
TEST(load_cuts_a_later_plugin_at_the_host_s_minor)
{
	struct host_plugin *plugin;
	struct ptowsp_error error;

	REQUIRE_INT(load(plugin_path("later_minor"), &plugin, &error), PTOWSP_OK);
	CHECK_UINT(plugin->note.minor, 7);
	CHECK_UINT(plugin->minor, PTOWSP_HOST_MINOR);
	CHECK_UINT(plugin->ops.head.size, sizeof(struct ptowsp_ops));
	CHECK_UINT(plugin->descriptor->ops->head.size, sizeof(struct ptowsp_ops) + 64);
}

TEST(load_takes_a_plugin_whose_needs_are_met)
{
	struct host_plugin *plugin;
	struct ptowsp_error error;

	CHECK_INT(load(plugin_path("needs_known"), &plugin, &error), PTOWSP_OK);
}

TEST(load_twice_gives_one_object)
{
	const char *dir = check_tmp(), *link = check_fmt("%s/link.so", dir), *hard = check_fmt("%s/hard.so", dir);
	struct host_plugin *first, *again;
	struct ptowsp_error error;

	REQUIRE_INT(load(plugin_path("good"), &first, &error), PTOWSP_OK);
	REQUIRE_INT(load(plugin_path("good"), &again, &error), PTOWSP_OK);
	CHECK(first == again);
	REQUIRE_INT(symlink(plugin_path("good"), link), 0);
	CHECK_INT(load(link, &again, &error), PTOWSP_OK);
	CHECK(first == again);
	REQUIRE_INT(check_run(check_fmt("ln '%s' '%s'", plugin_path("good"), hard), NULL, NULL), 0);
	CHECK_INT(load(hard, &again, &error), PTOWSP_OK);
	CHECK(first == again);
}

TEST(load_of_two_plugins_gives_two_entries)
{
	struct host_plugin *first, *second;
	struct ptowsp_error error;

	REQUIRE_INT(load(plugin_path("good"), &first, &error), PTOWSP_OK);
	REQUIRE_INT(load(plugin_path("good_too"), &second, &error), PTOWSP_OK);
	CHECK(first != second);
	CHECK(first->descriptor != second->descriptor);
	CHECK(first->ops.init != second->ops.init);
	CHECK_STR(second->descriptor->name, "good_too");
}

TEST(load_refuses_a_file_that_was_replaced_under_its_name)
{
	const char *path = check_fmt("%s/libptowsp_any.so", check_tmp());
	struct host_plugin *plugin;
	struct ptowsp_error error;

	REQUIRE_INT(check_run(check_fmt("cp '%s' '%s'", plugin_path("good"), path), NULL, NULL), 0);
	REQUIRE_INT(load(path, &plugin, &error), PTOWSP_OK);
	REQUIRE_INT(check_run(check_fmt("rm '%s' && cp '%s' '%s'", path, plugin_path("good_too"), path), NULL, NULL), 0);
	CHECK_INT(load(path, &plugin, &error), PTOWSP_PLUGIN_REFUSED);
	CHECK_CONTAINS(error.text, "was replaced since this program loaded it");
}

TEST(load_takes_a_private_library_beside_the_plugin)
{
	struct host_plugin *plugin;
	struct ptowsp_error error;

	CHECK_INT(load(plugin_path("private_library"), &plugin, &error), PTOWSP_OK);
	CHECK_STR(error.text, "");
}

/* The switch of tests that need a plugin which a shipping host would refuse. */
TEST(load_without_lint_takes_a_lazily_bound_plugin)
{
	struct host_search search = {.lint_off = true};
	struct host_plugin *plugin;
	struct ptowsp_error error;

	CHECK_INT(host_plugin_load(&search, plugin_path("lazy"), &plugin, &error), PTOWSP_OK);
	CHECK_INT(host_plugin_load(&search, plugin_path("no_note"), &plugin, &error), PTOWSP_PLUGIN_REFUSED);
}

/* dlsym also looks into what a plugin needs; what it finds there is not the file that was checked. */
TEST(load_refuses_an_entry_of_another_file)
{
	struct host_search search = {.lint_off = true};
	struct host_plugin *plugin;
	struct ptowsp_error error;

	CHECK_INT(host_plugin_load(&search, plugin_path("borrowed_entry"), &plugin, &error), PTOWSP_PLUGIN_REFUSED);
	CHECK_CONTAINS(error.text, "the entry that was found belongs to another file");
}

TEST(load_runs_constructors_only_of_what_it_loads)
{
	struct host_plugin *plugin;
	struct ptowsp_error error;

	CHECK_INT(load(plugin_path("good"), &plugin, &error), PTOWSP_OK);
	CHECK(getenv("PTOWSP_TEST_CONSTRUCTOR") == NULL);
	CHECK_INT(load(plugin_path("constructor"), &plugin, &error), PTOWSP_OK);
	CHECK_STR(getenv("PTOWSP_TEST_CONSTRUCTOR"), "ran");
	unsetenv("PTOWSP_TEST_CONSTRUCTOR");
}

static int sealed_make(struct host_sealed *sealed, const char *plugin)
{
	ptowsp_status status;
	size_t size;
	char *bytes = check_read(plugin_path(plugin), &size);
	bool made =
		bytes && !host_sealed_begin(sealed, plugin, &status) && !host_sealed_append(sealed, bytes, size, &status) && !host_sealed_end(sealed, &status);

	free(bytes);
	return made ? sealed->fd : -1;
}

/* The linker knows an object by the number of its file, also when that is closed: the next file of that number needs another, and there may be none. */
TEST(a_file_gets_a_number_that_no_object_is_loaded_by)
{
	char name[HOST_SEALED_NAME];
	struct host_sealed sealed;
	struct rlimit limit, few;
	void *object;
	int number = sealed_make(&sealed, "good");

	REQUIRE(number >= 0 && !getrlimit(RLIMIT_NOFILE, &limit));
	host_sealed_name(number, name);
	object = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
	REQUIRE(object != NULL);
	host_sealed_finish(&sealed, false);
	REQUIRE_INT(sealed_make(&sealed, "constructor"), number);
	few = (struct rlimit){(rlim_t)number + 1, limit.rlim_max};
	CHECK_INT(setrlimit(RLIMIT_NOFILE, &few), 0);
	CHECK(!host_sealed_number(&sealed));
	CHECK_INT(sealed.fd, number);
	CHECK_INT(setrlimit(RLIMIT_NOFILE, &limit), 0);
	CHECK(host_sealed_number(&sealed));
	CHECK(sealed.fd > number && !host_sealed_loaded(sealed.fd));
	dlclose(object);
	host_sealed_finish(&sealed, false);
}
