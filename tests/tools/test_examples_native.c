/* SPDX-License-Identifier: MIT
 * test_examples_native.c - every example with its kernels compiled: packed again with --native from the source that ptowsp-inspect --pto gives with its
 * data, it makes the same tasks and passes the same comparison in the same cycles as with the portable kernels; printed again, it is the source of the
 * package without native code. And its orchestration function and kernels as C against the task API leave the same bytes. */
#include "tests/tools/example_rows.h"

#include "isa/product.h"
#include "tools/pack/flags.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TURN     "compilers take their time: half of the examples a day, all with --long"
#define TOO_SLOW "compiling takes too long here; the release build does it"

static bool once; /* the folder of compiled kernels is there */

/* A row's name and "_native" or "_tasks" is the name of a test. */
static const struct example_row *row_of_test(void)
{
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)(strrchr(check_name(), '_') - check_name()), check_name());
	return example_row_of(name);
}

/* What TILE_MACHINE is for the machine of TILE_BODY (plugins/isa/kernel.h) that runs here; the suite native compiles kernels for all of them. */
static const char *machine_here(void)
{
#if defined(__x86_64__)
	return __builtin_cpu_supports("avx512f") ? "__attribute__((target(\"avx512f\")))"
	       : __builtin_cpu_supports("avx2")  ? "__attribute__((target(\"avx2\")))"
						 : "";
#else
	return "";
#endif
}

/* The level of plugins/isa/product.h that runs here. */
static const char *product_here(void)
{
	static const char *const levels[] = {[PRODUCT_base] = "base", [PRODUCT_avx2] = "avx2", [PRODUCT_avx512] = "avx512"};

	return levels[product_level()];
}

/* $T with the example's source and data; kernels that several tests have are compiled once. */
static const struct example_row *begin(void)
{
	const struct example_row *row = row_of_test();

	REQUIRE(row != NULL);
	cli_begin();
	if (!once) {
		REQUIRE_INT(cli("rm -rf \"$K.objects\" && mkdir -p \"$K.objects\""), 0);
		once = true;
	}
	if (getenv("CC"))
		setenv("CC_ONCE", getenv("CC"), 0);
	setenv("ONCE", check_fmt("%s.objects", getenv("K")), 1);
	setenv("ONCE_MACHINE", machine_here(), 1);
	setenv("ONCE_PRODUCT", product_here(), 1);
	REQUIRE_INT(cli(check_fmt("$B/ptowsp-inspect --pto --out . $P/%s.pkg.zst", row->package)), 0);
	return row;
}

static void cycles_read(char cycles[32])
{
	const char *at = strstr(cli_out, "task");

	*cycles = 0;
	if (at)
		sscanf(at, "%*[^,], %31[0-9]", cycles);
}

/* The package that was native prints as a source that packs to the bytes of the package that never was. */
static void native_is_left_out(const struct example_row *row)
{
	REQUIRE_INT(cli("$B/ptowsp-inspect --pto --out again native.pkg.zst"), 0);
	REQUIRE_INT(cli("head -n 1 again/native.pto"), 0);
	CHECK_STR(cli_out, "// Native code is left out: ptowsp-pack --native makes it again.\n");
	REQUIRE_INT(cli("$B/ptowsp-pack again/native.pto -o again.pkg.zst"), 0);
	REQUIRE_INT(cli(check_fmt("$B/ptowsp-pack %s.pto -o plain.pkg.zst", row->name)), 0);
	CHECK_INT(cli("cmp again.pkg.zst plain.pkg.zst"), 0);
}

static void run_native(void)
{
	const struct example_row *row;
	char portable[32], native[32];
	int status;

	if (cli_slow())
		CHECK_SKIP(TOO_SLOW);
	row = begin();
	if (!check_turn((uint64_t)(row - example_rows), 2))
		CHECK_SKIP(TURN);
	status = cli(check_fmt("CC=$R/tests/emit/compile_once $B/ptowsp-pack --native %s.pto -o native.pkg.zst", row->name));
	if (status == 8)
		CHECK_SKIP("there is no C compiler");
	if (status)
		CHECK_FAIL("%s", cli_err);
	example_run(row, "native.pkg.zst", "--trust=none", 1);
	cycles_read(portable);
	for (int threads = 1; threads <= 2; threads++) {
		example_run(row, "native.pkg.zst", check_fmt("--trust=all --threads %d", threads), 1);
		cycles_read(native);
		CHECK_STR(native, portable);
	}
	native_is_left_out(row);
}

/* --- orchestration as C --- */

