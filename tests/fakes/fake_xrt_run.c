/* SPDX-License-Identifier: MIT
 * fake_xrt_run.c - an array that reads the text of its design and runs it by the simulator, with kernels out of a library: nothing of the plugin's own run is in between. */
#include "fake_xrt_run.h"

#include "aie/design/aie_channels.h"
#include "aie/design/design.h"
#include "aie/sim/sim.h"
#include "rt/program/rt_error.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 12 };
struct fake_design {
	char *text;
	const char *body;
	void *kernels;
	struct aie_module module;
	struct aie_design design;
	struct ptowsp_error error;
};

static char *file_read(const char *path)
{
	FILE *file = fopen(path, "rb");
	char *text = NULL;
	long size;

	if (file && !fseek(file, 0, SEEK_END) && (size = ftell(file)) > 0 && (text = malloc((size_t)size + 1))) {
		rewind(file);
		text[fread(text, 1, (size_t)size, file)] = 0;
	}
	if (file)
		fclose(file);
	return text;
}

static struct fake_design *refused(struct fake_design *design, const char *what, char *why, size_t room)
{
	snprintf(why, room, "%s", what);
	fake_design_close(design);
	return NULL;
}

struct fake_design *fake_design_open(const char *path, char *why, size_t room)
{
	struct fake_design *design = calloc(1, sizeof(*design));
	char *library;

	if (!design || !(design->text = file_read(path)) || strncmp(design->text, "fake xclbin\n", 12))
		return refused(design, "this is no fake xclbin", why, room);
	design->error = (struct ptowsp_error){.head = PTOWSP_HEAD(design->error, ERROR)};
	library = design->text + 12;
	design->body = library + strcspn(library, "\n") + 1;
	library[strcspn(library, "\n")] = 0;
	design->kernels = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	if (!design->kernels)
		return refused(design, dlerror(), why, room);
	if (aie_module_read(&design->module, design->body, strlen(design->body), &design->error) ||
	    aie_design_read(&design->design, &design->module, &design->error))
		return refused(design, design->error.text, why, room);
	return design;
}

unsigned fake_design_arguments(const struct fake_design *design)
{
	return design->design.argument_count;
}

void fake_design_close(struct fake_design *design)
{
	if (!design)
		return;
	aie_design_finish(&design->design);
	aie_module_finish(&design->module);
	if (design->kernels)
		dlclose(design->kernels);
	free(design->text);
	free(design);
}

/* As a core calls: what it does not take it does not see. */
static ptowsp_status call(void *context, const struct aie_sim_call *call, uint64_t *cycles_out, struct ptowsp_error *error)
{
	struct fake_design *design = context;
	void (*kernel)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t) = NULL;
	const struct aie_type *type = call->function->type;
	uint64_t w[MOST] = {0};

	*(void **)&kernel = dlsym(design->kernels, call->function->name);
	if (!kernel || type->inputs > MOST)
		return rt_fail(error, PTOWSP_UNSUPPORTED, "no kernel %.60s in the library", call->function->name);
	for (uint32_t i = 0; i < type->inputs; i++)
		w[i] = type->parts[i]->kind == AIE_TYPE_MEMREF ? (uint64_t)(uintptr_t)call->memrefs[i] : call->scalars[i];
	kernel(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11]);
	*cycles_out = 1;
	return PTOWSP_OK;
}

const char *fake_design_run(struct fake_design *design, const uint32_t *words, uint64_t word_count, void *const *arguments, unsigned count)
{
	const struct aie_sim_args args = {.design = &design->design, .arguments = arguments, .kernels = {.context = design, .call = call}, .buffering = 8};
	struct aie_sim_stats stats = {0};
	ptowsp_status status;

	if (word_count != 2 || words[0] != 0x30555046u || words[1] != strlen(design->body))
		return "these are not the instructions of this design";
	if (count < design->design.argument_count)
		return "the sequence has more arguments than there are buffers";
	status = aie_sim_run(&args, &stats, &design->error);
	aie_sim_finish(&stats);
	return status ? design->error.text : NULL;
}
