/* SPDX-License-Identifier: MIT
 * test_buffers.c - the library's buffers of a device: chains of runs on them, memory of others that comes in and goes out, copies between devices. */
#include "host/ptowsp_host.h"
#include "ptowsp/buffers.h"
#include "tests/check.h"
#include "tests/tools/adds.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/udmabuf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- the library ------------------------------------------------------------------------------------------------------------ */

static struct ptowsp_error error;
static struct {
	struct ptowsp_package *package;
	struct ptowsp_plan *plan;
	struct ptowsp_backend *backend;
	struct ptowsp_program *program;
} host;

static void host_begin(const char *plugin, uint32_t isolate)
{
	const struct ptowsp_backend_options options = {
		.plugin = plugin, .isolate = isolate, .threads = 1, .memory_limit = 1 << 20, .layers = "validate,threads"};

	adds_make();
	error = (struct ptowsp_error){.head = PTOWSP_HEAD(error, ERROR)};
	REQUIRE_INT(ptowsp_package_open(&host.package, check_fmt("%s/adds.pkg.zst", check_dir()), 0, &error), 0);
	REQUIRE_INT(ptowsp_plan_create(&host.plan, host.package, NULL, &error), 0);
	REQUIRE_INT(ptowsp_backend_open(&host.backend, &options, &error), 0);
	REQUIRE_INT(ptowsp_program_load(&host.program, host.backend, host.plan, 0, &error), 0);
}

static void host_end(void)
{
	ptowsp_program_unload(host.program);
	ptowsp_backend_close(host.backend);
	ptowsp_plan_destroy(host.plan);
	ptowsp_package_close(host.package);
}

static struct ptowsp_device_buffer *buffer_make(uint64_t bytes)
{
	struct ptowsp_device_buffer *buffer;

	REQUIRE_INT(ptowsp_device_buffer_create(&buffer, host.backend, bytes, &error), 0);
	return buffer;
}

static ptowsp_status bind(const char *tensor, struct ptowsp_device_buffer *buffer, uint64_t offset)
{
	return ptowsp_tensor_bind_buffer(host.program, tensor, buffer, offset, N * 16, &error);
}

/* A hundred runs on one buffer of two tensors, and the sum that they leave. */
static void hundred_runs(const char *plugin, uint32_t isolate, int apart)
{
	struct ptowsp_device_buffer *both, *last;
	struct ptowsp_tensor_view view;
	uint64_t copied;
	float *got = calloc(1, BYTES);

	host_begin(plugin, isolate);
	both = buffer_make(2 * BYTES);
	last = buffer_make(BYTES);
	CHECK_INT(ptowsp_device_buffer_is_apart(both), apart);
	for (int i = 0; i < N * 16; i++)
		got[i] = (float)(i % 7);
	CHECK_INT(ptowsp_device_buffer_write(both, 0, got, BYTES, &error), 0);
	CHECK_INT(bind("x", both, 0) | bind("y", both, BYTES) | bind("z", last, 0), 0);
	copied = ptowsp_backend_copied(host.backend);
	for (int run = 0; run < RUNS; run++)
		CHECK_INT(ptowsp_execute(host.program, NULL, &error), 0);
	CHECK_UINT(ptowsp_backend_copied(host.backend), copied);
	ptowsp_tensor_view(host.program, 1, &view);
	CHECK_INT(view.data == NULL, apart);
	CHECK_UINT(view.elements, N * 16);
	CHECK_INT(ptowsp_device_buffer_read(both, BYTES, got, BYTES, &error), 0);
	for (int i = 0; i < N * 16; i++)
		if (got[i] != (float)(i % 7 * RUNS))
			CHECK_FAIL("element %d is %g", i, (double)got[i]);
	CHECK_INT(ptowsp_device_buffer_read(last, 4, got, 4, &error), 0);
	CHECK(got[0] == (float)(RUNS - 1));
	ptowsp_program_unload(host.program);
	host.program = NULL;
	ptowsp_device_buffer_destroy(both);
	ptowsp_device_buffer_destroy(last);
	host_end();
	free(got);
}

