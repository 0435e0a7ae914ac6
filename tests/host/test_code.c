/* SPDX-License-Identifier: MIT
 * test_code.c - native code of packages: who may run it, what is refused before a byte of it runs, how it is loaded, called and unloaded. The objects are
 * made by the compiler while the tests run. */
#include "tests/contract/cli.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/call/services.h"
#include "host/ptowsp_host.h"
#include "host/trust/code.h"
#include "tests/fives.h"

/* Its constructor says that something of it ran. */
static const char lib_c[] =
	"#include <unistd.h>\n"
	"#include \"ptowsp/task.h\"\n"
	"static int counter;\n"
	"__attribute__((constructor)) static void begin(void) { counter += write(2, \"begun\\n\", 6) == 6; }\n"
	"__attribute__((destructor)) static void end(void) { counter -= write(2, \"ended\\n\", 6) == 6; }\n"
	"int data[4] = {1, 2, 3, 4};\n"
	"void twice(const float *x, float *y, int64_t n) { for (int64_t i = 0; i < n; i++) y[i] = 2 * x[i]; }\n"
	"void scaled(const float *x, float *y, int16_t by, double and) { for (int i = 0; i < 4; i++) y[i] = (float)(x[i] * by + and); }\n"
	"int counted(void) { return ++counter; }\n"
	"int32_t thrice(const struct ptowsp_task *t, struct ptowsp_kernel_out *out) {\n"
	"	const float *x = t->tensors[0].data; float *y = t->tensors[1].data;\n"
	"	if (t->head.size < sizeof(*t) || !t->workspace || (uintptr_t)t->workspace % 64 || t->workspace_size != 4096) return PTOWSP_KERNEL_FAILED;\n"
	"	for (int i = 0; i < 4096; i++) ((volatile char *)t->workspace)[i] = (char)i;\n"
	"	for (uint64_t i = 0; i < t->args[0]; i++) y[i] = 3 * x[i] + (float)t->block;\n"
	"	out->cycles = 11 + t->block; return 0; }\n";

static const char head[] = FIVES_TENSORS("tensor %z : f32[4] inout\n") FIVES_FUNC;
static const char tail[] = "workload @main { call @k(%x -> %x, %y -> %y, %n -> 4) }\n";

static void file_write(const char *name, const char *a, const char *b, const char *c)
{
	FILE *file = fopen(check_fmt("%s/%s", getenv("T"), name), "w");

	REQUIRE(file != NULL);
	REQUIRE(fprintf(file, "%s%s%s", a, b, c) >= 0 && !fclose(file));
}

static void begin(void)
{
	cli_begin();
	file_write("lib.c", lib_c, "", "");
	CHECK_INT(cli("gcc -std=c11 -O2 -fPIC -shared -I$R/abi lib.c -o lib.so"), 0);
}

/* One kernel with these payloads, behind its parameters: m.pkg.zst. MACHINE stands for this one. */
static void pack(const char *payloads)
{
	file_write("m.in", head, "kernel @k(%x: f32[4] in, %y: f32[4] out, %n: i64) ", payloads);
	file_write("m.end", "\n", tail, "");
	CHECK_INT(cli("cat m.in m.end | sed s/MACHINE/$(uname -m)-linux-gnu/ >m.pto && $B/ptowsp-pack m.pto -o m.pkg.zst"), 0);
}

static void values_are(const char *file, float a, float b, float c, float d)
{
	const float expected[4] = {a, b, c, d};
	size_t bytes = 0;
	float *values = cli_npy_read(file, "<f4", &bytes);

	CHECK(values && bytes == sizeof(expected) && !memcmp(values, expected, sizeof(expected)));
	free(values);
}

/* ---- trust -------------------------------------------------------------------------------------------------------- */

static const char both[] = "sig \"v(p,p,i64)\" { native MACHINE \"lib.so\" \"twice\" portable @fives }";

