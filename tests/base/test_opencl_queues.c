/* SPDX-License-Identifier: MIT
 * test_opencl_queues.c - memory and events of the caller's OpenCL queues as buffers and fences of the opencl backend, and the other way round. Skipped where there is no driver. */
#include "base/opencl/opencl_driver.h"
#include "host/ptowsp_host.h"
#include "ptowsp/fences.h"
#include "tests/check.h"
#include "tests/contract/cli.h"

static struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};

enum { N = 1024, BYTES = N * 4, EXECUTION_STATUS = 0x11D3, OPENCL = 4 };

/* A backend, a program that adds 1 to y, and a caller with a queue in its context. */
static struct {
	const struct opencl_api *cl;
	struct ptowsp_package *package;
	struct ptowsp_plan *plan;
	struct ptowsp_backend *backend;
	struct ptowsp_program *program;
	cl_handle context, queue;
} caller;

static const char *device_missing(void)
{
	struct opencl_found found = {.count = 0};
	const struct opencl_api *cl = opencl_api_find(&error);

	if (cl)
		opencl_devices_find(cl, CL_DEVICE_TYPE_ALL, &found);
	return found.count ? NULL : "not run here: there is no OpenCL device";
}

static cl_handle context_of(struct ptowsp_device_buffer *buffer)
{
	struct ptowsp_external name;
	cl_handle context = NULL;

	CHECK_INT(ptowsp_device_buffer_expose(buffer, PTOWSP_EXTERNAL_NATIVE, &name, &error), 0);
	CHECK_UINT(name.api, OPENCL);
	CHECK_INT(caller.cl->clGetMemObjectInfo((cl_handle)(uintptr_t)name.address, CL_MEM_CONTEXT, sizeof(context), &context, NULL), 0);
	return context;
}

static void caller_begin(const char *memory)
{
	const struct ptowsp_setting setting = {"memory", memory};
	const struct ptowsp_backend_options options = {
		.plugin = "opencl", .isolate = PTOWSP_ISOLATE_NONE, .threads = 1, .settings = &setting, .setting_count = 1, .layers = "validate,threads"};
	struct ptowsp_device_buffer *buffer;
	struct opencl_found found;
	cl_int code;

	cli_begin();
	check_put("add.pto", "tensor %y : f32[64, 16] inout\nfunc @add(%a: !pto.memref<gm,...,f32>) {\n  %s = alloc_tile : !pto.tile<64x16xf32>\n"
			     "  %s = tload %a[0, 0]\n  %s = tadds %s, 1.0\n  tstore %s, %a[0, 0]\n  return\n}\n"
			     "workload @main { parallel_for %i in 0 to 1 { call @add(%a -> %y[%i * 64, 0]) } }\n");
	REQUIRE_INT(cli("$B/ptowsp-pack add.pto -o add.pkg.zst"), 0);
	REQUIRE_INT(ptowsp_package_open(&caller.package, check_fmt("%s/add.pkg.zst", check_dir()), 0, &error), 0);
	REQUIRE_INT(ptowsp_plan_create(&caller.plan, caller.package, NULL, &error), 0);
	REQUIRE_INT(ptowsp_backend_open(&caller.backend, &options, &error), 0);
	REQUIRE_INT(ptowsp_program_load(&caller.program, caller.backend, caller.plan, 0, &error), 0);
	REQUIRE_INT(ptowsp_device_buffer_create(&buffer, caller.backend, 64, &error), 0);
	caller.cl = opencl_api_find(&error);
	caller.context = context_of(buffer);
	ptowsp_device_buffer_destroy(buffer);
	opencl_devices_find(caller.cl, CL_DEVICE_TYPE_ALL, &found);
	caller.queue = caller.cl->clCreateCommandQueue(caller.context, found.devices[0], 0, &code);
	REQUIRE(caller.queue != NULL);
}

static void caller_end(void)
{
	ptowsp_program_unload(caller.program);
	caller.cl->clReleaseCommandQueue(caller.queue);
	ptowsp_backend_close(caller.backend);
	ptowsp_plan_destroy(caller.plan);
	ptowsp_package_close(caller.package);
}

static struct ptowsp_external native(cl_handle handle, uint64_t bytes)
{
	return (struct ptowsp_external){.head = PTOWSP_HEAD(struct ptowsp_external, EXTERNAL),
					.type = PTOWSP_EXTERNAL_NATIVE,
					.api = OPENCL,
					.address = (uintptr_t)handle,
					.bytes = bytes,
					.fd = -1};
}

static cl_handle event_of(struct ptowsp_fence *fence, uint64_t value)
{
	struct ptowsp_external name = {.address = 0};

	CHECK_INT(ptowsp_fence_expose(fence, value, PTOWSP_EXTERNAL_NATIVE, &name, &error), 0);
	return (cl_handle)(uintptr_t)name.address;
}

