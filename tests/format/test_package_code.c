/* SPDX-License-Identifier: MIT
 * test_package_code.c - bytecode for who follows it without running it: what must be refused, each with its sentence, and what is handed out. */
#include "format/format_code.h"
#include "format/format_seal.h"
#include "format/json/json.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

static struct ptowsp_error error;

/* One kernel of two tensors and one scalar, one axis, one slot, one event, and the instructions. */
static struct pkg *package_of(const char *instructions, void **bytes_out)
{
	const char *text = check_fmt(
		"{\"schema\": \"ptowsp.package/1\", \"META\": {\"name\": \"t\"}, \"KREG\": [{\"name\": \"k\", \"unit\": \"aiv\", \"param_count\": 3}],"
		"\"KPRM\": [{\"name\": \"x\", \"access\": 1}, {\"name\": \"y\", \"access\": 2}, {\"name\": \"n\", \"kind\": \"scalar\"}],"
		"\"TENS\": [{\"name\": \"x\", \"role\": \"inout\", \"dims\": 0, \"dim_count\": 1}], \"DIMS\": [{\"extent\": 1}], \"EVNT\": [{\"name\": \"e\"}],"
		"\"SLOT\": [{\"name\": \"s\", \"kind\": 1}], \"EXPR\": [{\"op\": \"const\", \"value\": 0}, {\"op\": \"const\", \"value\": 8}],"
		"\"AXES\": [{\"name\": \"i\", \"low\": 0, \"high\": 1, \"step\": 1}], \"REGN\": [{\"tensor\": \"x\", \"row\": 0, \"column\": 0, \"rows\": 1, "
		"\"columns\": 8}],"
		"\"WORK\": {\"axes\": [0], \"kernels\": [\"k\"], \"tensors\": [\"x\"], \"instructions\": [%s]}, \"ENTR\": [{\"name\": \"main\", \"flags\": "
		"1}]}",
		instructions);
	struct pkg_writer *writer = pkg_writer_create();
	struct pkg *package = NULL;
	size_t size;
	ptowsp_status status = pkg_from_json(writer, text, strlen(text), "t", &error);

	*bytes_out = NULL;
	if (!status)
		status = pkg_writer_seal(writer, bytes_out, &size, &error);
	if (!status)
		status = pkg_open_memory(&package, *bytes_out, size, "t", NULL, &error);
	pkg_writer_destroy(writer);
	if (status)
		CHECK_FAIL("%s: %s", instructions, error.text);
	return package;
}

#define TASK "[\"task\", 0, [1, 2]], [\"param_const\", 0, 1], [\"io_input\", 0, 0], [\"io_output\", 1, 0]"

