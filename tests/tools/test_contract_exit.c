/* SPDX-License-Identifier: MIT
 * test_contract_exit.c - wrong input of every kind: the exit code of the table, one sentence that names the thing and helps, and
 * nothing half-written. */
#include "tests/contract/cli.h"

#include <stdlib.h>
#include <string.h>

struct refusal {
	const char *name;
	const char *prepare; /* before the listing is taken; may be NULL */
	const char *command;
	int status;
	const char *says[4]; /* what the sentence must contain */
};

/* $IN is a bound, $RUN a complete command line of ptowsp-run on the scale kernel, but for what the case adds. */
#define GOOD    "--in src=src.npy --set count=2 --out dst=old.npy "
#define SCALE   "$K/scale.pkg.zst"
#define VECTORS "$K/vectors.pkg.zst"

/* A source of its own, o.pto: eight lines, and what goes outside of the tensor behind them. */
#define OUTSIDE                                                                                                                                                \
	"cat >o.pto <<'END'\nsymbol %n : u64 = 1\nslot %s : u64 = 0\ntensor %x : f32[16, 8] inout\nfunc @one(%x: !pto.memref<gm,...,f32>) {\n"                 \
	"  %t = alloc_tile : !pto.tile<8x8xf32>\n  %t = tload %x[0, 0]\n  tstore %t, %x[0, 0]\n}\n"
#define PIPE(row)                                                                                                                                              \
	"channel %c : payload f32[8, 8] capacity 1\nprocess @from produces(%c) {\n parallel_for %i in 0 to %n {\n"                                             \
	"  send %c, %i from %x[%i * 8, 0]\n }\n}\nprocess @to consumes(%c) {\n consume %c as %i into %x[%i * 8 + " row ", 0] { }\n}\nEND\n"
#define PACK_OUTSIDE "$B/ptowsp-pack o.pto -o o.pkg.zst"

#define EXTENT(extent)                                                                                                                                         \
	"cat >o.pto <<'END'\nsymbol %n : u64 = 1\ntensor %x : f32[" extent ", 8] inout\nfunc @one(%x: !pto.memref<gm,...,f32>) {\n"                            \
	"  %t = alloc_tile : !pto.tile<1x8xf32>\n  %t = tload %x[0, 0]\n  tstore %t, %x[0, 0]\n}\nworkload @main {\n call @one(%x -> %x[0, "                   \
	"0])\n}\nEND\n" PACK_OUTSIDE

