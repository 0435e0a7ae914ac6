/* SPDX-License-Identifier: MIT */
/* test_compiled.c - what a plugin has compiled and is given again, by "ptowsp.compiled/0" (PL16). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/run/blobs.h"
#include "registry/common/common_hash.h"
#include "registry/names.h"
#include "tools/conform/conform.h"
#include "tools/conform/packages.h"

#if PTOWSP_ABI_MINOR < 1
#define NONE(name)                                                                                                                                             \
	void conform_test_##name(struct conform *c)                                                                                                            \
	{                                                                                                                                                      \
		conform_skip(c, "this host is of 10.0, which has no ptowsp.compiled");                                                                         \
	}
NONE(key_is_stable)
NONE(blobs_are_only_hints)
#else
#include "ptowsp/compiled.h"

#define CALL(c, table, operation, ...) (conform_before(c, #operation), conform_after(c, (table)->operation(__VA_ARGS__), true))

/* init; the extension's table. */
static const struct ptowsp_compiled_extension *table_of(struct conform *c)
{
	const struct ptowsp_compiled_extension *table;

	conform_init(c);
	table = c->plugin->minor >= 1 ? c->plugin->ops.extension(c->instance, PTOWSP_EXTENSION_COMPILED) : NULL;
	if (!table)
		conform_skip(c, "it has no %s: each load compiles, or it keeps that itself", PTOWSP_EXTENSION_COMPILED);
	CONFORM_MUST(c, table->head.size >= sizeof(*table) && table->head.type == PTOWSP_STRUCT_EXTENSION && table->key && table->save,
		     "%s has no head, or a hole (PL2)", PTOWSP_EXTENSION_COMPILED);
	return table;
}

/* ---- the key ------------------------------------------------------------------------------------------------------------ */

static void key_read(struct conform *c, const struct ptowsp_compiled_extension *table, struct ptowsp_object *device, char text_out[PTOWSP_COMPILED_KEY])
{
	char *lent = conform_lend(c, PTOWSP_COMPILED_KEY);
	size_t length = 0;

	memset(lent, 0xa5, PTOWSP_COMPILED_KEY);
	conform_ok(c, CALL(c, table, key, device, lent, PTOWSP_COMPILED_KEY, &c->error), "key of a device");
	while (length < PTOWSP_COMPILED_KEY && lent[length] >= ' ' && lent[length] <= '~')
		length++;
	CONFORM_MUST(c, length && length < PTOWSP_COMPILED_KEY && !lent[length], "the key is not a text of printable ASCII with an end (PL16)");
	memcpy(text_out, lent, length + 1);
	conform_take_back(c);
}

static void key_compare(struct conform *c, const struct ptowsp_compiled_extension *table, struct ptowsp_object *device, const char *before, const char *when)
{
	char now[PTOWSP_COMPILED_KEY];

	key_read(c, table, device, now);
	CONFORM_MUST(c, !strcmp(now, before), "the key is \"%.80s\" %s, and was \"%.80s\": what is kept is never found (PL16)", now, when, before);
}

void conform_test_key_is_stable(struct conform *c)
{
	const struct ptowsp_compiled_extension *table = table_of(c);
	struct ptowsp_object *other;
	struct conform_program p;
	char before[PTOWSP_COMPILED_KEY], *lent;

	conform_begin(c, &p, 1);
	table = c->plugin->ops.extension(c->instance, PTOWSP_EXTENSION_COMPILED);
	key_read(c, table, c->device, before);
	lent = conform_lend(c, PTOWSP_COMPILED_KEY - 1);
	conform_refused(c, CALL(c, table, key, c->device, lent, PTOWSP_COMPILED_KEY - 1, &c->error), PTOWSP_INVALID, 0, "key with too little room");
	conform_ok(c, conform_run(c, c->device, &p, 0, 0), "a run");
	key_compare(c, table, c->device, before, "behind a run");
	conform_program_unload(c, &p);
	conform_device_again(c, 1, &other);
	key_compare(c, table, other, before, "of the same device, opened once more");
	conform_ok(c, CONFORM_CALL(c, close, other, &c->error), "close of the other device");
	conform_close(c);
}

