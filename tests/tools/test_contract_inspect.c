/* SPDX-License-Identifier: MIT
 * test_contract_inspect.c - ptowsp-inspect on every package of the build: summary, listing, JSON there and back. */
#include "tests/contract/cli.h"

#include <stdlib.h>
#include <string.h>

#define EACH "for p in $P/*.pkg.zst $K/*.pkg.zst; do "

TEST(every_package_has_a_summary)
{
	REQUIRE_INT(cli(EACH "$B/ptowsp-inspect $p >s.txt || exit 1; test -s s.txt || exit 1; done; cat s.txt"), 0);
	CLI_OUT(0, "$B/ptowsp-inspect $K/levels.pkg.zst", "v10.0", "levels", "copy_64", "KREG", "WORK");
	CHECK_STR(cli_err, "");
}

/* Programs that --c prints hold names of packages as strings and in comments: one that ends a comment is no code, one that goes on in the next line neither. */
TEST(names_never_become_code)
{
	REQUIRE_INT(cli("printf '%s' '{\"schema\": \"ptowsp.package/1\", \"META\": {\"name\": \"x */ int evil(void); /* *?\?/\\n/\"}, "
			"\"WORK\": {\"instructions\": [[\"halt\"]]}, \"ENTR\": [{\"name\": \"main\", \"flags\": 1}]}' > e.json && "
			"$B/ptowsp-pack --from-json e.json -o e.pkg.zst"),
		    0);
	CLI_OUT(0, "$B/ptowsp-inspect --c e.pkg.zst", "\n/* x __ int evil(void); __ ______ */\nstatic void package_0(");
	CHECK(!strstr(cli_out, "/* x */"));
}

/* Defaults are printed as the source wrote them, in the summary and by --explain. */
TEST(defaults_are_numbers_of_their_type)
{
	static const char source[] =
		"cat > f.pto <<'END'\nsymbol %single : f32 = 1.1\nsymbol %wide : f64 = 1e300\nsymbol %half : f16 = 1.5\nsymbol %brain : bf16 = 2.5\n"
		"symbol %small : i8 = -3\nsymbol %large : u64 = 18446744073709551615\nslot %state : f32 = -0.25\ntensor %x : i32[1] inout\n"
		"workload @w {\n  copy %x[0 : 1, 1] -> %x[0]\n}\nEND\n$B/ptowsp-pack f.pto -o f.pkg.zst";

	REQUIRE_INT(cli(source), 0);
	REQUIRE_INT(cli("$B/ptowsp-inspect f.pkg.zst | sed -n '/^symbols/,/^$/p' | tr -s ' '"), 0);
	CHECK_STR(cli_out,
		  "symbols and slots: 7\n name kind type default\n brain symbol bf16 2.5\n half symbol f16 1.5\n large symbol u64 18446744073709551615\n"
		  " single symbol f32 1.1\n small symbol i8 -3\n state slot f32 -0.25\n wide symbol f64 1e+300\n\n");
	CLI_PRINTS(0, "$B/ptowsp-run --explain f.pkg.zst | grep 'symbol, ' | tr -s ' ' | sort",
		   " brain bf16 symbol, default 2.5, not used by this entry\n half f16 symbol, default 1.5, not used by this entry\n"
		   " large u64 symbol, default 18446744073709551615, not used by this entry\n single f32 symbol, default 1.1, not used by this entry\n"
		   " small i8 symbol, default -3, not used by this entry\n wide f64 symbol, default 1e+300, not used by this entry\n");
	CLI_ERR(0, "$B/ptowsp-run --set small=3 f.pkg.zst", "--set small has no effect: w does not read it");
	CLI_PRINTS(0, "$B/ptowsp-run --quiet --set small=3 f.pkg.zst 2>&1", "");
}

