/* SPDX-License-Identifier: MIT */
/* normalise.h - the host's own copy of a plugin's operations: full size, no holes. */
#ifndef HOST_NORMALISE_H
#define HOST_NORMALISE_H

#include "ptowsp/plugin.h"

/* Size floor and limit, type, major, minor, strings and operations of a descriptor that an entry returned.
 * Errors: PLUGIN_REFUSED; path is for the sentence. */
ptowsp_status host_descriptor_check(const struct ptowsp_plugin *descriptor, const char *path, struct ptowsp_error *error);
/* Copies what both sides know at this effective minor and fills the rest with functions that answer UNIMPLEMENTED. */
void host_ops_normalise(struct ptowsp_ops *ops_out, const struct ptowsp_ops *theirs, uint32_t minor);

#endif
