/* SPDX-License-Identifier: MIT */
/* common_machine.h - what this machine has for a process. Linux; reads files of /proc, some tens of microseconds. Any thread. */
#ifndef REGISTRY_COMMON_COMMON_MACHINE_H
#define REGISTRY_COMMON_COMMON_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that can be had without swapping (MemAvailable), at most what the control groups that the process is in may have. UINT64_MAX: the kernel does not say. */
uint64_t common_machine_memory(void);
/* Bytes that the control groups of both versions, and those above them, allow by what `proc`, a folder like /proc, says of the process. UINT64_MAX: none does. */
uint64_t common_machine_bound(const char *proc);
/* The folder of the control group (version 2) that the process is in. false: there is none, or no room. */
bool common_machine_group(char *path, size_t room);

#endif
