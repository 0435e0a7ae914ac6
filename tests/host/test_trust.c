/* SPDX-License-Identifier: MIT
 * test_trust.c - whose code runs: native code of signed packages, and plugins that are listed or signed. */
#include "tests/contract/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host/ptowsp_host.h"
#include "host/trust/host_policy.h"
#include "host/trust/trust.h"
#include "tests/fives.h"

static const char source[] = FIVES_TENSORS("") FIVES_FUNC "kernel @k(%x: f32[4] in, %y: f32[4] out, %n: i64) sig \"v(p,p,i64)\" { ";

/* m.pkg.zst, whose kernel has native code that doubles and, if portable, a payload that writes fives; two keys, ann's is in keys. */
static void begin(bool portable)
{
	char machine[64] = "";
	char *name;

	cli_begin();
	REQUIRE(!check_run("uname -m", &name, NULL));
	snprintf(machine, sizeof(machine), "%.*s", (int)strcspn(name, "\n"), name);
	free(name);
	name = (char *)(uintptr_t)check_fmt("%snative %s-linux-gnu \"lib.so\" \"twice\"%s }\nworkload @main { call @k(%%x -> %%x, %%y -> %%y, %%n -> 4) }\n",
					    source, machine, portable ? " portable @fives" : "");
	REQUIRE(check_write(check_fmt("%s/m.pto", getenv("T")), name, strlen(name)));
	REQUIRE_INT(
		cli("echo '#include <stdint.h>\nvoid twice(const float *x, float *y, int64_t n) { for (int64_t i = 0; i < n; i++) y[i] = 2 * x[i]; }' >lib.c\n"
		    "gcc -std=c11 -O2 -fPIC -shared lib.c -o lib.so && $B/ptowsp-pack m.pto -o m.pkg.zst"),
		0);
	REQUIRE_INT(cli("$B/ptowsp-pack --make-key ann && $B/ptowsp-pack --make-key bob && mkdir keys && cp ann.pub keys"), 0);
}

#define SIGNED "$B/ptowsp-run --trust=signed --trust-dir keys "

static void ran(const char *code)
{
	CHECK_INT(cli(SIGNED "--stats=json m.pkg.zst"), 0);
	CHECK_STR(cli_text(cli_json(), "kernels[k].code"), code);
}

/* ---- packages ---- */

TEST(native_code_of_a_signed_package_runs)
{
	begin(true);
	CHECK_INT(cli("$B/ptowsp-pack --sign=ann m.pkg.zst"), 0);
	ran("native");
	CHECK_CONTAINS(cli_text(cli_json(), "trust"), "signed by ann (");
	CLI_OUT(0, SIGNED "--stats m.pkg.zst", "trust in native code: signed by ann (");
	CLI_OUT(0, SIGNED "--explain m.pkg.zst", "trust in native code: signed by ann (");
	CHECK_INT(cli(SIGNED "--plugin=auto --stats=json m.pkg.zst"), 0);
	CHECK_STR(cli_text(cli_json(), "kernels[k].code"), "native");
	CHECK_INT(cli("PTOWSP_TRUST_DIR=relative:$T/keys $B/ptowsp-run --trust=signed --stats=json m.pkg.zst"), 0);
	CHECK_STR(cli_text(cli_json(), "kernels[k].code"), "native");
	CHECK_INT(cli("$B/ptowsp-run --stats=json m.pkg.zst"), 0); /* nobody asked */
	CHECK_STR(cli_text(cli_json(), "kernels[k].code"), "portable");
}

