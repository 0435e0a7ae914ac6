/* SPDX-License-Identifier: MIT */
/* beside.h - folders that belong to the running program: of the same build, or of the same installation. */
#ifndef TOOLS_BESIDE_H
#define TOOLS_BESIDE_H

#include <stdbool.h>
#include <stddef.h>

/* The folder `built` ("packages/probes") or else `installed` ("share/ptowsp/v10/probes") beside the bin/ of the running program. false: neither is there, or the
 * program has elevated privileges, when a hard link could have moved it; path_out is then what it was. */
bool beside_find(const char *built, const char *installed, char *path_out, size_t room);

#endif
