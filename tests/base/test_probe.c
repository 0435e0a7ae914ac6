/* SPDX-License-Identifier: MIT
 * test_probe.c - claims and probes: cpu_sim keeps its claims, and a backend that breaks one is found out, by the reference clock and on the machine of a2a3sim. */
#include "tests/check.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptowsp/graph.h"
#include "ptowsp/package.h"
#include "ptowsp/workload.h"
#include "registry/names.h"
#include "tools/run/probe.h"

#define CPU      "lib/ptowsp/plugins/libptowsp_cpu_sim.so"
#define SIM      "lib/ptowsp/plugins/libptowsp_a2a3sim.so"
#define LIAR     "test/plugins/libptowsp_liar.so"
#define NARROW   "test/narrow/libptowsp_narrow.so"
#define LIAR_SIM "test/plugins/libptowsp_liar_sim.so" /* a2a3sim, on its machine */

/* lie: value of the liar's option, NULL for other plugins. The machine has one scheduler instance; probes that want several open a second handle. What is passed to probe_open must outlive the probe; at most two at a time. */
static struct probe *open_with(const char *plugin, const char *lie, const char *folder)
{
	static struct {
		char path[1024], value[32];
		struct ptowsp_setting settings[2];
	} kept[2];
	static unsigned turn;
	uint32_t count = 0;
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct ptowsp_backend_options options = {.isolate = PTOWSP_ISOLATE_NONE, .plugin = kept[turn].path, .settings = kept[turn].settings, .threads = 1};
	struct probe *probe;

	snprintf(kept[turn].path, sizeof(kept[turn].path), "%s/%s", check_build(), plugin);
	snprintf(kept[turn].value, sizeof(kept[turn].value), "%s", lie ? lie : "");
	if (lie)
		kept[turn].settings[count++] = (struct ptowsp_setting){"lie", kept[turn].value};
	if (!strcmp(plugin, SIM) || !strcmp(plugin, LIAR_SIM))
		kept[turn].settings[count++] = (struct ptowsp_setting){"schedulers", "1"};
	options.setting_count = count;
	turn = !turn;
	if (probe_open(&probe, &options, folder, &error))
		CHECK_FAIL("%s: %s", plugin, error.text);
	REQUIRE(probe != NULL);
	return probe;
}

static bool claimed(const struct probe *probe, uint32_t feature)
{
	const struct ptowsp_cap *cap = ptowsp_backend_cap(probe_backend(probe), feature);

	return cap && cap->state == PTOWSP_STATE_ENFORCED;
}

/* Operations on each type that is claimed have the bits of cpu_sim, and run on the device that counts them. */
TEST(operations_are_held_against_the_bits_of_cpu_sim)
{
	static const char *const lies[][2] = {{"none", "the bits of cpu_sim: f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 bool, all on the device"},
					      {"bits", "not so: trowsum of f32 has other bits than by cpu_sim"},
					      {"place", "not so: of 1 tasks on f32 0 ran on the device"}};

	for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
		struct probe *probe = open_with(NARROW, lies[i][0], NULL);
		struct probe_result result;

		probe_feature(probe, PTOWSP_FEATURE_TILE(0u), &result);
		CHECK_STR(result.text, lies[i][1]);
		CHECK_INT(result.state, i ? PROBE_NO_EFFECT : PROBE_ENFORCED);
		probe_close(probe);
	}
}

/* ---- honest ---------------------------------------------------------------------------------------------------- */

TEST(every_claim_of_cpu_sim_has_a_probe_and_holds)
{
	struct probe *probe = open_with(CPU, NULL, NULL);
	struct probe_result result;
	struct reg_feature feature;

	for (uint32_t i = 0; reg_feature_at(i, &feature); i++) {
		if (!claimed(probe, feature.id))
			continue;
		probe_feature(probe, feature.id, &result);
		if (result.state != PROBE_ENFORCED)
			CHECK_FAIL("%s is declared enforced and observed as %s: %s", feature.name, probe_state_text(result.state), result.text);
	}
	probe_close(probe);
}

