/* SPDX-License-Identifier: MIT */
/* ptowsp.h - everything of the ptowsp ABI v10. A plugin needs plugin.h and note.h; one that reads
 * packages also package.h, workload.h, graph.h and tile.h. */
#ifndef PTOWSP_PTOWSP_H
#define PTOWSP_PTOWSP_H

#include "arch.h"
#include "base.h"
#include "buffers.h"
#include "caps.h"
#include "compiled.h"
#include "exec.h"
#include "fences.h"
#include "graph.h"
#include "host.h"
#include "ids.h"
#include "note.h"
#include "package.h"
#include "plugin.h"
#include "profile.h"
#include "report.h"
#include "run.h"
#include "support.h"
#include "task.h"
#include "tile.h"
#include "workload.h"

#endif
