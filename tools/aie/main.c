/* SPDX-License-Identifier: MIT */
/* main.c - ptowsp-aie: runs designs for AMD's tile arrays that any tool wrote. */
#include "tools/aie/aie.h"

#include "base/error.h"
#include "registry/names.h"
#include "registry/variable.h"
#include "tools/apart.h"
#include "tools/pages/page.h"
#include "tools/scratch.h"
#include "tools/standard.h"
#include "tools/tool.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_EVENTS = 100000000, MOST_SECONDS = 15, ABSENT_CYCLES = 1000, MOST_BYTES = 1 << 26 };
#define MOST_CYCLES (UINT64_C(1) << 40) /* of one kernel or task, so that those of a run stay below 2^64 */

/* ---- the command line ----------------------------------------------------------------------------------------------- */

#define FLAGS_FILE    "tools/aie/flags.def"
#define FLAGS_OPTIONS struct aie_options
#include "tools/flags_table.def"
const struct tool tool = {.page = &page_aie, .flags = flags, .flag_count = sizeof(flags) / sizeof(*flags)};

static bool value_read(const struct flag_pair *pair, struct aie_array_value *value)
{
	unsigned long number;
	char *stop;

	if (strncmp(pair->name, "arg", 3) != 0 || pair->name[3] < '0' || pair->name[3] > '9')
		return false;
	errno = 0;
	number = strtoul(pair->name + 3, &stop, 10);
	if (*stop || errno || number > UINT32_MAX)
		return false;
	value->number = (uint32_t)number;
	value->value = strtoll(pair->value, &stop, 10);
	return !errno && !*stop && *pair->value;
}

static int values_read(struct aie_options *options)
{
	options->numbers = calloc(options->values.count + 1u, sizeof(*options->numbers));
	if (!options->numbers)
		return 1;
	for (uint32_t i = 0; i < options->values.count; i++)
		if (!value_read(&options->values.rows[i], &options->numbers[i]))
			return tool_misuse("--value takes argN=NUMBER");
	return -1;
}

/* What calls of absent kernels take: a number of cycles, or the usual one. */
static bool absent_read(struct aie_options *options)
{
	char *stop = "";

	if (options->absent)
		options->no_kernels = options->absent == flag_bare ? ABSENT_CYCLES : strtoull(options->absent, &stop, 10);
	return !*stop && (!options->absent || options->absent == flag_bare || (*options->absent >= '0' && *options->absent <= '9'));
}

static int options_check(const struct aie_options *options)
{
	if (options->no_kernels > MOST_CYCLES || options->host_cycles > MOST_CYCLES)
		return tool_misuse("%s takes at most 2^40 cycles", options->no_kernels > MOST_CYCLES ? "--no-kernels" : "--host-cycles");
	if (options->max_seconds > MOST_CYCLES >> 16)
		return tool_misuse("--max-seconds takes at most 2^24 seconds");
	return options->buffering > 8 ? tool_misuse("--buffering takes 0 to 8") : -1;
}

/* -1: run; else the exit status. */
static int options_read(struct aie_options *options, int argc, char **argv)
{
	struct command_line line = {0};
	int status = tool_read(&line, options, argc, argv);

	if (status < 0 && line.words.count != 1)
		status = line.words.count ? tool_misuse("more than one FILE is given: %s", line.words.at[1]) : tool_misuse("no FILE is given");
	if (status < 0)
		status = values_read(options);
	if (status < 0 && !absent_read(options))
		status = tool_misuse("--no-kernels takes a number");
	options->path = line.words.count ? line.words.at[0] : NULL;
	free(line.words.at);
	return status < 0 ? options_check(options) : status;
}

/* ---- running -------------------------------------------------------------------------------------------------------- */

