/* SPDX-License-Identifier: MIT */
/* a2a3sim.c - the machine of a2a3sim through the host, as a user runs it: tasks that do nothing with two workers and what a run costs that has one, beside
 * the figures that were measured of the runtime's own simulation (best of 7, the same graphs) and, where PTO_RUNTIME_DIR names such a runtime, in turns with it;
 * instructions per task; paged attention of 65,536 tasks; what a scheduler instance is given for the llama layer. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "format/format_package.h"
#include "host/ptowsp_host.h"
#include "lang/lang.h"
#include "ascend/files.h"
#include "registry/variable.h"
#include "tools/bench/bench.h"
#include "tools/bench/bench_pto.h"
#include "tools/bench/quiet.h"
#include "tools/bench/bench_sim.h"

#define LAYER "llama_layer 16K"
enum { WORKERS = 2, SEQUENCES = 256, BLOCKS = 64, GIVEN_MOST = 4096, WINDOW = 8192, FASTER = 10 };

static const struct stream {
	const char *name;
	enum bench_stream stream;
	uint32_t tasks, few; /* few: with --small, and where instructions are counted */
	const char *reference;
	double least;
} streams[] = {
	{"independent", BENCH_INDEPENDENT, 524288, 65536, "652 (its simulation)", 6520},
	{"independent, scopes of 256", BENCH_SCOPES, 524288, 65536, "652 (its simulation)", 6520},
	{"64 chains", BENCH_CHAINS, 131072, 65536, "495 (its simulation)", 4950},
	{"one chain", BENCH_SERIAL, 32768, 32768, "47.7 (its simulation)", 2000},
};

/* A package of bytes, loaded. */
struct loaded {
	void *bytes;
	size_t size;
	struct ptowsp_package *package;
	struct ptowsp_plan *plan;
	struct ptowsp_backend *backend;
	struct ptowsp_program *program;
};

static struct bench_row row_of(const char *subject, const char *measure, const char *unit)
{
	return (struct bench_row){.benchmark = "a2a3sim", .subject = subject, .measure = measure, .unit = unit};
}

/* ---- programs ----------------------------------------------------------------------------------------------------- */

/* Takes the text. */
static ptowsp_status pack(struct loaded *loaded, char *text, size_t size, struct ptowsp_error *error)
{
	struct lang_source source = {"made.pto", text, size};
	struct lang_diagnostics *messages = NULL;
	struct pkg_writer *writer = pkg_writer_create();
	ptowsp_status st = writer && text ? lang_compile(writer, &source, 1, NULL, &messages, error) : PTOWSP_NO_MEMORY;

	if (!st)
		st = pkg_writer_seal(writer, &loaded->bytes, &loaded->size, error);
	lang_diagnostics_destroy(messages);
	pkg_writer_destroy(writer);
	free(text);
	return st;
}

static ptowsp_status load(struct loaded *loaded, const char *schedulers, struct ptowsp_error *error)
{
	const struct ptowsp_setting settings[] = {{"clock", "own"}, {"schedulers", schedulers}};
	struct ptowsp_backend_options options = {.plugin = "a2a3sim", .threads = WORKERS, .settings = settings, .setting_count = 2};
	ptowsp_status st = ptowsp_backend_open(&loaded->backend, &options, error);

	if (!st && !loaded->package)
		st = ptowsp_package_open_memory(&loaded->package, loaded->bytes, loaded->size, "made.pkg.zst", 0, error);
	if (!st && !loaded->plan)
		st = ptowsp_plan_create(&loaded->plan, loaded->package, NULL, error);
	return st ? st : ptowsp_program_load(&loaded->program, loaded->backend, loaded->plan, 0, error);
}

static void loaded_finish(struct loaded *loaded)
{
	ptowsp_program_unload(loaded->program);
	ptowsp_plan_destroy(loaded->plan);
	ptowsp_package_close(loaded->package);
	ptowsp_backend_close(loaded->backend);
	free(loaded->bytes);
	*loaded = (struct loaded){0};
}

