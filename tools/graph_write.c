/* SPDX-License-Identifier: MIT */
/* graph_write.c - the five forms of a task graph, and the file that holds one. */
#include "tools/graph_layout.h"
#include "tools/output.h"
#include "tools/tools_graph.h"
#include "tools/tools_place.h"

#include "format/fail.h"
#include "registry/text.h"
#include "rt/graph_text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void bytes_text(uint64_t bytes, char *text, size_t size)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	size_t unit = 0;

	while (unit < 4 && bytes >= 1024 && bytes % 1024 == 0) {
		bytes /= 1024;
		unit++;
	}
	snprintf(text, size, "%" PRIu64 " %s", bytes, units[unit]);
}

static void text_task(FILE *to, const struct graph_layout *l, uint32_t row)
{
	const struct graph_task *t = &l->graph->tasks[row];

	rt_graph_text_task(to, t->id, t->kernel, l->back_first[row + 1] - l->back_first[row], t->bytes);
	for (uint32_t i = l->first[row]; i < l->first[row + 1]; i++)
		rt_graph_text_successor(to, l->graph->tasks[l->next[i]].id, i == l->first[row]);
	rt_graph_text_task_end(to);
}

/* The form of the runtime core's own dump. */
static void text_write(FILE *to, const struct graph_layout *l)
{
	const struct graph *g = l->graph;
	size_t ready = 0;

	for (size_t i = 0; i < g->task_count; i++)
		ready += l->back_first[i] == l->back_first[i + 1];
	rt_graph_text_begin(to, g->task_count, ready);
	for (uint32_t i = 0; i < g->task_count; i++)
		text_task(to, l, i);
	rt_graph_text_edges(to);
	for (uint32_t i = 0; i < g->task_count; i++)
		for (uint32_t e = l->first[i]; e < l->first[i + 1]; e++)
			rt_graph_text_edge(to, g->tasks[i].id, g->tasks[l->next[e]].id);
}

/* Inside a quoted string of the dot language; what is no plain text becomes spaces, the name too where there is no memory for it. */
static void dot_escape(FILE *to, const char *text)
{
	char *plain = strdup(text);

	if (plain)
		reg_text_plain(plain, ' ');
	for (const char *at = plain ? plain : " "; *at; at++) {
		if (*at == '"' || *at == '\\')
			fputc('\\', to);
		fputc(*at, to);
	}
	free(plain);
}

/* place: nothing, or more attributes of the task, each with a comma behind it. */
static void dot_task(FILE *to, const struct graph *g, const struct graph_task *t, const char *place)
{
	char size[32];

	fprintf(to, "    t%" PRIu64 " [%slabel=\"%" PRIu64 "\\n", t->id, place, t->id);
	dot_escape(to, t->kernel);
	if (t->bytes) {
		if (g->rounded)
			snprintf(size, sizeof(size), "%.1f KiB", (double)t->bytes / 1024);
		else
			bytes_text(t->bytes, size, sizeof(size));
		fprintf(to, "\\n%s", size);
	}
	fputs("\"];\n", to);
}

static void dot_write(FILE *to, const struct graph_layout *l)
{
	const struct graph *g = l->graph;

	fputs("digraph tasks {\n  rankdir=LR;\n  node [shape=box, fontname=\"monospace\", fontsize=10];\n", to);
	for (size_t i = 0; i < g->task_count; i++) {
		if (!i || l->level[l->order[i]] != l->level[l->order[i - 1]])
			fprintf(to, "%s  {\n    rank=same;\n", i ? "  }\n" : "");
		dot_task(to, g, &g->tasks[l->order[i]], "");
	}
	if (g->task_count)
		fputs("  }\n", to);
	for (size_t i = 0; i < g->edge_count; i++)
		fprintf(to, "  t%" PRIu64 " -> t%" PRIu64 ";\n", g->edges[i].from, g->edges[i].to);
	fputs("}\n", to);
}

/* A large graph with the place of each task, for Graphviz to draw without looking for better ones, which takes it minutes from a thousand tasks on:
 * a column per level, in it the tasks in order, edges as straight lines. In points. */
