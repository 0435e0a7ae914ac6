/* SPDX-License-Identifier: MIT
 * test_print_tasks.c - entries as C against the task API: compiled, linked with the core, they make the tasks and edges that the package makes. */
#include "tests/check.h"

#include "print/print_tasks.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *folder; /* of the running test; making it empties it */

struct opened {
	struct pkg *package;
	uint32_t entry;
};

/* Opens what ptowsp-pack makes of `words`, with the number of an entry unless that is NULL; false after a failed check. */
static bool pack_open(struct opened *o, const char *words, const char *entry)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	const struct pkg_tables *t;
	char *err = NULL;

	*o = (struct opened){0};
	if (check_run(check_fmt("'%s/bin/ptowsp-pack' %s -o '%s/p.pkg.zst'", check_build(), words, folder), NULL, &err) ||
	    pkg_open(&o->package, check_fmt("%s/p.pkg.zst", folder), NULL, &error)) {
		CHECK_FAIL("%s: %s%s", words, err ? err : "", error.text);
		free(err);
		return false;
	}
	free(err);
	t = pkg_tables(o->package);
	while (entry && o->entry < t->entry_count && strcmp(pkg_string(t, t->entry[o->entry].name), entry))
		o->entry++;
	REQUIRE(o->entry < t->entry_count);
	return true;
}

static bool source_open(struct opened *o, const char *source, const char *entry)
{
	return pack_open(o, check_fmt("'%s'", source), entry);
}

static ptowsp_status tasks_print(struct pkg *package, const struct print_functions *functions, uint32_t entry, char **text_out, struct ptowsp_error *error)
{
	struct print_tasks *tasks = NULL;
	struct pkg_code *code;
	ptowsp_status status = pkg_code_open(&code, package, error);

	*text_out = NULL;
	if (!status && !(tasks = print_tasks_create(code, functions)))
		status = PTOWSP_NO_MEMORY;
	if (!status)
		status = print_tasks_entry(tasks, entry, text_out, error);
	print_tasks_destroy(tasks);
	pkg_code_close(code);
	return status;
}

/* Writes NAME.c; the name goes to name_out. */
static bool c_write(const struct opened *o, char name_out[80])
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct print_functions functions;
	char *text = NULL;
	bool ok;

	REQUIRE(print_functions_make(&functions, pkg_tables(o->package)));
	ok = tasks_print(o->package, &functions, o->entry, &text, &error) == PTOWSP_OK;
	if (!ok)
		CHECK_FAIL("%s", error.text);
	snprintf(name_out, 80, "%s", functions.entries[o->entry]);
	if (ok)
		ok = check_write(check_fmt("%s/%s.c", folder, name_out), text, strlen(text));
	CHECK(ok);
	free(text);
	print_functions_finish(&functions);
	return ok;
}

