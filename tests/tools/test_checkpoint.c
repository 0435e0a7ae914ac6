/* SPDX-License-Identifier: MIT
 * test_checkpoint.c - checkpoints as files: a run goes on in another process, and files that must be refused. */
#include "tests/check.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "ptowsp/ids.h"
#include "tools/run/checkpoint.h"

/* ---- the format ------------------------------------------------------------------------------------------------ */

static const uint8_t package[CHECKPOINT_DIGEST] = {1, 2, 3};
static char *bytes;
static size_t size;

/* Two tensors of one checkpoint, and an empty one of another. */
static void file_make(void)
{
	static const float floats[3] = {1.5f, -2, 3};
	static const int32_t ints[2] = {7, -8};
	const struct checkpoint_item items[] = {
		{"HALF", "HALF.W", floats, 3, PTOWSP_F32}, {"HALF", "HALF.K", ints, 2, PTOWSP_I32}, {"NONE", "NONE.X", NULL, 0, PTOWSP_U8}};
	FILE *file = tmpfile();

	REQUIRE(file != NULL);
	CHECK_INT(checkpoint_write(file, package, "train", items, 3, NULL), PTOWSP_OK);
	size = (size_t)ftell(file);
	rewind(file);
	bytes = realloc(bytes, size);
	REQUIRE(bytes != NULL);
	CHECK_UINT(fread(bytes, 1, size, file), size);
	fclose(file);
}

TEST(what_is_written_comes_back)
{
	struct checkpoint c;
	struct checkpoint_row row;
	float floats[3];

	file_make();
	REQUIRE_INT(checkpoint_parse(&c, bytes, size, 0, "f", NULL), PTOWSP_OK);
	CHECK(!memcmp(c.header.package, package, sizeof(package)));
	CHECK_STR(c.names + c.header.entry, "train");
	REQUIRE_UINT(c.header.rows, 3);
	row = checkpoint_row_at(&c, 0);
	CHECK_STR(c.names + row.checkpoint, "HALF");
	CHECK_STR(c.names + row.tensor, "HALF.W");
	CHECK_UINT(row.dtype, PTOWSP_F32);
	REQUIRE_UINT(row.elements, 3);
	memcpy(floats, c.data + row.offset, sizeof(floats));
	CHECK_NEAR(floats[1], -2, 0);
	row = checkpoint_row_at(&c, 2);
	CHECK_STR(c.names + row.tensor, "NONE.X");
	CHECK_UINT(row.elements, 0);
	checkpoint_finish(&c);
}

TEST(a_file_cut_anywhere_is_refused)
{
	struct checkpoint c;

	file_make();
	for (size_t cut = 0; cut < size; cut++)
		for (unsigned flags = 0; flags <= CHECKPOINT_UNSEALED; flags++) {
			char *part = malloc(cut + 1); /* its end is where a sanitizer looks */
			struct ptowsp_error error = {.text = ""};

			REQUIRE(part != NULL);
			memcpy(part, bytes, cut);
			if (!checkpoint_parse(&c, part, cut, flags, "f", &error) || !*error.text)
				CHECK_FAIL("a file of %zu bytes is accepted", cut);
			free(part);
		}
}

TEST(every_flipped_bit_is_found)
{
	struct checkpoint c;

	file_make();
	for (size_t at = 0; at < size * 8; at++) {
		bytes[at / 8] = (char)(bytes[at / 8] ^ 1 << at % 8);
		if (!checkpoint_parse(&c, bytes, size, 0, "f", NULL))
			CHECK_FAIL("bit %zu of byte %zu may be anything", at % 8, at / 8);
		bytes[at / 8] = (char)(bytes[at / 8] ^ 1 << at % 8);
	}
}