/* Each row signs another way; then no native code runs, and the sentence says why. */
TEST(native_code_that_no_signature_covers_does_not_run)
{
	static const struct {
		const char *sign, *why;
	} rows[] = {
		{"true", "it is not signed"},
		{"$B/ptowsp-pack --sign=bob m.pkg.zst", ", which is no trusted key"},
		{"$B/ptowsp-pack --sign=ann --sign-for=aie,a2a* m.pkg.zst", "the signature of ann is for aie,a2a*, not for cpu_sim"},
		{"$B/ptowsp-pack --sign=ann --sign-abi=v10.4321 m.pkg.zst", "the signature of ann needs ABI v10.4321, here is v10."},
		{"$B/ptowsp-pack --sign=ann --sign-until=2001-02-03 m.pkg.zst", "the signature of ann has expired on 2001-02-03"},
		{"n=$(stat -c %s m.pkg.zst); cp $P/softmax.pkg.zst o; m=$(stat -c %s o); $B/ptowsp-pack --sign=ann o; tail -c +$((m + 1)) o >>m.pkg.zst",
		 "the signature of ann is not one of this package"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		begin(true);
		CHECK_INT(cli(rows[i].sign), 0);
		ran("portable");
		CHECK_CONTAINS(cli_text(cli_json(), "trust"), rows[i].why);
		CLI_OUT(0, SIGNED "--explain m.pkg.zst", "native code (", rows[i].why);
	}
}

TEST(code_that_is_native_only_is_refused_with_the_reason)
{
	begin(false);
	CLI_ERR(5, "$B/ptowsp-pack --sign=ann --sign-for=aie m.pkg.zst; " SIGNED "m.pkg.zst", "kernel k is unsupported on cpu_sim: native code (",
		") is not trusted: the signature of ann is for aie, not for cpu_sim");
	cli_check_sentence();
	CHECK_INT(cli("$B/ptowsp-pack --sign=ann --sign-for=cpu_sim m.pkg.zst; " SIGNED "m.pkg.zst"), 0);
	CLI_ERR(2, "$B/ptowsp-run --trust=signed --trust-dir nowhere m.pkg.zst", "trust folder nowhere cannot be read");
}

TEST(one_of_several_signatures_is_enough)
{
	begin(true);
	CHECK_INT(
		cli("$B/ptowsp-pack --sign=bob m.pkg.zst; $B/ptowsp-pack --make-key cid; cp cid.pub keys; $B/ptowsp-pack --sign=cid --sign-for=aie m.pkg.zst"),
		0);
	ran("portable");
	CHECK_CONTAINS(cli_text(cli_json(), "trust"), "the signature of cid is for aie"); /* which comes nearer than bob's */
	CHECK_INT(cli("$B/ptowsp-pack --sign=ann m.pkg.zst"), 0);
	ran("native");
}

TEST(portable_kernels_need_no_signature)
{
	begin(true);
	CHECK_INT(cli(SIGNED "$P/vector_add.pkg.zst"), 0);
	CHECK_STR(cli_err, "");
}

/* ---- the embedding API ---- */

TEST(an_embedding_program_gets_the_same)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	const char *dirs[1], *plugin_dirs[1];
	struct ptowsp_backend_options options = {.isolate = PTOWSP_ISOLATE_NONE,
						 .plugin = "cpu_sim",
						 .trust_dirs = dirs,
						 .trust_dir_count = 1,
						 .plugin_dirs = plugin_dirs,
						 .plugin_dir_count = 1};
	struct ptowsp_package *package;
	struct ptowsp_plan *plan;

	begin(true);
	CHECK_INT(cli("$B/ptowsp-pack --sign=ann m.pkg.zst"), 0);
	dirs[0] = check_fmt("%s/keys", getenv("T"));
	plugin_dirs[0] = check_fmt("%s/lib/ptowsp/plugins", check_build());
	REQUIRE_INT(ptowsp_package_open(&package, check_fmt("%s/m.pkg.zst", getenv("T")), 0, &error), 0);
	REQUIRE_INT(ptowsp_plan_create(&plan, package, NULL, &error), 0);
	for (uint32_t flags = 0; flags <= PTOWSP_BACKEND_TRUST_SIGNED; flags += PTOWSP_BACKEND_TRUST_SIGNED) {
		struct ptowsp_backend *backend;
		struct ptowsp_program *program;

		options.flags = flags;
		REQUIRE_INT(ptowsp_backend_open(&backend, &options, &error), 0);
		REQUIRE_INT(ptowsp_program_load(&program, backend, plan, PTOWSP_LOAD_TRUST_SIGNED, &error), 0);
		CHECK_CONTAINS(ptowsp_program_trust(program), flags ? "signed by ann (" : "the backend was opened without trusted keys");
		REQUIRE_INT(ptowsp_execute(program, NULL, &error), 0);
		CHECK_UINT(ptowsp_stats(program)->kernels[0].flags & PTOWSP_KERNEL_NATIVE, flags ? PTOWSP_KERNEL_NATIVE : 0);
		ptowsp_program_unload(program);
		REQUIRE_INT(ptowsp_program_load(&program, backend, plan, 0, &error), 0);
		CHECK_STR(ptowsp_program_trust(program), "");
		ptowsp_program_unload(program);
		ptowsp_backend_close(backend);
	}
	ptowsp_plan_destroy(plan);
	ptowsp_package_close(package);
}