TEST(without_trust_the_portable_payload_runs)
{
	begin();
	pack(both);
	CHECK_INT(cli("$B/ptowsp-run --out y=y.npy --stats=json m.pkg.zst"), 0);
	values_are("y.npy", 5, 5, 5, 5);
	CHECK_STR(cli_err, "");
	CHECK_STR(cli_text(cli_json(), "kernels[k].code"), "portable");
	CHECK_INT(cli("$B/ptowsp-run --trust=none --plugin=auto --out y=y.npy m.pkg.zst"), 0);
	values_are("y.npy", 5, 5, 5, 5);
}

TEST(with_trust_the_first_payload_runs)
{
	int64_t cycles;

	begin();
	pack(both);
	CHECK_INT(cli("$B/ptowsp-run --stats=json m.pkg.zst"), 0);
	cycles = cli_int(cli_json(), "total_cycles");
	CHECK_INT(cli("$B/ptowsp-run --trust=all --out y=y.npy --stats=json m.pkg.zst"), 0);
	values_are("y.npy", 2, 4, 6, 8);
	CHECK_STR(cli_err, "begun\nended\n");
	CHECK_STR(cli_text(cli_json(), "kernels[k].code"), "native");
	CHECK(cycles > 0);
	CHECK_INT(cli_int(cli_json(), "total_cycles"), cycles); /* the portable payload behind it tells them */
	CHECK_INT(cli("$B/ptowsp-run --trust=all --plugin=auto --out y=y.npy m.pkg.zst"), 0);
	values_are("y.npy", 2, 4, 6, 8);
	pack("sig \"v(p,p,i64)\" { portable @fives native MACHINE \"lib.so\" \"twice\" }");
	CHECK_INT(cli("$B/ptowsp-run --trust=all --out y=y.npy m.pkg.zst"), 0);
	values_are("y.npy", 5, 5, 5, 5);
}

