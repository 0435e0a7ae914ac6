/* SPDX-License-Identifier: MIT */
/* spu_backend.h - the backend's operations, apart from the entry that exports them. Names here begin with spu_: starpu_ is the library's. */
#ifndef SPU_BACKEND_H
#define SPU_BACKEND_H

#include "base/backend.h"

#define SPU_NAME "starpu"

extern const struct ptowsp_ops spu_ops;

#endif
