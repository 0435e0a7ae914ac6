/* SPDX-License-Identifier: MIT */
/* probe.c - the probes of a feature, one after the other, and what they say about the claim. */
#include "tools/run/probe.h"

#include <assert.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ptowsp/graph.h"
#include "ptowsp/workload.h"
#include "registry/names.h"
#include "registry/text.h"
#include "tools/run/probe_run.h"

#ifndef PROBE_SYSTEM_FOLDER
#define PROBE_SYSTEM_FOLDER "/usr/local/share/ptowsp/v10/probes" /* tools/ninja/install with its standard PREFIX */
#endif

enum { PACKAGES = 16, FEATURES = 0x4000 /* ids of features.def begin */ };

struct opened {
	char name[24];
	struct ptowsp_package *package;
};
struct probe {
	struct ptowsp_backend_options options; /* of the caller, without its log */
	struct ptowsp_backend *backend;
	char folder[PATH_MAX];
	struct opened packages[PACKAGES];
	uint32_t package_count;
	struct probe_outcome without, with; /* of the probe in progress: large */
};

enum relation { IS, MORE, LESS, SAME, NONE };
static const struct row {
	uint32_t feature;
	const char *without, *with, *look;
	enum relation relation;
	const char *wanted, *text;
} rows[] = {
#define POLICY(directive, policy) PTOWSP_FEATURE_POLICY(PTOWSP_DIRECTIVE_##directive, PTOWSP_##directive##_##policy)
#define OPCODE(name) PTOWSP_FEATURE_OPCODE(PTOWSP_OP_##name)
#define PAYLOAD(kind) PTOWSP_FEATURE_PAYLOAD(PTOWSP_PAYLOAD_##kind)
#define FEATURE(name) PTOWSP_FEATURE_##name
#define GRAPH(name) PTOWSP_FEATURE_GRAPH(PTOWSP_##name)
#define X(feature, without, with, look, relation, wanted, text) {feature, without, with, look, relation, wanted, text},
#include "tools/run/probe.def"
#undef X
};

/* ---- where packages are ---------------------------------------------------------------------------------------- */

static bool is_folder(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISDIR(status.st_mode);
}

/* Like plugins: beside the running program first, but not under elevated privileges: a hard link could move it. */
static void folder_find(char *out, size_t room)
{
	static const char *const beside[] = {"packages/probes", "share/ptowsp/v10/probes"};
	char program[PATH_MAX] = "", *slash;
	bool found = false;

	if (getauxval(AT_SECURE) || readlink("/proc/self/exe", program, sizeof(program) - 1) < 0)
		program[0] = 0;
	for (int up = 0; up < 2; up++)
		if ((slash = strrchr(program, '/')))
			*slash = 0;
	for (size_t i = 0; i < sizeof(beside) / sizeof(*beside) && *program && !found; i++) {
		int length = snprintf(out, room, "%s/%s", program, beside[i]);

		found = length > 0 && (size_t)length < room && is_folder(out);
	}
	if (!found)
		snprintf(out, room, "%s", PROBE_SYSTEM_FOLDER);
}

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

ptowsp_status probe_open(struct probe **out, const struct ptowsp_backend_options *backend, const char *folder,
			 struct ptowsp_error *error)
{
	struct probe *probe = calloc(1, sizeof(*probe));
	struct reg_text text;
	ptowsp_status st;

	*out = NULL;
	if (!probe)
		return reg_fail(error, PTOWSP_NO_MEMORY, "no memory for probes");
	probe->options = *backend;
	probe->options.log = NULL; /* what is refused or ignored is the probe's business */
	reg_text_init(&text, probe->folder, sizeof(probe->folder));
	if (folder)
		reg_text_add(&text, "%s", folder);
	else
		folder_find(probe->folder, sizeof(probe->folder));
	st = ptowsp_backend_open(&probe->backend, &probe->options, error);
	if (st)
		probe_close(probe);
	else
		*out = probe;
	return st;
}

