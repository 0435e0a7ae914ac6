/* SPDX-License-Identifier: MIT */
/* c.c - ptowsp-inspect --c: a C program that builds the packages again by calls of the builder.
 *
 * Each package is said in the way of a frontend first, and built by the same calls. Where that gives other bytes, it is said again with its
 * strings in front, then with its rows as they are; sections that still differ are given as bytes. Every printed call was made. */
#include "tools/inspect/c.h"
#include "format/fail.h"
#include "format/format_names.h"
#include "format/graph/graph_read.h"
#include "format/schema.h"
#include "registry/common/common_text.h"
#include "tools/inspect/inspect.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- one call of the builder: printed, and made. ---- */

/* Variables by kind: e[7] is the expression of row 7. */
static const char *const letters[BUILD_KINDS] = {
	[BUILD_SLOT] = "slot",       [BUILD_EXPR] = "e",          [BUILD_LEVELS] = "levels", [BUILD_AXIS] = "axis",
	[BUILD_TENSOR] = "tensor",   [BUILD_REGION] = "region",   [BUILD_KERNEL] = "kernel", [BUILD_PARAM] = "param",
	[BUILD_PAYLOAD] = "payload", [BUILD_TILE] = "tile",       [BUILD_SCALAR] = "scalar", [BUILD_EVENT] = "event",
	[BUILD_CHANNEL] = "channel", [BUILD_PROCESS] = "process", [BUILD_ENTRY] = "entry",   [BUILD_DIRECTIVE] = "directive"};

static const char *inspect_c_variable(unsigned kind)
{
	return letters[kind];
}

/* "tensor[3]" of a handle: the variable of the text that holds it; 0 is "0". */
static void handle_say(struct said *s, uint32_t handle)
{
	uint32_t kind = handle >> BUILD_ROW_BITS, row = handle & ((1u << BUILD_ROW_BITS) - 1);

	if (kind == BUILD_NONE || kind >= BUILD_KINDS) {
		fprintf(s->to, "%" PRIu32, handle);
		return;
	}
	if (s->rows[kind] <= row)
		s->rows[kind] = row + 1;
	fprintf(s->to, "%s[%" PRIu32 "]", letters[kind], row);
}

/* A C literal of a text. Octal escapes have three digits, so that what follows is never part of them; "??" might be a trigraph. */
static void say_text(FILE *to, const char *text)
{
	fputc('"', to);
	for (; *text; text++)
		if (*text == '"' || *text == '\\' || (*text == '?' && text[1] == '?'))
			fprintf(to, "\\%c", *text);
		else if ((unsigned char)*text < 32 || (unsigned char)*text > 126)
			fprintf(to, "\\%03o", (unsigned char)*text);
		else
			fputc(*text, to);
	fputc('"', to);
}

static void bytes_say(FILE *to, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		fprintf(to, i % 24 ? ",%u" : i ? ",\n\t\t%u" : "\n\t\t%u", bytes[i]);
	fputs(size ? "}" : "0}", to);
}

/* Prints bytes as text, 24 a line, with the shortest escapes: megabytes of numbers cost a compiler ten times as long and four times the memory. */
static void bytes_say_as_text(FILE *to, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		const bool ends = i % 24 == 23 || i + 1 == size, digit_follows = !ends && bytes[i + 1] >= '0' && bytes[i + 1] <= '7';

		fputs(i % 24 ? "" : "\n\t\t\"", to);
		if (bytes[i] >= ' ' && bytes[i] <= '~' && !strchr("\"\\?", bytes[i]))
			fputc(bytes[i], to);
		else
			fprintf(to, digit_follows ? "\\%03o" : "\\%o", bytes[i]);
		fputs(ends ? "\"" : "", to);
	}
}

/* Bytes written in a call lie on the stack of the program: many are an array of their own, in a block with the call. */
enum { BYTES_IN_CALL = 4096 };

