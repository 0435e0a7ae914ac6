/* SPDX-License-Identifier: MIT */
/* json_rows.h - one row as a JSON object and back; inside of json.h. */
#ifndef FORMAT_JSON_ROWS_H
#define FORMAT_JSON_ROWS_H

#include "format/fail.h"
#include "format/schema.h"
#include "format/writer.h"

#include <jansson.h>

/* Reading: where a value stands, for "KREG[3].unit" in messages. */
struct pkg_json_reader {
	struct pkg_place place;
	struct pkg_writer *writer;
	json_t *root;  /* the whole document, borrowed */
	json_t *names; /* owned: section -> {name -> row}, filled when a reference by name is met */
	const char *section;
	size_t row;
	const char *key; /* NULL: the row itself */
};

/* BAD_PACKAGE, "file: KREG[3].unit" and the sentence, e.g. " is no word". */
ptowsp_status pkg_json_refuse(const struct pkg_json_reader *reader, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Integers up to 2^53 are numbers, others hexadecimal strings of their 64 bits. */
json_t *pkg_json_number(uint64_t value, int is_signed);
/* The same backwards; value must fit bytes. */
ptowsp_status pkg_json_number_read(const struct pkg_json_reader *reader, const json_t *json, unsigned bytes, int is_signed, uint64_t *value_out);
/* A row number of `section`, or the name of one of its rows. */
ptowsp_status pkg_json_reference_read(struct pkg_json_reader *reader, const json_t *json, const struct pkg_schema *section, uint64_t *value_out);
/* A word of the field's enumeration, or its code. */
ptowsp_status pkg_json_word_read(struct pkg_json_reader *reader, const struct pkg_field *field, const json_t *json, uint64_t *value_out);
/* Any key of object beside the known ones (a list that ends in NULL) is refused by name. */
ptowsp_status pkg_json_keys_check(struct pkg_json_reader *reader, const json_t *object, const char *const *known);

/* A new object without fields at their default; NULL without memory. */
json_t *pkg_json_row(const struct pkg_schema *schema, const struct pkg_tables *tables, const void *record);
/* Fills record, schema->bytes of zeros before. Strings are interned into the reader's writer. */
ptowsp_status pkg_json_row_read(struct pkg_json_reader *reader, const struct pkg_schema *schema, const json_t *object, void *record);

/* A table with a form of its own. */
struct pkg_json_form {
	uint32_t type;
	json_t *(*write)(const struct pkg_tables *tables, const void *record);
	ptowsp_status (*read)(struct pkg_json_reader *reader, const json_t *object, void *record);
};
const struct pkg_json_form *pkg_json_form_find(uint32_t type); /* NULL: its rows go by the schema */

/* The WORK section as {instructions, axes, kernels, tensors} and back into the writer. */
json_t *pkg_json_work(const struct pkg_tables *tables);
ptowsp_status pkg_json_work_read(struct pkg_json_reader *reader, const json_t *object);

/* The GRPH section as a list of {name, device, names, instructions} and back; NULL without memory. */
json_t *pkg_json_graphs(const struct pkg_tables *tables);
ptowsp_status pkg_json_graphs_read(struct pkg_json_reader *reader, const json_t *list);

#endif
