/* SPDX-License-Identifier: MIT */
/* main.c - ptowsp-aie: runs designs for AMD's tile arrays that any tool wrote. */
#include "tools/aie/aie.h"

#include "base/error.h"
#include "registry/variable.h"
#include "tools/apart.h"
#include "tools/pages/page.h"
#include "tools/standard.h"

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { MOST_EVENTS = 100000000, MOST_SECONDS = 15, ABSENT_CYCLES = 1000, MOST_BYTES = 1 << 26 };
#define MOST_CYCLES (UINT64_C(1) << 40) /* of one kernel or task, so that those of a run stay below 2^64 */

static int exit_of(ptowsp_status status)
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

static int complain(const struct ptowsp_error *error)
{
	fprintf(stderr, "ptowsp-aie: %s\n", error->text);
	return exit_of(error->code);
}

static int misuse(const char *format, const char *what)
{
	fputs("ptowsp-aie: ", stderr);
	fprintf(stderr, format, what);
	fputs("; usage: ptowsp-aie [options] FILE.mlir, more with --help\n", stderr);
	return 2;
}

/* ---- the command line ----------------------------------------------------------------------------------------------- */

enum sort { FLAG, TEXT, NUMBER, PAIR, OPEN, PAGE };
static const struct flag {
	const char *name;
	char letter;
	enum sort sort;
	size_t field;
} flags[] = {
#define FIELD_FLAG(field)   offsetof(struct aie_options, field)
#define FIELD_TEXT(field)   offsetof(struct aie_options, field)
#define FIELD_NUMBER(field) offsetof(struct aie_options, field)
#define FIELD_PAIR(field)   offsetof(struct aie_options, field)
#define FIELD_OPEN(field)   offsetof(struct aie_options, field)
#define FIELD_PAGE(field)   field
#define G(title)
#define X(name, letter, sort, field, argument, text) {"--" name, letter, sort, FIELD_##sort(field)},
#include "tools/aie/flags.def"
#undef X
#undef G
};

static const struct flag *flag_find(const char *text)
{
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		const size_t length = strlen(flags[i].name);

		if (flags[i].letter && text[1] == flags[i].letter && !text[2])
			return &flags[i];
		if (!strncmp(text, flags[i].name, length) && (!text[length] || (text[length] == '=' && flags[i].sort != FLAG && flags[i].sort != PAGE)))
			return &flags[i];
	}
	return NULL;
}

static int number_take(uint64_t *number, const char *name, const char *value)
{
	char *stop;

	errno = 0;
	*number = strtoull(value, &stop, 10);
	return errno || *stop || *value < '0' || *value > '9' ? misuse("%s takes a number", name) : -1;
}

/* What stands behind the name, as --help shows it. */
static const char *pair_form(const char *name)
{
	return !strcmp(name, "--cycles") ? "%s takes NAME=CYCLES" : !strcmp(name, "--value") ? "%s takes argN=NUMBER" : "%s takes NAME=FILE";
}

static int pair_take(struct aie_pairs *pairs, const char *name, const char *value)
{
	const char *equals = strchr(value, '=');

	if (!equals || equals == value || !equals[1])
		return misuse(pair_form(name), name);
	for (int i = 0; i < pairs->count; i++)
		if (!strncmp(pairs->rows[i].name, value, (size_t)(equals - value)) && !pairs->rows[i].name[equals - value])
			return misuse("%s stands twice for one name; leave one", name);
	pairs->rows[pairs->count].name = strndup(value, (size_t)(equals - value));
	pairs->rows[pairs->count].file = equals + 1;
	return pairs->rows[pairs->count++].name ? -1 : 1;
}

/* -1: go on; else the exit status. */
static int flag_take(struct aie_options *options, int argc, char **argv, int *at)
{
	const struct flag *flag = flag_find(argv[*at]);
	const char *behind, *value;
	void *field;

	if (!flag)
		return misuse("unknown flag %s", argv[*at]);
	behind = argv[*at] + strlen(flag->name);
	field = (char *)options + flag->field;
	if (flag->sort == PAGE) {
		if (flag->field == 'h')
			page_print(&page_aie, stdout);
		else
			printf("ptowsp-aie %d.%d.0, ABI %s\n", PTOWSP_ABI_MAJOR, PTOWSP_ABI_MINOR, PTOWSP_ABI_STRING);
		return 0;
	}
	if (flag->sort == FLAG)
		return *(bool *)field = true, -1;
	if (flag->sort == OPEN)
		return *behind ? number_take(field, flag->name, behind + 1) : (*(uint64_t *)field = ABSENT_CYCLES, -1);
	if (!*behind && *at + 1 >= argc)
		return misuse("%s needs a value", flag->name);
	value = *behind == '=' ? behind + 1 : argv[++*at];
	if (flag->sort == TEXT)
		return *(const char **)field = value, -1;
	return flag->sort == NUMBER ? number_take(field, flag->name, value) : pair_take(field, flag->name, value);
}