enum { ROW = sizeof(struct checkpoint_header) };
TEST(every_wrong_field_has_its_sentence)
{
	static const struct {
		size_t at, bytes;
		uint64_t value;
		const char *text;
	} rows[] = {
		{0, 4, 0, "f is no checkpoint; ptowsp-run --checkpoint=FILE writes one"},
		{4, 4, 2, "checkpoint f has version 2, this program reads version 1"},
		{8, 4, UINT32_MAX, "its header tells of other sizes than the"},
		{12, 4, UINT32_MAX, "its header tells of other sizes than the"},
		{16, 8, UINT64_MAX, "its header tells of other sizes than the"},
		{60, 4, 1, "its header tells of other sizes than the"},
		{56, 4, 4096, "its names do not end, or lack the entry's"},
		{ROW, 4, UINT32_MAX, "row 0 has its name outside of the names"},
		{ROW + 4, 4, 4096, "row 0 has its name outside of the names"},
		{ROW + 8, 2, 999, "row 0 has an unknown element type"},
		{ROW + 10, 2, 1, "row 0 has an unknown element type"},
		{ROW + 16, 8, UINT64_MAX, "row 0 has its content outside of the file"},
		{ROW + 32 + 16, 8, UINT64_MAX / 4 + 1, "row 1 has its content outside of the file"},
		{ROW + 24, 8, UINT64_MAX, "row 0 has its content outside of the file"},
		{ROW + 24, 8, 9, "row 0 has its content outside of the file"},
	};
	struct ptowsp_error error;
	struct checkpoint c;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		file_make();
		memcpy(bytes + rows[i].at, &rows[i].value, rows[i].bytes);
		error.text[0] = '\0';
		CHECK_INT(checkpoint_parse(&c, bytes, size, CHECKPOINT_UNSEALED, "f", &error), PTOWSP_INVALID);
		CHECK_CONTAINS(error.text, rows[i].text);
		CHECK(!c.rows && !c.names);
	}
}

TEST(a_name_does_not_begin_where_the_names_end)
{
	for (size_t at = ROW; at <= ROW + 4; at += 4) {
		struct ptowsp_error error = {.text = ""};
		struct checkpoint c;

		file_make();
		memcpy(bytes + at, bytes + offsetof(struct checkpoint_header, names_size), 4);
		CHECK_INT(checkpoint_parse(&c, bytes, size, CHECKPOINT_UNSEALED, "f", &error), PTOWSP_INVALID);
		CHECK_STR(error.text, "checkpoint f: row 0 has its name outside of the names");
	}
}

/* ---- runs ------------------------------------------------------------------------------------------------------ */

/* Two steps, a checkpoint, and as many as are left; with resume it begins at the checkpoint. */
static const char train[] =
	"symbol %resume : u64 = 0\nsymbol %steps : u64 = 5\n"
	"func @step(%w: !pto.memref<gm,...,f32>, %x: !pto.memref<gm,...,f32>) {\n"
	"  %t = alloc_tile : !pto.tile<8x8xf32>\n  %u = alloc_tile : !pto.tile<8x8xf32>\n  %t = tload %w[0, 0]\n  %u = tload %x[0, 0]\n"
	"  %t = tmuls %t, %0.5\n  %t = tadd %t, %u\n  tstore %t, %w[0, 0]\n  return\n}\n"
	"graph @train {\nMC_ALLOC(W, 256)\nTG_BEGIN(STEP)\n TG_KERNEL(A, step, 1, AIV, 0)\n MC_BIND(A, 0, W) MC_BIND(A, 1, X, 0, 256)\nTG_END(STEP)\n"
	"CF_IF(resume == 0)\n CF_LOOP(2, i)\n  TG_INVOKE(STEP, i)\n CF_ENDLOOP\n TG_CHECKPOINT(STEP, HALF)\nCF_ELSE\n TG_RESTORE(STEP, HALF)\nCF_ENDIF\n"
	"CF_IF(resume < 2)\n CF_LOOP(steps - 2, k)\n  TG_INVOKE(STEP, k + 2)\n CF_ENDLOOP\nCF_ELSE\n TG_CHECKPOINT(STEP, LATE)\nCF_ENDIF\n"
	"MC_COPY(W, OUT, 256)\n}\n"
	"graph @other {\nTG_BEGIN(G)\n TG_KERNEL(A, step, 1, AIV, 0)\n MC_BIND(A, 0, Y, 0, 256) MC_BIND(A, 1, X, 0, 256)\nTG_END(G)\nTG_LAUNCH(G, s)\n"
	"TG_CHECKPOINT(G, HALF)\n}\n"
	"graph @none {\nTG_BEGIN(G)\n TG_KERNEL(A, step, 1, AIV, 0)\n MC_BIND(A, 0, Y, 0, 256) MC_BIND(A, 1, X, 0, 256)\nTG_END(G)\nTG_LAUNCH(G, s)\n}\n";

static char folder[512];

