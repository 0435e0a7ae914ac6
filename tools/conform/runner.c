/* SPDX-License-Identifier: MIT */
/* runner.c - one process per test, so that a plugin that crashes, hangs or changes its process fails one test and no other. */
#include "tools/conform/runner.h"

#include <errno.h>
#include <fnmatch.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/find/file.h"
#include "tools/conform/conform.h"
#include "tools/conform/conform_patience.h"

/* Why a test is not run on a plugin in a worker. */
#define ANYWHERE NULL
#define PROCESS  "it looks at the process of the plugin: not with --isolate"
#define BYTES    "it looks at tables and bytes, which are written anew for a worker: not with --isolate"
#define HOST     "the host does that itself for a plugin in a worker: not with --isolate"
static const struct test {
	const char *name, *obligation, *apart, *text;
	void (*run)(struct conform *c);
} tests[] = {
#define X(name, obligation, place, text) {#name, obligation, place, text, conform_test_##name},
#include "tools/conform/conform.def"
#undef X
};
enum { TESTS = sizeof(tests) / sizeof(*tests), FILE_TESTS = 2 }; /* FILE_TESTS: the first ones run no byte of the plugin */

/* The outcome of one test. */
struct result {
	enum conform_verdict verdict;
	char text[1024];
	int signal; /* that ended it, 0: none */
	double ms;
};

static bool wanted(const struct conform_options *o, const struct test *test)
{
	return !o->pattern || !fnmatch(o->pattern, test->name, FNM_EXTMATCH);
}

void conform_list(const struct conform_options *o)
{
	for (size_t i = 0; i < TESTS; i++)
		if (wanted(o, &tests[i]))
			printf("%-5s %s: %s\n", tests[i].obligation, tests[i].name, tests[i].text);
}

/* ---- the child -------------------------------------------------------------------------------------------------- */

static void test_run(const struct conform_options *o, const struct test *test, struct conform_record *record)
{
	static struct conform c;

	memset(&c, 0, sizeof(c));
	c.path = o->plugin;
	c.probes = o->probes;
	c.settings = o->settings;
	c.setting_count = o->setting_count;
	c.seed = o->seed;
	c.rounds = o->rounds;
	c.lint_off = o->lint != NULL;
	c.strict = o->strict;
	c.isolate = o->isolate;
	c.record = record;
	conform_services_init(&c.services, record);
	if (!setjmp(c.leave)) {
		test->run(&c);
		record->verdict = CONFORM_OK;
	}
}

/* Output of a child goes into a file, whose length tests look at. */
static void child_run(const struct conform_options *o, const struct test *test, struct conform_record *record, int output)
{
	const struct rlimit none = {0, 0};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0);
	setrlimit(RLIMIT_CORE, &none);
	dup2(output, 1);
	dup2(output, 2);
	close(output);
	test_run(o, test, record);
	_exit(0);
}

/* ---- the parent ------------------------------------------------------------------------------------------------- */

/* true: it ended by itself. Its whole group goes with it. */
static bool child_wait(pid_t child, const struct conform_record *record, uint32_t timeout_s, int *status_out)
{
	struct pollfd wait = {.fd = (int)syscall(SYS_pidfd_open, child, 0), .events = POLLIN};
	static struct conform_patience patience;
	bool ended = false;

	conform_patience_begin(&patience, child, record);
	while (!ended && conform_patience_spent(&patience) < timeout_s * UINT64_C(1000000000)) {
		if (wait.fd >= 0)
			poll(&wait, 1, 1000);
		else
			usleep(1000);
		ended = waitpid(child, status_out, WNOHANG) == child;
	}
	if (wait.fd >= 0)
		close(wait.fd);
	kill(-child, SIGKILL);
	if (!ended)
		waitpid(child, status_out, 0);
	return ended;
}

/* The last line that it printed, for a sanitizer's or an assertion's word. */
static void output_last(int output, char *line, size_t room)
{
	char bytes[2048];
	struct stat stat_of;
	ssize_t got;
	char *end;

	*line = 0;
	if (fstat(output, &stat_of) || !stat_of.st_size)
		return;
	got = pread(output, bytes, sizeof(bytes) - 1, stat_of.st_size > (off_t)sizeof(bytes) - 1 ? stat_of.st_size - (off_t)sizeof(bytes) + 1 : 0);
	if (got <= 0)
		return;
	bytes[got] = 0;
	while (got && bytes[got - 1] <= ' ')
		bytes[--got] = 0;
	end = strrchr(bytes, '\n');
	snprintf(line, room, "%.230s", end ? end + 1 : bytes);
	for (char *t = line; *t; t++)
		if ((unsigned char)*t < ' ')
			*t = '?';
}

