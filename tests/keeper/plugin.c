/* SPDX-License-Identifier: MIT */
/* plugin.c - keeper: a backend of 10.1 that compiles nothing, in truth, and gives the host what it says it compiled: one blob of as many bytes as its option `bytes` says. Its log says what it found.
 *
 * With -DWRONG=NAME it is the plugin null and breaks an obligation of the extension "ptowsp.compiled/0"; tests/hostile/verdicts.def has what is said of each. */
#include "base/base_compiled.h"
#include "base/error.h"
#include "base/ops.h"
#include "base/program.h"
#include "tests/narrow/processor.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum wrong {
	NOTHING_WRONG,
	REFUSES_BLOBS,     /* a damaged one is an error of load */
	RUNS_BLOBS,        /* a damaged one decides what a run computes */
	TRUSTS_BLOBS,      /* reads as many bytes as a blob says it has */
	READS_BLOBS_LATER, /* in a run */
	KEYS_OF_ADDRESSES  /* its key is another one each time */
};
#ifdef WRONG
#define NAME "null"
#else
#define WRONG NOTHING_WRONG
#define NAME  "keeper"
#endif

static bool is(enum wrong which)
{
	return which == WRONG;
}

struct keeper_options {
	struct base_options base;
	unsigned bytes, refuses;
};
static const struct base_option options[] = {
	BASE_OPTION(offsetof(struct keeper_options, bytes), "bytes", "int", "100", "0..1048576", "bytes of what it compiles"),
	BASE_OPTION(offsetof(struct keeper_options, refuses), "refuses", "bool", "off", "off|on", "it loads with nothing that it has compiled"),
};

PROCESSOR_MODELS(NAME "0", "the processor, with a compiler that makes nothing")

/* What it compiles: a length, and as many bytes. */
struct made {
	uint64_t length;
	unsigned char bytes[1 << 20];
};
static const char source[] = "nothing";

static uint64_t made_make(const struct base_instance *instance, struct made *made)
{
	made->length = ((const struct keeper_options *)(const void *)instance->options)->bytes;
	memset(made->bytes, 0x5a, made->length);
	return sizeof(made->length) + made->length;
}

static void key(const struct base_device *device, char *text_out, size_t room)
{
	if (is(KEYS_OF_ADDRESSES))
		snprintf(text_out, room, "%s at %p", NAME, (const void *)device);
	else
		snprintf(text_out, room, "%s 1.0.0", NAME);
}

static ptowsp_status save(struct base_program *program, const struct base_blobs *blobs, struct ptowsp_error *error)
{
	static struct made made;
	const uint64_t size = made_make(program->device->instance, &made);

	return is(NOTHING_WRONG) ? base_blob_give(blobs, "made", source, &made, size, error) : blobs->file(blobs->context, "made", &made, size);
}

/* ---- what is wrong ---------------------------------------------------------------------------------------------------- */

/* Of a program. */
struct trusting {
	const volatile unsigned char *later;
	bool damaged;
};
static volatile unsigned char looked;

static ptowsp_status blob_trust(struct base_program *program, const struct ptowsp_blob *blob, struct ptowsp_error *error)
{
	static struct made right;
	const uint64_t size = made_make(program->device->instance, &right);
	struct trusting *own = program->own;
	uint64_t length = 0;
	const bool damaged = blob->size != size || memcmp(blob->bytes, &right, size);

	own->later = is(READS_BLOBS_LATER) ? blob->bytes : NULL;
	own->damaged = damaged && is(RUNS_BLOBS);
	if (is(TRUSTS_BLOBS))
		memcpy(&length, blob->bytes, sizeof(length));
	for (uint64_t i = 0; i < length; i++)
		looked = ((const volatile unsigned char *)blob->bytes + sizeof(length))[i];
	return damaged && is(REFUSES_BLOBS) ? base_fail(error, PTOWSP_BAD_PACKAGE, "what was compiled is damaged") : PTOWSP_OK;
}

static ptowsp_status load(struct base_program *program, const struct ptowsp_load_args *args, struct ptowsp_error *error)
{
	uint64_t size;
	ptowsp_status status = PTOWSP_OK;

	program->own = base_alloc(program->device->instance, sizeof(struct trusting));
	if (!program->own)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory for a program");
	if (is(NOTHING_WRONG))
		base_log(program->device->instance, PTOWSP_LOG_INFO, "keeper: %s",
			 base_blob_find(program, "made", source, &size) ? "found"
			 : base_blobs_given(program)                    ? "found something else"
									: "compiled");
	if (base_blobs_given(program) && ((const struct keeper_options *)(const void *)program->device->instance->options)->refuses)
		return base_fail(error, PTOWSP_UNSUPPORTED, "nothing that was compiled is taken");
	for (uint32_t i = 0; base_blobs_given(program) && !is(NOTHING_WRONG) && i < args->blob_count && !status; i++)
		status = blob_trust(program, (const struct ptowsp_blob *)(const void *)((const char *)args->blobs + (size_t)i * args->blob_stride), error);
	return status;
}

static void unload(struct base_program *program)
{
	base_release(program->device->instance, program->own, sizeof(struct trusting));
}

static ptowsp_status run(struct base_program *program, const struct rt_run_args *args, struct ptowsp_run_stats *stats_out, struct ptowsp_deadlock *deadlock_out,
			 struct ptowsp_error *error)
{
	const struct trusting *own = program->own;
	struct ptowsp_run_args run_args = *args->args;
	struct rt_run_args own_args = *args;

	if (own->later)
		looked = *own->later;
	if (own->damaged)
		run_args.flags |= PTOWSP_RUN_NO_KERNELS;
	own_args.args = &run_args;
	return rt_run(program->rt, &own_args, stats_out, deadlock_out, error);
}

static const struct base_compiled compiled = {key, save};
static const struct base_backend backend = {.name = NAME,
					    .targets = NAME,
					    .models = models,
					    .options = options,
					    .option_count = sizeof(options) / sizeof(*options),
					    .options_size = sizeof(struct keeper_options),
					    .compiled = &compiled,
					    .load = load,
					    .unload = unload,
					    .run = run};

BASE_OPS(keeper_ops, backend);
BASE_PLUGIN(keeper_ops, NAME, "example", "1.0.0", NAME);
