/* SPDX-License-Identifier: MIT */
#include "aicpu_orchestrate.h"
#include "tree_glue.h"

#include <cstdio>
#include <cstring>

namespace {
struct Glue {
	tree_setup *setup;
	Builder b;
	BuilderTensor tensors[TENSOR_COUNT + 1];
	TaskNodePod *started[1 << 16];
	uint32_t first, count;
	bool held;
};
Glue glue;

void task_give(const TaskNodePod *pod, tree_task *task, tree_window *windows)
{
	for (uint32_t i = 0; i < pod->io_count; i++) {
		const TaskWindow *w = &pod->windows[i];

		windows[i] = tree_window{w->data, w->rows, w->columns, w->row_stride, w->column_stride, pod->io[i].start, pod->io[i].tensor, pod->io[i].access,
					 pod->io[i].dtype};
	}
	*task = tree_task{pod->id, pod->order, pod->kernel, pod->stream == TASK_NO_STREAM ? 0 : pod->stream, pod->owner, pod->blocks, pod->process,
			  pod->arg_count, pod->io_count, pod->args, windows};
}

void submitted(void *, const TaskNodePod *pod)
{
	tree_window windows[TASK_MOST_TENSORS];
	tree_task task;

	task_give(pod, &task, windows);
	glue.setup->submitted(glue.setup->context, &task);
	for (uint32_t i = 0; glue.setup->depends && i < glue.b.deps_count; i++)
		glue.setup->depends(glue.setup->context, glue.b.deps[i], pod->id);
}

/* Run when they start; ended when asked for. A lazy machine keeps up to so many tasks back as long as the builder goes on issuing. */
bool start(void *, TaskNodePod *pod)
{
	if (glue.count == sizeof(glue.started) / sizeof(*glue.started))
		return false;
	glue.started[(glue.first + glue.count++) % (1 << 16)] = pod;
	return true;
}

uint32_t ended(void *, TaskNodePod **tasks, uint32_t most)
{
	uint32_t taken = 0;

	/* Two looks without anything new in between: the builder waits. */
	if (glue.setup->lazy && !glue.held) {
		glue.held = true;
		return 0;
	}
	for (; glue.count && taken < most; taken++) {
		tree_window windows[TASK_MOST_TENSORS];
		TaskNodePod *pod = glue.started[glue.first];
		tree_task task;

		task_give(pod, &task, windows);
		pod->status = glue.setup->run ? glue.setup->run(glue.setup->context, &task) : 0;
		tasks[taken] = pod;
		glue.first = (glue.first + 1) % (1 << 16);
		glue.count--;
	}
	return taken;
}
} // namespace

int32_t tree_run(tree_setup *setup)
{
	int32_t status;

	memset((void *)&glue, 0, sizeof(glue));
	glue.setup = setup;
	for (uint32_t i = 0; i < TENSOR_COUNT; i++)
		glue.tensors[i] = BuilderTensor{setup->tensors[i].data, setup->tensors[i].elements, setup->tensors[i].columns, (uint8_t)setup->tensors[i].dtype,
						(uint8_t)setup->tensors[i].size};
	glue.b.platform = BuilderPlatform{nullptr, start, ended, nullptr, nullptr, submitted};
	glue.b.tensors = glue.tensors;
	glue.b.slots = setup->slots;
	glue.b.instances = setup->instances;
	glue.b.alone = true;
	status = orchestrate(glue.b, setup->workload);
	snprintf(setup->message, sizeof(setup->message), "%s", glue.b.message);
	return status;
}