static bool value_read(const struct aie_pair *pair, struct aie_array_value *value)
{
	char *stop;

	if (strncmp(pair->name, "arg", 3) != 0 || pair->name[3] < '0' || pair->name[3] > '9')
		return false;
	value->number = (uint32_t)strtoul(pair->name + 3, &stop, 10);
	if (*stop)
		return false;
	errno = 0;
	value->value = strtoll(pair->file, &stop, 10);
	return !errno && !*stop && *pair->file;
}

/* -1: run; else the exit status. */
static int options_read(struct aie_options *options, int argc, char **argv)
{
	bool flags_may_come = true;

	for (int i = 1; i < argc; i++) {
		int status = -1;

		if (flags_may_come && !strcmp(argv[i], "--"))
			flags_may_come = false;
		else if (flags_may_come && argv[i][0] == '-')
			status = flag_take(options, argc, argv, &i);
		else if (options->path)
			return misuse("more than one FILE is given: %s", argv[i]);
		else
			options->path = argv[i];
		if (status >= 0)
			return status;
	}
	for (int i = 0; i < options->values.count; i++)
		if (!value_read(&options->values.rows[i], &options->numbers[i]))
			return misuse("%s takes argN=NUMBER", "--value");
	if (!options->path)
		return misuse("no %s is given", "FILE");
	if (options->no_kernels > MOST_CYCLES || options->host_cycles > MOST_CYCLES)
		return misuse("%s takes at most 2^40 cycles", options->no_kernels > MOST_CYCLES ? "--no-kernels" : "--host-cycles");
	if (options->max_seconds > MOST_CYCLES >> 16)
		return misuse("%s takes at most 2^24 seconds", "--max-seconds");
	return options->buffering > 8 ? misuse("%s takes 0 to 8", "--buffering") : -1;
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

/* Not 0: the run has gone on for long enough. */
static volatile uint32_t late;

static void on_alarm(int number)
{
	(void)number;
	late = 1;
}

/* A loop of a core without an end has few events, each of which takes its time. */
static ptowsp_status run_timed(const struct aie_array_args *args, struct aie_run *run, uint64_t seconds)
{
	const struct itimerval never = {0}, bound = {.it_value.tv_sec = (time_t)seconds};
	struct sigaction action = {.sa_flags = SA_RESTART};
	ptowsp_status status;

	action.sa_handler = on_alarm;
	late = 0;
	sigaction(SIGPROF, &action, NULL);
	setitimer(ITIMER_PROF, &bound, NULL);
	status = aie_array_run(args, &run->report, &run->stats, &run->error);
	setitimer(ITIMER_PROF, &never, NULL);
	return status != PTOWSP_CANCELLED
		       ? status
		       : base_fail(&run->error, PTOWSP_LIMIT,
				   "the simulation is not over after %llu s of processor time, in cycle %llu; a core's loop may have no end, "
				   "or raise --max-seconds",
				   (unsigned long long)seconds, (unsigned long long)run->stats.cycles);
}

static void device_run(struct session *session, const struct aie_array_device *device, uint32_t number)
{
	struct aie_options *options = session->options;
	const struct aie_array_args args = {.module = &session->module,
					    .device = device,
					    .arch = options->arch,
					    .sequence = options->sequence,
					    .values = options->numbers,
					    .value_count = (uint32_t)options->values.count,
					    .kernels = aie_kernels_table(session->kernels),
					    .buffering = (uint32_t)options->buffering,
					    .host_cycles = options->host_cycles,
					    .max_events = options->max_events,
					    .cancel = &late,
					    .told = options->trace ? aie_timeline_told : NULL,
					    .told_context = &session->timeline,
					    .memories = aie_files_move,
					    .memories_context = options};
	struct aie_run run = {.device = device, .number = number, .error = {.head = PTOWSP_HEAD(run.error, ERROR)}};
	uint64_t calls, absent;

	aie_kernels_counts(session->kernels, &calls, &absent);
	run.status = run_timed(&args, &run, options->max_seconds);
	aie_kernels_counts(session->kernels, &run.calls, &run.absent);
	run.calls -= calls;
	run.absent -= absent;
	aie_timeline_name(&session->timeline, *device->name ? device->name : "device", &run.stats);
	if (options->json)
		json_array_append_new(session->runs, aie_run_json(&run));
	else
		aie_run_print(&run, options, stdout);
	if (run.status && !session->status)
		session->status = exit_of(run.status);
	aie_sim_finish(&run.stats);
	session->any = true;
}

static bool is_meant(const struct aie_options *options, const struct aie_array_device *device, uint32_t number)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", number);
	return !options->only || !strcmp(options->only, device->name) || !strcmp(options->only, text);
}