static bool bytes_begin(FILE *to, const char *letters_of, const struct build_arg *args)
{
	const char *at = strchr(letters_of, 'p');
	const struct build_arg *arg = at ? &args[at - letters_of] : NULL;

	if (!arg || arg[1].number <= BYTES_IN_CALL)
		return false;
	fputs("\t{\n\tstatic const unsigned char bytes[] =", to);
	bytes_say_as_text(to, arg->data, (size_t)arg[1].number);
	fputs(";\n", to);
	return true;
}

static void signed_say(FILE *to, int64_t value)
{
	if (value == INT64_MIN)
		fputs("INT64_MIN", to);
	else
		fprintf(to, value > INT32_MAX || value < INT32_MIN ? "INT64_C(%" PRId64 ")" : "%" PRId64, value);
}

static void read_note(struct said *s, uint32_t handle)
{
	if (handle >> BUILD_ROW_BITS < BUILD_KINDS)
		s->reads[handle >> BUILD_ROW_BITS] = 1;
}

static void array_say(struct said *s, char letter, const void *data, uint32_t length)
{
	static const char *const types[] = {['v'] = "uint32_t", ['w'] = "uint32_t", ['x'] = "int64_t", ['y'] = "uint64_t"};

	if (!length) {
		fputs("NULL", s->to);
		return;
	}
	fprintf(s->to, "(const %s[]){", types[(unsigned char)letter]);
	for (uint32_t i = 0; i < length; i++) {
		fputs(i ? ", " : "", s->to);
		if (letter == 'w') {
			read_note(s, ((const uint32_t *)data)[i]);
			handle_say(s, ((const uint32_t *)data)[i]);
		} else if (letter == 'v') {
			fprintf(s->to, "%" PRIu32, ((const uint32_t *)data)[i]);
		} else if (letter == 'y') {
			fprintf(s->to, "UINT64_C(%" PRIu64 ")", ((const uint64_t *)data)[i]);
		} else {
			signed_say(s->to, ((const int64_t *)data)[i]);
		}
	}
	fputc('}', s->to);
}

/* Takes an argument of that letter; size_out: of the bytes that are printed when their n comes. */
static void arg_take(struct build_arg *arg, char letter, va_list *list, uint32_t *length_out)
{
	switch (letter) {
	case 's': arg->text = va_arg(*list, const char *); break;
	case 'p': arg->data = va_arg(*list, const void *); break;
	case 'v':
	case 'w':
	case 'x':
	case 'y':
		arg->data = va_arg(*list, const void *);
		*length_out = va_arg(*list, uint32_t);
		break;
	case 'l': arg->number = (uint64_t)va_arg(*list, int64_t); break;
	case 'q':
	case 'n': arg->number = va_arg(*list, uint64_t); break;
	case 'j': arg->number = (uint64_t)va_arg(*list, int32_t); break;
	default: arg->number = va_arg(*list, uint32_t);
	}
}

static void arg_say(struct said *s, const struct build_arg *args, uint32_t i, char letter, uint32_t length)
{
	switch (letter) {
	case 's': say_text(s->to, args[i].text); break;
	case 'h':
		read_note(s, (uint32_t)args[i].number);
		handle_say(s, (uint32_t)args[i].number);
		break;
	case 'p':
		if (args[i + 1].number > BYTES_IN_CALL) {
			fputs("bytes", s->to);
			break;
		}
		fputs("(const unsigned char[]){", s->to);
		bytes_say(s->to, args[i].data, (size_t)args[i + 1].number);
		break;
	case 'v':
	case 'w':
	case 'x':
	case 'y': array_say(s, letter, args[i].data, length); break;
	case 'l': signed_say(s->to, (int64_t)args[i].number); break;
	case 'j': fprintf(s->to, "%" PRId32, (int32_t)(uint32_t)args[i].number); break;
	case 'q': fprintf(s->to, args[i].number > UINT32_MAX ? "UINT64_C(%" PRIu64 ")" : "%" PRIu64, args[i].number); break;
	default: fprintf(s->to, "%" PRIu64, args[i].number);
	}
}

static void line_begin(struct said *s)
{
	for (uint32_t i = 0; i <= s->depth; i++)
		fputc('\t', s->to);
}

