/* SPDX-License-Identifier: MIT
 * test_common_machine.c - what the machine has for a process. */
#include "registry/common/common_machine.h"
#include "tests/check.h"

#include <string.h>
#include <unistd.h>

TEST(memory_that_is_left_is_no_more_than_there_is)
{
	const uint64_t all = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE), left = common_machine_memory();

	CHECK(left > 0);
	CHECK(left <= all || access("/proc/meminfo", R_OK));
}

TEST(a_group_is_a_folder_that_is_there)
{
	char path[4096], short_of[4];

	if (!common_machine_group(path, sizeof(path)))
		CHECK_SKIP("this process is in no control group of version 2");
	CHECK_INT(access(path, F_OK), 0);
	CHECK(!common_machine_group(short_of, sizeof(short_of)));
}

/* A machine with these groups and mounts, /D being the test's folder; the files of its groups are made by the caller. */
static void machine_put(const char *group, const char *mounts)
{
	REQUIRE_INT(check_run(check_fmt("mkdir -p '%s/proc/self' && cd '%s' && printf '%s' > proc/self/cgroup && printf '%s' | sed -e \"s|/D|$PWD|g\" > "
					"proc/self/mountinfo",
					check_dir(), check_dir(), group, mounts),
			      NULL, NULL),
		    0);
}

static void limit_put(const char *folder, const char *file, const char *value)
{
	REQUIRE_INT(check_run(check_fmt("mkdir -p '%s/%s' && echo %s > '%s/%s/%s'", check_dir(), folder, value, check_dir(), folder, file), NULL, NULL), 0);
}

static uint64_t bound(void)
{
	return common_machine_bound(check_fmt("%s/proc", check_dir()));
}

TEST(groups_of_both_versions_bound_the_memory)
{
	check_tmp();
	machine_put("0::/a/b\\n", "25 1 0:2 / /D/two rw - cgroup2 none rw\\n");
	CHECK_UINT(bound(), UINT64_MAX);
	limit_put("two/a/b", "memory.max", "max");
	CHECK_UINT(bound(), UINT64_MAX);
	limit_put("two/a", "memory.max", "3000");
	CHECK_UINT(bound(), 3000);
	/* Version 1 in a container: its root is what is mounted. */
	machine_put("9:cpu,cpuacct:/box\\n7:memory:/box/in\\n0::/a/b\\n", "24 1 0:1 / /D/cpu rw - cgroup cgroup rw,cpu,cpuacct\\n26 1 0:3 /box /D/one rw - "
									  "cgroup cgroup rw,memory\\n25 1 0:2 / /D/two rw - cgroup2 none rw\\n");
	CHECK_UINT(bound(), 3000);
	limit_put("one/in", "memory.limit_in_bytes", "9223372036854771712");
	CHECK_UINT(bound(), 3000);
	limit_put("one", "memory.limit_in_bytes", "2000");
	CHECK_UINT(bound(), 2000);
	limit_put("one/in", "memory.limit_in_bytes", "1000");
	CHECK_UINT(bound(), 1000);
}
