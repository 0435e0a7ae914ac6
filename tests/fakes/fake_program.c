/* SPDX-License-Identifier: MIT */
#include "fake_program.h"

#include "fake_faults.h"
#include <dlfcn.h>
#include <string.h>

void fake_program_close(struct fake_program *program)
{
	for (int i = 0; i < ASCEND_FUNCTIONS; i++)
		if (program->children[i])
			fake_device_code_close(program->children[i]);
	if (program->orchestration)
		dlclose(program->orchestration);
	*program = (struct fake_program){0};
}

static int child_open(struct fake_program *program, const struct ascend_callable *callable, int index)
{
	const char *storage = (const char *)callable + ASCEND_CALLABLE_STORAGE;
	uint32_t offset = callable->child_offsets[index];
	const struct ascend_child *child = (const struct ascend_child *)(const void *)(storage + offset);
	int32_t id = callable->child_ids[index];

	if (offset % ASCEND_BINARY_ALIGN || offset < callable->orchestration_bytes || id < 0 || id >= ASCEND_FUNCTIONS || program->children[id])
		return fake_wrong("child %d lies at %u, its id is %d", index, offset, id);
	program->children[id] = fake_device_code((const char *)child + ASCEND_CHILD_BINARY, child->binary_bytes, &program->functions[id]);
	if (!program->children[id])
		return fake_wrong("child %d of %u bytes is no code", index, child->binary_bytes);
	return program->functions[id] ? 0 : fake_wrong("child %d has no kernel_entry", index);
}

static int parts_open(struct fake_program *program, const struct ascend_callable *callable)
{
	if (strcmp(callable->function, "aicpu_orchestration_entry") || callable->function_length != strlen(callable->function) ||
	    callable->config_length != strlen(callable->config) || callable->child_count < 0 || callable->child_count > ASCEND_FUNCTIONS ||
	    callable->signature_count < 0 || callable->signature_count > ASCEND_ENTRY_TENSORS)
		return fake_wrong("a callable with impossible counts or names");
	program->there = true;
	program->direction_count = callable->signature_count;
	memcpy(program->directions, callable->signature, sizeof(program->directions));
	program->orchestration = fake_object_open((const char *)callable + ASCEND_CALLABLE_STORAGE, callable->orchestration_bytes);
	if (!program->orchestration)
		return fake_wrong("the orchestration is no object: %s", dlerror());
	*(void **)&program->bind = dlsym(program->orchestration, "framework_bind_runtime");
	*(void **)&program->entry = dlsym(program->orchestration, callable->function);
	*(void **)&program->config = dlsym(program->orchestration, callable->config);
	if (!program->bind || !program->entry || !program->config)
		return fake_wrong("the orchestration lacks one of its three functions");
	for (int i = 0; i < callable->child_count; i++)
		if (child_open(program, callable, i))
			return FAKE_WRONG;
	return 0;
}

int fake_program_open(struct fake_program *program, const struct ascend_callable *callable)
{
	int rc = parts_open(program, callable);

	if (rc)
		fake_program_close(program);
	return rc;
}
