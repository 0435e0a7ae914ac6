/* SPDX-License-Identifier: MIT
 * test_artifact.c - files that a backend gives away: which paths are taken, and what the caller hears. */
#include "host/find/host_plugin.h"
#include "host/run/artifact.h"
#include "tests/check.h"

#include <string.h>

static struct host_plugin plugin = {.note = {.name = "maker"}};
static const struct ptowsp_backend backend = {.plugin = &plugin};
static unsigned files;

static ptowsp_status file(void *context, const char *path, const void *bytes, uint64_t size)
{
	(void)path, (void)bytes;
	files += size == 1;
	return *(const ptowsp_status *)context;
}

static ptowsp_status give(const char *path, const void *bytes, uint64_t size, ptowsp_status answer, struct ptowsp_error *error)
{
	struct host_artifact_sink g = {.backend = &backend, .file = file, .context = &answer, .error = error};
	ptowsp_status status = host_artifact_take(&g, path, bytes, size);

	CHECK_INT(host_artifact_take(&g, "later", "x", 1), status); /* the first refusal stays */
	return status;
}

static const char *path_of(unsigned parts, unsigned letters)
{
	static char path[512];

	path[0] = '\0';
	for (unsigned i = 0; i < parts; i++)
		strcat(path, i ? "/p" : "p");
	for (size_t length = strlen(path); length < letters; length++)
		memcpy(path + length, "x", 2);
	return path;
}

TEST(paths_stay_below_their_folder)
{
	static const char *const good[] = {"a", "a.b", ".a", "..a", "a/b/c", "A-Z_0.9", "...", "a/.b", "z"}, *const bad[] = {
														     "",     "/",     "/a",       "a/",
														     "a//b", ".",     "..",       "a/..",
														     "../a", "a/./b", "a b",      "a\\b",
														     "a:b",  "a\nb",  "\xC3\xA4", "a/../b",
														     "@",    "`",     "{",        "["};
	struct ptowsp_error error;

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		CHECK_INT(give(good[i], "x", 1, PTOWSP_OK, &error), PTOWSP_OK);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		files = 0;
		CHECK_INT(give(bad[i], "x", 1, PTOWSP_OK, &error), PTOWSP_PLUGIN_REFUSED);
		CHECK_STR(error.text, "maker: artifact: a path is not of parts of [A-Za-z0-9_.-] joined by '/', or has no bytes");
		CHECK_UINT(files, 0);
	}
	CHECK_INT(give(NULL, "x", 1, PTOWSP_OK, &error), PTOWSP_PLUGIN_REFUSED);
	CHECK_INT(give("a", NULL, 1, PTOWSP_OK, &error), PTOWSP_PLUGIN_REFUSED);
	CHECK_INT(give("a", NULL, 0, PTOWSP_OK, &error), PTOWSP_OK);
}

TEST(paths_have_8_parts_and_200_bytes)
{
	struct ptowsp_error error;

	CHECK_INT(give(path_of(8, 0), "x", 1, PTOWSP_OK, &error), PTOWSP_OK);
	CHECK_INT(give(path_of(9, 0), "x", 1, PTOWSP_OK, &error), PTOWSP_PLUGIN_REFUSED);
	CHECK_INT(give(path_of(1, 200), "x", 1, PTOWSP_OK, &error), PTOWSP_OK);
	CHECK_INT(give(path_of(1, 201), "x", 1, PTOWSP_OK, &error), PTOWSP_PLUGIN_REFUSED);
}

/* The refusal of a file, then what the backend says, then a sentence of its own. */
TEST(the_caller_hears_the_first_thing_that_was_wrong)
{
	struct ptowsp_error ours = {.text = ""}, theirs = {.text = "the plan is too large"}, heard = {.text = ""};
	struct host_artifact_sink g = {.backend = &backend, .error = &ours};

	CHECK_INT(host_artifact_answer(&g, PTOWSP_OK, &theirs, &heard), PTOWSP_OK);
	CHECK_INT(host_artifact_answer(&g, PTOWSP_UNSUPPORTED, &theirs, &heard), PTOWSP_UNSUPPORTED);
	CHECK_STR(heard.text, "the plan is too large");
	theirs.text[0] = '\0';
	CHECK_INT(host_artifact_answer(&g, PTOWSP_UNSUPPORTED, &theirs, &heard), PTOWSP_UNSUPPORTED);
	CHECK_STR(heard.text, "the backend made no files and did not say why");
	g.refused = PTOWSP_IO;
	CHECK_INT(host_artifact_answer(&g, PTOWSP_OK, &theirs, &heard), PTOWSP_IO);
	CHECK_STR(heard.text, "a file of the artifact could not be written");
	strcpy(ours.text, "the disk is full");
	CHECK_INT(host_artifact_answer(&g, PTOWSP_UNSUPPORTED, &theirs, &heard), PTOWSP_IO);
	CHECK_STR(heard.text, "the disk is full");
	memset(theirs.text, 'x', sizeof(theirs.text)); /* no end */
	g.refused = PTOWSP_OK;
	CHECK_INT(host_artifact_answer(&g, PTOWSP_UNSUPPORTED, &theirs, &heard), PTOWSP_UNSUPPORTED);
	CHECK_UINT(theirs.text[sizeof(theirs.text) - 1], 0);
}
