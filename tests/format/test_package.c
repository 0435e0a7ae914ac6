/* SPDX-License-Identifier: MIT
 * test_package.c - reading packages: container, sections, tables, sample data. */
#include "format/fail.h"
#include "format/format_package.h"
#include "format/format_seal.h"
#include "format/writer.h"
#include "ptowsp/workload.h"
#include "tests/check.h"
#include "tests/format/sample.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ptowsp_error error;

/* The sample package, changed by `change`, sealed again and opened. Status in *status_out; NULL package unless OK. */
static struct pkg *open_changed(void (*change)(struct pkg_image *image), const struct pkg_limits *limits, ptowsp_status *status_out, void **bytes_out)
{
	struct pkg_image image;
	struct pkg *package = NULL;
	size_t size;
	void *bytes = sample_seal(&size, &error);

	*bytes_out = NULL;
	*status_out = bytes ? pkg_image_read(&image, bytes, size, "sample", &error) : PTOWSP_NO_MEMORY;
	free(bytes);
	if (!bytes)
		return NULL;
	if (!*status_out && change)
		change(&image);
	if (!*status_out)
		*status_out = pkg_image_seal(&image, bytes_out, &size, &error);
	pkg_image_finish(&image);
	if (!*status_out)
		*status_out = pkg_open_memory(&package, *bytes_out, size, "sample", limits, &error);
	return package;
}

TEST(package_gives_every_table_back)
{
	size_t size;
	void *bytes = sample_seal(&size, &error);
	struct pkg *package;
	const struct pkg_tables *t;
	uint32_t count;

	REQUIRE(bytes != NULL);
	REQUIRE_INT(pkg_open_memory(&package, bytes, size, "sample", NULL, &error), PTOWSP_OK);
	t = pkg_tables(package);
	CHECK_STR(pkg_name(package), "sample");
	CHECK_STR(pkg_meta(package, "version"), "1.0");
	CHECK(pkg_meta(package, "nothing") == NULL);
	CHECK_STR(pkg_targets(package, &count)[0], "cpu_sim");
	CHECK_UINT(count, 1);
	CHECK_UINT(t->kernel_count, 1);
	CHECK_STR(pkg_string(t, t->kernel[0].name), "add");
	CHECK_UINT(t->tensor_count, 3);
	CHECK_UINT(t->expr_count, 7);
	CHECK_UINT(t->slot[0].value, 128);
	CHECK_UINT(t->directive_count, 2);
	CHECK_UINT(t->code_size, 96);
	CHECK_UINT(t->raw_work_size, 24 + 6 * 8 + 5 * 4);
	CHECK(pkg_notice(package, 0) == NULL);
	pkg_close(package);
	free(bytes);
}

TEST(sections_for_plugins_are_aligned_and_leave_sample_bytes_out)
{
	ptowsp_status status;
	void *bytes;
	struct pkg *package = open_changed(NULL, NULL, &status, &bytes);
	const struct ptowsp_section *sections;
	uint32_t count;

	REQUIRE_INT(status, PTOWSP_OK);
	sections = pkg_sections(package, &count);
	CHECK_UINT(count, 22);
	for (uint32_t i = 0; i < count; i++) {
		CHECK_UINT((uintptr_t)sections[i].data % 64, 0);
		CHECK(sections[i].type != PTOWSP_SECTION_TBLB);
	}
	pkg_close(package);
	free(bytes);
}

TEST(sample_data_come_with_their_tensor)
{
	ptowsp_status status;
	void *bytes;
	struct pkg *package = open_changed(NULL, NULL, &status, &bytes);
	const struct pkg_tables *t;

	REQUIRE_INT(status, PTOWSP_OK);
	t = pkg_tables(package);
	REQUIRE_UINT(t->sample_count, 3);
	for (uint32_t i = 0; i < 3; i++) {
		const void *data;
		uint64_t size;
		float second;

		REQUIRE_INT(pkg_sample_bytes(package, i, &data, &size, &error), PTOWSP_OK);
		CHECK_UINT(size, 512);
		memcpy(&second, (const char *)data + 4, 4);
		switch (*pkg_string(t, t->tensor[t->sample[i].tensor].name)) {
		case 'x': CHECK_NEAR(second, 1, 0); break;
		case 'y': CHECK_NEAR(second, 2, 0); break;
		default: CHECK_NEAR(second, 3, 0);
		}
	}
	pkg_close(package);
	free(bytes);
}

