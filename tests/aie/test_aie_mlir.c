/* SPDX-License-Identifier: MIT
 * test_aie_mlir.c - MLIR's own mlir-opt takes what is printed, with and without an IRDL description of the operations of a design, refuses mutants of it, and what it
 * prints is read as the same module. Skipped where mlir-opt-22 (Debian: mlir-22-tools) is not installed. */
#include "aie/ir/ir.h"
#include "tests/check.h"
#include "tests/contract/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool tool_is_here(void)
{
	return check_run("command -v mlir-opt-22", NULL, NULL) == 0;
}
#define NEED_TOOL()                                                                                                                                            \
	do {                                                                                                                                                   \
		if (!tool_is_here())                                                                                                                           \
			CHECK_SKIP("mlir-opt-22 is not installed");                                                                                            \
	} while (0)

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct aie_named_attr *)a)->name, ((const struct aie_named_attr *)b)->name);
}

/* MLIR sorts attributes and writes out those that say what is so anyway. */
static void settle(struct aie_region *region)
{
	for (struct aie_op *op = region->first; op; op = op->next) {
		uint32_t kept = 0;

		for (uint32_t i = 0; i < op->attr_count; i++) {
			const struct aie_attr *attr = op->attrs[i].attr;

			if (attr->kind != AIE_ATTR_OTHER || !strstr(attr->text, "<none>"))
				op->attrs[kept++] = op->attrs[i];
		}
		op->attr_count = kept;
		if (kept)
			qsort(op->attrs, kept, sizeof(*op->attrs), by_name);
		for (uint32_t i = 0; i < op->region_count; i++)
			settle(&op->regions[i]);
	}
}

/* Generic text, settled or as it is; to be freed. */
static char *generic_of(const char *path, bool settled)
{
	size_t size = 0;
	char *text = check_read(path, &size), *printed = NULL;
	struct ptowsp_error error = {0};
	struct aie_module module = {0};

	REQUIRE(text != NULL);
	if (aie_module_read(&module, text, size, &error)) {
		CHECK_FAIL("%s: %s", path, error.text);
	} else {
		if (settled)
			settle(&module.top->regions[0]);
		CHECK_INT(aie_module_print(&module, AIE_FORM_GENERIC, &printed, NULL), PTOWSP_OK);
		aie_module_finish(&module);
	}
	free(text);
	return printed;
}

/* Puts the generic text of a design into a file of this test, without what only our reader keeps. */
static const char *generic_file(const char *name)
{
	char *text = generic_of(check_fmt("%s/tests/aie/designs/%s.mlir", check_root(), name), false), *hint;
	static char path[4096];

	REQUIRE(text != NULL);
	hint = strstr(text, ", hint = #test.hint<a, [b]>");
	if (hint)
		memmove(hint, hint + 27, strlen(hint + 27) + 1);
	snprintf(path, sizeof(path), "%s/%s.mlir", check_tmp(), name);
	REQUIRE(check_write(path, text, strlen(text)));
	free(text);
	return path;
}

static void run_opt(const char *what, const char *command, bool good)
{
	char *words = NULL;
	const int status = check_run(command, NULL, &words);

	if (!status != good)
		CHECK_FAIL("%s: mlir-opt-22 gives %d: %.300s", what, status, words ? words : "");
	free(words);
}

static const char *irdl_command(const char *path)
{
	return check_fmt(
		"awk -f %s/tests/aie/designs/irdl.awk '%s' | mlir-opt-22 --allow-unregistered-dialect --irdl-file=%s/tests/aie/designs/aie.irdl.mlir -",
		check_root(), path, check_root());
}

/* Not those with calls in cores: MLIR looks for functions no farther than the nearest operation that it does not know. */
TEST(generic_text_is_taken)
{
	static const char *const files[] = {"pipe", "window", "beside", "bytes", "locks", "ring", "forms"};

	NEED_TOOL();
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		run_opt(files[i], check_fmt("mlir-opt-22 --allow-unregistered-dialect '%s'", generic_file(files[i])), true);
}

TEST(designs_pass_the_irdl_check)
{
	static const char *const files[] = {"pipe", "split", "window", "beside", "bytes", "locks", "ring", "forms"};

	NEED_TOOL();
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		run_opt(files[i], irdl_command(generic_file(files[i])), true);
}

static const struct mutant {
	const char *base, *from, *to;
} mutants[] = {
	{"pipe", "port = 1 : i32", "port = 7 : i32"},
	{"pipe", "{col = 0 : i32, ", "{"},
	{"pipe", "\"aie.tile\"", "\"aie.til\""},
	{"pipe", "stack_size = 1024 : i32} : (index) -> index", "stack_size = 1024 : i32} : (index) -> i32"},
	{"pipe", "!aie.objectfifo", "!aie.objectfif"},
	{"pipe", "elemNumber = 2 : i32, ", ""},
	{"pipe", "device = 5", "device = 3"},
	{"split", "fifoIns = [@in], ", ""},
	{"split", "\"func.call\"(%22, %21,", "\"func.call\"(%21, %22,"},
	{"split", "callee = @weigh", "callee = @way"},
	{"pipe", "memref<32xi32>, index) -> i32", "memref<32x1xi32>, index) -> i32"},
	{"pipe", "array<i32: 1, 0, 0, 0>", "array<i32: 1, 1, 0, 0>"},
};

