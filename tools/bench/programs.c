/* SPDX-License-Identifier: MIT */
#include "tools/bench/programs.h"

#include "format/format_file.h"
#include "format/format_package.h"
#include "registry/variable.h"
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RUNS = 50 };

/* ---- opening ------------------------------------------------------------------------------------------------------- */

/* The plugin's line for people is the only place that has the time of a pto-runtime alone. */
static void log_take(void *context, int32_t level, const char *text)
{
	(void)level;
	sscanf(text, "pto-runtime: %*f ms to prepare the run, %lf ms until it was over", &((struct bench_program *)context)->runtime_ms);
}

/* NAME=VALUE, cut at the sign; room for four of each kind. */
static void setting_add(struct ptowsp_backend_options *on, struct ptowsp_setting *settings, char *text)
{
	char *sign = strchr(text, '=');

	*sign = 0;
	settings[on->setting_count++] = (struct ptowsp_setting){text, strcmp(sign + 1, "$PTO_RUNTIME_DIR") ? sign + 1 : reg_variable("PTO_RUNTIME_DIR")};
	on->settings = settings;
}

static uint32_t isolation_of(const char *word)
{
	return !strcmp(word, "process") ? PTOWSP_ISOLATE_PROCESS : !strcmp(word, "sandbox") ? PTOWSP_ISOLATE_SANDBOX : PTOWSP_ISOLATE_NONE;
}

static void flag_take(struct bench_program *p, char *word)
{
	struct bench_subject *s = &p->subject;
	char *value = strchr(word, '=') ? strchr(word, '=') + 1 : word;
	uint32_t i = 0;

	if (!strncmp(word, "--entry=", 8))
		s->schedule.entry = value;
	else if (!strncmp(word, "--plugin=", 9))
		s->on.plugin = value;
	else if (!strncmp(word, "--device=", 9))
		s->on.device = value;
	else if (!strncmp(word, "--threads=", 10))
		s->on.threads = (uint32_t)atoi(value);
	else if (!strncmp(word, "--isolate=", 10))
		s->on.isolate = isolation_of(value);
	else if (!strncmp(word, "--opt=", 6))
		setting_add(&s->on, p->settings, value);
	else if (!strncmp(word, "--schedule=", 11))
		p->schedule[s->schedule.schedule_count++] = value;
	else if (!strncmp(word, "--iota=", 7))
		p->iota = value;
	else if (!strcmp(word, "--trust=all"))
		s->on.flags = PTOWSP_BACKEND_TRUST_NATIVE, s->trust = PTOWSP_LOAD_TRUST_NATIVE;
	else if (!strcmp(word, "--no-kernels"))
		p->flags = PTOWSP_RUN_NO_KERNELS;
	else if (!strcmp(word, "--own"))
		p->own = true;
	else if (!strcmp(word, "--native"))
		p->native = true;
	else if (!strcmp(word, "--random"))
		p->own = p->random = true;
	for (; !strncmp(word, "--set=", 6) && i < 4; i++)
		if (!p->sets[i]) {
			p->sets[i] = value;
			break;
		}
}

static void spec_read(struct bench_program *p, const struct bench_program_row *row)
{
	const bool small = p->bench->options.small && row->small;
	char *package, *word, *rest = NULL;

	snprintf(p->text, sizeof(p->text), "%s%s%s", row->spec, small ? " " : "", small ? row->small : "");
	package = strtok_r(p->text, " ", &rest);
	if (!strcmp(package, "-")) {
		p->hand = rest;
		return;
	}
	snprintf(p->path, sizeof(p->path),
		 package[0] == '/'                  ? "%.0s%s"
		 : strncmp(package, "programs/", 9) ? "%s/%s" BENCH_PACKAGE
						    : "%s/../obj/tools/bench/%s" BENCH_PACKAGE,
		 p->bench->options.packages, package);
	p->subject.path = p->path;
	p->subject.on =
		(struct ptowsp_backend_options){.plugin = p->bench->options.plugin, .threads = p->bench->options.threads, .log = log_take, .log_context = p};
	p->subject.schedule.schedule = p->schedule;
	while ((word = strtok_r(NULL, " ", &rest)))
		flag_take(p, word);
}

