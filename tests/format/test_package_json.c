/* SPDX-License-Identifier: MIT
 * test_package_json.c - packages as JSON and back. */
#include "format/json/base64.h"
#include "format/json/json.h"
#include "format/writer.h"
#include "ptowsp/workload.h"
#include "tests/check.h"
#include "tests/format/sample.h"

#include <stdlib.h>
#include <string.h>

static struct ptowsp_error error;

/* JSON to a sealed package; status as the step that failed. */
static ptowsp_status seal_text(const char *text, void **bytes_out, size_t *size_out)
{
	struct pkg_writer *w = pkg_writer_create();
	ptowsp_status status = pkg_from_json(w, text, strlen(text), "t.json", &error);

	*bytes_out = NULL;
	if (!status)
		status = pkg_writer_seal(w, bytes_out, size_out, &error);
	pkg_writer_destroy(w);
	return status;
}

/* The sentence with which text is refused, "" if it is not. */
static const char *refusal(const char *text)
{
	void *bytes;
	size_t size;
	ptowsp_status status = seal_text(text, &bytes, &size);

	free(bytes);
	return status ? error.text : "";
}

#define DOCUMENT(rest) "{\"schema\": \"ptowsp.package/1\"" rest "}"

TEST(package_to_json_to_package_gives_equal_bytes)
{
	size_t size, again_size = 0;
	void *bytes = sample_seal(&size, &error), *again = NULL;
	struct pkg *package = NULL;
	char *text = NULL;

	REQUIRE(bytes != NULL);
	REQUIRE_INT(pkg_open_memory(&package, bytes, size, "sample", NULL, &error), PTOWSP_OK);
	REQUIRE_INT(pkg_to_json(package, &text, &error), PTOWSP_OK);
	CHECK_INT(seal_text(text, &again, &again_size), PTOWSP_OK);
	REQUIRE_UINT(again_size, size);
	CHECK_MEM(again, bytes, size);
	pkg_close(package);
	free(text);
	free(bytes);
	free(again);
}

TEST(json_reads_well)
{
	size_t size;
	void *bytes = sample_seal(&size, &error);
	struct pkg *package = NULL;
	char *text = NULL;

	REQUIRE(bytes != NULL);
	REQUIRE_INT(pkg_open_memory(&package, bytes, size, "sample", NULL, &error), PTOWSP_OK);
	REQUIRE_INT(pkg_to_json(package, &text, &error), PTOWSP_OK);
	CHECK_CONTAINS(text, "{\n  \"schema\": \"ptowsp.package/1\",\n  \"targets\": [\"cpu_sim\"],\n  \"STRS\": [\n");
	CHECK_CONTAINS(text, "    {\"name\": \"add\", \"signature\": \"v(p,p,p)\", \"unit\": \"aiv\", \"param_count\": 3, ");
	CHECK_CONTAINS(text, "    {\"op\": \"select\", \"a\": 3, \"b\": 4, \"c\": 2},\n    {\"op\": \"const\", \"value\": -5}\n");
	CHECK_CONTAINS(text, "{\"directive\": \"dispatch\", \"policy\": \"affinity\", \"arguments\": [\"i\", 4]}");
	CHECK_CONTAINS(text, "{\"directive\": \"stream_by\", \"policy\": \"expression\", \"flags\": 1, \"arguments\": [{\"expr\": 3}]}");
	CHECK_CONTAINS(text, "{\"feature\": \"total_cycles\", \"state\": 3}");
	CHECK_CONTAINS(text, "      [\"parallel_for\", 0, 5],\n      [\"task\", 0, [0, 3]],\n");
	CHECK_CONTAINS(text, "\"META\": {\n    \"name\": \"sample\",\n    \"version\": \"1.0\"\n  }");
	pkg_close(package);
	free(text);
	free(bytes);
}

