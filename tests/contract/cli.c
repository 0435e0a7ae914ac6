/* SPDX-License-Identifier: MIT
 * cli.c - commands, JSON paths and NumPy files for the contract tests. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

char *cli_out, *cli_err;
double cli_ms;

static CU_pTest begun;   /* the test that has a $T */
static CU_pSuite packed; /* the suite in whose folder the sources are */
static json_t *document;

static void pack_sources(void)
{
	packed = CU_get_current_suite();
	check_run("rm -rf \"$K\" && mkdir -p \"$K\" && for f in \"$S\"/*.pto; do n=${f##*/};"
		  " timeout 60 \"$B/ptowsp-pack\" \"$f\" -o \"$K/${n%.pto}.pkg.zst\"; done",
		  NULL, NULL);
}

static void folder_set(const char *variable, const char *root, const char *below)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s%s", root, below);
	setenv(variable, path, 1);
}

void cli_begin(void)
{
	begun = CU_get_current_test();
	folder_set("B", check_build(), "/bin");
	folder_set("P", check_build(), "/packages");
	folder_set("S", check_root(), "/tests/contract");
	folder_set("R", check_root(), "");
	folder_set("T", check_tmp(), "");
	folder_set("K", check_build(), "/test/tmp/kit_");
	folder_set("K", getenv("K"), CU_get_current_suite()->pName);
	unsetenv("PTOWSP_PLUGIN_PATH");
	if (packed != CU_get_current_suite())
		pack_sources();
}

static void take(char **slot, char *text)
{
	free(*slot);
	*slot = text ? text : calloc(1, 1);
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int command_run(const char *command)
{
	char *out = NULL, *err = NULL;
	double start = now_ms();
	int status;

	setenv("CLI_COMMAND", command, 1);
	status = check_run("cd \"$T\" && exec timeout -k 5 120 sh -c \"$CLI_COMMAND\"", &out, &err);
	cli_ms = now_ms() - start;
	take(&cli_out, out);
	take(&cli_err, err);
	return status;
}

/* The leak sanitizer looks for a header in front of a library's thread-local memory, and takes what it finds there for addresses where that memory begins 16 bytes behind a page: it crashes and
 * says so. Then the command is run again without that search. */
int cli(const char *command)
{
	char *before;
	int status, again;

	if (begun != CU_get_current_test())
		cli_begin();
	status = command_run(command);
	if (!status || !strstr(cli_err, "LeakSanitizer has encountered a fatal error"))
		return status;
	before = strdup(getenv("ASAN_OPTIONS") ? getenv("ASAN_OPTIONS") : "");
	setenv("ASAN_OPTIONS", check_fmt("%s:intercept_tls_get_addr=0", before), 1);
	again = command_run(command);
	setenv("ASAN_OPTIONS", before, 1);
	free(before);
	return again;
}

static void ends(const char *file, int line, const char *command, int status)
{
	const int ended = cli(command);

	if (ended != status)
		check_that(false, check_fmt("exit %d, not %d, of %s; stderr \"%.1000s\"", ended, status, command, cli_err), file, line, false);
}

void cli_says(const char *file, int line, const char *command, int status, char *const *stream, const char *const *texts)
{
	const char *name = check_fmt("%s of %.1000s", stream == &cli_out ? "stdout" : "stderr", command);

	ends(file, line, command, status);
	for (; *texts; texts++)
		check_contains(*stream, *texts, name, file, line, false);
}

void cli_prints(const char *file, int line, const char *command, int status, const char *text)
{
	ends(file, line, command, status);
	check_str(cli_out, text, check_fmt("stdout of %.1000s", command), file, line, false);
}

static void pause_ms(unsigned ms)
{
	struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};

	nanosleep(&t, NULL);
}

static void child(const char *command)
{
	if (chdir(getenv("T")) || !freopen(".out", "w", stdout) || !freopen(".err", "w", stderr))
		_exit(127);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

static pid_t start(const char *command)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid)
		child(command);
	return pid;
}

static int finish(pid_t pid, double began)
{
	int status = -1;

	for (unsigned ms = 0; waitpid(pid, &status, WNOHANG) == 0; ms += 10) {
		pause_ms(10);
		if (ms > 120000)
			kill(pid, SIGKILL);
	}
	cli_ms = now_ms() - began;
	take(&cli_out, check_read(check_fmt("%s/.out", getenv("T")), NULL));
	take(&cli_err, check_read(check_fmt("%s/.err", getenv("T")), NULL));
	remove(check_fmt("%s/.out", getenv("T")));
	remove(check_fmt("%s/.err", getenv("T")));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int cli_signalled(const char *command, const int *signals, unsigned count, unsigned after_ms)
{
	double began = now_ms();
	pid_t pid = start(command);

	if (signals[count - 1] != SIGKILL)
		check_handler_awaited(pid, signals[count - 1]);
	for (unsigned i = 0; i < count; i++) {
		pause_ms(after_ms);
		kill(pid, signals[i]);
	}
	return finish(pid, began);
}

/* Of all its threads; 0 when it cannot be asked. */
static double worked_ms(pid_t pid)
{
	struct timespec t = {0};
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &t))
		return 0;
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

