/* SPDX-License-Identifier: MIT */
/* trust.c - does a signature count? The one that comes nearest is the one that is spoken of. */
#include "host/trust/trust.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

void host_trust_day(uint64_t seconds, char day_out[16])
{
	time_t at = (time_t)seconds;
	struct tm date;

	if (seconds > (uint64_t)INT32_MAX * 64 || !gmtime_r(&at, &date) || !strftime(day_out, 16, "%Y-%m-%d", &date))
		snprintf(day_out, 16, "a far day");
}

static const struct host_key *key_find(const struct host_keys *keys, const struct pkg_signature *row)
{
	for (uint32_t i = 0; i < keys->count; i++)
		if (!memcmp(keys->rows[i].key, row->key, sizeof(row->key)))
			return &keys->rows[i];
	return NULL;
}

/* How far a signature comes; the last one counts. */
enum reach { STRANGER, BROKEN, ELSEWHERE, LATER, EXPIRED, GOOD };

/* NULL whom->plugin: nobody yet. */
static enum reach reach_find(const struct pkg_signature *row, const struct host_key *key, enum pkg_signed what, const uint8_t *digest,
			     const struct host_trust_for *whom)
{
	if (!key)
		return STRANGER;
	if (!pkg_signature_holds(row, what, digest))
		return BROKEN;
	if (whom->plugin && !pkg_plugins_have(row->plugins, whom->plugin))
		return ELSEWHERE;
	if (whom->plugin && whom->minor < row->abi_minor)
		return LATER;
	return row->expires && time(NULL) >= (time_t)row->expires ? EXPIRED : GOOD;
}

static void reach_say(enum reach reach, const struct pkg_signature *row, const struct host_key *key, enum pkg_signed what, const struct host_trust_for *whom,
		      char text_out[HOST_TRUST_TEXT])
{
	const char *thing = what == PKG_SIGNED_PACKAGE ? "package" : "plugin";
	char id[PKG_KEY_ID], day[16];

	pkg_key_id(id, row->key);
	host_trust_day(row->expires, day);
	if (reach == GOOD)
		snprintf(text_out, HOST_TRUST_TEXT, "signed by %.40s (%s)", key->name, id);
	else if (reach == STRANGER)
		snprintf(text_out, HOST_TRUST_TEXT, "it is signed by %s, which is no trusted key", id);
	else if (reach == BROKEN)
		snprintf(text_out, HOST_TRUST_TEXT, "the signature of %.40s is not one of this %s", key->name, thing);
	else if (reach == ELSEWHERE)
		snprintf(text_out, HOST_TRUST_TEXT, "the signature of %.40s is for %.32s, not for %.32s", key->name, row->plugins, whom->plugin);
	else if (reach == LATER)
		snprintf(text_out, HOST_TRUST_TEXT, "the signature of %.40s needs ABI v%u.%u, here is v%u.%u", key->name, row->abi_major, row->abi_minor,
			 PTOWSP_ABI_MAJOR, (unsigned)whom->minor);
	else
		snprintf(text_out, HOST_TRUST_TEXT, "the signature of %.40s has expired on %s", key->name, day);
}

bool host_trust_judge(const struct host_keys *keys, const struct pkg_signature *rows, uint32_t count, enum pkg_signed what, const uint8_t *digest,
		      const struct host_trust_for *whom, char text_out[HOST_TRUST_TEXT])
{
	enum reach best = STRANGER;

	snprintf(text_out, HOST_TRUST_TEXT, "it is not signed");
	for (uint32_t i = 0; i < count && (!i || best != GOOD); i++) {
		const struct host_key *key = key_find(keys, &rows[i]);
		enum reach reach = reach_find(&rows[i], key, what, digest, whom);

		if (i && reach <= best)
			continue;
		best = reach;
		reach_say(reach, &rows[i], key, what, whom, text_out);
	}
	return count && best == GOOD;
}
