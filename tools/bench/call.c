/* SPDX-License-Identifier: MIT */
/* call.c - what it costs to call a C function as a kernel: directly, uniform through the host, through a thunk, through libffi; each also as the
 * native payload of a package, from a memory file. The functions do nothing. */
#include <stdlib.h>
#include <string.h>
#include "host/code.h"
#include "host/kernels_ffi.h"
#include "tools/bench/bench.h"

#define CALLS 2000000u

/* Not inlined and not seen through: what a function in another library costs. */
static __attribute__((noinline)) ptowsp_status uniform(const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	__asm__ volatile("" : : "r"(task), "r"(out) : "memory");
	return PTOWSP_OK;
}

static __attribute__((noinline)) void three(void *a, void *b, void *c)
{
	__asm__ volatile("" : : "r"(a), "r"(b), "r"(c) : "memory");
}

static __attribute__((noinline)) void three_and_count(void *a, void *b, void *c, uint64_t n)
{
	__asm__ volatile("" : : "r"(a), "r"(b), "r"(c), "r"(n) : "memory");
}

static float memory[3];
static const struct ptowsp_tensor_arg tensors[3] = {
	{.data = &memory[0], .rows = 1, .columns = 1}, {.data = &memory[1], .rows = 1, .columns = 1},
	{.data = &memory[2], .rows = 1, .columns = 1}};
static const uint64_t args[1] = {1};

static struct ptowsp_task task_make(uint32_t scalars)
{
	return (struct ptowsp_task){.head = PTOWSP_HEAD(struct ptowsp_task, TASK), .args = args, .arg_count = scalars,
				    .tensors = tensors, .tensor_count = 3, .tensor_stride = sizeof(*tensors), .block_count = 1};
}

static void row_print(const char *subject, const struct bench_series *ns)
{
	struct bench_row row = {.benchmark = "call", .subject = subject, .measure = "one call", .unit = "ns", .series = *ns};

	bench_table_row(&row);
}

static void direct_run(unsigned reps)
{
	void (*volatile pointer)(void *, void *, void *) = three;
	struct bench_series ns = {0};

	for (unsigned r = 0; r < reps; r++) {
		void (*fn)(void *, void *, void *) = pointer;
		uint64_t began = bench_now_ns();

		for (uint32_t i = 0; i < CALLS; i++)
			fn(&memory[0], &memory[1], &memory[2]);
		bench_series_add(&ns, (double)(bench_now_ns() - began) / CALLS);
	}
	row_print("direct, through a pointer", &ns);
}

/* native bound to the signature as a plugin binds it; expected: which way that must be. */
static int bound_run(const char *subject, const char *signature, const void *native, uint32_t scalars, const char *expected,
		     unsigned reps)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct ptowsp_kernel_out out = {.head = PTOWSP_HEAD(out, KERNEL_OUT), .error = &error};
	struct ptowsp_task task = task_make(scalars);
	struct ptowsp_kernel_ref ref = {0};
	struct host_kernel *kernel = NULL;
	struct bench_series ns = {0};
	ptowsp_status st = host_kernel_bind(&kernel, "bench", signature, native, &ref, &error);

	if (!st && strcmp(kernel->how, expected))
		st = host_fail(&error, PTOWSP_INVALID, "%s is called by %s", signature, kernel->how);
	for (unsigned r = 0; !st && r < reps; r++) {
		uint64_t began = bench_now_ns();

		for (uint32_t i = 0; !st && i < CALLS; i++)
			st = ref.fn(ref.context, &task, &out);
		bench_series_add(&ns, (double)(bench_now_ns() - began) / CALLS);
	}
	host_kernels_destroy(kernel);
	if (st)
		return fprintf(stderr, "ptowsp-bench call: %s: %s\n", subject, error.text), 1;
	row_print(subject, &ns);
	return 0;
}

/* Object pointers are what crosses the plugin boundary. */
static const void *address(void (*fn)(void))
{
	const void *pointer;

	memcpy(&pointer, &fn, sizeof(pointer));
	return pointer;
}

/* A way to call one of the three functions. */
static const struct way {
	const char *name, *signature, *entry, *how;
	void (*fn)(void);
	uint32_t scalars;
} ways[] = {
	{"uniform signature", "", "uniform", "uniform", (void (*)(void))uniform, 0},
	{"thunk, v(p,p,p)", "v(p,p,p)", "three", "thunk", (void (*)(void))three, 0},
	{"libffi, v(p,p,p,u64)", "v(p,p,p,u64)", "three_and_count", "libffi", (void (*)(void))three_and_count, 1},
};
#define WAYS (sizeof(ways) / sizeof(*ways))

/* The object lies in the build folder that has the packages. Bytes to be freed, NULL if there is none. */
static void *native_read(const struct bench_options *options, size_t *size_out)
{
	char path[4096];
	void *bytes = NULL;
	FILE *file;
	long size;

	snprintf(path, sizeof(path), "%s/../obj/tools/bench/native.so", options->packages);
	file = fopen(path, "rb");
	if (!file)
		return fprintf(stderr, "ptowsp-bench call: %s is not there: no rows of native payloads\n", path), NULL;
	if (!fseek(file, 0, SEEK_END) && (size = ftell(file)) > 0 && !fseek(file, 0, SEEK_SET)) {
		bytes = malloc((size_t)size);
		*size_out = bytes ? fread(bytes, 1, (size_t)size, file) : 0;
	}
	fclose(file);
	return bytes;
}

/* The same functions as a package brings them. */
static int native_run(const struct bench_options *options)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct host_code *code = NULL;
	size_t size = 0;
	void *bytes = native_read(options, &size);
	int rc = 0;

	for (size_t i = 0; bytes && !rc && i < WAYS; i++) {
		const void *function = NULL;
		char name[64];

		snprintf(name, sizeof(name), "native payload, %s", ways[i].name);
		rc = host_code_load(&code, "bench", bytes, size, ways[i].entry, 0, &function, &error) != PTOWSP_OK;
		if (rc)
			fprintf(stderr, "ptowsp-bench call: %s\n", error.text);
		else
			rc = bound_run(name, ways[i].signature, function, ways[i].scalars, ways[i].how, options->reps);
	}
	host_code_destroy(code);
	free(bytes);
	return rc;
}

int bench_call(const struct bench_options *options)
{
	int rc = 0;

	direct_run(options->reps);
	for (size_t i = 0; !rc && i < WAYS; i++)
		rc = bound_run(ways[i].name, ways[i].signature, address(ways[i].fn), ways[i].scalars, ways[i].how, options->reps);
	return rc ? rc : native_run(options);
}