TEST(a_hundred_runs_in_this_process)
{
	hundred_runs("cpu_sim", PTOWSP_ISOLATE_NONE, 1);
}

TEST(a_hundred_runs_in_a_sandbox)
{
	hundred_runs("cpu_sim", PTOWSP_ISOLATE_SANDBOX, 1);
}

TEST(a_hundred_runs_of_a_plugin_without_buffers)
{
	hundred_runs("a2a3sim", PTOWSP_ISOLATE_PROCESS, 0);
}

TEST(what_cannot_be_is_refused)
{
	struct ptowsp_device_buffer *buffer, *other = NULL;
	char bytes[8] = {0};

	host_begin("cpu_sim", PTOWSP_ISOLATE_NONE);
	buffer = buffer_make(BYTES + 64);
	CHECK_INT(ptowsp_device_buffer_create(&other, host.backend, 0, &error), PTOWSP_INVALID);
	CHECK_INT(ptowsp_device_buffer_create(&other, host.backend, 1 << 20, &error), PTOWSP_NO_MEMORY);
	CHECK_CONTAINS(error.text, "of 1048576 are held");
	CHECK(!other);
	CHECK_INT(ptowsp_device_buffer_write(buffer, BYTES + 60, bytes, 8, &error), PTOWSP_INVALID);
	CHECK_INT(ptowsp_device_buffer_read(buffer, UINT64_MAX - 3, bytes, 8, &error), PTOWSP_INVALID);
	CHECK_CONTAINS(error.text, "are not in a buffer of 4160");
	CHECK_INT(bind("nobody", buffer, 0), PTOWSP_NOT_FOUND);
	CHECK_INT(bind("y", buffer, 68), PTOWSP_INVALID);
	CHECK_INT(bind("y", buffer, 2), PTOWSP_INVALID);
	CHECK_CONTAINS(error.text, "is not where an element of 4 bytes may begin");
	CHECK_INT(bind("x", buffer, 0) | bind("y", buffer, 64), 0);
	CHECK_INT(ptowsp_execute(host.program, NULL, &error), PTOWSP_INVALID);
	CHECK_CONTAINS(error.text, "share memory, and a run writes");
	CHECK_INT(ptowsp_tensor_bind(host.program, "y", NULL, 0, &error), 0);
	CHECK_INT(ptowsp_execute(host.program, NULL, &error), 0);
	ptowsp_program_unload(host.program);
	host.program = NULL;
	ptowsp_device_buffer_destroy(buffer);
	host_end();
}

TEST(a_buffer_that_no_file_can_be_says_so)
{
	const struct ptowsp_backend_options options = {.plugin = "cpu_sim", .isolate = PTOWSP_ISOLATE_NONE, .threads = 1};
	struct ptowsp_device_buffer *buffer;
	struct ptowsp_backend *backend;

	REQUIRE_INT(ptowsp_backend_open(&backend, &options, &error), 0);
	CHECK_INT(ptowsp_device_buffer_create(&buffer, backend, UINT64_C(1) << 63, &error), PTOWSP_NO_MEMORY);
	CHECK_CONTAINS(error.text, strerror(EFBIG));
	ptowsp_backend_close(backend);
}

/* ---- memory of others ------------------------------------------------------------------------------------------------------- */

static ptowsp_status import(struct ptowsp_device_buffer **out, uint32_t type, void *memory, int fd, uint64_t bytes)
{
	const struct ptowsp_external external = {.head = PTOWSP_HEAD(external, EXTERNAL), .type = type, .address = (uintptr_t)memory, .bytes = bytes, .fd = fd};

	return ptowsp_device_buffer_import(out, host.backend, &external, &error);
}

static struct ptowsp_external expose(struct ptowsp_device_buffer *buffer, uint32_t type)
{
	struct ptowsp_external external;

	CHECK_INT(ptowsp_device_buffer_expose(buffer, type, &external, &error), 0);
	CHECK_UINT(external.type, type);
	return external;
}

static float *map(int fd)
{
	float *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);

	REQUIRE(memory != MAP_FAILED);
	return memory;
}

