/* SPDX-License-Identifier: MIT */
#include "aie/engine/aie_hardware.h"

#include "base/error.h"
#include "base/kept.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const struct isa_text aie_sources[]; /* made by tools/ninja/embed: bridge.h, bridge/xrt.cc, bridge/probe.c */

/* ---- compiling ---------------------------------------------------------------------------------------------------------- */

static void words_add(struct base_command *command, const char *const *words)
{
	for (; *words; words++)
		base_command_add(command, "%s", *words);
}

static void bridge_command(struct base_command *command, const struct aie_piece *pieces)
{
	base_command_begin(command, "CXX", "g++");
	words_add(command, (const char *const[]){"-shared", "-fPIC", "-O2", "-std=c++17", "-I.", NULL});
	base_command_add(command, "-I%s", pieces[AIE_PIECE_HEADERS].found);
	words_add(command, (const char *const[]){"xrt.cc", "-o", "bridge.so", NULL});
	base_command_add(command, "-L%s", pieces[AIE_PIECE_XRT].found);
	base_command_add(command, "-Wl,-rpath,%s", pieces[AIE_PIECE_XRT].found);
	base_command_add(command, "-l:libxrt_coreutil.so.2");
}

static void probe_command(struct base_command *command)
{
	base_command_begin(command, "CC", "gcc");
	words_add(command, (const char *const[]){"-O2", "-std=gnu11", "-I.", "probe.c", "-o", "probe", "-ldl", NULL});
}

/* folder_out: where bridge.so, if it was asked for, and probe are. */
static ptowsp_status objects_make(char folder_out[BASE_KEPT_PATH], const struct aie_client_args *args, struct ptowsp_error *error)
{
	struct base_command bridge = {0}, probe = {0};
	const struct base_kept_step steps[] = {{"bridge", " to XRT", "bridge.so", &bridge}, {"probe", " of the bridge to XRT", "probe", &probe}};
	const struct base_kept kept = {args->cache, "aie-bridge-", aie_sources, steps, 2};
	struct base_digest digest;
	bool compiled;
	ptowsp_status status;

	base_digest_init(&digest);
	if (!*args->bridge) {
		bridge_command(&bridge, args->pieces);
		base_digest_folder(&digest, args->pieces[AIE_PIECE_HEADERS].found);
	}
	probe_command(&probe);
	status = base_kept_make(folder_out, &kept, digest, &compiled, error);
	base_command_finish(&bridge);
	base_command_finish(&probe);
	return status;
}

/* ---- the child ---------------------------------------------------------------------------------------------------------- */

/* The last line that it wrote: before, XRT may have said more. */
static void last_line(const char *path, char *text, size_t room)
{
	char line[400];
	FILE *file = fopen(path, "r");

	*text = 0;
	while (file && fgets(line, sizeof(line), file))
		if (*line != '\n')
			snprintf(text, room, "%.*s", (int)strcspn(line, "\n"), line);
	if (file)
		fclose(file);
}

static ptowsp_status probe_run(const char *folder, const char *bridge, struct ptowsp_error *error)
{
	struct base_command command = {0};
	char log[AIE_PATH + 32], said[160];
	int code;

	snprintf(log, sizeof(log), "%s/probe.%ld.log", folder, (long)getpid());
	base_command_add(&command, "%s/probe", folder);
	base_command_add(&command, "%s", bridge);
	base_command_add(&command, "0");
	code = command.full ? 127 : base_command_run(&command, folder, log);
	base_command_finish(&command);
	last_line(log, said, sizeof(said));
	unlink(log);
	if (!code)
		return PTOWSP_OK;
	if (code == 2)
		return base_fail(error, PTOWSP_NO_DEVICE, "engine=device: the bridge ...%.60s cannot be loaded: %.110s",
				 bridge + (strlen(bridge) > 60 ? strlen(bridge) - 60 : 0), said);
	if (code == 3)
		return base_fail(error, PTOWSP_NO_DEVICE, "engine=device: XRT opens no device 0: %.100s; xrt-smi examine lists those that there are", said);
	return base_fail(error, PTOWSP_NO_DEVICE,
			 "engine=device: XRT ended the process that opened device 0%s%.80s; source setup.sh of XRT, and see what xrt-smi examine says",
			 *said ? ", saying " : "", said);
}

