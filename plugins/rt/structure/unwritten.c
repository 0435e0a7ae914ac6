/* SPDX-License-Identifier: MIT */
#include "rt/structure/unwritten.h"

#include "rt/program/rt_error.h"
#include "rt/program/rt_program.h"
#include <stdio.h>

/* Is it one that tasks read and only tasks write? Payload arrives without one. */
static bool is_watched(const struct rt_program *program, uint32_t tensor)
{
	return program->tables.tensor.rows[tensor].role == PTOWSP_ROLE_TEMP && program->traits[tensor].access & PTOWSP_READ &&
	       !(program->traits[tensor].moved & PTOWSP_WRITE);
}

ptowsp_status rt_unwritten_init(struct rt_run *run)
{
	const struct rt_program *program = run->program;

	for (uint32_t t = 0; run->bodies && t < program->tables.tensor.count; t++) {
		if (!is_watched(program, t))
			continue;
		if (!run->unwritten)
			run->unwritten = common_take(run->arena, program->tables.tensor.count, 1);
		if (!run->unwritten)
			return rt_no_memory(run->error, "temp tensors");
		run->unwritten[t] = 1;
	}
	return PTOWSP_OK;
}

static void tell(const struct rt_run *run, uint32_t tensor)
{
	char text[256];

	snprintf(text, sizeof(text), "temp tensor %.60s is read before any task has written it, by task %llu, kernel %.40s",
		 rt_tensor_name(run->program, tensor), (unsigned long long)run->tasks, rt_kernel_name(run->program, run->kernel));
	rt_diagnose(run->program, 0, text);
}

void rt_unwritten_look(struct rt_run *run, const struct rt_site *site)
{
	const struct rt_io *ios = run->program->ios + site->first_io;

	if (!run->unwritten)
		return;
	for (uint32_t i = 0; i < site->io_count; i++)
		if (ios[i].access == PTOWSP_READ && run->unwritten[ios[i].tensor]) {
			run->unwritten[ios[i].tensor] = 0;
			tell(run, ios[i].tensor);
		}
	for (uint32_t i = 0; i < site->io_count; i++)
		if (ios[i].access != PTOWSP_READ) /* nothing is said of what is only bound: it may be written */
			run->unwritten[ios[i].tensor] = 0;
}
