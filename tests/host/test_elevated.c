/* SPDX-License-Identifier: MIT
 * test_elevated.c - programs with elevated privileges (file capabilities, which set AT_SECURE): nobody who starts them steers them by variables of the environment, folders or
 * plugins of his own. Needs root, who gives the capabilities and is not one who gains anything by them: everything is run as the user 65534. */
#include "tests/contract/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Everybody may enter $T, which is as the test makes it below the build. $E are the programs with capabilities, $N the same without, $S the system's folders that they have
 * been compiled with. */
#define AS_NOBODY "setpriv --reuid=65534 --regid=65534 --clear-groups env "
static bool ready;

static void begin(void)
{
	const char *folder = check_fmt("%s/test/elevated", check_build());

	cli_begin();
	ready = false;
	if (check_sanitizer()[0])
		CHECK_SKIP("sanitizers have runtimes that read the environment themselves");
	if (geteuid())
		CHECK_SKIP("only root can give programs file capabilities");
	setenv("S", folder, 1);
	setenv("E", check_fmt("%s/e", getenv("T")), 1);
	setenv("N", check_fmt("%s/n", getenv("T")), 1);
	if (cli("mkdir e n && cp $S/bin/* $B/ptowsp-inspect e && cp e/* n && setcap cap_chown+ep e/run && setcap cap_chown+ep e/variables"
		" && setcap cap_chown+ep e/ptowsp-inspect && setcap cap_chown+ep e/ptowsp-pack"))
		CHECK_SKIP("setcap does not work here");
	if (cli(AS_NOBODY "$E/variables") || strncmp(cli_out, "secure 1\n", 9) != 0)
		CHECK_SKIP("file capabilities take no effect in this folder, or user 65534 cannot enter it");
	REQUIRE_INT(cli("rm -rf $S/plugins $S/trust && mkdir -p $S/plugins $S/trust && $B/ptowsp-pack --make-key ann && cp ann.pub $S/trust"), 0);
	REQUIRE_INT(cli("mkdir p keys && cp $B/../lib/ptowsp/plugins/*.so p && $B/ptowsp-pack --make-key eve && cp eve.pub keys && sha256sum p/*.so | sed "
			"'s/p.libptowsp_//; s/.so$//' >keys/plugins.list"),
		    0);
	ready = true;
}
#define BEGIN()                                                                                                                                                \
	do {                                                                                                                                                   \
		begin();                                                                                                                                       \
		if (!ready)                                                                                                                                    \
			return;                                                                                                                                \
	} while (0)

/* Every variable that code of the tree reads, by the names in it. */
#define VARIABLES                                                                                                                                              \
	"PTOWSP_PLUGIN_PATH PTOWSP_TRUST_DIR CC TMPDIR CXX HOME XDG_CACHE_HOME XILINX_XRT PEANO_INSTALL_DIR PATH LD_LIBRARY_PATH ASCEND_HOME_PATH PB_QUIET_S " \
	"PTOWSP_SHARED PTO_RUNTIME_DIR PTOWSP_CC STARPU_OPENCL_ON_CPUS STARPU_HOME STARPU_HOSTNAME STARPU_SCHED"
TEST(no_variable_is_read)
{
	static const char *const set = "for v in " VARIABLES "; do [ $v = PATH ] || [ $v = LD_LIBRARY_PATH ] || export $v=/x; done; " AS_NOBODY;

	BEGIN();
	CLI_OUT(0, check_fmt("%s $N/variables " VARIABLES, set), ", HOME there\n",
		"secure 0 PTOWSP_PLUGIN_PATH=/x PTOWSP_TRUST_DIR=/x CC=/x TMPDIR=/x CXX=/x HOME=/x XDG_CACHE_HOME=/x XILINX_XRT=/x "
		"PEANO_INSTALL_DIR=/x PATH=/");
	CLI_PRINTS(0, check_fmt("%s $E/variables " VARIABLES, set), "secure 1\nPATH /usr/bin:/bin, HOME not there\n");
}