/* Of most instructions one. */
TEST(a_listing_says_what_each_instruction_does)
{
	static const char source[] = "tensor %x : u8[16, 64] inout\n"
				     "tensor %rows : i32[4] in\n"
				     "event %done\n"
				     "symbol %n : i32 = 3\n"
				     "slot %c : i64 = 0\n"
				     "kernel @k(%a: f32[4, 4] inout, %s: i32)\n"
				     "kernel @b(%a: u8[1, 8] inout)\n"
				     "workload @main {\n"
				     "  parallel_for %i in 0 to %n step 2 {\n"
				     "    %t = call @k(%a -> %x[%i, 0 : 4, 16] as f32, %s -> %i * 3 + 1)\n"
				     "    call @k(%a -> %x[0, 4 : 4, 16] as f32, %s -> 7) after data %t, soft 0\n"
				     "  }\n"
				     "  while %c < 4 {\n"
				     "    slot_set %c, %c + 1\n"
				     "    if %c == 2 {\n"
				     "      break\n"
				     "    } else {\n"
				     "      slot_load %c, %rows[0]\n"
				     "    }\n"
				     "  }\n"
				     "  combine { scope { call @b(%a -> %x[0, 0 : 1, 8]) } } { signal %done }\n"
				     "  sequential { wait %done } { barrier } { nop }\n"
				     "  for_each %j in ragged(4, %rows)[2] { fence device }\n"
				     "  notify 1, 2\n"
				     "}\n",
			  listing[] = "workload: instructions 35, axes 2, kernels 2, tensors 0\n"
				      "main: (default entry)\n"
				      "     0  parallel_for i = 0 .. n step 2 -> 9                       ; l.pto:9\n"
				      "     1    task k, 1 arguments, 1 tensors                          ; l.pto:10\n"
				      "     2      param_expr 0, i * 3 + 1\n"
				      "     3      io_inout 0, x[i, 0] 4 x 16 as f32\n"
				      "     4    task k, 1 arguments, 1 tensors                          ; l.pto:11\n"
				      "     5      param_const 0, 7\n"
				      "     6      io_inout 0, x[0, 4] 4 x 16 as f32\n"
				      "     7      after data, task - 1\n"
				      "     8      after soft, 0\n"
				      "     9  while c < 4                                               ; l.pto:13\n"
				      "    10    target -> 17\n"
				      "    11    slot_set c, c + 1                                       ; l.pto:14\n"
				      "    12    cond c == 2                                             ; l.pto:15\n"
				      "    13      target -> 16\n"
				      "    14      target -> 17\n"
				      "    15      break                                                 ; l.pto:16\n"
				      "    16      slot_load c, rows[0, 0] 1 x 1                         ; l.pto:18\n"
				      "    17  combine 2                                                 ; l.pto:21\n"
				      "    18    target -> 23\n"
				      "    19    target -> 24\n"
				      "    20    scope -> 23                                             ; l.pto:21\n"
				      "    21      task b, 0 arguments, 1 tensors                        ; l.pto:21\n"
				      "    22        io_inout 0, x[0, 0] 1 x 8\n"
				      "    23    signal done                                             ; l.pto:21\n"
				      "    24  sequential 3                                              ; l.pto:22\n"
				      "    25    target -> 29\n"
				      "    26    target -> 30\n"
				      "    27    target -> 31\n"
				      "    28    wait done                                               ; l.pto:22\n"
				      "    29    barrier                                                 ; l.pto:22\n"
				      "    30    nop                                                     ; l.pto:22\n"
				      "    31  for_each j in row 2 of 4 (ragged by rows) -> 33           ; l.pto:23\n"
				      "    32    fence device                                            ; l.pto:23\n"
				      "    33  notify 1, 2                                               ; l.pto:24\n"
				      "    34  halt\n"
				      "\n"
				      "kernel b (any)\n"
				      "  no payload: a registered or built-in C function serves it\n"
				      "\n"
				      "kernel k (any)\n"
				      "  no payload: a registered or built-in C function serves it\n";

	cli_begin();
	REQUIRE(check_write(check_fmt("%s/l.pto", check_tmp()), source, strlen(source)));
	CLI_PRINTS(0, "$B/ptowsp-pack l.pto -o l.pkg.zst && $B/ptowsp-inspect --disasm l.pkg.zst", listing);
}

