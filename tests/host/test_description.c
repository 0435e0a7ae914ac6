/* SPDX-License-Identifier: MIT */
/* test_description.c - structs.def and operations.def against the layout golden, which comes from debug information: no struct, field, size or
 * offset is forgotten or said differently. That the parameters of functions are right the compiler checks (host/call/call.c). */
#include "tests/check.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/call/describe.h"

/* A described field as the golden shows it. */
struct line {
	const char *in, *name, *type; /* type NULL: some function */
	unsigned offset, size;
};

#define TYPED(s, field, type) {#s, #field, type, offsetof(struct ptowsp_##s, field), sizeof(((struct ptowsp_##s *)0)->field)},
#define MANY_1
#define MANY_2  "[2]"
#define MANY_4  "[4]"
#define MANY_8  "[8]"
#define MANY_32 "[32]"
static const struct line described[] = {
#define HEAD(s, field, type)              TYPED(s, field, "struct:ptowsp_head")
#define VALUE(s, field, type, many)       TYPED(s, field, #type MANY_##many)
#define ZERO(s, field, type)              TYPED(s, field, #type)
#define TEXT(s, field, bytes)             TYPED(s, field, "char[" #bytes "]")
#define STRING(s, field, null)            TYPED(s, field, "const:char*")
#define HANDLE(s, field, of)              TYPED(s, field, "struct:ptowsp_object*")
#define CONTEXT(s, field)                 TYPED(s, field, "void*")
#define ONE(s, field, of)                 TYPED(s, field, "struct:ptowsp_" #of "*")
#define INSIDE(s, field, of, many)        TYPED(s, field, "struct:ptowsp_" #of MANY_##many)
#define ROWS(s, field, of, count, stride) TYPED(s, field, "const:struct:ptowsp_" #of "*")
#define VALUES(s, field, type, count)     TYPED(s, field, "const:" #type "*")
#define RECORDS(s, field, count, stride)  TYPED(s, field, "const:void*")
#define CONTENT(s, field, size)           TYPED(s, field, "const:void*")
#define ELEMENTS(s, field, count, dtype)  TYPED(s, field, "void*")
#define WINDOW(s, field)                  TYPED(s, field, "void*")
#define BYTES(s, field, size)             TYPED(s, field, "void*")
#define CALL(s, field)                    TYPED(s, field, NULL)
#define FUNCTION(s, field, callback)      TYPED(s, field, NULL)
#include "ptowsp/structs.def"
};
enum { LINES = sizeof(described) / sizeof(*described) };

/* Structs without fields here: bytes of sections, the head itself. */
static const char *const stored[] = {
	"head",
#define STORED(s) #s,
#include "ptowsp/structs.def"
#define TABLE(SECT, record, text) #record "_record",
#include "registry/common/common_records.def"
};

static bool is_stored(const char *name)
{
	for (size_t i = 0; i < sizeof(stored) / sizeof(*stored); i++)
		if (!strcmp(stored[i], name))
			return true;
	return false;
}

/* ONE is said without const: both are. */
static bool is_type(const char *wanted, const char *golden)
{
	if (!wanted)
		return strstr(golden, ")*") != NULL;
	return !strcmp(wanted, golden) || (!strncmp(golden, "const:struct:", 13) && !strcmp(wanted, golden + 6));
}

/* The golden's fields one by one against lines, but for line number `without`; NULL if all agree, else what does not. */
static const char *difference_find(const char *golden, unsigned without)
{
	unsigned at = 0;

	for (const char *line = golden; *line; line += strcspn(line, "\n") + 1) {
		char in[64], name[64], type[512];
		unsigned offset, size;

		if (sscanf(line, "struct ptowsp_%63s %63s %u %u %511s", in, name, &offset, &size, type) != 5 || is_stored(in) || !strcmp(name, "-"))
			continue;
		at += at == without;
		if (at >= LINES)
			return check_fmt("%s.%s is not described", in, name);
		if (strcmp(described[at].in, in) || strcmp(described[at].name, name))
			return check_fmt("%s.%s is not described where it stands; %s.%s is", in, name, described[at].in, described[at].name);
		if (described[at].offset != offset || described[at].size != size || !is_type(described[at].type, type))
			return check_fmt("%s.%s: %u %u %s, described %u %u %s", in, name, offset, size, type, described[at].offset, described[at].size,
					 described[at].type ? described[at].type : "a function");
		at++;
	}
	at += at == without;
	return at >= LINES ? NULL : check_fmt("%s.%s is described and nowhere else", described[at].in, described[at].name);
}