/* By the packer itself, as a user does; not everywhere is a compiler, and the package of the build does without. */
static ptowsp_status native_make(struct bench_program *p)
{
	const char *name = strrchr(p->path, '/') + 1, *packages = p->bench->options.packages;
	char file[] = "/tmp/ptowsp-bench-XXXXXX", command[3 * BENCH_PATH];
	int made = mkstemp(file);
	ptowsp_status status = PTOWSP_UNSUPPORTED;

	snprintf(command, sizeof(command), "'%s/../bin/ptowsp-pack' --native '%s/../../tools/bench/programs/%.*s.pto' -o %s", packages, packages,
		 (int)strcspn(name, "."), name, file);
	if (made >= 0 && !system(command))
		status = pkg_file_load(file, PKG_FILE_MOST, &p->bytes, &p->subject.size, NULL);
	if (made >= 0) {
		close(made);
		unlink(file);
	}
	if (!status) {
		p->subject.bytes = p->bytes;
		p->subject.path = NULL;
	}
	return status;
}

static ptowsp_status iota_fill(void *context, void *data, uint64_t elements, struct ptowsp_error *error)
{
	(void)context, (void)error;
	for (uint64_t i = 0; i < elements; i++)
		((int32_t *)data)[i] = (int32_t)i;
	return PTOWSP_OK;
}

/* Even between the ends that give it variance 1, or with weights what leaves that to sums of products. */
static void random_fill(float *to, const char *name, const struct ptowsp_tensor_view *view)
{
	const float end = sqrtf(name[0] == 'w' ? 3 / (float)view->extents[0] : 3);
	uint64_t state = 1;

	for (uint64_t i = 0; i < view->elements; i++) {
		state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		to[i] = end * ((float)(state >> 40) / 0x1p23f - 1);
	}
}

/* Memory of ours for what goes in and comes out. */
static ptowsp_status tensors_own(struct bench_program *p, struct ptowsp_error *error)
{
	struct ptowsp_tensor_info info;
	struct ptowsp_tensor_view view;
	ptowsp_status status = ptowsp_prepare(p->subject.program, NULL, error);

	for (uint32_t i = 0; !status && i < OWN_TENSORS && ptowsp_plan_tensor(p->subject.plan, i, &info); i++) {
		ptowsp_tensor_view(p->subject.program, i, &view);
		if (info.role == PTOWSP_ROLE_TEMP || !view.data)
			continue;
		p->memory[i] = calloc(view.elements, 8);
		if (p->memory[i] && p->random && info.dtype == PTOWSP_F32)
			random_fill(p->memory[i], info.name, &view);
		status = p->memory[i] ? ptowsp_tensor_bind(p->subject.program, info.name, p->memory[i], view.elements, error) : PTOWSP_NO_MEMORY;
	}
	return status;
}

static ptowsp_status tensors_set(struct bench_program *p, struct ptowsp_error *error)
{
	struct ptowsp_tensor_info info;

	for (uint32_t i = 0; p->iota && ptowsp_plan_tensor(p->subject.plan, i, &info); i++)
		if (!strcmp(p->iota, info.name))
			ptowsp_tensor_fill(p->subject.program, i, iota_fill, NULL);
	return p->own ? tensors_own(p, error) : PTOWSP_OK;
}

static ptowsp_status values_set(struct bench_program *p, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;
	char name[64];

	for (unsigned i = 0; !status && i < 4 && p->sets[i]; i++) {
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(p->sets[i], "="), p->sets[i]);
		status = ptowsp_value_set(p->subject.program, name, strchr(p->sets[i], '=') + 1, error);
	}
	return status;
}

/* Names the library to compare with that is not installed; NULL: it can be measured. */
static const char *hand_lacks(const struct bench_program *p)
{
	if (!strncmp(p->hand, "sgemm", 5))
		return bench_blas_is_here() ? NULL : "OpenBLAS is not installed";
	if (!strncmp(p->hand, "direct", 6))
		return reg_variable("PTO_RUNTIME_DIR") ? NULL : "PTO_RUNTIME_DIR is not set";
	return strncmp(p->hand, "torch", 5) || bench_torch_is_here(p->bench) ? NULL : "torch is not installed";
}

/* *here_out: false: nothing can be measured on this machine. */
static ptowsp_status program_open(struct bench_program *p, bool *here_out)
{
	struct ptowsp_error *error = &p->bench->error;
	ptowsp_status status;

	spec_read(p, p->row);
	*here_out = p->hand ? !hand_lacks(p) : !access(p->path, R_OK);
	for (uint32_t i = 0; i < p->subject.on.setting_count; i++)
		*here_out = *here_out && p->settings[i].value;
	if (*here_out && p->native)
		*here_out = native_make(p) == PTOWSP_OK;
	if (!*here_out || p->hand)
		return PTOWSP_OK;
	status = bench_subject_open(&p->subject, error);
	*here_out = status != PTOWSP_NO_DEVICE;
	if (!*here_out)
		return PTOWSP_OK;
	if (!status)
		status = values_set(p, error);
	return status ? status : tensors_set(p, error);
}