TEST(every_package_has_a_listing)
{
	REQUIRE_INT(cli(EACH "$B/ptowsp-inspect --disasm $p >s.txt || exit 1; test -s s.txt || exit 1; done"), 0);
	CLI_OUT(0, "$B/ptowsp-inspect --disasm $K/levels.pkg.zst", "parallel_for", "task", "copy", "tload", "tstore", "halt");
}

TEST(every_package_verifies)
{
	cli_begin();
	/* "unclosed" and "six" are there for their warnings, which suite contract_pipeline looks at. */
	REQUIRE_INT(
		cli(EACH "$B/ptowsp-inspect --verify $p 2>err.txt || exit 1; case $p in */unclosed.pkg.zst|*/six.pkg.zst) ;; *) cat err.txt >&2 ;; esac; done"),
		0);
	CHECK_STR(cli_err, "");
}

TEST(every_package_has_a_json_form_that_packs_to_the_same_digests)
{
	char *list, *path;

	REQUIRE_INT(cli("ls $P/*.pkg.zst $K/*.pkg.zst"), 0);
	list = strdup(cli_out);
	for (path = strtok(list, "\n"); path; path = strtok(NULL, "\n")) {
		CHECK_INT(cli(check_fmt("$B/ptowsp-inspect --json '%s'", path)), 0);
		cli_json();
		if (cli(check_fmt("$B/ptowsp-inspect --json '%s' >a.json && $B/ptowsp-pack --from-json a.json -o again.pkg.zst &&"
				  " $B/ptowsp-inspect --json again.pkg.zst >b.json && cmp a.json b.json && cmp '%s' again.pkg.zst",
				  path, path)))
			CHECK_FAIL("%s: \"%s%s\"", path, cli_out, cli_err);
	}
	free(list);
}

/* In the text, and in files beside it. */
TEST(every_example_comes_back_from_its_source_with_its_data)
{
	CLI_PRINTS(0,
		   "for p in $P/*.pkg.zst; do $B/ptowsp-inspect --pto $p >a.pto && $B/ptowsp-pack a.pto --name $(basename $p .pkg.zst) -o a.pkg.zst && "
		   "cmp $p a.pkg.zst || exit 1; done",
		   "");
	CHECK_STR(cli_err, "");
	CLI_OUT(0, "mkdir flat && cp $P/*.pkg.zst flat && $B/ptowsp-inspect --pto --out sources flat", "\nsoftmax: ", "lines, 2 files of data\n");
	CHECK_INT(cli("$B/ptowsp-pack sources -o again >/dev/null && for p in flat/*; do cmp $p again/$(basename $p) || exit 1; done"), 0);
	CHECK_INT(cli("$B/ptowsp-pack sources/tiles.pto --data x=sources/tiles.x.npy -o twice.pkg.zst"), 2);
	CHECK_STR(cli_err, "ptowsp-pack: x has input data already; leave one of them out\n");
	CLI_OUT(3, "echo no package >flat/bad.pkg.zst; $B/ptowsp-inspect --pto --out sources flat", "bad: no source\n", "\nvector_add: ");
}

/* Packages of one name in several folders: their sources lie as they do. */
TEST(packages_of_several_folders_keep_their_places)
{
	CLI_OUT(0,
		"mkdir -p a/deep b && for f in a a/deep b; do $B/ptowsp-pack $S/scale.pto -o $f/x.pkg.zst && $B/ptowsp-pack $S/levels.pto -o "
		"$f/y.pkg.zst; done; "
		"$B/ptowsp-inspect --pto --out s a/ b/../b && find s -type f | sort",
		"a/deep/x: ", "\nb/y: ", "\ns/a/deep/x.pto\ns/a/deep/y.pto\ns/a/x.pto\ns/a/y.pto\ns/b/x.pto\ns/b/y.pto\n");
	CLI_OUT(0, "$B/ptowsp-inspect --pto --out t a/deep/x.pkg.zst b/x.pkg.zst a/deep/y.pkg.zst && find t -type f | sort",
		"\nt/a/deep/x.pto\nt/a/deep/y.pto\nt/b/x.pto\n");
	CLI_OUT(0, "$B/ptowsp-inspect --pto --out u a/deep && ls u", "\nx.pto\ny.pto\n");
	CHECK_INT(cli("$B/ptowsp-inspect --pto --out v a/x.pkg.zst a"), 2);
	CHECK_STR(cli_err, "ptowsp-inspect: a/x.pkg.zst and a/x.pkg.zst are one place, and what is made of them would be one file; name it once\n");
	CLI_ERR(2, "mkdir z && echo >z/deep; $B/ptowsp-inspect --pto --out z a", "z/deep");
	CHECK_CONTAINS(cli_out, "deep/x: no source\n");
}

