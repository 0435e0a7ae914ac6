/* SPDX-License-Identifier: MIT */
/* value.h - symbols, slots and events. */
#ifndef LANG_VALUE_H
#define LANG_VALUE_H

#include "lang/decl.h"

/* LANG_DECL_SYMBOL and LANG_DECL_SLOT; the SLOT row is head.row. */
struct lang_value {
	struct lang_decl head;
	uint16_t dtype;
	uint8_t has_default, internal; /* internal: the packer made it, nothing outside sets it */
	uint64_t value;                /* as in struct ptowsp_slot_record */
};
/* LANG_DECL_EVENT: signalled and waited for; the EVNT row is head.row. */
struct lang_event {
	struct lang_decl head;
	uint8_t signalled, waited;
	const struct lang_decl *signaller, *shared; /* a process with replicas that signals it; one that waits for it, too: told once */
	struct lang_span wait_at;
};

void lang_symbol_parse(struct lang_parser *parser);
void lang_symbol_write(struct lang_lower *lower, struct lang_decl *decl);
void lang_event_parse(struct lang_parser *parser);
void lang_event_check(struct lang_module *module, struct lang_decl *decl);
void lang_event_write(struct lang_lower *lower, struct lang_decl *decl);

#endif
