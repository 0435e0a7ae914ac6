/* SPDX-License-Identifier: MIT */
/* json.c - printing of JSON, and whether stdout took it. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "registry/text.h"
#include "tools/run/run.h"

ptowsp_status run_json_print(struct json_t *root, struct ptowsp_error *error)
{
	return run_json_print_digits(root, 9, error);
}

ptowsp_status run_json_print_digits(struct json_t *root, unsigned digits, struct ptowsp_error *error)
{
	int bad;

	if (!root)
		return reg_fail(error, PTOWSP_NO_MEMORY, "no memory for JSON");
	bad = json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(digits));
	json_decref(root);
	if (!bad)
		putchar('\n');
	return bad ? reg_fail(error, PTOWSP_IO, "stdout cannot be written") : PTOWSP_OK;
}

ptowsp_status run_stdout_check(struct ptowsp_error *error)
{
	if (!fflush(stdout) && !ferror(stdout))
		return PTOWSP_OK;
	return reg_fail(error, PTOWSP_IO, "stdout cannot be written: %s", errno ? strerror(errno) : "it is full or closed");
}
