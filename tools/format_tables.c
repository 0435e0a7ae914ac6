/* SPDX-License-Identifier: MIT */
/* format_tables.c - writes the tables of packages/FORMAT.md from records.def and graph_ops.def, or tells whether they are stale.
 *
 *	format_tables FILE          rewrites what stands between the marks
 *	format_tables --check FILE  exit 1 if that would change it */
#include "format/format_names.h"
#include "format/graph/graph_schema.h"
#include "format/schema.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The content of a field, in words. */
static void meaning_print(FILE *to, const struct pkg_field *f)
{
	switch (f->kind) {
	case PKG_NAME: fputs("string", to); break;
	case PKG_ID: fprintf(to, "id of `%s`", f->argument_text); break;
	case PKG_REF: fprintf(to, "row of %s", f->argument_text); break;
	case PKG_OPTIONAL: fprintf(to, "row of %s or none", f->argument_text); break;
	case PKG_FIRST: fprintf(to, "first row of %s", f->argument_text); break;
	case PKG_COUNT: fprintf(to, "rows of %s", f->argument_text); break;
	case PKG_ENUM: fprintf(to, "%s", pkg_words_name(f->argument)); break;
	case PKG_BITS: fprintf(to, "bits 0x%x", (unsigned)f->argument); break;
	case PKG_OFFSET: fprintf(to, "offset in %s", f->argument_text); break;
	case PKG_SIZE: fprintf(to, "bytes of %s", f->argument_text); break;
	case PKG_ZERO: fputs("0", to); break;
	default: fputs("number", to);
	}
}

static void section_print(FILE *to, const struct pkg_schema *schema)
{
	uint32_t count;
	const struct pkg_field *fields = pkg_schema_fields(schema, &count);

	fprintf(to, "\n### %s: %s\n\n", schema->section, schema->text);
	if (!fields) {
		fputs("Bytes, no records.\n", to);
		return;
	}
	fprintf(to, "Records of %u bytes.\n\n| offset | bytes | field | holds | meaning |\n|---|---|---|---|---|\n", (unsigned)schema->bytes);
	for (uint32_t i = 0; i < count; i++) {
		fprintf(to, "| %u | %u | %s | ", (unsigned)fields[i].offset, fields[i].bytes, fields[i].name);
		meaning_print(to, &fields[i]);
		fprintf(to, " | %s |\n", fields[i].text);
	}
}

static void words_print(FILE *to)
{
	fputs("\n### Words\n\n| enumeration | codes |\n|---|---|\n", to);
	for (int w = 0; w < PKG_WORDS_COUNT; w++) {
		uint32_t count;
		const struct pkg_word *words = pkg_words((enum pkg_words)w, &count);

		fprintf(to, "| %s | ", pkg_words_name((enum pkg_words)w));
		for (uint32_t i = 0; i < count; i++)
			fprintf(to, "%s%u %s%s%s", i ? ", " : "", (unsigned)words[i].code, strchr(words[i].word, '|') ? "`" : "",
				strchr(words[i].word, '|') ? (words[i].word[1] ? "\\|\\|" : "\\|") : words[i].word, strchr(words[i].word, '|') ? "`" : "");
		fputs(" |\n", to);
	}
}

static void tables_print(FILE *to)
{
	uint32_t count;
	const struct pkg_schema *schemas = pkg_schema_all(&count);

	for (uint32_t i = 0; i < count; i++)
		section_print(to, &schemas[i]);
	words_print(to);
	fputc('\n', to);
}

/* The content of an operand of an instruction, in its row. */
static void operand_print(FILE *to, const struct pkg_graph_operand *o)
{
	switch ((enum pkg_graph_kind)o->kind) {
	case PKG_GRAPH_NEW: fprintf(to, "%s, defined here", pkg_graph_object_text((uint32_t)o->argument)); break;
	case PKG_GRAPH_ID:
	case PKG_GRAPH_USE: fprintf(to, "%s", pkg_graph_object_text((uint32_t)o->argument)); break;
	case PKG_GRAPH_SET: fprintf(to, "set of %ss", pkg_graph_object_text((uint32_t)o->argument)); break;
	case PKG_GRAPH_SYMBOL: fputs("string", to); break;
	case PKG_GRAPH_RANGE: fprintf(to, "1 to %u", (unsigned)o->argument); break;
	case PKG_GRAPH_SCALAR: fputs("scalar", to); break;
	case PKG_GRAPH_ENUM: fprintf(to, "%s", pkg_words_name((enum pkg_words)o->argument)); break;
	case PKG_GRAPH_NUMBER: fputs("number", to); break;
	}
}