/* A program around it: every kernel does nothing, every tensor has 2^22 elements that nobody touches. values: "a=1 b=2". */
static void main_write(const struct opened *o, const char *name, const char *values)
{
	char *main_text = NULL, *c = check_read(check_fmt("%s/%s.c", folder, name), NULL), *copy = strdup(values), *at = copy, *item;
	const struct pkg_tables *t = pkg_tables(o->package);
	const size_t prefix = strlen(pkg_string(t, t->entry[o->entry].name)) + 1; /* "function." */
	size_t size;
	FILE *f = open_memstream(&main_text, &size);

	fprintf(f, "#include \"%s.c\"\n#include \"rt/graph_text.h\"\n", name);
	for (const char *line = strstr(c, "extern "); line; line = strstr(line + 1, "extern "))
		fprintf(f, "%.*s\n{\n\t(void)task, (void)out;\n\treturn PTOWSP_OK;\n}\n", (int)(strchr(line, ';') - line - 7), line + 7);
	fprintf(f, "int main(void)\n{\n\tstatic struct %s o;\n\tstruct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};\n\tstruct rt_tasks *tasks;\n",
		name);
	for (uint32_t i = 0; i < t->tensor_count; i++) {
		const char *tensor = pkg_string(t, t->tensor[i].name);

		if (t->tensor[i].entry == o->entry && strstr(c, check_fmt("o->tensor.%s ", tensor + prefix)))
			fprintf(f, "\to.memory.%s.elements = UINT64_C(1) << 22;\n", tensor + prefix);
		else if (t->tensor[i].entry == PTOWSP_NONE && strstr(c, check_fmt("o->tensor.%s ", tensor)))
			fprintf(f, "\to.memory.%s.elements = UINT64_C(1) << 22;\n", tensor);
	}
	while ((item = strsep(&at, " ")))
		if (*item && strstr(c, check_fmt("o->value.%.*s;", (int)strcspn(item, "="), item)))
			fprintf(f, "\to.value.%s;\n", item);
	fprintf(f,
		"\tif (rt_tasks_create(&tasks, NULL, &error))\n\t\treturn 1;\n\t%s_begin(tasks, &o);\n\tif (rt_tasks_build(tasks, %s, &o, &error)) {\n"
		"\t\tputs(error.text);\n\t\treturn 1;\n\t}\n\trt_graph_dump(stdout, rt_tasks_graph(tasks));\n\trt_tasks_destroy(tasks);\n\treturn 0;\n}\n",
		name, name);
	fclose(f);
	CHECK(check_write(check_fmt("%s/main.c", folder), main_text, size));
	free(main_text);
	free(copy);
	free(c);
}

/* The dump of the compiled program; NULL after a failed check. To be freed. */
static char *compiled_dump(void)
{
	char *out = NULL, *err = NULL;
	int status = check_run(check_fmt("${CC:-cc} -std=c11 -Wall -Wextra -Wpedantic -Werror -O1 -I'%s' -I'%s/abi' -I'%s/plugins' '%s/main.c' "
					 "'%s/lib/libptowsp-rt.a' %s -lpthread -lm -o '%s/main' && '%s/main'",
					 check_root(), check_root(), check_root(), folder, check_build(), check_sanitizer(), folder, folder),
			       &out, &err);

	if (status) {
		CHECK_FAIL("%s: %s%.600s", check_name(), out ? out : "", err ? err : "");
		free(out);
		out = NULL;
	}
	free(err);
	return out;
}

static char *package_dump(const char *entry, const char *values)
{
	char *copy = strdup(values), *at = copy, *item, *command = NULL, *err = NULL, *dump = NULL;
	size_t size;
	FILE *f = open_memstream(&command, &size);

	fprintf(f, "'%s/bin/ptowsp-run' '%s/p.pkg.zst' --entry %s --no-kernels --schedule task_window=0 --graph '%s/g.txt'", check_build(), folder, entry,
		folder);
	while ((item = strsep(&at, " ")))
		fprintf(f, "%s%s", *item ? " --set " : "", item);
	fclose(f);
	if (check_run(command, NULL, &err))
		CHECK_FAIL("%s: %s", command, err);
	else
		dump = check_read(check_fmt("%s/g.txt", folder), NULL);
	free(command);
	free(copy);
	free(err);
	return dump;
}

/* The first line that differs, if any. */
static void dumps_compare(const char *got, const char *wanted)
{
	unsigned line = 1;
	const char *g = got, *w = wanted;

	while (*g && *g == *w) {
		line += *g == '\n';
		g++, w++;
	}
	if (*g == *w)
		return;
	while (g > got && g[-1] != '\n')
		g--, w--;
	CHECK_FAIL("%s: line %u is %.*s, wanted %.*s", check_name(), line, (int)strcspn(g, "\n"), g, (int)strcspn(w, "\n"), w);
}

static void graphs_compare(const char *source, const char *entry, const char *values)
{
	struct opened o;
	char name[80], *got, *wanted;

	folder = check_tmp();
	if (!source_open(&o, source, entry) || !c_write(&o, name))
		return;
	main_write(&o, name, values);
	got = compiled_dump();
	wanted = package_dump(entry, values);
	if (got && wanted) {
		dumps_compare(got, wanted);
		CHECK_CONTAINS(wanted, "TASK TABLE");
	}
	free(got);
	free(wanted);
	pkg_close(o.package);
}

