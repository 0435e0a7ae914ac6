/* SPDX-License-Identifier: MIT
 * bad_host.c - the life of a host whose plugin looks at it. */
#include "tests/host/bad_host.h"
#include "tests/check.h"

#include <dlfcn.h>
#include <string.h>

#include "ptowsp/note.h"

struct bad_host bad;

struct ptowsp_error *bad_error(void)
{
	bad.error = (struct ptowsp_error){.head = PTOWSP_HEAD(bad.error, ERROR)};
	return &bad.error;
}

static void sections_make(void)
{
	bad.work.header = (struct ptowsp_workload_header){.magic = PTOWSP_WORKLOAD_MAGIC, .version = PTOWSP_WORKLOAD_VERSION, .num_instructions = 1};
	bad.work.code[0] = (struct ptowsp_instruction){.opcode = PTOWSP_OP_HALT};
	bad.sections[0] = (struct ptowsp_section){PTOWSP_SECTION_WORK, 1, sizeof(bad.work.header) + sizeof(bad.work.code), &bad.work};
	bad.sections[1] = (struct ptowsp_section){PTOWSP_SECTION_ENTR, sizeof(bad.entry[0]), 1, bad.entry};
	bad.sections[2] = (struct ptowsp_section){PTOWSP_SECTION_TENS, sizeof(bad.tensors), 1, bad.tensors};
	bad.binding = (struct ptowsp_binding){.data = bad.data, .elements = 16, .extents = {16}, .rank = 1, .dtype = PTOWSP_F32};
}

struct ptowsp_load_args bad_load_args(void)
{
	return (struct ptowsp_load_args){.head = PTOWSP_HEAD(struct ptowsp_load_args, LOAD_ARGS),
					 .sections = bad.sections,
					 .section_count = 3,
					 .section_stride = sizeof(bad.sections[0])};
}

struct ptowsp_run_args bad_run_args(uint64_t token)
{
	return (struct ptowsp_run_args){.head = PTOWSP_HEAD(struct ptowsp_run_args, RUN_ARGS),
					.program = bad.programs[0],
					.token = token,
					.bindings = &bad.binding,
					.binding_count = 1,
					.binding_stride = sizeof(bad.binding)};
}

ptowsp_status bad_load(int i)
{
	const struct ptowsp_load_args args = bad_load_args();

	return fake.ops->load(fake.device, &args, &bad.programs[i], bad_error());
}

ptowsp_status bad_submit(uint64_t token)
{
	const struct ptowsp_run_args args = bad_run_args(token);

	return fake.ops->submit(fake.device, &args, bad_error());
}

ptowsp_status bad_poll(void)
{
	return fake.ops->poll(fake.device, fake_now(NULL) + 1000000, bad_error());
}

/* The plugin stays: it alone knows of the objects that a host lost by its breach. */
void bad_begin(void)
{
	const struct ptowsp_plugin *(*entry)(uint32_t);

	fake_reset();
	memset(&bad, 0, sizeof(bad));
	bad.so = dlopen(check_fmt("%s/test/checking/libptowsp_checking.so", check_build()), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	REQUIRE(bad.so != NULL);
	*(void **)&entry = dlsym(bad.so, PTOWSP_ENTRY_NAME);
	REQUIRE(entry != NULL);
	fake.ops = entry(0)->ops;
	fake.host.minor = PTOWSP_ABI_TARGET;
	sections_make();
}

void bad_live(const char *hold)
{
	REQUIRE_INT(fake_init(hold ? "hold" : NULL, hold, bad_error()), 0);
	REQUIRE_INT(fake_open(1, bad_error()), 0);
	REQUIRE_INT(bad_load(0), 0);
	REQUIRE_INT(bad_submit(7), 0);
	REQUIRE_INT(bad_poll(), 0);
	REQUIRE_INT(fake.done_count, 1);
}

void bad_end(void)
{
	for (int i = 0; i < 2; i++)
		if (bad.programs[i])
			fake.ops->unload(bad.programs[i], NULL);
	if (fake.device)
		fake.ops->close(fake.device, NULL);
	if (fake.instance)
		fake.ops->fini(fake.instance, NULL);
	fake.program = fake.device = fake.instance = NULL;
	dlclose(bad.so);
}
