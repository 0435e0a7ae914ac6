/* SPDX-License-Identifier: MIT
 * test_package_doc.c - packages/FORMAT.md says what the code does. */
#include "format/container.h"
#include "format/json/json.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

TEST(tables_are_those_of_records_def)
{
	char *err = NULL;

	CHECK_INT(check_run(check_fmt("'%s/obj/tools/format_tables' --check '%s/packages/FORMAT.md'", check_build(), check_root()), NULL, &err), 0);
	CHECK_STR(err, "");
	free(err);
}

TEST(header_offsets_are_those_of_the_struct)
{
	static const struct {
		const char *field;
		size_t offset, size;
	} fields[] = {
#define FIELD(name) {#name, PKG_FRAME_HEAD + offsetof(struct pkg_header, name), sizeof(((struct pkg_header *)NULL)->name)}
		FIELD(format_major), FIELD(format_minor), FIELD(header_size),  FIELD(total_size),    FIELD(flags),  FIELD(section_count),
		FIELD(toc_offset),   FIELD(toc_stride),   FIELD(target_count), FIELD(target_bytes),  FIELD(digest),
#undef FIELD
#define FIELD(name) {#name, offsetof(struct pkg_toc_row, name), sizeof(((struct pkg_toc_row *)NULL)->name)}
		FIELD(type),         FIELD(flags),        FIELD(codec),        FIELD(stride),        FIELD(offset), FIELD(packed_size),
		FIELD(size),         FIELD(count),        FIELD(digest),       FIELD(packed_digest),
#undef FIELD
	};
	char *text = check_read(check_fmt("%s/packages/FORMAT.md", check_root()), NULL);

	REQUIRE(text != NULL);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		CHECK_CONTAINS(text, check_fmt("| %zu | %zu | %s |", fields[i].offset, fields[i].size, fields[i].field));
	free(text);
}

TEST(example_in_json_is_a_package)
{
	char *text = check_read(check_fmt("%s/packages/FORMAT.md", check_root()), NULL), *from, *end;
	struct ptowsp_error error = {.code = PTOWSP_OK};
	struct pkg_writer *w = pkg_writer_create();
	void *bytes = NULL;
	size_t size;

	REQUIRE(text && w);
	from = strstr(text, "```json\n");
	REQUIRE(from != NULL);
	from += strlen("```json\n");
	end = strstr(from, "```");
	REQUIRE(end != NULL);
	CHECK_INT(pkg_from_json(w, from, (size_t)(end - from), "FORMAT.md", &error), PTOWSP_OK);
	CHECK_INT(pkg_writer_seal(w, &bytes, &size, &error), PTOWSP_OK);
	CHECK_STR(error.text, "");
	pkg_writer_destroy(w);
	free(bytes);
	free(text);
}
