/* SPDX-License-Identifier: MIT */
/* conform.h - one test of a plugin: what it is given, how it calls the plugin, how it says what is wrong.
 *
 * A test is a function that takes a struct conform and returns when everything holds; what does not hold leaves it by conform_fail. It runs in a process of its
 * own (with --in-process in the tool's), so it cleans up nothing that a failure leaves behind. All of it is one thread's, except where it says [any]. */
#ifndef TOOLS_CONFORM_H
#define TOOLS_CONFORM_H

#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>

#include "host/find/host_plugin.h"
#include "host/ptowsp_host.h"
#include "tools/conform/conform_services.h"

enum conform_verdict { CONFORM_DIED = 0, CONFORM_OK, CONFORM_NOT_OK, CONFORM_SKIPPED }; /* DIED: it never came to a verdict */

/* The record that a test leaves for the process that waits for it, also when it dies. In shared memory; one writer, and the log's from any thread of the plugin. */
struct conform_record {
	uint32_t verdict;   /* enum conform_verdict */
	char operation[32]; /* the last one that was called */
	uint32_t inside;    /* 1: that call has not returned */
	char package[64];   /* its subject; "" for none */
	char about[96];     /* the trial just now, "room for 1 of 4 rows"; "" if the test's name says it */
	uint64_t seed;      /* of the last damaged package, 0 for none */
	uint64_t calls;     /* of the plugin */
	char log[240];      /* the last line that the plugin logged */
	char text[480];     /* why not */
	char said[216];     /* the last sentence of the plugin about what did not go well: of a call, or of a run */
	char waived[480];   /* breaches that the note declares of the driver, "driver=threads: ..."; "" for none */
};

enum { CONFORM_LENT = 4096, CONFORM_PACKAGES = 24 };
/* A limit of the host's that never comes: who waits for the test ends it, and takes a processor that others have into account. */
enum { CONFORM_DAY_MS = 86400000 };

struct conform_package;

struct conform {
	const char *path;                      /* of the plugin, as given */
	const char *probes;                    /* folder of packages; NULL: beside the tool, or where it is installed */
	const struct ptowsp_setting *settings; /* options of the plugin, for every init */
	uint32_t setting_count;
	uint64_t seed;
	uint32_t rounds;       /* damaged packages of each sort */
	bool lint_off, strict; /* strict: nothing is waived */
	uint32_t isolate;      /* PTOWSP_ISOLATE_x: where the plugin is */
	struct conform_record *record;
	jmp_buf leave;
	struct host_plugin *plugin; /* NULL until conform_load; without a descriptor where it is isolated */
	struct ptowsp_object *instance, *device;
	struct conform_services services;
	struct host_findings *findings; /* of the program that the next load is for; NULL: `found` */
	struct host_findings found;     /* of loads that no struct conform_program is for; kept for ever */
	struct ptowsp_error error;      /* of the last call */
	uint64_t called_ns, took_ns;    /* the last call: when it began, how long it was */
	unsigned control;               /* floating-point control word before it */
	struct ptowsp_backend *matcher; /* between conform_match_begin and _end */
	bool recordless;                /* calls give no error record */
	bool watched;                   /* compare the process before and after every call */
	struct conform_process *before; /* state before, if watched */
	struct conform_lent {
		char *base;
		size_t bytes;
	} lent[CONFORM_LENT];
	uint32_t lent_count;
	uint32_t taken;                                     /* of them, taken back */
	struct conform_package *packages[CONFORM_PACKAGES]; /* opened so far */
	uint32_t package_count;
};

/* ---- verdicts --------------------------------------------------------------------------------------------------- */