static int memory_file(uint64_t bytes, int seals)
{
	const int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	REQUIRE(fd >= 0 && !ftruncate(fd, (off_t)bytes) && !fcntl(fd, F_ADD_SEALS, seals));
	return fd;
}

/* x and y are memory of others, which the caller sees as x and y. */
static void runs_see_it(struct ptowsp_device_buffer *x_buffer, struct ptowsp_device_buffer *y_buffer, float *x, float *y)
{
	float got;

	CHECK_INT(bind("x", x_buffer, 0) | bind("y", y_buffer, 0), 0);
	for (int run = 1; run <= 3; run++) {
		for (int i = 0; i < N * 16; i++)
			x[i] = (float)(i * run);
		CHECK_INT(ptowsp_execute(host.program, NULL, &error), 0);
	}
	CHECK(y[5] == 5 * 6 && y[N * 16 - 1] == (N * 16 - 1) * 6);
	CHECK_INT(ptowsp_device_buffer_read(y_buffer, 20, &got, 4, &error), 0);
	CHECK(got == 5 * 6);
	got = -1;
	CHECK_INT(ptowsp_device_buffer_write(x_buffer, 24, &got, 4, &error), 0);
	CHECK(x[6] == -1);
	ptowsp_program_unload(host.program);
	host.program = NULL;
	ptowsp_device_buffer_destroy(x_buffer);
	ptowsp_device_buffer_destroy(y_buffer);
	CHECK(x[6] == -1 && y[5] == 5 * 6); /* it stays */
}

static void caller_memory(const char *plugin, uint32_t isolate)
{
	struct ptowsp_device_buffer *x_buffer, *y_buffer;
	void *x, *y;

	host_begin(plugin, isolate);
	REQUIRE_INT(ptowsp_buffer_alloc(&x, BYTES, &error) | ptowsp_buffer_alloc(&y, BYTES, &error), 0);
	REQUIRE_INT(import(&x_buffer, PTOWSP_EXTERNAL_HOST, x, -1, BYTES) | import(&y_buffer, PTOWSP_EXTERNAL_HOST, y, -1, BYTES), 0);
	runs_see_it(x_buffer, y_buffer, x, y);
	ptowsp_buffer_free(x);
	ptowsp_buffer_free(y);
	host_end();
}

TEST(memory_of_the_caller_is_used_in_place)
{
	caller_memory("cpu_sim", PTOWSP_ISOLATE_NONE);
}

TEST(memory_of_the_caller_reaches_a_worker)
{
	caller_memory("cpu_sim", PTOWSP_ISOLATE_PROCESS);
	caller_memory("cpu_sim", PTOWSP_ISOLATE_SANDBOX);
}

TEST(memory_of_the_caller_serves_a_plugin_without_buffers)
{
	caller_memory("a2a3sim", PTOWSP_ISOLATE_NONE);
}

/* x is a memory file of the caller's, y one of the plugin's. */
static void descriptors(const char *plugin, uint32_t isolate)
{
	struct ptowsp_device_buffer *x_buffer, *y_buffer;
	struct ptowsp_external exposed;
	float *x, *y;
	int fd;

	host_begin(plugin, isolate);
	fd = memory_file(BYTES, F_SEAL_SHRINK);
	x = map(fd);
	REQUIRE_INT(import(&x_buffer, PTOWSP_EXTERNAL_OPAQUE_FD, NULL, fd, BYTES), 0);
	REQUIRE_INT(close(fd), 0); /* it was lent for the call */
	y_buffer = buffer_make(BYTES);
	exposed = expose(y_buffer, PTOWSP_EXTERNAL_OPAQUE_FD);
	CHECK_UINT(exposed.bytes, BYTES);
	y = map(exposed.fd);
	close(exposed.fd);
	close(expose(x_buffer, PTOWSP_EXTERNAL_OPAQUE_FD).fd);
	runs_see_it(x_buffer, y_buffer, x, y);
	munmap(x, BYTES);
	munmap(y, BYTES);
	host_end();
}

TEST(descriptors_come_in_and_go_out)
{
	descriptors("cpu_sim", PTOWSP_ISOLATE_NONE);
}

