/* SPDX-License-Identifier: MIT */
/* channels.h - pipelines that must block, told before anybody runs them. */
#ifndef TOOLS_CHANNELS_H
#define TOOLS_CHANNELS_H

#include "format/format_package.h"

/* One line on stderr per entry whose processes block each other whatever their tasks do: "tool: warning: where: entry main: ...". Entries that the runtime core
 * refuses at load do not matter here. */
void channels_warn(const struct pkg *package, const char *tool, const char *where);
/* BAD_PACKAGE instead, naming the first of them; nothing is printed. */
ptowsp_status channels_refuse(const struct pkg *package, const char *where, struct ptowsp_error *error);

#endif