static ptowsp_status text_read(const char *path, char **text_out, size_t *size_out, struct ptowsp_error *error)
{
	FILE *file = fopen(path, "rb");
	char *text = file ? malloc(MOST_BYTES + 1) : NULL;
	size_t size = text ? fread(text, 1, MOST_BYTES + 1, file) : 0;
	const bool failed = !file || (text && ferror(file));
	ptowsp_status status = PTOWSP_OK;

	if (failed)
		status = base_fail(error, PTOWSP_IO, "%s cannot be read: %s", path, strerror(errno));
	else if (!text)
		status = base_fail(error, PTOWSP_NO_MEMORY, "no memory for %s", path);
	if (file)
		fclose(file);
	*text_out = text;
	*size_out = size;
	return status;
}

struct session {
	struct aie_options *options;
	struct aie_module module;
	struct aie_kernels *kernels;
	struct aie_timeline timeline;
	json_t *runs; /* with --json */
	bool any;
	int status; /* exit status of the worst */
};

/* A loop of a core without an end has few events, each of which takes its time. */
static ptowsp_status late_tell(const struct aie_run *run, uint64_t seconds, struct ptowsp_error *error)
{
	return base_fail(error, PTOWSP_LIMIT,
			 "the simulation is not over after %llu s of processor time, in cycle %llu; a core's loop may have no end, or raise --max-seconds",
			 (unsigned long long)seconds, (unsigned long long)run->stats.cycles);
}

static struct aie_array_args args_of(struct session *session, const struct aie_array_device *device)
{
	struct aie_options *options = session->options;

	return (struct aie_array_args){.module = &session->module,
				       .device = device,
				       .arch = options->arch,
				       .sequence = options->sequence,
				       .values = options->numbers,
				       .value_count = options->values.count,
				       .kernels = aie_kernels_table(session->kernels),
				       .buffering = (uint32_t)options->buffering,
				       .host_cycles = options->host_cycles,
				       .max_events = options->max_events,
				       .cancel = &aie_late,
				       .told = options->trace ? aie_timeline_told : NULL,
				       .told_context = &session->timeline,
				       .memories_context = options};
}

static void device_run(struct session *session, const struct aie_array_device *device, uint32_t number)
{
	const struct aie_options *options = session->options;
	struct aie_array_args args = args_of(session, device);
	struct aie_run run = {.device = device, .number = number, .error = {.head = PTOWSP_HEAD(run.error, ERROR)}};
	const struct aie_calls before = aie_kernels_counts(session->kernels);

	args.memories = aie_files_move;
	aie_child_bound(options->max_seconds);
	run.status = aie_array_run(&args, &run.report, &run.stats, &run.error);
	aie_child_bound(0);
	if (run.status == PTOWSP_CANCELLED)
		run.status = late_tell(&run, options->max_seconds, &run.error);
	run.calls = aie_kernels_counts(session->kernels);
	run.calls.all -= before.all;
	run.calls.absent -= before.absent;
	run.calls.guessed -= before.guessed;
	aie_timeline_name(&session->timeline, *device->name ? device->name : "device", &run.stats);
	if (options->json)
		json_array_append_new(session->runs, aie_run_json(&run));
	else
		aie_run_print(&run, options, stdout);
	fflush(stdout);
	if (run.status && !session->status)
		session->status = reg_status_exit(run.status);
	aie_sim_finish(&run.stats);
}

static bool is_meant(const struct aie_options *options, const struct aie_array_device *device, uint32_t number)
{
	const char *name = options->only && *options->only == '@' ? options->only + 1 : options->only;
	char text[16];

	snprintf(text, sizeof(text), "%u", number);
	return !options->only || !strcmp(name, device->name) || !strcmp(options->only, text);
}