uint32_t say_call(struct said *s, const struct build_call *call, const struct build_arg *args, const uint32_t *lengths)
{
	const uint32_t handle = call->run(s->b, args);
	const bool apart = bytes_begin(s->to, call->args, args);

	line_begin(s);
	if (call->makes && handle >> BUILD_ROW_BITS == call->makes) {
		handle_say(s, handle);
		fputs(" = ", s->to);
	}
	fprintf(s->to, "ptowsp_build_%s(b", call->name);
	for (uint32_t i = 0; call->args[i]; i++) {
		fputs(", ", s->to);
		arg_say(s, args, i, call->args[i], lengths ? lengths[i] : 0);
	}
	fputs(apart ? ");\n\t}\n" : ");\n", s->to);
	return handle;
}

uint32_t say(struct said *s, const char *name, ...)
{
	const struct build_call *call = build_call_find(name);
	struct build_arg args[BUILD_ARGS] = {{0}};
	uint32_t lengths[BUILD_ARGS] = {0};
	va_list list;

	va_start(list, name);
	for (uint32_t i = 0; call->args[i]; i++)
		arg_take(&args[i], call->args[i], &list, &lengths[i]);
	va_end(list);
	return say_call(s, call, args, lengths);
}

void say_place(struct said *s, const struct ptowsp_debug_record *place)
{
	if (place->line == s->place.line && place->column == s->place.column && place->file == s->place.file)
		return;
	s->place = *place;
	say(s, "position", !place->line ? "" : place->file == SAY_ANY_FILE ? "tiles" : pkg_string(s->t, place->file), place->line, place->column);
}

void say_position(struct said *s, uint16_t kind, uint32_t row)
{
	const struct pkg_tables *t = s->t;
	struct ptowsp_debug_record place = {0};
	const uint64_t key = (uint64_t)kind << 32 | row;

	for (uint32_t i = pkg_ranks_from(&s->places, key); i < s->places.count && s->places.rows[i].key == key && !place.line; i++)
		place = t->debug[s->places.rows[i].row];
	say_place(s, &place);
}

/* ---- sections as bytes --------------------------------------------------------------------------------------------------------------------- */

/* The bytes of a section as the writer takes them; NULL and 0 if there is none. */
static ptowsp_status section_bytes(struct pkg *package, const struct pkg_schema *schema, const void **bytes_out, uint64_t *size_out, struct ptowsp_error *error)
{
	const struct pkg_tables *t = pkg_tables(package);
	uint32_t count;
	struct pkg_content content;

	*bytes_out = NULL;
	*size_out = 0;
	if (schema->type == PTOWSP_SECTION_TBLB)
		return pkg_sample_section(package, bytes_out, size_out, error);
	if (schema->fields) {
		*bytes_out = pkg_schema_array(schema, t, &count);
		*size_out = (uint64_t)count * schema->bytes;
		return PTOWSP_OK;
	}
	for (uint32_t i = 0; pkg_content(package, i, &content); i++)
		if (content.type == schema->type)
			*size_out = content.size;
	for (uint32_t i = 0; i < UINT32_MAX; i++) {
		const struct ptowsp_section *sections = pkg_sections(package, &count);

		if (i >= count)
			break;
		if (sections[i].type == schema->type)
			*bytes_out = sections[i].data;
	}
	return PTOWSP_OK;
}

/* Sections in which what was built differs from the package, or all of them. 0 if none does. */
static ptowsp_status sections_say(struct said *s, struct pkg *package, const char *built, size_t built_size, struct ptowsp_error *error)
{
	uint32_t count;
	const struct pkg_schema *schemas = pkg_schema_all(&count);
	struct pkg *other = NULL;
	ptowsp_status status = built ? pkg_open_memory(&other, built, built_size, "new package", NULL, error) : PTOWSP_OK;

	for (uint32_t i = 0; i < count && !status; i++) {
		const void *want, *got = NULL;
		uint64_t want_size, got_size = 0;

		if (schemas[i].type == PTOWSP_SECTION_STRS || schemas[i].type == PTOWSP_SECTION_META)
			continue;
		status = section_bytes(package, &schemas[i], &want, &want_size, error);
		if (!status && other)
			status = section_bytes(other, &schemas[i], &got, &got_size, error);
		if (status || (want_size == got_size && (!want_size || !memcmp(want, got, (size_t)want_size))))
			continue;
		say(s, "section", schemas[i].section, want, want_size);
		s->raw++;
	}
	pkg_close(other);
	return status;
}

