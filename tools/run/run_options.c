/* SPDX-License-Identifier: MIT */
/* run_options.c - parser of the command line, driven by run/flags.def. */
#include "tools/run/run_options.h"
#include "host/ptowsp_host.h"

#include <stdlib.h>
#include <string.h>

#include "ptowsp/run.h"
#include "registry/text.h"

#define FLAGS_FILE    "tools/run/flags.def"
#define FLAGS_OPTIONS struct run_options
#include "tools/flags_table.def"
enum { FLAGS = sizeof(flags) / sizeof(*flags) };
_Static_assert(sizeof(flags) / sizeof(*flags) <= (size_t)COMMAND_LINE_FLAGS, "what command_line.h has room for");

const char *run_isolation_text(uint32_t isolate)
{
	static const char *const words[] = {"", "none", "process", "sandbox"};

	return isolate <= PTOWSP_ISOLATE_SANDBOX ? words[isolate] : "";
}

uint32_t run_isolation(const struct run_options *o)
{
	for (uint32_t i = PTOWSP_ISOLATE_NONE; o->isolate && i <= PTOWSP_ISOLATE_SANDBOX; i++)
		if (!strcmp(o->isolate, run_isolation_text(i)))
			return i;
	return PTOWSP_ISOLATE_DEFAULT;
}

/* Files of one run are different ones: what is written last would be all that is left. */
static ptowsp_status files_check(const struct run_options *o, struct ptowsp_error *error)
{
	const char *const single[] = {o->trace, o->graph, o->report, o->checkpoint};
	const uint32_t count = o->out.count + (uint32_t)(sizeof(single) / sizeof(*single));

	for (uint32_t i = 0; i < count; i++) {
		const char *file = i < o->out.count ? o->out.rows[i].value : single[i - o->out.count];

		for (uint32_t k = 0; file && strcmp(file, "-") && k < i; k++) {
			const char *other = k < o->out.count ? o->out.rows[k].value : single[k - o->out.count];

			if (other && !strcmp(file, other))
				return reg_fail(error, PTOWSP_INVALID,
						"%.160s is to be written twice; --out, --trace, --graph, --report and --checkpoint take a file each", file);
		}
	}
	return PTOWSP_OK;
}

/* Flags that only a run, or its explanation, heeds. */
static const char *const of_a_run[] = {"in",         "fill", "out",   "expect", "rtol",  "atol",   "checkpoint", "restore", "set",   "schedule",
				       "no-kernels", "runs", "stats", "trace",  "graph", "report", "profile",    "emit",    "entry", "chain"};

/* A flag without effect is an error of who gave it. */
static ptowsp_status mode_check(const struct command_line *line, const struct run_options *o, struct ptowsp_error *error)
{
	if (o->mode != RUN_LIST_PLUGINS && o->mode != RUN_DEVICES && o->mode != RUN_CAPABILITIES)
		return PTOWSP_OK;
	for (size_t k = 0; k < sizeof(of_a_run) / sizeof(*of_a_run); k++)
		if (command_line_has(line, of_a_run[k]))
			return reg_fail(error, PTOWSP_INVALID, "--%s belongs to a run, and --%s runs no package; leave one of them out", of_a_run[k],
					line->mode->name);
	return PTOWSP_OK;
}

/* A package where one is wanted, and nowhere else. */
static ptowsp_status package_check(const struct command_line *line, const struct run_options *o, struct ptowsp_error *error)
{
	if (o->package && (o->mode == RUN_LIST_PLUGINS || o->mode == RUN_DEVICES || o->mode == RUN_CAPABILITIES))
		return reg_fail(error, PTOWSP_INVALID, "--%s takes no package, here is %.160s", line->mode->name, o->package);
	if (o->package || (o->mode != RUN_PACKAGE && o->mode != RUN_EXPLAIN))
		return PTOWSP_OK;
	if (line->last)
		return reg_fail(error, PTOWSP_INVALID, "no PACKAGE is named: \"%.120s\" is the value of --%s; --help shows the options", line->last_value,
				line->last->name);
	return reg_fail(error, PTOWSP_INVALID, "no PACKAGE is named: ptowsp-run [options] PACKAGE; --help shows the options");
}