/* The digest of TBLB is compared when its bytes are first asked for, not before. */
TEST(damaged_sample_data_are_refused_when_used)
{
	size_t size;
	uint8_t *bytes = sample_seal(&size, &error);
	struct pkg *package;
	const void *data;
	uint64_t got;

	REQUIRE(bytes != NULL);
	for (size_t toc = 8 + 96; toc < 8 + 96 + 23 * 96; toc += 96)
		if (!memcmp(bytes + toc, "TBLB", 4))
			bytes[toc + 48] ^= 1; /* its digest */
	pkg_header_seal(bytes, size);
	REQUIRE_INT(pkg_open_memory(&package, bytes, size, "sample", NULL, &error), PTOWSP_OK);
	CHECK_INT(pkg_sample_bytes(package, 0, &data, &got, &error), PTOWSP_BAD_PACKAGE);
	CHECK_STR(error.text, "sample: section TBLB does not match its digest: the file is damaged; copy or pack it again");
	pkg_close(package);
	free(bytes);
}

static void *samples_read(void *context)
{
	const void *data;
	uint64_t size;

	for (uint32_t i = 0; i < 3; i++)
		if (pkg_sample_bytes(context, i, &data, &size, NULL) || size != 512)
			return NULL;
	return context;
}

TEST(sample_data_may_be_read_by_several_threads)
{
	ptowsp_status status;
	void *bytes, *done;
	struct pkg *package = open_changed(NULL, NULL, &status, &bytes);
	pthread_t threads[4];

	REQUIRE_INT(status, PTOWSP_OK);
	for (int i = 0; i < 4; i++)
		REQUIRE_INT(pthread_create(&threads[i], NULL, samples_read, package), 0);
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], &done);
		CHECK(done == package);
	}
	pkg_close(package);
	free(bytes);
}

static void section_restride(struct pkg_image *image, uint32_t type, uint32_t stride)
{
	struct pkg_image_section *s = pkg_image_find(image, type);
	uint8_t *data = calloc(s->count, stride);
	size_t each = stride < s->stride ? stride : s->stride;

	for (size_t i = 0; data && i < s->count; i++) {
		memset(data + i * stride, 0x5A, stride);
		memcpy(data + i * stride, s->data + i * s->stride, each);
	}
	free(s->data);
	s->data = data;
	s->stride = stride;
	s->size = s->count * stride;
}

static void tensors_lengthen(struct pkg_image *image)
{
	section_restride(image, PTOWSP_SECTION_TENS, 48);
}

TEST(records_that_are_longer_are_cut)
{
	ptowsp_status status;
	void *bytes;
	struct pkg *package = open_changed(tensors_lengthen, NULL, &status, &bytes);

	CHECK_INT(status, PTOWSP_OK);
	REQUIRE(package != NULL);
	CHECK_UINT(pkg_tables(package)->tensor_count, 3);
	CHECK_UINT(pkg_tables(package)->tensor[2].alignment, 512);
	pkg_close(package);
	free(bytes);
}

static void payloads_shorten(struct pkg_image *image)
{
	section_restride(image, PTOWSP_SECTION_KPAY, 40); /* without cycles */
}

TEST(records_that_are_shorter_read_as_zero)
{
	ptowsp_status status;
	void *bytes;
	struct pkg *package = open_changed(payloads_shorten, NULL, &status, &bytes);

	CHECK_INT(status, PTOWSP_OK);
	REQUIRE(package != NULL);
	CHECK_UINT(pkg_tables(package)->payload[0].size, 96);
	CHECK_UINT(pkg_tables(package)->payload[0].cycles, 0);
	pkg_close(package);
	free(bytes);
}

static void section_add(struct pkg_image *image, uint32_t flags)
{
	struct pkg_image_section s = {PTOWSP_SECTION('N', 'E', 'W', '1'), flags, 1, 4, calloc(1, 4), 4};

	image->sections[image->section_count++] = s;
}

static void optional_add(struct pkg_image *image)
{
	section_add(image, 0);
}

TEST(unknown_optional_section_gives_one_notice)
{
	ptowsp_status status;
	void *bytes;
	struct pkg *package = open_changed(optional_add, NULL, &status, &bytes);

	CHECK_INT(status, PTOWSP_OK);
	REQUIRE(package != NULL);
	CHECK_STR(pkg_notice(package, 0), "section NEW1 is optional and unknown to this build: left out");
	CHECK(pkg_notice(package, 1) == NULL);
	pkg_close(package);
	free(bytes);
}

static void required_add(struct pkg_image *image)
{
	section_add(image, 1);
}

TEST(unknown_required_section_is_refused_by_name)
{
	ptowsp_status status;
	void *bytes;
	struct pkg *package = open_changed(required_add, NULL, &status, &bytes);

	CHECK(package == NULL);
	CHECK_INT(status, PTOWSP_BAD_PACKAGE);
	CHECK_STR(error.text, "sample: section NEW1 is required and this build does not know it; use a newer ptowsp");
	free(bytes);
}