/* The file of an entry's orchestration function, without ".c", to be freed; NULL: there is none. */
static char *orchestration_find(const char *entry)
{
	if (cli(check_fmt("grep -l 'The orchestration function of rt_tasks_run' c/%s.c c/%s_.c 2>/dev/null | sed 's,c/,,; s,[.]c$,,'", entry, entry)) ||
	    !*cli_out)
		return NULL;
	cli_out[strcspn(cli_out, "\n")] = '\0';
	return strdup(cli_out);
}

/* The run that it is compared with leaves its tensors in NAME.after.npy; the program's own have no file. */
static void reference_run(const struct example_row *row, json_t *tensors)
{
	char *command = strdup(check_fmt("$B/ptowsp-run $P/%s.pkg.zst", row->package));
	json_t *tensor;
	size_t i;

	json_array_foreach(tensors, i, tensor)
	{
		const char *name = cli_text(tensor, "name");
		char *more;

		if (!strcmp(cli_text(tensor, "role"), "temp"))
			continue;
		REQUIRE(asprintf(&more, "%s --out %s=%s.after.npy", command, name, name) > 0);
		free(command);
		command = more;
	}
	if (cli(command))
		CHECK_FAIL("%s: %s", command, cli_err);
	free(command);
}

static int dtype_bytes(const char *type)
{
#define X(NAME, code, bytes, class, text, descr)                                                                                                               \
	if (!strcmp(type, text))                                                                                                                               \
		return bytes;
#include "ptowsp/dtype.def"
#undef X
	CHECK_FAIL("type %s", type);
	return 1;
}

/* How C calls a tensor or value of that name: with '_' behind it where it means something there. Before it stands `before`. */
static const char *name_in_c(const char *c, const char *before, const char *name)
{
	return strstr(c, check_fmt("%s%s;", before, name)) ? name : check_fmt("%s_", name);
}

/* Its row in the table of run.h, if the C file has it. */
static void tensor_write(FILE *f, const struct example_row *row, const char *c, const char *entry, json_t *tensor)
{
	const char *name = cli_text(tensor, "name"), *role = cli_text(tensor, "role");
	char in_c[80], before[160] = "", after[100] = "";

	snprintf(in_c, sizeof(in_c), "%s", name_in_c(c, "_memory ", name));
	if (!strstr(c, check_fmt("_memory %s;", in_c)))
		return;
	if (strcmp(role, "temp"))
		snprintf(after, sizeof(after), "%s.after.npy", name);
	snprintf(before, sizeof(before), "%s.%s.npy", row->name, name);
	if (access(check_fmt("%s/%s", getenv("T"), before), R_OK))
		snprintf(before, sizeof(before), "%s.%s.%s.npy", row->name, entry, name);
	if (!strcmp(role, "in"))
		snprintf(before, sizeof(before), "%s", after);
	else if (access(check_fmt("%s/%s", getenv("T"), before), R_OK))
		*before = '\0';
	fprintf(f, "\t\t{\"%s\", &o.memory.%s.data, &o.memory.%s.elements, ", name, in_c, in_c);
	fprintf(f, *before ? "\"%s\", " : "%.0sNULL, ", before);
	fprintf(f, *after ? "\"%s\", %d},\n" : "%.0sNULL, %d},\n", after, dtype_bytes(cli_text(tensor, "type")));
}

/* main.c around NAME.c: everything as the bare command has it. */
static void main_write(const struct example_row *row, const char *name, json_t *explain)
{
	char *c = check_read(check_fmt("%s/c/%s.c", getenv("T"), name), NULL);
	FILE *f = fopen(check_fmt("%s/main.c", getenv("T")), "w");
	json_t *item;
	size_t i;

	REQUIRE(c != NULL && f != NULL);
	fprintf(f,
		"#include \"c/%s.c\"\n#include \"tests/emit/tasks/emitted_run.h\"\n\nstatic struct %s o;\nstatic void begin_all(struct rt_tasks *tasks)\n{\n"
		"\t%s_begin(tasks, &o);\n}\n\nint main(void)\n{\n\tstatic const struct run_tensor tensors[] = {\n",
		name, name, name);
	json_array_foreach(cli_at(explain, "tensors"), i, item) tensor_write(f, row, c, cli_text(explain, "entry"), item);
	fprintf(f, "\t};\n\n");
	json_array_foreach(cli_at(explain, "values"), i, item) if (strstr(c, check_fmt("o->value.%s;", cli_text(item, "name"))))
		fprintf(f, "\to.value.%s = %s;\n", cli_text(item, "name"), cli_text(item, "default"));
	fprintf(f, "\treturn run_all(tensors, sizeof(tensors) / sizeof(*tensors), begin_all, %s, &o);\n}\n", name);
	fclose(f);
	free(c);
}