static ptowsp_status stream_load(struct loaded *loaded, enum bench_stream stream, uint32_t tasks, struct ptowsp_error *error)
{
	size_t size = 0;
	char *text = bench_sim_stream(stream, tasks, &size);
	ptowsp_status st = pack(loaded, text, size, error);

	return st ? st : load(loaded, "4", error);
}

/* ---- measures: context is a loaded program ------------------------------------------------------------------------ */

static int run_ms(void *context, double *value_out, struct ptowsp_error *error)
{
	struct loaded *loaded = context;
	int st = ptowsp_execute(loaded->program, NULL, error);

	*value_out = ptowsp_elapsed_ms(loaded->program);
	return st;
}

static int counted_ms(void *context, double *value_out, struct ptowsp_error *error)
{
	struct loaded *loaded = context;
	const struct ptowsp_execute_options options = {.flags = PTOWSP_RUN_NO_KERNELS};
	int st = ptowsp_execute(loaded->program, &options, error);

	*value_out = ptowsp_elapsed_ms(loaded->program);
	return st;
}

static int run_rate(void *context, double *value_out, struct ptowsp_error *error)
{
	struct loaded *loaded = context;
	double ms = 0;
	int st = run_ms(context, &ms, error);

	*value_out = st ? 0 : (double)ptowsp_stats(loaded->program)->tasks / ms;
	return st;
}

/* ---- instructions ------------------------------------------------------------------------------------------------- */

static bool output_read(FILE *out, double tasks, double *value_out)
{
	double instructions = 0;
	char line[1024], *at;

	while (fgets(line, sizeof(line), out))
		if ((at = strstr(line, "Collected : ")))
			instructions = strtod(at + 12, NULL);
	*value_out = instructions / tasks;
	return instructions > 0;
}

/* Of ptowsp-run beside this program, inside the plugin's run, with one worker, because nobody else is counted. */
static bool instructions_count(const char *path, double tasks, double *value_out)
{
	char self[PATH_MAX], command[3 * PATH_MAX], *name;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	bool counted;
	FILE *out;

	if (n <= 0)
		return false;
	self[n] = 0;
	name = strrchr(self, '/');
	*name = 0;
	snprintf(command, sizeof(command),
		 "valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=ascend_simulated_run '%s/ptowsp-run' --plugin=a2a3sim --opt clock=own "
		 "--opt schedulers=4 --threads 1 '%s' 2>&1", self, path);
	out = popen(command, "r");
	if (!out)
		return false;
	counted = output_read(out, tasks, value_out);
	return pclose(out) == 0 && counted;
}

static ptowsp_status file_write(const struct loaded *loaded, char *path, size_t path_size, struct ptowsp_error *error)
{
	const char *folder = reg_variable("TMPDIR");
	int file = (size_t)snprintf(path, path_size, "%s/ptowsp-bench-XXXXXX", folder && *folder ? folder : "/tmp") < path_size ? mkstemp(path) : -1;
	bool written = file >= 0 && write(file, loaded->bytes, loaded->size) == (ssize_t)loaded->size;

	if (file >= 0)
		close(file);
	if (written)
		return PTOWSP_OK;
	snprintf(error->text, sizeof(error->text), "%.120s cannot be written: %.60s", path, strerror(errno));
	return PTOWSP_IO;
}

static ptowsp_status instructions_measure(const struct stream *stream, struct ptowsp_error *error)
{
	struct bench_row row = row_of(stream->name, "instructions, one worker", "per task");
	struct loaded loaded = {0};
	char path[PATH_MAX];
	size_t size = 0;
	char *text = bench_sim_stream(stream->stream, stream->few, &size);
	ptowsp_status st = pack(&loaded, text, size, error);
	double value;

	if (!st)
		st = file_write(&loaded, path, sizeof(path), error);
	free(loaded.bytes);
	if (st)
		return st;
	bench_table_progress(row.subject, row.measure);
	if (instructions_count(path, stream->few, &value))
		bench_series_add(&row.series, value);
	unlink(path);
	bench_table_row(&row);
	return PTOWSP_OK;
}

