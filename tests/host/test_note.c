/* SPDX-License-Identifier: MIT */
/* test_note.c - the ELF note: what is read from it, and what is refused. */
#include "tests/check.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/find/host_note.h"
#include "host/ptowsp_host.h"
#include "ptowsp/note.h"

static const char *plugin_path(const char *name)
{
	return check_fmt("%s/tests/hostile/libptowsp_%s.so", check_build(), name);
}

static ptowsp_status note_of(const char *path, struct host_note *note, struct ptowsp_error *error)
{
	size_t size = 0;
	char *bytes = check_read(path, &size);
	ptowsp_status status;

	memset(error, 0, sizeof(*error));
	status = host_note_parse(bytes ? bytes : "", bytes ? size : 0, path, note, error);
	free(bytes);
	return status;
}

TEST(note_says_what_the_plugin_is)
{
	struct ptowsp_error error;
	struct host_note note;

	REQUIRE_INT(note_of(plugin_path("alias_a"), &note, &error), PTOWSP_OK);
	CHECK_UINT(note.major, 10);
	CHECK_UINT(note.minor, 0);
	CHECK_UINT(note.flags, 0);
	CHECK_UINT(note.sanitizer, PTOWSP_SANITIZER);
	CHECK_STR(note.name, "alias_a");
	CHECK_STR(note.vendor, "test");
	CHECK_STR(note.version, "1.0");
	CHECK_STR(note.targets, "alias_a,shared_alias");
}

TEST(note_is_read_from_an_open_file)
{
	const char *path = plugin_path("good");
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct ptowsp_error error;
	struct host_note note;

	REQUIRE(fd >= 0);
	CHECK_INT(host_note_read(fd, path, &note, &error), PTOWSP_OK);
	CHECK_STR(note.name, "good");
	close(fd);
}

TEST(note_survives_strip)
{
	const char *out = check_fmt("%s/stripped.so", check_tmp());
	struct ptowsp_error error;
	struct host_note note;

	REQUIRE_INT(check_run(check_fmt("objcopy --strip-all '%s' '%s'", plugin_path("good"), out), NULL, NULL), 0);
	CHECK_INT(note_of(out, &note, &error), PTOWSP_OK);
	CHECK_STR(note.name, "good");
}

static const struct {
	const char *plugin, *sentence;
} bad[] = {
	{"no_note", "no ptowsp note, so not a plugin; make one with PTOWSP_NOTE"},
	{"two_notes", "two notes of ABI v10"},
	{"note_major", "its note is of ABI v11 only, this host speaks v10"},
	{"note_short", "its ptowsp note is cut short"},
	{"note_cut", "a string of its note does not end or is too long"},
	{"note_long", "a string of its note does not end or is too long"},
	{"note_name", "the name in its note is not 1 to 32 of a-z 0-9 _"},
	{"note_vendor", "vendor or version in its note is not printable UTF-8"},
	{"note_targets", "the targets in its note are not names"},
};

TEST(note_is_refused)
{
	struct ptowsp_error error;
	struct host_note note;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		CHECK_INT(note_of(plugin_path(bad[i].plugin), &note, &error), PTOWSP_PLUGIN_REFUSED);
		CHECK_CONTAINS(error.text, bad[i].sentence);
		CHECK_CONTAINS(error.text, bad[i].plugin);
		CHECK_STR(note.name, "");
	}
}

static struct ptowsp_error decode_error;

/* A descriptor by hand, of minor `minor`: words, then strings. */
static ptowsp_status decode(unsigned minor, const char *strings, size_t size, struct host_note *note_out)
{
	unsigned char bytes[512] = {10, 0, 0, 0, (unsigned char)minor};
	struct host_note_place place = {.bytes = bytes, .size = (uint32_t)(16 + size)};

	memcpy(bytes + 16, strings, size);
	return host_note_decode(&place, "x.so", note_out, &decode_error);
}
#define DECODE(strings) decode(0, strings, sizeof(strings), &(struct host_note){0})

