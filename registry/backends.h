/* SPDX-License-Identifier: MIT */
/* backends.h - the host's preference among backends, for --plugin=auto. Any thread. */
#ifndef REGISTRY_BACKENDS_H
#define REGISTRY_BACKENDS_H

#include <stdint.h>

/* Names, best first, static. */
const char *const *reg_backends(uint32_t *count);

#endif