/* Kernels as --native compiles them, so that they are compiled once for both. */
static void program_make(const char *name)
{
	REQUIRE_INT(
		cli(check_fmt("for f in c/*.c; do [ $f = c/%s.c ] || $R/tests/emit/compile_once " PACK_NATIVE_FLAGS " -Ic -c -o ${f%%.c}.o $f || exit; done",
			      name)),
		0);
	if (cli("${CC:-cc} -std=c11 -Wall -Wextra -Wpedantic -Werror -O1 -I. -I$R -I$R/abi -I$R/plugins main.c c/*.o $B/../lib/libptowsp-rt.a -lpthread -lm -o "
		"main"))
		CHECK_FAIL("%.900s", cli_err);
}

/* Two entries, each with tasks of its own on a thread of its own. */
static const char devices_main[] = "#include \"entries/left.c\"\n#include \"entries/right.c\"\n#include <pthread.h>\n"
				   "static float in[64], middle[64], out[64];\n"
				   "static struct left l = {.memory = {.IN_ = {in, 64}, .MIDDLE_ = {middle, 64}}};\n"
				   "static struct right r = {.memory = {.MIDDLE_ = {middle, 64}, .OUT_ = {out, 64}}};\n"
				   "static struct rt_board *board;\n"
				   "static void *device(void *number)\n{\n"
				   "	const struct rt_tasks_config config = {.board = board, .device = number != NULL};\n"
				   "	struct rt_tasks *tasks;\n	ptowsp_status status = rt_tasks_create(&tasks, &config, NULL);\n"
				   "	if (status)\n		return &board;\n"
				   "	if (number)\n		right_begin(tasks, &r);\n	else\n		left_begin(tasks, &l);\n"
				   "	status = rt_tasks_run(tasks, number ? right : left, number ? (void *)&r : &l, 2, 1, NULL, NULL);\n"
				   "	rt_tasks_destroy(tasks);\n	return status ? &board : NULL;\n}\n"
				   "int main(void)\n{\n	pthread_t other;\n	void *wrong, *mine;\n"
				   "	for (int i = 0; i < 64; i++)\n		in[i] = (float)i;\n"
				   "	if (rt_board_create(&board, 2, NULL) || pthread_create(&other, NULL, device, &board))\n		return 2;\n"
				   "	mine = device(NULL);\n	pthread_join(other, &wrong);\n	rt_board_destroy(board);\n"
				   "	for (int i = 0; i < 64; i++)\n		if (out[i] != (float)(4 * i))\n			return 1;\n"
				   "	return mine || wrong;\n}\n";

/* An orchestration function and kernels as C, linked with the core: the same bytes in every tensor as ptowsp-run leaves there with portable kernels, on one
 * thread and two, with the graph built first and tasks that start at once. */
static void run_tasks(void)
{
	const struct example_row *row;
	json_t *explain;
	char *name;

	if (cli_slow())
		CHECK_SKIP(TOO_SLOW);
	row = begin();
	if (!check_turn((uint64_t)(row - example_rows) + 1, 2))
		CHECK_SKIP(TURN);
	if (cli("${CC:-cc} --version"))
		CHECK_SKIP("there is no C compiler");
	REQUIRE_INT(cli(check_fmt("$B/ptowsp-pack --emit=c %s.pto -o c", row->name)), 0);
	CHECK_STR(cli_err, "");
	if (!strcmp(row->name, "two_devices")) {
		check_put("main.c", devices_main);
		REQUIRE_INT(cli("mkdir entries && mv c/left.c c/right.c entries"), 0);
		program_make("none");
		CHECK_INT(cli("./main"), 0);
		return;
	}
	REQUIRE_INT(cli(check_fmt("$B/ptowsp-run --explain --json $P/%s.pkg.zst", row->package)), 0);
	explain = cli_json();
	REQUIRE(explain != NULL);
	json_incref(explain);
	name = orchestration_find(cli_text(explain, "entry"));
	REQUIRE(name != NULL);
	main_write(row, name, explain);
	reference_run(row, cli_at(explain, "tensors"));
	program_make(name);
	if (cli("./main"))
		CHECK_FAIL("%s%s", cli_out, cli_err);
	CHECK_CONTAINS(cli_out, check_fmt("%ld tasks\n", row->tasks));
	json_decref(explain);
	free(name);
}

void suite_examples_native(CU_pSuite s)
{
	example_rows_read();
	for (size_t i = 0; i < example_count; i++) {
		check_add(s, check_fmt("%s_native", example_rows[i].name), run_native);
		check_add(s, check_fmt("%s_tasks", example_rows[i].name), run_tasks);
	}
}