/* ---- takes of a run ------------------------------------------------------------------------------------------------ */

static ptowsp_status run_ns(void *context, double *ns_out, struct ptowsp_error *error)
{
	struct bench_program *p = ((struct bench_program *)context)->of;

	return bench_subject_run(&p->subject, p->flags, bench_now_ns, ns_out, error);
}

static ptowsp_status run_ms(void *context, double *value_out, struct ptowsp_error *error)
{
	ptowsp_status status = run_ns(context, value_out, error);

	*value_out /= 1e6;
	return status;
}

/* Time of all processors for this process: the driver's threads, too. */
static ptowsp_status run_processor_ms(void *context, double *value_out, struct ptowsp_error *error)
{
	struct bench_program *p = ((struct bench_program *)context)->of;
	ptowsp_status status = bench_subject_run(&p->subject, p->flags, bench_processor_ns, value_out, error);

	*value_out /= 1e6;
	return status;
}

/* A run on one thread is measured by its processor time, which other users of the machine do not lengthen. */
static ptowsp_status work_ns(void *context, double *ns_out, struct ptowsp_error *error)
{
	const bool alone = ((struct bench_program *)context)->of->subject.on.threads == 1;
	ptowsp_status status = (alone ? run_processor_ms : run_ns)(context, ns_out, error);

	*ns_out *= alone ? 1e6 : 1;
	return status;
}

/* Without the driver's threads. */
static ptowsp_status run_own_ms(void *context, double *value_out, struct ptowsp_error *error)
{
	const double began = bench_own_ns();
	double unused;
	const ptowsp_status status = run_ns(context, &unused, error);

	*value_out = (bench_own_ns() - began) / 1e6;
	return status;
}

/* One of many: the host's part, which prepares tensors, is in it. */
static ptowsp_status run_us(void *context, double *value_out, struct ptowsp_error *error)
{
	struct bench_program *p = ((struct bench_program *)context)->of;
	const uint64_t began = bench_now_ns();
	ptowsp_status status = PTOWSP_OK;

	for (int i = 0; i < RUNS && !status; i++)
		status = ptowsp_execute(p->subject.program, NULL, error);
	*value_out = (double)(bench_now_ns() - began) / RUNS / 1000;
	return status;
}

/* Billions of `amount` per second. */
static ptowsp_status amount_rate(void *context, double *value_out, struct ptowsp_error *error)
{
	double ns = 1;
	ptowsp_status status = work_ns(context, &ns, error);

	*value_out = ((const struct bench_program *)context)->row->amount / ns;
	return status;
}

static const struct ptowsp_run_stats *stats_of(const void *context)
{
	return ptowsp_stats(((const struct bench_program *)context)->of->subject.program);
}

ptowsp_status bench_program_tasks(void *context, double *value_out, struct ptowsp_error *error)
{
	double ns;
	ptowsp_status status = stats_of(context)->tasks ? PTOWSP_OK : run_ns(context, &ns, error);

	*value_out = (double)stats_of(context)->tasks;
	return status;
}

ptowsp_status bench_program_rate(void *context, double *value_out, struct ptowsp_error *error)
{
	double ns = 1;
	ptowsp_status status = run_ns(context, &ns, error);

	*value_out = (double)stats_of(context)->tasks * 1e6 / ns;
	return status;
}

static ptowsp_status task_ns(void *context, double *value_out, struct ptowsp_error *error)
{
	ptowsp_status status = work_ns(context, value_out, error);

	*value_out /= (double)stats_of(context)->tasks;
	return status;
}

static ptowsp_status cycles(void *context, double *value_out, struct ptowsp_error *error)
{
	(void)error;
	*value_out = (double)stats_of(context)->total_cycles;
	return PTOWSP_OK;
}

/* Most tasks in flight. */
static ptowsp_status ring_high(void *context, double *value_out, struct ptowsp_error *error)
{
	const struct ptowsp_run_stats *stats = stats_of(context);

	(void)error;
	for (uint32_t i = 0; i < stats->resource_count; i++) {
		const struct ptowsp_resource_stats *row = (const void *)((const char *)stats->resources + (size_t)i * stats->resource_stride);

		if (row->resource == PTOWSP_RESOURCE_TASK_RING)
			*value_out = (double)row->high_water;
	}
	return PTOWSP_OK;
}

