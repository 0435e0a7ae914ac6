/* SPDX-License-Identifier: MIT
 * test_aie_foreign.c - designs of public projects, each with what it does here: tests/aie/foreign.tsv names them, the folder PTOWSP_AIE_DESIGNS has them. Without it each is
 * skipped; one that is there in another version is a failure, because nobody knows what that does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aie/array/array.h"
#include "format/format_digest.h"
#include "tests/check.h"
#include "tests/corpus.h"
#include "tests/draw.h"

enum { DEVICES = 16, MOST_EVENTS = 1000000, ARGUMENTS = 8 };

/* ---- kernels that nobody has here ----------------------------------------------------------------------------------- */

/* Stands for any: bytes of the last argument are a function of those of the others, and of nothing else. */
static void blend(uint8_t *out, uint64_t count, const uint8_t *const *in, const uint64_t *sizes, uint32_t inputs)
{
	for (uint64_t i = 0; i < count; i++) {
		out[i] = 1;
		for (uint32_t a = 0; a < inputs; a++)
			out[i] = (uint8_t)(out[i] + (a + 2) * in[a][i % sizes[a]]);
	}
}

static ptowsp_status on_kernel(void *context, const struct aie_sim_call *call, uint64_t *cycles_out, struct ptowsp_error *error)
{
	const struct aie_type *type = call->function->type;
	const uint8_t *in[ARGUMENTS];
	uint64_t sizes[ARGUMENTS];
	uint32_t inputs = 0;

	(void)context, (void)error;
	*cycles_out = 100;
	for (uint32_t i = 0; i + 1 < type->inputs && inputs < ARGUMENTS; i++)
		if (type->parts[i]->kind == AIE_TYPE_MEMREF) {
			in[inputs] = call->memrefs[i];
			sizes[inputs++] = aie_type_bytes(type->parts[i]);
		}
	if (inputs && type->parts[type->inputs - 1]->kind == AIE_TYPE_MEMREF)
		blend(call->memrefs[type->inputs - 1], aie_type_bytes(type->parts[type->inputs - 1]), in, sizes, inputs);
	return PTOWSP_OK;
}

/* ---- what comes out ------------------------------------------------------------------------------------------------- */

struct looked {
	const char *check;
	const struct aie_op *function; /* the kernel; NULL: none */
	bool good;
};

static const struct aie_array_memory *memory_named(const struct aie_array_memory *memories, uint32_t count, const char *name)
{
	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(memories[i].name, name))
			return &memories[i];
	return NULL;
}

/* Words from 1 to 7: kernels count by some of them. */
static void host_fill(const struct aie_array_memory *memories, uint32_t count)
{
	uint64_t state = 11;

	for (uint32_t i = 0; i < count; i++)
		for (uint64_t b = 0; memories[i].host && b < memories[i].size; b++)
			memories[i].bytes[b] = b % 4 ? 0 : (uint8_t)(1 + draw(&state, 7));
}

/* kernel: the sequence's last argument is the kernel's answer to its first ones, object by object. */
static bool kernel_is(const struct looked *looked, const struct aie_array_memory *memories, uint32_t count)
{
	const struct aie_type *type = looked->function ? aie_attr_of(looked->function, "function_type")->type : NULL;
	const struct aie_array_memory *out = NULL, *in;
	uint64_t each, sizes[ARGUMENTS];
	const uint8_t *from[ARGUMENTS];
	bool same = true;

	for (uint32_t i = 0; i < count; i++)
		out = !strncmp(memories[i].name, "arg", 3) ? &memories[i] : out;
	if (!type || !out || type->inputs > ARGUMENTS)
		return false;
	each = aie_type_bytes(type->parts[type->inputs - 1]);
	for (uint64_t n = 0; same && (n + 1) * each <= out->size; n++) {
		uint8_t *wanted = malloc(each);

		for (uint32_t a = 0; a + 1 < type->inputs; a++) {
			in = memory_named(memories, count, check_fmt("arg%u", a));
			sizes[a] = aie_type_bytes(type->parts[a]);
			from[a] = in->bytes + n * sizes[a];
		}
		blend(wanted, each, from, sizes, type->inputs - 1);
		same = !memcmp(wanted, out->bytes + n * each, each);
		free(wanted);
	}
	return same;
}

static bool loopback_is(const struct aie_array_memory *memories, uint32_t count)
{
	const struct aie_array_memory *in = memory_named(memories, count, "arg0"), *out = memory_named(memories, count, "arg2");

	return in && out && in->size == out->size && !memcmp(in->bytes, out->bytes, in->size);
}

/* march: the drained stream has 0 to 255, three times. */
static bool march_is(const struct aie_array_memory *memories, uint32_t count)
{
	const struct aie_array_memory *out = memory_named(memories, count, "output_buffer");
	bool same = out && out->size == 4 * 768;

	for (uint32_t i = 0; same && i < 768; i++) {
		int32_t word;

		memcpy(&word, out->bytes + 4 * i, 4);
		same = word == (int32_t)(i % 256);
	}
	return same;
}