TEST(a_package_from_json_runs_alike)
{
	REQUIRE_INT(cli("$B/ptowsp-inspect --json $K/vectors.pkg.zst >v.json && $B/ptowsp-pack --from-json v.json -o v.pkg.zst"), 0);
	CHECK_INT(cli("$B/ptowsp-run --entry overlap --stats=json --graph a.json v.pkg.zst >/dev/null &&"
		      " $B/ptowsp-run --entry overlap --graph b.json $K/vectors.pkg.zst && cmp a.json b.json"),
		  0);
}

TEST(an_example_that_wants_two_devices_says_so)
{
	CLI_ERR(2, "$B/ptowsp-run $P/two_devices.pkg.zst", ": this run has one device; give it more with --device=SEL,SEL\n");
	CHECK_INT(cli("$B/ptowsp-run --device=cpu0,cpu1 $P/two_devices.pkg.zst"), 0);
}

/* The result that a package expects of its own inputs is no limit for other ones. */
TEST(an_example_runs_on_more_than_its_sample_data)
{
	cli_begin();
	cli_npy_f32("x.npy", 464, 1, 1);
	REQUIRE_INT(cli("$B/ptowsp-pack --data x=x.npy --expected y=x.npy $R/tests/fuzz/source/softmax.pto -o rows.pkg.zst"), 0);
	REQUIRE_INT(cli("$B/ptowsp-run rows.pkg.zst --fill x=random --set total_rows=1000 --out y=y.npy"), 0);
	CHECK_INT(cli("head -c 128 y.npy | grep -aq \"'shape': (16000,)\""), 0);
	CLI_ERR(2, "$B/ptowsp-run rows.pkg.zst --set total_rows=1000", "its sample data has 464 elements");
}

/* Packs the JSON form as it now is: exit 0 and a package that runs or is refused, or a refusal without a package. */
static void pack_changed(json_t *root, const char *what)
{
	int status;

	REQUIRE_INT(json_dump_file(root, check_fmt("%s/c.json", getenv("T")), JSON_COMPACT), 0);
	status = cli("rm -f c.pkg.zst; $B/ptowsp-pack --from-json c.json -o c.pkg.zst; r=$?; test $r = 0 && exit 0; test -e c.pkg.zst && exit 99; exit $r");
	if (status == 0)
		status = cli("$B/ptowsp-run -q --set count=1 --fill src=ones --timeout-ms 3000 --max-tasks 1000 --max-memory 100000000 c.pkg.zst");
	if (status < 0 || status > 10 || (status && !*cli_err))
		CHECK_FAIL("%s: exit %d: \"%s\"", what, status, cli_err);
}

/* Every few numbers of the JSON form in turn become ones that fit nowhere. */
static unsigned change_numbers(json_t *root, json_t *at, unsigned seen)
{
	const char *key;
	json_t *item;
	size_t i;

	json_array_foreach(at, i, item) seen = change_numbers(root, item, seen);
	json_object_foreach(at, key, item) seen = change_numbers(root, item, seen);
	if (json_is_integer(at) && seen++ % 11 == 0 && seen < 900) {
		json_int_t old = json_integer_value(at);

		json_integer_set(at, 4294967295);
		pack_changed(root, check_fmt("number %u as 2^32 - 1", seen));
		json_integer_set(at, -1);
		pack_changed(root, check_fmt("number %u as -1", seen));
		json_integer_set(at, old);
	}
	return seen;
}

