/* SPDX-License-Identifier: MIT */
/* features.c - capability rows of the host: what of its protections takes effect on this machine. Asked of the kernel each time, not of the day of the build. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "host/find/search.h"
#include "host/ptowsp_host.h"
#include "host/sandbox/cgroup.h"
#include "host/sandbox/confine.h"

static void landlock(struct ptowsp_host_feature *row)
{
	const int version = host_landlock_version();

	*row = (struct ptowsp_host_feature){.name = "landlock", .state = version ? PTOWSP_STATE_ENFORCED : PTOWSP_STATE_UNSUPPORTED};
	snprintf(row->text, sizeof(row->text),
		 version ? "sandboxes read few folders and write none; version %d%s" : "this kernel has none (%d)%s, so there are no sandboxes", version,
		 version >= 6 ? ""
		 : version    ? ", which does not keep signals and abstract sockets apart"
			      : "");
}

static void yes_or_no(struct ptowsp_host_feature *row, const char *name, bool there, const char *with, const char *without)
{
	*row = (struct ptowsp_host_feature){.name = name, .state = there ? PTOWSP_STATE_ENFORCED : PTOWSP_STATE_UNSUPPORTED};
	snprintf(row->text, sizeof(row->text), "%s", there ? with : without);
}

static void limits(struct ptowsp_host_feature *row)
{
	yes_or_no(row, "sandbox limits", host_seccomp_there() && host_landlock_version(),
		  host_cgroup_there() ? "memory and threads by a control group (cgroup v2), processor time by its keeper; no processes"
				      : "by the kernel for one process and by its keeper, every 50 ms; no processes; no control group can be made here",
		  "there are no sandboxes");
}

int ptowsp_host_feature(uint32_t index, struct ptowsp_host_feature *row_out)
{
	char program[PATH_MAX];

	switch (index) {
	case 0:
		yes_or_no(row_out, "isolation", host_beside_find("ptowsp-worker", program, sizeof(program)), "plugins can run in a process of their own",
			  "ptowsp-worker is not beside the folder of plugins");
		return 1;
	case 1: landlock(row_out); return 1;
	case 2:
		yes_or_no(row_out, "seccomp", host_seccomp_there(), "sandboxes have the system calls that compute, wait and map memory",
			  "this kernel has none, so there are no sandboxes");
		return 1;
	case 3:
		yes_or_no(row_out, "w^x", host_mdwe_there(),
			  "in workers no mapping gets executable, unless the note says that it writes code; memory files mapped again do",
			  "this kernel cannot forbid it (MDWE, Linux 6.3)");
		return 1;
	case 4:
		yes_or_no(row_out, "memory sealing", host_sealing_there(), "code, sections and shared memory lie in sealed memory files",
			  "this kernel has no sealed memory files");
		return 1;
	case 5: limits(row_out); return 1;
	default: return 0;
	}
}
