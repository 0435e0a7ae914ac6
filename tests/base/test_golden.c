/* SPDX-License-Identifier: MIT
 * test_golden.c - every golden vector of the corpus: compiled, packed, loaded and run in process on cpu_sim and a2a3sim, a handful through the tools. */
#include "tests/check.h"

#include "tests/corpus.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KIND, PTO, FUNCTION, CASE, ARGS, SCALARS, SEED, RANGE, INPUTS, DIR, RTOL, ATOL }; /* columns of manifest.tsv */
#define ARGUMENTS 40u

/* One memref of a vector. */
struct argument {
	char name[64], mode[8];
	uint64_t rows, columns;
	float *data;
};

static struct corpus_table manifest;

static const struct corpus_row *row_of_test(void)
{
	for (uint32_t i = 0; i < manifest.count; i++) {
		char *const *c = manifest.rows[i].columns;

		if (!strcmp(check_name(), check_fmt("golden_%s_%s", c[FUNCTION], c[CASE])) ||
		    strstr(check_name(), check_fmt("%s_%s_row%u", c[FUNCTION], c[CASE], i)))
			return &manifest.rows[i];
	}
	return NULL;
}

/* "name:mode:RxC,..." */
static uint32_t arguments_read(struct argument *arguments, const char *text)
{
	uint32_t count = 0;

	for (; text && count < ARGUMENTS; count++) {
		unsigned long long rows, columns;
		struct argument *a = &arguments[count];

		*a = (struct argument){0};
		if (sscanf(text, "%63[^:]:%7[^:]:%llux%llu", a->name, a->mode, &rows, &columns) != 4)
			break;
		a->rows = rows, a->columns = columns;
		text = strchr(text, ',');
		text = text ? text + 1 : NULL;
	}
	return count;
}

/* Memory before the call: from the stored file, or by the generator's rule, as outputs are always. */
static void argument_fill(struct argument *a, const struct corpus_row *row, uint32_t position)
{
	uint64_t elements = a->rows * a->columns, stored;
	double low = -1, high = 1;

	if (strcmp(a->mode, "out") && !strcmp(row->columns[INPUTS], "npy")) {
		a->data = corpus_npy(check_fmt("%s/corpus/%s/in_%s.npy", check_shared(), row->columns[DIR], a->name), &stored);
		CHECK(a->data != NULL);
		CHECK_UINT(stored, elements);
		return;
	}
	sscanf(row->columns[RANGE], "%lf:%lf", &low, &high);
	a->data = malloc(elements * sizeof(*a->data) + 1);
	for (uint64_t i = 0; a->data && i < elements; i++)
		a->data[i] = corpus_random(strtoull(row->columns[SEED], NULL, 10), position, i, low, high);
}

static void bind(struct ptowsp_program *program, const struct ptowsp_plan *plan, struct argument *a)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	const uint64_t extents[2] = {a->rows, a->columns};
	uint32_t index = 0;
	ptowsp_status status = ptowsp_plan_tensor_find(plan, a->name, &index, &error);

	if (!status)
		status = ptowsp_tensor_shape(program, index, 2, extents, "the manifest", &error);
	if (!status)
		status = ptowsp_tensor_bind(program, a->name, a->data, a->rows * a->columns, &error);
	if (status)
		CHECK_FAIL("%s: %s", a->name, error.text);
}

static void compare(const struct argument *a, const struct corpus_row *row)
{
	double rtol = atof(row->columns[RTOL]), atol = atof(row->columns[ATOL]), worst = 0;
	uint64_t elements, wrong = 0, first = 0;
	float *wanted = corpus_npy(check_fmt("%s/corpus/%s/out_%s.npy", check_shared(), row->columns[DIR], a->name), &elements);

	CHECK(wanted != NULL);
	CHECK_UINT(elements, a->rows * a->columns);
	for (uint64_t i = 0; wanted && i < elements && i < a->rows * a->columns; i++) {
		double off = fabs((double)a->data[i] - (double)wanted[i]);

		if (isnan(a->data[i]) && isnan(wanted[i]))
			continue;
		if (!(off <= atol + rtol * fabs((double)wanted[i])) && !wrong++)
			first = i;
		worst = off > worst ? off : worst;
	}
	if (wrong)
		CHECK_FAIL("%s: %llu of %llu elements are off, worst by %g, first [%llu]: got %g, wanted %g", a->name, (unsigned long long)wrong,
			   (unsigned long long)elements, worst, (unsigned long long)first, (double)a->data[first], (double)wanted[first]);
	free(wanted);
}

static void vector_run(const struct corpus_row *row, struct ptowsp_program *program, const struct ptowsp_plan *plan)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct argument arguments[ARGUMENTS];
	uint32_t count = arguments_read(arguments, row->columns[ARGS]);

	CHECK(count > 0);
	for (uint32_t i = 0; i < count; i++) {
		argument_fill(&arguments[i], row, i);
		bind(program, plan, &arguments[i]);
	}
	if (ptowsp_execute(program, NULL, &error))
		CHECK_FAIL("run: %s", error.text);
	else
		for (uint32_t i = 0; i < count; i++)
			if (strcmp(arguments[i].mode, "in"))
				compare(&arguments[i], row);
	ptowsp_program_unload(program);
	for (uint32_t i = 0; i < count; i++)
		free(arguments[i].data);
}

static void vector_on(const char *plugin, const struct corpus_row *row)
{
	struct ptowsp_program *program;
	struct ptowsp_plan *plan;

	corpus_plugin(plugin);
	program = corpus_load(row->columns[PTO], row->columns[FUNCTION], NULL, 0, row->columns[SCALARS], &plan);
	if (program)
		vector_run(row, program, plan);
	ptowsp_plan_destroy(plan);
}

