/* SPDX-License-Identifier: MIT */
/* builder.c - the builder itself: refusals, handles, names; facts of the package; its calls as data. */
#include "format/format_names.h"
#include "format/schema.h"
#include "lang/ast.h"
#include "lang/builder/build.h"
#include "lang/builder/builder_calls.h"
#include "lang/diag.h"
#include "lang/number.h"
#include "registry/common/common_dtype.h"

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_BYTES ((size_t)1 << 30)

static const char *const kind_words[BUILD_KINDS] = {
	[BUILD_NONE] = "nothing",         [BUILD_SLOT] = "a symbol or slot", [BUILD_EXPR] = "an expression", [BUILD_LEVELS] = "tile levels",
	[BUILD_AXIS] = "an axis",         [BUILD_TENSOR] = "a tensor",       [BUILD_REGION] = "a region",    [BUILD_KERNEL] = "a kernel",
	[BUILD_PARAM] = "a parameter",    [BUILD_PAYLOAD] = "a payload",     [BUILD_TILE] = "a tile",        [BUILD_SCALAR] = "a scalar of a body",
	[BUILD_EVENT] = "an event",       [BUILD_CHANNEL] = "a channel",     [BUILD_PROCESS] = "a process",  [BUILD_ENTRY] = "an entry",
	[BUILD_DIRECTIVE] = "a directive"};

/* ---- refusals ------------------------------------------------------------------------------------------------------------------ */

bool build_enter(struct ptowsp_build *b, const char *call)
{
	if (!b || b->status)
		return false;
	b->current_call = call;
	if (!b->closed)
		return true;
	snprintf(b->error, sizeof(b->error), "%s: the package is sealed, nothing can be added", call);
	b->status = PTOWSP_INVALID;
	return false;
}

void build_leave(struct ptowsp_build *b)
{
	if (b->status)
		return;
	b->status = PTOWSP_NO_MEMORY;
	snprintf(b->error, sizeof(b->error), "%s: no memory", b->current_call);
}

/* Parts of the sentence may come from the caller: no control characters, no half of a UTF-8 character at the end. */
static void sentence_clean(char *text, size_t size)
{
	size_t length = strlen(text), start;

	for (size_t i = 0; i < length; i++)
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7F)
			text[i] = '?';
	if (length + 1 < size)
		return;
	for (start = length; start && ((unsigned char)text[start - 1] & 0xC0) == 0x80; start--)
		;
	if (start && (unsigned char)text[start - 1] >= 0xC0)
		text[start - 1] = '\0';
}

_Noreturn void build_refuse(struct ptowsp_build *b, const char *format, ...)
{
	size_t used = b->current_call ? (size_t)snprintf(b->error, sizeof(b->error), "%s: ", b->current_call) : 0;
	va_list args;

	va_start(args, format);
	vsnprintf(b->error + used, sizeof(b->error) - used, format, args);
	va_end(args);
	sentence_clean(b->error, sizeof(b->error));
	b->status = PTOWSP_INVALID;
	longjmp(b->out, 1);
}

void build_notice(struct ptowsp_build *b, const char *text)
{
	*BUILD_PUSH(b, notices, notice) = lang_clean(b->arena, text, strlen(text));
}

const char *ptowsp_build_error(const struct ptowsp_build *b)
{
	return b ? b->error : "there is no builder";
}

ptowsp_status ptowsp_build_status(const struct ptowsp_build *b)
{
	return b ? b->status : PTOWSP_INVALID;
}

const char *ptowsp_build_notice(const struct ptowsp_build *b, uint32_t index)
{
	return b && index < b->notice_count ? b->notices[index] : NULL;
}

/* ---- life ------------------------------------------------------------------------------------------------------------------------- */

struct ptowsp_build *build_create(struct common_arena *arena)
{
	struct ptowsp_build *b = calloc(1, sizeof(*b));
	uint32_t offset;

