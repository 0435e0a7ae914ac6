/* SPDX-License-Identifier: MIT */
/* loan.h - what a call lends, as copies that are overwritten when the loan is over: who kept a pointer reads rubbish, and the address sanitizer says so. Results
 * get room with a guard behind it. One call, one thread. */
#ifndef HOST_LOAN_H
#define HOST_LOAN_H

#include "host/call/call.h"

struct host_loan_block;
struct host_loan {
	struct host_loan_block *blocks; /* owned */
	bool broke;                     /* without memory: the rest is lent as it is */
};

/* A copy of one struct and of all that it points to for the length of the call; sections, and what bindings point to, are lent for longer and stay. */
const void *host_loan_struct(struct host_loan *loan, enum host_struct_id id, const void *from, uint32_t stride);
const char *host_loan_string(struct host_loan *loan, const char *from);
/* Room for `size` bytes of a result, with the caller's bytes in it, and a guard behind. to: where they belong. */
void *host_loan_result(struct host_loan *loan, void *to, size_t size);
/* Every guard is as it was. Copies results to where they belong. */
bool host_loan_settle(struct host_loan *loan);
/* Overwrites and frees everything. */
void host_loan_finish(struct host_loan *loan);

#endif
