/* SPDX-License-Identifier: MIT */
/* inspect_verify.c - the checks that belong to whoever runs a package, made here without running it. */
#include "tools/channels.h"
#include "tools/inspect.h"

#include "format/fail.h"
#include "format/schema.h"
#include "isa/isa.h"
#include "rt/rt.h"

#include <inttypes.h>

/* What was looked at, for the line that says so. */
struct counts {
	uint32_t sections, unknown, tables, entries, kernels, unusable;
	uint64_t rows;
};

static void contents_count(const struct pkg *package, struct counts *counts)
{
	struct pkg_content content;

	for (uint32_t i = 0; pkg_content(package, i, &content); i++) {
		const struct pkg_schema *schema = pkg_schema_find(content.type);

		counts->sections++;
		counts->unknown += !schema;
		if (schema && schema->fields) {
			counts->tables++;
			counts->rows += content.count;
		}
	}
}

/* Every portable payload by the verifier that a backend uses. */
static ptowsp_status kernels_verify(const struct pkg *package, struct counts *counts, struct ptowsp_error *error)
{
	const struct pkg_tables *t = pkg_tables(package);
	ptowsp_status st = PTOWSP_OK;

	for (uint32_t i = 0; i < t->payload_count && !st; i++) {
		struct isa_program *program = NULL;

		if (t->payload[i].kind != PTOWSP_PAYLOAD_PTO)
			continue;
		st = isa_program_create(&program, t->code + t->payload[i].offset, t->payload[i].size, t->strings, t->strings_size,
					error);
		counts->kernels++;
		counts->unusable += !st && isa_program_unusable(program);
		isa_program_destroy(program);
	}
	return st;
}

/* Kernels of which nothing is known: rt then assumes the most. */
static ptowsp_status cycles_unknown(void *context, uint32_t kernel, const uint64_t *args, uint64_t *cycles_out)
{
	(void)context;
	(void)kernel;
	(void)args;
	*cycles_out = 0;
	return PTOWSP_UNSUPPORTED;
}

static ptowsp_status footprint_unknown(void *context, uint32_t kernel, const uint64_t *args, rt_touch_fn touch, void *sink)
{
	(void)context;
	(void)kernel;
	(void)args;
	(void)touch;
	(void)sink;
	return PTOWSP_UNSUPPORTED;
}

static int varies_perhaps(void *context, uint32_t kernel)
{
	(void)context;
	(void)kernel;
	return 1;
}

static ptowsp_status run_never(void *context, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, uint32_t worker)
{
	(void)context;
	(void)task;
	(void)out;
	(void)worker;
	return PTOWSP_UNSUPPORTED;
}

static const char *unusable_unknown(void *context, uint32_t kernel)
{
	(void)context;
	(void)kernel;
	return NULL;
}

#define CAPABILITY_LIMIT 256

/* The bytecode behind every entry and the schedule, by the verifier of the runtime core. A directive that only some backend can
 * enforce is no fault of the package. */
static ptowsp_status entries_verify(const struct pkg *package, struct counts *counts, struct ptowsp_error *error)
{
	static const struct rt_kernels kernels = {NULL, cycles_unknown, footprint_unknown, varies_perhaps, run_never, unusable_unknown, NULL};
	static struct ptowsp_cap caps[CAPABILITY_LIMIT];
	struct rt_program_args args = {.section_stride = sizeof(struct ptowsp_section), .kernels = &kernels, .caps = caps};
	ptowsp_status st = PTOWSP_OK;

	args.cap_count = rt_capabilities(caps, CAPABILITY_LIMIT);
	args.sections = pkg_sections(package, &args.section_count);
	for (uint32_t i = 0; i < pkg_tables(package)->entry_count && !st; i++) {
		struct rt_program *program = NULL;

		args.entry = i;
		st = rt_program_create(&program, &args, error);
		rt_program_destroy(program);
		counts->entries++;
		if (st == PTOWSP_UNSUPPORTED)
			st = PTOWSP_OK;
		else if (st == PTOWSP_INVALID)
			st = error->code = PTOWSP_BAD_PACKAGE;
	}
	return st;
}

ptowsp_status inspect_verify(struct pkg *package, const char *path, FILE *to, struct ptowsp_error *error)
{
	struct counts counts = {0};
	const void *samples;
	uint64_t samples_size = 0;
	ptowsp_status st = pkg_sample_section(package, &samples, &samples_size, error);

	contents_count(package, &counts);
	if (!st)
		st = kernels_verify(package, &counts, error);
	if (!st)
		st = entries_verify(package, &counts, error);
	if (st)
		return st;
	channels_warn(package, stderr, "ptowsp-inspect", path);
	fprintf(to, "%s: holds: header, %u sections with their digests", path, (unsigned)counts.sections);
	if (counts.unknown)
		fprintf(to, " (%u unknown ones not read)", (unsigned)counts.unknown);
	fprintf(to, ", %" PRIu64 " rows of %u tables, bytecode of %u entr%s, %u portable kernel%s", counts.rows, (unsigned)counts.tables,
		(unsigned)counts.entries, counts.entries == 1 ? "y" : "ies", (unsigned)counts.kernels, counts.kernels == 1 ? "" : "s");
	if (counts.unusable)
		fprintf(to, " (%u cannot run)", (unsigned)counts.unusable);
	fputc('\n', to);
	return PTOWSP_OK;
}