/* How a test that came to no verdict ended: operation, package, seed, signal, last log line. */
static void death_tell(struct result *r, const struct conform_record *record, const char *how, int output)
{
	char printed[240];
	size_t used = (size_t)snprintf(r->text, sizeof(r->text), "%s %s %s", how,
				       record->inside || !*record->operation ? "in" : "outside of calls, on a thread or after",
				       *record->operation ? record->operation : "the tool");
#define ADD(condition, ...)                                                                                                                                    \
	if ((condition) && used < sizeof(r->text))                                                                                                             \
	used += (size_t)snprintf(r->text + used, sizeof(r->text) - used, __VA_ARGS__)

	output_last(output, printed, sizeof(printed));
	ADD(*record->package, ", package %.63s", record->package);
	ADD(*record->about, ", with %.95s", record->about);
	ADD(record->seed, ", seed %llu", (unsigned long long)record->seed);
	ADD(*record->log, "; last log line: %.239s", record->log);
	ADD(*printed, "; last line printed: %s", printed);
#undef ADD
}

static void result_make(struct result *r, const struct conform_options *o, const struct conform_record *record, bool ended, int status, int output)
{
	char how[96];

	r->verdict = (enum conform_verdict)record->verdict;
	snprintf(r->text, sizeof(r->text), "%s", record->text);
	r->signal = ended && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	if (!ended)
		snprintf(how, sizeof(how), "did not end within %u s,", o->timeout_s);
	else if (r->signal)
		snprintf(how, sizeof(how), "ended by signal %d (%s)", r->signal, strsignal(r->signal));
	else if (!r->verdict || WEXITSTATUS(status))
		snprintf(how, sizeof(how), "left the process with status %d", WEXITSTATUS(status));
	else
		return;
	r->verdict = CONFORM_DIED;
	death_tell(r, record, how, output);
}

static void test_fork(struct result *r, const struct conform_options *o, const struct test *test, struct conform_record *record)
{
	int output = memfd_create("output", MFD_CLOEXEC), status = 0;
	pid_t child;
	bool ended;

	fflush(NULL);
	child = output < 0 ? -1 : fork();
	if (!child)
		child_run(o, test, record, output);
	if (child < 0) {
		*r = (struct result){.verdict = CONFORM_SKIPPED, .text = "this machine has no process for the test"};
	} else {
		setpgid(child, child); /* by the first of both */
		ended = child_wait(child, record, o->timeout_s, &status);
		result_make(r, o, record, ended, status, output);
	}
	if (output >= 0)
		close(output);
}

static void test_do(struct result *r, const struct conform_options *o, const struct test *test, struct conform_record *record)
{
	uint64_t begin = host_now_ns();

	memset(r, 0, sizeof(*r));
	if (o->in_process) {
		test_run(o, test, record);
		r->verdict = (enum conform_verdict)record->verdict;
		snprintf(r->text, sizeof(r->text), "%s", record->text);
	} else {
		test_fork(r, o, test, record);
	}
	r->ms = (double)(host_now_ns() - begin) / 1e6;
}

/* ---- saying it -------------------------------------------------------------------------------------------------- */

struct report {
	const struct conform_options *options;
	json_t *rows; /* with --json */
	uint32_t number, ok, failed, skipped, waived;
};

static void tap_print(const struct report *report, const struct test *test, const struct result *r, const struct conform_record *record)
{
	const bool bad = r->verdict == CONFORM_NOT_OK || r->verdict == CONFORM_DIED;
	const struct conform_options *o = report->options;

	if (r->verdict == CONFORM_SKIPPED)
		printf("ok %u - %s # SKIP %s\n", report->number, test->name, r->text);
	else if (!bad && *record->waived)
		printf("ok %u - %s # WAIVED %s\n", report->number, test->name, record->waived);
	else
		printf("%s %u - %s\n", bad ? "not ok" : "ok", report->number, test->name);
	if (bad) {
		printf("# %s: %s\n# %s\n", test->obligation, test->text, r->text);
		if (*record->operation && r->verdict == CONFORM_NOT_OK)
			printf("# last operation %s%s%s\n", record->operation, *record->package ? ", package " : "", record->package);
		if (*record->said)
			printf("# the plugin's last sentence: %s\n", record->said);
		if (*record->log && r->verdict == CONFORM_NOT_OK)
			printf("# its last line: %s\n", record->log);
		printf("# again: ptowsp-conform --test %s --seed %llu ", test->name, (unsigned long long)o->seed);
		for (uint32_t i = 0; i < o->setting_count; i++)
			printf("--opt %s=%s ", o->settings[i].key, o->settings[i].value);
		printf("%s%s%s--in-process %s\n", o->isolation ? "--isolate=" : "", o->isolation ? o->isolation : "", o->isolation ? " " : "", o->plugin);
	}
	fflush(stdout);
}

