/* SPDX-License-Identifier: MIT */
/* verify.c - the checks that belong to whoever runs a package, made here without running it. */
#include "tools/channels.h"
#include "tools/entries.h"
#include "tools/inspect/inspect.h"

#include "format/fail.h"
#include "format/schema.h"
#include "isa/isa.h"

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

ptowsp_status inspect_verify(struct pkg *package, const char *path, FILE *to, struct ptowsp_error *error)
{
	struct counts counts = {0};
	const void *samples;
	uint64_t samples_size = 0;
	ptowsp_status st = pkg_sample_section(package, &samples, &samples_size, error);

	contents_count(package, &counts);
	counts.entries = pkg_tables(package)->entry_count;
	if (!st)
		st = kernels_verify(package, &counts, error);
	if (!st)
		st = entries_verify(package, error);
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
