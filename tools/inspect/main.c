/* SPDX-License-Identifier: MIT */
/* main.c - ptowsp-inspect: reads packages, and draws saved task graphs. */
#include "tools/inspect/inspect.h"

#include "format/fail.h"
#include "format/json/json.h"
#include "registry/variable.h"
#include "tools/apart.h"
#include "tools/folder.h"
#include "tools/output.h"
#include "tools/pages/page.h"
#include "tools/standard.h"
#include "tools/tools_graph.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum mode { SUMMARY, JSON, LISTING, SOURCE, VERIFY, PROGRAM, GRAPH, HELP, VERSION };

struct options {
	enum mode mode;
	const char *mode_name; /* the flag that chose it */
	const char *graph;     /* --graph OUT */
	const char *out;       /* --out FOLDER; NULL: stdout */
	struct inspect_trust trust;
	uint64_t max_memory; /* 0: what the mode takes */
	char **paths;        /* of argv */
	int path_count;
};

int inspect_exit(ptowsp_status status)
{
	switch (status) {
#define X(name, code, exit_code, text)                                                                                                                         \
	case code:                                                                                                                                             \
		return exit_code;
#include "ptowsp/status.def"
#undef X
	}
	return 1;
}

int inspect_complain(const struct ptowsp_error *error, const char *path)
{
	if (!path || strstr(error->text, path))
		fprintf(stderr, "ptowsp-inspect: %s\n", error->text);
	else
		fprintf(stderr, "ptowsp-inspect: %s: %s\n", path, error->text);
	return inspect_exit(error->code);
}

static int misuse(const char *format, const char *what)
{
	fputs("ptowsp-inspect: ", stderr);
	fprintf(stderr, format, what);
	fputs("; usage: ptowsp-inspect [--json|--disasm|--pto|--c|--verify] PACKAGE..., more with --help\n", stderr);
	return 2;
}

void inspect_notices(const struct pkg *package, const char *path)
{
	const char *notice;

	for (uint32_t i = 0; (notice = pkg_notice(package, i)); i++)
		fprintf(stderr, "ptowsp-inspect: %s: %s\n", path, notice);
}

ptowsp_status inspect_open(struct pkg **package_out, const char *path, uint64_t most, struct ptowsp_error *error)
{
	const struct pkg_limits limits = {most, most, 1};

	return pkg_open(package_out, path, &limits, error);
}

/* Text takes several times the room of what it says, and calls that build it far more time. */
static uint64_t mode_limit(enum mode mode)
{
	return mode == JSON ? PKG_TOOL_LIMIT / 4 : mode == PROGRAM ? PKG_TOOL_LIMIT / 16 : PKG_TOOL_LIMIT;
}

/* One package in the chosen way. */
static int package_show(const struct options *options, const char *path, uint64_t most)
{
	struct ptowsp_error error = {.code = PTOWSP_OK};
	struct pkg *package;
	char *text = NULL;
	ptowsp_status status = inspect_open(&package, path, most, &error);

	if (status)
		return inspect_complain(&error, NULL);
	inspect_notices(package, path);
	switch (options->mode) {
	case JSON:
		status = pkg_to_json(package, &text, &error);
		if (!status && inspect_memory_append(pkg_tables(package), text, stdout))
			status = pkg_fail(&error, PTOWSP_NO_MEMORY, "no memory for the text");
		free(text);
		break;
	case LISTING: status = inspect_listing(package, stdout, &error); break;
	case SOURCE: status = inspect_source(package, stdout, &error); break;
	case VERIFY:
		status = inspect_verify(package, path, stdout, &error);
		if (!status)
			status = inspect_signatures(package, path, &options->trust, stdout, &error);
		break;
	default: inspect_summary(package, path, stdout);
	}
	pkg_close(package);
	return status ? inspect_complain(&error, path) : 0;
}

static bool is_several(const struct options *options)
{
	return options->path_count > 1 || inspect_is_folder(options->paths[0]);
}

/* The packages that the command line names. */
static int packages_show(const struct options *options)
{
	struct ptowsp_error error = {.code = PTOWSP_OK};
	struct inspect_paths paths = {.most = options->max_memory ? options->max_memory : mode_limit(options->mode)};
	int status = inspect_paths_collect(&paths, options->paths, options->path_count), several = is_several(options);

	for (size_t i = 0; !status && i < paths.count; i++)
		if (apart_input(paths.items[i].path, "the package", &error))
			status = inspect_complain(&error, NULL);
	if (options->mode == PROGRAM)
		status = status ? status : inspect_program(&paths, stdout);
	else if (options->mode == SOURCE && options->out)
		output_abort_on_signals(), status = inspect_worse(status, inspect_sources_save(&paths, options->out, stdout));
	else if (several && options->mode != VERIFY)
		status = inspect_worse(status, inspect_lines(&paths, options->mode == JSON, stdout));
	else
		for (size_t i = 0; i < paths.count; i++)
			status = inspect_worse(status, package_show(options, paths.items[i].path, paths.most));
	inspect_paths_finish(&paths);
	return status;
}

static int graph_draw(const char *out, const char *dump)
{
	struct ptowsp_error error = {.code = PTOWSP_OK};
	struct graph graph = {0};
	ptowsp_status status = graph_path_check(out, &error);

	output_abort_on_signals();
	if (!status)
		status = apart_input(dump, "the dump", &error);
	if (!status)
		status = graph_read(&graph, dump, &error);
	if (!status)
		status = graph_save(&graph, out, &error);
	graph_finish(&graph);
	return status ? inspect_complain(&error, NULL) : 0;
}

/* ---- the command line ---- */

static int mode_set(struct options *options, enum mode mode, const char *name)
{
	if (options->mode_name && options->mode != mode)
		return misuse("%s excludes the flag before it", name);
	options->mode = mode;
	options->mode_name = name;
	return 0;
}

