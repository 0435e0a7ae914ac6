/* SPDX-License-Identifier: MIT */
/* fuzz_aie_design.c - any bytes as a design of tiles: refused with one sentence that begins with its place, or a design whose channels and rules are looked at, with the
 * same result each time, and whose cores' bodies run a while. */
#include "aie/design/aie_check.h"
#include "aie/ir/body.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- bodies ------------------------------------------------------------------------------------------------------- */

enum { BYTES = 1 << 16, ASKS = 6, OBJECTS = 64 };
struct outside {
	uint8_t memory[BYTES]; /* of every object and every buffer */
	void *objects[OBJECTS];
};

static uint32_t lock(void *context, const char *fifo, int64_t port, const struct aie_type *object)
{
	(void)context, (void)fifo, (void)port;
	return object && aie_type_bytes(object) > BYTES ? AIE_NONE : 0;
}

static uint8_t *buffer(void *context, const struct aie_op *op)
{
	struct outside *outside = context;

	return op->result_count && op->results[0]->type->kind == AIE_TYPE_MEMREF && aie_type_bytes(op->results[0]->type) <= BYTES ? outside->memory : NULL;
}

static ptowsp_status run(struct outside *outside, const struct aie_design *design, uint32_t core, struct ptowsp_error *error)
{
	const struct aie_body_outside given = {.context = outside, .lock = lock, .buffer = buffer, .design = design, .core = core};
	struct aie_ask ask = {.kind = AIE_ASK_NOTHING};
	struct aie_body *body = NULL;
	ptowsp_status status = aie_body_create(&body, design->cores[core].op, &given, error);

	for (int i = 0; i < BYTES; i++)
		outside->memory[i] = (uint8_t)(i * 37 + i / 256);
	for (int i = 0; i < OBJECTS; i++)
		outside->objects[i] = outside->memory;
	for (int i = 0; !status && i < ASKS && ask.kind != AIE_ASK_END && ask.count <= OBJECTS; i++)
		status = aie_body_next(body, outside->objects, &ask, error);
	aie_body_destroy(body);
	return status;
}

static void bodies_run(const struct aie_design *design)
{
	static struct outside outside;

	for (uint32_t c = 0; c < design->core_count && c < 4; c++) {
		struct ptowsp_error error = {.code = PTOWSP_OK};
		const ptowsp_status status = run(&outside, design, c, &error);

		if (status && (error.code != status || !*error.text))
			abort();
	}
}

/* ---- designs ------------------------------------------------------------------------------------------------------ */

static void look(const struct aie_module *module, struct ptowsp_error *error)
{
	struct aie_design design = {0};
	struct aie_channels channels = {0};
	ptowsp_status status = aie_design_read(&design, module, error);
	unsigned line, column;

	if (!status)
		status = aie_channels_assign(&channels, &design, error);
	if (!status)
		status = aie_check(&design, false, error);
	if (channels.arena) {
		char *report = aie_channels_report(&channels, &design);

		if (!report)
			abort();
		free(report);
	}
	if (status && (error->code != status || sscanf(error->text, "%u:%u: ", &line, &column) != 2 || strchr(error->text, '\n')))
		abort();
	if (!status)
		bodies_run(&design);
	aie_channels_finish(&channels);
	aie_design_finish(&design);
}

bool LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ptowsp_error first = {.code = PTOWSP_OK}, second = {.code = PTOWSP_OK};
	struct aie_module module = {0};

	if (aie_module_read(&module, (const char *)data, size, &first))
		return false;
	look(&module, &first);
	look(&module, &second);
	if (first.code != second.code || strcmp(first.text, second.text))
		abort();
	aie_module_finish(&module);
	return false;
}
