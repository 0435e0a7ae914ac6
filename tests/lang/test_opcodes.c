/* SPDX-License-Identifier: MIT
 * test_opcodes.c - every operation of pto_ops.def as source text, in both dialects, on every element type: accepted where its row
 * says so, refused with a sentence and a caret where it does not; and the page has a line for each. */
#include "isa/isa.h"
#include "isa/opcode.h"
#include "tests/check.h"
#include "tests/lang/source.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const unsigned dtypes[] = {PTOWSP_F32, PTOWSP_F16, PTOWSP_BF16, PTOWSP_F64, PTOWSP_I8,  PTOWSP_I16, PTOWSP_I32,
				  PTOWSP_I64, PTOWSP_U8,  PTOWSP_U16,  PTOWSP_U32, PTOWSP_U64, PTOWSP_BOOL};
enum { TYPES = sizeof(dtypes) / sizeof(*dtypes) };

/* As the language writes them, and as PTO-AS does. */
static const char *const words[] = {
#define X(name, code, size, cls, word, descr) [code] = word,
#include "ptowsp/dtype.def"
#undef X
};
static const char *const as_words[] = {"f32", "f16", "bf16", "f64", "i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64", "i1"};

static char class_of(unsigned dtype)
{
	return dtype == PTOWSP_BOOL ? 'b' : dtype <= PTOWSP_F64 ? 'f' : 'i';
}

static bool is_key(unsigned op, unsigned dtype)
{
	return !*isa_op(op)->keys || strchr(isa_op(op)->keys, class_of(dtype)) != NULL;
}

/* Rows and columns of the tiles, destinations first, by shape rule. */
static const char *shapes_of(unsigned op)
{
	static const char *const shapes[ISA_SHAPE_COUNT] = {
		[ISA_SHAPE_MATMUL] = "48 44 48",          [ISA_SHAPE_MATMUL_ACC] = "48 48 44 48", [ISA_SHAPE_MATMUL_BIAS] = "48 44 48 18",
		[ISA_SHAPE_MATMUL_MX] = "48 44 41 48 18", [ISA_SHAPE_ROW_REDUCE] = "41 48",       [ISA_SHAPE_COL_REDUCE] = "18 48",
		[ISA_SHAPE_ROW_EXPAND] = "48 41",         [ISA_SHAPE_COL_EXPAND] = "48 18",       [ISA_SHAPE_ROW_COMBINE] = "48 48 41",
		[ISA_SHAPE_TRANSPOSE] = "84 48",          [ISA_SHAPE_RESHAPE] = "84 48",          [ISA_SHAPE_EXTRACT] = "24 48",
		[ISA_SHAPE_MERGE] = "88 48 48",
	};

	if (op == PTOWSP_PTO_TSTORE_FP)
		return "48 18";
	if (op == PTOWSP_PTO_TMOV_FP)
		return "48 48 18";
	return shapes[isa_op(op)->shape] ? shapes[isa_op(op)->shape] : "48 48 48 48 48 48";
}

/* Tile `number` of the operation. */
static void side_of(unsigned op, unsigned number, unsigned *rows_out, unsigned *columns_out)
{
	const char *at = shapes_of(op) + 3 * number;

	*rows_out = (unsigned)(at[0] - '0');
	*columns_out = (unsigned)(at[1] - '0');
}

static unsigned dtype_of(char letter, unsigned key)
{
	return letter == 'i' ? PTOWSP_I32 : letter == 'm' ? PTOWSP_U8 : key;
}

/* A number that goes with the operand. */
static const char *number_of(char letter, unsigned key)
{
	return letter == 'v' && class_of(key) == 'f' ? "1.0" : letter == 'n' ? "0" : "1";
}

/* One function that uses the operation once. The operands' names: %t0 ... tiles, %m memory, %s0 ... scalars. */
struct page {
	char text[4096];
	size_t length;
};

static void add(struct page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct page *page, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	page->length += (size_t)vsnprintf(page->text + page->length, sizeof(page->text) - page->length, format, args);
	va_end(args);
}

static bool is_tile(char letter)
{
	return letter == 'T' || letter == 't';
}

static unsigned scalar_dtype(char letter, unsigned key, unsigned op)
{
	return letter == 'n' ? (op == PTOWSP_PTO_CMP ? PTOWSP_BOOL : PTOWSP_I64) : key;
}

