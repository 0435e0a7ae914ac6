/* SPDX-License-Identifier: MIT */
/* opencl_backend.h - the backend's operations, apart from the entry that exports them. */
#ifndef OPENCL_BACKEND_H
#define OPENCL_BACKEND_H

#include "base/backend.h"

#define OPENCL_NAME "opencl"

extern const struct ptowsp_ops opencl_ops;

#endif