TEST(descriptors_go_down_to_a_worker_and_come_up)
{
	descriptors("cpu_sim", PTOWSP_ISOLATE_PROCESS);
	descriptors("cpu_sim", PTOWSP_ISOLATE_SANDBOX);
}

TEST(what_means_nothing_in_a_worker_is_refused)
{
	static const struct {
		uint32_t type, fd;
		const char *says;
	} ways[] = {{PTOWSP_EXTERNAL_HOST, -1, "sees memory of ptowsp_buffer_alloc"},
		    {PTOWSP_EXTERNAL_NATIVE, -1, "type 5 of memory or event does not go; --isolate=none"},
		    {PTOWSP_EXTERNAL_OPAQUE_FD, -1, "descriptor -1 is no memory file"},
		    {PTOWSP_EXTERNAL_DMABUF, 0, "descriptor 0 is no dma-buf"}};
	struct ptowsp_device_buffer *buffer;
	struct ptowsp_external out;
	float *memory = map(-1);

	host_begin("cpu_sim", PTOWSP_ISOLATE_SANDBOX);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		CHECK(import(&buffer, ways[i].type, i < 2 ? memory : NULL, (int)ways[i].fd, BYTES) < 0);
		CHECK_CONTAINS(error.text, ways[i].says);
	}
	buffer = buffer_make(BYTES);
	CHECK_INT(ptowsp_device_buffer_expose(buffer, PTOWSP_EXTERNAL_HOST, &out, &error), PTOWSP_UNSUPPORTED);
	CHECK_CONTAINS(error.text, "of the worker of cpu_sim means nothing here; --isolate=none");
	ptowsp_device_buffer_destroy(buffer);
	munmap(memory, BYTES);
	host_end();
}

TEST(a_dma_buf_is_a_buffer)
{
	const int fd = memory_file(BYTES, F_SEAL_SHRINK), maker = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
	const struct udmabuf_create create = {.memfd = (uint32_t)fd, .flags = UDMABUF_FLAGS_CLOEXEC, .size = BYTES};
	struct ptowsp_device_buffer *x_buffer, *y_buffer;
	float *x, *y;
	int dmabuf;

	if (maker < 0) {
		close(fd);
		CHECK_SKIP("this machine has no /dev/udmabuf to make a dma-buf with");
	}
	host_begin("cpu_sim", PTOWSP_ISOLATE_NONE);
	dmabuf = ioctl(maker, UDMABUF_CREATE, &create);
	REQUIRE(dmabuf >= 0);
	x = map(fd);
	y = map(-1);
	REQUIRE_INT(import(&x_buffer, PTOWSP_EXTERNAL_DMABUF, NULL, dmabuf, BYTES) | import(&y_buffer, PTOWSP_EXTERNAL_HOST, y, -1, BYTES), 0);
	close(expose(x_buffer, PTOWSP_EXTERNAL_DMABUF).fd);
	close(dmabuf);
	close(maker);
	close(fd);
	runs_see_it(x_buffer, y_buffer, x, y);
	munmap(x, BYTES);
	munmap(y, BYTES);
	host_end();
}

