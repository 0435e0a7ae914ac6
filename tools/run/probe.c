/* SPDX-License-Identifier: MIT */
/* probe.c - the probes of a feature, one after the other, and what they say about the claim. */
#include "tools/run/probe.h"

#include <assert.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptowsp/graph.h"
#include "ptowsp/workload.h"
#include "registry/names.h"
#include "registry/text.h"
#include "tools/beside.h"
#include "tools/run/probe_run.h"

#ifndef PROBE_SYSTEM_FOLDER
#define PROBE_SYSTEM_FOLDER "/usr/local/share/ptowsp/v10/probes" /* tools/ninja/install with its standard PREFIX */
#endif

enum { PACKAGES = 16, FEATURES = 0x4000 /* ids of features.def begin */, CRASHES = 3 /* with so many, none of the rest would end better */ };

enum { SETTINGS = 16, SETTINGS_MORE = 2 /* of them are the probes' own */ };
static const struct ptowsp_setting wide_setting = {"schedulers", PROBE_INSTANCES}, real_setting = {"trace", "real"};

struct opened {
	char name[24];
	struct ptowsp_package *package;
};
struct probe {
	struct ptowsp_backend_options options; /* of the caller, without its log */
	struct ptowsp_setting settings[SETTINGS];
	struct ptowsp_backend *backend;
	struct ptowsp_backend *wide;     /* the second configuration; NULL: not opened yet, or it cannot be */
	bool is_wide;                    /* the probe in progress is of that one */
	struct ptowsp_backend *fresh[2]; /* by is_wide: opened behind a crash, for runs instead of the other; rows and names stay those of the first one */
	bool is_gone[2];                 /* what runs there is not any more */
	struct probe_loss loss;
	uint32_t crashes;
	bool hangs;
	struct probe_watch watch;
	char folder[PATH_MAX];
	struct opened packages[PACKAGES];
	uint32_t package_count;
	struct probe_outcome without, with; /* of the probe in progress: large */
};

/* Of one run: its own with so many threads, or the one that all share, and that of device 1. */
struct probe_runners {
	struct ptowsp_backend *own, *main, *mate;
};

enum relation { IS, MORE, LESS, SAME, NONE };
static const struct row {
	uint32_t feature;
	const char *without, *with, *look;
	enum relation relation;
	const char *wanted, *text;
} rows[] = {
#define POLICY(directive, policy)                               PTOWSP_FEATURE_POLICY(PTOWSP_DIRECTIVE_##directive, PTOWSP_##directive##_##policy)
#define OPCODE(name)                                            PTOWSP_FEATURE_OPCODE(PTOWSP_OP_##name)
#define PAYLOAD(kind)                                           PTOWSP_FEATURE_PAYLOAD(PTOWSP_PAYLOAD_##kind)
#define FEATURE(name)                                           PTOWSP_FEATURE_##name
#define GRAPH(name)                                             PTOWSP_FEATURE_GRAPH(PTOWSP_##name)
#define X(feature, without, with, look, relation, wanted, text) {feature, without, with, look, relation, wanted, text},
#include "tools/run/probe.def"
#undef X
};

/* ---- where packages are ---------------------------------------------------------------------------------------- */

static struct ptowsp_package *package_open(struct probe *probe, const char *name, struct ptowsp_error *error)
{
	struct opened *o = probe->packages;
	char path[PATH_MAX + 64];

	for (; o < probe->packages + probe->package_count; o++)
		if (!strcmp(o->name, name))
			return o->package;
	assert(probe->package_count < PACKAGES && strlen(name) < sizeof(o->name));
	snprintf(path, sizeof(path), "%s/%s.pkg.zst", probe->folder, name);
	if (ptowsp_package_open(&o->package, path, 0, error))
		return NULL;
	strcpy(o->name, name);
	probe->package_count++;
	return o->package;
}

/* ---- the handle ------------------------------------------------------------------------------------------------ */

/* The caller's settings but for that which says what a trace shows: each probe needs its own sort. */
static void settings_take(struct probe *probe, const struct ptowsp_backend_options *backend)
{
	uint32_t count = 0;

	if (backend->setting_count > SETTINGS)
		return;
	for (uint32_t i = 0; i < backend->setting_count; i++)
		if (strcmp(backend->settings[i].key, real_setting.key))
			probe->settings[count++] = backend->settings[i];
	probe->options.settings = probe->settings;
	probe->options.setting_count = count;
}

