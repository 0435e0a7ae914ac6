/* SPDX-License-Identifier: MIT */
#include "tools/run/probe_backend.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "registry/text.h"
#include "tools/beside.h"

#ifndef PROBE_SYSTEM_FOLDER
#define PROBE_SYSTEM_FOLDER "/usr/local/share/ptowsp/v10/probes" /* tools/ninja/install with its standard PREFIX */
#endif

enum { SETTINGS_MORE = 2 /* of the settings are the probes' own */, CRASHES = 3 /* with so many, none of the rest would end better */ };

static const struct ptowsp_setting wide_setting = {"schedulers", PROBE_INSTANCES}, real_setting = {"trace", "real"};

/* The backends of one run: its own with so many threads, or the one that all share, and that of device 1. */
struct probe_runners {
	struct ptowsp_backend *own, *main, *mate;
};

/* ---- where packages are ---------------------------------------------------------------------------------------- */

struct ptowsp_package *probe_package(struct probe *probe, const char *name, struct ptowsp_error *error)
{
	struct probe_opened *o = probe->packages;
	char path[PATH_MAX + 64];

	for (; o < probe->packages + probe->package_count; o++)
		if (!strcmp(o->name, name))
			return o->package;
	assert(probe->package_count < PROBE_PACKAGES && strlen(name) < sizeof(o->name));
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

	if (backend->setting_count > PROBE_SETTINGS)
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
	probe->options.log = NULL; /* refusals and warnings are the probe's business */
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
	for (uint32_t i = 0; i < probe->kept_count; i++)
		free(probe->kept[i].outcome);
	ptowsp_backend_close(probe->fresh[false]);
	ptowsp_backend_close(probe->fresh[true]);
	ptowsp_backend_close(probe->reference);
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

const struct probe_device *probe_device(const struct probe *probe)
{
	return &probe->device;
}

const struct probe_loss *probe_loss(const struct probe *probe)
{
	return &probe->loss;
}

/* ---- one probe ------------------------------------------------------------------------------------------------- */

enum probe_state probe_say(struct probe_result *result, enum probe_state state, const char *format, ...)
{
	va_list ap;

	result->state = state;
	va_start(ap, format);
	vsnprintf(result->text, sizeof(result->text), format, ap);
	va_end(ap);
	return state;
}

/* ---- configurations ----------------------------------------------------------------------------------------------- */

struct ptowsp_backend *probe_backend_now(const struct probe *probe)
{
	return probe->is_wide ? probe->wide : probe->backend;
}

/* The configuration that is probed: how to open it. */
static struct ptowsp_backend_options options_now(const struct probe *probe, bool real, struct ptowsp_setting room[PROBE_SETTINGS])
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

	for (uint32_t i = 0; probe->options.setting_count <= PROBE_SETTINGS - SETTINGS_MORE && (option = ptowsp_backend_option(probe->backend, i)); i++)
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
	const struct ptowsp_device *current = ptowsp_backend_current(probe_backend_now(probe)), *device;
	const struct ptowsp_device *mate = NULL;
	struct ptowsp_setting settings[PROBE_SETTINGS];
	struct ptowsp_backend_options options = options_now(probe, false, settings);

	for (uint32_t i = 0; (device = ptowsp_backend_device(probe_backend_now(probe), i)); i++)
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

enum probe_state probe_lose(struct probe *probe, uint32_t feature, const struct ptowsp_error *error, struct probe_result *result)
{
	if (!probe->loss.error.code)
		probe->loss = (struct probe_loss){*error, feature};
	probe->is_gone[probe->is_wide] = true;
	probe->crashes++;
	probe->hangs |= error->code == PTOWSP_DEADLINE;
	return probe_say(result, PROBE_LOST, "%s", error->text);
}

ptowsp_status probe_runner_open(struct probe *probe, struct ptowsp_backend **out, struct ptowsp_error *error)
{
	struct ptowsp_backend **fresh = &probe->fresh[probe->is_wide];
	struct ptowsp_setting settings[PROBE_SETTINGS];
	struct ptowsp_backend_options options = options_now(probe, false, settings);
	ptowsp_status status = PTOWSP_OK;

	if (probe->is_gone[probe->is_wide]) {
		ptowsp_backend_close(*fresh);
		*fresh = NULL;
		status = ptowsp_backend_open(fresh, &options, error);
	}
	probe->is_gone[probe->is_wide] = status != PTOWSP_OK;
	*out = *fresh ? *fresh : probe_backend_now(probe);
	return status;
}

/* ---- a run ---------------------------------------------------------------------------------------------------------- */

/* The backends of a run: all are opened, or none. PROBE_ENFORCED: they are. */
static enum probe_state backends_open(struct probe *probe, const struct probe_spec *spec, uint32_t feature, struct probe_runners *out,
				      struct probe_result *result)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct ptowsp_setting settings[PROBE_SETTINGS];
	struct ptowsp_backend_options options;
	enum probe_state otherwise = PROBE_FAILED;
	ptowsp_status status;

