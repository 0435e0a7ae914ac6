/* SPDX-License-Identifier: MIT */
/* make_raw.c - wrong containers: header, table of contents, frames. */
#include "make.h"

#include "format/container.h"
#include "ptowsp/package.h"

#include <stddef.h>
#include <string.h>
#include <zstd.h>

/* Fields of the header and of a row of the table of contents, as offsets in the file. */
#define HEADER(field) (PKG_FRAME_HEAD + offsetof(struct pkg_header, field))
#define ROW(i, field) (PKG_FRAME_HEAD + sizeof(struct pkg_header) + (size_t)(i) * sizeof(struct pkg_toc_row) + offsetof(struct pkg_toc_row, field))

/* The sample's sections by their place. */
enum { STRS = 0, META = 1, KREG = 2, DIMS = 8, SCHD = 18, TBLB = 21, DBGI = 22 };

static void put16(struct bytes *f, size_t at, uint16_t value)
{
	memcpy(f->bytes + at, &value, sizeof(value));
}

static void put32(struct bytes *f, size_t at, uint32_t value)
{
	memcpy(f->bytes + at, &value, sizeof(value));
}

static void put64(struct bytes *f, size_t at, uint64_t value)
{
	memcpy(f->bytes + at, &value, sizeof(value));
}

static uint64_t get64(const struct bytes *f, size_t at)
{
	uint64_t value;

	memcpy(&value, f->bytes + at, sizeof(value));
	return value;
}

static void reseal(struct bytes *f)
{
	pkg_header_seal(f->bytes, f->size);
}

static void reseal_frames(struct bytes *f)
{
	pkg_frames_seal(f->bytes, f->size);
}

/* A change of one number in header or table of contents, sealed again. */
#define SEALED(name, change)                                                                                                                                   \
	static void name(struct bytes *f)                                                                                                                      \
	{                                                                                                                                                      \
		change;                                                                                                                                        \
		reseal(f);                                                                                                                                     \
	}

static void empty_file(struct bytes *f)
{
	f->size = 0;
}

static void text_file(struct bytes *f)
{
	memcpy(f->bytes, "add(x, y)\n", f->size = 10);
}

static void plain_zstd(struct bytes *f)
{
	f->size = ZSTD_compress(f->bytes, f->size, "hello", 5, 1);
}

static void cut_in_header_fields(struct bytes *f)
{
	f->size = 60;
}

static void cut_in_table_of_contents(struct bytes *f)
{
	f->size = 500;
}

static void cut_in_sections(struct bytes *f)
{
	f->size -= 10;
}

static void bit_flipped_in_table_of_contents(struct bytes *f)
{
	f->bytes[ROW(KREG, count)] ^= 1;
}

static void bit_flipped_in_a_frame(struct bytes *f)
{
	f->bytes[get64(f, ROW(KREG, offset)) + 20] ^= 4;
}

/* The unused bit of the frame's descriptor: zstd does not look at it. */
static void unused_bit_flipped_in_a_frame(struct bytes *f)
{
	f->bytes[get64(f, ROW(KREG, offset)) + 4] ^= 0x10;
}

static void bit_flipped_in_an_unknown_section(struct bytes *f)
{
	put32(f, ROW(DBGI, type), PTOWSP_SECTION('N', 'E', 'W', '1'));
	reseal(f);
	f->bytes[f->size - 1] ^= 0x80;
}

static void bit_flipped_in_sample_data(struct bytes *f)
{
	f->bytes[get64(f, ROW(TBLB, offset)) + 4] ^= 0x10;
}

static void trailing_bytes(struct bytes *f)
{
	memcpy(f->bytes + f->size, "more", 4);
	f->size += 4;
}

static void two_packages(struct bytes *f)
{
	size_t more = f->size < BYTES_ROOM ? f->size : BYTES_ROOM;

	memcpy(f->bytes + f->size, f->bytes, more);
	f->size += more;
}

