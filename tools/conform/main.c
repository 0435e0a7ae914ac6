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

static int misuse(const char *format, const char *what)
{
	fprintf(stderr, "ptowsp-conform: ");
	fprintf(stderr, format, what);
	fprintf(stderr, "; ptowsp-conform --help\n");
	return 2;
}

static bool number_read(const char *text, uint64_t least, uint64_t most, uint64_t *value_out)
{
	char *end;

	errno = 0;
	*value_out = strtoull(text, &end, 0);
	return *text >= '0' && *text <= '9' && !*end && !errno && *value_out >= least && *value_out <= most;
}

static char empty[] = "";

/* "--name VALUE" or "--name=VALUE"; NULL: another flag. "": it lacks its value. */
static char *value_of(const char *name, int argc, char **argv, int *at)
{
	char *flag = argv[*at];
	size_t length = strlen(name);

	if (strncmp(flag, name, length) != 0 || (flag[length] && flag[length] != '='))
		return NULL;
	if (flag[length])
		return flag + length + 1;
	return *at + 1 < argc ? argv[++*at] : empty;
}

/* text: KEY=VALUE, cut in two in place. */
static int setting_take(struct conform_options *o, char *text)
{
	char *mark = strchr(text, '=');

	if (!mark || mark == text)
		return misuse("--opt needs KEY=VALUE, not \"%s\"", text);
	if (o->setting_count == sizeof(o->settings) / sizeof(*o->settings))
		return misuse("--opt %s is one too many", text);
	*mark = 0;
	o->settings[o->setting_count++] = (struct ptowsp_setting){text, mark + 1};
	return -1;
}

/* -1: go on; else the exit status. */
/* Tests of packages that are not there would look at nothing, and be ok. */
static int probes_take(struct conform_options *o, const char *value)
{
	char path[PATH_MAX];
	FILE *file = NULL;

	if (!*value)
		return misuse("%s needs a folder", "--probes");
	if (snprintf(path, sizeof(path), "%s/tasks.pkg.zst", value) < (int)sizeof(path))
		file = fopen(path, "rb");
	if (!file)
		return misuse("--probes: %s is no folder of probe packages, there is no tasks.pkg.zst in it", value);
	fclose(file);
	o->probes = value;
	return -1;
}

static int flag_take(struct conform_options *o, bool *list, int argc, char **argv, int *at)
{
	const char *flag = argv[*at];
	char *value;
	uint64_t number;

	if (!strcmp(flag, "--help") || !strcmp(flag, "-h"))
		return page_print(&page_conform, stdout), 0;
	if (!strcmp(flag, "--version"))
		return printf("ptowsp-conform %d.%d.0, ABI %s\n", PTOWSP_ABI_MAJOR, PTOWSP_ABI_MINOR, PTOWSP_ABI_STRING), 0;
	if (!strcmp(flag, "--json"))
		return o->json = true, -1;
	if (!strcmp(flag, "--list"))
		return *list = true, -1;
	if (!strcmp(flag, "--in-process"))
		return o->in_process = true, -1;
	if (!strcmp(flag, "--no-waivers"))
		return o->strict = true, -1;
	if ((value = value_of("--lint", argc, argv, at)))
		return o->lint_off = !strcmp(value, "off"), o->lint_off ? -1 : misuse("--lint knows only off, not \"%s\"", value);
	if ((value = value_of("--test", argc, argv, at)))
		return o->pattern = value, *value ? -1 : misuse("%s needs a pattern", flag);
	if ((value = value_of("--opt", argc, argv, at)))
		return setting_take(o, value);
	if ((value = value_of("--replay", argc, argv, at)))
		return o->replay = value, *value ? -1 : misuse("%s needs a file", flag);
	if ((value = value_of("--probes", argc, argv, at)))
		return probes_take(o, value);
	if ((value = value_of("--seed", argc, argv, at)))
		return number_read(value, 0, INT64_MAX, &o->seed) ? -1 : misuse("--seed needs a number from 0, not \"%s\"", value);
	if ((value = value_of("--timeout", argc, argv, at)))
		return number_read(value, 1, 86400, &number)      ? o->timeout_s = (uint32_t)number,
							       -1 : misuse("--timeout needs seconds from 1 to 86400, not \"%s\"", value);
	if ((value = value_of("--rounds", argc, argv, at)))
		return number_read(value, 1, 100000000, &number)      ? o->rounds = (uint32_t)number,
								   -1 : misuse("--rounds needs a number from 1, not \"%s\"", value);
	return misuse("unknown flag %s", flag);
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
		fprintf(stderr, "ptowsp-conform: %s\n", error.text);
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

static int work(int argc, char **argv)
{
	struct conform_options options = {.seed = 1, .timeout_s = 120, .rounds = 2000};
	char path[PATH_MAX];
	bool list = false;

	for (int i = 1; i < argc; i++) {
		int status = -1;

		if (argv[i][0] == '-')
			status = flag_take(&options, &list, argc, argv, &i);
		else if (options.plugin)
			return misuse("one plugin at a time, %s is another one", argv[i]);
		else
			options.plugin = argv[i];
		if (status >= 0)
			return status;
	}
	if (list)
		return conform_list(&options), 0;
	if (!options.plugin)
		return misuse("no %s is given", "plugin");
	if (!plugin_find(options.plugin, path)) {
		fprintf(stderr, "ptowsp-conform: %s cannot be opened: %s\n", options.plugin, strerror(errno));
		return 4;
	}
	options.plugin = path;
	return options.replay ? replay(&options) : conform_run_all(&options);
}

int main(int argc, char **argv)
{
	standard_begin();
	return standard_end("ptowsp-conform", work(argc, argv), 2);
}