/* Rows in the writer's own order, references by name: sorted on reading, and every reference follows. */
TEST(rows_written_by_hand_are_sorted_and_references_follow)
{
	static const char *const names[] = {"alpha", "beta", "gamma", "delta", "epsilon"};
	const char *text = DOCUMENT(", \"KREG\": [{\"name\": \"alpha\", \"variant_count\": 1}, {\"name\": \"beta\"}, {\"name\": \"gamma\"}, "
				    "{\"name\": \"delta\"}, {\"name\": \"epsilon\"}], \"KVAR\": [{\"rows\": 64, \"kernel\": \"delta\"}], "
				    "\"SLOT\": [{\"name\": \"alpha\"}, {\"name\": \"beta\"}, {\"name\": \"gamma\"}, {\"name\": \"delta\"}, "
				    "{\"name\": \"epsilon\"}], \"EXPR\": [{\"op\": \"value\", \"slot\": \"gamma\"}, {\"op\": \"value\", \"slot\": 4}], "
				    "\"WORK\": {\"instructions\": [[\"slot_set\", 1, 0], [\"halt\"]], \"kernels\": [\"epsilon\", 1]}, "
				    "\"DBGI\": [{\"file\": \"f.pto\", \"kind\": 3, \"row\": 3}, {\"file\": \"f.pto\", \"row\": 1}]");
	void *bytes = NULL;
	size_t size;
	struct pkg *package = NULL;
	const struct pkg_tables *t;
	struct ptowsp_instruction first;
	uint32_t rows[2];

	CHECK_STR(seal_text(text, &bytes, &size) ? error.text : "", "");
	REQUIRE(bytes != NULL);
	REQUIRE_INT(pkg_open_memory(&package, bytes, size, "sorted", NULL, &error), PTOWSP_OK);
	t = pkg_tables(package);
	REQUIRE_UINT(t->kernel_count, 5);
	for (uint32_t i = 1; i < 5; i++)
		CHECK(t->kernel[i - 1].id < t->kernel[i].id);
	for (uint32_t i = 0; i < 5; i++)
		CHECK_UINT(t->kernel[i].variant_count, !strcmp(pkg_string(t, t->kernel[i].name), names[0]));
	CHECK_STR(pkg_string(t, t->kernel[t->variant[0].kernel].name), "delta");
	CHECK_STR(pkg_string(t, t->slot[t->expr[0].a].name), "gamma");
	CHECK_STR(pkg_string(t, t->slot[t->expr[1].a].name), "epsilon");
	CHECK_STR(pkg_string(t, t->slot[t->debug[0].row].name), "delta");
	CHECK_UINT(t->debug[1].row, 1);
	memcpy(&first, t->raw_work + sizeof(struct ptowsp_workload_header), sizeof(first));
	CHECK_STR(pkg_string(t, t->slot[first.operand1].name), "beta");
	memcpy(rows, t->raw_work + t->raw_work_size - 8, 8);
	CHECK_STR(pkg_string(t, t->kernel[rows[0]].name), "epsilon");
	CHECK_STR(pkg_string(t, t->kernel[rows[1]].name), "beta");
	pkg_close(package);
	free(bytes);
}

TEST(missing_fields_take_their_defaults)
{
	void *bytes = NULL;
	size_t size;
	struct pkg *package = NULL;
	const struct pkg_tables *t;

	REQUIRE_INT(seal_text(DOCUMENT(", \"TENS\": [{\"name\": \"x\"}]"), &bytes, &size), PTOWSP_OK);
	REQUIRE_INT(pkg_open_memory(&package, bytes, size, "defaults", NULL, &error), PTOWSP_OK);
	t = pkg_tables(package);
	CHECK_UINT(t->tensor[0].entry, PTOWSP_NONE);
	CHECK_UINT(t->tensor[0].dtype, PTOWSP_F32);
	CHECK_UINT(t->tensor[0].id, ptowsp_id("x", 1));
	pkg_close(package);
	free(bytes);
}

