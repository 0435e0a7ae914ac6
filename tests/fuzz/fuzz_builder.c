/* SPDX-License-Identifier: MIT
 * fuzz_builder.c - any bytes as calls of the builder, in any order with any arguments: refused with a sentence, or a package that the
 * verifier of the format takes; its code and kernels go through the verifiers of the backends. */
#include "format/format_package.h"
#include "isa/isa.h"
#include "lang/builder/builder_calls.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define HANDLES 64u
#define CALLS   512u

static const char *const words[] = {
	"",         "x",       "y",         "n",        "i",      "main",     "f32",         "i32",    "i64",         "u64",          "u8",       "f16",
	"bool",     "in",      "out",       "inout",    "none",   "temp",     "const",       "gm",     "ub",          "any",          "aiv",      "aic",
	"host",     "dense",   "dense_dyn", "ragged",   "sparse", "+",        "-",           "*",      "/",           "min",          "<",        "&&",
	"neg",      "select",  "task",      "instance", "pto",    "elf",      "source",      "local",  "block_index", "block_count",  "tload",    "tstore",
	"tadd",     "tmuls",   "tmatmul",   "trowsum",  "ADD",    "MOV",      "LI",          "CMP",    "FOR",         "ENDFOR",       "WHILE",    "DO",
	"ENDWHILE", "IF",      "ELSE",      "ENDIF",    "BREAK",  "CONTINUE", "return",      "token",  "payload",     "produces",     "consumes", "after",
	"data",     "barrier", "soft",      "core",     "system", "dispatch", "round_robin", "hash",   "affinity",    "task_window",  "stall",    "deps",
	"explicit", "input",   "expected",  "0",        "1",      "-3",       "1.5",         "v(p,p)", "opcode task", "total_cycles", "KPRM",     "DBGI",
	"cpu_sim",  "a.pto",   "\xff",      "name",
};

/* The bytes, one after the other; zeros behind the end. */
struct input {
	const uint8_t *at, *end;
};

static uint8_t byte(struct input *in)
{
	return in->at < in->end ? *in->at++ : 0;
}

/* Small numbers mostly; every eighth is any. */
static uint64_t number(struct input *in)
{
	uint8_t first = byte(in);
	uint64_t value = 0;

	if (first < 224)
		return first % 65;
	for (int i = 0; i < 8; i++)
		value = value << 8 | byte(in);
	return value >> (first & 7) * 8;
}

/* Handles that calls gave, by kind, newest last. */
struct handles {
	uint32_t rows[BUILD_KINDS][HANDLES], count[BUILD_KINDS];
};

static uint32_t handle(struct input *in, const struct handles *h)
{
	uint8_t kind = byte(in), which = byte(in);

	if (kind % BUILD_KINDS == 0 || !h->count[kind % BUILD_KINDS])
		return kind < 240 ? 0 : (uint32_t)number(in);
	return h->rows[kind % BUILD_KINDS][which % h->count[kind % BUILD_KINDS]];
}

/* Arrays have room for the largest length: beginnings of a sparse axis are at most as many as there are indices. */
struct arrays {
	uint32_t u32s[40];
	uint64_t u64s[40];
	int64_t i64s[40];
	uint8_t bytes[300];
};

static struct build_arg arg(struct input *in, char letter, const struct handles *h, struct arrays *a)
{
	struct build_arg arg = {0};

	switch (letter) {
	case 's': arg.text = words[byte(in) % (sizeof(words) / sizeof(*words))]; break;
	case 'h': arg.number = handle(in, h); break;
	case 'w':
	case 'v':
		for (size_t i = 0; i < 40; i++)
			a->u32s[i] = letter == 'w' ? (i < 6 ? handle(in, h) : 0) : (uint32_t)(i < 6 ? number(in) : 0);
		arg.data = byte(in) < 250 ? a->u32s : NULL;
		break;
	case 'x':
		for (size_t i = 0; i < 40; i++)
			a->i64s[i] = i < 8 ? byte(in) % 32 : (int64_t)a->i64s[7];
		arg.data = byte(in) < 250 ? a->i64s : NULL;
		break;
	case 'y':
		for (size_t i = 0; i < 40; i++)
			a->u64s[i] = i < 4 ? number(in) : 0;
		arg.data = byte(in) < 250 ? a->u64s : NULL;
		break;
	case 'p':
		memset(a->bytes, byte(in), sizeof(a->bytes));
		arg.data = byte(in) < 250 ? a->bytes : NULL;
		break;
	case 'c': arg.number = byte(in) % 7; break;
	case 'n': arg.number = byte(in); break;
	default: arg.number = number(in);
	}
	return arg;
}

static void call(struct ptowsp_build *b, struct input *in, struct handles *h)
{
	uint32_t count, result;
	const struct build_call *c = build_calls(&count);
	struct build_arg args[BUILD_ARGS] = {{0}};
	struct arrays arrays[BUILD_ARGS];

	c += byte(in) % count;
	for (size_t i = 0; c->args[i]; i++)
		args[i] = arg(in, c->args[i], h, &arrays[i]);
	result = c->run(b, args);
	if (!result != (ptowsp_build_status(b) != 0))
		abort(); /* 0 and only 0 is a refusal */
	if (result && c->makes && result >> BUILD_ROW_BITS == c->makes)
		h->rows[c->makes][h->count[c->makes] < HANDLES ? h->count[c->makes]++ : result % HANDLES] = result;
}

static void sealed_check(const struct ptowsp_build *b)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct pkg *package;

	if (pkg_open_memory(&package, ptowsp_build_bytes(b), (size_t)ptowsp_build_size(b), "fuzz", NULL, &error))
		abort();
	for (uint32_t i = 0; i < pkg_tables(package)->payload_count; i++) {
		const struct ptowsp_payload_record *p = &pkg_tables(package)->payload[i];
		struct isa_program *program = NULL;

		if (p->kind == PTOWSP_PAYLOAD_PTO)
			isa_program_create(&program, pkg_tables(package)->code + p->offset, (size_t)p->size, pkg_tables(package)->strings,
					   pkg_tables(package)->strings_size, &error);
		isa_program_destroy(program);
	}
	pkg_close(package);
}

bool LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
bool LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {data, data + size};
	struct ptowsp_build *b = ptowsp_build_create(byte(&in) & 1 ? "fuzz" : NULL);
	struct handles *h = calloc(1, sizeof(*h));

	for (uint32_t i = 0; i < CALLS && in.at < in.end && !ptowsp_build_status(b); i++)
		call(b, &in, h);
	ptowsp_build_seal(b);
	if (!ptowsp_build_status(b) != !*ptowsp_build_error(b))
		abort(); /* a refusal has its sentence */
	if (!ptowsp_build_status(b))
		sealed_check(b);
	ptowsp_build_destroy(b);
	free(h);
	return false;
}
