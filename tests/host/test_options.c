/* SPDX-License-Identifier: MIT */
/* test_options.c - settings of a plugin's options, held to what it declares before it sees them. */
#include "host/host_backend.h"
#include "tests/check.h"

static const struct ptowsp_option lanes = {PTOWSP_HEAD(struct ptowsp_option, OPTION), "lanes", "int", "3", "-1..5", "how wide it is"},
				  depth = {PTOWSP_HEAD(struct ptowsp_option, OPTION), "depth", "int", "1", "", "any integer"},
				  dry = {PTOWSP_HEAD(struct ptowsp_option, OPTION), "dry", "bool", "false", "", "whether it only says what it would do"},
				  mode = {PTOWSP_HEAD(struct ptowsp_option, OPTION), "mode", "word", "poll", "poll|thread", "who waits"};

static ptowsp_status set(const char *key, const char *value, struct ptowsp_error *error)
{
	static const struct ptowsp_option *options[] = {&lanes, &depth, &dry, &mode};
	struct host_plugin plugin = {.note = {.name = "wide"}};
	const struct ptowsp_backend backend = {.plugin = &plugin, .options = options, .option_count = sizeof(options) / sizeof(*options)};
	const struct ptowsp_setting setting = {key, value};

	*error = (struct ptowsp_error){.head = PTOWSP_HEAD(*error, ERROR)};
	return host_settings_check(&backend, &setting, 1, error);
}

struct trial {
	const char *key, *value, *sentence; /* NULL: it is taken */
};

static void trials_run(const struct trial *trials, size_t count)
{
	struct ptowsp_error error;

	for (size_t i = 0; i < count; i++) {
		if (set(trials[i].key, trials[i].value, &error) != (trials[i].sentence ? PTOWSP_INVALID : PTOWSP_OK))
			CHECK_FAIL("%s=%s is %s: %s", trials[i].key, trials[i].value, trials[i].sentence ? "taken" : "refused", error.text);
		CHECK_STR(error.text, trials[i].sentence ? trials[i].sentence : "");
	}
}

TEST(an_integer_lies_within_its_range_with_both_ends)
{
	static const struct trial trials[] = {
		{"lanes", "-1", NULL},
		{"lanes", "5", NULL},
		{"lanes", "0", NULL},
		{"lanes", "-2", "option lanes takes int -1..5, not \"-2\""},
		{"lanes", "6", "option lanes takes int -1..5, not \"6\""},
		{"lanes", "99999999999999999999", "option lanes takes int -1..5, not \"99999999999999999999\""},
		{"lanes", "three", "option lanes takes int -1..5, not \"three\""},
		{"lanes", "3x", "option lanes takes int -1..5, not \"3x\""},
		{"lanes", "", "option lanes takes int -1..5, not \"\""},
		{"depth", "-700", NULL},
		{"depth", "7", NULL},
		{"depth", "deep", "option depth takes int, not \"deep\""},
	};

	trials_run(trials, sizeof(trials) / sizeof(*trials));
}

TEST(a_word_is_one_of_those_that_are_declared)
{
	static const struct trial trials[] = {
		{"mode", "poll", NULL},
		{"mode", "thread", NULL},
		{"dry", "true", NULL},
		{"dry", "false", NULL},
		{"mode", "threads", "option mode takes word poll|thread, not \"threads\""},
		{"mode", "pol", "option mode takes word poll|thread, not \"pol\""},
		{"mode", "", "option mode takes word poll|thread, not \"\""},
		{"mode", "poll|thread", "option mode takes word poll|thread, not \"poll|thread\""},
		{"dry", "1", "option dry takes bool false|true, not \"1\""},
	};

	trials_run(trials, sizeof(trials) / sizeof(*trials));
}

TEST(an_option_that_is_not_declared_is_named_with_those_that_are)
{
	struct ptowsp_error error;

	CHECK_INT(set("lane", "3", &error), PTOWSP_INVALID);
	CHECK_CONTAINS(error.text, "wide option \"lane\"");
	CHECK_CONTAINS(error.text, "lanes");
}