static ptowsp_status runtime_ms(void *context, double *value_out, struct ptowsp_error *error)
{
	ptowsp_status status = run_ns(context, value_out, error);

	*value_out = ((struct bench_program *)context)->of->runtime_ms;
	return status;
}

static ptowsp_status runtime_rate(void *context, double *value_out, struct ptowsp_error *error)
{
	double ms = 1;
	ptowsp_status status = runtime_ms(context, &ms, error);

	*value_out = (double)stats_of(context)->tasks / ms;
	return status;
}

/* ---- takes of packages and plugins --------------------------------------------------------------------------------- */

ptowsp_status bench_program_open_ms(void *context, double *value_out, struct ptowsp_error *error)
{
	const uint64_t began = bench_now_ns();
	struct pkg *package = NULL;
	ptowsp_status status = pkg_open(&package, ((struct bench_program *)context)->of->path, NULL, error);

	*value_out = (double)(bench_now_ns() - began) / 1e6;
	pkg_close(package);
	return status;
}

/* Opened once more on the same plugin, and the time of all of it; with a run that may have one task, which ends when it has issued it. */
static ptowsp_status loaded(const struct bench_program *p, bool task, double *load_out, double *all_out, struct ptowsp_error *error)
{
	const struct ptowsp_execute_options one = {.flags = PTOWSP_RUN_NO_KERNELS, .max_tasks = 1};
	struct bench_program again = {.sets = {p->sets[0], p->sets[1], p->sets[2], p->sets[3]}, .subject = {.path = p->path, .shared = p->subject.backend}};
	const uint64_t began = bench_now_ns();
	ptowsp_status status = bench_subject_open(&again.subject, error);

	*load_out = status ? 0 : ptowsp_compile_ms(again.subject.program);
	if (!status && task)
		status = values_set(&again, error);
	if (!status && task && ptowsp_execute(again.subject.program, &one, error) != PTOWSP_LIMIT)
		status = PTOWSP_MISMATCH;
	*all_out = (double)(bench_now_ns() - began) / 1e6;
	bench_subject_close(&again.subject);
	return status;
}

ptowsp_status bench_program_load_ms(void *context, double *value_out, struct ptowsp_error *error)
{
	double unused;

	return loaded(((struct bench_program *)context)->of, false, value_out, &unused, error);
}

static ptowsp_status first_task_ms(void *context, double *value_out, struct ptowsp_error *error)
{
	double unused;

	return loaded(((struct bench_program *)context)->of, true, &unused, value_out, error);
}

/* Sections of the type that the amount says, PTOWSP_SECTION_x, count; 0: all; 1: those that are the workload. */
static bool is_counted(const struct ptowsp_section *section, uint32_t type)
{
	const uint32_t t = section->type;

	return type == 1 ? t == PTOWSP_SECTION_WORK || t == PTOWSP_SECTION_AXES || t == PTOWSP_SECTION_SCHD : !type || t == type;
}

ptowsp_status bench_program_bytes(void *context, double *value_out, struct ptowsp_error *error)
{
	const struct bench_program *p = context;
	const struct ptowsp_section *sections;
	struct pkg *package = NULL;
	uint32_t count = 0;
	ptowsp_status status = pkg_open(&package, p->of->path, NULL, error);

	sections = status ? NULL : pkg_sections(package, &count);
	*value_out = 0;
	for (uint32_t i = 0; i < count; i++)
		if (is_counted(&sections[i], (uint32_t)p->row->amount))
			*value_out += (double)(sections[i].count * sections[i].stride);
	pkg_close(package);
	return status;
}

ptowsp_status bench_program_file_bytes(void *context, double *value_out, struct ptowsp_error *error)
{
	struct pkg *package = NULL;
	ptowsp_status status = pkg_open(&package, ((struct bench_program *)context)->of->path, NULL, error);

	*value_out = status ? 0 : (double)pkg_file_size(package);
	pkg_close(package);
	return status;
}

static ptowsp_status plugin_ms(void *context, double *value_out, struct ptowsp_error *error)
{
	struct ptowsp_backend *backend = NULL;
	const uint64_t began = bench_now_ns();
	ptowsp_status status = ptowsp_backend_open(&backend, &((struct bench_program *)context)->of->subject.on, error);

	*value_out = (double)(bench_now_ns() - began) / 1e6;
	ptowsp_backend_close(backend);
	return status;
}