static void signature_put(struct bytes *f, uint32_t says, size_t has)
{
	put32(f, f->size, PKG_SIGNATURE_FRAME);
	put32(f, f->size + 4, says);
	memset(f->bytes + f->size + 8, 0x51, has);
	f->size += 8 + has;
}

static void signature_cut(struct bytes *f)
{
	signature_put(f, 64, 60);
}

static void signature_huge(struct bytes *f)
{
	signature_put(f, 1 << 20, 64);
}

SEALED(magic_wrong, f->bytes[HEADER(magic)] = 'Q')
SEALED(abi_newer, memcpy(f->bytes + HEADER(abi), "v11.0", 5))
SEALED(abi_empty, memset(f->bytes + HEADER(abi), 0, 16))
SEALED(abi_without_end, memset(f->bytes + HEADER(abi), 'v', 16))
SEALED(abi_with_bytes_behind, f->bytes[HEADER(abi) + 9] = 'x')
SEALED(format_newer, put16(f, HEADER(format_major), 2))
SEALED(header_size_disagrees, put32(f, HEADER(header_size), 1000))
SEALED(header_flags_unknown, put32(f, HEADER(flags), 0x80))
SEALED(section_count_large, put32(f, HEADER(section_count), 65))
SEALED(target_count_large, put32(f, HEADER(target_count), 33))
SEALED(table_of_contents_elsewhere, put32(f, HEADER(toc_offset), 104))
SEALED(targets_end_elsewhere, put32(f, HEADER(target_bytes), 24))
SEALED(targets_missing, put32(f, HEADER(target_count), 3))
SEALED(targets_left_over, put32(f, HEADER(target_count), 0))
SEALED(total_size_small, put64(f, HEADER(total_size), 100))
SEALED(total_size_large, put64(f, HEADER(total_size), 1 << 20))
SEALED(total_size_huge, put64(f, HEADER(total_size), UINT64_MAX))

SEALED(section_flags_unknown, put32(f, ROW(META, flags), 2))
SEALED(section_codec_unknown, put32(f, ROW(META, codec), 7))
SEALED(section_stride_zero, put32(f, ROW(META, stride), 0))
SEALED(section_stride_huge, put32(f, ROW(META, stride), 5000))
SEALED(section_size_huge, put64(f, ROW(STRS, size), UINT64_C(1) << 40))
SEALED(section_size_all_ones, put64(f, ROW(STRS, size), UINT64_MAX))
SEALED(section_count_wrong, put64(f, ROW(KREG, count), 2))
SEALED(section_begins_late, put64(f, ROW(KREG, offset), get64(f, ROW(KREG, offset)) + 1))
SEALED(section_overlaps, put64(f, ROW(KREG, offset), get64(f, ROW(META, offset))))
SEALED(section_packed_size_zero, put64(f, ROW(KREG, packed_size), 0))
SEALED(section_packed_size_huge, put64(f, ROW(KREG, packed_size), UINT64_MAX))
SEALED(section_twice, put32(f, ROW(DBGI, type), PTOWSP_SECTION_META))
SEALED(section_digest_wrong, f->bytes[ROW(KREG, digest)] ^= 1)
SEALED(section_packed_digest_wrong, f->bytes[ROW(KREG, packed_digest)] ^= 1)
SEALED(sample_digest_wrong, f->bytes[ROW(TBLB, digest)] ^= 1)
SEALED(bytes_with_a_stride, (put32(f, ROW(STRS, stride), 2), put64(f, ROW(STRS, count), get64(f, ROW(STRS, count)) / 2)))

static void header_size_small(struct bytes *f)
{
	put32(f, 4, 40);
	put32(f, HEADER(header_size), 40);
}

static void header_size_large(struct bytes *f)
{
	put32(f, 4, 70000);
	put32(f, HEADER(header_size), 70000);
}

static void table_of_contents_rows_short(struct bytes *f)
{
	put16(f, HEADER(format_minor), 1);
	put32(f, HEADER(toc_stride), 72);
	reseal(f);
}

static void target_with_a_space(struct bytes *f)
{
	f->bytes[ROW(23, type) + 3] = ' ';
	reseal(f);
}

