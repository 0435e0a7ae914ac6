/* SPDX-License-Identifier: MIT */
#include "rt/error.h"
#include "rt/process.h"
ptowsp_status rt_pipeline_stuck(struct rt_pipeline *pipeline)
{
	return rt_fail(pipeline->run->error, PTOWSP_DEADLOCK, "deadlock");
}
