/* SPDX-License-Identifier: MIT */
/* claims.c - --capabilities --verify: what backends declare against what probes observe. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "registry/names.h"
#include "registry/text.h"
#include "tools/columns.h"
#include "tools/plain.h"
#include "tools/run/probe.h"
#include "tools/run/run_run.h"

/* Rows collected while backends are gone through. */
struct claims {
	const struct run_options *options;
	json_t *plugins;       /* with --json */
	struct reg_text names; /* of false claims */
	char memory[200];
	uint32_t false_count, proved, opened; /* claims; of all backends, and devices that were there */
	struct ptowsp_error missing;          /* the first one that was not */
	struct ptowsp_error lost;             /* the first backend that a probe crashed, or that did not come back from one */
	ptowsp_status status;
	struct ptowsp_error *error;
};

/* The rows of one backend. */
struct tally {
	uint32_t rows[PROBE_FALSE + 1]; /* by verdict */
	uint32_t proved;                /* declared enforced, and a probe that ran saw it */
	char missing[256];              /* why its device could not be opened; "" */
	char lost[256];                 /* in which probe it was lost, and how; "" */
	struct columns table;
	json_t *json;
};

/* A row, or what is different in it with other options. */
static json_t *row_json(const struct ptowsp_cap *cap, const struct probe_result *result, enum probe_verdict verdict)
{
	json_t *row = json_pack("{s:s, s:s, s:s, s:i}", "observed", probe_state_text(result->state), "verdict",
				verdict == PROBE_FALSE ? "false" : probe_verdict_text(verdict), "text", result->text, "probes", (int)result->probes);

	json_object_set_new(row, "declared", cap ? json_string(run_cap_text(cap, verdict == PROBE_HOLDS)) : json_null());
	return row;
}

/* with: options that differ from those that were asked for, "": none. */
static json_t *row_judge(struct claims *claims, struct tally *tally, const struct probe *probe, const struct reg_feature *feature, const char *with,
			 const struct ptowsp_cap *cap, const struct probe_result *result)
{
	enum probe_verdict verdict = probe_judge(cap, result);

	tally->rows[verdict]++;
	tally->proved += verdict == PROBE_HOLDS && result->state == PROBE_ENFORCED;
	if (verdict == PROBE_FALSE)
		reg_text_add(&claims->names, "%s%s: %s%s%s", claims->false_count++ ? ", " : "", ptowsp_backend_name(probe_backend(probe)), feature->name,
			     *with ? " with " : "", with);
	columns_add(&tally->table, "%s%s\t%s\t%s\t%s\t%s", *with ? "  with " : "", *with ? with : feature->name, run_cap_text(cap, verdict == PROBE_HOLDS),
		    probe_state_text(result->state), probe_verdict_text(verdict), result->text);
	return tally->json ? row_json(cap, result, verdict) : NULL;
}

static void row_add(struct claims *claims, struct tally *tally, struct probe *probe, const struct reg_feature *feature)
{
	struct probe_result result;
	const struct ptowsp_cap *cap = ptowsp_backend_cap(probe_backend(probe), feature->id);
	const char *with;
	bool unproved;
	json_t *row, *more;

	probe_feature(probe, feature->id, &result);
	row = row_judge(claims, tally, probe, feature, "", cap, &result);
	unproved = probe_judge(cap, &result) == PROBE_UNPROVED;
	with = probe_feature_more(probe, feature->id, &result, &cap);
	more = with ? row_judge(claims, tally, probe, feature, with, cap, &result) : NULL;
	if (with && unproved && probe_judge(cap, &result) == PROBE_HOLDS)
		tally->rows[PROBE_UNPROVED]--; /* a probe can tell: it did */
	if (!row)
		return;
	json_object_update_new(row, json_pack("{s:s, s:i, s:s}", "feature", feature->name, "id", (int)feature->id, "group", feature->group));
	if (more)
		json_object_set_new(more, "options", json_string(with));
	if (more)
		json_object_set_new(row, "more", more);
	json_array_append_new(tally->json, row);
}

