/* SPDX-License-Identifier: MIT */
/* json_read.c - JSON to writer. */
#include "format/json/json.h"

#include "format/json/base64.h"
#include "format/json/json_rows.h"
#include "format/writer.h"

#include <stdlib.h>
#include <string.h>

static ptowsp_status schema_read(struct pkg_json_reader *r, const json_t *value)
{
	if (!json_is_string(value) || strcmp(json_string_value(value), PKG_JSON_SCHEMA))
		return pkg_json_refuse(r, " is \"%.40s\", this build reads \"%s\"", json_is_string(value) ? json_string_value(value) : "", PKG_JSON_SCHEMA);
	return PTOWSP_OK;
}

static ptowsp_status targets_read(struct pkg_json_reader *r, const json_t *list)
{
	if (!json_is_array(list) || json_array_size(list) > 32)
		return pkg_json_refuse(r, " must be a list of at most 32 words");
	for (size_t i = 0; i < json_array_size(list); i++) {
		if (!json_is_string(json_array_get(list, i)))
			return pkg_json_refuse(r, " must be a list of at most 32 words");
		pkg_writer_target(r->writer, json_string_value(json_array_get(list, i)));
	}
	return PTOWSP_OK;
}

/* The order of the strings, for payloads that refer to them by offset. Each must be new, or the offsets would shift. */
static ptowsp_status strings_read(struct pkg_json_reader *r, const json_t *list)
{
	uint32_t before = 0;

	if (!json_is_array(list))
		return pkg_json_refuse(r, " must be a list of strings");
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *text = json_string_value(json_array_get(list, i));
		uint32_t offset;

		r->row = i;
		if (!text)
			return pkg_json_refuse(r, " must be a string");
		offset = pkg_writer_string(r->writer, text);
		if (!offset && *text)
			return pkg_fail(r->place.error, PTOWSP_NO_MEMORY, "%s: out of memory", r->place.file);
		if (offset <= before)
			return pkg_json_refuse(r, " is \"%.40s\", which is there already", text);
		before = offset;
	}
	return PTOWSP_OK;
}

static ptowsp_status meta_read(struct pkg_json_reader *r, const json_t *object)
{
	const char *key;
	json_t *value;

	if (!json_is_object(object))
		return pkg_json_refuse(r, " must be an object of strings");
	json_object_foreach((json_t *)object, key, value)
	{
		r->key = key;
		if (!json_is_string(value))
			return pkg_json_refuse(r, " must be a string");
		pkg_writer_meta(r->writer, key, json_string_value(value));
	}
	return PTOWSP_OK;
}

static ptowsp_status blob_read(struct pkg_json_reader *r, uint32_t type, const json_t *value)
{
	size_t size, at;
	uint8_t *bytes;

	if (!json_is_string(value))
		return pkg_json_refuse(r, " must be a string of base64");
	bytes = pkg_base64_read(json_string_value(value), json_string_length(value), &size, &at);
	if (!bytes)
		return pkg_fail(r->place.error, PTOWSP_NO_MEMORY, "%s: out of memory", r->place.file);
	if (size != SIZE_MAX)
		pkg_writer_bytes(r->writer, type, bytes, size, 64);
	free(bytes);
	return size == SIZE_MAX ? pkg_json_refuse(r, ": character %zu is wrong or missing in base64", at) : PTOWSP_OK;
}

static ptowsp_status table_read(struct pkg_json_reader *r, const struct pkg_schema *schema, const json_t *list)
{
	union {
		uint64_t align;
		uint8_t bytes[256];
	} record;
	ptowsp_status status = PTOWSP_OK;

	if (!json_is_array(list))
		return pkg_json_refuse(r, " must be a list of objects");
	for (size_t i = 0; i < json_array_size(list) && !status; i++) {
		r->row = i;
		memset(&record, 0, sizeof(record));
		status = pkg_json_row_read(r, schema, json_array_get(list, i), record.bytes);
		if (!status)
			pkg_writer_row(r->writer, schema->type, record.bytes, schema->bytes);
	}
	return status;
}

static ptowsp_status section_read(struct pkg_json_reader *r, const struct pkg_schema *schema, const json_t *value)
{
	r->section = schema->section;
	r->row = SIZE_MAX;
	r->key = NULL;
	switch (schema->type) {
	case PTOWSP_SECTION_STRS: return strings_read(r, value);
	case PTOWSP_SECTION_META: return meta_read(r, value);
	case PTOWSP_SECTION_CODE:
	case PTOWSP_SECTION_TBLB: return blob_read(r, schema->type, value);
	case PTOWSP_SECTION_WORK: return pkg_json_work_read(r, value);
	case PTOWSP_SECTION_GRPH: return pkg_json_graphs_read(r, value);
	default: return table_read(r, schema, value);
	}
}

/* Unknown keys first, so that a misspelt section is not just missing. ptowsp-inspect's words on kernels are not part of a package. */
static ptowsp_status root_keys_check(struct pkg_json_reader *r)
{
	const char *key;
	json_t *value;

	json_object_foreach(
		r->root, key,
		value) if (strcmp(key, "schema") && strcmp(key, "targets") && strcmp(key, "tile_memory") &&
			   !pkg_schema_find_name(key)) return pkg_refuse(&r->place,
									 "\"%.40s\" is neither schema, targets nor a section (META, KREG, TENS, ...)", key);
	return PTOWSP_OK;
}

static ptowsp_status root_read(struct pkg_json_reader *r)
{
	const json_t *schema = json_object_get(r->root, "schema"), *targets = json_object_get(r->root, "targets"), *value;
	uint32_t count;
	const struct pkg_schema *schemas = pkg_schema_all(&count);
	ptowsp_status status;

	if (!json_is_object(r->root))
		return pkg_refuse(&r->place, "the document must be an object with \"schema\": \"%s\"", PKG_JSON_SCHEMA);
	status = root_keys_check(r);
	r->section = "schema";
	if (!status)
		status = schema_read(r, schema);
	r->section = "targets";
	if (!status && targets)
		status = targets_read(r, targets);
	for (uint32_t i = 0; i < count && !status; i++) {
		value = json_object_get(r->root, schemas[i].section);
		if (value)
			status = section_read(r, &schemas[i], value);
	}
	return status;
}

ptowsp_status pkg_from_json(struct pkg_writer *writer, const char *text, size_t size, const char *name, struct ptowsp_error *error)
{
	struct pkg_json_reader r = {.place = {name, error}, .writer = writer, .section = "", .row = SIZE_MAX};
	json_error_t wrong;
	ptowsp_status status;

	r.root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &wrong);
	if (!r.root)
		return pkg_refuse(&r.place, "line %d, column %d: %s", wrong.line, wrong.column, wrong.text);
	r.names = json_object();
	status = root_read(&r);
	if (!status)
		status = pkg_writer_sort(writer, error);
	json_decref(r.names);
	json_decref(r.root);
	return status;
}