static const struct refusal refusals[] = {
	/* 1: kernel or run error */
	{"a_bound_divided_by_zero_is_a_run_error_with_its_line",
	 NULL,
	 "$B/ptowsp-run --entry quotient --set n=6 --set d=0 --out a=old.npy " VECTORS,
	 1,
	 {"zero", "(vectors.pto:155:3)"}},
	{"the_same_without_kernels",
	 NULL,
	 "$B/ptowsp-run --no-kernels --entry quotient --set n=6 --set d=0 --graph old.json --stats=json " VECTORS,
	 1,
	 {"zero"}},
	{"a_tile_beyond_the_bound_file_is_an_error", NULL, "$B/ptowsp-run --in src=src.npy --set count=3 --out dst=old.npy " SCALE, -1, {"src"}},
	{"a_kernel_that_divides_by_zero_names_kernel_and_line",
	 NULL,
	 "$B/ptowsp-run --entry halves --set n=6 --set d=0 --out dst=old.npy $K/control.pkg.zst",
	 1,
	 {"halves", "by 0", "line 89"}},
	{"a_task_outside_of_its_tensor_has_its_line",
	 OUTSIDE "workload @task {\n call @one(%x -> %x[%n * 8, 0])\n}\nEND\n" PACK_OUTSIDE,
	 "$B/ptowsp-run --set n=3 o.pkg.zst",
	 1,
	 {"o.pto:10:2: task 0, kernel one, touches 8 x 8 elements at 24, 0 of tensor x, which is 16 x 8; n is 3"}},
	{"a_slot_load_outside_has_its_line",
	 OUTSIDE "workload @load {\n slot_load %s, %x[%n * 8, 0]\n}\nEND\n" PACK_OUTSIDE,
	 "$B/ptowsp-run --set n=3 o.pkg.zst",
	 1,
	 {"o.pto:10:2: slot_load before task 0 touches 1 x 1 elements at 24, 0 of tensor x, which is 16 x 8"}},
	{"what_is_sent_from_outside_has_its_line",
	 OUTSIDE PIPE("0") PACK_OUTSIDE,
	 "$B/ptowsp-run --set n=3 o.pkg.zst",
	 1,
	 {"o.pto:12:3: process from, channel c: 8 x 8 elements at 16, 0 are outside tensor x, which is 16 x 8"}},
	{"what_is_consumed_to_outside_has_its_line",
	 OUTSIDE PIPE("9") PACK_OUTSIDE,
	 "$B/ptowsp-run o.pkg.zst",
	 1,
	 {"o.pto:16:2: process to, channel c: 8 x 8 elements at 9, 0 are outside tensor x, which is 16 x 8"}},
	/* 3: package refused, though its tensor has no shape, and who asks could give one */
	{"an_index_beyond_every_tensor_is_the_package_s_fault",
	 "cat >o.pto <<'END'\nfunc @far(%x: !pto.memref<gm,...,f32>) {\n  %t = alloc_tile : !pto.tile<8x8xf32>\n"
	 "  %t = tload %x[71776119061217280, 0]\n  tstore %t, %x[0, 0]\n}\nEND\n" PACK_OUTSIDE,
	 "$B/ptowsp-run o.pkg.zst",
	 3,
	 {"o.pto:1:6: task 0, kernel far, touches tensor", "at element 2^61 or behind it"}},
	/* 2: usage */
	{"no_arguments_are_a_usage_error", NULL, "$B/ptowsp-run", 2, {"PACKAGE", "--help"}},
	{"an_unknown_flag_is_named", NULL, "$B/ptowsp-run --frobnicate " SCALE, 2, {"--frobnicate"}},
	{"a_misspelt_flag_gets_a_suggestion", NULL, "$B/ptowsp-run --schedul deps=explicit " SCALE, 2, {"--schedul", "--schedule"}},
	{"an_unknown_short_flag_is_named", NULL, "$B/ptowsp-run -Z " SCALE, 2, {"-Z"}},
	{"a_flag_without_its_value_is_named", NULL, "$B/ptowsp-run " SCALE " --in", 2, {"--in"}},
	{"a_flag_with_a_value_it_does_not_take_is_named", NULL, "$B/ptowsp-run --no-kernels=yes " SCALE, 2, {"--no-kernels"}},
	{"a_flag_that_took_the_package_is_named", NULL, "$B/ptowsp-run --trace " SCALE, 2, {"no PACKAGE is named", "the value of --trace"}},
	{"an_empty_value_is_none", NULL, "$B/ptowsp-run --device= " SCALE, 2, {"--device needs a value: SEL"}},
	{"a_pair_says_what_of", NULL, "$B/ptowsp-run --in x " SCALE, 2, {"--in \"x\" is not NAME=FILE.npy"}},
	{"a_number_that_is_too_large_is_said_to_be", NULL, "$B/ptowsp-run --max-tasks 99999999999999999999 " SCALE, 2, {"is more than 18446744073709551615"}},
	{"two_things_to_do_are_one_too_many", NULL, "$B/ptowsp-run --capabilities --devices", 2, {"--capabilities and --devices are two things to do"}},
	{"a_list_takes_no_package", NULL, "$B/ptowsp-run --list-plugins " SCALE, 2, {"--list-plugins takes no package"}},
	{"a_matrix_takes_no_package", NULL, "$B/ptowsp-run --capabilities " SCALE, 2, {"--capabilities takes no package"}},
	{"a_list_has_no_trace", NULL, "$B/ptowsp-run --list-plugins --trace x", 2, {"--trace belongs to a run, and --list-plugins runs no package"}},
	{"a_limit_of_a_sandbox_alone_is_refused", NULL, "$B/ptowsp-run --sandbox-memory 1000000 " SCALE, 2, {"go with --isolate=sandbox, not alone"}},
	{"pack_with_an_empty_value_says_so", NULL, "$B/ptowsp-pack --output= $S/scale.pto", 2, {"--output needs a value: PATH"}},
	{"a_key_without_a_name_says_so", NULL, "$B/ptowsp-pack --sign= " SCALE, 2, {"--sign needs a value: KEY"}},
	{"verify_alone_says_where_it_belongs", NULL, "$B/ptowsp-run --verify", 2, {"--verify goes with --capabilities"}},
	{"an_order_without_auto_is_a_usage_error", NULL, "$B/ptowsp-run --plugin-order aie,cpu_sim " SCALE, 2, {"--plugin-order goes with --plugin=auto"}},
	{"pack_without_a_value_says_so", NULL, "$B/ptowsp-pack $S/scale.pto -o", 2, {"-o needs a value"}},
	{"pack_with_a_value_that_nothing_takes_says_so", NULL, "$B/ptowsp-pack --strict=1 $S/scale.pto -o new.pkg.zst", 2, {"--strict takes no value"}},
	{"a_second_package_is_a_usage_error", NULL, "$B/ptowsp-run " SCALE " " VECTORS, 2, {"vectors.pkg.zst"}},
	{"an_unknown_option_of_the_plugin_is_listed", NULL, "$B/ptowsp-run --opt frob=1 " GOOD SCALE, 2, {"frob", "opt_level"}},
	{"an_option_out_of_range_is_refused", NULL, "$B/ptowsp-run --opt opt_level=9 " GOOD SCALE, 2, {"opt_level", "9"}},
	{"an_option_without_a_value_is_refused", NULL, "$B/ptowsp-run --opt opt_level " GOOD SCALE, 2, {"opt_level", "="}},
	{"an_unknown_tensor_gets_a_suggestion", NULL, "$B/ptowsp-run --in scr=src.npy --set count=2 " SCALE, 2, {"scr", "src"}},
	{"an_unknown_tensor_to_fill_gets_a_suggestion", NULL, "$B/ptowsp-run --fill dts=ones --set count=2 " SCALE, 2, {"dts", "dst"}},
	{"an_unknown_tensor_to_write_gets_a_suggestion", NULL, "$B/ptowsp-run --in src=src.npy --set count=2 --out dts=new.npy " SCALE, 2, {"dts", "dst"}},
	{"an_unknown_tensor_to_compare_gets_a_suggestion", NULL, "$B/ptowsp-run --in src=src.npy --set count=2 --expect dts=src.npy " SCALE, 2, {"dts", "dst"}},
	{"an_unknown_symbol_gets_a_suggestion", NULL, "$B/ptowsp-run --in src=src.npy --set cuont=2 " SCALE, 2, {"cuont", "count"}},
	{"an_unset_symbol_is_named_with_its_option", NULL, "$B/ptowsp-run --in src=src.npy --out dst=old.npy " SCALE, 2, {"count", "--set"}},
	{"an_unset_symbol_without_kernels_too", NULL, "$B/ptowsp-run --no-kernels --entry loop " VECTORS, 2, {"n", "--set"}},
	{"a_package_without_anything_to_run_is_told_as_that",
	 "echo 'tensor %x : f32[4] in' >none.pto && $B/ptowsp-pack none.pto -o none.pkg.zst",
	 "$B/ptowsp-run none.pkg.zst",
	 2,
	 {"nothing in the package can be run"}},
	{"an_unknown_entry_gets_a_suggestion", NULL, "$B/ptowsp-run --entry mixt " VECTORS, 2, {"mixt", "mixed"}},
	{"a_symbol_that_is_no_number_is_refused", NULL, "$B/ptowsp-run --in src=src.npy --set count=two " SCALE, 2, {"count", "two"}},
	{"a_symbol_with_rubbish_behind_is_refused", NULL, "$B/ptowsp-run --in src=src.npy --set count=2x " SCALE, 2, {"count", "2x"}},
	{"a_symbol_too_large_for_64_bits_is_refused",
	 NULL,
	 "$B/ptowsp-run --in src=src.npy --set count=99999999999999999999 " SCALE,
	 2,
	 {"count", "99999999999999999999"}},
	{"a_symbol_too_large_for_its_type_is_refused", NULL, "$B/ptowsp-run --in src=src.npy --set count=5000000000 " SCALE, 2, {"count", "5000000000"}},
	{"a_symbol_without_a_value_is_refused", NULL, "$B/ptowsp-run --in src=src.npy --set count " SCALE, 2, {"count"}},
	{"a_symbol_beyond_what_is_computed_with_is_refused",
	 OUTSIDE "workload @main {\n parallel_for %i in 0 to %n {\n  call @one(%x -> %x[0, 0])\n }\n}\nEND\n" PACK_OUTSIDE,
	 "$B/ptowsp-run --set n=18446744073709551615 o.pkg.zst",
	 2,
	 {"\"n\" is 18446744073709551615; what a workload computes with is at most 2^63 - 1"}},
	{"an_extent_beyond_64_bits_is_refused", EXTENT("%n * 8"), "$B/ptowsp-run --set n=2305843009213693952 o.pkg.zst", 2, {"extent 0 is beyond 2^63 - 1"}},
	{"an_extent_shifted_beyond_64_bits_is_refused", EXTENT("1 << %n"), "$B/ptowsp-run --set n=63 o.pkg.zst", 2, {"extent 0 is beyond 2^63 - 1"}},
	{"an_extent_divided_by_zero_says_just_that", EXTENT("64 / %n"), "$B/ptowsp-run --set n=0 o.pkg.zst", 2, {"\"x\": extent 0 divides by zero\n"}},
	{"an_empty_value_is_refused", NULL, "$B/ptowsp-run --in src=src.npy --set count= " SCALE, 2, {"count"}},
	{"a_binding_without_a_file_is_refused", NULL, "$B/ptowsp-run --in src --set count=2 " SCALE, 2, {"src"}},
	{"a_missing_file_is_named", NULL, "$B/ptowsp-run --in src=nowhere.npy --set count=2 --out dst=old.npy " SCALE, 2, {"nowhere.npy", "src"}},
	{"a_missing_expectation_is_named",
	 NULL,
	 "$B/ptowsp-run --in src=src.npy --set count=2 --out dst=old.npy --expect dst=nowhere.npy " SCALE,
	 2,
	 {"nowhere.npy"}},
	{"a_missing_package_is_named", NULL, "$B/ptowsp-run nowhere.pkg.zst", 2, {"nowhere.pkg.zst"}},
	{"a_folder_instead_of_a_package_is_named", NULL, "$B/ptowsp-run /tmp", -1, {"/tmp"}},
	{"a_file_of_another_dtype_is_refused_naming_both", NULL, "$B/ptowsp-run --in src=ints.npy --set count=2 " SCALE, 2, {"src", "f32", "i32"}},
	{"a_file_in_big_endian_is_refused", NULL, "$B/ptowsp-run --in src=big.npy --set count=2 " SCALE, 2, {"big.npy", ">f4"}},
	{"a_file_in_fortran_order_is_refused", NULL, "$B/ptowsp-run --in src=fortran.npy --set count=2 " SCALE, 2, {"fortran.npy", "ortran"}},
	{"a_truncated_npy_is_refused_with_sizes",
	 "head -c 180 src.npy >cut.npy",
	 "$B/ptowsp-run --in src=cut.npy --set count=2 --out dst=old.npy " SCALE,
	 2,
	 {"cut.npy"}},
	{"an_npy_cut_in_its_header_is_refused", "head -c 60 src.npy >cut.npy", "$B/ptowsp-run --in src=cut.npy --set count=2 " SCALE, 2, {"cut.npy"}},
	{"an_empty_npy_is_refused", ": >cut.npy", "$B/ptowsp-run --in src=cut.npy --set count=2 " SCALE, 2, {"cut.npy"}},
	{"a_text_file_named_npy_is_refused", "echo 1 2 3 >cut.npy", "$B/ptowsp-run --in src=cut.npy --set count=2 " SCALE, 2, {"cut.npy"}},
	{"an_npy_with_bytes_behind_is_refused", "{ cat src.npy; echo more; } >cut.npy", "$B/ptowsp-run --in src=cut.npy --set count=2 " SCALE, 2, {"cut.npy"}},
	{"an_npy_whose_shape_overflows_is_refused",
	 "LC_ALL=C sed 's/(32,), } \\{19\\}/(4294967296, 4294967296), }/' src.npy >cut.npy",
	 "$B/ptowsp-run --in src=cut.npy --set count=2 " SCALE,
	 2,
	 {"cut.npy", "shape"}},
	{"an_expectation_of_another_shape_is_refused",
	 NULL,
	 "$B/ptowsp-run --in src=src.npy --set count=2 --fill dst=zeros --expect dst=short.npy --out dst=old.npy " SCALE,
	 2,
	 {"dst"}},
	{"an_expectation_of_another_dtype_is_refused",
	 NULL,
	 "$B/ptowsp-run --in src=src.npy --set count=2 --expect dst=ints.npy --out dst=old.npy " SCALE,
	 2,
	 {"dst", "i32"}},
	{"a_tensor_whose_touches_depend_on_data_needs_a_shape",
	 "$B/ptowsp-pack $S/data.pto -o data.pkg.zst",
	 "$B/ptowsp-run --in src=src.npy --out dst=old.npy data.pkg.zst",
	 2,
	 {"dst", "depends on data", "--expect"}},
	{"an_unknown_fill_lists_the_kinds", NULL, "$B/ptowsp-run --fill src=noise --set count=2 " SCALE, 2, {"noise", "zeros", "random"}},
	{"a_seed_that_is_no_number_is_refused", NULL, "$B/ptowsp-run --fill src=random:x --set count=2 " SCALE, 2, {"random"}},
	{"a_tensor_bound_twice_is_refused", NULL, "$B/ptowsp-run --in src=src.npy --fill src=ones --set count=2 --out dst=old.npy " SCALE, 2, {"src"}},
	{"an_unknown_directive_lists_what_there_is", NULL, "$B/ptowsp-run --schedule frob=1 " GOOD SCALE, 2, {"frob", "dispatch"}},
	{"an_unknown_policy_lists_what_there_is", NULL, "$B/ptowsp-run --schedule deps=frob " GOOD SCALE, 2, {"frob", "tensor_map_exact"}},
	{"a_directive_without_a_value_is_refused", NULL, "$B/ptowsp-run --schedule deps " GOOD SCALE, 2, {"deps"}},
	{"a_directive_with_an_empty_value_is_refused", NULL, "$B/ptowsp-run --schedule hazards= " GOOD SCALE, 2, {"hazards"}},
	{"a_window_that_is_no_number_is_refused", NULL, "$B/ptowsp-run --schedule task_window=many " GOOD SCALE, 2, {"task_window", "many"}},
	{"a_negative_window_is_refused", NULL, "$B/ptowsp-run --schedule task_window=-1 " GOOD SCALE, 2, {"task_window", "-1"}},
	{"no_executors_are_a_usage_error", NULL, "$B/ptowsp-run --schedule 'dispatch=round_robin(0)' " GOOD SCALE, 2, {"dispatch", "0"}},
	{"negative_executors_are_a_usage_error", NULL, "$B/ptowsp-run --schedule 'dispatch=work_steal(-2)' " GOOD SCALE, 2, {"dispatch", "-2"}},
	{"a_policy_without_its_argument_is_refused", NULL, "$B/ptowsp-run --schedule dispatch=round_robin " GOOD SCALE, 2, {"round_robin"}},
	{"a_policy_with_too_many_arguments_is_refused", NULL, "$B/ptowsp-run --schedule 'dispatch=round_robin(1,2)' " GOOD SCALE, 2, {"round_robin"}},
	{"an_unclosed_parenthesis_is_refused", NULL, "$B/ptowsp-run --schedule 'dispatch=round_robin(4' " GOOD SCALE, 2, {"round_robin"}},
	{"text_behind_a_parenthesis_is_refused", NULL, "$B/ptowsp-run --schedule 'dispatch=round_robin(4)x' " GOOD SCALE, 2, {"round_robin"}},
	{"a_depth_of_zero_is_a_usage_error", NULL, "$B/ptowsp-run --schedule pipeline_depth=0 " GOOD SCALE, 2, {"pipeline_depth"}},
	{"a_huge_argument_is_refused", NULL, "$B/ptowsp-run --schedule 'dispatch=round_robin(99999999999999999999)' " GOOD SCALE, 2, {"dispatch"}},
	{"threads_that_are_no_number_are_refused", NULL, "$B/ptowsp-run --threads many " GOOD SCALE, 2, {"--threads", "many"}},
	{"negative_threads_are_refused", NULL, "$B/ptowsp-run --threads -1 " GOOD SCALE, 2, {"--threads"}},
	{"no_runs_are_refused", NULL, "$B/ptowsp-run --runs 0 " GOOD SCALE, 2, {"--runs"}},
	{"a_timeout_that_is_no_number_is_refused", NULL, "$B/ptowsp-run --timeout-ms soon " GOOD SCALE, 2, {"--timeout-ms", "soon"}},
	{"a_memory_limit_that_is_no_number_is_refused", NULL, "$B/ptowsp-run --max-memory much " GOOD SCALE, 2, {"--max-memory", "much"}},
	{"a_task_limit_that_is_no_number_is_refused", NULL, "$B/ptowsp-run --max-tasks some " GOOD SCALE, 2, {"--max-tasks", "some"}},
	{"a_tolerance_that_is_no_number_is_refused", NULL, "$B/ptowsp-run --rtol x --expect dst=src.npy " GOOD SCALE, 2, {"--rtol"}},
	{"a_tolerance_with_a_blank_is_refused", NULL, "$B/ptowsp-run --rtol ' 1' --expect dst=src.npy " GOOD SCALE, 2, {"--rtol \" 1\" is no number"}},
	{"a_tolerance_with_a_sign_is_refused", NULL, "$B/ptowsp-run --atol +1 --expect dst=src.npy " GOOD SCALE, 2, {"--atol \"+1\" is no number"}},
	{"a_hexadecimal_tolerance_is_refused", NULL, "$B/ptowsp-run --atol 0x10 --expect dst=src.npy " GOOD SCALE, 2, {"--atol \"0x10\" is no number"}},
	{"a_negative_tolerance_is_refused", NULL, "$B/ptowsp-run --atol -1 --expect dst=src.npy " GOOD SCALE, 2, {"--atol"}},
	{"a_tolerance_that_is_nan_is_refused", NULL, "$B/ptowsp-run --atol nan --expect dst=src.npy " GOOD SCALE, 2, {"--atol"}},
	{"an_unknown_format_of_statistics_is_refused", NULL, "$B/ptowsp-run --stats=xml " GOOD SCALE, 2, {"xml", "json"}},
	{"an_unknown_ending_of_a_graph_is_refused", NULL, "$B/ptowsp-run --graph g.bmp " GOOD SCALE, 2, {"g.bmp", "svg"}},
	{"an_output_in_a_missing_folder_is_refused", NULL, "$B/ptowsp-run --in src=src.npy --set count=2 --out dst=no/such/x.npy " SCALE, 2, {"no/such"}},
	{"a_trace_in_a_missing_folder_is_refused", NULL, "$B/ptowsp-run --trace no/such/x.json " GOOD SCALE, 2, {"no/such"}},
	{"a_graph_in_a_missing_folder_is_refused", NULL, "$B/ptowsp-run --graph no/such/x.json " GOOD SCALE, 2, {"no/such"}},
	{"a_missing_plugin_folder_is_no_plugin", NULL, "$B/ptowsp-run --plugin-dir nowhere --plugin=odd " GOOD SCALE, 4, {"odd", "nowhere"}},
	/* 3: package refused */
	{"an_empty_file_is_no_package", ": >bad.pkg.zst", "$B/ptowsp-run bad.pkg.zst", 3, {"bad.pkg.zst", "empty"}},
	{"a_text_file_is_no_package", "echo hello >bad.pkg.zst", "$B/ptowsp-run bad.pkg.zst", 3, {"bad.pkg.zst"}},
	{"a_plain_zst_file_is_no_package", "echo hello | zstd -q >bad.pkg.zst", "$B/ptowsp-run bad.pkg.zst", 3, {"bad.pkg.zst"}},
	{"a_source_is_no_package", NULL, "$B/ptowsp-run $S/scale.pto", 3, {"scale.pto", "ptowsp-pack"}},
	{"half_a_package_is_refused", "head -c 700 " SCALE " >bad.pkg.zst", "$B/ptowsp-run --out dst=old.npy bad.pkg.zst", 3, {"bad.pkg.zst"}},
	{"a_package_with_bytes_behind_is_refused", "{ cat " SCALE "; printf x; } >bad.pkg.zst", "$B/ptowsp-run bad.pkg.zst", 3, {"bad.pkg.zst"}},
	{"two_packages_in_one_file_are_refused", "cat " SCALE " " SCALE " >bad.pkg.zst", "$B/ptowsp-run bad.pkg.zst", 3, {"bad.pkg.zst"}},
	{"an_endless_device_is_no_package", NULL, "$B/ptowsp-run /dev/zero", -1, {"/dev/zero"}},
	{"more_memory_than_allowed_is_refused_before_the_run", NULL, "$B/ptowsp-run --max-memory 100 " GOOD SCALE, 3, {"--max-memory", "100"}},
	{"tensors_of_terabytes_are_refused_under_a_limit",
	 NULL,
	 "$B/ptowsp-run --max-memory 1000000 --entry loop --set n=1000000 " VECTORS,
	 3,
	 {"--max-memory"}},
	{"a_tensor_of_a_terabyte_is_refused_by_its_size", NULL, "$B/ptowsp-run --entry far --out a=old.npy " VECTORS, -1, {"a"}},
	{"inspect_refuses_what_run_refuses", "head -c 700 " SCALE " >bad.pkg.zst", "$B/ptowsp-inspect bad.pkg.zst", 3, {"bad.pkg.zst"}},
	{"explain_refuses_what_run_refuses", "head -c 700 " SCALE " >bad.pkg.zst", "$B/ptowsp-run --explain bad.pkg.zst", 3, {"bad.pkg.zst"}},
	{"verify_refuses_what_run_refuses", "head -c 700 " SCALE " >bad.pkg.zst", "$B/ptowsp-inspect --verify bad.pkg.zst", 3, {"bad.pkg.zst"}},
	/* 4: plugin not found or refused */
	{"a_missing_plugin_lists_where_it_was_looked_for", NULL, "$B/ptowsp-run --plugin=nosuch " GOOD SCALE, 4, {"nosuch", "plugins"}},
	{"a_missing_plugin_file_is_named", NULL, "$B/ptowsp-run --plugin=./nosuch.so " GOOD SCALE, 4, {"nosuch.so"}},
	{"a_name_with_odd_characters_is_refused", NULL, "$B/ptowsp-run '--plugin=../cpu_sim' " GOOD SCALE, 4, {"../cpu_sim"}},
	{"a_text_file_named_so_is_refused",
	 "echo hello >libptowsp_odd.so",
	 "$B/ptowsp-run --plugin=./libptowsp_odd.so " GOOD SCALE,
	 4,
	 {"libptowsp_odd.so", "ELF"}},
	{"an_empty_file_named_so_is_refused", ": >libptowsp_odd.so", "$B/ptowsp-run --plugin=./libptowsp_odd.so " GOOD SCALE, 4, {"libptowsp_odd.so"}},
	{"a_folder_named_so_is_refused", "mkdir -p libptowsp_odd.so", "$B/ptowsp-run --plugin=./libptowsp_odd.so " GOOD SCALE, 4, {"libptowsp_odd.so"}},
	{"a_file_name_without_a_folder_is_no_plugin_name", "$CC", "$B/ptowsp-run --plugin=libptowsp_odd.so " GOOD SCALE, 4, {"libptowsp_odd.so", "/"}},
	{"a_plugin_cut_in_half_is_refused",
	 "$CC && head -c 6000 libptowsp_odd.so >half.so && chmod 755 half.so && rm libptowsp_odd.so",
	 "$B/ptowsp-run --plugin=./half.so " GOOD SCALE,
	 4,
	 {"half.so"}},
	{"a_plugin_without_a_note_is_refused", "$CC -DNO_NOTE", "$B/ptowsp-run --plugin=./libptowsp_odd.so " GOOD SCALE, 4, {"libptowsp_odd.so", "note"}},
	{"a_plugin_of_another_major_is_refused", "$CC -DMAJOR=11", "$B/ptowsp-run --plugin=./libptowsp_odd.so " GOOD SCALE, 4, {"libptowsp_odd.so", "11"}},
	{"a_plugin_without_operations_is_refused",
	 "$CC -DNULL_OPS",
	 "$B/ptowsp-run --plugin=./libptowsp_odd.so " GOOD SCALE,
	 4,
	 {"libptowsp_odd.so", "operations"}},
	{"a_plugin_that_gives_nothing_is_refused", "$CC -DNULL_ENTRY", "$B/ptowsp-run --plugin=./libptowsp_odd.so " GOOD SCALE, 4, {"libptowsp_odd.so"}},
	{"a_plugin_whose_note_and_descriptor_differ_is_refused",
	 "$CC -DOTHER_NAME",
	 "$B/ptowsp-run --plugin=./libptowsp_odd.so " GOOD SCALE,
	 4,
	 {"libptowsp_odd.so", "another"}},
	{"a_plugin_with_an_executable_stack_is_refused",
	 "$CC -Wl,-z,execstack",
	 "$B/ptowsp-run --plugin=./libptowsp_odd.so " GOOD SCALE,
	 4,
	 {"libptowsp_odd.so", "stack"}},
	{"a_plugin_that_others_can_write_is_refused_with_the_cure",
	 "$CC && chmod 777 libptowsp_odd.so",
	 "$B/ptowsp-run --plugin=./libptowsp_odd.so " GOOD SCALE,
	 4,
	 {"libptowsp_odd.so", "chmod"}},
	{"a_refused_plugin_runs_no_constructor",
	 "$CC -DNO_NOTE -DMARK='\"mark\"'",
	 "$B/ptowsp-run --plugin=./libptowsp_odd.so " GOOD SCALE,
	 4,
	 {"libptowsp_odd.so"}},
	{"a_plugin_found_by_folder_is_refused_by_folder",
	 "mkdir -p d && $CC -DMAJOR=11 && mv libptowsp_odd.so d",
	 "$B/ptowsp-run --plugin-dir d --plugin odd " GOOD SCALE,
	 4,
	 {"libptowsp_odd.so", "11"}},
	{"auto_without_any_plugin_that_fits_says_why", "$CC", "$B/ptowsp-run --plugin=nosuch --plugin-dir . " GOOD SCALE, 4, {"nosuch"}},
	/* 5: unsupported */
	{"a_pool_smaller_than_one_task_is_named_with_need_and_capacity",
	 NULL,
	 "$B/ptowsp-run --entry chain --schedule tensor_map=1 --out a=old.npy " VECTORS,
	 5,
	 {"tensor_map", "2", "1"}},
	{"a_race_is_an_error_when_strict", NULL, "$B/ptowsp-run --strict --entry race --schedule hazards=raw --out a=old.npy " VECTORS, 5, {"0", "1", "a"}},
	{"a_plugin_that_answers_unsupported", "$CC -DANSWER=-4", "$B/ptowsp-run --plugin=./libptowsp_odd.so " GOOD SCALE, 5, {"odd plugin says -4"}},
	/* 6: see contract_run; 7 to 10 */
	{"a_plugin_that_answers_deadlock", "$CC -DANSWER=-12", "$B/ptowsp-run --plugin=./libptowsp_odd.so " GOOD SCALE, 7, {"odd plugin says -12"}},
	{"a_plugin_without_its_device", "$CC -DOPEN=-14", "$B/ptowsp-run --plugin=./libptowsp_odd.so " GOOD SCALE, 8, {"odd plugin says -14"}},
	{"a_plugin_that_loses_its_device", "$CC -DANSWER=-13", "$B/ptowsp-run --plugin=./libptowsp_odd.so " GOOD SCALE, 9, {"odd plugin says -13"}},
	{"a_plugin_that_refuses_the_submit", "$CC -DREFUSE=-13", "$B/ptowsp-run --plugin=./libptowsp_odd.so " GOOD SCALE, 9, {"odd plugin says -13"}},
	{"a_plugin_whose_kernel_fails", "$CC -DANSWER=-9", "$B/ptowsp-run --plugin=./libptowsp_odd.so " GOOD SCALE, 1, {"odd plugin says -9"}},
	{"a_plugin_that_answers_an_unknown_code", "$CC -DANSWER=-999", "$B/ptowsp-run --plugin=./libptowsp_odd.so " GOOD SCALE, -1, {"-999"}},
	{"an_unknown_device_is_named", NULL, "$B/ptowsp-run --device=gpu7 " GOOD SCALE, -1, {"gpu7"}},
	{"too_many_tasks_end_the_run",
	 NULL,
	 "$B/ptowsp-run --max-tasks 100 --entry loop --set n=101 --out a=old.npy --graph old.json " VECTORS,
	 10,
	 {"100", "--max-tasks"}},
	{"too_many_tasks_end_a_run_without_kernels", NULL, "$B/ptowsp-run --no-kernels --max-tasks 100 --entry loop --set n=101 " VECTORS, 10, {"--max-tasks"}},
	{"an_endless_kernel_meets_its_deadline",
	 NULL,
	 "$B/ptowsp-run --timeout-ms 700 --fill src=zeros --out dst=old.npy --trace old.json $K/endless.pkg.zst",
	 10,
	 {"kernel"}},
	{"an_endless_kernel_that_is_only_counted_meets_its_deadline",
	 NULL,
	 "$B/ptowsp-run --no-kernels --timeout-ms 700 --graph old.json $K/endless.pkg.zst",
	 10,
	 {"kernel"}},
	{"an_endless_while_meets_its_deadline",
	 NULL,
	 "$B/ptowsp-run --timeout-ms 700 --fill src=zeros --out dst=old.npy --graph old.json $K/spin.pkg.zst",
	 10,
	 {"700"}},
	{"an_endless_while_that_is_only_counted_meets_its_deadline",
	 NULL,
	 "$B/ptowsp-run --no-kernels --timeout-ms 700 --graph old.json $K/spin.pkg.zst",
	 10,
	 {"700"}},
	{"a_deadline_of_one_millisecond_is_kept", NULL, "$B/ptowsp-run --timeout-ms 1 --fill src=zeros --out dst=old.npy $K/spin.pkg.zst", 10, {"1"}},
	{"endless_tasks_meet_the_deadline",
	 NULL,
	 "$B/ptowsp-run --no-kernels --timeout-ms 700 --entry nest --set n=2000000000 --set m=2 " VECTORS,
	 10,
	 {"--timeout-ms"}},
	{"a_loop_behind_its_last_task_meets_the_deadline_of_a_graph",
	 NULL,
	 "$B/ptowsp-run --no-kernels --timeout-ms 700 --graph old.json $K/forever.pkg.zst",
	 10,
	 {"--timeout-ms", "2 tasks"}},
	{"endless_tasks_with_kernels_meet_the_deadline",
	 NULL,
	 "$B/ptowsp-run --timeout-ms 700 --entry nest --set n=2000000000 --set m=2 --out a=old.npy " VECTORS,
	 10,
	 {"--timeout-ms"}},
	{"endless_empty_loops_meet_the_deadline",
	 NULL,
	 "$B/ptowsp-run --no-kernels --timeout-ms 700 --entry nest --set n=2000000000 --set m=0 " VECTORS,
	 10,
	 {"--timeout-ms"}},
	{"a_loop_without_an_end_in_sight_tells_no_shape",
	 NULL,
	 "$B/ptowsp-run --entry nest --set n=2000000000 --set m=0 --out a=old.npy " VECTORS,
	 2,
	 {"tensor \"a\"", "end in sight", "--expect a="}},
	/* other tools */
	{"pack_without_arguments_is_a_usage_error", NULL, "$B/ptowsp-pack", 2, {"--help"}},
	{"pack_with_a_full_stdout_says_so", NULL, "$B/ptowsp-pack --help >/dev/full", 2, {"stdout", "space"}},
	{"inspect_with_a_full_stdout_says_so", NULL, "$B/ptowsp-inspect --help >/dev/full", 2, {"stdout", "space"}},
	{"bench_with_a_full_stdout_says_so", NULL, "$B/ptowsp-bench --help >/dev/full", 2, {"stdout", "space"}},
	{"conform_with_a_full_stdout_says_so", NULL, "$B/ptowsp-conform --list >/dev/full", 2, {"stdout", "space"}},
	{"an_output_beyond_the_limit_of_its_user_is_an_error_of_writing",
	 NULL,
	 "ulimit -f 1; $B/ptowsp-run --entry mixed --graph old.json --trace long.json --no-kernels --set n=100 --set m=100 " VECTORS,
	 2,
	 {"cannot be written", "File too large"}},
	{"a_worker_without_descriptors_says_so", NULL, "ulimit -n 14; $B/ptowsp-run --isolate=process " GOOD SCALE, 1, {"worker", "Too many open files"}},
	{"pack_of_a_folder_into_a_package_is_a_usage_error",
	 "mkdir from && cp $S/scale.pto from",
	 "$B/ptowsp-pack from -o new.pkg.zst",
	 2,
	 {"new.pkg.zst", "folder"}},
	{"pack_below_a_file_names_the_file_that_was_asked_for",
	 NULL,
	 "$B/ptowsp-pack $S/scale.pto -o old.npy/x.pkg.zst",
	 2,
	 {"old.npy/x.pkg.zst cannot be written"}},
	{"a_kernel_that_nobody_has_names_it_and_what_is_known",
	 "printf '{\"schema\": \"ptowsp.package/1\", \"KREG\": [{\"name\": \"mine\", \"signature\": \"v()\"}], \"WORK\": {\"kernels\": [\"mine\"],"
	 " \"instructions\": [[\"task\", 0, [0, 0]], [\"halt\"]]}, \"ENTR\": [{\"name\": \"main\", \"flags\": 1}]}' >mine.json &&"
	 " $B/ptowsp-pack --from-json mine.json -o mine.pkg.zst",
	 "$B/ptowsp-run mine.pkg.zst",
	 1,
	 {"kernel mine", "cpu_sim", "built in: nop", "registered: none"}},
	{"a_long_path_does_not_hide_the_reason",
	 NULL,
	 "$B/ptowsp-run $(printf 'long%.0s' $(seq 50))/nowhere.pkg.zst",
	 2,
	 {"long/nowhere.pkg.zst cannot be opened: No such file"}},
	{"inspect_of_a_folder_without_packages_names_it", "mkdir none", "$B/ptowsp-inspect --verify none", 2, {"none", "*.pkg.zst"}},
	{"pack_of_a_missing_source_names_it", NULL, "$B/ptowsp-pack nowhere.pto -o new.pkg.zst", 2, {"nowhere.pto"}},
	{"pack_without_an_output_says_so", NULL, "$B/ptowsp-pack $S/scale.pto", 2, {"-o"}},
	{"pack_into_a_missing_folder_names_it", NULL, "$B/ptowsp-pack $S/scale.pto -o no/such/x.pkg.zst", 2, {"no/such"}},
	{"pack_with_an_unknown_flag_names_it", NULL, "$B/ptowsp-pack --frob $S/scale.pto -o new.pkg.zst", 2, {"--frob"}},
	{"pack_from_broken_json_names_line_and_file",
	 "printf '{\\n\"a\": ]\\n' >bad.json",
	 "$B/ptowsp-pack --from-json bad.json -o new.pkg.zst",
	 3,
	 {"bad.json", "2"}},
	{"pack_from_foreign_json_says_what_is_missing", "echo '{}' >bad.json", "$B/ptowsp-pack --from-json bad.json -o new.pkg.zst", 3, {"bad.json"}},
	{"pack_from_missing_json_names_it", NULL, "$B/ptowsp-pack --from-json nowhere.json -o new.pkg.zst", 2, {"nowhere.json"}},
	/* flags of the packer that do not go together, or with what stands beside them */
	{"pack_from_json_takes_no_source",
	 "echo '{}' >o.json",
	 "$B/ptowsp-pack --from-json o.json $S/scale.pto -o new.pkg.zst",
	 2,
	 {"--from-json takes no source, here is", "scale.pto"}},
	{"pack_from_json_has_no_lines",
	 "echo '{}' >o.json",
	 "$B/ptowsp-pack --from-json o.json --json -o new.pkg.zst",
	 2,
	 {"--json belongs to sources, not to --from-json"}},
	{"pack_from_json_takes_no_entry",
	 "echo '{}' >o.json",
	 "$B/ptowsp-pack --from-json o.json --entry f -o new.pkg.zst",
	 2,
	 {"--entry, --name and --default belong to sources"}},
	{"pack_from_json_takes_no_name",
	 "echo '{}' >o.json",
	 "$B/ptowsp-pack --from-json o.json --name f -o new.pkg.zst",
	 2,
	 {"--entry, --name and --default belong to sources"}},
	{"pack_from_json_takes_no_default",
	 "echo '{}' >o.json",
	 "$B/ptowsp-pack --from-json o.json --default n=1 -o new.pkg.zst",
	 2,
	 {"--entry, --name and --default belong to sources"}},
	{"pack_from_json_takes_no_root",
	 "echo '{}' >o.json",
	 "$B/ptowsp-pack --from-json o.json --data-root . -o new.pkg.zst",
	 2,
	 {"--data-root belongs to sources"}},
	{"pack_without_a_source_says_so", NULL, "$B/ptowsp-pack -o new.pkg.zst", 2, {"no SOURCE.pto is named"}},
	{"pack_emits_for_targets_that_it_knows",
	 NULL,
	 "$B/ptowsp-pack --emit=rust $S/scale.pto -o folder",
	 2,
	 {"no sources are written for --emit=rust; known:", "c, cuda, opencl, ascend-a2a3, ascend-a5"}},
	{"pack_emits_one_package", NULL, "$B/ptowsp-pack --emit=c --name=x " SCALE " -o folder", 2, {"--emit takes one package", "scale.pkg.zst"}},
	{"pack_emits_or_compiles", NULL, "$B/ptowsp-pack --emit=c --native $S/scale.pto -o folder", 2, {"one of them"}},
	{"pack_emits_into_a_folder", NULL, "$B/ptowsp-pack --emit=c $S/scale.pto -o new.pkg.zst", 2, {"--emit writes into a folder", "new.pkg.zst"}},
	{"pack_says_what_it_cannot_sign", NULL, "$B/ptowsp-pack --sign=key src.npy", 2, {"neither a package nor a plugin", "src.npy"}},
	{"pack_signs_no_folder_of_sources",
	 NULL,
	 "$B/ptowsp-pack --emit=c --sign=key $S/scale.pto -o folder",
	 2,
	 {"--sign signs packages, and --emit makes none"}},
	{"pack_compiles_for_a_triple",
	 NULL,
	 "$B/ptowsp-pack '--native=x y' $S/scale.pto -o new.pkg.zst",
	 2,
	 {"--native takes a triple such as aarch64-linux-gnu, not x y"}},
	{"pack_compiles_for_a_triple_and_no_flag",
	 NULL,
	 "$B/ptowsp-pack --native=-gnu $S/scale.pto -o new.pkg.zst",
	 2,
	 {"--native takes a triple such as aarch64-linux-gnu, not -gnu"}},
	{"pack_of_files_and_folders_is_a_usage_error",
	 "mkdir from && cp $S/scale.pto from",
	 "$B/ptowsp-pack from $S/scale.pto -o to",
	 2,
	 {"files and folders cannot be packed together"}},
	{"pack_of_a_folder_takes_no_entry",
	 "mkdir from && cp $S/scale.pto from",
	 "$B/ptowsp-pack from --entry scale -o to",
	 2,
	 {"belong to one package, not to folders"}},
	{"pack_of_a_folder_takes_no_name",
	 "mkdir from && cp $S/scale.pto from",
	 "$B/ptowsp-pack from --name x -o to",
	 2,
	 {"belong to one package, not to folders"}},
	{"pack_of_a_folder_takes_no_default",
	 "mkdir from && cp $S/scale.pto from",
	 "$B/ptowsp-pack from --default n=1 -o to",
	 2,
	 {"belong to one package, not to folders"}},
	{"pack_of_a_folder_takes_no_data",
	 "mkdir from && cp $S/scale.pto from",
	 "$B/ptowsp-pack from --data src=src.npy -o to",
	 2,
	 {"belong to one package, not to folders"}},
	{"pack_of_a_folder_takes_no_expected_data",
	 "mkdir from && cp $S/scale.pto from",
	 "$B/ptowsp-pack from --expected dst=src.npy -o to",
	 2,
	 {"belong to one package, not to folders"}},
	{"pack_of_a_folder_without_sources_names_it", "mkdir -p none/deep", "$B/ptowsp-pack none -o to", 2, {"there is no .pto file below none"}},
	{"pack_of_a_folder_with_an_ending_for_a_name",
	 "mkdir none && cp $S/scale.pto none/.pto",
	 "$B/ptowsp-pack none -o to",
	 2,
	 {"there is no .pto file below none"}},
	{"pack_of_data_twice_says_which",
	 NULL,
	 "$B/ptowsp-pack --data src=src.npy --data src=src.npy $S/scale.pto -o new.pkg.zst",
	 2,
	 {"src has input data already; leave one of them out"}},
	{"pack_of_expected_data_twice_says_which",
	 NULL,
	 "$B/ptowsp-pack --expected dst=src.npy --expected dst=src.npy $S/scale.pto -o new.pkg.zst",
	 2,
	 {"dst has expected data already"}},
	{"pack_of_data_without_a_file_says_how", NULL, "$B/ptowsp-pack --data src $S/scale.pto -o new.pkg.zst", 2, {"NAME=FILE.npy, not \"src\""}},
	{"pack_of_data_for_no_tensor_names_it", NULL, "$B/ptowsp-pack --data none=src.npy $S/scale.pto -o new.pkg.zst", 2, {"none"}},
	{"a_device_with_a_name_that_none_has_is_named",
	 NULL,
	 "$B/ptowsp-run --device=$(printf 'x%.0s' $(seq 200)) " SCALE,
	 2,
	 {"--device=xxxxxxxx", "no device has so long a name"}},
	{"a_device_that_is_not_there_is_named_with_those_that_are",
	 NULL,
	 "$B/ptowsp-run --device=cpu7 " SCALE,
	 8,
	 {"device \"cpu7\" is unknown; known: cpu0, cpu1"}},
	{"inspect_without_arguments_is_a_usage_error", NULL, "$B/ptowsp-inspect", 2, {"PACKAGE", "--help"}},
	{"inspect_with_a_trust_that_there_is_not_says_which_there_is",
	 NULL,
	 "$B/ptowsp-inspect --verify --trust=x " SCALE,
	 2,
	 {"--trust takes signed, not \"x\""}},
	{"inspect_of_a_missing_file_names_it", NULL, "$B/ptowsp-inspect nowhere.pkg.zst", 2, {"nowhere.pkg.zst"}},
	{"inspect_with_an_unknown_flag_names_it", NULL, "$B/ptowsp-inspect --frob " SCALE, 2, {"--frob"}},
	{"bench_with_an_unknown_name_lists_them", NULL, "$B/ptowsp-bench nosuch", 2, {"nosuch", "tasks"}},
	{"bench_with_an_unknown_flag_names_it", NULL, "$B/ptowsp-bench --frob", 2, {"--frob"}},
};