static void example_compare(const char *file, const char *entry, const char *values)
{
	graphs_compare(check_fmt("%s/packages/examples/%s", check_root(), file), entry, values);
}

static void corpus_compare(const char *file, const char *entry, const char *values)
{
	CHECK_NEED_SHARED();
	graphs_compare(check_fmt("%s/corpus/pto/%s", check_shared(), file), entry, values);
}

/* Every entry of the probes' source that can be written. */
static void probes_compare(const char *file, unsigned least)
{
	const char *source = check_fmt("%s/packages/probes/%s", check_root(), file);
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct print_functions functions;
	struct opened all;
	unsigned written = 0;

	folder = check_tmp();
	if (!source_open(&all, source, NULL))
		return;
	REQUIRE(print_functions_make(&functions, pkg_tables(all.package)));
	for (uint32_t i = 0; i < pkg_tables(all.package)->entry_count; i++) {
		const struct pkg_tables *t = pkg_tables(all.package);
		char *text = NULL;
		bool reads;

		if (t->entry[i].flags & PTOWSP_ENTRY_KERNEL || tasks_print(all.package, &functions, i, &text, &error))
			continue;
		reads = strstr(text, "rt_tasks_load") != NULL;
		free(text);
		if (reads) /* what kernels write: the suite examples_native has kernels that do something */
			continue;
		written++;
		graphs_compare(check_fmt("%s/packages/probes/%s", check_root(), file), pkg_string(t, t->entry[i].name), "");
	}
	if (written < least)
		CHECK_FAIL("%u entries of %s are written as C, wanted %u", written, file, least);
	print_functions_finish(&functions);
	pkg_close(all.package);
}

TEST(control_flow_makes_the_same_graphs)
{
	probes_compare("control.pto", 17);
}

TEST(rows_of_lists_make_the_same_graphs)
{
	static const char *const entries[] = {"select", "ragged", "dense", "dense_dyn", "filter"};

	for (size_t i = 0; i < sizeof(entries) / sizeof(*entries); i++)
		graphs_compare(check_fmt("%s/packages/probes/flow.pto", check_root()), entries[i], "");
}

/* All tiles are whole: of a part a package's dump has the bytes of the tile, one of the task API those that are there. */
TEST(softmax_makes_the_same_graph)
{
	example_compare("softmax.pto", "softmax", "total_rows=40");
}

TEST(a_branch_for_rows_left_over_makes_the_same_graph)
{
	graphs_compare(check_fmt("%s/tests/fuzz/source/softmax.pto", check_root()), "softmax", "total_rows=43");
}

TEST(a_matrix_product_makes_the_same_graph)
{
	example_compare("matmul.pto", "matmul", "");
}

/* Rows whose length is a value of the run. */
TEST(products_on_a_grid_make_the_same_graph)
{
	example_compare("gemm.pto", "main", "down=2 across=3 deep=5");
}

TEST(a_layer_of_small_tiles_makes_the_same_graph)
{
	example_compare("llama_layer.pto", "llama_layer", "num_tiles=17");
}

TEST(a_layer_at_two_tile_levels_makes_the_same_graph)
{
	example_compare("llama_layer.pto", "llama_layer", "num_tiles=259");
}

TEST(the_corpus_softmax_makes_the_same_graph)
{
	corpus_compare("fused_softmax/dynamic_softmax_module.pto", "dynamic_softmax", "total_rows=69 num_full_tiles=8 tail_rows=5");
}

TEST(the_corpus_fused_softmax_makes_the_same_graph)
{
	corpus_compare("fused_softmax/fused_softmax_module.pto", "fused_softmax", "");
}