static void begin(void)
{
	snprintf(folder, sizeof(folder), "%s", check_tmp());
}

static void pack(const char *name, const char *text)
{
	REQUIRE(check_write(check_fmt("%s/%s.pto", folder, name), text, strlen(text)));
	REQUIRE_INT(check_run(check_fmt("cd '%s' && '%s/bin/ptowsp-pack' %s.pto -o %s.pkg.zst", folder, check_build(), name, name), NULL, NULL), 0);
}

/* ptowsp-run with these options, in the test's folder. */
static void run_is(const char *options, int exit, const char *err_is)
{
	char *err;

	CHECK_INT(check_run(check_fmt("cd '%s' && '%s/bin/ptowsp-run' --fill X=iota %s", folder, check_build(), options), NULL, &err), exit);
	CHECK_STR(err, err_is);
	free(err);
}

TEST(a_run_goes_on_in_another_process)
{
	begin();
	pack("train", train);
	for (int threads = 1; threads <= 2; threads++) {
		run_is(check_fmt("--threads %d --entry train --out OUT=whole.npy train.pkg.zst", threads), 0, "");
		run_is(check_fmt("--threads %d --entry train --set steps=2 --checkpoint=half train.pkg.zst", threads), 0, "");
		run_is(check_fmt("--threads %d --entry train --set resume=1 --restore=half --expect OUT=whole.npy --rtol 0 --atol 0 train.pkg.zst", threads), 0,
		       "ptowsp-run: half has no checkpoint LATE; it holds zeros until it is taken\n");
	}
	/* without the file there is nothing to go on from */
	run_is("--entry train --set resume=1 train.pkg.zst", 0,
	       "ptowsp-run: TG_RESTORE brought back zeros as checkpoint HALF, which the run had not taken before and did not begin with; give one with "
	       "--restore=FILE\n");
	run_is("--quiet --entry train --set resume=1 --expect OUT=whole.npy train.pkg.zst", 6,
	       "ptowsp-run: \"OUT\" is not as expected: 63 of 64 elements exceed rtol 1e-05, atol 1e-06; first [1]: 1.75 against 1.9375, worst [63]: 110.25 "
	       "against "
	       "122.0625\n");
}

/* What was restored and not taken again is in the next file too. */
TEST(checkpoints_are_carried_on)
{
	struct checkpoint c;

	begin();
	pack("train", train);
	run_is("--entry train --checkpoint=one train.pkg.zst", 0, "");
	run_is("--quiet --entry train --set resume=2 --restore=one --checkpoint=two train.pkg.zst", 0, "");
	REQUIRE_INT(checkpoint_read(&c, check_fmt("%s/two", folder), NULL), PTOWSP_OK);
	CHECK_UINT(c.header.rows, 2);
	checkpoint_finish(&c);
	run_is("--entry train --set resume=1 --restore=two train.pkg.zst", 0, "");
}

/* Two checkpoints, of which symbols say whether they are taken; the second one comes back in two rounds. */
static const char two[] = "symbol %left : u64 = 1\nsymbol %right : u64 = 1\nsymbol %from : u64 = 0\n"
			  "func @copy(%x: !pto.memref<gm,...,f32>, %y: !pto.memref<gm,...,f32>) {\n"
			  "  %t = alloc_tile : !pto.tile<8x8xf32>\n  %t = tload %x[0, 0]\n  tstore %t, %y[0, 0]\n  return\n}\n"
			  "graph @two {\nMC_ALLOC(A, 256)\nMC_ALLOC(B, 256)\n"
			  "TG_BEGIN(LEFT)\n TG_KERNEL(K, copy, 1, AIV, 0)\n MC_BIND(K, 0, X, 0, 256) MC_BIND(K, 1, A)\nTG_END(LEFT)\n"
			  "TG_BEGIN(RIGHT)\n TG_KERNEL(L, copy, 1, AIV, 0)\n MC_BIND(L, 0, X, 0, 256) MC_BIND(L, 1, B)\nTG_END(RIGHT)\n"
			  "TG_LAUNCH(LEFT, s)\nTG_LAUNCH(RIGHT, s)\n"
			  "CF_IF(left)\n TG_CHECKPOINT(LEFT, FIRST)\nCF_ENDIF\nTG_RESTORE(LEFT, FIRST)\n"
			  "CF_LOOP(2, i)\n CF_IF(right && i >= from)\n  TG_CHECKPOINT(RIGHT, SECOND)\n CF_ENDIF\n TG_RESTORE(RIGHT, SECOND)\nCF_ENDLOOP\n"
			  "MC_COPY(B, OUT, 256)\n}\n";