/* ---- rows --------------------------------------------------------------------------------------------------------- */

static ptowsp_status row_measure(const struct bench_options *options, struct loaded *loaded, struct bench_row row,
				 int (*measure)(void *, double *, struct ptowsp_error *), struct ptowsp_error *error)
{
	double unused;
	ptowsp_status st = measure(loaded, &unused, error); /* memory is touched, threads are made */

	bench_table_progress(row.subject, row.measure);
	if (!st)
		st = bench_measure(options, WORKERS, &row.series, measure, loaded, error);
	if (!st)
		bench_table_row(&row);
	return st;
}

/* ---- beside a real pto-runtime ------------------------------------------------------------------------------------ */

/* One program on both. inverse: values are times, less is better. */
struct pair {
	const char *variant;
	int (*measure)(void *, double *, struct ptowsp_error *); /* ours */
	bool inverse;
	struct bench_row its, ratio;
};

/* In turns, so that a slow moment meets both. Its threads spin beside each other, so only ours tells whether others use the machine. */
static ptowsp_status pair_once(struct pair *pair, struct loaded *loaded, struct bench_pto *pto, struct ptowsp_error *error)
{
	struct bench_quiet quiet;
	double ours = 0, its = 0;
	bool disturbed;
	ptowsp_status st;

	bench_quiet_wait();
	bench_quiet_begin(&quiet);
	st = pair->measure(loaded, &ours, error);
	disturbed = bench_quiet_disturbed(&quiet, WORKERS);
	if (!st)
		st = bench_pto_run(pto, false, &its, error);
	if (st)
		return st;
	if (!pair->inverse)
		its = (double)ptowsp_stats(loaded->program)->tasks / its;
	bench_series_add(&pair->its.series, its);
	bench_series_add(&pair->ratio.series, pair->inverse ? its / ours : ours / its);
	pair->its.series.disturbed += disturbed;
	pair->ratio.series.disturbed += disturbed;
	return PTOWSP_OK;
}

static ptowsp_status pair_runs(const struct bench_options *options, struct pair *pair, struct loaded *loaded, struct bench_pto *pto, struct ptowsp_error *error)
{
	double unused;
	ptowsp_status st = bench_pto_run(pto, true, &unused, error); /* memory is touched, and all its kernels run */

	for (unsigned r = 0; !st && r < options->reps; r++)
		st = pair_once(pair, loaded, pto, error);
	return st;
}

/* Rows without values where there is no runtime. */
static ptowsp_status pair_measure(const struct bench_options *options, struct pair *pair, struct loaded *loaded, enum bench_stream stream, uint32_t tasks,
				  struct ptowsp_error *error)
{
	const char *root = reg_variable("PTO_RUNTIME_DIR");
	struct bench_pto *pto = NULL;
	ptowsp_status st = PTOWSP_OK;

	bench_table_progress(pair->its.subject, pair->its.measure);
	if (root)
		st = bench_pto_open(&pto, root, pair->variant, stream, tasks, error);
	else
		pair->its.reference = pair->ratio.reference = "PTO_RUNTIME_DIR names no pto-runtime";
	if (!st && pto)
		st = pair_runs(options, pair, loaded, pto, error);
	bench_pto_close(pto);
	if (st)
		return st;
	bench_table_row(&pair->its);
	bench_table_row(&pair->ratio);
	return PTOWSP_OK;
}

#define ITS(variant) "its simulation, " variant
#define RATIO(variant) "times as fast as " variant ", in turns"