/* ---- blobs -------------------------------------------------------------------------------------------------------------- */

/* What a program has, as the trial of it gives it to load: rows, and bytes that end where the readable memory ends. */
struct kept {
	struct conform *c;
	char (*names)[HOST_BLOBS_NAME + 1];
	unsigned char **bytes;
	uint64_t *sizes;
	uint32_t count;
	const char *why;
};

static ptowsp_status blob_take(void *context, const char *name, const void *bytes, uint64_t size)
{
	struct kept *k = context;
	const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789._-");

	for (uint32_t i = 0; i < k->count; i++)
		k->why = strcmp(k->names[i], name) ? k->why : "a name comes twice";
	if (!length || length > HOST_BLOBS_NAME || name[length])
		k->why = "a name is not of 1 to 64 of [a-z0-9._-]";
	if (k->count == PTOWSP_COMPILED_BLOBS || size > PTOWSP_COMPILED_BLOB)
		k->why = "they are too many, or one is too long";
	if (k->why)
		return PTOWSP_INVALID;
	snprintf(k->names[k->count], sizeof(*k->names), "%s", name);
	k->bytes[k->count] = malloc(size + 1);
	if (!k->bytes[k->count])
		return PTOWSP_NO_MEMORY;
	memcpy(k->bytes[k->count], bytes, size);
	k->sizes[k->count++] = size;
	return PTOWSP_OK;
}

static void kept_make(struct conform *c, struct kept *k)
{
	*k = (struct kept){.c = c,
			   .names = calloc(PTOWSP_COMPILED_BLOBS, sizeof(*k->names)),
			   .bytes = calloc(PTOWSP_COMPILED_BLOBS, sizeof(*k->bytes)),
			   .sizes = calloc(PTOWSP_COMPILED_BLOBS, sizeof(*k->sizes))};
	if (!k->names || !k->bytes || !k->sizes)
		conform_skip(c, "this machine has no memory for the test");
}

static void kept_free(struct kept *k)
{
	for (uint32_t i = 0; i < k->count; i++)
		free(k->bytes[i]);
	free(k->names);
	free(k->bytes);
	free(k->sizes);
}

static void save(struct conform *c, const struct ptowsp_compiled_extension *table, struct conform_program *p, struct kept *k)
{
	ptowsp_status status;

	kept_make(c, k);
	status = CALL(c, table, save, p->object, blob_take, k, &c->error);
	CONFORM_MUST(c, !k->why, "save gave blobs that no host keeps: %s (PL16)", k->why ? k->why : "");
	conform_ok(c, status, "save of a program that rests");
}

/* How the blobs are damaged. */
enum damage { NONE_AT_ALL, BIT, CUT, EMPTY, LONGER, SWAPPED, MANY, DAMAGES };

/* Memory that is lent for load: row i. */
static void row_lend(struct conform *c, const struct kept *k, struct ptowsp_blob *row, uint32_t i, enum damage damage, uint64_t seed)
{
	const uint32_t from = damage == SWAPPED ? (i + 1) % k->count : i;
	uint64_t size = k->sizes[from], at = size ? common_mix(seed + i) % size : 0;
	unsigned char *bytes;

	size = damage == CUT ? at : damage == EMPTY ? 0 : damage == LONGER ? size + 1 + at % 64 : size;
	bytes = conform_lend(c, size ? size : 1);
	memset(bytes, 0, size ? size : 1);
	memcpy(bytes, k->bytes[from], size < k->sizes[from] ? size : k->sizes[from]);
	if (damage == BIT && size)
		bytes[at] ^= (unsigned char)(1u << (common_mix(seed + i) >> 32) % 8);
	if (damage == SWAPPED && k->count == 1) /* of no program that there is */
		for (uint64_t b = 0; b < size; b++)
			bytes[b] = (unsigned char)common_mix(seed + b);
	*row = (struct ptowsp_blob){.name = conform_lend_copy(c, k->names[i], strlen(k->names[i]) + 1), .bytes = bytes, .size = size};
}