	*out = (struct probe_runners){0};
	if (spec->real && !can_add(probe, real_setting.key))
		return probe_say(result, PROBE_NOT_PROBED, "the backend has no option trace=real, so when kernels really began cannot be seen");
	options = options_now(probe, spec->real, settings);
	options.threads = spec->real && options.threads && options.threads < spec->threads ? options.threads : spec->threads;
	status = spec->threads && !spec->known ? ptowsp_backend_open(&out->own, &options, &error) : probe_runner_open(probe, &out->main, &error);
	if (!status && spec->mate) {
		otherwise = PROBE_NOT_PROBED;
		status = mate_open(probe, &out->mate, &error);
	}
	if (!status)
		return PROBE_ENFORCED;
	ptowsp_backend_close(out->own);
	return ends_backend(status) ? probe_lose(probe, feature, &error, result) : probe_say(result, otherwise, "%s", error.text);
}

static enum probe_state run_watched(struct probe *probe, struct ptowsp_package *package, const struct probe_spec *spec, uint32_t feature,
				    struct probe_outcome *outcome, struct probe_result *result)
{
	struct probe_runners runners;
	enum probe_state state = backends_open(probe, spec, feature, &runners, result);

	if (state != PROBE_ENFORCED)
		return state;
	probe_run(outcome, package, runners.own ? runners.own : runners.main, runners.mate, spec, feature);
	probe->device.tasks += spec->known ? 0 : outcome->device_tasks;
	probe->device.ns += spec->known ? 0 : outcome->device_ns;
	probe_phase_tell(spec, PROBE_CLOSES);
	ptowsp_backend_close(runners.mate);
	ptowsp_backend_close(runners.own);
	return outcome->gone ? probe_lose(probe, feature, &outcome->error, result) : PROBE_ENFORCED;
}

/* Whose outcome is not the same each time, or is a matter of more than the text. */
static bool is_single(const struct probe_spec *spec, uint32_t feature)
{
	return spec->real || spec->cancel || spec->deadline || spec->mate || feature == PTOWSP_FEATURE_PAYLOAD(PTOWSP_PAYLOAD_ELF);
}

static const struct probe_outcome *kept_find(const struct probe *probe, const char *text)
{
	for (uint32_t i = 0; i < probe->kept_count; i++)
		if (probe->kept[i].is_wide == probe->is_wide && !strcmp(probe->kept[i].text, text))
			return probe->kept[i].outcome;
	return NULL;
}

static void outcome_keep(struct probe *probe, const char *text, const struct probe_outcome *outcome)
{
	struct probe_outcome *copy = probe->kept_count < PROBE_KEPT && outcome->loaded && !outcome->status ? malloc(sizeof(*copy)) : NULL;

	if (!copy)
		return;
	*copy = *outcome;
	probe->kept[probe->kept_count++] = (struct probe_kept){text, probe->is_wide, copy};
}

bool probe_refuses(ptowsp_status status)
{
	return status == PTOWSP_UNSUPPORTED || status == PTOWSP_UNIMPLEMENTED || status == PTOWSP_UNKNOWN_FIELD || status == PTOWSP_UNKNOWN_OPCODE ||
	       status == PTOWSP_BAD_PACKAGE || status == PTOWSP_INVALID || status == PTOWSP_TOO_SMALL;
}

bool probe_lacks(ptowsp_status status)
{
	return status == PTOWSP_NO_DEVICE || status == PTOWSP_NO_MEMORY;
}

enum probe_state probe_take(struct probe *probe, const char *text, uint32_t feature, struct probe_outcome *outcome, struct probe_result *result)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct ptowsp_package *package;
	struct probe_spec spec;
	enum probe_state state;

	if (probe->hangs || probe->crashes >= CRASHES)
		return probe_say(result, PROBE_NOT_PROBED, "the backend %s in an earlier probe, so it is not asked again",
				 probe->hangs ? "did not come back" : "crashed once too often");
	probe_spec_read(&spec, text);
	package = probe_package(probe, spec.package, &error);
	if (!package)
		return probe_say(result, PROBE_NOT_PROBED, "%s", error.text);
	spec.watch = probe->watch;
	spec.known = is_single(&spec, feature) ? NULL : kept_find(probe, text);
	probe_phase_tell(&spec, PROBE_LOADS);
	state = run_watched(probe, package, &spec, feature, outcome, result);
	probe_phase_tell(&spec, PROBE_RESTS);
	if (!spec.known && !is_single(&spec, feature))
		outcome_keep(probe, text, outcome);
	if (state != PROBE_ENFORCED)
		return state;
	if (*outcome->missing)
		return probe_say(result, PROBE_NOT_PROBED, "%s", outcome->missing);
	if (outcome->refused)
		return probe_say(result, PROBE_REFUSED, "%s", outcome->error.text);
	if (outcome->native && !outcome->loaded && probe_refuses(outcome->status)) /* portable kernels would not ask for it */
		return probe_say(result, PROBE_NOT_PROBED, "the native kernels of the probe are refused: %s", outcome->error.text);
	return PROBE_ENFORCED;
}

bool probe_wide_open(struct probe *probe)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct ptowsp_setting settings[PROBE_SETTINGS];
	struct ptowsp_backend_options options;

	if (probe->wide || !can_add(probe, wide_setting.key))
		return probe->wide != NULL;
	probe->is_wide = true;
	options = options_now(probe, false, settings);
	if (ptowsp_backend_open(&probe->wide, &options, &error))
		probe->wide = NULL;
	return probe->wide != NULL;
}