/* ---- one package -------------------------------------------------------------------------------------------------------------------------- */

static bool ranks_make(struct said *s)
{
	const struct pkg_tables *t = s->t;

	if (!pkg_ranks_init(&s->places, t->debug_count) || !pkg_ranks_init(&s->owned, t->tensor_count) || !pkg_ranks_init(&s->tasks, t->entry_count))
		return false;
	for (uint32_t i = 0; i < t->debug_count; i++)
		pkg_ranks_add(&s->places, (uint64_t)t->debug[i].kind << 32 | t->debug[i].row, i);
	for (uint32_t i = 0; i < t->tensor_count; i++)
		pkg_ranks_add(&s->owned, t->tensor[i].entry, i);
	for (uint32_t i = 0; i < t->entry_count; i++)
		if (t->entry[i].flags & PTOWSP_ENTRY_KERNEL)
			pkg_ranks_add(&s->tasks, (uint64_t)t->entry[i].values << 32 | t->entry[i].value_count, i);
	pkg_ranks_sort(&s->places);
	pkg_ranks_sort(&s->owned);
	pkg_ranks_sort(&s->tasks);
	return true;
}

static ptowsp_status said_init(struct said *s, const struct pkg_code *code, unsigned how, char **text, size_t *size)
{
	const struct pkg_tables *t = pkg_tables(pkg_code_package(code));
	size_t rows =
		(size_t)t->kernel_count + t->slot_count + t->tensor_count + t->entry_count + t->channel_count + t->event_count + t->param_count + t->expr_count;

	memset(s, 0, sizeof(*s));
	s->package = pkg_code_package(code);
	s->code = code;
	s->t = t;
	s->how = how;
	s->kernels = calloc(rows + 1, sizeof(*s->kernels));
	s->b = ptowsp_build_create(NULL);
	s->to = open_memstream(text, size);
	if (!s->kernels || !s->b || !s->to || !ranks_make(s))
		return PTOWSP_NO_MEMORY;
	s->slots = s->kernels + t->kernel_count;
	s->tensors = s->slots + t->slot_count;
	s->entries = s->tensors + t->tensor_count;
	s->channels = s->entries + t->entry_count;
	s->events = s->channels + t->channel_count;
	s->params = s->events + t->event_count;
	s->values = s->params + t->param_count;
	return PTOWSP_OK;
}

static void said_finish(struct said *s)
{
	free(s->kernels);
	pkg_ranks_finish(&s->places);
	pkg_ranks_finish(&s->owned);
	pkg_ranks_finish(&s->tasks);
	ptowsp_build_destroy(s->b);
	if (s->to)
		fclose(s->to);
}

static ptowsp_status everything_say(struct said *s, struct pkg *package, struct ptowsp_error *error)
{
	ptowsp_status status;

	say_facts(s);
	if (s->how & SAY_SECTIONS)
		return PTOWSP_OK;
	say_slots(s);
	say_tensors(s);
	say_pipeline(s);
	say_kernels(s);
	say_work(s);
	fputc('\n', s->to);
	say_rest(s, 0);
	say_schedule(s);
	say_rest(s, 1);
	status = say_graphs(s, error);
	return status ? status : say_samples(s, package, error);
}

static int equal(const struct said *s)
{
	char digest[65];

	for (int i = 0; i < 32; i++)
		snprintf(digest + 2 * i, 3, "%02x", pkg_digest(s->package)[i]);
	return !strcmp(ptowsp_build_digest(s->b), digest);
}

/* Says it in one way. 1 in *equal_out: what it built is the package. built: what an earlier try has built, whose differing sections are
 * given as bytes; NULL in the first one. */
