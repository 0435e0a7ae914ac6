/* SPDX-License-Identifier: MIT
 * test_contract_seal.c - packages that were changed and sealed again, so that every check behind the digests is reached: each is refused
 * with exit 3 and one sentence, or runs; none crashes, hangs, or leaves a file. */
#include "tests/contract/cli.h"
#include "tests/contract/seal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *bad_path(void)
{
	return check_fmt("%s/bad.pkg.zst", getenv("T"));
}

static const char *kit_path(const char *name)
{
	return check_fmt("%s/%s.pkg.zst", getenv("K"), name);
}

static struct seal_section *last(struct seal *s)
{
	return &s->sections[s->count - 1];
}

static void add_section(struct seal *s, const char *type, uint32_t flags)
{
	struct seal_section *n = &s->sections[s->count++];

	memcpy(&n->row.type, type, 4);
	n->row.flags = flags;
	n->row.codec = 1;
	n->row.stride = 1;
	n->size = 16;
	n->data = calloc(1, 64);
}

/* ---- one deliberate change each ----------------------------------------------------------------------------------- */

static void nothing(struct seal *s)
{
	(void)s;
}
static void other_abi(struct seal *s)
{
	memcpy(s->header + 8, "v11.0", 6);
}
static void empty_abi(struct seal *s)
{
	memset(s->header + 8, 0, 16);
}
static void abi_without_end(struct seal *s)
{
	memset(s->header + 8, 'v', 16);
}
static void other_magic(struct seal *s)
{
	s->header[0] ^= 1;
}
static void other_format(struct seal *s)
{
	s->header[24] = 2;
}
static void unknown_flags(struct seal *s)
{
	s->header[40] = 1;
}
static void wrong_total(struct seal *s)
{
	s->keep_total = 1;
	memset(s->header + 32, 0xFF, 8);
}
static void wrong_header_digest(struct seal *s)
{
	s->keep_header_digest = 1;
	s->header[70] ^= 4;
}
static void wrong_section_digest(struct seal *s)
{
	s->keep_digests = 1;
	seal_find(s, "WORK")->row.digest[3] ^= 16;
}
static void wrong_packed_digest(struct seal *s)
{
	s->packed_digest_wrong = "WORK";
}
static void no_content_size(struct seal *s)
{
	s->no_content_size = 1;
}
static void no_checksum(struct seal *s)
{
	s->no_checksum = 1;
}
static void size_too_small(struct seal *s)
{
	s->keep_sizes = 1;
	seal_find(s, "STRS")->row.size--;
	seal_find(s, "STRS")->row.count--;
}
static void size_too_large(struct seal *s)
{
	s->keep_sizes = 1;
	seal_find(s, "STRS")->row.size++;
	seal_find(s, "STRS")->row.count++;
}
static void oversized(struct seal *s)
{
	s->keep_sizes = 1;
	seal_find(s, "STRS")->row.size = seal_find(s, "STRS")->row.count = UINT64_C(1) << 40;
}
static void all_sizes(struct seal *s)
{
	s->keep_sizes = 1;
	seal_find(s, "STRS")->row.size = seal_find(s, "STRS")->row.count = UINT64_MAX;
}
static void wrong_count(struct seal *s)
{
	s->keep_sizes = 1;
	seal_find(s, "TENS")->row.count++;
}
static void stride_of_zero(struct seal *s)
{
	seal_find(s, "TENS")->row.stride = 0;
}
static void unknown_codec(struct seal *s)
{
	last(s)->row.codec = 7;
}
static void unknown_section_flag(struct seal *s)
{
	last(s)->row.flags |= 0x80;
}
static void unknown_required(struct seal *s)
{
	add_section(s, "XYZW", 1);
}
static void section_twice(struct seal *s)
{
	add_section(s, "STRS", 0);
}
static void strings_without_end(struct seal *s)
{
	seal_find(s, "STRS")->data[seal_find(s, "STRS")->size - 1] = 'x';
}
static void strings_no_utf8(struct seal *s)
{
	seal_find(s, "STRS")->data[1] = 0xFF;
}
static void unknown_opcode(struct seal *s)
{
	seal_find(s, "WORK")->data[24] = 0xEE;
}
static void work_magic(struct seal *s)
{
	seal_find(s, "WORK")->data[0] ^= 1;
}
static void work_version(struct seal *s)
{
	seal_find(s, "WORK")->data[4] = 99;
}
static void work_cut(struct seal *s)
{
	seal_find(s, "WORK")->size -= 8;
}
static void work_empty(struct seal *s)
{
	seal_find(s, "WORK")->size = 0;
}
/* The first instruction becomes a scope whose body ends at the moon. */
static void work_target(struct seal *s)
{
	static const uint8_t scope[8] = {0x50, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0x7F};

	memcpy(seal_find(s, "WORK")->data + 24, scope, 8);
}
static void code_magic(struct seal *s)
{
	seal_find(s, "CODE")->data[0] ^= 1;
}
static void code_cut(struct seal *s)
{
	seal_find(s, "CODE")->size /= 2;
}
static void tensors_unsorted(struct seal *s)
{
	struct seal_section *t = seal_find(s, "TENS");
	uint8_t row[64];

	memcpy(row, t->data, t->row.stride);
	memcpy(t->data, t->data + t->row.stride, t->row.stride);
	memcpy(t->data + t->row.stride, row, t->row.stride);
}
static void tensor_twice(struct seal *s)
{
	struct seal_section *t = seal_find(s, "TENS");

	memcpy(t->data + t->row.stride, t->data, t->row.stride);
}
static void other_dtype(struct seal *s)
{
	seal_find(s, "TENS")->data[12] = 200;
}