/* Names of --in and --out are known once all devices were built; one that is refused is so again when it is to run, with its reason. */
static ptowsp_status names_check(struct session *session, struct ptowsp_error *error)
{
	struct aie_options *options = session->options;
	struct ptowsp_error ignored = {.head = PTOWSP_HEAD(ignored, ERROR)};
	struct aie_array_device device;
	bool all = true;

	for (uint32_t i = 0; options->inputs.count + options->outputs.count && aie_array_device_find(&session->module, i, &device); i++) {
		struct aie_array_args args = args_of(session, &device);
		struct aie_run run = {.device = &device};

		if (!is_meant(options, &device, i))
			continue;
		args.memories = aie_files_look;
		aie_child_bound(options->max_seconds);
		all = aie_array_run(&args, &run.report, &run.stats, &ignored) == PTOWSP_CANCELLED && all;
		aie_sim_finish(&run.stats);
	}
	return aie_files_check(options, all, error);
}

/* INVALID: a number for an argument that no device's sequence has. */
static ptowsp_status values_check(const struct session *session, struct ptowsp_error *error)
{
	const struct aie_options *options = session->options;
	struct aie_array_device device;
	uint32_t most = 0;

	for (uint32_t i = 0; options->values.count && aie_array_device_find(&session->module, i, &device); i++) {
		const struct aie_op *sequence = is_meant(options, &device, i) ? aie_array_sequence(&device, options->sequence) : NULL;

		if (sequence && sequence->region_count && sequence->regions[0].argument_count > most)
			most = sequence->regions[0].argument_count;
	}
	for (uint32_t i = 0; i < options->values.count; i++)
		if (options->numbers[i].number >= most)
			return base_fail(error, PTOWSP_INVALID, "--value %s: the sequence has %u argument%s, of which the first is arg0",
					 options->values.rows[i].name, most, most == 1 ? "" : "s");
	return PTOWSP_OK;
}

/* With numbers and names of the devices that there are, or of the first of them. */
static ptowsp_status only_refuse(const struct session *session, struct ptowsp_error *error)
{
	struct aie_array_device device;
	char there[160] = "";

	for (uint32_t i = 0; aie_array_device_find(&session->module, i, &device); i++) {
		const size_t length = strlen(there);

		if (length > sizeof(there) / 2) {
			snprintf(there + length, sizeof(there) - length, ", ...");
			break;
		}
		snprintf(there + length, sizeof(there) - length, "%s%u%s%.60s", length ? ", " : "", i, *device.name ? " @" : "", device.name);
	}
	if (!*there)
		return base_fail(error, PTOWSP_INVALID, "%s has no aie.device", session->options->path);
	return base_fail(error, PTOWSP_INVALID, "%s has no aie.device %s; it has %s", session->options->path, session->options->only, there);
}

static ptowsp_status devices_run(struct session *session, struct ptowsp_error *error)
{
	struct aie_array_device device;
	ptowsp_status status;

	for (uint32_t i = 0; aie_array_device_find(&session->module, i, &device); i++)
		session->any |= is_meant(session->options, &device, i);
	if (!session->any)
		return only_refuse(session, error);
	status = values_check(session, error);
	if (!status)
		status = names_check(session, error);
	for (uint32_t i = 0; !status && aie_array_device_find(&session->module, i, &device); i++)
		if (is_meant(session->options, &device, i))
			device_run(session, &device, i);
	return status;
}

static bool is_output(const struct aie_options *options, const char *path)
{
	for (uint32_t i = 0; i < options->outputs.count; i++)
		if (apart_same(options->outputs.rows[i].value, path))
			return true;
	return false;
}

/* A memory's file may be replaced by what the run makes of it, as ptowsp-run does: the new one is whole before the old one goes. */
static ptowsp_status files_keep(const struct aie_options *options, struct ptowsp_error *error)
{
	ptowsp_status status = apart_input(options->path, "the design", error);

	for (uint32_t i = 0; !status && i < options->inputs.count; i++)
		if (!is_output(options, options->inputs.rows[i].value))
			status = apart_input(options->inputs.rows[i].value, "--in", error);
	for (uint32_t i = 0; !status && i < options->kernels.count; i++)
		status = apart_input(options->kernels.rows[i].value, "--kernel", error);
	for (uint32_t i = 0; !status && i < options->outputs.count; i++)
		status = apart_output(options->outputs.rows[i].value, "--out", error);
	return status || !options->trace ? status : apart_output(options->trace, "--trace", error);
}

