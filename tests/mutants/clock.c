/* SPDX-License-Identifier: MIT */
/* clock.c - the clock of host and deadlines, as the linker puts it in front of the host's own (--wrap): time of the processor that this process had. On a machine that is busy with
 * other things a mutant comes as far as on one that is not. */
#include <stdint.h>
#include <time.h>

uint64_t __wrap_host_now_ns(void);

uint64_t __wrap_host_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec + 1;
}