static ptowsp_status together_check(const struct run_options *o, struct ptowsp_error *error)
{
	if (o->json && o->mode == RUN_PACKAGE)
		return reg_fail(error, PTOWSP_INVALID, "--json goes with --list-plugins, --devices, --capabilities and --explain; a run has --stats=json");
	if (o->html && (o->mode != RUN_CAPABILITIES || o->verify || o->host || o->json))
		return reg_fail(error, PTOWSP_INVALID, "--html goes with --capabilities, without --verify, --host and --json; --report writes a page of a run");
	if (o->host && (o->mode != RUN_CAPABILITIES || o->verify || o->plugin))
		return reg_fail(error, PTOWSP_INVALID, "--host goes with --capabilities alone: it shows what the host does, not a plugin");
	if (o->verify && o->mode != RUN_CAPABILITIES)
		return reg_fail(error, PTOWSP_INVALID, "--verify goes with --capabilities; a package is checked by ptowsp-inspect --verify");
	if (o->stats && strcmp(o->stats, "text") && strcmp(o->stats, "json"))
		return reg_fail(error, PTOWSP_INVALID, "--stats=%.40s is neither text nor json", o->stats);
	if (!o->runs || o->runs > UINT32_MAX)
		return reg_fail(error, PTOWSP_INVALID, "--runs must be 1 or more");
	if (o->chain && (o->no_kernels || o->checkpoint || o->restore || o->emit || (o->device && strchr(o->device, ','))))
		return reg_fail(error, PTOWSP_INVALID, "--chain goes with a run of kernels on one device, without --checkpoint, --restore and --emit");
	if (!o->load_timeout_ms || o->load_timeout_ms > UINT32_MAX)
		return reg_fail(error, PTOWSP_INVALID, "--load-timeout-ms must be 1 to %u", UINT32_MAX);
	if (o->sandbox_threads > UINT32_MAX || o->sandbox_cpu > UINT32_MAX)
		return reg_fail(error, PTOWSP_INVALID, "--sandbox-threads and --sandbox-cpu are %u at the most", UINT32_MAX);
	if (o->sandbox_threads && o->threads >= o->sandbox_threads)
		return reg_fail(error, PTOWSP_INVALID,
				"--sandbox-threads %llu has no room for --threads %llu and those of the worker; allow more, or use fewer threads",
				(unsigned long long)o->sandbox_threads, (unsigned long long)o->threads);
	if ((o->sandbox_memory || o->sandbox_threads || o->sandbox_cpu) && (!o->isolate || strcmp(o->isolate, "sandbox")))
		return reg_fail(error, PTOWSP_INVALID, "--sandbox-memory, --sandbox-threads and --sandbox-cpu go with --isolate=sandbox, not %s%.40s",
				o->isolate ? "with " : "alone", o->isolate ? o->isolate : "");
	if (o->sandbox_grants && strcmp(o->sandbox_grants, "owner") && strcmp(o->sandbox_grants, "note"))
		return reg_fail(error, PTOWSP_INVALID, "--sandbox-grants=%.40s is neither owner nor note", o->sandbox_grants);
	if (o->threads > 65536)
		return reg_fail(error, PTOWSP_INVALID, "--threads %llu is more than 65536", (unsigned long long)o->threads);
	if (o->graph && !strcmp(o->graph, "-") && o->stats && !strcmp(o->stats, "json"))
		return reg_fail(error, PTOWSP_INVALID, "--graph - and --stats=json both write to stdout; give the graph a file");
	if (o->plugin_order && (!o->plugin || strcmp(o->plugin, "auto") != 0))
		return reg_fail(error, PTOWSP_INVALID, "--plugin-order goes with --plugin=auto");
	if (o->isolate && !run_isolation(o))
		return reg_fail(error, PTOWSP_INVALID, "--isolate=%.40s is neither none, process nor sandbox", o->isolate);
	if (o->cache && strcmp(o->cache, "on") && strcmp(o->cache, "off"))
		return reg_fail(error, PTOWSP_INVALID, "--cache=%.40s is neither on nor off", o->cache);
	if (o->trust && strcmp(o->trust, "none") && strcmp(o->trust, "all") && strcmp(o->trust, "signed"))
		return reg_fail(error, PTOWSP_INVALID, "--trust=%.40s is none of none, signed, all", o->trust);
	if (o->plugin_trust && strcmp(o->plugin_trust, "any") && strcmp(o->plugin_trust, "listed") && strcmp(o->plugin_trust, "signed"))
		return reg_fail(error, PTOWSP_INVALID, "--plugin-trust=%.40s is none of any, listed, signed", o->plugin_trust);
	if (o->device && (*o->device == ',' || strstr(o->device, ",,") || (*o->device && o->device[strlen(o->device) - 1] == ',')))
		return reg_fail(error, PTOWSP_INVALID, "--device=%.60s: a name is missing beside a comma; ptowsp-run --devices lists them", o->device);
	return files_check(o, error);
}

ptowsp_status run_options_parse(struct run_options *options_out, int argc, char **argv, struct ptowsp_error *error)
{
	struct run_options *o = options_out;
	struct command_line line = {.flags = flags, .count = FLAGS, .into = o};
	ptowsp_status status;

	*o = (struct run_options){.runs = 1, .load_timeout_ms = 120000, .cache_size = UINT64_C(2) << 30, .rtol = 1e-5, .atol = 1e-6};
	status = command_line_read(&line, argc, argv, error);
	if (!status && line.words.count > 1)
		status = reg_fail(error, PTOWSP_INVALID, "there is already a package, \"%.80s\" is one too many", line.words.at[1]);
	o->package = line.words.count ? line.words.at[0] : NULL;
	free(line.words.at);
	o->mode = o->help ? RUN_HELP : line.mode ? (enum run_mode)line.mode->field : RUN_PACKAGE;
	if (o->stats == flag_bare)
		o->stats = "text";
	if (!status)
		status = together_check(o, error);
	if (!status)
		status = mode_check(&line, o, error);
	return status ? status : package_check(&line, o, error);
}

uint32_t run_load_flags(const struct run_options *options)
{
	const char *trust = options->trust ? options->trust : "none";

	return (options->strict ? PTOWSP_LOAD_STRICT : 0) | (!strcmp(trust, "all") ? PTOWSP_LOAD_TRUST_NATIVE : 0) |
	       (!strcmp(trust, "signed") ? PTOWSP_LOAD_TRUST_SIGNED : 0);
}

void run_options_finish(struct run_options *options)
{
	flags_finish(flags, FLAGS, options);
}
