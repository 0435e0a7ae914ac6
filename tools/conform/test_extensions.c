/* SPDX-License-Identifier: MIT */
/* test_extensions.c - what a plugin does with the host's extensions: native code of packages, runs on several devices. */
#include <string.h>

#include "host/run/group.h"
#include "ptowsp/graph.h"
#include "registry/names.h"
#include "tools/conform/conform.h"
#include "tools/conform/packages.h"

static const uint64_t limit = UINT64_C(60000000000);

/* ---- ptowsp.code/1 ---------------------------------------------------------------------------------------------- */

/* The package's native code writes sevens, its portable payload fives. Without trust a plugin that claims no portable payload has nothing to run: it refuses in load, or
 * its run ends UNSUPPORTED. */
static int32_t native_run(struct conform *c, struct conform_program *p, bool trusted)
{
	const bool may_refuse = !trusted && conform_claim(c, PTOWSP_FEATURE_PAYLOAD(PTOWSP_PAYLOAD_PTO)) == PTOWSP_STATE_UNSUPPORTED;
	ptowsp_status status;

	p->load.flags = trusted ? PTOWSP_LOAD_TRUST_NATIVE : 0;
	memset(p->memory, 0, p->memory_bytes);
	if (conform_program_load(c, c->device, p))
		return 0;
	status = conform_run(c, c->device, p, 0, 0);
	if (!may_refuse || status != PTOWSP_UNSUPPORTED)
		conform_ok(c, status, trusted ? "a run of trusted native code" : "a run of a package that is not trusted");
	conform_program_unload(c, p);
	return *(const int32_t *)(const void *)p->memory;
}

void conform_test_native_code_runs_only_if_trusted(struct conform *c)
{
	struct conform_program p;

	if (!conform_program_find(c, &p, "native:main"))
		conform_skip(c, "package native of the probes is not here; --probes says where it is");
	conform_open(c, 1);
	if (conform_claim(c, PTOWSP_FEATURE_PAYLOAD(PTOWSP_PAYLOAD_ELF)) < PTOWSP_STATE_ENFORCED)
		conform_skip(c, "its rows do not enforce payload elf");
	for (int round = 0; round < 3; round++) { /* loads for one program are gone with it */
		CONFORM_MUST(c, native_run(c, &p, false) != 7, "it ran native code of a package that is not trusted (PL12)");
		CONFORM_MUST(c, native_run(c, &p, true) == 7, "its row enforces payload elf, and trusted native code did not run: %s (PL7)",
			     c->services.codes ? "it got the function" : "it did not ask " PTOWSP_EXTENSION_CODE " for it, or that refused");
		CONFORM_MUST(c, c->services.codes > (uint32_t)round, "it ran native code that " PTOWSP_EXTENSION_CODE " did not load for this program (PL12)");
	}
	conform_close(c);
}

/* ---- ptowsp.notify/1 -------------------------------------------------------------------------------------------- */

/* Opens the second device that is listed, by its name. */
static struct ptowsp_object *second_open(struct conform *c)
{
	const struct ptowsp_device *devices[64];
	struct ptowsp_open_args args = {.head = PTOWSP_HEAD(args, OPEN_ARGS), .threads = 1};
	struct ptowsp_object *second = NULL;
	uint32_t count = 64;
	ptowsp_status status;

	if (CONFORM_CALL(c, devices, c->instance, devices, &count, &c->error) || count < 2)
		conform_skip(c, "it has one device");
	args.selector = devices[1]->name;
	status = CONFORM_CALL(c, open, c->instance, &args, &second, &c->error);
	if (status == PTOWSP_NO_DEVICE)
		conform_skip(c, "its second device is not there: %s", c->error.text);
	conform_ok(c, status, "open of the second device beside the first");
	return second;
}

struct part {
	struct ptowsp_object *device;
	struct conform_program program;
	struct conform_token *token;
};

static void part_submit(struct conform *c, struct part *part, struct host_group *group, uint32_t member)
{
	struct ptowsp_run_args args = conform_program_run(&part->program, 0);
	ptowsp_status status;

	part->token = conform_token_make(&c->services);
	part->token->group = group;
	part->token->member = member;
	args.token = part->token->token;
	status = CONFORM_CALL(c, submit, part->device, &args, &c->error);
	conform_token_answer(&c->services, part->token, status);
	conform_ok(c, status, "submit of one half of a run on two devices");
}

/* One run on both devices. poll is called for both in turn. */
static void parts_run(struct conform *c, struct part parts[2])
{
	struct host_group *group = host_group_create(2);
	uint64_t end = host_now_ns() + limit;

	if (!group)
		conform_skip(c, "this machine has no memory for the test");
	for (uint32_t i = 0; i < 2; i++)
		part_submit(c, &parts[i], group, i);
	while (host_now_ns() < end && !(atomic_load(&parts[0].token->done) && atomic_load(&parts[1].token->done)))
		for (int i = 0; i < 2; i++)
			conform_wait(c, parts[i].device, parts[i].token, 1000000);
	for (int i = 0; i < 2; i++) {
		CONFORM_MUST(c, parts[i].token->done, "two devices notify each other, and number %d did not end its half of the run within 60 s (PL5)", i);
		CONFORM_MUST(c, !parts[i].token->status, "two devices notify each other, and number %d ended its half of the run as %s (PL7)", i,
			     reg_status_name(parts[i].token->status));
	}
}

void conform_test_devices_notify_each_other(struct conform *c)
{
	static struct part parts[2];

	if (!conform_program_find(c, &parts[0].program, "graphs:heard") || !conform_program_find(c, &parts[1].program, "graphs:teller"))
		conform_skip(c, "package graphs of the probes is not here; --probes says where it is");
	conform_open(c, 1);
	if (conform_claim(c, PTOWSP_FEATURE_GRAPH(PTOWSP_SY_NOTIFY)) < PTOWSP_STATE_ENFORCED ||
	    conform_claim(c, PTOWSP_FEATURE_GRAPH(PTOWSP_SY_WAIT_NOTIFY)) < PTOWSP_STATE_ENFORCED)
		conform_skip(c, "its rows do not enforce notifications");
	parts[0].device = c->device;
	parts[1].device = second_open(c);
	for (int i = 0; i < 2; i++)
		conform_ok(c, conform_program_load(c, parts[i].device, &parts[i].program), "load of one half of a run on two devices");
	for (int round = 0; round < 3; round++)
		parts_run(c, parts);
	for (int i = 0; i < 2; i++)
		conform_program_unload(c, &parts[i].program);
	conform_ok(c, CONFORM_CALL(c, close, parts[1].device, &c->error), "close of the second device");
	conform_close(c);
}