void probe_close(struct probe *probe)
{
	if (!probe)
		return;
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

/* ---- one probe ------------------------------------------------------------------------------------------------- */

__attribute__((format(printf, 3, 4)))
static enum probe_state say(struct probe_result *result, enum probe_state state, const char *format, ...)
{
	va_list ap;

	result->state = state;
	va_start(ap, format);
	vsnprintf(result->text, sizeof(result->text), format, ap);
	va_end(ap);
	return state;
}

enum { SETTINGS = 16 };

/* The backend's settings and one more, in `room`. False: there is no room. */
static bool settings_add(struct ptowsp_backend_options *options, struct ptowsp_setting room[SETTINGS], const char *key, const char *value)
{
	if (options->setting_count >= SETTINGS)
		return false;
	if (options->setting_count)
		memcpy(room, options->settings, options->setting_count * sizeof(*room));
	room[options->setting_count++] = (struct ptowsp_setting){key, value};
	options->settings = room;
	return true;
}

static bool has_option(const struct ptowsp_backend *backend, const char *key)
{
	const struct ptowsp_option *option;

	for (uint32_t i = 0; (option = ptowsp_backend_option(backend, i)); i++)
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
	const struct ptowsp_device *current = ptowsp_backend_current(probe->backend), *device;
	const struct ptowsp_device *mate = NULL;
	struct ptowsp_backend_options options = probe->options;

	for (uint32_t i = 0; (device = ptowsp_backend_device(probe->backend, i)); i++)
		if (device != current && (!mate || (!alike(mate, current) && alike(device, current))))
			mate = device;
	if (mate)
		options.device = mate->name;
	return ptowsp_backend_open(out, &options, error);
}

/* One run into *outcome. PROBE_ENFORCED: it can be looked at. */
static enum probe_state run(struct probe *probe, const char *text, uint32_t feature, struct probe_outcome *outcome,
			    struct probe_result *result)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct ptowsp_backend *backend = probe->backend, *own = NULL, *mate = NULL;
	struct ptowsp_backend_options options = probe->options;
	struct ptowsp_setting settings[SETTINGS];
	struct ptowsp_package *package;
	struct probe_spec spec;

	probe_spec_read(&spec, text);
	package = package_open(probe, spec.package, &error);
	if (!package)
		return say(result, PROBE_NOT_PROBED, "%s", error.text);
	options.threads = spec.threads;
	if (spec.if_any && !has_option(backend, "schedulers"))
		spec.schedulers = NULL;
	if (spec.schedulers && !settings_add(&options, settings, "schedulers", spec.schedulers))
		return say(result, PROBE_NOT_PROBED, "too many options of the backend are set to add schedulers=%s", spec.schedulers);
	if ((spec.threads || spec.schedulers) && ptowsp_backend_open(&own, &options, &error))
		return say(result, spec.schedulers ? PROBE_NOT_PROBED : PROBE_FAILED, "%s", error.text);
	if (spec.mate && mate_open(probe, &mate, &error)) {
		ptowsp_backend_close(own);
		return say(result, PROBE_NOT_PROBED, "%s", error.text);
	}
	probe_run(outcome, package, own ? own : backend, mate, &spec, feature);
	ptowsp_backend_close(mate);
	ptowsp_backend_close(own);
	if (*outcome->missing)
		return say(result, PROBE_NOT_PROBED, "%s", outcome->missing);
	if (outcome->refused)
		return say(result, PROBE_REFUSED, "%s", outcome->error.text);
	return PROBE_ENFORCED;
}

/* What is to be seen of an outcome. PROBE_ENFORCED: it can be compared. */
static enum probe_state look(const struct row *row, const struct probe_outcome *outcome, const char *which, struct probe_view *view,
			     struct probe_result *result)
{
	probe_look(view, outcome, row->look);
	if (outcome->status == PTOWSP_NO_DEVICE) /* whatever is claimed of it */
		return say(result, PROBE_NOT_PROBED, "%s", outcome->error.text);
	if (outcome->status && !view->any_status && !outcome->loaded)
		return say(result, PROBE_REFUSED, "%s", outcome->error.text);
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
	case IS:
		return !strcmp(with->text, row->wanted) && !(*row->without && !strcmp(without->text, with->text));
	case MORE:
		return with->count == without->count && sum(with) > sum(without);
	case LESS:
		return with->count == without->count && sum(with) < sum(without);
	case SAME:
		return !strcmp(without->text, with->text) && !with->nothing;
	case NONE:
		break;
	}
	return false;
}

