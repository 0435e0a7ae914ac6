/* SPDX-License-Identifier: MIT */
/* inspect_source.c - a package as source text, packed again to see that it is the same one. */
#include "tools/inspect.h"

#include "format/fail.h"
#include "print/print.h"
#include "tools/entries.h"

#include <stdlib.h>

ptowsp_status inspect_source(struct pkg *package, FILE *to, struct ptowsp_error *error)
{
	uint32_t entries, unsaid = 0;
	char *text = NULL;
	ptowsp_status st = entries_verify(package, &entries, error); /* the printer follows the bytecode */

	if (!st)
		st = print_source(package, &text, &unsaid, error);
	if (st)
		return st;
	fputs(text, to);
	if (unsaid)
		st = pkg_fail(error, PTOWSP_UNSUPPORTED, "the language cannot say %lu thing%s of this package, see the comment lines",
			      (unsigned long)unsaid, unsaid == 1 ? "" : "s");
	else
		st = print_compare(package, text, error);
	free(text);
	return st;
}
