/* SPDX-License-Identifier: MIT */
/* isolate.h - where a plugin runs: in this process, or in a worker. */
#ifndef HOST_ISOLATE_H
#define HOST_ISOLATE_H

#include "host/call/call.h"
#include "host/find/file.h"
#include "host/worker/remote.h"

/* PTOWSP_ISOLATE_x of ptowsp_host.h; this one asks for the rule. */
enum { HOST_ISOLATE_RULE = 0x100 };

/* The treatment of a plugin of this real path, nobody having said more; driver: PTOWSP_DRIVER_x that its note declares, with the settings that there are; policy: PTOWSP_PLUGINS_x that holds: PROCESS where there are such; else NONE where only signed ones may load, and for a file that lies in the folder of the running tool or
 * library and belongs to root or to the owner of that tool or library; PROCESS for all others. */
uint32_t host_isolate_rule(const char *real_path, uint32_t driver, uint32_t policy);
/* Whether a sandbox gives what the note of that plugin asks for, nobody having said more: it is listed or signed, or its file belongs to root or to the owner of the running library. */
bool host_isolate_grants(const char *real_path, uint32_t policy);
/* Does the folder of that file hold anything but plugins, libraries, their signatures and lists, all of which a sandbox may read? *name_out: one of it. */
bool host_folder_holds_more(const char *path, char *name_out, size_t room);

/* remote_calls.c: all calls go to that worker. */
void host_remote_caller(struct host_caller *caller, struct host_remote *remote);

#endif
