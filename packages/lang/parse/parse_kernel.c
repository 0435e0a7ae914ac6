/* SPDX-License-Identifier: MIT */
/* parse_kernel.c - kernel @k(%a: f16[64, 64] in, %n: i64) on cube blockdim 24 workspace 4096 { native x86_64 "lib.so" "f" sig "v(p,i64)" } */
#include "lang/lang_kernel.h"
#include "lang/parse/parse.h"
#include "ptowsp/package.h"

#include <stdbool.h>
#include <string.h>

static bool access_parse(struct lang_parser *parser, struct lang_kernel_param *param)
{
	return lang_access_take(parser, &param->access) ||
	       lang_expected(parser, "the parameter's direction: in, out, inout, or bind if its address alone is passed");
}

/* "[64, 64] in layout(S(0), R)", "[64] out", "[] inout" */
static int shape_parse(struct lang_parser *parser, struct lang_kernel_param *param)
{
	lang_take(parser);
	param->tensor = 1;
	for (bool more = !lang_at_mark(parser, ']'); more; more = lang_comma_take(parser, ']')) {
		if (param->rank == 2) {
			lang_error(parser->unit, lang_peek(parser)->at, "a kernel's tensor has at most 2 dimensions: rows and columns");
			return 0;
		}
		param->extents[param->rank] = lang_scalar_parse(parser, "an extent such as 64");
		if (!param->extents[param->rank++])
			return 0;
	}
	return lang_expect(parser, ']', "behind the shape") && access_parse(parser, param) && lang_layout_parse(parser, &param->layout);
}

static bool param_add(struct lang_unit *unit, struct lang_kernel *kernel, struct lang_kernel_param *param)
{
	struct lang_kernel_list *list = param->tensor ? &kernel->tensors : &kernel->scalars;
	struct lang_param_name *name;

	if (lang_map_find(&kernel->names, param->name)) {
		lang_error(unit, param->at, "there are two parameters %%%s", param->name);
		return false;
	}
	if (kernel->param_count == LANG_MAX_PARAMS) {
		lang_error(unit, param->at, "@%s has more than %u parameters", kernel->head.name, LANG_MAX_PARAMS);
		lang_help(unit, "pass what belongs together as one tensor");
		return false;
	}
	name = common_alloc(&unit->arena, sizeof(*name));
	name->param = kernel->param_count;
	lang_map_add(&kernel->names, &unit->arena, param->name, name);
	param->argument = list->count;
	*COMMON_PUSH(&unit->arena, list->params, list->count, list->capacity) = kernel->param_count;
	*COMMON_PUSH(&unit->arena, kernel->params, kernel->param_count, kernel->param_capacity) = *param;
	return true;
}

static bool param_parse(struct lang_parser *parser, struct lang_kernel *kernel)
{
	const struct lang_token *name = lang_name_take(parser, LANG_NAME, "a parameter such as %a: f32[64, 64] in or %n: i64");
	struct lang_kernel_param param = {0};

	if (!name || !lang_expect(parser, ':', "and the type behind the parameter"))
		return false;
	param.name = name->text;
	param.at = name->at;
	param.type_at = lang_peek(parser)->at;
	if (!lang_element_parse(parser, &param.dtype, "an element type such as f32"))
		return false;
	if (lang_at_mark(parser, '[') && !shape_parse(parser, &param))
		return false;
	return param_add(parser->unit, kernel, &param);
}

static int params_parse(struct lang_parser *parser, struct lang_kernel *kernel)
{
	if (!lang_expect(parser, '(', "and the parameters behind the kernel's name"))
		return 0;
	for (bool more = !lang_at_mark(parser, ')'); more; more = lang_comma_take(parser, ')'))
		if (!param_parse(parser, kernel))
			return 0;
	return lang_expect(parser, ')', "at the end of the parameters");
}