TEST(memory_that_is_no_buffer_is_refused)
{
	const int large = memory_file(BYTES, F_SEAL_SHRINK), loose = memory_file(BYTES, 0), fixed = memory_file(BYTES, F_SEAL_SHRINK | F_SEAL_WRITE);
	const int null = open("/dev/null", O_RDWR | O_CLOEXEC), reads = open(check_fmt("/proc/self/fd/%d", large), O_RDONLY | O_CLOEXEC),
		  writes = open(check_fmt("/proc/self/fd/%d", large), O_WRONLY | O_CLOEXEC);
	const struct {
		const char *says;
		uint32_t type;
		int fd;
		uint64_t address, bytes;
		ptowsp_status status;
	} ways[] = {
		{"has 4096 bytes, not 4097", PTOWSP_EXTERNAL_OPAQUE_FD, large, 0, BYTES + 1, PTOWSP_INVALID},
		{"may shrink; seal it with F_SEAL_SHRINK", PTOWSP_EXTERNAL_OPAQUE_FD, loose, 0, BYTES, PTOWSP_INVALID},
		{"is sealed against writing", PTOWSP_EXTERNAL_OPAQUE_FD, fixed, 0, BYTES, PTOWSP_INVALID},
		{"is not open for reading and writing", PTOWSP_EXTERNAL_OPAQUE_FD, reads, 0, BYTES, PTOWSP_INVALID},
		{"is not open for reading and writing", PTOWSP_EXTERNAL_OPAQUE_FD, writes, 0, BYTES, PTOWSP_INVALID},
		{"is no memory file", PTOWSP_EXTERNAL_OPAQUE_FD, null, 0, BYTES, PTOWSP_INVALID},
		{"is no memory file", PTOWSP_EXTERNAL_OPAQUE_FD, -1, 0, BYTES, PTOWSP_INVALID},
		{"is no dma-buf", PTOWSP_EXTERNAL_DMABUF, large, 0, BYTES, PTOWSP_INVALID},
		{"begins at no page of", PTOWSP_EXTERNAL_HOST, -1, 0x10040, BYTES, PTOWSP_INVALID},
		{"not all are memory of this process", PTOWSP_EXTERNAL_HOST, -1, 0x10000, BYTES, PTOWSP_INVALID},
		{"memory of nobody", PTOWSP_EXTERNAL_HOST, -1, 0, BYTES, PTOWSP_INVALID},
		{"of no bytes", PTOWSP_EXTERNAL_OPAQUE_FD, large, 0, 0, PTOWSP_INVALID},
		{"type 5 is none that is used here", PTOWSP_EXTERNAL_NATIVE, -1, 4096, BYTES, PTOWSP_UNSUPPORTED},
		{"type 77 is none that is used here", 77, -1, 4096, BYTES, PTOWSP_UNSUPPORTED},
	};
	struct ptowsp_device_buffer *buffer;
	struct ptowsp_external out;

	host_begin("cpu_sim", PTOWSP_ISOLATE_NONE);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		CHECK_INT(import(&buffer, ways[i].type, (void *)(uintptr_t)ways[i].address, ways[i].fd, ways[i].bytes), ways[i].status);
		CHECK_CONTAINS(error.text, ways[i].says);
		CHECK(!buffer);
	}
	buffer = buffer_make(BYTES);
	CHECK_INT(ptowsp_device_buffer_expose(buffer, PTOWSP_EXTERNAL_NATIVE, &out, &error), PTOWSP_UNSUPPORTED);
	CHECK_CONTAINS(error.text, "this buffer has no name of type 5");
	CHECK_INT(out.fd, -1);
	ptowsp_device_buffer_destroy(buffer);
	host_end();
	host_begin("a2a3sim", PTOWSP_ISOLATE_NONE);
	CHECK_INT(import(&buffer, PTOWSP_EXTERNAL_OPAQUE_FD, NULL, large, BYTES), PTOWSP_UNSUPPORTED);
	CHECK_CONTAINS(error.text, "a2a3sim takes no memory of type OPAQUE_FD (3)");
	host_end();
	close(large);
	close(loose);
	close(fixed);
	close(null);
	close(reads);
	close(writes);
}

