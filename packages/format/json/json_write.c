/* SPDX-License-Identifier: MIT */
/* json_write.c - package to JSON: one line per row, so that two packages can be compared with diff. */
#include "format/json/json.h"

#include "format/format_package.h"
#include "format/json/base64.h"
#include "format/json/json_rows.h"

#include "registry/common/common_text.h"

#include <stdlib.h>
#include <string.h>

/* A JSON value on one line; takes it. A value that could not be made fails the whole text. */
static void value_add(struct common_text *t, json_t *value)
{
	char *line = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII) : NULL;

	json_decref(value);
	if (line) {
		common_text_put(t, line);
		free(line);
	} else {
		t->failed = true;
	}
}

/* Begins `"key": ` on a line of its own, behind whatever came before. */
static void key_add(struct common_text *t, const char *key)
{
	common_text_put(t, t->length > 2 ? ",\n  \"" : "  \"");
	common_text_put(t, key);
	common_text_put(t, "\": ");
}

/* Between the elements of a list or object that has one element per line. */
static void line_begin(struct common_text *t, size_t i)
{
	common_text_put(t, i ? ",\n    " : "\n    ");
}

static void strings_add(struct common_text *t, const struct pkg_tables *tables)
{
	size_t i = 0;

	key_add(t, "STRS");
	common_text_put(t, "[");
	for (uint64_t at = 1; at < tables->strings_size; at += strlen(tables->strings + at) + 1) {
		line_begin(t, i++);
		value_add(t, json_string(tables->strings + at));
	}
	common_text_put(t, i ? "\n  ]" : "]");
}

static void meta_add(struct common_text *t, const struct pkg_tables *tables)
{
	key_add(t, "META");
	common_text_put(t, "{");
	for (uint32_t i = 0; i < tables->meta_count; i++) {
		line_begin(t, i);
		value_add(t, json_string(pkg_string(tables, tables->meta[i].key)));
		common_text_put(t, ": ");
		value_add(t, json_string(pkg_string(tables, tables->meta[i].value)));
	}
	common_text_put(t, tables->meta_count ? "\n  }" : "}");
}

static void table_add(struct common_text *t, const struct pkg_tables *tables, const struct pkg_schema *schema)
{
	uint32_t count;
	const uint8_t *array = pkg_schema_array(schema, tables, &count);

	if (!count)
		return;
	key_add(t, schema->section);
	common_text_put(t, "[");
	for (uint32_t i = 0; i < count; i++) {
		line_begin(t, i);
		value_add(t, pkg_json_row(schema, tables, array + (size_t)i * schema->bytes));
	}
	common_text_put(t, "\n  ]");
}

static void blob_add(struct common_text *t, const char *key, const void *bytes, uint64_t size)
{
	char *digits = size ? pkg_base64_write(bytes, (size_t)size) : NULL;

	if (!size)
		return;
	key_add(t, key);
	common_text_put(t, "\"");
	if (digits) {
		common_text_put(t, digits);
	} else {
		t->failed = true;
	}
	common_text_put(t, "\"");
	free(digits);
}

/* An object whose "instructions" stand one on a line. Takes it. */
static void program_add(struct common_text *t, json_t *program)
{
	json_t *list, *value;
	const char *key;
	size_t i, lists = 0;

	common_text_put(t, "{");
	json_object_foreach(program, key, list)
	{
		line_begin(t, lists++);
		common_text_put(t, "\"");
		common_text_put(t, key);
		common_text_put(t, "\": ");
		if (strcmp(key, "instructions")) {
			value_add(t, json_incref(list));
			continue;
		}
		common_text_put(t, "[");
		json_array_foreach(list, i, value)
		{
			common_text_put(t, i ? ",\n      " : "\n      ");
			value_add(t, json_incref(value));
		}
		common_text_put(t, "\n    ]");
	}
	common_text_put(t, "\n  }");
	json_decref(program);
}

static void work_add(struct common_text *t, const struct pkg_tables *tables)
{
	if (!tables->raw_work_size)
		return;
	key_add(t, "WORK");
	program_add(t, pkg_json_work(tables));
}

static void graphs_add(struct common_text *t, const struct pkg_tables *tables)
{
	json_t *list, *graph;
	size_t i;

	if (!tables->graph_size)
		return;
	list = pkg_json_graphs(tables);
	if (!list) {
		t->failed = true;
		return;
	}
	key_add(t, "GRPH");
	common_text_put(t, "[");
	json_array_foreach(list, i, graph)
	{
		common_text_put(t, i ? ", " : "");
		program_add(t, json_incref(graph));
	}
	common_text_put(t, "]");
	json_decref(list);
}

static void targets_add(struct common_text *t, const struct pkg *package)
{
	json_t *list = json_array();
	uint32_t count;
	const char *const *targets = pkg_targets(package, &count);

	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(list, json_string(targets[i]));
	key_add(t, "targets");
	value_add(t, list);
}

static void section_add(struct common_text *t, const struct pkg_tables *tables, const struct pkg_schema *schema)
{
	switch (schema->type) {
	case PTOWSP_SECTION_STRS: strings_add(t, tables); break;
	case PTOWSP_SECTION_META: meta_add(t, tables); break;
	case PTOWSP_SECTION_CODE: blob_add(t, schema->section, tables->code, tables->code_size); break;
	case PTOWSP_SECTION_WORK: work_add(t, tables); break;
	case PTOWSP_SECTION_GRPH: graphs_add(t, tables); break;
	default: table_add(t, tables, schema);
	}
}

ptowsp_status pkg_to_json(struct pkg *package, char **text_out, struct ptowsp_error *error)
{
	struct common_text t = {0};
	const void *samples = NULL;
	uint64_t samples_size = 0;
	uint32_t count;
	const struct pkg_schema *schemas = pkg_schema_all(&count);
	ptowsp_status status = pkg_sample_section(package, &samples, &samples_size, error);

	*text_out = NULL;
	if (status)
		return status;
	common_text_put(&t, "{\n");
	key_add(&t, "schema");
	value_add(&t, json_string(PKG_JSON_SCHEMA));
	targets_add(&t, package);
	for (uint32_t i = 0; i < count; i++)
		section_add(&t, pkg_tables(package), &schemas[i]);
	blob_add(&t, "TBLB", samples, samples_size);
	common_text_put(&t, "\n}\n");
	if (t.failed) {
		common_text_finish(&t);
		return pkg_fail(error, PTOWSP_NO_MEMORY, "%s: out of memory for its JSON form", pkg_name(package));
	}
	*text_out = t.bytes;
	return PTOWSP_OK;
}