/* The flags: where the value of a TEXT goes; for modes and pages which. */
enum sort { MODE, TEXT, DIRS, TRUST, NUMBER, PAGE };
static const struct flag {
	const char *name, *argument;
	char letter; /* 0: it has none */
	enum sort sort;
	size_t field;
} flags[] = {
#define FIELD_MODE(field)   field
#define FIELD_PAGE(field)   field
#define FIELD_TEXT(field)   offsetof(struct options, field)
#define FIELD_DIRS(field)   0
#define FIELD_TRUST(field)  0
#define FIELD_NUMBER(field) offsetof(struct options, field)
#define G(title)
#define X(name, letter, sort, field, argument, text) {"--" name, argument, letter, sort, FIELD_##sort(field)},
#include "tools/inspect/flags.def"
#undef X
#undef G
};

static bool takes_value(const struct flag *flag)
{
	return flag->sort != MODE && flag->sort != PAGE;
}

static const struct flag *flag_find(const char *text)
{
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		size_t length = strlen(flags[i].name);

		if (flags[i].letter && text[1] == flags[i].letter && !text[2])
			return &flags[i];
		if (!strncmp(text, flags[i].name, length) && (!text[length] || (text[length] == '=' && takes_value(&flags[i]))))
			return &flags[i];
	}
	return NULL;
}

static int text_take(struct options *options, const struct flag *flag, const char *value)
{
	*(const char **)((char *)options + flag->field) = value;
	if (flag->field == offsetof(struct options, graph))
		return mode_set(options, GRAPH, flag->name) ? 2 : -1;
	return -1;
}

static int number_take(struct options *options, const struct flag *flag, const char *value)
{
	char *stop;

	errno = 0;
	*(uint64_t *)(void *)((char *)options + flag->field) = strtoull(value, &stop, 10);
	return errno || *stop || *value < '1' || *value > '9' ? misuse("--max-memory takes a number of bytes from 1 on, not \"%s\"", value) : -1;
}

static int value_take(struct options *options, const struct flag *flag, int argc, char **argv, int *at)
{
	const char *behind = argv[*at] + strlen(flag->name), *value;

	if (!*behind && *at + 1 >= argc)
		return misuse(flag->sort == NUMBER                  ? "%s needs a number"
			      : flag->sort == TRUST                 ? "%s needs the word signed"
			      : !strncmp(flag->argument, "FILE", 4) ? "%s needs a file to write"
								    : "%s needs a folder",
			      flag->name);
	value = *behind ? behind + 1 : argv[++*at];
	if (flag->sort == TEXT)
		return text_take(options, flag, value);
	if (flag->sort == NUMBER)
		return number_take(options, flag, value);
	if (flag->sort == DIRS)
		options->trust.dirs[options->trust.dir_count++] = value;
	else if (strcmp(value, "signed"))
		return misuse("--trust takes signed, not \"%s\"", value);
	else
		options->trust.wanted = 1;
	return -1;
}

static void page_show(enum mode mode)
{
	if (mode == HELP)
		page_print(&page_inspect, stdout);
	else
		printf("ptowsp-inspect %d.%d.0, ABI %s, package format 1.0\n", PTOWSP_ABI_MAJOR, PTOWSP_ABI_MINOR, PTOWSP_ABI_STRING);
}

/* -1: go on; else the exit status. */
static int flag_take(struct options *options, int argc, char **argv, int *at)
{
	const struct flag *flag = flag_find(argv[*at]);

	if (!flag)
		return misuse("unknown flag %s", argv[*at]);
	if (takes_value(flag))
		return value_take(options, flag, argc, argv, at);
	if (flag->sort == MODE)
		return mode_set(options, (enum mode)flag->field, flag->name) ? 2 : -1;
	page_show((enum mode)flag->field);
	return 0;
}

/* -1: run; else the exit status. */
static int options_read(struct options *options, int argc, char **argv)
{
	bool flags_may_come = true;

	options->paths = argv;
	for (int i = 1; i < argc; i++) {
		if (flags_may_come && !strcmp(argv[i], "--")) {
			flags_may_come = false;
		} else if (flags_may_come && argv[i][0] == '-') {
			int status = flag_take(options, argc, argv, &i);

			if (status >= 0)
				return status;
		} else {
			options->paths[options->path_count++] = argv[i]; /* never ahead of i */
		}
	}
	if (!options->path_count)
		return misuse("no %s is given", options->mode == GRAPH ? "DUMP" : "PACKAGE");
	if (options->out && options->mode != SOURCE)
		return misuse("--out belongs to %s", "--pto");
	if ((options->trust.dir_count || options->trust.wanted) && options->mode != VERIFY)
		return misuse("--trust-dir and --trust=signed belong to %s", "--verify");
	if (is_several(options) && (options->mode == LISTING || options->mode == GRAPH || (options->mode == SOURCE && !options->out)))
		return misuse(options->mode == SOURCE ? "%s prints one package, or several with --out FOLDER" : "%s takes one file", options->mode_name);
	return -1;
}

int main(int argc, char **argv)
{
	struct options options = {.mode = SUMMARY, .trust.dirs = calloc((size_t)argc + 1, sizeof(char *))};
	int status;

	standard_begin();
	status = options.trust.dirs && reg_variables_guard() ? options_read(&options, argc, argv) : 1;
	if (status >= 0)
		; /* said already */
	else if (options.mode == GRAPH)
		status = graph_draw(options.graph, options.paths[0]);
	else
		status = packages_show(&options);
	free(options.trust.dirs);
	if (status)
		folder_drop_empty();
	return standard_end("ptowsp-inspect", status, status ? status : 2);
}
