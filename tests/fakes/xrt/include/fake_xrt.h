/* SPDX-License-Identifier: MIT */
/* fake_xrt.h - XRT and an array behind it, for tests: objects with names and counts of living ones, memory that the device has beside the host's, runs that execute the text
 * in a fake xclbin by the simulator. Behind the headers of tests/fakes/xrt, which have names and signatures of XRT's C++ interface as far as the bridge uses them.
 *
 * FAKE_XRT is a list of words, each a thing that goes wrong; FAKE_XRT_LOG a file that gets a line per call, and at the end of the process what is still alive. */
#ifndef FAKE_XRT_H
#define FAKE_XRT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What fails says why here; NULL or a number below 0 comes back. */
extern char fake_xrt_why[256];

struct fake_device;
struct fake_xclbin;
struct fake_context;
struct fake_bo;
struct fake_run;

struct fake_device *fake_device_open(unsigned index);
void fake_device_close(struct fake_device *device);
const char *fake_device_name(const struct fake_device *device);
struct fake_xclbin *fake_xclbin_open(const char *path);
void fake_xclbin_close(struct fake_xclbin *xclbin);
const char *fake_xclbin_kernel(const struct fake_xclbin *xclbin);
size_t fake_xclbin_args(const struct fake_xclbin *xclbin);
int fake_register(struct fake_device *device, struct fake_xclbin *xclbin);
/* number: the xclbin's uuid. */
unsigned fake_xclbin_number(const struct fake_xclbin *xclbin);
struct fake_context *fake_context_make(struct fake_device *device, unsigned number);
void fake_context_close(struct fake_context *context);
int fake_kernel(struct fake_context *context, const char *name);
int fake_group(const struct fake_context *context, int argument);
struct fake_bo *fake_bo_make(struct fake_device *device, size_t size, uint32_t flags, uint32_t group);
void fake_bo_close(struct fake_bo *bo);
void *fake_bo_map(struct fake_bo *bo);
int fake_bo_sync(struct fake_bo *bo, int from_device, size_t size, size_t offset);
size_t fake_bo_size(const struct fake_bo *bo);
struct fake_run *fake_run_make(struct fake_context *context);
void fake_run_close(struct fake_run *run);
int fake_run_number(struct fake_run *run, int index, uint64_t value);
int fake_run_bo(struct fake_run *run, int index, struct fake_bo *bo);
int fake_run_start(struct fake_run *run);
/* ert_cmd_state; below 0: it throws. */
int fake_run_wait(struct fake_run *run, unsigned ms);
int fake_run_state(const struct fake_run *run);
int fake_run_abort(struct fake_run *run);

#ifdef __cplusplus
}
#endif

#endif