TEST(the_corpus_layer_makes_the_same_graph)
{
	corpus_compare("llama7b/llama7b_layer.pto", "llama_layer_dynamic", "seq_len=573 num_tiles=17");
}

TEST(the_corpus_layer_at_several_tile_levels_makes_the_same_graph)
{
	corpus_compare("llama7b/llama7b_layer.pto", "llama_layer_dynamic", "seq_len=9000 num_tiles=281");
}

/* The text against a file of the tree; PTOWSP_UPDATE=1 writes the file instead. */
static void golden_compare(const char *source, const char *entry)
{
	const char *path = check_fmt("%s/tests/emit/tasks/%s.c", check_root(), entry);
	char *got, *wanted, name[80];
	struct opened o;
	size_t size;

	folder = check_tmp();
	if (!source_open(&o, check_fmt("%s/packages/examples/%s", check_root(), source), entry) || !c_write(&o, name))
		return;
	got = check_read(check_fmt("%s/%s.c", folder, name), &size);
	REQUIRE(got != NULL);
	if (getenv("PTOWSP_UPDATE"))
		CHECK(check_write(path, got, size));
	wanted = check_read(path, NULL);
	REQUIRE(wanted != NULL);
	dumps_compare(got, wanted);
	free(got);
	free(wanted);
	pkg_close(o.package);
}

TEST(softmax_is_the_golden_file)
{
	golden_compare("softmax.pto", "softmax");
}

TEST(a_layer_with_tile_levels_is_the_golden_file)
{
	golden_compare("llama_layer.pto", "llama_layer");
}

static void pack_refusal_check(const char *words, const char *entry, const char *sentence)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct print_functions functions;
	struct opened o;
	char *text;

	if (!pack_open(&o, words, entry))
		return;
	REQUIRE(print_functions_make(&functions, pkg_tables(o.package)));
	CHECK_INT(tasks_print(o.package, &functions, o.entry, &text, &error), PTOWSP_UNSUPPORTED);
	CHECK(text == NULL);
	CHECK_STR(error.text, sentence);
	print_functions_finish(&functions);
	pkg_close(o.package);
}

static void length_write(const char *text)
{
	folder = check_tmp();
	CHECK(check_write(check_fmt("%s/length.pto", folder), text, strlen(text)));
}

#define LENGTH_HEAD                                                                                                                                            \
	"symbol %n : i64 = 2\nfunc @f(%a: !pto.memref<gm,...,f32>) {\n  %t = alloc_tile : !pto.tile<8x8xf32>\n  %t = texpands %0.0\n  tstore %t, %a[0, 0]\n  " \
	"return\n}\n"
#define LENGTH_BODY "workload @main {\n  call @f(%a -> %x[0, 0])\n}\n"

/* Rows that tasks have in common, and with them the edges, hang on every operator that needs a helper or more than its sign in C. */
TEST(expressions_have_the_same_values_in_c)
{
	graphs_compare(check_fmt("%s/tests/printed/operators.pto", check_root()), "main", "n=6");
}

TEST(floats_of_integers_have_the_same_bits_in_c)
{
	graphs_compare(check_fmt("%s/tests/printed/floats.pto", check_root()), "main", "n=6");
}

TEST(lengths_that_a_run_does_not_begin_with_are_refused)
{
	length_write(LENGTH_HEAD "tensor %x : f32[8, 16 / %n] out\n" LENGTH_BODY);
	pack_refusal_check(
		check_fmt("'%s/length.pto'", folder), "main",
		"main is not written as C: rows of tensor x are as long as more than sums and products of symbols: let a symbol of its own say their length");
	/* --strict wants all of it. */
	CHECK_INT(check_run(check_fmt("%s/bin/ptowsp-pack --emit=c '%s/length.pto' -o '%s/all'", check_build(), folder, folder), NULL, NULL), 0);
	CHECK_INT(check_run(check_fmt("%s/bin/ptowsp-pack --strict --emit=c '%s/length.pto' -o '%s/none'", check_build(), folder, folder), NULL, NULL), 5);
}