ptowsp_status probe_open(struct probe **out, const struct ptowsp_backend_options *backend, const char *folder, struct ptowsp_error *error)
{
	struct probe *probe = calloc(1, sizeof(*probe));
	struct reg_text text;
	ptowsp_status status;

	*out = NULL;
	if (!probe)
		return reg_fail(error, PTOWSP_NO_MEMORY, "no memory for probes");
	probe->watch.limit_ms = PROBE_LIMIT_MS;
	probe->options = *backend;
	probe->options.log = NULL; /* what is refused or ignored is the probe's business */
	settings_take(probe, backend);
	reg_text_init(&text, probe->folder, sizeof(probe->folder));
	if (folder)
		reg_text_add(&text, "%s", folder);
	else if (!beside_find("packages/probes", "share/ptowsp/v10/probes", probe->folder, sizeof(probe->folder)))
		snprintf(probe->folder, sizeof(probe->folder), "%s", PROBE_SYSTEM_FOLDER);
	status = ptowsp_backend_open(&probe->backend, &probe->options, error);
	if (status)
		probe_close(probe);
	else
		*out = probe;
	return status;
}

void probe_close(struct probe *probe)
{
	if (!probe)
		return;
	ptowsp_backend_close(probe->fresh[false]);
	ptowsp_backend_close(probe->fresh[true]);
	ptowsp_backend_close(probe->wide);
	ptowsp_backend_close(probe->backend);
	for (uint32_t i = 0; i < probe->package_count; i++)
		ptowsp_package_close(probe->packages[i].package);
	free(probe);
}

ptowsp_status probe_device_open(struct probe *probe, struct ptowsp_error *error)
{
	return ptowsp_backend_device_open(probe->backend, error);
}

const struct ptowsp_backend *probe_backend(const struct probe *probe)
{
	return probe->backend;
}

void probe_watch(struct probe *probe, uint64_t limit_ms, void (*watch)(void *context, enum probe_phase phase), void *context)
{
	probe->watch = (struct probe_watch){limit_ms ? limit_ms : PROBE_LIMIT_MS, watch, context};
}

const struct probe_loss *probe_loss(const struct probe *probe)
{
	return &probe->loss;
}

/* ---- one probe ------------------------------------------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static enum probe_state say(struct probe_result *result, enum probe_state state, const char *format, ...)
{
	va_list ap;

	result->state = state;
	va_start(ap, format);
	vsnprintf(result->text, sizeof(result->text), format, ap);
	va_end(ap);
	return state;
}

/* ---- configurations ----------------------------------------------------------------------------------------------- */

static struct ptowsp_backend *backend_now(const struct probe *probe)
{
	return probe->is_wide ? probe->wide : probe->backend;
}

/* The configuration that is probed: how to open it. */
static struct ptowsp_backend_options options_now(const struct probe *probe, bool real, struct ptowsp_setting room[SETTINGS])
{
	struct ptowsp_backend_options options = probe->options;

	if (!probe->is_wide && !real)
		return options;
	if (options.setting_count)
		memcpy(room, options.settings, options.setting_count * sizeof(*room));
	options.settings = room;
	if (probe->is_wide)
		room[options.setting_count++] = wide_setting;
	if (real)
		room[options.setting_count++] = real_setting;
	return options;
}

/* Has the backend this option, and is there room for it beside those of the caller? */
static bool can_add(const struct probe *probe, const char *key)
{
	const struct ptowsp_option *option;

	for (uint32_t i = 0; probe->options.setting_count <= SETTINGS - SETTINGS_MORE && (option = ptowsp_backend_option(probe->backend, i)); i++)
		if (!strcmp(option->name, key))
			return true;
	return false;
}

static bool alike(const struct ptowsp_device *a, const struct ptowsp_device *b)
{
	return a->text && b->text && !strcmp(a->text, b->text);
}

/* A backend for device 1: another device of the same sort if there is one, else any other, else the same again. */
static ptowsp_status mate_open(const struct probe *probe, struct ptowsp_backend **out, struct ptowsp_error *error)
{
	const struct ptowsp_device *current = ptowsp_backend_current(backend_now(probe)), *device;
	const struct ptowsp_device *mate = NULL;
	struct ptowsp_setting settings[SETTINGS];
	struct ptowsp_backend_options options = options_now(probe, false, settings);

	for (uint32_t i = 0; (device = ptowsp_backend_device(backend_now(probe), i)); i++)
		if (device != current && (!mate || (!alike(mate, current) && alike(device, current))))
			mate = device;
	if (mate)
		options.device = mate->name;
	return ptowsp_backend_open(out, &options, error);
}

