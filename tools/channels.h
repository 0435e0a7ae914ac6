/* SPDX-License-Identifier: MIT */
/* channels.h - pipelines that must block, told before anybody runs them. */
#ifndef TOOLS_CHANNELS_H
#define TOOLS_CHANNELS_H

#include <stdio.h>

#include "format/format_package.h"

/* One line per entry whose processes block each other whatever their tasks do: "tool: warning: where: entry main: ...". What the runtime core would refuse
 * at load is nobody's business here. Returns how many. */
uint32_t channels_warn(const struct pkg *package, FILE *to, const char *tool, const char *where);

#endif