static ptowsp_status pairs_check(const struct aie_pairs *pairs, const char *flag, struct ptowsp_error *error)
{
	for (int i = 0; i < pairs->count; i++)
		if (!pairs->rows[i].met)
			return base_fail(error, PTOWSP_INVALID, "%s %s: no device that ran has memory of that name", flag, pairs->rows[i].name);
	return PTOWSP_OK;
}

static ptowsp_status devices_run(struct session *session, struct ptowsp_error *error)
{
	struct aie_array_device device;
	ptowsp_status status;

	for (uint32_t i = 0; aie_array_device_find(&session->module, i, &device); i++)
		if (is_meant(session->options, &device, i))
			device_run(session, &device, i);
	if (!session->any)
		return base_fail(error, PTOWSP_INVALID, "%s has no aie.device%s%s", session->options->path, session->options->only ? " " : "",
				 session->options->only ? session->options->only : "");
	if (session->status && session->status != exit_of(PTOWSP_DEADLOCK))
		return PTOWSP_OK;
	status = pairs_check(&session->options->inputs, "--in", error);
	return status ? status : pairs_check(&session->options->outputs, "--out", error);
}

static ptowsp_status files_keep(const struct aie_options *options, struct ptowsp_error *error)
{
	ptowsp_status status = apart_input(options->path, "the design", error);

	for (int i = 0; !status && i < options->inputs.count; i++)
		status = apart_input(options->inputs.rows[i].file, "--in", error);
	for (int i = 0; !status && i < options->kernels.count; i++)
		status = apart_input(options->kernels.rows[i].file, "--kernel", error);
	for (int i = 0; !status && i < options->outputs.count; i++)
		status = apart_output(options->outputs.rows[i].file, "--out", error);
	return status || !options->trace ? status : apart_output(options->trace, "--trace", error);
}

static ptowsp_status session_run(struct session *session, struct ptowsp_error *error)
{
	char *text = NULL;
	size_t size = 0;
	ptowsp_status status = files_keep(session->options, error);

	if (!status)
		status = text_read(session->options->path, &text, &size, error);
	if (!status && (status = aie_module_read(&session->module, text, size, error))) {
		char sentence[sizeof(error->text)];

		memcpy(sentence, error->text, sizeof(sentence));
		base_fail(error, status, "%s:%s", session->options->path, sentence);
	}
	free(text);
	if (!status)
		status = aie_kernels_open(&session->kernels, session->options, error);
	if (!status)
		status = aie_timeline_begin(&session->timeline, session->options->trace, error);
	if (!status)
		status = devices_run(session, error);
	if (!status)
		status = aie_timeline_end(&session->timeline, error);
	return status;
}

static void options_finish(struct aie_options *options)
{
	struct aie_pairs *lists[] = {&options->kernels, &options->cycles, &options->inputs, &options->outputs, &options->values};

	free(options->numbers);
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		for (int j = 0; j < lists[i]->count; j++)
			free((char *)(uintptr_t)lists[i]->rows[j].name);
		free(lists[i]->rows);
	}
}

static int run(struct aie_options *options)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct session session = {.options = options, .runs = json_array()};
	int status;

	output_abort_on_signals();
	status = session_run(&session, &error) ? complain(&error) : session.status;
	if (options->json && session.any) {
		json_t *all = json_pack("{s:s,s:s,s:O}", "schema", "ptowsp.aie/1", "file", options->path, "devices", session.runs);

		json_dumpf(all, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII);
		fputc('\n', stdout);
		json_decref(all);
	}
	json_decref(session.runs);
	output_drop(&session.timeline.output);
	aie_kernels_close(session.kernels);
	aie_module_finish(&session.module);
	return status;
}

int main(int argc, char **argv)
{
	struct aie_options options = {.buffering = 8, .max_events = MOST_EVENTS, .max_seconds = MOST_SECONDS};
	struct aie_pairs *lists[] = {&options.kernels, &options.cycles, &options.inputs, &options.outputs, &options.values};
	int status;

	standard_begin();
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		lists[i]->rows = calloc((size_t)argc + 1, sizeof(*lists[i]->rows));
	options.numbers = calloc((size_t)argc + 1, sizeof(*options.numbers));
	status = options.kernels.rows && options.cycles.rows && options.inputs.rows && options.outputs.rows && options.values.rows && options.numbers &&
				 reg_variables_guard()
			 ? options_read(&options, argc, argv)
			 : 1;
	if (status < 0)
		status = run(&options);
	options_finish(&options);
	return standard_end("ptowsp-aie", status, status ? status : 2);
}
