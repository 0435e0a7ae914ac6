/* SPDX-License-Identifier: MIT */
/* queue.h - the runs of a device: submit, cancel, wait, and the thread that executes them. */
#ifndef BASE_QUEUE_H
#define BASE_QUEUE_H

#include "device.h"

ptowsp_status base_submit(struct ptowsp_object *device, const struct ptowsp_run_args *args, struct ptowsp_error *error);
/* OK also for a run that only waits; NOT_FOUND if none has this token any more. */
ptowsp_status base_cancel(struct ptowsp_object *device, uint64_t token, struct ptowsp_error *error);
/* Waits until a run is done, or nothing is in flight, or until_ns (0 = without end): AGAIN. */
ptowsp_status base_poll(struct ptowsp_object *device, uint64_t until_ns, struct ptowsp_error *error);
/* Waits until nothing is in flight, or until_ns (0 = without end): DEADLINE. */
ptowsp_status base_drain(struct ptowsp_object *device, uint64_t until_ns, struct ptowsp_error *error);
/* Waits until that condition of the device is told, at most until until_ns on the host's clock, whose origin need not be ours; 0: without end. With the lock held. 0 if the time is over. */
int base_queue_wait(struct base_device *device, pthread_cond_t *moved, uint64_t until_ns);

/* Main function of the runner thread; argument: the device. */
void *base_runner(void *device);
/* Asks every run, waiting or executing, to end. */
void base_cancel_all(struct base_device *device);
/* Runs of this program that are waiting or executing. */
uint32_t base_in_flight(struct base_device *device, const struct base_program *program);

#endif
