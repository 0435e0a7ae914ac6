/* SPDX-License-Identifier: MIT */
/* incore_payload.c - the bytes of a portable kernel, and what the verifier of the backends says of them. */
#include "lang/incore.h"

#include "lang/lang_check.h"

#include "isa/isa.h"
#include "lang/lang_place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* By the order of the rows, which says nothing about where the source declares them. */
static void strings_take(struct lang_incore *kernel)
{
	struct lang_tile_code *code = &kernel->code;

	lang_tile_order(code);
	for (uint32_t i = 0; i < code->tile_count; i++)
		code->tiles[i].name = pkg_writer_string(kernel->lower->writer, kernel->texts[code->tiles[i].name]);
	for (uint32_t i = 0; i < code->scalar_count; i++)
		if (code->scalars[i].kind != PTOWSP_SCALAR_CONST)
			code->scalars[i].name = pkg_writer_string(kernel->lower->writer, kernel->texts[code->scalars[i].name]);
}

void *lang_incore_payload(struct lang_incore *kernel, size_t *size_out)
{
	const struct lang_function *function = kernel->function;
	struct ptowsp_tile_param *params =
		lang_alloc(kernel->code.arena, (function->memref_count + 1) * sizeof(*params));
	uint32_t name = pkg_writer_string(kernel->lower->writer, function->name);

	strings_take(kernel);
	for (uint32_t i = 0; i < function->memref_count; i++) {
		const struct lang_var *memref = function->memrefs[i];

		params[i] = (struct ptowsp_tile_param){.name = pkg_writer_string(kernel->lower->writer, memref->name),
						       .dtype = memref->type.dtype,
						       .access = memref->access,
						       .rows = memref->rows,
						       .columns = memref->columns};
	}
	return lang_tile_encode(&kernel->code, name, params, function->memref_count, size_out);
}

/* "tadd works on ..., not on u1 (%h)" means %h, where the line has it by that name. */
static struct lang_span operand_place(const struct lang_unit *unit, struct lang_span line, const char *sentence)
{
	const char *name = strrchr(sentence, '(');

	return name && name[1] == '%' ? lang_word_span(unit, line, name + 1, strcspn(name + 1, ")")) : line;
}

/* "kernel f line 11: sentence" is the sentence at that line, where the line is one of this function's own file. */
static struct lang_span why_place(struct lang_incore *kernel, const char *why, const char **sentence_out)
{
	struct lang_span at = kernel->function->at;
	const char *line = strstr(why, " line "), *end = line ? strstr(line, ": ") : NULL;
	unsigned number = end ? (unsigned)strtoul(line + 6, NULL, 10) : 0;

	*sentence_out = why;
	if (!number || kernel->bodies || lang_places_stated(kernel->lower->unit, at.file))
		return at;
	*sentence_out = end + 2;
	return operand_place(kernel->lower->unit, lang_line_span(kernel->lower->unit, at.file, number), *sentence_out);
}

void lang_incore_verify(struct lang_incore *kernel, struct lang_function *function, const void *payload, size_t size)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct isa_program *program = NULL;
	const struct pkg_writer *writer = kernel->lower->writer;
	const size_t strings = pkg_writer_strings(writer); /* 0: no memory for one */
	ptowsp_status status = isa_program_create(&program, payload, size, strings ? pkg_writer_text(writer, 0) : NULL, strings, &error);
	const char *sentence;
	struct lang_span at;
	char why[256] = "";

	/* Copied, because a message may leave this function for good. */
	if (program && isa_program_unusable(program))
		snprintf(why, sizeof(why), "%s", isa_program_unusable(program));
	isa_program_destroy(program);
	if (status && status != PTOWSP_NO_MEMORY)
		lang_error(kernel->lower->unit, function->at, "@%s cannot be encoded: %s", function->name, error.text);
	if (!*why && !function->unusable)
		lang_unwritten_tell(kernel->lower->unit, function);
	if (!*why || function->unusable)
		return;
	function->unusable = lang_copy(&kernel->lower->unit->arena, why, strlen(why));
	at = why_place(kernel, why, &sentence);
	lang_warn(kernel->lower->unit, at, "%s", sentence);
	lang_help(kernel->lower->unit, "@%s is packed but will not run; the other functions do", function->name);
}
