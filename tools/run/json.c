/* SPDX-License-Identifier: MIT */
/* json.c - printing of JSON. */
#include <jansson.h>
#include <stdio.h>

#include "registry/text.h"
#include "tools/run/run_run.h"
#include "tools/standard.h"

ptowsp_status run_json_print(struct json_t *root, struct ptowsp_error *error)
{
	return run_json_print_digits(root, 9, error);
}

ptowsp_status run_json_print_digits(struct json_t *root, unsigned digits, struct ptowsp_error *error)
{
	int bad;

	if (!root)
		return reg_fail(error, PTOWSP_NO_MEMORY, "no memory for JSON");
	bad = json_dumpf(root, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(digits));
	json_decref(root);
	if (!bad)
		putchar('\n');
	if (!bad)
		return PTOWSP_OK;
	return ferror(stdout) ? standard_check(error) : reg_fail(error, PTOWSP_NO_MEMORY, "no memory for JSON");
}
