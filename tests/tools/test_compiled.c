/* SPDX-License-Identifier: MIT
 * test_compiled.c - what a plugin compiles is kept and found again ("ptowsp.compiled"): on each isolation, never where it is another's, damaged, too much or forbidden. The plugin is tests/keeper,
 * whose log says what it found. */
#include "host/run/blob_store.h"
#include "tests/check.h"
#include "tests/contract/cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define KEEPER "XDG_CACHE_HOME=\"$PWD/cache\" \"$B/ptowsp-run\" --plugin=\"$B/../test/keeper/libptowsp_keeper.so\" -v "
#define SCALE  " --set count=1 \"$K/scale.pkg.zst\""
#define FILES  "ls cache/ptowsp/compiled | wc -l | tr -d ' '"

static void begin(void)
{
	cli_begin();
	CHECK_INT(cli("rm -rf cache && mkdir cache"), 0);
}

static void files_are(int count)
{
	CHECK_INT(cli(check_fmt("test \"$(" FILES ")\" = %d", count)), 0);
}

TEST(a_second_load_finds_what_the_first_has_compiled)
{
	static const char *const places[] = {"--isolate=none", "--isolate=process", "--isolate=sandbox", "--layer=validate,threads"};

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		begin();
		CLI_ERR(0, check_fmt(KEEPER "%s" SCALE, places[i]), "keeper: compiled", "is kept for the next load: 1 pieces of 124 bytes");
		files_are(1);
		CLI_ERR(0, check_fmt(KEEPER "%s" SCALE, places[i]), "keeper: found");
		CLI_OUT(0, check_fmt(KEEPER "--stats %s" SCALE, places[i]), "compiled earlier: 1 pieces of 124 bytes were found");
		CLI_FIGURE(check_fmt(KEEPER "-q --stats=json %s" SCALE, places[i]), "compiled_found_bytes", 124);
	}
}

TEST(one_place_finds_what_another_has_compiled)
{
	begin();
	CLI_ERR(0, KEEPER "--isolate=sandbox" SCALE, "keeper: compiled");
	CLI_ERR(0, KEEPER "--isolate=none --threads=2" SCALE, "keeper: found");
	CLI_ERR(0, KEEPER "--explain" SCALE, "keeper: found");
}

TEST(other_settings_and_packages_find_nothing)
{
	begin();
	CLI_ERR(0, KEEPER "--isolate=none" SCALE, "keeper: compiled");
	CLI_ERR(0, KEEPER "--isolate=none --opt bytes=7" SCALE, "keeper: compiled", "1 pieces of 31 bytes");
	CLI_ERR(0, KEEPER "--isolate=none --fill x=iota \"$K/curve.pkg.zst\"", "keeper: compiled");
	files_are(3);
	CLI_ERR(0, KEEPER "--isolate=none --opt bytes=7" SCALE, "keeper: found");
}

TEST(nothing_is_kept_where_it_should_not_be)
{
	static const char *const off[] = {"--cache=off", "--cache-size=0", "--cache-size=199", "--no-kernels"};

	for (size_t i = 0; i < sizeof(off) / sizeof(*off); i++) {
		begin();
		CLI_ERR(0, check_fmt(KEEPER "--isolate=none %s" SCALE, off[i]), "keeper: compiled");
		CHECK_INT(cli("! test -e cache/ptowsp/compiled || test -z \"$(ls cache/ptowsp/compiled)\""), 0);
	}
	begin();
	CHECK_INT(cli("XDG_CACHE_HOME=relative HOME= \"$B/ptowsp-run\" --plugin=\"$B/../test/keeper/libptowsp_keeper.so\" -q" SCALE " && ! test -e relative"),
		  0);
	CLI_ERR(2, KEEPER "--cache=maybe" SCALE, "--cache=maybe is neither on nor off");
}

TEST(home_has_a_cache_too)
{
	begin();
	CHECK_INT(cli("XDG_CACHE_HOME= HOME=\"$PWD/cache\" \"$B/ptowsp-run\" --plugin=\"$B/../test/keeper/libptowsp_keeper.so\" -q" SCALE), 0);
	CHECK_INT(cli("test \"$(ls cache/.cache/ptowsp/compiled | wc -l)\" -eq 1"), 0);
}