/* ---- plugins ---- */

/* A copy of cpu_sim in p, nothing in keys but ann.pub. */
static void plugins_begin(void)
{
	cli_begin();
	REQUIRE_INT(cli("$B/ptowsp-pack --make-key ann && $B/ptowsp-pack --make-key bob && mkdir keys p && cp ann.pub keys && cp "
			"$B/../lib/ptowsp/plugins/libptowsp_cpu_sim.so p"),
		    0);
}

#define WITH(trust) "$B/ptowsp-run --plugin-trust=" trust " --trust-dir keys --plugin-dir p "

TEST(a_signed_plugin_loads)
{
	plugins_begin();
	CLI_OUT(0, "$B/ptowsp-pack --sign=ann p/libptowsp_cpu_sim.so && ls p", "libptowsp_cpu_sim.so.sig");
	CLI_OUT(0, WITH("signed") "--explain $P/vector_add.pkg.zst", "trust in the plugin: signed by ann (");
	CHECK_INT(cli(WITH("signed") "--stats $P/vector_add.pkg.zst"), 0);
	CHECK_STR(cli_err, "");
	CHECK_INT(cli(WITH("signed") "--list-plugins"), 0); /* of the others each says why not */
	CHECK_CONTAINS(cli_out, "usable");
	CHECK_CONTAINS(cli_out, "is not signed: there is no .sig file beside it");
	CHECK(!strstr(cli_out, "runs in a process of its own")); /* a signed one is trusted as the tool's own are */
	CLI_OUT(0, WITH("any") "--list-plugins", "runs in a process of its own");
	CHECK_INT(cli("$B/ptowsp-pack --sign=bob p/libptowsp_cpu_sim.so && rm keys/ann.pub && cp bob.pub keys && " WITH("signed") "$P/vector_add.pkg.zst"), 0);
}

TEST(a_plugin_that_no_signature_covers_is_refused)
{
	static const struct {
		const char *sign, *why;
	} rows[] = {
		{"true", "is not signed: there is no .sig file beside it that can be read; ptowsp-pack --sign makes one"},
		{"$B/ptowsp-pack --sign=bob $p", "is not trusted: it is signed by "},
		{"$B/ptowsp-pack --sign=ann --sign-for=aie $p", "is not trusted: the signature of ann is for aie, not for cpu_sim"},
		{"$B/ptowsp-pack --sign=ann --sign-abi=v10.77 $p", "is not trusted: the signature of ann needs ABI v10.77, here is v10."},
		{"$B/ptowsp-pack --sign=ann --sign-until=2001-02-03 $p", "is not trusted: the signature of ann has expired on 2001-02-03"},
		{"$B/ptowsp-pack --sign=ann $p; echo >>$p", "is not trusted: the signature of ann is not one of this plugin"},
		{"$B/ptowsp-pack --sign=ann $p; truncate -s 100 $p.sig",
		 "is not signed: its .sig file: signatures: 1 rows have 256 bytes with their head, here are 100"},
		{"mkdir $p.sig", "is not signed: there is no .sig file beside it that can be read"},
		{"mkfifo $p.sig", "is not signed: its .sig file: signatures: 0 bytes are fewer than their head's 16"},
		{"$B/ptowsp-pack --sign=ann $p; chmod 666 keys/ann.pub", "is not trusted: it is signed by "},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		plugins_begin();
		CHECK_INT(cli(check_fmt("p=p/libptowsp_cpu_sim.so; %s", rows[i].sign)), 0);
		CLI_ERR(4, WITH("signed") "$P/vector_add.pkg.zst", rows[i].why);
		cli_check_sentence();
		CHECK_INT(cli(WITH("any") "$P/vector_add.pkg.zst"), 0);
	}
}

