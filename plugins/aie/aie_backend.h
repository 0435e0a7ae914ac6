/* SPDX-License-Identifier: MIT */
/* aie_backend.h - the aie backend. */
#ifndef AIE_BACKEND_H
#define AIE_BACKEND_H

#include "ptowsp/plugin.h"

#define AIE_BACKEND_NAME "aie"
#define AIE_TARGETS      "aie,amd_aie,xdna1,xdna2,npu1,npu2,aie2,aie2p"

extern const struct ptowsp_ops aie_ops;

#endif