TEST(json_with_a_changed_number_is_refused_or_runs)
{
	json_t *root;

	REQUIRE_INT(cli("$B/ptowsp-inspect --json $K/levels.pkg.zst"), 0);
	root = json_loads(cli_out, 0, NULL);
	CHECK(change_numbers(root, root, 0) > 30);
	json_decref(root);
}

/* Every member of the top object in turn is left out. */
TEST(json_without_a_member_is_refused_or_runs)
{
	json_t *root, *copy, *item;
	const char *key;

	REQUIRE_INT(cli("$B/ptowsp-inspect --json $K/scale.pkg.zst"), 0);
	root = json_loads(cli_out, 0, NULL);
	json_object_foreach(root, key, item)
	{
		copy = json_deep_copy(root);
		json_object_del(copy, key);
		pack_changed(copy, key);
		json_object_set_new(copy, key, json_string("rubbish"));
		pack_changed(copy, key);
		json_decref(copy);
	}
	json_decref(root);
}

/* The file of its data once had a name that no file system takes, and the package's fault was one of usage. */
TEST(data_of_a_tensor_with_a_long_name_get_a_file)
{
	REQUIRE_INT(cli("n=$(printf 'x%.0s' $(seq 300)) && { echo \"tensor %$n : f32[64, 2] in\"; echo \"sample %$n input [64, 2] = [$(seq -s, 128)]\"; echo "
			"'workload @main { nop }'; }"
			" >long.pto && $B/ptowsp-pack long.pto -o long.pkg.zst"),
		    0);
	CLI_OUT(0, "$B/ptowsp-inspect --pto --out s long.pkg.zst && ls s", "long.0.npy\nlong.pto\n");
	CHECK_INT(cli("$B/ptowsp-pack s/long.pto -o again.pkg.zst && cmp long.pkg.zst again.pkg.zst"), 0);
}

/* The language cannot say such a name, and no line of anything begins with a part of it. */
TEST(names_never_become_lines)
{
	static const char *const commands[] = {"$B/ptowsp-inspect --pto e.pkg.zst",
					       "$B/ptowsp-inspect e.pkg.zst",
					       "$B/ptowsp-inspect --disasm e.pkg.zst",
					       "$B/ptowsp-run --stats e.pkg.zst",
					       "$B/ptowsp-run --explain e.pkg.zst",
					       "$B/ptowsp-inspect --json e.pkg.zst",
					       "$B/ptowsp-inspect --json e.pkg.zst $P/llama.pkg.zst",
					       "$B/ptowsp-run --stats=json e.pkg.zst",
					       "$B/ptowsp-run --explain --json e.pkg.zst",
					       "$B/ptowsp-run --graph g.json --trace t.json e.pkg.zst && cat g.json t.json"};
	/* As long as they were, because code of kernels names its strings by their places. */
	static const char *const edits[] = {"s/\"softmax\"/\"a\\\\nptows\"/g", "s/\"total_rows\"/\"y\\\\nptowsp-r\"/g", "s/\"row_max\"/\"r\\\\u009b31mx\"/g",
					    "s/\"row_max\"/\"r\\\\u202emax\"/g"};

	for (size_t i = 0; i < sizeof(edits) / sizeof(*edits); i++) {
		cli_begin();
		REQUIRE_INT(cli(check_fmt("$B/ptowsp-inspect --json $P/softmax.pkg.zst | sed '%s' >e.json && $B/ptowsp-pack --from-json e.json -o e.pkg.zst",
					  edits[i])),
			    0);
		for (size_t k = 0; k < sizeof(commands) / sizeof(*commands); k++) {
			const int status = cli(commands[k]);

			if (status == 3 || status > 5 || strstr(cli_out, "\nptows") || strstr(cli_out, "\xc2\x9b") || strstr(cli_out, "\xe2\x80\xae"))
				CHECK_FAIL("%s, edit %zu: %d, %s", commands[k], i, status, cli_out);
		}
	}
}