struct change {
	const char *name;
	void (*change)(struct seal *);
	int status;
	const char *says[3];
};
static const struct change changes[] = {
	{"sealed_again_without_a_change_it_runs", nothing, 0, {0}},
	{"another_abi_string_is_named_with_the_known_one", other_abi, 3, {"v11.0", "v10.0"}},
	{"an_empty_abi_string_is_refused", empty_abi, 3, {"v10.0"}},
	{"an_abi_string_without_end_is_refused", abi_without_end, 3, {"v10.0"}},
	{"another_magic_is_no_package", other_magic, 3, {"package"}},
	{"another_format_major_is_named", other_format, 3, {"2"}},
	{"unknown_header_flags_are_refused", unknown_flags, 3, {"flags"}},
	{"a_wrong_total_size_is_refused", wrong_total, 3, {0}},
	{"a_wrong_header_digest_is_refused", wrong_header_digest, 3, {"digest"}},
	{"a_wrong_section_digest_names_the_section", wrong_section_digest, 3, {"WORK", "digest"}},
	{"a_wrong_digest_of_packed_bytes_names_the_section", wrong_packed_digest, 3, {"WORK", "packed", "digest"}},
	{"a_frame_without_its_content_size_is_refused", no_content_size, 3, {"size"}},
	{"a_frame_without_checksum_is_refused", no_checksum, 3, {"checksum"}},
	{"a_size_one_too_small_is_refused", size_too_small, 3, {"STRS"}},
	{"a_size_one_too_large_is_refused", size_too_large, 3, {"STRS"}},
	{"a_section_of_a_terabyte_is_refused", oversized, 3, {"STRS", "limit"}},
	{"a_section_of_all_bytes_there_are_is_refused", all_sizes, 3, {"STRS"}},
	{"a_count_that_is_not_size_by_stride_is_refused", wrong_count, 3, {"TENS"}},
	{"a_stride_of_zero_is_refused", stride_of_zero, 3, {"TENS"}},
	{"an_unknown_codec_is_refused", unknown_codec, 3, {"codec", "7"}},
	{"an_unknown_section_flag_is_refused", unknown_section_flag, 3, {0}},
	{"an_unknown_required_section_is_named", unknown_required, 3, {"XYZW"}},
	{"a_section_given_twice_is_refused", section_twice, 3, {"STRS"}},
	{"strings_without_their_end_are_refused", strings_without_end, 3, {"STRS"}},
	{"strings_that_are_no_utf8_are_refused", strings_no_utf8, 3, {0}},
	{"an_unknown_opcode_is_named", unknown_opcode, 3, {"0xee"}},
	{"bytecode_with_another_magic_is_refused", work_magic, 3, {0}},
	{"bytecode_of_another_version_is_refused", work_version, 3, {"99"}},
	{"bytecode_that_ends_early_is_refused", work_cut, 3, {0}},
	{"empty_bytecode_is_refused", work_empty, 3, {0}},
	{"a_jump_out_of_the_bytecode_is_refused", work_target, 3, {0}},
	{"a_kernel_with_another_magic_is_refused", code_magic, 3, {0}},
	{"kernels_that_end_early_are_refused", code_cut, 3, {0}},
	{"tensors_that_are_not_sorted_are_refused", tensors_unsorted, 3, {"TENS"}},
	{"two_tensors_of_one_id_are_refused", tensor_twice, 3, {"TENS"}},
	{"an_unknown_element_type_is_refused", other_dtype, 3, {"TENS", "200"}},
};

