/* SPDX-License-Identifier: MIT
 * main.c - ptowsp-test [--list] [SUITE...]: runs suites (default all), one line per test on stdout:
 *	ok NAME
 *	not ok NAME - file:line: why; file:line: why
 *	skip NAME - reason
 * Exit status 1 if a test failed, 2 on wrong usage. */
#include "tests/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A suite has a function if it adds tests by hand. */
#define X(name, what, needs) __attribute__((weak)) void suite_##name(CU_pSuite s);
#include "tests/suites.def"
#undef X

static const struct suite {
	const char *name, *what;
	void (*fill)(CU_pSuite);
} suites[] = {
#define X(name, what, needs) {#name, what, suite_##name},
#include "tests/suites.def"
#undef X
};
#define NUM_SUITES (sizeof(suites) / sizeof(*suites))

static const char *skipped; /* reason, of the running test */
static unsigned num_failed;

void check_skip(const char *reason)
{
	skipped = reason;
}

static void on_start(const CU_pTest t, const CU_pSuite s)
{
	(void)t, (void)s;
	skipped = NULL;
}

/* The messages may hold newlines (a tool's stderr); a result is one line. */
static void print_flat(const char *text)
{
	for (; *text; text++) {
		if (*text == '\n')
			fputs("\\n", stdout);
		else
			putchar(*text);
	}
}

static void on_complete(const CU_pTest t, const CU_pSuite s, const CU_pFailureRecord failures)
{
	const char *sep = " - ";

	(void)s;
	if (failures) {
		num_failed++;
		printf("not ok %s", t->pName);
		for (CU_pFailureRecord f = failures; f; f = f->pNext, sep = "; ") {
			printf("%s%s:%u: ", sep, f->strFileName, f->uiLineNumber);
			print_flat(f->strCondition);
		}
	} else if (skipped) {
		printf("skip %s - ", t->pName);
		print_flat(skipped);
	} else {
		printf("ok %s", t->pName);
	}
	putchar('\n');
	fflush(stdout); /* a crash in the next test must not swallow it */
}

static int run(const struct suite *suite)
{
	CU_pSuite s = CU_add_suite(suite->name, NULL, NULL);

	if (!s)
		return -1;
	check_fill(s);
	if (suite->fill)
		suite->fill(s);
	return CU_run_suite(s) == CUE_SUCCESS ? 0 : -1;
}

static const struct suite *find(const char *name)
{
	for (size_t i = 0; i < NUM_SUITES; i++)
		if (!strcmp(suites[i].name, name))
			return &suites[i];
	return NULL;
}

static int list(void)
{
	for (size_t i = 0; i < NUM_SUITES; i++)
		printf("%-16s %s\n", suites[i].name, suites[i].what);
	return 0;
}

int main(int argc, char **argv)
{
	int rc = 0;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--list"))
			return list();
		if (!find(argv[i])) {
			fprintf(stderr, "ptowsp-test: no suite \"%s\"; --list shows them\n", argv[i]);
			return 2;
		}
	}
	if (CU_initialize_registry() != CUE_SUCCESS)
		return 1;
	CU_set_test_start_handler(on_start);
	CU_set_test_complete_handler(on_complete);
	if (argc == 1)
		for (size_t i = 0; i < NUM_SUITES; i++)
			rc |= run(&suites[i]);
	for (int i = 1; i < argc; i++)
		rc |= run(find(argv[i]));
	if (rc)
		fprintf(stderr, "ptowsp-test: %s\n", CU_get_error_msg());
	CU_cleanup_registry();
	return rc || num_failed;
}