static void declarations(struct page *page, unsigned op, unsigned key)
{
	const char *letters = isa_op(op)->operands, *types = isa_op(op)->types;
	unsigned tiles = 0, rows, columns;

	add(page, "func @f(%%m: !pto.memref<gm,...,%s>) {\n", words[key]);
	for (unsigned i = 0; letters[i]; i++)
		if (is_tile(letters[i])) {
			side_of(op, tiles, &rows, &columns);
			add(page, "  %%t%u = alloc_tile : !pto.tile<%ux%ux%s>\n", tiles++, rows, columns, words[dtype_of(types[i], key)]);
		} else if (letters[i] == 'S' || op >= PTOWSP_PTO_ADD) {
			if (letters[i] == 'S' || letters[i] == 's')
				add(page, "  %%s%u = alloc_scalar : %s\n", i, words[scalar_dtype(types[i], key, op)]);
		}
}

/* "%t1", "%m", "%s0", "1.0" */
static void operand(struct page *page, unsigned op, unsigned key, unsigned i, unsigned *tiles)
{
	const char letter = isa_op(op)->operands[i], type = isa_op(op)->types[i];

	if (is_tile(letter))
		add(page, "%%t%u", (*tiles)++);
	else if (letter == 'm' || letter == 'M')
		add(page, "%%m");
	else if (letter == 'S' || op >= PTOWSP_PTO_ADD)
		add(page, "%%s%u", i);
	else
		add(page, "%%%s", number_of(type, key));
}

static const char *mode_of(unsigned op)
{
	return op == PTOWSP_PTO_TCVT ? " {rmode = RINT}" : op == PTOWSP_PTO_TCMP || op == PTOWSP_PTO_TCMPS ? " {cmpMode = GT}" : "";
}

/* "%t0 = tadd %t1, %t2", "ADD %s0:i8, %s1:i8, %s2:i8" */
static void statement(struct page *page, unsigned op, unsigned key)
{
	const char *letters = isa_op(op)->operands, *types = isa_op(op)->types;
	const bool scalar = op >= PTOWSP_PTO_ADD, changes = op == PTOWSP_PTO_TASSIGN || op == PTOWSP_PTO_SETVAL;
	unsigned tiles = 0, i = 0;

	add(page, "  ");
	for (; !scalar && !changes && (letters[i] == 'T' || letters[i] == 'S'); i++) {
		add(page, "%s", i ? ", " : "");
		operand(page, op, key, i, &tiles);
	}
	add(page, "%s%s ", i ? " = " : "", isa_op(op)->mnemonic);
	for (unsigned k = i; letters[k]; k++) {
		const bool index = k && strchr("mM", letters[k - 1]), second = k > 1 && strchr("mM", letters[k - 2]) && letters[k] == 's';

		add(page, "%s", k == i ? "" : index && letters[k] == 's' ? "[" : ", ");
		operand(page, op, key, k, &tiles);
		if (scalar && (letters[k] == 's' || letters[k] == 'S') && !index)
			add(page, ":%s", words[scalar_dtype(types[k], key, op)]);
		if (letters[k] == 's' && (index ? !letters[k + 1] : second))
			add(page, "]");
	}
	add(page, "%s%s\n", mode_of(op), op == PTOWSP_PTO_CMP ? ", GT" : "");
}

static const char *source_of(unsigned op, unsigned key)
{
	static struct page page;

	page.length = 0;
	declarations(&page, op, key);
	if (op == PTOWSP_PTO_TEXTRACT)
		add(&page, "  %%t0 = textract %%t1[0, 1]\n");
	else if (op == PTOWSP_PTO_LI)
		add(&page, "  LI %%s0:%s, %s\n", words[key], class_of(key) == 'f' ? "1.0" : "1");
	else
		statement(&page, op, key);
	add(&page, "  return\n}\n");
	return page.text;
}

/* The kernel of a text runs and has the operation, whose first tile with a key is of this type. */
static void program_check(const struct source *s, unsigned op, unsigned key, const char *text)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	const struct ptowsp_payload_record *payload = &s->t->payload[s->t->kernel[0].payloads];
	struct isa_program *program = NULL;
	char *listing = source_program(s, "f");

	if (isa_program_create(&program, s->t->code + payload->offset, payload->size, s->t->strings, s->t->strings_size, &error))
		CHECK_FAIL("%s of %s: %s", isa_op(op)->mnemonic, words[key], error.text);
	else if (isa_program_unusable(program))
		CHECK_FAIL("%s of %s: %s\n%s", isa_op(op)->mnemonic, words[key], isa_program_unusable(program), text);
	if (!listing || !strstr(listing, isa_op(op)->mnemonic))
		CHECK_FAIL("%s of %s is not in what became of it: %s", isa_op(op)->mnemonic, words[key], listing ? listing : "");
	isa_program_destroy(program);
	free(listing);
}