static ptowsp_status try(struct said *s, const struct pkg_code *code, unsigned how, const char *built, size_t built_size, char **text, size_t *size,
			 int *equal_out, struct ptowsp_error *error)
{
	struct pkg *package = pkg_code_package(code);
	ptowsp_status status = said_init(s, code, how, text, size);

	*equal_out = 0;
	if (!status)
		status = everything_say(s, package, error);
	if (!status && (built || how & SAY_SECTIONS))
		status = sections_say(s, package, built, built_size, error);
	if (status)
		return status;
	if (s->failed == 1)
		return PTOWSP_NO_MEMORY;
	ptowsp_build_seal(s->b);
	*equal_out = !s->failed && !ptowsp_build_status(s->b) && equal(s);
	return fflush(s->to) ? PTOWSP_NO_MEMORY : PTOWSP_OK;
}

static void variables_print(const struct said *s, FILE *to)
{
	for (uint32_t kind = 1; kind < BUILD_KINDS; kind++)
		if (s->rows[kind])
			fprintf(to, "\tstatic uint32_t %s[%u];\n", inspect_c_variable(kind), s->rows[kind]);
	fputc('\n', to);
}

/* A line for compilers that warn of variables that are set and never read. */
static void unread_print(const struct said *s, FILE *to)
{
	for (uint32_t kind = 1; kind < BUILD_KINDS; kind++)
		if (s->rows[kind] && !s->reads[kind])
			fprintf(to, "\t(void)%s;\n", inspect_c_variable(kind));
}

static void function_print(const struct said *s, const char *text, uint32_t number, FILE *to)
{
	struct common_text name = {0};

	common_text_comment(&name, pkg_name(s->package)); /* a package's own word, and no code of the program */
	fprintf(to, "\n/* %s%s */\nstatic void package_%u(struct ptowsp_build *b)\n{\n", common_text_view(&name),
		s->raw ? "; sections whose rows no call makes are given as bytes" : "", number);
	common_text_finish(&name);
	variables_print(s, to);
	fputs(text, to);
	unread_print(s, to);
	fputs("}\n", to);
}

/* How many sections differ, by saying them into nothing. */
static uint32_t differing(const struct said *tried)
{
	struct said count;
	char *text = NULL;
	size_t size;
	ptowsp_status status = said_init(&count, tried->code, 0, &text, &size);

	if (!status)
		status = sections_say(&count, pkg_code_package(tried->code), ptowsp_build_bytes(tried->b), (size_t)ptowsp_build_size(tried->b), NULL);
	said_finish(&count);
	free(text);
	return status ? UINT32_MAX : count.raw;
}

/* The way that came nearest. */
struct nearest {
	struct ptowsp_build *b;
	uint32_t differing;
	unsigned how;
};

static void nearest_keep(struct nearest *nearest, struct said *tried, unsigned how)
{
	uint32_t count = tried->failed || ptowsp_build_status(tried->b) ? UINT32_MAX : differing(tried);

	if (count >= nearest->differing)
		return;
	ptowsp_build_destroy(nearest->b);
	*nearest = (struct nearest){tried->b, count, how};
	tried->b = NULL;
}

ptowsp_status inspect_c(const struct pkg_code *code, uint32_t number, FILE *to, struct ptowsp_error *error)
{
	static const unsigned ways[] = {0, SAY_STRINGS, SAY_STATED, SAY_STRINGS | SAY_STATED};
	struct nearest nearest = {NULL, UINT32_MAX, SAY_STRINGS | SAY_SECTIONS};
	char *text = NULL;
	size_t size;
	int done = 0;
	ptowsp_status status = PTOWSP_OK;
	struct said s;

	for (unsigned i = 0; i < 5 && !done && !status; i++) {
		unsigned how = i < 4 ? ways[i] : nearest.how;
		const struct ptowsp_build *built = i < 4 ? NULL : nearest.b;

		status = try(&s, code, how, built ? ptowsp_build_bytes(built) : NULL, built ? (size_t)ptowsp_build_size(built) : 0, &text, &size, &done, error);
		if (done)
			function_print(&s, text, number, to);
		else if (!status && i < 4)
			nearest_keep(&nearest, &s, how);
		said_finish(&s);
		free(text);
		text = NULL;
	}
	ptowsp_build_destroy(nearest.b);
	if (status == PTOWSP_NO_MEMORY)
		return pkg_fail(error, status, "%s: no memory for its program", pkg_name(pkg_code_package(code)));
	if (!status && !done)
		return pkg_fail(error, PTOWSP_BAD_PACKAGE, "%s holds what this build cannot make: sections that it does not know",
				pkg_name(pkg_code_package(code)));
	return status;
}