/* Whatever such code does to its process: the tool has one of its own, and its exit status and sentence say what became of the other. */
TEST(code_that_ends_its_process_ends_no_tool)
{
	static const struct {
		const char *body, *sentence;
	} rows[] = {
		{"*(volatile int *)8 = 1;", ": signal 11 ("},
		{"abort();", ": signal 6 ("},
		{"_exit(0);", ": it left with exit status 0"},
		{"exit(0);", ": it left with exit status 0"},
		{"kill(getpid(), SIGSTOP); for (;;) pause();", "its worker was stopped by signal"},
		{"} __attribute__((constructor)) static void early(void) { _exit(0);", "its worker ended in load: it left with exit status 0"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		begin();
		file_write("bad.c",
			   "#include <signal.h>\n#include <stdlib.h>\n#include <unistd.h>\nvoid twice(const float *x, float *y, long n) { (void)x, (void)y, "
			   "(void)n; ",
			   rows[i].body, " }\n");
		CHECK_INT(cli("gcc -fPIC -shared bad.c -o lib.so"), 0);
		pack(both);
		CLI_ERR(9, "$B/ptowsp-run --trust=all m.pkg.zst", "cpu_sim: its worker ", rows[i].sentence);
		cli_check_sentence();
	}
	CHECK_INT(cli("$B/ptowsp-run m.pkg.zst"), 0);
}

TEST(code_that_is_native_only_needs_trust)
{
	begin();
	pack("sig \"v(p,p,i64)\" { native MACHINE \"lib.so\" \"twice\" }");
	CLI_ERR(5, "$B/ptowsp-run m.pkg.zst", "kernel k is unsupported on cpu_sim: native code (", "needs --trust=all");
	cli_check_sentence();
	CHECK_INT(cli("$B/ptowsp-run --trust=all --stats=json --no-kernels m.pkg.zst"), 0);
	CHECK_INT(cli("$B/ptowsp-run --trust=all --out y=y.npy m.pkg.zst"), 0);
	values_are("y.npy", 2, 4, 6, 8);
	CLI_ERR(2, "$B/ptowsp-run --trust=some m.pkg.zst", "--trust=some is none of none, signed, all");
}

TEST(code_for_other_machines_is_passed_over)
{
	begin();
	pack("sig \"v(p,p,i64)\" { native other-linux-gnu \"lib.so\" \"twice\" portable @fives }");
	CHECK_INT(cli("$B/ptowsp-run --trust=all --out y=y.npy m.pkg.zst"), 0);
	values_are("y.npy", 5, 5, 5, 5);
	CLI_OUT(0, "$B/ptowsp-run --trust=all --explain m.pkg.zst", "portable payload: its native code is for other-linux-gnu, not for this machine");
	pack("sig \"v(p,p,i64)\" { native other-linux-gnu \"lib.so\" \"twice\" native MACHINE \"lib.so\" \"twice\" }");
	CHECK_INT(cli("$B/ptowsp-run --trust=all --out y=y.npy m.pkg.zst"), 0);
	values_are("y.npy", 2, 4, 6, 8);
	pack("sig \"v(p,p,i64)\" { native MACHINE32 \"lib.so\" \"twice\" }"); /* x86_64-linux-gnu32 is still this machine */
	CHECK_INT(cli("$B/ptowsp-run --trust=all m.pkg.zst"), 0);
	pack("sig \"v(p,p,i64)\" { native x86_645 \"lib.so\" \"twice\" }"); /* a name that begins alike */
	CLI_ERR(5, "$B/ptowsp-run --trust=all m.pkg.zst", "its native code is for x86_645, not for this machine");
}

TEST(explain_says_what_would_run_and_runs_nothing)
{
	begin();
	pack(both);
	CLI_OUT(0, "$B/ptowsp-run --explain m.pkg.zst", "kernel k  enforced: portable payload: native code (");
	CLI_OUT(0, "$B/ptowsp-run --explain --trust=all m.pkg.zst", "kernel k  enforced: native code of the package (",
		"load: the backend takes it; no kernel was run: ");
	CHECK_STR(cli_err, ""); /* no constructor */
	CLI_OUT(0, "$B/ptowsp-run --explain --trust=all --isolate=process m.pkg.zst", "load: the backend takes it; no kernel was run: ");
	CHECK_STR(cli_err, "");
	CHECK_INT(cli("$B/ptowsp-run --explain --trust=all --plugin=auto --plugin-order cpu_sim m.pkg.zst"), 0);
	CHECK(!strstr(cli_err, "begun"));
	CHECK_INT(cli("$B/ptowsp-run --trust=all --plugin=auto --plugin-order cpu_sim --out y=y.npy m.pkg.zst"), 0); /* and the run has it */
	values_are("y.npy", 2, 4, 6, 8);
}

/* A plugin that asks all the same gets nothing: the host decides. */
TEST(the_host_decides_about_trust)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	const struct ptowsp_code_extension *code;
	struct host_findings findings = {.trusted = false};
	struct host_services services;
	const void *function = "";

	REQUIRE_INT(host_services_init(&services, 0), 0);
	code = services.table.extension(services.table.context, PTOWSP_EXTENSION_CODE);
	REQUIRE(code != NULL);
	CHECK_INT(code->load(services.table.context, "k", "", 0, "f", 0, &function, &error), PTOWSP_INVALID);
	CHECK_STR(error.text, "native code of kernel k: code is loaded while a program is loaded");
	host_services_aim(&services, NULL, &findings);
	CHECK_INT(code->load(services.table.context, "k", "", 0, "f", 0, &function, &error), PTOWSP_UNSUPPORTED);
	CHECK_STR(error.text, "native code of kernel k is not run: the package is not trusted; --trust=all runs it");
	CHECK(function == NULL && findings.code == NULL);
	findings.trusted = true;
	CHECK_INT(code->load(services.table.context, "k", "text", 4, "f", 0, &function, &error), PTOWSP_BAD_PACKAGE);
	CHECK_STR(error.text, "native code of kernel k: not an ELF file, and so no shared object");
	CHECK(function == NULL && findings.code == NULL);
	host_services_finish(&services);
}

