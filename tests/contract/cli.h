/* SPDX-License-Identifier: MIT
 * cli.h - running the built tools from tests as a user does, and looking at what they say.
 *
 * A command line is a line of /bin/sh in an empty folder of the running test and sees
 *	$B  the tools (build/bin)            $P  the example packages (build/packages)
 *	$S  tests/contract, the sources      $K  those sources packed: $K/scale.pkg.zst, ...
 *	$R  the tree                         $T  the test's folder, which is also the current one
 * It is ended after two minutes (exit 124). Texts and JSON belong to this module and stay until the next call. */
#ifndef TESTS_CONTRACT_CLI_H
#define TESTS_CONTRACT_CLI_H

#include "../check.h"

#include <jansson.h>

/* An empty $T, which the first command of a test gets by itself: for tests that need it before. The sources are packed at a suite's first call. */
void cli_begin(void);

/* Runs a command line; returns its exit status. */
int cli(const char *command);
/* Runs a command line and checks its exit status, and that stdout (CLI_OUT) or stderr (CLI_ERR) contains each of the texts, or that stdout is
 * one text (CLI_PRINTS). A failure names the command. */
#define CLI_OUT(status, command, ...)     cli_says(__FILE__, __LINE__, (command), (status), &cli_out, (const char *[]){__VA_ARGS__, NULL})
#define CLI_ERR(status, command, ...)     cli_says(__FILE__, __LINE__, (command), (status), &cli_err, (const char *[]){__VA_ARGS__, NULL})
#define CLI_PRINTS(status, command, text) cli_prints(__FILE__, __LINE__, (command), (status), (text))
/* Runs it to exit 0 and checks the integer at a path of the JSON that it prints. */
#define CLI_FIGURE(command, path, value) cli_figure(__FILE__, __LINE__, (command), (path), (value))
void cli_says(const char *file, int line, const char *command, int status, char *const *stream, const char *const *texts);
void cli_prints(const char *file, int line, const char *command, int status, const char *text);
/* Starts it, waits until it handles the last of `count` signals, sends each after_ms after the one before, waits for the end. The command
 * should begin with "exec ". */
int cli_signalled(const char *command, const int *signals, unsigned count, unsigned after_ms);
/* Starts it, sends the signal when it has taken cpu_ms of processor time, whatever else the machine does, waits for the end. */
int cli_signalled_after_work(const char *command, int signal, unsigned cpu_ms);
/* Starts it, sends the signal each cpu_ms of its processor time until it ends: a slow machine meets every phase too. */
int cli_signalled_again(const char *command, int signal, unsigned cpu_ms);
extern char *cli_out, *cli_err;
/* Milliseconds that the last command took. */
extern double cli_ms;

/* True for tools built with sanitizers: take smaller steps fewer. */
bool cli_slow(void);

/* Lines of a text, the last one with or without its newline. */
unsigned cli_lines(const char *text);
/* Sorted names and sizes of all files below $T: equal texts mean that nothing appeared or vanished. To be freed. */
char *cli_listing(void);
/* stderr is one sentence on one line: it ends with one newline, is neither empty nor chatter. */
void cli_check_sentence(void);

/* cli_out, or a file, as one JSON object with a "schema" string; NULL after a failed check. */
json_t *cli_json(void);
json_t *cli_json_file(const char *path);
/* Member by path: "kernels[copy].tasks" finds the element of the array whose "name" is copy; "edges[3]" the fourth. NULL if
 * there is none. */
json_t *cli_at(json_t *object, const char *path);
/* Integer at a path; fails the test if there is none. */
intmax_t cli_int(json_t *object, const char *path);
const char *cli_text(json_t *object, const char *path);

void cli_figure(const char *file, int line, const char *command, const char *path, intmax_t value);

/* A graph's edges as "0>1 0>2 ...", sorted; its kernels in task order as "put*1 thin*3". Fail checks on repeated edges, unknown ids. */
const char *cli_edges(json_t *graph);
const char *cli_kernels(json_t *graph);
/* A trace's tasks in order as "start/executor ...". */
const char *cli_trace(json_t *trace);

/* A NumPy v1.0 file in $T: C order, descr such as "<f4", shape such as "4, 4". */
void cli_npy(const char *name, const char *descr, const char *shape, const void *data, size_t bytes);
/* f32 vector of n elements made by a rule. */
void cli_npy_f32(const char *name, size_t n, double first, double step);
/* Data of a C-order NumPy file of that descr in $T, to be freed; NULL after a failed check. */
void *cli_npy_read(const char *name, const char *descr, size_t *bytes_out);

#endif
