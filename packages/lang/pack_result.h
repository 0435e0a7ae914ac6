/* SPDX-License-Identifier: MIT */
/* pack_result.h - results of libptowsp-pack.so that other folders make. */
#ifndef LANG_PACK_RESULT_H
#define LANG_PACK_RESULT_H

#include "lang/ptowsp_pack.h"

/* A result without a package, whose only message is "name: error: why". Returns 0 or NO_MEMORY. */
ptowsp_status lang_pack_refuse(const char *name, const struct ptowsp_error *why, struct ptowsp_pack_result **result_out);

#endif
