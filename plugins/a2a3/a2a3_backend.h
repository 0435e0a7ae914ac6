/* SPDX-License-Identifier: MIT */
/* a2a3_backend.h - the backend's operations, apart from the entry that exports them: tests put an entry of their own in front. */
#ifndef A2A3_BACKEND_H
#define A2A3_BACKEND_H

#include "base/backend.h"

#define A2A3_NAME    "a2a3"
#define A2A3_TARGETS "a2a3,pto_runtime_a2a3,ascend_npu,ascend_910b,ascend_910c,ascend_950,dav_c220,dav_c310"

extern const struct base_backend a2a3_backend;
extern const struct ptowsp_ops a2a3_ops;

#endif