/* ---- what is refused ---------------------------------------------------------------------------------------------- */

TEST(an_object_that_breaks_a_rule_is_refused_before_it_runs)
{
	static const struct {
		const char *make, *entry, *sentence;
		int status;
	} rows[] = {
		{"printf '\\363\\0' | dd of=lib.so bs=1 seek=18 conv=notrunc 2>&1", "\"twice\"", "built for riscv (ELF machine 243), this host runs on", 3},
		{"echo hello >lib.so", "\"twice\"", "not an ELF file", 3},
		{"head -c 40 lib.so >l && mv l lib.so", "\"twice\"", "cut short within the ELF header", 3},
		{"head -c 4100 lib.so >l && mv l lib.so", "\"twice\"", "cut short", 3},
		{"gcc -c -fPIC -I$R/abi lib.c -o lib.so", "\"twice\"", "not a shared object", 3},
		{"gcc -shared -fPIC -Wl,-z,execstack -I$R/abi lib.c -o lib.so", "\"twice\"", "asks for an executable stack", 3},
		{"gcc -shared -fPIC -Wl,-z,nodelete -I$R/abi lib.c -o lib.so", "\"twice\"", "it asks never to be unloaded", 3},
		{"gcc -shared -fPIC -Wl,-rpath,/opt -I$R/abi lib.c -o lib.so", "\"twice\"", "it has a run path", 3},
		{"gcc -c -fPIC -I$R/abi lib.c -o l.o && ld -shared -N -z noexecstack l.o -o lib.so", "\"twice\"",
		 "has memory that is both writable and executable", 3},
		{"printf '.text\\n.globl there\\nthere: .quad twice\\n.section .note.GNU-stack,\"\",%%progbits\\n' >t.s && "
		 "gcc -shared -fPIC -Wl,-z,notext -I$R/abi lib.c t.s -o lib.so",
		 "\"twice\"", "has relocations in its code", 3},
		{"gcc -shared -fPIC -Wl,--audit=x.so -I$R/abi lib.c -o lib.so", "\"twice\"", "auditors or filters", 3},
		{"echo 'int gone(void) { return 1; }' >g.c && gcc -shared -fPIC g.c -o g.so && gcc -shared -fPIC -I$R/abi -Wl,--no-as-needed lib.c ./g.so -o "
		 "lib.so",
		 "\"twice\"", "it needs the library \"./g.so\" by a path", 3},
		{"echo 'int gone(void) { return 1; }' >g.c && gcc -shared -fPIC -Wl,-soname,libgone.so g.c -o g.so && "
		 "gcc -shared -fPIC -I$R/abi -Wl,--no-as-needed lib.c ./g.so -o lib.so",
		 "\"twice\"", "cannot be loaded: libgone.so: cannot open shared object file", 5},
		{"echo 'int gone(void); int use(void) { return gone(); }' >>lib.c && gcc -shared -fPIC -I$R/abi lib.c -o lib.so", "\"twice\"",
		 "undefined symbol: gone", 5},
		{"true", "\"nobody\"", "it exports no function nobody; there are: ", 3},
		{"true", "\"begin\"", "it exports no function begin", 3}, /* static */
		{"true", "\"write\"", "it exports no function write", 3}, /* of another library */
		{"true", "\"data\"", "its entry data is no function", 3},
		{"true", "", "no entry is named, and it exports not one function but 4: ", 3},
		{"true", "at 4", "byte 4, where its entry should begin, is not code", 3},
		{"gcc -shared -fPIC -nostdlib -x c /dev/null -o lib.so", "", "it exports not one function but 0: none", 3},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		bool at = !strncmp(rows[i].entry, "at", 2);

		begin();
		CHECK_INT(cli(rows[i].make), 0);
		pack(check_fmt("sig \"v(p,p,i64)\" { native MACHINE \"lib.so\" %s portable @fives }", rows[i].entry));
		if (cli("$B/ptowsp-run --trust=all m.pkg.zst") != rows[i].status || !strstr(cli_err, rows[i].sentence) ||
		    !strstr(cli_err, "native code of kernel k"))
			CHECK_FAIL("%s (%s%s): %s", rows[i].sentence, rows[i].make, at ? ", at" : "", cli_err);
		CHECK(!strstr(cli_err, "begun"));
		cli_check_sentence();
		/* what only the dynamic linker knows is not told before it is asked */
		CHECK_INT(cli("$B/ptowsp-run --explain --trust=all m.pkg.zst"), rows[i].status == 3 ? 3 : 0);
		if (rows[i].status == 3 &&
		    (!strstr(cli_out, "kernel k  unsupported, refused: its native code is refused: ") || !strstr(cli_out, rows[i].sentence)))
			CHECK_FAIL("--explain, %s (%s): %s", rows[i].sentence, rows[i].make, cli_out);
		CHECK(rows[i].status == 3 || strstr(cli_out, "kernel k  enforced: native code of the package ("));
		CHECK(rows[i].status == 3 ? strstr(cli_err, rows[i].sentence) && !strstr(cli_err, "begun") : !*cli_err);
		CHECK_INT(cli("$B/ptowsp-run m.pkg.zst"), 0); /* nobody looks at it without trust */
	}
}