/* Files that the cases bind, and old outputs that a failure must leave as they are. */
static void write_inputs(void)
{
	static const int32_t ints[32] = {1};
	char *text;
	size_t size = 0;

	cli_npy_f32("src.npy", 32, 0, 1);
	cli_npy_f32("short.npy", 7, 0, 1);
	cli_npy("ints.npy", "<i4", "32,", ints, sizeof(ints));
	cli_npy("big.npy", ">f4", "32,", ints, sizeof(ints));
	text = check_read(check_fmt("%s/src.npy", getenv("T")), &size);
	REQUIRE(text != NULL);
	memcpy(strstr(text + 10, "False"), "True ", 5);
	CHECK(check_write(check_fmt("%s/fortran.npy", getenv("T")), text, size));
	free(text);
	CHECK(check_write(check_fmt("%s/old.npy", getenv("T")), "old\n", 4));
	CHECK(check_write(check_fmt("%s/old.json", getenv("T")), "old\n", 4));
	setenv("CC",
	       check_fmt("cc -std=c11 -shared -fPIC -Wl,-z,now -I%s/abi -Wl,--version-script=%s/abi/ptowsp_plugin.map"
			 " %s/tests/contract/plugin.c -o libptowsp_odd.so",
			 check_root(), check_root(), check_root()),
	       1);
}