/* A name of the two variants. */
static struct pair pair_of(const char *subject, const char *variant, const char *unit)
{
	const bool host_graph = !strcmp(variant, ASCEND_HOST_GRAPH);
	struct pair pair = {.variant = variant, .its = row_of(subject, host_graph ? ITS(ASCEND_HOST_GRAPH) : ITS(ASCEND_TASK_BUFFER), unit),
			    .ratio = row_of(subject, host_graph ? RATIO(ASCEND_HOST_GRAPH) : RATIO(ASCEND_TASK_BUFFER), "x")};

	pair.ratio.least = FASTER;
	return pair;
}

static ptowsp_status stream_measure(const struct bench_options *options, const struct stream *stream, struct ptowsp_error *error)
{
	struct bench_row row = row_of(stream->name, "empty kernels, two workers", "tasks/ms");
	struct pair pair = pair_of(stream->name, ASCEND_TASK_BUFFER, "tasks/ms");
	const uint32_t tasks = options->small ? stream->few : stream->tasks;
	struct loaded loaded = {0};
	ptowsp_status st = stream_load(&loaded, stream->stream, tasks, error);

	row.reference = stream->reference;
	row.least = stream->least;
	pair.measure = run_rate;
	if (!st)
		st = row_measure(options, &loaded, row, run_rate, error);
	if (!st)
		st = pair_measure(options, &pair, &loaded, stream->stream, tasks, error);
	loaded_finish(&loaded);
	return st ? st : instructions_measure(stream, error);
}

static ptowsp_status fixed_pair(const struct bench_options *options, struct loaded *loaded, const char *variant, struct ptowsp_error *error)
{
	struct pair pair = pair_of("one task", variant, "ms");

	pair.measure = run_ms;
	pair.inverse = true;
	return pair_measure(options, &pair, loaded, BENCH_INDEPENDENT, 1, error);
}

static ptowsp_status fixed_measure(const struct bench_options *options, struct ptowsp_error *error)
{
	struct bench_row row = row_of("one task", "a run", "ms");
	struct loaded loaded = {0};
	ptowsp_status st = stream_load(&loaded, BENCH_INDEPENDENT, 1, error);

	row.reference = "12 to 90 (its simulation)";
	row.most = 1;
	if (!st)
		st = row_measure(options, &loaded, row, run_ms, error);
	if (!st)
		st = fixed_pair(options, &loaded, ASCEND_TASK_BUFFER, error);
	if (!st)
		st = fixed_pair(options, &loaded, ASCEND_HOST_GRAPH, error);
	loaded_finish(&loaded);
	return st;
}

static ptowsp_status paged_measure(const struct bench_options *options, struct ptowsp_error *error)
{
	const struct bench_options once = {.reps = 1, .threads = WORKERS};
	const uint32_t sequences = options->small ? 4 : SEQUENCES;
	struct bench_row row = row_of("paged attention, 256 sequences of 64 pages", "without kernels", "ms");
	struct loaded loaded = {0};
	size_t size = 0;
	char *text = bench_sim_paged(sequences, BLOCKS, &size);
	int32_t *pages = calloc((size_t)sequences * BLOCKS, sizeof(*pages));
	ptowsp_status st = pack(&loaded, text, size, error);

	for (uint32_t i = 0; pages && i < sequences * BLOCKS; i++)
		pages[i] = (int32_t)(i * 37 % BENCH_PAGES);
	if (!st)
		st = load(&loaded, "4", error);
	if (!st)
		st = ptowsp_tensor_bind(loaded.program, "pages", pages, (uint64_t)sequences * BLOCKS, error);
	row.most = 100;
	if (!st)
		st = row_measure(options, &loaded, row, counted_ms, error);
	row.measure = "with kernels";
	row.reference = "about 70 (hardware)";
	row.most = 30000;
	if (!st)
		st = row_measure(&once, &loaded, row, run_ms, error);
	loaded_finish(&loaded);
	free(pages);
	return st;
}

/* ---- what an instance is given ------------------------------------------------------------------------------------ */

