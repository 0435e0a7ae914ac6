/* SPDX-License-Identifier: MIT */
/* main.c - ptowsp-run: runs a package on a backend. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "registry/names.h"
#include "registry/variable.h"
#include "tools/folder.h"
#include "tools/plain.h"
#include "tools/run/run_profile.h"
#include "tools/run/run_ranks.h"
#include "tools/run/run_run.h"
#include "tools/standard.h"

/* The output of a run behind its work. A failed one prints nothing on stdout, except figures that explain the failure:
 * those of a comparison or a deadlock. */
static ptowsp_status print_results(struct run *run, ptowsp_status status, const struct ptowsp_error *failure, struct ptowsp_error *error)
{
	const struct run_options *o = run->options;
	bool figures = !status || ((status == PTOWSP_MISMATCH || status == PTOWSP_DEADLOCK) && o->stats);

	if (!figures || !run->program)
		return PTOWSP_OK;
	if (o->stats && !strcmp(o->stats, "json"))
		return run_stats_json(run, status, failure, error);
	if (o->stats)
		run_stats_text(run);
	else if (o->runs == 1)
		run_summary_print(run);
	return o->profile ? run_profile_print(run, error) : PTOWSP_OK;
}

/* Many settings do not fit into an error's text: then they follow behind it. */
static void settings_add(const struct run *run, struct ptowsp_error *error, char *rest, size_t size)
{
	const struct ptowsp_deadlock *deadlock = run->program ? ptowsp_deadlock(run->program) : NULL;
	char *use = strstr(error->text, "; use ");

	if (!deadlock || !use || !deadlock->option[0] || strstr(use, deadlock->option))
		return;
	snprintf(rest, size, "; use %s", deadlock->option);
	*use = '\0';
}

static ptowsp_status run_package(const struct run_options *options, char *rest, size_t size, struct ptowsp_error *error)
{
	struct ptowsp_error later = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct run run = {.options = options};
	ptowsp_status status = run_open(&run, options, error), printed;

	if (!status)
		status = run_execute(&run, error);
	if (!status || options->verbose)
		if (run.program)
			run_diagnostics_print(&run);
	printed = print_results(&run, status, error, status ? &later : error);
	if (!status)
		status = printed;
	if (status == PTOWSP_DEADLOCK)
		settings_add(&run, error, rest, size);
	run_finish(&run);
	return status;
}

static ptowsp_status version(void)
{
	printf("ptowsp-run %s, %s\n", ptowsp_version(), ptowsp_features());
	return PTOWSP_OK;
}

static void folder_tell(const char *path)
{
	struct stat there;

	if (!stat(path, &there) && !S_ISDIR(there.st_mode))
		plain_line(stderr, "ptowsp-run: --plugin-dir %s is a file, not a folder; name the folder that it lies in, or a plugin's file by --plugin=PATH",
			   path);
	else if (access(path, R_OK | X_OK))
		plain_line(stderr, "ptowsp-run: --plugin-dir %s cannot be read: %s", path, strerror(errno));
}

/* No plugin comes from a folder that is not there; one of another folder may, and nobody would see why. */
static void folders_tell(const struct run_options *options)
{
	for (uint32_t i = 0; !options->quiet && i < options->plugin_dirs.count; i++)
		folder_tell(options->plugin_dirs.at[i]);
}

/* rest: of the sentence, where it is longer than an error's text. */
static ptowsp_status dispatch(const struct run_options *options, char *rest, size_t size, struct ptowsp_error *error)
{
	const bool of_a_package = options->mode == RUN_PACKAGE || options->mode == RUN_EXPLAIN; /* what probes compile is nobody's next run */

	ptowsp_compiled_cache(of_a_package && (!options->cache || !strcmp(options->cache, "on")) ? options->cache_size : 0);
	switch (options->mode) {
	case RUN_LIST_PLUGINS: return run_list_plugins(options, error);
	case RUN_DEVICES: return run_devices(options, error);
	case RUN_CAPABILITIES: return options->verify ? run_claims(options, error) : run_capabilities(options, error);
	case RUN_EXPLAIN: return run_explain(options, error);
	case RUN_HELP: return run_help(options, error);
	case RUN_VERSION: return version();
	case RUN_PACKAGE: break;
	}
	return run_package(options, rest, size, error);
}

static bool returned;

/* A plugin in this process called exit: of a status that it chose nobody could tell that the run did not end. (_exit, and a signal, leave no time for a word.) */
static void left_early(void)
{
	if (returned)
		return;
	fprintf(stderr, "ptowsp-run: a plugin ended this process by exit() before the work was done; --isolate=process gives it one of its own\n");
	output_abort_all();
	_exit(reg_status_exit(PTOWSP_DEVICE_LOST));
}

int main(int argc, char **argv)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct run_options options;
	char rest[sizeof(((struct ptowsp_deadlock *)NULL)->option) + 16] = "";
	ptowsp_status status;

	standard_begin();
	if (!reg_variables_guard())
		return 1;
	atexit(left_early);
	run_signals_install();
	status = run_options_parse(&options, argc, argv, &error);
	run_watchdog(&options, RUN_NOTHING);
	if (run_ranks_are_told(&options) && !status) {
		run_options_finish(&options);
		returned = true;
		return 0;
	}
	if (!status)
		status = run_ranks_apply(&options, &error);
	if (!status)
		status = dispatch(&options, rest, sizeof(rest), &error);
	if (!status)
		folders_tell(&options);
	if (!status)
		status = standard_check(&error);
	if (!status && run_breach()->code) {
		error = *run_breach();
		status = error.code;
	}
	run_ranks_explain(&options, &error);
	run_options_finish(&options);
	if (status)
		folder_drop_empty();
	returned = true;
	if (status && options.rank && !run_signal())
		run_ranks_yield();
	if (status && options.rank)
		fprintf(stderr, "ptowsp-run: rank %s: %s%s\n", options.rank_text, *error.text ? error.text : reg_status_text(status), rest);
	else if (status)
		fprintf(stderr, "ptowsp-run: %s%s\n", *error.text ? error.text : reg_status_text(status), rest);
	return run_signal() ? 128 + run_signal() : status == RUN_NOTHING_PROVED ? RUN_NOTHING_PROVED_EXIT : reg_status_exit(status);
}
