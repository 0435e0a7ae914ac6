/* SPDX-License-Identifier: MIT */
/* entry.h - loads the object of a checked file and calls its entry. */
#ifndef HOST_ENTRY_H
#define HOST_ENTRY_H

#include "host/find/file.h"
#include "host/find/host_plugin.h"

/* The minor of which a plugin of minor `theirs` and this host both know all. */
uint32_t host_minor_of(uint32_t theirs);
/* From the file, or from its sealed copy; it stays mapped for ever, whatever comes of it. entering, unless NULL, is called between its constructors and its entry.
 * Fills descriptor, minor and ops of *plugin. One call at a time. Errors: PLUGIN_REFUSED. */
ptowsp_status host_entry_call(struct host_file *file, void (*entering)(void), struct host_plugin *plugin, struct ptowsp_error *error);

#endif
