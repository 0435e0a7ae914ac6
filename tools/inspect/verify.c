/* SPDX-License-Identifier: MIT */
/* verify.c - the checks that belong to whoever runs a package, made here without running it, and the signatures of a package. */
#include "format/fail.h"
#include "format/schema.h"
#include "host/trust/trust.h"
#include "isa/isa.h"
#include "tools/channels.h"
#include "tools/entries.h"
#include "tools/inspect/inspect.h"

#include <inttypes.h>
#include <string.h>

/* Counts of the things that were looked at, for the line that says so. */
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
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; i < t->payload_count && !status; i++) {
		struct isa_program *program = NULL;

		if (t->payload[i].kind != PTOWSP_PAYLOAD_PTO)
			continue;
		status = isa_program_create(&program, t->code + t->payload[i].offset, t->payload[i].size, t->strings, t->strings_size, error);
		counts->kernels++;
		counts->unusable += !status && isa_program_unusable(program);
		isa_program_destroy(program);
	}
	return status;
}

ptowsp_status inspect_verify(struct pkg *package, const char *path, FILE *to, struct ptowsp_error *error)
{
	struct counts counts = {0};
	const void *samples;
	uint64_t samples_size = 0;
	ptowsp_status status = pkg_sample_section(package, &samples, &samples_size, error);

	contents_count(package, &counts);
	counts.entries = pkg_tables(package)->entry_count;
	if (!status)
		status = kernels_verify(package, &counts, error);
	if (!status)
		status = entries_verify(package, error);
	if (status)
		return status;
	channels_warn(package, "ptowsp-inspect", path);
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

/* ---- who vouches for a package. ---- */

/* One line. True if it counts; *broken is set by one that is not of this package. */
static int signature_print(const struct pkg *package, const char *path, const struct host_keys *keys, const struct pkg_signature *row, int *broken, FILE *to)
{
	const struct host_trust_for nobody = {NULL, 0};
	int holds = pkg_signature_holds(row, PKG_SIGNED_PACKAGE, pkg_header_digest(package));
	char id[PKG_KEY_ID], day[16], text[HOST_TRUST_TEXT];
	int good = host_trust_judge(keys, row, 1, PKG_SIGNED_PACKAGE, pkg_header_digest(package), &nobody, text);

	const char *by;

	*broken |= !holds;
	pkg_key_id(id, row->key);
	by = holds && strstr(text, id) ? NULL : id; /* the verdict names it mostly */
	host_trust_day(row->expires, day);
	fprintf(to, "%s: signature%s%s for plugins %s from ABI v%u.%u on%s%s: ", path, by ? " by key " : "", by ? by : "", row->plugins, row->abi_major,
		row->abi_minor, row->expires ? ", until " : "", row->expires ? day : "");
	if (!holds)
		fputs("not valid: it is not one of this package\n", to);
	else
		fprintf(to, "%s%s\n", good ? "valid: " : "holds, but does not count: ", text);
	return good;
}

ptowsp_status inspect_signatures(const struct pkg *package, const char *path, const struct host_trust_dirs *dirs, bool wanted, FILE *to,
				 struct ptowsp_error *error)
{
	struct pkg_signature rows[PKG_SIGNATURE_ROWS];
	uint32_t count = pkg_signatures(package, rows);
	int broken = 0, good = 0;
	struct host_keys keys;
	char line[256];
	ptowsp_status status = host_keys_read(&keys, dirs, error);

	for (uint32_t i = 0; !status && i < count; i++)
		good |= signature_print(package, path, &keys, &rows[i], &broken, to);
	if (!status && !count)
		fprintf(to, "%s: it is not signed\n", path);
	for (uint32_t i = 0; !status && host_keys_line(&keys, i, line, sizeof(line)); i++)
		fprintf(stderr, "ptowsp-inspect: %s\n", line);
	host_keys_finish(&keys);
	if (!status && broken)
		return pkg_fail(error, PTOWSP_BAD_PACKAGE, "a signature is not one of this package: it was changed behind it, or the signature was");
	return !status && wanted && !good ? pkg_fail(error, PTOWSP_BAD_PACKAGE, "no signature of a trusted key counts for it") : status;
}