	if (!b)
		return NULL;
	if (!pkg_strings_add(&b->strings, "", &offset)) {
		pkg_strings_finish(&b->strings);
		free(b);
		return NULL;
	}
	common_arena_init(&b->own, ARENA_BYTES, &b->out);
	b->arena = arena ? arena : &b->own;
	lang_tables_init(&b->tables, b->arena);
	b->entry = b->process = PTOWSP_NONE;
	return b;
}

struct ptowsp_build *ptowsp_build_create(const char *name)
{
	struct ptowsp_build *b = build_create(NULL);

	if (!b)
		return NULL;
	b->current_call = "ptowsp_build_create";
	if (setjmp(b->out))
		build_leave(b);
	else if (name)
		build_facts(b, name, "", NULL, "task_buffer");
	return b;
}

void ptowsp_build_destroy(struct ptowsp_build *b)
{
	if (!b)
		return;
	pkg_strings_finish(&b->strings);
	common_arena_finish(&b->own);
	free(b->bytes);
	free(b->file);
	free(b);
}

/* ---- handles, names, words ------------------------------------------------------------------------------------------------------ */

uint32_t build_handle(struct ptowsp_build *b, enum build_kind kind, uint32_t row)
{
	/* No table has 2^26 rows: the smallest take 16 bytes, and the arena ends before. */
	_Static_assert(ARENA_BYTES >> BUILD_ROW_BITS <= 16, "rows of 16 bytes fill the arena before their numbers fill a handle");
	assert(!(row >> BUILD_ROW_BITS));
	b->begun = 1;
	return (uint32_t)kind << BUILD_ROW_BITS | row;
}

static uint32_t rows_of(const struct ptowsp_build *b, enum build_kind kind)
{
	const uint32_t rows[BUILD_KINDS] = {
		[BUILD_SLOT] = b->slot_count,          [BUILD_EXPR] = b->tables.exprs.count, [BUILD_LEVELS] = b->tables.levels_count,
		[BUILD_AXIS] = b->tables.axis_count,   [BUILD_TENSOR] = b->tensor_count,     [BUILD_REGION] = b->tables.region_count,
		[BUILD_KERNEL] = b->kernel_count,      [BUILD_PARAM] = b->param_count,       [BUILD_PAYLOAD] = b->payload_count,
		[BUILD_TILE] = b->tile_handles,        [BUILD_SCALAR] = b->scalar_handles,   [BUILD_EVENT] = b->event_count,
		[BUILD_CHANNEL] = b->channel_count,    [BUILD_PROCESS] = b->process_count,   [BUILD_ENTRY] = b->entry_count,
		[BUILD_DIRECTIVE] = b->directive_count};

	return rows[kind];
}

uint32_t build_row(struct ptowsp_build *b, enum build_kind kind, uint32_t handle)
{
	uint32_t is = handle >> BUILD_ROW_BITS, row = handle & ((1u << BUILD_ROW_BITS) - 1);

	if (is == BUILD_NONE || is >= BUILD_KINDS || row >= rows_of(b, (enum build_kind)is))
		build_refuse(b, "%u is no handle of this builder, %s is needed", handle, kind_words[kind]);
	if (is != (uint32_t)kind)
		build_refuse(b, "handle %u is %s, %s is needed", handle, kind_words[is], kind_words[kind]);
	return row;
}

uint32_t build_string(struct ptowsp_build *b, const char *text)
{
	uint32_t offset;

	if (!text)
		build_refuse(b, "a text is missing (NULL)");
	if (!lang_is_clean(text))
		build_refuse(b, "\"%.60s\" is no UTF-8 without control characters", text);
	if (!pkg_strings_add(&b->strings, text, &offset))
		longjmp(b->out, 1);
	return offset;
}

const char *build_text(const struct ptowsp_build *b, uint32_t string)
{
	return b->strings.bytes + string;
}

uint32_t build_name(struct ptowsp_build *b, enum build_kind kind, const char *name, uint32_t row)
{
	uint32_t string = build_string(b, name);

	if (!*name)
		build_refuse(b, "%s needs a name", kind_words[kind]);
	if (lang_map_find(&b->names[kind], name))
		build_refuse(b, "there is %s named \"%.80s\" already", kind_words[kind], name);
	if (b->current_call) /* names of a compilation lie in its arena already */
		name = common_copy(b->arena, name, strlen(name));
	lang_map_add(&b->names[kind], b->arena, name, (void *)((uintptr_t)row + 1));
	return string;
}