/* The texts write no tile, so each that the operation reads is warned of, and nothing else. */
static bool as_wanted(const struct source *s, unsigned op)
{
	unsigned sources = 0;

	for (const char *letter = isa_op(op)->operands; *letter; letter++)
		sources += *letter == 't';
	for (uint32_t i = 0; i < s->list->count; i++)
		if (!strstr(s->list->rows[i].text, " which nothing in @f has written by then: it holds zeros"))
			return false;
	return s->t && s->list->count == sources;
}

static void accepted(unsigned op, unsigned key, const char *text)
{
	struct source s = source_compile(text);

	if (!as_wanted(&s, op))
		CHECK_FAIL("%s of %s: %s", isa_op(op)->mnemonic, words[key], s.messages);
	else
		program_check(&s, op, key, text);
	source_free(&s);
}

/* Operations with operands of a type; control is in suites isa_run and incore. */
static bool is_here(unsigned op)
{
	return isa_op(op) && op <= PTOWSP_PTO_STORE;
}

TEST(every_operation_is_accepted_on_its_types)
{
	unsigned pairs = 0;

	for (unsigned op = 0; op < 256; op++)
		for (unsigned i = 0; i < TYPES && is_here(op); i++)
			if (is_key(op, dtypes[i])) {
				accepted(op, dtypes[i], source_of(op, dtypes[i]));
				pairs++;
			}
	printf("# opcodes: %u pairs of operation and type in the language\n", pairs);
	CHECK(pairs > 900);
}

static const char *keys_text(const char *keys)
{
	return !strcmp(keys, "f") ? "floats" : !strcmp(keys, "fi") ? "floats and integers" : !strcmp(keys, "i") ? "integers" : "integers and bool";
}

/* The first operand with the key, destinations first, is what the sentence names. */
static const char *first_key(unsigned op)
{
	unsigned tiles = 0;

	for (unsigned i = 0; isa_op(op)->types[i]; i++) {
		if (isa_op(op)->types[i] == 'k')
			return is_tile(isa_op(op)->operands[i]) ? check_fmt("t%u", tiles) : "m";
		tiles += is_tile(isa_op(op)->operands[i]);
	}
	return "?";
}

static void refused(unsigned op, unsigned key)
{
	const char *text = source_of(op, key), *line = strstr(text, isa_op(op)->mnemonic), *name = check_fmt("%%%s", first_key(op));
	struct source s = source_compile(text);
	unsigned number = 1;
	int column;

	for (const char *at = text; at < line; at++)
		number += *at == '\n';
	while (line[-1] != '\n')
		line--;
	column = (int)(strstr(line, name) - line);
	CHECK_STR(s.messages, check_fmt("test.pto:%u:%d: warning: %s works on %s, not on %s (%s)\n    %.*s\n    %*s^%.*s\n"
					"    help: @f is packed but will not run; the other functions do\n",
					number, column + 1, isa_op(op)->mnemonic, keys_text(isa_op(op)->keys), words[key], name, (int)strcspn(line, "\n"), line,
					column, "", (int)strlen(name) - 1, "~~~~"));
	source_free(&s);
}

TEST(every_other_type_is_refused_with_a_caret)
{
	unsigned pairs = 0;

	for (unsigned op = 0; op < 256; op++)
		for (unsigned i = 0; i < TYPES && is_here(op); i++)
			if (!is_key(op, dtypes[i])) {
				refused(op, dtypes[i]);
				pairs++;
			}
	printf("# opcodes: %u pairs of operation and type refused\n", pairs);
	CHECK(pairs > 100);
}

TEST(scalar_operations_have_a_second_spelling)
{
	char *plain, *other;
	struct source s = source_compile("func @f(%m: !pto.memref<gm,...,i32>) {\n  %x = alloc_scalar : i32\n  %y = alloc_scalar : i32\n"
					 "  %c = alloc_scalar : u1\n  LI %x:i32, 7\n  MOV %y:i32, %x\n  ADD %y:i32, %x:i32, %y\n  SUB %y:i32, %y, 3\n"
					 "  MUL %y:i32, %y, %x\n  DIV %y:i32, %y, 2\n  CMP %c:u1, %x:i32, %y:i32, LT\n  STORE %y:i32, %m[0]\n  return\n}\n");
	struct source t = source_compile("func @f(%m: !pto.memref<gm,...,i32>) {\n  %x = alloc_scalar : i32\n  %y = alloc_scalar : i32\n"
					 "  %c = alloc_scalar : u1\n  SLI %x:i32, 7\n  SMOV %y:i32, %x\n  SADD %y:i32, %x:i32, %y\n  SSUB %y:i32, %y, 3\n"
					 "  SMUL %y:i32, %y, %x\n  SDIV %y:i32, %y, 2\n  SCMP %c:u1, %x:i32, %y:i32, LT\n  STORE %y:i32, %m[0]\n  return\n}\n");

	CHECK_STR(s.messages, "");
	CHECK_STR(t.messages, "");
	plain = source_program(&s, "f");
	other = source_program(&t, "f");
	CHECK_STR(other ? other : "?", plain ? plain : "!");
	free(plain);
	free(other);
	source_free(&s);
	source_free(&t);
}

