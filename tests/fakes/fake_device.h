/* SPDX-License-Identifier: MIT */
/* fake_device.h - where the fake runtime keeps memory and code, and what it starts: this process (fake_device_sim.c), or a device by way of the fake CANN
 * (fake_device_cann.c), in the order in which the real one calls it. One device per process. */
#ifndef FAKE_DEVICE_H
#define FAKE_DEVICE_H

#include <stddef.h>
#include <stdint.h>

/* The executors, as simpler_init gets them. 0, or an error that was written. */
int fake_device_start(int device, const uint8_t *aicore, size_t aicore_size, const uint8_t *dispatcher, size_t dispatcher_size);
void fake_device_stop(void);
/* NULL: there is none. 64-byte aligned. */
void *fake_device_alloc(size_t size);
void fake_device_free(void *memory);
int fake_device_put(void *device, const void *host, size_t size);
int fake_device_get(void *host, const void *device, size_t size);

typedef void (*fake_kernel)(int64_t *args);
/* A kernel's binary: an object with kernel_entry in the simulation, the text section of a function on a device. NULL: it is none. */
struct fake_code;
struct fake_code *fake_device_code(const void *bytes, size_t size, fake_kernel *kernel_out);
void fake_device_code_close(struct fake_code *code);
/* An object of the host, as a file of its own: the linker takes equal names and equal files for one. NULL: dlerror says why. */
void *fake_object_open(const void *bytes, size_t size);

/* A run: the cores are started, then the threads that give them work; wait follows when the work is done. */
int fake_device_launch(void);
int fake_device_wait(void);

#endif