int cli_signalled_after_work(const char *command, int signal, unsigned cpu_ms)
{
	double began = now_ms();
	pid_t pid = start(command);

	while (worked_ms(pid) < cpu_ms && now_ms() - began < 60000)
		pause_ms(10);
	kill(pid, signal);
	return finish(pid, began);
}

int cli_signalled_again(const char *command, int signal, unsigned cpu_ms)
{
	double began = now_ms(), next = cpu_ms;
	pid_t pid = start(command);
	siginfo_t ended = {0};

	check_handler_awaited(pid, signal);
	while (!waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT) && !ended.si_pid && now_ms() - began < 60000) {
		if (worked_ms(pid) >= next) {
			kill(pid, signal);
			next += cpu_ms;
		}
		pause_ms(10);
	}
	return finish(pid, began);
}

bool cli_slow(void)
{
	const char *name = strrchr(check_build(), '/');

	return name && (!strcmp(name, "/asan") || !strcmp(name, "/tsan") || !strcmp(name, "/coverage"));
}

unsigned cli_lines(const char *text)
{
	unsigned n = 0;

	for (const char *end; *text; text = end + 1, n++)
		if (!(end = strchr(text, '\n')))
			return n + 1;
	return n;
}

char *cli_listing(void)
{
	char *text = NULL;

	check_run("cd \"$T\" && find . -mindepth 1 -printf '%p %s\\n' | sort", &text, NULL);
	return text;
}

void cli_check_sentence(void)
{
	size_t n = strlen(cli_err);

	if (cli_lines(cli_err) != 1 || n < 20 || n > 1000 || cli_err[n - 1] != '\n')
		CHECK_FAIL("stderr is not one sentence on one line: \"%s\"", cli_err);
}

static json_t *parsed(const char *text, const char *what)
{
	json_error_t error;

	json_decref(document);
	document = json_loads(text ? text : "", JSON_REJECT_DUPLICATES, &error);
	if (!json_is_object(document)) {
		CHECK_FAIL("%s is not one JSON object: %s (line %d) in \"%.300s\"", what, error.text, error.line, text ? text : "");
		return NULL;
	}
	if (!json_is_string(json_object_get(document, "schema")))
		CHECK_FAIL("%s has no \"schema\" string", what);
	return document;
}

json_t *cli_json(void)
{
	return parsed(cli_out, "stdout");
}

json_t *cli_json_file(const char *path)
{
	char *text = check_read(check_fmt("%s/%s", getenv("T"), path), NULL);
	json_t *object = parsed(text, path);

	free(text);
	return object;
}

static json_t *element(json_t *array, const char *key, size_t length)
{
	char *end;
	size_t index = strtoul(key, &end, 10);
	json_t *item;

	if (end == key + length)
		return json_array_get(array, index);
	json_array_foreach(array, index, item)
	{
		const char *name = json_string_value(json_object_get(item, "name"));

		if (name && strlen(name) == length && !strncmp(name, key, length))
			return item;
	}
	return NULL;
}

json_t *cli_at(json_t *object, const char *path)
{
	char key[128];

	while (object && *path) {
		size_t n = strcspn(path, ".[");

		if (*path == '[') {
			n = strcspn(++path, "]");
			object = element(object, path, n);
			path += n + 1;
		} else if (n) {
			snprintf(key, sizeof(key), "%.*s", (int)n, path);
			object = json_object_get(object, key);
			path += n;
		}
		path += *path == '.';
	}
	return object;
}

intmax_t cli_int(json_t *object, const char *path)
{
	json_t *value = cli_at(object, path);

	if (!json_is_integer(value)) {
		CHECK_FAIL("no integer at %s", path);
		return -1;
	}
	return json_integer_value(value);
}

void cli_figure(const char *file, int line, const char *command, const char *path, intmax_t value)
{
	intmax_t got;

	ends(file, line, command, 0);
	got = cli_int(cli_json(), path);
	check_int(got, value, check_fmt("%s of %.1000s", path, command), "wanted", file, line, false);
}

const char *cli_text(json_t *object, const char *path)
{
	const char *text = json_string_value(cli_at(object, path));

	if (!text)
		CHECK_FAIL("no string at %s", path);
	return text ? text : "";
}

static char line[65536];

static void add(const char *fmt, long a, long b)
{
	size_t n = strlen(line);

	snprintf(line + n, sizeof(line) - n, fmt, n ? " " : "", a, b);
}

