/* SPDX-License-Identifier: MIT */
/* probe.c - the rows of probe.def: which are probed, how each is judged, and what they say about the claim. */
#include "tools/run/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptowsp/graph.h"
#include "ptowsp/workload.h"
#include "registry/common/common_tile.h"
#include "registry/names.h"
#include "tools/run/probe_backend.h"

enum { FEATURES = 0x4000 }; /* ids of features.def begin */

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

/* The view of an outcome. configured: by options, which may leave too little for what a probe needs. PROBE_ENFORCED: it can be compared. */
static enum probe_state look(const struct row *row, const struct probe_outcome *outcome, bool configured, const char *which, struct probe_view *view,
			     struct probe_result *result)
{
	probe_look(view, outcome, row->look);
	if (probe_lacks(outcome->status))
		return probe_say(result, PROBE_NOT_PROBED, "%s", outcome->error.text);
	if (outcome->status && !view->any_status && !outcome->loaded)
		return probe_say(result, probe_refuses(outcome->status) ? PROBE_REFUSED : PROBE_FAILED, "%s", outcome->error.text);
	if (outcome->status == PTOWSP_TOO_SMALL && configured && !view->any_status)
		return probe_say(result, PROBE_NOT_PROBED, "%s", outcome->error.text);
	if (outcome->status && !view->any_status)
		return probe_say(result, PROBE_FAILED, "the run %s it ended with: %s", which, outcome->error.text);
	if (view->missing) /* a service that is claimed itself must be there */
		return probe_say(result, row->feature >= FEATURES ? PROBE_NO_EFFECT : PROBE_NOT_PROBED, "%s", view->missing);
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
		return probe_say(result, PROBE_ENFORCED, "%s, in real time", row->text);
	if (good)
		return probe_say(result, PROBE_ENFORCED, "%s: %s %.160s%.160s", row->text, row->look, shown(with), base);
	return probe_say(result, PROBE_NO_EFFECT, "not so: %s: %s %.120s%.120s%s%.120s", row->text, row->look, shown(with), base,
			 row->relation == IS ? ", expected " : "", row->relation == IS ? (*row->wanted ? row->wanted : "none") : "");
}

/* Kernels that take as long whatever they do hide what only longer ones show. */
static bool times_tell(const struct probe *probe, const struct row *row)
{
	const struct ptowsp_cap *cap = ptowsp_backend_cap(probe_backend_now(probe), PTOWSP_FEATURE_KERNEL_CYCLES);

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
		return probe_say(result, PROBE_NOT_PROBED, "it can be seen with " PROBE_INSTANCES " scheduler instances, this run has %u",
				 probe->with.scheduler_count);
	if (probe->options.setting_count &&
	    (*probe->with.unenforced ||
	     *probe->without.unenforced)) /* options may leave too little for the numbers of a probe; by itself a backend has enough */
		return probe_say(result, PROBE_NOT_PROBED, "%s", *probe->with.unenforced ? probe->with.unenforced : probe->without.unenforced);
	if (!times_tell(probe, row))
		return probe_say(result, PROBE_NOT_PROBED, "kernels take as long whatever they do, so it cannot be seen");
	if (text)
		return probe_say(result, PROBE_NOT_PROBED, "%s", text);
	return PROBE_NO_EFFECT;
}

static enum probe_state row_probe(struct probe *probe, const struct row *row, struct probe_result *result)
{
	struct probe_view without = {0}, with;
	enum probe_state state = PROBE_ENFORCED;

	probe->without = probe->with = (struct probe_outcome){0};
	if (*row->without)
		state = probe_take(probe, row->without, row->feature, &probe->without, result);
	if (state == PROBE_ENFORCED && *row->without)
		state = look(row, &probe->without, probe->options.setting_count, "without", &without, result);
	if (state == PROBE_ENFORCED)
		state = probe_take(probe, row->with, row->feature, &probe->with, result);
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
	const struct ptowsp_device *device = ptowsp_backend_current(probe_backend_now(probe));
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
			probe_say(result, PROBE_NOT_PROBED, "%s", rows[i].text);
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
	return common_tile_is_feature(feature);
}

void probe_feature(struct probe *probe, uint32_t feature, struct probe_result *result)
{
	*result = (struct probe_result){.state = PROBE_NOT_PROBED, .text = "there is no probe for it"};
	probe->is_wide = false;
	if (common_tile_is_feature(feature))
		probe_tiles(probe, feature, result);
	else
		rows_probe(probe, feature, result);
}

const char *probe_feature_more(struct probe *probe, uint32_t feature, struct probe_result *result, const struct ptowsp_cap **cap_out)
{
	bool wanted = false;

	*result = (struct probe_result){.state = PROBE_NOT_PROBED};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		wanted |= rows[i].feature == feature && wants_instances(&rows[i]);
	if (!wanted || !probe_wide_open(probe))
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
