/* SPDX-License-Identifier: MIT
 * test_shown.c - what the tools print, whole: each file of tests/shown has command lines behind "$ " and below each what it prints and its exit code unless that is 0.
 * PTOWSP_UPDATE=1 writes the files anew, for a change that is meant; git diff shows it. */
#include "contract/cli.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Folders, times with the blanks that set them in columns, and what zstd makes of bytes are others elsewhere. */
static const char filter[] = "status=$?; sed -E -e \"s|${B%/bin}|BUILD|g; s|$T|HERE|g; s|$R|TREE|g\" -e 's/ *[0-9]+\\.[0-9]{3}( ms|$)/ TIME\\1/g'"
			     " -e 's/(\"[a-z_]*_(ms|ns|rss_bytes)\"): ?[0-9.e+-]+/\\1: TIME/g'"
			     " -e 's/(pkg.zst, )[0-9.]+ (bytes|kB)/\\1SIZE/; s/^(  [A-Z]{4} [0-9 ]* )[0-9]+/\\1SIZE/' said; exit $status";

/* Texts stand before the first command, outputs behind each. */
static char *shown_now(char *wanted)
{
	char *now, *save = NULL;
	size_t size;
	FILE *to = open_memstream(&now, &size);
	bool begun = false;

	for (char *line = strtok_r(wanted, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		const bool command = !strncmp(line, "$ ", 2);
		int status;

		if (command || !begun)
			fprintf(to, "%s\n", line);
		begun = begun || command;
		if (!command)
			continue;
		status = cli(check_fmt("PATH=$B:$PATH; { %s; } >said 2>&1; %s", line + 2, filter));
		fputs(cli_out, to);
		if (status)
			fprintf(to, "[exit %d]\n", status);
	}
	fclose(to);
	return now;
}

/* Lists of plugins in the texts have one that is not built everywhere. */
static const char *plugin_missing(void)
{
	cli_begin();
	return cli("test -e $B/../lib/ptowsp/plugins/libptowsp_starpu.so") ? "the plugin starpu, which these texts name, is not built: there is no StarPU here"
									   : NULL;
}

static void tools_print_what_is_written(void)
{
	char *path, *wanted, *commands, *now;

	CHECK_NEED(plugin_missing);
	path = strdup(check_fmt("%s/tests/shown/%s.txt", check_root(), check_name()));
	wanted = check_read(path, NULL);
	commands = check_read(path, NULL);
	REQUIRE(wanted && commands);
	cli_begin();
	now = shown_now(commands);
	if (getenv("PTOWSP_UPDATE"))
		CHECK(check_write(path, now, strlen(now)));
	else if (!CHECK_STR(now, wanted))
		CHECK_FAIL("a change that is meant is written by PTOWSP_UPDATE=1 build/bin/ptowsp-test shown");
	free(now);
	free(commands);
	free(wanted);
	free(path);
}

void suite_shown(CU_pSuite s)
{
	glob_t found = {0};

	if (!glob(check_fmt("%s/tests/shown/*.txt", check_root()), 0, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc; i++) {
			const char *name = strrchr(found.gl_pathv[i], '/') + 1;

			check_add(s, check_fmt("%.*s", (int)strcspn(name, "."), name), tools_print_what_is_written);
		}
	globfree(&found);
}