TEST(limits_are_obeyed_before_anything_is_decompressed)
{
	const struct pkg_limits section = {.section_bytes = 600}, total = {.total_bytes = 1000};
	ptowsp_status status;
	void *bytes;

	CHECK(open_changed(NULL, &section, &status, &bytes) == NULL);
	CHECK_INT(status, PTOWSP_BAD_PACKAGE);
	CHECK_CONTAINS(error.text, "bytes are more than the limit of 600");
	free(bytes);
	CHECK(open_changed(NULL, &total, &status, &bytes) == NULL);
	CHECK_INT(status, PTOWSP_BAD_PACKAGE);
	CHECK_CONTAINS(error.text, "more bytes than the limit of 1000");
	free(bytes);
}

TEST(package_is_cut_at_every_byte_and_refused)
{
	size_t size;
	uint8_t *bytes = sample_seal(&size, &error);
	struct pkg *package;

	REQUIRE(bytes != NULL);
	for (size_t cut = 0; cut < size; cut++) {
		uint8_t *part = malloc(cut + 1); /* its own block, so that a read beyond it is seen */

		REQUIRE(part != NULL);
		memcpy(part, bytes, cut);
		if (pkg_open_memory(&package, part, cut, "cut", NULL, &error) != PTOWSP_BAD_PACKAGE)
			CHECK_FAIL("a package cut to %zu of %zu bytes is not refused", cut, size);
		free(part);
	}
	free(bytes);
}

TEST(file_that_is_missing_is_named)
{
	struct pkg *package;

	CHECK_INT(pkg_open(&package, "/nowhere/a.pkg.zst", NULL, &error), PTOWSP_IO);
	CHECK_STR(error.text, "/nowhere/a.pkg.zst cannot be opened: No such file or directory");
	CHECK_INT(pkg_open(&package, "/", NULL, &error), PTOWSP_IO);
	CHECK(package == NULL);
}

/* A name longer than its room is told by its end. */
TEST(long_names_are_told_by_their_end)
{
	static const struct {
		int length, shown;
		bool is_file;
	} rows[] = {{72, 72, false}, {73, 72, false}, {200, 72, false}, {120, 120, true}, {121, 120, true}, {220, 120, true}};
	struct pkg *package;
	char name[256];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *shown = name + rows[i].length - rows[i].shown;

		snprintf(name, sizeof(name), "/nowhere/%0*d", rows[i].length - 9, 7);
		CHECK_INT(rows[i].is_file ? pkg_open(&package, name, NULL, &error) : pkg_open_memory(&package, "none", 4, name, NULL, &error),
			  rows[i].is_file ? PTOWSP_IO : PTOWSP_BAD_PACKAGE);
		CHECK_CONTAINS(error.text, check_fmt("%s%s%s ", rows[i].length > rows[i].shown ? "..." : "", shown, rows[i].is_file ? "" : ":"));
		CHECK(!strncmp(error.text, "...", 3) == (rows[i].length > rows[i].shown));
	}
}