static void check_old_files(void)
{
	static const char *const names[] = {"old.npy", "old.json"};

	for (int i = 0; i < 2; i++) {
		char *text = check_read(check_fmt("%s/%s", getenv("T"), names[i]), NULL);

		CHECK_STR(text, "old\n");
		free(text);
	}
}

static void run_refusal(void)
{
	const struct refusal *r = CHECK_ROW(refusals);
	char *before, *after;
	int status;

	cli_begin();
	write_inputs();
	if (r->prepare)
		REQUIRE_INT(cli(r->prepare), 0);
	before = cli_listing();
	status = cli(r->command);
	after = cli_listing();
	if (r->status >= 0)
		CHECK_INT(status, r->status);
	else if (status <= 0 || status > 10)
		CHECK_FAIL("exit status %d is none of the table", status);
	cli_check_sentence();
	for (size_t i = 0; i < sizeof(r->says) / sizeof(*r->says) && r->says[i]; i++)
		CHECK_CONTAINS(cli_err, r->says[i]);
	CHECK_STR(cli_out, "");
	CHECK_STR(after, before);
	check_old_files();
	if (cli_ms > 20000)
		CHECK_FAIL("it took %.0f ms", cli_ms);
	free(before);
	free(after);
}

/* Two that end well without having done anything: one leaves no file, one leaves another kind of file. */
TEST(a_compiler_that_makes_nothing_is_named)
{
	CLI_ERR(8, "CC=true $B/ptowsp-pack --native $R/packages/examples/softmax.pto -o n.pkg.zst", "left no shared object");
	REQUIRE_INT(cli("printf '#!/bin/sh\\nwhile [ $# -gt 1 ]; do [ \"$1\" = -o ] && echo garbage >\"$2\"; shift; done\\n' >cc.sh; chmod +x cc.sh"), 0);
	CLI_ERR(8, "CC=$PWD/cc.sh $B/ptowsp-pack --native $R/packages/examples/softmax.pto -o n.pkg.zst", "is no ELF file");
	REQUIRE_INT(cli("printf '#!/bin/sh\\nwhile [ $# -gt 1 ]; do [ \"$1\" = -o ] && cp /bin/sh \"$2\"; shift; done\\n' >cc.sh"), 0);
	CLI_ERR(8, "CC=$PWD/cc.sh $B/ptowsp-pack --native $R/packages/examples/softmax.pto -o n.pkg.zst", "is no ELF file with the kernels");
	CLI_PRINTS(0, "ls", "cc.sh\n");
}

void suite_contract_exit(CU_pSuite s)
{
	CHECK_ROWS(s, refusals, run_refusal);
}
