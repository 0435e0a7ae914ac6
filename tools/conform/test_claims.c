/* SPDX-License-Identifier: MIT */
/* test_claims.c - capability rows against the probes, as ptowsp-run --capabilities --verify does it. */
#include <stdio.h>
#include <string.h>

#include "registry/names.h"
#include "registry/text.h"
#include "tools/conform/conform.h"
#include "tools/run/probe.h"

/* Each is a step: a driver may compile for minutes until it has all operations of all types. */
struct phases {
	struct conform *c;
	unsigned count; /* of the probe just now */
};

static void phase_tell(void *context, enum probe_phase phase)
{
	struct phases *p = context;

	(void)phase;
	conform_about(p->c, "phase %u of its runs", ++p->count);
}

void conform_test_claims_hold(struct conform *c)
{
	struct ptowsp_backend_options options = {.plugin = c->path,
						 .isolate = c->isolate,
						 .flags = PTOWSP_BACKEND_GRANTS,
						 .load_timeout_ms = CONFORM_DAY_MS,
						 .settings = c->settings,
						 .setting_count = c->setting_count,
						 .threads = 2};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct phases phases = {.c = c};
	struct reg_feature feature;
	struct probe_result result;
	struct probe *probe;
	uint32_t held = 0, unproved = 0;

	if (c->lint_off)
		conform_skip(c, "probes run through the host, which takes no file that fails the lint");
	conform_open(c, 1); /* skips where there is no device */
	conform_close(c);
	if (probe_open(&probe, &options, c->probes, &error))
		conform_fail(c, "%s", error.text);
	probe_watch(probe, CONFORM_DAY_MS, phase_tell, &phases); /* who waits for the test ends it */
	snprintf(c->record->operation, sizeof(c->record->operation), "a run through the host");
	for (uint32_t i = 0; reg_feature_at(i, &feature); i++) {
		const struct ptowsp_cap *cap = ptowsp_backend_cap(probe_backend(probe), feature.id);
		enum probe_verdict verdict;

		snprintf(c->record->package, sizeof(c->record->package), "probe of %.50s", feature.name);
		c->record->inside = 1;
		phases.count = 0;
		probe_feature(probe, feature.id, &result);
		c->record->inside = 0;
		verdict = probe_judge(cap, &result);
		CONFORM_MUST(c, verdict != PROBE_FALSE, "its row says that %s is enforced, and its probe does not see it: %.300s (PL7)", feature.name,
			     result.text);
		held += verdict == PROBE_HOLDS;
		unproved += verdict == PROBE_UNPROVED;
	}
	probe_close(probe);
	snprintf(c->record->log, sizeof(c->record->log), "%u rows hold, %u are enforced without a probe that can tell", held, unproved);
}