/* What cpu_sim may leave at less than enforced; nothing else may fall back. */
static bool may_be_less(uint32_t feature)
{
#define GRAPH(name)               PTOWSP_FEATURE_GRAPH(PTOWSP_##name)
#define POLICY(directive, policy) PTOWSP_FEATURE_POLICY(PTOWSP_DIRECTIVE_##directive, PTOWSP_##directive##_##policy)
	static const uint32_t features[] = {
		POLICY(TIMING, IMMEDIATE),
		POLICY(READY, FIFO),
		POLICY(READY, WORK_STEAL),
		POLICY(READY, PRIORITY),
		POLICY(TRACE, TASKS),
		GRAPH(MC_FENCE),
		GRAPH(CA_REQUEST),
		GRAPH(CA_AFFINITY),
		GRAPH(CA_PARTITION),
		GRAPH(TG_PERSISTENT),
		GRAPH(TG_SET_PRIORITY),
		PTOWSP_FEATURE_OPCODE(PTOWSP_OP_DISPATCH_FILTER), /* with one scheduler instance */
		PTOWSP_FEATURE_PAYLOAD(PTOWSP_PAYLOAD_IMAGE),
		PTOWSP_FEATURE_PAYLOAD(PTOWSP_PAYLOAD_SOURCE),
		PTOWSP_FEATURE_MEMORY_ORDER,
		PTOWSP_FEATURE_DEVICE_TASKS,
	};

	for (size_t i = 0; i < sizeof(features) / sizeof(*features); i++)
		if (features[i] == feature)
			return true;
	return false;
}

TEST(cpu_sim_enforces_what_has_an_effect)
{
	struct probe *probe = open_with(CPU, NULL, NULL);
	struct reg_feature feature;

	for (uint32_t i = 0; reg_feature_at(i, &feature); i++)
		if (!claimed(probe, feature.id) && !may_be_less(feature.id) && !feature.optional)
			CHECK_FAIL("%s is not enforced any more", feature.name);
	probe_close(probe);
}

static void every_claim_holds(const char *lie)
{
	struct probe *probe = open_with(LIAR, lie, NULL);
	struct probe_result result;
	struct reg_feature feature;

	for (uint32_t i = 0; reg_feature_at(i, &feature); i++) {
		probe_feature(probe, feature.id, &result);
		if (claimed(probe, feature.id) && result.state != PROBE_ENFORCED)
			CHECK_FAIL("%s is observed as %s: %s", feature.name, probe_state_text(result.state), result.text);
	}
	probe_close(probe);
}

/* The liar without a lie is cpu_sim: what the other tests find is the lie. */
TEST(the_liar_holds_every_claim_while_it_does_not_lie)
{
	every_claim_holds("0");
}

TEST(a_backend_for_native_kernels_only_can_prove_every_claim)
{
	every_claim_holds("native");
}

/* What native kernels of the probes ask for beside the feature says nothing about it. */
TEST(a_backend_that_takes_fewer_native_kernels_is_called_no_liar)
{
	struct probe *probe = open_with(LIAR, "native+", NULL);
	struct probe_result result;

	probe_feature(probe, PTOWSP_FEATURE_PAYLOAD(PTOWSP_PAYLOAD_ELF), &result);
	CHECK_INT(result.state, PROBE_ENFORCED);
	probe_feature(probe, PTOWSP_FEATURE_OPCODE(PTOWSP_OP_TASK), &result);
	CHECK_INT(result.state, PROBE_NOT_PROBED);
	CHECK_STR(result.text, "the native kernels of the probe are refused: liar has no workspace");
	probe_close(probe);
}

