/* SPDX-License-Identifier: MIT
 * test_common_machine.c - what the machine has for a process. */
#include "check.h"
#include "registry/common/common_machine.h"

#include <string.h>
#include <unistd.h>

static void memory_that_is_left_is_no_more_than_there_is(void)
{
	const uint64_t all = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE), left = common_machine_memory();

	CHECK(left > 0);
	CHECK(left <= all || access("/proc/meminfo", R_OK));
}

static void a_group_is_a_folder_that_is_there(void)
{
	char path[4096], short_of[4];

	if (!common_machine_group(path, sizeof(path)))
		CHECK_SKIP("this process is in no control group of version 2");
	CHECK_INT(access(path, F_OK), 0);
	CHECK(!common_machine_group(short_of, sizeof(short_of)));
}

void suite_common_machine(CU_pSuite s)
{
	TEST(s, memory_that_is_left_is_no_more_than_there_is);
	TEST(s, a_group_is_a_folder_that_is_there);
}