static void tally_print(struct tally *tally, const struct ptowsp_backend *backend, const struct probe_device *device)
{
	printf("%s %s", ptowsp_backend_name(backend), ptowsp_backend_version(backend));
	if (*tally->lost)
		plain_line(stdout, ": %s", tally->lost);
	else if (*tally->missing)
		plain_line(stdout, ": nothing is proved, as its device cannot be opened: %s", tally->missing);
	else
		printf(tally->proved ? "\n" : ": nothing is proved, as nothing that it claims can be seen here\n");
	columns_print(&tally->table, stdout, 0);
	printf("%u hold, %u better than declared, %u claimed without a probe that can tell, %u false\n", tally->rows[PROBE_HOLDS], tally->rows[PROBE_BETTER],
	       tally->rows[PROBE_UNPROVED], tally->rows[PROBE_FALSE]);
	if (device->tasks)
		printf("%llu tasks of the probes ran on the device, by its own count, in %.3f s\n", (unsigned long long)device->tasks,
		       (double)device->ns / 1e9);
}

/* The probe that runs: a device that compiles takes minutes for all. On a terminal one line that changes, elsewhere, where it was asked for, a line each; feature NULL:
 * that was all. */
static void progress(const struct claims *claims, const struct probe *probe, const struct reg_feature *feature, uint32_t number, uint32_t count)
{
	const bool terminal = isatty(STDERR_FILENO);

	if (!claims->options->progress && (!terminal || claims->options->quiet))
		return;
	if (feature)
		fprintf(stderr, "%s%s: probe %u of %u, %s%s", terminal ? "\r\033[K" : "", ptowsp_backend_name(probe_backend(probe)), number, count,
			feature->name, terminal ? "" : "\n");
	else if (terminal)
		fputs("\r\033[K", stderr);
}

static void device_open(struct claims *claims, struct probe *probe, struct tally *tally)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};

	run_watchdog(claims->options, RUN_OPENING);
	probe_device_open(probe, &error);
	run_watchdog(claims->options, RUN_NOTHING);
	if (!error.code) {
		claims->opened++;
		return;
	}
	if (error.code == PTOWSP_INVALID) { /* options that no device takes: what the caller said, and no claim is judged by it */
		*claims->error = error;
		claims->status = error.code;
		return;
	}
	if (!claims->missing.code)
		claims->missing = error;
	snprintf(tally->missing, sizeof(tally->missing), "%s", error.text);
}

static void loss_keep(struct claims *claims, const struct probe *probe, struct tally *tally)
{
	const struct probe_loss *loss = probe_loss(probe);
	struct reg_feature feature;
	struct reg_text text;

	if (!loss->error.code || !reg_feature(loss->feature, &feature))
		return;
	reg_text_init(&text, tally->lost, sizeof(tally->lost));
	reg_text_add(&text, "the probe of %s %s: %s", feature.name, loss->error.code == PTOWSP_DEADLINE ? "did not come back" : "crashed the backend",
		     loss->error.text);
	if (!claims->lost.code)
		reg_fail(&claims->lost, loss->error.code, "%s", tally->lost);
}

static bool is_told(const struct ptowsp_backend *backend, const struct reg_feature *feature)
{
	return !feature->optional || ptowsp_backend_cap(backend, feature->id);
}

static uint32_t features_count(const struct ptowsp_backend *backend)
{
	struct reg_feature feature;
	uint32_t count = 0;

	for (uint32_t i = 0; reg_feature_at(i, &feature); i++)
		count += is_told(backend, &feature);
	return count;
}

static void backend_probe(struct claims *claims, struct probe *probe)
{
	const struct ptowsp_backend *backend = probe_backend(probe);
	struct tally tally = {.json = claims->options->json ? json_array() : NULL};
	const uint32_t count = features_count(backend);
	struct reg_feature feature;
	uint32_t number = 0;

	device_open(claims, probe, &tally);
	if (claims->status) {
		json_decref(tally.json);
		return;
	}
	columns_add(&tally.table, "capability\tdeclared\tobserved\tverdict\twhat was seen, or why not");
	for (uint32_t i = 0; reg_feature_at(i, &feature); i++) {
		if (!is_told(backend, &feature))
			continue;
		progress(claims, probe, &feature, ++number, count);
		row_add(claims, &tally, probe, &feature);
	}
	progress(claims, probe, NULL, count, count);
	loss_keep(claims, probe, &tally);
	claims->proved += tally.proved;
	if (!claims->options->json)
		tally_print(&tally, backend, probe_device(probe));
	else
		json_array_append_new(claims->plugins,
				      json_pack("{s:s, s:s, s:o, s:o, s:i, s:o, s:i, s:i, s:i, s:i, s:I}", "plugin", ptowsp_backend_name(backend), "version",
						ptowsp_backend_version(backend), "missing", plain_json(tally.missing), "lost", plain_json(tally.lost), "proved",
						(int)tally.proved, "rows", tally.json, "hold", (int)tally.rows[PROBE_HOLDS], "better",
						(int)tally.rows[PROBE_BETTER], "unproved", (int)tally.rows[PROBE_UNPROVED], "false",
						(int)tally.rows[PROBE_FALSE], "device_tasks", (json_int_t)probe_device(probe)->tasks));
	columns_print(&tally.table, NULL, 0);
}