/* What orders tasks that access one tensor, wherever, must not hide what steps and branches do. */
TEST(a_backend_with_edges_per_tensor_proves_steps_and_branches)
{
	static const uint32_t features[] = {PTOWSP_FEATURE_OPCODE(PTOWSP_OP_COMBINE), PTOWSP_FEATURE_OPCODE(PTOWSP_OP_SEQUENTIAL)};
	struct probe *probe = open_with(LIAR, "tensors", NULL);
	struct probe_result result;

	for (size_t i = 0; i < sizeof(features) / sizeof(*features); i++) {
		probe_feature(probe, features[i], &result);
		if (result.state != PROBE_ENFORCED)
			CHECK_FAIL("%s: %s", probe_state_text(result.state), result.text);
	}
	probe_close(probe);
}

/* ---- lies ------------------------------------------------------------------------------------------------------ */

/* Declared and probed with the options as they are, or with others. Returns whether there is anything to lie about. */
static bool claim_look(struct probe *probe, uint32_t feature, bool more, enum probe_verdict *verdict_out, struct probe_result *result)
{
	const struct ptowsp_cap *cap = ptowsp_backend_cap(probe_backend(probe), feature);

	if (more && !probe_feature_more(probe, feature, result, &cap))
		return false;
	if (!more)
		probe_feature(probe, feature, result);
	*verdict_out = probe_judge(cap, result);
	return cap && cap->state == PTOWSP_STATE_ENFORCED;
}

/* A backend that does not do it declares each enforced feature of a group in turn. */
static void lies_probe_on(const char *plugin, const char *liar, const char *group)
{
	struct probe *honest = open_with(plugin, NULL, NULL);
	struct reg_feature feature;
	uint32_t told = 0;

	for (uint32_t i = 0; reg_feature_at(i, &feature); i++)
		for (int more = 0; more < 2 && !strcmp(feature.group, group) && check_seed_wanted(i); more++) {
			struct probe_result result;
			enum probe_verdict verdict;
			struct probe *probe;

			if (!claim_look(honest, feature.id, more, &verdict, &result))
				continue;
			told++;
			probe = open_with(liar, check_fmt("0x%x", (unsigned)feature.id), NULL);
			if (!claim_look(probe, feature.id, more, &verdict, &result) || verdict != PROBE_FALSE)
				CHECK_FAIL("%s%s is not done and observed as %s: %s", feature.name, more ? " with other options" : "",
					   probe_state_text(result.state), result.text);
			probe_close(probe);
		}
	CHECK(told > 0 || *check_sanitizer());
	probe_close(honest);
}

static void lies_probe(const char *group)
{
	lies_probe_on(CPU, LIAR, group);
}

TEST(a_lie_about_any_directive_is_found_out)
{
	lies_probe("directive");
}

/* What a number says can be seen only where it counts something; cycles belong to a clock, and a byte more than 64 is none more. */
TEST(a_directive_with_another_number_is_found_out)
{
	static const uint32_t features[] = {
		POLICY(DISPATCH, ROUND_ROBIN), POLICY(DISPATCH, AFFINITY),   POLICY(DISPATCH, HASH),     POLICY(DISPATCH, STATIC_PARTITION),
		POLICY(DISPATCH, THRESHOLD),   POLICY(DISPATCH, WORK_STEAL), POLICY(DISPATCH, CUSTOM),   POLICY(TASK_WINDOW, STALL),
		POLICY(PIPELINE_DEPTH, DEPTH), POLICY(STREAMS, COUNT),       POLICY(BATCH_DEPS, COUNT),  POLICY(START, THRESHOLD),
		POLICY(SPATIAL_MAP, GRID),     POLICY(TENSOR_MAP, CAPACITY), POLICY(DEP_LIST, CAPACITY), POLICY(READY_QUEUE, CAPACITY),
	};

	for (size_t i = 0; i < sizeof(features) / sizeof(*features); i++) {
		struct probe *probe = open_with(LIAR, check_fmt("0x%x+", (unsigned)features[i]), NULL);
		struct probe_result result;
		struct reg_feature feature;

		reg_feature(features[i], &feature);
		probe_feature(probe, features[i], &result);
		if (result.state == PROBE_ENFORCED)
			CHECK_FAIL("%s with other numbers is observed as enforced: %s", feature.name, result.text);
		probe_close(probe);
	}
}