#define ZEROS(name)                                                                                                                                            \
	"ptowsp-run: TG_RESTORE brought back zeros as checkpoint " name ", which the run had not taken before and did not begin with; "                        \
	"give one with --restore=FILE\n"

TEST(what_was_not_there_when_it_was_brought_back_is_said)
{
	begin();
	pack("two", two);
	for (int threads = 1; threads <= 2; threads++) {
		run_is(check_fmt("--threads %d --checkpoint=both two.pkg.zst", threads), 0, "");
		run_is(check_fmt("--threads %d two.pkg.zst", threads), 0, "");
		run_is(check_fmt("--threads %d --set right=0 --checkpoint=first two.pkg.zst", threads), 0, ZEROS("SECOND"));
		run_is(check_fmt("--threads %d --set left=0 --set right=0 two.pkg.zst", threads), 0, ZEROS("SECOND") ZEROS("FIRST"));
		/* the first round finds nothing, the second what was taken */
		run_is(check_fmt("--threads %d --set from=1 --checkpoint=late two.pkg.zst", threads), 0, ZEROS("SECOND"));
		run_is(check_fmt("--threads %d --set left=0 --set right=0 --restore=late two.pkg.zst", threads), 0, "");
		run_is(check_fmt("--threads %d --set left=0 --set from=1 --restore=both two.pkg.zst", threads), 0, "");
		run_is(check_fmt("--threads %d --set left=0 --set from=1 --restore=first two.pkg.zst", threads), 0,
		       "ptowsp-run: first has no checkpoint SECOND; it holds zeros until it is taken\n" ZEROS("SECOND"));
	}
	run_is("--quiet --set right=0 two.pkg.zst", 0, "");
	run_is("--quiet --no-kernels --set right=0 two.pkg.zst", 0, "");
}

TEST(wrong_files_and_wrong_use_are_a_sentence)
{
	begin();
	pack("train", train);
	pack("again", check_fmt("%sgraph @more {\n}\n", train));
	run_is("--entry train --checkpoint=half train.pkg.zst", 0, "");
	run_is("--entry train --restore=half again.pkg.zst", 2,
	       "ptowsp-run: --restore half: it was written by a run of another package, or of this one before it was packed again\n");
	run_is("--entry other --restore=half train.pkg.zst", 2, "ptowsp-run: --restore half: it was written by entry train, this is other\n");
	run_is("--entry none --checkpoint=x train.pkg.zst", 2, "ptowsp-run: --checkpoint: entry none has no TG_CHECKPOINT\n");
	run_is("--quiet --entry train --set resume=1 --checkpoint=x train.pkg.zst", 2, "ptowsp-run: --checkpoint x: the run took no checkpoint\n");
	run_is("--entry train --no-kernels --checkpoint=x train.pkg.zst", 2, "ptowsp-run: --checkpoint needs kernels to run, leave out --no-kernels\n");
	run_is("--entry train --device=cpu0,cpu1 --restore=half train.pkg.zst", 2, "ptowsp-run: --restore is for a run on one device, not on cpu0,cpu1\n");
	run_is("--entry train --restore=nofile train.pkg.zst", 2, "ptowsp-run: checkpoint nofile cannot be opened: No such file or directory\n");
	run_is("--entry train --restore=train.pto train.pkg.zst", 2, "ptowsp-run: train.pto is no checkpoint; ptowsp-run --checkpoint=FILE writes one\n");
	CHECK_INT(check_run(check_fmt("cd '%s' && test ! -e x && cp half good && printf X | dd of=half bs=1 seek=180 conv=notrunc 2>/dev/null", folder), NULL,
			    NULL),
		  0);
	run_is("--entry train --restore=half train.pkg.zst", 2,
	       "ptowsp-run: checkpoint half is damaged: its content does not have the digest at its end; write it again\n");
	/* a run that fails leaves the file as it was */
	run_is("--entry train --max-tasks 3 --checkpoint=good train.pkg.zst", 10, "ptowsp-run: the program makes more than 3 tasks; raise --max-tasks\n");
	run_is("--quiet --entry train --restore=good train.pkg.zst", 0, "");
}
