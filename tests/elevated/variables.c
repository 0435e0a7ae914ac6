/* SPDX-License-Identifier: MIT */
/* variables.c - says whether it runs with elevated privileges, and which of the named variables host and tools would read then. */
#include "registry/variable.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>

int main(int argc, char **argv)
{
	printf("secure %lu", getauxval(AT_SECURE) ? 1ul : 0ul);
	for (int i = 1; i < argc; i++)
		if (reg_variable(argv[i]))
			printf(" %s=%s", argv[i], reg_variable(argv[i]));
	if (!reg_variables_guard())
		return 1;
	printf("\nPATH %s, HOME %s\n", getenv("PATH"), getenv("HOME") ? "there" : "not there");
	return 0;
}