TEST(a_folder_of_others_is_not_used)
{
	begin();
	CHECK_INT(cli("mkdir -p cache/ptowsp/compiled && chmod 0777 cache/ptowsp/compiled"), 0);
	CLI_ERR(0, KEEPER "--isolate=none" SCALE, "keeper: compiled");
	files_are(0);
	CHECK_INT(cli("rmdir cache/ptowsp/compiled && mkdir elsewhere && ln -s ../../elsewhere cache/ptowsp/compiled"), 0);
	CLI_ERR(0, KEEPER "--isolate=none" SCALE, "keeper: compiled");
	CHECK_INT(cli("test -z \"$(ls elsewhere)\" && rm -rf cache && mkdir cache"), 0);
	CLI_ERR(0, KEEPER "--isolate=none" SCALE, "is kept for the next load");
	CHECK_INT(cli("test \"$(stat -c %a cache/ptowsp/compiled)\" = 700 && test \"$(stat -c %a cache/ptowsp/compiled/*)\" = 600"), 0);
}

/* A damaged file is not given; its place is taken by what is compiled then. */
TEST(a_damaged_file_is_made_again)
{
	static const char *const damages[] = {
		"printf x | dd of=$F bs=1 seek=150 conv=notrunc status=none", "truncate -s -1 $F",          "truncate -s 0 $F", "printf y >>$F",
		"printf x | dd of=$F bs=1 seek=3 conv=notrunc status=none",   "rm $F && ln -s /dev/zero $F"};

	for (size_t i = 0; i < sizeof(damages) / sizeof(*damages); i++) {
		begin();
		CLI_ERR(0, KEEPER "--isolate=process" SCALE, "keeper: compiled");
		CHECK_INT(cli(check_fmt("F=$(ls cache/ptowsp/compiled/*) && %s", damages[i])), 0);
		CLI_ERR(0, KEEPER "--isolate=process" SCALE, "keeper: compiled", "is kept for the next load");
		CLI_ERR(0, KEEPER "--isolate=process" SCALE, "keeper: found");
		files_are(1);
	}
}

TEST(a_plugin_that_refuses_what_it_compiled_loads_without)
{
	static const char *const places[] = {"--isolate=none", "--isolate=process"};

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		begin();
		CLI_ERR(0, check_fmt(KEEPER "%s --opt refuses=on" SCALE, places[i]), "is kept for the next load");
		CLI_ERR(0, check_fmt(KEEPER "%s --opt refuses=on" SCALE, places[i]),
			"keeper does not load with what it has compiled earlier (PL16), and loads without", "keeper: compiled");
	}
}

TEST(files_that_change_places_are_not_taken)
{
	begin();
	CLI_ERR(0, KEEPER "--isolate=none --opt bytes=7" SCALE, "keeper: compiled");
	CHECK_INT(cli("XDG_CACHE_HOME=\"$PWD/cache\" \"$B/ptowsp-run\" --plugin=\"$B/../test/keeper/libptowsp_keeper.so\" --opt bytes=9 -q" SCALE), 0);
	CHECK_INT(cli("cd cache/ptowsp/compiled && set -- * && test $# -eq 2 && cp $1 keep && mv $2 $1 && mv keep $2"),
		  0); /* the key stands in the file, too */
	CLI_ERR(0, KEEPER "--isolate=none --opt bytes=7" SCALE, "keeper: compiled");
	CLI_ERR(0, KEEPER "--isolate=none --opt bytes=9" SCALE, "keeper: compiled");
}