static bool unit_parse(struct lang_parser *parser, uint16_t *unit_out)
{
	static const struct {
		const char *text, *pool;
		uint16_t unit;
	} units[] = {
#define X(name, code, text, pool) {text, pool, code},
#include "ptowsp/unit.def"
#undef X
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (lang_word_take(parser, units[i].pool) || lang_word_take(parser, units[i].text)) {
			*unit_out = units[i].unit;
			return true;
		}
	return lang_expected(parser, "an execution unit: any, host, cube, vector, mix, aicpu or aie");
}

static bool signature_parse(struct lang_parser *parser, struct lang_kernel *kernel)
{
	const struct lang_token *text = lang_name_take(parser, LANG_STRING, "the signature such as \"v(p,p,i64)\"");

	if (!text)
		return false;
	if (kernel->signature && strcmp(kernel->signature, text->text) != 0) {
		lang_error(parser->unit, text->at, "@%s has the signature \"%s\" already: its payloads are called alike", kernel->head.name, kernel->signature);
		return false;
	}
	kernel->signature = text->text;
	kernel->signature_at = text->at;
	return true;
}

/* "scale_f32": the C function that serves the kernel where no payload does. */
static bool function_parse(struct lang_parser *parser, struct lang_kernel *kernel)
{
	const struct lang_token *text = lang_name_take(parser, LANG_STRING, "the name of a C function such as \"scale_f32\"");

	if (text)
		kernel->function = text->text;
	return text != NULL;
}

/* "64 @k_64" */
static bool variant_parse(struct lang_parser *parser, struct lang_kernel *kernel)
{
	struct lang_scalar *level = lang_scalar_parse(parser, "a tile level such as 64");
	const struct lang_token *name = level ? lang_name_take(parser, LANG_AT, "what runs at that level, such as @k_64") : NULL;

	if (!name)
		return false;
	*COMMON_PUSH(&parser->unit->arena, kernel->variants, kernel->variant_count, kernel->variant_capacity) =
		(struct lang_kernel_variant){.level = level, .name = name->text, .at = name->at};
	return true;
}

/* "on cube", "blockdim 24", "workspace 64*1024", "sig "v(p)"", "measured", "function "f"", "variant 64 @k_64", in any order. */
static bool attributes_parse(struct lang_parser *parser, struct lang_kernel *kernel)
{
	struct lang_clauses clauses = {0};

	for (;;) {
		int ok = 1;

		if (lang_clause_take(parser, &clauses, 0, "on"))
			ok = unit_parse(parser, &kernel->unit);
		else if (lang_clause_take(parser, &clauses, 1, "blockdim"))
			ok = (kernel->blockdim = lang_scalar_parse(parser, "the number of blocks")) != NULL;
		else if (lang_clause_take(parser, &clauses, 2, "workspace"))
			ok = (kernel->workspace = lang_scalar_parse(parser, "bytes of scratch memory")) != NULL;
		else if (lang_clause_take(parser, &clauses, 3, "sig"))
			ok = signature_parse(parser, kernel);
		else if (lang_clause_take(parser, &clauses, 4, "measured"))
			kernel->measured = 1;
		else if (lang_clause_take(parser, &clauses, 5, "function"))
			ok = function_parse(parser, kernel);
		else if (lang_word_take(parser, "variant"))
			ok = variant_parse(parser, kernel);
		else
			return !clauses.again;
		if (!ok)
			return false;
	}
}

/* "@f [cycles n]" behind portable. */
static bool portable_parse(struct lang_parser *parser, struct lang_payload *payload)
{
	const struct lang_token *name;

	payload->encoded = (uint8_t)lang_word_take(parser, "base64");
	name = payload->encoded ? lang_name_take(parser, LANG_STRING, "the bytes in quotes") : lang_name_take(parser, LANG_AT, "an InCore function such as @f");
	if (!name)
		return false;
	payload->target = "";
	payload->file = name->text;
	payload->file_at = name->at;
	return true;
}

/* TARGET "file" ["entry"] behind native, image or source. */
static bool file_parse(struct lang_parser *parser, struct lang_payload *payload)
{
	const struct lang_token *file;

	payload->target = lang_target_read(parser, payload->kind == PTOWSP_PAYLOAD_SOURCE ? "a language such as c" : "a target such as x86_64 or dav-c220");
	payload->encoded = payload->target && lang_word_take(parser, "base64");
	file = payload->target ? lang_name_take(parser, LANG_STRING, payload->encoded ? "the bytes in quotes" : "the file in quotes") : NULL;
	if (!file)
		return false;
	payload->file = file->text;
	payload->file_at = file->at;
	if (lang_peek(parser)->kind == LANG_STRING)
		payload->entry = lang_take(parser)->text;
	return true;
}

/* The words behind native, image, source or portable: [sig "..."] [cycles n] [workspace n] [at n] [on unit] at the end of each. */
static int payload_parse(struct lang_parser *parser, struct lang_kernel *kernel, uint16_t kind, struct lang_span at)
{
	struct lang_payload *payload = COMMON_PUSH(&parser->unit->arena, kernel->payloads, kernel->payload_count, kernel->payload_capacity);
	struct lang_clauses clauses = {0};

	*payload = (struct lang_payload){.kind = kind, .at = at};
	if (kind == PTOWSP_PAYLOAD_PTO ? !portable_parse(parser, payload) : !file_parse(parser, payload))
		return 0;
	for (;;) {
		if (lang_clause_take(parser, &clauses, 0, "sig")) {
			if (!signature_parse(parser, kernel))
				return 0;
		} else if (lang_clause_take(parser, &clauses, 1, "cycles")) {
			payload->cycles = lang_scalar_parse(parser, "cycles per call");
			if (!payload->cycles)
				return 0;
		} else if (lang_clause_take(parser, &clauses, 2, "workspace")) {
			payload->workspace = lang_scalar_parse(parser, "bytes of workspace that the payload needs");
			if (!payload->workspace)
				return 0;
		} else if (lang_clause_take(parser, &clauses, 3, "at")) {
			payload->offset = lang_scalar_parse(parser, "where the entry is in the payload, in bytes");
			if (!payload->offset)
				return 0;
		} else if (lang_clause_take(parser, &clauses, 4, "on")) {
			payload->unit_stated = 1;
			if (!unit_parse(parser, &payload->unit))
				return 0;
		} else {
			return !clauses.again;
		}
	}
}

static bool payloads_parse(struct lang_parser *parser, struct lang_kernel *kernel)
{
	static const struct {
		const char *text;
		uint16_t kind;
	} kinds[] = {{"native", PTOWSP_PAYLOAD_ELF}, {"image", PTOWSP_PAYLOAD_IMAGE}, {"source", PTOWSP_PAYLOAD_SOURCE}, {"portable", PTOWSP_PAYLOAD_PTO}};

	if (!lang_at_mark(parser, '{'))
		return true;
	lang_take(parser);
	while (!lang_at_mark(parser, '}')) {
		struct lang_span at = lang_peek(parser)->at;
		size_t i = 0;

		while (i < 4 && !lang_word_take(parser, kinds[i].text))
			i++;
		if (i == 4)
			return lang_expected(parser, "a payload (native, image, source or portable) or \"}\"");
		if (!payload_parse(parser, kernel, kinds[i].kind, at))
			return false;
	}
	lang_take(parser);
	return true;
}

void lang_kernel_parse(struct lang_parser *parser)
{
	struct lang_kernel *kernel = lang_decl_begin(parser, LANG_DECL_KERNEL, sizeof(*kernel), LANG_AT, "the kernel's name such as @gemm");

	if (kernel)
		lang_decl_end(parser, &kernel->head, params_parse(parser, kernel) && attributes_parse(parser, kernel) && payloads_parse(parser, kernel));
}
