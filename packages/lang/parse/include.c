/* SPDX-License-Identifier: MIT */
#include "lang/parse/lex.h"

#include "lang/decl.h"
#include "lang/parse/lang_library.h"

#include <string.h>

enum { INCLUDED = 1000 };
#define INCLUDED_BYTES ((uint64_t)16 << 20)

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The number of a source that was read before: of that name, or the same text under another way to it. UINT32_MAX: none. */
static uint32_t known_find(const struct lang_unit *unit, const struct lang_source *source)
{
	for (uint32_t i = 0; i < unit->source_count; i++) {
		const struct lang_source *known = &unit->sources[i];

		if (!strcmp(base_of(known->name), base_of(source->name)) && known->size == source->size && !memcmp(known->text, source->text, source->size))
			return i;
	}
	return UINT32_MAX;
}

static void source_add(struct lang_unit *unit, const struct lang_source *source, const struct lang_included *included)
{
	const uint32_t count = unit->source_count, more = count - unit->own_count;
	struct lang_source *sources = common_alloc(&unit->arena, (count + 1u) * sizeof(*sources));
	struct lang_included *rows = common_alloc(&unit->arena, (more + 1u) * sizeof(*rows));

	memcpy(sources, unit->sources, count * sizeof(*sources));
	sources[count] = *source;
	if (more)
		memcpy(rows, unit->included, more * sizeof(*rows));
	rows[more] = *included;
	unit->sources = sources;
	unit->included = rows;
	unit->source_count++;
}

/* The file's place, as the caller's source, and what that includes, name it. */
static struct lang_included place_of(struct lang_unit *unit, const char *file, uint32_t from)
{
	const struct lang_included own = {from, ""}, *outer = from < unit->own_count ? &own : &unit->included[from - unit->own_count];

	return (struct lang_included){outer->root, common_format(&unit->arena, "%s%.*s", *file == '/' ? "" : outer->folder, (int)(base_of(file) - file), file)};
}

static const char *lines_join(struct lang_unit *unit, const char *const *lines)
{
	size_t size = 1;
	char *text, *end;

	for (const char *const *line = lines; *line; line++)
		size += strlen(*line);
	end = text = common_alloc(&unit->arena, size);
	for (const char *const *line = lines; *line; end += strlen(*line++))
		memcpy(end, *line, strlen(*line));
	*end = '\0';
	return text;
}

/* A file of packages/std, which is a part of the packer; false: that is no name of one. */
static bool library_include(struct lang_module *module, const struct lang_token *file)
{
	struct lang_unit *unit = module->unit;
	const struct lang_included included = {file->at.file < unit->own_count ? file->at.file : unit->included[file->at.file - unit->own_count].root, "/"};

	for (const struct isa_text *own = lang_library; own->path; own++) {
		struct lang_source source = {.name = file->text};

		if (strcmp(own->path + strlen("packages/"), file->text) != 0)
			continue;
		source.text = lines_join(unit, own->lines);
		source.size = strlen(source.text);
		if (known_find(unit, &source) == UINT32_MAX)
			source_add(unit, &source, &included);
		return true;
	}
	return false;
}

static void file_include(struct lang_module *module, const struct lang_token *file)
{
	struct lang_unit *unit = module->unit;
	const struct lang_included included = place_of(unit, file->text, file->at.file);
	const char *root = unit->sources[included.root].name, *base = base_of(file->text);
	struct lang_source source = {
		.name = common_format(&unit->arena, "%.*s%s%s", *included.folder == '/' ? 0 : (int)(base_of(root) - root), root, included.folder, base)};

	source.text = lang_file_read(module, file->text, file->at, INCLUDED_BYTES, &source.size);
	if (source.size > INCLUDED_BYTES) {
		lang_error(unit, file->at, "\"%.80s\" is larger than 16 MiB", file->text);
		return;
	}
	if (!source.text || known_find(unit, &source) != UINT32_MAX)
		return;
	if (unit->source_count - unit->own_count == INCLUDED) {
		lang_error(unit, file->at, "more than %d files are included", INCLUDED);
		lang_stop(unit);
	}
	source_add(unit, &source, &included);
}

/* Takes the lines that include out of the tokens, and reads what they name. */
static void includes_take(struct lang_module *module, struct lang_tokens *tokens)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < tokens->count; i++) {
		const struct lang_token *token = &tokens->rows[i];

		if (!token->first || token->kind != LANG_WORD || strcmp(token->text, "include") != 0) {
			tokens->rows[kept++] = *token;
		} else if (token[1].kind != LANG_STRING) {
			lang_error(module->unit, token->at, "include stands before the name of a file");
			lang_help(module->unit, "write include \"kernels.pto\"");
			while (i + 2 < tokens->count && !tokens->rows[i + 1].first)
				i++;
		} else if (!library_include(module, token + 1)) {
			file_include(module, &tokens->rows[++i]);
		} else {
			i++;
		}
	}
	tokens->count = kept;
}

struct lang_tokens *lang_sources_lex(struct lang_module *module)
{
	struct lang_unit *unit = module->unit;
	struct lang_tokens *tokens = NULL;
	uint32_t count = 0, capacity = 0;

	while (count < unit->source_count) {
		struct lang_tokens read;

		lang_lex(unit, count, &read);
		includes_take(module, &read);
		*COMMON_PUSH(&unit->arena, tokens, count, capacity) = read;
	}
	return tokens;
}
