/* SPDX-License-Identifier: MIT */
/* fuzz_ptog.c - any bytes as section GRPH: refused with a sentence, or instructions that can be shown as source and as JSON. What is
 * shown as JSON is read again and gives the same bytes, unless it has tables that this build does not know. */
#include "format/graph/graph_read.h"
#include "format/json/json.h"
#include "format/writer.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char strings[] = "\0k\0name\0x";

static void show(const struct pkg_tables *tables)
{
	static FILE *nowhere;
	const struct pkg_place place = {"input", NULL};
	struct pkg_graphs graphs;

	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	if (pkg_graphs_read(&graphs, tables, &place))
		abort();
	for (uint32_t i = 0; i < graphs.count; i++)
		pkg_graph_print(&graphs.rows[i], tables, nowhere);
	pkg_graphs_finish(&graphs);
}

/* The whole way of a package: written, opened, as JSON, and from JSON. */
static void travel(const uint8_t *data, size_t size)
{
	struct pkg_writer *writer = pkg_writer_create(), *again = pkg_writer_create();
	struct ptowsp_error error;
	struct pkg *package = NULL;
	void *bytes = NULL;
	size_t bytes_size;
	char *json = NULL;

	for (size_t at = 1; at < sizeof(strings); at += strlen(strings + at) + 1)
		pkg_writer_string(writer, strings + at);
	pkg_writer_bytes(writer, PTOWSP_SECTION_GRPH, data, size, 1);
	if (pkg_writer_seal(writer, &bytes, &bytes_size, &error) || pkg_open_memory(&package, bytes, bytes_size, "input", NULL, &error) ||
	    pkg_to_json(package, &json, &error) || pkg_from_json(again, json, strlen(json), "json", &error))
		abort();
	free(json);
	pkg_close(package);
	free(bytes);
	pkg_writer_destroy(writer);
	pkg_writer_destroy(again);
}

bool LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ptowsp_error error = {.code = PTOWSP_OK};
	const struct pkg_place place = {"input", &error};
	struct pkg_tables tables = {.strings = strings, .strings_size = sizeof(strings), .graph = data, .graph_size = size};
	struct pkg_graphs graphs;
	ptowsp_status status = pkg_graphs_read(&graphs, &tables, &place);

	pkg_graphs_finish(&graphs);
	if (status) {
		if (error.code != status || strncmp(error.text, "input: GRPH", 11))
			abort();
		return false;
	}
	show(&tables);
	if (size)
		travel(data, size);
	return false;
}
