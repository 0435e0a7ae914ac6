/* SPDX-License-Identifier: MIT */
/* common.cpp - the part of an orchestration object that the runtime binds itself to. */
#include "pto_orchestration_api.h"

static PTO2Runtime *bound;

extern "C" __attribute__((visibility("default"))) void framework_bind_runtime(PTO2Runtime *rt)
{
	bound = rt;
}

extern "C" __attribute__((visibility("hidden"))) PTO2Runtime *framework_current_runtime(void)
{
	return bound;
}