/* ---- a backend that crashes ---------------------------------------------------------------------------------------- */

static bool ends_backend(ptowsp_status status)
{
	return status == PTOWSP_DEVICE_LOST || status == PTOWSP_DEADLINE;
}

static enum probe_state lose(struct probe *probe, uint32_t feature, const struct ptowsp_error *error, struct probe_result *result)
{
	if (!probe->loss.error.code)
		probe->loss = (struct probe_loss){*error, feature};
	probe->is_gone[probe->is_wide] = true;
	probe->crashes++;
	probe->hangs |= error->code == PTOWSP_DEADLINE;
	return say(result, PROBE_LOST, "%s", error->text);
}

/* For runs: the backend of now, or behind a crash one that is opened like it. */
static ptowsp_status runner_open(struct probe *probe, struct ptowsp_backend **out, struct ptowsp_error *error)
{
	struct ptowsp_backend **fresh = &probe->fresh[probe->is_wide];
	struct ptowsp_setting settings[SETTINGS];
	struct ptowsp_backend_options options = options_now(probe, false, settings);
	ptowsp_status status = PTOWSP_OK;

	if (probe->is_gone[probe->is_wide]) {
		ptowsp_backend_close(*fresh);
		*fresh = NULL;
		status = ptowsp_backend_open(fresh, &options, error);
	}
	probe->is_gone[probe->is_wide] = status != PTOWSP_OK;
	*out = *fresh ? *fresh : backend_now(probe);
	return status;
}

/* ---- a run ---------------------------------------------------------------------------------------------------------- */

/* The backends of a run: all are opened, or none. PROBE_ENFORCED: they are. */
static enum probe_state backends_open(struct probe *probe, const struct probe_spec *spec, uint32_t feature, struct probe_runners *out,
				      struct probe_result *result)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct ptowsp_setting settings[SETTINGS];
	struct ptowsp_backend_options options;
	enum probe_state otherwise = PROBE_FAILED;
	ptowsp_status status;

	*out = (struct probe_runners){0};
	if (spec->real && !can_add(probe, real_setting.key))
		return say(result, PROBE_NOT_PROBED, "the backend has no option trace=real, so when kernels really began cannot be seen");
	options = options_now(probe, spec->real, settings);
	options.threads = spec->real && options.threads && options.threads < spec->threads ? options.threads : spec->threads;
	status = spec->threads ? ptowsp_backend_open(&out->own, &options, &error) : runner_open(probe, &out->main, &error);
	if (!status && spec->mate) {
		otherwise = PROBE_NOT_PROBED;
		status = mate_open(probe, &out->mate, &error);
	}
	if (!status)
		return PROBE_ENFORCED;
	ptowsp_backend_close(out->own);
	return ends_backend(status) ? lose(probe, feature, &error, result) : say(result, otherwise, "%s", error.text);
}

static enum probe_state run_watched(struct probe *probe, struct ptowsp_package *package, const struct probe_spec *spec, uint32_t feature,
				    struct probe_outcome *outcome, struct probe_result *result)
{
	struct probe_runners runners;
	enum probe_state state = backends_open(probe, spec, feature, &runners, result);

	if (state != PROBE_ENFORCED)
		return state;
	probe_run(outcome, package, runners.own ? runners.own : runners.main, runners.mate, spec, feature);
	probe_phase_tell(spec, PROBE_CLOSES);
	ptowsp_backend_close(runners.mate);
	ptowsp_backend_close(runners.own);
	return outcome->gone ? lose(probe, feature, &outcome->error, result) : PROBE_ENFORCED;
}

/* Because of what the package holds; any other reason says nothing about the feature. */
static bool refuses(ptowsp_status status)
{
	return status == PTOWSP_UNSUPPORTED || status == PTOWSP_UNIMPLEMENTED || status == PTOWSP_UNKNOWN_FIELD || status == PTOWSP_UNKNOWN_OPCODE ||
	       status == PTOWSP_BAD_PACKAGE || status == PTOWSP_INVALID || status == PTOWSP_TOO_SMALL;
}

