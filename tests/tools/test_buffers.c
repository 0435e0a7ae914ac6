/* SPDX-License-Identifier: MIT
 * test_buffers.c - tensors in buffers of a device: a chain of runs has the results of runs in memory, on backends that have buffers and on those that have none, and nothing is copied between. */
#include "host/ptowsp_host.h"
#include "tests/check.h"
#include "tests/contract/cli.h"

#include <stdlib.h>
#include <string.h>

enum { N = 64, RUNS = 100, BYTES = N * 16 * 4 };

/* y += x, and z = y of before. */
#define ADDS                                                                                                                                                   \
	"tensor %x : f32[64, 16] in\ntensor %y : f32[64, 16] inout\ntensor %z : f32[64, 16] out\n"                                                             \
	"func @add(%a: !pto.memref<gm,...,f32>, %b: !pto.memref<gm,...,f32>, %c: !pto.memref<gm,...,f32>) {\n"                                                 \
	"  %s = alloc_tile : !pto.tile<8x16xf32>\n  %t = alloc_tile : !pto.tile<8x16xf32>\n  %s = tload %a[0, 0]\n  %t = tload %b[0, 0]\n"                     \
	"  tstore %t, %c[0, 0]\n  %t = tadd %s, %t\n  tstore %t, %b[0, 0]\n  return\n}\n"                                                                      \
	"workload @main { parallel_for %i in 0 to 8 { call @add(%a -> %x[%i * 8, 0], %b -> %y[%i * 8, 0], %c -> %z[%i * 8, 0]) } }\n"

static void package_make(void)
{
	cli_begin();
	check_put("adds.pto", ADDS);
	REQUIRE_INT(cli("$B/ptowsp-pack adds.pto -o adds.pkg.zst"), 0);
}

/* ---- the tool --------------------------------------------------------------------------------------------------------------- */

static uint64_t copied_by(const char *arguments)
{
	REQUIRE_INT(cli(check_fmt("$B/ptowsp-run --isolate=process --stats=json --fill x=iota %s adds.pkg.zst", arguments)), 0);
	return (uint64_t)cli_int(cli_json(), "isolation_copy_bytes");
}

TEST(a_chain_has_the_results_of_one_after_another)
{
	static const struct {
		const char *options;
		int on_device;
	} ways[] = {{"", 1}, {"--isolate=process", 1}, {"--isolate=sandbox", 1}, {"--threads 3 --layer=validate,threads", 1}, {"--plugin=a2a3sim", 0}};

	package_make();
	REQUIRE_INT(cli("cp /dev/null y.npy && $B/ptowsp-run -q --fill x=iota --fill y=iota --out y=y.npy adds.pkg.zst && "
			"for i in 2 3 4 5; do $B/ptowsp-run -q --fill x=iota --in y=y.npy --out y=next.npy --out z=z.npy adds.pkg.zst && mv next.npy y.npy || "
			"exit; done"),
		    0);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		REQUIRE_INT(cli(check_fmt("$B/ptowsp-run --chain --runs 5 --stats=json %s --fill x=iota --fill y=iota --out y=c.npy --out z=d.npy adds.pkg.zst",
					  ways[i].options)),
			    0);
		CHECK_INT(cli_int(cli_json(), "chain.tensors"), 3);
		CHECK_INT(cli_int(cli_json(), "chain.bytes"), 3 * BYTES);
		CHECK_INT(json_is_true(cli_at(cli_json(), "chain.on_device")), ways[i].on_device);
		CHECK_INT(cli("cmp y.npy c.npy && cmp z.npy d.npy"), 0);
	}
}

TEST(nothing_is_copied_between_runs)
{
	package_make();
	CHECK_UINT(copied_by("--chain --runs 1"), copied_by(check_fmt("--chain --runs %d", RUNS)));
	CLI_OUT(0, "$B/ptowsp-run --chain --runs 3 --stats --fill x=iota adds.pkg.zst", "chain of 3 runs: 12288 bytes of 3 tensors stayed on the device\n");
	CLI_OUT(0, "$B/ptowsp-run --plugin=a2a3sim --chain --runs 3 --stats --fill x=iota adds.pkg.zst",
		"stayed in memory of this process, as the backend has no buffers\n");
}

TEST(a_chain_is_one_run_of_the_same_examples)
{
	static const char *const packages[] = {"vector_add", "softmax", "flash_attention", "csp", "parts_matmul"};

	for (size_t i = 0; i < sizeof(packages) / sizeof(*packages); i++)
		if (!cli(check_fmt("test -e $P/%s.pkg.zst", packages[i])))
			CLI_OUT(0, check_fmt("$B/ptowsp-run --chain $P/%s.pkg.zst", packages[i]), "compare: ok");
	CLI_OUT(0, "$B/ptowsp-run --chain --schedule spatial_map=2,2 --schedule layout=a,S0 $P/matmul.pkg.zst", "compare: ok");
}

TEST(a_chain_without_kernels_is_refused)
{
	static const char *const flags[] = {"--no-kernels", "--checkpoint c.ptowsp", "--device=cpu0,cpu0", "--emit out"};

	package_make();
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		CLI_ERR(2, check_fmt("$B/ptowsp-run --chain %s adds.pkg.zst", flags[i]), "--chain goes with a run of kernels on one device");
	CLI_ERR(2, "$B/ptowsp-run --chain --list-plugins", "--chain belongs to a run");
}

TEST(a_log_of_calls_is_replayed)
{
	package_make();
	REQUIRE_INT(cli("$B/ptowsp-run --chain --runs 2 --isolate=none --layer=trace:calls --fill x=iota adds.pkg.zst"), 0);
	CLI_OUT(0, "$B/ptowsp-conform --replay calls $B/../lib/ptowsp/plugins/libptowsp_cpu_sim.so", "");
}

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

	package_make();
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
	CHECK_CONTAINS(error.text, "have the same bytes of a buffer, and one of them is written");
	CHECK_INT(ptowsp_tensor_bind(host.program, "y", NULL, 0, &error), 0);
	CHECK_INT(ptowsp_execute(host.program, NULL, &error), 0);
	ptowsp_program_unload(host.program);
	host.program = NULL;
	ptowsp_device_buffer_destroy(buffer);
	host_end();
}
