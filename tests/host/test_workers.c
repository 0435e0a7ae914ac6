/* SPDX-License-Identifier: MIT */
/* test_workers.c - many worker processes, and their ends: which are seen at once, leave nothing behind, and come with that of the host. */
#include "ptowsp/note.h"
#include "tests/check.h"

#include <dirent.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "host/run/runs.h"
#include "tests/host/moody.h"

static struct ptowsp_error error;

/* From its last words to the failure of the call; the best of a few, as a machine that does something else is no finding. */
TEST(a_kill_in_each_operation_is_seen_within_ten_milliseconds)
{
	static const char *const operations[] = {"init", "devices", "capabilities", "open", "load", "submit", "poll"};
	const char *package = moody_empty();
	struct moody s = {0};

	for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++) {
		uint64_t best = UINT64_MAX;

		for (int round = 0; round < 5; round++) {
			ptowsp_status status = moody_open(&s, package, check_fmt("kill:%s", operations[i]), &error);
			uint64_t span;

			status = status ? status : ptowsp_execute(s.program, NULL, &error);
			span = host_now_ns() - s.said_ns;
			best = span < best ? span : best;
			CHECK_INT(status, PTOWSP_DEVICE_LOST);
			CHECK_CONTAINS(error.text, check_fmt("ended in %s: signal 9", operations[i]));
			moody_close(&s);
		}
		printf("# killed in %s: seen after %llu us\n", operations[i], (unsigned long long)best / 1000);
		CHECK(best < (PTOWSP_SANITIZER ? 100000000 : 10000000));
	}
}

TEST(many_sessions_live_at_once)
{
	enum { MANY = PTOWSP_SANITIZER ? 10 : 50 };
	static struct moody sessions[MANY];
	const char *package = moody_empty();
	const uint64_t begin = host_now_ns();

	for (int i = 0; i < MANY; i++)
		REQUIRE_INT(moody_open(&sessions[i], package, i % 10 == 7 ? "kill:poll" : "calm", &error), 0);
	for (int i = 0; i < MANY; i++)
		CHECK_INT(ptowsp_execute_async(sessions[i].program, NULL, &error), 0);
	for (int i = 0; i < MANY; i++)
		CHECK_INT(ptowsp_synchronize(sessions[i].program, UINT64_MAX, &error), i % 10 == 7 ? PTOWSP_DEVICE_LOST : 0);
	for (int i = 0; i < MANY; i++)
		moody_close(&sessions[i]);
	printf("# %d sessions at once: %llu ms\n", MANY, (unsigned long long)(host_now_ns() - begin) / 1000000);
}

static int descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	int count = 0;

	while (folder && readdir(folder))
		count++;
	if (folder)
		closedir(folder);
	return count;
}

static long pages(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long total = 0, resident = 0;

	if (file && fscanf(file, "%ld %ld", &total, &resident) != 2)
		resident = 0;
	if (file)
		fclose(file);
	return resident;
}

/* The first ones are left out: what is kept for the life of a process is made by them. */
TEST(sessions_leave_nothing_behind)
{
	enum { FIRST = 20 };
	const int many = PTOWSP_SANITIZER ? 15 : getenv("PTOWSP_TEST_LONG") ? 1000 : 250;
	const char *package = moody_empty();
	struct moody s = {0};
	size_t bytes = 0;
	uint64_t begin = 0;
	long resident = 0;
	int open = 0;

	for (int i = 0; i < FIRST + many; i++) {
		if (i == FIRST) {
			open = descriptors();
			resident = pages();
			bytes = mallinfo2().uordblks;
			begin = host_now_ns();
		}
		REQUIRE_INT(moody_open(&s, package, "calm", &error), 0);
		CHECK_INT(ptowsp_execute(s.program, NULL, &error), 0);
		moody_close(&s);
	}
	printf("# %d sessions: %.2f ms each; descriptors %d, then %d; heap %zu bytes, then %zu; resident %ld pages, then %ld\n", many,
	       (double)(host_now_ns() - begin) / many / 1e6, open, descriptors(), bytes, (size_t)mallinfo2().uordblks, resident, pages());
	CHECK_INT(descriptors(), open);
	if (!PTOWSP_SANITIZER) { /* which keeps what was freed */
		CHECK(mallinfo2().uordblks < bytes + 100 * (size_t)many);
		CHECK(pages() < resident + many);
	}
}

/* Killed while its worker is somewhere: in a constructor, in init, in a loop of load, in a run that never ends; has closed all that it had, or left a process in a session of its own. */
TEST(the_end_of_the_host_is_that_of_its_worker)
{
	static const struct {
		const char *plugin;
		int processes; /* below the host where they may be made: keeper, worker, what that has left */
	} rows[] = {{"hang_constructor", 2}, {"hang_init", 2}, {"loop_load", 2}, {"done_never", 2}, {"cuts_ties", 2}, {"leaves_session", 3}};
	static const char script[] = "%s/bin/ptowsp-run --isolate=%s --plugin=%s/tests/hostile/%s/libptowsp_null.so %s & p=$!; "
				     "below() { for c in $(cat /proc/$1/task/*/children 2>/dev/null); do echo $c; below $c; done; }; "
				     "alive() { for c in $w; do ! grep -qs '^State:.[A-WY]' /proc/$c/status || grep -qs '^State:.[ZX]' /proc/$c/status || "
				     "return 0; done; return 1; }; "
				     "for i in $(seq 100); do w=$(below $p); [ $(echo $w | wc -w) -ge %d ] && break; sleep 0.02; done; sleep 0.3; w=$(below "
				     "$p); [ $(echo $w | wc -w) -ge %d ] || exit 3; "
				     "kill -9 $p; for i in $(seq 100); do alive || exit 0; sleep 0.02; done; kill -9 $w; exit 5";
	const char *package = moody_empty();

	for (size_t i = 0; i < 2 * sizeof(rows) / sizeof(*rows); i++) {
		const int processes = i & 1 ? 2 : rows[i / 2].processes;
		const int status = check_run(
			check_fmt(script, check_build(), i & 1 ? "sandbox" : "process", check_build(), rows[i / 2].plugin, package, processes, processes), NULL,
			NULL);

		if (status)
			CHECK_FAIL("%s in a %s: exit %d", rows[i / 2].plugin, i & 1 ? "sandbox" : "process", status);
	}
}