/* Data moves, and the capacity that is asked for does not count. */
TEST(payload_without_its_capacity_is_found_out)
{
	struct probe *probe = open_with(LIAR, check_fmt("0x%x+", (unsigned)PTOWSP_FEATURE_CSP_PAYLOAD), NULL);
	struct probe_result result;

	probe_feature(probe, PTOWSP_FEATURE_CSP_PAYLOAD, &result);
	CHECK_INT(result.state, PROBE_NO_EFFECT);
	CHECK_CONTAINS(result.text, "a sender waits for room for its tile");
	probe_close(probe);
}

/* Shards are there and counted, and what tasks leave in them does not come back. */
TEST(a_layout_that_loses_results_is_found_out)
{
	struct probe *probe = open_with(LIAR, check_fmt("0x%x+", (unsigned)POLICY(LAYOUT, SHARD)), NULL);
	struct probe_result result;

	probe_feature(probe, POLICY(LAYOUT, SHARD), &result);
	CHECK_INT(result.state, PROBE_NO_EFFECT);
	CHECK_CONTAINS(result.text, "not so: results do not change: content 0 0 0 0 0 0 0 0, without it 3 3 2 3");
	probe_close(probe);
}

TEST(a_lie_about_any_opcode_is_found_out)
{
	lies_probe("opcode");
}

TEST(a_lie_about_any_graph_instruction_is_found_out)
{
	lies_probe("graph");
}

TEST(a_fence_that_orders_nothing_is_found_out)
{
	struct probe *probe = open_with(LIAR, check_fmt("0x%x", (unsigned)GRAPH(MC_FENCE)), NULL);
	struct probe_result result;

	probe_feature(probe, GRAPH(MC_FENCE), &result);
	CHECK_INT(result.state, PROBE_NO_EFFECT);
	probe_close(probe);
}

TEST(a_lie_about_any_other_feature_is_found_out)
{
	lies_probe("feature");
	lies_probe("payload");
}

TEST(a_lie_about_anything_is_found_out_on_the_machine)
{
	static const char *const groups[] = {"directive", "opcode", "graph", "feature", "payload"};

	for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++)
		lies_probe_on(SIM, LIAR_SIM, groups[i]);
}

/* Declared and not there at all. */
TEST(a_claim_without_anything_behind_it_does_not_hold)
{
	struct probe *honest = open_with(CPU, NULL, NULL), *probe = open_with(LIAR, "claims", NULL);
	struct probe_result result;
	struct reg_feature feature;
	uint32_t seen = 0;

	for (uint32_t i = 0; reg_feature_at(i, &feature); i++) {
		const struct ptowsp_cap *cap = ptowsp_backend_cap(probe_backend(probe), feature.id);

		if (!cap || claimed(honest, feature.id) || feature.id == GRAPH(MC_FENCE)) /* a fence is done, though its platform need not */
			continue;
		probe_feature(probe, feature.id, &result);
		CHECK(probe_judge(cap, &result) >= PROBE_UNPROVED);
		seen++;
	}
	CHECK(seen > 0);
	probe_close(probe);
	probe_close(honest);
}

/* ---- options --------------------------------------------------------------------------------------------------- */

