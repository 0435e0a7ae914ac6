/* SPDX-License-Identifier: MIT */
/* main.c - ptowsp-inspect: reads packages, and draws saved task graphs. */
#include "tools/inspect/inspect.h"

#include "format/fail.h"
#include "format/json/json.h"
#include "host/trust/trust.h"
#include "registry/names.h"
#include "registry/variable.h"
#include "tools/apart.h"
#include "tools/command_line.h"
#include "tools/folder.h"
#include "tools/output.h"
#include "tools/pages/page.h"
#include "tools/standard.h"
#include "tools/tool.h"
#include "tools/tools_graph.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum mode { SUMMARY, JSON, LISTING, SOURCE, VERIFY, PROGRAM, GRAPH, WEB };

struct options {
	enum mode mode;
	const char *mode_name; /* the flag that chose it */
	const char *graph;     /* --graph OUT */
	const char *html;      /* --html OUT */
	const char *out;       /* --out FOLDER; NULL: stdout */
	const char *trust;     /* --trust, signed */
	struct flag_list trust_dirs;
	uint64_t max_memory; /* 0: what the mode takes */
	struct flag_list paths;
};

int inspect_complain(const struct ptowsp_error *error, const char *path)
{
	if (!path || strstr(error->text, path))
		tool_complain(error);
	else
		fprintf(stderr, "ptowsp-inspect: %s: %s\n", path, error->text);
	return reg_status_exit(error->code);
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
	return mode == JSON ? PKG_TOOL_LIMIT / 4 : mode == PROGRAM || mode == WEB ? PKG_TOOL_LIMIT / 16 : PKG_TOOL_LIMIT;
}

/* One package in the chosen way. */
static int package_show(const struct options *options, const char *path, uint64_t most)
{
	const struct host_trust_dirs dirs = {options->trust_dirs.at, options->trust_dirs.count};
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
			status = inspect_signatures(package, path, &dirs, options->trust, stdout, &error);
		break;
	case WEB: status = inspect_page_save(package, path, options->html, &error); break;
	default: inspect_summary(package, path, stdout);
	}
	pkg_close(package);
	return status ? inspect_complain(&error, path) : 0;
}

static bool is_several(const struct options *options)
{
	return options->paths.count > 1 || inspect_is_folder(options->paths.at[0]);
}

/* The packages that the command line names. */
static int packages_show(const struct options *options)
{
	struct ptowsp_error error = {.code = PTOWSP_OK};
	struct inspect_paths paths = {.most = options->max_memory ? options->max_memory : mode_limit(options->mode)};
	int status = inspect_paths_collect(&paths, (char *const *)(uintptr_t)options->paths.at, (int)options->paths.count), several = is_several(options);

	for (size_t i = 0; !status && i < paths.count; i++)
		if (apart_input(paths.items[i].path, "the package", &error))
			status = inspect_complain(&error, NULL);
	if (options->mode == WEB)
		output_abort_on_signals();
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

#define FLAGS_FILE    "tools/inspect/flags.def"
#define FLAGS_OPTIONS struct options
#include "tools/flags_table.def"
const struct tool tool = {.page = &page_inspect, .flags = flags, .flag_count = sizeof(flags) / sizeof(*flags), .also = ", package format 1.0"};

/* What the tool is to do: a flag for a mode, or one of those that name the file for it. */
static int mode_read(struct options *options, const struct flag *flag)
{
	if (!!flag + !!options->graph + !!options->html > 1)
		return tool_misuse("%s excludes the others that say what to show", options->graph ? "--graph" : "--html");
	options->mode = flag ? (enum mode)flag->field : options->graph ? GRAPH : options->html ? WEB : SUMMARY;
	options->mode_name = flag ? flag->name : options->graph ? "graph" : "html";
	return -1;
}

static int options_check(const struct options *options)
{
	if (!options->paths.count)
		return tool_misuse("no %s is given", options->mode == GRAPH ? "DUMP" : "PACKAGE");
	if (options->out && options->mode != SOURCE)
		return tool_misuse("--out belongs to --pto");
	if ((options->trust_dirs.count || options->trust) && options->mode != VERIFY)
		return tool_misuse("--trust-dir and --trust=signed belong to --verify");
	if (options->trust && strcmp(options->trust, "signed"))
		return tool_misuse("--trust takes signed, not \"%s\"", options->trust);
	if (is_several(options) && (options->mode == LISTING || options->mode == GRAPH || options->mode == WEB || (options->mode == SOURCE && !options->out)))
		return tool_misuse(options->mode == SOURCE ? "--%s prints one package, or several with --out FOLDER" : "--%s takes one file",
				   options->mode_name);
	return -1;
}

/* -1: run; else the exit status. */
static int options_read(struct options *options, int argc, char **argv)
{
	struct command_line line = {0};
	int status = tool_read(&line, options, argc, argv);

	options->paths = line.words;
	if (status >= 0)
		return status;
	if (command_line_has(&line, "max-memory") && !options->max_memory)
		return tool_misuse("--max-memory takes a number of bytes from 1 on");
	status = mode_read(options, line.mode);
	return status < 0 ? options_check(options) : status;
}

int main(int argc, char **argv)
{
	struct options options = {.mode = SUMMARY};
	int status;

	standard_begin();
	status = reg_variables_guard() ? options_read(&options, argc, argv) : 1;
	if (status >= 0)
		; /* said already */
	else if (options.mode == GRAPH)
		status = graph_draw(options.graph, options.paths.at[0]);
	else
		status = packages_show(&options);
	free(options.paths.at);
	flags_finish(flags, tool.flag_count, &options);
	if (status)
		folder_drop_empty();
	return standard_end("ptowsp-inspect", status, status ? status : 2);
}
