/* SPDX-License-Identifier: MIT */
/* lowered.c - the code of graphs that were built by calls: what they say is printed as source, and that is packed. */
#include "print/print.h"

#include "format/fail.h"
#include "lang/lang.h"

#include <stdio.h>
#include <stdlib.h>

/* The text of a package, if the package has graphs and nothing that runs yet. */
static ptowsp_status text_make(struct pkg *package, char **text_out, struct ptowsp_error *error)
{
	const struct pkg_tables *tables = pkg_tables(package);
	struct pkg_code *code = NULL;
	uint32_t inexpressible = 0;
	ptowsp_status status;

	if (!tables->graph)
		return pkg_fail(error, PTOWSP_INVALID, "it has no graphs");
	for (uint32_t i = 0; i < tables->entry_count; i++)
		if (!(tables->entry[i].flags & PTOWSP_ENTRY_KERNEL))
			return pkg_fail(error, PTOWSP_INVALID, "entry %.80s has code already", pkg_string(tables, tables->entry[i].name));
	status = pkg_code_open(&code, package, error);
	if (!status)
		status = print_source(code, NULL, text_out, &inexpressible, error);
	pkg_code_close(code);
	if (!status && inexpressible)
		return pkg_fail(error, PTOWSP_UNSUPPORTED, "the language cannot say %u thing%s of it; ptowsp-inspect --pto shows them", (unsigned)inexpressible,
				inexpressible == 1 ? "" : "s");
	return status;
}

ptowsp_status ptowsp_pack_graphs(const void *bytes, uint64_t size, struct ptowsp_pack_result **result_out)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct pkg *package = NULL;
	char *text = NULL, name[96] = "package";
	ptowsp_status status, told;

	if (!result_out)
		return PTOWSP_INVALID;
	*result_out = NULL;
	if (!bytes || size > SIZE_MAX)
		return PTOWSP_INVALID;
	status = pkg_open_memory(&package, bytes, (size_t)size, "package", NULL, &error);
	if (!status)
		snprintf(name, sizeof(name), "%.80s.pto", pkg_name(package));
	if (!status)
		status = text_make(package, &text, &error);
	if (!status)
		status = ptowsp_pack_text(name, text, result_out);
	else if ((told = lang_pack_refuse(name, &error, result_out)) != PTOWSP_OK)
		status = told;
	free(text);
	pkg_close(package);
	return status;
}