/* An executor of the machine is a scheduler instance: a dispatch policy chooses nothing where there is only one. */
TEST(what_the_options_leave_without_effect_is_not_claimed)
{
	static const uint32_t features[] = {POLICY(DISPATCH, ROUND_ROBIN),
					    POLICY(DISPATCH, AFFINITY),
					    POLICY(DISPATCH, HASH),
					    POLICY(DISPATCH, THRESHOLD),
					    POLICY(DISPATCH, STATIC_PARTITION),
					    POLICY(DISPATCH, WORK_STEAL),
					    POLICY(DISPATCH, CUSTOM),
					    POLICY(DISPATCH, AUTO),
					    POLICY(DISPATCH, GRID),
					    POLICY(SPATIAL_MAP, GRID),
					    PTOWSP_FEATURE_OPCODE(PTOWSP_OP_DISPATCH_FILTER)};
	struct probe *probe = open_with(SIM, NULL, NULL);

	for (size_t i = 0; i < sizeof(features) / sizeof(*features); i++) {
		const struct ptowsp_cap *cap = ptowsp_backend_cap(probe_backend(probe), features[i]);
		struct probe_result result;

		CHECK(cap && cap->state == PTOWSP_STATE_RECORDED);
		probe_feature(probe, features[i], &result);
		CHECK(result.state != PROBE_ENFORCED);
		CHECK_STR(probe_feature_more(probe, features[i], &result, &cap), "schedulers=4");
		CHECK(cap && cap->state == PTOWSP_STATE_ENFORCED);
		if (result.state != PROBE_ENFORCED)
			CHECK_FAIL("0x%x: %s", (unsigned)features[i], result.text);
	}
	probe_close(probe);
}

