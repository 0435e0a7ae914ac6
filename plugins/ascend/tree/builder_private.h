/* SPDX-License-Identifier: MIT */
/* builder_private.h - what the files of the builder share. */
#ifndef BUILDER_PRIVATE_H
#define BUILDER_PRIVATE_H

#include "builder.h"
#include "builder_deps.h"

struct Builder::ChannelState {
	uint64_t sends, consumes;
	uint32_t producer, consumer; /* whose turn it is, counted among its ends; or somebody closed before that one */
	int64_t *tokens;             /* of those under way, at number mod room */
	uint8_t *blocks;             /* and what they carry; of a rendezvous: per consumer */
	uint64_t room;               /* grows with the tokens, up to the capacity */
};
uint32_t ends_total(const BuilderPlan *plan);
bool channels_init(Builder &b);
void channels_finish(Builder &b);

#endif