static const char *shown(const struct probe_view *view)
{
	return *view->text ? view->text : "none";
}

static enum probe_state compare(const struct row *row, const struct probe_view *without, const struct probe_view *with,
				struct probe_result *result)
{
	char base[sizeof(without->text) + 16] = "";
	bool good = holds(row, without, with);

	if (*row->without)
		snprintf(base, sizeof(base), ", without it %s", shown(without));
	if (good)
		return say(result, PROBE_ENFORCED, "%s: %s %.160s%.160s", row->text, row->look, shown(with), base);
	return say(result, PROBE_NO_EFFECT, "not so: %s: %s %.120s%.120s%s%.120s", row->text, row->look, shown(with), base,
		   row->relation == IS ? ", expected " : "", row->relation == IS ? (*row->wanted ? row->wanted : "none") : "");
}

/* Kernels that take as long whatever they do hide what only longer ones show. */
static bool times_tell(const struct probe *probe, const struct row *row)
{
	const struct ptowsp_cap *cap = ptowsp_backend_cap(probe->backend, PTOWSP_FEATURE_KERNEL_CYCLES);

	return row->feature == PTOWSP_FEATURE_KERNEL_CYCLES || !cap || cap->state >= PTOWSP_STATE_ENFORCED || cap->state == PTOWSP_STATE_UNSUPPORTED;
}

/* No difference was seen. Could there have been one? */
static enum probe_state excuse(const struct probe *probe, const struct row *row, struct probe_result *result)
{
	if (*probe->without.unmet || *probe->with.unmet)
		return say(result, PROBE_NOT_PROBED, "%s", *probe->with.unmet ? probe->with.unmet : probe->without.unmet);
	if (!times_tell(probe, row))
		return say(result, PROBE_NOT_PROBED, "kernels take as long whatever they do, so it cannot be seen");
	return PROBE_NO_EFFECT;
}

static enum probe_state row_probe(struct probe *probe, const struct row *row, struct probe_result *result)
{
	struct probe_view without = {0}, with;
	enum probe_state state = PROBE_ENFORCED;

	*probe->without.unmet = *probe->with.unmet = 0;
	if (*row->without)
		state = run(probe, row->without, row->feature, &probe->without, result);
	if (state == PROBE_ENFORCED && *row->without)
		state = look(row, &probe->without, "without", &without, result);
	if (state == PROBE_ENFORCED)
		state = run(probe, row->with, row->feature, &probe->with, result);
	if (state == PROBE_ENFORCED)
		state = look(row, &probe->with, "with", &with, result);
	if (state == PROBE_ENFORCED)
		state = compare(row, &without, &with, result);
	return state == PROBE_NO_EFFECT ? excuse(probe, row, result) : state;
}

void probe_feature(struct probe *probe, uint32_t feature, struct probe_result *result)
{
	enum probe_state state = PROBE_ENFORCED;

	*result = (struct probe_result){.state = PROBE_NOT_PROBED, .text = "there is no probe for it"};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (rows[i].feature != feature)
			continue;
		result->probes += rows[i].relation != NONE;
		if (rows[i].relation == NONE)
			say(result, PROBE_NOT_PROBED, "%s", rows[i].text);
		else if (state == PROBE_ENFORCED)
			state = row_probe(probe, &rows[i], result);
	}
}

bool probe_exists(uint32_t feature)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].feature == feature && rows[i].relation != NONE)
			return true;
	return false;
}

/* ---- the claim ------------------------------------------------------------------------------------------------- */

const char *probe_state_text(enum probe_state state)
{
	static const char *const texts[] = {"enforced", "no effect", "failed", "refused", "not probed"};

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
	if (!claimed)
		return result->state == PROBE_ENFORCED ? PROBE_BETTER : PROBE_HOLDS;
	return result->state == PROBE_ENFORCED ? PROBE_HOLDS : PROBE_FALSE;
}
