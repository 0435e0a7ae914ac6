/* SPDX-License-Identifier: MIT */
#include "ascend/name.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ptowsp/base.h"
#include "rt/grow.h"

enum { KEPT = 44 }; /* bytes of a name that an identifier keeps */

/* Words of C++, macros that headers of a C library have in lower case, and what generated code calls by these names (builder.h). */
static const char *const words[] = {
	"at", "b", "block", "choice", "chosen", "flat", "larger", "place", "replica", "s", "smaller", "state",
	"alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char", "char16_t",
	"char32_t", "class", "compl", "const", "const_cast", "constexpr", "continue", "decltype", "default", "delete", "do", "double",
	"dynamic_cast", "else", "enum", "errno", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "half", "if", "inline", "int",
	"linux", "long", "main", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or", "or_eq", "private",
	"protected", "public", "register", "reinterpret_cast", "return", "short", "signed", "sizeof", "static", "static_assert",
	"static_cast", "stderr", "stdin", "stdout", "struct", "switch", "template", "this", "thread_local", "throw", "true", "try", "typedef", "typeid",
	"typename", "union", "unix", "unsigned", "using", "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
};

static bool is_word(const char *name)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(words[i], name))
			return true;
	return false;
}

static bool is_type(const char *name)
{
	const size_t length = strlen(name);

	return length > 2 && !strcmp(name + length - 2, "_t");
}

/* Names that the implementation keeps, and macros, begin or look like this. */
static void plain_make(char plain[ASCEND_NAME], const char *name, char letter)
{
	size_t at = 0;
	bool small = false;

	if (!isalpha((unsigned char)*name) || (unsigned char)*name >= 0x80)
		plain[at++] = letter;
	for (; *name && at < KEPT; name++) {
		const unsigned char c = (unsigned char)*name;
		const bool plainly = c < 0x80 && isalnum(c);

		small |= plainly && islower(c);
		if (plainly || (at && plain[at - 1] != '_')) /* no two '_' beside each other */
			plain[at++] = plainly ? (char)c : '_';
	}
	plain[at] = '\0';
	if (is_word(plain) || is_type(plain) || (!small && at > 1))
		memcpy(plain + at, plain[at - 1] == '_' ? "x" : "_", 2);
}

static uint32_t *slot_of(const struct ascend_names *names, const char *name)
{
	uint64_t at = ptowsp_id(name, strlen(name));

	while (names->slots[at & names->mask] && strcmp(names->rows[names->slots[at & names->mask] - 1], name))
		at++;
	return &names->slots[at & names->mask];
}

static bool room_make(struct ascend_names *names)
{
	const uint32_t mask = names->mask ? names->mask * 2 + 1 : 63;
	uint32_t *slots;

	if (!rt_grow((void **)&names->rows, &names->room, names->count, sizeof(*names->rows)))
		return false;
	if (names->slots && names->count * 2 < names->mask)
		return true;
	slots = calloc((size_t)mask + 1, sizeof(*slots));
	if (!slots)
		return false;
	free(names->slots);
	names->slots = slots;
	names->mask = mask;
	for (uint32_t i = 0; i < names->count; i++)
		*slot_of(names, names->rows[i]) = i + 1;
	return true;
}

static const char *add(struct ascend_names *names, const char *plain, uint32_t *slot)
{
	snprintf(names->rows[names->count], ASCEND_NAME, "%s", plain);
	*slot = ++names->count;
	return names->rows[names->count - 1];
}

const char *ascend_names_add(struct ascend_names *names, const char *name, char letter)
{
	char plain[ASCEND_NAME];
	uint32_t *slot;
	size_t length;

	if (!room_make(names))
		return NULL;
	plain_make(plain, name, letter);
	if (letter == ASCEND_LOCAL)
		plain[0] = (char)tolower((unsigned char)plain[0]);
	length = strlen(plain);
	slot = slot_of(names, plain);
	/* Many that look alike: on from how many there are, so that adding n of them does not take n * n steps. */
	for (uint32_t number = 2; *slot; number = number == 64 ? names->count + 64 : number + 1) {
		snprintf(plain + length, sizeof(plain) - length, "%s%lu", plain[length - 1] == '_' ? "" : "_", (unsigned long)number);
		slot = slot_of(names, plain);
	}
	return add(names, plain, slot);
}

bool ascend_names_reserve(struct ascend_names *names, const char *identifier)
{
	uint32_t *slot;

	if (!room_make(names))
		return false;
	slot = slot_of(names, identifier);
	return *slot || add(names, identifier, slot) != NULL;
}

void ascend_names_finish(struct ascend_names *names)
{
	free(names->rows);
	free(names->slots);
	*names = (struct ascend_names){0};
}
