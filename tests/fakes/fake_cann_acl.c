/* SPDX-License-Identifier: MIT */
/* fake_cann_acl.c - libascendcl.so for tests: fake_cann.c. */
#include "fake_cann.h"

#include <stdbool.h>

static bool inited;

int aclInit(const char *config)
{
	int rc = fake_cann_call("aclInit");

	(void)config;
	if (rc)
		return rc;
	if (inited)
		return fake_cann_wrong("aclInit a second time");
	inited = true;
	return 0;
}

int aclFinalize(void)
{
	int rc = fake_cann_call("aclFinalize");

	if (rc)
		return rc;
	if (!inited || fake_cann_device() >= 0)
		return fake_cann_wrong("aclFinalize without aclInit, or with a device that is set");
	inited = false;
	return 0;
}

int aclrtResetDevice(int32_t device)
{
	int rc = fake_cann_call("aclrtResetDevice");

	return rc ? rc : fake_cann_left(device, 0);
}

int aclrtResetDeviceForce(int32_t device)
{
	int rc = fake_cann_call("aclrtResetDeviceForce");

	return rc ? rc : fake_cann_left(device, 1);
}

int aclrtGetStreamResLimit(void *stream, uint32_t type, uint32_t *value)
{
	int rc = fake_cann_call("aclrtGetStreamResLimit");

	(void)stream;
	*value = type == ACL_RT_DEV_RES_CUBE_CORE ? 24 : 48;
	return rc;
}

int aclrtSynchronizeStreamWithTimeout(void *stream, int32_t milliseconds)
{
	int rc = fake_cann_call("aclrtSynchronizeStreamWithTimeout");

	if (rc)
		return rc;
	return milliseconds > 0 ? fake_cann_stream_wait(stream) : fake_cann_wrong("a stream is waited for without end");
}