static json_t *row_json(const struct test *test, const struct result *r, const struct conform_record *record)
{
	static const char *const verdicts[] = {"died", "ok", "not ok", "skipped"};

	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:i, s:s, s:f}", "name", test->name, "obligation", test->obligation, "verdict",
			 verdicts[r->verdict], "text", r->text, "waived", record->waived, "said", record->said, "operation", record->operation, "package",
			 record->package, "about", record->about, "seed", (json_int_t)record->seed, "signal", r->signal, "log", record->log, "ms", r->ms);
}

static void result_take(struct report *report, const struct test *test, const struct result *r, const struct conform_record *record)
{
	report->number++;
	report->ok += r->verdict == CONFORM_OK;
	report->waived += r->verdict == CONFORM_OK && *record->waived;
	report->skipped += r->verdict == CONFORM_SKIPPED;
	report->failed += r->verdict == CONFORM_NOT_OK || r->verdict == CONFORM_DIED;
	if (report->rows)
		json_array_append_new(report->rows, row_json(test, r, record));
	else
		tap_print(report, test, r, record);
}

static void report_end(struct report *report, const struct host_note *note)
{
	const struct conform_options *o = report->options;
	json_t *whole;

	if (!report->rows) {
		printf("# %s %s: %u ok, %u not ok, %u skipped", note->name, note->version, report->ok, report->failed, report->skipped);
		if (report->waived)
			printf(", %u waived of those that are ok", report->waived);
		printf("\n");
		return;
	}
	whole = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:i, s:i, s:i, s:i, s:o}", "schema", "ptowsp.conform/1", "abi", PTOWSP_ABI_STRING, "plugin",
			  note->name, "version", note->version, "path", o->plugin, "isolation", o->isolation ? o->isolation : "none", "seed",
			  (json_int_t)o->seed, "ok", (int)report->ok, "not_ok", (int)report->failed, "skipped", (int)report->skipped, "waived",
			  (int)report->waived, "tests", report->rows);
	if (whole)
		json_dumpf(whole, stdout, JSON_INDENT(1) | JSON_ENSURE_ASCII);
	putchar('\n');
	json_decref(whole);
}

/* The file as far as it can be looked at without running it. true: it can be loaded. */
static bool file_look(const struct conform_options *o, struct host_note *note_out, struct ptowsp_error *error)
{
	struct host_file file;
	ptowsp_status status = host_file_open(&file, o->plugin, error);

	if (!status)
		status = host_file_check(&file, o->lint != NULL, error);
	*note_out = file.note;
	host_file_finish(&file);
	return !status;
}

int conform_run_all(const struct conform_options *o)
{
	struct conform_record *record = mmap(NULL, sizeof(*record), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct report report = {.options = o, .rows = o->json ? json_array() : NULL};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct host_note note = {0};
	uint32_t count = 0;
	bool fit;

	if (record == MAP_FAILED || access(o->plugin, R_OK)) {
		fprintf(stderr, "ptowsp-conform: %s cannot be read: %s\n", o->plugin, strerror(errno));
		return 4;
	}
	for (size_t i = 0; i < TESTS; i++)
		count += wanted(o, &tests[i]);
	if (!count) {
		fprintf(stderr, "ptowsp-conform: no test is called %s; --list shows them\n", o->pattern);
		return 2;
	}
	fit = file_look(o, &note, &error);
	if (!o->json)
		printf("TAP version 13\n# ptowsp-conform, ABI %s, seed %llu, isolation %s, %s\n1..%u\n", PTOWSP_ABI_STRING, (unsigned long long)o->seed,
		       o->isolation ? o->isolation : "none", o->plugin, count);
	for (size_t i = 0; i < TESTS; i++) {
		struct result result = {.verdict = CONFORM_SKIPPED, .text = "the file is refused, nothing of it is run"};

		if (!wanted(o, &tests[i]))
			continue;
		memset(record, 0, sizeof(*record));
		if (fit && o->isolation && tests[i].apart)
			snprintf(result.text, sizeof(result.text), "%s", tests[i].apart);
		else if (fit || i < FILE_TESTS)
			test_do(&result, o, &tests[i], record);
		result_take(&report, &tests[i], &result, record);
	}
	report_end(&report, &note);
	return report.failed || !fit ? 1 : 0;
}