TEST(large_numbers_are_hexadecimal_strings)
{
	const char *text = DOCUMENT(", \"SLOT\": [{\"name\": \"big\", \"flags\": 1, \"value\": \"0xfffffffffffffffe\"}]");
	void *bytes = NULL;
	size_t size;
	struct pkg *package = NULL;
	char *again = NULL;

	REQUIRE_INT(seal_text(text, &bytes, &size), PTOWSP_OK);
	REQUIRE_INT(pkg_open_memory(&package, bytes, size, "big", NULL, &error), PTOWSP_OK);
	CHECK_UINT(pkg_tables(package)->slot[0].value, UINT64_MAX - 1);
	REQUIRE_INT(pkg_to_json(package, &again, &error), PTOWSP_OK);
	CHECK_CONTAINS(again, "\"value\": \"0xfffffffffffffffe\"");
	pkg_close(package);
	free(again);
	free(bytes);
}

/* What a symbol begins with may be below zero; other 64-bit fields are numbers from 0 on. */
TEST(negative_defaults_of_slots_are_written_as_they_are)
{
	const char *text = DOCUMENT(", \"SLOT\": [{\"name\": \"n\", \"dtype\": \"i32\", \"flags\": 1, \"value\": -7}]");
	void *bytes = NULL;
	size_t size;
	struct pkg *package = NULL;

	REQUIRE_INT(seal_text(text, &bytes, &size), PTOWSP_OK);
	REQUIRE_INT(pkg_open_memory(&package, bytes, size, "n", NULL, &error), PTOWSP_OK);
	CHECK_INT((int64_t)pkg_tables(package)->slot[0].value, -7);
	CHECK_STR(refusal(DOCUMENT(", \"CSPC\": [{\"name\": \"c\", \"latency\": -1}]")),
		  "t.json: CSPC[0].latency is -1, allowed are 0 to 18446744073709551615");
	pkg_close(package);
	free(bytes);
}

TEST(wrong_json_is_refused_with_line_and_column)
{
	CHECK_STR(refusal("{\n  \"schema\": ptowsp\n}"), "t.json: line 2, column 18: invalid token near 'ptowsp'");
	CHECK_STR(refusal(""), "t.json: line 1, column 0: '[' or '{' expected near end of file");
	CHECK_STR(refusal("[]"), "t.json: the document must be an object with \"schema\": \"ptowsp.package/1\"");
	CHECK_STR(refusal("{\"schema\": \"a\", \"schema\": \"b\"}"), "t.json: line 1, column 24: duplicate object key near '\"schema\"'");
	CHECK_STR(refusal("{\"schema\": \"other/2\"}"), "t.json: schema is \"other/2\", this build reads \"ptowsp.package/1\"");
}