TEST(note_takes_utf8_and_refuses_broken_utf8)
{
	CHECK_INT(DECODE("a\0Gl\xC3\xBChwerk \xF0\x9F\x94\xA5\0001\0a"), PTOWSP_OK);
	CHECK_INT(DECODE("a\0\xC0\xAF\0001\0a"), PTOWSP_PLUGIN_REFUSED);         /* overlong */
	CHECK_INT(DECODE("a\0\xE0\x80\x80\0001\0a"), PTOWSP_PLUGIN_REFUSED);     /* overlong */
	CHECK_INT(DECODE("a\0\xED\xA0\x80\0001\0a"), PTOWSP_PLUGIN_REFUSED);     /* half of a surrogate pair */
	CHECK_INT(DECODE("a\0\xF4\x90\x80\x80\0001\0a"), PTOWSP_PLUGIN_REFUSED); /* beyond U+10FFFF */
	CHECK_INT(DECODE("a\0\xC3\0001\0a"), PTOWSP_PLUGIN_REFUSED);             /* cut */
	CHECK_INT(DECODE("a\0\xC2\x9B\0001\0a"), PTOWSP_PLUGIN_REFUSED);         /* a control character */
	CHECK_INT(DECODE("a\0x\ty\0001\0a"), PTOWSP_PLUGIN_REFUSED);
}

TEST(note_takes_what_a_later_minor_appends)
{
	CHECK_INT(DECODE("a\0vendor\0001\0a\0\1\2\3\4"), PTOWSP_OK);
}

TEST(note_declares_what_its_driver_breaks)
{
#define STRINGS             "a\0vendor\0001\0a\0"
#define DRIVER(minor, text) decode(minor, STRINGS text, sizeof(STRINGS text), &note)
	struct host_note note;

	CHECK_INT(DRIVER(1, "driver=threads,environment"), PTOWSP_OK);
	CHECK_UINT(note.driver, PTOWSP_DRIVER_THREADS | PTOWSP_DRIVER_ENVIRONMENT);
	CHECK_INT(DRIVER(1, "driver=output"), PTOWSP_OK);
	CHECK_UINT(note.driver, PTOWSP_DRIVER_OUTPUT);
	CHECK_INT(DRIVER(1, ""), PTOWSP_OK);
	CHECK_UINT(note.driver, 0);
	CHECK_INT(DRIVER(0, "driver=threads"), PTOWSP_OK); /* a note of 10.0 has four strings */
	CHECK_UINT(note.driver, 0);
	CHECK_INT(DRIVER(200, "colour=blue"), PTOWSP_OK);
	CHECK_INT(DRIVER(1, "driver="), PTOWSP_PLUGIN_REFUSED);
	CHECK_INT(DRIVER(1, "driver=threads,exit"), PTOWSP_PLUGIN_REFUSED);
	CHECK_CONTAINS(decode_error.text, "the note declares of its driver \"exit\", which is none of threads, environment");
	CHECK_INT(DRIVER(1, "driver=threads,"), PTOWSP_PLUGIN_REFUSED);
	CHECK_INT(DRIVER(1, "driver=threads;driver=output"), PTOWSP_PLUGIN_REFUSED);
	CHECK_CONTAINS(decode_error.text, "two words");
	CHECK_INT(DRIVER(1, "drivers=threads"), PTOWSP_PLUGIN_REFUSED);
	CHECK_INT(DRIVER(1, "driver"), PTOWSP_PLUGIN_REFUSED);
	CHECK_INT(DRIVER(1, "colour=blue"), PTOWSP_PLUGIN_REFUSED);
	CHECK_CONTAINS(decode_error.text, "its note has \"colour=blue\", which no host knows: words are device=, read=, memory=, call=, driver=");
	CHECK_INT(decode(1, STRINGS "driver=threads", sizeof(STRINGS) + 5, &note), PTOWSP_PLUGIN_REFUSED);
	CHECK_CONTAINS(decode_error.text, "does not end or is longer than 1024 bytes");
}