/* ---- this process ------------------------------------------------------------------------------------------------------- */

static ptowsp_status library_open(struct aie_client *client, struct ptowsp_error *error)
{
	const struct aie_bridge *(*entry)(void) = NULL;
	const struct aie_bridge *bridge;

	client->handle = dlopen(client->path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE); /* threads of XRT may go on */
	if (client->handle)
		*(void **)&entry = dlsym(client->handle, AIE_BRIDGE_ENTRY);
	if (!entry) {
		const char *why = dlerror();

		return base_fail(error, PTOWSP_NO_DEVICE, "engine=device: the bridge cannot be loaded: %.150s", why ? why : "no reason was given");
	}
	bridge = entry();
	if (!bridge || bridge->version != AIE_BRIDGE_VERSION || bridge->size < sizeof(*bridge))
		return base_fail(
			error, PTOWSP_NO_DEVICE,
			"engine=device: the bridge is of version %u with %u bytes, needed: version %u, %zu bytes; compile it from this version's source",
			bridge ? bridge->version : 0, bridge ? bridge->size : 0, AIE_BRIDGE_VERSION, sizeof(*bridge));
	client->bridge = bridge;
	return PTOWSP_OK;
}

ptowsp_status aie_client_fail(const struct aie_client *client, int32_t code, const struct aie_bridge_about *about, const char *step, struct ptowsp_error *error)
{
	static const struct {
		int32_t code;
		ptowsp_status status;
		const char *text;
	} rows[] = {
		{AIE_BRIDGE_NO_DEVICE, PTOWSP_NO_DEVICE, "there is no device"},
		{AIE_BRIDGE_REFUSED, PTOWSP_NO_DEVICE, "the device does not take it"},
		{AIE_BRIDGE_NO_MEMORY, PTOWSP_NO_MEMORY, "there is no memory for it"},
		{AIE_BRIDGE_FAILED, PTOWSP_RUN_FAILED, "the run failed"},
	};
	size_t r = 0;

	while (r < sizeof(rows) / sizeof(*rows) && rows[r].code != code)
		r++;
	if (r == sizeof(rows) / sizeof(*rows))
		return base_fail(error, PTOWSP_DEVICE_LOST, "%.40s, %s: %.120s", client->about.name, step, about->text);
	if (about->state)
		return base_fail(error, rows[r].status, "%.40s, %s: %s, state %d: %.100s", client->about.name, step, rows[r].text, (int)about->state,
				 about->text);
	return base_fail(error, rows[r].status, "%.40s, %s: %s: %.110s", client->about.name, step, rows[r].text, about->text);
}

static ptowsp_status device_open(struct aie_client *client, struct ptowsp_error *error)
{
	struct aie_bridge_about about = {0};
	int32_t code = client->bridge->open(0, &client->device, &client->about, &about);

	if (!code)
		return PTOWSP_OK;
	client->device = NULL;
	snprintf(client->about.name, sizeof(client->about.name), "XRT's device 0");
	return aie_client_fail(client, code, &about, "open", error);
}

ptowsp_status aie_client_open(struct aie_client *client, const struct aie_client_args *args, struct ptowsp_error *error)
{
	char folder[BASE_KEPT_PATH];
	ptowsp_status status;

	if (*args->bridge && access(args->bridge, R_OK))
		return base_fail(error, PTOWSP_NO_DEVICE, "engine=device: no bridge=%.120s; leave it out, and it is compiled", args->bridge);
	status = objects_make(folder, args, error);
	if (status)
		return status;
	if (*args->bridge) {
		char *whole = realpath(args->bridge, NULL);

		snprintf(client->path, sizeof(client->path), "%s", whole ? whole : args->bridge);
		free(whole);
	} else {
		snprintf(client->path, sizeof(client->path), "%s/bridge.so", folder);
	}
	status = probe_run(folder, client->path, error);
	if (!status)
		status = library_open(client, error);
	return status ? status : device_open(client, error);
}

void aie_client_close(struct aie_client *client)
{
	if (client->device)
		client->bridge->close(client->device);
	if (client->handle)
		dlclose(client->handle);
	*client = (struct aie_client){0};
}