/* The first instruction is not of the entry that is run: a package holds as a whole. */
static void run_change(void)
{
	const struct change *c = CHECK_ROW(changes);
	struct seal s;

	cli_begin();
	REQUIRE_INT(seal_read(&s, kit_path("vectors")), 0);
	c->change(&s);
	REQUIRE_INT(seal_write(&s, bad_path()), 0);
	seal_finish(&s);
	CHECK_INT(cli("$B/ptowsp-run --entry mixed --fill a=ones --out a=a.npy bad.pkg.zst"), c->status);
	if (!c->status)
		return;
	cli_check_sentence();
	CHECK_CONTAINS(cli_err, "bad.pkg.zst");
	for (int i = 0; i < 3 && c->says[i]; i++)
		CHECK_CONTAINS(cli_err, c->says[i]);
	CHECK_STR(cli_out, "");
	CLI_PRINTS(0, "ls -A", "bad.pkg.zst\n");
	CHECK_INT(cli("$B/ptowsp-inspect --verify bad.pkg.zst"), 3);
	cli_check_sentence();
}

/* A last instruction behind all entries. */
TEST(code_that_no_entry_reaches_has_to_be_known)
{
	static const char *const readers[] = {"$B/ptowsp-inspect --verify bad.pkg.zst",
					      "$B/ptowsp-inspect --c bad.pkg.zst",
					      "$B/ptowsp-run --entry mixed --fill a=ones bad.pkg.zst",
					      "$B/ptowsp-run --explain --entry mixed --fill a=ones bad.pkg.zst",
					      "$B/ptowsp-run --plugin=a2a3sim --entry mixed --fill a=ones bad.pkg.zst",
					      "$B/ptowsp-run --plugin=aie --entry mixed --fill a=ones bad.pkg.zst"};
	struct seal_section *work;
	uint32_t count;
	struct seal s;

	cli_begin();
	REQUIRE_INT(seal_read(&s, kit_path("vectors")), 0);
	work = seal_find(&s, "WORK");
	memcpy(&count, work->data + 8, 4);
	memmove(work->data + 24 + (count + 1) * 8, work->data + 24 + count * 8, work->size - 24 - count * 8); /* there are 64 bytes of room behind a section */
	memset(work->data + 24 + count * 8, 0, 8);
	work->data[24 + count++ * 8] = 0xff;
	memcpy(work->data + 8, &count, 4);
	work->size += 8;
	REQUIRE_INT(seal_write(&s, bad_path()), 0);
	seal_finish(&s);
	for (size_t i = 0; i < sizeof(readers) / sizeof(*readers); i++) {
		CLI_ERR(3, readers[i], check_fmt("instruction %u, which no entry reaches: unknown opcode 0xff", count - 1));
	}
}

TEST(an_unknown_optional_section_is_one_diagnostic)
{
	struct seal s;

	cli_begin();
	REQUIRE_INT(seal_read(&s, kit_path("vectors")), 0);
	add_section(&s, "XYZW", 0);
	REQUIRE_INT(seal_write(&s, bad_path()), 0);
	seal_finish(&s);
	CHECK_INT(cli("$B/ptowsp-run --entry mixed --fill a=ones bad.pkg.zst"), 0);
	CHECK_UINT(cli_lines(cli_err), 1);
	CHECK_CONTAINS(cli_err, "XYZW");
	CHECK_INT(cli("$B/ptowsp-inspect bad.pkg.zst"), 0);
}

