/* SPDX-License-Identifier: MIT */
/* engine_device.h - engine=device: designs on an array by way of XRT. Thread rules of the hooks of base. Nothing of it has run on one: tests have a bridge and tools that stand
 * for the real ones. */
#ifndef AIE_ENGINE_DEVICE_H
#define AIE_ENGINE_DEVICE_H

#include "aie/engine/aie_engine_own.h"

/* Finds the driver, XRT and the bridge, and opens the device; every piece that is missing is logged. Errors: NO_DEVICE: the first of those that nothing runs without;
 * INVALID: an option that does not go with it. */
ptowsp_status aie_device_open(struct base_device *device, struct ptowsp_error *error);
void aie_device_close(struct base_device *device);
/* As aie_engine_go: compiles the text of the map, or takes what was compiled before, and runs it. Errors also: NO_DEVICE: tools that are missing or refuse, an artifact that the
 * device refuses; RUN_FAILED, DEVICE_LOST; DEADLINE, CANCELLED. */
ptowsp_status aie_device_go(struct aie_run *run, struct rt_feed *feed);

#endif