/* The golden's structs in the order of the description, as both are sorted differently. To be freed. */
static char *golden_read(void)
{
	char *all = check_read(check_fmt("%s/tests/abi/layout.golden", check_root()), NULL), *sorted = all ? calloc(1, 4 * strlen(all) + 1) : NULL;
	char *end = sorted;

	for (unsigned s = 0; sorted && s < HOST_STRUCT_COUNT; s++) {
		const char *prefix = check_fmt("struct ptowsp_%s ", host_structs[s].name);

		for (const char *line = all; *line; line += strcspn(line, "\n") + 1)
			if (!strncmp(line, prefix, strlen(prefix)))
				end += sprintf(end, "%.*s\n", (int)strcspn(line, "\n"), line);
	}
	free(all);
	return sorted;
}

TEST(description_has_every_field_of_the_golden)
{
	char *golden = golden_read();
	const char *difference;

	REQUIRE(golden != NULL);
	CHECK(LINES > 250);
	difference = difference_find(golden, UINT_MAX);
	if (difference)
		CHECK_FAIL("%s; abi/ptowsp/structs.def has what crosses", difference);
	free(golden);
}

TEST(description_without_any_one_row_is_seen)
{
	char *golden = golden_read();

	REQUIRE(golden != NULL);
	for (unsigned i = 0; i < LINES; i++)
		if (!difference_find(golden, i))
			CHECK_FAIL("%s.%s is not missed", described[i].in, described[i].name);
	free(golden);
}

TEST(description_has_every_struct_of_the_golden)
{
	char *golden = check_read(check_fmt("%s/tests/abi/layout.golden", check_root()), NULL);
	unsigned found = 0;

	REQUIRE(golden != NULL);
	for (const char *line = golden; *line; line += strcspn(line, "\n") + 1) {
		char name[64];
		unsigned size, s = 0;

		if (sscanf(line, "struct ptowsp_%63s - 0 %u -", name, &size) != 2 || is_stored(name))
			continue;
		while (s < HOST_STRUCT_COUNT && strcmp(host_structs[s].name, name))
			s++;
		if (s == HOST_STRUCT_COUNT)
			CHECK_FAIL("struct ptowsp_%s is not described", name);
		else if (host_structs[s].size != size || host_struct_size(s, PTOWSP_ABI_MINOR) != size)
			CHECK_FAIL("struct ptowsp_%s has %u bytes, described %u", name, size, host_struct_size(s, PTOWSP_ABI_MINOR));
		else
			found++;
	}
	CHECK_INT(found, HOST_STRUCT_COUNT);
	free(golden);
}

/* Fields follow each other without a hole, and what they name is there. */
TEST(description_fields_fill_their_structs)
{
	for (unsigned s = 0; s < HOST_STRUCT_COUNT; s++) {
		unsigned at = 0;

		for (unsigned f = 0; f < host_structs[s].field_count; f++) {
			const struct host_field *field = &host_structs[s].fields[f];

			if (field->offset != at)
				CHECK_FAIL("%s.%s lies at %u, not %u", host_structs[s].name, field->name, field->offset, at);
			at += field->size;
			if (field->kind == HOST_FIELD_CALL && (host_operations[field->of].table != s || host_operations[field->of].slot != field->offset))
				CHECK_FAIL("%s.%s is not its own operation", host_structs[s].name, field->name);
		}
		if (at != host_structs[s].size)
			CHECK_FAIL("%s has %u bytes of fields, %u in all", host_structs[s].name, at, host_structs[s].size);
		CHECK_INT(host_structs[s].class == HOST_CLASS_ROW, host_structs[s].fields[0].kind != HOST_FIELD_HEAD);
	}
}