static ptowsp_status on_memories(void *context, const struct aie_array_memory *memories, uint32_t count, bool ran, struct ptowsp_error *error)
{
	struct looked *looked = context;

	(void)error;
	if (!ran)
		host_fill(memories, count);
	else if (!strcmp(looked->check, "kernel"))
		looked->good = kernel_is(looked, memories, count);
	else if (!strcmp(looked->check, "loopback"))
		looked->good = loopback_is(memories, count);
	else if (!strcmp(looked->check, "march"))
		looked->good = march_is(memories, count);
	return PTOWSP_OK;
}

/* ---- designs -------------------------------------------------------------------------------------------------------- */

static const struct aie_op *kernel_find(const struct aie_array_device *device)
{
	for (const struct aie_op *op = device->op->regions[0].first; op; op = op->next)
		if (aie_op_is(op, "func.func"))
			return op;
	return NULL;
}

static void outcome_add(char *outcomes, size_t size, const char *word)
{
	const size_t at = strlen(outcomes);

	snprintf(outcomes + at, size - at, "%s%s", at ? "," : "", word);
}

static void devices_run(struct looked *looked, const struct aie_module *module, const char *arch, char *outcomes, size_t size)
{
	struct aie_array_device device;

	for (uint32_t i = 0; i < DEVICES && aie_array_device_find(module, i, &device); i++) {
		const struct aie_array_args args = {.module = module,
						    .device = &device,
						    .arch = strcmp(arch, "-") ? arch : NULL,
						    .kernels = {.call = on_kernel},
						    .buffering = 8,
						    .max_events = MOST_EVENTS,
						    .memories = on_memories,
						    .memories_context = looked};
		struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
		struct aie_array_report report;
		struct aie_sim_stats stats = {0};
		ptowsp_status status;

		looked->function = kernel_find(&device);
		status = aie_array_run(&args, &report, &stats, &error);
		outcome_add(outcomes, size, aie_array_outcome(status, &report, &stats));
		aie_sim_finish(&stats);
	}
}

struct totals {
	uint32_t ended, checked, cores, nothing, stood, refused, unread, files;
};

/* What a file does, by the devices in it: the first of these words that any of them has; alone, cores end. */
static uint32_t *total_of(struct totals *totals, const char *outcomes)
{
	const struct {
		const char *word;
		uint32_t *total;
	} rows[] = {{"unread", &totals->unread}, {"refused", &totals->refused},   {"failed", &totals->refused},       {"deadlock", &totals->stood},
		    {"waits", &totals->stood},   {"cores ended", &totals->cores}, {"nothing moves", &totals->nothing}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (strstr(outcomes, rows[i].word))
			return rows[i].total;
	return &totals->ended;
}

/* Columns of the list. */
enum { PROJECT, COMMIT, PATH, DIGEST, ARCH, OUTCOMES, LOOK };

static const char *digest_text(const char *text, size_t size, char digest[2 * PKG_DIGEST_SIZE + 1])
{
	uint8_t bytes[PKG_DIGEST_SIZE];

	REQUIRE(pkg_digest_make(bytes, text, size));
	for (size_t i = 0; i < PKG_DIGEST_SIZE; i++)
		snprintf(digest + 2 * i, 3, "%02x", bytes[i]);
	return digest;
}

static void design_run(const char *folder, char **fields, struct totals *totals)
{
	struct looked looked = {.check = fields[LOOK]};
	struct aie_module module = {0};
	char outcomes[256] = "", digest[2 * PKG_DIGEST_SIZE + 1], path[1024];
	size_t size;
	char *text;

	snprintf(path, sizeof(path), "%s/%s/%s", folder, fields[PROJECT], fields[PATH]);
	text = check_read(path, &size);

	if (!text) {
		CHECK_FAIL("%s is not there", path);
		return;
	}
	if (CHECK_STR(digest_text(text, size, digest), fields[DIGEST])) {
		if (aie_module_read(&module, text, size, NULL))
			outcome_add(outcomes, sizeof(outcomes), "unread");
		else
			devices_run(&looked, &module, fields[ARCH], outcomes, sizeof(outcomes));
		if (!CHECK_STR(outcomes, fields[OUTCOMES]) || (strcmp(fields[LOOK], "-") && !CHECK(looked.good)))
			CHECK_FAIL("%s", path);
		totals->files++;
		totals->checked += looked.good;
		++*total_of(totals, outcomes);
	}
	aie_module_finish(&module);
	free(text);
}

TEST(designs_of_others_do_what_the_list_says)
{
	const char *folder = getenv("PTOWSP_AIE_DESIGNS");
	struct corpus_table table;
	struct totals totals = {0};

	REQUIRE(corpus_table_read(&table, check_fmt("%s/tests/aie/foreign.tsv", check_root())));
	if (!folder || !*folder) {
		corpus_table_free(&table);
		CHECK_SKIP("PTOWSP_AIE_DESIGNS names no folder with the designs of tests/aie/foreign.tsv");
	}
	for (uint32_t i = 0; i < table.count; i++)
		design_run(folder, table.rows[i].columns, &totals);
	printf("# %u files: %u run to the end of the host's sequence, %u have cores alone, which end, %u stand still as they should: %u. Of %u what comes out "
	       "is known. %u move nothing, %u are refused or have a device that is, %u is not read\n",
	       totals.files, totals.ended, totals.cores, totals.stood, totals.ended + totals.cores + totals.stood, totals.checked, totals.nothing,
	       totals.refused, totals.unread);
	corpus_table_free(&table);
}