/* Another level of compression stands for another version of libzstd. */
TEST(the_digest_shown_does_not_depend_on_the_packing)
{
	uint8_t digest[32];
	char text[65], *first;
	struct seal s;

	cli_begin();
	REQUIRE_INT(seal_read(&s, kit_path("vectors")), 0);
	seal_identity(&s, digest);
	for (int i = 0; i < 32; i++)
		snprintf(text + 2 * i, 3, "%02x", digest[i]);
	s.level = 1;
	REQUIRE_INT(seal_write(&s, bad_path()), 0);
	REQUIRE_INT(cli("cmp -s $K/vectors.pkg.zst bad.pkg.zst"), 1);
	CLI_OUT(0, "$B/ptowsp-inspect $K/vectors.pkg.zst | grep digest", text);
	first = strdup(cli_out);
	CLI_PRINTS(0, "$B/ptowsp-inspect bad.pkg.zst | grep digest", first);
	free(first);
	seal_find(&s, "CODE")->data[40] ^= 1;
	REQUIRE_INT(seal_write(&s, bad_path()), 0);
	REQUIRE_INT(cli("$B/ptowsp-inspect bad.pkg.zst | grep digest"), 0);
	CHECK(strstr(cli_out, text) == NULL);
	seal_finish(&s);
}

TEST(the_standard_tool_reads_a_sealed_file)
{
	struct seal s;

	cli_begin();
	REQUIRE_INT(seal_read(&s, kit_path("levels")), 0);
	REQUIRE_INT(seal_write(&s, bad_path()), 0);
	seal_finish(&s);
	CHECK_INT(cli("zstd -qt bad.pkg.zst && zstd -dc bad.pkg.zst >a && zstd -dc $K/levels.pkg.zst >b && cmp a b"), 0);
}

/* ---- many changes --------------------------------------------------------------------------------------------------- */

static unsigned counts[11];

static void run_mutant(const char *args, const char *what)
{
	int status = cli(check_fmt("timeout -k 2 30 $B/ptowsp-run -q --timeout-ms 2000 --max-tasks 2000 --max-memory 100000000 %s bad.pkg.zst", args));

	if (status < 0 || status > 10 || (status && cli_lines(cli_err) != 1))
		CHECK_FAIL("%s: exit %d: \"%s\"", what, status, cli_err);
	else
		counts[status]++;
	status = cli("timeout -k 2 30 $B/ptowsp-inspect --disasm bad.pkg.zst >/dev/null");
	if (status != 0 && status != 3)
		CHECK_FAIL("%s: inspect: exit %d: \"%s\"", what, status, cli_err);
}

/* Bytes of every section in steps, three values each. */
static void mutate(const char *package, const char *args, size_t per_section)
{
	static const uint8_t values[] = {0xFF, 0x01, 0x80};
	struct seal s;

	cli_begin();
	memset(counts, 0, sizeof(counts));
	REQUIRE_INT(seal_read(&s, kit_path(package)), 0);
	for (unsigned i = 0; i < s.count; i++) {
		struct seal_section *section = &s.sections[i];
		size_t step = section->size / (cli_slow() ? per_section / 6 : per_section) + 1;

		for (size_t at = i % step, k = 0; at < section->size; at += step, k++) {
			uint8_t old = section->data[at];

			section->data[at] = k % 3 == 1 ? old + 1 : old ^ values[k % 3];
			REQUIRE_INT(seal_write(&s, bad_path()), 0);
			run_mutant(args,
				   check_fmt("%s: section %.4s, byte %zu: %u instead of %u", package, (char *)&section->row.type, at, section->data[at], old));
			section->data[at] = old;
		}
	}
	seal_finish(&s);
	CHECK(counts[3] > 0);
	CLI_PRINTS(0, "ls -A", "bad.pkg.zst\n");
}

TEST(sealed_mutants_of_a_kernel_are_refused_or_run)
{
	mutate("scale", "--set count=2 --fill src=ones", 40);
}

TEST(sealed_mutants_of_levels_are_refused_or_run)
{
	mutate("levels", "--set n=70 --fill src=ones --schedule task_window=16", 24);
}

TEST(sealed_mutants_of_programs_are_refused_or_run)
{
	mutate("vectors", "--entry pick --set n=6", 24);
}

TEST(sealed_mutants_are_counted_alike_without_kernels)
{
	mutate("vectors", "--no-kernels --entry overlap", 24);
}

void suite_contract_seal(CU_pSuite s)
{
	CHECK_ROWS(s, changes, run_change);
}
