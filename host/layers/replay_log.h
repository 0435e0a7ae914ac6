/* SPDX-License-Identifier: MIT */
/* replay_log.h - a log of layer trace, record by record, and the arguments of its calls. The bytes may be anything: what does not fit is refused before anything is called. */
#ifndef HOST_REPLAY_LOG_H
#define HOST_REPLAY_LOG_H

#include "host/call/tape.h"

struct host_replay_log {
	const unsigned char *bytes; /* the caller's, 8-byte aligned */
	size_t size;
};
/* name: of the file, for the sentence. Errors: INVALID (no log, another version, another description). */
ptowsp_status host_replay_log_check(const struct host_replay_log *log, const char *name, struct ptowsp_error *error);
/* The record at *at, which then stands behind it; the first one lies behind struct tape_file. false: there is none that is whole. */
bool host_replay_log_next(const struct host_replay_log *log, size_t *at, struct tape_record *record_out, struct host_tape_reader *reader_out);

/* Stand-ins for things of the logged run that a log cannot have. */
struct host_replay_now {
	void *context;
	void *(*object)(void *context, uint64_t then);             /* NULL: there is none, as for 0 */
	void (*gone)(void *context, uint16_t sort, uint64_t then); /* the call ends that object; may be NULL */
	void (*(*callback)(uint16_t operation))(void);
	const struct ptowsp_host *services;
};
/* The values of call->operation: those that go in from the log, room for those that come out; they live as long as the reader. false: they do not fit. */
bool host_replay_arguments(struct host_tape_reader *reader, struct host_call *call, const struct host_replay_now *now);

#endif
