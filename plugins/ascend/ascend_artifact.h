/* SPDX-License-Identifier: MIT */
/* ascend_artifact.h - the extension "ptowsp.artifact/1" of the Ascend backends: what ascend_emit.h writes, without a device. */
#ifndef ASCEND_ARTIFACT_H
#define ASCEND_ARTIFACT_H

#include "ptowsp/plugin.h"

/* The table, if that is what is asked for; else NULL. For base_backend.extension. Any thread. */
const void *ascend_artifact_extension(struct ptowsp_object *instance, const char *id);

#endif
