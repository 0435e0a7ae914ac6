/* SPDX-License-Identifier: MIT */
/* test_support.c - a device that has only some operations, as a user meets it: said before it is opened, by --explain, --plugin=auto, require, --strict, in this process and in a worker. The
 * plugin is tests/narrow. */
#include "tests/contract/cli.h"

#define NARROW  "\"$B/ptowsp-run\" --plugin=\"$B/../test/narrow/libptowsp_narrow.so\" "
#define CURVE   " --fill x=iota \"$K/curve.pkg.zst\""
#define CHOICE  "\"$B/ptowsp-run\" --plugin-dir=\"$B/../test/narrow\" --plugin=auto "
#define LACKING "texp, line 8; the device does not have it"

static const char *const places[] = {"--isolate=none ", "--isolate=process ", "--isolate=sandbox "};

TEST(what_the_device_lacks_is_refused_before_it_is_opened)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		CLI_ERR(5, check_fmt(NARROW "%s" CURVE, places[i]), "kernel curve is unsupported on narrow: " LACKING);
		CLI_OUT(5, check_fmt(NARROW "--explain %s" CURVE, places[i]), "kernel curve  unsupported, refused: " LACKING);
		/* by the backend's own word */
		CLI_ERR(5, check_fmt(NARROW "--opt beside=on --opt tiles=0 %s" CURVE, places[i]), "it has 1 tiles, and the device takes 0");
	}
}

/* The packer says it, too, of a target that is there; one that runs it on the processor can run it. */
TEST(what_a_target_lacks_is_said_when_it_is_packed)
{
#define PACK "PTOWSP_PLUGIN_PATH=\"$B/../test/narrow\" \"$B/ptowsp-pack\" \"$S/curve.pto\" -o curve.pkg.zst --target "
	CLI_ERR(0, PACK "cpu_sim,narrow", "curve.pkg.zst: narrow cannot run kernel curve: " LACKING);
	CLI_ERR(5, PACK "narrow --strict", "narrow cannot run kernel curve: " LACKING);
	REQUIRE_INT(cli(PACK "cpu_sim,elsewhere --strict"), 0);
	CHECK_STR(cli_err, "");
#undef PACK
}

TEST(what_the_processor_runs_is_said_and_gives_the_same_bytes)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		CLI_ERR(0, check_fmt(NARROW "--opt beside=on --out y=narrow.npy %s" CURVE, places[i]),
			"kernel curve is diagnosed: the processor runs it: " LACKING);
		CLI_OUT(0, "\"$B/ptowsp-run\" --quiet --out y=cpu.npy" CURVE " && cmp narrow.npy cpu.npy && echo same", "same");
		CLI_FIGURE(check_fmt(NARROW "--quiet --opt beside=on --stats=json %s" CURVE, places[i]), "kernels[curve].device_tasks", 0);
		CLI_FIGURE(check_fmt(NARROW "--quiet --set count=1 --stats=json %s \"$K/scale.pkg.zst\"", places[i]), "kernels[scale].device_tasks", 1);
	}
	CLI_ERR(5, NARROW "--opt beside=on --strict" CURVE, "is diagnosed on narrow but must be at least enforced: the processor runs it");
}

/* Rows whose room is a number, not the place of one: they are checked, written down and replayed as others. */
TEST(layers_see_what_is_judged)
{
	CLI_OUT(0, NARROW "--isolate=none --layer=validate,threads,trace:calls --opt beside=on" CURVE, "narrow narrow0: 4 tasks");
	CHECK(strstr(cli_err, "broke") == NULL);
	CLI_OUT(0, "\"$B/ptowsp-conform\" --replay calls \"$B/../test/narrow/libptowsp_narrow.so\"", " calls");
	CLI_OUT(5, NARROW "--isolate=process --layer=validate --explain" CURVE, "kernel curve  unsupported, refused: " LACKING);
}

TEST(a_package_may_require_an_operation)
{
	CLI_ERR(5, NARROW "--opt beside=on --fill x=iota \"$K/curve_required.pkg.zst\"", "must be at least enforced");
	CLI_OUT(0, "\"$B/ptowsp-run\" --fill x=iota \"$K/curve_required.pkg.zst\"", "");
}

TEST(auto_takes_who_has_all_on_the_device_first)
{
	CLI_OUT(0, CHOICE "--plugin-order=narrow,cpu_sim" CURVE, "cpu_sim cpu0: 4 tasks");
	CLI_ERR(0, CHOICE "--plugin-order=narrow --opt beside=on" CURVE, "the processor runs it: " LACKING);
	CLI_ERR(4, CHOICE "--plugin-order=narrow" CURVE, "no plugin of the preference list (narrow)");
}

TEST(the_matrix_has_types_and_leaves_out_what_nobody_says)
{
	CLI_OUT(0, NARROW "--capabilities", "f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 bool", "  tile texp ");
	CHECK(strstr(cli_out, "tile tadd") == NULL);
	CLI_OUT(0, "\"$B/ptowsp-run\" --capabilities --plugin=cpu_sim", "payload pto");
	CHECK(strstr(cli_out, "tile texp") == NULL);
}

/* Counted by what base counts, and seen by its probe; the option that has texp run elsewhere is no matter. */
TEST(verify_sees_that_the_device_executes)
{
	CHECK_INT(cli(NARROW "--capabilities --verify | grep '^tasks counted where they ran  *enforced  *enforced  *holds'"), 0);
	CLI_OUT(0, NARROW "--capabilities --verify", " tasks of the probes ran on the device, by its own count, in ",
		"the bits of cpu_sim: f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 bool, all on the device");
}

/* Masks of comparisons are u8: an entry that takes them is no evidence against a device that has f32 alone. */
TEST(rows_of_few_types_are_held_to_what_they_claim)
{
	CLI_OUT(0, NARROW "--opt few=on --capabilities --verify", "the bits of cpu_sim: f32, all on the device", ", 0 false");
}