TEST(mutants_are_refused_by_the_irdl_check)
{
	NEED_TOOL();
	for (size_t i = 0; i < sizeof(mutants) / sizeof(*mutants); i++) {
		const char *path = generic_file(mutants[i].base);
		char *text = check_read(path, NULL), *at = text ? strstr(text, mutants[i].from) : NULL;

		if (!at) {
			CHECK_FAIL("%s has no '%s'", mutants[i].base, mutants[i].from);
		} else {
			const char *file = check_fmt("%s/mutant.mlir", check_tmp());
			FILE *out = fopen(file, "w");

			REQUIRE(out != NULL);
			fprintf(out, "%.*s%s%s", (int)(at - text), text, mutants[i].to, at + strlen(mutants[i].from));
			fclose(out);
			run_opt(check_fmt("mutant %zu", i), irdl_command(file), false);
		}
		free(text);
	}
}

TEST(what_mlir_prints_is_the_same_module)
{
	static const char *const files[] = {"pipe", "window", "beside", "bytes", "locks", "ring", "forms"};
	static const char *const forms[] = {"--mlir-print-op-generic", ""};

	NEED_TOOL();
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		for (size_t j = 0; j < 2; j++) {
			const char *path = generic_file(files[i]);
			char *ours = generic_of(path, true), *theirs;

			run_opt(files[i], check_fmt("mlir-opt-22 --allow-unregistered-dialect %s '%s' -o '%s.out'", forms[j], path, path), true);
			theirs = generic_of(check_fmt("%s.out", path), true);
			if (ours && theirs)
				CHECK_STR(theirs, ours);
			free(ours);
			free(theirs);
		}
}

/* What ptowsp-run emits for examples: every kind of stream, and every dtype of products, with calls of all kernels in the cores. The check by IRDL takes that as it is. The plain tool
 * looks for no symbol beyond an operation with one region that it does not know, such as a core, so it refuses each func.call there, whatever it calls, and nothing else. Loops of
 * cores become branches, as aiecc makes them. The description of the corpus has no buffers. */
TEST(emitted_designs_are_taken)
{
	static const char *const examples[] = {"vector_add",
					       "softmax",
					       "fused_softmax",
					       "dynamic_softmax",
					       "matmul",
					       "alternating_matmul_add",
					       "gemm_1",
					       "gemm_16",
					       "gemm_32",
					       "paged_attention",
					       "fan_in",
					       "passthrough",
					       "two_stage",
					       "tiles",
					       "csp",
					       "llama",
					       "attention_pipeline"};
	const bool there = !access(check_fmt("%s/reference/aie-files/check.sh", check_shared()), R_OK);

	NEED_TOOL();
	cli_begin();
	for (size_t i = 0; i < sizeof(examples) / sizeof(*examples); i++) {
		const char *device = i % 2 ? "npu1" : "npu2";

		if (cli(check_fmt("$B/ptowsp-run --plugin=aie --quiet --device=%s --opt buffering=8 --emit $T/%s $P/%s.pkg.zst", device, examples[i],
				  examples[i]))) {
			CHECK_FAIL("%s: %s", examples[i], cli_err);
			continue;
		}
		if (cli(check_fmt("sed 's/\"func.call\"/\"aie.call\"/' $T/%s/design.mlir | mlir-opt-22 --allow-unregistered-dialect - -o /dev/null",
				  examples[i])))
			CHECK_FAIL("%s: %.300s", examples[i], cli_err);
		if (cli(check_fmt("sed 's/\"func.call\"/\"aie.call\"/' $T/%s/design.mlir | mlir-opt-22 --allow-unregistered-dialect --convert-scf-to-cf - -o "
				  "$T/cf && ! grep scf $T/cf",
				  examples[i])))
			CHECK_FAIL("%s, loops as branches: %.300s", examples[i], cli_err);
		if (cli(check_fmt("awk -f $R/tests/aie/designs/irdl.awk $T/%s/design.mlir | mlir-opt-22 --allow-unregistered-dialect "
				  "--irdl-file=$R/tests/aie/designs/aie.irdl.mlir - -o /dev/null",
				  examples[i])))
			CHECK_FAIL("%s, by IRDL: %.300s", examples[i], cli_err);
		if (there &&
		    cli(check_fmt(
			    "sed 's/\"aie.buffer\"/\"memory.buffer\"/' $T/%s/design.mlir >$T/known.mlir && sh '%s/reference/aie-files/check.sh' $T/known.mlir",
			    examples[i], check_shared())))
			CHECK_FAIL("%s, check.sh of the corpus: %.300s", examples[i], cli_err);
	}
	cli(check_fmt("grep -oh 'memref<[0-9x]*[a-z0-9]*>' $T/gemm_16/design.mlir | sed 's/.*x//' | sort -u | tr -d '\\n'"));
	CHECK_STR(cli_out, "bf16>f32>i16>i32>i8>");
}

TEST(only_calls_are_refused)
{
	NEED_TOOL();
	REQUIRE_INT(cli("$B/ptowsp-run --plugin=aie --quiet --emit $T/called $P/softmax.pkg.zst"), 0);
	CHECK_INT(cli("mlir-opt-22 --allow-unregistered-dialect $T/called/design.mlir -o /dev/null"), 1);
	CHECK_INT(cli("mlir-opt-22 --allow-unregistered-dialect $T/called/design.mlir -o /dev/null 2>&1 | grep 'error:' | grep -v \"'func.call' op "
		      "'[a-z0-9_]*' does not reference a valid function\""),
		  1);
}