static void graphs_print(FILE *to)
{
	uint32_t count;
	const struct pkg_graph_form *forms = pkg_graph_forms(&count);

	fputs("\n| table | instruction | row: bytes, operand, what it holds | bytes |\n|---|---|---|---|\n", to);
	for (uint32_t i = 0; i < count; i++) {
		fprintf(to, "| 0x%02x | %s | ", forms[i].op, forms[i].name);
		for (uint32_t k = 0; k < forms[i].count; k++) {
			fprintf(to, "%s%u %s: ", k ? "; " : "", forms[i].operands[k].bytes, forms[i].operands[k].name);
			operand_print(to, &forms[i].operands[k]);
		}
		fprintf(to, "%s | %u |\n", forms[i].count ? "" : "none", forms[i].bytes);
	}
	fputs("\nObjects:", to);
	for (uint32_t i = 0; i < PTOWSP_GRAPH_OBJECTS; i++)
		fprintf(to, "%s %u %s", i ? "," : "", (unsigned)i, pkg_graph_object_text(i));
	fputs(".\n\n", to);
}

/* The tables, and the marks between which each is written. */
static const struct part {
	const char *begin, *end;
	void (*print)(FILE *to);
} parts[] = {
	{"<!-- from records.def: begin -->\n", "<!-- from records.def: end -->\n", tables_print},
	{"<!-- from graph_ops.def: begin -->\n", "<!-- from graph_ops.def: end -->\n", graphs_print},
};

#define FILE_LIMIT (1u << 20)

/* Whole text file, to be freed; NULL with a message. */
static char *file_read(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = calloc(1, FILE_LIMIT + 1);

	if (!file || !text || !fread(text, 1, FILE_LIMIT, file)) {
		fprintf(stderr, "format_tables: %s: %s\n", path, strerror(errno));
		free(text);
		text = NULL;
	}
	if (file)
		fclose(file);
	return text;
}

/* The file with a fresh part between its marks, to be freed; NULL if it has none. */
static char *part_renew(const char *old, const struct part *part)
{
	const char *begin = strstr(old, part->begin), *end = strstr(old, part->end);
	char *text = NULL;
	size_t size;
	FILE *to;

	if (!begin || !end || end < begin)
		return NULL;
	to = open_memstream(&text, &size);
	if (!to)
		return NULL;
	fprintf(to, "%.*s", (int)(begin + strlen(part->begin) - old), old);
	part->print(to);
	fputs(end, to);
	fclose(to);
	return text;
}

static char *text_renew(const char *old)
{
	char *text = strdup(old), *next;

	for (size_t i = 0; text && i < sizeof(parts) / sizeof(parts[0]); i++) {
		next = part_renew(text, &parts[i]);
		free(text);
		text = next;
	}
	return text;
}

static int file_write(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	int bad = !file || fputs(text, file) == EOF;

	if (file && fclose(file))
		bad = 1;
	if (bad)
		fprintf(stderr, "format_tables: %s: %s\n", path, strerror(errno));
	return bad;
}

int main(int argc, char **argv)
{
	int check = argc == 3 && !strcmp(argv[1], "--check"), status = 0;
	char *old, *fresh;

	if (argc != 2 && !check) {
		fputs("usage: format_tables [--check] FILE\n", stderr);
		return 2;
	}
	old = file_read(argv[argc - 1]);
	fresh = old ? text_renew(old) : NULL;
	if (!fresh) {
		fprintf(stderr, "format_tables: %s lacks marks \"from records.def\", \"from graph_ops.def\"\n", argv[argc - 1]);
		status = 2;
	} else if (check && strcmp(old, fresh)) {
		fprintf(stderr, "%s does not match its tables: run format_tables on it\n", argv[2]);
		status = 1;
	} else if (!check) {
		status = file_write(argv[1], fresh);
	}
	free(old);
	free(fresh);
	return status;
}