/* Sentences have 215 bytes. */
TEST(sentences_end_in_whole_characters)
{
	static const char *const characters[] = {"x", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"};
	char text[400];

	for (size_t width = 1; width <= 4; width++)
		for (size_t lead = 0; lead < 4; lead++) {
			memset(text, 'a', lead);
			for (size_t at = lead; at < sizeof(text); at += width)
				memcpy(text + at, characters[width - 1], at + width < sizeof(text) ? width : 1);
			text[sizeof(text) - 4] = '\0';
			CHECK_INT(pkg_fail(&error, PTOWSP_BAD_PACKAGE, "%s", text), PTOWSP_BAD_PACKAGE);
			CHECK(!memcmp(error.text, text, strlen(error.text)));
			CHECK_UINT((strlen(error.text) - lead) % width, 0);
			CHECK(strlen(error.text) + 2 * width > 215);
		}
	pkg_fail(&error, PTOWSP_BAD_PACKAGE, "%.107s\xC3\xA9", text);
	CHECK_UINT(strlen(error.text), 109);
	pkg_fail(&error, PTOWSP_BAD_PACKAGE, "a\tb\nc\x1F%c \x7F~", '\x01');
	CHECK_STR(error.text, "a?b?c?? ?~");
	CHECK(error.code == PTOWSP_BAD_PACKAGE && error.domain == PTOWSP_DOMAIN_HOST && error.where[0] == UINT64_MAX && error.where[1] == UINT64_MAX);
	CHECK_INT(pkg_fail(NULL, PTOWSP_IO, "nobody asks"), PTOWSP_IO);
}

TEST(zstd_accepts_the_file)
{
	const char *path = check_fmt("%s/sample.pkg.zst", check_tmp());
	size_t size;
	void *bytes = sample_seal(&size, &error);
	char *out = NULL;

	REQUIRE(bytes != NULL);
	REQUIRE(check_write(path, bytes, size));
	free(bytes);
	if (check_run("command -v zstd", NULL, NULL))
		CHECK_SKIP("the zstd program is not installed");
	CHECK_INT(check_run(check_fmt("zstd -q -t '%s'", path), NULL, NULL), 0);
	CHECK_INT(check_run(check_fmt("zstd -l '%s'", path), NULL, NULL), 0);
	CHECK_INT(check_run(check_fmt("zstd -q -dc '%s' | grep -a -c payload", path), &out, NULL), 0);
	free(out);
}

TEST(writer_gives_the_same_bytes_each_time)
{
	size_t first_size, second_size;
	void *first = sample_seal(&first_size, &error), *second = sample_seal(&second_size, &error);

	REQUIRE(first && second);
	REQUIRE_UINT(first_size, second_size);
	CHECK_MEM(first, second, first_size);
	free(first);
	free(second);
}

TEST(writer_interns_strings)
{
	struct pkg_writer *w = pkg_writer_create();
	uint32_t first;

	REQUIRE(w != NULL);
	CHECK_UINT(pkg_writer_string(w, ""), 0);
	first = pkg_writer_string(w, "one");
	for (int i = 0; i < 1000; i++)
		pkg_writer_string(w, check_fmt("name_%d", i));
	CHECK_UINT(pkg_writer_string(w, "one"), first);
	CHECK(pkg_writer_string(w, "name_999") != pkg_writer_string(w, "name_998"));
	pkg_writer_destroy(w);
}

TEST(writer_refuses_what_could_not_be_read)
{
	struct pkg_writer *w = pkg_writer_create();
	struct ptowsp_axis_record axis = {.low = 5};
	size_t size;
	void *bytes;

	REQUIRE(w != NULL);
	pkg_writer_row(w, PTOWSP_SECTION_AXES, &axis, sizeof(axis));
	CHECK_INT(pkg_writer_seal(w, &bytes, &size, &error), PTOWSP_BAD_PACKAGE);
	CHECK_STR(error.text, "new package: AXES[0].low is 5: EXPR has 0 rows");
	CHECK(bytes == NULL);
	pkg_writer_destroy(w);
}

/* `kernels` of them, each with the same 65,535 payloads. */
static struct pkg_writer *payloads_shared(int kernels)
{
	static const uint8_t code[64] = "code";
	struct ptowsp_payload_record payload = {.kind = PTOWSP_PAYLOAD_PTO, .size = sizeof(code)};
	struct pkg_writer *w = pkg_writer_create();

	if (!w)
		return NULL;
	payload.offset = pkg_writer_bytes(w, PTOWSP_SECTION_CODE, code, sizeof(code), 64);
	for (int i = 0; i < 65535; i++)
		pkg_writer_row(w, PTOWSP_SECTION_KPAY, &payload, sizeof(payload));
	for (int i = 0; i < kernels; i++) {
		const char *name = check_fmt("k%d", i);
		struct ptowsp_kernel_record kernel = {.id = ptowsp_id(name, strlen(name)), .name = pkg_writer_string(w, name), .payload_count = 65535};

		pkg_writer_row(w, PTOWSP_SECTION_KREG, &kernel, sizeof(kernel));
	}
	return w;
}

/* 4,200 kernels, or 4,200 tensors of a task, would be 275 million pairs. */
TEST(payloads_that_many_share_are_not_compared_for_ever)
{
	static struct {
		struct ptowsp_workload_header header;
		struct ptowsp_instruction code[4200];
		uint32_t kernel;
	} work = {{PTOWSP_WORKLOAD_MAGIC, PTOWSP_WORKLOAD_VERSION, 4200, 0, 1, 0}, {{.opcode = PTOWSP_OP_TASK}}, 0};
	struct pkg_writer *w = payloads_shared(4200);
	size_t size;
	void *bytes;

	REQUIRE(w != NULL);
	REQUIRE_INT(pkg_writer_sort(w, &error), PTOWSP_OK);
	CHECK_INT(pkg_writer_seal(w, &bytes, &size, &error), PTOWSP_BAD_PACKAGE);
	CHECK_STR(error.text,
		  "new package: KREG[4096]: so many kernels share so many portable payloads that there are more than 268435456 parameters to compare");
	pkg_writer_destroy(w);
	w = payloads_shared(1);
	REQUIRE(w != NULL);
	for (int i = 1; i < 4200; i++)
		work.code[i].opcode = PTOWSP_OP_IO_INPUT;
	pkg_writer_bytes(w, PTOWSP_SECTION_WORK, &work, sizeof(work), 0);
	CHECK_INT(pkg_writer_seal(w, &bytes, &size, &error), PTOWSP_BAD_PACKAGE);
	CHECK_STR(error.text, "new package: WORK[4097]: so many tasks have kernels with so many payloads that there are more than 268435456 to compare");
	pkg_writer_destroy(w);
}