TEST(bytes_of_any_kind_are_refused_or_understood)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct host_code_entry entry;
	unsigned char *bytes;
	size_t size = 0;
	FILE *file;

	begin();
	file = fopen(check_fmt("%s/lib.so", getenv("T")), "rb");
	bytes = malloc(1 << 20);
	REQUIRE(file && bytes);
	size = fread(bytes, 1, 1 << 20, file);
	fclose(file);
	CHECK_INT(host_code_check(bytes, size, "k", "twice", 0, &entry, &error), PTOWSP_OK);
	for (size_t cut = 0; cut < size; cut += 37) {
		unsigned char *part = malloc(cut ? cut : 1);

		REQUIRE(part != NULL);
		memcpy(part, bytes, cut);
		CHECK_INT(host_code_check(part, cut, "k", "twice", 0, &entry, &error), PTOWSP_BAD_PACKAGE);
		free(part);
	}
	free(bytes);
}

/* ---- calls -------------------------------------------------------------------------------------------------------- */

TEST(the_entry_may_be_a_place_or_left_out)
{
	begin();
	CHECK_INT(cli("nm -D lib.so | awk '$3 == \"twice\" { print $1 }'"), 0);
	pack(check_fmt("sig \"v(p,p,i64)\" { native MACHINE \"lib.so\" at %lu }", strtoul(cli_out, NULL, 16))); /* code lies in the file as in memory */
	CHECK_INT(cli("$B/ptowsp-run --trust=all --out y=y.npy m.pkg.zst"), 0);
	values_are("y.npy", 2, 4, 6, 8);
	file_write("one.c", "void one(const float *x, float *y, long n) { for (long i = 0; i < n; i++) y[i] = x[i] + 1; }\n", "", "");
	CHECK_INT(cli("gcc -shared -fPIC one.c -o lib.so"), 0);
	pack("sig \"v(p,p,i64)\" { native MACHINE \"lib.so\" }");
	CHECK_INT(cli("$B/ptowsp-run --trust=all --out y=y.npy m.pkg.zst"), 0);
	values_are("y.npy", 2, 3, 4, 5);
}

