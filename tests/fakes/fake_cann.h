/* SPDX-License-Identifier: MIT */
/* fake_cann.h - the functions of CANN that a pto-runtime on a device calls, as the fake CANN of tests has them: names, order of parameters and records as there, each no
 * wider than what is used. Source: section 4.2 of what its sources call; no code or header of CANN is in it. */
#ifndef FAKE_CANN_H
#define FAKE_CANN_H

#include <stdint.h>

enum {
	RT_MEMORY_HBM = 2,
	RT_MEMCPY_HOST_TO_DEVICE = 1,
	RT_MEMCPY_DEVICE_TO_HOST = 2,
	RT_SCHEM_MODE_BATCH = 1,
	KERNEL_TYPE_AICPU_KFC = 5,
	ACL_RT_DEV_RES_CUBE_CORE = 0,
	ACL_RT_DEV_RES_VECTOR_CORE = 1,
	ADDR_MAP_TYPE_REG_AIC_CTRL = 2
};
enum { FAKE_CANN_WRONG = 107000, FAKE_CANN_FAULT = 507018 }; /* a call that must not be; what a device that has failed answers to everything */
#define RT_DEV_BINARY_MAGIC_ELF 0x43554245u

typedef struct {
	uint32_t magic, version;
	const void *data;
	uint64_t length;
} rtDevBinary_t;
typedef struct {
	void *args;
	uint32_t argsSize;
} rtArgsEx_t;
typedef struct {
	uint8_t schemMode;
} rtTaskCfgInfo_t;
typedef struct {
	const char *kernelName, *soName;
	void *args;
	uint32_t argsSize;
} rtAicpuArgsEx_t;
typedef struct {
	rtArgsEx_t baseArgs;
} rtCpuKernelArgs_t;
typedef struct {
	uint32_t devid, addr_type;
} AddrMapInPara;

/* X(library, name, parameters): all answer 0 or an error. */
#define FAKE_CANN_FUNCTIONS(X)                                                                                                                                 \
	X(runtime, rtSetDevice, (int32_t device))                                                                                                              \
	X(runtime, rtStreamCreate, (void **stream, int32_t priority))                                                                                          \
	X(runtime, rtStreamDestroy, (void *stream))                                                                                                            \
	X(runtime, rtMalloc, (void **memory, uint64_t size, uint32_t type, uint16_t module))                                                                   \
	X(runtime, rtFree, (void *memory))                                                                                                                     \
	X(runtime, rtMemcpy, (void *to, uint64_t most, const void *from, uint64_t size, uint32_t kind))                                                        \
	X(runtime, rtRegisterAllKernel, (const rtDevBinary_t *binary, void **handle))                                                                          \
	X(runtime, rtKernelLaunchWithHandleV2,                                                                                                                 \
	  (void *handle, uint64_t key, uint32_t blocks, const rtArgsEx_t *args, void *l2, void *stream, const rtTaskCfgInfo_t *config))                        \
	X(runtime, rtAicpuKernelLaunchExWithArgs,                                                                                                              \
	  (uint32_t type, const char *op, uint32_t blocks, const rtAicpuArgsEx_t *args, void *l2, void *stream, uint32_t flags))                               \
	X(runtime, rtsBinaryLoadFromFile, (const char *path, const void *config, void **handle))                                                               \
	X(runtime, rtsBinaryUnload, (void *handle))                                                                                                            \
	X(runtime, rtsFuncGetByName, (void *handle, const char *name, void **function))                                                                        \
	X(runtime, rtsLaunchCpuKernel, (void *function, uint32_t blocks, void *stream, const void *config, const rtCpuKernelArgs_t *args))                     \
	X(ascendcl, aclInit, (const char *config))                                                                                                             \
	X(ascendcl, aclFinalize, (void))                                                                                                                       \
	X(ascendcl, aclrtResetDevice, (int32_t device))                                                                                                        \
	X(ascendcl, aclrtResetDeviceForce, (int32_t device))                                                                                                   \
	X(ascendcl, aclrtGetStreamResLimit, (void *stream, uint32_t type, uint32_t *value))                                                                    \
	X(ascendcl, aclrtSynchronizeStreamWithTimeout, (void *stream, int32_t milliseconds))                                                                   \
	X(ascend_hal, halMemCtl, (int type, const void *in, uint64_t in_size, void *out, uint64_t *out_size))

#define X(library, name, parameters) int name parameters;
FAKE_CANN_FUNCTIONS(X)
#undef X

/* In the runtime's library, for the other two. */
int fake_cann_call(const char *name); /* logs it; not 0: what FAKE_CANN_FAULT tells it to answer */
int fake_cann_wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));
int fake_cann_stream_wait(void *stream);
int fake_cann_left(int32_t device, int forced); /* the device is given back: nothing may be left on it */
int fake_cann_device(void);                     /* that was set, -1: none */

#endif