/* --- PTO-AS --- */

static void as_values(struct page *page, unsigned op, unsigned key, const char *word, const char *set, unsigned first)
{
	const char *letters = isa_op(op)->operands, *types = isa_op(op)->types;
	unsigned tiles = first, count = 0;

	if (!strpbrk(letters, set))
		return;
	add(page, " %s(", word);
	for (unsigned i = 0; letters[i]; i++) {
		if (!strchr(set, letters[i]))
			continue;
		add(page, "%s", count++ ? ", " : "");
		if (is_tile(letters[i]))
			add(page, "%%t%u", tiles++);
		else if (letters[i] == 'm' || letters[i] == 'M')
			add(page, "%%m");
		else
			add(page, "%s", !strcmp(number_of(types[i], key), "1.0") ? "%one" : "%c0");
	}
	add(page, "%s)", strchr(set, 't') ? mode_of(op) : "");
}

/* The operation on tiles of the type; loads and stores have texts of their own in suite as. */
static const char *as_source_of(unsigned op, unsigned key)
{
	static struct page page;
	const char *letters = isa_op(op)->operands, *types = isa_op(op)->types;
	unsigned tiles = 0, rows, columns;

	page.length = 0;
	add(&page, "func.func @f(%%m: !pto.ptr<%s>) {\n  %%c0 = arith.constant 0 : index\n", as_words[key]);
	if (class_of(key) == 'f')
		add(&page, "  %%one = arith.constant 1.0 : %s\n", as_words[key]);
	for (unsigned i = 0; letters[i]; i++)
		if (is_tile(letters[i])) {
			side_of(op, tiles, &rows, &columns);
			add(&page, "  %%t%u = pto.alloc_tile : !pto.tile_buf<vec, %ux%ux%s>\n", tiles++, rows, columns, as_words[dtype_of(types[i], key)]);
		}
	add(&page, "  %spto.%s", op == PTOWSP_PTO_GETVAL ? "%s = " : "", isa_op(op)->mnemonic);
	for (tiles = 0; letters[tiles] == 'T'; tiles++)
		;
	as_values(&page, op, key, "ins", "tsm", tiles);
	as_values(&page, op, key, "outs", "TM", 0);
	add(&page, "\n  return\n}\n");
	return page.text;
}

/* What moves between tiles and memory by position goes through views. */
static bool is_plain_as(unsigned op)
{
	return is_here(op) && op < PTOWSP_PTO_ADD && op != PTOWSP_PTO_TLOAD && op != PTOWSP_PTO_TSTORE && op != PTOWSP_PTO_TSTORE_FP;
}

TEST(every_tile_operation_is_accepted_in_pto_as)
{
	unsigned pairs = 0;

	for (unsigned op = 0; op < 256; op++)
		for (unsigned i = 0; i < TYPES && is_plain_as(op); i++)
			if (is_key(op, dtypes[i])) {
				accepted(op, dtypes[i], as_source_of(op, dtypes[i]));
				pairs++;
			}
	printf("# opcodes: %u pairs of operation and type in PTO-AS\n", pairs);
	CHECK(pairs > 700);
}

/* --- the page --- */

static const char *types_text(const char *keys)
{
	return !strcmp(keys, "f") ? "f" : !strcmp(keys, "i") ? "i" : !strcmp(keys, "fi") ? "f i" : !strcmp(keys, "ib") ? "i b" : !*keys ? "" : "f i b";
}

/* As the page escapes it. */
static const char *cell_text(const char *text)
{
	static char cell[512];
	size_t length = 0;

	for (; *text && length + 2 < sizeof(cell); text++) {
		if (*text == '|')
			cell[length++] = '\\';
		cell[length++] = *text;
	}
	cell[length] = '\0';
	return cell;
}

TEST(the_page_has_the_line_of_every_operation)
{
	char *page = check_read(check_fmt("%s/plugins/isa/README.md", check_root()), NULL);
	unsigned lines = 0;

	REQUIRE(page != NULL);
	for (unsigned i = 0; i < 256; i++)
		if (isa_op(i)) {
			const char *line = check_fmt("| `%s` | `%s` | %s | %s |\n", isa_op(i)->mnemonic, isa_op(i)->operands, types_text(isa_op(i)->keys),
						     cell_text(isa_op(i)->effect));

			if (!strstr(page, line))
				CHECK_FAIL("plugins/isa/README.md lacks: %s", line);
			lines++;
		}
	CHECK_UINT(lines, 104);
	free(page);
}
