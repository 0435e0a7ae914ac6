/* SPDX-License-Identifier: MIT */
/* upward.h - services and callbacks as a plugin gets them where there are layers, and in a worker: typed functions that make a record of each call of the plugin. */
#ifndef HOST_UPWARD_H
#define HOST_UPWARD_H

#include "host/call/call.h"

struct host_upward;

/* For caller->services, which outlive it; what those do not have is not there either. NULL: no memory. */
struct host_upward *host_upward_create(struct host_caller *caller);
void host_upward_destroy(struct host_upward *upward);
const struct ptowsp_host *host_upward_services(const struct host_upward *upward);
/* Puts a function of its own in the place of each callback that the call hands to the plugin; they live as long as *upward. false: no memory. */
bool host_upward_callbacks(struct host_caller *caller, struct host_call *call);

#endif