/* One run into *outcome. PROBE_ENFORCED: it can be looked at. */
static enum probe_state run(struct probe *probe, const char *text, uint32_t feature, struct probe_outcome *outcome, struct probe_result *result)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct ptowsp_package *package;
	struct probe_spec spec;
	enum probe_state state;

	if (probe->hangs || probe->crashes >= CRASHES)
		return say(result, PROBE_NOT_PROBED, "the backend %s in an earlier probe, so it is not asked again",
			   probe->hangs ? "did not come back" : "crashed once too often");
	probe_spec_read(&spec, text);
	package = package_open(probe, spec.package, &error);
	if (!package)
		return say(result, PROBE_NOT_PROBED, "%s", error.text);
	spec.watch = probe->watch;
	probe_phase_tell(&spec, PROBE_LOADS);
	state = run_watched(probe, package, &spec, feature, outcome, result);
	probe_phase_tell(&spec, PROBE_RESTS);
	if (state != PROBE_ENFORCED)
		return state;
	if (*outcome->missing)
		return say(result, PROBE_NOT_PROBED, "%s", outcome->missing);
	if (outcome->refused)
		return say(result, PROBE_REFUSED, "%s", outcome->error.text);
	if (outcome->native && !outcome->loaded && refuses(outcome->status)) /* what portable kernels would not ask for */
		return say(result, PROBE_NOT_PROBED, "the native kernels of the probe are refused: %s", outcome->error.text);
	return PROBE_ENFORCED;
}

/* What is to be seen of an outcome. configured: by options, which may leave too little for what a probe needs. PROBE_ENFORCED: it can be compared. */
static enum probe_state look(const struct row *row, const struct probe_outcome *outcome, bool configured, const char *which, struct probe_view *view,
			     struct probe_result *result)
{
	probe_look(view, outcome, row->look);
	if (outcome->status == PTOWSP_NO_DEVICE) /* whatever is claimed of it */
		return say(result, PROBE_NOT_PROBED, "%s", outcome->error.text);
	if (outcome->status && !view->any_status && !outcome->loaded)
		return say(result, refuses(outcome->status) ? PROBE_REFUSED : PROBE_FAILED, "%s", outcome->error.text);
	if (outcome->status == PTOWSP_TOO_SMALL && configured && !view->any_status)
		return say(result, PROBE_NOT_PROBED, "%s", outcome->error.text);
	if (outcome->status && !view->any_status)
		return say(result, PROBE_FAILED, "the run %s it ended with: %s", which, outcome->error.text);
	if (view->missing) /* a service that is claimed itself must be there */
		return say(result, row->feature >= FEATURES ? PROBE_NO_EFFECT : PROBE_NOT_PROBED, "%s", view->missing);
	return PROBE_ENFORCED;
}

static uint64_t sum(const struct probe_view *view)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < view->count; i++)
		total += view->numbers[i];
	return total;
}

static bool holds(const struct row *row, const struct probe_view *without, const struct probe_view *with)
{
	switch (row->relation) {
	case IS: return !strcmp(with->text, row->wanted) && !(*row->without && !strcmp(without->text, with->text));
	case MORE: return with->count == without->count && sum(with) > sum(without);
	case LESS: return with->count == without->count && sum(with) < sum(without);
	case SAME: return !strcmp(without->text, with->text) && !with->nothing;
	case NONE: break;
	}
	return false;
}

static const char *shown(const struct probe_view *view)
{
	return *view->text ? view->text : "none";
}

static bool is_real(const struct row *row)
{
	struct probe_spec spec;

	if (row->relation == NONE)
		return false;
	probe_spec_read(&spec, row->with);
	return spec.real;
}

static enum probe_state compare(const struct row *row, const struct probe_view *without, const struct probe_view *with, struct probe_result *result)
{
	char base[sizeof(without->text) + 16] = "";
	bool good = holds(row, without, with);

	if (*row->without)
		snprintf(base, sizeof(base), ", without it %s", shown(without));
	if (good && is_real(row)) /* the figures are others each time */
		return say(result, PROBE_ENFORCED, "%s, in real time", row->text);
	if (good)
		return say(result, PROBE_ENFORCED, "%s: %s %.160s%.160s", row->text, row->look, shown(with), base);
	return say(result, PROBE_NO_EFFECT, "not so: %s: %s %.120s%.120s%s%.120s", row->text, row->look, shown(with), base,
		   row->relation == IS ? ", expected " : "", row->relation == IS ? (*row->wanted ? row->wanted : "none") : "");
}