uint32_t build_code_name(struct ptowsp_build *b, uint32_t string)
{
	if (!b->code_name_count || b->code_names[b->code_name_count - 1] != string)
		*BUILD_PUSH(b, code_names, code_name) = string;
	return string;
}

uint32_t build_word(struct ptowsp_build *b, uint32_t words, const char *word)
{
	uint32_t code;
	char known[256];

	if (!word)
		build_refuse(b, "a %s is missing (NULL)", pkg_words_name((enum pkg_words)words));
	if (pkg_word_find((enum pkg_words)words, word, &code))
		return code;
	pkg_words_list((enum pkg_words)words, known, sizeof(known));
	build_refuse(b, "\"%.40s\" is no %s; known: %s", word, pkg_words_name((enum pkg_words)words), known);
}

void *build_copy(struct ptowsp_build *b, const void *bytes, uint64_t size)
{
	void *copy;

	if (!bytes && size)
		build_refuse(b, "the bytes are missing (NULL)");
	if (size > ARENA_BYTES)
		build_refuse(b, "%llu bytes are more than a builder holds, %llu", (unsigned long long)size, (unsigned long long)ARENA_BYTES);
	copy = common_alloc(b->arena, (size_t)size + 1);
	if (size)
		memcpy(copy, bytes, (size_t)size);
	return copy;
}

uint64_t build_bits(struct ptowsp_build *b, uint32_t dtype, const char *text)
{
	uint64_t bits;

	if (!text || lang_number_read(text, dtype, &bits) != LANG_NUMBER_OK)
		build_refuse(b, "\"%.40s\" is no value of type %s", text ? text : "", common_dtype_text(dtype));
	return bits;
}

/* ---- facts ------------------------------------------------------------------------------------------------------------------------ */

uint32_t ptowsp_build_meta(struct ptowsp_build *b, const char *key, const char *value)
{
	BUILD_CALL(b);
	build_meta(b, key, value);
	return BUILD_DONE;
}

void build_facts(struct ptowsp_build *b, const char *name, const char *version, const char *producer, const char *kind)
{
	build_meta(b, "name", name);
	build_meta(b, "version", version);
	build_meta(b, "producer", producer ? producer : LANG_PRODUCER);
	build_meta(b, "entry_kind", kind);
	build_meta(b, "wsp_runtime_abi", PTOWSP_ABI_STRING);
}

void build_meta(struct ptowsp_build *b, const char *key, const char *value)
{
	struct ptowsp_meta_record row = {build_string(b, key), build_string(b, value)};

	if (!row.key)
		build_refuse(b, "the key is empty: a fact is found by its key");
	for (uint32_t i = 0; i < b->meta_count; i++)
		if (b->metas[i].key == row.key) {
			b->metas[i] = row;
			return;
		}
	*BUILD_PUSH(b, metas, meta) = row;
}

uint32_t ptowsp_build_target(struct ptowsp_build *b, const char *target)
{
	BUILD_CALL(b);
	build_target(b, target);
	return BUILD_DONE;
}

void build_target(struct ptowsp_build *b, const char *target)
{
	size_t length = target ? strlen(target) : 0;

	if (!length || length > 32 || strspn(target, "abcdefghijklmnopqrstuvwxyz0123456789_") != length)
		build_refuse(b, "\"%.40s\" is no backend: 1 to 32 of a-z 0-9 _", target ? target : "");
	if (b->target_count == 32)
		build_refuse(b, "a package names at most 32 backends");
	*BUILD_PUSH(b, targets, target) = common_copy(b->arena, target, length);
}

uint32_t ptowsp_build_position(struct ptowsp_build *b, const char *file, uint32_t line, uint32_t column)
{
	BUILD_CALL(b);
	const char *base = file ? strrchr(file, '/') : NULL;

	b->place = (struct build_place){build_string(b, base ? base + 1 : file), line, column};
	if (!b->place.file)
		b->place = (struct build_place){0};
	else if (!line)
		build_refuse(b, "line 0 of a file: the first line is 1");
	return BUILD_DONE;
}