/* 4,096 of no bytes, under names that nobody gave. */
static void many_lend(struct conform *c, struct ptowsp_blob *rows, uint32_t stride)
{
	char *names = conform_lend(c, PTOWSP_COMPILED_BLOBS * 8), *nothing = conform_lend(c, 1);

	for (uint32_t i = 0; i < PTOWSP_COMPILED_BLOBS; i++) {
		snprintf(names + 8 * (size_t)i, 8, "b%u", i);
		*(struct ptowsp_blob *)(void *)((char *)rows + (size_t)i * stride) = (struct ptowsp_blob){names + 8 * (size_t)i, nothing, 0};
	}
}

static void load_with(struct conform *c, struct conform_program *p, const struct kept *k, enum damage damage, uint64_t seed)
{
	const uint32_t stride = sizeof(struct ptowsp_blob) + 8 * (uint32_t)(seed % 3), count = damage == MANY ? PTOWSP_COMPILED_BLOBS : k->count;
	char *rows = conform_lend(c, (size_t)count * stride);

	memset(rows, 0, (size_t)count * stride);
	if (damage == MANY)
		many_lend(c, (struct ptowsp_blob *)(void *)rows, stride);
	for (uint32_t i = 0; damage != MANY && i < count; i++)
		row_lend(c, k, (struct ptowsp_blob *)(void *)(rows + (size_t)i * stride), i, damage, seed);
	p->load.blobs = (const void *)rows;
	p->load.blob_count = count;
	p->load.blob_stride = stride;
	conform_ok(c, conform_program_load(c, c->device, p), "load with what an earlier one has compiled, as it was or damaged");
	p->load.blobs = NULL;
	p->load.blob_count = p->load.blob_stride = 0;
	conform_take_back(c);
}

/* A run from zeroed memory: what it leaves there. */
static void run_from_zeros(struct conform *c, struct conform_program *p)
{
	memset(p->memory, 0, p->memory_bytes);
	conform_ok(c, conform_run(c, c->device, p, 0, 0), "a run");
}

static void trial(struct conform *c, struct conform_program *p, const struct kept *k, const uint64_t *expected, enum damage damage, uint64_t seed)
{
	static const char *const words[] = {"as they were", "with a bit changed", "cut", "empty", "too long", "with contents of others", "4,096 of 0 bytes"};

	c->record->seed = seed;
	conform_about(c, "blobs %s", words[damage]);
	load_with(c, p, k, damage, seed);
	run_from_zeros(c, p);
	CONFORM_MUST(c, !memcmp(p->memory, expected, p->memory_bytes), "with its blobs %s a run has other results than without (PL16)", words[damage]);
	conform_program_unload(c, p);
}

void conform_test_blobs_are_only_hints(struct conform *c)
{
	const uint32_t rounds = c->rounds < 32 ? c->rounds : 32;                    /* each is a load, which may compile */
	static const char *const computing[] = {"tasks:chain", "tasks:nest", NULL}; /* zeros become something else */
	const struct ptowsp_compiled_extension *table = table_of(c);
	struct conform_program p;
	struct kept kept;
	uint64_t *expected;

	conform_program_choose(c, &p, computing);
	conform_open(c, 1);
	conform_ok(c, conform_program_load(c, c->device, &p), "load of a package that its rows allow");
	table = c->plugin->ops.extension(c->instance, PTOWSP_EXTENSION_COMPILED);
	run_from_zeros(c, &p);
	expected = malloc(p.memory_bytes);
	if (!expected)
		conform_skip(c, "this machine has no memory for the test");
	memcpy(expected, p.memory, p.memory_bytes);
	save(c, table, &p, &kept);
	conform_program_unload(c, &p);
	for (uint32_t i = 0; i < rounds && kept.count; i++)
		trial(c, &p, &kept, expected, i < DAMAGES ? (enum damage)i : BIT, c->seed + i);
	trial(c, &p, &kept, expected, MANY, c->seed);
	c->record->seed = 0;
	free(expected);
	kept_free(&kept);
	conform_close(c);
}
#endif
