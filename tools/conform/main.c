/* SPDX-License-Identifier: MIT */
/* main.c - ptowsp-conform: does a plugin keep its side of the ABI? For those who write one. */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/layers/replay.h"
#include "host/ptowsp_host.h"
#include "ptowsp/base.h"
#include "tools/conform/runner.h"
#include "tools/pages/page.h"
#include "tools/standard.h"
#include "tools/tool.h"

#define FLAGS_FILE    "tools/conform/flags.def"
#define FLAGS_OPTIONS struct conform_options
#include "tools/flags_table.def"
const struct tool tool = {.page = &page_conform, .flags = flags, .flag_count = sizeof(flags) / sizeof(*flags)};

/* Tests of packages that are not there would look at nothing, and be ok. */
static int probes_check(const char *folder)
{
	char path[PATH_MAX];
	FILE *file = NULL;

	if (snprintf(path, sizeof(path), "%s/tasks.pkg.zst", folder) < (int)sizeof(path))
		file = fopen(path, "rb");
	if (!file)
		return tool_misuse("--probes: %s is no folder of probe packages, there is no tasks.pkg.zst in it", folder);
	fclose(file);
	return -1;
}

/* -1: go on; else the exit status. */
static int options_check(struct conform_options *o)
{
	if (o->lint && strcmp(o->lint, "off"))
		return tool_misuse("--lint knows only off, not \"%s\"", o->lint);
	if (o->isolation && strcmp(o->isolation, "process") && strcmp(o->isolation, "sandbox"))
		return tool_misuse("--isolate is process or sandbox, not \"%s\"", o->isolation);
	o->isolate = !o->isolation ? PTOWSP_ISOLATE_NONE : strcmp(o->isolation, "sandbox") ? PTOWSP_ISOLATE_PROCESS : PTOWSP_ISOLATE_SANDBOX;
	if (o->opt.count > sizeof(o->settings) / sizeof(*o->settings))
		return tool_misuse("--opt %s is one too many", o->opt.rows[sizeof(o->settings) / sizeof(*o->settings)].name);
	for (; o->setting_count < o->opt.count; o->setting_count++)
		o->settings[o->setting_count] = (struct ptowsp_setting){o->opt.rows[o->setting_count].name, o->opt.rows[o->setting_count].value};
	if (o->seed > INT64_MAX)
		return tool_misuse("--seed needs a number below 2^63");
	if (!o->timeout_s || o->timeout_s > 86400)
		return tool_misuse("--timeout needs seconds from 1 to 86400");
	if (!o->rounds || o->rounds > 100000000)
		return tool_misuse("--rounds needs a number from 1 to 100000000");
	return o->probes ? probes_check(o->probes) : -1;
}

static int options_read(struct conform_options *o, int argc, char **argv)
{
	struct command_line line = {0};
	int status = tool_read(&line, o, argc, argv);

	if (status < 0 && line.words.count > 1)
		status = tool_misuse("one plugin at a time, %s is another one", line.words.at[1]);
	o->plugin = line.words.count ? line.words.at[0] : NULL;
	free(line.words.at);
	return status < 0 ? options_check(o) : status;
}

static void difference_say(void *context, const char *line)
{
	(void)context;
	printf("%s\n", line);
}

static int replay(const struct conform_options *o)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct host_replay_result result;
	const ptowsp_status status = host_replay(o->replay, o->plugin, difference_say, NULL, &result, &error);

	if (result.calls)
		printf("%u calls, %u runs, %u differences\n", result.calls, result.runs, result.differences);
	if (status)
		tool_complain(&error);
	return status == PTOWSP_IO ? 4 : status ? 1 : 0;
}

/* The real path of the file, or of the plugin that ptowsp-run would take by that name. false: there is neither, errno says why there is no file. */
static bool plugin_find(const char *plugin, char path_out[PATH_MAX])
{
	const bool is_file = realpath(plugin, path_out) != NULL;
	const int why = errno;
	const struct ptowsp_backend_options usual = {0};
	struct ptowsp_listing *listing = NULL;
	struct ptowsp_listing_row row;
	bool found = is_file;

	if (!is_file && !strchr(plugin, '/') && !ptowsp_listing_create(&listing, &usual, NULL))
		for (uint32_t i = 0; !found && ptowsp_listing_row(listing, i, &row); i++)
			found = !row.shadowed && row.name && !strcmp(row.name, plugin) && realpath(row.path, path_out);
	ptowsp_listing_destroy(listing);
	errno = why;
	return found;
}

#if defined(__SANITIZE_ADDRESS__)
/* A test that fails cleans up nothing, and one that forks leaves by exit: what a plugin does not give back is told by its accounts. The sanitizer asks this, whatever
 * ASAN_OPTIONS says. */
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
	return 1;
}
#endif

/* An option that the plugin does not have, or a value that it does not take, would fail every test in the same way. */
static bool settings_refused(const struct conform_options *o)
{
	const struct ptowsp_backend_options options = {
		.plugin = o->plugin, .settings = o->settings, .setting_count = o->setting_count, .isolate = PTOWSP_ISOLATE_PROCESS};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct ptowsp_backend *backend = NULL;
	const ptowsp_status status = ptowsp_backend_open(&backend, &options, &error);

	ptowsp_backend_close(backend);
	if (status == PTOWSP_INVALID)
		tool_complain(&error);
	return status == PTOWSP_INVALID;
}

static int work(struct conform_options *options, int argc, char **argv)
{
	char path[PATH_MAX];
	const int status = options_read(options, argc, argv);

	if (status >= 0)
		return status;
	if (options->list)
		return conform_list(options), 0;
	if (!options->plugin)
		return tool_misuse("no plugin is given");
	if (!plugin_find(options->plugin, path)) {
		fprintf(stderr, "ptowsp-conform: %s cannot be opened: %s\n", options->plugin, strerror(errno));
		return 4;
	}
	options->plugin = path;
	if (options->setting_count && settings_refused(options))
		return 2;
	return options->replay ? replay(options) : conform_run_all(options);
}

int main(int argc, char **argv)
{
	struct conform_options options = {.seed = 1, .timeout_s = 120, .rounds = 2000};
	int status;

	standard_begin();
	status = work(&options, argc, argv);
	flags_finish(flags, tool.flag_count, &options);
	return standard_end("ptowsp-conform", status, 2);
}
