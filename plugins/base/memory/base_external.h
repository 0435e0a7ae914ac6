/* SPDX-License-Identifier: MIT */
/* base_external.h - memory of others that this process can map: files of memory, dma-bufs, memory of the caller (struct ptowsp_external of ptowsp/buffers.h). */
#ifndef BASE_EXTERNAL_H
#define BASE_EXTERNAL_H

#include "ptowsp/base.h"
#if PTOWSP_ABI_TARGET >= 1
#include "ptowsp/buffers.h"

/* A file of zeros that stays of this size, whatever others do with it. -1, with errno. */
int base_external_file(uint64_t bytes);
/* The struct as the ABI says it, whatever it names. Errors: INVALID, UNKNOWN_FIELD. */
ptowsp_status base_external_read(const struct ptowsp_external *external, struct ptowsp_error *error);
/* Memory that the name stands for is there and has these bytes, every one of them writable for as long as it is kept. Errors: INVALID, UNSUPPORTED: it is none of the three. */
ptowsp_status base_external_check(const struct ptowsp_external *external, struct ptowsp_error *error);
#endif

#endif