static uint64_t bytes_given(const struct pkg *package)
{
	uint32_t count;
	const struct ptowsp_section *sections = pkg_sections(package, &count);
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < count; i++)
		if (sections[i].type == PTOWSP_SECTION_WORK || sections[i].type == PTOWSP_SECTION_AXES || sections[i].type == PTOWSP_SECTION_SCHD)
			bytes += sections[i].count * sections[i].stride;
	return bytes;
}

static ptowsp_status given_measure(const char *path, struct ptowsp_error *error)
{
	struct bench_row row = row_of(LAYER, "given to an instance: bytecode, axes, schedule", "bytes");
	struct pkg *package = NULL;
	ptowsp_status st = pkg_open(&package, path, NULL, error);

	row.reference = "400 MB (seed, computed)";
	row.most = GIVEN_MOST;
	if (!st)
		bench_table_value(row, (double)bytes_given(package));
	pkg_close(package);
	return st;
}

static uint64_t ring_high(const struct ptowsp_run_stats *stats)
{
	for (uint32_t i = 0; i < stats->resource_count; i++) {
		const struct ptowsp_resource_stats *row = (const void *)((const char *)stats->resources + (size_t)i * stats->resource_stride);

		if (row->resource == PTOWSP_RESOURCE_TASK_RING)
			return row->high_water;
	}
	return 0;
}

/* All instances together. */
static ptowsp_status held_measure(const struct bench_options *options, struct loaded *loaded, struct ptowsp_error *error)
{
	struct bench_row row = row_of(LAYER, "without kernels, 4 instances", "tasks/ms");
	const struct ptowsp_execute_options counted = {.flags = PTOWSP_RUN_NO_KERNELS};
	ptowsp_status st = PTOWSP_OK;

	for (unsigned r = 0; !st && r < options->reps; r++) {
		st = ptowsp_execute(loaded->program, &counted, error);
		if (!st)
			bench_series_add(&row.series, (double)ptowsp_stats(loaded->program)->tasks / ptowsp_elapsed_ms(loaded->program));
	}
	if (st)
		return st;
	bench_table_row(&row);
	bench_table_value(row_of(LAYER, "tasks", "tasks"), (double)ptowsp_stats(loaded->program)->tasks);
	row = row_of(LAYER, "most tasks in flight, 4 instances", "tasks");
	row.most = WINDOW;
	bench_table_value(row, (double)ring_high(ptowsp_stats(loaded->program)));
	return st;
}

static ptowsp_status layer_measure(const struct bench_options *options, struct ptowsp_error *error)
{
	const char *const schedule[] = {"task_window=8192"};
	const struct ptowsp_plan_options plan = {.schedule = schedule, .schedule_count = 1};
	struct loaded loaded = {0};
	char path[PATH_MAX];
	ptowsp_status st;

	snprintf(path, sizeof(path), "%s/llama_layer.pkg.zst", options->packages);
	st = given_measure(path, error);
	if (!st)
		st = ptowsp_package_open(&loaded.package, path, 0, error);
	if (!st)
		st = ptowsp_plan_create(&loaded.plan, loaded.package, &plan, error);
	if (!st)
		st = load(&loaded, "4", error);
	if (!st)
		st = ptowsp_value_set(loaded.program, "num_tiles", options->small ? "32" : "512", error);
	if (!st)
		st = held_measure(options, &loaded, error);
	loaded_finish(&loaded);
	return st;
}

int bench_a2a3sim(const struct bench_options *options)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	ptowsp_status st = fixed_measure(options, &error);

	for (size_t i = 0; !st && i < sizeof(streams) / sizeof(*streams); i++)
		st = stream_measure(options, &streams[i], &error);
	if (!st)
		st = paged_measure(options, &error);
	if (!st)
		st = layer_measure(options, &error);
	if (st)
		fprintf(stderr, "ptowsp-bench a2a3sim: %s\n", *error.text ? error.text : "out of memory");
	return st ? 1 : 0;
}
