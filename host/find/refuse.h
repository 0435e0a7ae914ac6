/* SPDX-License-Identifier: MIT */
/* refuse.h - why a plugin's file is not taken: its path and one sentence. */
#ifndef HOST_REFUSE_H
#define HOST_REFUSE_H

#include "host/host_error.h"

/* REFUSED, or NO_MEMORY where the errno says that processes, descriptors or memory ran out. */
ptowsp_status host_refuse_status(int native);

/* Fills *error (NULL allowed) with "<path>: <sentence>" and returns PLUGIN_REFUSED. Of a long path only the end is
 * shown. Any thread. */
ptowsp_status host_refuse(struct ptowsp_error *error, const char *path, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same with the system's words for an errno behind the sentence; NO_MEMORY where it says that the process has not enough of something, which is nothing of the plugin's. */
ptowsp_status host_refuse_errno(struct ptowsp_error *error, const char *path, int native, const char *sentence);
/* The sentence of such a text without its path, for a list that shows the path itself. Borrowed. */
const char *host_refuse_sentence(const char *text, const char *path);

#endif