static void event_ends(cl_handle event, bool well)
{
	cl_int state = 1;

	CHECK_INT(caller.cl->clGetEventInfo(event, EXECUTION_STATUS, sizeof(state), &state, NULL), 0);
	CHECK(well ? state == CL_COMPLETE : state < 0);
	CHECK_INT(caller.cl->clReleaseEvent(event), 0);
}

/* write, run, read: each in a queue of its own, ordered by events alone; the run on the caller's cl_mem. */
static void queues_take_turns(const char *memory)
{
	struct ptowsp_fence *before = NULL, *behind;
	struct ptowsp_device_buffer *buffer;
	struct ptowsp_external name;
	cl_handle gate, wrote, ran, own;
	float y[N], got[N];
	uint64_t value = 9;
	cl_int code;

	caller_begin(memory);
	for (int i = 0; i < N; i++)
		y[i] = (float)i;
	own = caller.cl->clCreateBuffer(caller.context, CL_MEM_READ_WRITE, BYTES, NULL, &code);
	name = native(own, BYTES);
	REQUIRE_INT(ptowsp_device_buffer_import(&buffer, caller.backend, &name, &error), 0);
	REQUIRE_INT(ptowsp_tensor_bind_buffer(caller.program, "y", buffer, 0, N, &error), 0);
	gate = caller.cl->clCreateUserEvent(caller.context, &code);
	REQUIRE_INT(caller.cl->clEnqueueWriteBuffer(caller.queue, own, 0, 0, BYTES, y, 1, &gate, &wrote), 0);
	name = native(wrote, 0);
	REQUIRE_INT(ptowsp_fence_import(&before, caller.backend, &name, &error), 0);
	REQUIRE_INT(ptowsp_fence_create(&behind, caller.backend, 0, &error), 0);
	CHECK_INT(ptowsp_run_wait(caller.program, before, 1, &error) | ptowsp_run_signal(caller.program, behind, 1, &error), 0);
	ran = event_of(behind, 1);
	CHECK_INT(ptowsp_execute_async(caller.program, NULL, &error), 0);
	REQUIRE_INT(caller.cl->clEnqueueReadBuffer(caller.queue, own, 0, 0, BYTES, got, 1, &ran, NULL), 0);
	caller.cl->clFlush(caller.queue);
	CHECK_INT(ptowsp_fence_read(before, &value, &error), 0);
	CHECK_UINT(value, 0);
	CHECK_INT(ptowsp_synchronize(caller.program, 20000000, &error), PTOWSP_AGAIN);
	caller.cl->clSetUserEventStatus(gate, CL_COMPLETE);
	CHECK_INT(ptowsp_synchronize(caller.program, UINT64_MAX, &error), 0);
	CHECK_INT(caller.cl->clFinish(caller.queue), 0);
	CHECK(got[0] == 1 && got[N - 1] == N);
	event_ends(ran, true);
	event_ends(event_of(behind, 1), true); /* it has come already */
	ran = event_of(behind, 2);
	CHECK_INT(ptowsp_fence_destroy(before, &error) | ptowsp_fence_destroy(behind, &error), 0);
	event_ends(ran, false);
	caller.cl->clReleaseEvent(gate);
	caller.cl->clReleaseEvent(wrote);
	ptowsp_program_unload(caller.program);
	caller.program = NULL;
	ptowsp_device_buffer_destroy(buffer);
	CHECK_INT(caller.cl->clEnqueueReadBuffer(caller.queue, own, 1, 0, BYTES, got, 0, NULL, NULL), 0); /* it stays the caller's */
	CHECK(got[1] == 2);
	caller.cl->clReleaseMemObject(own);
	caller_end();
}

TEST(memory_and_events_of_the_callers_queue_in_shared_memory)
{
	CHECK_NEED(device_missing);
	queues_take_turns("shared");
}

TEST(memory_and_events_of_the_callers_queue_with_copies)
{
	CHECK_NEED(device_missing);
	queues_take_turns("copied");
}

