/* SPDX-License-Identifier: MIT */
/* system_folder.c - the folder that plugins are installed into: alone in its object, which tools/ninja/install makes anew for its PREFIX. */
#include "host/find/search.h"

#ifndef HOST_SYSTEM_FOLDER
#define HOST_SYSTEM_FOLDER "/usr/local/lib/ptowsp/v10/plugins"
#endif

const char host_system_folder[] = HOST_SYSTEM_FOLDER;