/* Whatever options say, each row says what they leave: nothing is claimed that a probe then does not see. */
TEST(no_claim_is_false_under_options)
{
	static const char *const rows[][2] = {
		{"cpu_sim", "--opt schedulers=3"},
		{"a2a3sim", "--opt schedulers=3"},
		{"a2a3sim", "--opt clock=reference --opt aicpus=2 --opt trace=real"},
		{"aie", "--opt cores=1"},
		{"aie", "--opt grid=2x2 --opt trace=real"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *out = NULL, *err = NULL;
		const int code =
			check_run(check_fmt("%s/bin/ptowsp-run --capabilities --verify --plugin=%s %s", check_build(), rows[i][0], rows[i][1]), &out, &err);

		if (code)
			CHECK_FAIL("%s %s: exit %d, %s", rows[i][0], rows[i][1], code, err);
		CHECK_CONTAINS(out, ", 0 false\n");
		free(out), free(err);
	}
}

/* What several instances refuse when they run is unsupported before that, by the same table. */
TEST(what_several_instances_refuse_is_not_claimed)
{
	static const struct {
		const char *what, *state;
	} rows[] = {{"timing=interleaved", "unsupported"}, {"signal", "unsupported"}, {"alloc", "unsupported"},       {"MC_FREE", "unsupported"},
		    {"CF_WHILE", "unsupported"},           {"send", "unsupported"},   {"heap(capacity)", "recorded"}, {"halt", "enforced"}};
	const char *const plugins[] = {"cpu_sim", "a2a3sim --opt clock=reference"};

	for (size_t p = 0; p < 2; p++) {
		char *out;

		REQUIRE_INT(check_run(check_fmt("%s/bin/ptowsp-run --capabilities --opt schedulers=3 --plugin=%s", check_build(), plugins[p]), &out, NULL), 0);
		for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
			CHECK_CONTAINS(out, check_fmt("\n  %-36s %s", rows[i].what, rows[i].state));
		free(out);
	}
}

/* ---- judging --------------------------------------------------------------------------------------------------- */

TEST(verdicts_follow_declared_and_observed)
{
	static const struct {
		int declared; /* -1: no row */
		enum probe_state observed;
		enum probe_verdict verdict;
	} rows[] = {
		{PTOWSP_STATE_ENFORCED, PROBE_ENFORCED, PROBE_HOLDS},
		{PTOWSP_STATE_ENFORCED, PROBE_NO_EFFECT, PROBE_FALSE},
		{PTOWSP_STATE_ENFORCED, PROBE_FAILED, PROBE_FALSE},
		{PTOWSP_STATE_ENFORCED, PROBE_REFUSED, PROBE_FALSE},
		{PTOWSP_STATE_ENFORCED, PROBE_NOT_PROBED, PROBE_UNPROVED},
		{PTOWSP_STATE_RECORDED, PROBE_NO_EFFECT, PROBE_HOLDS},
		{PTOWSP_STATE_RECORDED, PROBE_ENFORCED, PROBE_BETTER},
		{PTOWSP_STATE_DIAGNOSED, PROBE_NOT_PROBED, PROBE_NOTHING},
		{PTOWSP_STATE_UNSUPPORTED, PROBE_REFUSED, PROBE_HOLDS},
		{-1, PROBE_ENFORCED, PROBE_BETTER},
		{-1, PROBE_NOT_PROBED, PROBE_NOTHING},
		{-1, PROBE_FAILED, PROBE_NOTHING},
		{-1, PROBE_LOST, PROBE_NOTHING},
		{PTOWSP_STATE_RECORDED, PROBE_FAILED, PROBE_NOTHING},
		{PTOWSP_STATE_UNSUPPORTED, PROBE_LOST, PROBE_NOTHING},
		{PTOWSP_STATE_ENFORCED, PROBE_LOST, PROBE_FALSE},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ptowsp_cap cap = {.feature = 1, .state = (uint8_t)rows[i].declared};
		struct probe_result result = {.state = rows[i].observed};

		CHECK_INT(probe_judge(rows[i].declared < 0 ? NULL : &cap, &result), rows[i].verdict);
	}
}

TEST(a_missing_package_is_said)
{
	struct probe *probe = open_with(CPU, NULL, check_tmp());
	struct probe_result result;

	probe_feature(probe, PTOWSP_FEATURE_TOTAL_CYCLES, &result);
	CHECK_INT(result.state, PROBE_NOT_PROBED);
	CHECK_CONTAINS(result.text, "tasks.pkg.zst");
	probe_close(probe);
}

TEST(a_feature_nobody_knows_has_no_probe)
{
	struct probe *probe = open_with(CPU, NULL, NULL);
	struct probe_result result;

	probe_feature(probe, 0x7777, &result);
	CHECK_INT(result.state, PROBE_NOT_PROBED);
	CHECK_UINT(result.probes, 0);
	probe_close(probe);
}

/* ---- the command line ------------------------------------------------------------------------------------------ */

static int verify(const char *arguments, char **out, char **err)
{
	return check_run(check_fmt("%s/bin/ptowsp-run --capabilities --verify %s", check_build(), arguments), out, err);
}

TEST(the_command_prints_declared_against_observed)
{
	char *out, *err, *again;

	REQUIRE_INT(verify("--plugin=cpu_sim", &out, &err), 0);
	CHECK_CONTAINS(out, "capability");
	CHECK_CONTAINS(out, "dispatch=round_robin");
	CHECK_CONTAINS(out, "groups 0 1 2 0 1 2, without it 0 0 0 0 0 0");
	CHECK_CONTAINS(out, " 0 claimed without a probe that can tell, 0 false\n");
	CHECK_STR(err, "");
	REQUIRE_INT(verify("--plugin=cpu_sim", &again, NULL), 0);
	CHECK_STR(again, out); /* the same every time */
	free(out), free(err), free(again);
}

/* Nothing can be written, so no native code becomes an object: that says nothing about the claim. */
TEST(a_limit_of_the_machine_makes_no_claim_false)
{
	char *out, *err;

	CHECK_INT(check_run(check_fmt("(ulimit -f 0; exec %s/bin/ptowsp-run --capabilities --verify --plugin=cpu_sim) | cat", check_build()), &out, &err), 0);
	CHECK_CONTAINS(out, "not probed  unproved  native code of kernel put: it does not fit into memory: File too large");
	CHECK_CONTAINS(out, " 1 claimed without a probe that can tell, 0 false\n");
	CHECK_STR(err, "");
	free(out), free(err);
}

TEST(a_false_claim_is_an_error_that_names_it)
{
	char *out, *err;

	CHECK_INT(verify(check_fmt("--plugin=%s/" LIAR " --opt lie=0x%x", check_build(),
				   PTOWSP_FEATURE_POLICY(PTOWSP_DIRECTIVE_STREAM_BY, PTOWSP_STREAM_BY_EXPRESSION)),
			 &out, &err),
		  1);
	CHECK_CONTAINS(out, "FALSE");
	CHECK_CONTAINS(out, "not so: the expression chooses the stream: streams 0 1 0 1 0 1");
	CHECK_STR(err, "ptowsp-run: 1 claim of enforced is not seen by its probe: liar: stream_by(expression)\n");
	free(out), free(err);
}

/* Without a probe, or where it did not hold, a word is only that. */
TEST(what_nothing_has_shown_is_printed_as_claimed)
{
	const char *lies = check_fmt("--plugin=%s/" LIAR " --opt lie=claims", check_build());
	char *out, *err;

	REQUIRE_INT(check_run(check_fmt("%s/bin/ptowsp-run --capabilities %s", check_build(), lies), &out, NULL), 0);
	CHECK_CONTAINS(out, "\n  CA_PARTITION                         claimed\n"); /* it has no probe */
	CHECK_CONTAINS(out, "\n  CF_WHILE                             enforced\n");
	CHECK_CONTAINS(out, "\nclaimed: the backend says enforced, ");
	free(out);
	REQUIRE_INT(check_run(check_fmt("%s/bin/ptowsp-run --capabilities --json %s", check_build(), lies), &out, NULL), 0);
	CHECK_CONTAINS(out, "\"state\": \"claimed\"");
	free(out);
	CHECK_INT(verify(lies, &out, &err), 1); /* others have */
	CHECK_CONTAINS(out, "\nCA_PARTITION                         claimed   not probed  unproved  ");
	CHECK_CONTAINS(out, "\nCF_WHILE                             enforced  enforced    holds     ");
	free(out), free(err);
}

static json_t *row_of(json_t *root, const char *feature)
{
	json_t *rows = json_object_get(json_array_get(json_object_get(root, "plugins"), 0), "rows"), *row;
	size_t i;

	json_array_foreach(rows, i, row) if (!strcmp(json_string_value(json_object_get(row, "feature")), feature)) return row;
	return NULL;
}

/* Features of a backend without TILE rows. */
static uint32_t listed(void)
{
	struct reg_feature feature;
	uint32_t count = 0;

	for (uint32_t i = 0; reg_feature_at(i, &feature); i++)
		count += !feature.optional;
	return count;
}

TEST(the_json_form_has_a_row_per_capability)
{
	char *out, *err;
	json_t *root, *row;

	REQUIRE_INT(verify("--plugin=cpu_sim --json --progress", &out, &err), 0);
	CHECK_CONTAINS(err, check_fmt("cpu_sim: probe %u of %u, ", listed(), listed()));
	free(err);
	root = json_loads(out, 0, NULL);
	REQUIRE(root != NULL);
	CHECK_STR(json_string_value(json_object_get(root, "schema")), "ptowsp.claims/1");
	row = row_of(root, "dispatch=hash");
	CHECK_STR(json_string_value(json_object_get(row, "declared")), "enforced");
	CHECK_STR(json_string_value(json_object_get(row, "observed")), "enforced");
	CHECK_STR(json_string_value(json_object_get(row, "verdict")), "holds");
	CHECK(json_integer_value(json_object_get(row, "probes")) >= 1);
	CHECK_UINT(json_array_size(json_object_get(json_array_get(json_object_get(root, "plugins"), 0), "rows")), listed());
	json_decref(root);
	free(out);
}

TEST(verify_goes_with_capabilities_only)
{
	char *err;

	CHECK_INT(check_run(check_fmt("%s/bin/ptowsp-run --verify x.pkg.zst", check_build()), NULL, &err), 2);
	CHECK_CONTAINS(err, "--capabilities");
	free(err);
}