/* Kernels that take as long whatever they do hide what only longer ones show. */
static bool times_tell(const struct probe *probe, const struct row *row)
{
	const struct ptowsp_cap *cap = ptowsp_backend_cap(backend_now(probe), PTOWSP_FEATURE_KERNEL_CYCLES);

	return row->feature == PTOWSP_FEATURE_KERNEL_CYCLES || !cap || cap->state >= PTOWSP_STATE_ENFORCED || cap->state == PTOWSP_STATE_UNSUPPORTED;
}

static bool wants_instances(const struct row *row)
{
	struct probe_spec spec;

	if (row->relation == NONE)
		return false;
	probe_spec_read(&spec, row->with);
	return spec.instances;
}

/* The text of a need that a run does not meet; NULL: none. Tasks are placed without a directive on a backend that has several executors by itself, so only a row about which of
 * them runs a task (which) needs one there. */
static const char *unmet_in(const struct probe_outcome *outcome, bool which)
{
	if (*outcome->unmet)
		return outcome->unmet;
	return *outcome->unplaced && (which || outcome->stats.executors < 2) ? outcome->unplaced : NULL;
}

static const char *unmet(const struct probe *probe, const struct row *row)
{
	bool which = wants_instances(row);
	const char *text = unmet_in(&probe->with, which);

	return text ? text : unmet_in(&probe->without, which);
}

/* Are the numbers of the row those of another count of scheduler instances than the options as they are say? */
static bool of_others(const struct probe *probe, const struct row *row)
{
	return !probe->is_wide && wants_instances(row) && probe->with.scheduler_count > 1 && probe->with.scheduler_count != strtoul(PROBE_INSTANCES, NULL, 10);
}

/* No difference was seen. Could there have been one? */
static enum probe_state excuse(const struct probe *probe, const struct row *row, struct probe_result *result)
{
	const char *text = unmet(probe, row);

	if (of_others(probe, row))
		return say(result, PROBE_NOT_PROBED, "it can be seen with " PROBE_INSTANCES " scheduler instances, this run has %u",
			   probe->with.scheduler_count);
	if (probe->options.setting_count &&
	    (*probe->with.unheeded || *probe->without.unheeded)) /* options may leave too little for the numbers of a probe; by itself a backend has enough */
		return say(result, PROBE_NOT_PROBED, "%s", *probe->with.unheeded ? probe->with.unheeded : probe->without.unheeded);
	if (!times_tell(probe, row))
		return say(result, PROBE_NOT_PROBED, "kernels take as long whatever they do, so it cannot be seen");
	if (text)
		return say(result, PROBE_NOT_PROBED, "%s", text);
	return PROBE_NO_EFFECT;
}

static enum probe_state row_probe(struct probe *probe, const struct row *row, struct probe_result *result)
{
	struct probe_view without = {0}, with;
	enum probe_state state = PROBE_ENFORCED;

	probe->without = probe->with = (struct probe_outcome){0};
	if (*row->without)
		state = run(probe, row->without, row->feature, &probe->without, result);
	if (state == PROBE_ENFORCED && *row->without)
		state = look(row, &probe->without, probe->options.setting_count, "without", &without, result);
	if (state == PROBE_ENFORCED)
		state = run(probe, row->with, row->feature, &probe->with, result);
	if (state == PROBE_ENFORCED)
		state = look(row, &probe->with, probe->options.setting_count, "with", &with, result);
	if (state == PROBE_ENFORCED)
		state = compare(row, &without, &with, result);
	return state == PROBE_NO_EFFECT ? excuse(probe, row, result) : state;
}

/* Real time is that of a machine which does other things, too: a difference that one take does not show has to be there in most of the next ones. */
enum { TAKES_MORE = 4, TAKES_WANTED = 3 };
static enum probe_state row_judge(struct probe *probe, const struct row *row, struct probe_result *result)
{
	enum probe_state state = row_probe(probe, row, result);
	struct probe_result again = *result;
	uint32_t good = 0;

	if (state != PROBE_NO_EFFECT || !is_real(row))
		return state;
	for (uint32_t k = 0; k < TAKES_MORE && good < TAKES_WANTED; k++)
		good += row_probe(probe, row, &again) == PROBE_ENFORCED;
	if (good < TAKES_WANTED)
		return state;
	*result = again;
	return PROBE_ENFORCED;
}