TEST(a_listed_plugin_loads)
{
	plugins_begin();
	CLI_ERR(2, "$B/ptowsp-run --plugin-trust=listed --trust-dir /dev/zero $P/vector_add.pkg.zst", "trust folder /dev/zero cannot be read: Not a directory");
	CLI_ERR(4, WITH("listed") "$P/vector_add.pkg.zst", "no plugins.list of the trust folders has \"", " cpu_sim\"");
	CHECK_INT(cli("echo '# mine' >keys/plugins.list; echo >>keys/plugins.list; sha256sum <p/libptowsp_cpu_sim.so | sed 's/-/cpu_sim/' >>keys/plugins.list"),
		  0);
	CLI_OUT(0, WITH("listed") "--explain $P/vector_add.pkg.zst", "trust in the plugin: in a list");
	CHECK_INT(cli(WITH("listed") "$P/vector_add.pkg.zst"), 0);
	CHECK_INT(cli("sed -i s/cpu_sim/cpu_sin/ keys/plugins.list; " WITH("listed") "$P/vector_add.pkg.zst"), 4); /* another plugin's name */
	CHECK_INT(cli("sed -i s/cpu_sin/cpu_sim/ keys/plugins.list; echo >>p/libptowsp_cpu_sim.so; " WITH("listed") "$P/vector_add.pkg.zst"),
		  4); /* other bytes */
	CLI_ERR(4, "echo nonsense >keys/plugins.list; " WITH("listed") "$P/vector_add.pkg.zst", "plugins.list: line 1 is not: 64 digits");
	CLI_ERR(4, "chmod 666 keys/plugins.list; " WITH("listed") "$P/vector_add.pkg.zst", "anybody may write the list file");
	CHECK_INT(cli("ln -sf plugins.list keys/plugins.list; " WITH("listed") "$P/vector_add.pkg.zst"), 4); /* that leads to itself */
	CHECK_CONTAINS(cli_err, "is in no list; not used: keys/plugins.list: cannot be opened: Too many levels of symbolic links");
	CLI_ERR(4, "ln -sf nowhere keys/plugins.list; " WITH("listed") "$P/vector_add.pkg.zst", "not used: keys/plugins.list: cannot be opened: No such file");
	CLI_ERR(2, "$B/ptowsp-run --plugin-trust=some $P/vector_add.pkg.zst", "--plugin-trust=some is none of any, listed, signed");
}

/* What runs is the copy: nobody but the host opens the file. (Leaks cannot be looked for under strace.) */
TEST(what_is_loaded_is_a_sealed_copy)
{
	char *maps;

	plugins_begin();
	CHECK_INT(cli("$B/ptowsp-pack --sign=ann p/libptowsp_cpu_sim.so; ASAN_OPTIONS=detect_leaks=0 strace -f -e trace=openat,open,memfd_create,mmap -o "
		      "trace " WITH("signed") "$P/vector_add.pkg.zst"),
		  0);
	maps = check_read(check_fmt("%s/trace", getenv("T")), NULL);
	REQUIRE(maps != NULL);
	CHECK_CONTAINS(maps, "memfd_create(\"ptowsp-plugin\"");
	CHECK_CONTAINS(maps, "\"/proc/self/fd/");
	free(maps);
	CLI_PRINTS(0, "grep -c 'open.*p/libptowsp_cpu_sim.so\"' trace", "1\n"); /* read once, by nobody else */
}

/* The worker gets the copy that its host has checked, and does not open the file. */
TEST(an_isolated_plugin_is_the_sealed_copy_too)
{
	plugins_begin();
	CLI_ERR(4, WITH("signed") "--isolate=process $P/vector_add.pkg.zst", "is not signed: there is no .sig file");
	CHECK_INT(cli("$B/ptowsp-pack --sign=ann p/libptowsp_cpu_sim.so; ASAN_OPTIONS=detect_leaks=0 strace -f -e trace=openat,open -o trace " WITH(
			  "signed") "--isolate=process $P/vector_add.pkg.zst"),
		  0);
	CLI_PRINTS(0, "grep -c 'open.*p/libptowsp_cpu_sim.so\"' trace", "1\n");
	CLI_OUT(0, WITH("signed") "--isolate=process --explain $P/vector_add.pkg.zst", "trust in the plugin: signed by ann (");
}