TEST(what_was_not_used_for_longest_goes)
{
	begin();
	for (int bytes = 100001; bytes <= 100004; bytes++) {
		CHECK_INT(cli(check_fmt(KEEPER "--isolate=none --cache-size=350000 --opt bytes=%d" SCALE, bytes)), 0);
		if (bytes == 100001)
			CHECK_INT(cli("touch -d '2 hours ago' cache/ptowsp/compiled/*"), 0);
		if (bytes == 100003) /* the first is used again */
			CLI_ERR(0, KEEPER "--isolate=none --cache-size=350000 --opt bytes=100001" SCALE, "keeper: found");
		if (bytes == 100002)
			CHECK_INT(cli("find cache/ptowsp/compiled -type f -mmin -5 -exec touch -d '1 hour ago' {} +"), 0);
	}
	files_are(3);
	CLI_ERR(0, KEEPER "--isolate=none --opt bytes=100001" SCALE, "keeper: found");
	CLI_ERR(0, KEEPER "--isolate=none --opt bytes=100002" SCALE, "keeper: compiled");
}

TEST(many_at_once_leave_one_good_file)
{
	begin();
	CHECK_INT(cli("for i in 1 2 3 4 5 6 7 8; do " KEEPER "--isolate=none --opt bytes=1000000" SCALE " >/dev/null 2>&1 & done; wait"), 0);
	files_are(1);
	CLI_ERR(0, KEEPER "--isolate=none --opt bytes=1000000" SCALE, "keeper: found");
}

/* ---- the file ---------------------------------------------------------------------------------------------------------------- */

static const uint8_t file_key[PKG_DIGEST_SIZE] = {1, 2, 3};

TEST(blobs_come_back_from_their_file)
{
	static const char long_name[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
	struct host_blob_file file = {0};
	struct host_blobs blobs;

	CHECK(host_blob_file_add(&file, "a.b-c_d", "xyz", 3) && host_blob_file_add(&file, long_name, NULL, 0) && host_blob_file_add(&file, "9", "\0\1", 2));
	REQUIRE(host_blob_file_seal(&file, file_key));
	REQUIRE(host_blobs_sealed(file.bytes, file.size) && host_blobs_parse(&blobs, file.bytes, file.size, file_key));
	CHECK_UINT(blobs.count, 3);
	CHECK_UINT(blobs.total, 5);
	CHECK_STR(blobs.rows[0].name, "a.b-c_d");
	CHECK(!memcmp(blobs.rows[0].bytes, "xyz", 3) && blobs.rows[0].size == 3);
	CHECK_STR(blobs.rows[1].name, long_name);
	CHECK(!blobs.rows[1].size && blobs.rows[2].size == 2 && !memcmp(blobs.rows[2].bytes, "\0\1", 2));
	host_blobs_finish(&blobs);
	for (size_t i = 0; i < file.size; i++) { /* no bit of it is free */
		file.bytes[i] ^= 1;
		CHECK(!host_blobs_sealed(file.bytes, file.size));
		file.bytes[i] ^= 1;
	}
	file.bytes[8] ^= 1;
	CHECK(!host_blobs_parse(&blobs, file.bytes, file.size, file_key));
	host_blob_file_finish(&file);
}

TEST(blobs_that_break_a_rule_are_refused)
{
	static const char *const names[] = {"", "A", "a/b", "a b", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0"};
	struct host_blob_file file = {0};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		CHECK(!host_blob_file_add(&file, names[i], "x", 1));
		CHECK_STR(file.why, "a name is not of 1 to 64 of [a-z0-9._-]");
		host_blob_file_finish(&file);
	}
	CHECK(host_blob_file_add(&file, "a", "x", 1) && !host_blob_file_add(&file, "a", "x", 1));
	CHECK_STR(file.why, "a name came twice");
	CHECK(!host_blob_file_add(&file, "b", "x", 1)); /* nor is anything behind it */
	host_blob_file_finish(&file);
	CHECK(!host_blob_file_add(&file, "a", "x", (UINT64_C(1) << 27) + 1));
	CHECK_STR(file.why, "one has more than 128 MiB");
	host_blob_file_finish(&file);
	for (int i = 0; i < 4096; i++)
		CHECK(host_blob_file_add(&file, check_fmt("b%d", i), NULL, 0));
	CHECK(!host_blob_file_add(&file, "one-more", NULL, 0));
	host_blob_file_finish(&file);
}
