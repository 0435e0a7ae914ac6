/* SPDX-License-Identifier: MIT
 * emitted_run.h - runs an emitted orchestration function with emitted kernels on NumPy files and compares what it leaves behind, byte by byte. */
#ifndef TESTS_EMIT_TASKS_RUN_H
#define TESTS_EMIT_TASKS_RUN_H

#include "rt/task_api.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct run_tensor {
	const char *name;
	void **data;
	uint64_t *elements;
	const char *before; /* file with what it holds first; NULL: zeros */
	const char *after;  /* file with what it has to hold at the end, and how many elements; NULL: it is the program's own */
	size_t bytes;       /* of an element */
};

/* The data of a file of format 1.0; ends the program where there is none. */
static char *run_read(const char *path, size_t *bytes_out)
{
	unsigned char head[10];
	FILE *file = fopen(path, "rb");
	char *data = NULL;
	long size;

	if (!file || fread(head, 1, sizeof(head), file) != sizeof(head) || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0) {
		printf("%s cannot be read\n", path);
		exit(2);
	}
	*bytes_out = (size_t)size - 10 - head[8] - 256u * head[9];
	data = malloc(*bytes_out + 1);
	if (!data || fseek(file, -(long)*bytes_out, SEEK_END) || fread(data, 1, *bytes_out, file) != *bytes_out) {
		printf("%s is too short\n", path);
		exit(2);
	}
	fclose(file);
	return data;
}

static void run_begin(const struct run_tensor *t)
{
	size_t bytes = (size_t)(UINT64_C(1) << 22) * t->bytes, have;

	if (t->after)
		free(run_read(t->after, &bytes));
	*t->elements = bytes / t->bytes;
	*t->data = calloc(1, bytes + 1);
	if (t->before) {
		char *data = run_read(t->before, &have);

		memcpy(*t->data, data, have < bytes ? have : bytes);
		free(data);
	}
}

/* The number of bytes that differ. */
static size_t run_end(const struct run_tensor *t, uint32_t workers, uint32_t threshold)
{
	size_t bytes, wrong = 0;
	char *data = t->after ? run_read(t->after, &bytes) : NULL;

	for (size_t i = 0; data && i < bytes; i++)
		wrong += ((const char *)*t->data)[i] != data[i];
	if (wrong)
		printf("%s: %lu of %lu bytes differ, %u workers, threshold %u\n", t->name, (unsigned long)wrong, (unsigned long)bytes, workers, threshold);
	free(data);
	free(*t->data);
	return wrong;
}

/* begin: NAME_begin with its struct bound. The exit status: 0 if every run left the right bytes; prints how many tasks one has. A function that reads what its tasks write has no run that begins
 * with the whole graph: there it says so. */
static int run_all(const struct run_tensor *tensors, size_t count, void (*begin)(struct rt_tasks *tasks), rt_orchestration_fn orchestrate, void *context)
{
	static const uint32_t thresholds[] = {0, 1, 5};
	const struct rt_tasks_config config = {.most_args = 64, .most_tensors = 64};
	struct rt_tasks_result result = {0};
	int code = 0;

	for (uint32_t i = 0; i < 6; i++) {
		const uint32_t workers = 1 + i % 2, threshold = thresholds[i / 2];
		struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
		struct rt_tasks *tasks;

		for (size_t k = 0; k < count; k++)
			run_begin(&tensors[k]);
		if (rt_tasks_create(&tasks, &config, &error))
			return 2;
		begin(tasks);
		if (rt_tasks_run(tasks, orchestrate, context, workers, threshold, &result, &error)) {
			if (!threshold && strstr(error.text, "in the safe mode none has run yet")) {
				rt_tasks_destroy(tasks);
				for (size_t k = 0; k < count; k++)
					free(*tensors[k].data);
				continue;
			}
			puts(error.text);
			code = 1;
		}
		rt_tasks_destroy(tasks);
		for (size_t k = 0; k < count; k++)
			code |= run_end(&tensors[k], workers, threshold) != 0;
	}
	printf("%lu tasks\n", (unsigned long)result.tasks);
	return code;
}

#endif