/* So that the list above is all of them, and nothing reads one in another way. */
TEST(programs_and_libraries_read_variables_in_the_secure_way_only)
{
	cli_begin();
	if (check_sanitizer()[0])
		CHECK_SKIP("sanitizers have runtimes that read the environment themselves");
	CLI_PRINTS(0,
		   "for f in $B/ptowsp-run $B/ptowsp-pack $B/ptowsp-inspect $B/ptowsp-bench $B/ptowsp-aie $B/../lib/*.so* $B/../lib/ptowsp/ptowsp-worker "
		   "$B/../lib/ptowsp/plugins/*.so; do"
		   " nm -D --undefined-only $f | grep -qw getenv && echo $f; done; true",
		   "");
	CHECK_INT(cli("cd $R && grep -rhoE --include=*.c '(secure_getenv|reg_variable|base_command_begin)\\([^)]*\"[A-Z_]+\"' host registry tools plugins "
		      "packages"
		      " | grep -oE '\"[A-Z_]+\"' | tr -d '\"' | sort -u | tr '\\n' ' '"),
		  0);
	for (char *at = strtok(cli_out, " "); at; at = strtok(NULL, " "))
		if (!strstr(VARIABLES, at))
			CHECK_FAIL("%s is read, and no test shows what it does with elevated privileges", at);
}

#define RUN(program, arguments) AS_NOBODY "PTOWSP_PLUGIN_PATH=$T/p PTOWSP_TRUST_DIR=$T/keys " program " --isolate=none " arguments

TEST(folders_of_plugins_are_the_system_s)
{
	BEGIN();
	CLI_OUT(0, RUN("$N/run", "--list-plugins --plugin-dir $T/keys --user-plugins"),
		check_fmt("searched: %s/keys %s/plugins %s/p /", getenv("T"), getenv("S"), getenv("T")));
	CLI_OUT(0, RUN("$E/run", "--list-plugins --plugin-dir $T/keys --user-plugins"), check_fmt("searched: %s/plugins\n", getenv("S")),
		"not used under elevated privileges");
	CHECK_INT(cli(RUN("$N/run", "--plugin=$T/p/libptowsp_cpu_sim.so $P/vector_add.pkg.zst")), 0);
	CLI_ERR(4, RUN("$E/run", "--plugin=$T/p/libptowsp_cpu_sim.so $P/vector_add.pkg.zst"),
		"not under elevated privileges; only the system's plugins by name");
}

/* The folder of compiled code is the user's. */
#define KEEPER "XDG_CACHE_HOME=$T/cache HOME=$T "
TEST(nothing_that_was_compiled_is_kept_or_found)
{
	static const char scale[] = "--plugin=keeper -v --set count=1 $K/scale.pkg.zst";

	BEGIN();
	CHECK_INT(cli("cp $B/../test/keeper/*.so $S/plugins && sha256sum $S/plugins/*.so | sed 's/[^ ]*.libptowsp_//; s/.so$//' >$S/trust/plugins.list && "
		      "mkdir cache && chown 65534 cache"),
		  0);
	CLI_ERR(0, check_fmt(AS_NOBODY KEEPER "$E/run --isolate=none %s", scale), "keeper: compiled");
	CHECK_INT(cli("test -z \"$(ls cache)\""), 0);
	CLI_ERR(0, check_fmt(AS_NOBODY KEEPER "$N/run --isolate=none %s", scale), "is kept for the next load");
	CLI_ERR(0, check_fmt(AS_NOBODY KEEPER "$E/run --isolate=none %s", scale), "keeper: compiled");
	CLI_ERR(0, check_fmt(AS_NOBODY KEEPER "$N/run --isolate=none %s", scale), "keeper: found");
}

