/* SPDX-License-Identifier: MIT */
/* make_signature.c - wrong signature frames behind a good package. Whether a signature holds is not asked when a package is opened. */
#include "make.h"

#include "format/container.h"
#include "format/format_signature.h"

#include <string.h>

#define FRAME PKG_FRAME_HEAD
#define HEAD  sizeof(struct pkg_signature_head)
#define ROW   sizeof(struct pkg_signature)

/* Two rows of keys 1 and 2 for all plugins; spoilt by the change. */
struct frame {
	struct pkg_signature_head head;
	struct pkg_signature rows[2];
};

static struct frame frame_good(void)
{
	struct frame f = {.head = {.version = PKG_SIGNATURE_VERSION, .count = 2, .stride = ROW}};

	memcpy(f.head.magic, PKG_SIGNATURE_MAGIC, sizeof(f.head.magic));
	for (uint8_t i = 0; i < 2; i++) {
		f.rows[i].abi_major = PTOWSP_ABI_MAJOR;
		f.rows[i].plugins[0] = '*';
		f.rows[i].key[0] = (uint8_t)(i + 1);
	}
	return f;
}

static void frame_put(struct bytes *file, const struct frame *frame, size_t size)
{
	const uint32_t words[2] = {PKG_SIGNATURE_FRAME, (uint32_t)size};

	memcpy(file->bytes + file->size, words, sizeof(words));
	memcpy(file->bytes + file->size + sizeof(words), frame, size);
	file->size += sizeof(words) + size;
}

#define SPOILT(name, change, size)                                                                                                                             \
	static void name(struct bytes *file)                                                                                                                   \
	{                                                                                                                                                      \
		struct frame f = frame_good();                                                                                                                 \
                                                                                                                                                               \
		change;                                                                                                                                        \
		frame_put(file, &f, size);                                                                                                                     \
	}

SPOILT(signature_frame_empty, , 0)
SPOILT(signature_magic_wrong, f.head.magic[0] = 'p', sizeof(f))
SPOILT(signature_version_newer, f.head.version = 2, sizeof(f))
SPOILT(signature_rows_short, f.head.stride = 200, sizeof(f))
SPOILT(signature_rows_none, f.head.count = 0, HEAD)
SPOILT(signature_rows_many, f.head.count = 17, sizeof(f))
SPOILT(signature_rows_missing, f.head.count = 2, HEAD + ROW)
SPOILT(signature_row_cut, , sizeof(f) - 1)
SPOILT(signature_key_twice, f.rows[1].key[0] = 1, sizeof(f))
SPOILT(signature_reserved_not_zero, f.rows[1].reserved = 1, sizeof(f))
SPOILT(signature_of_another_abi, f.rows[0].abi_major = 11, sizeof(f))
SPOILT(signature_plugins_open, memset(f.rows[0].plugins, 'a', sizeof(f.rows[0].plugins)), sizeof(f))
SPOILT(signature_plugins_none, f.rows[0].plugins[0] = 0, sizeof(f))
SPOILT(signature_plugins_no_names, memcpy(f.rows[0].plugins, "aie,Cpu", 8), sizeof(f))
SPOILT(signature_plugins_star_within, memcpy(f.rows[0].plugins, "a*e", 4), sizeof(f))
SPOILT(signature_plugins_name_long, memset(f.rows[0].plugins, 'a', 33), sizeof(f))
SPOILT(signature_plugins_bytes_behind, f.rows[0].plugins[127] = 'a', sizeof(f))

#define CASE(name)                                                                                                                                             \
	{                                                                                                                                                      \
#name, name                                                                                                                                    \
	}
const struct raw_case signature_cases[] = {
	CASE(signature_frame_empty),
	CASE(signature_magic_wrong),
	CASE(signature_version_newer),
	CASE(signature_rows_short),
	CASE(signature_rows_none),
	CASE(signature_rows_many),
	CASE(signature_rows_missing),
	CASE(signature_row_cut),
	CASE(signature_key_twice),
	CASE(signature_reserved_not_zero),
	CASE(signature_of_another_abi),
	CASE(signature_plugins_open),
	CASE(signature_plugins_none),
	CASE(signature_plugins_no_names),
	CASE(signature_plugins_star_within),
	CASE(signature_plugins_name_long),
	CASE(signature_plugins_bytes_behind),
};
const size_t signature_case_count = sizeof(signature_cases) / sizeof(signature_cases[0]);