/* Without the option, or where it is 0, nothing is declared. */
TEST(note_declares_a_driver_that_an_option_brings)
{
	static const struct {
		struct ptowsp_setting setting;
		uint32_t driver;
	} rows[] = {{{"count", "1"}, 9}, {{"count", "00"}, 0}, {{"count", ""}, 0}, {{"count", "gpu"}, 9}, {{"counts", "1"}, 0}};
	static const char *const refused[] = {"driver:count",
					      "driver:count=",
					      "driver:=threads",
					      "driver:count=exit",
					      "driver:Count=threads",
					      "driver:count;device=/dev/nvidia0",
					      "driver:count=threads;driver=output"};
	struct host_note note;

	CHECK_INT(DRIVER(1, "driver:count=threads,handlers;read=/etc/OpenCL"), PTOWSP_OK);
	CHECK_STR(note.driver_option, "count");
	CHECK_STR(note.grants, "read=/etc/OpenCL");
	CHECK_UINT(host_note_driver(&note, NULL, 0), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		CHECK_UINT(host_note_driver(&note, &rows[i].setting, 1), rows[i].driver);
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		char text[100] = STRINGS;

		strcpy(text + sizeof(STRINGS) - 1, refused[i]);
		if (decode(1, text, sizeof(STRINGS) + strlen(refused[i]), &note) != PTOWSP_PLUGIN_REFUSED)
			CHECK_FAIL("%s is taken", refused[i]);
	}
	CHECK_INT(DRIVER(1, "driver=threads"), PTOWSP_OK);
	CHECK_UINT(host_note_driver(&note, NULL, 0), 1);
}

/* What is of the driver, and what is of a sandbox, in any order; a word that nobody may have is a refusal. */
TEST(note_asks_for_what_a_sandbox_has_not)
{
	static const char *const refused[] = {
		"device=/dev",
		"device=/dev/dri/../mem",
		"device=/etc/passwd",
		"device=/dev/*/a",
		"device=/dev/dri/*",
		"device=/dev/nvidia[0]",
		"device=dev/nvidia",
		"read=/home/me",
		"read=/etc",
		"read=/etc/",
		"read=/usr/../home",
		"read=/var/library",
		"memory=all",
		"call=execve",
		"call=",
		"write=/tmp/a",
		"device=",
		"read=/usr/lib;;",
		";",
		"read=/etc/OpenCL,",
	};
	struct host_note note;

	CHECK_INT(DRIVER(1, "device=/dev/dri/renderD*;driver=threads;read=/etc/OpenCL;memory=locked;call=kcmp"), PTOWSP_OK);
	CHECK_UINT(note.driver, PTOWSP_DRIVER_THREADS);
	CHECK_STR(note.grants, "device=/dev/dri/renderD*;read=/etc/OpenCL;memory=locked;call=kcmp");
	CHECK_INT(DRIVER(1, "driver=threads,output"), PTOWSP_OK);
	CHECK_STR(note.grants, "");
	CHECK_INT(DRIVER(0, "read=/etc/OpenCL"), PTOWSP_OK);
	CHECK_STR(note.grants, "");
	for (size_t i = 0; i + 1 < sizeof(refused) / sizeof(*refused); i++) {
		char text[200] = STRINGS;
		const size_t length = sizeof(STRINGS) - 1;

		memcpy(text + length, refused[i], strlen(refused[i]) + 1);
		if (decode(1, text, length + strlen(refused[i]) + 1, &note) != PTOWSP_PLUGIN_REFUSED)
			CHECK_FAIL("%s is taken", refused[i]);
	}
#undef DRIVER
#undef STRINGS
}

TEST(note_limits_are_met_exactly)
{
	CHECK_INT(DECODE("abcdefghijklmnopqrstuvwxyz_01234\0v\0001\0"), PTOWSP_OK);
	CHECK_INT(DECODE("abcdefghijklmnopqrstuvwxyz_012345\0v\0001\0"), PTOWSP_PLUGIN_REFUSED);
	CHECK_INT(DECODE("\0v\0001\0"), PTOWSP_PLUGIN_REFUSED);
}

TEST(note_targets_are_matched_whole)
{
	struct host_note note = {.targets = "a2a3,pto_runtime_a2a3"};

	CHECK(host_note_has_target(&note, "a2a3"));
	CHECK(host_note_has_target(&note, "pto_runtime_a2a3"));
	CHECK(!host_note_has_target(&note, "a2a"));
	CHECK(!host_note_has_target(&note, "pto_runtime"));
	CHECK(!host_note_has_target(&note, ""));
}