TEST(an_event_that_fails_fails_its_fence)
{
	struct ptowsp_fence *before, *behind, *late;
	struct ptowsp_external name;
	cl_handle gate, ran;
	uint64_t value;
	bool is_told;
	cl_int code;

	CHECK_NEED(device_missing);
	if (*check_sanitizer())
		CHECK_SKIP("not run here: PoCL 3.1 keeps an event that failed for ever, with all that it holds");
	caller_begin("shared");
	gate = caller.cl->clCreateUserEvent(caller.context, &code);
	name = native(gate, 0);
	REQUIRE_INT(ptowsp_fence_import(&before, caller.backend, &name, &error) | ptowsp_fence_import(&late, caller.backend, &name, &error) |
			    ptowsp_fence_create(&behind, caller.backend, 0, &error),
		    0);
	CHECK_INT(ptowsp_fence_destroy(late, &error), 0); /* before its event: nobody is told */
	CHECK_INT(ptowsp_run_wait(caller.program, before, 1, &error) | ptowsp_run_signal(caller.program, behind, 1, &error), 0);
	ran = event_of(behind, 1);
	CHECK_INT(ptowsp_execute_async(caller.program, NULL, &error), 0);
	caller.cl->clSetUserEventStatus(gate, -5);
	is_told = ptowsp_synchronize(caller.program, UINT64_C(1000000000), &error) != PTOWSP_AGAIN;
	if (is_told) {
		CHECK_INT(ptowsp_synchronize(caller.program, UINT64_MAX, &error), PTOWSP_RUN_FAILED);
		CHECK_CONTAINS(error.text, "the event that it is of has failed");
		CHECK_INT(ptowsp_fence_read(before, &value, &error), PTOWSP_RUN_FAILED);
	} else { /* such a run obeys cancel */
		CHECK_INT(ptowsp_cancel(caller.program, &error), 0);
		CHECK_INT(ptowsp_synchronize(caller.program, UINT64_MAX, &error), PTOWSP_CANCELLED);
	}
	event_ends(ran, false);
	CHECK_INT(ptowsp_fence_destroy(before, &error) | ptowsp_fence_destroy(behind, &error), 0);
	caller.cl->clReleaseEvent(gate);
	caller_end();
	if (!is_told)
		CHECK_SKIP("this driver tells nobody of an event that failed, as PoCL 3.1; such a run ended by cancel, and failed its fence");
}

TEST(memory_that_not_all_may_read_and_write_is_refused)
{
	static const cl_bits flags[] = {CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY, CL_MEM_READ_WRITE | CL_MEM_HOST_WRITE_ONLY,
					CL_MEM_READ_WRITE | CL_MEM_HOST_READ_ONLY, CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS};
	static const char *const ways[] = {"shared", "copied"};
	struct ptowsp_device_buffer *buffer;

	CHECK_NEED(device_missing);
	for (size_t w = 0; w < sizeof(ways) / sizeof(*ways); w++) {
		caller_begin(ways[w]);
		for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
			cl_int code;
			cl_handle memory = caller.cl->clCreateBuffer(caller.context, flags[i], BYTES, NULL, &code);
			const struct ptowsp_external name = native(memory, BYTES);

			CHECK_INT(ptowsp_device_buffer_import(&buffer, caller.backend, &name, &error), PTOWSP_INVALID);
			CHECK_CONTAINS(error.text, "that forbid one of them");
			caller.cl->clReleaseMemObject(memory);
		}
		caller_end();
	}
}

TEST(memory_of_another_context_is_refused)
{
	struct ptowsp_device_buffer *buffer;
	struct ptowsp_fence *fence;
	struct ptowsp_external name;
	static _Alignas(4096) char page[BYTES];
	struct opencl_found found;
	cl_handle context, memory, event;
	cl_int code;

	CHECK_NEED(device_missing);
	caller_begin("copied");
	opencl_devices_find(caller.cl, CL_DEVICE_TYPE_ALL, &found);
	context = caller.cl->clCreateContext(NULL, 1, &found.devices[0], NULL, NULL, &code);
	memory = caller.cl->clCreateBuffer(context, CL_MEM_READ_WRITE, BYTES, NULL, &code);
	event = caller.cl->clCreateUserEvent(context, &code);
	name = native(memory, BYTES);
	CHECK_INT(ptowsp_device_buffer_import(&buffer, caller.backend, &name, &error), PTOWSP_INVALID);
	CHECK_CONTAINS(error.text, "no buffer of this device's context");
	name = native(event, 0);
	CHECK_INT(ptowsp_fence_import(&fence, caller.backend, &name, &error), PTOWSP_INVALID);
	CHECK_CONTAINS(error.text, "none of this device's context");
	name.api = 2;
	CHECK_INT(ptowsp_fence_import(&fence, caller.backend, &name, &error), PTOWSP_UNSUPPORTED);
	caller.cl->clReleaseMemObject(memory);
	memory = caller.cl->clCreateBuffer(caller.context, CL_MEM_READ_WRITE, BYTES, NULL, &code);
	name = native(memory, BYTES + 1);
	CHECK_INT(ptowsp_device_buffer_import(&buffer, caller.backend, &name, &error), PTOWSP_INVALID);
	CHECK_CONTAINS(error.text, "the cl_mem has 4096 bytes, not 4097");
	name = native(memory, BYTES);
	name.type = PTOWSP_EXTERNAL_HOST;
	name.api = 0;
	name.address = (uintptr_t)page;
	CHECK_INT(ptowsp_device_buffer_import(&buffer, caller.backend, &name, &error), PTOWSP_UNSUPPORTED); /* this device has memory of its own */
	caller.cl->clReleaseMemObject(memory);
	caller.cl->clSetUserEventStatus(event, CL_COMPLETE);
	caller.cl->clReleaseEvent(event);
	caller.cl->clReleaseContext(context);
	caller_end();
}