/* Macros of the headers are for plugins, which do not read the description. */
TEST(description_says_the_floors_of_the_headers)
{
	static const struct {
		enum host_struct_id id;
		uint32_t floor;
	} floors[] = {
		{HOST_STRUCT_host, PTOWSP_HOST_FLOOR_10_0},
		{HOST_STRUCT_init_args, PTOWSP_INIT_ARGS_FLOOR_10_0},
		{HOST_STRUCT_open_args, PTOWSP_OPEN_ARGS_FLOOR_10_0},
		{HOST_STRUCT_load_args, PTOWSP_LOAD_ARGS_FLOOR_10_0},
		{HOST_STRUCT_run_args, PTOWSP_RUN_ARGS_FLOOR_10_0},
		{HOST_STRUCT_ops, PTOWSP_OPS_FLOOR_10_0},
		{HOST_STRUCT_plugin, PTOWSP_PLUGIN_FLOOR_10_0},
		{HOST_STRUCT_cap, PTOWSP_CAP_FLOOR_10_0},
		{HOST_STRUCT_run_stats, PTOWSP_RUN_STATS_FLOOR_10_0},
		{HOST_STRUCT_deadlock, PTOWSP_DEADLOCK_FLOOR_10_0},
		{HOST_STRUCT_done, PTOWSP_DONE_FLOOR_10_0},
		{HOST_STRUCT_device, PTOWSP_DEVICE_FLOOR_10_0},
		{HOST_STRUCT_option, PTOWSP_OPTION_FLOOR_10_0},
		{HOST_STRUCT_task, PTOWSP_TASK_FLOOR_10_0},
		{HOST_STRUCT_kernel_out, PTOWSP_KERNEL_OUT_FLOOR_10_0},
	};

	for (size_t i = 0; i < sizeof(floors) / sizeof(*floors); i++)
		if (host_struct_size(floors[i].id, 0) != floors[i].floor)
			CHECK_FAIL("%s has %u bytes in 10.0, its floor is %u", host_structs[floors[i].id].name, host_struct_size(floors[i].id, 0),
				   floors[i].floor);
}

TEST(description_gives_every_extension_an_id)
{
	for (unsigned s = 0; s < HOST_STRUCT_COUNT; s++) {
		const char *name = host_structs[s].name, *tail = strstr(name, "_extension"), *id = host_extension_id(s);

		CHECK_INT(id != NULL, tail != NULL);
		if (!id || !tail)
			continue;
		CHECK_STR(id, check_fmt("ptowsp.%.*s/%d", (int)(tail - name), name, host_struct_size(s, 0) != 0)); /* 0: provisional */
		CHECK_INT(host_extension_find(HOST_SIDE_HOST, id) == s || host_extension_find(HOST_SIDE_PLUGIN, id) == s, 1);
	}
}

/* Each of these is a wrong description that does not compile. */
static const struct {
	const char *file, *name, *edit;
} lies[] = {
	{"structs.def", "a_width", "s/VALUE(run_args, token, uint64_t, 1)/VALUE(run_args, token, uint32_t, 1)/"},
	{"structs.def", "a_size", "s/SIZE(kernel_stats, 1, 40)/SIZE(kernel_stats, 1, 48)/"},
	{"structs.def", "a_field_that_is_none", "s/VALUE(done, token,/VALUE(done, tokens,/"},
	{"structs.def", "a_count_that_is_none", "s/setting_count, setting_stride)/settings_count, setting_stride)/"},
	{"structs.def", "a_function_without_a_row", "s/CALL(ops, drain)/CALL(ops, head)/"},
	{"operations.def", "a_forgotten_parameter", "s/(VALUE, IN, until_ns, uint64_t))/(VALUE, IN, until_ns, int64_t))/"},
	{"operations.def", "a_direction", "s/(HANDLE, OUT, device_out, DEVICE)/(HANDLE, IN, device_out, DEVICE)/"},
	{"operations.def", "a_result", "s/ANY, STATUS, (HANDLE, IN, device/ANY, ANSWER, (HANDLE, IN, device/"},
	{"operations.def", "a_length_that_is_none", "s/(TEXT, IN, text, length)/(TEXT, IN, text, size)/"},
};

static void description_lie_does_not_compile(void)
{
	const char *tmp = check_tmp();
	unsigned i = 0;

	while (strcmp(check_name() + strlen("description_lie_of_"), lies[i].name))
		i++;
	REQUIRE_INT(check_run(check_fmt("mkdir '%s/ptowsp' && cp '%s'/abi/ptowsp/* '%s/ptowsp' && sed -i '%s' '%s/ptowsp/%s' && ! cmp -s '%s/abi/ptowsp/%s' "
					"'%s/ptowsp/%s'",
					tmp, check_root(), tmp, lies[i].edit, tmp, lies[i].file, check_root(), lies[i].file, tmp, lies[i].file),
			      NULL, NULL),
		    0);
	CHECK(check_run(check_fmt("cd '%s' && for f in describe call; do gcc -std=c11 -fsyntax-only -DPTOWSP_ABI_TARGET=%d -I'%s' -I. host/call/$f.c || exit "
				  "1; done",
				  check_root(), PTOWSP_ABI_TARGET, tmp),
			NULL, NULL) != 0);
}

void suite_description(CU_pSuite s)
{
	for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++)
		check_add(s, check_fmt("description_lie_of_%s", lies[i].name), description_lie_does_not_compile);
}