TEST(a_uniform_function_has_workspace_blocks_and_cycles)
{
	begin();
	pack("blockdim 3 workspace 4096 { native MACHINE \"lib.so\" \"thrice\" portable @fives }");
	CHECK_INT(cli("$B/ptowsp-run --trust=all --threads 2 --out y=y.npy --stats=json m.pkg.zst"), 0);
	values_are("y.npy", 5, 8, 11, 14); /* of the last block, which is 2 */
	pack("blockdim 3 workspace 4096 { native MACHINE \"lib.so\" \"thrice\" }");
	CHECK_INT(cli("$B/ptowsp-run --trust=all --threads 2 --out y=y.npy --stats=json m.pkg.zst"), 0);
	CHECK_INT(cli_int(cli_json(), "kernels[k].cycles"), 11 + 12 + 13); /* nothing else tells them */
	pack("workspace 4096 { native MACHINE \"lib.so\" \"thrice\" cycles 500 }");
	CLI_FIGURE("$B/ptowsp-run --trust=all --stats=json m.pkg.zst", "kernels[k].cycles", 500);
	pack("workspace 16 { native MACHINE \"lib.so\" \"thrice\" workspace 4096 }"); /* the larger one */
	CHECK_INT(cli("$B/ptowsp-run --trust=all m.pkg.zst"), 0);
	CHECK_INT(cli("$B/ptowsp-inspect --pto m.pkg.zst >again.pto && $B/ptowsp-pack again.pto --name m -o again.pkg.zst && cmp m.pkg.zst again.pkg.zst"), 0);
	CHECK_INT(cli("$B/ptowsp-inspect --c m.pkg.zst | grep 'payload_workspace(.*4096)'"), 0);
	pack("{ native MACHINE \"lib.so\" \"thrice\" }");
	CHECK_INT(cli("$B/ptowsp-run --trust=all --opt profiling=on m.pkg.zst"), 1); /* no workspace: it says so itself */
	pack("workspace 4096 { native MACHINE \"lib.so\" \"thrice\" }");
	CLI_ERR(0, "$B/ptowsp-run --trust=all --opt profiling=on --opt debug=on -v m.pkg.zst", "kernel k: native code of the package",
		"profile: kernel k: 1 tasks");
}

/* Neither shape has a thunk: libffi calls it. */
TEST(a_mixed_signature_goes_through_libffi)
{
	begin();
	file_write("m.in", head,
		   "kernel @k(%x: f32[4] in, %y: f32[4] out, %by: i16, %and: f64) sig \"v(p,p,i16,f64)\" {"
		   " native MACHINE \"lib.so\" \"scaled\" }\nworkload @main { call @k(%x -> %x, %y -> %y, %by -> -3, %and -> 0.5) }\n",
		   "");
	CHECK_INT(cli("sed s/MACHINE/$(uname -m)-linux-gnu/ m.in >m.pto && $B/ptowsp-pack m.pto -o m.pkg.zst"), 0);
	CHECK_INT(cli("$B/ptowsp-run --trust=all --out y=y.npy m.pkg.zst"), 0);
	values_are("y.npy", -2.5f, -5.5f, -8.5f, -11.5f);
}

TEST(signatures_that_cannot_be_called_are_refused)
{
	static const char *const rows[][2] = {
		{"v(p,p,i65)", "v(p,p,i65)"},
		{"v(p,p,v)", "v(p,p,v)"},
		{"v(p,p,p,p,p,p,p,p,p,p,p,p,p,p,p,p,p,p,p,p,p,p,p,p,p,p,p,p,p,p,p,p,p)", "at most 32"},
	};

	begin();
	pack(both);
	CHECK_INT(cli("$B/ptowsp-inspect --json m.pkg.zst >m.json"), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CHECK_INT(cli(check_fmt("sed 's/v(p,p,i64)/%s/' m.json >bad.json", rows[i][0])), 0);
		CLI_ERR(3, "$B/ptowsp-pack --from-json bad.json -o bad.pkg.zst", rows[i][1]);
	}
	CHECK_INT(cli("sed 's/v(p,p,i64)/v(p,p,p,i64)/' m.json >bad.json && $B/ptowsp-pack --from-json bad.json -o bad.pkg.zst"), 0);
	CLI_ERR(3, "$B/ptowsp-run --trust=all bad.pkg.zst", "kernel k: its signature v(p,p,p,i64) takes 3 tensors and 1 scalars, it has 2 and 1");
	cli_check_sentence();
}

