/* SPDX-License-Identifier: MIT */
/* cache.h - where a backend keeps what it had compiled. */
#ifndef BASE_CACHE_H
#define BASE_CACHE_H

#include "ptowsp/base.h"

/* The folder of the cache, below which every name has room in a path of 1024 bytes. */
#define BASE_CACHE_PATH 900
/* The folder, from the root, made if it is not there. stated: that of the option cache=DIR; NULL or "": $XDG_CACHE_HOME/ptowsp, else $HOME/.cache/ptowsp, else
 * /tmp/ptowsp-UID. Any thread. Errors: INVALID: the path is too long; IO: it cannot be made. */
ptowsp_status base_cache_find(char path_out[BASE_CACHE_PATH + 1], const char *stated, struct ptowsp_error *error);

#endif