/* Beside a list and keys of the user's own, which say that everything may load. */
TEST(plugins_must_be_listed_or_signed_by_the_system)
{
	static const char *const asked[] = {"", "--plugin-trust=any", "--plugin-trust=listed"};

	BEGIN();
	CHECK_INT(cli("cp p/*.so $S/plugins; $B/ptowsp-pack --sign=eve $S/plugins/libptowsp_cpu_sim.so"), 0);
	CHECK_INT(cli(RUN("$N/run", "$P/vector_add.pkg.zst")), 0);
	for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
		CLI_ERR(4, check_fmt(RUN("$E/run", "%s --trust-dir $T/keys $P/vector_add.pkg.zst"), asked[i]), "no plugins.list of the trust folders has");
	}
	CLI_ERR(4, RUN("$E/run", "--plugin-trust=signed --trust-dir $T/keys $P/vector_add.pkg.zst"), ", which is no trusted key");
	CHECK_INT(cli("cp keys/plugins.list $S/trust && " RUN("$E/run", "$P/vector_add.pkg.zst")), 0);
	CLI_OUT(0, RUN("$E/run", "--explain $P/vector_add.pkg.zst"), "trust in the plugin: in a list");
	CHECK_INT(cli("$B/ptowsp-pack --sign=ann $S/plugins/libptowsp_cpu_sim.so && " RUN("$E/run", "--plugin-trust=signed $P/vector_add.pkg.zst")), 0);
}

/* The owner of a folder above the program could replace the program, so gains nothing by a plugin; with elevated privileges there is something to gain. */
TEST(the_owner_of_the_program_is_nobody_there)
{
	BEGIN();
	CHECK_INT(cli("cp p/*.so $S/plugins && cp keys/plugins.list $S/trust && chown 12345 $S/plugins/libptowsp_cpu_sim.so && chown 12345 $T/e $T/n"), 0);
	CHECK_INT(cli(RUN("$N/run", "$P/vector_add.pkg.zst")), 0);
	CLI_ERR(4, RUN("$E/run", "$P/vector_add.pkg.zst"), "plugin file belongs to another user");
	CHECK_INT(cli("chown root $S/plugins/libptowsp_cpu_sim.so && " RUN("$E/run", "$P/vector_add.pkg.zst")), 0);
}

TEST(keys_are_the_system_s)
{
	BEGIN();
	CHECK_INT(cli("cp $P/vector_add.pkg.zst v.pkg.zst && $B/ptowsp-pack --sign=eve v.pkg.zst"), 0);
	CHECK_INT(cli(AS_NOBODY "PTOWSP_TRUST_DIR=$T/keys $N/ptowsp-inspect --verify --trust=signed v.pkg.zst"), 0);
	CLI_OUT(3, AS_NOBODY "PTOWSP_TRUST_DIR=$T/keys $E/ptowsp-inspect --verify --trust=signed --trust-dir $T/keys v.pkg.zst", ", which is no trusted key");
}

/* What these backends say about where they looked: paths of variables are not among it. */
TEST(backends_read_no_variable_either)
{
	static const char *const variables = "XILINX_XRT=/user/xrt PEANO_INSTALL_DIR=/user/peano ASCEND_HOME_PATH=/user/ascend";

	BEGIN();
	CHECK_INT(cli("cp p/*.so $S/plugins && cp keys/plugins.list $S/trust"), 0);
	for (int elevated = 0; elevated < 2; elevated++) {
		const char *program = elevated ? "$E/run" : "$N/run";
		bool seen;

		CHECK_INT(cli(check_fmt(AS_NOBODY "%s %s --isolate=none --plugin=aie --opt engine=device $P/vector_add.pkg.zst", variables, program)), 8);
		seen = strstr(cli_err, "/user/xrt") && strstr(cli_err, "/user/peano");
		CHECK(seen == !elevated);
		CHECK(!elevated || !strstr(cli_err, "/user/"));
		CHECK_INT(cli(check_fmt(AS_NOBODY "%s %s --isolate=none --plugin=a2a3 $P/vector_add.pkg.zst", variables, program)), 8);
		CHECK((strstr(cli_err, "/user/ascend") != NULL) == !elevated);
	}
}

TEST(the_packer_calls_no_compiler_of_the_user_s)
{
	BEGIN();
	CHECK_INT(cli("chmod 777 . && cp $R/packages/examples/vector_add.pto ."), 0);
	CLI_ERR(8, AS_NOBODY "CC=/user/cc $N/ptowsp-pack --native vector_add.pto -o n.pkg.zst", "/user/cc");
	CHECK_INT(cli(AS_NOBODY "CC=/user/cc TMPDIR=/user/tmp $E/ptowsp-pack --native vector_add.pto -o e.pkg.zst"), 0);
}