/* ---- loading ------------------------------------------------------------------------------------------------------ */

TEST(many_kernels_of_one_object_load_it_once)
{
	begin();
	file_write("m.in", head,
		   "kernel @a(%x: f32[4] in, %y: f32[4] out, %n: i64) sig \"v(p,p,i64)\" { native MACHINE \"lib.so\" \"twice\" }\n"
		   "kernel @b(%x: f32[4] in, %y: f32[4] out, %n: i64) sig \"v(p,p,i64)\" { native MACHINE \"copy.so\" \"twice\" }\n"
		   "kernel @c(%x: f32[4] in, %y: f32[4] out, %n: i64) workspace 4096 { native MACHINE \"lib.so\" \"thrice\" }\n",
		   "workload @main { call @a(%x -> %x, %y -> %z, %n -> 4) call @b(%x -> %z, %y -> %y, %n -> 4) call @c(%x -> %y, %y -> %z, %n -> 4) }\n");
	CHECK_INT(cli("cp lib.so copy.so && sed s/MACHINE/$(uname -m)-linux-gnu/ m.in >m.pto && $B/ptowsp-pack m.pto -o m.pkg.zst"), 0);
	CHECK_INT(cli("$B/ptowsp-run --trust=all --out z=z.npy m.pkg.zst"), 0);
	values_are("z.npy", 12, 24, 36, 48);
	CHECK_STR(cli_err, "begun\nended\n");
}

/* Lines of /proc/self/maps that are memory files of ours. */
static unsigned mapped(void)
{
	char line[512];
	unsigned count = 0;
	FILE *maps = fopen("/proc/self/maps", "r");

	REQUIRE(maps != NULL);
	while (fgets(line, sizeof(line), maps))
		count += strstr(line, "ptowsp-code") != NULL;
	fclose(maps);
	return count;
}

/* Memory files of ours that are open; each must be sealed against everything. */
static unsigned sealed(void)
{
	const int all = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL;
	char target[64] = "";
	unsigned count = 0;

	for (int fd = 0; fd < 256; fd++) {
		ssize_t length = readlink(check_fmt("/proc/self/fd/%d", fd), target, sizeof(target) - 1);

		if (length <= 0 || !memmem(target, (size_t)length, "memfd:ptowsp-code", 17))
			continue;
		count++;
		CHECK_INT(fcntl(fd, F_GET_SEALS), all);
		CHECK_INT(pwrite(fd, "x", 1, 0), -1);
	}
	return count;
}

static int next_number(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	close(fd);
	return fd;
}

TEST(unloading_a_program_unmaps_its_code)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	const char *dir = check_fmt("%s/lib/ptowsp/plugins", check_build());
	struct ptowsp_backend_options options = {.isolate = PTOWSP_ISOLATE_NONE, .plugin = "cpu_sim", .plugin_dirs = &dir, .plugin_dir_count = 1, .threads = 1};
	struct ptowsp_plan_options none = {0};
	struct ptowsp_backend *backend = NULL;
	struct ptowsp_package *package = NULL;
	struct ptowsp_plan *plan = NULL;
	struct ptowsp_program *programs[2] = {NULL, NULL};
	unsigned one;
	int number;

	begin();
	pack(both);
	REQUIRE_INT(ptowsp_package_open(&package, check_fmt("%s/m.pkg.zst", getenv("T")), 0, &error), 0);
	REQUIRE_INT(ptowsp_plan_create(&plan, package, &none, &error), 0);
	REQUIRE_INT(ptowsp_backend_open(&backend, &options, &error), 0);
	REQUIRE_INT(ptowsp_program_load(&programs[0], backend, plan, 0, &error), 0);
	CHECK_UINT(mapped(), 0); /* not trusted */
	ptowsp_program_unload(programs[0]);
	number = next_number();
	REQUIRE_INT(ptowsp_program_load(&programs[0], backend, plan, PTOWSP_LOAD_TRUST_NATIVE, &error), 0);
	one = mapped();
	CHECK(one > 0);
	REQUIRE_INT(ptowsp_program_load(&programs[1], backend, plan, PTOWSP_LOAD_TRUST_NATIVE, &error), 0);
	CHECK_UINT(mapped(), 2 * one); /* each has variables of its own */
	CHECK_UINT(sealed(), 2);
	CHECK_INT(ptowsp_execute(programs[1], NULL, &error), 0);
	ptowsp_program_unload(programs[0]);
	CHECK_UINT(mapped(), one);
	CHECK_INT(ptowsp_execute(programs[1], NULL, &error), 0);
	ptowsp_program_unload(programs[1]);
	CHECK_UINT(mapped(), 0);
	CHECK_UINT(sealed(), 0);
	CHECK_INT(next_number(), number); /* no file is left open */
	ptowsp_backend_close(backend);
	ptowsp_plan_destroy(plan);
	ptowsp_package_close(package);
}

