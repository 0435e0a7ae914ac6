/* SPDX-License-Identifier: MIT
 * watch.h - what the checking plugin knows of its host: the objects that it gave it, who is in them, what it was lent. A rule that the host breaks is said in the
 * error record, with PTOWSP_ERROR_HOST_BUG, and in the log; every later call for that instance fails with the same sentence. [any] */
#ifndef TESTS_CHECKING_WATCH_H
#define TESTS_CHECKING_WATCH_H

#include <stdatomic.h>
#include <stdbool.h>

#include "ptowsp/plugin.h"
#if PTOWSP_ABI_TARGET >= 1
#include "ptowsp/fences.h"
#endif

enum watch_kind { WATCH_INSTANCE = 1, WATCH_DEVICE, WATCH_PROGRAM, WATCH_BUFFER, WATCH_FENCE };
enum watch_tag { WATCH_MAIN, WATCH_ON_DEVICE, WATCH_ANY };
enum { WATCH_SECTIONS = 32, WATCH_BINDINGS = 32, WATCH_FENCES = 8, WATCH_TRAPS = 8 };

struct watch_point {
	struct watch *fence;
	uint64_t value;
};

/* An object as the host has it: an address that no other object ever gets, whatever was closed. */
struct watch {
	enum watch_kind kind;
	struct watch *parent;        /* of a device the instance, of a program, a buffer and a fence the device */
	struct ptowsp_object *inner; /* of the template; of a buffer and a fence NULL */
	uint64_t bytes;              /* of a buffer */
	atomic_ullong value;         /* of a fence */
	atomic_int failed;           /* of a fence: a status */
	const struct ptowsp_host *host;
	uint64_t host_digest;
	atomic_int alive, inside, children;
	struct ptowsp_section sections[WATCH_SECTIONS]; /* program: as lent */
	uint32_t section_count;
	uint64_t section_digest;
	struct ptowsp_binding bindings[WATCH_BINDINGS]; /* device: of the run in flight */
	uint32_t binding_count;
	uint64_t binding_digest;
	struct watch *running; /* device: the program in flight */
	struct watch_point waits[WATCH_FENCES], signals[WATCH_FENCES];
	uint32_t wait_count, signal_count;
	uint64_t token, deadline_ns, now_ns;
	atomic_ullong calls;
	atomic_bool broken; /* instance */
	char sentence[200];
};

/* One call, from enter to leave. */
struct watch_call {
	const char *name;
	struct watch *instance, *object;
	atomic_int *inside; /* left by leave, NULL: none */
	struct ptowsp_error *error;
	ptowsp_status status; /* other than 0: the host broke a rule */
};

/* Remembers and says that the host broke `rule` ("HO1: sentence"). */
void watch_broke(struct watch_call *call, const char *sentence);
/* The object if it is alive and of that kind, else NULL with the call's status; a NULL instance is none and no breach. */
struct watch *watch_enter(struct watch_call *call, const char *name, struct ptowsp_object *object, enum watch_kind kind, enum watch_tag tag,
			  struct ptowsp_error *error);
/* status, or that of the breach with its sentence in the record. */
ptowsp_status watch_leave(struct watch_call *call, ptowsp_status status);

/* NULL: there were too many. */
struct watch *watch_make(enum watch_kind kind, struct watch *parent, struct ptowsp_object *inner, const struct ptowsp_host *host);
void watch_end(struct watch *object);
/* The living object behind a handle, else NULL. */
struct watch *watch_find(const void *handle, enum watch_kind kind);
/* Every living instance: the host called what is above the effective minor. */
ptowsp_status watch_later(void);

/* Arguments: head, floor, and the tail behind what has a meaning at the effective minor. known: bytes in this build. */
void watch_arguments(struct watch_call *call, const struct ptowsp_host *host, const struct ptowsp_head *head, uint16_t type, uint32_t floor, uint32_t known);
void watch_services(struct watch_call *call, const struct ptowsp_host *host);
void watch_sections(struct watch_call *call, const struct ptowsp_load_args *args);
void watch_run(struct watch_call *call, const struct watch *program, const struct ptowsp_run_args *args);
/* A token that was never used before for this instance. */
void watch_token(struct watch_call *call, uint64_t token);
void watch_until(struct watch_call *call, uint64_t until_ns);

/* Fences of a run that is about to be accepted are kept where nothing is wrong; whether it may begin; it has ended so, and names none any more. */
void watch_fences(struct watch_call *call, struct watch *device, const struct ptowsp_run_args *args);
bool watch_fences_reached(const struct watch *device);
void watch_fences_end(struct watch *device, ptowsp_status status);
#if PTOWSP_ABI_TARGET >= 1
struct watch_fences_table {
	struct ptowsp_fences_extension known;
	ptowsp_status (*later[WATCH_TRAPS])(void);
};
extern const struct watch_fences_table watch_fences_table;
struct watch_buffers_table {
	struct ptowsp_buffers_extension known;
	ptowsp_status (*later[WATCH_TRAPS])(void);
};
extern const struct watch_buffers_table watch_buffers_table;
#endif

/* Keeps what is lent, and finds it as it was. */
void watch_lend_sections(struct watch *program, const struct ptowsp_load_args *args);
void watch_lend_run(struct watch *device, struct watch *program, const struct ptowsp_run_args *args);
void watch_sections_same(struct watch_call *call, const struct watch *program);
void watch_bindings_same(struct watch_call *call, const struct watch *device);

#endif