static int pair_order(const void *x, const void *y)
{
	const long *a = x, *b = y;

	return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

const char *cli_edges(json_t *graph)
{
	json_t *edges = json_object_get(graph, "edges"), *edge;
	long tasks = (long)json_array_size(json_object_get(graph, "tasks"));
	size_t n = json_array_size(edges), i;
	long(*pairs)[2] = calloc(n + 1, sizeof(*pairs));

	*line = 0;
	json_array_foreach(edges, i, edge)
	{
		pairs[i][0] = (long)json_integer_value(json_array_get(edge, 0));
		pairs[i][1] = (long)json_integer_value(json_array_get(edge, 1));
		if (json_array_size(edge) != 2 || pairs[i][0] < 0 || pairs[i][0] >= pairs[i][1] || pairs[i][1] >= tasks)
			CHECK_FAIL("edge %zu is wrong: %ld > %ld of %ld tasks", i, pairs[i][0], pairs[i][1], tasks);
	}
	qsort(pairs, n, sizeof(*pairs), pair_order);
	for (i = 0; i < n; i++) {
		if (i && !pair_order(pairs[i - 1], pairs[i]))
			CHECK_FAIL("the edge %ld > %ld is there twice", pairs[i][0], pairs[i][1]);
		add("%s%ld>%ld", pairs[i][0], pairs[i][1]);
	}
	free(pairs);
	return line;
}

const char *cli_kernels(json_t *graph)
{
	json_t *tasks = json_object_get(graph, "tasks"), *task;
	const char *last = "";
	size_t i, run = 0, n = 0;

	*line = 0;
	json_array_foreach(tasks, i, task)
	{
		const char *kernel = json_string_value(json_object_get(task, "kernel"));

		if (json_integer_value(json_object_get(task, "id")) != (json_int_t)i || !kernel)
			CHECK_FAIL("task %zu has another id or no kernel", i);
		if (i && (!kernel || strcmp(last, kernel))) {
			n += (size_t)snprintf(line + n, sizeof(line) - n, "%s*%zu ", last, run);
			run = 0;
		}
		last = kernel ? kernel : "?";
		run++;
	}
	if (run)
		snprintf(line + n, sizeof(line) - n, "%s*%zu", last, run);
	return line;
}

const char *cli_trace(json_t *trace)
{
	json_t *events = json_object_get(trace, "traceEvents"), *event, *by_task = json_object();
	char key[32];
	size_t i, n = 0;

	*line = 0;
	json_array_foreach(events, i, event)
	{
		const char *ph = json_string_value(json_object_get(event, "ph"));
		json_t *task = cli_at(event, "args.task");

		if (!ph || strcmp(ph, "X") || !task)
			continue;
		snprintf(key, sizeof(key), "%lld", (long long)json_integer_value(task));
		if (json_object_get(by_task, key))
			CHECK_FAIL("task %s is in the trace twice", key);
		json_object_set(by_task, key, event);
		n++;
	}
	for (i = 0; i < n && i < 200; i++) {
		snprintf(key, sizeof(key), "%zu", i);
		event = json_object_get(by_task, key);
		if (!event)
			CHECK_FAIL("task %zu is not in the trace", i);
		add("%s%ld/%ld", (long)json_number_value(json_object_get(event, "ts")), (long)json_number_value(json_object_get(event, "tid")));
	}
	json_decref(by_task);
	return line;
}

void cli_npy(const char *name, const char *descr, const char *shape, const void *data, size_t bytes)
{
	unsigned char *file = calloc(1, 128 + bytes);
	int n;

	REQUIRE(file != NULL);
	memcpy(file, "\x93NUMPY\x01\x00\x76\x00", 10);
	n = snprintf((char *)file + 10, 118, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, shape);
	memset(file + 10 + n, ' ', (size_t)(118 - n));
	file[127] = '\n';
	if (bytes)
		memcpy(file + 128, data, bytes);
	REQUIRE(check_write(check_fmt("%s/%s", getenv("T"), name), file, 128 + bytes));
	free(file);
}

void cli_npy_f32(const char *name, size_t n, double first, double step)
{
	float *data = calloc(n + 1, sizeof(*data));

	REQUIRE(data != NULL);
	for (size_t i = 0; i < n; i++)
		data[i] = (float)(first + step * (double)i);
	cli_npy(name, "<f4", check_fmt("%zu,", n), data, n * sizeof(*data));
	free(data);
}

void *cli_npy_read(const char *name, const char *descr, size_t *bytes_out)
{
	size_t size = 0, head;
	unsigned char *file = (unsigned char *)check_read(check_fmt("%s/%s", getenv("T"), name), &size);

	*bytes_out = 0;
	if (!file || size < 10 || memcmp(file, "\x93NUMPY\x01", 7)) {
		CHECK_FAIL("%s is not a NumPy v1 file", name);
		free(file);
		return NULL;
	}
	head = 10 + (size_t)file[8] + 256 * (size_t)file[9];
	if (head % 64 || head > size || file[head - 1] != '\n') {
		CHECK_FAIL("the header of %s is not padded to 64 bytes", name);
		free(file);
		return NULL;
	}
	file[head - 1] = 0;
	if (!strstr((char *)file + 10, check_fmt("'descr': '%s'", descr)) || !strstr((char *)file + 10, "'fortran_order': False"))
		CHECK_FAIL("the header of %s is %s", name, file + 10);
	*bytes_out = size - head;
	memmove(file, file + head, size - head);
	return file;
}
