/* SPDX-License-Identifier: MIT */
/* host_policy.h - which plugins may load: any, those that a list has, those that a trusted key has signed. */
#ifndef HOST_POLICY_H
#define HOST_POLICY_H

#include "host/find/file.h"
#include "host/ptowsp_host.h"
#include "host/trust/trust.h"

/* Rows of plugins.list: a plugin's file by its SHA-256, and the name that it must have. */
struct host_listed {
	struct host_listed_row {
		uint8_t digest[PKG_DIGEST_SIZE];
		char name[33];
	} * rows; /* owned */
	uint32_t count;
	char passed_over[216]; /* why a list is not used, the first of them; "" */
};
/* Adds the rows of such a text, from anywhere: lines of 64 hexadecimal digits, blanks, a plugin's name; empty ones and those that begin with # are comments. All of it
 * or nothing. path: for messages. Errors: PLUGIN_REFUSED with line and rule, NO_MEMORY. */
ptowsp_status host_listed_parse(struct host_listed *listed, const char *text, size_t size, const char *path, struct ptowsp_error *error);
void host_listed_finish(struct host_listed *listed);

struct host_policy {
	uint32_t kind;             /* PTOWSP_PLUGINS_x */
	struct host_keys keys;     /* of SIGNED */
	struct host_listed listed; /* of LISTED */
	ptowsp_status (*check)(const struct host_policy *policy, const struct host_file *file, char *text_out, struct ptowsp_error *error);
};
/* Reads what the kind needs from the trust folders. Under elevated privileges ANY is LISTED. Errors: IO (a given folder), NO_MEMORY. Finish also after a failure. */
ptowsp_status host_policy_init(struct host_policy *policy, uint32_t kind, const struct host_trust_dirs *dirs, struct ptowsp_error *error);
void host_policy_finish(struct host_policy *policy);
/* PTOWSP_PLUGINS_x that holds; policy NULL: ANY, but under elevated privileges LISTED with nothing in the list. */
uint32_t host_policy_kind(const struct host_policy *policy);
/* Unless any may load: replaces the bytes of an open file by a sealed copy, before they are checked. Errors: PLUGIN_REFUSED, NO_MEMORY. */
ptowsp_status host_policy_seal(const struct host_policy *policy, struct host_file *file, struct ptowsp_error *error);
/* May a sealed and checked file load? text_out: "" of ANY, "in a list", "signed by NAME (KEY)". Errors: PLUGIN_REFUSED. */
ptowsp_status host_policy_check(const struct host_policy *policy, const struct host_file *file, char text_out[HOST_TRUST_TEXT], struct ptowsp_error *error);

#endif