static void section_rows_many(struct bytes *f)
{
	put64(f, ROW(DIMS, size), UINT64_C(1) << 30);
	put64(f, ROW(DIMS, count), UINT64_C(1) << 27);
	reseal(f);
}

static void sections_together_large(struct bytes *f)
{
	put64(f, ROW(STRS, size), UINT64_C(1) << 30);
	put64(f, ROW(STRS, count), UINT64_C(1) << 30);
	reseal(f);
}

/* Rows of 2 bytes that would be read as 80. */
static void table_large_when_read(struct bytes *f)
{
	put32(f, ROW(SCHD, stride), 2);
	put64(f, ROW(SCHD, size), UINT64_C(1) << 25);
	put64(f, ROW(SCHD, count), UINT64_C(1) << 24);
	reseal(f);
}

static void bytes_of_no_section(struct bytes *f)
{
	memcpy(f->bytes + f->size, "more", 4);
	f->size += 4;
	put64(f, HEADER(total_size), f->size);
	reseal(f);
}

/* The frame of the last section, which may change its length. */
static void last_frame_put(struct bytes *f, const void *frame, size_t size, uint64_t content)
{
	memcpy(f->bytes + get64(f, ROW(DBGI, offset)), frame, size);
	f->size = get64(f, ROW(DBGI, offset)) + size;
	put64(f, ROW(DBGI, packed_size), size);
	put64(f, ROW(DBGI, size), content);
	put64(f, ROW(DBGI, count), content / 20);
	put64(f, HEADER(total_size), f->size);
	reseal_frames(f);
}

static void frame_no_zstd(struct bytes *f)
{
	uint8_t frame[40] = "no frame at all, just letters";

	last_frame_put(f, frame, sizeof(frame), 20);
}

static void frame_with_dictionary(struct bytes *f)
{
	f->bytes[get64(f, ROW(DBGI, offset)) + 4] |= 1;
	reseal_frames(f);
}

static void frame_without_checksum(struct bytes *f)
{
	const uint8_t record[20] = {0};
	uint8_t frame[64];

	last_frame_put(f, frame, ZSTD_compress(frame, sizeof(frame), record, sizeof(record), 1), sizeof(record));
}

/* A frame of 20 zeros with the given parameters. */
static size_t frame_make(uint8_t *frame, size_t room, ZSTD_cParameter parameter, int value)
{
	const uint8_t record[20] = {0};
	ZSTD_CCtx *context = ZSTD_createCCtx();
	size_t size;

	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	ZSTD_CCtx_setParameter(context, parameter, value);
	size = ZSTD_compress2(context, frame, room, record, sizeof(record));
	ZSTD_freeCCtx(context);
	return size;
}

static void frame_without_content_size(struct bytes *f)
{
	uint8_t frame[64];

	last_frame_put(f, frame, frame_make(frame, sizeof(frame), ZSTD_c_contentSizeFlag, 0), 20);
}

static void frame_with_other_content_size(struct bytes *f)
{
	uint8_t frame[64];

	last_frame_put(f, frame, frame_make(frame, sizeof(frame), ZSTD_c_contentSizeFlag, 1), 40);
}

static void frame_and_another(struct bytes *f)
{
	uint8_t frame[128];
	size_t size = frame_make(frame, 64, ZSTD_c_contentSizeFlag, 1);

	memcpy(frame + size, frame, size);
	last_frame_put(f, frame, 2 * size, 20);
}

/* Window byte 0x70: 2^24. One raw block of 20 bytes; what comes behind is not looked at. */
static void frame_with_large_window(struct bytes *f)
{
	const uint8_t frame[6 + 4 + 3 + 20 + 4] = {0x28, 0xB5, 0x2F, 0xFD, 0x84, 0x70, 20, 0, 0, 0, 0xA1, 0, 0};

	last_frame_put(f, frame, sizeof(frame), 20);
}