/* Whatever stands in it, a name made by hand is refused here: a worker that reads it, and a plugin that does not, stay as they are. */
static void names_made_by_hand(const char *plugin, uint32_t isolate)
{
	const struct ptowsp_head head = PTOWSP_HEAD(struct ptowsp_external, EXTERNAL);
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	void *block, *fixed = mmap(NULL, BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(!ptowsp_buffer_alloc(&block, page, &error) && fixed != MAP_FAILED);
	const struct {
		const char *says;
		struct ptowsp_external name;
	} ways[] = {
		{"the head says 16 bytes, not 40", {.head = {16, head.type, 0}}},
		{"the head says 0 bytes, not 40", {.head = {0, head.type, 0}}},
		{"above the limit", {.head = {PTOWSP_SIZE_LIMIT + 64, head.type, 0}}},
		{"says another type", {.head = {head.size, PTOWSP_STRUCT_ERROR, 0}}},
		{"has flags", {.head = {head.size, head.type, 1}}},
		{"external.reserved is not 0", {.head = head, .reserved = 9}},
		{"an address beside a descriptor", {.head = head, .type = PTOWSP_EXTERNAL_OPAQUE_FD, .address = 4096, .fd = 0}},
		{"which it may write", {.head = head, .address = (uintptr_t)fixed}},
		{"which it may write", {.head = head, .address = (uintptr_t)block, .bytes = page + 1}},
		{"which it may write", {.head = head, .address = (uintptr_t)block, .bytes = UINT64_MAX}},
		{"begins at no page", {.head = head, .address = (uintptr_t)block + 64}},
	};
	struct ptowsp_device_buffer *buffer;
	struct ptowsp_fence *fence;

	host_begin(plugin, isolate);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		struct ptowsp_external name = ways[i].name;

		name.type = name.type ? name.type : PTOWSP_EXTERNAL_HOST;
		name.bytes = name.bytes ? name.bytes : 64;
		CHECK_INT(ptowsp_device_buffer_import(&buffer, host.backend, &name, &error), PTOWSP_INVALID);
		CHECK_CONTAINS(error.text, ways[i].says);
		CHECK(i > 6 || ptowsp_fence_import(&fence, host.backend, &name, &error) == PTOWSP_INVALID);
	}
	ptowsp_device_buffer_destroy(buffer_make(BYTES)); /* the backend lives */
	host_end();
	munmap(fixed, BYTES);
	ptowsp_buffer_free(block);
}

TEST(names_made_by_hand_are_looked_at)
{
	names_made_by_hand("cpu_sim", PTOWSP_ISOLATE_NONE);
	names_made_by_hand("cpu_sim", PTOWSP_ISOLATE_PROCESS);
	names_made_by_hand("a2a3sim", PTOWSP_ISOLATE_NONE);
}

/* One memory by two names: a run that writes one of them and has the other is refused. */
TEST(two_names_of_one_memory_do_not_meet_in_a_run)
{
	struct ptowsp_device_buffer *first, *second;
	float *memory = map(-1);

	host_begin("cpu_sim", PTOWSP_ISOLATE_NONE);
	REQUIRE_INT(import(&first, PTOWSP_EXTERNAL_HOST, memory, -1, BYTES) | import(&second, PTOWSP_EXTERNAL_HOST, memory, -1, BYTES), 0);
	CHECK_INT(bind("x", first, 0) | bind("y", second, 0), 0);
	CHECK_INT(ptowsp_execute(host.program, NULL, &error), PTOWSP_INVALID);
	CHECK_CONTAINS(error.text, "have the same bytes of a buffer, and one of them is written");
	ptowsp_program_unload(host.program);
	host.program = NULL;
	ptowsp_device_buffer_destroy(first);
	ptowsp_device_buffer_destroy(second);
	munmap(memory, BYTES);
	host_end();
}

/* ---- peers ------------------------------------------------------------------------------------------------------------------ */

enum { LARGE = (5 << 20) + 4 };