static void placed_write(FILE *to, const struct graph_layout *l)
{
	const struct graph *g = l->graph;
	size_t widest = 8, row = 0;
	char place[64];

	for (size_t i = 0; i < g->task_count; i++)
		if (strlen(g->tasks[i].kernel) > widest)
			widest = strlen(g->tasks[i].kernel);
	fputs("digraph tasks {\n  splines=line;\n  node [shape=box, fontname=\"monospace\", fontsize=10];\n", to);
	for (size_t i = 0; i < g->task_count; i++) {
		row = i && l->level[l->order[i]] == l->level[l->order[i - 1]] ? row + 1 : 0;
		snprintf(place, sizeof(place), "pos=\"%zu,-%zu\", ", l->level[l->order[i]] * (widest * 7 + 80), row * 56);
		dot_task(to, g, &g->tasks[l->order[i]], place);
	}
	for (size_t i = 0; i < g->edge_count; i++)
		fprintf(to, "  t%" PRIu64 " -> t%" PRIu64 ";\n", g->edges[i].from, g->edges[i].to);
	fputs("}\n", to);
}

/* One line per task and edge: written by hand, because a graph may have millions of them. */
static void json_write(FILE *to, const struct graph_layout *l)
{
	const struct graph *g = l->graph;

	fprintf(to, "{\"schema\": \"%s\",\n \"tasks\": [", GRAPH_SCHEMA);
	for (size_t i = 0; i < g->task_count; i++) {
		json_t *kernel = json_string(g->tasks[i].kernel);

		fprintf(to, "%s{\"id\": %" PRIu64 ", \"kernel\": ", i ? ",\n  " : "\n  ", g->tasks[i].id);
		if (!kernel || json_dumpf(kernel, to, JSON_ENCODE_ANY | JSON_ENSURE_ASCII))
			fputs("\"\"", to);
		json_decref(kernel);
		if (g->tasks[i].bytes)
			fprintf(to, ", \"bytes\": %" PRIu64, g->tasks[i].bytes);
		fputc('}', to);
	}
	fputs("],\n \"edges\": [", to);
	for (size_t i = 0; i < g->edge_count; i++)
		fprintf(to, "%s[%" PRIu64 ", %" PRIu64 "]", i ? ",\n  " : "\n  ", g->edges[i].from, g->edges[i].to);
	fputs("]}\n", to);
}

static const struct form {
	const char *ending;
	void (*write)(FILE *to, const struct graph_layout *l);
	const char *picture; /* option of dot, NULL for what is written here */
	const char *mark;    /* in the first bytes of such a picture */
} forms[] = {{".txt", text_write, NULL, NULL},
	     {".dot", dot_write, NULL, NULL},
	     {".svg", dot_write, "-Tsvg", "<svg"},
	     {".pdf", dot_write, "-Tpdf", "%PDF-"},
	     {".json", json_write, NULL, NULL}};

static const struct form *form_of(const char *path, struct ptowsp_error *error)
{
	const char *ending = strrchr(path, '.');

	if (!strcmp(path, "-"))
		return &forms[0];
	for (size_t i = 0; ending && i < sizeof(forms) / sizeof(forms[0]); i++)
		if (!strcmp(ending, forms[i].ending))
			return &forms[i];
	pkg_fail(error, PTOWSP_INVALID, "graph \"%s\": the name must end in .txt, .dot, .svg, .pdf or .json, or be - for text", path);
	return NULL;
}

ptowsp_status graph_path_check(const char *path, struct ptowsp_error *error)
{
	ptowsp_status status = form_of(path, error) ? PTOWSP_OK : PTOWSP_INVALID;
	char *place = NULL;

	if (!status && strcmp(path, "-"))
		status = place_find(&place, path, error);
	free(place);
	return status;
}

