/* SPDX-License-Identifier: MIT */
#include "tests/aie/aie_bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/check.h"

static uint8_t *buffer(void *context, const struct aie_op *op)
{
	struct aie_bench *b = context;

	return aie_op_is(op, "aie.buffer") ? b->memory[aie_attr_of(op, "sym_name")->text[0] - 'a'] : NULL;
}

static uint32_t no_lock(void *context, const char *fifo, int64_t port, const struct aie_type *type)
{
	(void)context, (void)fifo, (void)port, (void)type;
	return AIE_NONE;
}

static void functions_find(struct aie_bench *b, const struct aie_region *region)
{
	for (const struct aie_op *op = region->first; op; op = op->next) {
		if (aie_op_is(op, "func.func")) {
			b->functions[b->design.function_count++] =
				(struct aie_function){op, aie_attr_of(op, "sym_name")->text, aie_attr_of(op, "function_type")->type, !op->regions[0].first};
			REQUIRE(common_names_add(&b->design.function_names, aie_attr_of(op, "sym_name")->text));
		} else {
			for (uint32_t i = 0; i < op->region_count; i++)
				functions_find(b, &op->regions[i]);
		}
	}
	b->design.functions = b->functions;
}

static const struct aie_op *core_find(const struct aie_region *region)
{
	for (const struct aie_op *op = region->first; op; op = op->next) {
		const struct aie_op *in = aie_op_is(op, "aie.core") ? op : NULL;

		for (uint32_t i = 0; !in && i < op->region_count; i++)
			in = core_find(&op->regions[i]);
		if (in)
			return in;
	}
	return NULL;
}

ptowsp_status aie_bench_make(struct aie_bench *b, const char *const *types, const char *functions, const char *body)
{
	char *text = malloc(65536);
	int at = snprintf(text, 65536, "\"builtin.module\"() ({\n\"aie.device\"() ({\n%s\n%%t = \"aie.tile\"() {col = 0 : i32, row = 2 : i32} : () -> index\n",
			  functions);
	ptowsp_status status;

	for (int i = 0; i < AIE_BENCH_BUFFERS && types[i]; i++)
		at += snprintf(text + at, 65536 - (size_t)at, "%%%c = \"aie.buffer\"(%%t) {sym_name = \"%c\"} : (index) -> %s\n", 'a' + i, 'a' + i, types[i]);
	at += snprintf(text + at, 65536 - (size_t)at,
		       "%%core = \"aie.core\"(%%t) ({\n%s\n\"aie.end\"() : () -> ()\n}) : (index) -> index\n\"aie.end\"() : () -> ()\n}) {device = 4 : i32, "
		       "sym_name = \"m\"} : () -> ()\n}) : () -> ()\n",
		       body);
	b->error = (struct ptowsp_error){.head = PTOWSP_HEAD(b->error, ERROR)};
	status = aie_module_read(&b->module, text, (size_t)at, &b->error);
	if (status)
		CHECK_FAIL("%s in\n%.3000s", b->error.text, text);
	free(text);
	if (status)
		return status;
	functions_find(b, &b->module.top->regions[0]);
	b->outside.context = b;
	b->outside.lock = no_lock;
	b->outside.buffer = buffer;
	b->outside.design = &b->design;
	return aie_body_create(&b->body, core_find(&b->module.top->regions[0]), &b->outside, &b->error);
}

ptowsp_status aie_bench_run(struct aie_bench *b)
{
	struct aie_ask ask;
	ptowsp_status status;

	b->cycles = 0;
	do {
		status = aie_body_next(b->body, NULL, &ask, &b->error);
		b->cycles += status ? 0 : ask.cycles;
	} while (!status && ask.kind == AIE_ASK_NOTHING);
	return status;
}

void aie_bench_finish(struct aie_bench *b)
{
	aie_body_destroy(b->body);
	common_names_finish(&b->design.function_names);
	aie_module_finish(&b->module);
	memset(b, 0, sizeof(*b));
}
