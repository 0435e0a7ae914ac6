/* SPDX-License-Identifier: MIT */
/* signatures.c - who vouches for a package. */
#include "tools/inspect/inspect.h"

#include "format/fail.h"
#include "host/trust.h"

#include <string.h>

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

ptowsp_status inspect_signatures(const struct pkg *package, const char *path, const struct inspect_trust *trust, FILE *to, struct ptowsp_error *error)
{
	const struct host_trust_dirs dirs = {trust->dirs, trust->dir_count};
	struct pkg_signature rows[PKG_SIGNATURE_ROWS];
	uint32_t count = pkg_signatures(package, rows);
	int broken = 0, good = 0;
	struct host_keys keys;
	char line[256];
	ptowsp_status st = host_keys_read(&keys, &dirs, error);

	for (uint32_t i = 0; !st && i < count; i++)
		good |= signature_print(package, path, &keys, &rows[i], &broken, to);
	if (!st && !count)
		fprintf(to, "%s: it is not signed\n", path);
	for (uint32_t i = 0; !st && host_keys_line(&keys, i, line, sizeof(line)); i++)
		fprintf(stderr, "ptowsp-inspect: %s\n", line);
	host_keys_finish(&keys);
	if (!st && broken)
		return pkg_fail(error, PTOWSP_BAD_PACKAGE, "a signature is not one of this package: it was changed behind it, or the signature was");
	return !st && trust->wanted && !good ? pkg_fail(error, PTOWSP_BAD_PACKAGE, "no signature of a trusted key counts for it") : st;
}