/* A probe has the limits of a run; only that its run has one without --timeout-ms, too. */
static void watch(void *context, enum probe_phase phase)
{
	static const enum run_phase phases[] = {
		[PROBE_RESTS] = RUN_NOTHING, [PROBE_LOADS] = RUN_LOADING, [PROBE_RUNS] = RUN_RUNNING, [PROBE_CLOSES] = RUN_CLOSING};
	const struct claims *claims = context;
	struct run_options limits = *claims->options;

	limits.timeout_ms = limits.timeout_ms ? limits.timeout_ms : PROBE_LIMIT_MS;
	run_watchdog(&limits, phases[phase]);
}

static void probe_end(struct claims *claims, struct probe *probe)
{
	fflush(stdout); /* a hanging call takes nothing along */
	run_watchdog(claims->options, RUN_CLOSING);
	probe_close(probe);
	run_watchdog(claims->options, RUN_NOTHING);
}

/* Opened a second time, without a log: a probe asks for much that is refused. */
static void claims_add(void *context, struct ptowsp_backend *backend)
{
	struct claims *claims = context;
	struct run_backend_options b;
	struct probe *probe;

	if (claims->status)
		return;
	claims->status = run_backend_options(&b, claims->options, claims->error);
	if (claims->status)
		return;
	b.options.plugin = ptowsp_backend_path(backend);
	run_watchdog(claims->options, RUN_OPENING);
	claims->status = probe_open(&probe, &b.options, NULL, claims->error);
	run_watchdog(claims->options, RUN_NOTHING);
	if (!claims->status) {
		probe_watch(probe, claims->options->timeout_ms, watch, claims);
		backend_probe(claims, probe);
		probe_end(claims, probe);
	}
	run_backend_options_finish(&b);
}

/* A probe that did not run has proved nothing; silence would read as that it had. */
static ptowsp_status proof_check(const struct claims *claims, struct ptowsp_error *error)
{
	if (claims->proved)
		return PTOWSP_OK;
	if (claims->missing.code && !claims->opened)
		return reg_fail(error, claims->missing.code, "nothing is proved, as no device could be opened: %.200s", claims->missing.text);
	return reg_fail(error, RUN_NOTHING_PROVED, "nothing is proved: no probe could see here what is claimed; the table says why, for each");
}

ptowsp_status run_claims(const struct run_options *options, struct ptowsp_error *error)
{
	struct claims claims = {.options = options, .plugins = options->json ? json_array() : NULL, .error = error};
	ptowsp_status status;

	reg_text_init(&claims.names, claims.memory, sizeof(claims.memory));
	status = run_each_backend(options, claims_add, &claims, error);
	status = status ? status : claims.status;
	if (!status && options->json)
		status = run_json_print(json_pack("{s:s, s:O}", "schema", "ptowsp.claims/1", "plugins", claims.plugins), error);
	json_decref(claims.plugins);
	if (!status && claims.lost.code)
		return *error = claims.lost, claims.lost.code;
	if (options->rank) /* of several ranks the first judges */
		return status;
	if (!status && claims.false_count)
		status = reg_fail(error, PTOWSP_RUN_FAILED, "%u claim%s of enforced %s not seen by %s: %s", claims.false_count,
				  claims.false_count > 1 ? "s" : "", claims.false_count > 1 ? "are" : "is",
				  claims.false_count > 1 ? "their probes" : "its probe", claims.memory);
	return status ? status : proof_check(&claims, error);
}