TEST(code_that_does_not_hold_is_never_handed_out)
{
	static const struct {
		const char *instructions, *sentence;
	} rows[] = {
		{"[\"nop\"]", "t: WORK: its last instruction is no halt"},
		{"[\"task\", 1, [0, 0]], [\"halt\"]", "t: WORK[0] (task): kernel 1 is not there, 1 are"},
		{"[\"task\", 0, [0, 3]], [\"halt\"]", "t: WORK[0] (task): it has 3 tensors, its kernel takes 2"},
		{"[\"task\", 0, [1, 0]], [\"halt\"]", "t: WORK[0] (task): 0 words for argument follow, it has 1"},
		{"[\"task\", 0, [1, 0]], [\"param_const\", 1, 0], [\"halt\"]", "t: WORK[0] (task): argument 1 is not there, its kernel has 1"},
		{"[\"task\", 0, [0, 2]], [\"io_input\", 0, 0], [\"halt\"]", "t: WORK[0] (task): 1 words for tensor follow, it has 2"},
		{"[\"task\", 0, [0, 1]], [\"io_input\", 2, 0], [\"halt\"]", "t: WORK[0] (task): tensor 2 is not there, its kernel has 2"},
		{"[\"task\", 0, [0, 1]], [\"io_input\", 0, 1], [\"halt\"]", "t: WORK[1] (io_input): region 1 is not there, 1 are"},
		{"[\"task\", 0, [1, 0]], [\"param_expr\", 0, 2], [\"halt\"]", "t: WORK[1] (param_expr): expression 2 is not there, 2 are"},
		{"[\"task\", 0, [1, 0]], [\"param_loopvar\", 0, 0], [\"halt\"]", "t: WORK[1] (param_loopvar): loop depth 0 is not there, 0 are"},
		{TASK ", [\"after\", 4, 0], [\"halt\"]", "t: WORK[4] (after): kind 4 is not there, 4 are"},
		{"[\"task\", 0, [0, 1]], [\"io_input\", 0, 0], [\"io_rows\", 1, 0], [\"halt\"]", "t: WORK[0] (task): tensor 1 is not there, it has 1"},
		{"[\"task\", 0, [0, 1]], [\"io_input\", 0, 0], [\"io_columns\", 0, 9], [\"halt\"]",
		 "t: WORK[2] (io_columns): expression 9 is not there, 2 are"},
		{"[\"io_rows\", 0, 0], [\"halt\"]", "t: WORK[0] (io_rows): it belongs behind another instruction"},
		{"[\"io_input\", 0, 0], [\"halt\"]", "t: WORK[0] (io_input): it belongs behind another instruction"},
		{"[\"parallel_for\", 1, 1], [\"halt\"]", "t: WORK[0] (parallel_for): axis 1 is not there, 1 are"},
		{"[\"parallel_for\", 0, 3], [\"halt\"]", "t: WORK[0] (parallel_for): target 3 is outside 1..2, the body around it"},
		{"[\"parallel_for\", 0, 0], [\"halt\"]", "t: WORK[0] (parallel_for): target 0 is outside 1..2, the body around it"},
		{"[\"parallel_for\", 0, 2], [\"halt\"]", "t: WORK[1] (halt): it stands inside a body"},
		{"[\"parallel_for\", 0, 2], [\"scope\", 0, 3], [\"halt\"]", "t: WORK[1] (scope): target 3 is outside 2..2, the body around it"},
		{"[\"cond\", 0, 0], [\"target\", 0, 3], [\"halt\"]", "t: WORK[0] (cond): a target is missing, 2 are wanted"},
		{"[\"cond\", 0, 0], [\"target\", 0, 4], [\"target\", 0, 3], [\"nop\"], [\"halt\"]",
		 "t: WORK[0] (cond): target 3 is outside 4..5, the body around it"},
		{"[\"combine\", 0, 0], [\"halt\"]", "t: WORK[0] (combine): it has 0 branches"},
		{"[\"combine\", 9, 0], [\"halt\"]", "t: WORK[0] (combine): it has 9 branches"},
		{"[\"while\", 0, 2], [\"target\", 0, 2], [\"halt\"]", "t: WORK[0] (while): expression 2 is not there, 2 are"},
		{"[\"slot_set\", 1, 0], [\"halt\"]", "t: WORK[0] (slot_set): slot 1 is not there, 1 are"},
		{"[\"signal\", 0, 1], [\"halt\"]", "t: WORK[0] (signal): event 1 is not there, 1 are"},
		{"[\"fence\", 3, 0], [\"halt\"]", "t: WORK[0] (fence): scope 3 is not there, 3 are"},
		{"[\"alloc\", 0, 1], [\"halt\"]", "t: WORK[0] (alloc): tensor 1 is not there, 1 are"},
		{"[\"close\", 0, 0], [\"halt\"]", "t: WORK[0] (close): channel 0 is not there, 0 are"},
		{"[\"copy\", 0, 0], [\"halt\"]", "t: WORK[0] (copy): the word io_output behind it is missing"},
		{"[\"axis_dense_dyn\", 0, 1], [\"halt\"]", "t: WORK[0] (axis_dense_dyn): slot row 1 is not there, 1 are"},
		/* Instructions behind the halt of the only entry: no entry runs them, but a reader goes through them. */
		{"[\"halt\"], [\"alloc\", 0, 7], [\"halt\"]", "t: WORK[1] (alloc): tensor 7 is not there, 1 are"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		void *bytes;
		struct pkg *package = package_of(rows[i].instructions, &bytes);
		struct pkg_code *code = NULL;

		if (package) {
			CHECK_INT(pkg_code_open(&code, package, &error), PTOWSP_BAD_PACKAGE);
			CHECK(code == NULL);
			CHECK_STR(error.text, rows[i].sentence);
		}
		pkg_code_close(code);
		pkg_close(package);
		free(bytes);
	}
}

/* The JSON form has no words for these: instruction 0 becomes one of that opcode and flags. */
static void instruction_is_refused(uint8_t opcode, uint8_t flags, ptowsp_status want, const char *sentence)
{
	void *bytes, *changed = NULL;
	struct pkg_code *code = NULL;
	struct pkg_image image;
	size_t size;
	struct pkg *package = package_of("[\"nop\"], [\"halt\"]", &bytes);
	uint8_t *at;

	REQUIRE(package != NULL);
	REQUIRE_INT(pkg_image_read(&image, bytes, (size_t)pkg_file_size(package), "t", &error), PTOWSP_OK);
	pkg_close(package);
	at = pkg_image_find(&image, PTOWSP_SECTION_WORK)->data + sizeof(struct ptowsp_workload_header);
	at[0] = opcode;
	at[1] = flags;
	REQUIRE_INT(pkg_image_seal(&image, &changed, &size, &error), PTOWSP_OK);
	REQUIRE_INT(pkg_open_memory(&package, changed, size, "t", NULL, &error), PTOWSP_OK);
	CHECK_INT(pkg_code_open(&code, package, &error), want);
	CHECK(code == NULL);
	CHECK_STR(error.text, sentence);
	pkg_close(package);
	pkg_image_finish(&image);
	free(changed);
	free(bytes);
}

TEST(opcodes_and_flags_that_are_not_known_are_refused)
{
	instruction_is_refused(0xFE, 0, PTOWSP_UNKNOWN_OPCODE, "t: WORK[0]: opcode 0xfe is unknown; it needs a newer ptowsp");
	instruction_is_refused(PTOWSP_OP_NOP, 2, PTOWSP_BAD_PACKAGE, "t: WORK[0] (nop): flags are 2, a package has 0");
}

TEST(nesting_has_a_limit)
{
	char text[4096] = "";
	void *bytes;
	struct pkg *package;
	struct pkg_code *code;

	for (int i = 0; i < 65; i++)
		strcat(text, "[\"scope\", 0, 65], ");
	strcat(text, "[\"halt\"]");
	package = package_of(text, &bytes);
	REQUIRE(package != NULL);
	CHECK_INT(pkg_code_open(&code, package, &error), PTOWSP_BAD_PACKAGE);
	CHECK_STR(error.text, "t: WORK[64] (scope): loops, branches and scopes nest deeper than 64");
	pkg_close(package);
	free(bytes);
}

TEST(code_that_holds_is_handed_out_with_a_halt_behind_it)
{
	void *bytes;
	struct pkg *package = package_of("[\"parallel_for\", 0, 6], " TASK
					 ", [\"after\", 0, 0], [\"cond\", 0, 1], [\"target\", 0, 10], [\"target\", 0, 11], [\"nop\"], [\"nop\"], [\"halt\"]",
					 &bytes);
	struct pkg_code *code;

	REQUIRE(package != NULL);
	REQUIRE_INT(pkg_code_open(&code, package, &error), PTOWSP_OK);
	CHECK(pkg_code_package(code) == package);
	CHECK_UINT(pkg_code_header(code)->num_instructions, 12);
	CHECK_UINT(pkg_code_at(code, 0).opcode, PTOWSP_OP_PARALLEL_FOR);
	CHECK_UINT(pkg_code_at(code, 12).opcode, PTOWSP_OP_HALT);
	CHECK_UINT(pkg_code_at(code, UINT32_MAX).opcode, PTOWSP_OP_HALT);
	CHECK_UINT(pkg_code_axis(code, 0), 0);
	CHECK_UINT(pkg_code_kernel(code, 0), 0);
	CHECK_UINT(pkg_code_tensor(code, 0), 0);
	pkg_code_close(code);
	pkg_close(package);
	free(bytes);
}