/* A private library beside the plugin would not be found beside the copy, and nobody has signed it. */
TEST(a_plugin_with_a_private_library_is_refused)
{
	plugins_begin();
	CHECK_INT(cli("cp $B/../lib/ptowsp/plugins/libptowsp_cpu_sim.so p/o.so; echo 'int f(void) { return 1; }' >f.c; gcc -shared -fPIC f.c -o p/libf.so"
		      " && gcc -shared -fPIC -o p/libptowsp_private.so -Wl,--version-script=$R/abi/ptowsp_plugin.map -I$R/abi -I$R $R/abi/template/plugin.c "
		      "-Lp -Wl,--no-as-needed -lf '-Wl,-rpath,$ORIGIN' -Wl,-z,now,-z,relro,-z,noexecstack"),
		  0);
	CHECK_INT(cli("$B/ptowsp-pack --sign=ann --sign-for=* p/libptowsp_private.so; " WITH("signed") "--plugin=./p/libptowsp_private.so --devices"), 4);
	CHECK_CONTAINS(cli_err, "its run path \"$ORIGIN\" is seen from its folder, and what is listed or signed is loaded from a sealed copy, which has none");
}

/* The dynamic linker knows objects by name, and the names of sealed copies are numbers of descriptors, which come again. */
TEST(signed_plugins_are_not_mistaken_for_each_other)
{
	static const char *const names[] = {"cpu_sim", "a2a3sim", "cpu_sim"};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	char keys[512], plugins[512];
	const char *dirs[1] = {keys}, *plugin_dirs[1] = {plugins};
	struct ptowsp_backend_options options = {.isolate = PTOWSP_ISOLATE_NONE,
						 .trust_dirs = dirs,
						 .trust_dir_count = 1,
						 .plugin_dirs = plugin_dirs,
						 .plugin_dir_count = 1,
						 .plugin_trust = PTOWSP_PLUGINS_SIGNED};
	struct ptowsp_backend *backend;

	plugins_begin();
	CHECK_INT(cli("cp $B/../lib/ptowsp/plugins/libptowsp_a*.so p; $B/ptowsp-pack --sign=ann p/*.so"), 0);
	snprintf(keys, sizeof(keys), "%s/keys", getenv("T"));
	snprintf(plugins, sizeof(plugins), "%s/p", getenv("T"));
	for (size_t i = 0; i < 3; i++) {
		options.plugin = names[i];
		REQUIRE_INT(ptowsp_backend_open(&backend, &options, &error), 0);
		CHECK_STR(ptowsp_backend_name(backend), names[i]);
		CHECK_CONTAINS(ptowsp_backend_path(backend), check_fmt("/p/libptowsp_%s.so", names[i]));
		CHECK_CONTAINS(ptowsp_backend_trust(backend), "signed by ann (");
		ptowsp_backend_close(backend);
	}
	options.plugin = "aie";
	options.plugin_trust = PTOWSP_PLUGINS_ANY;
	REQUIRE_INT(ptowsp_backend_open(&backend, &options, &error), 0);
	CHECK_STR(ptowsp_backend_trust(backend), "");
	ptowsp_backend_close(backend);
	options.plugin_trust = PTOWSP_PLUGINS_SIGNED;
	CHECK_INT(ptowsp_backend_open(&backend, &options, &error), PTOWSP_PLUGIN_REFUSED);
	CHECK_CONTAINS(error.text, "this program has loaded it without asking whether it is listed or signed; start the program again");
}

TEST(a_list_is_read_whole_or_not_at_all)
{
	static const char good[] = "# a comment\n\n0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef  aie\n"
				   "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\tcpu_sim";
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct host_listed listed = {0};
	char text[sizeof(good)];
	uint32_t refused = 0;

	REQUIRE_INT(host_listed_parse(&listed, good, strlen(good), "list", &error), 0);
	REQUIRE_UINT(listed.count, 2);
	CHECK_STR(listed.rows[0].name, "aie");
	CHECK_UINT(listed.rows[0].digest[1], 0x23);
	CHECK_STR(listed.rows[1].name, "cpu_sim");
	for (size_t i = 0; i < strlen(good); i++) {
		memcpy(text, good, sizeof(good));
		text[i] = 'X';
		refused += host_listed_parse(&listed, text, strlen(text), "list", &error) == PTOWSP_PLUGIN_REFUSED;
		if (i >= 14 && text[i] != good[i] && good[i] != '\n' && listed.count != 2)
			CHECK_FAIL("byte %zu may be anything", i);
		listed.count = 2;
	}
	CHECK_UINT(refused, strlen(good) - 11); /* all but those within the comment, which # begins */
	host_listed_finish(&listed);
}