/* The test fails with this sentence (what is wrong, and what would be right) and is left. */
_Noreturn void conform_fail(struct conform *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
_Noreturn void conform_skip(struct conform *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
#define CONFORM_MUST(c, condition, ...)                                                                                                                        \
	do {                                                                                                                                                   \
		if (!(condition))                                                                                                                              \
			conform_fail(c, __VA_ARGS__);                                                                                                          \
	} while (0)

/* A breach that the plugin's note may declare of its driver (PTOWSP_DRIVER_x): then it is waived, and the test goes on. */
#define CONFORM_MUST_BUT(c, class, condition, ...)                                                                                                             \
	do {                                                                                                                                                   \
		if (!(condition))                                                                                                                              \
			conform_waive(c, class, __VA_ARGS__);                                                                                                  \
	} while (0)
void conform_waive(struct conform *c, uint32_t class, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Names the step that is tried from now on, for the sentence about a plugin that ends there. */
void conform_about(struct conform *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- calls ------------------------------------------------------------------------------------------------------ */

/* Rules for every call of an operation: status 0 or a known negative code; the error record is filled if and only if it is negative (PL6); the rounding
 * mode is as it was (PL8); it ends in bounded time unless `waits` (PL10); nothing that the services noticed (PL5, PL9). */
void conform_before(struct conform *c, const char *operation);
ptowsp_status conform_after(struct conform *c, ptowsp_status status, bool waits);
/* CONFORM_CALL(c, open, instance, args, &device, &c->error); the error record is c->error, or NULL. */
#define CONFORM_CALL(c, operation, ...) (conform_before(c, #operation), conform_after(c, (c)->plugin->ops.operation(__VA_ARGS__), false))
#define CONFORM_WAIT(c, operation, ...) (conform_before(c, #operation), conform_after(c, (c)->plugin->ops.operation(__VA_ARGS__), true))
/* The call must succeed. */
void conform_ok(struct conform *c, ptowsp_status status, const char *what);
/* The same for one that must fail with that code; code2 0: no other will do. */
void conform_refused(struct conform *c, ptowsp_status status, ptowsp_status code, ptowsp_status code2, const char *what);

/* Memory that is lent for a call: the bytes end where the readable memory ends, so that reading or writing beyond them faults. 8-byte aligned if size is. */
void *conform_lend(struct conform *c, size_t size);
/* A copy of these bytes. */
void *conform_lend_copy(struct conform *c, const void *bytes, size_t size);
/* Takes back the memory that was lent last: for tests that lend by the thousand. */
void conform_lent_drop(struct conform *c);
/* Everything that was lent since the last time becomes unreadable: who kept a pointer faults (PL11). */
void conform_take_back(struct conform *c);
/* Starts a thread that the caller joins; the test is skipped where this machine has none. */
void conform_thread_start(struct conform *c, pthread_t *thread, void *(*run)(void *), void *context);

/* ---- the life of a plugin --------------------------------------------------------------------------------------- */

/* Checks and loads the file, in the host's way. false: that is refused. */
bool conform_load_try(struct conform *c, struct ptowsp_error *error);
/* Skips the test if that is refused: one test says so for all. */
void conform_load(struct conform *c);
/* load, then init with the settings: c->instance. */
struct ptowsp_init_args conform_init_args(const struct conform *c);
void conform_init(struct conform *c);
/* init, then opens the first device with `threads` workers: c->device. Skips the test if the device is not there. */
void conform_open(struct conform *c, uint32_t threads);
/* close and fini as far as they are open; all memory must have come back. */
void conform_close(struct conform *c);
ptowsp_status conform_device_open(struct conform *c, uint32_t threads, struct ptowsp_object **device_out);
/* A device once more while it is open. A device may be for one caller at a time: skips the test where that is refused. */
void conform_device_again(struct conform *c, uint32_t threads, struct ptowsp_object **device_out);
/* The state of a capability row of the first device; UNSUPPORTED without a row. */
unsigned conform_claim(struct conform *c, uint32_t feature);

/* ---- the list --------------------------------------------------------------------------------------------------- */

#define X(name, obligation, place, text) void conform_test_##name(struct conform *c);
#include "tools/conform/conform.def"
#undef X

#endif
