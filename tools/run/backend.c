/* SPDX-License-Identifier: MIT */
/* backend.c - from the command line to a backend. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "registry/text.h"
#include "tools/run/run_run.h"

static void log_line(void *context, int32_t level, const char *text)
{
	const struct run_options *options = context;

	if (options->quiet ? level > PTOWSP_LOG_ERROR : level > (options->verbose ? PTOWSP_LOG_DEBUG : PTOWSP_LOG_WARNING))
		return;
	fprintf(stderr, "ptowsp-run: %s\n", text);
}

/* Would a run with the values of the command line find a place there? The run tells what is missing, or takes too long to know. */
static ptowsp_status trial(void *context, struct ptowsp_program *program, struct ptowsp_error *error)
{
	ptowsp_status status = run_values_set(program, context, 0, error);

	if (!status)
		status = run_program_place(program, context, error);
	return status == PTOWSP_INVALID || status == PTOWSP_NOT_FOUND || status == PTOWSP_DEADLINE ? PTOWSP_OK : status;
}

enum { PASSED_MOST = 16 };
static struct run_passed passed[PASSED_MOST];
static uint32_t passed_count;

const struct run_passed *run_passed(uint32_t index)
{
	return index < passed_count ? &passed[index] : NULL;
}

static void skipped(void *context, const char *name, const char *reason)
{
	const struct run_options *options = context;

	if (passed_count < PASSED_MOST) {
		snprintf(passed[passed_count].name, sizeof(passed->name), "%s", name);
		snprintf(passed[passed_count++].reason, sizeof(passed->reason), "%s", reason);
	}
	if (!options->quiet)
		fprintf(stderr, "ptowsp-run: auto: %s skipped: %s\n", name, reason);
}

struct ptowsp_error *run_breach(void)
{
	static struct ptowsp_error breach = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};

	return &breach;
}

/* Real time beside semantic time, where nobody says which; which backend the list of --plugin=auto comes to is not known, and one may have no such option. */
static bool wants_times(const struct run_options *options)
{
	return (options->report || (options->profile && options->trace)) && !flag_pairs_find(&options->opt, "trace") &&
	       !(options->plugin && !strcmp(options->plugin, "auto"));
}

ptowsp_status run_backend_options(struct run_backend_options *out, const struct run_options *options, struct ptowsp_error *error)
{
	*out = (struct run_backend_options){.settings = calloc(options->opt.count + 3u, sizeof(*out->settings))};
	uint32_t count = options->opt.count;

	if (!out->settings)
		return reg_fail(error, PTOWSP_NO_MEMORY, "no memory for the command line");
	for (uint32_t i = 0; i < options->opt.count; i++)
		out->settings[i] = (struct ptowsp_setting){options->opt.rows[i].name, options->opt.rows[i].value};
	if (options->profile && !flag_pairs_find(&options->opt, "profiling"))
		out->settings[count++] = (struct ptowsp_setting){"profiling", "on"};
	if (options->device && strcspn(options->device, ",") >= sizeof(out->device)) {
		run_backend_options_finish(out);
		return reg_fail(error, PTOWSP_INVALID, "--device=%.60s: no device has so long a name", options->device);
	}
	if (options->device)
		memcpy(out->device, options->device, strcspn(options->device, ","));
	out->options = (struct ptowsp_backend_options){
		.plugin = options->plugin,
		.plugin_dirs = options->plugin_dirs.at,
		.plugin_dir_count = options->plugin_dirs.count,
		.flags = PTOWSP_BACKEND_NATIVE_APART | (options->user_plugins ? PTOWSP_BACKEND_USER_PLUGINS : 0) |
			 (run_load_flags(options) & PTOWSP_LOAD_TRUST_NATIVE ? PTOWSP_BACKEND_TRUST_NATIVE : 0) |
			 (run_load_flags(options) & PTOWSP_LOAD_TRUST_SIGNED ? PTOWSP_BACKEND_TRUST_SIGNED : 0) |
			 (options->strict ? PTOWSP_BACKEND_STRICT : 0) |
			 (options->sandbox_grants && !strcmp(options->sandbox_grants, "note") ? PTOWSP_BACKEND_GRANTS : 0),
		.device = options->device ? out->device : NULL,
		.settings = out->settings,
		.setting_count = count,
		.threads = (uint32_t)options->threads,
		.memory_limit = options->max_memory,
		.log = log_line,
		.log_context = (void *)(uintptr_t)options,
		.trust_dirs = options->trust_dirs.at,
		.plugin_trust = !options->plugin_trust || !strcmp(options->plugin_trust, "any") ? PTOWSP_PLUGINS_ANY
				: !strcmp(options->plugin_trust, "listed")                      ? PTOWSP_PLUGINS_LISTED
												: PTOWSP_PLUGINS_SIGNED,
		.load_timeout_ms = (uint32_t)options->load_timeout_ms,
		.trust_dir_count = options->trust_dirs.count,
		.layers = options->layer,
		.sandbox_memory = options->sandbox_memory,
		.sandbox_cpu_s = (uint32_t)options->sandbox_cpu,
		.sandbox_threads = (uint32_t)options->sandbox_threads,
		.breach = run_breach(),
		.isolate = run_isolation(options),
	};
	return PTOWSP_OK;
}

void run_backend_options_finish(struct run_backend_options *out)
{
	free(out->settings);
	out->settings = NULL;
}

ptowsp_status run_backend_open(struct ptowsp_backend **out, const struct run_options *options, const struct ptowsp_plan *plan, struct ptowsp_error *error)
{
	const struct ptowsp_choice choice = {skipped, trial, (void *)(uintptr_t)options};
	struct run_backend_options b;
	ptowsp_status status = run_backend_options(&b, options, error);

	if (!status && wants_times(options))
		b.settings[b.options.setting_count++] = (struct ptowsp_setting){"trace", "both"};
	run_watchdog(options, RUN_OPENING);
	if (!status && plan && options->plugin && !strcmp(options->plugin, "auto"))
		status = ptowsp_backend_choose_by(out, &b.options, options->plugin_order, plan, &choice, error);
	else if (!status)
		status = ptowsp_backend_open_for(out, &b.options, plan, error);
	if (status == PTOWSP_INVALID && wants_times(options) && strstr(error->text, "trace")) { /* it has semantic time alone */
		b.options.setting_count--;
		status = ptowsp_backend_open_for(out, &b.options, plan, error);
	}
	run_watchdog(options, RUN_NOTHING);
	run_backend_options_finish(&b);
	if (status == PTOWSP_INVALID && options->profile && strstr(error->text, " option \"profiling\" is unknown"))
		status = reg_fail(error, PTOWSP_UNSUPPORTED, "--profile: %.*s measures no times of kernels; leave it out", (int)strcspn(error->text, " "),
				  error->text);
	return status;
}

const char *run_setting(const struct run *run, const char *key)
{
	const struct flag_pair *given = flag_pairs_find(&run->options->opt, key);
	const struct ptowsp_option *option;

	for (uint32_t i = 0; (option = ptowsp_backend_option(run->backend, i)); i++)
		if (!strcmp(option->name, key))
			return given ? given->value : option->standard;
	return NULL;
}