/* ---- the program ---------------------------------------------------------------------------------------------------------------------------- */

void inspect_c_begin(FILE *to)
{
	fputs("/* Made by ptowsp-inspect --c: builds packages again. cc FILE.c -lptowsp-pack; in the source tree with -DPTOWSP_TREE -Iabi -Ipackages. */\n"
	      "#ifdef PTOWSP_TREE\n#include \"lang/builder.h\"\n#else\n#include <ptowsp_builder.h>\n#endif\n\n#include <stdio.h>\n",
	      to);
}

static void names_print(FILE *to, const char *const *names, uint32_t count)
{
	fputs("\nstatic const struct {\n\tconst char *name;\n\tvoid (*build)(struct ptowsp_build *b);\n} packages[] = {\n", to);
	for (uint32_t i = 0; i < count; i++) {
		fputs("\t{", to);
		say_text(to, names[i]);
		fprintf(to, ", package_%u},\n", i);
	}
	fputs("};\n", to);
}

static bool have_folders(const char *const *names, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (strchr(names[i], '/'))
			return true;
	return false;
}

static void folders_print(FILE *to)
{
	fputs("\n#include <string.h>\n#include <sys/stat.h>\n"
	      "\n/* Makes the folders of a path that ends in a file's name. */\n"
	      "static void folders_make(char *path)\n"
	      "{\n"
	      "\tfor (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {\n"
	      "\t\t*at = '\\0';\n"
	      "\t\tmkdir(path, 0777);\n"
	      "\t\t*at = '/';\n"
	      "\t}\n"
	      "}\n",
	      to);
}

void inspect_c_end(FILE *to, const char *const *names, uint32_t count)
{
	int folders = count > 1 && have_folders(names, count);

	names_print(to, names, count);
	if (folders)
		folders_print(to);
	fputs("\n/* Writes the package to a file, or all of them into a folder, and prints their digests. */\n"
	      "int main(int argc, char **argv)\n"
	      "{\n"
	      "\tint failed = 0;\n"
	      "\n"
	      "\tif (argc != 2) {\n",
	      to);
	fprintf(to, "\t\tfprintf(stderr, \"usage: %%s %s\\n\", argv[0]);\n", count == 1 ? "PACKAGE" : "FOLDER");
	fputs("\t\treturn 2;\n"
	      "\t}\n"
	      "\tfor (size_t i = 0; i < sizeof(packages) / sizeof(packages[0]); i++) {\n"
	      "\t\tstruct ptowsp_build *b = ptowsp_build_create(NULL);\n"
	      "\t\tchar path[4096];\n"
	      "\n",
	      to);
	fprintf(to, "\t\tsnprintf(path, sizeof(path), %s);\n", count == 1 ? "\"%s\", argv[1]" : "\"%s/%s\", argv[1], packages[i].name");
	if (folders)
		fputs("\t\tfolders_make(path);\n", to);
	fputs("\t\tif (b)\n"
	      "\t\t\tpackages[i].build(b);\n"
	      "\t\tif (ptowsp_build_save(b, path)) {\n"
	      "\t\t\tfprintf(stderr, \"%s\\n\", ptowsp_build_error(b));\n"
	      "\t\t\tfailed = 1;\n"
	      "\t\t}\n"
	      "\t\tprintf(\"%s %s\\n\", ptowsp_build_digest(b), packages[i].name);\n"
	      "\t\tptowsp_build_destroy(b);\n"
	      "\t}\n"
	      "\treturn failed;\n"
	      "}\n",
	      to);
}