/* Graphviz's own layout is the better one, and takes seconds from here on. */
static bool is_large(const struct graph *g)
{
	return g->task_count + g->edge_count > 800;
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static int left_ms(uint64_t until)
{
	const uint64_t now = now_ms();

	return now < until ? (int)(until - now) : 0;
}

/* Waits; a child that takes longer than ms is killed, false. */
static bool ends_in(pid_t child, uint64_t ms, int *status_out)
{
	struct pollfd ended = {.fd = (int)syscall(SYS_pidfd_open, child, 0), .events = POLLIN};
	const uint64_t until = now_ms() + (ms < INT_MAX ? ms : INT_MAX);
	int ready = -1;

	while (ended.fd >= 0 && (ready = poll(&ended, 1, left_ms(until))) < 0 && errno == EINTR)
		;
	if (!ready)
		kill(child, SIGKILL);
	while (waitpid(child, status_out, 0) < 0 && errno == EINTR)
		;
	if (ended.fd >= 0)
		close(ended.fd);
	return ready != 0;
}

/* Starts `dot option` with its input in source, from the beginning, and its output in target. It ends with this process. placed: places are given. */
static pid_t dot_start(const char *option, bool placed, int source, int target)
{
	char *own[] = {"dot", (char *)(uintptr_t)option, NULL}, *given[] = {"dot", "-Kneato", "-n2", (char *)(uintptr_t)option, NULL};
	pid_t child = fork();

	if (!child) {
		int quiet = open("/dev/null", O_WRONLY | O_CLOEXEC); /* it warns of fonts */

		if (lseek(source, 0, SEEK_SET) || dup2(source, 0) < 0 || dup2(target, 1) < 0 || dup2(quiet, 2) < 0)
			_exit(126);
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		execvp("dot", placed ? given : own);
		_exit(127);
	}
	return child;
}

static bool is_picture(const struct form *form, int target)
{
	char begin[4097];
	const ssize_t got = pread(target, begin, sizeof(begin) - 1, 0);

	begin[got > 0 ? got : 0] = '\0';
	return strstr(begin, form->mark);
}

#define PICTURE "graph \"%s\": the program dot (Graphviz) "

static ptowsp_status picture_make(const struct form *form, const struct graph *g, int source, int target, const char *path, struct ptowsp_error *error)
{
	const uint64_t most = g->graphviz_ms ? g->graphviz_ms : GRAPH_DRAW_MS;
	const pid_t child = dot_start(form->picture, is_large(g), source, target);
	int status = 0;

	if (child < 0)
		return pkg_fail(error, PTOWSP_NO_MEMORY, PICTURE "cannot be started: %s", path, strerror(errno));
	if (!ends_in(child, most, &status))
		return pkg_fail(error, PTOWSP_NO_DEVICE, PICTURE "did not end in %" PRIu64 " ms; name a .dot file", path, most);
	if (WIFSIGNALED(status))
		return pkg_fail(error, PTOWSP_NO_DEVICE, PICTURE "was ended by signal %d; name a .dot file", path, WTERMSIG(status));
	if (WEXITSTATUS(status) == 127)
		return pkg_fail(error, PTOWSP_NO_DEVICE, PICTURE "is not in PATH; install graphviz or name a .dot file", path);
	if (WEXITSTATUS(status))
		return pkg_fail(error, PTOWSP_NO_DEVICE, PICTURE "failed with status %d; name a .dot file", path, WEXITSTATUS(status));
	return is_picture(form, target) ? PTOWSP_OK
					: pkg_fail(error, PTOWSP_NO_DEVICE,
						   PICTURE "ended well and made no picture; look at what is called dot in PATH, or name a .dot file", path);
}

/* Writes the graph, and draws it, beside its place: a signal removes both files. */
static ptowsp_status file_write(const struct form *form, const struct graph_layout *l, const char *path, struct output *out, struct ptowsp_error *error)
{
	bool placed = form->picture && is_large(l->graph);
	struct output source, picture = {.slot = -1};
	ptowsp_status status = output_open(&source, path, error);

	if (status)
		return status;
	(placed ? placed_write : form->write)(source.file, l);
	status = output_finish(&source, error);
	if (!status && form->picture)
		status = output_open(&picture, path, error);
	if (!status && form->picture)
		status = output_finish(&picture, error);
	if (!status && form->picture)
		status = picture_make(form, l->graph, fileno(source.file), fileno(picture.file), path, error);
	if (!status) {
		*out = form->picture ? picture : source;
		*(form->picture ? &picture : &source) = (struct output){.slot = -1};
	}
	output_drop(&picture);
	output_drop(&source);
	return status;
}

ptowsp_status graph_file(const struct graph *g, const char *path, struct output *out, struct ptowsp_error *error)
{
	const struct form *form = form_of(path, error);
	struct graph_layout l = {0};
	char *place = NULL;
	ptowsp_status status;

	*out = (struct output){.slot = -1};
	if (!form)
		return PTOWSP_INVALID;
	status = strcmp(path, "-") ? place_find(&place, path, error) : PTOWSP_OK;
	if (!status)
		status = graph_layout_init(&l, g, error);
	if (!status && place)
		status = file_write(form, &l, place, out, error);
	else if (!status)
		form->write(stdout, &l);
	graph_layout_finish(&l);
	free(place);
	return status;
}

ptowsp_status graph_save(const struct graph *g, const char *path, struct ptowsp_error *error)
{
	struct output output;
	ptowsp_status status = graph_file(g, path, &output, error);

	if (!status)
		status = output_publish(&output, error);
	output_drop(&output);
	return status;
}
