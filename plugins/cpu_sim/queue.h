/* SPDX-License-Identifier: MIT */
/* queue.h - the runs of a device: submit, cancel, wait, and the thread that executes them. */
#ifndef CPU_SIM_QUEUE_H
#define CPU_SIM_QUEUE_H

#include "device.h"

ptowsp_status cpu_submit(struct ptowsp_object *device, const struct ptowsp_run_args *args, struct ptowsp_error *error);
/* OK also for a run that only waits; NOT_FOUND if none has this token any more. */
ptowsp_status cpu_cancel(struct ptowsp_object *device, uint64_t token, struct ptowsp_error *error);
/* Waits until a run is done, or nothing is in flight, or until_ns (0 = without end): AGAIN. */
ptowsp_status cpu_poll(struct ptowsp_object *device, uint64_t until_ns, struct ptowsp_error *error);
/* Waits until nothing is in flight, or until_ns (0 = without end): DEADLINE. */
ptowsp_status cpu_drain(struct ptowsp_object *device, uint64_t until_ns, struct ptowsp_error *error);

/* Main function of the runner thread; argument: the device. */
void *cpu_runner(void *device);
/* Asks every run, waiting or executing, to end. */
void cpu_cancel_all(struct cpu_device *device);
/* Runs of this program that are waiting or executing. */
uint32_t cpu_in_flight(struct cpu_device *device, const struct cpu_program *program);

#endif