/* ---- given bytes ------------------------------------------------------------------------------------------------------------------ */

uint32_t ptowsp_build_stated(struct ptowsp_build *b)
{
	BUILD_CALL(b);
	if (b->begun)
		build_refuse(b, "this stands before everything but facts");
	b->tables.stated = 1;
	return BUILD_DONE;
}

uint32_t ptowsp_build_string(struct ptowsp_build *b, const char *text)
{
	BUILD_CALL(b);
	uint32_t string = build_string(b, text);

	if (!string)
		build_refuse(b, "the empty string is in every package already, leave it out");
	*BUILD_PUSH(b, presets, preset) = common_copy(b->arena, text, strlen(text));
	return BUILD_DONE;
}

uint32_t ptowsp_build_section(struct ptowsp_build *b, const char *section, const void *bytes, uint64_t size)
{
	BUILD_CALL(b);
	const struct pkg_schema *schema = section ? pkg_schema_find_name(section) : NULL;

	if (!schema || schema->type == PTOWSP_SECTION_STRS)
		build_refuse(b, "\"%.40s\" is no section that can be given; STRS is, string by string", section ? section : "");
	if (size % schema->bytes)
		build_refuse(b, "section %s has records of %u bytes, %llu are no multiple of that", section, schema->bytes, (unsigned long long)size);
	*BUILD_PUSH(b, sections, section) = (struct build_section){schema->type, build_copy(b, bytes, size), (size_t)size};
	return BUILD_DONE;
}

uint32_t ptowsp_build_list(struct ptowsp_build *b, uint32_t handle)
{
	BUILD_CALL(b);
	struct lang_tables *tables = &b->tables;

	switch (handle >> BUILD_ROW_BITS) {
	case BUILD_AXIS:
		*COMMON_PUSH(b->arena, tables->work_axes, tables->work_axis_count, tables->work_axis_capacity) = build_row(b, BUILD_AXIS, handle);
		break;
	case BUILD_TENSOR:
		*COMMON_PUSH(b->arena, tables->work_tensors, tables->work_tensor_count, tables->work_tensor_capacity) = build_row(b, BUILD_TENSOR, handle);
		break;
	default: build_kernel_listed(b, build_row(b, BUILD_KERNEL, handle)); break;
	}
	return BUILD_DONE;
}

#define TEXT(i)  a[i].text
#define U32(i)   (uint32_t) a[i].number
#define I32(i)   (int32_t)(uint32_t) a[i].number
#define U64(i)   a[i].number
#define I64(i)   (int64_t) a[i].number
#define BYTES(i) a[i].data
#define U32S(i)  a[i].data
#define U64S(i)  a[i].data
#define I64S(i)  a[i].data

#define CALL(name, makes, args, ...)                                                                                                                           \
	static uint32_t call_##name(struct ptowsp_build *b, const struct build_arg *a)                                                                         \
	{                                                                                                                                                      \
		return ptowsp_build_##name(b, __VA_ARGS__);                                                                                                    \
	}
#define CALL0(name, makes)                                                                                                                                     \
	static uint32_t call_##name(struct ptowsp_build *b, const struct build_arg *a)                                                                         \
	{                                                                                                                                                      \
		(void)a;                                                                                                                                       \
		return ptowsp_build_##name(b);                                                                                                                 \
	}
#include "lang/builder.def"
#undef CALL
#undef CALL0

#define CALL(name, makes, args, ...) {#name, args, BUILD_##makes, call_##name},
#define CALL0(name, makes)           {#name, "", BUILD_##makes, call_##name},
static const struct build_call calls[] = {
#include "lang/builder.def"
};
#undef CALL
#undef CALL0

const struct build_call *build_calls(uint32_t *count_out)
{
	*count_out = sizeof(calls) / sizeof(*calls);
	return calls;
}

const struct build_call *build_call_find(const char *name)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (!strcmp(calls[i].name, name))
			return &calls[i];
	return NULL;
}