/* Window byte 0x69: the least above 2^23, nine eighths of it. */
static void frame_with_window_just_too_large(struct bytes *f)
{
	const uint8_t frame[6 + 4 + 3 + 20 + 4] = {0x28, 0xB5, 0x2F, 0xFD, 0x84, 0x69, 20, 0, 0, 0, 0xA1, 0, 0};

	last_frame_put(f, frame, sizeof(frame), 20);
}

/* The bit of the descriptor that zstd keeps for later. */
static void frame_with_reserved_bit(struct bytes *f)
{
	uint8_t frame[64];
	size_t size = frame_make(frame, sizeof(frame), ZSTD_c_contentSizeFlag, 1);

	frame[4] |= 8;
	last_frame_put(f, frame, size, 20);
}

static void frame_with_reserved_block(struct bytes *f)
{
	uint8_t frame[64];
	size_t size = frame_make(frame, sizeof(frame), ZSTD_c_contentSizeFlag, 1);

	frame[6] |= 6; /* block type 3 */
	last_frame_put(f, frame, size, 20);
}

static void frame_with_wrong_checksum(struct bytes *f)
{
	uint8_t frame[64];
	size_t size = frame_make(frame, sizeof(frame), ZSTD_c_contentSizeFlag, 1);

	frame[size - 1] ^= 1;
	last_frame_put(f, frame, size, 20);
}

#define CASE(name)                                                                                                                                             \
	{                                                                                                                                                      \
#name, name                                                                                                                                    \
	}
const struct raw_case raw_cases[] = {
	CASE(empty_file),
	CASE(text_file),
	CASE(plain_zstd),
	CASE(cut_in_header_fields),
	CASE(cut_in_table_of_contents),
	CASE(cut_in_sections),
	CASE(bit_flipped_in_table_of_contents),
	CASE(bit_flipped_in_a_frame),
	CASE(trailing_bytes),
	CASE(two_packages),
	CASE(signature_cut),
	CASE(signature_huge),
	CASE(magic_wrong),
	CASE(abi_newer),
	CASE(abi_empty),
	CASE(abi_without_end),
	CASE(abi_with_bytes_behind),
	CASE(format_newer),
	CASE(header_size_disagrees),
	CASE(header_size_small),
	CASE(header_size_large),
	CASE(header_flags_unknown),
	CASE(section_count_large),
	CASE(target_count_large),
	CASE(table_of_contents_elsewhere),
	CASE(table_of_contents_rows_short),
	CASE(targets_end_elsewhere),
	CASE(targets_missing),
	CASE(targets_left_over),
	CASE(target_with_a_space),
	CASE(total_size_small),
	CASE(total_size_large),
	CASE(total_size_huge),
	CASE(section_flags_unknown),
	CASE(section_codec_unknown),
	CASE(section_stride_zero),
	CASE(section_stride_huge),
	CASE(section_size_huge),
	CASE(section_size_all_ones),
	CASE(section_count_wrong),
	CASE(section_rows_many),
	CASE(sections_together_large),
	CASE(table_large_when_read),
	CASE(section_begins_late),
	CASE(section_overlaps),
	CASE(section_packed_size_zero),
	CASE(section_packed_size_huge),
	CASE(bytes_of_no_section),
	CASE(section_twice),
	CASE(section_digest_wrong),
	CASE(sample_digest_wrong),
	CASE(bytes_with_a_stride),
	CASE(frame_no_zstd),
	CASE(frame_with_dictionary),
	CASE(frame_without_checksum),
	CASE(frame_without_content_size),
	CASE(frame_with_other_content_size),
	CASE(frame_and_another),
	CASE(frame_with_large_window),
	CASE(frame_with_window_just_too_large),
	CASE(frame_with_reserved_bit),
	CASE(frame_with_reserved_block),
	CASE(frame_with_wrong_checksum),
	CASE(section_packed_digest_wrong),
	CASE(unused_bit_flipped_in_a_frame),
	CASE(bit_flipped_in_an_unknown_section),
	CASE(bit_flipped_in_sample_data),
};
const size_t raw_case_count = sizeof(raw_cases) / sizeof(raw_cases[0]);