/* From the kill of a worker to the first call that says so. */
static ptowsp_status worker_end_us(void *context, double *value_out, struct ptowsp_error *error)
{
	const struct bench_subject *like = &((struct bench_program *)context)->of->subject;
	struct bench_subject s = {.path = like->path, .on = like->on};
	ptowsp_status status = bench_subject_open(&s, error), ended = status;
	const uint64_t began = bench_now_ns();

	if (!status)
		kill((pid_t)ptowsp_backend_worker(s.backend), SIGKILL);
	while (!ended)
		ended = ptowsp_execute(s.program, NULL, NULL);
	*value_out = (double)(bench_now_ns() - began) / 1000;
	bench_subject_close(&s);
	return status ? status : ended == PTOWSP_DEVICE_LOST ? PTOWSP_OK : ended;
}

static ptowsp_status file_take(void *context, const char *path, const void *bytes, uint64_t size)
{
	(void)path, (void)bytes;
	((struct bench_program *)context)->file_bytes += size;
	return PTOWSP_OK;
}

static ptowsp_status emitted_ms(struct bench_program *p, clockid_t clock, double *ms_out, struct ptowsp_error *error)
{
	struct timespec began, ended;
	ptowsp_status status;

	p->file_bytes = 0;
	clock_gettime(clock, &began);
	status = ptowsp_report_emit(p->subject.program, NULL, file_take, p, error);
	clock_gettime(clock, &ended);
	*ms_out = (double)(ended.tv_sec - began.tv_sec) * 1e3 + (double)(ended.tv_nsec - began.tv_nsec) / 1e6;
	return status;
}

static ptowsp_status emit_wall_ms(void *context, double *value_out, struct ptowsp_error *error)
{
	return emitted_ms(((struct bench_program *)context)->of, CLOCK_MONOTONIC, value_out, error);
}

static ptowsp_status emit_processor_ms(void *context, double *value_out, struct ptowsp_error *error)
{
	return emitted_ms(((struct bench_program *)context)->of, CLOCK_PROCESS_CPUTIME_ID, value_out, error);
}

static ptowsp_status emitted_bytes(void *context, double *value_out, struct ptowsp_error *error)
{
	(void)error;
	*value_out = (double)((struct bench_program *)context)->of->file_bytes;
	return PTOWSP_OK;
}

/* ---- rows ---------------------------------------------------------------------------------------------------------- */

static void program_close(struct bench_program *p)
{
	bench_subject_close(&p->subject);
	free(p->bytes);
	for (unsigned i = 0; i < OWN_TENSORS; i++)
		free(p->memory[i]);
}

ptowsp_status bench_programs_measure(struct bench *bench, const struct bench_program_row *rows, unsigned count)
{
	struct bench_program *programs = calloc(count, sizeof(*programs));
	struct bench_way *ways = calloc(count, sizeof(*ways));
	ptowsp_status status = programs && ways ? PTOWSP_OK : PTOWSP_NO_MEMORY;
	bool here = false;

	for (unsigned i = 0; !status && i < count; i++) {
		struct bench_program *p = &programs[i];

		*p = (struct bench_program){.bench = bench, .row = &rows[i], .of = rows[i].spec || !i ? p : programs[i - 1].of};
		if (rows[i].spec)
			status = program_open(p, &here);
		ways[i] = (struct bench_way){.row = rows[i].row,
					     .take = here ? rows[i].take : NULL,
					     .context = p,
					     .threads = p->of->subject.on.threads,
					     .sort = rows[i].sort,
					     .over = i - rows[i].over,
					     .under = i - rows[i].under};
		if (!here && !ways[i].row.reference)
			ways[i].row.reference = p->of->hand ? hand_lacks(p->of) : "not here";
		else if (here && rows[i].spec && p->hand && !strncmp(p->hand, "sgemm", 5))
			bench_table_note("OpenBLAS", ways[i].row.reference = bench_blas_kernels());
	}
	if (!status)
		status = bench_measure(bench, ways, count);
	for (unsigned i = 0; programs && i < count; i++)
		program_close(&programs[i]);
	bench_direct_close();
	free(ways);
	free(programs);
	return status;
}

static const struct bench_program_row table[] = {
#include "tools/bench/programs.def"
};
#define ROWS (sizeof(table) / sizeof(*table))

/* The groups of the case that runs. */
ptowsp_status bench_programs(struct bench *bench)
{
	ptowsp_status status = PTOWSP_OK;

	for (size_t i = 0; !status && i < ROWS; i++) {
		unsigned count = 0;

		while (i + 1 + count < ROWS && !table[i + 1 + count].begins)
			count++;
		if (!strcmp(table[i].begins, bench->name) && !(table[i].large && bench->options.small))
			status = bench_programs_measure(bench, &table[i + 1], count);
		i += count;
	}
	return status;
}