/* A row that cannot be judged without instances, because another directive has no effect without them, is judged by the second configuration. */
static bool is_left(const struct probe *probe, const struct row *row, enum probe_state state)
{
	return state == PROBE_NOT_PROBED && !probe->is_wide && wants_instances(row) && unmet(probe, row);
}

/* A feature with rows that look at real time has them for devices whose tasks worker threads take, and its other rows for those that have a clock for that. */
static bool applies(const struct probe *probe, const struct row *row)
{
	const struct ptowsp_device *device = ptowsp_backend_current(backend_now(probe));
	const bool on_threads = device && device->dispatch == PTOWSP_DISPATCH_THREADS && device->timing == PTOWSP_TIMING_REFERENCE;
	bool any = false;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		any |= rows[i].feature == row->feature && is_real(&rows[i]);
	return !any || is_real(row) == on_threads;
}

static void rows_probe(struct probe *probe, uint32_t feature, struct probe_result *result)
{
	enum probe_state state = PROBE_ENFORCED;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct probe_result seen = *result;
		bool left;

		if (rows[i].feature != feature || !applies(probe, &rows[i]))
			continue;
		result->probes += rows[i].relation != NONE;
		if (rows[i].relation == NONE)
			say(result, PROBE_NOT_PROBED, "%s", rows[i].text);
		if (rows[i].relation == NONE || state != PROBE_ENFORCED)
			continue;
		state = row_judge(probe, &rows[i], &seen);
		left = is_left(probe, &rows[i], state);
		seen.probes = result->probes;
		if (!left || result->state == PROBE_NOT_PROBED)
			*result = seen;
		state = left ? PROBE_ENFORCED : state;
	}
}

bool probe_exists(uint32_t feature)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].feature == feature && rows[i].relation != NONE)
			return true;
	return false;
}

void probe_feature(struct probe *probe, uint32_t feature, struct probe_result *result)
{
	*result = (struct probe_result){.state = PROBE_NOT_PROBED, .text = "there is no probe for it"};
	probe->is_wide = false;
	rows_probe(probe, feature, result);
}

/* Can there be a second configuration? Opened once. */
static bool wide_open(struct probe *probe)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct ptowsp_setting settings[SETTINGS];
	struct ptowsp_backend_options options;

	if (probe->wide || !can_add(probe, wide_setting.key))
		return probe->wide != NULL;
	probe->is_wide = true;
	options = options_now(probe, false, settings);
	if (ptowsp_backend_open(&probe->wide, &options, &error))
		probe->wide = NULL;
	return probe->wide != NULL;
}

const char *probe_feature_more(struct probe *probe, uint32_t feature, struct probe_result *result, const struct ptowsp_cap **cap_out)
{
	bool wanted = false;

	*result = (struct probe_result){.state = PROBE_NOT_PROBED};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		wanted |= rows[i].feature == feature && wants_instances(&rows[i]);
	if (!wanted || !wide_open(probe))
		return NULL;
	probe->is_wide = true;
	*cap_out = ptowsp_backend_cap(probe->wide, feature);
	rows_probe(probe, feature, result);
	return "schedulers=" PROBE_INSTANCES;
}

/* ---- the claim ------------------------------------------------------------------------------------------------- */

const char *probe_state_text(enum probe_state state)
{
	static const char *const texts[] = {"enforced", "no effect", "failed", "refused", "not probed", "lost"};

	return texts[state];
}

const char *probe_verdict_text(enum probe_verdict verdict)
{
	static const char *const texts[] = {"-", "holds", "better", "unproved", "FALSE"};

	return texts[verdict];
}

enum probe_verdict probe_judge(const struct ptowsp_cap *cap, const struct probe_result *result)
{
	bool claimed = cap && cap->state == PTOWSP_STATE_ENFORCED;

	if (result->state == PROBE_NOT_PROBED)
		return claimed ? PROBE_UNPROVED : PROBE_NOTHING;
	if (!claimed && (result->state == PROBE_FAILED || result->state == PROBE_LOST))
		return PROBE_NOTHING;
	if (!claimed)
		return result->state == PROBE_ENFORCED ? PROBE_BETTER : PROBE_HOLDS;
	return result->state == PROBE_ENFORCED ? PROBE_HOLDS : PROBE_FALSE;
}