TEST(wrong_values_are_refused_by_place)
{
	CHECK_STR(refusal(DOCUMENT(", \"KERN\": []")), "t.json: \"KERN\" is neither schema, targets nor a section (META, KREG, TENS, ...)");
	CHECK_STR(refusal(DOCUMENT(", \"TLVL\": [{\"max\": 1}]")), "t.json: TLVL[0]: \"max\" is no key here; known: max_range, min_range, first, count");
	CHECK_STR(refusal(DOCUMENT(", \"KREG\": [{\"name\": \"f\"}, {\"name\": \"g\", \"unit\": \"aib\"}]")),
		  "t.json: KREG[1].unit is \"aib\": no unit; known: any, host, aic, aiv, aic_aiv, aicpu, aie_core");
	CHECK_STR(refusal(DOCUMENT(", \"KREG\": [{\"name\": 5}]")), "t.json: KREG[0].name must be a string");
	CHECK_STR(refusal(DOCUMENT(", \"KREG\": [7]")), "t.json: KREG[0] must be an object");
	CHECK_STR(refusal(DOCUMENT(", \"KREG\": {}")), "t.json: KREG must be a list of objects");
	CHECK_STR(refusal(DOCUMENT(", \"KREG\": [{\"blockdim\": -1}]")), "t.json: KREG[0].blockdim is -1, allowed are 0 to 4294967295");
	CHECK_STR(refusal(DOCUMENT(", \"KREG\": [{\"blockdim\": 1.5}]")), "t.json: KREG[0].blockdim must be an integer or a string \"0x...\"");
	CHECK_STR(refusal(DOCUMENT(", \"KREG\": [{\"blockdim\": \"0x100000000\"}]")),
		  "t.json: KREG[0].blockdim is 0x100000000, which is more than 4 bytes hold");
	CHECK_STR(refusal(DOCUMENT(", \"KVAR\": [{\"kernel\": \"none\"}]")), "t.json: KVAR[0].kernel is \"none\": KREG has no row of that name");
	CHECK_STR(refusal(DOCUMENT(", \"EXPR\": [{\"op\": \"const\", \"a\": 1}]")), "t.json: EXPR[0]: \"a\" is no key here; known: op, value");
	CHECK_STR(refusal(DOCUMENT(", \"SCHD\": [{\"directive\": \"dispatch\"}]")),
		  "t.json: SCHD[0].policy is \"\": dispatch has the policies round_robin, affinity, hash, threshold, "
		  "static_partition, work_steal, custom, auto, spatial_map");
	CHECK_STR(refusal(DOCUMENT(", \"SCHD\": [{\"directive\": \"task_window\", \"policy\": \"stall\", \"arguments\": [[]]}]")),
		  "t.json: SCHD[0].arguments: an argument is a number, a \"word\" or {\"expr\": row}");
	CHECK_STR(refusal(DOCUMENT(", \"REQS\": [{\"feature\": \"flying\"}]")),
		  "t.json: REQS[0].feature is \"flying\", which is no feature of features.def, opcode, directive or payload");
	CHECK_STR(refusal(DOCUMENT(", \"WORK\": {\"instructions\": [[\"jump\"]]}")),
		  "t.json: WORK.instructions[0]: \"jump\" is no opcode of the workload bytecode");
	CHECK_STR(refusal(DOCUMENT(", \"targets\": 4")), "t.json: targets must be a list of at most 32 words");
	CHECK_STR(refusal(DOCUMENT(", \"targets\": [4]")), "t.json: targets must be a list of at most 32 words");
	CHECK_STR(refusal(DOCUMENT(", \"STRS\": 4")), "t.json: STRS must be a list of strings");
	CHECK_STR(refusal(DOCUMENT(", \"STRS\": [4]")), "t.json: STRS[0] must be a string");
	CHECK_STR(refusal(DOCUMENT(", \"META\": 4")), "t.json: META must be an object of strings");
	CHECK_STR(refusal(DOCUMENT(", \"META\": {\"a\": 4}")), "t.json: META.a must be a string");
	CHECK_STR(refusal(DOCUMENT(", \"CODE\": 4")), "t.json: CODE must be a string of base64");
	CHECK_STR(refusal(DOCUMENT(", \"SCHD\": [{\"directive\": 99}]")), "t.json: SCHD[0].directive is 99, which is no directive");
	CHECK_STR(refusal(DOCUMENT(", \"SCHD\": [{\"directive\": \"task_window\", \"policy\": \"stall\", \"arguments\": [1, 2, 3, 4, 5, 6, 7, 8, 9]}]")),
		  "t.json: SCHD[0].arguments must be a list of at most 8");
	CHECK_STR(refusal(DOCUMENT(", \"WORK\": {\"instructions\": [4]}")), "t.json: WORK.instructions[0] must be a list [mnemonic, operand1, operand2]");
	CHECK_STR(refusal(DOCUMENT(", \"WORK\": {\"instructions\": [[\"task\", 0, [1]]]}")),
		  "t.json: WORK.instructions[0]: operand 2 of task is [arguments, tensors]");
	CHECK_CONTAINS(refusal(DOCUMENT(", \"WORK\": {\"instructions\": [[\"task\", 0, [-1, 0]]]}")), "t.json: WORK.instructions[0]");
	CHECK_CONTAINS(refusal(DOCUMENT(", \"WORK\": {\"instructions\": [[\"task\", 0, [0, -1]]]}")), "t.json: WORK.instructions[0]");
	CHECK_CONTAINS(refusal(DOCUMENT(", \"WORK\": {\"instructions\": [[\"task\", 0, [65536, 0]]]}")), "t.json: WORK.instructions[0]");
	CHECK_CONTAINS(refusal(DOCUMENT(", \"WORK\": {\"instructions\": [[\"task\", 65536, [0, 0]]]}")), "t.json: WORK.instructions[0]");
	CHECK_CONTAINS(refusal(DOCUMENT(", \"WORK\": {\"instructions\": [[\"task\", -1, [0, 0]]]}")), "t.json: WORK.instructions[0]");
	CHECK_CONTAINS(refusal(DOCUMENT(", \"WORK\": {\"instructions\": [[\"task\", 0, [0, 0], 256]]}")), "t.json: WORK.instructions[0]");
	CHECK_CONTAINS(refusal(DOCUMENT(", \"WORK\": {\"instructions\": [[\"halt\", 0, 4294967296]]}")), "t.json: WORK.instructions[0]");
	CHECK_CONTAINS(refusal(DOCUMENT(", \"WORK\": {\"instructions\": [[\"halt\", 0, 0, 0, 0]]}")),
		       "t.json: WORK.instructions[0] must be a list [mnemonic, operand1, operand2]");
	CHECK_CONTAINS(refusal(DOCUMENT(", \"WORK\": {\"instructions\": [[]]}")), "t.json: WORK.instructions[0] must be a list [mnemonic, operand1, operand2]");
	CHECK_STR(refusal(DOCUMENT(", \"WORK\": {\"instructions\": [[\"param_const\", 0, -2147483649]]}")),
		  "t.json: WORK.instructions[0]: operand 2 does not fit 32 bits");
	CHECK_STR(refusal(DOCUMENT(", \"CODE\": \"AAA\"")), "t.json: CODE: character 3 is wrong or missing in base64");
	CHECK_STR(refusal(DOCUMENT(", \"STRS\": [\"a\", \"b\", \"a\"]")), "t.json: STRS[2] is \"a\", which is there already");
	CHECK_STR(refusal(DOCUMENT(", \"META\": {\"a\": \"\\u0001\"}")), "new package: STRS: the byte at 3 is the control character 0x01");
	CHECK_STR(refusal(DOCUMENT(", \"AXES\": [{\"name\": \"i\"}]")), "new package: AXES[0].low is 0: EXPR has 0 rows");
}

TEST(base64_of_every_length_comes_back)
{
	uint8_t bytes[64], *again;
	size_t size, at;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 37 + 11);
	for (size_t length = 0; length <= sizeof(bytes); length++) {
		char *text = pkg_base64_write(bytes, length);

		REQUIRE(text != NULL);
		again = pkg_base64_read(text, strlen(text), &size, &at);
		CHECK_UINT(size, length);
		CHECK_MEM(again, bytes, length);
		free(text);
		free(again);
	}
}

TEST(base64_has_one_text_for_each_value)
{
	static const struct {
		const char *text;
		size_t at;
	} wrong[] = {{"AA=A", 2}, {"A===", 1}, {"AAB=", 2}, {"AB==", 1}, {"AA==AAAA", 2}, {"A A=", 1}, {"====", 0}};
	size_t size, at;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		free(pkg_base64_read(wrong[i].text, strlen(wrong[i].text), &size, &at));
		CHECK_UINT(size, SIZE_MAX);
		CHECK_UINT(at, wrong[i].at);
	}
}
