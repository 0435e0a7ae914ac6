/* SPDX-License-Identifier: MIT */
/* marshal.h - calls as messages, by the description: any operation, service or callback of operations.def crosses a process boundary with what goes in and what comes out,
 * without a line of its own. A message begins with a struct host_frame, whose values are the parameters:
 *
 *   VALUE, HANDLE             the number; of OUT and INOUT, what stands there
 *   STRING, TEXT, BYTES, ONE, ROWS, LENT, VALUES    the place (wire.h), 0: NULL; rows have this build's stride over there
 *   TABLES                    the place of u64 places
 *   room for OUT              1, 0: NULL; of ONE its size. Counts say how much room there is
 *   FUNCTION                  a number that the sender gives it; its context is that number over there
 *
 * Not data, and NULL over there: CONTEXT of services, ADDRESS, MEMORY, structs with functions. */
#ifndef HOST_MARSHAL_H
#define HOST_MARSHAL_H

#include "host/call/call.h"
#include "host/call/wire.h"
#include "host/worker/host_frame.h"

/* Can the operation cross? Down it has data, and callbacks that can; up it has data that only goes in, and no answer is waited for. */
bool host_marshal_goes_down(const struct host_operation *operation);
bool host_marshal_goes_up(const struct host_operation *operation);
/* Something that stays over here comes out of it: the message must live as long as that. */
bool host_marshal_lends(const struct host_operation *operation);

/* Begins the message with its frame; on failure there is none (wire->failed). */
struct host_frame *host_marshal_begin(struct host_wire *wire, uint32_t operation);
/* The caller's side: what goes in. */
void host_marshal_in(struct host_wire *wire, const struct host_call *call);

/* Room on the callee's side for what comes out. */
struct host_rooms {
	void *memory[HOST_PARAMETERS]; /* owned */
	uint64_t numbers[HOST_PARAMETERS];
	uint64_t limits[HOST_PARAMETERS]; /* rows, values that there is room for */
};
void host_rooms_finish(struct host_rooms *rooms);
/* Fills the values of a call whose operation is set. false: forged, or no memory. */
bool host_unmarshal_in(struct host_unwire *wire, struct host_call *call, struct host_rooms *rooms);
/* Puts the results into the reply. */
void host_marshal_out(struct host_wire *wire, const struct host_call *call, const struct host_rooms *rooms);
/* The caller's side again: into the caller's places. With a failure only numbers come out. false: forged. */
bool host_unmarshal_out(struct host_unwire *wire, struct host_call *call);

#endif