/* From a buffer of cpu_sim to one of that plugin, and back to another place. */
static void there_and_back(const char *plugin, uint32_t isolate, const char *memory, uint32_t way)
{
	const struct ptowsp_setting setting = {"memory", memory};
	const struct ptowsp_backend_options options = {
		.plugin = plugin, .isolate = isolate, .threads = 1, .settings = &setting, .setting_count = memory != NULL, .layers = "validate,threads"};
	struct ptowsp_device_buffer *near, *far;
	struct ptowsp_backend *other;
	unsigned char *bytes = malloc(LARGE);
	uint32_t got = 0;

	host_begin("cpu_sim", isolate);
	ptowsp_program_unload(host.program);
	ptowsp_backend_close(host.backend);
	host.program = NULL;
	REQUIRE_INT(ptowsp_backend_open(&host.backend, &(struct ptowsp_backend_options){.plugin = "cpu_sim", .isolate = isolate, .threads = 1}, &error), 0);
	REQUIRE_INT(ptowsp_backend_open(&other, &options, &error), 0);
	near = buffer_make(2 * LARGE);
	REQUIRE_INT(ptowsp_device_buffer_create(&far, other, LARGE + 12, &error), 0);
	for (int i = 0; i < LARGE; i++)
		bytes[i] = (unsigned char)(i * 7 + i / 251);
	CHECK_INT(ptowsp_device_buffer_write(near, 4, bytes, LARGE, &error), 0);
	CHECK_INT(ptowsp_device_buffer_copy(far, 8, near, 4, LARGE, &got, &error), 0);
	CHECK_UINT(got, way);
	CHECK_INT(ptowsp_device_buffer_copy(near, LARGE, far, 8, LARGE, &got, &error), 0);
	CHECK_UINT(got, way);
	memset(bytes, 0, LARGE);
	CHECK_INT(ptowsp_device_buffer_read(near, LARGE, bytes, LARGE, &error), 0);
	for (int i = 0; i < LARGE; i++)
		if (bytes[i] != (unsigned char)(i * 7 + i / 251))
			CHECK_FAIL("byte %d of a copy of %s is %u", i, plugin, bytes[i]);
	ptowsp_device_buffer_destroy(near);
	ptowsp_device_buffer_destroy(far);
	ptowsp_backend_close(other);
	host_end();
	free(bytes);
}

TEST(copies_between_devices_go_by_name)
{
	there_and_back("cpu_sim", PTOWSP_ISOLATE_NONE, NULL, PTOWSP_COPY_PEER);
	there_and_back("cpu_sim", PTOWSP_ISOLATE_PROCESS, NULL, PTOWSP_COPY_PEER);
	there_and_back("cpu_sim", PTOWSP_ISOLATE_SANDBOX, NULL, PTOWSP_COPY_PEER);
}

/* Memory of the device's own goes out as a descriptor, and comes in as one. */
TEST(copies_with_a_device_apart_go_by_name)
{
	for (uint32_t isolate = PTOWSP_ISOLATE_NONE; isolate <= PTOWSP_ISOLATE_SANDBOX; isolate++)
		there_and_back(check_fmt("%s/test/apart/libptowsp_apart.so", check_build()), isolate, NULL, PTOWSP_COPY_PEER);
	CLI_OUT(0, "$B/ptowsp-conform --test exposed_memory_is_reached $B/../test/apart/libptowsp_apart.so", "ok 1 - exposed_memory_is_reached\n");
}

TEST(copies_with_an_opencl_device)
{
	if (cli("$B/ptowsp-run --plugin=opencl --devices"))
		CHECK_SKIP("not run here: there is no OpenCL device");
	there_and_back("opencl", PTOWSP_ISOLATE_NONE, "shared", PTOWSP_COPY_PEER);
	there_and_back("opencl", PTOWSP_ISOLATE_NONE, "copied", PTOWSP_COPY_HOST);
}

TEST(copies_go_through_the_host_where_there_is_no_name)
{
	there_and_back("a2a3sim", PTOWSP_ISOLATE_NONE, NULL, PTOWSP_COPY_HOST);
}

TEST(copies_stay_in_their_buffers)
{
	struct ptowsp_device_buffer *buffer;
	uint32_t way = 0;

	host_begin("cpu_sim", PTOWSP_ISOLATE_NONE);
	buffer = buffer_make(64);
	CHECK_INT(ptowsp_device_buffer_copy(buffer, 32, buffer, 0, 32, &way, &error), 0);
	CHECK_UINT(way, PTOWSP_COPY_DEVICE);
	CHECK_INT(ptowsp_device_buffer_copy(buffer, 16, buffer, 0, 32, NULL, &error), PTOWSP_INVALID);
	CHECK_CONTAINS(error.text, "overlap");
	CHECK_INT(ptowsp_device_buffer_copy(buffer, 33, buffer, 0, 32, NULL, &error), PTOWSP_INVALID);
	CHECK_INT(ptowsp_device_buffer_copy(buffer, 0, buffer, UINT64_MAX, 2, NULL, &error), PTOWSP_INVALID);
	CHECK_CONTAINS(error.text, "are not in a buffer of 64");
	ptowsp_device_buffer_destroy(buffer);
	host_end();
}