static void vector_equals_the_stored_numbers(void)
{
	const struct corpus_row *row = row_of_test();

	REQUIRE(row != NULL);
	vector_on("a2a3sim", row);
	vector_on("cpu_sim", row);
}

TEST(kernel_without_a_golden_vector_is_refused_with_a_shape_sentence)
{
	struct corpus_table table;

	CHECK_NEED_SHARED();
	REQUIRE(corpus_table_read(&table, check_fmt("%s/corpus/nongolden.tsv", check_shared())));
	CHECK_UINT(table.count, 3);
	for (uint32_t i = 0; i < table.count; i++) {
		const char *source = table.rows[i].columns[0], *function = table.rows[i].columns[1];
		char opcode[16] = "";
		struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
		struct ptowsp_plan *plan;
		struct ptowsp_program *program = corpus_load(source, function, NULL, 0, "-", &plan);

		sscanf(table.rows[i].columns[2], "%15s", opcode);
		if (program) {
			CHECK_INT(ptowsp_execute(program, NULL, &error), PTOWSP_KERNEL_FAILED);
			CHECK_CONTAINS(error.text, function);
			CHECK_CONTAINS(error.text, opcode);
			CHECK_CONTAINS(error.text, strrchr(source, '/') + 1);
		}
		ptowsp_program_unload(program);
		ptowsp_plan_destroy(plan);
	}
	corpus_table_free(&table);
}

/* ---- through the tools ---------------------------------------------------------------------------------------- */

static void scalars_print(FILE *command, const char *scalars)
{
	char *text = strdup(scalars), *at = text, *item;

	while (strcmp(scalars, "-") && (item = strsep(&at, ",")))
		fprintf(command, " --set %s", item);
	free(text);
}

/* ptowsp-run with the stored inputs and expectations; to be freed. */
static char *run_command(const struct corpus_row *row, const char *package)
{
	struct argument arguments[ARGUMENTS];
	uint32_t count = arguments_read(arguments, row->columns[ARGS]);
	char *text = NULL, *const *c = row->columns;
	size_t size;
	FILE *command = open_memstream(&text, &size);

	fprintf(command, "'%s/bin/ptowsp-run' '%s' --entry %s --rtol %s --atol %s", check_build(), package, c[FUNCTION], c[RTOL], c[ATOL]);
	scalars_print(command, c[SCALARS]);
	for (uint32_t i = 0; i < count; i++) {
		const char *name = arguments[i].name;

		if (strcmp(arguments[i].mode, "out"))
			fprintf(command, " --in %s='%s/corpus/%s/in_%s.npy'", name, check_shared(), c[DIR], name);
		if (strcmp(arguments[i].mode, "in"))
			fprintf(command, " --expect %s='%s/corpus/%s/out_%s.npy'", name, check_shared(), c[DIR], name);
	}
	fclose(command);
	return text;
}

static void vector_runs_through_the_tools(const struct corpus_row *row)
{
	char package[4096], *out = NULL, *err = NULL, *command;
	const char *pack;

	snprintf(package, sizeof(package), "%s/a.pkg.zst", check_tmp());
	command = run_command(row, package);
	pack = check_fmt("'%s/bin/ptowsp-pack' '%s/corpus/%s' -o '%s'", check_build(), check_shared(), row->columns[PTO], package);
	CHECK_INT(check_run(pack, NULL, NULL), 0);
	if (check_run(command, &out, &err))
		CHECK_FAIL("%s: %s%s", row->columns[FUNCTION], out, err);
	free(out);
	free(err);
	free(command);
}

TEST(a_handful_runs_through_pack_and_run)
{
	static const char *const handful[] = {"aten_add_scalar", "dynamic_softmax", "fused_softmax", "tile_matmul", "F_gelu", "tensor_softmax"};
	uint32_t found = 0;

	CHECK_NEED_SHARED();
	for (uint32_t i = 0; i < manifest.count; i++)
		for (size_t k = 0; k < sizeof(handful) / sizeof(*handful); k++)
			if (!strcmp(manifest.rows[i].columns[FUNCTION], handful[k]) && !strcmp(manifest.rows[i].columns[CASE], "c0") &&
			    !strcmp(manifest.rows[i].columns[INPUTS], "npy")) {
				vector_runs_through_the_tools(&manifest.rows[i]);
				found++;
			}
	CHECK(found >= 5);
}

/* A function of the same name in two files gets its row in the test's name. */
static bool is_unique(uint32_t row)
{
	char *const *c = manifest.rows[row].columns;

	for (uint32_t i = 0; i < manifest.count; i++)
		if (i != row && !strcmp(manifest.rows[i].columns[FUNCTION], c[FUNCTION]) && !strcmp(manifest.rows[i].columns[CASE], c[CASE]))
			return false;
	return true;
}

static void golden_vectors_are_skipped(void)
{
	CHECK_NEED_SHARED();
	CHECK_FAIL("manifest.tsv cannot be read");
}

TEST(all_222_vectors_are_there)
{
	CHECK_NEED_SHARED();
	CHECK_UINT(manifest.count, 222);
}

void suite_golden(CU_pSuite s)
{
	if (!check_shared() || !corpus_table_read(&manifest, check_fmt("%s/corpus/manifest.tsv", check_shared())))
		TEST(s, golden_vectors_are_skipped);
	for (uint32_t i = 0; i < manifest.count; i++) {
		char *const *c = manifest.rows[i].columns;

		check_add(s, is_unique(i) ? check_fmt("golden_%s_%s", c[FUNCTION], c[CASE]) : check_fmt("golden_%s_%s_row%u", c[FUNCTION], c[CASE], i),
			  vector_equals_the_stored_numbers);
	}
}