static ptowsp_status session_run(struct session *session, struct ptowsp_error *error)
{
	const struct aie_options *options = session->options;
	char *text = NULL;
	size_t size = 0;
	ptowsp_status status = text_read(options->path, &text, &size, error);

	aie_child_bound(options->max_seconds);
	if (!status && (status = aie_module_read(&session->module, text, size, error))) {
		char sentence[sizeof(error->text)];

		memcpy(sentence, error->text, sizeof(sentence));
		base_fail(error, status, "%s:%s", options->path, sentence);
	}
	free(text);
	if (!status)
		status = aie_kernels_open(session->kernels, error);
	aie_child_does(AIE_IS_RUNNING, NULL, NULL);
	aie_timeline_begin(&session->timeline);
	if (!status)
		status = devices_run(session, error);
	return status ? status : aie_timeline_end(&session->timeline, error);
}

/* With the sentence of what ended all of it; NULL: nothing did. Takes runs. */
static void json_print(const char *path, json_t *runs, const char *sentence)
{
	json_t *all = json_pack("{s:s,s:s,s:s*,s:o}", "schema", "ptowsp.aie/1", "file", path, "error", sentence, "devices", runs);

	json_dumpf(all, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII);
	fputc('\n', stdout);
	json_decref(all);
}

/* In the child. */
static int session_do(void *context)
{
	struct session *session = context;
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	ptowsp_status failed;
	int status;

	session->runs = json_array();
	failed = session_run(session, &error);
	status = failed ? tool_complain(&error) : session->status;
	if (session->options->json)
		json_print(session->options->path, json_incref(session->runs), failed ? error.text : NULL);
	json_decref(session->runs);
	aie_module_finish(&session->module);
	return status;
}

/* All that can be refused without running, and what is compiled. */
static ptowsp_status session_prepare(struct session *session, struct ptowsp_error *error)
{
	struct aie_options *options = session->options;
	ptowsp_status status = files_keep(options, error);

	if (!status)
		status = aie_files_open(options, error);
	if (!status && options->trace)
		status = output_open(&session->timeline.output, options->trace, error);
	return status ? status : aie_kernels_make(&session->kernels, options, error);
}

/* A timeline is also of a run that stood still; memories are what they are at the end, which that has none of. */
static ptowsp_status session_publish(struct session *session, int exit_status, struct ptowsp_error *error)
{
	ptowsp_status status = output_publish(&session->timeline.output, error);

	return status || exit_status ? status : aie_files_publish(session->options, error);
}

static int run(struct aie_options *options)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct session session = {.options = options, .timeline.output.slot = -1};
	int exit_status = 0;
	ptowsp_status status;

	output_abort_on_signals();
	status = session_prepare(&session, &error);
	if (status && options->json)
		json_print(options->path, json_array(), error.text);
	if (!status)
		status = aie_child_run(options->path, session_do, &session, &exit_status, &error);
	if (!status)
		status = session_publish(&session, exit_status, &error);
	output_drop(&session.timeline.output);
	aie_files_drop(options);
	aie_kernels_close(session.kernels);
	scratch_close("ptowsp-aie");
	return status ? tool_complain(&error) : exit_status;
}

int main(int argc, char **argv)
{
	struct aie_options options = {.buffering = 8, .max_events = MOST_EVENTS, .max_seconds = MOST_SECONDS};
	int status;

	standard_begin();
	status = reg_variables_guard() ? options_read(&options, argc, argv) : 1;
	if (status < 0)
		status = run(&options);
	free(options.numbers);
	flags_finish(flags, tool.flag_count, &options);
	return standard_end("ptowsp-aie", status, status ? status : 2);
}