static int counted(struct host_code **list, const unsigned char *bytes, size_t size)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	const void *address = NULL;
	int (*function)(void) = NULL;

	if (host_code_load(list, "k", bytes, size, "counted", 0, &address, &error))
		CHECK_FAIL("%s", error.text);
	memcpy(&function, &address, sizeof(function));
	return function ? function() : -1;
}

/* The dynamic linker knows objects by name: one of somebody else that is still loaded under a number must not be taken for ours. */
TEST(a_number_that_another_object_had_is_not_used)
{
	static unsigned char bytes[1 << 18];
	struct host_code *first = NULL, *second = NULL;
	char name[64];
	size_t size;
	void *other;
	FILE *file;
	int fd;

	begin();
	CHECK_INT(cli("echo 'int counted(void) { return 1000; }' >o.c && gcc -shared -fPIC o.c -o o.so"), 0);
	fd = open(check_fmt("%s/o.so", getenv("T")), O_RDONLY | O_CLOEXEC);
	REQUIRE(fd >= 0);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	other = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	close(fd);
	REQUIRE(other != NULL);
	file = fopen(check_fmt("%s/lib.so", getenv("T")), "rb");
	REQUIRE(file != NULL);
	size = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	CHECK_INT(next_number(), fd);
	CHECK_INT(counted(&first, bytes, size), 2);  /* its constructor counted to 1 */
	CHECK_INT(counted(&first, bytes, size), 3);  /* not loaded again */
	CHECK_INT(counted(&second, bytes, size), 2); /* of another program */
	host_code_destroy(first);
	CHECK_INT(counted(&second, bytes, size), 3);
	host_code_destroy(second);
	dlclose(other);
}

/* What opens, makes or runs files, in every thread and child. */
TEST(no_payload_is_written_to_a_named_file)
{
	if (system("strace -o /dev/null true 2>/dev/null"))
		CHECK_SKIP("strace is not installed, or may not trace here");
	begin();
	pack(both);
	CHECK_INT(cli("ASAN_OPTIONS=detect_leaks=0 strace -f -o calls -e "
		      "trace=openat,open,creat,memfd_create,execve,rename,renameat2,link,linkat,symlink,mknodat "
		      "$B/ptowsp-run --trust=all --isolate=none m.pkg.zst"),
		  0);
	CLI_PRINTS(0, "grep -c memfd_create calls", "1\n");
	CLI_PRINTS(0, "grep -c execve calls", "1\n");
	CHECK_INT(cli("grep -E 'O_(WRONLY|RDWR|CREAT|TMPFILE)|creat\\(|rename|link|mknod' calls"), 1); /* grep finds none */
	CHECK_STR(cli_out, "");
	CHECK_INT(cli("grep -c '\"/proc/self/fd/' calls"), 0);
}
